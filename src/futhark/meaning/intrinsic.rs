//! The functions that meanings know: their arguments as leaves, and their results from leaves.
//!
//! Law: an intrinsic takes its arguments one at a time like any other function; the types it is at are in the order in
//! which its signature in the prelude names them. Tags of sums have no derivative: that of a value has the value's own
//! constructor (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::{Evaluation, Evaluator};
use super::types::{Evaluated, Leaf};
use super::value::{Callee, Value, unchecked};
use super::{Derivative, Meaning, Mode, Outcome, Reduction};
use crate::array::ScalarOp;
use crate::futhark::core::Prim;
use crate::futhark::source::Span;

macro_rules! intrinsics {
    ($($(#[doc = $doc:literal])+ $Name:ident $text:literal $arity:literal;)+) => {
        /// A function that meanings know.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Intrinsic { $($(#[doc = $doc])+ $Name,)+ }

        impl Intrinsic {
            /// The number of arguments.
            pub(super) fn arity(self) -> usize {
                match self { $(Intrinsic::$Name => $arity,)+ }
            }

            fn named(name: &str) -> Option<Intrinsic> {
                match name { $($text => Some(Intrinsic::$Name),)+ _ => None }
            }
        }
    };
}

intrinsics! {
    /// `(a -> x) -> [n]a -> [n]x`, at `a`, `x`.
    Map "map" 2;
    /// `[n]a -> [n]b -> [n](a, b)`.
    Zip "zip" 2;
    /// `[n](a, b) -> ([n]a, [n]b)`.
    Unzip "unzip" 1;
    /// `(a -> a -> a) -> a -> [n]a -> a`, at `a`.
    Reduce "reduce" 3;
    /// As `reduce`, of a commutative operator.
    ReduceComm "reduce_comm" 3;
    /// `(a -> a -> a) -> a -> [n]a -> [n]a`, at `a`.
    Scan "scan" 3;
    /// `[m]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> [m]a`, at `a`.
    ReduceByIndex "reduce_by_index" 5;
    /// `[m]a -> [n]i64 -> [n]a -> [m]a`.
    Scatter "scatter" 3;
    /// `(a -> bool) -> [n]a -> []a`, at `a`.
    Filter "filter" 2;
    /// `[n]a -> [m]a -> [n + m]a`.
    Concat "concat" 2;
    /// `[n]a -> [n]a`.
    Reverse "reverse" 1;
    /// `i64 -> [n]a -> [n]a`.
    Rotate "rotate" 2;
    /// `[n][m]a -> [m][n]a`.
    Transpose "transpose" 1;
    /// `[n][m]a -> [n * m]a`.
    Flatten "flatten" 1;
    /// `[n * m]a -> [n][m]a`, at the sizes `n`, `m`.
    Unflatten "unflatten" 1;
    /// `(n: i64) -> a -> [n]a`.
    Replicate "replicate" 2;
    /// `(n: i64) -> [n]i64`.
    Iota "iota" 1;
    /// `(a -> b) -> a -> a -> (b, b)`, at `a`, `b`.
    Jvp "jvp2" 3;
    /// `(a -> b) -> a -> b -> (b, a)`, at `a`, `b`.
    Vjp "vjp2" 3;
    /// `(a -> b) -> a -> [k]a -> (b, [k]b)`, at `a`, `b`.
    Jmp "jmp2" 3;
    /// `(a -> b) -> a -> [k]b -> (b, [k]a)`, at `a`, `b`.
    Mjp "mjp2" 3;
    /// `(a -> (b, c)) -> (c -> b -> a) -> a -> b`, at `a`, `b`, `c`.
    WithVjp "with_vjp" 3;
    /// `[k]a -> (a -> a -> a) -> a -> (acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> [k]a`, at `a`, `b`.
    ReduceByIndexStream "reduce_by_index_stream" 5;
    /// `[k]a -> (acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> [k]a`, at `a`, `b`.
    ScatterStream "scatter_stream" 3;
    /// `acc ([n]a) -> i64 -> a -> acc ([n]a)`.
    Write "write" 3;
    /// `a -> a`.
    Trace "trace" 1;
}

/// The sizes that an instance of an intrinsic is at, for those that need them, and its types.
#[derive(Debug)]
pub(super) struct At<D> {
    /// In the order of the signature.
    pub(super) sizes: Vec<Option<D>>,
    /// In the order of the signature.
    pub(super) types: Vec<Rc<Evaluated<D>>>,
}

impl<'p, M: Meaning> Evaluator<'p, M> {
    pub(super) fn intrinsic_value(&self, name: &str, instance: At<M::Data>, at: Span) -> Evaluation<'p, M> {
        let Some(which) = Intrinsic::named(name) else { return unchecked(at, "an intrinsic function") };
        Ok(Value::function(Callee::Intrinsic(which, Rc::new(instance))))
    }

    /// The result of an intrinsic for all of its arguments.
    pub(super) fn intrinsic(
        &self,
        which: Intrinsic,
        instance: &At<M::Data>,
        arguments: Vec<Value<'p, M::Data>>,
        at: Span,
    ) -> Evaluation<'p, M> {
        let m = self.meaning;
        let mut arguments = arguments.into_iter();
        let mut next = || arguments.next().map_or_else(|| unchecked(at, "an argument"), Ok);
        let of = |number: usize| instance.types.get(number).map_or_else(|| unchecked(at, "a type"), Ok);
        let pair = |first, second| Value::Record(Rc::new(vec![first, second]));
        match which {
            Intrinsic::Map => {
                let (function, array) = (next()?, next()?);
                let results = m.map(
                    at,
                    array.into_leaves(at)?,
                    &of(1)?.leaves(),
                    &mut self.code(&function, core::slice::from_ref(of(0)?), at),
                )?;
                Value::of(results, of(1)?, at)
            }
            // An array of pairs is a pair of arrays.
            Intrinsic::Zip => Ok(pair(next()?, next()?)),
            Intrinsic::Unzip | Intrinsic::Trace => next(),
            Intrinsic::Reduce | Intrinsic::ReduceComm | Intrinsic::Scan => {
                let (operator, neutral, array) = (next()?, next()?.into_leaves(at)?, next()?.into_leaves(at)?);
                let how = match which {
                    Intrinsic::Scan => Reduction::Prefixes,
                    _ => Reduction::Whole { commutative: which == Intrinsic::ReduceComm },
                };
                let params = [of(0)?.clone(), of(0)?.clone()];
                let results = m.reduce(at, how, &mut self.code(&operator, &params, at), neutral, array)?;
                Value::of(results, of(0)?, at)
            }
            Intrinsic::ReduceByIndex => {
                let (bins, operator, neutral) = (next()?.into_leaves(at)?, next()?, next()?.into_leaves(at)?);
                let (indices, values) = (next()?.into_data(at)?, next()?.into_leaves(at)?);
                let params = [of(0)?.clone(), of(0)?.clone()];
                let mut code = self.code(&operator, &params, at);
                Value::of(m.combine(at, bins, Some((&mut code, neutral)), &indices, values)?, of(0)?, at)
            }
            Intrinsic::Scatter => {
                let (bins, indices) = (next()?.into_leaves(at)?, next()?.into_data(at)?);
                Value::of(m.combine(at, bins, None, &indices, next()?.into_leaves(at)?)?, of(0)?, at)
            }
            Intrinsic::Filter => {
                let (predicate, array) = (next()?, next()?.into_leaves(at)?);
                let truth = Leaf { kind: Prim::Bool, shape: Vec::new(), tag: false };
                let code = &mut self.code(&predicate, core::slice::from_ref(of(0)?), at);
                let flags = m.map(at, array.clone(), &[truth], code)?;
                let Some(flags) = flags.first() else { return unchecked(at, "truth values") };
                Value::of(m.filter(at, flags, array)?, of(0)?, at)
            }
            Intrinsic::Concat => {
                let (first, second) = (next()?, next()?);
                first.both(second, at, &mut |first, second| m.concat(at, first, second))
            }
            Intrinsic::Reverse => next()?.each(at, &mut |array| m.reverse(at, array)),
            Intrinsic::Rotate => {
                let by = next()?.into_data(at)?;
                next()?.each(at, &mut |array| m.rotate(at, &by, array))
            }
            Intrinsic::Transpose => next()?.each(at, &mut |array| m.transpose(at, array)),
            Intrinsic::Flatten => next()?.each(at, &mut |array| {
                let sizes = [m.size(&array, 0), m.size(&array, 1)];
                let count = m.scalar(at, ScalarOp::Mul, &sizes)?;
                m.reshape(at, array, 2, &[count])
            }),
            Intrinsic::Unflatten => {
                let sizes: Option<Vec<M::Data>> = instance.sizes.iter().cloned().collect();
                let sizes = sizes.filter(|sizes| sizes.len() == 2);
                let sizes = sizes.map_or_else(|| unchecked(at, "two known sizes"), Ok)?;
                next()?.each(at, &mut |array| m.reshape(at, array, 1, &sizes))
            }
            Intrinsic::Replicate => {
                let count = next()?.into_data(at)?;
                next()?.each(at, &mut |value| m.replicate(at, &count, value))
            }
            Intrinsic::Iota => Ok(Value::Data(m.iota(at, &next()?.into_data(at)?)?)),
            Intrinsic::Jvp | Intrinsic::Vjp | Intrinsic::Jmp | Intrinsic::Mjp => {
                let (function, argument, seeds) = (next()?, next()?.into_leaves(at)?, next()?.into_leaves(at)?);
                let mode = match which {
                    Intrinsic::Jvp | Intrinsic::Jmp => Mode::Forward,
                    _ => Mode::Reverse,
                };
                let many = matches!(which, Intrinsic::Jmp | Intrinsic::Mjp);
                let count = if many { seeds.first().map(|first| m.size(first, 0)) } else { None };
                let code = &mut self.code(&function, core::slice::from_ref(of(0)?), at);
                let call = |kept, leaves| self.call(kept, leaves, at);
                let given = if mode == Mode::Reverse { argument.clone() } else { Vec::new() };
                let (results, mut found) = m.derivative(at, Derivative { mode, many }, code, argument, seeds, &call)?;
                let (felt, values) = match mode {
                    Mode::Forward => (of(1)?, &results),
                    Mode::Reverse => (of(0)?, &given),
                };
                self.own_tags(felt, values, &mut found, count.as_ref(), at)?;
                Ok(pair(Value::of(results, of(1)?, at)?, Value::of(found, felt, at)?))
            }
            Intrinsic::WithVjp => {
                let (function, adjoint, argument) = (next()?, next()?, next()?.into_leaves(at)?);
                let (from, to, residual) = (of(0)?, of(1)?, of(2)?);
                let kept = self.keep(adjoint, vec![residual.clone(), to.clone()]);
                let code = &mut self.code(&function, core::slice::from_ref(from), at);
                let call = |kept, leaves| self.call(kept, leaves, at);
                Value::of(m.with_vjp(at, code, to.leaves().len(), kept, argument, &call)?, to, at)
            }
            Intrinsic::ReduceByIndexStream | Intrinsic::ScatterStream => {
                let destination = next()?.into_leaves(at)?;
                let operator = if which == Intrinsic::ReduceByIndexStream {
                    let operator = self.keep(next()?, vec![of(0)?.clone(), of(0)?.clone()]);
                    Some((operator, next()?.into_leaves(at)?))
                } else {
                    None
                };
                let (function, array) = (next()?, next()?.into_leaves(at)?);
                let params = [of(0)?.clone(), of(1)?.clone()];
                let code = &mut self.code(&function, &params, at);
                let call = |kept, leaves| self.call(kept, leaves, at);
                Value::of(m.stream(at, destination, operator, array, code, &call)?, of(0)?, at)
            }
            Intrinsic::Write => {
                let (accumulator, index, value) = (next()?, next()?.into_data(at)?, next()?.into_leaves(at)?);
                let call = |kept, leaves| self.call(kept, leaves, at);
                Value::of(m.write(at, accumulator.into_leaves(at)?, &index, value, &call)?, of(0)?, at)
            }
        }
    }

    /// Gives derivatives of sums the constructors of the values themselves; `count` of them if it is given.
    fn own_tags(
        &self,
        of: &Evaluated<M::Data>,
        values: &[M::Data],
        derivatives: &mut [M::Data],
        count: Option<&M::Data>,
        at: Span,
    ) -> Outcome<()> {
        if !of.has_sum() {
            return Ok(());
        }
        for ((leaf, value), derivative) in of.leaves().iter().zip(values).zip(derivatives) {
            if leaf.tag {
                *derivative = match count {
                    Some(count) => self.meaning.replicate(at, count, value.clone())?,
                    None => value.clone(),
                };
            }
        }
        Ok(())
    }
}

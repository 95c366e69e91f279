//! The functions that meanings know: their arguments as leaves, and their results from leaves.
//!
//! Law: an intrinsic takes its arguments one at a time like any other function; the types it is at are in the order in
//! which its signature in the prelude names them. Tags of sums have no derivative: that of a value has the value's own
//! constructor (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::{Evaluation, Evaluator};
use super::types::{Evaluated, Leaf};
use super::value::{Callee, Kept, Value, unchecked};
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
    /// `(a -> b) -> (b -> b -> a) -> a -> b`, at `a`, `b`.
    WithVjp "with_vjp" 3;
    /// `[k]a -> (a -> a -> a) -> a -> (acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> [k]a`, at `a`, `b`.
    ReduceByIndexStream "reduce_by_index_stream" 5;
    /// `[k]a -> (acc ([k]a) -> b -> acc ([k]a)) -> [n]b -> [k]a`, at `a`, `b`.
    ScatterStream "scatter_stream" 3;
    /// `acc ([n]a) -> i64 -> a -> acc ([n]a)`.
    Write "write" 3;
    /// `a -> a`.
    Trace "trace" 1;
    /// `(count: i64) -> [n]i64 -> (a -> ?[k].[k]b) -> [n]a -> [count]b`, at `a`, `b`.
    Rows "rows" 4;
}

/// The sizes that an instance of an intrinsic is at, for those that need them, and its types.
#[derive(Debug)]
pub(super) struct At<D> {
    /// In the order of the signature.
    pub(super) sizes: Vec<Option<D>>,
    /// In the order of the signature.
    pub(super) types: Vec<Rc<Evaluated<D>>>,
}

impl<D> At<D> {
    /// For what is generic in nothing.
    pub(super) const NOTHING: Self = At { sizes: Vec::new(), types: Vec::new() };
}

/// What an intrinsic is given: its arguments, taken one after the other, and the types it is at.
struct Given<'i, 'p, D> {
    arguments: std::vec::IntoIter<Value<'p, D>>,
    instance: &'i At<D>,
    at: Span,
}

impl<'i, 'p, D: Clone> Given<'i, 'p, D> {
    fn value(&mut self) -> Outcome<Value<'p, D>> {
        self.arguments.next().map_or_else(|| unchecked(self.at, "an argument"), Ok)
    }

    fn data(&mut self) -> Outcome<D> {
        self.value()?.into_data(self.at)
    }

    fn leaves(&mut self) -> Outcome<Vec<D>> {
        self.value()?.into_leaves(self.at)
    }

    fn of(&self, number: usize) -> Outcome<&'i Rc<Evaluated<D>>> {
        self.instance.types.get(number).map_or_else(|| unchecked(self.at, "a type"), Ok)
    }
}

fn pair<'p, D>(first: Value<'p, D>, second: Value<'p, D>) -> Value<'p, D> {
    Value::Record(Rc::new(vec![first, second]))
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
        let mut given = Given { arguments: arguments.into_iter(), instance, at };
        let call = |kept, leaves| self.call(kept, leaves, at);
        match which {
            Intrinsic::Map => {
                let (function, arrays, result) = (given.value()?, given.leaves()?, given.of(1)?);
                let code = &mut self.code(&function, core::slice::from_ref(given.of(0)?), at);
                Value::of(m.map(at, arrays, &result.leaves(), code)?, result, at)
            }
            // An array of pairs is a pair of arrays.
            Intrinsic::Zip => Ok(pair(given.value()?, given.value()?)),
            Intrinsic::Unzip | Intrinsic::Trace => given.value(),
            Intrinsic::Reduce => self.reduction(Reduction::Whole { commutative: false }, given),
            Intrinsic::ReduceComm => self.reduction(Reduction::Whole { commutative: true }, given),
            Intrinsic::Scan => self.reduction(Reduction::Prefixes, given),
            Intrinsic::ReduceByIndex => {
                let (bins, operator, neutral) = (given.leaves()?, given.value()?, given.leaves()?);
                let (indices, values, element) = (given.data()?, given.leaves()?, given.of(0)?);
                let params = [element.clone(), element.clone()];
                let mut code = self.code(&operator, &params, at);
                Value::of(m.combine(at, bins, Some((&mut code, neutral)), &indices, values)?, element, at)
            }
            Intrinsic::Scatter => {
                let (bins, indices, values) = (given.leaves()?, given.data()?, given.leaves()?);
                Value::of(m.combine(at, bins, None, &indices, values)?, given.of(0)?, at)
            }
            Intrinsic::Filter => {
                let (predicate, arrays, element) = (given.value()?, given.leaves()?, given.of(0)?);
                let truth = Leaf { kind: Prim::Bool, shape: Vec::new(), tag: false };
                let code = &mut self.code(&predicate, core::slice::from_ref(element), at);
                let flags = m.map(at, arrays.clone(), &[truth], code)?;
                let Some(flags) = flags.first() else { return unchecked(at, "truth values") };
                Value::of(m.filter(at, flags, arrays)?, element, at)
            }
            Intrinsic::Concat => {
                let (first, second) = (given.value()?, given.value()?);
                first.both(second, at, &mut |first, second| m.concat(at, first, second))
            }
            Intrinsic::Reverse => given.value()?.each(at, &mut |array| m.reverse(at, array)),
            Intrinsic::Rotate => {
                let by = given.data()?;
                given.value()?.each(at, &mut |array| m.rotate(at, &by, array))
            }
            Intrinsic::Transpose => given.value()?.each(at, &mut |array| m.transpose(at, array)),
            Intrinsic::Flatten => given.value()?.each(at, &mut |array| {
                let sizes = [m.size(&array, 0), m.size(&array, 1)];
                let count = m.scalar(at, ScalarOp::Mul, &sizes)?;
                m.reshape(at, array, 2, &[count])
            }),
            Intrinsic::Unflatten => {
                let sizes: Option<Vec<M::Data>> = instance.sizes.iter().cloned().collect();
                let sizes = sizes.filter(|sizes| sizes.len() == 2);
                let sizes = sizes.map_or_else(|| unchecked(at, "two known sizes"), Ok)?;
                given.value()?.each(at, &mut |array| m.reshape(at, array, 1, &sizes))
            }
            Intrinsic::Replicate => {
                let count = given.data()?;
                given.value()?.each(at, &mut |value| m.replicate(at, &count, value))
            }
            Intrinsic::Iota => Ok(Value::Data(m.iota(at, &given.data()?)?)),
            Intrinsic::Jvp => self.derivative(Derivative { mode: Mode::Forward, many: false }, given),
            Intrinsic::Vjp => self.derivative(Derivative { mode: Mode::Reverse, many: false }, given),
            Intrinsic::Jmp => self.derivative(Derivative { mode: Mode::Forward, many: true }, given),
            Intrinsic::Mjp => self.derivative(Derivative { mode: Mode::Reverse, many: true }, given),
            Intrinsic::WithVjp => {
                let (function, adjoint, argument) = (given.value()?, given.value()?, given.leaves()?);
                let (from, to) = (given.of(0)?, given.of(1)?);
                let kept = self.keep(adjoint, vec![to.clone(), to.clone()]);
                let code = &mut self.code(&function, core::slice::from_ref(from), at);
                Value::of(m.with_vjp(at, code, kept, argument, &call)?, to, at)
            }
            Intrinsic::ReduceByIndexStream => {
                let (bins, operator, neutral) = (given.leaves()?, given.value()?, given.leaves()?);
                let element = given.of(0)?;
                let operator = self.keep(operator, vec![element.clone(), element.clone()]);
                self.stream(bins, Some((operator, neutral)), given)
            }
            Intrinsic::ScatterStream => {
                let bins = given.leaves()?;
                self.stream(bins, None, given)
            }
            Intrinsic::Rows => {
                let (count, offsets, function) = (given.data()?, given.data()?, given.value()?);
                let (arrays, element) = (given.leaves()?, given.of(1)?);
                let code = &mut self.code(&function, core::slice::from_ref(given.of(0)?), at);
                Value::of(m.rows(at, [&count, &offsets], arrays, &element.leaves(), code)?, element, at)
            }
            Intrinsic::Write => {
                let (accumulators, index, values) = (given.leaves()?, given.data()?, given.leaves()?);
                Value::of(m.write(at, accumulators, &index, values, &call)?, given.of(0)?, at)
            }
        }
    }

    fn reduction(&self, how: Reduction, mut given: Given<'_, 'p, M::Data>) -> Evaluation<'p, M> {
        let (operator, neutral, arrays) = (given.value()?, given.leaves()?, given.leaves()?);
        let (element, at) = (given.of(0)?, given.at);
        let params = [element.clone(), element.clone()];
        let results = self.meaning.reduce(at, how, &mut self.code(&operator, &params, at), neutral, arrays)?;
        Value::of(results, element, at)
    }

    fn derivative(&self, which: Derivative, mut given: Given<'_, 'p, M::Data>) -> Evaluation<'p, M> {
        let (function, argument, seeds) = (given.value()?, given.leaves()?, given.leaves()?);
        let (m, at, from, to) = (self.meaning, given.at, given.of(0)?, given.of(1)?);
        let count = if which.many { seeds.first().map(|first| m.size(first, 0)) } else { None };
        let code = &mut self.code(&function, core::slice::from_ref(from), at);
        let call = |kept, leaves| self.call(kept, leaves, at);
        let given = if which.mode == Mode::Reverse { argument.clone() } else { Vec::new() };
        let (results, mut found) = m.derivative(at, which, code, argument, seeds, &call)?;
        let (felt, values) = match which.mode {
            Mode::Forward => (to, &results),
            Mode::Reverse => (from, &given),
        };
        self.own_tags(felt, values, &mut found, count.as_ref(), at)?;
        Ok(pair(Value::of(results, to, at)?, Value::of(found, felt, at)?))
    }

    /// The function, the last argument but one, of each element of the last, with the bins to write to.
    fn stream(
        &self,
        bins: Vec<M::Data>,
        operator: Option<(Kept, Vec<M::Data>)>,
        mut given: Given<'_, 'p, M::Data>,
    ) -> Evaluation<'p, M> {
        let (function, arrays, at) = (given.value()?, given.leaves()?, given.at);
        let params = [given.of(0)?.clone(), given.of(1)?.clone()];
        let code = &mut self.code(&function, &params, at);
        let call = |kept, leaves| self.call(kept, leaves, at);
        Value::of(self.meaning.stream(at, bins, operator, arrays, code, &call)?, given.of(0)?, at)
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

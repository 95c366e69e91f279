//! Outlines: the sizes of a function's results as far as they do not depend on elements, for maps over nothing.
//!
//! Law: a size that is known here is the one every run would find. A map over no elements has rows of these sizes, and
//! of size 0 where they are unknown; so its results have the sizes they would have in the limit of shorter arrays, and
//! the column sums of a matrix of no rows are as many zeros as it has columns.

use rustc_hash::FxHashMap;

use super::budget::Step;
use super::eval::Machine;
use super::scalar::Arithmetic;
use super::value::{Array, Value};
use crate::array::{Atom, Body, Const, Form, Lambda, Loop, Op, Prim, ScalarOp, Var, deeper};

/// What is known of a value before there is one.
#[derive(Debug, Clone, PartialEq)]
struct Outline {
    sizes: Vec<Option<usize>>,
    /// The value, of an integer that could be a size.
    integer: Option<i64>,
}

impl Outline {
    fn scalar(integer: Option<i64>) -> Self {
        Outline { sizes: Vec::new(), integer }
    }

    fn array(sizes: impl IntoIterator<Item = Option<usize>>) -> Self {
        Outline { sizes: sizes.into_iter().collect(), integer: None }
    }

    fn of<C: Arithmetic>(log: &C::Log, value: &Value<C>) -> Self {
        match value {
            Value::Scalar(scalar) => Outline::scalar(C::is_index(scalar).then(|| C::index(log, scalar))),
            Value::Array(array) => Outline::array(array.sizes.iter().copied().map(Some)),
        }
    }

    /// The outline of an element.
    fn element(&self) -> Self {
        Outline::array(self.sizes[1..].iter().copied())
    }

    fn arrayed(self, length: Option<usize>) -> Self {
        Outline::array(core::iter::once(length).chain(self.sizes))
    }

    /// What holds of both.
    fn or(&self, other: &Self) -> Self {
        let sizes = self.sizes.iter().zip(&other.sizes).map(|(a, b)| if a == b { *a } else { None });
        let integer = if self.integer == other.integer { self.integer } else { None };
        Outline { sizes: sizes.collect(), integer }
    }

    fn size(&self) -> Option<usize> {
        self.integer.and_then(|n| usize::try_from(n).ok())
    }
}

impl<C: Arithmetic> Machine<'_, C> {
    /// The sizes of the results of a function of rows of these arrays, and of accumulators; 0 where unknown.
    pub(super) fn row_sizes(
        &mut self,
        function: &Lambda,
        arrays: &[Array<C>],
        accumulators: &[Value<C>],
    ) -> Step<Vec<Vec<usize>>> {
        let rows = arrays.iter().map(|a| Outline::array(a.row_sizes().iter().copied().map(Some)));
        let arguments = rows.chain(accumulators.iter().map(|a| Outline::of(&self.log, a))).collect();
        let mut sketch = Sketch { machine: self, outlines: FxHashMap::default() };
        let results = sketch.apply(function, arguments)?;
        Ok(results.into_iter().map(|r| r.sizes.into_iter().map(|size| size.unwrap_or(0)).collect()).collect())
    }
}

/// The outlines of the variables inside the function; those around it have values.
struct Sketch<'m, 'p, C: Arithmetic> {
    machine: &'m mut Machine<'p, C>,
    outlines: FxHashMap<Var, Outline>,
}

impl<C: Arithmetic> Sketch<'_, '_, C> {
    fn get(&self, atom: Atom) -> Outline {
        match atom {
            Atom::Const(Const::I64(n)) => Outline::scalar(Some(n)),
            Atom::Const(_) => Outline::scalar(None),
            Atom::Var(var) => match self.outlines.get(&var) {
                Some(outline) => outline.clone(),
                None => Outline::of(&self.machine.log, &self.machine.get(atom)),
            },
        }
    }

    fn all(&self, atoms: &[Atom]) -> Vec<Outline> {
        atoms.iter().map(|a| self.get(*a)).collect()
    }

    fn apply(&mut self, lambda: &Lambda, arguments: Vec<Outline>) -> Step<Vec<Outline>> {
        self.outlines.extend(lambda.params.iter().copied().zip(arguments));
        self.body(&lambda.body)
    }

    fn body(&mut self, body: &Body) -> Step<Vec<Outline>> {
        deeper(|| {
            for stm in &body.stms {
                self.machine.budget.step()?;
                let results = self.op(&stm.op)?;
                self.outlines.extend(stm.vars.iter().copied().zip(results));
            }
            Ok(self.all(&body.results))
        })
    }

    fn op(&mut self, op: &Op) -> Step<Vec<Outline>> {
        let one = match op {
            Op::If(_, yes, no) => {
                let (yes, no) = (self.body(yes)?, self.body(no)?);
                return Ok(yes.iter().zip(&no).map(|(a, b)| a.or(b)).collect());
            }
            Op::Loop(it) => return self.repeat(it),
            Op::Map(map) => {
                let arrays = self.all(&map.arrays);
                let mut arguments: Vec<Outline> = arrays.iter().map(Outline::element).collect();
                arguments.extend(self.all(&map.accumulators));
                let mut results = self.apply(&map.function, arguments)?;
                let accumulators = results.split_off(results.len() - map.accumulators.len());
                return Ok(results.into_iter().map(|r| r.arrayed(arrays[0].sizes[0])).chain(accumulators).collect());
            }
            // An operator gives what it takes, and the neutral elements are of that size.
            Op::Reduce(it) => return Ok(self.all(&it.neutral).into_iter().map(|o| Outline::array(o.sizes)).collect()),
            Op::Scan(it) => return Ok(self.all(&it.arrays)),
            Op::Hist(it) => return Ok(self.all(&it.destinations)),
            Op::Custom(it) => {
                let arguments = self.all(&it.arguments);
                return self.apply(&it.function, arguments);
            }
            Op::Scalar(op, atoms) => Outline::scalar(known(*op, &self.all(atoms))),
            Op::Agree(_) => return Ok(Vec::new()),
            Op::Copy(a) | Op::ToAccumulator(a) | Op::FromAccumulator(a) | Op::Reverse(a) => self.get(*a),
            Op::Update(a, ..) | Op::Accumulate(a, ..) => self.get(*a),
            Op::Scatter(it) => self.get(it.destination),
            Op::Iota(n) => Outline::array([self.get(*n).size()]),
            Op::Replicate(n, a) => self.get(*a).arrayed(self.get(*n).size()),
            Op::Elements(atoms) => self.get(atoms[0]).arrayed(Some(atoms.len())),
            Op::Size(a, dimension) => {
                let size = self.get(*a).sizes[*dimension];
                Outline::scalar(size.and_then(|n| i64::try_from(n).ok()))
            }
            Op::Index(a, indices) => Outline::array(self.get(*a).sizes.into_iter().skip(indices.len())),
            Op::Slice(a, ranges) => {
                let counts: Vec<_> = ranges.iter().map(|r| self.get(r.count).size()).collect();
                let rest = self.get(*a).sizes.into_iter().skip(counts.len()).collect::<Vec<_>>();
                Outline::array(counts.into_iter().chain(rest))
            }
            Op::Permute(a, order) => {
                let sizes = self.get(*a).sizes;
                Outline::array(order.iter().map(|d| sizes[*d]))
            }
            Op::Reshape(_, sizes) => Outline::array(self.all(sizes).iter().map(Outline::size).collect::<Vec<_>>()),
            Op::Concat(atoms) => {
                let all = self.all(atoms);
                let length = all.iter().try_fold(0_usize, |n, o| n.checked_add(o.sizes[0]?));
                all[0].element().arrayed(length)
            }
        };
        Ok(vec![one])
    }

    /// The outlines of loop variables that hold before and after every iteration.
    fn repeat(&mut self, it: &Loop) -> Step<Vec<Outline>> {
        let mut state: Vec<Outline> = it.params.iter().map(|(_, initial)| self.get(*initial)).collect();
        loop {
            self.outlines.extend(it.params.iter().map(|(param, _)| *param).zip(state.iter().cloned()));
            if let Form::For(i, _) = &it.form {
                self.outlines.insert(*i, Outline::scalar(None));
            }
            let after = self.body(&it.body)?;
            let both: Vec<Outline> = state.iter().zip(&after).map(|(a, b)| a.or(b)).collect();
            // Less is known each time, so this ends.
            if both == state {
                return Ok(state);
            }
            state = both;
        }
    }
}

/// The value of an operation on integers, if it is known and there is one.
fn known(op: ScalarOp, operands: &[Outline]) -> Option<i64> {
    let operands: Vec<i64> = operands.iter().map(|o| o.integer).collect::<Option<_>>()?;
    match (op, operands.as_slice()) {
        (ScalarOp::Add, [a, b]) => Some(a.wrapping_add(*b)),
        (ScalarOp::Mul | ScalarOp::Scale, [a, b]) => Some(a.wrapping_mul(*b)),
        (ScalarOp::Integer(row), operands) => row.value_i64(operands),
        (ScalarOp::Convert(Prim::I64), [n]) => Some(*n),
        _ => None,
    }
}

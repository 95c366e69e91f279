//! The sizes of a function's results before it runs.
//!
//! Law: a size that is known here is the one every run finds; it is computed from sizes and integers alone.

use rustc_hash::FxHashMap;

use super::code::{Broken, Operand};
use super::liveness::without_accumulators;
use super::view::Bound;
use super::{Lowering, Step, Unsupported};
use crate::array::{Atom, Body, Form, IntegerRow, Lambda, Loop, Map, Op, Prim, ScalarOp, Var};

/// First rows of first rows are computed to this depth: each is code of its own.
const MOST_FIRSTS: usize = 3;

/// What is known of a value: of each size, and of the value if it is an integer that could be a size.
#[derive(Debug, Clone, PartialEq)]
struct Shape {
    sizes: Vec<Option<Operand>>,
    integer: Option<Operand>,
}

impl Shape {
    fn scalar(integer: Option<Operand>) -> Self {
        Shape { sizes: Vec::new(), integer }
    }

    fn array(sizes: impl IntoIterator<Item = Option<Operand>>) -> Self {
        Shape { sizes: sizes.into_iter().collect(), integer: None }
    }

    fn element(&self) -> Self {
        Shape::array(self.sizes.iter().skip(1).copied())
    }

    fn arrayed(self, length: Option<Operand>) -> Self {
        Shape::array(core::iter::once(length).chain(self.sizes))
    }

    /// What holds of both.
    fn or(&self, other: &Self) -> Self {
        let both = |a: Option<Operand>, b: Option<Operand>| if a == b { a } else { None };
        let sizes = self.sizes.iter().zip(&other.sizes).map(|(a, b)| both(*a, *b)).collect();
        Shape { sizes, integer: both(self.integer, other.integer) }
    }
}

impl<'p> Lowering<'p> {
    /// The sizes of the rows of a map, if they are all known.
    pub(super) fn row_sizes(&mut self, map: &'p Map) -> Option<Vec<Vec<Operand>>> {
        self.sketched(map).into_iter().map(|row| row.into_iter().collect()).collect()
    }

    /// The sizes of the rows of a map. Those that are not known before are those of the first row, which is computed for
    /// them; where there is none, the run ends here, and the interpreter says what the sizes are.
    pub(super) fn found_row_sizes(&mut self, map: &'p Map, length: Operand) -> Step<Vec<Vec<Operand>>> {
        let sketched = self.sketched(map);
        if sketched.iter().flatten().all(Option::is_some) {
            return Ok(sketched.into_iter().map(|row| row.into_iter().flatten().collect()).collect());
        }
        let unknown = Unsupported("rows whose sizes are known only inside of a map");
        let needed = without_accumulators(map).filter(|_| self.lane.is_none() && self.firsts < MOST_FIRSTS);
        let needed = needed.ok_or(unknown)?;
        let some = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(1), length]);
        self.check(some, Broken::Able("rows whose sizes only their elements say, of none"), &[]);
        let before = self.enter_region();
        // What is computed for this may be changed for it, and is not used again.
        let computed = self.computed.last().cloned();
        self.firsts += 1;
        let first = self.bind_elements(map, Operand::int(0), |k| needed.params[k]).and_then(|()| {
            let Body { stms, results } = &map.function.body;
            for (k, stm) in stms.iter().enumerate().filter(|(k, _)| needed.stms[*k]) {
                self.statement(stm, &stms[k + 1..], results)?;
            }
            Ok(results[..sketched.len()].iter().map(|row| self.atom(*row).sizes().to_vec()).collect::<Vec<_>>())
        });
        self.firsts -= 1;
        self.region = before;
        if let (Some(last), Some(computed)) = (self.computed.last_mut(), computed) {
            *last = computed;
        }
        let either = |(known, found): (Vec<Option<Operand>>, Vec<Operand>)| {
            known.into_iter().zip(found).map(|(known, found)| known.unwrap_or(found)).collect()
        };
        Ok(sketched.into_iter().zip(first?).map(either).collect())
    }

    fn sketched(&mut self, map: &'p Map) -> Vec<Vec<Option<Operand>>> {
        let values = map.function.body.results.len() - map.accumulators.len();
        let mut sketch = Sketch { lowering: self, shapes: FxHashMap::default() };
        let mut arguments: Vec<Shape> = map.arrays.iter().map(|a| sketch.get(*a).element()).collect();
        arguments.extend(map.accumulators.iter().map(|a| sketch.get(*a)));
        let mut rows = sketch.apply(&map.function, arguments);
        rows.truncate(values);
        rows.into_iter().map(|row| row.sizes).collect()
    }
}

/// The shapes of the variables inside the function; those around it are bound.
struct Sketch<'l, 'p> {
    lowering: &'l mut Lowering<'p>,
    shapes: FxHashMap<Var, Shape>,
}

impl Sketch<'_, '_> {
    fn get(&self, atom: Atom) -> Shape {
        if let Atom::Var(var) = atom
            && let Some(shape) = self.shapes.get(&var)
        {
            return shape.clone();
        }
        match self.lowering.atom(atom) {
            Bound::Scalar(operand) => Shape::scalar((self.lowering.emit.prim(operand) == Prim::I64).then_some(operand)),
            Bound::Array(array) => Shape::array(array.sizes.iter().copied().map(Some)),
        }
    }

    fn all(&self, atoms: &[Atom]) -> Vec<Shape> {
        atoms.iter().map(|a| self.get(*a)).collect()
    }

    fn apply(&mut self, lambda: &Lambda, arguments: Vec<Shape>) -> Vec<Shape> {
        self.shapes.extend(lambda.params.iter().copied().zip(arguments));
        self.body(&lambda.body)
    }

    fn body(&mut self, body: &Body) -> Vec<Shape> {
        for stm in &body.stms {
            let results = self.op(&stm.op);
            self.shapes.extend(stm.vars.iter().copied().zip(results));
        }
        self.all(&body.results)
    }

    fn op(&mut self, op: &Op) -> Vec<Shape> {
        let one = match op {
            Op::If(_, yes, no) => {
                let (yes, no) = (self.body(yes), self.body(no));
                return yes.iter().zip(&no).map(|(a, b)| a.or(b)).collect();
            }
            Op::Loop(it) => return self.repeat(it),
            Op::Map(map) => {
                let arrays = self.all(&map.arrays);
                let mut arguments: Vec<Shape> = arrays.iter().map(Shape::element).collect();
                arguments.extend(self.all(&map.accumulators));
                let mut results = self.apply(&map.function, arguments);
                let accumulators = results.split_off(results.len() - map.accumulators.len());
                return results.into_iter().map(|r| r.arrayed(arrays[0].sizes[0])).chain(accumulators).collect();
            }
            // An operator gives what it takes.
            Op::Reduce(it) => return self.all(&it.neutral),
            Op::Scan(it) => return self.all(&it.arrays),
            Op::Hist(it) => return self.all(&it.destinations),
            Op::Custom(it) => {
                let arguments = self.all(&it.arguments);
                return self.apply(&it.function, arguments);
            }
            Op::Scalar(op, atoms) => Shape::scalar(self.scalar(*op, atoms)),
            Op::Agree(_) => return Vec::new(),
            Op::Copy(a) | Op::ToAccumulator(a) | Op::FromAccumulator(a) | Op::Reverse(a) => self.get(*a),
            Op::Update(a, ..) | Op::Accumulate(a, ..) => self.get(*a),
            Op::Scatter(it) => self.get(it.destination),
            Op::Iota(n) => Shape::array([self.get(*n).integer]),
            Op::Replicate(n, a) => self.get(*a).arrayed(self.get(*n).integer),
            Op::Elements(atoms) => {
                let count = i64::try_from(atoms.len()).expect("a program is shorter than 2^63");
                self.get(atoms[0]).arrayed(Some(Operand::int(count)))
            }
            Op::Size(a, dimension) => Shape::scalar(self.get(*a).sizes[*dimension]),
            Op::Index(a, indices) => Shape::array(self.get(*a).sizes.into_iter().skip(indices.len())),
            Op::Slice(a, ranges) => {
                let counts: Vec<_> = ranges.iter().map(|r| self.get(r.count).integer).collect();
                let rest = self.get(*a).sizes.into_iter().skip(counts.len()).collect::<Vec<_>>();
                Shape::array(counts.into_iter().chain(rest))
            }
            Op::Permute(a, order) => {
                let sizes = self.get(*a).sizes;
                Shape::array(order.iter().map(|d| sizes[*d]))
            }
            Op::Reshape(_, sizes) => {
                let sizes: Vec<_> = self.all(sizes).into_iter().map(|shape| shape.integer).collect();
                Shape::array(sizes)
            }
            Op::Concat(atoms) => {
                let all = self.all(atoms);
                let lengths: Option<Vec<Operand>> = all.iter().map(|shape| shape.sizes[0]).collect();
                let length = lengths
                    .map(|lengths| lengths[1..].iter().fold(lengths[0], |sum, n| self.lowering.emit.add(sum, *n)));
                all[0].element().arrayed(length)
            }
        };
        vec![one]
    }

    /// An integer from integers, if it has a value for sure.
    fn scalar(&mut self, op: ScalarOp, atoms: &[Atom]) -> Option<Operand> {
        let operands: Vec<Operand> = atoms.iter().map(|a| self.get(*a).integer).collect::<Option<_>>()?;
        if self.lowering.stepwise && may_fail(op, &operands) {
            // It is not the statement's turn.
            return None;
        }
        match op {
            ScalarOp::Add | ScalarOp::Mul | ScalarOp::Integer(_) | ScalarOp::Convert(Prim::I64) => {
                Some(self.lowering.operation(op, &operands))
            }
            ScalarOp::Scale | ScalarOp::Row(_) | ScalarOp::Equal | ScalarOp::Less => None,
            ScalarOp::LessOrEqual | ScalarOp::Not | ScalarOp::Convert(_) => None,
            ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => None,
        }
    }

    /// The shapes of loop variables that hold before and after every iteration.
    fn repeat(&mut self, it: &Loop) -> Vec<Shape> {
        let mut state: Vec<Shape> = it.params.iter().map(|(_, initial)| self.get(*initial)).collect();
        loop {
            self.shapes.extend(it.params.iter().map(|(param, _)| *param).zip(state.iter().cloned()));
            if let Form::For(i, _) = &it.form {
                self.shapes.insert(*i, Shape::scalar(None));
            }
            let after = self.body(&it.body);
            let both: Vec<Shape> = state.iter().zip(&after).map(|(a, b)| a.or(b)).collect();
            // Less is known each time, so this ends.
            if both == state {
                return state;
            }
            state = both;
        }
    }
}

/// Whether an operation on integers may have no value.
fn may_fail(op: ScalarOp, operands: &[Operand]) -> bool {
    match op {
        ScalarOp::Integer(IntegerRow::Div | IntegerRow::Mod | IntegerRow::Quot | IntegerRow::Rem) => {
            operands[1].as_int().is_none_or(|n| n == 0)
        }
        ScalarOp::Integer(IntegerRow::Pow) => operands[1].as_int().is_none_or(|n| n < 0),
        _ => false,
    }
}

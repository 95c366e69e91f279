//! Elaboration as a meaning: what it writes for each operation of the evaluator.
//!
//! Law: each method writes what [`Meaning`] says of it, and returns operands for its results
//! (tests/language/elaborate.rs).

use super::control::kept;
use super::derivatives::Mode;
use super::operand::{Of, Operand, known_truth};
use super::site::Site;
use crate::array::{Atom, Op, ScalarOp, index};
use crate::futhark::core::{Constant, Prim};
use crate::futhark::meaning::{Call, Code, Kept, Leaf, Meaning, Outcome, Policy, RangeKind, Section};
use crate::futhark::source::{Message, Span};

/// How many applications of functions a program may hold: without recursion, only definitions that double each other reach it.
const MOST_STEPS: u64 = 1_000_000;

/// The invariant of methods that may not fail: the evaluator calls them on arrays alone.
const ARRAYS: &str = "sizes are asked of arrays, in dimensions that they have";

impl Meaning for Site {
    type Data = Operand;

    const CONCRETE: bool = false;

    fn constant(&self, constant: Constant, kind: Prim) -> Operand {
        Operand::scalar(constant.of(kind).into(), kind)
    }

    fn scalar(&self, at: Span, op: ScalarOp, _: Prim, operands: &[Operand]) -> Outcome<Operand> {
        self.operate(at, op, operands)
    }

    fn convert(&self, at: Span, _: Prim, to: Prim, operand: Operand) -> Outcome<Operand> {
        Ok(Operand::scalar(self.cast(at, operand.atom, to)?, to))
    }

    fn equal(&self, at: Span, first: &Operand, second: &Operand) -> Outcome<Operand> {
        Ok(Operand::scalar(self.equal_to(at, first, second)?, Prim::Bool))
    }

    fn decide(&self, condition: &Operand) -> Option<bool> {
        known_truth(condition.atom)
    }

    fn written(&self, real: &Operand) -> Option<f64> {
        if let Atom::Const(constant) = real.atom { constant.real() } else { None }
    }

    fn branch(
        &self,
        at: Span,
        condition: &Operand,
        arm: &mut dyn FnMut(bool) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Vec<Operand>> {
        self.branched(at, condition, arm)
    }

    fn repeat(
        &self,
        at: Span,
        kind: Prim,
        bound: &Operand,
        initial: Vec<Operand>,
        policy: &Policy<Operand>,
        body: &mut dyn FnMut(Operand, Vec<Operand>) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Vec<Operand>> {
        let bound = self.cast(at, bound.atom, Prim::I64)?;
        self.counted_loop(at, kind, bound, initial, kept(policy), body)
    }

    fn repeat_while(
        &self,
        at: Span,
        initial: Vec<Operand>,
        policy: &Policy<Operand>,
        condition: &mut Code<'_, Operand>,
        body: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.asking_loop(at, initial, policy, condition, body)
    }

    fn require(&self, at: Span, condition: &Operand, text: &str) -> Outcome<()> {
        self.check(at, condition.atom, "assert", text.into())
    }

    fn same_size(&self, at: Span, wanted: &Operand, found: &Operand, what: &str) -> Outcome<()> {
        self.same(at, wanted.atom, found.atom, what)
    }

    fn size(&self, array: &Operand, dimension: usize) -> Operand {
        let size = self.size_of(Span::default(), array, dimension);
        Operand::scalar(size.expect(ARRAYS), Prim::I64)
    }

    fn array(&self, at: Span, elements: Vec<Operand>, element: &Leaf<Operand>) -> Outcome<Operand> {
        let count = index(elements.len() as i64);
        let Some(first) = elements.first() else {
            let sizes = element.shape.iter().map(|size| size.as_ref().map_or(index(0), |size| size.atom));
            let sizes: Vec<_> = core::iter::once(count).chain(sizes).collect();
            let atom = self.zeros(at, element.kind, &sizes)?;
            return Ok(Operand { atom, of: Of::array(element.kind, sizes.into_iter().map(Some).collect()) });
        };
        let of = first.of.arrayed(Some(count));
        let atom = self.one(at, Op::Elements(elements.iter().map(|element| element.atom).collect()))?;
        Ok(Operand { atom, of })
    }

    fn range(
        &self,
        at: Span,
        kind: Prim,
        start: &Operand,
        second: Option<&Operand>,
        end: &Operand,
        how: RangeKind,
    ) -> Outcome<Operand> {
        self.range_of(at, kind, start, second, end, how)
    }

    fn section(&self, at: Span, array: Operand, sections: &[Section<Operand>]) -> Outcome<Operand> {
        self.section_of(at, array, sections)
    }

    fn update(&self, at: Span, array: Operand, sections: &[Section<Operand>], value: Operand) -> Outcome<Operand> {
        self.updated(at, array, sections, &value)
    }

    fn iota(&self, at: Span, count: &Operand) -> Outcome<Operand> {
        let atom = self.one(at, Op::Iota(count.atom))?;
        Ok(Operand { atom, of: Of::array(Prim::I64, vec![Some(count.atom)]) })
    }

    fn replicate(&self, at: Span, count: &Operand, value: Operand) -> Outcome<Operand> {
        self.replicated(at, count.atom, &value)
    }

    fn concat(&self, at: Span, first: Operand, second: Operand) -> Outcome<Operand> {
        self.concatenated(at, &first, &second)
    }

    fn reverse(&self, at: Span, array: Operand) -> Outcome<Operand> {
        Ok(Operand { atom: self.one(at, Op::Reverse(array.atom))?, of: array.of })
    }

    fn rotate(&self, at: Span, by: &Operand, array: Operand) -> Outcome<Operand> {
        self.rotated(at, by.atom, &array)
    }

    fn transpose(&self, at: Span, array: Operand) -> Outcome<Operand> {
        self.transposed(at, array)
    }

    fn reshape(&self, at: Span, array: Operand, leading: usize, sizes: &[Operand]) -> Outcome<Operand> {
        self.reshaped(at, &array, leading, sizes)
    }

    fn filter(&self, at: Span, flags: &Operand, arrays: Vec<Operand>) -> Outcome<Vec<Operand>> {
        self.filter_of(at, flags, &arrays)
    }

    fn map(
        &self,
        at: Span,
        arrays: Vec<Operand>,
        results: &[Leaf<Operand>],
        function: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.map_of(at, &arrays, results, function)
    }

    fn reduce(
        &self,
        at: Span,
        operator: &mut Code<'_, Operand>,
        commutative: bool,
        neutral: Vec<Operand>,
        arrays: Vec<Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.reduce_of(at, operator, commutative, &neutral, &arrays, false)
    }

    fn scan(
        &self,
        at: Span,
        operator: &mut Code<'_, Operand>,
        neutral: Vec<Operand>,
        arrays: Vec<Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.reduce_of(at, operator, false, &neutral, &arrays, true)
    }

    fn reduce_by_index(
        &self,
        at: Span,
        bins: Vec<Operand>,
        operator: &mut Code<'_, Operand>,
        neutral: Vec<Operand>,
        indices: &Operand,
        values: Vec<Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.hist_of(at, &bins, operator, &neutral, indices, &values)
    }

    fn scatter(
        &self,
        at: Span,
        destinations: Vec<Operand>,
        indices: &Operand,
        values: Vec<Operand>,
    ) -> Outcome<Vec<Operand>> {
        let pairs = destinations.iter().zip(values);
        pairs.map(|(to, values)| self.scatter_of(at, to, indices.atom, values.atom)).collect()
    }

    fn stream(
        &self,
        at: Span,
        destinations: Vec<Operand>,
        operator: Option<(Kept, Vec<Operand>)>,
        arrays: Vec<Operand>,
        function: &mut Code<'_, Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.stream_of(at, &destinations, operator, &arrays, function, call)
    }

    fn write(
        &self,
        at: Span,
        accumulators: Vec<Operand>,
        index: &Operand,
        values: Vec<Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.written(at, accumulators, index.atom, values, call)
    }

    fn jvp(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        arguments: Vec<Operand>,
        tangents: Vec<Operand>,
    ) -> Outcome<(Vec<Operand>, Vec<Operand>)> {
        self.differentiated(at, Mode::Forward, false, function, &arguments, &tangents)
    }

    fn vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        arguments: Vec<Operand>,
        adjoints: Vec<Operand>,
        _: &Call<'_, Operand>,
    ) -> Outcome<(Vec<Operand>, Vec<Operand>)> {
        self.differentiated(at, Mode::Reverse, false, function, &arguments, &adjoints)
    }

    fn jmp(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        arguments: Vec<Operand>,
        tangents: Vec<Operand>,
    ) -> Outcome<(Vec<Operand>, Vec<Operand>)> {
        self.differentiated(at, Mode::Forward, true, function, &arguments, &tangents)
    }

    fn mjp(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        arguments: Vec<Operand>,
        adjoints: Vec<Operand>,
        _: &Call<'_, Operand>,
    ) -> Outcome<(Vec<Operand>, Vec<Operand>)> {
        self.differentiated(at, Mode::Reverse, true, function, &arguments, &adjoints)
    }

    fn with_vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Operand>,
        results: usize,
        adjoint: Kept,
        arguments: Vec<Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.with_own_derivative(at, function, results, adjoint, &arguments, call)
    }

    fn everywhere<T>(&self, constant: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        self.outermost(constant)
    }

    fn step(&self, at: Span) -> Outcome<()> {
        let steps = &mut self.inside.borrow_mut().steps;
        *steps += 1;
        if *steps <= MOST_STEPS {
            return Ok(());
        }
        let text = format!("the program would hold more than {MOST_STEPS} applications of functions");
        Err(Message::error("limit", at, text).hint("each call of a function is a copy of it in the compiled program"))
    }
}

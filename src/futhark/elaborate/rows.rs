//! Rows of different sizes, one after the other.
//!
//! Law: an element is written once, at the offset of its row, to an accumulator that is neutral there; so its derivative is
//! read from that place, in whatever order, and nothing is kept for it (tests/language/elaborate.rs).

use super::operand::{Of, Operand, Writes, atoms, operands};
use super::site::Site;
use crate::array::{Atom, Const, Lambda, Map, Op, Prim, Var};
use crate::futhark::meaning::{Code, Leaf, Outcome};
use crate::futhark::source::Span;

impl Site {
    /// The rows that a function makes of the elements of the arrays: `count` elements in all, each row from its offset on.
    pub(super) fn joined(
        &self,
        at: Span,
        [count, offsets]: [Atom; 2],
        arrays: &[Operand],
        elements: &[Leaf<Operand>],
        function: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let params: Vec<Of> = arrays.iter().map(|array| array.of.inner(1)).collect();
        let mut accumulators = Vec::with_capacity(elements.len());
        for (leaf, sizes) in elements.iter().zip(self.sizes_of_elements(at, arrays, elements, function)?) {
            let sizes: Vec<Atom> = core::iter::once(count).chain(sizes).collect();
            // The sum of −0 and a real is that real, and that of 0 and −0 is not.
            let neutral = if leaf.kind.is_real() { Const::rounded(-0.0, leaf.kind) } else { leaf.kind.zero() };
            let fill = |value, size: &Atom| self.one(at, Op::Replicate(*size, value));
            let array = sizes.iter().rev().try_fold(Atom::Const(neutral), fill)?;
            let of = Of { writes: Some(Writes::Adding), ..Of::array(leaf.kind, sizes.into_iter().map(Some).collect()) };
            accumulators.push(Operand { atom: self.one(at, Op::ToAccumulator(array))?, of });
        }

        self.open();
        let (start, offset) = self.fresh(Of::scalar(Prim::I64));
        let (vars, given): (Vec<Var>, Vec<Operand>) = params.into_iter().map(|of| self.fresh(of)).unzip();
        let (through, inner) = self.passed(&accumulators);
        let rows = function(given)?;
        // The checks have been made where the sizes were found.
        self.check_of_scope(at)?;
        let results = self.placed(at, offset.atom, &rows, &inner)?;
        let (body, _) = self.close(at, results)?;
        let params = core::iter::once(start).chain(vars).chain(through).collect();
        let arrays = core::iter::once(offsets).chain(atoms(arrays)).collect();
        let map = Map { function: Lambda { params, body }, arrays, accumulators: atoms(&accumulators) };
        let written = self.emit(at, Op::Map(Box::new(map)))?;

        let arrays = written.into_iter().map(|to| self.one(at, Op::FromAccumulator(to))).collect::<Outcome<_>>()?;
        Ok(operands(arrays, accumulators.into_iter().map(|it| Of { writes: None, ..it.of })))
    }

    /// The elements of rows, added to accumulators from a place on.
    fn placed(&self, at: Span, start: Atom, rows: &[Operand], accumulators: &[Operand]) -> Outcome<Vec<Atom>> {
        let count = self.size_of(at, &rows[0], 0)?;
        let indices = self.one(at, Op::Iota(count))?;
        self.open();
        let (var, index) = self.fresh(Of::scalar(Prim::I64));
        let (vars, elements): (Vec<Var>, Vec<Operand>) = rows.iter().map(|row| self.fresh(row.of.inner(1))).unzip();
        let (through, inner) = self.passed(accumulators);
        let place = self.add(at, start, index.atom)?;
        let add =
            |(to, element): (&Operand, &Operand)| self.one(at, Op::Accumulate(to.atom, vec![place], element.atom));
        let results = inner.iter().zip(&elements).map(add).collect::<Outcome<_>>()?;
        let (body, _) = self.close(at, results)?;
        let params = core::iter::once(var).chain(vars).chain(through).collect();
        let arrays = core::iter::once(indices).chain(atoms(rows)).collect();
        let map = Map { function: Lambda { params, body }, arrays, accumulators: atoms(accumulators) };
        self.emit(at, Op::Map(Box::new(map)))
    }

    /// Accumulators as the parameters of a body.
    fn passed(&self, accumulators: &[Operand]) -> (Vec<Var>, Vec<Operand>) {
        accumulators.iter().map(|it| self.fresh(it.of.clone())).unzip()
    }

    /// The sizes of the elements of rows: as the program says, or else those of the largest there are.
    fn sizes_of_elements(
        &self,
        at: Span,
        arrays: &[Operand],
        elements: &[Leaf<Operand>],
        function: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Vec<Atom>>> {
        let known = |leaf: &Leaf<Operand>| leaf.shape.iter().map(|size| Some(size.as_ref()?.atom)).collect();
        if let Some(known) = elements.iter().map(known).collect::<Option<_>>() {
            return Ok(known);
        }
        let params = arrays.iter().map(|array| array.of.inner(1)).collect();
        let traced = self.traced(at, params, &mut |given| {
            let mut sizes = Vec::new();
            for row in function(given)? {
                for dimension in 1..row.of.shape.len() {
                    sizes.push(Operand::scalar(self.size_of(at, &row, dimension)?, Prim::I64));
                }
            }
            self.check_of_scope(at)?;
            Ok(sizes)
        })?;
        let mut found = self.mapped(at, traced, atoms(arrays))?.into_iter();
        let one = |leaf: &Leaf<Operand>| {
            found.by_ref().take(leaf.shape.len()).map(|sizes| self.largest(at, sizes)).collect::<Outcome<_>>()
        };
        elements.iter().map(one).collect()
    }
}

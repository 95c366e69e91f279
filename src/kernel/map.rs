//! Maps.
//!
//! Law: a map that waits is computed where its elements are wanted, and nowhere else; any other leaves its rows in
//! memory, in which they are of the sizes that are known before, or of those of the first (tests/execute/lanes.rs,
//! tests/execute/parts.rs).

use rustc_hash::FxHashMap;

use super::code::{Buffer, Operand};
use super::segments::Segment;
use super::view::{Array, Bound, Form, View, lengthened};
use super::{Lowering, Step, Unsupported};
use crate::array::{Agreement, Atom, Body, IntegerRow, Map, Op, Prim, ScalarOp, Stm, Var};

/// The results of a map that passes elements on: arrays that are there.
fn passed_on<'p>(map: &Map, arrays: &[Array<'p>], length: Operand) -> Option<Vec<Bound<'p>>> {
    let Body { stms, results } = &map.function.body;
    let passed = |result: &Atom| {
        let array = &arrays[map.function.params.iter().position(|param| *result == Atom::Var(*param))?];
        let is_there = matches!(array.form, Form::Memory(_) | Form::Iota(..) | Form::Replicate(_));
        let sizes = lengthened(length, &array.sizes[1..]);
        is_there.then(|| Bound::Array(Array { sizes, ..array.clone() }))
    };
    let passes = stms.is_empty() && map.accumulators.is_empty();
    passes.then(|| results.iter().map(passed).collect()).flatten()
}

/// Whether an operation makes numbers in steps of such, if one of two factors is the same for all.
fn is_steady(op: &Op) -> bool {
    matches!(op, Op::Scalar(ScalarOp::Add | ScalarOp::Mul | ScalarOp::Integer(IntegerRow::Sub), _))
}

impl<'p> Lowering<'p> {
    pub(super) fn map(&mut self, stm: &'p Stm, map: &'p Map) -> Step<Vec<Bound<'p>>> {
        let arrays = self.env.arrays(&map.arrays);
        let length = self.emit.common_length(Agreement::Mapped, &arrays);
        let values = stm.vars.len() - map.accumulators.len();
        if let Some(found) = passed_on(map, &arrays, length) {
            return Ok(found);
        }
        if let Some(found) = self.in_steps(map, length) {
            return Ok(found);
        }
        let segments = self.segments(map)?;
        if segments.is_empty()
            && self.pending.contains(map)
            && let Some(found) = self.wait(stm, map, length)
        {
            return Ok(found);
        }
        if let Some(found) = self.same_rows(stm, map, length)? {
            return Ok(found);
        }
        let buffers: Vec<Buffer> =
            stm.vars[..values].iter().map(|v| self.emit.new_buffer(self.emit.program.type_of(*v).prim)).collect();
        let accumulators = self.env.arrays(&map.accumulators);
        self.map_into(map, length, segments, &buffers, &accumulators)
    }

    /// The results of a map that makes numbers in steps of such, which are in no memory.
    fn in_steps(&mut self, map: &'p Map, length: Operand) -> Option<Vec<Bound<'p>>> {
        let Body { stms, results } = &map.function.body;
        let is_number = |var: &Var| self.emit.program.type_of(*var).prim == Prim::I64;
        let may = |stm: &Stm| is_steady(&stm.op) && stm.vars.iter().all(is_number);
        let arrays = self.env.arrays(&map.arrays);
        let in_steps = |array: &Array<'p>| matches!(array.form, Form::Iota(..));
        if !stms.iter().all(may) || !map.accumulators.is_empty() || !arrays.iter().all(in_steps) {
            return None;
        }
        let mut known: FxHashMap<Var, [Operand; 2]> = FxHashMap::default();
        for (param, array) in map.function.params.iter().zip(&arrays) {
            if let Form::Iota(first, step) = array.form {
                known.insert(*param, [first, step]);
            }
        }
        let none = Operand::int(0);
        let found = self.attempt(|this| {
            for stm in stms {
                let Op::Scalar(op, x) = &stm.op else { unreachable!("it is steady") };
                let side = |atom: Atom| {
                    let in_steps = atom.var().and_then(|var| known.get(&var).copied());
                    in_steps.unwrap_or_else(|| [this.env.scalar(atom), none])
                };
                let (a, b) = (side(x[0]), side(x[1]));
                let emit = &mut this.emit;
                let sum = match op {
                    ScalarOp::Mul if b[1] == none => a.map(|a| emit.mul(a, b[0])),
                    ScalarOp::Mul if a[1] == none => b.map(|b| emit.mul(a[0], b)),
                    ScalarOp::Mul => return Err(Unsupported("a square of numbers in steps")),
                    op => [0, 1].map(|k| emit.scalar(*op, &[a[k], b[k]])),
                };
                known.insert(stm.vars[0], sum);
            }
            Ok(())
        });
        found.ok()?;
        let array = |result: &Atom| {
            let [first, step] = *known.get(&result.var()?)?;
            Some(Bound::Array(Array { prim: Prim::I64, sizes: vec![length], form: Form::Iota(first, step) }))
        };
        results.iter().map(array).collect()
    }

    /// The results of a map whose function has the same results for all elements, which are in no memory.
    fn same_rows(&mut self, stm: &'p Stm, map: &'p Map, length: Operand) -> Step<Option<Vec<Bound<'p>>>> {
        let Body { stms, results } = &map.function.body;
        let is_lazy = |op: &Op| matches!(op, Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..));
        let of_element = |atom: Atom| map.function.params.iter().any(|param| atom == Atom::Var(*param));
        let mut differ = results.iter().any(|atom| of_element(*atom));
        stms.iter().for_each(|stm| stm.op.atoms(|atom| differ |= of_element(atom)));
        if differ || !stms.iter().all(|stm| is_lazy(&stm.op)) || !map.accumulators.is_empty() {
            return Ok(None);
        }
        // Where there are no rows nothing is wrong with them.
        let outside = self.emit.at.mask;
        if self.emit.stepwise {
            let some = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(1), length]);
            self.emit.only_where(some);
        }
        let rows = self.body(&map.function.body)?;
        self.emit.at.mask = outside;
        let array = |(var, row): (&Var, Bound<'p>)| {
            let sizes = lengthened(length, row.sizes());
            let prim = self.emit.program.type_of(*var).prim;
            Bound::Array(Array { prim, sizes, form: Form::Replicate(Box::new(row)) })
        };
        Ok(Some(stm.vars.iter().zip(rows).map(array).collect()))
    }

    /// The results of a map that waits, if the sizes of its rows can be known before.
    fn wait(&mut self, stm: &'p Stm, map: &'p Map, length: Operand) -> Option<Vec<Bound<'p>>> {
        let rows = if stm.vars.iter().any(|v| self.emit.program.type_of(*v).rank > 1) {
            self.row_sizes(map)?
        } else {
            vec![Vec::new(); stm.vars.len()]
        };
        let array = |(k, row): (usize, Vec<Operand>)| {
            let prim = self.emit.program.type_of(stm.vars[k]).prim;
            let sizes = lengthened(length, &row);
            Bound::Array(Array { prim, sizes, form: Form::Pending(map, k) })
        };
        Some(rows.into_iter().enumerate().map(array).collect())
    }

    /// Stores the results of a map's function where the rows at an index are.
    pub(super) fn store_rows(
        &mut self,
        rows: Vec<Bound<'p>>,
        index: Operand,
        written: &[(View, Vec<Operand>)],
    ) -> Step<()> {
        let mut stores = Vec::new();
        for (row, (view, sizes)) in rows.into_iter().zip(written) {
            self.emit.all_same(Agreement::Rows, &sizes[1..], row.sizes());
            stores.push((row, view.part(&mut self.emit, &[index])));
        }
        self.store_all(stores)
    }

    /// Where the rows of a map go: the views are known when the first row is.
    fn map_into(
        &mut self,
        map: &'p Map,
        length: Operand,
        segments: Vec<Segment<'p>>,
        buffers: &[Buffer],
        accumulators: &[Array<'p>],
    ) -> Step<Vec<Bound<'p>>> {
        let rows = self.found_row_sizes(map, length)?;
        let mut results = Vec::new();
        let mut written = Vec::new();
        for (buffer, row) in buffers.iter().zip(rows) {
            let sizes = lengthened(length, &row);
            let view = self.emit.allocate(*buffer, &sizes)?;
            let prim = self.emit.buffers[*buffer].prim;
            written.push((view.clone(), sizes.clone()));
            results.push(Bound::Array(Array { prim, sizes, form: Form::Memory(view) }));
        }
        let params = &map.function.params[map.arrays.len()..];
        let nested = map.function.body.stms.iter().any(|stm| stm.op.is_parallel());
        let row = |this: &mut Self, index: Operand, written: &[(View, Vec<Operand>)]| {
            for (param, accumulator) in params.iter().zip(accumulators) {
                this.env.bind(*param, Bound::Array(accumulator.clone()));
            }
            let rows = this.call(map, index)?;
            this.store_rows(rows, index, written)
        };
        let nest = if segments.is_empty() { self.nest(map, length) } else { None };
        let as_one = match nest {
            Some(nest) => self.for_each_of_nest(nest, accumulators, &written)?,
            None => false,
        };
        if segments.is_empty() && !as_one {
            self.for_each(length, nested, &written, &mut |this, index| row(this, index, &written))?;
        }
        self.each_segment(segments, &written, |this, count, part| {
            if count != Operand::int(1) {
                return this.for_each(count, nested, part, &mut |this, index| row(this, index, part));
            }
            // What is known of this element is not of the first one of another segment.
            let (alone, ()) = this.block(false, |this| row(this, Operand::int(0), part))?;
            alone.into_iter().for_each(|stm| this.emit.push(stm));
            Ok(())
        })?;
        buffers.iter().for_each(|buffer| self.emit.changed(*buffer));
        results.extend(accumulators.iter().map(|a| Bound::Array(a.clone())));
        for accumulator in accumulators {
            if let Form::Memory(view) = &accumulator.form {
                self.emit.changed(view.origin.buffer);
            }
        }
        Ok(results)
    }
}

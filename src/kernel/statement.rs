//! Statements of programs as code, but for control flow and reductions.
//!
//! Law: whatever a statement can get wrong is checked first; an array is changed in place only where nothing can see
//! what it was.

use rustc_hash::FxHashSet;

use super::code::{Broken, Buffer, Op as CodeOp, Operand};
use super::liveness::{from_start, mentioned};
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agree, Agreement, Atom, Body, Extent, IntegerRow, Op, Prim, Range, ScalarOp, Scatter, Stm, Var};

impl<'p> Lowering<'p> {
    pub(super) fn statement(&mut self, stm: &'p Stm, later: &'p [Stm], results: &'p [Atom]) -> Step<()> {
        let around = (self.at, self.span);
        (self.at, self.span) = (Some(stm), stm.span.or(self.span));
        // What cannot be lowered stays where it is known which statement it is.
        self.lowered(stm, later, results)?;
        (self.at, self.span) = around;
        Ok(())
    }

    fn lowered(&mut self, stm: &'p Stm, later: &'p [Stm], results: &'p [Atom]) -> Step<()> {
        let one = match &stm.op {
            Op::If(condition, yes, no) => {
                let found = self.branch(*condition, [yes, no], later, results)?;
                return self.bind_all(stm, found);
            }
            Op::Loop(it) => {
                let found = self.repeat(it, later, results)?;
                return self.bind_all(stm, found);
            }
            Op::Map(map) => {
                let found = self.map(stm, map)?;
                return self.bind_all(stm, found);
            }
            Op::Reduce(it) => {
                let found = self.reduce(it)?;
                return self.bind_all(stm, found);
            }
            Op::Scan(it) => {
                let found = self.scan(it)?;
                return self.bind_all(stm, found);
            }
            Op::Hist(it) => {
                let found = self.hist(it, &mentioned(later, results))?;
                return self.bind_all(stm, found);
            }
            Op::Custom(it) => {
                for (param, argument) in it.function.params.iter().zip(&it.arguments) {
                    self.bind(*param, self.atom(*argument));
                }
                let found = self.body(&it.function.body)?;
                return self.bind_all(stm, found);
            }
            Op::Agree(it) => {
                self.agree(it);
                return Ok(());
            }
            Op::Scatter(it) => self.scatter(it, &mentioned(later, results))?,

            Op::Scalar(op, atoms) => Bound::Scalar(self.operation(*op, &self.scalars(atoms))),
            Op::Copy(a) => self.atom(*a),
            Op::Iota(n) => {
                let size = self.size(*n);
                Bound::Array(Array { prim: Prim::I64, sizes: vec![size], form: Form::Iota })
            }
            Op::Replicate(n, a) => {
                let (size, value) = (self.size(*n), self.atom(*a));
                let prim = self.program.atom_type(*a).prim;
                let sizes = core::iter::once(size).chain(value.sizes().iter().copied()).collect();
                Bound::Array(Array { prim, sizes, form: Form::Replicate(Box::new(value)) })
            }
            Op::Elements(atoms) => self.elements(stm.vars[0], atoms)?,
            Op::Size(a, dimension) => Bound::Scalar(self.array(*a).sizes[*dimension]),
            Op::Index(a, indices) => {
                let part = self.index(*a, indices)?;
                self.gathered(stm.vars[0], part)?
            }
            Op::Slice(a, ranges) => self.slice(*a, ranges)?,
            Op::Update(a, indices, new) => match self.led(stm.vars[0], *a, indices, *new) {
                Some(led) => led,
                None => self.update(*a, indices, *new, later, results)?,
            },
            Op::Permute(a, order) => {
                let array = self.array(*a);
                let View { origin, strides } = self.in_memory(&array)?;
                let strides = order.iter().map(|d| strides[*d]).collect();
                let sizes = order.iter().map(|d| array.sizes[*d]).collect();
                Bound::Array(Array { sizes, form: Form::Memory(View { origin, strides }), ..array })
            }
            Op::Reshape(a, sizes) => {
                let array = self.array(*a);
                let sizes: Vec<Operand> = sizes.iter().map(|n| self.size(*n)).collect();
                let (before, after) = (self.count(&array.sizes), self.count(&sizes));
                self.same(Agreement::Reshaped, before, after);
                let (buffer, _) = self.whole(&array)?;
                let view = View::whole(&mut self.emit, buffer, &sizes);
                Bound::Array(Array { sizes, form: Form::Memory(view), ..array })
            }
            Op::Concat(atoms) => self.concat(stm.vars[0], atoms)?,
            Op::Reverse(a) => {
                let array = self.array(*a);
                let View { origin, mut strides } = self.in_memory(&array)?;
                let last = self.emit.add(array.sizes[0], Operand::int(-1));
                let origin = self.advance(origin, last, strides[0]);
                strides[0] = self.emit.mul(strides[0], Operand::int(-1));
                Bound::Array(Array { form: Form::Memory(View { origin, strides }), ..array })
            }

            Op::ToAccumulator(a) => {
                let (_, array) = self.own(*a, &mentioned(later, results))?;
                Bound::Array(array)
            }
            Op::Accumulate(a, indices, new) => {
                let array = self.array(*a);
                self.accumulate(&array, indices, *new)?;
                Bound::Array(array)
            }
            Op::FromAccumulator(a) => self.atom(*a),
        };
        self.bind_all(stm, vec![one])
    }

    fn bind_all(&mut self, stm: &'p Stm, found: Vec<Bound<'p>>) -> Step<()> {
        stm.vars.iter().zip(found).for_each(|(var, found)| self.bind(*var, found));
        Ok(())
    }

    /// A size, which is not negative.
    fn size(&mut self, atom: Atom) -> Operand {
        let size = self.scalar(atom);
        if size.as_int().is_none_or(|n| n < 0) {
            let condition = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(0), size]);
            self.check(condition, Broken::Size, &[size]);
        }
        size
    }

    /// Ends the run unless sizes agree, or are not compared.
    fn agree(&mut self, it: &Agree) {
        let of = |extents: &[Extent]| -> Vec<Operand> {
            let one = |extent: &Extent| match extent {
                Extent::Number(atom) => self.scalar(*atom),
                Extent::Of(array, dimension) => self.array(*array).sizes[*dimension],
            };
            extents.iter().map(one).collect()
        };
        let (first, second, times) = (of(&it.first), of(&it.second), of(&it.times));
        let (first, second) = (self.count(&first), self.count(&second));
        if first == second {
            return;
        }
        let mut fits = self.emit.scalar(ScalarOp::Equal, &[first, second]);
        for size in times {
            let none = self.emit.scalar(ScalarOp::LessOrEqual, &[size, Operand::int(0)]);
            fits = self.emit.scalar(ScalarOp::Add, &[fits, none]);
        }
        self.check(fits, Broken::Sizes(it.what.message()), &[first, second]);
    }

    /// A scalar operation, checked for having a value.
    pub(super) fn operation(&mut self, op: ScalarOp, operands: &[Operand]) -> Operand {
        if let ScalarOp::Integer(row) = op {
            match row {
                IntegerRow::Div | IntegerRow::Mod | IntegerRow::Quot | IntegerRow::Rem => {
                    let prim = self.emit.prim(operands[1]);
                    let zero = Operand::Const(prim.zero());
                    if operands[1].as_int().is_none_or(|n| n == 0) {
                        let is_zero = self.emit.scalar(ScalarOp::Equal, &[operands[1], zero]);
                        let condition = self.emit.scalar(ScalarOp::Not, &[is_zero]);
                        self.check(condition, Broken::Value(row), operands);
                    }
                }
                IntegerRow::Pow if !self.emit.prim(operands[1]).is_signed() => {}
                IntegerRow::Pow => {
                    let zero = Operand::Const(self.emit.prim(operands[1]).zero());
                    let condition = self.emit.scalar(ScalarOp::LessOrEqual, &[zero, operands[1]]);
                    self.check(condition, Broken::Value(row), operands);
                }
                IntegerRow::Neg | IntegerRow::Sub | IntegerRow::Min | IntegerRow::Max | IntegerRow::Abs => {}
                IntegerRow::Signum | IntegerRow::And | IntegerRow::Or | IntegerRow::Xor => {}
                IntegerRow::Complement | IntegerRow::Shl | IntegerRow::Shr | IntegerRow::Ones => {}
                IntegerRow::LeadingZeros | IntegerRow::TrailingZeros | IntegerRow::MulHigh => {}
            }
        }
        self.emit.scalar(op, operands)
    }

    fn index(&mut self, a: Atom, indices: &[Atom]) -> Step<Bound<'p>> {
        let mut part = self.atom(a);
        for index in self.scalars(indices) {
            let Bound::Array(array) = &part else { panic!("operands are of the types that the verifier has checked") };
            self.bounds(index, array.sizes[0]);
            part = self.element(&array.clone(), index)?;
        }
        Ok(part)
    }

    /// A part that loops use again and again, and that lies elsewhere for each lane, is put where it is near.
    fn gathered(&mut self, var: Var, part: Bound<'p>) -> Step<Bound<'p>> {
        let Bound::Array(array) = part else { return Ok(part) };
        let lies_elsewhere = matches!(&array.form, Form::Memory(view) if view.origin.varying.is_some());
        if !lies_elsewhere || !self.pending.is_used_again(var) {
            return Ok(Bound::Array(array));
        }
        let (_, view) = self.copied(&array)?;
        Ok(Bound::Array(Array { form: Form::Memory(view), ..array }))
    }

    /// The part of a view at an index of the leading dimensions.
    pub(super) fn part(&mut self, view: &View, indices: &[Operand]) -> View {
        let mut origin = view.origin;
        for (index, stride) in indices.iter().zip(&view.strides) {
            origin = self.advance(origin, *index, *stride);
        }
        View { origin, strides: view.strides[indices.len()..].to_vec() }
    }

    fn elements(&mut self, var: Var, atoms: &[Atom]) -> Step<Bound<'p>> {
        let prim = self.program.atom_type(atoms[0]).prim;
        let rows: Vec<Bound<'p>> = atoms.iter().map(|a| self.atom(*a)).collect();
        let first = rows[0].sizes().to_vec();
        for row in &rows[1..] {
            first.iter().zip(row.sizes()).for_each(|(a, b)| self.same(Agreement::Rows, *a, *b));
        }
        let count = Operand::int(i64::try_from(atoms.len()).expect("a program is shorter than 2^63"));
        let sizes: Vec<Operand> = core::iter::once(count).chain(first).collect();
        if self.pending.is_joined(var) {
            return Ok(Bound::Array(Array { prim, sizes, form: Form::Parts(rows) }));
        }
        let buffer = self.new_buffer(prim);
        let view = self.allocate(buffer, &sizes)?;
        for (k, row) in (0_i64..).zip(rows) {
            let part = self.part(&view, &[Operand::int(k)]);
            self.store_all(vec![(row, part)])?;
        }
        self.emit.changed(buffer);
        Ok(Bound::Array(Array { prim, sizes, form: Form::Memory(view) }))
    }

    fn slice(&mut self, a: Atom, ranges: &[Range]) -> Step<Bound<'p>> {
        let array = self.array(a);
        if let (Form::Pending(..), true) = (&array.form, from_start(ranges)) {
            let count = self.size(ranges[0].count);
            let fits = self.emit.scalar(ScalarOp::LessOrEqual, &[count, array.sizes[0]]);
            self.check(fits, Broken::Bounds, &[count, array.sizes[0]]);
            let sizes = core::iter::once(count).chain(array.sizes[1..].iter().copied()).collect();
            return Ok(Bound::Array(Array { sizes, ..array }));
        }
        let View { mut origin, mut strides } = self.in_memory(&array)?;
        let mut sizes = array.sizes.clone();
        for (d, range) in ranges.iter().enumerate() {
            let (start, count, step) = (self.scalar(range.start), self.size(range.count), self.scalar(range.step));
            // The first and the last index are in bounds, or there are none.
            let steps = self.emit.add(count, Operand::int(-1));
            let far = self.emit.mul(steps, step);
            let last = self.emit.add(start, far);
            let mut fits = self.emit.scalar(ScalarOp::Equal, &[count, Operand::int(0)]);
            if self.stepwise {
                let outside = self.mask;
                let some = self.emit.scalar(ScalarOp::Not, &[fits]);
                self.only_where(some);
                [start, last].into_iter().for_each(|end| self.bounds(end, sizes[d]));
                self.mask = outside;
            }
            let ends = [start, last].map(|end| {
                let from = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(0), end]);
                let to = self.emit.scalar(ScalarOp::Less, &[end, sizes[d]]);
                self.emit.scalar(ScalarOp::Mul, &[from, to])
            });
            let inside = self.emit.scalar(ScalarOp::Mul, &ends);
            fits = self.emit.scalar(ScalarOp::Add, &[fits, inside]);
            self.check(fits, Broken::Bounds, &[last, sizes[d]]);
            origin = self.advance(origin, start, strides[d]);
            strides[d] = self.emit.mul(strides[d], step);
            sizes[d] = count;
        }
        Ok(Bound::Array(Array { sizes, form: Form::Memory(View { origin, strides }), ..array }))
    }

    fn concat(&mut self, var: Var, atoms: &[Atom]) -> Step<Bound<'p>> {
        let arrays = self.arrays(atoms);
        let mut sizes = arrays[0].sizes.clone();
        for array in &arrays[1..] {
            let rows = sizes[1..].to_vec();
            rows.iter().zip(&array.sizes[1..]).for_each(|(a, b)| self.same(Agreement::Concatenated, *a, *b));
            sizes[0] = self.emit.add(sizes[0], array.sizes[0]);
        }
        let prim = arrays[0].prim;
        let parts = arrays.into_iter().map(Bound::Array).collect();
        let joined = Bound::Array(Array { prim, sizes, form: Form::Parts(parts) });
        if self.pending.is_joined(var) { Ok(joined) } else { self.settled(joined) }
    }

    /// The array in a buffer that may be changed: its own if nothing later sees it, else a copy.
    pub(super) fn own(&mut self, a: Atom, seen: &FxHashSet<Var>) -> Step<(View, Array<'p>)> {
        let array = self.array(a);
        let view = match &array.form {
            Form::Memory(view) if self.is_free(view, &array.sizes, a, seen) => view.clone(),
            _ => self.copied(&array)?.1,
        };
        Ok((view.clone(), Array { form: Form::Memory(view), ..array }))
    }

    /// Whether nothing later sees the buffer of an array, or changes it, here or when this is run again.
    pub(super) fn is_free(&mut self, view: &View, sizes: &[Operand], a: Atom, seen: &FxHashSet<Var>) -> bool {
        let buffer = view.origin.buffer;
        if self.owners[buffer.0 as usize] != self.region || !view.is_whole(&mut self.emit, sizes) {
            return false;
        }
        let sees = |atom: Atom| match atom {
            Atom::Var(var) => self.bound[var.0 as usize].as_ref().is_some_and(|bound| self.is_in(bound, buffer)),
            Atom::Const(_) => false,
        };
        !seen.iter().any(|var| Atom::Var(*var) == a || sees(Atom::Var(*var)))
    }

    /// Whether a value has elements in a buffer, or is computed from such.
    pub(super) fn is_in(&self, bound: &Bound<'p>, buffer: Buffer) -> bool {
        matches!(bound, Bound::Array(array) if self.holds(array, buffer))
    }

    fn holds(&self, array: &Array<'p>, buffer: Buffer) -> bool {
        let of_var = |var: &Var| self.bound[var.0 as usize].as_ref().is_some_and(|bound| self.is_in(bound, buffer));
        match &array.form {
            Form::Memory(view) => view.origin.buffer == buffer,
            Form::Iota => false,
            Form::Replicate(value) => self.is_in(value, buffer),
            Form::Parts(parts) => parts.iter().any(|part| self.is_in(part, buffer)),
            Form::Pending(map, _) => {
                let Body { stms, results } = &map.function.body;
                mentioned(stms, &[&map.arrays[..], results].concat()).iter().any(of_var)
            }
        }
    }

    /// As [`own`](Self::own), for what is changed by these: those must not be in its buffer.
    pub(super) fn own_beside(&mut self, a: Atom, operands: &[Array<'p>], seen: &FxHashSet<Var>) -> Step<View> {
        let array = self.array(a);
        let buffer = if let Form::Memory(view) = &array.form { Some(view.origin.buffer) } else { None };
        if buffer.is_some_and(|buffer| operands.iter().any(|operand| self.holds(operand, buffer))) {
            return Ok(self.copied(&array)?.1);
        }
        Ok(self.own(a, seen)?.0)
    }

    fn update(&mut self, a: Atom, indices: &[Atom], new: Atom, later: &[Stm], results: &[Atom]) -> Step<Bound<'p>> {
        let value = self.atom(new);
        let value = self.settled(value)?;
        let same_buffer = matches!((&value, self.atom(a)), (Bound::Array(value), Bound::Array(Array { form: Form::Memory(view), .. }))
            if self.is_in(&Bound::Array(value.clone()), view.origin.buffer));
        let value = match value {
            Bound::Array(array) if same_buffer => {
                let (_, view) = self.copied(&array)?;
                Bound::Array(Array { form: Form::Memory(view), ..array })
            }
            other => other,
        };
        let (view, array) = self.own(a, &mentioned(later, results))?;
        let indices = self.scalars(indices);
        let part = &array.sizes[indices.len()..];
        part.iter().zip(value.sizes()).for_each(|(a, b)| self.same(Agreement::Updated, *a, *b));
        for (index, size) in indices.iter().zip(&array.sizes) {
            self.bounds(*index, *size);
        }
        let part = self.part(&view, &indices);
        self.store_all(vec![(value, part)])?;
        self.emit.changed(view.origin.buffer);
        Ok(Bound::Array(array))
    }

    fn scatter(&mut self, it: &'p Scatter, seen: &FxHashSet<Var>) -> Step<Bound<'p>> {
        let destination = self.array(it.destination);
        let (indices, values) = (self.array(it.indices), self.array(it.values));
        self.same(Agreement::Indices, indices.sizes[0], values.sizes[0]);
        let rows = destination.sizes[1..].iter().zip(&values.sizes[1..]);
        rows.for_each(|(a, b)| self.same(Agreement::Scattered, *a, *b));
        let view = self.own_beside(it.destination, &[indices.clone(), values.clone()], seen)?;
        let buffer = view.origin.buffer;
        let nested = values.sizes.len() > 1;
        self.for_each(indices.sizes[0], nested, &[], &mut |this, k| {
            if this.lane == Some(k) && !this.scatters.contains(&buffer) {
                this.scatters.push(buffer);
            }
            let Bound::Scalar(at) = this.element(&indices, k)? else { panic!("indices are scalars") };
            let value = this.element(&values, k)?;
            let value = this.settled(value)?;
            let outside = this.mask;
            this.only_within(at, destination.sizes[0]);
            let part = this.part(&view, &[at]);
            let stored = this.store_all(vec![(value, part)]);
            this.mask = outside;
            stored
        })?;
        self.emit.changed(buffer);
        Ok(Bound::Array(Array { form: Form::Memory(view), ..destination }))
    }

    /// One of two scalars.
    pub(super) fn select(&mut self, condition: Operand, yes: Operand, no: Operand) -> Operand {
        self.emit.op(CodeOp::Select, vec![condition, yes, no])
    }
}

//! Statements of programs as code, but for control flow and reductions.
//!
//! Law: whatever a statement can get wrong is checked first; an array is changed in place only where nothing can see
//! what it was (laws: executors::suite).

use rustc_hash::FxHashSet;

use super::code::{Broken, Operand};
use super::emit::Emit;
use super::environment::Environment;
use super::liveness::{from_start, mentioned};
use super::loops::in_memory;
use super::operator::Operator;
use super::view::{Array, Bound, Form, View, lengthened};
use super::{Lowering, Step};
use crate::array::{Agree, Agreement, Atom, Extent, Op, Prim, Range, ScalarOp, Scatter, Stm, Var};

impl<'p> Lowering<'p> {
    pub(super) fn statement(&mut self, stm: &'p Stm, later: &'p [Stm], results: &'p [Atom]) -> Step<()> {
        let around = self.emit.enter_statement(stm);
        // What cannot be lowered stays where it is known which statement it is.
        self.lowered(stm, later, results)?;
        self.emit.leave_statement(around);
        Ok(())
    }

    fn lowered(&mut self, stm: &'p Stm, later: &'p [Stm], results: &'p [Atom]) -> Step<()> {
        let found = match &stm.op {
            Op::If(condition, yes, no) => self.branch(*condition, [yes, no], later, results)?,
            Op::Loop(it) => self.repeat(it, later, results)?,
            Op::Map(map) => self.map(stm, map)?,
            Op::Reduce(it) => self.reduce(it)?,
            Op::Scan(it) => self.scan(it)?,
            Op::Hist(it) => self.hist(it, &mentioned(later, results))?,
            Op::Custom(it) => {
                for (param, argument) in it.function.params.iter().zip(&it.arguments) {
                    self.env.bind(*param, self.env.atom(*argument));
                }
                self.body(&it.function.body)?
            }
            Op::Foreign(it) => self.foreign(it)?,
            Op::Agree(it) => {
                agree(&mut self.emit, &self.env, it);
                return Ok(());
            }
            op => vec![self.one(stm.vars[0], op, later, results)?],
        };
        self.env.bind_all(stm.vars.iter().copied(), &found);
        Ok(())
    }

    /// The result of an operation without bodies.
    fn one(&mut self, var: Var, op: &'p Op, later: &'p [Stm], results: &'p [Atom]) -> Step<Bound<'p>> {
        Ok(match op {
            Op::If(..) | Op::Loop(_) | Op::Map(_) | Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) | Op::Custom(_) => {
                unreachable!("the operation has no bodies")
            }
            Op::Agree(_) | Op::Foreign(_) => unreachable!("the operation has one result"),
            Op::Scatter(it) => self.scatter(it, &mentioned(later, results))?,
            Op::Scalar(op, atoms) => Bound::Scalar(self.emit.operation(*op, &self.env.scalars(atoms))),
            Op::Copy(a) => self.env.atom(*a),
            Op::Iota(n) => {
                let size = self.size(*n);
                Bound::Array(Array {
                    prim: Prim::I64,
                    sizes: vec![size],
                    form: Form::Iota(Operand::int(0), Operand::int(1)),
                })
            }
            Op::Replicate(n, a) => {
                let (size, value) = (self.size(*n), self.env.atom(*a));
                let prim = self.emit.program.atom_type(*a).prim;
                let sizes = lengthened(size, value.sizes());
                Bound::Array(Array { prim, sizes, form: Form::Replicate(Box::new(value)) })
            }
            Op::Elements(atoms) => self.elements(var, atoms)?,
            Op::Size(a, dimension) => Bound::Scalar(self.env.array(*a).sizes[*dimension]),
            Op::Index(a, indices) => {
                let part = self.index(*a, indices)?;
                self.gathered(var, part)?
            }
            Op::Slice(a, ranges) => self.slice(*a, ranges)?,
            Op::Update(a, indices, new) => match self.led(var, *a, indices, *new) {
                Some(led) => led,
                None => self.update(*a, indices, *new, later, results)?,
            },
            Op::Permute(a, order) => {
                let array = self.env.array(*a);
                let View { origin, strides } = self.in_memory(&array)?;
                let strides = order.iter().map(|d| strides[*d]).collect();
                let sizes = order.iter().map(|d| array.sizes[*d]).collect();
                Bound::Array(Array { sizes, form: Form::Memory(View { origin, strides }), ..array })
            }
            Op::Reshape(a, sizes) => {
                let array = self.env.array(*a);
                let sizes: Vec<Operand> = sizes.iter().map(|n| self.size(*n)).collect();
                self.emit.bounded(&sizes);
                let (before, after) = (self.emit.count(&array.sizes), self.emit.count(&sizes));
                self.emit.same(Agreement::Reshaped, before, after);
                let (buffer, _) = self.whole(&array)?;
                let view = View::whole(&mut self.emit, buffer, &sizes);
                Bound::Array(Array { sizes, form: Form::Memory(view), ..array })
            }
            Op::Concat(atoms) => self.concat(var, atoms)?,
            Op::Reverse(a) => {
                let array = self.env.array(*a);
                let View { origin, mut strides } = self.in_memory(&array)?;
                let last = self.emit.add(array.sizes[0], Operand::int(-1));
                let origin = origin.advance(&mut self.emit, last, strides[0]);
                strides[0] = self.emit.mul(strides[0], Operand::int(-1));
                Bound::Array(array.stored(View { origin, strides }))
            }

            Op::ToAccumulator(a) => Bound::Array(self.own(*a, &mentioned(later, results))?),
            Op::Accumulate(a, indices, new) => {
                let array = self.env.array(*a);
                self.accumulate(&array, indices, *new)?;
                Bound::Array(array)
            }
            Op::FromAccumulator(a) => self.env.atom(*a),
        })
    }

    /// A size, which is not negative.
    fn size(&mut self, atom: Atom) -> Operand {
        self.emit.size(self.env.scalar(atom))
    }

    fn index(&mut self, a: Atom, indices: &[Atom]) -> Step<Bound<'p>> {
        let mut part = self.env.atom(a);
        for index in self.env.scalars(indices) {
            self.emit.bounds(index, part.array().sizes[0]);
            part = self.element(part.array(), index)?;
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
        self.copy(&array)
    }

    fn elements(&mut self, var: Var, atoms: &[Atom]) -> Step<Bound<'p>> {
        let prim = self.emit.program.atom_type(atoms[0]).prim;
        let rows: Vec<Bound<'p>> = atoms.iter().map(|a| self.env.atom(*a)).collect();
        let first = rows[0].sizes().to_vec();
        for row in &rows[1..] {
            self.emit.all_same(Agreement::Rows, &first, row.sizes());
        }
        let count = Operand::int(i64::try_from(atoms.len()).expect("a program is shorter than 2^63"));
        let sizes = lengthened(count, &first);
        if self.pending.is_joined(var) {
            return Ok(Bound::Array(Array { prim, sizes, form: Form::Parts(rows) }));
        }
        let view = self.emit.room_for(prim, &sizes)?;
        for (k, row) in (0_i64..).zip(rows) {
            let part = view.part(&mut self.emit, &[Operand::int(k)]);
            self.store_all(vec![(row, part)])?;
        }
        self.emit.changed(view.origin.buffer);
        Ok(Bound::Array(Array { prim, sizes, form: Form::Memory(view) }))
    }

    fn slice(&mut self, a: Atom, ranges: &[Range]) -> Step<Bound<'p>> {
        let array = self.env.array(a);
        if let (Form::Pending(..), true) = (&array.form, from_start(ranges)) {
            let count = self.size(ranges[0].count);
            let fits = self.emit.scalar(ScalarOp::LessOrEqual, &[count, array.sizes[0]]);
            self.emit.check(fits, Broken::Bounds, &[count, array.sizes[0]]);
            let sizes = lengthened(count, &array.sizes[1..]);
            return Ok(Bound::Array(Array { sizes, ..array }));
        }
        let mut parts = Vec::with_capacity(ranges.len());
        for (size, range) in array.sizes.iter().zip(ranges) {
            let (start, count, step) =
                (self.env.scalar(range.start), self.size(range.count), self.env.scalar(range.step));
            // The first and the last index are in bounds, or there are none.
            let steps = self.emit.add(count, Operand::int(-1));
            let far = self.emit.mul(steps, step);
            let last = self.emit.add(start, far);
            let mut fits = self.emit.scalar(ScalarOp::Equal, &[count, Operand::int(0)]);
            if self.emit.stepwise {
                let outside = self.emit.at.mask;
                let some = self.emit.scalar(ScalarOp::Not, &[fits]);
                self.emit.only_where(some);
                [start, last].into_iter().for_each(|end| self.emit.bounds(end, *size));
                self.emit.at.mask = outside;
            }
            let ends = [start, last].map(|end| self.emit.lies_within(end, *size));
            let inside = self.emit.scalar(ScalarOp::Mul, &ends);
            fits = self.emit.scalar(ScalarOp::Add, &[fits, inside]);
            self.emit.check(fits, Broken::Bounds, &[last, *size]);
            parts.push([start, count, step]);
        }
        // What is in no memory stays so.
        if let (Form::Iota(..) | Form::Replicate(_), [part]) = (&array.form, &parts[..]) {
            let part = array.elements_from(&mut self.emit, *part);
            return Ok(Bound::Array(part.expect("nothing has to be computed for it")));
        }
        let View { mut origin, mut strides } = self.in_memory(&array)?;
        let mut sizes = array.sizes.clone();
        for (d, [start, count, step]) in parts.into_iter().enumerate() {
            origin = origin.advance(&mut self.emit, start, strides[d]);
            strides[d] = self.emit.mul(strides[d], step);
            sizes[d] = count;
        }
        Ok(Bound::Array(Array { sizes, form: Form::Memory(View { origin, strides }), ..array }))
    }

    fn concat(&mut self, var: Var, atoms: &[Atom]) -> Step<Bound<'p>> {
        let arrays = self.env.arrays(atoms);
        let mut sizes = arrays[0].sizes.clone();
        for array in &arrays[1..] {
            self.emit.all_same(Agreement::Concatenated, &sizes[1..], &array.sizes[1..]);
            sizes[0] = self.emit.add(sizes[0], array.sizes[0]);
        }
        let prim = arrays[0].prim;
        let parts = arrays.into_iter().map(Bound::Array).collect();
        let joined = Bound::Array(Array { prim, sizes, form: Form::Parts(parts) });
        if self.pending.is_joined(var) { Ok(joined) } else { self.settled(joined) }
    }

    /// The array in a buffer that may be changed: its own if nothing later sees it, else a copy.
    pub(super) fn own(&mut self, a: Atom, seen: &FxHashSet<Var>) -> Step<Array<'p>> {
        let array = self.env.array(a);
        if self.env.is_free(&mut self.emit, &array, a, seen) {
            return Ok(array);
        }
        let (_, view) = self.copied(&array)?;
        Ok(array.stored(view))
    }

    /// As [`own`](Self::own), for what is changed by these: those must not be in its buffer.
    pub(super) fn own_beside(&mut self, a: Atom, operands: &[Array<'p>], seen: &FxHashSet<Var>) -> Step<View> {
        let array = self.env.array(a);
        let buffer = if let Form::Memory(view) = &array.form { Some(view.origin.buffer) } else { None };
        if buffer.is_some_and(|buffer| operands.iter().any(|operand| self.env.holds(operand, buffer))) {
            return Ok(self.copied(&array)?.1);
        }
        Ok(self.own(a, seen)?.view().clone())
    }

    /// What changes an array that may be changed where it is, and is not in its buffer.
    fn beside<const N: usize>(
        &mut self,
        a: Atom,
        operands: [Array<'p>; N],
        seen: &FxHashSet<Var>,
    ) -> Step<[Array<'p>; N]> {
        let array = self.env.array(a);
        let buffer = in_memory(&Bound::Array(array.clone()));
        let Some(buffer) = buffer.filter(|_| self.env.is_free(&mut self.emit, &array, a, seen)) else {
            return Ok(operands);
        };
        let mut beside = operands;
        for operand in &mut beside {
            if self.env.holds(operand, buffer) {
                let (_, view) = self.copied(operand)?;
                *operand = operand.stored(view);
            }
        }
        Ok(beside)
    }

    fn update(&mut self, a: Atom, indices: &[Atom], new: Atom, later: &[Stm], results: &[Atom]) -> Step<Bound<'p>> {
        let value = self.env.atom(new);
        let value = self.settled(value)?;
        let changed = in_memory(&self.env.atom(a));
        let value = match value {
            Bound::Array(array) if changed.is_some_and(|buffer| self.env.holds(&array, buffer)) => self.copy(&array)?,
            other => other,
        };
        let array = self.own(a, &mentioned(later, results))?;
        let view = array.view();
        let indices = self.env.scalars(indices);
        self.emit.all_same(Agreement::Updated, &array.sizes[indices.len()..], value.sizes());
        for (index, size) in indices.iter().zip(&array.sizes) {
            self.emit.bounds(*index, *size);
        }
        let part = view.part(&mut self.emit, &indices);
        self.store_all(vec![(value, part)])?;
        self.emit.changed(view.origin.buffer);
        Ok(Bound::Array(array))
    }

    fn scatter(&mut self, it: &'p Scatter, seen: &FxHashSet<Var>) -> Step<Bound<'p>> {
        let destination = self.env.array(it.destination);
        let (indices, values) = (self.env.array(it.indices), self.env.array(it.values));
        self.emit.same(Agreement::Indices, indices.sizes[0], values.sizes[0]);
        self.emit.all_same(Agreement::Scattered, &destination.sizes[1..], &values.sizes[1..]);
        if let Some(first) = self.first_of_run(&indices)
            && self.env.is_free(&mut self.emit, &destination, it.destination, seen)
            && self.put_back(&values, first, destination.view())
        {
            self.emit.changed(destination.view().origin.buffer);
            return Ok(Bound::Array(destination));
        }
        let [indices, values] = self.beside(it.destination, [indices, values], seen)?;
        let view = self.own(it.destination, seen)?.view().clone();
        let buffer = view.origin.buffer;
        let size = destination.sizes[0];
        if let Some(first) = self.first_of_run(&indices) {
            let run = self.emit.run_within(first, indices.sizes[0], size);
            let values = Bound::Array(self.values_of(run, &values)?);
            let part = view.from(&mut self.emit, run.first);
            self.store_all(vec![(values, part)])?;
            self.emit.changed(buffer);
            return Ok(Bound::Array(destination.stored(view)));
        }
        let any = Operand::Const(values.prim.zero());
        if self.hist_at_once(Some(Operator::Last), [&indices, &values], (&view, size), any)? {
            self.emit.changed(buffer);
            return Ok(Bound::Array(destination.stored(view)));
        }
        let nested = values.sizes.len() > 1;
        self.for_each(indices.sizes[0], nested, &[], &mut |this, k| {
            if this.emit.is_lane(k) {
                this.emit.scatters_to(buffer);
            }
            let at = this.element(&indices, k)?.scalar();
            let value = this.element(&values, k)?;
            let value = this.settled(value)?;
            let outside = this.emit.at.mask;
            this.emit.only_within(at, destination.sizes[0]);
            let part = view.part(&mut this.emit, &[at]);
            let stored = this.store_all(vec![(value, part)]);
            this.emit.at.mask = outside;
            stored
        })?;
        self.emit.changed(buffer);
        Ok(Bound::Array(destination.stored(view)))
    }
}

/// Ends the run unless sizes agree, or are not compared. A number among them has to be a size first.
fn agree(emit: &mut Emit<'_>, env: &Environment<'_>, it: &Agree) {
    let one = |extent: &Extent| match extent {
        Extent::Number(atom) => env.scalar(*atom),
        Extent::Of(array, dimension) => env.array(*array).sizes[*dimension],
    };
    let is_none = |size: &Extent| emit.scalar(ScalarOp::LessOrEqual, &[one(size), Operand::int(0)]);
    let excuses: Vec<Operand> = it.times.iter().map(is_none).collect();
    let is_number = |extent: &Extent| matches!(extent, Extent::Number(_));
    for (side, other) in [(&it.first, &it.second), (&it.second, &it.first)] {
        // A number that is the size of an array is one: only code that says what is wrong has to see which it is.
        let follows = side.len() == 1 && !other.iter().any(is_number);
        if emit.stepwise || !follows {
            side.iter().filter(|extent| is_number(extent)).for_each(|number| {
                emit.size_unless(&excuses, one(number));
            });
        }
    }
    let [first, second] = [&it.first, &it.second].map(|side| {
        let sizes: Vec<Operand> = side.iter().map(one).collect();
        if side.iter().any(is_number) {
            emit.bounded(&sizes);
        }
        emit.count(&sizes)
    });
    if first != second {
        let equal = emit.scalar(ScalarOp::Equal, &[first, second]);
        let fits = emit.any(equal, &excuses);
        emit.check(fits, Broken::Sizes(it.what.message()), &[first, second]);
    }
}

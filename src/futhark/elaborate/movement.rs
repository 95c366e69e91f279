//! Parts of arrays, ranges, copies, other orders.
//!
//! Law: elements go where the language says; indices and slices out of bounds are errors, and so are sizes that do not fit
//! (tests/language/elaborate.rs).

use super::operand::{Of, Operand, atoms, known};
use super::site::{Site, reduction};
use crate::array::{Agree, Agreement, Atom, Const, Extent, IntegerRow, Lambda, Map, Op, Prim, Range, ScalarOp, index};
use crate::futhark::meaning::{Control, Leaf, Movement, Outcome, RangeKind, Section};
use crate::futhark::source::{Message, Span};

/// The invariant of methods that may not fail: the evaluator calls them on arrays alone.
const ARRAYS: &str = "sizes are asked of arrays, in dimensions that they have";

impl Movement for Site {
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
        let atom = self.one(at, Op::Elements(atoms(&elements)))?;
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
        let wide = |x: &Operand| self.cast(at, x.atom, Prim::I64);
        let (from, to) = (wide(start)?, wide(end)?);
        let second = second.map(wide).transpose()?;
        let step = match second {
            Some(second) => Some(self.sub(at, second, from)?),
            None => None,
        };
        let step = match (step, how) {
            (Some(step), _) => step,
            (None, RangeKind::Upto | RangeKind::Inclusive) => index(1),
            (None, RangeKind::Downto) => index(-1),
        };
        // How far the last place that is allowed is away, in the direction of the steps.
        let sign = self.integer(at, IntegerRow::Signum, &[step])?;
        let distance = self.mul(at, self.sub(at, to, from)?, sign)?;
        let stride = self.integer(at, IntegerRow::Abs, &[step])?;
        let (last, least, right_way) = match how {
            RangeKind::Inclusive => (distance, index(0), self.less(at, index(0), stride)?),
            RangeKind::Upto => (self.sub(at, distance, index(1))?, index(-1), self.less(at, index(0), step)?),
            RangeKind::Downto => (self.sub(at, distance, index(1))?, index(-1), self.less(at, step, index(0))?),
        };
        let simple = known(step).is_some_and(|step| step.abs() == 1) && how != RangeKind::Inclusive;
        let ends = self.both(at, right_way, self.at_most(at, least, last)?)?;
        // A range by one that would never end has a negative size, which is an error of its own.
        if !simple || super::operand::known_truth(ends) == Some(false) {
            self.check(at, ends, "range", "the range has no end: it goes from its start towards its end".into())?;
        }
        if !simple {
            for place in [Some(to), second].into_iter().flatten() {
                self.near(at, place, from)?;
            }
        }
        // Where the distance is 0 that has been said already; here it only must not divide.
        let divisor = self.integer(at, IntegerRow::Max, &[stride, index(1)])?;
        let count = match known(divisor) {
            Some(1) => last,
            _ => self.integer(at, IntegerRow::Div, &[last, divisor])?,
        };
        let count = if how != RangeKind::Inclusive && known(divisor) == Some(1) {
            distance
        } else {
            self.add(at, count, index(1))?
        };
        let of = Of::array(kind, vec![Some(count)]);
        if kind == Prim::I64 {
            return Ok(Operand { atom: self.numbers(at, from, step, count)?, of });
        }
        let places = self.one(at, Op::Iota(count))?;
        let function = self.on_scalars(at, [Prim::I64], |[i]| {
            let place = self.add(at, from, self.mul(at, i, step)?)?;
            self.cast(at, place, kind)
        })?;
        Ok(Operand { atom: self.one(at, elementwise(function, vec![places]))?, of })
    }

    fn section(&self, at: Span, array: Operand, sections: &[Section<Operand>]) -> Outcome<Operand> {
        let leading: Vec<Atom> = sections.iter().map_while(index_of).collect();
        let rest = &sections[leading.len()..];
        let array = if leading.is_empty() {
            array
        } else {
            let of = array.of.inner(leading.len());
            let inner = self.within_rule(at, array.atom, &leading)?;
            let atom = self.one(at, Op::Index(array.atom, leading))?;
            if !inner.is_empty() {
                self.inside.borrow_mut().rules.insert(atom, inner);
            }
            Operand { atom, of }
        };
        if rest.is_empty() {
            return Ok(array);
        }
        let mut ranges = Vec::with_capacity(rest.len());
        let mut sizes = Vec::new();
        for (dimension, section) in rest.iter().enumerate() {
            ranges.push(match section {
                Section::At(place) => Range { start: place.atom, count: index(1), step: index(1) },
                Section::Slice(start, end, step) => {
                    let size = self.size_of(at, &array, dimension)?;
                    let range = self.slice(at, size, [start.as_ref(), end.as_ref(), step.as_ref()])?;
                    sizes.push(range.count);
                    range
                }
            });
        }
        let drops = sizes.len() < rest.len();
        for dimension in rest.len()..array.of.shape.len() {
            sizes.push(self.size_of(at, &array, dimension)?);
        }
        let mut atom = self.one(at, Op::Slice(array.atom, ranges))?;
        if drops {
            atom = self.one(at, Op::Reshape(atom, sizes.clone()))?;
        }
        Ok(Operand { atom, of: Of::array(array.of.kind, sizes.into_iter().map(Some).collect()) })
    }

    fn update(&self, at: Span, array: Operand, sections: &[Section<Operand>], value: Operand) -> Outcome<Operand> {
        let leading: Vec<Atom> = sections.iter().map_while(index_of).collect();
        let rest = &sections[leading.len()..];
        if !leading.is_empty() {
            let mut new = value;
            if rest.is_empty() {
                self.same_sizes(at, &array, leading.len(), &new)?;
            } else {
                let row = Operand {
                    atom: self.one(at, Op::Index(array.atom, leading.clone()))?,
                    of: array.of.inner(leading.len()),
                };
                new = self.update(at, row, rest, new)?;
            }
            let atom = self.one(at, Op::Update(array.atom, leading, new.atom))?;
            return Ok(Operand { atom, of: array.of });
        }
        if rest.is_empty() { Ok(value) } else { self.part_updated(at, array, rest, &value) }
    }

    fn iota(&self, at: Span, count: &Operand) -> Outcome<Operand> {
        let op = if self.may_be_felt(count.atom) { self.iota_with_adjoint(at, count)? } else { Op::Iota(count.atom) };
        let atom = self.one(at, op)?;
        self.inside.borrow_mut().rules.insert(atom, vec![count.atom]);
        Ok(Operand { atom, of: Of::array(Prim::I64, vec![Some(count.atom)]) })
    }

    fn replicate(&self, at: Span, count: &Operand, value: Operand) -> Outcome<Operand> {
        let atom = self.one(at, Op::Replicate(count.atom, value.atom))?;
        let rules = &mut self.inside.borrow_mut().rules;
        let inner = rules.get(&value.atom).into_iter().flatten().copied();
        let sizes = core::iter::once(count.atom).chain(inner).collect();
        rules.insert(atom, sizes);
        Ok(Operand { atom, of: value.of.arrayed(Some(count.atom)) })
    }

    fn concat(&self, at: Span, first: Operand, second: Operand) -> Outcome<Operand> {
        let size = self.add(at, self.size_of(at, &first, 0)?, self.size_of(at, &second, 0)?)?;
        let atom = self.one(at, Op::Concat(vec![first.atom, second.atom]))?;
        let mut of = first.of;
        of.shape[0] = Some(size);
        Ok(Operand { atom, of })
    }

    fn reverse(&self, at: Span, array: Operand) -> Outcome<Operand> {
        Ok(Operand { atom: self.one(at, Op::Reverse(array.atom))?, of: array.of })
    }

    fn rotate(&self, at: Span, by: &Operand, array: Operand) -> Outcome<Operand> {
        let size = self.size_of(at, &array, 0)?;
        // Of an empty array nothing is moved; the divisor only must not be 0.
        let divisor = self.integer(at, IntegerRow::Max, &[size, index(1)])?;
        let by = self.integer(at, IntegerRow::Mod, &[by.atom, divisor])?;
        let part = |start, count| Op::Slice(array.atom, vec![Range { start, count, step: index(1) }]);
        let end = self.one(at, part(by, self.sub(at, size, by)?))?;
        let begin = self.one(at, part(index(0), by))?;
        Ok(Operand { atom: self.one(at, Op::Concat(vec![end, begin]))?, of: array.of })
    }

    fn transpose(&self, at: Span, array: Operand) -> Outcome<Operand> {
        let mut order: Vec<usize> = (0..array.of.shape.len()).collect();
        order.swap(0, 1);
        let mut of = array.of;
        of.shape.swap(0, 1);
        Ok(Operand { atom: self.one(at, Op::Permute(array.atom, order))?, of })
    }

    fn reshape(&self, at: Span, array: Operand, leading: usize, sizes: &[Operand]) -> Outcome<Operand> {
        let mut shape = atoms(sizes);
        for dimension in leading..array.of.shape.len() {
            shape.push(self.size_of(at, &array, dimension)?);
        }
        let atom = self.one(at, Op::Reshape(array.atom, shape.clone()))?;
        Ok(Operand { atom, of: Of::array(array.of.kind, shape.into_iter().map(Some).collect()) })
    }

    fn filter(&self, at: Span, flags: &Operand, arrays: Vec<Operand>) -> Outcome<Vec<Operand>> {
        let ones = self.on_scalars(at, [Prim::Bool], |[flag]| self.cast(at, flag, Prim::I64))?;
        let ones = self.one(at, elementwise(ones, vec![flags.atom]))?;
        let sum = || self.on_scalars(at, [Prim::I64; 2], |[a, b]| self.add(at, a, b));
        let places = self.one(at, Op::Scan(reduction(sum()?, index(0), ones)))?;
        let total = self.one(at, Op::Reduce(reduction(sum()?, index(0), ones)))?;
        // What is not kept goes to no place.
        let targets = self.on_scalars(at, [Prim::Bool, Prim::I64], |[flag, place]| {
            self.choose(at, flag, self.sub(at, place, index(1))?, index(-1))
        })?;
        let targets = self.one(at, elementwise(targets, vec![flags.atom, places]))?;
        arrays
            .iter()
            .map(|array| {
                let mut sizes = self.sizes(at, array)?;
                sizes[0] = total;
                let atom = self.zeros(at, array.of.kind, &sizes)?;
                let of = Of::array(array.of.kind, sizes.into_iter().map(Some).collect());
                self.scattered(at, &Operand { atom, of }, targets, array.atom)
            })
            .collect()
    }
}

impl Site {
    pub(super) fn less(&self, at: Span, a: Atom, b: Atom) -> Outcome<Atom> {
        self.raw(at, ScalarOp::Less, &[a, b])
    }

    pub(super) fn at_most(&self, at: Span, a: Atom, b: Atom) -> Outcome<Atom> {
        if a == b { Ok(Atom::Const(Const::Bool(true))) } else { self.raw(at, ScalarOp::LessOrEqual, &[a, b]) }
    }

    pub(super) fn both(&self, at: Span, a: Atom, b: Atom) -> Outcome<Atom> {
        self.raw(at, ScalarOp::Mul, &[a, b])
    }

    /// Asks that indices are inside of an array of which nothing is left where an element is known from its indices alone: no executor
    /// would ask. What is found there is such an array of the sizes that are left.
    fn within_rule(&self, at: Span, array: Atom, places: &[Atom]) -> Outcome<Vec<Atom>> {
        let mut sizes = self.inside.borrow().rules.get(&array).cloned().unwrap_or_default();
        let inner = sizes.split_off(places.len().min(sizes.len()));
        for (place, size) in places.iter().zip(sizes) {
            let inside = self.both(at, self.at_most(at, index(0), *place)?, self.less(at, *place, size)?)?;
            self.require(at, &Operand::scalar(inside, Prim::Bool), "bounds", "an index is out of bounds")?;
        }
        Ok(inner)
    }

    /// The indices that a slice of a dimension takes. What is not known to be within it is checked.
    pub(super) fn slice(&self, at: Span, size: Atom, slice: [Option<&Operand>; 3]) -> Outcome<Range> {
        let [start, end, step] = slice.map(|part| part.map(|part| part.atom));
        let step = step.unwrap_or(index(1));
        let forwards = self.less(at, index(0), step)?;
        let last = self.sub(at, size, index(1))?;
        let first = match start {
            Some(start) => start,
            None => self.choose(at, forwards, index(0), last)?,
        };
        let stop = match end {
            Some(end) => end,
            None => self.choose(at, forwards, size, index(-1))?,
        };
        let distance = self.sub(at, stop, first)?;
        if known(step) == Some(1) {
            // A slice that begins where it may is too short at worst, which is an error of its own.
            let begins = start.is_none() || known(first).is_some_and(|first| first >= 0) && end.is_none();
            if !begins {
                let inside = self.both(at, self.at_most(at, index(0), first)?, self.at_most(at, first, stop)?)?;
                let inside = self.both(at, inside, self.at_most(at, stop, size)?)?;
                self.check(at, inside, "bounds", "a slice is out of bounds".into())?;
            }
            return Ok(Range { start: first, count: distance, step });
        }
        let up = self.both(at, self.at_most(at, index(0), first)?, self.at_most(at, first, stop)?)?;
        let up = self.both(at, up, self.at_most(at, stop, size)?)?;
        let down = self.both(at, self.at_most(at, index(-1), stop)?, self.at_most(at, stop, first)?)?;
        let down = self.both(at, down, self.less(at, first, size)?)?;
        let backwards = self.less(at, step, index(0))?;
        let (up, down) = (self.both(at, forwards, up)?, self.both(at, backwards, down)?);
        let inside = self.raw(at, ScalarOp::Add, &[up, down])?;
        self.check(at, inside, "bounds", "a slice is out of bounds, or has the step 0".into())?;
        let whole = self.integer(at, IntegerRow::Quot, &[distance, step])?;
        let rest = self.integer(at, IntegerRow::Rem, &[distance, step])?;
        let even = self.raw(at, ScalarOp::Equal, &[rest, index(0)])?;
        let more = self.raw(at, ScalarOp::Not, &[even])?;
        let count = self.add(at, whole, self.cast(at, more, Prim::I64)?)?;
        Ok(Range { start: first, count, step })
    }

    /// Checks the sizes of a part of an array, from a dimension on, against those of a value that are known.
    pub(super) fn same_sizes(&self, at: Span, array: &Operand, from: usize, value: &Operand) -> Outcome<()> {
        for (dimension, found) in value.of.shape.iter().enumerate().take(array.of.shape.len() - from) {
            if let Some(found) = found {
                let wanted = self.size_of(at, array, from + dimension)?;
                self.same(at, wanted, *found, "the new value")?;
            }
        }
        Ok(())
    }

    pub(super) fn same(&self, at: Span, wanted: Atom, found: Atom, what: &str) -> Outcome<()> {
        if wanted == found {
            return Ok(());
        }
        if let (Some(wanted), Some(found)) = (known(wanted), known(found)) {
            let text = format!("{what} has a dimension of size {found}, where {wanted} is wanted");
            return Err(Message::error("size", at, text));
        }
        let size = |atom| vec![Extent::Number(atom)];
        let agree = Agree { what: Agreement::Wanted, first: size(wanted), second: size(found), times: Vec::new() };
        self.emit(at, Op::Agree(Box::new(agree))).map(drop)
    }

    /// The integers of kind `i64` from `start` in steps of `step`.
    pub(super) fn numbers(&self, at: Span, start: Atom, step: Atom, count: Atom) -> Outcome<Atom> {
        let iota = self.one(at, Op::Iota(count))?;
        if known(start) == Some(0) && known(step) == Some(1) {
            return Ok(iota);
        }
        let function = self.on_scalars(at, [Prim::I64], |[i]| self.add(at, start, self.mul(at, i, step)?))?;
        self.one(at, elementwise(function, vec![iota]))
    }

    /// Checks that the distance between two integers is one.
    fn near(&self, at: Span, to: Atom, from: Atom) -> Outcome<()> {
        if known(from).is_some_and(|from| known(to).map_or(from == 0, |to| to.checked_sub(from).is_some())) {
            return Ok(());
        }
        // It is not if they have other signs, and the distance has another than the one it is to.
        let distance = self.sub(at, to, from)?;
        let [signs, turned] = [from, distance].map(|other| self.integer(at, IntegerRow::Xor, &[to, other]));
        let both = self.integer(at, IntegerRow::And, &[signs?, turned?])?;
        let is_near = self.at_most(at, index(0), both)?;
        self.check(at, is_near, "range", "the range goes farther than there are integers".into())
    }
}

/// A function without checks of each element of arrays.
fn elementwise(function: Lambda, arrays: Vec<Atom>) -> Op {
    Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() }))
}

/// The index that a section is.
fn index_of(section: &Section<Operand>) -> Option<Atom> {
    match section {
        Section::At(place) => Some(place.atom),
        Section::Slice(..) => None,
    }
}

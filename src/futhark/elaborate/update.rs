//! Updates of parts of arrays: of slices in any dimensions.
//!
//! Law: the elements of a part are those of the new value, and all others stay where they are, in an array that is consumed
//! (tests/language/elaborate.rs, tests/language/in_place.rs).

use super::operand::{Of, Operand};
use super::site::Site;
use crate::array::{Atom, Op, Prim, Range, index};
use crate::futhark::meaning::{Outcome, Section};
use crate::futhark::source::Span;

/// The invariant of parts: indices before the first slice are those of what has the part.
const SLICE: &str = "the first dimension of a part is a slice";

/// The indices that a section takes of a dimension, how many this has, and whether the part has the dimension.
struct Taken {
    range: Range,
    size: Atom,
    is_kept: bool,
}

/// The same, with how far it is from one index to the next in the array as a line.
struct Strided {
    range: Range,
    stride: Atom,
    is_kept: bool,
}

impl Site {
    /// An array with a part of it replaced: the sections are those of its first dimensions, of which the first is a slice. A part of some
    /// rows is one of these rows, which are put back: so a loop that keeps what it overwrites keeps these rows alone.
    pub(super) fn part_updated(
        &self,
        at: Span,
        array: Operand,
        sections: &[Section<Operand>],
        value: &Operand,
    ) -> Outcome<Operand> {
        let [Section::Slice(start, end, step), others @ ..] = sections else { panic!("{SLICE}") };
        if others.is_empty() || [start, end, step].into_iter().all(Option::is_none) {
            return self.in_line_updated(at, array, sections, value);
        }
        let size = self.size_of(at, &array, 0)?;
        let range = self.slice(at, size, [start.as_ref(), end.as_ref(), step.as_ref()])?;
        let places = self.numbers(at, range.start, range.step, range.count)?;
        let mut of = array.of.clone();
        of.shape[0] = Some(range.count);
        let rows = Operand { atom: self.one(at, Op::Slice(array.atom, vec![range]))?, of };
        let in_steps = |section: &Section<Operand>| matches!(section, Section::Slice(_, _, Some(_)));
        let rows = if others.iter().any(in_steps) {
            let all = core::iter::once(Section::Slice(None, None, None)).chain(others.iter().cloned());
            self.in_line_updated(at, rows, &all.collect::<Vec<_>>(), value)?
        } else {
            self.each_updated(at, &rows, others, value)?
        };
        self.scattered(at, &array, places, rows.atom)
    }

    /// Rows, each with a part of it replaced, whose elements are next to each other in each dimension.
    fn each_updated(
        &self,
        at: Span,
        rows: &Operand,
        sections: &[Section<Operand>],
        value: &Operand,
    ) -> Outcome<Operand> {
        let count = self.size_of(at, rows, 0)?;
        self.same(at, count, self.size_of(at, value, 0)?, "the new value")?;
        let (mut dimension, mut parts) = (1, Vec::with_capacity(sections.len()));
        for (k, section) in (1..).zip(sections) {
            let size = self.size_of(at, rows, k)?;
            let (range, is_kept) = self.taken(at, section, size)?;
            if is_kept {
                self.same(at, range.count, self.size_of(at, value, dimension)?, "the new value")?;
                dimension += 1;
            }
            parts.push(Taken { range, size, is_kept });
        }
        let inner = Operand { atom: value.atom, of: value.of.inner(dimension) };
        self.same_sizes(at, rows, 1 + sections.len(), &inner)?;
        self.each_around(at, rows, &parts, value)
    }

    /// New values of parts of rows, with what is around them.
    fn each_around(&self, at: Span, rows: &Operand, parts: &[Taken], value: &Operand) -> Outcome<Operand> {
        let [Taken { range, size, is_kept }, inner @ ..] = parts else { return Ok(value.clone()) };
        let function = self.traced(at, vec![rows.of.inner(1), value.of.inner(1)], &mut |pair| {
            let [row, new] = &pair[..] else { panic!("there are two parameters") };
            let part = |start, count| {
                let of = row.of.inner(1).arrayed(Some(count));
                let range = Range { start, count, step: index(1) };
                Ok(Operand { atom: self.one(at, Op::Slice(row.atom, vec![range]))?, of })
            };
            let mut new = new.clone();
            if !is_kept {
                let of = new.of.arrayed(Some(index(1)));
                new = Operand { atom: self.one(at, Op::Replicate(index(1), new.atom))?, of };
            }
            if !inner.is_empty() {
                new = self.each_around(at, &part(range.start, range.count)?, inner, &new)?;
            }
            let end = self.add(at, range.start, range.count)?;
            let (before, after) = (part(index(0), range.start)?, part(end, self.sub(at, *size, end)?)?);
            let joined = self.one(at, Op::Concat(vec![before.atom, new.atom, after.atom]))?;
            Ok(vec![Operand { atom: joined, of: row.of.clone() }])
        })?;
        let atom = self.mapped(at, function, vec![rows.atom, value.atom])?[0];
        Ok(Operand { atom, of: rows.of.clone() })
    }

    /// The indices that a section takes of a dimension of this size, and whether the part has the dimension.
    fn taken(&self, at: Span, section: &Section<Operand>, size: Atom) -> Outcome<(Range, bool)> {
        match section {
            Section::At(place) => {
                let inside =
                    self.both(at, self.at_most(at, index(0), place.atom)?, self.less(at, place.atom, size)?)?;
                self.check(at, inside, "bounds", "an index is out of bounds".into())?;
                Ok((Range { start: place.atom, count: index(1), step: index(1) }, false))
            }
            Section::Slice(start, end, step) => {
                Ok((self.slice(at, size, [start.as_ref(), end.as_ref(), step.as_ref()])?, true))
            }
        }
    }

    /// The same, where the dimensions of the sections are taken as one, in which the rows of the part are scattered.
    fn in_line_updated(
        &self,
        at: Span,
        array: Operand,
        sections: &[Section<Operand>],
        value: &Operand,
    ) -> Outcome<Operand> {
        let sizes = self.sizes(at, &array)?;
        let (outer, inner) = sizes.split_at(sections.len());
        let mut taken = Vec::with_capacity(sections.len());
        for (section, size) in sections.iter().zip(outer) {
            let (range, is_kept) = self.taken(at, section, *size)?;
            taken.push(Strided { range, stride: index(1), is_kept });
        }
        let mut all = index(1);
        for (it, size) in taken.iter_mut().zip(outer).rev() {
            it.stride = all;
            all = self.mul(at, *size, all)?;
        }
        let mut count = index(1);
        for (dimension, it) in taken.iter().filter(|it| it.is_kept).enumerate() {
            self.same(at, it.range.count, self.size_of(at, value, dimension)?, "the new value")?;
            count = self.mul(at, count, it.range.count)?;
        }
        let kept = taken.iter().filter(|it| it.is_kept).count();
        let rows = Operand { atom: value.atom, of: value.of.inner(kept) };
        self.same_sizes(at, &array, sections.len(), &rows)?;

        let mut places = self.places(at, &taken, index(0))?;
        let mut values = value.atom;
        if kept > 1 {
            places = self.one(at, Op::Reshape(places, vec![count]))?;
            values = self.one(at, Op::Reshape(values, with_rows(count, inner)))?;
        }
        let shape = |sizes: &[Atom]| Of::array(array.of.kind, sizes.iter().copied().map(Some).collect());
        let line = match outer {
            [_] => array.clone(),
            _ => {
                let sizes = with_rows(all, inner);
                Operand { atom: self.one(at, Op::Reshape(array.atom, sizes.clone()))?, of: shape(&sizes) }
            }
        };
        let updated = self.scattered(at, &line, places, values)?;
        match outer {
            [_] => Ok(updated),
            _ => Ok(Operand { atom: self.one(at, Op::Reshape(updated.atom, sizes.clone()))?, of: array.of }),
        }
    }

    /// Where the elements of a part are in a line, as an array of the part's dimensions.
    fn places(&self, at: Span, taken: &[Strided], from: Atom) -> Outcome<Atom> {
        let Some((Strided { range, stride, is_kept }, inner)) = taken.split_first() else { return Ok(from) };
        let first = self.add(at, from, self.mul(at, range.start, *stride)?)?;
        if !is_kept {
            return self.places(at, inner, first);
        }
        let mut fixed = first;
        let step = self.mul(at, range.step, *stride)?;
        if !inner.iter().any(|it| it.is_kept) {
            for it in inner {
                fixed = self.add(at, fixed, self.mul(at, it.range.start, it.stride)?)?;
            }
            return self.numbers(at, fixed, step, range.count);
        }
        let function = self.traced(at, vec![Of::scalar(Prim::I64)], &mut |line| {
            let from = self.add(at, first, self.mul(at, line[0].atom, step)?)?;
            let kept = inner.iter().filter(|it| it.is_kept).map(|it| Some(it.range.count)).collect();
            Ok(vec![Operand { atom: self.places(at, inner, from)?, of: Of::array(Prim::I64, kept) }])
        })?;
        let lines = self.one(at, Op::Iota(range.count))?;
        Ok(self.mapped(at, function, vec![lines])?[0])
    }
}

/// The sizes of rows, behind how many there are.
fn with_rows(count: Atom, inner: &[Atom]) -> Vec<Atom> {
    core::iter::once(count).chain(inner.iter().copied()).collect()
}

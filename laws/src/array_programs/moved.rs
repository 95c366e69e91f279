//! The steps of random programs that read, write and move elements.
//!
//! Law: indices are in bounds and sizes fit, in as many dimensions as there are (tests/laws/programs.rs).

use catadiff::array::{Atom, Builder, IntegerRow, Op, Range, Reduce, ScalarOp, Type, index};

use super::{INTEGER, Item, MAX_RANK, Step, alike, is_array, one, pick, pick_any};

impl Step {
    pub(super) fn moved(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let [p, q, r] = self.picks;
        let array = |n| pick(pool, n, is_array);
        match self.kind % super::KINDS {
            7 => {
                let several = if q % 4 > 0 { pick_any(pool, p, |i| i.of.rank > 1 && i.sizes[0] > 0) } else { None };
                let a = several.or_else(|| pick_any(pool, p, |i| is_array(i) && i.sizes[0] > 0))?;
                let places = self.places(b, pool, &a.sizes)?;
                let sizes = a.sizes[places.len()..].to_vec();
                one(b, Op::Index(a.atom, places), sizes)
            }
            8 => self.slice(b, pool),
            9 => self.update(b, pool),
            10 | 30 => {
                let a = self.of_several_dimensions(b, pool)?;
                // Two in turn, since two orders of three dimensions or more seldom commute.
                let (first, second) = (permutation(q, a.of.rank), permutation(r, a.of.rank));
                let sizes: Vec<usize> = second.iter().map(|k| a.sizes[first[*k]]).collect();
                let once = b.one(Op::Permute(a.atom, first));
                one(b, Op::Permute(once, second), sizes)
            }
            11 => {
                let a = array(p)?;
                let total: usize = a.sizes.iter().product();
                let sizes = match q % 4 {
                    0 => vec![total],
                    1 => vec![1, total],
                    2 if total.is_multiple_of(2) => vec![total / 2, 1, 2],
                    _ => a.sizes.iter().rev().copied().collect(),
                };
                one(b, Op::Reshape(a.atom, sizes.iter().map(|n| index(*n as i64)).collect()), sizes)
            }
            12 => {
                let a = array(p)?;
                let other = pick(pool, q, |i| i.of == a.of && i.sizes[1..] == a.sizes[1..])?;
                let sizes = [&[a.sizes[0] + other.sizes[0]], &a.sizes[1..]].concat();
                one(b, Op::Concat(vec![a.atom, other.atom]), sizes)
            }
            13 => {
                let a = array(p)?;
                one(b, Op::Reverse(a.atom), a.sizes)
            }
            14 => {
                let n = q as usize % 4;
                // Arrays of three dimensions come of matrices, and of little else.
                let matrix = if r % 2 == 0 { pick(pool, p, |i| i.of.rank == 2) } else { None };
                let a = matrix.or_else(|| pick(pool, p, |i| i.of.rank < MAX_RANK))?;
                let count = self.count(b, pool, n);
                one(b, Op::Replicate(count, a.atom), [&[n], a.sizes.as_slice()].concat())
            }
            _ => {
                let a = pick(pool, p, |i| i.of.rank < MAX_RANK)?;
                let other = pick(pool, q, |i| alike(i, &a))?;
                one(b, Op::Elements(vec![a.atom, other.atom]), [&[2], a.sizes.as_slice()].concat())
            }
        }
    }

    /// A number as a constant, or as what a reduction that starts from another number comes to: sizes are computed, too.
    fn count(&self, b: &mut Builder, pool: &[Item], n: usize) -> Atom {
        let [_, q, r] = self.picks;
        let Some(a) = pick(pool, q, is_array).filter(|_| (r / 2).is_multiple_of(2)) else {
            return index(n as i64);
        };
        let size = b.one(Op::Size(a.atom, 0));
        let elements = b.one(Op::Elements(vec![index(n as i64 - a.sizes[0] as i64 - 1), size]));
        let operator = b.lambda(&[INTEGER; 2], |b, params| {
            let operands: Vec<Atom> = params.iter().map(|param| (*param).into()).collect();
            vec![b.scalar(ScalarOp::Add, &operands)]
        });
        let reduce = Reduce { operator, neutral: vec![index(1)], arrays: vec![elements], commutative: true };
        b.one(Op::Reduce(Box::new(reduce)))
    }

    /// An array of two dimensions or more: of three, and of four, there are few, and so rows are repeated.
    fn of_several_dimensions(&self, b: &mut Builder, pool: &[Item]) -> Option<Item> {
        let p = self.picks[0];
        let a = pick(pool, p / 4, |i| i.of.rank > 2).or_else(|| pick(pool, p / 4, |i| i.of.rank == 2))?;
        let more = [2, 3].into_iter().take([0, 1, 2, 2][usize::from(p % 4)].min(MAX_RANK - a.of.rank));
        Some(more.fold(a, |rows, n| {
            let sizes = [&[n], rows.sizes.as_slice()].concat();
            Item { atom: b.one(Op::Replicate(index(n as i64), rows.atom)), of: rows.of.arrayed(), sizes, heavy: false }
        }))
    }

    /// Places in bounds in the first dimensions of an array: at least one, and no more than have elements.
    fn places(&self, b: &mut Builder, pool: &[Item], sizes: &[usize]) -> Option<Vec<Atom>> {
        let [_, q, r] = self.picks;
        let can = sizes.iter().take_while(|n| **n > 0).count();
        let count = 1 + r as usize % can.max(1);
        let place = |(k, n): (u8, &usize)| {
            let at = pick(pool, q.wrapping_add(k), |i| i.of == INTEGER)?;
            Some(b.scalar(IntegerRow::Mod, &[at.atom, index(*n as i64)]))
        };
        (0..).zip(&sizes[..count]).map(place).collect()
    }

    /// Every so manieth element in some of the dimensions, there or back.
    fn slice(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let [p, q, r] = self.picks;
        let several = if q % 4 > 0 { pick(pool, p, |i| i.of.rank > 1) } else { None };
        let a = several.or_else(|| pick(pool, p, is_array))?;
        let mut sizes = a.sizes.clone();
        let mut ranges = Vec::new();
        let dimensions = 1 + usize::from(r >> 6) % a.of.rank;
        for (k, size) in sizes.iter_mut().enumerate().take(dimensions) {
            let length = *size;
            // Each dimension has a direction and a step of its own, so that a program that confuses two of them is
            // noticed.
            let (back, step) = (r >> (k % 4) & 1 == 1, 1 + usize::from(p >> (k + 1) & 1));
            let most = length.div_ceil(step);
            let part = usize::from(q.rotate_left(k as u32 + 1));
            let count = if q < 128 { most } else { part * (most + 1) / 256 };
            let reach = (count.max(1) - 1) * step;
            // From where it ends with the last, or begins there; or from a place that only the run knows.
            let starts = length - reach.min(length);
            let last = if back { length } else { starts }.saturating_sub(1);
            let known = index(last as i64);
            let start = match pick(pool, r, |i| i.of == INTEGER) {
                Some(at) if p % 2 == 1 && starts > 0 => {
                    let shift = b.scalar(IntegerRow::Mod, &[at.atom, index(starts as i64)]);
                    b.scalar(IntegerRow::Sub, &[known, shift])
                }
                _ => known,
            };
            let step = if back { -(step as i64) } else { step as i64 };
            ranges.push(Range { start, count: index(count as i64), step: index(step) });
            *size = count;
        }
        one(b, Op::Slice(a.atom, ranges), sizes)
    }

    /// One element, or one row, written.
    fn update(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let [p, q, _] = self.picks;
        let several = if q % 4 > 0 { pick(pool, p, |i| i.of.rank > 1 && i.sizes[0] > 0) } else { None };
        let a = several.or_else(|| pick(pool, p, |i| is_array(i) && i.sizes[0] > 0))?;
        let mut places = self.places(b, pool, &a.sizes)?;
        let new = |count: usize| {
            let of = Type::array(a.of.prim, a.of.rank - count);
            pick(pool, q, |i| i.of == of && i.sizes == a.sizes[count..])
        };
        let count = (1..=places.len()).rev().find(|count| new(*count).is_some())?;
        places.truncate(count);
        one(b, Op::Update(a.atom, places, new(count)?.atom), a.sizes.clone())
    }
}

/// A permutation of this many dimensions, by its number among all (the factorial number system).
fn permutation(mut n: u8, rank: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rank).collect();
    let mut next = || {
        let choices = u8::try_from(left.len()).expect("there are few dimensions");
        let chosen = left.remove((n % choices).into());
        n /= choices;
        chosen
    };
    (0..rank).map(|_| next()).collect()
}

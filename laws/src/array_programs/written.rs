//! The steps of random programs that write to many places: scatters, and accumulators in maps within maps.
//!
//! Law: places are repeated, and out of bounds, as often as not (tests/laws/programs.rs).

use catadiff::array::{Atom, Builder, IntegerRow, Map, Op, Prim, ScalarOp, Scatter, Type, constant, index};
use catadiff::primitives::Primitive;

use super::{INTEGER, Item, Room, Step, grow, is_array, number, pick};

impl Step {
    /// Writes to places that differ, or every two to the same, or any.
    pub(super) fn scatter(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let [p, q, r] = self.picks;
        let to = pick(pool, p, is_array)?;
        let values = pick(pool, q, |i| i.of == to.of && i.sizes[1..] == to.sizes[1..])?;
        let any = pick(pool, r, |i| i.of == Type::array(Prim::I64, 1) && i.sizes[0] == values.sizes[0]);
        let indices = match any {
            Some(any) if r % 4 > 2 => any.atom,
            _ => {
                let counted = b.one(Op::Iota(index(values.sizes[0] as i64)));
                let (shift, divisor) = (index(i64::from(r / 4 % 4) - 1), index(1 + i64::from(r % 4 > 0)));
                let function = b.lambda(&[INTEGER], |b, i| {
                    let shifted = b.scalar(ScalarOp::Add, &[i[0].into(), shift]);
                    vec![b.scalar(IntegerRow::Div, &[shifted, divisor])]
                });
                b.one(Op::Map(Box::new(Map { function, arrays: vec![counted], accumulators: Vec::new() })))
            }
        };
        let scatter = Scatter { destination: to.atom, indices, values: values.atom };
        Some(vec![Item { atom: b.one(Op::Scatter(Box::new(scatter))), ..to }])
    }

    /// Adds values to a copy of an array, in maps within maps.
    pub(super) fn accumulate(&self, b: &mut Builder, pool: &[Item], room: Room) -> Option<Vec<Item>> {
        let [p, q, _] = self.picks;
        let fits = |i: &Item| is_array(i) && i.of.prim != Prim::Bool;
        let several = if q % 4 > 0 { pick(pool, p, |i| fits(i) && i.of.rank > 1) } else { None };
        let to = several.or_else(|| pick(pool, p, fits))?;
        let arrays = self.arrays(pool, room);
        if arrays.is_empty() {
            return None;
        }
        let accumulator = b.one(Op::ToAccumulator(to.atom));
        let added = self.add(b, pool, room, &arrays, accumulator, &to);
        Some(vec![Item { atom: b.one(Op::FromAccumulator(added)), ..to }])
    }

    /// What the maps go over, from the outermost: up to three arrays, the first of indices if there are any.
    fn arrays(&self, pool: &[Item], room: Room) -> Vec<Item> {
        let [_, q, r] = self.picks;
        let (mut arrays, mut room): (Vec<Item>, Room) = (Vec::new(), room);
        for k in 0..1 + r % 3 {
            let fits = |i: &Item| is_array(i) && !room.is_heavy(&i.sizes);
            let places = pick(pool, q, |i| fits(i) && k == 0 && i.of.element() == INTEGER);
            let Some(array) = places.or_else(|| pick(pool, q.wrapping_add(k), fits)) else { break };
            room = room.inside(array.sizes[0]);
            arrays.push(array);
        }
        arrays
    }

    /// The accumulator after a map over the first of the arrays, and one over the next within it.
    fn add(&self, b: &mut Builder, pool: &[Item], room: Room, arrays: &[Item], to: Atom, like: &Item) -> Atom {
        let [array, rest @ ..] = arrays else { return to };
        let of = b.type_of(to);
        let function = b.lambda(&[array.of.element(), of], |b, params| {
            let sizes = array.sizes[1..].to_vec();
            let element = Item { atom: params[0].into(), of: array.of.element(), sizes, heavy: false };
            let (mut pool, room) = ([pool, &[element]].concat(), room.inside(array.sizes[0]));
            let inner = if rest.is_empty() { &self.inside[..] } else { &[] };
            grow(b, &mut pool, inner, room);
            let before = self.picks[2] & 8 == 0;
            let mut acc = params[1].into();
            if before || rest.is_empty() {
                acc = self.contribution(b, &pool, acc, like, rest.len());
            }
            acc = self.add(b, &pool, room, rest, acc, like);
            if !rest.is_empty() && (!before || self.picks[2] & 16 == 0) {
                acc = self.contribution(b, &pool, acc, like, rest.len() + 1);
            }
            vec![acc]
        });
        b.one(Op::Map(Box::new(Map { function, arrays: vec![array.atom], accumulators: vec![to] })))
    }

    /// One value added at some place.
    fn contribution(&self, b: &mut Builder, pool: &[Item], acc: Atom, like: &Item, shift: usize) -> Atom {
        let [_, q, r] = self.picks.map(|n| usize::from(n) + shift);
        let turn = |n: usize| u8::try_from(n % 256).expect("less than 256");
        let value = |count: usize| {
            let of = Type::array(like.of.prim, like.of.rank - count);
            pick(pool, turn(q / 4), |i| i.of == of && i.sizes == like.sizes[count..])
        };
        let wanted = 1 + r / 4 % like.of.rank;
        let (count, value) = match value(wanted) {
            Some(value) => (wanted, value.atom),
            None => (like.of.rank, value(like.of.rank).map_or(constant(like.of.prim, 3.0), |value| value.atom)),
        };
        let places = (0..count).map(|k| {
            let at = pick(pool, turn(k * (1 + r)), |i| i.of == INTEGER).map_or(index(0), |at| at.atom);
            // In bounds or not, as what is picked.
            let size = like.sizes[k];
            if q & 1 == 0 && size > 0 { b.scalar(IntegerRow::Mod, &[at, index(size as i64)]) } else { at }
        });
        let places = places.collect();
        // So that what is added depends on where.
        let factor = pick(pool, 0, |i| number(i) && i.of == Type::scalar(like.of.prim));
        let value = match factor {
            Some(factor) if count == like.of.rank && like.of.prim.is_real() => {
                let factor = b.scalar(Primitive::Sin, &[factor.atom]);
                b.scalar(ScalarOp::Mul, &[value, factor])
            }
            _ => value,
        };
        b.one(Op::Accumulate(acc, places, value))
    }
}

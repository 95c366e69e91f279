//! Loops in which lanes go along short rows of their own, written out: which elements are side by side is then in the code.
//!
//! Law: each iteration does what it did, in order; what it alone has is a value of its own (laws: executors::suite, tests/execute/in_c.rs).

use rustc_hash::FxHashMap;

use super::code::{Block, Code, Operand, Place, Stm, Value};
use super::parts::{Mentions, rename, replace};

/// The most statements of what is written out.
const MOST: i64 = 96;

/// Rows of as many elements fill vectors: a lane after the other may go along them, if no lane has arrays of its own there.
const LONG: i64 = 8;

/// Writes out the loops over a few elements of rows, if lanes have rows of their own.
pub(crate) fn write_out(code: &mut Code) {
    let mut body = core::mem::take(&mut code.body);
    let mut mentions = Mentions::of(&code.outputs, &body);
    code.sums.iter().for_each(|(sum, cell)| mentions.use_each(&[*sum, *cell].map(Operand::Value)));
    inside(code, &mentions, &mut body, false);
    code.body = body;
}

fn inside(code: &mut Code, mentions: &Mentions, block: &mut Block, in_lanes: bool) {
    let old = core::mem::take(block);
    for mut stm in old {
        match &stm {
            Stm::For { index, count, body, .. } if in_lanes => {
                let count = count.as_int().filter(|count| (2..=MOST).contains(&(count * body.len().max(1) as i64)));
                if let Some(count) = count
                    && (count < LONG || body.iter().any(|stm| touches_own(code, stm)))
                    && goes_along_rows(code, *index, body)
                {
                    (0..count).for_each(|k| iteration(code, mentions, (*index, k), body, block));
                    continue;
                }
            }
            _ => {}
        }
        let in_lanes = in_lanes || matches!(stm, Stm::Lanes(_));
        stm.blocks_mut().into_iter().for_each(|inner| inside(code, mentions, inner, in_lanes));
        block.push(stm);
    }
}

fn touches_own(code: &Code, stm: &Stm) -> bool {
    stm.touches().iter().any(|(buffer, ..)| code.buffers[buffer.0 as usize].private)
}

/// Whether a loop does nothing but to compute, load and store, and lanes take the elements of rows of their own in turn.
fn goes_along_rows(code: &Code, index: Value, body: &Block) -> bool {
    let index = Operand::Value(index);
    let is_along = |place: &Place| {
        let is_shared = !code.buffers[place.buffer.0 as usize].private;
        let has_rows = place.varying.is_some() || place.lane.is_some_and(|by| by.as_int() != Some(1));
        let is_next = |(i, by): (Operand, Operand)| i == index && by.as_int() == Some(1);
        is_shared && has_rows && (place.base == index || place.step.is_some_and(is_next))
    };
    let is_simple = |stm: &Stm| match stm {
        Stm::Let(..) | Stm::Load(..) => true,
        Stm::Store { mask, .. } => mask.is_none(),
        _ => false,
    };
    body.iter().all(is_simple) && body.iter().any(|stm| stm.element().is_some_and(|(place, _)| is_along(place)))
}

/// Writes one of the iterations.
fn iteration(code: &mut Code, mentions: &Mentions, (index, k): (Value, i64), body: &Block, to: &mut Block) {
    let (mut new, within) = (body.clone(), Mentions::within(body));
    let mut names: FxHashMap<Value, Value> = FxHashMap::default();
    for value in body.iter().flat_map(Stm::sets) {
        let (all, here) = (mentions.get(value), within.get(value));
        if all.is_set_once() && all.used == here.used {
            names.insert(value, Value(code.values.len() as u32));
            code.values.push(code.values[value.0 as usize]);
        }
    }
    new.iter_mut().for_each(|stm| rename(stm, &names));
    replace(&mut new, Operand::Value(index), Operand::int(k));
    new.iter_mut().filter_map(Stm::element_mut).for_each(put_together);
    to.extend(new);
}

/// Adds what is known of a place's number to what all lanes have in common of it.
fn put_together(place: &mut Place) {
    let Some((Some(i), Some(by))) = place.step.map(|(i, by)| (i.as_int(), by.as_int())) else { return };
    let Some(known) = i.checked_mul(by) else { return };
    match place.base.as_int() {
        Some(base) => (place.base, place.step) = (Operand::int(base.wrapping_add(known)), None),
        None => (place.base, place.step) = (Operand::int(known), Some((place.base, Operand::int(1)))),
    }
}

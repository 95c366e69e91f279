//! Rows of a few elements that are side by side, one for each lane: loaded and stored as a vector for each, which are turned.
//!
//! Lanes that take the first elements of their rows, and then the second ones, load each element by itself.
//!
//! Law: the elements are those that would be loaded or stored one after the other (laws: executors::suite, tests/execute/in_c.rs).

use super::operation::Width;
use super::place::Reach;
use super::print::Printer;
use crate::array::Prim;
use crate::kernel::code::{Operand, Place, Stm};

/// The most elements of a row.
const MOST: i64 = 4;

/// Which element of a row it is, and the statement that loads or stores it.
type Element<'s> = (i64, &'s Stm);

/// The elements that are side by side with one, in pieces of a few: the piece that it is in, in order.
fn beside(mut all: Vec<Element<'_>>, at: i64) -> Vec<Element<'_>> {
    all.sort_by_key(|(k, _)| *k);
    let is_there = |k: i64| all.binary_search_by_key(&k, |(k, _)| *k).is_ok();
    let first = (0..=at).rev().take_while(|k| is_there(*k)).last().unwrap_or(at);
    let from = first + (at - first) / MOST * MOST;
    let to = (from..from + MOST).take_while(|k| is_there(*k)).last().unwrap_or(at);
    all.retain(|(k, _)| (from..=to).contains(k));
    all
}

/// The place that a statement loads from, or stores to in all lanes.
fn place_of(stm: &Stm) -> Option<&Place> {
    match stm {
        Stm::Load(_, place) | Stm::Store { place, mask: None, .. } => Some(place),
        _ => None,
    }
}

impl Printer<'_> {
    /// Which element of rows is at a place, if it is known to be there and can be turned.
    fn element_of_row(&self, place: &Place, stores: bool) -> Option<i64> {
        let info = self.code.buffers[place.buffer.0 as usize];
        let has_rows = match (place.varying, place.lane.map(|by| by.as_int())) {
            (Some(_), _) => !stores,
            (None, Some(by)) => by != Some(1) && (!stores || by.is_some_and(|by| by >= MOST || by == MOST - 1)),
            (None, None) => false,
        };
        let is_whole = match info.prim {
            Prim::F64 => self.code.precision == Prim::F64,
            prim => prim == Prim::I64,
        };
        let turns = self.in_lanes && self.along.is_none() && has_rows && is_whole && !info.private && place.inside.0;
        place.base.as_int().filter(|at| turns && *at >= 0)
    }

    /// The statements of a block that can be carried out together with the first one, of elements of the same rows.
    fn together<'s>(&self, block: &'s [Stm], of: &Place, stores: bool) -> Vec<Element<'s>> {
        let is_of_rows = |place: &Place| Place { base: of.base, ..*place } == *of;
        let mut fixed: Vec<Operand> = block[0].operands();
        let mut all: Vec<Element<'s>> = Vec::new();
        for stm in block {
            let is_simple = matches!(stm, Stm::Let(..) | Stm::Load(..) | Stm::Store { .. });
            if !is_simple || stm.sets().into_iter().any(|value| fixed.contains(&Operand::Value(value))) {
                break;
            }
            let is_one = matches!(stm, Stm::Store { .. }) == stores && place_of(stm).is_some_and(is_of_rows);
            match place_of(stm).filter(|_| is_one).and_then(|place| self.element_of_row(place, stores)) {
                Some(k) if all.iter().all(|(other, _)| *other != k) && self.is_bound_once(stm) => {
                    fixed.extend(stm.operands());
                    all.push((k, stm));
                }
                Some(_) => break,
                None if stm.touches().iter().any(|(b, access, _)| *b == of.buffer && (stores || access.changes())) => {
                    break;
                }
                None => {}
            }
        }
        all
    }

    /// Whether what a statement sets is not set again.
    fn is_bound_once(&self, stm: &Stm) -> bool {
        stm.sets().into_iter().all(|value| self.mentions.get(value).is_set_once())
    }

    /// Plans what becomes of the first statement of a block and of those that are carried out with it, if some are.
    pub(super) fn plan_rows(&mut self, block: &[Stm]) {
        let [first, ..] = block else { return };
        let stores = matches!(first, Stm::Store { .. });
        let Some(of) = place_of(first).filter(|_| !self.planned.contains_key(&core::ptr::from_ref(first))) else {
            return;
        };
        let Some(at) = self.element_of_row(of, stores) else { return };
        let row = beside(self.together(block, of, stores), at);
        let [(from, _), _, ..] = row[..] else { return };
        let (m, b, stored) = (row.len(), of.buffer.0, self.stored(of.buffer));
        let fits = of.lane.and_then(|by| by.as_int()).is_some_and(|by| by >= m as i64);
        let to = format!("b{b}, n{b}");
        let place = match self.reach(&Place { base: Operand::int(from), ..*of }) {
            Reach::Apart(at, by) => format!("apart_{stored}({to}, {at}, {by}, {m}"),
            Reach::At(at) => format!("at_{stored}({to}, {at}, {m}"),
            Reach::Same(_) | Reach::Own(_) | Reach::OwnAt(_) => return,
        };
        if stores && !fits {
            return;
        }
        self.needs.rows.insert(stored);
        if stores {
            let values = row.iter().filter_map(|(_, stm)| match stm {
                Stm::Store { value, .. } => Some(self.operand(*value, Width::Wide)),
                _ => None,
            });
            let values: Vec<String> = values.collect();
            let text = format!("setrows{place}, (const {stored}_w[]){{{}}}, n);", values.join(", "));
            let last = row.iter().map(|(_, stm)| core::ptr::from_ref(*stm)).max();
            for (_, stm) in row {
                let stm = core::ptr::from_ref(stm);
                self.planned.insert(stm, if Some(stm) == last { text.clone() } else { String::new() });
            }
        } else {
            // Named after one of them, since other rows of the buffer may be loaded beside.
            let rows = format!("rows{}", first.sets()[0].0);
            self.line(&format!("{stored}_w {rows}[{m}];"));
            self.line(&format!("rows{place}, {rows}, n);"));
            for (k, (_, stm)) in row.into_iter().enumerate() {
                self.planned.insert(core::ptr::from_ref(stm), format!("{rows}[{k}]"));
            }
        }
    }

    /// A statement that is planned.
    pub(super) fn planned(&mut self, stm: &Stm, text: &str) {
        match stm {
            Stm::Load(value, _) => self.bind(*value, text),
            _ if text.is_empty() => {}
            _ => self.line(text),
        }
    }
}

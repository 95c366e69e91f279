//! Elements of buffers as C: where they are, and how lanes load, store and update them.
//!
//! Law: a load outside of a buffer is 0 and a store there nothing; several lanes store and update in their order. What is inside for sure is
//! not looked at again (laws: executors::suite, tests/execute/in_c.rs, tests/execute/ranges.rs).

use super::operation::Width;
use super::print::{Printer, Step};
use crate::array::{Prim, ScalarOp};
use crate::kernel::code::{Inside, Op, Operand, Place};

/// Where the elements of the lanes are.
pub(super) enum Reach {
    /// One element for all.
    Same(String),
    /// A row of the lanes' own elements, or a row for each.
    Own(String),
    OwnAt(String),
    /// Of the first lane, and how far the next ones are.
    Apart(String, String),
    /// Anywhere.
    At(String),
}

/// What the names of functions say of an element, and what else they are given of lanes that it is inside for.
fn said(place: &Place) -> (&'static str, &'static str) {
    let Inside(inside) = place.inside;
    if inside { ("in", ", n") } else { ("", "") }
}

impl Printer<'_> {
    fn sum(a: String, b: String) -> String {
        match (a.as_str(), b.as_str()) {
            ("0", _) => b,
            (_, "0") => a,
            _ => format!("addi_1({a}, {b})"),
        }
    }

    fn times(a: String, b: String) -> String {
        match (a.as_str(), b.as_str()) {
            ("0", _) | (_, "0") => "0".to_owned(),
            ("1", _) => b,
            (_, "1") => a,
            _ => format!("muli_1({a}, {b})"),
        }
    }

    /// What all lanes have in common of the number of an element.
    pub(super) fn start(&self, place: &Place) -> String {
        let step = place.step.map_or_else(|| "0".to_owned(), |(i, by)| Self::times(self.plain(i), self.plain(by)));
        Self::sum(self.plain(place.base), step)
    }

    pub(super) fn reach(&self, place: &Place) -> Reach {
        let start = self.start(place);
        if self.along.is_some() {
            return match self.row_of_lane(place) {
                Some(at) => Reach::Apart(at, "1".to_owned()),
                None => Reach::Same(self.at_of_lane(place)),
            };
        }
        let is_own = self.code.buffers[place.buffer.0 as usize].private;
        let varying = place.varying.map(|varying| self.operand(varying, Width::Wide));
        match (is_own, place.lane, varying) {
            (true, _, None) => Reach::Own(start),
            (true, _, Some(at)) => Reach::OwnAt(format!("addi_w(alli_w({start}), {at})")),
            (false, None, None) => Reach::Same(start),
            (false, Some(by), None) => {
                let by = self.plain(by);
                Reach::Apart(Self::sum(start, Self::times(by.clone(), "first".to_owned())), by)
            }
            (false, None, Some(at)) if start == "0" => Reach::At(at),
            (false, None, Some(at)) => Reach::At(format!("addi_w(alli_w({start}), {at})")),
            (false, Some(by), Some(at)) => {
                let first = Self::sum(start, Self::times(self.plain(by), "first".to_owned()));
                let by = self.plain(by);
                Reach::At(format!("addi_w(apart_w({first}, {by}), {at})"))
            }
        }
    }

    /// Where an element is of the lane whose row is gone along.
    fn at_of_lane(&self, place: &Place) -> String {
        let own = place.varying.map_or_else(|| "0".to_owned(), |varying| self.one_of(varying));
        let lane = place.lane.map_or_else(|| "0".to_owned(), |by| Self::times(self.plain(by), "lane".to_owned()));
        Self::sum(Self::sum(self.start(place), lane), own)
    }

    /// The same, if it is an element of the row.
    pub(super) fn row_of_lane(&self, place: &Place) -> Option<String> {
        self.along.as_ref().filter(|along| along.is_row(place)).map(|_| self.at_of_lane(place))
    }

    /// Whether what is there of a row is known to be in its buffer.
    fn is_whole_row(&self, place: &Place) -> bool {
        self.along.as_ref().is_some_and(|along| along.whole && along.is_row(place))
    }

    /// What the lane has whose row is gone along.
    fn one_of(&self, varying: Operand) -> String {
        match varying {
            Operand::Value(value) if self.varies(varying) => format!("one{}", value.0),
            same => self.plain(same),
        }
    }

    /// The elements at a place, as registers hold them.
    pub(super) fn load(&mut self, place: &Place, width: Width) -> String {
        let (b, stored) = (place.buffer.0, self.stored(place.buffer));
        let prim = self.element(place.buffer);
        let from = format!("b{b}, n{b}");
        let register = self.register(prim);
        let (of, lanes) = said(place);
        let text = match self.reach(place) {
            Reach::Same(at) => {
                let one = format!("load{of}_{stored}({from}, {at})");
                let one = if prim == Prim::Bool { format!("negi_1({one})") } else { one };
                return if width == Width::Wide { self.in_all_lanes(prim, &one) } else { one };
            }
            // What lanes have of their own is as in registers.
            Reach::Own(row) => return format!("own{of}_{register}({from}, {row})"),
            Reach::OwnAt(rows) => return format!("ownat{of}_{register}({from}, {rows}{lanes})"),
            Reach::Apart(at, _) if self.is_whole_row(place) => format!("whole_{stored}(b{b}, {at})"),
            Reach::Apart(at, by) if by == "1" => format!("row{of}_{stored}({from}, {at}{lanes})"),
            Reach::Apart(at, by) => format!("apart{of}_{stored}({from}, {at}, {by}{lanes})"),
            Reach::At(at) => format!("gather{of}_{stored}({from}, {at}{lanes})"),
        };
        if prim == Prim::Bool { format!("negi_w({text})") } else { text }
    }

    /// A value as it is in memory.
    pub(super) fn to_memory(prim: Prim, x: String) -> String {
        if prim == Prim::Bool { format!("{x} & 1") } else { x }
    }

    pub(super) fn store(&mut self, place: &Place, value: Operand, mask: Option<Operand>) {
        let (b, prim) = (place.buffer.0, self.element(place.buffer));
        let (of, _) = said(place);
        if !self.in_lanes {
            let stored = self.stored(place.buffer);
            let x = Self::to_memory(prim, self.plain(value));
            let at = self.start(place);
            let guard = mask.map_or_else(String::new, |mask| format!("if ({}) ", self.plain(mask)));
            return self.line(&format!("{guard}store{of}_{stored}(b{b}, n{b}, {at}, {x});"));
        }
        let x = self.operand(value, Width::Wide);
        self.put(place, x, mask);
    }

    /// Stores a value for each lane.
    fn put(&mut self, place: &Place, x: String, mask: Option<Operand>) {
        let (b, prim, register) =
            (place.buffer.0, self.element(place.buffer), self.register(self.element(place.buffer)));
        let to = format!("b{b}, n{b}");
        let (of, _) = said(place);
        let reach = self.reach(place);
        if let Reach::Own(row) = &reach {
            let x = match mask {
                None => x,
                Some(mask) => {
                    let mask = self.operand(mask, Width::Wide);
                    self.select(prim, Width::Wide, [&mask, &x, &format!("own{of}_{register}({to}, {row})")])
                }
            };
            return self.line(&format!("setown{of}_{register}({to}, {row}, {x});"));
        }
        let mask_text = self.lanes_where(mask);
        if let Reach::OwnAt(rows) = &reach {
            return self.line(&format!("setownat{of}_{register}({to}, {rows}, {x}, {mask_text});"));
        }
        let stored = self.stored(place.buffer);
        let x = Self::to_memory(prim, x);
        let text = match (reach, mask) {
            (Reach::Apart(at, _), None) if self.is_whole_row(place) => format!("setwhole_{stored}(b{b}, {at}, {x});"),
            (Reach::Apart(at, by), None) if by == "1" => format!("setrow{of}_{stored}({to}, {at}, {x}, n);"),
            (Reach::Apart(at, by), None) => format!("setapart{of}_{stored}({to}, {at}, {by}, {x}, n);"),
            (Reach::Apart(at, by), Some(_)) => {
                format!("scatter{of}_{stored}({to}, apart_w({at}, {by}), {x}, {mask_text});")
            }
            (Reach::Same(at), _) => format!("scatter{of}_{stored}({to}, alli_w({at}), {x}, {mask_text});"),
            (Reach::At(at), _) => format!("scatter{of}_{stored}({to}, {at}, {x}, {mask_text});"),
            (Reach::Own(_) | Reach::OwnAt(_), _) => unreachable!("lanes' own elements are stored above"),
        };
        self.line(&text);
    }

    pub(super) fn update(&mut self, op: ScalarOp, place: &Place, value: Operand, mask: Option<Operand>) -> Step<()> {
        assert_eq!(op, ScalarOp::Add, "this target asks for sums alone");
        let prim = self.element(place.buffer);
        let b = place.buffer.0;
        let (of, _) = said(place);
        if !self.in_lanes {
            let stored = self.stored(place.buffer);
            let at = self.start(place);
            let old = self.load(place, Width::One);
            let new = self.operation(Op::Scalar(op), prim, prim, Width::One, &[old, self.plain(value)])?;
            let new = Self::to_memory(prim, format!("({new})"));
            let guard = mask.map_or_else(String::new, |mask| format!("if ({}) ", self.plain(mask)));
            self.line(&format!("{guard}store{of}_{stored}(b{b}, n{b}, {at}, {new});"));
            return Ok(());
        }
        let x = self.operand(value, Width::Wide);
        match self.reach(place) {
            Reach::Own(_) | Reach::OwnAt(_) | Reach::Apart(..) => {
                let old = self.load(place, Width::Wide);
                let new = self.operation(Op::Scalar(op), prim, prim, Width::Wide, &[old, x])?;
                self.put(place, format!("({new})"), mask);
            }
            // What is not rounded on the way may be added in any order.
            Reach::Same(at) if prim == self.code.precision => {
                let (stored, zero) = (self.stored(place.buffer), self.in_all_lanes(prim, "0"));
                let counted = self.select(prim, Width::Wide, [&self.lanes_where(mask), &x, &zero]);
                let letter = if prim == Prim::F32 { "f" } else { "" };
                let old = format!("load{of}_{stored}(b{b}, n{b}, {at})");
                self.line(&format!("store{of}_{stored}(b{b}, n{b}, {at}, {old} + sum{letter}_w({counted}));"));
            }
            Reach::Same(at) => self.one_by_one(place, &format!("alli_w({at})"), x, mask)?,
            Reach::At(at) => self.one_by_one(place, &at, x, mask)?,
        }
        Ok(())
    }

    /// Updates elements that several lanes may have in common.
    fn one_by_one(&mut self, place: &Place, at: &str, x: String, mask: Option<Operand>) -> Step<()> {
        let (b, prim, stored) = (place.buffer.0, self.element(place.buffer), self.stored(place.buffer));
        let (of, _) = said(place);
        self.open("{");
        self.line(&format!("const i64_w at = {at}, where = {};", self.lanes_where(mask)));
        self.line(&format!("const {}_w x = {x};", self.register(prim)));
        self.open("EACH_LANE(k) if (where[k]) {");
        let old = format!("load{of}_{stored}(b{b}, n{b}, at[k])");
        let old = if prim == Prim::Bool { format!("negi_1({old})") } else { old };
        let new = self.operation(Op::Scalar(ScalarOp::Add), prim, prim, Width::One, &[old, "x[k]".to_owned()])?;
        let new = Self::to_memory(prim, format!("({new})"));
        self.line(&format!("store{of}_{stored}(b{b}, n{b}, at[k], {new});"));
        self.close();
        self.close();
        Ok(())
    }
}

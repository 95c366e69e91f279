//! Loops in which each lane goes along a row of its own, as loops of vectors along the rows, a lane after the other.
//!
//! Lanes that load from rows at any places take an element of each, which is somewhere else for each; along a row elements are side by side.
//!
//! Law: each element is computed by the same operations, whichever way (laws: executors::suite, tests/execute/along.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::operation::Width;
use super::print::{Printer, Step};
use crate::array::{Prim, ScalarOp};
use crate::kernel::code::{Block, Buffer, Op, Operand, Place, Stm, Value};

/// Fewer elements than this are not worth vectors.
const LEAST: i64 = 8;

/// How elements of a loop's places follow one another, where the loop can go along rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Along {
    /// The integers that are set in the loop: whether they are one more in the next iteration, or the same.
    moves: FxHashMap<Value, bool>,
    /// All that is set in the loop.
    set: FxHashSet<Value>,
    /// What is the same for all lanes, and another for each element of a row.
    wide: FxHashSet<Value>,
    loaded: FxHashSet<Buffer>,
    stored: FxHashSet<Buffer>,
    /// Whether some row is at a place of the lane's.
    pays: bool,
    /// Whether rows are known to be in their buffers, where the loop is being written.
    pub(super) whole: bool,
}

impl Along {
    /// Of a loop with this index, if all that it does can be done so.
    fn of(printer: &Printer<'_>, index: Value, body: &Block) -> Option<Self> {
        let mut along = Along { moves: [(index, true)].into_iter().collect(), ..Along::default() };
        along.set.insert(index);
        body.iter().try_for_each(|stm| along.statement(printer, stm))?;
        let stays_inside = along.set.iter().all(|value| !printer.hoisted.contains(value));
        (along.pays && stays_inside && along.loaded.is_disjoint(&along.stored)).then_some(along)
    }

    /// Whether an operand is one more in the next iteration, if it is not another.
    fn moves(&self, operand: Operand) -> Option<bool> {
        match operand.value() {
            Some(value) if self.set.contains(&value) => self.moves.get(&value).copied(),
            _ => Some(false),
        }
    }

    fn statement(&mut self, printer: &Printer<'_>, stm: &Stm) -> Option<()> {
        match stm {
            Stm::Let(value, op, operands) => {
                let prim = printer.code.prim(Operand::Value(*value));
                let is_index = !prim.is_real() && prim != Prim::Bool;
                if is_index {
                    let moving = operands.iter().map(|x| self.moves(*x)).collect::<Option<Vec<bool>>>()?;
                    let moves = match (op, &moving[..]) {
                        _ if !moving.contains(&true) => false,
                        (Op::Scalar(ScalarOp::Add), [a, b]) => a != b,
                        _ => return None,
                    };
                    if printer.width(*value) == Width::Wide {
                        return None;
                    }
                    self.moves.insert(*value, moves);
                } else {
                    if operands.iter().filter_map(|x| x.value()).any(|x| self.moves.get(&x) == Some(&true)) {
                        return None;
                    }
                    if printer.width(*value) == Width::One && operands.iter().any(|x| self.is_wide(*x)) {
                        self.wide.insert(*value);
                    }
                }
                self.set.insert(*value);
            }
            Stm::Load(value, place) => {
                let along = self.place(printer, place)?;
                if !printer.element(place.buffer).is_real() {
                    return None;
                }
                if along && printer.width(*value) == Width::One {
                    self.wide.insert(*value);
                }
                self.pays |= along && is_own(place);
                self.loaded.insert(place.buffer);
                self.set.insert(*value);
            }
            Stm::Store { place, mask: None, .. } => {
                let is_row = self.place(printer, place)? && is_own(place) && printer.element(place.buffer).is_real();
                // Of two stores into one row the later one of an iteration may be undone by the earlier one of the next.
                if !is_row || !self.stored.insert(place.buffer) {
                    return None;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether a place is that of the next element in the next iteration, or the same; none if neither, or if lanes are side by side.
    fn place(&self, printer: &Printer<'_>, place: &Place) -> Option<bool> {
        let is_fixed = |x: Option<Operand>| x.is_none_or(|x| self.moves(x) == Some(false));
        let is_one = |x: Operand| x.as_int() == Some(1);
        if printer.code.buffers[place.buffer.0 as usize].private || !is_fixed(place.lane) || !is_fixed(place.varying) {
            return None;
        }
        let step = match place.step {
            None => false,
            Some((i, by)) => match (self.moves(i)?, self.moves(by)?) {
                (false, false) => false,
                (true, false) if is_one(by) => true,
                _ => return None,
            },
        };
        let moves = match (self.moves(place.base)?, step) {
            (true, true) => return None,
            (base, step) => base || step,
        };
        let side_by_side = place.varying.is_none() && place.lane.is_some_and(is_one);
        (!side_by_side).then_some(moves)
    }

    /// Whether an operand is another for each element of a row, and not for each lane.
    pub(super) fn is_wide(&self, operand: Operand) -> bool {
        operand.value().is_some_and(|value| self.wide.contains(&value))
    }

    /// Whether elements at this place are side by side along the row.
    pub(super) fn is_row(&self, place: &Place) -> bool {
        let moves = |x: Operand| self.moves(x) == Some(true);
        moves(place.base) || place.step.is_some_and(|(i, _)| moves(i))
    }
}

/// Whether lanes have elements of their own at a place.
fn is_own(place: &Place) -> bool {
    place.varying.is_some() || place.lane.is_some()
}

impl Printer<'_> {
    /// A loop along rows, if it can be one.
    pub(super) fn along(&mut self, index: Value, count: Operand, body: &Block) -> Option<Step<()>> {
        let is_long = count.as_int().is_none_or(|count| count >= LEAST);
        if !self.in_lanes || self.along.is_some() || !is_long {
            return None;
        }
        let along = Along::of(self, index, body)?;
        Some(match count.as_int() {
            Some(_) => self.along_rows(index, count, body, along),
            None => self.either(index, count, body, along),
        })
    }

    /// Along rows if these are long.
    fn either(&mut self, index: Value, count: Operand, body: &Block, along: Along) -> Step<()> {
        let text = self.plain(count);
        self.open(&format!("if ({text} >= {LEAST}) {{"));
        self.along_rows(index, count, body, along)?;
        self.close();
        self.open("else {");
        self.one_after_another(index, count, body)?;
        self.close();
        Ok(())
    }

    fn along_rows(&mut self, index: Value, count: Operand, body: &Block, along: Along) -> Step<()> {
        let mut outside: Vec<Value> = body
            .iter()
            .flat_map(Stm::operands)
            .filter_map(Operand::value)
            .filter(|value| !along.set.contains(value) && self.width(*value) == Width::Wide)
            .collect();
        outside.sort_unstable();
        outside.dedup();
        let (i, count) = (format!("i{}", index.0), self.plain(count));
        if self.watched {
            self.line(&format!("TICK(maxi_1({count}, 0));"));
        }
        // In memory before the lanes: compilers would put a whole vector there again to take each number of it, behind the rows that are stored.
        let each = |value: &Value| format!("each{}_{}", value.0, index.0);
        for value in &outside {
            let (register, each) = (self.register(self.code.prim(Operand::Value(*value))), each(value));
            self.line(&format!("{register}_1 {each}[W];"));
            self.line(&format!("memcpy({each}, &v{}, sizeof {each});", value.0));
        }
        self.open("for (int k = 0; k < W && k < n; k++) {");
        self.line("const i64_1 lane = addi_1(first, k);");
        self.line("(void)lane;");
        for value in &outside {
            let register = self.register(self.code.prim(Operand::Value(*value)));
            self.line(&format!("const {register}_1 one{} = {}[k];", value.0, each(value)));
        }
        self.along = Some(along);
        let done = self.rows_in_memory(index, &count, body).and_then(|()| {
            let all = |this: &mut Self| {
                for value in &outside {
                    let prim = this.code.prim(Operand::Value(*value));
                    let (register, all) = (this.register(prim), this.in_all_lanes(prim, &format!("one{}", value.0)));
                    this.line(&format!("const {register}_w v{} = {all};", value.0));
                }
                this.bind(index, &i);
                this.block(body)
            };
            // The last vector ends where the row does, and has elements of the one before once more.
            self.open(&format!("for (i64_1 {i} = 0, next = 0; {i} < {count}; {i} = next) {{"));
            self.line(&format!("next = {i} + 2 * W <= {count} || {i} + W >= {count} ? {i} + W : {count} - W;"));
            self.line("const int n = W;");
            self.set_whole_rows(true);
            let whole = all(self);
            self.set_whole_rows(false);
            self.close();
            self.close();
            self.open("else {");
            self.open(&format!("for (i64_1 {i} = 0; {i} < {count}; {i} += W) {{"));
            self.line(&format!("const int n = {count} - {i} < W ? (int)({count} - {i}) : W;"));
            let careful = all(self);
            self.close();
            self.close();
            whole.and(careful)
        });
        self.along = None;
        self.close();
        done
    }

    /// Opens what is done where all rows are in their buffers.
    fn rows_in_memory(&mut self, index: Value, count: &str, body: &Block) -> Step<()> {
        self.line("int is_in = 1;");
        self.open("{");
        self.bind(index, "0");
        for stm in body {
            match stm {
                // Numbers of elements depend on others alone.
                Stm::Let(value, op, operands)
                    if self.along.as_ref().is_some_and(|along| along.moves.contains_key(value)) =>
                {
                    let text = self.expression(*value, *op, operands)?;
                    self.bind(*value, &text);
                    self.line(&format!("(void)v{};", value.0));
                }
                Stm::Load(_, place) | Stm::Store { place, .. } => {
                    if let Some(at) = self.row_of_lane(place) {
                        self.line(&format!("is_in &= ARE_THERE({at}, {count}, n{});", place.buffer.0));
                    }
                }
                _ => {}
            }
        }
        self.close();
        self.open(&format!("if (__builtin_expect(is_in && {count} >= W, 1)) {{"));
        Ok(())
    }

    fn set_whole_rows(&mut self, whole: bool) {
        if let Some(along) = &mut self.along {
            along.whole = whole;
        }
    }
}

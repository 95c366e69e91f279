//! What statements are made of, declared once for each: the operands that they use, the values that they set, the buffers that
//! they touch, and the blocks inside.
//!
//! Law: reading, rewriting and renumbering follow from the declaration: nothing else in this room says what a statement
//! uses, sets or touches (tests/execute/lanes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{
    Blame, Block, Buffer, Call, Fold, Hist, Lanes, Line, Matrix, Operand, Output, Place, Product, Room, Scan, Stm,
    Value,
};

/// What a statement does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Reads,
    Writes,
    Adds,
    Resizes,
    Exchanges,
    /// Leaves there what lanes have folded, and combines that.
    Collects,
}

/// A part of a statement.
enum Part<O, V, B, P, L, S> {
    Uses(O),
    Sets(V),
    /// A cell that is set, and used as it was before.
    Folds(V),
    Touches(B, Access),
    /// One element of a buffer.
    Element(P, Access),
    /// Elements of a buffer, side by side.
    Line(L, Access),
    Runs(S),
}

type Read<'s> = Part<&'s Operand, &'s Value, &'s Buffer, &'s Place, &'s Line, &'s Block>;
type Change<'s> = Part<&'s mut Operand, &'s mut Value, &'s mut Buffer, &'s mut Place, &'s mut Line, &'s mut Block>;

/// What a word of a declaration says of a field.
macro_rules! part {
    ($visit:ident $walk:ident uses $x:ident) => {
        $visit(Part::Uses($x))
    };
    ($visit:ident $walk:ident uses_each $x:ident) => {
        for x in $x {
            $visit(Part::Uses(x))
        }
    };
    ($visit:ident $walk:ident sets $x:ident) => {
        $visit(Part::Sets($x))
    };
    ($visit:ident $walk:ident sets_each $x:ident) => {
        for x in $x {
            $visit(Part::Sets(x))
        }
    };
    ($visit:ident $walk:ident folds $x:ident) => {
        $visit(Part::Folds($x))
    };
    ($visit:ident $walk:ident assigns $cells:ident) => {
        for (cell, x) in $cells {
            $visit(Part::Sets(cell));
            $visit(Part::Uses(x));
        }
    };
    ($visit:ident $walk:ident reads $place:ident) => {
        $visit(Part::Element($place, Access::Reads))
    };
    ($visit:ident $walk:ident writes $place:ident) => {
        $visit(Part::Element($place, Access::Writes))
    };
    ($visit:ident $walk:ident adds $place:ident) => {
        $visit(Part::Element($place, Access::Adds))
    };
    ($visit:ident $walk:ident touches $buffer:ident ($access:expr)) => {
        $visit(Part::Touches($buffer, $access))
    };
    ($visit:ident $walk:ident touches_each $buffers:ident ($access:expr)) => {
        for buffer in $buffers {
            $visit(Part::Touches(buffer, $access))
        }
    };
    ($visit:ident $walk:ident shares_out $writes:ident) => {
        for (buffer, part, start) in $writes {
            $visit(Part::Touches(buffer, Access::Writes));
            $visit(Part::Uses(part));
            $visit(Part::Uses(start));
        }
    };
    ($visit:ident $walk:ident line $line:ident ($access:expr)) => {
        $visit(Part::Line($line, $access))
    };
    ($visit:ident $walk:ident lines $lines:ident ($access:expr)) => {
        for line in $lines {
            $visit(Part::Line(line, $access))
        }
    };
    ($visit:ident $walk:ident lines_there $lines:ident ($access:expr)) => {
        for line in $lines {
            for line in line {
                $visit(Part::Line(line, $access))
            }
        }
    };
    ($visit:ident $walk:ident runs $block:ident) => {
        $visit(Part::Runs($block))
    };
    ($visit:ident $walk:ident inside $x:ident) => {
        $x.$walk($visit)
    };
    ($visit:ident $walk:ident inside_each $x:ident) => {
        for x in $x {
            x.$walk($visit)
        }
    };
}

/// Walks through the parts of a type, from one declaration of them: to read them, and to change them.
macro_rules! declare {
    ($type:ident: $($pattern:pat => [$($role:ident $field:ident $(($access:expr))?),* $(,)?])*) => {
        #[allow(for_loops_over_fallibles, reason = "a word says the same of lists and of what may not be there")]
        impl $type {
            fn parts<'s>(&'s self, _visit: &mut dyn FnMut(Read<'s>)) {
                match self { $($pattern => { $(part!(_visit parts $role $field $(($access))?);)* })* }
            }

            fn parts_mut<'s>(&'s mut self, _visit: &mut dyn FnMut(Change<'s>)) {
                match self { $($pattern => { $(part!(_visit parts_mut $role $field $(($access))?);)* })* }
            }
        }
    };
}

declare! { Stm:
    Stm::Let(value, _, operands) => [sets value, uses_each operands]
    Stm::Load(value, place) => [sets value, reads place]
    Stm::Store { place, value, mask } => [writes place, uses value, uses_each mask]
    Stm::Update { op: _, place, value, mask } => [adds place, uses value, uses_each mask]
    Stm::Alloc(buffer, count) => [touches buffer (Access::Resizes), uses count]
    Stm::Swap(a, b) => [touches a (Access::Exchanges), touches b (Access::Exchanges)]
    Stm::Assign { cells, mask } => [assigns cells, uses_each mask]
    Stm::Check { condition, mask, blame } => [uses condition, uses_each mask, inside_each blame]
    Stm::Bounds { index, length, mask, blame } => [uses index, uses length, uses_each mask, inside_each blame]
    Stm::For { index, count, body, origin: _ } => [sets index, uses count, runs body]
    Stm::While { before, condition, body, origin: _ } => [runs before, uses condition, runs body]
    Stm::If { condition, yes, no } => [uses condition, runs yes, runs no]
    Stm::Lanes(lanes) => [inside lanes]
    Stm::Product(product) => [inside product]
    Stm::Scan(scan) => [inside scan]
    Stm::Hist(hist) => [inside hist]
    Stm::Call(call) => [inside call]
}

declare! { Blame: Blame { operands, .. } => [uses_each operands] }

declare! { Lanes:
    Lanes { index, count, body, writes, adds, scatters, folds, folded, origin: _ } => [
        sets index, sets_each folded, uses count, shares_out writes, touches_each adds (Access::Adds),
        touches_each scatters (Access::Writes), inside_each folds, runs body,
    ]
}

declare! { Fold:
    Fold { cell, start, found, op: _ } => [folds cell, uses start, touches found (Access::Collects)]
}

declare! { Product:
    Product { sizes, matrix: Matrix { buffer, base, strides }, rows, columns, adds, origin: _ } => [
        uses_each sizes, touches buffer (if *adds { Access::Adds } else { Access::Reads }), uses base, uses_each strides,
        line rows (if *adds { Access::Reads } else { Access::Writes }), line columns (Access::Reads),
    ]
}

declare! { Scan:
    Scan { operator: _, count, start, from, to, origin: _ } => [
        uses count, uses_each start, lines from (Access::Reads), lines_there to (Access::Writes),
    ]
}

declare! { Hist:
    Hist { operator: _, count, bins, neutral, indices, values, to, origin: _ } => [
        uses count, uses bins, uses neutral, line indices (Access::Reads), line values (Access::Reads), line to (Access::Adds),
    ]
}

declare! { Call: Call { it: _, arguments, results, blame } => [inside_each arguments, inside_each results, inside_each blame] }

declare! { Output:
    Output::Scalar(operand) => [uses operand]
    Output::Array { buffer, sizes, prim: _ } => [touches buffer (Access::Reads), uses_each sizes]
}

declare! { Room:
    Room::Scalar(value) => [sets value]
    Room::Array { buffer, sizes } => [touches buffer (Access::Writes), uses_each sizes]
}

impl Access {
    /// Whether the buffer is not what it was, or not where it was.
    pub(crate) fn changes(self) -> bool {
        self != Access::Reads
    }

    /// Whether it matters what the buffer holds.
    pub(crate) fn looks(self) -> bool {
        matches!(self, Access::Reads | Access::Adds | Access::Exchanges | Access::Collects)
    }
}

impl Stm {
    /// The operands of the statement itself, not of those inside.
    pub(crate) fn operands(&self) -> Vec<Operand> {
        let mut all = Vec::new();
        self.parts(&mut |part| match part {
            Part::Uses(x) => all.push(*x),
            Part::Folds(cell) => all.push(Operand::Value(*cell)),
            Part::Element(place, _) => all.extend(place.operands()),
            Part::Line(line, _) => all.extend(line.place.operands().into_iter().chain([line.stride])),
            Part::Sets(_) | Part::Touches(..) | Part::Runs(_) => {}
        });
        all
    }

    /// Puts another operand where one is in the statement itself. The cells that lanes fold into stay.
    pub(crate) fn replace(&mut self, old: Operand, new: Operand) {
        let swap = |x: &mut Operand| {
            if *x == old {
                *x = new;
            }
        };
        self.parts_mut(&mut |part| match part {
            Part::Uses(x) => swap(x),
            Part::Element(place, _) => place.operands_mut().into_iter().for_each(swap),
            Part::Line(line, _) => line.place.operands_mut().into_iter().chain([&mut line.stride]).for_each(swap),
            Part::Sets(_) | Part::Folds(_) | Part::Touches(..) | Part::Runs(_) => {}
        });
    }

    /// The values that the statement itself sets, not those inside.
    pub(crate) fn sets(&self) -> Vec<Value> {
        let mut all = Vec::new();
        self.parts(&mut |part| {
            if let Part::Sets(value) | Part::Folds(value) = part {
                all.push(*value);
            }
        });
        all
    }

    /// Gives the values that the statement itself sets other names.
    pub(crate) fn rename_sets(&mut self, names: &FxHashMap<Value, Value>) {
        self.parts_mut(&mut |part| {
            if let Part::Sets(value) | Part::Folds(value) = part {
                *value = names.get(value).copied().unwrap_or(*value);
            }
        });
    }

    /// The one element that the statement itself reads or changes.
    pub(crate) fn element(&self) -> Option<(&Place, Access)> {
        let mut found = None;
        self.parts(&mut |part| {
            if let Part::Element(place, access) = part {
                found = Some((place, access));
            }
        });
        found
    }

    /// The same, to change it.
    pub(super) fn element_mut(&mut self) -> Option<&mut Place> {
        let mut found = None;
        self.parts_mut(&mut |part| {
            if let Part::Element(place, _) = part {
                found = Some(place);
            }
        });
        found
    }

    /// The buffers that the statement itself touches, and how; with the place, if that is of one element.
    pub(crate) fn touches(&self) -> Vec<(Buffer, Access, Option<&Place>)> {
        let mut all = Vec::new();
        self.parts(&mut |part| match part {
            Part::Touches(buffer, access) => all.push((*buffer, access, None)),
            Part::Element(place, access) => all.push((place.buffer, access, Some(place))),
            Part::Line(line, access) => all.push((line.place.buffer, access, None)),
            Part::Uses(_) | Part::Sets(_) | Part::Folds(_) | Part::Runs(_) => {}
        });
        all
    }

    /// Whether the statement itself changes a buffer, or where it is.
    pub(crate) fn changes(&self, buffer: Buffer) -> bool {
        self.touches().iter().any(|(other, access, _)| *other == buffer && access.changes())
    }

    /// The blocks inside.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        let mut all = Vec::new();
        self.parts(&mut |part| {
            if let Part::Runs(block) = part {
                all.push(block);
            }
        });
        all
    }

    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Block> {
        let mut all = Vec::new();
        self.parts_mut(&mut |part| {
            if let Part::Runs(block) = part {
                all.push(block);
            }
        });
        all
    }

    /// Whether a cell may be something else after the statement.
    pub(crate) fn sets_cells(&self) -> bool {
        matches!(self, Stm::Assign { .. }) || !self.blocks().is_empty()
    }
}

/// Calls `visit` on all statements of a block, and after each on those inside of it.
pub(crate) fn each<'b>(block: &'b [Stm], visit: &mut dyn FnMut(&'b Stm)) {
    for stm in block {
        visit(stm);
        stm.blocks().into_iter().for_each(|inner| each(inner, visit));
    }
}

/// The same, to change them.
pub(crate) fn each_mut(block: &mut [Stm], visit: &mut dyn FnMut(&mut Stm)) {
    for stm in block {
        visit(stm);
        stm.blocks_mut().into_iter().for_each(|inner| each_mut(inner, visit));
    }
}

/// How often a value is set and used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) set: u32,
    pub(crate) used: u32,
    /// How often by what may set it again: an assignment, or a loop.
    as_cell: u32,
}

impl Mention {
    pub(crate) fn is_set_once(self) -> bool {
        self.set == 1 && self.as_cell == 0
    }
}

impl Mention {
    /// Whether it is set or used more often than so.
    #[cfg(feature = "jit")]
    pub(crate) fn exceeds(self, other: Mention) -> bool {
        self.set > other.set || self.used > other.used
    }
}

impl Lanes {
    /// The buffers of which several lanes may set one element: those that lanes do not each set in a row of their own.
    pub(crate) fn colliding(&self) -> Vec<Buffer> {
        let mut rows: FxHashMap<Buffer, Option<[Option<Operand>; 2]>> = FxHashMap::default();
        each(&self.body, &mut |stm| {
            if let Stm::Store { place, .. } = stm {
                let row = Some([Some(place.base), place.lane]);
                let row = row.filter(|_| place.lane.is_some() && place.varying.is_none());
                let known = rows.entry(place.buffer).or_insert(row);
                *known = known.filter(|known| Some(*known) == row);
            }
        });
        self.scatters.iter().copied().filter(|buffer| rows.get(buffer).is_some_and(Option::is_none)).collect()
    }
}

/// How often values are set and used.
#[derive(Debug, Default)]
pub(crate) struct Mentions(Vec<Mention>);

impl Mentions {
    /// In code with these outputs and this body.
    pub(crate) fn of(outputs: &[Output], body: &[Stm]) -> Self {
        let mut all = Mentions::within(body);
        outputs.iter().for_each(|output| all.use_each(&output.operands()));
        all
    }

    /// In statements, and inside of them.
    pub(crate) fn within(block: &[Stm]) -> Self {
        let mut all = Mentions::default();
        all.count(block);
        all
    }

    /// Counts those of more statements.
    pub(crate) fn count(&mut self, block: &[Stm]) {
        self.each(block, |n| *n += 1);
    }

    /// Takes back what was counted of statements.
    pub(crate) fn take_back(&mut self, block: &[Stm]) {
        self.each(block, |n| *n -= 1);
    }

    fn each(&mut self, block: &[Stm], change: impl Fn(&mut u32)) {
        each(block, &mut |stm| {
            stm.operands().into_iter().filter_map(Operand::value).for_each(|value| change(&mut self.at(value).used));
            let is_cell = !matches!(stm, Stm::Let(..) | Stm::Load(..));
            for value in stm.sets() {
                let known = self.at(value);
                change(&mut known.set);
                if is_cell {
                    change(&mut known.as_cell);
                }
            }
        });
    }

    /// Counts a use of each of these.
    pub(crate) fn use_each(&mut self, operands: &[Operand]) {
        operands.iter().filter_map(|x| x.value()).for_each(|value| self.at(value).used += 1);
    }

    fn at(&mut self, value: Value) -> &mut Mention {
        let at = value.0 as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, Mention::default());
        }
        &mut self.0[at]
    }

    pub(crate) fn get(&self, value: Value) -> Mention {
        self.0.get(value.0 as usize).copied().unwrap_or_default()
    }
}

/// All that is set, inside as well.
pub(crate) fn sets(block: &[Stm], all: &mut FxHashSet<Value>) {
    each(block, &mut |stm| all.extend(stm.sets()));
}

/// Gives values other names, where they are set and where they are used.
pub(crate) fn rename(stm: &mut Stm, names: &FxHashMap<Value, Value>) {
    each_mut(core::slice::from_mut(stm), &mut |stm| {
        stm.rename_sets(names);
        let used: FxHashSet<Operand> = stm.operands().into_iter().collect();
        for operand in used {
            if let Some(new) = operand.value().and_then(|value| names.get(&value)) {
                stm.replace(operand, Operand::Value(*new));
            }
        }
    });
}

/// Puts another operand where one is, inside as well.
pub(super) fn replace(block: &mut [Stm], old: Operand, new: Operand) {
    each_mut(block, &mut |stm| stm.replace(old, new));
}

/// The cells that are set.
pub(super) fn cells(block: &[Stm]) -> FxHashSet<Value> {
    let mut all = FxHashSet::default();
    each(block, &mut |stm| {
        if let Stm::Assign { cells, .. } = stm {
            all.extend(cells.iter().map(|(cell, _)| *cell));
        }
    });
    all
}

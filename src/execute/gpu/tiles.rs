//! Loops over lanes of which a workgroup brings the elements into its memory once for many lanes: products of matrices, distances
//! between all pairs, and what else reads one array by rows and another by columns in a loop.
//!
//! The lanes are the elements of matrices, and the loop of a lane reads elements that are the same along a row, and others that are the
//! same along a column. The threads of a workgroup take a tile of a matrix, a few elements each. For each few iterations they bring all
//! that the rows and the columns of the tile need, and each then does the iterations of its elements.
//!
//! Law: a lane has the results that it has without tiles, by the same operations in the same order (tests/gpu/tiles.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::home::Homes;
use super::plan::Draft;
use super::print::Scatters;
use crate::array::{IntegerRow, ScalarOp};
use crate::kernel::code::{Block, Code, Lanes, Op, Operand, Place, Stm, Value};
use crate::kernel::parts::{self, Access};

/// How many rows and columns a tile has.
pub(super) const SIDE: u32 = 64;
/// How many threads share a row or a column of a tile: each has some elements of it.
pub(super) const THREADS: u32 = 16;
/// How many elements of a row, or of a column, a thread has.
pub(super) const EACH: u32 = SIDE / THREADS;
/// How many bytes of workgroups' memory there are on every device.
const MEMORY: u32 = 16_384;

/// What the elements are the same along, that a loop reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Along {
    Row,
    Column,
}

/// An element that a loop reads for a row or a column.
#[derive(Debug, Clone)]
pub(super) struct Staged<'c> {
    pub(super) value: Value,
    pub(super) place: &'c Place,
    pub(super) along: Along,
    /// Whether those of one iteration after the other are neighbours.
    pub(super) in_order: bool,
}

/// The sizes that lanes are the elements of: matrices side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) columns: Operand,
    /// None if there is one matrix.
    pub(super) rows: Option<Operand>,
    /// How many iterations the loop has.
    pub(super) depth: Operand,
}

/// A loop over lanes, in parts.
#[derive(Debug)]
pub(super) struct Tiled<'c> {
    pub(super) it: &'c Lanes,
    /// What comes before the loop of a lane, and after it.
    pub(super) before: &'c [Stm],
    pub(super) after: &'c [Stm],
    /// The loop: its index, and what it does.
    pub(super) index: Value,
    pub(super) body: &'c Block,
    pub(super) sizes: Sizes,
    pub(super) column: Value,
    pub(super) row: Value,
    /// The number of the matrix, if it is mentioned.
    pub(super) matrix: Option<Value>,
    pub(super) staged: Vec<Staged<'c>>,
    /// The integers that say where these are, with what each depends on.
    pub(super) addresses: Vec<(&'c Stm, Depends)>,
    /// The cells that the loop sets.
    pub(super) cells: Vec<Value>,
    /// How many iterations are brought at once.
    pub(super) at_once: u32,
}

/// What a value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Depends {
    row: bool,
    column: bool,
    /// The lane, and not by its row and its column alone; or cells.
    else_: bool,
    /// What the loop has read, and the cells that it sets.
    data: bool,
}

impl Depends {
    fn and(self, other: Self) -> Self {
        Depends {
            row: self.row || other.row,
            column: self.column || other.column,
            else_: self.else_ || other.else_,
            data: self.data || other.data,
        }
    }

    /// Whether it is the same for all lanes of a tile.
    fn is_uniform(self) -> bool {
        self == Depends::default()
    }

    pub(super) fn is_of_lane(self) -> bool {
        self.row || self.column || self.else_
    }

    /// Whether it is the same along these.
    pub(super) fn is_along(self, along: Along) -> bool {
        let other = if along == Along::Row { self.column } else { self.row };
        !(other || self.else_ || self.data)
    }
}

/// The division of a value by a size that the host knows.
fn divided(block: &[Stm], by: IntegerRow, value: Value, size: Option<Operand>) -> Option<(Value, Operand)> {
    block.iter().find_map(|stm| match stm {
        Stm::Let(result, Op::Scalar(ScalarOp::Integer(row)), operands)
            if *row == by && operands[0] == Operand::Value(value) && size.is_none_or(|size| operands[1] == size) =>
        {
            Some((*result, operands[1]))
        }
        _ => None,
    })
}

/// The parts of the loop over lanes of a draft, if it can be done in tiles.
pub(super) fn tiled<'c>(code: &Code, homes: &Homes, draft: &Draft<'c>) -> Option<Tiled<'c>> {
    let (Stm::Lanes(it), Scatters::None) = (*draft.stms.last()?, draft.scatters) else { return None };
    if !it.folds.is_empty() || !it.adds.is_empty() {
        return None;
    }
    let at = it.body.iter().position(|stm| matches!(stm, Stm::For { .. }))?;
    let (before, rest) = it.body.split_at(at);
    let (Stm::For { index, count, body, .. }, after) = (&rest[0], &rest[1..]) else { return None };
    let (column, columns) = divided(before, IntegerRow::Rem, it.index, None)?;
    let (rest, _) = divided(before, IntegerRow::Quot, it.index, Some(columns))?;
    let batch = divided(before, IntegerRow::Rem, rest, None);
    let rows = batch.map(|(_, rows)| rows);
    let matrix = rows.and_then(|rows| divided(before, IntegerRow::Quot, rest, Some(rows))).map(|(matrix, _)| matrix);
    let row = batch.map_or(rest, |(row, _)| row);
    let sizes = Sizes { columns, rows, depth: *count };
    if ![Some(columns), rows, Some(*count)].into_iter().flatten().all(|size| homes.knows(size)) {
        return None;
    }

    let mut depends = FxHashMap::from_iter([
        (it.index, Depends { else_: true, ..Depends::default() }),
        (rest, Depends { else_: true, ..Depends::default() }),
        (row, Depends { row: true, ..Depends::default() }),
        (column, Depends { column: true, ..Depends::default() }),
    ]);
    depends.extend(matrix.map(|matrix| (matrix, Depends::default())));
    let given: FxHashSet<Value> = depends.keys().copied().collect();
    let mut set_inside = FxHashSet::default();
    parts::sets(body, &mut set_inside);
    let (mut addresses, mut set_before) = (Vec::new(), FxHashSet::default());
    for stm in before {
        let (Stm::Let(..) | Stm::Assign { mask: None, .. }) = stm else { return None };
        let of = of_all(&depends, &stm.operands());
        for value in stm.sets().into_iter().filter(|value| !given.contains(value)) {
            let is_again = !set_before.insert(value);
            depends.insert(value, Depends { else_: of.else_ || is_again, ..of });
            if set_inside.contains(&value) && !of.is_uniform() {
                return None;
            }
        }
        if matches!(stm, Stm::Let(value, ..) if !set_inside.contains(value) && !given.contains(value)) {
            addresses.push((stm, of));
        }
    }
    let cells: Vec<Value> = set_before.intersection(&set_inside).copied().collect();
    depends.extend(cells.iter().map(|cell| (*cell, Depends { data: true, ..Depends::default() })));

    let mut staged = Vec::new();
    for stm in body {
        let of = of_all(&depends, &stm.operands());
        match stm {
            Stm::Load(value, place) => {
                let element = element(code, &it.body, *value, place, of, *index)?;
                staged.extend(element);
                depends.insert(*value, Depends { data: true, ..Depends::default() });
            }
            Stm::Let(value, ..) if of.is_of_lane() && !of.data && !cells.contains(value) => {
                addresses.push((stm, of));
                depends.insert(*value, of);
            }
            Stm::Let(value, ..) if !of.is_of_lane() => {
                let of = if cells.contains(value) { Depends { data: true, ..of } } else { of };
                if !of.data {
                    addresses.push((stm, of));
                }
                depends.insert(*value, of);
            }
            Stm::Assign { cells: set, mask: None } if !of.is_of_lane() => {
                if set.iter().any(|(cell, _)| !cells.contains(cell)) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let is_for_both = [Along::Row, Along::Column].iter().all(|along| staged.iter().any(|it| it.along == *along));
    let bytes: u32 = staged.iter().map(|it| if is_long(code, it) { 8 } else { 4 }).sum();
    let at_once = [16, 8, 4].into_iter().find(|depth| bytes * (SIDE + 1) * depth <= MEMORY)?;
    let keeps = |value: &Value| !set_inside.contains(value) || cells.contains(value);
    let stays = after.iter().all(|stm| is_plain(code, stm) && used(stm).iter().all(&keeps));
    (is_for_both && stays && !cells.is_empty()).then_some(Tiled {
        it,
        before,
        after,
        index: *index,
        body,
        sizes,
        column,
        row,
        matrix,
        staged,
        addresses,
        cells,
        at_once,
    })
}

fn of_all(depends: &FxHashMap<Value, Depends>, operands: &[Operand]) -> Depends {
    let known = operands.iter().filter_map(|x| depends.get(&x.value()?));
    known.fold(Depends::default(), |all, one| all.and(*one))
}

/// What is to be brought for a load, if anything; none if it cannot be.
fn element<'c>(
    code: &Code,
    lane: &Block,
    value: Value,
    place: &'c Place,
    of: Depends,
    index: Value,
) -> Option<Option<Staged<'c>>> {
    let mut changed = code.buffers[place.buffer.0 as usize].private;
    parts::each(lane, &mut |stm| {
        let changes = |(buffer, access, _): &(_, Access, _)| *buffer == place.buffer && access.changes();
        changed |= stm.touches().iter().any(changes);
    });
    if changed || of.data || of.else_ || place.lane.is_some() || (of.row && of.column) {
        return None;
    }
    let index = Operand::Value(index);
    let in_order = place.base == index
        || place.step.is_some_and(|(a, b)| a == index && b.as_int() == Some(1) || b == index && a.as_int() == Some(1));
    let along = if of.row { Along::Row } else { Along::Column };
    Some((of.row || of.column).then_some(Staged { value, place, along, in_order }))
}

fn is_long(code: &Code, staged: &Staged<'_>) -> bool {
    use crate::array::Prim;
    matches!(code.prim(Operand::Value(staged.value)), Prim::F64 | Prim::U64 | Prim::I64)
}

/// Whether a statement after the loop can be done by a thread for each of its elements: it never ends the thread.
fn is_plain(code: &Code, stm: &Stm) -> bool {
    let mut plain = true;
    parts::each(core::slice::from_ref(stm), &mut |stm| {
        plain &= !matches!(stm, Stm::Check { .. } | Stm::Bounds { .. } | Stm::Alloc(..) | Stm::Swap(..));
        plain &= stm.touches().iter().all(|(buffer, ..)| !code.buffers[buffer.0 as usize].private);
    });
    plain
}

/// The values that a statement uses, inside as well.
fn used(stm: &Stm) -> FxHashSet<Value> {
    let mut all = FxHashSet::default();
    parts::each(core::slice::from_ref(stm), &mut |stm| {
        all.extend(stm.operands().into_iter().filter_map(Operand::value));
    });
    all
}

/// How many tiles there are of as many lanes, of matrices of these rows and columns.
pub(super) fn count(lanes: i64, [rows, columns]: [i64; 2]) -> i64 {
    let sides = |size: i64| (size + i64::from(SIDE) - 1) / i64::from(SIDE);
    lanes / (rows * columns) * sides(rows) * sides(columns)
}

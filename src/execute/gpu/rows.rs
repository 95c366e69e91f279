//! Segmented reductions by workgroups: a loop over lanes, and one whose lanes take what some of those have found, as one kernel.
//!
//! Law: a lane of the second loop reads what lanes of its own workgroup have left, after all of them have; where a workgroup does not
//! have whole rows the loops stay two kernels (tests/gpu/rows.rs, laws: executors::suite).
//!
//! It is the segmented reduction within a block of "Futhark: Purely Functional GPU-Programming with Nested Parallelism and In-Place Array
//! Updates": what is read again is in the memory of the workgroup, and in no array.

use rustc_hash::FxHashSet;

use super::home::Homes;
use super::kernel::{Kernel, Param, Slots, Space, Use, WORKGROUP, enter, finish, parameter};
use super::kind::{Width, Word};
use super::plan::{Draft, Step};
use super::print::{Printer, name};
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::kernel::code::{Buffer, Code, Lanes, Op, Operand, Place, Stm, Value, ValueInfo};
use crate::kernel::parts::{self, Access};

/// What is between two loops over lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rows {
    /// The arrays that the first loop leaves, an element each lane, and nobody but the second reads.
    pub(super) near: Vec<Buffer>,
    /// How many of these elements a lane of the second loop takes.
    size: Operand,
    /// How many lanes the loops have.
    lanes: [Operand; 2],
}

/// The rows that two loops have between them, if there is nothing else between them.
pub(super) fn rows(code: &Code, homes: &Homes, first: &Stm, second: &Stm) -> Option<Rows> {
    let (Stm::Lanes(first), Stm::Lanes(second)) = (first, second) else { return None };
    let is_plain =
        |it: &Lanes| it.scatters.is_empty() && it.folds.is_empty() && it.folded.is_none() && !has_reports(it);
    if !first.adds.is_empty() || first.writes.is_empty() || !is_plain(first) || !is_plain(second) {
        return None;
    }
    let near: Vec<Buffer> = first.writes.iter().map(|(buffer, ..)| *buffer).collect();
    let ports: FxHashSet<Buffer> = code.ports().collect();
    if !near.iter().all(|buffer| !ports.contains(buffer) && leaves_one(first, *buffer)) {
        return None;
    }
    let mut sizes = Vec::new();
    second.body.iter().for_each(|stm| taken(stm, &near, None, &mut sizes));
    let size = sizes.first().copied()??;
    let lanes = [first.count, second.count];
    let are_of_one_size = sizes.iter().all(|other| *other == Some(size)) && sizes.len() == touches(&second.body, &near);
    if !are_of_one_size || !lanes.iter().chain([&size]).all(|x| homes.knows(*x)) {
        return None;
    }
    // Another workgroup may still read what a lane would change.
    let changed = changed(second);
    let mut apart = true;
    parts::each(&first.body, &mut |stm| {
        apart &= stm.touches().iter().all(|(buffer, ..)| !changed.contains(buffer));
    });
    // The first loop sets each and says that it does; they have been given a size.
    let alone = || touches(&code.body, &near) == sizes.len() + 3 * near.len();
    (apart && alone()).then_some(Rows { near, size, lanes })
}

fn has_reports(lanes: &Lanes) -> bool {
    let mut has = false;
    parts::each(&lanes.body, &mut |stm| {
        has |= matches!(stm, Stm::Check { blame: Some(_), .. } | Stm::Bounds { blame: Some(_), .. });
    });
    has
}

/// Whether each lane sets the element of its number, and reads none.
fn leaves_one(lanes: &Lanes, buffer: Buffer) -> bool {
    let stores = lanes.body.iter().filter(
        |stm| matches!(stm, Stm::Store { place, mask: None, .. } if place.buffer == buffer && is_of_lane(place)),
    );
    stores.count() == 1 && touches(&lanes.body, &[buffer]) == 1
}

fn is_of_lane(place: &Place) -> bool {
    place.base == Operand::int(0)
        && place.lane == Some(Operand::int(1))
        && place.step.is_none()
        && place.varying.is_none()
}

/// The sizes of the rows that a statement takes elements of, in a loop of this index and count: none for what is no element of the
/// lane's own row.
fn taken(stm: &Stm, near: &[Buffer], within: Option<(Value, Operand)>, sizes: &mut Vec<Option<Operand>>) {
    if let Stm::Load(_, place) = stm
        && near.contains(&place.buffer)
    {
        let size = within.filter(|(index, count)| {
            let step = Some((Operand::Value(*index), Operand::int(1)));
            let is_own = place.base == Operand::int(0) && place.step == step && place.varying.is_none();
            is_own && place.lane == Some(*count)
        });
        sizes.push(size.map(|(_, count)| count));
    }
    let within = if let Stm::For { index, count, .. } = stm { Some((*index, *count)) } else { within };
    stm.blocks().into_iter().flatten().for_each(|stm| taken(stm, near, within, sizes));
}

/// How often statements touch an element of these, or say that they do.
fn touches(block: &[Stm], near: &[Buffer]) -> usize {
    let mut count = 0;
    parts::each(block, &mut |stm| {
        count += stm.touches().iter().filter(|(buffer, ..)| near.contains(buffer)).count();
    });
    count
}

fn changed(lanes: &Lanes) -> FxHashSet<Buffer> {
    let mut changed: FxHashSet<Buffer> = lanes.adds.iter().copied().collect();
    changed.extend(lanes.writes.iter().map(|(buffer, ..)| *buffer));
    parts::each(&lanes.body, &mut |stm| {
        let touched = stm.touches();
        changed.extend(touched.iter().filter(|(_, access, _)| *access != Access::Reads).map(|(buffer, ..)| *buffer));
    });
    changed
}

impl Rows {
    /// What the host computes to know whether a workgroup has whole rows, and the operand that says so; the values for that get numbers
    /// from `next` on.
    pub(super) fn are_whole(&self, next: u32, values: &mut Vec<ValueInfo>) -> (Vec<Step>, Operand) {
        let mut steps = Vec::new();
        let mut host = |op: ScalarOp, prim: Prim, x: [Operand; 2]| {
            let value = Value(next + u32::try_from(values.len()).expect("fewer values than 2^32"));
            values.push(ValueInfo { prim, varying: false });
            steps.push(Step::Let(value, Op::Scalar(op), x.to_vec()));
            Operand::Value(value)
        };
        let size = host(IntegerRow::Max.into(), Prim::I64, [self.size, Operand::int(1)]);
        let rest = host(IntegerRow::Rem.into(), Prim::I64, [Operand::int(WORKGROUP.into()), size]);
        let fits = host(ScalarOp::Equal, Prim::Bool, [rest, Operand::int(0)]);
        let all = host(ScalarOp::Mul, Prim::I64, [size, self.lanes[1]]);
        let are_all = host(ScalarOp::Equal, Prim::Bool, [all, self.lanes[0]]);
        let both = host(ScalarOp::Mul, Prim::Bool, [fits, are_all]);
        (steps, both)
    }
}

/// A kernel of two loops over lanes with rows between them.
pub(super) fn in_rows<'c>(
    code: &'c Code,
    width: Width,
    homes: &Homes,
    slots: &Slots,
    reports: &mut Vec<&'c Stm>,
    draft: &Draft<'c>,
    between: &Rows,
) -> Kernel {
    let (loops, before): (Vec<&Stm>, Vec<&Stm>) = draft.stms.iter().partition(|stm| matches!(stm, Stm::Lanes(_)));
    let [Stm::Lanes(first), Stm::Lanes(second)] = loops[..] else { panic!("there are two loops") };
    let inside: Vec<&Stm> = before.iter().copied().chain(&first.body).chain(&second.body).collect();
    let mut printer = Printer::new(code, width, homes, reports, &inside, false);
    printer.keep_near(&between.near);
    second.adds.iter().for_each(|buffer| printer.bind(*buffer, Use::Shares));
    let takes = enter(&mut printer, homes, slots, &draft.stms);
    before.iter().for_each(|stm| printer.statement(stm));
    print_rows(&mut printer, between, [first, second]);
    let shared = declarations(&printer, between);
    finish(printer, Space::plain(first.count, None, Vec::new()), [takes, Vec::new()], second.origin, &shared)
}

/// The declarations of what is in the memory of a workgroup.
fn declarations(printer: &Printer<'_, '_>, rows: &Rows) -> String {
    let declare = |buffer: &Buffer| {
        let word = Word::of(printer.buffer_prim(*buffer)).stored().name();
        format!("var<workgroup> near{}: array<{word}, {WORKGROUP}>;\n", buffer.0)
    };
    rows.near.iter().map(declare).collect()
}

/// Both loops, of which a workgroup takes some rows after others.
fn print_rows<'c>(printer: &mut Printer<'c, '_>, rows: &Rows, [first, second]: [&'c Lanes; 2]) {
    let lanes = parameter(printer.param(Param::Lanes, Word::U32));
    let counting = printer.counting()[0];
    let [size, count] = [rows.size, second.count].map(|x| printer.operand(x));
    printer.line(&format!("let row = max(u32({size}), 1u);"));
    let head = format!("for (var base = group * {WORKGROUP}u; base < {lanes}; base = base + groups.x * {WORKGROUP}u)");
    printer.within(&head, |printer| {
        printer.line("let lane = base + within;");
        printer.within(&format!("if (lane < {lanes})"), |printer| {
            printer.line(&format!("let {} = {counting}(lane);", name(first.index)));
            printer.block(&first.body);
        });
        printer.line("workgroupBarrier();");
        printer.within(&format!("if (within < {WORKGROUP}u / row && base / row + within < u32({count}))"), |printer| {
            printer.line("let lane = base / row + within;");
            printer.line("let begun = i32(base);");
            printer.line(&format!("let {} = {counting}(lane);", name(second.index)));
            printer.block(&second.body);
        });
        printer.line("workgroupBarrier();");
    });
}

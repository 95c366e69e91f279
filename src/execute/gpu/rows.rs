//! Segmented reductions by workgroups: a loop over lanes, and one whose lanes take what some of those have found, as one kernel.
//!
//! Law: a lane of the second loop reads what lanes of its own workgroup have left, after all of them have; where a workgroup does not
//! have whole rows the loops stay two kernels (tests/gpu/rows.rs, laws: executors::suite).
//!
//! It is the segmented reduction within a block of "Futhark: Purely Functional GPU-Programming with Nested Parallelism and In-Place Array
//! Updates": what is read again is in the memory of the workgroup, and in no array.

use rustc_hash::FxHashSet;

use super::home::Homes;
use super::kernel::{Kernel, Param, Source, Space, WORKGROUP, parameter};
use super::kind::{Width, Word};
use super::plan::{Draft, Step};
use super::print::{Printer, name};
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::kernel::code::{Buffer, Code, Lanes, Op, Operand, Place, Stm, Value, ValueInfo};
use crate::kernel::fuse_sequential::Effects;
use crate::kernel::parts;

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
    let (Stm::Lanes(a), Stm::Lanes(b)) = (first, second) else { return None };
    let is_plain =
        |it: &Lanes| it.scatters.is_empty() && it.folds.is_empty() && it.folded.is_none() && !has_reports(it);
    if !a.adds.is_empty() || a.writes.is_empty() || !is_plain(a) || !is_plain(b) {
        return None;
    }
    let near: Vec<Buffer> = a.writes.iter().map(|(buffer, ..)| *buffer).collect();
    let ports: FxHashSet<Buffer> = code.ports().collect();
    let inside = Effects::of(&a.body);
    if !near.iter().all(|buffer| !ports.contains(buffer) && leaves_one(a, &inside, *buffer)) {
        return None;
    }
    let mut sizes = Vec::new();
    b.body.iter().for_each(|stm| taken(stm, &near, None, &mut sizes));
    let (size, does) = (sizes.first().copied()??, Effects::of([second]));
    let are_of_one_size = sizes.iter().all(|other| *other == Some(size)) && sizes.len() == touches(&does, &near);
    let lanes = [a.count, b.count];
    if !are_of_one_size || !lanes.iter().chain([&size]).all(|x| homes.knows(*x)) {
        return None;
    }
    // Another workgroup may still read what a lane would change.
    let stays = |buffer: &Buffer| does.touches.get(buffer).is_none_or(|(changes, _)| !changes);
    // The first loop sets each and says that it does; they have been given a size.
    let alone = || touches(&Effects::of(&code.body), &near) == sizes.len() + 3 * near.len();
    (inside.touches.keys().all(stays) && alone()).then_some(Rows { near, size, lanes })
}

fn has_reports(lanes: &Lanes) -> bool {
    let mut has = false;
    parts::each(&lanes.body, &mut |stm| {
        has |= matches!(stm, Stm::Check { blame: Some(_), .. } | Stm::Bounds { blame: Some(_), .. });
    });
    has
}

/// Whether each lane sets the element of its number, and reads none.
fn leaves_one(lanes: &Lanes, inside: &Effects, buffer: Buffer) -> bool {
    let stores = lanes.body.iter().filter(
        |stm| matches!(stm, Stm::Store { place, mask: None, .. } if place.buffer == buffer && is_of_lane(place)),
    );
    stores.count() == 1 && touches(inside, &[buffer]) == 1
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

/// How often something touches one of these, or says that it does.
fn touches(effects: &Effects, near: &[Buffer]) -> usize {
    near.iter().filter_map(|buffer| effects.touches.get(buffer)).map(|(_, places)| places.len()).sum()
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
    source: Source<'c, '_>,
    width: Width,
    reports: &mut Vec<&'c Stm>,
    draft: &Draft<'c>,
    between: &Rows,
) -> Kernel {
    let lanes = |stm: &&'c Stm| if let Stm::Lanes(it) = *stm { Some(&**it) } else { None };
    let loops: Vec<&Lanes> = draft.stms.iter().filter_map(lanes).collect();
    let [first, second] = loops[..] else { panic!("there are two loops") };
    source.in_workgroups(width, reports, draft, Space::plain(first.count, None, Vec::new()), |printer| {
        printer.keep_near(&between.near);
        print_rows(printer, between, [first, second]);
        declarations(printer, between)
    })
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
    let [size, count] = [rows.size, second.count].map(|x| printer.size(x));
    printer.line(&format!("let row = max({size}, 1u);"));
    let head = format!("for (var base = group * {WORKGROUP}u; base < {lanes}; base = base + groups.x * {WORKGROUP}u)");
    printer.within(&head, |printer| {
        printer.line("let lane = base + within;");
        printer.within(&format!("if (lane < {lanes})"), |printer| {
            printer.line(&format!("let {} = {counting}(lane);", name(first.index)));
            printer.block(&first.body);
        });
        printer.line("workgroupBarrier();");
        printer.within(&format!("if (within < {WORKGROUP}u / row && base / row + within < {count})"), |printer| {
            printer.line("let lane = base / row + within;");
            printer.line("let begun = i32(base);");
            printer.line(&format!("let {} = {counting}(lane);", name(second.index)));
            printer.block(&second.body);
        });
        printer.line("workgroupBarrier();");
    });
}

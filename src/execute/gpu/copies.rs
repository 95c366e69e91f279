//! Histograms in copies: each workgroup adds to bins in its own memory, and at its end what it has found to those of all.
//!
//! Law: an element gets the sum that it would get, in another order; one that a workgroup has added nothing to is not touched
//! (tests/gpu/histograms.rs).
//!
//! It is the histogram of subhistograms in local memory of "Compiling Generalized Histograms for GPU".

use core::fmt::Write;

use super::elements::{Element, update};
use super::home::Homes;
use super::kernel::{Kernel, Param, Slots, Space, Use, WORKGROUP, each_lane, enter, finish, parameter};
use super::kind::{Width, Word};
use super::plan::Draft;
use super::print::{Printer, Scatters};
use crate::array::{Prim, ScalarOp};
use crate::kernel::code::{Buffer, Code, Lanes, Stm};
use crate::kernel::parts;

/// As many words as copies may have together: half of the memory that every device has for a workgroup.
const MAX_WORDS: u32 = 2048;

/// How many elements a copy has room for, of this many.
pub(super) fn room(copies: usize) -> u32 {
    MAX_WORDS / u32::try_from(copies).expect("a kernel binds few arrays").max(1)
}

/// The most workgroups that have copies, and as many as are worth it.
const MAX_GROUPS: u64 = 1024;
const MIN_GROUPS: u64 = 64;

/// How many workgroups take `lanes` lanes, if their copies are of `words` words together: each has twice as much to add to them as it takes
/// to add them up. None if they would be too few.
pub(super) fn groups(lanes: u64, words: u64) -> Option<u32> {
    let all = lanes.div_ceil(WORKGROUP.into());
    let groups = all.min(MAX_GROUPS).min(lanes / (2 * words.max(1)));
    (groups >= all.clamp(1, MIN_GROUPS)).then_some(groups as u32)
}

/// The kernel of a draft with copies of what its lanes add to, in integers of 32 bits, if it can be done so.
pub(super) fn in_copies<'c>(code: &'c Code, homes: &Homes, slots: &Slots, draft: &Draft<'c>) -> Option<Kernel> {
    let (Stm::Lanes(it), before) = draft.stms.split_last()? else { return None };
    let is_plain = draft.scatters == Scatters::None && draft.rows.is_none() && it.folds.is_empty();
    if !is_plain || it.adds.is_empty() || !it.adds.iter().all(|buffer| only_adds(code, it, *buffer)) {
        return None;
    }
    let inside: Vec<&Stm> = before.iter().copied().chain(&it.body).collect();
    let mut reports = Vec::new();
    let mut printer = Printer::new(code, Width::Narrow, homes, &mut reports, &inside, false);
    it.adds.iter().for_each(|buffer| printer.bind(*buffer, Use::Shares));
    printer.copy(&it.adds);
    let takes = enter(&mut printer, homes, slots, &draft.stms);
    before.iter().for_each(|stm| printer.statement(stm));
    each_element(&mut printer, &it.adds, |buffer, _| format!("atomicStore(&copy{buffer}[k], 0u);"));
    printer.line("workgroupBarrier();");
    each_lane(&mut printer, it);
    printer.line("workgroupBarrier();");
    // Zero is of no bits, in every kind.
    each_element(&mut printer, &it.adds, |buffer, element| {
        let found = element.of_bits("found");
        format!("let found = atomicLoad(&copy{buffer}[k]); if (found != 0u) {{ add{buffer}(i32(k), {found}); }}")
    });
    let mut shared = String::new();
    for buffer in &it.adds {
        let (length, element) = (printer.param(Param::Length(*buffer), Word::U32), element(&printer, *buffer));
        let (b, name, length) = (buffer.0, element.word.name(), parameter(length));
        let add = update(&format!("copy{b}[at]"), ScalarOp::Add, element);
        let _ = write!(
            shared,
            "var<workgroup> copy{b}: array<atomic<u32>, {}>;
fn add_copy{b}(at: i32, x: {name}) {{
    if (u32(at) < {length}) {{ {add} }}
}}
",
            room(it.adds.len())
        );
    }
    let space = Space::plain(it.count, None, it.adds.clone());
    Some(finish(printer, space, [takes, Vec::new()], it.origin, &shared).of(code, draft))
}

/// Whether lanes do nothing with a buffer but add to it, and one word holds an element.
fn only_adds(code: &Code, lanes: &Lanes, buffer: Buffer) -> bool {
    let prim = code.buffers[buffer.0 as usize].prim;
    let mut adds = prim != Prim::I64 && Word::of(prim).stored().bytes() == Word::U32.bytes();
    parts::each(&lanes.body, &mut |stm| {
        let touches = stm.touches().iter().any(|(other, ..)| *other == buffer);
        adds &= !touches || matches!(stm, Stm::Update { op: ScalarOp::Add, .. });
    });
    adds
}

fn element(printer: &Printer<'_, '_>, buffer: Buffer) -> Element {
    Element { prim: printer.buffer_prim(buffer), word: printer.element(buffer) }
}

/// Does something for each element of copies, by all threads.
fn each_element(printer: &mut Printer<'_, '_>, copies: &[Buffer], line: impl Fn(u32, Element) -> String) {
    for buffer in copies {
        let length = parameter(printer.param(Param::Length(*buffer), Word::U32));
        let line = line(buffer.0, element(printer, *buffer));
        let head = format!("for (var k = within; k < {length}; k = k + {WORKGROUP}u)");
        printer.within(&head, |printer| printer.line(&line));
    }
}

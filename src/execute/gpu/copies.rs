//! Histograms in copies: each workgroup adds to bins in its own memory, and at its end what it has found to those of all.
//!
//! Law: an element gets the sum that it would get, in another order; one that a workgroup has added nothing to is not touched
//! (tests/gpu/histograms.rs).
//!
//! It is the histogram of subhistograms in local memory of "Compiling Generalized Histograms for GPU".

use core::fmt::Write;

use super::elements::{Element, update};
use super::kernel::{Kernel, Param, Source, Space, WORKGROUP, each_lane, parameter};
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
pub(super) fn in_copies<'c>(source: Source<'c, '_>, draft: &Draft<'c>) -> Option<Kernel> {
    let Some(Stm::Lanes(it)) = draft.stms.last() else { return None };
    let is_plain = draft.scatters == Scatters::None && draft.rows.is_none() && it.folds.is_empty();
    if !is_plain || it.adds.is_empty() || !it.adds.iter().all(|buffer| only_adds(source.code, it, *buffer)) {
        return None;
    }
    let space = Space::plain(it.count, None, it.adds.clone());
    Some(source.in_workgroups(Width::Narrow, &mut Vec::new(), draft, space, |printer| {
        printer.copy(&it.adds);
        print_copies(printer, it);
        declarations(printer, &it.adds)
    }))
}

/// The loop, with what comes before and after it in the memory of a workgroup.
fn print_copies<'c>(printer: &mut Printer<'c, '_>, it: &'c Lanes) {
    each_element(printer, &it.adds, |buffer, _| format!("atomicStore(&copy{buffer}[k], 0u);"));
    printer.line("workgroupBarrier();");
    each_lane(printer, it);
    printer.line("workgroupBarrier();");
    // Zero is of no bits, in every kind.
    each_element(printer, &it.adds, |buffer, element| {
        let found = element.of_bits("found");
        format!("let found = atomicLoad(&copy{buffer}[k]); if (found != 0u) {{ add{buffer}(i32(k), {found}); }}")
    });
}

/// The declarations of copies, each with what adds to it.
fn declarations(printer: &mut Printer<'_, '_>, copies: &[Buffer]) -> String {
    let mut all = String::new();
    for buffer in copies {
        let (length, element) = (printer.param(Param::Length(*buffer), Word::U32), element(printer, *buffer));
        let (b, name, length) = (buffer.0, element.word.name(), parameter(length));
        let add = update(&format!("copy{b}[at]"), ScalarOp::Add, element);
        let _ = write!(
            all,
            "var<workgroup> copy{b}: array<atomic<u32>, {}>;
fn add_copy{b}(at: i32, x: {name}) {{
    if (u32(at) < {length}) {{ {add} }}
}}
",
            room(copies.len())
        );
    }
    all
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

//! Kernels: the text of a shader, and what whoever starts it has to bind.
//!
//! Law: a kernel's text depends on its statements alone. It has no number of a run in it, so that runs share its pipeline
//! (tests/gpu/kernels.rs).

use core::fmt::Write;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::device::Pipeline;
use super::elements::{Element, bits_of, element_functions, own_functions};
use super::home::Homes;
use super::kind::{Width, Word};
use super::moved::{Move, moves};
use super::operation::scalar;
use super::plan::Draft;
use super::prelude::prelude;
use super::print::{Printer, Scatters, name};
use super::proof::has_wide;
use super::rows;
use super::tiles::{self, Sizes};
use super::work::Work;
use crate::array::{Const, ScalarOp};
use crate::kernel::code::{Buffer, Code, Fold, Lanes, Operand, Origin, Stm, Value};
use crate::kernel::parts;

/// How many threads are in a workgroup of a kernel over lanes.
pub(super) const WORKGROUP: u32 = 64;
/// The most workgroups of a kernel that folds: what they find is combined by one thread.
const MAX_FOLDING_GROUPS: u32 = 256;
/// The same where each thread leaves what it finds.
const MAX_FOLDING_GROUPS_BY_THREAD: u32 = 16;
/// The most workgroups of a kernel: threads take several lanes.
pub(super) const MAX_GROUPS: u32 = 65_535;

/// A word of the parameters of a kernel, or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Param {
    /// A scalar that the host knows.
    Value(Value),
    /// The number of elements of a buffer.
    Length(Buffer),
    /// Where the elements begin that threads have for themselves.
    Base(Buffer),
    /// How many iterations all threads have together.
    Lanes,
    /// How many iterations of a loop one thread may do, before the run is stopped.
    Steps,
}

/// What a kernel does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    Reads,
    Writes,
    /// Several threads update one element.
    Shares,
    /// Several threads may set one element: each says that it does, in a buffer of owners.
    Claims,
    /// The last of these sets it.
    Owns,
}

/// A buffer that a kernel is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding {
    pub(super) buffer: Buffer,
    pub(super) how: Use,
}

/// How many threads a kernel has.
#[derive(Debug, Clone)]
pub(super) enum Space {
    /// One.
    Serial,
    /// One for each lane, as far as there are as many, and the others after it.
    Lanes {
        count: Operand,
        folds: Vec<Buffer>,
        folded: Option<Value>,
        by_workgroup: bool,
        in_order: bool,
        /// In tiles, of which a workgroup takes one after the other.
        tiles: Option<Sizes>,
        /// What workgroups have copies of.
        copies: Vec<Buffer>,
    },
}

/// A kernel.
#[derive(Debug, Clone)]
pub(super) struct Kernel {
    pub(super) text: String,
    /// Whether it computes integers of 64 bits, or the bits of such reals.
    pub(super) is_wide: bool,
    /// Whether it does so in memory that several threads change at once.
    pub(super) shares_wide: bool,
    pub(super) space: Space,
    pub(super) params: Vec<(Param, Word)>,
    pub(super) bindings: Vec<Binding>,
    /// The types of the buffers that are shared out to threads, in the order of their bindings, which come after the others.
    pub(super) scratch: Vec<Word>,
    /// The buffers that threads have for themselves: in which of these, and the sizes that they are given.
    pub(super) private: Vec<(Buffer, Word, Vec<Operand>)>,
    /// The scalars that it reads in the cells, and those that it leaves there.
    pub(super) takes: Vec<Value>,
    pub(super) leaves: Vec<Value>,
    /// What its threads move.
    pub(super) moves: Vec<Move>,
    /// What a lane does, or its one thread.
    pub(super) work: Work,
    /// The statement of the program that it is for.
    pub(super) origin: Origin,
    /// On the device of its plan, once it has started there.
    pub(super) pipeline: OnceLock<Pipeline>,
}

impl Space {
    /// Lanes that leave nothing but what they write.
    pub(super) fn plain(count: Operand, tiles: Option<Sizes>, copies: Vec<Buffer>) -> Self {
        let (folds, folded) = (Vec::new(), None);
        Space::Lanes { count, folds, folded, by_workgroup: false, in_order: false, tiles, copies }
    }

    /// How many threads a workgroup has.
    pub(super) fn workgroup(&self) -> u32 {
        match self {
            Space::Serial => 1,
            Space::Lanes { tiles: Some(_), .. } => tiles::THREADS * tiles::THREADS,
            Space::Lanes { .. } => WORKGROUP,
        }
    }

    /// How many workgroups there are for that many lanes, if there is room for as many.
    pub(super) fn groups(&self, lanes: u32) -> u32 {
        let most = match self {
            Space::Serial | Space::Lanes { in_order: true, .. } => 1,
            Space::Lanes { folds, .. } if folds.is_empty() => MAX_GROUPS,
            Space::Lanes { by_workgroup: true, .. } => MAX_FOLDING_GROUPS,
            Space::Lanes { by_workgroup: false, .. } => MAX_FOLDING_GROUPS_BY_THREAD,
        };
        lanes.div_ceil(WORKGROUP).clamp(1, most)
    }

    /// How many results these leave. A thread without a lane has found nothing that counts.
    pub(super) fn results(&self, lanes: u32, groups: u32) -> u32 {
        let one_each = matches!(self, Space::Lanes { by_workgroup, in_order, .. } if *by_workgroup || *in_order);
        lanes.min(if one_each { groups } else { groups * WORKGROUP })
    }
}

impl Kernel {
    /// The kernel as that of a draft: what it moves, and how much it does.
    fn of(self, code: &Code, width: Width, draft: &Draft<'_>) -> Kernel {
        let is_wide = width == Width::Wide || has_wide(code, &draft.stms);
        Kernel { is_wide, moves: moves(code, draft, &self), work: Work::of(draft), ..self }
    }

    /// How many arrays it is bound to, with what threads have for themselves.
    pub(super) fn arrays(&self) -> usize {
        let owned = self.bindings.iter().filter(|binding| binding.how == Use::Owns).count();
        self.bindings.len() + self.scratch.len() + owned
    }
}

/// The word of the parameters of this number.
pub(super) fn parameter(at: usize) -> String {
    format!("params[{}].{}", at / 4, ["x", "y", "z", "w"][at % 4])
}

/// The word of the cells of this number.
fn cell(at: usize) -> String {
    format!("state.cells[{at}]")
}

/// The words of a fault: its number, and behind the first two those of up to four operands.
pub(super) const FAULT_WORDS: usize = 16;

/// Where values that the device keeps are in the buffer of cells: the number of the first word.
pub(super) type Slots = FxHashMap<Value, u32>;

/// What kernels are printed of: statements of code, whose scalars are here or there.
#[derive(Clone, Copy)]
pub(super) struct Source<'c, 'r> {
    pub(super) code: &'c Code,
    pub(super) homes: &'r Homes,
    pub(super) slots: &'r Slots,
}

impl<'c> Source<'c, '_> {
    /// The kernel of a draft.
    pub(super) fn kernel(self, width: Width, reports: &mut Vec<&'c Stm>, draft: &Draft<'c>) -> Kernel {
        let Source { code, homes, slots } = self;
        if let Some(between) = &draft.rows {
            return rows::in_rows(self, width, reports, draft, between);
        }
        let kernel = match draft.stms.split_last() {
            Some((stm, before)) if matches!(stm, Stm::Lanes(_)) => {
                let inside: Vec<&Stm> = before.iter().copied().chain(stm.blocks().into_iter().flatten()).collect();
                let printer = Printer::new(code, width, homes, reports, &inside, false);
                lanes(printer, homes, slots, stm, before, draft.scatters)
            }
            _ => serial(Printer::new(code, width, homes, reports, &draft.stms, true), homes, slots, &draft.stms),
        };
        kernel.of(code, width, draft)
    }

    /// The kernel of a draft whose lanes leave nothing but what they write and add, and whose loops `print` prints in a form of its own,
    /// in integers of 32 bits or others; it gives the declarations of what is in the memory of workgroups.
    pub(super) fn in_workgroups(
        self,
        width: Width,
        reports: &mut Vec<&'c Stm>,
        draft: &Draft<'c>,
        space: Space,
        print: impl FnOnce(&mut Printer<'c, '_>) -> String,
    ) -> Kernel {
        let (loops, before): (Vec<&Stm>, Vec<&Stm>) = draft.stms.iter().partition(|stm| matches!(stm, Stm::Lanes(_)));
        let bodies = loops.iter().flat_map(|stm| stm.blocks()).flatten();
        let inside: Vec<&Stm> = before.iter().copied().chain(bodies).collect();
        let mut printer = Printer::new(self.code, width, self.homes, reports, &inside, false);
        let loops = loops.into_iter().filter_map(|stm| if let Stm::Lanes(it) = stm { Some(it) } else { None });
        let origin = loops.clone().next_back().and_then(|it| it.origin);
        loops.flat_map(|it| &it.adds).for_each(|buffer| printer.bind(*buffer, Use::Shares));
        let takes = enter(&mut printer, self.homes, self.slots, &draft.stms);
        before.iter().for_each(|stm| printer.statement(stm));
        let shared = print(&mut printer);
        finish(printer, space, [takes, Vec::new()], origin, &shared).of(self.code, width, draft)
    }
}

/// A kernel of one thread, for statements in order.
fn serial<'c>(mut printer: Printer<'c, '_>, homes: &Homes, slots: &Slots, body: &[&'c Stm]) -> Kernel {
    let set: Vec<Value> = in_order(&printer.set).into_iter().filter(|value| slots.contains_key(value)).collect();
    set.iter().for_each(|value| printer.hoist(*value));
    let mut takes = enter(&mut printer, homes, slots, body);
    takes.extend(&set);
    for value in &set {
        let word = printer.word(*value);
        printer.line(&format!("{} = {};", name(*value), word.of_words(cell, slots[value] as usize)));
    }
    body.iter().for_each(|stm| printer.statement(stm));
    for value in &set {
        let words = printer.word(*value).as_words(&name(*value));
        for (k, word) in words.iter().enumerate() {
            printer.line(&format!("{} = {word};", cell(slots[value] as usize + k)));
        }
    }
    finish(printer, Space::Serial, [takes, set], None, "")
}

/// A kernel for a loop over lanes.
fn lanes<'c>(
    mut printer: Printer<'c, '_>,
    homes: &Homes,
    slots: &Slots,
    stm: &'c Stm,
    before: &[&'c Stm],
    how: Scatters,
) -> Kernel {
    let Stm::Lanes(it) = stm else { panic!("this statement is a loop over lanes") };
    let Lanes { count, adds, folds, folded, origin, .. } = &**it;
    let folds: &[Fold] = if how == Scatters::Claimed { &[] } else { folds };
    let in_order = how == Scatters::InOrder;
    adds.iter().for_each(|buffer| printer.bind(*buffer, Use::Shares));
    if matches!(how, Scatters::Claimed | Scatters::ByOwner) {
        printer.scatter(how, &it.colliding());
    }
    folds.iter().for_each(|fold| printer.bind(fold.found, Use::Writes));
    let takes = enter(&mut printer, homes, slots, &[before, &[stm]].concat());
    before.iter().for_each(|stm| printer.statement(stm));
    for Fold { cell, start, .. } in folds {
        let start = printer.operand(*start);
        printer.line(&format!("{} = {start};", name(*cell)));
    }
    if in_order {
        let lanes = parameter(printer.param(Param::Lanes, Word::U32));
        let head = format!("for (var lane = select({lanes}, 0u, thread == 0u); lane < {lanes}; lane = lane + 1u)");
        printer.within(&head, |printer| lane(printer, it));
    } else {
        each_lane(&mut printer, it);
    }
    let by_workgroup = !folds.is_empty() && folds.iter().all(|fold| fold.op.is_some());
    for (k, Fold { cell, found, op, .. }) in folds.iter().enumerate() {
        match op.filter(|_| by_workgroup) {
            Some(op) => combine(&mut printer, k, *cell, *found, op),
            None => printer.line(&format!("store{}(i32(thread), {});", found.0, name(*cell))),
        }
    }
    let folds = folds.iter().map(|fold| fold.found).collect();
    let folded = folded.filter(|_| how != Scatters::Claimed);
    let space = Space::Lanes { count: *count, folds, folded, by_workgroup, in_order, tiles: None, copies: Vec::new() };
    finish(printer, space, [takes, Vec::new()], *origin, "")
}

/// The loop over lanes, by all threads.
pub(super) fn each_lane<'c>(printer: &mut Printer<'c, '_>, it: &'c Lanes) {
    let lanes = parameter(printer.param(Param::Lanes, Word::U32));
    let head = format!("for (var lane = thread; lane < {lanes}; lane = lane + threads)");
    printer.within(&head, |printer| lane(printer, it));
}

fn lane<'c>(printer: &mut Printer<'c, '_>, it: &'c Lanes) {
    printer.line(&format!("let {} = {}(lane);", name(it.index), printer.counting()[0]));
    printer.block(&it.body);
}

/// Combines what the threads of a workgroup have found, in pairs, and leaves it in the place of the workgroup.
fn combine(printer: &mut Printer<'_, '_>, k: usize, cell: Value, found: Buffer, op: ScalarOp) {
    let prim = printer.prim(Operand::Value(cell));
    printer.line(&format!("found{k}[within] = {};", Word::of(prim).as_stored(&name(cell))));
    printer.line("workgroupBarrier();");
    let of = |at: &str| Word::of(prim).of_stored(&format!("found{k}[{at}]"));
    let both = scalar(op, &[of("within"), of("within + apart")], &[prim; 2]);
    printer.within(&format!("for (var apart = {}u; apart > 0u; apart = apart >> 1u)", WORKGROUP / 2), |printer| {
        printer.line(&format!("if (within < apart) {{ found{k}[within] = {}; }}", Word::of(prim).as_stored(&both)));
        printer.line("workgroupBarrier();");
    });
    printer.line(&format!("if (within == 0u) {{ store{}(i32(group), {}); }}", found.0, of("0")));
}

fn in_order(values: &FxHashSet<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = values.iter().copied().collect();
    all.sort_unstable();
    all
}

/// Declares what is set inside, and reads what comes from outside: which of it comes from the cells.
fn enter<'c>(printer: &mut Printer<'c, '_>, homes: &Homes, slots: &Slots, body: &[&'c Stm]) -> Vec<Value> {
    printer.declare();
    let mut takes = Vec::new();
    let mut used = FxHashSet::default();
    for stm in body {
        parts::each(core::slice::from_ref(*stm), &mut |stm| {
            used.extend(stm.operands().into_iter().filter_map(Operand::value));
        });
    }
    used.retain(|value| !printer.set.contains(value));
    for value in in_order(&used) {
        if body.iter().any(|stm| matches!(stm, Stm::Lanes(it) if is_of_lanes(it, value))) {
            continue;
        }
        let word = printer.word(value);
        let from = if homes.knows(Operand::Value(value)) {
            let at = printer.param(Param::Value(value), word);
            word.of_words(parameter, at)
        } else {
            takes.push(value);
            word.of_words(cell, slots[&value] as usize)
        };
        printer.line(&format!("let {} = {from};", name(value)));
    }
    takes
}

/// Whether a value is set by a loop over lanes itself.
fn is_of_lanes(it: &Lanes, value: Value) -> bool {
    it.index == value || it.folded == Some(value) || it.folds.iter().any(|fold| fold.cell == value)
}

/// The whole text.
fn finish(
    mut printer: Printer<'_, '_>,
    space: Space,
    [takes, leaves]: [Vec<Value>; 2],
    origin: Origin,
    shared: &str,
) -> Kernel {
    let mut scratch: Vec<Word> = Vec::new();
    let mut private = Vec::new();
    for (buffer, sizes) in core::mem::take(&mut printer.private) {
        let word = Word::of(printer.buffer_prim(buffer)).stored();
        if !scratch.contains(&word) {
            scratch.push(word);
        }
        private.push((buffer, word, sizes));
    }
    let mut functions = String::new();
    for Binding { buffer, how } in printer.bindings.clone() {
        let length = printer.param(Param::Length(buffer), Word::U32);
        let updates = printer.updates.iter().filter(|(of, _)| *of == buffer).map(|(_, op)| *op);
        let updates: Vec<ScalarOp> = updates.collect();
        let element = Element { prim: printer.buffer_prim(buffer), word: printer.element(buffer) };
        element_functions(&mut functions, buffer, element, how, &updates, length);
    }
    scratch.iter().for_each(|word| own_functions(&mut functions, *word));
    let steps = parameter(printer.param(Param::Steps, Word::U32));

    let words: u32 = printer.params.iter().map(|(_, word)| word.words()).sum();
    let mut head = format!("struct State {{ fault: array<atomic<u32>, {FAULT_WORDS}>, cells: array<u32> }}\n");
    let _ = writeln!(head, "@group(0) @binding(0) var<uniform> params: array<vec4<u32>, {}>;", words.div_ceil(4));
    let mut bind = |k: usize, access: &str, declaration: &str| {
        let _ = writeln!(head, "@group(0) @binding({k}) var<storage, {access}> {declaration};");
    };
    bind(1, "read_write", "state: State");
    for (k, Binding { buffer, how }) in printer.bindings.iter().enumerate() {
        let word = printer.element(*buffer).stored();
        let (access, element) = match how {
            Use::Reads => ("read", word.stored_name().to_owned()),
            Use::Writes => ("read_write", word.stored_name().to_owned()),
            Use::Shares => ("read_write", format!("atomic<{}>", bits_of(word).name())),
            // Its elements are not there for who claims them.
            Use::Claims => ("read_write", "atomic<u32>".to_owned()),
            Use::Owns => ("read_write", word.stored_name().to_owned()),
        };
        let name = if *how == Use::Claims { "owner" } else { "b" };
        bind(k + 2, access, &format!("{name}{}: array<{element}>", buffer.0));
    }
    for (k, word) in scratch.iter().enumerate() {
        let name = word.name();
        bind(k + 2 + printer.bindings.len(), "read_write", &format!("scratch_{name}: array<{name}>"));
    }
    let owned = printer.bindings.iter().filter(|binding| binding.how == Use::Owns);
    for (k, Binding { buffer, .. }) in owned.enumerate() {
        let at = k + 2 + printer.bindings.len() + scratch.len();
        bind(at, "read", &format!("owner{}: array<u32>", buffer.0));
    }
    head.push_str(shared);
    // After a fault nothing is to be overwritten; in lanes all threads come to the barriers.
    let guard = match &space {
        Space::Serial => "    if (atomicLoad(&state.fault[0]) != 0u) { return; }\n",
        Space::Lanes { folds, by_workgroup, .. } => {
            for (k, found) in folds.iter().enumerate().filter(|_| *by_workgroup) {
                let word = Word::of(printer.buffer_prim(*found)).stored();
                let _ = writeln!(head, "var<workgroup> found{k}: array<{}, {WORKGROUP}>;", word.name());
            }
            ""
        }
    };
    let size = space.workgroup();
    let [counting, zero, _] = printer.counting();
    let body = format!(
        "var<private> thread: u32;
var<private> threads: u32;
var<private> steps_left: u32;

fn fail(what: u32) {{
    atomicMax(&state.fault[0], what);
}}

// The count of a loop, if that many iterations may still be done.
fn allowed(count: {counting}) -> {counting} {{
    if (count > {counting}(steps_left)) {{
        fail({OUT_OF_STEPS}u);
        return {zero};
    }}
    steps_left = steps_left - u32(max(count, {zero}));
    return count;
}}

{functions}@compute @workgroup_size({size})
fn main(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, \
         @builtin(local_invocation_index) within: u32) {{
    let group = group_id.x;
    thread = group * {size}u + within;
    threads = groups.x * {size}u;
    steps_left = {steps};
{guard}{}}}
",
        printer.text
    );
    let text = format!("{}\n{head}{body}", prelude(&body));
    let shared = |it: &&Binding| it.how == Use::Shares && bits_of(printer.element(it.buffer)) == Word::U64;
    let shares_wide = printer.bindings.iter().any(|it| shared(&it));
    let (params, bindings) = (printer.params, printer.bindings);
    Kernel {
        text,
        is_wide: true,
        shares_wide,
        space,
        params,
        bindings,
        scratch,
        private,
        takes,
        leaves,
        moves: Vec::new(),
        work: Work::default(),
        origin,
        pipeline: OnceLock::new(),
    }
}

/// What a kernel reports that was stopped.
pub(super) const OUT_OF_STEPS: u32 = u32::MAX;

/// The words of a scalar that the host knows.
pub(super) fn words(c: Const, word: Word) -> Vec<u32> {
    let bits = match (c.integer(), c.real()) {
        (Some(n), _) => n as u64,
        // Half precision is in single precision there.
        (None, Some(x)) if word == Word::F32 => (x as f32).to_bits().into(),
        (None, _) => c.bits(),
    };
    [bits as u32, (bits >> 32) as u32][..word.words() as usize].to_vec()
}

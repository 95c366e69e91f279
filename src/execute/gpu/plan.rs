//! From code to a plan: which statements the host carries out, which become kernels of one thread, which of many.
//!
//! Law: the steps of a plan do what the statements do, in an order that keeps what one leaves for another. Scalars stay on the
//! device: what the host has to know of them it asks for where it has to (tests/gpu/counts.rs, laws: executors::suite).

use rustc_hash::{FxHashMap, FxHashSet};

use super::home::{Homes, can_host, is_heavy};
use super::kernel::{self, Kernel, Slots};
use super::kind::Word;
use super::print::Scatters;
use crate::array::Prim;
use crate::kernel::code::{Blame, Block, Buffer, Code, Lanes, Op, Operand, Output, Port, Stm, Value};
use crate::kernel::parts::{self, Access, Mentions};

/// A step of a plan.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// The host computes a scalar.
    Let(Value, Op, Vec<Operand>),
    /// The host sets cells.
    Assign(Vec<(Value, Operand)>),
    /// The host ends the run if the operand is false.
    Check(Operand, Option<usize>),
    /// The host ends the run unless the first operand is an index below the second.
    Bounds(Operand, Operand, Option<usize>),
    /// The host asks the device for scalars.
    Fetch(Vec<Value>),
    /// A buffer gets its size.
    Alloc(Buffer, Operand),
    /// Two buffers are exchanged.
    Swap(Buffer, Buffer),
    /// A kernel starts.
    Kernel(usize),
    /// Steps for each index.
    For { index: Value, count: Operand, body: Vec<Step> },
    /// Steps while a condition holds, which the first ones compute.
    While { before: Vec<Step>, condition: Operand, body: Vec<Step> },
    /// Some steps or others.
    If { condition: Operand, yes: Vec<Step>, no: Vec<Step> },
}

/// What a program becomes for a device.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) code: Code,
    pub(super) steps: Vec<Step>,
    pub(super) kernels: Vec<Kernel>,
    /// What is wrong where a check with a report fails, by number, and the kinds of the operands.
    pub(super) reports: Vec<(Blame, Vec<Prim>)>,
    pub(super) slots: Slots,
    /// The integers that lanes compute of others, as the host can as well.
    pub(super) of_lanes: FxHashMap<Value, (Op, Vec<Operand>)>,
    /// How many words the cells take.
    pub(super) cells: u32,
}

/// A kernel before it is printed: the statements that one thread carries out, or the loop over lanes that several share.
#[derive(Debug)]
pub(super) enum Draft<'c> {
    Serial(Vec<&'c Stm>),
    Lanes(&'c Stm, Scatters),
}

impl<'c> Draft<'c> {
    /// Its statements.
    pub(super) fn statements(&self) -> &[&'c Stm] {
        match self {
            Draft::Serial(stms) => stms,
            Draft::Lanes(stm, _) => core::slice::from_ref(stm),
        }
    }
}

impl Plan {
    pub(super) fn of(code: Code) -> Self {
        let homes = Homes::of(&code);
        let mut builder =
            Builder { homes: &homes, drafts: Vec::new(), fetched: FxHashSet::default(), reports: Vec::new() };
        let mut steps = builder.block(&code.body);
        let sizes = code.outputs.iter().filter(|output| matches!(output, Output::Array { .. }));
        steps.extend(builder.fetch(sizes.flat_map(Output::operands)));
        let Builder { drafts, fetched, mut reports, .. } = builder;
        let (slots, cells) = slots(&code, &homes, &drafts, fetched);
        let kernels = drafts.iter().map(|draft| kernel::kernel(&code, &homes, &slots, &mut reports, draft)).collect();
        let report = |stm: &&Stm| {
            let (Stm::Check { blame: Some(blame), .. } | Stm::Bounds { blame: Some(blame), .. }) = stm else {
                panic!("a check with a report has a report");
            };
            ((**blame).clone(), blame.operands.iter().map(|x| code.prim(*x)).collect())
        };
        let reports = reports.iter().map(report).collect();
        Plan { steps, kernels, reports, slots, of_lanes: of_lanes(&code), cells, code }
    }

    /// The kind of a result.
    pub(super) fn kind(&self, output: &Output) -> Prim {
        match output {
            Output::Array { prim, .. } => *prim,
            Output::Scalar(operand) => self.code.prim(*operand),
        }
    }
}

/// The integers that lanes compute, each once, by what the host can do as well.
fn of_lanes(code: &Code) -> FxHashMap<Value, (Op, Vec<Operand>)> {
    let mentions = Mentions::of(&code.outputs, &code.body);
    let is_real = |x: &Operand| code.prim(*x).is_real();
    let mut found = FxHashMap::default();
    parts::each(&code.body, &mut |stm| {
        let Stm::Lanes(lanes) = stm else { return };
        parts::each(&lanes.body, &mut |stm| {
            if let Stm::Let(value, op, operands) = stm
                && can_host(*op)
                && mentions.get(*value).is_set_once()
                && !is_real(&Operand::Value(*value))
                && !operands.iter().any(is_real)
            {
                found.insert(*value, (*op, operands.clone()));
            }
        });
    });
    found
}

/// A place in the buffer of cells for each scalar that kernels leave to others, or to the host.
fn slots(code: &Code, homes: &Homes, drafts: &[Draft<'_>], mut shared: FxHashSet<Value>) -> (Slots, u32) {
    shared.extend(
        code.inputs.iter().filter_map(|input| if let Port::Scalar(value) = input { Some(*value) } else { None }),
    );
    let scalar = |output: &Output| if let Output::Scalar(operand) = output { operand.value() } else { None };
    shared.extend(code.outputs.iter().filter_map(scalar));
    let mut seen = FxHashSet::default();
    for draft in drafts {
        let mut mentioned = FxHashSet::default();
        for stm in draft.statements() {
            parts::each(core::slice::from_ref(*stm), &mut |stm| {
                mentioned.extend(stm.operands().into_iter().filter_map(Operand::value));
                mentioned.extend(stm.sets());
            });
        }
        shared.extend(mentioned.iter().filter(|value| seen.contains(*value)));
        seen.extend(mentioned);
    }
    let mut shared: Vec<Value> = shared.into_iter().filter(|value| !homes.knows(Operand::Value(*value))).collect();
    shared.sort_unstable();
    let (mut slots, mut next) = (FxHashMap::default(), 0);
    for value in shared {
        slots.insert(value, next);
        next += Word::of(code.prim(Operand::Value(value))).words();
    }
    (slots, next.max(1))
}

struct Builder<'c> {
    homes: &'c Homes,
    drafts: Vec<Draft<'c>>,
    /// What the host asks the device for.
    fetched: FxHashSet<Value>,
    reports: Vec<&'c Stm>,
}

impl<'c> Builder<'c> {
    fn block(&mut self, block: &'c Block) -> Vec<Step> {
        let mut steps = Vec::new();
        // What one thread of the device is to do.
        let mut waiting: Vec<&'c Stm> = Vec::new();
        for stm in block {
            let heavy = is_heavy(stm);
            if heavy || self.homes.is_host(stm) {
                // Host and device do not wait for each other, unless one changes what the other has yet to read.
                let clashes = if heavy { !are_independent(stm, &waiting) } else { conflicts(stm, &waiting) };
                if clashes {
                    self.flush(&mut waiting, &mut steps);
                }
                self.on_host(stm, &mut steps);
            } else {
                waiting.push(stm);
                self.beside(stm, &mut waiting, &mut steps);
            }
        }
        self.flush(&mut waiting, &mut steps);
        steps
    }

    /// Has the host set those of the cells of a statement of the device that it knows.
    fn beside(&mut self, stm: &'c Stm, waiting: &mut Vec<&'c Stm>, steps: &mut Vec<Step>) {
        let Stm::Assign { cells, .. } = stm else { return };
        let ours = |(cell, _): &&(Value, Operand)| self.homes.knows(Operand::Value(*cell));
        let ours: Vec<(Value, Operand)> = cells.iter().filter(ours).copied().collect();
        if ours.is_empty() {
            return;
        }
        if uses(waiting, &ours.iter().map(|(cell, _)| *cell).collect()) {
            self.flush(waiting, steps);
        }
        steps.push(Step::Assign(ours));
    }

    fn flush(&mut self, waiting: &mut Vec<&'c Stm>, steps: &mut Vec<Step>) {
        if !waiting.is_empty() {
            let draft = Draft::Serial(core::mem::take(waiting));
            steps.push(self.kernel(draft));
        }
    }

    fn kernel(&mut self, draft: Draft<'c>) -> Step {
        self.drafts.push(draft);
        Step::Kernel(self.drafts.len() - 1)
    }

    /// What the host computes, starts or makes; it asks for what it has to know before.
    fn on_host(&mut self, stm: &'c Stm, steps: &mut Vec<Step>) {
        let step = match stm {
            Stm::Let(value, op, operands) => Step::Let(*value, *op, operands.clone()),
            Stm::Assign { cells, mask: None } => Step::Assign(cells.clone()),
            Stm::Check { condition, mask, blame } => {
                masked(*mask, Step::Check(*condition, self.report(stm, blame.as_deref())))
            }
            Stm::Bounds { index, length, mask, blame } => {
                masked(*mask, Step::Bounds(*index, *length, self.report(stm, blame.as_deref())))
            }
            Stm::Alloc(buffer, count) => {
                steps.extend(self.fetch([*count]));
                Step::Alloc(*buffer, *count)
            }
            Stm::Swap(a, b) => Step::Swap(*a, *b),
            Stm::Lanes(lanes) => {
                let mut inside = FxHashSet::default();
                parts::sets(&lanes.body, &mut inside);
                let mut sizes = private_sizes(&lanes.body);
                sizes.retain(|x| x.value().is_none_or(|value| !inside.contains(&value)));
                steps.extend(self.fetch(sizes.into_iter().chain([lanes.count])));
                let how = scatters(lanes);
                if how == Scatters::ByOwner {
                    steps.push(self.kernel(Draft::Lanes(stm, Scatters::Claimed)));
                }
                self.kernel(Draft::Lanes(stm, how))
            }
            Stm::For { index, count, body, .. } => {
                steps.extend(self.fetch([*count]));
                Step::For { index: *index, count: *count, body: self.block(body) }
            }
            Stm::While { before, condition, body, .. } => {
                let mut before = self.block(before);
                before.extend(self.fetch([*condition]));
                Step::While { before, condition: *condition, body: self.block(body) }
            }
            Stm::If { condition, yes, no } => {
                steps.extend(self.fetch([*condition]));
                Step::If { condition: *condition, yes: self.block(yes), no: self.block(no) }
            }
            Stm::Load(..) | Stm::Store { .. } | Stm::Add { .. } => panic!("elements of buffers are for the device"),
            Stm::Assign { .. } => panic!("what a mask says is for the device"),
            Stm::Product(_) => panic!("no pass of this target makes products"),
        };
        steps.push(step);
    }

    /// The number of the report of a check, if it has one: as a kernel counts them.
    fn report(&mut self, stm: &'c Stm, blame: Option<&Blame>) -> Option<usize> {
        blame.map(|_| {
            self.reports.push(stm);
            self.reports.len() - 1
        })
    }

    /// Asks the device for what the host has to know and does not.
    fn fetch(&mut self, operands: impl IntoIterator<Item = Operand>) -> Option<Step> {
        let unknown = operands.into_iter().filter(|x| !self.homes.knows(*x)).filter_map(Operand::value);
        let mut unknown: Vec<Value> = unknown.collect();
        unknown.sort_unstable();
        unknown.dedup();
        self.fetched.extend(&unknown);
        (!unknown.is_empty()).then_some(Step::Fetch(unknown))
    }
}

/// The buffers of which several lanes may set one element: those that lanes do not each set in a row of their own.
pub(super) fn colliding(lanes: &Lanes) -> Vec<Buffer> {
    let mut rows: FxHashMap<Buffer, Option<[Option<Operand>; 2]>> = FxHashMap::default();
    parts::each(&lanes.body, &mut |stm| {
        if let Stm::Store { place, .. } = stm {
            let row = Some([Some(place.base), place.lane]).filter(|_| place.lane.is_some() && place.varying.is_none());
            let known = rows.entry(place.buffer).or_insert(row);
            *known = known.filter(|known| Some(*known) == row);
        }
    });
    lanes.scatters.iter().copied().filter(|buffer| rows.get(buffer).is_some_and(Option::is_none)).collect()
}

/// How lanes set elements that several of them may set. They claim them before they do all else, if no lane reads what one changes;
/// else they run one after the other.
fn scatters(lanes: &Lanes) -> Scatters {
    if colliding(lanes).is_empty() {
        return Scatters::None;
    }
    let written = lanes.writes.iter().map(|(buffer, ..)| *buffer);
    let changed: FxHashSet<Buffer> = lanes.scatters.iter().chain(&lanes.adds).copied().chain(written).collect();
    let mut reads = false;
    parts::each(&lanes.body, &mut |stm| {
        reads |= stm.touches().iter().any(|(buffer, access, _)| *access == Access::Reads && changed.contains(buffer));
    });
    if reads { Scatters::InOrder } else { Scatters::ByOwner }
}

/// The sizes of what threads have for themselves.
fn private_sizes(block: &Block) -> Vec<Operand> {
    let mut sizes = Vec::new();
    parts::each(block, &mut |stm| {
        if let Stm::Alloc(_, count) = stm {
            sizes.push(*count);
        }
    });
    sizes
}

fn masked(mask: Option<Operand>, check: Step) -> Step {
    match mask {
        Some(condition) => Step::If { condition, yes: vec![check], no: Vec::new() },
        None => check,
    }
}

/// Whether a loop over lanes, or an allocation, has nothing to do with statements that wait: they may come later.
fn are_independent(stm: &Stm, waiting: &[&Stm]) -> bool {
    if !matches!(stm, Stm::Lanes(_) | Stm::Alloc(..)) {
        return false;
    }
    let (mut values, mut set, mut buffers) = (FxHashSet::default(), FxHashSet::default(), FxHashMap::default());
    parts::each(core::slice::from_ref(stm), &mut |stm| {
        values.extend(stm.operands().into_iter().filter_map(Operand::value));
        set.extend(stm.sets());
        for (buffer, access, _) in stm.touches() {
            *buffers.entry(buffer).or_insert(false) |= access.changes();
        }
    });
    let mut independent = true;
    for waiting in waiting {
        parts::each(core::slice::from_ref(*waiting), &mut |stm| {
            independent &= !matches!(stm, Stm::Check { .. } | Stm::Bounds { .. });
            independent &= !stm.sets().iter().any(|value| values.contains(value) || set.contains(value));
            independent &= !stm.operands().into_iter().filter_map(Operand::value).any(|value| set.contains(&value));
            let clashes = |(buffer, access, _): (Buffer, Access, _)| {
                buffers.get(&buffer).is_some_and(|changes| *changes || access.changes())
            };
            independent &= !stm.touches().into_iter().any(clashes);
        });
    }
    independent
}

/// Whether the host would change a scalar that waiting statements have yet to read, or fail before they could.
fn conflicts(stm: &Stm, waiting: &[&Stm]) -> bool {
    let mut set = FxHashSet::default();
    let mut reports = false;
    parts::each(core::slice::from_ref(stm), &mut |stm| {
        set.extend(stm.sets());
        reports |= matches!(stm, Stm::Check { blame: Some(_), .. } | Stm::Bounds { blame: Some(_), .. });
    });
    reports && !waiting.is_empty() || uses(waiting, &set)
}

/// Whether statements use one of these values.
fn uses(stms: &[&Stm], values: &FxHashSet<Value>) -> bool {
    let mut uses = false;
    for stm in stms {
        parts::each(core::slice::from_ref(*stm), &mut |stm| {
            uses |= stm.operands().into_iter().filter_map(Operand::value).any(|value| values.contains(&value));
        });
    }
    uses
}

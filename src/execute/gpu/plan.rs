//! From code to a plan: which statements the host carries out, which become kernels of one thread, which of many.
//!
//! Law: the steps of a plan do what the statements do, in an order that keeps what one leaves for another. Scalars stay on the
//! device: what the host has to know of them it asks for where it has to (tests/gpu/counts.rs, laws: executors::suite).

use rustc_hash::{FxHashMap, FxHashSet};

use super::copies::in_copies;
use super::effects::{self, Rematerialised};
use super::home::{Homes, can_host, is_heavy};
use super::kernel::{Kernel, Slots, Source};
use super::kind::{Width, Word};
use super::print::Scatters;
use super::print_tiles::in_tiles;
use super::proof::{Claim, can_be_narrow};
use super::rows::{Rows, rows};
use crate::array::{Prim, Program, text};
use crate::execute::Unsupported;
use crate::execute::fault::binder;
use crate::kernel::code::{Blame, Block, Buffer, Code, Lanes, Op, Operand, Output, Port, Stm, Value, ValueInfo};
use crate::kernel::fuse_sequential::Effects;
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
    /// The program that the code is of.
    pub(super) program: Program,
    pub(super) code: Code,
    pub(super) steps: Vec<Step>,
    pub(super) kernels: Vec<Kernel>,
    /// Each of them in integers of 32 bits, where there is a text for that, and what is to be proved before it starts.
    pub(super) narrow: Vec<Option<Kernel>>,
    /// Those of these that can be done in the memory of workgroups as well: in tiles, or in copies.
    pub(super) shared: Vec<Option<Kernel>>,
    pub(super) claims: Vec<Claim>,
    /// What is wrong where a check with a report fails, by number, and the kinds of the operands.
    pub(super) reports: Vec<(Blame, Vec<Prim>)>,
    pub(super) slots: Slots,
    /// The integers that lanes compute of others, as the host can as well.
    pub(super) of_lanes: FxHashMap<Value, (Op, Vec<Operand>)>,
    /// How many words the cells take.
    pub(super) cells: u32,
}

/// Kernels of more arrays than this are not joined: every device binds as many, and the cells.
const MAX_ARRAYS: usize = 7;

/// A kernel before it is printed.
#[derive(Debug)]
pub(super) struct Draft<'c> {
    /// What every thread carries out, in order; at the end of it may be a loop over lanes, which several share.
    pub(super) stms: Vec<&'c Stm>,
    pub(super) scatters: Scatters,
    /// What is between the two loops over lanes at the end of it, if there are two.
    pub(super) rows: Option<Rows>,
}

impl Plan {
    pub(super) fn of(program: &Program, code: Code) -> Self {
        let homes = Homes::of(&code);
        let mut builder = Builder {
            code: &code,
            new: Vec::new(),
            homes: &homes,
            mentions: Mentions::of(&code.outputs, &code.body),
            wanted: effects::wanted(&code),
            again: Rematerialised::default(),
            drafts: Vec::new(),
            fetched: FxHashSet::default(),
            reports: Vec::new(),
        };
        let mut steps = builder.block(&code.body);
        let sizes = code.outputs.iter().filter(|output| matches!(output, Output::Array { .. }));
        steps.extend(builder.fetch(sizes.flat_map(Output::operands)));
        let Builder { drafts, fetched, again, mut reports, new, .. } = builder;
        let (slots, cells) = slots(&code, &homes, &again, &drafts, fetched);
        let source = Source { code: &code, homes: &homes, slots: &slots };
        let (mut kernels, mut narrow, mut shared) = (Vec::new(), Vec::new(), Vec::new());
        for draft in &drafts {
            // Both report the same.
            let before = reports.len();
            let mut printed = |width: Width| {
                reports.truncate(before);
                source.kernel(width, &mut reports, draft)
            };
            kernels.push(printed(Width::Wide));
            let can_be_narrow = can_be_narrow(&code, &draft.stms);
            narrow.push(can_be_narrow.then(|| printed(Width::Narrow)));
            let in_shared = || in_tiles(source, draft).or_else(|| in_copies(source, draft));
            shared.push((can_be_narrow && draft.rows.is_none()).then(in_shared).flatten());
        }
        let claims = drafts.iter().map(|draft| Claim::of(&code, &homes, &draft.stms)).collect();
        let report = |stm: &&Stm| {
            let (Stm::Check { blame: Some(blame), .. } | Stm::Bounds { blame: Some(blame), .. }) = stm else {
                panic!("a check with a report has a report");
            };
            ((**blame).clone(), blame.operands.iter().map(|x| code.prim(*x)).collect())
        };
        let reports = reports.iter().map(report).collect();
        let of_lanes = of_lanes(&code);
        let mut code = code;
        code.values.extend(new);
        Plan { program: program.clone(), steps, kernels, narrow, shared, claims, reports, slots, of_lanes, cells, code }
    }

    /// The kernels that every run starts which comes to its end; those in branches and loops may not be among them.
    pub(super) fn in_every_run(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().filter_map(|step| if let Step::Kernel(k) = step { Some(*k) } else { None })
    }

    /// That a kernel cannot run, and which statement of the program it is for.
    pub(super) fn unsupported(&self, kernel: &Kernel, reason: &'static str) -> Unsupported {
        let stm = kernel.origin.and_then(|var| binder(&self.program.function.body, var));
        Unsupported { statement: stm.map(|stm| text::head(&self.program, stm)), reason }
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
fn slots(
    code: &Code,
    homes: &Homes,
    again: &Rematerialised<'_>,
    drafts: &[Draft<'_>],
    mut shared: FxHashSet<Value>,
) -> (Slots, u32) {
    shared.extend(
        code.inputs.iter().filter_map(|input| if let Port::Scalar(value) = input { Some(*value) } else { None }),
    );
    let scalar = |output: &Output| if let Output::Scalar(operand) = output { operand.value() } else { None };
    shared.extend(code.outputs.iter().filter_map(scalar));
    let mut seen = FxHashSet::default();
    for draft in drafts {
        let mut mentioned = FxHashSet::default();
        for stm in &draft.stms {
            let Effects { uses, defines, .. } = Effects::of([*stm]);
            mentioned.extend(uses.into_iter().chain(defines).filter(|value| !again.has(*value)));
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
    code: &'c Code,
    /// Values of the host that are not in the code.
    new: Vec<ValueInfo>,
    homes: &'c Homes,
    mentions: Mentions,
    /// The values that the host asks for.
    wanted: FxHashSet<Value>,
    again: Rematerialised<'c>,
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
            if is_heavy(stm) || self.homes.is_host(stm) {
                // Host and device do not wait for each other, unless one changes what the other has yet to read.
                if self.is_before(&waiting, stm) {
                    self.flush(&mut waiting, &mut steps);
                }
                self.on_host(stm, &mut steps);
                self.join(&mut steps);
            } else if !self.again.take(stm, &self.mentions, &self.wanted) {
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
        let sets: FxHashSet<Value> = ours.iter().map(|(cell, _)| *cell).collect();
        if waiting.iter().any(|stm| !sets.is_disjoint(&self.again.with_before(stm).uses)) {
            self.flush(waiting, steps);
        }
        steps.push(Step::Assign(ours));
    }

    /// Whether what waits has to be done before a statement that is the host's to carry out or to start.
    fn is_before(&self, waiting: &[&'c Stm], stm: &'c Stm) -> bool {
        let later = self.again.with_before(stm);
        waiting.iter().any(|waiting| {
            let both = [&self.again.with_before(waiting), &later];
            match stm {
                Stm::Lanes(_) | Stm::Alloc(..) => effects::clash(waiting, both),
                _ => is_heavy(stm) || effects::clash_with_host(stm, both),
            }
        })
    }

    fn flush(&mut self, waiting: &mut Vec<&'c Stm>, steps: &mut Vec<Step>) {
        if !waiting.is_empty() {
            steps.push(self.kernel(core::mem::take(waiting), Scatters::None));
        }
    }

    /// A kernel of statements, each after what is computed again for it.
    fn kernel(&mut self, stms: Vec<&'c Stm>, scatters: Scatters) -> Step {
        let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
        for stm in stms {
            let before = self.again.before(&Effects::of([stm]));
            all.extend(before.into_iter().filter(|stm| seen.insert(core::ptr::from_ref(*stm))));
            all.push(stm);
        }
        self.drafts.push(Draft { stms: all, scatters, rows: None });
        Step::Kernel(self.drafts.len() - 1)
    }

    /// Makes one kernel of the last two, if the second takes rows of what the first leaves, for where a workgroup has whole ones.
    fn join(&mut self, steps: &mut Vec<Step>) {
        let Some(Step::Kernel(second)) = steps.last() else { return };
        let is_between = |step: &&Step| matches!(step, Step::Let(..) | Step::Alloc(..) | Step::Check(..));
        let before = &steps[..steps.len() - 1];
        let at = before.len() - before.iter().rev().take_while(is_between).count();
        let Some(Step::Kernel(first)) = at.checked_sub(1).map(|at| &before[at]) else { return };
        let [first, second] = [*first, *second];
        let last = |k: usize| self.drafts[k].stms.last().copied();
        let (Some(a), Some(b)) = (last(first), last(second)) else { return };
        let Some(rows) = rows(self.code, self.homes, a, b).filter(|_| self.drafts[second].rows.is_none()) else {
            return;
        };
        let touched = Effects::of([a]).touches;
        let resizes = |step: &Step| matches!(step, Step::Alloc(buffer, _) if touched.contains_key(buffer));
        if steps[at..].iter().any(resizes) || Effects::of([a, b]).touches.len() - rows.near.len() > MAX_ARRAYS {
            return;
        }
        let next = u32::try_from(self.code.values.len()).expect("fewer values than 2^32");
        let (computed, condition) = rows.are_whole(next, &mut self.new);
        let Step::Kernel(together) = self.kernel(vec![a, b], Scatters::None) else { panic!("it is a kernel") };
        let is_near = |step: &Step| matches!(step, Step::Alloc(buffer, _) if rows.near.contains(buffer));
        self.drafts[together].rows = Some(rows.clone());
        steps.pop();
        steps.remove(at - 1);
        // Only where it is in no workgroup there is an array of it.
        let mut apart: Vec<Step> = Vec::new();
        while let Some(at) = steps.iter().position(is_near) {
            apart.push(steps.remove(at));
        }
        apart.extend([Step::Kernel(first), Step::Kernel(second)]);
        steps.extend(computed);
        steps.push(Step::If { condition, yes: vec![Step::Kernel(together)], no: apart });
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
                    steps.push(self.kernel(vec![stm], Scatters::Claimed));
                }
                self.kernel(vec![stm], how)
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
            Stm::Load(..) | Stm::Store { .. } | Stm::Update { .. } => panic!("elements of buffers are for the device"),
            Stm::Assign { .. } => panic!("what a mask says is for the device"),
            Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_) => panic!("no pass of this target makes products"),
            Stm::Call(_) => panic!("functions of Rust were refused"),
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

/// How lanes set elements that several of them may set. They claim them before they do all else, if no lane reads what one changes;
/// else they run one after the other.
fn scatters(lanes: &Lanes) -> Scatters {
    if lanes.colliding().is_empty() {
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

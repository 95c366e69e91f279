//! Straight-line code in the order in which it runs fastest: equal operations one after the other, as one loop each.
//!
//! Law: an operation comes after its operands, and a sum adds its terms in the order written, so that every value is
//! what the operations in the order written compute, to the last bit. Operations move within windows only, so that
//! operands stay near their users (list scheduling; the reordering that makes loops of statements is Callahan and
//! Allen's) (tests/scalar/recordings.rs).

use std::ops::Range;

use super::arena::{Id, Node};
use super::cone::Cone;
use super::custom::ErasedRule;
use super::plan::{Alike, NONE, Plan};
use super::straight::Straight;
use crate::primitives::Primitive;

/// Straight-line code for slots: first those of the variables, then those of the constants, then one for each operation
/// but those that add to a sum.
#[derive(Debug)]
pub(crate) struct Code {
    /// The number of slots.
    pub(crate) slots: usize,
    /// The number of variables.
    pub(crate) inputs: usize,
    /// What stands in the slots after the variables: the bits of a literal, or the number of a variable beyond `inputs`.
    pub(crate) constants: Vec<Constant>,
    /// The loops, in order.
    pub(crate) runs: Vec<Run>,
    /// The slots of the operands of each loop, in order: those of each operation after one another; but those of cones by
    /// leaf, and only of the leaves that are listed, and of spans the first, and then how far it is from each to the next.
    pub(crate) operands: Vec<u32>,
    /// The cones that are loops.
    pub(crate) cones: Vec<Cone>,
    /// Where the leaves of the loops of cones stand, in order.
    pub(crate) leaves: Vec<Leaf>,
    /// The numbers of working memory for a block of cones.
    pub(crate) scratch: usize,
    /// The slots of the roots, and whether their values depend on a variable in a way that a derivative can see.
    pub(crate) roots: Vec<(u32, bool)>,
    /// Users' rules.
    pub(crate) rules: Vec<ErasedRule>,
}

/// A value that is known before the code runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constant {
    /// A literal.
    Literal(f64),
    /// A number from outside, by its number among them.
    Outside(usize),
}

/// A loop: one operation, applied once per iteration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) kind: Kind,
    /// The number of operands of each.
    pub(crate) arity: u8,
    /// Bit `i` says that the derivative passes through operand `i`; none are set if no root needs it.
    pub(crate) active: u8,
    pub(crate) length: u32,
    /// The slot of the first result; those of the others follow it. Sums have one slot.
    pub(crate) to: u32,
    /// The slot of the sum that the values of a row are added to.
    pub(crate) sum: u32,
    /// Where the leaves of a loop of cones begin among all.
    pub(crate) leaves: u32,
    /// Where the registers of a loop of cones begin in working memory.
    pub(crate) scratch: u32,
    /// Whether no other loop writes to them, so that the backward pass finds what the forward pass left there.
    pub(crate) kept: bool,
    /// Whether the cones are a chain.
    pub(crate) chained: bool,
    /// Whether the first result begins the sum.
    pub(crate) begins: bool,
    /// Whether each operand of a row is in one slot, or in a slot and those after it, and the length is one of whole lanes.
    pub(crate) spans: bool,
}

impl Run {
    /// How much of the list of operands is about this loop.
    #[inline(always)]
    pub(crate) fn operands(&self) -> usize {
        usize::from(self.arity) * if self.spans { 2 } else { self.length as usize }
    }

    /// The room of a register of a loop of cones, which holds one number of each cone of a block.
    #[inline(always)]
    pub(crate) fn register(&self) -> usize {
        BLOCK.min((self.length as usize).next_multiple_of(LANES))
    }
}

/// Where the values of a leaf stand, in a loop of cones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// All in one slot.
    Same(u32),
    /// All in the slot of a constant, with a register that is filled before the code runs.
    Constant(u32),
    /// In a slot and those after it.
    From(u32),
    /// In slots that are listed.
    Listed,
    /// The first in a slot; each other is the result of the cone before, which runs in order for that reason.
    Chain(u32),
}

/// The number of cones that are computed at once.
pub(crate) const BLOCK: usize = 64;

/// The count of numbers of a register that are computed together, including those past the end of a loop, which nothing
/// reads.
pub(crate) const LANES: usize = 8;

/// The most numbers of working memory that short loops keep from the forward pass to the backward pass: as many as fit in
/// the nearest cache beside what else is needed.
const MAX_KEPT_VALUES: usize = 2048;

/// What a step of a loop of cones costs before the first cone, in the unit of which an operation on its own costs about
/// two more than a step, and a leaf that is listed costs three.
const START_COST: isize = 8;

/// What a loop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// The sum of two.
    Plus,
    /// The product of two.
    Times,
    /// Adds to a sum.
    Add,
    /// Adds the product of two to a sum.
    AddProduct,
    /// Adds the value of a row of the table, which is kept too, to a sum.
    AddRow(Primitive),
    /// A cone.
    Cone(u32),
    /// Adds the results of a cone to a sum.
    AddCone(u32),
    /// A row of the table.
    Row(Primitive),
    /// A user's rule.
    Rule(u32),
}

impl Code {
    /// The code for all roots; derivatives are wanted of the first `differentiated` of them, by the variables below
    /// `inputs`.
    pub(crate) fn new(straight: &Straight, inputs: usize, differentiated: usize) -> Self {
        let mut plan = Plan::new(straight, inputs, differentiated);
        loop {
            plan.tell_apart();
            let mut code = Code::in_order(&plan, inputs);
            code.place_leaves();
            // Cones that differ too much, wait for one another, or have leaves all over are slower than their operations.
            let mut gain = vec![0_isize; code.cones.len()];
            for run in &code.runs {
                if let Kind::Cone(kind) | Kind::AddCone(kind) = run.kind {
                    let steps = code.cones[kind as usize].steps.len() as isize;
                    let each = 2 * steps - 3 * run.arity as isize;
                    gain[kind as usize] += each * run.length as isize - START_COST * steps;
                }
            }
            let poor = |kind: u32| gain[kind as usize] < 0;
            if !(0..gain.len() as u32).any(poor) {
                return code;
            }
            plan.cones.dissolve(poor);
        }
    }

    fn in_order(plan: &Plan<'_>, inputs: usize) -> Self {
        let straight = plan.straight;
        let mut code = Code {
            slots: inputs,
            inputs,
            constants: Vec::new(),
            runs: Vec::new(),
            operands: Vec::new(),
            cones: plan.cones.kinds.clone(),
            leaves: Vec::new(),
            scratch: 0,
            roots: Vec::new(),
            rules: straight.rules.clone(),
        };
        let mut slots = vec![NONE; straight.nodes.len()];
        for (slot, node) in slots.iter_mut().zip(&straight.nodes) {
            let constant = match node {
                Node::Variable(number) if (*number as usize) < inputs => {
                    *slot = *number;
                    continue;
                }
                Node::Variable(number) => Constant::Outside(*number as usize - inputs),
                Node::Literal(bits) => Constant::Literal(f64::from_bits(*bits)),
                _ => continue,
            };
            *slot = code.slots as u32;
            code.slots += 1;
            code.constants.push(constant);
        }
        let mut last = Last { alike: None, chain: None };
        plan.in_order(|id| code.append(plan, &mut slots, &mut last, id));
        code.roots = straight.roots.iter().map(|root| (slots[*root as usize], plan.active[*root as usize])).collect();
        code
    }

    /// The registers that constants fill before the code runs, and the slots of these.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        self.runs.iter().filter(|run| run.kept).flat_map(move |run| {
            let (Kind::Cone(cone) | Kind::AddCone(cone)) = run.kind else { unreachable!("only cones have registers") };
            let leaves = &self.leaves[run.leaves as usize..][..self.cones[cone as usize].leaves];
            leaves.iter().enumerate().filter_map(move |(at, leaf)| match leaf {
                Leaf::Constant(slot) => {
                    let start = self.slots + run.scratch as usize + at * run.register();
                    Some((start..start + run.register(), *slot as usize))
                }
                _ => None,
            })
        })
    }

    /// The numbers that a pass works on: the values or the adjoints of the slots, and working memory.
    pub(crate) fn room(&self) -> usize {
        self.slots + self.scratch
    }

    /// The number of operations.
    pub(crate) fn operations(&self) -> usize {
        let each = |run: &Run| match run.kind {
            Kind::AddProduct | Kind::AddRow(_) => 2,
            Kind::Cone(cone) => self.cones[cone as usize].steps.len(),
            Kind::AddCone(cone) => self.cones[cone as usize].steps.len() + 1,
            _ => 1,
        };
        // What a sum begins with is not added to anything.
        self.runs.iter().map(|run| each(run) * run.length as usize - usize::from(run.begins)).sum()
    }

    /// Appends a node to the last loop, or begins a new one.
    fn append(&mut self, plan: &Plan<'_>, slots: &mut [u32], last: &mut Last, id: Id) {
        let alike = plan.alike[id as usize];
        // A sum that begins with two values of a row has a slot beside theirs.
        let pair = plan.pair(id).is_some();
        if pair {
            slots[id as usize] = self.slots as u32;
            self.slots += 1;
        }
        let (sum, count) = if pair { (id, 2) } else { (plan.sum[id as usize], 1) };
        let keeps = sum == NONE || matches!(alike.0, Kind::AddRow(_));
        let to = if keeps { self.slots as u32 } else { slots[sum as usize] };
        let result = if sum == NONE { to } else { slots[sum as usize] };
        let start = self.operands.len();
        plan.needs(id, |operand| self.operands.push(slots[operand as usize]));
        let operands = &self.operands[start..];
        match self.runs.last_mut().filter(|run| last.alike == Some(alike) && last.takes(run, operands)) {
            Some(run) => run.length += 1,
            None => {
                let arity = (operands.len() / count) as u8;
                let begins = pair || sum == NONE && alike.2 != NONE;
                self.runs.push(Run {
                    kind: alike.0,
                    arity,
                    active: alike.1,
                    length: count as u32,
                    to,
                    sum: result,
                    leaves: 0,
                    scratch: 0,
                    kept: false,
                    chained: false,
                    begins,
                    spans: false,
                });
                *last = Last { alike: Some(alike), chain: None };
            }
        }
        slots[id as usize] = result;
        self.slots += if keeps { count } else { 0 };
    }

    /// Splits loops of rows that are on spans, but for some first operations, so that the rest fills whole lanes. Loops that
    /// end together then share their lanes from one to the next. Short ones wait for more numbers that were written one by
    /// one and are read in lanes than they save.
    fn find_spans(&mut self) {
        let all = core::mem::take(&mut self.operands);
        let mut rest = &all[..];
        for run in core::mem::take(&mut self.runs) {
            let (operands, after) = rest.split_at(run.operands());
            rest = after;
            let head = run.length % LANES as u32;
            let (listed, others) = operands.split_at(usize::from(run.arity) * head as usize);
            let row = matches!(run.kind, Kind::Row(_) | Kind::AddRow(_)) && run.length as usize >= 2 * LANES;
            match if row { spans(others, run.arity.into(), run.to) } else { None } {
                Some(spans) => {
                    if head > 0 {
                        self.operands.extend(listed);
                        self.runs.push(Run { length: head, ..run });
                    }
                    self.operands.extend(spans);
                    let begins = run.begins && head == 0;
                    self.runs.push(Run { length: run.length - head, to: run.to + head, spans: true, begins, ..run });
                }
                None => {
                    self.operands.extend(operands);
                    self.runs.push(run);
                }
            }
        }
    }

    /// Finds where the leaves of cones stand, and lists by leaf those of which nothing shorter can be said.
    fn place_leaves(&mut self) {
        self.find_spans();
        let all = core::mem::take(&mut self.operands);
        let mut rest = &all[..];
        let constants = self.inputs..self.inputs + self.constants.len();
        let mut shared = 0;
        for run in &mut self.runs {
            let (operands, after) = rest.split_at(run.operands());
            rest = after;
            let (Kind::Cone(cone) | Kind::AddCone(cone)) = run.kind else {
                self.operands.extend(operands);
                continue;
            };
            let cone = &self.cones[cone as usize];
            let registers = run.register() * cone.registers();
            run.kept = run.length as usize <= BLOCK && self.scratch + registers <= MAX_KEPT_VALUES;
            if run.kept {
                run.scratch = self.scratch as u32;
                self.scratch += registers;
            } else {
                shared = shared.max(registers);
            }
            run.leaves = self.leaves.len() as u32;
            run.arity = 0;
            for leaf in 0..cone.leaves {
                let slots = || operands.iter().copied().skip(leaf).step_by(cone.leaves);
                let first = operands[leaf];
                let steps = |by: u32| slots().zip(0..).all(|(slot, k)| slot == first + by * k);
                let chained = matches!(run.kind, Kind::Cone(_)) && slots().any(|slot| slot >= run.to);
                run.chained |= chained;
                self.leaves.push(match () {
                    () if chained => Leaf::Chain(first),
                    () if run.kept && constants.contains(&(first as usize)) && steps(0) => Leaf::Constant(first),
                    () if steps(0) => Leaf::Same(first),
                    () if steps(1) => Leaf::From(first),
                    () => {
                        run.arity += 1;
                        self.operands.extend(slots());
                        Leaf::Listed
                    }
                });
            }
        }
        for run in self.runs.iter_mut().filter(|run| !run.kept) {
            run.scratch = self.scratch as u32;
        }
        self.scratch += shared;
    }
}

/// What is said of the operands of a row that stand in one slot each, or in a slot and those after it: the first slots, and
/// how far it is from each to that of the next operation, 0 or 1. Nothing, if they are not such, are among the results, or
/// one is in two of these spans, where the order of what comes to it would count.
fn spans(operands: &[u32], arity: usize, to: u32) -> Option<Vec<u32>> {
    let length = (operands.len() / arity) as u32;
    let step = |i: usize| {
        let slots = || operands.iter().copied().skip(i).step_by(arity);
        [0, 1].into_iter().find(|by| slots().zip(0..).all(|(slot, k)| slot == operands[i] + by * k && slot < to))
    };
    let steps = (0..arity).map(step).collect::<Option<Vec<u32>>>()?;
    let spans = || operands.iter().zip(&steps).map(|(first, step)| *first..*first + 1 + step * (length - 1));
    let apart =
        |(at, one): (usize, Range<u32>)| spans().take(at).all(|other| other.end <= one.start || one.end <= other.start);
    spans().enumerate().all(apart).then(|| [&operands[..arity], &steps].concat())
}

/// What is known of the last loop while code is written.
struct Last {
    alike: Option<Alike>,
    /// The leaf by which its cones are a chain.
    chain: Option<usize>,
}

impl Last {
    /// Whether a loop takes one more operation: a cone may need no result of its loop, or by one leaf that of the cone
    /// before, and then all do.
    fn takes(&mut self, run: &Run, operands: &[u32]) -> bool {
        if !matches!(run.kind, Kind::Cone(_)) {
            return true;
        }
        let mut within = operands.iter().enumerate().filter(|(_, slot)| **slot >= run.to);
        match (within.next(), within.next(), self.chain) {
            (None, _, None) => true,
            (Some((leaf, slot)), None, chain) if *slot == run.to + run.length - 1 => {
                let fits = chain.map_or(run.length == 1, |chain| chain == leaf);
                self.chain = if fits { Some(leaf) } else { chain };
                fits
            }
            _ => false,
        }
    }
}

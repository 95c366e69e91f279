//! Straight-line code in the order in which it runs fastest: equal operations one after the other, as one loop each.
//!
//! Law: an operation comes after its operands, and a sum adds its terms in the order written, so that every value is what
//! the operations in the order written compute, to the last bit. Operations move within windows only, so that operands
//! stay near their users (list scheduling; the reordering that makes loops of statements is Callahan and Allen's).

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

use super::arena::{Id, Node};
use super::custom::Erased;
use super::signature::SmoothOperation;
use super::straight::Straight;
use crate::primitives::Primitive;

/// How many operations are looked at together: as many as the values of which fit in the nearest cache.
const WINDOW: usize = 1024;

/// From this many terms on, a sum of sums is added up in one place.
const LONG: usize = 4;

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
    /// The slots of the operands of each loop, in order.
    pub(crate) operands: Vec<u32>,
    /// The slots of the roots, and whether their values depend on a variable in a way that a derivative can see.
    pub(crate) roots: Vec<(u32, bool)>,
    /// Users' rules.
    pub(crate) rules: Vec<Erased>,
}

/// A value that is known before the code runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constant {
    /// A literal.
    Literal(f64),
    /// A number from outside, by its number among them.
    Outside(usize),
}

/// A loop: one operation, applied so many times.
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
}

impl Run {
    /// The number of operands of all.
    #[inline(always)]
    pub(crate) fn operands(&self) -> usize {
        usize::from(self.arity) * self.length as usize
    }
}

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
    /// A row of the table.
    Row(Primitive),
    /// A user's rule.
    Rule(u32),
}

/// What stands together in one loop: the kind, the active operands, and for sums the node that began it.
type Alike = (Kind, u8, Id);

/// No node.
const NONE: Id = Id::MAX;

impl Code {
    /// The code for all roots; derivatives are wanted of the first `differentiated` of them, by the variables below
    /// `inputs`.
    pub(crate) fn new(straight: &Straight, inputs: usize, differentiated: usize) -> Self {
        let plan = Plan::new(straight, inputs, differentiated);
        let mut code = Code {
            slots: inputs,
            inputs,
            constants: Vec::new(),
            runs: Vec::new(),
            operands: Vec::new(),
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
        let mut last = None;
        plan.in_order(|id| code.append(&plan, &mut slots, &mut last, id));
        code.roots = straight.roots.iter().map(|root| (slots[*root as usize], plan.active[*root as usize])).collect();
        code
    }

    /// The number of operations.
    pub(crate) fn operations(&self) -> usize {
        let of = |run: &Run| run.length as usize * if run.kind == Kind::AddProduct { 2 } else { 1 };
        self.runs.iter().map(of).sum()
    }

    /// Appends a node to the last loop, or begins a new one.
    fn append(&mut self, plan: &Plan<'_>, slots: &mut [u32], last: &mut Option<Alike>, id: Id) {
        let alike = plan.alike[id as usize];
        let sum = plan.sum[id as usize];
        let to = if sum == NONE { self.slots as u32 } else { slots[sum as usize] };
        let start = self.operands.len();
        plan.needs(id, |operand| self.operands.push(slots[operand as usize]));
        if *last != Some(alike) {
            let arity = (self.operands.len() - start) as u8;
            self.runs.push(Run { kind: alike.0, arity, active: alike.1, length: 0, to });
            *last = Some(alike);
        }
        if let Some(run) = self.runs.last_mut() {
            run.length += 1;
        }
        slots[id as usize] = to;
        self.slots += usize::from(sum == NONE);
    }
}

/// What is known of the nodes before they are put in order.
struct Plan<'s> {
    straight: &'s Straight,
    /// Whether a node depends on a variable in a way that a derivative can see.
    active: Vec<bool>,
    /// For a node that adds to a sum, the node whose slot it adds to.
    sum: Vec<Id>,
    /// For such a node, the one whose value it adds to.
    before: Vec<Id>,
    /// Whether a node is a product that is added to a sum where it is made.
    inside: Vec<bool>,
    alike: Vec<Alike>,
}

impl<'s> Plan<'s> {
    fn new(straight: &'s Straight, inputs: usize, differentiated: usize) -> Self {
        let count = straight.nodes.len();
        let mut plan = Plan {
            straight,
            active: Vec::with_capacity(count),
            sum: vec![NONE; count],
            before: vec![NONE; count],
            inside: vec![false; count],
            alike: Vec::with_capacity(count),
        };
        let mut masks = Vec::with_capacity(count);
        for node in &straight.nodes {
            let mask = plan.mask(node);
            plan.active.push(mask != 0 || matches!(node, Node::Variable(number) if (*number as usize) < inputs));
            masks.push(mask);
        }
        let mut wanted = vec![false; count];
        straight.roots[..differentiated].iter().for_each(|root| wanted[*root as usize] = true);
        for (id, node) in straight.nodes.iter().enumerate().rev() {
            if !wanted[id] {
                masks[id] = 0;
                continue;
            }
            let mut mask = masks[id];
            node.operands(&straight.lists, |operand| {
                wanted[operand as usize] |= mask & 1 != 0;
                mask >>= 1;
            });
        }
        plan.find_sums(&wanted);
        for (id, node) in straight.nodes.iter().enumerate() {
            let alike = match node {
                _ if plan.sum[id] != NONE => {
                    let (mut mask, mut count) = (0, 0);
                    plan.needs(id as Id, |operand| {
                        mask |= u8::from(wanted[id] && plan.active[operand as usize]) << count;
                        count += 1;
                    });
                    (if count == 1 { Kind::Add } else { Kind::AddProduct }, mask, plan.sum[id])
                }
                Node::Variable(_) | Node::Literal(_) | Node::Plus(_) => (Kind::Plus, masks[id], NONE),
                Node::Times(_) => (Kind::Times, masks[id], NONE),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => match operation {
                    SmoothOperation::Primitive(row) => (Kind::Row(*row), masks[id], NONE),
                    SmoothOperation::Custom(rule) => (Kind::Rule(*rule), masks[id], NONE),
                },
            };
            plan.alike.push(alike);
        }
        plan
    }

    /// The operands through which a derivative passes.
    fn mask(&self, node: &Node<SmoothOperation>) -> u8 {
        let flat = match node {
            Node::Apply(SmoothOperation::Primitive(row), ..) => row.facts().flat,
            _ => [false; 3],
        };
        let (mut mask, mut at) = (0, 0);
        node.operands(&self.straight.lists, |operand| {
            let seen = self.active[operand as usize] && !flat.get(at).is_some_and(|flat| *flat);
            mask |= u8::from(seen) << at;
            at += 1;
        });
        mask
    }

    /// Finds sums of sums: where the only use of a sum is to be added to, both are added up in one place.
    fn find_sums(&mut self, wanted: &[bool]) {
        let nodes = &self.straight.nodes;
        let uses = self.straight.uses(&self.straight.roots);
        let single = |id: Id| uses.get(id as usize) == Some(&1);
        let mut length = vec![0_usize; nodes.len()];
        let mut top = vec![true; nodes.len()];
        for (id, node) in nodes.iter().enumerate() {
            let Node::Plus(operands) = node else { continue };
            let longest = operands.iter().copied().filter(|q| single(*q)).max_by_key(|q| length[*q as usize]);
            length[id] = 2;
            if let Some(before) = longest.filter(|q| length[*q as usize] > 0) {
                self.before[id] = before;
                top[before as usize] = false;
                length[id] = length[before as usize] + 1;
            }
        }
        for id in (0..nodes.len()).filter(|id| top[*id]) {
            let mut first = id;
            while self.before[first] != NONE {
                first = self.before[first] as usize;
            }
            let long = length[id] >= LONG && (self.active[first] || !wanted[id]);
            let mut at = id;
            while self.before[at] != NONE {
                let before = self.before[at];
                if long {
                    self.sum[at] = first as Id;
                    let Node::Plus([a, b]) = nodes[at] else { unreachable!("only sums add to sums") };
                    let item = if a == before { b } else { a };
                    self.inside[item as usize] = single(item) && matches!(nodes[item as usize], Node::Times(_));
                }
                at = before as usize;
            }
        }
    }

    /// Calls `visit` on what the node is computed from, the sum that it adds to left out.
    fn needs(&self, id: Id, mut visit: impl FnMut(Id)) {
        match self.straight.nodes[id as usize] {
            Node::Plus([a, b]) if self.sum[id as usize] != NONE => {
                let item = if a == self.before[id as usize] { b } else { a };
                match self.straight.nodes[item as usize] {
                    Node::Times(factors) if self.inside[item as usize] => factors.into_iter().for_each(visit),
                    _ => visit(item),
                }
            }
            node => node.operands(&self.straight.lists, &mut visit),
        }
    }

    /// Calls `visit` on every operation that has a place of its own in the code, in the order in which they run.
    fn in_order(&self, mut visit: impl FnMut(Id)) {
        let nodes = &self.straight.nodes;
        let operation = |id: &Id| {
            !self.inside[*id as usize] && !matches!(nodes[*id as usize], Node::Variable(_) | Node::Literal(_))
        };
        let operations: Vec<Id> = (0..nodes.len() as Id).filter(operation).collect();
        let mut ready = Ready::default();
        let mut position = vec![NONE; nodes.len()];
        for window in operations.chunks(WINDOW) {
            window.iter().enumerate().for_each(|(at, id)| position[*id as usize] = at as u32);
            let mut missing = vec![0_u32; window.len()];
            let mut users: Vec<Vec<u32>> = vec![Vec::new(); window.len()];
            for (at, id) in window.iter().enumerate() {
                let mut need = |operand: Id| {
                    if let Some(users) = users.get_mut(position[operand as usize] as usize) {
                        users.push(at as u32);
                        missing[at] += 1;
                    }
                };
                self.needs(*id, &mut need);
                if self.sum[*id as usize] != NONE {
                    need(self.before[*id as usize]);
                }
            }
            for (id, missing) in window.iter().zip(&missing) {
                if *missing == 0 {
                    ready.push(self.alike[*id as usize], *id);
                }
            }
            while let Some(id) = ready.pop() {
                visit(id);
                for user in &users[position[id as usize] as usize] {
                    missing[*user as usize] -= 1;
                    if missing[*user as usize] == 0 {
                        let user = window[*user as usize];
                        ready.push(self.alike[user as usize], user);
                    }
                }
            }
            window.iter().for_each(|id| position[*id as usize] = NONE);
        }
    }
}

/// Nodes that can run now, by what stands together in one loop.
#[derive(Default)]
struct Ready {
    numbers: FxHashMap<Alike, usize>,
    queues: Vec<VecDeque<Id>>,
    /// The queues that hold something, but for the one that is being emptied.
    waiting: VecDeque<usize>,
    current: Option<usize>,
}

impl Ready {
    fn push(&mut self, alike: Alike, id: Id) {
        let next = self.queues.len();
        let queue = *self.numbers.entry(alike).or_insert(next);
        if queue == next {
            self.queues.push(VecDeque::new());
        }
        if self.queues[queue].is_empty() && self.current != Some(queue) {
            self.waiting.push_back(queue);
        }
        self.queues[queue].push_back(id);
    }

    /// The next node: one like the last, if there is any.
    fn pop(&mut self) -> Option<Id> {
        loop {
            if let Some(id) = self.current.and_then(|current| self.queues[current].pop_front()) {
                return Some(id);
            }
            self.current = Some(self.waiting.pop_front()?);
        }
    }
}

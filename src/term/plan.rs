//! The plan of straight-line code: which operations a derivative passes through, which are fused, and in which order they run.
//!
//! Law: an operation comes after its operands, and the terms of a sum are added in the order written; operations move
//! within windows only, so that operands stay near their users (list scheduling) (tests/scalar/recordings.rs).

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

use super::arena::{Id, Node};
use super::cone::{Arithmetic, Cones};
use super::schedule::Kind;
use super::signature::SmoothOperation;
use super::straight::Straight;
use crate::primitives::Primitive;

/// How many operations are looked at together: as many as the values of which fit in the nearest cache.
const WINDOW: usize = 1024;

/// From this many terms on, a sum of sums is added up in one place.
const LONG_SUM: usize = 4;

/// What stands together in one loop: the kind, the active operands, and for sums the node that began it.
pub(super) type Alike = (Kind, u8, Id);

/// No node.
pub(super) const NONE: Id = Id::MAX;

/// What is known of the nodes before they are put in order.
pub(super) struct Plan<'s> {
    pub(super) straight: &'s Straight,
    /// Whether a node depends on a variable in a way that a derivative can see.
    pub(super) active: Vec<bool>,
    /// For a node that adds to a sum, the node whose slot it adds to.
    pub(super) sum: Vec<Id>,
    /// For such a node, the one whose value it adds to.
    before: Vec<Id>,
    /// For a node that is added to first, the node that adds to it.
    begun: FxHashMap<Id, Id>,
    /// The sums of two values of a row that begin longer sums of such.
    pairs: FxHashSet<Id>,
    /// Whether a node is a product, or the value of a row, that is added to a sum where it is made.
    inside: Vec<bool>,
    /// The operands through which a derivative passes that a root needs.
    masks: Vec<u8>,
    /// Whether a root needs a node: what none needs does not run, and is no user of its operands.
    live: Vec<bool>,
    /// Whether a root needs the derivative by a node.
    wanted: Vec<bool>,
    pub(super) cones: Cones,
    pub(super) alike: Vec<Alike>,
}

impl<'s> Plan<'s> {
    pub(super) fn new(straight: &'s Straight, inputs: usize, differentiated: usize) -> Self {
        let count = straight.nodes.len();
        let mut plan = Plan {
            straight,
            active: Vec::with_capacity(count),
            sum: vec![NONE; count],
            before: vec![NONE; count],
            begun: FxHashMap::default(),
            pairs: FxHashSet::default(),
            inside: vec![false; count],
            masks: Vec::new(),
            live: Vec::new(),
            wanted: Vec::new(),
            cones: Cones::default(),
            alike: Vec::new(),
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
        let uses = straight.uses(&straight.roots);
        plan.live = (0..count).map(|id| uses.get(id).is_some_and(|uses| *uses > 0)).collect();
        plan.find_sums(&uses, &wanted);
        (plan.masks, plan.wanted) = (masks, wanted);
        plan.find_pairs(&uses);
        plan.find_cones();
        plan
    }

    /// Finds what is fused.
    fn find_cones(&mut self) {
        let Straight { nodes, lists, roots, .. } = self.straight;
        let added = |id: Id| Some(self.before[id as usize]).filter(|_| self.sum[id as usize] != NONE);
        self.cones = Cones::new(nodes, lists, (&self.live, roots), added);
        let mut numbers = FxHashMap::default();
        for (id, node) in (0..).zip(nodes) {
            let root = self.item(id).unwrap_or(id);
            if self.live[id as usize] && Arithmetic::of(node).is_some() {
                let active = |leaf: Id| self.wanted[id as usize] && self.active[leaf as usize];
                self.cones.follow(nodes, (id, root), active, &mut numbers);
            }
        }
    }

    /// Says of each node what stands together with it in one loop.
    pub(super) fn tell_apart(&mut self) {
        self.alike.clear();
        for (id, node) in self.straight.nodes.iter().enumerate() {
            let (sum, mask) = (self.sum[id], self.masks[id]);
            let alike = match node {
                _ if let Some(kind) = self.cones.kind(id as Id) => {
                    let active = self.cones.kinds[kind as usize].active.last() == Some(&true);
                    let begun = self.begun.get(&(id as Id)).is_some_and(|next| self.cones.kind(*next) == Some(kind));
                    let sum = if begun { id as Id } else { sum };
                    (if sum == NONE { Kind::Cone(kind) } else { Kind::AddCone(kind) }, active.into(), sum)
                }
                _ if let Some([item, _]) = self.pair(id as Id)
                    && let Some(row) = self.row(item) =>
                {
                    (Kind::AddRow(row), self.masks[item as usize], id as Id)
                }
                _ if sum != NONE
                    && let Some((row, item)) = self.added_row(id as Id) =>
                {
                    (Kind::AddRow(row), self.masks[item as usize], sum)
                }
                _ if sum != NONE => {
                    let (mut mask, mut count) = (0, 0);
                    self.needs(id as Id, |operand| {
                        mask |= u8::from(self.wanted[id] && self.active[operand as usize]) << count;
                        count += 1;
                    });
                    (if count == 1 { Kind::Add } else { Kind::AddProduct }, mask, sum)
                }
                Node::Variable(_) | Node::Literal(_) | Node::Plus(_) => (Kind::Plus, mask, NONE),
                Node::Times(_) => (Kind::Times, mask, NONE),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => match operation {
                    SmoothOperation::Primitive(row) => (Kind::Row(*row), mask, NONE),
                    SmoothOperation::Custom(rule) => (Kind::Rule(*rule), mask, NONE),
                },
            };
            self.alike.push(alike);
        }
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
    fn find_sums(&mut self, uses: &[usize], wanted: &[bool]) {
        let nodes = &self.straight.nodes;
        let single = |id: Id| uses.get(id as usize) == Some(&1);
        let mut length = vec![0_usize; nodes.len()];
        let mut top = vec![true; nodes.len()];
        for (id, node) in nodes.iter().enumerate().filter(|(id, _)| self.live[*id]) {
            let Node::Plus(operands) = node else { continue };
            // Of equally long ones the first, which keeps their order.
            let longest = operands.iter().rev().copied().filter(|q| single(*q)).max_by_key(|q| length[*q as usize]);
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
            let long = length[id] >= LONG_SUM && (self.active[first] || !wanted[id]);
            let mut at = id;
            while self.before[at] != NONE {
                let before = self.before[at];
                if long {
                    self.sum[at] = first as Id;
                    let Node::Plus([a, b]) = nodes[at] else { unreachable!("only sums add to sums") };
                    let item = if a == before { b } else { a };
                    let node = &nodes[item as usize];
                    let fits = match node {
                        Node::Times(_) => true,
                        Node::Apply(SmoothOperation::Primitive(_), ..) => Arithmetic::of(node).is_none(),
                        _ => false,
                    };
                    self.inside[item as usize] = single(item) && fits;
                    if before as usize == first {
                        self.begun.insert(first as Id, at as Id);
                    }
                }
                at = before as usize;
            }
        }
    }

    /// Finds sums that begin with two values of the row whose values they go on with.
    fn find_pairs(&mut self, uses: &[usize]) {
        for (first, next) in &self.begun {
            let (Some((row, item)), Node::Plus(pair)) = (self.added_row(*next), self.straight.nodes[*first as usize])
            else {
                continue;
            };
            let fits = |id: Id| {
                let alike = self.row(id) == Some(row) && self.masks[id as usize] == self.masks[item as usize];
                alike && uses.get(id as usize) == Some(&1)
            };
            if pair.into_iter().all(fits) {
                self.pairs.insert(*first);
                pair.iter().for_each(|id| self.inside[*id as usize] = true);
            }
        }
    }

    /// The two that a sum begins with, if their values are added up where they are made.
    pub(super) fn pair(&self, id: Id) -> Option<[Id; 2]> {
        let Node::Plus(pair) = self.straight.nodes[id as usize] else { return None };
        self.pairs.contains(&id).then_some(pair)
    }

    /// The row of a node.
    fn row(&self, id: Id) -> Option<Primitive> {
        match self.straight.nodes[id as usize] {
            Node::Apply(SmoothOperation::Primitive(row), ..) => Some(row),
            _ => None,
        }
    }

    /// What a sum adds to the one before.
    fn item(&self, id: Id) -> Option<Id> {
        let Node::Plus([a, b]) = self.straight.nodes[id as usize] else { return None };
        (self.sum[id as usize] != NONE).then(|| if a == self.before[id as usize] { b } else { a })
    }

    /// The row that a sum adds the value of, where it is made.
    fn added_row(&self, id: Id) -> Option<(Primitive, Id)> {
        let item = self.item(id).filter(|item| self.inside[*item as usize])?;
        Some((self.row(item)?, item))
    }

    /// Calls `visit` on the operands of the node, except the sum that it adds to.
    pub(super) fn needs(&self, id: Id, mut visit: impl FnMut(Id)) {
        if let Some(leaves) = self.cones.leaves(id) {
            return leaves.iter().copied().for_each(visit);
        }
        if let Some(pair) = self.pair(id) {
            return pair.iter().for_each(|item| self.straight.nodes[*item as usize].operands(&[], &mut visit));
        }
        match self.item(id) {
            Some(item) if self.inside[item as usize] => self.straight.nodes[item as usize].operands(&[], visit),
            Some(item) => visit(item),
            None => self.straight.nodes[id as usize].operands(&self.straight.lists, visit),
        }
    }

    /// Calls `visit` on every operation that has a place of its own in the code, in the order in which they run.
    pub(super) fn in_order(&self, mut visit: impl FnMut(Id)) {
        let nodes = &self.straight.nodes;
        let operation = |id: &Id| {
            let inside = self.inside[*id as usize] || self.cones.inside(*id);
            self.live[*id as usize] && !inside && !matches!(nodes[*id as usize], Node::Variable(_) | Node::Literal(_))
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

//! Cones: cheap operations that one other operation alone needs, fused with it and done again in the backward pass.
//!
//! Law: an operation is in one cone, and what a cone computes inside is seen by nothing outside of it (the maximum
//! fanout-free cones of logic synthesis, here for the preaccumulation of partial derivatives)
//! (tests/scalar/recordings.rs).

use rustc_hash::FxHashMap;

use super::arena::{Id, Node};
use super::signature::SmoothOperation;
use crate::primitives::Primitive;

/// What is cheaper to do again than to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Arithmetic {
    Plus,
    Times,
    Minus,
    Over,
    Negative,
}

impl Arithmetic {
    pub(super) fn of(node: &Node<SmoothOperation>) -> Option<Self> {
        match node {
            Node::Plus(_) => Some(Arithmetic::Plus),
            Node::Times(_) => Some(Arithmetic::Times),
            Node::Apply(SmoothOperation::Primitive(row), ..) => match row {
                Primitive::Sub => Some(Arithmetic::Minus),
                Primitive::Div => Some(Arithmetic::Over),
                Primitive::Neg => Some(Arithmetic::Negative),
                _ => None,
            },
            _ => None,
        }
    }
}

/// An operation of a cone, on registers: first those of the leaves, then one for each step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) operation: Arithmetic,
    /// The operands; the only one twice.
    pub(crate) of: [u8; 2],
    pub(crate) to: u8,
}

/// What a step hands on to its operands in the backward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Back {
    pub(crate) step: Step,
    /// What comes to the first operand, and then to the second.
    pub(crate) gives: [Give; 2],
}

/// What comes to an operand in the backward pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Give {
    /// Nothing: the derivative does not pass through it, or there is no such operand.
    Nothing,
    /// The first that comes to it.
    First,
    /// Something has come to it before, and this is added.
    More,
}

/// A cone `(a ∘ b) ∘ (c ∘ d)`, of which one operation in brackets may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Link {
    /// The registers of `a b c d`, leaves all. Of an operand without an operation both are the same.
    pub(crate) operands: [u8; 4],
    /// The operations in brackets.
    pub(crate) inner: [Option<Arithmetic>; 2],
    pub(crate) outer: Arithmetic,
}

impl Link {
    fn new(leaves: u8, steps: &[Step]) -> Option<Self> {
        let leaf = |step: &Step| step.of.iter().all(|at| *at < leaves);
        let inner = |step: &Step| (Some(step.operation), step.of);
        let alone = |at: u8| (at < leaves).then_some((None, [at; 2]));
        let (first, second, last) = match steps {
            [a, b] if leaf(a) && b.of[0] == leaves => (inner(a), alone(b.of[1])?, b),
            [a, b] if leaf(a) && b.of[1] == leaves => (alone(b.of[0])?, inner(a), b),
            [a, b, c] if leaf(a) && leaf(b) && c.of == [leaves, leaves + 1] => (inner(a), inner(b), c),
            _ => return None,
        };
        let ((p, [a, b]), (q, [c, d])) = (first, second);
        let binary = |of: &Arithmetic| !matches!(of, Arithmetic::Over | Arithmetic::Negative);
        let fits = [p, q, Some(last.operation)].iter().flatten().all(binary);
        fits.then_some(Link { operands: [a, b, c, d], inner: [p, q], outer: last.operation })
    }
}

/// The operations of a cone, operands before their users. The last is the one that is needed outside.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Cone {
    pub(crate) leaves: usize,
    pub(crate) steps: Vec<Step>,
    /// Whether the derivative passes through a register.
    pub(crate) active: Vec<bool>,
    /// The steps that partial derivatives are computed from, which the backward pass does again.
    pub(crate) again: Vec<Step>,
    /// The backward pass, from the result to the leaves.
    pub(crate) back: Vec<Back>,
    /// What it is as a link of a chain, if it is short.
    pub(crate) link: Option<Link>,
}

impl Cone {
    /// The number of registers: one for each leaf and one for each step, of which the last is for the result.
    pub(crate) fn registers(&self) -> usize {
        self.active.len()
    }

    fn new(leaves: usize, steps: Vec<Step>, active: Vec<bool>) -> Self {
        let (mut felt, mut reached) = (vec![false; active.len()], vec![false; active.len()]);
        let mut back = Vec::new();
        for step in steps.iter().rev() {
            let ([x, y], z) = (step.of.map(usize::from), usize::from(step.to));
            match step.operation {
                Arithmetic::Times => {
                    felt[x] |= active[y];
                    felt[y] |= active[x];
                }
                Arithmetic::Over => {
                    felt[y] |= active[z];
                    felt[z] |= active[y];
                }
                Arithmetic::Plus | Arithmetic::Minus | Arithmetic::Negative => {}
            }
            felt[x] |= felt[z];
            felt[y] |= felt[z];
            let mut gives = [Give::Nothing; 2];
            let sides = if step.operation == Arithmetic::Negative { 1 } else { 2 };
            for (give, to) in gives[..sides].iter_mut().zip([x, y]).filter(|(_, to)| active[*to]) {
                *give = if core::mem::replace(&mut reached[to], true) { Give::More } else { Give::First };
            }
            if gives != [Give::Nothing; 2] {
                back.push(Back { step: *step, gives });
            }
        }
        let again = steps.iter().copied().filter(|step| felt[usize::from(step.to)]).collect();
        let link = Link::new(leaves as u8, &steps);
        Cone { leaves, steps, active, again, back, link }
    }
}

/// The most operations of a cone: as many as the registers of which fit in the nearest cache.
const MAX_OPERATIONS: u8 = 12;

/// The cones of straight-line code.
#[derive(Debug, Default)]
pub(super) struct Cones {
    /// The different ones.
    pub(super) kinds: Vec<Cone>,
    /// For each node the one that its cone ends with: itself, if it is in none.
    head: Vec<Id>,
    /// For each node that a cone ends with, which of the kinds it is, and where its leaves begin.
    of: FxHashMap<Id, (u32, usize)>,
    /// The leaves of the cones, one after the other.
    leaves: Vec<Id>,
}

impl Cones {
    /// The cones of the nodes that are `live`, of which `kept` are needed for themselves. A sum adds the result of its cone to
    /// the node that `before` names.
    pub(super) fn new(
        nodes: &[Node<SmoothOperation>],
        lists: &[Box<[Id]>],
        (live, kept): (&[bool], &[Id]),
        before: impl Fn(Id) -> Option<Id>,
    ) -> Self {
        let mut head: Vec<Option<Id>> = vec![None; nodes.len()];
        let mut size = vec![0_u8; nodes.len()];
        kept.iter().for_each(|id| head[*id as usize] = Some(*id));
        for (at, node) in nodes.iter().enumerate().rev() {
            let id = at as Id;
            let cheap = Arithmetic::of(node).is_some();
            let joins =
                |head: &Id| *head != id && cheap && before(id).is_none() && size[*head as usize] < MAX_OPERATIONS;
            let own = head[at].filter(joins).unwrap_or(id);
            head[at] = Some(own);
            size[own as usize] += 1;
            if !live[at] {
                continue;
            }
            let mut last = None;
            node.operands(lists, |operand| {
                let outside = !cheap || before(id) == Some(operand);
                let of = if outside { operand } else { own };
                // An operand that is needed twice at once still has one user, unless it had another before.
                if last.replace(operand) != Some(operand) {
                    let known = &mut head[operand as usize];
                    *known = Some(if known.is_none() { of } else { operand });
                }
            });
        }
        Cones { head: head.into_iter().flatten().collect(), ..Cones::default() }
    }

    /// Follows the cone of a node from `root`: the node itself or, of a sum, what is added. It counts only if there is no
    /// loop for it already, as there is for one operation and for the sum of products.
    pub(super) fn follow(
        &mut self,
        nodes: &[Node<SmoothOperation>],
        (head, root): (Id, Id),
        active: impl Fn(Id) -> bool,
        numbers: &mut FxHashMap<Cone, u32>,
    ) {
        if self.head[head as usize] != head {
            return;
        }
        let start = self.leaves.len();
        let mut inside = Vec::new();
        let mut steps = Vec::new();
        self.walk(nodes, (head, root), start, &mut inside, &mut steps);
        let leaves = self.leaves.len() - start;
        let useful = match steps[..] {
            [] => false,
            [step] => root != head && step.operation != Arithmetic::Times,
            _ => true,
        };
        if !useful {
            return self.leaves.truncate(start);
        }
        let mut passes: Vec<bool> = self.leaves[start..].iter().map(|leaf| active(*leaf)).collect();
        for step in &mut steps {
            let known = |at: u8| if at < INSIDE { at } else { at - INSIDE + leaves as u8 };
            (step.of, step.to) = (step.of.map(known), known(step.to));
            passes.push(step.of.iter().any(|at| passes[usize::from(*at)]));
        }
        let next = self.kinds.len() as u32;
        let cone = Cone::new(leaves, steps, passes);
        let kind = *numbers.entry(cone).or_insert_with_key(|cone| {
            self.kinds.push(cone.clone());
            next
        });
        self.of.insert(head, (kind, start));
    }

    /// The register of a node, numbered from [`INSIDE`] if it is no leaf.
    fn walk(
        &mut self,
        nodes: &[Node<SmoothOperation>],
        (head, id): (Id, Id),
        start: usize,
        inside: &mut Vec<Id>,
        steps: &mut Vec<Step>,
    ) -> u8 {
        if id != head && self.head[id as usize] != head {
            let known = self.leaves[start..].iter().position(|leaf| *leaf == id);
            return known.unwrap_or_else(|| {
                self.leaves.push(id);
                self.leaves.len() - 1 - start
            }) as u8;
        }
        if let Some(known) = inside.iter().position(|known| *known == id) {
            return INSIDE + known as u8;
        }
        let (node, mut of) = (nodes[id as usize], [0; 2]);
        let mut count = 0;
        node.operands(&[], |operand| {
            of[count] = self.walk(nodes, (head, operand), start, inside, steps);
            count += 1;
        });
        if count == 1 {
            of[1] = of[0];
        }
        let operation = Arithmetic::of(&node).expect("cones are of arithmetic");
        let to = INSIDE + steps.len() as u8;
        steps.push(Step { operation, of, to });
        inside.push(id);
        to
    }

    /// Splits cones into their operations.
    pub(super) fn dissolve(&mut self, poor: impl Fn(u32) -> bool) {
        self.of.retain(|_, (kind, _)| !poor(*kind));
    }

    /// Which of the kinds the cone is that ends with a node.
    pub(super) fn kind(&self, head: Id) -> Option<u32> {
        self.of.get(&head).map(|(kind, _)| *kind)
    }

    /// The leaves of the cone that ends with a node.
    pub(super) fn leaves(&self, head: Id) -> Option<&[Id]> {
        self.of.get(&head).map(|(kind, start)| &self.leaves[*start..][..self.kinds[*kind as usize].leaves])
    }

    /// Whether a node is in a cone that ends with another.
    pub(super) fn inside(&self, id: Id) -> bool {
        self.head[id as usize] != id && self.of.contains_key(&self.head[id as usize])
    }
}

/// From this number on, registers are those of steps, as long as it is not known how many leaves there are.
const INSIDE: u8 = 128;

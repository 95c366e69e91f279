//! Straight-line code: terms as one list of operations, operands before their users, that is shared between threads.
//!
//! Law: folding the list means in every carrier what folding the terms does, operation by operation; terms built from
//! it are those it was made of ("Automatic Differentiation", *Source-to-source AD using Wengert*) (laws: recordings).

use core::hash::Hash;

use super::arena::{Arena, Id, Node};
use super::custom::ErasedRule;
use super::fold::{Values, meaning};
use super::signature::{Model, Smooth, SmoothOperation};
use super::{Term, TermId};

/// Operations in order, and the nodes that are its roots.
#[derive(Debug, Clone, Default)]
pub(crate) struct Straight {
    /// Variables are known by a number of the caller's.
    pub(super) nodes: Vec<Node<SmoothOperation>>,
    pub(super) lists: Vec<Box<[Id]>>,
    pub(super) rules: Vec<ErasedRule>,
    /// The numbers of the roots.
    pub(crate) roots: Vec<Id>,
}

impl<V: Clone + Eq + Hash> Arena<V> {
    /// What the terms at these places need, as straight-line code in which `number` numbers the variables.
    pub(crate) fn straight(&self, roots: &[TermId], number: impl Fn(V) -> usize) -> Straight {
        let node = |place: &TermId| match place {
            TermId::Literal(_) => self.term(*place).id_in(self),
            TermId::Node(id) => *id,
        };
        let roots: Vec<Id> = roots.iter().map(node).collect();
        let mut straight = Straight { rules: self.read(|store| store.rules.clone()), ..Straight::default() };
        let mut moved: Vec<Id> = vec![0; self.len()];
        let mut operands: Vec<Id> = Vec::with_capacity(3);
        for (id, _, node) in self.reached(&roots) {
            moved[id] = straight.nodes.len() as Id;
            let node = match node {
                Node::Variable(variable) => Node::Variable(number(self.variable_at(variable)) as Id),
                Node::Literal(bits) => Node::Literal(bits),
                Node::Plus(operands) => Node::Plus(operands.map(|operand| moved[operand as usize])),
                Node::Times(operands) => Node::Times(operands.map(|operand| moved[operand as usize])),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => {
                    operands.clear();
                    self.read(|store| node.operands(&store.lists, |operand| operands.push(moved[operand as usize])));
                    straight.apply(operation, &operands)
                }
            };
            straight.nodes.push(node);
        }
        straight.roots = roots.into_iter().map(|root| moved[root as usize]).collect();
        straight
    }
}

impl Straight {
    /// The values of some of the roots, each shared part visited once; `share` gets the number of uses of a node's
    /// value where it is more than one.
    pub(crate) fn fold<D: Model<Smooth>>(
        &self,
        roots: &[Id],
        mut variable: impl FnMut(usize) -> D,
        mut share: impl FnMut(D, usize) -> D,
    ) -> Vec<D> {
        let uses = self.uses(roots);
        let mut values = Values::new();
        let mut operands: Vec<D> = Vec::with_capacity(3);
        for (id, (node, uses)) in self.nodes.iter().zip(uses).enumerate().filter(|(_, (_, uses))| *uses > 0) {
            operands.clear();
            node.operands(&self.lists, |operand| operands.push(values.take(operand)));
            let variable = |number| variable(number as usize);
            let value = meaning::<Smooth, D>(node, &mut operands, &self.rules, variable, |a, b| a + b, |a, b| a * b);
            values.put(id, if uses > 1 { share(value, uses) } else { value }, uses);
        }
        roots.iter().map(|root| values.take(*root)).collect()
    }

    /// How often each node is used by the nodes that these roots need, and by the roots.
    pub(super) fn uses(&self, roots: &[Id]) -> Vec<usize> {
        super::arena::uses(&self.nodes, &self.lists, roots)
    }

    /// Some of the roots as terms of an arena.
    pub(crate) fn terms<'a, V: Clone + Eq + Hash>(
        &self,
        roots: &[Id],
        arena: &'a Arena<V>,
        variable: impl Fn(usize) -> V,
    ) -> Vec<Term<'a, V>> {
        self.fold(roots, |number| arena.variable(variable(number)), |term, _| term)
    }
}

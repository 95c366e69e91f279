//! The fold: the unique homomorphism from terms into a carrier, and the one place where syntax meets semantics.
//!
//! Law: `eval g` sends the variable `v` to `g v` and preserves literals, `+`, `×` and every operation; each shared
//! node is visited once, and nothing recurses ("Forwards and in reverse", *Free (Lawless) Semiring*: "It's a fold").

use core::hash::Hash;

use super::Term;
use super::arena::{Arena, Id, Node, Store};
use super::handle::apply_in;
use super::signature::{Model, Signature};

impl<V: Clone + Eq + Hash, P: Signature> Term<'_, V, P> {
    /// The meaning of the term in a carrier, where `variable` says what the variables mean.
    ///
    /// ```
    /// use catadiff::term::{Arena, Pure, Term};
    /// let arena = Arena::<&str, Pure>::new();
    /// let (x, y) = (arena.variable("x"), arena.variable("y"));
    /// let term = x * y + x;
    /// assert_eq!(term.eval(|v| if *v == "x" { 3_u8 } else { 4 }), 15); // integers
    /// assert_eq!(term.eval(|_| 0.5), 0.75);                            // floats
    /// ```
    pub fn eval<D: Model<P>>(&self, variable: impl FnMut(&V) -> D) -> D {
        self.eval_sharing(variable, |value, _| value)
    }

    /// [`eval`](Term::eval) for carriers that want to know how often each value will be used: `share` is told, once
    /// per node that is used more than once, before the uses.
    pub fn eval_sharing<D: Model<P>>(&self, variable: impl FnMut(&V) -> D, share: impl FnMut(D, usize) -> D) -> D {
        fold(core::slice::from_ref(self), variable, share).pop().expect("a root has a value")
    }

    /// The meanings of several terms, whose shared parts are visited once.
    pub fn eval_all<D: Model<P>>(terms: &[Self], variable: impl FnMut(&V) -> D) -> Vec<D> {
        fold(terms, variable, |value, _| value)
    }

    /// The number of distinct nodes in the term.
    #[must_use]
    pub fn size(&self) -> usize {
        self.place()
            .map_or(1, |(arena, id)| arena.read(|store| uses(store, &[id]).iter().filter(|uses| **uses > 0).count()))
    }

    /// The variables that occur in the term, in the order of the arena.
    pub fn variables(&self) -> Vec<V> {
        self.place().map_or_else(Vec::new, |(arena, id)| {
            arena.read(|store| {
                let uses = uses(store, &[id]);
                let variable = |(node, uses): (&Node<P::Operation>, &usize)| match node {
                    Node::Variable(number) if *uses > 0 => Some(store.variables[*number as usize].clone()),
                    _ => None,
                };
                store.nodes.iter().zip(&uses).filter_map(variable).collect()
            })
        })
    }

    /// The term with every variable replaced by a term.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::Arena;
    /// let arena = Arena::<&str>::new();
    /// let (x, y) = (arena.variable("x"), arena.variable("y"));
    /// let term = (x * y).substitute(|v| if *v == "x" { y.sin() } else { y });
    /// assert_eq!(term.to_string(), "sin(y) * y");
    /// ```
    #[must_use]
    pub fn substitute<'b>(&self, replacement: impl FnMut(&V) -> Term<'b, V, P>) -> Term<'b, V, P>
    where
        Term<'b, V, P>: Model<P>,
    {
        self.eval(replacement)
    }
}

/// How often each node up to the largest root is used by the roots: 0 where it is not reached.
pub(super) fn uses<V, P: Signature>(store: &Store<V, P>, roots: &[Id]) -> Vec<usize> {
    let last = roots.iter().max().map_or(0, |id| *id as usize + 1);
    let mut uses = vec![0; last];
    for root in roots {
        uses[*root as usize] += 1;
    }
    for id in (0..last).rev() {
        if uses[id] > 0 {
            store.nodes[id].operands(&store.lists, |operand| uses[operand as usize] += 1);
        }
    }
    uses
}

/// The fold over the nodes that the roots reach, operands before their users.
fn fold<V: Clone + Eq + Hash, P: Signature, D: Model<P>>(
    roots: &[Term<'_, V, P>],
    mut variable: impl FnMut(&V) -> D,
    mut share: impl FnMut(D, usize) -> D,
) -> Vec<D> {
    let Some(arena) = roots.iter().find_map(Term::place).map(|(arena, _)| arena) else {
        let literal = |root: &Term<'_, V, P>| root.as_literal().map(D::literal);
        return roots.iter().map(|root| literal(root).expect("a term without an arena is a constant")).collect();
    };
    let ids: Vec<Id> = roots.iter().map(|root| root.id_in(arena)).collect();
    let mut left = arena.read(|store| uses(store, &ids));
    let rules = arena.read(|store| store.rules.clone());
    let mut values: Vec<Option<D>> = Vec::new();
    values.resize_with(left.len(), || None);
    let mut operands = Vec::with_capacity(3);
    for id in 0..left.len() {
        let uses = left[id];
        if uses == 0 {
            continue;
        }
        // One node is read at a time, so that `variable` and the carrier may build terms in the same arena.
        let node = arena.node_at(id as Id);
        operands.clear();
        arena.read(|store| node.operands(&store.lists, |operand| operands.push(take(&mut values, &mut left, operand))));
        let value = match node {
            Node::Variable(number) => variable(&arena.read(|store| store.variables[number as usize].clone())),
            Node::Literal(bits) => D::literal(P::from_bits(bits)),
            Node::Plus(_) | Node::Times(_) => {
                let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else {
                    unreachable!("a sum and a product have two operands")
                };
                if matches!(node, Node::Plus(_)) { a + b } else { a * b }
            }
            Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => D::operation(operation, &rules, &operands),
        };
        values[id] = Some(if uses > 1 { share(value, uses) } else { value });
    }
    ids.iter().map(|id| take(&mut values, &mut left, *id)).collect()
}

/// A value for one use: the last use takes it, so that a carrier is never kept longer than needed.
fn take<D: Clone>(values: &mut [Option<D>], left: &mut [usize], id: Id) -> D {
    let id = id as usize;
    left[id] -= 1;
    let value = if left[id] == 0 { values[id].take() } else { values[id].clone() };
    value.expect("operands come before their users")
}

/// The number in `into` of a term of another arena.
pub(super) fn copy<V: Clone + Eq + Hash, P: Signature>(term: Term<'_, V, P>, into: &Arena<V, P>) -> Id {
    let (from, root) = term.place().expect("a constant has no other arena");
    let uses = from.read(|store| uses(store, &[root]));
    let rules = from.read(|store| store.rules.clone());
    let mut ids: Vec<Id> = vec![0; uses.len()];
    let mut operands = Vec::new();
    for id in (0..uses.len()).filter(|id| uses[*id] > 0) {
        let node = from.node_at(id as Id);
        operands.clear();
        from.read(|store| node.operands(&store.lists, |operand| operands.push(ids[operand as usize])));
        ids[id] = match node {
            Node::Variable(number) => {
                into.variable(from.read(|store| store.variables[number as usize].clone())).id_in(into)
            }
            Node::Literal(_) => into.intern(node),
            Node::Plus(_) => into.intern(Node::Plus([operands[0], operands[1]])),
            Node::Times(_) => into.intern(Node::Times([operands[0], operands[1]])),
            Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => {
                apply_in(into, P::adopt(operation, &rules, |rule| into.rule(rule)), &operands)
            }
        };
    }
    ids[root as usize]
}

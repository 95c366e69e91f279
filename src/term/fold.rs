//! The fold: the unique homomorphism from terms into a carrier, and the one place where syntax meets semantics.
//!
//! Law: `eval g` sends the variable `v` to `g v` and preserves literals, `+`, `×` and every operation; each shared node
//! is visited once, and nothing recurses ("Forwards and in reverse", *Free (Lawless) Semiring*: "It's a fold")
//! (laws: fold::eval_is_a_homomorphism, laws: fold::shared_nodes_cost_once).

use core::cell::Cell;
use core::hash::Hash;

use super::Term;
use super::arena::{Arena, Id, Node};
use super::custom::ErasedRule;
use super::handle::apply_in;
use super::signature::{Model, Signature};

impl<'a, V: Clone + Eq + Hash, P: Signature> Term<'a, V, P> {
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
    #[must_use]
    pub fn eval<D: Model<P>>(&self, variable: impl FnMut(&V) -> D) -> D {
        self.eval_sharing(variable, |value, _| value)
    }

    /// [`eval`](Term::eval) for carriers that want to know how often each value will be used: `share` is called once
    /// per node that is used more than once, before the uses. [`Dual::eval`](crate::carriers::Dual::eval) is the fold of
    /// this kind into dual numbers.
    ///
    /// ```
    /// use catadiff::term::{Arena, Pure};
    /// let arena = Arena::<char, Pure>::new();
    /// let square = arena.variable('x') * arena.variable('x');
    /// let mut shared = Vec::new();
    /// let value = (square + square * square).eval_sharing(|_| 2_u64, |value, uses| {
    ///     shared.push((value, uses));
    ///     value
    /// });
    /// assert_eq!((value, shared), (20, vec![(2, 2), (4, 3)])); // x is used twice, x² three times
    /// ```
    #[must_use]
    pub fn eval_sharing<D: Model<P>>(&self, variable: impl FnMut(&V) -> D, share: impl FnMut(D, usize) -> D) -> D {
        fold(core::slice::from_ref(self), variable, share, |a, b| a + b, |a, b| a * b)
            .pop()
            .expect("a root has a value")
    }

    /// The meanings of several terms, whose shared parts are visited once.
    #[must_use]
    pub fn eval_all<D: Model<P>>(terms: &[Self], variable: impl FnMut(&V) -> D) -> Vec<D> {
        fold(terms, variable, |value, _| value, |a, b| a + b, |a, b| a * b)
    }

    /// The number of distinct nodes in the term.
    #[must_use]
    pub fn size(&self) -> usize {
        self.place().map_or(1, |(arena, id)| arena.reached(&[id]).count())
    }

    /// The variables that occur in the term, in the order of the arena.
    #[must_use]
    pub fn variables(&self) -> Vec<V> {
        let Some((arena, id)) = self.place() else { return Vec::new() };
        let variable = |node| if let Node::Variable(number) = node { Some(arena.variable_at(number)) } else { None };
        arena.reached(&[id]).filter_map(|(_, _, node)| variable(node)).collect()
    }

    /// The term with every variable replaced by a term. If no replacement is of an arena, and the sum or product of constants
    /// is no constant, it stays in this term's arena as it is written.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::Arena;
    /// let arena = Arena::<&str>::new();
    /// let (x, y) = (arena.variable("x"), arena.variable("y"));
    /// let term = (x * y).substitute(|v| if *v == "x" { y.sin() } else { y });
    /// assert_eq!(term.to_string(), "sin(y) * y");
    ///
    /// use catadiff::term::{Pure, Term};
    /// let arena = Arena::<&str, Pure>::new();
    /// let square = arena.variable("x") * arena.variable("x");
    /// assert_eq!(square.substitute(|_| Term::literal(1 << 40)).to_string(), "1099511627776 * 1099511627776");
    /// ```
    #[must_use]
    pub fn substitute<'b>(&self, mut replacement: impl FnMut(&V) -> Term<'b, V, P>) -> Term<'b, V, P>
    where
        'a: 'b,
        Term<'b, V, P>: Model<P>,
    {
        let Some((own, _)) = self.place() else { return *self };
        let arena = Cell::new(None);
        let variable = |variable: &V| {
            let value = replacement(variable);
            arena.set(arena.get().or(value.place().map(|(arena, _)| arena)));
            value
        };
        // Constants that make none have no arena of their own.
        let somewhere = || arena.get().unwrap_or(own);
        let plus = |a: Term<'b, V, P>, b| a.checked_add(b).unwrap_or_else(|| somewhere().plus(a, b));
        let times = |a: Term<'b, V, P>, b| a.checked_mul(b).unwrap_or_else(|| somewhere().times(a, b));
        let mut found = fold(core::slice::from_ref(self), variable, |value, _| value, plus, times);
        found.pop().expect("a root has a value")
    }
}

/// The fold over the nodes that the roots reach, operands before their users.
fn fold<V: Clone + Eq + Hash, P: Signature, D: Model<P>>(
    roots: &[Term<'_, V, P>],
    mut variable: impl FnMut(&V) -> D,
    mut share: impl FnMut(D, usize) -> D,
    plus: impl Fn(D, D) -> D,
    times: impl Fn(D, D) -> D,
) -> Vec<D> {
    let Some(arena) = roots.iter().find_map(Term::place).map(|(arena, _)| arena) else {
        let literal = |root: &Term<'_, V, P>| root.as_literal().map(D::literal);
        return roots.iter().map(|root| literal(root).expect("a term without an arena is a constant")).collect();
    };
    let ids: Vec<Id> = roots.iter().map(|root| root.id_in(arena)).collect();
    let rules = arena.read(|store| store.rules.clone());
    let mut values = Values::new();
    let mut operands = Vec::with_capacity(3);
    for (id, uses, node) in arena.reached(&ids) {
        operands.clear();
        arena.read(|store| node.operands(&store.lists, |operand| operands.push(values.take(operand))));
        let variable = |number| variable(&arena.variable_at(number));
        let value = meaning::<P, D>(&node, &mut operands, &rules, variable, &plus, &times);
        values.put(id, if uses > 1 { share(value, uses) } else { value }, uses);
    }
    ids.iter().map(|id| values.take(*id)).collect()
}

/// The meaning of a node in a carrier, where these are those of its operands.
#[inline]
pub(super) fn meaning<P: Signature, D: Model<P>>(
    node: &Node<P::Operation>,
    operands: &mut Vec<D>,
    rules: &[ErasedRule],
    variable: impl FnOnce(Id) -> D,
    plus: impl FnOnce(D, D) -> D,
    times: impl FnOnce(D, D) -> D,
) -> D {
    match node {
        Node::Variable(number) => variable(*number),
        Node::Literal(bits) => D::literal(P::from_bits(*bits)),
        Node::Plus(_) | Node::Times(_) => {
            let (Some(b), Some(a)) = (operands.pop(), operands.pop()) else {
                unreachable!("a sum and a product have two operands")
            };
            if matches!(node, Node::Plus(_)) { plus(a, b) } else { times(a, b) }
        }
        Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => D::operation(*operation, rules, operands),
    }
}

/// The values of nodes, each until its last use, so that none is kept longer than needed.
pub(super) struct Values<D>(Vec<Option<(D, usize)>>);

impl<D: Clone> Values<D> {
    pub(super) fn new() -> Self {
        Values(Vec::new())
    }

    /// Keeps the value of a node, whose number is larger than those before, until `uses` uses.
    pub(super) fn put(&mut self, id: usize, value: D, uses: usize) {
        self.0.resize_with(id, || None);
        self.0.push(Some((value, uses)));
    }

    /// The value of a node, for one use.
    pub(super) fn take(&mut self, id: Id) -> D {
        let slot = &mut self.0[id as usize];
        if let Some((value, left)) = slot
            && *left > 1
        {
            *left -= 1;
            return value.clone();
        }
        slot.take().expect("operands come before their users").0
    }
}

/// The number in `into` of a term of another arena.
pub(super) fn copy<V: Clone + Eq + Hash, P: Signature>(term: Term<'_, V, P>, into: &Arena<V, P>) -> Id {
    let (from, root) = term.place().expect("a constant has no other arena");
    let rules = from.read(|store| store.rules.clone());
    let mut ids: Vec<Id> = vec![0; root as usize + 1];
    for (id, _, node) in from.reached(&[root]) {
        let operands: Vec<Id> = from.operands_of(&node).into_iter().map(|operand| ids[operand]).collect();
        ids[id] = match node {
            Node::Variable(number) => into.variable(from.variable_at(number)).id_in(into),
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

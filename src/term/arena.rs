//! Where terms live: nodes in topological order, each distinct one once.
//!
//! Law: structurally equal terms are the same node (hash-consing), and a node comes after its operands, so a fold is a
//! loop over a `Vec` and neither depth nor sharing costs anything extra (tests/scalar/terms.rs,
//! laws: fold::shared_nodes_cost_once).

use core::cell::RefCell;
use core::fmt::Debug;
use core::hash::Hash;
use rustc_hash::FxHashMap;

use super::custom::ErasedRule;
use super::signature::{Signature, Smooth};
use super::{Term, rewrite};
use crate::primitives::Identity;

/// The number of a node in its arena.
pub(super) type Id = u32;

/// A node: what it is, and the numbers of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node<O> {
    Variable(Id),
    Literal(u64),
    Plus([Id; 2]),
    Times([Id; 2]),
    /// An operation of at most three operands, the unused ones 0; the count is `arity`.
    Apply(O, u8, [Id; 3]),
    /// An operation of more operands, in the arena's list of that number.
    ApplyMany(O, u32),
}

/// An arena of terms over the variables `V` and the signature `P`.
///
/// Arenas grow and never forget; terms are `Copy` handles into them. Which laws of arithmetic are applied as terms are
/// built is a choice:
///
/// - [`new`](Arena::new): those that mean the same in numbers with a strong zero, up to the sign of a zero and the
///   rounding of a quotient (`x·1 = x`, `x + 0 = x`, `x·0 = 0`, `x·(1/y) = x/y`, literals folded);
/// - [`exact`](Arena::exact): of these only the ones that floats keep to the last bit;
/// - [`lawless`](Arena::lawless): none, so that what is built is what is written: the free algebra to the letter.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::term::{Arena, Pure};
/// let arena = Arena::<char, Pure>::new();
/// let mut power = arena.variable('x');
/// for _ in 0..60 { power = power * power; } // x^(2^60), in sixty nodes
/// assert_eq!(arena.len(), 61);
/// assert_eq!(power.eval(|_| 1_u8), 1); // in sixty steps, not 2^60
/// ```
#[derive(Debug)]
pub struct Arena<V, P: Signature = Smooth> {
    store: RefCell<Store<V, P>>,
    laws: Laws,
}

/// The laws that an arena applies as terms are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Laws {
    /// None.
    None,
    /// Those that floats keep to the last bit.
    Exact,
    /// Those that hold in numbers with a strong zero.
    All,
}

#[derive(Debug)]
pub(super) struct Store<V, P: Signature> {
    pub(super) variables: Vec<V>,
    variable_numbers: FxHashMap<V, Id>,
    pub(super) nodes: Vec<Node<P::Operation>>,
    numbers: FxHashMap<Node<P::Operation>, Id>,
    pub(super) rules: Vec<ErasedRule>,
    rule_numbers: FxHashMap<Identity, u32>,
    pub(super) lists: Vec<Box<[Id]>>,
    list_numbers: FxHashMap<Box<[Id]>, u32>,
}

impl<V, P: Signature> Default for Arena<V, P> {
    fn default() -> Self {
        let store = Store {
            variables: Vec::new(),
            variable_numbers: FxHashMap::default(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            rules: Vec::new(),
            rule_numbers: FxHashMap::default(),
            lists: Vec::new(),
            list_numbers: FxHashMap::default(),
        };
        Arena { store: RefCell::new(store), laws: Laws::All }
    }
}

impl<V: Clone + Eq + Hash, P: Signature> Arena<V, P> {
    /// An empty arena that applies the sure laws of arithmetic as terms are built.
    #[must_use]
    pub fn new() -> Self {
        Arena::default()
    }

    /// An empty arena that applies the laws that floats keep to the last bit: what a term means in `f64` is then what
    /// the same operations compute on numbers, be they infinite or tiny.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::{Arena, Term};
    /// let (ordinary, exact) = (Arena::<char>::new(), Arena::<char>::exact());
    /// let product = |x: Term<'_, char>| (x * Term::one() * Term::zero()).eval(|_| f64::INFINITY);
    /// assert_eq!(product(ordinary.variable('x')), 0.0);
    /// assert!(product(exact.variable('x')).is_nan());
    /// assert_eq!((exact.variable('x') * Term::one()).to_string(), "x");
    /// ```
    #[must_use]
    pub fn exact() -> Self {
        Arena { laws: Laws::Exact, ..Arena::default() }
    }

    /// An empty arena that applies no law: the free (lawless) semiring of "Forwards and in reverse".
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::{Arena, Term};
    /// let (lawful, lawless) = (Arena::<char>::new(), Arena::<char>::lawless());
    /// assert_eq!((lawful.variable('x') * Term::one() + Term::zero()).to_string(), "x");
    /// assert_eq!((lawless.variable('x') * Term::one() + Term::zero()).to_string(), "x * 1 + 0");
    /// ```
    #[must_use]
    pub fn lawless() -> Self {
        Arena { laws: Laws::None, ..Arena::default() }
    }

    /// The term that is a variable.
    #[must_use]
    pub fn variable(&self, variable: V) -> Term<'_, V, P> {
        let number = {
            let store = &mut *self.store.borrow_mut();
            *store.variable_numbers.entry(variable).or_insert_with_key(|variable| {
                store.variables.push(variable.clone());
                number_of(store.variables.len() - 1)
            })
        };
        Term::node(self, self.intern(Node::Variable(number)))
    }

    /// The number of distinct nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.borrow().nodes.len()
    }

    /// Whether no term has been built.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The variables, in the order of their first use.
    #[must_use]
    pub fn variables(&self) -> Vec<V> {
        self.store.borrow().variables.clone()
    }

    /// Reads the nodes; terms must not be built meanwhile.
    pub(super) fn read<T>(&self, with: impl FnOnce(&Store<V, P>) -> T) -> T {
        with(&self.store.borrow())
    }

    /// The number of a node, which is new only if there is none like it.
    pub(super) fn intern(&self, node: Node<P::Operation>) -> Id {
        let store = &mut *self.store.borrow_mut();
        *store.numbers.entry(node).or_insert_with(|| {
            store.nodes.push(node);
            number_of(store.nodes.len() - 1)
        })
    }

    /// The literal a node is, if it is one.
    pub(super) fn literal_at(&self, id: Id) -> Option<P::Literal> {
        match self.store.borrow().nodes[id as usize] {
            Node::Literal(bits) => Some(P::from_bits(bits)),
            _ => None,
        }
    }

    /// The variable of this number.
    pub(super) fn variable_at(&self, number: Id) -> V {
        self.store.borrow().variables[number as usize].clone()
    }

    pub(super) fn node_at(&self, id: Id) -> Node<P::Operation> {
        self.store.borrow().nodes[id as usize]
    }

    /// The numbers of the operands of a node.
    pub(super) fn operands_of(&self, node: &Node<P::Operation>) -> Vec<usize> {
        let mut operands = Vec::with_capacity(3);
        node.operands(&self.store.borrow().lists, |operand| operands.push(operand as usize));
        operands
    }

    /// The nodes that the roots reach, operands before their users, each with its number and how often it is used.
    ///
    /// Nodes are read one at a time, so that terms may be built in the same arena meanwhile.
    pub(super) fn reached(&self, roots: &[Id]) -> impl Iterator<Item = (usize, usize, Node<P::Operation>)> {
        let uses = self.read(|store| uses(&store.nodes, &store.lists, roots));
        uses.into_iter().enumerate().filter(|(_, uses)| *uses > 0).map(|(id, uses)| (id, uses, self.node_at(id as Id)))
    }

    /// The number of a node among those there are.
    pub(super) fn find(&self, node: &Node<P::Operation>) -> Option<Id> {
        self.store.borrow().numbers.get(node).copied()
    }

    pub(super) fn laws(&self) -> Laws {
        self.laws
    }

    /// The number of a list of operands.
    pub(super) fn list(&self, operands: &[Id]) -> u32 {
        let store = &mut *self.store.borrow_mut();
        if let Some(number) = store.list_numbers.get(operands) {
            return *number;
        }
        let number = number_of(store.lists.len());
        store.lists.push(operands.into());
        store.list_numbers.insert(operands.into(), number);
        number
    }

    /// The number of a user's rule.
    pub(super) fn rule(&self, rule: &ErasedRule) -> u32 {
        let store = &mut *self.store.borrow_mut();
        *store.rule_numbers.entry(rule.identity()).or_insert_with(|| {
            store.rules.push(rule.clone());
            number_of(store.rules.len() - 1)
        })
    }

    /// The sum of two terms, at least one of them of this arena.
    pub(super) fn plus<'a>(&'a self, a: Term<'a, V, P>, b: Term<'a, V, P>) -> Term<'a, V, P> {
        if let Some(simple) = rewrite::plus(self.laws, a, b) {
            return simple;
        }
        Term::node(self, self.commuting(Node::Plus, [a.id_in(self), b.id_in(self)]))
    }

    /// The product of two terms, at least one of them of this arena.
    pub(super) fn times<'a>(&'a self, a: Term<'a, V, P>, b: Term<'a, V, P>) -> Term<'a, V, P> {
        if let Some(simple) = rewrite::times(self.laws, a, b) {
            return simple;
        }
        Term::node(self, self.commuting(Node::Times, [a.id_in(self), b.id_in(self)]))
    }

    /// A node whose operands commute; lawful arenas also share it with its mirror image.
    fn commuting(&self, kind: fn([Id; 2]) -> Node<P::Operation>, [a, b]: [Id; 2]) -> Id {
        match self.find(&kind([b, a])) {
            Some(mirrored) if self.laws != Laws::None => mirrored,
            _ => self.intern(kind([a, b])),
        }
    }
}

impl<V, P: Signature> Arena<V, P> {
    /// The name of a user's rule.
    pub(super) fn rule_name(&self, rule: u32) -> &'static str {
        self.store.borrow().rules[rule as usize].name()
    }
}

/// How often each node up to the largest root is used by the roots: 0 where it is not reached.
pub(super) fn uses<O: Copy>(nodes: &[Node<O>], lists: &[Box<[Id]>], roots: &[Id]) -> Vec<usize> {
    let last = roots.iter().max().map_or(0, |id| *id as usize + 1);
    let mut uses = vec![0; last];
    for root in roots {
        uses[*root as usize] += 1;
    }
    for id in (0..last).rev() {
        if uses[id] > 0 {
            nodes[id].operands(lists, |operand| uses[operand as usize] += 1);
        }
    }
    uses
}

fn number_of(index: usize) -> u32 {
    u32::try_from(index).expect("an arena holds fewer than 2^32 nodes")
}

impl<O: Copy> Node<O> {
    /// An operation on operands, of which `list` numbers the list if they are many.
    pub(super) fn apply(operation: O, operands: &[Id], list: impl FnOnce(&[Id]) -> u32) -> Self {
        match *operands {
            [] => Node::Apply(operation, 0, [0, 0, 0]),
            [a] => Node::Apply(operation, 1, [a, 0, 0]),
            [a, b] => Node::Apply(operation, 2, [a, b, 0]),
            [a, b, c] => Node::Apply(operation, 3, [a, b, c]),
            _ => Node::ApplyMany(operation, list(operands)),
        }
    }

    /// Calls `visit` on each operand.
    #[inline]
    pub(super) fn operands(&self, lists: &[Box<[Id]>], mut visit: impl FnMut(Id)) {
        match self {
            Node::Variable(_) | Node::Literal(_) => {}
            Node::Plus(operands) | Node::Times(operands) => operands.iter().copied().for_each(visit),
            Node::Apply(_, arity, operands) => operands[..usize::from(*arity)].iter().copied().for_each(&mut visit),
            Node::ApplyMany(_, list) => lists[*list as usize].iter().copied().for_each(visit),
        }
    }
}

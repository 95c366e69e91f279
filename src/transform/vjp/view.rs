//! Adjoints of parts: what is added to the adjoint of a row, a slice or an element's array goes straight to its place in the
//! adjoint of the array that it is a part of.
//!
//! Law: an array from outside a scope has one adjoint, to which all in the scope add at addresses; that of a part is
//! never an array of its own where the part is read in parts in its turn, so what an iteration adds is in proportion to
//! what it read and not to the arrays it read from (tests/transform/work.rs, tests/growth/main.rs).

use super::adjoints::{Adjoint, Adjoints};
use super::known::Parts;
use crate::array::{Atom, Body, Map, Op, Prim, Range, ScalarOp, Type, Var, index};
use crate::transform::copy::Copier;
use crate::transform::target::Target;

/// Where an array lies in another.
#[derive(Clone)]
pub(super) struct View {
    root: Var,
    /// For each dimension of the root, where along it.
    along: Vec<Along>,
}

#[derive(Clone, Copy)]
enum Along {
    /// At one index.
    At(Atom),
    /// From a start in steps.
    By(Steps),
}

#[derive(Clone, Copy)]
struct Steps {
    start: Atom,
    step: Atom,
    /// The dimension of the part whose index says how many steps.
    by: usize,
    /// Whether they are all places along the dimension of the root.
    all: bool,
}

/// `start + step · i`.
pub(super) fn offset(target: &Target, start: Atom, step: Atom, i: Atom) -> Atom {
    let steps = if step == index(1) { i } else { target.indices(ScalarOp::Mul, i, step) };
    if start == index(0) { steps } else { target.indices(ScalarOp::Add, start, steps) }
}

impl View {
    /// A variable of this rank, as all of itself.
    fn all(root: Var, rank: usize) -> Self {
        let all = |by| Along::By(Steps { start: index(0), step: index(1), by, all: true });
        View { root, along: (0..rank).map(all).collect() }
    }

    /// The view with the steps along the root changed.
    fn map(&self, mut change: impl FnMut(Steps) -> Along) -> Self {
        let along = self.along.iter().map(|along| match *along {
            Along::At(at) => Along::At(at),
            Along::By(steps) => change(steps),
        });
        View { root: self.root, along: along.collect() }
    }

    /// The part of this part at these indices of its leading dimensions.
    fn index(&self, target: &Target, at: &[Atom]) -> Self {
        self.map(|steps| match at.get(steps.by) {
            Some(i) => Along::At(offset(target, steps.start, steps.step, *i)),
            None => Along::By(Steps { by: steps.by - at.len(), ..steps }),
        })
    }

    fn slice(&self, target: &Target, ranges: &[Range]) -> Self {
        self.map(|steps| {
            let Some(range) = ranges.get(steps.by) else { return Along::By(steps) };
            let start = offset(target, steps.start, steps.step, range.start);
            let is_one = steps.step == index(1);
            let step = if is_one { range.step } else { target.indices(ScalarOp::Mul, steps.step, range.step) };
            Along::By(Steps { start, step, by: steps.by, all: false })
        })
    }

    fn permute(&self, order: &[usize]) -> Self {
        let now = |by: usize| order.iter().position(|d| *d == by).expect("an order has every dimension");
        self.map(|steps| Along::By(Steps { by: now(steps.by), ..steps }))
    }

    /// The index of the root at which the part begins, if it is one subarray of the root, of this rank.
    fn subarray(&self, rank: usize) -> Option<Vec<Atom>> {
        let (at, rest) = self.along.split_at(self.along.len() - rank);
        let is_rest = |(k, along): (usize, &Along)| matches!(along, Along::By(steps) if steps.all && steps.by == k);
        if !rest.iter().enumerate().all(is_rest) {
            return None;
        }
        at.iter().map(|along| if let Along::At(at) = along { Some(*at) } else { None }).collect()
    }
}

impl Adjoints<'_> {
    /// The array that a variable is a part of, if what is added to the adjoint of the part is added to that of the array.
    pub(super) fn viewed(&self, var: Var) -> Option<&View> {
        self.views.get(&var).filter(|view| self.is_open(view.root))
    }

    /// Whether this is an array from outside whose adjoint is added to in place here.
    fn is_open(&self, var: Var) -> bool {
        match self.of.get(&var) {
            Some(Adjoint::Accumulator(_)) => true,
            Some(Adjoint::Value(_)) => self.carried.contains(&var),
            Some(Adjoint::Sparse(_)) | None => false,
        }
    }

    /// Where an array lies in one whose adjoint is open.
    fn place_of(&self, copier: &Copier<'_, '_>, array: Atom) -> Option<View> {
        let Atom::Var(var) = array else { return None };
        match self.viewed(var) {
            Some(view) => Some(view.clone()),
            None => self.is_open(var).then(|| View::all(var, copier.source.type_of(var).rank)),
        }
    }

    /// Takes down which variables of a body are parts of open arrays, and read in parts in their turn.
    pub(super) fn take_views(&mut self, copier: &Copier<'_, '_>, parts: &Parts, body: &Body) -> Vec<Var> {
        let mut taken = Vec::new();
        if self.of.is_empty() {
            return taken;
        }
        for stm in &body.stms {
            let [var] = stm.vars[..] else { continue };
            if parts.contains(var)
                && self.active.var(var)
                && copier.source.type_of(var).rank > 0
                && let Some(view) = self.view(copier, &stm.op)
            {
                self.views.insert(var, view);
                taken.push(var);
            }
        }
        taken
    }

    /// Forgets a part: another execution of its scope records it again.
    pub(super) fn forget_view(&mut self, part: Var) {
        self.views.remove(&part);
    }

    /// The part that an operation takes of an open array.
    fn view(&self, copier: &Copier<'_, '_>, op: &Op) -> Option<View> {
        match op {
            Op::Copy(a) => self.place_of(copier, *a),
            Op::Index(a, at) => Some(self.place_of(copier, *a)?.index(self.target, &copier.atoms(at))),
            Op::Slice(a, ranges) => Some(self.place_of(copier, *a)?.slice(self.target, &copier.ranges(ranges))),
            Op::Permute(a, order) => Some(self.place_of(copier, *a)?.permute(order)),
            Op::Reverse(a) => {
                let view = self.place_of(copier, *a)?;
                let size = self.target.size(copier.atom(*a), 0);
                let last = super::arrays::from_end(self.target, size, index(0));
                Some(view.slice(self.target, &[Range { start: last, count: size, step: index(-1) }]))
            }
            _ => None,
        }
    }

    /// The parameters of a map that are rows of open arrays and read in parts, with those arrays.
    pub(super) fn rows_in_parts(&self, copier: &Copier<'_, '_>, parts: &Parts, map: &Map) -> Vec<(Var, View)> {
        let rows = map.function.params.iter().zip(&map.arrays);
        rows.filter(|(param, array)| parts.contains(**param) && self.active.atom(**array))
            .filter(|(param, _)| copier.source.type_of(**param).rank > 0)
            .filter_map(|(param, array)| Some((*param, self.place_of(copier, *array)?)))
            .collect()
    }

    /// Says that these parameters are rows at this index.
    pub(super) fn enter_rows(&mut self, rows: &[(Var, View)], i: Atom) {
        for (param, view) in rows {
            self.views.insert(*param, view.index(self.target, &[i]));
        }
    }

    /// The arrays that these are rows of.
    pub(super) fn roots_of_rows(rows: &[(Var, View)]) -> impl Iterator<Item = Var> {
        rows.iter().map(|(_, view)| view.root)
    }

    /// The arrays of which these are parts, each once; what is no part is itself.
    pub(super) fn roots(&self, of: impl IntoIterator<Item = Var>) -> Vec<Var> {
        let mut roots: Vec<Var> = of.into_iter().map(|v| self.viewed(v).map_or(v, |view| view.root)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Adds to the adjoint of a slice.
    pub(super) fn add_to_slice(&mut self, copier: &Copier<'_, '_>, of: Atom, ranges: &[Range], adjoint: Atom) {
        let Atom::Var(var) = of else { return };
        if self.active.var(var) {
            let whole = || View::all(var, copier.source.type_of(var).rank);
            let view = self.viewed(var).cloned().unwrap_or_else(whole);
            self.add_to(copier, &view.slice(self.target, ranges), adjoint, true);
        }
    }

    /// Adds to the adjoint of a part at an index of it. If it is not certain that the index is one, nothing is added where
    /// it is out of bounds.
    pub(super) fn add_to_view(
        &mut self,
        copier: &Copier<'_, '_>,
        part: Var,
        view: &View,
        at: &[Atom],
        adjoint: Atom,
        certain: bool,
    ) {
        let target = self.target;
        if certain || at.is_empty() {
            return self.add_to(copier, &view.index(target, at), adjoint, true);
        }
        // Out of the bounds of the part is not out of those of the root.
        let exists = target.within(at[0], target.size(copier.atom(part.into()), 0));
        let along = view.index(target, at).along.into_iter().map(|along| match along {
            Along::At(at) => Along::At(target.choose(exists, || vec![at], || vec![index(-1)])[0]),
            along => along,
        });
        self.add_to(copier, &View { root: view.root, along: along.collect() }, adjoint, false);
    }

    /// Adds to the adjoint of a root at the place of a part, which may be out of bounds if it is not certain.
    fn add_to(&mut self, copier: &Copier<'_, '_>, view: &View, adjoint: Atom, certain: bool) {
        let target = self.target;
        let at = view.subarray(target.type_of(adjoint).rank);
        let sum = match (self.adjoint_or_zero(copier, view.root), at) {
            (Adjoint::Value(present), Some(at)) => Adjoint::Value(self.with_part(present, &at, adjoint, certain)),
            (Adjoint::Value(present), None) => {
                let acc = add_at_places(target, target.one(Op::ToAccumulator(present)), view, adjoint);
                Adjoint::Value(target.one(Op::FromAccumulator(acc)))
            }
            (Adjoint::Accumulator(acc), _) => Adjoint::Accumulator(add_at_places(target, acc, view, adjoint)),
            (Adjoint::Sparse(_), _) => panic!("{}", super::sparse::DENSE),
        };
        self.of.insert(view.root, sum);
    }
}

/// Adds an array to an accumulator at the place of a part: subarrays of it that lie together at once, the others one by one.
fn add_at_places(target: &Target, acc: Atom, view: &View, array: Atom) -> Atom {
    let of = target.type_of(array);
    if let Some(at) = view.subarray(of.rank) {
        return target.one(Op::Accumulate(acc, at, array));
    }
    let numbers = target.iota(target.size(array, 0));
    let types = [Type::scalar(Prim::I64), of.element(), target.type_of(acc)];
    let function = target.lambda(&types, |x| vec![add_at_places(target, x[2], &view.index(target, &x[..1]), x[1])]);
    target.one(Op::Map(Box::new(Map { function, arrays: vec![numbers, array], accumulators: vec![acc] })))
}

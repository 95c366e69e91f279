//! Places of an array that a loop comes to once.
//!
//! Law: if a loop variable is read and written in each iteration at one index of its first dimension only, and the
//! index is injective over the iterations, then what is read is the initial value; so adjoints that a loop adds to
//! zeros, each at its own place, are not added at all (tests/transform/loops.rs, tests/transform/work.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::atoms_in;
use crate::array::{Atom, Body, Form, IntegerRow, Loop, Op, ScalarOp, Stm, Var, binders};

/// How far an index is followed through sums and differences.
const MAX_STEPS: usize = 8;

/// Has a loop read from what it begins with where that is the same, for those of its variables that `copies` names.
pub(super) fn reading_the_beginning(it: &mut Loop, copies: impl Fn(usize) -> bool) {
    let Form::For(i, _) = &it.form else { return };
    let named: Vec<usize> = (0..it.params.len()).filter(|k| copies(*k)).collect();
    if named.is_empty() {
        return;
    }
    let numbers = Numbers::new(it, *i);
    let mut visited: FxHashMap<Atom, Visited> = FxHashMap::default();
    for k in named {
        let (param, initial) = it.params[k];
        if let Some(first) = numbers.written(param.into(), it.body.results[k]) {
            visited.insert(param.into(), Visited { first, initial, mentioned: 0, there: 0, read: 0 });
        }
    }
    count(&it.body, &mut visited);
    visited.retain(|_, array| array.only_there() && numbers.are_distinct(array.first, MAX_STEPS));
    if visited.is_empty() {
        return;
    }
    for stm in &mut it.body.stms {
        if let Op::Index(array, _) = &mut stm.op
            && let Some(Visited { initial, .. }) = visited.get(array)
        {
            *array = *initial;
        }
    }
}

/// A loop variable that is an array, and how often the body mentions it.
struct Visited {
    /// The first index at which it is written.
    first: Atom,
    /// What the loop begins with.
    initial: Atom,
    mentioned: usize,
    /// How often it is written at that index, or its size is read.
    there: usize,
    /// How often it is read at that index.
    read: usize,
}

impl Visited {
    /// Whether it is read and written at one first index only, and read at all.
    fn only_there(&self) -> bool {
        self.read > 0 && self.mentioned == self.read + self.there
    }
}

/// Counts in a body, in one pass, what it does with arrays.
fn count(body: &Body, arrays: &mut FxHashMap<Atom, Visited>) {
    atoms_in(body, &mut |a| {
        if let Some(array) = arrays.get_mut(&a) {
            array.mentioned += 1;
        }
    });
    for stm in &body.stms {
        let (a, at) = match &stm.op {
            Op::Index(a, at) | Op::Update(a, at, _) => (a, at.first()),
            Op::Size(a, _) => (a, None),
            _ => continue,
        };
        let Some(array) = arrays.get_mut(a) else { continue };
        let here = at == Some(&array.first);
        match &stm.op {
            Op::Index(..) if here => array.read += 1,
            Op::Update(_, _, value) if here && value != a => array.there += 1,
            Op::Size(..) => array.there += 1,
            _ => {}
        }
    }
}

/// The numbers in an iteration of a loop.
struct Numbers<'a> {
    /// The operation of one result that gives a variable of the body.
    operations: FxHashMap<Var, &'a Op>,
    i: Var,
    /// What may differ between iterations.
    bound: FxHashSet<Var>,
}

impl<'a> Numbers<'a> {
    fn new(it: &'a Loop, i: Var) -> Self {
        let mut bound: FxHashSet<Var> = it.params.iter().map(|(param, _)| *param).chain([i]).collect();
        binders(&it.body, &mut bound);
        let one = |stm: &'a Stm| if let [var] = stm.vars[..] { Some((var, &stm.op)) } else { None };
        Numbers { operations: it.body.stms.iter().filter_map(one).collect(), i, bound }
    }

    /// The first index at which an array is written that becomes this result.
    fn written(&self, array: Atom, result: Atom) -> Option<Atom> {
        let Atom::Var(result) = result else { return None };
        match self.operations.get(&result)? {
            Op::Update(a, at, _) if *a == array => at.first().copied(),
            _ => None,
        }
    }

    fn operation(&self, atom: Atom) -> Option<(ScalarOp, &[Atom])> {
        let Atom::Var(var) = atom else { return None };
        if let Op::Scalar(op, operands) = self.operations.get(&var)? { Some((*op, operands)) } else { None }
    }

    /// Whether a number is another one in each iteration: a sum or difference of the iteration's number and a constant.
    fn are_distinct(&self, atom: Atom, steps: usize) -> bool {
        if atom == Atom::Var(self.i) {
            return true;
        }
        match self.operation(atom) {
            Some((ScalarOp::Add | ScalarOp::Integer(IntegerRow::Sub), [a, b])) if steps > 0 => {
                let other = |a, b| self.are_distinct(a, steps - 1) && self.is_constant(b, steps - 1);
                other(*a, *b) || other(*b, *a)
            }
            _ => false,
        }
    }

    /// Whether a number is the same in each iteration.
    fn is_constant(&self, atom: Atom, steps: usize) -> bool {
        match atom {
            Atom::Const(_) => true,
            Atom::Var(var) if !self.bound.contains(&var) => true,
            Atom::Var(_) if steps == 0 => false,
            Atom::Var(_) => match self.operation(atom) {
                Some((_, operands)) => operands.iter().all(|a| self.is_constant(*a, steps - 1)),
                None => false,
            },
        }
    }
}

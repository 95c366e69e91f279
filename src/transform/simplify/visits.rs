//! Places of an array that a loop comes to once.
//!
//! Law: if a loop variable is read and written in each iteration at one index of its first dimension only, and no two
//! iterations have the same, then what is read is what the loop began with. Adjoints that a loop adds to zeros, each at
//! its own place, are so not added at all.

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, Form, IntegerRow, Loop, Op, ScalarOp, Var, binders};
use crate::transform::flow::atoms_in;

/// How far an index is followed through sums and differences.
const STEPS: usize = 8;

/// The loop, reading from what it begins with where that is the same, for those of its variables that `copies` names;
/// nothing if it reads nothing so.
pub(super) fn reading_the_beginning(it: &Loop, copies: impl Fn(usize) -> bool) -> Option<Loop> {
    let Form::For(i, _) = &it.form else { return None };
    let mut found: Option<Loop> = None;
    for (k, (param, initial)) in it.params.iter().enumerate() {
        if let Atom::Var(result) = it.body.results[k]
            && copies(k)
            && let Some(at) = written(&it.body, *param, result)
            && only_at(&it.body, *param, at)
            && Numbers::new(it, *i).are_distinct(at, STEPS)
        {
            let body = &mut found.get_or_insert_with(|| it.clone()).body;
            for stm in &mut body.stms {
                match &mut stm.op {
                    Op::Index(array, _) if *array == Atom::Var(*param) => *array = *initial,
                    _ => {}
                }
            }
        }
    }
    found
}

/// The first index at which an array is written that becomes this result.
fn written(body: &Body, array: Var, result: Var) -> Option<Atom> {
    body.stms.iter().find(|stm| stm.vars == [result]).and_then(|stm| match &stm.op {
        Op::Update(a, at, _) if *a == Atom::Var(array) => at.first().copied(),
        _ => None,
    })
}

/// Whether an array is read and written at this first index only, and read at all.
fn only_at(body: &Body, array: Var, first: Atom) -> bool {
    let (mut mentioned, mut there, mut read) = (0, 0, 0);
    atoms_in(body, &mut |a| mentioned += usize::from(a == Atom::Var(array)));
    for stm in &body.stms {
        match &stm.op {
            Op::Index(a, at) if *a == Atom::Var(array) && at.first() == Some(&first) => read += 1,
            Op::Update(a, at, value) if *a == Atom::Var(array) && at.first() == Some(&first) && value != a => {
                there += 1
            }
            Op::Size(a, _) if *a == Atom::Var(array) => there += 1,
            _ => {}
        }
    }
    read > 0 && mentioned == read + there
}

/// The numbers in an iteration of a loop.
struct Numbers<'a> {
    body: &'a Body,
    i: Var,
    /// What may differ between iterations.
    bound: FxHashSet<Var>,
}

impl<'a> Numbers<'a> {
    fn new(it: &'a Loop, i: Var) -> Self {
        let mut bound: FxHashSet<Var> = it.params.iter().map(|(param, _)| *param).chain([i]).collect();
        binders(&it.body, &mut bound);
        Numbers { body: &it.body, i, bound }
    }

    fn operation(&self, atom: Atom) -> Option<(ScalarOp, &[Atom])> {
        let stm = self.body.stms.iter().find(|stm| matches!(stm.vars[..], [var] if Atom::Var(var) == atom))?;
        if let Op::Scalar(op, operands) = &stm.op { Some((*op, operands)) } else { None }
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

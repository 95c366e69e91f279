//! Dead code: statements, results, parameters and loop variables that no result of the program depends on.
//!
//! Law: the statements that remain compute what the results need, and nothing else; liveness is followed component by
//! component through maps, loops, branches and operators, so that one result of a combinator can go while others stay;
//! sizes that removed statements compared are compared by those that remain (tests/transform/simplify.rs,
//! laws: simplification).

use smallvec::SmallVec;

use super::sizes::{Written, plan};
use crate::array::{
    Atom, Body, Class, Form, Lambda, Op, Program, Reduce, Stm, Var, atoms_in, deeper, dependences, has_effect, params,
};

/// Dead-code elimination: removes from a program what is not needed, and returns whether a part of an operation was
/// removed while the rest stays. Comparisons of sizes that would be lost with it are written according to `written`.
pub(super) fn dead(program: &mut Program, written: Written) -> bool {
    dead_again(program, written, None)
}

/// Removes, from a program of which all is needed, the comparisons that its statements make anyway, and what only those
/// need. Returns the same as [`dead`].
pub(super) fn compared_once(program: &mut Program) -> bool {
    program.function.body.stms.iter().any(|stm| has_effect(&stm.op)) && dead(program, Written::Needed)
}

/// Takes out of a reverse derivative what is not needed. What binds this variable, or one after it, executes again what was
/// executed before: what it compares needs no comparison when it goes.
pub(crate) fn executed_once(program: &mut Program, returning: Var) {
    dead_again(program, Written::Lost, Some(returning));
}

fn dead_again(program: &mut Program, written: Written, returning: Option<Var>) -> bool {
    let mut needed = Needed::new(program, &[]);
    let mut roots = Vec::new();
    // Of arrays that are gone sizes may be left, as numbers that are compared.
    let compares = |program: &Program| {
        program.types.iter().any(|t| t.rank > 0) || program.function.body.stms.iter().any(|stm| stays(stm, &|_| false))
    };
    if compares(program)
        && (written == Written::All || !compare_nothing(&program.function.body, false, &|v| needed.has(v)))
    {
        let sizes = program.sizes_without_comparisons();
        let plan = loop {
            let plan = plan(program, &sizes, &needed.vars, written, returning);
            let more = |a: &&Atom| matches!(a, Atom::Var(v) if !needed.has(*v));
            let more: Vec<Atom> = plan.roots.iter().filter(more).copied().collect();
            if more.is_empty() {
                break plan;
            }
            // What is compared needs sizes, and what it needs compares for itself.
            roots.extend(more);
            let before = core::mem::replace(&mut needed, Needed::new(program, &roots));
            if compare_nothing(&program.function.body, true, &|v| before.has(v) == needed.has(v)) {
                break plan;
            }
        };
        plan.write(program);
    }
    needed.body(&mut program.function.body, |_| true);
    // What seemed to be needed for a comparison may not be, now that others are written.
    let again = needed.again || (needed.changed || needed.left_out) && !roots.is_empty();
    let later = if written == Written::All { Written::Lost } else { written };
    let parted = again && dead_again(program, later, returning);
    needed.changed || parted
}

/// Takes out of a program what its results do not depend on, and comparisons of sizes with it.
pub(crate) fn only_needed(program: &mut Program) {
    without_effects(&mut program.function.body);
    loop {
        let mut needed = Needed::new(program, &[]);
        needed.body(&mut program.function.body, |_| true);
        if !needed.again {
            return;
        }
    }
}

/// Takes the comparisons of sizes out of a body.
fn without_effects(body: &mut Body) {
    body.stms.retain(|stm| !stm.vars.is_empty());
    deeper(|| body.stms.iter_mut().flat_map(|stm| stm.op.bodies_mut()).for_each(without_effects));
}

/// Whether a statement compares sizes or binds what is needed, itself or inside.
fn stays(stm: &Stm, needed: &impl Fn(Var) -> bool) -> bool {
    match &stm.op {
        Op::Agree(_) => true,
        _ if stm.vars.iter().copied().any(needed) => true,
        // What is compared there is part of a function that is needed or not.
        Op::Custom(_) => false,
        op => op.bodies().any(|body| body.stms.iter().any(|stm| stays(stm, needed))),
    }
}

/// Whether an operation can compare sizes, itself or in its bodies: [`plan`] finds which.
fn compares_sizes(op: &Op) -> bool {
    matches!(op.class(), Class::Write | Class::Parallel | Class::Control)
        || matches!(op, Op::Elements(_) | Op::Reshape(..) | Op::Accumulate(..))
}

/// Whether no statement of a body compares sizes, but those of which `but` says it for all that they bind, and comparisons that are
/// written, where they are `written`.
fn compare_nothing(body: &Body, written: bool, but: &impl Fn(Var) -> bool) -> bool {
    body.stms.iter().all(|stm| {
        let left_out = || stm.vars.iter().copied().chain(params(&stm.op)).all(but);
        if stm.op.class() == Class::Check {
            return written;
        }
        !compares_sizes(&stm.op) || left_out() && stm.op.bodies().all(|body| compare_nothing(body, written, but))
    })
}

/// What is kept of a list.
type Flags = SmallVec<[bool; 16]>;

/// The variables that the results of a program depend on in any way, by number.
struct Needed {
    vars: Vec<bool>,
    /// What variables of an operation need, while it is read.
    edges: Vec<(Var, Var)>,
    /// Whether something has been taken out of an operation that stays.
    changed: bool,
    /// Whether a statement has been taken out whole.
    left_out: bool,
    /// Whether an array was needed only to say how long a map is, and another one says it now.
    again: bool,
}

impl Needed {
    fn new(program: &Program, roots: &[Atom]) -> Self {
        let vars = vec![false; program.types.len()];
        let mut needed = Needed { vars, edges: Vec::new(), changed: false, left_out: false, again: false };
        program.function.body.results.iter().chain(roots).for_each(|a| needed.need(*a));
        needed.read(&program.function.body);
        needed
    }

    fn need(&mut self, atom: Atom) {
        atom.var().into_iter().for_each(|var| self.vars[var.0 as usize] = true);
    }

    /// Finds what is needed in a body. What uses a variable comes after what binds it, so once through from the end is
    /// enough, but for what is applied to its own results.
    fn read(&mut self, body: &Body) {
        for stm in body.stms.iter().rev() {
            match &stm.op {
                Op::Loop(_) | Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) => self.read_again_and_again(stm),
                Op::If(..) | Op::Map(_) => {
                    self.read_operation(stm);
                    deeper(|| stm.op.bodies().for_each(|body| self.read(body)));
                    // Now it is known which parameters are needed.
                    self.read_operation(stm);
                }
                _ => self.read_operation(stm),
            }
        }
    }

    /// Finds what an operation itself needs.
    fn read_operation(&mut self, stm: &Stm) {
        let Needed { vars, .. } = self;
        operation_needs(stm, &mut |var, atom| {
            if let Atom::Var(on) = atom
                && vars[var.0 as usize]
            {
                vars[on.0 as usize] = true;
            }
        });
    }

    /// Finds what is needed in an operation with a body that is applied to its own results.
    fn read_again_and_again(&mut self, stm: &Stm) {
        let mut edges = core::mem::take(&mut self.edges);
        edges.clear();
        stm_needs(stm, &mut |var, atom| edges.extend(atom.var().map(|on| (var, on))));
        edges.sort_unstable();
        let mut pending: Vec<Var> = edges.iter().map(|(var, _)| *var).filter(|var| self.has(*var)).collect();
        pending.dedup();
        while let Some(var) = pending.pop() {
            let from = edges.partition_point(|(other, _)| *other < var);
            for (_, on) in edges[from..].iter().take_while(|(other, _)| *other == var) {
                if !core::mem::replace(&mut self.vars[on.0 as usize], true) {
                    pending.push(*on);
                }
            }
        }
        self.edges = edges;
    }

    fn has(&self, var: Var) -> bool {
        self.vars[var.0 as usize]
    }

    fn which(&self, vars: &[Var]) -> Flags {
        vars.iter().map(|v| self.has(*v)).collect()
    }

    /// Keeps of a list what is said to be kept.
    fn pick<T>(&mut self, all: &mut Vec<T>, kept: impl Fn(usize) -> bool) {
        let (before, mut k) = (all.len(), 0);
        all.retain(|_| {
            k += 1;
            kept(k - 1)
        });
        self.changed |= all.len() < before;
    }

    /// Takes out of a body what is not needed, and those of its results that `keep` does not name.
    fn body(&mut self, body: &mut Body, keep: impl Fn(usize) -> bool) {
        let before = body.stms.len();
        body.stms.retain(|stm| stays(stm, &|var| self.has(var)));
        self.left_out |= body.stms.len() < before;
        body.stms.iter_mut().for_each(|stm| self.stm(stm));
        self.pick(&mut body.results, keep);
    }

    fn stm(&mut self, stm: &mut Stm) {
        let Stm { vars, op, .. } = stm;
        let kept: Flags = match op {
            Op::If(_, yes, no) => {
                let kept = self.which(vars);
                self.body(yes, |k| kept[k]);
                self.body(no, |k| kept[k]);
                kept
            }
            Op::Loop(it) => {
                let kept: Flags = it.params.iter().map(|(param, _)| self.has(*param)).collect();
                self.pick(&mut it.params, |k| kept[k]);
                if let Form::While { condition, .. } = &mut it.form {
                    self.body(condition, |_| true);
                }
                self.body(&mut it.body, |k| kept[k]);
                kept
            }
            Op::Map(map) => {
                let (kept, arrays) = (self.which(vars), map.arrays.len());
                let values = kept.len() - map.accumulators.len();
                let mut inputs = self.which(&map.function.params[..arrays]);
                if !inputs.contains(&true) {
                    // One array is left to say how long the map is.
                    inputs[0] = true;
                }
                self.again |= !inputs[0];
                self.pick(&mut map.arrays, |k| inputs[k]);
                self.pick(&mut map.accumulators, |k| kept[values + k]);
                inputs.extend_from_slice(&kept[values..]);
                self.pick(&mut map.function.params, |k| inputs[k]);
                self.body(&mut map.function.body, |k| kept[k]);
                kept
            }
            Op::Reduce(it) | Op::Scan(it) => self.reduce(it, vars),
            Op::Hist(it) => {
                let kept = self.operator(&mut it.operator, vars);
                for operands in [&mut it.neutral, &mut it.destinations, &mut it.values] {
                    self.pick(operands, |k| kept[k]);
                }
                kept
            }
            // What has one result stays whole, and so does a function with a derivative of its own.
            _ => return,
        };
        let (before, mut kept) = (vars.len(), kept.into_iter());
        vars.retain(|_| kept.next().expect("it is said of each result whether it is kept"));
        self.changed |= vars.len() < before;
    }

    /// Removes from an operator the components that are not needed, and returns which stay.
    fn operator(&mut self, operator: &mut Lambda, vars: &[Var]) -> Flags {
        let (left, right) = operator.params.split_at(vars.len());
        let sides = vars.iter().zip(left).zip(right);
        let kept: Flags = sides.map(|((v, l), r)| self.has(*v) || self.has(*l) || self.has(*r)).collect();
        self.pick(&mut operator.params, |k| kept[k % kept.len()]);
        self.body(&mut operator.body, |k| kept[k]);
        kept
    }

    fn reduce(&mut self, it: &mut Reduce, vars: &[Var]) -> Flags {
        let kept = self.operator(&mut it.operator, vars);
        self.pick(&mut it.neutral, |k| kept[k]);
        self.pick(&mut it.arrays, |k| kept[k]);
        kept
    }
}

/// Says for each variable in a body what it needs.
pub(crate) fn body_needs(body: &Body, need: &mut impl FnMut(Var, Atom)) {
    body.stms.iter().for_each(|stm| stm_needs(stm, need));
}

/// Says for each variable of a statement, and of its bodies, what it needs.
fn stm_needs(stm: &Stm, need: &mut impl FnMut(Var, Atom)) {
    operation_needs(stm, need);
    if !matches!(stm.op, Op::Custom(_)) {
        stm.op.bodies().for_each(|body| body_needs(body, need));
    }
}

/// The same without what is in its bodies, but those of functions with a derivative of their own, which are needed whole.
fn operation_needs(stm: &Stm, need: &mut impl FnMut(Var, Atom)) {
    dependences(stm, &mut |var, atom, _| need(var, atom));
    if let Op::Custom(it) = &stm.op {
        for var in &stm.vars {
            [&it.function, &it.pullback].into_iter().for_each(|f| atoms_in(&f.body, &mut |a| need(*var, a)));
        }
    }
}

//! Which variables derivatives flow through: those that depend on what is differentiated by, and that results depend on.
//!
//! Law: the dependence graph has an edge from an operand to a result exactly where a derivative may be other than zero;
//! a variable is active if it lies on a path. The analysis visits each statement once (tests/transform/work.rs,
//! tests/transform/rules.rs).

use rustc_hash::FxHashSet;

use super::partials::depends;
use super::shifts::Cancelled;
use crate::array::{Atom, Body, Op, Program, Role, Stm, Var, binders, dependences};
pub(super) use crate::array::{atoms_in, atoms_of};

/// The active variables of a program.
pub(super) struct Active(Vec<bool>);

impl Active {
    /// The variables that depend on the parameters of the program at these positions.
    pub(super) fn forward(program: &Program, by: &[usize]) -> Self {
        let from = params(program, by);
        let edges = edges(program, &program.function.body, &from);
        Active(reached(program.types.len(), from, || edges.iter().copied()))
    }

    /// The variables that depend on these parameters, and on which results depend.
    pub(super) fn both(program: &Program, by: &[usize]) -> Self {
        let (body, from) = (&program.function.body, params(program, by));
        let edges = edges(program, body, &from);
        let (count, results) = (program.types.len(), body.results.iter().filter_map(|a| a.var()).collect());
        let varied = reached(count, from, || edges.iter().copied());
        let useful = reached(count, results, || edges.iter().map(|(from, to)| (*to, *from)));
        Active(varied.into_iter().zip(useful).map(|(a, b)| a && b).collect())
    }

    pub(super) fn var(&self, var: Var) -> bool {
        self.0[var.0 as usize]
    }

    pub(super) fn atom(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|v| self.var(v))
    }

    /// The active variables from outside that results of these bodies may depend on, in order, and those that adjoints
    /// of accumulators pass through.
    pub(super) fn free(&self, bodies: &[&Body], bound: &[Var]) -> Vec<Var> {
        let mut inside: FxHashSet<Var> = bound.iter().copied().collect();
        let mut found = Vec::new();
        for body in bodies {
            binders(body, &mut inside);
        }
        let mut add = |from: Atom| found.extend(from.var().filter(|v| self.var(*v)));
        for body in bodies {
            body_edges(body, &mut |from, to| {
                if self.var(to) {
                    add(from);
                }
            });
            body.results.iter().for_each(|a| add(*a));
        }
        found.retain(|v| !inside.contains(v));
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The parameters at these positions.
fn params(program: &Program, by: &[usize]) -> Vec<Var> {
    by.iter().map(|k| program.function.params[*k]).collect()
}

/// Which of `count` variables can be reached from these along the edges, which are listed twice.
pub(crate) fn reached<E: Iterator<Item = (Var, Var)>>(
    count: usize,
    from: Vec<Var>,
    edges: impl Fn() -> E,
) -> Vec<bool> {
    // All ends of edges in one list, sorted by where they begin: first how many come before, one place further on, so that
    // each that is put at its place moves the end of those before it to where the next begin.
    let mut start = vec![0_u32; count + 2];
    edges().for_each(|(from, _)| start[from.0 as usize + 2] += 1);
    (0..=count).for_each(|k| start[k + 1] += start[k]);
    let mut ends = vec![Var(0); start[count + 1] as usize];
    for (from, to) in edges() {
        let place = &mut start[from.0 as usize + 1];
        ends[*place as usize] = to;
        *place += 1;
    }
    let mut reached = vec![false; count];
    let mut pending = from;
    while let Some(var) = pending.pop() {
        let k = var.0 as usize;
        if !core::mem::replace(&mut reached[k], true) {
            pending.extend(&ends[start[k] as usize..start[k + 1] as usize]);
        }
    }
    reached
}

/// The edges that derivatives by these variables go along.
///
/// A real that is made an integer is rounded, and constant wherever it is made a real again. So an integer has edges to reals
/// only where one that is differentiated by goes into it, and is then not made of what is rounded; any other takes the derivative
/// of what is rounded with it, to results that are integers.
fn edges(program: &Program, body: &Body, by: &[Var]) -> Vec<(Var, Var)> {
    let mut found = Vec::new();
    let is_accumulator = |v: Var| program.type_of(v).accumulator;
    let cancelled = Cancelled::of(program);
    body_edges(body, &mut |from, to| {
        if let Some(from) = from.var().filter(|_| !cancelled.contains(to)) {
            found.push((from, to));
            // An accumulator is active as a whole: before something active is added as after it.
            if is_accumulator(from) && is_accumulator(to) {
                found.push((to, from));
            }
        }
    });
    let is_real = |v: &Var| program.type_of(*v).prim.is_real();
    let becomes_real = |(from, to): &(Var, Var)| !is_real(from) && is_real(to);
    let is_rounded = |(from, to): &(Var, Var)| is_real(from) && !is_real(to);
    if !found.iter().any(becomes_real) || !found.iter().any(is_rounded) {
        return found;
    }
    let count = program.types.len();
    let exact = || found.iter().copied().filter(|edge| !is_rounded(edge));
    let counts = reached(count, by.to_vec(), exact);
    found.retain(|edge| !becomes_real(edge) || counts[edge.0.0 as usize]);
    // The integers that go into those that still become reals.
    let ends = found.iter().filter(|edge| becomes_real(edge)).map(|(from, _)| *from).collect();
    let backwards = || found.iter().filter(|(_, to)| !is_real(to)).map(|(from, to)| (*to, *from));
    let goes_on = reached(count, ends, backwards);
    found.retain(|edge| !is_rounded(edge) || !goes_on[edge.1.0 as usize]);
    found
}

fn body_edges(body: &Body, edge: &mut impl FnMut(Atom, Var)) {
    body.stms.iter().for_each(|stm| stm_edges(stm, edge));
}

/// Whether a result of a body is 0, or an array that is filled with it.
fn is_zero(body: &Body, atom: Atom) -> bool {
    match atom {
        Atom::Const(constant) => constant == constant.prim().zero(),
        Atom::Var(var) => body.stms.iter().any(|stm| match stm.op {
            Op::Replicate(_, value) => stm.vars[0] == var && is_zero(body, value),
            _ => false,
        }),
    }
}

fn stm_edges(stm: &Stm, edge: &mut impl FnMut(Atom, Var)) {
    let vars = &stm.vars;
    match &stm.op {
        Op::Scalar(op, atoms) => {
            let felt = atoms.iter().enumerate().filter(|(i, _)| depends(*op, *i));
            felt.for_each(|(_, a)| edge(*a, vars[0]));
        }
        Op::Custom(it) => {
            // An argument whose adjoint is always 0 is a constant.
            let pullback = &it.pullback.body;
            let adjoints = pullback.results.iter();
            for (argument, _) in it.arguments.iter().zip(adjoints).filter(|(_, adjoint)| !is_zero(pullback, **adjoint))
            {
                vars.iter().for_each(|var| edge(*argument, *var));
            }
        }
        op => {
            // What an array is made of goes into it; where, and how large it is, does not.
            dependences(stm, &mut |to, from, role| {
                if matches!(role, Role::Value | Role::Destination) {
                    edge(from, to);
                }
            });
            match op {
                Op::Loop(it) => body_edges(&it.body, edge),
                op => op.bodies().for_each(|body| body_edges(body, edge)),
            }
        }
    }
}

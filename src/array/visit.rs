//! Visits: every operand and every body of an operation, at any depth.
//!
//! Law: a variable that a body mentions is an operand in it or a result of it; what it mentions and does not bind is
//! from outside (laws: arrays).

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::iteration::Form;
use super::operation::{Class, Loop, Op, Opcode, Role};
use super::part::{Part, Walk, WalkMut};
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::scalar::ScalarOp;
use super::verify::deeper;

impl Op {
    /// Calls `visit` on every operand of the operation itself, not on those inside its bodies.
    pub fn atoms(&self, mut visit: impl FnMut(Atom)) {
        self.visit_operands(&mut |atom, _| visit(atom));
    }

    /// Calls `visit` on every operand of the operation itself, with what it is to the operation.
    pub(crate) fn operands(&self, mut visit: impl FnMut(Atom, Role)) {
        self.visit_operands(&mut visit);
    }

    /// As [`Op::operands`], compiled once and not for each function that visits.
    fn visit_operands(&self, visit: &mut dyn FnMut(Atom, Role)) {
        struct Operands<'v>(&'v mut dyn FnMut(Atom, Role));
        impl<'o> Walk<'o> for Operands<'_> {
            fn operand(&mut self, atom: &'o Atom, role: Role) {
                (self.0)(*atom, role);
            }
        }
        self.walk(Role::Value, &mut Operands(visit));
    }

    /// Calls `visit` on the numbers that are part of the operation, such as that of a dimension.
    pub(crate) fn numbers(&self, visit: impl FnMut(usize)) {
        struct Numbers<F>(F);
        impl<F: FnMut(usize)> Walk<'_> for Numbers<F> {
            fn number(&mut self, number: usize) {
                self.0(number);
            }
        }
        self.walk(Role::Value, &mut Numbers(visit));
    }

    /// Whether there may be more to do side by side inside of it.
    pub(crate) fn is_parallel(&self) -> bool {
        let inside = |body: &Body| body.stms.iter().any(|stm| stm.op.is_parallel());
        match self {
            Op::Loop(it) => inside(&it.body),
            Op::Custom(it) => inside(&it.function.body),
            op => op.class() == Class::Parallel || op.bodies().any(inside),
        }
    }

    /// The bodies of the operation, those of its functions too, in the order in which they are written.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let program = Program::parse("program (x: bool) { let y = if x { return 1.0f64 } else { return 2.0f64 } return y }")?;
    /// assert_eq!(program.function().body.stms[0].op.bodies().count(), 2);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        #[derive(Default)]
        struct Bodies<'o>(SmallVec<[&'o Body; 2]>);
        impl<'o> Walk<'o> for Bodies<'o> {
            fn body(&mut self, body: &'o Body) {
                self.0.push(body);
            }
        }
        let mut found = Bodies::default();
        self.walk(Role::Value, &mut found);
        found.0.into_iter()
    }

    /// The bodies of the operation, in the same order, to be changed.
    pub fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        #[derive(Default)]
        struct Bodies<'o>(SmallVec<[&'o mut Body; 2]>);
        impl<'o> WalkMut<'o> for Bodies<'o> {
            fn body(&mut self, body: &'o mut Body) {
                self.0.push(body);
            }
        }
        let mut found = Bodies::default();
        self.walk_mut(&mut found);
        found.0.into_iter()
    }

    /// What makes two operations the same once their operands and [numbers](Op::numbers) are; none if two that look the same are
    /// not, as accumulators are each their own, or if there is more to compare.
    pub(crate) fn key(&self) -> Option<Key> {
        let comparable = !matches!(self.class(), Class::Accumulator | Class::Control | Class::Foreign | Class::Check);
        match self {
            Op::Scalar(op, _) => Some(Key::from(*op)),
            Op::Copy(_) => None,
            op => (comparable && !has_bodies(op)).then(|| Key::from(op.opcode())),
        }
    }

    /// The bodies of the operation, by how they run.
    pub(crate) fn nested(&self) -> Nested<'_> {
        #[derive(Default)]
        struct Functions<'o>(SmallVec<[&'o Lambda; 2]>);
        impl<'o> Walk<'o> for Functions<'o> {
            fn function(&mut self, function: &'o Lambda) {
                self.0.push(function);
            }
        }
        match self {
            Op::If(_, yes, no) => Nested::Branches(yes, no),
            Op::Loop(it) => Nested::Loop(it),
            op => {
                let mut found = Functions::default();
                op.walk(Role::Value, &mut found);
                Nested::Functions(found.0)
            }
        }
    }
}

/// The kind of an operation, as value numbering compares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(Opcode, Option<ScalarOp>);

impl From<ScalarOp> for Key {
    fn from(op: ScalarOp) -> Self {
        Key(Opcode::Scalar, Some(op))
    }
}

impl From<Opcode> for Key {
    fn from(opcode: Opcode) -> Self {
        Key(opcode, None)
    }
}

/// The bodies of an operation, by how they run.
pub(crate) enum Nested<'o> {
    /// The functions that it applies; most operations have none.
    Functions(SmallVec<[&'o Lambda; 2]>),
    /// One of two bodies.
    Branches(&'o Body, &'o Body),
    /// A body, again and again.
    Loop(&'o Loop),
}

/// Calls `visit` on all operands of an operation, those in its bodies too.
pub(crate) fn atoms_of(op: &Op, visit: &mut dyn FnMut(Atom)) {
    op.atoms(&mut *visit);
    op.bodies().for_each(|body| atoms_in(body, visit));
}

/// Calls `visit` on all operands in a body.
pub(crate) fn atoms_in(body: &Body, visit: &mut dyn FnMut(Atom)) {
    body.results.iter().for_each(|a| visit(*a));
    body.stms.iter().for_each(|stm| atoms_of(&stm.op, visit));
}

/// Calls `visit` on every operand of the operation itself, to be changed, in the order of [`Op::atoms`].
pub(crate) fn atoms_mut(op: &mut Op, visit: &mut impl FnMut(&mut Atom)) {
    struct Operands<'f, F>(&'f mut F);
    impl<F: FnMut(&mut Atom)> WalkMut<'_> for Operands<'_, F> {
        fn operand(&mut self, atom: &mut Atom) {
            (self.0)(atom);
        }
    }
    op.walk_mut(&mut Operands(visit));
}

impl Program {
    /// How many statements there are, those of functions inside among them.
    #[must_use]
    pub fn statements(&self) -> usize {
        statements(&self.function.body)
    }
}

/// The statements of a body, those inside of others too.
pub(crate) fn statements(body: &Body) -> usize {
    deeper(|| body.stms.iter().map(|stm| 1 + stm.op.bodies().map(statements).sum::<usize>()).sum())
}

/// The variables that are bound for the bodies of an operation.
pub(crate) fn params(op: &Op) -> impl Iterator<Item = Var> {
    #[derive(Default)]
    struct Params(SmallVec<[Var; 8]>);
    impl Walk<'_> for Params {
        fn binder(&mut self, var: Var) {
            self.0.push(var);
        }
    }
    let mut found = Params::default();
    op.walk(Role::Value, &mut found);
    found.0.into_iter()
}

/// Whether an operation has bodies.
pub(crate) fn has_bodies(op: &Op) -> bool {
    op.bodies().next().is_some()
}

/// Whether an operation does something that is not in its results: it compares sizes, itself or in a body that runs.
pub(crate) fn has_effect(op: &Op) -> bool {
    let inside = |body: &Body| body.stms.iter().any(|stm| has_effect(&stm.op));
    match op {
        Op::Custom(it) => inside(&it.function.body),
        op => op.class() == Class::Check || op.bodies().any(inside),
    }
}

/// Adds the variables that are bound in a body, at any depth.
pub(crate) fn binders(body: &Body, into: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        into.extend(&stm.vars);
        into.extend(params(&stm.op));
        stm.op.bodies().for_each(|inner| binders(inner, into));
    }
}

/// The variables from outside that a function mentions, in the order in which it does.
pub(crate) fn mentioned(function: &Lambda) -> Vec<Var> {
    mentioned_by(&function.body, function.params.iter().copied())
}

/// The variables from outside that a body mentions, for which these are bound, in the order in which it does.
pub(crate) fn mentioned_by(body: &Body, params: impl IntoIterator<Item = Var>) -> Vec<Var> {
    let mut bound: FxHashSet<Var> = params.into_iter().collect();
    binders(body, &mut bound);
    let mut found = Vec::new();
    atoms_in(body, &mut |atom| found.extend(atom.var().filter(|var| bound.insert(*var))));
    found
}

/// The variables from outside that an operation mentions, also in its bodies, in the order in which it does.
pub(crate) fn free(op: &Op) -> Vec<Var> {
    let mut bound: FxHashSet<Var> = params(op).collect();
    op.bodies().for_each(|body| binders(body, &mut bound));
    let mut found = Vec::new();
    atoms_of(op, &mut |atom| found.extend(atom.var().filter(|var| bound.insert(*var))));
    found
}

/// Calls `visit` for each variable of a statement, and each that is bound for its bodies, with what it depends on and how: an
/// operand of the statement, or a result of a body. What is inside of the bodies is not looked at.
pub(crate) fn dependences(stm: &Stm, visit: &mut impl FnMut(Var, Atom, Role)) {
    let vars = &stm.vars;
    let mut operator = |it: &Lambda, operands: &[&Vec<Atom>]| {
        for (c, var) in vars.iter().enumerate() {
            // An operator is applied to what goes in, and to its own results; what is combined once goes through unchanged.
            for user in [*var, it.params[c], it.params[vars.len() + c]] {
                visit(user, it.body.results[c], Role::Value);
                operands.iter().for_each(|from| visit(user, from[c], Role::Value));
            }
        }
    };
    match &stm.op {
        Op::If(condition, yes, no) => {
            for (k, var) in vars.iter().enumerate() {
                visit(*var, *condition, Role::Condition);
                [yes, no].into_iter().for_each(|body| visit(*var, body.results[k], Role::Value));
            }
        }
        Op::Loop(it) => {
            for (k, (param, initial)) in it.params.iter().enumerate() {
                visit(vars[k], (*param).into(), Role::Value);
                [*initial, it.body.results[k]].into_iter().for_each(|a| visit(*param, a, Role::Value));
                match &it.form {
                    Form::For(_, bound) => visit(*param, *bound, Role::Condition),
                    Form::While { condition, bound } => {
                        bound.iter().chain(&condition.results).for_each(|a| visit(*param, *a, Role::Condition));
                    }
                }
            }
        }
        Op::Map(map) => {
            for (var, result) in vars.iter().zip(&map.function.body.results) {
                visit(*var, *result, Role::Value);
                visit(*var, map.arrays[0], Role::Shape);
            }
            let operands = map.arrays.iter().chain(&map.accumulators);
            map.function.params.iter().zip(operands).for_each(|(param, a)| visit(*param, *a, Role::Value));
            let values = vars.len() - map.accumulators.len();
            vars[values..].iter().zip(&map.accumulators).for_each(|(var, a)| visit(*var, *a, Role::Value));
        }
        Op::Reduce(it) | Op::Scan(it) => operator(&it.operator, &[&it.neutral, &it.arrays]),
        Op::Hist(it) => {
            operator(&it.operator, &[&it.neutral, &it.destinations, &it.values]);
            vars.iter().chain(&it.operator.params).for_each(|var| visit(*var, it.indices, Role::Index));
        }
        op => op.operands(|a, role| vars.iter().for_each(|var| visit(*var, a, role))),
    }
}

/// Takes out of a body, and of those inside, the statements that nothing after them uses, unless it is said that they stay.
pub(crate) fn sweep(body: &mut Body, used: &mut FxHashSet<Var>, stays: &impl Fn(&Stm) -> bool) {
    used.extend(body.results.iter().filter_map(|result| result.var()));
    let mut kept = Vec::new();
    for mut stm in core::mem::take(&mut body.stms).into_iter().rev() {
        if stays(&stm) || stm.vars.iter().any(|var| used.contains(var)) {
            deeper(|| stm.op.bodies_mut().for_each(|inner| sweep(inner, used, stays)));
            stm.op.atoms(|atom| used.extend(atom.var()));
            kept.push(stm);
        }
    }
    kept.reverse();
    body.stms = kept;
}

/// Which statements of a body results need, and the variables that these and the results mention.
pub(crate) fn needed(stms: &[Stm], results: &[Atom]) -> (Vec<bool>, FxHashSet<Var>) {
    let mut mentioned: FxHashSet<Var> = results.iter().filter_map(|result| result.var()).collect();
    let mut needed = vec![false; stms.len()];
    for (stm, needed) in stms.iter().zip(&mut needed).rev() {
        *needed = stm.vars.iter().any(|var| mentioned.contains(var));
        if *needed {
            atoms_of(&stm.op, &mut |atom| mentioned.extend(atom.var()));
        }
    }
    (needed, mentioned)
}

//! Copies of statements under other names, so that a scope can be executed again.
//!
//! Law: a copy computes what the original does, from the values its variables have been given. Accumulators can only be
//! added to, so where the values of a scope are recomputed, those that come from outside are omitted from the copy;
//! values that are already known are not computed again, and sizes that have been compared are not compared again
//! (tests/laws/programs.rs, tests/transform/rules.rs).

use rustc_hash::FxHashMap;

use super::target::Target;
use crate::array::{
    Atom, Body, Form, IntegerRow, Lambda, Loop, Map, Op, Operands, Policy, Program, Range, Rebuild, ScalarOp, Stm, Var,
    index,
};
use crate::error::Span;

/// A program that is read, and what its variables stand for in the one that is written.
pub(super) struct Copier<'p, 't> {
    pub(super) source: &'p Program,
    pub(super) target: &'t Target,
    /// By number; `None` for what the copy omits.
    values: Vec<Option<Atom>>,
    /// Values that statements are known to give.
    told: FxHashMap<Var, Atom>,
    /// Whether what is copied from here on is executed again.
    again: bool,
    rewrite: Option<&'t Rewrite<'t>>,
}

/// The results of a statement, where it is written in another way.
type Rewrite<'r> = dyn Fn(&mut Copier<'_, '_>, &Stm) -> Option<Vec<Atom>> + 'r;

/// The program with some statements written in another way.
pub(super) fn rewritten(program: &Program, rewrite: &Rewrite<'_>) -> Program {
    let target = Target::of(program.types.len());
    let params = target.parameters(program);
    let mut copier = Copier { rewrite: Some(rewrite), ..Copier::given(program, &target, &params) };
    copier.stms(&program.function.body.stms);
    let results = copier.atoms(&program.function.body.results);
    drop(copier);
    target.finish(results)
}

impl<'p, 't> Copier<'p, 't> {
    pub(super) fn new(source: &'p Program, target: &'t Target) -> Self {
        let values = vec![None; source.types.len()];
        Copier { source, target, values, told: FxHashMap::default(), again: false, rewrite: None }
    }

    /// A copier of a program whose first parameters stand for these.
    pub(super) fn given(source: &'p Program, target: &'t Target, params: &[Atom]) -> Self {
        let mut copier = Copier::new(source, target);
        source.function.params.iter().zip(params).for_each(|(param, value)| copier.set(*param, *value));
        copier
    }

    /// Says what a variable stands for.
    pub(super) fn set(&mut self, var: Var, value: Atom) {
        self.values[var.0 as usize] = Some(value);
    }

    /// Leaves a variable, an accumulator, out of what is copied.
    pub(super) fn leave_out(&mut self, var: Var) {
        self.values[var.0 as usize] = None;
    }

    /// Says which value a statement will give, so that it need not be computed.
    pub(super) fn tell(&mut self, var: Var, value: Atom) {
        self.told.insert(var, value);
    }

    /// From here on statements give what they compute.
    pub(super) fn untell(&mut self, var: Var) {
        self.told.remove(&var);
    }

    /// The value that a statement is known to give.
    pub(super) fn told(&self, var: Var) -> Option<Atom> {
        self.told.get(&var).copied()
    }

    /// Says that all has been executed once, with the values that it will have.
    pub(super) fn execute_again(&mut self) {
        self.again = true;
    }

    /// What an operand stands for.
    pub(super) fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Const(_) => atom,
            Atom::Var(var) => self.values[var.0 as usize].expect("a variable is bound before it is used"),
        }
    }

    /// What operands stand for.
    pub(super) fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        Rebuild::atoms(self, atoms)
    }

    /// What the numbers of ranges stand for.
    pub(super) fn ranges(&self, ranges: &[Range]) -> Vec<Range> {
        let of = |a: Atom| self.atom(a);
        ranges.iter().map(|r| Range { start: of(r.start), count: of(r.count), step: of(r.step) }).collect()
    }

    /// The same of the operands of a scalar operation.
    pub(super) fn operands(&self, atoms: &[Atom]) -> Operands {
        let mut operands = Operands::from_slice(atoms);
        operands.iter_mut().for_each(|a| *a = self.atom(*a));
        operands
    }

    /// Whether the copy has an operand.
    pub(super) fn kept(&self, atom: Atom) -> bool {
        match atom {
            Atom::Const(_) => true,
            Atom::Var(var) => !self.source.type_of(var).accumulator || self.values[var.0 as usize].is_some(),
        }
    }

    pub(super) fn kept_atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().filter(|a| self.kept(**a)).map(|a| self.atom(*a)).collect()
    }

    /// A new variable that an old one, a parameter, stands for.
    pub(super) fn parameter(&mut self, var: Var) -> Var {
        let fresh = self.target.fresh(self.source.type_of(var));
        self.set(var, fresh.into());
        fresh
    }

    /// Copies the statements of a body to the end of what is written.
    pub(super) fn stms(&mut self, stms: &[Stm]) {
        stms.iter().for_each(|stm| self.stm(stm));
    }

    /// A copy of a body, without the results that the copy omits.
    pub(super) fn body(&mut self, body: &Body) -> Body {
        let target = self.target;
        target.body(|| {
            self.stms(&body.stms);
            self.kept_atoms(&body.results)
        })
    }

    /// Copies a statement to the end of what is written.
    pub(super) fn stm(&mut self, stm: &Stm) {
        let around = self.target.span(stm.span);
        self.copy(stm);
        self.target.span(around);
    }

    fn copy(&mut self, stm: &Stm) {
        if let Some(results) = self.rewrite.and_then(|rewrite| rewrite(self, stm)) {
            return self.bind(stm, &results);
        }
        if !self.told.is_empty()
            && let Some(results) = stm.vars.iter().map(|v| self.told(*v)).collect::<Option<Vec<Atom>>>()
        {
            if let Op::Scalar(op, operands) = &stm.op {
                self.target.assume(*op, &self.operands(operands), results[0]);
            }
            return self.bind(stm, &results);
        }
        let results: Vec<Atom> = match &stm.op {
            Op::Scalar(op, atoms) => {
                let value = self.target.scalar(*op, &self.operands(atoms));
                return self.give(stm, value);
            }
            Op::Copy(a) => self.kept_atoms(&[*a]),
            Op::Size(a, dimension) => {
                let value = self.target.size(self.atom(*a), *dimension);
                return self.give(stm, value);
            }
            Op::If(condition, yes, no) => {
                let (yes, no) = (Box::new(self.body(yes)), Box::new(self.body(no)));
                self.target.emit(Op::If(self.atom(*condition), yes, no))
            }
            Op::Loop(it) => {
                let it = self.of_loop(it);
                self.target.emit(Op::Loop(Box::new(it)))
            }
            Op::Map(map) => {
                let told = |(var, result): (&Var, &Atom)| match result {
                    Atom::Var(result) => self.told(*var).map(|array| (*result, array)),
                    Atom::Const(_) => None,
                };
                let known: Vec<(Var, Atom)> =
                    stm.vars.iter().zip(&map.function.body.results).filter_map(told).collect();
                let map = self.map_knowing(map, &known);
                self.target.emit(Op::Map(Box::new(map)))
            }
            Op::Accumulate(a, indices, value) if self.kept(*a) => {
                let op = Op::Accumulate(self.atom(*a), self.atoms(indices), self.atom(*value));
                self.target.emit(op)
            }
            Op::Accumulate(..) => Vec::new(),
            Op::Agree(_) if self.again => Vec::new(),
            op => {
                let op = self.op(op);
                self.target.emit(op)
            }
        };
        self.bind(stm, &results);
        self.bind_told(stm);
    }

    /// Says what the one variable of a statement stands for.
    fn give(&mut self, stm: &Stm, value: Atom) {
        self.set(stm.vars[0], value);
        self.bind_told(stm);
    }

    /// Says what those variables of a statement stand for that are known without it.
    pub(super) fn bind_told(&mut self, stm: &Stm) {
        if !self.told.is_empty() {
            // Of what it gives, that is not asked for which is known without it.
            for var in &stm.vars {
                if let Some(value) = self.told(*var) {
                    self.set(*var, value);
                }
            }
        }
    }

    /// Records what the variables of a statement stand for, except those that the copy omits.
    pub(super) fn bind(&mut self, stm: &Stm, results: &[Atom]) {
        if results.len() == stm.vars.len() {
            stm.vars.iter().zip(results).for_each(|(var, atom)| self.set(*var, *atom));
            return;
        }
        let kept: Vec<bool> = match &stm.op {
            Op::Map(map) => {
                let values = stm.vars.len() - map.accumulators.len();
                (0..stm.vars.len()).map(|k| k < values || self.kept(map.accumulators[k - values])).collect()
            }
            Op::Loop(it) => it.params.iter().map(|(_, initial)| self.kept(*initial)).collect(),
            Op::If(_, yes, _) => yes.results.iter().map(|a| self.kept(*a)).collect(),
            _ => stm.vars.iter().map(|_| false).collect(),
        };
        let mut results = results.iter();
        for (var, kept) in stm.vars.iter().zip(kept) {
            if kept {
                self.set(*var, *results.next().expect("a copy has the results that are kept"));
            } else {
                self.leave_out(*var);
            }
        }
    }

    /// A copy of a map, some of whose results are known: what the function gives for those is an element of these arrays.
    fn map_knowing(&mut self, map: &Map, known: &[(Var, Atom)]) -> Map {
        let (mut arrays, accumulators) = (self.atoms(&map.arrays), self.kept_atoms(&map.accumulators));
        let (elements, collectors) = map.function.params.split_at(arrays.len());
        let mut params: Vec<Var> = elements.iter().map(|param| self.parameter(*param)).collect();
        for (result, array) in known {
            let element = self.target.fresh(self.target.type_of(*array).element());
            self.tell(*result, element.into());
            params.push(element);
            arrays.push(*array);
        }
        for (param, accumulator) in collectors.iter().zip(&map.accumulators) {
            if self.kept(*accumulator) {
                params.push(self.parameter(*param));
            } else {
                self.leave_out(*param);
            }
        }
        let function = Lambda { params, body: self.body(&map.function.body) };
        known.iter().for_each(|(result, _)| self.untell(*result));
        Map { function, arrays, accumulators }
    }

    /// The number of iterations of a loop.
    pub(super) fn iterations(&mut self, it: &Loop) -> Atom {
        let asked = match &it.form {
            Form::For(_, bound) => self.atom(*bound),
            Form::While { .. } => self.count(it),
        };
        self.target.indices(ScalarOp::Integer(IntegerRow::Max), asked, index(0))
    }

    /// The number of iterations of a loop that asks, found by running it.
    fn count(&mut self, it: &Loop) -> Atom {
        self.counted(it, 1, |copier, now| {
            copier.stms(&it.body.stms);
            vec![copier.target.indices(ScalarOp::Add, now[0], index(1))]
        })[0]
    }

    /// Numbers that are counted from 0 over the iterations of a loop, found by running it: `inside` writes the statements of
    /// an iteration, and returns the numbers after it.
    pub(super) fn counted(
        &mut self,
        it: &Loop,
        numbers: usize,
        inside: impl FnOnce(&mut Self, &[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let begun = vec![index(0); numbers];
        // What is added to an accumulator is not part of what is counted.
        let it = self.looped(it, false, &begun, |copier| copier.form(it), inside);
        let mut results = self.target.emit(Op::Loop(Box::new(Loop { policy: Policy::KeepAll, ..it })));
        results.split_off(results.len() - numbers)
    }

    /// How a copy of a loop whose variables have been bound knows when to end.
    pub(super) fn form(&mut self, it: &Loop) -> Form {
        match &it.form {
            Form::For(i, bound) => {
                let bound = self.atom(*bound);
                Form::For(self.parameter(*i), bound)
            }
            Form::While { condition, bound } => {
                let bound = bound.map(|b| self.atom(b));
                Form::While { condition: self.body(condition), bound }
            }
        }
    }

    /// A copy of a loop that carries more values, which begin as these: `inside` writes the statements of an iteration,
    /// and returns those values after it.
    pub(super) fn loop_with(
        &mut self,
        it: &Loop,
        more: &[Atom],
        inside: impl FnOnce(&mut Self, &[Atom]) -> Vec<Atom>,
    ) -> Loop {
        self.looped(it, true, more, |copier| copier.form(it), inside)
    }

    /// The same, with or without the accumulators, as long as `form` says.
    pub(super) fn looped(
        &mut self,
        it: &Loop,
        accumulators: bool,
        more: &[Atom],
        form: impl FnOnce(&mut Self) -> Form,
        inside: impl FnOnce(&mut Self, &[Atom]) -> Vec<Atom>,
    ) -> Loop {
        let is_kept = |(param, initial): &(Var, Atom)| {
            self.kept(*initial) && (accumulators || !self.source.type_of(*param).accumulator)
        };
        let (kept, gone): (Vec<_>, Vec<_>) = it.params.iter().copied().partition(is_kept);
        let initial: Vec<Atom> = kept.iter().map(|(_, initial)| self.atom(*initial)).collect();
        gone.iter().for_each(|(param, _)| self.leave_out(*param));
        let params = kept.iter().map(|(param, _)| self.parameter(*param));
        let mut params: Vec<(Var, Atom)> = params.zip(initial).collect();
        let (others, now) = self.target.carried(more.iter().copied());
        params.extend(others);
        let form = form(self);
        let target = self.target;
        let body = target.body(|| {
            let next = inside(self, &now);
            let mut results = self.kept_atoms(&it.body.results);
            results.extend(next);
            results
        });
        Loop { params, form, body, policy: it.policy }
    }
}

/// A copy of an operation that leaves nothing out but from loops and maps.
impl Rebuild for Copier<'_, '_> {
    fn atom(&self, atom: Atom) -> Atom {
        Copier::atom(self, atom)
    }

    fn body(&mut self, body: &Body) -> Body {
        Copier::body(self, body)
    }

    fn bind(&mut self, var: Var) -> Var {
        self.parameter(var)
    }

    fn of_loop(&mut self, it: &Loop) -> Loop {
        self.loop_with(it, &[], |copier, _| {
            copier.stms(&it.body.stms);
            Vec::new()
        })
    }

    fn of_map(&mut self, map: &Map) -> Map {
        self.map_knowing(map, &[])
    }
}

/// Where the results of a body are made. A size of a result that is negative is a mistake of the statement that makes it, also
/// where what is said of its derivative is the first to find it.
pub(super) fn spans_of_results(body: &Body) -> FxHashMap<Atom, Span> {
    let mut spans: FxHashMap<Atom, Span> = body.results.iter().map(|result| (*result, Span::UNKNOWN)).collect();
    for stm in &body.stms {
        for var in &stm.vars {
            if let Some(span) = spans.get_mut(&Atom::Var(*var)) {
                *span = stm.span.derivative();
            }
        }
    }
    spans
}

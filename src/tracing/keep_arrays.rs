//! Arrays kept: statements stay, and the control flow around them is unrolled.
//!
//! The program is run statement by statement. A branch that is taken and the iterations of a loop are written out; an
//! array operation is written as it is, and so is its function, in which only what does not depend on an element is
//! decided.
//!
//! Law: what is written computes what the run computes wherever the decisions come out as they did. The decisions in a
//! function are on variables around it, and are computed there again. Where it is not known that a function runs at
//! all, such as that of a map over nothing, its loops stay ("Maintaining parallelism in reverse-mode automatic
//! differentiation on functional parallel array languages", *Array Tracing* where arrays are kept; its vectorised map
//! is our lambda) (laws: tracing::computes_the_same, tests/array/tracing.rs).

use rustc_hash::FxHashMap;

use super::known::Known;
use super::record::{Decision, Record};
use crate::array::{
    Atom, Body, Const, Form, IntegerRow, Lambda, Loop, Map, Op, Program, Rebuild, Reduce, ScalarOp, Stm, Type, Var,
    deeper, index, text,
};
use crate::error::{Result, Span};
use crate::interpret::{Fault, Limits, Machine, Scalar, Step, VERIFIED, Value};

/// The program without the control flow that is decided at these arguments, which fit it.
pub(super) fn keep_arrays(
    program: &Program,
    arguments: &[Value<f64>],
    limits: &Limits,
) -> Result<(Program, Vec<Decision>)> {
    let machine = Machine::new(program, limits, ());
    let mut walk = Walk {
        machine,
        record: Record::new(),
        names: FxHashMap::default(),
        known: Known::default(),
        inside: false,
        certain: true,
        fault: None,
    };
    let body = &program.function.body;
    let walked = walk.parameters(arguments).and_then(|params| {
        walk.stms(&body.stms)?;
        Ok((params, walk.atoms(&body.results)))
    });
    let (params, results) = walked.map_err(|fault| fault.within(Span::UNKNOWN, || text::signature(program)))?;
    Ok(walk.record.finish(program.names.clone(), params, results))
}

struct Walk<'p> {
    machine: Machine<'p, f64>,
    record: Record,
    /// What the variables of the program stand for in the trace.
    names: FxHashMap<Var, Atom>,
    /// What is known of the variables of the trace.
    known: Known,
    /// Whether this is in the function of an array operation, which is written and not run.
    inside: bool,
    /// Whether what is written runs at least once.
    certain: bool,
    /// A limit that was reached inside of a function.
    fault: Option<Fault>,
}

/// The value of a variable or result, and its name.
type Item = (Value<f64>, Atom);

impl Walk<'_> {
    fn of(&self, var: Var) -> Type {
        self.machine.program().type_of(var)
    }

    fn parameters(&mut self, arguments: &[Value<f64>]) -> Step<Vec<Var>> {
        let params = &self.machine.program().function.params;
        let fresh: Vec<Var> = params.iter().map(|p| self.record.fresh(self.of(*p))).collect();
        for ((param, var), value) in params.iter().zip(&fresh).zip(arguments) {
            self.bind(*param, (value.clone(), (*var).into()))?;
        }
        Ok(fresh)
    }

    fn bind(&mut self, var: Var, (value, atom): Item) -> Step<()> {
        self.known.note(atom, &value);
        self.names.insert(var, atom);
        self.machine.bind(var, value)
    }

    fn item(&self, atom: Atom) -> Item {
        (self.machine.get(atom), self.atom(atom))
    }

    fn stms(&mut self, stms: &[Stm]) -> Step<()> {
        deeper(|| {
            for stm in stms {
                let around = self.record.span(stm.span);
                let done = if self.inside { self.write(stm) } else { self.run(stm) };
                self.record.span(around);
                done.map_err(|fault| Fault::Inside(self.machine.located(fault, stm)))?;
            }
            Ok(())
        })
    }

    /// The results of a body that is run here.
    fn scope(&mut self, body: &Body) -> Step<Vec<Item>> {
        self.stms(&body.stms)?;
        let results = body.results.iter().map(|a| self.item(*a)).collect();
        body.stms.iter().flat_map(|stm| &stm.vars).for_each(|v| self.machine.release(*v));
        Ok(results)
    }

    /// Runs a statement, and writes what is left of it.
    fn run(&mut self, stm: &Stm) -> Step<()> {
        match &stm.op {
            Op::If(condition, yes, no) => {
                let branch = if self.truth(*condition) { yes } else { no };
                let results = self.scope(branch)?;
                stm.vars.iter().zip(results).try_for_each(|(var, item)| self.bind(*var, item))
            }
            Op::Loop(it) => self.repeat(stm, it),
            op => {
                let atoms = self.rewritten(stm, op)?;
                self.machine.statement(stm)?;
                for (var, atom) in stm.vars.iter().zip(atoms) {
                    self.known.note(atom, &self.machine.get((*var).into()));
                    self.names.insert(*var, atom);
                }
                Ok(())
            }
        }
    }

    /// What a statement binds in the trace. Of integers and truth values of constants nothing is written.
    fn rewritten(&mut self, stm: &Stm, op: &Op) -> Step<Vec<Atom>> {
        if let Op::Copy(a) = op {
            return Ok(vec![self.atom(*a)]);
        }
        if let Op::Scalar(scalar, atoms) = op {
            let atoms = self.atoms(atoms);
            let constants = atoms.iter().all(|a| matches!(a, Atom::Const(_)));
            if constants
                && !(self.inside && can_fail(*scalar))
                && let Some(constant) = self.known.folded(*scalar, &atoms)?
            {
                return Ok(vec![constant.into()]);
            }
        }
        // What is in these runs as often as there are values for it, which may be never.
        let sometimes = matches!(op, Op::Hist(_) | Op::Custom(_) | Op::If(..));
        let op = self.within(!sometimes, |walk| walk.op(op));
        self.add(stm, op)
    }

    /// Adds the operation that remains of a statement, and returns what it binds.
    fn add(&mut self, stm: &Stm, op: Op) -> Step<Vec<Atom>> {
        self.fault.take().map_or(Ok(()), Err)?;
        let types: Vec<Type> = stm.vars.iter().map(|v| self.of(*v)).collect();
        Ok(self.record.add(op, &types).into_iter().map(Atom::Var).collect())
    }

    /// Writes what is only there as often as `certain` says.
    fn within<T>(&mut self, certain: bool, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.certain;
        self.certain &= certain;
        let written = write(self);
        self.certain = before;
        written
    }

    /// The truth value that an operand has here, as a decision.
    fn truth(&mut self, condition: Atom) -> bool {
        let Scalar::Bool(truth) = self.machine.scalar(condition) else { panic!("{VERIFIED}") };
        self.record.decide(self.atom(condition), Const::Bool(truth));
        truth
    }

    /// The number that an operand is here, as a decision.
    fn number(&mut self, of: Atom) -> i64 {
        let Scalar::I64(n) = self.machine.scalar(of) else { panic!("{VERIFIED}") };
        self.record.decide(self.atom(of), Const::I64(n));
        n
    }

    fn repeat(&mut self, stm: &Stm, it: &Loop) -> Step<()> {
        let names: Vec<Atom> = it.params.iter().map(|(_, initial)| self.atom(*initial)).collect();
        let values = it.params.iter().map(|(_, initial)| self.machine.take(stm, *initial));
        let mut state: Vec<Item> = values.collect::<Vec<_>>().into_iter().zip(names).collect();
        let bound = match &it.form {
            Form::For(_, bound) => Some(self.number(*bound)),
            Form::While { bound, .. } => bound.map(|bound| self.number(bound)),
        };
        for iteration in 0.. {
            if matches!(it.form, Form::For(..)) && bound.is_some_and(|bound| iteration >= bound) {
                break;
            }
            self.machine.step()?;
            it.params.iter().zip(state).try_for_each(|((param, _), item)| self.bind(*param, item))?;
            match &it.form {
                Form::For(i, _) => self.bind(*i, (Value::from(iteration), index(iteration)))?,
                Form::While { condition, .. } => {
                    let more = self.scope(condition)?.pop().expect("a condition has one result");
                    let Value::Scalar(Scalar::Bool(go_on)) = more.0 else { panic!("{VERIFIED}") };
                    self.record.decide(more.1, Const::Bool(go_on));
                    if !go_on {
                        state = it.params.iter().map(|(param, _)| self.item((*param).into())).collect();
                        it.params.iter().for_each(|(param, _)| self.machine.release(*param));
                        break;
                    }
                    if let Some(bound) = bound.filter(|bound| iteration >= *bound) {
                        return Err(Fault::LoopBound(bound));
                    }
                }
            }
            state = self.scope(&it.body)?;
            it.params.iter().for_each(|(param, _)| self.machine.release(*param));
        }
        stm.vars.iter().zip(state).try_for_each(|(var, item)| self.bind(*var, item))
    }
}

/// In functions, which are written and not run.
impl Walk<'_> {
    /// Writes a statement of a function, or what is left of it where its course is known.
    fn write(&mut self, stm: &Stm) -> Step<()> {
        let atoms = match &stm.op {
            Op::If(condition, yes, no) => match self.known.truth(self.atom(*condition)) {
                Some(truth) => {
                    self.decide(*condition, Const::Bool(truth));
                    let branch = if truth { yes } else { no };
                    self.stms(&branch.stms)?;
                    self.atoms(&branch.results)
                }
                None => self.rewritten(stm, &stm.op)?,
            },
            Op::Loop(it) if self.certain => match &it.form {
                Form::For(i, bound) => match self.known.number(self.atom(*bound)) {
                    Some(times) => {
                        self.decide(*bound, Const::I64(times));
                        self.unrolled(it, *i, times)?
                    }
                    None => self.rewritten(stm, &stm.op)?,
                },
                Form::While { condition, bound: None } => self.peeled(stm, it, condition)?,
                Form::While { bound: Some(_), .. } => self.rewritten(stm, &stm.op)?,
            },
            op => {
                let atoms = self.rewritten(stm, op)?;
                self.derive(op, &atoms);
                atoms
            }
        };
        self.names.extend(stm.vars.iter().copied().zip(atoms));
        Ok(())
    }

    /// What is known of the result of an operation, if its operands are.
    fn derive(&mut self, op: &Op, results: &[Atom]) {
        match op {
            Op::Scalar(scalar, atoms) if !can_fail(*scalar) => {
                let atoms = self.atoms(atoms);
                self.known.computed(results[0], *scalar, atoms);
            }
            Op::Size(array, dimension) => self.known.sized(results[0], self.atom(*array), *dimension),
            _ => {}
        }
    }

    /// Notes a decision on something known, around the function it was met in.
    fn decide(&mut self, on: Atom, outcome: Const) {
        let on = self.atom(on);
        let outside = self.known.outside(on, &self.record);
        self.record.decide(outside, outcome);
    }

    fn unrolled(&mut self, it: &Loop, i: Var, times: i64) -> Step<Vec<Atom>> {
        let mut state: Vec<Atom> = it.params.iter().map(|(_, initial)| self.atom(*initial)).collect();
        for iteration in 0..times.max(0) {
            self.machine.step()?;
            self.names.insert(i, index(iteration));
            state = self.iteration(it, state)?;
        }
        Ok(state)
    }

    fn iteration(&mut self, it: &Loop, state: Vec<Atom>) -> Step<Vec<Atom>> {
        self.names.extend(it.params.iter().map(|(param, _)| *param).zip(state));
        self.stms(&it.body.stms)?;
        Ok(self.atoms(&it.body.results))
    }

    /// The iterations of which it is known that they take place, and the loop that is left, if it is not known to end.
    fn peeled(&mut self, stm: &Stm, it: &Loop, condition: &Body) -> Step<Vec<Atom>> {
        let params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
        let mut state: Vec<Atom> = it.params.iter().map(|(_, initial)| self.atom(*initial)).collect();
        loop {
            self.machine.step()?;
            self.names.extend(params.iter().copied().zip(state.iter().copied()));
            self.stms(&condition.stms)?;
            let Some(more) = self.known.truth(self.atom(condition.results[0])) else { break };
            self.decide(condition.results[0], Const::Bool(more));
            if !more {
                return Ok(state);
            }
            state = self.iteration(it, state)?;
        }
        let rest = self.loop_from(it, state);
        self.add(stm, Op::Loop(Box::new(rest)))
    }

    /// A loop that stays, from these first values.
    fn loop_from(&mut self, it: &Loop, initial: Vec<Atom>) -> Loop {
        let bound = match &it.form {
            Form::For(_, bound) | Form::While { bound: Some(bound), .. } => Some(self.atom(*bound)),
            Form::While { bound: None, .. } => None,
        };
        let params: Vec<(Var, Atom)> = it.params.iter().map(|(p, _)| self.parameter(*p)).zip(initial).collect();
        self.within(false, |walk| {
            let form = match &it.form {
                Form::For(i, _) => Form::For(walk.parameter(*i), bound.expect("a loop that counts has a bound")),
                Form::While { condition, .. } => Form::While { condition: walk.body(condition), bound },
            };
            Loop { params, form, body: walk.body(&it.body), policy: it.policy }
        })
    }

    /// A new variable for a parameter of a function or loop that stays.
    fn parameter(&mut self, param: Var) -> Var {
        let fresh = self.record.fresh(self.of(param));
        self.names.insert(param, fresh.into());
        fresh
    }
}

/// Whether an operation has no value for some operands.
fn can_fail(op: ScalarOp) -> bool {
    use IntegerRow::{Div, Mod, Pow, Quot, Rem};
    matches!(op, ScalarOp::Integer(Div | Mod | Quot | Rem | Pow))
}

impl Rebuild for Walk<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => *self.names.get(&var).expect("a variable is bound before it is used"),
            Atom::Const(_) => atom,
        }
    }

    fn body(&mut self, body: &Body) -> Body {
        self.record.open();
        let outer = core::mem::replace(&mut self.inside, true);
        if let Err(fault) = self.stms(&body.stms) {
            self.fault.get_or_insert(fault);
        }
        self.inside = outer;
        let results = if self.fault.is_none() { self.atoms(&body.results) } else { Vec::new() };
        self.record.close(results)
    }

    fn bind(&mut self, var: Var) -> Var {
        self.parameter(var)
    }

    fn of_loop(&mut self, it: &Loop) -> Loop {
        let initial = it.params.iter().map(|(_, a)| self.atom(*a)).collect();
        self.loop_from(it, initial)
    }

    /// The rows of what is mapped have sizes that are known.
    fn of_map(&mut self, map: &Map) -> Map {
        let (arrays, accumulators) = (self.atoms(&map.arrays), self.atoms(&map.accumulators));
        let params: Vec<Var> = map.function.params.iter().map(|p| self.parameter(*p)).collect();
        params.iter().zip(&arrays).for_each(|(param, array)| self.known.row(*param, *array));
        let runs = self.known.length(arrays[0]).is_some_and(|length| length > 0);
        let body = self.within(runs, |walk| walk.body(&map.function.body));
        Map { function: Lambda { params, body }, arrays, accumulators }
    }

    fn of_reduce(&mut self, it: &Reduce) -> Reduce {
        let (neutral, arrays) = (self.atoms(&it.neutral), self.atoms(&it.arrays));
        let runs = self.known.length(arrays[0]).is_some_and(|length| length > 0);
        let operator = self.within(runs, |walk| walk.lambda(&it.operator));
        Reduce { operator, neutral, arrays, commutative: it.commutative }
    }
}

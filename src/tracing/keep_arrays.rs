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
use super::record::{Outcome, Record, Recorded};
use crate::array::{
    Atom, Body, Const, Form, IntegerRow, Lambda, Loop, Map, Op, Program, Rebuild, Reduce, ScalarOp, Stm, Var, deeper,
    index, text,
};
use crate::error::{Result, Span};
use crate::interpret::{Fault, Limits, Machine, Step, Value};

/// The program without the control flow that is decided at these arguments, which fit it.
pub(super) fn keep_arrays(program: &Program, arguments: &[Value<f64>], limits: &Limits) -> Result<Recorded> {
    let machine = Machine::new(program, limits, ());
    let mut walk = Walk {
        machine,
        record: Record::default(),
        names: FxHashMap::default(),
        known: Known::default(),
        inside: false,
        certain: true,
        fault: None,
    };
    let body = &program.function.body;
    let walked = walk.parameters(arguments).and_then(|()| walk.stms(&body.stms));
    walked.map_err(|fault| fault.within(Span::UNKNOWN, || text::signature(program)))?;
    let results = walk.atoms(&body.results);
    Ok(walk.record.finish(results))
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

/// The value of a variable or result, where it is computed, and its name.
type Item = (Option<Value<f64>>, Atom);

impl Walk<'_> {
    fn parameters(&mut self, arguments: &[Value<f64>]) -> Step<()> {
        let program = self.machine.program();
        let names = self.record.parameters(program).into_iter().map(Atom::Var);
        let mut items = arguments.iter().cloned().map(Some).zip(names);
        program.function.params.iter().zip(&mut items).try_for_each(|(param, item)| self.bind(*param, item))
    }

    fn bind(&mut self, var: Var, (value, atom): Item) -> Step<()> {
        self.names.insert(var, atom);
        let Some(value) = value else { return Ok(()) };
        self.known.note(atom, &value);
        self.machine.bind(var, value)
    }

    fn item(&self, atom: Atom) -> Item {
        ((!self.inside).then(|| self.machine.get(atom)), self.atom(atom))
    }

    fn stms(&mut self, stms: &[Stm]) -> Step<()> {
        deeper(|| {
            for stm in stms {
                let around = self.record.span(stm.span);
                let done = self.stm(stm);
                self.record.span(around);
                done.map_err(|fault| Fault::Inside(self.machine.located(fault, stm)))?;
            }
            Ok(())
        })
    }

    /// The results of a body whose statements become part of the one around it.
    fn scope(&mut self, body: &Body) -> Step<Vec<Item>> {
        self.stms(&body.stms)?;
        let results = body.results.iter().map(|a| self.item(*a)).collect();
        self.release(body.stms.iter().flat_map(|stm| stm.vars.iter().copied()));
        Ok(results)
    }

    fn release(&mut self, vars: impl Iterator<Item = Var>) {
        vars.for_each(|var| self.machine.release(var));
    }

    /// Writes a statement, or what is left of it where its course is known. Outside of functions it runs too, and so is known.
    fn stm(&mut self, stm: &Stm) -> Step<()> {
        let items = match &stm.op {
            Op::If(condition, yes, no) if self.known.truth(self.atom(*condition)).is_some() => {
                let truth = self.truth(self.atom(*condition)).expect("it is known");
                self.scope(if truth { yes } else { no })?
            }
            Op::Loop(it) if self.is_unrolled(it) => self.unrolled(stm, it)?,
            op => {
                let atoms = self.rewritten(stm)?;
                if self.inside {
                    self.derive(op, &atoms);
                } else {
                    self.machine.statement(stm)?;
                    let values = stm.vars.iter().map(|var| self.machine.get((*var).into()));
                    atoms.iter().zip(values).for_each(|(atom, value)| self.known.note(*atom, &value));
                }
                self.names.extend(stm.vars.iter().copied().zip(atoms));
                return Ok(());
            }
        };
        stm.vars.iter().zip(items).try_for_each(|(var, item)| self.bind(*var, item))
    }

    /// What a statement binds in the trace. Of integers and truth values of constants nothing is written.
    fn rewritten(&mut self, stm: &Stm) -> Step<Vec<Atom>> {
        let op = &stm.op;
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
        self.add(op)
    }

    /// Adds the operation that remains of a statement, and returns what it binds.
    fn add(&mut self, op: Op) -> Step<Vec<Atom>> {
        self.fault.take().map_or(Ok(()), Err)?;
        Ok(self.record.add(op).into_iter().map(Atom::Var).collect())
    }

    /// Writes what is only there as often as `certain` says.
    fn within<T>(&mut self, certain: bool, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.certain;
        self.certain &= certain;
        let written = write(self);
        self.certain = before;
        written
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

    /// The truth value that a name is known to have, as a decision.
    fn truth(&mut self, on: Atom) -> Option<bool> {
        let truth = self.known.truth(on)?;
        self.decide(on, Const::Bool(truth));
        Some(truth)
    }

    /// Notes a decision on something known, around the function it was met in.
    fn decide(&mut self, on: Atom, outcome: Const) {
        let outside = self.known.outside(on, &self.record);
        self.record.decide(outside, Outcome::Value(outcome));
    }

    /// Whether a loop is written iteration by iteration, as far as they are known to take place.
    fn is_unrolled(&self, it: &Loop) -> bool {
        !self.inside
            || self.certain
                && match &it.form {
                    Form::For(_, bound) => self.known.number(self.atom(*bound)).is_some(),
                    Form::While { bound, .. } => bound.is_none(),
                }
    }

    /// The iterations of which it is known that they take place, and the loop that is left, if it is not known to end.
    fn unrolled(&mut self, stm: &Stm, it: &Loop) -> Step<Vec<Item>> {
        let bound = match &it.form {
            Form::For(_, bound) => Some(*bound),
            Form::While { bound, .. } => *bound,
        };
        let bound = bound.map(|bound| {
            let (on, bound) = (self.atom(bound), self.known.number(self.atom(bound)).expect("it is known"));
            self.decide(on, Const::I64(bound));
            bound
        });
        let params = || it.params.iter().map(|(param, _)| *param);
        let first = |(_, initial): &(Var, Atom)| {
            let name = self.atom(*initial);
            ((!self.inside).then(|| self.machine.take(stm, *initial)), name)
        };
        let mut state: Vec<Item> = it.params.iter().map(first).collect();
        for iteration in 0.. {
            if matches!(it.form, Form::For(..)) && bound.is_some_and(|bound| iteration >= bound) {
                break;
            }
            self.machine.step()?;
            params().zip(state).try_for_each(|(param, item)| self.bind(param, item))?;
            match &it.form {
                Form::For(i, _) => {
                    let value = (!self.inside).then(|| Value::from(iteration));
                    self.bind(*i, (value, index(iteration)))?;
                }
                Form::While { condition, .. } => {
                    let (_, more) = self.scope(condition)?.pop().expect("a condition has one result");
                    let Some(go_on) = self.truth(more) else {
                        let rest = self.loop_from(it, params().map(|param| self.atom(param.into())).collect());
                        let atoms = self.add(Op::Loop(Box::new(rest)))?;
                        return Ok(atoms.into_iter().map(|atom| (None, atom)).collect());
                    };
                    if !go_on {
                        state = params().map(|param| self.item(param.into())).collect();
                        self.release(params());
                        break;
                    }
                    if let Some(bound) = bound.filter(|bound| iteration >= *bound) {
                        return Err(Fault::LoopBound(bound));
                    }
                }
            }
            state = self.scope(&it.body)?;
            self.release(params());
        }
        Ok(state)
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
        let fresh = self.record.fresh(self.machine.program().type_of(param));
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

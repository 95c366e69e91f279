//! The machine: variables with their values, and statements carried out in order.
//!
//! Law: a variable has at most one value at a time, since a body that runs again binds it again; loops are loops, and
//! recursion is as deep as the program's text only (tests/array/interpret.rs).

use rustc_hash::FxHashMap;

use super::arrays;
use super::budget::{Budget, Fault, LoopUsage, Step, Usage};
use super::contiguous::{Rows, count};
use super::control::Control;
use super::last_use::LastUses;
use super::scalar::{Arithmetic, VERIFIED};
use super::soac::array;
use super::value::{Array, Origin, Scalar, Value};
use crate::array::{Agree, Atom, Body, Extent, Form, Lambda, Loop, Op, Program, Stm, Var, deeper, text};
use crate::error::Error;

/// A program that verifies, and the state of its run.
pub(crate) struct Machine<'p, C: Arithmetic> {
    program: &'p Program,
    /// The value of every variable in scope, by number.
    values: Vec<Option<Value<C>>>,
    last_uses: LastUses,
    pub(super) budget: Budget<'p>,
    loops: FxHashMap<Var, LoopUsage>,
    /// What the scalars note.
    pub(crate) log: C::Log,
}

/// The elements that a variable of this value holds.
fn weight<C>(value: &Value<C>) -> usize {
    match value {
        Value::Scalar(_) => 0,
        Value::Array(array) => array.elements().len(),
    }
}

impl<'p, C: Arithmetic> Machine<'p, C> {
    pub(crate) fn new(program: &'p Program, control: impl Into<Control<'p>>, log: C::Log) -> Self {
        let values = program.types.iter().map(|_| None).collect();
        let (last_uses, budget) = (LastUses::of(program), Budget::new(control.into()));
        Machine { program, values, last_uses, budget, loops: FxHashMap::default(), log }
    }

    /// What the run has taken.
    pub(super) fn usage(self) -> Usage {
        let (steps, memory) = self.budget.taken();
        let mut loops: Vec<LoopUsage> = self.loops.into_values().collect();
        loops.sort_unstable_by_key(|it| it.var);
        Usage { steps, elements: memory.peak, moved: memory.moved, allocated: memory.allocated, loops }
    }

    /// The program that is run.
    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    /// Takes a step of those that are allowed.
    pub(crate) fn step(&mut self) -> Step<()> {
        self.budget.step()
    }

    /// The value of an operand.
    pub(crate) fn get(&self, atom: Atom) -> Value<C> {
        match atom {
            Atom::Var(var) => self.values[var.0 as usize].clone().expect("a variable is bound before it is used"),
            Atom::Const(constant) => Value::Scalar(C::constant(constant)),
        }
    }

    /// The value of an operand, which its variable gives away if this is its last use.
    pub(crate) fn take(&mut self, stm: &Stm, atom: Atom) -> Value<C> {
        let value = self.get(atom);
        if let Atom::Var(var) = atom
            && self.last_uses.may_take(stm, var)
        {
            self.release(var);
        }
        value
    }

    pub(crate) fn scalar(&self, atom: Atom) -> Scalar<C> {
        let Value::Scalar(scalar) = self.get(atom) else { panic!("{VERIFIED}") };
        scalar
    }

    fn integer(&self, atom: Atom) -> i64 {
        C::index(&self.log, &self.scalar(atom))
    }

    fn integers(&self, atoms: &[Atom]) -> Vec<i64> {
        atoms.iter().map(|a| self.integer(*a)).collect()
    }

    pub(super) fn array(&self, atom: Atom) -> Array<C> {
        array(self.get(atom))
    }

    pub(super) fn arrays(&self, atoms: &[Atom]) -> Vec<Array<C>> {
        atoms.iter().map(|a| self.array(*a)).collect()
    }

    pub(crate) fn bind(&mut self, var: Var, value: Value<C>) -> Step<()> {
        self.budget.hold(weight(&value))?;
        let value = C::bound(&self.log, var, value);
        self.values[var.0 as usize] = Some(value);
        Ok(())
    }

    pub(crate) fn release(&mut self, var: Var) {
        if let Some(value) = self.values[var.0 as usize].take() {
            self.budget.release(weight(&value));
        }
    }

    /// The results of a function.
    pub(crate) fn apply(&mut self, lambda: &Lambda, arguments: Vec<Value<C>>) -> Step<Vec<Value<C>>> {
        lambda.params.iter().zip(arguments).try_for_each(|(p, value)| self.bind(*p, value))?;
        let results = self.body(&lambda.body)?;
        lambda.params.iter().for_each(|p| self.release(*p));
        Ok(results)
    }

    pub(super) fn body(&mut self, body: &Body) -> Step<Vec<Value<C>>> {
        deeper(|| {
            for stm in &body.stms {
                let around = C::span(&self.log, stm.span);
                let done = self.results(stm).and_then(|results| {
                    self.release_ended(stm);
                    self.bind_all(stm, results)
                });
                C::span(&self.log, around);
                done.map_err(|fault| Fault::Inside(self.located(fault, stm)))?;
            }
            let results = body.results.iter().map(|a| self.get(*a)).collect();
            body.stms.iter().flat_map(|stm| &stm.vars).for_each(|v| self.release(*v));
            Ok(results)
        })
    }

    pub(crate) fn located(&self, fault: Fault, stm: &Stm) -> Error {
        fault.within(stm.span, || text::head(self.program, stm))
    }

    /// Carries out a statement of the program, and leaves arrays that nothing needs any more where they are.
    pub(crate) fn statement(&mut self, stm: &Stm) -> Step<()> {
        let results = self.results(stm)?;
        self.bind_all(stm, results)
    }

    /// Lets go of the arrays that nothing needs after a statement.
    fn release_ended(&mut self, stm: &Stm) {
        let Machine { last_uses, values, budget, .. } = self;
        for var in last_uses.ended_by(stm) {
            if let Some(value) = values[var.0 as usize].take() {
                budget.release(weight(&value));
            }
        }
    }

    fn bind_all(&mut self, stm: &Stm, results: Vec<Value<C>>) -> Step<()> {
        stm.vars.iter().zip(results).try_for_each(|(var, value)| self.bind(*var, value))
    }

    fn results(&mut self, stm: &Stm) -> Step<Vec<Value<C>>> {
        self.budget.step()?;
        let one = match &stm.op {
            Op::If(condition, yes, no) => {
                let branch = if C::truth(&self.log, &self.scalar(*condition)) { yes } else { no };
                return self.body(branch);
            }
            Op::Loop(it) => return self.repeat(stm, it),
            Op::Map(map) => return self.map(stm, map),
            Op::Reduce(it) => return self.reduce(it),
            Op::Scan(it) => return self.scan(it),
            Op::Hist(it) => return self.hist(stm, it),
            Op::Scatter(it) => return self.scatter(stm, it),
            Op::Custom(it) => {
                let arguments: Vec<Value<C>> = it.arguments.iter().map(|a| self.get(*a)).collect();
                return match C::custom(self, it, &arguments)? {
                    Some(results) => Ok(results),
                    None => self.apply(&it.function, arguments),
                };
            }
            Op::Foreign(it) => {
                let [arguments, like] = [&it.arguments, &it.like].map(|atoms| atoms.iter().map(|a| self.get(*a)));
                let (arguments, like): (Vec<Value<C>>, Vec<Value<C>>) = (arguments.collect(), like.collect());
                return C::foreign(self, it, arguments, &like);
            }
            Op::Agree(it) => return self.agree(it).map(|()| Vec::new()),

            Op::Scalar(op, atoms) => {
                let operands: Vec<Scalar<C>> = atoms.iter().map(|a| self.scalar(*a)).collect();
                Value::Scalar(C::apply(&self.log, *op, &operands)?)
            }
            Op::Copy(a) | Op::ToAccumulator(a) | Op::FromAccumulator(a) => self.take(stm, *a),
            Op::Iota(n) => Value::Array(arrays::iota(&self.budget, self.integer(*n))?),
            Op::Replicate(n, a) => Value::Array(arrays::replicate(&self.budget, self.integer(*n), &self.get(*a))?),
            Op::Elements(atoms) => {
                let mut rows = Rows::new(0);
                for atom in atoms {
                    let row = self.get(*atom);
                    arrays::push(&mut self.budget, &mut rows, &row)?;
                }
                Value::Array(arrays::finish(&mut self.budget, rows, &[]))
            }
            Op::Size(a, dimension) => {
                // Sizes without elements can pass the largest integer; none that does is a size of an array.
                let size = self.array(*a).sizes()[*dimension];
                Value::Scalar(Scalar::I64(i64::try_from(size).unwrap_or(i64::MAX)))
            }
            Op::Index(a, indices) => match self.get(*a) {
                Value::Array(array) => arrays::index(&array, &self.integers(indices))?,
                scalar @ Value::Scalar(_) => scalar,
            },
            Op::Slice(a, ranges) => {
                let ranges: Vec<[i64; 3]> =
                    ranges.iter().map(|r| [r.start, r.count, r.step].map(|a| self.integer(a))).collect();
                match self.get(*a) {
                    Value::Array(array) => Value::Array(arrays::slice(&self.budget, &array, &ranges)?),
                    scalar @ Value::Scalar(_) => scalar,
                }
            }
            Op::Update(a, indices, new) => {
                let (indices, new) = (self.integers(indices), self.get(*new));
                match self.take(stm, *a) {
                    Value::Array(array) => Value::Array(arrays::update(&self.budget, array, &indices, &new)?),
                    Value::Scalar(_) => new,
                }
            }
            Op::Permute(a, order) => match self.get(*a) {
                Value::Array(array) => Value::Array(array.permuted(order, Origin::View)),
                scalar @ Value::Scalar(_) => scalar,
            },
            Op::Reshape(a, sizes) => Value::Array(arrays::reshape(self.array(*a), &self.integers(sizes))?),
            Op::Concat(atoms) => Value::Array(arrays::concat(&self.budget, &self.arrays(atoms))?),
            Op::Reverse(a) => Value::Array(self.array(*a).reversed(Origin::View)),
            Op::Accumulate(a, indices, new) => {
                let (indices, new) = (self.integers(indices), self.get(*new));
                let accumulator = array(self.take(stm, *a));
                Value::Array(arrays::add((&self.log, &self.budget), accumulator, &indices, &new)?)
            }
        };
        Ok(vec![one])
    }

    /// A product of sizes.
    fn product(&self, extents: &[Extent]) -> Step<Option<usize>> {
        let size = |extent: &Extent| match extent {
            Extent::Number(atom) => arrays::size(self.integer(*atom)),
            Extent::Of(array, dimension) => Ok(self.array(*array).sizes()[*dimension]),
        };
        Ok(count(&extents.iter().map(size).collect::<Step<Vec<usize>>>()?))
    }

    /// Compares sizes.
    fn agree(&self, it: &Agree) -> Step<()> {
        let none = |extent: &Extent| match extent {
            Extent::Number(atom) => self.integer(*atom) <= 0,
            Extent::Of(array, dimension) => self.array(*array).sizes()[*dimension] == 0,
        };
        if it.times.iter().any(none) {
            return Ok(());
        }
        let [first, second] = [self.product(&it.first)?, self.product(&it.second)?];
        Fault::unless_equal(it.what, first.unwrap_or(usize::MAX), second.unwrap_or(usize::MAX))
    }

    /// A loop.
    fn repeat(&mut self, stm: &Stm, it: &Loop) -> Step<Vec<Value<C>>> {
        let params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
        let mut state: Vec<Value<C>> = it.params.iter().map(|(_, initial)| self.take(stm, *initial)).collect();
        let bound = match &it.form {
            Form::For(_, bound) => Some(self.integer(*bound)),
            Form::While { bound, .. } => bound.map(|bound| self.integer(bound)),
        };
        let mut iteration = 0;
        loop {
            if matches!(it.form, Form::For(..)) && bound.is_some_and(|bound| iteration >= bound) {
                self.note(stm, iteration, None, &state);
                return Ok(state);
            }
            self.budget.step()?;
            params.iter().zip(state).try_for_each(|(p, value)| self.bind(*p, value))?;
            match &it.form {
                Form::For(i, _) => self.bind(*i, Value::from(iteration))?,
                Form::While { condition, .. } => {
                    let Some(Value::Scalar(more)) = self.body(condition)?.pop() else { panic!("{VERIFIED}") };
                    if !C::truth(&self.log, &more) {
                        let last: Vec<Value<C>> = params.iter().map(|p| self.get(Atom::Var(*p))).collect();
                        self.note(stm, iteration, bound, &last);
                        params.iter().for_each(|p| self.release(*p));
                        return Ok(last);
                    }
                    if let Some(bound) = bound.filter(|bound| iteration >= *bound) {
                        return Err(Fault::LoopBound(bound));
                    }
                }
            }
            state = self.body(&it.body)?;
            params.iter().for_each(|p| self.release(*p));
            iteration += 1;
        }
    }
    /// Takes down what a run of a loop took.
    fn note(&mut self, stm: &Stm, iterations: i64, bound: Option<i64>, state: &[Value<C>]) {
        let Some(var) = stm.vars.first().copied() else { return };
        let unknown = || LoopUsage { var, total: 0, iterations: 0, bound: None, elements: vec![0; state.len()] };
        let noted = self.loops.entry(var).or_insert_with(unknown);
        let number = |n: i64| u64::try_from(n).unwrap_or(0);
        noted.total = noted.total.saturating_add(number(iterations));
        noted.iterations = noted.iterations.max(number(iterations));
        noted.bound = noted.bound.max(bound.map(number));
        for (most, value) in noted.elements.iter_mut().zip(state) {
            *most = (*most).max(value.elements().len() as u64);
        }
    }
}

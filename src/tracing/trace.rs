//! A trace: the straight line that a program is at certain arguments, and the decisions that made it so.
//!
//! Law: a run of a trace gives what the program gives, or returns [`Error::BranchChanged`]: every decision is taken
//! again where it was taken first, and must come out as it did ("Maintaining parallelism in reverse-mode automatic
//! differentiation on functional parallel array languages", *Tracing Correctness*, equation 8, for all inputs that the
//! thesis leaves open too) (laws: tracing::replays_or_refuses).

use rustc_hash::FxHashMap;

use super::Keep;
use super::prune::prune;
use super::record::Decision;
use crate::array::{Const, Program, Stm, Var, text};
use crate::carriers::Input;
use crate::error::{Error, Result, Span};
use crate::interpret::{Compare, Limits, Machine, Scalar, Value, fitting};
use crate::term::{Arena, Term};

/// The trace of an array program: what [`Program::traced`] returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What the trace shows.
    program: Program,
    /// The same with all that was executed, and the variables that the decisions are on.
    pub(super) whole: Program,
    decisions: Vec<Decision>,
    /// The number and the outcome of the decision on a variable.
    outcomes: FxHashMap<Var, (usize, Const)>,
    /// The sizes of the arguments, if arrays are melted.
    sizes: Option<Vec<Vec<usize>>>,
}

impl Trace {
    pub(super) fn new((whole, decisions): (Program, Vec<Decision>), keep: Keep, arguments: &[Value<f64>]) -> Self {
        let outcomes = decisions.iter().enumerate().map(|(at, d)| (d.var, (at, d.outcome))).collect();
        let sizes = match keep {
            Keep::Scalars => Some(arguments.iter().map(|value| value.sizes().to_vec()).collect()),
            Keep::Arrays => None,
        };
        Trace { program: prune(&whole), whole, decisions, outcomes, sizes }
    }

    /// The straight line: it computes the results at all arguments at which the decisions come out as they did.
    ///
    /// What it does not need for the results, such as the comparisons that were decided on, is removed.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What is kept in the trace.
    #[must_use]
    pub fn keep(&self) -> Keep {
        if self.sizes.is_some() { Keep::Scalars } else { Keep::Arrays }
    }

    /// The decisions as text, such as `lt(x, 0.0f64): true`, in the order in which they were taken. Where arrays are
    /// melted the sizes of the arguments are decided as well, before all others.
    #[must_use]
    pub fn decisions(&self) -> Vec<String> {
        let sizes = self.sizes.iter().flatten().zip(&self.whole.names).filter(|(sizes, _)| !sizes.is_empty());
        let sizes = sizes.map(|(sizes, name)| described_sizes(name, sizes));
        let stms = self.whole.function.body.stms.iter();
        let binders: FxHashMap<Var, &Stm> = stms.flat_map(|stm| stm.vars.iter().map(move |var| (*var, stm))).collect();
        let decided = self.decisions.iter().map(|d| self.describe(d.var, d.outcome, binders.get(&d.var).copied()));
        sizes.chain(decided).collect()
    }

    /// A decision as text; a variable that no statement binds is a parameter.
    fn describe(&self, var: Var, outcome: Const, by: Option<&Stm>) -> String {
        let made = by.map(|stm| text::head(&self.whole, stm));
        let made = made.and_then(|made| made.split_once(" = ").map(|(_, made)| made.to_owned()));
        let made = made.unwrap_or_else(|| text::name(&self.whole, var));
        match outcome {
            Const::Bool(b) => format!("{made}: {b}"),
            Const::I64(n) => format!("{made}: {n}"),
            _ => panic!("decisions are on truth values and indices"),
        }
    }

    /// The results at these arguments, in any carrier.
    ///
    /// # Errors
    /// [`Error::BranchChanged`] at arguments at which the program would go another way; otherwise as for
    /// [`run`](crate::interpret::run).
    pub fn run<C: Compare>(&self, arguments: &[Value<C>]) -> Result<Vec<Value<C>>> {
        let machine = self.replay(arguments)?;
        Ok(self.whole.function.body.results.iter().map(|a| machine.get(*a)).collect())
    }

    /// The machine after the whole trace was run, with the values of all its variables.
    pub(super) fn replay<C: Compare>(&self, arguments: &[Value<C>]) -> Result<Machine<'_, C>> {
        let arguments = fitting(&self.whole, arguments)?;
        self.check_sizes(&arguments)?;
        let mut machine = Machine::new(&self.whole, &Limits::default(), ());
        let params = self.whole.function.params.iter();
        let bound = params.clone().zip(arguments).try_for_each(|(param, value)| machine.bind(*param, value));
        bound.map_err(|fault| fault.within(Span::UNKNOWN, || text::signature(&self.whole)))?;
        params.clone().try_for_each(|param| self.check(&machine, *param, None))?;
        for stm in &self.whole.function.body.stms {
            machine.statement(stm).map_err(|fault| machine.located(fault, stm))?;
            stm.vars.iter().try_for_each(|var| self.check(&machine, *var, Some(stm)))?;
        }
        Ok(machine)
    }

    fn check_sizes<C>(&self, arguments: &[Value<C>]) -> Result<()> {
        let Some(sizes) = &self.sizes else { return Ok(()) };
        let changed = sizes.iter().zip(arguments).position(|(sizes, argument)| sizes != argument.sizes());
        let Some(which) = changed else { return Ok(()) };
        let at = sizes[..which].iter().filter(|sizes| !sizes.is_empty()).count();
        Err(Error::BranchChanged { at, decision: described_sizes(&self.whole.names[which], &sizes[which]) })
    }

    /// Takes the decision on a variable again, if there is one.
    fn check<C: Compare>(&self, machine: &Machine<'_, C>, var: Var, by: Option<&Stm>) -> Result<()> {
        let Some((at, outcome)) = self.outcomes.get(&var) else { return Ok(()) };
        let same = match (machine.get(var.into()), *outcome) {
            (Value::Scalar(Scalar::Bool(now)), Const::Bool(then)) => now == then,
            (Value::Scalar(Scalar::I64(now)), Const::I64(then)) => now == then,
            _ => panic!("a decision is of the type of its variable"),
        };
        if same {
            return Ok(());
        }
        let before = self.sizes.iter().flatten().filter(|sizes| !sizes.is_empty()).count();
        Err(Error::BranchChanged { at: before + at, decision: self.describe(var, *outcome, by) })
    }

    /// The results as terms over the reals among the arguments, which are numbered from 0 through all arguments. The
    /// integers and truth values are those of the arguments.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// use catadiff::interpret::Value;
    /// use catadiff::term::Arena;
    /// use catadiff::tracing::Keep;
    /// let dot = Program::parse("program (xs: []f64, ys: []f64) {
    ///   let products = map (xs, ys) |x: f64, y: f64| { let p = mul(x, y) return p }
    ///   let sum = reduce (products) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
    ///   return sum
    /// }")?;
    /// let arguments = [Value::new([1.0, 2.0])?, Value::new([3.0, 4.0])?];
    /// let (trace, arena) = (dot.traced(&arguments, Keep::Scalars)?, Arena::new());
    /// assert_eq!(trace.terms(&arena, &arguments)?[0].to_string(), "x0 * x2 + x1 * x3");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BranchChanged`] at arguments at which the program would go another way, and [`Error::Undecided`] if a
    /// result depends on a comparison of reals, which terms do not decide.
    pub fn terms<'a>(&self, arena: &'a Arena<Input>, arguments: &[Value<f64>]) -> Result<Vec<Value<Term<'a, Input>>>> {
        self.replay(arguments)?;
        let mut reals = 0;
        let mut variable = |_: &f64| {
            reals += 1;
            arena.variable(Input(reals - 1))
        };
        let variables: Vec<_> = arguments.iter().map(|value| value.map(&mut variable)).collect();
        self.program.run(&variables)
    }
}

fn described_sizes(name: &str, sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(|n| format!("[{n}]")).collect();
    format!("the sizes of {name}: {}", sizes.concat())
}

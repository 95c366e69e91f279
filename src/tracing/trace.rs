//! A trace: the straight line that a program is at certain arguments, and the decisions that made it so.
//!
//! Law: a run of a trace gives what the program gives, or returns [`Error::BranchChanged`](crate::Error::BranchChanged): every decision is taken
//! again where it was taken first, and must come out as it did ("Maintaining parallelism in reverse-mode automatic
//! differentiation on functional parallel array languages", *Tracing Correctness*, equation 8, for all inputs that the
//! thesis leaves open too) (laws: tracing::replays_or_refuses).

use rustc_hash::FxHashMap;

use super::Keep;
use super::record::{Decision, Outcome, Recorded};
use crate::array::{Program, Stm, Var, text};
use crate::carriers::Input;
use crate::error::{Result, Span};
use crate::interpret::{Compare, Limits, Machine, Value, fitting};
use crate::optimise::dead_code::only_needed;
use crate::term::{Arena, Term};

/// The trace of an array program: what [`Program::traced`] returns.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What the trace shows.
    program: Program,
    /// The same with all that was executed, and the variables that the decisions are on.
    whole: Program,
    keep: Keep,
    /// In the order in which they were taken.
    decisions: Vec<Decision>,
    /// The numbers of the decisions, by the variables that they are on.
    numbers: FxHashMap<Var, usize>,
}

impl Trace {
    pub(super) fn new(recorded: Recorded, keep: Keep) -> Self {
        let Recorded { whole, decisions, .. } = recorded;
        let numbers = decisions.iter().enumerate().map(|(at, decision)| (decision.asked, at)).collect();
        let mut needed = whole.clone();
        only_needed(&mut needed);
        Trace { program: needed.renumber(), whole, keep, decisions, numbers }
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
        self.keep
    }

    /// The decisions as text, such as `lt(x, 0.0f64): true`, in the order in which they were taken. Where arrays are
    /// melted the sizes of the arguments are decided as well, before all others.
    #[must_use]
    pub fn decisions(&self) -> Vec<String> {
        let stms = self.whole.function.body.stms.iter();
        let binders: FxHashMap<Var, &Stm> = stms.flat_map(|stm| stm.vars.iter().map(move |var| (*var, stm))).collect();
        let described = |it: &Decision| it.described(&self.question(it, binders.get(&it.asked).copied()));
        self.decisions.iter().map(described).collect()
    }

    /// The question of a decision as text; a variable that no statement binds is a parameter.
    fn question(&self, decision: &Decision, by: Option<&Stm>) -> String {
        let made = by.map(|stm| text::head(&self.whole, stm));
        let made = made.and_then(|made| made.split_once(" = ").map(|(_, made)| made.to_owned()));
        let made = made.unwrap_or_else(|| text::name(&self.whole, decision.asked));
        if let Outcome::Sizes(_) = decision.outcome { format!("the sizes of {made}") } else { made }
    }

    /// The results at these arguments, in any carrier.
    ///
    /// # Errors
    /// [`Error::BranchChanged`](crate::Error::BranchChanged) at arguments at which the program would go another way;
    /// otherwise as for [`run`](crate::interpret::run).
    pub fn run<C: Compare>(&self, arguments: &[Value<C>]) -> Result<Vec<Value<C>>> {
        let arguments = fitting(&self.whole, arguments)?;
        let mut machine = Machine::new(&self.whole, &Limits::default(), ());
        let params = self.whole.function.params.iter();
        let bound = params.clone().zip(arguments).try_for_each(|(param, value)| machine.bind(*param, value));
        bound.map_err(|fault| fault.within(Span::UNKNOWN, || text::signature(&self.whole)))?;
        params.clone().try_for_each(|param| self.decide_again(&machine, *param, None))?;
        for stm in &self.whole.function.body.stms {
            machine.statement(stm).map_err(|fault| machine.located(fault, stm))?;
            stm.vars.iter().try_for_each(|var| self.decide_again(&machine, *var, Some(stm)))?;
        }
        Ok(self.whole.function.body.results.iter().map(|a| machine.get(*a)).collect())
    }

    /// Takes the decision on a variable again, if there is one.
    fn decide_again<C: Compare>(&self, machine: &Machine<'_, C>, var: Var, by: Option<&Stm>) -> Result<()> {
        let Some(at) = self.numbers.get(&var) else { return Ok(()) };
        let decision = &self.decisions[*at];
        decision.again(*at, &Outcome::of(&machine.get(var.into())), || self.question(decision, by))
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
    /// [`Error::BranchChanged`](crate::Error::BranchChanged) at arguments at which the program would go another way, and [`Error::Undecided`](crate::Error::Undecided) if a
    /// result depends on a comparison of reals, which terms do not decide.
    pub fn terms<'a>(&self, arena: &'a Arena<Input>, arguments: &[Value<f64>]) -> Result<Vec<Value<Term<'a, Input>>>> {
        self.run(arguments)?;
        let mut reals = 0;
        let mut variable = |_: &f64| {
            reals += 1;
            arena.variable(Input(reals - 1))
        };
        let variables: Vec<_> = arguments.iter().map(|value| value.map(&mut variable)).collect();
        self.program.run(&variables)
    }
}

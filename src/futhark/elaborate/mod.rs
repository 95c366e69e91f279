//! Elaboration: the second meaning of the core language, as [array programs](crate::array) that are optimised, differentiated
//! by transformation, and run on lanes.
//!
//! What the evaluator asks for is written down instead of done: a function is traced once with variables for its parameters, and what is
//! known meanwhile, such as constants and sizes that are equal, is used at once. Records, sums and functions are gone.
//!
//! Law: the program that an entry point becomes has its results, in every executor, wherever the interpreter has any;
//! where the interpreter has an error that a result depends on, running the program is an error too. The interpreter
//! says what is wrong, and where. Reals of 32 bits are computed with 64 and rounded where they leave the program or are
//! taken as bits: a program that asks how a sum of them was rounded is answered by the interpreter
//! (tests/language/elaborate.rs).
//!
//! | file | what is in it |
//! |---|---|
//! | `site`, `operand` | the program under construction |
//! | `scalar`, `movement`, `update`, `combinators`, `rows`, `control`, `derivatives` | what the evaluator asks of this meaning, trait by trait |
//! | `boundary`, `carried` | arguments and results, of numbers and of other carriers |
//! | `parts` | arguments of which each rank of a job has its part |

mod boundary;
mod carried;
mod combinators;
mod control;
mod derivatives;
mod movement;
mod operand;
#[cfg(feature = "mpi")]
mod parts;
mod rows;
mod scalar;
mod site;
mod update;

use super::check::{NoImports, check};
use super::core::{Entry, Prim, Program};
use super::interpreter;
use super::meaning::{Evaluator, Outcome, Prepared, beyond, entry_named, fits, interface};
use super::source::{Message, Name, Span};
use super::syntax::parse;
use super::values::Array;
use crate::array;
use crate::error::{Error, Place};
use crate::execute::{Compiled, EXECUTORS, Executor, Flat, RunReport};
pub use crate::futhark::meaning::UNKNOWN_CALLS;
use crate::interpret::{Control, Limits, Value, run};
use operand::{Of, Operand};
#[cfg(feature = "mpi")]
pub use parts::OnParts;
pub use site::FIRST_CHECK;
use site::{Check, Site};

/// How far the interpreter goes to find the place of an error.
const STEPS_TO_LOCATE: u64 = 10_000_000;

/// An entry point as an array program.
#[derive(Debug)]
pub struct Elaborated {
    /// The program. Its parameters are the leaves of those of the entry point; its results are the leaves of the result and,
    /// if there are checks, the number of one that does not hold, or 0.
    pub program: array::Program,
    at: Span,
    params: Vec<(String, Prim, usize)>,
    results: Vec<Prim>,
    checks: Vec<Check>,
    /// What was elaborated, and which entry point of it.
    source: (Program, Name),
}

/// An entry point that is ready to run on an executor.
#[derive(Debug)]
pub struct Ready {
    elaborated: Elaborated,
    compiled: Compiled,
}

/// The array program of an entry point of a program in one text.
///
/// ```
/// use catadiff::futhark::{elaborate::compile, values::Array};
/// let text = "entry slope (xs: []f64) = vjp (\\xs -> f64.sum (map (\\x -> x * x) xs)) xs 1";
/// let slope = compile(text, "slope").unwrap().compile()?;
/// assert_eq!(slope.run(&[Array::vector(vec![1.0, 2.0])])?, [Array::vector(vec![2.0, 4.0])]);
///
/// let messages = compile("entry wrong (x: i32): f64 = x", "wrong").unwrap_err();
/// assert_eq!(messages[0].hint.as_deref(), Some("convert it: `f64.i32 x`"));
/// # Ok::<(), catadiff::futhark::source::Message>(())
/// ```
///
/// # Errors
/// All that is wrong with the text, whose number is 0; then those of [`compile_entry`].
pub fn compile(text: &str, entry: &str) -> Result<Elaborated, Vec<Message>> {
    let (program, _) = check(&parse(text, 0)?, &mut NoImports)?;
    compile_entry(&program, entry).map_err(|message| vec![message])
}

/// The array program of an entry point.
///
/// ```
/// use catadiff::futhark::check::{NoImports, check};
/// use catadiff::futhark::elaborate::compile_entry;
/// use catadiff::futhark::{syntax::parse, values::Array};
/// let text = "entry slope (xs: []f64) = vjp (\\xs -> f64.sum (map (\\x -> x * x) xs)) xs 1";
/// let (program, _) = check(&parse(text, 0).unwrap(), &mut NoImports).unwrap();
/// let slope = compile_entry(&program, "slope")?;
/// assert_eq!(slope.program.to_string(), "\
/// program (xs: []f64) {
///   let v3: []f64 = map (xs) |v1: f64| {
///     let v2: f64 = add(v1, v1)
///     return v2
///   }
///   return v3
/// }
/// ");
/// let slopes = slope.compile()?.run(&[Array::vector(vec![1.0, 2.0])])?;
/// assert_eq!(slopes, [Array::vector(vec![2.0, 4.0])]);
/// # Ok::<(), catadiff::futhark::source::Message>(())
/// ```
///
/// # Errors
/// If there is no such entry, what is known to fail whatever the arguments are, and what has no form as an array program or no
/// derivative.
pub fn compile_entry(program: &Program, entry: &str) -> Outcome<Elaborated> {
    elaborate(program, entry_named(program, entry)?)
}

fn elaborate(core: &Program, entry: &Entry) -> Outcome<Elaborated> {
    let written = as_written(core, entry)?;
    Ok(Elaborated { program: written.program.simplified(), ..written })
}

/// The array program as the entry point reads, with all that it does not need.
fn as_written(core: &Program, entry: &Entry) -> Outcome<Elaborated> {
    let at = core.definition(entry.definition).map_or_else(Span::default, |it| it.span);
    let (site, prepared) = (Site::new(), Prepared::of(core));
    let mut params = Vec::new();
    let mut arguments = Vec::new();
    for (name, of) in &entry.params {
        let leaves = interface(of);
        for (part, (kind, rank)) in leaves.iter().enumerate() {
            let name = if leaves.len() == 1 { name.to_string() } else { format!("{name}_{part}") };
            let of = Of::array(*kind, vec![None; *rank]);
            let var = site.inside.borrow_mut().builder.parameter(name.clone(), of.stored());
            arguments.push(Operand { atom: var.into(), of });
            params.push((name, *kind, *rank));
        }
    }
    let leaves = Evaluator::new(core, &prepared, &site).entry(entry, arguments)?;
    let check = site.check_of_scope(at)?;
    let results = leaves.iter().map(|leaf| leaf.of.kind).collect();
    let inside = site.inside.into_inner();
    let atoms = leaves.iter().map(|leaf| leaf.atom).chain(check).collect();
    let program = inside.builder.finish(atoms).map_err(|error| site::ill_typed(at, &error.to_string()))?;
    let source = (core.clone(), entry.name.clone());
    Ok(Elaborated { program, at, params, results, checks: inside.checks, source })
}

impl Elaborated {
    /// The results for these arguments, by the reference interpreter of array programs, within these limits or under this
    /// control.
    ///
    /// # Errors
    /// If the arguments are not those that the entry point takes; what the program meets.
    pub fn run<'c>(&'c self, arguments: &[Array], control: impl Into<Control<'c>>) -> Outcome<Vec<Array>> {
        let values = self.arguments(arguments)?;
        self.answers(run(&self.program, &values, control)).map_err(|message| self.located(arguments, message))
    }

    /// The entry point, ready to run on the vector instructions and the cores of this machine.
    ///
    /// # Errors
    /// None of the user's.
    pub fn compile(self) -> Outcome<Ready> {
        self.compile_on(EXECUTORS[0])
    }

    /// The entry point, ready to run on this executor.
    ///
    /// # Errors
    /// None of the user's.
    pub fn compile_on(self, executor: &dyn Executor) -> Outcome<Ready> {
        let compiled = self.program.compile_on(executor).map_err(|error| self.failed(&error))?;
        Ok(Ready { elaborated: self, compiled })
    }

    /// How the entry point becomes its [program](Elaborated::program): the array program as it reads, and what each pass of
    /// the simplifier has made of it, as [`passes`](array::Program::passes) has them.
    #[must_use]
    pub fn passes(&self) -> Vec<(&'static str, array::Program)> {
        let (core, name) = &self.source;
        let written = core.entries.iter().find(|entry| entry.name == *name).map(|entry| as_written(core, entry));
        let written = written.and_then(Result::ok).expect("what was elaborated once is again");
        written.program.passes()
    }

    /// What the program checks, in order: if the `k`-th of these does not hold, and no earlier one, the last result of the
    /// program is [`FIRST_CHECK`] − `k`. A program without checks has no such result.
    ///
    /// ```
    /// use catadiff::futhark::elaborate::{FIRST_CHECK, compile};
    /// use catadiff::interpret::Value;
    /// let root = compile("entry root (x: f64) = assert (x >= 0) (f64.sqrt x)", "root").unwrap();
    /// assert_eq!(root.checks()[0].code, "assert");
    /// let results = root.program.run(&[Value::from(-1.0)])?;
    /// assert_eq!(results[1].to_string(), FIRST_CHECK.to_string());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn checks(&self) -> Vec<Message> {
        // A check that was found to hold while the program was built is none of it.
        let is_checked = self.program.function().body.results.len() > self.results.len();
        let all = self.checks.iter().filter(|_| is_checked);
        all.map(|Check { at, code, text }| Message::error(code, *at, text.clone())).collect()
    }

    fn arguments(&self, given: &[Array]) -> Outcome<Vec<Value<f64>>> {
        self.given(given, boundary::value)
    }

    /// Arguments, if they are of the kinds and ranks that the entry point takes, each made what a run takes.
    fn given<T>(&self, given: &[Array], make: impl Fn(&Array) -> Result<T, Error>) -> Outcome<Vec<T>> {
        if given.len() != self.params.len() {
            let text = format!("{} values are taken, and there are {}", self.params.len(), given.len());
            return Err(Message::error("arguments", self.at, text));
        }
        let one = |((name, kind, rank), value): (&(String, Prim, usize), &Array)| {
            fits(self.at, name, (*kind, *rank), value)?;
            make(value).map_err(|error| self.failed(&error))
        };
        self.params.iter().zip(given).map(one).collect()
    }

    fn answers(&self, results: Result<Vec<Value<f64>>, Error>) -> Outcome<Vec<Array>> {
        let results = self.checked(results)?;
        Ok(results.iter().zip(&self.results).map(|(value, kind)| boundary::array(value, *kind)).collect())
    }

    /// The results without the number of a check, unless one did not hold.
    fn checked<C>(&self, results: Result<Vec<Value<C>>, Error>) -> Outcome<Vec<Value<C>>> {
        let mut results = results.map_err(|error| self.failed(&error))?;
        self.check_held(results.split_off(self.results.len()).first().map_or(0, boundary::integer))?;
        Ok(results)
    }

    /// The results as they lie in memory, unless a check did not hold.
    fn flat_answers(&self, ended: Result<(), Error>, mut results: Vec<Flat>) -> Outcome<Vec<Array>> {
        ended.map_err(|error| self.failed(&error))?;
        let check = results.split_off(self.results.len());
        self.check_held(check.first().and_then(Flat::as_integers).map_or(0, |number| number[0]))?;
        Ok(results.iter().zip(&self.results).map(|(flat, kind)| boundary::unflat(flat, *kind)).collect())
    }

    /// The message of the check of this number, if it is the number of one.
    fn check_held(&self, number: i64) -> Outcome<()> {
        if number == 0 {
            return Ok(());
        }
        let failed = usize::try_from(FIRST_CHECK - number).ok().and_then(|which| self.checks.get(which));
        let Check { at, code, text } = failed.expect("a check that does not hold has a number of its own");
        Err(Message::error(code, *at, text.clone()))
    }

    /// What the interpreter says is wrong, since it knows the place and the values; or this, if it finds nothing within its steps.
    fn located(&self, arguments: &[Array], message: Message) -> Message {
        // A run that was too long for its limits is not done again with others.
        if message.code == "limit" {
            return message;
        }
        let (program, entry) = &self.source;
        let limits = Limits { steps: STEPS_TO_LOCATE, ..Limits::default() };
        match interpreter::run(program, entry, arguments, limits) {
            Err(found) if found.code != "limit" => found,
            Ok(_) | Err(_) => message,
        }
    }

    fn failed(&self, error: &Error) -> Message {
        let span = error.span();
        let at = match span.place() {
            Some(Place::Text { file, start, end }) => Span { file, start, end },
            _ => self.at,
        };
        if let Error::Budget { what, limit, .. } = error {
            return beyond(at, what, *limit);
        }
        let code = match error {
            Error::OutOfBounds { .. } => "bounds",
            Error::Sizes { .. } => "size",
            Error::NegativeSize { .. } => "range",
            Error::NoValue { .. } => "value",
            Error::Cancelled { .. } | Error::LoopBound { .. } => "limit",
            _ => "run",
        };
        // The message shows the place itself.
        let message = Message::error(code, at, error.clone().unplaced().to_string());
        if span.in_derivative() { message.hint("this is in the derivative of what stands here") } else { message }
    }
}

impl Ready {
    /// The results for these arguments.
    ///
    /// # Errors
    /// As for [`Elaborated::run`].
    pub fn run(&self, arguments: &[Array]) -> Outcome<Vec<Array>> {
        let (it, flats) = (&self.elaborated, self.elaborated.given(arguments, boundary::flat)?);
        let mut results = Vec::new();
        let ended = self.compiled.run_into(&flats, &mut results);
        it.flat_answers(ended, results).map_err(|message| it.located(arguments, message))
    }

    /// The results for these arguments, within these limits or under this control, as for [`Compiled::run_within`].
    ///
    /// # Errors
    /// As for [`Elaborated::run`].
    pub fn run_within<'c>(&'c self, arguments: &[Array], control: impl Into<Control<'c>>) -> Outcome<Vec<Array>> {
        self.run_reported(arguments, control).0
    }

    /// The same, and whether the interpreter had to run it, as for [`Compiled::run_reported`].
    pub fn run_reported<'c>(
        &'c self,
        arguments: &[Array],
        control: impl Into<Control<'c>>,
    ) -> (Outcome<Vec<Array>>, RunReport) {
        let it = &self.elaborated;
        let flats = match it.given(arguments, boundary::flat) {
            Ok(flats) => flats,
            Err(message) => return (Err(message), RunReport::Bare),
        };
        let mut results = Vec::new();
        let (ended, report) = self.compiled.run_into_reported(&flats, &mut results, control);
        (it.flat_answers(ended, results).map_err(|message| it.located(arguments, message)), report)
    }

    /// What was elaborated.
    #[must_use]
    pub fn elaborated(&self) -> &Elaborated {
        &self.elaborated
    }

    /// How the program becomes what is [explained](Ready::explain), as [`Compiled::explained_passes`] has it.
    #[must_use]
    pub fn explained_passes(&self) -> Vec<(&'static str, String)> {
        self.compiled.explained_passes()
    }

    /// What has become of the program on its executor, or why it is interpreted.
    #[must_use]
    pub fn explain(&self) -> String {
        self.compiled.explain()
    }
}

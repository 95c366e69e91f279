//! Programs on lanes: code as instructions that each work on a block of lanes, shared out to the cores.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums, the blocks of large scans and
//! histograms, fused products and the stated error of elementary functions; they do not depend on the number of threads.
//! What cannot be lowered the interpreter does, and what is wrong with a program or its arguments, it says.
//!
//! | file | what is in it |
//! |---|---|
//! | `instruction` | the instructions |
//! | `assemble`, `operation`, `cells`, `fused` | from code to instructions |
//! | `needed`, `inline`, `registers`, `wide` | what of it is needed, loaded where it is used, in which register, how many lanes wide |
//! | `machine`, `state`, `memory`, `ports` | the machine, its registers and buffers, what goes in and out |
//! | `compute`, `vector`, `dispatch` | operations on lanes, compiled for the vector instructions that the processor has |
//! | `kernel`, `chain`, `series`, `outer`, `product`, `transfer`, `transpose`, `folds` | instructions for whole loops |
//! | `straight` | scalar code |
//! | `team`, `watch` | loops shared out to cores, and stopped before their time |
//! | `profile` | where the time goes |

mod assemble;
mod cells;
mod chain;
mod compute;
mod dispatch;
mod folds;
mod fused;
mod inline;
mod instruction;
mod kernel;
mod machine;
mod memory;
mod needed;
mod operation;
mod outer;
mod ports;
mod product;
mod profile;
mod registers;
mod series;
mod state;
mod straight;
mod team;
mod transfer;
mod transpose;
mod vector;
mod watch;
mod wide;

use std::sync::Mutex;

use super::Flat;
use crate::array::Program;
use crate::error::{Error, Result};
use crate::interpret::{self, Control, FromValues, Limits, ToValues, Value, typed, values};
use crate::lower;
use crate::lower::apart::apart;
use crate::lower::constant::{Split, split};
use assemble::{Assembled, assemble};
use machine::{Machine, Workspace};
pub use profile::{ELEMENTARY, Kernel};
use watch::Watch;

/// A program that is ready to run, from any thread.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// let cost = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
///     points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
/// })?;
/// let gradient = cost.grad(1)?.compile()?;
/// let points = vec![vec![0.5, 1.0]; 1000];
/// let slopes: Vec<Vec<f64>> = gradient.at((&points, [[0.0, 0.0], [4.0, 4.0]]))?;
/// assert_eq!(slopes, [[-1000.0, -2000.0], [0.0, 0.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// Arrays of up to eight elements whose sizes the program says are taken apart, so that loops over a few numbers are scalar
/// code. Memory is kept from run to run: a run like one before allocates nothing but what loops need that are shared out to threads.
/// Arrays that do not depend on the arguments are computed when the program is compiled, unless they are large or take
/// long. Reals of both precisions are computed as `f64`, as the interpreter on `f64` does.
#[derive(Debug)]
pub struct Compiled {
    program: Program,
    /// What is lowered, if that is not the program as it is: small arrays are apart, and what need not be done in every run is
    /// left to the arrays that this takes after the arguments.
    rest: Option<Program>,
    constants: Vec<Flat>,
    assembled: core::result::Result<Assembled, &'static str>,
    /// What runs have worked on and left for the next.
    spare: Mutex<Vec<Workspace>>,
}

/// What a run without limits may take: there is no more of either.
const UNLIMITED: Limits = Limits { steps: u64::MAX, elements: u64::MAX };

impl Program {
    /// The program, ready to run on the vector instructions and the cores of this machine.
    ///
    /// # Errors
    /// [`Error::IllTyped`](crate::Error::IllTyped) if the program does not [verify](Program::verify).
    pub fn compile(&self) -> Result<Compiled> {
        self.verify()?;
        let apart = apart(self);
        let (rest, constants) = match constants(apart.as_ref().unwrap_or(self)) {
            Some((rest, found)) => (Some(rest), found),
            None => (apart, Vec::new()),
        };
        Ok(Compiled::new(self.clone(), rest, constants))
    }
}

/// What may be spent on what is computed once: as much as is not noticed.
const ONCE: Limits = Limits { steps: 1 << 16, elements: 1 << 22 };

/// The program with the arrays as parameters that do not depend on its arguments, and these arrays. None if there are
/// none, or something is wrong with them: then each run is to say so.
fn constants(program: &Program) -> Option<(Program, Vec<Flat>)> {
    let Split { constant, rest } = split(program)?;
    let mut found = Vec::new();
    Compiled::new(constant, None, Vec::new()).run_into_within(&[], &mut found, &ONCE).ok()?;
    Some((rest, found))
}

fn known(constant: &Flat) -> lower::Known {
    let range = constant.ints.iter().min().copied().zip(constant.ints.iter().max().copied());
    lower::Known { sizes: constant.sizes().to_vec(), range }
}

impl Compiled {
    fn new(program: Program, rest: Option<Program>, constants: Vec<Flat>) -> Self {
        let known: Vec<lower::Known> = constants.iter().map(known).collect();
        let lowered = lower::lower(rest.as_ref().unwrap_or(&program), &known);
        let assembled = lowered.map(|code| assemble(&code)).map_err(|unsupported| unsupported.0);
        Compiled { program, rest, constants, assembled, spare: Mutex::default() }
    }

    /// What becomes of the program: its code, in which loops over `lanes` run many iterations at a time, `~` marks what
    /// differs between them, and `product` is one of matrices; or why it is interpreted. What is called constant was
    /// computed when the program was compiled.
    #[must_use]
    pub fn explain(&self) -> String {
        let (program, known) = self.lowered();
        match lower::lower(program, &known) {
            Ok(code) => code.to_string(),
            Err(unsupported) => format!("interpreted, because there is {}", unsupported.0),
        }
    }

    /// What is lowered, and what is known of the constants that it takes.
    fn lowered(&self) -> (&Program, Vec<lower::Known>) {
        (self.rest.as_ref().unwrap_or(&self.program), self.constants.iter().map(known).collect())
    }

    /// How the program becomes what is [explained](Compiled::explain): the code after each pass, with the name of the pass.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let program = Program::trace(|xs: Arr<F64>| xs.map(|x| x * x + 1.0).sum())?.compile()?;
    /// let passes = program.explained_passes();
    /// assert_eq!(passes.iter().map(|(name, _)| *name).collect::<Vec<_>>(), [
    ///     "lowered",
    ///     "loops over lanes merged",
    ///     "loops over lanes interchanged",
    ///     "loops in order joined",
    ///     "products and cells fused",
    ///     "products of matrices found",
    ///     "sums of products made",
    ///     "results of branches handed on",
    /// ]);
    /// assert!(!passes[3].1.contains("x·y+z") && passes[4].1.contains("x·y+z"));
    /// assert_eq!(passes[7].1, program.explain());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn explained_passes(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        let (program, known) = self.lowered();
        let code = lower::in_passes(program, &known, |name, code| all.push((name, code.to_string())));
        if code.is_err() {
            all = vec![("interpreted", self.explain())];
        }
        all
    }

    /// The results for these arguments.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn run(&self, arguments: &[Value<f64>]) -> Result<Vec<Value<f64>>> {
        typed(&self.program, arguments)?;
        // The interpreter finds what is wrong, and where.
        self.execute(arguments, (&UNLIMITED).into()).unwrap_or_else(|| self.program.run(arguments))
    }

    /// The results for these arguments, within these [`Limits`] or under this [`Control`].
    ///
    /// A step is a loop over lanes, a block of them, an iteration of another loop, in a block or outside, or a stretch of a
    /// product: the program as
    /// [explained](Compiled::explain) has other steps, and mostly far fewer, than the interpreter. How many it takes
    /// does not depend on the number of threads; that there were too many is noticed some hundred steps late at most.
    /// Elements are those that arguments and buffers hold; what lanes have of their own counts for one thread. A program,
    /// or a run, that the interpreter has to do takes the interpreter's steps and elements.
    ///
    /// ```
    /// use catadiff::Error;
    /// use catadiff::array::{Program, trace::{F64, I64, iota}};
    /// use catadiff::interpret::Limits;
    /// let sum = Program::trace(|n: I64| iota(n).map(|k| k.to_f64()).sum())?.compile()?;
    /// let limits = Limits { steps: 1_000_000, ..Limits::default() };
    /// assert_eq!(sum.run_within(&[10_i64.into()], &limits)?, [45.0.into()]);
    /// let error = sum.run_within(&[(1_i64 << 60).into()], &limits).unwrap_err();
    /// assert!(matches!(error, Error::Budget { what: "steps", limit: 1_000_000, .. }));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`interpret::run`]. After any, the next run is as if there had been none.
    pub fn run_within<'c>(
        &'c self,
        arguments: &[Value<f64>],
        control: impl Into<Control<'c>>,
    ) -> Result<Vec<Value<f64>>> {
        typed(&self.program, arguments)?;
        let control = control.into();
        let run = || interpret::run(&self.program, arguments, &control);
        self.execute(arguments, control.clone()).unwrap_or_else(run)
    }

    /// The results for these arguments, both as plain numbers, as for [`Program::at`].
    ///
    /// # Errors
    /// Those of [`Program::at`].
    pub fn at<R: FromValues>(&self, arguments: impl ToValues) -> Result<R> {
        R::from_values(self.run(&values(&self.program, arguments)?)?)
    }

    /// Leaves the results for these arguments in memory that is used again: nothing is converted, and once the results
    /// have been as large nothing is allocated for them. What was in `results` before does not matter: they become as
    /// many, of such kinds and sizes, as the program has.
    ///
    /// # Errors
    /// Those of [`Program::run`]; then the results are unspecified. [`Error::Length`] for another number of arguments,
    /// [`Error::Argument`] with the parameter's name for one of another kind or rank.
    pub fn run_into(&self, arguments: &[Flat], results: &mut Vec<Flat>) -> Result<()> {
        self.execute_into(arguments, results, (&UNLIMITED).into(), Control::default(), None)
    }

    /// The same within these limits or under this control, as for [`run_within`](Compiled::run_within).
    ///
    /// ```
    /// use catadiff::Error;
    /// use catadiff::array::{Program, trace::{F64, I64, loop_for}};
    /// use catadiff::execute::Flat;
    /// use catadiff::interpret::Limits;
    /// let powers = Program::trace(|x: F64, n: I64| loop_for(n, x, |_, y| y * y))?.compile()?;
    /// let limits = Limits { steps: 1000, ..Limits::default() };
    /// let mut results = Vec::new();
    /// let mut run = |n| {
    ///     let arguments = [Flat::reals(&[], vec![2.0])?, Flat::integers(&[], vec![n])?];
    ///     powers.run_into_within(&arguments, &mut results, &limits)?;
    ///     Ok(results[0].as_reals().unwrap()[0])
    /// };
    /// assert!(matches!(run(1 << 40), Err(Error::Budget { what: "steps", .. })));
    /// assert_eq!(run(3)?, 256.0);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`run_within`](Compiled::run_within) and [`run_into`](Compiled::run_into). Then `results` may be as they
    /// were, or of other kinds and sizes with other elements: they are good for another run, and for nothing else.
    pub fn run_into_within<'c>(
        &'c self,
        arguments: &[Flat],
        results: &mut Vec<Flat>,
        control: impl Into<Control<'c>>,
    ) -> Result<()> {
        let control = control.into();
        self.execute_into(arguments, results, control.clone(), control, None)
    }

    /// The same as [`run_into`](Compiled::run_into), and the loops over lanes that ran: how long each took, and what it
    /// computed and moved. There are none if the interpreter had to do it.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// use catadiff::execute::Flat;
    /// let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y))?.compile()?;
    /// let arguments = [Flat::reals(&[1000], vec![1.0; 1000])?, Flat::reals(&[1000], vec![2.0; 1000])?];
    /// let kernels = dot.profile(&arguments, &mut Vec::new())?;
    /// assert_eq!((kernels.len(), kernels[0].lanes), (1, 1000));
    /// assert_eq!((kernels[0].flops, kernels[0].bytes, kernels[0].arrays), (2000, 16_000, 16_000));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`run_into`](Compiled::run_into).
    pub fn profile(&self, arguments: &[Flat], results: &mut Vec<Flat>) -> Result<Vec<Kernel>> {
        let mut kernels = Vec::new();
        self.execute_into(arguments, results, (&UNLIMITED).into(), Control::default(), Some(&mut kernels))?;
        Ok(kernels)
    }

    /// Under one control on lanes, and under another should the interpreter have to do it.
    fn execute_into(
        &self,
        arguments: &[Flat],
        results: &mut Vec<Flat>,
        control: Control<'_>,
        interpreted: Control<'_>,
        kernels: Option<&mut Vec<Kernel>>,
    ) -> Result<()> {
        let Program { names, function, .. } = &self.program;
        Error::lengths("the list of arguments", names.len(), arguments.len())?;
        for ((param, name), argument) in function.params.iter().zip(names).zip(arguments) {
            argument.check(name, self.program.type_of(*param))?;
        }
        if let Ok(code) = &self.assembled {
            results.resize_with(code.outputs.len(), Flat::default);
            let mut watch = Watch::new(control);
            watch.profile = kernels.is_some().then(Default::default);
            let ran = self.with_machine(code, &watch, |machine| {
                code.inputs.iter().zip(arguments).try_for_each(|(port, flat)| ports::lend(machine, port, flat))?;
                machine.run().ok()?;
                for (k, (out, result)) in code.outputs.iter().zip(&mut *results).enumerate() {
                    ports::give(machine, out, &code.outputs[k + 1..], result);
                }
                Some(())
            });
            if ran.is_some() {
                if let (Some(kernels), Some(profile)) = (kernels, watch.profile.take()) {
                    *kernels = profile::kernels(profile, code, self.lowered().0);
                }
                return Ok(());
            }
            watch.error(code, self.lowered().0).map_or(Ok(()), Err)?;
        }
        let arguments: Vec<Value<f64>> = arguments.iter().map(Flat::to_value).collect();
        *results = interpret::run(&self.program, &arguments, interpreted)?.iter().map(Flat::from).collect();
        Ok(())
    }

    /// The results on lanes, or why the run was ended; nothing if the interpreter has to do it.
    fn execute(&self, arguments: &[Value<f64>], control: Control<'_>) -> Option<Result<Vec<Value<f64>>>> {
        let code = self.assembled.as_ref().ok()?;
        let watch = Watch::new(control);
        let results: Option<Vec<_>> = self.with_machine(code, &watch, |machine| {
            code.inputs.iter().zip(arguments).try_for_each(|(port, value)| ports::put(machine, port, value))?;
            machine.run().ok()?;
            code.outputs.iter().map(|out| ports::take(machine, out)).collect()
        });
        results.map(Ok).or_else(|| watch.error(code, self.lowered().0).map(Err))
    }

    /// Does something with a machine, whose memory then is for the next.
    fn with_machine<'m, T>(
        &'m self,
        code: &'m Assembled,
        watch: &'m Watch<'m>,
        inside: impl FnOnce(&mut Machine<'m>) -> T,
    ) -> T {
        let spare = || self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let workspace = spare().pop().unwrap_or_default();
        let mut machine = Machine::new(code, watch, workspace);
        let known = code.inputs.iter().rev().zip(self.constants.iter().rev());
        let lent = known.map(|(port, flat)| ports::lend(&mut machine, port, flat)).all(|lent| lent.is_some());
        assert!(lent, "constants are of the kinds that the code was made for");
        let result = inside(&mut machine);
        spare().push(machine.workspace());
        result
    }
}

//! Programs compiled for an executor: run by it, and by the interpreter where it cannot.
//!
//! Law: results are those of the bare executor, errors those of the interpreter, and a run that it had to do says so
//! (tests/laws/executors.rs, tests/execute/limits.rs).

use smallvec::SmallVec;

use super::contract::{Ending, Executor, Outcome, Prepared, Unsupported};
use super::{EXECUTORS, Flat, Kernel, Lent, RunReport};
use crate::array::Program;
use crate::error::{Error, Result};
use crate::interpret::{self, Control, FromValues, Limits, ToValues, Value, values};

/// A program that is ready to run, from any thread, on one of the [executors](EXECUTORS). Where its executor cannot run it, or
/// finds a fault, the reference interpreter does.
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
/// On [lanes](super::Lanes), arrays of up to eight elements whose sizes the program says become scalars, so that loops over a few
/// numbers are scalar code. Memory is kept from run to run: a second run with arguments of the same sizes allocates only what loops that
/// are shared out to threads need.
/// Arrays that do not depend on the arguments are computed when the program is compiled, unless they are large or take
/// long. A program whose reals are all `f32` is computed in single precision, with twice as many lanes in a vector register; one of several
/// precisions or of `f16`, and every program on x86-64 without AVX2, in double precision, in which every operation on `f32` or `f16` is
/// rounded, as the interpreter rounds it.
///
/// With the feature `jit`, on x86-64 and 64-bit ARM, a loop over scalars becomes code of the processor once it has run for as long as it takes
/// to make that, which is some milliseconds; what it computes has the same bits.
#[derive(Debug)]
pub struct Compiled {
    program: Program,
    bare: core::result::Result<Box<dyn Prepared>, Unsupported>,
}

/// What a run without limits may take: there is no more of either.
pub(super) const UNLIMITED: Limits = Limits { steps: u64::MAX, elements: u64::MAX };

impl Program {
    /// The program, ready to run on the vector instructions and the cores of this machine.
    ///
    /// # Errors
    /// Those of [`Executor::prepare`].
    pub fn compile(&self) -> Result<Compiled> {
        self.compile_on(EXECUTORS[0])
    }

    /// The program, ready to run on this executor.
    ///
    /// # Errors
    /// As for [`compile`](Program::compile).
    pub fn compile_on(&self, executor: &dyn Executor) -> Result<Compiled> {
        Ok(Compiled { bare: executor.prepare(self)?, program: self.clone() })
    }
}

impl Compiled {
    /// What becomes of the program: its code, in which loops over `lanes` run many iterations at a time, `~` marks what
    /// differs between them, `]!` elements that are inside of their arrays for sure, and `product` is one of matrices; or why it is interpreted. What is called constant was
    /// computed when the program was compiled.
    #[must_use]
    pub fn explain(&self) -> String {
        self.explained_passes().pop().map_or_else(String::new, |(_, code)| code)
    }

    /// How the program becomes what is [explained](Compiled::explain): the program after each pass over programs that the
    /// executor asks for and that had something to do, and the code after each pass over code, with the name of the pass.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let program = Program::trace(|xs: Arr<F64>| xs.map(|x| x * x + 1.0).sum())?.compile()?;
    /// let passes = program.explained_passes();
    /// assert_eq!(passes.iter().map(|(name, _)| *name).collect::<Vec<_>>(), [
    ///     "lowered",
    ///     "fusion of loops over lanes",
    ///     "interchange of loops over lanes",
    ///     "fusion of sequential loops",
    ///     "contraction to multiply-add",
    ///     "recognition of matrix products",
    ///     "chains of multiply-adds",
    ///     "forwarding of branch results",
    ///     "proof of accesses",
    /// ]);
    /// assert!(!passes[3].1.contains("x·y+z") && passes[4].1.contains("x·y+z"));
    /// assert_eq!(passes[8].1, program.explain());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn explained_passes(&self) -> Vec<(&'static str, String)> {
        match &self.bare {
            Ok(bare) => bare.passes(),
            Err(Unsupported { reason, .. }) => {
                vec![("interpreted", format!("interpreted, because there is {reason}"))]
            }
        }
    }

    /// The results for these arguments.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn run(&self, arguments: &[Value<f64>]) -> Result<Vec<Value<f64>>> {
        self.values_under(arguments, (&UNLIMITED).into(), Control::default()).0
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
        self.run_reported(arguments, control).0
    }

    /// The same, and how the run went: whether the interpreter had to do it, and why.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64, I64}};
    /// use catadiff::execute::{FaultKind, RunReport};
    /// use catadiff::interpret::{Limits, Value};
    /// let pick = Program::trace(|xs: Arr<F64>, i: I64| xs.index(i))?.compile()?;
    /// let xs = Value::new([1.0, 2.0])?;
    /// let (results, report) = pick.run_reported(&[xs.clone(), 1_i64.into()], &Limits::default());
    /// assert_eq!((results?, report), (vec![2.0.into()], RunReport::Bare));
    /// let (results, report) = pick.run_reported(&[xs, 5_i64.into()], &Limits::default());
    /// let RunReport::Fault(fault) = report else { panic!("the interpreter had to say what is wrong") };
    /// assert_eq!(fault.kind, FaultKind::OutOfBounds { index: 5, length: 2 });
    /// assert_eq!(results.unwrap_err(), fault.into_error());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn run_reported<'c>(
        &'c self,
        arguments: &[Value<f64>],
        control: impl Into<Control<'c>>,
    ) -> (Result<Vec<Value<f64>>>, RunReport) {
        let control = control.into();
        self.values_under(arguments, control.clone(), control)
    }

    /// The results for these arguments, both as plain numbers, as for [`Program::at`].
    ///
    /// # Errors
    /// Those of [`Program::at`].
    pub fn at<R: FromValues>(&self, arguments: impl ToValues) -> Result<R> {
        R::from_values(self.run(&values(&self.program, arguments)?)?)
    }

    /// The same, of results whose `Vec`s are as long as those in `like`, as for [`Program::at_like`].
    ///
    /// # Errors
    /// Those of [`Program::at`].
    pub fn at_like<R: FromValues>(&self, like: &R, arguments: impl ToValues) -> Result<R> {
        like.like_values(self.run(&values(&self.program, arguments)?)?)
    }

    /// Leaves the results for these arguments in memory that is used again: nothing is converted, and once the results
    /// have been as large nothing is allocated for them. What was in `results` before does not matter: they become as
    /// many, of such kinds and sizes, as the program has.
    ///
    /// # Errors
    /// Those of [`Program::run`]; then the results are unspecified. [`Error::Length`] for another number of arguments,
    /// [`Error::Argument`] with the parameter's name for one of another kind or rank.
    pub fn run_into(&self, arguments: &[Flat], results: &mut Vec<Flat>) -> Result<()> {
        self.lent_under(&lent(arguments), results, [(&UNLIMITED).into(), Control::default()], None).0
    }

    /// The same of arguments in memory that somebody else has, within limits or under a control.
    ///
    /// # Errors
    /// Those of [`run_into_within`](Compiled::run_into_within).
    pub fn run_lent<'c>(
        &'c self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        control: impl Into<Control<'c>>,
    ) -> Result<()> {
        let control = control.into();
        self.lent_under(arguments, results, [control.clone(), control], None).0
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
        self.run_into_reported(arguments, results, control).0
    }

    /// The same, and how the run went, as for [`run_reported`](Compiled::run_reported).
    pub fn run_into_reported<'c>(
        &'c self,
        arguments: &[Flat],
        results: &mut Vec<Flat>,
        control: impl Into<Control<'c>>,
    ) -> (Result<()>, RunReport) {
        let control = control.into();
        self.lent_under(&lent(arguments), results, [control.clone(), control], None)
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
        let arguments = lent(arguments);
        self.lent_under(&arguments, results, [(&UNLIMITED).into(), Control::default()], Some(&mut kernels)).0?;
        Ok(kernels)
    }

    /// Whether the executor can run the program.
    #[cfg(feature = "native")]
    pub(super) fn is_ready(&self) -> bool {
        self.bare.is_ok()
    }

    /// The program.
    #[cfg(feature = "native")]
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// The program as its executor has it.
    #[cfg(feature = "gpu")]
    pub(super) fn bare(&self) -> core::result::Result<&dyn Prepared, &Unsupported> {
        self.bare.as_deref()
    }

    /// Values, under one control by the executor, and under another should the interpreter have to do it.
    fn values_under(
        &self,
        arguments: &[Value<f64>],
        control: Control<'_>,
        interpreted: Control<'_>,
    ) -> (Result<Vec<Value<f64>>>, RunReport) {
        let mut found = None;
        let report = match &self.bare {
            Err(unsupported) => Ok(RunReport::Unsupported(unsupported.clone())),
            Ok(bare) => bare.run(arguments, control).and_then(|outcome| {
                RunReport::of(match outcome {
                    Outcome::Done { results, stepwise } => {
                        found = Some(results);
                        Ending::Done { stepwise }
                    }
                    Outcome::Fault(fault) => Ending::Fault(fault),
                    Outcome::Unsupported(unsupported) => Ending::Unsupported(unsupported),
                })
            }),
        };
        match (report, found) {
            (Err(error), _) => (Err(error), RunReport::Bare),
            (Ok(report), Some(results)) => (Ok(results), report),
            (Ok(report), None) => (interpret::run(&self.program, arguments, &interpreted), report),
        }
    }

    /// The same for flat arguments and results. If `kernels` are wanted, each gets the profile of its loop.
    fn lent_under(
        &self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        controls: [Control<'_>; 2],
        kernels: Option<&mut Vec<Kernel>>,
    ) -> (Result<()>, RunReport) {
        let ran = self.left_under(arguments, results, controls, kernels);
        // What comes from values without elements does not say its kind.
        for (result, of) in results.iter_mut().zip(&self.program.function.body.results) {
            result.of_kind_if_empty(self.program.atom_type(*of).prim);
        }
        ran
    }

    fn left_under(
        &self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        [control, interpreted]: [Control<'_>; 2],
        kernels: Option<&mut Vec<Kernel>>,
    ) -> (Result<()>, RunReport) {
        if let Err(error) = fitting(&self.program, arguments) {
            return (Err(error), RunReport::Bare);
        }
        let report = match (&self.bare, kernels) {
            (Err(unsupported), _) => Ok(RunReport::Unsupported(unsupported.clone())),
            (Ok(bare), None) => bare.run_into(arguments, results, control).and_then(RunReport::of),
            (Ok(bare), Some(kernels)) => bare.profile(arguments, results, control).and_then(|(ending, found)| {
                *kernels = found;
                RunReport::of(ending)
            }),
        };
        let report = match report {
            Err(ended) => return (Err(ended), RunReport::Bare),
            Ok(report) if !report.fell_back() => return (Ok(()), report),
            Ok(report) => report,
        };
        let arguments: Vec<Value<f64>> = arguments.iter().map(|argument| argument.to_value()).collect();
        let found = interpret::run(&self.program, &arguments, interpreted);
        (found.map(|found| *results = found.iter().map(Flat::from).collect()), report)
    }
}

/// The arguments where they are; few of them take no memory.
fn lent(arguments: &[Flat]) -> SmallVec<[Lent<'_>; 8]> {
    arguments.iter().map(Flat::lent).collect()
}

fn fitting(program: &Program, arguments: &[Lent<'_>]) -> Result<()> {
    let Program { names, function, .. } = program;
    Error::lengths("the list of arguments", names.len(), arguments.len())?;
    let mut params = function.params.iter().zip(names).zip(arguments);
    params.try_for_each(|((param, name), argument)| argument.check(name, program.type_of(*param)))
}

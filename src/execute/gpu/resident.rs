//! Arrays that stay on a GPU: results of one run that are arguments of the next, with no copy and no wait between them.
//!
//! Law: a run on resident arrays has the results of a run; what a program gets wrong is an error when results are fetched, at the
//! latest, and it is that of the first run that went wrong (tests/gpu/resident.rs).

use std::sync::{Arc, OnceLock};

use pollster::block_on;
use rustc_hash::FxHashSet;

use super::arrival::Wait;
use super::bytes::{constant, downloaded, from_words, range, scalar, uploaded};
use super::device::{Device, Gpu, Memory, refused};
use super::kind::Word;
use super::prepared::Ready;
use super::range::Range;
use super::run::{Found, Input, Run, Stop};
use super::submission::{FAULT_BYTES, to_words};
use super::transfer::{self, Transfer};
use crate::array::{Const, Prim, Type};
use crate::error::{Error, Result};
use crate::execute::compiled::UNLIMITED;
use crate::execute::{Compiled, Ending, Flat};
use crate::interpret::Control;

/// An array or a scalar in the memory of a GPU. Copies are the same memory, which nothing changes.
#[derive(Debug, Clone)]
pub struct Resident {
    prim: Prim,
    sizes: Vec<usize>,
    /// What is known of its integers.
    range: Range,
    at: At,
    device: Arc<Device>,
    /// The run that it is a result of.
    run: Option<Arc<Past>>,
}

/// Where it is.
#[derive(Debug, Clone)]
enum At {
    Host(Const),
    Device(Arc<Memory>),
}

/// A run of which it is not known yet whether it went well.
#[derive(Debug)]
struct Past {
    program: Arc<Ready>,
    inputs: Vec<Input>,
    /// It begins with the words of a fault.
    state: Arc<Memory>,
    /// The runs that it had arguments from.
    before: Vec<Arc<Past>>,
    /// How many runs one after the other end with it.
    depth: usize,
    ended: OnceLock<core::result::Result<(), Error>>,
}

/// How many runs there may be one after the other of which it is not known how they went: their arguments are kept.
const MAX_DEPTH: usize = 64;
/// How many bytes these arguments may have together.
const MAX_WAITING: u64 = 1 << 28;

impl Resident {
    /// The sizes, outermost first; none for a scalar.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The kind of the elements.
    #[must_use]
    pub fn prim(&self) -> Prim {
        self.prim
    }

    fn bytes(&self) -> u64 {
        self.sizes.iter().product::<usize>() as u64 * Word::of(self.prim).stored().bytes()
    }

    /// What the bytes of the device say.
    fn of_bytes(&self, bytes: &[u8]) -> Flat {
        match (&self.at, self.sizes.is_empty()) {
            (At::Host(constant), _) => scalar(*constant),
            (At::Device(_), true) => scalar(from_words(self.prim, &to_words(bytes))),
            (At::Device(_), false) => downloaded(self.prim, &self.sizes, bytes),
        }
    }

    fn input(&self) -> Input {
        match (&self.at, self.sizes.is_empty()) {
            (At::Host(constant), _) => Input::Scalar(*constant),
            (At::Device(memory), true) => Input::Cell(memory.clone(), self.range),
            (At::Device(memory), false) => {
                Input::Array { memory: memory.clone(), sizes: self.sizes.clone(), range: self.range }
            }
        }
    }
}

impl Gpu {
    /// Puts an array or a scalar into the memory of this GPU.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no room; [`Error::Argument`] for an integer that its kind has no room for.
    pub fn put(&self, flat: &Flat) -> Result<Resident> {
        let device = self.0.clone();
        let (prim, sizes) = (flat.prim, flat.sizes().to_vec());
        let lent = flat.lent();
        lent.check("what is put on a GPU", Type::array(prim, sizes.len()))?;
        let at = if sizes.is_empty() {
            At::Host(constant(lent, prim).ok_or(Error::Empty { what: "a scalar" })?)
        } else {
            At::Device(device.put(&uploaded(prim, lent))?)
        };
        Ok(Resident { prim, sizes, range: range(prim, lent), at, device, run: None })
    }

    /// Waits for an array or a scalar, and fetches it.
    ///
    /// # Errors
    /// What went wrong in the run that it is a result of, or in those before; [`Error::Device`] if the device was lost.
    pub fn get(&self, of: &Resident) -> Result<Flat> {
        block_on(self.fetch(of, Wait::Blocking))
    }

    /// The same, without waiting for it.
    ///
    /// # Errors
    /// As for [`get`](Gpu::get).
    pub async fn get_async(&self, of: &Resident) -> Result<Flat> {
        self.fetch(of, Wait::Async).await
    }

    async fn fetch(&self, of: &Resident, wait: Wait) -> Result<Flat> {
        if !Arc::ptr_eq(&self.0, &of.device) {
            return Err(refused("this array is on another device"));
        }
        let array = if let At::Device(memory) = &of.at { Some((&memory.buffer, 0, of.bytes())) } else { None };
        let (transfer, past) = ask(&self.0, of.run.as_ref(), array)?;
        let bytes = transfer.come(&self.0, wait).await?;
        answer(&past, &bytes, wait).await;
        of.run.as_ref().map_or(Ok(()), |run| run.end())?;
        Ok(of.of_bytes(bytes.get(past.len()).map_or(&[], Vec::as_slice)))
    }
}

/// Begins to fetch how a run and those before it have ended, as far as that is not known, the first of them first; and an array.
fn ask(
    device: &Device,
    run: Option<&Arc<Past>>,
    array: Option<transfer::Range<'_>>,
) -> Result<(Transfer, Vec<Arc<Past>>)> {
    let mut past = Vec::new();
    run.into_iter().for_each(|run| run.unknown(&mut past));
    let mut ranges: Vec<transfer::Range<'_>> = past.iter().map(|run| (&run.state.buffer, 0, FAULT_BYTES)).collect();
    ranges.extend(array);
    Ok((Transfer::begin(device, &ranges)?, past))
}

/// Says how runs have ended.
async fn answer(past: &[Arc<Past>], bytes: &[Vec<u8>], wait: Wait) {
    for (run, fault) in past.iter().zip(bytes) {
        run.set_ended(to_words(fault)[0] == 0, wait).await;
    }
}

impl Past {
    /// This and those before of which it is not known how they ended, in order.
    fn unknown(self: &Arc<Self>, all: &mut Vec<Arc<Past>>) {
        if self.ended.get().is_none() && !all.iter().any(|other| Arc::ptr_eq(self, other)) {
            self.before.iter().for_each(|run| run.unknown(all));
            all.push(self.clone());
        }
    }

    /// How many bytes are kept for it and for those before of which it is not known how they ended.
    fn waiting(self: &Arc<Self>) -> u64 {
        let mut all = Vec::new();
        self.unknown(&mut all);
        let mut seen = FxHashSet::default();
        let arrays = all.iter().flat_map(|run| &run.inputs).filter_map(|input| match input {
            Input::Array { memory, .. } => seen.insert(Arc::as_ptr(memory)).then(|| memory.buffer.size()),
            Input::Scalar(_) | Input::Cell(..) => None,
        });
        arrays.sum()
    }

    /// Says how it ended. What has failed because something before it has is the fault of that.
    async fn set_ended(&self, well: bool, wait: Wait) {
        let before = self.before.iter().find_map(|run| run.ended.get().and_then(|ended| ended.clone().err()));
        let ended = match (before, well) {
            (Some(error), _) => Err(error),
            (None, true) => Ok(()),
            (None, false) => Err(self.wrong(wait).await),
        };
        // Who else has asked was given the same answer.
        self.ended.get_or_init(|| ended);
    }

    fn end(&self) -> Result<()> {
        self.ended.get().expect("how the run ended was fetched").clone()
    }

    /// What is wrong, found out statement by statement.
    async fn wrong(&self, wait: Wait) -> Error {
        match self.program.step_by_step(&self.inputs, &mut Vec::new(), &unlimited(), wait).await {
            Ok(ending) => error(ending),
            Err(error) => error,
        }
    }
}

impl Compiled {
    /// Runs the program on the GPU that it is compiled for, on arguments that are there, and leaves the results there. It does not
    /// wait, unless the program has sizes or branches that depend on what it computes.
    ///
    /// ```no_run
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// use catadiff::execute::{Flat, gpu::Gpu};
    /// let gpu = Gpu::new()?;
    /// let step = Program::trace(|x: Arr<F64>| x.map(|x| x - (x * x - 2.0) / (x * 2.0)))?.compile_on(&gpu)?;
    /// let mut x = vec![gpu.put(&Flat::reals(&[2], vec![1.0, 3.0])?)?];
    /// for _ in 0..6 {
    ///     let arguments = core::mem::take(&mut x);
    ///     step.run_on(&[&arguments[0]], &mut x)?;
    /// }
    /// let roots = gpu.get(&x[0])?;
    /// assert!(roots.as_reals().unwrap().iter().all(|x| (x - 2.0_f64.sqrt()).abs() < 1e-12));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Device`] if the program is not compiled for a GPU, or not supported there, and for arguments of another device;
    /// [`Error::Length`] and [`Error::Argument`] for other arguments than the program takes. What the program gets wrong is an
    /// error here or when a result is [fetched](Gpu::get).
    pub fn run_on(&self, arguments: &[&Resident], results: &mut Vec<Resident>) -> Result<()> {
        let on = self.on_gpu()?;
        fitting(on, arguments)?;
        *results = block_on(run(on, arguments, Wait::Blocking))?;
        Ok(())
    }

    /// The same without standing still where the host has to know what the device computes. In the browser this is the one to use: no
    /// page can wait there.
    ///
    /// # Errors
    /// As for [`run_on`](Compiled::run_on).
    pub async fn run_on_async(&self, arguments: &[&Resident]) -> Result<Vec<Resident>> {
        let on = self.on_gpu()?;
        fitting(on, arguments)?;
        run(on, arguments, Wait::Async).await
    }

    /// Runs the program `times` times, each on what the run before has left in place of the first arguments, and then the constants.
    ///
    /// What is left is all results: those beyond the arguments that they take the place of, such as the loss before a
    /// [step](crate::solvers::Optimiser::step), lie behind them. When it begins they may be there or not.
    ///
    /// # Errors
    /// As for [`run_on`](Compiled::run_on); and [`Error::Length`] if the program has fewer results than it takes, or the state is as long
    /// as neither.
    pub fn repeat(&self, times: usize, state: &mut Vec<Resident>, constants: &[&Resident]) -> Result<()> {
        let on = self.on_gpu()?;
        let (taken, results) = (on.program.names().len().saturating_sub(constants.len()), on.plan.code.outputs.len());
        if results < taken || state.len() != taken {
            Error::lengths("the state that is repeated", results.max(taken), state.len())?;
        }
        for _ in 0..times {
            let arguments: Vec<&Resident> = state[..taken].iter().chain(constants.iter().copied()).collect();
            fitting(on, &arguments)?;
            *state = block_on(run(on, &arguments, Wait::Blocking))?;
        }
        Ok(())
    }

    fn on_gpu(&self) -> Result<&Arc<Ready>> {
        match self.bare() {
            Ok(bare) => (bare as &dyn core::any::Any)
                .downcast_ref::<Arc<Ready>>()
                .ok_or_else(|| refused("this program is not compiled for a GPU: compile it by `compile_on(&gpu)`")),
            Err(unsupported) => Err(refused(format!("the GPU cannot run this program: {unsupported}"))),
        }
    }
}

/// Checks that arguments are those that a program takes.
fn fitting(on: &Arc<Ready>, arguments: &[&Resident]) -> Result<()> {
    let (params, names) = (&on.program.function().params, on.program.names());
    Error::lengths("the list of arguments", params.len(), arguments.len())?;
    for ((param, name), argument) in params.iter().zip(names).zip(arguments) {
        let expected = on.program.type_of(*param);
        if !Arc::ptr_eq(&on.device, &argument.device) {
            return Err(refused(format!("the argument `{name}` is on another device")));
        }
        if expected.prim != argument.prim || expected.rank != argument.sizes.len() {
            let found = Type::array(argument.prim, argument.sizes.len()).to_string();
            return Err(Error::Argument { name: name.clone(), expected: expected.to_string(), found });
        }
    }
    Ok(())
}

async fn run(on: &Arc<Ready>, arguments: &[&Resident], wait: Wait) -> Result<Vec<Resident>> {
    let inputs: Vec<Input> = arguments.iter().map(|argument| argument.input()).collect();
    let mut before: Vec<Arc<Past>> = Vec::new();
    // What is known to have ended well need not be kept.
    let went_well = |past: &Arc<Past>| matches!(past.ended.get(), Some(Ok(())));
    for past in arguments.iter().filter_map(|argument| argument.run.clone()).filter(|past| !went_well(past)) {
        if !before.iter().any(|other| Arc::ptr_eq(&past, other)) {
            before.push(past);
        }
    }
    let control = unlimited();
    let plan = on.plan_for(&inputs);
    let mut run = Run::new(&on.device, &plan, &control, wait)?;
    let found = match run.go(&inputs).await {
        Ok(found) => found,
        Err(Stop::Device(error)) => return Err(error),
        Err(Stop::Ended(ending)) => return Err(error(ending)),
        Err(Stop::Failed) => return at_second_attempt(on, &inputs, wait).await,
    };
    let mut results = Vec::new();
    for (found, output) in found.into_iter().zip(&plan.code.outputs) {
        let prim = plan.kind(output);
        let (sizes, range, at) = match found {
            Found::Scalar(constant) => (Vec::new(), Range::of(constant), At::Host(constant)),
            Found::Cell(at, range) => {
                (Vec::new(), range, At::Device(run.submission.copy_of_cells(at, Word::of(prim).bytes())?))
            }
            Found::Array { memory, sizes, range } => (sizes, range, At::Device(memory)),
        };
        results.push(Resident { prim, sizes, range, at, device: on.device.clone(), run: None });
    }
    let depth = 1 + before.iter().map(|run| run.depth).max().unwrap_or(0);
    let state = run.submission.state();
    let past = Arc::new(Past { program: on.clone(), inputs, state, before, depth, ended: OnceLock::new() });
    if depth >= MAX_DEPTH || past.waiting() > MAX_WAITING {
        settle(&past, wait).await?;
    } else {
        results.iter_mut().for_each(|result| result.run = Some(past.clone()));
    }
    Ok(results)
}

/// Waits until it is known how a run and those before it have ended, so that nothing of them has to be kept.
async fn settle(past: &Arc<Past>, wait: Wait) -> Result<()> {
    let (transfer, unknown) = ask(&past.program.device, Some(past), None)?;
    let bytes = transfer.come(&past.program.device, wait).await?;
    answer(&unknown, &bytes, wait).await;
    past.end()
}

/// The results where the plan takes for granted what does not hold, statement by statement; or what is wrong.
async fn at_second_attempt(on: &Arc<Ready>, inputs: &[Input], wait: Wait) -> Result<Vec<Resident>> {
    let mut results = Vec::new();
    match on.step_by_step(inputs, &mut results, &unlimited(), wait).await? {
        Ending::Done { .. } => results.iter().map(|flat| Gpu(on.device.clone()).put(flat)).collect(),
        ending => Err(error(ending)),
    }
}

fn unlimited() -> Control<'static> {
    (&UNLIMITED).into()
}

/// What is wrong with a run whose results are not there.
fn error(ending: Ending) -> Error {
    match ending {
        Ending::Fault(fault) => fault.into_error(),
        Ending::Unsupported(unsupported) => refused(format!("the GPU cannot run this: {unsupported}")),
        Ending::Done { .. } => refused(
            "the program takes for granted what these arguments do not keep to: run it by `run_into`, which begins anew",
        ),
    }
}

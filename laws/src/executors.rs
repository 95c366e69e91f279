//! Laws of executors: each is the reference interpreter, faster.
//!
//! Law: for every program and all arguments an executor by itself gives what the interpreter gives, up to the order of
//! sums; where the interpreter finds a fault, it finds a fault of that kind in that statement, or gives the results
//! that do not need what is wrong. A run within its limits is a run without (tests/laws/executors.rs).

use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Once;

use catadiff::array::Program;
use catadiff::execute::{EXECUTORS, Executor, Fault, FaultKind, Interpreter, Outcome, Prepared};
use catadiff::interpret::{Cancel, Control, Limits, Scalar, Value};

use crate::array_faults::planted;
use crate::array_programs::{ArrayProgram, LongProgram};
use crate::array_values::{all_close, list, violation};
use crate::executor_families::{self as families, Family};
pub use crate::executor_sides::Sides;
use crate::executor_sides::{Ask, Ended, Exactness, LAW, TOLERANCE, shown};
use crate::runner::{for_all, in_proportion};
use crate::violation::{Verdict, Violation};

/// The executors that this machine has. What it lacks is omitted, and said on standard error, once; where the variable `CATADIFF_GPU`
/// of the environment is `required` nothing is omitted, so that a test of it fails. The C compiler is among them where `CATADIFF_NATIVE` is set,
/// and ranks where the process has joined them.
pub fn at_hand() -> Vec<&'static dyn Executor> {
    static SAID: Once = Once::new();
    let required = std::env::var("CATADIFF_GPU").is_ok_and(|value| value == "required");
    let is_here = |executor: &&dyn Executor| match executor.available() {
        Err(error) if !required => {
            SAID.call_once(|| eprintln!("SKIPPED: all tests of the executor `{}`: {error}", executor.name()));
            false
        }
        Ok(()) | Err(_) => true,
    };
    // A C compiler takes a fifth of a second for each program, and there are thousands.
    let is_quick = |executor: &&dyn Executor| executor.name() != "native" || std::env::var("CATADIFF_NATIVE").is_ok();
    // A process that is no rank of a job has no other ranks to ask.
    let is_joined = |executor: &&dyn Executor| !executor.name().starts_with("mpi") || executor.available().is_ok();
    EXECUTORS.iter().copied().filter(is_quick).filter(is_joined).filter(is_here).collect()
}

/// How many runs ended how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// With results, at the first attempt.
    pub done: usize,
    /// With results, at the second attempt.
    pub stepwise: usize,
    /// With the fault of the interpreter.
    pub faults: usize,
    /// With results that do not need what the interpreter finds wrong.
    pub unneeded: usize,
    /// Not at all, since the executor cannot run the program.
    pub unsupported: usize,
    /// With results of which few digits are right, and which are other digits than those of the interpreter.
    pub unsettled: usize,
}

/// How many runs of a [`suite`] may end otherwise than is best, where it draws as many programs as it does by default; where
/// `QUICKCHECK_TESTS` asks for more, they may be more in proportion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// [Not at all](Tally::unsupported).
    pub unsupported: usize,
    /// [At the second attempt](Tally::stepwise).
    pub stepwise: usize,
    /// [Without what is wrong](Tally::unneeded), beyond what the simplifier leaves out.
    pub unneeded: usize,
    /// [With sums of which few digits are right](Tally::unsettled), of many elements.
    pub unsettled: usize,
}

/// Every law of executors, of this one: values and faults of random programs, of such with a fault planted in them, of such over
/// many elements, and of families of programs at sizes at and beside those where executors change their way; arguments of other
/// types; limits and cancellation.
///
/// ```no_run
/// use catadiff::execute::Interpreter;
/// use catadiff_laws::executors::{Allowance, suite};
/// let tally = suite(&Interpreter, Allowance::default()).unwrap();
/// assert_eq!((tally.unsupported, tally.stepwise), (0, 0));
/// ```
///
/// # Errors
/// The violation.
pub fn suite(executor: &dyn Executor, allowed: Allowance) -> Result<Tally, Violation> {
    // What takes least time runs first.
    for Family { program, arguments } in families::arguments() {
        arguments.iter().try_for_each(|arguments| refuses(executor, &program, arguments))?;
    }
    ended_runs(executor)?;
    let tally = RefCell::new(Tally::default());
    let ask = |sides: &Sides<'_>, arguments: &[Value<f64>]| {
        let ended = sides.judge(Ask { exactness: Exactness::Operands, ..Ask::on(arguments) })?;
        let has_results = matches!(ended, Ended::Unneeded | Ended::Done | Ended::Stepwise);
        tally.borrow_mut().count(ended);
        tally.borrow().keeps_to(allowed, executor.name())?;
        Ok(has_results)
    };
    for Family { program, arguments } in families::faults() {
        let sides = Sides::of(executor, &program)?;
        for arguments in arguments {
            if ask(&sides, &arguments)? {
                return Err(violation(
                    "a fault that results need is found",
                    &program,
                    &arguments,
                    "results",
                    "a fault",
                ));
            }
        }
    }
    for Family { program, arguments } in families::no_faults().into_iter().chain(families::values()) {
        let sides = Sides::of(executor, &program)?;
        for arguments in arguments {
            let before = tally.borrow().faults;
            ask(&sides, &arguments)?;
            if tally.borrow().faults > before {
                let law = "the interpreter finds no fault where there is none";
                return Err(violation(law, &program, &arguments, "a fault", "results"));
            }
        }
    }
    random_programs(executor, allowed, &tally)?;
    Ok(tally.into_inner())
}

/// Of a [`suite`] what is random: values and faults of random programs, of such with a fault planted in them, and of such over
/// many elements. What became of the runs is added up.
///
/// # Errors
/// The violation.
fn random_programs(executor: &dyn Executor, allowed: Allowance, tally: &RefCell<Tally>) -> Verdict {
    let ask = |program: &Program, all: &[Vec<Value<f64>>]| {
        let sides = Sides::of(executor, program)?;
        all.iter().try_for_each(|arguments| {
            tally.borrow_mut().count(sides.judge(Ask::on(arguments))?);
            tally.borrow().keeps_to(allowed, executor.name())
        })
    };
    for_all(|random: ArrayProgram| {
        let (program, arguments) = (random.program(), random.arguments());
        let (lengths, columns) = OTHERS[program.types().len() % OTHERS.len()];
        ask(&program, &[arguments.clone(), random.arguments_of(lengths, columns)])?;
        let mut wrong = (0..PLANTED).filter_map(|which| planted(&program, which));
        wrong.try_for_each(|wrong| ask(&wrong, core::slice::from_ref(&arguments)))
    })?;
    for_all(|random: LongProgram| {
        past_blocks(executor, &random, tally)?;
        tally.borrow().keeps_to(allowed, executor.name())
    })
}

/// Of a [`suite`] what is random, in single precision alone: random programs of which all reals are singles, on arguments that are. Results
/// are within what other roundings of the same operations make of them. Programs that name the bits of doubles are omitted.
///
/// # Errors
/// The violation.
pub fn singles(executor: &dyn Executor, allowed: Allowance) -> Result<Tally, Violation> {
    let tally = RefCell::new(Tally::default());
    for_all(|random: ArrayProgram| {
        let Ok(program) = Program::parse(&random.program().to_string().replace("f64", "f32")) else { return Ok(()) };
        let sides = Sides::of(executor, &program)?;
        let (lengths, columns) = OTHERS[program.types().len() % OTHERS.len()];
        for arguments in [random.arguments(), random.arguments_of(lengths, columns)] {
            let arguments: Vec<Value<f64>> = arguments.iter().map(narrowed).collect();
            tally.borrow_mut().count(sides.judge(Ask::on(&arguments))?);
            tally.borrow().keeps_to(allowed, executor.name())?;
        }
        Ok(())
    })?;
    Ok(tally.into_inner())
}

/// The same with singles for doubles.
fn narrowed(value: &Value<f64>) -> Value<f64> {
    let single = |scalar: &Scalar<f64>| match scalar {
        Scalar::F64(x) => Scalar::F32(f64::from(*x as f32)),
        other => *other,
    };
    match value {
        Value::Scalar(scalar) => Value::Scalar(single(scalar)),
        array => Value::array(array.sizes(), array.elements().iter().map(single).collect()).expect("as many elements"),
    }
}

/// Lengths of arrays, and of rows, that fit few random programs.
const OTHERS: [([usize; 4], usize); 4] =
    [([3, 4, 2, 5], 3), ([0, 1, 2, 3], 2), ([17, 16, 40, 33], 17), ([129, 130, 5, 64], 2)];
/// In how many places of a random program a fault is planted.
const PLANTED: usize = 2;

impl Tally {
    /// No more runs ended otherwise than is best than are allowed.
    fn keeps_to(&self, allowed: Allowance, executor: &str) -> Verdict {
        let within = [
            ("no more runs are unsupported than are allowed", self.unsupported, allowed.unsupported),
            ("no more runs need a second attempt than are allowed", self.stepwise, allowed.stepwise),
            ("no more faults are missed as unneeded than are allowed", self.unneeded, allowed.unneeded),
            ("no more sums are left unjudged than are allowed", self.unsettled, allowed.unsettled),
        ];
        within.into_iter().try_for_each(|(law, found, allowed)| {
            let allowed = in_proportion(allowed);
            if found <= allowed {
                return Ok(());
            }
            let instances = vec![("executor".into(), executor.into())];
            Err(Violation { law: law.into(), instances, left: found.to_string(), right: allowed.to_string() })
        })
    }

    fn count(&mut self, ended: Ended) {
        match ended {
            Ended::Done => self.done += 1,
            Ended::Stepwise => self.stepwise += 1,
            Ended::Fault => self.faults += 1,
            Ended::Unneeded => self.unneeded += 1,
            Ended::Unsupported(_) => self.unsupported += 1,
            Ended::Unsettled => self.unsettled += 1,
            Ended::Limited => {}
        }
    }
}

/// A program under an executor and interpreted, on some arguments: the executor can run it, at the first attempt.
///
/// # Errors
/// The violation.
pub fn same(executor: &dyn Executor, program: &Program, arguments: &[Value<f64>]) -> Verdict {
    Sides::of(executor, program)?.same(arguments)
}

/// The same, or the executor cannot run it; what became of the run is added up.
///
/// # Errors
/// The violation.
pub fn counted(
    executor: &dyn Executor,
    program: &Program,
    arguments: &[Value<f64>],
    tally: &RefCell<Tally>,
) -> Verdict {
    let ended = Sides::of(executor, program)?.judge(Ask::on(arguments))?;
    tally.borrow_mut().count(ended);
    Ok(())
}

/// The same, if the executor can run it: whether it can.
///
/// # Errors
/// The violation.
pub fn same_if_supported(
    executor: &dyn Executor,
    program: &Program,
    arguments: &[Value<f64>],
) -> Result<bool, Violation> {
    let ended = Sides::of(executor, program)?.judge(Ask::on(arguments))?;
    Ok(!matches!(ended, Ended::Unsupported(_)))
}

/// A random program over more elements than are taken in one block, or by one worker, and where these are not too many
/// its derivative: the executor is the interpreter. What became of the runs is added up. One program of eight runs,
/// since many elements take long.
///
/// # Errors
/// The violation.
fn past_blocks(executor: &dyn Executor, random: &LongProgram, tally: &RefCell<Tally>) -> Verdict {
    if !random.is_asked() {
        return Ok(());
    }
    let (program, arguments) = (random.program(), random.arguments());
    let ask = |program: &Program, arguments: &[Value<f64>]| {
        let ask = Ask { within: Some(Limits::default()), ..Ask::on(arguments) };
        let ended = Sides::of(executor, program)?.judge(ask)?;
        tally.borrow_mut().count(ended);
        Ok(())
    };
    ask(&program, &arguments)?;
    if random.rows() >= 1024 {
        return Ok(());
    }
    match (program.vjp(), program.run(&arguments)) {
        (Ok(vjp), Ok(results)) => ask(&vjp, &[arguments, results].concat()),
        _ => Ok(()),
    }
}

/// Arguments that are not those a program takes are an error, the same as of the interpreter, and not a fault.
fn refuses(executor: &dyn Executor, program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let refused = |error: catadiff::Error| violation(LAW, program, arguments, error, "a program that can be run");
    let Ok(prepared) = executor.prepare(program).map_err(refused)? else { return Ok(()) };
    let interpreted = Interpreter.prepare(program).map_err(refused)?.expect("the interpreter runs every program");
    let run = |prepared: &dyn Prepared| prepared.run(arguments, Control::default());
    let (found, expected) = (run(&*prepared), run(&*interpreted));
    if expected.is_err() && found == expected {
        return Ok(());
    }
    let law = "arguments of other types are refused";
    Err(violation(law, program, arguments, format!("{found:?}"), format!("{expected:?}")))
}

/// Runs that go on for ages, and such that need memory, end where they are not allowed that, or it is not wished; and the next
/// run is right.
fn ended_runs(executor: &dyn Executor) -> Verdict {
    for family in families::endless() {
        let refused = |error: catadiff::Error| violation(LAW, &family.program, &family.long, error, "a run");
        let Ok(prepared) = executor.prepare(&family.program).map_err(refused)? else { continue };
        let cancelled = Cancel::new();
        cancelled.cancel();
        let limits = family.limits;
        let ways = [
            (Control::from(&limits), FaultKind::Budget { what: family.what, limit: family.limit() }),
            (Control::from(&limits).cancelled_by(&cancelled), FaultKind::Cancelled),
        ];
        for (control, expected) in ways {
            let found = prepared.run(&family.long, control).map_err(refused)?;
            let may = |fault: &Fault| {
                fault.kind == expected || family.what == "elements" && matches!(fault.kind, FaultKind::Budget { .. })
            };
            if !matches!(&found, Outcome::Fault(fault) if may(fault)) {
                let law = "a run is ended by its limits, or a wish";
                return Err(violation(law, &family.program, &family.long, shown(&found), format!("{expected:?}")));
            }
            let short = prepared.run(&family.short, Control::from(&limits)).map_err(refused)?;
            let right =
                matches!(&short, Outcome::Done { results, .. } if all_close(results, &family.results, TOLERANCE));
            if !right {
                let law = "a run after one that was ended is as if that had not been";
                let expected = list(&family.results);
                return Err(violation(law, &family.program, &family.short, shown(&short), expected));
            }
        }
    }
    Ok(())
}

/// Starts a run under this control, and counts its steps.
pub fn steps_counted<T>(control: Control<'_>, run: impl FnOnce(Control<'_>) -> T) -> (T, u64) {
    let steps = AtomicU64::new(0);
    let note = |taken| {
        steps.fetch_max(taken, Ordering::Relaxed);
    };
    let result = run(control.with_progress(1, &note));
    (result, steps.into_inner())
}

/// A run within as many steps as it takes is a run without limits; within one less it is an error, and so is one that is
/// cancelled; and whatever became of a run, the next of the same compiled program is right. Returns how many steps it
/// takes, which does not depend on the number of threads.
///
/// # Errors
/// The violation.
pub fn keeps_to_limits(executor: &dyn Executor, program: &Program, arguments: &[Value<f64>]) -> Result<u64, Violation> {
    let refused = |error: catadiff::Error| violation(LAW, program, arguments, error, "a run");
    let prepared = executor.prepare(program).map_err(refused)?;
    let prepared = prepared.map_err(|why| violation(LAW, program, arguments, why, "a program that can be run"))?;
    let run = |control: Control<'_>| match prepared.run(arguments, control) {
        Ok(Outcome::Fault(Fault { kind: FaultKind::Budget { what, limit }, .. })) => {
            format!("no more {what} than {limit}")
        }
        Ok(Outcome::Fault(Fault { kind: FaultKind::Cancelled, .. })) => "cancelled".to_owned(),
        Ok(outcome) => shown(&outcome),
        Err(error) => error.to_string(),
    };
    let Ok(Outcome::Done { results, stepwise: false }) = prepared.run(arguments, Control::default()) else {
        return Ok(0);
    };
    let expected = list(&results);
    let is = |found: String, expected: &str| {
        if found == expected { Ok(()) } else { Err(violation(LAW, program, arguments, &found, expected)) }
    };
    let (found, steps) = steps_counted(Control::default(), run);
    is(found, &expected)?;
    let within = |steps| Control::from(&Limits { steps, ..Limits::default() });
    is(run(within(steps)), &expected)?;
    if let Some(fewer) = steps.checked_sub(1) {
        is(run(within(fewer)), &format!("no more steps than {fewer}"))?;
    }
    let cancel = Cancel::new();
    let stop = |_| cancel.cancel();
    let found = run(Control::default().cancelled_by(&cancel).with_progress(1, &stop));
    if found != "cancelled" {
        // It was done before it looked again.
        is(found, &expected)?;
    }
    cancel.cancel();
    is(run(Control::default().cancelled_by(&cancel)), "cancelled")?;
    is(run(within(steps)), &expected)?;
    Ok(steps)
}

/// Runs of one prepared program, one after the other, are each as if it were the first, bit for bit: nothing is left of a run, whatever
/// the sizes of its arguments.
///
/// # Errors
/// The violation.
pub fn one_after_the_other(executor: &dyn Executor, program: &Program, all: &[Vec<Value<f64>>]) -> Verdict {
    let used = Sides::of(executor, program)?;
    for arguments in all {
        let new = Sides::of(executor, program)?;
        let [found, first] = [&used, &new].map(|it| it.outcome(arguments, Control::default()));
        let (found, first) = (shown(&found?), shown(&first?));
        if found != first {
            let law = "a run after others is as if it were the first";
            return Err(violation(law, program, arguments, found, first));
        }
        new.same(arguments)?;
    }
    Ok(())
}

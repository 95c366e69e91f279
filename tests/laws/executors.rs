//! The suite of executors: those that there are pass it, and executors with a mistake each do not.

use std::sync::atomic::{AtomicUsize, Ordering};

use catadiff::array::{Body, Form, Lambda, Op, Program};
#[cfg(feature = "jit")]
use catadiff::execute::NativeLanes;
use catadiff::execute::{
    BaselineLanes, Executor, Fault, FaultKind, Interpreter, Lanes, Machine, Outcome, Prepared, Unsupported,
};
use catadiff::interpret::{Control, Value};
use catadiff::{Result, Span};
use catadiff_laws::Verdict;
use catadiff_laws::executors::{Allowance, at_hand, singles, suite};

/// What lanes are allowed: rows of sizes that only their elements say; checks that are made further out than in the program; and
/// what the simplifier does not leave out, and is not needed.
const OF_LANES: Allowance = Allowance { unsupported: 8, stepwise: 40, unneeded: 10, unsettled: 4 };

/// What GPUs are allowed: no more than lanes, but that more checks are made further out.
const OF_GPUS: Allowance = Allowance { unsupported: 8, stepwise: 50, unneeded: 6, unsettled: 2 };

/// What distribution is allowed: to find sooner what is wrong where nothing needs it.
const OF_DISTRIBUTION: Allowance = Allowance { unsupported: 0, stepwise: 0, unneeded: 0, unsettled: 2 };

/// What an executor is allowed, each by itself: nothing, where it is not said.
fn allowed(executor: &dyn Executor) -> Allowance {
    match executor.name() {
        "lanes" => OF_LANES,
        "gpu" => OF_GPUS,
        _ => Allowance::default(),
    }
}

/// Every executor but the interpreter, with which they are compared, and but what is compared below.
fn compared() -> impl Iterator<Item = &'static dyn Executor> {
    at_hand().into_iter().filter(|executor| ![Interpreter.name(), "native"].contains(&executor.name()))
}

#[test]
fn executors_keep_the_contract() -> Verdict {
    for executor in compared() {
        let tally = suite(executor, allowed(executor))?;
        assert!(tally.done > 400 && tally.faults > 400, "{}: {tally:?}", executor.name());
    }
    Ok(())
}

/// Executors compute in the precision of a program, of which these have one.
#[test]
fn executors_keep_the_contract_in_single_precision() -> Verdict {
    for executor in compared() {
        let tally = singles(executor, allowed(executor))?;
        println!("{} {tally:?}", executor.name());
        assert!(tally.done > 250, "{}: {tally:?}", executor.name());
    }
    Ok(())
}

/// A processor with more never runs these versions otherwise, and singles are computed in doubles there.
#[test]
fn the_baseline_of_processors_keeps_the_contract() -> Verdict {
    let tally = suite(&BaselineLanes, OF_LANES)?;
    assert!(tally.done > 400 && tally.faults > 400, "{tally:?}");
    Ok(())
}

/// Scalar code is compiled once it has run for a while: here all of it is, before.
#[cfg(feature = "jit")]
#[test]
fn code_of_the_processor_keeps_the_contract() -> Verdict {
    let tally = suite(&NativeLanes, OF_LANES)?;
    assert!(tally.done > 400 && tally.faults > 400, "{tally:?}");
    let tally = singles(&NativeLanes, OF_LANES)?;
    assert!(tally.done > 250, "{tally:?}");
    Ok(())
}

#[test]
#[ignore = "it takes as long as that of lanes, which asks the interpreter all of it"]
fn the_interpreter_keeps_the_contract() -> Verdict {
    let tally = suite(&Interpreter, Allowance::default())?;
    assert_eq!((tally.stepwise, tally.unsupported, tally.unneeded), (0, 0, 0), "{tally:?}");
    Ok(())
}

/// The C compiler of this machine, of one program in a few: each takes it a fifth of a second.
#[cfg(feature = "native")]
#[derive(Debug)]
struct Sample(u64);

#[cfg(feature = "native")]
impl Executor for Sample {
    fn name(&self) -> &'static str {
        "native"
    }

    fn description(&self) -> &'static str {
        "the C compiler of this machine, of some programs"
    }

    fn prepare(&self, program: &Program) -> Result<std::result::Result<Box<dyn Prepared>, Unsupported>> {
        let text = program.to_string();
        let number = text.bytes().fold(0_u64, |n, byte| n.wrapping_mul(31).wrapping_add(byte.into()));
        if number.is_multiple_of(self.0) {
            return catadiff::execute::Native.prepare(program);
        }
        Ok(Err(Unsupported { statement: None, reason: "another program that is tried" }))
    }
}

#[cfg(feature = "native")]
#[test]
fn compiled_c_keeps_the_contract() -> Verdict {
    const EACH: u64 = 5;
    let allowed = Allowance { unsupported: usize::MAX, ..OF_LANES };
    for tally in [suite(&Sample(EACH), allowed)?, singles(&Sample(EACH), allowed)?] {
        assert!(tally.done > 40 && tally.faults > 25, "{tally:?}");
    }
    Ok(())
}

#[cfg(feature = "native")]
#[test]
#[ignore = "it compiles some two thousand programs"]
fn compiled_c_keeps_the_contract_for_all_programs() -> Verdict {
    let tally = suite(&Sample(1), OF_LANES)?;
    assert!(tally.done > 400 && tally.faults > 400, "{tally:?}");
    singles(&Sample(1), OF_LANES).map(drop)
}

/// The interpreter, of programs that are distributed for a machine that nothing fills.
#[derive(Debug)]
struct Distributed;

#[derive(Debug)]
struct DistributedProgram(Program);

const ENDLESS: Machine = Machine { threads: 1 << 40, work: 1 };
static WIDER: AtomicUsize = AtomicUsize::new(0);

impl Executor for Distributed {
    fn name(&self) -> &'static str {
        "distributed"
    }

    fn description(&self) -> &'static str {
        "the interpreter, of distributed programs"
    }

    fn prepare(&self, program: &Program) -> Result<std::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(Ok(Box::new(DistributedProgram(program.clone()))))
    }
}

impl Prepared for DistributedProgram {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        let interpreted = |program: &Program, control| match Interpreter.prepare(program)? {
            Ok(prepared) => prepared.run(arguments, control),
            Err(unsupported) => Ok(Outcome::Unsupported(unsupported)),
        };
        let Some(wider) = self.0.distributed(arguments, ENDLESS) else { return interpreted(&self.0, control) };
        wider.verify()?;
        WIDER.fetch_add(1, Ordering::Relaxed);
        match interpreted(&wider, control.clone())? {
            // What is wrong, and where, only the program itself tells.
            Outcome::Fault(_) => Ok(match interpreted(&self.0, control)? {
                Outcome::Done { results, .. } => Outcome::Done { results, stepwise: true },
                other => other,
            }),
            other => Ok(other),
        }
    }
}

/// Programs that are distributed as far as can be give what they gave.
#[test]
fn distributed_programs_keep_the_contract() -> Verdict {
    let tally = suite(&Distributed, OF_DISTRIBUTION)?;
    let wider = WIDER.load(Ordering::Relaxed);
    assert!(tally.done > 400 && tally.faults > 400 && wider > 200, "{wider} of {tally:?}");
    Ok(())
}

/// Lanes with a mistake: what it makes of an outcome, given whether the program has a check of bounds.
#[derive(Debug, Clone, Copy)]
struct Broken(fn(Outcome, bool) -> Outcome);

#[derive(Debug)]
struct BrokenProgram {
    inside: Box<dyn Prepared>,
    has_bounds: bool,
    mistake: fn(Outcome, bool) -> Outcome,
}

impl Executor for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn description(&self) -> &'static str {
        "lanes with a mistake"
    }

    fn prepare(&self, program: &Program) -> Result<std::result::Result<Box<dyn Prepared>, Unsupported>> {
        let (has_bounds, mistake) = (indexes(program.function()), self.0);
        let broken = |inside| Box::new(BrokenProgram { inside, has_bounds, mistake }) as Box<dyn Prepared>;
        Ok(Lanes.prepare(program)?.map(broken))
    }
}

impl Prepared for BrokenProgram {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        Ok((self.mistake)(self.inside.run(arguments, control)?, self.has_bounds))
    }
}

/// Whether a statement reads or changes an element.
fn indexes(function: &Lambda) -> bool {
    in_body(&function.body)
}

fn in_body(body: &Body) -> bool {
    body.stms.iter().any(|stm| match &stm.op {
        Op::Index(..) | Op::Update(..) | Op::Slice(..) => true,
        Op::If(_, yes, no) => in_body(yes) || in_body(no),
        Op::Loop(it) => in_body(&it.body) || matches!(&it.form, Form::While { condition, .. } if in_body(condition)),
        Op::Map(it) => indexes(&it.function),
        Op::Reduce(it) | Op::Scan(it) => indexes(&it.operator),
        _ => false,
    })
}

fn shorter(value: &Value<f64>) -> Option<Value<f64>> {
    let [n, rest @ ..] = value.sizes() else { return None };
    let row: usize = rest.iter().product();
    let sizes = [&[n.checked_sub(1)?], rest].concat();
    Value::array(&sizes, value.elements()[..(n - 1) * row].to_vec()).ok()
}

/// Executors with one mistake each.
fn broken() -> Vec<(&'static str, Broken)> {
    vec![
        (
            "every check of bounds fails",
            Broken(|outcome, has_bounds| {
                let kind = FaultKind::OutOfBounds { index: 0, length: 0 };
                if has_bounds {
                    Outcome::Fault(Fault { statement: String::new(), span: Span::UNKNOWN, kind })
                } else {
                    outcome
                }
            }),
        ),
        (
            "every check of bounds fails, and another executes instead",
            Broken(|outcome, has_bounds| match outcome {
                Outcome::Done { results, .. } => Outcome::Done { results, stepwise: has_bounds },
                other => other,
            }),
        ),
        (
            "the last element is missing",
            Broken(|outcome, _| match outcome {
                Outcome::Done { mut results, stepwise } => {
                    results.iter_mut().for_each(|value| {
                        if let Some(shorter) = shorter(value) {
                            *value = shorter;
                        }
                    });
                    Outcome::Done { results, stepwise }
                }
                other => other,
            }),
        ),
        (
            "errors are successes",
            Broken(|outcome, _| match outcome {
                Outcome::Fault(_) => Outcome::Done { results: Vec::new(), stepwise: false },
                other => other,
            }),
        ),
        (
            "faults are in another place",
            Broken(|outcome, _| match outcome {
                Outcome::Fault(fault) => {
                    Outcome::Fault(Fault { statement: "let v0: f64 = add(1.0f64, 1.0f64)".into(), ..fault })
                }
                other => other,
            }),
        ),
        (
            "faults are of another kind",
            Broken(|outcome, _| match outcome {
                Outcome::Fault(Fault { statement, span, kind: FaultKind::OutOfBounds { index, .. } }) => {
                    Outcome::Fault(Fault { statement, span, kind: FaultKind::NegativeSize { size: index } })
                }
                other => other,
            }),
        ),
        (
            "faults have other operands",
            Broken(|outcome, _| match outcome {
                Outcome::Fault(Fault { statement, span, kind: FaultKind::OutOfBounds { index, length } }) => {
                    Outcome::Fault(Fault { statement, span, kind: FaultKind::OutOfBounds { index: index + 1, length } })
                }
                other => other,
            }),
        ),
        (
            "faults are never found",
            Broken(|outcome, _| match outcome {
                Outcome::Fault(_) => Outcome::Unsupported(Unsupported { statement: None, reason: "a fault" }),
                other => other,
            }),
        ),
        (
            "nothing can be run",
            Broken(|_, _| Outcome::Unsupported(Unsupported { statement: None, reason: "a program" })),
        ),
    ]
}

#[test]
fn what_is_broken_does_not_keep_the_contract() {
    for (mistake, executor) in broken() {
        assert!(suite(&executor, OF_LANES).is_err(), "{mistake}");
    }
}

/// Lanes that heed neither limits nor wishes.
#[derive(Debug, Clone, Copy)]
struct Unheeding;

#[derive(Debug)]
struct UnheedingProgram(Box<dyn Prepared>);

impl Executor for Unheeding {
    fn name(&self) -> &'static str {
        "unheeding"
    }

    fn description(&self) -> &'static str {
        "lanes with a mistake"
    }

    fn prepare(&self, program: &Program) -> Result<std::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(Lanes.prepare(program)?.map(|inside| Box::new(UnheedingProgram(inside)) as Box<dyn Prepared>))
    }
}

impl Prepared for UnheedingProgram {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        match self.0.run(arguments, control)? {
            Outcome::Fault(fault) if fault.is_end() => Ok(Outcome::Done { results: Vec::new(), stepwise: false }),
            other => Ok(other),
        }
    }
}

#[test]
fn what_does_not_end_does_not_keep_the_contract() {
    let violation = suite(&Unheeding, OF_LANES).expect_err("limits are not kept to");
    assert!(violation.law.contains("ended by its limits"), "{violation}");
}

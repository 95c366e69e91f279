//! Derivatives of random array programs, with loops, branches, nested combinators, histograms and accumulators.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use catadiff::array::{Atom, Body, Form, Op, Prim, Program};
use catadiff::execute::{Executor, Interpreter};
use catadiff::interpret::Scalar;
use catadiff_laws::executors::{Tally, at_hand};
use catadiff_laws::program_parts::changed;
use catadiff_laws::{ArrayProgram, Reduction, Verdict, array_derivatives, array_reductions, for_all};

#[test]
fn derivatives_and_their_derivatives() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::of_random(&p))
}

/// What a reduction starts from may be anything.
#[test]
fn reductions_from_any_start() -> Verdict {
    for_all(|p: Reduction| array_reductions::exactly(&p))
}

#[test]
fn reductions_of_reals_from_any_start() -> Verdict {
    for executor in at_hand().into_iter().filter(|executor| executor.name() != Interpreter.name()) {
        let tallies = Reduction::FAMILIES.map(|name| (name, RefCell::new(Tally::default())));
        for_all(|p: Reduction| array_reductions::of_reals_too(executor, &p, &tallies[p.family()].1))?;
        // An executor that refuses programs does not pass for one that is right.
        for (name, tally) in tallies {
            let tally = tally.into_inner();
            assert!(tally.done >= 24 && 10 * (tally.stepwise + tally.unsupported) <= tally.done, "{name}: {tally:?}");
        }
    }
    Ok(())
}

/// The name of an operation, and the bodies in it.
fn variant(op: &Op) -> (&'static str, Vec<&Body>) {
    match op {
        Op::Scalar(..) => ("Scalar", vec![]),
        Op::Copy(_) => ("Copy", vec![]),
        Op::Iota(_) => ("Iota", vec![]),
        Op::Replicate(..) => ("Replicate", vec![]),
        Op::Elements(_) => ("Elements", vec![]),
        Op::Size(..) => ("Size", vec![]),
        Op::Index(..) => ("Index", vec![]),
        Op::Slice(..) => ("Slice", vec![]),
        Op::Update(..) => ("Update", vec![]),
        Op::Permute(..) => ("Permute", vec![]),
        Op::Reshape(..) => ("Reshape", vec![]),
        Op::Concat(_) => ("Concat", vec![]),
        Op::Reverse(_) => ("Reverse", vec![]),
        Op::If(_, yes, no) => ("If", vec![yes, no]),
        Op::Loop(it) => match &it.form {
            Form::For(..) => ("Loop, For", vec![&it.body]),
            Form::While { condition, .. } => ("Loop, While", vec![condition, &it.body]),
        },
        Op::Map(it) => ("Map", vec![&it.function.body]),
        Op::Reduce(it) => ("Reduce", vec![&it.operator.body]),
        Op::Scan(it) => ("Scan", vec![&it.operator.body]),
        Op::Hist(it) => ("Hist", vec![&it.operator.body]),
        Op::Scatter(_) => ("Scatter", vec![]),
        Op::ToAccumulator(_) => ("ToAccumulator", vec![]),
        Op::Accumulate(..) => ("Accumulate", vec![]),
        Op::FromAccumulator(_) => ("FromAccumulator", vec![]),
        Op::Custom(it) => ("Custom", vec![&it.function.body, &it.pullback.body]),
        Op::Agree(_) => ("Agree", vec![]),
        other => panic!("the name of {other:?} is to be said here"),
    }
}

/// How often things are drawn.
#[derive(Debug, Default)]
struct Drawn {
    operations: BTreeMap<&'static str, usize>,
    kinds: BTreeMap<String, usize>,
    orders: BTreeMap<Vec<usize>, usize>,
    /// What operations must have beyond the least.
    asked: BTreeMap<String, usize>,
}

impl Drawn {
    fn note(&mut self, what: impl Into<String>) {
        *self.asked.entry(what.into()).or_default() += 1;
    }

    /// What there is in a body, within this many maps with accumulators.
    fn body(&mut self, program: &Program, body: &Body, nest: usize) {
        for stm in &body.stms {
            let (name, bodies) = variant(&stm.op);
            *self.operations.entry(name).or_default() += 1;
            for var in &stm.vars {
                *self.kinds.entry(format!("{:?}", program.type_of(*var).prim)).or_default() += 1;
            }
            let mut inside = nest;
            match &stm.op {
                Op::Permute(_, order) => *self.orders.entry(order.clone()).or_default() += 1,
                Op::Index(_, places) | Op::Update(_, places, _) | Op::Accumulate(_, places, _) if places.len() > 1 => {
                    self.note(format!("{name} in several dimensions"));
                }
                Op::Slice(_, ranges) if ranges.len() > 1 => self.note("Slice in several dimensions"),
                Op::Reduce(it) | Op::Scan(it) => self.start(program, name, &it.neutral),
                Op::Hist(it) => self.start(program, name, &it.neutral),
                Op::Map(it) if !it.accumulators.is_empty() => {
                    inside = (nest + 1).min(3);
                    self.note(format!("accumulators in {inside} maps or more"));
                }
                _ => {}
            }
            bodies.into_iter().for_each(|body| self.body(program, body, inside));
        }
    }

    /// A start that is not neutral: a constant that is that for no operator, or a scalar of the program.
    fn start(&mut self, program: &Program, name: &str, neutral: &[Atom]) {
        match neutral[0] {
            Atom::Const(start) if start.real() == Some(0.75) => self.note(format!("{name} from a constant")),
            Atom::Var(var) if program.type_of(var).rank == 0 => self.note(format!("{name} from a value")),
            _ => {}
        }
    }

    /// Indices of scatters and histograms outside of all bodies that are repeated, or out of bounds, when the program runs.
    fn places(&mut self, random: &ArrayProgram) {
        let program = random.program();
        for stm in &program.function().body.stms {
            let (name, indices, to) = match &stm.op {
                Op::Scatter(it) => ("Scatter", it.indices, it.destination),
                Op::Hist(it) => ("Hist", it.indices, it.destinations[0]),
                _ => continue,
            };
            let asked = changed(&program, |(.., function)| function.body.results = vec![indices, to]);
            let results = asked.unwrap().run(&random.arguments()).expect("a random program runs");
            let length = i64::try_from(results[1].sizes()[0]).expect("arrays are short");
            let integer = |x: &Scalar<f64>| if let Scalar::I64(n) = x { *n } else { panic!("an index is an integer") };
            let (within, outside): (Vec<i64>, Vec<i64>) =
                results[0].elements().iter().map(integer).partition(|n| (0..length).contains(n));
            if !outside.is_empty() {
                self.note(format!("{name} out of bounds"));
            }
            if within.iter().collect::<BTreeSet<_>>().len() < within.len() {
                self.note(format!("{name} to one place twice"));
            }
        }
    }
}

/// Every operation is drawn often, and so is what it can be asked: a law says nothing of what it is never asked.
#[test]
fn random_programs_have_every_operation() {
    let drawn = RefCell::new(Drawn::default());
    let verdict = for_all(|p: ArrayProgram| {
        let (program, mut drawn) = (p.program(), drawn.borrow_mut());
        drawn.body(&program, &program.function().body, 0);
        drawn.places(&p);
        if p.arguments()[0].sizes()[0] >= 7 {
            drawn.note("about a group of lanes");
        }
        Ok(())
    });
    assert!(verdict.is_ok());
    let Drawn { operations, kinds, orders, asked } = drawn.into_inner();
    assert_eq!((operations.len(), kinds.len()), (26, Prim::ALL.len()), "{operations:?} {kinds:?}");
    assert!(operations.values().chain(kinds.values()).all(|count| *count >= 8), "{operations:?} {kinds:?}");
    let of = |rank: usize| orders.keys().filter(|order| order.len() == rank).count();
    assert_eq!([of(2), of(3), of(4)], [2, 6, 24], "{orders:?}");
    assert_eq!(asked.keys().map(String::as_str).collect::<Vec<_>>(), ASKED, "{asked:?}");
    assert!(asked.values().all(|count| *count >= 8), "{asked:?}");
}

/// What is required beyond that there is every operation.
const ASKED: [&str; 18] = [
    "Accumulate in several dimensions",
    "Hist from a constant",
    "Hist from a value",
    "Hist out of bounds",
    "Hist to one place twice",
    "Index in several dimensions",
    "Reduce from a constant",
    "Reduce from a value",
    "Scan from a constant",
    "Scan from a value",
    "Scatter out of bounds",
    "Scatter to one place twice",
    "Slice in several dimensions",
    "Update in several dimensions",
    "about a group of lanes",
    "accumulators in 1 maps or more",
    "accumulators in 2 maps or more",
    "accumulators in 3 maps or more",
];

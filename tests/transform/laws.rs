//! Derivatives of random array programs, with loops, branches, nested combinators, histograms and accumulators.

use std::cell::RefCell;
use std::collections::BTreeMap;

use catadiff::array::{Body, Form, Op};
use catadiff::execute::Lanes;
use catadiff_laws::executors::Tally;
use catadiff_laws::{ArrayProgram, Reduction, Verdict, array_derivatives, array_reductions, for_all};

#[test]
fn first_order() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::first_order(&p))
}

#[test]
fn second_order() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::second_order(&p))
}

/// What a reduction starts from may be anything.
#[test]
fn reductions_from_any_start() -> Verdict {
    for_all(|p: Reduction| array_reductions::exactly(&p))
}

#[test]
fn reductions_of_reals_from_any_start() -> Verdict {
    for_all(|p: Reduction| array_reductions::of_reals_too(&p))
}

#[test]
fn reductions_from_any_start_compiled() -> Verdict {
    let tallies = Reduction::FAMILIES.map(|name| (name, RefCell::new(Tally::default())));
    for_all(|p: Reduction| array_reductions::executed(&Lanes, &p, &tallies[p.family()].1))?;
    // An executor that refuses programs does not pass for one that is right.
    for (name, tally) in tallies {
        let tally = tally.into_inner();
        assert!(tally.done >= 24 && 10 * (tally.stepwise + tally.unsupported) <= tally.done, "{name}: {tally:?}");
    }
    Ok(())
}

#[test]
fn reductions_of_many_elements() -> Verdict {
    for_all(|p: Reduction| array_reductions::in_blocks(&p))
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
    }
}

fn variants(body: &Body, found: &mut BTreeMap<&'static str, usize>, orders: &mut BTreeMap<Vec<usize>, usize>) {
    for stm in &body.stms {
        let (name, bodies) = variant(&stm.op);
        *found.entry(name).or_default() += 1;
        if let Op::Permute(_, order) = &stm.op {
            *orders.entry(order.clone()).or_default() += 1;
        }
        bodies.into_iter().for_each(|body| variants(body, found, orders));
    }
}

/// Every operation is drawn often, and so are the orders of three dimensions: a law says nothing of what it is never asked.
#[test]
fn random_programs_have_every_operation() {
    let counts = std::cell::RefCell::new((BTreeMap::new(), BTreeMap::new()));
    let verdict = for_all(|p: ArrayProgram| {
        let (found, orders) = &mut *counts.borrow_mut();
        variants(&p.program().function.body, found, orders);
        Ok(())
    });
    assert!(verdict.is_ok());
    let (found, orders) = counts.into_inner();
    assert_eq!(found.len(), 26, "{found:?}");
    assert!(found.values().all(|count| *count >= 8), "{found:?}");
    assert_eq!(orders.keys().filter(|order| order.len() == 3).count(), 6, "{orders:?}");
}

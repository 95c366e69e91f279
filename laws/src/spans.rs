//! Laws of spans: it stays known where statements come from.
//!
//! Law: if every statement of `p` says where it comes from, so does every statement that can fail of what is made of
//! `p`, pass by pass, and the place is one of `p`; so an error of a derivative names a statement of the program
//! (tests/transform/spans.rs).

use catadiff::array::{Atom, Body, Form, IntegerRow, Op, Program, ScalarOp, Stm, Var};
use catadiff::interpret::Value;
use catadiff::tracing::Keep;
use catadiff::{Error, Place, Span};

use crate::array_programs::ArrayProgram;
use crate::array_sizes::{derived, misfits_stay};
use crate::array_values::violation;
use crate::program_parts::changed;
use crate::violation::Verdict;

/// Calls `visit` on every statement, those inside of others after them, with the number of bodies around it.
fn each(body: &mut Body, depth: usize, visit: &mut impl FnMut(&mut Stm, usize)) {
    for stm in &mut body.stms {
        visit(stm, depth);
        stm.op.bodies_mut().for_each(|inner| each(inner, depth + 1, visit));
    }
}

/// The program with a place of its own for each statement, and how many there are.
fn placed(program: &Program) -> (Program, u32) {
    let mut count = 0;
    let program = changed(program, |(.., function)| {
        each(&mut function.body, 0, &mut |stm, _| {
            stm.span = Span::at(Place::Text { file: 0, start: count, end: count });
            count += 1;
        });
    });
    (program.expect("places are no part of what verifies"), count)
}

/// Whether a place is one of the first `count`.
fn is_of(span: Span, count: u32) -> bool {
    matches!(span.place(), Some(Place::Text { file: 0, start, .. }) if start < count)
}

/// Whether a statement compares an argument of a derivative, which no statement of the program is about.
fn is_of_seed(what: &str) -> bool {
    what.ends_with("of its tangent") || what.ends_with("of its adjoint")
}

/// Whether an operation adds arguments of a derivative: those of a parameter that the program returns twice, in no statement.
fn adds_seeds(op: &Op, seeds: &[Var]) -> bool {
    matches!(op, Op::Map(it) if it.arrays.iter().all(|a| matches!(a, Atom::Var(var) if seeds.contains(var))))
}

/// Whether an operation can be an error by itself, whatever its bodies are, if these variables are sizes of arrays.
fn can_fail(op: &Op, sizes: &[Var]) -> bool {
    let is_size = |a: &Atom| match a {
        Atom::Var(var) => sizes.contains(var),
        Atom::Const(_) => true,
    };
    match op {
        Op::Iota(n) | Op::Replicate(n, _) => !is_size(n),
        Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Reshape(..) | Op::Scatter(_) | Op::Hist(_) => true,
        Op::Elements(atoms) | Op::Concat(atoms) => atoms.len() > 1,
        Op::Map(it) => it.arrays.len() > 1,
        Op::Reduce(it) | Op::Scan(it) => it.arrays.len() > 1,
        Op::Loop(it) => matches!(it.form, Form::While { bound: Some(_), .. }),
        Op::Agree(it) => !is_of_seed(it.what.message()),
        Op::Scalar(ScalarOp::Integer(row), _) => {
            matches!(row, IntegerRow::Div | IntegerRow::Mod | IntegerRow::Quot | IntegerRow::Rem | IntegerRow::Pow)
        }
        _ => false,
    }
}

/// The first statement with this many bodies around it or more that can fail and has no place of the program's, of which the first
/// `own` parameters are.
fn lost(program: &Program, count: u32, from: usize, own: usize) -> Option<String> {
    let (_, _, mut function) = program.clone().into_parts();
    let seeds = function.params.get(own..).unwrap_or_default().to_vec();
    let (mut sizes, mut found) = (Vec::new(), None);
    each(&mut function.body, 0, &mut |stm, depth| {
        if let Op::Size(..) = stm.op {
            sizes.extend(&stm.vars);
        }
        let can_fail = can_fail(&stm.op, &sizes) && !adds_seeds(&stm.op, &seeds);
        if found.is_none() && depth >= from && can_fail && !is_of(stm.span, count) {
            found = Some(format!("{:?} = {:?}", stm.vars, stm.op));
        }
    });
    found
}

/// What is made of a program keeps the places of its statements; where sizes do not agree it is an error as the program is, and
/// what goes wrong in a run names a place of the program.
///
/// # Errors
/// The violation.
pub fn kept(random: &ArrayProgram) -> Verdict {
    let (program, count) = placed(&random.program());
    let (arguments, own) = (random.arguments(), program.function().params.len());
    if let Some(stm) = lost(&program, count, 0, own) {
        return Err(violation("p has all places", &program, &arguments, stm, "a place"));
    }
    let mut made: Vec<(String, Program, usize)> = Vec::new();
    let passes = program.passes().into_iter();
    made.extend(passes.map(|(name, after)| (format!("p after the pass `{name}`"), after, 0)));
    let derived = derived(&program);
    for (name, derivative, _) in &derived {
        let Ok(derivative) = derivative else { continue };
        if *name == "p.vjp()" {
            let passes = derivative.passes().into_iter();
            made.extend(passes.map(|(name, after)| (format!("p.vjp() after the pass `{name}`"), after, 0)));
        }
        made.push(((*name).to_owned(), derivative.clone(), 0));
    }
    let batched: Vec<bool> = (0..arguments.len()).map(|k| k % 2 == 0).collect();
    // The map over what is batched is of no statement.
    made.extend(program.vmap(&batched).map(|after| ("p.vmap(…)".to_owned(), after, 1)));
    made.extend(program.jmp().map(|after| ("p.jmp()".to_owned(), after, 1)));
    made.push(("p.renumbered()".to_owned(), program.renumbered(), 0));
    let trace = program.traced(&arguments, Keep::Arrays);
    made.extend(trace.map(|trace| ("p.traced(Keep::Arrays)".to_owned(), trace.program().clone(), 0)));
    for (name, after, from) in made {
        if let Some(stm) = lost(&after, count, from, own) {
            let law = format!("every statement of {name} that can fail has a place of p");
            return Err(violation(&law, &program, &arguments, format!("{stm}\n{after}"), "a place"));
        }
    }
    misfits_stay(random, &program, &derived, |error| says_where(error, count))
}

/// Whether an error of a run names one of the first `count` places, if it is about a statement of the program.
fn says_where(error: &Error, count: u32) -> bool {
    match error {
        Error::Sizes { what, .. } if is_of_seed(what) => true,
        Error::Sizes { span, .. } | Error::OutOfBounds { span, .. } | Error::NegativeSize { span, .. } => {
            is_of(*span, count)
        }
        Error::NoValue { span, .. } | Error::LoopBound { span, .. } => is_of(*span, count),
        _ => true,
    }
}

/// A program whose statements say nothing is not taken for one with places: a law that any program kept would say nothing.
///
/// # Errors
/// The violation.
pub fn told_from_lost(random: &ArrayProgram) -> Verdict {
    let (program, count) = placed(&random.program());
    let mut sizes = Vec::new();
    let mut fails = false;
    let program = changed(&program, |(.., function)| {
        each(&mut function.body, 0, &mut |stm, _| {
            if let Op::Size(..) = stm.op {
                sizes.extend(&stm.vars);
            }
            fails |= can_fail(&stm.op, &sizes);
            stm.span = Span::UNKNOWN;
        });
    });
    let program = program.expect("places are no part of what verifies");
    let arguments: Vec<Value<f64>> = random.arguments();
    match lost(&program, count, 0, arguments.len()) {
        None if fails => Err(violation("a lost place is found", &program, &arguments, "nothing", "a statement")),
        _ => Ok(()),
    }
}

//! Laws of bad input: whatever the bytes are, they are read or refused, soon, within limits and without a panic.
//!
//! Law: what is read means the same however it is run. These are the bodies of the targets in `fuzz/` and of the test
//! that runs without a fuzzer; each takes any bytes, in the shape of one kind of input (tests/language/fuzz.rs).

use std::fmt;

use catadiff::array::Program;
use catadiff::execute::{Executor, Interpreter, Outcome};
use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::core::{self, Entry, Prim, verify};
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::syntax::parse;
use catadiff::futhark::syntax::tree::{DeclarationKind, File};
use catadiff::futhark::testing::blocks::blocks;
use catadiff::futhark::values::{Array, Data, read, read_as, write_binary};
use catadiff::futhark::{elaborate::compile_entry, interpreter, meaning::interface};
use catadiff::interpret::{Control, Limits, Scalar, Value};
use catadiff::primitives::f16;
use catadiff::term::{Arena, Rules, parse as parse_formula};

use crate::array_values::{all_close, reals, with_nans_of};
use crate::executor_sides::{Exactness, is_same};
use crate::executors::at_hand;
use crate::overflow::{makes_nan, overflows};
use crate::shaken::Run;
use crate::violation::{Verdict, Violation};

/// What a run may take here.
const LIMITS: Limits = Limits { steps: 20_000, elements: 1 << 16 };
/// How many entry points of a program are run.
const ENTRIES: usize = 4;
/// The size of arguments in each dimension.
const SIZE: usize = 3;
/// The largest distance of two reals that are sums of the same numbers in another order.
const TOLERANCE: f64 = 1e-7;
/// The same of half precision, which has thirteen binary digits fewer than single precision.
const TOLERANCE_OF_HALVES: f64 = TOLERANCE * 8192.0;

fn holds(law: &str, input: &str, holds: bool, left: impl fmt::Display, right: impl fmt::Display) -> Verdict {
    if holds {
        return Ok(());
    }
    let instances = vec![("input".to_owned(), format!("\n{input}\n"))];
    Err(Violation { law: law.to_owned(), instances, left: left.to_string(), right: right.to_string() })
}

/// A text is a program of the front end, or messages with their places. A program prints and is read again; what the checker makes
/// of it verifies; its entry points, run on small arguments within limits, give the same under each meaning.
///
/// # Errors
/// The violation.
pub fn of_programs(bytes: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let file = sources.add("input", &*text);
    if let Err(messages) = blocks(&text, file) {
        explained(&sources, &text, &messages)?;
    }
    let tree = match parse(&text, file) {
        Ok(tree) => tree,
        Err(messages) => return explained(&sources, &text, &messages),
    };
    printed_is_read(&tree, &text)?;
    match check(&tree, &mut NoImports) {
        Err(messages) => explained(&sources, &text, &messages),
        Ok((program, warnings)) => {
            warnings.iter().for_each(|warning| drop(sources.show(warning).to_string()));
            means_one_thing(&text, &program)?;
            with_others_as_entries(tree).map_or(Ok(()), |program| means_one_thing(&text, &program))
        }
    }
}

/// What the checker accepts verifies, and each entry point means one thing.
fn means_one_thing(text: &str, program: &core::Program) -> Verdict {
    let verified = verify(program);
    let found = verified.as_ref().err().cloned().unwrap_or_default();
    holds("what is checked verifies", text, verified.is_ok(), found, "")?;
    program.entries.iter().take(ENTRIES).try_for_each(|entry| entry_means_one_thing(text, program, entry))
}

/// The program with the first of its definitions that may be entry points, and are none, in the place of those that are.
fn with_others_as_entries(mut tree: File) -> Option<core::Program> {
    let mut others = Vec::new();
    for (at, declaration) in tree.declarations.iter_mut().enumerate() {
        if let DeclarationKind::Value(value) = &mut declaration.kind
            && !std::mem::take(&mut value.entry)
        {
            others.push(at);
        }
    }
    let mut found = None;
    for at in others.into_iter().take(ENTRIES) {
        let before = tree.declarations[at].clone();
        if let DeclarationKind::Value(value) = &mut tree.declarations[at].kind {
            value.entry = true;
        }
        match check(&tree, &mut NoImports) {
            Ok((program, _)) => found = Some(program),
            Err(_) => tree.declarations[at] = before,
        }
    }
    found
}

/// What the checker accepts has no mistake that only a stage after it could find.
fn not_ours<T>(text: &str, found: Result<T, Message>) -> Result<Option<T>, Violation> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(message) => {
            let is_theirs = message.code != "internal";
            holds("what is accepted has a meaning", text, is_theirs, &message.text, "").map(|()| None)
        }
    }
}

/// Mistakes are at least one, and each can be shown.
fn explained(sources: &Sources, text: &str, messages: &[Message]) -> Verdict {
    let shown = messages.iter().all(|message| !sources.show(message).to_string().is_empty());
    holds("what is refused is explained", text, shown && !messages.is_empty(), messages.len(), "at least 1")
}

fn printed_is_read(tree: &File, text: &str) -> Verdict {
    let printed = tree.to_string();
    match parse(&printed, 0) {
        Ok(again) => {
            holds("print (parse (print t)) = print t", text, again.to_string() == printed, again, printed.clone())
        }
        Err(messages) => holds("what is printed is read", text, false, format!("{messages:?}"), printed),
    }
}

/// The interpreter and the array program agree wherever both have results.
fn entry_means_one_thing(text: &str, program: &core::Program, entry: &Entry) -> Verdict {
    let leaves: Vec<_> = entry.params.iter().flat_map(|(_, of)| interface(of)).collect();
    // No more elements than limits allow.
    if leaves.len() > 50 || leaves.iter().any(|(_, rank)| *rank > 4) {
        return Ok(());
    }
    let arguments: Vec<_> = leaves.iter().map(|(kind, rank)| argument(*kind, *rank)).collect();
    let found = not_ours(text, interpreter::run(program, &entry.name, &arguments, LIMITS))?;
    let Some(elaborated) = not_ours(text, compile_entry(program, &entry.name))? else { return Ok(()) };
    let shown = elaborated.program.to_string();
    let again = Program::parse(&shown).map(|again| again.to_string());
    let law = "an elaborated program prints and is read";
    holds(law, text, again.as_ref() == Ok(&shown), format!("{again:?}"), &shown)?;
    let run = not_ours(text, elaborated.run(&arguments, &LIMITS))?;
    let (Some(run), Some(found)) = (run, found) else { return Ok(()) };
    let as_values = |arrays: &[Array]| arrays.iter().map(value).collect::<Vec<_>>();
    let (run, mut found) = (as_values(&run), as_values(&found));
    // A constant that a loop begins with has the tangent 0 in the array program, and none in the interpreter: infinity times it is NaN in
    // the one alone (book, futhark).
    let arguments = as_values(&arguments);
    let is_derived = text.contains("jvp") || text.contains("vjp");
    if is_derived && reals(&run).iter().any(|x| x.is_nan()) && makes_nan(&elaborated.program, &arguments, &LIMITS) {
        found = with_nans_of(&found, &run);
    }
    let of = Run { program: &elaborated.program, arguments: &arguments, limits: LIMITS };
    same(&format!("{text}\nentry {}", entry.name), of, &run, &found, || true)?;
    executors_are_the_interpreter(&elaborated.program)
}

/// Small numbers, none of them the same.
fn argument(kind: Prim, rank: usize) -> Array {
    let shape = vec![SIZE; rank];
    let count = u8::try_from(SIZE.pow(u32::try_from(rank).expect("a small rank"))).expect("few elements");
    let bytes = || 0..count;
    let data = match kind {
        Prim::I8 => Data::I8(bytes().map(|n| n as i8 % 5).collect()),
        Prim::I16 => Data::I16(bytes().map(|n| i16::from(n) % 5).collect()),
        Prim::I32 => Data::I32(bytes().map(|n| i32::from(n) % 5).collect()),
        Prim::I64 => Data::I64(bytes().map(|n| i64::from((n + 3) % 5)).collect()),
        Prim::U8 => Data::U8(bytes().map(|n| n % 5).collect()),
        Prim::U16 => Data::U16(bytes().map(|n| u16::from(n) % 5).collect()),
        Prim::U32 => Data::U32(bytes().map(|n| u32::from(n) % 5).collect()),
        Prim::U64 => Data::U64(bytes().map(|n| u64::from(n) % 5).collect()),
        Prim::F16 => Data::F16(bytes().map(|n| f16::from_f64(f64::from(n) * 0.75 - 0.5)).collect()),
        Prim::F32 => Data::F32(bytes().map(|n| (f64::from(n) * 0.75 - 0.5) as f32).collect()),
        Prim::F64 => Data::F64(bytes().map(|n| f64::from(n) * 0.75 - 0.5).collect()),
        Prim::Bool => Data::Bool(bytes().map(|n| n % 2 == 0).collect()),
        _ => panic!("arguments of kind {kind} are to be drawn here"),
    };
    Array { shape, data }
}

/// Numbers as the comparison takes them.
fn value(array: &Array) -> Value<f64> {
    macro_rules! scalars {
        ($($kind:ident)*; $($real:ident)*) => {
            match &array.data {
                $(Data::$kind(elements) => elements.iter().map(|x| Scalar::$kind(*x)).collect(),)*
                $(Data::$real(elements) => elements.iter().map(|x| Scalar::$real(f64::from(*x))).collect(),)*
            }
        };
    }
    let elements: Vec<Scalar<f64>> = scalars!(Bool I8 I16 I32 I64 U8 U16 U32 U64; F16 F32 F64);
    Value::array(&array.shape, elements).expect("an array has as many elements as its shape says")
}

/// Bytes are values in one of the formats, or a message; values are written and read again in both formats.
///
/// # Errors
/// The violation.
pub fn of_values(bytes: &[u8]) -> Verdict {
    let shown = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let file = sources.add("input", &*shown);
    drop(read_as(bytes, file, &[Prim::F32, Prim::U8, Prim::Bool, Prim::I64, Prim::F16, Prim::F64]));
    let values = match read(bytes, file) {
        Ok(values) => values,
        Err(message) => return explained(&sources, &shown, &[*message]),
    };
    let binary = |values: &[Array]| {
        let mut out = Vec::new();
        values.iter().for_each(|value| write_binary(value, &mut out));
        out
    };
    let written = binary(&values);
    let again = read(&written, 0).map(|again| binary(&again) == written);
    holds("values are read from bytes as they were", &shown, again == Ok(true), format!("{again:?}"), "")?;
    let text = |values: &[Array]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    let written = text(&values);
    let again = read(written.as_bytes(), 0).map(|again| text(&again));
    let law = "values are read from text as they were";
    holds(law, &shown, again.as_ref() == Ok(&written), format!("{again:?}"), &written)
}

/// A text is an array program or a message; a program prints and is read as itself, and on lanes it does what the interpreter does.
///
/// # Errors
/// The violation.
pub fn of_array_programs(bytes: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(bytes);
    let program = match Program::parse(&text) {
        Ok(program) => program,
        Err(error) => return holds("what is refused is explained", &text, !error.to_string().is_empty(), "", "a text"),
    };
    let again = Program::parse(&program.to_string());
    let law = "parse (print p) = p";
    holds(law, &text, again.as_ref() == Ok(&program), format!("{again:?}"), &program)?;
    let simple = program.simplified();
    let verified = simple.verify();
    holds("what is simplified verifies", &text, verified.is_ok(), format!("{verified:?}"), &simple)?;
    executors_are_the_interpreter(&program)?;
    executors_are_the_interpreter(&simple)
}

fn executors_are_the_interpreter(program: &Program) -> Verdict {
    let others = at_hand().into_iter().filter(|executor| executor.name() != Interpreter.name());
    others.into_iter().try_for_each(|executor| is_the_interpreter(executor, program))
}

/// An executor does with a program what the interpreter does, on small arguments and within limits: it gives the values, or finds
/// the fault, of the same kind in the same statement.
fn is_the_interpreter(executor: &dyn Executor, program: &Program) -> Verdict {
    let types: Vec<_> = program.function().params.iter().map(|param| program.type_of(*param)).collect();
    if types.len() > 50 || types.iter().any(|of| of.rank > 4) {
        return Ok(());
    }
    let arguments: Vec<Value<f64>> = types.iter().map(|of| value(&argument(of.prim, of.rank))).collect();
    let text = program.to_string();
    let prepared = match executor.prepare(program) {
        Ok(prepared) => prepared,
        Err(error) => return holds("what verifies compiles", &text, false, error, ""),
    };
    let Ok(prepared) = prepared else { return Ok(()) };
    let interpreted = Interpreter.prepare(program);
    let interpreted =
        interpreted.expect("what verifies can be interpreted").expect("the interpreter runs every program");
    let outcomes = [&prepared, &interpreted].map(|it| it.run(&arguments, Control::from(&LIMITS)));
    let [Ok(found), Ok(expected)] = outcomes else { return Ok(()) };
    // A product that is added may be rounded with the sum alone, so that it overflows in one of both; and the compiler of a GPU's driver
    // may assume that a difference is a number.
    let is_settled = || {
        let is_nan = || executor.name() == "gpu" && makes_nan(program, &arguments, &LIMITS);
        !overflows(program, &arguments, &LIMITS) && !is_nan()
    };
    let of = Run { program, arguments: &arguments, limits: LIMITS };
    match (found, expected) {
        (Outcome::Done { results, .. }, Outcome::Done { results: expected, .. }) => {
            same(&text, of, &results, &expected, is_settled)
        }
        // Limits end them at different statements.
        (Outcome::Fault(fault), _) | (_, Outcome::Fault(fault)) if fault.is_end() => Ok(()),
        (Outcome::Fault(found), Outcome::Fault(expected)) => {
            let is_same = is_same(&found, &expected, Exactness::Place);
            holds("a fault of an executor is that of the interpreter", &text, is_same, found, expected)
        }
        // A number that is rounded in another way may be what is wrong.
        (Outcome::Fault(found), Outcome::Done { .. }) => {
            let law = "a fault of an executor is one of the interpreter";
            holds(law, &text, !is_settled() || of.roundings().is_none(), found, "no fault")
        }
        // What no result needs is not executed.
        (Outcome::Done { .. } | Outcome::Unsupported(_), _) | (_, Outcome::Unsupported(_)) => Ok(()),
    }
}

/// Two results of a run are the same up to how it rounds, if they are settled.
fn same(
    text: &str,
    of: Run<'_>,
    found: &[Value<f64>],
    expected: &[Value<f64>],
    is_settled: impl FnOnce() -> bool,
) -> Verdict {
    let shown = |values: &[Value<f64>]| values.iter().map(|value| format!("{value}; ")).collect::<String>();
    // Derivatives that are the same numbers with many digits may be neighbours with few.
    let tolerance = if text.contains("f16") { TOLERANCE_OF_HALVES } else { TOLERANCE };
    let agree =
        all_close(found, expected, tolerance) || of.is_another_rounding(found, expected, tolerance) || !is_settled();
    holds("executor = interpreter", text, agree, shown(found), shown(expected))
}

/// A text is a formula or a message; a formula prints and is read as itself.
///
/// # Errors
/// The violation.
pub fn of_formulas(bytes: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(bytes);
    let arena = Arena::<String>::new();
    match parse_formula(&arena, &text) {
        Ok(term) => {
            let printed = term.to_string();
            let again = parse_formula(&arena, &printed).map(|again| again.to_string());
            let law = "print (parse (print t)) = print t";
            holds(law, &text, again.as_ref() == Ok(&printed), format!("{again:?}"), &printed)
        }
        Err(error) => holds("what is refused is explained", &text, !error.to_string().is_empty(), "", "a text"),
    }
}

/// A text is a recorded program, or refused. A program that is read prints as a text that reads as the same, and
/// returns or refuses, values and gradient, at any point.
///
/// # Errors
/// The violation.
pub fn of_recordings(bytes: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(bytes);
    let rules = Rules::new().with(crate::recordings::Doubled);
    let program = match catadiff::Recording::<f64>::from_text(&text, &rules) {
        Ok(program) => program,
        Err(error) => {
            return holds("what is refused is explained", &text, !error.to_string().is_empty(), error, "a reason");
        }
    };
    let printed = program.to_text().unwrap_or_else(|error| error.to_string());
    let again = catadiff::Recording::<f64>::from_text(&printed, &rules).and_then(|program| program.to_text());
    holds("print (parse (print p)) = print p", &text, again.as_ref() == Ok(&printed), format!("{again:?}"), &printed)?;
    if program.inputs() > 1 << 16 {
        return Ok(());
    }
    let x = vec![0.75; program.inputs()];
    let (run, gradient) = (program.run(&x), program.grad::<catadiff::Reverse>(&x));
    holds(
        "a gradient is refused where the values are",
        &text,
        run.is_ok() == gradient.is_ok(),
        run.is_ok(),
        gradient.is_ok(),
    )
}

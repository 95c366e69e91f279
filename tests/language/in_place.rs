//! Updates of consumed arrays are made in place: loops over them move as many elements as they make updates, forwards and in
//! reverse, in array programs and in the interpreter.

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::elaborate::compile_entry;
use catadiff::futhark::interpreter;
use catadiff::futhark::syntax::parse;
use catadiff::futhark::values::Array;
use catadiff::interpret::{Limits, Value, measure};

/// Functions of a number and of how many elements or iterations there are, each with a loop that updates.
const LOOPS: [(&str, &str); 12] = [
    ("an element", "f64.sum (loop a = replicate n x for i < n do a with [i] = a[i] * x)"),
    ("a variable", "f64.sum (let a = replicate n x in loop a for i < n do let a[i] = a[i] * x in a)"),
    ("a neighbour", "(loop a = replicate n x for i < n - 1 do a with [i + 1] = a[i] * x)[n - 1]"),
    ("by a function", "f64.sum (loop a = replicate n x for i < n do put a i (a[i] * x))"),
    ("by a function of any type", "f64.sum (loop a = replicate n x for i < n do put_any a i (a[i] * x))"),
    (
        "in a tuple",
        "let (s, a) = loop (s, a) = (0, replicate n x) for i < n do (s + a[i], a with [i] = s) in s + f64.sum a",
    ),
    (
        "in a record",
        "f64.sum (loop r = {v = replicate n x, s = 0f64} for i < n do {s = r.s + r.v[i], v = r.v with [i] = r.s}).v",
    ),
    ("in a branch", "f64.sum (loop a = replicate n x for i < n do if i % 3 == 0 then a with [i] = a[i] * x else a)"),
    (
        "until a condition",
        "(loop (a, i) = (replicate n x, 0) while i < n do (a with [i] = a[i] * x, i + 1)).0 |> f64.sum",
    ),
    (
        "in a loop within",
        "f64.sum (loop a = replicate n x for i < n / 4 do loop a for j < 4 do a with [i * 4 + j] = a[i] * x)",
    ),
    (
        "a part of rows",
        "f64.sum (flatten (loop a = replicate n (replicate 3 x) for i < n / 8 do
           a with [i:i + 2, 1:3] = map (map (* x)) (a[i:i + 2, 1:3] :> [2][2]f64)))",
    ),
    ("from a copy", "let b = replicate n x in f64.sum (loop a = copy b for i < n do a with [i] = b[i] * a[i])"),
];

/// The elements that are moved, or the steps taken, for each of `n` updates.
const MOST: u64 = 40;

fn program(body: &str) -> catadiff::futhark::core::Program {
    let text = format!(
        "def put [n] (a: *[n]f64) (i: i64) (x: f64): *[n]f64 = a with [i] = x
         def put_any 't [n] (a: *[n]t) (i: i64) (x: t): *[n]t = a with [i] = x
         def f (n: i64) (x: f64): f64 = {body}
         entry value (n: i64) (x: f64) = f n x
         entry forward (n: i64) (x: f64) = jvp (f n) x 1
         entry reverse (n: i64) (x: f64) = vjp (f n) x 1"
    );
    let shown = |messages| panic!("{body}: {messages:?}");
    check(&parse(&text, 0).unwrap_or_else(shown), &mut NoImports)
        .unwrap_or_else(|messages| panic!("{body}: {messages:?}"))
        .0
}

#[test]
fn array_programs_update_in_place_in_both_modes() {
    let mut copies = Vec::new();
    for (name, body) in LOOPS {
        let program = program(body);
        for entry in ["value", "forward", "reverse"] {
            let elaborated = compile_entry(&program, entry).unwrap_or_else(|message| panic!("{name}: {message:?}"));
            let (_, program) = elaborated.passes().pop().expect("the last pass is what runs");
            let moved = |n: i64| {
                let limits = Limits { steps: 100_000_000, ..Limits::default() };
                let (_, usage) = measure(&program, &[Value::from(n), Value::from(0.5)], &limits).unwrap();
                usage.moved
            };
            let (few, many) = (moved(256), moved(1024));
            if many > MOST * 1024 || many > 5 * few {
                copies.push(format!("{name}, {entry}: {few} and {many}"));
            }
        }
    }
    assert!(copies.is_empty(), "{copies:#?}");
}

#[test]
fn the_interpreter_updates_in_place_in_both_modes() {
    for (name, body) in LOOPS {
        let program = program(body);
        for entry in ["value", "forward", "reverse"] {
            // An array that is copied takes a step for each of its elements.
            let limits = Limits { steps: 60 * 2000, ..Limits::default() };
            let input = [Array::scalar(2000_i64), Array::scalar(0.5)];
            if let Err(message) = interpreter::run(&program, entry, &input, limits) {
                panic!("{name}, {entry}: {message:?}");
            }
        }
    }
}

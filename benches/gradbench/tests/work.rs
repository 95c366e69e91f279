//! The cheap gradient principle: a reverse derivative, by all inputs and with the value, costs at most four times its
//! function.
//!
//! It performs the function once for its value, at most once more as it returns, and twice for the adjoints. Gradients that
//! the benchmark asks for come without the value and without adjoints of data.

#[path = "../examples/checkpoints.rs"]
#[allow(dead_code, reason = "the example prints what is read here")]
mod checkpoints;
mod inputs;

use catadiff::array::Program;
use catadiff::interpret::Value;
use catadiff_gradbench::{FUNCTIONS, Task, Work, function};
use inputs::{data, inputs};
use serde_json::json;

/// The task of a function of the benchmark for an input that is bundled, or less of it where that says the same.
fn task_of(module: &str, name: &str, input: &str) -> Task {
    let mut input = data(&format!("{module}/{input}.json.gz"));
    match module {
        "ba" => input["p"] = json!(50),
        "llsq" => input["n"] = json!(64),
        "kmeans" => input["points"].as_array_mut().expect("points").truncate(200),
        "lstm" => input["sequence"].as_array_mut().expect("a sequence").truncate(50),
        "ode" => {
            input["x"].as_array_mut().expect("a vector").truncate(50);
            input["s"] = json!(50);
        }
        // From where a few steps are long enough to be taken.
        "particle" => input["w"] = json!(0.20345),
        "saddle" => input["start"] = json!([0.3536, 0.3536]),
        _ => {}
    }
    (function(module, name).expect("a function of the benchmark").task)(&input).expect("a task")
}

/// The same for the shortest input.
fn task(module: &str, name: &str) -> Task {
    task_of(module, name, &inputs(module)[0])
}

/// The operations that a run performs.
fn operations(program: &Program, inputs: &[Value<f64>]) -> f64 {
    Work::of(program, inputs).expect("results").0.total() as f64
}

/// How many operations an objective performs, and how many times as many its derivative by all inputs.
fn by_all(module: &str, objective: &Task) -> (f64, f64) {
    let primal = operations(&objective.program, &objective.values());
    let (reverse, seeded) = objective.reverse().expect("a derivative");
    let ratio = operations(&reverse, &seeded) / primal;
    println!("{module}: {primal} operations, the derivative by everything {ratio:.2} times as many");
    (primal, ratio)
}

const DESCENTS: [&str; 2] = ["particle", "saddle"];

/// What tables state of the derivatives that are wanted, but for what takes minutes: the module and the derivative, the
/// input, the row of the table of work in `benches/README.md`, and that of the page on the slides, with the number of the
/// input there.
type Row = (&'static str, &'static str, &'static str, Option<&'static str>, Option<(&'static str, usize)>);

const TABLE: [Row; 10] = [
    ("gmm", "jacobian", "1k_d2_k5", Some("gmm, d 2, k 5"), None),
    ("lstm", "jacobian", "l2_c1024", Some("lstm"), Some(("D-LSTM, the gradient", 0))),
    ("lse", "gradient", "n10000", Some("lse"), None),
    ("llsq", "gradient", "n1024_m128", Some("llsq"), None),
    ("det", "gradient", "l7", Some("det, ℓ 7"), None),
    ("ode", "gradient", "n1000_s100", Some("ode"), None),
    ("kmeans", "dir", "k10_n1000_d8", Some("kmeans"), Some(("k-means, Newton", 0))),
    ("ba", "jacobian", "ba1_n49_m7776_p31843", Some("ba"), Some(("BA, the Jacobian", 0))),
    ("ht", "jacobian", "complicated_small_hand1_t26_c100", None, Some(("HAND, complicated", 0))),
    ("ht", "jacobian", "complicated_small_hand5_t26_c800", Some("ht, complicated"), Some(("HAND, complicated", 1))),
];

/// The derivatives of these are more than one `vjp`: two gradients of one primal, and 28 directions.
const JACOBIANS: [&str; 2] = ["ba", "ht"];

/// A part of the page on the benches, by its heading.
fn part(heading: &str) -> &'static str {
    let parts = include_str!("../../README.md").split("\n## ");
    parts.into_iter().find(|part| part.starts_with(heading)).unwrap_or_else(|| panic!("a part on {heading}"))
}

/// The cells of the row of a table that begins with these.
fn row(table: &'static str, first: &[&str]) -> Vec<&'static str> {
    let cells = |line: &'static str| line.split('|').map(str::trim).skip(1).collect::<Vec<_>>();
    let mut rows = table.lines().filter(|line| line.starts_with('|')).map(cells);
    rows.find(|cells| cells.iter().zip(first).all(|(cell, first)| cell.starts_with(first)))
        .unwrap_or_else(|| panic!("{first:?} is in a table"))
}

/// What is counted is what a table states, to a tenth, so that neither changes unseen.
fn is_as_stated(stated: &str, found: f64, what: &str) {
    let number: f64 = stated.trim().parse().unwrap_or_else(|_| panic!("{what}: `{stated}` is a number"));
    assert!((found / number - 1.0).abs() <= 0.1, "{what}: the table states {number}, and it is {found:.3}");
}

#[test]
fn gradients_are_cheap_and_the_tables_say_how() {
    let page = include_str!("../../../papers/reverse-ad-for-a-functional-array-language.md");
    for (module, asked, input, of_work, of_slides) in TABLE {
        let objective = FUNCTIONS.iter().find(|f| f.module == module).expect("a module of the benchmark").name;
        let objective = task_of(module, objective, input);
        let derivative = task_of(module, asked, input);
        let primal = operations(&objective.program, &objective.values());
        let asked_for = operations(&derivative.program, &derivative.values()) / primal;
        println!("{module} {asked} of {input}: {asked_for:.2}");
        assert!(asked_for <= 4.0 || JACOBIANS.contains(&module), "{module} {asked}: {asked_for} times the work");
        if let Some(name) = of_work {
            let (_, by_all) = by_all(module, &objective);
            assert!(by_all <= 4.0, "{module}: {by_all} times the work");
            let stated = row(part("Work\n"), &[name]);
            is_as_stated(stated[2], asked_for, name);
            is_as_stated(stated[3], by_all, name);
        }
        if let Some((name, nth)) = of_slides {
            let stated = row(page, &[name])[4].split(';').nth(nth).expect("as many as inputs");
            is_as_stated(stated, asked_for, name);
        }
    }
    let (_, doubled) = by_all("hello", &task("hello", "square"));
    assert!(doubled <= 4.0, "{doubled} times the work");
}

/// What schemes of checkpoints keep and compute, of the shortest of the loops in the table.
#[test]
fn the_table_of_checkpoints_is_true() {
    for (scheme, bytes, operations) in checkpoints::rows(100).expect("counts") {
        let stated = row(part("Memory of loops\n"), &[scheme, "100"]);
        is_as_stated(stated[2], bytes, scheme);
        is_as_stated(stated[3], operations, scheme);
    }
}

/// Descents, in every mode: loops in loops that ask whether to go on, whose steps have derivatives in them already.
#[test]
fn descents_are_cheap() {
    for module in DESCENTS {
        for f in FUNCTIONS.iter().filter(|f| f.module == module) {
            let (_, by_all) = by_all(f.name, &task(module, f.name));
            assert!(by_all <= 4.0, "{module} {}: {by_all} times the work", f.name);
        }
    }
}

#[test]
#[ignore = "takes minutes without optimisation"]
fn long_descents_are_cheap() {
    for module in DESCENTS {
        let input = data(&format!("{module}/{}.json.gz", inputs(module)[0]));
        let descent = function(module, "ff").expect("a function of the benchmark");
        let (_, by_all) = by_all(module, &(descent.task)(&input).expect("a task"));
        assert!(by_all <= 4.0, "{module}: {by_all} times the work");
    }
}

#[test]
fn operations_are_counted_where_they_are_performed() {
    let program = Program::parse(
        "program (xs: []f64, n: i64) {
           let y = mul(2.0f64, 3.0f64)
           let m = mul(n, n)
           let zs = map (xs) |x: f64| { let c = lt(x, y) let e = exp(x) let z = sub(e, y) return z }
           let s = reduce (zs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           return s, m
         }",
    )
    .expect("a program");
    let xs = Value::new([1.0, 2.0, 3.0]).expect("an array");
    let inputs = [xs, 3_i64.into()];
    let (work, results) = Work::of(&program, &inputs).expect("results");
    assert_eq!(work, Work { additions: 3, multiplications: 1, rows: 6, comparisons: 3 });
    assert_eq!(results, program.run(&inputs).expect("results"), "counting changes no value");
}

/// Every ordered choice of columns is made, once: `D(k) = k (D(k − 1) + 3)` products and sums, and none shared.
#[test]
fn the_determinant_costs_what_the_recursion_does() {
    for ell in [1, 2, 5, 7_u32] {
        let matrix: Vec<f64> = (0..ell * ell).map(|i| f64::from(i * i % 7)).collect();
        let determinant = function("det", "primal").expect("a function of the benchmark");
        let task = (determinant.task)(&json!({"A": matrix, "ell": ell})).expect("a task");
        let expected = (2..=ell).fold(0.0, |minors, k| f64::from(k) * (minors + 3.0));
        assert_eq!(operations(&task.program, &task.values()), expected);
    }
}

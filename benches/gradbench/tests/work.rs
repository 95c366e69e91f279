//! The cheap gradient principle: a reverse derivative, by all inputs and with the value, costs at most four times its
//! function.
//!
//! It performs the function once for its value, at most once more as it returns, and twice for the adjoints. Gradients that
//! the benchmark asks for come without the value and without adjoints of data.

mod inputs;

use catadiff::array::Program;
use catadiff::interpret::Value;
use catadiff_gradbench::{FUNCTIONS, Task, Work, function};
use inputs::{data, inputs};
use serde_json::json;

/// The task of a function of the benchmark for the shortest input that is bundled, or less of it where that says the same.
fn task(module: &str, name: &str) -> Task {
    let mut input = data(&format!("{module}/{}.json.gz", inputs(module)[0]));
    match module {
        "ba" => input["p"] = json!(50),
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

/// The operations that a run performs.
fn operations(program: &Program, inputs: &[Value<f64>]) -> f64 {
    Work::of(program, inputs).expect("results").0.total() as f64
}

/// How many operations an objective performs, and how many times as many its derivative by all inputs.
fn by_all(module: &str, objective: &Task) -> (f64, f64) {
    let primal = operations(&objective.program, &objective.inputs);
    let (reverse, seeded) = objective.reverse().expect("a derivative");
    let ratio = operations(&reverse, &seeded) / primal;
    println!("{module}: {primal} operations, the derivative by everything {ratio:.2} times as many");
    (primal, ratio)
}

/// The derivatives of these are one `vjp` each.
const GRADIENTS: [(&str, &str); 7] = [
    ("hello", "double"),
    ("gmm", "jacobian"),
    ("lstm", "jacobian"),
    ("lse", "gradient"),
    ("llsq", "gradient"),
    ("det", "gradient"),
    ("ode", "gradient"),
];

const DESCENTS: [&str; 2] = ["particle", "saddle"];

#[test]
fn gradients_are_cheap() {
    for functions in FUNCTIONS.chunk_by(|f, g| f.module == g.module) {
        let module = functions[0].module;
        if DESCENTS.contains(&module) {
            continue;
        }
        let (primal, by_all) = by_all(module, &task(module, functions[0].name));
        assert!(by_all <= 4.0, "{module}: {by_all} times the work");
        for f in functions.iter().filter(|f| GRADIENTS.contains(&(module, f.name))) {
            let gradient = task(module, f.name);
            let ratio = operations(&gradient.program, &gradient.inputs) / primal;
            println!("  {}: {ratio:.2}", f.name);
            assert!(ratio <= 4.0, "{module} {}: {ratio} times the work", f.name);
        }
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
        assert_eq!(operations(&task.program, &task.inputs), expected);
    }
}

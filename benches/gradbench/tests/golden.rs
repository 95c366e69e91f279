//! The twelve functions agree with the benchmark's own outputs.

mod inputs;
mod outputs;

use catadiff_gradbench::function;
use inputs::data;
use outputs::{TOLERANCE, deviation, numbers};
use serde_json::{Value as Json, json};

/// What computes an output.
#[derive(Debug, Clone, Copy)]
enum By {
    Interpreter,
    Lanes,
}

const BOTH: [By; 2] = [By::Interpreter, By::Lanes];

/// Compares the outputs of functions for an input with the golden ones.
fn golden(module: &str, input: &str, functions: &[&str], by: &[By]) {
    let arguments = data(&format!("{module}/{input}.json.gz"));
    for name in functions {
        let expected = numbers(&data(&format!("{module}/{input}.{name}.golden.json.gz")));
        for by in by {
            let worst = deviation(&output(module, name, &arguments, *by), &expected);
            println!("{module} {name} {input}, {by:?}: {worst:.1e}");
            assert!(worst <= TOLERANCE, "{module} {name} {input}, {by:?}: {worst:e}");
        }
    }
}

fn output(module: &str, name: &str, input: &Json, by: By) -> Json {
    let function = function(module, name).expect("a function of the benchmark");
    let task = (function.task)(input).unwrap_or_else(|e| panic!("{module} {name}: {e}"));
    let output = match by {
        By::Interpreter => task.interpret(),
        By::Lanes => task.execute(),
    };
    output.unwrap_or_else(|e| panic!("{module} {name}, {by:?}: {e}"))
}

#[test]
fn hello() {
    assert_eq!(output("hello", "square", &json!(3.0), By::Interpreter), json!(9.0));
    assert_eq!(output("hello", "double", &json!(3.0), By::Interpreter), json!(6.0));
}

#[test]
fn gmm() {
    golden("gmm", "1k_d2_k5", &["objective", "jacobian"], &BOTH);
}

#[test]
#[ignore = "takes half a minute without optimisation"]
fn gmm_of_more_dimensions() {
    golden("gmm", "1k_d10_k25", &["objective", "jacobian"], &BOTH);
}

#[test]
fn ba() {
    golden("ba", "ba1_n49_m7776_p31843", &["objective", "jacobian"], &[By::Lanes]);
}

#[test]
#[ignore = "takes a minute without optimisation"]
fn ba_interpreted() {
    golden("ba", "ba1_n49_m7776_p31843", &["objective", "jacobian"], &[By::Interpreter]);
}

#[test]
fn ht() {
    golden("ht", "simple_small_hand1_t26_c100", &["objective", "jacobian"], &BOTH);
    golden("ht", "complicated_small_hand1_t26_c100", &["objective", "jacobian"], &BOTH);
}

/// More points than vertices: the bones carry the vertices and not the points.
#[test]
fn ht_of_many_points() {
    golden("ht", "complicated_small_hand5_t26_c800", &["objective", "jacobian"], &BOTH);
}

#[test]
fn lstm() {
    golden("lstm", "l2_c1024", &["objective", "jacobian"], &BOTH);
}

#[test]
fn kmeans() {
    golden("kmeans", "k10_n1000_d8", &["cost", "dir"], &BOTH);
}

#[test]
fn lse() {
    golden("lse", "n10000", &["primal", "gradient"], &BOTH);
}

#[test]
fn llsq() {
    golden("llsq", "n1024_m128", &["primal", "gradient"], &BOTH);
}

#[test]
fn det() {
    golden("det", "l5", &["primal", "gradient"], &BOTH);
    golden("det", "l7", &["primal", "gradient"], &BOTH);
}

#[test]
fn ode() {
    golden("ode", "n1000_s100", &["primal", "gradient"], &BOTH);
}

/// A descent that is one digit off takes other steps, so that these are tests of every iteration.
fn descent(module: &str, modes: &str, input: &str, by: By, expected: &[f64]) {
    let worst = deviation(&output(module, modes, &data(&format!("{module}/{input}.json.gz")), by), expected);
    println!("{module} {modes}, {by:?}: {worst:.1e}");
    assert!(worst <= TOLERANCE, "{module} {modes}, {by:?}: {worst:e}");
}

const PARTICLE: [f64; 1] = [0.207_191_874_648_611_6];
const SADDLE: [f64; 4] = [8.246_324_826_140_356e-6; 4];

macro_rules! descents {
    ($($modes:ident)+) => {$(
        mod $modes {
            use super::{By, PARTICLE, SADDLE, descent};

            #[test]
            fn particle() {
                descent("particle", stringify!($modes), "w0", By::Lanes, &PARTICLE);
            }

            #[test]
            fn saddle() {
                descent("saddle", stringify!($modes), "s11", By::Lanes, &SADDLE);
            }

            #[test]
            #[ignore = "takes half a minute without optimisation"]
            fn interpreted() {
                descent("particle", stringify!($modes), "w0", By::Interpreter, &PARTICLE);
                descent("saddle", stringify!($modes), "s11", By::Interpreter, &SADDLE);
            }
        }
    )+};
}

// The modes of the outer and the inner derivative, forward or reverse.
descents! { ff fr rf rr }

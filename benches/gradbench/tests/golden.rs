//! The twelve functions agree with the benchmark's own outputs.

mod inputs;
mod outputs;

use catadiff_gradbench::function;
use inputs::data;
use outputs::{TOLERANCE, deviation, numbers};
use serde_json::{Value as Json, json};

/// Compares the outputs of functions for an input with the golden ones.
fn golden(module: &str, input: &str, functions: &[&str]) {
    let arguments = data(&format!("{module}/{input}.json.gz"));
    for name in functions {
        let expected = numbers(&data(&format!("{module}/{input}.{name}.golden.json.gz")));
        for (executor, found) in outputs(module, name, &arguments) {
            let worst = deviation(&found, &expected);
            println!("{module} {name} {input}, {executor}: {worst:.1e}");
            assert!(worst <= TOLERANCE, "{module} {name} {input}, {executor}: {worst:e}");
        }
    }
}

fn output(module: &str, name: &str, input: &Json) -> Json {
    let [(_, interpreted), _] = outputs(module, name, input);
    interpreted
}

/// The output by each executor.
fn outputs(module: &str, name: &str, input: &Json) -> [(&'static str, Json); 2] {
    let function = function(module, name).expect("a function of the benchmark");
    let task = (function.task)(input).unwrap_or_else(|e| panic!("{module} {name}: {e}"));
    [("interpreted", task.interpret()), ("on lanes", task.execute())]
        .map(|(executor, output)| (executor, output.unwrap_or_else(|e| panic!("{module} {name}, {executor}: {e}"))))
}

#[test]
fn hello() {
    assert_eq!(output("hello", "square", &json!(3.0)), json!(9.0));
    assert_eq!(output("hello", "double", &json!(3.0)), json!(6.0));
}

#[test]
fn gmm() {
    golden("gmm", "1k_d2_k5", &["objective", "jacobian"]);
}

#[test]
#[ignore = "takes half a minute without optimisation"]
fn gmm_of_more_dimensions() {
    golden("gmm", "1k_d10_k25", &["objective", "jacobian"]);
}

#[test]
fn ba() {
    golden("ba", "ba1_n49_m7776_p31843", &["objective", "jacobian"]);
}

#[test]
fn ht() {
    golden("ht", "simple_small_hand1_t26_c100", &["objective", "jacobian"]);
    golden("ht", "complicated_small_hand1_t26_c100", &["objective", "jacobian"]);
}

/// More points than vertices: the bones carry the vertices and not the points.
#[test]
fn ht_of_many_points() {
    golden("ht", "complicated_small_hand5_t26_c800", &["objective", "jacobian"]);
}

#[test]
fn lstm() {
    golden("lstm", "l2_c1024", &["objective", "jacobian"]);
}

#[test]
fn kmeans() {
    golden("kmeans", "k10_n1000_d8", &["cost", "dir"]);
}

#[test]
fn lse() {
    golden("lse", "n10000", &["primal", "gradient"]);
}

#[test]
fn llsq() {
    golden("llsq", "n1024_m128", &["primal", "gradient"]);
}

#[test]
fn det() {
    golden("det", "l5", &["primal", "gradient"]);
    golden("det", "l7", &["primal", "gradient"]);
}

#[test]
fn ode() {
    golden("ode", "n1000_s100", &["primal", "gradient"]);
}

/// A descent that is one digit off takes other steps, so that these are tests of every iteration.
fn descent(module: &str, modes: &str, input: &str, expected: &[f64]) {
    let worst = deviation(&output(module, modes, &data(&format!("{module}/{input}.json.gz"))), expected);
    println!("{module} {modes}: {worst:.1e}");
    assert!(worst <= TOLERANCE, "{module} {modes}: {worst:e}");
}

macro_rules! descents {
    ($($modes:ident)+) => {$(
        mod $modes {
            #[test]
            fn particle() {
                super::descent("particle", stringify!($modes), "w0", &[0.207_191_874_648_611_6]);
            }

            #[test]
            fn saddle() {
                super::descent("saddle", stringify!($modes), "s11", &[8.246_324_826_140_356e-6; 4]);
            }
        }
    )+};
}

// The modes of the outer and the inner derivative, forward or reverse.
descents! { ff fr rf rr }

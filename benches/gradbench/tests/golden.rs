//! The twelve functions agree with the benchmark's own outputs.

use catadiff_gradbench::function;
use serde_json::{Value as Json, json};

fn output(module: &str, name: &str, input: &Json) -> Json {
    let function = function(module, name).expect("a function of the benchmark");
    (function.task)(input).and_then(|task| task.interpret()).unwrap_or_else(|e| panic!("{module} {name}: {e}"))
}

#[test]
fn hello() {
    assert_eq!(output("hello", "square", &json!(3.0)), json!(9.0));
    assert_eq!(output("hello", "double", &json!(3.0)), json!(6.0));
}

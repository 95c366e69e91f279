//! Writes the module `logistic`: the loss of a file in Futhark with its derivatives, and a function that is traced here.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff_build::{Futhark, Module};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let loss = Futhark::open("src/logistic.fut")?.entry("loss")?;
    let probabilities = Program::trace_named(&["points", "weights"], |points: Arr<Arr<F64>>, weights: Arr<F64>| {
        points.map(|x| 1.0 / (1.0 + (-x.dot(weights)).exp()))
    })?;
    Module::new("logistic")
        .function("loss", &loss)
        .function("value_and_gradient", loss.value_and_grad("weights")?)
        .function("hessian_times", loss.hvp("weights")?)
        .function("probabilities", probabilities)
        .compile()?;
    Ok(())
}

//! The table of tapes: the most that the reverse derivative of a loop holds, by checkpointing scheme, and what it computes.
//!
//! `cargo run --release -p catadiff-gradbench --example checkpoints` prints it. Elements and operations are counted by the
//! interpreter, so they are those of the program, on any machine: bytes are of doubles, for each iteration of the loop
//! and each number of its state.

use catadiff::array::trace::{Arr, F64, I64, loop_for};
use catadiff::array::{Policy, Program};
use catadiff::interpret::{Limits, Value, measure};
use catadiff::{Elementary, Result};
use catadiff_gradbench::Work;

const POLICIES: [(&str, Policy); 5] = [
    ("all states", Policy::KeepAll),
    ("strip-mining, 2 levels", Policy::StripMine(2)),
    ("strip-mining, 3 levels", Policy::StripMine(3)),
    ("binomial, 20 states", Policy::Binomial(20)),
    ("binomial, 10 states", Policy::Binomial(10)),
];

/// The numbers in a state.
const STATE: usize = 16;

/// A state that is rotated and bent, a number of times: recurrent networks, and steps through time, look like this.
fn recurrence() -> Result<Program> {
    Program::trace(|xs: Arr<F64>, n: I64| {
        loop_for(n, xs, |_, xs| {
            let mean = xs.sum() / STATE as f64;
            xs.map(|x| (x + mean).sin())
        })
        .sum()
    })
}

/// The most elements at one time, and the operations on reals.
fn counted(program: &Program, arguments: &[Value<f64>]) -> Result<(u64, u64)> {
    let limits = Limits { steps: u64::MAX, elements: u64::MAX };
    Ok((measure(program, arguments, &limits)?.1.elements, Work::of(program, arguments)?.0.total()))
}

/// The rows of the table for a number of iterations: the scheme, bytes for each iteration and number, and operations as multiples of the
/// function's.
pub(crate) fn rows(n: usize) -> Result<Vec<(&'static str, f64, f64)>> {
    let objective = recurrence()?;
    let arguments = [Value::new(vec![0.5; STATE])?, (n as i64).into()];
    let (_, operations) = counted(&objective, &arguments)?;
    let row = |(name, policy): (&'static str, Policy)| {
        let gradient = objective.with_policy(policy).grad(0)?;
        let (elements, all) = counted(&gradient, &arguments)?;
        let bytes = (elements * size_of::<f64>() as u64) as f64 / (n * STATE) as f64;
        Ok((name, bytes, all as f64 / operations as f64))
    };
    POLICIES.into_iter().map(row).collect()
}

fn main() -> Result<()> {
    println!("| scheme | iterations | bytes per iteration and number | operations, as multiples of the function |");
    println!("|---|---:|---:|---:|");
    for n in [100, 1000, 10_000] {
        for (name, bytes, operations) in rows(n)? {
            println!("| {name} | {n} | {bytes:.3} | {operations:.2} |");
        }
    }
    Ok(())
}

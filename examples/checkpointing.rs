//! What each scheme of checkpointing costs, counted: `papers/checkpointing.md` has the table that this prints.
//!
//! A loop of `n` steps of the predator and prey equations, two numbers of state, is differentiated under each policy.
//! Elements kept, executions of the loop's body and steps of the interpreter are counted by the interpreter, no time is
//! taken. The last column is the reverse derivative of the reverse derivative.

use std::error::Error;

use catadiff::array::trace::F64;
use catadiff::array::{Policy, Program};
use catadiff::interpret::{Limits, Value, measure};
use catadiff_laws::checkpointing::{Stop, executed, repeated};

const POLICIES: [Policy; 6] = [
    Policy::KeepAll,
    Policy::StripMine(2),
    Policy::StripMine(3),
    Policy::Binomial(5),
    Policy::Binomial(10),
    Policy::Binomial(20),
];

fn main() -> Result<(), Box<dyn Error>> {
    let step = Program::trace(|prey: F64, predators: F64| {
        let met = prey * predators;
        (prey + (prey - met) * 0.01, predators + (met - predators) * 0.01)
    })?;
    println!(
        "| scheme | n | elements kept | executions / n | steps of the gradient / steps of the loop | vjp of vjp: elements |"
    );
    println!("|---|---|---|---|---|---|");
    for n in [1_000_u32, 10_000] {
        for policy in POLICIES {
            let primal = repeated(&step, Stop::For, policy)?;
            let (gradient, state) = (primal.vjp_wrt([0, 1])?, [1.5.into(), 0.7.into()]);
            let at: [Value<f64>; 3] = [1.5.into(), 0.7.into(), i64::from(n).into()];
            let seeded = [&at[..], &[1.0.into(), 1.0.into()]].concat();
            let taken = |program: &Program, arguments: &[Value<f64>]| {
                measure(program, arguments, &Limits::default()).map(|(_, usage)| usage)
            };
            let (loops, slopes) = (taken(&primal, &at)?, taken(&gradient, &seeded)?);
            let executed = executed(&step, &state, n.into(), Stop::For, policy)?;
            let second = gradient.only(&[2, 3])?.vjp_wrt([0, 1])?;
            let second = taken(&second, &[&seeded[..], &[1.0.into(), 0.5.into()]].concat())?;
            println!(
                "| {policy:?} | {n} | {} | {:.2} | {:.1} | {} |",
                slopes.elements,
                executed as f64 / f64::from(n),
                slopes.steps as f64 / loops.steps as f64,
                second.elements
            );
        }
    }
    Ok(())
}

//! Whether a GPU computes as it should: some drivers do not, and say nothing.
//!
//! Mesa's software Vulkan of before 2025 leaves the loops of a thread after 65,535 iterations.
//!
//! Law: a device on which a program would have wrong results for a reason that is known is refused when it is opened
//! (tests/gpu/device.rs).

use super::device::refused;

use crate::error::Result;
use crate::execute::{Flat, Outcome};
use crate::interpret::{Scalar, Value};

/// What a device could do wrongly, a program that shows it, its argument, and the result.
pub(super) struct Trial {
    of: &'static str,
    pub(super) program: &'static str,
    pub(super) argument: Value<f64>,
    result: Value<f64>,
}

/// Past the most iterations that a driver was seen to do.
const ITERATIONS: i64 = 70_000;

/// More elements than are scanned by one thread.
const SCANNED: i64 = 20_000;

/// All of them.
pub(super) fn trials() -> Result<Vec<Trial>> {
    let exponents = [-20.0, -0.5, 0.0, 1.0, 300.0];
    Ok(vec![
        Trial {
            of: "a loop of 70,000 iterations in one thread",
            program: "program (n: i64) {
                let last: i64 = loop (x = 1i64) for i < n {
                    let odd: i64 = mul(x, 5i64)
                    let y: i64 = add(odd, i)
                    return y
                }
                return last
            }",
            argument: ITERATIONS.into(),
            result: (0..ITERATIONS).fold(1_i64, |x, i| x.wrapping_mul(5).wrapping_add(i)).into(),
        },
        Trial {
            of: "a loop of 70,000 iterations in one thread, in 32 bits",
            program: "program (n: i64) {
                let last: i32 = loop (x = 1i32) for i < n {
                    let odd: i32 = mul(x, 5i32)
                    let k: i32 = i32(i)
                    let y: i32 = add(odd, k)
                    return y
                }
                return last
            }",
            argument: ITERATIONS.into(),
            result: Value::Scalar(Scalar::I32(
                (0..ITERATIONS as i32).fold(1_i32, |x, i| x.wrapping_mul(5).wrapping_add(i)),
            )),
        },
        Trial {
            of: "the exponential function in double precision",
            program: "program (xs: []f64) {
                let ys: []f64 = map (xs) |x: f64| {
                    let y: f64 = exp(x)
                    return y
                }
                return ys
            }",
            argument: Value::new(exponents)?,
            result: Value::new(exponents.map(f64::exp))?,
        },
        Trial {
            of: "a scan of 20,000 elements",
            program: "program (xs: []i64) {
                let sums: []i64 = scan (xs) from (0i64) |x: i64, y: i64| {
                    let z: i64 = add(x, y)
                    return z
                }
                return sums
            }",
            argument: Value::new((0..SCANNED).collect::<Vec<i64>>())?,
            result: Value::new((0..SCANNED).map(|k| k * (k + 1) / 2).collect::<Vec<i64>>())?,
        },
    ])
}

impl Trial {
    /// Refuses the device of this name if this is a wrong outcome.
    pub(super) fn judge(&self, outcome: &Outcome, name: &str) -> Result<()> {
        let found = match outcome {
            Outcome::Done { results, .. } if is_close(results, &self.result) => return Ok(()),
            // What the device has not it cannot do wrongly.
            Outcome::Unsupported(_) => return Ok(()),
            Outcome::Done { .. } => "another result".to_owned(),
            Outcome::Fault(fault) => fault.to_string(),
        };
        let instead = "Its driver may be too old; software Vulkan needs Mesa 25";
        Err(refused(format!("the GPU {name} computes wrongly: {} gives {found}. {instead}", self.of)))
    }
}

/// Whether results are those expected: integers exactly, reals to some units in the last place.
fn is_close(found: &[Value<f64>], expected: &Value<f64>) -> bool {
    let [found] = found else { return false };
    let (found, expected) = (Flat::from(found), Flat::from(expected));
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= 8.0 * f64::EPSILON * y.abs();
    found.sizes() == expected.sizes()
        && found.as_integers() == expected.as_integers()
        && match (found.as_reals(), expected.as_reals()) {
            (Some(x), Some(y)) => x.iter().zip(y).all(close),
            (x, y) => x == y,
        }
}

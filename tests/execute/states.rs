//! What loops carry from one iteration to the next, in scalar code and in lanes: states that change places, and conditions that look
//! at what was known before; and runs of one program after another, which carry nothing.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_, iota, loop_for, loop_while};
use catadiff::execute::Lanes;
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use catadiff_laws::executors;

use crate::same;

/// All orders of three states of each kind, from one iteration to the next.
#[test]
fn states_change_places() -> Result<()> {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let moved = move |x: F64, n: I64, times: I64| {
            loop_for(times, ((x, x + 1.0, x + 2.0), (n, n + 1, n + 2)), |_, ((a, b, c), (k, l, m))| {
                let (reals, integers) = ([a, b, c], [k, l, m]);
                let [a, b, c] = order.map(|at| reals[at]);
                let [k, l, m] = order.map(|at| integers[at]);
                ((a, b, c), (k, l, m))
            })
        };
        let programs = [
            Program::trace(|x: F64, n: I64, times: I64| moved(x, n, times))?,
            Program::trace(|x: F64, n: I64, times: I64| iota(n).map(|k| moved(x, k, times)))?,
            Program::trace(|x: F64, n: I64, times: I64| {
                // Some lanes are done earlier than others.
                iota(n).map(|k| {
                    let start = (moved(x, k, I64::from(0)), k % times);
                    loop_while(
                        start,
                        |(_, left)| left.gt(0),
                        |(((a, b, c), (k, l, m)), left)| {
                            let (reals, integers) = ([a, b, c], [k, l, m]);
                            let [a, b, c] = order.map(|at| reals[at]);
                            let [k, l, m] = order.map(|at| integers[at]);
                            (((a, b, c), (k, l, m)), left - 1)
                        },
                    )
                })
            })?,
        ];
        for program in &programs {
            for times in 1..=4_i64 {
                same(program, &[0.5.into(), 20_i64.into(), times.into()]);
            }
        }
    }
    Ok(())
}

/// What is computed before a loop, and nothing but its condition looks at; and before a branch, and nothing but one side does.
#[test]
fn conditions_look_at_what_was_known_before() -> Result<()> {
    let doubled = |x: F64, y: F64| {
        let (most, step) = (x * x + y, x.abs() + 1.0);
        loop_while((y, I64::from(0)), |(y, k)| y.lt(most) & k.lt(20), |(y, k)| (y + step, k + 1))
    };
    let nested = |x: F64, y: F64| {
        let least = x - y;
        loop_for(I64::from(5), (x, y), |i, (a, b)| {
            let most = a + b * 0.5;
            let b = loop_while(b, |b| b.lt(most) & b.gt(least - 10.0), |b| b + 0.75);
            let half = a * 0.5;
            if_(b.lt(i.to_f64()), || (b - 1.0, half), || (a - half, b))
        })
    };
    let programs = [
        Program::trace(|x: F64, y: F64| doubled(x, y))?,
        Program::trace(|x: F64, y: F64| nested(x, y))?,
        Program::trace(|x: F64, y: F64| iota(20).map(|k| doubled(x + k.to_f64(), y)))?,
        Program::trace(|x: F64, y: F64| iota(20).map(|k| nested(x, y - k.to_f64())))?,
    ];
    for program in &programs {
        for [x, y] in [[0.5, -1.25], [3.0, 0.0], [-2.0, 8.0]] {
            same(program, &[x.into(), y.into()]);
        }
    }
    Ok(())
}

/// A program that is ready runs as if it had not run before, whatever the sizes were.
#[test]
fn nothing_is_left_of_the_run_before() -> Result<()> {
    type Vector = Arr<F64>;
    let programs = [
        Program::trace(|x: Vector, y: Vector| (x.sum(), x.max(), y.argmin(), x.dot(y)))?,
        Program::trace(|x: Vector, y: Vector| (x.scan(0.0, |a, b| a + b), y.reduce_commutative(2.0, |a, b| a * b)))?,
        Program::trace(|x: Vector, y: Vector| x.map(|x| y.map(|y| x * y).scan(1.0, |a, b| a - b)))?,
        Program::trace(|x: Vector, y: Vector| {
            let at = iota(y.len()).map(|k| k * k % 5);
            (hist(5, 1.0, at, y, |a, b| a + b), x.map(|x| loop_while(x, |x| x.lt(2.0), |x| x + 0.75)))
        })?,
    ];
    let numbers = |n: usize| Value::new((0..n).map(|k| (k % 7) as f64 - 2.5).collect::<Vec<_>>());
    let sizes = [13, 16, 8, 5, 128, 0, 129, 24, 1, 300, 16];
    let arguments = sizes.map(|n| Ok([numbers(n)?, numbers(n)?].to_vec())).into_iter().collect::<Result<Vec<_>>>()?;
    for program in programs {
        let all = executors::one_after_the_other(&Lanes, &program, &arguments);
        all.unwrap_or_else(|violation| panic!("{violation}\n{program}"));
    }
    Ok(())
}

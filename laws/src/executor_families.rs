//! Programs that executors have to get right, and arguments: at and beside the sizes at which they change their way, and where one
//! element is wrong.
//!
//! Law: of what is to go wrong the interpreter finds a fault at one element, which the results need; of what is not,
//! none (tests/laws/executors.rs).

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_, iota, loop_for, loop_while, replicate};
use catadiff::interpret::{Limits, Value};
use catadiff::{Elementary, Result};

/// A program, and what to run it on.
pub(crate) struct Family {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<Vec<Value<f64>>>,
}

/// A program that takes more than it is allowed for long arguments, and has these results for short ones.
pub(crate) struct Endless {
    pub(crate) program: Program,
    pub(crate) long: Vec<Value<f64>>,
    pub(crate) short: Vec<Value<f64>>,
    pub(crate) results: Vec<Value<f64>>,
    pub(crate) what: &'static str,
    pub(crate) limits: Limits,
}

impl Endless {
    pub(crate) fn limit(&self) -> u64 {
        if self.what == "steps" { self.limits.steps } else { self.limits.elements }
    }
}

/// None, one, and at and beside groups and blocks of lanes.
const SIZES: [usize; 11] = [0, 1, 7, 8, 9, 16, 17, 127, 128, 129, 513];
/// Enough for workers, and for scans and histograms by blocks.
const SHARED_OUT: [usize; 1] = [16_387];

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

/// Numbers between −1 and 1 that look random.
fn reals(sizes: &[usize], seed: usize) -> Value<f64> {
    let n = sizes.iter().product();
    let numbers =
        (0..n).map(|k: usize| (k.wrapping_mul(7919).wrapping_add(seed * 97 + 13) % 1009) as f64 / 504.5 - 1.0);
    Value::reals(sizes, numbers).expect("as many as the sizes say")
}

/// Integers from 0 to less than `of`, or 0.
fn integers(n: usize, of: usize) -> Value<f64> {
    let numbers: Vec<i64> = (0..n).map(|k| ((k * 7919 + 5) % 10_007 % of.max(1)) as i64).collect();
    Value::new(numbers).expect("a list is regular")
}

/// The same, but for one.
fn integers_but(n: usize, of: usize, at: usize, other: i64) -> Value<f64> {
    let mut numbers: Vec<i64> = (0..n).map(|k| ((k * 7919 + 5) % 10_007 % of.max(1)) as i64).collect();
    numbers[at] = other;
    Value::new(numbers).expect("a list is regular")
}

fn family(program: Result<Program>, arguments: Vec<Vec<Value<f64>>>) -> Family {
    Family { program: program.expect("the program is well typed"), arguments }
}

fn at_sizes(program: Result<Program>, arguments: impl Fn(usize) -> Vec<Value<f64>>) -> Family {
    family(program, SIZES.into_iter().map(arguments).collect())
}

fn at_all_sizes(program: Result<Program>, arguments: impl Fn(usize) -> Vec<Value<f64>>) -> Family {
    family(program, SIZES.into_iter().chain(SHARED_OUT).map(arguments).collect())
}

/// A program of a matrix and a number that is one more than it has columns.
fn past_rows(program: Result<Program>) -> Family {
    let one_more = |rows: usize, columns: usize| vec![reals(&[rows, columns], 1), (columns as i64 + 1).into()];
    family(program, vec![one_more(2, 3), one_more(3, 130), one_more(130, 17)])
}

/// Programs and arguments without faults.
pub(crate) fn values() -> Vec<Family> {
    let two = |n: usize| vec![reals(&[n], 1), reals(&[n], 2)];
    let rows = |n: usize| vec![reals(&[n, 5], 1), reals(&[n, 5], 2)];
    let columns = |n: usize| vec![reals(&[3, n], 1), reals(&[3, n], 2)];
    let products = || Program::trace(|a: Matrix, b: Matrix| a.map(|x| b.map(|y| x.dot(y))));
    vec![
        at_all_sizes(Program::trace(|x: Vector, y: Vector| (x.map2(y, |x, y| (x * y).sin() + x), y.dot(x))), two),
        at_all_sizes(Program::trace(|x: Vector, y: Vector| (x.scan(0.0, |a, b| a + b), y.max(), x.argmin())), two),
        at_sizes(Program::trace(|x: Vector, y: Vector| x.reduce(3.0, |a, b| a * 0.5 + b) + y.sum()), two),
        at_sizes(Program::trace(|x: Vector, y: Vector| (x.concat(y.reverse()), x.range(0, x.len(), 1))), two),
        at_sizes(products(), |n| vec![reals(&[n, 5], 1), reals(&[17, 5], 2)]),
        at_sizes(products(), |n| vec![reals(&[17, 5], 1), reals(&[n, 5], 2)]),
        family(products(), vec![vec![reals(&[129, 5], 1), reals(&[128, 5], 2)]]),
        at_sizes(products(), columns),
        at_sizes(Program::trace(|a: Matrix, b: Matrix| a.map2(b, |x, y| x.map2(y, |x, y| x * y)).transpose()), rows),
        at_sizes(
            Program::trace(|x: Vector, at: Arr<I64>| {
                at.map(|i| if_(x.index(i).lt(0.0), || -x.index(i), || x.index(i)))
            }),
            |n| vec![reals(&[n], 1), integers(n, n)],
        ),
        // Infinity and NaN times a zero that is written, of either sign, and numbers over it.
        at_sizes(
            Program::trace(|x: Vector, y: Vector| {
                let infinite = |x: F64| x / (x * 0.0);
                let sums = x.map2(y, |x, y| infinite(x) * 0.0 + y);
                (sums, x.map(|x| 0.0 * (x - 0.5).ln()), x.map2(y, |x, y| y - 0.0 * infinite(x)), y.map(|y| y * 0.0))
            }),
            two,
        ),
        at_sizes(
            Program::trace(|x: Vector, y: Vector| {
                let over = |x: F64| (x / -0.0).floor();
                (
                    x.map2(y, |x, y| (x / (x * -0.0)) * -0.0 + y),
                    x.map(over),
                    y.map(|y| y / 0.0),
                    y.map(|y| 1.0 / (y * -0.0)),
                )
            }),
            two,
        ),
        // The first divisor is a zero that a compiler finds where it takes the loop for its three turns.
        at_sizes(
            Program::trace(|x: Vector, y: Vector| {
                x.map2(y, |x, y| loop_for(3, y, |i, sum: F64| sum.min(x / i.to_f64())) + y)
            }),
            two,
        ),
        at_all_sizes(
            Program::trace(|x: Vector, at: Arr<I64>| {
                let sums = hist(7, 0.5, at, x, |a, b| a + b);
                (sums, hist(7, f64::NEG_INFINITY, at, x, |a, b| a.max(b)), x.scatter(at, x))
            }),
            |n| vec![reals(&[n], 1), integers(n, n + 3)],
        ),
        at_sizes(
            Program::trace(|x: Vector, times: I64| loop_for(times, x, |i, x: Vector| x.map(|x| x * 0.5 + i.to_f64()))),
            |n| vec![reals(&[n], 1), (n as i64 % 4).into()],
        ),
        // Arrays that change their sizes: one grows, of the other half of the elements stay, and then those that are positive.
        at_sizes(
            Program::trace(|x: Vector, times: I64| {
                loop_for(times, (x, x), |i, (x, y)| {
                    let half = y.take((y.len() + 1) / 2).map(|y| y * 1.5);
                    let places = half.map(|y| if_(y.gt(0.0), || 1, || 0)).scan(0, |a, b| a + b);
                    let kept = replicate(places.len().min(7), 0.25).scatter(places, half);
                    (x.map(|x| x * 0.5).concat(replicate(i, 2.5)), if_(i.gt(1), || kept, || half))
                })
            }),
            |n| vec![reals(&[n], 1), (n as i64 % 4).into()],
        ),
        at_sizes(
            Program::trace(|x: Vector| {
                x.map(|x| loop_while((x.abs() + 1.0, I64::from(0)), |(y, _)| y.lt(4.0), |(y, k)| (y * 1.5, k + 1)))
            }),
            |n| vec![reals(&[n], 1)],
        ),
        at_sizes(
            Program::trace(|x: Vector, n: I64| (x.map(|x| iota(n).map(|k| k.to_f64() * x).sum()), iota(n))),
            |n| vec![reals(&[n], 1), (n as i64 % 20).into()],
        ),
    ]
}

/// Programs with a statement that would be wrong, and does not run.
pub(crate) fn no_faults() -> Vec<Family> {
    let few = [0, 1, 17, 129];
    vec![
        // In a branch that no lane takes, and in one that none of all takes.
        family(
            Program::trace(|x: Vector, y: Vector| x.map(|x| if_(x.gt(2.0), || y.index(100_000) + x, || x))),
            few.into_iter().map(|n| vec![reals(&[n], 1), reals(&[2], 2)]).collect(),
        ),
        family(
            Program::trace(|x: Vector, y: Vector| x.map(|a| if_(a.gt(2.0), || x.map2(y, |x, y| x * y).sum(), || a))),
            few.into_iter().map(|n| vec![reals(&[n], 1), reals(&[n + 1], 2)]).collect(),
        ),
        family(
            Program::trace(|x: Vector, k: I64| x.map(|x| if_(x.gt(2.0), || (I64::from(7) / k).to_f64(), || x))),
            few.into_iter().map(|n| vec![reals(&[n], 1), 0_i64.into()]).collect(),
        ),
        family(
            Program::trace(|x: Vector, k: I64| if_(k.gt(0), || x.index(k + 100), || x.sum())),
            vec![vec![reals(&[3], 1), 0_i64.into()]],
        ),
        // In a map over nothing, and in a loop without an iteration.
        family(
            Program::trace(|x: Vector, y: Vector, k: I64| x.map(|x| x * y.index(k))),
            vec![vec![reals(&[0], 1), reals(&[2], 2), 5_i64.into()]],
        ),
        family(
            Program::trace(|x: Vector, y: Vector, z: Vector| x.map(|x| y.map2(z, |y, z| x * y + z).sum())),
            vec![vec![reals(&[0], 1), reals(&[2], 2), reals(&[3], 2)]],
        ),
        family(
            Program::trace(|x: Vector, n: I64, k: I64| loop_for(n, F64::from(1.0), |_, y| y * x.index(k))),
            vec![vec![reals(&[3], 1), 0_i64.into(), 3_i64.into()], vec![reals(&[3], 1), (-2_i64).into(), 3_i64.into()]],
        ),
        family(
            Program::trace(|x: Vector, k: I64| {
                loop_while((F64::from(1.0), I64::from(0)), |(_, i)| i.lt(0), |(y, i)| (y * x.index(k), i + 1)).0
            }),
            vec![vec![reals(&[3], 1), 3_i64.into()]],
        ),
        family(Program::trace(|at: Arr<I64>, k: I64| at.map(|i| i / k)), vec![vec![integers(0, 1), 0_i64.into()]]),
        // Of sizes that are not compared.
        family(
            Program::parse(
                "program (x: [][]f64, n: i64) { let () = agree wanted (n) = (size[1](x)) times (size[0](x)) return x }",
            ),
            vec![vec![reals(&[0, 3], 1), (-1_i64).into()]],
        ),
    ]
}

/// Programs and arguments with a fault in one element of one statement.
pub(crate) fn faults() -> Vec<Family> {
    let sizes = [1, 17, 129, 2000];
    let gathered = || {
        let places = |n: usize| [0, n / 2, n - 1].map(|at| [-1, 40].map(|other| (n, at, other)));
        let wrong = sizes.into_iter().flat_map(places).flatten();
        wrong.map(|(n, at, other)| vec![reals(&[40], 1), integers_but(n, 40, at, other)]).collect::<Vec<_>>()
    };
    let divided = sizes.into_iter().map(|n| {
        let mut by: Vec<i64> = (0..n as i64).map(|k| k % 5 + 1).collect();
        by[n / 3] = 0;
        vec![Value::new(by).expect("a list is regular")]
    });
    let lengths = |a: usize, b: usize| vec![reals(&[a], 1), reals(&[b], 2)];
    let number = |n: i64| vec![n.into()];
    let mut all = vec![
        family(Program::trace(|x: Vector, at: Arr<I64>| at.map(|i| x.index(i) * 2.0)), gathered()),
        family(Program::trace(|x: Vector, at: Arr<I64>| at.map(|i| x.index(i) * 2.0).sum()), gathered()),
        family(
            Program::trace(|x: Vector, at: Arr<I64>| loop_for(at.len(), 0.0, |k, s: F64| s + x.index(at.index(k)))),
            gathered(),
        ),
        family(
            Program::trace(|x: Vector, at: Arr<I64>| {
                at.map(|i| {
                    if_((i * i).ge(0), || loop_for(3, 1.0, |k, y: F64| y + x.index(i) * k.to_f64()), || F64::from(0.0))
                })
            }),
            gathered(),
        ),
        family(Program::trace(|x: Vector, at: Arr<I64>| x.gather(at)), gathered()),
        family(
            Program::trace(|x: Vector, at: Arr<I64>| hist(7, 0.0, at, x, |a, b| a + b)),
            sizes.map(|n| vec![reals(&[n + 1], 1), integers_but(n, 40, 0, 0)]).to_vec(),
        ),
        family(Program::trace(|at: Arr<I64>| at.map(|k| I64::from(60) / k)), divided.clone().collect()),
        family(Program::trace(|at: Arr<I64>| at.map(|k| (at.index(I64::from(0)) + k) % k).sum()), divided.collect()),
        // Found after a loop over all, and in the last of a row.
        family(
            Program::trace(|x: Vector, k: I64| x.map(|x| x.exp()).sum() + x.index(k)),
            vec![vec![reals(&[300], 1), 300_i64.into()], vec![reals(&[300], 1), (-1_i64).into()]],
        ),
        family(
            Program::trace(|x: Matrix, y: Vector, k: I64| x.map(|row| row.map(|a| a * y.index(k)).sum())),
            vec![
                vec![reals(&[30, 4], 1), reals(&[3], 1), 3_i64.into()],
                vec![reals(&[3, 40], 1), reals(&[3], 1), 3_i64.into()],
            ],
        ),
        // Past the end of a row, where the next row is.
        past_rows(Program::trace(|a: Matrix, n: I64| loop_for(n, 0.0, |k, s: F64| s + a.index(0).index(k)))),
        past_rows(Program::trace(|a: Matrix, n: I64| iota(n).map(|k| a.index(0).index(k)))),
        past_rows(Program::trace(|a: Matrix, n: I64| iota(n).map(|k| a.index(0).index(k) * 2.0).sum())),
        past_rows(Program::trace(|a: Matrix, n: I64| a.map(|row| loop_for(n, 0.0, |k, s: F64| s + row.index(k))))),
        past_rows(Program::trace(|a: Matrix, n: I64| a.map(|row| iota(n).map(|k| row.index(k)).sum()))),
        past_rows(Program::trace(|a: Matrix, n: I64| iota(n).map(|k| a.map(|row| row.index(k)).sum()))),
        past_rows(Program::trace(|a: Matrix, n: I64| {
            loop_for(n, a, |k, a: Matrix| a.with(0, a.index(0).with(k, k.to_f64())))
        })),
        family(Program::trace(|x: Vector, k: I64| x.with(k, 1.0).sum()), vec![vec![reals(&[5], 1), 5_i64.into()]]),
        family(
            Program::trace(|x: Vector, a: I64, n: I64| x.range(a, n, 2)),
            vec![
                vec![reals(&[9], 1), 3_i64.into(), 4_i64.into()],
                vec![reals(&[9], 1), (-1_i64).into(), 2_i64.into()],
                vec![reals(&[9], 1), 3_i64.into(), (-4_i64).into()],
            ],
        ),
        // Sizes.
        family(
            Program::trace(|x: Vector, y: Vector| x.map2(y, |x, y| x * y)),
            vec![lengths(3, 4), lengths(300, 299), lengths(0, 1)],
        ),
        family(
            Program::trace(|x: Vector, y: Vector| x.zip(y).reduce((0.0, 0.0), |(a, b), (c, d)| (a + c, b * d))),
            vec![lengths(3, 4)],
        ),
        family(
            Program::trace(|x: Vector, y: Vector| x.zip(y).scan((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d)).unzip().0),
            vec![lengths(3, 4)],
        ),
        family(Program::trace(|a: Matrix, b: Matrix| a.concat(b)), vec![vec![reals(&[2, 3], 1), reals(&[2, 4], 1)]]),
        family(
            Program::trace(|a: Matrix, y: Vector| a.map(|x| x.map2(y, |x, y| x - y).sum())),
            vec![vec![reals(&[40, 3], 1), reals(&[4], 1)], vec![reals(&[2, 30], 1), reals(&[4], 1)]],
        ),
        family(Program::trace(|a: Matrix, y: Vector| a.with(0, y)), vec![vec![reals(&[2, 3], 1), reals(&[4], 1)]]),
        family(Program::trace(|x: Vector, n: I64| x.unflatten(n, 3)), vec![vec![reals(&[10], 1), 3_i64.into()]]),
        family(
            Program::trace(|x: Vector, at: Arr<I64>| hist(4, 0.0, at, x, |a, b| a + b)),
            vec![vec![reals(&[10], 1), integers(9, 4)]],
        ),
        family(Program::trace(|x: Vector, at: Arr<I64>| x.scatter(at, x)), vec![vec![reals(&[10], 1), integers(9, 4)]]),
        // Sizes whose product is beyond all numbers, and is that of the elements where it is wrapped around.
        family(Program::trace(|x: Vector, n: I64| x.unflatten(n, n)), vec![vec![reals(&[0], 1), (1_i64 << 32).into()]]),
        family(
            Program::parse("program (x: []f64, n: i64) { let () = agree reshaped (size[0](x)) = (n, n) return x }"),
            vec![vec![reals(&[0], 1), (1_i64 << 32).into()]],
        ),
        family(
            Program::parse("program (x: []f64) { let y = reshape(x, 4294967296i64, 4294967296i64) return y }"),
            vec![vec![reals(&[0], 1)]],
        ),
        // Sizes that are negative.
        family(Program::trace(|n: I64| iota(n)), vec![number(-1)]),
        family(Program::trace(|n: I64| replicate(n + 1, 2.0)), vec![number(-5)]),
        family(Program::trace(|n: I64| iota(3).map(|k| iota(n + 4).map(|i| i * k).sum()).sum()), vec![number(-5)]),
        // Where they should agree: what they are is wrong before that they differ, and also if their product does not.
        family(
            Program::parse("program (x: []f64, n: i64) { let () = agree wanted (n) = (size[0](x)) return x }"),
            vec![vec![reals(&[3], 1), (-3_i64).into()]],
        ),
        family(
            Program::parse(
                "program (x: []f64, n: i64, m: i64) { let () = agree wanted (size[0](x)) = (n, m) return x }",
            ),
            vec![
                vec![reals(&[3], 1), (-1_i64).into(), (-3_i64).into()],
                vec![reals(&[3], 1), 1_i64.into(), (-3_i64).into()],
                vec![reals(&[0], 1), 0_i64.into(), (-3_i64).into()],
            ],
        ),
        family(
            Program::parse(
                "program (x: []f64, ns: []i64) {
                   let ys = map (ns) |n: i64| {
                     let () = agree wanted (n) = (size[0](x))
                     let y = x[n]
                     return y
                   }
                   return ys
                 }",
            ),
            vec![vec![reals(&[3], 1), integers_but(40, 1, 0, -3)]],
        ),
    ];
    let bounded = Program::parse(
        "program (n: i64, x: f64) {
           let k: i64, y: f64 = loop (i = 0i64, y = x) while[5i64] { let more = lt(i, n) return more } {
             let next = add(i, 1i64)
             let twice = add(y, y)
             return next, twice
           }
           return y
         }",
    );
    all.push(family(bounded, vec![vec![7_i64.into(), 1.0.into()]]));
    all
}

/// Programs, and arguments that they do not take.
pub(crate) fn arguments() -> Vec<Family> {
    let twice = Program::trace(|x: Vector, k: I64| x.map(|x| x * k.to_f64()));
    vec![family(
        twice,
        vec![
            vec![],
            vec![reals(&[3], 1)],
            vec![reals(&[3], 1), 1.5.into()],
            vec![reals(&[3, 2], 1), 1_i64.into()],
            vec![integers(3, 2), 1_i64.into()],
            vec![reals(&[3], 1), 1_i64.into(), 1_i64.into()],
        ],
    )]
}

/// Programs that take as long as one wishes, and as much memory.
pub(crate) fn endless() -> Vec<Endless> {
    let steps = Limits { steps: 20_000, ..Limits::default() };
    let one = |program: Result<Program>, long: i64, short: i64, result: Value<f64>, (what, limits)| Endless {
        program: program.expect("the program is well typed"),
        long: vec![long.into()],
        short: vec![short.into()],
        results: vec![result],
        what,
        limits,
    };
    let ages = 1_i64 << 60;
    let elements = Limits { elements: 5000, ..Limits::default() };
    vec![
        one(
            Program::trace(|n: I64| loop_for(n, 0.5, |_, x: F64| x * (1.0 - x) * 2.0)),
            ages,
            3,
            0.5.into(),
            ("steps", steps),
        ),
        one(
            Program::trace(|n: I64| loop_while((1.0, 0), |(_, k): (F64, I64)| k.lt(n), |(x, k)| (x * 1.5, k + 1)).0),
            ages,
            2,
            2.25.into(),
            ("steps", steps),
        ),
        one(
            Program::trace(|n: I64| {
                iota(I64::from(300)).map(|i| loop_for(n, i.to_f64(), |_, x| (x + 1.0).sqrt())).sum()
            }),
            ages,
            0,
            44850.0.into(),
            ("steps", steps),
        ),
        one(
            Program::trace(|n: I64| {
                let all = iota(n).scan(0, |a, b| a + b);
                all.reverse().index(0)
            }),
            1 << 20,
            10,
            45_i64.into(),
            ("elements", elements),
        ),
    ]
}

//! The everyday words of arrays, against plain Rust: values on several sizes, on lanes too, and derivatives by every way there is.

mod contraction;
mod fourier;
mod sorting;
mod windows;

use std::cell::RefCell;
use std::slice::from_ref;

use catadiff::array::trace::{Arr, F32, F64, I64, arange, eye, linspace, where_};
use catadiff::array::{Body, Program};
use catadiff::interpret::{ToValues, Value};
use catadiff::{Place, Result};
use catadiff_laws::array_exact::{Residue, first_order_at};
use catadiff_laws::{array_derivatives, executors};

/// Whether a word is made of sums, products and quotients alone, and so is differentiated in a finite field as well.
#[derive(Clone, Copy, PartialEq)]
enum Made {
    OfSums,
    OfMore,
}
use Made::{OfMore, OfSums};

thread_local! {
    static STATE: RefCell<u64> = const { RefCell::new(1) };
}

/// A number between −1 and 1 (Knuth's MMIX generator).
fn draw() -> f64 {
    STATE.with_borrow_mut(|state| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    })
}

/// Numbers of which no two are alike, and then those of which many are.
fn lists(n: usize) -> [Vec<f64>; 2] {
    [(0..n).map(|_| 3.0 * draw()).collect(), (0..n).map(|_| (3.0 * draw()).round()).collect()]
}

fn matrices(n: usize, m: usize) -> [Vec<Vec<f64>>; 2] {
    let rows = |list: Vec<f64>| (0..n).map(|i| list[i * m..(i + 1) * m].to_vec()).collect();
    lists(n * m).map(rows)
}

fn value(nested: impl ToValues) -> Value<f64> {
    Value::new(nested).expect("it is rectangular")
}

/// The reals of a value, of whatever kind its scalars are.
fn numbers(value: &Value<f64>) -> Vec<f64> {
    value.elements().iter().map(|x| x.real().copied().unwrap_or_else(|| x.to_string().parse().unwrap())).collect()
}

#[track_caller]
fn same(name: &str, at: &[Value<f64>], found: &[Value<f64>], expected: &[Value<f64>]) {
    let near = |(x, y): (f64, f64)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-13 * (1.0 + y.abs());
    let alike = |(x, y): (&Value<f64>, &Value<f64>)| {
        let sizes = x.sizes() == y.sizes() || x.elements().is_empty() && y.elements().is_empty();
        sizes && numbers(x).into_iter().zip(numbers(y)).all(near)
    };
    let all = found.len() == expected.len() && found.iter().zip(expected).all(alike);
    assert!(all, "{name} of {at:?} is {found:?}, not {expected:?}");
}

/// Every statement comes from a call in these tests, also those in closures that words have of their own.
fn comes_from_here(body: &Body) -> bool {
    body.stms.iter().all(|stm| {
        let here = matches!(stm.span.place(), Some(Place::Call(at)) if at.file().contains("array/words"));
        here && stm.op.bodies().all(comes_from_here)
    })
}

/// Arguments, and the results for them.
type Case = (Vec<Value<f64>>, Vec<Value<f64>>);

/// A program has these results, by the interpreter and on lanes, and its derivatives of both modes are what they are on dual
/// numbers and one another's transposes; on lanes they have the values that they have by the interpreter. So they have on every
/// executor at hand that can run them, for the last arguments.
#[track_caller]
fn has(name: &str, made: Made, program: Result<Program>, cases: impl IntoIterator<Item = Case>) {
    let program = program.unwrap();
    program.verify().unwrap();
    assert!(comes_from_here(&program.function().body), "{name}: {program}");
    let pullback = program.vjp().ok();
    let compiled = [Some(&program), pullback.as_ref()].map(|program| program.map(|it| it.compile().unwrap()));
    let mut points = Vec::new();
    for (arguments, expected) in cases {
        let run = |program: &Program, k: usize, arguments: &[Value<f64>]| {
            let found = program.run(arguments).unwrap_or_else(|error| panic!("{name} of {arguments:?}: {error}"));
            let compiled = compiled[k].as_ref().expect("what is run is compiled");
            same(name, arguments, &compiled.run(arguments).unwrap(), &found);
            found
        };
        let found = run(&program, 0, &arguments);
        same(name, &arguments, &found, &expected);
        if let Some(pullback) = &pullback {
            let ones: Vec<_> = found.iter().map(|value| value.map(|_| 1.5)).collect();
            run(pullback, 1, &[&arguments[..], &ones].concat());
        }
        points.push(arguments);
    }
    if let Some(arguments) = points.last() {
        everywhere(name, &program, arguments);
        if let Some(pullback) = &pullback {
            let ones: Vec<_> = program.run(arguments).unwrap().iter().map(|value| value.map(|_| 1.5)).collect();
            everywhere(name, pullback, &[&arguments[..], &ones].concat());
        }
    }
    let first = points.iter().find(|point| point.iter().any(|value| value.elements().len() > 2));
    if let Some(point) = first.filter(|_| made == OfSums) {
        let residues = point.iter().map(|value| value.map(|x| Residue::new((x.abs() * 1e6) as u64 + 2)));
        first_order_at(&program, &residues.collect::<Vec<_>>())
            .unwrap_or_else(|violation| panic!("{name}: {violation}"));
    }
    array_derivatives::at(&program, points).unwrap_or_else(|violation| panic!("{name}: {violation}"));
}

/// Every executor at hand does what the interpreter does, or cannot run the program.
#[track_caller]
fn everywhere(name: &str, program: &Program, arguments: &[Value<f64>]) {
    for executor in executors::at_hand() {
        executors::same_if_supported(executor, program, arguments)
            .unwrap_or_else(|violation| panic!("{name} on {}: {violation}", executor.name()));
    }
}

/// A word of a list.
#[track_caller]
fn of_lists<R: ToValues>(name: &str, made: Made, program: Result<Program>, reference: impl Fn(&[f64]) -> R) {
    let lists = [0, 1, 2, 7, 20].into_iter().flat_map(lists);
    has(name, made, program, lists.map(|list| (vec![value(&list[..])], vec![value(reference(&list))])));
}

/// A word of a matrix.
#[track_caller]
fn of_matrices<R: ToValues>(name: &str, made: Made, program: Result<Program>, reference: impl Fn(&[Vec<f64>]) -> R) {
    let rows = [(1, 1), (2, 3), (3, 2), (4, 4), (1, 5)].into_iter().flat_map(|(n, m)| matrices(n, m));
    has(name, made, program, rows.map(|rows| (vec![value(&rows[..])], vec![value(reference(&rows))])));
}

/// The same word of each column of a matrix, as columns of what it gives.
fn by_column(rows: &[Vec<f64>], word: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Vec<f64>> {
    let columns: Vec<Vec<f64>> =
        (0..rows[0].len()).map(|j| word(&rows.iter().map(|row| row[j]).collect::<Vec<_>>())).collect();
    (0..columns[0].len()).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
}

fn running(list: &[f64], neutral: f64, operator: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let next = |so_far: &mut f64, x: &f64| {
        *so_far = operator(*so_far, *x);
        Some(*so_far)
    };
    list.iter().scan(neutral, next).collect()
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn var(x: &[f64]) -> f64 {
    mean(&x.iter().map(|x| x * x).collect::<Vec<_>>()) - mean(x) * mean(x)
}

fn softmax(x: &[f64]) -> Vec<f64> {
    let sum: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| x.exp() / sum).collect()
}

#[test]
fn running_sums_products_and_extrema() {
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    of_lists("cumsum", OfSums, Program::trace(|x: Arr<F64>| x.cumsum()), |x| running(x, 0.0, |a, b| a + b));
    of_lists("cumprod", OfSums, Program::trace(|x: Arr<F64>| x.cumprod()), |x| running(x, 1.0, |a, b| a * b));
    of_lists("cummax", OfMore, Program::trace(|x: Arr<F64>| x.cummax()), |x| running(x, least, f64::max));
    of_lists("cummin", OfMore, Program::trace(|x: Arr<F64>| x.cummin()), |x| running(x, most, f64::min));
    of_matrices("cumsum", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.cumsum()), |x| {
        by_column(x, |x| running(x, 0.0, |a, b| a + b))
    });
    of_matrices("cumprod", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.cumprod()), |x| {
        by_column(x, |x| running(x, 1.0, |a, b| a * b))
    });
    of_matrices("cummax", OfMore, Program::trace(|x: Arr<Arr<F64>>| x.cummax()), |x| {
        by_column(x, |x| running(x, least, f64::max))
    });
}

#[test]
fn statistics() {
    of_lists("mean", OfSums, Program::trace(|x: Arr<F64>| x.concat(x.take(0)).mean()), mean);
    of_lists("var", OfSums, Program::trace(|x: Arr<F64>| x.var()), var);
    of_lists("logsumexp", OfMore, Program::trace(|x: Arr<F64>| x.logsumexp()), |x| {
        x.iter().map(|x| x.exp()).sum::<f64>().ln()
    });
    of_lists("softmax", OfMore, Program::trace(|x: Arr<F64>| x.softmax()), softmax);
    of_lists("log_softmax", OfMore, Program::trace(|x: Arr<F64>| x.log_softmax()), |x| {
        softmax(x).into_iter().map(f64::ln).collect::<Vec<_>>()
    });
    of_lists("norm", OfMore, Program::trace(|x: Arr<F64>| x.pad(1, 0, 3.0).norm()), |x| {
        (9.0 + x.iter().map(|x| x * x).sum::<f64>()).sqrt()
    });
    let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    of_lists("norm1", OfMore, Program::trace(|x: Arr<F64>| x.norm1()), |x| x.iter().map(|x| x.abs()).sum::<f64>());
    of_lists("norm_inf", OfMore, Program::trace(|x: Arr<F64>| x.norm_inf()), largest);
    for norm in [Program::trace(|x: Arr<F64>| x.norm1()), Program::trace(|x: Arr<F64>| x.norm_inf())] {
        assert_eq!(norm.unwrap().grad(0).unwrap().at::<Vec<f64>>([0.0, 0.0]).unwrap(), [0.0, 0.0]);
    }
    of_lists("std", OfMore, Program::trace(|x: Arr<F64>| x.pad(2, 1, 5.0).std()), |x| {
        var(&[&[5.0; 2], x, &[5.0]].concat()).sqrt()
    });
    let first = |x: &[Vec<f64>], word: fn(&[f64]) -> f64| by_column(x, |x| vec![word(x)]).remove(0);
    of_matrices("mean", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.mean()), |x| first(x, mean));
    of_matrices("var", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.var()), |x| first(x, var));
    of_matrices("norm", OfMore, Program::trace(|x: Arr<Arr<F64>>| x.norm()), |x| {
        x.iter().flatten().map(|x| x * x).sum::<f64>().sqrt()
    });
    of_matrices("logsumexp", OfMore, Program::trace(|x: Arr<Arr<F64>>| x.logsumexp()), |x| {
        first(x, |x| x.iter().map(|x| x.exp()).sum::<f64>().ln())
    });
    of_matrices("softmax", OfMore, Program::trace(|x: Arr<Arr<F64>>| x.map(|row| row.softmax())), |x| {
        x.iter().map(|row| softmax(row)).collect::<Vec<_>>()
    });
}

/// Values that numpy and JAX print.
#[test]
fn known_values() -> Result<()> {
    let softmax = Program::trace(|x: Arr<F64>| (x.softmax(), x.logsumexp(), x.var(), x.std()))?;
    let (found, total, var, std): (Vec<f64>, f64, f64, f64) = softmax.at([1.0, 2.0, 3.0])?;
    same(
        "softmax",
        &[],
        &[value(found), total.into(), var.into(), std.into()],
        &[
            value([0.090_030_573_170_380_46, 0.244_728_471_054_797_65, 0.665_240_955_774_821_9]),
            3.407_605_964_444_38.into(),
            (2.0 / 3.0).into(),
            0.816_496_580_927_726.into(),
        ],
    );
    Ok(())
}

/// Where exponentials are infinite, zero or not numbers.
#[test]
fn sums_of_exponentials_at_extremes() -> Result<()> {
    let total = Program::trace(|x: Arr<F64>| (x.logsumexp(), x.softmax()))?;
    let gradient = Program::trace(|x: Arr<F64>| x.logsumexp())?.grad(0)?;
    let (none, any) = (f64::NEG_INFINITY, f64::NAN);
    for (x, sum, parts) in [
        ([1e300, 0.0], 1e300, [1.0, 0.0]),
        ([-1e300, -1e300], -1e300, [0.5, 0.5]),
        ([none, 3.0], 3.0, [0.0, 1.0]),
        ([none, none], none, [any; 2]),
        ([f64::INFINITY, 0.0], f64::INFINITY, [any, 0.0]),
        ([any, 0.0], any, [any; 2]),
    ] {
        same("logsumexp and softmax", &[value(x)], &total.run(&[value(x)])?, &[sum.into(), value(parts)]);
        if sum.is_finite() {
            same("the gradient of logsumexp", &[value(x)], &gradient.run(&[value(x)])?, &[value(parts)]);
        }
    }
    let singles = Program::trace(|x: Arr<F32>| (x.logsumexp(), x.softmax()))?;
    let (sum, parts): (f32, Vec<f32>) = singles.at([200.0_f32, 200.0])?;
    assert_eq!((sum, parts), (200.0 + std::f32::consts::LN_2, vec![0.5; 2]));
    Ok(())
}

/// No derivative looks for the place of the extremum that is taken out of exponents.
#[test]
fn no_place_of_an_extremum_is_looked_for() -> Result<()> {
    for program in [
        Program::trace(|x: Arr<F64>| x.logsumexp())?,
        Program::trace(|x: Arr<F64>| x.softmax())?,
        Program::trace(|x: Arr<F64>| x.log_softmax())?,
        Program::trace(|x: Arr<Arr<F64>>| x.logsumexp())?,
    ] {
        let gradient = program.vjp()?.to_string();
        assert!(!gradient.contains(&i64::MAX.to_string()), "{gradient}");
    }
    Ok(())
}

#[test]
fn choices() {
    of_lists("where", OfMore, Program::trace(|x: Arr<F64>| where_(x.map(|x| x.gt(0.0)), x * x, -x)), |x| {
        x.iter().map(|x| if *x > 0.0 { x * x } else { -x }).collect::<Vec<_>>()
    });
    of_lists("where", OfMore, Program::trace(|x: Arr<F64>| where_(x.map(|x| x.lt(0.0)), 1.0, x.sum())), |x| {
        x.iter().map(|y| if *y < 0.0 { 1.0 } else { x.iter().sum() }).collect::<Vec<_>>()
    });
    of_matrices(
        "where",
        OfMore,
        Program::trace(|x: Arr<Arr<F64>>| where_(x.map(|r| r.map(|x| x.gt(1.0))), 0.0, x)),
        |x| {
            let chosen = |x: &f64| if *x > 1.0 { 0.0 } else { *x };
            x.iter().map(|row| row.iter().map(chosen).collect::<Vec<_>>()).collect::<Vec<_>>()
        },
    );
    of_lists("clip", OfMore, Program::trace(|x: Arr<F64>| x.clip(-1.0, 2.0)), |x| {
        x.iter().map(|x| x.clamp(-1.0, 2.0)).collect::<Vec<_>>()
    });
    let clip = Program::trace(|x: Arr<F64>, low: F64, high: F64| x.clip(low, high)).unwrap();
    let arguments = [value([-1.0, 0.0, 0.5, 1.0, 7.0, f64::NAN]), 0.0.into(), 1.0.into()];
    same("clip", &arguments, &clip.run(&arguments).unwrap(), &[value([0.0, 0.0, 0.5, 1.0, 1.0, f64::NAN])]);
    let adjoints = clip.vjp().unwrap().run(&[&arguments[..], &[value([1.0; 6])]].concat()).unwrap();
    same("clip", &arguments, &adjoints[1..], &[value([0.0, 1.0, 1.0, 1.0, 0.0, 1.0]), 1.0.into(), 1.0.into()]);
    let rows = value([[0.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 0.0]]);
    let case = (vec![value([2_i64, -1, 0])], vec![rows]);
    has("one_hot", OfMore, Program::trace(|k: Arr<I64>| k.one_hot::<F64>(3)), [case]);
}

#[test]
fn shapes() {
    let shifts = [-7_i64, -1, 0, 2, 5].into_iter().flat_map(|shift| [0, 1, 5].map(|n| (shift, n)));
    let rolled = shifts.map(|(shift, n)| {
        let x = &lists(n)[0];
        let moved = (0..n as i64).map(|i| x[(i - shift).rem_euclid(n as i64) as usize]).collect::<Vec<_>>();
        (vec![value(&x[..]), shift.into()], vec![value(moved)])
    });
    has("roll", OfSums, Program::trace(|x: Arr<F64>, by: I64| x.roll(by)), rolled);
    of_lists("tile", OfSums, Program::trace(|x: Arr<F64>| x.tile(3)), |x| x.repeat(3));
    of_lists("repeat", OfSums, Program::trace(|x: Arr<F64>| x.repeat(2)), |x| {
        x.iter().flat_map(|x| [*x; 2]).collect::<Vec<_>>()
    });
    of_lists("pad", OfSums, Program::trace(|x: Arr<F64>| x.pad(2, 3, 1.0)), |x| [&[1.0; 2], x, &[1.0; 3]].concat());
    of_lists("diff", OfSums, Program::trace(|x: Arr<F64>| x.diff()), |x| {
        x.windows(2).map(|x| x[1] - x[0]).collect::<Vec<_>>()
    });
    of_matrices("diff", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.diff()), |x| {
        let rows: Vec<Vec<f64>> = x.windows(2).map(|x| x[1].iter().zip(&x[0]).map(|(x, y)| x - y).collect()).collect();
        rows
    });
    of_matrices("roll and repeat", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.roll(1).repeat(2).tile(2)), |x| {
        let mut rolled = x.to_vec();
        rolled.rotate_right(1);
        let twice: Vec<Vec<f64>> = rolled.into_iter().flat_map(|row| [row.clone(), row]).collect();
        [twice.clone(), twice].concat()
    });
    of_matrices("pad", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.map(|r| r.pad(1, 0, 2.0)).pad(0, 1, 2.0)), |x| {
        let mut rows: Vec<Vec<f64>> = x.iter().map(|row| [&[2.0], &row[..]].concat()).collect();
        rows.push(vec![2.0; x[0].len() + 1]);
        rows
    });
    let padded = |at: fn(i64, i64) -> i64| {
        let cases = [(0, 0), (1, 2), (9, 8)].into_iter().flat_map(|ends| [1, 2, 5].map(|n| (ends, n)));
        cases.map(move |((before, after), n)| {
            let list = &lists(n as usize)[0];
            let padded = (-before..n + after).map(|i| list[at(i, n) as usize]).collect::<Vec<_>>();
            (vec![value(&list[..]), before.into(), after.into()], vec![value(padded)])
        })
    };
    let edge = Program::trace(|x: Arr<F64>, before: I64, after: I64| x.pad_edge(before, after));
    has("pad_edge", OfSums, edge, padded(|i, n| i.clamp(0, n - 1)));
    let reflect = Program::trace(|x: Arr<F64>, before: I64, after: I64| x.pad_reflect(before, after));
    let reflected = |mut i: i64, n: i64| {
        // Back and forth, as a ball between walls.
        while n > 1 && (i < 0 || i >= n) {
            i = if i < 0 { -i } else { 2 * (n - 1) - i };
        }
        if n > 1 { i } else { 0 }
    };
    has("pad_reflect", OfSums, reflect, padded(reflected));
    let none = value([0.0; 0]);
    let padded = |word: fn(Arr<F64>) -> Arr<F64>| Program::trace(word).unwrap().run(from_ref(&none));
    assert!(padded(|x| x.pad_edge(1, 0)).is_err() && padded(|x| x.pad_reflect(0, 1)).is_err());
    assert_eq!(padded(|x| x.pad_edge(0, 0)).as_deref(), Ok(from_ref(&none)));
}

#[test]
fn ranges() {
    let sizes = [0_usize, 1, 2, 5];
    let spaced = sizes.map(|n| {
        let numbers: Vec<f64> = (0..n).map(|i| 0.5 + 3.0 * i as f64 / (n.max(2) - 1) as f64).collect();
        (vec![0.5.into(), 3.5.into(), (n as i64).into()], vec![value(numbers)])
    });
    has("linspace", OfMore, Program::trace(|a: F64, b: F64, n: I64| linspace(a, b, n)), spaced);
    let units = sizes.map(|n| {
        let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        (vec![(n as i64).into()], vec![value(rows)])
    });
    has("eye", OfMore, Program::trace(|n: I64| eye::<F64>(n)), units);
    let numbers = Program::trace(|a: I64, b: I64, step: I64| arange(a, b, step));
    let steps = [(0_i64, 5, 1), (1, 10, 3), (1, 11, 3), (5, 5, 2), (7, 2, 1), (7, 2, -1), (7, 1, -4)];
    let cases = steps.map(|(start, stop, step)| {
        let next = |i: &i64| if step > 0 { *i < stop } else { *i > stop };
        let expected: Vec<i64> = (0..).map(|k| start + k * step).take_while(next).collect();
        (vec![start.into(), stop.into(), step.into()], vec![value(expected)])
    });
    has("arange", OfMore, numbers.clone(), cases);
    let numbers = numbers.unwrap();
    assert!(numbers.run::<f64>(&[1_i64.into(), 2_i64.into(), 0_i64.into()]).is_err());
}

#[test]
fn products_and_parts_of_matrices() {
    let rows = |n: usize, m: usize, f: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
        (0..n).map(|i| (0..m).map(|j| f(i, j)).collect()).collect()
    };
    of_lists("outer", OfSums, Program::trace(|x: Arr<F64>| x.outer(x.pad(1, 0, 2.0))), |x| {
        let y = [&[2.0], x].concat();
        rows(x.len(), y.len(), &|i, j| x[i] * y[j])
    });
    of_matrices("kron", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.kron(x.take(1))), |x| {
        let m = x[0].len();
        rows(x.len(), m * m, &|i, j| x[i][j / m] * x[0][j % m])
    });
    of_matrices("kron", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.take(1).kron(x)), |x| {
        let m = x[0].len();
        rows(x.len(), m * m, &|i, j| x[0][j / m] * x[i][j % m])
    });
    of_matrices("trace", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.trace()), |x| {
        x.iter().enumerate().filter_map(|(i, row)| row.get(i)).sum::<f64>()
    });
    for k in [-2, 0, 1] {
        let part = |x: &[Vec<f64>], upper: bool| {
            let kept = |i: usize, j: usize| {
                let distance = j as i64 - i as i64;
                if upper { distance >= k } else { distance <= k }
            };
            rows(x.len(), x[0].len(), &|i, j| if kept(i, j) { x[i][j] } else { 0.0 })
        };
        of_matrices("triu", OfSums, Program::trace(move |x: Arr<Arr<F64>>| x.triu(k)), |x| part(x, true));
        of_matrices("tril", OfSums, Program::trace(move |x: Arr<Arr<F64>>| x.tril(k)), |x| part(x, false));
    }
}

/// An array meets each element of one that has a dimension more.
#[test]
fn rows_meet_matrices() {
    of_matrices("m * row", OfSums, Program::trace(|x: Arr<Arr<F64>>| x.sum() - x * x.last()), |x| {
        let sums = by_column(x, |x| vec![x.iter().sum()]).remove(0);
        let last = &x[x.len() - 1];
        let row = |row: &Vec<f64>| (0..row.len()).map(|j| sums[j] - row[j] * last[j]).collect::<Vec<_>>();
        x.iter().map(row).collect::<Vec<_>>()
    });
    let blocks = |x: Arr<Arr<F64>>| {
        let mut blocks = x.reshape([I64::from(1), x.len(), x.size(1)]).tile(2);
        blocks += x;
        (blocks / x.map(|row| row.map(|x| x * x + 1.0))).sum()
    };
    of_matrices("blocks + m", OfSums, Program::trace(blocks), |x| {
        let of = |row: &Vec<f64>| row.iter().map(|x| 4.0 * x / (x * x + 1.0)).collect::<Vec<_>>();
        x.iter().map(of).collect::<Vec<_>>()
    });
    let mixed = Program::trace(|m: Arr<Arr<F64>>, row: Arr<F64>| m + row).unwrap();
    assert!(mixed.run(&[value([[1.0, 2.0]]), value([1.0])]).is_err());
}

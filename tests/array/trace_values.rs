//! What traced programs compute: each combinator on small inputs, against values worked out by hand or in plain Rust.

use catadiff::array::Program;
use catadiff::array::trace::{
    Arr, Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, custom, hist, if_, iota, literal, loop_for,
    loop_while, loop_while_with, replicate, stop_gradient, tabulate, tabulate2d,
};
use catadiff::carriers::Dual;
use catadiff::interpret::{Scalar, ToValues, Value};
use catadiff::primitives::f16;
use catadiff::{Elementary, Error, Real, Result, grad};

/// The results as text, of a program that verifies and whose text form is read back as the same text.
#[track_caller]
fn run(program: catadiff::Result<Program>, arguments: &[Value<f64>]) -> String {
    let program = program.expect("the closure describes a program");
    assert_eq!(program.verify(), Ok(()));
    let text = program.to_string();
    assert_eq!(Program::parse(&text).expect("programs are read back").to_string(), text);
    let results = program.run(arguments).unwrap_or_else(|error| panic!("{error}"));
    results.iter().map(Value::to_string).collect::<Vec<_>>().join(" ")
}

fn value(nested: impl ToValues) -> Value<f64> {
    Value::new(nested).expect("arguments are rectangular")
}

macro_rules! values {
    ($($name:ident: $closure:expr, ($($argument:expr),*) => $results:literal;)+) => {$(
        #[test]
        fn $name() {
            assert_eq!(run(Program::trace($closure), &[$(value($argument)),*]), $results);
        }
    )+};
}

fn sq<R: Real>(x: R) -> R {
    x * x
}

values! {
    k_means: |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(sq).sum()).min()).sum()
    }, ([[0.0, 0.0], [5.0, 5.0], [1.0, 2.0]], [[0.0, 1.0], [4.0, 5.0]]) => "4";

    map2: |x: Arr<F64>, n: Arr<I64>| x.map2(n, |x, n| x * n.to_f64()), ([0.5, 2.0], [4_i64, -1]) => "[2, -2]";
    map3: |x: Arr<F64>, y: Arr<F64>, z: Arr<F64>| x.map3(y, z, |x, y, z| x * y + z),
        ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]) => "[8, 14]";
    zip_and_unzip: |x: Arr<F64>, y: Arr<I64>| { let (y, x) = x.zip(y).map(|(x, n)| (n, x + 1.0)).unzip(); (x, y) },
        ([1.0, 2.0], [3_i64, 4]) => "[2, 3] [3, 4]";
    composition_is_reduced_in_order: |a: Arr<F64>, b: Arr<F64>| {
        a.zip(b).reduce((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d))
    }, ([2.0, 3.0, 5.0], [1.0, 1.0, 2.0]) => "30 22";
    reduce_of_nothing: |x: Arr<F64>| (x.sum(), x.product(), x.min(), x.max()), ([0.0; 0]) => "0 1 inf -inf";
    scan: |x: Arr<F64>| x.scan(0.0, |x, y| x + y), ([1.0, 2.0, 4.0]) => "[1, 3, 7]";
    scatter: |x: Arr<F64>, i: Arr<I64>, v: Arr<F64>| x.scatter(i, v),
        ([1.0, 2.0, 3.0], [2_i64, 7, -1, 0], [9.0, 8.0, 7.0, 6.0]) => "[6, 2, 9]";
    histogram: |i: Arr<I64>, v: Arr<F64>| hist(3, (0.0, 0), i, v.zip(i), |(x, m), (y, n)| (x + y, m + n)),
        ([2_i64, 0, 2, 5], [1.0, 2.0, 4.0, 8.0]) => "[2, 0, 5] [0, 0, 4]";
    reduce_by_index: |x: Arr<F64>, i: Arr<I64>, v: Arr<F64>| x.reduce_by_index(f64::NEG_INFINITY, i, v, |x, y| x.max(y)),
        ([0.0, 0.0], [1_i64, 1, 0], [3.0, 5.0, -1.0]) => "[0, 5]";
    gather: |x: Arr<Arr<F64>>, i: Arr<I64>| x.gather(i), ([[1.0, 2.0], [3.0, 4.0]], [1_i64, 0, 1])
        => "[[3, 4], [1, 2], [3, 4]]";
    tabulated: |n: I64| (tabulate(n, |i| i * i), tabulate2d(n, 2, |i, j| i * 10 + j), iota(n).reverse()), (3_i64)
        => "[0, 1, 4] [[0, 1], [10, 11], [20, 21]] [2, 1, 0]";
    replicated: |n: I64, x: Arr<F64>| (replicate(n, x), x.fill(7.0), x.zeros_like()), (2_i64, [1.0, 2.0])
        => "[[1, 2], [1, 2]] [7, 7] [0, 0]";
    shapes: |x: Arr<Arr<F64>>| (x.transpose(), x.flatten(), x.flatten().unflatten(3, 2), x.reshape([1, 6])),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        => "[[1, 4], [2, 5], [3, 6]] [1, 2, 3, 4, 5, 6] [[1, 2], [3, 4], [5, 6]] [[1, 2, 3, 4, 5, 6]]";
    inner_dimensions: |x: Arr<F64>| {
        let x = x.reshape([2, 3, 2]);
        (x.flatten(), x.permute([1, 0]).index(2), x.permute([2, 0, 1]).index(1))
    }, ((0..12).map(f64::from).collect::<Vec<_>>())
        => "[[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]] [[4, 5], [10, 11]] [[1, 3, 5], [7, 9, 11]]";
    parts: |x: Arr<Arr<F64>>| (x.index(1).index(0), x.index2(0, 1), x.first(), x.last(), x.len(), x.size(1)),
        ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) => "4 2 [1, 2, 3] [4, 5, 6] 2 3";
    slices: |x: Arr<F64>| (x.take(2), x.drop(1), x.slice(1, 3), x.range(3, 2, -2), x.reverse().concat(x.take(1))),
        ([1.0, 2.0, 3.0, 4.0]) => "[1, 2] [2, 3, 4] [2, 3] [4, 2] [4, 3, 2, 1, 1]";
    updates: |x: Arr<Arr<F64>>| (x.with2(0, 1, 9.0), x.with(0, x.last()), x.diagonal()), ([[1.0, 2.0], [3.0, 4.0]])
        => "[[1, 9], [3, 4]] [[3, 4], [3, 4]] [1, 4]";

    columns: |x: Arr<Arr<F64>>| (x.sum(), x.product(), x.min(), x.max()), ([[1.0, 5.0], [3.0, 2.0]])
        => "[4, 7] [3, 10] [1, 2] [3, 5]";
    integer_extrema: |n: Arr<I32>, none: Arr<I64>| (n.min(), n.max(), n.sum(), none.min()), ([3_i32, -1, 2], [0_i64; 0])
        => "-1 3 4 9223372036854775807";
    first_extremes: |x: Arr<F64>, n: Arr<I64>| (x.argmin(), x.argmax(), n.argmin(), n.argmax()),
        ([2.0, 1.0, 3.0, 1.0, 3.0], [5_i64, 5]) => "1 2 0 0";
    extremes_of_infinities: |x: Arr<F64>| (x.argmin(), (-x).argmax()), ([f64::INFINITY, f64::INFINITY]) => "0 0";
    numbers_are_extreme_and_nan_is_not: |x: Arr<F64>| (x.argmin(), x.argmax(), x.min().ne(x.min())),
        ([2.0, f64::NAN, -1.0, f64::NAN]) => "2 0 false";
    products: |x: Arr<Arr<F64>>, y: Arr<F64>| (x.matmul(x.transpose()), x.matvec(y), y.dot(y)),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, -1.0]) => "[[5, 11], [11, 25]] [-1, -1] 2";
    quantifiers: |b: Arr<Bool>| (b.all(), b.any(), (!b).any(), (b & !b).any(), (b ^ !b).all()), ([true, false])
        => "false true true false true";
    broadcasting: |x: Arr<Arr<F64>>, s: F64| (2.0 * x - s, (s / x) * s + 1.0, -x), ([[1.0, 2.0], [4.0, 8.0]], 4.0)
        => "[[-2, 0], [4, 12]] [[17, 9], [5, 3]] [[-1, -2], [-4, -8]]";
    floor_division: |n: Arr<I64>, m: I64| (n / 2, n % 3, n / m, 7 - n, n.map(|n| n.quot(2)), n.map(|n| n.remainder(2))),
        ([-7_i64, 7], -2_i64) => "[-4, 3] [2, 1] [3, -4] [14, 0] [-3, 3] [-1, 1]";
    bits: |n: I64| ((n & 6) | 1, n ^ 1, !n, n << 2, n >> 1, (-n).abs().signum().pow(3)), (5_i64) => "5 4 -6 20 2 1";
    comparisons: |x: F64, y: F64| (x.lt(y), x.le(y), x.gt(y), x.ge(y), x.eq(y), x.ne(y)), (1.0, 2.0)
        => "true true false false false true";
    nan_is_not_compared: |x: F64| (x.lt(x), x.le(x), x.eq(x), x.ne(x)), (f64::NAN) => "false false false true";
    conversions: |x: F64, n: I32, b: Bool| (x.to_i64(), x.to_i32(), n.to_f64(), n.to_i64(), b.to_i64(), n.to_bool()),
        (-2.75, 3_i32, true) => "-2 -2 3 3 1 true";
    singles: |x: F32| (x * 0.5 + 1.0, x.to_f64()), (3.0) => "2.5 3";
    halves: |x: F16| (x * 0.5 + 2048.0, x.to_f64(), x.sqrt().to_f32(), (x * 30000.0).to_i32(), x.max(4.0 + x * 0.0)), (3.0)
        => "2050 3 1.732421875 2147483647 4";

    conditional: |x: F64| if_(x.gt(0.0), || (x * 2.0, true), || (0.0, false)), (-3.0) => "0 false";
    counted: |x: F64, n: I64| loop_for(n, (1.0, 0), |i, (y, m)| (y * x, m + i)), (2.0, 5_i64) => "32 10";
    fibonacci: |n: I64| loop_for(n, (0, 1), |_, (x, y)| (y, x + y)).0, (30_i64) => "832040";
    newton: |a: F64| loop_while(a, |x| (x * x - a).gt(0.0), |x| (x + a / x) * 0.5), (16.0) => "4";
    loops_over_arrays: |x: Arr<F64>| loop_for(x.len(), x, |i, x| x.with(i, x.index(i) * 2.0 + x.sum())), ([1.0, 2.0])
        => "[5, 11]";
    loops_over_pairs_of_arrays: |x: Arr<F64>| {
        loop_while((x, 0), |(x, _)| x.sum().gt(1.0), |(x, n)| (x * 0.5, n + 1))
    }, ([3.0, 5.0]) => "[0.375, 0.625] 3";
    constant_to_derivatives: |x: Arr<Arr<F64>>, n: I64| stop_gradient((x, n)), ([[1.0], [2.0]], 3_i64) => "[[1], [2]] 3";
    own_derivative: |x: F64| custom(x, |x| x * 3.0, |_, z| z * 5.0), (2.0) => "6";
    literals: |x: Arr<F64>| (x + literal(&[1.0, 2.0]), literal([[1, 2], [3, 4]]), literal::<&[f64]>(&[])), ([0.5, 0.5])
        => "[1.5, 2.5] [[1, 2], [3, 4]] []";
    constants: |_: F64| (1.5, 2, true), (0.0) => "1.5 2 true";
}

#[test]
fn generic_functions_mean_the_same_inside_and_outside() {
    fn f<R: Real>(x: R, y: R) -> R {
        (x * y).sin() + x.hypot(y) / (y.exp() + 1.0) - [x, y, x].into_iter().sum::<R>().powi(3)
    }
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(y, f)).expect("a program");
    let (x, y) = ([0.3, -1.2, 4.0], [2.0, 0.7, -0.1]);
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| f(*x, *y)).collect();
    assert_eq!(program.run(&[value(x), value(y)]), Ok(vec![value(expected)]), "to the last bit");
}

#[test]
fn carriers_nest_over_handles() {
    // Duals over handles: what is traced is the derivative.
    fn f<R: Real>(x: R, y: R) -> R {
        x.ln() + x * y - y.sin()
    }
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        x.map2(y, |x, y| {
            f(Dual { value: x, tangent: F64::from(1.0) }, Dual { value: y, tangent: F64::from(0.0) }).tangent
        })
    });
    let expected = value([1.0 / 2.0 + 5.0, 1.0 / 4.0 + 3.0]).to_string();
    assert_eq!(run(program, &[value([2.0, 4.0]), value([5.0, 3.0])]), expected);
}

#[test]
fn traced_programs_are_differentiated_by_the_scalar_layer() {
    let program = Program::trace(|x: Arr<F64>| {
        let y = x.scan(1.0, |x, y| x * y);
        loop_for(2, y.sum(), |_, s| if_(s.gt(0.0), || s.sqrt(), || -s)) * x.first()
    })
    .expect("a program");
    let traced = grad(
        |x| {
            let results = program.run(&[Value::reals(&[3], x.to_vec()).expect("three numbers")]);
            results.expect("it runs")[0].to_reals().expect("a real")[0]
        },
        &[1.5_f64, 0.5, 2.0],
    )
    .expect("a gradient");
    let direct = grad(|x| (x[0] + x[0] * x[1] + x[0] * x[1] * x[2]).sqrt().sqrt() * x[0], &[1.5_f64, 0.5, 2.0]);
    for (traced, direct) in traced.iter().zip(direct.expect("a gradient")) {
        assert!((traced - direct).abs() <= 1e-15 * direct.abs().max(1.0), "{traced} and {direct}");
    }
}

#[test]
fn what_a_program_cannot_do_is_an_error_when_it_runs() {
    macro_rules! fails {
        ($($closure:expr, ($($argument:expr),*) => $error:pat,)+) => {$(
            let program = Program::trace($closure).expect("the closure describes a program");
            let error = program.run(&[$(value($argument)),*]).expect_err("it cannot be done");
            assert!(matches!(error, $error), "{error}");
        )+};
    }
    fails! {
        |x: Arr<F64>, y: Arr<F64>| x + y, ([1.0], [1.0, 2.0]) => Error::Sizes { first: 1, second: 2, .. },
        |x: Arr<F64>| x.index(2), ([1.0, 2.0]) => Error::OutOfBounds { index: 2, length: 2, .. },
        |x: Arr<F64>| x.first(), ([0.0; 0]) => Error::OutOfBounds { index: 0, length: 0, .. },
        |x: Arr<F64>| x.index(x.argmin()), ([0.0; 0]) => Error::OutOfBounds { length: 0, .. },
        |x: Arr<F64>| x.take(3), ([1.0, 2.0]) => Error::OutOfBounds { .. },
        |x: Arr<F64>| x.unflatten(2, 2), ([1.0, 2.0]) => Error::Sizes { .. },
        |x: Arr<F64>| x.reshape([4]), ([1.0, 2.0]) => Error::Sizes { .. },
        |n: I64| iota(n), (-1_i64) => Error::NegativeSize { size: -1, .. },
        |n: I64| 1 / n, (0_i64) => Error::NoValue { .. },
        |n: I32| I32::from(1) % n, (0_i32) => Error::NoValue { .. },
        |_: I64| I64::from(1) / 0, (5_i64) => Error::NoValue { .. },
        |x: F64| loop_while_with(Default::default(), 5, x, |x| x.gt(0.0), |x| x + 1.0), (1.0)
            => Error::LoopBound { bound: 5, .. },
    }
}

#[test]
fn results_of_each_kind() {
    let program = Program::trace(|x: F64, n: I64| (x, n, n.to_i32(), x.lt(0.0))).expect("a program");
    let results = program.run(&[value(1.5), value(7_i64)]).expect("it runs");
    let kinds = [Scalar::F64(1.5), Scalar::I64(7), Scalar::I32(7), Scalar::Bool(false)];
    assert_eq!(results, kinds.map(Value::Scalar));
}

/// Scalars, slices and nested arrays of every kind go in, and come out as the same.
#[test]
fn numbers_of_every_kind_go_in_and_out() -> Result<()> {
    macro_rules! kinds {
        ($($Kind:ident($Number:ident) $x:expr, $y:expr;)+) => {$({
            let swapped = Program::trace(|x: Arr<$Kind>, y: $Kind| (x.map(|x| if_(x.lt(y), || y, || x)), y))?;
            let program = (&[$x, $y][..], $y);
            let (list, last): (Vec<$Number>, $Number) = swapped.at(program)?;
            assert_eq!((list, last), (vec![$y, $y], $y));
            let (list, last): (Vec<$Number>, $Number) = swapped.compile()?.at(program)?;
            assert_eq!((list, last), (vec![$y, $y], $y));
        })+};
    }
    kinds! {
        I8(i8) i8::MIN, i8::MAX; I16(i16) i16::MIN, i16::MAX; I32(i32) i32::MIN, i32::MAX; I64(i64) i64::MIN, i64::MAX;
        U8(u8) 0, u8::MAX; U16(u16) 0, u16::MAX; U32(u32) 0, u32::MAX; U64(u64) 0, u64::MAX;
        F16(f16) f16::from_f64(-0.1), f16::from_f64(65504.0); F32(f32) -0.1_f32, f32::MAX; F64(f64) -0.1_f64, f64::MAX;
    }
    Ok(())
}

//! Chains of maps over whole arrays: their reverse derivatives are those of one map, in value and in memory.

use catadiff::Elementary;
use catadiff::array::trace::{Arr, F64};
use catadiff::array::{Map, Op, Program};
use catadiff::interpret::{Limits, Value};

/// The sum of squared distances of points to the nearest centre, array by array.
fn of_arrays() -> Program {
    Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        let apart = points.map(|p| centres.map(move |c| p - c));
        let squares = apart.map(|rows| rows.map(|row| row.map(|x| x * x)));
        let distances = squares.map(|rows| rows.map(|row| row.sum()));
        distances.map(|row| row.min()).sum()
    })
    .unwrap()
}

/// The same, point by point.
fn of_points() -> Program {
    Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(move |c| (p - c).map(|x| x * x).sum()).min()).sum()
    })
    .unwrap()
}

fn matrix(rows: usize, columns: usize, shift: f64) -> Value<f64> {
    let all = (0..rows * columns).map(|k| (1.3 * k as f64 + shift).sin());
    Value::reals(&[rows, columns], all).unwrap()
}

fn maps(program: &Program) -> Vec<&Map> {
    let maps = program.function().body.stms.iter().filter_map(|stm| match &stm.op {
        Op::Map(map) => Some(&**map),
        _ => None,
    });
    maps.collect()
}

#[test]
fn the_derivative_of_whole_arrays_is_that_of_a_map_and_needs_no_more_memory() {
    let (n, k, d) = (2000, 10, 8);
    let arguments = [matrix(n, d, 0.0), matrix(k, d, 0.5)];
    let [whole, each] = [of_arrays(), of_points()].map(|program| program.grad("centres").unwrap());
    let expected = each.run(&arguments).unwrap();
    let found = whole.run(&arguments).unwrap();
    let difference = |(x, y): (f64, f64)| (x - y).abs();
    let pairs = found[0].to_f64().unwrap().into_iter().zip(expected[0].to_f64().unwrap());
    assert!(pairs.map(difference).fold(0.0, f64::max) < 1e-12);
    assert_eq!(maps(&whole).len(), maps(&each).len(), "{whole}");
    // Not even one array of all differences is held.
    let limits = Limits { elements: (n * k * d) as u64 / 2, ..Limits::default() };
    let compiled = whole.compile().unwrap();
    let ran = compiled.run_within(&arguments, &limits);
    assert!(ran.is_ok(), "{:?}\n{}", ran.err(), compiled.explain());
}

#[test]
fn what_is_used_elsewhere_stays_an_array_and_products_stay_products() {
    // The maximum needs all elements before the next map has any.
    let softmax = Program::trace(|xs: Arr<F64>, w: Arr<F64>| {
        let powers = (xs * 2.0).map(|x| x.exp());
        let total = powers.sum();
        (powers.map(move |p| p / total) * w).sum()
    })
    .unwrap();
    let arguments = [Value::new([0.1, 0.7, -0.4]).unwrap(), Value::new([1.0, 2.0, 3.0]).unwrap()];
    let gradient = softmax.grad(0).unwrap().run(&arguments).unwrap()[0].to_f64().unwrap();
    let forward = softmax.jacfwd(0).unwrap().run(&arguments).unwrap()[0].to_f64().unwrap();
    assert!(gradient.iter().zip(&forward).all(|(x, y)| (x - y).abs() < 1e-14), "{gradient:?} {forward:?}");
    // A layer of a network: the sums of products of its rows are one product of matrices, forwards and backwards.
    let layer = Program::trace(|x: Arr<Arr<F64>>, w: Arr<Arr<F64>>| {
        x.matmul(w).map(|row| row.map(|y| y.tanh())).map(|row| row.sum()).sum()
    })
    .unwrap();
    let by_weights = layer.grad(1).unwrap().compile().unwrap();
    assert!(by_weights.explain().matches("product").count() >= 2, "{}", by_weights.explain());
    let arguments = [matrix(6, 5, 0.0), matrix(5, 4, 0.3)];
    let found = by_weights.run(&arguments).unwrap()[0].to_f64().unwrap();
    let forward = layer.jacfwd(1).unwrap().run(&arguments).unwrap()[0].to_f64().unwrap();
    assert!(found.iter().zip(&forward).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?} {forward:?}");
}

#[test]
fn lengths_are_compared_as_before() {
    let chain = Program::trace(|x: Arr<F64>, y: Arr<F64>, z: Arr<F64>| ((x * y).map(|a| a.sin()) * z).sum()).unwrap();
    let gradient = chain.grad(..).unwrap();
    let of = |n: usize| Value::reals(&[n], (0..n).map(|k| k as f64)).unwrap();
    assert!(gradient.run(&[of(3), of(3), of(3)]).is_ok());
    for lengths in [[3, 3, 4], [3, 4, 3], [4, 3, 3]] {
        let error = gradient.run(&lengths.map(of)).unwrap_err();
        assert!(error.to_string().contains("must agree"), "{error}");
    }
}

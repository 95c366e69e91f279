//! Windows and places: convolutions, pools and interpolation, against plain Rust.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64};
use catadiff::interpret::Value;
use catadiff::{Error, Result};
use catadiff_laws::growth::Work;

use super::Made::{OfMore, OfSums};
use super::{draw, has, lists, same, value};

type Image = Arr<Arr<Arr<F64>>>;

/// Numbers of these sizes.
fn drawn(sizes: &[usize]) -> Value<f64> {
    let count = sizes.iter().product();
    Value::reals(sizes, (0..count).map(|_| draw())).expect("as many as the sizes say")
}

/// The convolution, by its definition.
fn convolved(x: &Value<f64>, kernels: &Value<f64>, strides: [i64; 2], padding: [[i64; 2]; 2]) -> Value<f64> {
    let (&[channels, height, width], &[out, _, k, l]) = (x.sizes(), kernels.sizes()) else { panic!("their ranks") };
    let [x, kernels] = [x, kernels].map(|value| value.to_reals().expect("reals"));
    let [n, m, k, l] = [height, width, k, l].map(|size| size as i64);
    let count = |n: i64, k: i64, axis: usize| {
        let room = n + padding[axis][0] + padding[axis][1] - k;
        if room < 0 { 0 } else { room / strides[axis] + 1 }
    };
    let (rows, columns) = (count(n, k, 0), count(m, l, 1));
    let mut result = Vec::new();
    for (o, i, j) in (0..out).flat_map(|o| (0..rows).flat_map(move |i| (0..columns).map(move |j| (o, i, j)))) {
        let mut sum = 0.0;
        for (c, p, q) in (0..channels).flat_map(|c| (0..k).flat_map(move |p| (0..l).map(move |q| (c, p, q)))) {
            let (row, column) = (i * strides[0] + p - padding[0][0], j * strides[1] + q - padding[1][0]);
            if (0..n).contains(&row) && (0..m).contains(&column) {
                let kernel = ((o * channels + c) as i64 * k + p) * l + q;
                sum += x[((c as i64 * n + row) * m + column) as usize] * kernels[kernel as usize];
            }
        }
        result.push(sum);
    }
    Value::reals(&[out, rows as usize, columns as usize], result).expect("a sum for each place")
}

#[test]
fn convolutions() -> Result<()> {
    let cases = [
        ([2, 5, 4], [3, 2, 3], [1, 1], [[0, 0], [0, 0]]),
        ([1, 3, 3], [1, 1, 3], [1, 1], [[1, 1], [1, 1]]),
        ([2, 6, 7], [2, 3, 2], [2, 3], [[0, 1], [2, 0]]),
        ([1, 2, 2], [2, 3, 1], [1, 1], [[0, 0], [0, 0]]),
    ];
    let cases = cases.map(|([c, n, m], [o, k, l], strides, padding)| {
        let (x, kernels) = (drawn(&[c, n, m]), drawn(&[o, c, k, l]));
        let expected = convolved(&x, &kernels, strides, padding);
        let sizes = [strides, padding[0], padding[1]].into_iter().flatten().map(Value::from);
        ([x, kernels].into_iter().chain(sizes).collect(), vec![expected])
    });
    type Pair = (I64, I64);
    let program = |x: Image, kernels: Arr<Image>, s: I64, t: I64, a: I64, b: I64, c: I64, d: I64| {
        let padding: [Pair; 2] = [(a, b), (c, d)];
        x.conv2d(kernels, [s, t], padding)
    };
    has("conv2d", OfSums, Program::trace(program), cases);

    let (x, kernels) = (drawn(&[2, 9]), drawn(&[3, 2, 4]));
    let wide = |value: &Value<f64>, sizes: &[usize]| Value::reals(sizes, value.to_reals().unwrap()).unwrap();
    let expected = convolved(&wide(&x, &[2, 1, 9]), &wide(&kernels, &[3, 2, 1, 4]), [1, 2], [[0, 0], [1, 2]]);
    let expected = wide(&expected, &[3, 5]);
    let program = Program::trace(|x: Arr<Arr<F64>>, kernels: Image| x.conv1d(kernels, 2, (1, 2)));
    has("conv1d", OfSums, program, [(vec![x, kernels], vec![expected])]);

    let program = Program::trace(|x: Image, kernels: Arr<Image>| x.conv2d(kernels, [1, 1], [(0, 0); 2]))?;
    let mixed = program.run(&[drawn(&[2, 3, 3]), drawn(&[1, 3, 2, 2])]);
    assert!(matches!(mixed, Err(Error::Sizes { .. })), "{mixed:?}");
    Ok(())
}

/// The gradient performs at most four times the operations, whatever the size.
#[test]
fn gradients_of_convolutions_are_cheap() -> Result<()> {
    let program = Program::trace(|x: Image, kernels: Arr<Image>| {
        x.conv2d(kernels, [1, 1], [(1, 1); 2]).flatten().flatten().sum()
    })?;
    let gradient = program.grad(..)?;
    for n in [16, 32] {
        let arguments = [drawn(&[3, n, n]), drawn(&[8, 3, 3, 3])];
        let (work, _) = Work::of_function(&program, &arguments)?;
        let [operations, ..] = Work::of_derivative(&gradient, &arguments)?.relative_to(work);
        assert!(operations <= 4.0, "{operations} times");
    }
    Ok(())
}

#[test]
fn pools() {
    let sizes =
        [((4, 6), [2, 2], [2, 2]), ((5, 5), [3, 2], [1, 2]), ((3, 1), [3, 1], [5, 1]), ((2, 3), [3, 3], [1, 1])];
    let cases = |word: fn(Vec<f64>) -> f64| {
        sizes.into_iter().flat_map(move |((n, m), window, strides): ((usize, usize), [usize; 2], [usize; 2])| {
            // Numbers of which no two are alike, and then those of which many are.
            lists(n * m).map(|list| {
                let count = |n: usize, k: usize| if n < window[k] { 0 } else { (n - window[k]) / strides[k] + 1 };
                let (rows, columns) = (count(n, 0), count(m, 1));
                let at = |place: usize| {
                    let (i, j) = (place / columns * strides[0], place % columns * strides[1]);
                    word((i..i + window[0]).flat_map(|i| list[i * m + j..i * m + j + window[1]].to_vec()).collect())
                };
                let expected = Value::reals(&[rows, columns], (0..rows * columns).map(at)).unwrap();
                let sizes = [window, strides].into_iter().flatten().map(|size| Value::from(size as i64));
                let image = Value::reals(&[n, m], list.iter().copied()).unwrap();
                (core::iter::once(image).chain(sizes).collect(), vec![expected])
            })
        })
    };
    let most = |x: Arr<Arr<F64>>, a: I64, b: I64, c: I64, d: I64| x.max_pool2d([a, b], [c, d]);
    has("max_pool2d", OfMore, Program::trace(most), cases(|list| list.into_iter().fold(f64::NEG_INFINITY, f64::max)));
    let mean = |x: Arr<Arr<F64>>, a: I64, b: I64, c: I64, d: I64| x.avg_pool2d([a, b], [c, d]);
    has("avg_pool2d", OfSums, Program::trace(mean), cases(|list| list.iter().sum::<f64>() / list.len() as f64));
}

#[test]
fn places_in_lists() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>, v: Arr<F64>| (x.searchsorted(v), x.searchsorted_right(v)))?;
    let cases = (0..9).flat_map(lists).map(|mut list| {
        list.sort_by(f64::total_cmp);
        let values: Vec<f64> = list.iter().copied().chain([-9.0, 9.0, 0.0, f64::INFINITY]).collect();
        let place = |before: fn(f64, f64) -> bool| {
            let place = |v: &f64| list.partition_point(|x| before(*x, *v)) as i64;
            value(values.iter().map(place).collect::<Vec<_>>())
        };
        (vec![value(&list[..]), value(&values[..])], vec![place(|x, v| x < v), place(|x, v| x <= v)])
    });
    has("searchsorted", OfMore, Ok(program.clone()), cases);
    let (left, right): (Vec<i64>, Vec<i64>) = program.at(([1.0, 2.0], [f64::NAN]))?;
    assert_eq!((left, right), (vec![2], vec![2]));
    Ok(())
}

#[test]
fn interpolation() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>, points: Arr<F64>, values: Arr<F64>| x.interp(points, values))?;
    let cases = [1_usize, 2, 3, 6].map(|n| {
        let points: Vec<f64> = (0..n).map(|i| i as f64 * 1.5 + 0.5 * draw()).collect();
        let values: Vec<f64> = (0..n).map(|_| draw()).collect();
        let x: Vec<f64> = (-2..20).map(|i| f64::from(i) * 0.45).chain(points.iter().copied()).collect();
        let at = |x: &f64| {
            let k = points.partition_point(|point| point <= x);
            if k == 0 || k == n {
                return values[k.max(1) - 1];
            }
            values[k - 1] + (x - points[k - 1]) / (points[k] - points[k - 1]) * (values[k] - values[k - 1])
        };
        let expected = value(x.iter().map(at).collect::<Vec<_>>());
        (vec![value(&x[..]), value(&points[..]), value(&values[..])], vec![expected])
    });
    has("interp", OfMore, Ok(program.clone()), cases);
    let special = [value([f64::NAN, f64::INFINITY, -f64::INFINITY]), value([0.0, 1.0]), value([3.0, 4.0])];
    same("interp", &special, &program.run(&special)?, &[value([f64::NAN, 4.0, 3.0])]);
    let none = program.run(&[value([1.0]), value([0.0; 0]), value([0.0; 0])]);
    assert!(matches!(none, Err(Error::OutOfBounds { .. })), "{none:?}");
    Ok(())
}

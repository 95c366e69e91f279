//! Arrays of `ndarray`, with dual numbers in them.
//!
//! Law: what is differentiated through arrays is what is differentiated through slices.
#![cfg(feature = "ndarray")]

use catadiff::carriers::Dual;
use catadiff::derivative::{Structure, StructuredStrategy, grad_of};
use catadiff::interop::ndarray::{grad, hessian, jacobian, matmul, matvec, value_and_grad};
use catadiff::prelude::{Elementary, Forward, Real, VectorForward};
use catadiff::{Error, structure};
use generic_array::typenum::U4;
use ndarray::{Array1, Array2, ArrayView1, Axis, Zip, array, s};
use num_traits::FromPrimitive;

#[test]
fn the_verbs_take_views_and_strides() {
    let x = array![1.0, 2.0, 3.0, 4.0, 5.0];
    let every_other = x.slice(s![..;-2]); // 5, 3, 1
    let (value, gradient) = value_and_grad(|x| x[0] * x[1] - x[2] * x[2], &every_other).unwrap();
    assert_eq!((value, gradient), (14.0, array![3.0, 5.0, -2.0]));
    // x·Σx has the Jacobian Σx·I + x·1ᵀ.
    let j = jacobian(
        |x| {
            let sum = x.sum();
            x.mapv(|x| x * sum)
        },
        &array![1.0, 2.0],
    )
    .unwrap();
    assert_eq!(j, array![[4.0, 1.0], [2.0, 5.0]]);
    // (x·x)² has the Hessian 4(x·x)·I + 8x·xᵀ.
    let h = hessian(|x| (&x * &x).sum().powi(2), &array![1.0, 2.0]).unwrap();
    assert_eq!(h, array![[28.0, 16.0], [16.0, 52.0]]);
}

/// What the module says an array of the verbs' numbers can do.
fn without_static<R: Real + FromPrimitive>(x: ArrayView1<'_, R>) -> R {
    let square = x.to_owned().into_shape_with_order((2, 2)).unwrap();
    let columns = square.sum_axis(Axis(0));
    let shifted = &square * 2.0 + &array![[1.0, 2.0], [3.0, 4.0]] - 0.5;
    let mut folded = columns.fold(R::constant(1.0), |a, b| a * b.sin());
    Zip::from(&columns).and(&shifted.row(1)).for_each(|a, b| folded += *a / *b);
    let quadratic = matvec(&shifted, &matvec(&square, &columns).unwrap()).unwrap();
    folded + quadratic.product() + matmul(&square, &shifted).unwrap().diag().sum() + x.mean().unwrap()
}

#[test]
fn arrays_of_branded_numbers_do_what_num_traits_is_enough_for() {
    let x = array![0.4, -0.3, 0.9, 1.2];
    let gradient = grad(|x| without_static(x), &x).unwrap();
    for (i, found) in gradient.iter().enumerate() {
        let at = |h: f64| {
            let mut x = x.clone();
            x[i] += h;
            without_static(x.view())
        };
        let slope = (8.0 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
        assert!((found - slope).abs() <= 1e-9, "{found} against {slope}");
    }
    let forward = Forward::grad_of(|x| without_static(x.view()), &x).unwrap();
    assert!((&forward / &gradient).iter().all(|ratio| (ratio - 1.0).abs() <= 1e-13), "{forward} against {gradient}");
}

#[test]
fn arrays_of_plain_duals_are_matrices_like_any_other() {
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let direction = array![[0.0, 1.0], [0.0, 0.0]];
    let mut moving = Array2::zeros((2, 2));
    Zip::from(&mut moving).and(&a).and(&direction).for_each(|m, a, d| *m = Dual { value: *a, tangent: *d });
    // d(A·A) = dA·A + A·dA.
    let square = moving.dot(&moving);
    assert_eq!(square.mapv(|x| x.value), a.dot(&a));
    assert_eq!(square.mapv(|x| x.tangent), direction.dot(&a) + a.dot(&direction));
    let mut sum = square.clone();
    ndarray::linalg::general_mat_mul(Dual::lift(2.0), &moving, &moving, Dual::lift(-1.0), &mut sum);
    assert_eq!(sum.mapv(|x| x.tangent), square.mapv(|x| x.tangent));
    assert_eq!((&moving * Dual { value: 2.0, tangent: 1.0 }).mapv(|x| x.tangent), direction * 2.0 + a);
}

structure! {
    #[derive(Debug, Clone, PartialEq)]
    struct Layer<T> { weights: Array2<T>, bias: Array1<T>, scale: T }
}

#[test]
fn arrays_are_structures() {
    let data = array![[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]];
    let layer = Layer { weights: array![[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]], bias: array![0.7, -0.8], scale: 2.0 };
    let gradient = grad_of(|l| (matmul(&data, &l.weights).unwrap() + &l.bias).sum() * l.scale, &layer).unwrap();
    let columns = data.sum_axis(Axis(0));
    let expected = Array2::from_shape_fn((3, 2), |(i, _)| 2.0 * columns[i]);
    let sum = (data.dot(&layer.weights) + &layer.bias).sum();
    assert!((&gradient.weights - &expected).iter().all(|d| d.abs() <= 1e-15));
    assert_eq!(gradient.bias, array![4.0, 4.0]);
    assert!((gradient.scale - sum).abs() <= 1e-15);
    let by_forward =
        VectorForward::<U4>::grad_of(|l| (matmul(&data, &l.weights).unwrap() + &l.bias).sum() * l.scale, &layer);
    assert!((&by_forward.unwrap().weights - &expected).iter().all(|d| d.abs() <= 1e-15));
    // The order is that of the indices, whatever the layout in memory.
    assert_eq!(array![[1.0, 2.0], [3.0, 4.0]].reversed_axes().flatten().to_vec(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!(Structure::flatten(&array![[1.0, 2.0], [3.0, 4.0]].reversed_axes()), [1.0, 3.0, 2.0, 4.0]);
}

#[test]
fn bad_points_are_errors() {
    assert_eq!(grad(|x| x.sum(), &Array1::<f64>::zeros(0)), Err(Error::Empty { what: "the point" }));
    assert!(matches!(hessian(|x| x.sum(), &array![0.0, f64::NAN]), Err(Error::NotFinite { index: 1, .. })));
    let (a, b) = (Array2::<f64>::zeros((2, 3)), Array2::<f64>::zeros((2, 3)));
    assert!(matches!(matvec(&a, &array![1.0]), Err(Error::Length { expected: 3, found: 1, .. })));
    assert!(matches!(matmul(&a, &b), Err(Error::Length { expected: 3, found: 2, .. })));
}

#[test]
fn array_programs_take_and_give_arrays() -> catadiff::Result<()> {
    use catadiff::array::Program;
    use catadiff::array::trace::{Arr, F64, I64};
    use ndarray::{Array3, ArrayD, arr0};
    let scaled = Program::trace(|a: Arr<Arr<F64>>, by: F64, at: Arr<I64>| ((a * by).gather(at), a.sum()))?;
    let a = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    // Views may be strided, backwards and transposed; what counts is the order of indices.
    let (rows, sums): (Array2<f64>, Array1<f64>) = scaled.at((a.slice(s![..;-1, ..]), 10.0, &array![0_i64, 2]))?;
    assert_eq!((rows, sums), (array![[50.0, 60.0], [10.0, 20.0]], array![9.0, 12.0]));
    let (rows, _): (ArrayD<f64>, Vec<f64>) = scaled.at((a.t(), arr0(1.0), array![1_i64]))?;
    assert_eq!(rows, array![[2.0, 4.0, 6.0]].into_dyn());
    let gradient = scaled.jacobian("x1")?.at::<(Array2<f64>, Array1<f64>)>((&a, 10.0, [1]));
    assert_eq!(gradient?.0, array![[3.0, 4.0]]);
    let none: (Array2<f64>, Array1<f64>) = scaled.at((Array2::<f64>::zeros((0, 3)), 1.0, Vec::<i64>::new()))?;
    assert_eq!((none.0.dim(), none.1.len()), ((0, 3), 3));
    let wrong = scaled.at::<(Array3<f64>, Array1<f64>)>((&a, 10.0, [1])).unwrap_err();
    assert_eq!(wrong.to_string(), "result 0 is [][]f64 where [][][]f64 is asked for");
    let wrong = scaled.at::<(Array2<i64>, Array1<f64>)>((&a, 10.0, [1])).unwrap_err();
    assert_eq!(wrong.to_string(), "result 0 is [][]f64 where [][]i64 is asked for");
    assert!(matches!(scaled.at::<(Array2<f64>, Array1<f64>)>((&a.row(0), 10.0, [1])), Err(Error::Argument { .. })));
    Ok(())
}

//! Vectors and matrices of `nalgebra`, with dual numbers in them.
//!
//! Law: what is differentiated through matrices is what is differentiated through slices, and `nalgebra`'s own linear
//! algebra on values is the oracle.
#![cfg(feature = "nalgebra")]

use catadiff::Error;
use catadiff::carriers::Dual;
use catadiff::derivative::{Numbers, Structure, StructuredStrategy, grad_of};
use catadiff::interop::nalgebra::{grad, hessian, jacobian, solve, value_and_grad, vector};
use catadiff::prelude::{Forward, Reverse, Strategy, VectorForward};
use generic_array::typenum::U8;
use nalgebra::{DMatrix, DVector, Matrix2, Vector3};

#[test]
fn the_verbs_give_vectors_and_matrices() {
    let x = DVector::from_vec(vec![2.0, 3.0, 5.0]);
    let (value, gradient) = value_and_grad(|x| x[0] * x[1] * x[2], &x).unwrap();
    assert_eq!((value, gradient), (30.0, DVector::from_vec(vec![15.0, 10.0, 6.0])));
    let j = jacobian(|x| vec![x[0] * x[1], x[2]], &x).unwrap();
    assert_eq!(j, DMatrix::from_row_slice(2, 3, &[3.0, 2.0, 0.0, 0.0, 0.0, 1.0]));
    let h = hessian(|x| x[0] * x[1] * x[2], &x).unwrap();
    assert_eq!(h, DMatrix::from_row_slice(3, 3, &[0.0, 5.0, 3.0, 5.0, 0.0, 2.0, 3.0, 2.0, 0.0]));
    assert_eq!(grad(|_| Reverse::lift(0.0), &DVector::<f64>::zeros(0)), Err(Error::Empty { what: "the point" }));
    assert!(matches!(grad(|x| x[0], &DVector::from_element(2, f64::NAN)), Err(Error::NotFinite { index: 0, .. })));
}

#[test]
fn plain_duals_are_elements_like_any_other() {
    let (a, direction) =
        (DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]), DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 0.0, 0.0]));
    let moving = a.zip_map(&direction, |value, tangent| Dual { value, tangent });
    let square = &moving * &moving;
    assert_eq!(square.map(|x| x.value), &a * &a);
    assert_eq!(square.map(|x| x.tangent), &direction * &a + &a * &direction);
    assert_eq!((moving.transpose() - &moving).sum().tangent, 0.0);
    assert_eq!(moving.trace().tangent, 0.0);
    // Fixed sizes, and second order: the curvature of |x|² along a line is 2·|v|².
    let line = |t: Dual<Dual<f64>>| Vector3::new(t, t * 2.0, t * 3.0);
    let t = Dual { value: Dual { value: 1.0, tangent: 1.0 }, tangent: Dual { value: 1.0, tangent: 0.0 } };
    assert_eq!(line(t).dot(&line(t)).tangent.tangent, 28.0);
    let rotation = |t: Dual<f64>| {
        Matrix2::new(
            num_traits::Float::cos(t),
            -num_traits::Float::sin(t),
            num_traits::Float::sin(t),
            num_traits::Float::cos(t),
        )
    };
    let t = Dual { value: 0.3, tangent: 1.0 };
    let turned = rotation(t) * rotation(t);
    assert!((turned[(1, 0)].tangent - 2.0 * 0.6_f64.cos()).abs() <= 1e-15);
}

fn system() -> (DMatrix<f64>, DVector<f64>) {
    let a =
        DMatrix::from_fn(5, 5, |i, j| if i == (j + 2) % 5 { 4.0 } else { ((3 * i + 5 * j) % 7) as f64 / 7.0 - 0.4 });
    (a, DVector::from_fn(5, |i, _| i as f64 - 1.5))
}

#[test]
fn the_solve_has_the_derivatives_of_the_inverse() {
    let (a, b) = system();
    let inverse = a.clone().try_inverse().unwrap();
    let x = &inverse * &b;
    // For w·x: by b it is A⁻ᵀw, by A it is −(A⁻ᵀw)xᵀ.
    let w = DVector::from_fn(5, |i, _| (i + 1) as f64);
    let adjoint = inverse.transpose() * &w;
    let by_a = -&adjoint * x.transpose();
    let at = (a, b);
    macro_rules! agree {
        ($($Strategy:ty),+) => {$(
            let found = <$Strategy>::grad_of(
                |p| solve(&p.0, &p.1).unwrap().iter().zip(w.iter()).map(|(x, w)| *x * *w).sum(),
                &at,
            );
            let (of_a, of_b) = found.unwrap();
            assert!((of_b - &adjoint).amax() <= 1e-14 && (of_a - &by_a).amax() <= 1e-14);
        )+};
    }
    agree!(Reverse, Forward, VectorForward<U8>);
    assert!((solve(&at.0, &at.1).unwrap() - x).amax() <= 1e-14);
    let slopes = Forward::jacobian(
        |b| solve(&at.0.map_numbers(&mut Forward::lift), &vector(b.to_vec())).unwrap().iter().copied().collect(),
        at.1.as_slice(),
    );
    assert!((DMatrix::from_fn(5, 5, |i, j| slopes.as_ref().unwrap()[i][j]) - inverse).amax() <= 1e-14);
}

#[test]
fn a_bad_system_is_an_error() {
    let (a, b) = system();
    assert!(matches!(solve(&a.rows(0, 4).into_owned(), &b), Err(Error::Length { expected: 4, found: 5, .. })));
    assert!(matches!(solve(&a, &b.rows(0, 4).into_owned()), Err(Error::Length { expected: 16, found: 25, .. })));
    let singular = DMatrix::from_element(5, 5, 1.0);
    assert_eq!(solve(&singular, &b), Err(Error::Singular { column: 1 }));
    let slope =
        grad_of(|a| solve(&a, &b.map_numbers(&mut Reverse::lift)).map_or(Reverse::lift(f64::NAN), |x| x[0]), &singular);
    assert_eq!(slope.unwrap(), DMatrix::zeros(5, 5));
}

#[cfg(feature = "array")]
#[test]
fn array_programs_take_and_give_vectors_and_matrices() {
    use catadiff::array::Program;
    use catadiff::array::trace::{Arr, F64, I64};
    use nalgebra::{RowVector2, SMatrix};

    let scaled = Program::trace(|a: Arr<Arr<F64>>, by: F64| a * by).unwrap();
    let a = DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(scaled.at::<DMatrix<f64>>((&a, 2.0)).unwrap(), &a * 2.0);
    assert_eq!(scaled.compile().unwrap().at::<SMatrix<f64, 2, 3>>((&a, 2.0)).unwrap(), &a * 2.0);
    assert_eq!(scaled.at::<DMatrix<f64>>((a.view((0, 1), (2, 2)), 1.0)).unwrap(), a.view((0, 1), (2, 2)));
    // What has one row or a number of columns that is known later is a matrix, and what has one column by its type a list.
    assert_eq!(
        scaled.at::<DMatrix<f64>>((RowVector2::new(1.0, 2.0), 3.0)).unwrap(),
        DMatrix::from_row_slice(1, 2, &[3.0, 6.0])
    );
    assert_eq!(
        scaled.at::<DMatrix<f64>>((DMatrix::from_element(2, 1, 1.0), 3.0)).unwrap(),
        DMatrix::from_element(2, 1, 3.0)
    );
    assert!(matches!(scaled.at::<DMatrix<f64>>((&DVector::from_element(2, 1.0), 3.0)), Err(Error::Argument { .. })));

    let counts = Program::trace(|x: Arr<F64>, n: I64| (x.map(|x| x * 0.5), x.map(|_| n))).unwrap();
    let found: (Vector3<f64>, DVector<i64>) = counts.at((Vector3::new(1.0, 2.0, 4.0), 7)).unwrap();
    assert_eq!(found, (Vector3::new(0.5, 1.0, 2.0), DVector::from_element(3, 7)));
    let short = counts.at::<(Vector3<f64>, DVector<i64>)>((DVector::from_element(2, 1.0), 7));
    assert_eq!(short, Err(Error::Length { what: "the rows of a matrix", expected: 3, found: 2 }));
    let kinds = counts.at::<(DMatrix<f64>, DVector<i64>)>((DVector::from_element(2, 1.0), 7)).unwrap_err();
    assert!(matches!(&kinds, Error::Mismatch { what, .. } if what == "result 0"), "{kinds}");
}

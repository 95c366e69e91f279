//! Functions known by their pullback, and the linear solve, inside differentiated functions.
//!
//! Law: a custom rule has the derivatives of the same function written out, in every mode.

use catadiff::carriers::{Accumulate, Cayley, Dense, Dual, Hom, Sparse, Tape};
use catadiff::derivative::{HessianVar, WithTangent, custom_grad, custom_vjp, solve};
use catadiff::prelude::*;
use catadiff::{Error, Field, Module};
use generic_array::typenum::{U2, U3, U8};

fn close(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= bound * b.abs().max(1.0), "{found:?} against {expected:?}");
    }
}

/// `ln Σ exp`, by value and gradient, on plain numbers only.
fn log_sum_exp_rule(x: &[f64]) -> (f64, Vec<f64>) {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = x.iter().map(|x| (x - most).exp()).sum();
    (most + sum.ln(), x.iter().map(|x| (x - most).exp() / sum).collect())
}

fn log_sum_exp<R: Real>(x: &[R]) -> R {
    x.iter().map(|x| x.exp()).sum::<R>().ln()
}

/// The rule as a part of a longer computation, of which it is neither the first step nor the last.
fn through<R: Real>(x: &[R], inner: impl Fn(&[R]) -> R) -> R {
    let y: Vec<R> = x.iter().map(|x| *x * *x - x.sin() * 0.5).collect();
    inner(&y) * x[0] + inner(&[y[0], x[1]])
}

fn by_rule<R: Real + WithTangent<Base = f64>>(x: &[R]) -> R {
    through(x, |y| custom_grad(log_sum_exp_rule, y).unwrap())
}

fn written_out<R: Real>(x: &[R]) -> R {
    through(x, log_sum_exp)
}

const AT: [f64; 4] = [0.3, -0.7, 1.1, 0.4];

#[test]
fn a_gradient_rule_works_in_every_strategy() {
    let expected = Reverse::value_and_grad(|x| written_out(x), &AT).unwrap();
    let all = [
        Reverse::value_and_grad(|x| by_rule(x), &AT).unwrap(),
        Forward::value_and_grad(|x| by_rule(x), &AT).unwrap(),
        VectorForward::<U3>::value_and_grad(|x| by_rule(x), &AT).unwrap(),
        VectorForward::<U8>::value_and_grad(|x| by_rule(x), &AT).unwrap(),
    ];
    for (value, gradient) in all {
        close(&[value], &[expected.0], 1e-14);
        close(&gradient, &expected.1, 1e-14);
    }
    close(&[by_rule(&AT)], &[written_out(&AT)], 1e-14);
    check_grad(|x| by_rule(x), &AT, 1e-9).unwrap();
}

#[test]
fn a_generic_gradient_rule_has_second_derivatives() {
    fn rule<S: Scalar>(x: &[S]) -> (S, Vec<S>) {
        let terms: Vec<S> = x.iter().map(|x| x.exp()).collect();
        let sum = terms.iter().fold(S::zero(), |a, b| a + *b);
        (sum.ln(), terms.iter().map(|t| *t / sum).collect())
    }
    let found = hessian(|x| through(x, |y| custom_grad(rule, y).unwrap()), &AT).unwrap();
    let expected = hessian(|x| written_out(x), &AT).unwrap();
    for (found, expected) in found.iter().zip(&expected) {
        close(found, expected, 1e-13);
    }
    assert!(expected[0][1].abs() > 0.01, "the test would see a second derivative of zero");
}

/// Complex multiplication `(x₀ + i x₁)(x₂ + i x₃)` by values and pullback, over any field and exactly so.
fn product_rule<S: Field + Copy>(x: &[S]) -> (Vec<S>, impl Fn(&[S]) -> Vec<S> + use<S>) {
    let [a, b, c, d] = [x[0], x[1], x[2], x[3]];
    let pullback =
        move |w: &[S]| vec![w[0] * c + w[1] * d, w[1] * c - w[0] * d, w[0] * a + w[1] * b, w[1] * a - w[0] * b];
    (vec![a * c - b * d, a * d + b * c], pullback)
}

fn product_in<M: Module<f64>>(x: [Dual<f64, M>; 4]) -> Vec<Dual<f64, M>> {
    custom_vjp(product_rule, &x).unwrap()
}

#[test]
fn a_pullback_of_several_results_is_its_jacobian_in_every_module() {
    // Small integers, so that every mode is exact.
    let (at, jacobian) = ([2.0, 3.0, 5.0, 7.0], [[5.0, -7.0, 2.0, -3.0], [7.0, 5.0, 3.0, 2.0]]);
    assert_eq!(jacrev(|x| custom_vjp(product_rule, x).unwrap(), &at).unwrap(), jacobian);
    assert_eq!(jacfwd(|x| custom_vjp(product_rule, x).unwrap(), &at).unwrap(), jacobian);
    assert_eq!(Forward::jacobian(|x| custom_vjp(product_rule, x).unwrap(), &at).unwrap(), jacobian);
    assert_eq!(VectorForward::<U2>::jacobian(|x| custom_vjp(product_rule, x).unwrap(), &at).unwrap(), jacobian);
    assert_eq!(custom_vjp(product_rule, &at), Ok(vec![-11.0, 29.0]));

    type Map = Sparse<usize, f64>;
    let dense = product_in(core::array::from_fn(|i| Dual::<_, Dense<_, U8>>::variable(at[i], i)));
    let sparse = product_in(core::array::from_fn(|i| Dual::<_, Map>::variable(at[i], i)));
    let hom = product_in(core::array::from_fn(|i| Dual::<_, Hom<'_, f64, Map>>::variable(at[i], i)));
    let cayley = product_in(core::array::from_fn(|i| Dual::<_, Cayley<'_, f64, Map>>::variable(at[i], i)));
    let mutable = product_in(core::array::from_fn(|i| Dual::<_, Accumulate<'_, f64>>::variable(at[i], i)));
    for (row, expected) in jacobian.iter().enumerate() {
        let map = |map: &Map| map.iter().map(|(_, partial)| *partial).collect::<Vec<_>>();
        assert_eq!(dense[row].tangent.0[..4], *expected);
        assert_eq!(map(&sparse[row].tangent), expected);
        assert_eq!(map(&hom[row].tangent.abs()), expected);
        assert_eq!(map(&cayley[row].tangent.abs()), expected);
        assert_eq!(mutable[row].tangent.abs(4), expected);
    }
    // The second derivatives of a product: of (x₀x₂ − x₁x₃)², the rule being generic.
    let h = hessian(|x| custom_vjp(product_rule, x).unwrap()[0].powi(2), &at).unwrap();
    let expected = hessian(|x| (x[0] * x[2] - x[1] * x[3]).powi(2), &at).unwrap();
    assert_eq!(h, expected);
}

#[test]
fn a_rule_with_too_few_partials_is_an_error() {
    let x = [Dual { value: 1.0, tangent: 1.0 }; 3];
    let wrong = Error::Length { what: "the list of partials of a custom rule", expected: 3, found: 2 };
    assert_eq!(custom_grad(|_| (0.0, vec![1.0; 2]), &x), Err(wrong.clone()));
    assert_eq!(custom_vjp(|_| (vec![0.0; 2], |_: &[f64]| vec![1.0; 2]), &x), Err(wrong));
}

#[test]
fn a_constant_argument_meets_no_infinite_partial() {
    let rule = |x: &[f64]| (x[0].sqrt() + x[1], vec![0.5 / x[0].sqrt(), 1.0]);
    let gradient = grad(|x| custom_grad(rule, &[Reverse::lift(0.0), x[0]]).unwrap(), &[2.0]);
    assert_eq!(gradient, Ok(vec![1.0]));
}

/// Elimination without pivoting, differentiated step by step.
fn eliminate<R: Real>(a: &[R], b: &[R]) -> Vec<R> {
    let n = b.len();
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k..n {
                let above = a[k * n + j];
                a[i * n + j] -= factor * above;
            }
            let above = b[k];
            b[i] -= factor * above;
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            let known = b[j];
            b[i] -= a[i * n + j] * known;
        }
        b[i] /= a[i * n + i];
    }
    b
}

const N: usize = 4;

/// A system whose entries are the variables, well conditioned, so that both ways are accurate.
fn system() -> Vec<f64> {
    let noise = |k: usize| ((k * 7919 + 13) % 101) as f64 / 101.0 - 0.5;
    let matrix = (0..N * N).map(|k| if k % (N + 1) == 0 { 3.0 } else { noise(k) });
    matrix.chain((0..N).map(|k| noise(k + 50) * 4.0)).collect()
}

fn weigh<R: Real>(x: Vec<R>) -> R {
    x.iter().enumerate().map(|(i, x)| x.sin() * (i as f64 + 1.0)).sum::<R>() + x[0] * x[N - 1]
}

#[test]
fn the_solve_agrees_with_elimination_in_every_strategy() {
    let at = system();
    let (value, expected) = Reverse::value_and_grad(|x| weigh(eliminate(&x[..N * N], &x[N * N..])), &at).unwrap();
    macro_rules! agree {
        ($($Strategy:ty),+) => {$(
            let found = <$Strategy>::value_and_grad(|x| weigh(solve(&x[..N * N], &x[N * N..]).unwrap()), &at).unwrap();
            close(&[found.0], &[value], 1e-14);
            close(&found.1, &expected, 1e-13);
        )+};
    }
    agree!(Reverse, Forward, VectorForward<U3>, VectorForward<U8>);
    assert!(expected.iter().all(|g| g.abs() > 1e-6), "every entry counts");
    close(&solve(&at[..N * N], &at[N * N..]).unwrap(), &eliminate(&at[..N * N], &at[N * N..]), 1e-14);
}

#[test]
fn the_solve_records_a_square_number_of_sums() {
    let n = 16;
    let at: Vec<f64> =
        (0..n * n + n).map(|k| if k % (n + 1) == 0 { 9.0 } else { ((k * 31) % 17) as f64 / 17.0 }).collect();
    let mut tape = Tape::new();
    let mut gradient = vec![0.0; at.len()];
    tape.value_and_grad(|x| solve(&x[..n * n], &x[n * n..]).unwrap()[3], &at, &mut gradient).unwrap();
    assert!(tape.len() <= 2 * n * n, "{} sums", tape.len());
    tape.value_and_grad(|x| eliminate(&x[..n * n], &x[n * n..])[3], &at, &mut gradient).unwrap();
    assert!(tape.len() > n * n * n / 3, "{} sums written out", tape.len());
}

#[test]
fn the_solve_has_second_derivatives() {
    fn by<'o, 'i>(
        solve: impl Fn(&[HessianVar<'o, 'i, f64>], &[HessianVar<'o, 'i, f64>]) -> Vec<HessianVar<'o, 'i, f64>>,
        x: &[HessianVar<'o, 'i, f64>],
    ) -> HessianVar<'o, 'i, f64> {
        weigh(solve(&x[..N * N], &x[N * N..]))
    }
    let found = hessian(|x| by(|a, b| solve(a, b).unwrap(), x), &system()).unwrap();
    let expected = hessian(|x| by(eliminate, x), &system()).unwrap();
    for (found, expected) in found.iter().zip(&expected) {
        close(found, expected, 1e-12);
    }
}

#[test]
fn the_solve_pivots() {
    // A permutation matrix has exact solutions, and its inverse is its transpose.
    let a = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    assert_eq!(solve(&a, &[5.0, 6.0, 7.0]), Ok(vec![7.0, 5.0, 6.0]));
    let j = jacfwd(|b| solve(&a.map(VectorForward::<U8>::lift), b).unwrap(), &[5.0, 6.0, 7.0]);
    assert_eq!(j, Ok(vec![vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]]));
    // dx = −A⁻¹ dA x, by every entry of A.
    let j = jacrev(|a| solve(a, &[5.0, 6.0, 7.0].map(Reverse::lift)).unwrap(), &a).unwrap();
    assert_eq!(j[0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -7.0, -5.0, -6.0]);
    assert_eq!(j[1], [-7.0, -5.0, -6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_bad_system_is_an_error() {
    assert_eq!(solve::<f64>(&[], &[]), Err(Error::Empty { what: "the linear system" }));
    assert!(matches!(solve(&[1.0, 2.0, 3.0], &[1.0, 2.0]), Err(Error::Length { expected: 4, found: 3, .. })));
    assert_eq!(solve(&[1.0, 2.0, 2.0, 4.0], &[1.0, 2.0]), Err(Error::Singular { column: 1 }));
    assert_eq!(solve(&[0.0], &[1.0]), Err(Error::Singular { column: 0 }));
    assert!(matches!(solve(&[1.0, f64::NAN, 0.0, 1.0], &[1.0, 2.0]), Err(Error::NotFinite { index: 1, .. })));
    assert!(matches!(solve(&[1.0], &[f64::INFINITY]), Err(Error::NotFinite { index: 0, .. })));
    assert!(matches!(solve(&[1e-200], &[1e200]), Err(Error::NotFinite { index: 0, .. })));
    // A zero pivot with a tangent is still zero.
    let moving = Dual { value: 0.0, tangent: 1.0 };
    let fixed = Dual { value: 1.0, tangent: 0.0 };
    assert!(matches!(solve(&[moving], &[fixed]), Err(Error::Singular { column: 0 })));
    let nested = |value| Dual { value, tangent: fixed };
    assert!(matches!(solve(&[nested(moving)], &[nested(fixed)]), Err(Error::Singular { column: 0 })));
}

//! The derivatives that the build script has taken, against their closed forms and against differences.

use logistic_fit::logistic::{Array, Error, View, hessian_times, loss, probabilities, value_and_gradient};
use logistic_fit::{fit, sample};

const WEIGHTS: [f64; 3] = [0.3, -1.1, 0.7];

fn near(found: f64, expected: f64, bound: f64) {
    assert!((found - expected).abs() < bound, "{found} is not {expected}");
}

#[test]
fn the_gradient_is_its_closed_form() -> Result<(), Error> {
    let (points, labels) = sample(300);
    let view = View::from(&points[..]);
    let (value, gradient) = value_and_gradient(view, &labels, &WEIGHTS)?;
    near(value, loss(view, &labels, &WEIGHTS)?, 1e-15);
    let found = probabilities(view, &WEIGHTS)?;
    for (k, partial) in gradient.iter().enumerate() {
        let sum: f64 = (0..300).map(|i| (found[i] - labels[i]) * points[i][k]).sum();
        near(*partial, sum / 300.0 + 0.01 * WEIGHTS[k], 1e-13);
    }
    Ok(())
}

#[test]
fn derivatives_are_limits_of_differences() -> Result<(), Error> {
    let (points, labels) = sample(300);
    let view = View::from(&points[..]);
    let along = [0.5, 0.25, -1.0];
    let step = 1e-5;
    let [before, after] = [-step, step].map(|by| [0, 1, 2].map(|k| WEIGHTS[k] + by * along[k]));
    let (_, gradient) = value_and_gradient(view, &labels, &WEIGHTS)?;
    let directional: f64 = gradient.iter().zip(along).map(|(g, p)| g * p).sum();
    near((loss(view, &labels, &after)? - loss(view, &labels, &before)?) / (2.0 * step), directional, 1e-9);
    let [(_, before), (_, after)] =
        [value_and_gradient(view, &labels, &before)?, value_and_gradient(view, &labels, &after)?];
    let curved = hessian_times(view, &labels, &WEIGHTS, &along)?;
    for k in 0..3 {
        near((after[k] - before[k]) / (2.0 * step), curved[k], 1e-9);
    }
    Ok(())
}

#[test]
fn newtons_method_ends_where_the_gradient_is_zero() -> Result<(), Error> {
    let (points, labels) = sample(2000);
    let found = fit(View::from(&points[..]), &labels, 1e-12)?;
    assert!(found.steps.len() < 12, "{:?}", found.steps);
    assert!(found.steps[found.steps.len() - 1][1] < 1e-12);
    // Not far from those by which the labels were drawn, towards 0.
    found.weights.iter().zip([0.5, 2.0, -1.5]).for_each(|(w, expected)| near(*w, expected, 0.4));
    Ok(())
}

#[test]
fn what_does_not_fit_is_an_error() -> Result<(), Error> {
    let (points, labels) = sample(4);
    let error = loss(View::from(&points[..]), &labels[..3], &WEIGHTS).unwrap_err();
    assert!(matches!(error, Error::Sizes { sizes: [4, 3], .. } | Error::Check { .. }), "{error}");
    let rows = Array::new(vec![1.0; 8], [2, 4])?;
    let error = loss(rows.view(), &[0.0, 1.0], &WEIGHTS).unwrap_err();
    assert!(error.to_string().starts_with("`loss`: "), "{error}");
    assert_eq!(Array::new(vec![1.0; 8], [2, 3]).unwrap_err(), Error::Length { elements: 8, sizes: vec![2, 3] });
    Ok(())
}

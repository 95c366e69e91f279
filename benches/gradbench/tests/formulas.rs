//! What is known of the functions without the benchmark: closed forms, invariances, and inputs that are no inputs.

use catadiff::Error;
use catadiff_gradbench::function;
use serde_json::{Value as Json, json};

fn output(module: &str, name: &str, input: &Json) -> Result<Json, Error> {
    (function(module, name).expect("a function of the benchmark").task)(input)?.interpret()
}

fn numbers(module: &str, name: &str, input: &Json) -> Vec<f64> {
    fn flat(json: &Json) -> Vec<f64> {
        json.as_array()
            .map_or_else(|| vec![json.as_f64().unwrap_or(f64::NAN)], |items| items.iter().flat_map(flat).collect())
    }
    flat(&output(module, name, input).expect("an output"))
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{found:?} is not {expected:?}");
    }
}

#[test]
fn a_newton_step_from_centroids_leads_to_the_means_of_their_clusters() {
    let input = json!({"points": [[0, 0], [1, 0], [2, 3], [9, 9], [7, 8]], "centroids": [[1.0, 1.5], [8.0, 7.0]]});
    let steps = numbers("kmeans", "dir", &input);
    close(&steps, &[1.0 - 1.0, 1.5 - 1.0, 8.0 - 8.0, 7.0 - 8.5]);
    close(&numbers("kmeans", "cost", &input), &[3.25 + 2.25 + 3.25 + 5.0 + 2.0]);
}

#[test]
fn log_sum_exp_moves_with_its_arguments() {
    let [x, far] = [0.0, 1e4].map(|by| json!({"x": [0.5 + by, -1.0 + by, 0.25 + by]}));
    let moved = numbers("lse", "primal", &far)[0] - 1e4;
    assert!((moved - numbers("lse", "primal", &x)[0]).abs() < 1e-11);
    let gradient = numbers("lse", "gradient", &x);
    let total: f64 = [0.5_f64, -1.0, 0.25].map(f64::exp).iter().sum();
    close(&gradient, &[0.5, -1.0, 0.25].map(|x| f64::exp(x) / total));
}

#[test]
fn least_squares_are_those_of_the_formula() {
    // With 5 places one of them is 0, where the sign is 0 and 0⁰ is 1.
    let x = [0.5, -1.0, 2.0];
    let places = [-1.0, -0.5, 0.0, 0.5, 1.0_f64];
    let residual = |t: f64| {
        let sign = if t == 0.0 { 0.0 } else { t.signum() };
        sign - (x[0] + x[1] * t + x[2] * t * t)
    };
    let input = json!({"x": x, "n": places.len()});
    close(&numbers("llsq", "primal", &input), &[0.5 * places.iter().map(|t| residual(*t).powi(2)).sum::<f64>()]);
    let slope = |j: i32| -places.iter().map(|t| residual(*t) * t.powi(j)).sum::<f64>();
    close(&numbers("llsq", "gradient", &input), &[0, 1, 2].map(slope));
}

#[test]
fn determinants_of_every_size() {
    close(&numbers("det", "primal", &json!({"A": [3.5], "ell": 1})), &[3.5]);
    close(&numbers("det", "gradient", &json!({"A": [3.5], "ell": 1})), &[1.0]);
    close(&numbers("det", "primal", &json!({"A": [1, 2, 3, 4], "ell": 2})), &[-2.0]);
    close(&numbers("det", "gradient", &json!({"A": [1, 2, 3, 4], "ell": 2})), &[4.0, -3.0, -2.0, 1.0]);
    for ell in 3..=6_usize {
        // Vandermonde's: the product of the differences.
        let nodes: Vec<f64> = (0..ell).map(|i| (i * i) as f64 / 4.0 - 1.0).collect();
        let rows: Vec<f64> = nodes.iter().flat_map(|x| (0..ell as i32).map(|j| x.powi(j))).collect();
        let differences = (0..ell).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| nodes[j] - nodes[i]);
        close(&numbers("det", "primal", &json!({"A": rows, "ell": ell})), &[differences.product()]);
    }
}

#[test]
fn runge_and_kutta_are_exact_up_to_the_fourth_power() {
    let x = [0.5, 3.0, -1.0, 2.0];
    let (mut solution, mut y) = (Vec::new(), 1.0);
    for (i, x) in x.iter().enumerate() {
        y *= x * 2.0 / (i + 1) as f64;
        solution.push(y);
    }
    for s in [1, 3] {
        let input = json!({"x": x, "s": s});
        close(&numbers("ode", "primal", &input), &solution);
        close(&numbers("ode", "gradient", &input), &x.map(|x| y / x));
    }
}

#[test]
fn what_is_no_input_is_an_error_that_says_so() {
    let error = |module, name, input| output(module, name, &input).expect_err("no input").to_string();
    assert!(error("lse", "primal", json!({"y": [1]})).contains("`x`"), "{}", error("lse", "primal", json!({"y": [1]})));
    assert!(error("ode", "primal", json!({"x": [1, 2], "s": 1.5})).contains("1.5"));
    assert!(error("det", "primal", json!({"A": [1, 2], "ell": 0})).contains("a size from 1 to 12"));
    let sizes = error("det", "primal", json!({"A": [1, 2, 3], "ell": 2}));
    assert!(sizes.contains('3') && sizes.contains('4'), "{sizes}");
}

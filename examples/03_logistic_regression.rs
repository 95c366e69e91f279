//! Logistic regression on real data under every strategy: one loss, nine ways to its gradient, the same model.
//!
//! The loss is written once, for any kind of number. Each strategy trains a model of 569 tumours from the same start;
//! the table shows how far its gradients are from those of `Reverse`, and what they cost. In the end Newton's method
//! finds the exact optimum from Hessian-vector products alone.

use std::time::{Duration, Instant};

use catadiff::prelude::*;
use catadiff::typenum::{U8, U32};

/// Steps of gradient descent under each strategy.
const STEPS: usize = 12;

/// A row of the table: 30 standardised features and a constant, and whether the tumour is benign.
struct Tumour {
    features: Vec<f64>,
    benign: bool,
}

/// The mean logistic loss and a small ridge, as a function of the weights.
fn loss<R: Real>(data: &[Tumour], weights: &[R]) -> R {
    let loss_of = |tumour: &Tumour| {
        let score: R = weights.iter().zip(&tumour.features).map(|(w, x)| *w * *x).sum();
        // −ln P(class), and P = sigmoid(±score).
        if tumour.benign { (-score).softplus() } else { score.softplus() }
    };
    let misfit: R = data.iter().map(loss_of).sum();
    let ridge: R = weights.iter().map(|w| *w * *w).sum();
    misfit / (data.len() as f64) + ridge * 1e-3
}

/// The share of tumours whose class the model tells.
fn accuracy(data: &[Tumour], weights: &[f64]) -> f64 {
    let score = |t: &Tumour| t.features.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
    data.iter().filter(|t| (score(t) > 0.0) == t.benign).count() as f64 / data.len() as f64
}

/// What training under a strategy came to.
struct Fit {
    weights: Vec<f64>,
    gradients: Vec<Vec<f64>>,
    time: Duration,
}

/// Gradient descent with momentum; the strategy is a type parameter.
fn train<A: Strategy<f64>>(data: &[Tumour]) -> catadiff::Result<Fit> {
    let (mut weights, mut speed) = (vec![0.0; data[0].features.len()], vec![0.0; data[0].features.len()]);
    let (mut gradients, start) = (Vec::new(), Instant::now());
    for _ in 0..STEPS {
        let gradient = A::grad(|w| loss(data, w), &weights)?;
        for ((w, v), g) in weights.iter_mut().zip(&mut speed).zip(&gradient) {
            *v = 0.6 * *v - 0.5 * g;
            *w += *v;
        }
        gradients.push(gradient);
    }
    Ok(Fit { weights, gradients, time: start.elapsed() })
}

/// Newton's method, with the linear systems solved by conjugate gradients: it needs products `H·v` only.
fn newton(data: &[Tumour], mut weights: Vec<f64>) -> catadiff::Result<Vec<f64>> {
    println!("\nNewton's method from there:");
    for step in 0..20 {
        let gradient = grad(|w| loss(data, w), &weights)?;
        println!("  step {step}: loss {:.12}, |gradient| {:.1e}", loss(data, &weights), norm(&gradient));
        if norm(&gradient) < 1e-12 {
            break;
        }
        let product = |v: &[f64]| hvp(|w| loss(data, w), &weights, v).map(|(_, product)| product);
        let direction = conjugate_gradients(product, &gradient)?;
        weights.iter_mut().zip(&direction).for_each(|(w, d)| *w -= d);
    }
    Ok(weights)
}

/// Solves `H·x = b` for a positive definite `H` that is given by its products.
fn conjugate_gradients(
    product: impl Fn(&[f64]) -> catadiff::Result<Vec<f64>>,
    b: &[f64],
) -> catadiff::Result<Vec<f64>> {
    let (mut x, mut residual, mut p) = (vec![0.0; b.len()], b.to_vec(), b.to_vec());
    for _ in 0..2 * b.len() {
        let hp = product(&p)?;
        let square = dot(&residual, &residual);
        let step = square / dot(&p, &hp);
        for i in 0..b.len() {
            x[i] += step * p[i];
            residual[i] -= step * hp[i];
        }
        if norm(&residual) < 1e-10 * norm(b) {
            break;
        }
        let correction = dot(&residual, &residual) / square;
        p.iter_mut().zip(&residual).for_each(|(p, r)| *p = r + correction * *p);
    }
    Ok(x)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The data, of which every third tumour is held out for testing. Features are standardised: mean 0 and variance 1
/// over what is learnt from, so that nothing is known beforehand of the rest.
fn read() -> (Vec<Tumour>, Vec<Tumour>) {
    let text = include_str!("data/breast_cancer.csv");
    let number = |field: &str| field.parse::<f64>().expect("a number");
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect();
    let is_held_out = |index: usize| index % 3 == 2;

    let learnt: Vec<&Vec<f64>> =
        rows.iter().enumerate().filter(|(k, _)| !is_held_out(*k)).map(|(_, row)| row).collect();
    let mean = |f: &dyn Fn(&[f64]) -> f64| learnt.iter().map(|row| f(row)).sum::<f64>() / learnt.len() as f64;
    let scale = |k: usize| {
        let centre = mean(&|row| row[k]);
        (centre, mean(&|row| (row[k] - centre).powi(2)).sqrt())
    };
    let scales: Vec<(f64, f64)> = (0..30).map(scale).collect();

    let tumour = |row: &[f64]| {
        let standard = row.iter().zip(&scales).map(|(x, (centre, width))| (x - centre) / width);
        // The weight of the constant feature is the bias.
        Tumour { features: standard.chain([1.0]).collect(), benign: row[30] == 1.0 }
    };
    let part = |held_out: bool| {
        let chosen = rows.iter().enumerate().filter(|(k, _)| is_held_out(*k) == held_out);
        chosen.map(|(_, row)| tumour(row)).collect()
    };
    (part(false), part(true))
}

fn main() -> catadiff::Result<()> {
    let (training, held_out) = read();
    println!(
        "{} tumours to learn from, {} held out, {STEPS} steps of gradient descent",
        training.len(),
        held_out.len()
    );

    let reference = train::<Reverse>(&training)?;
    println!("\nstrategy         accuracy   largest difference   milliseconds");
    println!("                 held out   to Reverse           per gradient");
    macro_rules! under {
        ($($Strategy:ty),+) => {$(
            let fit = train::<$Strategy>(&training)?;
            let pairs = || fit.gradients.concat().into_iter().zip(reference.gradients.concat());
            let difference = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let share = accuracy(&held_out, &fit.weights);
            let time = fit.time.as_secs_f64() * 1e3 / STEPS as f64;
            println!("{:<16} {:8.1} %   {difference:18.1e}   {time:12.2}", stringify!($Strategy), 100.0 * share);
            assert!(difference < 1e-12 && share > 0.95);
        )+};
    }
    under!(
        Reverse,
        VectorForward<U8>,
        VectorForward<U32>,
        Forward,
        MutableReverse,
        CayleyReverse,
        Downward,
        SparseForward,
        Symbolic
    );

    let optimum = newton(&training, reference.weights)?;
    let [learnt, told] = [accuracy(&training, &optimum), accuracy(&held_out, &optimum)];
    println!("the optimum tells {:.1} % of the training data and {:.1} % of the rest", 100.0 * learnt, 100.0 * told);
    assert!(norm(&grad(|w| loss(&training, w), &optimum)?) < 1e-12);
    assert!(learnt > 0.97 && told > 0.95);
    Ok(())
}

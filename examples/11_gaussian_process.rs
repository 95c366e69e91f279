//! A Gaussian process, whose hyperparameters are found by ascent on the marginal likelihood.
//!
//! The logarithm of the likelihood is written as the books have it (Rasmussen and Williams, "Gaussian Processes for Machine
//! Learning", 2006, algorithm 2.1): Cholesky's factor of the kernel matrix gives its determinant and solves for the observations.
//! Its gradient goes through the factor by a rule, in some three times the time of the value. Hyperparameters are logarithms, so that
//! every step leads to positive ones.

use std::time::Instant;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::{Elementary, Result};

/// The logarithm of the likelihood of observations `y` at `x`, by the logarithms of amplitude, length and noise.
fn likelihood() -> Result<Program> {
    Program::trace(|x: Arr<F64>, y: Arr<F64>, log: Arr<F64>| {
        let [amplitude, length, noise] = [0, 1, 2].map(|k| log.index(k).exp());
        let kernel = |a: F64, b: F64| amplitude * (-0.5 * (a - b) * (a - b) / (length * length)).exp();
        let covariance = x.map(|a| x.map(|b| kernel(a, b))).with_ridge(noise);
        let factor = covariance.cholesky();
        let fit = y.dot(factor.cholesky_solve(y));
        let volume = factor.diagonal().map(|d| d.ln()).sum();
        -0.5 * fit - volume - x.len().to_f64() * (0.5 * core::f64::consts::TAU.ln())
    })
}

fn main() -> Result<()> {
    // A wave with noise of deviation 0.2, from a generator that is the same everywhere.
    let n = 200;
    let mut seed = 7_u32;
    let mut uniform = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
    };
    let x: Vec<f64> = (0..n).map(|k| k as f64 * 0.05).collect();
    let noise = |uniform: &mut dyn FnMut() -> f64| (0..12).map(|_| uniform()).sum::<f64>() * 0.2;
    let y: Vec<f64> = x.iter().map(|x| x.sin() + noise(&mut uniform)).collect();

    let climb = likelihood()?.value_and_grad(2)?.compile()?;
    let mut log = vec![0.0_f64; 3];
    let begun = Instant::now();
    for step in 0..=60 {
        let (likelihood, gradient): (f64, Vec<f64>) = climb.at((&x, &y, &log))?;
        if step % 20 == 0 {
            let [amplitude, length, noise] = [log[0].exp(), log[1].exp(), log[2].exp().sqrt()];
            println!("{step:2}: {likelihood:8.2}, amplitude {amplitude:.2}, length {length:.2}, noise {noise:.3}");
        }
        // Far from the top the gradient is large, and a step is no longer than 0.2.
        let norm = gradient.iter().map(|s| s * s).sum::<f64>().sqrt();
        log.iter_mut().zip(gradient).for_each(|(log, s)| *log += s * f64::min(0.02, 0.2 / norm));
    }
    println!("in {:.2?}", begun.elapsed());
    assert!((log[2].exp().sqrt() - 0.2).abs() < 0.03, "the noise that was added is found");
    Ok(())
}

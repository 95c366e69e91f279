//! A variational autoencoder (Kingma and Welling, "Auto-Encoding Variational Bayes", 2014) of images of digits with two latent numbers: the gradient
//! of the bound goes through the samples, whose noise is another one in each step, by a key.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;
const LATENT: i64 = 2;
const IMAGES: i64 = 50;

pub(crate) fn run() -> Result<Vec<f64>> {
    // The negative bound: nats of the pixels, and the divergence from a standard normal distribution.
    let loss = Program::trace(|encoder: Matrix, decoder: Matrix, images: Matrix, noise: Matrix| {
        let each = |image: Arr<F64>, noise: Arr<F64>| {
            let code = encoder.matvec(image);
            let (mean, log) = (code.take(LATENT), code.drop(LATENT));
            let scores = decoder.matvec((mean + log.map(Elementary::exp) * noise).concat([1.0]));
            let pixels = scores.map2(image, |s, x| s.softplus() - x * s).sum();
            pixels + mean.map2(log, |m, l| 0.5 * (m * m + (2.0 * l).exp() - 1.0) - l).sum()
        };
        images.map2(noise, each).mean()
    })?;
    let gradient = loss.value_and_grad([0, 1])?;
    let train = Program::trace(move |table: Matrix, seed: I64| {
        let images = table.map(|row| row.take(64) / 16.0);
        let (of_weights, of_noise) = Key::new(seed).split();
        let (of_encoder, of_decoder) = of_weights.split();
        let encoder = of_encoder.normal(2 * LATENT * 64).unflatten(2 * LATENT, 64) * 0.05;
        let decoder = of_decoder.normal(64 * (LATENT + 1)).unflatten(64, LATENT + 1) * 0.1;
        loop_for(40, (F64::from(0.0), encoder, decoder), |k, (_, encoder, decoder)| {
            let noise = of_noise.fold_in(k).normal(IMAGES * LATENT).unflatten(IMAGES, LATENT);
            let (loss, (by_encoder, by_decoder)): (F64, (Matrix, Matrix)) = gradient.call((encoder, decoder, images, noise));
            (loss, encoder - by_encoder * 0.01, decoder - by_decoder * 0.05)
        })
    })?;
    let table = crate::table(include_str!("../data/digits.csv"), IMAGES as usize);
    let (loss, encoder, decoder): (f64, Vec<Vec<f64>>, Vec<Vec<f64>>) = train.compile()?.at((table, 10))?;
    Ok([vec![loss], encoder.concat(), decoder.concat()].concat())
}

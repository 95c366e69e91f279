//! A convolutional network reads handwritten digits (LeCun, Bottou, Bengio and Haffner, "Gradient-Based Learning Applied to Document
//! Recognition", 1998): a convolution, the greatest of each window, and a score for each digit. The network is written for one image, and
//! mapped over all; training with momentum is one program.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, literal, loop_for};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;
type Kernels = Arr<Arr<Matrix>>;

fn scores((kernels, out): (Kernels, Matrix), image: Matrix) -> Arr<F64> {
    let channels = literal([image]).conv2d(kernels, [1, 1], [(1, 1); 2]);
    let pooled = channels.map(|channel| channel.max_pool2d([2, 2], [2, 2]));
    out.matvec(pooled.flatten().flatten().map(Elementary::tanh))
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|kernels: Kernels, out: Matrix, images: Arr<Matrix>, digits: Arr<I64>| {
        images.map2(digits, |image, digit| -scores((kernels, out), image).log_softmax().index(digit)).mean()
    })?;
    let gradient = loss.value_and_grad([0, 1])?;
    let train = Program::trace(move |table: Matrix, seed: I64| {
        let images = table.map(|row| row.take(64).unflatten(8, 8) / 16.0);
        let digits = table.map(|row| row.last().to_i64());
        let (of_kernels, of_out) = Key::new(seed).split();
        let start = (of_kernels.normal(36).reshape([4, 1, 3, 3]) * 0.5, of_out.normal(640).unflatten(10, 64) * 0.1);
        let still = (start.0.zeros_like(), start.1.zeros_like());
        let ((kernels, out), _, losses) = loop_for(20, (start, still, literal([0.0; 20])), |k, (weights, speed, losses)| {
            let (loss, slope): (F64, (Kernels, Matrix)) = gradient.call((weights.0, weights.1, images, digits));
            let speed = (speed.0 * 0.9 - slope.0 * 0.05, speed.1 * 0.9 - slope.1 * 0.05);
            ((weights.0 + speed.0, weights.1 + speed.1), speed, losses.with(k, loss))
        });
        let right = images.map2(digits, |image, digit| scores((kernels, out), image).argmax().eq(digit).to_f64());
        (losses, kernels.flatten().flatten().flatten(), right.mean())
    })?;
    let table = crate::table(include_str!("../data/digits.csv"), 64);
    let (losses, kernels, right): (Vec<f64>, Vec<f64>, f64) = train.compile()?.at((table, 2))?;
    Ok([losses, kernels, vec![right]].concat())
}

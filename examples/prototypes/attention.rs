//! A block of a transformer: attention of two heads and a perceptron, each added to what it takes, and the gradient of a loss by all weights.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, iota};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;

const WIDTH: i64 = 8;
const HEAD: i64 = 4;

fn normalised(tokens: Matrix) -> Matrix {
    tokens.map(|x| (x - x.mean()) / (x.var() + 1e-6).sqrt())
}

type Head = (Matrix, Matrix, Matrix);
type Weights = (Head, Head, Matrix, Matrix, Matrix);

fn head((query, key, value): Head, tokens: Matrix) -> Matrix {
    let [q, k, v] = [query, key, value].map(|w| tokens.matmul(w));
    let scores = q.matmul(k.transpose()) / (HEAD as f64).sqrt();
    // A token sees those before it.
    let places = iota(tokens.len());
    let masked = places.map2(scores, |i, row| places.map2(row, |j, s| j.gt(i).to_f64() * -1e9 + s));
    masked.map(Arr::softmax).matmul(v)
}

fn block((one, other, out, up, down): Weights, tokens: Matrix) -> Matrix {
    let [one, other] = [one, other].map(|w| head(w, normalised(tokens)));
    let tokens = tokens + one.map2(other, |a, b| a.concat(b)).matmul(out);
    tokens + normalised(tokens).matmul(up).map(|x| x.map(|x| x * x.sigmoid())).matmul(down)
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace_named(&["weights", "tokens"], |weights: Weights, tokens: Matrix| block(weights, tokens).map(|x| x.logsumexp()).mean())?;
    let gradient = loss.grad("weights")?;
    let all = Program::trace(move |seed: I64| {
        let key = Key::new(seed);
        let matrix = |k: i64, n: i64, m: i64| key.fold_in(k).normal(n * m).unflatten(n, m) * 0.5;
        let of_head = |k: i64| (matrix(k, WIDTH, HEAD), matrix(k + 1, WIDTH, HEAD), matrix(k + 2, WIDTH, HEAD));
        let weights = (of_head(0), of_head(3), matrix(6, WIDTH, WIDTH), matrix(7, WIDTH, 16), matrix(8, 16, WIDTH));
        let tokens = matrix(9, 6, WIDTH);
        let (one, other, out, up, down): Weights = gradient.call((weights, tokens));
        let all = [one.0, one.1, one.2, other.0, other.1, other.2, out, up, down];
        (loss.call::<F64>((weights, tokens)), all.map(|w| w.flatten().norm()))
    })?;
    let (loss, norms): (f64, [f64; 9]) = all.compile()?.at(5)?;
    Ok([vec![loss], norms.to_vec()].concat())
}

//! Optimal transport between two clouds of points, by Sinkhorn's iteration on logarithms; its gradient says where points are drawn to.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::{Elementary, Result};

pub(crate) fn run() -> Result<Vec<f64>> {
    let cost = Program::trace(|from: Arr<Arr<F64>>, to: Arr<Arr<F64>>| {
        let epsilon = 0.1;
        let square = |a: F64| a * a;
        let costs = from.map(|a| to.map(|b| (a - b).map(square).sum()));
        let (n, m) = (from.len().to_f64().ln(), to.len().to_f64().ln());
        let start = (from.map(|_| 0.0), to.map(|_| 0.0));
        let (f, g) = loop_for(100, start, |_, (_, g)| {
            let f = costs.map(|row| -epsilon * (((g - row) / epsilon).logsumexp() - m));
            let g = costs.transpose().map(|column| -epsilon * (((f - column) / epsilon).logsumexp() - n));
            (f, g)
        });
        costs.map2(f, |row, f| (row.map2(g, |c, g| c * ((f + g - c) / epsilon - n - m).exp())).sum()).sum()
    })?;
    let cloud = |n: i32, turn: f64| -> Vec<Vec<f64>> {
        (0..n).map(|k| f64::from(k) * turn).map(|a| vec![a.cos() + turn, (a * 1.3).sin() - 0.2 * turn]).collect()
    };
    let (value, gradient): (f64, Vec<Vec<f64>>) = cost.value_and_grad(0)?.compile()?.at((cloud(6, 0.9), cloud(8, 1.7)))?;
    Ok([vec![value], gradient.concat()].concat())
}

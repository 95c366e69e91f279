//! A metric that is learnt so that neighbours are of one kind (Goldberger, Roweis, Hinton and Salakhutdinov, "Neighbourhood Components Analysis",
//! 2005): images of digits are projected to a plane, and each picks another one at random, the nearer the likelier.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, iota, loop_for};

type Matrix = Arr<Arr<F64>>;
const IMAGES: usize = 50;

pub(crate) fn run() -> Result<Vec<f64>> {
    // How many of the images pick one of their kind.
    let score = Program::trace(|metric: Matrix, images: Matrix, digits: Arr<I64>| {
        let points = images.matmul(metric);
        let places = iota(points.len());
        let kindred = |i: I64| {
            let apart = points.map(|p| p - points.index(i)).map2(places, |d, j| -d.dot(d) - j.eq(i).to_f64() * 1e9);
            apart.softmax().dot(digits.map(|digit| digit.eq(digits.index(i)).to_f64()))
        };
        places.map(kindred).mean()
    })?;
    let gradient = score.grad(0)?;
    let learn = Program::trace(move |table: Matrix, seed: I64| {
        let (images, digits) = (table.map(|row| row.take(64) / 16.0), table.map(|row| row.last().to_i64()));
        let start = Key::new(seed).normal(128).unflatten(64, 2) * 0.2;
        let metric = loop_for(40, start, |_, metric| metric + gradient.call::<Matrix>((metric, images, digits)) * 2.0);
        (score.call::<F64>((metric, images, digits)), images.matmul(metric))
    })?;
    let table = crate::table(include_str!("../data/digits.csv"), IMAGES);
    let (score, points): (f64, Vec<Vec<f64>>) = learn.compile()?.at((table, 14))?;
    Ok([vec![score], points.concat()].concat())
}

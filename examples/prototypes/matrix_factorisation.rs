//! A table of ratings from few of its entries, as a product of two thin matrices (Koren, Bell and Volinsky, "Matrix Factorization Techniques for
//! Recommender Systems", 2009). Entries are triples; rows are gathered, and the gradient adds to the rows that an entry had.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for};

type Matrix = Arr<Arr<F64>>;
const RANK: i64 = 3;

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|users: Matrix, films: Matrix, who: Arr<I64>, what: Arr<I64>, rating: Arr<F64>| {
        let predicted = users.gather(who).map2(films.gather(what), |u, f| u.dot(f));
        let error = predicted - rating;
        error.dot(error) + 0.05 * (users.flatten().norm() + films.flatten().norm())
    })?;
    let gradient = loss.grad([0, 1])?;
    let fit = Program::trace(move |seed: I64, who: Arr<I64>, what: Arr<I64>, rating: Arr<F64>| {
        let (of_users, of_films) = Key::new(seed).split();
        let start = (of_users.normal(20 * RANK).unflatten(20, RANK), of_films.normal(15 * RANK).unflatten(15, RANK));
        let (users, films) = loop_for(300, start, |_, (users, films)| {
            let (by_users, by_films): (Matrix, Matrix) = gradient.call((users, films, who, what, rating));
            (users - by_users * 0.01, films - by_films * 0.01)
        });
        (loss.call::<F64>((users, films, who, what, rating)), users.matmul(films.transpose()))
    })?;
    let entries = || (0..300_i64).map(|k| (k * k + k) % 307).map(|k| (k % 20, k / 20 % 15));
    let rating = |(i, j): (i64, i64)| (i as f64 * 0.7).sin() * (j as f64 * 0.4).cos() + (i + j) as f64 * 0.05;
    let (who, what): (Vec<i64>, Vec<i64>) = entries().unzip();
    let ratings: Vec<f64> = entries().map(rating).collect();
    let (loss, table): (f64, Vec<Vec<f64>>) = fit.compile()?.at((6, who, what, ratings))?;
    Ok([vec![loss], table.concat()].concat())
}

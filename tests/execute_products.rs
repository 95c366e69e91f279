//! Products that lanes sum up: the derivative of many small products of a matrix with a vector is a sum of outer products,
//! on lanes as in the interpreter, whatever parts of blocks and of tiles there are.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::interpret::Value;
use catadiff_laws::{Verdict, executors};

/// Numbers between −1 and 1 that look random.
fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + seed) % 1009) as f64 / 504.5 - 1.0).collect()
}

/// For rows `p` of `x`, the sum of the squares of `W p`.
fn squares() -> Program {
    Program::trace(|w: Arr<Arr<F64>>, x: Arr<Arr<F64>>| {
        x.map(|p| w.map(|row| (row * p).sum()).map(|y| y * y).sum()).sum()
    })
    .expect("it is well typed")
}

fn agrees(vjp: &Program, points: usize, rows: usize, columns: usize, not_finite: bool) -> Verdict {
    let mut x = numbers(points * columns, 13);
    if not_finite && let Some(last) = x.last_mut() {
        *last = f64::NAN;
    }
    let array = |sizes: &[usize], numbers| Value::reals(sizes, numbers).expect("as many elements as the sizes say");
    let (w, x) = (array(&[rows, columns], numbers(rows * columns, 5)), array(&[points, columns], x));
    executors::same(vjp, &[w, x, 0.75.into()])
}

#[test]
fn outer_products_are_summed_up_in_tiles() -> Verdict {
    let vjp = squares().vjp().expect("every operation has a rule");
    for points in [0, 1, 7, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300] {
        for (rows, columns) in [(1, 1), (3, 7), (2, 8), (5, 9), (4, 16), (3, 19)] {
            agrees(&vjp, points, rows, columns, false)?;
        }
    }
    Ok(())
}

#[test]
fn what_is_not_a_number_stays_in_its_row() -> Verdict {
    let vjp = squares().vjp().expect("every operation has a rule");
    [17, 64, 131].into_iter().try_for_each(|points| agrees(&vjp, points, 3, 11, true))
}

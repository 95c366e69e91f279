//! What a loop does for each row of an array, done for blocks of rows: for every number of rows it is what the interpreter finds, one
//! iteration after the other, and the same sizes have to agree.

use std::cell::RefCell;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, loop_for};
use catadiff::execute::Lanes;
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use catadiff_laws::executors::{self, Tally, at_hand};

use crate::loops::numbers;
use crate::{prepared, same};

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

/// None, one, and around one block and two.
const LENGTHS: [usize; 9] = [0, 1, 2, 15, 63, 64, 65, 129, 200];

fn array(sizes: &[usize], seed: usize) -> Value<f64> {
    Value::reals(sizes, numbers(sizes.iter().product(), seed)).expect("as many elements as the sizes say")
}

/// Whether a program is run in blocks.
fn is_in_blocks(program: &Program) -> Result<bool> {
    let passes = program.compile_on(&Lanes)?.explained_passes();
    Ok(passes.iter().any(|(name, _)| *name == "loops in blocks"))
}

/// A network of two layers, whose state goes through all rows of `xs`.
fn network(w: Matrix, u: Matrix, v: Matrix, xs: Matrix, h: Vector) -> F64 {
    let next = |t: I64, h: Vector| {
        let hidden = (w.matvec(xs.index(t)) + u.matvec(h)).map(|z| (z * 0.2).tanh());
        v.matvec(hidden).map(|z| (z * 0.2).tanh())
    };
    loop_for(xs.len(), h, next).map(|z| z * z).sum()
}

fn arguments(length: usize, input: usize, hidden: usize, state: usize) -> Vec<Value<f64>> {
    let sizes: [&[usize]; 5] = [&[hidden, input], &[hidden, state], &[state, hidden], &[length, input], &[state]];
    sizes.iter().enumerate().map(|(k, sizes)| array(sizes, 3 * k + 1)).collect()
}

#[test]
fn a_recurrent_network_and_its_adjoints() -> Result<()> {
    let program = Program::trace(network)?;
    let gradient = program.grad(..)?;
    assert!(is_in_blocks(&program)? && is_in_blocks(&gradient)?);
    let (value, adjoints) = (prepared(&program), prepared(&gradient));
    for length in LENGTHS {
        for [input, hidden, state] in [[3, 5, 2], [1, 1, 1], [17, 33, 8], [4, 16, 20]] {
            let arguments = arguments(length, input, hidden, state);
            value.same(&arguments).and_then(|()| adjoints.same(&arguments)).unwrap_or_else(|e| panic!("{e}"));
        }
    }
    Ok(())
}

#[test]
fn every_product_and_every_sum_of_products_is_one_of_matrices() -> Result<()> {
    let gradient = Program::trace(network)?.grad([0, 1, 2])?;
    let products = |program: &Program, passes: &str| -> Result<usize> {
        let explained = program.compile_on(&Lanes)?.explained_passes();
        let (_, text) = explained.iter().find(|(name, _)| *name == passes).expect("the pass has something to do");
        Ok(text.matches("permute[1, 0]").count())
    };
    // Those with rows of `xs` on the way there and back, and the adjoints of three matrices, each of the columns of two arrays; the
    // matrices of two layers are transposed as they are.
    assert_eq!(products(&gradient, "loops in blocks")?, 3 * 2 + 2);
    Ok(())
}

#[test]
fn rows_are_read_forwards_or_backwards() -> Result<()> {
    type Read = fn(I64, I64) -> I64;
    let read: [(Read, bool); 5] = [
        (|t, _| t, true),
        (|t, n| n - 1 - t, true),
        (|t, n| n - t - 1, true),
        // These are not each row once.
        (|t, n| n - 1 - t / 2, false),
        (|t, n| (t * 2).min(n - 1), false),
    ];
    for (at, blocks) in read {
        let program = Program::trace(|w: Matrix, xs: Matrix, h: Vector| {
            loop_for(xs.len(), h, |t, h: Vector| w.matvec(xs.index(at(t, xs.len()))) - h * 0.5)
        })?;
        assert_eq!(is_in_blocks(&program)?, blocks, "{program}");
        let sums = Program::trace(|w: Matrix, xs: Matrix, ys: Matrix| {
            let n = xs.len();
            loop_for(n, w, |t, w: Matrix| {
                let (x, y) = (xs.index(at(t, n)), ys.index(t).map(|y| y * y));
                w + y.map(|y| x.map(|x| x * y))
            })
        })?;
        assert!(is_in_blocks(&sums)?);
        for length in LENGTHS {
            same(&program, &[array(&[5, 3], 1), array(&[length, 3], 2), array(&[5], 3)]);
            same(&sums, &[array(&[5, 3], 1), array(&[length, 3], 2), array(&[length, 5], 3)]);
        }
    }
    Ok(())
}

#[test]
fn rows_beside_those_of_the_iterations_are_others() -> Result<()> {
    type Read = fn(I64, I64) -> I64;
    // Of one row more than there are iterations.
    let read: [(Read, bool); 6] = [
        (|t, _| t, true),
        (|t, _| t + 1 - 1, true),
        (|t, n| n - 2 - t, true),
        (|t, _| t + 1, false),
        (|t, n| n - 1 - t, false),
        (|t, n| n - 1 - 1 - (t - 1).max(0), false),
    ];
    for (at, blocks) in read {
        let program = Program::trace(|w: Matrix, xs: Matrix, h: Vector| {
            let n = xs.len();
            loop_for(n - 1, h, |t, h: Vector| w.matvec(xs.index(at(t, n))) - h * 0.5)
        })?;
        let found = is_in_blocks(&program)?;
        assert!(blocks || !found, "{program}");
        for length in [1, 2, 64, 65, 131] {
            same(&program, &[array(&[5, 3], 1), array(&[length, 3], 2), array(&[5], 3)]);
        }
    }
    Ok(())
}

#[test]
fn what_depends_on_iterations_before_stays() -> Result<()> {
    type Next = fn(Matrix, Vector) -> Matrix;
    let next: [Next; 4] = [
        // The sum so far is in what is added.
        |w, x| w + w.matvec(x).map(|y| x.map(|x| x * y * 0.01)),
        // It is no sum alone.
        |w, x| (w + x.map(|y| x.map(|x| x * y))).map(|row| row * 0.5),
        // It is a difference.
        |w, x| x.map(|y| x.map(|x| x * y)) - w,
        // It is added twice.
        |w, x| w + w + x.map(|y| x.map(|x| x * y)),
    ];
    for next in next {
        let program = Program::trace(|w: Matrix, xs: Matrix| loop_for(xs.len(), w, |t, w| next(w, xs.index(t))))?;
        assert!(!is_in_blocks(&program)?);
        for length in [0, 1, 30] {
            same(&program, &[array(&[4, 4], 1), array(&[length, 4], 2)]);
        }
    }
    Ok(())
}

#[test]
fn sizes_are_compared_as_before() -> Result<()> {
    let product = Program::trace(|w: Matrix, xs: Matrix, h: Vector| {
        loop_for(xs.len(), h, |t, h: Vector| w.matvec(xs.index(t)) + h)
    })?;
    let sum = Program::trace(|w: Matrix, xs: Matrix, ys: Matrix| {
        loop_for(xs.len(), w, |t, w: Matrix| {
            let (x, y) = (xs.index(t), ys.index(t).map(|y| y * 2.0));
            w + y.map(|y| x.map(|x| x * y))
        })
    })?;
    assert!(is_in_blocks(&product)? && is_in_blocks(&sum)?);
    let tally = RefCell::new(Tally::default());
    for length in [0, 1, 70] {
        for (rows, columns) in [(0, 3), (2, 3), (2, 0), (0, 0)] {
            for (other_rows, other_columns) in [(rows, columns), (rows + 1, columns), (rows, columns + 1)] {
                let (w, xs) = (array(&[rows, columns], 1), array(&[length, other_columns], 2));
                let [h, ys] = [array(&[other_rows], 3), array(&[length, other_rows], 3)];
                for (program, last) in [(&product, h), (&sum, ys)] {
                    executors::counted(&Lanes, program, &[w.clone(), xs.clone(), last], &tally)
                        .unwrap_or_else(|e| panic!("{e}"));
                }
            }
        }
    }
    let Tally { done, faults, unneeded, unsupported, .. } = *tally.borrow();
    assert!(done >= 24 && faults >= 24 && unneeded + unsupported == 0, "{:?}", tally.borrow());
    Ok(())
}

#[test]
fn executors_that_take_blocks_agree_with_those_that_do_not() -> Result<()> {
    let gradient = Program::trace(network)?.grad(..)?;
    let arguments = arguments(130, 6, 9, 7);
    for executor in at_hand() {
        executors::same(executor, &gradient, &arguments).unwrap_or_else(|e| panic!("{e}"));
    }
    Ok(())
}

//! Sums that maps in maps make again are kept instead, and all that comes of them is what it was.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, iota};
use catadiff::execute::Lanes;
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use catadiff_laws::executors::{self, at_hand};

use crate::loops::numbers;
use crate::same;

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

fn array(sizes: &[usize], seed: usize) -> Value<f64> {
    Value::reals(sizes, numbers(sizes.iter().product(), seed)).expect("as many elements as the sizes say")
}

/// How many sums a program has in its text, and how many it has where they are kept, if there are any to keep.
fn sums(program: &Program) -> Result<(usize, Option<usize>)> {
    let count = |text: &str| text.matches("reduce").count();
    let passes = program.compile_on(&Lanes)?.explained_passes();
    let kept = passes.iter().find(|(name, _)| *name == "sums made once").map(|(_, text)| count(text));
    Ok((count(&program.to_string()), kept))
}

/// `Σᵢ log Σₖ exp(−½ ‖Qₖ (xᵢ − μₖ)‖²)`.
fn mixture(roots: Arr<Matrix>, centres: Matrix, xs: Matrix) -> F64 {
    let of_point = |x: Vector| {
        let terms = roots.map2(centres, |root, centre| {
            let turned = root.matvec(x - centre);
            -0.5 * turned.dot(turned)
        });
        terms.map(|t| t.exp()).sum().ln()
    };
    xs.map(of_point).sum()
}

#[test]
fn a_product_that_a_derivative_needs_again_is_made_once() -> Result<()> {
    let gradient = Program::trace(mixture)?.grad(..)?;
    let (before, after) = sums(&gradient)?;
    assert_eq!(after, Some(before - 1), "{gradient}");
    for (points, components, size) in [(0, 2, 3), (1, 1, 1), (17, 3, 4), (130, 5, 7), (70, 2, 33)] {
        let arguments = [array(&[components, size, size], 1), array(&[components, size], 2), array(&[points, size], 3)];
        for executor in at_hand() {
            executors::same(executor, &gradient, &arguments).unwrap_or_else(|e| panic!("{e}"));
        }
    }
    Ok(())
}

#[test]
fn only_equal_sums_over_the_same_elements_are_kept() -> Result<()> {
    type Second = fn(Matrix, Vector, F64) -> Vector;
    let second: [(Second, bool); 5] = [
        (|w, x, least| w.map(|row| row.dot(x) - least), true),
        (|w, x, least| w.map2(w, |row, other| other.sum() * (row.dot(x) - least)), true),
        // Another product, other elements, and other rows.
        (|w, x, least| w.map(|row| row.dot(x.map(|x| x + least))), false),
        (|w, x, least| w.map(|row| row.reverse().dot(x) - least), false),
        (|w, x, least| w.reverse().map(|row| row.dot(x) - least), false),
    ];
    for (second, kept) in second {
        let program = Program::trace(|w: Matrix, xs: Matrix| {
            xs.map(|x| {
                let least = w.map(|row| row.dot(x).exp()).min();
                second(w, x, least)
            })
        })?;
        assert_eq!(sums(&program)?.1.is_some(), kept, "{program}");
        for points in [0, 1, 20, 100] {
            same(&program, &[array(&[5, 3], 1), array(&[points, 3], 2)]);
            same(&program, &[array(&[4, 0], 1), array(&[points, 0], 2)]);
        }
    }
    Ok(())
}

#[test]
fn what_maps_of_other_lengths_share_is_not_kept() -> Result<()> {
    let program = Program::trace(|w: Matrix, xs: Matrix| {
        xs.map(|x| {
            let least = w.map(|row| row.sum() + x.sum()).min();
            x.map(|y| y * x.sum() - least)
        })
    })?;
    assert_eq!(sums(&program)?.1, None);
    same(&program, &[array(&[5, 3], 1), array(&[20, 7], 2)]);
    Ok(())
}

#[test]
fn sums_are_kept_at_several_depths() -> Result<()> {
    let program = Program::trace(|w: Matrix, xs: Matrix| {
        let of_point = |x: Vector| {
            let least = w.map(|row| row.dot(x)).min();
            w.map(|row| row.dot(x) - least)
        };
        // The second has those of both, within one more map.
        let of_points = |scale: F64| {
            let all = xs.map(|x| of_point(x).sum() * scale).sum();
            xs.map(|x| of_point(x).sum() * scale - all)
        };
        xs.map(|x| x.map(|y| of_points(y).sum()))
    })?;
    let (before, after) = sums(&program)?;
    assert!(after.is_some_and(|after| after < before), "{before} {after:?}");
    same(&program, &[array(&[4, 3], 1), array(&[20, 3], 2)]);
    Ok(())
}

#[test]
fn what_has_a_size_of_its_own_for_each_element_is_made_again() -> Result<()> {
    let program = Program::trace(|xs: Matrix| {
        xs.map(|x| {
            let lengths = iota(x.len());
            let parts = |n| iota(n).map(|k| iota(k + 1).map(|j| j.to_f64() * 0.5).sum());
            let total = lengths.map(|n| parts(n).sum()).sum();
            lengths.map(|n| (parts(n) * total).max())
        })
    })?;
    same(&program, &[array(&[20, 5], 1)]);
    Ok(())
}

//! Contractions by letters: against loops, in a finite field, and against JAX; and what is refused.

use std::collections::BTreeMap;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, einsum};
use catadiff::interpret::Value;
use catadiff::{Elementary, Error, Mistake, Result};
use catadiff_laws::executors;

use super::Made::OfSums;
use super::{draw, has};

type Matrix = Arr<Arr<F64>>;
type Cube = Arr<Matrix>;

/// The contraction by its definition: over all values of all letters.
fn by_loops(letters: &[&str], result: &str, operands: &[Value<f64>]) -> Value<f64> {
    let mut sizes = BTreeMap::new();
    for (letters, operand) in letters.iter().zip(operands) {
        sizes.extend(letters.chars().zip(operand.sizes().iter().copied()));
    }
    let place =
        |letters: &str, at: &BTreeMap<char, usize>| letters.chars().fold(0, |place, c| place * sizes[&c] + at[&c]);
    let all: usize = sizes.values().product();
    let kept: Vec<usize> = result.chars().map(|c| sizes[&c]).collect();
    let mut sums = vec![0.0; kept.iter().product()];
    for mut k in 0..all {
        let mut at = BTreeMap::new();
        for (c, size) in &sizes {
            at.insert(*c, k % size);
            k /= size;
        }
        let of = |(letters, operand): (&&str, &Value<f64>)| operand.to_reals().unwrap()[place(letters, &at)];
        sums[place(result, &at)] += letters.iter().zip(operands).map(of).product::<f64>();
    }
    Value::reals(&kept, sums).unwrap()
}

const SIZES: [(char, usize); 6] = [('b', 2), ('i', 3), ('j', 4), ('k', 2), ('l', 3), ('m', 1)];

fn drawn(letters: &str) -> Value<f64> {
    let sizes: Vec<usize> = letters.chars().map(|c| SIZES.iter().find(|(own, _)| *own == c).unwrap().1).collect();
    Value::reals(&sizes, (0..sizes.iter().product()).map(|_| (draw() * 8.0).round()).collect::<Vec<f64>>()).unwrap()
}

macro_rules! contractions {
    ($($result:literal of $($letters:literal as $a:ident: $A:ty),+ => $R:ty;)+) => {$({
        let letters = [$($letters),+];
        let operands = letters.map(drawn);
        let specification = format!("{} -> {}", letters.join(", "), $result);
        let program = Program::trace(|$($a: $A),+| -> $R { einsum(&specification, ($($a),+)) });
        let expected = by_loops(&letters, $result, &operands);
        has(&specification, OfSums, program, [(operands.to_vec(), vec![expected])]);
    })+};
}

#[test]
fn contractions_are_sums_of_products() {
    contractions! {
        "i" of "i" as a: Arr<F64> => Arr<F64>;
        "" of "i" as a: Arr<F64> => F64;
        "ji" of "ij" as a: Matrix => Matrix;
        "j" of "ij" as a: Matrix => Arr<F64>;
        "" of "bij" as a: Cube => F64;
        "jb" of "bij" as a: Cube => Matrix;
        "i" of "ii" as a: Matrix => Arr<F64>;
        "" of "ii" as a: Matrix => F64;
        "" of "iii" as a: Cube => F64;
        "jb" of "bjb" as a: Cube => Matrix;
        "" of "i" as a: Arr<F64>, "i" as b: Arr<F64> => F64;
        "i" of "i" as a: Arr<F64>, "i" as b: Arr<F64> => Arr<F64>;
        "ji" of "i" as a: Arr<F64>, "j" as b: Arr<F64> => Matrix;
        "ij" of "" as a: F64, "ij" as b: Matrix => Matrix;
        "" of "" as a: F64, "" as b: F64 => F64;
        "ik" of "ij" as a: Matrix, "jk" as b: Matrix => Matrix;
        "ki" of "ij" as a: Matrix, "jk" as b: Matrix => Matrix;
        "i" of "ij" as a: Matrix, "j" as b: Arr<F64> => Arr<F64>;
        "j" of "i" as a: Arr<F64>, "ij" as b: Matrix => Arr<F64>;
        "" of "ij" as a: Matrix, "ji" as b: Matrix => F64;
        "bik" of "bij" as a: Cube, "bjk" as b: Cube => Cube;
        "kb" of "bij" as a: Cube, "ijk" as b: Cube => Matrix;
        "bl" of "bij" as a: Cube, "ijl" as b: Cube => Matrix;
        "k" of "ij" as a: Matrix, "kl" as b: Matrix => Arr<F64>;
        "bj" of "bii" as a: Cube, "ij" as b: Matrix => Matrix;
        "il" of "ij" as a: Matrix, "jk" as b: Matrix, "kl" as c: Matrix => Matrix;
        "bkl" of "bij" as a: Cube, "jk" as b: Matrix, "bil" as c: Cube => Cube;
        "" of "i" as a: Arr<F64>, "ij" as b: Matrix, "j" as c: Arr<F64> => F64;
        "i" of "ij" as a: Matrix, "ij" as b: Matrix, "ij" as c: Matrix, "j" as d: Arr<F64> => Arr<F64>;
    }
}

#[test]
fn results_without_an_arrow() -> Result<()> {
    let implicit = Program::trace(|a: Matrix, b: Matrix| -> (Matrix, F64, Matrix) {
        (einsum("jk,ij", (b, a)), einsum("ii", a), einsum("ba", a))
    })?;
    let found: ([[f64; 2]; 2], f64, [[f64; 2]; 2]) =
        implicit.at(([[1.0, 2.0], [3.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]))?;
    assert_eq!(found, ([[2.0, 1.0], [4.0, 3.0]], 5.0, [[1.0, 3.0], [2.0, 4.0]]));
    let integers = Program::trace(|a: Arr<I64>, b: Arr<I64>| -> I64 { einsum("i,i", (a, b)) })?;
    assert_eq!(integers.at::<i64>(([1_i64, 2], [3_i64, 4]))?, 11);
    Ok(())
}

/// On all executors, of sizes at which products of matrices are recognised.
#[test]
fn executors_agree_on_contractions() -> catadiff_laws::Verdict {
    let cost = Program::trace(|a: Cube, b: Matrix, c: Cube| -> F64 {
        let product: Cube = einsum("bij,jk,bil->bkl", (a, b, c));
        product.map(|m| m.map(|row| row.map(|x| x.sin()).sum()).sum()).sum()
    });
    let gradient = cost.unwrap().grad(..).unwrap();
    let array = |sizes: &[usize]| {
        Value::reals(sizes, (0..sizes.iter().product()).map(|_| draw()).collect::<Vec<f64>>()).unwrap()
    };
    for executor in executors::at_hand() {
        executors::same(executor, &gradient, &[array(&[2, 5, 6]), array(&[6, 4]), array(&[2, 5, 7])])?;
    }
    Ok(())
}

/// `jax.grad` of `jnp.sum(jnp.sin(jnp.einsum("bij,jk,bil->kl", A, B, A)))` by both arguments, JAX 0.10.2 with `jax_enable_x64`.
#[test]
fn derivatives_of_jax() -> Result<()> {
    let cost = Program::trace(|a: Cube, b: Matrix| {
        let product: Matrix = einsum("bij,jk,bil->kl", (a, b, a));
        product.map(|row| row.map(|x| x.sin()).sum()).sum()
    })?;
    let a = [[[1.0, 2.0], [0.5, -1.0], [3.0, 0.25]], [[0.5, 0.75], [2.0, -2.0], [1.0, 4.0]]];
    let b = [[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]];
    type Slopes = (Vec<Vec<Vec<f64>>>, Vec<Vec<f64>>);
    let (found, (of_a, of_b)): (f64, Slopes) = cost.value_and_grad(..)?.at((a, b))?;
    let close = |found: &[f64], expected: &[f64]| {
        assert!(
            found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-13 * (1.0 + y.abs())),
            "{found:?} {expected:?}"
        );
    };
    close(&[found], &[-2.834999481215483]);
    let first = [-9.497572589818146, 4.594814674959738, 11.505289174115205];
    let second = [-25.87352441931796, 11.104859238322991, -8.933955951638632];
    close(&of_b.concat(), &[first, second].concat());
    let first = [
        -4.916923999034708,
        3.038562780563864,
        4.367266277598654,
        -4.932145528839936,
        4.8731967996044006,
        -9.43216405078378,
    ];
    let second = [
        -1.6052459648778528,
        0.7128530253916985,
        10.643336833278608,
        -13.277155196237876,
        -11.742652276150716,
        9.489989699685733,
    ];
    close(&of_a.concat().concat(), &[first, second].concat());
    Ok(())
}

#[test]
fn what_no_contraction_is_made_of() -> Result<()> {
    let reason = |program: Result<Program>| match program.unwrap_err() {
        Error::Trace { mistakes } => match &mistakes[..] {
            [Mistake::IllTyped { reason, .. }] => reason.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other}"),
    };
    let told = [
        ("ij->z", "no operand has the letter `z` of the result"),
        ("ij->ii", "the result has the letter `i` twice"),
        ("ij->i", "the result `i` has 1 letters, and is wanted with 2 dimensions"),
        ("i->ii", "operand 0 has 2 dimensions, and `i` has 1 letters"),
        ("ij,jk->ik", "there are letters for 2 operands, and 1 are given"),
        ("iJ->iJ", "`J` is none of the letters `a` to `z`"),
        ("...i->i", "`.` is none of the letters `a` to `z`"),
    ];
    for (specification, told) in told {
        let program = Program::trace(|a: Matrix| -> Matrix { einsum(specification, a) });
        assert_eq!(reason(program), format!("in `einsum(\"{specification}\", …)` {told}"));
    }
    // Sizes are those of a run.
    let product = Program::trace(|a: Matrix, b: Matrix| -> Matrix { einsum("ij,jk->ik", (a, b)) })?;
    let arguments = [[2, 3], [4, 2]].map(|sizes| Value::reals(&sizes, vec![1.0; sizes[0] * sizes[1]]).unwrap());
    let told = "the sizes of the index `j` of a contraction must agree, and are 3 and 4";
    for error in [product.run(&arguments).unwrap_err(), product.compile()?.run(&arguments).unwrap_err()] {
        assert!(matches!(error, Error::Sizes { .. }) && error.to_string().contains(told), "{error}");
    }
    let diagonal = Program::trace(|a: Matrix| -> Arr<F64> { einsum("kk->k", a) })?;
    let error = diagonal.at::<Vec<f64>>([[1.0, 2.0]]).unwrap_err().to_string();
    assert!(error.contains("the sizes of the index `k` of a contraction must agree, and are 1 and 2"), "{error}");
    Ok(())
}

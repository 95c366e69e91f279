//! Maps of maps as one loop, as rows, or as lanes that each go along a row: the same results, whatever the sizes.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, iota};
use catadiff::execute::Compiled;
use catadiff::{Elementary, Result};

type Matrix = Vec<Vec<f64>>;

/// Sizes that are empty, odd, few and many, either way.
const SIZES: [[usize; 2]; 12] =
    [[0, 3], [3, 0], [1, 1], [1, 9], [9, 1], [5, 7], [16, 8], [70, 3], [3, 70], [40, 50], [17, 600], [600, 33]];

fn list(n: usize) -> Vec<f64> {
    (0..n).map(|j| (5 * j % 13) as f64 - 6.0).collect()
}

/// Rows of whole numbers, of which no sum is rounded; without rows there are no columns to be seen.
fn matrix([rows, columns]: [usize; 2]) -> Matrix {
    (0..rows).map(|i| (0..columns).map(|j| ((7 * i + 3 * j) % 11) as f64 - 4.0).collect()).collect()
}

fn each(sizes: [usize; 2], f: impl Fn(usize, usize) -> f64) -> Matrix {
    (0..sizes[0]).map(|i| (0..sizes[1]).map(|j| f(i, j)).collect()).collect()
}

/// How many loops over lanes the code has, and how many others.
fn loops(compiled: &Compiled) -> (usize, usize) {
    let code = compiled.explain();
    let of = |what: &str| code.lines().filter(|line| line.trim_start().starts_with(what)).count();
    (of("lanes"), of("for"))
}

#[test]
fn arrays_of_one_order_are_one_loop() -> Result<()> {
    let program = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| {
        let product = a.map2(b, |a, b| a.map2(b, |a, b| a * b));
        product.map(|row| row.map(|x| x + 1.0))
    })?
    .compile()?;
    assert_eq!(loops(&program), (1, 0), "{}", program.explain());
    for sizes in SIZES {
        let (a, b) = (matrix(sizes), matrix(sizes));
        let wanted = each(sizes, |i, j| a[i][j] * b[i][j] + 1.0);
        assert_eq!(program.at::<Matrix>((&a, &b))?, wanted, "{sizes:?}");
    }
    assert!(program.at::<Matrix>((matrix([3, 4]), matrix([3, 5]))).is_err());

    // Three dimensions, of arrays whose sizes are not known to be one another's.
    let program = Program::trace(|a: Arr<Arr<Arr<F64>>>, b: Arr<Arr<Arr<F64>>>| {
        a.map2(b, |a, b| a.map2(b, |a, b| a.map2(b, |a, b| a - b.sin())))
    })?
    .compile()?;
    assert_eq!(loops(&program), (1, 0), "{}", program.explain());
    let (a, b) = (vec![matrix([4, 5]); 6], vec![matrix([4, 5]); 6]);
    let found: Vec<Matrix> = program.at((&a, &b))?;
    assert!((found[5][3][4] - (a[5][3][4] - b[5][3][4].sin())).abs() < 1e-15);
    Ok(())
}

#[test]
fn what_is_one_for_all_and_where_an_element_is() -> Result<()> {
    let scaled = Program::trace(|a: Arr<Arr<F64>>, x: F64| a.map(|row| row.map(|y| y * x)))?.compile()?;
    assert_eq!(loops(&scaled), (1, 0), "{}", scaled.explain());
    let by_row = Program::trace(|a: Arr<Arr<F64>>, r: Arr<F64>| a.map(|row| row.map2(r, |x, y| x + y)))?.compile()?;
    let by_column =
        Program::trace(|a: Arr<Arr<F64>>, c: Arr<F64>| a.map2(c, |row, c| row.map(|x| x * c)))?.compile()?;
    let outer = Program::trace(|c: Arr<F64>, r: Arr<F64>| c.map(|x| r.map(|y| x * y)))?.compile()?;
    let numbered = Program::trace(|a: Arr<Arr<F64>>| {
        let row = |row: Arr<F64>| row.map2(iota(row.len()), |x, k| x * k.to_f64());
        a.map(row)
    })?
    .compile()?;
    let turned = Program::trace(|a: Arr<Arr<F64>>| a.permute([1, 0]).map(|row| row.map(|x| x + 0.5)))?.compile()?;
    for sizes in SIZES {
        let (a, r, c) = (matrix(sizes), list(sizes[1]), list(sizes[0]));
        let seen = |found: &Matrix, f: &dyn Fn(usize, usize) -> f64| assert_eq!(*found, each(sizes, f), "{sizes:?}");
        seen(&scaled.at((&a, 3.0))?, &|i, j| a[i][j] * 3.0);
        if sizes[0] > 0 {
            seen(&by_row.at((&a, &r))?, &|i, j| a[i][j] + r[j]);
            let [n, m] = sizes;
            assert_eq!(turned.at::<Matrix>(&a)?, each([m, n], |j, i| a[i][j] + 0.5), "{sizes:?}");
        }
        seen(&by_column.at((&a, &c))?, &|i, j| a[i][j] * c[i]);
        seen(&outer.at((&c, &r))?, &|i, j| c[i] * r[j]);
        seen(&numbered.at(&a)?, &|i, j| a[i][j] * j as f64);
    }
    Ok(())
}

#[test]
fn parts_of_arrays_are_not_one_loop_but_right() -> Result<()> {
    let inner =
        Program::trace(|a: Arr<Arr<F64>>| a.map(|row| row.drop(1)).map(|row| row.map(|x| x * 2.0)))?.compile()?;
    let lower = Program::trace(|a: Arr<Arr<F64>>| a.drop(1).map(|row| row.map(|x| x * 2.0)))?.compile()?;
    let back = Program::trace(|a: Arr<Arr<F64>>| a.reverse().map(|row| row.map(|x| x * 2.0)))?.compile()?;
    for [n, m] in SIZES.into_iter().filter(|[n, m]| *n > 0 && *m > 0) {
        let a = matrix([n, m]);
        assert_eq!(inner.at::<Matrix>(&a)?, each([n, m - 1], |i, j| 2.0 * a[i][j + 1]));
        assert_eq!(lower.at::<Matrix>(&a)?, each([n - 1, m], |i, j| 2.0 * a[i + 1][j]));
        assert_eq!(back.at::<Matrix>(&a)?, each([n, m], |i, j| 2.0 * a[n - 1 - i][j]));
    }
    Ok(())
}

#[test]
fn sums_along_rows() -> Result<()> {
    let product = Program::trace(|a: Arr<Arr<F64>>, x: Arr<F64>| a.map(|row| row.dot(x)))?.compile()?;
    let squares =
        Program::trace(|a: Arr<Arr<F64>>, x: Arr<F64>| a.map(|row| row.map2(x, |x, y| (x - y) * (x - y)).sum()))?
            .compile()?;
    let pairs = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| a.map2(b, |a, b| a.dot(b)))?.compile()?;
    let many: Vec<[usize; 2]> = (1..=20).flat_map(|n| (1..=20).map(move |m| [n, m])).collect();
    for sizes in SIZES.into_iter().chain(many).filter(|[n, _]| *n > 0) {
        let (a, x) = (matrix(sizes), list(sizes[1]));
        let sums = |f: &dyn Fn(&[f64]) -> f64| a.iter().map(|row| f(row)).collect::<Vec<f64>>();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert_eq!(product.at::<Vec<f64>>((&a, &x))?, sums(&|row| dot(row, &x)), "{sizes:?}");
        let far = |row: &[f64]| row.iter().zip(&x).map(|(x, y)| (x - y) * (x - y)).sum();
        assert_eq!(squares.at::<Vec<f64>>((&a, &x))?, sums(&far), "{sizes:?}");
        assert_eq!(pairs.at::<Vec<f64>>((&a, &a))?, sums(&|row| dot(row, row)), "{sizes:?}");
    }
    Ok(())
}

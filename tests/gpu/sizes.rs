//! Sizes at which kernels change their way: none, one, beside the size of a workgroup, past the most workgroups and past the most
//! steps that a driver was seen to do.

use catadiff::array::Program;
use catadiff::execute::{Compiled, Flat};
use catadiff::{Error, Result};

use crate::gpu;

fn compiled(text: &str) -> Result<Option<Compiled>> {
    gpu().map(|gpu| Program::parse(text)?.compile_on(&gpu)).transpose()
}

fn run(of: &Compiled, arguments: &[Flat]) -> Result<Vec<Flat>> {
    let mut results = Vec::new();
    of.run_into(arguments, &mut results)?;
    Ok(results)
}

/// More elements than the threads of 65,535 workgroups.
const PAST_GROUPS: usize = 65_536 * 64 + 5;

#[test]
fn maps_and_sums_of_singles() -> Result<()> {
    let text = "program (xs: []f32) {
        let ys: []f32 = map (xs) |x: f32| { let y: f32 = add(x, 1.0f32) return y }
        let s: f32 = reduce commutative (ys) from (0.0f32) |a: f32, b: f32| { let c: f32 = add(a, b) return c }
        return ys, s
    }";
    let Some(of) = compiled(text)? else { return Ok(()) };
    for n in [0, 1, 15, 17, 63, 64, 65, 257, PAST_GROUPS] {
        let xs: Vec<f32> = (0..n).map(|k| (k % 3) as f32).collect();
        let results = run(&of, &[Flat::singles(&[n], xs.clone())?])?;
        let ys = results[0].as_singles().expect("singles");
        assert!(ys.len() == n && ys.iter().zip(&xs).all(|(y, x)| *y == x + 1.0), "{n}");
        // Sums of whole numbers below 2^24 are exact in any order.
        let sum: f64 = xs.iter().map(|x| f64::from(x + 1.0)).sum();
        assert_eq!(results[1].as_singles(), Some(&[sum as f32][..]), "{n}");
    }
    Ok(())
}

#[test]
fn scans_and_histograms() -> Result<()> {
    let text = "program (xs: []i64, bins: i64) {
        let sums: []i64 = scan (xs) from (0i64) |a: i64, b: i64| { let c: i64 = add(a, b) return c }
        let is: []i64 = map (xs) |x: i64| { let i: i64 = mod(x, 5i64) return i }
        let empty: []i64 = replicate(bins, 0i64)
        let counts: []i64 = hist (empty) at is (xs) from (0i64) |a: i64, b: i64| { let c: i64 = add(a, b) return c }
        return sums, counts
    }";
    let Some(of) = compiled(text)? else { return Ok(()) };
    for n in [0, 1, 15, 17, 257, 16_384, 20_001, 300_000] {
        let xs: Vec<i64> = (0..n).map(|k| k * 7 % 11).collect();
        let mut sum = 0;
        let sums: Vec<i64> = xs
            .iter()
            .map(|x| {
                sum += x;
                sum
            })
            .collect();
        let mut counts = [0; 4];
        xs.iter().filter(|x| **x % 5 < 4).for_each(|x| counts[(*x % 5) as usize] += x);
        let results = run(&of, &[Flat::integers(&[xs.len()], xs)?, Flat::integers(&[], vec![4])?])?;
        assert_eq!((results[0].as_integers(), results[1].as_integers()), (Some(&sums[..]), Some(&counts[..])), "{n}");
    }
    Ok(())
}

/// The composition of maps `x ↦ a x + b` is associative and does not commute.
#[test]
fn scans_by_operators_that_do_not_commute() -> Result<()> {
    let text = "program (xs: []i64, ys: []i64) {
        let s: []i64, t: []i64 = scan (xs, ys) from (1i64, 0i64) |a: i64, b: i64, c: i64, d: i64| {
            let e: i64 = mul(a, c)
            let f: i64 = mul(b, c)
            let g: i64 = add(f, d)
            return e, g
        }
        return s, t
    }";
    let Some(of) = compiled(text)? else { return Ok(()) };
    // One block, many, and more than there are blocks of one size.
    for n in [1, 511, 512, 513, 4095, 4096, 4097, 262_145, 65_536 * 64 + 77] {
        let [xs, ys] = [3, 5].map(|by| (0..n).map(|k| k * by % 7 - 3).collect::<Vec<i64>>());
        let (mut expected, mut state) = ((Vec::new(), Vec::new()), (1_i64, 0_i64));
        for (x, y) in xs.iter().zip(&ys) {
            state = (state.0.wrapping_mul(*x), state.1.wrapping_mul(*x).wrapping_add(*y));
            expected.0.push(state.0);
            expected.1.push(state.1);
        }
        let results = run(&of, &[Flat::integers(&[xs.len()], xs)?, Flat::integers(&[ys.len()], ys)?])?;
        assert!(
            results[0].as_integers() == Some(&expected.0[..]) && results[1].as_integers() == Some(&expected.1[..]),
            "{n}"
        );
    }
    Ok(())
}

/// A thread for each element, of arrays in their order and in others.
#[test]
fn nests_of_maps() -> Result<()> {
    let text = "program (a: [][]f64, b: [][]f64) {
        let columns: [][]f64 = permute[1, 0](b)
        let c: [][]f64 = map (a) |x: []f64| {
            let row: []f64 = map (columns) |y: []f64| {
                let p: []f64 = map (x, y) |u: f64, v: f64| { let w: f64 = mul(u, v) return w }
                let s: f64 = reduce commutative (p) from (0.0f64) |u: f64, v: f64| { let w: f64 = add(u, v) return w }
                return s
            }
            return row
        }
        let d: [][]f64 = map (c) |x: []f64| { let y: []f64 = map (x) |u: f64| { let v: f64 = add(u, 1.0f64) return v } return y }
        let e: [][]f64 = permute[1, 0](d)
        return c, e
    }";
    let Some(of) = compiled(text)? else { return Ok(()) };
    for (n, k, m) in [(0, 3, 2), (2, 0, 3), (1, 1, 1), (3, 4, 1), (17, 15, 33), (65, 7, 64)] {
        let element = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 - 5.0;
        let matrix = |rows: usize, columns: usize| {
            Flat::reals(&[rows, columns], (0..rows * columns).map(|at| element(at / columns, at % columns)).collect())
        };
        let product = |i: usize, j: usize| (0..k).map(|t| element(i, t) * element(t, j)).sum::<f64>();
        let results = run(&of, &[matrix(n, k)?, matrix(k, m)?])?;
        let expected: Vec<f64> = (0..n * m).map(|at| product(at / m, at % m)).collect();
        let turned: Vec<f64> = (0..n * m).map(|at| product(at % n, at / n) + 1.0).collect();
        assert_eq!(
            (results[0].as_reals(), results[1].as_reals()),
            (Some(&expected[..]), Some(&turned[..])),
            "{n} {k} {m}"
        );
    }
    Ok(())
}

#[test]
fn loops_in_threads() -> Result<()> {
    let text = "program (xs: []i64, n: i64) {
        let ys: []i64 = map (xs) |x: i64| {
            let last: i64 = loop (y = x) for i < n {
                let odd: i64 = mul(y, 5i64)
                let z: i64 = add(odd, i)
                return z
            }
            return last
        }
        return ys
    }";
    let Some(of) = compiled(text)? else { return Ok(()) };
    for n in [0, 1, 17, 65_537, 140_000] {
        let expected: Vec<i64> =
            (0..3).map(|x| (0..n).fold(x, |y: i64, i| y.wrapping_mul(5).wrapping_add(i))).collect();
        let found = run(&of, &[Flat::integers(&[3], vec![0, 1, 2])?, Flat::integers(&[], vec![n])?])?;
        assert_eq!(found[0].as_integers(), Some(&expected[..]), "{n}");
    }
    Ok(())
}

#[test]
fn nothing_is_changed_where_sizes_do_not_agree() -> Result<()> {
    let text = "program (xs: []f64, ys: []f64) {
        let zs: []f64 = map (xs, ys) |x: f64, y: f64| { let z: f64 = mul(x, y) return z }
        return zs
    }";
    let Some(of) = compiled(text)? else { return Ok(()) };
    let array = |n: usize| Flat::reals(&[n], vec![2.0; n]);
    assert!(matches!(run(&of, &[array(3)?, array(4)?]), Err(Error::Sizes { first: 3, second: 4, .. })));
    assert_eq!(run(&of, &[array(2)?, array(2)?])?[0].as_reals(), Some(&[4.0, 4.0][..]));
    Ok(())
}

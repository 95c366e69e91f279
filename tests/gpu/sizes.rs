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

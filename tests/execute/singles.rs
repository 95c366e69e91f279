//! Reals of single precision: what lanes compute is rounded as the interpreter, and Rust, round it.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64, I64, hist};
use catadiff::execute::Flat;
use catadiff::interpret::Value;

/// As many numbers as fill several blocks and a part of one.
fn drawn(n: usize) -> Vec<f32> {
    (0..n).map(|k| ((k * 7919 + 13) % 1009) as f32 / 504.5 - 0.9).collect()
}

fn is_single(x: f64) -> bool {
    f64::from(x as f32) == x
}

#[test]
fn elements_are_rusts_bit_for_bit() {
    let program = Program::trace(|xs: Arr<F32>, ys: Arr<F32>, by: F32| {
        (xs * ys, (xs + ys).map(|x| x.abs().sqrt()) / (by + xs) - by, (-xs).map(|x| x.max(by)))
    });
    let program = program.unwrap();
    let compiled = program.compile().unwrap();
    for n in [1, 7, 8, 17, 600, 5000] {
        let (xs, ys, by) = (drawn(n), drawn(2 * n)[n..].to_vec(), 0.1_f32);
        let expected: Vec<[f32; 3]> =
            xs.iter().zip(&ys).map(|(x, y)| [x * y, (x + y).abs().sqrt() / (by + x) - by, (-x).max(by)]).collect();
        let columns: [Vec<f32>; 3] = core::array::from_fn(|k| expected.iter().map(|row| row[k]).collect());
        let [a, b, c] = columns;
        let at = (&xs, &ys, by);
        assert_eq!(compiled.at::<(Vec<f32>, Vec<f32>, Vec<f32>)>(at).unwrap(), (a.clone(), b.clone(), c.clone()));
        assert_eq!(program.at::<(Vec<f32>, Vec<f32>, Vec<f32>)>(at).unwrap(), (a, b, c));
    }
}

#[test]
fn a_product_that_is_added_is_rounded_once_unless_there_are_doubles() {
    let singles = Program::trace(|xs: Arr<F32>, ys: Arr<F32>| xs * ys + xs).unwrap();
    let mixed = Program::trace(|xs: Arr<F32>, ys: Arr<F32>, z: F64| (xs * ys + xs, z)).unwrap();
    for n in [1, 16, 1000] {
        let (xs, ys) = (drawn(n), drawn(2 * n)[n..].to_vec());
        let fused: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| x.mul_add(*y, *x)).collect();
        let rounded: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| x * y + x).collect();
        assert_eq!(singles.compile().unwrap().at::<Vec<f32>>((&xs, &ys)).unwrap(), fused);
        assert_eq!(singles.at::<Vec<f32>>((&xs, &ys)).unwrap(), rounded);
        assert_eq!(mixed.compile().unwrap().at::<(Vec<f32>, f64)>((&xs, &ys, 0.5)).unwrap(), (rounded, 0.5));
    }
}

#[test]
fn arguments_and_results_are_singles_or_become_singles() {
    let program = Program::trace(|xs: Arr<F32>, by: F32| xs * by).unwrap().compile().unwrap();
    let expected = Flat::singles(&[2], vec![0.1_f32 * 3.0, -6.0]).unwrap();
    let singles = [Flat::singles(&[2], vec![0.1, -2.0]).unwrap(), Flat::singles(&[], vec![3.0]).unwrap()];
    let doubles = [Flat::reals(&[2], vec![0.1, -2.0]).unwrap(), Flat::reals(&[], vec![3.0]).unwrap()];
    let mut results = vec![Flat::reals(&[1], vec![7.0]).unwrap()];
    for arguments in [&singles, &doubles, &singles] {
        program.run_into(arguments, &mut results).unwrap();
        assert_eq!((results[0].as_singles(), results[0].as_reals()), (expected.as_singles(), None));
        assert_eq!(results[0].to_value(), expected.to_value());
    }
}

#[test]
fn one_number_after_the_other_is_rounded() {
    let program =
        Program::trace(|x: F32, n: I64| catadiff::array::trace::loop_for(n, x, |_, y| y * y * 0.75 + x / (y + 1.5)));
    let compiled = program.unwrap().compile().unwrap();
    let x = 0.3_f32;
    let expected = (0..40).fold(x, |y, _| y * y * 0.75 + x / (y + 1.5));
    assert_eq!(compiled.at::<f32>((x, 40_i64)).unwrap(), expected);
}

/// In any order a sum of n numbers is off by at most n − 1 roundings of partial sums, none larger than the sum of magnitudes.
#[test]
fn sums_are_singles_and_within_their_bound() {
    let program =
        Program::trace(|xs: Arr<F32>, at: Arr<I64>| (xs.sum(), (xs * xs).sum(), hist(3, 0.0, at, xs, |a, b| a + b)));
    let compiled = match program {
        Ok(program) => program.compile().unwrap(),
        Err(error) => panic!("{error}"),
    };
    for n in [2, 100, 100_000] {
        let xs = drawn(n);
        let at: Vec<i64> = (0..n as i64).map(|k| k % 3).collect();
        let results = compiled.run(&[Value::new(&xs[..]).unwrap(), Value::new(&at[..]).unwrap()]).unwrap();
        let found: Vec<f64> = results.iter().flat_map(|value| value.to_f64().unwrap()).collect();
        let wide = |f: &dyn Fn(usize, f64) -> f64| (0..n).map(|k| f(k, f64::from(xs[k]))).sum::<f64>();
        let mut expected = vec![(wide(&|_, x| x), wide(&|_, x| x.abs())), (wide(&|_, x| x * x), wide(&|_, x| x * x))];
        expected.extend((0..3).map(|bin| {
            let of = |k: usize, x: f64| if k % 3 == bin { x } else { 0.0 };
            (wide(&of), wide(&|k, x| of(k, x).abs()))
        }));
        for (found, (exact, size)) in found.iter().zip(expected) {
            assert!(is_single(*found), "{found} is no f32");
            let bound = n as f64 * f64::from(f32::EPSILON) * size;
            assert!((found - exact).abs() <= bound, "{found}, and exactly {exact}, of {n}");
        }
    }
}

#[test]
fn arguments_and_conversions_are_rounded() {
    let program = Program::trace(|x: F32, xs: Arr<F32>| (x.to_f64(), xs.map(F32::to_f64))).unwrap();
    let arguments = [Flat::reals(&[], vec![0.1]).unwrap(), Flat::reals(&[2], vec![0.1, 0.25]).unwrap()];
    let mut results = Vec::new();
    program.compile().unwrap().run_into(&arguments, &mut results).unwrap();
    assert_eq!(results[0].as_reals().unwrap(), [f64::from(0.1_f32)]);
    assert_eq!(results[1].as_reals().unwrap(), [f64::from(0.1_f32), 0.25]);
}

#[test]
fn derivatives_are_singles() {
    let program = Program::trace(|xs: Arr<F32>| (xs * xs * xs).map(F32::exp).sum()).unwrap();
    let gradient = program.grad(0).unwrap().compile().unwrap();
    let xs = drawn(300);
    let found = gradient.run(&[Value::new(&xs[..]).unwrap()]).unwrap()[0].to_f64().unwrap();
    for (x, found) in xs.iter().zip(found) {
        let x = f64::from(*x);
        let exact = 3.0 * x * x * (x * x * x).exp();
        // Eight roundings at most, of numbers no larger than the result, and one of the exponent, which is no larger than 2.
        assert!(is_single(found) && (found - exact).abs() <= 16.0 * f64::from(f32::EPSILON) * exact, "{found} at {x}");
    }
}

#[test]
fn extrema_of_integers_without_a_sign_are_found_by_lanes() {
    let text = "program (ns: []u64) {
        let least = reduce (ns) from (18446744073709551615u64) |a: u64, b: u64| { let c = min(a, b) return c }
        let most = reduce (ns) from (0u64) |a: u64, b: u64| { let c = max(a, b) return c }
        return least, most
    }";
    let compiled = Program::parse(text).unwrap().compile().unwrap();
    for n in [1_u64, 9, 1000, 50_000] {
        let ns: Vec<u64> = (0..n).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) | 1).collect();
        let expected = (*ns.iter().min().unwrap(), *ns.iter().max().unwrap());
        assert_eq!(compiled.at::<(u64, u64)>(&ns).unwrap(), expected);
    }
}

//! Recorded programs beside what they were recorded of: long ones, singular points, threads, and kept memory.
//!
//! Law: those of `laws/src/recordings.rs`; and what a workspace was used for before changes nothing.

use std::thread;

use catadiff::carriers::Dual;
use catadiff::derivative::{SparseHessian, SparseJacobian, Workspace};
use catadiff::prelude::*;
use catadiff::primitives::{Primitive, Rule};
use catadiff::term::{Rules, Storable};
use catadiff::{Base, Error, Recording};

/// A function of many operations: sums past every window of the scheduler, products in sums, rows and branches.
fn long<R: Decide>(x: &[R], rounds: usize) -> R {
    let mut y = x[0];
    for round in 0..rounds {
        let (a, b) = (x[round % x.len()], x[(round * 7 + 1) % x.len()]);
        let inner: R = x.iter().map(|x| *x * b).sum();
        y = (y * a - b).sin() + inner * 0.25 + (a * a + b * b + 1.0).sqrt();
        y = if y > 2.0 { y - a * b } else { y.max(a) };
    }
    y + x.windows(2).map(|x| x[0] * x[1]).sum::<R>()
}

fn point(n: usize, shift: f64) -> Vec<f64> {
    (0..n).map(|k| ((k * 37 % 17) as f64 - 8.0) / 16.0 + shift).collect()
}

#[test]
fn long_recordings_have_the_gradients_of_their_functions() {
    let mut workspace = Workspace::new();
    // One workspace for all, up and down: what it held before is of another program.
    for (n, rounds) in [(2, 1), (9, 400), (3, 4), (40, 900), (9, 400), (2, 0)] {
        let (x, v) = (point(n, 0.0), point(n, 0.3));
        let program = record(|x| vec![long(x, rounds)], &x).unwrap();
        let mut gradient = vec![f64::NAN; n];
        for _ in 0..2 {
            let value = program.value_and_grad_into(&mut workspace, &x, &mut gradient).unwrap();
            let (expected, slopes) = value_and_grad(|x| long(x, rounds), &x).unwrap();
            assert_eq!(value.to_bits(), expected.to_bits());
            let scale = slopes.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
            assert!(gradient.iter().zip(&slopes).all(|(a, b)| (a - b).abs() <= 1e-12 * scale), "{n} {rounds}");
            let ((_, product), (_, fresh)) = (program.hvp(&x, &v).unwrap(), hvp(|x| long(x, rounds), &x, &v).unwrap());
            let scale = fresh.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
            assert!(product.iter().zip(&fresh).all(|(a, b)| (a - b).abs() <= 1e-10 * scale), "{n} {rounds}");
        }
    }
}

/// One of the operations that are fused.
fn arithmetic<R: Decide>(which: usize, a: R, b: R) -> R {
    match which % 5 {
        0 => a + b,
        1 => a * b,
        2 => a - b,
        3 => -a * b,
        _ => a / b,
    }
}

/// Terms of equal form, added up or each the start of the next: `(a ∘ b) ∘ (c ∘ d)` with brackets missing, and longer ones.
fn repeated<R: Decide>(x: &[R], length: usize, [p, q, r, form]: [usize; 4], chain: bool) -> R {
    let n = x.len() - 1;
    let term = |y: R, k: usize| {
        let (a, b, c) = (x[k % n], x[(k + 1) % n], x[n]);
        match form {
            0 => arithmetic(r, arithmetic(p, y, a), c),
            1 => arithmetic(r, c, arithmetic(p, a, y)),
            2 => arithmetic(r, arithmetic(p, y, a), arithmetic(q, c, y)),
            3 => arithmetic(r, arithmetic(p, a, b), arithmetic(q, y, R::one())),
            _ => {
                let u = arithmetic(p, y, a);
                arithmetic(r, u * u, arithmetic(q, b - c, y)) - c * c
            }
        }
    };
    if chain { (0..length).fold(x[n], term) } else { (0..length).map(|k| term(x[k * 7 % n], k)).sum() }
}

/// What is fused is what is written, whatever its form and however many blocks of it there are.
#[test]
fn fused_operations_are_those_that_were_written() {
    let lengths = [3, 20, 64, 65, 150];
    for case in 0..5 * 5 * 5 * 5 * 2 {
        let [p, q, r, form] = [1, 5, 25, 125].map(|by| case / by % 5);
        let (choice, chain) = ([p, q, r, form], case >= 625);
        let length = lengths[(p + q + r + form) % 5];
        let x: Vec<f64> = (0..9).map(|k| [1.0, -1.0][k * k % 3 % 2]).collect();
        let program = record(|x| vec![repeated(x, length, choice, chain)], &x).unwrap();
        let (y, expected) = value_and_grad(|x| repeated(x, length, choice, chain), &x).unwrap();
        let found = program.grad::<Reverse>(&x).unwrap();
        let scale = expected.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * scale || (a.is_nan() && b.is_nan()) || a == b;
        assert!(found.iter().zip(&expected).all(close), "{choice:?} {chain} {length}: {found:?} {expected:?}");
        let value = program.run(&x).unwrap()[0];
        assert!(value.to_bits() == y.to_bits() || (value.is_nan() && y.is_nan()), "{choice:?} {chain} {length}");
        if scale < 1e100 && case % 10 == 0 {
            let v = point(9, 0.3);
            let ((_, found), (_, fresh)) =
                (program.hvp(&x, &v).unwrap(), hvp(|x| repeated(x, length, choice, chain), &x, &v).unwrap());
            let scale = fresh.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-11 * scale || a.is_nan() && b.is_nan() || a == b;
            assert!(found.iter().zip(&fresh).all(close), "{choice:?} {chain}: {found:?} {fresh:?}");
        }
    }
}

/// Rows in long loops, on numbers that stand together, on one number again and again, and on both, each for itself and added
/// up, have the values of the function to the last bit, and its derivatives.
#[test]
fn long_loops_of_rows_are_those_that_were_written() {
    fn rows<R: Real>(x: &[R], length: usize, row: Primitive, one: u8, added: bool) -> R {
        let span = |i: usize, k: usize| if one >> i & 1 == 0 { x[i * length + k] } else { x[i * length] };
        let inside =
            |(x, (low, high)): (R, &(f64, f64))| x * R::constant(0.2 * (high - low)) + R::constant((low + high) / 2.0);
        let operands: Vec<Vec<R>> =
            (0..length).map(|k| (0..row.arity()).map(|i| span(i, k)).zip(row.smooth()).map(inside).collect()).collect();
        let mut values: Vec<R> = operands.iter().map(|x| row.apply(x)).collect();
        if !added {
            values.iter_mut().zip(x).for_each(|(z, x)| *z = *z * *z + *x);
        }
        values.into_iter().sum()
    }
    for (at, row) in Primitive::ALL.iter().enumerate() {
        let arity = row.arity();
        for case in 0..2 << arity {
            let (length, one, added) = ([16, 67, 130][(at + case) % 3], (case / 2) as u8, case % 2 == 0);
            let x: Vec<f64> = (0..arity * length).map(|k| ((k * 37 % 101) as f64 - 50.0) / 50.0).collect();
            let program = record(|x| vec![rows(x, length, *row, one, added)], &x).unwrap();
            let (y, expected) = value_and_grad(|x| rows(x, length, *row, one, added), &x).unwrap();
            let told = format!("{row:?} of {length}, {one:b}, {added}");
            assert_eq!(program.run(&x).unwrap()[0].to_bits(), y.to_bits(), "{told}");
            let found = program.grad::<Reverse>(&x).unwrap();
            let scale = expected.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
            let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * scale;
            assert!(found.iter().zip(&expected).all(close), "{told}: {found:?} {expected:?}");
        }
    }
}

/// Programs without operations, and results that are inputs, constants, the same, or inside of what is fused; not none.
/// A sum of values of a row is that of its terms from the first on, to the sign of a zero, and no more operations.
#[test]
fn sums_of_rows_begin_with_their_first_two() {
    let sines = |x: &[f64]| x.iter().map(|x| x.sin()).reduce(|a, b| a + b).unwrap();
    for n in (2..42).chain([63, 64, 65, 130]) {
        let program = record(|x| vec![x.iter().map(|x| x.sin()).reduce(|a, b| a + b).unwrap()], &vec![1.0; n]).unwrap();
        assert_eq!(program.operations(), 2 * n - 1);
        for x in [vec![-0.0; n], vec![0.0; n], point(n, 0.1)] {
            assert_eq!(program.run(&x).unwrap()[0].to_bits(), sines(&x).to_bits(), "{n}");
            let cosines: Vec<f64> = x.iter().map(|x| x.cos()).collect();
            assert_eq!(program.grad::<Reverse>(&x).unwrap(), cosines, "{n}");
            // Nothing is left over from the time before.
            assert_eq!(program.grad::<Reverse>(&x).unwrap(), cosines, "{n}");
        }
    }
}

#[test]
fn results_may_be_anything() {
    fn results<R: Real>(x: &[R]) -> Vec<R> {
        let terms: Vec<R> = (0..20).map(|k| (x[k % 4] - x[4]) * x[k % 3]).collect();
        let (sum, square) = (terms[0] + x[1], terms[7] - x[0]);
        let total: R = terms.iter().map(|t| *t * *t - x[4]).sum();
        vec![x[1], R::constant(3.0), x[1], sum, sum * sum, square * square + x[2], square, total, total, terms[11]]
    }
    for x in [&[][..], &[1.0, 2.0]] {
        assert!(matches!(record::<f64, _>(|_| Vec::new(), x), Err(Error::Empty { .. })));
    }
    let program = Recording::<f64>::from_text(
        "catadiff recording 1 of f64\nvariables 1\nliteral 2.5\nresults 0 0\n",
        &Rules::new(),
    );
    assert_eq!(program.unwrap().run(&[1.0]).unwrap(), [2.5, 2.5]);
    let x = [2.0, -1.0, 3.0, 5.0, -4.0];
    let program = record(|x| results(x), &x).unwrap();
    assert_eq!(program.run(&x).unwrap(), results(&x));
    let expected = Forward::jacobian(|x| results(x), &x).unwrap();
    assert_eq!(program.jacobian::<Reverse>(&x).unwrap(), expected);
    assert_eq!(program.jacobian::<Forward>(&x).unwrap(), expected);
}

/// At points where partial derivatives are infinite a replay has the zeros and the NaNs that the tape has.
#[test]
fn singular_points_are_those_of_a_run() {
    fn singular<R: Real>(x: &[R]) -> Vec<R> {
        let root = x[0].sqrt();
        vec![
            x[0].select(root, R::zero()) + x[1],
            root * x[0],
            root * 0.0 + x[1] * x[1],
            root.max(x[1]) + x[0].powf(x[1]),
            (x[0] * x[1]).ln() * x[0],
            x[1].stop_gradient() * root + (x[0] - x[0]).cbrt(),
        ]
    }
    let program = record(|x| singular(x), &[1.0, 2.0]).unwrap();
    for x in [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [4.0, 3.0], [0.0, -1.0], [-1.0, 1.0]] {
        let (replayed, fresh) =
            (program.jacobian::<Reverse>(&x).unwrap(), Reverse::jacobian(|x| singular(x), &x).unwrap());
        for (row, (a, b)) in replayed.iter().zip(&fresh).enumerate() {
            let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-14 * b.abs();
            assert!(a.iter().zip(b).all(same), "row {row} at {x:?}: {a:?}, {b:?}");
            let alone = record(|x| vec![singular(x)[row]], &[1.0, 2.0]).unwrap().grad::<Reverse>(&x).unwrap();
            assert!(alone.iter().zip(b).all(same), "row {row} alone at {x:?}: {alone:?}, {b:?}");
        }
    }
}

/// The numbers of an outer differentiation are recorded, and replayed at.
#[test]
fn recordings_over_other_bases_are_replayed() {
    let outer = |x: f64| Dual { value: x, tangent: 1.0 };
    let program =
        record(|x| vec![x[0] * x[0] * Symbolic::lift(outer(3.0)) + x[1].exp()], &[outer(2.0), outer(0.0)]).unwrap();
    let gradient = program.grad::<Reverse>(&[outer(5.0), outer(1.0)]).unwrap();
    // By x0: 2·x0·c, of which the derivative along (1, 1) and the constant is 2·c + 2·x0.
    assert_eq!((gradient[0].value, gradient[0].tangent), (30.0, 16.0));
    let single = record(|x: &[_]| vec![x[0] * x[1]], &[2.0_f32, 3.0]).unwrap();
    assert_eq!(single.grad::<Reverse>(&[4.0, 5.0]).unwrap(), [5.0_f32, 4.0]);
}

const fn shared<T: Send + Sync>() {}
const _: () = {
    shared::<Recording>();
    shared::<Recording<f32>>();
    shared::<Workspace>();
    shared::<SparseJacobian>();
    shared::<SparseHessian>();
    shared::<Rules>();
};

/// Threads share one prepared sparse Jacobian and one Hessian, and have the results of one thread.
#[test]
fn threads_share_prepared_derivatives() {
    fn flow<R: Real>(u: &[R]) -> Vec<R> {
        u.windows(3).map(|u| u[0] - u[1] * 2.0 + u[2] + u[1].exp()).collect()
    }
    let jacobian = SparseJacobian::prepare(|u| flow(u), &[0.0; 60]).unwrap();
    let hessian = SparseHessian::prepare(|u| flow(u).iter().map(|f| *f * f).sum(), &[0.0; 60]).unwrap();
    let points: Vec<Vec<f64>> = (0..64).map(|k| point(60, f64::from(k) / 50.0)).collect();
    let both = &|points: &[Vec<f64>]| -> Vec<_> {
        points.iter().map(|x| (jacobian.at(x).unwrap(), hessian.at(x).unwrap())).collect()
    };
    let found: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = points.chunks(8).map(|points| scope.spawn(move || both(points))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let expected = both(&points);
    assert_eq!(found, expected);
}

/// One recording, one sparse Jacobian and one sparse Hessian serve all threads of a pool at once.
#[cfg(feature = "rayon")]
#[test]
fn a_pool_of_threads_shares_one_recording() {
    use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
    fn flow<R: Real>(u: &[R]) -> Vec<R> {
        u.windows(3).map(|u| u[0] - u[1] * u[0] + u[2] + u[1].exp()).collect()
    }
    fn energy<R: Real>(u: &[R]) -> R {
        flow(u).iter().map(|f| *f * f).sum()
    }
    let start = [0.0; 40];
    let program = &record(|u| vec![energy(u)], &start).unwrap();
    let jacobian = &SparseJacobian::prepare(|u| flow(u), &start).unwrap();
    let hessian = &SparseHessian::prepare(|u| energy(u), &start).unwrap();
    let at = |x: &Vec<f64>| {
        let gradient = program.grad::<Reverse>(x).unwrap();
        let (_, along) = program.hvp(x, &gradient).unwrap();
        (gradient, along, jacobian.at(x).unwrap(), hessian.at(x).unwrap())
    };
    let points: Vec<Vec<f64>> = (0..200).map(|k| point(40, f64::from(k) / 200.0)).collect();
    let expected: Vec<_> = points.iter().map(at).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads can be had");
    let found: Vec<_> = pool.install(|| points.par_iter().map(at).collect());
    assert_eq!(found, expected);
    let fresh = grad(|u| energy(u), &points[77]).unwrap();
    assert!(found[77].0.iter().zip(&fresh).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs())));
}

/// A rule that panics in a replay leaves a program and a workspace that can be used again.
#[test]
fn a_panic_in_a_rule_harms_nothing() {
    #[derive(Clone)]
    struct Picky;
    impl Rule<1> for Picky {
        fn name(&self) -> &'static str {
            "picky"
        }
        fn value(&self, [x]: [f64; 1]) -> f64 {
            x * x
        }
        fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S {
            assert!(x.primal() != Some(7.0), "on purpose");
            S::constant(2.0) * x
        }
    }
    let program = record(|x| vec![Picky.of([x[0]]) * x[1] + x[1]], &[1.0, 1.0]).unwrap();
    let (mut workspace, mut gradient) = (Workspace::new(), [0.0; 2]);
    program.value_and_grad_into(&mut workspace, &[2.0, 3.0], &mut gradient).unwrap();
    let interrupted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        program.value_and_grad_into(&mut workspace, &[7.0, 3.0], &mut [0.0; 2]).unwrap()
    }));
    assert!(interrupted.is_err());
    program.value_and_grad_into(&mut workspace, &[2.0, 3.0], &mut gradient).unwrap();
    assert_eq!((gradient, program.grad::<Reverse>(&[2.0, 3.0]).unwrap()), ([12.0, 5.0], vec![12.0, 5.0]));
}

/// Numbers that a program cannot hold are none of its text, and a text for other numbers is known by its first line.
#[test]
fn texts_hold_the_numbers_that_they_say() {
    fn read<S: Base + Storable>(kind: &str, line: &str) -> Result<Recording<S>, Error> {
        let text = format!("catadiff recording 1 of {kind}\nvariables 1\nx0\n{line}\nplus 0 1\nresults 2\n");
        Recording::from_text(&text, &Rules::new())
    }
    let syntax = |found: Result<_, Error>| matches!(found, Err(Error::Syntax { .. }));
    for line in
        ["outside 1e999", "literal 1e999", "outside -1e999", "outside", "outside 1 2", "literal 1 2", "literal x"]
    {
        assert!(syntax(read::<f64>("f64", line).map(drop)), "{line}");
    }
    assert!(syntax(read::<f32>("f32", "outside 1e39").map(drop)));
    assert!(syntax(read::<Dual<f64>>("dual f64", "outside 1.0").map(drop)));
    assert!(read::<f64>("f64", "outside 1e39").is_ok() && read::<f32>("f32", "literal 1e39").is_ok());
    assert_eq!(read::<f64>("f64", "outside -inf").unwrap().run(&[1.0]).unwrap(), [f64::NEG_INFINITY]);
    for (kind, line) in [("f64", "outside 1.0"), ("", "outside 1.0"), ("dual f32", "outside 1.0 2.0")] {
        assert!(matches!(read::<f32>(kind, line), Err(Error::Mismatch { .. })), "{kind}");
    }
    assert!(syntax(Recording::<f64>::from_text("catadiff recording 1", &Rules::new()).map(drop)));
}

#[test]
fn what_cannot_be_replayed_is_told() {
    let program = record(|x| vec![if x[0] < x[1] { x[0] } else { x[1] }], &[1.0, 2.0]).unwrap();
    let mut workspace = Workspace::new();
    let refused = |error: Error| matches!(error, Error::BranchChanged { at: 0, .. });
    assert!(refused(program.value_and_grad_into(&mut workspace, &[2.0, 1.0], &mut [0.0; 2]).unwrap_err()));
    assert!(refused(program.jvp(&[2.0, 1.0], &[1.0, 0.0]).unwrap_err()));
    assert!(refused(program.hvp(&[2.0, 1.0], &[1.0, 0.0]).unwrap_err()));
    assert!(refused(program.jacobian::<Forward>(&[2.0, 1.0]).unwrap_err()));
    let length = |error: Error| matches!(error, Error::Length { .. });
    assert!(length(program.value_and_grad_into(&mut workspace, &[2.0], &mut [0.0; 2]).unwrap_err()));
    assert!(length(program.value_and_grad_into(&mut workspace, &[1.0, 2.0], &mut [0.0; 1]).unwrap_err()));
    assert!(length(program.run_into(&mut workspace, &[1.0, 2.0], &mut [0.0; 2]).unwrap_err()));
    assert!(matches!(program.grad::<Reverse>(&[f64::NAN, 2.0]).unwrap_err(), Error::NotFinite { .. }));
    // A rule of which there are two by one name is not known by its name.
    #[derive(Clone)]
    struct Times(f64);
    impl Rule<1> for Times {
        fn name(&self) -> &'static str {
            "times"
        }
        fn value(&self, [x]: [f64; 1]) -> f64 {
            self.0 * x
        }
        fn partial<S: Scalar>(&self, _: usize, _: [S; 1], _: S) -> S {
            S::constant(self.0)
        }
    }
    let program = record(|x| vec![Times(2.0).of([x[0]]) + Times(3.0).of([x[0]])], &[1.0]).unwrap();
    assert_eq!(program.grad::<Reverse>(&[1.0]).unwrap(), [5.0]);
    assert!(matches!(program.to_text().unwrap_err(), Error::Mismatch { .. }));
}

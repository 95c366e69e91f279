//! Linear equations without a matrix: solutions and derivatives, against those of dense matrices.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, literal, loop_for};
use catadiff::solvers::{KrylovOptions, Map, bicgstab, bicgstab_with, cg, cg_with, custom_linear_solve};
use catadiff::{Error, Mistake, Real, Result, grad, hessian};

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;

fn near(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= bound * y.abs().max(1.0);
    assert!(found.iter().zip(expected).all(is_near), "{found:?} where {expected:?} ± {bound} is right");
}

/// A scalar of the solution of `(MᵀM + p) x = b`, or of `(M + 4 p) x = b`, by each way.
fn scalar(x: Vector) -> F64 {
    x.map(|x| x * x * x).sum() + x.index(0)
}

fn definite(m: Matrix, p: F64, x: Vector) -> Vector {
    m.transpose().matvec(m.matvec(x)) + x * p
}

fn regular(m: Matrix, p: F64, x: Vector) -> Vector {
    m.matvec(x) + x * (p * 4.0)
}

/// The same scalar by elimination, of all elements of the matrix, the number and the right side in a row.
fn dense<R: Real>(is_definite: bool, at: &[R]) -> R {
    let (m, p, mut x) = (|i: usize, j: usize| at[3 * i + j], at[9], at[10..].to_vec());
    let element = |i: usize, j: usize| {
        let squares = || (0..3).map(|k| m(k, i) * m(k, j)).sum::<R>();
        let (element, shift) = if is_definite { (squares(), p) } else { (m(i, j), p * 4.0) };
        if i == j { element + shift } else { element }
    };
    let mut a: Vec<Vec<R>> = (0..3).map(|i| (0..3).map(|j| element(i, j)).collect()).collect();
    for k in 0..3 {
        for i in (0..3).filter(|i| *i != k) {
            let factor = a[i][k] / a[k][k];
            let above = a[k].clone();
            a[i].iter_mut().zip(&above).for_each(|(x, y)| *x -= factor * *y);
            let above = x[k];
            x[i] -= factor * above;
        }
    }
    let x: Vec<R> = (0..3).map(|k| x[k] / a[k][k]).collect();
    x.iter().map(|x| x.powi(3)).sum::<R>() + x[0]
}

type At = (Vec<[f64; 3]>, f64, [f64; 3]);

fn at() -> At {
    (vec![[1.0, -0.5, 0.25], [0.5, 1.0, -1.0], [0.25, 0.75, 1.5]], 0.5, [1.0, -2.0, 0.5])
}

type Slopes = (Vec<[f64; 3]>, f64, Vec<f64>);

fn flat((m, p, b): Slopes) -> Vec<f64> {
    [m.concat(), vec![p], b].concat()
}

/// Value, derivatives in both modes, and of second order in each mix, beside those of the dense matrix.
fn compared(free: &Program, is_definite: bool) -> Result<()> {
    let (m, p, b) = at();
    let place = [m.concat(), vec![p], b.to_vec()].concat();
    near(&[free.at(at())?], &[dense(is_definite, &place)], 1e-11);
    let expected = grad(|x| dense(is_definite, x), &place)?;
    let slopes = free.grad(..)?;
    near(&flat(slopes.at(at())?), &expected, 1e-10);
    near(&flat(slopes.compile()?.at(at())?), &expected, 1e-10);
    near(&[free.jacfwd(1)?.at(at())?], &expected[9..10], 1e-10);
    // By p, and then by everything.
    let expected = hessian(|x| dense(is_definite, x), &place)?.swap_remove(9);
    let by_p = free.grad(1)?;
    let tangent = |program: &Program| -> Result<Program> {
        let pushed = program.jvp_wrt(1)?.only(&[1])?;
        Program::trace(|m: Matrix, p: F64, b: Vector| pushed.call::<F64>((m, p, b, 1.0)))
    };
    let along_p = tangent(free)?;
    near(&flat(by_p.grad(..)?.at(at())?), &expected, 1e-9);
    near(&flat(along_p.grad(..)?.at(at())?), &expected, 1e-9);
    near(&[free.hessian(1)?.at(at())?, tangent(&along_p)?.at(at())?], &[expected[9]; 2], 1e-9);
    Ok(())
}

#[test]
fn conjugate_gradients_have_the_derivatives_of_the_solution() -> Result<()> {
    let free =
        Program::trace(|m: Matrix, p: F64, b: Vector| scalar(cg((m, p), b, |(m, p), x: Vector| definite(m, p, x))))?;
    compared(&free, true)
}

#[test]
fn biconjugate_gradients_have_the_derivatives_of_the_solution() -> Result<()> {
    let free = Program::trace(|m: Matrix, p: F64, b: Vector| {
        scalar(bicgstab((m, p), b, |(m, p), x: Vector| regular(m, p, x)))
    })?;
    compared(&free, false)
}

/// Whatever solves, with as many steps as it wants and no derivative of its own; the transposed map is given to the transposed solver.
#[test]
fn any_solver_has_the_derivatives_of_the_solution() -> Result<()> {
    let richardson = |_: (Matrix, F64), a: Map<'_, Vector>, b: Vector| {
        loop_for(400, b.zeros_like(), |_: I64, x| x + (b - a(x)) * 0.25)
    };
    let free = Program::trace(move |m: Matrix, p: F64, b: Vector| {
        scalar(custom_linear_solve((m, p), b, |(m, p), x: Vector| regular(m, p, x), richardson, richardson))
    })?;
    compared(&free, false)
}

/// As many steps are enough as the matrix has eigenvalues, and one fewer is too few.
#[test]
fn as_many_steps_as_eigenvalues_are_exact() -> Result<()> {
    let exactly = |steps| KrylovOptions { relative: 0.0, absolute: 0.0, steps };
    let solve = |options: KrylovOptions| {
        Program::trace(move |d: Vector, b: Vector| cg_with(&options, d, b, |d, x: Vector| d * x))
    };
    // One: b is an eigenvector.
    let x: Vec<f64> = solve(exactly(1))?.at(([4.0, 4.0, 4.0], [1.0, -2.0, 8.0]))?;
    assert_eq!(x, [0.25, -0.5, 2.0]);
    let x: Vec<f64> = solve(exactly(2))?.at(([1.0, 3.0], [1.0, 1.0]))?;
    near(&x, &[1.0, 1.0 / 3.0], 1e-15);
    let short = KrylovOptions { steps: 2, ..KrylovOptions::default() };
    let at = ([1.0, 3.0, 3.0, 1.0], [1.0, 2.0, -1.0, 0.5]);
    near(&solve(short)?.at::<Vec<f64>>(at)?, &[1.0, 2.0 / 3.0, -1.0 / 3.0, 0.5], 1e-13);
    let error = solve(KrylovOptions { steps: 1, ..short })?.at::<Vec<f64>>(at).unwrap_err();
    assert!(matches!(error, Error::LoopBound { bound: 1, .. }), "{error}");
    Ok(())
}

/// Poisson's equation on a grid, whose unknowns are a matrix: a source in the middle, and the derivative by how well the grid conducts.
#[test]
fn unknowns_are_in_any_arrangement() -> Result<()> {
    let zero = || literal([0.0]);
    let second = move |x: Vector| {
        let n = x.len();
        x * 2.0 - zero().concat(x.take(n - 1)) - x.drop(1).concat(zero())
    };
    let laplace = move |x: Matrix| x.map(second) + x.transpose().map(second).transpose();
    let total = Program::trace(move |k: F64, b: Matrix| {
        cg(k, b, move |k, x: Matrix| laplace(x) * k).map(|row| row.sum()).sum()
    })?;
    let mut source = vec![[0.0; 7]; 7];
    source[3][3] = 1.0;
    let (value, (by_k, by_b)): (f64, (f64, Vec<Vec<f64>>)) = total.value_and_grad(..)?.compile()?.at((2.0, source))?;
    near(&[by_k], &[-value / 2.0], 1e-11);
    // The map is symmetric: what a source anywhere adds to the total is the solution for sources everywhere.
    near(&[by_b[3][3]], &[value], 1e-11);
    assert!((by_b[0][1] - by_b[6][5]).abs() <= 1e-12);
    // Of no unknowns, and of one number.
    assert_eq!(total.at::<f64>((1.0, Vec::<[f64; 0]>::new()))?, 0.0);
    let one = Program::trace(|p: F64, b: F64| cg(p, b, |p, x: F64| p * x))?;
    assert_eq!(one.at::<f64>((4.0, 3.0))?, 0.75);
    assert_eq!(one.grad(..)?.at::<(f64, f64)>((4.0, 3.0))?, (-0.1875, 0.25));
    Ok(())
}

#[test]
fn what_is_not_solved_is_an_error() -> Result<()> {
    let by = |free: fn(Matrix, Vector) -> Vector| Program::trace(free);
    let with_cg = by(|m, b| cg(m, b, |m, x: Vector| m.matvec(x)))?;
    let with_bicgstab = by(|m, b| bicgstab(m, b, |m, x: Vector| m.matvec(x)))?;
    let few = KrylovOptions { steps: 3, ..KrylovOptions::default() };
    let short = Program::trace(move |m: Matrix, b: Vector| bicgstab_with(&few, m, b, |m, x: Vector| m.matvec(x)))?;
    let nan = f64::NAN;
    for (name, program, m, b, is) in [
        (
            "neither positive nor negative",
            &with_cg,
            [[0.0, 1.0], [1.0, 0.0]],
            [1.0, 0.0],
            "the residuals of what is solved",
        ),
        ("no number in the matrix", &with_cg, [[nan, 0.0], [0.0, 1.0]], [1.0, 1.0], "the residuals of what is solved"),
        (
            "no number at the right side",
            &with_cg,
            [[1.0, 0.0], [0.0, 1.0]],
            [nan, 1.0],
            "the residuals of what is solved",
        ),
        ("nothing but 0", &with_bicgstab, [[0.0, 0.0], [0.0, 0.0]], [1.0, 1.0], "the residuals of what is solved"),
        ("no number", &with_bicgstab, [[nan, 0.0], [0.0, 1.0]], [1.0, 1.0], "the residuals of what is solved"),
        ("a shift", &short, [[0.0, 1.0], [0.0, 0.0]], [1.0, 1.0], ""),
    ] {
        let compiled = program.compile()?;
        for error in [program.at::<Vec<f64>>((m, b)).unwrap_err(), compiled.at::<Vec<f64>>((m, b)).unwrap_err()] {
            assert!(matches!(error, Error::Sizes { .. } | Error::LoopBound { .. }), "{name}: {error}");
            assert!(error.to_string().starts_with(is), "{name}: {error}");
        }
    }
    assert!(matches!(with_cg.at::<Vec<f64>>(([[1.0, 0.0], [0.0, 1.0]], [1.0])), Err(Error::Sizes { .. })));
    // Maps are of their arguments alone.
    let captured = Program::trace(|a: F64, b: F64| cg(a, 1.0, move |a, x: F64| a * x + b * x)).unwrap_err();
    let Error::Trace { mistakes } = &captured else { panic!("{captured}") };
    let [Mistake::IllTyped { reason, .. }, ..] = &mistakes[..] else { panic!("{captured}") };
    assert!(reason.starts_with("of the equations that are solved"), "{reason}");
    Ok(())
}

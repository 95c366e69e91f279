//! Linear algebra of traced programs: factors, solutions and determinants, their derivatives, and what is refused.

mod rational;
mod svd;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64, eye, if_, iota};
use catadiff::execute::Lanes;
use catadiff::interpret::Value;
use catadiff::{Elementary, Error, Result};
use catadiff_laws::growth::Work;
use catadiff_laws::{Verdict, array_derivatives, executors};

type Matrix = Arr<Arr<F64>>;

/// Numbers between −1 and 1 that look random.
fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|k| (((k + 3) * 7919 * (seed + 5)) % 1009) as f64 / 504.5 - 1.0).collect()
}

fn reals(x: &Value<f64>) -> Vec<f64> {
    x.to_reals().expect("reals")
}

fn matrix(n: usize, m: usize, seed: usize) -> Value<f64> {
    Value::reals(&[n, m], numbers(n * m, seed)).unwrap()
}

fn vector(n: usize, seed: usize) -> Value<f64> {
    Value::reals(&[n], numbers(n, seed)).unwrap()
}

/// A positive definite matrix that is not symmetric, with eigenvalues of its symmetric part around 1.
fn definite(n: usize) -> Value<f64> {
    let apart = |i: usize, j: usize| (i as f64 - j as f64).abs() / 2.0;
    let element = |k: usize| (-apart(k / n, k % n)).exp() + numbers(1, k)[0] * 0.1 / n as f64;
    Value::reals(&[n, n], (0..n * n).map(element).collect::<Vec<f64>>()).unwrap()
}

/// A matrix whose diagonal outweighs the rest.
fn dominant(n: usize) -> Value<f64> {
    let mut elements = numbers(n * n, 11);
    (0..n).for_each(|i| elements[i * n + i] += (if i % 2 == 0 { 1.0 } else { -1.0 }) * (2.0 + n as f64 / 3.0));
    Value::reals(&[n, n], elements).unwrap()
}

/// The largest difference of two matrices that a program computes is small, on lanes, and by the interpreter if it has not much to do.
#[track_caller]
fn is_zero(program: &Program, arguments: &[Value<f64>], bound: f64) {
    let mut results = vec![program.compile().unwrap().run(arguments).unwrap()];
    if arguments[0].sizes()[0] <= 5 {
        results.push(program.run(arguments).unwrap());
    }
    for found in results {
        let largest = found.iter().flat_map(reals).fold(0.0, |largest: f64, x| largest.max(x.abs()));
        assert!(found.iter().flat_map(reals).all(f64::is_finite) && largest <= bound, "{largest}");
    }
}

/// The sizes that have no block, part of one, one, and more than one.
const SIZES: [usize; 6] = [0, 1, 2, 5, 32, 67];

#[test]
fn factors_multiply_to_the_matrix() -> Result<()> {
    let cholesky = Program::trace(|a: Matrix| {
        let l = a.cholesky();
        let above = l.map2(iota(l.len()), |row, i| row.drop(i + 1).sum());
        ((a + a.transpose()).map(|row| row.map(|x| x * 0.5)) - l.matmul(l.transpose()), above)
    })?;
    SIZES.iter().for_each(|n| is_zero(&cholesky, &[definite(*n)], 1e-14));
    Ok(())
}

#[test]
fn eliminated_matrices_are_products_of_triangles() -> Result<()> {
    let lu = Program::trace(|a: Matrix| {
        let lu = a.lu();
        a.gather(lu.rows()) - lu.lower().matmul(lu.upper())
    })?;
    let pivots = Program::trace(|a: Matrix| a.lu().lower().map(|row| row.map(|x| x.abs()).max()).max())?;
    for n in SIZES {
        // Without a heavy diagonal, so that rows change places.
        is_zero(&lu, &[matrix(n, n, 3)], 1e-14 * (n + 1) as f64);
        if n > 0 {
            assert_eq!(pivots.run(&[matrix(n, n, 3)])?, [1.0.into()]);
        }
    }
    Ok(())
}

#[test]
fn orthogonal_factors() -> Result<()> {
    let qr = Program::trace(|a: Matrix| {
        let (q, r) = a.qr();
        let below = r.map2(iota(r.len()), |row, i| row.take(i).sum());
        (q.matmul(r) - a, q.transpose().matmul(q) - eye::<F64>(r.len()), below)
    })?;
    for (m, n) in [(0, 0), (1, 1), (3, 0), (5, 3), (5, 5), (40, 35)] {
        let rows = reals(&dominant(m)).chunks(m.max(1)).flat_map(|row| row[..n].to_vec()).collect::<Vec<_>>();
        is_zero(&qr, &[Value::reals(&[m, n], rows)?], 1e-13);
    }
    // Nearly dependent columns are orthogonal after the second time.
    let near = Value::reals(&[3, 2], vec![1.0, 1.0, 1e-9, 0.0, 0.0, 1e-9])?;
    is_zero(&qr, &[near], 1e-15);
    let positive = Program::trace(|a: Matrix| a.qr().1.diagonal().min())?;
    assert!(reals(&positive.run(&[matrix(4, 4, 3)])?[0])[0] > 0.0);
    let dependent = Value::reals(&[3, 3], vec![1.0, 2.0, 0.0, 1.0, 2.0, 1.0, 1.0, 2.0, 5.0])?;
    let told = refused(&Program::trace(|a: Matrix| a.qr())?, &[dependent]);
    let columns = "the columns of a matrix and the first of them that are independent must agree, and are 3 and 1";
    assert!(told.contains(columns), "{told}");
    refused(&Program::trace(|a: Matrix| a.qr())?, &[matrix(2, 3, 3)]);
    Ok(())
}

#[test]
fn eigenvalues_and_eigenvectors() -> Result<()> {
    let eigh = Program::trace(|a: Matrix| {
        let (w, v) = a.eigh();
        let a = (a + a.transpose()).map(|row| row.map(|x| x * 0.5));
        let scaled = v.map(|row| row * w);
        let descents = w.drop(1).map2(w.take(w.len() - 1), |x, y| (y - x).max(0.0));
        (a.matmul(v) - scaled, v.transpose().matmul(v) - eye::<F64>(w.len()), descents)
    })?;
    for n in [1, 2, 3, 5, 16, 35] {
        is_zero(&eigh, &[dominant(n)], 1e-12);
        is_zero(&eigh, &[definite(n)], 1e-13);
    }
    is_zero(&eigh, &[Value::reals(&[3, 3], vec![2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0])?], 0.0);
    let values = Program::trace(|a: Matrix| a.eigh().0)?;
    assert_eq!(values.run::<f64>(&[Value::reals(&[0, 0], vec![])?])?, [Value::reals(&[0], vec![])?]);
    let nan = values.run(&[Value::reals(&[2, 2], vec![f64::NAN, 0.0, 0.0, 1.0])?])?;
    assert!(reals(&nan[0]).iter().any(|x| x.is_nan()));
    // The sum of the squares is that of the matrix, also where eigenvalues are equal.
    let squares = Program::trace(|a: Matrix| a.eigh().0.map(|w| w * w).sum())?;
    let slope: Vec<Vec<f64>> = squares.grad(..)?.at([vec![3.0, 0.0], vec![0.0, 3.0]])?;
    assert_eq!(slope, [[6.0, 0.0], [0.0, 6.0]]);
    Ok(())
}

/// The work is that of the reduction and of two sweeps for each eigenvalue.
#[test]
fn work_of_eigenvalues() -> Result<()> {
    let eigh = Program::trace(|a: Matrix| a.eigh())?;
    for n in [20, 40] {
        let Work([operations, ..]) = Work::of_derivative(&eigh, &[definite(n)])?;
        let relative = operations as f64 / n.pow(3) as f64;
        assert!(relative < 25.0, "{n}: {relative}");
    }
    Ok(())
}

#[test]
fn determinants() -> Result<()> {
    let det = Program::trace(|a: Matrix| (a.det(), a.slogdet()))?;
    let of = |rows: &[&[f64]]| -> Result<(f64, (f64, f64))> {
        let elements: Vec<f64> = rows.concat();
        let found = det.compile()?.run(&[Value::reals(&[rows.len(), rows.len()], elements)?])?;
        let [det, sign, log] = [0, 1, 2].map(|k: usize| reals(&found[k])[0]);
        Ok((det, (sign, log)))
    };
    assert_eq!(of(&[])?, (1.0, (1.0, 0.0)));
    assert_eq!(of(&[&[-3.0]])?.0, -3.0);
    assert_eq!(of(&[&[0.0, 2.0], &[4.0, 1.0]])?.0, -8.0);
    let (found, (sign, log)) =
        of(&[&[2.0, -1.0, 0.0, 3.0], &[1.0, 5.0, -2.0, 0.0], &[0.0, 4.0, 1.0, -1.0], &[7.0, 0.0, 2.0, 6.0]])?;
    assert!((found + 99.0).abs() < 1e-13 && sign == -1.0 && (log - 99_f64.ln()).abs() < 1e-14, "{found} {log}");
    // Three rows of rank 2: no pivot is left, and the last column of zeros has none.
    let (found, (sign, log)) = of(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], &[0.0, 1.0, 1.0]])?;
    assert_eq!((found, sign, log), (0.0, 0.0, f64::NEG_INFINITY));
    assert!(of(&[&[f64::NAN, 1.0], &[1.0, 1.0]])?.0.is_nan());
    // Hilbert's matrix of five rows has the determinant 1/266716800000.
    let hilbert: Vec<Vec<f64>> = (0..5).map(|i| (0..5).map(|j| 1.0 / f64::from(i + j + 1)).collect()).collect();
    let rows: Vec<&[f64]> = hilbert.iter().map(|row| &row[..]).collect();
    assert!((of(&rows)?.0 * 266_716_800_000.0 - 1.0).abs() < 1e-11);
    Ok(())
}

/// The derivative of the determinant is the adjugate, and of its logarithm the inverse of the transpose.
#[test]
fn derivatives_of_determinants() -> Result<()> {
    let det = Program::trace(|a: Matrix| a.det())?;
    let slope: Vec<Vec<f64>> = det.grad(..)?.at([vec![1.0, 2.0], vec![3.0, 4.0]])?;
    let wanted = [[4.0, -3.0], [-2.0, 1.0]];
    assert!(slope.iter().zip(wanted).all(|(row, wanted)| row.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-14)));
    let log = Program::trace(|a: Matrix| a.slogdet().1)?;
    let inverse = Program::trace(|a: Matrix| a.inverse().transpose())?;
    let at = [dominant(40)];
    let (found, wanted) = (log.grad(..)?.compile()?.run(&at)?, inverse.compile()?.run(&at)?);
    let error = reals(&found[0]).iter().zip(reals(&wanted[0])).fold(0.0, |e: f64, (x, y)| e.max((x - y).abs()));
    assert!(error < 1e-11, "{error}");
    Ok(())
}

#[test]
fn what_is_solved_solves() -> Result<()> {
    let lower = Program::trace(|a: Matrix, b: Matrix| {
        let n = iota(a.len());
        let l = a.map2(n, |row, i| row.map2(n, |x, j| if_(j.le(i), || x, || 0.0)));
        (l.matmul(a.solve_lower(b)) - b, l.transpose().matmul(a.transpose().solve_upper(b)) - b)
    })?;
    let any = Program::trace(|a: Matrix, b: Matrix| {
        let (lu, unit) = (a.lu(), eye::<F64>(a.len()));
        (a.matmul(a.solve(b)) - b, lu.inverse().matmul(a) - unit)
    })?;
    let factor = Program::trace(|a: Matrix, b: Matrix| {
        let symmetric = (a + a.transpose()).map(|row| row.map(|x| x * 0.5));
        symmetric.matmul(a.cholesky().cholesky_solve(b)) - b
    })?;
    let one = Program::trace(|a: Matrix, b: Arr<F64>| {
        let symmetric = (a + a.transpose()).map(|row| row.map(|x| x * 0.5));
        symmetric.matvec(a.cholesky().cholesky_solve(b)) - b
    })?;
    for n in SIZES {
        is_zero(&lower, &[dominant(n), matrix(n, 3, 2)], 1e-12);
        is_zero(&any, &[dominant(n), matrix(n, 3, 2)], 1e-12);
        is_zero(&factor, &[definite(n), matrix(n, 2, 2)], 1e-12);
        is_zero(&factor, &[definite(n), matrix(n, 0, 2)], 0.0);
        is_zero(&one, &[definite(n), vector(n, 2)], 1e-12);
    }
    Ok(())
}

/// The derivative of the logarithm of the determinant is the inverse.
#[test]
fn the_derivative_of_logdet_is_the_inverse() -> Result<()> {
    let logdet = Program::trace(|a: Matrix| a.logdet())?;
    let inverse = Program::trace(|a: Matrix| a.cholesky().cholesky_solve(eye(a.len())))?;
    for n in [1, 2, 40] {
        let at = [definite(n)];
        let found = logdet.grad(..)?.compile()?.run(&at)?;
        let (found, wanted) = (reals(&found[0]), reals(&inverse.run(&at)?[0]));
        assert!(found.iter().zip(&wanted).all(|(x, y)| (x - y).abs() < 1e-13), "{found:?}\n{wanted:?}");
    }
    assert!(logdet.at::<f64>([vec![2.0, 0.0], vec![0.0, 0.5]])?.abs() < 1e-15);
    Ok(())
}

/// Both modes, and second order, against dual numbers that go through the loops.
#[test]
fn derivatives_agree() -> Verdict {
    let trace = |program: Result<Program>| program.unwrap();
    let cholesky = trace(Program::trace(|a: Matrix| a.cholesky()));
    array_derivatives::at(&cholesky, [vec![definite(3)]])?;
    let solve = trace(Program::trace(|a: Matrix, b: Arr<F64>| a.solve_upper(b)));
    array_derivatives::at(&solve, [vec![dominant(2), vector(2, 1)]])?;
    let factor = trace(Program::trace(|a: Matrix, b: Matrix| a.cholesky_solve(b)));
    array_derivatives::at(&factor, [vec![dominant(2), matrix(2, 2, 1)]])?;
    let any = trace(Program::trace(|a: Matrix, b: Arr<F64>| a.solve(b)));
    array_derivatives::at(&any, [vec![matrix(3, 3, 3), vector(3, 1)]])?;
    let factors = trace(Program::trace(|a: Matrix| {
        let lu = a.lu();
        (lu.lower(), lu.upper())
    }));
    array_derivatives::at(&factors, [vec![matrix(2, 2, 3)]])?;
    array_derivatives::at(&trace(Program::trace(|a: Matrix| a.qr())), [vec![matrix(3, 2, 3)]])?;
    array_derivatives::at(&trace(Program::trace(|a: Matrix| a.eigh())), [vec![matrix(2, 2, 3)]])
}

/// Of more rows than a block has: forward mode is the difference quotient, reverse mode its transpose.
#[test]
fn derivatives_of_several_blocks() -> Result<()> {
    let process = Program::trace(|a: Matrix, b: Arr<F64>| {
        let l = a.cholesky();
        b.dot(l.cholesky_solve(b)) + l.map(|row| row.map(|x| (x * 3.0).sin()).sum()).sum()
    })?;
    let (a, b) = (definite(67), vector(67, 1));
    let (da, db) = (matrix(67, 67, 3), vector(67, 4));
    let along = |h: f64| {
        let step = |x: &Value<f64>, dx: &Value<f64>| {
            let moved = reals(x).into_iter().zip(reals(dx)).map(|(x, dx)| x + h * dx).collect::<Vec<f64>>();
            Value::reals(x.sizes(), moved).unwrap()
        };
        reals(&process.compile().unwrap().run(&[step(&a, &da), step(&b, &db)]).unwrap()[0])[0]
    };
    let h = 1e-5;
    let quotient = (along(h) - along(-h)) / (2.0 * h);
    let forward = process.jvp_wrt(..)?.compile()?.run(&[a.clone(), b.clone(), da.clone(), db.clone()])?;
    let forward = reals(&forward[1])[0];
    let gradient = process.grad(..)?.compile()?.run(&[a.clone(), b.clone()])?;
    let dot = |x: &Value<f64>, y: &Value<f64>| reals(x).into_iter().zip(reals(y)).map(|(x, y)| x * y).sum::<f64>();
    let reverse = dot(&gradient[0], &da) + dot(&gradient[1], &db);
    assert!((forward - quotient).abs() < 1e-7 * forward.abs(), "{forward} {quotient}");
    assert!((forward - reverse).abs() < 1e-12 * forward.abs(), "{forward} {reverse}");
    Ok(())
}

#[test]
fn executors_agree() -> Verdict {
    let batch = Program::trace(|a: Arr<Matrix>, b: Arr<F64>| a.map(|a| (a.cholesky().cholesky_solve(b), a.logdet())));
    let batch = batch.unwrap();
    let matrices = |n: usize| {
        let all: Vec<f64> = [definite(n), definite(n)].iter().flat_map(reals).collect();
        Value::reals(&[2, n, n], all).unwrap()
    };
    for n in [1, 4, 35] {
        executors::same(&Lanes, &batch, &[matrices(n), vector(n, 3)])?;
        for executor in executors::at_hand() {
            executors::same_if_supported(executor, &batch, &[matrices(n), vector(n, 3)])?;
        }
    }
    let gradient = Program::trace(|a: Arr<Matrix>, b: Arr<F64>| {
        a.map(|a| b.dot(a.cholesky().cholesky_solve(b)) + a.logdet()).sum()
    });
    let gradient = gradient.unwrap().grad(..).unwrap();
    for executor in executors::at_hand() {
        executors::same_if_supported(executor, &gradient, &[matrices(4), vector(4, 3)])?;
    }
    executors::same(&Lanes, &gradient, &[matrices(4), vector(4, 3)])
}

#[test]
fn single_precision() -> Result<()> {
    let logdet = Program::trace(|a: Arr<Arr<F32>>| a.logdet())?;
    let found: f32 = logdet.at([vec![4.0_f32, 2.0], vec![2.0, 10.0]])?;
    assert!((found - 36_f32.ln()).abs() < 1e-6, "{found}");
    Ok(())
}

/// What a run of the program is refused with, by the interpreter and on lanes alike.
#[track_caller]
fn refused(program: &Program, arguments: &[Value<f64>]) -> String {
    let error = |found: Result<Vec<Value<f64>>>| match found.unwrap_err() {
        error @ Error::Sizes { .. } => error.to_string(),
        other => panic!("{other}"),
    };
    let first = error(program.run(arguments));
    let lanes = error(program.compile().unwrap().run(arguments));
    assert_eq!(first.lines().next(), lanes.lines().next());
    first
}

#[test]
fn what_has_no_factor_is_refused() -> Result<()> {
    let cholesky = Program::trace(|a: Matrix| a.cholesky())?;
    let square = |elements: &[f64]| {
        let n = elements.len().isqrt();
        Value::reals(&[n, n], elements.to_vec()).unwrap()
    };
    let part = "the rows of a matrix and of its leading part that is positive definite must agree, and are";
    let indefinite = [4.0, 2.0, 0.0, 2.0, 5.0, 6.0, 0.0, 6.0, 8.0];
    for program in [&cholesky, &cholesky.vjp_wrt(..)?.simplified(), &cholesky.simplified()] {
        let mut arguments = vec![square(&indefinite)];
        if program.function().params.len() == 2 {
            arguments.push(square(&indefinite));
        }
        let told = refused(program, &arguments);
        assert!(told.contains(&format!("{part} 3 and 2")), "{told}");
    }
    for wrong in [[0.0, 0.0, 0.0, 0.0], [f64::NAN, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0]] {
        let told = refused(&cholesky, &[square(&wrong)]);
        assert!(told.contains(&format!("{part} 2 and 0")), "{told}");
    }
    let told = refused(&cholesky, &[matrix(2, 3, 1)]);
    assert!(told.contains("the rows and the columns of a square matrix must agree, and are 2 and 3"), "{told}");
    let solve = Program::trace(|a: Matrix, b: Arr<F64>| a.solve_lower(b))?;
    let told = refused(&solve, &[square(&[1.0, 0.0, 5.0, 0.0]), vector(2, 1)]);
    assert!(told.contains("the rows of a matrix and its pivots that are not 0 must agree, and are 2 and 1"), "{told}");
    let any = Program::trace(|a: Matrix, b: Arr<F64>| a.solve(b))?;
    let told = refused(&any, &[square(&[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, 1.0]), vector(3, 1)]);
    assert!(told.contains("the rows of a matrix and its pivots that are not 0 must agree, and are 3 and 2"), "{told}");
    let told = refused(&solve, &[dominant(3), vector(2, 1)]);
    let sides = "the rows of a matrix and of the right side of its equations must agree, and are 3 and 2";
    assert!(told.contains(sides), "{told}");
    Ok(())
}

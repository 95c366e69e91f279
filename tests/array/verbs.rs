//! The verbs on array programs: against the verbs of the scalar layer, against each other, and what they refuse.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64, I64, custom};
use catadiff::derivative::Compression;
use catadiff::interpret::Value;
use catadiff::transform::Wrt;
use catadiff::{Elementary, Error, Real, Result};
use catadiff_laws::{ArrayProgram, Verdict, array_verbs, for_all};

#[test]
fn jacobians_by_columns_and_rows() -> Verdict {
    for_all(|p: ArrayProgram| array_verbs::jacobians(&p))
}

#[test]
fn sparse_jacobians() -> Verdict {
    for_all(|p: ArrayProgram| array_verbs::sparse(&p))
}

#[test]
fn hessians() -> Verdict {
    for_all(|p: ArrayProgram| array_verbs::hessians(&p))
}

/// Numbers of both layers.
fn energy<R: Real>(x: &[R]) -> R {
    x.windows(2).map(|x| (x[0] * x[1]).sin() + x[1].exp() * x[0].powi(3)).fold(R::zero(), |a, b| a + b)
}

/// The same as an array program.
fn energy_of_arrays() -> Result<Program> {
    Program::trace_named(&["x"], |x: Arr<F64>| {
        let n = x.len();
        x.take(n - 1).map2(x.drop(1), |a, b| (a * b).sin() + b.exp() * a.powi(3)).sum()
    })
}

const AT: [f64; 4] = [0.3, -0.4, 1.1, 0.7];

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * b.abs().max(1.0)), "{a:?} is not {b:?}");
}

#[test]
fn the_verbs_are_those_of_the_scalar_layer() -> Result<()> {
    let program = energy_of_arrays()?;
    let (value, gradient): (f64, Vec<f64>) = program.value_and_grad(..)?.at(AT)?;
    let expected = catadiff::value_and_grad(|x| energy(x), &AT)?;
    close(&[value], &[expected.0]);
    close(&gradient, &expected.1);
    assert_eq!(program.grad("x")?.at::<Vec<f64>>(AT)?, gradient);
    let v = [1.0, -2.0, 0.5, 3.0];
    close(&program.hvp("x")?.at::<Vec<f64>>((AT, v))?, &catadiff::hvp(|x| energy(x), &AT, &v)?.1);
    let hessian: Vec<Vec<f64>> = program.hessian("x")?.at(AT)?;
    close(&hessian.concat(), &catadiff::hessian(|x| energy(x), &AT)?.concat());
    let sparse = program.sparse_hessian("x", AT)?;
    let of_scalars = catadiff::sparse_hessian(|x| energy(x), &AT)?;
    assert_eq!(sparse.pattern, of_scalars.pattern);
    close(&sparse.values, &of_scalars.values);
    close(&sparse.to_dense().concat(), &hessian.concat());
    // A program is a function of the scalar layer too.
    let by_tape = catadiff::grad(
        |x| program.run(&[Value::reals(&[4], x.to_vec()).unwrap()]).unwrap()[0].to_reals().unwrap()[0],
        &AT,
    )?;
    close(&gradient, &by_tape);
    Ok(())
}

/// A matrix, a vector and a number, to a matrix and a number.
fn mixed() -> Result<Program> {
    Program::trace_named(&["a", "x", "n", "s"], |a: Arr<Arr<F64>>, x: Arr<F64>, n: I64, s: F64| {
        let scaled = a.map(|row| (row * x).map(|y| (y * s).tanh()));
        (scaled, (a.matvec(x).sum() * n.to_f64() + s).powi(2))
    })
}

type Matrix = Vec<Vec<f64>>;

#[test]
fn shapes_are_those_of_result_and_parameter() -> Result<()> {
    let program = mixed()?;
    let at = ([[1.0, 2.0, 3.0], [0.5, 0.1, -0.2]], [0.3, 0.2, -0.1], 2_i64, 0.9);
    let by_columns: Vec<Value<f64>> = program.jacfwd(..)?.at(at)?;
    let by_rows: Vec<Value<f64>> = program.jacrev(..)?.at(at)?;
    let sizes: Vec<&[usize]> = by_rows.iter().map(Value::sizes).collect();
    assert_eq!(sizes, [&[2, 3, 2, 3][..], &[2, 3, 3], &[2, 3], &[2, 3], &[3], &[]]);
    for (columns, rows) in by_columns.iter().zip(&by_rows) {
        assert_eq!(columns.sizes(), rows.sizes());
        close(&columns.to_reals().unwrap(), &rows.to_reals().unwrap());
    }
    // In the order in which they are said, by name or position.
    let (ds, dx): (f64, [f64; 3]) = program.only(&[1])?.grad(["s", "x"])?.at(at)?;
    close(&[ds], &by_rows[5].to_reals().unwrap());
    close(&dx, &by_rows[4].to_reals().unwrap());
    assert_eq!(program.jacobian(["s", "x"])?, program.jacobian([3, 1])?);
    // A second derivative by different parameters is a block.
    let blocks: (f64, Vec<f64>, Vec<f64>, Matrix) = program.only(&[1])?.hessian(["s", "x"])?.at(at)?;
    close(&blocks.1, &blocks.2);
    let mixed: Matrix = program.only(&[1])?.grad("x")?.jacobian("x")?.at(at)?;
    close(&blocks.3.concat(), &mixed.concat());
    Ok(())
}

#[test]
fn verbs_nest_in_any_mix() -> Result<()> {
    let program = energy_of_arrays()?;
    let hessian: Matrix = program.hessian("x")?.at(AT)?;
    let gradient = program.grad("x")?;
    for derivative in [gradient.jacfwd("x")?, gradient.jacrev("x")?, program.jacfwd("x")?.jacrev("x")?] {
        derivative.verify()?;
        close(&derivative.at::<Matrix>(AT)?.concat(), &hessian.concat());
    }
    // Third derivatives, as the Hessian of the gradient along a vector and as the Jacobian of a Hessian.
    let v = [1.0, -2.0, 0.5, 3.0];
    let third: Vec<Matrix> = program.hessian("x")?.jacobian("x")?.at(AT)?;
    let along: Matrix = program.hvp("x")?.jacobian("x")?.at((AT, v))?;
    let contracted: Vec<f64> = third.iter().flatten().map(|row| row.iter().zip(&v).map(|(a, v)| a * v).sum()).collect();
    close(&along.concat(), &contracted);
    // The tangent of a derivative is a parameter like any other.
    let back: Matrix = program.hvp("x")?.jacobian("tangent_x")?.at((AT, v))?;
    close(&back.concat(), &hessian.concat());
    Ok(())
}

#[test]
fn forward_and_reverse_mode_by_some_parameters() -> Result<()> {
    let program = mixed()?.only(&[1])?;
    let (a, x, n, s) = ([[1.0, 2.0]], [0.3, 0.2], 2_i64, 0.9);
    let gradient: (Matrix, [f64; 2], f64) = program.grad(..)?.at((a, x, n, s))?;
    let (value, slope): (f64, f64) = program.jvp_wrt(["x", "s"])?.at((a, x, n, s, [1.0, 0.0], 1.0))?;
    close(&[slope], &[gradient.1[0] + gradient.2]);
    let (again, adjoint): (f64, f64) = program.vjp_wrt("s")?.at((a, x, n, s, 10.0))?;
    close(&[again, adjoint], &[value, 10.0 * gradient.2]);
    Ok(())
}

#[test]
fn arrays_without_elements() -> Result<()> {
    let program = energy_of_arrays()?.grad("x")?;
    let scaled = Program::trace(|x: Arr<F64>, y: Arr<Arr<F64>>| (x * x, y * 2.0))?;
    let none: [f64; 0] = [];
    let blocks: Vec<Value<f64>> = scaled.jacfwd(..)?.at((none, [[1.0, 2.0]]))?;
    let rows: Vec<Value<f64>> = scaled.jacrev(..)?.at((none, [[1.0, 2.0]]))?;
    let sizes = |values: &[Value<f64>]| values.iter().map(|v| v.sizes().to_vec()).collect::<Vec<_>>();
    assert_eq!(sizes(&blocks), [vec![0, 0], vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 1, 2]]);
    assert_eq!(sizes(&rows), sizes(&blocks));
    // One element has no neighbour, so nothing is summed.
    assert_eq!(program.at::<Vec<f64>>([5.0])?, [0.0]);
    assert!(matches!(scaled.sparse_jacobian(0, (none, [[1.0]])), Err(Error::Empty { .. })));
    assert!(scaled.only(&[0])?.sparse_jacobian(1, (none, [[1.0]]))?.values.is_empty());
    Ok(())
}

#[test]
fn sparse_derivatives_are_the_dense_ones() -> Result<()> {
    // An arrow, whose first row and column are full: rows and columns need many colours, and a Hessian two.
    let arrow = Program::trace(|x: Arr<F64>| (x * x.first()).sum().sin() + (x * x * x).sum())?;
    let x = [0.3, 0.1, 0.7, -0.4, 0.2];
    let prepared = arrow.prepare_hessian(.., x)?;
    assert_eq!(prepared.colouring().count(), 5, "the sine of the sum makes it full");
    let arrow = Program::trace(|x: Arr<F64>| (x * x.first()).sum() + (x * x * x).sum())?;
    let prepared = arrow.prepare_hessian(.., x)?;
    assert_eq!((prepared.colouring().count(), prepared.pattern().len()), (2, 13));
    let y = [1.0, 2.0, 3.0, 4.0, 5.0];
    let (gradient, hessian): (Vec<f64>, _) = prepared.values_at(y)?;
    assert_eq!(gradient, arrow.grad(..)?.at::<Vec<f64>>(y)?);
    assert_eq!(hessian.to_dense(), arrow.hessian(..)?.at::<Matrix>(y)?);

    // By columns, by rows, and of several results and parameters.
    let wide = Program::trace(|x: Arr<F64>| x.unflatten(x.len() / 4, 4).map(|row| row.map(|y| y.exp()).product()))?;
    let tall = Program::trace(|x: Arr<F64>| (x.map(|x| x.sin()), x.map(|x| x.cos())))?;
    let x: Vec<f64> = (0..12).map(|k| 0.1 * f64::from(k)).collect();
    for (program, compression) in [(&wide, Compression::Rows), (&tall, Compression::Columns)] {
        let prepared = program.prepare_jacobian(.., &x)?;
        assert_eq!((prepared.compression(), prepared.colouring().count()), (compression, 1));
        prepared.program().verify()?;
        let dense: Vec<Value<f64>> = program.jacobian(..)?.at(&x)?;
        let dense: Vec<f64> = dense.iter().flat_map(|block| block.to_reals().unwrap()).collect();
        close(&prepared.at(&x)?.to_dense().concat(), &dense);
    }
    // Compiled, and in another precision.
    let singles = Program::trace(|x: Arr<F32>| (x.map(|x| x.sin()), x * x.reverse()))?;
    let x: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let prepared = singles.prepare_jacobian(.., &x)?;
    let interpreted = prepared.at(&x)?;
    let compiled = prepared.compile()?;
    assert_eq!(compiled.prepared().colouring().count(), 2);
    let (values, found): ((Vec<f32>, Vec<f32>), _) = compiled.values_at(&x)?;
    assert_eq!((&values.1[..2], found.pattern.len()), (&[x[0] * x[11], x[1] * x[10]][..], 36));
    assert_eq!(found.pattern, interpreted.pattern);
    close(&found.values, &interpreted.values);
    assert!(matches!(compiled.at([0.0_f32]), Err(Error::Length { expected: 12, found: 1, .. })));
    let two = Program::trace(|x: Arr<F64>, y: F64| (x * y, x.first()))?;
    let found = two.sparse_jacobian(.., ([2.0, 3.0], 5.0))?;
    assert_eq!(found.to_dense(), [[5.0, 0.0, 2.0], [0.0, 5.0, 3.0], [1.0, 0.0, 0.0]]);
    Ok(())
}

#[test]
fn patterns_hold_wherever_they_are_used() -> Result<()> {
    // What is not differentiated by is kept, so that its zeros can be used.
    let f = Program::trace_named(&["a", "x"], |a: Arr<Arr<F64>>, x: Arr<F64>| a.matvec(x * x))?;
    let prepared = f.prepare_jacobian("x", ([[1.0, 0.0], [0.0, 2.0]], [0.0, 0.0]))?;
    assert_eq!(prepared.at([3.0, 5.0])?.iter().collect::<Vec<_>>(), [(0, 0, 6.0), (1, 1, 20.0)]);
    assert!(matches!(prepared.at([1.0, 2.0, 3.0]), Err(Error::Length { expected: 2, found: 3, .. })));
    assert!(matches!(prepared.at(1.0), Err(Error::Length { expected: 1, found: 0, .. })));
    assert!(matches!(prepared.at(([1.0, 2.0], [1.0, 2.0])), Err(Error::Length { expected: 1, found: 2, .. })));
    assert!(matches!(prepared.at([1_i64, 2]), Err(Error::Argument { .. })));
    let alone = f.prepare_jacobian("x", [[1.0, 0.0], [0.0, 2.0]]);
    assert!(matches!(alone, Err(Error::Length { expected: 2, found: 1, .. })));
    // A decision on data is one, and on what is differentiated by has no answer for all values.
    let relu = Program::trace_named(&["a", "x"], |a: Arr<F64>, x: Arr<F64>| {
        a.map2(x, |a, x| catadiff::array::trace::if_(a.gt(F64::from(0.0)), || x * x, || F64::from(0.0)))
    })?;
    assert_eq!(relu.sparse_jacobian("x", ([1.0, -1.0], [3.0, 3.0]))?.to_dense(), [[6.0, 0.0], [0.0, 0.0]]);
    assert!(matches!(relu.sparse_jacobian("a", ([1.0, -1.0], [3.0, 3.0])), Err(Error::Undecided { .. })));
    // Nor has one on what has no derivative but changes.
    let steps = Program::trace(|x: F64| {
        catadiff::array::trace::if_(x.floor().gt(F64::from(0.0)), || x * x, || F64::from(0.0))
    })?;
    assert!(matches!(steps.sparse_jacobian(0, 3.0), Err(Error::Undecided { .. })));
    Ok(())
}

#[test]
fn patterns_honour_derivatives_of_ones_own() -> Result<()> {
    // A step function whose derivative is said to be 1: its value depends on nothing, its derivative does.
    let spike = Program::trace(|x: Arr<F64>| x.map(|x| custom(x, |x| x.floor(), |_, adjoint| adjoint) * 3.0))?;
    let dense: Matrix = spike.jacobian(..)?.at([0.5, 1.5])?;
    assert_eq!(dense, [[3.0, 0.0], [0.0, 3.0]]);
    assert_eq!(spike.sparse_jacobian(.., [0.5, 1.5])?.to_dense(), dense);
    Ok(())
}

#[test]
fn what_cannot_be_differentiated_is_refused() -> Result<()> {
    let program = mixed()?;
    let reason = |error: Result<Program>| error.unwrap_err().to_string();
    assert_eq!(
        reason(program.grad(..)),
        "a program with the results ([][]f64, f64) cannot be differentiated: a gradient is of one real scalar: take the \
         Jacobian, or choose a result with `only`"
    );
    let one = program.only(&[1])?;
    assert_eq!(
        reason(one.grad("b")),
        "cannot differentiate with respect to `b`: no such parameter; the parameters are a, x, n, s"
    );
    assert_eq!(
        reason(one.grad(7)),
        "cannot differentiate with respect to `7`: no such parameter; the parameters are a, x, n, s"
    );
    assert_eq!(
        reason(one.jacobian(["x", "n"])),
        "cannot differentiate with respect to `n`: it is of type i64, and only parameters of type f16, f32 or f64, and arrays of such, \
         have derivatives"
    );
    assert_eq!(reason(one.hvp([1, 1])), "cannot differentiate with respect to `x`: it is named twice");
    assert!(matches!(one.grad(Wrt::Names(Vec::new())), Err(Error::Empty { .. })));
    let twice = one.jvp()?.jvp()?;
    assert_eq!(
        reason(twice.jacobian("tangent_x")),
        "cannot differentiate with respect to `tangent_x`: two parameters have this name: say which by its position, 5 or 9"
    );
    let counts = Program::trace(|n: I64| n * n)?;
    assert!(matches!(counts.jacobian(..), Err(Error::Empty { .. })));
    let argmin = Program::trace(|x: Arr<F64>| x.argmin())?;
    assert!(matches!(argmin.grad(..), Err(Error::NotDifferentiable { .. })));
    assert_eq!(
        reason(argmin.jacfwd(..)),
        "result 0, of type i64, cannot be differentiated: a Jacobian is of real results: leave the others out with `only`"
    );
    assert!(matches!(argmin.prepare_jacobian(.., [1.0]), Err(Error::NotDifferentiable { .. })));
    assert!(matches!(one.only(&[1]), Err(Error::TooLarge { .. })));
    // Sizes are a matter of the run, also in a derivative.
    let gradient = one.grad("x")?;
    assert!(matches!(gradient.at::<Vec<f64>>(([[1.0]], [1.0, 2.0], 1_i64, 1.0)), Err(Error::Sizes { .. })));
    Ok(())
}

#[test]
fn arguments_are_plain_numbers() -> Result<()> {
    let sum = Program::trace(|a: Arr<Arr<F64>>, n: I64| (a.map(|row| row.sum()).sum(), n, n.eq(I64::from(2))))?;
    let rows = vec![vec![1.0, 2.0], vec![3.0, 4.0]];
    let slices: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let value = Value::reals(&[2, 2], [1.0, 2.0, 3.0, 4.0])?;
    let expected = (10.0, 2_i64, true);
    assert_eq!(sum.at::<(f64, i64, bool)>((&rows, 2_i64))?, expected);
    assert_eq!(sum.at::<(f64, i64, bool)>((&rows[..], &2_usize))?, expected);
    assert_eq!(sum.at::<(f64, i64, bool)>((slices, 2_usize))?, expected);
    assert_eq!(sum.at::<(f64, i64, bool)>(([[1.0, 2.0], [3.0, 4.0]], 2_usize))?, expected);
    assert_eq!(sum.at::<(f64, i64, bool)>((&value, 2_usize))?, expected);
    assert_eq!(sum.at::<(f64, i64, bool)>(&[value.clone(), 2_i64.into()])?, expected);
    assert_eq!(sum.at::<Vec<Value<f64>>>((value, 2_usize))?.len(), 3);
    let call = |rows: Vec<Vec<f64>>| sum.at::<(f64, i64, bool)>((rows, 2_usize));
    assert_eq!(call(Vec::new())?.0, 0.0);
    let ragged = call(vec![vec![1.0], vec![1.0, 2.0]]).unwrap_err();
    assert!(matches!(&ragged, Error::Argument { name, .. } if name == "x0"), "{ragged}");
    assert!(matches!(sum.at::<(f64, i64, bool)>(&rows), Err(Error::Length { expected: 2, found: 1, .. })));
    assert_eq!(sum.at::<(f64, i64, bool)>((&rows, 2))?, expected);
    let error = sum.at::<(f64, i64, bool)>((&rows, 2.0)).unwrap_err().to_string();
    assert_eq!(error, "the argument `x1` is f64 where i64 is needed");
    let mixed = sum.at::<(f64, i64, bool)>(([[1, 2]], 2)).unwrap_err().to_string();
    assert_eq!(mixed, "the argument `x0` is [][]i32 where [][]f64 is needed");
    let picked = Program::trace(|x: Arr<F64>, at: Arr<I64>| x.gather(at))?;
    assert_eq!(picked.at::<[f64; 2]>(([1.0, 2.0, 3.0], [2, 0]))?, [3.0, 1.0]);
    let error = sum.at::<(f64, i64, bool)>((&rows[0], 2_i64)).unwrap_err().to_string();
    assert_eq!(error, "the argument `x0` is []f64 where [][]f64 is needed");
    Ok(())
}

#[test]
fn results_are_plain_numbers() -> Result<()> {
    let table = Value::<f64>::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    let rows: [[f64; 3]; 2] = (&table).try_into()?;
    assert_eq!(Value::<f64>::new(rows)?, table);
    assert_eq!(<Vec<[f64; 3]>>::try_from(&table)?, rows);
    let wrong = <[[f64; 2]; 2]>::try_from(&table);
    assert_eq!(wrong.unwrap_err(), Error::Length { what: "the value of an array", expected: 2, found: 3 });
    let mismatch = |found: Result<f64>| found.unwrap_err().to_string();
    assert_eq!(mismatch(table.try_into()), "the value is [][]f64 where f64 is asked for");
    assert_eq!(mismatch(Value::from(2_i64).try_into()), "the value is i64 where f64 is asked for");
    assert_eq!(f32::try_from(Value::<f32>::from(0.1_f32))?, 0.1_f32);
    // What is empty is of every kind, and need not be of a size that fits into memory.
    assert_eq!(<Vec<i64>>::try_from(Value::<f64>::new([0.0; 0])?)?, []);
    let endless = Value::<f64>::array(&[1 << 40, 0], Vec::new())?;
    assert!(matches!(<Vec<Vec<f64>>>::try_from(endless), Err(Error::TooLarge { .. })));
    let sum = Program::trace(|x: Arr<F64>| x.sum())?;
    assert!(matches!(sum.at::<(f64, f64)>([1.0]), Err(Error::Length { expected: 1, found: 2, .. })));
    Ok(())
}

/// What is rounded is constant where it is a real again, as it is to dual numbers and on the tape.
#[test]
fn reals_that_are_rounded_are_constants() -> Result<()> {
    let interpolated = Program::trace(|x: F64, table: Arr<F64>| {
        let i = x.to_i64();
        let weight = x - i.to_f64();
        table.index(i) * (1.0 - weight) + table.index(i + 1) * weight
    })?;
    assert_eq!(interpolated.grad("x0")?.at::<f64>((1.5, [0.0, 1.0, 4.0]))?, 3.0);

    let switched = Program::trace(|x: F64| x * x.to_bool().to_f64() + x * x.to_i32().to_f64())?;
    assert_eq!(switched.grad(..)?.at::<f64>(2.5)?, 3.0);
    assert_eq!(switched.jvp()?.at::<(f64, f64)>((2.5, 10.0))?.1, 30.0);
    assert_eq!(switched.hessian(..)?.at::<f64>(2.5)?, 0.0);
    Ok(())
}

/// An integer parameter that is differentiated by goes on into reals, and a rounded real into integers.
#[test]
fn integers_that_are_differentiated_by_are_not() -> Result<()> {
    let product = Program::trace(|x: F64, n: I64| (x * n.to_f64(), x.to_i64()))?;
    let pushed = product.jvp()?.at::<(f64, i64, f64, i64)>((2.5, 3, 1.0, 2))?;
    assert_eq!(pushed, (7.5, 2, 3.0 + 5.0, 1));
    Ok(())
}

#[test]
fn programs_beside_each_other_take_the_same_parameters() -> Result<()> {
    let square = Program::trace_named(&["x"], |x: F64| x * x)?;
    let both = square.jvp()?.beside(&square)?;
    assert_eq!(both.names(), ["x", "tangent_x"]);
    assert_eq!(both.at::<(f64, f64, f64)>((3.0, 1.0))?, (9.0, 6.0, 9.0));
    // It does not matter which of them takes more, and what both compute is there once.
    let swapped = square.beside(&square.jvp()?)?;
    assert_eq!((swapped.names(), swapped.statements()), (both.names(), both.statements()));
    assert_eq!(both.statements(), square.jvp()?.statements());
    let sum = Program::trace(|x: Arr<F64>| x.sum())?;
    let error = square.beside(&sum).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the parameter `x0` of the other program is of type []f64 where type f64 is asked for"
    );
    Ok(())
}

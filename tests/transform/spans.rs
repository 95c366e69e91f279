//! Errors say where: the line of the closure whose statement it is, in what is made of the program too.

use catadiff::array::trace::{
    Arr, F64, I64, custom, hist, if_, iota, literal, loop_for, loop_while_with, replicate, tabulate,
};
use catadiff::array::{Op, Policy, Program, Stm, Vars};
use catadiff::interpret::Value;
use catadiff::{Error, Place, Result, Span};
use catadiff_laws::{ArrayProgram, Verdict, for_all, spans};

#[test]
fn places_and_errors_of_random_programs_are_kept() -> Verdict {
    for_all(|p: ArrayProgram| spans::kept(&p))
}

#[test]
fn a_lost_place_is_found() -> Verdict {
    for_all(|p: ArrayProgram| spans::told_from_lost(&p))
}

fn reals(n: usize) -> Value<f64> {
    Value::reals(&[n], (0..n).map(|k| k as f64 + 1.0)).expect("as many as said")
}

fn matrix(rows: usize, columns: usize) -> Value<f64> {
    Value::reals(&[rows, columns], (0..rows * columns).map(|k| k as f64)).expect("as many as said")
}

/// The line of this file that an error names.
fn line_of(error: &Error) -> u32 {
    match error.span().place() {
        Some(Place::Call(at)) if at.file() == file!() => at.line(),
        other => panic!("{other:?} in {error}"),
    }
}

/// A run of the program, interpreted, compiled and simplified, and of its derivatives, is an error of this line; that of a
/// gradient may be in the derivative of another.
fn is_of_line(program: &Program, arguments: &[Value<f64>], line: u32) -> Result<()> {
    for made in [program.clone(), program.simplified()] {
        for error in [made.run(arguments).unwrap_err(), made.compile()?.run(arguments).unwrap_err()] {
            assert_eq!(line_of(&error), line, "{error}\n{made}");
        }
    }
    let real = |k: &usize| program.type_of(program.function().params[*k]).prim.is_real();
    let of: Vec<usize> = (0..arguments.len()).filter(real).collect();
    if of.is_empty() {
        return Ok(());
    }
    let tangents = of.iter().map(|k| arguments[*k].clone());
    let all: Vec<Value<f64>> = arguments.iter().cloned().chain(tangents).collect();
    let jvp = program.jvp_wrt(&of[..])?;
    let error = jvp.run(&all).unwrap_err();
    assert_eq!(line_of(&error), line, "{error}\n{jvp}");
    let gradient = program.grad(&of[..])?;
    let sizes = matches!(program.run(arguments), Err(Error::Sizes { .. }));
    for found in [gradient.run(arguments), gradient.compile()?.run(arguments)] {
        match found {
            // What a rule made may meet the sizes first.
            Err(error) => assert!(line_of(&error) == line || error.span().in_derivative(), "{error}\n{gradient}"),
            // What no gradient needs is not read.
            Ok(_) => assert!(!sizes, "{gradient}"),
        }
    }
    Ok(())
}

/// What goes wrong, and the line of the statement within the closure that is made there.
#[test]
fn every_method_tells_its_line() -> Result<()> {
    let two = || [reals(2), reals(3)];
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let z = x * 2.0;
        (z - y).sum()
    })?;
    is_of_line(&program, &two(), line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let mut z = x;
        z *= y;
        z.sum()
    })?;
    is_of_line(&program, &two(), line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let shifted = x + 1.0;
        shifted.dot(y)
    })?;
    is_of_line(&program, &two(), line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let pairs = x.zip(y);
        let products = pairs.map(|(x, y)| x * y);
        products.sum()
    })?;
    is_of_line(&program, &two(), line + 3)?;
    let line = line!();
    let program = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| {
        let b = b * b;
        a.matmul(b).sum().sum()
    })?;
    is_of_line(&program, &[matrix(2, 3), matrix(2, 3)], line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, i: I64| {
        let squares = x * x;
        let element = squares.index(i);
        element * 2.0
    })?;
    is_of_line(&program, &[reals(3), 3_i64.into()], line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>| {
        let y = x.map(|v| v * v);
        let window = y.slice(1, 5);
        window.sum()
    })?;
    is_of_line(&program, &[reals(3)], line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>| {
        let doubled = x + x;
        doubled.with(7, 1.0).sum()
    })?;
    is_of_line(&program, &[reals(3)], line + 3)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>| {
        let rows = x.unflatten(2, 2);
        rows.sum().sum()
    })?;
    is_of_line(&program, &[reals(3)], line + 2)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, at: Arr<I64>| {
        let picked = x.gather(at);
        picked.sum()
    })?;
    is_of_line(&program, &[reals(3), Value::new([0_i64, 3])?], line + 2)?;
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, at: Arr<I64>| {
        let bins = hist(3, 0.0, at, x, |a, b| a + b);
        bins.sum()
    })?;
    is_of_line(&program, &[reals(3), Value::new([0_i64, 1])?], line + 2)?;
    let line = line!();
    let program = Program::trace(|x: F64, n: I64, m: I64| {
        let k = n / m;
        x * k.to_f64()
    })?;
    is_of_line(&program, &[2.0.into(), 1_i64.into(), 0_i64.into()], line + 2)?;
    let line = line!();
    let program = Program::trace(|x: F64, n: I64| {
        let all = replicate(n, x);
        all.sum() + iota(n).map(|i| i.to_f64()).sum()
    })?;
    let error = program.run::<f64>(&[2.0.into(), (-1_i64).into()]).unwrap_err();
    assert_eq!(line_of(&error), line + 2, "{error}");
    Ok(())
}

/// A statement inside of closures in closures has its own line, and an operation that is made of others that of its call.
#[test]
fn closures_in_closures() -> Result<()> {
    let line = line!();
    let program = Program::trace(|x: Arr<F64>, n: I64| {
        let far = loop_for(n, 0.0, |i, sum| {
            let term = if_(i.lt(2), || x.index(i), || x.index(i + 10));
            sum + term
        });
        far * 2.0
    })?;
    is_of_line(&program, &[reals(3), 5_i64.into()], line + 3)?;

    let line = line!();
    let program = Program::trace(|x: Arr<F64>| {
        let rows = tabulate(3, |i| {
            let row = x.range(i, 2, 1);
            row * literal([1.0, 2.0, 3.0])
        });
        rows.sum().sum()
    })?;
    is_of_line(&program, &[reals(4)], line + 4)?;

    let line = line!();
    let program = Program::trace(|x: F64| {
        let start = x;
        loop_while_with(Policy::default(), 3, start, |x| x.lt(100.0), |x| x * 1.5)
    })?;
    is_of_line(&program, &[1.0.into()], line + 3)
}

/// A program that is called keeps the lines of its own closure.
#[test]
fn called_programs() -> Result<()> {
    let line = line!();
    let distance = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let d = x - y;
        d.dot(d)
    })?;
    let program = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
        let half: F64 = distance.call((x, y));
        half * 0.5
    })?;
    is_of_line(&program, &[reals(2), reals(3)], line + 2)
}

/// Where a rule of differentiation made the statement, the message says so: a pullback here has not the size of its argument.
#[test]
fn statements_of_rules_are_told() -> Result<()> {
    let line = line!();
    let program = Program::trace(|x: Arr<F64>| {
        let total = custom(x, |x| x.sum(), |x, adjoint| x.take(1) * adjoint);
        total * 2.0
    })?;
    assert_eq!(program.run(&[reals(3)])?, [6.0.into()].map(|x: Value<f64>| x.map(|x| 2.0 * x)));
    for derivative in [program.grad(..)?, program.grad(..)?.simplified()] {
        let error = derivative.run(&[reals(3)]).unwrap_err();
        assert_eq!((line_of(&error), error.span().in_derivative()), (line + 2, true), "{error}");
        let (file, line) = (file!(), line + 2);
        let told = format!(
            "must agree, and are 3 and 1\n  in the derivative of the statement at {file}:{line}:21\n  in: let "
        );
        assert!(error.to_string().contains(&told), "{error}");
    }
    Ok(())
}

/// Spans are no part of what a program means.
#[test]
fn programs_of_different_places_are_equal() -> Result<()> {
    let (one, other) = (Program::trace(|x: F64| x * x)?, Program::trace(|x: F64| x * x)?);
    assert_eq!(one, other);
    assert_ne!(one.function().body.stms[0].span, other.function().body.stms[0].span);
    assert_eq!(Program::parse(&one.to_string())?, one);
    Ok(())
}

/// A span is two words: large programs have one for every statement.
#[test]
fn spans_are_small() {
    assert_eq!(size_of::<Span>(), 16);
    assert_eq!(size_of::<Stm>(), size_of::<(Vars, Op)>() + size_of::<Span>());
}

/// What the results of a program are given is added up in its derivative, and in no statement of it.
#[test]
fn adjoints_that_are_added_up_are_of_the_derivative() -> Result<()> {
    let program = Program::trace(|x: Arr<F64>| {
        let y = x.map(|x| x * x);
        (y, y, y)
    })?;
    let vjp = program.vjp()?;
    let given: Vec<_> = vjp.function().params[1..].iter().map(|adjoint| (*adjoint).into()).collect();
    let takes = |stm: &&Stm| matches!(&stm.op, Op::Map(map) if map.arrays.iter().any(|array| given.contains(array)));
    let taking: Vec<&Stm> = vjp.function().body.stms.iter().filter(takes).collect();
    assert!(!taking.is_empty() && taking.iter().all(|stm| stm.span.in_derivative()), "{vjp}");
    Ok(())
}

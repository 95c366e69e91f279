//! Programs within traces: their statements become the trace's own, and what does not fit is a mistake.

use catadiff::array::trace::{Arr, F64, I64, if_, loop_while};
use catadiff::array::{Atom, Op, Program, ScalarOp};
use catadiff::{Elementary, Error, Mistake, Result};

fn affine() -> Program {
    Program::trace(|x: Arr<F64>, a: F64| x.map(|x| x * a + 1.0)).unwrap()
}

#[test]
fn a_call_is_the_statements_of_the_program() -> Result<()> {
    let program = affine();
    let called = Program::trace(|x: Arr<F64>, a: F64| program.call::<Arr<F64>>((x, a)))?;
    assert_eq!(called.to_string(), program.to_string());
    Ok(())
}

#[test]
fn results_may_be_arguments_and_constants() -> Result<()> {
    let program = Program::trace(|x: F64, n: I64| (n, 3.0, x + 1.0, x))?;
    let called = Program::trace(|y: F64| {
        let (n, three, sum, y): (I64, F64, F64, F64) = program.call((y, 2));
        (n, three, sum * y)
    })?;
    assert_eq!(called.run(&[5.0.into()])?, [2_i64.into(), 3.0.into(), 30.0.into()]);
    Ok(())
}

#[test]
fn calls_are_made_in_any_closure_and_more_than_once() -> Result<()> {
    let program = affine();
    let rows = Program::trace(|x: Arr<Arr<F64>>| {
        let rows = x.map(|row| {
            let once: Arr<F64> = program.call((row, row.sum()));
            if_(once.first().gt(2.0), || program.call::<Arr<F64>>((once, 2.0)), || once)
        });
        (rows, x.sum().sum())
    })?;
    assert_eq!(rows.verify(), Ok(()));
    let x = catadiff::interpret::Value::new([[1.0, 2.0], [0.0, 1.0]])?;
    let found = rows.run(&[x])?;
    assert_eq!(found[0].to_string(), "[[9, 15], [1, 2]]");
    Ok(())
}

#[test]
fn the_derivative_of_an_inner_function_is_differentiated() -> Result<()> {
    // The least of (x − a)² + x⁴ by descent, in a loop that asks; dx/da = 2 / (2 + 12 x²) by the implicit function theorem.
    let f = Program::trace(|x: F64, a: F64| (x - a) * (x - a) + x.powi(4))?;
    let (forward, reverse) = (f.jvp()?, f.vjp()?);
    let slopes: [fn(&Program, F64, F64) -> F64; 2] =
        [|p, x, a| p.call::<(F64, F64)>((x, a, 1.0, 0.0)).1, |p, x, a| p.call::<(F64, F64, F64)>((x, a, 1.0)).1];
    for (inner, slope) in [&forward, &reverse].into_iter().zip(slopes) {
        let least = Program::trace(|a: F64| {
            loop_while(a, |x| slope(inner, x, a).abs().gt(1e-14), |x| x - slope(inner, x, a) * 0.05)
        })?;
        for outer in [least.jvp()?, least.vjp()?] {
            let found = outer.run(&[2.0.into(), 1.0.into()])?;
            let [x, derivative]: [f64; 2] = [0, 1].map(|k| found[k].to_reals().unwrap()[0]);
            assert!((derivative - 2.0 / (2.0 + 12.0 * x * x)).abs() < 1e-12, "{derivative}");
        }
    }
    Ok(())
}

/// The reasons of the mistakes of a trace.
fn reasons<T>(traced: Result<T>) -> Vec<String> {
    let Err(Error::Trace { mistakes }) = traced else { panic!("a trace with mistakes") };
    let reason = |m| if let Mistake::IllTyped { reason, .. } = m { Some(reason) } else { None };
    mistakes.into_iter().filter_map(reason).collect()
}

#[test]
fn what_does_not_fit_is_a_mistake() {
    let program = affine();
    let few = reasons(Program::trace(|x: Arr<F64>| program.call::<Arr<F64>>(x)));
    assert_eq!(few, ["the called program has parameters ([]f64, f64), and here they are ([]f64)"]);
    let kinds = reasons(Program::trace(|x: Arr<F64>, n: I64| program.call::<Arr<F64>>((x, n))));
    assert_eq!(kinds, ["the called program has parameters ([]f64, f64), and here they are ([]f64, i64)"]);
    let results = reasons(Program::trace(|x: Arr<F64>| program.call::<F64>((x, 1.0))));
    assert_eq!(results, ["the called program has results ([]f64), and here they are (f64)"]);

    let (types, names, mut function) = affine().into_parts();
    let Atom::Var(x) = function.body.results[0] else { panic!() };
    function.body.stms[0].op = Op::Scalar(ScalarOp::Not, [x.into()].into_iter().collect());
    assert!(
        matches!(Program::new(types, names, function), Err(Error::IllTyped { .. })),
        "there is no such program to call"
    );
}

#[test]
fn arguments_of_another_trace_are_mistakes() {
    let program = affine();
    let outer = Program::trace(|a: F64| {
        let inner = Program::trace(|x: Arr<F64>| program.call::<Arr<F64>>((x, a)));
        assert!(matches!(inner, Err(Error::Trace { mistakes }) if matches!(mistakes[..], [Mistake::Foreign { .. }])));
        a
    });
    assert!(outer.is_ok());
}

//! Types in messages are written one way, and it is that of the text form.

use catadiff::Error;
use catadiff::array::trace::{Arr, Bool, F32, F64, I64};
use catadiff::array::{Builder, Op, Prim, Program, Type};
use catadiff::execute::Flat;
use catadiff::interpret::{Scalar, Value};

/// The words of a message that are types, or look like types.
fn types(message: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "[]_".contains(c);
    let words = message.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    let looks = |word: &&str| {
        let of_array =
            word.starts_with('[') && word.contains(']') && word.ends_with(|c: char| c.is_ascii_alphanumeric());
        of_array || Prim::ALL.iter().any(|prim| prim.name() == *word)
    };
    words.filter(looks).collect()
}

/// A message has one type or several, and each can be read.
fn are_types(message: &str, count: usize) {
    let found = types(message);
    assert!(!message.contains("real where ") && !message.contains("where real "), "`real` is no type, in: {message}");
    assert!(found.len() >= count, "{message}: {found:?}");
    for of in found {
        // A size may be given with it.
        let kind = of.rsplit(']').next().expect("a kind");
        let rank = of.matches('[').count();
        let text = format!("program (x: {}{kind}) {{ return x }}", "[]".repeat(rank));
        assert!(Program::parse(&text).is_ok(), "`{of}` is no type of the text form, in: {message}");
    }
}

/// The message of an error.
fn told<T>(found: catadiff::Result<T>) -> String {
    match found {
        Ok(_) => panic!("an error"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn arguments_and_results() -> catadiff::Result<()> {
    let program = Program::trace(|x: Arr<Arr<F64>>, y: F32, n: I64, b: Bool| (x.sum(), y, n, b))?;
    let right = || [matrix(), 2.0.into(), 3_i64.into(), Value::Scalar(Scalar::Bool(true))];
    for k in 0..4 {
        for wrong in [matrix(), Value::reals(&[1], [1.0])?, 7_i64.into(), Value::Scalar(Scalar::I32(7)), 1.0.into()] {
            let mut arguments = right();
            arguments[k] = wrong;
            let Err(error) = program.run(&arguments) else { continue };
            assert!(matches!(error, Error::Argument { .. }), "{error}");
            are_types(&error.to_string(), 2);
            // What is compiled says the same, of arrays that are flat too.
            assert_eq!(program.compile()?.run(&arguments).unwrap_err(), error);
            let flat: Vec<Flat> = arguments.iter().map(Flat::from).collect();
            let of_flat = program.compile()?.run_into(&flat, &mut Vec::new()).unwrap_err();
            are_types(&of_flat.to_string(), 2);
        }
    }
    are_types(&told(<Vec<Vec<f64>>>::try_from(Value::reals(&[1], [1.0])?)), 2);
    are_types(&told(<Vec<i64>>::try_from(Value::reals(&[1], [1.0])?)), 2);
    are_types(&told(f32::try_from(Value::<f32>::from(2_i64))), 2);
    are_types(&told(Value::array(&[2], vec![Scalar::F64(1.0), Scalar::I64(1)])), 2);
    are_types(&told(Value::rows(vec![Value::real(1.0), matrix()])), 2);
    Ok(())
}

fn matrix() -> Value<f64> {
    Value::reals(&[1, 1], [1.0]).expect("as many as said")
}

#[test]
fn what_is_built_and_differentiated() -> catadiff::Result<()> {
    let mut builder = Builder::new();
    let x = builder.parameter("x", Type::array(Prim::F64, 1));
    are_types(&builder.bind(Op::Iota(x.into())).expect_err("no length"), 2);
    let program = Program::trace(|x: Arr<F64>, n: I64| (x * 2.0, n))?;
    are_types(&told(program.grad(0)), 2);
    are_types(&told(program.jacobian(1)), 2);
    let called = Program::trace(|x: F64| program.call::<F64>((x, 1_i64)));
    are_types(&told(called), 4);
    let trace = Program::trace(|x: Arr<F64>| x.map(|x| x * x))?;
    let trace = trace.traced(&[Value::reals(&[2], [1.0, 2.0])?], catadiff::tracing::Keep::Scalars)?;
    are_types(&told(trace.reverse(&[Value::reals(&[2], [1.0, 2.0])?], &[Value::reals(&[1], [1.0])?])), 2);
    Ok(())
}

/// The law sees a type that is written otherwise.
#[test]
#[should_panic(expected = "`real` is no type")]
fn another_way_is_seen() {
    are_types("the argument `a` is []real where [][]f64 is needed", 2);
}

/// Types on the page of messages are written so too.
#[test]
fn the_page_of_messages() {
    let page = include_str!("../../docs/messages.md");
    let mut arrays = 0;
    for of in page.lines().flat_map(types).filter(|of| of.starts_with('[')) {
        let kind = of.rsplit(']').next().expect("a kind");
        assert!(Prim::ALL.iter().any(|prim| prim.name() == kind), "`{of}`");
        arrays += 1;
    }
    assert!(arrays > 0, "there are types on the page");
}

//! Handles whose types are known when a program is traced write what typed handles write, and say what is wrong at once.

use catadiff::array::trace::untyped::{Placed, Untyped, apply, body, call, function, parameter, trace, words};
use catadiff::array::trace::{Arr, F64};
use catadiff::array::{Atom, Map, Op, Prim, Program, Reduce, ScalarOp, Type};
use catadiff::{Error, Mistake, Place, Span};

const REALS: Type = Type::array(Prim::F64, 1);

fn scalar(op: ScalarOp, operands: &[Untyped]) -> Result<Vec<Untyped>, Error> {
    apply(operands, |operands| Op::Scalar(op, operands.into()))
}

fn map(function: catadiff::array::Lambda) -> impl FnOnce(Vec<Atom>) -> Op {
    |arrays| Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() }))
}

fn reals(name: &str) -> [(String, Type); 1] {
    [(name.to_owned(), REALS)]
}

#[test]
fn what_is_written_is_what_typed_handles_write() -> Result<(), Error> {
    let typed = Program::trace(|xs: Arr<F64>| xs.map(|x| x * x).sum())?;
    let untyped = trace(reals("x0"), |xs| {
        let square = function(&[REALS.element()], |x| scalar(ScalarOp::Mul, &[x[0], x[0]]))?;
        let squares = apply(xs, map(square))?;
        let operator = function(&[REALS.element(); 2], |x| scalar(ScalarOp::Add, x))?;
        apply(&[Untyped::constant(0.0), squares[0]], |mut neutral| {
            let arrays = neutral.split_off(1);
            Op::Reduce(Box::new(Reduce { operator, neutral, arrays, commutative: true }))
        })
    })?;
    assert_eq!(untyped, typed);
    // By the words of typed handles, and by the statements of another program.
    let by_words = trace(reals("x0"), |xs| {
        let xs: Arr<F64> = Untyped::typed(xs).expect("a list of reals");
        Ok::<_, Error>(Untyped::parts(words(|| xs.map(|x| x * x).sum())?))
    })?;
    assert_eq!(by_words, typed);
    assert_eq!(trace(reals("x0"), |xs| call(&typed, xs))?, typed);
    Ok(())
}

#[test]
fn a_mistake_is_an_error_of_its_call_and_the_trace_goes_on() -> Result<(), Error> {
    let program = trace(reals("xs"), |xs| {
        let wrong = scalar(ScalarOp::Add, &[xs[0], xs[0]]).unwrap_err();
        assert!(matches!(&wrong, Error::Trace { mistakes } if matches!(mistakes[..], [Mistake::IllTyped { .. }])));
        assert!(
            words(|| Program::trace(|x: F64| x).map(|it| it.call::<F64>(Untyped::typed::<Arr<F64>>(xs).unwrap())))
                .is_err()
        );
        let mut escaped = None;
        let function = function(&[REALS.element()], |x| {
            escaped = Some(x[0]);
            Ok::<_, Error>(x.to_vec())
        })?;
        let used = scalar(ScalarOp::Mul, &[escaped.unwrap(); 2]).unwrap_err();
        assert!(matches!(&used, Error::Trace { mistakes } if matches!(mistakes[..], [Mistake::Escaped { .. }, ..])));
        apply(xs, map(function))
    })?;
    assert_eq!(program.at::<Vec<f64>>([1.0, 2.0])?, [1.0, 2.0]);
    let outside = scalar(ScalarOp::Add, &[Untyped::constant(1.0); 2]).unwrap_err();
    assert!(matches!(outside, Error::Trace { .. }));
    Ok(())
}

#[test]
fn an_error_inside_a_function_ends_the_trace_as_it_is() {
    #[derive(Debug, PartialEq)]
    struct Own(&'static str);
    impl From<Error> for Own {
        fn from(_: Error) -> Self {
            Own("of the library")
        }
    }
    let failed = trace(reals("xs"), |_| {
        let inner = function(&[REALS.element()], |_| Err(Own("of the function")));
        let again = body(|| Err(Own("of the body"))).unwrap_err();
        assert_eq!(again, Own("of the body"));
        inner.map(|_| Vec::new())
    });
    assert_eq!(failed, Err(Own("of the function")));
    // Nothing of it is left.
    assert!(parameter("y", REALS).is_none());
}

#[test]
fn what_is_mentioned_from_outside_becomes_a_parameter() -> Result<(), Error> {
    let scaled = trace(reals("xs"), |xs| {
        let scale = function(&[REALS.element()], |x| {
            let by = parameter("by", REALS.element()).expect("a trace is in progress");
            assert!(by.is_here() && !Untyped::constant(1.0).of_type().prim.is_integer());
            scalar(ScalarOp::Mul, &[x[0], by])
        })?;
        apply(xs, map(scale))
    })?;
    assert_eq!(scaled.names(), ["xs", "by"]);
    assert_eq!(scaled.at::<Vec<f64>>(([1.0, 2.0], 10.0))?, [10.0, 20.0]);
    Ok(())
}

#[test]
fn statements_come_from_the_place_that_is_said() -> Result<(), Error> {
    let at = Place::Text { file: 3, start: 14, end: 15 };
    let element = trace(reals("xs"), |xs| {
        let _here = Placed::at(Span::at(at));
        let xs: Arr<F64> = Untyped::typed(xs).expect("a list of reals");
        Ok::<_, Error>(Untyped::parts(words(|| xs.index(7))?))
    })?;
    for program in [&element, &element.jvp()?] {
        let arguments = vec![catadiff::interpret::Value::new([1.0, 2.0])?; program.function().params.len()];
        assert_eq!(program.run(&arguments).unwrap_err().span().place(), Some(at));
    }
    Ok(())
}

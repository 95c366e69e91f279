//! Functions of Rust in array programs: users' rules and callbacks, their derivatives, and what is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use catadiff::array::Program;
use catadiff::array::trace::{Arr, Bool, F16, F32, F64, I64, custom, custom_with_result, if_, loop_for};
use catadiff::execute::{Lanes, RunReport};
use catadiff::interpret::{Limits, Value, pure_callback};
use catadiff::primitives::{Rule, Scalar, f16};
use catadiff::tracing::Keep;
use catadiff::transform::custom_jvp;
use catadiff::{Elementary, Error, Mistake, Real, diff, grad, hessian};
use catadiff_laws::{array_derivatives, executors};

/// The swish `x·σ(x)`.
#[derive(Clone)]
struct Swish;
impl Rule<1> for Swish {
    fn name(&self) -> &'static str {
        "swish"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x / (1.0 + (-x).exp())
    }
    fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], z: S) -> S {
        z + x.sigmoid() * (S::one() - z)
    }
}

/// A rule with content, of two numbers: `(x + k) y²`.
#[derive(Clone)]
struct Shifted(f64);
impl Rule<2> for Shifted {
    fn name(&self) -> &'static str {
        "shifted"
    }
    fn value(&self, [x, y]: [f64; 2]) -> f64 {
        (x + self.0) * y * y
    }
    fn partial<S: Scalar>(&self, argument: usize, [x, y]: [S; 2], _: S) -> S {
        match argument {
            0 => y * y,
            _ => (x + S::constant(self.0)) * y * S::constant(2.0),
        }
    }
}

fn f<R: Real>(x: &[R]) -> R {
    let (a, b) = (Swish.of([x[0]]), Shifted(3.0).of([x[0] * x[1], x[1]]));
    a * b + Swish.of([Swish.of([a]) + b]) * Shifted(-1.0).of([x[1], x[0]])
}

const AT: [f64; 2] = [0.7, -0.4];

fn along<R: Real>(x: R) -> R {
    f(&[x, R::constant(AT[1])])
}

#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() <= 1e-12 * y.abs().max(1.0), "{found:?} and {expected:?}");
    }
}

/// Runs on lanes, which do all of it, and under the interpreter; the results are the same.
#[track_caller]
fn on_both(program: &Program, arguments: &[Value<f64>]) -> Vec<Value<f64>> {
    let compiled = program.compile_on(&Lanes).unwrap();
    let (found, report) = compiled.run_reported(arguments, &Limits::default());
    assert!(matches!(report, RunReport::Bare), "{report:?}: {program}");
    let (found, expected) = (found.unwrap(), program.run(arguments).unwrap());
    for (x, y) in found.iter().zip(&expected) {
        // Lanes fuse multiplications and additions.
        match (x.to_reals(), y.to_reals()) {
            (Some(found), Some(expected)) => near(&found, &expected),
            _ => assert_eq!(x, y),
        }
    }
    found
}

#[test]
fn a_rule_is_in_a_program_what_it_is_elsewhere() {
    let program = Program::trace(|x: F64, y: F64| f(&[x, y])).unwrap();
    let arguments = AT.map(Value::from);
    assert_eq!(on_both(&program, &arguments), [f(&AT).into()]);

    let gradient: (f64, f64) = program.grad(..).unwrap().compile().unwrap().at((AT[0], AT[1])).unwrap();
    near(&[gradient.0, gradient.1], &grad(|x| f(x), &AT).unwrap());
    let forward = program.jvp().unwrap();
    for (k, expected) in grad(|x| f(x), &AT).unwrap().into_iter().enumerate() {
        let unit = [0, 1].map(|i| Value::from(f64::from(i == k)));
        let found = on_both(&forward, &[&arguments[..], &unit].concat());
        near(&[found[1].to_reals().unwrap()[0]], &[expected]);
    }
    // Derivatives of the rule's derivative apply the rule again, to any order.
    let curved: Vec<f64> =
        on_both(&program.hessian(..).unwrap(), &arguments).iter().flat_map(|x| x.to_reals().unwrap()).collect();
    near(&curved, &hessian(|x| f(x), &AT).unwrap().concat());
    let third = program.only(&[0]).unwrap().grad(0).unwrap().grad(0).unwrap().grad(0).unwrap();
    let thrice = diff(|x| diff(|x| diff(|x| along(x), x).unwrap(), x).unwrap(), AT[0]).unwrap();
    near(&on_both(&third, &arguments)[0].to_reals().unwrap(), &[thrice]);
}

#[test]
fn rules_run_in_lanes_and_in_every_carrier() {
    let program =
        Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(y, |x, y| f(&[x, y]) + Swish.of([x])).sum()).unwrap();
    let x: Vec<f64> = (0..1000).map(|k| f64::from(k) * 0.37 % 3.0 - 1.5).collect();
    let arguments = [Value::new(&x[..]).unwrap(), Value::reals(&[1000], x.iter().rev().copied()).unwrap()];
    let expected: f64 = x.iter().zip(x.iter().rev()).map(|(x, y)| f(&[*x, *y]) + Swish.of([*x])).sum();
    let found: f64 = program.compile().unwrap().run(&arguments).unwrap()[0].to_reals().unwrap()[0];
    assert!((found - expected).abs() < 1e-10 * expected.abs());
    let code = program.compile().unwrap().explain();
    assert!(code.contains("lanes") && code.contains("rule-0"), "{code}");

    // Forward mode, reverse mode, the interpreter on dual numbers, and the derivatives of these: one answer.
    let few = arguments.map(|x| Value::reals(&[7], x.to_reals().unwrap()[..7].to_vec()).unwrap());
    array_derivatives::at(&program, [few.to_vec()]).unwrap();
}

#[test]
fn rules_are_of_every_kind_of_reals() {
    let singles = Program::trace(|x: Arr<F32>| x.map(|x| Swish.of([x]) * 3.0)).unwrap();
    let mixed = Program::trace(|x: Arr<F32>, y: F64| x.map(|x| Shifted(2.0).of([x, x]).to_f64() + y)).unwrap();
    let halves = Program::trace(|x: Arr<F16>| x.map(|x| Swish.of([x]))).unwrap();
    let x: Vec<f32> = (0..100).map(|k| k as f32 / 33.0).collect();
    let h: Vec<f16> = x.iter().map(|x| f16::from_f64((*x).into())).collect();
    let rounded = |x: f64| f64::from(x as f32);
    let found = on_both(&singles, &[Value::new(&x[..]).unwrap()])[0].to_reals().unwrap();
    for (x, found) in x.iter().zip(found) {
        assert_eq!(found, rounded(rounded(Swish.value([f64::from(*x)])) * 3.0));
    }
    on_both(&mixed, &[Value::new(&x[..]).unwrap(), 0.1.into()]);
    let found = on_both(&halves, &[Value::new(&h[..]).unwrap()])[0].to_reals().unwrap();
    for (x, found) in h.iter().zip(found) {
        assert_eq!(found, f64::from(f16::from_f64(Swish.value([f64::from(*x)]))));
    }
}

/// Prefix sums, their number, and whether they end above zero, in Rust.
fn sums(x: &[f64], from: f64) -> (Vec<f64>, i64, bool) {
    let mut sum = from;
    let mut add = |x: &f64| {
        sum += x;
        sum
    };
    let sums: Vec<f64> = x.iter().map(&mut add).collect();
    (sums, x.len() as i64, sum > 0.0)
}

#[test]
fn callbacks_take_and_leave_values_of_any_type() {
    let program = Program::trace(|x: Arr<F64>, from: F64| {
        let like = (x, I64::from(0), Bool::from(false));
        let found = pure_callback("sums", (x, from), like, |(x, from): (Vec<f64>, f64)| sums(&x, from));
        let (sums, count, above) = found;
        (sums.map(|s| s * 2.0), count + 1, !above)
    })
    .unwrap();
    for n in [0, 1, 5, 100] {
        let x: Vec<f64> = (0..n).map(|k| f64::from(k) - 1.5).collect();
        let found = on_both(&program, &[Value::new(&x[..]).unwrap(), 1.0.into()]);
        let (expected, count, above) = sums(&x, 1.0);
        assert_eq!(found[0].to_reals().unwrap(), expected.iter().map(|x| x * 2.0).collect::<Vec<_>>());
        assert_eq!(found[1..], [(count + 1).into(), (!above).into()]);
    }
}

#[test]
fn callbacks_run_wherever_statements_do() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let program = Program::trace(|m: Arr<Arr<F64>>, some: Bool| {
        let total = |row: Arr<F64>| {
            let counted = counted.clone();
            pure_callback("total", row, 0.0, move |x: Vec<f64>| {
                counted.fetch_add(1, Ordering::Relaxed);
                x.iter().sum::<f64>()
            })
        };
        let rows = m.map(|row| total(row * 2.0) + 1.0);
        let times = loop_for(3, rows, |k, rows| rows.map(|x| x + 0.5 + k.to_f64()) * total(rows));
        let one = if_(some, || total(times), || F64::from(-1.0));
        (times, one)
    })
    .unwrap();
    let m = Value::reals(&[20, 3], (0..60).map(|k| f64::from(k % 7) / 100.0)).unwrap();
    for some in [true, false] {
        calls.store(0, Ordering::Relaxed);
        program.run(&[m.clone(), some.into()]).unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), 20 + 3 + usize::from(some));
        on_both(&program, &[m.clone(), some.into()]);
        assert_eq!(calls.load(Ordering::Relaxed), 3 * (20 + 3 + usize::from(some)));
    }
    // A batch, and the program with its control flow traced away.
    let many = program.vmap(&[true, false]).unwrap();
    let two = Value::rows(vec![m.clone(), m.clone()]).unwrap();
    let found = on_both(&many, &[two, true.into()]);
    let alone = program.run(&[m, true.into()]).unwrap();
    assert_eq!(found[0], Value::rows(vec![alone[0].clone(); 2]).unwrap());
    let few = [Value::reals(&[2, 2], [0.5, 0.25, 1.0, 2.0]).unwrap(), true.into()];
    // Of a callback's results and arguments all elements are wanted, whichever are taken.
    let some = Program::trace(|x: Arr<F64>| {
        let doubled = pure_callback("doubled", x.map(|x| x + 1.0), x, |x: Vec<f64>| {
            x.iter().map(|x| x * 2.0).collect::<Vec<_>>()
        });
        doubled.slice(1, 3).sum()
    })
    .unwrap();
    assert_eq!(on_both(&some, &[Value::reals(&[30], (0..30).map(f64::from)).unwrap()]), [10.0.into()]);
    for keep in [Keep::Scalars, Keep::Arrays] {
        let trace = program.traced(&few, keep).unwrap();
        assert_eq!(trace.program().run(&few).unwrap(), program.run(&few).unwrap());
    }
}

/// That a callback fails in this way, on lanes and by the interpreter, which know where it is called.
#[track_caller]
fn wrong(program: &Program, expected: &str) {
    let x = [Value::new([1.0, 2.0, 3.0]).unwrap()];
    let compiled = program.compile_on(&Lanes).unwrap();
    for error in [program.run(&x).unwrap_err(), compiled.run(&x).unwrap_err()] {
        let Error::Foreign { function, reason, span, .. } = &error else { panic!("{error:?}") };
        assert_eq!((&function[..], &reason[..]), ("f", expected));
        assert!(span.place().is_some() && error.to_string().contains(file!()), "{error}");
    }
}

#[test]
fn what_a_callback_gets_wrong_is_said() {
    let sizes = Program::trace(|x: Arr<F64>| pure_callback("f", x, x, |x: Vec<f64>| x[1..].to_vec())).unwrap();
    wrong(&sizes, "it returns [2]f64 where [3]f64 is stated");
    let kind = Program::trace(|x: Arr<F64>| pure_callback("f", x, x, |_: Vec<f64>| vec![1_i64, 2, 3])).unwrap();
    wrong(&kind, "it returns [3]i64 where [3]f64 is stated");
    let rank = Program::trace(|x: Arr<F64>| pure_callback("f", x, 0.0, |x: Vec<f64>| x)).unwrap();
    wrong(&rank, "it returns [3]f64 where f64 is stated");
    let count = Program::trace(|x: Arr<F64>| pure_callback("f", x, x, |x: Vec<f64>| (x.clone(), x))).unwrap();
    wrong(&count, "it returns 2 values where 1 are stated");
    let fails = |x: Vec<f64>| if x[0] > 5.0 { Ok(x) } else { Err(format!("{} is too small", x[0])) };
    let fails = Program::trace(|x: Arr<F64>| pure_callback("f", x, x, fails)).unwrap();
    wrong(&fails, "1 is too small");
    let takes = Program::trace(|x: Arr<F64>| pure_callback("f", x, x, |x: Vec<Vec<f64>>| x.concat())).unwrap();
    wrong(&takes, "it takes [][]f64 where []f64 is given, as argument 0");
}

fn sines(x: Arr<F64>) -> Arr<F64> {
    pure_callback("sin", x, x, |x: Vec<f64>| x.iter().map(|x| x.sin()).collect::<Vec<_>>())
}

fn cosines(x: Arr<F64>) -> Arr<F64> {
    let by_rust = |x: Arr<F64>| pure_callback("cos", x, x, |x: Vec<f64>| x.iter().map(|x| x.cos()).collect::<Vec<_>>());
    custom_jvp(x, by_rust, |x, _, tangent| -(sines(x) * tangent))
}

#[test]
fn derivatives_of_callbacks_are_the_users() {
    let bare = Program::trace(|x: Arr<F64>| sines(x).sum()).unwrap();
    for refused in [bare.grad(..), bare.jvp(), bare.hvp(..)] {
        let error = refused.unwrap_err().to_string();
        let names = error.contains("the function `sin` of Rust cannot be differentiated");
        assert!(names && error.contains("custom_jvp"), "{error}");
    }
    // On numbers that are more than their values it has no meaning.
    let on_a_tape = grad(
        |x| {
            let error = bare.run(&[Value::reals(&[2], x.to_vec()).unwrap()]).unwrap_err();
            assert!(error.to_string().contains("it takes plain numbers"), "{error}");
            x[0]
        },
        &[1.0, 2.0],
    );
    assert_eq!(on_a_tape, Ok(vec![1.0, 0.0]));

    let backwards = Program::trace(|x: Arr<F64>| custom(x, sines, |x, adjoint| cosines(x) * adjoint).sum());
    let forwards = Program::trace(|x: Arr<F64>| custom_jvp(x, sines, |x, _, tangent| cosines(x) * tangent).sum());
    let with_result = Program::trace(|x: Arr<F64>| {
        let both = |x| (sines(x), cosines(x));
        let pullback = |_, (s, c): (Arr<F64>, Arr<F64>), (of_s, of_c): (Arr<F64>, Arr<F64>)| c * of_s - s * of_c;
        custom_with_result(x, both, pullback).0.sum()
    });
    let x = [0.3, 1.0, -2.0];
    let values = [Value::new(x).unwrap(), Value::new([1.0, 0.5, 2.0]).unwrap()];
    for program in [backwards, forwards, with_result].map(Result::unwrap) {
        let gradient = program.grad(..).unwrap();
        near(&on_both(&gradient, &values[..1])[0].to_reals().unwrap(), &x.map(f64::cos));
        let along = on_both(&program.jvp().unwrap(), &values);
        near(&along[1].to_reals().unwrap(), &[x[0].cos() + 0.5 * x[1].cos() + 2.0 * x[2].cos()]);
        let curved = on_both(&program.hvp(..).unwrap(), &values);
        near(&curved[0].to_reals().unwrap(), &[-x[0].sin(), -x[1].sin() * 0.5, -x[2].sin() * 2.0]);
    }
}

#[test]
fn a_tangent_that_cannot_be_transposed_is_a_mistake() {
    let through = |_, _, tangent| pure_callback("f", tangent, 0.0, |t: f64| t);
    let Err(Error::Trace { mistakes }) = Program::trace(|x: F64| custom_jvp(x, |x| x.sin(), through)) else { panic!() };
    let [Mistake::IllTyped { reason, .. }] = &mistakes[..] else { panic!("{mistakes:?}") };
    assert!(reason.contains("of the tangent of a function") && reason.contains("`f` of Rust"), "{reason}");
}

#[test]
fn programs_with_functions_of_rust_print_and_are_not_read() {
    let program = Program::trace(|x: F64| Swish.of([x]) + pure_callback("g", x, x, |x: f64| x)).unwrap();
    let text = program.to_string();
    let lines = ["let v1: f64 = foreign swish(x0) like (0.0f64)", "let v2: f64 = foreign g(x0) like (x0)"];
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    assert!(program.to_latex().contains("swish"));
    let error = Program::parse(&text).unwrap_err().to_string();
    assert!(error.contains("`swish` is a function of Rust, which no text can hold"), "{error}");
}

#[test]
fn equal_rules_are_computed_once_in_code() {
    let twice = |x: F64| (Swish.of([x]) + 1.0) * (Swish.of([x]) - 1.0);
    let program = Program::trace(|x: F64| twice(x) * Shifted(1.0).of([x, x]) * Shifted(1.0).of([x, x])).unwrap();
    let code = program.compile().unwrap().explain();
    assert_eq!((code.matches("rule-0").count(), code.matches("rule-").count()), (1, 3), "{code}");
}

#[test]
fn other_machines_say_that_they_cannot() {
    let program = Program::trace(|x: Arr<F64>| x.map(|x| Swish.of([x]))).unwrap();
    let mut able = Vec::new();
    for executor in executors::at_hand() {
        match executor.prepare(&program).unwrap() {
            Ok(_) => able.push(executor.name()),
            Err(unsupported) => {
                assert_eq!(unsupported.reason, "a function of Rust");
                assert!(unsupported.statement.unwrap().contains("foreign swish"));
                // What is compiled for it leaves the program to the interpreter.
                let compiled = program.compile_on(executor).unwrap();
                near(&compiled.at::<Vec<f64>>([1.0, 2.0]).unwrap(), &[1.0, 2.0].map(|x| Swish.value([x])));
            }
        }
    }
    assert_eq!(able, ["lanes", "program"]);
}

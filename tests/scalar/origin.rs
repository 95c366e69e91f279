//! The first operation that went wrong is named, and nothing else is.

use catadiff::carriers::{Dual, NanLog, NanOrigin, NonFinite};
use catadiff::{Elementary, Real};
use num_traits::One;

fn f<R: Real>(x: R, y: R) -> R {
    let ratio = x / y;
    (ratio - 1.0).sqrt() * 2.0 + x.exp()
}

#[test]
fn a_healthy_program_has_no_fault_and_its_own_values() {
    let log = NanLog::new();
    let z = f(log.input(6.0), log.input(2.0));
    assert_eq!((z.value, z.origin(), log.first()), (f(6.0, 2.0), None, None));
    // Two inputs and six operations.
    assert_eq!(log.operations(), 8);
}

#[test]
fn the_first_fault_is_the_one_reported() {
    let log = NanLog::new();
    let z: NanOrigin<'_, f64> = f(log.input(1.0), log.input(2.0));
    let fault = log.first().expect("a fault");
    assert_eq!((fault.name, &fault.arguments[..], fault.operation), ("sqrt", &[-0.5][..], 5));
    assert!(fault.value.is_nan() && z.value.is_nan());
    // What comes after it inherits it, and is no fault of its own.
    assert_eq!((log.faults().len(), z.origin().map(|f| f.operation)), (1, Some(5)));
    assert_eq!(fault.to_string(), "NaN in: sqrt(-0.5), operation 5");

    let log = NanLog::new();
    let z = f(log.input(1.0), log.input(0.0));
    assert_eq!(log.first().map(|f| f.to_string()).as_deref(), Some("inf in: div(1, 0), operation 3"));
    assert_eq!(z.origin(), log.first());
}

#[test]
fn each_number_knows_its_own_origin() {
    let log = NanLog::new();
    let x = log.input(0.0);
    let (a, b) = (x.ln(), (x - 1.0).sqrt());
    let names = |z: NanOrigin<'_, f64>| z.origin().map(|fault| fault.name);
    assert_eq!(
        (names(a), names(b), names(x), names(a + b), names(b * a)),
        (Some("ln"), Some("sqrt"), None, Some("ln"), Some("sqrt"))
    );
    // A number that is finite again has none.
    assert_eq!(names((-a).recip()), None);
    assert_eq!(log.faults().iter().map(|f| f.name).collect::<Vec<_>>(), ["ln", "sqrt"]);
    assert_eq!((names(log.input(1e300) * 1e300), log.faults().len()), (Some("mul"), 3));
    assert_eq!(names(log.input(1e308) + 1e308), Some("add"));
}

#[test]
fn inputs_and_constants_can_be_at_fault() {
    let log = NanLog::new();
    let x = log.input(f64::NAN) + 1.0;
    assert_eq!(x.origin().map(|f| f.to_string()).as_deref(), Some("NaN in: input, operation 1"));
    let y = log.input(1.0) * f64::INFINITY;
    assert_eq!(y.origin().map(|f| f.to_string()).as_deref(), Some("inf in: constant, operation 4"));
    // An infinity that is only compared with does no harm.
    let log = NanLog::new();
    let least = [3.0, 2.0].map(|x| log.input(x)).into_iter().fold(NanOrigin::constant(f64::INFINITY), NanOrigin::min);
    assert_eq!((least.value, log.first()), (2.0, None));
    // Constants alone are not watched.
    assert!((NanOrigin::<f64>::one() / 0.0).origin().is_none());
}

#[test]
fn it_tells_value_from_derivative() {
    let at = |x: f64| {
        let log = NanLog::new();
        let x = Dual { value: log.input(x), tangent: log.input(1.0) };
        let y = (x * x).sqrt() + 1.0;
        let name = |part: NanOrigin<'_, f64>| part.origin().map(|fault| fault.name);
        (name(y.value), name(y.tangent), log.first().map(|fault: NonFinite| fault.arguments))
    };
    assert_eq!(at(2.0), (None, None, None));
    // |x| at 0 by way of a root: the value is fine, the partial derivative 1/(2·0) is not; but 2x·dx is 0 there, which is strong.
    assert_eq!(at(0.0), (None, None, Some(vec![0.5, 0.0])));
    let log = NanLog::new();
    let y = Dual { value: log.input(-1.0), tangent: log.input(1.0) }.ln();
    assert_eq!((y.value.origin().map(|f| f.name), y.tangent.origin()), (Some("ln"), None));
}

#[test]
fn a_program_that_goes_wrong_everywhere_does_not_fill_the_memory() {
    let log = NanLog::new();
    let x = log.input(0.0);
    for _ in 0..5000 {
        let _ = x.ln();
    }
    assert_eq!((log.faults().len(), log.operations()), (1024, 5001));
}

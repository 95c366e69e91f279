//! What generic and concrete code may write: references, assignment, literals on either side, text.
//!
//! Law: every notation for an operation is that operation, in value, derivative and recorded decisions.

use core::cmp::Ordering;

use catadiff::carriers::{Accumulate, Both, Cayley, Dual, Hom, Interval, Series, Sparse};
use catadiff::prelude::*;
use catadiff::{Error, Kronecker, Module};

/// `a·b + a/b − b` and more, in every notation that a generic function has.
fn every_way<R: Real>(x: &[R]) -> R {
    let [a, b] = x else { return R::zero() };
    let mut y = *a * b;
    y += *a / b;
    y = y - b;
    y = y + a;
    y += 1.0;
    y *= 2.0;
    y -= 3.0;
    y /= 4.0;
    y + x.iter().sum::<R>() * x.iter().product::<R>()
}

fn plainly<R: Real>(x: &[R]) -> R {
    let (a, b) = (x[0], x[1]);
    let y = ((a * b + a / b - b + a + 1.0) * 2.0 - 3.0) / 4.0;
    y + (a + b) * (a * b)
}

/// Asserts that two generic functions have the same values and derivatives.
macro_rules! assert_same {
    ($written:ident, $plain:ident) => {
        let x = [2.0, 4.0];
        assert_eq!($written(&x), $plain(&x));
        let expected = grad(|x| $plain(x), &x).unwrap();
        assert_eq!(grad(|x| $written(x), &x).unwrap(), expected);
        assert_eq!(Forward::grad(|x| $written(x), &x).unwrap(), expected);
        assert_eq!(Symbolic::grad(|x| $written(x), &x).unwrap(), expected);
        assert_eq!(hessian(|x| $written(x), &x).unwrap(), hessian(|x| $plain(x), &x).unwrap());
    };
}

#[test]
fn generic_functions_use_references_and_assignment() {
    assert_same!(every_way, plainly);
}

/// Functions of several numbers, with literals where they take numbers.
fn with_literals<R: Real>(x: &[R]) -> R {
    let (a, b) = (x[0], x[1]);
    a.max(0.0) + a.powf(2.5) * b.min(a) + b.hypot(1.5) + a.atan2(2.0) + b.mul_add(3.0, a) + (a - 1.0).select(2.0, b)
}

fn with_constants<R: Real>(x: &[R]) -> R {
    let (a, b, c) = (x[0], x[1], R::constant);
    let powers = a.max(c(0.0)) + a.powf(c(2.5)) * b.min(a) + b.hypot(c(1.5)) + a.atan2(c(2.0));
    powers + b.mul_add(c(3.0), a) + (a - 1.0).select(c(2.0), b)
}

#[test]
fn generic_functions_take_literals_as_arguments() {
    assert_same!(with_literals, with_constants);
    // Concrete carriers take them too, and over single precision a literal is rounded.
    assert_eq!(Series::variable(3.0, 2).max(5.0).coefficients(), [5.0, 0.0, 0.0]);
    assert_eq!(Dual { value: 3.0_f32, tangent: 1.0 }.min(0.1).value, 0.1_f32);
    assert_eq!(Dual::<f64>::from(0.5).max(0.25).value, 0.5);
}

#[test]
fn references_work_without_copy_and_on_exact_numbers() {
    type Exact = Dual<i64, Sparse<char, i64>>;
    let (x, y) = (Exact::variable(5, 'x'), Exact::lift(3));
    for z in [&x * &y, &x * y.clone(), x.clone() * &y] {
        assert_eq!((z.value, z.tangent.get(&'x')), (15, Some(&3)));
    }
    let z = &(&x - &y) + &x;
    assert_eq!((z.value, z.tangent.get(&'x')), (7, Some(&2)));
    let t = Series::variable(2.0, 2);
    let y = &t * &t + &t;
    assert_eq!([0, 1, 2].map(|k| y.coefficient(k)), [6.0, 5.0, 1.0]);
    let sum: Series<f64> = [t.clone(), t].iter().sum();
    assert_eq!(sum.coefficient(0), 4.0);
}

#[test]
fn literals_compare_from_the_left() {
    for at in [-2.0, 3.0] {
        let slope = diff(|x| if 0.0 < x { x * 2.0 } else { -x }, at).unwrap();
        assert_eq!(slope, if at > 0.0 { 2.0 } else { -1.0 });
    }
    let x = Dual { value: 2.0, tangent: 1.0 };
    let asked = |literal: f64| [literal < x, literal <= x, literal == x, literal >= x, literal > x];
    assert_eq!(asked(1.0), [true, true, false, false, false]);
    assert_eq!(asked(2.0), [false, true, true, true, false]);
    assert_eq!(asked(3.0), [false, false, false, true, true]);
    assert_eq!(asked(f64::NAN), [false; 5]);
    assert!(1.0 < Series::variable(2.0, 1) && 1.0 < Both { first: 2.0, second: 0.0 });
    let asked = |literal: f64| literal.partial_cmp(&Interval::new(2.0, 3.0));
    assert_eq!([1.0, 2.5, 4.0].map(asked), [Some(Ordering::Less), None, Some(Ordering::Greater)]);
}

#[test]
fn a_comparison_from_the_left_is_a_decision() {
    let program = record(|x| vec![if 0.0 < x[0] { x[0] * 2.0 } else { -x[0] }], &[1.0]).unwrap();
    assert_eq!(program.run(&[3.0]).unwrap(), [6.0]);
    assert!(matches!(program.run(&[-3.0]), Err(Error::BranchChanged { at: 0, .. })));
}

#[test]
fn duals_print_with_their_tangent() {
    let x = Dual { value: 3.0, tangent: 2.0 };
    assert_eq!(format!("{x} {x:.2} {x:.1e}"), "3 + 2ε 3.00 + 2.00ε 3.0e0 + 2.0e0ε");
    assert_eq!(format!("{}", Dual { value: x, tangent: x }), "(3 + 2ε) + (3 + 2ε)ε");
    assert_eq!(format!("{}", Dual { value: 3, tangent: -2 }), "3 - 2ε");
    let mut seen = String::new();
    let cell = std::cell::RefCell::new(&mut seen);
    diff(
        |x| {
            cell.borrow_mut().push_str(&format!("{:.1}", x * x));
            x
        },
        3.0,
    )
    .unwrap();
    assert_eq!(seen, "9.0 + 6.0ε");
}

#[test]
fn functional_tangents_have_an_opaque_debug() {
    type Down = Hom<'static, f64, Sparse<usize, f64>>;
    type Upsert = Cayley<'static, f64, Sparse<usize, f64>>;
    assert_eq!(format!("{:?} {:?}", Down::delta(0), Down::zero_tangent()), "Hom(..) Hom(0)");
    assert_eq!(format!("{:?}", Dual::<f64, Upsert>::variable(2.0, 1)), "Dual { value: 2.0, tangent: Cayley(..) }");
    assert_eq!(format!("{:?}", Accumulate::<f64>::delta(0)), "Accumulate(..)");
}

//! The laws can fail: instances broken on purpose, each in one place, and what is said about them.

use core::ops::{Add, Mul};

use catadiff::algebra::plain::{Modular, Viterbi};
use catadiff::carriers::{Dual, Hom, Sparse};
use catadiff::primitives::{Primitive, Rule, Scalar};
use catadiff::{Kronecker, Module};
use catadiff_laws::primitives::Custom;
use catadiff_laws::{Bound, Coefficients, Program, Same, Sample, Verdict, Violation};
use catadiff_laws::{dual, exact, for_all, homomorphism, kronecker, law, module, primitives, refinement, semiring};
use num_traits::{One, Zero};
use quickcheck::{Arbitrary, Gen};

type F = Modular<1_000_000_007>;

/// The verdict is a violation of this law; what it says is handed back.
#[track_caller]
fn refuted(verdict: Verdict, law: &str) -> Violation {
    let violation = verdict.expect_err("a broken instance is refuted");
    assert!(violation.law.contains(law), "refuted for another reason: {violation}");
    violation
}

/// A number type with operations of one's choice.
macro_rules! numbers {
    ($($Name:ident: 0 = $zero:expr, ($a:ident + $b:ident) = $plus:expr, ($c:ident * $d:ident) = $times:expr;)+) => {$(
        #[derive(Debug, Clone, Copy, PartialEq)]
        struct $Name(i64);
        exact! { $Name }
        impl Add for $Name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                $Name($plus)
            }
        }
        impl Mul for $Name {
            type Output = Self;
            #[allow(clippy::suspicious_arithmetic_impl, reason = "broken on purpose")]
            fn mul(self, other: Self) -> Self {
                let ($c, $d) = (self.0, other.0);
                $Name($times)
            }
        }
        impl Zero for $Name {
            fn zero() -> Self {
                $Name($zero)
            }
            fn is_zero(&self) -> bool {
                self.0 == $zero
            }
        }
        impl One for $Name {
            fn one() -> Self {
                $Name(1)
            }
        }
        impl Arbitrary for $Name {
            fn arbitrary(g: &mut Gen) -> Self {
                $Name(Sample::<i64>::arbitrary(g).0)
            }
            fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
                Box::new(self.0.shrink().map($Name))
            }
        }
    )+};
}

numbers! {
    Average: 0 = 0, (a + b) = (a + b) / 2, (a * b) = a * b;
    Difference: 0 = 0, (a + b) = a + b, (a * b) = a - b;
    Clamped: 0 = 0, (a + b) = (a + b).clamp(-9, 9), (a * b) = a * b;
    Offset: 0 = 1, (a + b) = a + b - 1, (a * b) = a * b;
    Keen: 0 = 0, (a + b) = if b == 7 { a } else { a + b }, (a * b) = a * b;
}

#[test]
fn sums_that_do_not_associate() {
    let at = |a, b, c| semiring::addition_associates(&Average(a), &Average(b), &Average(c), Bound::EXACT);
    let violation = refuted(at(0, 0, 2), "addition associates");
    // With the values and both sides, as a reader wants it.
    assert_eq!(
        violation.to_string(),
        "the law does not hold: addition associates: (a + b) + c = a + (b + c)\n  \
           where a = Average(0)\n  where b = Average(0)\n  where c = Average(2)\n  \
           left:  Average(1)\n  right: Average(0)"
    );
    assert_eq!(format!("{violation:?}"), violation.to_string());
    // What is found at random is shrunk, so every value named is small.
    let found = for_all(|(a, b, c): (Average, Average, Average)| at(a.0, b.0, c.0));
    let found = refuted(found, "addition associates");
    assert!(found.instances.iter().all(|(_, value)| value.len() <= "Average(-2)".len()), "{found}");
    let [a, b, c] = [9, 9, -9].map(Clamped);
    refuted(semiring::addition_associates(&a, &b, &c, Bound::EXACT), "addition associates");
    refuted(semiring::check::<Clamped, Clamped>(Bound::EXACT), ""); // one or another
}

#[test]
fn other_axioms_of_a_semiring() {
    let three = [5, 3, 2].map(Difference);
    refuted(
        semiring::multiplication_associates(&three[0], &three[1], &three[2], Bound::EXACT),
        "multiplication associates",
    );
    refuted(semiring::one_is_neutral(&three[0], Bound::EXACT), "one is neutral");
    refuted(semiring::check_commutative::<Difference, Difference>(Bound::EXACT), "multiplication commutes");
    refuted(semiring::check::<Keen, Keen>(Bound::EXACT), "addition");
    refuted(semiring::multiplication_distributes(&Offset(2), &Offset(3), &Offset(4), Bound::EXACT), "distributes");
    refuted(semiring::zero_annihilates(&Offset(3), Bound::EXACT), "zero annihilates");
    // Half a step outside its range, the Viterbi semiring is none.
    refuted(semiring::zero_is_neutral(&Viterbi(-0.5), Bound::EXACT), "zero is neutral");
    refuted(semiring::check_field::<i64, Sample<i64>>(Bound::EXACT), "division undoes");
    refuted(semiring::check::<f64, Sample<f64>>(Bound::EXACT), ""); // one or the other
}

#[test]
fn a_bound_is_no_excuse() {
    let generous = Bound::ulps(1e6);
    refuted(law!("1 = 1.001", [], 1.0, 1.001, generous), "1 = 1.001");
    refuted(law!("∞ is far from 1", [], f64::INFINITY, 1.0, generous), "far");
    refuted(law!("NaN is not 1", [], f64::NAN, 1.0, generous), "NaN");
    assert!(f64::NAN.same(&f64::NAN, Bound::EXACT));
    // Duals are compared by both parts, as `==` does not.
    let x = Dual { value: 1_i64, tangent: 2 };
    assert!(x == Dual { value: 1, tangent: 3 } && !x.same(&Dual { value: 1, tangent: 3 }, Bound::EXACT));
}

/// A tangent of one variable, with one law broken.
macro_rules! tangents {
    ($($Name:ident: |$m:ident, $by:ident| $scale:expr, |$shared:ident, $uses:ident| $share:expr, $unit:expr;)+) => {$(
        #[derive(Debug, Clone, Copy, PartialEq)]
        struct $Name(f64);
        impl Same for $Name {
            fn same(&self, other: &Self, bound: Bound) -> bool {
                self.0.same(&other.0, bound)
            }
            fn show(&self) -> String {
                format!("{self:?}")
            }
        }
        impl Module<f64> for $Name {
            fn zero_tangent() -> Self {
                $Name(0.0)
            }
            fn is_zero_tangent(&self) -> bool {
                self.0 == 0.0
            }
            fn plus(self, other: Self) -> Self {
                $Name(self.0 + other.0)
            }
            fn scale(self, $by: &f64) -> Self {
                let $m = self.0;
                $Name($scale)
            }
            fn share(self, $uses: usize) -> Self {
                let $shared = self.0;
                $Name($share)
            }
        }
        impl Kronecker<usize, f64> for $Name {
            fn delta(variable: usize) -> Self {
                $Name(if variable == 0 { $unit } else { 0.0 })
            }
        }
        impl Coefficients<usize, f64> for $Name {
            fn coefficient(&self, variable: &usize) -> f64 {
                if *variable == 0 { self.0 } else { 0.0 }
            }
        }
        impl Arbitrary for $Name {
            fn arbitrary(g: &mut Gen) -> Self {
                $Name(Sample::<i64>::arbitrary(g).0 as f64)
            }
        }
    )+};
}

tangents! {
    Weak: |m, by| m * by, |m, _uses| m, 1.0;
    Forgetful: |m, by| m * by, |m, uses| if uses > 2 { 0.0 } else { m }, 1.0;
    Squared: |m, by| m * by * by, |m, _uses| m, 1.0;
    Doubled: |m, by| m * by, |m, _uses| m, 2.0;
}

/// Floats that are whole, so that the laws hold exactly where they hold.
#[derive(Debug, Clone)]
struct Whole(Sample<i64>);

impl Arbitrary for Whole {
    fn arbitrary(g: &mut Gen) -> Self {
        Whole(Sample::<i64>::arbitrary(g))
    }
}

impl catadiff_laws::Source<f64> for Whole {
    fn give(self) -> f64 {
        self.0.0 as f64
    }
}

#[test]
fn tangents_that_are_no_module() {
    let exact = Bound::EXACT;
    module::check::<f64, Weak, Whole, Weak>(exact).expect("but for strength, it is a module");
    refuted(module::check_strong_zero::<f64, Weak, Weak>(&[f64::INFINITY]), "zero is strong");
    refuted(module::check::<f64, Forgetful, Whole, Forgetful>(exact), "sharing is unseen");
    refuted(module::check::<f64, Squared, Whole, Squared>(exact), "scale distributes over sums");
    refuted(kronecker::delta_is_a_unit::<usize, f64, Doubled>(&0, &0, exact), "delta is a unit");
    kronecker::delta_is_a_unit::<usize, f64, Weak>(&0, &0, exact).expect("its unit is right");
}

#[test]
fn refinements_and_homomorphisms_that_are_none() {
    type Map = Sparse<usize, F>;
    type Down = Hom<'static, F, Map>;
    let doubling = refinement::Step { rep: |m: Map| Hom::rep(m.clone().plus(m)), abs: |h: &Down| h.abs() };
    let verdict = doubling.check::<F, Map, Down, Sample<F>, Sample<Map>, Sample<Down>>(Bound::EXACT);
    refuted(verdict, "rep preserves units");
    let (m, f) = (Map::delta(1), Down::delta(1));
    refuted(doubling.is_inverse(&m, &f, Bound::EXACT), "abs undoes rep");
    let quadratic = |h: &Down, s: F| h.apply(s * s);
    refuted(refinement::application_is_linear(quadratic, &f, &F::new(3), Bound::EXACT), "application is linear");
    refuted(homomorphism::check::<_, _, Sample<i64>>(|n: i64| n * n, Bound::EXACT), "h preserves sums");
    refuted(homomorphism::check::<_, _, Sample<i64>>(|n: i64| n + 1, Bound::EXACT), "h preserves zero");
}

#[test]
fn a_wrong_derivative_of_a_program() {
    // The mode that has the unit tangent doubled differs from the polynomial's derivative.
    let wrong = for_all(|program: Program| {
        let (_, found) = dual::gradient::<f64, Doubled>(&program, &[1.0, 2.0, 3.0, 4.0]);
        let right = program.derivative(0).eval(|v| *v as f64 + 1.0);
        law!("the doubled mode is right", [program], found[0], right, Bound::ulps(16.0))
    });
    refuted(wrong, "the doubled mode is right");
}

/// A rule with the partial derivative of one's choice.
macro_rules! rules {
    ($($Name:ident($x:ident, $z:ident): $value:expr => $partial:expr;)+) => {$(
        #[derive(Debug, Clone)]
        struct $Name;
        impl Rule<1> for $Name {
            fn name(&self) -> &'static str {
                stringify!($Name)
            }
            fn value(&self, [$x]: [f64; 1]) -> f64 {
                $value
            }
            #[allow(unused_variables, reason = "a partial uses what it needs")]
            fn partial<S: Scalar>(&self, _: usize, [$x]: [S; 1], $z: S) -> S {
                $partial
            }
        }
    )+};
}

rules! {
    Atanh(x, z): x.atanh() => (S::one() + x * x).recip();
    NearlyTanh(x, z): x.tanh() => (S::one() - z * z) * S::constant(1.000_001);
    // Right, but written in a way that its own derivative is lost.
    FlatSlope(x, z): x * x => (x + x).stop_gradient();
    Exp(x, z): x.exp() => z;
}

#[test]
fn wrong_partial_derivatives() {
    const INSIDE: [(f64, f64); 1] = [(-0.9, 0.9)];
    let violation =
        refuted(primitives::check(&Custom { rule: Atanh, smooth: INSIDE }), "partial 0 = slope of the value");
    assert!(violation.to_string().starts_with("the law does not hold: Atanh: partial 0"), "{violation}");
    assert_eq!(violation.instances.len(), 1, "the point is shown: {violation}");
    refuted(primitives::check(&Custom { rule: NearlyTanh, smooth: INSIDE }), "partial 0 = slope of the value");
    refuted(primitives::check(&Custom { rule: FlatSlope, smooth: INSIDE }), "partial 0, 0 = slope along 0");
    primitives::check(&Custom { rule: Exp, smooth: INSIDE }).expect("a right rule is not refuted");
}

#[test]
fn a_decision_that_is_not_kept() {
    let wrong = (Primitive::Abs, &[0.0][..], 0.0, &[1.0][..]);
    refuted(catadiff_laws::special_points::is_kept(&wrong), "abs: the documented partials");
    let wrong = (Primitive::Powi(0), &[0.0][..], 0.0, &[][..]);
    refuted(catadiff_laws::special_points::is_kept(&wrong), "powi(0): the documented value");
}

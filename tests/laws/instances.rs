//! The laws, asked of everything here that claims them: exactly on exact numbers first, then on floats with a bound.

use catadiff::algebra::plain::{Boolean, Counting, MaxPlus, MinPlus, Modular, Provenance, Viterbi};
use catadiff::carriers::{Accumulate, Cayley, Dense, Dual, Hom, Sparse};
use catadiff_laws::{BigInt, BigRational, Bound, Sample, Verdict, Violation};
use catadiff_laws::{dual, fold, homomorphism, module, primitives, recordings, refinement, special_points, strategies};
use generic_array::typenum::U4;
use num_traits::Zero;

/// A prime so large that polynomials which agree at random points are equal.
type F = Modular<1_000_000_007>;
type Small = Modular<7>;
/// Not a prime: a ring with divisors of zero, and too large for products in 64 bits.
type Composite = Modular<1_000_000_000_000_000_000>;
type Polynomial = Provenance<usize>;

type Map = Sparse<usize, F>;
type Vector = Dense<F, U4>;
type Down = Hom<'static, F, Map>;
type Upsert = Cayley<'static, F, Map>;
type Mutable = Accumulate<'static, F>;

/// What floats up to 100 may lose in a product of three and a sum of two.
const ROUNDING: Bound = Bound::ulps(4.0).at_scale(2e6);

mod exact {
    use super::{BigInt, BigRational, Boolean, Composite, Counting, F, MaxPlus, MinPlus, Polynomial, Small, Viterbi};
    use catadiff_laws::{Sample, laws};

    laws! {
        semiring for i64, from Sample<i64>;
        semiring for BigInt, from Sample<BigInt>;
        semiring for BigRational, from Sample<BigRational>;
        semiring for F, from Sample<F>;
        semiring for Small, from Sample<Small>;
        semiring for Composite, from Sample<Composite>;
        semiring for Boolean, from Sample<Boolean>;
        semiring for Counting, from Sample<Counting>;
        semiring for Polynomial, from Sample<Polynomial>;
        // Sums of eighths do not round.
        semiring for MinPlus, from Sample<MinPlus>;
        semiring for MaxPlus, from Sample<MaxPlus>;
        // Nor do products of three multiples of 1/64.
        semiring for Viterbi, from Sample<Viterbi>;

        commutative for F, from Sample<F>;
        commutative for Composite, from Sample<Composite>;
        commutative for Boolean, from Sample<Boolean>;
        commutative for Counting, from Sample<Counting>;
        commutative for Polynomial, from Sample<Polynomial>;
        commutative for MinPlus, from Sample<MinPlus>;
        commutative for MaxPlus, from Sample<MaxPlus>;
        commutative for Viterbi, from Sample<Viterbi>;

        ring for i64, from Sample<i64>;
        ring for BigRational, from Sample<BigRational>;
        ring for F, from Sample<F>;
        ring for Composite, from Sample<Composite>;
    }

    // A second block of the same module, under a name.
    laws! {
        mod with_division;
        field for BigRational, from Sample<BigRational>;
        field for F, from Sample<F>;
        field for Small, from Sample<Small>;
    }
}

mod floats {
    use super::ROUNDING;
    use catadiff_laws::{Sample, laws};

    laws! {
        semiring for f64, from Sample<f64>, within ROUNDING;
        semiring for f32, from Sample<f32>, within ROUNDING;
        commutative for f64, from Sample<f64>;
        ring for f64, from Sample<f64>;
        field for f64, from Sample<f64>, within ROUNDING;
    }
}

/// A number type of a user, who has written nothing but the type.
mod a_users_number {
    use catadiff_laws::{exact, laws};
    use num_traits::{One, Zero};
    use quickcheck::{Arbitrary, Gen};

    /// Bits with exclusive or for the sum: the field of two elements, as a user would write it.
    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Parity(bool);

    impl core::ops::Add for Parity {
        type Output = Self;
        fn add(self, other: Self) -> Self {
            Parity(self.0 != other.0)
        }
    }
    impl core::ops::Mul for Parity {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            Parity(self.0 && other.0)
        }
    }
    impl Zero for Parity {
        fn zero() -> Self {
            Parity(false)
        }
        fn is_zero(&self) -> bool {
            !self.0
        }
    }
    impl One for Parity {
        fn one() -> Self {
            Parity(true)
        }
    }
    impl Arbitrary for Parity {
        fn arbitrary(g: &mut Gen) -> Self {
            Parity(bool::arbitrary(g))
        }
    }
    exact! { Parity }

    laws! {
        semiring for Parity;
        commutative for Parity;
        module Parity over Parity;
    }
}

mod tangents {
    use super::{Down, F, Map, MinPlus, Mutable, ROUNDING, Upsert, Vector};
    use catadiff_laws::{Sample, laws};

    type Costs = super::Sparse<usize, MinPlus>;
    type Twice = super::Hom<'static, F, Down>;
    type Floats = super::Sparse<usize, f64>;

    laws! {
        module F over F, from Sample<F>, Sample<F>;
        module Map over F, from Sample<Map>, Sample<F>;
        module Vector over F, from Sample<Vector>, Sample<F>;
        module Down over F, from Sample<Down>, Sample<F>;
        module Upsert over F, from Sample<Upsert>, Sample<F>;
        module Mutable over F, from Sample<Mutable>, Sample<F>;
        // A module of functions into a module of functions is one too, and so is one over a plain semiring.
        module Twice over F, from Sample<Twice>, Sample<F>;
        module Costs over MinPlus, from Sample<Costs>, Sample<MinPlus>;
        module Floats over f64, from Sample<Floats>, Sample<f64>, within ROUNDING;

        kronecker Map over F, from Sample<Map>, Sample<F>;
        kronecker Vector over F, from Sample<Vector>, Sample<F>;
        kronecker Down over F, from Sample<Down>, Sample<F>;
        kronecker Upsert over F, from Sample<Upsert>, Sample<F>;
        kronecker Mutable over F, from Sample<Mutable>, Sample<F>;
    }
}

#[test]
fn zero_is_strong_against_infinity_and_nan() -> Verdict {
    const WILD: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    type Entries = Sparse<usize, f64>;
    module::check_strong_zero::<f64, f64, Sample<f64>>(&WILD)?;
    module::check_strong_zero::<f64, Entries, Sample<Entries>>(&WILD)?;
    module::check_strong_zero::<f64, Dense<f64, U4>, Sample<Dense<f64, U4>>>(&WILD)?;
    module::check_strong_zero::<f64, Hom<'_, f64, Entries>, Sample<Hom<'_, f64, Entries>>>(&WILD)?;
    module::check_strong_zero::<f64, Cayley<'_, f64, Entries>, Sample<Cayley<'_, f64, Entries>>>(&WILD)?;
    module::check_strong_zero::<f64, Accumulate<'_, f64>, Sample<Accumulate<'_, f64>>>(&WILD)
}

/// `Dual` over every lawful module is lawful.
macro_rules! duals {
    ($($name:ident: $S:ty, $M:ty $(=> $bound:expr)?;)+) => {
        mod dual_over {
            use super::{BigRational, Boolean, Bound, Cayley, Counting, Down, Dual, F, Map, MaxPlus, MinPlus};
            use super::{Mutable, Polynomial, ROUNDING, Sample, Sparse, Upsert, Vector, Verdict, Viterbi, dual};
            $(#[test]
            fn $name() -> Verdict {
                dual::check::<$S, $M, Sample<Dual<$S, $M>>>([$($bound,)? Bound::EXACT][0])
            })+
        }
    };
}

/// Every mode is the derivative of the polynomial.
macro_rules! modes {
    ($($name:ident: $S:ty;)+) => {
        mod modes_over {
            use super::{BigInt, BigRational, Boolean, Bound, Dual, F, Map, MaxPlus, MinPlus, Verdict, dual};
            $(#[test]
            fn $name() -> Verdict {
                dual::check_modes::<$S>(Bound::EXACT)
            })+
        }
    };
}

duals! {
    integers: i64, i64;
    rationals: BigRational, BigRational;
    residues: F, F;
    polynomials: Polynomial, Polynomial;
    booleans: Boolean, Boolean;
    counts: Counting, Counting;
    cheapest: MinPlus, MinPlus;
    longest: MaxPlus, MaxPlus;
    likeliest: Viterbi, Viterbi;
    floats: f64, f64 => ROUNDING;
    maps: F, Map;
    vectors: F, Vector;
    functions: F, Down;
    upserts: F, Upsert;
    accumulators: F, Mutable;
    duals: Dual<F>, Dual<F>;
    maps_over_duals: Dual<F>, Sparse<usize, Dual<F>>;
    upserts_over_duals: Dual<F>, Cayley<'static, Dual<F>, Sparse<usize, Dual<F>>>;
}

modes! {
    wide_integers: i128;
    big_integers: BigInt;
    rational_numbers: BigRational;
    field: F;
    ways: Boolean;
    costs: MinPlus;
    gains: MaxPlus;
    second_order: Dual<F>;
    second_order_by_maps: Dual<F, Map>;
}

#[test]
fn each_refinement_stands_for_the_one_before() -> Verdict {
    let dense = refinement::Step {
        rep: |m: Map| Dense(core::array::from_fn::<_, 4, _>(|v| m.get(&v).copied().unwrap_or_else(F::zero)).into()),
        abs: |d: &Vector| map(d.0.iter().copied()),
    };
    dense.check::<F, Map, Vector, Sample<F>, Sample<Map>, Sample<Vector>>(Bound::EXACT)?;
    let downwards = refinement::Step { rep: |m: Map| Hom::rep(m), abs: |h: &Down| h.abs() };
    downwards.check::<F, Map, Down, Sample<F>, Sample<Map>, Sample<Down>>(Bound::EXACT)?;
    let upserts = refinement::Step {
        rep: |h: Down| Cayley::rep(move |s| h.apply(s)),
        abs: |c: &Upsert| -> Down { Hom::rep(c.abs()) },
    };
    upserts.check::<F, Down, Upsert, Sample<F>, Sample<Down>, Sample<Upsert>>(Bound::EXACT)?;
    let mutation = refinement::Step {
        rep: |c: Upsert| {
            let entries = c.abs();
            Accumulate::rep((0..4).map(|v| entries.get(&v).copied().unwrap_or_else(F::zero)).collect())
        },
        abs: |f: &Mutable| -> Upsert {
            let f = f.clone();
            Cayley::rep(move |s| catadiff::Module::scale(map(f.abs(4).into_iter()), &s))
        },
    };
    mutation.check::<F, Upsert, Mutable, Sample<F>, Sample<Upsert>, Sample<Mutable>>(Bound::EXACT)
}

fn map(coefficients: impl Iterator<Item = F>) -> Map {
    use catadiff::{Kronecker, Module};
    coefficients.enumerate().map(|(v, c)| Map::delta(v).scale(&c)).fold(Map::zero_tangent(), Map::plus)
}

#[test]
fn functional_tangents_are_linear() -> Verdict {
    use catadiff_laws::for_all;
    for_all(|(Sample(h), Sample(s)): (Sample<Down>, Sample<F>)| {
        refinement::application_is_linear(|h: &Down, s| h.apply(s), &h, &s, Bound::EXACT)
    })?;
    for_all(|(Sample(c), Sample(s)): (Sample<Upsert>, Sample<F>)| {
        let apply = |c: &Upsert, s| c.apply(s, catadiff::Module::<F>::zero_tangent());
        refinement::application_is_linear::<F, _, Map>(apply, &c, &s, Bound::EXACT)
    })
}

#[test]
fn homomorphisms() -> Verdict {
    let exact = Bound::EXACT;
    homomorphism::check::<_, _, Sample<i64>>(|n: i64| F::from(n), exact)?;
    homomorphism::check::<_, _, Sample<BigInt>>(|n: BigInt| BigRational::from(n), exact)?;
    homomorphism::check::<_, _, Sample<Boolean>>(|b: Boolean| MinPlus(if b.0 { 0.0 } else { f64::INFINITY }), exact)?;
    homomorphism::check::<_, _, Sample<Counting>>(|n: Counting| Boolean(n.0 > 0), exact)?;
    // Provenance decides every other meaning.
    homomorphism::check::<_, _, Sample<Polynomial>>(|p: Polynomial| p.eval(|v| F::new(*v as u64 + 5)), exact)?;
    homomorphism::check::<_, _, Sample<Polynomial>>(|p: Polynomial| p.eval(|v| MinPlus(*v as f64 - 1.0)), exact)?;
    homomorphism::check::<_, _, Sample<Polynomial>>(|p: Polynomial| p.eval(|v| Boolean(*v != 1)), exact)?;
    homomorphism::check::<_, _, Sample<Polynomial>>(|p: Polynomial| p.eval(|v| Counting(*v as u64)), exact)?;
    // The likeliest way is that of the least sum of negative logarithms.
    let rounding = Bound::ulps(4.0).at_scale(16.0);
    homomorphism::check::<_, _, Sample<Viterbi>>(|p: Viterbi| MinPlus(-p.0.log2()), rounding)
}

#[test]
fn forgetting_a_tangent_is_felt_by_no_primitive() -> Verdict {
    for row in catadiff::primitives::Primitive::ALL {
        let point: Vec<Dual<f64>> =
            row.smooth().iter().map(|(low, high)| Dual { value: low + 0.4 * (high - low), tangent: 0.5 }).collect();
        homomorphism::elementary(|x: Dual<f64>| x.value, *row, &point, Bound::EXACT)?;
    }
    Ok(())
}

#[test]
fn terms_fold_into_exact_numbers() -> Verdict {
    fold::check::<BigInt>(Bound::EXACT)?;
    fold::check::<BigRational>(Bound::EXACT)?;
    fold::check::<F>(Bound::EXACT)
}

#[test]
fn terms_fold_into_plain_semirings() -> Verdict {
    fold::check::<Boolean>(Bound::EXACT)?;
    fold::check::<MinPlus>(Bound::EXACT)?;
    fold::check::<MaxPlus>(Bound::EXACT)?;
    fold::check::<Dual<F>>(Bound::EXACT)
}

/// Long programs double their constants again and again, which terms without an arena cannot.
#[test]
fn constants_of_long_programs_fit_into_terms() -> Verdict {
    use quickcheck::{Arbitrary, Gen};
    let mut generator = Gen::from_size_and_seed(1000, 77);
    (0..100).try_for_each(|_| {
        let [program, replacement] = core::array::from_fn(|_| catadiff_laws::Program::arbitrary(&mut generator));
        fold::eval_substitutes(&program, &replacement, &[2, 3, 5, 7].map(F::new), Bound::EXACT)
    })
}

#[test]
fn residues_and_costs_fuse_with_the_fold() -> Verdict {
    let point = [3, -5, 7, 0];
    catadiff_laws::for_all(|program: catadiff_laws::Program| {
        fold::eval_fuses(|n: i128| F::from(n.rem_euclid(1_000_000_007) as i64), &program, &point, Bound::EXACT)?;
        fold::eval_fuses(|n: Counting| Boolean(n.0 > 0), &program, &[0, 1, 2, 3].map(Counting), Bound::EXACT)
    })
}

#[test]
fn shared_terms_stay_cheap_in_functional_modes() {
    use catadiff::term::{Arena, Pure};
    let arena = Arena::<usize, Pure>::new();
    let x = arena.variable(0);
    let power = (0..60).fold(x + arena.variable(1), |power, _| power * power);
    // The derivative of (x + y)^n at x + y = 5, by the power rule.
    let n = 1_u64 << 60;
    let slope = F::new(n)
        * (0..64).rev().fold(F::new(1), |r, bit| {
            let squared = r * r;
            if (n - 1) >> bit & 1 == 1 { squared * F::new(5) } else { squared }
        });
    let point = [F::new(2), F::new(3), F::new(0), F::new(0)];
    let expected = [slope, slope, F::zero(), F::zero()];
    assert_eq!(fold::shared_gradient::<F, Down>(power, &point), expected);
    assert_eq!(fold::shared_gradient::<F, Upsert>(power, &point), expected);
    assert_eq!(fold::shared_gradient::<F, Mutable>(power, &point), expected);
    assert_eq!(fold::shared_gradient::<F, Map>(power, &point), expected);
}

#[test]
fn text_denotes_the_term_it_was_printed_from() -> Verdict {
    fold::check_text()
}

#[test]
fn strategies_agree() -> Verdict {
    strategies::check()
}

#[test]
fn recordings_are_their_functions() -> Verdict {
    recordings::check()
}

#[test]
fn the_table_of_primitives_is_right() {
    none(primitives::check_table());
}

#[test]
fn special_points_are_as_documented() {
    none(special_points::check());
    none(special_points::check_extrema());
}

fn none(violations: Vec<Violation>) {
    let shown: Vec<String> = violations.iter().map(Violation::to_string).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

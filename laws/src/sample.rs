//! Where values come from: a quickcheck generator of each number type that the laws are tried on.
//!
//! Law: what is drawn is moderate, so that products of a few integers do not overflow and sums of floats do not lose
//! each other; special values (0, 1, −1) are drawn often; and what is drawn shrinks, towards 0
//! (tests/laws/instances.rs).

use catadiff::algebra::plain::{Boolean, Counting, MaxPlus, MinPlus, Modular, Provenance, Viterbi};
use catadiff::carriers::{Accumulate, Cayley, Dense, Dual, Hom, Sparse};
use catadiff::{Kronecker, Module, Semiring};
use generic_array::ArrayLength;
use generic_array::sequence::GenericSequence;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use quickcheck::{Arbitrary, Gen};

use crate::approx::VARIABLES;

/// A value of a type that has no generator of its own, or whose own draws too wide.
///
/// Your types do not need it: give them [`Arbitrary`] themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample<T>(pub T);

/// A generator of `T`: the type itself if it is [`Arbitrary`], or [`Sample<T>`](Sample).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not draw values of `{T}`",
    note = "a source is `quickcheck::Arbitrary`: `{T}` itself, or `Sample<{T}>` for the number types of catadiff"
)]
pub trait Source<T>: Arbitrary {
    /// The value drawn.
    fn give(self) -> T;
}

impl<T: Arbitrary> Source<T> for T {
    fn give(self) -> T {
        self
    }
}

impl<T> Source<T> for Sample<T>
where
    Sample<T>: Arbitrary,
{
    fn give(self) -> T {
        self.0
    }
}

type Shrunk<T> = Box<dyn Iterator<Item = T>>;

/// A small integer, special ones often.
fn small(g: &mut Gen) -> i64 {
    let wide = i64::arbitrary(g) % 100;
    *g.choose(&[0, 1, -1, 2, wide, wide, wide, wide]).unwrap_or(&wide)
}

/// Generators that are functions of a small integer, and shrink as it does.
macro_rules! by_integer {
    ($($T:ty: $draw:expr, $back:expr;)+) => {$(
        impl Arbitrary for Sample<$T> {
            fn arbitrary(g: &mut Gen) -> Self {
                let draw: fn(i64) -> $T = $draw;
                Sample(draw(small(g)))
            }
            fn shrink(&self) -> Shrunk<Self> {
                let (draw, back): (fn(i64) -> $T, fn(&$T) -> i64) = ($draw, $back);
                let now = self.0.clone();
                Box::new(back(&self.0).shrink().map(draw).filter(move |next| *next != now).map(Sample))
            }
        }
    )+};
}

by_integer! {
    i64: |n| n, |x| *x;
    i128: |n| n.into(), |x| *x as i64;
    BigInt: BigInt::from, |x| x.to_i64().unwrap_or(0);
    Boolean: |n| Boolean(n % 2 != 0), |x| i64::from(x.0);
    // Every third count is near the end, where it stops.
    Counting: |n| Counting(if n % 3 == 2 { u64::MAX / n.unsigned_abs() } else { n.unsigned_abs() }), |x| (x.0 % 64) as i64;
    // Eighths, so that the laws hold exactly, and zero.
    MinPlus: |n| MinPlus(if n == 1 { f64::INFINITY } else { n as f64 / 8.0 }), eighths_of_min;
    MaxPlus: |n| MaxPlus(if n == 1 { f64::NEG_INFINITY } else { n as f64 / 8.0 }), eighths_of_max;
    Viterbi: |n| Viterbi(n.unsigned_abs().min(64) as f64 / 64.0), |x| (x.0 * 64.0) as i64;
}

fn eighths_of_min(x: &MinPlus) -> i64 {
    if x.is_zero() { 1 } else { (x.0 * 8.0) as i64 }
}

fn eighths_of_max(x: &MaxPlus) -> i64 {
    if x.is_zero() { 1 } else { (x.0 * 8.0) as i64 }
}

impl<const P: u64> Arbitrary for Sample<Modular<P>> {
    fn arbitrary(g: &mut Gen) -> Self {
        let residues = [small(g).into(), Modular::new(u64::arbitrary(g))];
        Sample(*g.choose(&residues).unwrap_or(&residues[0]))
    }
    fn shrink(&self) -> Shrunk<Self> {
        Box::new(self.0.value().shrink().map(|n| Sample(Modular::new(n))))
    }
}

impl Arbitrary for Sample<BigRational> {
    fn arbitrary(g: &mut Gen) -> Self {
        Sample(BigRational::new(small(g).into(), (1 + small(g).abs()).into()))
    }
    fn shrink(&self) -> Shrunk<Self> {
        let (numerator, denominator) = (self.0.numer().clone(), self.0.denom().clone());
        let whole = (denominator != BigInt::from(1)).then(|| Sample(self.0.trunc()));
        let nearer = Sample(numerator).shrink().map(move |n| Sample(BigRational::new(n.0, denominator.clone())));
        Box::new(whole.into_iter().chain(nearer))
    }
}

/// Floats between −100 and 100 with all their digits.
macro_rules! floats {
    ($($Float:ident)+) => {$(
        impl Arbitrary for Sample<$Float> {
            fn arbitrary(g: &mut Gen) -> Self {
                let fraction = f64::from(u32::arbitrary(g)) / f64::from(u32::MAX);
                let whole = small(g);
                let choices = [whole as $Float, (whole as f64 * fraction) as $Float];
                Sample(*g.choose(&choices).unwrap_or(&choices[0]))
            }
            fn shrink(&self) -> Shrunk<Self> {
                let whole = self.0.trunc();
                let rounded = (whole != self.0).then_some(Sample(whole));
                Box::new(rounded.into_iter().chain((whole as i64).shrink().map(|n| Sample(n as $Float))))
            }
        }
    )+};
}

floats!(f32 f64);

/// Sums of at most three terms of degree at most three, in the variables `0`, `1` and `2`.
impl Arbitrary for Sample<Provenance<usize>> {
    fn arbitrary(g: &mut Gen) -> Self {
        let terms = usize::arbitrary(g) % 4;
        let polynomial = (0..terms).map(|_| {
            let factors = usize::arbitrary(g) % 4;
            let coefficient = Provenance::from(u64::arbitrary(g) % 9 + 1);
            (0..factors).fold(coefficient, |term, _| term * Provenance::variable(usize::arbitrary(g) % 3))
        });
        Sample(polynomial.fold(Provenance::zero(), |a, b| a + b))
    }
    fn shrink(&self) -> Shrunk<Self> {
        if self.0.terms().count() < 2 {
            return Box::new((!self.0.is_zero()).then(|| Sample(Provenance::zero())).into_iter());
        }
        let power = |(v, n): (&usize, u32)| (0..n).fold(Provenance::from(1), |p, _| p * Provenance::variable(*v));
        let alone: Vec<_> = self
            .0
            .terms()
            .map(|(count, powers)| Sample(powers.map(power).fold(Provenance::from(count), |a, b| a * b)))
            .collect();
        Box::new(alone.into_iter())
    }
}

impl<S: Clone + 'static, M: Clone + 'static> Arbitrary for Sample<Dual<S, M>>
where
    Sample<S>: Arbitrary,
    Sample<M>: Arbitrary,
{
    fn arbitrary(g: &mut Gen) -> Self {
        Sample(Dual { value: Sample::<S>::arbitrary(g).0, tangent: Sample::<M>::arbitrary(g).0 })
    }
    fn shrink(&self) -> Shrunk<Self> {
        let parts = (Sample(self.0.value.clone()), Sample(self.0.tangent.clone()));
        Box::new(parts.shrink().map(|(value, tangent)| Sample(Dual { value: value.0, tangent: tangent.0 })))
    }
}

impl<S: Semiring + 'static, N: ArrayLength + 'static> Arbitrary for Sample<Dense<S, N>>
where
    Sample<S>: Arbitrary,
{
    fn arbitrary(g: &mut Gen) -> Self {
        Sample(Dense(generic_array::GenericArray::generate(|_| Sample::<S>::arbitrary(g).0)))
    }
    fn shrink(&self) -> Shrunk<Self> {
        let coefficients: Vec<Sample<S>> = self.0.0.iter().cloned().map(Sample).collect();
        let full = coefficients.shrink().filter(|shorter| shorter.len() == N::USIZE);
        Box::new(full.map(|c| Sample(Dense(generic_array::GenericArray::generate(|i| c[i].0.clone())))))
    }
}

/// Entries for some of the first [`VARIABLES`] variables.
impl<S: Semiring + 'static> Arbitrary for Sample<Sparse<usize, S>>
where
    Sample<S>: Arbitrary,
{
    fn arbitrary(g: &mut Gen) -> Self {
        let entries = usize::arbitrary(g) % VARIABLES;
        let entry = |_| (usize::arbitrary(g) % VARIABLES, Sample::<S>::arbitrary(g));
        Sample(combination((0..entries).map(entry)))
    }
    fn shrink(&self) -> Shrunk<Self> {
        let entries: Vec<(usize, Sample<S>)> = self.0.iter().map(|(v, s)| (*v, Sample(s.clone()))).collect();
        Box::new(entries.shrink().map(|e| Sample(combination(e.into_iter().filter(|(v, _)| *v < VARIABLES)))))
    }
}

/// The sum of unit tangents, each scaled.
fn combination<S: Semiring, M: Kronecker<usize, S>>(entries: impl Iterator<Item = (usize, Sample<S>)>) -> M {
    entries.map(|(v, s)| M::delta(v).scale(&s.0)).fold(M::zero_tangent(), M::plus)
}

/// Functional tangents: built by all the ways there are, so that not only images of `rep` are tried.
macro_rules! functional {
    ($([$($generics:tt)*] $T:ty, from $M:ty: $rep:expr, $abs:expr;)+) => {$(
        impl<$($generics)*> Arbitrary for Sample<$T>
        where
            Sample<S>: Arbitrary,
            Sample<$M>: Arbitrary,
        {
            fn arbitrary(g: &mut Gen) -> Self {
                let rep: fn($M) -> $T = $rep;
                let (whole, part) = (rep(Sample::<$M>::arbitrary(g).0), rep(Sample::<$M>::arbitrary(g).0));
                let factor = Sample::<S>::arbitrary(g).0;
                let mixed = whole.clone().plus(part.scale(&factor));
                Sample(g.choose(&[<$T>::zero_tangent(), whole, mixed]).cloned().unwrap_or_else(<$T>::zero_tangent))
            }
            fn shrink(&self) -> Shrunk<Self> {
                let (rep, abs): (fn($M) -> $T, fn(&$T) -> $M) = ($rep, $abs);
                Box::new(Sample(abs(&self.0)).shrink().map(move |m| Sample(rep(m.0))))
            }
        }
    )+};
}

functional! {
    [S: Semiring + 'static, M: Module<S> + 'static] Hom<'static, S, M>, from M: Hom::rep, Hom::abs;
    [S: Semiring + 'static, M: Module<S> + 'static] Cayley<'static, S, M>, from M:
        |m| Cayley::rep(move |s| m.clone().scale(&s)), Cayley::abs;
    [S: Semiring + 'static] Accumulate<'static, S>, from Sparse<usize, S>:
        |m| Accumulate::rep((0..VARIABLES).map(|v| m.get(&v).cloned().unwrap_or_else(S::zero)).collect()),
        |f| combination(f.abs(VARIABLES).into_iter().map(Sample).enumerate());
}

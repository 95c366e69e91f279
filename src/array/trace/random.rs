//! Random numbers in programs, by keys: each is a function of a key and of its place.
//!
//! Nothing is drawn from a state, so a number does not depend on what else is drawn, on the executor or on threads. Bits are those of Threefry-2x32
//! with twenty rounds ("Parallel Random Numbers: As Easy as 1, 2, 3", Salmon et al. 2011, sections 3.2 and 5), on counters as JAX has them: what is
//! made of bits by exact arithmetic is what `jax.random` makes of the same key.
//!
//! Law: the same key and place are the same number, on every executor; derivatives take it as a constant, and go through what it is
//! multiplied by or added to (tests/array/random.rs).

use super::{
    Arr, As, Bool, F32, F64, Handle, I64, Inputs, IntoHandle, Outputs, TraceInput, TraceOutput, U32, U64, if_, tabulate,
};
use crate::array::Type;
use crate::primitives::Elementary;

/// A key, from which random numbers and other keys are made.
///
/// Use a key once: numbers of different functions from one key depend on each other. More keys are made by [`split`](Key::split).
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, I64, Key}};
/// // The mean of x² for x = μ + σ z, whose derivatives by μ and σ go through the samples.
/// let mean = Program::trace_named(&["mu", "sigma", "seed"], |mu: F64, sigma: F64, seed: I64| {
///     let squares = Key::new(seed).normal(10_000).map(|z| (mu + sigma * z) * (mu + sigma * z));
///     squares.sum() / 10_000.0
/// })?;
/// let (by_mu, by_sigma): (f64, f64) = mean.grad(["mu", "sigma"])?.at((1.0, 0.5, 7_i64))?;
/// assert!((by_mu - 2.0).abs() < 0.05 && (by_sigma - 1.0).abs() < 0.05);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A key may be a parameter of a program, as two integers, an element of an array, and the state of a loop.
#[derive(Debug, Clone, Copy)]
pub struct Key(U32, U32);

/// The rotations of a round, of four and four rounds in turn.
const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// What keeps the third word of a key from being 0.
const PARITY: u32 = 0x1BD1_1BDA;

impl Key {
    /// The key of a seed.
    #[must_use]
    #[track_caller]
    pub fn new(seed: impl As<I64>) -> Key {
        let [high, low] = words(seed.handle());
        Key(high, low)
    }

    /// The bits at a place: a block of the cipher.
    #[track_caller]
    fn block(self, place: I64) -> [U32; 2] {
        let keys = [self.0, self.1, self.0 ^ self.1 ^ U32::from(PARITY)];
        let [mut x, mut y] = words(place);
        (x, y) = (x + keys[0], y + keys[1]);
        for round in 0..5_u32 {
            for by in ROTATIONS[round as usize % 2] {
                x += y;
                y = ((y << U32::from(by)) | (y >> U32::from(32 - by))) ^ x;
            }
            x += keys[(round as usize + 1) % 3];
            y += keys[(round as usize + 2) % 3] + U32::from(round + 1);
        }
        [x, y]
    }

    /// The key of this one and a number, such as that of an iteration: another one for each.
    #[must_use]
    #[track_caller]
    pub fn fold_in(self, n: impl As<I64>) -> Key {
        let [high, low] = self.block(n.handle());
        Key(high, low)
    }

    /// Two keys, to be used in place of this one.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{I64, Key}};
    /// let dice = Program::trace(|seed: I64| {
    ///     let (first, second) = Key::new(seed).split();
    ///     (first.randint(3, 1, 7), second.randint(3, 1, 7))
    /// })?;
    /// let (first, second): (Vec<i64>, Vec<i64>) = dice.at(1)?;
    /// assert!(first != second && [first, second].concat().iter().all(|eyes| (1..7).contains(eyes)));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split(self) -> (Key, Key) {
        (self.fold_in(0), self.fold_in(1))
    }

    /// As many keys, to be used in place of this one; the first two are those of [`split`](Key::split).
    #[must_use]
    #[track_caller]
    pub fn split_into(self, n: impl As<I64>) -> Arr<Key> {
        tabulate(n, |k| self.fold_in(k))
    }

    /// Integers without a sign, each of 2³² alike.
    #[must_use]
    #[track_caller]
    pub fn bits(self, n: impl As<I64>) -> Arr<U32> {
        tabulate(n, |k| {
            let [high, low] = self.block(k);
            high ^ low
        })
    }

    /// Integers without a sign, each of 2⁶⁴ alike.
    #[must_use]
    #[track_caller]
    pub fn bits64(self, n: impl As<I64>) -> Arr<U64> {
        tabulate(n, |k| {
            let [high, low] = self.block(k);
            (high.to_u64() << U64::from(32)) | low.to_u64()
        })
    }

    /// Numbers from 0 to 1, 1 excluded, each multiple of 2⁻⁵² alike.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{F64, I64, Key}};
    /// // A quarter of a circle.
    /// let pi = Program::trace(|seed: I64| {
    ///     let (x, y) = Key::new(seed).split();
    ///     let hits = x.uniform(10_000).map2(y.uniform(10_000), |x, y| (x * x + y * y).lt(1.0).to_f64());
    ///     hits.sum() * 4.0 / 10_000.0
    /// })?;
    /// assert!((pi.at::<f64>(3)? - core::f64::consts::PI).abs() < 0.06);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn uniform(self, n: impl As<I64>) -> Arr<F64> {
        tabulate(n, |k| self.fraction(k))
    }

    /// The same in single precision, each multiple of 2⁻²³ alike.
    #[must_use]
    #[track_caller]
    pub fn uniform_f32(self, n: impl As<I64>) -> Arr<F32> {
        self.bits(n).map(|bits| (bits >> U32::from(9)).to_f32() * F32::from(2.0_f32.powi(-23)))
    }

    /// A number from 0 to 1, 1 excluded.
    #[track_caller]
    fn fraction(self, place: I64) -> F64 {
        let [high, low] = self.block(place);
        // Both parts, and their sum, are exact.
        high.to_f64() * 2.0_f64.powi(-32) + (low >> U32::from(12)).to_f64() * 2.0_f64.powi(-52)
    }

    /// Numbers of the normal distribution of mean 0 and variance 1, by the transformation of Box and Muller.
    #[must_use]
    #[track_caller]
    pub fn normal(self, n: impl As<I64>) -> Arr<F64> {
        let (radius, angle) = self.split();
        tabulate(n, |k| {
            let length = ((-radius.fraction(k)).ln_1p() * -2.0).sqrt();
            length * (angle.fraction(k) * core::f64::consts::TAU).cos()
        })
    }

    /// The same in single precision.
    #[must_use]
    #[track_caller]
    pub fn normal_f32(self, n: impl As<I64>) -> Arr<F32> {
        let ((radius, angle), n) = (self.split(), n.handle());
        radius.uniform_f32(n).map2(angle.uniform_f32(n), |radius, angle| {
            ((-radius).ln_1p() * F32::from(-2.0)).sqrt() * (angle * F32::from(core::f32::consts::TAU)).cos()
        })
    }

    /// Numbers of the exponential distribution of mean 1.
    #[must_use]
    #[track_caller]
    pub fn exponential(self, n: impl As<I64>) -> Arr<F64> {
        self.uniform(n).map(|u| -(-u).ln_1p())
    }

    /// Numbers of the standard Gumbel distribution: the index of the greatest of them plus logits is drawn with the probabilities that
    /// are the softmax of the logits.
    #[must_use]
    #[track_caller]
    pub fn gumbel(self, n: impl As<I64>) -> Arr<F64> {
        self.uniform(n).map(|u| -(-u.max(f64::MIN_POSITIVE).ln()).ln())
    }

    /// Truth values that are true with a probability.
    #[must_use]
    #[track_caller]
    pub fn bernoulli(self, probability: impl As<F64>, n: impl As<I64>) -> Arr<Bool> {
        let probability = probability.handle();
        self.uniform(n).map(|u| u.lt(probability))
    }

    /// The integers below `n` in an order that is one of all alike: as indices for [`gather`](Arr::gather), they shuffle an array.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64, I64, Key}};
    /// let shuffle = Program::trace(|xs: Arr<F64>, seed: I64| xs.gather(Key::new(seed).permutation(xs.len())))?;
    /// let mut shuffled: Vec<f64> = shuffle.at(([1.0, 2.0, 3.0, 4.0], 5_i64))?;
    /// shuffled.sort_by(f64::total_cmp);
    /// assert_eq!(shuffled, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn permutation(self, n: impl As<I64>) -> Arr<I64> {
        self.bits64(n).argsort()
    }

    /// Integers from one on and below another, all alike up to a part in 2⁶⁴; where there are none, the first.
    #[must_use]
    #[track_caller]
    pub fn randint(self, n: impl As<I64>, low: impl As<I64>, high: impl As<I64>) -> Arr<I64> {
        let (low, high, n) = (low.handle(), high.handle(), n.handle());
        let count = if_(high.gt(low), || (high - low).to_u64(), || U64::from(1));
        let half = U64::from(1 << 32) % count;
        let (upper, lower) = self.split();
        let more = half * half % count;
        upper
            .bits64(n)
            .map2(lower.bits64(n), |upper, lower| low + (((upper % count) * more + lower % count) % count).to_i64())
    }
}

/// The upper and the lower half of an integer.
#[track_caller]
fn words(n: I64) -> [U32; 2] {
    [(n >> I64::from(32)).to_u32(), n.to_u32()]
}

impl IntoHandle for Key {
    type Handle = Key;
    fn into_handle(self) -> Key {
        self
    }
}

impl Handle for Key {
    type Ids = <(U32, U32) as Handle>::Ids;
    fn types(visit: &mut dyn FnMut(Type)) {
        <(U32, U32)>::types(visit);
    }
    fn ids(self) -> Self::Ids {
        (self.0, self.1).ids()
    }
    fn of(ids: Self::Ids) -> Self {
        let (high, low) = Handle::of(ids);
        Key(high, low)
    }
}

impl TraceInput for Key {
    fn input(from: &mut Inputs<'_>) -> Self {
        from.handle()
    }
    fn add_to(self, to: &mut Outputs) {
        to.handle(self);
    }
}

impl TraceOutput for Key {
    fn output(self, to: &mut Outputs) {
        to.handle(self);
    }
}

//! Discrete Fourier transforms. A complex number is a pair of reals, so a list of them is a pair of lists.
//!
//! Lists whose length is a power of two are transformed in passes over the list, each of which leaves its result in the order that
//! the next one reads (Stockham; Van Loan, "Computational Frameworks for the Fast Fourier Transform", 1992, section 1.7). Other lengths are
//! convolutions with a chirp, in transforms of a power of two (Bluestein 1970). The transform is linear, and its matrix `F` is symmetric:
//! a tangent is transformed as values are, and an adjoint by the conjugate of `F`.
//!
//! Law: element `k` is `Σⱼ xⱼ exp(−2πijk/n)`, in `O(n log n)` operations for every `n`; both modes are transforms again
//! (tests/array/words/fourier.rs).

use core::f64::consts::FRAC_PI_2;

use super::super::scope::Here;
use super::super::{Arr, As, I64, Number, custom, if_, iota, loop_for, tabulate};
use super::interpolation::bits;
use super::statistics::real;
use crate::primitives::Real;

/// The real and the imaginary parts of complex numbers.
type Complex<T> = (T, T);
type List<S> = Complex<Arr<S>>;

/// How often the rule is the rule of its own pullback too: forward mode takes two. Beyond them, derivatives are those of the passes.
const ORDERS: usize = 4;

/// The discrete Fourier transform of complex numbers, given by their real and imaginary parts: element `k` is
/// `Σⱼ xⱼ exp(−2πijk/n)`. Lists of different lengths are an error of the program; of no elements there are none.
///
/// Lengths are any, and the cheapest are powers of two. Of a matrix, the rows are transformed by
/// `re.map2(im, |re, im| fft((re, im)))`, and columns as the rows of the transposes. The adjoint of an input is that of the output,
/// transformed by the conjugate matrix: `n` times what [`ifft`] makes of it.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, fft}};
/// let transform = Program::trace(|re: Arr<F64>, im: Arr<F64>| fft((re, im)))?;
/// let found: (Vec<f64>, Vec<f64>) = transform.at(([1.0, 2.0, 0.0, 0.0], [0.0; 4]))?;
/// assert_eq!(found, (vec![3.0, 1.0, -1.0, 1.0], vec![0.0, -2.0, 0.0, 2.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn fft<S: Number + Real>(x: (Arr<S>, Arr<S>)) -> (Arr<S>, Arr<S>) {
    let _here = Here::new();
    transformed(ORDERS, x)
}

/// The way back from [`fft`]: element `j` is `Σₖ xₖ exp(2πijk/n)/n`.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, fft, ifft}};
/// // The circular convolution of two lists of reals.
/// let convolve = Program::trace(|x: Arr<F64>, y: Arr<F64>| {
///     let ((a, b), (c, d)) = (fft((x, x.zeros_like())), fft((y, y.zeros_like())));
///     ifft((a * c - b * d, a * d + b * c)).0
/// })?;
/// assert_eq!(convolve.at::<Vec<f64>>(([1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, 0.0]))?, [4.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn ifft<S: Number + Real>(x: (Arr<S>, Arr<S>)) -> (Arr<S>, Arr<S>) {
    let _here = Here::new();
    let n = real::<S>(x.0.len());
    let (re, im) = conjugate(ORDERS, x);
    (re.map(|x| x / n), im.map(|x| x / n))
}

/// The first half of the [Fourier transform](fft) of `n` reals, `n/2 + 1` elements, which determines the other. Of no elements it is an error
/// of the program.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, irfft, rfft}};
/// let both = Program::trace(|x: Arr<F64>| {
///     let half = rfft(x);
///     (half, irfft(half, x.len()))
/// })?;
/// let ((re, im), back): ((Vec<f64>, Vec<f64>), Vec<f64>) = both.at([1.0, 2.0, 0.0, 0.0])?;
/// assert_eq!((re, im, back), (vec![3.0, 1.0, -1.0], vec![0.0, -2.0, 0.0], vec![1.0, 2.0, 0.0, 0.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[must_use]
#[track_caller]
pub fn rfft<S: Number + Real>(x: Arr<S>) -> (Arr<S>, Arr<S>) {
    let _here = Here::new();
    let half = x.len() / 2 + 1;
    let (re, im) = transformed(ORDERS, (x, x.zeros_like()));
    (re.take(half), im.take(half))
}

/// The way back from [`rfft`] to `n` reals. It takes the first `n/2 + 1` elements, which have to be there, or it is an error of the program;
/// of the first, and for an even `n` of the last of them, the imaginary part is not read.
#[must_use]
#[track_caller]
pub fn irfft<S: Number + Real>((re, im): (Arr<S>, Arr<S>), n: impl As<I64>) -> Arr<S> {
    let _here = Here::new();
    let n = n.handle();
    let half = n / 2 + 1;
    let all = tabulate(n, |k| if_(k.lt(half), || (re.index(k), im.index(k)), || (re.index(n - k), -im.index(n - k))));
    ifft(all.unzip()).0
}

/// The transform, with a rule for this many orders of derivatives.
#[track_caller]
fn transformed<S: Number + Real>(orders: usize, x: List<S>) -> List<S> {
    let Some(orders) = orders.checked_sub(1) else { return computed(x) };
    custom(x, computed, |_, adjoint| conjugate(orders, adjoint))
}

/// The transform by the conjugate matrix. With real and imaginary parts exchanged it is the other one.
#[track_caller]
fn conjugate<S: Number + Real>(orders: usize, (re, im): List<S>) -> List<S> {
    let (im, re) = transformed(orders, (im, re));
    (re, im)
}

#[track_caller]
fn product<S: Number + Real>((a, b): Complex<S>, (c, d): Complex<S>) -> Complex<S> {
    (a * c - b * d, a * d + b * c)
}

/// `exp(−2πi part/whole)`. Angles are those to the nearest quarter of the turn, so quarters are exact.
#[track_caller]
fn turn<S: Number + Real>(part: I64, whole: I64) -> Complex<S> {
    let quarter = (part * 8 + whole) / (whole * 2);
    let angle = S::from(-FRAC_PI_2) * (real::<S>(part * 4 - quarter * whole) / real::<S>(whole));
    let (cos, sin) = (angle.cos(), angle.sin());
    let (cos, sin) = if_((quarter & 2).eq(0), || (cos, sin), || (-cos, -sin));
    if_((quarter & 1).eq(0), || (cos, sin), || (sin, -cos))
}

#[track_caller]
fn computed<S: Number + Real>((re, im): List<S>) -> List<S> {
    let n = re.len();
    let is_power = (n & (n - 1)).eq(0);
    let size = if_(is_power, || n, || I64::from(2) << passes(n));
    // Of squares the remainder, since angles of full turns say nothing but rounding.
    let chirp = |k: I64| turn::<S>(k * k % (n * 2), n * 2);
    let padded = || {
        let product = re.map3(im, iota(n), |re, im, k| product((re, im), chirp(k)));
        let (re, im) = product.unzip();
        (re.pad(0, size - n, S::zero()), im.pad(0, size - n, S::zero()))
    };
    let spectrum = by_powers(size, if_(is_power, || (re, im), padded));
    let convolved = || {
        let kernel = tabulate(size, |k| {
            let k = k.min(size - k);
            let conjugate = || {
                let (re, im) = chirp(k);
                (re, -im)
            };
            if_(k.lt(n), conjugate, || (S::zero(), S::zero()))
        });
        let kernel = by_powers(size, kernel.unzip());
        let products = spectrum.0.zip(spectrum.1).map2(kernel.0.zip(kernel.1), product);
        // The way back, by the exchange of parts.
        let (re, im) = products.unzip();
        let (im, re) = by_powers(size, (im, re));
        let scale = real::<S>(size);
        tabulate(n, |k| product((re.index(k) / scale, im.index(k) / scale), chirp(k))).unzip()
    };
    if_(is_power, || spectrum, convolved)
}

/// The logarithm of a length by base 2, rounded up.
#[track_caller]
fn passes(n: I64) -> I64 {
    bits((n - 1).max(0))
}

/// The transform of a list whose length is a power of two, or 0. In a pass, numbers at a distance of half the list become their sum and
/// their difference, which is turned; these are the neighbours of blocks that double from pass to pass.
#[track_caller]
fn by_powers<S: Number + Real>(n: I64, x: List<S>) -> List<S> {
    let half = n / 2;
    let turns = tabulate(half, |k| turn::<S>(k, n));
    loop_for(passes(n), x, |pass, (re, im): List<S>| {
        let pairs = re.take(half).zip3(im.take(half), re.drop(half)).zip3(im.drop(half), iota(half));
        let (sums, turned) = pairs
            .map(|((a, b, c), d, k)| {
                let factor = turns.index((k >> pass) << pass);
                ((a + c, b + d), product((a - c, b - d), factor))
            })
            .unzip();
        let block = I64::from(1) << pass;
        let interleaved = |sum: Arr<S>, turned: Arr<S>| {
            sum.concat(turned).reshape([2.into(), half / block, block]).permute([1, 0]).reshape([n])
        };
        let ((sum_re, sum_im), (turned_re, turned_im)) = (sums.unzip(), turned.unzip());
        (interleaved(sum_re, turned_re), interleaved(sum_im, turned_im))
    })
}

//! Functions for forward mode: a polynomial two ways, and one step of three bodies in the plane.

use super::Map;
use crate::scalar::Scalar;

/// How many terms the polynomials have.
const TERMS: usize = 30;

/// Coefficients of the size of `1/k`, of both signs.
fn coefficients() -> [f64; TERMS] {
    std::array::from_fn(|k| if k % 3 == 0 { -1.0 } else { 1.0 } / (k + 1) as f64)
}

/// A polynomial of 30 terms in one variable, by Horner's rule.
#[derive(Clone, Debug)]
pub struct Horner([f64; TERMS]);

/// The same polynomial, term by term with `powi`.
///
/// The exponents are data: were they a range, whose loop gets unrolled into constant powers, and
/// whose does not, would decide the table.
#[derive(Clone, Debug)]
pub struct Powers {
    terms: Vec<(i32, f64)>,
}

impl Default for Horner {
    fn default() -> Self {
        Horner(coefficients())
    }
}

impl Default for Powers {
    fn default() -> Self {
        Powers { terms: (0..).zip(coefficients()).collect() }
    }
}

impl Map for Horner {
    fn outputs(&self) -> usize {
        1
    }

    #[inline]
    fn eval<S: Scalar>(&self, x: &[S], y: &mut [S]) {
        let x = x[0];
        let [rest @ .., second, first] = &self.0;
        let top = x.times(*first).plus(*second);
        y[0] = rest.iter().rev().fold(top, |sum, &c| (sum * x).plus(c));
    }
}

impl Map for Powers {
    fn outputs(&self) -> usize {
        1
    }

    #[inline]
    fn eval<S: Scalar>(&self, x: &[S], y: &mut [S]) {
        let x = x[0];
        let term = |&(k, c): &(i32, f64)| x.powi(k).times(c);
        let first = term(&self.terms[1]).plus(self.terms[0].1);
        y[0] = self.terms[2..].iter().fold(first, |sum, of| sum + term(of));
    }
}

/// One leapfrog step (kick, drift, kick) of three bodies in the plane.
///
/// The twelve numbers are `x0 y0 x1 y1 x2 y2` and then the velocities in the same order.
#[derive(Clone, Debug)]
pub struct ThreeBody {
    masses: [f64; 3],
    step: f64,
}

impl Default for ThreeBody {
    fn default() -> Self {
        ThreeBody { masses: [1.0, 0.9, 1.1], step: 1e-2 }
    }
}

impl ThreeBody {
    /// A state near the figure-of-eight orbit.
    pub const STATE: [f64; 12] = [
        0.970_004_36,
        -0.243_087_53,
        -0.970_004_36,
        0.243_087_53,
        0.01,
        -0.02, //
        0.466_203_685,
        0.432_365_73,
        0.466_203_685,
        0.432_365_73,
        -0.932_407_37,
        -0.864_731_46,
    ];

    /// The pull per unit mass between bodies `i` and `j`: `d / |d|³`, with `d` from `i` to `j`.
    #[inline]
    fn pull<S: Scalar>(at: &[S; 6], i: usize, j: usize) -> [S; 2] {
        let dx = at[2 * j] - at[2 * i];
        let dy = at[2 * j + 1] - at[2 * i + 1];
        let r2 = dx * dx + dy * dy;
        let r3 = r2 * r2.sqrt();
        [dx / r3, dy / r3]
    }

    #[inline]
    fn acceleration<S: Scalar>(&self, at: &[S; 6]) -> [S; 6] {
        let [m0, m1, m2] = self.masses;
        let [p01, p02, p12] = [Self::pull(at, 0, 1), Self::pull(at, 0, 2), Self::pull(at, 1, 2)];
        std::array::from_fn(|k| {
            let axis = k % 2;
            match k / 2 {
                0 => p01[axis].times(m1) + p02[axis].times(m2),
                1 => p12[axis].times(m2) - p01[axis].times(m0),
                _ => p02[axis].times(-m0) - p12[axis].times(m1),
            }
        })
    }
}

impl Map for ThreeBody {
    fn outputs(&self) -> usize {
        12
    }

    #[inline]
    fn eval<S: Scalar>(&self, x: &[S], y: &mut [S]) {
        let half = 0.5 * self.step;
        let at: [S; 6] = std::array::from_fn(|k| x[k]);
        let pulled = self.acceleration(&at);
        let speed: [S; 6] = std::array::from_fn(|k| x[6 + k] + pulled[k].times(half));
        let moved: [S; 6] = std::array::from_fn(|k| at[k] + speed[k].times(self.step));
        let pulled = self.acceleration(&moved);
        for k in 0..6 {
            y[k] = moved[k];
            y[6 + k] = speed[k] + pulled[k].times(half);
        }
    }
}

//! echidna: `Dual` and `DualVec` forward; in reverse its pooled Adept-style tape, and its bytecode
//! tape recorded once and replayed.

use echidna::{BReverse, BytecodeTape};
pub use echidna::{Dual, DualVec};

use super::{Forward, Reverse};
use crate::scalar::Scalar;
use crate::workloads::Objective;
use crate::{elementary_by, mixed_by_operators};

macro_rules! scalar_by_float {
    () => {
        #[inline]
        fn value(self) -> f64 {
            echidna::Scalar::value(&self)
        }
        mixed_by_operators!();
        elementary_by!(Self as num_traits::Float);
    };
}

impl Scalar for Dual<f64> {
    scalar_by_float!();
}

impl<const N: usize> Scalar for DualVec<f64, N> {
    scalar_by_float!();
}

impl Scalar for echidna::Reverse<f64> {
    scalar_by_float!();
}

impl Scalar for BReverse<f64> {
    scalar_by_float!();
}

impl Forward for Dual<f64> {
    const NAME: &'static str = "echidna Dual";
    const LANES: usize = 1;
    #[inline]
    fn constant(value: f64) -> Self {
        Dual::constant(value)
    }
    #[inline]
    fn seed(value: f64, _: usize, by: f64) -> Self {
        Dual::new(value, by)
    }
    #[inline]
    fn tangent(&self, _: usize) -> f64 {
        self.eps
    }
}

impl<const N: usize> Forward for DualVec<f64, N> {
    const NAME: &'static str = "echidna DualVec";
    const LANES: usize = N;
    #[inline]
    fn constant(value: f64) -> Self {
        DualVec::constant(value)
    }
    #[inline]
    fn seed(value: f64, lane: usize, by: f64) -> Self {
        let mut seeded = DualVec::constant(value);
        seeded.eps[lane] = by;
        seeded
    }
    #[inline]
    fn tangent(&self, lane: usize) -> f64 {
        self.eps[lane]
    }
}

/// `echidna::grad`, which takes its tape from a pool and gives it back.
#[derive(Debug)]
pub struct Adept;

impl Reverse for Adept {
    const NAME: &'static str = "echidna grad";

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(Adept)
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        *into = echidna::grad(|x| f.value(x), x);
    }
}

/// A bytecode tape, recorded once, then replayed: the user's function does not run again, so a
/// branch that another input would take is not followed. (Its optimiser, run after recording, makes
/// no measurable difference to these functions and raises the peak, so it is not run.)
pub struct Recorded {
    tape: BytecodeTape<f64>,
    adjoints: Vec<f64>,
}

impl Reverse for Recorded {
    const NAME: &'static str = "echidna BytecodeTape (replay)";

    fn prepare<O: Objective>(f: &O, x: &[f64]) -> Result<Self, String> {
        let (tape, _) = echidna::record(|x| f.value(x), x);
        Ok(Recorded { tape, adjoints: Vec::new() })
    }

    fn gradient<O: Objective>(&mut self, _: &O, x: &[f64], into: &mut Vec<f64>) {
        *into = self.tape.gradient_with_buf(x, &mut self.adjoints);
    }
}

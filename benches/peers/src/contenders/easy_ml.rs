//! easy-ml: `Trace` forward, and `Record` over a cleared and reused `WengertList` in reverse.

pub use easy_ml::differentiation::Trace;
use easy_ml::differentiation::record_operations::SwappedOperations;
use easy_ml::differentiation::{Record, WengertList};
use easy_ml::numeric::extra::{Exp, Ln, Pow, Sqrt};

use super::{Forward, Reverse};
use crate::mixed_by_operators;
use crate::scalar::Scalar;
use crate::workloads::Objective;

/// The elementary functions, each a trait of its own in easy-ml; powers take a real exponent.
macro_rules! elementary_by_numeric {
    () => {
        #[inline]
        fn value(self) -> f64 {
            self.number
        }
        #[inline]
        fn exp(self) -> Self {
            Exp::exp(self)
        }
        #[inline]
        fn ln(self) -> Self {
            Ln::ln(self)
        }
        #[inline]
        fn sqrt(self) -> Self {
            Sqrt::sqrt(self)
        }
        #[inline]
        fn powi(self, n: i32) -> Self {
            Pow::pow(self, f64::from(n))
        }
    };
}

impl Scalar for Trace<f64> {
    mixed_by_operators!(|c, x| -x + c);
    elementary_by_numeric!();
}

impl Scalar for Record<'_, f64> {
    mixed_by_operators!(|c, x| x.sub_swapped(c));
    elementary_by_numeric!();
}

impl Forward for Trace<f64> {
    const NAME: &'static str = "easy-ml Trace";
    const LANES: usize = 1;
    #[inline]
    fn constant(value: f64) -> Self {
        Trace::constant(value)
    }
    #[inline]
    fn seed(value: f64, _: usize, by: f64) -> Self {
        Trace { number: value, derivative: by }
    }
    #[inline]
    fn tangent(&self, _: usize) -> f64 {
        self.derivative
    }
}

/// A list that is cleared between gradients and keeps its memory.
#[derive(Debug)]
pub struct Wengert(WengertList<f64>);

impl Reverse for Wengert {
    const NAME: &'static str = "easy-ml Record";

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(Wengert(WengertList::new()))
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        let Wengert(list) = self;
        list.clear();
        let variables: Vec<_> = x.iter().map(|&x| Record::variable(x, list)).collect();
        let swept = f.value(&variables).derivatives();
        into.clear();
        into.extend(variables.iter().map(|v| swept.at(v)));
    }
}

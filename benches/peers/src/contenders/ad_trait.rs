//! ad_trait: `adfn<N>` forward, and `adr` over its thread's global graph in reverse.

use ad_trait::forward_ad::ForwardADTrait;
pub use ad_trait::forward_ad::adfn::adfn;
use ad_trait::reverse_ad::adr::{GlobalComputationGraph, adr};
use ad_trait::{AD, F64};
use simba::scalar::ComplexField;

use super::{Forward, Reverse};
use crate::elementary_by;
use crate::scalar::Scalar;
use crate::workloads::Objective;

/// ad_trait mixes in constants through its wrapper `F64`, and `c - x` through its trait.
macro_rules! mixed_by_wrapper {
    () => {
        #[inline]
        fn value(self) -> f64 {
            self.to_constant()
        }
        #[inline]
        fn plus(self, c: f64) -> Self {
            self + F64(c)
        }
        #[inline]
        fn minus(self, c: f64) -> Self {
            self - F64(c)
        }
        #[inline]
        fn taken_from(self, c: f64) -> Self {
            AD::sub_l_scalar(c, self)
        }
        #[inline]
        fn times(self, c: f64) -> Self {
            self * F64(c)
        }
    };
}

impl<const N: usize> Scalar for adfn<N> {
    mixed_by_wrapper!();
    elementary_by!(Self as ComplexField);
}

impl Scalar for adr {
    mixed_by_wrapper!();
    elementary_by!(Self as ComplexField);
}

impl<const N: usize> Forward for adfn<N> {
    const NAME: &'static str = "ad_trait adfn";
    const LANES: usize = N;
    #[inline]
    fn constant(value: f64) -> Self {
        adfn::new_constant(value)
    }
    #[inline]
    fn seed(value: f64, lane: usize, by: f64) -> Self {
        let mut seeded = adfn::new_constant(value);
        seeded.set_tangent_value(lane, by);
        seeded
    }
    #[inline]
    fn tangent(&self, lane: usize) -> f64 {
        adfn::tangent(self)[lane]
    }
}

/// The steps of ad_trait's own `ReverseAD::derivative`, without the 1×n matrix it returns: reset
/// the graph (which keeps its memory), make the variables, run, sweep.
#[derive(Debug)]
pub struct GlobalGraph(Vec<adr>);

impl Reverse for GlobalGraph {
    const NAME: &'static str = "ad_trait adr";

    fn prepare<O: Objective>(_: &O, x: &[f64]) -> Result<Self, String> {
        Ok(GlobalGraph(Vec::with_capacity(x.len())))
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        let GlobalGraph(variables) = self;
        GlobalComputationGraph::get().reset();
        variables.clear();
        variables.extend(x.iter().map(|&x| adr::new_variable(x, false)));
        let swept = f.value(variables).get_backwards_mode_grad();
        into.clear();
        into.extend(variables.iter().map(|v| swept.wrt(v)));
    }
}

//! Who is measured: the traits a contender implements, and the list of them all.
//!
//! To add one: write `contenders/<name>.rs` with an `impl` of [`Forward`] (for a number that
//! carries tangents) or of [`Reverse`] (for something that takes gradients), and add one line to
//! [`each_forward!`](crate::each_forward) or [`each_reverse!`](crate::each_reverse).

pub mod ad_trait;
pub mod autodiff;
pub mod cppad;
pub mod easy_ml;
pub mod echidna;
pub mod hand;
pub mod hyperdual;
pub mod num_dual;
pub mod ours;
pub mod reverse;
pub mod rustquant;

use crate::scalar::Scalar;
use crate::workloads::Objective;

/// What a row of a table stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The function itself, in `f64`: the unit of the ratios.
    Primal,
    /// Written by hand for this bench, as plainly as a person would.
    Hand,
    /// Another library.
    Peer,
    /// catadiff.
    Ours,
}

/// A number that carries tangents forward.
pub trait Forward: Scalar {
    /// How the row is called.
    const NAME: &'static str;
    /// What the row stands for.
    const KIND: Kind = Kind::Peer;
    /// How many tangents it carries.
    const LANES: usize;
    /// A number with no tangent.
    fn constant(value: f64) -> Self;
    /// A number whose tangent is `by` in one lane and zero in the others.
    fn seed(value: f64, lane: usize, by: f64) -> Self;
    /// The tangent in one lane.
    fn tangent(&self, lane: usize) -> f64;
}

/// Something that takes gradients by sweeping backwards.
pub trait Reverse: Sized {
    /// How the row is called.
    const NAME: &'static str;
    /// What the row stands for.
    const KIND: Kind = Kind::Peer;
    /// What is done once and not timed: allocating a tape, or recording one that is replayed.
    ///
    /// # Errors
    /// Why this contender cannot differentiate `f`; it is then omitted by name.
    fn prepare<O: Objective>(f: &O, x: &[f64]) -> Result<Self, String>;
    /// Fills `into` with the gradient of `f` at `x`, the fastest way the library documents.
    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>);
}

/// Calls `$with!(Number)` for every forward contender.
#[macro_export]
macro_rules! each_forward {
    ($with:ident) => {{
        use $crate::contenders as c;
        $with!(c::ours::One);
        $with!(c::ours::Eight);
        $with!(c::ours::Sixteen);
        $with!(c::hand::HandDual);
        $with!(c::hand::HandVec<8>);
        $with!(c::hand::HandVec<16>);
        $with!(c::num_dual::Dual64);
        $with!(c::num_dual::DualSVec64<8>);
        $with!(c::num_dual::DualSVec64<16>);
        $with!(c::autodiff::F1);
        $with!(c::ad_trait::adfn<1>);
        $with!(c::ad_trait::adfn<8>);
        $with!(c::ad_trait::adfn<16>);
        $with!(c::hyperdual::Hyperdual<f64, 2>);
        $with!(c::hyperdual::Hyperdual<f64, 9>);
        $with!(c::hyperdual::Hyperdual<f64, 17>);
        $with!(c::easy_ml::Trace<f64>);
        $with!(c::echidna::Dual<f64>);
        $with!(c::echidna::DualVec<f64, 8>);
        $with!(c::echidna::DualVec<f64, 16>);
    }};
}

/// Calls `$with!(Contender)` for every reverse contender.
#[macro_export]
macro_rules! each_reverse {
    ($with:ident) => {{
        use $crate::contenders as c;
        $with!(c::ours::Kept);
        $with!(c::ours::Verb);
        $with!(c::ours::Replayed);
        $with!(c::hand::HandAdjoint);
        $with!(c::echidna::Adept);
        $with!(c::echidna::Recorded);
        $with!(c::ad_trait::GlobalGraph);
        $with!(c::reverse::Tape);
        $with!(c::rustquant::Graph);
        $with!(c::easy_ml::Wengert);
    }};
}

//! catadiff: dual numbers over `f64` and over a dense block of lanes; in reverse the verb `grad`,
//! a tape that its owner keeps, and a recording that is replayed.

use catadiff::carriers::{Dense, Dual, Recorded, Tape};
use catadiff::derivative::Workspace;
use catadiff::{Elementary, Module, Recording};
use generic_array::{ArrayLength, typenum};

use super::{Forward, Kind, Reverse};
use crate::scalar::Scalar;
use crate::workloads::Objective;
use crate::{elementary_by, mixed_by_operators};

/// One tangent.
pub type One = Dual<f64, f64>;
/// Eight tangents.
pub type Eight = Dual<f64, Dense<f64, typenum::U8>>;
/// Sixteen tangents.
pub type Sixteen = Dual<f64, Dense<f64, typenum::U16>>;

/// Every mode's number is a dual number, so this is every mode's arithmetic.
impl<M: Module<f64> + Copy> Scalar for Dual<f64, M> {
    #[inline]
    fn value(self) -> f64 {
        self.value
    }
    mixed_by_operators!();
    elementary_by!(Self as Elementary);
}

impl Scalar for Recorded<'_, f64> {
    #[inline]
    fn value(self) -> f64 {
        self.primal().expect("a recorded number has a value")
    }
    mixed_by_operators!();
    elementary_by!(Self as Elementary);
}

impl Forward for One {
    const NAME: &'static str = "catadiff Dual";
    const KIND: Kind = Kind::Ours;
    const LANES: usize = 1;
    #[inline]
    fn constant(value: f64) -> Self {
        Dual { value, tangent: 0.0 }
    }
    #[inline]
    fn seed(value: f64, _: usize, by: f64) -> Self {
        Dual { value, tangent: by }
    }
    #[inline]
    fn tangent(&self, _: usize) -> f64 {
        self.tangent
    }
}

impl<N: ArrayLength> Forward for Dual<f64, Dense<f64, N>>
where
    Dense<f64, N>: Copy,
{
    const NAME: &'static str = "catadiff Dense";
    const KIND: Kind = Kind::Ours;
    const LANES: usize = N::USIZE;
    #[inline]
    fn constant(value: f64) -> Self {
        Dual { value, tangent: Dense::zero_tangent() }
    }
    #[inline]
    fn seed(value: f64, lane: usize, by: f64) -> Self {
        let mut seeded = <Self as Forward>::constant(value);
        seeded.tangent.0[lane] = by;
        seeded
    }
    #[inline]
    fn tangent(&self, lane: usize) -> f64 {
        self.tangent[lane]
    }
}

/// A tape kept from one gradient to the next.
#[derive(Debug)]
pub struct Kept(Tape<f64>);

impl Reverse for Kept {
    const NAME: &'static str = "catadiff Tape";
    const KIND: Kind = Kind::Ours;

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(Kept(Tape::new()))
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        into.resize(x.len(), 0.0);
        let Kept(tape) = self;
        tape.value_and_grad(|x| f.value(x), x, into).expect("the workloads are finite");
    }
}

/// The verb, on a new tape every time.
#[derive(Debug)]
pub struct Verb;

impl Reverse for Verb {
    const NAME: &'static str = "catadiff grad (new tape)";
    const KIND: Kind = Kind::Ours;

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(Verb)
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        *into = catadiff::grad(|x| f.value(x), x).expect("the workloads are finite");
    }
}

/// A recording, replayed: the function does not run again, and another branch than the recorded one is refused.
#[derive(Debug)]
pub struct Replayed {
    program: Recording,
    workspace: Workspace,
}

impl Reverse for Replayed {
    const NAME: &'static str = "catadiff record (replay)";
    const KIND: Kind = Kind::Ours;

    fn prepare<O: Objective>(f: &O, x: &[f64]) -> Result<Self, String> {
        let program = catadiff::record(|x| vec![f.value(x)], x).map_err(|error| error.to_string())?;
        Ok(Replayed { program, workspace: Workspace::new() })
    }

    fn gradient<O: Objective>(&mut self, _: &O, x: &[f64], into: &mut Vec<f64>) {
        into.resize(x.len(), 0.0);
        self.program.value_and_grad_into(&mut self.workspace, x, into).expect("the workloads are finite");
    }
}

//! How many elements arrays have, and how many operations bodies execute, for arguments of known sizes.
//!
//! Law: a size that is given here is that of every run with such arguments; what is not known is given as such, and counted as few
//! (tests/gpu/distribute.rs).

use core::convert::Infallible;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::array::{Atom, Body, Const, Form, Op, Operands, Program, ScalarOp, Shape, Shapes, SizeDomain, Typing, Var};
use crate::interpret::{Scalar, Value};
use crate::optimise::fold;
use crate::optimise::fuse_maps::scalar_work;

/// What is known of an argument: its sizes, and its value if it is an integer that could be one.
pub(crate) type Known = Shape<i64>;

/// What is known of this argument.
pub(crate) fn known(argument: &Value<f64>) -> Known {
    match argument {
        Value::Scalar(Scalar::I64(n)) => Shape::scalar(Some(*n)),
        Value::Scalar(_) => Shape::scalar(None),
        Value::Array(array) => sized(array.sizes()),
    }
}

/// What is known of an array of these sizes.
pub(crate) fn sized(sizes: &[usize]) -> Known {
    Shape::array(sizes.iter().map(|size| i64::try_from(*size).ok()))
}

/// The trips of a loop, and the length of an array, of which nothing is known.
const UNKNOWN: u64 = 4;

/// The sizes of the variables of a program.
pub(super) struct Work {
    shapes: Shapes<Arguments>,
    /// The sizes of variables that the program has not had before.
    new: FxHashMap<Var, SmallVec<[Option<i64>; 2]>>,
}

impl Work {
    pub(super) fn of(program: &Program, arguments: &[Known]) -> Self {
        let params = program.function.params.iter().copied();
        let arguments = Arguments(params.zip(arguments.iter().cloned()).collect());
        let mut shapes = Shapes::over(arguments);
        let given = program.function.params.iter().map(|param| shapes.of(Atom::Var(*param))).collect();
        let Ok(_) = shapes.apply(&program.function, given);
        Work { shapes, new: FxHashMap::default() }
    }

    pub(super) fn sizes(&mut self, of: Atom) -> SmallVec<[Option<i64>; 2]> {
        let new = of.var().and_then(|var| self.new.get(&var).cloned());
        new.unwrap_or_else(|| self.shapes.of(of).sizes)
    }

    /// Gives a new variable its sizes.
    pub(super) fn learn(&mut self, var: Var, sizes: SmallVec<[Option<i64>; 2]>) {
        self.new.insert(var, sizes);
    }

    /// How long an array is, if that is known.
    pub(super) fn length(&mut self, array: Atom) -> Option<u64> {
        u64::try_from(self.sizes(array).first().copied().flatten()?).ok()
    }

    /// How many elements a value has, as far as is known.
    pub(super) fn elements(&mut self, of: Atom) -> u64 {
        let known = |size: Option<i64>| size.and_then(|n| u64::try_from(n).ok()).unwrap_or(1);
        self.sizes(of).into_iter().map(known).fold(1, u64::saturating_mul)
    }

    /// How many operations a body executes, about.
    pub(super) fn of_body(&mut self, body: &Body) -> u64 {
        body.stms.iter().map(|stm| self.of_op(&stm.op)).fold(0, u64::saturating_add)
    }

    /// How many operations one executes, about.
    pub(super) fn of_op(&mut self, op: &Op) -> u64 {
        let times = match op {
            Op::Scalar(op, _) => return scalar_work(*op),
            Op::Map(map) => self.length(map.arrays[0]).unwrap_or(UNKNOWN),
            Op::Reduce(it) | Op::Scan(it) => self.length(it.arrays[0]).unwrap_or(UNKNOWN),
            Op::Hist(it) => self.length(it.indices).unwrap_or(UNKNOWN),
            Op::Loop(it) => match &it.form {
                Form::For(_, bound) => self.number(*bound).unwrap_or(UNKNOWN),
                Form::While { .. } => UNKNOWN,
            },
            Op::Accumulate(_, _, value) => return self.elements(*value),
            _ => 1,
        };
        let once = op.bodies().map(|body| self.of_body(body)).fold(0, u64::saturating_add);
        times.saturating_mul(once)
    }

    fn number(&mut self, atom: Atom) -> Option<u64> {
        u64::try_from(self.shapes.of(atom).number?).ok()
    }
}

/// Sizes are numbers.
struct Arguments(FxHashMap<Var, Known>);

impl SizeDomain for Arguments {
    type Size = i64;
    type Stop = Infallible;

    fn shape(&mut self, atom: Atom) -> Known {
        match atom {
            Atom::Const(Const::I64(n)) => Shape::scalar(Some(n)),
            Atom::Const(_) => Shape::scalar(None),
            Atom::Var(var) => self.0.get(&var).cloned().unwrap_or_else(|| Shape::scalar(None)),
        }
    }

    fn constant(&mut self, n: usize) -> i64 {
        i64::try_from(n).expect("a program is shorter than 2^63")
    }

    fn sum(&mut self, a: i64, b: i64) -> Option<i64> {
        a.checked_add(b)
    }

    fn scalar(&mut self, op: ScalarOp, operands: &[i64]) -> Option<i64> {
        let operands: Operands = operands.iter().map(|n| Atom::Const(Const::I64(*n))).collect();
        fold(op, &operands)?.as_int()
    }
}

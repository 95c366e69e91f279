//! The shapes of results, from those of operands: one analysis, generic in what is known of a size.
//!
//! Law: a size that is found is the one that every run finds. Of an operation without bodies the operands say it; what
//! is known of a function's results holds for every application, and of a loop variable before and after every
//! iteration (laws: array_sizes, tests/transform/sizes.rs).
//!
//! A [`SizeDomain`] says what a size is: a number where programs are interpreted, an operand of code where they are lowered, a
//! size of an array in scope where they are rewritten.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::iteration::Form;
use super::operation::{Loop, Op};
use super::program::{Atom, Body, Lambda, Var};
use super::scalar::ScalarOp;
use super::verify::deeper;

/// What is known of a value: each of its sizes, and what it is if it is an integer that could be a size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape<S> {
    pub(crate) sizes: SmallVec<[Option<S>; 2]>,
    pub(crate) number: Option<S>,
}

impl<S: Clone + PartialEq> Shape<S> {
    /// A scalar, and its value if that is a known integer.
    pub(crate) fn scalar(number: Option<S>) -> Self {
        Shape { sizes: SmallVec::new(), number }
    }

    /// An array of these sizes; a scalar if there are none.
    pub(crate) fn array(sizes: impl IntoIterator<Item = Option<S>>) -> Self {
        Shape { sizes: sizes.into_iter().collect(), number: None }
    }

    /// An element of the outermost dimension.
    pub(crate) fn element(&self) -> Self {
        Shape::array(self.sizes.iter().skip(1).cloned())
    }

    /// An array of `length` of these.
    pub(crate) fn arrayed(self, length: Option<S>) -> Self {
        Shape::array(core::iter::once(length).chain(self.sizes))
    }

    /// What holds of both.
    fn or(&self, other: &Self) -> Self {
        let both = |(a, b): (&Option<S>, &Option<S>)| if a == b { a.clone() } else { None };
        let sizes = self.sizes.iter().zip(&other.sizes).map(both).collect();
        Shape { sizes, number: both((&self.number, &other.number)) }
    }
}

/// What a size is, and how much is known of the values in scope.
pub(crate) trait SizeDomain {
    /// A size, or an integer that could be one.
    type Size: Clone + PartialEq;

    /// What is known of an operand.
    fn shape(&mut self, atom: Atom) -> Shape<Self::Size>;

    /// The size that is this number.
    fn constant(&mut self, n: usize) -> Self::Size;

    /// The size that an integer is, if it is one.
    fn size(&self, number: Self::Size) -> Option<Self::Size> {
        Some(number)
    }

    /// The size of two arrays, one after the other.
    fn sum(&mut self, a: Self::Size, b: Self::Size) -> Option<Self::Size>;

    /// The integer that an operation makes of integers, if it has a value for sure.
    fn scalar(&mut self, _op: ScalarOp, _operands: &[Self::Size]) -> Option<Self::Size> {
        None
    }
}

/// The shape of the result of an operation, if it has one result and its operands say what shape that is.
pub(crate) fn result_shape<D: SizeDomain>(op: &Op, domain: &mut D) -> Option<Shape<D::Size>> {
    fn size<D: SizeDomain>(domain: &mut D, number: Atom) -> Option<D::Size> {
        domain.shape(number).number.and_then(|n| domain.size(n))
    }
    Some(match op {
        Op::Scalar(op, operands) => {
            let operands: Option<SmallVec<[D::Size; 2]>> = operands.iter().map(|a| domain.shape(*a).number).collect();
            Shape::scalar(operands.and_then(|operands| domain.scalar(*op, &operands)))
        }
        Op::Copy(a) | Op::ToAccumulator(a) | Op::FromAccumulator(a) | Op::Reverse(a) => domain.shape(*a),
        Op::Update(a, ..) | Op::Accumulate(a, ..) => domain.shape(*a),
        Op::Scatter(it) => domain.shape(it.destination),
        Op::Iota(n) => Shape::array([size(domain, *n)]),
        Op::Replicate(n, a) => domain.shape(*a).arrayed(size(domain, *n)),
        Op::Elements(atoms) => {
            let count = domain.constant(atoms.len());
            domain.shape(atoms[0]).arrayed(Some(count))
        }
        Op::Size(a, dimension) => Shape::scalar(domain.shape(*a).sizes[*dimension].clone()),
        Op::Index(a, indices) => Shape::array(domain.shape(*a).sizes.into_iter().skip(indices.len())),
        Op::Slice(a, ranges) => {
            let counts: SmallVec<[Option<D::Size>; 2]> = ranges.iter().map(|r| size(domain, r.count)).collect();
            Shape::array(counts.into_iter().chain(domain.shape(*a).sizes.into_iter().skip(ranges.len())))
        }
        Op::Permute(a, order) => {
            let sizes = domain.shape(*a).sizes;
            Shape::array(order.iter().map(|d| sizes[*d].clone()))
        }
        Op::Reshape(_, sizes) => Shape::array(sizes.iter().map(|n| size(domain, *n))),
        Op::Concat(atoms) => {
            let first = domain.shape(atoms[0]);
            let lengths = atoms[1..].iter().map(|a| domain.shape(*a).sizes[0].clone()).collect::<Vec<_>>();
            let add = |sum: Option<D::Size>, n: Option<D::Size>| sum.zip(n).and_then(|(sum, n)| domain.sum(sum, n));
            let length = lengths.into_iter().fold(first.sizes[0].clone(), add);
            first.element().arrayed(length)
        }
        Op::If(..) | Op::Loop(_) | Op::Map(_) | Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) => return None,
        Op::Custom(_) | Op::Agree(_) => return None,
    })
}

/// What keeps an analysis from going on.
pub(crate) trait Allowance {
    /// How it says so.
    type Stop;

    /// Allows for another statement.
    ///
    /// # Errors
    /// If there is no more to be had.
    fn step(&mut self) -> Result<(), Self::Stop>;
}

/// The shapes of the variables inside of a function, over those around it.
pub(crate) struct Shapes<D: SizeDomain> {
    pub(crate) around: D,
    inside: FxHashMap<Var, Shape<D::Size>>,
}

impl<D: SizeDomain> SizeDomain for Shapes<D> {
    type Size = D::Size;

    fn shape(&mut self, atom: Atom) -> Shape<D::Size> {
        let known = if let Atom::Var(var) = atom { self.inside.get(&var).cloned() } else { None };
        known.unwrap_or_else(|| self.around.shape(atom))
    }

    fn constant(&mut self, n: usize) -> D::Size {
        self.around.constant(n)
    }

    fn size(&self, number: D::Size) -> Option<D::Size> {
        self.around.size(number)
    }

    fn sum(&mut self, a: D::Size, b: D::Size) -> Option<D::Size> {
        self.around.sum(a, b)
    }

    fn scalar(&mut self, op: ScalarOp, operands: &[D::Size]) -> Option<D::Size> {
        self.around.scalar(op, operands)
    }
}

/// The shapes of values.
type Found<D> = Vec<Shape<<D as SizeDomain>::Size>>;

impl<D: SizeDomain + Allowance> Shapes<D> {
    /// Over what is known around the function.
    pub(crate) fn over(around: D) -> Self {
        Shapes { around, inside: FxHashMap::default() }
    }

    /// The shapes of a function's results, from those of its arguments.
    pub(crate) fn apply(&mut self, function: &Lambda, arguments: Found<D>) -> Result<Found<D>, D::Stop> {
        self.inside.extend(function.params.iter().copied().zip(arguments));
        self.body(&function.body)
    }

    /// The shapes of operands.
    fn all(&mut self, atoms: &[Atom]) -> Found<D> {
        atoms.iter().map(|a| self.shape(*a)).collect()
    }

    fn body(&mut self, body: &Body) -> Result<Found<D>, D::Stop> {
        deeper(|| {
            for stm in &body.stms {
                self.around.step()?;
                let results = self.operation(&stm.op)?;
                self.inside.extend(stm.vars.iter().copied().zip(results));
            }
            Ok(self.all(&body.results))
        })
    }

    fn operation(&mut self, op: &Op) -> Result<Found<D>, D::Stop> {
        match op {
            Op::If(_, yes, no) => {
                let (yes, no) = (self.body(yes)?, self.body(no)?);
                Ok(yes.iter().zip(&no).map(|(a, b)| a.or(b)).collect())
            }
            Op::Loop(it) => self.repeat(it),
            Op::Map(map) => {
                let arrays = self.all(&map.arrays);
                let mut arguments: Found<D> = arrays.iter().map(Shape::element).collect();
                arguments.extend(self.all(&map.accumulators));
                let mut results = self.apply(&map.function, arguments)?;
                let accumulators = results.split_off(results.len() - map.accumulators.len());
                let length = &arrays[0].sizes[0];
                Ok(results.into_iter().map(|r| r.arrayed(length.clone())).chain(accumulators).collect())
            }
            // An operator gives what it takes, of which the sizes are known, and not the values.
            Op::Reduce(it) => Ok(self.all(&it.neutral).into_iter().map(|it| Shape::array(it.sizes)).collect()),
            Op::Scan(it) => Ok(self.all(&it.arrays)),
            Op::Hist(it) => Ok(self.all(&it.destinations)),
            Op::Custom(it) => {
                let arguments = self.all(&it.arguments);
                self.apply(&it.function, arguments)
            }
            op => Ok(result_shape(op, self).into_iter().collect()),
        }
    }

    /// The shapes of loop variables that hold before and after every iteration.
    fn repeat(&mut self, it: &Loop) -> Result<Found<D>, D::Stop> {
        let mut state: Found<D> = it.params.iter().map(|(_, initial)| self.shape(*initial)).collect();
        loop {
            self.inside.extend(it.params.iter().map(|(param, _)| *param).zip(state.iter().cloned()));
            if let Form::For(i, _) = &it.form {
                self.inside.insert(*i, Shape::scalar(None));
            }
            let after = self.body(&it.body)?;
            let both: Found<D> = state.iter().zip(&after).map(|(a, b)| a.or(b)).collect();
            // Less is known each time, so this ends.
            if both == state {
                return Ok(state);
            }
            state = both;
        }
    }
}

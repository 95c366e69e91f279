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

use super::agree::Extent;
use super::iteration::Form;
use super::operation::{Agree, Loop, Op};
use super::program::{Atom, Body, Lambda, Var};
use super::scalar::ScalarOp;
use super::types::Prim;
use super::typing::{self, Known, Results, Typing};
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

    /// What holds of both.
    pub(super) fn or(&self, other: &Self) -> Self {
        let both = |(a, b): (&Option<S>, &Option<S>)| if a == b { a.clone() } else { None };
        let sizes = self.sizes.iter().zip(&other.sizes).map(both).collect();
        Shape { sizes, number: both((&self.number, &other.number)) }
    }
}

impl<S: Clone + PartialEq> Known for Shape<S> {
    type Size = Option<S>;

    fn scalar(_: Prim) -> Self {
        Shape::scalar(None)
    }

    fn sizes(&self) -> SmallVec<[Option<S>; 2]> {
        self.sizes.clone()
    }

    fn with(&self, sizes: impl IntoIterator<Item = Option<S>>) -> Self {
        Shape::array(sizes)
    }

    fn inner(mut self, leading: usize) -> Self {
        self.sizes.drain(..leading);
        self
    }

    fn arrayed(mut self, length: Option<S>) -> Self {
        self.sizes.insert(0, length);
        self
    }

    fn accumulating(self, _: bool) -> Self {
        self
    }
}

/// What a size is, and how much is known of the values in scope.
pub(crate) trait SizeDomain {
    /// A size, or an integer that could be one.
    type Size: Clone + PartialEq;
    /// What keeps the analysis from going on.
    type Stop;

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

    /// Allows for another statement inside of the function.
    ///
    /// # Errors
    /// If there is no more to be had.
    fn step(&mut self) -> Result<(), Self::Stop> {
        Ok(())
    }
}

/// The shapes of the variables inside of a function, over those around it.
pub(crate) struct Shapes<D: SizeDomain> {
    pub(crate) around: D,
    inside: FxHashMap<Var, Shape<D::Size>>,
    /// What was known of variables of which comparisons say more, as long as the body with these is looked at.
    before: Vec<(Var, Shape<D::Size>)>,
}

impl<D: SizeDomain> Shapes<D> {
    /// Over what is known around the function.
    pub(crate) fn over(around: D) -> Self {
        Shapes { around, inside: FxHashMap::default(), before: Vec::new() }
    }

    fn body(&mut self, body: &Body) -> Result<Results<Self>, D::Stop> {
        let known = self.before.len();
        let results = deeper(|| {
            for stm in &body.stms {
                self.around.step()?;
                let results = typing::results(&stm.op, self)?;
                self.inside.extend(stm.vars.iter().copied().zip(results));
                if let Op::Agree(it) = &stm.op {
                    self.learn(it);
                }
            }
            Ok(self.all(&body.results))
        })?;
        // The body may be one that is not executed.
        self.inside.extend(self.before.drain(known..).rev());
        Ok(results)
    }

    /// Learns a size from one that it is compared with.
    fn learn(&mut self, it: &Agree) {
        let ([first], [second], []) = (&it.first[..], &it.second[..], &it.times[..]) else { return };
        match [first, second].map(|extent| self.extent(*extent)) {
            [Some(size), None] => self.set(*second, size),
            [None, Some(size)] => self.set(*first, size),
            [Some(_), Some(_)] | [None, None] => {}
        }
    }

    fn extent(&mut self, extent: Extent) -> Option<D::Size> {
        match extent {
            Extent::Number(number) => self.size(number),
            Extent::Of(array, dimension) => self.of(array).sizes[dimension].clone(),
        }
    }

    fn set(&mut self, extent: Extent, size: D::Size) {
        let Some((var, shape)) = extent.atom().var().and_then(|var| Some((var, self.inside.get_mut(&var)?))) else {
            return;
        };
        self.before.push((var, shape.clone()));
        match extent {
            Extent::Number(_) => shape.number = Some(size),
            Extent::Of(_, dimension) => shape.sizes[dimension] = Some(size),
        }
    }
}

impl<D: SizeDomain> Typing for Shapes<D> {
    type Value = Shape<D::Size>;
    type Wrong = D::Stop;

    fn of(&mut self, atom: Atom) -> Shape<D::Size> {
        let known = if let Atom::Var(var) = atom { self.inside.get(&var).cloned() } else { None };
        known.unwrap_or_else(|| self.around.shape(atom))
    }

    fn size(&mut self, number: Atom) -> Option<D::Size> {
        self.of(number).number.and_then(|n| self.around.size(n))
    }

    fn constant(&mut self, n: usize) -> Option<D::Size> {
        Some(self.around.constant(n))
    }

    fn sum(&mut self, a: Option<D::Size>, b: Option<D::Size>) -> Option<D::Size> {
        a.zip(b).and_then(|(a, b)| self.around.sum(a, b))
    }

    fn number(&mut self, size: Option<D::Size>) -> Shape<D::Size> {
        Shape::scalar(size)
    }

    fn scalar(&mut self, op: ScalarOp, operands: &[Atom]) -> Result<Shape<D::Size>, D::Stop> {
        let operands: Option<SmallVec<[D::Size; 2]>> = operands.iter().map(|a| self.of(*a).number).collect();
        Ok(Shape::scalar(operands.and_then(|operands| self.around.scalar(op, &operands))))
    }

    fn apply(&mut self, function: &Lambda, arguments: Results<Self>) -> Result<Results<Self>, D::Stop> {
        self.inside.extend(function.params.iter().copied().zip(arguments));
        self.body(&function.body)
    }

    fn branches(&mut self, yes: &Body, no: &Body) -> Result<Results<Self>, D::Stop> {
        let (yes, no) = (self.body(yes)?, self.body(no)?);
        Ok(yes.iter().zip(&no).map(|(a, b)| a.or(b)).collect())
    }

    fn repeat(&mut self, it: &Loop) -> Result<Results<Self>, D::Stop> {
        let mut state: Results<Self> = it.params.iter().map(|(_, initial)| self.of(*initial)).collect();
        loop {
            self.inside.extend(it.params.iter().map(|(param, _)| *param).zip(state.iter().cloned()));
            if let Form::For(i, _) = &it.form {
                self.inside.insert(*i, Shape::scalar(None));
            }
            let after = self.body(&it.body)?;
            let both: Results<Self> = state.iter().zip(&after).map(|(a, b)| a.or(b)).collect();
            // Less is known each time, so this ends.
            if both == state {
                return Ok(state);
            }
            state = both;
        }
    }

    /// An operator gives what it takes, of which the sizes are known, and not the values.
    fn combined(&mut self, neutral: Atom) -> Shape<D::Size> {
        Shape::array(self.of(neutral).sizes)
    }
}

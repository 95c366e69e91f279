//! Production reverse mode: the Cayley tangent made first-order data, on a tape of sums.
//!
//! Law: an [`Adjoint`] is a module element like any other tangent, so nothing here knows a rule of calculus. Scaling
//! multiplies a factor carried in the handle and writes nothing; only a sum of two tangents writes a node, of two
//! indices and two weights (24 bytes for `f64`). Constants, unary functions and operations with a constant are free.

use core::cell::{Cell, RefCell};
use core::marker::PhantomData;

use crate::algebra::{Module, Semiring};
use crate::error::{Error, Result};

/// The sum `weights[0]·adjoint[from[0]] + weights[1]·adjoint[from[1]]`, read backwards in the return sweep.
#[derive(Debug, Clone, Copy)]
struct Node<S> {
    from: [u32; 2],
    weights: [S; 2],
}

/// Where operations are recorded. It belongs to its owner alone, can be sent to another thread, and keeps its memory
/// from one differentiation to the next.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::carriers::Tape;
/// let mut tape = Tape::new();
/// let mut gradient = [0.0; 2];
/// for step in 1..4 { // one allocation for all three
///     let x = [f64::from(step), 2.0];
///     let value = tape.value_and_grad(|x| x[0] * x[0] * x[1], &x, &mut gradient)?;
///     assert_eq!((value, gradient[0]), (2.0 * x[0] * x[0], 4.0 * x[0]));
/// }
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Tape<S> {
    inputs: u32,
    nodes: RefCell<Vec<Node<S>>>,
    full: Cell<bool>,
    adjoints: Vec<S>,
}

/// A tangent on a tape: an index there, and a factor that waits for the next sum.
#[derive(Debug)]
pub struct Adjoint<'b, S> {
    tape: Option<&'b Tape<S>>,
    at: u32,
    weight: S,
    // Invariant, so that handles of two tapes never pass for one another.
    brand: PhantomData<fn(&'b ()) -> &'b ()>,
}

impl<S: Copy> Copy for Adjoint<'_, S> {}

impl<S: Clone> Clone for Adjoint<'_, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        Adjoint { tape: self.tape, at: self.at, weight: self.weight.clone(), brand: PhantomData }
    }
}

impl<S: Semiring> Module<S> for Adjoint<'_, S> {
    #[inline(always)]
    fn null() -> Self {
        Adjoint { tape: None, at: 0, weight: S::zero(), brand: PhantomData }
    }

    #[inline(always)]
    fn is_null(&self) -> bool {
        self.tape.is_none()
    }

    #[inline(always)]
    fn join(self, other: Self) -> Self {
        let Some(tape) = self.tape else { return other };
        if other.tape.is_none() {
            return self;
        }
        if self.at == other.at {
            return Adjoint { weight: self.weight + other.weight, ..self };
        }
        Adjoint { at: tape.push([self.at, other.at], [self.weight, other.weight]), weight: S::one(), ..self }
    }

    #[inline(always)]
    fn scale(self, by: &S) -> Self {
        Adjoint { weight: self.weight.scale(by), ..self }
    }

    #[inline(always)]
    fn stretch(self, by: &S) -> Self {
        Adjoint { weight: self.weight * by.clone(), ..self }
    }
}

impl<S> Default for Tape<S> {
    fn default() -> Self {
        Tape { inputs: 0, nodes: RefCell::default(), full: Cell::new(false), adjoints: Vec::new() }
    }
}

impl<S> Tape<S> {
    /// The bytes that one recorded operation takes.
    pub const BYTES_PER_NODE: usize = size_of::<Node<S>>();

    /// An empty tape.
    #[must_use]
    pub fn new() -> Self {
        Tape::default()
    }

    /// The number of nodes written by the last recording.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<S: Semiring> Tape<S> {
    /// Forgets what was recorded, keeps the memory, and is ready for a function of `inputs` variables.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if `inputs` does not fit in 32 bits.
    pub(crate) fn restart(&mut self, inputs: usize) -> Result<()> {
        self.inputs = u32::try_from(inputs).map_err(|_| TOO_LARGE)?;
        self.nodes.get_mut().clear();
        self.full.set(false);
        Ok(())
    }

    /// The unit tangent of the input `index`.
    #[inline]
    pub(crate) fn input(&self, index: usize) -> Adjoint<'_, S> {
        debug_assert!(index < self.inputs as usize, "an input of the tape");
        Adjoint { tape: Some(self), at: index as u32, weight: S::one(), brand: PhantomData }
    }

    #[inline(always)]
    fn push(&self, from: [u32; 2], weights: [S; 2]) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let at = nodes.len() + self.inputs as usize;
        nodes.push(Node { from, weights });
        u32::try_from(at).unwrap_or_else(|_| {
            self.full.set(true);
            0
        })
    }

    /// The gradient of the output `(at, weight)` in the tape's own memory.
    pub(crate) fn gradient(&mut self, output: Output<S>) -> Result<&[S]> {
        self.check()?;
        let nodes = self.nodes.get_mut();
        self.adjoints.clear();
        self.adjoints.resize(self.inputs as usize + nodes.len(), S::zero());
        if let Some((at, weight)) = output {
            self.adjoints[at as usize] = weight;
            sweep(self.inputs as usize, nodes, &mut self.adjoints);
        }
        Ok(&self.adjoints[..self.inputs as usize])
    }

    /// The recording as a linear map of its own.
    pub(crate) fn into_record(self, outputs: Vec<Output<S>>) -> Result<Record<S>> {
        self.check()?;
        Ok(Record { inputs: self.inputs as usize, nodes: self.nodes.into_inner(), outputs })
    }

    fn check(&self) -> Result<()> {
        if self.full.get() { Err(TOO_LARGE) } else { Ok(()) }
    }
}

const TOO_LARGE: Error = Error::TooLarge { what: "the tape", limit: u32::MAX as usize };

/// Where the tangent of an output stands on its tape, with its pending factor; `None` for a constant.
pub(crate) type Output<S> = Option<(u32, S)>;

impl<S> Adjoint<'_, S> {
    /// This tangent without its tape.
    pub(crate) fn output(self) -> Output<S> {
        self.tape.map(|_| (self.at, self.weight))
    }
}

/// The return sweep: every node hands its adjoint on to the two it came from. A zero adjoint is not handed on, so
/// it meets no infinite weight.
fn sweep<S: Semiring>(inputs: usize, nodes: &[Node<S>], adjoints: &mut [S]) {
    let (_, inner) = adjoints.split_at(inputs);
    debug_assert_eq!(inner.len(), nodes.len(), "one adjoint per node");
    for (k, node) in nodes.iter().enumerate().rev() {
        let adjoint = adjoints[inputs + k].clone();
        if adjoint.is_zero() {
            continue;
        }
        for side in 0..2 {
            let to = &mut adjoints[node.from[side] as usize];
            *to = to.clone() + node.weights[side].clone().scale(&adjoint);
        }
    }
}

/// A finished recording: the derivative of a function at one point, as a linear map that can be pushed forward and
/// pulled back any number of times, from any thread.
#[derive(Debug, Clone)]
pub struct Record<S> {
    inputs: usize,
    nodes: Vec<Node<S>>,
    outputs: Vec<Output<S>>,
}

impl<S: Semiring> Record<S> {
    /// The number of variables.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of results.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The product `w·J` with a vector over the outputs: one return sweep.
    ///
    /// # Errors
    /// [`Error::Length`] if `weights` has not one number per output.
    pub fn pull(&self, weights: &[S]) -> Result<Vec<S>> {
        Error::lengths("the weights of the outputs", self.outputs.len(), weights.len())?;
        let mut adjoints = vec![S::zero(); self.inputs + self.nodes.len()];
        for (output, weight) in self.outputs.iter().zip(weights) {
            if let Some((at, factor)) = output {
                let to = &mut adjoints[*at as usize];
                *to = to.clone() + factor.clone().scale(weight);
            }
        }
        sweep(self.inputs, &self.nodes, &mut adjoints);
        adjoints.truncate(self.inputs);
        Ok(adjoints)
    }

    /// The product `J·v` with a vector over the inputs: one forward sweep.
    ///
    /// # Errors
    /// [`Error::Length`] if `direction` has not one number per input.
    pub fn push(&self, direction: &[S]) -> Result<Vec<S>> {
        Error::lengths("the direction", self.inputs, direction.len())?;
        let mut tangents = direction.to_vec();
        tangents.reserve(self.nodes.len());
        for node in &self.nodes {
            let of = |side: usize| tangents[node.from[side] as usize].clone().scale(&node.weights[side]);
            tangents.push(of(0) + of(1));
        }
        let tangent = |(at, factor): &(u32, S)| tangents[*at as usize].clone().scale(factor);
        Ok(self.outputs.iter().map(|output| output.as_ref().map_or_else(S::zero, tangent)).collect())
    }
}

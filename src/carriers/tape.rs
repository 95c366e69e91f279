//! Production reverse mode: the Cayley tangent made first-order data, on a tape of sums.
//!
//! Law: an [`Adjoint`] is a module element like any other tangent, so nothing here knows a rule of calculus. Scaling
//! multiplies a factor carried in the handle and writes nothing; only a sum of two tangents writes a node, of two
//! indices and of those weights that are not 1 (8 to 24 bytes for `f64`). Constants, unary functions and operations
//! with a constant are free (laws: dual, tests/scalar/tape.rs).

use core::marker::PhantomData;

use super::log::{Block, Log, Pieces};
use crate::algebra::{Module, Semiring};
use crate::error::{Error, Result};

/// The sum `v·adjoint[a] + w·adjoint[b]`, read backwards in the reverse sweep: `a` and `b`, each with [`UNIT`] set if
/// its weight is 1. The other weights are in a list of their own, in this order.
type Node = [u32; 2];

/// The bit of an index that says that its weight is 1, and so not written.
const UNIT: u32 = 1 << 31;

/// The nodes of a recording with their weights.
#[derive(Debug, Clone)]
struct Nodes<S> {
    from: Pieces<Node>,
    weights: Pieces<S>,
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
    nodes: Log<Node>,
    weights: Log<S>,
    adjoints: Vec<S>,
    /// How many of the adjoints, from the first, hold the last gradient. The others are zero.
    answered: usize,
    variables: Block,
}

/// A tangent on a tape: an index there, and a factor that waits for the next sum.
#[derive(Debug)]
pub struct Adjoint<'b, S> {
    tape: Option<&'b Tape<S>>,
    /// The index, with [`UNIT`] set where the factor is known to be 1.
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
    fn zero_tangent() -> Self {
        Adjoint { tape: None, at: 0, weight: S::zero(), brand: PhantomData }
    }

    #[inline(always)]
    fn is_zero_tangent(&self) -> bool {
        self.tape.is_none()
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let Some(tape) = self.tape else { return other };
        if other.tape.is_none() {
            return self;
        }
        if (self.at ^ other.at) & !UNIT == 0 {
            return Adjoint { at: self.at & !UNIT, weight: self.weight + other.weight, ..self };
        }
        Adjoint { tape: Some(tape), at: tape.push(self, other), weight: S::one(), brand: PhantomData }
    }

    #[inline(always)]
    fn scale(self, by: &S) -> Self {
        Adjoint { at: self.at & !UNIT, weight: self.weight.scale(by), ..self }
    }

    #[inline(always)]
    fn scale_ieee(self, by: &S) -> Self {
        Adjoint { at: self.at & !UNIT, weight: self.weight * by.clone(), ..self }
    }
}

impl<S> Default for Tape<S> {
    fn default() -> Self {
        Tape {
            inputs: 0,
            nodes: Log::default(),
            weights: Log::default(),
            adjoints: Vec::new(),
            answered: 0,
            variables: Block::default(),
        }
    }
}

impl<S> Tape<S> {
    /// The most bytes that one recorded operation takes.
    pub const BYTES_PER_NODE: usize = size_of::<Node>() + 2 * size_of::<S>();

    /// An empty tape.
    #[must_use]
    pub fn new() -> Self {
        Tape::default()
    }

    /// The number of nodes written by the last recording.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
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
    /// [`Error::TooLarge`] if `inputs` does not fit in 31 bits.
    pub(crate) fn restart(&mut self, inputs: usize) -> Result<()> {
        self.inputs = u32::try_from(inputs).ok().filter(|inputs| *inputs < UNIT).ok_or(TOO_LARGE)?;
        self.nodes.clear();
        self.weights.clear();
        Ok(())
    }

    /// The memory for the variables of a recording; to be given back with [`keep`](Tape::keep).
    pub(crate) fn block(&mut self) -> Block {
        core::mem::take(&mut self.variables)
    }

    /// Keeps the memory of the variables for the next recording.
    pub(crate) fn keep(&mut self, block: Block) {
        self.variables = block;
    }

    /// The unit tangent of the input `index`.
    #[inline]
    pub(crate) fn input(&self, index: usize) -> Adjoint<'_, S> {
        debug_assert!(index < self.inputs as usize, "an input of the tape");
        Adjoint { tape: Some(self), at: index as u32 | UNIT, weight: S::one(), brand: PhantomData }
    }

    /// Writes the sum of two tangents; returns its place, flagged as [`UNIT`]. Past the last index that fits, places
    /// are wrong, which [`check`](Tape::check) finds before any of them is read.
    #[inline(always)]
    fn push(&self, a: Adjoint<'_, S>, b: Adjoint<'_, S>) -> u32 {
        let at = self.nodes.len() as u32;
        self.nodes.push([a.at, b.at]);
        match (a.at & UNIT, b.at & UNIT) {
            (0, 0) => self.weights.push_pair(a.weight, b.weight),
            (0, _) => self.weights.push(a.weight),
            (_, 0) => self.weights.push(b.weight),
            _ => {}
        }
        at.wrapping_add(self.inputs) | UNIT
    }

    /// The gradient of the output `(at, weight)` in the tape's own memory.
    pub(crate) fn gradient(&mut self, output: Output<S>) -> Result<&[S]> {
        self.check()?;
        let (inputs, length) = (self.inputs as usize, self.inputs as usize + self.nodes.len());
        // Taken out, so that a panic in the arithmetic of `S` leaves no wrong number for the next time.
        let mut adjoints = core::mem::take(&mut self.adjoints);
        // The sweep leaves zeros behind for all nodes, so only the last gradient is in the way.
        adjoints[..core::mem::take(&mut self.answered)].fill(S::zero());
        if adjoints.capacity() == 0 {
            adjoints = Vec::with_capacity(length);
        }
        if adjoints.len() < length {
            adjoints.resize(length, S::zero());
        }
        if let Some((at, weight)) = output {
            adjoints[at as usize] = weight;
            sweep(inputs, self.nodes.get_mut(), self.weights.get_mut(), &mut adjoints, &|| vec![at as usize]);
        }
        (self.adjoints, self.answered) = (adjoints, inputs);
        Ok(&self.adjoints[..inputs])
    }

    /// The gradient of the output, in memory that was the tape's.
    pub(crate) fn into_gradient(mut self, output: Output<S>) -> Result<Vec<S>> {
        self.gradient(output)?;
        let mut gradient = self.adjoints;
        gradient.truncate(self.answered);
        // A little room is left to who gets it, which is cheaper than other memory.
        if gradient.capacity() > 2 * gradient.len() + MAX_SPARE {
            gradient.shrink_to_fit();
        }
        Ok(gradient)
    }

    /// The recording as a linear map of its own.
    pub(crate) fn into_record(self, outputs: Vec<Output<S>>) -> Result<Record<S>> {
        self.check()?;
        let nodes = Nodes { from: self.nodes.into_inner(), weights: self.weights.into_inner() };
        Ok(Record { inputs: self.inputs as usize, nodes, outputs })
    }

    fn check(&self) -> Result<()> {
        if self.inputs as usize + self.nodes.len() > UNIT as usize { Err(TOO_LARGE) } else { Ok(()) }
    }
}

/// The most numbers that a gradient has room for beyond twice its length.
const MAX_SPARE: usize = 64;

const TOO_LARGE: Error = Error::TooLarge { what: "the tape", limit: UNIT as usize };

/// Where the tangent of an output stands on its tape, with its pending factor; `None` for a constant.
pub(crate) type Output<S> = Option<(u32, S)>;

impl<S> Adjoint<'_, S> {
    /// This tangent without its tape.
    pub(crate) fn output(self) -> Output<S> {
        self.tape.map(|_| (self.at & !UNIT, self.weight))
    }
}

/// The reverse sweep: every node hands its adjoint on to the two it came from. A zero adjoint is not handed on, unless
/// it is one that reached the node and meets a weight that is infinite or NaN there. Only the adjoints of the inputs
/// are left; those of the nodes are zeros again.
fn sweep<S: Semiring>(
    inputs: usize,
    nodes: &Pieces<Node>,
    weights: &Pieces<S>,
    adjoints: &mut [S],
    roots: &dyn Fn() -> Vec<usize>,
) {
    let mut pieces = weights.iter().rev();
    let (mut weights, mut written): (&[S], usize) = (&[], 0);
    let mut reach = Reach { inputs, nodes, roots, reached: None };
    let mut end = inputs + nodes.len();
    for nodes in nodes.iter().rev() {
        end -= nodes.len();
        for (k, node) in nodes.iter().enumerate().rev() {
            let place = end + k;
            let adjoint = adjoints[place].clone();
            let own = usize::from(node[0] & UNIT == 0) + usize::from(node[1] & UNIT == 0);
            // The weights of a node stand in one piece.
            while written < own {
                weights = pieces.next().expect("the weights of a node are written");
                written = weights.len();
            }
            written -= own;
            if adjoint.is_zero() && !reach.is_felt(place, &weights[written..][..own]) {
                continue;
            }
            adjoints[place] = S::zero();
            let mut own = &weights[written..];
            for side in node {
                let to = &mut adjoints[(side & !UNIT) as usize];
                *to = match own {
                    [weight, rest @ ..] if side & UNIT == 0 => {
                        own = rest;
                        to.clone() + weight.clone() * adjoint.clone()
                    }
                    _ => to.clone() + adjoint.clone(),
                };
            }
        }
    }
}

/// The nodes that adjoints of the roots reach, be they 0 or not; found when it is first asked, which is rare.
struct Reach<'n> {
    inputs: usize,
    nodes: &'n Pieces<Node>,
    roots: &'n dyn Fn() -> Vec<usize>,
    reached: Option<Vec<bool>>,
}

impl Reach<'_> {
    /// Whether a node has a weight of which a zero makes no zero, and is reached.
    #[cold]
    #[inline(never)]
    fn is_felt<S: Semiring>(&mut self, place: usize, weights: &[S]) -> bool {
        weights.iter().any(|weight| !(weight.clone() * S::zero()).is_zero()) && self.reached()[place]
    }

    fn reached(&mut self) -> &[bool] {
        self.reached.get_or_insert_with(|| {
            let mut reached = vec![false; self.inputs + self.nodes.len()];
            (self.roots)().into_iter().for_each(|root| reached[root] = true);
            for (place, node) in
                (0..reached.len()).rev().zip(self.nodes.iter().rev().flat_map(|nodes| nodes.iter().rev()))
            {
                if reached[place] {
                    node.iter().for_each(|side| reached[(side & !UNIT) as usize] = true);
                }
            }
            reached
        })
    }
}

/// A finished recording: the derivative of a function at one point, as a linear map that can be pushed forward and
/// pulled back any number of times, from any thread.
#[derive(Debug, Clone)]
pub struct Record<S> {
    inputs: usize,
    nodes: Nodes<S>,
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

    /// The product `w·J` with a vector over the outputs: one reverse sweep.
    ///
    /// # Errors
    /// [`Error::Length`] if `weights` has not one number per output.
    pub fn pull(&self, weights: &[S]) -> Result<Vec<S>> {
        Error::lengths("the weights of the outputs", self.outputs.len(), weights.len())?;
        let mut adjoints = vec![S::zero(); self.inputs + self.nodes.from.len()];
        // A result of weight 0 contributes nothing, even if its derivative is infinite.
        for (output, weight) in self.outputs.iter().zip(weights).filter(|(_, weight)| !weight.is_zero()) {
            if let Some((at, factor)) = output {
                let to = &mut adjoints[*at as usize];
                *to = to.clone() + factor.clone().scale(weight);
            }
        }
        let roots = || {
            let asked = self.outputs.iter().zip(weights).filter(|(_, weight)| !weight.is_zero());
            asked.filter_map(|(output, _)| output.as_ref().map(|(at, _)| *at as usize)).collect()
        };
        sweep(self.inputs, &self.nodes.from, &self.nodes.weights, &mut adjoints, &roots);
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
        tangents.reserve(self.nodes.from.len());
        let mut weights = self.nodes.weights.iter().flatten();
        for node in self.nodes.from.iter().flatten() {
            let [a, b] = node.map(|side| {
                let tangent = tangents[(side & !UNIT) as usize].clone();
                match if side & UNIT == 0 { weights.next() } else { None } {
                    Some(weight) => tangent.scale(weight),
                    None => tangent,
                }
            });
            tangents.push(a + b);
        }
        let tangent = |(at, factor): &(u32, S)| tangents[*at as usize].clone().scale(factor);
        Ok(self.outputs.iter().map(|output| output.as_ref().map_or_else(S::zero, tangent)).collect())
    }
}

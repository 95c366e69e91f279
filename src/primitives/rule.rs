//! What a differentiable function promises, built in or yours: a value, and its partial derivatives in any carrier.
//!
//! Law: `partial(i, x, z)` is the derivative of `value` by its argument `i` at every point where that exists, and the
//! documented choice elsewhere. A row of the [table](crate::primitives) and a user's own function are the same kind of
//! thing, and every mode of differentiation is derived from this one promise (the scalar rules of "Automatic
//! Differentiation", section *ChainRules*, with one rule for both modes) (laws: primitives, tests/scalar/rules.rs).

use core::any::TypeId;
use std::sync::Arc;

use super::{Primitive, Scalar};

/// A function of `N` numbers with its partial derivatives: one rule, every mode and every order.
///
/// `partial` is generic in the number type, so it is itself differentiable: second derivatives, symbolic
/// derivatives and Taylor series need nothing more.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::primitives::{Rule, Scalar};
///
/// /// The swish `x·σ(x)`, with its derivative `z + σ(x)(1 − z)` written by hand.
/// #[derive(Clone)]
/// struct Swish;
/// impl Rule<1> for Swish {
///     fn name(&self) -> &'static str { "swish" }
///     fn value(&self, [x]: [f64; 1]) -> f64 { x / (1.0 + (-x).exp()) }
///     fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], z: S) -> S {
///         z + x.sigmoid() * (S::one() - z)
///     }
/// }
///
/// let slope = diff(|x| Swish.of([x]), 0.0)?;
/// assert_eq!(slope, 0.5);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub trait Rule<const N: usize>: Clone + Send + Sync + 'static {
    /// The name under which terms print.
    fn name(&self) -> &'static str;

    /// The value at double precision.
    fn value(&self, x: [f64; N]) -> f64;

    /// The value at single precision; by default the double one, rounded.
    #[inline]
    fn value_f32(&self, x: [f32; N]) -> f32 {
        self.value(x.map(f64::from)) as f32
    }

    /// The partial derivative by argument `argument` (counted from 0) at `x`, where `z` is the value there.
    fn partial<S: Scalar>(&self, argument: usize, x: [S; N], z: S) -> S;

    /// The value and all partial derivatives at once, for functions in which they share work.
    ///
    /// It must equal `value` and `partial`, up to rounding; that is also what it is by default.
    #[inline(always)]
    fn jointly<S: Scalar>(&self, x: [S; N]) -> (S, [S; N]) {
        let z = S::apply(self, x);
        (z, per_argument(z, |argument| self.partial(argument, x, z)))
    }

    /// What else is known of the function: where it turns, where it has poles, how it is spelled.
    #[inline]
    fn facts(&self) -> Facts {
        Facts::UNKNOWN
    }

    /// The row of the table this is, if it is one.
    #[inline]
    fn primitive(&self) -> Option<Primitive> {
        None
    }

    /// What tells this rule from others; `None` means that it is never known to be the same as another.
    ///
    /// Rules of a type without content are the same if their types and their numbers of arguments are.
    #[inline]
    fn identity(&self) -> Option<Identity> {
        (size_of::<Self>() == 0).then(|| Identity { of: TypeId::of::<Self>(), arity: N, at: 0 })
    }

    /// Applies the function in any carrier.
    #[inline]
    fn of<C: super::Elementary>(&self, x: [C; N]) -> C
    where
        Self: Sized,
    {
        C::apply(self, x)
    }
}

/// A number for each argument; `any` is any number. `core::array::from_fn` is five functions more to compile for each row and
/// carrier.
#[inline(always)]
pub(crate) fn per_argument<S: Copy, const N: usize>(any: S, number: impl Fn(usize) -> S) -> [S; N] {
    let mut numbers = [any; N];
    for (i, place) in numbers.iter_mut().enumerate() {
        *place = number(i);
    }
    numbers
}

/// What makes two rules the same function: their type, as which of its functions it is taken (one type may be a rule
/// of one argument and another of two), and for shared rules where they are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    of: TypeId,
    arity: usize,
    at: usize,
}

impl Identity {
    /// The identity of a rule that is shared, by the address at which it is kept.
    pub(crate) fn shared<R: 'static, T: ?Sized>(kept: &Arc<T>, arity: usize) -> Self {
        Identity { of: TypeId::of::<R>(), arity, at: Arc::as_ptr(kept).cast::<()>() as usize }
    }
}

/// Points on the real line at which something happens to a function of one argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Points {
    /// Nowhere.
    None,
    /// At these points.
    At(&'static [f64]),
    /// At `first`, and every `period` from there, in both directions.
    Every {
        /// One of the points.
        first: f64,
        /// The distance to the next.
        period: f64,
    },
}

/// How the chain rule multiplies a tangent by a partial derivative where one of them is 0 and the other infinite or
/// NaN ([`Module`](crate::Module), *Zeros and infinities*). It follows from what the partial derivatives of a function
/// can be at finite arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZeroRule {
    /// As IEEE 754 multiplies: for partial derivatives that are always finite.
    Ieee,
    /// A zero tangent stays zero: for partial derivatives that are infinite or NaN at some points, or too large for a
    /// float, and for functions of which nothing is known.
    ZeroTangentWins,
    /// A partial derivative of 0 discards the tangent, be it infinite, and a zero tangent stays zero: for functions that
    /// pass on one of their arguments, with 1 for that one and 0 for the others.
    ZeroPartialWins,
}

/// What a row of the table knows of its function besides value and derivative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    /// Per argument: the stretch of the line on which `range`, `turns` and `poles` are complete, so that ranges over
    /// intervals in it can be had from them.
    pub known: [(f64, f64); 3],
    /// The domain of each argument; values outside it are NaN.
    pub domain: [(f64, f64); 3],
    /// Bounds on all values that are not NaN.
    pub range: (f64, f64),
    /// Per argument: where a monotone stretch ends, or the value jumps. Between them the function is monotone in that
    /// argument, whatever the others are.
    pub turns: [Points; 3],
    /// Per argument: where the function is unbounded. Next to a pole it has the sign of its infinity, or is 0.
    pub poles: [Points; 3],
    /// How far the value at double precision may be off, in units in the last place; 0 for values that are exact.
    pub ulp: u32,
    /// Per argument: whether the derivative is 0 wherever it exists.
    pub flat: [bool; 3],
    /// How the chain rule multiplies by its partial derivatives.
    pub zero_rule: ZeroRule,
    /// Infix spelling and binding strength, for rows that are written between or before their arguments.
    pub infix: Option<(&'static str, u8)>,
    /// LaTeX with `#1 #2 #3` for the arguments; empty for `\operatorname{name}(…)`.
    pub tex: &'static str,
    /// WGSL with `#1 #2 #3` for the arguments, of any kind of reals; empty for a call of the row's name and the kind, as
    /// `exp_f32(#1)`.
    pub wgsl: &'static str,
}

const LINE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
const NOWHERE: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl Facts {
    /// Nothing is known: ranges over intervals are the whole line.
    pub const UNKNOWN: Facts = Facts { known: [NOWHERE; 3], zero_rule: ZeroRule::ZeroTangentWins, ..Facts::MONOTONE };

    /// Monotone in each argument on the whole line, without poles, and computed to 4 ulp.
    pub const MONOTONE: Facts = Facts {
        known: [LINE; 3],
        domain: [LINE; 3],
        range: LINE,
        turns: [Points::None; 3],
        poles: [Points::None; 3],
        ulp: 4,
        flat: [false; 3],
        zero_rule: ZeroRule::Ieee,
        infix: None,
        tex: "",
        wgsl: "",
    };
}

/// How many periods from 0 the points of a periodic series are still placed exactly enough.
const MAX_PERIODS: f64 = 4_194_304.0;

impl Points {
    /// Calls `visit` for each of the points in `[lo, hi]`, the ends included; returns `false`, without visiting any,
    /// when a series of points may have more than `limit` there, or when they are too far out to be distinct numbers.
    pub fn within(&self, lo: f64, hi: f64, limit: usize, mut visit: impl FnMut(f64)) -> bool {
        match *self {
            Points::None => true,
            Points::At(points) => {
                points.iter().filter(|p| lo <= **p && **p <= hi).for_each(|p| visit(*p));
                true
            }
            Points::Every { first, period } => {
                // A value taken at a point that is off by δ is off by δ²: below rounding up to here.
                let near = lo.abs().max(hi.abs()) < MAX_PERIODS * period;
                // One step of slack on either side: the quotient may round across an integer.
                let (from, to) = (((lo - first) / period).ceil() - 1.0, ((hi - first) / period).floor() + 1.0);
                let few = to - from < limit as f64;
                if !(near && few) {
                    return false;
                }
                (0..=(to - from) as usize).map(|k| first + (from + k as f64) * period).for_each(|p| {
                    // A point is known to rounding only, so it counts as inside when it may be.
                    let slack = 4.0 * f64::EPSILON * (p.abs() + period);
                    if lo - slack <= p && p <= hi + slack {
                        visit(p.clamp(lo, hi));
                    }
                });
                true
            }
        }
    }
}

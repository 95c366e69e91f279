//! Dual numbers over any module: the product rule once, the chain rule once, every mode of differentiation.
//!
//! Law: `(f, df) (g, dg) = (f g, df·g + f·dg)` makes `S × M` a semiring for any module `M` over `S` (Nagata's
//! idealisation), and `eval` into it computes value and derivative together: the talk "Forwards and in reverse", slides
//! *Symbolic Derivation Catamorphism* to *Derivatives for All* (laws: dual).

use core::fmt;
use core::hash::Hash;
use core::ops::{Add, Div, Mul, Neg, Sub};
use num_traits::{One, Zero};

use crate::algebra::{Field, Kronecker, Module, Ring, Semiring};
use crate::primitives::{Elementary, Rule, Scalar, ZeroRule, per_argument, rows};
use crate::term::{Model, Signature, Storable, Term};

/// A number with a tangent: the value of an expression, and its derivative as an element of the module `M`.
///
/// With `M = S` it is the classical dual number `v + v̇ε`; see [`carriers`](crate::carriers) for the other modules.
/// Duals are compared by value alone, as branches of a differentiated function must be; to compare both parts,
/// compare `value` and `tangent`.
///
/// ```
/// use catadiff::{carriers::Dual, Elementary};
/// let x = Dual { value: 2.0, tangent: 1.0 };
/// let y = x * x + x.sin();
/// assert_eq!(y.tangent, 2.0 * 2.0 + 2.0_f64.cos());
/// assert_eq!(format!("{y:.2}"), "4.91 + 3.58ε");
/// // Exact numbers work alike: here the derivative of x³ at 5, in the integers.
/// let x = Dual { value: 5_i64, tangent: 1 };
/// assert_eq!((x * x * x).tangent, 75);
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dual<S, M = S> {
    /// The value.
    pub value: S,
    /// The derivative of the value.
    pub tangent: M,
}

impl<S: Storable> Storable for Dual<S> {
    fn kind() -> String {
        format!("dual {}", S::kind())
    }
    fn write(&self, out: &mut String) {
        self.value.write(out);
        out.push(' ');
        self.tangent.write(out);
    }
    fn read<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
        Some(Dual { value: S::read(words)?, tangent: S::read(words)? })
    }
}

impl<S: Semiring, M: Module<S>> Dual<S, M> {
    /// A number of the base as one that depends on no variable here: the way from an outer differentiation into an
    /// inner one.
    #[inline(always)]
    pub fn lift(value: S) -> Self {
        Dual { value, tangent: M::zero_tangent() }
    }

    /// The variable `variable` with this value: its tangent is the unit vector.
    ///
    /// ```
    /// use catadiff::carriers::{Dual, Sparse};
    /// let x: Dual<f64, Sparse<&str, f64>> = Dual::variable(3.0, "x");
    /// let y = Dual::variable(4.0, "y");
    /// assert_eq!((x * y).tangent.get(&"x"), Some(&4.0));
    /// ```
    #[inline]
    pub fn variable<V>(value: S, variable: V) -> Self
    where
        M: Kronecker<V, S>,
    {
        Dual { value, tangent: M::delta(variable) }
    }

    /// The chain rule: the derivative of a function with these partial derivatives at arguments with these tangents.
    /// Zero tangents stay so through infinite partials.
    #[inline(always)]
    pub fn chain<const N: usize>(value: S, steps: [(M, S); N]) -> Self {
        Dual { value, tangent: combination(ZeroRule::ZeroTangentWins, steps.into_iter()) }
    }

    /// Value and derivative of a term: the fold into this carrier, in which each shared part of the term propagates
    /// its derivative once, whatever the module.
    ///
    /// ```
    /// use catadiff::carriers::{Cayley, Dual, Sparse};
    /// use catadiff::term::{Arena, Pure};
    /// let arena = Arena::<char, Pure>::new();
    /// let mut x = arena.variable('x');
    /// for _ in 0..60 { x = x + x; } // a path through every subset of 60 sums: 2⁶⁰ of them
    /// type Number = Dual<u64, Cayley<'static, u64, Sparse<char, u64>>>;
    /// let y = Number::eval(&x, |v| Dual::variable(1, *v));
    /// assert_eq!(y.tangent.abs().get(&'x'), Some(&(1 << 60)));
    /// ```
    pub fn eval<V, P>(term: &Term<'_, V, P>, variable: impl FnMut(&V) -> Self) -> Self
    where
        V: Clone + Eq + Hash,
        P: Signature,
        Self: Model<P>,
    {
        term.eval_sharing(variable, Dual::share)
    }

    #[inline(always)]
    fn is_constant(&self) -> bool {
        self.tangent.is_zero_tangent()
    }

    #[inline(always)]
    fn into_tangent(self) -> M {
        self.tangent
    }

    /// This number as one that `uses` later operations refer to; linear tangents then propagate once, not per use.
    #[inline]
    pub(crate) fn share(self, uses: usize) -> Self {
        Dual { value: self.value, tangent: self.tangent.share(uses) }
    }
}

/// One tangent's part in the chain rule.
#[inline(always)]
fn step<S: Semiring, M: Module<S>>(zero_rule: ZeroRule, tangent: M, partial: &S) -> M {
    match zero_rule {
        ZeroRule::Ieee => tangent.scale_ieee(partial),
        ZeroRule::ZeroPartialWins if partial.is_zero() => tangent.into_zero(),
        ZeroRule::ZeroTangentWins | ZeroRule::ZeroPartialWins => tangent.scale(partial),
    }
}

/// The tangents scaled by the partial derivatives, and added up. A loop and not a fold: the optimiser does not inline the
/// latter for dense tangents. The iterator is not of the rule's types, or there would be one to compile for each row.
#[inline(always)]
fn combination<S: Semiring, M: Module<S>>(zero_rule: ZeroRule, mut parts: impl Iterator<Item = (M, S)>) -> M {
    let Some((tangent, partial)) = parts.next() else { return M::zero_tangent() };
    let mut sum = step(zero_rule, tangent, &partial);
    for (tangent, partial) in parts {
        sum = sum.plus(step(zero_rule, tangent, &partial));
    }
    sum
}

#[inline(always)]
fn is_not_constant<S, M: Module<S>>((tangent, _): &(M, S)) -> bool {
    !tangent.is_zero_tangent()
}

impl<S: Semiring, M: Module<S>> Add for Dual<S, M> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, tangent: self.tangent.plus(other.tangent) }
    }
}

/// The product rule.
impl<S: Semiring, M: Module<S>> Mul for Dual<S, M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let tangent = self.tangent.scale_ieee(&other.value).plus(other.tangent.scale_ieee(&self.value));
        Dual { value: self.value * other.value, tangent }
    }
}

impl<S: Semiring, M: Module<S>> Zero for Dual<S, M> {
    #[inline(always)]
    fn zero() -> Self {
        Dual::lift(S::zero())
    }
    /// Whether the number and its derivative are both zero. To branch on a value write `x == 0.0`: that compares
    /// values alone, and recordings keep it.
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.value.is_zero() && self.tangent.is_zero_tangent()
    }
}

impl<S: Semiring, M: Module<S>> One for Dual<S, M> {
    #[inline(always)]
    fn one() -> Self {
        Dual::lift(S::one())
    }
}

impl<S: Ring, M: Module<S>> Neg for Dual<S, M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let z = -self.value.clone();
        let slope = rows::Neg.partial_in(0, [self.value], z.clone());
        Dual { value: z, tangent: step(ZeroRule::Ieee, self.tangent, &slope) }
    }
}

impl<S: Ring, M: Module<S>> Sub for Dual<S, M> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let z = self.value.clone() - other.value.clone();
        let x = [self.value, other.value];
        let first = rows::Sub.partial_in(0, x.clone(), z.clone());
        let second = rows::Sub.partial_in(1, x, z.clone());
        let tangent = step(ZeroRule::Ieee, self.tangent, &first).plus(step(ZeroRule::Ieee, other.tangent, &second));
        Dual { value: z, tangent }
    }
}

/// The quotient rule. The value is that of the numbers underneath, to the last bit, so that branches on quotients go
/// where they would without the derivative.
impl<S: Field, M: Module<S>> Div for Dual<S, M> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // Where 1/b is finite there is no zero tangent to protect, and no comparison per lane to pay.
        let zero_rule = if other.value.is_zero() { ZeroRule::ZeroTangentWins } else { ZeroRule::Ieee };
        let z = self.value.clone() / other.value.clone();
        let x = [self.value, other.value];
        let first = rows::Div.partial_in(0, x.clone(), z.clone());
        let second = rows::Div.partial_in(1, x, z.clone());
        let tangent = step(zero_rule, self.tangent, &first).plus(step(zero_rule, other.tangent, &second));
        Dual { value: z, tangent }
    }
}

impl<S: Scalar, M: Module<S>> Elementary for Dual<S, M> {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        Dual::lift(S::constant(value))
    }

    #[inline(always)]
    fn primal(&self) -> Option<f64> {
        self.value.primal()
    }

    #[inline(always)]
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let values = per_argument(S::zero(), |i| x[i].value);
        let zero_rule = rule.facts().zero_rule;
        let (z, partials) = rule.jointly(values);
        let tangent = if N > 1 && zero_rule == ZeroRule::ZeroTangentWins && x.iter().any(Dual::is_constant) {
            // The partials found jointly go unused here, and so are not computed: not the logarithm in the derivative
            // of a power by its exponent when that is a constant.
            let of = |i: usize| if x[i].is_constant() { S::zero() } else { rule.partial(i, values, z) };
            let partials: [S; N] = per_argument(z, of);
            let parts = x.into_iter().map(Dual::into_tangent).zip(partials);
            combination(zero_rule, parts.filter(is_not_constant))
        } else {
            combination(zero_rule, x.into_iter().map(Dual::into_tangent).zip(partials))
        };
        Dual { value: z, tangent }
    }
}

/// With a literal only one tangent is there to scale, and none to join.
macro_rules! literals {
    ($($Op:ident $op:ident |$x:ident, $c:ident| $result:expr;)+) => {$(
        impl<S: Scalar, M: Module<S>> $Op<f64> for Dual<S, M> {
            type Output = Self;
            #[inline(always)]
            fn $op(self, literal: f64) -> Self {
                let ($x, $c) = (self, S::constant(literal));
                $result
            }
        }
    )+};
}

literals! {
    Add add |x, c| Dual { value: x.value + c, tangent: x.tangent };
    Sub sub |x, c| Dual { value: x.value - c, tangent: x.tangent };
    Mul mul |x, c| Dual { value: x.value * c, tangent: x.tangent.scale_ieee(&c) };
    Div div |x, c| Dual { value: x.value / c, tangent: x.tangent.scale(&rows::Recip.of([c])) };
}

macro_rules! reversed_literals {
    ($($Op:ident $op:ident |$c:ident, $x:ident| $result:expr;)+) => {$(
        impl<S: Scalar, M: Module<S>> $Op<Dual<S, M>> for f64 {
            type Output = Dual<S, M>;
            #[inline(always)]
            fn $op(self, $x: Dual<S, M>) -> Dual<S, M> {
                let $c = self;
                $result
            }
        }
    )+};
}

reversed_literals! {
    Add add |c, x| x + c;
    Sub sub |c, x| Dual { value: S::constant(c) - x.value, ..-x };
    Mul mul |c, x| x * c;
    Div div |c, x| if c == 1.0 {
        x.recip() // one division in all
    } else {
        let z = S::constant(c) / x.value;
        let slope = rows::Div.partial_in(1, [S::constant(c), x.value], z);
        Dual { value: z, tangent: x.tangent.scale(&slope) }
    };
}

crate::operators!(@constants [S: Scalar, M: Module<S>] Dual<S, M>, []);
crate::operators!(@folds [S: Scalar, M: Module<S>] Dual<S, M>, []);
crate::operators!(@references [S: Semiring, M: Module<S>] Dual<S, M>, [], Add add, Mul mul);
crate::operators!(@references [S: Ring, M: Module<S>] Dual<S, M>, [], Sub sub);
crate::operators!(@references [S: Field, M: Module<S>] Dual<S, M>, [], Div div);

crate::primitives::compared_by!([S, M] Dual<S, M>: S, value);

macro_rules! written {
    ($($Format:ident as $plain:literal or $rounded:literal;)+) => {$(
        /// The value and the tangent, as in `3 + 2ε` and `3 - 2ε`; a precision applies to each number.
        impl<S: fmt::$Format, M: fmt::$Format> fmt::$Format for Dual<S, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match f.precision() {
                    None => sum_of(f, &format!($plain, self.value), &format!($plain, self.tangent)),
                    Some(p) => sum_of(f, &format!($rounded, self.value, p = p), &format!($rounded, self.tangent, p = p)),
                }
            }
        }
    )+};
}

written! {
    Display as "{}" or "{:.p$}";
    LowerExp as "{:e}" or "{:.p$e}";
}

/// Writes a sum of a value and a tangent; either goes in brackets if it is such a sum itself.
fn sum_of(f: &mut fmt::Formatter<'_>, value: &str, tangent: &str) -> fmt::Result {
    match value.contains(' ') {
        true => write!(f, "({value})")?,
        false => write!(f, "{value}")?,
    }
    match (tangent.contains(' '), tangent.strip_prefix('-')) {
        (true, _) => write!(f, " + ({tangent})ε"),
        (false, Some(tangent)) => write!(f, " - {tangent}ε"),
        (false, None) => write!(f, " + {tangent}ε"),
    }
}

//! THE table: one row per primitive, and nothing about a primitive anywhere else.
//!
//! A row reads
//!
//! ```text
//! /// What it is.
//! Tanh: Scalar tanh "tanh" (x; z) = x.tanh() => [S::one() - z * z] on [(-2.0, 2.0)], tex = r"\tanh #1";
//! ```
//!
//! that is: the variant, the promise its partial derivatives need of the number type `S`, the method, the text
//! name, the arguments and the name of the value, the value for machine floats, one partial derivative per
//! argument in terms of arguments and value, and for each argument an interval on which the function is smooth
//! (the tests sample there), then whatever else is known ([`Facts`]).
//! Where value and partials share work, a block after `jointly` computes them together; it equals them up to
//! rounding.
//!
//! Law: every partial equals a central difference of the value on the smooth interval (`laws::primitives`), in every
//! mode, at every order. Special points are decided in the row and said in its first lines. A zero tangent passes a
//! row of `ZeroRule::ZeroTangentWins` as zero, be the partial infinite; the 0 of a row of `ZeroRule::ZeroPartialWins`
//! discards the tangent, be that infinite ([`Module`](crate::Module), *Zeros and infinities*) (laws: primitives, laws: special_points::check).

use core::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, LN_2, LN_10, PI};

use super::elementary::{Apply, Machine, Visitor, Work};
use super::{Facts, Points, Rule, Scalar, ZeroRule, per_argument};
use crate::algebra::{Field, Ring};

macro_rules! primitives {
    ($(
        $(#[doc = $doc:expr])+
        $Row:ident $(($parameter:ident: $Parameter:ty))? : $Bound:ident $($method:ident)? $text:literal
        ($x:ident $(, $rest:ident)*; $z:ident) = $value:expr => [$($partial:expr),+] $(jointly $joint:block)?
        on [$($smooth:expr),+] $(, $fact:ident = $known:expr)*;
    )+) => {
        /// The name of a row of the table: the operation of a node of a [`Term`](crate::term::Term).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[non_exhaustive]
        pub enum Primitive {
            $($(#[doc = $doc])+ $Row $(($Parameter))?,)+
        }

        /// The rows as types: one function each, so that a carrier's code is compiled per row.
        pub mod rows {
            $(
                $(#[doc = $doc])+
                #[derive(Debug, Clone, Copy, PartialEq, Eq)]
                pub struct $Row $((#[doc = "The parameter of the row."] pub $Parameter))?;
            )+
        }

        $(
            impl rows::$Row {
                /// The partial derivative, for numbers that promise no more than it needs.
                #[inline(always)]
                #[allow(unused_variables, reason = "a partial uses what it needs of arguments, value and parameter")]
                pub(crate) fn partial_in<S: $Bound>(&self, argument: usize, x: [S; primitives!(@count $x $($rest)*)], z: S) -> S {
                    $(let Self($parameter) = *self; let _: $Parameter = $parameter;)?
                    let ([$x $(, $rest)*], $z) = (x, z);
                    primitives!(@partial argument, [$($partial),+])
                }
            }

            impl Rule<{ primitives!(@count $x $($rest)*) }> for rows::$Row {
                #[inline]
                fn name(&self) -> &'static str { $text }
                #[inline(always)]
                fn value(&self, x: [f64; primitives!(@count $x $($rest)*)]) -> f64 { self.machine(x) }
                #[inline(always)]
                fn value_f32(&self, x: [f32; primitives!(@count $x $($rest)*)]) -> f32 { self.machine(x) }
                #[inline(always)]
                fn partial<S: Scalar>(&self, argument: usize, x: [S; primitives!(@count $x $($rest)*)], z: S) -> S {
                    self.partial_in(argument, x, z)
                }
                #[inline(always)]
                #[allow(unused_variables, reason = "few rows have value and partials computed together")]
                fn jointly<S: Scalar>(&self, at: [S; primitives!(@count $x $($rest)*)]) -> (S, [S; primitives!(@count $x $($rest)*)]) {
                    $(let Self($parameter) = *self; let _: $Parameter = $parameter;)?
                    let [$x $(, $rest)*] = at;
                    primitives!(@jointly [$($joint)?] {
                        let z = S::apply(self, at);
                        (z, per_argument(z, |argument| self.partial_in(argument, at, z)))
                    })
                }
                // The chain rule asks for one of the facts, and that is to cost nothing.
                #[inline(always)]
                #[allow(unused_variables, reason = "the facts of few rows depend on their parameter")]
                fn facts(&self) -> Facts {
                    $(let Self($parameter) = *self;)?
                    Facts { $($fact: $known,)* ..Facts::MONOTONE }
                }
                #[inline]
                fn primitive(&self) -> Option<Primitive> { Some((*self).into()) }
            }

            impl rows::$Row {
                #[inline(always)]
                fn machine<F: Machine>(&self, [$x $(, $rest)*]: [F; primitives!(@count $x $($rest)*)]) -> F {
                    $(let Self($parameter) = *self;)?
                    $value
                }
            }

            impl From<rows::$Row> for Primitive {
                #[inline]
                #[allow(unused_variables, reason = "only some rows have a parameter")]
                fn from(row: rows::$Row) -> Primitive {
                    primitives!(@variant $Row row $($parameter)?)
                }
            }
        )+

        /// A number that has the elementary functions. The provided methods are the rows of the table; a carrier
        /// gives them all their meaning by [`apply`](Elementary::apply).
        #[diagnostic::on_unimplemented(
            message = "`{Self}` has no elementary functions",
            note = "`f32`, `f64` and the carriers over them have; exact numbers have `+ - * /` only"
        )]
        pub trait Elementary: Field {
            /// Whether a number of this type is its plain value and nothing else, as `f64` is: then a function of Rust may take
            /// its place in a program (`pure_callback`). A carrier that carries more says nothing.
            const IS_PLAIN: bool = false;

            /// The constant `value`: no tangent, no dependence on any variable.
            fn constant(value: f64) -> Self;

            /// The plain value, innermost of all carriers; `None` if there is none, as for symbolic terms.
            ///
            /// It is for messages and checks. A branch on it, or on `is_zero`, is invisible to recordings, which
            /// replay the side that was taken; compare the numbers themselves ([`Decide`](super::Decide)).
            fn primal(&self) -> Option<f64>;

            /// The meaning of a differentiable function in this carrier, for rows and for users' rules alike.
            fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self;

            /// The meaning of a row of the table, named at run time. A carrier for which all rows are alike, as they are
            /// where they are written down, says so here, and is not compiled for each of them.
            ///
            /// # Panics
            /// If `x` has not [`arity`](Primitive::arity) elements.
            #[inline]
            fn apply_primitive(row: Primitive, x: &[Self]) -> Self {
                row.visit(Apply(x))
            }

            /// Does some work of the library on numbers of this type. For `f64` the library has it compiled.
            #[doc(hidden)]
            #[inline]
            fn perform<W: Work>(work: W, numbers: &mut [Self]) -> W::Output
            where
                Self: Scalar,
            {
                work.on(numbers)
            }

            $(primitives! { @method [$($doc)+] [$($method)?] $Row [$($parameter: $Parameter)?] [$($rest)*] })+
        }

        impl Primitive {
            /// Every row, in the order of the table; rows with a parameter appear with the parameter 2.
            pub const ALL: &'static [Primitive] = &[$(Primitive::$Row $((2 as $Parameter))?),+];

            /// The text name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(primitives!(@pattern $Row $($parameter)?) => $text,)+ }
            }

            /// The number of arguments, the parameter of a row not counted.
            #[must_use]
            pub fn arity(self) -> usize {
                match self { $(primitives!(@pattern $Row $($parameter)?) => primitives!(@count $x $($rest)*),)+ }
            }

            /// The integer parameter, of the rows that have one.
            #[must_use]
            pub fn parameter(self) -> Option<i64> {
                match self { $(primitives!(@bind $Row $($parameter)?) => primitives!(@option $($parameter)?),)+ }
            }

            /// The row with this text name, and with this parameter if it has one.
            ///
            /// ```
            /// use catadiff::primitives::Primitive;
            /// assert_eq!(Primitive::named("tanh", None), Some(Primitive::Tanh));
            /// assert_eq!(Primitive::named("powi", Some(3)), Some(Primitive::Powi(3)));
            /// assert_eq!(Primitive::named("powi", None), None);
            /// ```
            #[must_use]
            pub fn named(name: &str, parameter: Option<i64>) -> Option<Primitive> {
                $(if name == $text {
                    return primitives!(@named $Row parameter $($Parameter)?);
                })+
                None
            }

            /// What is known of the function besides value and derivative.
            #[must_use]
            pub fn facts(self) -> Facts {
                match self { $(primitives!(@bind $Row $($parameter)?) => rows::$Row $(($parameter))?.facts(),)+ }
            }

            /// For each argument, an interval on which the function is smooth.
            #[must_use]
            pub fn smooth(self) -> &'static [(f64, f64)] {
                match self { $(primitives!(@pattern $Row $($parameter)?) => &[$($smooth),+],)+ }
            }

            /// Applies the row in any carrier.
            ///
            /// # Panics
            /// If `x` has not [`arity`](Primitive::arity) elements.
            #[inline]
            pub fn apply<C: Elementary>(self, x: &[C]) -> C {
                C::apply_primitive(self, x)
            }

            /// Calls `visitor` with the row as a type, so that what it does is compiled per row.
            #[inline]
            pub(crate) fn visit<V: Visitor>(self, visitor: V) -> V::Output {
                match self {
                    $(primitives!(@bind $Row $($parameter)?) => visitor.visit(rows::$Row $(($parameter))?),)+
                }
            }
        }
    };

    (@jointly [] $separately:block) => { $separately };
    (@jointly [$joint:block] $separately:block) => { $joint };
    (@method [$($doc:expr)+] [] $($row:tt)*) => {};
    (@method [$($doc:expr)+] [$method:ident] $Row:ident [$($parameter:ident: $Parameter:ty)?] [$($rest:ident)*]) => {
        $(#[doc = $doc])+
        #[inline(always)]
        #[must_use]
        fn $method(self $(, $parameter: $Parameter)? $(, $rest: impl Into<Self>)*) -> Self {
            Self::apply(&rows::$Row $(($parameter))?, [self $(, $rest.into())*])
        }
    };
    (@count $($x:ident)+) => { [$(stringify!($x)),+].len() };
    (@partial $i:ident, [$p:expr]) => { $p };
    (@partial $i:ident, [$p:expr, $q:expr]) => { if $i == 0 { $p } else { $q } };
    (@partial $i:ident, [$p:expr, $q:expr, $r:expr]) => { match $i { 0 => $p, 1 => $q, _ => $r } };
    (@variant $Row:ident $row:ident) => { Primitive::$Row };
    (@variant $Row:ident $row:ident $parameter:ident) => { Primitive::$Row($row.0) };
    (@pattern $Row:ident) => { Primitive::$Row };
    (@pattern $Row:ident $parameter:ident) => { Primitive::$Row(_) };
    (@bind $Row:ident) => { Primitive::$Row };
    (@bind $Row:ident $parameter:ident) => { Primitive::$Row($parameter) };
    (@option) => { None };
    (@option $parameter:ident) => { Some(i64::from($parameter)) };
    (@named $Row:ident $given:ident) => { if $given.is_none() { Some(Primitive::$Row) } else { None } };
    (@named $Row:ident $given:ident $Parameter:ty) => {
        $given.and_then(|n| <$Parameter>::try_from(n).ok()).map(Primitive::$Row)
    };
}

/// The line on which a function of one argument is looked at by the tests.
const WIDE: (f64, f64) = (-4.0, 4.0);
const POSITIVE: (f64, f64) = (0.25, 4.0);
const INSIDE: (f64, f64) = (-0.9, 0.9);
const ZERO: Points = Points::At(&[0.0]);
const HALF_LINE: (f64, f64) = (0.0, f64::INFINITY);
const LINE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

const UNIT: (f64, f64) = (-1.0, 1.0);
// The multiples of π, rounded away from 0 so that they bound the true ones.
const HALF_TURN: f64 = PI.next_up();
const RIGHT_ANGLES: (f64, f64) = (-FRAC_PI_2.next_up(), FRAC_PI_2.next_up());
const FLAT: [bool; 3] = [true; 3];
const SINGULAR: ZeroRule = ZeroRule::ZeroTangentWins;
const SWITCH: ZeroRule = ZeroRule::ZeroPartialWins;

/// Points of the first argument, and none of the others.
const fn first(points: Points) -> [Points; 3] {
    [points, Points::None, Points::None]
}

/// A stretch for the first argument, and the whole line for the others.
const fn first_in(stretch: (f64, f64)) -> [(f64, f64); 3] {
    [stretch, LINE, LINE]
}

primitives! {
    /// The negative, `−x`.
    Neg: Ring "neg" (x; z) = -x => [-S::one()] on [WIDE], infix = Some(("-", 3)), tex = "-#1", wgsl = "(-#1)", ulp = 0;
    /// The difference, `x − y`.
    Sub: Ring "sub" (x, y; z) = x - y => [S::one(), -S::one()] on [WIDE, WIDE],
        infix = Some(("-", 1)), tex = "#1 - #2", wgsl = "(#1 - #2)", ulp = 1;
    /// The reciprocal, `1/x`; infinite at 0.
    Recip: Field recip "recip" (x; z) = x.recip() => [-(z.clone() * z)] on [POSITIVE],
        poles = first(ZERO), zero_rule = SINGULAR, ulp = 1,
        infix = Some(("1 / ", 2)), tex = r"\frac{1}{#1}";
    /// The quotient, `x/y`.
    Div: Field "div" (x, y; z) = x / y => [S::one() / y, -(z * (S::one() / y))] on [WIDE, POSITIVE],
        poles = [Points::None, ZERO, Points::None], zero_rule = SINGULAR, ulp = 1,
        infix = Some(("/", 2)), tex = r"\frac{#1}{#2}";
    /// `x·y + w` in one rounding, if the machine has it.
    Fma: Scalar mul_add "fma" (x, y, w; z) = x.mul_add(y, w) => [y, x, S::one()] on [WIDE, WIDE, WIDE], ulp = 1;
    /// The integer power `xⁿ`; `x⁰` is 1 everywhere, with derivative 0.
    Powi(n: i32): Scalar powi "powi" (x; z) = x.powi(n)
        => [match n.checked_sub(1) {
            _ if n == 0 => S::zero(),
            Some(below) => S::constant(f64::from(n)) * x.powi(below),
            None => S::constant(f64::from(n)) * z / x,
        }]
        jointly {
            if n < 1 {
                let z = x.powi(n);
                (z, [rows::Powi(n).partial_in(0, [x], z)])
            } else {
                let below = x.powi(n - 1);
                (x * below, [S::constant(f64::from(n)) * below])
            }
        } on [POSITIVE],
        range = if n % 2 == 0 { HALF_LINE } else { LINE }, turns = first(if n % 2 == 0 { ZERO } else { Points::None }),
        poles = first(if n < 0 { ZERO } else { Points::None }), zero_rule = SINGULAR, flat = [n == 0; 3],
        ulp = n.unsigned_abs(), infix = Some(("^", 4)), tex = "{#1}^{#n}";
    /// The power `x^y` for `x ≥ 0`. At `0⁰` the derivative by `x` is 0, and where `x` is 0 that by `y` is 0.
    Pow: Scalar powf "pow" (x, y; z) = x.powf(y)
        => [x.abs().max(y.abs()).select(y * x.powf(y - S::one()), S::zero()), x.select(z * x.ln(), S::zero())]
        on [POSITIVE, WIDE],
        known = first_in(HALF_LINE), zero_rule = SINGULAR, infix = Some(("^", 4)), tex = "{#1}^{#2}";
    /// The square root; its derivative at 0 is infinite.
    Sqrt: Scalar sqrt "sqrt" (x; z) = x.sqrt() => [S::constant(0.5) / z] on [POSITIVE],
        domain = first_in(HALF_LINE), range = HALF_LINE, zero_rule = SINGULAR, ulp = 1, tex = r"\sqrt{#1}";
    /// The cube root, also of negative numbers; its derivative at 0 is infinite.
    Cbrt: Scalar cbrt "cbrt" (x; z) = x.cbrt() => [S::one() / (S::constant(3.0) * z * z)] on [POSITIVE],
        zero_rule = SINGULAR, tex = r"\sqrt[3]{#1}";
    /// The exponential function.
    Exp: Scalar exp "exp" (x; z) = x.exp() => [z] on [WIDE], range = HALF_LINE, zero_rule = SINGULAR, tex = "e^{#1}";
    /// `2^x`.
    Exp2: Scalar exp2 "exp2" (x; z) = x.exp2() => [z * S::constant(LN_2)] on [WIDE],
        range = HALF_LINE, zero_rule = SINGULAR, tex = "2^{#1}";
    /// `eˣ − 1`, accurate near 0.
    Expm1: Scalar exp_m1 "expm1" (x; z) = x.exp_m1() => [x.exp()] on [WIDE],
        range = (-1.0, f64::INFINITY), zero_rule = SINGULAR;
    /// The natural logarithm; −∞ at 0.
    Ln: Scalar ln "ln" (x; z) = x.ln() => [x.recip()] on [POSITIVE],
        domain = first_in(HALF_LINE), zero_rule = SINGULAR, tex = r"\ln #1";
    /// The logarithm to base 2.
    Log2: Scalar log2 "log2" (x; z) = x.log2() => [S::one() / (x * S::constant(LN_2))] on [POSITIVE],
        domain = first_in(HALF_LINE), zero_rule = SINGULAR, tex = r"\log_2 #1";
    /// The logarithm to base 10.
    Log10: Scalar log10 "log10" (x; z) = x.log10() => [S::one() / (x * S::constant(LN_10))] on [POSITIVE],
        domain = first_in(HALF_LINE), zero_rule = SINGULAR, tex = r"\log_{10} #1";
    /// `ln(1 + x)`, accurate near 0.
    Log1p: Scalar ln_1p "log1p" (x; z) = x.ln_1p() => [S::one() / (S::one() + x)] on [POSITIVE],
        domain = first_in((-1.0, f64::INFINITY)), zero_rule = SINGULAR;
    /// The sine of an angle in radians.
    Sin: Scalar sin "sin" (x; z) = x.sin() => [x.cos()] on [WIDE],
        range = UNIT, turns = first(Points::Every { first: FRAC_PI_2, period: PI }), tex = r"\sin #1";
    /// The cosine of an angle in radians.
    Cos: Scalar cos "cos" (x; z) = x.cos() => [-x.sin()] on [WIDE],
        range = UNIT, turns = first(Points::Every { first: 0.0, period: PI }), tex = r"\cos #1";
    /// The tangent of an angle in radians.
    Tan: Scalar tan "tan" (x; z) = x.tan() => [S::one() + z * z] on [INSIDE],
        poles = first(Points::Every { first: FRAC_PI_2, period: PI }), tex = r"\tan #1";
    /// The inverse sine, in `[−π/2, π/2]`; its derivative at ±1 is infinite.
    Asin: Scalar asin "asin" (x; z) = x.asin() => [((S::one() - x) * (S::one() + x)).sqrt().recip()] on [INSIDE],
        domain = first_in(UNIT), range = RIGHT_ANGLES, zero_rule = SINGULAR, tex = r"\arcsin #1";
    /// The inverse cosine, in `[0, π]`; its derivative at ±1 is infinite.
    Acos: Scalar acos "acos" (x; z) = x.acos() => [-((S::one() - x) * (S::one() + x)).sqrt().recip()] on [INSIDE],
        domain = first_in(UNIT), range = (0.0, HALF_TURN), zero_rule = SINGULAR, tex = r"\arccos #1";
    /// The inverse tangent, in `(−π/2, π/2)`.
    Atan: Scalar atan "atan" (x; z) = x.atan() => [(S::one() + x * x).recip()] on [WIDE],
        range = RIGHT_ANGLES, tex = r"\arctan #1";
    /// The angle of the point `(x, y)`, called as `y.atan2(x)`, in `[−π, π]`; both derivatives at the origin are 0.
    Atan2: Scalar atan2 "atan2" (y, x; z) = y.atan2(x)
        // Twice divided by the radius, whose square may under- or overflow.
        => [{ let r = y.hypot(x); r.select(x / r / r, S::zero()) }, { let r = y.hypot(x); r.select(-(y / r / r), S::zero()) }]
        on [POSITIVE, WIDE], range = (-HALF_TURN, HALF_TURN), turns = first(ZERO), zero_rule = SINGULAR;
    /// The hyperbolic sine.
    Sinh: Scalar sinh "sinh" (x; z) = x.sinh() => [x.cosh()] on [WIDE], zero_rule = SINGULAR, tex = r"\sinh #1";
    /// The hyperbolic cosine.
    Cosh: Scalar cosh "cosh" (x; z) = x.cosh() => [x.sinh()] on [WIDE],
        range = (1.0, f64::INFINITY), turns = first(ZERO), zero_rule = SINGULAR, tex = r"\cosh #1";
    /// The hyperbolic tangent. Its derivative is right to 2⁻⁵³ of its maximum, not of itself, so that it costs nothing.
    Tanh: Scalar tanh "tanh" (x; z) = x.tanh() => [S::one() - z * z] on [(-2.0, 2.0)], range = UNIT, tex = r"\tanh #1";
    /// The inverse hyperbolic sine.
    Asinh: Scalar asinh "asinh" (x; z) = x.inverse_sinh() => [S::one() / x.hypot(S::one())] on [WIDE];
    /// The inverse hyperbolic cosine, of `x ≥ 1`; its derivative at 1 is infinite.
    Acosh: Scalar acosh "acosh" (x; z) = x.inverse_cosh()
        => [((x - S::one()).sqrt() * (x + S::one()).sqrt()).recip()] on [(1.5, 4.0)],
        domain = first_in((1.0, f64::INFINITY)), range = HALF_LINE, zero_rule = SINGULAR;
    /// The inverse hyperbolic tangent, of `−1 < x < 1`.
    Atanh: Scalar atanh "atanh" (x; z) = x.inverse_tanh() => [((S::one() - x) * (S::one() + x)).recip()] on [INSIDE],
        domain = first_in(UNIT), zero_rule = SINGULAR;
    /// `√(x² + y²)` without overflow; both derivatives at the origin are 0.
    Hypot: Scalar hypot "hypot" (x, y; z) = x.hypot(y)
        => [z.select(x / z, S::zero()), z.select(y / z, S::zero())] on [POSITIVE, WIDE],
        range = HALF_LINE, turns = [ZERO, ZERO, Points::None];
    /// The absolute value; its derivative at 0 is 0.
    Abs: Scalar abs "abs" (x; z) = x.abs() => [x.signum()] on [POSITIVE],
        range = HALF_LINE, turns = first(ZERO), ulp = 0, tex = r"\left|#1\right|";
    /// The sign: −1, 0 or 1. Unlike `f64::signum` it is 0 at 0, which makes it the derivative of `abs`.
    Signum: Scalar signum "signum" (x; z) = if x > F::zero() { F::one() } else if x < F::zero() { -F::one() } else { x }
        => [S::zero()] on [POSITIVE], zero_rule = SWITCH, flat = FLAT, ulp = 0;
    /// The smaller of two; at a tie the first, with its derivative. A number wins over NaN, as in C's `fmin` and `f64::min`,
    /// and has the derivative alone; of two NaN the second has it.
    Min: Scalar min "min" (x, y; z) = if x <= y || y.is_nan() { x } else { y }
        => [z.ge_indicator(x), S::one() - z.ge_indicator(x)] on [POSITIVE, (-4.0, 0.0)], zero_rule = SWITCH, ulp = 0;
    /// The larger of two; at a tie the first, with its derivative. A number wins over NaN, as in C's `fmax` and `f64::max`,
    /// and has the derivative alone; of two NaN the second has it.
    Max: Scalar max "max" (x, y; z) = if x >= y || y.is_nan() { x } else { y }
        => [x.ge_indicator(z), S::one() - x.ge_indicator(z)] on [POSITIVE, (-4.0, 0.0)], zero_rule = SWITCH, ulp = 0;
    /// 1 where `x ≥ y`, 0 where not, as if either is NaN: a step, not the larger of the two.
    GeIndicator: Scalar ge_indicator "ge" (x, y; z) = if x >= y { F::one() } else { F::zero() }
        => [S::zero(), S::zero()] on [POSITIVE, (-4.0, 0.0)], zero_rule = SWITCH, flat = FLAT, ulp = 0,
        tex = r"\left[#1 \ge #2\right]";
    /// `x` where the condition, this number, is not 0, and `y` where it is: a branch that every carrier understands.
    /// The side not taken is evaluated, and its tangent is discarded.
    Select: Scalar select "select" (c, x, y; z) = if c.is_zero() { y } else { x }
        => [S::zero(), c.select(S::one(), S::zero()), c.select(S::zero(), S::one())] on [POSITIVE, WIDE, WIDE],
        turns = first(ZERO), zero_rule = SWITCH, flat = [true, false, false], ulp = 0;
    /// The largest integer not above `x`; its derivative is 0.
    Floor: Scalar floor "floor" (x; z) = x.floor() => [S::zero()] on [(0.1, 0.9)],
        zero_rule = SWITCH, flat = FLAT, ulp = 0, tex = r"\lfloor #1 \rfloor";
    /// The smallest integer not below `x`; its derivative is 0.
    Ceil: Scalar ceil "ceil" (x; z) = x.ceil() => [S::zero()] on [(0.1, 0.9)],
        zero_rule = SWITCH, flat = FLAT, ulp = 0, tex = r"\lceil #1 \rceil";
    /// The nearest integer, halves away from 0; its derivative is 0.
    Round: Scalar round "round" (x; z) = x.round() => [S::zero()] on [(0.6, 1.4)],
        zero_rule = SWITCH, flat = FLAT, ulp = 0;
    /// The error function, `2/√π ∫₀ˣ e^(−t²) dt`.
    Erf: Scalar erf "erf" (x; z) = x.erf() => [S::constant(FRAC_2_SQRT_PI) * (-(x * x)).exp()] on [(-2.0, 2.0)],
        range = UNIT;
    /// The complementary error function, `1 − erf x`, accurate for large `x`.
    Erfc: Scalar erfc "erfc" (x; z) = x.erfc() => [S::constant(-FRAC_2_SQRT_PI) * (-(x * x)).exp()] on [(-2.0, 2.0)],
        range = (0.0, 2.0);
    /// The logarithm of `|Γ(x)|`; infinite at 0 and the negative integers.
    Lgamma: Scalar lgamma "lgamma" (x; z) = x.lgamma() => [x.digamma()] on [POSITIVE],
        known = first_in(HALF_LINE), turns = first(Points::At(&[1.461_632_144_968_362_3])), poles = first(ZERO),
        zero_rule = SINGULAR, tex = r"\ln\Gamma\left(#1\right)";
    /// The digamma function `ψ`, derivative of `ln Γ`.
    Digamma: Scalar digamma "digamma" (x; z) = x.digamma() => [x.polygamma(1)] on [POSITIVE],
        known = first_in(HALF_LINE), poles = first(ZERO), zero_rule = SINGULAR, tex = r"\psi\left(#1\right)";
    /// The polygamma function `ψ⁽ⁿ⁾`, the `n`-th derivative of digamma.
    Polygamma(n: u32): Scalar polygamma "polygamma" (x; z) = x.polygamma(n)
        => [x.polygamma(n.saturating_add(1))] on [POSITIVE],
        known = first_in(HALF_LINE), poles = first(ZERO), zero_rule = SINGULAR, ulp = 8,
        tex = r"\psi^{(#n)}\left(#1\right)";
    /// The logistic function `1/(1 + e^(−x))`, stable on both sides. Its derivative is as that of `tanh` is.
    Sigmoid: Scalar sigmoid "sigmoid" (x; z) = {
            let e = (-x.abs()).exp();
            (if x < F::zero() { e } else { F::one() }) / (F::one() + e)
        } => [z * (S::one() - z)] on [WIDE],
        range = (0.0, 1.0), tex = r"\sigma\left(#1\right)";
    /// `ln(1 + eˣ)`, stable on both sides.
    Softplus: Scalar softplus "softplus" (x; z) = x.max(F::zero()) + (-x.abs()).exp().ln_1p() => [x.sigmoid()] on [WIDE],
        range = HALF_LINE;
    /// The number itself, taken as a constant by every derivative.
    StopGradient: Scalar stop_gradient "stop_gradient" (x; z) = x => [S::zero()] on [WIDE],
        zero_rule = SWITCH, flat = FLAT, ulp = 0, wgsl = "#1";
    /// The number rounded to single precision, to the nearest and of two to the even one. It is the rounding of every operation on
    /// `f32`, so derivatives are those of the number itself.
    Single: Scalar single "single" (x; z) = x.single() => [S::one()] on [WIDE], ulp = 0;
    /// The number rounded to half precision, as `f16` is: to the nearest and of two to the even one, past the largest to infinity.
    Half: Scalar half "half" (x; z) = x.half() => [S::one()] on [WIDE], ulp = 0;
}

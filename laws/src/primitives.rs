//! Elementary functions: every row of the table, and every rule of yours, against the differences of its value.
//!
//! Law: a partial derivative is the limit of difference quotients of the value, wherever the function is smooth; it is
//! itself differentiable, to every order and in every mode; and no factor of a zero tangent changes a result (the
//! scalar rules of "Automatic Differentiation"). A table whose tests check only that a rule exists keeps wrong rules
//! for years (tests/laws/instances.rs).

use catadiff::carriers::Dual;
use catadiff::primitives::{Elementary, Primitive, Rule, Scalar};
use catadiff::{Kronecker, Module};
use quickcheck::{Arbitrary, Gen};

use crate::approx::Bound;
use crate::differences::slope;
use crate::kronecker::{Coefficients, by_every_module};
use crate::law;
use crate::runner::for_all;
use crate::violation::Verdict;

/// The bound between a partial derivative and a difference: half of the digits, where wrong rules have none right.
pub const DIFFERENCES: Bound = Bound::ulps(67_108_864.0).at_scale(1.0);
/// The bound between values at single precision and at double precision, in units of the former.
pub const SINGLE: Bound = Bound::ulps(4.0);

/// A function of at most four numbers, with what the laws need to know of it.
pub trait Function {
    /// Its name, as it appears in violations.
    fn name(&self) -> String;
    /// For each argument an interval on which the function is smooth.
    fn smooth(&self) -> Vec<(f64, f64)>;
    /// The function in a carrier.
    ///
    /// # Panics
    /// If there are not as many arguments as intervals.
    fn call<C: Elementary>(&self, x: &[C]) -> C;
    /// Its derivative, where that is decided, whatever the differences of the value are.
    fn decided(&self) -> Option<f64> {
        None
    }
}

impl Function for Primitive {
    fn name(&self) -> String {
        match self.parameter() {
            Some(n) => format!("{}({n})", Primitive::name(*self)),
            None => Primitive::name(*self).to_owned(),
        }
    }
    fn smooth(&self) -> Vec<(f64, f64)> {
        Primitive::smooth(*self).to_vec()
    }
    fn call<C: Elementary>(&self, x: &[C]) -> C {
        self.apply(x)
    }
    fn decided(&self) -> Option<f64> {
        match self {
            Primitive::StopGradient => Some(0.0),
            Primitive::Half | Primitive::Single => Some(1.0),
            _ => None,
        }
    }
}

/// A rule of yours, with the intervals on which it is smooth.
///
/// ```
/// use catadiff::primitives::{Rule, Scalar};
/// use catadiff_laws::primitives::{self, Custom};
/// #[derive(Clone)]
/// struct Swish;
/// impl Rule<1> for Swish {
///     fn name(&self) -> &'static str { "swish" }
///     fn value(&self, [x]: [f64; 1]) -> f64 { x / (1.0 + (-x).exp()) }
///     fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], z: S) -> S {
///         z + x.sigmoid() * (S::one() - z)
///     }
/// }
/// primitives::check(&Custom { rule: Swish, smooth: [(-4.0, 4.0)] })?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
#[derive(Debug, Clone)]
pub struct Custom<R, const N: usize> {
    /// The rule.
    pub rule: R,
    /// For each argument an interval on which it is smooth.
    pub smooth: [(f64, f64); N],
}

impl<R: Rule<N>, const N: usize> Function for Custom<R, N> {
    fn name(&self) -> String {
        self.rule.name().to_owned()
    }
    fn smooth(&self) -> Vec<(f64, f64)> {
        self.smooth.to_vec()
    }
    fn call<C: Elementary>(&self, x: &[C]) -> C {
        self.rule.of(core::array::from_fn(|i| x[i].clone()))
    }
}

/// Numbers `a + b·ε` with `b` = 1 at argument `i` only.
fn seeded<S: Scalar>(x: &[S], i: usize) -> Vec<Dual<S>> {
    let seed = |j| if i == j { S::one() } else { S::zero() };
    x.iter().enumerate().map(|(j, x)| Dual { value: *x, tangent: seed(j) }).collect()
}

/// The partial derivative by argument `i`, in any scalar.
pub fn first<F: Function, S: Scalar>(f: &F, i: usize, x: &[S]) -> S {
    f.call(&seeded(x, i)).tangent
}

/// The second partial derivative by arguments `i` and `j`: forward over forward.
pub fn second<F: Function, S: Scalar>(f: &F, [i, j]: [usize; 2], x: &[S]) -> S {
    first(f, i, &seeded(x, j)).tangent
}

/// The third partial derivative by arguments `i`, `j` and `k`.
pub fn third<F: Function, S: Scalar>(f: &F, [i, j, k]: [usize; 3], x: &[S]) -> S {
    second(f, [i, j], &seeded(x, k)).tangent
}

/// The derivative at `x` along argument `i`, from values inside the intervals.
fn difference<F: Function>(f: &F, i: usize, x: &[f64], g: impl Fn(&[f64]) -> f64) -> f64 {
    let (low, high) = f.smooth()[i];
    let reach = (0.9 * (x[i] - low).min(high - x[i])).min(0.5);
    let moved = |t| {
        let mut x = x.to_vec();
        x[i] += t;
        g(&x)
    };
    slope(moved, reach)
}

/// Every partial derivative of the first three orders is the derivative of the one before, at a point.
pub fn partials_are_slopes<F: Function>(f: &F, x: &[f64], bound: Bound) -> Verdict {
    let (name, arity, x) = (f.name(), x.len(), x.to_vec());
    for i in 0..arity {
        let expected = f.decided().unwrap_or_else(|| difference(f, i, &x, |x| f.call(x)));
        law!(format!("{name}: partial {i} = slope of the value"), [x], first(f, i, &x), expected, bound)?;
        for j in 0..arity {
            let expected = difference(f, j, &x, |x| first(f, i, x));
            let law = format!("{name}: partial {i}, {j} = slope along {j} of partial {i}");
            law!(law, [x], second(f, [i, j], &x), expected, bound)?;
            for k in 0..arity {
                let expected = difference(f, k, &x, |x| second(f, [i, j], x));
                let law = format!("{name}: partial {i}, {j}, {k} = slope along {k} of partial {i}, {j}");
                law!(law, [x], third(f, [i, j, k], &x), expected, bound)?;
            }
        }
    }
    Ok(())
}

/// The gradient of a function at a point, by the tangents `M`.
fn gradient<F: Function, M>(f: &F, x: &[f64]) -> Vec<f64>
where
    M: Kronecker<usize, f64> + Coefficients<usize, f64>,
{
    let inputs: Vec<Dual<f64, M>> = x.iter().enumerate().map(|(v, x)| Dual::variable(*x, v)).collect();
    let tangent = f.call(&inputs).tangent;
    (0..x.len()).map(|v| tangent.coefficient(&v)).collect()
}

/// All modules of tangents have the same partial derivatives, to the last bit, and constants have none.
pub fn modes_agree<F: Function>(f: &F, x: &[f64]) -> Verdict {
    let (name, x) = (f.name(), x.to_vec());
    let forward: Vec<f64> = (0..x.len()).map(|i| first(f, i, &x)).collect();
    for (mode, found) in by_every_module!(over f64, gradient<F>(f, &x)) {
        law!(format!("{name}: the partials by {mode} are those by Dual"), [x], found, forward.clone(), Bound::EXACT)?;
    }
    nothing_unfelt(f, &x)
}

/// A constant stays a constant, be the partial derivative infinite or not a number there.
pub fn nothing_unfelt<F: Function>(f: &F, x: &[f64]) -> Verdict {
    let (name, x) = (f.name(), x.to_vec());
    let constants: Vec<Dual<f64>> = x.iter().map(|x| Dual::<f64>::lift(*x)).collect();
    law!(
        format!("{name}: of constants is a constant"),
        [x],
        f.call(&constants).tangent,
        f64::zero_tangent(),
        Bound::EXACT
    )
}

/// The value at single precision is that at double precision, rounded.
pub fn single_is_rounded_double<F: Function>(f: &F, x: &[f64], bound: Bound) -> Verdict {
    let x: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    let law = format!("{}: the f32 value is the f64 value, rounded", f.name());
    law!(law, [x], f.call(&x), f.call(&wide) as f32, bound)
}

/// A row is found again by its name and parameter, and has an interval per argument.
pub fn row_round_trips(row: Primitive) -> Verdict {
    let (name, parameter) = (Primitive::name(row).to_owned(), row.parameter().map_or(i64::MIN, |n| n));
    let found = Primitive::named(&name, row.parameter()) == Some(row);
    law!("a row is found by its name and parameter", [name, parameter], found, true, Bound::EXACT)?;
    law!("a row has an interval per argument", [name], Primitive::smooth(row).len(), row.arity(), Bound::EXACT)
}

/// Positions in the intervals of a function, from 0 to 1.
#[derive(Debug, Clone)]
struct Positions([f64; 4]);

impl Positions {
    /// The points at these positions, away from the ends so that differences have room.
    fn within(&self, intervals: &[(f64, f64)]) -> Vec<f64> {
        intervals.iter().zip(self.0).map(|((low, high), t)| low + (high - low) * (0.05 + 0.9 * t)).collect()
    }
}

impl Arbitrary for Positions {
    fn arbitrary(g: &mut Gen) -> Self {
        Positions(core::array::from_fn(|_| f64::from(u32::arbitrary(g)) / f64::from(u32::MAX)))
    }
    /// Rounder positions, which read better.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let now = self.0;
        let rounded = [1.0, 8.0, 64.0].map(|n| now.map(|t| (t * n).round() / n));
        Box::new(rounded.into_iter().filter(move |next| *next != now).take(1).map(Positions))
    }
}

/// Whether a function keeps all laws above, at points in its intervals.
pub fn check<F: Function>(f: &F) -> Verdict {
    for_all(|positions: Positions| {
        let x = positions.within(&f.smooth());
        partials_are_slopes(f, &x, DIFFERENCES)?;
        modes_agree(f, &x)?;
        single_is_rounded_double(f, &x, SINGLE)
    })
}

/// The violations in the table of primitives, at most one per row: none, if every row is right.
///
/// ```
/// assert_eq!(catadiff_laws::primitives::check_table(), []);
/// ```
pub fn check_table() -> Vec<crate::Violation> {
    Primitive::ALL.iter().filter_map(|row| check(row).and_then(|()| row_round_trips(*row)).err()).collect()
}

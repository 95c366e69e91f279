//! Special points: what the rows of the table decide where their functions turn, end, tie or blow up.
//!
//! Law: value and partial derivatives at each point below are those that the row's first lines document, so a decision
//! cannot change without its documentation; and even there, a partial that is not used changes no result
//! (tests/laws/instances.rs).

use catadiff::primitives::Primitive;

use crate::approx::Bound;
use crate::law;
use crate::primitives::{Function, first, nothing_unfelt};
use crate::violation::{Verdict, Violation};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// A decision: at these arguments, this value, and these partial derivatives if they are decided as well.
type Point = (Primitive, &'static [f64], f64, &'static [f64]);

/// The documented decisions.
pub const POINTS: &[Point] = &[
    (Primitive::Recip, &[0.0], INF, &[-INF]),
    (Primitive::Powi(0), &[0.0], 1.0, &[0.0]),
    (Primitive::Powi(0), &[-3.0], 1.0, &[0.0]),
    (Primitive::Powi(1), &[0.0], 0.0, &[1.0]),
    (Primitive::Powi(-1), &[0.0], INF, &[-INF]),
    (Primitive::Pow, &[2.0, 0.0], 1.0, &[0.0, core::f64::consts::LN_2]),
    (Primitive::Pow, &[0.0, 0.0], 1.0, &[0.0, 0.0]),
    (Primitive::Pow, &[0.0, 1.0], 0.0, &[1.0, 0.0]),
    (Primitive::Pow, &[0.0, 2.0], 0.0, &[0.0, 0.0]),
    (Primitive::Sqrt, &[0.0], 0.0, &[INF]),
    (Primitive::Sqrt, &[-1.0], NAN, &[]),
    (Primitive::Cbrt, &[0.0], 0.0, &[INF]),
    (Primitive::Cbrt, &[-8.0], -2.0, &[1.0 / 12.0]),
    (Primitive::Expm1, &[1e-20], 1e-20, &[1.0]),
    (Primitive::Log1p, &[1e-20], 1e-20, &[1.0]),
    (Primitive::Ln, &[0.0], -INF, &[INF]),
    (Primitive::Asin, &[1.0], core::f64::consts::FRAC_PI_2, &[INF]),
    (Primitive::Acos, &[-1.0], core::f64::consts::PI, &[-INF]),
    (Primitive::Atan2, &[0.0, 0.0], 0.0, &[0.0, 0.0]),
    (Primitive::Atan2, &[0.0, 1e-310], 0.0, &[INF, 0.0]),
    (Primitive::Hypot, &[0.0, 0.0], 0.0, &[0.0, 0.0]),
    (Primitive::Hypot, &[3e300, 4e300], 5e300, &[0.6, 0.8]),
    (Primitive::Abs, &[0.0], 0.0, &[0.0]),
    (Primitive::Abs, &[-2.0], 2.0, &[-1.0]),
    (Primitive::Signum, &[0.0], 0.0, &[0.0]),
    (Primitive::Signum, &[-7.0], -1.0, &[0.0]),
    (Primitive::Min, &[1.0, 1.0], 1.0, &[1.0, 0.0]),
    (Primitive::Min, &[2.0, 1.0], 1.0, &[0.0, 1.0]),
    (Primitive::Min, &[NAN, 1.0], 1.0, &[0.0, 1.0]),
    (Primitive::Min, &[1.0, NAN], 1.0, &[1.0, 0.0]),
    (Primitive::Min, &[NAN, NAN], NAN, &[0.0, 1.0]),
    (Primitive::Min, &[NAN, INF], INF, &[0.0, 1.0]),
    (Primitive::Max, &[1.0, 1.0], 1.0, &[1.0, 0.0]),
    (Primitive::Max, &[1.0, 2.0], 2.0, &[0.0, 1.0]),
    (Primitive::Max, &[NAN, 1.0], 1.0, &[0.0, 1.0]),
    (Primitive::Max, &[1.0, NAN], 1.0, &[1.0, 0.0]),
    (Primitive::Max, &[NAN, NAN], NAN, &[0.0, 1.0]),
    (Primitive::Max, &[NAN, -INF], -INF, &[0.0, 1.0]),
    (Primitive::GeIndicator, &[1.0, 1.0], 1.0, &[0.0, 0.0]),
    (Primitive::GeIndicator, &[1.0, 2.0], 0.0, &[0.0, 0.0]),
    (Primitive::GeIndicator, &[NAN, 1.0], 0.0, &[0.0, 0.0]),
    (Primitive::GeIndicator, &[1.0, NAN], 0.0, &[0.0, 0.0]),
    (Primitive::Select, &[0.0, 5.0, 7.0], 7.0, &[0.0, 0.0, 1.0]),
    (Primitive::Select, &[-2.0, 5.0, 7.0], 5.0, &[0.0, 1.0, 0.0]),
    (Primitive::Select, &[0.0, NAN, 7.0], 7.0, &[0.0, 0.0, 1.0]),
    (Primitive::Round, &[0.5], 1.0, &[0.0]),
    (Primitive::Round, &[-2.5], -3.0, &[0.0]),
    (Primitive::Floor, &[-0.5], -1.0, &[0.0]),
    (Primitive::Ceil, &[2.0], 2.0, &[0.0]),
    (Primitive::Lgamma, &[0.0], INF, &[]),
    (Primitive::Lgamma, &[-3.0], INF, &[]),
    (Primitive::Sigmoid, &[-1e3], 0.0, &[0.0]),
    (Primitive::Sigmoid, &[1e3], 1.0, &[0.0]),
    (Primitive::Softplus, &[-1e3], 0.0, &[0.0]),
    (Primitive::Softplus, &[1e3], 1e3, &[1.0]),
    (Primitive::StopGradient, &[2.0], 2.0, &[0.0]),
];

/// A row keeps a decision.
pub fn is_kept((row, x, value, partials): &Point) -> Verdict {
    let (name, x, bound) = (Function::name(row), x.to_vec(), Bound::ulps(1.0));
    law!(format!("{name}: the documented value"), [x], row.apply(&x), *value, bound)?;
    if !partials.is_empty() {
        let found: Vec<f64> = (0..x.len()).map(|i| first(row, i, &x)).collect();
        law!(format!("{name}: the documented partials"), [x], found.clone(), partials.to_vec(), bound)?;
    }
    nothing_unfelt(row, &x)
}

/// The smaller and the larger of two are associative, commute, and have NaN for their neutral element, exactly; and they are
/// those of Rust. At a tie the zero may be of either sign.
pub fn extrema(row: Primitive, rust: fn(f64, f64) -> f64, x: [f64; 3]) -> Verdict {
    let (name, of) = (Function::name(&row), |x: f64, y: f64| row.apply(&[x, y]));
    let same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
    let [a, b, c] = x;
    let laws = [
        ("associative", of(of(a, b), c), of(a, of(b, c))),
        ("commutative", of(a, b), of(b, a)),
        ("NaN is neutral on the right", of(a, NAN), a),
        ("NaN is neutral on the left", of(NAN, a), a),
        ("as Rust has it", of(a, b), rust(a, b)),
    ];
    let x = x.to_vec();
    laws.into_iter().try_for_each(|(law, left, right)| {
        law!(format!("{name}: {law}, {left} = {right}"), [x], same(left, right), true, Bound::EXACT)
    })
}

/// The triples at which they are not: none.
///
/// ```
/// assert_eq!(catadiff_laws::special_points::check_extrema(), []);
/// ```
pub fn check_extrema() -> Vec<Violation> {
    const NUMBERS: [f64; 8] = [NAN, -INF, -2.5, -0.0, 0.0, 1e-310, 2.5, INF];
    let triples = NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| NUMBERS.map(|c| [a, b, c]))).flatten();
    let rows = [(Primitive::Min, f64::min as fn(f64, f64) -> f64), (Primitive::Max, f64::max)];
    triples.flat_map(|x| rows.map(|(row, rust)| extrema(row, rust, x).err())).flatten().collect()
}

/// The decisions that are not kept: none.
///
/// ```
/// assert_eq!(catadiff_laws::special_points::check(), []);
/// ```
pub fn check() -> Vec<Violation> {
    POINTS.iter().filter_map(|point| is_kept(point).err()).collect()
}

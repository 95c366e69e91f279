//! Intervals: bounds on what a program computes when its inputs are known to lie within bounds.
//!
//! Law: *inclusion*: if each `xᵢ` lies in `Xᵢ`, then `f(x)` lies in `f(X)`, for real numbers and for machine numbers
//! alike; narrower inputs give no wider outputs (Moore, "Interval Analysis", 1966). `×` distributes over `+` up to
//! inclusion only (tests/scalar/interval.rs).

use core::cmp::Ordering;
use core::fmt;
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use crate::primitives::special::two_sum;
use crate::primitives::{Elementary, Facts, Points, Rule};

/// All real numbers from `lo` to `hi`, both included; the interval is empty unless `lo ≤ hi`.
///
/// `+` and `×` round the lower end down and the upper end up, and not at all where the result is exact, so whole
/// numbers stay points. A row of the table takes its values at the ends and wherever its
/// [`Facts`] say that it turns, widened by one unit in the last place (ulp) more than the row's values may be off
/// (most rows: 4 ulp) and by as many of the smallest normal number; rows with exact values, such as `abs`, are
/// not widened. Arguments are first cut to the domain, as outside it there are no values. Next to a pole the result
/// is a half-line, across one mostly the whole line, and empty at the pole alone. Where a rule states
/// no facts the answer is the whole line, which is always right.
///
/// These are sets of real numbers, which has consequences for machine numbers: NaN belongs to no interval (the
/// constant NaN is the empty one), a pole has no value (`1/0` is empty, not `∞`), and `-0.0` is the number 0
/// (so `atan2` at `y = -0.0` is that at `0.0`).
///
/// **Comparison** says what is certain. `a < b` if that holds for every choice of numbers in them; `a == b` if both
/// are the same single number. When the intervals overlap [`partial_cmp`](PartialOrd::partial_cmp) returns
/// `None` and every operator `false`, so an `if`/`else` goes to `else` undecided: branch on
/// `partial_cmp`, or use the rows [`select`](Elementary::select) and [`ge_indicator`](Elementary::ge_indicator), which
/// take both sides into account. To compare intervals as sets, use [`contains`](Interval::contains),
/// [`is_within`](Interval::is_within), or the ends.
///
/// ```
/// use catadiff::{Elementary, carriers::{Dual, Interval}};
/// let x = Interval::new(1.0, 2.0);
/// let y = x * x - x.exp();
/// assert!(y.contains(1.5 * 1.5 - 1.5_f64.exp()));
/// // With intervals below a dual number: bounds on the slope of sin on [0, 1].
/// let slope = Dual { value: Interval::new(0.0, 1.0), tangent: Interval::new(1.0, 1.0) }.sin().tangent;
/// assert!(slope.lo <= 1.0_f64.cos() && slope.hi == 1.0);
/// ```
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl Interval {
    /// The whole line.
    pub const WHOLE: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    /// The interval without numbers: the value of a function outside its domain.
    pub const EMPTY: Interval = Interval { lo: f64::INFINITY, hi: f64::NEG_INFINITY };

    /// The numbers from `lo` to `hi`; the empty interval if there are none, or if an end is NaN.
    #[must_use]
    pub const fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi { Interval { lo, hi } } else { Interval::EMPTY }
    }

    /// The single number `x`; empty if it is NaN.
    #[must_use]
    pub const fn point(x: f64) -> Self {
        Interval::new(x, x)
    }

    /// Whether it has no numbers.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lo > self.hi || self.lo.is_nan() || self.hi.is_nan()
    }

    /// Whether `x` is one of its numbers.
    #[must_use]
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether all its numbers are numbers of `other`.
    #[must_use]
    pub fn is_within(&self, other: &Interval) -> bool {
        self.is_empty() || (other.lo <= self.lo && self.hi <= other.hi)
    }

    /// The smallest interval that holds the numbers of both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) },
        }
    }

    /// The numbers that are in both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The distance of the ends, rounded up; 0 if it is empty.
    #[must_use]
    pub fn width(&self) -> f64 {
        if self.is_empty() { 0.0 } else { -sum_down(self.lo, -self.hi) }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { f.write_str("[empty]") } else { write!(f, "[{}, {}]", self.lo, self.hi) }
    }
}

/// `a + b` rounded down, exactly: the rounding error of a sum is a machine number, and has a sign.
fn sum_down(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    if sum.is_nan() {
        return f64::NEG_INFINITY;
    }
    if sum.is_infinite() {
        // From finite numbers it is an overflow, of which the largest number is a lower bound.
        return if sum > 0.0 && a.is_finite() && b.is_finite() { f64::MAX } else { sum };
    }
    if error >= 0.0 { sum } else { sum.next_down() }
}

/// Below this a product's rounding error may itself be rounded.
const TINY: f64 = f64::MIN_POSITIVE / f64::EPSILON / f64::EPSILON;

/// `a · b` rounded down, where 0 times a line without end is 0.
fn product_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    if product.is_infinite() {
        return if product > 0.0 && a.is_finite() && b.is_finite() { f64::MAX } else { product };
    }
    if product.abs() < TINY {
        // No lower than 0 if the signs agree.
        return if (a > 0.0) == (b > 0.0) { product.next_down().max(0.0) } else { product.next_down() };
    }
    if a.mul_add(b, -product) < 0.0 { product.next_down() } else { product }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        Interval { lo: sum_down(self.lo, other.lo), hi: -sum_down(-self.hi, -other.hi) }
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let corners = [(self.lo, other.lo), (self.lo, other.hi), (self.hi, other.lo), (self.hi, other.hi)];
        let lo = corners.map(|(a, b)| product_down(a, b)).into_iter().fold(f64::INFINITY, f64::min);
        let hi = corners.map(|(a, b)| -product_down(-a, b)).into_iter().fold(f64::NEG_INFINITY, f64::max);
        Interval { lo, hi }
    }
}

impl Zero for Interval {
    fn zero() -> Self {
        Interval::point(0.0)
    }
    /// Whether it is the single number 0.
    fn is_zero(&self) -> bool {
        self.lo == 0.0 && self.hi == 0.0
    }
}

impl One for Interval {
    fn one() -> Self {
        Interval::point(1.0)
    }
}

crate::operators!([] Interval, []);

impl Elementary for Interval {
    fn constant(value: f64) -> Self {
        Interval::point(value)
    }

    /// The number, if it is a single one.
    fn primal(&self) -> Option<f64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let facts = rule.facts();
        let stretch = |(lo, hi): (f64, f64)| Interval { lo, hi };
        let mut cut = x;
        for (x, domain) in cut.iter_mut().zip(facts.domain) {
            *x = x.intersection(stretch(domain));
        }
        if cut.iter().any(Interval::is_empty) {
            return Interval::EMPTY;
        }
        // A rule of more arguments than facts can be stated for is one of which nothing is known.
        let known = |(i, x): (usize, &Interval)| facts.known.get(i).is_some_and(|k| x.is_within(&stretch(*k)));
        if !cut.iter().enumerate().all(known) {
            return stretch(facts.range);
        }
        let mut search = Search { rule, facts, x: cut, values: Interval::EMPTY };
        let complete = search.visit(0, &mut [0.0; N], false);
        let values = if complete { widened(search.values, facts.ulp) } else { Interval::WHOLE };
        values.intersection(stretch(facts.range))
    }
}

/// The hull of a function's values at all corners of a box, where a corner is an end, a turn or the side of a pole
/// in each argument: a function that is monotone in each argument takes its extreme values there.
struct Search<'r, R, const N: usize> {
    rule: &'r R,
    facts: Facts,
    x: [Interval; N],
    values: Interval,
}

/// More turns than this in one argument are not visited; the rows with more than that repeat themselves.
const MAX_TURNS: usize = 8;

impl<R: Rule<N>, const N: usize> Search<'_, R, N> {
    /// Visits the corners that agree with `corner` before `argument`; returns whether the hull is then complete.
    fn visit(&mut self, argument: usize, corner: &mut [f64; N], at_pole: bool) -> bool {
        if argument == N {
            let value = self.rule.value(*corner);
            let value = if at_pole && value != 0.0 { value.signum() * f64::INFINITY } else { value };
            self.values = self.values.hull(Interval::point(value));
            return !value.is_nan();
        }
        let (places, mut complete) = self.places(argument);
        for (place, next_to_pole) in places {
            // The sum makes -0.0 the number 0.
            corner[argument] = place + 0.0;
            complete &= self.visit(argument + 1, corner, at_pole || next_to_pole);
        }
        complete
    }

    /// Where in its interval an argument is to be looked at, and whether that is next to a pole; and whether these
    /// places are all that matter.
    fn places(&self, argument: usize) -> (Vec<(f64, bool)>, bool) {
        let Interval { lo, hi } = self.x[argument];
        let (turns, poles) = (self.facts.turns[argument], self.facts.poles[argument]);
        // The points of a periodic series are not machine numbers, so the sides of one cannot be distinguished.
        let exact = |points: Points| !matches!(points, Points::Every { .. });
        let sides = |p: f64| [p.next_down(), p.next_up()].into_iter().filter(|side| lo <= *side && *side <= hi);
        let (mut places, mut found) = (Vec::new(), Vec::new());
        let few_poles = poles.within(lo, hi, MAX_TURNS, |pole| found.push(pole));
        places.extend(found.iter().flat_map(|pole| sides(*pole)).map(|side| (side, true)));
        let is_pole = |p: f64| {
            let mut is = false;
            poles.within(p, p, MAX_TURNS, |_| is = true);
            is
        };
        let few_turns = few_poles
            && turns.within(lo, hi, MAX_TURNS, |turn| {
                if is_pole(turn) {
                    return;
                }
                places.push((turn, false));
                // The value may jump there, to either side.
                if exact(turns) {
                    places.extend(sides(turn).map(|side| (side, false)));
                }
            });
        places.extend([lo, hi].into_iter().filter(|end| !found.contains(end)).map(|end| (end, false)));
        (places, few_turns && (found.is_empty() || exact(poles)))
    }
}

/// The values with their error bounds: `ulp` units in the last place, and one for the rounding of the sum.
fn widened(values: Interval, ulp: u32) -> Interval {
    if ulp == 0 {
        return values;
    }
    let units = f64::from(ulp) + 1.0;
    let down = |v: f64| match v {
        f64::INFINITY => f64::MAX,
        v => v - units * (v.abs() * f64::EPSILON + f64::MIN_POSITIVE),
    };
    Interval { lo: down(values.lo), hi: -down(-values.hi) }
}

/// The same single number.
impl PartialEq for Interval {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// Certain order, or none.
impl PartialOrd for Interval {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.is_empty() || other.is_empty() {
            None
        } else if self.hi < other.lo {
            Some(Ordering::Less)
        } else if self.lo > other.hi {
            Some(Ordering::Greater)
        } else {
            // Overlapping: equal only if there is but one number in either.
            (self.lo == self.hi && other.lo == other.hi).then_some(Ordering::Equal)
        }
    }
}

crate::primitives::compared_with_literals!([] Interval, [Interval: PartialOrd]);

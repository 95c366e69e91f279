//! The special functions against their golden table (`data/special.py` made it),
//! at their special points, and on arbitrary bits.

use catadiff::primitives::special::{digamma, erf, erfc, lgamma, polygamma};

const TABLE: &str = include_str!("../data/special.csv");
const EPS: f64 = f64::EPSILON;
const INF: f64 = f64::INFINITY;

struct Row {
    n: u32,
    x: f64,
    value: f64,
}

fn rows(function: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for line in TABLE.lines().skip(1) {
        let mut fields = line.split(',');
        let mut field = || fields.next().expect("four fields a line");
        if field() == function {
            rows.push(Row {
                n: field().parse().expect("an order"),
                x: field().parse().expect("a point"),
                value: field().parse().expect("a value"),
            });
        }
    }
    rows
}

/// The distance from |v| to the next f64 above.
fn ulp(v: f64) -> f64 {
    let v = v.abs().min(f64::MAX.next_down());
    v.next_up() - v
}

/// Asserts |f(n, x) − value| ≤ bound·unit(row) on the rows of a region, of which there
/// must be some, and prints the worst one.
fn check(
    function: &str,
    region: (&str, impl Fn(&Row) -> bool),
    bound: f64,
    unit: impl Fn(&Row) -> f64,
    f: impl Fn(u32, f64) -> f64,
) {
    let mut worst = (-1.0, String::new());
    let mut count = 0;
    for row in rows(function).iter().filter(|row| region.1(row)) {
        let got = f(row.n, row.x);
        let error = if got == row.value { 0.0 } else { (got - row.value).abs() / unit(row) };
        // A NaN among the errors is no pass: it must not hide behind `<`.
        let error = if error.is_nan() { INF } else { error };
        count += 1;
        if error > worst.0 {
            let at = format!("n = {}, x = {:e}: {got:e} for {:e}", row.n, row.x, row.value);
            worst = (error, at);
        }
    }
    println!("{function}, {}: {count} rows, worst {:.2} at {}", region.0, worst.0, worst.1);
    assert!(count > 0, "{function}: no rows in {}", region.0);
    assert!(worst.0 <= bound, "{function}, {}: {} > {bound} at {}", region.0, worst.0, worst.1);
}

fn in_ulp(row: &Row) -> f64 {
    ulp(row.value)
}

/// ε·(1 + |a| + |a − value|), the unit of a reflection value = a + rest.
fn against_reflection(a: f64, row: &Row) -> f64 {
    EPS * (1.0 + a.abs() + (a - row.value).abs())
}

#[test]
fn the_error_functions_keep_two_ulp() {
    check("erf", ("everywhere", |_: &Row| true), 2.0, in_ulp, |_, x| erf(x));
    check("erfc", ("x < 0", |r: &Row| r.x < 0.0), 2.0, in_ulp, |_, x| erfc(x));
    check("erfc", ("x ≥ 0", |r: &Row| r.x >= 0.0), 2.0, in_ulp, |_, x| erfc(x));
}

#[test]
fn lgamma_keeps_four_ulp_right_of_zero() {
    let f = |_, x| lgamma(x);
    let zeros = |r: &Row| (r.x - 1.0).abs() < 0.1 || (r.x - 2.0).abs() < 0.1;
    check("lgamma", ("0 < x < 3", |r: &Row| r.x > 0.0 && r.x < 3.0), 4.0, in_ulp, f);
    check("lgamma", ("near the zeros", zeros), 4.0, in_ulp, f);
    check("lgamma", ("x ≥ 3", |r: &Row| r.x >= 3.0), 4.0, in_ulp, f);
}

#[test]
fn lgamma_keeps_its_bound_left_of_zero() {
    let unit = |r: &Row| against_reflection(-lgamma(1.0 - r.x), r);
    check("lgamma", ("x < 0", |r: &Row| r.x < 0.0), 2.0, unit, |_, x| lgamma(x));
}

#[test]
fn digamma_keeps_four_ulp_right_of_zero() {
    let f = |_, x| digamma(x);
    let root = |r: &Row| (r.x - 1.4616321449683623).abs() < 0.1;
    check("digamma", ("0 < x < 1", |r: &Row| r.x > 0.0 && r.x < 1.0), 4.0, in_ulp, f);
    check("digamma", ("1 ≤ x < 3", |r: &Row| r.x >= 1.0 && r.x < 3.0), 4.0, in_ulp, f);
    check("digamma", ("near the root", root), 4.0, in_ulp, f);
    check("digamma", ("3 ≤ x < 10", |r: &Row| r.x >= 3.0 && r.x < 10.0), 4.0, in_ulp, f);
    check("digamma", ("x ≥ 10", |r: &Row| r.x >= 10.0), 4.0, in_ulp, f);
}

#[test]
fn digamma_keeps_its_bound_left_of_zero() {
    let unit = |r: &Row| against_reflection(digamma(1.0 - r.x), r);
    check("digamma", ("x < 0", |r: &Row| r.x < 0.0), 4.0, unit, |_, x| digamma(x));
}

#[test]
fn polygamma_keeps_eight_ulp_right_of_zero() {
    for n in 0..=10 {
        let name = format!("n = {n}, x > 0");
        let region = |r: &Row| r.n == n && r.x > 0.0;
        check("polygamma", (&name, region), 8.0, in_ulp, polygamma);
    }
    let region = |r: &Row| r.n > 10 && r.x > 0.0;
    check("polygamma", ("n > 10, x > 0", region), 8.0, in_ulp, polygamma);
}

#[test]
fn polygamma_keeps_its_bounds_left_of_zero() {
    let odd = |r: &Row| r.x < 0.0 && r.n % 2 == 1;
    check("polygamma", ("odd n, x < 0", odd), 8.0, in_ulp, polygamma);
    let even = |r: &Row| r.x < 0.0 && r.n.is_multiple_of(2);
    let unit = |r: &Row| {
        let a = -r.x - (-r.x).floor();
        [a, 1.0 - a, 1.0 - r.x].iter().map(|&z| EPS * polygamma(r.n, z).abs()).sum()
    };
    check("polygamma", ("even n, x < 0", even), 8.0, unit, polygamma);
}

/// Low parts are worth having: without one of them values stay in their bounds, and fewer are the nearest numbers.
#[test]
fn many_values_are_the_nearest_numbers() {
    let least = |function: &str, region: fn(&Row) -> bool, least: usize, f: fn(u32, f64) -> f64| {
        let rows = rows(function);
        let found = rows.iter().filter(|row| region(row) && f(row.n, row.x) == row.value).count();
        assert!(found >= least, "{function}: {found} values, not {least}, are the nearest numbers");
    };
    least("erf", |_| true, 225, |_, x| erf(x));
    least("erfc", |row| row.x < 0.0, 42, |_, x| erfc(x));
    least("erfc", |row| row.x >= 0.0, 290, |_, x| erfc(x));
    least("lgamma", |row| row.x > 0.0, 680, |_, x| lgamma(x));
    least("digamma", |row| row.x < 3.0 && row.x > 0.0, 398, |_, x| digamma(x));
    least("digamma", |row| row.x >= 3.0, 266, |_, x| digamma(x));
    least("polygamma", |row| row.x > 0.0 && row.n <= 10, 720, polygamma);
    least("polygamma", |row| row.x > 0.0 && row.n > 10, 121, polygamma);
    least("polygamma", |row| row.x < 0.0 && row.n % 2 == 1, 117, polygamma);
    least("polygamma", |row| row.x < 0.0 && row.n % 2 == 0, 122, polygamma);
}

#[test]
fn infinities_and_nan() {
    assert_eq!((erf(-INF), erf(INF)), (-1.0, 1.0));
    assert_eq!((erfc(-INF), erfc(INF)), (2.0, 0.0));
    assert_eq!((lgamma(-INF), lgamma(INF)), (INF, INF));
    assert_eq!(digamma(INF), INF);
    assert!(digamma(-INF).is_nan());
    for f in [erf, erfc, lgamma, digamma] {
        assert!(f(f64::NAN).is_nan());
    }
    for n in [1, 2, 3, 22, 23, 1000, u32::MAX] {
        let zero = polygamma(n, INF);
        assert!(zero == 0.0 && zero.is_sign_positive() == (n % 2 == 1));
        assert!(polygamma(n, -INF).is_nan());
        assert!(polygamma(n, f64::NAN).is_nan());
    }
}

#[test]
fn poles() {
    for pole in [0.0, -0.0, -1.0, -2.0, -7.0, -1e9, -4503599627370497.0, -1e300, f64::MIN] {
        assert_eq!(lgamma(pole), INF, "{pole}");
        assert!(digamma(pole).is_nan(), "{pole}");
        for n in 0..40 {
            let at = polygamma(n, pole);
            assert!(if n % 2 == 1 { at == INF } else { at.is_nan() }, "{n} {pole}");
        }
    }
}

#[test]
fn overflow_goes_to_the_infinity_of_the_nearer_pole() {
    let tiny = 5e-324;
    assert_eq!((digamma(tiny), digamma(-tiny)), (-INF, INF));
    assert_eq!((polygamma(1, tiny), polygamma(1, -tiny)), (INF, INF));
    assert_eq!((polygamma(2, tiny), polygamma(2, -tiny)), (-INF, INF));
    for n in [999, 4_000_000_001] {
        assert_eq!(polygamma(n, -1.25), INF);
        assert_eq!((polygamma(n + 1, -1.25), polygamma(n + 1, -1.75)), (INF, -INF));
        assert_eq!(polygamma(n + 1, -0.5), -INF);
    }
}

#[test]
fn no_input_panics_or_yields_nan_inside_the_domain() {
    // A linear congruence over the bits: every exponent and both signs turn up.
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let wide = f64::from_bits(bits);
        let near = (bits >> 11) as f64 / (1u64 << 53) as f64 * 40.0 - 20.0;
        let n = (bits >> 17) as u32 >> (bits >> 59);
        for x in [wide, near] {
            let inside = x == x && (x > 0.0 || x.floor() != x);
            let values = [erf(x), erfc(x), lgamma(x), digamma(x), polygamma(n, x)];
            for value in values {
                assert!(!(inside && value.is_nan()), "{n} {x:e} {values:?}");
            }
        }
    }
}

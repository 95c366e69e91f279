//! The vector functions against their golden table (`data/elementary.py` made it), at their special points, and against
//! the values of the table of primitives on arbitrary bits, with and without FMA.

use catadiff::execute::math::{Lane, TRIG_RANGE, double, single};
use catadiff::primitives::Primitive;

const TABLE: &str = include_str!("../data/elementary.csv");
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// What the functions promise, in ulp of the true value.
const BOUND: f64 = 2.0;
/// What they keep on the golden table: half an ulp is the rounding, and any more of it shows where a low part is lost.
const KEPT: [(f64, &str); 5] = [
    (0.6, "log2 log10 sin tan atan acosh atanh cbrt sigmoid pow atan2"),
    (0.7, "exp ln log1p cos sinh cosh erfc"),
    (0.8, "exp2 asin tanh asinh erf softplus"),
    (0.9, "expm1 acos"),
    (0.95, "hypot"),
];
/// How far the values of the table of primitives may themselves be off.
const OTHERS: f64 = 2.0;

/// A function, which passes over the second argument if it takes one.
type Form<F> = fn(F, F) -> F;

/// One function in both forms.
struct Function<F> {
    name: &'static str,
    arity: usize,
    fused: Form<F>,
    plain: Form<F>,
}

macro_rules! functions {
    ($module:ident: $($one:ident)+; $($two:ident)+) => {
        vec![
            $(Function { name: stringify!($one), arity: 1, fused: |x, _| $module::$one::<true>(x), plain: |x, _| $module::$one::<false>(x) },)+
            $(Function { name: stringify!($two), arity: 2, fused: $module::$two::<true>, plain: $module::$two::<false> },)+
        ]
    };
    ($module:ident) => {
        functions!($module: exp exp2 expm1 ln log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
            cbrt erf erfc sigmoid softplus; pow atan2 hypot)
    };
}

impl<F: Copy> Function<F> {
    fn forms(&self) -> [(&'static str, Form<F>); 2] {
        [("with FMA", self.fused), ("without FMA", self.plain)]
    }

    /// The value that the table of primitives gives.
    fn primitive(&self) -> impl Fn(f64, f64) -> f64 {
        let row = Primitive::named(self.name, None).expect("a row of the table of primitives");
        let arity = self.arity;
        move |x, y| row.apply(&[x, y][..arity])
    }

    fn is_angle_function(&self) -> bool {
        ["sin", "cos", "tan"].contains(&self.name)
    }
}

/// The distance from |v| to the next double above.
fn ulp(v: f64) -> f64 {
    let v = v.abs().min(f64::MAX.next_down());
    v.next_up() - v
}

/// The error of `got` for `value` in ulp, infinite where one is infinite or NaN and the other is not.
fn error(got: f64, value: f64) -> f64 {
    if got == value || (got.is_nan() && value.is_nan()) {
        return 0.0;
    }
    let error = ((got - value) / ulp(value)).abs();
    if error.is_nan() { INF } else { error }
}

/// The worst of many errors, and where it was.
#[derive(Default)]
struct Worst {
    error: f64,
    at: String,
}

impl Worst {
    fn see(&mut self, error: f64, at: impl FnOnce() -> String) {
        if error > self.error {
            *self = Worst { error, at: at() };
        }
    }
}

/// Numbers without a pattern: a linear congruence whose upper bits are used.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 ^ (self.0 >> 32)
    }

    /// Between 0 and 1.
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any double, or one of the size that functions bend at.
    fn number(&mut self) -> f64 {
        let (bits, unit) = (self.bits(), self.unit());
        let signed = 2.0 * unit - 1.0;
        match bits >> 61 {
            0 | 1 => f64::from_bits(self.bits()),
            2 => signed,
            3 => signed * 4.0,
            4 => signed * 40.0,
            5 => signed * 750.0,
            6 => 1.0 + signed * 0.5_f64.powi((bits & 31) as i32),
            _ => signed * 1e6,
        }
    }
}

#[test]
fn the_golden_table_is_kept_to_two_ulp() {
    for function in functions!(double) {
        for (form, f) in function.forms() {
            let (mut worst, mut count) = (Worst::default(), 0);
            for line in TABLE.lines() {
                let [name, x, y, value, rest] = line.split(',').collect::<Vec<_>>()[..] else {
                    panic!("five fields a line")
                };
                if name != function.name {
                    continue;
                }
                let number = |text: &str| text.parse::<f64>().expect("a number");
                let (x, y) = (number(x), if y.is_empty() { 0.0 } else { number(y) });
                let (value, rest) = (number(value), number(rest));
                let got = f(x, y);
                let error = if got.is_finite() { ((got - value) / ulp(value) - rest).abs() } else { INF };
                count += 1;
                worst.see(error, || format!("{x:e} {y:e}: {got:e} for {value:e}"));
            }
            println!("{} {form}: {count} rows, worst {:.2} at {}", function.name, worst.error, worst.at);
            assert!(count > 100, "{}: few rows", function.name);
            let is_here = |(_, names): &&(f64, &str)| names.split(' ').any(|name| name == function.name);
            let (kept, _) = KEPT.iter().find(is_here).expect("each function keeps something");
            assert!(worst.error <= *kept, "{} {form}: {:.2} at {}", function.name, worst.error, worst.at);
        }
    }
}

/// Compares on `count` random arguments, against the table of primitives, and returns the worst per function and form.
fn sweep(count: usize) {
    for function in functions!(double) {
        let primitive = function.primitive();
        for (form, f) in function.forms() {
            let (mut worst, mut random) = (Worst::default(), Random(20));
            for _ in 0..count {
                let (x, y) = (random.number(), random.number());
                if function.is_angle_function() && !double::trig_is_fast(x) {
                    continue;
                }
                let (got, value) = (f(x, y), primitive(x, y));
                worst.see(error(got, value), || format!("{x:e} {y:e}: {got:e} for {value:e}"));
            }
            println!("{} {form}: worst {} at {}", function.name, worst.error, worst.at);
            assert!(worst.error <= BOUND + OTHERS, "{} {form}: {} at {}", function.name, worst.error, worst.at);
        }
    }
}

#[test]
fn arbitrary_bits_agree_with_the_primitives() {
    sweep(20_000);
}

#[test]
#[ignore = "a minute and more: prints the largest errors against the table of primitives"]
fn many_arbitrary_bits_agree_with_the_primitives() {
    sweep(4_000_000);
}

#[test]
fn special_points_are_those_of_the_primitives() {
    let points = special_points();
    let mut failures = Vec::new();
    for (function, single) in functions!(double).into_iter().zip(functions!(single)) {
        let primitive = function.primitive();
        for &x in &points {
            for &y in if function.arity == 2 { &points[..] } else { &points[..1] } {
                for ((form, f), (_, narrow)) in function.forms().into_iter().zip(single.forms()) {
                    let mut compare = |width: &str, got: f64, value: f64, error: f64| {
                        let zero_of_other_sign = value == 0.0 && got.is_sign_negative() != value.is_sign_negative();
                        if error > BOUND || zero_of_other_sign {
                            let at = format!("{} {form} of {width} at {x:e} {y:e}", function.name);
                            failures.push(format!("{at}: {got:e} for {value:e}"));
                        }
                    };
                    if function.is_angle_function() && !double::trig_is_fast(x) {
                        continue;
                    }
                    let (got, value) = (f(x, y), primitive(x, y));
                    compare("f64", got, value, error(got, value));
                    let (near_x, near_y) = (x as f32, y as f32);
                    let (got, value) = (narrow(near_x, near_y), primitive(f64::from(near_x), f64::from(near_y)));
                    compare("f32", f64::from(got), f64::from(value as f32), single_error(got, value));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} special points:\n{}", failures.len(), failures.join("\n"));
}

/// Where something happens to some function, and both zeros, infinities and NaN.
fn special_points() -> Vec<f64> {
    let positive = [
        0.0,
        5e-324,
        1e-310,
        1e-45,
        1e-40,
        88.72,
        88.73,
        103.97,
        103.98,
        128.0,
        149.0,
        150.0,
        16777215.0,
        16777216.0,
        1e38,
        f64::MIN_POSITIVE,
        1e-200,
        1e-20,
        0.25,
        0.5,
        0.75,
        1.0_f64.next_down(),
        1.0,
        1.0_f64.next_up(),
        1.5,
        2.0,
        3.0,
        4.0,
        8.0,
        27.0,
        1000.0,
        1023.0,
        1024.0,
        1074.0,
        1075.0,
        709.782712893384,
        709.7827128933841,
        710.4758600739439,
        710.475860073944,
        745.1332191019411,
        745.1332191019412,
        746.0,
        1e6,
        4503599627370495.5,
        4503599627370496.0,
        4503599627370497.0,
        9007199254740991.0,
        9007199254740992.0,
        9007199254740994.0,
        1e17,
        1e200,
        1e300,
        f64::MAX,
        INF,
        NAN,
    ];
    positive.iter().flat_map(|x| [*x, -x]).collect()
}

#[test]
fn exact_where_the_value_is_a_number() {
    for k in -1074..1024_i32 {
        let power = f64::from_bits(if k < -1022 { 1 << (k + 1074) } else { ((k + 1023) as u64) << 52 });
        assert_eq!(double::exp2::<true>(f64::from(k)), power);
        assert_eq!(double::exp2::<false>(f64::from(k)), power);
        assert_eq!(double::log2::<true>(power), f64::from(k));
        assert_eq!(double::log2::<false>(power), f64::from(k));
    }
    for k in 1..1000 {
        let x = f64::from(k);
        assert_eq!((double::cbrt::<true>(x * x * x), double::cbrt::<false>(-x * x * x)), (x, -x));
        assert_eq!((double::pow::<true>(x, 3.0), double::pow::<false>(-x, 3.0)), (x * x * x, -x * x * x));
        assert_eq!(
            (double::hypot::<true>(3.0 * x, 4.0 * x), double::hypot::<false>(5.0 * x, 12.0 * x)),
            (5.0 * x, 13.0 * x)
        );
    }
    assert_eq!((double::exp::<true>(0.0), double::cos::<true>(0.0), double::cosh::<true>(0.0)), (1.0, 1.0, 1.0));
    assert_eq!((double::sigmoid::<true>(0.0), double::pow::<true>(10.0, 22.0)), (0.5, 1e22));
}

#[test]
fn angles_out_of_range_are_not_numbers_and_say_so() {
    for x in [TRIG_RANGE.next_up(), -1e7, 1e22, f64::MAX] {
        assert!(!double::trig_is_fast(x) && !f64::trig_is_fast(x));
        for value in [double::sin::<true>(x), double::cos::<false>(x), double::tan::<true>(x)] {
            assert!(value.is_nan(), "{x}");
        }
    }
    for x in [0.0, TRIG_RANGE, -TRIG_RANGE, NAN, INF] {
        assert!(double::trig_is_fast(x));
        for function in functions!(double).iter().filter(|function| function.is_angle_function()) {
            let value = function.primitive()(x, 0.0);
            for (form, f) in function.forms() {
                assert!(error(f(x, 0.0), value) <= BOUND, "{} {form} at {x}", function.name);
            }
        }
    }
    assert!(!single::trig_is_fast(1e8) && f32::trig_is_fast(1.0));
}

/// Compares functions of f32 with the rounded value of f64, on every `stride`-th f32.
fn single_sweep(stride: usize) {
    for (function, wide) in functions!(single).into_iter().zip(functions!(double)) {
        let primitive = wide.primitive();
        for (form, f) in function.forms() {
            let (mut worst, mut random) = (Worst::default(), Random(7));
            for bits in (0..=u32::MAX).step_by(stride) {
                let x = f32::from_bits(bits);
                let y = if bits % 2 == 0 { f32::from_bits(random.bits() as u32) } else { random.number() as f32 };
                if wide.is_angle_function() && !single::trig_is_fast(x) {
                    continue;
                }
                let (got, value) = (f(x, y), primitive(f64::from(x), f64::from(y)));
                worst.see(single_error(got, value), || format!("{x:e} {y:e}: {got:e} for {value:e}"));
            }
            println!("{} {form}, f32: worst {:.3} at {}", function.name, worst.error, worst.at);
            assert!(worst.error <= 0.6, "{} {form}, f32: {} at {}", function.name, worst.error, worst.at);
        }
    }
}

/// The error of an f32 for a value of more digits, in its ulp.
fn single_error(got: f32, value: f64) -> f64 {
    let rounded = value as f32;
    if got == rounded || (got.is_nan() && rounded.is_nan()) {
        return 0.0;
    }
    let below = rounded.abs().min(f32::MAX.next_down());
    let unit = f64::from(below.next_up()) - f64::from(below);
    let error = ((f64::from(got) - value) / unit).abs();
    if error.is_nan() { INF } else { error }
}

#[test]
fn single_precision_is_rounded_once() {
    single_sweep(100_003);
}

#[test]
#[ignore = "minutes: every 500th f32"]
fn many_of_single_precision_are_rounded_once() {
    single_sweep(499);
}

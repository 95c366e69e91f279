//! Angles of any size and the special functions as C: within their bounds of golden tables and of the library, compiled for a
//! processor with FMA and for one without, of one number and of several side by side, and with undefined behaviour watched for.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64};
use catadiff::execute::c::elementary::{self, LANES};
use catadiff::execute::c::special::Needs;
use catadiff::execute::math::TRIG_RANGE;
use catadiff::execute::{Native, RunReport};
use catadiff::interpret::{Limits, Value};
use catadiff::primitives::special::{digamma, lgamma, polygamma};

use super::elementary_in_c::{compilers, output, targets};

const INTEGERS: &str = include_str!("../../src/execute/c/integers.h");
const REALS: &str = include_str!("../../src/execute/c/reals.h");
const TABLE: &str = include_str!("../data/special.csv");
const EPS: f64 = f64::EPSILON;
const INF: f64 = f64::INFINITY;

/// Angles with their sine, cosine and tangent, computed with 1200 digits. No double comes nearer to the zeros than the first.
const ANGLES: [[f64; 4]; 7] = [
    [5.319372648326541e255, 1.0, -4.687165924254627e-19, -2.133485385753704e18],
    [8.611788017096695e165, -0.7635918004606242, 0.6456992816081665, -1.182581152264622],
    [1e22, -0.8522008497671888, 0.523214785395139, -1.6287782256068988],
    [f64::MAX, 0.004961954789184062, -0.9999876894265599, -0.004962015874444895],
    [1600000.0000000002, -0.5414010920025452, 0.8407644483316665, -0.643939087906072],
    [1.2676506002282294e30, -0.8721836054182673, 0.48917865697472146, -1.782955149376719],
    [3.4028234663852886e38, -0.5218765233336585, 0.8530210398303042, -0.6117979498342481],
];

/// The functions in the order in which the program writes them.
const NAMES: [&str; 6] = ["anysin", "anycos", "anytan", "lgamma", "digamma", "polygamma"];

/// This many points one after the other have the same order; no target has more lanes.
const TOGETHER: usize = 16;

/// A point, and a function of it with its value there, if they are known.
#[derive(Clone, Copy)]
struct Point {
    n: u32,
    x: f64,
    known: Option<(usize, f64)>,
}

/// Those of the golden tables.
fn golden() -> Vec<Point> {
    let rows = TABLE.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let function = NAMES.iter().position(|name| *name == fields[0])?;
        let [n, x, value] = [1, 2, 3].map(|k| fields[k].parse::<f64>().expect("a number"));
        Some(Point { n: n as u32, x, known: Some((function, value)) })
    });
    let angles = ANGLES.iter().flat_map(|[x, sin, cos, tan]| {
        [(0, *sin, -sin), (1, *cos, *cos), (2, *tan, -tan)].into_iter().flat_map(move |(function, right, left)| {
            [(*x, right), (-x, left)].map(|(x, value)| Point { n: 0, x, known: Some((function, value)) })
        })
    });
    rows.chain(angles).collect()
}

/// Points of the golden tables, where something happens, and anywhere.
fn points() -> Vec<Point> {
    let mut state = 11_u64;
    let mut bits = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ (state >> 32)
    };
    let mut points = golden();
    let mut add = |n, x| points.push(Point { n, x, known: None });

    let small = [0.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 1e-17, 1e-9, 0.25, 0.5, 0.75, 1.0, 1.25, 1.4616321449683622];
    let large =
        [2.0, 3.0, 8.0, 10.0, 33.5, 170.6, 1e6, TRIG_RANGE, 2251799813685248.5, 4503599627370496.0, 1e100, 2.55e305];
    let ends: Vec<f64> = [&small[..], &large, &[f64::MAX, INF, f64::NAN]].concat();
    let around: Vec<f64> =
        ends.into_iter().flat_map(|x| [x, x.next_up(), x.next_down()]).flat_map(|x| [x, -x]).collect();
    let few =
        [15, 20, 22, 23, 24, 30, 50, 100, 170, 171, 250, 999, 1000, 2000, 100_000, 100_001, 1_000_000_000, u32::MAX];
    for n in (0..=11).chain(few) {
        around.iter().for_each(|x| add(n, *x));
        for _ in 0..64 {
            let random = bits();
            let near = (random >> 11) as f64 / (1_u64 << 53) as f64;
            [f64::from_bits(random), near * 40.0 - 20.0, near * 4.0 - 2.0].into_iter().for_each(|x| add(n, x));
        }
    }
    for k in 1..2000 {
        let quarters = f64::from(k * k) * std::f64::consts::FRAC_PI_2;
        [quarters, -quarters.next_up(), quarters * 2.0_f64.powi(k / 3)].into_iter().for_each(|x| add(0, x));
    }
    (0..20_000).for_each(|_| add(0, f64::from_bits(bits())));

    points.sort_by_key(|point| point.n);
    let mut padded: Vec<Point> = Vec::new();
    for point in points {
        while padded.last().is_some_and(|last| last.n != point.n) && !padded.len().is_multiple_of(TOGETHER) {
            padded.push(Point { known: None, ..padded[padded.len() - 1] });
        }
        padded.push(point);
    }
    while !padded.len().is_multiple_of(TOGETHER) {
        padded.push(Point { known: None, ..padded[padded.len() - 1] });
    }
    padded
}

/// What the program needs of functions of doubles and of singles.
fn needs() -> [Needs; 2] {
    [false, true].map(|single| Needs { angles: true, special: !single, single })
}

/// What goes before the functions: of it programs use a part, which in a header is not worth a warning.
fn header() -> String {
    let called = elementary::text(needs().into_iter().flat_map(Needs::calls)).expect("functions that there are");
    format!("{LANES}{INTEGERS}{REALS}{called}")
}

/// A program that reads points and then their orders, and writes what each function makes of the points and then of the same as singles.
/// It fails where lanes are not what numbers are, or singles not what the doubles are, rounded, but for angles within range.
fn program(count: usize) -> String {
    let [doubles, singles] = needs().map(Needs::text);
    // What both begin with is there already.
    let singles = singles.lines().filter(|line| line.starts_with("ANGLES(")).collect::<Vec<_>>().join("\n");
    let rows = NAMES.iter().map(|name| {
        let (order, orders) = if *name == "polygamma" { ("n[k], ", "n[first], ") } else { ("", "") };
        let exact = !name.starts_with("any");
        format!(
            "CALLED({name}, f64, f64_x, {name}_1({order}x[k]), {name}_w({orders}xs), 1, own)
CALLED({name}f, f32, f32_x, {name}f_1({order}x[k]), {name}f_w({orders}xs), {} || !trig_is_fastf_1(x[k]), (f32_1){name}_1({order}x[k]))\n",
            i32::from(exact)
        )
    });
    let called_here: String = rows.collect();
    let calls: String = NAMES.iter().map(|name| format!("    call_{name}();\n    call_{name}f();\n")).collect();
    format!(
        "#include \"special.h\"
{doubles}{singles}
#include <stdio.h>
#include <stdlib.h>
#define COUNT {count}
static f64_1 f64_x[COUNT];
static f32_1 f32_x[COUNT];
static uint32_t n[COUNT];

#define CALLED(name, number, points, one, lanes, is_exact, exact) \\
    static void call_##name(void) {{ \\
        static number##_1 to[COUNT]; \\
        const number##_1 *x = points; \\
        for (int k = 0; k < COUNT; k++) {{ \\
            const number##_1 own = one, other = exact; \\
            to[k] = own; \\
            if ((is_exact) && memcmp(&own, &other, sizeof own) && (own == own || other == other)) {{ \\
                fprintf(stderr, #name \"(%a) is %a, not %a\\n\", (double)x[k], (double)own, (double)other); \\
                exit(2); \\
            }} \\
        }} \\
        fwrite(to, sizeof *to, COUNT, stdout); \\
        for (int first = 0; first < COUNT; first += W) {{ \\
            number##_w xs; \\
            memcpy(&xs, x + first, sizeof xs); \\
            const number##_w all = lanes; \\
            for (int k = 0; k < W; k++) {{ \\
                const number##_1 own = all[k]; \\
                if (memcmp(&own, to + first + k, sizeof own) && (own == own || to[first + k] == to[first + k])) {{ \\
                    fprintf(stderr, #name \"(%a) is %a side by side\\n\", (double)x[first + k], (double)own); \\
                    exit(3); \\
                }} \\
            }} \\
        }} \\
    }}
{called_here}
int main(void)
{{
    if (fread(f64_x, 8, COUNT, stdin) + fread(n, 4, COUNT, stdin) != 2 * COUNT) return 1;
    for (int k = 0; k < COUNT; k++) {{
        const f64_1 size = f64_x[k] < 0 ? -f64_x[k] : f64_x[k];
        f32_x[k] = size <= 3.4028234663852886e38 || !(size < __builtin_inf()) ? (f32_1)f64_x[k] : 1;
    }}
{calls}    return 0;
}}
"
    )
}

/// The distance from |v| to the next f64 above.
fn ulp(v: f64) -> f64 {
    let v = v.abs().min(f64::MAX.next_down());
    v.next_up() - v
}

/// The value in the library, and what errors are measured by: ulp of it, or where a reflection cancels ε times the size of its terms.
fn library(function: usize, Point { n, x, .. }: Point) -> (f64, f64) {
    let against = |value: f64, terms: f64| (value, if x < 0.0 { EPS * (1.0 + terms) } else { ulp(value) });
    match function {
        0 => (x.sin(), ulp(x.sin())),
        1 => (x.cos(), ulp(x.cos())),
        2 => (x.tan(), ulp(x.tan())),
        3 => {
            let (value, beyond) = (lgamma(x), lgamma(1.0 - x));
            against(value, beyond.abs() + (value + beyond).abs())
        }
        _ if function == 4 || n == 0 => {
            let (value, beyond) = (digamma(x), digamma(1.0 - x));
            against(value, beyond.abs() + (value - beyond).abs())
        }
        _ => {
            let value = polygamma(n, x);
            let a = -x - (-x).floor();
            let terms: f64 = [a, 1.0 - a, 1.0 - x].iter().map(|z| polygamma(n, *z).abs()).sum();
            (value, if x < 0.0 && n % 2 == 0 { EPS * terms } else { ulp(value) })
        }
    }
}

/// The bounds by these measures: right of 0 and left of it.
const BOUNDS: [(f64, f64); 6] = [(2.0, 2.0), (2.0, 2.0), (2.0, 2.0), (4.0, 2.0), (4.0, 4.0), (8.0, 8.0)];

/// How far a value is from another, by a measure; NaN is as far from numbers as infinities are.
fn distance(got: f64, value: f64, unit: f64) -> f64 {
    if got == value || got.is_nan() && value.is_nan() {
        return 0.0;
    }
    // What overflows in one and not in the other is near the end of the range.
    let end = |x: f64| x.abs() > f64::MAX * (1.0 - 1e-12);
    if end(got) && end(value) && got.signum() == value.signum() {
        return 0.0;
    }
    let error = (got - value).abs() / unit;
    if error.is_nan() { INF } else { error }
}

/// The worst that is left of a bound.
#[derive(Default)]
struct Worst {
    part: f64,
    at: String,
}

impl Worst {
    fn see(&mut self, error: f64, bound: f64, at: impl Fn() -> String) {
        if error / bound > self.part {
            *self = Self { part: error / bound, at: format!("{error:.3} of {bound} at {}", at()) };
        }
    }
}

/// What values are away from those of the golden tables and the library, for each function: in f64 against the tables and against the
/// library, and in f32.
fn errors(written: &[u8], points: &[Point], expected: &[Vec<(f64, f64)>], near: &[Vec<(f64, f64)>]) -> Vec<[Worst; 3]> {
    let mut rest = written;
    let mut take = |size: usize| {
        let (own, after) = rest.split_at(size * points.len());
        rest = after;
        own
    };
    let all = (0..NAMES.len()).map(|function| {
        let doubles: Vec<f64> =
            take(8).chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().expect("8"))).collect();
        let singles: Vec<f32> =
            take(4).chunks(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("4"))).collect();
        let mut worst: [Worst; 3] = Default::default();
        for (k, point) in points.iter().enumerate() {
            let at = |got: f64, value: f64| format!("n = {}, x = {:e}: {got:e} for {value:e}", point.n, point.x);
            let bound = if point.x < 0.0 { BOUNDS[function].1 } else { BOUNDS[function].0 };
            let (value, unit) = expected[function][k];
            if let Some((_, value)) = point.known.filter(|known| known.0 == function) {
                let unit = if point.x < 0.0 { unit } else { ulp(value) };
                worst[0].see(distance(doubles[k], value, unit), bound, || at(doubles[k], value));
            }
            // The library's own error comes to it, which is of the same bound, or of angles 1: but not at the worst ones.
            let both = if function < 3 { bound + 1.0 } else { 2.0 * bound };
            if function >= 3 || point.known.is_none() {
                worst[1].see(distance(doubles[k], value, unit), both, || at(doubles[k], value));
            }

            let (value, unit) = near[function][k];
            let (got, nearest) = (f64::from(singles[k]), f64::from(value as f32));
            let ulp_of_single = f64::from((value.abs() as f32).next_up() - value.abs() as f32);
            let unit = if ulp_of_single.is_finite() { ulp_of_single + 20.0 * unit } else { 1.0 };
            let error = if got == nearest { 0.0 } else { distance(got, value, unit) };
            worst[2].see(error, 0.6, || at(got, value));
        }
        worst
    });
    let all = all.collect();
    assert!(rest.is_empty(), "the program writes no more");
    all
}

/// Whether a program can be compiled so that undefined behaviour ends it.
fn is_watched(compiler: &str, folder: &Path) -> bool {
    let (from, to) = (folder.join("watched.c"), folder.join(format!("watched-{compiler}")));
    fs::write(&from, "int main(void) { return 0; }\n").expect("a folder to write in");
    let compiled = Command::new(compiler).args(WATCHED).arg("-o").arg(to).arg(from).stderr(Stdio::null()).status();
    compiled.is_ok_and(|status| status.success())
}

const WATCHED: &[&str] = &["-fsanitize=undefined", "-fno-sanitize-recover=all"];

#[test]
fn angles_and_special_functions_in_c_keep_their_bounds() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join("special.c");
    let points = points();
    fs::write(&source, program(points.len())).expect("a folder to write in");
    fs::write(source.with_extension("h"), header()).expect("a folder to write in");
    let orders = points.iter().flat_map(|point| point.n.to_le_bytes());
    let given: Vec<u8> = points.iter().flat_map(|point| point.x.to_le_bytes()).chain(orders).collect();
    fs::write(source.with_extension("in"), given).expect("a folder to write in");

    let nearby: Vec<Point> = points
        .iter()
        .map(|point| {
            let is_single = point.x.abs() <= f64::from(f32::MAX) || !point.x.is_finite();
            Point { x: if is_single { f64::from(point.x as f32) } else { 1.0 }, ..*point }
        })
        .collect();
    let [expected, near] = [&points, &nearby].map(|points| -> Vec<Vec<(f64, f64)>> {
        (0..NAMES.len()).map(|function| points.iter().map(|point| library(function, *point)).collect()).collect()
    });
    let mut wrong = Vec::new();
    for compiler in compilers() {
        let watched = is_watched(compiler, folder).then_some(WATCHED);
        for flags in targets().into_iter().map(|(flags, _)| flags).chain(watched) {
            let written = output(compiler, flags, &source);
            for (name, worst) in NAMES.iter().zip(errors(&written, &points, &expected, &near)) {
                for (worst, beside) in worst.iter().zip(["the table", "the library", "the library, f32"]) {
                    println!("{name}, {compiler} {flags:?}, beside {beside}: {}", worst.at);
                    if worst.part > 1.0 {
                        wrong.push(format!("{name}, {compiler} {flags:?}, beside {beside}: {}", worst.at));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} beyond their bounds:\n{}", wrong.len(), wrong.join("\n"));
}

/// The numbers of the header that shaders have too are the same.
#[test]
fn tables_are_those_of_shaders() {
    let shaders = include_str!("../../src/execute/gpu/prelude/f64.wgsl");
    let headers =
        [include_str!("../../src/execute/c/angles.h"), include_str!("../../src/execute/c/special.h")].concat();
    let between = |text: &str, from: &str, to: &str| -> String {
        let text = &text[text.find(from).unwrap_or_else(|| panic!("{from} is there")) + from.len()..];
        text[..text.find(to).expect("an end")].to_owned()
    };
    let numbers = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| c.is_whitespace() || ",(){}".contains(c));
        words
            .map(|word| word.trim_end_matches("lf").trim_end_matches("lu").to_owned())
            .filter(|word| word.parse::<f64>().is_ok() || word.starts_with("0x"))
            .collect()
    };
    for (table, function) in
        [("LGAMMA_TAIL", "lgamma_tail"), ("LGAMMA_FROM_1", "lgamma_from_1"), ("LGAMMA_FROM_2", "lgamma_from_2")]
    {
        let own = numbers(&between(&headers, &format!("{table}[] = {{"), "}"));
        let others = numbers(&between(shaders, &format!("fn {function}_f64(t: f64) -> f64 {{"), "}"));
        assert!(own.len() > 8 && own == others, "{table}: {own:?}\n{others:?}");
    }
    let own = numbers(&between(&headers, "TWO_OVER_PI[20] = {", "}"));
    let others = numbers(&between(shaders, "array<u64, 21>(", ")"));
    assert_eq!((own.len(), &own[..]), (20, &others[..20]));
}

/// Programs are printed with what their functions call.
#[test]
fn programs_call_them() {
    let xs: Vec<f64> = (0..37).map(|k| f64::from(k * k) * 0.37 - 20.1).chain([1e7, 3e30]).collect();
    let narrow: Vec<f32> = xs.iter().map(|x| *x as f32).collect();
    macro_rules! compared {
        ($Real:ty, $xs:expr, $within:expr) => {
            let program = Program::trace(|xs: Arr<$Real>| {
                let (x, of_angles) = (xs.index(0), xs.map(|x| x.sin() * x.cos() + x.tan()));
                (
                    xs.map(|x| x.lgamma()),
                    xs.map(|x| x.digamma() + x.polygamma(5)),
                    of_angles,
                    x.sin() + x.lgamma() * x.polygamma(30).atan(),
                )
            });
            let program = program.expect("a program");
            let compiled = program.compile_on(&Native).expect("a compiler");
            let arguments = [Value::new($xs.clone()).expect("an array")];
            let (found, report) = compiled.run_reported(&arguments, &Limits::default());
            assert_eq!(report, RunReport::Bare);
            let (found, expected) = (found.expect("a result"), program.run(&arguments).expect("a result"));
            let reals = |values: Vec<Value<f64>>| -> Vec<f64> {
                values.iter().flat_map(|value| value.to_f64().expect("reals")).collect()
            };
            let (found, expected) = (reals(found), reals(expected));
            assert_eq!(found.len(), 3 * $xs.len() + 1);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() <= $within * (1.0 + expected.abs()), "{found} for {expected}");
            }
        };
    }
    compared!(F64, xs, 1e-13);
    compared!(F32, narrow, 1e-5);
}

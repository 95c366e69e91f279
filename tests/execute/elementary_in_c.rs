//! Elementary functions printed as C against those of the library, bit by bit: compiled for a processor with FMA and for one without,
//! of one number and of several side by side, on the golden table's points, where something happens to some function, and on any bits.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use catadiff::execute::c::elementary::{self, LANES};
use catadiff::execute::math::{double, single};

const TABLE: &str = include_str!("../data/elementary.csv");

/// A function of f64 and of f32, which passes over the second argument if it takes one: without FMA, and with it.
struct Function {
    name: &'static str,
    arity: usize,
    double: [fn(f64, f64) -> f64; 2],
    single: [fn(f32, f32) -> f32; 2],
}

macro_rules! functions {
    ($($one:ident)+; $($two:ident)+) => {
        &[
            $(Function {
                name: stringify!($one),
                arity: 1,
                double: [|x, _| double::$one::<false>(x), |x, _| double::$one::<true>(x)],
                single: [|x, _| single::$one::<false>(x), |x, _| single::$one::<true>(x)],
            },)+
            $(Function {
                name: stringify!($two),
                arity: 2,
                double: [double::$two::<false>, double::$two::<true>],
                single: [single::$two::<false>, single::$two::<true>],
            },)+
        ]
    };
}

const FUNCTIONS: &[Function] = functions!(exp exp2 expm1 ln log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh cbrt erf erfc sigmoid softplus; pow atan2 hypot);

/// A target of the compiler that this processor runs: its flags, and whether it has FMA.
pub(super) type Target = (&'static [&'static str], bool);

pub(super) fn targets() -> Vec<Target> {
    #[cfg(target_arch = "x86_64")]
    {
        let mut targets: Vec<Target> = vec![(&["-march=x86-64"], false)];
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            targets.extend([(&["-mavx2", "-mfma"] as _, true), (&["-mavx2", "-mfma", "-DW=8"] as _, true)]);
        }
        if std::is_x86_feature_detected!("avx512f") {
            targets.push((&["-mavx512f"], true));
        }
        targets
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec![(&[], cfg!(target_arch = "aarch64"))]
}

/// Pairs of arguments, a multiple of as many as any target has lanes.
fn points() -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = TABLE
        .lines()
        .map(|line| {
            let mut fields = line.split(',').skip(1);
            let mut number = || fields.next().and_then(|field| field.parse().ok()).unwrap_or(0.5);
            (number(), number())
        })
        .collect();

    let powers = (-1074..1024).step_by(7).map(|k| 2.0_f64.powi(k / 2) * 2.0_f64.powi(k - k / 2));
    let around = powers.flat_map(|x| [x.next_down(), x, x.next_up()]);
    let integers = (0..400).map(|k| f64::from(k * k) / 4.0);
    let ends = [709.782712893384, 710.475860073944, 745.1332191019412, 1.6e6, f64::MAX, f64::INFINITY, f64::NAN];
    let positive: Vec<f64> = around.chain(integers).chain(ends).collect();
    let special: Vec<f64> = positive.into_iter().flat_map(|x| [x, -x]).collect();
    for (k, x) in special.iter().enumerate() {
        points.extend([1, 97, 1009].map(|stride| (*x, special[k * stride % special.len()])));
    }

    let mut state = 20_u64;
    let mut bits = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state ^ (state >> 32)
    };
    let mut number = || match bits() >> 62 {
        0 => f64::from_bits(bits()),
        exponent => (bits() as i64 as f64) * 0.5_f64.powi(40 + 10 * exponent as i32),
    };
    points.extend((0..8000).map(|_| (number(), number())));
    while !points.len().is_multiple_of(16) {
        points.push((0.0, 1.0));
    }
    points
}

/// A program in C that reads the first arguments and then the second ones, and writes what each function makes of them, in f64 and then
/// in f32, one by one and then side by side.
fn program(count: usize) -> String {
    let names: Vec<String> = results().into_iter().map(|(name, ..)| name).collect();
    let text = elementary::text(names.iter().map(String::as_str)).expect("functions that there are");
    let rows = results().into_iter().map(|(name, result, arity)| {
        let number = if name.ends_with('f') && name != "erf" { "f32" } else { "f64" };
        let (one, lanes) = if arity == 1 { ("x[k]", "xs") } else { ("x[k], y[k]", "xs, ys") };
        (
            format!("CALLED({name}, {result}, {number}, {name}_1({one}), {name}_w({lanes}))\n"),
            format!("    call_{name}();\n"),
        )
    });
    let (called, calls): (String, String) = rows.unzip();
    format!(
        "{LANES}
#include <stdio.h>
#define COUNT {count}
static f64_1 f64_x[COUNT], f64_y[COUNT];
static f32_1 f32_x[COUNT], f32_y[COUNT];

#define CALLED(name, result, number, one, lanes) \
    static void call_##name(void) {{ \
        static result##_1 to[COUNT]; \
        const number##_1 *x = number##_x, *y = number##_y; \
        (void)y; \
        for (int k = 0; k < COUNT; k++) to[k] = one; \
        fwrite(to, sizeof *to, COUNT, stdout); \
        for (int k = 0; k < COUNT; k += W) {{ \
            number##_w xs, ys; \
            memcpy(&xs, x + k, sizeof xs); \
            memcpy(&ys, y + k, sizeof ys); \
            const result##_w all = lanes; \
            memcpy(to + k, &all, sizeof all); \
        }} \
        fwrite(to, sizeof *to, COUNT, stdout); \
    }}
{text}
{called}
int main(void)
{{
    if (fread(f64_x, 8, COUNT, stdin) + fread(f64_y, 8, COUNT, stdin) != 2 * COUNT) return 1;
    for (int k = 0; k < COUNT; k++) f32_x[k] = (f32_1)f64_x[k], f32_y[k] = (f32_1)f64_y[k];
{calls}    return 0;
}}
"
    )
}

/// The functions in the order of the program, with the types of their results and the counts of their arguments.
fn results() -> Vec<(String, &'static str, usize)> {
    let functions = FUNCTIONS.iter().flat_map(|function| {
        [(function.name.to_owned(), "f64", function.arity), (format!("{}f", function.name), "f32", function.arity)]
    });
    functions.chain([("trig_is_fast".to_owned(), "i64", 1), ("trig_is_fastf".to_owned(), "i64", 1)]).collect()
}

/// What the program is to write, with the size of each number.
fn expected(points: &[(f64, f64)], fma: bool) -> Vec<Expected> {
    let near: Vec<(f32, f32)> = points.iter().map(|(x, y)| (*x as f32, *y as f32)).collect();
    let of_double = |function: fn(f64, f64) -> f64| points.iter().map(|(x, y)| function(*x, *y).to_bits()).collect();
    let of_single =
        |function: fn(f32, f32) -> f32| near.iter().map(|(x, y)| function(*x, *y).to_bits().into()).collect();
    let truth = |holds: bool| if holds { u64::MAX } else { 0 };
    let mut expected = Vec::new();
    for function in FUNCTIONS {
        expected.push((function.name.to_owned(), 8, of_double(function.double[usize::from(fma)])));
        expected.push((format!("{}f", function.name), 4, of_single(function.single[usize::from(fma)])));
    }
    let fast = points.iter().map(|(x, _)| truth(double::trig_is_fast(*x))).collect();
    let fast_near = near.iter().map(|(x, _)| truth(single::trig_is_fast(*x))).collect();
    expected.extend([("trig_is_fast".to_owned(), 8, fast), ("trig_is_fastf".to_owned(), 8, fast_near)]);
    expected
}

/// The compilers that there are.
pub(super) fn compilers() -> Vec<&'static str> {
    let runs = |compiler: &&str| Command::new(compiler).arg("--version").output().is_ok_and(|run| run.status.success());
    let compilers: Vec<&str> = ["cc", "clang"].into_iter().filter(runs).collect();
    assert!(!compilers.is_empty(), "Rust links by a C compiler");
    compilers
}

/// What a program writes, compiled without a warning and given the file beside it that ends in `.in`.
pub(super) fn output(compiler: &str, flags: &[&str], source: &Path) -> Vec<u8> {
    let stem = source.file_stem().expect("a file").to_string_lossy();
    let binary = source.with_file_name(format!("{stem}-{compiler}{}", flags.concat().replace(['=', ','], "-")));
    let always = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wno-psabi", "-Werror", "-ffp-contract=off"];
    let compiled = Command::new(compiler).args(always).args(flags).arg("-o").arg(&binary).arg(source).output();
    let compiled = compiled.expect("a compiler that runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{compiler} {flags:?}:\n{said}");

    let given = fs::File::open(source.with_extension("in")).expect("arguments");
    let run = Command::new(&binary).stdin(given).output().expect("the program runs");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{compiler} {flags:?}: {}\n{said}", run.status);
    run.stdout
}

/// Compiles and runs the program, and returns the functions that differ, with the first point where each does.
fn differences(
    compiler: &str,
    flags: &[&str],
    source: &Path,
    points: &[(f64, f64)],
    expected: &[Expected],
) -> Vec<String> {
    let written = output(compiler, flags, source);
    let mut written = written.as_slice();
    let mut differences = Vec::new();
    for (name, size, expected) in expected {
        for form in ["one by one", "side by side"] {
            let (own, rest) = written.split_at(size * points.len());
            written = rest;
            let got: Vec<u64> = own.chunks(*size).map(of_bytes).collect();
            let same = |got: u64, expected: u64| got == expected || is_nan(got, *size) && is_nan(expected, *size);
            let differ = |k: &usize| !same(got[*k], expected[*k]);
            if let Some(k) = (0..points.len()).find(differ) {
                let count = (k..points.len()).filter(differ).count();
                let (x, y) = points[k];
                differences.push(format!(
                    "{name} {form}, {compiler} {flags:?}: {count} differ, at {x:e} {y:e} {:#x} from {:#x}",
                    got[k], expected[k]
                ));
            }
        }
    }
    assert!(written.is_empty(), "the program writes no more");
    differences
}

/// A function's name, the size of its results, and these as bits.
type Expected = (String, usize, Vec<u64>);

fn of_bytes(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

/// Whether these are the bits of a NaN; masks with all bits set are compared as one.
fn is_nan(bits: u64, size: usize) -> bool {
    if size == 4 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() }
}

#[test]
fn functions_in_c_have_every_bit_of_the_librarys() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source: PathBuf = folder.join("elementary.c");
    let points = points();
    fs::write(&source, program(points.len())).expect("a folder to write in");
    let (xs, ys) = (points.iter().map(|(x, _)| x), points.iter().map(|(_, y)| y));
    let given: Vec<u8> = xs.chain(ys).flat_map(|x| x.to_le_bytes()).collect();
    fs::write(source.with_extension("in"), given).expect("a folder to write in");

    let expected = [false, true].map(|fma| expected(&points, fma));
    let differences: Vec<String> = compilers()
        .into_iter()
        .flat_map(|compiler| targets().into_iter().map(move |target| (compiler, target)))
        .flat_map(|(compiler, (flags, fma))| {
            differences(compiler, flags, &source, &points, &expected[usize::from(fma)])
        })
        .collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

//! How the time of reading, checking and elaborating a text grows with its number of lines.
//!
//! Law: each is linear: 10⁵ lines are read in well under a second.

use std::hint::black_box;
use std::time::Duration;

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::elaborate::compile_entry;
use catadiff::futhark::syntax::parse;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const MAIN: &str = "entry main (x: f64) = x\n";

/// Definitions of a line each, of sums of maps, generic in a size.
fn combinators(lines: usize) -> String {
    let line = |k| format!("def f{k} [n] (xs: [n]f64): f64 = reduce (+) 0 (map (\\x -> x * {k}.5 + f64.sqrt x) xs)\n");
    (0..lines).map(line).chain([MAIN.to_owned()]).collect()
}

/// Definitions of a line each, of which each calls the one before; an entry calls a hundred of them.
fn calls(lines: usize) -> String {
    let line = |k: usize| match k % 100 {
        0 => format!("def f{k} (x: f64) = x * x\n"),
        _ => format!("def f{k} (x: f64) = f{} x + {k}.0\n", k - 1),
    };
    let main = format!("entry main (x: f64) = f{} x\n", lines - 1);
    (0..lines).map(line).chain([main]).collect()
}

/// Functions of 500 lines, each a `let`; an entry calls one.
fn lets(lines: usize) -> String {
    let function = |k: usize| {
        let lets: String = (0..498).map(|i| format!("  let x{} = x{i} * 1.5 + x0\n", i + 1)).collect();
        format!("def g{k} (x0: f64) =\n{lets}  in x498\n")
    };
    (0..lines.div_ceil(500)).map(function).chain(["entry main (x: f64) = g0 x\n".to_owned()]).collect()
}

/// Functions of four lines, each a loop with a branch in it.
fn loops(lines: usize) -> String {
    let function = |k: usize| {
        format!(
            "def h{k} (n: i64) (x: f64) =\n  loop (a, i) = (x, {k}) while i < n do\n    if a > 2 then (a / 2, i + 1)\n    \
             else (a * 1.5, i + 2)\n"
        )
    };
    let main = "entry main (n: i64) (x: f64) = (h0 n x).0\n".to_owned();
    (0..lines / 4).map(function).chain([main]).collect()
}

/// Modules of five lines, with a record type and two functions of it each.
fn modules(lines: usize) -> String {
    let module = |k: usize| {
        format!(
            "module m{k} = {{\n  type t = {{a: f64, b: [3]f64}}\n  def make (x: f64): t = {{a = x, b = [x, x, {k}]}}\n  \
             def take (v: t) = v.a + v.b[1]\n}}\n"
        )
    };
    let main = "entry main (x: f64) = m0.take (m0.make x)\n".to_owned();
    (0..lines / 5).map(module).chain([main]).collect()
}

/// One array of a number a line.
fn data(lines: usize) -> String {
    let numbers: String = (0..lines).map(|k| format!("  {k},\n")).collect();
    format!("def table: []i64 = [\n{numbers}  0]\nentry main (i: i64) = table[i]\n")
}

fn front_end(criterion: &mut Criterion) {
    type Make = fn(usize) -> String;
    let families: [(&str, Make); 6] = [
        ("combinators", combinators),
        ("calls", calls),
        ("lets", lets),
        ("loops", loops),
        ("modules", modules),
        ("data", data),
    ];
    for (family, make) in families {
        let mut group = criterion.benchmark_group(format!("lines of {family}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(2));
        for lines in [1_000, 10_000, 100_000] {
            let text = make(lines);
            let tree = parse(&text, 0).expect("it is a program");
            let (program, _) = check(&tree, &mut NoImports).expect("it is a program");
            group.throughput(Throughput::Elements(lines as u64));
            group.bench_with_input(BenchmarkId::new("parse", lines), &text, |b, text| {
                b.iter(|| parse(black_box(text), 0).expect("it is a program"));
            });
            group.bench_with_input(BenchmarkId::new("check", lines), &tree, |b, tree| {
                b.iter(|| check(black_box(tree), &mut NoImports).expect("it is a program"));
            });
            group.bench_with_input(BenchmarkId::new("elaborate", lines), &program, |b, program| {
                b.iter(|| compile_entry(black_box(program), "main").expect("it has an array program"));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, front_end);
criterion_main!(benches);

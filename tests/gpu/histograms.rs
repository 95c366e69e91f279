//! Histograms by all operators: those that lanes update bins by, and any other.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::execute::Flat;
use catadiff::execute::gpu::counts;

use crate::gpu;

/// The histogram of values of a kind by an operator of two of them.
fn hist(prim: &str, neutral: &str, operator: &str) -> Result<Program> {
    Program::parse(&format!(
        "program (bins: []{prim}, is: []i64, xs: []{prim}) {{
            let found: []{prim} = hist (bins) at is (xs) from ({neutral}) |a: {prim}, b: {prim}| {{ {operator} return c }}
            return found
        }}"
    ))
}

/// The number of bins, and where values go: some of them nowhere.
fn places(bins: i64, n: i64) -> Vec<i64> {
    (0..n).map(|k| k * 7919 % (bins + 3) - 1).collect()
}

/// What a program finds on the GPU, and what the reference interpreter does; and how many threads the GPU had in all.
fn both(program: &Program, arguments: &[Flat]) -> Result<Option<(Flat, Flat, u64)>> {
    let Some(gpu) = gpu() else { return Ok(None) };
    let mut found = Vec::new();
    program.compile_on(&gpu)?.run_into(arguments, &mut found)?;
    let values: Vec<_> = arguments.iter().map(Flat::to_value).collect();
    let expected = Flat::from(&program.run(&values)?[0]);
    let threads = counts(&gpu, program, arguments)?.expect("it comes to its end").threads;
    Ok(Some((found.remove(0), expected, threads)))
}

/// All of these are exact.
#[test]
fn extrema_and_products_are_updates_by_all_lanes() -> Result<()> {
    let (bins, n) = (50, 3000);
    let at = Flat::integers(&[n], places(bins, n as i64))?;
    let few = |k: usize| (k * 31 % 1009) as f64 - 500.0;
    for (prim, neutral, operator) in [
        ("f64", "f64.inf", "let c: f64 = min(a, b)"),
        ("f64", "-f64.inf", "let c: f64 = max(b, a)"),
        ("f32", "-f32.inf", "let c: f32 = max(a, b)"),
        ("i64", "9223372036854775807i64", "let c: i64 = min(a, b)"),
        ("i64", "-9223372036854775808i64", "let c: i64 = max(a, b)"),
        // Of numbers that are more than 32 bits.
        ("i64", "0i64", "let c: i64 = max(a, b)"),
        ("i32", "-1i32", "let c: i32 = and(a, b)"),
        ("i32", "0i32", "let c: i32 = xor(b, a)"),
        ("i32", "1i32", "let c: i32 = mul(a, b)"),
        ("u32", "0u32", "let c: u32 = max(a, b)"),
        ("i16", "1i16", "let c: i16 = mul(a, b)"),
        ("bool", "false", "let c: bool = add(a, b)"),
    ] {
        let program = hist(prim, neutral, operator)?;
        let values = |n: usize, by: usize| -> Result<Flat> {
            let all: Vec<f64> = (0..n).map(|k| few(k * by)).collect();
            let value = catadiff::interpret::Value::reals(&[n], all)?;
            let converted = Program::parse(&format!(
                "program (xs: []f64) {{ let ys: []{prim} = map (xs) |x: f64| {{ let y: {prim} = {prim}(x) return y }} return ys }}"
            ))?;
            Ok(Flat::from(&converted.run(&[value])?[0]))
        };
        let wide = neutral == "0i64";
        let bins_before = || Flat::integers(&[bins as usize], (0..bins).map(|k| (k << 33) + 5).collect());
        let arguments = [if wide { bins_before()? } else { values(bins as usize, 3)? }, at.clone(), values(n, 1)?];
        let Some((found, expected, threads)) = both(&program, &arguments)? else { return Ok(()) };
        assert_eq!(found, expected, "{operator}");
        assert!(threads >= n as u64, "{operator}: {threads} threads");
    }
    Ok(())
}

/// Pairs of a factor and a last value, whose operator commutes nowhere; sums and what they are of; products of integers of 64 bits.
#[test]
fn any_other_operator_is_a_scan_of_sorted_values() -> Result<()> {
    let text = "program (a: []f64, b: []i64, d: []i64, is: []i64, xs: []f64, ks: []i64) {
        let most: []f64, where: []i64 = hist (a, b) at is (xs, ks) from (-f64.inf, -1i64) |x: f64, i: i64, y: f64, j: i64| {
            let less: bool = lt(x, y)
            let same: bool = eq(x, y)
            let before: bool = lt(j, i)
            let tie: bool = mul(same, before)
            let takes: bool = add(less, tie)
            let z: f64, k: i64 = if takes { return y, j } else { return x, i }
            return z, k
        }
        let products: []i64 = hist (d) at is (ks) from (1i64) |x: i64, y: i64| { let z: i64 = mul(x, y) return z }
        return most, where, products
    }";
    let program = Program::parse(text)?;
    for (bins, n) in [(1, 1024), (3, 5000), (1000, 1500), (70_000, 2000)] {
        let count = bins as usize;
        let few = |k: usize| (k * 31 % 101) as f64 - 50.0;
        let arguments = [
            Flat::reals(&[count], (0..count).map(|k| few(k * 3)).collect())?,
            Flat::integers(&[count], vec![-1; count])?,
            Flat::integers(&[count], vec![3; count])?,
            Flat::integers(&[n], places(bins, n as i64))?,
            Flat::reals(&[n], (0..n).map(few).collect())?,
            Flat::integers(&[n], (0..n as i64).map(|k| k * 7 % 1000).collect())?,
        ];
        let Some(gpu) = gpu() else { return Ok(()) };
        let mut found = Vec::new();
        program.compile_on(&gpu)?.run_into(&arguments, &mut found)?;
        let values: Vec<_> = arguments.iter().map(Flat::to_value).collect();
        let expected: Vec<Flat> = program.run(&values)?.iter().map(Flat::from).collect();
        assert!(found == expected, "{n} values of {bins} bins");
        let asked = counts(&gpu, &program, &arguments)?.expect("it comes to its end");
        assert!(asked.threads >= n as u64 && asked.readbacks == 0, "{asked:?}");
    }
    Ok(())
}

/// What lanes add to few bins is added up in the memory of workgroups first: of one word, and of two arrays at once.
#[test]
fn sums_of_few_bins_are_added_up_by_workgroups() -> Result<()> {
    let text = "program (a: []f32, b: []u32, is: []i64, xs: []f32, ks: []u32) {
        let sums: []f32, counts: []u32 = hist (a, b) at is (xs, ks) from (0.0f32, 0u32) |x: f32, i: u32, y: f32, j: u32| {
            let z: f32 = add(x, y)
            let k: u32 = add(i, j)
            return z, k
        }
        return sums, counts
    }";
    let program = Program::parse(text)?;
    let Some(gpu) = gpu() else { return Ok(()) };
    let compiled = program.compile_on(&gpu)?;
    for (bins, n, copied) in
        [(1, 2000, 1), (7, 5001, 1), (100, 200_000, 1), (1024, 300_000, 1), (1025, 300_000, 0), (500, 4000, 0)]
    {
        let count = bins as usize;
        let words = |n: usize, by: usize| -> Result<Flat> {
            let all = (0..n).map(|k| catadiff::interpret::Scalar::U32((k * by % 7) as u32)).collect();
            Ok(Flat::from(&catadiff::interpret::Value::array(&[n], all)?))
        };
        let arguments = [
            Flat::singles(&[count], vec![0.5; count])?,
            words(count, 3)?,
            Flat::integers(&[n], places(bins, n as i64))?,
            // Sums of these are exact.
            Flat::singles(&[n], (0..n).map(|k| (k % 3) as f32).collect())?,
            words(n, 5)?,
        ];
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        compiled.run_into(&arguments, &mut found)?;
        program.compile()?.run_into(&arguments, &mut expected)?;
        assert!(found == expected, "{n} values of {bins} bins");
        let asked = counts(&gpu, &program, &arguments)?.expect("it comes to its end");
        assert_eq!(asked.copied, copied, "{n} values of {bins} bins: {asked:?}");
    }
    Ok(())
}

/// What reverse mode sorts takes as many rounds as the number of bins has bits, so that the host need not ask.
#[test]
fn the_gradient_of_products_asks_the_device_for_nothing() -> Result<()> {
    let products = Program::parse(
        "program (bins: []f64, is: []i64, xs: []f64) {
            let found: []f64 = hist (bins) at is (xs) from (1.0f64) |a: f64, b: f64| { let c: f64 = mul(a, b) return c }
            let sum: f64 = reduce (found) from (0.0f64) |a: f64, b: f64| { let c: f64 = add(a, b) return c }
            return sum
        }",
    )?;
    let gradient = products.grad([0, 2])?;
    let n = 3000;
    let few = |k: usize| 1.0 + (k % 3) as f64;
    let arguments = [
        Flat::reals(&[700], (0..700).map(few).collect())?,
        Flat::integers(&[n], places(700, n as i64))?,
        Flat::reals(&[n], (0..n).map(few).collect())?,
    ];
    let Some(gpu) = gpu() else { return Ok(()) };
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    gradient.compile_on(&gpu)?.run_into(&arguments, &mut found)?;
    gradient.compile()?.run_into(&arguments, &mut expected)?;
    assert!(found == expected);
    assert_eq!(counts(&gpu, &gradient, &arguments)?.expect("it comes to its end").readbacks, 0);
    Ok(())
}

//! Scans, histograms and scatters that lanes have instructions for: by each operator that these know, as in the interpreter to the
//! last bit wherever the operator is associative, with any number of threads, and within limits.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist};
use catadiff::execute::{Executor, Lanes, Outcome};
use catadiff::interpret::{Control, Limits, Value, run};
use catadiff_laws::executors;

/// Elements that are taken in turn, in one block that is not full, in a chunk of blocks and one element more; and enough that
/// threads and parts of histograms begin, with some left over.
const LENGTHS: [usize; 5] = [0, 1, 300, 16_385, 16_449];
const LARGE: usize = 140_001;

/// An operator of two scalars of a kind, what it starts from, and the numbers that it is tried on.
struct Case {
    kind: &'static str,
    body: String,
    start: &'static str,
    numbers: &'static [f64],
}

const SMALL: &[f64] = &[1.0, -2.0, 3.0, 0.0, -1.0, 2.0, -3.0];
/// Products of these are exact, and stay small.
const FACTORS: &[f64] = &[1.0, -1.0, 2.0, 0.5, -0.5, 2.0, -1.0, 0.5];
const ODD: &[f64] = &[1.5, f64::NAN, -0.0, 0.0, f64::INFINITY, -2.5, f64::NEG_INFINITY, f64::NAN];

/// All operators that are known, and some that are nearly so.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |kind, body: &str, start, numbers| all.push(Case { kind, body: body.to_owned(), start, numbers });
    for kind in ["f64", "f32", "i64", "i32"] {
        let real = kind.starts_with('f');
        add(kind, "let c = add(a, b) return c", "0", SMALL);
        add(kind, "let c = add(b, a) return c", "7", SMALL);
        add(kind, "let c = mul(a, b) return c", "1", if real { FACTORS } else { SMALL });
        add(kind, "let c = min(a, b) return c", "9", SMALL);
        add(kind, "let c = max(a, b) return c", "-9", SMALL);
        add(kind, "let c = max(a, b) return c", "1", SMALL);
        add(kind, "return b", "0", SMALL);
        for test in ["lt(a, b)", "le(a, b)", "lt(b, a)", "le(b, a)"] {
            add(kind, &format!("let t = {test} let c = if t {{ return b }} else {{ return a }} return c"), "0", SMALL);
        }
        if !real {
            for row in ["and", "or", "xor"] {
                add(kind, &format!("let c = {row}(a, b) return c"), "0", SMALL);
            }
        }
    }
    all
}

impl Case {
    /// Scans of a list, of a list backwards and of every other element; a histogram of these; and a scatter.
    fn program(&self) -> Program {
        let Case { kind, body, start, .. } = self;
        let start = match (start.strip_prefix('-'), kind.starts_with('f')) {
            (Some(start), true) => format!("-{start}.0{kind}"),
            (None, true) => format!("{start}.0{kind}"),
            (_, false) => format!("{start}{kind}"),
        };
        let operator = format!("|a: {kind}, b: {kind}| {{ {body} }}");
        let text = format!(
            "program (xs: []{kind}, indices: []i64, into: []{kind}, half: i64) {{
                let forth = scan (xs) from ({start}) {operator}
                let backwards = reverse(xs)
                let found = scan (backwards) from ({start}) {operator}
                let back = reverse(found)
                let others = slice xs[0i64: half: 2i64]
                let every_other = scan (others) from ({start}) {operator}
                let places = slice indices[0i64: half: 2i64]
                let bins = hist (into) at indices (xs) from ({start}) {operator}
                let other_bins = hist (into) at places (others) from ({start}) {operator}
                let n = size[0](xs)
                let none = replicate(n, {start})
                let scattered = scatter(none, indices, backwards)
                return forth, back, every_other, bins, other_bins, scattered
            }}"
        );
        Program::parse(&text).unwrap_or_else(|e| panic!("{e}"))
    }

    /// This many of the numbers, in an order that looks random; indices, of which some are out of bounds; and bins.
    fn arguments(&self, n: usize, numbers: &[f64]) -> Result<Vec<Value<f64>>> {
        let list = |n: usize| -> Vec<f64> { (0..n).map(|k| numbers[k * 7919 % 1009 % numbers.len()]).collect() };
        let value = |xs: Vec<f64>| match self.kind {
            "f64" => Value::new(xs),
            "f32" => Value::new(xs.into_iter().map(|x| x as f32).collect::<Vec<_>>()),
            "i64" => Value::new(xs.into_iter().map(|x| x as i64).collect::<Vec<_>>()),
            _ => Value::new(xs.into_iter().map(|x| x as i32).collect::<Vec<_>>()),
        };
        let at: Vec<i64> =
            (0..n).map(|k| [k as i64 * 31 % 11 - 2, i64::MIN, i64::MAX][k * 7 % 97 % 3 * (k % 5 / 4)]).collect();
        Ok(vec![value(list(n))?, Value::new(at)?, value(list(7))?, (n.div_ceil(2) as i64).into()])
    }
}

/// What lanes find, and what the interpreter does, as text: in which zeros have signs.
fn both(program: &Program, arguments: &[Value<f64>]) -> Result<[String; 2]> {
    both_on(&Lanes, program, arguments)
}

fn both_on(executor: &dyn Executor, program: &Program, arguments: &[Value<f64>]) -> Result<[String; 2]> {
    let prepared = executor.prepare(program)?.expect("it can run");
    let Outcome::Done { results, stepwise: false } = prepared.run(arguments, Control::default())? else {
        panic!("nothing is wrong with {program}")
    };
    Ok([format!("{results:?}"), format!("{:?}", run(program, arguments, &Limits::default())?)])
}

#[test]
fn operators_are_those_of_the_interpreter() -> Result<()> {
    for case in cases() {
        let program = case.program();
        for n in LENGTHS {
            let [found, expected] = both(&program, &case.arguments(n, case.numbers)?)?;
            assert!(found == expected, "{n} elements\n{program}");
        }
    }
    Ok(())
}

/// One after the other, numbers are combined as in the interpreter also where the operator is not associative.
#[test]
fn few_odd_numbers_are_combined_in_their_order() -> Result<()> {
    for case in cases().iter().filter(|case| case.kind.starts_with('f')) {
        let program = case.program();
        for n in [1, 2, 7, 300] {
            let [found, expected] = both(&program, &case.arguments(n, ODD)?)?;
            assert!(found == expected, "{n} elements: {found}, and not {expected}\n{program}");
        }
    }
    Ok(())
}

/// Compiled C goes through all elements in their order.
#[cfg(feature = "native")]
#[test]
fn compiled_c_combines_elements_in_their_order() -> Result<()> {
    if catadiff::execute::Native.available().is_err() {
        return Ok(());
    }
    for case in cases().iter().filter(|case| case.kind != "i32") {
        let program = case.program();
        for n in [0, 1, 7, 300, 20_000] {
            let numbers = if case.kind.starts_with('f') { ODD } else { SMALL };
            let [found, expected] = both_on(&catadiff::execute::Native, &program, &case.arguments(n, numbers)?)?;
            assert!(found == expected, "{n} elements\n{program}");
        }
    }
    for program in recurrences()?.iter().filter(|program| is_linear(program)) {
        let at = |n: usize| -> Vec<f64> { (0..n).map(|k| (k * 31 % 5) as f64 - 2.0).collect() };
        let arguments = [Value::new(at(20))?, Value::new(at(20))?];
        let [found, expected] = both_on(&catadiff::execute::Native, program, &arguments)?;
        assert_eq!(found, expected, "{program}");
    }
    Ok(())
}

/// Single precision among doubles is rounded after each step.
#[test]
fn singles_among_doubles_are_singles() -> Result<()> {
    let third = |k: usize| (k % 7) as f32 / 3.0 - 1.0;
    for body in ["add(a, b)", "mul(a, b)"] {
        let program = Program::parse(&format!(
            "program (xs: []f32, indices: []i64, y: f64) {{
                let s = scan (xs) from (1.0f32) |a: f32, b: f32| {{ let c = {body} return c }}
                let bins = replicate(3i64, 1.0f32)
                let h = hist (bins) at indices (xs) from (1.0f32) |a: f32, b: f32| {{ let c = {body} return c }}
                let z = mul(y, 2.0f64)
                return s, h, z }}"
        ))?;
        let xs: Vec<f32> = (0..1000).map(third).collect();
        let at: Vec<i64> = (0..1000).map(|k| k % 5 - 1).collect();
        let [found, expected] = both(&program, &[Value::new(xs)?, Value::new(at)?, 0.1.into()])?;
        assert_eq!(found, expected, "{program}");
    }
    Ok(())
}

/// The composition of linear functions in all notations, and operators that differ from it in one operand.
fn recurrences() -> Result<Vec<Program>> {
    let mut all = Vec::new();
    for products in ["mul(a, c)", "mul(c, a)", "mul(a, a)"] {
        for (scaled, sum) in [("mul(b, c)", "add(s, d)"), ("mul(c, b)", "add(d, s)"), ("mul(b, c)", "add(s, b)")] {
            for (of, params) in [(["xs, ys", "1.0f64, 0.0f64"], "a b c d"), (["ys, xs", "0.0f64, 1.0f64"], "b a d c")] {
                let [arrays, start] = of;
                let params: Vec<String> = params.split(' ').map(|name| format!("{name}: f64")).collect();
                for results in ["p, y", "y, p"] {
                    for wanted in ["first, second", "second", "first"] {
                        all.push(Program::parse(&format!(
                            "program (xs: []f64, ys: []f64) {{
                                let first, second = scan ({arrays}) from ({start}) |{}| {{
                                    let p = {products} let s = {scaled} let y = {sum} return {results} }}
                                return {wanted} }}",
                            params.join(", ")
                        ))?);
                    }
                }
            }
        }
    }
    Ok(all)
}

#[test]
fn recurrences_are_those_of_the_interpreter() -> Result<()> {
    for program in recurrences()? {
        // Else the operator is not associative.
        let lengths = if is_linear(&program) { 5 } else { 3 };
        for n in LENGTHS.into_iter().take(lengths) {
            let signs: Vec<f64> = (0..n).map(|k| if k * 7919 % 1009 % 3 == 0 { -1.0 } else { 1.0 }).collect();
            let numbers: Vec<f64> = (0..n).map(|k| (k * 31 % 17) as f64 - 8.0).collect();
            let [found, expected] = both(&program, &[Value::new(signs)?, Value::new(numbers)?])?;
            assert!(found == expected, "{n} elements\n{program}");
        }
    }
    Ok(())
}

/// Whether lanes say that they have an instruction for a recurrence.
fn is_linear(program: &Program) -> bool {
    program.compile().is_ok_and(|it| it.explain().contains("scan Recurrence"))
}

#[test]
fn what_is_known_is_one_statement() -> Result<()> {
    let linear = recurrences()?.iter().filter(|program| is_linear(program)).count();
    assert_eq!(linear, 2 * 2 * 2 * 3, "products, sums and components in either order, whatever is wanted");
    for case in cases() {
        let (text, program) = (case.program().compile()?.explain(), case.program());
        let narrow = case.kind == "i32";
        let [scans, hists] = ["\nscan ", "\nhist "].map(|word| text.matches(word).count());
        let known = !narrow || case.body == "return b";
        assert_eq!((scans, hists), if known { (3, 3) } else { (0, 1) }, "{program}\n{text}");
    }
    Ok(())
}

/// Programs with enough elements that threads share them, and that histograms go in parts.
fn large() -> Result<Vec<(Program, Vec<Value<f64>>)>> {
    let numbers = |n: usize| -> Vec<f64> { (0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect() };
    let at: Vec<i64> = (0..LARGE).map(|k| (k * 7919 % 100_003 % 40) as i64 - 3).collect();
    let (xs, at) = (Value::new(numbers(LARGE))?, Value::new(at)?);
    let sums = Program::trace(|xs: Arr<F64>| xs.scan(0.0, |a, b| a + b))?;
    let recurrence = Program::trace(|a: Arr<F64>, b: Arr<F64>| {
        a.map2(b, |a, b| (a, b)).scan((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d))
    })?;
    let counted = Program::trace(|xs: Arr<I64>| xs.scan(1, |a, b| a + b))?;
    let added = Program::trace(|at: Arr<I64>, xs: Arr<F64>| hist(32, 0.5, at, xs, |a, b| a + b))?;
    let product = Program::trace(|at: Arr<I64>, xs: Arr<F64>| hist(32, 3.0, at, xs, |a, b| a * b))?;
    let scattered = Program::trace(|at: Arr<I64>, xs: Arr<F64>| xs.zeros_like().scatter(at, xs))?;
    Ok(vec![
        (sums.vjp()?, vec![xs.clone(), xs.clone()]),
        (sums, vec![xs.clone()]),
        (recurrence, vec![xs.clone(), xs.clone()]),
        (counted, vec![at.clone()]),
        (added, vec![at.clone(), xs.clone()]),
        (product, vec![at.clone(), xs.clone()]),
        (scattered, vec![at, xs]),
    ])
}

#[test]
fn many_elements_are_combined_as_in_the_interpreter() -> Result<()> {
    for (program, arguments) in large()? {
        executors::same(&Lanes, &program, &arguments).unwrap_or_else(|e| panic!("{e}\n{program}"));
    }
    for case in cases().iter().filter(|case| case.kind == "i64" || case.body.contains("if")) {
        let program = case.program();
        let [found, expected] = both(&program, &case.arguments(LARGE, case.numbers)?)?;
        assert!(found == expected, "{program}");
    }
    Ok(())
}

/// Neither results nor steps depend on the number of threads; and a run ends where its limits are, or when it is cancelled.
#[cfg(feature = "rayon")]
#[test]
fn threads_share_the_work_and_nothing_else() -> Result<()> {
    for (program, arguments) in large()? {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| {
                let steps = executors::keeps_to_limits(&Lanes, &program, &arguments).unwrap_or_else(|e| panic!("{e}"));
                let prepared = Lanes.prepare(&program)?.expect("lanes can run it");
                Ok((steps, prepared.run(&arguments, Control::default())?))
            })
        };
        let one: (u64, Outcome) = with(1)?;
        assert!(one.0 >= LARGE as u64, "each element is a step, and there are {}", one.0);
        for threads in [2, 7] {
            let several: Result<(u64, Outcome)> = with(threads);
            assert_eq!(several?, one, "with {threads} threads: {program}");
        }
    }
    Ok(())
}

//! Derivatives are cheap at every size: counted work along families of programs, and the table of it.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::execute::{Executor, Lanes, Prepared, Unsupported};
use catadiff::interpret::Value;
use catadiff_laws::growth::{Approach, Family, MEASURES, Mode, Row, random};
use catadiff_laws::{ArrayProgram, Verdict, array_derivatives, array_tape};
use quickcheck::{Arbitrary, Gen};

mod families;

/// The law, of every family, whose figures are in the table.
#[test]
fn derivatives_grow_as_their_functions_do_and_as_the_table_says() {
    let table = Row::all(include_str!("../../benches/README.md"));
    let families = families::all();
    let rows: Vec<Row> = std::thread::scope(|scope| {
        let ask = |family: &Family| {
            let (row, steps) = family.grows_alike_on(&Lanes).unwrap_or_else(|violation| panic!("{violation}"));
            assert!(steps.is_some(), "lanes run {}", family.name);
            row
        };
        let (one, two) = families.split_at(families.len() / 2);
        let halves = [one, two].map(|half| scope.spawn(move || half.iter().map(ask).collect::<Vec<Row>>()));
        halves.into_iter().flat_map(|half| half.join().expect("derivatives are cheap")).collect()
    });
    let missing: Vec<String> =
        rows.iter().filter(|row| !table.iter().any(|shown| shown.is_near(row))).map(Row::to_string).collect();
    let made = "the table of growth is made by `cargo run --release --example growth_table`";
    assert!(missing.is_empty(), "{made}, and would have\n{}", missing.join("\n"));
    let names: Vec<&str> = families.iter().map(|family| family.name).collect();
    let shown: Vec<&str> = table.iter().map(|row| &*row.name).collect();
    assert_eq!(shown, names, "the table has a line for each family, in order");
}

/// The same programs, small: what is cheap is also right. Gradients are derivatives of the others, which are checked here.
#[test]
fn derivatives_of_families_are_right() -> Verdict {
    let families = families::all();
    families.iter().filter(|family| !family.name.starts_with("gradient of")).try_for_each(|family| {
        let n = family.least.min(8);
        let (program, arguments) = ((family.program)(n).unwrap(), (family.arguments)(n));
        array_derivatives::at(&program, [arguments.clone()])?;
        array_tape::at(&program, &arguments)
    })
}

/// The gradient of a sum of squares, with something more in it that takes `n²` of one measure alone.
fn wasteful(more: &str) -> Program {
    let source = format!(
        "program (x: []f64, adjoint: f64) {{
            let n = size[0](x)
            let numbers = iota(n)
            let twice = mul(2.0f64, adjoint)
            let gradient = map (x) |x: f64| {{ let slope = mul(twice, x) return slope }}
            {more}
            return adjoint, gradient, waste }}"
    );
    Program::parse(&source).unwrap()
}

/// A family of programs of a vector.
fn of_vectors(name: &'static str, program: fn(usize) -> catadiff::Result<Program>) -> Family {
    Family {
        name,
        least: 8,
        program,
        arguments: |n| vec![Value::new(vec![0.5; n]).unwrap()],
        approach: Approach::Steadily,
    }
}

/// A test of the law: it finds derivatives that waste operations, statements, elements moved, or memory alone.
#[test]
fn a_derivative_that_is_not_cheap_is_found_by_what_it_wastes() {
    let squares = of_vectors("sum of squares", |_| {
        Program::parse(
            "program (x: []f64) {
                let squares = map (x) |x: f64| { let y = mul(x, x) return y }
                let s = reduce (squares) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
                return s }",
        )
    });
    // It writes `n²` elements itself, all of them in one place.
    let overwritten = of_vectors("sum of a row that is overwritten", |_| {
        Program::parse(
            "program (x: []f64) {
                let n = size[0](x)
                let rows = replicate(1i64, x)
                let rows = loop (rows: [][]f64 = rows) for i < n { let rows = rows with [0i64] = x return rows }
                let row = rows[0i64]
                let s = reduce (row) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
                return s }",
        )
    });
    let row = squares.grows_alike().unwrap();
    assert!(row.modes.iter().flatten().all(|ratio| *ratio <= 3.0), "{row}");
    let wastes = [
        // Sums of the whole for each element.
        (
            &squares,
            "let waste = map (numbers) |i: i64| {
                let s = reduce (x) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
                return s }",
        ),
        // Of integers alone.
        (
            &squares,
            "let waste = map (numbers) |i: i64| {
                let s = reduce (numbers) from (0i64) |a: i64, b: i64| { let c = max(a, b) return c }
                return s }",
        ),
        // A row that is overwritten for each element.
        (
            &squares,
            "let rows = replicate(1i64, x)
             let waste = loop (rows: [][]f64 = rows) for i < n { let rows = rows with [0i64] = x return rows }",
        ),
        // An array of zeros for each element.
        (
            &overwritten,
            "let waste = map (numbers) |i: i64| { let zeros = replicate(n, 0.0f64) let z = zeros[i] return z }",
        ),
    ];
    let broken = |(family, waste): (&Family, &str)| family.cheap(Mode::Reverse, |_| Ok(wasteful(waste)));
    for (waste, measure) in wastes.into_iter().zip(MEASURES) {
        let violation = broken(waste).expect_err(measure);
        assert!(violation.law.starts_with(measure), "{measure}: {violation}");
    }
}

/// Lanes that look through all elements for each of them.
struct Wasteful;

impl Executor for Wasteful {
    fn name(&self) -> &'static str {
        "wasteful lanes"
    }

    fn description(&self) -> &'static str {
        "lanes that run another program"
    }

    fn prepare(&self, sum: &Program) -> catadiff::Result<Result<Box<dyn Prepared>, Unsupported>> {
        if sum.function().params.len() > 1 {
            return Lanes.prepare(sum);
        }
        Lanes.prepare(&Program::trace(|x: Arr<F64>| x.map(|y| x.map(|z| z * y).max()).sum())?)
    }
}

/// A test of the law: it finds executors that are not cheap.
#[test]
fn an_executor_that_is_not_cheap_is_found_by_its_steps() {
    // Lanes of a block take iterations together: of a few lanes all that is wasted is as little as what there is to do.
    let sum = Family { least: 256, ..of_vectors("sum", |_| Program::trace(|x: Arr<F64>| x.sum())) };
    assert!(sum.grows_alike_on(&Lanes).is_ok_and(|(_, steps)| steps.is_some()));
    let violation = sum.grows_alike_on(&Wasteful).expect_err("there are n² steps");
    assert!(violation.law.starts_with("steps of wasteful lanes for the function"), "{violation}");
}

/// However little it is at first: here less than a tenth of the function at the largest size.
#[test]
fn a_derivative_that_is_quadratic_is_found_where_it_is_small() {
    let dear = of_vectors("powers of elements", |_| {
        Program::parse(
            "program (x: []f64) {
                let powers = map (x) |x: f64| {
                    let y = loop (y: f64 = x) for i < 50i64 { let z = mul(y, x) return z }
                    return y }
                let s = reduce (powers) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
                return s }",
        )
    });
    let waste = "let few = quot(n, 8i64) let some = iota(few)
        let waste = map (some) |i: i64| {
            let s = reduce (x) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
            return s }";
    assert!(dear.cheap(Mode::Reverse, |_| Ok(wasteful("let waste = add(n, 1i64)"))).is_ok());
    let violation = dear.cheap(Mode::Reverse, |_| Ok(wasteful(waste))).unwrap_err();
    assert!(violation.law.starts_with("operations"), "{violation}");
}

/// The law, of random programs, most of which are families.
#[test]
fn derivatives_of_random_programs_grow_as_they_do() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let mut source = Gen::from_size_and_seed(12, setting("CATADIFF_LAWS_SEED").unwrap_or(0));
    let wanted = setting("QUICKCHECK_TESTS").map_or(20, |cases| cases / 12);
    let drawn = core::iter::repeat_with(|| ArrayProgram::arbitrary(&mut source)).take(3 * wanted as usize);
    let asked = drawn.filter(|program| random(&Lanes, program).unwrap_or_else(|violation| panic!("{violation}")));
    let asked = asked.take(wanted as usize).count();
    assert_eq!(asked, wanted as usize, "families that are short enough, of three times as many");
}

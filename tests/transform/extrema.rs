//! Extrema and where they are, in one reduction: they are those that two reductions find.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::interpret::Value;

/// Numbers that are equal, of both signs of zero, of no size, and none.
const NUMBERS: [f64; 9] = [2.0, -0.0, 0.0, -1.0, 7.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The bits of results: zeros have signs, and NaN is itself.
fn bits(results: &[Value<f64>]) -> Vec<Vec<u64>> {
    let number = |x: &catadiff::interpret::Scalar<f64>| match x {
        catadiff::interpret::Scalar::F64(x) if x.is_nan() => u64::MAX,
        catadiff::interpret::Scalar::F64(x) => x.to_bits(),
        other => format!("{other}").bytes().fold(0, |bits, byte| bits << 8 | u64::from(byte)),
    };
    results.iter().map(|result| result.elements().iter().map(number).collect()).collect()
}

/// The gradient of a sum of extrema, two reductions of each row.
fn gradient(of: fn(Arr<F64>) -> F64) -> Result<Program> {
    let program = Program::trace(|rows: Arr<Arr<F64>>| rows.map(|row| of(row.map(|x| x * 0.5))).sum())?;
    Ok(program.vjp()?.simplified())
}

#[test]
fn one_reduction_finds_what_two_find() -> Result<()> {
    for of in [|row: Arr<F64>| row.min(), |row: Arr<F64>| row.max()] {
        let two = gradient(of)?;
        let one = two.extrema_with_places().expect("an extremum with its place");
        one.verify().expect("it is well formed");
        assert!(one.to_string().matches("reduce").count() < two.to_string().matches("reduce").count(), "{one}");
        assert!(one.extrema_with_places().is_none(), "it is done once");
        // All rows of four of the numbers.
        let n = NUMBERS.len();
        for first in 0..n {
            let row = |k: usize| [first, k / (n * n), k / n % n, k % n].map(|at| NUMBERS[at]).to_vec();
            let rows = Value::new((0..n * n * n).map(row).collect::<Vec<_>>())?;
            let arguments = [rows, 1.0.into()];
            assert_eq!(bits(&one.run(&arguments)?), bits(&two.run(&arguments)?), "{first}");
        }
        let arguments = [Value::new(vec![Vec::<f64>::new(); 3])?, 1.0.into()];
        assert_eq!(one.run(&arguments).map(|all| bits(&all)), two.run(&arguments).map(|all| bits(&all)));
    }
    Ok(())
}

#[test]
fn what_is_asked_for_in_between_stays_as_it_is() -> Result<()> {
    let text = |between: &str, after: &str| {
        format!(
            "program (xs: []f64) {{
                let least: f64 = reduce commutative (xs) from (f64.inf) |x: f64, y: f64| {{
                    let z: f64 = min(x, y)
                    return z
                }}
                let n: i64 = size[0](xs)
                let places: []i64 = iota(n)
                {between}
                let equal: []i64 = map (xs, places) |x: f64, k: i64| {{
                    let is_least: bool = eq(x, least)
                    let found: i64 = if is_least {{ return k }} else {{ return 9223372036854775807i64 }}
                    return found
                }}
                let place: i64 = reduce commutative (equal) from (9223372036854775807i64) |x: i64, y: i64| {{
                    let z: i64 = min(x, y)
                    return z
                }}
                return least, place{after}
            }}"
        )
    };
    let is_one =
        |between: &str, after: &str| Result::Ok(Program::parse(&text(between, after))?.extrema_with_places().is_some());
    assert!(is_one("", "")?);
    assert!(is_one("let twice: []f64 = map (xs) |x: f64| { let y: f64 = add(x, x) return y }", ", twice")?);
    assert!(!is_one("let more: f64 = add(least, 1.0f64)", ", more")?);
    assert!(!is_one("let more: []f64 = map (xs) |x: f64| { let y: f64 = add(x, least) return y }", ", more")?);
    assert!(!is_one("", ", equal")?);
    Ok(())
}

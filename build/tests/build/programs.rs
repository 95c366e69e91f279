//! Kinds of programs, with what arguments and results they have: all that a signature can be, on random arguments.

use catadiff::array::trace::{Arr, F64};
use catadiff::array::{Const, Prim, Program};
use catadiff::interpret::{Scalar, Value};
use catadiff_build::{Function, Module};

use crate::harness::{PLAIN, WATCHED, call, is_near, ran};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A value of this kind and these sizes; integers are small, reals are multiples of 1/8 near 0.
    fn value(&mut self, prim: Prim, sizes: &[usize]) -> Value<f64> {
        let mut scalar = || {
            let n = i128::from(self.next() % 64);
            let constant = match prim {
                Prim::Bool => Const::Bool(n % 2 == 0),
                prim if prim.is_real() => Const::rounded((n - 32) as f64 / 8.0, prim),
                prim if prim.is_signed() => Const::wrapped(n - 32, prim),
                prim => Const::wrapped(n, prim),
            };
            Scalar::constant(constant, |x| x)
        };
        let elements: Vec<Scalar<f64>> = (0..sizes.iter().product()).map(|_| scalar()).collect();
        match sizes {
            [] => Value::Scalar(elements.first().copied().unwrap_or_else(scalar)),
            _ => Value::array(sizes, elements).expect("sizes are those of the elements"),
        }
    }
}

/// A name, a program, and the sizes of its arguments, several times.
struct Case(&'static str, Program, &'static [&'static [&'static [usize]]]);

fn parsed(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A program that does this to each element of a vector.
fn mapped(kind: &str, operation: &str) -> Program {
    parsed(&format!(
        "program (xs: []{kind}) {{ let ys = map (xs) |x: {kind}| {{ let y = {operation} return y }} return ys }}"
    ))
}

fn cost() -> Program {
    Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })
    .expect("it is a program")
}

fn cases() -> Vec<Case> {
    let vectors: &[&[&[usize]]] = &[&[&[37]], &[&[1]], &[&[0]]];
    let pairs: &[&[&[usize]]] = &[&[&[37, 3], &[5, 3]], &[&[2, 1], &[7, 1]]];
    let mut all = vec![
        Case(
            "scalars",
            parsed(
                "program (x: f64, n: i64, b: bool, s: f32, c: u8) {
                let y = mul(x, x) let m = add(n, 1i64) let not_b = not(b) let t = add(s, s) let d = add(c, 3u8)
                return y, m, not_b, t, d
            }",
            ),
            &[&[&[], &[], &[], &[], &[]]],
        ),
        Case("nothing", parsed("program () { let xs = iota(3i64) return xs, 1.5f64 }"), &[&[]]),
        Case(
            "dot",
            Program::trace_named(&["x", "y"], |x: Arr<F64>, y: Arr<F64>| x.dot(y)).unwrap(),
            &[&[&[101], &[101]], &[&[0], &[0]]],
        ),
        Case("cost", cost(), pairs),
        Case("cost_gradient", cost().value_and_grad("centres").unwrap(), pairs),
        Case("cost_hvp", cost().hvp("centres").unwrap(), &[&[&[9, 2], &[4, 2], &[4, 2]]]),
        Case("cost_hessian", cost().hessian("centres").unwrap(), &[&[&[9, 2], &[4, 2]]]),
        Case("cost_jvp", cost().jvp_wrt("points").unwrap(), &[&[&[9, 2], &[4, 2], &[9, 2]]]),
        Case("cost_vjp", cost().vjp_wrt("points").unwrap(), &[&[&[9, 2], &[4, 2], &[]]]),
        Case(
            "cubes",
            parsed(
                "program (xs: [][][]f32, by: f32) {
                let ys = map (xs) |rows: [][]f32| {
                    let ys = map (rows) |row: []f32| {
                        let ys = map (row) |x: f32| { let y = mul(x, by) return y }
                        return ys
                    }
                    return ys
                }
                return ys
            }",
            ),
            &[&[&[3, 4, 5], &[]], &[&[2, 0, 5], &[]]],
        ),
        Case(
            "up_to_largest",
            parsed(
                "program (xs: []i64) {
                let n = reduce (xs) from (0i64) |a: i64, b: i64| { let c = max(a, b) return c }
                let m = max(n, 0i64)
                let all = iota(m)
                return all
            }",
            ),
            vectors,
        ),
        Case("negated", mapped("bool", "not(x)"), vectors),
        Case(
            "below",
            parsed(
                "program (xs: [][]f64, by: f16) {
                let c = f64(by)
                let half = mul(by, by)
                let ys = map (xs) |row: []f64| {
                    let ys = map (row) |x: f64| { let y = lt(x, c) return y }
                    return ys
                }
                return half, ys
            }",
            ),
            &[&[&[4, 3], &[]], &[&[0, 3], &[]]],
        ),
        Case(
            "table",
            parsed(
                "program (xs: []i64) {
                let n = reduce (xs) from (1i64) |a: i64, b: i64| { let c = max(a, b) return c }
                let m = max(n, 0i64)
                let row = iota(m)
                let rows = replicate(m, row)
                let count = mul(m, m)
                let flat = reshape(rows, count)
                return rows, flat
            }",
            ),
            vectors,
        ),
        Case(
            "constants",
            parsed(
                "program (x: f64) { let c = [1.0f64, 2.0f64, 3.0f64] let ys = map (c) |y: f64| { let z = mul(x, y) return z } return ys }",
            ),
            &[&[&[]]],
        ),
    ];
    let kinds = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    let one = |kind: &&'static str| Case(kind, mapped(kind, &format!("add(x, 3{kind})")), vectors);
    all.extend(
        kinds
            .iter()
            .map(one)
            .map(|Case(kind, program, at)| Case(Box::leak(format!("of_{kind}").into_boxed_str()), program, at)),
    );
    all.push(Case("of_f16", mapped("f16", "mul(x, x)"), vectors));
    all
}

#[test]
fn results_are_those_of_the_interpreter() {
    let mut random = Random(7);
    let mut module = Module::new("m");
    let mut main = "fn main() -> Result<(), m::Error> {\n".to_owned();
    let mut expected = Vec::new();
    for Case(name, program, sizes) in &cases() {
        module = module.function(*name, program);
        for sizes in *sizes {
            let params = program.function().params.iter().zip(*sizes);
            let arguments: Vec<Value<f64>> =
                params.map(|(var, sizes)| random.value(program.type_of(*var).prim, sizes)).collect();
            main.push_str(&call(name, program, &arguments));
            let results = program.run(&arguments).unwrap_or_else(|error| panic!("{name}: {error}"));
            expected.extend(results.into_iter().map(|result| (*name, result)));
        }
    }
    main.push_str("    Ok(())\n}\n");
    let mut runs = 0;
    for how in [PLAIN, WATCHED] {
        let Some(printed) = ran("programs", &module, &main, how) else { continue };
        assert_eq!(printed.lines().count(), expected.len());
        printed.lines().zip(&expected).for_each(|(line, (name, result))| is_near(line, result, name));
        runs += 1;
    }
    assert!(runs > 0, "there is a C compiler");
}

#[test]
fn wrong_arguments_are_errors_that_say_what_is_wrong() {
    let filled = parsed(
        "program (n: i64, m: i64) {
        let row = replicate(n, 1.0f64)
        let rows = replicate(m, row)
        let sums = map (rows) |row: []f64| {
            let s = reduce (row) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
            return s
        }
        return rows, sums
    }",
    );
    let picked = parsed("program (xs: []f64, k: i64) { let x = xs[k] return x }");
    let divided = parsed("program (a: i64, b: i64) { let c = quot(a, b) return c }");
    let dot = Program::trace_named(&["x", "y"], |x: Arr<F64>, y: Arr<F64>| x.dot(y)).unwrap();
    let module = Module::new("m")
        .function("filled", filled)
        .function("picked", picked)
        .function("divided", divided)
        .function("dot", &dot)
        .function("dot_gradient", Function::from(&dot).grad("x").unwrap())
        .function("halves", mapped("f16", "mul(x, x)"));
    let main = "
fn main() -> Result<(), m::Error> {
    println!(\"{}\", m::dot(&[1.0, 2.0], &[1.0]).unwrap_err());
    println!(\"{}\", m::dot_gradient(&[1.0, 2.0], &[1.0]).unwrap_err());
    println!(\"{}\", m::picked(&[1.0, 2.0], 2).unwrap_err());
    println!(\"{}\", m::picked(&[1.0, 2.0], i64::MIN).unwrap_err());
    println!(\"{}\", m::divided(1, 0).unwrap_err());
    println!(\"{}\", m::filled(-1, 2).unwrap_err());
    println!(\"{}\", m::filled(1 << 61, 1).unwrap_err());
    println!(\"{}\", m::filled(1 << 32, 1 << 32).unwrap_err());
    println!(\"{}\", m::filled(i64::MAX, i64::MAX).unwrap_err());
    println!(\"{}\", m::halves(&[0.5, f64::NAN, 65504.0, 5.960464477539063e-8, 1.0009765625, 0.1]).unwrap_err());
    println!(\"{}\", m::View::new(&[1.0, 2.0], [3, 1]).unwrap_err());
    println!(\"{}\", m::View::new(&[1.0, 2.0], [usize::MAX, 0, 4]).unwrap_err());
    let error: Box<dyn std::error::Error> = Box::new(m::halves(&[65505.0]).unwrap_err());
    println!(\"{error}\");
    let (rows, sums) = m::filled(3, 2)?;
    assert_eq!((rows.sizes(), rows[[1, 2]], &sums[..]), ([2, 3], 1.0, &[3.0, 3.0][..]));
    // Memory that was too large is kept, and its results are not.
    let (mut rows, mut sums, mut workspace) = (m::Array::default(), Vec::new(), m::Workspace::new());
    for (n, m) in [(30, 20), (2, 2), (0, 3), (5, 40)] {
        m::filled_into(n, m, &mut rows, &mut sums, &mut workspace)?;
        assert_eq!(rows.sizes(), [m as usize, n as usize]);
        assert_eq!(sums, vec![n as f64; m as usize]);
    }
    m::filled_into(-1, 2, &mut rows, &mut sums, &mut workspace).unwrap_err();
    assert!(workspace.bytes() > 0);
    let rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    assert_eq!((m::View::from(&rows).sizes(), m::View::from(&rows[1..]).elements()), ([3, 2], &[3.0, 4.0, 5.0, 6.0][..]));
    Ok(())
}
";
    let no_results = |name: &str| {
        format!(
            "`{name}` has no results for these arguments: sizes do not fit, an index is in no array, or an integer is divided by 0"
        )
    };
    let expected = [
        "`dot`: the lengths of mapped arrays must agree, and `x.len()` is 2, `y.len()` is 1".to_owned(),
        "`dot_gradient`: the lengths of mapped arrays must agree, and `x.len()` is 2, `y.len()` is 1".to_owned(),
        no_results("picked"),
        no_results("picked"),
        no_results("divided"),
        no_results("filled"),
        "`filled`: there is not enough memory".to_owned(),
        "`filled`: there is not enough memory".to_owned(),
        "`filled`: there is not enough memory".to_owned(),
        "`halves`: element 5 of `xs` is no number of half precision".to_owned(),
        "an array of the sizes [3, 1] cannot have 2 elements".to_owned(),
        format!("an array of the sizes [{}, 0, 4] cannot have 2 elements", usize::MAX),
        "`halves`: element 0 of `xs` is no number of half precision".to_owned(),
    ];
    let printed = ran("wrong_arguments", &module, main, PLAIN).expect("there is a C compiler");
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    // Sanitizers stop at what asks for too much memory.
    let watched: String = main
        .lines()
        .filter(|line| !line.contains("<< 61") && !line.contains("<< 32") && !line.contains("MAX, i64"))
        .map(|line| format!("{line}\n"))
        .collect();
    if let Some(printed) = ran("wrong_arguments", &module, &watched, WATCHED) {
        assert_eq!(printed.lines().count(), expected.len() - 3);
    }
}

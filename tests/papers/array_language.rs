//! "Reverse AD for a functional array language with nested parallelism", the slides: their examples, as programs.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::carriers::{Counted, Counter};
use catadiff::interpret::{FromValues, Value};
use catadiff_laws::{Verdict, array_tape};

fn parse(text: &str) -> Program {
    Program::parse(text).unwrap()
}

/// The results of `vjp`, which are those of the program and then the adjoints of its real parameters.
fn pulled<R: FromValues>(text: &str, arguments: &[Value<f64>], adjoints: &[Value<f64>]) -> R {
    let found = parse(text).vjp_wrt(..).unwrap().run(&[arguments, adjoints].concat()).unwrap();
    R::from_values(found).unwrap()
}

fn operations(program: &Program, arguments: &[Value<f64>]) -> u64 {
    let counter = Counter::new();
    let counted: Vec<Value<Counted<'_, f64>>> = arguments.iter().map(|v| v.map(|x| counter.number(*x))).collect();
    program.run(&counted).unwrap();
    counter.total()
}

fn shown(values: &[Value<f64>]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Tables 2 and 3 of the survey that the slides show: ln x₁ + x₁ x₂ − sin x₂ at (2, 5).
#[test]
fn the_running_example() -> Result<()> {
    let text = "program (x1: f64, x2: f64) {
      let l = ln(x1) let p = mul(x1, x2) let s = sin(x2) let a = add(l, p) let y = sub(a, s) return y
    }";
    let (y, tangent): (f64, f64) = parse(text).jvp()?.at((2.0, 5.0, 1.0, 0.0))?;
    assert!((y - 11.652).abs() < 5e-4 && tangent == 5.5);
    let (_, x1, x2): (f64, f64, f64) = pulled(text, &[2.0.into(), 5.0.into()], &[1.0.into()]);
    assert!(x1 == 5.5 && (x2 - 1.716).abs() < 5e-4, "{x1}, {x2}");
    Ok(())
}

/// An implementation of 4 x that is not differentiable where x = 1, and has the derivative 0 there.
#[test]
fn what_is_differentiated_is_the_program() {
    let text = "program (x: f64) {
      let one = eq(x, 1.0f64)
      let y = if one { return 4.0f64 } else { let y = mul(4.0f64, x) return y }
      return y
    }";
    assert_eq!(pulled::<(f64, f64)>(text, &[1.0.into()], &[1.0.into()]), (4.0, 0.0));
    assert_eq!(pulled::<(f64, f64)>(text, &[2.0.into()], &[1.0.into()]), (8.0, 4.0));
}

/// A perfect nest is not executed again: n for the values, n products and n sums for 2·a·x̄.
#[test]
fn perfect_nests_pay_nothing() -> Result<()> {
    let nest = parse(
        "program (cs: []bool, ass: [][]f64) {
           let xss = map (cs, ass) |c: bool, as: []f64| {
             let xs = if c {
               let xs = map (as) |a: f64| { let x = neg(a) return x }
               return xs
             } else {
               let xs = map (as) |a: f64| { let x = mul(a, a) return x }
               return xs
             }
             return xs
           }
           return xss
         }",
    );
    let (rows, columns) = (6, 7);
    let elements = Value::reals(&[rows, columns], (0..rows * columns).map(|i| i as f64))?;
    let arguments = [Value::new(vec![false; rows])?, elements];
    let n = (rows * columns) as u64;
    assert_eq!(operations(&nest, &arguments), n);
    let seeded = [&arguments[..], &[Value::reals(&[rows, columns], vec![1.0; rows * columns])?]].concat();
    assert_eq!(operations(&nest.vjp_wrt(..)?, &seeded), 3 * n);
    Ok(())
}

/// The "crazy" map, which reads elements of four arrays that nobody knows beforehand, against the tape.
#[test]
fn the_general_case_of_map() -> Verdict {
    let crazy = parse(
        "program (as: []f64, bs: []f64, cs: []f64, ds: []f64, keys: []i64, inds: []i64, counts: []i64) {
           let ys = map (keys, inds, counts) |key: i64, ind: i64, n: i64| {
             let y = loop (x = 1.0f64) for i < n {
               let t = add(key, i)
               let p = mod(t, 4i64)
               let p1 = eq(p, 0i64) let p2 = eq(p, 1i64) let p3 = eq(p, 2i64)
               let y = if p1 {
                 let k = add(ind, i) let a = as[k] let y = mul(x, a) return y
               } else {
                 let y = if p2 {
                   let d = mul(2i64, ind) let k = add(d, i) let b = bs[k] let y = add(x, b) return y
                 } else {
                   let y = if p3 {
                     let d = mul(3i64, ind) let k = sub(d, i) let c = cs[k] let s = sin(c) let y = add(x, s) return y
                   } else {
                     let f = mul(4i64, ind) let d = mul(2i64, i) let k = sub(f, d) let e = ds[k]
                     let y = mul(x, e) return y
                   }
                   return y
                 }
                 return y
               }
               return y
             }
             return y
           }
           return ys
         }",
    );
    let array = |shift: f64| Value::reals(&[24], (0..24).map(|i| (f64::from(i) * 1.3 + shift).sin())).unwrap();
    let integers = |x: [i64; 5]| Value::new(x).unwrap();
    let arguments = [
        [0.0, 1.0, 2.0, 3.0].map(array).to_vec(),
        vec![integers([3, 0, 1, 2, 7]), integers([5, 4, 4, 5, 3]), integers([6, 5, 0, 4, 3])],
    ];
    array_tape::at(&crazy, &arguments.concat())
}

/// The slide's scatter: of values, what went where they are; of the array, what they did not cover.
#[test]
fn scatter() -> Result<()> {
    let text = "program (xs: []f64, is: []i64, vs: []f64) { let ys = scatter(xs, is, vs) return ys }";
    let xs = Value::new([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])?;
    let arguments = [xs, Value::new([2_i64, 4, 1, -1])?, Value::new([10.0, 11.0, 12.0, 13.0])?];
    let adjoint = Value::new([100.0, 101.0, 102.0, 103.0, 104.0, 105.0])?;
    let found: (Vec<f64>, Vec<f64>, Vec<f64>) = pulled(text, &arguments, &[adjoint]);
    assert_eq!(found.0, [0.0, 12.0, 10.0, 3.0, 11.0, 5.0]);
    assert_eq!(found.1, [100.0, 0.0, 0.0, 103.0, 0.0, 105.0]);
    assert_eq!(found.2, [102.0, 104.0, 101.0, 0.0]);
    Ok(())
}

/// The special cases of reduce: sums, the first extremum, products by how many zeros there are; also to second order,
/// where a rule that counts zeros is wrong.
#[test]
fn special_cases_of_reduce() -> Result<()> {
    let reduce = |op: &str, neutral: &str| {
        format!(
            "program (xs: []f64) {{
               let y = reduce (xs) from ({neutral}) |a: f64, b: f64| {{ let c = {op}(a, b) return c }}
               return y
             }}"
        )
    };
    let gradient =
        |op: &str, neutral: &str, xs: [f64; 3]| -> Result<Vec<f64>> { parse(&reduce(op, neutral)).grad(..)?.at(xs) };
    assert_eq!(gradient("add", "0.0f64", [2.0, 3.0, 4.0])?, [1.0, 1.0, 1.0]);
    assert_eq!(gradient("max", "-f64.inf", [2.0, 5.0, 5.0])?, [0.0, 1.0, 0.0]);
    assert_eq!(gradient("min", "f64.inf", [2.0, 1.0, 1.0])?, [0.0, 1.0, 0.0]);
    assert_eq!(gradient("mul", "1.0f64", [2.0, 3.0, 4.0])?, [12.0, 8.0, 6.0]);
    assert_eq!(gradient("mul", "1.0f64", [2.0, 0.0, 4.0])?, [0.0, 8.0, 0.0]);
    assert_eq!(gradient("mul", "1.0f64", [0.0, 0.0, 4.0])?, [0.0, 0.0, 0.0]);
    let hessian: Vec<Vec<f64>> = parse(&reduce("mul", "1.0f64")).hessian(..)?.at([0.0, 0.0, 4.0])?;
    assert_eq!(hessian, [[0.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]]);
    Ok(())
}

/// Reduce by index, special and general: bins are the first operands.
#[test]
fn reduce_by_index() -> Result<()> {
    let hist = |body: &str, neutral: &str| {
        format!(
            "program (bins: []f64, is: []i64, xs: []f64) {{
               let ys = hist (bins) at is (xs) from ({neutral}) |a: f64, b: f64| {{ {body} return c }}
               return ys
             }}"
        )
    };
    let arguments = [Value::new([2.0, 3.0])?, Value::new([0_i64, 1, 0, 5])?, Value::new([5.0, 7.0, 0.0, 9.0])?];
    let found = |body: &str, neutral: &str| -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        pulled(&hist(body, neutral), &arguments, &[Value::new([1.0, 10.0]).unwrap()])
    };
    let sum = found("let c = add(a, b)", "0.0f64");
    assert_eq!(sum, (vec![7.0, 10.0], vec![1.0, 10.0], vec![1.0, 10.0, 1.0, 0.0]));
    let product = found("let c = mul(a, b)", "1.0f64");
    assert_eq!(product, (vec![0.0, 21.0], vec![0.0, 70.0], vec![0.0, 30.0, 10.0, 0.0]));
    // a + b + a b, which is (1 + a)(1 + b) − 1.
    let general = found("let s = add(a, b) let p = mul(a, b) let c = add(s, p)", "0.0f64");
    assert_eq!(general, (vec![17.0, 31.0], vec![6.0, 80.0], vec![3.0, 40.0, 18.0, 0.0]));
    Ok(())
}

/// The case study: the Hessian of the cost is diagonal, with 2·nᵢ for the i-th centre, and so one `jvp` gives it whole.
#[test]
fn the_hessian_of_k_means() -> Result<()> {
    let cost = parse(
        "program (points: [][]f64, centres: [][]f64) {
           let nearest = map (points) |p: []f64| {
             let all = map (centres) |c: []f64| {
               let squares = map (p, c) |x: f64, y: f64| { let d = sub(x, y) let s = mul(d, d) return s }
               let sum = reduce (squares) from (0.0f64) |a: f64, b: f64| { let s = add(a, b) return s }
               return sum
             }
             let least = reduce (all) from (f64.inf) |a: f64, b: f64| { let m = min(a, b) return m }
             return least
           }
           let cost = reduce (nearest) from (0.0f64) |a: f64, b: f64| { let s = add(a, b) return s }
           return cost
         }",
    );
    let (points, centres) = ([[0.0, 0.0], [1.0, 0.0], [8.0, 8.0], [9.0, 7.0], [8.0, 9.0]], [[0.0, 1.0], [9.0, 9.0]]);
    let newton = cost.grad("centres")?.jvp_wrt("centres")?;
    let (_, diagonal): (Vec<Vec<f64>>, Vec<Vec<f64>>) = newton.at((points, centres, [[1.0; 2]; 2]))?;
    assert_eq!(diagonal, [[2.0 * 2.0; 2], [2.0 * 3.0; 2]]);
    let hessian = cost.hessian("centres")?.run(&[Value::new(points)?, Value::new(centres)?])?;
    let expected = "[[[[4, 0], [0, 0]], [[0, 4], [0, 0]]], [[[0, 0], [6, 0]], [[0, 0], [0, 6]]]]";
    assert_eq!(shown(&hessian), expected);
    Ok(())
}

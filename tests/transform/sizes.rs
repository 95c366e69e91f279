//! Sizes that do not agree are errors of derivatives too, also where no result depends on them; those that do agree are known to.

use catadiff::array::trace::{Arr, F64};
use catadiff::array::{Policy, Program};
use catadiff::interpret::Value;
use catadiff::{Error, Result};
use catadiff_laws::{ArrayProgram, Verdict, array_sizes, for_all};

#[test]
fn seeds_of_random_programs() -> Verdict {
    for_all(|p: ArrayProgram| array_sizes::seeds_fit(&p))
}

#[test]
fn of_random_programs_are_found_by_their_runs() -> Verdict {
    for_all(|p: ArrayProgram| array_sizes::sizes_hold(&p.program(), &p.arguments()))
}

fn reals(n: usize) -> Value<f64> {
    Value::reals(&[n], (0..n).map(|k| k as f64 + 1.0)).expect("as many as said")
}

fn matrix(rows: usize, columns: usize) -> Value<f64> {
    Value::reals(&[rows, columns], (0..rows * columns).map(|k| k as f64)).expect("as many as said")
}

/// Interpreted and compiled, before and after it is simplified once more, the program tells these sizes.
fn wrong(program: &Program, arguments: &[Value<f64>], sizes: [usize; 2]) -> Result<()> {
    for program in [program, &program.simplified(), &Program::parse(&program.to_string())?] {
        for found in [program.run(arguments), program.compile()?.run(arguments)] {
            match found {
                Err(Error::Sizes { first, second, .. }) if [first, second] == sizes || [second, first] == sizes => {}
                other => panic!("{other:?} instead of an error about {sizes:?} of\n{program}"),
            }
        }
    }
    Ok(())
}

/// It runs, interpreted and compiled.
fn right(program: &Program, arguments: &[Value<f64>]) -> Result<()> {
    assert_eq!(program.run(arguments)?, program.compile()?.run(arguments)?);
    Ok(())
}

#[test]
fn what_no_derivative_needs() -> Result<()> {
    let line = line!() + 1;
    let f = Program::trace(|x: Arr<F64>, y: Arr<F64>| (x + y).sum())?;
    let (x, y, x_and_y) = (reals(2), reals(3), [reals(2), reals(3)]);
    wrong(&f, &x_and_y, [2, 3])?;
    for derivative in [f.grad(..)?, f.grad(0)?, f.hessian(..)?, f.jacobian(..)?, f.jacfwd(1)?] {
        wrong(&derivative, &x_and_y, [2, 3])?;
        right(&derivative, &[reals(3), reals(3)])?;
    }
    wrong(&f.hvp(..)?, &[x.clone(), y.clone(), x.clone(), y.clone()], [2, 3])?;
    wrong(&f.vjp()?, &[x.clone(), y.clone(), 1.0.into()], [2, 3])?;
    wrong(&f.vjp()?.only(&[2])?, &[x.clone(), y.clone(), 1.0.into()], [2, 3])?;
    wrong(&f.jvp()?, &[x.clone(), y.clone(), x, y], [2, 3])?;
    let message = f.grad(..)?.run(&x_and_y).unwrap_err().to_string();
    let file = file!();
    let expected = format!(
        "the lengths of mapped arrays must agree, and are 2 and 3\n  at {file}:{line}:55\n  \
         in: let () = agree mapped (size[0](x0)) = (size[0](x1))"
    );
    assert_eq!(message, expected);
    Ok(())
}

#[test]
fn inside_of_maps_once_outside() -> Result<()> {
    // What is compared for each row is compared once, and not at all if there is no row.
    let f = Program::trace(|m: Arr<Arr<F64>>, y: Arr<F64>| m.map(|row| (row + y).sum()).sum())?;
    let gradient = f.grad(..)?;
    assert!(gradient.to_string().contains("let () = agree mapped (size[1](x0)) = (size[0](x1)) times (size[0](x0))"));
    wrong(&gradient, &[matrix(2, 3), reals(4)], [3, 4])?;
    right(&gradient, &[matrix(2, 3), reals(3)])?;
    right(&gradient, &[matrix(0, 3), reals(4)])
}

#[test]
fn seeds() -> Result<()> {
    let sum = Program::trace(|x: Arr<F64>| x.sum())?;
    wrong(&sum.jvp()?, &[reals(3), reals(1)], [3, 1])?;
    let error = sum.jvp()?.run(&[reals(3), reals(1)]).unwrap_err().to_string();
    let expected = "the sizes of a value and of its tangent must agree, and are 3 and 1\n  \
                    in: let () = agree tangent (size[0](x0)) = (size[0](tangent_x0))";
    assert_eq!(error, expected);
    let first = Program::trace(|x: Arr<F64>, _: Arr<Arr<F64>>| x.sum())?;
    wrong(&first.jvp()?, &[reals(3), matrix(2, 3), reals(3), matrix(3, 2)], [2, 3])?;

    let scan = Program::trace(|x: Arr<F64>| x.scan(0.0, |a, b| a + b))?;
    wrong(&scan.vjp()?, &[reals(4), reals(3)], [4, 3])?;
    wrong(&scan.vjp()?.jvp()?, &[reals(4), reals(4), reals(4), reals(3)], [4, 3])?;
    let reverse = Program::trace(|x: Arr<F64>| x.reverse())?;
    wrong(&reverse.vjp()?, &[reals(4), reals(5)], [4, 5])?;
    let with = Program::trace(|x: Arr<F64>, y: F64| x.with(0, y))?;
    wrong(&with.vjp()?, &[reals(4), 1.0.into(), reals(5)], [4, 5])?;
    let concat = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.concat(y))?;
    wrong(&concat.vjp()?, &[reals(2), reals(2), reals(5)], [4, 5])?;
    right(&concat.vjp()?, &[reals(2), reals(3), reals(5)])?;
    let copies = Program::parse("program (n: i64, x: f64) { let xs = replicate(n, x) return xs }")?;
    wrong(&copies.vjp()?, &[2_i64.into(), 1.0.into(), reals(3)], [2, 3])?;
    let one_side = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.map2(y, |x, _| x * x))?;
    wrong(&one_side.grad_of_sum()?, &[reals(2), reals(3)], [2, 3])?;
    wrong(&one_side.vjp()?, &[reals(2), reals(2), reals(3)], [2, 3])
}

/// The gradient of the sum of what a program gives.
trait OfSum {
    fn grad_of_sum(&self) -> Result<Program>;
}

impl OfSum for Program {
    fn grad_of_sum(&self) -> Result<Program> {
        let text = self.to_string();
        let (body, result) = text.trim_end().trim_end_matches('}').rsplit_once("return ").expect("it has a result");
        let sum = "reduce (RESULT) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }";
        let sum = sum.replace("RESULT", result.trim());
        Program::parse(&format!("{body} let total = {sum} return total }}"))?.grad(..)
    }
}

#[test]
fn batches_of_seeds() -> Result<()> {
    let sum = Program::trace(|x: Arr<F64>| x.sum())?;
    wrong(&sum.jmp()?, &[reals(3), matrix(2, 4)], [3, 4])?;
    right(&sum.jmp()?, &[reals(3), matrix(2, 3)])?;
    let many = sum.jvp()?.vmap(&[true, true])?;
    wrong(&many, &[matrix(2, 3), matrix(2, 4)], [3, 4])?;
    wrong(&many, &[matrix(2, 3), matrix(1, 3)], [2, 1])?;
    wrong(&many.vjp()?, &[matrix(2, 3), matrix(2, 4), reals(2), reals(2)], [3, 4])
}

#[test]
fn pullbacks_of_ones_own() -> Result<()> {
    let f = Program::parse(
        "program (x: []f64) {
           let y = custom (x) |x: []f64| {
             let s = reduce (x) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
             return s
           } pullback |x: []f64, y: f64, s: f64| { let t = replicate(3i64, s) return t }
           return y
         }",
    )?;
    right(&f.grad(..)?, &[reals(3)])?;
    wrong(&f.grad(..)?, &[reals(2)], [2, 3])?;
    wrong(&f.vjp()?, &[reals(4), 1.0.into()], [4, 3])?;
    wrong(&f.jvp()?, &[reals(4), reals(4)], [4, 3])?;
    right(&f.jvp()?, &[reals(3), reals(3)])
}

#[test]
fn loops_that_change_sizes() -> Result<()> {
    // Doubled in one iteration, and halved in the next.
    let f = Program::parse(
        "program (x: []f64) {
           let n = size[0](x)
           let y = loop (y: []f64 = x) for i < 2i64 {
             let odd = mod(i, 2i64)
             let first = eq(odd, 0i64)
             let z = if first { let long = concat(y, y) return long } else {
               let short = slice y[0i64 : n : 1i64] return short
             }
             return z
           }
           let s = reduce (y) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           return s
         }",
    )?;
    right(&f, &[reals(3)])?;
    for policy in [Policy::KeepAll, Policy::StripMine(2)] {
        let gradient = f.with_policy(policy).grad(..)?;
        let ones = vec![Value::reals(&[3], [1.0; 3])?];
        assert_eq!(gradient.run(&[reals(3)])?, ones);
        assert_eq!(gradient.compile()?.run(&[reals(3)])?, ones);
    }
    Ok(())
}

#[test]
fn inside_of_control() -> Result<()> {
    // In a branch that is taken; in a loop that asks; where rows differ.
    let branch = Program::parse(
        "program (x: []f64, y: []f64, b: bool) {
           let s = if b {
             let z = map (x, y) |x: f64, y: f64| { let z = add(x, y) return z }
             let s = reduce (z) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
             return s
           } else { return 0.0f64 }
           return s
         }",
    )?;
    let gradient = branch.grad("x")?;
    wrong(&gradient, &[reals(2), reals(3), true.into()], [2, 3])?;
    right(&gradient, &[reals(2), reals(3), false.into()])?;
    let rows = Program::parse(
        "program (x: []f64, n: []i64) {
           let rows = map (n) |n: i64| { let row = iota(n) return row }
           let s = reduce (x) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           return s
         }",
    )?;
    let (even, uneven) = (Value::new([2_i64, 2])?, Value::new([2_i64, 3])?);
    // A map that gives what it is given compares what it has inside.
    let given = Program::parse(
        "program (n: []i64) {
           let m = map (n) |n: i64| {
             let a = iota(n) let b = iota(2i64) let c = map (a, b) |a: i64, b: i64| { return a } return n }
           return m
         }",
    )?;
    right(&given.simplified(), std::slice::from_ref(&even))?;
    wrong(&given.simplified(), std::slice::from_ref(&uneven), [2, 3])?;
    let gradient = rows.grad("x")?;
    right(&gradient, &[reals(2), even])?;
    wrong(&gradient, &[reals(2), uneven], [2, 3])
}

/// What is known to be equal is no more than what a program compares: of products their factors, and in any order.
#[test]
fn what_is_equal_makes_nothing_else_equal() -> Result<()> {
    let reshaped = |map: &str| {
        Program::parse(&format!(
            "program (x: []f64, p: i64, q: i64) {{
                let y = reshape(x, p, q) let k = iota(p) let n = size[0](x)
                let other = map ({map}) |a: {of}, b: {and}| {{ return a }}
                return n }}",
            of = if map.starts_with('x') { "f64" } else { "i64" },
            and = if map.starts_with('x') { "i64" } else { "f64" },
        ))
    };
    for map in ["x, k", "k, x"] {
        let program = reshaped(map)?.simplified();
        wrong(&program, &[reals(6), 2_i64.into(), 3_i64.into()], [6, 2])?;
        wrong(&program, &[reals(7), 2_i64.into(), 3_i64.into()], [7, 6])?;
        right(&program, &[reals(4), 4_i64.into(), 1_i64.into()])?;
    }
    // Three lengths that are the same, two by two.
    let three = Program::parse(
        "program (x: []f64, y: []f64, z: []f64) {
            let a = map (x, y) |a: f64, b: f64| { return a }
            let b = map (y, z) |a: f64, b: f64| { return a }
            let c = map (z, x) |a: f64, b: f64| { return a }
            let n = size[0](x) return n }",
    )?
    .simplified();
    assert_eq!(three.to_string().matches("agree").count(), 2, "{three}");
    wrong(&three, &[reals(2), reals(3), reals(2)], [2, 3])?;
    wrong(&three, &[reals(2), reals(2), reals(3)], [2, 3])?;
    let products = Program::parse(
        "program (n: i64, m: i64) {
            let a = mul(n, m) let b = mul(m, m) let c = mul(m, n)
            let ka = iota(a) let kb = iota(b) let kc = iota(c)
            let one = map (ka, kc) |x: i64, y: i64| { return x }
            let other = map (ka, kb) |x: i64, y: i64| { return x }
            return n }",
    )?
    .simplified();
    assert_eq!(products.to_string().matches("agree").count(), 1, "{products}");
    wrong(&products, &[2_i64.into(), 3_i64.into()], [6, 9])?;
    right(&products, &[3_i64.into(), 3_i64.into()])?;
    right(&products, &[7_i64.into(), 0_i64.into()])
}

/// What starts from a row of another length, and has no rows, has a derivative of no rows of their own length.
#[test]
fn sums_of_no_rows_from_rows_of_another_length() -> Result<()> {
    let operator = "|a: []f64, b: []f64| {
        let c = map (a, b) |x: f64, y: f64| { let z = add(x, y) return z } return c }";
    let reduce = Program::parse(&format!(
        "program (xs: [][]f64, n: i64) {{
            let e = replicate(n, 0.0f64) let s = reduce (xs) from (e) {operator} return s }}"
    ))?;
    let hist = Program::parse(&format!(
        "program (xs: [][]f64, is: []i64, bins: [][]f64) {{
            let n = size[1](bins) let e = replicate(n, 0.0f64) let s = hist (bins) at is (xs) from (e) {operator} return s }}"
    ))?;
    for columns in [3_i64, 4] {
        let arguments = [matrix(0, 3), columns.into()];
        assert_eq!(reduce.simplified().run(&arguments)?, reduce.run(&arguments)?);
    }
    let (reduce, hist) = (reduce.vjp()?, hist.vjp()?);
    for columns in [3_i64, 4] {
        let of_reduce = [matrix(0, 3), columns.into(), reals(columns as usize)];
        let bins = matrix(2, columns as usize);
        let of_hist = [matrix(0, 3), Value::array(&[0], Vec::new())?, bins.clone(), bins];
        for (derivative, arguments, position) in [(&reduce, &of_reduce[..], 1), (&hist, &of_hist[..], 1)] {
            right(derivative, arguments)?;
            assert_eq!(derivative.run(arguments)?[position].sizes(), [0, 3], "{derivative}");
        }
    }
    // Of rows, the sizes must be the same.
    let rows = [matrix(2, 3), 4_i64.into(), reals(4)];
    wrong(&reduce, &rows, [3, 4])
}

/// A start of other rows than the elements have, where the operator is first applied outside of the scan.
#[test]
fn starts_of_other_rows_are_errors_of_derivatives() -> Result<()> {
    for (operation, operator) in [
        ("scan (matrix) from (start)", "map (a, b) |s: f64, t: f64| { let u = add(s, x) let v = add(u, t) return v }"),
        ("scan commutative (matrix) from (start)", "map (a, b) |s: f64, t: f64| { let u = add(s, t) return u }"),
        (
            "reduce (matrix) from (start)",
            "map (a, b) |s: f64, t: f64| { let u = add(s, x) let v = add(u, t) return v }",
        ),
    ] {
        let program = Program::parse(&format!(
            "program (matrix: [][]f64, x: f64) {{
                let start = replicate(1i64, x)
                let all = {operation} |a: []f64, b: []f64| {{ let c = {operator} return c }}
                return all }}"
        ))?;
        for rows in 1..3 {
            let all = [matrix(rows, 2), 1.0.into()];
            assert!(matches!(program.run(&all), Err(Error::Sizes { .. })), "{program}");
            assert!(matches!(program.simplified().run(&all), Err(Error::Sizes { .. })), "{program}");
            let found = program.jvp()?.run(&[all.clone(), all].concat());
            assert!(matches!(found, Err(Error::Sizes { .. })), "{found:?}\n{}", program.jvp()?);
        }
    }
    Ok(())
}

/// What makes a statement simpler loses no comparison that it makes, also where it may not be executed or its sizes are known
/// only there: in a branch, in the body of a `while`, and beside sizes that a body computes.
#[test]
fn what_simpler_statements_compared_stays() -> Result<()> {
    // Each of them compares the sizes of `some`, which has `n` elements, and of `y`.
    let simpler = [
        "let all = map (some, y) |s: f64, t: f64| { let u = add(s, t) return u }",
        "let all = y with [] = some",
        "let all = map (some, y) |s: f64, t: f64| { return t }",
        "let zeros = map (some, y) |s: f64, t: f64| { return 0.0f64 }
         let sum = reduce (zeros) from (0.0f64) |s: f64, t: f64| { let u = add(s, t) return u }
         let all = y with [0i64] = sum",
        "let rows = [some, y] let all = rows[1i64]",
    ];
    for (simpler, place) in simpler.iter().flat_map(|simpler| (0..3).map(move |place| (simpler, place))) {
        let inside = match place {
            0 => format!(
                "let some = replicate(2i64, x) let b = lt(0.0f64, x)
                 let result = if b {{ {simpler} return all }} else {{ return y }} return result"
            ),
            1 => format!(
                "let some = replicate(2i64, x)
                 let i, result = loop (i: i64 = 0i64, z: []f64 = y) while {{ let b = lt(i, 1i64) return b }} {{
                     let j = add(i, 1i64) {simpler} return j, all }} return result"
            ),
            _ => format!(
                "let numbers = iota(1i64) let result = map (numbers) |i: i64| {{
                     let n = add(i, 2i64) let some = replicate(n, x) {simpler} let one = all[0i64] return one }} return result"
            ),
        };
        let program = Program::parse(&format!("program (x: f64, y: []f64) {{ {inside} }}"))?;
        for fits in [2, 3] {
            let arguments = [1.0.into(), reals(fits)];
            let all = [arguments.clone(), arguments.clone()].concat();
            let found = [program.run(&arguments), program.simplified().run(&arguments), program.jvp()?.run(&all)];
            let wrong = found.iter().map(|found| matches!(found, Err(Error::Sizes { .. }))).collect::<Vec<_>>();
            assert_eq!(wrong, [fits != 2; 3], "{program}{}", program.jvp()?);
        }
    }
    Ok(())
}

/// A comparison stands for another only where it is made as often: in a map of maps it is not, if the outer one is over nothing.
#[test]
fn comparisons_that_may_not_be_made_stand_for_no_others() -> Result<()> {
    let compare = "let m = map (x, y) |s: f64, t: f64| { let u = add(s, t) return u }";
    let in_both = format!("let q = map (a) |s: f64| {{ let r = map (b) |t: f64| {{ {compare} return m }} return r }}");
    let in_each = ["a", "b"].map(|array| format!("let p = map ({array}) |t: f64| {{ {compare} return m }}"));
    for (first, second) in in_each.iter().flat_map(|in_one| [(&in_both, in_one), (in_one, &in_both)]) {
        let text = format!("program (a: []f64, b: []f64, x: []f64, y: []f64) {{ {first} {second} return a }}");
        let program = Program::parse(&text)?;
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 2)] {
            let arguments = [a, b, 2, 3].map(reals);
            let (expected, found) = (program.run(&arguments), program.simplified().run(&arguments));
            let is_wrong = |found: &Result<_>| matches!(found, Err(Error::Sizes { .. }));
            assert_eq!(
                is_wrong(&found),
                is_wrong(&expected),
                "{a} and {b} elements: {program}{}",
                program.simplified()
            );
        }
    }
    Ok(())
}

/// A size that is compared with a number is that number, wherever the two stand: a loop that puts together as many elements
/// keeps its states as rows, and runs forward once.
#[test]
fn a_size_that_is_compared_with_a_number_is_that_number() {
    for sides in ["(4i64) = (size[0](a))", "(size[0](a)) = (4i64)"] {
        let source = format!(
            "program (x: f64, a: []f64) {{
                let () = agree wanted {sides}
                let c = loop (b: []f64 = a) for i < 3i64 {{
                    let most = slice b[0i64 : 3i64 : 1i64]
                    let p = b[0i64] let q = b[3i64] let r = mul(p, q) let s = mul(r, x) let t = [s]
                    let d = concat(most, t) return d }}
                let s = reduce (c) from (0.0f64) |a: f64, b: f64| {{ let c = add(a, b) return c }}
                return s }}"
        );
        let vjp = Program::parse(&source).unwrap().vjp().unwrap();
        assert_eq!(vjp.to_string().matches(" loop ").count(), 2, "one forward and one backward:\n{vjp}");
    }
}

/// The comparison by which a size is found is no reason to leave out that comparison.
#[test]
fn adjoints_of_histograms_in_loops_fit() -> Result<()> {
    for (policy, n) in [("", "n"), ("", "2i64"), ("binomial[2] ", "2i64")] {
        let program = Program::parse(&format!(
            "program (rows: [][]f64, bins: []i64, n: i64) {{
               let last = loop {policy}(h: [][]f64 = rows) for i < {n} {{
                 let none = replicate(1i64, 0.75f64)
                 let next = hist (h) at bins (h) from (none) |a: []f64, b: []f64| {{
                   let c = map (a, b) |x: f64, y: f64| {{ return y }}
                   return c
                 }}
                 return next
               }}
               return last
             }}"
        ))?;
        let arguments = [matrix(1, 1), Value::new([-1_i64])?, 2_i64.into()];
        for (seeds, sizes) in [(matrix(2, 1), [2, 1]), (matrix(1, 2), [2, 1])] {
            wrong(&program.vjp()?, &[&arguments[..], &[seeds]].concat(), sizes)?;
        }
        right(&program.vjp()?, &[&arguments[..], &[matrix(1, 1)]].concat())?;
    }
    Ok(())
}

/// Of loops, branches and operators that change sizes, no size is said to be one that another run would not find.
#[test]
fn of_programs_that_change_sizes_are_found_by_their_runs() -> Result<()> {
    let source = "program (x: []f64, y: []f64, both: bool, n: i64) {
        let longer = concat(x, y)
        let chosen = if both { return longer } else { return y }
        let same = if both { return y } else { let z = map (y) |v: f64| { let w = mul(v, v) return w } return z }
        let compared = if both { let s = map (x, y) |a: f64, b: f64| { let c = add(a, b) return c } return s }
                       else { return x }
        let grown, kept, mixed = loop (a: []f64 = x, b: []f64 = x, c: []f64 = y) for i < n {
          let d = concat(a, y)
          let e = map (b) |v: f64| { let w = mul(v, v) return w }
          let f = if both { return c } else { return d }
          return d, e, f
        }
        let rows = map (x) |v: f64| { let r = replicate(n, v) return r }
        let none = replicate(n, 0.0f64)
        let sum = reduce (rows) from (none) |a: []f64, b: []f64| {
          let c = map (a, b) |v: f64, w: f64| { let u = add(v, w) return u } return c }
        let one = reduce (rows) from (x) |a: []f64, b: []f64| { return b }
        let i, halved = loop (i: i64 = 0i64, h: []f64 = longer) while { let go = lt(i, 2i64) return go } {
          let j = add(i, 1i64) let m = size[0](h) let k = div(m, 2i64) let g = slice h[0i64 : k : 1i64] return j, g }
        return chosen, same, compared, grown, kept, mixed, sum, one, halved
      }";
    let program = Program::parse(source)?;
    for (x, y, both, n) in [(3, 3, true, 2), (3, 4, false, 2), (0, 2, false, 3), (2, 2, true, 0), (1, 5, false, 1)] {
        let arguments = [reals(x), reals(y), both.into(), i64::from(n).into()];
        program.run(&arguments)?;
        array_sizes::sizes_hold(&program, &arguments).unwrap_or_else(|violation| panic!("{violation}"));
    }
    Ok(())
}

/// What is compared inside of loops that nothing else needs is compared by derivatives too, beside rows whose sizes are
/// known only there.
#[test]
fn what_idle_loops_compare_stays() -> Result<()> {
    let program = Program::parse(
        "program (x: f64, indices: []i64, values: []f64, n: []f64) {
          let kept = loop strip_mine[2] (kept: []i64 = indices) for i < 3i64 {
            let all = scatter(values, indices, values)
            let same, rows = map (n) |v: f64| { let row = concat(values, all) return v, row }
            return kept }
          return x }",
    )?;
    let arguments =
        |at: &[i64]| -> Result<Vec<Value<f64>>> { Ok(vec![1.0.into(), Value::new(at)?, reals(2), reals(1)]) };
    let seeded = |mut all: Vec<Value<f64>>| {
        all.push(1.0.into());
        all
    };
    program.run(&arguments(&[0, 1])?)?;
    program.vjp()?.run(&seeded(arguments(&[0, 1])?))?;
    for wrong in [program.run(&arguments(&[0])?), program.vjp()?.run(&seeded(arguments(&[0])?))] {
        assert!(matches!(wrong, Err(Error::Sizes { .. })), "{wrong:?}");
    }
    Ok(())
}

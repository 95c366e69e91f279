//! Arrays that branches, scatters and histograms change: in place where nothing else sees what they were, and not where
//! something does.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::interpret::{Scalar, Value};

use crate::same;

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| (k * 7919 % 1013) as f64 / 506.5 - 1.0).collect()
}

/// Bodies of loops over `a` and `b`, with `i` and `t`, a truth value of it, what they leave, and whether they need no
/// memory of their own.
const BODIES: [(&str, &str, &str, bool); 19] = [
    (
        "one branch changes it",
        "let c = if t { let p = a[i] let v = mul(p, x) let c = a with [i] = v return c } else { return a }",
        "c, b",
        true,
    ),
    (
        "both do",
        "let c = if t { let c = a with [i] = x return c } else { let p = b[i] let c = a with [i] = p return c }",
        "c, b",
        true,
    ),
    (
        "in a branch inside",
        "let c = if t { let p = a[i] let u = lt(p, x) let c = if u { let c = a with [i] = x return c } else { return a } return c } else { let c = a with [i] = x return c }",
        "c, b",
        true,
    ),
    (
        "in a loop inside",
        "let c = if t { let c = loop (e: []f64 = a) for k < i { let p = e[k] let v = mul(p, x) let f = e with [k] = v return f } return c } else { return a }",
        "c, b",
        true,
    ),
    (
        "two at once",
        "let c, d = if t { let p = a[i] let q = b[i] let c = a with [i] = q let d = b with [i] = p return c, d } else { return a, b }",
        "c, d",
        true,
    ),
    (
        "many elements",
        "let e = [i, i, 1i64] let f = [x, 2.0f64, 3.0f64] let c = if t { let c = scatter(a, e, f) return c } else {
        let c = hist (a) at e (f) from (0.0f64) |p: f64, q: f64| { let r = add(p, q) return r } return c }",
        "c, b",
        false,
    ),
    (
        "by what it is itself",
        "let e = map (a) |p: f64| { let q = lt(p, x) let r = i64(q) return r } let c = if t { let c = scatter(a, e, b) return c } else {
            let c = hist (a) at e (a) from (0.0f64) |p: f64, q: f64| { let r = add(p, q) return r } return c }",
        "c, b",
        false,
    ),
    (
        "by an operator that reads it",
        "let e = [i, 0i64] let f = [x, 2.0f64] let c = hist (a) at e (f) from (0.0f64) |p: f64, q: f64| {
            let u = a[0i64] let r = mul(p, 0.5f64) let v = mul(u, 0.25f64) let w = add(r, v) let s = sub(w, q) return s }",
        "c, b",
        false,
    ),
    (
        "two by one histogram",
        "let e = [i, 0i64] let f = [x, 2.0f64] let c, d = hist (a, b) at e (f, f) from (0.0f64, 0.0f64) |p: f64, u: f64, q: f64, v: f64| {
            let r = mul(p, v) let s = sub(u, q) return r, s }",
        "c, d",
        false,
    ),
    (
        "one by a scatter from another that is changed, too",
        "let e = map (b) |p: f64| { let q = lt(p, x) let r = i64(q) return r } let d = b with [i] = x let c = scatter(a, e, d)",
        "c, d",
        false,
    ),
    (
        "with a scalar beside it",
        "let c, y = if t { let p = a[i] let c = a with [i] = x return c, p } else { return a, x } let d = b with [i] = y",
        "c, d",
        true,
    ),
    (
        "read after it",
        "let c = if t { let c = a with [i] = x return c } else { return a } let p = a[i] let d = b with [i] = p",
        "c, d",
        false,
    ),
    (
        "given as it was, too",
        "let c, d = if t { let c = a with [i] = x return c, a } else { return a, b }",
        "c, d",
        false,
    ),
    (
        "given as it was first",
        "let d, c = if t { let c = a with [i] = x return a, c } else { return b, a }",
        "c, d",
        false,
    ),
    (
        "they change places",
        "let c, d = if t { return b, a } else { let e = a with [i] = x return e, b }",
        "c, d",
        false,
    ),
    ("both are one", "let c, d = if t { let c = a with [i] = x return c, c } else { return a, a }", "c, d", false),
    (
        "a part of it, too",
        "let n = size[0](a) let c, d = if t { let d = slice a[0i64 : n : 1i64] let c = a with [i] = x return c, d } else { return a, b }",
        "c, d",
        false,
    ),
    (
        "another in one branch",
        "let c = if t { let c = a with [i] = x return c } else { let e = map (a) |p: f64| { let q = mul(p, x) return q } return e }",
        "c, b",
        false,
    ),
    (
        "what is behind the choice is older",
        "let e = a with [i] = x let c = if t { let p = e[i] let q = mul(p, x) let c = e with [i] = q return c } else { return e }",
        "c, b",
        true,
    ),
];

#[test]
fn what_branches_change_is_what_it_is() -> Result<()> {
    for (name, body, results, in_place) in BODIES {
        println!("{name}");
        let program = Program::parse(&format!(
            "program (a: []f64, b: []f64, x: f64) {{
                let n = size[0](a)
                let a, b = loop (a: []f64 = a, b: []f64 = b) for i < n {{
                    let o = rem(i, 3i64) let t = lt(o, 2i64) {body} return {results} }}
                return a, b }}"
        ))?;
        // What is read at 0 in each iteration is read before, so that no elements are a second attempt.
        for n in [0, 1, 2, 3, 7, 40].into_iter().filter(|n| *n > 0 || !body.contains("a[0i64]")) {
            let mut other = numbers(n);
            other.reverse();
            same(&program, &[Value::new(numbers(n))?, Value::new(other)?, 1.5.into()]);
        }
        let explained = program.compile()?.explain();
        // What is in the loop is indented.
        let own = explained.lines().any(|line| line.starts_with(' ') && line.trim_start().starts_with("alloc"));
        assert!(!(in_place && own), "{name}:\n{explained}");
    }
    Ok(())
}

/// What a loop scatters, or adds, goes to where the array is.
#[test]
fn many_elements_are_changed_in_place() -> Result<()> {
    for statement in [
        "scatter(a, e, f)",
        "hist (a) at e (f) from (0.0f64) |p: f64, q: f64| { let r = add(p, q) return r }",
        "hist (a) at e (f) from (0.0f64) |p: f64, q: f64| { let r = mul(p, 0.5f64) let s = sub(r, q) return s }",
    ] {
        let program = Program::parse(&format!(
            "program (a: []f64, e: []i64, x: f64) {{
                let f = map (e) |k: i64| {{ let y = f64(k) let z = mul(x, y) return z }}
                let a = loop (a: []f64 = a) for i < 4i64 {{ let a = {statement} return a }}
                return a }}"
        ))?;
        for n in [0, 1, 3, 9] {
            let places = Value::array(&[5], [2, 0, 9, -1, 2].map(Scalar::I64).to_vec())?;
            same(&program, &[Value::new(numbers(n))?, places, 0.4.into()]);
        }
        let explained = program.compile()?.explain();
        let size = explained.lines().next().and_then(|line| line.split(['[', ']']).nth(1)).unwrap_or("none").to_owned();
        let own = explained.lines().any(|line| line.starts_with("  alloc b") && line.ends_with(&format!("[{size}]")));
        assert!(!own, "{statement}:\n{explained}");
    }
    Ok(())
}

/// Choices that differ between the rows of a map, and choices outside of loops, of arrays that are given.
#[test]
fn what_is_given_stays_as_it_is() -> Result<()> {
    for (_, body, results, _) in BODIES {
        let rows = Program::parse(&format!(
            "program (as: [][]f64, bs: [][]f64, x: f64) {{
                let cs, ds = map (as, bs) |a: []f64, b: []f64| {{
                    let y = b[0i64] let c, d = loop (a: []f64 = a, b: []f64 = b) for i < 5i64 {{
                        let p = a[i] let t = lt(p, y) {body} return {results} }}
                    return c, d }}
                return cs, ds, as }}"
        ))?;
        let once = Program::parse(&format!(
            "program (a: []f64, b: []f64, x: f64, i: i64) {{
                let p = a[i] let t = lt(p, x) {body} return a, b, {results} }}"
        ))?;
        let matrix = |rows| Value::reals(&[rows, 5], numbers(5 * rows));
        for n in [1, 2, 9, 70] {
            same(&rows, &[matrix(n)?, matrix(n)?, 0.3.into()]);
        }
        for x in [-9.0, 9.0] {
            same(&once, &[Value::new(numbers(6))?, Value::new(numbers(6))?, x.into(), 2_i64.into()]);
        }
    }
    Ok(())
}

//! Loops that change arrays, in place or in their sizes: exact derivatives to second order, and what is kept for them.

use catadiff::array::trace::{Arr, F64, loop_for, replicate};
use catadiff::array::{Policy, Program};
use catadiff::carriers::Counter;
use catadiff::interpret::{Limits, Scalar, Value, measure};
use catadiff_laws::array_exact::{self, Residue};
use catadiff_laws::{Verdict, array_derivatives};

use crate::points::{Arguments, reals};

/// Arrays that are changed in place, each by another shape of loop. The first parameter is a vector of three or more, the
/// second a number of iterations below its length.
const IN_PLACE: [(&str, &str); 22] = [
    ("read, then written", "let p = a[i] let q = a[j] let v = mul(p, q) let b = a with [j] = v return b"),
    ("read after it is written", "let p = a[i] let v = mul(p, p) let b = a with [j] = v let r = b[j] let s = b[k]
        let w = mul(r, s) let c = b with [k] = w return c"),
    ("written at one place twice", "let p = a[i] let v = mul(p, p) let b = a with [j] = v let r = b[j]
        let q = mul(r, p) let c = b with [j] = q return c"),
    ("two elements change places", "let p = a[i] let q = a[j] let v = mul(p, q) let b = a with [i] = v let c = b with [j] = p return c"),
    ("whole after it is written", "let p = a[i] let v = mul(p, p) let b = a with [j] = v
        let m = map (b) |x: f64| { let y = mul(x, x) return y }
        let s = reduce (m) from (0.0f64) |x: f64, y: f64| { let z = add(x, y) return z }
        let c = b with [k] = s return c"),
    ("whole before and after", "let p = a[i] let v = mul(p, p) let b = a with [j] = v
        let m = map (a, b) |x: f64, y: f64| { let z = mul(x, y) return z }
        let s = reduce (m) from (0.0f64) |x: f64, y: f64| { let z = add(x, y) return z }
        let c = b with [k] = s return c"),
    ("in one branch", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let p = a[i] let q = a[j] let v = mul(p, q) let b = a with [i] = q let c = b with [j] = v return c }
            else { return a }
        return c"),
    ("in both branches, and read there", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let p = a[i] let v = mul(p, p) let b = a with [j] = v let r = b[j] let w = mul(r, r) let c = b with [k] = w return c }
            else { let q = a[j] let v = mul(q, 3.0f64) let b = a with [i] = v return b }
        let r = c[j] let w = mul(r, r) let e = c with [i] = w
        return e"),
    ("written twice in one branch, and read between", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let p = a[i] let q = a[j] let v = mul(p, q) let b = a with [j] = v let r = b[k] let w = mul(r, q)
                let c = b with [i] = w let s = c[j] let y = mul(s, w) let d = c with [k] = y return d }
            else { return a }
        return c"),
    ("in a branch of a branch, and read after each", "let o = rem(i, 2i64) let t = eq(o, 0i64) let u = lt(i, 3i64)
        let c = if t { let p = a[i] let v = mul(p, p) let b = a with [i] = v
                let d = if u { let r = b[i] let s = b[j] let w = mul(r, s) let e = b with [j] = w return e }
                    else { let r = b[k] let w = mul(r, 5.0f64) let e = b with [i] = w let f = e with [k] = r return f }
                let r = d[j] let w = mul(r, v) let e = d with [i] = w
                return e }
            else { let q = a[j] let v = mul(q, 3.0f64) let b = a with [k] = v return b }
        let r = c[i] let s = c[k] let w = mul(r, s) let e = c with [j] = w let h = e[i] let y = mul(h, w) let l = e with [k] = y
        return l"),
    ("in a loop in a branch", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let c = loop (b: []f64 = a) for l < k { let p = b[l] let q = b[j] let v = mul(p, q) let c = b with [l] = v return c }
                return c }
            else { let q = a[j] let v = mul(q, 3.0f64) let b = a with [i] = v let r = b[j] let w = mul(r, v) let c = b with [k] = w return c }
        return c"),
    ("in a loop in a branch, and read around it", "let o = rem(i, 2i64) let t = eq(o, 0i64) let u = a[j]
        let c = if t { let s = mul(u, u) let b = a with [i] = s
                let c = loop (b: []f64 = b) for l < k { let p = b[l] let q = b[j] let v = mul(p, q) let c = b with [l] = v return c }
                let r = c[i] let w = mul(r, u) let d = c with [k] = w return d }
            else { return a }
        return c"),
    ("in a loop in a branch, and read after it", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let c = loop (b: []f64 = a) for l < k { let p = b[l] let q = b[j] let v = mul(p, q) let c = b with [l] = v return c }
                return c }
            else { return a }
        let r = c[i] let w = mul(r, r) let d = c with [j] = w
        return d"),
    ("in a loop inside", "let c = loop (b: []f64 = a) for l < k { let p = b[l] let q = b[j] let v = mul(p, q) let c = b with [l] = v return c }
        return c"),
    ("in a loop inside, and read around it", "let u = a[j] let s = mul(u, u) let b = a with [i] = s
        let c = loop (b: []f64 = b) for l < j { let p = b[l] let q = b[j] let v = mul(p, q) let c = b with [l] = v return c }
        let r = c[i] let w = mul(r, u) let d = c with [k] = w return d"),
    ("in a branch of a loop inside", "let c = loop (b: []f64 = a) for l < j {
            let o = rem(l, 2i64) let t = eq(o, 0i64)
            let c = if t { let p = b[l] let v = mul(p, p) let c = b with [l] = v return c } else { return b }
            return c }
        return c"),
    ("in a loop inside that asks", "let c, h = loop (b: []f64 = a, l: i64 = 0i64) while { let s = lt(l, j) return s } {
            let p = b[l] let q = b[j] let v = mul(p, q) let c = b with [l] = v let m = add(l, 1i64) return c, m }
        let r = c[i] let w = mul(r, r) let d = c with [k] = w return d"),
    ("in a loop inside that asks, and seldom", "let c, h, e = loop (b: []f64 = a, l: i64 = 0i64, u: f64 = 2.0f64) while { let s = lt(l, 5i64) return s } {
            let o = rem(l, 3i64) let t = eq(o, k) let q = b[l]
            let c = if t { let v = mul(q, u) let c = b with [j] = v return c } else { return b }
            let m = add(l, 1i64) let y = mul(u, q) return c, m, y }
        let r = c[i] let w = mul(r, e) let d = c with [k] = w return d"),
    ("in two loops that ask, in a branch", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let c, h = loop (b: []f64 = a, l: i64 = 0i64) while { let s = lt(l, 3i64) return s } {
                let c, g = loop (b: []f64 = b, e: i64 = l) while { let s = lt(e, 3i64) return s } {
                    let p = b[e] let q = b[j] let v = mul(p, q) let c = b with [l] = v let m = add(e, 2i64) return c, m }
                let m = add(l, 1i64) return c, m }
            return c }
            else { let q = a[j] let v = mul(q, 3.0f64) let b = a with [i] = v return b }
        let r = c[i] let w = mul(r, r) let d = c with [k] = w return d"),
    ("in one loop that asks of two", "let p = a[i]
        let c, h = loop (b: []f64 = a, l: i64 = j) while { let s = lt(l, 6i64) return s } {
            let v = mul(p, 3.0f64) let c = b with [l] = v let m = add(l, 2i64) return c, m }
        let d, g = loop (b: []f64 = c, l: i64 = 0i64) while { let s = lt(l, k) return s } {
            let q = b[l] let v = mul(p, q) let c = b with [i] = v let m = add(l, 1i64) return c, m }
        return d"),
    ("written in a loop inside, and read outside", "let u = a[k]
        let c = loop (b: []f64 = a) for l < j { let v = mul(u, 2.0f64) let c = b with [l] = v return c }
        let r = c[i] let w = mul(r, r) let d = c with [k] = w return d"),
    ("made from another array", "let b = map (a) |x: f64| { let y = mul(x, 0.5f64) return y }
        let p = b[i] let v = mul(p, p) let c = b with [j] = v return c"),
];

/// Of integers, by which an array of numbers is read: nothing returns through what changes them.
const IDLE: [(&str, &str); 9] = [
    ("in a loop inside", "let q = loop (p: []i64 = p) for l < 3i64 { let e = add(l, i) let f = rem(e, 5i64) let u = p[f] let g = add(u, j) let h = rem(g, 6i64) let q = p with [k] = h return q }
        let u = q[i] let v = q[j] let r = a[u] let s = a[v] let w = mul(r, s) let b = a with [i] = w return b, q"),
    ("in a loop that asks, and gives where", "let o, q = loop (o: i64 = i, p: []i64 = p) while { let u = p[o] let s = lt(u, o) return s } { let u = p[o] let v = p[u] let q = p with [o] = v return u, q }
        let c = q with [o] = k let r = a[o] let w = mul(r, r) let b = a with [j] = w return b, c"),
    ("before and after it is read, and in a branch", "let u = p[j] let r = a[u] let t = lt(u, 3i64)
        let q = if t { let q = loop (p: []i64 = p) for l < 2i64 { let m = rem(j, 5i64) let u = p[l] let q = p with [m] = u return q } return q } else { let q = p with [i] = k return q }
        let v = q[j] let s = a[v] let w = mul(r, s) let b = a with [k] = w let e = q with [j] = i return b, e"),
    ("in a loop that changes the numbers, too", "let b, q = loop (a: []f64 = a, p: []i64 = p) for l < 3i64 {
            let e = add(l, i) let f = rem(e, 5i64) let u = p[f] let r = a[u] let s = a[l] let w = mul(r, s) let b = a with [u] = w
            let g = add(u, j) let h = rem(g, 6i64) let q = p with [f] = h return b, q }
        let v = q[j] let r = b[v] let w = mul(r, r) let c = b with [i] = w let d = q with [k] = v return c, d"),
    ("in a loop that asks and adds up", "let h, t, q = loop (h: i64 = i, t: f64 = 2.0f64, p: []i64 = p) while { let u = p[h] let s = lt(u, h) return s } {
            let u = p[h] let v = p[u] let r = a[u] let w = mul(t, r) let q = p with [h] = v return u, w, q }
        let o = q[h] let r = a[o] let w = mul(r, t) let b = a with [j] = w let c = q with [h] = k return b, c"),
    ("in a loop of which nothing is left", "let s, q = loop (s: i64 = n, p: []i64 = p) for l < 2i64 { let u = p[l] let v = add(u, j) let w = rem(v, 6i64) let q = p with [l] = w let t = add(s, s) return t, q }
        let z = mul(s, 0i64) let y = f64(z) let u = q[j] let r = a[u] let w = mul(r, r) let o = add(w, y) let b = a with [k] = o let c = q with [i] = k return b, c"),
    ("added up", "let e = [j, 0i64, j, 90i64] let f = [i, k, k, j] let q = hist (p) at e (f) from (0i64) |x: i64, y: i64| { let z = add(x, y) return z }
        let u = q[j] let m = rem(u, 6i64) let r = a[m] let w = mul(r, r) let b = a with [k] = w return b, q"),
    ("the second of two, in place of the first", "let o = replicate(7i64, i) let e = [j, 0i64, j, 90i64] let f = [i, k, j, j] let g = [k, k, 5i64, i]
        let q, o = hist (p, o) at e (f, g) from (0i64, 0i64) |x: i64, u: i64, y: i64, v: i64| {
            let z = max(x, y) let m = add(z, v) let s = rem(m, 6i64) let t = max(u, v) return s, t }
        let u = p[j] let v = q[i] let r = a[u] let s = a[v] let w = mul(r, s) let b = a with [k] = w return b, o"),
    ("extrema", "let e = [j, 0i64, j, 90i64] let f = [i, k, j, j] let q = hist (p) at e (f) from (0i64) |x: i64, y: i64| { let z = max(x, y) return z }
        let u = q[j] let r = a[u] let w = mul(r, r) let c = q with [u] = k let v = c[0i64] let s = a[v] let y = mul(w, s) let b = a with [k] = y return b, c"),
];

/// The same, changed at many places at a time, of which some are there twice and some do not exist.
const SCATTERED: [(&str, &str); 18] = [
    ("read, then scattered", "let p = a[i] let q = a[j] let v = mul(p, q) let e = [j, 40i64, k] let f = [v, p, q] let b = scatter(a, e, f) return b"),
    ("one place twice", "let p = a[i] let q = a[j] let v = mul(p, q) let e = [j, i, j, -1i64] let f = [v, p, q, v] let b = scatter(a, e, f) return b"),
    ("read after it is scattered", "let p = a[i] let v = mul(p, p) let e = [j, k] let f = [v, p] let b = scatter(a, e, f)
        let r = b[j] let s = b[k] let w = mul(r, s) let c = b with [k] = w return c"),
    ("scattered twice", "let p = a[i] let v = mul(p, p) let e = [j, k, 7i64] let f = [v, p, p] let b = scatter(a, e, f)
        let r = b[j] let w = mul(r, v) let g = [k, i, k] let h = [r, w, w] let c = scatter(b, g, h) return c"),
    ("written and scattered", "let p = a[i] let v = mul(p, p) let b = a with [j] = v let e = [j, i, k] let q = a[k] let f = [p, v, q]
        let c = scatter(b, e, f) let r = c[j] let w = mul(r, q) let d = c with [i] = w return d"),
    ("as many places as there were iterations", "let e = iota(i) let p = a[j] let f = map (e) |l: i64| { let q = a[l] let v = mul(p, q) return v }
        let b = scatter(a, e, f) let r = b[i] let c = b with [k] = r return c"),
    ("backwards, beyond both ends", "let h = replicate(j, k) let e = map (h) |l: i64| { let m = sub(l, 2i64) return m }
        let p = a[j] let f = map (e) |l: i64| { let q = a[k] let v = mul(p, q) return v } let b = scatter(a, e, f) return b"),
    ("whole after it is scattered", "let p = a[i] let v = mul(p, p) let e = [j, k] let f = [v, p] let b = scatter(a, e, f)
        let m = map (b) |x: f64| { let y = mul(x, x) return y }
        let s = reduce (m) from (0.0f64) |x: f64, y: f64| { let z = add(x, y) return z }
        let c = b with [k] = s return c"),
    ("in one branch", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let p = a[i] let q = a[j] let v = mul(p, q) let e = [j, 9i64, k] let f = [v, p, q] let b = scatter(a, e, f) return b }
            else { return a }
        return c"),
    ("in both branches, and read there", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let p = a[i] let v = mul(p, p) let e = [j, i] let f = [v, v] let b = scatter(a, e, f) let r = b[j] let w = mul(r, p) let c = b with [k] = w return c }
            else { let q = a[j] let v = mul(q, 3.0f64) let e = [i] let f = [v] let b = scatter(a, e, f) return b }
        return c"),
    ("in a branch, and read after it", "let o = rem(i, 2i64) let t = eq(o, 0i64)
        let c = if t { let p = a[i] let v = mul(p, p) let e = [j, i, j] let f = [v, p, p] let b = scatter(a, e, f) return b } else { return a }
        let r = c[j] let w = mul(r, r) let d = c with [i] = w
        return d"),
    ("in a loop inside, and read around it", "let u = a[j] let s = mul(u, u) let b = a with [i] = s
        let c = loop (b: []f64 = b) for l < j { let p = b[l] let q = b[j] let v = mul(p, q) let e = [l, k, k] let f = [v, p, q] let c = scatter(b, e, f) return c }
        let r = c[i] let w = mul(r, u) let d = c with [k] = w return d"),
    ("in a branch of a loop inside", "let c = loop (b: []f64 = a) for l < j {
            let o = rem(l, 2i64) let t = eq(o, 0i64)
            let c = if t { let p = b[l] let v = mul(p, p) let e = [l, 8i64] let f = [v, p] let c = scatter(b, e, f) return c } else { return b }
            return c }
        return c"),
    ("added to", "let p = a[i] let q = a[j] let v = mul(p, q) let e = [j, k, j, 40i64] let f = [v, p, q, p]
        let b = hist (a) at e (f) from (0.0f64) |x: f64, y: f64| { let z = add(x, y) return z }
        let r = b[j] let w = mul(r, r) let c = b with [i] = w return c"),
    ("multiplied with", "let p = a[i] let q = a[j] let v = mul(p, q) let e = [j, k, j, 40i64] let f = [v, p, q, p]
        let b = hist (a) at e (f) from (1.0f64) |x: f64, y: f64| { let z = mul(x, y) return z } return b"),
    ("combined in order, in a branch, and read after it", "let o = rem(i, 2i64) let t = eq(o, 0i64) let p = a[i]
        let c = if t { let q = a[j] let v = mul(p, q) let e = [j, k, j, -1i64] let f = [v, p, q, q]
                let b = hist (a) at e (f) from (0.0f64) |x: f64, y: f64| { let z = mul(x, y) let s = add(x, z) let t = add(s, y) return t } return b }
            else { return a }
        let r = c[j] let w = mul(r, p) let d = c with [k] = w return d"),
    ("combined with where it was", "let p = a[i] let q = a[j] let v = mul(p, q) let e = [j, k, j, 40i64] let f = [v, p, q, p] let g = [q, q, v, v] let n = size[0](a)
        let l = iota(n) let h = map (l) |m: i64| { let y = a[i] return y }
        let b, d = hist (a, h) at e (f, g) from (0.0f64, 1.0f64) |x: f64, u: f64, y: f64, w: f64| { let z = mul(x, w) let s = add(z, y) let t = mul(u, w) return s, t }
        let r = d[j] let w = b[k] let y = mul(r, w) let c = b with [i] = y return c"),
    ("what it is itself", "let e = [j, k, i] let f = map (e) |l: i64| { let q = a[l] return q } let b = scatter(a, e, f)
        let g = scatter(b, e, f) let h = map (g) |x: f64| { let y = mul(x, 3.0f64) return y }
        let l = iota(7i64) let c = scatter(g, l, h) return c"),
];

fn in_place(form: &str, body: &str) -> Program {
    let source = match form {
        "for" => format!(
            "program (x: []f64, n: i64) {{
                let a = loop (a: []f64 = x) for i < n {{ let j = add(i, 1i64) let k = rem(i, 3i64) {body} }}
                let m = map (a, x) |a: f64, x: f64| {{ let y = mul(a, x) return y }}
                return m }}"
        ),
        _ => {
            let (before, result) = body.rsplit_once("return ").unwrap();
            format!(
                "program (x: []f64, n: i64) {{
                    let a, h = loop (a: []f64 = x, i: i64 = 0i64) while {{ let c = lt(i, n) return c }} {{
                        let j = add(i, 1i64) let k = rem(i, 3i64) {before} return {result}, j }}
                    return a }}"
            )
        }
    };
    Program::parse(&source).unwrap()
}

#[test]
fn integers_that_are_changed_in_place_leave_exact_derivatives() -> Verdict {
    for (name, body) in IDLE {
        println!("{name}");
        let program = Program::parse(&format!(
            "program (x: []f64, n: i64) {{
                let p = [0i64, 0i64, 1i64, 1i64, 3i64, 2i64, 4i64]
                let a, p = loop (a: []f64 = x, p: []i64 = p) for i < n {{ let j = add(i, 1i64) let k = rem(i, 3i64) {body} }}
                return a }}"
        ))
        .unwrap();
        exact(&program, [0_i64, 1, 2, 5].map(|n| vec![numbers(7), n.into()]))?;
    }
    Ok(())
}

fn residues(arguments: &[Value<f64>]) -> Vec<Value<Residue>> {
    arguments.iter().map(|value| value.map(|x| Residue::new(*x as u64))).collect()
}

fn numbers(n: usize) -> Value<f64> {
    reals(&(0..n).map(|i| (i * i + 2) as f64).collect::<Vec<_>>())
}

/// Both modes and their derivatives in both modes, in a field in which nothing is rounded.
fn exact(program: &Program, arguments: impl IntoIterator<Item = Vec<Value<f64>>>) -> Verdict {
    array_exact::at(program, arguments.into_iter().map(|arguments| residues(&arguments)))
}

#[test]
fn arrays_that_are_changed_in_place_have_exact_derivatives() -> Verdict {
    for (name, body) in IN_PLACE.into_iter().chain(SCATTERED) {
        for form in ["for", "while"] {
            println!("{name}, {form}");
            let program = in_place(form, body);
            exact(&program, [0_i64, 1, 2, 5].map(|n| vec![numbers(7), n.into()]))?;
        }
    }
    Ok(())
}

/// Extrema of bins in a loop, of values of which is known that they are few or is not: the adjoints are those of histograms
/// that are in no loop, also of equals, of NaN, and of values that come to no bin.
#[test]
fn extrema_of_bins_in_a_loop_have_the_adjoints_of_those_outside() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let places = [1, 0, 1, 4, 2, -1, 3, 3, 1, 2, 2, 0, 0, 7, 2, 3, 3, 1];
    let places = Value::array(&[3, 6], places.map(Scalar::I64).to_vec()).unwrap();
    let numbers = [2.0, 1.0, 2.0, 9.0, nan, 8.0, nan, nan, 2.0, 4.0, 4.0, -inf, inf, 1.0, nan, 5.0, 0.0, 3.0];
    let before = [1.0, 2.0, nan, nan, 1.0, 4.0, 5.0, -inf];
    let scalar = |op: &str| format!("|x: f64, y: f64| {{ let z = {op}(x, y) return z }}");
    let row = |op: &str| format!("|x: []f64, y: []f64| {{ let z = map (x, y) {} return z }}", scalar(op));
    for op in ["max", "min"] {
        for (columns, of, none, operator) in [(1, "f64", "0.0f64", scalar(op)), (2, "[]f64", "zeros", row(op))] {
            let step = |k: &str| {
                format!("let e = places[{k}] let f = values[{k}] let a = hist (a) at e (f) from ({none}) {operator}")
            };
            let six = format!(
                "let m = iota(6i64) let e = map (m) |m: i64| {{ let e = places[i, m] return e }}
                let f = values[i] let a = hist (a) at e (f) from ({none}) {operator}"
            );
            let of_body = |body: &str| {
                let source = format!(
                    "program (a: []{of}, places: [][]i64, values: [][]{of}) {{
                        let zeros = replicate(2i64, 0.0f64) {body} return a }}"
                );
                Program::parse(&source).unwrap().vjp_wrt([0, 2]).unwrap()
            };
            let inside = |step: &str| format!("let a = loop (a: []{of} = a) for i < 3i64 {{ {step} return a }}");
            let (inside, of_few) = (inside(&step("i")), inside(&six));
            let outside = ["0i64", "1i64", "2i64"].map(step).join(" ");
            let reals = |sizes: &[usize], numbers: &[f64]| {
                let sizes = if columns == 1 { sizes.to_vec() } else { [sizes, &[2]].concat() };
                let count = sizes.iter().product();
                Value::reals(&sizes, numbers.iter().cycle().copied().take(count)).unwrap()
            };
            let seed = (1..9).map(f64::from).collect::<Vec<f64>>();
            let arguments = [reals(&[4], &before), places.clone(), reals(&[3, 6], &numbers), reals(&[4], &seed)];
            let [inside, of_few, outside] = [&*inside, &of_few, &*outside].map(|body| {
                let results = of_body(body).run(&arguments).unwrap();
                results.iter().map(|value| value.map(|x| x.to_bits())).collect::<Vec<_>>()
            });
            assert_eq!(inside, outside, "{op}, {columns} columns");
            assert_eq!(of_few, outside, "{op}, {columns} columns, few values");
        }
    }
}

/// Rows that are scattered, and arrays that are scattered in each iteration of a map in a loop.
#[test]
fn rows_that_are_scattered_have_exact_derivatives() -> Verdict {
    for body in [
        "let p = a[i] let q = map (p, x) |y: f64, z: f64| { let w = mul(y, z) return w }
         let e = [j, k, j, 9i64] let f = [q, p, p, q] let b = scatter(a, e, f)
         let r = b[j] let s = map (r, q) |y: f64, z: f64| { let w = mul(y, z) return w } let g = [i, j] let h = [s, r] let c = scatter(b, g, h) return c",
        "let b = map (a, x) |row: []f64, y: f64| {
             let p = row[i] let q = row[j] let v = mul(p, q) let w = mul(v, y)
             let e = [j, k, j, 9i64] let f = [v, p, w, q] let s = scatter(row, e, f) return s }
         return b",
    ] {
        let program = Program::parse(&format!(
            "program (x: []f64, n: i64) {{
                let l = size[0](x) let z = replicate(l, x)
                let a = loop (a: [][]f64 = z) for i < n {{ let j = add(i, 1i64) let k = rem(i, 2i64) {body} }}
                return a }}"
        ))
        .unwrap();
        exact(&program, [0_i64, 1, 3].map(|n| vec![numbers(4), n.into()]))?;
    }
    Ok(())
}

/// Two arrays that are changed in place and change places, or of which one branch changes the one and one the other: neither is
/// made of what it was before.
#[test]
fn arrays_that_change_places_have_exact_derivatives() -> Verdict {
    for body in [
        "let p = a[i] let q = b[j] let v = mul(p, q) let c = b with [i] = v let d = a with [j] = q return c, d",
        "let p = a[i] let v = mul(p, p) let c = a with [j] = v let q = b[i] let w = mul(q, p) let d = b with [j] = w return d, c",
        "let o = rem(i, 2i64) let t = eq(o, 0i64) let p = a[i] let q = b[i] let v = mul(p, q)
         let c = if t { let c = a with [j] = v return c } else { let c = b with [j] = v return c }
         let d = b with [j] = p return c, d",
    ] {
        let program = Program::parse(&format!(
            "program (x: []f64, n: i64) {{
                let y = reverse(x)
                let a, b = loop (a: []f64 = x, b: []f64 = y) for i < n {{ let j = add(i, 1i64) {body} }}
                return a, b }}"
        ))
        .unwrap();
        exact(&program, [0_i64, 1, 2, 3].map(|n| vec![numbers(7), n.into()]))?;
    }
    Ok(())
}

/// A table of which each entry is made of those beside and above it.
#[test]
fn tables_that_are_filled_in_place_have_exact_derivatives() -> Verdict {
    let of = |results: &str, form: &str, update: &str| {
        Program::parse(&format!(
            "program (x: []f64) {{
                let n = size[0](x) let m = sub(n, 1i64)
                let r = replicate(n, 1.0f64) let z = replicate(n, r)
                let a = loop (a: [][]f64 = z) for i < m {{
                    let i1 = add(i, 1i64)
                    let {results} = loop (a: [][]f64 = a{form} {{
                        let j1 = add(j, 1i64)
                        let p = a[i, j1] let q = a[i1, j] let y = x[j] let s = mul(q, y) let t = mul(s, p) let v = add(t, y)
                        {update} }}
                    return b }}
                let s = a[m] return s }}"
        ))
        .unwrap()
    };
    let asks = ", j: i64 = 0i64) while { let c = lt(j, m) return c }";
    let at_odd = "let o = rem(j, 2i64) let t = eq(o, 1i64)
        let b = if t { let b = a with [i1, j1] = v return b } else { return a } return b, j1";
    for (results, form, update) in [
        ("b", ") for j < m", "let b = a with [i1, j1] = v return b"),
        ("b", ") for j < m", "let r = replicate(n, v) let b = a with [i1] = r return b"),
        ("b, h", asks, at_odd),
    ] {
        exact(&of(results, form, update), [1, 4].map(|n| vec![numbers(n)]))?;
    }
    Ok(())
}

/// What is kept of arrays that are changed in place is what is overwritten, and not the arrays.
#[test]
fn only_what_is_overwritten_is_kept() {
    let filled = in_place("for", IN_PLACE[0].1);
    let table = Program::parse(
        "program (x: []f64, n: i64) {
            let a = loop (a: []f64 = x) for i < n {
                let b = loop (a: []f64 = a) for j < 2i64 { let k = add(i, j) let p = a[k] let v = mul(p, p) let b = a with [k] = v return b }
                return b }
            return a }",
    )
    .unwrap();
    for program in [filled, table] {
        let kept = |n: usize| {
            let x = numbers(n + 2);
            let vjp = program.vjp().unwrap();
            measure(&vjp, &[x.clone(), (n as i64).into(), x], &Limits::default()).unwrap().1.elements
        };
        let (once, twice) = (kept(100), kept(200));
        println!("{once} elements, and {twice} of twice as many");
        assert!(once <= 1600 && 10 * twice <= 21 * once, "{once} elements, and {twice} of twice as many");
    }
}

/// Loops that change the sizes of arrays, of a number and a count.
const RESIZED: [(&str, &str); 7] = [
    ("grows", "let a = loop (a: []f64 = one) for i < n { let p = a[i] let v = mul(p, p) let e = [v] let b = concat(a, e) return b }"),
    ("doubles", "let a = loop (a: []f64 = one) for i < n { let s = map (a) |y: f64| { let z = mul(y, x) return z } let b = concat(a, s) return b }"),
    ("grows by rows", "let r = [one] let w = loop (w: [][]f64 = r) for i < n { let p = w[i] let q = map (p) |y: f64| { let z = mul(y, x) return z }
        let e = [q] let b = concat(w, e) return b }
        let m = size[0](w) let a = reshape(w, m)"),
    ("starts from nothing", "let none = replicate(0i64, x) let a = loop (a: []f64 = none) for i < n { let v = mul(x, x) let e = [v] let b = concat(a, e) return b }"),
    ("grows while it is asked", "let a, h = loop (a: []f64 = one, i: i64 = 0i64) while { let c = lt(i, n) return c } {
        let p = a[i] let v = mul(p, x) let e = [v] let b = concat(e, a) let j = add(i, 1i64) return b, j }"),
    ("shrinks", "let many = replicate(20i64, x) let a = loop (a: []f64 = many) for i < n {
        let s = size[0](a) let t = sub(s, 1i64) let b = slice a[1i64 : t : 1i64]
        let c = map (b) |y: f64| { let z = mul(y, x) return z } return c }"),
    ("grows in a loop that grows", "let a = loop (a: []f64 = one) for i < n {
        let e = loop (e: []f64 = one) for j < i { let p = a[j] let f = [p] let g = concat(e, f) return g }
        let q = map (e) |y: f64| { let z = mul(y, x) return z }
        let b = concat(a, q) return b }"),
];

fn resized(body: &str) -> Program {
    let source = format!(
        "program (x: f64, n: i64) {{
            let one = [x]
            {body}
            let m = map (a) |a: f64| {{ let y = mul(a, a) return y }}
            let s = reduce (m) from (0.0f64) |a: f64, b: f64| {{ let c = add(a, b) return c }}
            return s }}"
    );
    Program::parse(&source).unwrap()
}

#[test]
fn arrays_that_change_their_sizes_have_exact_derivatives() -> Verdict {
    for (name, body) in RESIZED {
        println!("{name}");
        let program = resized(body);
        exact(&program, [0_i64, 1, 2, 5].map(|n| vec![3.0.into(), n.into()]))?;
        let points = [0_i64, 1, 2, 5].map(|n| vec![0.7.into(), n.into()]);
        array_derivatives::at(&program.with_policy(Policy::StripMine(2)), points)?;
    }
    Ok(())
}

/// What is kept of an array that grows is as many elements as its states have, and their places.
#[test]
fn states_of_all_sizes_are_kept_side_by_side() {
    let vjp = resized(RESIZED[0].1).vjp().unwrap();
    let kept = |n: i64| {
        let arguments: Arguments = vec![0.9.into(), n.into(), 1.0.into()];
        measure(&vjp, &arguments, &Limits::default()).unwrap().1
    };
    let (once, twice) = (kept(60), kept(120));
    println!("{once:?}, {twice:?}");
    assert!(once.elements < 60 * 62 + 1000, "{}", once.elements);
    assert!(twice.elements < 4 * once.elements && twice.steps < 4 * once.steps);
}

/// A loop inside runs once more for each loop around it: what is innermost in a nest of `d` loops runs `d + 1` times as often
/// as in the function, and there is one derivative of it. The states of one run of each loop are kept.
#[test]
fn what_is_inside_of_loops_runs_once_more_for_each() {
    let mut inside = "let s = sin(v) let r = mul(s, x) return r".to_owned();
    for depth in 1..=6_u64 {
        inside = format!("let w = loop (v: f64 = v) for i < n {{ {inside} }} return w");
        let program = Program::parse(&format!("program (v: f64, x: f64, n: i64) {{ {inside} }}")).unwrap();
        let vjp = program.vjp().unwrap();
        let counter = Counter::new();
        let real = |x: f64| Value::from(x).map(|x| counter.number(*x));
        let arguments = [real(0.3), real(0.9), Value::Scalar(Scalar::I64(3)), real(1.0)];
        let (_, usage) = measure(&vjp, &arguments, &Limits::default()).unwrap();
        let innermost = 3_u64.pow(u32::try_from(depth).unwrap());
        assert_eq!(counter.primitives(), (depth + 1 + 1) * innermost, "{depth} loops");
        assert_eq!(usage.elements, 3 * depth, "{depth} loops");
    }
}

/// From a closure, as it is written first.
#[test]
fn a_traced_loop_may_grow_an_array() {
    let program = Program::trace(|x: F64| {
        let first: Arr<F64> = replicate(1, x);
        loop_for(4, first, |_, a: Arr<F64>| a.concat(a.map(|y| y * x))).sum()
    })
    .unwrap();
    // (1 + x)⁴ x
    let gradient: f64 = program.grad(..).unwrap().at(2.0).unwrap();
    assert_eq!(gradient, 81.0 + 4.0 * 27.0 * 2.0);
}

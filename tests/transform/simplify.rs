//! Simplification: random programs, each form by itself, and the programs that derivatives become.

use catadiff::array::trace::{Arr, F64, iota, loop_for};
use catadiff::array::{Op, Program, Stm};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use catadiff_laws::{ArrayProgram, Verdict, for_all, simplification};

#[test]
fn random_programs_cost_no_more() -> Verdict {
    for_all(|p: ArrayProgram| simplification::no_more_work(&p))
}

#[test]
fn what_each_pass_makes_of_random_programs_verifies() -> Verdict {
    for_all(|p: ArrayProgram| simplification::of_each_pass(&p))
}

#[test]
fn random_programs_settle() -> Verdict {
    for_all(|p: ArrayProgram| simplification::settles(&p))
}

/// The scan compares rows as often as there are rows, which another comparison says of what it is an adjoint of.
#[test]
fn comparisons_under_sizes_that_others_tell_settle() -> Result<()> {
    let program = Program::parse(
        "program (start: []f64, rows: [][]f64) {
            let all = concat(rows, rows)
            let same = loop (all: [][]f64 = all) for i < 2i64 { return all }
            let products = scan commutative (same) from (start) |a: []f64, b: []f64| {
                let c = map (a, b) |s: f64, t: f64| { let u = mul(s, t) return u } return c }
            return same, products }",
    )?;
    let derivative = program.vjp()?;
    assert_eq!(derivative.simplified().to_string(), derivative.to_string());
    Ok(())
}

/// The adjoint of an array of which many elements are read is written to as often, and read before each time. On a small
/// stack, and with as many steps for each read as there were writes before, this would not end well.
#[test]
fn what_was_written_long_ago_is_found_in_one_step() {
    let run = || {
        let reads = 10_000;
        let sum = |xs: Arr<F64>| (0..reads).fold(F64::from(0.0), |sum, k| sum.sin() + xs.index(k));
        let adjoint = Program::trace(sum).unwrap().vjp().unwrap();
        let indexed = |stm: &&Stm| matches!(stm.op, Op::Index(..));
        // Every element is read once, and the adjoints, which begin with zeros, not at all.
        assert_eq!(adjoint.function().body.stms.iter().filter(indexed).count(), reads as usize);
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

/// A loop whose variable does not have the sizes of any of many arrays that are made of one another, each of two.
#[test]
fn arrays_made_of_arrays_twice_are_looked_at_once() {
    let program = Program::trace(|xs: Arr<F64>| {
        loop_for(2, xs, |_, ys| {
            let other = iota(ys.len() + 1).map(|i| i.to_f64());
            let made = (0..100).fold(other, |made, _| made.map2(made.reverse(), |a, b| a.sin() * b));
            made.slice(1, made.len())
        })
        .sum()
    })
    .unwrap();
    program.vjp().unwrap().verify().unwrap();
}

/// A program simplifies to another, but for the numbers of variables.
#[track_caller]
fn becomes(source: &str, simple: &str) {
    let found = Program::parse(source).unwrap().simplified();
    found.verify().unwrap();
    assert_eq!(found.to_string(), Program::parse(simple).unwrap().renumbered().to_string());
}

#[test]
fn arithmetic_with_nothing_to_do() {
    becomes(
        "program (x: f64, n: i64) {
            let a = add(x, 0.0f64) let b = mul(1.0f64, a) let c = div(b, 1.0f64) let d = sub(c, 0.0f64)
            let e = mul(n, 0i64) let f = add(2i64, 3i64) let g = lt(f, 4i64) let h = not(g)
            return d, e, f, h }",
        "program (x: f64, n: i64) { return x, 0i64, 5i64, true }",
    );
    // It is not zero where x is infinite.
    becomes(
        "program (x: f64) { let a = mul(x, 0.0f64) return a }",
        "program (x: f64) { let a = mul(x, 0.0f64) return a }",
    );
}

#[test]
fn data_that_only_moves() {
    becomes(
        "program (xs: [][]f64, n: i64, i: i64, j: i64) {
            let a = permute[1, 0](xs) let b = permute[1, 0](a) let c = reverse(b) let d = reverse(c)
            let e = a[i, j] let f = xs[j] let g = f[i]
            let r = replicate(n, xs) let h = r[i] let s = size[1](a) let t = size[0](xs)
            let v = iota(n) let w = size[0](v) let x = v[i]
            return d, e, g, h, s, t, w, x }",
        "program (xs: [][]f64, n: i64, i: i64, j: i64) {
            let e = xs[j, i] let t = size[0](xs)
            return xs, e, e, xs, t, t, n, i }",
    );
    becomes(
        "program (xs: []f64, x: f64, i: i64) {
            let a = xs with [1i64] = x let b = a[1i64] let c = a[2i64] let d = a[i]
            return b, c, d }",
        "program (xs: []f64, x: f64, i: i64) {
            let c = xs[2i64] let a = xs with [1i64] = x let d = a[i]
            return x, c, d }",
    );
}

/// What an array is before an update, and how long, is read before, and updates that nothing sees are omitted, so that none copies.
#[test]
fn updates_need_no_copies() {
    becomes(
        "program (xs: []f64, x: f64, i: i64) {
            let a = xs with [i] = x let p = xs[i] let n = size[0](xs) let s = sin(p) let q = a[0i64]
            let b = a with [i] = s let c = b with [i] = p
            return c, q, n }",
        "program (xs: []f64, x: f64, i: i64) {
            let p = xs[i] let n = size[0](xs) let a = xs with [i] = x let q = a[0i64]
            let c = a with [i] = p
            return c, q, n }",
    );
    becomes(
        "program (xs: []f64, x: f64, i: i64) {
            let a = xs with [i] = x let b = a with [i] = 2.0f64
            let p = b[0i64] let c = b with [0i64] = p
            return c }",
        "program (xs: []f64, x: f64, i: i64) { let b = xs with [i] = 2.0f64 return b }",
    );
}

/// All orders of this many dimensions.
fn orders(rank: usize) -> Vec<Vec<usize>> {
    (0..rank).fold(vec![vec![]], |orders, _| {
        let longer = |order: &Vec<usize>| {
            let others = (0..rank).filter(|d| !order.contains(d));
            others.map(|d| [&order[..], &[d]].concat()).collect::<Vec<_>>()
        };
        orders.iter().flat_map(longer).collect()
    })
}

/// Of three dimensions some orders are not their own inverse, and some do not commute.
#[test]
fn orders_of_dimensions_are_put_together_in_their_order() -> Result<()> {
    let text = |order: &[usize]| order.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let array = Value::reals(&[2, 3, 4], (0..24).map(f64::from).collect::<Vec<_>>())?;
    for first in orders(3) {
        for second in orders(3) {
            let program = Program::parse(&format!(
                "program (a: [][][]f64, x: f64, i: i64) {{
                    let b = permute[{}](a) let c = permute[{}](b) let d = c[i, 0i64, i] let e = b[0i64, i, i] let f = c[i]
                    let m = replicate(3i64, x) let n = replicate(4i64, m) let o = replicate(2i64, n)
                    let p = permute[{}](o) let q = permute[{}](p)
                    return c, d, e, f, q }}",
                text(&first),
                text(&second),
                text(&first),
                text(&second),
            ))?;
            let arguments = [array.clone(), 0.5.into(), 1_i64.into()];
            let (found, wanted) = (program.simplified().run(&arguments)?, program.run(&arguments)?);
            assert_eq!(found, wanted, "{program}");
        }
    }
    Ok(())
}

#[test]
fn control_that_is_known() {
    becomes(
        "program (x: f64, b: bool) {
            let y = if true { let s = sin(x) return s } else { return x }
            let z, u = if b { let c = cos(x) return x, c } else { return x, x }
            let w, k = loop (w: f64 = x, k: f64 = y) for i < 5i64 { let p = mul(w, k) return p, k }
            let v = loop (v: f64 = x) for i < 1i64 { let q = mul(v, v) return q }
            return y, z, u, w, k, v }",
        "program (x: f64, b: bool) {
            let y = sin(x)
            let u = if b { let c = cos(x) return c } else { return x }
            let w = loop (w: f64 = x) for i < 5i64 { let p = mul(w, y) return p }
            let v = mul(x, x)
            return y, x, u, w, y, v }",
    );
}

#[test]
fn maps_with_nothing_to_do() {
    becomes(
        "program (xs: []f64, ys: []f64, c: f64) {
            let n = size[0](xs) let z = replicate(n, 0.0f64)
            let a, b, d = map (xs, z) |x: f64, z: f64| { let s = add(x, z) return s, c, x }
            return a, b, d }",
        "program (xs: []f64, ys: []f64, c: f64) {
            let n = size[0](xs) let b = replicate(n, c)
            return xs, b, xs }",
    );
}

#[test]
fn a_part_is_not_the_whole() {
    let parts = "program (xs: [][]f64, k: i64) {
        let n = size[0](xs) let m = size[1](xs)
        let a = slice xs[0i64:n:1i64, 0i64:k:1i64]
        let b = slice xs[0i64:k:1i64, 0i64:m:1i64]
        let c = slice xs[0i64:n:1i64, k:m:1i64]
        let d = slice xs[0i64:n:1i64, 0i64:m:2i64]
        return a, b, c, d }";
    becomes(parts, parts);
    becomes(
        "program (xs: [][]f64) {
            let n = size[0](xs) let m = size[1](xs) let a = slice xs[0i64:n:1i64, 0i64:m:1i64] return a }",
        "program (xs: [][]f64) { return xs }",
    );
}

/// The sum of rows of one number each is a row of the sum.
#[test]
fn copies_are_added_before_they_are_made() {
    becomes(
        "program (xs: []f64, n: i64) {
            let e = replicate(n, 0.0f64)
            let rows = map (xs) |x: f64| { let y = exp(x) let r = replicate(n, y) return r }
            let s = reduce (rows) from (e) |a: []f64, b: []f64| {
                let c = map (a, b) |x: f64, y: f64| { let z = add(x, y) return z } return c }
            return s }",
        "program (xs: []f64, n: i64) {
            let ys = map (xs) |x: f64| { let y = exp(x) return y }
            let t = reduce commutative (ys) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
            let s = replicate(n, t)
            return s }",
    );
}

#[test]
fn what_was_computed_before() {
    // The second map computes what the first one gave, at any depth; the third is the first.
    becomes(
        "program (xs: [][]f64, c: f64) {
            let a = map (xs) |row: []f64| { let r = map (row) |x: f64| { let y = exp(x) return y } return r }
            let b = map (xs) |row: []f64| {
                let r = map (row) |x: f64| { let y = exp(x) let z = mul(y, c) return z } return r }
            let d = map (xs) |row: []f64| { let r = map (row) |x: f64| { let y = exp(x) return y } return r }
            return a, b, d }",
        "program (xs: [][]f64, c: f64) {
            let a = map (xs) |row: []f64| { let r = map (row) |x: f64| { let y = exp(x) return y } return r }
            let b = map (a) |row: []f64| { let r = map (row) |y: f64| { let z = mul(y, c) return z } return r }
            return a, b, a }",
    );
    // Also what has a body of several statements.
    becomes(
        "program (xs: []f64) {
            let a = map (xs) |x: f64| {
                let s = loop (u: f64 = x) for i < 9i64 { let p = sin(u) let q = mul(p, u) return q }
                let r = add(s, x) return r }
            let b = map (xs) |x: f64| {
                let s = loop (u: f64 = x) for i < 9i64 { let p = sin(u) let q = mul(p, u) return q }
                let r = mul(s, x) return r }
            return a, b }",
        "program (xs: []f64) {
            let a, b = map (xs) |x: f64| {
                let s = loop (u: f64 = x) for i < 9i64 { let p = sin(u) let q = mul(p, u) return q }
                let r = add(s, x) let t = mul(s, x) return r, t }
            return a, b }",
    );
    // A loop variable of the same beginning is not the same variable.
    becomes(
        "program (x: f64) {
            let y = loop (a: f64 = x) for i < 3i64 {
                let z = loop (b: f64 = x) for j < 3i64 { let s = sin(b) return s }
                let t = sin(a) let u = mul(t, z) return u }
            return y }",
        "program (x: f64) {
            let y = loop (a: f64 = x) for i < 3i64 {
                let z = loop (b: f64 = x) for j < 3i64 { let s = sin(b) return s }
                let t = sin(a) let u = mul(t, z) return u }
            return y }",
    );
}

#[test]
fn maps_that_share_work_are_one() {
    // The second waits for nothing of the first, and what waits for the first comes later.
    becomes(
        "program (xs: []f64, ys: []f64, w: f64) {
           let a = map (xs) |x: f64| { let s = sin(x) let e = exp(s) let r = add(e, x) return r }
           let t = reduce (a) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           let z = mul(w, w)
           let b = map (xs, ys) |x: f64, y: f64| { let s = sin(x) let e = exp(s) let p = mul(e, y) let q = mul(p, z) return q }
           return t, b }",
        "program (xs: []f64, ys: []f64, w: f64) {
           let z = mul(w, w)
           let a, b = map (xs, ys) |x: f64, y: f64| {
             let s = sin(x) let e = exp(s) let r = add(e, x) let p = mul(e, y) let q = mul(p, z) return r, q }
           let t = reduce (a) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           return t, b }",
    );
    // It waits for the sum; and a sum is not worth an array that is kept.
    let waits = "program (xs: []f64) {
        let a = map (xs) |x: f64| { let s = sin(x) let c = cos(s) let e = exp(c) return e }
        let t = reduce (a) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
        let b = map (xs) |x: f64| { let s = sin(x) let c = cos(s) let p = mul(c, t) return p }
        return t, b }";
    becomes(waits, waits);
    let cheap = "program (xs: []f64) {
        let a = map (xs) |x: f64| { let s = add(x, 1.0f64) let e = exp(s) return e }
        let b = map (xs) |x: f64| { let s = add(x, 1.0f64) let p = mul(s, x) return p }
        return a, b }";
    becomes(cheap, cheap);
}

/// Work that does not depend on the elements may be shared by maps of different lengths, which stay two.
#[test]
fn maps_of_different_lengths_that_share_work() -> Result<()> {
    let p = Program::trace(|xs: Arr<F64>, ys: Arr<F64>, zs: Arr<F64>| {
        let f = |x: F64| x * zs.map(|z| z.exp().sin()).sum();
        (xs.map(f), ys.map(f))
    })?;
    let arguments = [Value::new(vec![1.0, 2.0])?, Value::new(vec![3.0, 4.0, 5.0])?, Value::new(vec![0.5, 0.25])?];
    let found = p.run(&arguments)?;
    assert_eq!(p.simplified().run(&arguments)?, found);
    let jvp = p.jvp()?.run(&[&arguments[..], &arguments].concat())?;
    assert_eq!(jvp[..2], found);
    let vjp = p.vjp()?.run(&[&arguments[..], &found].concat())?;
    assert_eq!(vjp[..2], found);
    assert_eq!([vjp[2].sizes(), vjp[3].sizes(), vjp[4].sizes()], [[2], [3], [2]]);
    Ok(())
}

#[test]
fn places_that_a_loop_comes_to_once() {
    // What is there is the zero that the loop began with.
    becomes(
        "program (xs: []f64, n: i64) {
           let zeros = replicate(n, 0.0f64)
           let ys = loop (ys: []f64 = zeros) for i < n {
             let m = sub(n, 1i64) let k = sub(m, i)
             let x = xs[k] let y = ys[k] let s = add(x, y) let e = exp(s)
             let new = ys with [k] = e return new }
           return ys }",
        "program (xs: []f64, n: i64) {
           let zeros = replicate(n, 0.0f64)
           let ys = loop (ys: []f64 = zeros) for i < n {
             let m = sub(n, 1i64) let k = sub(m, i)
             let x = xs[k] let e = exp(x)
             let new = ys with [k] = e return new }
           return ys }",
    );
    // A place that it may come to again, or read as a whole, has what was written there.
    for (index, read) in [("mul(i, n)", "ys[k]"), ("add(i, m)", "ys[0i64]"), ("quot(i, 2i64)", "ys[k]")] {
        let again = format!(
            "program (xs: []f64, n: i64) {{
               let zeros = replicate(n, 0.0f64)
               let ys, last = loop (ys: []f64 = zeros, m: i64 = 0i64) for i < n {{
                 let k = {index} let x = xs[k] let y = {read} let s = add(x, y) let e = exp(s)
                 let new = ys with [k] = e let l = add(m, k) return new, l }}
               return ys }}"
        );
        let simple = Program::parse(&again).unwrap().simplified().to_string();
        assert!(simple.contains("f64 = add("), "{simple}");
    }
}

#[test]
fn regular_accumulators() {
    const ADD: &str = "|p: f64, q: f64| { let r = add(p, q) return r }";
    // To one place: a sum.
    becomes(
        "program (xs: []f64, bins: []f64, k: i64) {
            let a = accumulator(bins)
            let b = map (xs) adding (a) |x: f64, to: acc []f64| { let e = sin(x) let d = to with [k] += e return d }
            let c = array(b) return c }",
        &format!(
            "program (xs: []f64, bins: []f64, k: i64) {{
                let a = accumulator(bins)
                let es = map (xs) |x: f64| {{ let e = sin(x) return e }}
                let s = reduce commutative (es) from (0.0f64) {ADD}
                let b = a with [k] += s let c = array(b) return c }}"
        ),
    );
    // To the place of its number: the array of all.
    becomes(
        "program (xs: []f64) {
            let n = size[0](xs) let is = iota(n) let z = replicate(n, 0.0f64) let a = accumulator(z)
            let b = map (xs, is) adding (a) |x: f64, i: i64, to: acc []f64| {
                let e = sin(x) let d = to with [i] += e return d }
            let c = array(b) return c }",
        "program (xs: []f64) { let c = map (xs) |x: f64| { let e = sin(x) return e } return c }",
    );
    // To any place: a histogram.
    becomes(
        "program (xs: []f64, is: []i64, bins: []f64) {
            let a = accumulator(bins)
            let b = map (xs, is) adding (a) |x: f64, i: i64, to: acc []f64| {
                let e = sin(x) let d = to with [i] += e return d }
            let c = array(b) return c }",
        &format!(
            "program (xs: []f64, is: []i64, bins: []f64) {{
                let es = map (xs) |x: f64| {{ let e = sin(x) return e }}
                let c = hist (bins) at is (es) from (0.0f64) {ADD} return c }}"
        ),
    );
    // To one place or none: as it is.
    let irregular = "program (xs: []f64, bins: []f64) {
        let a = accumulator(bins)
        let b = map (xs) adding (a) |x: f64, to: acc []f64| {
            let p = lt(x, 0.0f64)
            let d = if p { let d = to with [0i64] += x return d } else { return to }
            return d }
        let c = array(b) return c }";
    becomes(irregular, irregular);
}

#[test]
fn sums_of_arrays_that_would_be_kept_are_left_to_accumulators() {
    // Each element adds a multiple of a row: of one that is there, or of one that another part of the element needs too.
    let sums = |row: &str| {
        let source = format!(
            "program (xss: [][]f64, ys: []f64, bins: []f64) {{
                let a = accumulator(bins)
                let ts, b = map (xss, ys) adding (a) |xs: []f64, y: f64, to: acc []f64| {{
                    {row}
                    let t = reduce (row) from (0.0f64) |p: f64, q: f64| {{ let r = add(p, q) return r }}
                    let w = mul(t, y)
                    let added = map (row) |p: f64| {{ let q = mul(p, w) return q }}
                    let d = to with [] += added
                    return t, d }}
                let c = array(b) return ts, c }}"
        );
        let simple = Program::parse(&source).unwrap().simplified();
        (simple.types().iter().any(|t| t.accumulator), simple.to_string())
    };
    for there in ["let row = copy(xs)", "let row = reverse(xs)"] {
        let (accumulates, text) = sums(there);
        assert!(!accumulates, "{text}");
    }
    let (accumulates, text) = sums("let row = scan (xs) from (1.0f64) |p: f64, q: f64| { let r = mul(p, q) return r }");
    assert!(accumulates, "{text}");
    assert!(!text.contains("[][]f64, v"), "{text}");
}

fn product() -> Result<Program> {
    Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| a.matmul(b))
}

#[test]
fn the_adjoints_of_a_matrix_product_are_matrix_products() -> Result<()> {
    let vjp = product()?.vjp()?;
    assert!(!vjp.types().iter().any(|t| t.accumulator || t.rank > 2), "{vjp}");
    // The product of an n×k by a k×m matrix, and each adjoint, take n·k·m multiplications and as many additions.
    let (n, k, m) = (3, 4, 5);
    let matrix =
        |rows: usize, columns: usize| Value::reals(&[rows, columns], (0..rows * columns).map(|i| (i as f64).sin()));
    let (a, b, c) = (matrix(n, k)?, matrix(k, m)?, matrix(n, m)?);
    let (_, work) = simplification::cost(&vjp, &[a, b, c])?;
    assert_eq!(work.additions + work.others, 3 * 2 * (n * k * m) as u64);
    Ok(())
}

#[test]
fn perfect_nests_are_executed_once() -> Result<()> {
    // What the forward sweep gives, the reverse sweep takes.
    let nest = Program::trace(|xs: Arr<Arr<F64>>| xs.map(|row| row.map(catadiff::Elementary::exp)))?;
    let vjp = nest.vjp()?;
    let arguments = [Value::new([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])?, Value::new([[1.0; 3]; 2])?];
    let (_, work) = simplification::cost(&vjp, &arguments)?;
    // One exponential and one product for each element.
    assert_eq!(work.additions + work.others, 2 * 6, "{vjp}");
    Ok(())
}

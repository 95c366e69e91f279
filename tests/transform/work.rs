//! The work of derivative programs: operations on reals, counted, against those of their programs.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::carriers::{Counted, Counter};
use catadiff::interpret::Value;

fn some(n: usize, shift: f64) -> Vec<f64> {
    (0..n).map(|i| (1.7 * i as f64 + shift).sin() + 0.1).collect()
}

/// How many operations a program performs on these arguments.
fn operations(program: &Program, arguments: &[Value<f64>]) -> u64 {
    let counter = Counter::new();
    let counted: Vec<Value<Counted<'_, f64>>> = arguments.iter().map(|v| v.map(|x| counter.number(*x))).collect();
    program.run(&counted).unwrap();
    counter.total()
}

/// How many times the operations of a program its `vjp` performs.
fn ratio(source: &str, arguments: &[Value<f64>]) -> f64 {
    let program = Program::parse(source).unwrap();
    let results = program.run(arguments).unwrap();
    let vjp = program.vjp().unwrap();
    vjp.verify().unwrap();
    let ones = results.iter().map(|r| r.map(|_| 1.0));
    let all: Vec<Value<f64>> = arguments.iter().cloned().chain(ones).collect();
    let (primal, derivative) = (operations(&program, arguments), operations(&vjp, &all));
    let ratio = derivative as f64 / primal as f64;
    println!("{primal} → {derivative}: {ratio:.2}");
    ratio
}

/// Ratios are these, to a tenth of each: neither more work nor less goes unseen.
fn are(found: &[f64], stated: &[f64]) {
    let near = |(found, stated): (&f64, &f64)| (found / stated - 1.0).abs() <= 0.1;
    let same = found.len() == stated.len() && found.iter().zip(stated).all(near);
    assert!(same, "{found:.2?} times the work, where {stated:?} are stated");
}

/// Ratios are those that the page on the slides states of these programs.
fn are_as_stated(programs: &str, found: &[f64]) {
    let page = include_str!("../../papers/reverse-ad-for-a-functional-array-language.md");
    let row = page.lines().find_map(|line| line.strip_prefix("| ")?.strip_prefix(programs));
    let row = row.unwrap_or_else(|| panic!("{programs} is in the table of the page"));
    let cell = row.split('|').nth(1).expect("a second column");
    let stated: Vec<f64> = cell.split(';').map(|ratio| ratio.trim().parse().expect("a ratio")).collect();
    are(found, &stated);
}

fn vector(n: usize, shift: f64) -> Value<f64> {
    Value::reals(&[n], some(n, shift)).unwrap()
}

fn bins(n: usize, count: usize) -> Value<f64> {
    Value::new((0..n).map(|i| ((i * i + 3 * i) % count) as i64).collect::<Vec<i64>>()).unwrap()
}

#[test]
fn k_means_touches_one_centre_for_each_point() {
    let source = "program (points: [][]f64, centres: [][]f64) {
        let costs = map (points) |p: []f64| {
            let ds = map (centres) |c: []f64| {
                let qs = map (p, c) |x: f64, y: f64| { let d = sub(x, y) let q = mul(d, d) return q }
                let s = reduce (qs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
                return s }
            let m = reduce (ds) from (f64.inf) |a: f64, b: f64| { let c = min(a, b) return c }
            return m }
        let cost = reduce (costs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
        return cost }";
    let points = Value::reals(&[200, 4], some(800, 0.0)).unwrap();
    let centres = Value::reals(&[20, 4], some(80, 1.0)).unwrap();
    are_as_stated("k-means,", &[ratio(source, &[points, centres])]);
}

#[test]
fn the_maximum_of_a_log_sum_exp_costs_nothing() {
    let source = "program (xs: []f64) {
        let m = reduce (xs) from (-f64.inf) |a: f64, b: f64| { let c = max(a, b) return c }
        let es = map (xs) |x: f64| { let d = sub(x, m) let e = exp(d) return e }
        let s = reduce (es) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
        let l = ln(s) let y = add(l, m) return y }";
    are_as_stated("log-sum-exp with its maximum ", &[ratio(source, &[vector(100, 0.0)])]);
}

/// What finds the greatest element again may be computed in any order.
#[test]
fn the_search_for_an_extremum_may_be_in_any_order() {
    let greatest = Program::parse(
        "program (x: []f64) {
            let m = reduce (x) from (0.0f64) |a: f64, b: f64| { let c = max(a, b) return c }
            return m }",
    );
    let gradient = greatest.unwrap().grad(0).unwrap().to_string();
    assert!(gradient.contains("reduce commutative ("), "{gradient}");
    assert!(!gradient.contains("reduce ("), "{gradient}");
}

#[test]
fn products() {
    let source = "program (xs: []f64) {
        let p = reduce (xs) from (1.0f64) |a: f64, b: f64| { let c = mul(a, b) return c } return p }";
    are_as_stated("reduction by × ", &[ratio(source, &[vector(100, 0.0)])]);
    let scan = source.replace("reduce", "scan");
    are_as_stated("scan by × ", &[ratio(&scan, &[vector(100, 0.0)])]);
}

#[test]
fn linear_recurrences() {
    let source = "program (cs: []f64, ds: []f64) {
        let p, y = scan (cs, ds) from (1.0f64, 0.0f64) |a: f64, b: f64, c: f64, d: f64| {
            let e = mul(a, c) let f = mul(b, c) let g = add(f, d) return e, g }
        return y }";
    let arguments = [vector(100, 0.0), vector(100, 1.0)];
    let ratios = [ratio(source, &arguments), ratio(&source.replace("scan", "reduce"), &arguments)];
    are_as_stated("linear recurrence,", &ratios);
}

#[test]
fn products_of_matrices() {
    let source = "program (a: []f64, b: []f64, c: []f64, d: []f64) {
        let w, x, y, z = scan (a, b, c, d) from (1.0f64, 0.0f64, 0.0f64, 1.0f64)
            |a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64| {
            let ae = mul(a, e) let bg = mul(b, g) let af = mul(a, f) let bh = mul(b, h)
            let ce = mul(c, e) let dg = mul(d, g) let cf = mul(c, f) let dh = mul(d, h)
            let w = add(ae, bg) let x = add(af, bh) let y = add(ce, dg) let z = add(cf, dh) return w, x, y, z }
        return w, x, y, z }";
    let arguments: Vec<Value<f64>> = (0..4).map(|k| vector(100, f64::from(k))).collect();
    let ratios = [ratio(source, &arguments), ratio(&source.replace("scan", "reduce"), &arguments)];
    are_as_stated("products of 2 × 2 matrices,", &ratios);
}

#[test]
fn histograms() {
    let product = "program (bins: []f64, is: []i64, xs: []f64) {
        let y = hist (bins) at is (xs) from (1.0f64) |a: f64, b: f64| { let c = mul(a, b) return c } return y }";
    let arguments = [vector(10, 0.0), bins(200, 10), vector(200, 1.0)];
    let general = "program (bins: []f64, is: []i64, xs: []f64) {
        let y = hist (bins) at is (xs) from (0.0f64) |a: f64, b: f64| {
            let p = mul(a, b) let s = add(a, b) let c = add(p, s) return c } return y }";
    let largest = product.replace("mul", "max").replace("1.0f64", "-f64.inf");
    let ratios = [product, &largest, general].map(|source| ratio(source, &arguments));
    are_as_stated("histogram by ×;", &ratios);
}

#[test]
fn a_row_that_is_written_is_not_computed_again_for_its_size() {
    let sines = Program::trace(|x: Arr<Arr<F64>>| {
        loop_for(x.len(), x.zeros_like(), |i, rows| rows.with(i, x.index(i).map(|x| x.sin())))
    });
    let reverse = sines.unwrap().vjp().unwrap().to_string();
    assert_eq!(reverse.matches("= sin(").count(), 1, "{reverse}");
}

/// The value and the derivative by one map: what both need is computed once, whatever the adjoint.
#[test]
fn the_return_through_a_map_shares_what_the_map_computed() {
    let source = "program (xs: []f64, ys: []f64) {
        let zs = map (xs, ys) |x: f64, y: f64| {
            let p = mul(x, y) let e = exp(p) let t = tanh(e) let c = cos(t) let s = add(c, x) return s }
        let total = reduce (zs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
        return total }";
    // Of each element: five operations and a sum; then a sine with its sign, the square and the difference of the partial
    // of the tangent, five products and a sum.
    are(&[ratio(source, &[vector(100, 0.0), vector(100, 1.0)])], &[2.67]);
    let program = Program::parse(source).unwrap();
    let reverse = program.vjp().unwrap().to_string();
    for once in ["= exp(", "= tanh(", "= cos(", "= sin("] {
        assert_eq!(reverse.matches(once).count(), 1, "{reverse}");
    }
}

/// The adjoint may come by maps of what the map gave: they become part of the one map.
#[test]
fn the_return_shares_also_where_the_adjoint_is_of_the_results() {
    let source = "program (xs: []f64, ys: []f64) {
        let zs = map (xs, ys) |x: f64, y: f64| {
            let p = mul(x, y) let e = exp(p) let t = tanh(e) let c = cos(t) let s = add(c, x) return s }
        let squares = map (zs) |z: f64| { let q = mul(z, z) return q }
        let total = reduce (squares) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
        return total }";
    let reverse = Program::parse(source).unwrap().vjp().unwrap().to_string();
    for once in ["= exp(", "= tanh("] {
        assert_eq!(reverse.matches(once).count(), 1, "{reverse}");
    }
}

/// Also where it is what one of two branches gives.
#[test]
fn the_state_after_a_choice_is_not_computed_again() {
    let source = "program (x: f64, ws: []f64) {
        let n = size[0](ws)
        let y = loop (y: f64 = x) for i < n {
            let w = ws[i] let p = mul(w, y) let is_less = lt(y, w)
            let z = if is_less { let e = exp(p) return e } else { let q = mul(p, p) let t = tanh(q) return t }
            return z }
        return y }";
    let reverse = Program::parse(source).unwrap().vjp().unwrap().to_string();
    for once in ["= exp(", "= tanh("] {
        assert_eq!(reverse.matches(once).count(), 1, "{once} in {reverse}");
    }
}

/// Of an array that is only written to nothing is kept, so that it takes no room in which states could be.
#[test]
fn what_is_only_written_leaves_room_for_states() {
    let source = "program (x: f64, w: []f64, n: i64) {
        let a, y, k = loop (a: []f64 = w, y: f64 = x, i: i64 = 0i64) while { let c = lt(i, n) return c } {
            let e = exp(y) let s = sin(e) let b = a with [i] = s let j = add(i, 1i64) return b, s, j }
        return a, y }";
    are(&[ratio(source, &[0.3.into(), vector(5000, 0.0), 20_i64.into()])], &[3.5]);
}

/// Components of rows that have nothing to do with each other return each by the rule of its own operator.
#[test]
fn components_of_rows_return_by_themselves() {
    let source = "program (xs: [][]f64, ys: [][]f64) {
        let m = size[1](xs) let e = replicate(m, 0.0f64) let f = replicate(m, -f64.inf)
        let s, t = reduce (xs, ys) from (e, f) |a: []f64, b: []f64, c: []f64, d: []f64| {
            let u, v = map (a, b, c, d) |a: f64, b: f64, c: f64, d: f64| {
                let u = add(a, c) let v = max(b, d) return u, v }
            return u, v }
        return s, t }";
    let rows = |shift: f64| Value::reals(&[20, 4], some(80, shift)).unwrap();
    are(&[ratio(source, &[rows(0.0), rows(1.0)])], &[1.52]);
}

/// What an iteration gives is the state that the reverse sweep was in before.
#[test]
fn the_state_after_an_iteration_is_not_computed_again() {
    let source = "program (x: f64, ws: []f64) {
        let n = size[0](ws)
        let y = loop (y: f64 = x) for i < n { let w = ws[i] let p = mul(w, y) let t = tanh(p) return t }
        return y }";
    let reverse = Program::parse(source).unwrap().vjp().unwrap().to_string();
    assert_eq!(reverse.matches("= tanh(").count(), 1, "{reverse}");
    // Two operations forward; back the square and the difference of the partial, and three products.
    let arguments = [0.3.into(), vector(50, 0.0)];
    are(&[ratio(source, &arguments)], &[3.5]);
    let of_vectors = "program (xs: []f64, n: i64) {
        let ys = loop (ys: []f64 = xs) for i < n {
            let zs = map (ys) |y: f64| { let e = exp(y) let s = sin(e) return s }
            return zs }
        return ys }";
    let reverse = Program::parse(of_vectors).unwrap().vjp().unwrap().to_string();
    assert_eq!(reverse.matches("= sin(").count(), 1, "{reverse}");
}

/// What does not depend on the direction is computed once, also where one map computes it together with the tangent.
#[test]
fn many_directions_share_the_values() {
    let (n, directions) = (20, 10);
    let program = Program::parse(
        "program (xs: []f64) {
            let ys = map (xs) |x: f64| { let e = exp(x) let t = tanh(e) return t }
            let zs = map (ys, xs) |y: f64, x: f64| { let s = sin(y) let p = mul(s, x) let e = exp(p) return e }
            let t = reduce (zs) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
            return t }",
    )
    .unwrap();
    let (xs, tangent) = (vector(n, 0.0), vector(n, 1.0));
    let tangents = Value::rows(vec![tangent.clone(); directions]).unwrap();
    let one = program.jvp().unwrap().run(&[xs.clone(), tangent]).unwrap();
    let jmp = program.jmp().unwrap();
    jmp.verify().unwrap();
    let many = jmp.run(&[xs.clone(), tangents.clone()]).unwrap();
    assert_eq!(many, [one[0].clone(), Value::rows(vec![one[1].clone(); directions]).unwrap()]);
    let (values, all) = (operations(&program, std::slice::from_ref(&xs)), operations(&jmp, &[xs, tangents]));
    println!("{values} → {all}");
    // Of each element a direction needs the partials of the two exponentials, of the tangent and of the sine, with the
    // arguments of the first and the third, six products and two sums.
    assert!(all <= values + (15 * n * directions) as u64, "{jmp}");
    assert_eq!(jmp.to_string().matches("= tanh(").count(), 1, "{jmp}");
}

/// What is chosen in a choice is executed once more to return through it, however deep it is, also if what it compares is
/// not known to be equal beforehand.
#[test]
fn choices_in_choices_are_executed_again_once() {
    let source = "program (xs: []f64, ws: []f64, n: i64) {
        let ys = loop (ys: []f64 = xs) for i < n {
            let kind = rem(i, 3i64)
            let is_first = eq(kind, 0i64)
            let ys = if is_first { return ys } else {
                let is_second = eq(kind, 1i64)
                let ys = if is_second { return ys } else {
                    let zs, vs = loop (zs: []f64 = ys, vs: []f64 = ws) for j < 4i64 {
                        let half = rem(j, 2i64)
                        let is_odd = eq(half, 1i64)
                        let zs, vs = if is_odd { return zs, vs } else {
                            let us = map (zs, vs) |z: f64, v: f64| { let p = mul(z, v) let s = sin(p) return s }
                            return us, us }
                        return zs, vs }
                    let us = map (zs, vs) |z: f64, v: f64| { let p = mul(z, v) return p }
                    return us }
                return ys }
            return ys }
        return ys }";
    let reverse = Program::parse(source).unwrap().vjp().unwrap().to_string();
    // In the sweep forward, and in return for the states of the inner loop; in return through that one states are known.
    assert_eq!(reverse.matches("= sin(").count(), 2, "{reverse}");
    are(&[ratio(source, &[vector(10, 0.0), vector(10, 1.0), 12_i64.into()])], &[4.8]);
}

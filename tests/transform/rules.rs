//! The rules of array programs one by one, with the corner cases of each: at each point both modes, and their
//! derivatives in both modes, are compared with the interpreter on dual numbers.

use crate::points::{Arguments, check, indices, matrix, pulled, reals, shown};
use catadiff::Error;
use catadiff::array::Program;
use catadiff_laws::Verdict;

/// Derivatives of kinds that dual numbers do not have are compared with these.
fn derivatives(source: &str, arguments: Arguments, tangents: Arguments, adjoints: Arguments) -> [String; 2] {
    let program = Program::parse(source).unwrap();
    let pushed = program.jvp().unwrap().run(&[&arguments[..], &tangents].concat()).unwrap();
    [shown(&pushed[adjoints.len()..]), pulled(source, arguments, adjoints)]
}

mod scalars {
    use super::{Verdict, check, derivatives};

    #[test]
    fn rows_have_the_partials_of_the_table() -> Verdict {
        let source = "program (x: f64, y: f64) {
            let a = sin(x) let b = mul(a, y) let c = div(b, x) let d = pow(c, y) let e = max(d, a)
            return e, b, c }";
        check(source, vec![vec![0.7.into(), 1.3.into()], vec![1.5.into(), 0.4.into()]])
    }

    #[test]
    fn ties_go_to_the_first() {
        let tie = "program (x: f64, y: f64) { let a = min(x, y) let b = max(x, y) return a, b }";
        let two = || vec![2.0.into(), 2.0.into()];
        let [pushed, pulled] = derivatives(tie, two(), vec![1.0.into(), 5.0.into()], vec![1.0.into(), 10.0.into()]);
        assert_eq!((pushed.as_str(), pulled.as_str()), ("1; 1", "11; 0"));
    }

    #[test]
    fn a_side_that_is_not_taken_is_not_felt() {
        // At 0 the logarithm and its derivative are infinite.
        let guarded = "program (x: f64, w: f64) {
            let l = ln(x) let p = mul(l, 3.0f64) let y = select(x, p, w) return y }";
        let [pushed, pulled] =
            derivatives(guarded, vec![0.0.into(), 3.0.into()], vec![1.0.into(), 1.0.into()], vec![2.0.into()]);
        assert_eq!((pushed.as_str(), pulled.as_str()), ("1", "0; 2"));
    }

    #[test]
    fn a_constant_at_a_singular_point_stays_one() {
        let root = "program (x: f64, c: f64) { let r = sqrt(c) let y = add(r, x) return y }";
        let [pushed, _] =
            derivatives(root, vec![2.0.into(), 0.0.into()], vec![1.0.into(), 0.0.into()], vec![1.0.into()]);
        assert_eq!(pushed, "1");
    }

    /// What `scale` multiplies by a partial derivative is a tangent: one that is 0 stays 0 by an infinite one, in both modes; and the derivative
    /// of a tangent that is 0 has no effect at all, however steep it changes.
    #[test]
    fn a_tangent_of_zero_is_not_felt_by_what_scales_it() {
        let scale = "program (t: f64, by: f64) { let y = scale(t, by) return y }";
        let at = |t: f64, by: f64, dt: f64, dby: f64| {
            derivatives(scale, vec![t.into(), by.into()], vec![dt.into(), dby.into()], vec![1.0.into()])
        };
        assert_eq!(at(2.0, 3.0, 5.0, 7.0), ["29", "3; 2"]);
        assert_eq!(at(2.0, f64::INFINITY, 0.0, 1.0)[0], "2");
        assert_eq!(at(0.0, 3.0, 1.0, f64::INFINITY)[0], "3");
        assert_eq!(at(0.0, 3.0, 1.0, f64::NAN)[0], "3");
        // So is the adjoint that is 0 of what was scaled.
        let unread = "program (t: f64, by: f64, c: f64) { let y = scale(t, by) let z = mul(y, c) return z }";
        let infinite = vec![2.0.into(), f64::INFINITY.into(), 0.0.into()];
        let [_, pulled] = derivatives(unread, infinite, vec![0.0.into(); 3], vec![1.0.into()]);
        assert_eq!(pulled, "0; 0; inf");
    }

    #[test]
    fn powers_at_zero() {
        let power = "program (x: f64, y: f64) { let z = pow(x, y) return z }";
        let at =
            |y: f64| derivatives(power, vec![0.0.into(), y.into()], vec![1.0.into(), 0.0.into()], vec![1.0.into()]);
        assert_eq!(at(1.0)[1], "1; 0");
        assert_eq!(at(0.0)[1], "0; 0");
        assert_eq!(at(2.0)[1], "0; 0");
    }

    #[test]
    fn integers_wrap_and_follow_their_ring() {
        let source = "program (x: i64, y: i64) {
            let p = mul(x, y) let s = sub(p, y) let q = quot(s, y) let m = min(x, y) return s, q, m }";
        let [pushed, pulled] = derivatives(
            source,
            vec![7_i64.into(), 1_i64.into()],
            vec![1_i64.into(), 10_i64.into()],
            vec![1_i64.into(), 0_i64.into(), 100_i64.into()],
        );
        // ds = dx·y + x·dy − dy = 1 + 70 − 10; dq = ds quot 1 − 6·dy; the smaller is y.
        assert_eq!(pushed, "61; 1; 10");
        assert_eq!(pulled, "1; 106");
        let wrapped = "program (x: i32) { let p = mul(x, x) return p }";
        let [pushed, _] = derivatives(wrapped, vec![i32::MAX.into()], vec![1_i32.into()], vec![1_i32.into()]);
        assert_eq!(pushed, "-2");
    }

    #[test]
    fn truth_values_and_conversions() {
        let not = "program (x: bool) { let y = not(x) return y }";
        assert_eq!(derivatives(not, vec![true.into()], vec![true.into()], vec![true.into()]), ["true", "true"]);
        let and = "program (x: bool, y: bool) { let z = mul(x, y) return z }";
        let [pushed, pulled] =
            derivatives(and, vec![true.into(), false.into()], vec![true.into(), true.into()], vec![true.into()]);
        assert_eq!((pushed.as_str(), pulled.as_str()), ("true", "false; true"));
        let less = "program (x: f64, y: f64) { let z = lt(x, y) return z }";
        let [pushed, pulled] =
            derivatives(less, vec![1.0.into(), 2.0.into()], vec![1.0.into(), 1.0.into()], vec![true.into()]);
        assert_eq!((pushed.as_str(), pulled.as_str()), ("false", "0; 0"));
        let convert = "program (x: f64) { let n = i32(x) return n }";
        assert_eq!(derivatives(convert, vec![1.0.into()], vec![1.0.into()], vec![3_i32.into()]), ["1", "3"]);
    }
}

mod combinators {
    use super::{Verdict, check, indices, matrix, reals};

    #[test]
    fn a_map_with_scalars_and_arrays_from_outside() -> Verdict {
        // `xs` is both mapped and read at any place.
        let source = "program (xs: []f64, k: f64, table: []f64, is: []i64) {
            let ys = map (xs, is) |x: f64, i: i64| {
                let g = table[i] let h = xs[i] let a = mul(x, k) let b = sin(a) let c = mul(b, g) let d = mul(c, h) return d }
            let total = reduce (ys) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
            return total, ys }";
        let table = || reals(&[1.0, 2.0, -1.5]);
        check(
            source,
            vec![
                vec![reals(&[0.3, -0.4, 1.1]), 0.8.into(), table(), indices(&[2, 0, 2])],
                vec![reals(&[0.3]), 0.8.into(), table(), indices(&[0])],
                vec![reals(&[]), 0.8.into(), table(), indices(&[])],
            ],
        )
    }

    const MATMUL: &str = "program (a: [][]f64, b: [][]f64) {
        let bt = permute[1, 0](b)
        let c = map (a) |row: []f64| {
            let d = map (bt) |column: []f64| {
                let p = map (row, column) |x: f64, y: f64| { let z = mul(x, y) return z }
                let s = reduce (p) from (0.0f64) |x: f64, y: f64| { let z = add(x, y) return z }
                return s }
            return d }
        return c }";

    #[test]
    fn a_product_of_matrices() -> Verdict {
        let (a, b) = ([0.3, -0.4, 1.1, 0.2, 0.5, 0.9], [1.0, 2.0, -1.5, 0.2, 0.1, 0.4]);
        check(MATMUL, vec![vec![matrix(2, 3, &a), matrix(3, 2, &b)], vec![matrix(0, 3, &[]), matrix(3, 2, &b)]])
    }

    /// Points with ties, with no zero, one and two, with one element and with none.
    fn lists() -> Vec<Vec<f64>> {
        let lists: [&[f64]; 8] = [
            &[0.3, -0.4, 1.1, 0.7],
            &[0.5],
            &[],
            &[1.0, 1.0, 0.2],
            &[0.0, 2.0, 3.0],
            &[0.0, 2.0, 0.0],
            &[2.0, 5.0, 5.0, 1.0],
            &[-0.0, 0.0],
        ];
        lists.iter().map(|x| x.to_vec()).collect()
    }

    #[test]
    fn reductions_and_scans_of_scalars() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for (op, neutral) in [("add", "0.0f64"), ("mul", "1.0f64"), ("min", "f64.inf"), ("max", "-f64.inf")] {
                let source = format!(
                    "program (xs: []f64) {{
                        let y = {combinator} (xs) from ({neutral}) |a: f64, b: f64| {{ let c = {op}(a, b) return c }}
                        return y }}"
                );
                check(&source, lists().iter().map(|x| vec![reals(x)]).collect())?;
            }
        }
        Ok(())
    }

    #[test]
    fn operators_on_pairs_do_not_commute() -> Verdict {
        // Composition of the linear functions a·x + b.
        for combinator in ["reduce", "scan"] {
            let source = format!(
                "program (xs: []f64, ys: []f64) {{
                    let s, t = {combinator} (xs, ys) from (1.0f64, 0.0f64) |a: f64, b: f64, c: f64, d: f64| {{
                        let e = mul(a, c) let f = mul(b, c) let g = add(f, d) return e, g }}
                    return s, t }}"
            );
            check(&source, lists().iter().map(|x| vec![reals(x), reals(&vec![0.6; x.len()])]).collect())?;
        }
        Ok(())
    }

    #[test]
    fn operators_with_variables_from_outside() -> Verdict {
        // x + y + k·t₁·x·y is associative.
        for combinator in ["reduce", "scan"] {
            let source = format!(
                "program (xs: []f64, k: f64, table: []f64) {{
                    let y = {combinator} (xs) from (0.0f64) |a: f64, b: f64| {{
                        let t = table[1i64] let p = mul(a, b) let q = mul(p, k) let r = mul(q, t)
                        let s = add(a, b) let u = add(r, s) return u }}
                    return y }}"
            );
            let outside = || vec![0.8.into(), reals(&[1.0, 2.0])];
            check(&source, lists().iter().map(|x| [vec![reals(x)], outside()].concat()).collect())?;
        }
        Ok(())
    }

    #[test]
    fn operators_on_arrays() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for (op, neutral) in [("add", "0.0f64"), ("mul", "1.0f64"), ("max", "-f64.inf")] {
                let source = format!(
                    "program (xs: [][]f64) {{
                        let e = replicate(2i64, {neutral})
                        let y = {combinator} (xs) from (e) |a: []f64, b: []f64| {{
                            let c = map (a, b) |x: f64, y: f64| {{ let z = {op}(x, y) return z }} return c }}
                        return y }}"
                );
                let full = matrix(3, 2, &[0.3, -0.4, 1.1, 0.2, 0.7, -0.9]);
                check(&source, vec![vec![full], vec![matrix(1, 2, &[0.3, 0.4])], vec![matrix(0, 2, &[])]])?;
            }
        }
        Ok(())
    }

    #[test]
    fn histograms() -> Verdict {
        for (op, neutral) in [("add", "0.0f64"), ("mul", "1.0f64"), ("min", "f64.inf"), ("max", "-f64.inf")] {
            let source = format!(
                "program (bins: []f64, is: []i64, xs: []f64) {{
                    let y = hist (bins) at is (xs) from ({neutral}) |a: f64, b: f64| {{ let c = {op}(a, b) return c }}
                    return y }}"
            );
            check(
                &source,
                vec![
                    // Out of bounds on either side, equal indices, and ties of values with each other and with a bin.
                    vec![
                        reals(&[0.3, -0.4, 1.1]),
                        indices(&[2, 0, 2, 7, -1, 0]),
                        reals(&[0.5, 0.3, 1.1, 2.0, 3.0, -0.7]),
                    ],
                    vec![reals(&[9.0, -9.0]), indices(&[0, 0, 1, 1]), reals(&[1.0, 1.0, 2.0, 2.0])],
                    vec![reals(&[0.0, -0.4, 1.1]), indices(&[2, 0, 2, 0]), reals(&[0.0, 3.0, 0.0, 2.0])],
                    vec![reals(&[]), indices(&[2]), reals(&[0.5])],
                    vec![reals(&[1.0]), indices(&[]), reals(&[])],
                ],
            )?;
        }
        Ok(())
    }

    #[test]
    fn scatters() -> Verdict {
        let source = "program (xs: []f64, is: []i64, ys: []f64) {
            let a = scatter(xs, is, ys)
            let b = map (a) |x: f64| { let y = sin(x) return y }
            return b }";
        let xs = || reals(&[0.3, -0.4, 1.1, 2.0]);
        check(
            source,
            vec![
                // Index 2 comes twice: the last is kept, and alone has an effect.
                vec![xs(), indices(&[2, 0, 2, 7, -1]), reals(&[0.5, 0.3, 1.3, 2.0, 3.0])],
                vec![xs(), indices(&[]), reals(&[])],
            ],
        )
    }
}

mod control {
    use super::{Arguments, Verdict, check, reals};

    fn points() -> Vec<Arguments> {
        let at = |n: i64| vec![reals(&[0.3, 0.9, 1.1]), 0.8.into(), n.into()];
        [0, 1, 5, 11, -2].into_iter().map(at).collect()
    }

    const BODY: &str = "{
            let j = mod(i, 3i64) let e = a[j] let small = lt(e, 0.5f64)
            let r = if small {
                let p = mul(e, k) let s = sin(p) let z = xs[j] let t = mul(s, z) return t
            } else { let p = mul(e, sum) let q = tanh(p) return q }
            let s = add(r, sum) let b = a with [j] = r";

    #[test]
    fn loops_with_updates_and_branches() -> Verdict {
        for policy in ["", "strip_mine[2]", "strip_mine[3]", "binomial[1]", "binomial[2]", "binomial[3]"] {
            let source = format!(
                "program (xs: []f64, k: f64, n: i64) {{
                    let s, a = loop {policy} (sum: f64 = 0.4f64, a: []f64 = xs) for i < n {BODY} return s, b }}
                    return s, a }}"
            );
            check(&source, points())?;
        }
        Ok(())
    }

    #[test]
    fn loops_that_ask() -> Verdict {
        for (bound, policy) in [("", ""), ("[20i64]", ""), ("", "strip_mine[2]"), ("[20i64]", "binomial[2]")] {
            let source = format!(
                "program (x: f64, k: f64) {{
                    let y = loop {policy} (v: f64 = x) while{bound} {{ let more = lt(v, 10.0f64) return more }} {{
                        let s = mul(v, v) let t = add(s, k) return t }}
                    return y }}"
            );
            check(&source, vec![vec![1.1.into(), 0.3.into()], vec![11.0.into(), 0.3.into()]])?;
        }
        Ok(())
    }

    #[test]
    fn loops_in_maps_and_maps_in_loops() -> Verdict {
        let source = "program (xs: []f64, table: []f64) {
            let ys = map (xs) |x: f64| {
                let y = loop (v: f64 = 1.0f64) for i < 2i64 {
                    let t = table[i] let p = mul(v, t) let s = sin(x) let q = add(p, s) return q }
                return y }
            let zs = loop (zs: []f64 = ys) for i < 3i64 {
                let ws = map (zs) |z: f64| { let t = table[0i64] let u = mul(z, t) let w = sin(u) return w }
                return ws }
            return zs }";
        check(source, vec![vec![reals(&[0.3, 0.9, 1.1]), reals(&[0.8, 0.4])], vec![reals(&[]), reals(&[0.8, 0.4])]])
    }

    #[test]
    fn loops_in_loops() -> Verdict {
        let source = "program (x: f64) {
            let y = loop (v: f64 = x) for i < 3i64 {
                let w = loop (u: f64 = v) for j < 4i64 { let p = mul(u, x) let q = sin(p) return q }
                return w }
            return y }";
        check(source, vec![vec![0.7.into()]])
    }
}

#[test]
fn what_has_no_rule_is_refused_by_name() {
    let source = "program (xs: []f64, b: bool) {
        let a = accumulator(xs)
        let ys = if b { let r = array(a) return r } else { let r = array(a) return r }
        return ys }";
    let program = Program::parse(source).unwrap();
    for error in [program.jvp().unwrap_err(), program.vjp().unwrap_err()] {
        assert!(
            matches!(&error, Error::NotDifferentiable { operation, .. } if operation == "an accumulator"),
            "{error}"
        );
    }
}

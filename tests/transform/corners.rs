//! Corner cases of derivatives of array programs, with the values they must have: ties, zeros, indices out of bounds,
//! nothing at all, what is read at one place, and neutral elements that are not constant.

use crate::points::{check, indices, matrix, pulled, reals};
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, loop_for, replicate};
use catadiff::interpret::Value;
use catadiff::{Error, Result};
use catadiff_laws::Verdict;

fn combined(combinator: &str, op: &str, neutral: &str) -> String {
    format!(
        "program (xs: []f64) {{
            let y = {combinator} (xs) from ({neutral}) |a: f64, b: f64| {{ let c = {op}(a, b) return c }} return y }}"
    )
}

fn hist(op: &str, neutral: &str) -> String {
    format!(
        "program (bins: []f64, is: []i64, xs: []f64) {{
            let y = hist (bins) at is (xs) from ({neutral}) |a: f64, b: f64| {{ let c = {op}(a, b) return c }} return y }}"
    )
}

mod ties {
    use super::{combined, hist, indices, matrix, pulled, reals};
    use catadiff::interpret::Value;

    #[test]
    fn the_first_extremum_receives_the_adjoint() {
        let xs = || vec![reals(&[2.0, 5.0, 5.0, 2.0])];
        let of = |op: &str, neutral: &str| pulled(&combined("reduce", op, neutral), xs(), vec![7.0.into()]);
        assert_eq!(of("max", "-f64.inf"), "[0, 7, 0, 0]");
        assert_eq!(of("min", "f64.inf"), "[7, 0, 0, 0]");
    }

    #[test]
    fn rows_of_bins_that_no_value_comes_to_keep_their_adjoints() {
        for (op, neutral) in [("max", "-f64.inf"), ("min", "f64.inf"), ("add", "0.0f64"), ("mul", "1.0f64")] {
            let source = format!(
                "program (bins: [][]f64, is: []i64, xs: [][]f64) {{
                    let e = replicate(2i64, {neutral})
                    let y = hist (bins) at is (xs) from (e) |a: []f64, b: []f64| {{
                        let c = map (a, b) |x: f64, y: f64| {{ let z = {op}(x, y) return z }} return c }}
                    return y }}"
            );
            let nothing = Value::reals(&[0, 2], Vec::<f64>::new()).unwrap();
            let arguments = vec![matrix(3, 2, &[1.0; 6]), indices(&[]), nothing];
            let found = pulled(&source, arguments, vec![matrix(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
            assert_eq!(found, "[[1, 2], [3, 4], [5, 6]]; []; []", "{op}");
        }
    }

    #[test]
    fn an_extremum_of_nothing_is_the_neutral_element() {
        let nothing = pulled(&combined("reduce", "max", "-f64.inf"), vec![reals(&[])], vec![7.0.into()]);
        assert_eq!(nothing, "[]");
        // The neutral element is first, so it wins ties.
        let low = pulled(&combined("reduce", "max", "3.0f64"), vec![reals(&[3.0, 1.0])], vec![7.0.into()]);
        assert_eq!(low, "[0, 0]");
    }

    #[test]
    fn a_running_extremum_stays_with_the_first() {
        let xs = vec![reals(&[1.0, 3.0, 3.0, 2.0, 4.0])];
        let found = pulled(&combined("scan", "max", "-f64.inf"), xs, vec![reals(&[1.0, 10.0, 100.0, 1000.0, 1e4])]);
        assert_eq!(found, "[1, 1110, 0, 0, 10000]");
    }

    #[test]
    fn integers_and_truth_values_have_the_same_rules() {
        let of_integers = "program (bins: []i64, is: []i64, xs: []i64) {
            let m = reduce (xs) from (0i64) |a: i64, b: i64| { let c = max(a, b) return c }
            let y = hist (bins) at is (xs) from (0i64) |a: i64, b: i64| { let c = max(a, b) return c } return m, y }";
        let arguments = vec![indices(&[5, 1]), indices(&[0, 1, 1, 0]), indices(&[5, 7, 7, 2])];
        let found = pulled(of_integers, arguments, vec![1000_i64.into(), indices(&[1, 10])]);
        assert_eq!(found, "[1, 0]; [0, 0, 0, 0]; [0, 1010, 0, 0]");
        let of_truths = "program (xs: []bool) {
            let all = reduce (xs) from (true) |a: bool, b: bool| { let c = mul(a, b) return c }
            let any = reduce (xs) from (false) |a: bool, b: bool| { let c = add(a, b) return c } return all, any }";
        let xs = || vec![Value::new([true, false, true]).unwrap()];
        assert_eq!(pulled(of_truths, xs(), vec![true.into(), false.into()]), "[false, true, false]");
        assert_eq!(pulled(of_truths, xs(), vec![false.into(), true.into()]), "[true, true, true]");
    }

    #[test]
    fn in_a_histogram_the_bin_wins_and_then_the_first_value() {
        let arguments =
            || vec![reals(&[5.0, 1.0, 9.0]), indices(&[0, 1, 1, 0, -1, 3]), reals(&[5.0, 4.0, 4.0, 2.0, 99.0, 99.0])];
        let found = pulled(&hist("max", "-f64.inf"), arguments(), vec![reals(&[1.0, 10.0, 100.0])]);
        assert_eq!(found, "[1, 0, 100]; [0, 0, 0, 0, 0, 0]; [0, 10, 0, 0, 0, 0]");
        let found = pulled(&hist("min", "f64.inf"), arguments(), vec![reals(&[1.0, 10.0, 100.0])]);
        assert_eq!(found, "[0, 10, 100]; [0, 0, 0, 0, 0, 0]; [0, 0, 0, 1, 0, 0]");
    }
}

mod zeros {
    use super::{combined, pulled, reals};
    use catadiff::array::Program;

    #[test]
    fn of_products() {
        let of = |xs: &[f64]| pulled(&combined("reduce", "mul", "1.0f64"), vec![reals(xs)], vec![10.0.into()]);
        assert_eq!(of(&[2.0, 3.0, 4.0]), "[120, 80, 60]");
        assert_eq!(of(&[2.0, 0.0, 4.0]), "[0, 80, 0]");
        assert_eq!(of(&[0.0, 3.0, 0.0]), "[0, 0, 0]");
        assert_eq!(of(&[3.0]), "[10]");
        assert_eq!(of(&[]), "[]");
        let times_five = pulled(&combined("reduce", "mul", "5.0f64"), vec![reals(&[2.0, 3.0])], vec![10.0.into()]);
        assert_eq!(times_five, "[150, 100]");
    }

    #[test]
    fn of_products_at_second_order() {
        // The Hessian of x y z at (0, 0, 5) is 5 for x and y: a rule by division or by counting of zeros has lost it.
        let product = Program::parse(&combined("reduce", "mul", "1.0f64")).unwrap();
        let hessian = product.vjp().unwrap().jvp().unwrap();
        let arguments = [reals(&[0.0, 0.0, 5.0]), 1.0.into(), reals(&[1.0, 0.0, 0.0]), 0.0.into()];
        assert_eq!(hessian.run(&arguments).unwrap()[3].to_string(), "[0, 5, 0]");
        let twice = product.vjp().unwrap().vjp().unwrap();
        let arguments = [reals(&[0.0, 0.0, 5.0]), 1.0.into(), 0.0.into(), reals(&[1.0, 0.0, 0.0])];
        assert_eq!(twice.run(&arguments).unwrap()[2].to_string(), "[0, 5, 0]");
    }

    #[test]
    fn of_running_products() {
        let found =
            pulled(&combined("scan", "mul", "1.0f64"), vec![reals(&[2.0, 0.0, 4.0])], vec![reals(&[1.0, 10.0, 100.0])]);
        // y = x₀, x₀x₁, x₀x₁x₂.
        assert_eq!(found, "[1, 820, 0]");
    }
}

mod places {
    use super::{hist, indices, pulled, reals};
    use catadiff::interpret::Value;

    #[test]
    fn out_of_bounds_receives_nothing() {
        let arguments = vec![reals(&[1.0, 2.0]), indices(&[0, -1, 2, 1]), reals(&[3.0, 4.0, 5.0, 6.0])];
        for (op, neutral, expected) in [
            ("add", "0.0f64", "[1, 10]; [0, 0, 0, 0]; [1, 0, 0, 10]"),
            ("mul", "1.0f64", "[3, 60]; [0, 0, 0, 0]; [1, 0, 0, 20]"),
        ] {
            assert_eq!(pulled(&hist(op, neutral), arguments.clone(), vec![reals(&[1.0, 10.0])]), expected);
        }
        let scatter = "program (a: []f64, is: []i64, xs: []f64) { let y = scatter(a, is, xs) return y }";
        assert_eq!(pulled(scatter, arguments, vec![reals(&[1.0, 10.0])]), "[0, 0]; [0, 0, 0, 0]; [1, 0, 0, 10]");
    }

    #[test]
    fn of_values_out_of_bounds_not_even_infinity_is_felt() {
        let arguments = vec![reals(&[2.0]), indices(&[0, 5, 5]), reals(&[3.0, f64::INFINITY, f64::NAN])];
        assert_eq!(pulled(&hist("mul", "1.0f64"), arguments, vec![reals(&[1.0])]), "[3]; [0, 0, 0]; [2, 0, 0]");
    }

    #[test]
    fn of_equal_indices_the_last_is_written() {
        let source = "program (a: []f64, is: []i64, xs: []f64) { let y = scatter(a, is, xs) return y }";
        let arguments = vec![reals(&[1.0, 2.0, 3.0]), indices(&[1, 1, 2, 9]), reals(&[4.0, 5.0, 6.0, 7.0])];
        let found = pulled(source, arguments, vec![reals(&[1.0, 10.0, 100.0])]);
        assert_eq!(found, "[1, 0, 0]; [0, 0, 0, 0]; [0, 10, 100, 0]");
    }

    #[test]
    fn indices_are_of_their_own_kind() {
        let source = "program (xs: []f64, i: i64, n: i64) {
            let x = xs[i] let a = replicate(n, x) let k = iota(n) let r = map (k) |j: i64| { let f = f64(j) return f }
            return a, r }";
        let found = pulled(
            source,
            vec![reals(&[3.0, 4.0]), 1_i64.into(), 3_i64.into()],
            vec![reals(&[1.0; 3]), reals(&[1.0; 3])],
        );
        assert_eq!(found, "[0, 3]; 0; 0");
    }

    #[test]
    fn backwards_and_scattered() {
        let source = "program (xs: []f64) {
            let n = size[0](xs) let is = iota(n) let back = reverse(is) let z = replicate(n, 0.0f64)
            let y = scatter(z, back, xs) let r = reverse(y) let s = xs with [0i64] = 5.0f64 return y, r, s }";
        let adjoints = vec![reals(&[1.0, 2.0, 3.0]), reals(&[10.0, 20.0, 30.0]), reals(&[100.0, 200.0, 300.0])];
        assert_eq!(pulled(source, vec![reals(&[7.0, 8.0, 9.0])], adjoints), "[13, 222, 331]");
    }

    #[test]
    fn empty_arrays_keep_their_sizes() {
        let source = "program (a: [][]f64, b: []f64) {
            let y = map (a) |row: []f64| {
                let p = map (row, b) |x: f64, y: f64| { let z = mul(x, y) return z }
                let s = reduce (p) from (1.0f64) |x: f64, y: f64| { let z = mul(x, y) return z }
                let m = reduce (p) from (-f64.inf) |x: f64, y: f64| { let z = max(x, y) return z }
                let t = add(s, m) return t }
            return y }";
        let vjp = catadiff::array::Program::parse(source).unwrap().vjp().unwrap();
        let empty = Value::reals(&[0, 3], Vec::<f64>::new()).unwrap();
        let found = vjp.run(&[empty, reals(&[1.0, 2.0, 3.0]), reals(&[])]).unwrap();
        assert_eq!((found[1].sizes(), found[2].to_string().as_str()), (&[0, 3][..], "[0, 0, 0]"));
        let thin = Value::reals(&[2, 0], Vec::<f64>::new()).unwrap();
        let found = vjp.run(&[thin, reals(&[]), reals(&[1.0, 1.0])]).unwrap();
        assert_eq!((found[1].sizes(), found[2].sizes()), (&[2, 0][..], &[0][..]));
    }
}

mod sparse {
    use super::{Verdict, check, indices, matrix, pulled, reals};
    use catadiff::array::Program;

    /// A map, of which one element is read, with scalars and arrays from outside.
    const ONE: &str = "program (xs: []f64, k: f64, table: []f64, i: i64) {
        let ys = map (xs) |x: f64| {
            let t = table[1i64] let p = mul(x, k) let q = mul(p, t) let s = sin(q) let h = xs[0i64]
            let r = mul(s, h) return r }
        let y = ys[i] return y }";

    #[test]
    fn a_map_is_differentiated_where_it_was_read() -> Verdict {
        let at = |i: i64| vec![reals(&[0.3, -0.4, 1.1]), 0.8.into(), reals(&[1.0, 2.0]), i.into()];
        check(ONE, vec![at(0), at(2)])?;
        let text = Program::parse(ONE).unwrap().vjp().unwrap().to_string();
        assert_eq!(text.matches("map (").count(), 1, "no map in the reverse sweep:\n{text}");
        Ok(())
    }

    #[test]
    fn what_is_read_at_a_winner_or_not_at_all() -> Verdict {
        let source = "program (xs: []f64, k: f64, table: []f64) {
            let ys = map (xs) |x: f64| {
                let zs = map (table) |t: f64| { let p = mul(x, t) let q = mul(p, k) let s = sin(q) return s }
                let m = reduce (zs) from (-f64.inf) |a: f64, b: f64| { let c = max(a, b) return c }
                let r = mul(m, x) return r }
            let m = reduce (ys) from (f64.inf) |a: f64, b: f64| { let c = min(a, b) return c }
            return m }";
        let at = |xs: &[f64], table: &[f64]| vec![reals(xs), 0.8.into(), reals(table)];
        check(source, vec![at(&[0.3, -0.4, 1.1], &[1.0, 2.0]), at(&[], &[1.0]), at(&[0.5], &[0.2])])
    }

    #[test]
    fn what_is_added_later_is_added() -> Verdict {
        let source = "program (xs: []f64, m: [][]f64, i: i64) {
            let ys = map (xs) |x: f64| { let s = sin(x) return s }
            let a = ys[i] let b = ys[0i64] let c = ys[i]
            let t = reduce (ys) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
            let u = reduce (ys) from (f64.inf) |a: f64, b: f64| { let c = min(a, b) return c }
            let row = m[i] let e = row[1i64] let f = m[0i64, i]
            let ab = mul(a, b) let abc = mul(ab, c) let tu = mul(t, u) let ef = mul(e, f)
            let r = add(abc, tu) let s = mul(r, ef) return s, ys }";
        let at = |i: i64| {
            vec![reals(&[0.3, -0.4, 1.1]), matrix(3, 3, &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]), i.into()]
        };
        check(source, vec![at(0), at(1), at(2)])
    }

    #[test]
    fn through_slices_reversals_and_copies() -> Verdict {
        let source = "program (xs: []f64, x: f64, i: i64) {
            let ys = map (xs) |x: f64| { let s = sin(x) return s }
            let part = slice ys[3i64 : 2i64 : -1i64] let back = reverse(part) let a = back[i]
            let many = replicate(4i64, a) let b = many[2i64] let all = replicate(3i64, ys) let c = all[1i64, i]
            let r = mul(b, c) let s = mul(r, x) return s }";
        let at = |i: i64| vec![reals(&[0.3, -0.4, 1.1, 0.9]), 0.7.into(), i.into()];
        check(source, vec![at(0), at(1)])
    }

    #[test]
    fn in_branches_and_loops() -> Verdict {
        let source = "program (xs: []f64, is: []i64) {
            let ys = map (xs) |x: f64| { let s = sin(x) return s }
            let first = ys[1i64]
            let n = size[0](is)
            let r = loop (r: f64 = first) for j < n {
                let i = is[j] let even = lt(i, 2i64)
                let v = if even { let a = ys[i] return a } else { let b = xs[i] let c = ys[0i64] let d = mul(b, c) return d }
                let p = mul(r, v) let q = add(p, first) return q }
            let last = xs[2i64] let z = mul(r, last) return z }";
        check(
            source,
            vec![vec![reals(&[0.3, -0.4, 1.1]), indices(&[0, 2, 1, 1])], vec![reals(&[0.3, -0.4, 1.1]), indices(&[])]],
        )
    }

    #[test]
    fn only_the_element_that_was_read_receives() {
        let source = "program (xs: []f64, i: i64) {
            let ys = map (xs) |x: f64| { let s = mul(x, x) return s } let y = ys[i] return y }";
        assert_eq!(pulled(source, vec![reals(&[3.0, 4.0, 5.0]), 1_i64.into()], vec![10.0.into()]), "[0, 80, 0]; 0");
    }
}

mod neutral_elements {
    use super::{Verdict, check, indices, pulled, reals};

    #[test]
    fn one_that_depends_on_inputs_is_the_first_operand() {
        let source = "program (xs: []f64, e: f64) {
            let y = reduce (xs) from (e) |a: f64, b: f64| { let c = mul(a, b) return c } return y }";
        assert_eq!(pulled(source, vec![reals(&[2.0, 3.0]), 5.0.into()], vec![1.0.into()]), "[15, 10]; 6");
        assert_eq!(pulled(source, vec![reals(&[]), 5.0.into()], vec![1.0.into()]), "[]; 1");
    }

    #[test]
    fn of_all_kinds_of_operators() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for op in ["add", "mul", "min", "max", "hypot"] {
                let source = format!(
                    "program (xs: []f64, x: f64) {{
                        let e = sin(x)
                        let y = {combinator} (xs) from (e) |a: f64, b: f64| {{ let c = {op}(a, b) return c }}
                        return y }}"
                );
                let at = |xs: &[f64]| vec![reals(xs), 0.7.into()];
                check(&source, vec![at(&[0.3, -0.4, 1.1, 0.5]), at(&[0.3]), at(&[])])?;
            }
            let pairs = format!(
                "program (xs: []f64, ys: []f64, x: f64) {{
                    let s, t = {combinator} (xs, ys) from (1.0f64, x) |a: f64, b: f64, c: f64, d: f64| {{
                        let e = mul(a, c) let f = mul(b, c) let g = add(f, d) return e, g }}
                    return s, t }}"
            );
            check(&pairs, vec![vec![reals(&[0.3, -0.4, 1.1]), reals(&[0.5, 0.6, 0.7]), 0.7.into()]])?;
            let rows = format!(
                "program (xs: [][]f64, x: f64) {{
                    let e = replicate(2i64, x)
                    let y = {combinator} (xs) from (e) |a: []f64, b: []f64| {{
                        let c = map (a, b) |x: f64, y: f64| {{ let z = mul(x, y) return z }} return c }}
                    return y }}"
            );
            let at = |n: usize| vec![super::matrix(n, 2, &[0.3, -0.4, 1.1, 0.5, 0.6, 0.7][..2 * n]), 0.7.into()];
            check(&rows, vec![at(0), at(1), at(3)])?;
        }
        for op in ["add", "mul", "max"] {
            let source = format!(
                "program (bins: []f64, is: []i64, xs: []f64, x: f64) {{
                    let e = mul(x, 0.0f64)
                    let y = hist (bins) at is (xs) from (e) |a: f64, b: f64| {{ let c = {op}(a, b) return c }}
                    return y }}"
            );
            let at = |is: &[i64], xs: &[f64]| vec![reals(&[0.2, -0.3, 0.9]), indices(is), reals(xs), 0.7.into()];
            check(&source, vec![at(&[0, 2, 0, 5], &[0.3, -0.4, 1.1, 0.5]), at(&[], &[])])?;
        }
        let histogram = "program (bins: []f64, is: []i64, xs: []f64, x: f64) {
            let y = hist (bins) at is (xs) from (x) |a: f64, b: f64| { let c = mul(a, b) return c } return y }";
        check(histogram, vec![vec![reals(&[0.3, 0.4]), indices(&[1, 1, 0]), reals(&[0.5, 0.6, 0.7]), 1.0.into()]])
    }
}

#[test]
fn loops_may_change_the_size_of_arrays() -> Result<()> {
    let shrinks = Program::trace(|x: Arr<F64>| loop_for(3, x, |_, x| replicate(1, x.sum())).sum())?.grad(0)?;
    assert_eq!(shrinks.at::<Vec<f64>>(&[1.0, 2.0, 3.0])?, [1.0, 1.0, 1.0]);
    assert_eq!(shrinks.at::<Vec<f64>>(&[2.0])?, [1.0]);
    Ok(())
}

/// How often a comparison is made is written by what is known where it stands, and not by what turns out to be equal further on.
#[test]
fn what_is_equal_to_what_is_bound_later() -> Result<()> {
    let f = Program::trace(|xs: Arr<F64>, times: I64, length: I64| {
        let sum = loop_for(times, 0.0, |i, sum| {
            let (rows, others) = (xs.map(|x| replicate(i, x)), xs.map(|x| replicate(length, x)));
            sum + rows.map2(others, |row, other| (row * other).sum()).sum()
        });
        let count = xs.map(|x| if_(x.eq(0.0), || 0, || 1)).sum();
        (sum, (xs + replicate(count, 1.0)).sum())
    })?;
    for program in [f.simplified(), f.only(&[0])?.grad(0)?] {
        program.verify()?;
        let arguments = |length: i64| [Value::reals(&[3], [1.0, 2.0, 3.0]).unwrap(), 1_i64.into(), length.into()];
        assert_eq!(program.run(&arguments(0))?, program.compile()?.run(&arguments(0))?);
        for error in [program.run(&arguments(2)), program.compile()?.run(&arguments(2))] {
            assert!(matches!(error, Err(Error::Sizes { first: 0 | 2, second: 0 | 2, .. })), "{error:?}");
        }
    }
    Ok(())
}

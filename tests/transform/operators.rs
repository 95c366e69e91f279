//! Reductions, scans and histograms of operators of every kind: tuples, arrays, and combinations that do not commute.
//! At each point both modes, and their derivatives in both modes, are compared with the interpreter on dual numbers.

use crate::points::{check, indices, matrix, pulled, reals};
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist};
use catadiff::{Elementary, Result};
use catadiff_laws::Verdict;

/// Numbers that are all different, some of them negative.
fn some(n: usize, shift: f64) -> Vec<f64> {
    (0..n).map(|i| (1.7 * i as f64 + shift).sin() + 0.1).collect()
}

/// Composition of the functions a x + b.
const LINEAR: &str = "|a: f64, b: f64, c: f64, d: f64| {
    let e = mul(a, c) let f = mul(b, c) let g = add(f, d) return e, g }";

/// A sum, a product and a maximum, which have nothing to do with each other.
const APART: &str = "|a: f64, b: f64, c: f64, d: f64, e: f64, f: f64| {
    let g = add(a, d) let h = mul(b, e) let i = max(c, f) return g, h, i }";

/// The product of two matrices, row by row.
const PRODUCT: &str = "|a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64| {
    let ae = mul(a, e) let bg = mul(b, g) let af = mul(a, f) let bh = mul(b, h)
    let ce = mul(c, e) let dg = mul(d, g) let cf = mul(c, f) let dh = mul(d, h)
    let w = add(ae, bg) let x = add(af, bh) let y = add(ce, dg) let z = add(cf, dh) return w, x, y, z }";

/// ln(eᵏᵃ + eᵏᵇ) / k, with k from outside.
const LOG_SUM: &str = "|a: f64, b: f64| {
    let ka = mul(k, a) let kb = mul(k, b) let p = exp(ka) let q = exp(kb)
    let s = add(p, q) let r = ln(s) let y = div(r, k) return y }";

mod tuples {
    use super::{APART, LINEAR, PRODUCT, Verdict, check, indices, pulled, reals, some};

    fn on_four(combinator: &str) -> String {
        format!(
            "program (a: []f64, b: []f64, c: []f64, d: []f64) {{
                let w, x, y, z = {combinator} (a, b, c, d) from (1.0f64, 0.0f64, 0.0f64, 1.0f64) {PRODUCT}
                return w, x, y, z }}"
        )
    }

    #[test]
    fn products_of_matrices() -> Verdict {
        for combinator in ["reduce", "scan"] {
            let lists = |n| (0..4).map(|k| reals(&some(n, k as f64))).collect();
            check(&on_four(combinator), [0, 1, 2, 5].map(lists).to_vec())?;
        }
        Ok(())
    }

    #[test]
    fn products_of_complex_numbers() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for results in ["x, y", "x"] {
                let source = format!(
                    "program (xs: []f64, ys: []f64) {{
                        let x, y = {combinator} (xs, ys) from (1.0f64, 0.0f64) |a: f64, b: f64, c: f64, d: f64| {{
                            let ac = mul(a, c) let bd = mul(b, d) let ad = mul(a, d) let bc = mul(b, c)
                            let x = sub(ac, bd) let y = add(ad, bc) return x, y }}
                        return {results} }}"
                );
                check(&source, vec![vec![reals(&some(4, 0.0)), reals(&some(4, 1.0))]])?;
            }
        }
        Ok(())
    }

    #[test]
    fn components_of_several_kinds() -> Verdict {
        // Moments of order 0 to 2, the first counted: shifts of polynomials compose.
        for combinator in ["reduce", "scan"] {
            let source = format!(
                "program (ns: []i64, xs: []f32, ys: []f64) {{
                    let n, x, y = {combinator} (ns, xs, ys) from (0i64, 0.0f32, 0.0f64)
                        |a: i64, b: f32, c: f64, d: i64, e: f32, f: f64| {{
                        let n = add(a, d) let x = add(b, e)
                        let b64 = f64(b) let e64 = f64(e) let be = mul(b64, e64) let s = add(c, f) let y = add(s, be)
                        return n, x, y }}
                    let m = f64(n) let x64 = f64(x) let p = mul(x64, y) return p }}"
            );
            let source = if combinator == "scan" {
                source.replace("let m = f64(n) let x64 = f64(x) let p = mul(x64, y) return p", "return x, y")
            } else {
                source
            };
            let numbers = super::indices(&[1, 2, 3]);
            check(&source, vec![vec![numbers, reals(&some(3, 0.0)), reals(&some(3, 1.0))]])?;
        }
        Ok(())
    }

    #[test]
    fn components_that_have_nothing_to_do_with_each_other() -> Verdict {
        for combinator in ["reduce", "scan"] {
            let source = format!(
                "program (a: []f64, b: []f64, c: []f64) {{
                    let x, y, z = {combinator} (a, b, c) from (0.0f64, 1.0f64, -f64.inf) {APART}
                    return x, y, z }}"
            );
            let lists = |n| (0..3).map(|k| reals(&some(n, k as f64))).collect();
            check(&source, [0, 1, 5].map(lists).to_vec())?;
        }
        Ok(())
    }

    #[test]
    fn only_one_component_is_used() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for result in ["s", "t"] {
                let source = format!(
                    "program (xs: []f64, ys: []f64) {{
                        let s, t = {combinator} (xs, ys) from (1.0f64, 0.0f64) {LINEAR} return {result} }}"
                );
                check(&source, vec![vec![reals(&some(4, 0.0)), reals(&some(4, 1.0))]])?;
            }
        }
        Ok(())
    }

    #[test]
    fn a_linear_recurrence_is_solved_backwards() {
        // yᵢ = cᵢ yᵢ₋₁ + dᵢ, so the adjoint of dᵢ is the sum of products of later c.
        let source = format!(
            "program (cs: []f64, ds: []f64) {{
                let p, y = scan (cs, ds) from (1.0f64, 0.0f64) {LINEAR} return y }}"
        );
        let found =
            pulled(&source, vec![reals(&[2.0, 3.0, 5.0]), reals(&[1.0, 10.0, 100.0])], vec![reals(&[1.0, 1.0, 1.0])]);
        // y = 1, 13, 165; g₂ = 1, g₁ = 1 + 5, g₀ = 1 + 3·6.
        assert_eq!(found, "[0, 6, 13]; [19, 6, 1]");
    }

    #[test]
    fn histograms_of_tuples() -> Verdict {
        let source = format!(
            "program (p: []f64, q: []f64, is: []i64, xs: []f64, ys: []f64) {{
                let s, t = hist (p, q) at is (xs, ys) from (1.0f64, 0.0f64) {LINEAR} return s, t }}"
        );
        let at = |bins: usize, is: &[i64]| {
            let list = |n, shift| reals(&some(n, shift));
            vec![list(bins, 0.0), list(bins, 1.0), indices(is), list(is.len(), 2.0), list(is.len(), 3.0)]
        };
        // Several values to a bin, none, one, and values of no bin.
        check(&source, vec![at(4, &[2, 0, 2, 7, -1, 2, 3]), at(1, &[0, 0, 0]), at(0, &[0, 1]), at(3, &[])])
    }

    #[test]
    fn histograms_of_components_apart() -> Verdict {
        let source = format!(
            "program (p: []f64, q: []f64, r: []f64, is: []i64, xs: []f64, ys: []f64, zs: []f64) {{
                let s, t, u = hist (p, q, r) at is (xs, ys, zs) from (0.0f64, 1.0f64, -f64.inf) {APART}
                return s, t, u }}"
        );
        let at = |bins: usize, is: &[i64]| {
            let list = |n, shift| reals(&some(n, shift));
            let values = [3.0, 4.0, 5.0].map(|shift| list(is.len(), shift));
            [vec![list(bins, 0.0), list(bins, 1.0), list(bins, 2.0), indices(is)], values.to_vec()].concat()
        };
        check(&source, vec![at(4, &[2, 0, 2, 7, -1, 2, 3]), at(2, &[])])
    }
}

mod arrays {
    use super::{APART, LINEAR, LOG_SUM, Verdict, check, indices, matrix, pulled, reals, some};
    use catadiff::interpret::Value;

    const OPERATORS: [(&str, &str); 5] =
        [("add", "0.0f64"), ("mul", "1.0f64"), ("min", "f64.inf"), ("max", "-f64.inf"), ("hypot", "0.0f64")];

    #[test]
    fn element_by_element() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for (op, e) in OPERATORS {
                let source = format!(
                    "program (xs: [][]f64) {{
                        let e = replicate(2i64, {e})
                        let y = {combinator} (xs) from (e) |a: []f64, b: []f64| {{
                            let c = map (a, b) |x: f64, y: f64| {{ let z = {op}(x, y) return z }} return c }}
                        return y }}"
                );
                let sizes = [(4, 2), (1, 2), (0, 2)];
                check(&source, sizes.iter().map(|(n, d)| vec![matrix(*n, *d, &some(n * d, 0.5))]).collect())?;
            }
        }
        Ok(())
    }

    #[test]
    fn rows_of_no_array_may_be_of_any_size() -> Verdict {
        for combinator in ["reduce", "scan"] {
            for op in ["mul", "max", "hypot"] {
                let source = format!(
                    "program (xs: [][]f64) {{
                        let e = replicate(2i64, 1.0f64)
                        let y = {combinator} (xs) from (e) |a: []f64, b: []f64| {{
                            let c = map (a, b) |x: f64, y: f64| {{ let z = {op}(x, y) return z }} return c }}
                        return y }}"
                );
                check(&source, vec![vec![matrix(0, 0, &[])], vec![matrix(0, 3, &[])]])?;
            }
        }
        Ok(())
    }

    #[test]
    fn pairs_of_rows_and_matrices() -> Verdict {
        for combinator in ["reduce", "scan"] {
            let pairs = format!(
                "program (xs: [][]f64, ys: [][]f64) {{
                    let o = replicate(3i64, 1.0f64) let z = replicate(3i64, 0.0f64)
                    let s, t = {combinator} (xs, ys) from (o, z) |p: []f64, q: []f64, r: []f64, s: []f64| {{
                        let u, v = map (p, q, r, s) {LINEAR} return u, v }}
                    return s, t }}"
            );
            check(&pairs, vec![vec![matrix(4, 3, &some(12, 0.0)), matrix(4, 3, &some(12, 1.0))]])?;
            let matrices = format!(
                "program (xs: [][][]f64) {{
                    let e = replicate(2i64, 1.0f64) let ee = replicate(3i64, e)
                    let y = {combinator} (xs) from (ee) |a: [][]f64, b: [][]f64| {{
                        let c = map (a, b) |p: []f64, q: []f64| {{
                            let r = map (p, q) |x: f64, y: f64| {{ let z = mul(x, y) return z }} return r }}
                        return c }}
                    return y }}"
            );
            check(&matrices, vec![vec![Value::reals(&[2, 3, 2], some(12, 0.0)).unwrap()]])?;
        }
        Ok(())
    }

    #[test]
    fn components_apart_of_rows() -> Verdict {
        let rows = |parameters: &str, combination: &str, e: &str| {
            format!(
                "program (xs: [][]f64, ys: [][]f64, zs: [][]f64{parameters}) {{
                    let n = size[1](xs)
                    let z = replicate(n, 0.0f64) let o = replicate(n, 1.0f64) let i = replicate(n, -f64.inf)
                    let x, y, w = {combination} from ({e})
                        |p: []f64, q: []f64, r: []f64, s: []f64, t: []f64, u: []f64| {{
                        let a, b, c = map (p, q, r, s, t, u) {APART} return a, b, c }}
                    return x, y, w }}"
            )
        };
        let lists = |n: usize| (0..3).map(|k| matrix(n, 2, &some(2 * n, f64::from(k)))).collect::<Vec<_>>();
        for combinator in ["reduce", "scan"] {
            let source = rows("", &format!("{combinator} (xs, ys, zs)"), "z, o, i");
            check(&source, vec![lists(4), lists(1), lists(0)])?;
        }
        let source = rows(", is: []i64", "hist (xs, ys, zs) at is (xs, ys, zs)", "z, o, i");
        check(&source, vec![[lists(4), vec![indices(&[2, 0, 2, 7])]].concat()])
    }

    #[test]
    fn operators_on_whole_arrays() -> Verdict {
        // A + B + k A B on matrices as arrays of arrays: no element of the result is of one column alone.
        for combinator in ["reduce", "scan"] {
            let source = format!(
                "program (xs: [][][]f64, k: f64) {{
                    let z = replicate(2i64, 0.0f64) let e = replicate(2i64, z)
                    let y = {combinator} (xs) from (e) |a: [][]f64, b: [][]f64| {{
                        let t = permute[1, 0](b)
                        let c = map (a, b) |row: []f64, other: []f64| {{
                            let d = map (t, row, other) |column: []f64, x: f64, y: f64| {{
                                let p = map (row, column) |x: f64, y: f64| {{ let z = mul(x, y) return z }}
                                let s = reduce (p) from (0.0f64) |x: f64, y: f64| {{ let z = add(x, y) return z }}
                                let ks = mul(k, s) let xy = add(x, y) let w = add(ks, xy)
                                return w }}
                            return d }}
                        return c }}
                    return y }}"
            );
            let at = |n: usize| vec![Value::reals(&[n, 2, 2], some(4 * n, 0.0)).unwrap(), 0.7.into()];
            check(&source, vec![at(0), at(1), at(3)])?;
        }
        Ok(())
    }

    #[test]
    fn histograms_of_rows() -> Verdict {
        for (op, e) in OPERATORS {
            let source = format!(
                "program (bins: [][]f64, is: []i64, xs: [][]f64) {{
                    let e = replicate(2i64, {e})
                    let y = hist (bins) at is (xs) from (e) |a: []f64, b: []f64| {{
                        let c = map (a, b) |x: f64, y: f64| {{ let z = {op}(x, y) return z }} return c }}
                    return y }}"
            );
            let at = |bins: usize, is: &[i64]| {
                vec![matrix(bins, 2, &some(2 * bins, 0.0)), indices(is), matrix(is.len(), 2, &some(2 * is.len(), 1.0))]
            };
            let nothing = vec![matrix(2, 2, &some(4, 0.0)), indices(&[]), matrix(0, 0, &[])];
            check(&source, vec![at(3, &[2, 0, 2, 7, -1, 2]), at(2, &[]), at(0, &[0]), nothing])?;
        }
        Ok(())
    }

    #[test]
    fn histograms_that_are_general() -> Verdict {
        let source = format!(
            "program (bins: []f64, is: []i64, xs: []f64, k: f64) {{
                let y = hist (bins) at is (xs) from (-f64.inf) {LOG_SUM} return y }}"
        );
        let at = |bins: usize, is: &[i64]| {
            vec![reals(&some(bins, 0.0)), indices(is), reals(&some(is.len(), 1.0)), 0.7.into()]
        };
        check(&source, vec![at(9, &[2, 0, 8, 2, 2, 9, -1, 7, 0]), at(1, &[0, 0]), at(0, &[0]), at(3, &[])])?;
        let nested = format!(
            "program (bins: []f64, iss: [][]i64, xs: []f64, k: f64) {{
                let y = map (iss) |is: []i64| {{
                    let y = hist (bins) at is (xs) from (-f64.inf) {LOG_SUM} return y }}
                return y }}"
        );
        let several = Value::new([[0, 1, 1], [1, 1, 1], [5, 0, 0]].map(|row| row.map(i64::from))).unwrap();
        check(&nested, vec![vec![reals(&some(2, 0.0)), several, reals(&some(3, 1.0)), 0.7.into()]])
    }

    #[test]
    fn products_of_bins_need_no_division() {
        let source = "program (bins: []f64, is: []i64, xs: []f64) {
            let y = hist (bins) at is (xs) from (1.0f64) |a: f64, b: f64| { let c = mul(a, b) return c } return y }";
        let found = pulled(
            source,
            vec![reals(&[2.0, 3.0, 0.0]), indices(&[0, 1, 0, 9, 1, 2]), reals(&[5.0, 0.0, 7.0, 4.0, 0.0, 8.0])],
            vec![reals(&[1.0, 10.0, 100.0])],
        );
        // Bin 0 is 2·5·7, bin 1 has two zeros among 3·0·0, bin 2 is 0·8.
        assert_eq!(found, "[35, 0, 800]; [0, 0, 0, 0, 0, 0]; [14, 0, 10, 0, 0, 0]");
    }

    #[test]
    fn products_of_integers_wrap() {
        let source = "program (bins: []i64, is: []i64, xs: []i64) {
            let y = hist (bins) at is (xs) from (1i64) |a: i64, b: i64| { let c = mul(a, b) return c }
            let z = reduce (xs) from (1i64) |a: i64, b: i64| { let c = mul(a, b) return c } return y, z }";
        let big = 1_i64 << 62;
        let found = pulled(
            source,
            vec![indices(&[3]), indices(&[0, 0]), indices(&[big, 4])],
            vec![indices(&[1]), 1_i64.into()],
        );
        // 3 · 2⁶² + 2⁶² is 2⁶⁴, which is 0.
        assert_eq!(found, "[0]; [0, 0]; [16, 0]");
    }
}

#[test]
fn extrema_are_of_numbers() -> Result<()> {
    let nan = f64::NAN;
    for (name, f) in [("min", Program::trace(|x: Arr<F64>| x.min())?), ("max", Program::trace(|x: Arr<F64>| x.max())?)]
    {
        let gradient = f.grad(0)?;
        let least = name == "min";
        for (x, expected) in [
            ([2.0, 1.0, 3.0], if least { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] }),
            ([2.0, nan, 1.0], if least { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] }),
            ([nan, 1.0, nan], [0.0, 1.0, 0.0]),
            ([nan, nan, nan], [0.0, 0.0, 0.0]),
            ([1.0, 2.0, nan], if least { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] }),
        ] {
            let found: [Vec<f64>; 2] = [gradient.at(x)?, gradient.compile()?.at(x)?];
            assert_eq!(found, [&expected, &expected], "{name} of {x:?}");
            let (_, slope): (f64, f64) = f.jvp()?.at((&x, [1.0, 1.0, 1.0]))?;
            assert_eq!(slope, expected.iter().sum::<f64>(), "{name} of {x:?}");
        }
    }
    let bins = Program::trace(|bins: Arr<I64>, x: Arr<F64>| hist(2, f64::INFINITY, bins, x, |a, b| a.min(b)).sum())?;
    let slopes: Vec<f64> = bins.grad("x1")?.at(([0_i64, 1, 1, 0], [1.0, 2.0, nan, 0.5]))?;
    assert_eq!(slopes, [0.0, 1.0, 0.0, 1.0]);
    Ok(())
}

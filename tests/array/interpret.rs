//! The reference interpreter: golden programs, corner cases, errors and limits.

use catadiff::Error;
use catadiff::array::{Atom, Builder, Map, Op, Prim, Program, Reduce, ScalarOp, Type, constant};
use catadiff::interpret::{Limits, Scalar, Value, measure, run};
use catadiff_laws::{ArrayProgram, Verdict, arrays, for_all};

mod random {
    use super::{ArrayProgram, Verdict, arrays, for_all};

    #[test]
    fn programs_run() -> Verdict {
        for_all(|p: ArrayProgram| arrays::runs(&p))
    }

    #[test]
    fn what_does_not_fit_is_an_error() -> Verdict {
        for_all(|p: ArrayProgram| arrays::misfits(&p))
    }

    #[test]
    fn duals_carry_the_values() -> Verdict {
        for_all(|p: ArrayProgram| arrays::values_of_duals(&p))
    }
}

type V = Value<f64>;

/// The results of the body of a program with these parameters, as text; or the error.
fn results(parameters: &str, body: &str, arguments: &[V]) -> Result<String, Error> {
    let text = format!("program ({parameters}) {{ {body} }}");
    let program = Program::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let results = program.run(arguments)?;
    Ok(results.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

fn reals<const N: usize>(x: [f64; N]) -> V {
    Value::new(x).unwrap()
}

fn indices<const N: usize>(x: [i64; N]) -> V {
    Value::new(x).unwrap()
}

fn matrix(sizes: [usize; 2]) -> V {
    Value::reals(&sizes, (1..=sizes[0] * sizes[1]).map(|n| n as f64)).unwrap()
}

/// What each body computes from `x: f64 = 2`, `xs = [1, 2, 3]`, `m = [[1, 2, 3], [4, 5, 6]]`, `is = [2, 0, 2, 7, -1]`,
/// `vs = [1, 2, 4, 8, 16]`, `e = []`, `n: [][]f64` of no rows of 3, and `b = true`.
#[test]
fn golden_values() {
    let parameters = "x: f64, xs: []f64, m: [][]f64, is: []i64, vs: []f64, e: []f64, n: [][]f64, b: bool";
    let arguments = [
        2.0.into(),
        reals([1.0, 2.0, 3.0]),
        matrix([2, 3]),
        indices([2, 0, 2, 7, -1]),
        reals([1.0, 2.0, 4.0, 8.0, 16.0]),
        reals([]),
        matrix([0, 3]),
        true.into(),
    ];
    const ADD: &str = "|p: f64, q: f64| { let r = add(p, q) return r }";
    let rows = "|p: []f64, q: []f64| { let r = map (p, q) |s: f64, t: f64| { let u = add(s, t) return u } return r }";
    let cases: Vec<(String, &str)> = vec![
        ("return x, xs, m, e, n".into(), "2; [1, 2, 3]; [[1, 2, 3], [4, 5, 6]]; []; []"),
        ("let y = iota(4i64) let z = replicate(2i64, xs) let w = [x, 5.0f64] return y, z, w".into(),
            "[0, 1, 2, 3]; [[1, 2, 3], [1, 2, 3]]; [2, 5]"),
        ("let y = size[1](n) let z = size[0](m) let w = size[1](m) return y, z, w".into(), "3; 2; 3"),
        ("let y = m[1i64, 2i64] let z = m[1i64] let w = m[] return y, z, w".into(), "6; [4, 5, 6]; [[1, 2, 3], [4, 5, 6]]"),
        ("let y = slice m[1i64 : 2i64 : -1i64, 0i64 : 2i64 : 2i64] let z = slice vs[9i64 : 0i64 : 7i64] let w = slice xs[1i64 : 3i64 : 0i64] return y, z, w".into(),
            "[[4, 6], [1, 3]]; []; [2, 2, 2]"),
        ("let y = m with [0i64] = xs let z = m with [1i64, 1i64] = x let w = xs with [] = xs return y, z, w, m".into(),
            "[[1, 2, 3], [4, 5, 6]]; [[1, 2, 3], [4, 2, 6]]; [1, 2, 3]; [[1, 2, 3], [4, 5, 6]]"),
        ("let y = permute[1, 0](m) let z = permute[1, 0](n) let a = size[0](z) let w = permute[](x) return y, a, w".into(),
            "[[1, 4], [2, 5], [3, 6]]; 3; 2"),
        ("let y = reshape(m, 3i64, 2i64) let z = reshape(n, 5i64, 0i64) let a = size[0](z) return y, a".into(),
            "[[1, 2], [3, 4], [5, 6]]; 5"),
        ("let y = concat(xs, e, xs) let z = concat(m, n) let w = reverse(m) let v = reverse(n) return y, z, w, v".into(),
            "[1, 2, 3, 1, 2, 3]; [[1, 2, 3], [4, 5, 6]]; [[4, 5, 6], [1, 2, 3]]; []"),
        ("let y = if b { let c = neg(x) return c } else { return x } return y".into(), "-2"),
        ("let f = loop (f = 1.0f64) for i < 5i64 { let j = add(i, 1i64) let k = f64(j) let g = mul(f, k) return g } return f".into(), "120"),
        ("let f = loop (f = x) for i < -3i64 { return 0.0f64 } return f".into(), "2"),
        ("let y, k = loop (y = x, k = 0i64) while { let c = lt(y, 100.0f64) return c } { let z = mul(y, y) let l = add(k, 1i64) return z, l } return y, k".into(), "256; 3"),
        ("let y, k = loop (y = x, k = 0i64) while[3i64] { let c = lt(y, 100.0f64) return c } { let z = mul(y, y) let l = add(k, 1i64) return z, l } return y, k".into(), "256; 3"),
        // Squares of the indices, written one after the other.
        ("let y = loop (y = vs) for i < 5i64 { let k = mul(i, i) let r = f64(k) let z = y with [i] = r return z } return y, vs".into(),
            "[0, 1, 4, 9, 16]; [1, 2, 4, 8, 16]"),
        // A map of free variables, of several results, and of none.
        ("let y, z = map (xs) |a: f64| { let c = mul(a, x) let d = map (vs) |w: f64| { let u = add(a, w) return u } return c, d } return y, z".into(),
            "[2, 4, 6]; [[2, 3, 5, 9, 17], [3, 4, 6, 10, 18], [4, 5, 7, 11, 19]]"),
        ("let () = map (xs) |a: f64| { return } return".into(), ""),
        (format!("let s = reduce (xs) from (0.0f64) {ADD} let t = reduce (e) from (x) {ADD} return s, t"), "6; 2"),
        (format!("let s = scan (xs) from (0.0f64) {ADD} let t = scan (e) from (x) {ADD} let u = scan (n) from (xs) {rows} let a = size[1](u) return s, t, a"), "[1, 3, 6]; []; 3"),
        // The reduction folds from the left: subtraction is not associative.
        ("let s = reduce (xs) from (10.0f64) |p: f64, q: f64| { let r = sub(p, q) return r } return s".into(), "4"),
        // Two values at a time: the linear functions 1 + x, 2 + 2x and 3 + 3x, composed.
        ("let a, s = scan (xs, xs) from (0.0f64, 1.0f64) |a: f64, s: f64, c: f64, t: f64| {
            let u = mul(t, a) let v = add(c, u) let w = mul(s, t) return v, w } return a, s".into(), "[1, 4, 15]; [1, 2, 6]"),
        (format!("let h = hist (vs) at is (vs) from (0.0f64) {ADD} return h"), "[3, 2, 9, 8, 16]"),
        (format!("let h = hist (e) at is (vs) from (0.0f64) {ADD} return h"), "[]"),
        (format!("let i = iota(2i64) let h = hist (m) at i (m) from (xs) {rows} return h"), "[[2, 4, 6], [8, 10, 12]]"),
        // The last of equal indices is kept, and those out of bounds are passed over.
        ("let s = scatter(xs, is, vs) return s, xs".into(), "[2, 2, 4]; [1, 2, 3]"),
        ("let i = iota(0i64) let s = scatter(xs, i, e) let t = scatter(e, is, vs) return s, t".into(), "[1, 2, 3]; []"),
        ("let a = accumulator(xs) let c = map (is, vs) adding (a) |i: i64, v: f64, d: acc []f64| { let f = d with [i] += v return f } let r = array(c) return r, xs".into(),
            "[3, 2, 8]; [1, 2, 3]"),
        // Out of bounds in any dimension; rows at a time.
        ("let a = accumulator(m) let c = a with [1i64, 3i64] += x let d = c with [0i64, 1i64] += x let f = d with [1i64] += xs let g = f with [-1i64] += xs let r = array(g) return r".into(),
            "[[1, 4, 3], [5, 7, 9]]"),
        ("let y = custom (x) |a: f64| { let c = mul(a, a) return c } pullback |a: f64, c: f64, d: f64| { return d } return y".into(), "4"),
    ];
    for (body, expected) in cases {
        assert_eq!(results(parameters, &body, &arguments), Ok(expected.to_owned()), "{body}");
    }
}

#[test]
fn maps_over_nothing_have_the_sizes_of_their_rows() {
    let program = Program::parse(
        "program (n: [][]f64, xs: []f64, j: i64) {
           let a, b, c, d = map (n) |r: []f64| {
             let s = map (r) |x: f64| { let y = neg(x) return y }
             let t = concat(s, xs)
             let k = size[0](t)
             let l = mul(k, 2i64)
             let u = replicate(l, s)
             let v = loop (v = t) for i < j { let w = slice v[0i64 : i : 1i64] return w }
             let e = loop (e = t) for i < j { let f = reverse(e) return f }
             return t, u, v, e
           }
           let sums = reduce (a) from (xs) |p: []f64, q: []f64| {
             let r = map (p, q) |x: f64, y: f64| { let z = add(x, y) return z } return r }
           return a, b, c, d, sums
         }",
    );
    let arguments = [matrix([0, 3]), reals([1.0, 2.0]), 4_i64.into()];
    let results = program.unwrap().run(&arguments).unwrap();
    let sizes: Vec<&[usize]> = results.iter().map(Value::sizes).collect();
    // Of the third the sizes change from iteration to iteration, and are unknown.
    assert_eq!(sizes, [&[0, 5][..], &[0, 10, 3], &[0, 0], &[0, 5], &[2]]);
}

#[test]
fn integers_and_truth_values() {
    let scalars = "i: i32, j: i64, b: bool, x: f64";
    let arguments = [i32::MIN.into(), (-7_i64).into(), false.into(), f64::NAN.into()];
    for (body, expected) in [
        (
            "let a = neg(i) let c = add(i, i) let d = mul(i, 3i32) let e = quot(i, -1i32) return a, c, d, e",
            "-2147483648; 0; -2147483648; -2147483648",
        ),
        (
            "let a = div(j, 2i64) let c = mod(j, 2i64) let d = quot(j, 2i64) let e = rem(j, 2i64) return a, c, d, e",
            "-4; 1; -3; -1",
        ),
        (
            "let a = add(b, true) let c = mul(b, true) let d = not(b) let e = lt(b, true) let f = eq(b, b) return a, c, d, e, f",
            "true; false; true; true; true",
        ),
        (
            "let a = i32(4294967297i64) let c = i64(true) let d = bool(j) let e = f64(j) let f = f32(b) return a, c, d, e, f",
            "1; 1; true; -7; 0",
        ),
        (
            "let a = i64(x) let c = i32(1e99f64) let d = i64(-1e99f64) let e = i64(-2.9f64) let f = i64(2.9f64) let g = bool(x) let h = i64(-0.5f64) let k = i64(9007199254740993.0f64) return a, c, d, e, f, g, h, k",
            "0; 2147483647; -9223372036854775808; -2; 2; true; 0; 9007199254740992",
        ),
        (
            "let a = lt(x, 1.0f64) let c = le(x, x) let d = eq(x, x) let e = lt(j, 0i64) let f = max(x, 1.0f64) return a, c, d, e, f",
            "false; false; false; true; 1",
        ),
    ] {
        assert_eq!(results(scalars, body, &arguments), Ok(expected.to_owned()), "{body}");
    }
}

/// Programs that go wrong: what is said, and where.
#[test]
fn errors_name_what_is_wrong_and_the_statement() {
    let parameters = "xs: []f64, m: [][]f64, is: []i64, k: i64";
    let arguments = [reals([1.0, 2.0, 3.0]), matrix([2, 3]), indices([1, 5]), (-1_i64).into()];
    let add = "|p: f64, q: f64| { let r = add(p, q) return r }";
    for (body, message) in [
        ("let y = xs[3i64] return y".to_owned(), "the index 3 is out of bounds, since the length is 3: the first is 0 and the last is 2\n  in: let v4: f64 = xs[3i64]"),
        ("let y = m[1i64, k] return y".into(), "the index -1 is out of bounds, since the length is 3: the first is 0 and the last is 2\n  in: let v4: f64 = m[1i64, k]"),
        ("let y = map (is) |i: i64| { let z = xs[i] return z } return y".into(), "the index 5 is out of bounds, since the length is 3: the first is 0 and the last is 2\n  in: let v5: f64 = xs[v4]"),
        ("let y = xs with [5i64] = 1.0f64 return y".into(), "the index 5 is out of bounds"),
        ("let y = slice xs[1i64 : 2i64 : 2i64] return y".into(), "the index 3 is out of bounds, since the length is 3"),
        ("let y = slice xs[0i64 : 3i64 : 9223372036854775807i64] return y".into(), "the index 9223372036854775807 is out of bounds"),
        ("let y = slice xs[0i64 : k : 1i64] return y".into(), "a size is -1, and must not be negative\n  in: let v4: []f64 = slice"),
        ("let y = iota(k) return y".into(), "a size is -1, and must not be negative"),
        ("let y = replicate(k, m) return y".into(), "a size is -1"),
        ("let y = reshape(m, k, -6i64) return y".into(), "a size is -1"),
        ("let y = reshape(m, 4i64) return y".into(), "the numbers of elements before and after must agree, and are 6 and 4"),
        ("let y = reshape(m, 4294967296i64, 4294967296i64) return y".into(), "the numbers of elements before and after must agree, and are 6 and 18446744073709551615"),
        ("let y = map (xs, is) |x: f64, i: i64| { return x } return y".into(), "the lengths of mapped arrays must agree, and are 3 and 2\n  in: let v6: []f64 = map (xs, is) |v4: f64, v5: i64| { … }"),
        ("let r = xs with [] = xs let y = concat(m, m) let z = slice m[0i64 : 1i64 : 1i64, 0i64 : 2i64 : 1i64] let w = concat(m, z) return w".into(), "the sizes of rows of concatenated arrays must agree, and are 3 and 2"),
        ("let z = slice xs[0i64 : 2i64 : 1i64] let y = m with [0i64] = z return y".into(), "the sizes of the subarray and of its new value must agree, and are 3 and 2"),
        ("let z = iota(2i64) let y = [is, z, z] let w = iota(3i64) let v = [z, w] return v".into(), "the sizes of two rows of an array must agree, and are 2 and 3"),
        ("let y = map (is) |i: i64| { let z = iota(i) return z } return y".into(), "the sizes of two rows of an array must agree, and are 1 and 5\n  in: let v6: [][]i64 = map"),
        (format!("let y = hist (xs) at is (xs) from (0.0f64) {add} return y"), "the lengths of indices and values must agree, and are 2 and 3"),
        ("let y = scatter(xs, is, xs) return y".into(), "the lengths of indices and values must agree, and are 2 and 3"),
        ("let z = permute[1, 0](m) let t = iota(3i64) let y = scatter(m, t, z) return y".into(), "the sizes of rows of the destination and of the values must agree, and are 3 and 2"),
        ("let a = accumulator(m) let z = slice xs[0i64 : 2i64 : 1i64] let b = a with [9i64] += z let y = array(b) return y".into(), "the sizes of the subarray and of what is added must agree, and are 3 and 2"),
        ("let y = div(k, 0i64) return y".into(), "div(-1, 0) has no value: integers have no quotient by 0 and no power with a negative exponent\n  in: let v4: i64 = div(k, 0i64)"),
        ("let y = pow(k, k) return y".into(), "pow(-1, -1) has no value"),
        ("let y = loop (y = k) while[2i64] { return true } { return y } return y".into(), "the loop goes on after 2 iterations, the bound it was given"),
    ] {
        let error = results(parameters, &body, &arguments).expect_err(&body).to_string();
        assert!(error.starts_with(message), "{body}\n{error}");
    }
}

#[test]
fn arguments_are_checked() {
    let program = Program::parse("program (xs: []f64, k: i64) { return }").unwrap();
    let refused = |arguments: &[V]| program.run(arguments).unwrap_err().to_string();
    assert!(matches!(program.run::<f64>(&[]), Err(Error::Length { expected: 2, found: 0, .. })));
    assert_eq!(refused(&[1.0.into(), 2_i64.into()]), "the argument `xs` is f64 where []f64 is needed");
    assert_eq!(refused(&[indices([1]), 2_i64.into()]), "the argument `xs` is []i64 where []f64 is needed");
    assert_eq!(refused(&[reals([]), 2_i32.into()]), "the argument `k` is i32 where i64 is needed");
    assert_eq!(program.run(&[indices([]), 2_i64.into()]), Ok(vec![])); // Of nothing, any kind.
}

#[test]
fn limits_stop_what_would_not_end() {
    let program = |body: &str| Program::parse(&format!("program (n: i64) {{ {body} }}")).unwrap();
    let limits = Limits { steps: 1000, elements: 1000 };
    let forever = "let () = loop () while { return true } { return } return";
    let doubling = "let y = iota(8i64) let z = loop (y = y) for i < n { let z = concat(y, y) return z } return z";
    let huge = "let y = replicate(n, 0i64) return y";
    let squared = "let y = iota(20i64) let z = map (y) |i: i64| { let s = map (y) |j: i64| { let k = replicate(n, i) return k } return s } return z";
    let nothing = "let y = iota(0i64) let z = replicate(n, y) let w = map (z) |r: []i64| { return 0i64 } return w";
    let held = "let a = iota(400i64) let b = iota(400i64) let c = iota(400i64) return";
    for (body, n, what) in [
        (forever, 0, "steps"),
        (doubling, 100, "elements"),
        (huge, i64::MAX, "elements"),
        (squared, 3, "elements"),
        (nothing, i64::MAX, "steps"),
        (held, 0, "elements"),
    ] {
        let stopped = run::<f64>(&program(body), &[n.into()], &limits);
        let Err(Error::Budget { what: found, limit: 1000, .. }) = &stopped else { panic!("{body}: {stopped:?}") };
        assert_eq!(*found, what, "{body}");
    }
    // The default limits keep within the memory there is.
    assert!(matches!(program(huge).run::<f64>(&[i64::MAX.into()]), Err(Error::Budget { .. })));
    let products = "let e = iota(0i64) let a = replicate(n, e) let b = replicate(n, a) let c = replicate(n, b) let d = c[0i64, 0i64] let f = size[0](d) let g = permute[3, 2, 1, 0](c) return f, g";
    assert_eq!(program(products).run::<f64>(&[i64::MAX.into()]).unwrap()[0], i64::MAX.into());
}

#[test]
fn updates_in_a_loop_are_made_in_place() {
    // 20 000 updates of 20 000 elements: in place they are done at once, by copying they would take minutes.
    let n = 20_000_i64;
    let text = "program (n: i64, c: bool) {
        let a = replicate(n, 0i64)
        let b = loop (b = a) for i < n { let old = b[i] let k = add(old, i) let d = b with [i] = k return d }
        let t = accumulator(b)
        let is = iota(n)
        let u = map (is) adding (t) |i: i64, t: acc []i64| {
          let v = if c { let w = t with [i] += i return w } else { return t } return v }
        let r = array(u)
        let s = reduce (r) from (0i64) |x: i64, y: i64| { let z = add(x, y) return z }
        return s
      }";
    let limits = Limits { elements: 5 * n as u64, ..Limits::default() };
    let sum = run::<f64>(&Program::parse(text).unwrap(), &[n.into(), true.into()], &limits);
    assert_eq!(sum, Ok(vec![(n * (n - 1)).into()]));
}

/// Hand-built programs, by the builder: a product of matrices.
#[test]
fn matrices_multiply() {
    let (real, row) = (Type::scalar(Prim::F64), Type::array(Prim::F64, 1));
    let mut b = Builder::new();
    let (left, right) = (b.parameter("a", row.arrayed()), b.parameter("b", row.arrayed()));
    let columns = b.one(Op::Permute(right.into(), vec![1, 0]));
    let map = |b: &mut Builder, arrays: Vec<Atom>, types: &[Type], f: &dyn Fn(&mut Builder, &[Atom]) -> Atom| {
        let function = b.lambda(types, |b, vars| {
            let atoms: Vec<Atom> = vars.iter().map(|v| (*v).into()).collect();
            vec![f(b, &atoms)]
        });
        b.one(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))
    };
    let product = map(&mut b, vec![left.into()], &[row], &|b, i| {
        map(b, vec![columns], &[row], &|b, j| {
            let products = map(b, vec![i[0], j[0]], &[real, real], &|b, xy| b.scalar(ScalarOp::Mul, xy));
            let operator =
                b.lambda(&[real, real], |b, xy| vec![b.scalar(ScalarOp::Add, &[xy[0].into(), xy[1].into()])]);
            let neutral = vec![constant(Prim::F64, 0.0)];
            b.one(Op::Reduce(Box::new(Reduce { operator, neutral, arrays: vec![products], commutative: true })))
        })
    });
    let program = b.finish(vec![product]).unwrap();
    let of = |a, b| program.run(&[matrix(a), matrix(b)]).map(|r| (r[0].sizes().to_vec(), r[0].to_f64().unwrap()));
    assert_eq!(of([2, 3], [3, 2]), Ok((vec![2, 2], vec![22.0, 28.0, 49.0, 64.0])));
    assert_eq!(of([2, 0], [0, 2]), Ok((vec![2, 2], vec![0.0; 4])));
    assert_eq!(of([0, 3], [3, 2]), Ok((vec![0, 2], vec![])));
    assert!(matches!(of([2, 3], [2, 2]), Err(Error::Sizes { first: 3, second: 2, .. })));
}

#[test]
fn values_are_made_and_shown() {
    assert_eq!(V::new(vec![vec![1.0; 0]; 2]).unwrap().sizes(), [2, 0]);
    assert_eq!(V::new(Vec::<Vec<f64>>::new()).unwrap().sizes(), [0, 0]);
    assert_eq!(V::new([[[true, false]]]).unwrap().to_string(), "[[[true, false]]]");
    assert_eq!(V::new(&[1_i32, 2][..]).unwrap().to_f64(), Some(vec![1.0, 2.0]));
    assert_eq!(indices([1]).to_reals(), None);
    assert!(matches!(V::reals(&[2, 2], [1.0]), Err(Error::Length { expected: 4, found: 1, .. })));
    assert!(matches!(V::reals(&[usize::MAX, 2], []), Err(Error::TooLarge { .. })));
    assert!(matches!(V::array(&[2], vec![Scalar::I64(1), Scalar::Bool(true)]), Err(Error::Argument { .. })));
    assert!(matches!(Value::rows(vec![reals([1.0]), 1.0.into()]), Err(Error::Argument { .. })));
    assert!(matches!(Value::rows(vec![reals([1.0]), reals([])]), Err(Error::Length { .. })));
}

/// What a program writes to arrays, and the bytes of those it makes, of the vector 1, 2, 3, 4.
fn memory(body: &str) -> (u64, u64) {
    let program = Program::parse(&format!("program (x: []f64) {{ {body} }}")).unwrap();
    let argument = Value::new([1.0, 2.0, 3.0, 4.0]).unwrap();
    let (_, usage) = measure(&program, &[argument], &Limits::default()).unwrap();
    (usage.moved, usage.allocated)
}

/// An array that a branch gives as it is, in a loop, in a branch of a branch, or twice, belongs to nobody else afterwards.
#[test]
fn what_branches_give_is_not_copied() {
    let loops = |body: &str| {
        format!(
            "let y = concat(x, x)
             let z = loop (a: []f64 = y) for i < 8i64 {{
                 let o = rem(i, 2i64) let t = eq(o, 0i64) let u = lt(i, 4i64) {body} }}
             return z"
        )
    };
    let made = (8, 64);
    let update = "let c = b with [i] = 2.0f64 return c";
    let plain = format!("let b = if t {{ return a }} else {{ let c = a with [0i64] = 3.0f64 return c }} {update}");
    assert_eq!(memory(&loops(&plain)), (made.0 + 8 + 4, made.1));
    let nested = format!(
        "let b = if t {{ let d = if u {{ return a }} else {{ return a }} return d }} else {{ return a }} {update}"
    );
    assert_eq!(memory(&loops(&nested)), (made.0 + 8, made.1));
    // The one that is kept has to be copied, each time.
    let twice = "let b, k = if t { return a, a } else { return a, a } let c = b with [i] = 2.0f64 let r = k[i]
        let d = c with [0i64] = r return d";
    assert_eq!(memory(&loops(twice)), (made.0 + 8 * (8 + 2), made.1 + 8 * 64));
    let needed = "let b = if t { return a } else { return a } let c = b with [i] = 2.0f64 let r = a[0i64]
        let d = c with [0i64] = r return d";
    assert_eq!(memory(&loops(needed)), (made.0 + 8 * (8 + 2), made.1 + 8 * 64));
}

/// An array of which the last use is a read, by a statement or inside of one, keeps no other name of its elements from being
/// changed in place.
#[test]
fn what_is_read_last_is_let_go_of() {
    let reads = [
        "let r = y[0i64]",
        "let p = slice y[0i64 : 2i64 : 1i64] let r = p[0i64]",
        "let n = size[0](y) let r = f64(n)",
        "let r = reduce (y) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }",
        "let i = iota(2i64) let s = map (i) |k: i64| { let q = y[k] return q } let r = s[1i64]",
        "let t = lt(0i64, 1i64) let r = if t { let q = y[1i64] return q } else { return 2.0f64 }",
        "let r = loop (s: f64 = 0.0f64) for k < 2i64 { let q = y[k] let t = add(s, q) return t }",
        "let r = loop (s: f64 = 0.0f64) for k < 2i64 { let w = reshape(y, 8i64) let q = w[k] let t = add(s, q) return t }",
    ];
    for read in reads {
        let with = |rest: &str| memory(&format!("let y = concat(x, x) let z = reshape(y, 8i64) {read} {rest}"));
        let (before, after) = (with("return r"), with("let u = z with [0i64] = r return u"));
        assert_eq!((after.0 - before.0, after.1 - before.1), (1, 0), "{read}");
        let (before, after) = (with("return r"), with("let u = z with [0i64] = r return u, y"));
        assert_eq!((after.0 - before.0, after.1 - before.1), (8 + 1, 64), "{read}");
    }
    let inside = |read: &str| {
        memory(&format!(
            "let y = concat(x, x)
             let z = loop (a: []f64 = y) for i < 8i64 {{ let b = reshape(a, 8i64) {read} let c = b with [i] = r return c }}
             return z"
        ))
    };
    assert_eq!(inside("let r = a[0i64]"), (8 + 8, 64));
    assert_eq!(
        inside("let t = lt(i, 4i64) let r = if t { let q = a[1i64] return q } else { return 2.0f64 }"),
        (8 + 8, 64)
    );
}

#[test]
fn what_is_written_to_memory_is_counted_and_what_is_read_is_not() {
    for view in
        ["x[1i64]", "slice x[0i64 : 2i64 : 1i64]", "reverse(x)", "reshape(x, 2i64, 2i64)", "copy(x)", "size[0](x)"]
    {
        assert_eq!(memory(&format!("let y = {view} return y")), (0, 0), "{view}");
    }
    assert_eq!(memory("let y = iota(3i64) return y"), (3, 24));
    assert_eq!(memory("let y = replicate(3i64, x) return y"), (12, 96));
    assert_eq!(memory("let y = replicate(3i64, true) return y"), (3, 3));
    assert_eq!(memory("let y = [x, x] return y"), (8, 64));
    assert_eq!(memory("let y = concat(x, x) return y"), (8, 64));
    assert_eq!(memory("let y = map (x) |x: f64| { let z = exp(x) return z } return y"), (4, 32));
    let sum = "from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }";
    assert_eq!(memory(&format!("let y = scan (x) {sum} return y")), (4, 32));
    assert_eq!(memory(&format!("let y = reduce (x) {sum} return y")), (0, 0));
    // The argument belongs to the caller, and is copied before it is written to; what nothing else needs is not.
    assert_eq!(memory("let y = x with [0i64] = 9.0f64 return y"), (4 + 1, 32));
    assert_eq!(memory("let y = concat(x, x) let z = y with [0i64] = 9.0f64 return z"), (8 + 1, 64));
    assert_eq!(memory("let y = concat(x, x) let z = y with [0i64] = 9.0f64 return y, z"), (8 + 8 + 1, 128));
    // A view is a part of what it is a view of, and becomes an array of its own.
    assert_eq!(memory("let y = reverse(x) let z = y with [0i64] = 9.0f64 return z"), (4 + 1, 32));
    let made = "let y = replicate(3i64, 0.0f64) let is = iota(2i64) let ones = replicate(2i64, 1.0f64)";
    assert_eq!(memory(&format!("{made} let z = scatter(y, is, ones) return z")), (7 + 2, 56));
    assert_eq!(memory(&format!("{made} let z = hist (y) at is (ones) {sum} return z")), (7 + 2, 56));
    let added = "let a = accumulator(y)
        let b = map (is) adding (a) |i: i64, c: acc []f64| { let d = c with [i] += 1.0f64 return d }
        let z = array(b) return z";
    assert_eq!(memory(&format!("{made} {added}")), (7 + 2, 56));
}

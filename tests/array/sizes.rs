//! Sizes in the text form: what is said of them has to follow, and mistakes are pointed at.

use catadiff::Error;
use catadiff::array::Program;

/// A body that compares the lengths of `xs` and `ys`.
const DOT: &str = "let p = map (xs, ys) |x: f64, y: f64| { let z = mul(x, y) return z } return p";

#[test]
fn sizes_that_follow_are_read() {
    for text in [
        format!("program (xs: [n]f64, ys: [n]f64) {{ {DOT} }}"),
        format!("program (xs: [n]f64, ys: [m]f64) {{ {DOT} }}"),
        format!("program (xs: []f64, ys: [m]f64) {{ {DOT} }}"),
        // By an assertion after it, by a constant, and by an integer that is a size.
        "program (n: i64, xs: [n]f64) { let () = agree wanted (size[0](xs)) = (n) return xs }".into(),
        "program (xs: [][3]f64) { let () = agree wanted (size[1](xs)) = (3i64) return xs }".into(),
        "program (xs: [n][m]f64) { let k = size[1](xs) let ys: [k][n]f64 = permute[1, 0](xs) return ys }".into(),
        "program (xs: [n]f64, m: i64) { let ys: [m][n]f64 = replicate(m, xs) let y: [n]f64 = ys[0i64] return y }"
            .into(),
        "program (x: f64) { let xs: [2]f64 = [x, x] return xs }".into(),
        // Sizes of their own, which have names from there on, and sums.
        "program (xs: []f64) { let a: [k]f64 = concat(xs, xs) let b: [k]f64 = reverse(a) return b }".into(),
        "program (xs: [n]f64) { let m = size[0](xs) let k = add(m, m) let a: [k]f64 = concat(xs, xs) return a }".into(),
        // Functions, loops and branches: parameters have sizes, too, and names end with their body.
        "program (xs: [n][m]f64) {
           let ys: [n][m]f64 = map (xs) |x: [m]f64| { let y: [k]f64 = reverse(x) let z: [k]f64 = copy(x) return y }
           let k = add(1i64, 1i64)
           return ys
         }"
        .into(),
        "program (xs: []f64, ys: [][]f64) {
           let a = map (ys) |y: [m]f64| {
             let () = agree wanted (size[0](y)) = (size[0](xs))
             let z: [m]f64 = copy(xs)
             return z
           }
           return a
         }"
        .into(),
        "program (xs: [n]f64, b: bool) {
           let a: [n]f64 = loop (x: [n]f64 = xs) for i < 3i64 { let y: [n]f64 = reverse(x) return y }
           let c: [n]f64 = if b { return a } else { return xs }
           let d: [k]f64 = loop (x: [k]f64 = xs) for i < 3i64 { let y: [l]f64 = concat(x, x) return y }
           let e = accumulator(xs)
           let f: acc [n]f64 = e with [0i64] += 1.0f64
           let g: [n]f64 = array(f)
           return c, d, g
         }"
        .into(),
    ] {
        let program = Program::parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        assert_eq!(Program::parse(&program.to_string()), Ok(program.clone()), "{text}");
        let with_sizes = program.with_sizes().to_string();
        assert_eq!(Program::parse(&with_sizes), Ok(program), "{text}");
    }
}

/// Each text, the word that is wrong in it, counted from 0, and the message.
#[test]
fn sizes_that_do_not_follow_are_refused() {
    let nothing = |what: &str| format!("nothing says that {what}; compare them with `agree`");
    let known = |of: &str, is: &str, wanted: &str| {
        format!("the size of {of} is `{is}`, and nothing says that it is `{wanted}`; compare them with `agree`")
    };
    for (text, (word, nth), message) in [
        ("program (xs: [n]f64, ys: [n]f64) { return xs, ys }", ("n]", 1), nothing("the size of `ys` is `n`")),
        ("program (n: i64, xs: [n]f64) { return xs }", ("n]", 0), nothing("the size of `xs` is `n`")),
        ("program (xs: [3]f64) { return xs }", ("3]", 0), nothing("the size of `xs` is `3`")),
        ("program (xs: [n][n]f64) { return xs }", ("n]", 1), nothing("the size of `xs` in dimension 1 is `n`")),
        (
            "program (xs: [m]f64, n: i64) { let ys: [n]f64 = map (xs) |x: f64| { return x } return ys }",
            ("n]", 0),
            known("`ys`", "m", "n"),
        ),
        (
            "program (xs: []f64, n: i64) { let ys: [n]f64 = reverse(xs) return ys }",
            ("n]", 0),
            known("`ys`", "size[0](xs)", "n"),
        ),
        ("program (n: i64, m: i64) { let ys: [n]i64 = iota(m) return ys }", ("n]", 0), known("`ys`", "m", "n")),
        ("program (x: f64) { let ys: [3]f64 = [x, x] return ys }", ("3]", 0), "the size of `ys` is 2, not 3".into()),
        ("program (n: i64) { let ys: [n]i64 = iota(3i64) return ys }", ("n]", 0), known("`ys`", "3", "n")),
        (
            "program (xs: [n]f64) { let ys: [k]f64 = concat(xs, xs) let zs: [n]f64 = reverse(ys) return zs }",
            ("n]", 1),
            known("`zs`", "k", "n"),
        ),
        // What is compared in a branch holds in it alone, and what a loop changes has no name from outside.
        (
            "program (xs: [n]f64, ys: [n]f64, b: bool) {
               let c: f64 = if b {
                 let () = agree wanted (size[0](xs)) = (size[0](ys))
                 return 1.0f64
               } else { return 0.0f64 }
               return c
             }",
            ("n]", 1),
            nothing("the size of `ys` is `n`"),
        ),
        (
            "program (xs: [n]f64) {
               let a = loop (x: [n]f64 = xs) for i < 3i64 { let y = concat(x, x) return y }
               return a
             }",
            ("n]", 1),
            nothing("the size of `x` is `n`"),
        ),
        // Names.
        (
            "program (xs: [n]f64, n: i64) { return xs }",
            ("n: i64", 0),
            "`n` is a size: as a parameter, it stands before what has the size".into(),
        ),
        ("program (xs: [n]f64) { return n }", ("n }", 0), "`n` is a size: as a number it is `size[0](xs)`".into()),
        ("program (x: f64, xs: [x]f64) { return xs }", ("x]", 0), "`x` is a f64, and a size is an i64".into()),
        ("program (xs: [1.5]f64) { return xs }", ("1.5", 0), "a size is a whole number".into()),
        ("program (xs: [3i64]f64) { return xs }", ("i64", 0), "expected `]`".into()),
        (
            "program (xs: [map]f64) { return xs }",
            ("map", 0),
            "expected a size, which is a name or a number, or `]`".into(),
        ),
        (
            "program (xs: [n]f64, ys: []f64) {
               let a = map (xs) |x: f64| { let z: [k]f64 = copy(ys) return x }
               return k
             }",
            ("k\n", 0),
            "there is no variable `k` here".into(),
        ),
    ] {
        let (at, _) = text.match_indices(word).nth(nth).unwrap();
        let Err(Error::Syntax { message: found, offset, .. }) = Program::parse(text) else {
            panic!("not refused: {text}\n{:?}", Program::parse(text));
        };
        assert_eq!((offset, found), (at, message), "{text}");
    }
}

#[test]
fn a_claim_that_does_not_follow_is_pointed_at() {
    let error = Program::parse("program (xs: [n]f64, ys: [m]f64) {\n  let zs: [n]f64 = reverse(ys)\n  return zs\n}")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the size of `zs` is `m`, and nothing says that it is `n`; compare them with `agree`
    let zs: [n]f64 = reverse(ys)
             ^"
    );
}

#[test]
fn names_of_sizes_are_short_and_clash_with_nothing() {
    let names = ["m", "k", "n1"].map(|name| format!("{name}: [][][][]f64")).join(", ");
    let program = Program::parse(&format!("program ({names}) {{ return }}")).unwrap();
    assert_eq!(
        program.with_sizes().to_string(),
        "program (m: [n][l][p][q]f64, k: [r][s][t][u]f64, n1: [m1][k1][l1][p1]f64) {\n  return\n}\n"
    );
}

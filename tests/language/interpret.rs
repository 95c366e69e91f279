//! The interpreter of the text front end: values and derivatives of programs, exact to 1e-10, and what goes wrong.

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::core::Program;
use catadiff::futhark::interpreter::run;
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::syntax::parse;
use catadiff::futhark::values::{self, Array, Data};
use catadiff::interpret::Limits;

fn program(text: &str) -> Program {
    let mut sources = Sources::default();
    let number = sources.add("test.fut", text);
    let shown =
        |messages: Vec<Message>| messages.iter().map(|message| sources.show(message).to_string()).collect::<String>();
    let file = parse(text, number).unwrap_or_else(|messages| panic!("{}", shown(messages)));
    check(&file, &mut NoImports).unwrap_or_else(|messages| panic!("{}", shown(messages))).0
}

fn call(program: &Program, entry: &str, arguments: &str) -> Result<Vec<Array>, Message> {
    let arguments = values::read(arguments.as_bytes(), 0).unwrap_or_else(|message| panic!("{arguments}: {message:?}"));
    run(program, entry, &arguments, Limits { steps: 1_000_000, elements: 1 << 21 })
}

fn reals(data: &Data) -> Option<Vec<f64>> {
    match data {
        Data::F64(xs) => Some(xs.clone()),
        Data::F16(xs) => Some(xs.iter().map(|x| f64::from(*x)).collect()),
        Data::F32(xs) => Some(xs.iter().map(|x| f64::from(*x)).collect()),
        _ => None,
    }
}

fn same(found: &Array, wanted: &Array) -> bool {
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-10 * b.abs().max(1.0) || a.is_nan() && b.is_nan();
    found.shape == wanted.shape
        && found.data.kind() == wanted.data.kind()
        && match (reals(&found.data), reals(&wanted.data)) {
            (Some(found), Some(wanted)) => found.iter().zip(&wanted).all(|(a, b)| close(*a, *b)),
            _ => found.data == wanted.data,
        }
}

/// Calls of the entries of a text, with the values they answer.
fn answers(text: &str, calls: &[(&str, &str, &str)]) {
    let program = program(text);
    for (entry, arguments, wanted) in calls {
        let found = call(&program, entry, arguments).unwrap_or_else(|m| panic!("{entry} {arguments}: {m:?}"));
        let wanted = values::read(wanted.as_bytes(), 0).unwrap();
        let all = found.len() == wanted.len() && found.iter().zip(&wanted).all(|(found, wanted)| same(found, wanted));
        let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert!(all, "{entry} {arguments} answers {}\n{text}", shown.join(" "));
    }
}

#[test]
fn the_examples_of_the_thesis() {
    answers(
        r"
        def f (x: f64, y: f64) = (if x > 2 then x + 2 else -x, reduce (*) 1 [x, y, x])
        entry value (x: f64) (y: f64) = f (x, y)
        entry by_x (x: f64) (y: f64) = jvp f (x, y) (1, 0)
        entry by_y (x: f64) (y: f64) = jvp f (x, y) (0, 1)
        entry rows (x: f64) (y: f64) = (vjp f (x, y) (1, 0), vjp f (x, y) (0, 1))
        entry confused (x: f64) = jvp (\x -> x * jvp (\y -> x + y) 3 1) x 1
        entry confused_back (x: f64) = vjp (\x -> x * vjp (\y -> x + y) 3 1) x 1
        entry confused_mixed (x: f64) = vjp (\x -> x * jvp (\y -> x + y) 3 1) x 1
        entry confused_map (x: f64) = vjp (\x -> f64.sum (map (\y -> vjp (\z -> z * x * y) 3 1) [1, 2, 3])) x 1
        ",
        &[
            ("value", "3f64 2f64", "5f64 18f64"),
            ("by_x", "3f64 2f64", "1f64 12f64"),
            ("by_y", "3f64 2f64", "0f64 9f64"),
            ("rows", "3f64 2f64", "1f64 0f64 12f64 9f64"),
            ("confused", "2f64", "1f64"),
            ("confused_back", "2f64", "1f64"),
            ("confused_mixed", "2f64", "1f64"),
            ("confused_map", "5f64", "6f64"),
        ],
    );
}

#[test]
fn third_derivatives_in_all_mixes() {
    let mut text = "def f (x: f64) = f64.sin (x * x) * x + f64.exp x / (1 + x ** 2)\n".to_owned();
    let mut calls = Vec::new();
    for mix in 0..8 {
        let mode = |bit: u32| if mix >> bit & 1 == 0 { "jvp" } else { "vjp" };
        let (a, b, c) = (mode(0), mode(1), mode(2));
        text += &format!("entry d{mix} (x: f64) = {a} (\\x -> {b} (\\x -> {c} f x 1) x 1) x 1\n");
        calls.push(format!("d{mix}"));
    }
    // By the arithmetic of truncated Taylor series, written independently of this crate.
    let calls: Vec<_> = calls.iter().map(|name| (name.as_str(), "1.25f64", "-37.0120504251279f64")).collect();
    answers(&text, &calls);
}

#[test]
fn integers_and_truth_values_have_derivatives() {
    answers(
        r"
        entry not (x: bool) = jvp (\x -> !x) x true
        entry both (x: bool) (y: bool) = vjp (\(x, y) -> x && y) (x, y) true
        entry cube (x: i32) = jvp (\x -> x * x * x) x 1
        entry wraps (x: u8) = jvp (\x -> x * x) x 1
        entry back (x: i32) (y: i32) = vjp (\(x, y) -> x * y + x) (x, y) 1
        entry branch (b: bool) (x: f64) = vjp (\(b, x) -> if b then x * x else x) (b, x) 1
        entry truncated (x: f64) = (jvp i32.f64 x 1, vjp i32.f64 x 3)
        entry ceil (x: f64) = jvp f64.ceil x 1
        entry rounded (x: f64) = jvp (\x -> x * f64.i64 (i64.f64 x + 1)) x 1
        entry widened (n: i32) = jvp (\n -> f64.i32 n * 2) n 3
        entry bits (x: f32) = jvp f32.to_bits x 1
        entry compared (x: f64) (y: f64) = (jvp (\x -> x == y) x 1, vjp (\x -> x < y) x true)
        entry index (xs: [3]f64) (i: i64) = vjp (\(xs, i) -> xs[i] * 2) (xs, i) 1
        entry shifts (x: i32) = (jvp (\x -> x << 3) x 1, jvp (\x -> x & 3) x 1)
        entry size (n: i64) (x: f64) = vjp (\(n, x) -> f64.sum (replicate n x)) (n, x) 1
        ",
        &[
            ("not", "true", "true"),
            ("both", "true true", "true true"),
            ("cube", "3i32", "27i32"),
            ("wraps", "200u8", "144u8"),
            ("back", "3i32 4i32", "5i32 3i32"),
            ("branch", "true 3f64", "false 6f64"),
            ("truncated", "1f64", "1i32 3f64"),
            ("ceil", "1.5f64", "0f64"),
            ("rounded", "2.5f64", "3f64"),
            ("widened", "5i32", "6f64"),
            ("bits", "3f32", "1065353216u32"),
            ("compared", "1f64 1f64", "false 0f64"),
            ("index", "[1f64, 2f64, 3f64] 1i64", "[0f64, 2f64, 0f64] 0i64"),
            ("shifts", "5i32", "8i32 0i32"),
            ("size", "3i64 2f64", "0i64 3f64"),
        ],
    );
}

#[test]
fn conventions_at_special_points() {
    answers(
        r"
        entry power (x: f64) (y: f64) = vjp (\(x, y) -> x ** y) (x, y) 1
        entry curvature (x: f64) = jvp (\x -> jvp (\x -> x ** 2) x 1) x 1
        entry ties (x: f64) (y: f64) = (vjp (\(x, y) -> f64.min x y) (x, y) 1, vjp (\(x, y) -> f64.max x y) (x, y) 1)
        entry edge (x: f64) = vjp (\x -> f64.sqrt (f64.max x 0)) x 1
        entry root (x: f64) (c: f64) = vjp (\x -> f64.sqrt c + x) x 1
        entry signs (x: f64) = (vjp f64.abs x 1, vjp f64.sgn x 1, jvp (\x -> f64.copysign x (-2)) x 1, jvp (\x -> x % 3) x 1)
        ",
        &[
            ("power", "2f64 3f64", "12f64 5.545177444479562f64"),
            ("power", "0f64 1f64", "1f64 0f64"),
            ("power", "0f64 0f64", "0f64 0f64"),
            ("power", "0f64 0.5f64", "0f64 0f64"),
            ("power", "-2f64 2f64", "-4f64 0f64"),
            ("curvature", "0f64", "2f64"),
            ("ties", "1f64 1f64", "1f64 0f64 1f64 0f64"),
            ("ties", "1f64 2f64", "1f64 0f64 0f64 1f64"),
            ("edge", "-1f64", "0f64"),
            ("root", "1f64 0f64", "1f64"),
            ("signs", "-3f64", "-1f64 0f64 1f64 1f64"),
        ],
    );
}

#[test]
fn writes_out_of_range_are_ignored_and_the_destination_wins_ties() {
    let is = "[0i64, 2i64, 7i64, 0i64]";
    let vs = "[1f64, 2f64, 3f64, 4f64]";
    let given = |rest: &str| format!("{is} {vs} {rest}");
    let both = given("[5f64, 6f64, 7f64]");
    answers(
        r"
        entry sc [n] [k] (d: [k]f64) (is: [n]i64) (vs: [n]f64) (s: [k]f64) =
          vjp (\(d, vs) -> scatter (copy d) is vs) (d, vs) s
        entry plus [n] (is: [n]i64) (vs: [n]f64) (s: [3]f64) = vjp (\vs -> hist (+) 0 3 is vs) vs s
        entry times [n] (is: [n]i64) (vs: [n]f64) (s: [3]f64) = vjp (\vs -> hist (*) 1 3 is vs) vs s
        entry general [n] (is: [n]i64) (vs: [n]f64) (s: [3]f64) =
          vjp (\vs -> hist (\a b -> a + b + a * b) 0 3 is vs) vs s
        entry rows [n] (is: [n]i64) (vs: [n]f64) (s: [3]f64) =
          vjp (\vs -> (transpose (hist (map2 (+)) [0, 0] 3 is (map (\v -> [v, v * v]) vs)))[1]) vs s
        entry most [n] (d: [3]f64) (is: [n]i64) (vs: [n]f64) (s: [3]f64) =
          vjp (\(d, vs) -> reduce_by_index (copy d) f64.max f64.lowest is vs) (d, vs) s
        entry stream [n] (is: [n]i64) (vs: [n]f64) (s: [3]f64) =
          vjp (\vs -> reduce_by_index_stream (replicate 3 1.0) (*) 1.0
                        (\acc (i, v) -> write (write acc i v) i v) (zip is vs)) vs s
        entry replaced [n] (is: [n]i64) (vs: [n]f64) (s: [3]f64) =
          vjp (\vs -> scatter_stream (replicate 3 0.0) (\acc (i, v) -> write acc i v) (zip is vs)) vs s
        ",
        &[
            (
                "sc",
                "[1f64, 2f64, 3f64] [0i64, 5i64, -1i64] [10f64, 20f64, 30f64] [1f64, 2f64, 3f64]",
                "[0f64, 2f64, 3f64] [1f64, 0f64, 0f64]",
            ),
            ("plus", &both, "[5f64, 7f64, 0f64, 5f64]"),
            ("times", &both, "[20f64, 7f64, 0f64, 5f64]"),
            // (1 + a)(1 + b) − 1
            ("general", &both, "[25f64, 7f64, 0f64, 10f64]"),
            ("rows", &both, "[10f64, 28f64, 0f64, 40f64]"),
            (
                "most",
                "[1f64, 2f64, 3f64] [0i64, 0i64, 1i64, 2i64] [1f64, 0f64, 5f64, 1f64] [10f64, 20f64, 30f64]",
                "[10f64, 0f64, 30f64] [0f64, 0f64, 20f64, 0f64]",
            ),
            // v₀²·v₃², v₁²
            ("stream", &both, "[160f64, 28f64, 0f64, 40f64]"),
            ("replaced", &both, "[0f64, 7f64, 0f64, 5f64]"),
        ],
    );
}

#[test]
fn the_adjoint_that_the_user_gives_is_used() {
    answers(
        r"
        def f (x: f64): f64 = with_vjp_tape (\x -> (x, x * x)) (\(r, dy) -> dy * 100 * r) x
        entry back (x: f64) (s: f64) = vjp (\x -> f x * x) x s
        entry forth (x: f64) = jvp f x 1
        entry over (x: f64) = jvp (\x -> vjp f x 1) x 1
        entry twice (x: f64) = vjp (\x -> vjp f x 1) x 1
        entry free (x: f64) = vjp (\x -> with_vjp (\y -> y * x) (\_ dy -> dy * 7) 3 + x) x 1
        entry pair [n] (xs: [n]f64) =
          vjp (\xs -> let (s, p) = with_vjp_tape (\xs -> (xs, (f64.sum xs, f64.product xs)))
                                                 (\(xs, (ds, dp)) -> map (\x -> ds * x + dp) xs) xs in s * p) xs 1
        ",
        &[
            ("back", "4f64 1f64", "1616f64"),
            ("forth", "3f64", "6f64"),
            ("over", "3f64", "100f64"),
            ("twice", "3f64", "100f64"),
            ("free", "2f64", "1f64"),
            // ds = p = 6, dp = s = 5
            ("pair", "[2f64, 3f64]", "[17f64, 23f64]"),
        ],
    );
}

#[test]
fn many_directions_at_once() {
    answers(
        r"
        entry columns (x: f64) (y: f64) = jmp (\(x, y) -> (x * y, x + y)) (x, y) [(1, 0), (0, 1)]
        entry rows (x: f64) (y: f64) = mjp (\(x, y) -> (x * y, x + y)) (x, y) [(1, 0), (0, 1)]
        entry hessian (xs: [2]f64) =
          jmp (\xs -> vjp (\xs -> xs[0] * xs[0] * xs[1]) xs 1) xs (map (\i -> map (\j -> f64.bool (i == j)) (iota 2)) (iota 2))
        entry none (xs: [2]f64) = (jmp (map (* 2)) xs [], mjp (map (* 2)) xs [])
        ",
        &[
            ("columns", "2f64 3f64", "[3f64, 2f64] [1f64, 1f64]"),
            ("rows", "2f64 3f64", "[3f64, 1f64] [2f64, 1f64]"),
            ("hessian", "[3f64, 5f64]", "[[10f64, 6f64], [6f64, 0f64]]"),
            ("none", "[3f64, 5f64]", "empty([0][2]f64) empty([0][2]f64)"),
        ],
    );
}

#[test]
fn a_newton_step_of_k_means() {
    answers(
        r"
        def dist [d] (a: [d]f64) (b: [d]f64) = f64.sum (map2 (\x y -> (x - y) * (x - y)) a b)
        def cost [n] [k] [d] (ps: [n][d]f64) (cs: [k][d]f64) =
          f64.sum (map (\p -> f64.minimum (map (dist p) cs)) ps)
        entry step [n] [k] [d] (ps: [n][d]f64) (cs: [k][d]f64) =
          let (g, h) = jvp2 (\cs -> vjp (cost ps) cs 1) cs (replicate k (replicate d 1))
          in map2 (map2 (-)) cs (map2 (map2 (/)) g h)
        ",
        &[(
            "step",
            "[[1f64, 1f64], [2f64, 2f64], [9f64, 9f64]] [[0f64, 0f64], [10f64, 8f64]]",
            "[[1.5f64, 1.5f64], [9f64, 9f64]]",
        )],
    );
}

#[test]
fn loops_keep_their_stack_and_their_arrays() {
    answers(
        r"
        def put [n] (xs: *[n]i64) (i: i64): *[n]i64 = xs with [i] = i
        entry update (n: i64) = i64.sum (loop xs = replicate n 0 for i < n do xs with [i] = i)
        entry through (n: i64) = (loop xs = replicate n 0 for i < n do put xs i)[n - 1]
        entry folded (n: i64) = (loop xs = replicate n 0 for i in iota n do xs with [i] = i)[n - 1]
        entry rows (n: i64) = (loop xs = replicate n (replicate 100 0i64) for i < n do xs with [i, 3] = i)[5, 3]
        entry back (n: i64) (x: f64) = vjp (\x -> loop y = x for i < n do f64.sin (y + x) * 0.5) x 1
        entry forth (n: i64) (x: f64) = jvp (\x -> loop y = x for i < n do f64.sin (y + x) * 0.5) x 1
        entry until (x: f64) = vjp (\x -> (loop (y, i) = (x, 0i32) while y < 100 do (y * y, i + 1)).0) x 1
        entry kept (n: i64) = let xs = iota n let ys = copy xs with [0] = 7 in (xs[0], ys[0])
        ",
        &[
            // Copied in each iteration, these would take more than 10⁶ steps, the limit here.
            ("update", "6000i64", "17997000i64"),
            ("through", "6000i64", "5999i64"),
            ("folded", "6000i64", "5999i64"),
            ("rows", "1000i64", "5i64"),
            ("back", "5000i64 0.3f64", "0.727223701445297f64"),
            ("forth", "5000i64 0.3f64", "0.727223701445297f64"),
            // 2⁸ = 256, and 8·2⁷.
            ("until", "2f64", "1024f64"),
            ("kept", "3i64", "0i64 7i64"),
        ],
    );
}

#[test]
fn shared_values_are_visited_once() {
    // As a tree the graph has 2²⁰⁰⁰ paths ("Not-Quite-Supersonic AD", the end of §3.2).
    answers(
        r"
        entry back (x: f64) = vjp (\x -> loop y = x for i < 2000i32 do (y + y) * 0.5) x 1
        entry all (x: f64) = vjp (\x -> (loop (y, s) = (x, x) for i < 60i32 do (s, y + s)).1) x 1
        ",
        &[("back", "3f64", "1f64"), ("all", "1f64", "4052739537881f64")],
    );
}

#[test]
fn sums_records_and_local_definitions() {
    answers(
        r"
        type t = #a f64 | #b (f64, f64) | #c
        def g (x: t): f64 = match x case #a x -> x * x case #b (x, y) -> x * y case #c -> 0
        entry all (x: f64) = g (#a x) + g (#b (x, 3)) + g #c
        entry forth (x: f64) = jvp (\x -> g (#b (x, x))) x 1
        entry back [n] (xs: [n]f64) =
          vjp (\xs -> f64.sum (map g (map (\x -> if x > 0 then #a x else #b (x, 2)) xs))) xs 1
        entry adjoint (x: f64) = g (vjp g (#b (x, 5)) 1)
        entry equal (x: f64) = (#a x : t) == #a 2 && [(1i32, #a x : t)] == [(1, #a 2)] && (#c : t) != #a x
        entry path (x: f64) =
          let r = {a = x, b = {c = 2 * x, d = 3i32}} let r = r with b.c = r.a * r.b.c in (r.b.c, r.b.d)
        entry fields (x: f64) = vjp (\(r: {a: f64, b: f64}) -> {p = r.a * r.b, q = r.a}) {a = x, b = 3} {p = 1, q = 10}
        entry twice (x: f64) = let pair 'a (y: a) = (y, y) in (pair x, pair true)
        entry late [n] (xs: [n]i32) = let ys = filter (> 2) xs in (length ys, map (+ 1) ys)
        entry both (xs: []i32) = let (a, b) = partition (> 2) xs in (a, b)
        entry flat (xs: []i64) = (flatmap' (\x -> iota x) xs).3
        ",
        &[
            ("all", "2f64", "10f64"),
            ("forth", "3f64", "6f64"),
            ("back", "[3f64, -1f64]", "[6f64, 2f64]"),
            ("adjoint", "3f64", "15f64"),
            ("equal", "2f64", "true"),
            ("path", "3f64", "18f64 3i32"),
            ("fields", "2f64", "13f64 2f64"),
            ("twice", "1f64", "1f64 1f64 true true"),
            ("late", "[1, 5, 2, 3]", "2i64 [6, 4]"),
            ("both", "[1, 5, 2, 3]", "[5, 3] [1, 2]"),
            ("flat", "[2i64, 0i64, 3i64]", "[0i64, 1i64, 0i64, 1i64, 2i64]"),
        ],
    );
}

#[test]
fn every_kind_of_scalar() {
    answers(
        r"
        entry small (x: i8) = (x + 100, x >> 1, x // 3, x %% 3, x / 3, x % 3, x ** 3)
        entry bits (x: u8) = (u8.popc x, u8.clz x, u8.ctz x, u8.mul_hi x 200, x + 250u8)
        entry large (x: u64) = (x / 3, x > 5, u64.mul_hi x 16, x >> 60, f64.u64 x)
        entry reals (x: f64) = (f64.round x, f64.trunc x, f64.isnan (f64.sqrt (0 - x)), f64.gamma 5, x % 2)
        entry single (x: f32) = x * x + 1
        entry converted (x: f64) = (i8.f64 x, u8.f64 x, i32.f64 x, bool.f64 x, f32.f64 x)
        entry moved (xs: [][]i32) = (transpose xs, flatten xs, reverse xs, rotate 1 xs)
        entry parts [n] (xs: [n]i32) = (xs[1:3], xs[::-1], xs[:2], xs[2:])
        entry ranges (a: i64) (b: i64) = (a..<b, a...b, a..(a + 2)..<b, b..>a)
        entry empty (n: i64) = map (\i -> replicate 3 i) (iota n)
        ",
        &[
            ("small", "-100i8", "0i8 -50i8 -33i8 -1i8 -34i8 2i8 -64i8"),
            ("bits", "12u8", "2i32 4i32 2i32 9u8 6u8"),
            ("large", "18446744073709551615u64", "6148914691236517205u64 true 15u64 15u64 18446744073709551616f64"),
            ("reals", "2.5f64", "2f64 2f64 true 24f64 0.5f64"),
            ("single", "0.1f32", "1.01f32"),
            ("converted", "-300.7f64", "-128i8 0u8 -300i32 true -300.7f32"),
            (
                "moved",
                "[[1, 2], [3, 4], [5, 6]]",
                "[[1, 3, 5], [2, 4, 6]] [1, 2, 3, 4, 5, 6] [[5, 6], [3, 4], [1, 2]] [[3, 4], [5, 6], [1, 2]]",
            ),
            ("parts", "[1, 2, 3, 4]", "[2, 3] [4, 3, 2, 1] [1, 2] [3, 4]"),
            ("ranges", "1i64 4i64", "[1i64, 2, 3] [1i64, 2, 3, 4] [1i64, 3] [4i64, 3, 2]"),
            ("empty", "0i64", "empty([0][3]i64)"),
        ],
    );
}

#[test]
fn derivatives_are_those_of_differences_in_both_modes() {
    let bodies = [
        "f64.sum (scan (*) 1 xs)",
        "f64.product (map (\\x -> f64.sin x + x / (1 + x * x)) xs)",
        "f64.maximum xs * f64.minimum xs",
        "(loop a = copy xs for i < n - 1 do a with [i + 1] = a[i] * a[i + 1])[n - 1]",
        "f64.sum (hist (\\a b -> a * b + a + b) 0 2 (map (% 2) (iota n)) xs) ** 1.5",
        "let (a, b) = reduce (\\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip xs (reverse xs)) in a + b",
        "(loop (x, k) = (xs[0], 0i32) while x < 50 do (x * x + xs[1], k + 1)).0",
        "f64.sum (map f64.sqrt (filter (> 1) (map (\\x -> x * xs[n - 1]) xs)))",
        "f64.sum (map2 f64.atan2 xs (reverse xs)) + f64.lgamma xs[0] + f64.erf xs[1] + f64.hypot xs[0] xs[2]",
    ];
    let at = [1.3, 0.7, 1.9, 1.1];
    let shown = |xs: &[f64]| format!("[{}]", xs.iter().map(|x| format!("{x:?}f64")).collect::<Vec<_>>().join(", "));
    for body in bodies {
        let program = program(&format!(
            "def f [n] (xs: [n]f64): f64 = {body}\nentry value [n] (xs: [n]f64) = f xs\n\
             entry back [n] (xs: [n]f64) = vjp f xs 1\nentry forth [n] (xs: [n]f64) (dx: [n]f64) = jvp f xs dx\n"
        ));
        let numbers = |entry: &str, arguments: &str| {
            let found = call(&program, entry, arguments).unwrap_or_else(|m| panic!("{body}: {m:?}"));
            reals(&found[0].data).unwrap()
        };
        let gradient = numbers("back", &shown(&at));
        for i in 0..at.len() {
            let moved = |by: f64| {
                let mut xs = at;
                xs[i] += by;
                numbers("value", &shown(&xs))[0]
            };
            let h = 1e-3;
            // Of fourth order.
            let slope = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h))) / (12.0 * h);
            let mut unit = [0.0; 4];
            unit[i] = 1.0;
            let forth = numbers("forth", &format!("{} {}", shown(&at), shown(&unit)))[0];
            assert!((forth - gradient[i]).abs() <= 1e-12 * forth.abs().max(1.0), "{body}: {forth} and {}", gradient[i]);
            assert!((slope - forth).abs() <= 1e-7 * forth.abs().max(1.0), "{body}: {forth}, but {slope}");
        }
    }
}

#[test]
fn mistakes_of_the_user_are_messages_with_a_place() {
    let program = program(
        r"
        entry index [n] (xs: [n]i32) (i: i32) = xs[i]
        entry slice [n] (xs: [n]i32) = xs[1:9]
        entry update [n] (xs: [n]i32) = copy xs with [n] = 1
        entry divide (x: i32) (y: i32) = x / y
        entry power (x: i32) (y: i32) = x ** y
        entry positive (x: i32) = assert (x > 0) (x + 1)
        entry three [n] (xs: [n]i32) = xs :> [3]i32
        entry count (n: i64) = iota n
        entry copies (n: i64) = replicate n (replicate n 0i8)
        entry down (a: i32) (b: i32) = a..<b
        entry forever (x: i64) = loop x while true do x + 1
        entry grows (x: f64) = vjp (\x -> loop x while true do x + 1) x 1
        entry two [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
        entry late [n] (xs: [n]i64) = map (\x -> length (filter (> x) xs) / x) xs
        ",
    );
    for (entry, arguments, code, text) in [
        ("index", "[1, 2] 2", "bounds", "the index 2 is out of bounds of an array of size 2"),
        ("index", "empty([0]i32) -1", "bounds", "the index -1 is out of bounds of an array of size 0"),
        ("slice", "[1, 2]", "bounds", "the slice 1:9:1 is out of bounds of an array of size 2"),
        ("update", "[1, 2]", "bounds", "the index 2 is out of bounds of an array of size 2"),
        ("divide", "1 0", "division", "div(1, 0) has no value"),
        ("power", "2 -1", "power", "2 is raised to the power -1"),
        ("positive", "0", "assert", "the assertion does not hold"),
        ("three", "[1, 2]", "size", "the array has a dimension of size 2, where 3 is wanted"),
        ("count", "-1i64", "range", "an array cannot have -1 elements"),
        ("count", "999999999999i64", "limit", "arrays have more elements than the limit of 2097152"),
        ("copies", "9000000000000000000i64", "limit", "arrays have more elements than the limit of 2097152"),
        ("down", "3 1", "range", "the range from 3 to 1 by 1 has no end"),
        ("forever", "1i64", "limit", "the program takes more than the limit of 1000000 steps"),
        ("grows", "1f64", "limit", "the tape of reverse mode has more operations than the limit"),
        ("two", "[1, 2] [1]", "size", "the argument `ys` has a dimension of size 1, where 2 is wanted"),
        ("two", "[1, 2]", "arguments", "`two` takes 2 values, and there are 1"),
        ("two", "[1, 2] 3", "arguments", "the argument `ys` is of type []i32, and i32 is given"),
        ("late", "[1i64, 0i64]", "division", "div(1, 0) has no value"),
        ("nothing", "", "entry", "there is no entry point `nothing`"),
    ] {
        let message = call(&program, entry, arguments).expect_err(entry);
        assert_eq!((message.code, message.text.starts_with(text)), (code, true), "{entry} {arguments}: {message:?}");
        assert!(code == "entry" || message.span.end > 0, "{entry}: no place");
    }
}

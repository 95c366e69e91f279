//! Texts and bytes that nobody meant: every one of them is read or is a message, soon, and without a panic.

use std::time::{Duration, Instant};

use catadiff::futhark::source::Sources;
use catadiff::futhark::syntax::parse;
use catadiff::futhark::testing::blocks::blocks;
use catadiff::futhark::testing::random::Random;
use catadiff::futhark::values::{read, write_binary};

/// Programs and values to start from.
const SEEDS: [&str; 7] = [
    "-- ==\n-- entry: f g\n-- random input { [10]f32 5i32 } output { [1.0, 2] }\n-- input @ a.in error: x\n",
    "def f' [n] 'a '~b (xs: *[n]a) {x, y = (z, _)} (#c p -1) : ?[m].[m](a, b) = xs[1:n, ::2] with [0] = 3f32 |> map (+ 1)",
    "module m (S: {val x 'a : a -> i64 type t}) : T with t = f64 = { local open f64 def (+++) a b = a f64.* b }",
    "entry main = let [k] (ys: [k]i32) = f64.(x + 1) let y[0] = 0x1.8p3 in loop acc = 1 for i < k do #[unsafe] (acc ** 2)",
    "type s = #a (f64 -> f64) | #b [n]t  def g s = match s case #a f -> f 0..<n case _ -> if c then \"t\\n\" else 'c'",
    "[[1i64, 2], [3, 4]] true f32.nan -1e-5 empty([0][3]f64) \"abc\" 0xffu8 b\u{2}\u{1} i16",
    "import \"x\" open (\\(p: S) -> p) : S let x = (.[i], .x.0, -y, (`f` 2), ???, !z :> [n]i32) #[a(b, 3)] def h = assert t u",
];

/// Pieces that programs are made of.
const PIECES: [&str; 48] = [
    "def", "let", "in", "if", "then", "else", "loop", "for", "while", "do", "match", "case", "with", "type", "module",
    "val", "entry", "(", ")", "[", "]", "{", "}", "#[", "#c", "'", "'^", "?", "->", "=", "==", "-", "--", "*", "|",
    ":", ":>", ",", ".", "..", "...", "..<", "\\", "`", "x", "1.5f32", "\"", "\n",
];

fn try_all(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let file = sources.add("fuzz", &*text);
    match parse(&text, file) {
        // What is read can be printed, and that be read.
        Ok(tree) => {
            let printed = tree.to_string();
            let again = parse(&printed, file).unwrap_or_else(|messages| panic!("{text:?}\n{printed}\n{messages:?}"));
            assert_eq!(again.to_string(), printed, "{text:?}");
        }
        Err(messages) => {
            assert!(!messages.is_empty(), "{text:?}");
            messages.iter().for_each(|message| assert!(!sources.show(message).to_string().is_empty()));
        }
    }
    if let Err(messages) = blocks(&text, file) {
        assert!(!messages.is_empty(), "{text:?}");
    }
    if let Ok(values) = read(bytes, file) {
        let mut out = Vec::new();
        values.iter().for_each(|value| write_binary(value, &mut out));
        assert_eq!(read(&out, file).map(|again| again.len()).ok(), Some(values.len()), "{text:?}");
    }
}

fn below(random: &mut Random, n: usize) -> usize {
    usize::try_from(random.bits() % n.max(1) as u64).expect("less than n")
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let mut random = Random::new(5);
    for round in 0..6000 {
        let mut bytes = SEEDS[round % SEEDS.len()].as_bytes().to_vec();
        for _ in 0..=below(&mut random, 4) {
            let (a, b) = (below(&mut random, bytes.len()), below(&mut random, bytes.len()));
            let (from, to) = (a.min(b), (a.max(b)).min(a.min(b) + 12));
            match below(&mut random, 6) {
                0 => drop(bytes.drain(from..to)),
                1 => {
                    let copy = bytes[from..to].to_vec();
                    bytes.splice(from..from, copy);
                }
                2 if !bytes.is_empty() => bytes.swap(a, b),
                3 if !bytes.is_empty() => bytes[a] = random.bits() as u8,
                4 => bytes.truncate(a),
                _ => {
                    let piece = PIECES[below(&mut random, PIECES.len())];
                    bytes.splice(from..from, piece.bytes());
                }
            }
        }
        try_all(&bytes);
    }
}

#[test]
fn soups_of_tokens_are_read_or_refused() {
    let mut random = Random::new(6);
    for _ in 0..4000 {
        let mut text = String::from(["", "def f = ", "type t = ", "module m = {\n"][below(&mut random, 4)]);
        for _ in 0..below(&mut random, 40) {
            text += PIECES[below(&mut random, PIECES.len())];
            text += ["", " "][below(&mut random, 2)];
        }
        try_all(text.as_bytes());
    }
}

#[test]
fn random_bytes_are_read_or_refused() {
    let mut random = Random::new(7);
    for _ in 0..2000 {
        let mut bytes: Vec<u8> = (0..below(&mut random, 60)).map(|_| random.bits() as u8).collect();
        if below(&mut random, 2) == 0 {
            bytes.splice(0..0, *b"b\x02\x01 f64");
        }
        try_all(&bytes);
    }
}

/// Linear in the text: a hundred thousand lines take no more than some seconds without optimisation, and less than one
/// with it.
#[test]
fn long_programs_are_read_at_once() {
    let text: String = (0..100_000)
        .map(|n| format!("def f{n} [n] (xs: [n]f64) : f64 = reduce (+) 0.0 (map (\\x -> x * {n}.5 + f64.sqrt x) xs)\n"))
        .collect();
    let start = Instant::now();
    assert_eq!(parse(&text, 0).expect("a program").declarations.len(), 100_000);
    let limit = if cfg!(debug_assertions) { 60 } else { 2 };
    assert!(start.elapsed() < Duration::from_secs(limit), "{:?}", start.elapsed());
    eprintln!("100 000 lines: {:?}", start.elapsed());
    // What does not end, and what opens without end.
    for piece in
        ["let x[", "(", "\"", "'", "-- ==\n", "-- ==\n-- input {", "[1,", "def f = (1,\n", "a.b.", "`f", "x `a.b` "]
    {
        let text = piece.repeat(1_000_000 / piece.len());
        let start = Instant::now();
        let _ = (parse(&text, 0).is_ok(), blocks(&text, 0).is_ok(), read(text.as_bytes(), 0).is_ok());
        assert!(start.elapsed() < Duration::from_secs(limit), "{piece}: {:?}", start.elapsed());
    }
}

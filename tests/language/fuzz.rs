//! Texts and bytes that nobody meant: every one of them is read or is a message, soon, and without a panic.
//!
//! The bodies are those of the targets in `fuzz/`; what a fuzzer found is in `tests/found`, by target, and stays here. Without a
//! fuzzer, `FUZZ_SECONDS` says for how long each test makes mutants, and `FUZZ_SEED` which ones.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catadiff::futhark::syntax::parse;
use catadiff::futhark::testing::blocks::blocks;
use catadiff::futhark::testing::random::Random;
use catadiff::futhark::values::read;
use catadiff_laws::{ArrayProgram, Verdict, bad_input, mutated};
use quickcheck::{Arbitrary, Gen};

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

const FORMULAS: [&str; 4] = [
    "ln(x1) + x1*x2 - sin(x2)",
    "t = x * -y^2; t + powi(3, t) / (1 - 2.5e-3 * NaN)",
    "atan2(a', b) ^ -c ^ 2 - -inf * polygamma(2, pi)",
    "((((x + 1) * 2) ^ -3) - hypot(max(x, 0), erf(y)))",
];

fn below(random: &mut Random, n: usize) -> usize {
    usize::try_from(random.bits() % n.max(1) as u64).expect("less than n")
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// What is in the files of a folder, in the order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(path(folder)).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// A number in the environment, if it is there.
fn asked(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Asks a law of each text, and of mutants of mutants of them: a number of rounds, or for as long as is wanted, and for some seconds at most.
fn of_mutants(seeds: &[Vec<u8>], rounds: usize, law: impl Fn(&[u8]) -> Verdict) -> Verdict {
    let (seconds, rounds) = asked("FUZZ_SECONDS").map_or((4, rounds), |seconds| (seconds, usize::MAX));
    let mut random = Random::new(asked("FUZZ_SEED").unwrap_or(5));
    seeds.iter().try_for_each(|seed| law(seed))?;
    let start = Instant::now();
    for round in 0..rounds {
        if start.elapsed() > Duration::from_secs(seconds) {
            eprintln!("{round} mutants in {:?}", start.elapsed());
            break;
        }
        let mut text = seeds[below(&mut random, seeds.len())].clone();
        for _ in 0..=below(&mut random, 2) {
            text = mutated(&text, &seeds[below(&mut random, seeds.len())], &mut random);
        }
        let shown = ShownOnPanic(&text);
        law(&text)?;
        drop(shown);
    }
    Ok(())
}

/// Shows a text if what is done with it panics, so that it can be put into `tests/found`.
struct ShownOnPanic<'t>(&'t [u8]);

impl Drop for ShownOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("of the text\n{}", String::from_utf8_lossy(self.0));
        }
    }
}

#[test]
fn mutated_programs_are_read_or_refused() -> Verdict {
    let seeds: Vec<Vec<u8>> = SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    of_mutants(&seeds, 6000, bad_input::of_programs)
}

#[test]
fn mutants_of_the_programs_of_the_tests_mean_one_thing() -> Verdict {
    let seeds: Vec<Vec<u8>> = files("tests/futhark").into_iter().filter(|text| text.len() < 2000).collect();
    assert!(seeds.len() > 80);
    of_mutants(&seeds, 6000, bad_input::of_programs)
}

/// The smallest programs of each rule of types, modules and uniqueness; no stage finds a mistake after the checker.
#[test]
fn mutants_of_what_the_checker_accepts_mean_one_thing() -> Verdict {
    let names = [
        "check/inference",
        "check/sizes",
        "check/modules_accepted",
        "check/rules_accepted",
        "check/sizes_accepted",
        "consume/accepted",
    ];
    let programs = |name: &str| {
        let text = std::fs::read_to_string(path(&format!("tests/data/futhark_{name}.txt"))).expect("the file is there");
        let programs = text.strip_prefix("== ").expect("programs have titles").split("\n== ");
        let body = |program: &str| {
            program.split_once('\n').map(|(_, program)| program.split("-- expected").next().unwrap_or("").to_owned())
        };
        programs.filter_map(body).map(String::into_bytes).collect::<Vec<_>>()
    };
    let seeds: Vec<Vec<u8>> = names.into_iter().flat_map(programs).collect();
    assert!(seeds.len() > 200);
    of_mutants(&seeds, 6000, bad_input::of_programs)
}

#[test]
fn values_are_read_or_refused() -> Verdict {
    of_mutants(&files("fuzz/seeds/values"), 20_000, bad_input::of_values)
}

#[test]
fn array_programs_are_refused_or_run_on_lanes_as_interpreted() -> Verdict {
    let mut seeds = files("fuzz/seeds/array_program");
    let mut source = Gen::from_size_and_seed(6, 0);
    seeds.extend((0..50).map(|_| ArrayProgram::arbitrary(&mut source).program().to_string().into_bytes()));
    of_mutants(&seeds, 20_000, bad_input::of_array_programs)
}

#[test]
fn formulas_are_read_or_refused() -> Verdict {
    let seeds: Vec<Vec<u8>> = FORMULAS.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    of_mutants(&seeds, 20_000, bad_input::of_formulas)
}

#[test]
fn recordings_are_read_or_refused() -> Verdict {
    of_mutants(&files("fuzz/seeds/recording"), 20_000, bad_input::of_recordings)
}

#[test]
fn random_bytes_are_read_or_refused() -> Verdict {
    let mut random = Random::new(7);
    for _ in 0..2000 {
        let mut bytes: Vec<u8> = (0..below(&mut random, 60)).map(|_| random.bits() as u8).collect();
        if below(&mut random, 2) == 0 {
            bytes.splice(0..0, *b"b\x02\x01 f64");
        }
        bad_input::of_programs(&bytes)?;
        bad_input::of_values(&bytes)?;
        bad_input::of_array_programs(&bytes)?;
        bad_input::of_formulas(&bytes)?;
        bad_input::of_recordings(&bytes)?;
    }
    Ok(())
}

#[test]
fn what_was_found_stays_mended() -> Verdict {
    type Law = fn(&[u8]) -> Verdict;
    let laws: [(&str, Law); 5] = [
        ("program", bad_input::of_programs),
        ("values", bad_input::of_values),
        ("array_program", bad_input::of_array_programs),
        ("formula", bad_input::of_formulas),
        ("recording", bad_input::of_recordings),
    ];
    for (target, law) in laws {
        let folder = format!("tests/found/{target}");
        if path(&folder).exists() {
            files(&folder).iter().try_for_each(|found| law(found))?;
        }
    }
    Ok(())
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

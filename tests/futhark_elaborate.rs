//! The two meanings of the text front end on programs in `tests/futhark`: interpreted, and compiled in two ways.
//!
//! Law: the interpreter, the array program in the reference interpreter of array programs, and the array program on lanes have the
//! results that the blocks of a program say, or all three the same error, though each says its own limits.

use std::fs;
use std::path::Path;

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::core::Program;
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::syntax::parse;
use catadiff::futhark::testing::blocks::{Input, Output, blocks};
use catadiff::futhark::values::{Array, Data};
use catadiff::futhark::{elaborate, interpreter};
use catadiff::interpret::Limits;

type Outcome = Result<Vec<Array>, Message>;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

fn same(found: &Array, wanted: &Array) -> bool {
    let near = match (&found.data, &wanted.data) {
        (Data::F32(a), Data::F32(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(f64::from(*a), f64::from(*b), 1e-6))
        }
        (Data::F64(a), Data::F64(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b, 1e-10)),
        (a, b) => a == b,
    };
    near && found.shape == wanted.shape
}

/// The results in each way.
fn ways(program: &Program, entry: &str, input: &[Array]) -> Vec<(&'static str, Outcome)> {
    let limits = Limits { steps: 10_000_000, ..Limits::default() };
    let mut found = vec![("interpreter", interpreter::run(program, entry, input, limits))];
    match elaborate::compile_entry(program, entry) {
        Err(message) => found.push(("elaboration", Err(message))),
        Ok(elaborated) => {
            found.push(("array program", elaborated.run(input, &limits)));
            found.push(("lanes", elaborated.compile().and_then(|ready| ready.run(input))));
        }
    }
    found
}

fn shown(outcome: &Outcome, sources: &Sources) -> String {
    match outcome {
        Ok(values) => values.iter().map(|value| format!("{value} ")).collect(),
        Err(message) => sources.show(message).to_string(),
    }
}

/// What is wrong with a program, and how many cases it has.
fn wrong(path: &Path) -> (Vec<String>, usize) {
    let text = fs::read_to_string(path).expect("the program is there");
    let mut sources = Sources::default();
    let number = sources.add(path.file_name().unwrap_or_default().to_string_lossy(), text.clone());
    let name = path.display();
    let all = |messages: &[Message], sources: &Sources| {
        let shown = messages.iter().map(|message| sources.show(message).to_string());
        vec![format!("{name}: {}", shown.collect::<String>())]
    };
    let file = match parse(&text, number) {
        Ok(file) => file,
        Err(messages) => return (all(&messages, &sources), 0),
    };
    let program = match check(&file, &mut NoImports) {
        Ok((program, _)) => program,
        Err(messages) => return (all(&messages, &sources), 0),
    };
    let blocks = match blocks(&text, number) {
        Ok(blocks) => blocks,
        Err(messages) => return (all(&messages, &sources), 0),
    };
    let (mut wrong, mut cases) = (Vec::new(), 0);
    for block in &blocks {
        for entry in &block.entries {
            for case in &block.cases {
                cases += 1;
                let Input::Values(input) = &case.input else { panic!("{name}: inputs are values here") };
                let found = ways(&program, entry, input);
                let first = found.first().map(|(_, outcome)| outcome.clone());
                let interpreted = first.clone().and_then(Result::ok);
                for (way, outcome) in found {
                    let right = match (&outcome, &case.output) {
                        (Ok(found), Output::Auto) => interpreted.as_ref().is_some_and(|wanted| {
                            found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| same(a, b))
                        }),
                        (Ok(found), Output::Values(wanted)) => {
                            found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| same(a, b))
                        }
                        // What is known to fail beforehand is said when the program is elaborated.
                        (Err(message), Output::Error(_)) => {
                            let limit = |of: &Message| of.code == "limit";
                            let same = match &first {
                                Some(Err(first)) => first == message || limit(first) && limit(message),
                                Some(Ok(_)) | None => false,
                            };
                            message.code != "internal" && (way == "elaboration" || same)
                        }
                        _ => false,
                    };
                    if !right {
                        let wanted = match &interpreted {
                            Some(values) => shown(&Ok(values.clone()), &sources),
                            None => format!("{:?}", case.output),
                        };
                        let input: String = input.iter().map(|value| format!("{value} ")).collect();
                        let found = shown(&outcome, &sources);
                        wrong.push(format!("{name} {entry}, {way}, at {input}:\n  {found}\n  for {wanted}"));
                    }
                }
            }
        }
    }
    (wrong, cases)
}

#[test]
fn both_meanings_have_the_results_that_programs_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futhark");
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|e| e == "fut") && path.to_string_lossy().contains(&only));
    let (mut failures, mut cases) = (Vec::new(), 0);
    for path in &paths {
        let (wrong, count) = wrong(path);
        failures.extend(wrong);
        cases += count;
    }
    assert!(failures.is_empty(), "{}\n{} failures in {cases} cases", failures.join("\n"), failures.len());
    assert!(!only.is_empty() || paths.len() >= 40 && cases >= 100, "{} programs, {cases} cases", paths.len());
}

#[test]
fn the_programs_of_the_table_are_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futhark");
    let table = fs::read_to_string(folder.join("README.md")).expect("the table is there");
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit("| ").next()).collect();
    let named: Vec<&str> = rows.iter().flat_map(|row| row.split(' ')).filter(|name| *name != "programs").collect();
    for name in &named {
        assert!(folder.join(name).with_extension("fut").is_file(), "the table names {name}.fut");
    }
    assert!(rows.len() > 60 && named.len() > 100, "{} rows, {} programs", rows.len(), named.len());
}

/// The entries that are not lowered: reals taken as bits, rows of sizes that only the rows know, and others that are interpreted.
const INTERPRETED: [&str; 10] = [
    "bench_ba jacobian",
    "bench_lbm gradient",
    "bench_lbm tangent",
    "bench_lbm value",
    "error_places rows",
    "patterns_of_bits back",
    "patterns_of_bits pattern",
    "radix sort",
    "real_functions others",
    "vectors_in_combinators binned",
];

#[test]
fn what_is_elaborated_runs_on_lanes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futhark");
    let mut interpreted = Vec::new();
    for file in fs::read_dir(folder).expect("the folder is there") {
        let path = file.expect("it can be read").path();
        if path.extension().is_none_or(|e| e != "fut") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("it is text");
        let (program, _) = check(&parse(&text, 0).expect("it is read"), &mut NoImports).expect("it is right");
        for entry in &program.entries {
            let Ok(elaborated) = elaborate::compile_entry(&program, &entry.name) else { continue };
            if elaborated.compile().expect("it verifies").explain().starts_with("interpreted") {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                interpreted.push(format!("{stem} {}", entry.name));
            }
        }
    }
    interpreted.sort();
    assert_eq!(interpreted, INTERPRETED);
}

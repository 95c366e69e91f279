//! The two meanings of the text front end on programs in `tests/futhark`: interpreted, and compiled in two ways.
//!
//! Law: the interpreter, the array program in the reference interpreter of array programs, and the array program on lanes have the
//! results that the blocks of a program say, or all three the same error, though each says its own limits. Lanes run every entry point
//! that is an array program.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use catadiff::array;
use catadiff::futhark::check::{Imports, check};
use catadiff::futhark::core::Program;
use catadiff::futhark::elaborate::Ready;
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::syntax::{parse, tree};
use catadiff::futhark::testing::blocks::{Input, Output, blocks, blocks_of, draw};
use catadiff::futhark::testing::script;
use catadiff::futhark::values::{Array, Data, read};
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
        (Data::F16(a), Data::F16(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(f64::from(*a), f64::from(*b), 1e-6))
        }
        (Data::F64(a), Data::F64(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(*a, *b, 1e-10)),
        (a, b) => a == b,
    };
    near && found.shape == wanted.shape
}

/// Programs in a folder, by their paths from it.
struct Folder {
    path: PathBuf,
    sources: Sources,
    known: HashMap<String, (u32, Rc<tree::File>)>,
}

impl Folder {
    fn of(path: &Path) -> Self {
        let path = path.parent().expect("a program is in a folder").to_owned();
        Folder { path, sources: Sources::default(), known: HashMap::new() }
    }

    /// A program that has been read and checked.
    fn program(&mut self, path: &Path) -> Result<Program, Vec<Message>> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (_, file) = self.load(&name, 0)?;
        Ok(check(&file, self)?.0)
    }
}

impl Imports for Folder {
    fn load(&mut self, name: &str, from: u32) -> Result<(u32, Rc<tree::File>), Vec<Message>> {
        let folder = self.sources.files.get(from as usize).and_then(|file| Path::new(&file.name).parent());
        let path = folder.unwrap_or(Path::new("")).join(format!("{name}.fut"));
        let path = path.to_string_lossy().into_owned();
        if !self.known.contains_key(&path) {
            let text = fs::read_to_string(self.path.join(&path)).expect("the program is there");
            let number = self.sources.add(path.clone(), text.clone());
            self.known.insert(path.clone(), (number, Rc::new(parse(&text, number)?)));
        }
        Ok(self.known[&path].clone())
    }
}

/// A checked program, with those of its entry points that have been compiled: each of them once.
struct Compiled {
    program: Program,
    ready: HashMap<String, Result<Ready, Message>>,
}

impl Compiled {
    fn of(program: Program) -> Self {
        Compiled { program, ready: HashMap::new() }
    }

    /// An entry point that is ready to run, or why it is no array program.
    fn ready(&mut self, entry: &str) -> &Result<Ready, Message> {
        self.ready.entry(entry.to_owned()).or_insert_with(|| {
            let elaborated = elaborate::compile_entry(&self.program, entry)?;
            for (pass, program) in elaborated.passes() {
                assert_eq!(program.verify(), Ok(()), "{entry} after the pass `{pass}`");
            }
            Ok(elaborated.compile().expect("it verifies"))
        })
    }

    /// The results in each way.
    fn ways(&mut self, entry: &str, input: &[Array]) -> Vec<(&'static str, Outcome)> {
        let limits = Limits { steps: 10_000_000, ..Limits::default() };
        let interpreted = ("interpreter", interpreter::run(&self.program, entry, input, limits));
        match self.ready(entry) {
            // How often a function calls itself only the interpreter finds.
            Err(message) if message.code == elaborate::UNKNOWN_CALLS => vec![interpreted],
            Err(message) => vec![interpreted, ("elaboration", Err(message.clone()))],
            Ok(ready) => {
                vec![
                    interpreted,
                    ("array program", ready.elaborated().run(input, &limits)),
                    ("lanes", ready.run(input)),
                ]
            }
        }
    }

    /// The entry points, with test blocks or without, that lanes leave to the interpreter although they are array programs.
    fn left_to_the_interpreter(&mut self) -> Vec<String> {
        let mut entries: Vec<String> = self.program.entries.iter().map(|entry| entry.name.to_string()).collect();
        entries.retain(|entry| {
            let Ok(ready) = self.ready(entry) else { return false };
            let passes = ready.explained_passes();
            let programs = passes.iter().filter(|(_, text)| text.starts_with("program ("));
            programs.for_each(|(pass, text)| {
                assert!(array::Program::parse(text).is_ok(), "{entry} after `{pass}`: {text}")
            });
            passes.last().is_some_and(|(_, code)| code.starts_with("interpreted"))
        });
        entries
    }
}

fn shown(outcome: &Outcome, sources: &Sources) -> String {
    match outcome {
        Ok(values) => values.iter().map(|value| format!("{value} ")).collect(),
        Err(message) => sources.show(message).to_string(),
    }
}

/// What is wrong with a program, and how many cases it has.
fn wrong(path: &Path) -> (Vec<String>, usize) {
    let name = path.display();
    let mut folder = Folder::of(path);
    let checked = folder.program(path);
    let sources = &folder.sources;
    let all = |messages: &[Message]| {
        let shown = messages.iter().map(|message| sources.show(message).to_string());
        vec![format!("{name}: {}", shown.collect::<String>())]
    };
    let text = &sources.files[0].text;
    let blocks = match checked.as_ref().map_or_else(|_| blocks(text, 0), |program| blocks_of(program, text, 0)) {
        Ok(blocks) => blocks,
        Err(messages) => return (all(&messages), 0),
    };
    let refused = blocks.iter().any(|block| block.refused.is_some());
    let mut compiled = match checked {
        Ok(_) if refused => return (vec![format!("{name} is not refused")], 0),
        Ok(program) => Compiled::of(program),
        Err(_) if refused => return (Vec::new(), 1),
        Err(messages) => return (all(&messages), 0),
    };
    let from_file = |file: &str| {
        let bytes = fs::read(folder.path.join(file)).expect("the values are there");
        read(&bytes, 0).expect("they are values")
    };
    let (mut wrong, mut cases) = (Vec::new(), 0);
    for block in &blocks {
        for entry in &block.entries {
            for case in block.cases.iter().filter(|case| case.words.iter().all(|word| &**word != "notest")) {
                cases += 1;
                let packed = |file: &str| file.ends_with(".gz");
                // What is packed the command unpacks, in the test below.
                match (&case.input, &case.output) {
                    (Input::File(file), _) | (_, Output::File(file)) if packed(file) => continue,
                    _ => {}
                }
                let input = match &case.input {
                    Input::Values(values) => values.clone(),
                    Input::Random(draws) => draw(draws, 0).expect("they can be drawn"),
                    Input::File(file) => from_file(file),
                    Input::Script(_) | Input::ScriptFile(_) => {
                        let script = match &case.input {
                            Input::ScriptFile(file) => {
                                &fs::read_to_string(folder.path.join(file)).expect("it is there")
                            }
                            Input::Script(script) => script,
                            _ => unreachable!("one of both"),
                        };
                        let load = |file: &str| Ok(from_file(file));
                        let call = |name: &str, given: &[_]| {
                            interpreter::run(&compiled.program, name, given, Limits::default())
                        };
                        script::values(script, &call, &load).expect("the script has values")
                    }
                };
                let wanted = match &case.output {
                    Output::Values(values) => Some(values.clone()),
                    Output::File(file) => Some(from_file(file)),
                    Output::Auto | Output::Error(_) | Output::Anything => None,
                };
                let found = compiled.ways(entry, &input);
                let first = found.first().map(|(_, outcome)| outcome.clone());
                let interpreted = first.clone().and_then(Result::ok);
                for (way, outcome) in found {
                    let right = match (&outcome, &case.output) {
                        (Ok(found), Output::Auto | Output::Values(_) | Output::File(_)) => {
                            wanted.as_ref().or(interpreted.as_ref()).is_some_and(|wanted| {
                                found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| same(a, b))
                            })
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
                            Some(values) => shown(&Ok(values.clone()), sources),
                            None => format!("{:?}", case.output),
                        };
                        let input: String = input.iter().map(|value| format!("{value} ")).collect();
                        let found = shown(&outcome, sources);
                        wrong.push(format!("{name} {entry}, {way}, at {input}:\n  {found}\n  for {wanted}"));
                    }
                }
            }
        }
    }
    let left = compiled.left_to_the_interpreter();
    wrong.extend(left.iter().map(|entry| format!("{name} {entry} is not run on lanes, but interpreted")));
    (wrong, cases)
}

/// All programs with test blocks, by name.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futhark");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("it can be read").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "fut"));
    paths.sort();
    paths
}

/// Every other program, from this one on.
fn both_meanings(from: usize) {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut paths: Vec<_> = programs().into_iter().skip(from).step_by(2).collect();
    paths.retain(|path| path.to_string_lossy().contains(&only));
    let (mut failures, mut cases) = (Vec::new(), 0);
    for path in &paths {
        let (wrong, count) = wrong(path);
        failures.extend(wrong);
        cases += count;
    }
    assert!(failures.is_empty(), "{}\n{} failures in {cases} cases", failures.join("\n"), failures.len());
    assert!(!only.is_empty() || paths.len() >= 75 && cases >= 250, "{} programs, {cases} cases", paths.len());
}

#[test]
fn both_meanings_have_the_results_that_programs_say() {
    both_meanings(0);
}

#[test]
fn both_meanings_have_the_results_that_other_programs_say() {
    both_meanings(1);
}

/// A compiled run that has no room for the states of a loop shows the loop.
#[test]
fn what_there_is_no_room_for_is_shown_in_its_place() {
    let text = "def f (n: i64) (a: f64) = f64.sum (loop xs = replicate n a for _i < n do map f64.sin xs)\n\
                entry main (n: i64) = vjp (f n) 0.5 1";
    let program = elaborate::compile(text, "main").expect("it is a program").compile().expect("lanes run it");
    let message = program.run(&[Array::scalar(100_000_i64)]).expect_err("10¹⁰ states");
    let shown = &text[message.span.start as usize..message.span.end as usize];
    assert_eq!((message.code, shown), ("limit", "(loop xs = replicate n a for _i < n do map f64.sin xs)"));
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
    for entry in fs::read_dir(&folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_program = path.extension().is_some_and(|e| e == "fut");
        assert!(!is_program || named.contains(&&*name), "the table does not name {name}.fut");
    }
    assert!(rows.len() > 60 && named.len() > 100, "{} rows, {} programs", rows.len(), named.len());
}

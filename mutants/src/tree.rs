//! A copy of the sources with mutants in it, and its test programs.
//!
//! Law: the copy is of the files that Git tracks, as they are now, and a mutant that the compiler refuses is taken out of it and not
//! counted: no test is there that could have seen it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::operators::{Mutant, mutants};
use crate::source::{Placed, SWITCH, switched};

/// What may be changed.
const ROOMS: [&str; 6] =
    ["src/optimise/", "src/transform/", "src/primitives/", "src/kernel/", "src/execute/", "src/carriers/"];

/// The crate's root, before whose first module that of the switches is put, and what the compiler says of mutants is allowed.
const ROOT: &str = "src/lib.rs";
const FIRST: &str = "\npub mod algebra;";
const ALLOWED: &str = "#![allow(warnings, unconditional_panic, arithmetic_overflow, overflowing_literals)]\n";
const SWITCHES: &str = "src/mutants.rs";

/// A test that has a file of the library for a module of its own has the switches too.
const INCLUDED: &[u8] = b"#[path = \"../src/";
const SWITCHES_THERE: &str = "\n#[path = \"../src/mutants.rs\"]\nmod mutants;\n";

/// What the copy is made of, and where it is.
pub struct Tree {
    from: PathBuf,
    pub at: PathBuf,
    target: PathBuf,
}

/// A test program.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: String,
    pub path: PathBuf,
}

impl Tree {
    pub fn new(from: &Path) -> Self {
        let scratch = from.join("target/mutants");
        Tree { from: from.to_owned(), at: scratch.join("tree"), target: scratch.join("build") }
    }

    fn tracked(&self) -> Vec<String> {
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(&self.from).output().expect("git runs");
        let listed = String::from_utf8(listed.stdout).expect("names of files are UTF-8");
        let there = |path: &&str| !path.is_empty() && self.from.join(path).is_file();
        listed.split('\0').filter(there).map(str::to_owned).collect()
    }

    /// All mutants there are, in the order of the files, each with the file it is in.
    pub fn all(&self) -> Vec<(String, Mutant)> {
        let is_ours = |path: &String| path.ends_with(".rs") && ROOMS.iter().any(|room| path.starts_with(room));
        let mut all = Vec::new();
        for path in self.tracked().into_iter().filter(is_ours) {
            let text = std::fs::read_to_string(self.from.join(&path)).expect("a tracked file can be read");
            let found = mutants(&path, &text).unwrap_or_else(|error| panic!("{path}: {error}"));
            all.extend(found.into_iter().map(|mutant| (path.clone(), mutant)));
        }
        all
    }

    /// Copies what differs, so that what was built stays so; but not the files that mutants are put into.
    pub fn copy(&self, but: &BTreeSet<&String>) {
        let tracked = self.tracked();
        for path in tracked.iter().filter(|path| !but.contains(path)) {
            let mut content = std::fs::read(self.from.join(path)).expect("a tracked file can be read");
            if path == ROOT {
                let text = String::from_utf8(content).expect("sources are UTF-8");
                content = format!("{ALLOWED}{}", text.replacen(FIRST, &format!("\nmod mutants;{FIRST}"), 1)).into();
            } else if path.starts_with("tests/") && content.windows(INCLUDED.len()).any(|part| part == INCLUDED) {
                content.extend_from_slice(SWITCHES_THERE.as_bytes());
            }
            write(&self.at.join(path), &content);
        }
        write(&self.at.join(SWITCHES), SWITCH.as_bytes());
        for path in below(&self.at) {
            let name = path.strip_prefix(&self.at).expect("it is below").to_str().expect("a name in UTF-8").to_owned();
            if !tracked.contains(&name) && name != SWITCHES {
                std::fs::remove_file(path).expect("our own copy can be removed");
            }
        }
    }

    /// Puts mutants in, and takes out again what the compiler refuses: the numbers of those that are left.
    pub fn put(&self, mutants: &[(usize, (String, Mutant))]) -> BTreeSet<usize> {
        // What was refused of the same text is not asked again, so that what is built stays so.
        let kept = self.at.with_file_name("refused");
        let mut known = std::fs::read_to_string(&kept).unwrap_or_default();
        let key = |path: &String, mutant: &Mutant| {
            let text = std::fs::read_to_string(self.from.join(path)).expect("a tracked file can be read");
            format!("{:016x} {}", crate::order(0, &text), mutant.name)
        };
        let is_known =
            |(_, (path, mutant)): &&(usize, (String, Mutant))| known.lines().any(|line| line == key(path, mutant));
        let mut left: BTreeSet<usize> = mutants.iter().filter(|it| !is_known(it)).map(|(number, _)| *number).collect();
        let files: BTreeSet<&String> = mutants.iter().map(|(_, (path, _))| path).collect();
        self.copy(&files);
        loop {
            let mut placed: BTreeMap<String, Vec<Placed>> = BTreeMap::new();
            for path in files.iter().copied() {
                let text = std::fs::read_to_string(self.from.join(path)).expect("a tracked file can be read");
                let here: Vec<(usize, &Mutant)> = mutants
                    .iter()
                    .filter(|(number, (of, _))| of == path && left.contains(number))
                    .map(|(number, (_, mutant))| (*number, mutant))
                    .collect();
                let (text, places) = switched(&text, &here);
                write(&self.at.join(path), text.as_bytes());
                placed.insert(path.clone(), places);
            }
            let messages = self.cargo(&["check", "--lib"]);
            let refused = refused(&messages, &placed);
            if refused.is_empty() {
                return left;
            }
            eprintln!("{} mutants are not Rust: {refused:?}", refused.len());
            left.retain(|number| !refused.contains(number));
            for (_, (path, mutant)) in mutants.iter().filter(|(number, _)| refused.contains(number)) {
                known.push_str(&key(path, mutant));
                known.push('\n');
            }
            write(&kept, known.as_bytes());
        }
    }

    /// The test programs of these names, or all.
    pub fn build(&self, names: &[String]) -> Vec<Program> {
        let all = ["*".to_owned()];
        let names = if names.is_empty() { &all } else { names };
        let mut arguments = vec!["test", "--no-run"];
        names.iter().for_each(|name| arguments.extend(["--test", name]));
        let messages = self.cargo(&arguments);
        let failed =
            messages.iter().find(|message| message["reason"] == "build-finished" && message["success"] == false);
        assert!(failed.is_none(), "the tests do not compile: {}", errors(&messages));
        let mut programs: Vec<Program> = Vec::new();
        for message in &messages {
            let kind = message["target"]["kind"][0].as_str().unwrap_or_default();
            if let (Some(path), true) =
                (message["executable"].as_str(), message["profile"]["test"] == true && kind == "test")
            {
                let name = message["target"]["name"].as_str().expect("a target has a name").to_owned();
                programs.push(Program { name, path: path.into() });
            }
        }
        programs
    }

    fn cargo(&self, arguments: &[&str]) -> Vec<Value> {
        let (command, rest) = arguments.split_first().expect("a command");
        let output = Command::new("cargo")
            .arg(command)
            .args(["--message-format=json", "--quiet", "--config", "profile.dev.package.catadiff.opt-level=1"])
            .args(rest)
            .arg("--target-dir")
            .arg(&self.target)
            .current_dir(&self.at)
            .stderr(Stdio::inherit())
            .output()
            .expect("cargo runs");
        let lines = String::from_utf8(output.stdout).expect("messages are UTF-8");
        lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

/// Writes a file, unless it is like that.
fn write(path: &Path, content: &[u8]) {
    if std::fs::read(path).is_ok_and(|is| is == content) {
        return;
    }
    std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
    std::fs::write(path, content).expect("a file can be written");
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(below(&path)) } else { found.push(path) }
    }
    found
}

fn errors(messages: &[Value]) -> String {
    let is_error = |message: &&Value| message["message"]["level"] == "error";
    let text = |message: &Value| message["message"]["rendered"].as_str().unwrap_or_default().to_owned();
    messages.iter().filter(is_error).map(text).collect()
}

/// The mutants that errors are about: each of the smallest that contains what the compiler points at first, or of the next.
fn refused(messages: &[Value], placed: &BTreeMap<String, Vec<Placed>>) -> BTreeSet<usize> {
    let mut refused = BTreeSet::new();
    for message in messages.iter().filter(|message| message["message"]["level"] == "error") {
        let mut spans = Vec::new();
        spans_of(&message["message"], &mut spans);
        let found = spans.iter().find_map(|(path, range)| {
            let there = placed.get(path)?;
            let within = |outer: &Range<usize>| outer.start <= range.start && range.end <= outer.end;
            let meets = |outer: &Range<usize>| outer.start < range.end && range.start < outer.end;
            let smallest = |of: &dyn Fn(&Placed) -> bool| {
                there
                    .iter()
                    .filter(|placed| of(placed))
                    .min_by_key(|placed| placed.around.len())
                    .map(|placed| placed.number)
            };
            smallest(&|placed| within(&placed.new))
                .or_else(|| smallest(&|placed| within(&placed.around)))
                .or_else(|| smallest(&|placed| meets(&placed.around)))
                // What is no more returned early is used later.
                .or_else(|| there.iter().min_by_key(|p| p.new.start.abs_diff(range.start)).map(|p| p.number))
        });
        match found {
            Some(number) => {
                refused.insert(number);
            }
            None if spans.is_empty() => {}
            None => eprintln!("{}", message["message"]["rendered"].as_str().unwrap_or_default()),
        }
    }
    let failed = messages.iter().any(|message| message["reason"] == "build-finished" && message["success"] == false);
    assert!(!failed || !refused.is_empty(), "an error is about no mutant: {}", errors(messages));
    refused
}

/// Where a message points, first where it points first; what macros became is followed to where they are called.
fn spans_of(message: &Value, into: &mut Vec<(String, Range<usize>)>) {
    let mut spans: Vec<&Value> = message["spans"].as_array().into_iter().flatten().collect();
    spans.sort_by_key(|span| span["is_primary"] != true);
    for span in spans {
        let mut span = span;
        loop {
            let number = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
            let path = span["file_name"].as_str().unwrap_or_default().to_owned();
            into.push((path, number("byte_start")..number("byte_end")));
            if span["expansion"].is_null() {
                break;
            }
            span = &span["expansion"]["span"];
        }
    }
    message["children"].as_array().into_iter().flatten().for_each(|child| spans_of(child, into));
}

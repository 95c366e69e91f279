//! The house rules that the compiler does not check: every file says what it is for, imports go one way, rooms stay small.
//!
//! Law: the reader of a room needs only the rooms above it. A violation names its file, line and rule, and what would
//! be right; the checker itself is tried on small bad examples.

mod book;
mod map;
mod paths;
mod prose;
mod tried;

use std::fmt;
use std::fs;
use std::path::Path;

use paths::{UsedPath, paths, tokens};

/// The rooms of `src/`, from the ground up: a room may import those before it, never those after it. The public ones
/// are described in the same order on the front page, `src/lib.rs`.
#[rustfmt::skip]
const ROOMS: &[&str] = &[
    "error", "algebra", "primitives", "draw", "term", "carriers", "derivative", "array", "interpret", "optimise",
    "transform", "solvers", "tracing", "kernel", "execute", "interop", "futhark", "prelude", "book",
];

/// The parts of the room `futhark`, in the same order.
#[rustfmt::skip]
const FUTHARK: &[&str] = &[
    "chain", "prelude", "source", "syntax", "core", "check", "files", "values", "meaning", "interpreter", "elaborate", "testing", "editing",
];

/// What is in `src/carriers/` and no carrier, but serves them: files, and a crate that `operators!` names.
const SHARED: &[&str] = &["backpropagator", "log", "operators", "streams", "num_traits"];

/// Exported macros, which the compiler puts at the root of the crate, and the rooms whose promises they write out: these
/// and later rooms may use them, wherever the macro itself is defined.
const MACROS: &[(&str, &str)] = &[("operators", "primitives")];

/// The longest a file may be.
const LINES: usize = 500;

/// Names that do not say what is inside.
const NAMELESS: &[&str] = &["util", "utils", "misc", "common", "helper", "helpers"];

/// Words of unfinished work, in two halves so that this file passes its own check.
const UNFINISHED: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
];

/// A broken rule.
#[derive(Debug)]
struct Violation {
    file: String,
    line: usize,
    rule: &'static str,
    right: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.rule, self.right)
    }
}

/// Checks one file, given by its path from the top of the repository, with `/` between folders.
fn check(file: &str, source: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut report = |line: usize, rule: &'static str, right: String| {
        found.push(Violation { file: file.into(), line, rule, right });
    };

    let opening: Vec<&str> = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let first = opening.iter().take_while(|line| !line.is_empty()).copied().collect::<Vec<_>>().join(" ");
    if !first.ends_with('.') {
        report(1, "opening", "open the file with `//!` and one sentence, with its full stop, on what it is for".into());
    }
    let library = file.starts_with("src/") || file.starts_with("laws/src/");
    let exempt = file == "src/lib.rs";
    if library && !exempt && !opening.iter().any(|line| line.starts_with("Law:")) {
        report(1, "law", "say in the opening comment which law the file keeps: `//! Law: …`".into());
    }

    let lines = source.lines().count();
    if lines > LINES {
        report(LINES + 1, "size", format!("{lines} lines: split it into files of at most {LINES}, one duty each"));
    }
    for name in file.trim_end_matches(".rs").split('/') {
        if NAMELESS.contains(&name) {
            report(1, "name", format!("`{name}` does not say what is inside: name the duty"));
        }
    }
    // The manifests build no test programs of these.
    let untested = file.starts_with("src/") || file.starts_with("cli/src/");
    for (number, line) in source.lines().enumerate() {
        if untested && line.trim() == "#[test]" {
            report(number + 1, "test", "no test here would run: write it in `tests/`".into());
        }
        if let Some(word) = UNFINISHED.iter().find(|word| has_word(line, word)) {
            report(number + 1, "unfinished", format!("`{word}`: finish it, or leave it out"));
        }
    }

    let paths = paths(&tokens(source));
    for path in &paths {
        let ours = matches!(path.segments[0].as_str(), "crate" | "super" | "self");
        let prelude = path.segments.iter().rev().nth(1).is_some_and(|name| name == "prelude");
        // What a macro writes at its caller's may need names that only the caller knows.
        let callers = path.in_macro && path.segments[0] == "super";
        if path.segments.last().is_some_and(|name| name == "*") && (ours || !prelude) && !callers {
            report(path.line, "wildcard", format!("`{}`: import by name", path.segments.join("::")));
        }
    }
    if file.starts_with("src/") && !exempt {
        check_direction(file, &paths, &mut report);
    }
    found
}

/// Checks that a file of the library imports only what lies above it.
fn check_direction(file: &str, paths: &[UsedPath], report: &mut impl FnMut(usize, &'static str, String)) {
    let mut module: Vec<&str> = file["src/".len()..].trim_end_matches(".rs").split('/').collect();
    if module.last() == Some(&"mod") {
        module.pop();
    }
    let home = module[0];
    let Some(floor) = ROOMS.iter().position(|room| *room == home) else {
        return report(1, "room", format!("`{home}`: add it to ROOMS in tests/rooms/main.rs, in its place"));
    };
    let part = |name: &str| FUTHARK.iter().position(|part| *part == name);
    if let ["futhark", own, ..] = module[..]
        && part(own).is_none()
    {
        return report(1, "room", format!("`{own}`: add it to FUTHARK in tests/rooms/main.rs, in its place"));
    }
    for path in paths {
        let Some(target) = path.absolute(&module) else { continue };
        let shown = path.segments.join("::");
        let Some(name) = target.first() else {
            let right = format!("`{shown}` is the whole crate: import what is needed from its room");
            report(path.line, "front page", right);
            continue;
        };
        let owner = MACROS.iter().find(|(exported, _)| exported == name).map_or(name.as_str(), |(_, room)| room);
        match ROOMS.iter().position(|room| *room == owner) {
            None => report(path.line, "front page", format!("`{shown}`: import it from the room that defines it")),
            Some(level) if level > floor => report(
                path.line,
                "direction",
                format!("`{home}` imports `{shown}`: a room may import {} only", ROOMS[..floor].join(", ")),
            ),
            Some(_) => {}
        }
        if let (["futhark", from, ..], [room, to, ..]) = (&module[..], &target[..])
            && let (true, Some(own), Some(other)) = (room == "futhark", part(from), part(to))
            && other > own
        {
            let right = format!("`{from}` imports `{shown}`: it may import {} only", FUTHARK[..own].join(", "));
            report(path.line, "direction", right);
        }
        if let (["carriers", from, ..], [room, to, ..]) = (&module[..], &target[..])
            && room == "carriers"
            && to != from
            && !SHARED.contains(&to.as_str())
        {
            let right = format!("`{from}` imports `{shown}`: a carrier imports no carrier, only {}", SHARED.join(", "));
            report(path.line, "carrier", right);
        }
    }
}

/// Whether `word` stands in `line` with no letter or digit on either side.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Every Rust file under `folder`, with its path from `top`, in order.
fn sources(top: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                sources(top, &path, found);
            }
        } else if name.ends_with(".rs") {
            let parts: Vec<_> = path.strip_prefix(top).unwrap().iter().map(|part| part.to_string_lossy()).collect();
            found.push((parts.join("/"), fs::read_to_string(&path).unwrap()));
        }
    }
}

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn every_file_keeps_the_house_rules() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(top, top, &mut files);
    assert!(files.iter().any(|(file, _)| file == "src/lib.rs"), "the sources were not found");
    let holders = prose::Holders::of(&files);
    let mut found: Vec<Violation> = files.iter().flat_map(|(file, source)| check(file, source)).collect();
    for (file, source) in &files {
        found.extend(prose::check(file, source, &holders));
    }
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{} house rules broken:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_front_page_lists_the_rooms_in_order() {
    let page = read("src/lib.rs");
    let modules = |keyword: &str| -> Vec<String> {
        let lines = page.lines().filter_map(|line| line.strip_prefix(keyword)?.strip_suffix(';'));
        lines.map(str::to_owned).collect()
    };
    let (public, private) = (modules("pub mod "), modules("mod "));
    for room in public.iter().chain(&private) {
        assert!(
            ROOMS.contains(&room.as_str()),
            "src/lib.rs: add `{room}` to ROOMS in tests/rooms/main.rs, in its place"
        );
    }
    let listed: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("//! | [`")?.split_once('`').map(|(room, _)| room)).collect();
    let expected: Vec<&str> = ROOMS.iter().copied().filter(|room| public.iter().any(|p| p == room)).collect();
    assert_eq!(
        listed, expected,
        "src/lib.rs: the table of rooms has one row for each public room, in the order of ROOMS"
    );
}

#[test]
fn the_readme_lists_the_features() {
    let (manifest, readme) = (read("Cargo.toml"), read("README.md"));
    let features =
        manifest.lines().skip_while(|line| *line != "[features]").skip(1).take_while(|l| !l.starts_with('['));
    for feature in features.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).filter(|n| *n != "default")
    {
        assert!(
            !feature.starts_with('#') && readme.contains(&format!("| `{feature}` |")),
            "README.md: describe `{feature}`"
        );
    }
}

//! The house rules that the compiler does not check: every file says what it is for, imports go one way, rooms stay small.
//!
//! Law: the reader of a room needs only the rooms above it. A violation names its file, line and rule, and what would
//! be right; the checker itself is tried on small bad examples.

use std::fmt;
use std::fs;
use std::path::Path;

/// The rooms of `src/`, from the ground up: a room may import those before it, never those after it. The public ones
/// are described in the same order on the front page, `src/lib.rs`.
#[rustfmt::skip]
const ROOMS: &[&str] = &[
    "error", "algebra", "primitives", "draw", "term", "carriers", "derivative", "array", "interpret", "tracing", "optimise",
    "transform", "kernel", "execute", "interop", "futhark", "prelude",
];

/// The parts of the room `futhark`, in the same order.
#[rustfmt::skip]
const FUTHARK: &[&str] = &[
    "chain", "prelude", "source", "syntax", "core", "check", "values", "meaning", "interpreter", "elaborate", "testing",
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
    for (number, line) in source.lines().enumerate() {
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
        return report(1, "room", format!("`{home}`: add it to ROOMS in tests/rooms.rs, in its place"));
    };
    let part = |name: &str| FUTHARK.iter().position(|part| *part == name);
    if let ["futhark", own, ..] = module[..]
        && part(own).is_none()
    {
        return report(1, "room", format!("`{own}`: add it to FUTHARK in tests/rooms.rs, in its place"));
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

/// A word or a sign of a source file, without its comments and the insides of its literals.
struct Token {
    text: String,
    line: usize,
}

/// Splits a source file into tokens; enough of Rust for paths, not more.
fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest)
        } else if let Some(length) = literal(rest) {
            length
        } else if c.is_alphanumeric() || c == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            c.len_utf8()
        };
        let (text, after) = rest.split_at(length);
        let skipped =
            text.starts_with("//") || text.starts_with("/*") || text.trim().is_empty() || text.contains(['"', '\'']);
        if !skipped {
            tokens.push(Token { text: text.into(), line });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

/// The length of the block comment, nested ones included, that `rest` starts with.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += rest[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

/// The length of the string, character or lifetime that `rest` starts with, if it starts with one.
fn literal(rest: &str) -> Option<usize> {
    let body = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - body.len();
    if prefix > 1 {
        return None;
    }
    if let Some(raw) = body.strip_prefix('r') {
        let fence = raw.len() - raw.trim_start_matches('#').len();
        let text = raw[fence..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(fence));
        return Some(text.find(&end).map_or(rest.len(), |at| rest.len() - text.len() + at + end.len()));
    }
    let quote = body.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inside = &body[1..];
    // A quote that no quote follows after one character opens a lifetime, not a character.
    if quote == '\'' && !inside.starts_with('\\') && inside.chars().nth(1) != Some('\'') {
        return Some(prefix + 1 + inside.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inside.len()));
    }
    let mut escaped = false;
    let end = inside.char_indices().find(|&(_, c)| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    Some(end.map_or(rest.len(), |(at, _)| prefix + 1 + at + 1))
}

/// A path as it is written, and the modules written around it in the same file.
struct UsedPath {
    segments: Vec<String>,
    inside: Vec<String>,
    in_macro: bool,
    line: usize,
}

impl UsedPath {
    /// The path from the root of the crate, if it is one of this crate, for a file that is the module `module`.
    fn absolute(&self, module: &[&str]) -> Option<Vec<String>> {
        let around = || module.iter().map(ToString::to_string).chain(self.inside.iter().cloned()).collect();
        let mut target: Vec<String> = match self.segments[0].as_str() {
            "crate" => Vec::new(),
            "self" | "super" => around(),
            _ => return None,
        };
        for segment in &self.segments {
            match segment.as_str() {
                "crate" | "self" => {}
                "super" => drop(target.pop()),
                name => target.push(name.into()),
            }
        }
        Some(target)
    }
}

/// All paths of a file that are imported by `use` or start with `crate`, `super` or `self`.
fn paths(tokens: &[Token]) -> Vec<UsedPath> {
    let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
    let mut found: Vec<UsedPath> = Vec::new();
    // The modules and the macro that are open, with the depth outside of them.
    let mut inside: Vec<(usize, String)> = Vec::new();
    let mut in_macro: Option<usize> = None;
    let (mut depth, mut at) = (0, 0);
    while at < tokens.len() {
        let before = found.len();
        match text(at) {
            "mod" if text(at + 2) == "{" => inside.push((depth, text(at + 1).into())),
            "macro_rules" if text(at + 1) == "!" => in_macro = Some(depth),
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                inside.retain(|(outside, _)| *outside < depth);
                in_macro = in_macro.filter(|outside| *outside < depth);
            }
            // The `use<…>` of a return type captures lifetimes and imports nothing.
            "use" if text(at + 1) != "<" => at = use_tree(tokens, at + 1, &[], &mut found),
            "crate" | "super" | "self" if text(at + 1) == "::" => {
                let (line, mut segments) = (tokens[at].line, vec![text(at).to_owned()]);
                while text(at + 1) == "::" && text(at + 2).starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    segments.push(text(at + 2).into());
                    at += 2;
                }
                found.push(UsedPath { segments, inside: Vec::new(), in_macro: false, line });
            }
            _ => {}
        }
        for path in &mut found[before..] {
            path.inside = inside.iter().map(|(_, name)| name.clone()).collect();
            path.in_macro = in_macro.is_some();
        }
        at += 1;
    }
    found
}

/// Reads one tree of a `use` from `at`, and answers where it ends.
fn use_tree(tokens: &[Token], mut at: usize, prefix: &[String], found: &mut Vec<UsedPath>) -> usize {
    let mut segments = prefix.to_vec();
    while let Some(token) = tokens.get(at) {
        match token.text.as_str() {
            "{" => {
                while tokens.get(at).is_some_and(|token| token.text != "}") {
                    at = use_tree(tokens, at + 1, &segments, found);
                }
                return at + 1;
            }
            "," | "}" | ";" => break,
            "::" | "$" => {}
            "as" => at += 1,
            name => segments.push(name.into()),
        }
        at += 1;
    }
    if segments.len() > prefix.len() {
        let line = tokens[at - 1].line;
        found.push(UsedPath { segments, inside: Vec::new(), in_macro: false, line });
    }
    at
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
    let found: Vec<String> =
        files.iter().flat_map(|(file, source)| check(file, source)).map(|v| v.to_string()).collect();
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
        assert!(ROOMS.contains(&room.as_str()), "src/lib.rs: add `{room}` to ROOMS in tests/rooms.rs, in its place");
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

#[test]
fn the_checker_finds_each_kind_of_violation() {
    const OPENING: &str = "//! What it is for.\n//!\n//! Law: what it keeps.\n";
    let long = "\n".repeat(LINES);
    let unfinished: Vec<String> = UNFINISHED.iter().map(|word| format!("// {word}")).collect();
    let cases: Vec<(&str, &str, usize, &str)> = vec![
        // In these three the opening is the case's own; elsewhere a good one of three lines comes first.
        ("examples/a.rs", "use core::fmt;", 1, "opening"),
        ("src/algebra/a.rs", "//! Numbers\n//!\n//! Law: none.\n", 1, "opening"),
        ("laws/src/a.rs", "//! What it is for.\n", 1, "law"),
        ("src/algebra/a.rs", &long, 501, "size"),
        ("src/algebra/utils.rs", "", 1, "name"),
        ("tests/common/mod.rs", "", 1, "name"),
        ("src/algebra/a.rs", &unfinished[0], 4, "unfinished"),
        ("src/algebra/a.rs", &unfinished[1], 4, "unfinished"),
        ("examples/a.rs", &unfinished[2], 4, "unfinished"),
        ("src/algebra/a.rs", &unfinished[3], 4, "unfinished"),
        ("src/algebra/a.rs", &unfinished[4], 4, "unfinished"),
        ("src/algebra/a.rs", "use crate::error::*;", 4, "wildcard"),
        ("src/algebra/a.rs", "use super::*;", 4, "wildcard"),
        ("src/algebra/a.rs", "macro_rules! m { () => {} }\nuse super::*;", 5, "wildcard"),
        ("laws/src/a.rs", "use std::{\n    fmt,\n    collections::*,\n};", 6, "wildcard"),
        ("src/algebra/a.rs", "use crate::carriers::Dual;", 4, "direction"),
        ("src/algebra/mod.rs", "pub use super::carriers::Dual;", 4, "direction"),
        ("src/algebra/a.rs", "use super::super::carriers::Dual;", 4, "direction"),
        ("src/algebra/a.rs", "mod b {\n    use super::super::super::carriers::Dual;\n}", 5, "direction"),
        ("src/algebra/a.rs", "use crate::{\nerror::Error,\ncarriers::{Dual, Sparse as Map},\n};", 6, "direction"),
        ("src/algebra/a.rs", "fn f(x: crate::carriers::Dual<f64>) {}", 4, "direction"),
        ("src/algebra/a.rs", "macro_rules! m { () => { $crate::carriers::Dual } }", 4, "direction"),
        ("src/algebra/a.rs", "const C: char = '\"'; use crate::carriers::Dual; // \"", 4, "direction"),
        ("src/algebra/a.rs", "/* /* */ */ use crate::carriers::Dual;", 4, "direction"),
        ("src/algebra/a.rs", "crate::operators!([] T, []);", 4, "direction"),
        ("src/term/a.rs", "use crate::carriers::Dual;", 4, "direction"),
        ("src/derivative/a.rs", "use crate::prelude::Real;", 4, "direction"),
        ("src/futhark/source.rs", "use super::check::check;", 4, "direction"),
        ("src/futhark/core/types.rs", "use crate::futhark::{source::Name, meaning::Value};", 4, "direction"),
        ("src/error.rs", "use crate::algebra::Ring;", 4, "direction"),
        ("src/algebra/a.rs", "use crate::Error;", 4, "front page"),
        ("src/algebra/a.rs", "use crate as everything;", 4, "front page"),
        ("src/cellar/a.rs", "", 1, "room"),
        ("src/futhark/cellar.rs", "", 1, "room"),
        ("src/carriers/sparse.rs", "use super::Dual;", 4, "carrier"),
        ("src/carriers/sparse.rs", "use super::dense::Dense;", 4, "carrier"),
        ("src/carriers/taylor/jet.rs", "use crate::carriers::Dual;", 4, "carrier"),
    ];
    for (file, text, line, rule) in cases {
        let source =
            if line == 1 && rule != "name" && rule != "room" { text.into() } else { format!("{OPENING}{text}") };
        let found = check(file, &source);
        assert!(
            found.iter().any(|v| (v.line, v.rule) == (line, rule)),
            "{rule} not found in {file}: {text}\n{found:?}"
        );
        assert!(found.iter().all(|v| v.rule == rule), "more than {rule} found in {file}: {text}\n{found:?}");
    }
}

#[test]
fn the_checker_leaves_good_files_alone() {
    let lines = "//! What it is for,\n//! in two lines.\n//!\n//! Law: what it keeps.\n".to_owned();
    for (file, text) in [
        (
            "src/derivative/a.rs",
            "use crate::{carriers::{Dual, Sparse as Map}, error::{self, Error}};\nuse super::b::C;",
        ),
        (
            "src/algebra/a.rs",
            "/// See [`Dual`](crate::carriers::Dual).\n/* use super::*; */\npub(crate) fn f<'a>(x: &'a u8) {}",
        ),
        ("src/algebra/a.rs", "#[doc = \"crate::carriers::Dual\"]\nconst A: &str = r#\"use \"crate\"::carriers::D;\"#;"),
        (
            "src/algebra/a.rs",
            "mod b { use super::super::Semiring; }\nuse super::module::Module;\nfn f() -> impl Fn() + use<'_> {}",
        ),
        (
            "src/carriers/tape.rs",
            "use super::backpropagator::Arrivals;\ncrate::operators!([] T, []);\nuse self::inner::Node;",
        ),
        ("src/carriers/mod.rs", "pub use self::dual::Dual;\npub use super::algebra::Ring;"),
        ("src/term/a.rs", "use crate::primitives::Rule;\ncrate::operators!([] T, []);"),
        ("src/prelude.rs", "pub use crate::derivative::grad;"),
        ("cli/src/main.rs", "use catadiff::prelude::*;"),
        ("examples/01_talk.rs", "use catadiff::prelude::*;\n// A tooth of mastodon."),
        ("laws/src/a.rs", "use crate::generate::terms;\nmacro_rules! m { () => { mod b { use super::super::*; } } }"),
    ] {
        let found = check(file, &format!("{lines}{text}"));
        assert!(found.is_empty(), "{file}: {text}\n{found:?}");
    }
}

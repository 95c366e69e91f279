//! The rules of prose: a law names the test that holds it, and comments use the standard terms.
//!
//! The fixed form: the last words of the paragraph `Law: …` are the holders in parentheses, separated by commas. A holder is a
//! test file, `tests/scalar/tape.rs`, or a function of the laws, `laws: fold::eval_fuses`, or a file of them, `laws: fold`.

use std::collections::BTreeSet;

use super::{Violation, has_word};

/// What a comment must not say, and what to write instead.
#[rustfmt::skip]
pub(super) const WORDS: &[(&str, &str)] = &[
    ("anew", "again, or recomputed"),
    ("answers", "returns, or result"),
    ("apart", "separately, or scalar replacement"),
    ("felt", "has an effect, or reaches the result"),
    ("is asked", "is checked, is called"),
    ("are asked", "are checked, are called"),
    ("left out", "omitted"),
    ("return sweep", "reverse sweep"),
    ("slope", "partial derivative, or derivative"),
    ("slopes", "partial derivatives, or derivatives"),
    ("so many", "the count by its name"),
    ("told", "given, known, recorded"),
    ("untold", "unknown"),
];

/// What there is to hold a law: the test files, and the functions and files of the laws.
pub(super) struct Holders(BTreeSet<String>);

impl Holders {
    /// The holders among these files, each given by its path and its text.
    pub(super) fn of(files: &[(String, String)]) -> Self {
        let mut holders = BTreeSet::new();
        for (file, source) in files {
            if file.starts_with("tests/") || file.starts_with("cli/tests/") {
                holders.insert(file.clone());
            } else if let Some(path) = file.strip_prefix("laws/src/") {
                let module = path.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
                let functions = source.lines().filter_map(|line| line.strip_prefix("pub fn "));
                for name in functions.filter_map(|line| line.split(['(', '<']).next()) {
                    holders.insert(format!("laws: {module}::{name}"));
                }
                holders.insert(format!("laws: {module}"));
            }
        }
        Self(holders)
    }
}

/// Checks the prose of one file; that its law names the test that holds it, in the library and in the laws alone.
pub(super) fn check(file: &str, source: &str, holders: &Holders) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut report = |line: usize, rule: &'static str, right: String| {
        found.push(Violation { file: file.into(), line, rule, right });
    };

    let opening = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let mut paragraph = opening.enumerate().skip_while(|(_, line)| !line.starts_with("Law:")).peekable();
    // A law of a test is held by the test.
    let is_library = file.starts_with("src/") || file.starts_with("laws/src/");
    if let Some(&(at, _)) = paragraph.peek().filter(|_| is_library) {
        let law = paragraph.map(|(_, line)| line).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        match law.strip_suffix(").").and_then(|law| law.rsplit_once('(')) {
            None => {
                report(at + 1, "holder", "end the law with what holds it: `(tests/…/….rs).` or `(laws: …).`".into())
            }
            Some((_, named)) => {
                for holder in named.split(", ").filter(|holder| !holders.0.contains(*holder)) {
                    report(at + 1, "holder", format!("`{holder}`: no test file and no law is called so"));
                }
            }
        }
    }

    let mut example = false;
    for (number, line) in source.lines().enumerate() {
        let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
        example ^= comment.trim_start_matches(['/', '!']).trim_start().starts_with("```");
        if example {
            continue;
        }
        // What stands between backquotes is code, and so is the target of a link.
        let prose = comment.split('`').step_by(2).map(|part| {
            part.strip_prefix("](").map_or(part, |link| link.split_once(')').map_or("", |(_, after)| after))
        });
        let prose = prose.collect::<Vec<_>>().join("`").to_lowercase();
        for (word, instead) in WORDS.iter().filter(|(word, _)| has_word(&prose, word)) {
            report(number + 1, "word", format!("`{word}`: write {instead}"));
        }
    }
    found
}

#[test]
fn a_law_without_a_holder_and_private_words_are_found() {
    let holders = Holders::of(&[
        ("tests/scalar/tape.rs".into(), String::new()),
        ("laws/src/fold.rs".into(), "pub fn eval_fuses<V>() {}".into()),
    ]);
    let rules = |text: &str| -> Vec<(usize, &'static str)> {
        check("src/term/a.rs", text, &holders).iter().map(|v| (v.line, v.rule)).collect()
    };
    let good = "//! What it is for.\n//!\n//! Law: a sentence over\n//! lines (tests/scalar/tape.rs, laws: fold::eval_fuses, laws: fold).\n";
    assert_eq!(rules(good), []);
    assert_eq!(rules("//! A.\n//!\n//! Law: a sentence.\n"), [(3, "holder")]);
    assert_eq!(rules("//! A.\n//!\n//! Law: a sentence (as the paper has it).\n"), [(3, "holder")]);
    assert_eq!(rules("//! A.\n//!\n//! Law: a sentence (tests/scalar/none.rs).\n"), [(3, "holder")]);
    assert_eq!(rules("//! A.\n//!\n//! Law: a sentence (laws: fold::none).\n"), [(3, "holder")]);
    assert_eq!(
        rules("/// It answers a number.\nlet told = 1;\n/// `told` is code.\n    // Told once.\n"),
        [(1, "word"), (4, "word")]
    );
    assert_eq!(rules("/// ```\n/// let slope = 1;\n/// ```\n"), []);
    assert_eq!(rules("/// An apartment.\n"), []);
    assert_eq!(check("tests/a.rs", "//! A.\n//!\n//! Law: a sentence.\n// Told.\n", &holders).len(), 1);
}

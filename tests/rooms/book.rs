//! The book of `docs/book`: its summary, its links and its pictures, and that its examples are compiled and run.
//!
//! Examples are run by `cargo test --doc book`, since `src/book.rs` has an item for each chapter. Prose keeps the words of comments.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::prose::WORDS;
use super::{has_word, read};

/// Where the pages of `cargo doc` are, seen from a chapter, whether it is read as text or as a page of `mdbook build`.
const REFERENCE: &str = "../../../target/doc/";

/// The largest picture, in bytes.
const PICTURE: u64 = 60_000;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/src")
}

fn files(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The chapters with their texts.
fn chapters() -> Vec<(String, String)> {
    let names = files(&source()).into_iter().filter(|name| name.ends_with(".md") && name != "SUMMARY.md");
    names.map(|name| (name.clone(), read(&format!("docs/book/src/{name}")))).collect()
}

/// Lines, each with its number.
type Numbered<'p> = Vec<(usize, &'p str)>;

/// The lines of a page that are prose, and those that open a block of code.
fn lines(page: &str) -> (Numbered<'_>, Numbered<'_>) {
    let (mut prose, mut blocks, mut inside) = (Vec::new(), Vec::new(), false);
    for (number, line) in (1..).zip(page.lines()) {
        match line.strip_prefix("```") {
            Some(language) => {
                if !inside {
                    blocks.push((number, language));
                }
                inside = !inside;
            }
            None if !inside => prose.push((number, line)),
            None => {}
        }
    }
    (prose, blocks)
}

/// The targets of links and pictures in a line, outside of backquotes.
fn targets(line: &str) -> Vec<&str> {
    let links = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(target, _)| target.split('#').next().unwrap()).filter(|target| !target.is_empty()).collect()
}

/// Whether the library has what a page of `cargo doc` is about, such as `catadiff/array/struct.Program.html`.
fn is_documented(page: &str) -> bool {
    let (folder, file) = page.rsplit_once('/').unwrap_or(("", page));
    let root = if folder.starts_with("catadiff_laws") { "laws/src" } else { "src" };
    let module = folder.split('/').skip(1).fold(PathBuf::from(root), |path, part| path.join(part));
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let there = top.join(&module).is_dir() || top.join(module.with_extension("rs")).is_file();
    let Some((kind, name)) = file.trim_end_matches(".html").split_once('.') else {
        return there && file == "index.html";
    };
    let mut sources = Vec::new();
    super::sources(top, &top.join(root), &mut sources);
    let line = format!("pub {kind} {name}");
    there && sources.iter().any(|(_, source)| source.lines().any(|l| has_word(l, &line)))
}

/// What is wrong with a chapter.
fn mistakes(chapter: &str, page: &str) -> Vec<String> {
    let (prose, blocks) = lines(page);
    let mut found = Vec::new();
    for (number, line) in prose {
        for target in targets(line).into_iter().filter(|target| !target.starts_with("https://")) {
            let there = match target.strip_prefix(REFERENCE) {
                Some(page) => is_documented(page),
                None => source().join(target).exists(),
            };
            if target.ends_with(".md") && target.starts_with("..") {
                found.push(format!("{chapter}:{number}: mdBook makes .html of `{target}`: link to its folder"));
            }
            if !there {
                found.push(format!("{chapter}:{number}: `{target}` is not there"));
            }
        }
        let words = line.split('`').step_by(2).collect::<Vec<_>>().join("`").to_lowercase();
        for (word, instead) in WORDS.iter().filter(|(word, _)| has_word(&words, word)) {
            found.push(format!("{chapter}:{number}: `{word}`: write {instead}"));
        }
    }
    for (number, language) in blocks {
        let shown = page.lines().nth(number).is_some_and(|line| line.starts_with("{{#include "));
        if language.is_empty() {
            found.push(format!("{chapter}:{number}: name the language of the block, or rustdoc takes it for Rust"));
        } else if language.contains("ignore") && !shown {
            found.push(format!("{chapter}:{number}: only a file that is tested elsewhere, by `#include`, is ignored"));
        }
    }
    for file in page.lines().filter_map(|line| line.strip_prefix("{{#include ")?.strip_suffix("}}")) {
        if !source().join(file).is_file() {
            found.push(format!("{chapter}: `{file}`, which is included, is not there"));
        }
    }
    found
}

#[test]
fn the_summary_of_the_book_lists_every_chapter() {
    let summary = read("docs/book/src/SUMMARY.md");
    let listed: Vec<&str> = summary.lines().flat_map(targets).collect();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    let chapters = chapters();
    assert_eq!(sorted, chapters.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), "each once");
    let module = read("src/book.rs");
    let items = module
        .lines()
        .filter_map(|line| line.strip_prefix("#[doc = include_str!(\"../docs/book/src/")?.strip_suffix("\")]"));
    let run: Vec<&str> = items.collect();
    let is_run = |name: &str| chapters.iter().any(|(n, text)| n == name && text.contains("```rust"));
    let expected: Vec<&str> = listed.into_iter().filter(|name| is_run(name)).collect();
    assert_eq!(run, expected, "src/book.rs has an item for each chapter with examples, in the order of the summary");
}

#[test]
fn links_and_blocks_of_the_book_are_right() {
    let found: Vec<String> = chapters().iter().flat_map(|(name, page)| mistakes(name, page)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_pictures_of_the_book_are_shown_and_small() {
    let folder = source().join("pictures");
    let chapters = chapters();
    for name in files(&folder) {
        let shown = format!("](pictures/{name})");
        assert!(chapters.iter().any(|(_, page)| page.contains(&shown)), "no chapter shows {name}");
        let bytes = folder.join(&name).metadata().unwrap().len();
        assert!(bytes < PICTURE, "{name} has {bytes} bytes: a picture of the book has less than {PICTURE}");
    }
}

#[test]
fn mistakes_of_a_chapter_are_found() {
    let page = "A [link](nowhere.md#part), a [page](../../../target/doc/catadiff/fn.nothing.html).\n\
        ```\nlet x = [1](2);\n```\n\nThe slope, `slope`.\n```rust,ignore\nf();\n```\n\
        [`grad`](../../../target/doc/catadiff/fn.grad.html) [array](../../../target/doc/catadiff/array/index.html)\n\
        [`Program`](../../../target/doc/catadiff/array/struct.Program.html) [site](https://example.org)\n";
    let found: Vec<String> = mistakes("a.md", page).iter().map(|m| m.chars().take(18).collect()).collect();
    let expected =
        ["a.md:1: `nowhere.m", "a.md:1: `../../../", "a.md:6: `slope`: w", "a.md:2: name the l", "a.md:7: only a fil"];
    assert_eq!(found, expected);
}

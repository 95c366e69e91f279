//! The paths that the pages for contributors name exist: `docs/architecture.md`, `CONTRIBUTING.md` and `README.md`.
//!
//! A path stands in backquotes, from the top of the repository or from `src/`. Where `<…>` or the file `name.rs` stands for
//! any name, nothing is checked.

use std::path::Path;

use super::read;

/// The folders of the repository whose names a path begins with, if it does not end like a file or a folder.
const FOLDERS: &[&str] = &["src/", "tests/", "laws/", "build/", "cli/", "docs/", "papers/", "examples/", "benches/"];

/// The ends of a path that begins in `src/`, and of files.
const ENDS: &[&str] = &[".rs", ".md", ".toml", ".patch", "/"];

/// The paths in backquotes in this page, of which no file and no folder is there, with the numbers of their lines.
fn missing(page: &str) -> Vec<(usize, String)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    let mut fenced = false;
    for (number, line) in page.lines().enumerate() {
        fenced ^= line.starts_with("```");
        let quoted = line.split('`').skip(1).step_by(2).filter(|_| !fenced);
        for path in quoted.flat_map(expanded) {
            let is_path = path.contains('/')
                && !path.contains([' ', '<', '(', '*', '$'])
                && !path.ends_with("/name.rs")
                && (FOLDERS.iter().any(|folder| path.starts_with(folder))
                    || ENDS.iter().any(|end| path.ends_with(end)));
            if is_path && !top.join(&path).exists() && !top.join("src").join(&path).exists() {
                missing.push((number + 1, path));
            }
        }
    }
    missing
}

/// `a/{b,c}/d` as `a/b/d` and `a/c/d`.
fn expanded(path: &str) -> Vec<String> {
    match path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?))) {
        Some((before, (names, after))) => {
            names.split(',').map(|name| format!("{before}{}{after}", name.trim())).collect()
        }
        None => vec![path.to_owned()],
    }
}

#[test]
fn paths_on_the_pages_exist() {
    for file in ["docs/architecture.md", "CONTRIBUTING.md", "README.md"] {
        let missing: Vec<String> =
            missing(&read(file)).iter().map(|(line, path)| format!("{file}:{line}: `{path}` is not there")).collect();
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }
}

#[test]
fn a_path_that_is_not_there_is_found() {
    let page = "See `src/lib.rs`, `src/nowhere.rs`,\n`carriers/{dual,none}.rs`, `src/transform/vjp/<combinator>.rs`, `tests/none`.\n```\n`src/b.rs`\n```\n";
    let expected = [(1, "src/nowhere.rs"), (2, "carriers/none.rs"), (2, "tests/none")];
    assert_eq!(missing(page), expected.map(|(line, path)| (line, path.to_owned())));
}

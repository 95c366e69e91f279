//! Names of programs as names in Rust.
//!
//! Law: a name is an identifier and is there once; one that Rust or a generated function uses itself gets an underscore
//! (build/tests/build/names.rs).

/// The words of Rust, also of coming editions, and what its prelude has beside types.
const WORDS: [&str; 57] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "Self", "_", "Ok",
    "Err", "Some", "None",
];

/// What a generated function calls its own variables.
const OWN: [&str; 7] = ["workspace", "bytes", "wanted", "check", "status", "sizes", "alloc"];

/// Whether Rust takes this for an identifier that is no word of its own.
pub(crate) fn is_identifier(name: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(starts) && name.chars().all(|c| starts(c) || c.is_ascii_digit()) && !is_word(name)
}

pub(crate) fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// The characters that names can have, and for each other one an underscore.
pub(crate) fn plain(name: &str) -> String {
    let kept: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if kept.starts_with(|c: char| c.is_ascii_digit()) || kept.is_empty() { format!("_{kept}") } else { kept }
}

/// A name for each of these parameters.
pub(crate) fn parameters(names: &[String]) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let mut name = plain(name);
        // Sizes of arguments and results are called so.
        let is_own = |name: &str| {
            OWN.contains(&name)
                || name.trim_end_matches(|c: char| c.is_ascii_digit()) == "result"
                || name.ends_with("_sizes")
        };
        while is_word(&name) || is_own(&name) || taken.contains(&name) {
            name.push('_');
        }
        taken.push(name);
    }
    taken
}

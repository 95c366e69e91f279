//! The paths that a source file imports or writes out, read from its tokens.

/// A word or a sign of a source file, without its comments and the insides of its literals.
pub(super) struct Token {
    text: String,
    line: usize,
}

/// Splits a source file into tokens; enough of Rust for paths, not more.
pub(super) fn tokens(source: &str) -> Vec<Token> {
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
pub(super) struct UsedPath {
    pub(super) segments: Vec<String>,
    inside: Vec<String>,
    pub(super) in_macro: bool,
    pub(super) line: usize,
}

impl UsedPath {
    /// The path from the root of the crate, if it is one of this crate, for a file that is the module `module`.
    pub(super) fn absolute(&self, module: &[&str]) -> Option<Vec<String>> {
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
pub(super) fn paths(tokens: &[Token]) -> Vec<UsedPath> {
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

/// Reads one tree of a `use` from `at`, and returns where it ends.
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

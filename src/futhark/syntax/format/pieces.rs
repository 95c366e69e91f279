//! Tokens with what stands between them: comments, ends of lines, space.
//!
//! Law: a text is its tokens and the gaps before them; a gap holds every comment (tests/language/format.rs).

use crate::futhark::syntax::token::{Kind, Token};

/// What stands before a token.
#[derive(Debug, Clone, Default)]
pub(super) struct Gap<'t> {
    /// The comment behind the token before, on its line.
    pub(super) trailing: Option<&'t str>,
    /// Comments on lines of their own, and whether an empty line stands before each.
    pub(super) comments: Vec<(bool, &'t str)>,
    /// Whether the token begins a line.
    pub(super) broken: bool,
    /// Whether an empty line stands before it.
    pub(super) blank: bool,
    /// Whether it touches the token before it.
    pub(super) touches: bool,
}

/// A text as tokens and gaps.
pub(super) struct Pieces<'t> {
    text: &'t str,
    /// The last is [`Kind::End`].
    tokens: &'t [Token],
    /// That before each token.
    pub(super) gaps: Vec<Gap<'t>>,
    /// For each bracket that opens or closes, its partner.
    partners: Vec<Option<usize>>,
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        let mut end = 0;
        let gap = |token: &Token| {
            let between = &text[end..token.start as usize];
            let first = end == 0;
            end = token.end as usize;
            gap(between, first)
        };
        let gaps = tokens.iter().map(gap).collect();
        let (mut partners, mut open) = (vec![None; tokens.len()], Vec::new());
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Open | Kind::OpenBracket | Kind::OpenBrace | Kind::OpenAttribute => open.push(at),
                Kind::Close | Kind::CloseBracket | Kind::CloseBrace => {
                    if let Some(partner) = open.pop() {
                        partners[at] = Some(partner);
                        partners[partner] = Some(at);
                    }
                }
                _ => {}
            }
        }
        Pieces { text, tokens, gaps, partners }
    }

    /// How many tokens there are, without the last, which is the end.
    pub(super) fn len(&self) -> usize {
        self.tokens.len() - 1
    }

    pub(super) fn kind(&self, at: usize) -> Kind {
        self.tokens[at].kind
    }

    pub(super) fn shown(&self, at: usize) -> &'t str {
        let token = self.tokens[at];
        &self.text[token.start as usize..token.end as usize]
    }

    /// The bracket that belongs to the one here.
    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        self.partners[at]
    }

    /// The token that begins at this byte, or the first behind it.
    pub(super) fn beginning(&self, byte: u32) -> usize {
        self.tokens.partition_point(|token| token.start < byte)
    }

    /// The last token that ends at this byte or before it.
    pub(super) fn ending(&self, byte: u32) -> usize {
        self.tokens[..self.len()].partition_point(|token| token.end <= byte).saturating_sub(1)
    }

    /// Whether a bracket closes here.
    pub(super) fn closes(&self, at: usize) -> bool {
        matches!(self.kind(at), Kind::Close | Kind::CloseBracket | Kind::CloseBrace)
    }

    /// Whether a bracket opens here.
    pub(super) fn opens(&self, at: usize) -> bool {
        matches!(self.kind(at), Kind::Open | Kind::OpenBracket | Kind::OpenBrace | Kind::OpenAttribute)
    }
}

/// What is in the text between two tokens, or before the first.
fn gap(between: &str, first: bool) -> Gap<'_> {
    let mut gap = Gap { touches: between.is_empty(), ..Gap::default() };
    let mut lines = between.split('\n').map(str::trim);
    // The rest of the line of the token before.
    let rest = lines.next().unwrap_or("");
    if rest.starts_with("--") {
        if first { gap.comments.push((false, rest)) } else { gap.trailing = Some(rest) }
    }
    gap.broken = first;
    let mut empty = false;
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        gap.broken = true;
        if !line.is_empty() {
            gap.comments.push((empty, line));
            empty = false;
        } else if lines.peek().is_some() {
            empty = true;
        }
    }
    gap.blank = empty;
    gap
}

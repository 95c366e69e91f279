//! From text to a tree and back: what is written, before any name is looked up.
//!
//! Law: every text is a tree or a message; the depth of a tree is bounded but for chains, which are walked with stack
//! enough, so that no text overflows the stack. Reading what was printed gives the tree that was printed, up to places
//! (laws: futhark_text::printed_is_read, tests/language/fuzz.rs).

mod atom;
mod binding;
mod control;
mod declaration;
mod expression;
mod format;
mod lexer;
mod module;
mod number;
mod parser;
pub(in crate::futhark) mod parts;
mod pattern;
mod print;
mod token;
pub mod tree;
mod types;

pub use format::{WIDTH, format};
pub(super) use number::{number, real_of, shortened, unescape, whole_real};
pub use number::{real_f16, real_f32, real_f64};

use super::source::Message;
use parser::Parser;
use tree::{Expression, File, TypeExpression};

/// Reads a file of declarations; `file` is the number of the text among the [`Sources`](super::source::Sources).
///
/// ```
/// use catadiff::futhark::syntax::parse;
/// let file = parse("def square x = x * x  -- of any number", 0).unwrap();
/// assert_eq!(file.to_string(), "def square x = x * x\n");
/// let messages = parse("def f x = x +\ndef g = )", 0).unwrap_err();
/// assert_eq!(messages.len(), 2);
/// ```
///
/// # Errors
/// A message for each mistake that was found, in the order of the text; never an empty list.
pub fn parse(text: &str, file: u32) -> Result<File, Vec<Message>> {
    read(text, file, |parser| Ok(File { declarations: parser.file()? }))
}

/// Reads one expression.
///
/// # Errors
/// As [`parse`].
pub fn parse_expression(text: &str, file: u32) -> Result<Expression, Vec<Message>> {
    read(text, file, |parser| parser.expression())
}

/// Reads one type.
///
/// # Errors
/// As [`parse`].
pub fn parse_type(text: &str, file: u32) -> Result<TypeExpression, Vec<Message>> {
    read(text, file, |parser| parser.type_expression())
}

/// The deepest stack of brackets and keywords that is read, and the greatest height of a tree that is made.
///
/// Every walk over a tree and over what is made of it can rely on it. Chains count for one level, however long they are:
/// operators that lean to the left, and `let`s, which have [`LENGTH`] links at most.
pub const DEPTH: u32 = 1000;

/// The most links of a chain of operators or of `let`s.
pub const LENGTH: usize = 100_000;

/// Reads all of a text with one rule of the grammar.
fn read<T>(text: &str, file: u32, rule: impl FnOnce(&mut Parser<'_>) -> parser::Parse<T>) -> Result<T, Vec<Message>> {
    let tokens = lexer::tokens(text, file)?;
    let mut parser = Parser::new(text, file, &tokens);
    let found = rule(&mut parser).and_then(|found| parser.end().map(|()| found));
    parser.finish(found)
}

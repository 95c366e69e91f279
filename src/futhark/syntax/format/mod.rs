//! Texts laid out: each line begins as far to the right as the tree says, and what is too long for a line is broken.
//!
//! Law: the text means the same: its tokens are the same, in the same order, so that its tree is the same; comments stay, where they are;
//! what was laid out once stays as it is (tests/language/format.rs, laws: futhark_text::laid_out_is_the_same).
//!
//! Lines are broken where the author has broken them: this says how far from the left they begin, what space stands between tokens, and
//! where a line longer than [`WIDTH`] is broken, the outermost part of the tree first. So there is no layout that is fought over, and a
//! second run has nothing to do.
//!
//! | file | what is in it |
//! |---|---|
//! | `pieces` | tokens with what stands between them: comments and lines |
//! | `frames` | the parts of the tree that lines are indented and broken by |
//! | `layout` | how far from the left each line begins, and where it is broken |

mod frames;
mod layout;
mod pieces;

use super::{lexer, parse};
use crate::futhark::source::Message;

/// The longest a line should be, in characters.
pub const WIDTH: usize = 100;

/// A text of declarations, laid out.
///
/// ```
/// use catadiff::futhark::syntax::format;
/// let text = "-- Twice.\ndef twice(x:i32)=   x*2 -- the double\n\n\n\nentry main   x=\nlet y=twice x\nin y+1\n";
/// let expected = "\
/// -- Twice.
/// def twice (x: i32) = x * 2 -- the double
///
/// entry main x =
///   let y = twice x
///   in y + 1
/// ";
/// assert_eq!(format(text, 0).unwrap(), expected);
/// assert_eq!(format(expected, 0).unwrap(), expected);
/// ```
///
/// # Errors
/// If it is no text of declarations, as [`parse`].
///
/// # Panics
/// If what was laid out has another tree, which is a mistake of ours.
pub fn format(text: &str, file: u32) -> Result<String, Vec<Message>> {
    let tree = parse(text, file)?;
    let tokens = lexer::tokens(text, file)?;
    let pieces = pieces::Pieces::new(text, &tokens);
    let laid_out = layout::laid_out(&pieces, &frames::frames(&tree, &pieces));
    let again = parse(&laid_out, file).map(|again| again.to_string());
    assert_eq!(again, Ok(tree.to_string()), "a text that is laid out keeps its tree");
    Ok(laid_out)
}

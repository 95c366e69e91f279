//! A line of a text, with carets under a place in it.
//!
//! Law: carets are under what they mean, whatever stands before it, and a long line is cut around it (tests/scalar/terms.rs).

use core::fmt;
use core::ops::Range;

/// The most characters of a line that a message shows whole.
const LONGEST_LINE: usize = 120;
/// How many characters of a longer line it shows on either side of the mistake.
const AROUND: usize = 30;

/// Shows the line of a text in which a place begins, or of a long one what is around it, with carets under the place; no
/// line ends after them.
pub(crate) fn excerpt(f: &mut fmt::Formatter<'_>, text: &str, place: Range<usize>) -> fmt::Result {
    let at = |offset: usize| (0..=offset.min(text.len())).rev().find(|&o| text.is_char_boundary(o)).unwrap_or(0);
    let place = at(place.start)..at(place.end);
    let start = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let (before, after) = line.split_at((place.start - start).min(line.len()));
    let around = if line.chars().count() > LONGEST_LINE { AROUND } else { LONGEST_LINE };
    let cut_before = before.char_indices().rev().nth(around).map(|(at, c)| at + c.len_utf8());
    let cut_after = after.char_indices().nth(around).map(|(at, _)| at);
    let shown_before = cut_before.map_or_else(|| before.to_owned(), |at| format!("…{}", &before[at..]));
    let shown_after = cut_after.map_or(after, |at| &after[..at]);
    let dots = if cut_after.is_some() { "…" } else { "" };
    // A tab under a tab, so that the carets are where they belong however wide it is.
    let indent: String = shown_before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let meant = text[place.start..place.end.max(place.start)].chars().count();
    let carets = "^".repeat(meant.min(shown_after.chars().count()).max(1));
    write!(f, "  {shown_before}{shown_after}{dots}\n  {indent}{carets}")
}

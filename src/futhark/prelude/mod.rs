//! The texts of the prelude: what every program sees, written in the language on top of what the evaluator knows.
//!
//! Law: the texts have numbers of their own, above those of all other texts, so that a place says whether it is the
//! user's (tests/language/check.rs).

/// The number of the first text of the prelude: those of programs are below it.
pub(super) const FIRST: u32 = u32::MAX - 64;

/// The names and the texts, in the order in which they are read.
pub(super) const TEXTS: [(&str, &str); 5] = [
    ("prelude/scalars.fut", include_str!("scalars.fut")),
    ("prelude/intrinsics.fut", include_str!("intrinsics.fut")),
    ("prelude/arrays.fut", include_str!("arrays.fut")),
    ("prelude/numbers.fut", include_str!("numbers.fut")),
    ("prelude/libraries.fut", include_str!("libraries.fut")),
];

/// The name and the text of the part of the prelude with that number, for messages about places in it.
pub(super) fn text(number: u32) -> Option<(&'static str, &'static str)> {
    TEXTS.get(number.checked_sub(FIRST)? as usize).copied()
}

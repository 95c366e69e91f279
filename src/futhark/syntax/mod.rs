//! From text to a tree: what is written, before any name is looked up.
//!
//! Law: every text is a tree or a message; the depth of a tree is bounded, so that no text overflows the stack.

pub mod tree;

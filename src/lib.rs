//! The front page.

//! What follows in a chain: the operand before an operator, the body after a `let`.
//!
//! Law: a chain is as long as the text says. It is dropped, copied and compared on as much stack as it takes, so
//! nothing that is read overflows it (tests/language/chains.rs).

use core::fmt;
use core::ops::{Deref, DerefMut};

/// The stack that must be left for one link, and how much is added.
const RESERVE: usize = 64 * 1024;
const SEGMENT: usize = 2 * 1024 * 1024;

/// The rest of a chain: a box whose destructor and copies have stack enough.
///
/// ```
/// use catadiff::futhark::syntax::parse_expression;
/// let sum = parse_expression(&vec!["x"; 20_000].join(" + "), 0).unwrap();
/// assert_eq!(sum, sum.clone());
/// ```
pub struct Rest<T>(Option<Box<T>>);

const TAKEN: &str = "the rest of a chain is taken when it is dropped";

impl<T> Rest<T> {
    /// The rest.
    pub fn new(rest: T) -> Self {
        Rest(Some(Box::new(rest)))
    }
}

impl<T> Deref for Rest<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.0.as_deref().expect(TAKEN)
    }
}

impl<T> DerefMut for Rest<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_deref_mut().expect(TAKEN)
    }
}

impl<T> Drop for Rest<T> {
    fn drop(&mut self) {
        let rest = self.0.take();
        stacker::maybe_grow(RESERVE, SEGMENT, || drop(rest));
    }
}

impl<T: Clone> Clone for Rest<T> {
    fn clone(&self) -> Self {
        stacker::maybe_grow(RESERVE, SEGMENT, || Rest::new((**self).clone()))
    }
}

impl<T: PartialEq> PartialEq for Rest<T> {
    fn eq(&self, other: &Self) -> bool {
        stacker::maybe_grow(RESERVE, SEGMENT, || **self == **other)
    }
}

impl<T: fmt::Debug> fmt::Debug for Rest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        stacker::maybe_grow(RESERVE, SEGMENT, || (**self).fmt(f))
    }
}

//! What a broken law says: which equation, at which values, and what its two sides came to.
//!
//! Law: a verdict is `Ok` or evidence; whoever reads a [`Violation`] can repeat it by hand (tests/laws/broken.rs).

use core::fmt;

/// A law that does not hold, with the values it fails at.
///
/// `Debug` prints the same text as `Display`, so that a test which returns a [`Verdict`] reads well when it fails.
#[derive(Clone, PartialEq, Eq)]
pub struct Violation {
    /// The equation, such as ``addition commutes: a + b = b + a``.
    pub law: String,
    /// The values it fails at, by name.
    pub instances: Vec<(String, String)>,
    /// The left side at these values.
    pub left: String,
    /// The right side at these values.
    pub right: String,
}

/// What a law returns.
pub type Verdict = Result<(), Violation>;

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the law does not hold: {}", self.law)?;
        for (name, value) in &self.instances {
            writeln!(f, "  where {name} = {value}")?;
        }
        writeln!(f, "  left:  {}", self.left)?;
        write!(f, "  right: {}", self.right)
    }
}

impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Violation {}

/// States an equation: a [`Verdict`] on whether two sides are the [`Same`](crate::Same), within a bound.
///
/// The names in brackets are the values of the law, owned or by reference; in each side they stand for clones, and a
/// violation lists them. Use it for laws of your own.
///
/// ```
/// use catadiff_laws::{Bound, Verdict, law};
/// fn squares(a: i64, b: i64) -> Verdict {
///     law!("(a + b)² = a² + b²", [a, b], (a + b) * (a + b), a * a + b * b, Bound::EXACT)
/// }
/// assert!(squares(0, 7).is_ok());
/// assert_eq!(squares(1, 2).unwrap_err().to_string(), "\
/// the law does not hold: (a + b)² = a² + b²
///   where a = 1
///   where b = 2
///   left:  9
///   right: 5");
/// ```
#[macro_export]
macro_rules! law {
    ($law:expr, [$($x:ident),*], $left:expr, $right:expr, $bound:expr) => {{
        #[allow(unused_variables, clippy::clone_on_copy, reason = "a side uses what it needs")]
        let (left, right) = (
            { $(let $x = $x.clone();)* $left },
            { $(let $x = $x.clone();)* $right },
        );
        if $crate::Same::same(&left, &right, $bound) {
            ::core::result::Result::Ok(())
        } else {
            ::core::result::Result::Err($crate::Violation {
                law: ::std::string::String::from($law),
                instances: ::std::vec![$((
                    ::std::string::String::from(stringify!($x)),
                    $crate::Same::show(&$x.clone()),
                )),*],
                left: $crate::Same::show(&left),
                right: $crate::Same::show(&right),
            })
        }
    }};
}

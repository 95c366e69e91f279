//! The free algebra: programs as data, with no meaning until a fold gives them one.
//!
//! A [`Term`] is built from variables `V`, the constants, `+`, `×`, and the operations of a [`Signature`]:
//! none ([`Pure`], the free semiring), or the table of primitives ([`Smooth`]). [`Term::eval`] is the one fold: the
//! unique homomorphism into a carrier that sends each variable to its given value.
//!
//! Law: `eval g` preserves `0 1 + ×` and every primitive, and `h ∘ eval g = eval (h ∘ g)` for a homomorphism `h`
//! ("Forwards and in reverse", *Look, it's free!* and *Calculamus!*) (laws: fold::eval_is_a_homomorphism,
//! laws: fold::eval_fuses).
//!
//! ```
//! use catadiff::prelude::*;
//! use catadiff::term::{Arena, Term};
//! let arena = Arena::<&str>::new();
//! let (x, y) = (arena.variable("x"), arena.variable("y"));
//! let term = x * y + x.sin();
//! assert_eq!(term.to_string(), "x * y + sin(x)");
//! let value: f64 = term.eval(|v| if *v == "x" { 0.0 } else { 3.0 });
//! assert_eq!(value, 0.0);
//! ```

mod arena;
mod cone;
mod custom;
mod fold;
mod handle;
mod listing;
mod parse;
mod plan;
mod print;
mod rewrite;
mod schedule;
mod signature;
mod stored;
mod straight;

pub use arena::Arena;
pub(crate) use cone::{Arithmetic, Back, Cone, Give, Link, Step};
pub use custom::ErasedRule;
pub use handle::{Term, TermId};
pub use listing::{Line, Listing};
pub use parse::parse;
pub use print::{Spelling, Written};
#[cfg(feature = "array")]
pub(crate) use print::{name_in_latex, row_in_latex};
pub(crate) use schedule::{BLOCK, Code, Constant, Kind, LANES, Leaf, Run};
pub(crate) use signature::literal;
pub use signature::{Model, Pure, Signature, Smooth};
pub use stored::{Rules, Storable};
pub(crate) use straight::Straight;

//! Promises without data: what a number must be able to do before anything here can differentiate it.
//!
//! | promise | adds | kept by |
//! |---|---|---|
//! | [`Semiring`] | `0 1 + ×` | every [`num_traits::Zero`]` + `[`num_traits::One`] type that is `Clone`: integers, big integers, rationals, floats, the [plain semirings](plain), every carrier |
//! | [`Ring`] | `−` | signed numbers |
//! | [`Field`] | `/` | rationals, ℤ/p, floats, carriers over them |
//! | [`Module`] | a tangent: zero, sum, scaling by a semiring | every semiring over itself, and the modules of [`carriers`](crate::carriers) |
//! | [`Kronecker`] | the unit tangent of a variable | the modules indexed by variables |
//!
//! The elementary functions are one promise further, [`Elementary`](crate::primitives::Elementary), since they
//! need the table of primitives.
//!
//! Law: the equations of each promise, which are functions of the crate `catadiff-laws`; they hold exactly on exact
//! types, and on floats up to rounding (tests/laws/instances.rs).

mod module;
pub mod plain;
mod semiring;

pub use module::{Kronecker, Module};
pub use semiring::{Field, Ring, Semiring};
pub(crate) use semiring::{doubling, natural};

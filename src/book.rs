//! The book of `docs/book`, so that `cargo test --doc book` compiles and runs its examples: one item for each chapter.
//!
//! Law: a chapter with an example in Rust has an item here (tests/rooms/book.rs).

#[doc = include_str!("../docs/book/src/first_derivative.md")]
struct FirstDerivative;

#[doc = include_str!("../docs/book/src/strategies.md")]
struct Strategies;

#[doc = include_str!("../docs/book/src/nesting.md")]
struct Nesting;

#[doc = include_str!("../docs/book/src/rules.md")]
struct Rules;

#[doc = include_str!("../docs/book/src/terms.md")]
struct Terms;

#[doc = include_str!("../docs/book/src/carriers.md")]
struct Carriers;

#[doc = include_str!("../docs/book/src/laws.md")]
struct Laws;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/array_programs.md")]
struct ArrayPrograms;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/array_derivatives.md")]
struct ArrayDerivatives;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/checkpointing.md")]
struct Checkpointing;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/numerics.md")]
struct Numerics;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/running_fast.md")]
struct RunningFast;

#[cfg(feature = "gpu")]
#[doc = include_str!("../docs/book/src/gpu.md")]
struct Gpu;

#[cfg(feature = "native")]
#[doc = include_str!("../docs/book/src/emitting_c.md")]
struct EmittingC;

#[cfg(feature = "futhark")]
#[doc = include_str!("../docs/book/src/futhark.md")]
struct Futhark;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/reading.md")]
struct Reading;

#[cfg(feature = "array")]
#[doc = include_str!("../docs/book/src/coming_from.md")]
struct ComingFrom;

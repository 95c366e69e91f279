//! Array programs before they are differentiated: tracing, text, meaning and verbs, one module each.

mod call;
mod carriers;
mod exact;
mod foreign;
mod interpret;
mod linalg;
mod messages;
mod nests;
mod random;
mod semirings;
mod sizes;
mod specialise;
mod text;
mod trace;
mod trace_values;
mod tracing;
#[cfg(feature = "unstable")]
mod untyped;
mod verbs;
mod words;

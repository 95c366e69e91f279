//! Array programs before they are differentiated: tracing, text, meaning and verbs, one module each.

mod call;
mod carriers;
mod exact;
mod interpret;
mod messages;
mod semirings;
mod sizes;
mod specialise;
mod text;
mod trace;
mod trace_values;
mod tracing;
mod verbs;

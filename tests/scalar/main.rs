//! The scalar layer: carriers, terms, strategies and verbs, one module each.

mod both;
mod checking;
mod colouring;
mod count;
mod deep;
mod drawings;
mod float;
mod half;
mod interval;
mod notation;
mod operators;
mod origin;
mod recordings;
mod rules;
mod sparse;
mod special;
mod strategies;
mod strong_zero;
mod structure;
mod support;
mod tape;
mod taylor;
mod terms;
mod threads;
mod vector_math;

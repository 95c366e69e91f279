//! A term as a straight-line program, or Wengert list: lines that anyone can read, store and send.
//!
//! Law: `arena.read_listing(&term.listing())` is the same term, in whatever arena it is read; a listing that is not in
//! order, or names what is not there, is refused ("Automatic Differentiation", *Source-to-source AD using Wengert*: one
//! operation per line, each result named once) (tests/scalar/terms.rs).

use core::hash::Hash;

use super::Term;
use super::arena::{Arena, Node};
use super::signature::{Smooth, SmoothOperation};
use crate::error::{Error, Result};
use crate::primitives::Primitive;

/// One line: what is computed, from the results of earlier lines, numbered from 0.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Line<V> {
    /// The value of a variable.
    Variable(V),
    /// A constant.
    Constant(f64),
    /// A sum.
    Plus(usize, usize),
    /// A product.
    Times(usize, usize),
    /// A row of the table.
    Primitive(Primitive, Vec<usize>),
}

/// A straight-line program whose last line is the result.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::primitives::Primitive;
/// use catadiff::term::{Arena, Line};
/// let arena = Arena::<char>::new();
/// let x = arena.variable('x');
/// let listing = (x * x + (x * x).sin()).listing()?;
/// let square = [Line::Variable('x'), Line::Times(0, 0)]; // shared, so it stands there once
/// assert_eq!(listing.lines[..2], square);
/// assert_eq!(listing.lines[2..], [Line::Primitive(Primitive::Sin, vec![1]), Line::Plus(1, 2)]);
/// assert_eq!(Arena::new().read_listing(&listing)?.to_string(), "x * x + sin(x * x)");
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Listing<V> {
    /// The lines, in order.
    pub lines: Vec<Line<V>>,
}

impl<V: Clone + Eq + Hash> Term<'_, V> {
    /// The term as a straight-line program, each shared part once.
    ///
    /// # Errors
    /// [`Error::UnknownName`] for a term with a user's rule, which has no name outside its arena.
    pub fn listing(&self) -> Result<Listing<V>> {
        let Some((arena, root)) = self.place() else {
            return Ok(Listing { lines: vec![Line::Constant(self.as_literal().unwrap_or(0.0))] });
        };
        let mut lines = Vec::new();
        let mut place = vec![0; root as usize + 1];
        for (id, _, node) in arena.reached(&[root]) {
            let operands: Vec<usize> = arena.operands_of(&node).into_iter().map(|operand| place[operand]).collect();
            place[id] = lines.len();
            lines.push(match node {
                Node::Variable(number) => Line::Variable(arena.variable_at(number)),
                Node::Literal(bits) => Line::Constant(f64::from_bits(bits)),
                Node::Plus(_) => Line::Plus(operands[0], operands[1]),
                Node::Times(_) => Line::Times(operands[0], operands[1]),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => match operation {
                    SmoothOperation::Primitive(row) => Line::Primitive(row, operands),
                    SmoothOperation::Custom(rule) => {
                        return Err(Error::UnknownName { name: arena.rule_name(rule).to_owned(), known: Vec::new() });
                    }
                },
            });
        }
        Ok(Listing { lines })
    }
}

impl<V: Clone + Eq + Hash> Arena<V, Smooth> {
    /// The term of a straight-line program.
    ///
    /// # Errors
    /// [`Error::Empty`] without lines; [`Error::Length`] if a line refers to itself or a later one, or gives a row
    /// the wrong number of operands.
    pub fn read_listing(&self, listing: &Listing<V>) -> Result<Term<'_, V>> {
        let mut terms: Vec<Term<'_, V>> = Vec::with_capacity(listing.lines.len());
        for line in &listing.lines {
            let operand = |at: usize| {
                terms.get(at).copied().ok_or(Error::Length {
                    what: "the part of the listing that a line may refer to",
                    expected: at.saturating_add(1),
                    found: terms.len(),
                })
            };
            let term = match line {
                Line::Variable(variable) => self.variable(variable.clone()),
                Line::Constant(value) => Term::literal(*value),
                Line::Plus(a, b) => operand(*a)? + operand(*b)?,
                Line::Times(a, b) => operand(*a)? * operand(*b)?,
                Line::Primitive(row, operands) => {
                    Error::lengths("the list of operands of a primitive", row.arity(), operands.len())?;
                    row.apply(&operands.iter().map(|at| operand(*at)).collect::<Result<Vec<_>>>()?)
                }
            };
            terms.push(term);
        }
        terms.pop().ok_or(Error::Empty { what: "the listing" })
    }
}

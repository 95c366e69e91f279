//! Partial derivatives of the rows of the two tables, over numbers that may themselves carry derivatives.
//!
//! Law: no derivative is written here. On numbers without derivatives a row is run on dual numbers; where its operands carry derivatives of
//! other calls, the partial derivative is a term, made once by running the row on dual numbers over terms, and its operations
//! are performed on them. Integers have the partials of the table of integers
//! (tests/language/interpret.rs).

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::array::{Const, Prim};
use crate::carriers::{Dense, Dual};
use crate::primitives::{Primitive, Scalar as Number, f16};
use crate::term::{Arena, Listing, Term};

use generic_array::typenum::U3;
use num_traits::{One, Zero};

/// The partial derivatives of a row at reals of one kind.
pub(super) fn at_reals(row: Primitive, kind: Prim, x: &[Const]) -> [Const; 3] {
    match kind {
        Prim::F16 => over(row, x, |x| if let Const::F16(x) = x { x } else { f16::zero() }).map(Const::F16),
        Prim::F32 => over(row, x, |x| if let Const::F32(x) = x { x } else { 0.0 }).map(Const::F32),
        _ => over(row, x, |x| if let Const::F64(x) = x { x } else { 0.0 }).map(Const::F64),
    }
}

fn over<F: Number>(row: Primitive, x: &[Const], real: impl Fn(Const) -> F) -> [F; 3] {
    let mut numbers = [Dual::<F, Dense<F, U3>>::zero(); 3];
    numbers.iter_mut().zip(x).enumerate().for_each(|(i, (to, x))| *to = Dual::variable(real(*x), i));
    let z = row.apply(&numbers[..x.len()]);
    core::array::from_fn(|i| z.tangent[i])
}

/// A term as a straight line over operands by number.
type Line = Rc<Listing<usize>>;

/// The partial derivatives of rows as terms in their operands, each made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Partials {
    known: RefCell<FxHashMap<(Primitive, usize), Line>>,
}

impl Partials {
    /// The partial derivative of a row by an operand, as a straight line over the operands by number.
    pub(super) fn of(&self, row: Primitive, operand: usize) -> Line {
        let made = || {
            let arena = Arena::<usize>::exact();
            let numbers: Vec<Dual<Term<'_, usize>>> = (0..row.arity())
                .map(|i| Dual {
                    value: arena.variable(i),
                    tangent: if i == operand { Term::one() } else { Term::zero() },
                })
                .collect();
            let listing = row.apply(&numbers).tangent.listing();
            Rc::new(listing.expect("the rows of the table have names"))
        };
        self.known.borrow_mut().entry((row, operand)).or_insert_with(made).clone()
    }
}

//! Large terms combined element by element: each rank combines a stretch of the elements, and all get the stretches of all.
//!
//! Law: the terms of an element are combined in the order of ranks, whichever rank does it, so that the sum is the same bits as of small
//! terms, on every rank (tests/mpi/suite.rs).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::combine::{Operator, along_ranks};
use super::placement::part;
use super::wire;
use super::world::{Link, MAX_BYTES};
use crate::array::{Builder, Prim, ScalarOp, Type};
use crate::error::{Error, Result};
use crate::execute::{Ending, Executor, Flat, Prepared};
use crate::interpret::Control;

/// If all ranks together have terms of more bytes than this, each combines a stretch: it sends and gets two times its terms then, and not as
/// many times as there are ranks.
const LARGE: usize = 1 << 17;

/// The programs that combine stretches, made when they are first needed.
pub(super) struct Sums<'e> {
    inside: &'e dyn Executor,
    ready: Mutex<HashMap<(ScalarOp, Prim), Arc<dyn Prepared>>>,
}

impl<'e> Sums<'e> {
    pub(super) fn new(inside: &'e dyn Executor) -> Self {
        Sums { inside, ready: Mutex::default() }
    }

    pub(super) fn are_large(terms: &Flat, ranks: usize) -> bool {
        ranks > 1 && terms.sizes.iter().product::<usize>() * wire::width(terms.prim) * ranks > LARGE
    }

    fn program(&self, op: ScalarOp, prim: Prim) -> Result<Arc<dyn Prepared>> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = ready.get(&(op, prim)) {
            return Ok(Arc::clone(there));
        }
        let mut builder = Builder::new();
        let stacked = builder.parameter("terms", Type::array(prim, 2));
        let sums = along_ranks(&mut builder, &[stacked.into()], 1, &[], &Operator::Scalar(op));
        let program = builder.finish(sums)?;
        let made = self.inside.prepare(&program)?;
        let made = made.map_err(|unsupported| Error::Device { what: unsupported.to_string() })?;
        let made: Arc<dyn Prepared> = Arc::from(made);
        ready.insert((op, prim), Arc::clone(&made));
        Ok(made)
    }

    /// The terms of all ranks combined, as the only term.
    pub(super) fn of(&self, link: &mut Link<'_>, terms: &Flat, op: ScalarOp) -> Result<Flat> {
        let prim = terms.prim;
        let mut mine = Vec::new();
        wire::write(terms.lent(), &mut mine);
        let program = self.program(op, prim)?;
        let mut all = Vec::with_capacity(mine.len());
        // What would be too long for one message is combined piece by piece.
        for piece in mine.chunks(MAX_BYTES / link.ranks() / wire::width(prim) * wire::width(prim)) {
            all.extend(combined(link, &*program, piece, prim)?);
        }
        let sizes = core::iter::once(1).chain(terms.sizes.iter().copied()).collect();
        Ok(wire::read(prim, sizes, &all))
    }
}

/// The terms that the bytes of all ranks are, combined: each rank does a stretch.
fn combined(link: &mut Link<'_>, program: &dyn Prepared, mine: &[u8], prim: Prim) -> Result<Vec<u8>> {
    let (rank, ranks, count) = (link.rank(), link.ranks(), mine.len() / wire::width(prim));
    let stretch = |rank| part(count, rank, ranks).len();
    let lengths: Vec<usize> = (0..ranks).map(|rank| stretch(rank) * wire::width(prim)).collect();
    let stacked = wire::read(prim, vec![ranks, stretch(rank)], &link.exchange(mine, &lengths));
    let mut results = Vec::new();
    let ending = program.run_into(&[stacked.lent()], &mut results, Control::default())?;
    let Ending::Done { .. } = ending else { panic!("a sum of as many terms from each rank has no fault") };
    let mut mine = Vec::new();
    wire::write(results[0].lent(), &mut mine);
    Ok(link.gather(&mine, &lengths))
}

//! Entry points on the ranks of a job, with arguments of which each rank has its part.
//!
//! Law: as of [`Sharded`]; where one rank has something wrong, all end (cli/tests/commands/ranks.rs).

use super::{Elaborated, Outcome, boundary};
use crate::execute::Flat;
use crate::execute::mpi::{Mpi, Shard, Sharded, agreed};
use crate::futhark::source::Message;
use crate::futhark::values::Array;
use crate::interpret::Control;

/// An entry point that is ready to run on ranks, with [`Elaborated::on_parts`].
#[derive(Debug)]
pub struct OnParts {
    elaborated: Elaborated,
    sharded: Sharded,
}

impl Elaborated {
    /// The entry point, ready to run where each rank has its [part](crate::execute::mpi::part) of some arguments: of those parameters of the
    /// [program](Elaborated::program) that have these positions.
    ///
    /// ```no_run
    /// use catadiff::execute::{Lanes, mpi::{Mpi, World}};
    /// use catadiff::futhark::{elaborate::compile, values::Array};
    /// use catadiff::interpret::Limits;
    /// let world = World::join()?;
    /// let text = "entry total (points: []f64) (centre: f64) = f64.sum (map (\\p -> (p - centre) ** 2) points)";
    /// let total = compile(text, "total").unwrap().on_parts(&[0], Mpi::over(&Lanes))?;
    /// let points = Array::from(&world.read_rows("points.bin")?);
    /// println!("{}", total.run_within(&[points, Array::scalar(0.5)], &Limits::default())?[0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no parameter at one of the positions; those of [`Sharded::new`].
    pub fn on_parts(self, split: &[usize], on: Mpi) -> Outcome<OnParts> {
        let name = |k: &usize| {
            let text = || format!("there is no value {k} to split: {} are taken, counted from 0", self.params.len());
            self.params.get(*k).map(|(name, ..)| &**name).ok_or_else(|| Message::error("arguments", self.at, text()))
        };
        let names: Vec<&str> = split.iter().map(name).collect::<Outcome<_>>()?;
        let sharded = Sharded::new(&self.program, &names, on).map_err(|error| self.failed(&error))?;
        Ok(OnParts { elaborated: self, sharded })
    }
}

impl OnParts {
    /// The whole results, on every rank, for these arguments: of those that are split, the part of this rank. All ranks call it.
    ///
    /// # Errors
    /// As for [`Elaborated::run`], but that the interpreter, which would need all arguments, is not asked for the place of an error; what is
    /// wrong on another rank.
    pub fn run_within<'c>(&self, arguments: &[Array], control: impl Into<Control<'c>>) -> Outcome<Vec<Array>> {
        let it = &self.elaborated;
        let flats = agreed(it.given(arguments, boundary::flat)).map_err(|error| it.failed(&error))??;
        let shards = self.sharded.run_within(&flats, control.into());
        let whole = |shards: Vec<Shard>| shards.iter().map(Shard::whole).collect::<Result<Vec<Flat>, _>>();
        let results = shards.and_then(whole).map_err(|error| it.failed(&error))?;
        it.flat_answers(Ok(()), results)
    }
}

//! Programs on arguments of which each rank has its part, and results that stay where they are.
//!
//! Law: the parts of a result, one after the other in the order of ranks, are the result for the parts of the arguments one after the other
//! (tests/mpi/suite.rs).

use super::placement::{Axis, Placement, part};
use super::plan::Plan;
use super::run::{Run, Stop, known, whole};
use super::sums::Sums;
use super::{Mpi, world};
use crate::array::{Extent, Program, Var};
use crate::error::{Error, Result};
use crate::execute::{Flat, Lent};
use crate::interpret::Control;

/// A program of which some arguments are split: each rank gives its [part](super::part) of their outermost dimension.
///
/// ```no_run
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::{Flat, Lanes};
/// use catadiff::execute::mpi::{Mpi, Sharded, World, part};
/// let world = World::join()?;
/// let loss = Program::trace_named(&["points", "centre"], |points: Arr<F64>, centre: F64| {
///     points.map(|p| (p - centre) * (p - centre)).sum()
/// })?;
/// let gradient = Sharded::new(&loss.grad("centre")?, &["points"], Mpi::over(&Lanes))?;
/// // Each rank makes, or reads, its part of a billion points.
/// let mine = part(1_000_000_000, world.rank(), world.ranks());
/// let points: Vec<f64> = mine.map(|k| k as f64).collect();
/// let shards = gradient.run(&[Flat::reals(&[points.len()], points)?, Flat::reals(&[], vec![0.5])?])?;
/// println!("{:?}", shards[0].flat.as_reals());
/// # Ok::<(), catadiff::Error>(())
/// ```
pub struct Sharded {
    on: Mpi,
    program: Program,
    plan: Plan,
    sums: Sums<'static>,
    /// The positions of the parameters that are split, and their dimensions.
    split: Vec<(usize, Axis)>,
}

/// A result: all of it, or the part of it that this rank has.
#[derive(Debug, Clone, PartialEq)]
pub struct Shard {
    /// The elements.
    pub flat: Flat,
    /// The dimension that is split, and how long it is in all; none if the elements are all.
    pub split: Option<(usize, usize)>,
}

impl core::fmt::Debug for Sharded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Sharded").field("on", &self.on).field("split", &self.split).finish_non_exhaustive()
    }
}

impl Sharded {
    /// The program, ready to run on arguments of which those of these names are split.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a name that is no array parameter of the program; [`Error::Device`] if the ranks are not joined, or if a
    /// step cannot run.
    pub fn new(program: &Program, names: &[&str], on: Mpi) -> Result<Self> {
        world::place()?;
        let sizes = program.sizes();
        let (mut extents, mut split) = (Vec::<Extent>::new(), Vec::new());
        for name in names {
            let wrong = |reason: &str| Error::Parameter { name: (*name).to_owned(), reason: reason.to_owned() };
            let k = program.names.iter().position(|known| known == name);
            let k = k.ok_or_else(|| wrong(&format!("the parameters are {}", program.names.join(", "))))?;
            let var = program.function.params[k];
            let extent = *sizes.of(var).first().ok_or_else(|| wrong("what is split is an array"))?;
            let axis = extents.iter().position(|known| *known == extent).unwrap_or_else(|| {
                extents.push(extent);
                extents.len() - 1
            });
            split.push((k, Axis(axis)));
        }
        let placed = |(k, axis): &(usize, Axis)| (program.function.params[*k], Placement::Split(0, *axis));
        let placed: Vec<(Var, Placement)> = split.iter().map(placed).collect();
        let plan = Plan::of(program, &extents, &placed, on.inside)?;
        let plan = plan.map_err(|unsupported| Error::Device { what: unsupported.to_string() })?;
        if let (false, Some(gathered)) = (on.gathers, plan.gathers.first()) {
            return Err(Error::Device { what: gathered.to_string() });
        }
        Ok(Sharded { sums: Sums::new(on.inside), on, program: program.clone(), plan, split })
    }

    /// The plan as text: what ranks do, and what they send each other.
    #[must_use]
    pub fn explain(&self) -> String {
        self.plan.to_string()
    }

    /// The results for these arguments.
    ///
    /// # Errors
    /// As for [`run_within`](Sharded::run_within).
    pub fn run(&self, arguments: &[Flat]) -> Result<Vec<Shard>> {
        self.run_within(arguments, Control::default())
    }

    /// The same, within limits or under a control.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Argument`] for arguments that do not fit, or for a part that is not this rank's; [`Error::Rank`] for what is
    /// wrong on some rank, on all of them.
    pub fn run_within(&self, arguments: &[Flat], control: Control<'_>) -> Result<Vec<Shard>> {
        let Sharded { program, plan, .. } = self;
        let mut link = world::connected()?;
        let ranks = link.ranks();
        let lent: Vec<Lent<'_>> = arguments.iter().map(Flat::lent).collect();
        let fits = program.function.params.iter().zip(&program.names).zip(&lent);
        let mut fits = fits.map(|((param, name), argument)| argument.check(name, program.type_of(*param)));
        let count = Error::lengths("the list of arguments", program.names.len(), arguments.len());
        let fits: Result<()> = count.and_then(|()| fits.try_for_each(core::convert::identity));
        // A rank whose arguments do not fit says so before any other waits for it.
        link.agreed(fits)??;
        let length = |k: usize| lent[k].sizes.first().copied().unwrap_or(0) as u64;
        let mut totals: Vec<Option<usize>> = vec![None; plan.splits.len()];
        for (k, axis) in &self.split {
            let all = link.words([length(*k)]);
            let total: u64 = all.iter().map(|[n]| n).sum();
            let total = usize::try_from(total)
                .map_err(|_| Error::TooLarge { what: "an array of all ranks", limit: usize::MAX })?;
            for (of, [found]) in all.iter().enumerate() {
                let expected = part(total, of, ranks).len();
                if expected == 0 || *found != expected as u64 {
                    let name = &program.names[*k];
                    let reason = match expected {
                        0 => format!("`{name}` has {total} rows, and each of the {ranks} ranks needs one"),
                        _ => format!("its part of `{name}` has {found} of {total} rows, where {expected} are its"),
                    };
                    return Err(Error::Rank { rank: of, reason });
                }
            }
            // What the program says of the size, or another argument of the same.
            let extent = plan.splits[axis.0].extent;
            let is_whole = !self.split.iter().any(|(k, _)| extent == Extent::Of(plan.params[*k].into(), 0));
            let said = if is_whole { known(extent, &plan.params, &lent) } else { None };
            let expected = totals[axis.0].or(said).unwrap_or(total);
            if expected != total {
                let what = "an argument of which each rank has its part, and another of the same length";
                return Err(Error::Length { what, expected, found: total });
            }
            totals[axis.0] = Some(total);
        }
        let mut run = Run::new(plan, &mut link, &self.sums, control);
        for (param, argument) in plan.params.iter().zip(&lent) {
            run.lend(*param, *argument);
        }
        for (k, total) in totals.into_iter().enumerate() {
            run.split(Axis(k), total.expect("what is split is the dimension of an argument"));
        }
        match run.all(self.on.keep.as_ref(), program, &lent) {
            Ok(()) => Ok(plan
                .results
                .iter()
                .map(|result| {
                    let split = result.split.map(|(dimension, axis)| (dimension, run.total(axis)));
                    Shard { flat: run.value(result.value).into_flat(), split }
                })
                .collect()),
            Err(Stop::Ended(fault)) => Err(fault.into_error()),
            Err(Stop::Wrong { rank, said }) => Err(Error::Rank { rank, reason: said }),
            Err(Stop::Lost(error)) => Err(error),
        }
    }
}

impl Shard {
    /// All of the result, on every rank. All ranks call it.
    ///
    /// # Errors
    /// [`Error::Device`] if the ranks are not joined.
    pub fn whole(&self) -> Result<Flat> {
        let mut link = world::connected()?;
        Ok(match self.split {
            None => self.flat.clone(),
            Some((dimension, total)) => whole(&mut link, self.flat.lent(), dimension, total),
        })
    }
}

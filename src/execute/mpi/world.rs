//! The ranks of a job, and what they send each other: bytes, counted.
//!
//! Law: every rank calls the same functions in the same order, so that no rank waits for one that has gone on; what a call returns
//! is the same bytes on all ranks, in the order of ranks (tests/mpi/suite.rs).

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpi::Threading;
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::CommunicatorCollectives;

use crate::error::{Error, Result};

/// The place of this process among those of its job, from where it joins them until the value is dropped.
///
/// It is made once, in `main`, before the first program is run [on ranks](super::Mpi), and dropped on all ranks together. A rank that ends
/// otherwise, by a panic, an exit or a signal, ends the job: `mpirun` says which it was, and stops the others.
///
/// ```no_run
/// use catadiff::execute::mpi::World;
/// let world = World::join()?;
/// println!("rank {} of {}", world.rank(), world.ranks());
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct World {
    rank: usize,
    ranks: usize,
}

/// What a process has sent since it joined: how often, and how much.
///
/// A collective operation is one message here; how many packets it takes is the network's affair. Bytes are those of this rank that others
/// get, each counted once for each rank that gets it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Collective operations.
    pub messages: u64,
    /// Bytes for other ranks.
    pub bytes: u64,
}

/// The connection to the others.
struct Joined {
    universe: Universe,
    rank: usize,
    ranks: usize,
    traffic: Traffic,
}

static JOINED: Mutex<Option<Joined>> = Mutex::new(None);

/// The most bytes that one message has: a count of them is an `i32`.
pub(super) const MAX_BYTES: usize = 1 << 30;

impl World {
    /// Joins the processes that `mpirun` has started with this one; a process that it has not started is the only one.
    ///
    /// # Errors
    /// [`Error::Device`] if this process has joined before, or MPI is in use already.
    pub fn join() -> Result<World> {
        let what = "a process joins the ranks of its job once, by `World::join`, and nothing else may start MPI before";
        // Another thread may compute what is sent than the one that has joined, but they take turns.
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Serialized).ok_or_else(|| Error::Device { what: what.into() })?;
        let world = universe.world();
        let number = |n: i32| usize::try_from(n).expect("ranks are counted from 0");
        let (rank, ranks) = (number(world.rank()), number(world.size()));
        *JOINED.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Joined { universe, rank, ranks, traffic: Traffic::default() });
        Ok(World { rank, ranks })
    }

    /// The number of this process among them, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// What this process has sent so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        connected().map_or_else(|_| Traffic::default(), |link| link.joined().traffic)
    }
}

impl Drop for World {
    /// Leaves the job, once all ranks do; a rank that panics ends it.
    fn drop(&mut self) {
        let Ok(mut link) = connected() else { return };
        if std::thread::panicking() {
            link.world().abort(101);
        }
        *link.0 = None;
    }
}

/// The connection, while a rank sends and gets.
pub(super) struct Link<'j>(MutexGuard<'j, Option<Joined>>);

/// The connection to the other ranks.
///
/// # Errors
/// [`Error::Device`] if this process has not joined them.
pub(super) fn connected() -> Result<Link<'static>> {
    let joined = JOINED.lock().unwrap_or_else(PoisonError::into_inner);
    if joined.is_none() {
        let what = "this process has not joined the ranks of its job: `World::join` does that, at the start of `main`";
        return Err(Error::Device { what: what.into() });
    }
    Ok(Link(joined))
}

/// The rank of this process, and how many there are.
///
/// # Errors
/// As for [`connected`].
pub(super) fn place() -> Result<(usize, usize)> {
    let link = connected()?;
    Ok((link.rank(), link.ranks()))
}

/// These bytes as the first rank has them, on every rank: what it alone has read, such as standard input. All ranks call it.
///
/// # Errors
/// [`Error::Device`] if the ranks are not joined.
pub fn from_first(bytes: Vec<u8>) -> Result<Vec<u8>> {
    let mut link = connected()?;
    let mine = if link.rank() == 0 { bytes } else { Vec::new() };
    Ok(link.gather_any(&mine))
}

/// What this rank has, once every rank has it: where one rank has an error, none goes on, and waits for it. A rank with an error of its own
/// gets that back. All ranks call it.
///
/// ```no_run
/// use catadiff::execute::mpi::{World, agreed};
/// let world = World::join()?;
/// let text = agreed(std::fs::read_to_string(format!("part{}.txt", world.rank())))??;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Rank`] if this rank has it, and another has not; [`Error::Device`] if the ranks are not joined.
pub fn agreed<T, E: fmt::Display>(mine: Result<T, E>) -> Result<Result<T, E>> {
    connected()?.agreed(mine)
}

impl Link<'_> {
    fn joined(&self) -> &Joined {
        self.0.as_ref().expect("a link is to ranks that were joined")
    }

    fn traffic(&mut self) -> &mut Traffic {
        &mut self.0.as_mut().expect("a link is to ranks that were joined").traffic
    }

    fn world(&self) -> SimpleCommunicator {
        self.joined().universe.world()
    }

    pub(super) fn rank(&self) -> usize {
        self.joined().rank
    }

    pub(super) fn ranks(&self) -> usize {
        self.joined().ranks
    }

    fn count(&mut self, bytes: usize) {
        let others = self.ranks() as u64 - 1;
        let traffic = self.traffic();
        traffic.messages += 1;
        traffic.bytes += bytes as u64 * others;
    }

    /// Some words of each rank; all give as many.
    pub(super) fn words<const N: usize>(&mut self, mine: [u64; N]) -> Vec<[u64; N]> {
        self.count(8 * N);
        let mut all = vec![0_u64; N * self.ranks()];
        self.world().all_gather_into(&mine[..], &mut all[..]);
        all.chunks_exact(N).map(|words| words.try_into().expect("as many words of each")).collect()
    }

    /// As [`agreed`], while there is a connection.
    pub(super) fn agreed<T, E: fmt::Display>(&mut self, mine: Result<T, E>) -> Result<Result<T, E>> {
        // What is said has a letter before it, so that nobody who fails says nothing.
        let said = mine.as_ref().err().map_or_else(String::new, |error| format!(" {error}"));
        let lengths: Vec<usize> = self.words([said.len() as u64]).into_iter().map(|[n]| n as usize).collect();
        let Some(rank) = lengths.iter().position(|length| *length > 0) else { return Ok(mine) };
        // Those before it have said nothing.
        let all = self.gather(said.as_bytes(), &lengths);
        let reason = String::from_utf8_lossy(&all[1..lengths[rank]]).into_owned();
        if mine.is_err() { Ok(mine) } else { Err(Error::Rank { rank, reason }) }
    }

    /// The bytes of each rank, which come to as many as each has, one after the other.
    pub(super) fn gather_any(&mut self, mine: &[u8]) -> Vec<u8> {
        let lengths: Vec<usize> = self.words([mine.len() as u64]).into_iter().map(|[n]| n as usize).collect();
        self.gather(mine, &lengths)
    }

    /// The bytes of each rank, which come to `lengths` of them, one after the other.
    pub(super) fn gather(&mut self, mine: &[u8], lengths: &[usize]) -> Vec<u8> {
        let mut all = vec![0; lengths.iter().sum()];
        let round = MAX_BYTES / lengths.len();
        let starts = starts(lengths);
        // What would be too long for one message is sent in rounds, each with a stretch of every rank's.
        for from in (0..lengths.iter().copied().max().unwrap_or(0)).step_by(round) {
            let stretch = |length: usize| length.clamp(from, from + round) - from;
            let counts: Vec<usize> = lengths.iter().map(|length| stretch(*length)).collect();
            let mine = &mine[from.min(mine.len())..(from + round).min(mine.len())];
            self.count(mine.len());
            if counts == lengths {
                let (counts, places) = (in_i32(&counts), in_i32(&starts));
                self.world().all_gather_varcount_into(mine, &mut PartitionMut::new(&mut all[..], counts, places));
                continue;
            }
            let mut stretches = vec![0_u8; counts.iter().sum()];
            let within = self::starts(&counts);
            let places = in_i32(&within);
            let mut into = PartitionMut::new(&mut stretches[..], in_i32(&counts), places);
            self.world().all_gather_varcount_into(mine, &mut into);
            for ((start, within), count) in starts.iter().zip(within).zip(counts) {
                all[start + from..][..count].copy_from_slice(&stretches[within..][..count]);
            }
        }
        all
    }

    /// Of the bytes of every rank, which are as many as these, the part that has the number of this rank: one after the other.
    pub(super) fn exchange(&mut self, mine: &[u8], parts: &[usize]) -> Vec<u8> {
        let (rank, ranks) = (self.rank(), self.ranks());
        self.count(0);
        self.traffic().bytes += (mine.len() - parts[rank]) as u64;
        let mut all = vec![0; parts[rank] * ranks];
        let (own, places) = (vec![parts[rank]; ranks], (0..ranks).map(|r| r * parts[rank]).collect::<Vec<_>>());
        let from = Partition::new(mine, in_i32(parts), in_i32(&starts(parts)));
        self.world()
            .all_to_all_varcount_into(&from, &mut PartitionMut::new(&mut all[..], in_i32(&own), in_i32(&places)));
        all
    }
}

/// Where each part begins.
pub(super) fn starts(lengths: &[usize]) -> Vec<usize> {
    let ends = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end - length)
    });
    ends.collect()
}

fn in_i32(numbers: &[usize]) -> Vec<i32> {
    numbers.iter().map(|n| i32::try_from(*n).expect("a message is shorter than 2^31 bytes")).collect()
}

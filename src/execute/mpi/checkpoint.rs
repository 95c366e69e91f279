//! What a long loop carries, on disk, so that a job that ends before its time can be taken up.
//!
//! Law: a file is written whole or not at all, and read whole or not at all; a job that is taken up goes on from the last iteration that
//! every rank has kept, with the same bits (tests/mpi/killed.rs).

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustc_hash::FxHasher;

use super::run::Held;
use super::wire;
use crate::array::{Prim, Program};
use crate::error::{Error, Result};
use crate::execute::{Flat, Lent};

/// Where and how often the state of long loops is kept.
///
/// Of each loop that no other loop is around, each rank keeps its part of the state in `folder`, in two files by turns; the last state of a
/// loop is kept as well. A run [resumed](Keep::resume) with the same program, arguments and number of ranks goes on from there.
///
/// ```
/// use catadiff::execute::mpi::{Every, Keep};
/// use std::time::Duration;
/// let keep = Keep { resume: true, ..Keep::new("states", Every::Time(Duration::from_secs(60))) };
/// assert_eq!(keep.folder.to_str(), Some("states"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Keep {
    /// Where files are; it is made if it is not there.
    pub folder: PathBuf,
    /// How often.
    pub every: Every,
    /// Whether a run goes on from what is there.
    pub resume: bool,
}

/// How often a state is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// After as many iterations.
    Iterations(u64),
    /// At the first end of an iteration after this time.
    Time(Duration),
}

impl Keep {
    /// States kept there, for a run that begins at the beginning.
    pub fn new(folder: impl Into<PathBuf>, every: Every) -> Self {
        Keep { folder: folder.into(), every, resume: false }
    }
}

/// The files of a rank.
#[derive(Debug)]
pub(super) struct Checkpoints {
    keep: Keep,
    rank: usize,
    ranks: usize,
    /// Of the program and its arguments.
    hash: u64,
    last: Instant,
    /// Which of its two files each loop writes next.
    turns: Vec<usize>,
}

const MAGIC: &[u8; 8] = b"catadiff";
const VERSION: u32 = 1;

impl Checkpoints {
    pub(super) fn new(
        keep: &Keep,
        program: &Program,
        arguments: &[Lent<'_>],
        [rank, ranks]: [usize; 2],
    ) -> Result<Self> {
        use core::hash::Hasher;
        let mut hasher = FxHasher::default();
        hasher.write(program.to_string().as_bytes());
        let mut bytes = Vec::new();
        for argument in arguments {
            argument.sizes.iter().for_each(|size| hasher.write_usize(*size));
            bytes.clear();
            wire::write(*argument, &mut bytes);
            hasher.write(&bytes);
        }
        let checkpoints = Checkpoints {
            keep: keep.clone(),
            rank,
            ranks,
            hash: hasher.finish(),
            last: Instant::now(),
            turns: Vec::new(),
        };
        fs::create_dir_all(&keep.folder).map_err(|error| checkpoints.error(&keep.folder, &error.to_string()))?;
        Ok(checkpoints)
    }

    pub(super) fn resumes(&self) -> bool {
        self.keep.resume
    }

    /// Whether this rank would keep the state after this iteration.
    pub(super) fn is_due(&self, done: u64) -> bool {
        match self.keep.every {
            Every::Iterations(n) => done.is_multiple_of(n.max(1)),
            Every::Time(time) => self.last.elapsed() >= time,
        }
    }

    fn error(&self, file: &std::path::Path, reason: &str) -> Error {
        Error::File { file: file.display().to_string(), reason: reason.to_owned() }
    }

    fn path(&self, number: usize, turn: usize) -> PathBuf {
        self.keep.folder.join(format!("loop{number}.rank{}.{turn}.state", self.rank))
    }

    fn turn(&mut self, number: usize) -> &mut usize {
        if self.turns.len() <= number {
            self.turns.resize(number + 1, 0);
        }
        &mut self.turns[number]
    }

    /// Keeps a state. It is on disk when this returns.
    pub(super) fn keep(&mut self, number: usize, done: u64, state: &[Held<'_>]) -> Result<()> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        let words = [self.hash, self.ranks as u64, self.rank as u64, number as u64, done, state.len() as u64];
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        for flat in state.iter().map(Held::lent) {
            let prim = Prim::ALL.iter().position(|prim| *prim == flat.prim).expect("every kind is in the list");
            let sizes = flat.sizes.iter().map(|size| *size as u64);
            let head = [prim as u64, flat.sizes.len() as u64];
            head.into_iter().chain(sizes).for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
            wire::write(flat, &mut bytes);
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        let turn = *self.turn(number);
        let path = self.path(number, turn);
        let partial = path.with_extension("partial");
        let written = File::create(&partial)
            .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&partial, &path));
        written.map_err(|error| self.error(&path, &error.to_string()))?;
        *self.turn(number) = 1 - turn;
        self.last = Instant::now();
        Ok(())
    }

    /// The states that this rank has kept of a loop, with how many iterations they are after.
    pub(super) fn kept(&mut self, number: usize) -> Result<Vec<(u64, Vec<Flat>)>> {
        let mut found = Vec::new();
        let mut torn = None;
        for turn in [0, 1] {
            let path = self.path(number, turn);
            let bytes = match fs::read(&path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(self.error(&path, &error.to_string())),
            };
            match self.parsed(&bytes, number) {
                Ok(state) => found.push((turn, state)),
                Err(Unreadable::Torn) => torn = Some(path),
                Err(Unreadable::Other(reason)) => return Err(self.error(&path, reason)),
            }
        }
        if let (Some(path), true) = (torn, found.is_empty()) {
            return Err(self.error(&path, "it is cut short or changed, and there is no other"));
        }
        // The newer stays when the next is written.
        if let Some((newest, _)) = found.iter().max_by_key(|(_, (done, _))| *done) {
            *self.turn(number) = 1 - *newest;
        }
        Ok(found.into_iter().map(|(_, state)| state).collect())
    }

    fn parsed(&self, bytes: &[u8], number: usize) -> core::result::Result<(u64, Vec<Flat>), Unreadable> {
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or(Unreadable::Torn)?;
        let Some(mut rest) = body.strip_prefix(MAGIC) else {
            let other = Unreadable::Other("it is no state that catadiff has kept");
            return Err(if MAGIC.starts_with(body) { Unreadable::Torn } else { other });
        };
        if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(Unreadable::Torn);
        }
        let (version, after) = rest.split_first_chunk::<4>().ok_or(Unreadable::Torn)?;
        rest = after;
        if u32::from_le_bytes(*version) != VERSION {
            return Err(Unreadable::Other("it is of another version of catadiff"));
        }
        let mut word = || {
            let (word, after) = rest.split_first_chunk::<8>().ok_or(Unreadable::Torn)?;
            rest = after;
            Ok(u64::from_le_bytes(*word))
        };
        if word()? != self.hash {
            return Err(Unreadable::Other("it is of another program, or of other arguments"));
        }
        if [word()?, word()?, word()?] != [self.ranks as u64, self.rank as u64, number as u64] {
            return Err(Unreadable::Other("it is of another number of ranks, or of another rank or loop"));
        }
        let (done, count) = (word()?, word()?);
        let mut state = Vec::new();
        for _ in 0..count {
            let mut word = || {
                let (word, after) = rest.split_first_chunk::<8>().ok_or(Unreadable::Torn)?;
                rest = after;
                Ok(u64::from_le_bytes(*word) as usize)
            };
            let prim = *Prim::ALL.get(word()?).ok_or(Unreadable::Torn)?;
            let rank = word()?;
            let sizes = (0..rank).map(|_| word()).collect::<core::result::Result<Vec<usize>, Unreadable>>()?;
            let length = sizes.iter().product::<usize>() * wire::width(prim);
            let (elements, after) = rest.split_at_checked(length).ok_or(Unreadable::Torn)?;
            rest = after;
            state.push(wire::read(prim, sizes, elements));
        }
        Ok((done, state))
    }
}

/// Why a file is no state.
enum Unreadable {
    /// It is not whole.
    Torn,
    /// It is of something else.
    Other(&'static str),
}

//! What has been written before: a table of operations on numbered operands, which gives to each a number.
//!
//! Law: two entries have one number only if their operations and operands are the same. An operation is looked for
//! among the few that have the same greatest operand. That was numbered last, so what is looked at lies close to what
//! was looked at before, and tables that do not fit into the caches are as fast as those that do
//! (tests/transform/simplify.rs).

use core::hash::Hash;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// As many operations with one greatest operand are looked through; further ones are hashed.
const CHAIN: usize = 4;

/// The number of an entry that is forgotten, but still in its place.
const FORGOTTEN: u32 = u32::MAX;

/// An operation of at most three operands. The last number, which is none, is for one that is not there.
#[derive(Debug)]
struct Entry<K> {
    kind: K,
    operands: [u32; 3],
    number: u32,
    /// The entry before, counted from 1, with the same greatest operand; 0 if there is none.
    next: u32,
}

/// An operation of any number of operands.
type Key<K> = (K, SmallVec<[u32; 4]>);

/// A table of operations, each with its number.
#[derive(Debug)]
pub(crate) struct Same<K> {
    /// For each number, the last entry, counted from 1, whose greatest operand it is; 0 if there is none.
    heads: Vec<u32>,
    entries: Vec<Entry<K>>,
    others: FxHashMap<Key<K>, u32>,
    /// Of each open scope, how many entries and how many others there were before.
    open: Vec<(usize, usize)>,
    /// Those of the others that were entered in open scopes.
    entered: Vec<Key<K>>,
}

impl<K> Default for Same<K> {
    fn default() -> Self {
        Same::with_capacity(0)
    }
}

impl<K> Same<K> {
    /// A table with room for this many operations.
    pub(crate) fn with_capacity(operations: usize) -> Self {
        let (heads, entries) = (Vec::with_capacity(operations), Vec::with_capacity(operations));
        Same { heads, entries, others: FxHashMap::default(), open: Vec::new(), entered: Vec::new() }
    }
}

/// The greatest operand.
fn head(operands: &[u32]) -> usize {
    operands.iter().copied().max().unwrap_or(0) as usize
}

fn three(operands: &[u32]) -> Option<[u32; 3]> {
    let mut three = [u32::MAX; 3];
    three.get_mut(..operands.len())?.copy_from_slice(operands);
    Some(three)
}

impl<K: Copy + Eq + Hash> Same<K> {
    /// The place of an operation among the entries, or how many have the same greatest operand.
    fn place(&self, kind: K, operands: [u32; 3], head: usize) -> Result<usize, usize> {
        let (mut next, mut seen) = (self.heads.get(head).copied().unwrap_or(0), 0);
        while let Some(place) = (next as usize).checked_sub(1) {
            let entry = &self.entries[place];
            if entry.operands == operands && entry.kind == kind && entry.number != FORGOTTEN {
                return Ok(place);
            }
            (next, seen) = (entry.next, seen + 1);
        }
        Err(seen)
    }

    /// The number of an operation, if it has one.
    pub(crate) fn find(&self, kind: K, operands: &[u32]) -> Option<u32> {
        if let Some(three) = three(operands) {
            match self.place(kind, three, head(operands)) {
                Ok(place) => return Some(self.entries[place].number),
                Err(seen) if seen < CHAIN => return None,
                Err(_) => {}
            }
        }
        self.others.get(&(kind, SmallVec::from_slice(operands))).copied()
    }

    /// The number of an operation, which is this new one if it has none, as long as the scope is open.
    pub(crate) fn number(&mut self, kind: K, operands: &[u32], new: impl FnOnce() -> u32) -> u32 {
        if let Some(three) = three(operands) {
            let head = head(operands);
            match self.place(kind, three, head) {
                Ok(place) => return self.entries[place].number,
                Err(seen) if seen < CHAIN => {
                    if self.heads.len() <= head {
                        self.heads.resize(head + 1, 0);
                    }
                    let number = new();
                    self.entries.push(Entry { kind, operands: three, number, next: self.heads[head] });
                    self.heads[head] = u32::try_from(self.entries.len()).expect("there are fewer than 2^32 operations");
                    return number;
                }
                Err(_) => {}
            }
        }
        let key = (kind, SmallVec::from_slice(operands));
        if let Some(number) = self.others.get(&key) {
            return *number;
        }
        if !self.open.is_empty() {
            self.entered.push(key.clone());
        }
        let number = new();
        self.others.insert(key, number);
        number
    }

    /// Forgets an operation: it will have a new number.
    pub(crate) fn forget(&mut self, kind: K, operands: &[u32]) {
        let place = three(operands).and_then(|three| self.place(kind, three, head(operands)).ok());
        match place {
            Some(place) => self.entries[place].number = FORGOTTEN,
            None => {
                self.others.remove(&(kind, SmallVec::from_slice(operands)));
            }
        }
    }

    /// Opens a scope: what is entered from here on is forgotten when it is closed.
    pub(crate) fn open(&mut self) {
        self.open.push((self.entries.len(), self.entered.len()));
    }

    /// Closes the scope that was opened last.
    pub(crate) fn close(&mut self) {
        let (entries, entered) = self.open.pop().expect("a scope is open");
        // The last entry is the first of its chain.
        for Entry { operands, next, .. } in self.entries.drain(entries..).rev() {
            let operands = operands.split(|operand| *operand == u32::MAX).next().unwrap_or_default();
            self.heads[head(operands)] = next;
        }
        for key in self.entered.drain(entered..) {
            self.others.remove(&key);
        }
    }
}

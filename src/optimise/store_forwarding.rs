//! What has been written to arrays at indices that are numbers, to be found in one step.
//!
//! Law: reading an array at a constant index gives the last value written there, or else that of the array before all
//! these writes; writes that follow one another share one table, so that finding a value takes as long after many of
//! them as after one (tests/transform/simplify.rs).

use rustc_hash::FxHashMap;

use crate::array::{Atom, Var};

/// Writes that follow one another, at as many indices each.
#[derive(Debug)]
struct Line {
    /// The array before the first.
    from: Atom,
    /// How many indices each has.
    rank: usize,
    /// How many writes.
    count: usize,
    /// What was written at an index, each time after how many writes.
    values: FxHashMap<Vec<i64>, Vec<(usize, Atom)>>,
}

/// The writes that are known.
#[derive(Debug, Default)]
pub(super) struct Written {
    lines: Vec<Line>,
    /// The line of an array, and after how many of its writes.
    places: FxHashMap<Var, (usize, usize)>,
}

fn numbers(at: &[Atom]) -> Option<Vec<i64>> {
    at.iter().map(|i| i.as_int()).collect()
}

impl Written {
    /// A variable is an array with a value written at an index.
    pub(super) fn learn(&mut self, var: Var, array: Atom, at: &[Atom], value: Atom) {
        let Some(at) = numbers(at) else { return };
        let goes_on = |(line, after): &(usize, usize)| {
            let line = &self.lines[*line];
            line.count == *after && line.rank == at.len()
        };
        let known = array.var().and_then(|before| self.places.get(&before).copied());
        let line = known.filter(goes_on).map_or(self.lines.len(), |(line, _)| line);
        if line == self.lines.len() {
            self.lines.push(Line { from: array, rank: at.len(), count: 0, values: FxHashMap::default() });
        }
        let it = &mut self.lines[line];
        it.count += 1;
        it.values.entry(at).or_default().push((it.count, value));
        self.places.insert(var, (line, it.count));
    }

    /// An array or value in which the element of an array is, and how many of the indices have led there.
    pub(super) fn find(&self, array: Atom, at: &[Atom]) -> Option<(Atom, usize)> {
        let (line, after) = self.places.get(&array.var()?)?;
        let line = &self.lines[*line];
        let writes = line.values.get(&numbers(at.get(..line.rank)?)?);
        let last = writes.and_then(|writes| writes[..writes.partition_point(|(k, _)| k <= after)].last());
        Some(last.map_or((line.from, 0), |(_, value)| (*value, line.rank)))
    }
}

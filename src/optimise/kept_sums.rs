//! Sums that two maps over the same arrays make, made by the first and kept for the second.
//!
//! Law: of sums that two maps make of the same elements, the first makes each, and nothing is computed more often. A reverse derivative
//! executes again what it returns through ("Reverse AD for a Functional Array Language", *Tape by Redundant Execution &
//! Checkpointing*), and where adjoints depend on all that a map gave, that is two maps: of a product of a matrix and a list, as many
//! numbers are kept as it has rows, instead of as many products as the matrix has elements. It is done in functions of maps, where
//! what is kept is that of a few elements at a time (tests/execute/kept_sums.rs).

use core::hash::Hasher;
use rustc_hash::FxHashMap;

use super::dead_code;
use super::fuse_maps::{Value, write};
use super::rewriter::give;
use super::sizes::Written;
use crate::array::{Atom, Body, Builder, Map, Op, Program, SizeTable, Stm, Var, deeper};

/// Keeps sums where maps in the functions of maps make them again, and says whether there were any.
pub(super) fn kept_sums(program: &mut Program) -> bool {
    if !program.types.iter().any(|of| of.rank > 1) {
        return false;
    }
    let (sizes, builder) = (program.sizes(), Builder::extending(program));
    let values = vec![0; program.types.len()];
    let mut it = KeptSums { sizes, builder, values, known: FxHashMap::default(), changed: false };
    it.body(&mut program.function.body, 0, false);
    program.types = it.builder.into_types();
    if it.changed {
        dead_code::dead(program, Written::Lost);
    }
    it.changed
}

struct KeptSums {
    sizes: SizeTable,
    builder: Builder,
    /// What variables are, by number.
    values: Vec<Value>,
    /// The number of each value.
    known: FxHashMap<Vec<u8>, Value>,
    changed: bool,
}

/// A sum that a map makes again.
struct Again {
    map: usize,
    at: usize,
    /// The map that makes it first, and what it is there.
    first: usize,
    sum: Var,
}

/// What is written of a value, byte by byte: two values are the same only if that is.
#[derive(Default)]
struct Recorded(Vec<u8>);

impl Hasher for Recorded {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("bytes are compared, and not hashed")
    }
}

impl KeptSums {
    fn body(&mut self, body: &mut Body, depth: usize, in_map: bool) {
        deeper(|| {
            for stm in &mut body.stms {
                let inside = in_map || matches!(stm.op, Op::Map(_));
                stm.op.bodies_mut().for_each(|inner| self.body(inner, depth + 1, inside));
            }
        });
        let maps = body.stms.iter().filter(|stm| matches!(stm.op, Op::Map(_))).count();
        if in_map && maps > 1 {
            // From the last on, so that the places of those before stay.
            for again in self.made_again(&body.stms, depth).into_iter().rev() {
                self.keep(&mut body.stms, &again);
            }
        }
    }

    fn number(&mut self, recorded: Vec<u8>) -> Value {
        let next = self.known.len() as Value + 1;
        *self.known.entry(recorded).or_insert(next)
    }

    /// The sums of maps that maps over the same arrays made before.
    fn made_again(&mut self, stms: &[Stm], depth: usize) -> Vec<Again> {
        let (mut made, mut again) = (FxHashMap::<Value, (usize, Var)>::default(), Vec::new());
        for (k, stm) in stms.iter().enumerate() {
            let Op::Map(map) = &stm.op else { continue };
            for (param, array) in map.function.params.iter().zip(&map.arrays) {
                let mut recorded = Recorded::default();
                core::hash::Hash::hash(array, &mut recorded);
                self.values[param.0 as usize] = self.number(recorded.0);
            }
            for (at, stm) in map.function.body.stms.iter().enumerate() {
                let [var] = stm.vars[..] else { continue };
                let mut recorded = Recorded::default();
                write(&stm.op, &self.values, &mut FxHashMap::default(), &mut recorded);
                let value = self.number(recorded.0);
                self.values[var.0 as usize] = value;
                let (first, sum) = *made.entry(value).or_insert((k, var));
                let is_kept = || {
                    let Op::Map(other) = &stms[first].op else { return false };
                    sums_up(&stm.op)
                        && map.arrays.iter().any(|array| other.arrays.contains(array))
                        && self.sizes.all_visible(sum.into(), depth)
                };
                if first != k && is_kept() {
                    again.push(Again { map: k, at, first, sum });
                }
            }
        }
        again
    }

    /// Has the first map give a sum, and the other take it.
    fn keep(&mut self, stms: &mut [Stm], again: &Again) {
        let Stm { vars, op: Op::Map(first), .. } = &mut stms[again.first] else { panic!("a map") };
        let known = first.function.body.results.iter().position(|result| *result == again.sum.into());
        let array = match known {
            Some(known) => vars[known],
            None => give(&mut self.builder, vars, first, again.sum.into()),
        };
        let Op::Map(map) = &mut stms[again.map].op else { panic!("a map") };
        let Map { arrays, function, .. } = &mut **map;
        let stm = function.body.stms.remove(again.at);
        function.params.insert(arrays.len(), stm.vars[0]);
        arrays.push(Atom::Var(array));
        // What is new has no value that is known, as what is from outside.
        self.values.resize(self.builder.variables(), 0);
        self.changed = true;
    }
}

/// Whether an operation gives sums: what is kept of them is less than what they were made of.
fn sums_up(op: &Op) -> bool {
    match op {
        Op::Reduce(_) => true,
        Op::Map(map) => map.accumulators.is_empty() && map.function.body.stms.iter().any(|stm| sums_up(&stm.op)),
        _ => false,
    }
}

//! Maps of arrays that were joined from rows, written as maps of the rows.
//!
//! Law: `map g (concat xss) = concat (map (map g) xss)` (the promotion of a map, in Bird, *An Introduction to the Theory of Lists*). Where
//! an outer map makes the rows and another takes what becomes of each, all of it is one map over what the rows are made of, and neither
//! the rows nor what becomes of them are ever arrays as a whole: a recursion by levels goes down into its last levels, element by
//! element, and its derivative does so again. Nothing is computed more often (tests/transform/promotion.rs).
//!
//! It is done where the rows are of a few elements, so that there are enough of them to be shared out as they are, and together are more
//! than the nearest caches hold.

use super::rewriter::{Writer, rewrite};
use crate::array::{Atom, Const, Extent, Map, Op, Program, Stm, Var};

/// The fewest elements that all rows have: fewer are near enough to be read again.
const MIN_ELEMENTS: i64 = 1 << 13;

/// The most elements that are made of one.
const MAX_ROW: i64 = 16;

/// Writes maps of joined rows as maps of rows, if there are such.
pub(super) fn promote(program: &mut Program) -> bool {
    program.types.iter().any(|t| t.rank > 1)
        && rewrite(program, |writer, stm| match writer.promoted(stm) {
            Ok(promoted) => {
                writer.parts.changed = true;
                writer.push(promoted);
            }
            Err(stm) => writer.push(stm),
        })
}

/// Where the statements are that become one: the map that makes rows, the rows joined, the map of all their elements, and what it
/// gives in rows again.
struct Found {
    makes: usize,
    joined: usize,
    each: usize,
    parted: usize,
    /// Which array of the last map that is.
    operand: usize,
}

impl Writer<'_> {
    /// A map of what becomes of the elements of rows, with all of that in it.
    fn promoted(&mut self, stm: Stm) -> Result<Stm, Stm> {
        let Op::Map(map) = &stm.op else { return Err(stm) };
        let Some(found) = (0..map.arrays.len()).find_map(|operand| self.found(map, operand)) else { return Err(stm) };
        let [makes, each] = [found.makes, found.each].map(|at| {
            let Op::Map(map) = &self.stms[at].op else { panic!("a map") };
            ((**map).clone(), self.stms[at].span)
        });
        let Stm { vars, op: Op::Map(mut map), span } = stm else { panic!("a map") };
        let builder = &self.parts.builder;
        // The rows that an element is made into, as its function names them, and what becomes of their elements.
        let becomes = map.function.params.remove(found.operand);
        map.arrays.remove(found.operand);
        let mut stms = Vec::new();
        for (param, array) in makes.0.function.params.into_iter().zip(makes.0.arrays) {
            match map.arrays.iter().position(|other| *other == array) {
                Some(known) => {
                    let known = Op::Copy(map.function.params[known].into());
                    stms.push(Stm { span: makes.1, ..builder.stm([param].into_iter().collect(), known) });
                }
                None => {
                    map.function.params.insert(map.arrays.len(), param);
                    map.arrays.push(array);
                }
            }
        }
        stms.extend(makes.0.function.body.stms);
        let inner = Map { arrays: makes.0.function.body.results, ..each.0 };
        stms.push(Stm { span: each.1, ..builder.stm([becomes].into_iter().collect(), Op::Map(Box::new(inner))) });
        stms.append(&mut map.function.body.stms);
        map.function.body.stms = stms;
        let mut gone = [found.makes, found.joined, found.each, found.parted];
        gone.sort_unstable();
        for at in gone.iter().rev() {
            let Stm { vars, .. } = self.stms.remove(*at);
            self.at.retain(|var, _| !vars.contains(var));
        }
        for at in self.at.values_mut() {
            *at -= gone.iter().filter(|gone| **gone < *at).count();
        }
        Ok(Stm { vars, op: Op::Map(map), span })
    }

    fn found(&self, map: &Map, operand: usize) -> Option<Found> {
        let sizes = |atom: Atom| -> Vec<Extent> {
            let sizes = &self.parts.facts.sizes;
            sizes.of(atom).iter().map(|extent| sizes.resolve(*extent)).collect()
        };
        let [each, parted] = self.reshaped(map.arrays[operand])?;
        let [joined, rows] = {
            let [array] = self.map_of(each)?.arrays[..] else { return None };
            self.reshaped(array).map(|[rows, joined]| [joined, rows])?
        };
        self.map_of(rows)?;
        let (of_rows, of_joined, of_each, of_parted) =
            (sizes(rows.into()), sizes(joined.into()), sizes(each.into()), sizes(parted.into()));
        let joins = of_rows.len() == of_joined.len() + 1 && of_rows[2..] == of_joined[1..];
        let parts = of_parted.len() == of_each.len() + 1 && of_parted[2..] == of_each[1..];
        let are_rows = joins && parts && of_rows[..2] == of_parted[..2];
        let count: Option<Vec<i64>> = of_rows.iter().map(literal).collect();
        let [outer, row @ ..] = &count?[..] else { return None };
        let row = row.iter().fold(1_i64, |n, size| n.saturating_mul(*size));
        let is_fit = row <= MAX_ROW && outer.saturating_mul(row) >= MIN_ELEMENTS;
        let position = |var: Var| self.stms.iter().rposition(|stm| stm.vars[..] == [var]);
        (are_rows && is_fit).then_some(())?;
        Some(Found {
            makes: position(rows)?,
            joined: position(joined)?,
            each: position(each)?,
            parted: position(parted)?,
            operand,
        })
    }

    /// The map of this body that gives an array alone, which one statement uses.
    fn map_of(&self, var: Var) -> Option<&Map> {
        let at = *self.at.get(&var).filter(|_| self.parts.is_used_once(var.into()))?;
        let Stm { vars, op: Op::Map(map), .. } = &self.stms[at] else { return None };
        (map.accumulators.is_empty() && vars[..] == [var]).then_some(&**map)
    }

    /// An array in other sizes that one statement uses: what has it, and it.
    fn reshaped(&self, array: Atom) -> Option<[Var; 2]> {
        let Some(Op::Reshape(of, _)) = self.parts.facts.op(array).filter(|_| self.parts.is_used_once(array)) else {
            return None;
        };
        Some([of.var()?, array.var()?])
    }
}

fn literal(extent: &Extent) -> Option<i64> {
    match extent {
        Extent::Number(Atom::Const(Const::I64(n))) => Some(*n),
        _ => None,
    }
}

//! Accumulators turned back into ordinary code where every element of a map adds to a place that the element's number
//! alone decides.
//!
//! Law: adding commutes, so what is added can be added later and at once (tests/transform/simplify.rs, laws:
//! simplification).
//!
//! In a map over `n` elements,
//!
//! - `acc with [k] += e`, where `k` is the same for all elements: the map gives the array of all `e`, whose sum is added
//!   after the map;
//! - `acc with [k, i] += e`, where `i` is the number of the element, and dimension `i` of `acc` has size `n`: the map
//!   gives the array of all `e`, which is added at `[k]` after the map;
//! - `acc with [q] += e` for any other one index, if nothing else is added: the map gives all `q` and `e`, and a
//!   histogram adds them.
//!
//! Sums of arrays are left to the accumulator where these, or what they are made of, would have to be kept in an array
//! first. Bodies are treated from the inside out, since what is added after a map is added in the body around it. What is
//! added at `[]` before an accumulator is read is added to what is read ("Reverse AD for a Functional Array Language", *Optimizing Generalized Reductions*).

use super::definitions::Facts;
use super::rewriter::{Inner, Writer, added, give, inner, rewrite, sum, sums, zero_element};
use crate::array::{Atom, Body, Class, Hist, Map, Op, Prim, Program, Role, Stm, Type, Var, Vars, atoms_of};

/// Leaves a program the accumulators that it needs, if that are fewer uses of them.
pub(super) fn regular(program: &mut Program) -> bool {
    program.types.iter().any(|t| t.accumulator) && rewrite(program, |writer, stm| writer.statement(stm, false))
}

/// The same, and sums arrays also where what these are made of is kept for all elements.
pub(super) fn all_regular(program: &mut Program) -> bool {
    program.types.iter().any(|t| t.accumulator) && rewrite(program, |writer, stm| writer.statement(stm, true))
}

/// Something that is added in a map, and can be added after it.
struct Addition {
    /// Which accumulator of the map.
    to: usize,
    /// Where, but for a last index that numbers the elements.
    place: Vec<Atom>,
    numbered: bool,
    value: Atom,
}

impl Writer<'_> {
    fn statement(&mut self, stm: Stm, all: bool) {
        match stm.op {
            Op::Map(map) if !map.accumulators.is_empty() => self.map(stm.vars, *map, all),
            Op::FromAccumulator(accumulator) => self.read(stm.vars[0], accumulator),
            op => self.push(Stm { op, ..stm }),
        }
    }

    /// A map; what is regular in it is added after it.
    fn map(&mut self, mut vars: Vars, mut map: Map, all: bool) {
        let additions = self.additions(&mut map, all);
        self.parts.changed |= !additions.is_empty();
        let values = vars.len() - map.accumulators.len();
        let give = |it: &Addition| give(&mut self.parts.builder, &mut vars, &mut map, it.value);
        let arrays: Vec<Var> = additions.iter().map(give).collect();
        let values = values + arrays.len();
        let mut wanted: Vec<(Var, Atom)> = Vec::new();
        for it in additions.iter().map(|it| it.to) {
            let after = vars[values + it];
            if wanted.iter().all(|(var, _)| *var != after) {
                let before = self.parts.builder.fresh(self.parts.builder.type_of(after));
                wanted.push((after, before.into()));
            }
        }
        let before = |v: &Var| wanted.iter().find(|(after, _)| after == v).and_then(|(_, before)| before.var());
        let named: Vars = vars.iter().map(|v| before(v).unwrap_or(*v)).collect();
        self.bind(named, Op::Map(Box::new(map)));
        for (it, array) in additions.into_iter().zip(arrays) {
            let total = if it.numbered {
                array.into()
            } else {
                self.write(|b| {
                    let zero = zero_element(b, array.into());
                    sum(b, array.into(), zero)
                })
            };
            let (_, now) = wanted.iter_mut().find(|(var, _)| *var == vars[values + it.to]).expect("it is added to");
            *now = self.write(|b| b.one(Op::Accumulate(*now, it.place, total)));
        }
        for (var, last) in wanted {
            self.bind([var], Op::Copy(last));
        }
    }

    /// Takes out of a map what can be added after it.
    fn additions(&mut self, map: &mut Map, all: bool) -> Vec<Addition> {
        let mut found = Vec::new();
        let values = map.function.body.results.len() - map.accumulators.len();
        for to in 0..map.accumulators.len() {
            let chain = chain(&map.function.body, map.function.body.results[values + to]);
            for k in chain {
                if let Op::Accumulate(before, at, value) = &map.function.body.stms[k].op
                    && let Some((place, numbered)) = self.place(map, to, at)
                    && self.parts.facts.sizes.all_visible(*value, self.depth)
                    && (numbered || self.summed(map, *value, all))
                {
                    found.push(Addition { to, place, numbered, value: *value });
                    map.function.body.stms[k].op = Op::Copy(*before);
                }
            }
        }
        found
    }

    /// Whether the sum of a value over all elements needs no array of arrays that was not there.
    fn summed(&self, map: &Map, value: Atom, all: bool) -> bool {
        let Atom::Var(var) = value else { return true };
        let of = self.parts.builder.type_of(value);
        let copies = || matches!(self.parts.facts.op(value), Some(Op::Replicate(n, _)) if self.parts.facts.sizes.visible(*n, self.depth));
        of.rank == 0
            || map.function.params.contains(&var)
            || copies()
            || self.parts.is_used_once(value)
                && inner(&map.function.body, value).is_some_and(|it| all || self.is_of_near(&map.function.body, &it))
    }

    /// Whether a map in a body, for one of its results, is of nothing that would have to be kept for all elements.
    fn is_of_near(&self, body: &Body, it: &Inner) -> bool {
        let mut near = it.map.arrays.iter().all(|array| self.is_near(body, *array));
        it.body.stms.iter().for_each(|stm| atoms_of(&stm.op, &mut |atom| near &= self.is_near(body, atom)));
        near
    }

    /// Whether a value of a body is a scalar, or what is there without an array for it: it is not made in the body, is a
    /// part of what is not, or the result of a map for this use alone.
    fn is_near(&self, body: &Body, value: Atom) -> bool {
        let Atom::Var(var) = value else { return true };
        let Some(stm) = body.stms.iter().find(|stm| stm.vars.contains(&var)) else { return true };
        self.parts.builder.type_of(value).rank == 0
            || match &stm.op {
                Op::Map(_) => {
                    self.parts.is_used_once(value) && inner(body, value).is_some_and(|it| self.is_of_near(body, &it))
                }
                Op::Iota(_) | Op::Replicate(..) => true,
                op if op.class() == Class::View => {
                    let mut near = true;
                    op.operands(|of, role| near &= role != Role::Value || self.is_near(body, of));
                    near
                }
                _ => false,
            }
    }

    /// Where all elements of a map add to, if that is regular; and whether a last index numbers them.
    fn place(&self, map: &Map, to: usize, at: &[Atom]) -> Option<(Vec<Atom>, bool)> {
        let facts = &self.parts.facts;
        let outside = |at: &[Atom]| at.iter().all(|a| facts.sizes.visible(*a, self.depth));
        if outside(at) {
            return Some((at.to_vec(), false));
        }
        let (last, before) = at.split_last()?;
        let numbers =
            |(param, array): (&Var, &Atom)| Atom::Var(*param) == *last && matches!(facts.op(*array), Some(Op::Iota(_)));
        let numbered = map.function.params.iter().zip(&map.arrays).any(numbers);
        let size = facts.sizes.of(map.accumulators[to])[before.len()];
        (outside(before) && numbered && size == facts.sizes.of(map.arrays[0])[0]).then(|| (before.to_vec(), true))
    }

    /// An accumulator that becomes an array: what was added at no index, and in one map only at one, is added to the array.
    fn read(&mut self, var: Var, accumulator: Atom) {
        let mut terms = Vec::new();
        let mut bins = Vec::new();
        let mut now = accumulator;
        while let Atom::Var(bound) = now
            && let Some(k) = self.at.get(&bound).copied()
        {
            match &mut self.stms[k].op {
                Op::Copy(before) => now = *before,
                Op::Accumulate(before, at, value) => {
                    let (before, value) = (*before, *value);
                    if at.is_empty() {
                        terms.push(value);
                        self.stms[k].op = Op::Copy(before);
                    }
                    now = before;
                }
                Op::Map(_) => {
                    let Stm { vars, op: Op::Map(map), .. } = &mut self.stms[k] else { panic!("a map") };
                    let to = vars.iter().position(|v| *v == bound).expect("the map gives it") + map.accumulators.len()
                        - vars.len();
                    now = map.accumulators[to];
                    if let Some((index, value)) = only(&self.parts.facts, self.depth, map, to) {
                        let mut give = |result| give(&mut self.parts.builder, vars, map, result);
                        bins.push((give(index), give(value)));
                        self.parts.learn(&self.stms[k], self.depth);
                    }
                }
                _ => break,
            }
        }
        if terms.is_empty() && bins.is_empty() {
            return self.bind([var], Op::FromAccumulator(accumulator));
        }
        self.parts.changed = true;
        let array = self.write(|b| b.one(Op::FromAccumulator(accumulator)));
        let filled = bins.into_iter().rev().fold(array, |array, (at, values)| self.histogram(array, at, values.into()));
        let total = terms.into_iter().rev().fold(filled, |total, term| self.write(|b| added(b, total, term)));
        self.bind([var], Op::Copy(total));
    }

    /// Values added to the bins of an array.
    fn histogram(&mut self, array: Atom, indices: Var, values: Atom) -> Atom {
        let of = self.parts.builder.type_of(values).element();
        debug_assert_eq!(self.parts.builder.type_of(indices), Type::array(Prim::I64, 1), "indices are numbers");
        self.write(|b| {
            let neutral = zero_element(b, array);
            let operator = sums(b, of);
            let (neutral, destinations, values) = (vec![neutral], vec![array], vec![values]);
            b.one(Op::Hist(Box::new(Hist { operator, neutral, destinations, indices: indices.into(), values })))
        })
    }
}

/// The index and the value of the one addition of a map to an accumulator, which is taken out of it.
fn only(facts: &Facts, depth: usize, map: &mut Map, to: usize) -> Option<(Atom, Atom)> {
    let values = map.function.body.results.len() - map.accumulators.len();
    let chain = chain(&map.function.body, map.function.body.results[values + to]);
    let stms = &mut map.function.body.stms;
    let changes: Vec<usize> = chain.into_iter().filter(|k| !matches!(stms[*k].op, Op::Copy(_))).collect();
    let [k] = changes[..] else { return None };
    let Op::Accumulate(before, at, value) = &stms[k].op else { return None };
    let (index, value, before) = (*at.first().filter(|_| at.len() == 1)?, *value, *before);
    if !facts.sizes.all_visible(value, depth) {
        return None;
    }
    stms[k].op = Op::Copy(before);
    Some((index, value))
}

/// The statements of a body that an accumulator goes through, the last first.
fn chain(body: &Body, result: Atom) -> Vec<usize> {
    let (mut found, mut now) = (Vec::new(), result);
    for (k, stm) in body.stms.iter().enumerate().rev() {
        let Some(place) = stm.vars.iter().position(|v| Atom::Var(*v) == now) else { continue };
        now = match &stm.op {
            Op::Copy(before) | Op::Accumulate(before, ..) => *before,
            Op::Map(map) => map.accumulators[place + map.accumulators.len() - stm.vars.len()],
            Op::Loop(it) => it.params[place].1,
            // What came before a branch is not followed.
            _ => {
                found.push(k);
                return found;
            }
        };
        found.push(k);
    }
    found
}

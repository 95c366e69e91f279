//! Sums of arrays, and transposed arrays, written as maps of sums, and as maps the other way around.
//!
//! Law: `Σⱼ map (λx. eⱼ(x)) xs = map (λx. Σⱼ eⱼ(x)) xs`, and the transpose of `map (λx. map (λy. e) ys) xs` is
//! `map (λy. map (λx. e) xs) ys`. Arrays that a map of arrays would give only to be summed are so never made, and the
//! adjoints of a matrix product are two matrix products. It is done only where nothing is computed twice for it; other
//! sums of arrays are the sums of their columns ("vectorised operators by interchange", in "Reverse AD for a Functional
//! Array Language", *Differentiating an Arbitrary Reduce Operation*) (tests/transform/simplify.rs,
//! tests/transform/work.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::definitions::Facts;
use super::nested_maps::{Inner, inner, uses};
use super::operator::{Operator, recognise};
use super::rewriter::{Copy, Parts, mapped, sum};
use crate::array::atoms_of;
use crate::array::{Atom, Body, Builder, Map, Op, Program, Reduce, Stm, Var, Vars};

/// Writes sums inside of maps, if there are sums or transposed arrays to write so.
pub(super) fn interchange(program: &mut Program) -> bool {
    if !program.types.iter().any(|t| t.rank > 1) {
        return false;
    }
    let (uses, mut changed) = (uses(program), false);
    Parts::rewrite(program, |parts, body, depth| {
        let stms = Vec::with_capacity(body.stms.len());
        let mut writer = Writer { parts, uses: &uses, depth, stms, at: FxHashMap::default(), changed: false };
        body.stms.into_iter().for_each(|stm| writer.stm(stm));
        changed |= writer.changed;
        Body { stms: writer.stms, results: body.results }
    });
    changed
}

/// A body that is written.
struct Writer<'a> {
    parts: &'a mut Parts,
    /// How often the variables of the program are used.
    uses: &'a [usize],
    depth: usize,
    stms: Vec<Stm>,
    /// The map that gives an array.
    at: FxHashMap<Var, usize>,
    changed: bool,
}

/// A map whose elements are used for one thing only, and one of its results.
struct Source {
    /// Where the map is.
    at: usize,
    /// The result of its function.
    result: Atom,
}

impl Writer<'_> {
    fn stm(&mut self, stm: Stm) {
        let around = self.parts.builder.span(stm.span);
        let done = match &stm.op {
            Op::Reduce(it) => self.sum(stm.vars[0], it),
            Op::Permute(array, order) => self.transpose(stm.vars[0], *array, order),
            _ => false,
        };
        self.parts.builder.span(around);
        self.changed |= done;
        if !done {
            self.push(stm);
        }
    }

    fn push(&mut self, stm: Stm) {
        self.parts.learn(&stm, self.depth);
        if matches!(stm.op, Op::Map(_)) {
            self.at.extend(stm.vars.iter().map(|v| (*v, self.stms.len())));
        }
        self.stms.push(stm);
    }

    /// Binds a variable to what is written.
    fn bind(&mut self, var: Var, write: impl FnOnce(&mut Builder) -> Atom) -> bool {
        let (stms, value) = self.parts.written(write);
        stms.into_iter().for_each(|stm| self.push(stm));
        self.push(self.parts.builder.stm(Vars::from_iter([var]), Op::Copy(value)));
        true
    }

    fn facts(&self) -> &Facts {
        &self.parts.facts
    }

    fn used_once(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.uses.get(var.0 as usize) == Some(&1))
    }

    /// The sum of an array of arrays.
    fn sum(&mut self, var: Var, it: &Reduce) -> bool {
        let ([array], [neutral]) = (&it.arrays[..], &it.neutral[..]) else { return false };
        let (array, neutral) = (*array, *neutral);
        let sizes = &self.facts().sizes.of(array)[1..];
        let fits = !sizes.is_empty() && sizes == self.facts().sizes.of(neutral);
        if !fits || !self.facts().is_zero(neutral) || recognise(&it.operator) != Operator::Sum {
            return false;
        }
        let Some(element) = self.facts().copied(neutral) else { return false };
        if let Some(source) = self.source(array) {
            if let Some(inner) = self.inner(&source) {
                return self.sum_of_maps(var, &source, &inner, element);
            }
            if let Some((count, value)) = self.copies(&source) {
                let values = self.export(source.at, value);
                return self.bind(var, |b| {
                    let total = sum(b, values, element);
                    b.one(Op::Replicate(count, total))
                });
            }
        }
        self.bind(var, |b| {
            let rank = b.type_of(array).rank;
            let order = [1, 0].into_iter().chain(2..rank).collect();
            let columns = b.one(Op::Permute(array, order));
            mapped(b, vec![columns], |b, x| vec![sum(b, x[0].into(), element)])[0]
        })
    }

    /// The map that gives an array which nothing else uses.
    fn source(&self, array: Atom) -> Option<Source> {
        let Atom::Var(var) = array else { return None };
        let at = *self.at.get(&var).filter(|_| self.used_once(array))?;
        let Stm { vars, op: Op::Map(map), .. } = &self.stms[at] else { return None };
        let result = map.function.body.results[vars.iter().position(|v| *v == var)?];
        self.used_once(result).then_some(Source { at, result })
    }

    fn function(&self, at: usize) -> &Map {
        let Op::Map(map) = &self.stms[at].op else { panic!("a map") };
        map
    }

    /// The copies that the function of a map gives, if they are that, and as many for each element.
    fn copies(&self, source: &Source) -> Option<(Atom, Atom)> {
        let Some(Op::Replicate(count, value)) = self.facts().op(source.result) else { return None };
        (self.facts().sizes.visible(*count, self.depth) && !self.facts().sizes.visible(*value, self.depth))
            .then_some((*count, *value))
    }

    fn inner(&self, source: &Source) -> Option<Inner> {
        inner(&self.function(source.at).function.body, source.result)
    }

    /// The array of a value of the function of a map, which becomes one more of its results if it is not an operand.
    fn export(&mut self, at: usize, value: Atom) -> Atom {
        let map = self.function(at);
        if let Some(k) = map.function.params.iter().position(|p| Atom::Var(*p) == value) {
            return map.arrays[k];
        }
        if let Some(k) = map.function.body.results.iter().position(|a| *a == value) {
            return self.stms[at].vars[k].into();
        }
        let array = self.parts.builder.fresh(self.parts.builder.type_of(value).arrayed());
        let Stm { vars, op: Op::Map(map), .. } = &mut self.stms[at] else { panic!("a map") };
        let values = vars.len() - map.accumulators.len();
        vars.insert(values, array);
        map.function.body.results.insert(values, value);
        let stm = self.stms[at].clone();
        self.parts.learn(&stm, self.depth);
        array.into()
    }

    /// What the statements of an inner map mention of the function of the map around it.
    fn mentioned(&self, inner: &Inner) -> Vec<Atom> {
        let mut found = Vec::new();
        let mut visit = |a: Atom| {
            let around = self.facts().sizes.visible(a, self.depth + 1) && !self.facts().sizes.visible(a, self.depth);
            if around && !found.contains(&a) {
                found.push(a);
            }
        };
        inner.stms.iter().for_each(|stm| atoms_of(&stm.op, &mut visit));
        visit(inner.result);
        found
    }

    /// The operands of an inner map whose elements are needed; at least one, to say how many there are.
    fn operands(&self, inner: &Inner) -> Vec<(Var, Atom)> {
        let mut used: FxHashSet<Atom> = [inner.result].into_iter().collect();
        inner.stms.iter().for_each(|stm| atoms_of(&stm.op, &mut |a| used.extend([a])));
        let all = || inner.map.function.params.iter().copied().zip(inner.map.arrays.iter().copied());
        let needed: Vec<(Var, Atom)> = all().filter(|(p, _)| used.contains(&Atom::Var(*p))).collect();
        if !needed.is_empty() {
            return needed;
        }
        let outside = all().find(|(_, a)| self.facts().sizes.visible(*a, self.depth));
        outside.or_else(|| all().next()).into_iter().collect()
    }

    /// `Σⱼ map (λx. eⱼ(x)) xs = map (λx. Σⱼ eⱼ(x)) xs`, with transposed arrays where `xs` is different for each `j`.
    fn sum_of_maps(&mut self, var: Var, source: &Source, inner: &Inner, zero: Atom) -> bool {
        let (operands, mentioned) = (self.operands(inner), self.mentioned(inner));
        let same = |to: &Self, a: Atom| to.facts().sizes.visible(a, to.depth);
        let shared: Vec<(Var, Atom)> = operands.iter().copied().filter(|(_, a)| same(self, *a)).collect();
        let own: Vec<(Var, Atom)> = operands.iter().copied().filter(|(_, a)| !same(self, *a)).collect();
        let columns: Vec<Atom> = own.iter().map(|(_, a)| self.export(source.at, *a)).collect();
        let mut rows: Vec<Atom> = mentioned.iter().map(|a| self.export(source.at, *a)).collect();
        if rows.is_empty() && own.is_empty() {
            rows.push(self.function(source.at).arrays[0]);
        }
        let of_source = self.stms[source.at].span;
        self.bind(var, |b| {
            let transposed = columns.iter().map(|a| {
                let order = [1, 0].into_iter().chain(2..b.type_of(*a).rank).collect();
                b.one(Op::Permute(*a, order))
            });
            let transposed: Vec<Atom> = transposed.collect();
            let outer = shared.iter().map(|(_, a)| *a).chain(transposed).collect();
            // A map compares what it compared, whichever is the outer one.
            let of_sum = b.span(inner.span);
            let sums = mapped(b, outer, |b, x| {
                b.span(of_source);
                let (of_shared, of_own) = x.split_at(shared.len());
                let around: Vec<Atom> = rows.iter().copied().chain(of_own.iter().copied().map(Atom::Var)).collect();
                let values = mapped(b, around, |b, y| {
                    let (of_rows, of_own) = y.split_at(rows.len());
                    let params = shared.iter().zip(of_shared).chain(own.iter().zip(of_own));
                    let mut values: FxHashMap<Var, Atom> = params.map(|((p, _), x)| (*p, (*x).into())).collect();
                    values.extend(renamed(&mentioned, of_rows));
                    vec![copied(b, inner, values)]
                });
                b.span(of_sum);
                let total = sum(b, values[0], zero);
                b.span(inner.span);
                vec![total]
            });
            b.span(of_sum);
            sums[0]
        })
    }

    /// `transpose (map (λx. map (λy. e) ys) xs) = map (λy. map (λx. e) xs) ys`
    fn transpose(&mut self, var: Var, array: Atom, order: &[usize]) -> bool {
        if !(order.len() >= 2 && order[..2] == [1, 0] && order[2..].iter().copied().eq(2..order.len())) {
            return false;
        }
        let Some(source) = self.source(array) else { return false };
        let Some(inner) = self.inner(&source) else { return false };
        let (operands, mentioned) = (self.operands(&inner), self.mentioned(&inner));
        if !operands.iter().all(|(_, a)| self.facts().sizes.visible(*a, self.depth)) {
            return false;
        }
        let mut rows: Vec<Atom> = mentioned.iter().map(|a| self.export(source.at, *a)).collect();
        if rows.is_empty() {
            rows.push(self.function(source.at).arrays[0]);
        }
        let of_source = self.stms[source.at].span;
        self.bind(var, |b| {
            let around = b.span(inner.span);
            let columns = mapped(b, operands.iter().map(|(_, a)| *a).collect(), |b, x| {
                b.span(of_source);
                let column = mapped(b, rows, |b, y| {
                    let mut values: FxHashMap<Var, Atom> =
                        operands.iter().zip(x).map(|((p, _), x)| (*p, (*x).into())).collect();
                    values.extend(renamed(&mentioned, y));
                    vec![copied(b, &inner, values)]
                });
                b.span(inner.span);
                column
            });
            b.span(around);
            columns[0]
        })
    }
}

fn renamed<'a>(old: &'a [Atom], new: &'a [Var]) -> impl Iterator<Item = (Var, Atom)> + 'a {
    old.iter()
        .zip(new)
        .filter_map(|(old, new)| if let Atom::Var(old) = old { Some((*old, (*new).into())) } else { None })
}

/// The result of an inner map's function, written again.
fn copied(builder: &mut Builder, inner: &Inner, values: FxHashMap<Var, Atom>) -> Atom {
    let mut copy = Copy::new(builder, values);
    inner.stms.iter().for_each(|stm| copy.stm(stm));
    crate::array::Rebuild::atom(&copy, inner.result)
}

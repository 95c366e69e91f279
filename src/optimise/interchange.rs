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
use super::operator::{Operator, recognise};
use super::rewriter::{Inner, Writer, give, inner, mapped, rewrite, sum};
use crate::array::{Atom, Builder, Map, Op, Program, Reduce, Stm, Var};
use crate::array::{atoms_in, atoms_of};

/// Writes sums inside of maps, if there are sums or transposed arrays to write so.
pub(super) fn interchange(program: &mut Program) -> bool {
    program.types.iter().any(|t| t.rank > 1)
        && rewrite(program, |writer, stm| {
            let done = match &stm.op {
                Op::Reduce(it) => writer.sum(stm.vars[0], it),
                Op::Permute(array, order) => writer.transpose(stm.vars[0], *array, order),
                _ => false,
            };
            writer.parts.changed |= done;
            if !done {
                writer.push(stm);
            }
        })
}

/// A map whose elements are used for one thing only, and one of its results.
struct Source {
    /// Where the map is.
    at: usize,
    /// The result of its function.
    result: Atom,
}

impl Writer<'_> {
    /// Binds a variable to what is written.
    fn set(&mut self, var: Var, write: impl FnOnce(&mut Builder) -> Atom) -> bool {
        let value = self.write(write);
        self.bind([var], Op::Copy(value));
        true
    }

    fn facts(&self) -> &Facts {
        &self.parts.facts
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
                return self.set(var, |b| {
                    let total = sum(b, values, element);
                    b.one(Op::Replicate(count, total))
                });
            }
        }
        self.set(var, |b| {
            let columns = transposed(b, array);
            mapped(b, vec![columns], |b, x| vec![sum(b, x[0].into(), element)])[0]
        })
    }

    /// The map that gives an array which nothing else uses.
    fn source(&self, array: Atom) -> Option<Source> {
        let var = array.var()?;
        let at = *self.at.get(&var).filter(|_| self.parts.is_used_once(array))?;
        let Stm { vars, op: Op::Map(map), .. } = &self.stms[at] else { return None };
        let result = map.function.body.results[vars.iter().position(|v| *v == var)?];
        self.parts.is_used_once(result).then_some(Source { at, result })
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
        let Stm { vars, op: Op::Map(map), .. } = &mut self.stms[at] else { panic!("a map") };
        let array = give(&mut self.parts.builder, vars, map, value);
        self.parts.learn(&self.stms[at], self.depth);
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
        inner.body.stms.iter().for_each(|stm| atoms_of(&stm.op, &mut visit));
        visit(inner.body.results[0]);
        found
    }

    /// The operands of an inner map whose elements are needed; at least one, to say how many there are.
    fn operands(&self, inner: &Inner) -> Vec<(Var, Atom)> {
        let mut used: FxHashSet<Atom> = FxHashSet::default();
        atoms_in(&inner.body, &mut |a| used.extend([a]));
        let all = || inner.map.function.params.iter().copied().zip(inner.map.arrays.iter().copied());
        let needed: Vec<(Var, Atom)> = all().filter(|(p, _)| used.contains(&Atom::Var(*p))).collect();
        if !needed.is_empty() {
            return needed;
        }
        let outside = all().find(|(_, a)| self.facts().sizes.visible(*a, self.depth));
        outside.or_else(|| all().next()).into_iter().collect()
    }

    /// `Σⱼ map (λx. eⱼ(x)) xs = map (λx. Σⱼ eⱼ(x)) xs`
    fn sum_of_maps(&mut self, var: Var, source: &Source, inner: &Inner, zero: Atom) -> bool {
        self.turned(var, source, inner, |b, column| sum(b, column, zero))
    }

    /// `transpose (map (λx. map (λy. e) ys) xs) = map (λy. map (λx. e) xs) ys`
    fn transpose(&mut self, var: Var, array: Atom, order: &[usize]) -> bool {
        if !(order.len() >= 2 && order[..2] == [1, 0] && order[2..].iter().copied().eq(2..order.len())) {
            return false;
        }
        let Some(source) = self.source(array) else { return false };
        let Some(inner) = self.inner(&source) else { return false };
        let is_outside = |(_, a): &(Var, Atom)| self.facts().sizes.visible(*a, self.depth);
        self.operands(&inner).iter().all(is_outside) && self.turned(var, &source, &inner, |_, column| column)
    }

    /// A map in a map the other way around, with transposed arrays where what the inner one goes over is different for each element
    /// of the outer one. `finish` says what becomes of each column.
    fn turned(
        &mut self,
        var: Var,
        source: &Source,
        inner: &Inner,
        finish: impl FnOnce(&mut Builder, Atom) -> Atom,
    ) -> bool {
        let (operands, mentioned) = (self.operands(inner), self.mentioned(inner));
        let is_shared = |(_, a): &(Var, Atom)| self.facts().sizes.visible(*a, self.depth);
        let (shared, own): (Vec<_>, Vec<_>) = operands.into_iter().partition(is_shared);
        let columns: Vec<Atom> = own.iter().map(|(_, a)| self.export(source.at, *a)).collect();
        let mut rows: Vec<Atom> = mentioned.iter().map(|a| self.export(source.at, *a)).collect();
        if rows.is_empty() && own.is_empty() {
            rows.push(self.function(source.at).arrays[0]);
        }
        let of_source = self.stms[source.at].span;
        self.set(var, |b| {
            let transposed = columns.iter().map(|a| transposed(b, *a)).collect::<Vec<_>>();
            let outer = shared.iter().map(|(_, a)| *a).chain(transposed).collect();
            // A map compares what it compared, whichever is the outer one.
            let around = b.span(inner.span);
            let columns = mapped(b, outer, |b, x| {
                b.span(of_source);
                let (of_shared, of_own) = x.split_at(shared.len());
                let arrays = rows.iter().copied().chain(of_own.iter().copied().map(Atom::Var)).collect();
                let column = mapped(b, arrays, |b, y| {
                    let (of_rows, of_own) = y.split_at(rows.len());
                    let params = shared.iter().zip(of_shared).chain(own.iter().zip(of_own));
                    let mut values: FxHashMap<Var, Atom> = params.map(|((p, _), x)| (*p, (*x).into())).collect();
                    values.extend(renamed(&mentioned, of_rows));
                    b.copied(inner.body.clone(), values)
                });
                b.span(around);
                let column = finish(b, column[0]);
                b.span(inner.span);
                vec![column]
            });
            b.span(around);
            columns[0]
        })
    }
}

/// An array with its two outermost dimensions exchanged.
fn transposed(b: &mut Builder, array: Atom) -> Atom {
    let order = [1, 0].into_iter().chain(2..b.type_of(array).rank).collect();
    b.one(Op::Permute(array, order))
}

fn renamed<'a>(old: &'a [Atom], new: &'a [Var]) -> impl Iterator<Item = (Var, Atom)> + 'a {
    old.iter().zip(new).filter_map(|(old, new)| Some((old.var()?, (*new).into())))
}

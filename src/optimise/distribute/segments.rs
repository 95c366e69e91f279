//! Reductions in two steps: one of parts of the elements, by threads of their own, and one of what these have found.
//!
//! Law: only an operator that commutes combines elements in another order; the neutral element is combined with once
//! (tests/gpu/distribute.rs, tests/laws/executors.rs).
//!
//! Parts that are few enough for a workgroup are put together there, where the machine has such (execute/gpu/rows.rs).
//!
//! It is the segmented reduction of "Futhark: Purely Functional GPU-Programming with Nested Parallelism and In-Place Array
//! Updates", with parts in the place of workgroups.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Distribution;
use crate::array::{
    Agreement, Atom, Body, Builder, Form, IntegerRow, Lambda, Loop, Map, Op, Policy, Reduce, ScalarOp, Stm, Type, Var,
    atoms_of, index,
};
use crate::optimise::rewriter::{agree_lengths, mapped};

/// Parts may have this many times less work than what is worth a statement: they run side by side.
const PARTS: u64 = 8;
/// This many parts of a reduction, or fewer, are put together by the threads that have found them.
const AT_ONCE: u64 = 64;

impl Distribution {
    /// A body that `threads` threads execute, with reductions in parts where there is work for more threads.
    pub(super) fn reductions_in_parts(&mut self, body: Body, threads: u64) -> Body {
        let Body { mut stms, results } = body;
        let mut at = 0;
        while at < stms.len() {
            // A reduction of the whole program is wide as it is.
            if let Op::Reduce(it) = &stms[at].op
                && threads > 1
                && (it.commutative || it.operator.by_components().is_some())
                && let Some((parts, gone)) = self.in_parts(&stms, &results, at, threads)
            {
                self.changed = true;
                let more = parts.len();
                stms.splice(at..=at, parts);
                let before = gone.iter().filter(|k| **k < at).count();
                gone.iter().rev().for_each(|k| drop(stms.remove(*k)));
                at = at - before + more;
            } else {
                at += 1;
            }
        }
        Body { stms, results }
    }

    /// What is in the place of a reduction, and which statements it makes superfluous.
    fn in_parts(&mut self, stms: &[Stm], results: &[Atom], at: usize, threads: u64) -> Option<(Vec<Stm>, Vec<usize>)> {
        let Op::Reduce(it) = &stms[at].op else { panic!("a reduction") };
        let length = self.work.length(it.arrays[0])?;
        if threads >= self.machine.threads || it.neutral.iter().any(|atom| self.builder.type_of(*atom).rank > 0) {
            return None;
        }
        let source = Source::of(stms, results, at);
        if source.gone.is_empty() && length <= AT_ONCE {
            return None;
        }
        let each = source.gone.iter().map(|k| match &stms[*k].op {
            Op::Map(map) => self.work.of_body(&map.function.body),
            _ => panic!("a reduction takes its elements from maps"),
        });
        let each = each.collect::<Vec<u64>>().into_iter().sum::<u64>() + self.work.of_body(&it.operator.body);
        let work = length.saturating_mul(each);
        let wanted = self.machine.threads.div_ceil(threads.max(1)).next_power_of_two();
        let count = wanted.min(work / (self.machine.work / PARTS).max(1)).min(length / 2);
        if work < self.machine.work || count < 2 {
            return None;
        }
        let count = 1_u64 << count.ilog2().min(30);
        // Not twice as many as fill the machine, if fewer are put together at once.
        let nearly_fill = threads.saturating_mul(AT_ONCE) >= self.machine.threads / 2;
        let count = if nearly_fill { count.min(AT_ONCE) } else { count } as i64;
        let leaves = source.leaves(it);
        let around = self.builder.span(stms[at].span);
        self.builder.open_body();
        let parts = write(&mut self.builder, &source, it, &leaves, count);
        let stms = self.builder.close_body(Vec::new()).stms;
        self.builder.span(around);
        self.kept.extend(parts.iter().filter_map(|part| part.var()));
        let mut stms = stms;
        let neutral = it.neutral.clone();
        let reduce = Reduce { commutative: it.commutative, neutral, arrays: parts, operator: it.operator.clone() };
        stms.push(Stm { op: Op::Reduce(Box::new(reduce)), ..source.stms[at].clone() });
        Some((stms, source.gone))
    }
}

/// Where the elements of a reduction come from: of the statements before it, the maps of which it alone takes the elements.
struct Source<'s> {
    stms: &'s [Stm],
    /// Which maps these are, in order.
    gone: Vec<usize>,
}

impl<'s> Source<'s> {
    fn of(stms: &'s [Stm], results: &[Atom], at: usize) -> Self {
        let mut gone: Vec<usize> = Vec::new();
        for k in (0..at).rev() {
            let Op::Map(map) = &stms[k].op else { continue };
            let is_taken = |user: usize| user == at || gone.contains(&user);
            let given: FxHashSet<Atom> = stms[k].vars.iter().map(|var| Atom::Var(*var)).collect();
            let mut taken = map.accumulators.is_empty() && !results.iter().any(|a| given.contains(a));
            let mut used = false;
            for (user, stm) in stms.iter().enumerate().skip(k + 1) {
                let mut mentions = 0;
                atoms_of(&stm.op, &mut |a| mentions += usize::from(given.contains(&a)));
                let elements: &[Atom] = match &stm.op {
                    Op::Map(map) => &map.arrays,
                    Op::Reduce(it) => &it.arrays,
                    _ => &[],
                };
                let as_elements = elements.iter().filter(|a| given.contains(a)).count();
                taken &= mentions == 0 || is_taken(user) && mentions == as_elements;
                used |= mentions > 0;
            }
            if taken && used {
                gone.push(k);
            }
        }
        gone.reverse();
        Source { stms, gone }
    }

    /// The statement that binds an array.
    fn binder(&self, array: Atom) -> Option<usize> {
        let var = array.var()?;
        self.stms.iter().position(|stm| stm.vars.contains(&var))
    }

    fn map(&self, array: Atom) -> Option<(usize, &'s Map)> {
        let k = self.binder(array).filter(|k| self.gone.contains(k))?;
        let Op::Map(map) = &self.stms[k].op else { panic!("a map") };
        Some((k, map))
    }

    /// The arrays that the elements come from, which stay and have one length.
    fn leaves(&self, it: &Reduce) -> Vec<Atom> {
        let (mut leaves, mut open) = (Vec::new(), it.arrays.clone());
        while let Some(array) = open.pop() {
            match self.map(array) {
                Some((_, map)) => open.extend(&map.arrays),
                None if leaves.contains(&array) => {}
                None => leaves.push(array),
            }
        }
        leaves
    }

    /// The element of an array at an index.
    fn element(&self, b: &mut Builder, array: Atom, at: Atom, known: &mut FxHashMap<usize, Vec<Atom>>) -> Atom {
        if let Some((k, map)) = self.map(array) {
            if !known.contains_key(&k) {
                let elements: Vec<Atom> = map.arrays.iter().map(|a| self.element(b, *a, at, known)).collect();
                let values = map.function.params.iter().copied().zip(elements).collect();
                let found = b.copied(map.function.body.clone(), values);
                known.insert(k, found);
            }
            let result = self.stms[k].vars.iter().position(|var| array == Atom::Var(*var)).expect("it gives the array");
            return known[&k][result];
        }
        match self.binder(array).map(|k| &self.stms[k].op) {
            Some(Op::Iota(_)) => at,
            Some(Op::Replicate(_, value)) => *value,
            _ => b.one(Op::Index(array, vec![at])),
        }
    }
}

/// Writes what each of `count` parts finds, or of as many as there are elements.
fn write(b: &mut Builder, source: &Source<'_>, it: &Reduce, leaves: &[Atom], count: i64) -> Vec<Atom> {
    let integer = |b: &mut Builder, row: IntegerRow, x: [Atom; 2]| b.scalar(row, &x);
    // What the maps compared that are no more.
    for other in &leaves[1..] {
        agree_lengths(b, Agreement::Mapped, *other, leaves[0]);
    }
    let length = b.one(Op::Size(leaves[0], 0));
    let count = integer(b, IntegerRow::Min, [index(count), length]);
    let more = b.scalar(ScalarOp::Add, &[length, count]);
    let more = integer(b, IntegerRow::Sub, [more, index(1)]);
    let most = integer(b, IntegerRow::Quot, [more, count]);
    let others = integer(b, IntegerRow::Sub, [most, index(1)]);
    let parts = b.one(Op::Iota(count));
    mapped(b, vec![parts], |b, part| {
        let part = Atom::Var(part[0]);
        let mut known = FxHashMap::default();
        let begun: Vec<Atom> = it.arrays.iter().map(|a| source.element(b, *a, part, &mut known)).collect();
        let types: Vec<Type> = begun.iter().map(|a| b.type_of(*a)).collect();
        let params: Vec<Var> = types.iter().map(|of| b.fresh(*of)).collect();
        let k = b.fresh(b.type_of(index(0)));
        let body = b.body(|b| {
            let far = b.scalar(ScalarOp::Add, &[k.into(), index(1)]);
            // Neighbouring threads take neighbouring elements.
            let far = b.scalar(ScalarOp::Mul, &[far, count]);
            let at = b.scalar(ScalarOp::Add, &[part, far]);
            let is_there = b.scalar(ScalarOp::Less, &[at, length]);
            let yes = b.body(|b| {
                let mut known = FxHashMap::default();
                let state = params.iter().copied().map(Atom::Var);
                let elements = it.arrays.iter().map(|a| source.element(b, *a, at, &mut known)).collect::<Vec<_>>();
                let Lambda { params, body } = &it.operator;
                b.copied(body.clone(), params.iter().copied().zip(state.chain(elements)).collect())
            });
            let no = Body { stms: Vec::new(), results: params.iter().copied().map(Atom::Var).collect() };
            let found = b.emit(Op::If(is_there, Box::new(yes), Box::new(no)));
            found.into_iter().map(Atom::Var).collect()
        });
        let params = params.into_iter().zip(begun).collect();
        let it = Loop { policy: Policy::default(), params, form: Form::For(k, others), body };
        b.emit(Op::Loop(Box::new(it))).into_iter().map(Atom::Var).collect()
    })
}

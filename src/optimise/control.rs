//! The forms of branches, loops and maps.
//!
//! Law: what is known before the program runs is done before: branches that are taken or equal, loop-invariant
//! variables, places of loop variables that one iteration reaches, loops of at most one iteration, results of maps that
//! are the same for every element or are an operand (tests/transform/simplify.rs, laws: simplification).

use super::available::{Class, Kind};
use super::index_injectivity::reading_the_beginning;
use super::value_numbering::{Frame, Writer};
use crate::array::{Atom, Body, Const, Form, Lambda, Loop, Map, Op, Var, has_effect, index};

impl Writer {
    pub(super) fn branch(&mut self, condition: Atom, yes: Body, no: Body) -> Vec<Atom> {
        let condition = self.atom(condition);
        if let Atom::Const(known) = condition {
            let taken = if known == Const::Bool(true) { yes } else { no };
            return self.here(taken);
        }
        let (mut yes, mut no) = (self.body(yes), self.body(no));
        let depth = self.seen.depth();
        let same = |(a, b): (&Atom, &Atom)| (a == b && self.facts.sizes.visible(*a, depth)).then_some(*a);
        let mut results: Vec<Option<Atom>> = yes.results.iter().zip(&no.results).map(same).collect();
        let open = |k: &usize| results[*k].is_none();
        let kept: Vec<usize> = (0..results.len()).filter(open).collect();
        yes.results = kept.iter().map(|k| yes.results[*k]).collect();
        no.results = kept.iter().map(|k| no.results[*k]).collect();
        if !kept.is_empty() || effects(&yes) || effects(&no) {
            let mut classes = Vec::new();
            for (a, b) in yes.results.iter().zip(&no.results) {
                let operands = self.seen.all(&[condition, *a, *b]);
                let accumulator = self.builder.type_of(*a).accumulator;
                classes.push(if accumulator { self.seen.unique() } else { self.seen.class(Kind::Branch, &operands) });
            }
            let written = self.write_unless_held(Op::If(condition, Box::new(yes), Box::new(no)), &classes);
            kept.iter().zip(written).for_each(|(k, atom)| results[*k] = Some(atom));
        }
        results.into_iter().flatten().collect()
    }

    pub(super) fn repeat(&mut self, mut it: Loop) -> Vec<Atom> {
        let initial: Vec<Atom> = it.params.iter().map(|(_, a)| self.atom(*a)).collect();
        let variables: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
        if let Form::For(i, bound) = &it.form
            && let Atom::Const(Const::I64(bound @ ..=1)) = self.atom(*bound)
        {
            if bound < 1 {
                return initial;
            }
            self.sets(&variables, &initial);
            self.set(*i, index(0));
            return self.here(it.body);
        }
        let changes: Vec<bool> = variables.iter().zip(&it.body.results).map(|(p, a)| Atom::Var(*p) != *a).collect();
        self.sets(&variables, &initial);
        if !changes.contains(&true) && !effects(&it.body) {
            return initial;
        }
        let kept: Vec<usize> = (0..changes.len()).filter(|k| changes[*k]).collect();
        reading_the_beginning(&mut it, |k| self.facts.copied(initial[k]).is_some());
        let written = self.iterate(it, &initial, &kept);
        let mut results = initial;
        kept.iter().zip(written).for_each(|(k, atom)| results[*k] = atom);
        results
    }

    /// The loop over those of its variables that change.
    fn iterate(&mut self, it: Loop, initial: &[Atom], kept: &[usize]) -> Vec<Atom> {
        let first: Vec<Atom> = kept.iter().map(|k| initial[*k]).collect();
        // An array of copies with which a loop begins is changed by it, and ends there: whoever needs one makes another.
        for atom in &first {
            if matches!(self.facts.op(*atom), Some(Op::Replicate(..))) {
                let class = self.seen.of(*atom);
                self.seen.forget(class);
            }
        }
        let variables: Vec<Var> = kept.iter().map(|k| it.params[*k].0).collect();
        let (kind, bound) = match &it.form {
            Form::For(_, bound) => (Kind::For, Some(self.atom(*bound))),
            Form::While { bound, .. } => (Kind::While, bound.map(|bound| self.atom(bound))),
        };
        let operands: Vec<Atom> = bound.iter().chain(&first).copied().collect();
        let classes = self.seen.all(&operands);
        let scope = self.seen.scope(kind, &classes);
        self.seen.enter(scope);
        let mut bound_here = variables;
        if let Form::For(i, _) = &it.form {
            bound_here.push(*i);
        }
        let mut params = self.params(scope, &bound_here);
        let form = match it.form {
            Form::For(..) => Form::For(params.pop().expect("the index is last"), operands[0]),
            Form::While { condition, .. } => Form::While { condition: self.body(condition), bound },
        };
        let body = self.body(it.body);
        let body = Body { results: kept.iter().map(|k| body.results[*k]).collect(), ..body };
        self.seen.leave();
        self.again |= params.iter().zip(&body.results).any(|(param, after)| Atom::Var(*param) == *after);
        let mut results = body.results.clone();
        if let Form::While { condition, .. } = &form {
            results.extend(&condition.results);
        }
        let mut classes = self.results(scope, &results, kept.len());
        for (class, atom) in classes.iter_mut().zip(&first) {
            if self.builder.type_of(*atom).accumulator {
                *class = self.seen.unique();
            }
        }
        let params = params.into_iter().zip(first).collect();
        self.write_unless_held(Op::Loop(Box::new(Loop { params, form, body, policy: it.policy })), &classes)
    }

    pub(super) fn map(&mut self, map: Map) -> Vec<Atom> {
        let Map { function, mut arrays, mut accumulators } = map;
        self.atoms(&mut arrays);
        self.atoms(&mut accumulators);
        let outside = self.seen.depth();
        let classes = self.seen.all(&arrays);
        let space = self.seen.space(&classes);
        let (elements, collectors) = function.params.split_at(arrays.len());
        let (mut arrays, mut params) = self.operands(space, elements, &arrays);
        let own: Vec<Var> = collectors.iter().map(|param| self.collector(*param)).collect();
        own.iter().zip(&accumulators).for_each(|(p, a)| self.facts.sizes.bind_like(*p, *a, outside + 1));

        self.frames.push(Frame { space, outside, extras: Vec::new() });
        self.seen.enter(space);
        let body = self.body(function.body);
        self.seen.leave();
        for (param, array) in self.frames.pop().expect("a frame for each map").extras {
            params.push(param);
            arrays.push(array);
        }
        self.give(Written { arrays, params, accumulators, own, space, body })
    }

    /// The operands of a map that differ between elements, and their parameters; at least one, to say how many there are.
    fn operands(&mut self, space: Class, params: &[Var], arrays: &[Atom]) -> (Vec<Atom>, Vec<Var>) {
        let depth = self.seen.depth() + 1;
        let (mut kept, mut fresh): (Vec<Atom>, Vec<(Var, Class)>) = (Vec::new(), Vec::new());
        let alone = arrays.iter().all(|a| self.facts.copied(*a).is_some());
        for (k, (param, array)) in params.iter().zip(arrays).enumerate() {
            if let Some(value) = self.facts.copied(*array)
                && !(alone && k == 0)
            {
                self.set(*param, value);
            } else if let Some(at) = kept.iter().position(|other| other == array) {
                self.set(*param, fresh[at].0.into());
            } else {
                let var = self.fresh(*param);
                self.facts.sizes.bind_element(var, *array, depth);
                let class = self.seen.of(*array);
                fresh.push((var, self.seen.element(space, class)));
                kept.push(*array);
                self.set(*param, var.into());
                if let (true, Some(value)) = (alone, self.facts.copied(*array)) {
                    self.set(*param, value);
                }
            }
        }
        self.seen.announce(&fresh);
        (kept, fresh.into_iter().map(|(var, _)| var).collect())
    }

    fn collector(&mut self, param: Var) -> Var {
        let var = self.fresh(param);
        let class = self.seen.unique();
        self.seen.announce(&[(var, class)]);
        self.set(param, var.into());
        var
    }

    /// The results of a map that has been written; those that need no map are removed from it.
    fn give(&mut self, it: Written) -> Vec<Atom> {
        let Written { arrays, mut params, accumulators, own, space, mut body } = it;
        let outside = self.seen.depth();
        let values = body.results.len() - accumulators.len();
        let collected = body.results.split_off(values);
        let mut results: Vec<Option<Atom>> = Vec::new();
        let (mut kept, mut classes): (Vec<Atom>, Vec<Class>) = (Vec::new(), Vec::new());
        let mut places: Vec<usize> = Vec::new();
        for atom in &body.results {
            let operand = params.iter().position(|p| Atom::Var(*p) == *atom).map(|k| arrays[k]);
            let known = match operand {
                None if self.facts.sizes.visible(*atom, outside) => Some(self.copies(arrays[0], *atom)),
                operand => operand,
            };
            places.push(kept.iter().position(|other| other == atom).unwrap_or(kept.len()));
            if known.is_none() && !kept.contains(atom) {
                let element = self.seen.of(*atom);
                classes.push(self.seen.array(space, element));
                kept.push(*atom);
            }
            results.push(known);
        }
        let count = kept.len();
        let passed: Vec<Option<Atom>> = collected
            .iter()
            .zip(own.iter().zip(&accumulators))
            .map(|(after, (param, before))| (*after == Atom::Var(*param)).then_some(*before))
            .collect();
        let mut given = Vec::new();
        for (k, after) in collected.iter().enumerate().filter(|(k, _)| passed[*k].is_none()) {
            params.push(own[k]);
            kept.push(*after);
            given.push(accumulators[k]);
            classes.push(self.seen.unique());
        }
        let written = if kept.is_empty() && !effects(&body) {
            Vec::new()
        } else {
            let function = Lambda { params, body: Body { results: kept, ..body } };
            self.write_unless_held(Op::Map(Box::new(Map { function, arrays, accumulators: given })), &classes)
        };
        let (of_values, of_accumulators) = written.split_at(count);
        let mut last = of_accumulators.iter().copied();
        let values = results.into_iter().zip(places).map(|(known, place)| known.unwrap_or_else(|| of_values[place]));
        let mut all: Vec<Atom> = values.collect();
        all.extend(passed.into_iter().map(|known| known.or_else(|| last.next()).expect("an accumulator goes on")));
        all
    }

    /// As many copies of a value as an array has elements.
    fn copies(&mut self, like: Atom, value: Atom) -> Atom {
        let length = self.emit(Op::Size(like, 0));
        self.emit(Op::Replicate(length, value))
    }
}

/// Whether a body compares sizes.
fn effects(body: &Body) -> bool {
    body.stms.iter().any(|stm| has_effect(&stm.op))
}

/// The parts of a map whose function has been written.
struct Written {
    arrays: Vec<Atom>,
    params: Vec<Var>,
    accumulators: Vec<Atom>,
    /// The parameters for the accumulators.
    own: Vec<Var>,
    space: Class,
    body: Body,
}

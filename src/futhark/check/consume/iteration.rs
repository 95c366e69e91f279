//! Loops: a variable that the body consumes is consumed from its first value on.
//!
//! Law: what a loop consumes is its own in each iteration: no value from outside comes into it, nor into two variables
//! at once (tests/language/consume.rs).

use super::held::{Held, Origin, Origins, shared, union};
use super::report::By;
use super::{Flow, Kind, Owned};
use crate::futhark::check::Checked;
use crate::futhark::core::{Expression, Local, Loop, LoopForm, Pattern, PatternKind};

/// The variables of a loop, part by part.
struct Parts {
    /// The origins of the parts within the loop.
    own: Vec<Origin>,
    names: Vec<Local>,
    first: Vec<Origins>,
    next: Vec<Origins>,
    /// Whether the loop consumes them.
    consumed: Vec<bool>,
}

impl<'a> Flow<'a> {
    /// A loop.
    pub(super) fn iteration(&mut self, iteration: &'a Loop) -> Checked<Held> {
        let of = &iteration.pattern.of;
        let first = self.value(&iteration.initial)?;
        if let Some(bound) = &iteration.policy.bound {
            self.value(bound)?;
        }
        let mut walked = (Origins::new(), iteration.initial.span);
        match &iteration.form {
            LoopForm::For(_, end) => drop(self.value(end)?),
            LoopForm::In(element, xs) => {
                let origins = self.value(xs)?.origins();
                self.bind(element, Held::filled(&element.of, &Owned::Shared, &origins));
                walked = (origins, xs.span);
            }
            LoopForm::While(_) => {}
        }
        self.observe(&first, iteration.initial.span)?;
        let mut parts = Parts { own: vec![], names: vec![], first: vec![], next: vec![], consumed: vec![] };
        first.parts(of, &mut parts.first);
        let declared = self.ownership.loops.get(&iteration.pattern.span).cloned().unwrap_or(Owned::Shared);

        self.enter(true);
        self.variables(&iteration.pattern, &declared, &mut parts);
        if let LoopForm::While(condition) = &iteration.form {
            self.value(condition)?;
        }
        self.value(&iteration.body)?.parts(of, &mut parts.next);
        self.converge(&mut parts, &iteration.body)?;
        let body = self.bodies.pop().expect("entered before");
        self.depth -= 1;

        for (at, _) in parts.consumed.iter().enumerate().filter(|(_, consumed)| **consumed) {
            let mut others = parts.first.iter().enumerate().filter(|(other, _)| *other != at);
            if let Some(origin) = others.find_map(|(_, other)| shared(&parts.first[at], other)) {
                return self.loop_twice(origin, parts.names[at], iteration.initial.span);
            }
            self.consume(&parts.first[at], &By::Loop, iteration.initial.span)?;
            if let Some((origin, span)) = parts.first[at].iter().find_map(|origin| body.seen.get_key_value(origin)) {
                return self.gone_in_loop(*origin, *span);
            }
            if let Some(origin) = shared(&parts.first[at], &walked.0) {
                return self.gone_in_loop(origin, walked.1);
            }
        }
        let mut results = self.results(&parts).into_iter();
        Ok(Held::made(of, &Owned::Shared, &mut |_| results.next().expect("as many parts as the type has")))
    }

    /// Gives the variables of a loop origins of their own, one for each part.
    fn variables(&mut self, pattern: &'a Pattern, declared: &Owned, parts: &mut Parts) {
        let mut part = |flow: &mut Self, name: Local, owned: &Owned| {
            let origin = flow.origin(name, Kind::Bound);
            parts.own.push(origin);
            parts.names.push(name);
            parts.consumed.push(*owned == Owned::Unique);
            vec![origin]
        };
        match &pattern.kind {
            PatternKind::Local(local) => {
                let held = Held::made(&pattern.of, declared, &mut |owned| part(self, *local, owned));
                self.scope.insert(*local, held);
            }
            PatternKind::Record(fields) => {
                for (name, inner) in fields {
                    self.variables(inner, &declared.field(name), parts);
                }
            }
            // Parts that the body cannot name: constructors do not stand in patterns of loops that hold more.
            PatternKind::Wildcard | PatternKind::Constant(_) | PatternKind::Constructor(..) => {
                let held = Held::made(&pattern.of, declared, &mut |owned| part(self, Local(u32::MAX), owned));
                self.bind(pattern, held);
            }
        }
    }

    /// Finds the variables that are consumed, in an iteration or a later one, and checks what they become.
    fn converge(&self, parts: &mut Parts, body: &Expression) -> Checked<()> {
        for (consumed, origin) in parts.consumed.iter_mut().zip(&parts.own) {
            *consumed |= self.consumed.contains_key(origin);
        }
        // What becomes a variable that is consumed is consumed one iteration later.
        loop {
            let mut changed = false;
            for at in 0..parts.own.len() {
                let goes = |to: usize| parts.consumed[to] && parts.next[to].contains(&parts.own[at]);
                if !parts.consumed[at] && (0..parts.next.len()).any(goes) {
                    (parts.consumed[at], changed) = (true, true);
                }
            }
            if !changed {
                break;
            }
        }
        for (at, next) in parts.next.iter().enumerate().filter(|(at, _)| parts.consumed[*at]) {
            if let Some(origin) = next.iter().find(|origin| self.depth_of(**origin) < self.depth) {
                return self.loop_outside(*origin, parts.names[at], body.span);
            }
            let mut others = parts.next.iter().enumerate().filter(|(other, _)| *other != at);
            if let Some(origin) = others.find_map(|(_, other)| shared(next, other)) {
                return self.loop_twice(origin, parts.names[at], body.span);
            }
        }
        Ok(())
    }

    /// What the values after the loop may alias: those that are consumed, nothing.
    fn results(&self, parts: &Parts) -> Vec<Origins> {
        let own = |origin: &Origin| parts.own.iter().position(|own| own == origin);
        let mut results: Vec<Origins> = (parts.first.iter().zip(&parts.next).zip(&parts.consumed))
            .map(|((first, next), consumed)| {
                let mut all = Origins::new();
                if !consumed {
                    let new: Origins = next.iter().copied().filter(|origin| own(origin).is_none()).collect();
                    union(&mut all, first);
                    union(&mut all, &new);
                }
                all
            })
            .collect();
        // A variable may become another, and that a third.
        for _ in 0..parts.own.len() {
            let before = results.clone();
            for (at, next) in parts.next.iter().enumerate().filter(|(at, _)| !parts.consumed[*at]) {
                for from in next.iter().filter_map(own) {
                    union(&mut results[at], &before[from]);
                }
            }
            if results == before {
                break;
            }
        }
        results
    }
}

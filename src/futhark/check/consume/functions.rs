//! Functions: what they consume of their arguments, what their results alias, and what they are applied to.
//!
//! Law: what a function without a declared result returns is unique if it aliases nothing that outlives the call; a
//! declared result is what it says (tests/language/consume.rs).

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::held::{Held, Origin, Origins, shared, union};
use super::report::By;
use super::{Body, Flow, Kind};
use crate::futhark::check::Checked;
use crate::futhark::check::ownership::{Declared, Owned};
use crate::futhark::check::promises::as_abstract;
use crate::futhark::core::{Expression, ExpressionKind, Pattern, PatternKind, Type};
use crate::futhark::source::Span;

/// Whether a type is abstract, or has a part that is.
fn holds_abstract(of: &Type) -> bool {
    as_abstract(of).is_some() || of.children().any(holds_abstract)
}

impl Declared {
    /// The function as it is declared, of this type.
    pub(super) fn closure(&self, of: &Type) -> Held {
        let (mut kinds, mut rest) = (Vec::new(), of);
        for owned in &self.params {
            let Type::Function(function) = rest else { break };
            kinds.push(owned.clone().complete(&function.param));
            rest = &function.result;
        }
        let result = self.result.clone().unwrap_or(Owned::Shared);
        let owned = kinds.into_iter().rev().fold(result, |result, param| Owned::function(param, result));
        Held::function(Origins::new(), owned)
    }
}

impl<'a> Flow<'a> {
    /// A function: its body is walked once. That of a definition may return no constant of the program.
    pub(super) fn function(&mut self, value: &'a Expression, is_definition: bool) -> Checked<Held> {
        let ExpressionKind::Lambda(first) = &value.kind else { return self.value(value) };
        let ownership = self.ownership;
        let declared = ownership.functions.get(&first.param.span);
        let mut kinds = declared.map_or_else(|| vec![Owned::Inferred], |declared| declared.params.clone());
        let (mut params, mut body) = (Vec::with_capacity(kinds.len()), value);
        while let ExpressionKind::Lambda(lambda) = &body.kind
            && params.len() < kinds.len()
        {
            params.push(&lambda.param);
            body = &lambda.body;
        }
        self.enter(false);
        let mut own = Vec::with_capacity(params.len());
        for (param, owned) in params.iter().zip(&mut kinds) {
            // An accumulator is there to be changed, whether its type is written or not.
            if matches!(param.of, Type::Accumulator(_)) && *owned == Owned::Shared {
                *owned = Owned::Inferred;
            }
            let before = self.sources.len();
            self.param(param, owned);
            own.push(before..self.sources.len());
        }
        let held = self.value(body)?;
        let mut parts = Vec::new();
        held.parts(&body.of, &mut parts);
        let result = match declared.and_then(|declared| declared.result.as_ref()) {
            Some(result) => {
                let mut kinds = Vec::new();
                Held::made(&body.of, result, &mut |owned| {
                    kinds.push(*owned == Owned::Unique);
                    Origins::new()
                });
                self.returned(&parts, &kinds, body.span)?;
                if let Err(misfit) = held.fits(result, &body.of) {
                    return Self::misfit(misfit, &By::Result, body.span);
                }
                result.clone().complete(&body.of)
            }
            None => self.inferred(&held, &body.of, &parts),
        };
        if is_definition {
            // What is promised of an abstract type may be a scalar, which aliases nothing.
            let is_abstract = holds_abstract(&body.of);
            let known = |origin: &&Origin| !(is_abstract && **origin == Origin::promised());
            let global = parts.iter().flatten().filter(known).find(|origin| origin.as_global().is_some());
            if let Some(origin) = global.filter(|_| !matches!(body.of, Type::Function(_))) {
                return self.returns_global(*origin, body.span);
            }
        }
        let seen = self.leave();
        let kinds = params.iter().zip(&kinds).zip(own).map(|((param, owned), own)| self.kind(param, owned, own));
        let kinds: Vec<Owned> = kinds.collect();
        let owned = kinds.into_iter().rev().fold(result, |result, param| Owned::function(param, result));
        Ok(Held::function(seen, owned))
    }

    /// Goes into a function or a loop.
    pub(super) fn enter(&mut self, is_loop: bool) {
        self.bodies.push(Body { is_loop, seen: FxHashMap::default() });
        self.depth += 1;
    }

    /// Leaves a function, and returns what it captures.
    fn leave(&mut self) -> Origins {
        let body = self.bodies.pop().expect("entered before");
        self.depth -= 1;
        let mut seen: Origins = body.seen.into_keys().collect();
        seen.sort_unstable();
        seen
    }

    /// What a parameter turned out to be.
    fn kind(&self, param: &Pattern, owned: &Owned, own: Range<usize>) -> Owned {
        let consumed = |at: usize| self.consumed.contains_key(&Origin(u32::try_from(at).expect("as others")));
        match owned {
            Owned::Inferred if own.into_iter().any(consumed) => Owned::Unique,
            Owned::Inferred => Owned::Shared.complete(&param.of),
            owned => owned.clone().complete(&param.of),
        }
    }

    /// Gives the variables of a parameter what the caller may see, or not.
    fn param(&mut self, pattern: &Pattern, owned: &Owned) {
        match &pattern.kind {
            PatternKind::Local(local) => {
                let held = Held::made(&pattern.of, owned, &mut |owned| {
                    let kind = match owned {
                        Owned::Unique => Kind::Unique,
                        Owned::Inferred => Kind::Inferred,
                        _ => Kind::Lent,
                    };
                    vec![self.origin(*local, kind)]
                });
                self.scope.insert(*local, held);
            }
            PatternKind::Wildcard | PatternKind::Constant(_) => {}
            PatternKind::Record(fields) => {
                for (name, part) in fields {
                    self.param(part, &owned.field(name));
                }
            }
            PatternKind::Constructor(name, parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.param(part, &owned.payload(name, at));
                }
            }
        }
    }

    /// Whether what the caller gets may be changed by it, as far as this origin goes.
    fn is_given(&self, origin: Origin) -> bool {
        let known = origin.as_global().is_none().then(|| self.sources[origin.0 as usize]);
        known.is_some_and(|source| source.depth >= self.depth && matches!(source.kind, Kind::Bound | Kind::Unique))
    }

    /// A result with parts of which some are declared unique.
    fn returned(&self, parts: &[Origins], unique: &[bool], span: Span) -> Checked<()> {
        for (at, part) in parts.iter().enumerate().filter(|(at, _)| unique.get(*at) == Some(&true)) {
            if let Some(origin) = part.iter().find(|origin| !self.is_given(**origin)) {
                return self.not_unique(*origin, span);
            }
            let mut others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            if let Some(origin) = others.find_map(|(_, other)| shared(part, other)) {
                return self.not_apart(origin, span);
            }
        }
        Ok(())
    }

    /// Which parts of a result nobody else has.
    fn inferred(&self, held: &Held, of: &Type, parts: &[Origins]) -> Owned {
        match of {
            Type::Prim(_) => Owned::Unique,
            Type::Function(_) => held.owned().clone(),
            Type::Array(..) | Type::Var(_) | Type::Accumulator(_) | Type::Unknown(_) => {
                let once = |origin: &Origin| parts.iter().filter(|part| part.contains(origin)).count() <= 1;
                let unique = held.origins().iter().all(|origin| self.is_given(*origin) && once(origin));
                if unique { Owned::Unique } else { Owned::Shared }
            }
            Type::Sum(_) if as_abstract(of).is_some() => self.inferred(held, &Type::Unknown(u32::MAX), parts),
            Type::Record(fields) => {
                let field = |name, of| self.inferred(&held.field(name, of), of, parts);
                Owned::Record(fields.iter().map(|(name, of)| (name.clone(), field(name, of))).collect())
            }
            Type::Sum(constructors) => {
                let mut sum = Vec::with_capacity(constructors.len());
                for (name, payload) in constructors {
                    let part = |(at, of)| self.inferred(&held.payload(name, at, of), of, parts);
                    sum.push((name.clone(), payload.iter().enumerate().map(part).collect()));
                }
                Owned::Sum(sum)
            }
        }
    }

    /// A function applied to all that follows it.
    pub(super) fn application(&mut self, value: &'a Expression) -> Checked<Held> {
        let (mut arguments, mut head) = (Vec::new(), value);
        while let ExpressionKind::Apply { function, argument } = &head.kind {
            arguments.push(&**argument);
            head = function;
        }
        let function = self.value(head)?;
        let (mut captured, mut owned) = (function.origins(), function.owned().clone());
        let by = self.called(head);

        // Operands are evaluated in the order of the text, arguments from the last to the first: what one of these consumes is not there
        // for those before it.
        let is_infix = arguments.last().is_some_and(|first| first.span.start < head.span.start);
        arguments.reverse();
        let mut given: Vec<(&'a Expression, Held)> = Vec::with_capacity(arguments.len());
        let (mut gone, mut before) = (Vec::new(), Vec::with_capacity(arguments.len()));
        for (at, argument) in arguments.into_iter().enumerate() {
            let (journal, sources) = (self.journal.len(), self.sources.len());
            before.push(self.uses.len());
            let held = self.value(argument)?;
            if matches!(argument.of, Type::Function(_))
                && let Some(origin) = self.journal[journal..].iter().find(|origin| (origin.0 as usize) < sources)
            {
                return self.consuming_argument(*origin, argument.span);
            }
            if !is_infix {
                gone.extend(self.take_back(journal).into_iter().map(|(origin, by)| (origin, by, at)));
            }
            given.push((argument, held));
        }
        let first = before.first().copied().unwrap_or(self.uses.len());
        for (origin, by, at) in gone {
            if let Some(by) = self.consumed.get(&origin) {
                return self.gone(origin, by, given[at].0.span);
            }
            if let Some((_, span)) = self.uses[first..before[at]].iter().find(|(used, _)| *used == origin) {
                return self.gone(origin, &by, *span);
            }
            self.consumed.insert(origin, by);
            self.journal.push(origin);
        }
        self.observe(&function, head.span)?;
        if let Some(origin) = function.once() {
            self.consume(&[origin], &by, head.span)?;
        }
        for (argument, held) in &given {
            self.observe(held, argument.span)?;
        }
        // What the function says of each.
        let mut wanted = Vec::with_capacity(given.len());
        for _ in &given {
            let (param, result) = owned.contract();
            wanted.push(param);
            owned = result;
        }
        let mut spent = function.once();
        for (at, ((argument, held), param)) in given.iter().zip(&wanted).enumerate() {
            if let Some(origin) = held.once() {
                return self.consuming_argument(origin, argument.span);
            }
            if let Err(misfit) = held.fits(param, &argument.of) {
                return Self::misfit(misfit, &by, argument.span);
            }
            if !param.consumes() {
                union(&mut captured, &held.origins());
                continue;
            }
            let others =
                given.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (_, held))| held.origins());
            let others = others.chain([function.origins()]).fold(Origins::new(), |mut all, more| {
                union(&mut all, &more);
                all
            });
            let (mut parts, mut kinds) = (Vec::new(), Vec::new());
            held.parts(&argument.of, &mut parts);
            Held::made(&argument.of, param, &mut |owned| {
                kinds.push(*owned == Owned::Unique);
                Origins::new()
            });
            // What it takes is in no other argument, and in no other part of this one.
            let (mut taken, mut seen) = (Origins::new(), others);
            let (unique, lent): (Vec<_>, Vec<_>) = parts.iter().zip(&kinds).partition(|(_, unique)| **unique);
            lent.iter().for_each(|(part, _)| union(&mut seen, part));
            for (part, _) in unique {
                if let Some(origin) = shared(part, &seen) {
                    return self.both(origin, &by, argument.span);
                }
                union(&mut seen, part);
                union(&mut taken, part);
            }
            let used = || self.uses[first..before[at]].iter().find(|(used, _)| taken.binary_search(used).is_ok());
            if let Some((origin, span)) = used().filter(|_| !is_infix) {
                return self.gone(*origin, &by, *span);
            }
            self.consume(&taken, &by, argument.span)?;
            spent = spent.or(taken.first().copied());
            lent.iter().for_each(|(part, _)| union(&mut captured, part));
        }
        captured.retain(|origin| !self.consumed.contains_key(origin));
        let held = Held::filled(&value.of, &owned, &captured);
        Ok(match spent {
            // It is of some of its arguments, and has them still.
            Some(origin) if matches!(value.of, Type::Function(_)) => {
                held.called_once(self.origin(self.sources[origin.0 as usize].name, Kind::Bound))
            }
            _ => held,
        })
    }
}

//! Consumption: no value is used after it has been given away to be changed in place, under any name that it has.
//!
//! Law: a program that is accepted means the same whether arrays are updated in place or copied first. What a function
//! consumes, and what its result aliases, is said by its type alone (tests/language/consume.rs).
//!
//! Each definition is walked once, in the order in which it is evaluated, when its types are known. A value is known by
//! its *origins*: the variables, parameters and constants whose arrays it may hold ([`Held`]). To consume a value is to
//! consume its origins, and to use a value of which one has been consumed is a mistake.
//!
//! | file | what is in it |
//! |---|---|
//! | `held` | what a value may alias |
//! | `functions` | functions, and what they are applied to |
//! | `iteration` | loops |
//! | `report` | messages |

mod functions;
mod held;
mod iteration;
mod report;

pub(super) use self::held::Held;
use rustc_hash::FxHashMap;

use self::held::{Origin, Origins, shared, union};
use self::report::By;
use super::ownership::{Owned, Ownership};
use super::{Checked, Checker, deep};
use crate::futhark::core::{Defined, Definition, Expression, ExpressionKind, Index, Local, Pattern, PatternKind, Type};
use crate::futhark::source::{Name, Span};

/// What an origin is.
#[derive(Debug, Clone, Copy)]
struct Source {
    name: Local,
    kind: Kind,
    /// In how many functions and loops it is bound.
    depth: usize,
}

/// Who may consume a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The body it is bound in.
    Bound,
    /// The body of the function that declares it `*`.
    Unique,
    /// The body, which makes the function one that consumes.
    Inferred,
    /// Nobody: it is the caller's.
    Lent,
}

/// A function or loop around what is looked at.
struct Body {
    is_loop: bool,
    /// What is used within and bound outside, and where first.
    seen: FxHashMap<Origin, Span>,
}

/// The walk over a definition.
struct Flow<'a> {
    ownership: &'a Ownership,
    names: &'a [Name],
    /// The definition itself, for those that call themselves.
    own: Held,
    scope: FxHashMap<Local, Held>,
    /// Values with no name in the text that have not been mentioned yet, and the depth they belong to.
    hoisted: FxHashMap<Local, (&'a Expression, usize)>,
    sources: Vec<Source>,
    consumed: FxHashMap<Origin, By>,
    /// What has been consumed, in this order.
    journal: Vec<Origin>,
    /// What has been used, and where, in this order.
    uses: Vec<(Origin, Span)>,
    bodies: Vec<Body>,
    depth: usize,
    /// What is changed along a path, and consumed by the whole of it.
    put_back: Origins,
}

impl Checker {
    /// Checks what a definition consumes, and returns what is known of it.
    pub(super) fn consumption(&self, defined: &Defined, number: Definition) -> Checked<Held> {
        let (of, body) = (&defined.scheme.body, &defined.body);
        let own = match &body.kind {
            ExpressionKind::Lambda(lambda) => match self.ownership.functions.get(&lambda.param.span) {
                Some(declared) => declared.closure(of),
                None => Held::filled(of, &Owned::Shared, &Origins::new()),
            },
            _ if matches!(of, Type::Function(_)) => Held::filled(of, &Owned::Shared, &Origins::new()),
            _ => Held::filled(of, &Owned::Shared, &vec![Origin::global(number)]),
        };
        // The prelude is ours: what its functions say of themselves holds, and is what they are known by.
        if defined.span.is_prelude() {
            return Ok(own);
        }
        let mut flow = Flow {
            ownership: &self.ownership,
            names: &self.unifier.locals,
            own: own.clone(),
            scope: FxHashMap::default(),
            hoisted: FxHashMap::default(),
            sources: Vec::new(),
            consumed: FxHashMap::default(),
            journal: Vec::new(),
            uses: Vec::new(),
            bodies: Vec::new(),
            depth: 0,
            put_back: Origins::new(),
        };
        let mut held = match &body.kind {
            ExpressionKind::Lambda(_) => flow.function(body, true)?,
            _ => flow.value(body)?,
        };
        if let Some(declared) = &self.ownership.constant
            && let Err(misfit) = held.fits(declared, of)
        {
            return Flow::misfit(misfit, &By::Result, body.span);
        }
        if !matches!(of, Type::Function(_)) {
            return Ok(own);
        }
        // What it captures is its own, and cannot be named.
        held.map(&mut Origins::clear);
        Ok(held)
    }
}

impl<'a> Flow<'a> {
    /// What an expression holds; what it uses has not been consumed.
    fn value(&mut self, value: &'a Expression) -> Checked<Held> {
        deep(|| self.within(value))
    }

    fn within(&mut self, value: &'a Expression) -> Checked<Held> {
        use ExpressionKind as E;
        let (of, span) = (&value.of, value.span);
        let fresh = || Held::filled(of, &Owned::Unique, &Origins::new());
        match &value.kind {
            E::Constant(_) | E::Size(_) => Ok(Held::Scalar),
            E::Local(_) | E::LocalInstance(..) | E::Field(..) => {
                let held = self.place(value)?;
                self.observe(&held, span)?;
                Ok(held)
            }
            E::Definition(definition, _) => Ok(self.definition(*definition, of)),
            E::Intrinsic(name, _) => match self.ownership.intrinsics.get(name) {
                Some(owned) if matches!(of, Type::Function(_)) => Ok(Held::function(Origins::new(), owned.clone())),
                // A member of a module of which only the type is known.
                Some(_) => Ok(Held::filled(of, &Owned::Shared, &vec![Origin::promised()])),
                // One of which nothing is written consumes nothing, and returns what is its own.
                None => Ok(Held::filled(of, &Owned::unwritten(of), &Origins::new())),
            },
            E::Record(fields) => {
                // In the order of the text, which is not always that of the names.
                let mut order: Vec<usize> = (0..fields.len()).collect();
                order.sort_by_key(|at| fields[*at].1.span.start);
                let mut record: Vec<_> = fields.iter().map(|(name, _)| (name.clone(), Held::Scalar)).collect();
                for at in order {
                    record[at].1 = self.value(&fields[at].1)?;
                }
                for ((_, held), (_, part)) in record.iter().zip(fields) {
                    self.observe(held, part.span)?;
                }
                Ok(Held::Record(record))
            }
            E::RecordUpdate(record, path, new) => {
                let mut held = self.place(record)?;
                let new = self.value(new)?;
                held.replace(path, new);
                self.observe(&held, record.span)?;
                Ok(held)
            }
            E::Constructor(name, parts) => {
                let mut payload = Vec::with_capacity(parts.len());
                for part in parts {
                    payload.push(self.value(part)?);
                }
                let mut held = fresh();
                if let Held::Sum(constructors) = &mut held
                    && let Some((_, parts)) = constructors.iter_mut().find(|(constructor, _)| constructor == name)
                {
                    *parts = payload;
                }
                Ok(held)
            }
            E::Index(array, indices) => {
                let array = self.value(array)?;
                self.indices(indices)?;
                Ok(Held::filled(of, &Owned::Shared, &array.origins()))
            }
            E::Update(array, indices, new) if new.span == span => {
                // One step of a path: the part is taken out of the array, changed and put back.
                self.indices(indices)?;
                let origins = self.place(array)?.origins();
                let around = self.put_back.clone();
                union(&mut self.put_back, &origins);
                self.value(new)?;
                self.put_back = around;
                self.consume(&origins, &By::Update, array.span)?;
                Ok(fresh())
            }
            E::Update(array, indices, new) => {
                self.indices(indices)?;
                let new_origins = self.value(new)?.origins();
                let origins = self.value(array)?.origins();
                if let Some(origin) = shared(&origins, &new_origins) {
                    return self.overlaps(origin, new.span);
                }
                self.consume(&origins, &By::Update, array.span)?;
                Ok(fresh())
            }
            E::Lambda(_) => self.function(value, false),
            E::Apply { .. } => self.application(value),
            E::Let(..) | E::LetPolymorphic(..) => self.lets(value),
            E::If(condition, yes, no) => {
                self.value(condition)?;
                self.branches([(None, &**yes), (None, &**no)].into_iter(), &Held::Scalar)
            }
            E::Match(scrutinee, cases) => {
                let held = self.value(scrutinee)?;
                self.branches(cases.iter().map(|(pattern, case)| (Some(pattern), case)), &held)
            }
            E::Loop(iteration) => self.iteration(iteration),
            E::Coerce(inner) => self.value(inner),
            E::Assert(condition, inner) => {
                self.value(condition)?;
                self.value(inner)
            }
            // Operands in the order of the text, which is not always that of the operation.
            _ => {
                let mut operands: Vec<&Expression> = value.children().collect();
                operands.sort_by_key(|operand| operand.span.start);
                for operand in operands {
                    self.value(operand)?;
                }
                Ok(fresh())
            }
        }
    }

    fn indices(&mut self, indices: &'a [Index]) -> Checked<()> {
        indices.iter().flat_map(Index::parts).try_for_each(|part| self.value(part).map(drop))
    }

    /// What a variable, or a field of one, holds. Of a record, the other fields may have been consumed.
    fn place(&mut self, value: &'a Expression) -> Checked<Held> {
        match &value.kind {
            ExpressionKind::Local(local) | ExpressionKind::LocalInstance(local, _) => {
                self.force(*local)?;
                let known = self.scope.get(local).cloned();
                Ok(known.unwrap_or_else(|| Held::filled(&value.of, &Owned::Unique, &Origins::new())))
            }
            ExpressionKind::Field(record, name) => Ok(self.place(record)?.field(name, &value.of)),
            _ => self.value(value),
        }
    }

    fn definition(&self, definition: Definition, of: &Type) -> Held {
        match self.ownership.definitions.get(definition.0 as usize) {
            Some((_, held @ Held::Function(_))) => held.clone(),
            // A constant may be generic: its parts are those of its type here.
            Some((_, held)) => Held::filled(of, &Owned::Shared, &held.origins()),
            None => self.own.clone(),
        }
    }

    /// A chain of lets.
    fn lets(&mut self, first: &'a Expression) -> Checked<Held> {
        let mut unnamed = Vec::new();
        let mut next = first;
        loop {
            next = match &next.kind {
                ExpressionKind::Let(pattern, value, body) => {
                    match pattern.as_variable().filter(|local| self.ownership.hoisted.contains(local)) {
                        Some(local) => {
                            self.hoisted.insert(local, (value, self.depth));
                            unnamed.push(local);
                        }
                        None => {
                            let held = self.value(value)?;
                            self.bind(pattern, held);
                        }
                    }
                    body
                }
                ExpressionKind::LetPolymorphic(local, _, value, body) => {
                    let held = self.value(value)?;
                    self.scope.insert(*local, held);
                    body
                }
                _ => break,
            };
        }
        let held = self.value(next)?;
        // Some are mentioned by sizes alone.
        unnamed.into_iter().try_for_each(|local| self.force(local))?;
        Ok(held)
    }

    /// Works out a value that has no name in the text, where it stands there.
    fn force(&mut self, local: Local) -> Checked<()> {
        if let Some((value, depth)) = self.hoisted.remove(&local) {
            let (around, deeper) = (std::mem::replace(&mut self.depth, depth), self.bodies.split_off(depth));
            let mut held = self.value(value)?;
            self.name(&mut held, local);
            self.bodies.extend(deeper);
            self.depth = around;
            self.scope.insert(local, held);
        }
        Ok(())
    }

    /// Cases of which one is evaluated: what one of them consumes is there for the others, and consumed afterwards.
    fn branches(
        &mut self,
        cases: impl Iterator<Item = (Option<&'a Pattern>, &'a Expression)>,
        scrutinee: &Held,
    ) -> Checked<Held> {
        let (mut joined, mut gone) = (None, Vec::new());
        for (pattern, case) in cases {
            let before = self.journal.len();
            if let Some(pattern) = pattern {
                self.bind(pattern, scrutinee.clone());
            }
            let held = self.value(case)?;
            joined = Some(match joined {
                None => held,
                Some(others) => Held::join(others, held),
            });
            gone.extend(self.take_back(before));
        }
        let mut held = joined.unwrap_or(Held::Scalar);
        for (origin, by) in gone {
            if self.consumed.insert(origin, by).is_none() {
                self.journal.push(origin);
            }
        }
        // Where one branch has consumed it and another returns it, nobody else has it any more.
        held.map(&mut |origins| origins.retain(|origin| !self.consumed.contains_key(origin)));
        Ok(held)
    }

    /// What has been consumed since the journal was that long is there again.
    fn take_back(&mut self, journal: usize) -> Vec<(Origin, By)> {
        let mut gone = Vec::new();
        for origin in self.journal.split_off(journal) {
            let by = self.consumed.remove(&origin).expect("what is in the journal has been consumed");
            gone.push((origin, by));
        }
        gone
    }

    /// Gives the variables of a pattern what they hold.
    fn bind(&mut self, pattern: &Pattern, mut held: Held) {
        match &pattern.kind {
            PatternKind::Local(local) => {
                self.name(&mut held, *local);
                self.scope.insert(*local, held);
            }
            PatternKind::Wildcard | PatternKind::Constant(_) => {}
            PatternKind::Record(fields) => {
                for (name, part) in fields {
                    self.bind(part, held.field(name, &part.of));
                }
            }
            PatternKind::Constructor(name, parts) => {
                for (at, part) in parts.iter().enumerate() {
                    self.bind(part, held.payload(name, at, &part.of));
                }
            }
        }
    }

    /// Arrays that nothing else holds get this name.
    fn name(&mut self, held: &mut Held, name: Local) {
        held.map(&mut |origins| {
            if origins.is_empty() {
                origins.push(self.origin(name, Kind::Bound));
            }
        });
    }

    fn origin(&mut self, name: Local, kind: Kind) -> Origin {
        self.sources.push(Source { name, kind, depth: self.depth });
        Origin(u32::try_from(self.sources.len() - 1).expect("fewer than 2^31 arrays have names"))
    }

    /// In how many functions and loops an origin is bound.
    fn depth_of(&self, origin: Origin) -> usize {
        match origin.as_global() {
            Some(_) => 0,
            None => self.sources[origin.0 as usize].depth,
        }
    }

    /// A value is used: no part of it may have been consumed.
    fn observe(&mut self, held: &Held, span: Span) -> Checked<()> {
        self.see(&held.origins(), span)
    }

    fn see(&mut self, origins: &[Origin], span: Span) -> Checked<()> {
        for origin in origins {
            if let Some(by) = self.consumed.get(origin) {
                return self.gone(*origin, by, span);
            }
            self.uses.push((*origin, span));
            let depth = self.depth_of(*origin);
            for body in self.bodies.iter_mut().skip(depth) {
                body.seen.entry(*origin).or_insert(span);
            }
        }
        Ok(())
    }

    /// A value is consumed, with all that may alias it.
    fn consume(&mut self, origins: &[Origin], by: &By, span: Span) -> Checked<()> {
        self.see(origins, span)?;
        for origin in origins {
            self.consumable(*origin, by, span)?;
            if self.put_back.binary_search(origin).is_ok() {
                continue;
            }
            self.consumed.insert(*origin, by.clone());
            self.journal.push(*origin);
        }
        Ok(())
    }
}

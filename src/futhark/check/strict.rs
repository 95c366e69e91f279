//! Sizes that differ for the language though no numbers say so: `[n]t` is no `[m]t`, whatever the values of `n` and `m`.
//!
//! Law: an array is taken at another size only by `:>`, which compares when the program runs; what is refused differs as a polynomial
//! over names, and each of these stands for one value (tests/language/check.rs).
//!
//! The language compares sizes as they are written. Where a size is no polynomial, such as `f x`, this checker gives its value a
//! name; two such names may stand for the same text, so nothing is certain of them: they are *soft*, and compared when the program
//! runs. A size that is not written in the type of a parameter is *implicit*: the language makes it what it has to be, which can be
//! all but a size that is known only from a value within.

use rustc_hash::FxHashSet;

use super::report::Role;
use super::substitute::{map_dimensions, mentions, with_sizes};
use super::unify::{Clash, Unifier};
use super::{Checked, Checker, deep};
use crate::futhark::core::{Local, Size, Type};
use crate::futhark::source::Span;

/// In the place of a size that may be anything.
const ANYTHING: Size = Size::Unknown(u32::MAX);

impl Unifier {
    /// Notes that a variable stands for a size that has no term of its own.
    pub(super) fn soften(&mut self, local: Local) {
        self.soft.insert(local);
    }

    /// Notes that a variable stands for a size, and is soft if that is.
    pub(super) fn soften_as(&mut self, local: Local, origin: &Size) {
        if self.is_soft(origin) {
            self.soften(local);
        }
    }

    /// Notes that a variable stands for one of these sizes, whichever it turns out to be, and is soft if one of them is.
    pub(super) fn stands_for(&mut self, local: Local, sizes: impl Into<Vec<Size>>) {
        let sizes = sizes.into();
        sizes.iter().for_each(|size| self.soften_as(local, size));
        self.choices.insert(local, sizes);
    }

    /// Whether a size is this one for sure, and the variables that are it then, since all that they stand for is.
    pub(super) fn becomes(&self, size: &Size, wanted: &Size, found: &mut Vec<Local>) -> bool {
        let size = self.resolve_size(size);
        if self.same_size(&size, wanted) {
            return true;
        }
        let Size::Local(local) = size else { return false };
        if found.contains(&local) {
            return true;
        }
        let Some(choices) = self.choices.get(&local) else { return false };
        found.push(local);
        choices.iter().all(|choice| deep(|| self.becomes(choice, wanted, found)))
    }

    /// Whether a size mentions a variable of which nothing is certain.
    fn is_soft(&self, size: &Size) -> bool {
        mentions(&self.resolve_size(size), &mut |leaf| match leaf {
            Size::Local(local) => self.soft.contains(local),
            leaf => matches!(leaf, Size::Unknown(_)),
        })
    }

    fn is_over(&self, size: &Size, locals: &FxHashSet<Local>) -> bool {
        mentions(size, &mut |leaf| matches!(leaf, Size::Local(local) if locals.contains(local)))
    }

    /// Whether a value of a module can be used at the type that is promised, whose sizes it has too.
    pub(super) fn keeps(&mut self, found: &Type, promised: &Type) -> bool {
        self.unify(found, promised).is_ok() && self.apart(found, promised).is_none()
    }

    /// Sizes of two types of one form that differ for the language.
    pub(super) fn apart(&self, a: &Type, b: &Type) -> Option<(Size, Size)> {
        let each = |a: &[Type], b: &[Type]| a.iter().zip(b).find_map(|(a, b)| self.apart(a, b));
        match (self.known(a), self.known(b)) {
            (Type::Array(n, a), Type::Array(m, b)) => self.sizes_apart(n, m).or_else(|| self.apart(a, b)),
            (Type::Record(a), Type::Record(b)) => a.iter().zip(b).find_map(|((_, a), (_, b))| self.apart(a, b)),
            (Type::Sum(a), Type::Sum(b)) => a.iter().zip(b).find_map(|((_, a), (_, b))| each(a, b)),
            (Type::Function(a), Type::Function(b)) => self.apart(&a.param, &b.param).or_else(|| {
                // What the second leaves open may be anything in the first.
                let open = b.exists.iter().map(|local| (*local, ANYTHING));
                let known = open.chain(b.name.zip(a.name.map(Size::Local))).collect();
                self.apart(&a.result, &with_sizes(&b.result, &known))
            }),
            _ => None,
        }
    }

    fn sizes_apart(&self, a: &Size, b: &Size) -> Option<(Size, Size)> {
        let is_open = |size: &Size| mentions(size, &mut |leaf| *leaf == ANYTHING);
        if is_open(a) || is_open(b) || self.is_soft(a) || self.is_soft(b) || self.same_size(a, b) {
            return None;
        }
        let (mine, other) = (self.normal(a).to_size()?, self.normal(b).to_size()?);
        let possible = |implicit: &Size, other: &Size| {
            self.is_over(implicit, &self.implicit) && !self.is_over(other, &self.existential)
        };
        let unsure = self.is_soft(&mine) || self.is_soft(&other) || possible(&mine, &other) || possible(&other, &mine);
        (!unsure).then(|| (a.clone(), b.clone()))
    }

    /// The type, with all sizes of it open, if it has no functions.
    pub(super) fn any_sizes(&mut self, of: &Type, span: Span) -> Type {
        let of = self.resolve(of);
        if self.holds_function(&of) {
            return of;
        }
        map_dimensions(&of, &mut |_| Some(self.unknown_size(span)))
    }
}

impl Checker {
    /// Notes that sizes are compared at a place though the program does not ask for it.
    pub(super) fn note_comparison(&mut self, span: Span, role: Role<'_>) {
        if !matches!(role, Role::Coercion) {
            self.compared.insert(span, role.show());
        }
    }
}

impl super::finish::Finish<'_> {
    /// Refuses what would have sizes compared when the program runs, if it does not ask for it and they differ for the language.
    pub(super) fn not_apart(&self, found: &Type, wanted: &Type, span: Span) -> Checked<()> {
        let Some(role) = self.compared.get(&span) else { return Ok(()) };
        match self.unifier.apart(found, wanted) {
            Some((a, b)) => Err(self.unifier.mismatch(&Clash::Sizes(a, b), found, wanted, Role::Said(role), span)),
            None => Ok(()),
        }
    }
}

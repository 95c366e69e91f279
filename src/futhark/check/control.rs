//! Branches and loops: the types their results have, and the sizes that are known only from these.
//!
//! Law: a size is known around a branch or a loop only if all branches, or all iterations, agree on it
//! (tests/language/check.rs).

use rustc_hash::FxHashMap;

use super::expressions::{BOOL, pattern_value};
use super::functions::unused_size;
use super::ownership::Owned;
use super::report::Role;
use super::scope::Value;
use super::substitute::{has_size, map_dimensions, map_type, mentions, unknowns, with_sizes};
use super::types::I64;
use super::unify::{Clash, Prims, Required, Unifier};
use super::{Checked, Checker, deep, fault};
use crate::futhark::core::{
    Constant, Expression, ExpressionKind, Holds, Local, Loop, LoopForm, LoopPolicy, Pattern, Prim, Size, Type,
};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, Attribute};

/// A size of the variables of a loop: what it is called within, what it is before, and what it is after an iteration.
struct Dimension {
    within: Local,
    before: Size,
    after: Size,
    declared: bool,
}

impl Checker {
    pub(super) fn conditional(
        &mut self,
        condition: &tree::Expression,
        yes: &tree::Expression,
        no: &tree::Expression,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let condition = self.check(condition, &BOOL, Role::Condition)?;
        let mut branch = |written: &tree::Expression| {
            self.body(|checker| {
                let hint = checker.unifier.branch_hint(expected, written.span);
                checker.expression(written, hint.as_ref())
            })
        };
        let (yes, no) = (branch(yes)?, branch(no)?);
        let (of, binds) = self.unifier.join(&[&yes, &no])?;
        let kind = ExpressionKind::If(Box::new(condition), Box::new(yes), Box::new(no));
        let value = Expression { kind, of, span };
        Ok(if binds.is_empty() { value } else { self.bound(value, "branch", binds) })
    }

    pub(super) fn matching(
        &mut self,
        scrutinee: &tree::Expression,
        cases: &[(tree::Pattern, tree::Expression)],
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let scrutinee = self.expression(scrutinee, None)?;
        // All patterns first: together they may say what is matched.
        for (pattern, _) in cases {
            let of = self.pattern_type(pattern)?;
            self.unifier.equate(&of, &scrutinee.of, Role::Pattern, pattern.span)?;
        }
        let mut checked: Vec<(Pattern, Expression)> = Vec::with_capacity(cases.len());
        for (pattern, written) in cases {
            let mut bound = None;
            let value = self.body(|checker| {
                bound = Some(checker.pattern(pattern, &scrutinee.of)?);
                let hint = checker.unifier.branch_hint(expected, written.span);
                checker.expression(written, hint.as_ref())
            })?;
            checked.push((bound.expect("bound in the body"), value));
        }
        let values: Vec<&Expression> = checked.iter().map(|(_, value)| value).collect();
        let (of, binds) = self.unifier.join(&values)?;
        let value = Expression { kind: ExpressionKind::Match(Box::new(scrutinee), checked), of, span };
        Ok(if binds.is_empty() { value } else { self.bound(value, "branch", binds) })
    }

    pub(super) fn iteration(
        &mut self,
        written: &tree::Loop,
        attributes: &[&Attribute],
        span: Span,
    ) -> Checked<Expression> {
        let mut policy = LoopPolicy::default();
        for attribute in attributes {
            self.attribute(attribute, &mut policy, span)?;
        }
        policy.true_dependencies |= depends(&written.pattern);
        let initial = match &written.initial {
            Some(initial) => self.expression(initial, None)?,
            None => {
                let value = pattern_value(&written.pattern)?;
                self.expression(&value, None)?
            }
        };
        let counted = match &written.form {
            tree::LoopForm::For(name, _, end) => {
                let of = self.unifier.unknown(Required::OneOf(Prims::of(Prim::is_signed)), end.span);
                Some((Some(name), self.check(end, &of, Role::Index)?))
            }
            tree::LoopForm::In(_, xs) => {
                let size = self.unifier.unknown_size(xs.span);
                let element = self.unifier.unknown(Required::Nothing, xs.span);
                let of = Type::Array(size, element.into());
                Some((None, self.check(xs, &of, Role::Index)?))
            }
            tree::LoopForm::While(_) => None,
        };

        self.ownership.loops.insert(written.pattern.span, Owned::of_pattern(&written.pattern));
        let mut made = None;
        let mut dimensions = Vec::new();
        let body = self.body(|checker| {
            let mut declared = Vec::new();
            for size in &written.sizes {
                let local = checker.unifier.local(&size.name);
                checker.scopes.env.values.insert(size.name.clone(), Value::Local(local, I64));
                declared.push(local);
            }
            let own = checker.pattern_type(&written.pattern)?;
            let before = checker.unifier.resolve(&initial.of);
            let of = checker
                .unifier
                .loop_type(&own, &before, &declared, &mut dimensions, span)
                .map_err(|clash| checker.unifier.mismatch(&clash, &before, &own, Role::Loop, initial.span))?;
            let is_said = |local: Local| dimensions.iter().any(|d: &Dimension| d.within == local);
            if let Some((size, _)) = written.sizes.iter().zip(&declared).find(|(_, local)| !is_said(**local)) {
                return unused_size(size);
            }
            checker.unifier.equate(&own, &of, Role::Pattern, written.pattern.span)?;
            let pattern = checker.pattern(&written.pattern, &of)?;
            let form = match (&written.form, counted) {
                (tree::LoopForm::While(condition), _) => {
                    LoopForm::While(checker.body(|checker| checker.check(condition, &BOOL, Role::Condition))?)
                }
                (tree::LoopForm::In(element, _), Some((_, xs))) => {
                    let Type::Array(_, wanted) = checker.unifier.head(&xs.of) else { unreachable!("checked above") };
                    let of = checker.pattern_type(element)?;
                    checker.unifier.equate(&of, &wanted, Role::Pattern, element.span)?;
                    LoopForm::In(checker.pattern(element, &of)?, xs)
                }
                (tree::LoopForm::For(name, ..), Some((_, end))) => {
                    let local = checker.unifier.local(name);
                    checker.scopes.env.bind(name, Value::Local(local, end.of.clone()));
                    LoopForm::For(local, end)
                }
                (tree::LoopForm::In(..) | tree::LoopForm::For(..), None) => unreachable!("checked above"),
            };
            let after = dimensions.iter().map(|d: &Dimension| (d.within, d.after.clone())).collect();
            let wanted = with_sizes(&checker.unifier.resolve(&of), &after);
            let value = checker.expression(&written.body, Some(&wanted))?;
            let value = checker.convert(value, &wanted, Role::Loop)?;
            checker.unifier.invariant(&mut dimensions);
            made = Some((pattern, form, of));
            Ok(value)
        })?;
        let (pattern, form, of) = made.expect("made in the body");
        let before = dimensions.iter().map(|d| (d.within, d.before.clone())).collect();
        let wanted = with_sizes(&self.unifier.resolve(&of), &before);
        let initial = self.convert(initial, &wanted, Role::Loop)?;
        let sizes: Vec<Local> = dimensions.iter().map(|d| d.within).collect();
        let (of, binds) = self.unifier.renamed(&of, &sizes);
        self.unifier.has_no_functions(&of);
        self.unifier.leave(&of, self.unifier.level);
        let kind = ExpressionKind::Loop(Box::new(Loop { sizes, pattern, initial, form, body, policy }));
        let value = Expression { kind, of, span };
        Ok(if binds.is_empty() { value } else { self.bound(value, "loop", binds) })
    }

    fn attribute(&mut self, attribute: &Attribute, policy: &mut LoopPolicy, span: Span) -> Checked<()> {
        let Attribute::Apply(name, arguments) = attribute else {
            policy.true_dependencies |= matches!(attribute, Attribute::Name(name) if &**name == "true_dep");
            return Ok(());
        };
        match (&**name, &arguments[..]) {
            ("stripmine", [Attribute::Integer(levels)]) => match u32::try_from(*levels) {
                Ok(levels) if (1..=64).contains(&levels) => policy.strip_mine = Some(levels),
                Ok(_) | Err(_) => {
                    let text = format!("a loop cannot be a nest of {levels} loops");
                    return fault("attribute", span, text, "write a number from 1 to 64");
                }
            },
            ("bound", [Attribute::Integer(bound)]) => {
                let kind = ExpressionKind::Constant(Constant::Integer(i128::from(*bound)));
                policy.bound = Some(Box::new(Expression { kind, of: I64, span }));
            }
            ("bound", [Attribute::Name(name)]) => {
                let bound = self.name(&super::scope::plain(name, span))?;
                policy.bound = Some(Box::new(self.convert(bound, &I64, Role::Size)?));
            }
            _ => {}
        }
        Ok(())
    }
}

impl Unifier {
    /// What is expected of a branch: the type, with the sizes that are not known yet left open in each branch.
    fn branch_hint(&mut self, expected: Option<&Type>, span: Span) -> Option<Type> {
        let of = self.resolve(expected?);
        if matches!(of, Type::Unknown(_)) {
            return None;
        }
        let of = map_dimensions(&of, &mut |size| {
            let unknown = mentions(size, &mut |leaf| matches!(leaf, Size::Unknown(_)));
            unknown.then(|| self.unknown_size(span))
        });
        // A part of which nothing is known may have sizes that differ in each branch, too.
        let mut fresh = FxHashMap::default();
        for unknown in unknowns(&of).0 {
            if matches!(self.types[unknown as usize].required, Required::Nothing) {
                fresh.insert(unknown, self.unknown(Required::Nothing, span));
            }
        }
        Some(map_type(&of, Holds::UNKNOWNS, &mut |_| None, &mut |variable| match variable {
            Type::Unknown(unknown) => fresh.get(unknown).cloned(),
            _ => None,
        }))
    }

    /// The type of values of which one is chosen, and the sizes of it that are known only when it is.
    fn join(&mut self, values: &[&Expression]) -> Checked<(Type, Vec<Local>)> {
        let level = self.level;
        let mut binds = Vec::new();
        let mut of = values[0].of.clone();
        for value in &values[1..] {
            let mut pairs = FxHashMap::default();
            of = self
                .join_types(&of, &value.of, &mut binds, &mut pairs)
                .map_err(|clash| self.mismatch(&clash, &value.of, &values[0].of, Role::Branch, value.span))?;
        }
        let (of, open) = self.open_result(&self.resolve(&of), &[], level, values[0].span)?;
        for local in &open {
            self.local_levels[local.0 as usize] = level;
        }
        self.leave(&of, level);
        binds.extend(open);
        // A size that a later branch made unknown again is not in the type any more.
        let used = of.locals();
        binds.retain(|local| used.contains(local));
        self.has_no_functions(&of);
        Ok((of, binds))
    }

    /// The type of two values; two sizes that differ are one size of it wherever they differ so, one of `pairs`.
    fn join_types(
        &mut self,
        a: &Type,
        b: &Type,
        binds: &mut Vec<Local>,
        pairs: &mut FxHashMap<(Size, Size), Local>,
    ) -> Result<Type, Clash> {
        deep(|| match (self.head(a), self.head(b)) {
            (Type::Array(n, a), Type::Array(m, b)) => {
                let element = self.join_types(&a, &b, binds, pairs)?;
                let (n, m) = (self.resolve_size(&n), self.resolve_size(&m));
                let unknown = |leaf: &Size| matches!(leaf, Size::Unknown(_));
                let known = !mentions(&n, &mut { unknown }) && !mentions(&m, &mut { unknown });
                let same = if known { self.same_size(&n, &m) } else { matches!(self.unify_size(&n, &m), Ok(false)) };
                let size = if same {
                    n
                } else {
                    Size::Local(*pairs.entry((n.clone(), m.clone())).or_insert_with(|| {
                        let local = self.fresh("k");
                        self.stands_for(local, [n, m]);
                        binds.push(local);
                        local
                    }))
                };
                Ok(Type::Array(size, element.into()))
            }
            (Type::Record(a), Type::Record(b)) => record_of_both(&a, &b, |a, b| self.join_types(a, b, binds, pairs)),
            (a, b) => {
                // The next is bound to the first, so that many make no chain.
                self.unify(&b, &a)?;
                Ok(a)
            }
        })
    }

    /// The type of the variables of a loop: that of their first values, with sizes that may change unless the pattern says
    /// what they are.
    fn loop_type(
        &mut self,
        own: &Type,
        before: &Type,
        declared: &[Local],
        dimensions: &mut Vec<Dimension>,
        span: Span,
    ) -> Result<Type, Clash> {
        match (self.head(own), self.head(before)) {
            // Of a first value that nothing is known of, the pattern says all but the sizes that the loop binds.
            (own @ (Type::Array(..) | Type::Record(_)), Type::Unknown(_))
                if declared.iter().any(|size| has_size(&self.resolve(&own), &Size::Local(*size))) =>
            {
                let open = self.any_sizes(&own, span);
                self.unify(before, &open)?;
                self.loop_type(&own, before, declared, dimensions, span)
            }
            (Type::Unknown(_), before) => Ok(map_dimensions(&self.resolve(&before), &mut |size| {
                Some(Size::Local(self.dimension(size, dimensions, span)))
            })),
            (Type::Array(n, own), Type::Array(m, before)) => {
                let element = self.loop_type(&own, &before, declared, dimensions, span)?;
                let size = match self.resolve_size(&n) {
                    Size::Local(local) if declared.contains(&local) => {
                        if !dimensions.iter().any(|d| d.within == local) {
                            let after = self.unknown_size(span);
                            dimensions.push(Dimension { within: local, before: m, after, declared: true });
                        }
                        Size::Local(local)
                    }
                    Size::Unknown(_) => Size::Local(self.dimension(&m, dimensions, span)),
                    fixed => fixed,
                };
                Ok(Type::Array(size, element.into()))
            }
            (Type::Record(own), Type::Record(before)) => {
                record_of_both(&own, &before, |own, before| self.loop_type(own, before, declared, dimensions, span))
            }
            (own, before) => {
                self.unify(&own, &before)?;
                Ok(own)
            }
        }
    }

    fn dimension(&mut self, before: &Size, dimensions: &mut Vec<Dimension>, span: Span) -> Local {
        let within = self.fresh("k");
        let after = self.unknown_size(span);
        dimensions.push(Dimension { within, before: before.clone(), after, declared: false });
        within
    }

    /// Finds the sizes that no iteration changes, and puts what they are in their places: there and where one of two values is chosen
    /// whose sizes differ in nothing else.
    fn invariant(&mut self, dimensions: &mut Vec<Dimension>) {
        let mut chosen = Vec::new();
        let mut same: Vec<bool> = dimensions.iter().map(|d| !d.declared).collect();
        for (d, _) in dimensions.iter().zip(&same).filter(|(_, same)| **same) {
            self.alias.insert(d.within, d.before.clone());
        }
        loop {
            let mut changed = false;
            chosen.clear();
            for (d, same) in dimensions.iter().zip(&mut same).filter(|(_, same)| **same) {
                let after = self.resolve_size(&d.after);
                let equal = match after {
                    Size::Unknown(_) => matches!(self.unify_size(&after, &Size::Local(d.within)), Ok(false)),
                    after => {
                        let mut found = Vec::new();
                        let equal = self.becomes(&after, &d.before, &mut found);
                        if equal {
                            chosen.extend(found.into_iter().map(|local| (local, d.before.clone())));
                        }
                        equal
                    }
                };
                if !equal {
                    self.alias.remove(&d.within);
                    (*same, changed) = (false, true);
                }
            }
            if !changed {
                break;
            }
        }
        self.eliminated.extend(chosen);
        let mut at = 0;
        dimensions.retain(|d| {
            at += 1;
            if same[at - 1] {
                self.eliminated.insert(d.within, d.before.clone());
            } else {
                self.stands_for(d.within, [d.before.clone(), d.after.clone()]);
            }
            !same[at - 1]
        });
    }
}

/// A record of what two records of the same fields make of each.
fn record_of_both(
    a: &[(Name, Type)],
    b: &[(Name, Type)],
    mut both: impl FnMut(&Type, &Type) -> Result<Type, Clash>,
) -> Result<Type, Clash> {
    if a.len() != b.len() || a.iter().zip(b).any(|((x, _), (y, _))| x != y) {
        return Err(Clash::Types);
    }
    let fields = a.iter().zip(b).map(|((name, a), (_, b))| Ok((name.clone(), both(a, b)?)));
    Ok(Type::Record(fields.collect::<Result<_, _>>()?))
}

/// Whether a pattern has `#[true_dep]`.
fn depends(pattern: &tree::Pattern) -> bool {
    match &pattern.kind {
        tree::PatternKind::Attribute(Attribute::Name(name), inner) => &**name == "true_dep" || depends(inner),
        tree::PatternKind::Attribute(_, inner) | tree::PatternKind::Ascribe(inner, _) => depends(inner),
        tree::PatternKind::Tuple(parts) | tree::PatternKind::Constructor(_, parts) => parts.iter().any(depends),
        tree::PatternKind::Record(fields) => fields.iter().any(|(_, part)| depends(part)),
        tree::PatternKind::Name(_) | tree::PatternKind::Wildcard | tree::PatternKind::Literal(_) => false,
    }
}

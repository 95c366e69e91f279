//! When types agree, and what is said when they do not.
//!
//! Law: sizes agree if they are equal as polynomials over what is known of variables, or if one is yet to be bound
//! (tests/language/check.rs).

use super::{I64, Verified, Verifier, wrong};
use crate::futhark::core::sizes::{Polynomial, leaves, map_size};
use crate::futhark::core::substitute::{map_dimensions, with_sizes};
use crate::futhark::core::{Constant, Expression, HIDDEN, Local, Prim, Size, Type};
use crate::futhark::source::{Name, Span};

impl Verifier<'_> {
    /// The sizes and variables of a type are known; sizes are in scope, bound by the type, or among the open ones.
    pub(super) fn formed(&self, of: &Type, open: &[Local], span: Span) -> Verified {
        match of {
            Type::Array(size, _) => self.size(size, open, span)?,
            Type::Function(function) => {
                self.formed(&function.param, open, span)?;
                let inside = open.iter().chain(&function.name).chain(&function.exists).copied();
                return self.formed(&function.result, &inside.collect::<Vec<Local>>(), span);
            }
            Type::Var(var) if !self.variables.contains(&var.id) => {
                return wrong(span, format!("the type variable {} is not in scope", var.name));
            }
            Type::Unknown(_) => return wrong(span, "an unknown type"),
            Type::Prim(_) | Type::Record(_) | Type::Sum(_) | Type::Var(_) | Type::Accumulator(_) => {}
        }
        of.children().try_for_each(|of| self.formed(of, open, span))
    }

    fn is_known(&self, local: Local) -> bool {
        self.types.contains_key(&local) || self.constants.contains(&local)
    }

    pub(super) fn size(&self, size: &Size, open: &[Local], span: Span) -> Verified {
        let mut problem = None;
        leaves(size, &mut |leaf| match leaf {
            Size::Unknown(_) => problem = Some("an unknown size".to_owned()),
            Size::Local(local) if !open.contains(local) && !self.is_known(*local) => {
                let name = self.program.locals.get(local.0 as usize).map_or("?", |name| &**name);
                if name == HIDDEN {
                    return;
                }
                problem = Some(format!("the size {name} ({}) is not in scope", local.0));
            }
            _ => {}
        });
        problem.map_or(Ok(()), |problem| wrong(span, problem))
    }

    /// Two types agree. Where open sizes are given, a size of the second type that mentions one of them agrees with any; the
    /// sizes of the first that are not in scope any more agree only with such.
    pub(super) fn same(&self, a: &Type, b: &Type, open: Option<&[Local]>, span: Span) -> Verified {
        let differ = || wrong(span, format!("the type {} is not {}", self.program.show(a), self.program.show(b)));
        match (a, b) {
            (Type::Prim(a), Type::Prim(b)) if a == b => Ok(()),
            (Type::Var(a), Type::Var(b)) if a.id == b.id => Ok(()),
            (Type::Array(n, a), Type::Array(m, b)) => {
                let mut free = false;
                leaves(m, &mut |leaf| {
                    if let Size::Local(local) = leaf {
                        free |= open.is_some_and(|open| open.contains(local)) || !self.is_known(*local);
                    }
                });
                if !free && self.normal(n) != self.normal(m) {
                    return differ();
                }
                self.same(a, b, open, span)
            }
            (Type::Record(a), Type::Record(b)) if a.len() == b.len() => a
                .iter()
                .zip(b)
                .try_for_each(|(a, b)| if a.0 == b.0 { self.same(&a.1, &b.1, open, span) } else { differ() }),
            (Type::Sum(a), Type::Sum(b)) if a.len() == b.len() => a.iter().zip(b).try_for_each(|(a, b)| {
                if a.0 != b.0 || a.1.len() != b.1.len() {
                    return differ();
                }
                a.1.iter().zip(&b.1).try_for_each(|(a, b)| self.same(a, b, open, span))
            }),
            (Type::Function(a), Type::Function(b)) => {
                self.same(&a.param, &b.param, open, span)?;
                let exists = a.exists.iter().zip(&b.exists).map(|(a, b)| (*a, Size::Local(*b)));
                let renamed = exists.chain(a.name.zip(b.name.map(Size::Local))).collect();
                self.same(&with_sizes(&a.result, &renamed), &b.result, open, span)
            }
            (Type::Accumulator(a), Type::Accumulator(b)) => self.same(a, b, open, span),
            _ => differ(),
        }
    }

    pub(super) fn normal(&self, size: &Size) -> Polynomial {
        Polynomial::of(&self.expand(size, 64))
    }

    pub(super) fn expand(&self, size: &Size, fuel: u32) -> Size {
        map_size(size, &mut |leaf| match leaf {
            Size::Local(local) if fuel > 0 => self.equal.get(local).map(|size| self.expand(size, fuel - 1)),
            _ => None,
        })
    }

    /// Two types that agree up to sizes.
    pub(super) fn same_shape(&self, a: &Type, b: &Type, span: Span) -> Verified {
        let flat = |of: &Type| map_dimensions(of, &mut |_| Some(Size::Constant(0)));
        self.same(&flat(a), &flat(b), None, span)
    }
}

pub(super) fn constant_fits(constant: Constant, of: &Type, span: Span) -> Verified {
    let fits = match (constant, of) {
        (Constant::Bool(_), Type::Prim(prim)) => *prim == Prim::Bool,
        (Constant::Integer(_), Type::Prim(prim)) => prim.is_integer(),
        (Constant::Real(_), Type::Prim(prim)) => prim.is_real(),
        _ => false,
    };
    if fits { Ok(()) } else { wrong(span, "a constant is not of its kind") }
}

pub(super) fn field<'t>(of: &'t Type, name: &Name, span: Span) -> Result<&'t Type, String> {
    let Type::Record(fields) = of else { return wrong(span, "a field of what is no record") };
    match fields.iter().find(|(own, _)| own == name) {
        Some((_, of)) => Ok(of),
        None => wrong(span, "a field that the record has not"),
    }
}

/// The size that an expression is.
pub(super) fn size_of(value: &Expression) -> Option<Size> {
    value.as_size(&|of| *of == I64)
}

//! Functions that call themselves.
//!
//! Law: within its own definition a function has the type that its parameters and its result are written at, for all sizes and
//! types that it is generic in; what is not written is the same in each call (tests/language/check.rs, tests/language/interpret.rs).

use std::rc::Rc;

use super::report::Role;
use super::scope::{Known, Value};
use super::substitute::unknowns;
use super::types::I64;
use super::unify::Required;
use super::{Checked, Checker, OwnCalls, deep, fault};
use crate::futhark::core::{
    Defined, Definition, Expression, ExpressionKind, FunctionType, Instance, Local, Scheme, Size, Type, TypeVar,
};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, PatternKind};

impl Checker {
    /// Puts the name of a function in scope of its own definition, and returns what it is generic in there.
    pub(super) fn own_name(&mut self, declared: &tree::ValueDeclaration, number: Definition) -> Checked<Scheme> {
        let scheme = self.scoped(|checker| checker.written_scheme(declared))?;
        let span = declared.name_span;
        let body = Expression { kind: ExpressionKind::Hole, of: scheme.body.clone(), span };
        let defined = Rc::new(Defined { name: declared.name.clone(), span, scheme: scheme.clone(), body, size: None });
        let known = Value::Definition(Rc::new(Known { number, defined, open: Vec::new() }));
        self.scopes.env.values.insert(declared.name.clone(), known);
        self.bodies.own = Some(OwnCalls { number, calls: Vec::new() });
        Ok(scheme)
    }

    /// The type that a function is written at, with unknowns for what is not.
    fn written_scheme(&mut self, declared: &tree::ValueDeclaration) -> Checked<Scheme> {
        let (mut sizes, types) = self.scopes.type_params(&declared.type_params, &mut self.unifier);
        let outside = std::mem::replace(&mut self.bodies.outside, true);
        let mut params = Vec::with_capacity(declared.params.len());
        for param in &declared.params {
            let before = self.unifier.sizes.len();
            let of = self.pattern_type(param)?;
            self.unifier.rigid(before, &mut sizes);
            let name = variable(param).map(|name| {
                let local = self.unifier.bound_by_type(name);
                self.scopes.env.values.insert(name.clone(), Value::Local(local, of.clone()));
                local
            });
            params.push((of, name));
        }
        let before = self.unifier.sizes.len();
        let mut result = match &declared.result {
            Some(result) => self.type_expression(result)?,
            None => self.unifier.unknown(Required::Nothing, declared.name_span),
        };
        self.bodies.outside = outside;
        let mut exists = self.unifier.name_result(&result, before);
        for (param, name) in params.into_iter().rev() {
            let result_at = self.unifier.resolve(&result);
            let name = name.filter(|name| result_at.locals().contains(name));
            if name.is_some() {
                self.unifier.equate(&param, &I64, Role::Size, declared.name_span)?;
            }
            let (param, exists) = (self.unifier.resolve(&param), std::mem::take(&mut exists));
            result = FunctionType { param, name, exists, result: result_at }.into();
        }
        Ok(Scheme { sizes, types, body: result })
    }

    /// Makes the type that a function was taken to have equal to the one that it has. Where what is not written depends on what the
    /// function is generic in, it calls itself at its own sizes and types.
    pub(super) fn agrees(
        &mut self,
        assumed: &Scheme,
        (sizes, types): (&[Local], &[TypeVar]),
        of: &Type,
        span: Span,
    ) -> Checked<()> {
        if assumed.sizes.len() != sizes.len() || assumed.types.len() != types.len() {
            let text = "what this function is generic in is not known before it calls itself";
            return fault("recursion", span, text, "write the types of its parameters and of its result");
        }
        let unwritten = unknowns(&assumed.body).0.into_iter().map(Type::Unknown).collect();
        let own = Instance {
            sizes: sizes.iter().map(|size| Size::Local(*size)).collect(),
            types: types.iter().cloned().map(Type::Var).collect(),
        };
        let wanted = Scheme { body: self.unifier.resolve(&assumed.body), ..assumed.clone() }.at(&own);
        match self.unifier.unify(of, &wanted) {
            Ok(false) => {}
            // Nothing compares them when the program runs.
            Ok(true) => {
                let (of, wanted) = (self.unifier.show(of), self.unifier.show(&wanted));
                let text = format!("this function is of type {of}, and calls itself as one of type {wanted}");
                return fault("recursion", span, text, "write the types of its parameters and of its result");
            }
            Err(clash) => return Err(self.unifier.mismatch(&clash, of, &wanted, Role::Result, span)),
        }
        let unwritten = Scheme {
            sizes: sizes.to_vec(),
            types: types.to_vec(),
            body: self.unifier.resolve(&Type::tuple(unwritten)),
        };
        let others = Instance {
            sizes: sizes.iter().map(|_| Size::Constant(0)).collect(),
            types: types.iter().map(|_| I64).collect(),
        };
        if unwritten.at(&others) == unwritten.body {
            return Ok(());
        }
        let calls = self.bodies.own.take().map(|own| own.calls);
        for (call, span) in calls.into_iter().flatten() {
            let unifier = &mut self.unifier;
            let sizes =
                call.sizes.iter().zip(&own.sizes).all(|(a, b)| unifier.unify_size(a, b).is_ok_and(|left| !left));
            let types = call.types.iter().zip(&own.types).all(|(a, b)| unifier.unify(a, b).is_ok_and(|left| !left));
            if !(sizes && types) {
                let text =
                    "this call is at other sizes or types, on which what is not written of the function's type depends";
                return fault("recursion", span, text, "write the types of its parameters and of its result");
            }
        }
        Ok(())
    }
}

/// The name of a parameter that is one variable.
fn variable(param: &tree::Pattern) -> Option<&Name> {
    match &param.kind {
        PatternKind::Name(name) => Some(name),
        PatternKind::Ascribe(inner, _) | PatternKind::Attribute(_, inner) => variable(inner),
        _ => None,
    }
}

/// Lets the calls of a function within its definition be at what it turned out to be generic in beside what is written.
pub(super) fn complete_calls(body: &mut Expression, number: Definition, scheme: &Scheme) {
    if let ExpressionKind::Definition(definition, Instance { sizes, types }) = &mut body.kind
        && *definition == number
    {
        let new_sizes = scheme.sizes.iter().skip(sizes.len()).map(|size| Size::Local(*size));
        *sizes = sizes.iter().cloned().chain(new_sizes).collect();
        let new_types = scheme.types.iter().skip(types.len()).cloned().map(Type::Var);
        *types = types.iter().cloned().chain(new_types).collect();
    }
    body.children_mut().for_each(|child| deep(|| complete_calls(child, number, scheme)));
}

//! Types as written become types; schemes and abbreviations become types at what they are used with.
//!
//! Law: a size that is not written is a new unknown in each use; a size that is written is a term over what is in scope
//! (tests/language/check.rs).

use std::cmp::Ordering;
use std::iter;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::report::{Role, counted};
use super::scope::{Scopes, Template, TemplateParam, Value, show_name};
use super::substitute::{has_size, map_type, unknowns};
use super::unify::{Required, Unifier};
use super::{Checked, Checker, deep, fault};
use crate::futhark::core::{
    Expression, ExpressionKind, FunctionType, Holds, Instance, Local, Prim, Scheme, Size, Type, TypeVar,
};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{
    self, TypeArgument, TypeDeclaration, TypeExpression, TypeKind, TypeParam, TypeParamKind,
};

/// The order of the fields of records: numbers by value, then names.
pub(super) fn field_order(a: &Name, b: &Name) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(a), Ok(b)) => a.cmp(&b),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// The type of `i64`, which sizes have.
pub(super) const I64: Type = Type::Prim(Prim::I64);

impl Checker {
    /// The type that is written.
    pub(super) fn type_expression(&mut self, written: &TypeExpression) -> Checked<Type> {
        deep(|| match &written.kind {
            TypeKind::Name(name, arguments) => self.named_type(name, arguments, written.span),
            TypeKind::Array(size, element) => {
                let size = self.written_size(size.as_deref(), written.span)?;
                self.as_element(element)?;
                Ok(Type::Array(size, self.type_expression(element)?.into()))
            }
            TypeKind::Tuple(components) => Ok(Type::tuple(self.type_expressions(components)?)),
            TypeKind::Record(fields) => {
                let mut record = Vec::with_capacity(fields.len());
                for (name, of) in fields {
                    record.push((name.clone(), self.type_expression(of)?));
                }
                distinct(record.iter().map(|(name, _)| name), "field", written.span)?;
                record.sort_by(|(a, _), (b, _)| field_order(a, b));
                Ok(Type::Record(record.into()))
            }
            TypeKind::Sum(constructors) => {
                let mut sum = Vec::with_capacity(constructors.len());
                for (name, payload) in constructors {
                    sum.push((name.clone(), self.type_expressions(payload)?));
                }
                distinct(sum.iter().map(|(name, _)| name), "constructor", written.span)?;
                sum.sort_by(|(a, _), (b, _)| a.cmp(b));
                Ok(Type::Sum(sum.into()))
            }
            TypeKind::Function(name, param, result) => self.function_type(name.as_ref(), param, result),
            TypeKind::Unique(of) => self.type_expression(of),
            TypeKind::Exists(names, of) => self.scoped(|checker| {
                let mut sizes = Vec::with_capacity(names.len());
                for name in names {
                    let size = checker.unifier.unknown_size(written.span);
                    checker.scopes.env.values.insert(name.clone(), Value::Size(size.clone()));
                    sizes.push(size);
                }
                let of = checker.type_expression(of)?;
                for (name, size) in names.iter().zip(&sizes) {
                    if !has_size(&of, size) {
                        let text = format!("no array has the size `{name}`, so nothing would say what it is");
                        return fault(
                            "size",
                            written.span,
                            text,
                            format!("leave it out, or use it: `?[{name}].[{name}]t`"),
                        );
                    }
                }
                Ok(of)
            }),
        })
    }

    fn type_expressions(&mut self, written: &[TypeExpression]) -> Checked<Vec<Type>> {
        written.iter().map(|of| self.type_expression(of)).collect()
    }

    fn function_type(&mut self, name: Option<&Name>, param: &TypeExpression, result: &TypeExpression) -> Checked<Type> {
        let param = self.type_expression(param)?;
        let (local, mut exists, result) = self.deeper(|checker| {
            let local = name.map(|name| {
                let local = checker.unifier.bound_by_type(name);
                checker.scopes.env.values.insert(name.clone(), Value::Local(local, param.clone()));
                local
            });
            let before = checker.unifier.sizes.len();
            let result = checker.type_expression(result);
            let exists = result.as_ref().map_or_else(|_| Vec::new(), |of| checker.unifier.name_result(of, before));
            (local, exists, result)
        });
        let result = self.unifier.resolve(&result?);
        self.unifier.leave(&result, self.unifier.level);
        let used = result.locals();
        exists.retain(|local| used.contains(local));
        let name = local.filter(|local| used.contains(local));
        if name.is_some() && param != I64 {
            self.unifier.equate(&param, &I64, Role::Size, Span::default())?;
        }
        // The size that a function returns only with its last argument is known only then.
        let (exists, result) = match result {
            Type::Function(function) if !exists.is_empty() => {
                let mut function = function.into_inner();
                function.exists.extend(exists);
                (Vec::new(), function.into())
            }
            result => (exists, result),
        };
        Ok(FunctionType { param, name, exists, result }.into())
    }

    fn named_type(&mut self, name: &tree::QualifiedName, arguments: &[TypeArgument], span: Span) -> Checked<Type> {
        let template = self.scopes.find_type(name)?;
        if template.params.len() != arguments.len() {
            let text = format!(
                "the type `{}` has {}, but {} are given",
                show_name(name),
                counted(template.params.len(), "parameter"),
                counted(arguments.len(), "argument")
            );
            return fault("type", span, text, "give one argument for each parameter, sizes in brackets");
        }
        let mut sizes: FxHashMap<Local, Size> = FxHashMap::default();
        let mut types: FxHashMap<u32, Type> = FxHashMap::default();
        for (param, argument) in template.params.iter().zip(arguments) {
            match (param, argument) {
                (TemplateParam::Size(local), TypeArgument::Size(size)) => {
                    let size = self.written_size(size.as_ref().map(|size| &**size), span)?;
                    sizes.insert(*local, size);
                }
                (TemplateParam::Type(id), TypeArgument::Type(of)) => {
                    let of = self.type_expression(of)?;
                    types.insert(*id, of);
                }
                (TemplateParam::Size(_), TypeArgument::Type(_)) => {
                    return fault("type", span, "a size is expected here, not a type", "write it in brackets: `[n]`");
                }
                (TemplateParam::Type(_), TypeArgument::Size(_)) => {
                    return fault("type", span, "a type is expected here, not a size", "write a type");
                }
            }
        }
        for local in &template.open {
            let size = self.unifier.unknown_size(span);
            let is_written = self.unifier.soft.contains(local);
            self.unifier.sizes.last_mut().expect("made above").is_written = is_written;
            sizes.insert(*local, size);
        }
        let of = substitute(&template.body, &sizes, &types);
        self.unifier.small(&of, span)?;
        Ok(of)
    }

    /// The size that is written, or a new unknown.
    fn written_size(&mut self, size: Option<&tree::Expression>, span: Span) -> Checked<Size> {
        let Some(size) = size else { return Ok(self.unifier.unknown_size(span)) };
        let outside = self.bodies.pending.is_empty() || self.bodies.outside;
        if outside {
            self.bodies.pending.push(Vec::new());
        }
        let checked = self.check(size, &I64, Role::Size);
        let named = match checked {
            Ok(value) => match self.unifier.size_of(&value) {
                Some(size) => Ok(size),
                None if matches!(value.kind, ExpressionKind::Constant(_)) => {
                    fault("literal", span, "the number is too large for a size", "sizes are of type `i64`")
                }
                None if outside => {
                    let of = self.unifier.unknown_size(span);
                    self.unifier.sizes.last_mut().expect("made above").is_written = true;
                    self.bodies.claims.push((of.clone(), size.clone()));
                    Ok(of)
                }
                None => Ok(self.sized(value, "size").1),
            },
            Err(fault) => Err(fault),
        };
        if outside {
            self.bodies.pending.pop();
        }
        named
    }

    /// A value of type `i64` with the size that it is: that of a variable which is bound to it, if it is no term that
    /// sizes can be. A constant that does not fit has no size, which is reported later.
    pub(super) fn sized(&mut self, value: Expression, name: &str) -> (Expression, Size) {
        if let Some(size) = self.unifier.size_of(&value) {
            return (value, size);
        }
        let value = self.bound(value, name, Vec::new());
        let size = self.unifier.size_of(&value).expect("a variable of type i64 is a size");
        (value, size)
    }

    /// A declared type, as what it stands for, and whether its declaration says enough of it.
    pub(super) fn declared_type(
        &mut self,
        declared: &TypeDeclaration,
        definition: &TypeExpression,
    ) -> Checked<(Template, Checked<()>)> {
        let template = self.template(&declared.params, definition)?;
        let fits = self.as_declared(&template, declared, definition.span);
        Ok((Template { lifted: declared.lifted, ..template }, fits))
    }

    /// What a type with parameters stands for.
    pub(super) fn template(&mut self, params: &[TypeParam], definition: &TypeExpression) -> Checked<Template> {
        let before = self.unifier.locals.len();
        let first = self.unifier.sizes.len();
        distinct_params(params, definition.span)?;
        let (params, body, lifted) = self.scoped(|checker| {
            checker.scopes.type_params(params, &mut checker.unifier);
            let lifted = checker.lifted(definition);
            (checker.scopes.template_params(params, before), checker.type_expression(definition), lifted)
        });
        let body = body?;
        let open = self.unifier.name_sizes(first, |unifier| unifier.fresh("k"));
        Ok(Template { params, open, lifted, body: self.unifier.resolve(&body) })
    }
}

impl Scopes {
    /// Puts `[n]` and `'t` into scope, as sizes and types that are not known.
    pub(super) fn type_params(&mut self, params: &[TypeParam], unifier: &mut Unifier) -> (Vec<Local>, Vec<TypeVar>) {
        let (mut sizes, mut types) = (Vec::new(), Vec::new());
        for param in params {
            match param.kind {
                TypeParamKind::Size => {
                    let local = unifier.local(&param.name);
                    self.env.values.insert(param.name.clone(), Value::Local(local, I64));
                    sizes.push(local);
                }
                TypeParamKind::Type | TypeParamKind::SizeLifted | TypeParamKind::Lifted => {
                    let var = unifier.type_variable(&param.name);
                    unifier.lifted.insert(var.id, param.kind);
                    unifier.type_levels.insert(var.id, unifier.level);
                    let template = Template {
                        params: Vec::new(),
                        open: Vec::new(),
                        lifted: param.kind,
                        body: Type::Var(var.clone()),
                    };
                    self.env.types.insert(param.name.clone(), Rc::new(template));
                    types.push(var);
                }
            }
        }
        (sizes, types)
    }

    /// The parameters of a declared type, which are in scope as variables that are not older than `before`.
    fn template_params(&self, params: &[TypeParam], before: usize) -> Vec<TemplateParam> {
        params
            .iter()
            .map(|param| match (param.kind, self.env.values.get(&param.name), self.env.types.get(&param.name)) {
                (TypeParamKind::Size, Some(Value::Local(local, _)), _) if local.0 as usize >= before => {
                    TemplateParam::Size(*local)
                }
                (_, _, Some(template)) => match &template.body {
                    Type::Var(var) => TemplateParam::Type(var.id),
                    _ => unreachable!("a type parameter is a variable"),
                },
                _ => unreachable!("parameters were put into scope"),
            })
            .collect()
    }
}

impl Unifier {
    /// Gives each size that is unknown and was made since there were `before` of them a variable of its own.
    pub(super) fn name_sizes(&mut self, before: usize, variable: impl Fn(&mut Unifier) -> Local) -> Vec<Local> {
        self.name_each(before..self.sizes.len(), variable)
    }

    /// The same of those that a type has when it is a result: they are known when it is there. What functions among results take
    /// has the sizes that it has to have.
    pub(super) fn name_result(&mut self, of: &Type, before: usize) -> Vec<Local> {
        let of = self.resolve(of);
        let mut last = &of;
        while let Type::Function(function) = last {
            last = &function.result;
        }
        let unknown = unknowns(last).1.into_iter().map(|unknown| unknown as usize);
        self.name_each(unknown.filter(|unknown| *unknown >= before), |unifier| unifier.bound_by_type(&Name::from("k")))
    }

    fn name_each(
        &mut self,
        unknown: impl Iterator<Item = usize>,
        variable: impl Fn(&mut Unifier) -> Local,
    ) -> Vec<Local> {
        let mut named = Vec::new();
        for unknown in unknown {
            if self.sizes[unknown].value.is_none() {
                let local = variable(self);
                if self.sizes[unknown].is_written {
                    self.soften(local);
                }
                self.sizes[unknown].value = Some(Size::Local(local));
                named.push(local);
            }
        }
        named
    }

    /// The size that an expression of type `i64` is, if it is a term that sizes can be.
    pub(super) fn size_of(&self, value: &Expression) -> Option<Size> {
        value.as_size(&|of| self.head(of) == I64)
    }

    pub(super) fn type_variable(&mut self, name: &Name) -> TypeVar {
        self.type_variables += 1;
        TypeVar { id: self.type_variables, name: name.clone() }
    }

    /// The type of a scheme at new unknowns, and what they are.
    pub(super) fn instantiate(&mut self, scheme: &Scheme, span: Span) -> (Type, Instance) {
        let sizes: Box<[Size]> = scheme.sizes.iter().map(|_| self.unknown_size(span)).collect();
        let used =
            sizes.iter().filter_map(|size| if let Size::Unknown(cell) = size { Some((*cell, span)) } else { None });
        self.used_at.extend(used);
        let one = |var: &TypeVar| {
            let unknown = self.unknown(Required::Nothing, span);
            let lifted = self.is_lifted(var);
            if let Some(cell) = self.types.last_mut() {
                cell.lifted = Some(lifted);
            }
            unknown
        };
        let types: Box<[Type]> = scheme.types.iter().map(one).collect();
        for (var, of) in scheme.types.iter().zip(&types) {
            if self.lifted.get(&var.id).is_some_and(|kind| *kind < TypeParamKind::Lifted) {
                self.instances.push((of.clone(), var.clone(), span));
            }
        }
        if sizes.is_empty() && types.is_empty() {
            return (scheme.body.clone(), Instance::default());
        }
        let instance = Instance { sizes, types };
        (scheme.at(&instance), instance)
    }
}

/// Names that may be given once only.
pub(super) fn distinct<'n>(names: impl Iterator<Item = &'n Name>, what: &str, span: Span) -> Checked<()> {
    let mut names = names;
    let (Some(first), Some(second)) = (names.next(), names.next()) else { return Ok(()) };
    let mut seen = FxHashSet::from_iter([first]);
    for name in iter::once(second).chain(names) {
        if !seen.insert(name) {
            return fault("duplicate", span, format!("the {what} `{name}` is given twice"), "leave one of them out");
        }
    }
    Ok(())
}

/// No two sizes among the parameters have one name, nor two types; a size and a type may.
pub(super) fn distinct_params(params: &[TypeParam], span: Span) -> Checked<()> {
    let (sizes, types): (Vec<_>, Vec<_>) = params.iter().partition(|param| param.kind == TypeParamKind::Size);
    distinct(sizes.iter().map(|param| &param.name), "parameter", span)?;
    distinct(types.iter().map(|param| &param.name), "parameter", span)
}

/// A type with sizes and types in the places of variables.
pub(super) fn substitute(of: &Type, sizes: &FxHashMap<Local, Size>, types: &FxHashMap<u32, Type>) -> Type {
    map_type(
        of,
        Holds::SIZES | Holds::PARAMETERS,
        &mut |size| match size {
            Size::Local(local) => sizes.get(local).cloned(),
            _ => None,
        },
        &mut |variable| match variable {
            Type::Var(var) => types.get(&var.id).cloned(),
            _ => None,
        },
    )
}

//! Functions: their parameters, their bodies, and the types they have for all sizes and types.
//!
//! Law: what a function is generic in is what nothing around it knows; numbers are never generic: they are of one kind
//! (tests/language/check.rs).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::expressions::BOOL;
use super::ownership::Owned;
use super::patterns::not_a_connective;
use super::report::Role;
use super::sizes::Polynomial;
use super::substitute::{binders, dimensions, map_dimensions, mentions, unknowns, with_sizes};
use super::types::{I64, distinct, distinct_params};
use super::unify::{Required, Unifier};
use super::{Checked, Checker, fault};
use crate::futhark::core::{
    Definition, Expression, ExpressionKind, FunctionType, Local, Pattern, Scheme, Size, Type, TypeVar,
};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, TypeParamKind};

impl Checker {
    /// A function of one or more parameters. Of a function with a name, sizes that are written as `[]` become parameters.
    pub(super) fn lambda(
        &mut self,
        params: &[tree::Pattern],
        result: Option<&tree::TypeExpression>,
        body: &tree::Expression,
        expected: Option<&Type>,
        mut sizes: Option<&mut Vec<Local>>,
    ) -> Checked<Expression> {
        let mut names = Vec::new();
        params.iter().for_each(|param| pattern_names(param, &mut names));
        if let Some(first) = params.first() {
            distinct(names.into_iter(), "name", first.span)?;
        }
        self.ownership.function(params, result);
        let mut bound = Vec::with_capacity(params.len());
        let mut claims = Vec::new();
        let body = self.body(|checker| {
            let mut expected = expected.map(|of| checker.unifier.resolve(of));
            for param in params {
                let outside = std::mem::replace(&mut checker.bodies.outside, true);
                let before = checker.unifier.sizes.len();
                checker.bodies.claims.clear();
                let of = checker.pattern_type(param);
                checker.bodies.outside = outside;
                let of = of?;
                for (size, written) in std::mem::take(&mut checker.bodies.claims) {
                    if says(&of, &size) {
                        let wanted = checker.check(&written, &I64, Role::Size)?;
                        let found = Expression { kind: ExpressionKind::Size(size), of: I64, span: wanted.span };
                        claims.push((found, wanted));
                    }
                }
                if let Some(sizes) = sizes.as_deref_mut() {
                    checker.unifier.rigid(before, sizes);
                }
                let (wanted, name, exists, rest) = match expected.take() {
                    Some(Type::Function(function)) => {
                        let FunctionType { param, name, exists, result } = function.into_inner();
                        (Some(param), name, exists, Some(result))
                    }
                    _ => (None, None, Vec::new(), None),
                };
                if let Some(wanted) = wanted {
                    checker.unifier.equate(&of, &wanted, Role::Pattern, param.span)?;
                }
                let pattern = checker.pattern(param, &of)?;
                let own = pattern.as_variable();
                let mut known: FxHashMap<Local, Size> =
                    exists.into_iter().map(|exist| (exist, checker.unifier.unknown_size(param.span))).collect();
                known.extend(name.zip(own.map(Size::Local)));
                expected = rest.map(|rest| with_sizes(&rest, &known));
                bound.push(pattern);
            }
            let body = match result {
                Some(result) => {
                    let result = checker.type_expression(result)?;
                    checker.check(body, &result, Role::Result)
                }
                None => match expected.map(|of| checker.unifier.head(&of)) {
                    // What the result is at is not known: it may have sizes of its own.
                    None | Some(Type::Unknown(_)) => checker.expression(body, None),
                    Some(result) => checker.check(body, &result, Role::Result),
                },
            };
            // The function asks of its arguments what their types say.
            Ok(claims.into_iter().rev().fold(body?, |body, (found, wanted)| {
                let (of, span) = (body.of.clone(), wanted.span);
                let kind = ExpressionKind::Equal(Box::new(found), Box::new(wanted));
                let holds = Expression { kind, of: BOOL, span };
                Expression { kind: ExpressionKind::Assert(Box::new(holds), Box::new(body)), of, span }
            }))
        })?;
        self.unifier.close(bound, body)
    }

    /// A function or constant with a name, and what it is generic in. A function that calls itself has a number already.
    pub(super) fn defined(
        &mut self,
        value: &tree::ValueDeclaration,
        own: Option<Definition>,
    ) -> Checked<(Scheme, Expression)> {
        not_a_connective(&value.name, value.name_span)?;
        self.scopes.defining.push(value.name.clone());
        let checked: Checked<_> = self.deeper(|checker| {
            let assumed = own.map(|number| checker.own_name(value, number)).transpose()?;
            let (sizes, types, body) = checker.defined_within(value)?;
            if let Some(assumed) = assumed {
                checker.agrees(&assumed, (&sizes, &types), &body.of, value.name_span)?;
            }
            Ok((sizes, types, body))
        });
        self.scopes.defining.pop();
        let (sizes, types, body) = checked?;
        let (sizes, types) = self.unifier.generalise(&body.of, sizes, types, value.name_span)?;
        let scheme = Scheme { sizes, types, body: self.unifier.resolve(&body.of) };
        let used = scheme.body.locals();
        let written = value.type_params.iter().filter(|param| param.kind == TypeParamKind::Size);
        match written.zip(&scheme.sizes).find(|(_, size)| !used.contains(size)) {
            Some((param, _)) => unused_size(param),
            None => Ok((scheme, body)),
        }
    }

    fn defined_within(&mut self, value: &tree::ValueDeclaration) -> Checked<(Vec<Local>, Vec<TypeVar>, Expression)> {
        distinct_params(&value.type_params, value.name_span)?;
        let (mut sizes, types) = self.scopes.type_params(&value.type_params, &mut self.unifier);
        let body = if value.params.is_empty() {
            let body = self.body(|checker| match &value.result {
                Some(result) => {
                    let result = checker.type_expression(result)?;
                    checker.check(&value.body, &result, Role::Result)
                }
                None => checker.expression(&value.body, None),
            })?;
            if self.scopes.defining.len() == 1 {
                self.ownership.constant = value.result.as_ref().map(Owned::of);
            }
            self.unifier.leave(&body.of, self.unifier.level);
            body
        } else {
            self.lambda(&value.params, value.result.as_ref(), &value.body, None, Some(&mut sizes))?
        };
        self.unifier.retry();
        Ok((sizes, types, body))
    }
}

impl Unifier {
    /// Makes the sizes that were left open since there were that many into parameters, each different from all others.
    pub(super) fn rigid(&mut self, before: usize, sizes: &mut Vec<Local>) {
        for unknown in before..self.sizes.len() {
            if self.sizes[unknown].value.is_none() {
                let name = self.size_name(sizes);
                let local = self.fresh(&name);
                // It is bound around the parameters.
                self.local_levels[local.0 as usize] = self.level - 1;
                if self.sizes[unknown].is_written {
                    self.soften(local);
                } else {
                    self.implicit.insert(local);
                }
                self.sizes[unknown].value = Some(Size::Local(local));
                sizes.push(local);
            }
        }
    }

    /// A name for a size that the user gave none.
    fn size_name(&self, sizes: &[Local]) -> String {
        let taken = |name: &str| sizes.iter().any(|size| *self.locals[size.0 as usize] == *name);
        (0..).map(|at| letter(b'n', at)).find(|name| !taken(name)).expect("names do not end")
    }

    /// The function with these parameters and this body, which has been left.
    pub(super) fn close(&mut self, mut params: Vec<Pattern>, body: Expression) -> Checked<Expression> {
        let level = self.level;
        let mut visible = Vec::new();
        for param in &mut params {
            if let Some(local) = param.as_variable()
                && self.head(&param.of) == I64
            {
                visible.push(local);
            }
            let of = self.resolve(&param.of);
            let mut seen = visible.clone();
            binders(&of, &mut seen);
            if self.is_hidden(&of, &seen, level) {
                let text = format!("the type {} of this parameter has a size that callers cannot see", self.show(&of));
                return fault("size", param.span, text, "make the size a parameter of its own: `(n: i64)` or `[n]`");
            }
            // A variable of the body is what it stands for.
            param.of = self.visible_type(&of, &seen, level);
        }
        let of = self.resolve(&body.of);
        let mut result = self.open_result(&of, &visible, level, body.span)?;
        self.leave(&result.0, level);
        let mut function = body;
        for param in params.into_iter().rev() {
            let span = param.span.to(function.span);
            let (of, exists) = result;
            let name = param.as_variable().filter(|own| of.locals().contains(own));
            if let Some(name) = name {
                // From here on only the type binds it.
                self.retry();
                self.local_levels[name.0 as usize] = u32::MAX;
            }
            let taken = self.resolve(&param.of);
            self.leave(&taken, level);
            let of = Type::from(FunctionType { param: taken, name, exists, result: of });
            function = Expression { span, ..Expression::lambda(param, function, of.clone()) };
            result = (of, Vec::new());
        }
        Ok(function)
    }

    /// Whether a size mentions what is bound deeper than this, other than what is visible.
    pub(super) fn outside(&self, size: &Size, visible: &[Local], level: u32) -> bool {
        mentions(&self.resolve_size(size), &mut |leaf| match leaf {
            Size::Local(local) => !visible.contains(local) && self.local_levels[local.0 as usize] > level,
            _ => false,
        })
    }

    /// Whether a type has a size that cannot be said in terms of what is visible.
    fn is_hidden(&self, of: &Type, visible: &[Local], level: u32) -> bool {
        let mut hidden = false;
        dimensions(of, &mut |size| {
            hidden |= self.outside(size, visible, level) && self.over(size, visible, level).is_none();
        });
        hidden
    }

    /// The type that a value has outside of the body it was made in, and the sizes of it that are known only from it.
    pub(super) fn open_result(
        &mut self,
        of: &Type,
        visible: &[Local],
        level: u32,
        span: Span,
    ) -> Checked<(Type, Vec<Local>)> {
        if let Type::Function(function) = of {
            let FunctionType { param, name, exists, result } = &**function;
            let within: Vec<Local> = visible.iter().chain(name).chain(exists).copied().collect();
            if self.is_hidden(param, &within, level) {
                let text = format!("this function takes {}, of a size that is not known outside", self.show(param));
                return fault("size", span, text, "give it all of its arguments here");
            }
            let (result, open) = self.open_result(result, &within, level, span)?;
            let exists = exists.iter().copied().chain(open).collect();
            let param = self.visible_type(param, &within, level);
            return Ok((FunctionType { param, name: *name, exists, result }.into(), Vec::new()));
        }
        // What functions within bind is theirs.
        let mut within = visible.to_vec();
        binders(of, &mut within);
        let visible = &within[..];
        let mut plain: FxHashMap<Local, Local> = FxHashMap::default();
        let mut opened: BTreeMap<Polynomial, Local> = BTreeMap::new();
        let mut exists = Vec::new();
        let mut sizes = Vec::new();
        dimensions(of, &mut |size| sizes.push(size.clone()));
        let mut replaced: FxHashMap<Size, Size> = FxHashMap::default();
        for size in &sizes {
            if !self.outside(size, visible, level) {
                continue;
            }
            let over = |size: &Size| self.over(size, visible, level);
            if let Some(size_outside) = over(size) {
                replaced.insert(size.clone(), size_outside);
            } else if let Size::Local(local) = size {
                let open = *plain.entry(*local).or_insert_with(|| {
                    let open = self.bound_by_type(&self.locals[local.0 as usize].clone());
                    exists.push(open);
                    self.stands_for(open, [size.clone()]);
                    open
                });
                replaced.insert(size.clone(), Size::Local(open));
            }
        }
        for size in &sizes {
            if replaced.contains_key(size) || !self.outside(size, visible, level) {
                continue;
            }
            let renamed = super::sizes::map_size(size, &mut |leaf| match leaf {
                Size::Local(local) => plain.get(local).map(|open| Size::Local(*open)),
                _ => None,
            });
            let mut seen = visible.to_vec();
            seen.extend(exists.iter().copied());
            if !self.outside(&renamed, &seen, level) {
                replaced.insert(size.clone(), renamed);
                continue;
            }
            let normal = self.normal(size);
            let open = match opened.get(&normal) {
                Some(open) => *open,
                None => {
                    let open = self.bound_by_type(&Name::from("k"));
                    exists.push(open);
                    self.soften_as(open, size);
                    opened.insert(normal, open);
                    open
                }
            };
            replaced.insert(size.clone(), Size::Local(open));
        }
        let of = map_dimensions(of, &mut |size| replaced.get(size).cloned());
        Ok((of, exists))
    }

    /// The type in terms of what is visible, all of whose sizes can be said so.
    fn visible_type(&self, of: &Type, visible: &[Local], level: u32) -> Type {
        map_dimensions(of, &mut |size| match self.outside(size, visible, level) {
            true => self.over(size, visible, level),
            false => None,
        })
    }

    /// The size in terms of what is visible, if what is known of the rest says it.
    fn over(&self, size: &Size, visible: &[Local], level: u32) -> Option<Size> {
        if let Some(simple) = self.normal(size).to_size()
            && !self.outside(&simple, visible, level)
        {
            return Some(simple);
        }
        let mut current = size.clone();
        for _ in 0..64 {
            if !self.outside(&current, visible, level) {
                return Some(current);
            }
            let mut changed = false;
            current = super::sizes::map_size(&self.resolve_size(&current), &mut |leaf| match leaf {
                Size::Local(local) if !visible.contains(local) && self.local_levels[local.0 as usize] > level => {
                    let value = self.alias.get(local).cloned();
                    changed |= value.is_some();
                    value
                }
                _ => None,
            });
            if !changed {
                return None;
            }
        }
        None
    }

    /// Makes what nothing around knows into parameters of the scheme.
    fn generalise(
        &mut self,
        of: &Type,
        mut sizes: Vec<Local>,
        mut types: Vec<TypeVar>,
        span: Span,
    ) -> Checked<(Vec<Local>, Vec<TypeVar>)> {
        let level = self.level;
        loop {
            let of = self.resolve(of);
            self.small(&of, span)?;
            let (unknown_types, unknown_sizes) = unknowns(&of);
            // What is required of a type that is known later becomes known with it. After a definition nothing does:
            // there it is a mistake, whose message has all that is known.
            let top = level == 0;
            for unknown in unknown_types.iter().filter(|_| !top) {
                let required = &self.types[*unknown as usize].required;
                if matches!(required, Required::Fields(_) | Required::Constructors(_)) {
                    self.leave(&Type::Unknown(*unknown), level);
                }
            }
            let mut changed = false;
            for unknown in unknown_sizes {
                let cell = &self.sizes[unknown as usize];
                // A size that has to be one of those within is none that callers could choose.
                if cell.value.is_some() || cell.level <= level || self.escapes(unknown) {
                    continue;
                }
                let local = self.fresh(&self.size_name(&sizes));
                self.local_levels[local.0 as usize] = level + 1;
                if self.sizes[unknown as usize].is_written {
                    self.soften(local);
                }
                self.sizes[unknown as usize].value = Some(Size::Local(local));
                sizes.push(local);
                changed = true;
            }
            for unknown in unknown_types {
                let cell = &self.types[unknown as usize];
                if cell.value.is_some() || cell.level <= level {
                    continue;
                }
                let is_plain = cell.lifted == Some(false) || self.is_chosen(unknown);
                let cell = &self.types[unknown as usize];
                let value = match &cell.required {
                    Required::Nothing => {
                        let var = self.type_variable(&Name::from(letter(b'a', types.len())));
                        if is_plain {
                            self.lifted.insert(var.id, TypeParamKind::Type);
                        }
                        types.push(var.clone());
                        Some(Type::Var(var))
                    }
                    Required::OneOf(prims) if top => prims.default().map(Type::Prim),
                    Required::OneOf(_) | Required::Fields(_) | Required::Constructors(_) => {
                        self.types[unknown as usize].level = level;
                        None
                    }
                };
                if value.is_some() {
                    self.types[unknown as usize].value = value;
                    changed = true;
                }
            }
            if !changed {
                return Ok((sizes, types));
            }
            self.retry();
        }
    }
}

/// A size that is given a name and says nothing.
pub(super) fn unused_size<T>(param: &tree::TypeParam) -> Checked<T> {
    let text = format!("no array has the size `{}`, so nothing says what it is", param.name);
    fault("size", param.span, text, format!("leave it out, or use it: `(xs: [{}]t)`", param.name))
}

/// Whether a value of the type has an array of this size, whatever its constructor.
fn says(of: &Type, size: &Size) -> bool {
    match of {
        Type::Sum(_) | Type::Function(_) => false,
        Type::Array(own, of) => own == size || says(of, size),
        of => of.children().any(|of| says(of, size)),
    }
}

/// The names that a pattern binds.
pub(super) fn pattern_names<'p>(pattern: &'p tree::Pattern, found: &mut Vec<&'p Name>) {
    match &pattern.kind {
        tree::PatternKind::Name(name) => found.push(name),
        tree::PatternKind::Wildcard | tree::PatternKind::Literal(_) => {}
        tree::PatternKind::Tuple(parts) | tree::PatternKind::Constructor(_, parts) => {
            parts.iter().for_each(|part| pattern_names(part, found));
        }
        tree::PatternKind::Record(fields) => fields.iter().for_each(|(_, part)| pattern_names(part, found)),
        tree::PatternKind::Ascribe(inner, _) | tree::PatternKind::Attribute(_, inner) => pattern_names(inner, found),
    }
}

/// The names that are given to what the user gave none.
fn letter(first: u8, at: usize) -> String {
    let letter = char::from(b'a' + (first - b'a' + u8::try_from(at % 26).expect("below 26")) % 26);
    if at < 26 { letter.to_string() } else { format!("{letter}{}", at / 26) }
}

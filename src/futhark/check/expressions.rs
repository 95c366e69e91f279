//! Expressions, form by form.
//!
//! Law: what is expected of an expression helps to find its type, and never changes its value
//! (tests/language/check.rs).

use super::apply::{Argument, Callee};
use super::report::Role;
use super::scope::{Module, Value, plain, show_name};
use super::substitute::has_size;
use super::types::{distinct, field_order};
use super::unify::{Required, Unifier};
use super::{Checked, Checker, Pending, deep, fault};
use crate::futhark::core::{self, Expression, ExpressionKind, Pattern, Prim, Type};
use crate::futhark::source::{Name, Span, numbered};
use crate::futhark::syntax::tree::{self, ExpressionKind as Tree, PatternKind};

pub(super) const BOOL: Type = Type::Prim(Prim::Bool);

/// The largest count of links of a chain of operators that become one expression.
const LINKS: usize = 64;

impl Checker {
    /// An expression that has to be of a type.
    pub(super) fn check(&mut self, written: &tree::Expression, wanted: &Type, role: Role<'_>) -> Checked<Expression> {
        let value = self.expression(written, Some(wanted))?;
        self.convert(value, wanted, role)
    }

    /// An expression; the type that is expected is a hint.
    pub(super) fn expression(&mut self, written: &tree::Expression, expected: Option<&Type>) -> Checked<Expression> {
        let value = deep(|| self.expression_kind(written, expected))?;
        self.unifier.small(&value.of, written.span)?;
        Ok(Expression { span: written.span, ..value })
    }

    fn expression_kind(&mut self, written: &tree::Expression, expected: Option<&Type>) -> Checked<Expression> {
        let span = written.span;
        match &written.kind {
            Tree::Literal(literal) => self.literal(literal, span),
            Tree::Name(name) | Tree::Section(name) => self.name(name),
            Tree::Hole => {
                let of = expected.cloned().unwrap_or_else(|| self.unifier.unknown(Required::Nothing, span));
                self.holes.push((of.clone(), span));
                Ok(Expression { kind: ExpressionKind::Hole, of, span })
            }
            Tree::Tuple(components) => self.tuple(components, expected, span),
            Tree::Record(fields) => self.record(fields, expected, span),
            Tree::Array(elements) => self.array(elements, expected, span),
            Tree::Range(range) => self.range(range, span),
            Tree::Field(record, name) => {
                let record = self.expression(record, None)?;
                self.unifier.field(record, name, span)
            }
            Tree::Index(array, indices) => {
                let array = self.expression(array, None)?;
                self.index(array, indices, span)
            }
            Tree::Update(whole, path, value) => {
                let whole = self.expression(whole, expected)?;
                self.replaced(whole, path, value, span)
            }
            Tree::Apply(function, arguments) => {
                let arguments = arguments.iter().map(Argument::Written).collect();
                let (callee, shown) = self.applied(function)?;
                self.apply(callee, &shown, arguments, expected, span)
            }
            Tree::Constructor(name, payload) => self.constructor(name, payload, expected, span),
            Tree::Negate(operand) => {
                if let Tree::Literal(tree::Literal::Integer(value, suffix)) = &operand.kind {
                    return self.literal(&tree::Literal::Integer(-value, suffix.clone()), span);
                }
                self.operate("neg", "-", &[operand], expected, span)
            }
            Tree::Not(operand) => self.operate("not", "!", &[operand], expected, span),
            Tree::Binary(..) => self.chain(written, expected),
            Tree::SectionLeft(operator, a) => {
                let callee = self.callee(operator)?;
                self.apply(callee, &show_name(operator), vec![Argument::Written(a)], None, span)
            }
            Tree::SectionRight(operator, b) => self.section_right(operator, b, expected, span),
            Tree::SectionPath(path) => self.section_path(path, expected, span),
            Tree::Lambda(params, result, body) => self.lambda(params, result.as_deref(), body, expected, None),
            Tree::Let(..) | Tree::LetFunction(..) | Tree::LetUpdate(..) => self.lets(written, expected),
            Tree::If(condition, yes, no) => self.conditional(condition, yes, no, expected, span),
            Tree::Match(scrutinee, cases) => self.matching(scrutinee, cases, expected, span),
            Tree::Loop(written) => self.iteration(written, &[], span),
            Tree::Ascribe(value, of) => {
                let of = self.type_expression(of)?;
                self.check(value, &of, Role::Ascription)
            }
            Tree::Coerce(value, of) => {
                let of = self.type_expression(of)?;
                // The value has the sizes that it has.
                let hint = self.unifier.any_sizes(&of, span);
                let value = self.expression(value, Some(&hint))?;
                self.convert(value, &of, Role::Coercion)
            }
            Tree::OpenIn(name, value) => match self.scopes.find_module(name)? {
                Module::Structure(inside) => self.scoped(|checker| {
                    checker.scopes.env.open(&inside);
                    checker.expression(value, expected)
                }),
                Module::Poisoned => Err(super::follows()),
                Module::Functor(_) => {
                    let text = format!("`{}` is a parametric module and cannot be opened", show_name(name));
                    fault("module", span, text, "apply it to a module first")
                }
            },
            Tree::Assert(condition, value) => {
                let condition = self.check(condition, &BOOL, Role::Condition)?;
                let value = self.expression(value, expected)?;
                let of = value.of.clone();
                Ok(Expression { kind: ExpressionKind::Assert(Box::new(condition), Box::new(value)), of, span })
            }
            Tree::Attribute(..) => self.attributed(written, expected),
        }
    }

    fn tuple(&mut self, components: &[tree::Expression], expected: Option<&Type>, span: Span) -> Checked<Expression> {
        let wanted = expected.map(|of| self.unifier.head(of));
        let wanted = match &wanted {
            Some(of) => of.as_tuple().filter(|of| of.len() == components.len()),
            None => None,
        };
        let mut fields = Vec::with_capacity(components.len());
        for (at, component) in components.iter().enumerate() {
            let value = self.part(component, wanted.as_ref().map(|of| of[at]))?;
            fields.push((numbered(at), value));
        }
        let of = Type::Record(fields.iter().map(|(name, value)| (name.clone(), value.of.clone())).collect());
        Ok(Expression { kind: ExpressionKind::Record(fields), of, span })
    }

    fn record(
        &mut self,
        written: &[(Name, tree::Expression)],
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        distinct(written.iter().map(|(name, _)| name), "field", span)?;
        let wanted = expected.map(|of| self.unifier.head(of));
        let mut fields = Vec::with_capacity(written.len());
        for (name, value) in written {
            let wanted = match &wanted {
                Some(Type::Record(fields)) => fields.iter().find(|(field, _)| field == name).map(|(_, of)| of),
                _ => None,
            };
            let value = self.part(value, wanted)?;
            fields.push((name.clone(), value));
        }
        fields.sort_by(|(a, _), (b, _)| field_order(a, b));
        let of = Type::Record(fields.iter().map(|(name, value)| (name.clone(), value.of.clone())).collect());
        Ok(Expression { kind: ExpressionKind::Record(fields), of, span })
    }

    /// An expression with attributes, which are those of a loop or say nothing here.
    fn attributed(&mut self, written: &tree::Expression, expected: Option<&Type>) -> Checked<Expression> {
        let (mut inside, mut attributes) = (written, Vec::new());
        while let Tree::Attribute(attribute, next) = &inside.kind {
            attributes.push(attribute);
            inside = next;
        }
        match &inside.kind {
            Tree::Loop(iteration) => self.iteration(iteration, &attributes, written.span),
            _ => self.expression(inside, expected),
        }
    }

    /// A part of a value, at the type it is expected to have.
    fn part(&mut self, written: &tree::Expression, wanted: Option<&Type>) -> Checked<Expression> {
        match wanted {
            Some(wanted) => self.check(written, wanted, Role::Part),
            None => self.expression(written, None),
        }
    }

    /// A chain of lets: their bindings become bindings of the body around.
    fn lets(&mut self, written: &tree::Expression, expected: Option<&Type>) -> Checked<Expression> {
        self.scoped(|checker| {
            let mut next = written;
            loop {
                next = match &next.kind {
                    Tree::Let(sizes, pattern, value, body) => {
                        checker.let_pattern(sizes, pattern, value)?;
                        body
                    }
                    Tree::LetFunction(function, body) => {
                        checker.let_function(function)?;
                        body
                    }
                    Tree::LetUpdate(name, path, value, body) => {
                        checker.let_update(name, path, value, next.span)?;
                        body
                    }
                    _ => return checker.expression(next, expected),
                };
            }
        })
    }

    fn let_pattern(
        &mut self,
        sizes: &[tree::TypeParam],
        pattern: &tree::Pattern,
        value: &tree::Expression,
    ) -> Checked<()> {
        distinct(sizes.iter().map(|size| &size.name), "size", pattern.span)?;
        // The sizes are in scope of the pattern, and not of the value. A scope is not copied for nothing: chains are long.
        let outside = (!sizes.is_empty()).then(|| self.scopes.env.clone());
        for size in sizes {
            let unknown = self.unifier.unknown_size(size.span);
            self.scopes.env.values.insert(size.name.clone(), Value::Size(unknown));
        }
        let of = self.pattern_type(pattern)?;
        let resolved = self.unifier.resolve(&of);
        for size in sizes {
            let Some(Value::Size(unknown)) = self.scopes.env.values.get(&size.name) else { continue };
            if !has_size(&resolved, unknown) {
                return super::functions::unused_size(size);
            }
        }
        let inside = outside.map(|outside| std::mem::replace(&mut self.scopes.env, outside));
        let value = self.check(value, &of, Role::Ascription)?;
        if let Some(inside) = inside {
            self.scopes.env = inside;
        }
        let pattern = self.pattern(pattern, &of)?;
        self.unifier.known_sizes(&pattern, &value);
        self.bind(pattern, value);
        Ok(())
    }

    fn let_function(&mut self, function: &tree::ValueDeclaration) -> Checked<()> {
        let (scheme, value) = self.defined(function, None)?;
        let local = self.unifier.local(&function.name);
        let entry = if scheme.sizes.is_empty() && scheme.types.is_empty() {
            let of = value.of.clone();
            self.bind(Pattern::variable(local, of.clone(), function.name_span), value);
            Value::Local(local, of)
        } else {
            let pending = Pending::Generic(local, scheme.clone(), value);
            self.bodies.pending.last_mut().expect("inside a body").push(pending);
            Value::Generic(local, std::rc::Rc::new(scheme))
        };
        self.scopes.env.bind(&function.name, entry);
        Ok(())
    }

    /// An operation of the language on operands as written.
    fn operate(
        &mut self,
        name: &str,
        shown: &str,
        operands: &[&tree::Expression],
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let operator = self.scalar(name, span)?;
        let operands = operands.iter().map(|operand| Argument::Written(operand)).collect();
        self.apply(operator, shown, operands, expected, span)
    }

    /// Operators that lean to the left, from the innermost out: without recursion, and what has become high gets a name.
    fn chain(&mut self, written: &tree::Expression, expected: Option<&Type>) -> Checked<Expression> {
        let (mut links, mut innermost) = (Vec::new(), written);
        while let Tree::Binary(operator, a, b) = &innermost.kind {
            // What these make is looked at as a whole.
            let is_whole = matches!(&*operator.name, "<|" | ">->" | "<-<");
            if is_whole && !links.is_empty() {
                break;
            }
            links.push((operator, &**b, innermost.span));
            innermost = a;
            if is_whole {
                break;
            }
        }
        let mut value = None;
        while let Some((operator, b, span)) = links.pop() {
            let expected = if links.is_empty() { expected } else { None };
            let a = match value.take() {
                None => Argument::Written(innermost),
                Some(value) if links.len() % LINKS == LINKS - 1 => Argument::Checked(self.named(value, "chain")),
                Some(value) => Argument::Checked(value),
            };
            let made = self.binary(operator, a, b, expected, span)?;
            self.unifier.small(&made.of, span)?;
            value = Some(Expression { span, ..made });
        }
        Ok(value.expect("a chain has a link"))
    }

    fn binary(
        &mut self,
        operator: &tree::QualifiedName,
        a: Argument<'_>,
        b: &tree::Expression,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        match (&*operator.name, &a) {
            ("|>", _) if self.scopes.is_own(operator) => return self.pipe(b, a, expected, span),
            ("<|", Argument::Written(a)) if self.scopes.is_own(operator) => {
                return self.apply_to(a, Argument::Written(b), expected, span);
            }
            (">->", Argument::Written(a)) if self.scopes.is_own(operator) => return self.compose(a, b, expected, span),
            ("<-<", Argument::Written(a)) if self.scopes.is_own(operator) => return self.compose(b, a, expected, span),
            _ => {}
        }
        let callee = self.callee(operator)?;
        if let Callee::Operator(known, ..) = &callee
            && matches!(&*known.name, "both" | "either")
        {
            let first = self.argument(a, &BOOL, Role::Operand(&operator.name))?;
            let second = self.body(|checker| checker.check(b, &BOOL, Role::Operand(&operator.name)))?;
            return Ok(self.unifier.operation(&known.name, vec![first, second], BOOL, span));
        }
        self.apply(callee, &show_name(operator), vec![a, Argument::Written(b)], expected, span)
    }

    fn constructor(
        &mut self,
        name: &Name,
        payload: &[tree::Expression],
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let sum = expected.map(|of| self.unifier.head(of)).filter(|of| matches!(of, Type::Sum(_)));
        let mut parts = Vec::with_capacity(payload.len());
        if let Some(of) = sum {
            let types = self.unifier.payload(&of, name, payload.len(), span)?;
            for (part, wanted) in payload.iter().zip(types) {
                parts.push(self.check(part, &wanted, Role::Part)?);
            }
            return Ok(Expression { kind: ExpressionKind::Constructor(name.clone(), parts), of, span });
        }
        for part in payload {
            parts.push(self.expression(part, None)?);
        }
        let held = parts.iter().map(|part| part.of.clone()).collect();
        let of = self.unifier.unknown(Required::Constructors(vec![(name.clone(), held)]), span);
        Ok(Expression { kind: ExpressionKind::Constructor(name.clone(), parts), of, span })
    }
}

impl Unifier {
    /// Notes which variables of a pattern are sizes that are known.
    fn known_sizes(&mut self, pattern: &core::Pattern, value: &Expression) {
        match (&pattern.kind, &value.kind) {
            (core::PatternKind::Local(local), _) => {
                if let Some(size) = self.size_of(value) {
                    self.alias.insert(*local, size);
                }
            }
            (core::PatternKind::Record(parts), ExpressionKind::Record(fields)) => {
                for ((_, part), (_, field)) in parts.iter().zip(fields) {
                    self.known_sizes(part, field);
                }
            }
            _ => {}
        }
    }

    /// The field of a record.
    pub(super) fn field(&mut self, record: Expression, name: &Name, span: Span) -> Checked<Expression> {
        let of = match self.head(&record.of) {
            Type::Record(fields) => match fields.iter().find(|(field, _)| field == name) {
                Some((_, of)) => of.clone(),
                None => {
                    let text = format!("the type {} has no field `{name}`", self.show(&record.of));
                    let known: Vec<&str> = fields.iter().map(|(field, _)| &**field).collect();
                    return fault("type", span, text, format!("its fields are: {}", known.join(", ")));
                }
            },
            Type::Unknown(_) => {
                let of = self.unknown(Required::Nothing, span);
                let wanted = self.unknown(Required::Fields(vec![(name.clone(), of.clone())]), span);
                self.equate(&record.of, &wanted, Role::Part, span)?;
                of
            }
            _ => {
                let text = format!("the type {} has no fields", self.show(&record.of));
                return fault("type", span, text, "only records and tuples have fields");
            }
        };
        Ok(Expression { kind: ExpressionKind::Field(Box::new(record), name.clone()), of, span })
    }
}

/// The expression that has the value of the variables of a pattern.
pub(super) fn pattern_value(pattern: &tree::Pattern) -> Checked<tree::Expression> {
    let span = pattern.span;
    let kind = match &pattern.kind {
        PatternKind::Name(name) => Tree::Name(plain(name, span)),
        PatternKind::Tuple(parts) => Tree::Tuple(parts.iter().map(pattern_value).collect::<Checked<_>>()?),
        PatternKind::Record(fields) => Tree::Record(
            fields.iter().map(|(name, part)| Ok((name.clone(), pattern_value(part)?))).collect::<Checked<_>>()?,
        ),
        PatternKind::Literal(literal) => Tree::Literal(literal.clone()),
        PatternKind::Ascribe(inner, _) | PatternKind::Attribute(_, inner) => return pattern_value(inner),
        PatternKind::Wildcard | PatternKind::Constructor(..) => {
            let text = "this loop has no initial values";
            return fault("loop", span, text, "write `loop pattern = values …`, or only names in the pattern");
        }
    };
    Ok(tree::Expression { kind, span })
}

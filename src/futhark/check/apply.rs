//! Functions applied to arguments: what the arguments and the result are at, and what sizes the result has.
//!
//! Law: arguments that say types come before those that need them, functions that are written in place; the value of an
//! argument that a size mentions has a name (tests/language/check.rs).

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::report::{Role, counted};
use super::scope::{Operator, Value, show_name};
use super::substitute::unknowns;
use super::types::I64;
use super::unify::{Required, Unifier};
use super::{Checked, Checker, fault};
use crate::futhark::core::{Expression, ExpressionKind, FunctionType, Instance, Local, Size, Type};
use crate::futhark::source::Span;
use crate::futhark::syntax::tree;

/// What is applied.
#[derive(Debug)]
pub(super) enum Callee {
    Value(Expression),
    Operator(Rc<Operator>, Type, Span),
}

impl Callee {
    fn of(&self) -> &Type {
        match self {
            Callee::Value(value) => &value.of,
            Callee::Operator(_, of, _) => of,
        }
    }
}

/// What a parameter of a function is, and what its result knows of it.
struct Wanted {
    param: Type,
    name: Option<Local>,
    exists: Vec<Local>,
}

/// An argument: still to be checked, or checked before.
#[derive(Debug, Clone)]
pub(super) enum Argument<'t> {
    Written(&'t tree::Expression),
    Checked(Expression),
}

impl Checker {
    /// What a name stands for, at new unknowns.
    pub(super) fn callee(&mut self, name: &tree::QualifiedName) -> Checked<Callee> {
        let span = name.span;
        if !name.modules.is_empty()
            && let Some((record, fields)) = self.scopes.split_fields(name)
        {
            let mut value = self.name(&record)?;
            for field in fields {
                value = self.unifier.field(value, &field, span)?;
            }
            return Ok(Callee::Value(value));
        }
        let value = |kind, of| Ok(Callee::Value(Expression { kind, of, span }));
        match self.scopes.find_value(name)? {
            Value::Local(local, of) => value(ExpressionKind::Local(local), of),
            Value::Size(size) => value(ExpressionKind::Size(size), I64),
            Value::Generic(local, scheme) => {
                let (of, instance) = self.unifier.instantiate(&scheme, span);
                value(ExpressionKind::LocalInstance(local, instance), of)
            }
            Value::Definition(known) => {
                self.mentioned.definition(&known);
                if let Some(size) = known.defined.size {
                    return value(ExpressionKind::Size(Size::Local(size)), I64);
                }
                let (of, instance) = self.unifier.instantiate(&known.defined.scheme, span);
                if let Some(own) = self.bodies.own.as_mut().filter(|own| own.number == known.number) {
                    own.calls.push((instance.clone(), span));
                }
                let kind = ExpressionKind::Definition(known.number, instance);
                if known.open.is_empty() {
                    return value(kind, of);
                }
                let (of, own) = self.unifier.renamed(&of, &known.open);
                // The value is one, and so are its sizes, which have a name of their own in each use.
                own.iter().for_each(|own| self.unifier.soften(*own));
                Ok(Callee::Value(self.bound(Expression { kind, of, span }, &known.defined.name, own)))
            }
            Value::Intrinsic(name, scheme) => {
                self.mentioned.intrinsic(&name);
                let (of, instance) = self.unifier.instantiate(&scheme, span);
                value(ExpressionKind::Intrinsic(name, instance), of)
            }
            Value::Operator(operator) => {
                let (of, Instance { types, .. }) = self.unifier.instantiate(&operator.scheme, span);
                for (of, kinds) in types.iter().zip(&operator.kinds) {
                    if let (Type::Unknown(unknown), Some(kinds)) = (of, kinds) {
                        self.unifier.types[*unknown as usize].required = Required::OneOf(*kinds);
                    }
                }
                Ok(Callee::Operator(operator, of, span))
            }
            Value::Poisoned => Err(super::follows()),
        }
    }

    /// A name as a value.
    pub(super) fn name(&mut self, name: &tree::QualifiedName) -> Checked<Expression> {
        match self.callee(name)? {
            Callee::Value(value) => Ok(value),
            Callee::Operator(operator, of, span) => self.operator_value(&operator, &of, span),
        }
    }

    /// What is applied, and how messages call it.
    pub(super) fn applied<'t>(&mut self, function: &'t tree::Expression) -> Checked<(Callee, Cow<'t, str>)> {
        match &function.kind {
            tree::ExpressionKind::Name(name) | tree::ExpressionKind::Section(name) => {
                Ok((self.callee(name)?, show_name(name)))
            }
            _ => Ok((Callee::Value(self.expression(function, None)?), "this function".into())),
        }
    }

    /// A function applied to arguments.
    pub(super) fn apply(
        &mut self,
        callee: Callee,
        shown: &str,
        arguments: Vec<Argument<'_>>,
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let (wanted, result) = self.unifier.peel(&callee, shown, arguments.len(), span)?;
        self.unifier.foresee(&wanted, &result, expected);

        let operator = matches!(callee, Callee::Operator(..)) && !shown.chars().all(char::is_alphanumeric);
        let mut sizes: FxHashMap<Local, Size> = FxHashMap::default();
        let mut operands: Vec<Option<Expression>> = wanted.iter().map(|_| None).collect();
        let mut arguments: Vec<Option<Argument<'_>>> = arguments.into_iter().map(Some).collect();
        for takes_late in [false, true] {
            for (at, argument) in arguments.iter_mut().enumerate() {
                let Some(argument) = argument.take_if(|argument| takes_late || !is_late(argument)) else { continue };
                let param = self.unifier.at_sizes(&wanted[at].param, &sizes);
                let role = if operator { Role::Operand(shown) } else { Role::Argument(at, shown) };
                let mut value = self.argument(argument, &param, role)?;
                if let Some(name) = wanted[at].name {
                    let size;
                    (value, size) = self.sized(value, "k");
                    sizes.insert(name, size);
                }
                operands[at] = Some(value);
            }
        }
        let operands = operands.into_iter().map(|value| value.expect("each is late or not")).collect();
        let value = self.build(callee, operands, span)?;
        Ok(Expression { span, ..value })
    }

    /// An argument that has to be of a type.
    pub(super) fn argument(&mut self, argument: Argument<'_>, wanted: &Type, role: Role<'_>) -> Checked<Expression> {
        match argument {
            Argument::Written(written) => self.check(written, wanted, role),
            Argument::Checked(value) => self.convert(value, wanted, role),
        }
    }

    /// The function on values that have the types of its parameters.
    pub(super) fn build(&mut self, callee: Callee, arguments: Vec<Expression>, span: Span) -> Checked<Expression> {
        let mut arguments = arguments.into_iter();
        let mut function = match callee {
            Callee::Value(value) => value,
            Callee::Operator(operator, of, _) if arguments.len() >= operator.arity => {
                let operands: Vec<Expression> = arguments.by_ref().take(operator.arity).collect();
                let mut result = &of;
                for _ in 0..operator.arity {
                    let Type::Function(function) = self.unifier.known(result) else {
                        unreachable!("as many parameters")
                    };
                    result = &function.result;
                }
                let result = self.unifier.resolve(result);
                self.unifier.operation(&operator.name, operands, result, span)
            }
            Callee::Operator(operator, of, span) => self.operator_value(&operator, &of, span)?,
        };
        for argument in arguments {
            function = self.apply_once(function, argument)?;
        }
        Ok(function)
    }

    /// A function applied to one argument that has the type of its parameter.
    pub(super) fn apply_once(&mut self, function: Expression, argument: Expression) -> Checked<Expression> {
        let span = function.span.to(argument.span);
        let Type::Function(of) = self.unifier.head(&function.of) else {
            return fault(
                "type",
                span,
                format!("{} is no function", self.unifier.show(&function.of)),
                "apply a function",
            );
        };
        let FunctionType { name, exists, result, .. } = &*of;
        let mut sizes: FxHashMap<Local, Size> = FxHashMap::default();
        let mut argument = argument;
        if let Some(name) = name {
            let size;
            (argument, size) = self.sized(argument, "k");
            sizes.insert(*name, size);
        }
        if let ExpressionKind::Definition(definition, instance) = &function.kind
            && Some(*definition) == self.scopes.length
        {
            let kind = ExpressionKind::Size(instance.sizes[0].clone());
            return Ok(Expression { kind, of: I64, span });
        }
        let (of, binds) = self.unifier.renamed(result, exists);
        let (of, known) = self.unifier.revealed(self.unifier.at_sizes(&of, &sizes));
        let binds: Vec<Local> = binds.into_iter().chain(known).collect();
        let kind = ExpressionKind::Apply { function: Box::new(function), argument: Box::new(argument) };
        let value = Expression { kind, of, span };
        Ok(if binds.is_empty() { value } else { self.bound(value, "result", binds) })
    }
}

impl Unifier {
    /// The types of the parameters, and of the result.
    fn peel(&mut self, callee: &Callee, shown: &str, arguments: usize, span: Span) -> Checked<(Vec<Wanted>, Type)> {
        let mut wanted = Vec::with_capacity(arguments);
        let mut rest = self.head(callee.of());
        for at in 0..arguments {
            match rest {
                Type::Function(function) => {
                    let FunctionType { param, name, exists, result } = function.into_inner();
                    wanted.push(Wanted { param, name, exists });
                    rest = self.head(&result);
                }
                Type::Unknown(_) => {
                    let param = self.unknown(Required::Nothing, span);
                    let result = self.unknown(Required::Nothing, span);
                    let function = Type::function(param.clone(), result.clone());
                    self.equate(&rest, &function, Role::Argument(at, shown), span)?;
                    wanted.push(Wanted { param, name: None, exists: Vec::new() });
                    rest = result;
                }
                other if at == 0 => {
                    let text = format!("{shown} has type {} and is no function", self.show(&other));
                    let text =
                        if shown == "this function" { text } else { text.replacen(shown, &format!("`{shown}`"), 1) };
                    return fault("type", span, text, "leave out the argument, or write an operator before it");
                }
                _ => {
                    let text = format!("`{shown}` takes {}, but {arguments} are given", counted(at, "argument"));
                    return fault("type", span, text, "leave out the last ones, or check the parentheses");
                }
            }
        }
        Ok((wanted, rest))
    }

    /// Lets what is expected of the result say what the parameters are, before the arguments are looked at.
    fn foresee(&mut self, wanted: &[Wanted], result: &Type, expected: Option<&Type>) {
        let Some(expected) = expected else { return };
        if matches!(self.head(expected), Type::Unknown(_)) || matches!(self.head(result), Type::Prim(_)) {
            return;
        }
        // What has sizes that are known only from the result says nothing of them before.
        if let Type::Unknown(unknown) = self.head(result)
            && self.types[unknown as usize].lifted == Some(true)
            && !unknowns(&self.resolve(expected)).1.is_empty()
        {
            return;
        }
        let span = Span::default();
        let mut open: FxHashMap<Local, Size> = FxHashMap::default();
        for local in wanted.iter().flat_map(|wanted| wanted.name.iter().chain(&wanted.exists)) {
            let size = self.unknown_size(span);
            open.insert(*local, size);
        }
        let result = self.at_sizes(result, &open);
        // What cannot be is reported when the arguments are known.
        let _ = self.unify(&result, expected);
    }
}

/// Whether an argument is a function written in place, which is better looked at when the other arguments are known.
fn is_late(argument: &Argument<'_>) -> bool {
    let Argument::Written(written) = argument else { return false };
    let mut kind = &written.kind;
    while let tree::ExpressionKind::Attribute(_, inside) = kind {
        kind = &inside.kind;
    }
    match kind {
        tree::ExpressionKind::Lambda(..)
        | tree::ExpressionKind::Section(_)
        | tree::ExpressionKind::SectionLeft(..)
        | tree::ExpressionKind::SectionRight(..)
        | tree::ExpressionKind::SectionPath(_) => true,
        tree::ExpressionKind::Binary(operator, ..) => matches!(&*operator.name, ">->" | "<-<"),
        // A function that is given some of its arguments may hold a function written in place.
        tree::ExpressionKind::Apply(_, arguments) => {
            arguments.iter().all(|argument| is_late(&Argument::Written(argument)))
        }
        _ => false,
    }
}

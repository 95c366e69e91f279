//! Whether a program of the core is well formed: what every meaning may rely on.
//!
//! Law: a program that passes has no unknown type or size; every variable is bound where it is used; the types of the
//! parts of an expression agree with its own, sizes as polynomials over variables, and what differs stands in a
//! coercion (tests/language/elaborate.rs).

mod agree;

use rustc_hash::{FxHashMap, FxHashSet};

use self::agree::{constant_fits, field, size_of};
use super::sizes::Polynomial;
use super::substitute::with_sizes;
use super::{
    Definition, Expression, ExpressionKind, FunctionType, Index, Instance, Lambda, Local, Loop, LoopForm, Pattern,
    PatternKind, Prim, Program, Scheme, Size, Type,
};
use crate::futhark::source::{Name, Span};

const I64: Type = Type::Prim(Prim::I64);
const BOOL: Type = Type::Prim(Prim::Bool);

/// Checks a program.
///
/// # Errors
///
/// Says what is wrong first, and where: a mistake of the checker, not of the user.
pub fn verify(program: &Program) -> Result<(), String> {
    let mut verifier = Verifier {
        program,
        types: FxHashMap::default(),
        schemes: FxHashMap::default(),
        equal: FxHashMap::default(),
        variables: FxHashSet::default(),
        constants: FxHashSet::default(),
        definition: 0,
    };
    for (at, defined) in program.definitions.iter().enumerate() {
        verifier.definition = at;
        verifier.types.clear();
        verifier.schemes.clear();
        verifier.equal.clear();
        let checked = verifier.scheme(&defined.scheme, &defined.body);
        checked.map_err(|problem| format!("in `{}`: {problem}", defined.name))?;
        if defined.size.is_some() && defined.scheme.body != I64 {
            return Err(format!("the constant `{}` is no size", defined.name));
        }
        verifier.constants.extend(defined.size);
    }
    for entry in &program.entries {
        if program.definition(entry.definition).is_none_or(|defined| !defined.scheme.types.is_empty()) {
            return Err(format!("the entry `{}` is generic in a type", entry.name));
        }
    }
    Ok(())
}

type Verified = Result<(), String>;

struct Verifier<'p> {
    program: &'p Program,
    /// The types of the variables in scope.
    types: FxHashMap<Local, Type>,
    schemes: FxHashMap<Local, Scheme>,
    /// Variables of which it is known that they are this size.
    equal: FxHashMap<Local, Size>,
    variables: FxHashSet<u32>,
    /// Those of the constants that are sizes, of the definitions before.
    constants: FxHashSet<Local>,
    definition: usize,
}

/// Whether parts of an expression see variables that it binds, or bind sizes of its type.
fn binds(kind: &ExpressionKind) -> bool {
    use ExpressionKind as E;
    matches!(kind, E::Lambda(_) | E::Let(..) | E::LetPolymorphic(..) | E::If(..) | E::Match(..) | E::Loop(_))
}

fn wrong<T>(span: Span, what: impl Into<String>) -> Result<T, String> {
    Err(format!("{} at {}..{} of file {}", what.into(), span.start, span.end, span.file))
}

impl Verifier<'_> {
    fn scheme(&mut self, scheme: &Scheme, body: &Expression) -> Verified {
        scheme.sizes.iter().for_each(|size| drop(self.types.insert(*size, I64)));
        self.variables.extend(scheme.types.iter().map(|var| var.id));
        self.expression(body, &[])?;
        self.same(&body.of, &scheme.body, None, body.span)?;
        self.variables.retain(|id| !scheme.types.iter().any(|var| var.id == *id));
        scheme.sizes.iter().for_each(|size| drop(self.types.remove(size)));
        Ok(())
    }

    fn bind(&mut self, pattern: &Pattern) -> Verified {
        pattern.binds.iter().for_each(|size| drop(self.types.insert(*size, I64)));
        self.formed(&pattern.of, &[], pattern.span)?;
        let parts: Vec<&Type> = match (&pattern.kind, &pattern.of) {
            (PatternKind::Local(local), of) => {
                self.types.insert(*local, of.clone());
                return Ok(());
            }
            (PatternKind::Wildcard, _) => return Ok(()),
            (PatternKind::Constant(constant), of) => return constant_fits(*constant, of, pattern.span),
            (PatternKind::Record(parts), Type::Record(fields)) if parts.len() == fields.len() => {
                fields.iter().map(|(_, of)| of).collect()
            }
            (PatternKind::Constructor(name, _), Type::Sum(constructors)) => {
                let payload = constructors.iter().find(|(own, _)| own == name);
                payload.map_or_else(Vec::new, |(_, payload)| payload.iter().collect())
            }
            (PatternKind::Record(_) | PatternKind::Constructor(..), _) => Vec::new(),
        };
        let children = pattern.children();
        if parts.len() != children.len() {
            return wrong(pattern.span, "a pattern does not fit its type");
        }
        for (part, of) in children.into_iter().zip(parts) {
            self.same(&part.of, of, None, part.span)?;
            self.bind(part)?;
        }
        Ok(())
    }

    /// What an instance makes of a scheme.
    fn instance(&self, scheme: &Scheme, instance: &Instance, span: Span) -> Result<Type, String> {
        self.parts(instance, span)?;
        if scheme.sizes.len() != instance.sizes.len() || scheme.types.len() != instance.types.len() {
            return wrong(span, "an instance has not as many parts as its scheme");
        }
        Ok(scheme.at(instance))
    }

    fn parts(&self, instance: &Instance, span: Span) -> Verified {
        instance.sizes.iter().try_for_each(|size| self.size(size, &[], span))?;
        instance.types.iter().try_for_each(|of| self.formed(of, &[], span))
    }

    /// An expression, with sizes of its type that the let around binds.
    fn expression(&mut self, value: &Expression, open: &[Local]) -> Verified {
        stacker::maybe_grow(4 << 20, 16 << 20, || self.expression_within(value, open))
    }

    fn expression_within(&mut self, value: &Expression, open: &[Local]) -> Verified {
        let (of, span) = (&value.of, value.span);
        let inside = matches!(value.kind, ExpressionKind::Let(..) | ExpressionKind::LetPolymorphic(..));
        if !inside {
            self.formed(of, open, span)?;
        }
        // Those that bind nothing have parts of any form.
        if !binds(&value.kind) {
            value.children().try_for_each(|part| self.expression(part, &[]))?;
        }
        match &value.kind {
            ExpressionKind::Constant(constant) => constant_fits(*constant, of, span),
            ExpressionKind::Local(local) => match self.types.get(local) {
                Some(known) => self.same(known, of, None, span),
                None => wrong(span, format!("the variable {} is not in scope", local.0)),
            },
            ExpressionKind::LocalInstance(local, instance) => self.local_instance(*local, instance, of, span),
            ExpressionKind::Definition(definition, instance) => {
                let known = self.defined(*definition, instance, span)?;
                self.same(&known, of, Some(open), span)
            }
            ExpressionKind::Intrinsic(_, instance) => self.parts(instance, span),
            ExpressionKind::Hole => Ok(()),
            ExpressionKind::Size(size) => {
                self.size(size, &[], span)?;
                self.same(of, &I64, None, span)
            }
            ExpressionKind::Record(fields) => self.record(fields, of, span),
            ExpressionKind::Field(record, name) => self.same(field(&record.of, name, span)?, of, None, span),
            ExpressionKind::RecordUpdate(record, path, part) => {
                let inner = path.iter().try_fold(&record.of, |inner, name| field(inner, name, span))?;
                self.same(&part.of, inner, None, span)?;
                self.same(&record.of, of, None, span)
            }
            ExpressionKind::Constructor(name, payload) => self.constructor(name, payload, of, span),
            ExpressionKind::Array(elements) => self.array(elements, of, span),
            ExpressionKind::Range(_) => {
                let Type::Array(_, element) = of else { return wrong(span, "a range has no type of arrays") };
                value.children().try_for_each(|part| self.same(&part.of, element, None, span))
            }
            ExpressionKind::Index(array, indices) => {
                let found = self.indices(&array.of, indices, span)?;
                self.same_shape(&found, of, span)
            }
            ExpressionKind::Update(array, indices, part) => {
                let found = self.indices(&array.of, indices, span)?;
                self.same_shape(&found, &part.of, span)?;
                self.same(&array.of, of, None, span)
            }
            ExpressionKind::Primitive(_, kind, operands) => {
                if operands.iter().any(|operand| operand.of != Type::Prim(*kind)) {
                    return wrong(span, "an operand has not the kind of its operation");
                }
                if matches!(of, Type::Prim(_)) { Ok(()) } else { wrong(span, "an operation has no type of scalars") }
            }
            ExpressionKind::Convert(inner) => match (&inner.of, of) {
                (Type::Prim(_), Type::Prim(_)) => Ok(()),
                _ => wrong(span, "a conversion of what is no scalar"),
            },
            ExpressionKind::Equal(a, b) => {
                self.same(of, &BOOL, None, span)?;
                self.same(&a.of, &b.of, None, span)
            }
            ExpressionKind::Lambda(lambda) => self.lambda(lambda, of, span),
            ExpressionKind::Apply { function, argument } => self.application(function, argument, of, open, span),
            ExpressionKind::Let(pattern, bound, body) => {
                self.expression(bound, &pattern.binds)?;
                self.same(&bound.of, &pattern.of, Some(&pattern.binds), span)?;
                self.bind(pattern)?;
                self.known_sizes(pattern, bound);
                self.expression(body, open)?;
                self.same(&body.of, of, Some(open), span)
            }
            ExpressionKind::LetPolymorphic(local, scheme, bound, body) => {
                self.scheme(scheme, bound)?;
                self.schemes.insert(*local, (**scheme).clone());
                self.expression(body, open)?;
                self.same(&body.of, of, Some(open), span)
            }
            ExpressionKind::If(condition, yes, no) => {
                self.expression(condition, &[])?;
                self.same(&condition.of, &BOOL, None, span)?;
                [yes, no].into_iter().try_for_each(|branch| self.branch(branch, of, open, span))
            }
            ExpressionKind::Match(scrutinee, cases) => {
                self.expression(scrutinee, &[])?;
                for (pattern, branch) in cases {
                    self.same(&scrutinee.of, &pattern.of, None, pattern.span)?;
                    self.bind(pattern)?;
                    self.branch(branch, of, open, span)?;
                }
                Ok(())
            }
            ExpressionKind::Loop(iteration) => self.iteration(iteration, of, open, span),
            ExpressionKind::Coerce(inner) => self.same_shape(&inner.of, of, span),
            ExpressionKind::Assert(condition, inner) => {
                self.same(&condition.of, &BOOL, None, span)?;
                self.same(&inner.of, of, None, span)
            }
        }
    }

    fn local_instance(&self, local: Local, instance: &Instance, of: &Type, span: Span) -> Verified {
        let Some(scheme) = self.schemes.get(&local) else { return wrong(span, "a function is not in scope") };
        let known = self.instance(scheme, instance, span)?;
        self.same(&known, of, None, span)
    }

    /// The type of a definition at an instance.
    fn defined(&self, definition: Definition, instance: &Instance, span: Span) -> Result<Type, String> {
        match self.program.place(definition).filter(|place| *place <= self.definition) {
            Some(place) => self.instance(&self.program.definitions[place].scheme, instance, span),
            None => wrong(span, "a definition is mentioned before it is made"),
        }
    }

    fn record(&self, fields: &[(Name, Expression)], of: &Type, span: Span) -> Verified {
        let Type::Record(types) = of else { return wrong(span, "a record has no type of records") };
        if fields.len() != types.len() {
            return wrong(span, "a record has not the fields of its type");
        }
        if fields.iter().zip(types).any(|((name, _), (known, _))| name != known) {
            return wrong(span, "the fields of a record are not in the order of its type");
        }
        fields.iter().zip(types).try_for_each(|((_, field), (_, of))| self.same(&field.of, of, None, span))
    }

    fn constructor(&self, name: &Name, payload: &[Expression], of: &Type, span: Span) -> Verified {
        let Type::Sum(constructors) = of else { return wrong(span, "a constructor has no type of sums") };
        let known = constructors.iter().find(|(own, held)| own == name && held.len() == payload.len());
        let Some((_, held)) = known else { return wrong(span, "a constructor is not one of its type") };
        payload.iter().zip(held).try_for_each(|(part, of)| self.same(&part.of, of, None, span))
    }

    fn array(&self, elements: &[Expression], of: &Type, span: Span) -> Verified {
        let Type::Array(size, of) = of else { return wrong(span, "an array has no type of arrays") };
        if Polynomial::of(size).as_constant() != Some(elements.len() as i128) {
            return wrong(span, "an array has not as many elements as its type says");
        }
        elements.iter().try_for_each(|element| self.same(&element.of, of, None, span))
    }

    fn application(
        &self,
        function: &Expression,
        argument: &Expression,
        of: &Type,
        open: &[Local],
        span: Span,
    ) -> Verified {
        let Type::Function(function) = &function.of else {
            return wrong(span, "what is applied is no function");
        };
        let FunctionType { param, name, exists, result } = &**function;
        self.same(&argument.of, param, None, span)?;
        let mut sizes: FxHashMap<Local, Size> = FxHashMap::default();
        if let Some(name) = name {
            let Some(size) = size_of(argument) else { return wrong(span, "an argument is no size") };
            sizes.insert(*name, size);
        }
        if !exists.is_empty() && open.is_empty() {
            return wrong(span, "no pattern binds the sizes of a result");
        }
        self.same(&with_sizes(result, &sizes), of, Some(open), span)
    }

    /// Notes which variables of a pattern are sizes that are known.
    fn known_sizes(&mut self, pattern: &Pattern, value: &Expression) {
        match (&pattern.kind, &value.kind) {
            (PatternKind::Local(local), _) => {
                if let Some(size) = size_of(value) {
                    self.equal.insert(*local, size);
                }
            }
            (PatternKind::Record(parts), ExpressionKind::Record(fields)) => {
                for ((_, part), (_, field)) in parts.iter().zip(fields) {
                    self.known_sizes(part, field);
                }
            }
            _ => {}
        }
    }

    fn branch(&mut self, branch: &Expression, of: &Type, open: &[Local], span: Span) -> Verified {
        let before = self.types.clone();
        self.expression(branch, &[])?;
        self.types = before;
        self.same(&branch.of, of, Some(open), span)
    }

    fn lambda(&mut self, lambda: &Lambda, of: &Type, span: Span) -> Verified {
        let Type::Function(function) = of else {
            return wrong(span, "a function has no type of functions");
        };
        let FunctionType { param, name, exists, result } = &**function;
        let before = self.types.clone();
        self.same(&lambda.param.of, param, None, span)?;
        self.bind(&lambda.param)?;
        let mut renamed: FxHashMap<Local, Size> = FxHashMap::default();
        if let (Some(name), PatternKind::Local(local)) = (name, &lambda.param.kind) {
            renamed.insert(*name, Size::Local(*local));
        }
        self.expression(&lambda.body, &[])?;
        self.same(&lambda.body.of, &with_sizes(result, &renamed), Some(exists), span)?;
        self.types = before;
        Ok(())
    }

    fn iteration(&mut self, iteration: &Loop, of: &Type, open: &[Local], span: Span) -> Verified {
        self.expression(&iteration.initial, &[])?;
        self.same(&iteration.initial.of, &iteration.pattern.of, Some(&iteration.sizes), span)?;
        let before = self.types.clone();
        match &iteration.form {
            LoopForm::For(_, end) | LoopForm::In(_, end) => self.expression(end, &[])?,
            LoopForm::While(_) => {}
        }
        if let Some(bound) = &iteration.policy.bound {
            self.expression(bound, &[])?;
        }
        iteration.sizes.iter().for_each(|size| drop(self.types.insert(*size, I64)));
        self.bind(&iteration.pattern)?;
        match &iteration.form {
            LoopForm::For(local, end) => drop(self.types.insert(*local, end.of.clone())),
            LoopForm::In(pattern, xs) => {
                let Type::Array(_, element) = &xs.of else { return wrong(span, "a loop over what is no array") };
                self.same(element, &pattern.of, None, span)?;
                self.bind(pattern)?;
            }
            LoopForm::While(condition) => {
                self.expression(condition, &[])?;
                self.same(&condition.of, &BOOL, None, span)?;
            }
        }
        self.expression(&iteration.body, &[])?;
        self.same(&iteration.body.of, &iteration.pattern.of, Some(&iteration.sizes), span)?;
        self.types = before;
        self.same(&iteration.pattern.of, of, Some(open), span)
    }

    /// The type that indices find, sizes of slices as they were.
    fn indices(&self, array: &Type, indices: &[Index], span: Span) -> Result<Type, String> {
        let (mut rest, mut kept) = (array, Vec::new());
        for index in indices {
            let Type::Array(size, element) = rest else { return wrong(span, "more indices than dimensions") };
            match index {
                Index::At(at) if matches!(at.of, Type::Prim(prim) if prim.is_integer()) => {}
                Index::At(_) => return wrong(span, "an index is no integer"),
                Index::Slice(start, end, step) => {
                    let mut parts = start.iter().chain(end).chain(step);
                    parts.try_for_each(|part| self.same(&part.of, &I64, None, span))?;
                    kept.push(size.clone());
                }
            }
            rest = element;
        }
        Ok(kept.into_iter().rev().fold(rest.clone(), |of, size| Type::Array(size, of.into())))
    }
}

//! The parts of the tree that lines are indented and broken by, as ranges of tokens.
//!
//! Law: two frames have no token in common, or one is within the other (tests/language/format.rs).

use super::pieces::Pieces;
use crate::futhark::source::Span;
use crate::futhark::syntax::expression::strength;
use crate::futhark::syntax::parts::TypePart;
use crate::futhark::syntax::token::Kind;
use crate::futhark::syntax::tree::{
    Declaration, DeclarationKind, Expression, ExpressionKind, File, Index, LoopForm, ModuleExpression, Pattern,
    PatternKind, Signature, Specification, TypeExpression, TypeKind, TypeParam, ValueDeclaration,
};

/// A part of the tree from one token to another.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) form: Form,
}

/// What a frame is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A declaration, or what a module type promises.
    Declaration,
    /// `let p = e`, without what follows.
    Binding,
    /// `let`s and their result.
    Chain,
    If,
    Match,
    Loop,
    Lambda,
    /// Operators of a chain, or arrows and bars of a type: what follows stands under what is first.
    Operators,
    /// A function and its arguments, or what is defined and its parameters, of which this token begins the first.
    Apply(usize),
    /// `a with [i] = v`.
    With,
    /// Whatever else goes on further to the right.
    Other,
    /// What stands in brackets, and these.
    Brackets,
}

/// What a tree says of the tokens of its text.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Those around before those within.
    pub(super) frames: Vec<Frame>,
    /// Where an argument or a parameter begins, which has space before it.
    pub(super) apart: Vec<usize>,
    /// The same of parameters that stand for sizes and types, which stay together.
    pub(super) generic: Vec<usize>,
    /// The first and the last token of each operator between two operands.
    pub(super) operators: Vec<(usize, usize)>,
    /// Where a declaration begins, which has a line of its own.
    pub(super) lines: Vec<usize>,
}

/// The frames of a tree.
pub(super) fn frames(tree: &File, pieces: &Pieces<'_>) -> Frames {
    let mut walk = Walk { pieces, found: Frames::default() };
    walk.declarations(&tree.declarations);
    for at in 0..pieces.len() {
        if let Some(last) = pieces.partner(at).filter(|partner| *partner > at) {
            walk.found.frames.push(Frame { first: at, last, form: Form::Brackets });
        }
    }
    // Of two that begin and end together, the one around was found first.
    walk.found.frames.sort_by_key(|frame| (frame.first, usize::MAX - frame.last));
    walk.found
}

struct Walk<'p, 't> {
    pieces: &'p Pieces<'t>,
    found: Frames,
}

/// The stack that must be left for one step of recursion, and how much is added.
const RESERVE: usize = 128 * 1024;
const SEGMENT: usize = 2 * 1024 * 1024;

/// How strongly the operator of an expression binds, if it has one.
fn strength_of(e: &Expression) -> Option<u8> {
    if let ExpressionKind::Binary(name, ..) = &e.kind { Some(strength(&name.name)) } else { None }
}

impl Walk<'_, '_> {
    /// The tokens of a place, without brackets around all of them.
    fn range(&self, span: Span) -> (usize, usize) {
        let (mut first, mut last) = (self.pieces.beginning(span.start), self.pieces.ending(span.end));
        while first < last && self.pieces.kind(first) == Kind::Open && self.pieces.partner(first) == Some(last) {
            (first, last) = (first + 1, last - 1);
        }
        (first, last)
    }

    fn frame(&mut self, span: Span, form: Form) {
        let (first, last) = self.range(span);
        if first < last {
            self.found.frames.push(Frame { first, last, form });
        }
    }

    /// Whether brackets stand around all of this.
    fn is_bracketed(&self, span: Span) -> bool {
        let first = self.pieces.beginning(span.start);
        self.pieces.kind(first) == Kind::Open && self.pieces.partner(first) == Some(self.pieces.ending(span.end))
    }

    fn apart(&mut self, span: Span) {
        self.found.apart.push(self.pieces.beginning(span.start));
    }

    fn declarations(&mut self, declarations: &[Declaration]) {
        for declaration in declarations {
            self.found.lines.push(self.pieces.beginning(declaration.span.start));
            self.declaration(declaration);
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.frame(declaration.span, Form::Declaration);
        match &declaration.kind {
            DeclarationKind::Value(value) => self.value(value),
            DeclarationKind::Type(of) => {
                self.type_params(&of.params);
                of.definition.iter().for_each(|of| self.type_expression(of));
            }
            DeclarationKind::Open(module) => self.module(module),
            DeclarationKind::Import(_) => {}
            DeclarationKind::Local(inner) => stacker::maybe_grow(RESERVE, SEGMENT, || match &inner.kind {
                // It begins where the whole does.
                DeclarationKind::Value(value) => self.value(value),
                _ => self.declaration(inner),
            }),
            DeclarationKind::Module(module) => {
                module.params.iter().for_each(|(_, signature)| self.signature(signature));
                module.signature.iter().for_each(|signature| self.signature(signature));
                self.module(&module.body);
            }
            DeclarationKind::Signature(_, signature) => self.signature(signature),
        }
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        // The name stands behind a bracket or a tick, which may have space behind it.
        params.iter().for_each(|param| {
            let name = self.pieces.beginning(param.span.start);
            self.found.generic.push(name.saturating_sub(1));
        });
    }

    fn value(&mut self, value: &ValueDeclaration) {
        self.type_params(&value.type_params);
        if let [param, ..] = &value.params[..] {
            let generic =
                value.type_params.first().map(|param| self.pieces.beginning(param.span.start).saturating_sub(1));
            let first = generic.unwrap_or_else(|| self.pieces.beginning(param.span.start));
            let head = self.pieces.beginning(value.name_span.start).min(first.saturating_sub(1));
            let end = value.params.last().map_or(param.span.end, |param| param.span.end);
            self.found.frames.push(Frame { first: head, last: self.pieces.ending(end), form: Form::Apply(first) });
        }
        for param in &value.params {
            self.apart(param.span);
            self.pattern(param);
        }
        value.result.iter().for_each(|of| self.type_expression(of));
        self.expression(&value.body);
    }

    fn module(&mut self, module: &ModuleExpression) {
        stacker::maybe_grow(RESERVE, SEGMENT, || match module {
            ModuleExpression::Name(_) | ModuleExpression::Import(..) => {}
            ModuleExpression::Body(declarations, _) => self.declarations(declarations),
            ModuleExpression::Apply(function, argument, _) => {
                self.module(function);
                self.module(argument);
            }
            ModuleExpression::Ascribe(module, signature, _) => {
                self.module(module);
                self.signature(signature);
            }
            ModuleExpression::Lambda(_, signature, body, _) => {
                self.signature(signature);
                self.module(body);
            }
        });
    }

    fn signature(&mut self, signature: &Signature) {
        stacker::maybe_grow(RESERVE, SEGMENT, || match signature {
            Signature::Name(_) => {}
            Signature::Body(specifications, _) => {
                for specification in specifications {
                    let (Specification::Value(.., span)
                    | Specification::Type(_, span)
                    | Specification::Module(.., span)
                    | Specification::Include(_, span)) = specification;
                    self.found.lines.push(self.pieces.beginning(span.start));
                    self.frame(*span, Form::Declaration);
                    match specification {
                        Specification::Value(_, params, of, _) => {
                            self.type_params(params);
                            self.type_expression(of);
                        }
                        Specification::Type(of, _) => {
                            self.type_params(&of.params);
                            of.definition.iter().for_each(|of| self.type_expression(of));
                        }
                        Specification::Module(_, signature, _) | Specification::Include(signature, _) => {
                            self.signature(signature);
                        }
                    }
                }
            }
            Signature::With(inner, _, params, of, _) => {
                self.signature(inner);
                self.type_params(params);
                self.type_expression(of);
            }
            Signature::Arrow(_, from, to, _) => {
                self.signature(from);
                self.signature(to);
            }
        });
    }

    fn type_expression(&mut self, of: &TypeExpression) {
        stacker::maybe_grow(RESERVE, SEGMENT, || {
            if matches!(of.kind, TypeKind::Function(..) | TypeKind::Sum(_)) {
                self.frame(of.span, Form::Operators);
            }
            self.type_within(of);
        });
    }

    fn type_within(&mut self, of: &TypeExpression) {
        for part in of.parts() {
            match part {
                TypePart::Size(size) => self.expression(size),
                // Arrows behind one another are one chain.
                TypePart::Type(to) if is_next(of, to) && !self.is_bracketed(to.span) => {
                    stacker::maybe_grow(RESERVE, SEGMENT, || self.type_within(to));
                }
                TypePart::Type(of) => self.type_expression(of),
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        stacker::maybe_grow(RESERVE, SEGMENT, || match &pattern.kind {
            PatternKind::Name(_) | PatternKind::Wildcard | PatternKind::Literal(_) => {}
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.pattern(part)),
            PatternKind::Record(fields) => fields.iter().for_each(|(_, part)| self.pattern(part)),
            PatternKind::Constructor(_, parts) => {
                for part in parts {
                    self.apart(part.span);
                    self.pattern(part);
                }
            }
            PatternKind::Ascribe(inside, of) => {
                self.pattern(inside);
                self.type_expression(of);
            }
            PatternKind::Attribute(_, inside) => self.pattern(inside),
        });
    }

    fn expression(&mut self, e: &Expression) {
        stacker::maybe_grow(RESERVE, SEGMENT, || self.form(e));
    }

    fn form(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Update(..) => {
                self.frame(e.span, Form::With);
                self.updates(e);
            }
            ExpressionKind::Apply(function, arguments) => {
                self.arguments(e.span, arguments);
                self.expression(function);
            }
            ExpressionKind::Constructor(_, arguments) => self.arguments(e.span, arguments),
            ExpressionKind::Binary(..) => {
                self.frame(e.span, Form::Operators);
                self.operators(e);
            }
            ExpressionKind::Lambda(params, result, body) => {
                self.frame(e.span, Form::Lambda);
                for param in params.iter().skip(1) {
                    self.apart(param.span);
                }
                params.iter().for_each(|param| self.pattern(param));
                result.iter().for_each(|of| self.type_expression(of));
                self.expression(body);
            }
            ExpressionKind::Let(..) | ExpressionKind::LetFunction(..) | ExpressionKind::LetUpdate(..) => self.lets(e),
            ExpressionKind::If(..) => {
                self.frame(e.span, Form::If);
                self.conditions(e);
            }
            ExpressionKind::Match(value, cases) => {
                self.frame(e.span, Form::Match);
                self.expression(value);
                for (pattern, result) in cases {
                    self.pattern(pattern);
                    self.expression(result);
                }
            }
            ExpressionKind::Loop(it) => {
                self.frame(e.span, Form::Loop);
                self.pattern(&it.pattern);
                it.initial.iter().for_each(|e| self.expression(e));
                match &it.form {
                    LoopForm::For(_, _, e) | LoopForm::While(e) => self.expression(e),
                    LoopForm::In(pattern, e) => {
                        self.pattern(pattern);
                        self.expression(e);
                    }
                }
                self.expression(&it.body);
            }
            ExpressionKind::Ascribe(value, of) | ExpressionKind::Coerce(value, of) => {
                self.frame(e.span, Form::Other);
                self.expression(value);
                self.type_expression(of);
            }
            ExpressionKind::Assert(condition, value) => {
                self.arguments(e.span, core::slice::from_ref(condition));
                self.expression(value);
            }
            ExpressionKind::Attribute(_, inside) => {
                self.frame(e.span, Form::Operators);
                self.expression(inside);
            }
            // What goes on in lines as whatever is around it does.
            _ => e.parts().into_iter().for_each(|part| self.expression(part)),
        }
    }

    fn indices(&mut self, indices: &[Index]) {
        indices.iter().flat_map(Index::parts).for_each(|e| self.expression(e));
    }

    fn arguments(&mut self, all: Span, arguments: &[Expression]) {
        if let Some(first) = arguments.first() {
            self.frame(all, Form::Apply(self.pieces.beginning(first.span.start)));
        }
        for argument in arguments {
            self.apart(argument.span);
            self.expression(argument);
        }
    }

    /// A chain of updates of one value.
    fn updates(&mut self, e: &Expression) {
        let mut e = e;
        loop {
            let (of, value) = match &e.kind {
                ExpressionKind::Update(of, path, value) => {
                    path.iter().for_each(|step| self.indices(step.indices()));
                    (of, value)
                }
                _ => return self.expression(e),
            };
            self.expression(value);
            if self.is_bracketed(of.span) {
                return self.expression(of);
            }
            e = of;
        }
    }

    /// A chain of operators, of which all that are as strong and lean to the left are in one frame.
    fn operators(&mut self, e: &Expression) {
        let mut e = e;
        let chain = strength_of(e);
        while let ExpressionKind::Binary(name, left, right) = &e.kind {
            if strength_of(e) != chain {
                break;
            }
            let (first, last) = (self.pieces.beginning(name.span.start), self.pieces.ending(name.span.end));
            self.found.operators.push((first, last));
            self.expression(right);
            if self.is_bracketed(left.span) {
                return self.expression(left);
            }
            e = left;
        }
        self.expression(e);
    }

    /// A chain of `let`s and its result.
    fn lets(&mut self, e: &Expression) {
        self.frame(e.span, Form::Chain);
        let mut e = e;
        loop {
            let start = e.span.start;
            let (value, body) = match &e.kind {
                ExpressionKind::Let(_, pattern, value, body) => {
                    self.pattern(pattern);
                    (&**value, body)
                }
                ExpressionKind::LetUpdate(_, path, value, body) => {
                    path.iter().for_each(|step| self.indices(step.indices()));
                    (&**value, body)
                }
                ExpressionKind::LetFunction(function, body) => (&function.body, body),
                _ => return self.expression(e),
            };
            self.frame(Span { start, ..value.span }, Form::Binding);
            match &e.kind {
                ExpressionKind::LetFunction(function, _) => self.value(function),
                _ => self.expression(value),
            }
            // Brackets around the result begin a chain of their own.
            if self.is_bracketed(body.span) {
                return self.expression(body);
            }
            e = body;
        }
    }

    /// `if` with those that follow an `else` at once.
    fn conditions(&mut self, e: &Expression) {
        let mut e = e;
        while let ExpressionKind::If(condition, yes, no) = &e.kind {
            self.expression(condition);
            self.expression(yes);
            let next = self.pieces.beginning(no.span.start);
            if !matches!(no.kind, ExpressionKind::If(..)) || self.is_bracketed(no.span) || self.pieces.gaps[next].broken
            {
                return self.expression(no);
            }
            e = no;
        }
    }
}

/// Whether a type is a function that another function returns.
fn is_next(of: &TypeExpression, part: &TypeExpression) -> bool {
    matches!(&of.kind, TypeKind::Function(_, _, to) if core::ptr::eq(&**to, part))
        && matches!(part.kind, TypeKind::Function(..))
}

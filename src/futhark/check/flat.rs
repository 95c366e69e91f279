//! Warnings of derivatives that are 0 by convention: what is differentiated goes through a function of steps.
//!
//! Law: a warning stands where the step is, once, and only if the step is of something that a derivative is taken by.
//! What decides a branch is no step; a comparison is one where it becomes a number or is the result
//! (tests/language/check.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::deep;
use crate::futhark::core::{
    Defined, Definition, Expression, ExpressionKind as E, Local, LoopForm, Pattern, PatternKind, Prim, Program, Type,
};
use crate::futhark::source::{Message, Name, Span};

/// The warnings of a program, of whose own definitions these take derivatives.
pub(super) fn warnings(program: &Program, derive: &[Definition]) -> Vec<Message> {
    let (activity, functions, entered) = (FxHashMap::default(), FxHashMap::default(), FxHashSet::default());
    let mut search = Search { program, activity, functions, entered, found: Vec::new() };
    for definition in derive {
        search.calls(&search.defined(*definition).body);
    }
    search.found
}

fn is_prelude(defined: &Defined) -> bool {
    defined.span.is_prelude()
}

/// How a value depends on what is differentiated by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dependence {
    Not,
    /// It is the answer to a comparison.
    Compared,
    /// It is an integer, or a truth value, made of reals.
    Rounded,
    Smooth,
}

struct Search<'p> {
    program: &'p Program,
    activity: FxHashMap<Local, Dependence>,
    /// Local functions that have not been gone through.
    functions: FxHashMap<Local, &'p Expression>,
    /// Definitions that have been gone through with active parameters.
    entered: FxHashSet<Definition>,
    found: Vec<Message>,
}

/// Whether a function of the prelude, or an intrinsic, takes derivatives.
pub(super) fn is_derivative(name: &str) -> bool {
    matches!(name.trim_end_matches('2'), "jvp" | "vjp" | "jmp" | "mjp")
}

/// A function and the arguments it is applied to.
fn flattened(mut value: &Expression) -> (&Expression, Vec<&Expression>) {
    let mut arguments = Vec::new();
    while let E::Apply { function, argument } = &value.kind {
        arguments.push(&**argument);
        value = function;
    }
    arguments.reverse();
    (value, arguments)
}

/// What is applied.
fn head(mut value: &Expression) -> &Expression {
    while let E::Apply { function, .. } = &value.kind {
        value = function;
    }
    value
}

fn is_function(value: &Expression) -> bool {
    matches!(value.of, Type::Function(_))
}

/// The body of a function that is written with its parameters.
fn inner(mut value: &Expression) -> &Expression {
    while let E::Lambda(lambda) = &value.kind {
        value = &lambda.body;
    }
    value
}

impl<'p> Search<'p> {
    /// Finds calls for derivatives, and goes through what they differentiate.
    fn calls(&mut self, value: &'p Expression) {
        match &value.kind {
            E::Let(pattern, bound, _) if is_function(bound) => {
                if let PatternKind::Local(local) = &pattern.kind {
                    self.functions.insert(*local, bound);
                }
            }
            E::LetPolymorphic(local, _, bound, _) => drop(self.functions.insert(*local, bound)),
            _ => {}
        }
        if let E::Apply { .. } = &value.kind {
            let derives = match &head(value).kind {
                E::Definition(definition, _) => {
                    let defined = self.defined(*definition);
                    is_prelude(defined) && is_derivative(&defined.name)
                }
                E::Intrinsic(name, _) => is_derivative(name),
                _ => false,
            };
            if derives {
                self.called(flattened(value).1[0], true);
            }
        }
        value.children().for_each(|child| deep(|| self.calls(child)));
    }

    fn defined(&self, definition: Definition) -> &'p Defined {
        self.program.definition(definition).expect("a program has what it mentions")
    }

    fn warn(&mut self, at: Span, text: String) {
        if !at.is_prelude() && self.found.iter().all(|message| message.span != at) {
            let hint = "no derivative goes through this; `with_vjp` gives a function a derivative of its own";
            self.found.push(Message::warning("zero-derivative", at, text).hint(hint));
        }
    }

    /// What a step is called, if an operation on reals is one.
    fn step(&mut self, at: Span, name: &str, kind: Prim) -> bool {
        let text = match name {
            "floor" | "ceil" | "trunc" | "round" | "sgn" => format!("`{name}` has the derivative 0"),
            "to_bits" => "the derivative of `to_bits` is bits, which operations on bits do not pass on".to_owned(),
            _ => return false,
        };
        if kind.is_real() {
            self.warn(at, text);
        }
        kind.is_real()
    }

    /// Goes through a function whose parameters are active, and whose derivative is taken (`is_asked`) or that is given
    /// to another.
    fn called(&mut self, function: &'p Expression, is_asked: bool) {
        let (head, arguments) = flattened(function);
        for argument in arguments {
            if is_function(argument) {
                deep(|| self.called(argument, false));
            } else {
                self.walk(argument);
            }
        }
        match &head.kind {
            E::Lambda(lambda) => {
                self.bind(&lambda.param, Dependence::Smooth);
                if is_function(&lambda.body) {
                    deep(|| self.called(&lambda.body, is_asked));
                } else if self.walk(&lambda.body) == Dependence::Compared && is_asked {
                    self.warn(lambda.body.span, "a comparison has the derivative 0".to_owned());
                }
            }
            E::Definition(definition, _) => {
                let defined = self.defined(*definition);
                match &inner(&defined.body).kind {
                    E::Primitive(name, kind, _) if is_prelude(defined) => drop(self.step(head.span, name, *kind)),
                    _ => self.enter(*definition),
                }
            }
            E::Local(local) | E::LocalInstance(local, _) => {
                if let Some(bound) = self.functions.remove(local) {
                    deep(|| self.called(bound, false));
                }
            }
            E::Let(pattern, bound, body) => {
                let activity = self.walk(bound);
                self.bind(pattern, activity);
                deep(|| self.called(body, is_asked));
            }
            _ => {}
        }
    }

    fn enter(&mut self, definition: Definition) {
        let defined = self.defined(definition);
        if !is_prelude(defined) && self.entered.insert(definition) {
            deep(|| self.called(&defined.body, false));
        }
    }

    fn bind(&mut self, pattern: &Pattern, activity: Dependence) {
        if let PatternKind::Local(local) = &pattern.kind {
            let known = self.activity.entry(*local).or_insert(activity);
            *known = activity.max(*known);
        }
        pattern.children().into_iter().for_each(|part| self.bind(part, activity));
    }

    /// The activity of a value, and of each part of it if it is written as a record.
    fn parts(&mut self, value: &'p Expression) -> (Dependence, FxHashMap<&'p Name, Dependence>) {
        let E::Record(fields) = &value.kind else { return (self.walk(value), FxHashMap::default()) };
        let parts: FxHashMap<_, _> = fields.iter().map(|(name, part)| (name, self.walk(part))).collect();
        (parts.values().copied().max().unwrap_or(Dependence::Not), parts)
    }

    fn bind_parts(&mut self, pattern: &Pattern, (activity, parts): &(Dependence, FxHashMap<&'p Name, Dependence>)) {
        match &pattern.kind {
            PatternKind::Record(fields) => {
                fields.iter().for_each(|(name, part)| self.bind(part, parts.get(name).copied().unwrap_or(*activity)));
            }
            PatternKind::Local(_) | PatternKind::Wildcard | PatternKind::Constructor(..) | PatternKind::Constant(_) => {
                self.bind(pattern, *activity);
            }
        }
    }

    /// The activity so far of what a pattern binds.
    fn bound(&self, pattern: &Pattern) -> Dependence {
        let here = match &pattern.kind {
            PatternKind::Local(local) => self.activity.get(local).copied().unwrap_or(Dependence::Not),
            _ => Dependence::Not,
        };
        pattern.children().into_iter().map(|part| self.bound(part)).fold(here, Dependence::max)
    }

    fn walk(&mut self, value: &'p Expression) -> Dependence {
        deep(|| self.within(value))
    }

    fn most(&mut self, parts: impl IntoIterator<Item = &'p Expression>) -> Dependence {
        parts.into_iter().map(|part| self.walk(part)).max().unwrap_or(Dependence::Not)
    }

    /// The activity of a value: how it depends on the variables of the derivative.
    fn within(&mut self, value: &'p Expression) -> Dependence {
        match &value.kind {
            E::Local(local) | E::LocalInstance(local, _) => {
                self.activity.get(local).copied().unwrap_or(Dependence::Not)
            }
            E::Primitive(name, kind, operands) => {
                let activity = self.most(operands);
                match (&**name, activity) {
                    (_, Dependence::Not) => Dependence::Not,
                    ("lt" | "le" | "gt" | "ge" | "isnan" | "isinf", _) => Dependence::Compared,
                    (_, Dependence::Smooth) if self.step(value.span, name, *kind) => Dependence::Not,
                    _ => activity,
                }
            }
            E::Equal(a, b) => self.most([&**a, &**b]).min(Dependence::Compared),
            E::Convert(operand) => {
                let activity = self.walk(operand);
                self.converted(value, &operand.of, activity)
            }
            E::If(condition, yes, no) => {
                let asked = self.walk(condition);
                let activity = self.most([&**yes, &**no]);
                // `&&` and `||` are conditionals, too.
                if value.of == Type::Prim(Prim::Bool) {
                    activity.max(asked.min(Dependence::Compared))
                } else {
                    activity
                }
            }
            E::Let(pattern, bound, body) => {
                if is_function(bound) {
                    self.called(bound, false);
                } else {
                    let activity = self.parts(bound);
                    self.bind_parts(pattern, &activity);
                }
                self.walk(body)
            }
            E::LetPolymorphic(_, _, bound, body) => {
                self.called(bound, false);
                self.walk(body)
            }
            E::Match(scrutinee, cases) => {
                let activity = self.parts(scrutinee);
                cases.iter().for_each(|(pattern, _)| self.bind_parts(pattern, &activity));
                self.most(cases.iter().map(|(_, case)| case))
            }
            E::Loop(it) => {
                // What was active before stays so; this saves going through loops in loops again.
                let mut activity = self.walk(&it.initial).max(self.bound(&it.pattern));
                // What an iteration makes active is active in the next.
                loop {
                    self.bind(&it.pattern, activity);
                    match &it.form {
                        LoopForm::In(pattern, array) => {
                            let element = self.walk(array);
                            self.bind(pattern, element);
                        }
                        LoopForm::For(_, asked) | LoopForm::While(asked) => drop(self.walk(asked)),
                    }
                    let after = activity.max(self.walk(&it.body));
                    if after == activity {
                        return activity;
                    }
                    activity = after;
                }
            }
            E::Apply { .. } => self.applied(value),
            E::Index(array, _) => self.walk(array),
            E::Lambda(_) => Dependence::Not,
            _ => self.most(value.children()),
        }
    }

    /// A value of another kind. What is no real, but made of reals, is a step where it becomes a real again; the truth of a
    /// comparison that becomes an integer counts.
    fn converted(&mut self, value: &Expression, from: &Type, activity: Dependence) -> Dependence {
        let is_real = |of: &Type| matches!(of, Type::Prim(kind) if kind.is_real());
        let step = match (activity, is_real(from), is_real(&value.of)) {
            (Dependence::Smooth, true, false) => return Dependence::Rounded,
            (Dependence::Rounded, false, true) => "a real that was rounded to an integer has the derivative 0",
            (Dependence::Compared, _, true) => "the number made of a comparison has the derivative 0",
            (Dependence::Compared, _, false) => return Dependence::Not,
            _ => return activity,
        };
        self.warn(value.span, step.to_owned());
        Dependence::Not
    }

    fn applied(&mut self, value: &'p Expression) -> Dependence {
        let (head, arguments) = flattened(value);
        let (functions, values): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|argument| is_function(argument));
        let activity = self.most(values);
        if activity == Dependence::Not {
            return self.walk(head);
        }
        // The derivative of a function that comes with one is no matter of what is in it.
        let gives_its_own = match &head.kind {
            E::Intrinsic(name, _) => &**name == "with_vjp",
            E::Definition(definition, _) => {
                let defined = self.defined(*definition);
                is_prelude(defined) && &*defined.name == "with_vjp_tape"
            }
            _ => false,
        };
        if gives_its_own {
            return activity;
        }
        functions.into_iter().for_each(|function| self.called(function, false));
        match &head.kind {
            E::Definition(definition, _) => {
                let defined = self.defined(*definition);
                match &inner(&defined.body).kind {
                    E::Primitive(name, kind, _) if is_prelude(defined) && self.step(value.span, name, *kind) => {
                        Dependence::Not
                    }
                    E::Convert(operand) if is_prelude(defined) => self.converted(value, &operand.of, activity),
                    _ => {
                        self.enter(*definition);
                        activity
                    }
                }
            }
            E::Lambda(lambda) => {
                self.bind(&lambda.param, activity);
                self.walk(&lambda.body)
            }
            _ => activity,
        }
    }
}

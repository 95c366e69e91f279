//! Entry points: a program called from outside, with leaves for arguments and for results.
//!
//! Law: an argument has the sizes that the entry's type says; a size that stands in several places is the same in all
//! of them (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::Evaluator;
use super::frame::Frame;
use super::intrinsic::At;
use super::value::{Callee, Captured, Value, unchecked};
use super::{Meaning, Outcome};
use crate::futhark::core::{Entry, PatternKind, Prim, Program, Type};
use crate::futhark::source::{Message, Span};
use crate::futhark::values::Array;

/// The entry point of that name.
pub(in crate::futhark) fn entry_named<'p>(program: &'p Program, name: &str) -> Outcome<&'p Entry> {
    program.entries.iter().find(|entry| *entry.name == *name).ok_or_else(|| {
        let known: Vec<&str> = program.entries.iter().map(|entry| &*entry.name).collect();
        let hint = match &known[..] {
            [] => "the program has none: write `entry` in the place of `def`".to_owned(),
            known => format!("there are: {}", known.join(", ")),
        };
        let message = Message::error("entry", Span::default(), format!("there is no entry point `{name}`"));
        message.hint(hint)
    })
}

/// The kinds and ranks of the leaves of values of a type, in order. The unit has none, alone.
#[must_use]
pub fn interface(of: &Type) -> Vec<(Prim, usize)> {
    let mut found = Vec::new();
    if *of != Type::tuple(Vec::new()) {
        collect(of, 0, &mut found);
    }
    found
}

/// `Ok` if an argument is of this kind and rank.
pub(in crate::futhark) fn fits(at: Span, name: &str, (kind, rank): (Prim, usize), value: &Array) -> Outcome<()> {
    if (kind, rank) == (value.data.kind(), value.shape.len()) {
        return Ok(());
    }
    let wanted = format!("{}{}", "[]".repeat(rank), kind.name());
    let text = format!("the argument `{name}` is of type {wanted}, and {} is given", value.type_name());
    Err(Message::error("arguments", at, text))
}

fn collect(of: &Type, rank: usize, found: &mut Vec<(Prim, usize)>) {
    match of {
        Type::Prim(kind) => found.push((*kind, rank)),
        Type::Array(_, element) => collect(element, rank + 1, found),
        Type::Record(fields) if fields.is_empty() => found.push((Prim::Bool, rank)),
        Type::Record(fields) => fields.iter().for_each(|(_, of)| collect(of, rank, found)),
        Type::Sum(constructors) => {
            found.push((super::value::TAG, rank));
            constructors.iter().flat_map(|(_, payload)| payload).for_each(|of| collect(of, rank, found));
        }
        Type::Accumulator(of) => collect(of, rank, found),
        Type::Function(_) | Type::Var(_) | Type::Unknown(_) => {}
    }
}

impl<'p, M: Meaning> Evaluator<'p, M> {
    /// The leaves of the result of an entry point for the leaves of its arguments, which are of the kinds and ranks that
    /// [`interface`] says.
    ///
    /// # Errors
    /// If the number of leaves is not that of the parameters, if their sizes do not fit, and whatever the program meets.
    pub fn entry(&self, entry: &Entry, arguments: Vec<M::Data>) -> Outcome<Vec<M::Data>> {
        let Some(defined) = self.program.definition(entry.definition) else {
            return unchecked(Default::default(), "a definition");
        };
        let at = defined.span;
        let wanted: usize = entry.params.iter().map(|(_, of)| interface(of).len()).sum();
        if wanted != arguments.len() {
            let text = format!("`{}` takes {wanted} values, and there are {}", entry.name, arguments.len());
            return Err(Message::error("arguments", at, text));
        }
        let Some(unit) = self.scopes.definition(&defined.body) else { return unchecked(at, "a definition") };
        let frame = Frame::new(self, unit, Rc::new(Captured::nothing()));
        let mut arguments = arguments.into_iter();
        let mut values = Vec::with_capacity(entry.params.len());
        for (name, of) in &entry.params {
            let mut leaves: Vec<M::Data> = arguments.by_ref().take(interface(of).len()).collect();
            if leaves.is_empty() {
                leaves.push(self.unit());
            }
            let value = frame.assemble(leaves, of, at)?;
            let unknown = defined.scheme.sizes.iter().filter(|local| frame.lookup(**local).is_none());
            let unknown: Vec<_> = unknown.copied().collect();
            frame.bind_sizes(&unknown, of, &value, 0, at)?;
            let of = frame.evaluated(of, at)?;
            self.check_sizes(at, &of, &value, 0, &format!("the argument `{name}`"))?;
            values.push(value);
        }
        let sizes = defined.scheme.sizes.iter();
        let sizes = sizes.map(|local| frame.lookup(*local).map(|size| size.into_data(at)).transpose());
        let instance = At { sizes: sizes.collect::<Outcome<_>>()?, types: Vec::new() };
        let mut result = self.definition(entry.definition, instance, at)?;
        self.check_named(&result, entry, &values, at)?;
        for value in values {
            result = self.apply(result, value, at)?;
        }
        match &result {
            Value::Data(_) if interface(&entry.result).is_empty() => Ok(Vec::new()),
            Value::Data(_) | Value::Record(_) | Value::Sum(_) | Value::Function(_) => result.into_leaves(at),
        }
    }

    /// Compares the sizes of arguments with those that their types say by the names of earlier parameters, as `xs` in
    /// `(n: i64) (xs: [n]f64)`.
    fn check_named(
        &self,
        function: &Value<'p, M::Data>,
        entry: &Entry,
        values: &[Value<'p, M::Data>],
        at: Span,
    ) -> Outcome<()> {
        let Value::Function(function) = function else { return Ok(()) };
        let Callee::Closure(unit, captured) = &function.of else { return Ok(()) };
        let frame = Frame::new(self, unit, captured.clone());
        // It may have been applied to the first of its parameters.
        let (given, wanted) = unit.params.split_at(function.arguments.len());
        for (param, value) in given.iter().zip(&function.arguments) {
            frame.bind(param, value.clone())?;
        }
        for ((param, value), (name, _)) in wanted.iter().zip(values).zip(&entry.params) {
            frame.bind(param, value.clone())?;
            // Types may mention what the body does not.
            if let PatternKind::Local(local) = param.kind {
                frame.put(local, Some(value.clone()));
            }
            let of = frame.evaluated(&param.of, at)?;
            self.check_sizes(at, &of, value, 0, &format!("the argument `{name}`"))?;
        }
        Ok(())
    }
}

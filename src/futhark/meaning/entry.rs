//! Entry points: a program called from outside, with leaves for arguments and for results.
//!
//! Law: an argument has the sizes that the entry's type says; a size that stands in several places is the same in all of them.

use std::rc::Rc;

use super::eval::{Evaluator, Frame};
use super::types::Types;
use super::value::{Captured, Value, unchecked};
use super::{Meaning, Outcome};
use crate::futhark::core::{Entry, Prim, Type};
use crate::futhark::source::Message;

/// The kinds and ranks of the leaves of values of a type, in order. The unit has none, alone.
#[must_use]
pub fn interface(of: &Type) -> Vec<(Prim, usize)> {
    let mut found = Vec::new();
    if *of != Type::Record(Vec::new()) {
        collect(of, 0, &mut found);
    }
    found
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
        Type::Function { .. } | Type::Var(_) | Type::Unknown(_) => {}
    }
}

impl<M: Meaning> Evaluator<'_, M> {
    /// The leaves of the result of an entry point for the leaves of its arguments, which are of the kinds and ranks that
    /// [`interface`] says.
    ///
    /// # Errors
    /// If the number of leaves is not that of the parameters, if their sizes do not fit, and whatever the program meets.
    pub fn entry(&self, entry: &Entry, arguments: Vec<M::Data>) -> Outcome<Vec<M::Data>> {
        let Some(defined) = self.program.definitions.get(entry.definition.0 as usize) else {
            return unchecked(Default::default(), "a definition");
        };
        let at = defined.span;
        let wanted: usize = entry.params.iter().map(|(_, of)| interface(of).len()).sum();
        if wanted != arguments.len() {
            let text = format!("`{}` takes {wanted} values, and there are {}", entry.name, arguments.len());
            return Err(Message::error("arguments", at, text));
        }
        let Some(unit) = self.scopes.definition(&defined.body) else { return unchecked(at, "a definition") };
        let mut frame = Frame::new(unit, Rc::new(Captured { values: Vec::new(), types: Types::none() }));
        let mut arguments = arguments.into_iter();
        let mut values = Vec::with_capacity(entry.params.len());
        for (name, of) in &entry.params {
            let mut leaves: Vec<M::Data> = arguments.by_ref().take(interface(of).len()).collect();
            if leaves.is_empty() {
                leaves.push(self.unit());
            }
            let value = self.assemble(leaves, of, &frame, at)?;
            let unknown = defined.scheme.sizes.iter().filter(|local| self.lookup(&frame, **local).is_none());
            let unknown: Vec<_> = unknown.copied().collect();
            self.bind_sizes(&unknown, of, &value, 0, &mut frame, at)?;
            let of = self.evaluated(of, &frame, at)?;
            self.check_sizes(at, &of, &value, 0, &format!("the argument `{name}`"))?;
            values.push(value);
        }
        let sizes = defined.scheme.sizes.iter().map(|local| match self.lookup(&frame, *local) {
            Some(size) => size.clone().into_data(at).map(Some),
            None => Ok(None),
        });
        let sizes = sizes.collect::<Outcome<_>>()?;
        let mut result = self.definition(entry.definition, sizes, Vec::new(), at)?;
        for value in values {
            result = self.apply(result, value, at)?;
        }
        match &result {
            Value::Data(_) if interface(&entry.result).is_empty() => Ok(Vec::new()),
            Value::Data(_) | Value::Record(_) | Value::Sum(_) | Value::Function(_) => result.into_leaves(at),
        }
    }
}

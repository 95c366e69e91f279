//! Types whose sizes are values: what an instance is at, and what the leaves of a value are.
//!
//! Law: a value of a type has the leaves of the type, in this order; the unit has one, a truth value, so that there is
//! no type without leaves and every array knows its size (tests/language/interpret.rs).

use std::rc::Rc;

use crate::futhark::core::Prim;

/// A type with evaluated sizes. A size is unknown where the value that it is read from is not there yet.
#[derive(Debug)]
pub(super) enum Evaluated<D> {
    /// A scalar.
    Prim(Prim),
    /// An array; an accumulator is as the array behind it.
    Array(Option<D>, Rc<Evaluated<D>>),
    /// A record; the unit has no fields.
    Record(Vec<Rc<Evaluated<D>>>),
    /// A sum: the payloads of each constructor.
    Sum(Vec<Vec<Rc<Evaluated<D>>>>),
    /// A function.
    Function,
}

/// The type of a scalar or of a regular array of scalars.
#[derive(Debug, Clone)]
pub struct Leaf<D> {
    /// The kind of the scalars.
    pub kind: Prim,
    /// The sizes, `i64`, from the outermost dimension; `None` where the program does not say a size beforehand.
    pub shape: Vec<Option<D>>,
    /// Whether this is the tag of a sum, which has no derivative.
    pub tag: bool,
}

impl<D: Clone> Evaluated<D> {
    /// The leaves of values of this type.
    pub(super) fn leaves(&self) -> Vec<Leaf<D>> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found);
        found
    }

    fn collect(&self, shape: &mut Vec<Option<D>>, found: &mut Vec<Leaf<D>>) {
        match self {
            Evaluated::Prim(kind) => found.push(Leaf { kind: *kind, shape: shape.clone(), tag: false }),
            Evaluated::Array(size, element) => {
                shape.push(size.clone());
                element.collect(shape, found);
                shape.pop();
            }
            Evaluated::Record(fields) if fields.is_empty() => {
                found.push(Leaf { kind: Prim::Bool, shape: shape.clone(), tag: false });
            }
            Evaluated::Record(fields) => fields.iter().for_each(|field| field.collect(shape, found)),
            Evaluated::Sum(constructors) => {
                found.push(Leaf { kind: Prim::I64, shape: shape.clone(), tag: true });
                constructors.iter().flatten().for_each(|payload| payload.collect(shape, found));
            }
            Evaluated::Function => {}
        }
    }

    /// Whether there is a function in it.
    pub(super) fn has_function(&self) -> bool {
        match self {
            Evaluated::Prim(_) => false,
            Evaluated::Function => true,
            Evaluated::Array(_, element) => element.has_function(),
            Evaluated::Record(fields) => fields.iter().any(|field| field.has_function()),
            Evaluated::Sum(constructors) => constructors.iter().flatten().any(|payload| payload.has_function()),
        }
    }

    /// Whether there is a sum in it.
    pub(super) fn has_sum(&self) -> bool {
        match self {
            Evaluated::Prim(_) | Evaluated::Function => false,
            Evaluated::Array(_, element) => element.has_sum(),
            Evaluated::Record(fields) => fields.iter().any(|field| field.has_sum()),
            Evaluated::Sum(_) => true,
        }
    }
}

/// Types in the place of type parameters, the innermost first.
#[derive(Debug)]
pub(super) struct Types<D>(Option<Rc<Bound<D>>>);

#[derive(Debug)]
struct Bound<D> {
    var: u32,
    of: Rc<Evaluated<D>>,
    rest: Types<D>,
}

impl<D> Clone for Types<D> {
    fn clone(&self) -> Self {
        Types(self.0.clone())
    }
}

impl<D> Types<D> {
    /// None at all.
    pub(super) fn none() -> Self {
        Types(None)
    }

    /// One more.
    pub(super) fn with(self, var: u32, of: Rc<Evaluated<D>>) -> Self {
        Types(Some(Rc::new(Bound { var, of, rest: self })))
    }

    /// The type in the place of a parameter.
    pub(super) fn get(&self, var: u32) -> Option<&Rc<Evaluated<D>>> {
        let mut at = self;
        while let Some(bound) = &at.0 {
            if bound.var == var {
                return Some(&bound.of);
            }
            at = &bound.rest;
        }
        None
    }
}

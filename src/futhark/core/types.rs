//! Types: scalars of twelve kinds, arrays with sizes, records, sums, functions.
//!
//! Law: sizes are compared as polynomials over variables; two types are equal if they are so with equal sizes
//! (tests/language/check.rs).

use core::fmt;

use super::Local;
use super::summary::Shared;
pub use crate::array::Prim;
use crate::futhark::source::{Name, numbered};

/// A type parameter, different from all others of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TypeVar {
    /// Its number.
    pub id: u32,
    /// Its name, for messages.
    pub name: Name,
}

/// A size: an integer term over variables of type `i64`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Size {
    /// A known size.
    Constant(i64),
    /// The value of a variable.
    Local(Local),
    /// A sum.
    Sum(Box<Size>, Box<Size>),
    /// A difference.
    Difference(Box<Size>, Box<Size>),
    /// A product.
    Product(Box<Size>, Box<Size>),
    /// A quotient, rounded as the language's `/` does.
    Quotient(Box<Size>, Box<Size>),
    /// A place that inference has still to fill; none is left in a checked program.
    Unknown(u32),
}

/// A type. Copies share what is within.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// A scalar.
    Prim(Prim),
    /// An array of this size and element type.
    Array(Size, Shared<Type>),
    /// A record, its fields in order of their names, numbers by value; a tuple has the fields `0`, `1`, ….
    Record(Shared<Vec<(Name, Type)>>),
    /// A sum, its constructors in order of their names.
    Sum(Shared<Vec<(Name, Vec<Type>)>>),
    /// A function of one parameter.
    Function(Shared<FunctionType>),
    /// A type parameter.
    Var(TypeVar),
    /// An accumulator behind an array of this type.
    Accumulator(Shared<Type>),
    /// A place that inference has still to fill; none is left in a checked program.
    Unknown(u32),
}

/// The type of a function of one parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionType {
    /// The type of the parameter.
    pub param: Type,
    /// The variable that stands for the argument, an `i64`, in sizes of the result, if any mentions it.
    pub name: Option<Local>,
    /// The sizes of the result that are known only when it is there.
    pub exists: Vec<Local>,
    /// The type of the result.
    pub result: Type,
}

impl From<FunctionType> for Type {
    fn from(function: FunctionType) -> Type {
        Type::Function(function.into())
    }
}

impl Type {
    /// The type of a tuple.
    #[must_use]
    pub fn tuple(types: Vec<Type>) -> Type {
        Type::Record(types.into_iter().enumerate().map(|(at, of)| (numbered(at), of)).collect())
    }

    /// The type of a function whose result has no sizes that are known only from its argument or from itself.
    #[must_use]
    pub fn function(param: Type, result: Type) -> Type {
        FunctionType { param, name: None, exists: Vec::new(), result }.into()
    }

    /// The types of the components, if this is a tuple: of none, the unit; never of one.
    #[must_use]
    pub fn as_tuple(&self) -> Option<Vec<&Type>> {
        let Type::Record(fields) = self else { return None };
        let numbered = fields.iter().enumerate().all(|(at, (name, _))| *name == numbered(at));
        (numbered && fields.len() != 1).then(|| fields.iter().map(|(_, of)| of).collect())
    }
}

/// As in texts, with variables as `s17`; the checker shows the names that the user gave.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Constant(n) => write!(f, "{n}"),
            Size::Local(local) => write!(f, "s{}", local.0),
            Size::Sum(a, b) => write!(f, "({a} + {b})"),
            Size::Difference(a, b) => write!(f, "({a} - {b})"),
            Size::Product(a, b) => write!(f, "({a} * {b})"),
            Size::Quotient(a, b) => write!(f, "({a} / {b})"),
            Size::Unknown(_) => f.write_str("_"),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(components) = self.as_tuple() {
            f.write_str("(")?;
            for (at, of) in components.iter().enumerate() {
                write!(f, "{}{of}", if at == 0 { "" } else { ", " })?;
            }
            return f.write_str(")");
        }
        match self {
            Type::Prim(prim) => f.write_str(prim.name()),
            Type::Array(size, of) => write!(f, "[{size}]{of}"),
            Type::Record(fields) => {
                f.write_str("{")?;
                for (at, (name, of)) in fields.iter().enumerate() {
                    write!(f, "{}{name}: {of}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
            Type::Sum(constructors) => {
                for (at, (name, payload)) in constructors.iter().enumerate() {
                    write!(f, "{}#{name}", if at == 0 { "" } else { " | " })?;
                    payload.iter().try_for_each(|of| write!(f, " {of}"))?;
                }
                Ok(())
            }
            Type::Function(function) => match &**function {
                FunctionType { param: param @ Type::Function(_), result, .. } => write!(f, "({param}) -> {result}"),
                FunctionType { param, result, .. } => write!(f, "{param} -> {result}"),
            },
            Type::Var(var) => write!(f, "{}", var.name),
            Type::Accumulator(of) => write!(f, "acc ({of})"),
            Type::Unknown(_) => f.write_str("_"),
        }
    }
}

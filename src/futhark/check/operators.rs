//! Scalar operations: their names in the text, and what they are in the core.
//!
//! Law: an operation of the text is one of the core's or a few of them; the right operand of `&&` and `||` is worked
//! out only if it decides, or is a variable (tests/language/elaborate.rs).

use super::scope::Operator;
use super::unify::{Prims, Required, Unifier};
use super::{Checked, Checker};
use crate::futhark::chain::Rest;
use crate::futhark::core::{self, Constant, Expression, ExpressionKind, FunctionType, Pattern, Prim, Type};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree;

/// The operators of the text and the operations they are.
pub(super) const OPERATORS: [(&str, &str); 23] = [
    ("+", "add"),
    ("-", "sub"),
    ("*", "mul"),
    ("/", "div"),
    ("%", "mod"),
    ("//", "quot"),
    ("%%", "rem"),
    ("**", "pow"),
    ("&", "and"),
    ("|", "or"),
    ("^", "xor"),
    ("<<", "shl"),
    (">>", "shr"),
    (">>>", "shift_zeros"),
    ("<", "lt"),
    ("<=", "le"),
    (">", "gt"),
    (">=", "ge"),
    ("==", "equal"),
    ("!=", "unequal"),
    ("&&", "both"),
    ("||", "either"),
    ("!", "not"),
];

/// The kinds that a type variable of the signatures of scalar operations stands for, by its name.
pub(super) fn kinds(variable: &str) -> Option<Prims> {
    match variable {
        "number" => Some(Prims::of(|prim| prim != Prim::Bool)),
        "integer" => Some(Prims::of(Prim::is_integer)),
        "real" => Some(Prims::of(Prim::is_real)),
        "bits" => Some(Prims::of(|prim| !prim.is_real())),
        "scalar" => Some(Prims::of(|_| true)),
        _ => None,
    }
}

/// An operation as it is in the core.
fn primitive(name: impl Into<Name>, operands: Vec<Expression>, of: Type, span: Span) -> Expression {
    // The kind is that of the operands, which is known at the end of the definition.
    Expression { kind: ExpressionKind::Primitive(name.into(), Prim::Bool, operands), of, span }
}

impl Checker {
    /// An operation as a function.
    pub(super) fn operator_value(&mut self, operator: &Operator, of: &Type, span: Span) -> Checked<Expression> {
        let mut params = Vec::with_capacity(operator.arity);
        let body = self.body(|checker| {
            let mut rest = checker.unifier.resolve(of);
            let mut operands = Vec::with_capacity(operator.arity);
            for _ in 0..operator.arity {
                let Type::Function(function) = rest else { unreachable!("as many parameters") };
                let FunctionType { param, result, .. } = function.into_inner();
                let local = checker.unifier.fresh("x");
                operands.push(Expression::variable(local, param.clone(), span));
                params.push(Pattern::variable(local, param, span));
                rest = result;
            }
            Ok(checker.unifier.operation(&operator.name, operands, rest, span))
        })?;
        Ok(params.into_iter().rev().fold(Expression { span, ..body }, |function, param| {
            let of = Type::function(param.of.clone(), function.of.clone());
            Expression::lambda(param, function, of)
        }))
    }

    /// A constant as it is written.
    pub(super) fn literal(&mut self, literal: &tree::Literal, span: Span) -> Checked<Expression> {
        let suffix = |suffix: &Option<Name>| {
            suffix.as_ref().map(|suffix| match Prim::named(suffix) {
                Some(prim) => Ok(prim),
                None => super::fault(
                    "literal",
                    span,
                    format!("there is no kind of number `{suffix}`"),
                    "the kinds are i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64",
                ),
            })
        };
        let number = Prims::of(|prim| prim != Prim::Bool);
        let (constant, of) = match literal {
            tree::Literal::Bool(value) => (Constant::Bool(*value), Type::Prim(Prim::Bool)),
            tree::Literal::Integer(value, kind) => {
                let mut value = *value;
                let of = match suffix(kind).transpose()? {
                    Some(prim) => {
                        // Where the kind is written, the negation of a number without sign wraps.
                        if prim.is_integer() && !prim.is_signed() && (-prim.bounds().1..0).contains(&value) {
                            value += prim.bounds().1 + 1;
                        }
                        Type::Prim(prim)
                    }
                    None => self.unifier.unknown(Required::OneOf(number), span),
                };
                (Constant::Integer(value), of)
            }
            tree::Literal::Real(digits, kind) => {
                let of = match suffix(kind).transpose()? {
                    Some(prim) => Type::Prim(prim),
                    None => self.unifier.unknown(Required::OneOf(Prims::of(Prim::is_real)), span),
                };
                self.digits.insert(span, digits.clone());
                (Constant::Real(0.0), of)
            }
            // A character is its number, of the kind that is wanted.
            tree::Literal::Character(c) => {
                let of = self.unifier.unknown(Required::OneOf(number), span);
                (Constant::Integer(i128::from(u32::from(*c))), of)
            }
            tree::Literal::Text(text) => {
                let byte = |byte: u8| Expression {
                    kind: ExpressionKind::Constant(Constant::Integer(i128::from(byte))),
                    of: Type::Prim(Prim::U8),
                    span,
                };
                let elements: Vec<Expression> = text.bytes().map(byte).collect();
                let count = i64::try_from(elements.len()).expect("a text fits in memory");
                let of = Type::Array(core::Size::Constant(count), Type::Prim(Prim::U8).into());
                return Ok(Expression { kind: ExpressionKind::Array(elements), of, span });
            }
        };
        Ok(Expression { kind: ExpressionKind::Constant(constant), of, span })
    }
}

impl Unifier {
    /// An operation on as many operands as it has.
    pub(super) fn operation(&mut self, name: &Name, operands: Vec<Expression>, of: Type, span: Span) -> Expression {
        let mut operands = operands;
        let two = |operands: Vec<Expression>| {
            let [a, b]: [Expression; 2] = operands.try_into().expect("the operation has two operands");
            (Box::new(a), Box::new(b))
        };
        let kind = match &**name {
            "convert" => ExpressionKind::Convert(Box::new(operands.swap_remove(0))),
            "equal" | "unequal" => {
                let (a, b) = two(operands);
                let equal = Expression { kind: ExpressionKind::Equal(a, b), of: of.clone(), span };
                if **name == *"equal" {
                    return equal;
                }
                return primitive("not", vec![equal], of, span);
            }
            "gt" | "ge" => {
                operands.swap(0, 1);
                return primitive(if **name == *"gt" { "lt" } else { "le" }, operands, of, span);
            }
            "both" | "either" => {
                let (a, b) = two(operands);
                return self.connective(**name == *"both", *a, *b, span);
            }
            _ => return primitive(name.clone(), operands, of, span),
        };
        Expression { kind, of, span }
    }

    /// `a && b` or `a || b`: the product or the sum of truth values, and differentiated as these; unless `b` is there anyway,
    /// only where `a` does not decide alone. An operator finds both there, so the derivative of `reduce (&&)` is one,
    /// however it is bracketed.
    fn connective(&mut self, both: bool, a: Expression, b: Expression, span: Span) -> Expression {
        let truth = |kind| Expression { kind, of: Type::Prim(Prim::Bool), span };
        let name = if both { "and" } else { "or" };
        if matches!(b.kind, ExpressionKind::Local(_) | ExpressionKind::Constant(_)) {
            return primitive(name, vec![a, b], Type::Prim(Prim::Bool), span);
        }
        let first = self.fresh("first");
        let pattern = Pattern::variable(first, a.of.clone(), span);
        let first = || truth(ExpressionKind::Local(first));
        let joined = primitive(name, vec![first(), b], Type::Prim(Prim::Bool), span);
        let arms =
            if both { [joined, truth(ExpressionKind::Constant(Constant::Bool(false)))] } else { [first(), joined] };
        let [holds, fails] = arms.map(Box::new);
        let chosen = truth(ExpressionKind::If(Box::new(first()), holds, fails));
        truth(ExpressionKind::Let(Box::new(pattern), Box::new(a), Rest::new(chosen)))
    }
}

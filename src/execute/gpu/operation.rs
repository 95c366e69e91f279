//! Scalar operations as expressions of WGSL.
//!
//! Law: an expression has the value of the operation in the interpreter, reals to the bound of their row: each operation on integers
//! wraps in its kind, each on half precision is rounded, and none traps (tests/gpu/kernels.rs, laws: executors::suite).

use super::kind::{Word, constant, wrapped};
use crate::array::{Const, IntegerRow, Prim, ScalarOp};
use crate::interpret::{Scalar, apply};
use crate::kernel::code::Op;
use crate::primitives::Primitive;

/// The expression of an operation on these operands, which are of these kinds.
pub(super) fn expression(op: Op, x: &[String], prims: &[Prim]) -> String {
    match op {
        Op::Scalar(op) => scalar(op, x, prims),
        Op::Select => format!("select({}, {}, {})", x[2], x[1], x[0]),
        Op::LeastWhere => {
            format!("select({0}, {1}, {1} < {0} && {2} == {3})", x[0], x[1], x[2], x[3])
        }
        Op::MulAdd | Op::MulSub | Op::MulSubtracted => {
            let (a, b, c) = (&x[0], &x[1], &x[2]);
            let text = match (op, times_zero(x, prims[0])) {
                (Op::MulAdd, None) => format!("fma({a}, {b}, {c})"),
                (Op::MulAdd, Some(product)) => format!("({product} + {c})"),
                (Op::MulSub, None) => format!("fma({a}, {b}, -{c})"),
                (Op::MulSub, Some(product)) => format!("({product} - {c})"),
                (_, None) => format!("fma(-{a}, {b}, {c})"),
                (_, Some(product)) => format!("({c} - {product})"),
            };
            wrapped(prims[0], text)
        }
        Op::Earlier(_) => panic!("only code for C compilers has values of earlier lanes"),
        Op::Rule(_) => panic!("functions of Rust were refused"),
    }
}

/// The value of an operation on constants, if it has one.
pub(super) fn of_constants(op: Op, x: &[Const]) -> Option<Const> {
    let scalar = |op, x: &[Const]| {
        let x: Vec<Scalar<f64>> = x.iter().map(|x| Scalar::constant(*x, |x| x)).collect();
        apply(op, &x).ok().map(|value| value.plain())
    };
    let after_product = |op, at: [usize; 2]| {
        let both = [scalar(ScalarOp::Mul, &x[..2])?, x[2]];
        scalar(op, &at.map(|k| both[k]))
    };
    match op {
        Op::Scalar(op) => scalar(op, x),
        Op::MulAdd => after_product(ScalarOp::Add, [0, 1]),
        Op::MulSub => after_product(ScalarOp::Row(Primitive::Sub), [0, 1]),
        Op::MulSubtracted => after_product(ScalarOp::Row(Primitive::Sub), [1, 0]),
        Op::Select | Op::LeastWhere | Op::Earlier(_) | Op::Rule(_) => None,
    }
}

/// The expression of a scalar operation.
pub(super) fn scalar(op: ScalarOp, x: &[String], prims: &[Prim]) -> String {
    let prim = prims[0];
    let is_truth = prim == Prim::Bool;
    let infix = |sign: &str| format!("({} {sign} {})", x[0], x[1]);
    match op {
        ScalarOp::Add if is_truth => infix("||"),
        ScalarOp::Mul | ScalarOp::Scale if is_truth => infix("&&"),
        ScalarOp::Add => wrapped(prim, infix("+")),
        ScalarOp::Scale if prim.is_real() => wrapped(prim, scaled(&x[0], &x[1], prim)),
        ScalarOp::Mul => wrapped(prim, times_zero(x, prim).unwrap_or_else(|| infix("*"))),
        ScalarOp::Scale => wrapped(prim, infix("*")),
        ScalarOp::Row(Primitive::Fma) if let Some(product) = times_zero(x, prim) => {
            wrapped(prim, format!("({product} + {})", x[2]))
        }
        ScalarOp::Row(row) => wrapped(prim, primitive(row, x, prim)),
        ScalarOp::Integer(row) => integer(row, x, prim),
        ScalarOp::Equal => infix("=="),
        ScalarOp::Less if is_truth => format!("(!{} && {})", x[0], x[1]),
        ScalarOp::LessOrEqual if is_truth => format!("(!{} || {})", x[0], x[1]),
        ScalarOp::Less => infix("<"),
        ScalarOp::LessOrEqual => infix("<="),
        ScalarOp::Not => format!("(!{})", x[0]),
        ScalarOp::Convert(to) => convert(&x[0], prim, to),
        ScalarOp::ToBits(Prim::F16) => format!("bits_of_half({})", x[0]),
        ScalarOp::ToBits(Prim::F32) => format!("bitcast<u32>({})", x[0]),
        ScalarOp::ToBits(_) => format!("bitcast<u64>({})", x[0]),
        ScalarOp::FromBits(Prim::F16) => format!("half_of_bits({})", x[0]),
        ScalarOp::FromBits(Prim::F32) => format!("bitcast<f32>({})", x[0]),
        ScalarOp::FromBits(_) => format!("bitcast<f64>({})", x[0]),
    }
}

/// Whether an operand is a real zero that is written, of either sign.
fn is_zero(x: &str, prim: Prim) -> bool {
    prim.is_real() && [0.0, -0.0].into_iter().any(|zero| x == constant(Const::rounded(zero, prim)))
}

/// A product with a zero that is written. Drivers take it for 0, also that of infinity and of NaN.
fn times_zero(x: &[String], prim: Prim) -> Option<String> {
    let (other, zero) = match x {
        [a, b, ..] if is_zero(b, prim) => (a, b),
        [a, b, ..] if is_zero(a, prim) => (b, a),
        _ => return None,
    };
    Some(format!("times_zero_{}({other}, {zero})", Word::of(prim).name()))
}

/// The product of a real and a derivative, which is 0 if the first is, whatever the second.
fn scaled(x: &str, by: &str, prim: Prim) -> String {
    let function = if is_zero(by, prim) { "times_zero" } else { "scale" };
    format!("{function}_{}({x}, {by})", Word::of(prim).name())
}

/// A row of the table: as the row says, or a call of its function in the prelude.
fn primitive(row: Primitive, x: &[String], prim: Prim) -> String {
    let (facts, word) = (row.facts(), Word::of(prim));
    if row == Primitive::Sub && x[0] == x[1] {
        // Drivers take it for 0, also of infinity and of NaN.
        return format!("minus_itself_{}({})", word.name(), x[0]);
    }
    if facts.wgsl.is_empty() {
        let parameter = row.parameter().map(|n| format!("{n}i"));
        let operands: Vec<&str> = x.iter().map(String::as_str).chain(parameter.as_deref()).collect();
        return format!("{}_{}({})", row.name(), word.name(), operands.join(", "));
    }
    x.iter().zip(["#1", "#2", "#3"]).fold(facts.wgsl.to_owned(), |text, (x, name)| text.replace(name, x))
}

/// A row of the table of integers.
fn integer(row: IntegerRow, x: &[String], prim: Prim) -> String {
    let word = Word::of(prim);
    let infix = |sign: &str| format!("({} {sign} {})", x[0], x[1]);
    let call = |operands: &[&str]| format!("{}_{}({})", row.name(), word.name(), operands.join(", "));
    let bits = format!("{}u", prim.bits());
    match row {
        IntegerRow::Neg => wrapped(prim, format!("({} - {})", word.zero(), x[0])),
        IntegerRow::Sub => wrapped(prim, infix("-")),
        IntegerRow::And => infix("&"),
        IntegerRow::Or => infix("|"),
        IntegerRow::Xor => infix("^"),
        IntegerRow::Complement => wrapped(prim, format!("(~{})", x[0])),
        IntegerRow::Min => format!("select({0}, {1}, {1} < {0})", x[0], x[1]),
        IntegerRow::Max => format!("select({0}, {1}, {1} > {0})", x[0], x[1]),
        IntegerRow::Abs if prim.is_signed() => {
            wrapped(prim, format!("select({0}, {1} - {0}, {0} < {1})", x[0], word.zero()))
        }
        IntegerRow::Abs => x[0].clone(),
        // The quotient of the least number by −1 is beyond all others.
        IntegerRow::Div | IntegerRow::Quot | IntegerRow::Pow => wrapped(prim, call(&[&x[0], &x[1]])),
        IntegerRow::Mod | IntegerRow::Rem => call(&[&x[0], &x[1]]),
        IntegerRow::Signum => call(&[&x[0]]),
        IntegerRow::Shl | IntegerRow::Shr | IntegerRow::MulHigh => wrapped(prim, call(&[&x[0], &x[1], &bits])),
        IntegerRow::Ones | IntegerRow::LeadingZeros | IntegerRow::TrailingZeros => call(&[&x[0], &bits]),
    }
}

/// A number in another kind.
fn convert(x: &str, from: Prim, to: Prim) -> String {
    let (word, other) = (Word::of(from), Word::of(to));
    match (from, to) {
        (_, Prim::Bool) if from == Prim::Bool => x.to_owned(),
        (_, Prim::Bool) => format!("(!({x} == {}))", word.zero()),
        (Prim::Bool, _) => format!("select({}, {}, {x})", other.zero(), constant(to.one())),
        _ if from == to => x.to_owned(),
        // Drivers leave out a rounding that is undone.
        (Prim::F64, Prim::F32) => format!("f32_of_f64({x})"),
        (Prim::F64, Prim::F16) => format!("f32(half_f64({x}))"),
        _ if to.is_real() && from.is_real() => wrapped(to, format!("{}({x})", other.name())),
        _ if to.is_real() => wrapped(to, format!("{}({x})", other.name())),
        _ if from.is_real() => {
            let (least, greatest) = to.bounds();
            let whole = format!("{}_of_{}({x})", other.name(), word.name());
            match to {
                Prim::I8 | Prim::I16 => format!("clamp({whole}, {least}i, {greatest}i)"),
                Prim::U8 | Prim::U16 => format!("min({whole}, {greatest}u)"),
                _ => whole,
            }
        }
        // The sign is kept in 64 bits, which then are what they are.
        (_, Prim::U64) if word == Word::I32 => format!("bitcast<u64>(i64({x}))"),
        (_, Prim::I64) if word == Word::U32 => format!("bitcast<i64>(u64({x}))"),
        (Prim::I64, Prim::U64) | (Prim::U64, Prim::I64) => format!("bitcast<{}>({x})", other.name()),
        (Prim::I64, _) if other == Word::U32 => wrapped(to, format!("u32(bitcast<u64>({x}) & 0xfffffffflu)")),
        (Prim::U64, _) if other == Word::I32 => wrapped(to, format!("bitcast<i32>(u32({x} & 0xfffffffflu))")),
        _ => wrapped(to, if word == other { x.to_owned() } else { format!("{}({x})", other.name()) }),
    }
}

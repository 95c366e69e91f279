//! Laws of the kinds of numbers: what machines do with integers, and conversions between all kinds.
//!
//! Law: an operation on integers of a kind has the value that Rust's own operation on that type has, by every executor
//! and where constants are folded; and a conversion has the value of Rust's `as` (tests/laws/kinds.rs).

use catadiff::array::{Builder, Const, IntegerRow, Op, Prim, Program, ScalarOp, Type};
use catadiff::execute::{Executor, Outcome};
use catadiff::interpret::{Control, Scalar, Value};
use catadiff::primitives::f16;

use crate::array_values::{all_close, violation};
use crate::violation::Verdict;

const VERIFIES: &str = "one operation on constants or parameters verifies";

/// What an operation on integers is in Rust: the operation, and its value where it has one.
pub type Expected = (ScalarOp, fn(&[Const]) -> Option<Const>);

macro_rules! by_kind {
    ($x:ident, $y:ident: $($(#[$signed:ident])? $Kind:ident($Number:ident))+ => $signed_value:expr, $unsigned_value:expr) => {
        |x: &[Const]| match *x {
            $([Const::$Kind($x), Const::$Kind($y)] => {
                by_kind!(@ $($signed)? => $signed_value, $unsigned_value).map(Const::$Kind)
            })+
            _ => None,
        }
    };
    (@ signed => $signed_value:expr, $unsigned_value:expr) => { $signed_value };
    (@ => $signed_value:expr, $unsigned_value:expr) => { $unsigned_value };
}

/// The same expression for all kinds, or one for those with a sign and one for those without.
macro_rules! rust {
    ($x:ident, $y:ident => $value:expr) => { rust!($x, $y => $value, $value) };
    ($x:ident, $y:ident => $signed_value:expr, $unsigned_value:expr) => {
        by_kind!($x, $y:
            #[signed] I8(i8) #[signed] I16(i16) #[signed] I32(i32) #[signed] I64(i64)
            U8(u8) U16(u16) U32(u32) U64(u64)
            => $signed_value, $unsigned_value)
    };
}

/// Every operation on two integers of a kind, or on the first of them, in Rust's own words.
#[must_use]
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    reason = "the same words for all kinds, some of which always fit"
)]
pub fn operations() -> Vec<Expected> {
    vec![
        (ScalarOp::Add, rust!(x, y => Some(x.wrapping_add(y)))),
        (ScalarOp::Mul, rust!(x, y => Some(x.wrapping_mul(y)))),
        (ScalarOp::Scale, rust!(x, y => Some(x.wrapping_mul(y)))),
        (IntegerRow::Neg.into(), rust!(x, _y => Some(x.wrapping_neg()))),
        (IntegerRow::Sub.into(), rust!(x, y => Some(x.wrapping_sub(y)))),
        (
            IntegerRow::Div.into(),
            rust!(x, y => (y != 0).then(|| {
            let quotient = x.wrapping_div_euclid(y);
            // Euclid's remainder is never negative, and that of `div` has the sign of the divisor.
            if y < 0 && x.wrapping_rem_euclid(y) != 0 { quotient - 1 } else { quotient }
        }), x.checked_div(y)),
        ),
        (
            IntegerRow::Mod.into(),
            rust!(x, y => (y != 0).then(|| {
            let rest = x.wrapping_rem_euclid(y);
            if y < 0 && rest != 0 { rest.wrapping_add(y) } else { rest }
        }), x.checked_rem(y)),
        ),
        (IntegerRow::Quot.into(), rust!(x, y => (y != 0).then(|| x.wrapping_div(y)))),
        (IntegerRow::Rem.into(), rust!(x, y => (y != 0).then(|| x.wrapping_rem(y)))),
        (IntegerRow::Min.into(), rust!(x, y => Some(x.min(y)))),
        (IntegerRow::Max.into(), rust!(x, y => Some(x.max(y)))),
        (IntegerRow::Abs.into(), rust!(x, _y => Some(x.wrapping_abs()), Some(x))),
        (IntegerRow::Signum.into(), rust!(x, _y => Some(x.signum()), Some(x.min(1)))),
        (IntegerRow::Pow.into(), rust!(x, y => u32::try_from(y).ok().map(|y| x.wrapping_pow(y)))),
        (IntegerRow::And.into(), rust!(x, y => Some(x & y))),
        (IntegerRow::Or.into(), rust!(x, y => Some(x | y))),
        (IntegerRow::Xor.into(), rust!(x, y => Some(x ^ y))),
        (IntegerRow::Complement.into(), rust!(x, _y => Some(!x))),
        (
            IntegerRow::Shl.into(),
            rust!(x, y => Some(u32::try_from(y).ok().and_then(|y| x.checked_shl(y)).unwrap_or(0))),
        ),
        (
            IntegerRow::Shr.into(),
            rust!(x, y =>
            Some(u32::try_from(y).ok().and_then(|y| x.checked_shr(y)).unwrap_or(if x < 0 { -1 } else { 0 })),
            Some(u32::try_from(y).ok().and_then(|y| x.checked_shr(y)).unwrap_or(0))),
        ),
        (IntegerRow::Ones.into(), rust!(x, _y => x.count_ones().try_into().ok())),
        (IntegerRow::LeadingZeros.into(), rust!(x, _y => x.leading_zeros().try_into().ok())),
        (IntegerRow::TrailingZeros.into(), rust!(x, _y => x.trailing_zeros().try_into().ok())),
        (IntegerRow::MulHigh.into(), upper),
    ]
}

fn upper(x: &[Const]) -> Option<Const> {
    let prim = x[0].prim();
    let [a, b] = [x[0].integer()?, x[1].integer()?];
    // The product of two `u64` is no `i128`.
    let product =
        if prim.is_signed() { (a * b) >> prim.bits() } else { ((a as u128 * b as u128) >> prim.bits()) as i128 };
    Some(Const::wrapped(product, prim))
}

/// Integers of a kind at which something happens, and some others from a seed.
#[must_use]
pub fn corners(prim: Prim, seed: u64) -> Vec<Const> {
    let (least, most) = prim.bounds();
    let half = most / 2;
    let near = [least, least + 1, -2, -1, 0, 1, 2, 3, 7, half, half + 1, most - 1, most];
    let bits = i128::from(prim.bits());
    let distances = [bits - 1, bits, bits + 1, 31, 32, 33, 63, 64, 65];
    let mut state = seed;
    let drawn = (0..12).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i128::from(state.rotate_right((state >> 59) as u32))
    });
    near.into_iter().chain(distances).chain(drawn).map(|n| Const::wrapped(n, prim)).collect()
}

/// An operation on pairs of numbers, element by element; and for each pair on constants.
fn on_pairs(op: ScalarOp, of: &[[Const; 2]]) -> (Program, Vec<Value<f64>>) {
    let mut b = Builder::new();
    let params = [0, 1].map(|k| b.parameter(["x", "y"][k], Type::array(of[0][k].prim(), 1)));
    let types = of[0].map(|x| Type::scalar(x.prim()));
    let function = b.lambda(&types, |b, x| {
        let operands = [x[0].into(), x[1].into()];
        vec![b.scalar(op, &operands[..op.arity()])]
    });
    let arrays = params.map(Into::into).to_vec();
    let results = b.emit(Op::Map(Box::new(catadiff::array::Map { arrays, accumulators: Vec::new(), function })));
    let array = |k: usize| {
        let elements = of.iter().map(|pair| Scalar::constant(pair[k], |x| x)).collect();
        Value::array(&[of.len()], elements).expect("as many as there are")
    };
    (b.finish(results.into_iter().map(Into::into).collect()).expect(VERIFIES), vec![array(0), array(1)])
}

/// A program that has an operation on constants for its result.
fn on_constants(op: ScalarOp, x: &[Const]) -> Program {
    let mut b = Builder::new();
    let operands: Vec<_> = x.iter().take(op.arity()).map(|x| (*x).into()).collect();
    let result = b.scalar(op, &operands);
    b.finish(vec![result]).expect(VERIFIES)
}

/// About as many programs of constants are simplified.
const SIMPLIFIED: usize = 500;

/// An operation on pairs of numbers of one kind each has these values, by this executor and where it is folded.
///
/// # Errors
/// The violation.
pub fn has_values<E: Executor>(executor: &E, op: ScalarOp, of: &[([Const; 2], Const)]) -> Verdict {
    const LAW: &str = "an operation of machines has the value that Rust has for it";
    let pairs: Vec<[Const; 2]> = of.iter().map(|(pair, _)| *pair).collect();
    let (program, arguments) = on_pairs(op, &pairs);
    let elements = of.iter().map(|(_, expected)| Scalar::constant(*expected, |x| x)).collect();
    let expected = [Value::array(&[of.len()], elements).expect("as many as there are")];
    let prepared = executor.prepare(&program).expect("it is well typed").expect("it is supported");
    match prepared.run(&arguments, Control::default()) {
        Ok(Outcome::Done { results, .. }) if all_close(&results, &expected, 0.0) => {}
        found => return Err(violation(LAW, &program, &arguments, format!("{found:?}"), format!("{expected:?}"))),
    }
    let apart = of.len().div_ceil(SIMPLIFIED);
    for (k, (pair, expected)) in of.iter().enumerate() {
        if pair[0].real().is_none() && op.value(&pair[..op.arity()]) != Some(*expected) {
            return Err(violation(LAW, &program, &arguments, format!("{:?}", op.value(&pair[..op.arity()])), expected));
        }
        if !k.is_multiple_of(apart) {
            continue;
        }
        let folded = on_constants(op, pair).simplified();
        let is_known = pair[0].real().is_some() || folded.function().body.results[..] == [(*expected).into()];
        if !is_known {
            return Err(violation::<f64>(LAW, &folded, &[], "its result", expected));
        }
    }
    Ok(())
}

/// Where an operation on integers has no value, this executor finds the fault.
///
/// # Errors
/// The violation.
pub fn has_no_value<E: Executor>(executor: &E, op: ScalarOp, pair: [Const; 2]) -> Verdict {
    let (program, arguments) = on_pairs(op, &[pair]);
    let prepared = executor.prepare(&program).expect("it is well typed").expect("it is supported");
    match prepared.run(&arguments, Control::default()) {
        Ok(Outcome::Fault(fault)) if fault.to_string().contains(&format!("{op}({}, ", shown(pair[0]))) => Ok(()),
        found => Err(violation("what has no value is a fault", &program, &arguments, format!("{found:?}"), "a fault")),
    }
}

fn shown(n: Const) -> String {
    n.integer().map_or_else(String::new, |n| n.to_string())
}

/// A scalar in another kind, as Rust's `as` has it.
#[must_use]
pub fn converted(x: Const, to: Prim) -> Const {
    macro_rules! into {
        ($x:ident: $($To:ident($Number:ident))+) => {
            match to {
                Prim::Bool => Const::Bool($x as f64 != 0.0),
                $(Prim::$To => Const::$To($x as $Number),)+
                Prim::F16 => Const::F16(f16::from_f64($x as f64)),
                _ => panic!("Rust's `as` to {to} is to be said here"),
            }
        };
    }
    macro_rules! from {
        ($($From:ident)+) => {
            match x {
                $(Const::$From(x) => {
                    into!(x: I8(i8) I16(i16) I32(i32) I64(i64) U8(u8) U16(u16) U32(u32) U64(u64) F32(f32) F64(f64))
                })+
                Const::Bool(b) => converted(Const::U8(b.into()), to),
                // A half is a double.
                Const::F16(x) => converted(Const::F64(x.into()), to),
                _ => panic!("Rust's `as` from {x} is to be said here"),
            }
        };
    }
    from!(I8 I16 I32 I64 U8 U16 U32 U64 F32 F64)
}

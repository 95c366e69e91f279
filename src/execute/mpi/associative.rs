//! Whether an operator may be applied to parts first: it is said to be associative, and that is checked at a few values.
//!
//! Law: what a program combines in its own order only, such as `x / 2 + y`, is combined in that order (laws: executors::suite).

use crate::array::{Builder, Const, Lambda, Prim, Program, Type, mentioned};
use crate::interpret::{self, Limits, Scalar, Value};

/// At how many triples an operator is checked.
const TRIPLES: u64 = 6;
/// What rounding may make of a result, relative to it.
const TOLERANCE: f64 = 1e-3;
/// The size of each dimension of what is combined, if these are arrays.
const SIZE: usize = 2;

/// Whether an operator is associative, as far as a few values show, and commutes if it `must_commute`; and whether these elements, or
/// arrays of them, are neutral. Of what is not constant that is not known.
pub(super) fn is_associative(
    builder: &Builder,
    operator: &Lambda,
    neutral: &[Option<Const>],
    must_commute: bool,
) -> bool {
    if !mentioned(operator).is_empty() {
        return false;
    }
    let k = operator.params.len() / 2;
    let types: Vec<Type> = operator.params[..k].iter().map(|param| builder.type_of(*param)).collect();
    let of_all = Program { types: builder.types().to_vec(), names: Vec::new(), function: operator.clone() };
    let (alone, _) = of_all.function_alone(operator);
    let apply = |left: &[Value<f64>], right: &[Value<f64>]| {
        let both: Vec<Value<f64>> = left.iter().chain(right).cloned().collect();
        interpret::run(&alone, &both, &Limits::default()).ok()
    };
    let of = |(constant, of): (&Option<Const>, &Type)| {
        constant.map(|constant| filled(*of, || Scalar::constant(constant, |x| x)))
    };
    let Some(neutral) = neutral.iter().zip(&types).map(of).collect::<Option<Vec<_>>>() else { return false };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut holds = || {
        let [a, b, c] = [(); 3].map(|()| types.iter().map(|of| random.value(*of)).collect::<Vec<_>>());
        let first = apply(&apply(&a, &b)?, &c)?;
        let second = apply(&a, &apply(&b, &c)?)?;
        let commutes = !must_commute || alike(&apply(&a, &b)?, &apply(&b, &a)?);
        Some(alike(&first, &second) && commutes && alike(&apply(&neutral, &a)?, &a))
    };
    (0..TRIPLES).all(|_| holds().unwrap_or(false))
}

/// A value of a type, of these elements.
fn filled(of: Type, mut element: impl FnMut() -> Scalar<f64>) -> Value<f64> {
    let elements: Vec<Scalar<f64>> = (0..SIZE.pow(of.rank as u32)).map(|_| element()).collect();
    match of.rank {
        0 => Value::Scalar(elements[0]),
        rank => Value::array(&vec![SIZE; rank], elements).expect("as many elements as the sizes say"),
    }
}

fn alike(left: &[Value<f64>], right: &[Value<f64>]) -> bool {
    let same = |(x, y): (&Scalar<f64>, &Scalar<f64>)| match (x.real(), y.real()) {
        (Some(x), Some(y)) => {
            x == y || (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1.0) || x.is_nan() && y.is_nan()
        }
        _ => x.exact() == y.exact(),
    };
    left.iter().zip(right).all(|(x, y)| x.sizes() == y.sizes() && x.elements().iter().zip(y.elements()).all(same))
}

/// Numbers that are the same on every rank.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // "Xorshift RNGs", section 3.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn value(&mut self, of: Type) -> Value<f64> {
        filled(of, || self.scalar(of.prim))
    }

    fn scalar(&mut self, prim: Prim) -> Scalar<f64> {
        // Reals that are not whole, of both signs and several sizes; integers of the whole range.
        let x = ((self.next() % 4001) as f64 / 1000.0 - 2.0) * 10_f64.powi((self.next() % 5) as i32 - 2);
        let constant = if prim.is_real() { Const::rounded(x, prim) } else { Const::wrapped(self.next().into(), prim) };
        Scalar::constant(if prim == Prim::Bool { Const::Bool(x > 0.0) } else { constant }, |x| x)
    }
}

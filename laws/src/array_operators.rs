//! Operators for random array programs: on scalars, on rows, and on pairs.
//!
//! Law: each is associative, and comes with its neutral elements; those on scalars and on rows commute.

use catadiff::array::{Atom, Builder, Lambda, Map, Op, Prim, ScalarOp, Type, constant, index};
use catadiff::primitives::Primitive;

const REAL: Type = Type::scalar(Prim::F64);

fn real(x: f64) -> Atom {
    constant(Prim::F64, x)
}

/// An operator on reals.
pub(crate) fn of_reals(b: &mut Builder, n: u8) -> (Lambda, Atom) {
    let (op, neutral): (ScalarOp, f64) = match n % 5 {
        0 => (ScalarOp::Add, 0.0),
        1 => (ScalarOp::Mul, 1.0),
        2 => (Primitive::Min.into(), f64::INFINITY),
        3 => (Primitive::Max.into(), f64::NEG_INFINITY),
        _ => return (circle(b), real(0.0)),
    };
    (b.lambda(&[REAL; 2], |b, x| vec![b.scalar(op, &[x[0].into(), x[1].into()])]), real(neutral))
}

/// x + y + x y / 4.
fn circle(b: &mut Builder) -> Lambda {
    b.lambda(&[REAL; 2], |b, x| {
        let [x, y] = [x[0], x[1]].map(Atom::Var);
        let (sum, product) = (b.scalar(ScalarOp::Add, &[x, y]), b.scalar(ScalarOp::Mul, &[x, y]));
        let quarter = b.scalar(ScalarOp::Mul, &[product, real(0.25)]);
        vec![b.scalar(ScalarOp::Add, &[sum, quarter])]
    })
}

/// The operator on arrays of these sizes that works element by element.
pub(crate) fn of_arrays(b: &mut Builder, n: u8, sizes: &[usize]) -> (Lambda, Atom) {
    let Some((size, inner)) = sizes.split_first() else { return of_reals(b, n) };
    let (function, neutral) = of_arrays(b, n, inner);
    let neutral = b.one(Op::Replicate(index(*size as i64), neutral));
    let lambda = b.lambda(&[Type::array(Prim::F64, sizes.len()); 2], |b, x| {
        let arrays = x.iter().map(|x| (*x).into()).collect();
        vec![b.one(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))]
    });
    (lambda, neutral)
}

/// An operator on pairs of reals: two apart, or the composition of functions a x + b, which does not commute.
pub(crate) fn of_pairs(b: &mut Builder, n: u8) -> (Lambda, Vec<Atom>) {
    if n.is_multiple_of(3) {
        let apart = b.lambda(&[REAL; 4], |b, x| {
            let larger = b.scalar(Primitive::Max, &[x[1].into(), x[3].into()]);
            vec![b.scalar(ScalarOp::Mul, &[x[2].into(), x[0].into()]), larger]
        });
        return (apart, vec![real(1.0), real(f64::NEG_INFINITY)]);
    }
    let composed = b.lambda(&[REAL; 4], |b, x| {
        let inner = b.scalar(ScalarOp::Mul, &[x[1].into(), x[2].into()]);
        let slope = b.scalar(ScalarOp::Mul, &[x[0].into(), x[2].into()]);
        vec![slope, b.scalar(ScalarOp::Add, &[inner, x[3].into()])]
    });
    (composed, vec![real(1.0), real(0.0)])
}

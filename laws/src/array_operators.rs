//! Operators for random array programs: on scalars, on tuples of them, and on arrays, and what to start from.
//!
//! Law: each is associative. Some have a neutral element, some have none, and some do not commute; a start is the
//! neutral element, another constant, or a value of the program, since nothing of reductions depends on that it is
//! neutral (tests/transform/operators.rs).

use catadiff::array::{
    Atom, Builder, Const, IntegerRow, Lambda, Map, Op, Prim, Reduce, ScalarOp, Type, constant, index,
};
use catadiff::primitives::Primitive;

pub(crate) const REAL: Type = Type::scalar(Prim::F64);

/// An associative operator on one or several components, and the constant neutral element of each, if it has one.
pub(crate) struct Operator {
    pub(crate) lambda: Lambda,
    pub(crate) neutral: Option<Vec<Atom>>,
    pub(crate) commutes: bool,
}

/// What a reduction starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Start {
    /// The neutral element if there is one, or else another constant.
    Neutral,
    /// A constant that is neutral for no operator.
    Constant,
    /// These values of the program.
    Value,
}

impl Start {
    pub(crate) const ALL: [Start; 3] = [Start::Neutral, Start::Constant, Start::Value];

    /// What components of these sizes and kind start from; `values` are those of the program.
    pub(crate) fn of(self, b: &mut Builder, it: &Operator, like: (Prim, &[usize]), values: &[Atom]) -> Vec<Atom> {
        let (prim, sizes) = like;
        match (self, &it.neutral) {
            (Start::Value, _) => values.to_vec(),
            (Start::Neutral, Some(neutral)) => neutral.iter().map(|e| filled(b, *e, sizes)).collect(),
            _ => {
                let numbers = [0.75, -1.5, 2.0, 0.5].into_iter().cycle();
                let whole = |x: f64| if prim.is_real() { x } else { (4.0 * x).abs() };
                let all = numbers.map(|x| constant(prim, whole(x)));
                all.take(it.lambda.params.len() / 2).map(|e| filled(b, e, sizes)).collect()
            }
        }
    }
}

/// An array of these sizes, all of one number.
pub(crate) fn filled(b: &mut Builder, number: Atom, sizes: &[usize]) -> Atom {
    sizes.iter().rev().fold(number, |rows, size| b.one(Op::Replicate(index(*size as i64), rows)))
}

fn real(x: f64) -> Atom {
    constant(Prim::F64, x)
}

fn product(b: &mut Builder, x: Atom, y: Atom) -> Atom {
    b.scalar(ScalarOp::Mul, &[x, y])
}

fn sum(b: &mut Builder, x: Atom, y: Atom) -> Atom {
    b.scalar(ScalarOp::Add, &[x, y])
}

/// How many operators on reals there are.
pub(crate) const OF_REALS: u8 = 9;

/// An operator on reals of the kind of `k`, a number from outside that it may mention.
pub(crate) fn of_reals(b: &mut Builder, n: u8, k: Atom) -> Operator {
    let of = b.type_of(k);
    let plain = |op: ScalarOp, neutral: f64| (op, Some(vec![constant(of.prim, neutral)]));
    let (op, neutral) = match n % OF_REALS {
        0 => plain(ScalarOp::Add, 0.0),
        1 => plain(ScalarOp::Mul, 1.0),
        2 => plain(Primitive::Min.into(), f64::INFINITY),
        3 => plain(Primitive::Max.into(), f64::NEG_INFINITY),
        other => return of_several_steps(b, other, k),
    };
    let lambda = b.lambda(&[of; 2], |b, x| vec![b.scalar(op, &[x[0].into(), x[1].into()])]);
    Operator { lambda, neutral, commutes: true }
}

fn of_several_steps(b: &mut Builder, n: u8, k: Atom) -> Operator {
    let of = b.type_of(k);
    let mut on = |write: fn(&mut Builder, Atom, Atom, Atom) -> Atom, neutral: Option<f64>, commutes: bool| {
        let lambda = b.lambda(&[of; 2], |b, x| vec![write(b, x[0].into(), x[1].into(), k)]);
        Operator { lambda, neutral: neutral.map(|e| vec![constant(of.prim, e)]), commutes }
    };
    match n {
        // x + y + k x y
        4 => on(
            |b, x, y, k| {
                let both = product(b, x, y);
                let [xy, kxy] = [sum(b, x, y), product(b, k, both)];
                sum(b, xy, kxy)
            },
            Some(0.0),
            true,
        ),
        // k x y
        5 => on(
            |b, x, y, k| {
                let both = product(b, x, y);
                product(b, both, k)
            },
            None,
            true,
        ),
        // x + k + y
        6 => on(
            |b, x, y, k| {
                let shifted = sum(b, x, k);
                sum(b, shifted, y)
            },
            None,
            true,
        ),
        7 => on(|_, _, y, _| y, None, false),
        _ => on(|_, x, _, _| x, None, false),
    }
}

/// An operator on integers of a kind.
pub(crate) fn of_integers(b: &mut Builder, n: u8, prim: Prim) -> Operator {
    let of = Type::scalar(prim);
    let (least, greatest) = prim.bounds();
    let (op, neutral): (ScalarOp, i128) = match n % 6 {
        0 => (ScalarOp::Add, 0),
        1 => (ScalarOp::Mul, 1),
        2 => (IntegerRow::Min.into(), greatest),
        3 => (IntegerRow::Max.into(), least),
        4 => (IntegerRow::Xor.into(), 0),
        _ => (IntegerRow::And.into(), -1),
    };
    let neutral = Const::wrapped(neutral, prim).into();
    let lambda = b.lambda(&[of; 2], |b, x| vec![b.scalar(op, &[x[0].into(), x[1].into()])]);
    Operator { lambda, neutral: Some(vec![neutral]), commutes: true }
}

/// An operator on truth values: "or" is their sum, and "and" their product.
pub(crate) fn of_truths(b: &mut Builder, n: u8) -> Operator {
    let (op, neutral) = if n.is_multiple_of(2) { (ScalarOp::Add, 0.0) } else { (ScalarOp::Mul, 1.0) };
    let lambda = b.lambda(&[Type::scalar(Prim::Bool); 2], |b, x| vec![b.scalar(op, &[x[0].into(), x[1].into()])]);
    Operator { lambda, neutral: Some(vec![constant(Prim::Bool, neutral)]), commutes: true }
}

/// The count of operators on arrays.
pub(crate) const OF_ARRAYS: u8 = OF_REALS + 2;

/// An operator on arrays of these sizes: element by element, or one that mixes the elements of rows.
pub(crate) fn of_arrays(b: &mut Builder, n: u8, sizes: &[usize], k: Atom) -> Operator {
    let (n, prim) = (n % OF_ARRAYS, b.type_of(k).prim);
    match sizes.len() {
        0 => of_reals(b, n, k),
        1 if n == OF_REALS => {
            Operator { lambda: stretched(b, prim), neutral: Some(vec![constant(prim, 0.0)]), commutes: false }
        }
        1 if n > OF_REALS => {
            let lambda = b.lambda(&[Type::array(prim, 1); 2], |_, x| vec![x[1].into()]);
            Operator { lambda, neutral: None, commutes: false }
        }
        rank => {
            let Operator { lambda: function, neutral, commutes } = of_arrays(b, n, &sizes[1..], k);
            let lambda = b.lambda(&[Type::array(prim, rank); 2], |b, x| {
                let arrays = x.iter().map(|x| (*x).into()).collect();
                vec![b.one(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))]
            });
            Operator { lambda, neutral, commutes }
        }
    }
}

/// x + (1 + Σ x) y, of rows.
fn stretched(b: &mut Builder, prim: Prim) -> Lambda {
    b.lambda(&[Type::array(prim, 1); 2], |b, x| {
        let operator = of_reals(b, 0, constant(prim, 0.0)).lambda;
        let reduce =
            Reduce { operator, neutral: vec![constant(prim, 1.0)], arrays: vec![x[0].into()], commutative: true };
        let factor = b.one(Op::Reduce(Box::new(reduce)));
        let function = b.lambda(&[Type::scalar(prim); 2], |b, x| {
            let scaled = product(b, factor, x[1].into());
            vec![sum(b, x[0].into(), scaled)]
        });
        let arrays = x.iter().map(|x| (*x).into()).collect();
        vec![b.one(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))]
    })
}

/// How many operators on pairs of reals there are.
pub(crate) const OF_PAIRS: u8 = 7;

/// An operator on pairs of reals.
pub(crate) fn of_pairs(b: &mut Builder, n: u8) -> Operator {
    let mut on = |write: fn(&mut Builder, [Atom; 4]) -> [Atom; 2], neutral: Option<[f64; 2]>, commutes: bool| {
        let lambda = b.lambda(&[REAL; 4], |b, x| write(b, [x[0], x[1], x[2], x[3]].map(Atom::Var)).to_vec());
        Operator { lambda, neutral: neutral.map(|e| e.map(real).to_vec()), commutes }
    };
    match n % OF_PAIRS {
        // Two that have nothing to do with each other.
        0 => on(
            |b, [p, x, q, y]| {
                let larger = b.scalar(Primitive::Max, &[x, y]);
                [product(b, q, p), larger]
            },
            Some([1.0, f64::NEG_INFINITY]),
            true,
        ),
        // The composition of functions a x + b.
        1 => on(
            |b, [a, x, c, y]| {
                let inner = product(b, x, c);
                [product(b, a, c), sum(b, inner, y)]
            },
            Some([1.0, 0.0]),
            false,
        ),
        // Products of complex numbers.
        2 => on(
            |b, [r, i, s, j]| {
                let [rs, ij, rj, is] = [(r, s), (i, j), (r, j), (i, s)].map(|(x, y)| product(b, x, y));
                [b.scalar(Primitive::Sub, &[rs, ij]), sum(b, rj, is)]
            },
            Some([1.0, 0.0]),
            true,
        ),
        // Products of dual numbers.
        3 => on(
            |b, [x, u, y, v]| {
                let [xv, uy] = [product(b, x, v), product(b, u, y)];
                [product(b, x, y), sum(b, xv, uy)]
            },
            Some([1.0, 0.0]),
            true,
        ),
        4 => on(|_, [x, _, _, y]| [x, y], None, false),
        // Nothing but sums, and yet it depends on the order.
        5 => on(|b, [p, x, q, _]| [sum(b, p, q), sum(b, x, q)], None, false),
        _ => on(|_, [_, _, x, y]| [x, y], None, false),
    }
}

/// An operator on quadruples of reals: the product of matrices or of quaternions.
pub(crate) fn of_quadruples(b: &mut Builder, n: u8) -> Operator {
    // Of each component the terms: the sign, the component of the left, and that of the right.
    const MATRICES: [&[(i8, usize, usize)]; 4] =
        [&[(1, 0, 0), (1, 1, 2)], &[(1, 0, 1), (1, 1, 3)], &[(1, 2, 0), (1, 3, 2)], &[(1, 2, 1), (1, 3, 3)]];
    const QUATERNIONS: [&[(i8, usize, usize)]; 4] = [
        &[(1, 0, 0), (-1, 1, 1), (-1, 2, 2), (-1, 3, 3)],
        &[(1, 0, 1), (1, 1, 0), (1, 2, 3), (-1, 3, 2)],
        &[(1, 0, 2), (-1, 1, 3), (1, 2, 0), (1, 3, 1)],
        &[(1, 0, 3), (1, 1, 2), (-1, 2, 1), (1, 3, 0)],
    ];
    let (terms, neutral) = if n.is_multiple_of(2) { (MATRICES, [1, 0, 0, 1]) } else { (QUATERNIONS, [1, 0, 0, 0]) };
    let lambda = b.lambda(&[REAL; 8], |b, x| {
        let component = |terms: &&[(i8, usize, usize)]| {
            let mut all: Option<Atom> = None;
            for (sign, left, right) in *terms {
                let term = product(b, x[*left].into(), x[4 + right].into());
                all = Some(match all {
                    None => term,
                    Some(sum_so_far) if *sign > 0 => sum(b, sum_so_far, term),
                    Some(sum_so_far) => b.scalar(Primitive::Sub, &[sum_so_far, term]),
                });
            }
            all.expect("a component has terms")
        };
        terms.iter().map(component).collect()
    });
    Operator { lambda, neutral: Some(neutral.map(|e| real(f64::from(e))).to_vec()), commutes: false }
}

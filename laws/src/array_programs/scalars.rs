//! The steps of random programs that compute with scalars.
//!
//! Law: every row of both tables is taken, of every kind of numbers, where it has a value: reals are squeezed into the
//! stretch on which their row says that it is smooth, and no integer is divided by 0 (tests/laws/programs.rs).

use catadiff::array::{Atom, Builder, IntegerRow, Prim, ScalarOp, Type, constant};
use catadiff::primitives::Primitive;

use super::{Item, KINDS, Step, TRUTH, pick};

fn is_real(item: &Item) -> bool {
    item.of.rank == 0 && item.of.prim.is_real()
}

impl Step {
    pub(super) fn scalar(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let [p, q, r] = self.picks;
        let kind = self.kind % KINDS;
        let of_kind = |item: &Item| match kind {
            0..3 => is_real(item),
            3 => item.of.rank == 0 && item.of.prim.is_integer(),
            _ => item.of.rank == 0,
        };
        let is_short = |item: &Item| matches!(item.of, Type { prim: Prim::I32 | Prim::U32, rank: 0, .. });
        let short = if kind == 5 && r % 2 == 0 { pick(pool, p, is_short) } else { None };
        let operand = short.or_else(|| pick(pool, p, of_kind))?;
        let other = |n: u8| pick(pool, n, |i| i.of == operand.of).map_or(operand.atom, |item| item.atom);
        let (op, operands) = match kind {
            0 => {
                let rows = [Primitive::Sin, Primitive::Tanh, Primitive::Sigmoid, Primitive::Neg, Primitive::Atan];
                (rows[q as usize % rows.len()].into(), vec![operand.atom])
            }
            1 => {
                let squashed = b.scalar(Primitive::Sin, &[other(q)]);
                let op = [ScalarOp::Add, ScalarOp::Mul, Primitive::Sub.into(), ScalarOp::Scale][r as usize % 4];
                (op, vec![operand.atom, squashed])
            }
            2 if q % 2 == 0 => {
                let op = [Primitive::Min, Primitive::Max, Primitive::Hypot][r as usize % 3];
                (op.into(), vec![operand.atom, other(q)])
            }
            2 => {
                let row = Primitive::ALL[r as usize % Primitive::ALL.len()];
                let from = [operand.atom, other(q), other(q.wrapping_add(1))];
                (row.into(), from.into_iter().zip(row.smooth()).map(|(x, on)| squeezed(b, x, *on)).collect())
            }
            3 => integers(b, r, operand.atom, other(q)),
            4 => {
                let comparisons = [ScalarOp::Less, ScalarOp::LessOrEqual, ScalarOp::Equal];
                let on_truths = [ScalarOp::Add, ScalarOp::Mul, ScalarOp::Not];
                let n = r as usize;
                let op =
                    if operand.of == TRUTH && n.is_multiple_of(2) { on_truths[n / 2 % 3] } else { comparisons[n % 3] };
                (op, [operand.atom, other(q)][..op.arity()].to_vec())
            }
            _ => {
                // Integers have more digits than short reals.
                let is_cut = is_short(&operand) && r % 2 == 0;
                let to = if is_cut { Prim::F32 } else { Prim::ALL[q as usize % Prim::ALL.len()] };
                (ScalarOp::Convert(to), vec![operand.atom])
            }
        };
        let of = Type::scalar(op.result(&operands.iter().map(|x| b.type_of(*x).prim).collect::<Vec<_>>())?);
        Some(vec![Item { atom: b.scalar(op, &operands), of, sizes: Vec::new(), heavy: false }])
    }
}

/// An operation on integers, and operands for which it has a value.
fn integers(b: &mut Builder, n: u8, x: Atom, y: Atom) -> (ScalarOp, Vec<Atom>) {
    let small = |n: i32| constant(b.type_of(x).prim, n.into());
    let (one, three) = (small(1), small(3));
    match usize::from(n) % (IntegerRow::ALL.len() + 6) {
        0..2 => (ScalarOp::Add, vec![x, y]),
        2..4 => (ScalarOp::Mul, vec![x, y]),
        4..6 => (ScalarOp::Scale, vec![x, y]),
        row => {
            let row = IntegerRow::ALL[row - 6];
            let y = match row {
                IntegerRow::Div | IntegerRow::Mod | IntegerRow::Quot | IntegerRow::Rem => {
                    b.scalar(IntegerRow::Or, &[y, one])
                }
                IntegerRow::Pow => b.scalar(IntegerRow::And, &[y, three]),
                _ => y,
            };
            (row.into(), [x, y][..row.arity()].to_vec())
        }
    }
}

/// A number of the stretch that depends smoothly on any number, away from the ends.
fn squeezed(b: &mut Builder, x: Atom, (low, high): (f64, f64)) -> Atom {
    let of = b.type_of(x).prim;
    let wave = b.scalar(Primitive::Sin, &[x]);
    let scaled = b.scalar(ScalarOp::Mul, &[constant(of, 0.375 * (high - low)), wave]);
    b.scalar(ScalarOp::Add, &[constant(of, 0.5 * (low + high)), scaled])
}

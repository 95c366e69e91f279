//! Products that are added up one after the other, as one operation.
//!
//! Law: a sum of products adds, from the first to the last, what the operations added that it is made of, and rounds
//! where they did (tests/execute/products.rs).

use rustc_hash::FxHashMap;

use crate::array::{Const, Prim, ScalarOp};
use crate::kernel::code::{Block, Code, Op, Operand, Stm, Value, ValueInfo, leave_out};
use crate::primitives::Primitive;

/// The most products of a sum.
pub(super) const MAX_CHAIN_PRODUCTS: usize = 6;

/// What is added up so far: where it is computed, what it starts from, and the products, each with whether it is taken away.
struct Sum {
    at: usize,
    start: Operand,
    products: Vec<(Operand, Operand, bool)>,
}

/// Makes sums of products where lanes add them up.
pub(super) fn find_fma_chains(code: &mut Code) {
    let mut mentions: FxHashMap<Value, (usize, usize)> = FxHashMap::default();
    code.outputs.iter().for_each(|output| output.operands().into_iter().for_each(|x| used(x, &mut mentions)));
    count(&code.body, &mut mentions);
    let chainer = Chainer { values: &code.values, precision: code.precision, mentions };
    chainer.inside(&mut code.body);
}

struct Chainer<'c> {
    values: &'c [ValueInfo],
    /// That reals are computed in.
    precision: Prim,
    /// How often values are set, and used.
    mentions: FxHashMap<Value, (usize, usize)>,
}

fn used(x: Operand, mentions: &mut FxHashMap<Value, (usize, usize)>) {
    if let Operand::Value(value) = x {
        mentions.entry(value).or_default().1 += 1;
    }
}

fn count(block: &Block, mentions: &mut FxHashMap<Value, (usize, usize)>) {
    for stm in block {
        let mut set = |value: Value, times: usize| mentions.entry(value).or_default().0 += times;
        // What is not computed once may be set again by each iteration.
        let times = if matches!(stm, Stm::Let(..) | Stm::Load(..)) { 1 } else { 2 };
        stm.sets().into_iter().for_each(|value| set(value, times));
        stm.operands().into_iter().for_each(|x| used(x, mentions));
        stm.blocks().into_iter().for_each(|inner| count(inner, mentions));
    }
}

impl Chainer<'_> {
    fn inside(&self, block: &mut Block) {
        for stm in block {
            let lanes = matches!(stm, Stm::Lanes(_));
            for inner in stm.blocks_mut() {
                if lanes { self.block(inner) } else { self.inside(inner) }
            }
        }
    }

    fn block(&self, block: &mut Block) {
        let mut sums: FxHashMap<Value, Sum> = FxHashMap::default();
        let mut gone = Vec::new();
        for (at, stm) in block.iter_mut().enumerate() {
            let Stm::Let(value, op, x) = stm else {
                stm.blocks_mut().into_iter().for_each(|inner| self.block(inner));
                continue;
            };
            let (value, Some((start, product))) = (*value, self.product(*value, *op, x)) else { continue };
            let before = start.and_then(|start| match start {
                Operand::Value(start) => sums.remove(&start).filter(|sum| sum.products.len() < MAX_CHAIN_PRODUCTS),
                Operand::Const(_) => None,
            });
            let sum = match (before, start) {
                (Some(mut sum), _) => {
                    gone.push(sum.at);
                    sum.products.push(product);
                    (sum.at, *stm) = (at, Stm::Let(value, sum.op(), sum.operands()));
                    sum
                }
                // What is added to a number that is −0 is what it is.
                (None, None) => Sum { at, start: self.real(-0.0), products: vec![product] },
                (None, Some(start)) => Sum { at, start, products: vec![product] },
            };
            if self.mentions.get(&value) == Some(&(1, 1)) {
                sums.insert(value, sum);
            }
        }
        leave_out(block, gone);
    }

    fn real(&self, x: f64) -> Operand {
        Operand::Const(Const::rounded(x, self.precision))
    }

    /// The sum that an operation adds a product to, if it is not the product alone, and the product.
    fn product(&self, value: Value, op: Op, x: &[Operand]) -> Option<(Option<Operand>, (Operand, Operand, bool))> {
        let ValueInfo { prim, varying } = self.values[value.0 as usize];
        let lasts = |x: &Operand| match x {
            Operand::Value(value) => self.mentions.get(value).is_some_and(|(set, _)| *set == 1),
            Operand::Const(_) => true,
        };
        if !varying || prim != self.precision || !lasts(&Operand::Value(value)) || !x.iter().all(lasts) {
            return None;
        }
        let one = self.real(1.0);
        let once = |x: &Operand| matches!(x, Operand::Value(x) if self.mentions.get(x) == Some(&(1, 1)));
        match (op, x) {
            (Op::MulAdd, [a, b, start]) => Some((Some(*start), (*a, *b, false))),
            (Op::MulSubtracted, [a, b, start]) => Some((Some(*start), (*a, *b, true))),
            (Op::Scalar(ScalarOp::Mul), [a, b]) => Some((None, (*a, *b, false))),
            (Op::Scalar(ScalarOp::Add), [a, b]) if once(a) => Some((Some(*a), (*b, one, false))),
            (Op::Scalar(ScalarOp::Add), [a, b]) if once(b) => Some((Some(*b), (*a, one, false))),
            (Op::Scalar(ScalarOp::Row(Primitive::Sub)), [a, b]) if once(a) => Some((Some(*a), (*b, one, true))),
            _ => None,
        }
    }
}

impl Sum {
    fn op(&self) -> Op {
        let minus = self.products.iter().enumerate().map(|(k, (_, _, minus))| u8::from(*minus) << k);
        Op::Sum { minus: minus.fold(0, |all, one| all | one) }
    }

    fn operands(&self) -> Vec<Operand> {
        core::iter::once(self.start).chain(self.products.iter().flat_map(|(a, b, _)| [*a, *b])).collect()
    }
}

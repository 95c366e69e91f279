//! Chains: multiply-adds one after the other, which are one instruction of this machine. The pass brings the statements of
//! each together, and code says no more of it; whoever assembles code finds together what it can take.
//!
//! Law: the pass changes the order of statements, and of nothing that is computed (tests/execute/products.rs).

use rustc_hash::FxHashMap;

use crate::array::{Const, Prim, ScalarOp};
use crate::kernel::code::{Block, Code, Op, Operand, Stm, Value, ValueInfo};
use crate::kernel::parts::Mentions;
use crate::primitives::Primitive;

/// The most products of a sum.
pub(super) const MAX_CHAIN_PRODUCTS: usize = 6;

/// Moves the links of each chain to its last one: what they use stays what it is until then.
pub(super) fn find_fma_chains(code: &mut Code) {
    let mut body = core::mem::take(&mut code.body);
    Links::of(code, &body).bring_together(&mut body);
    code.body = body;
}

/// A statement, in a loop over lanes, that adds a product to a sum or takes it away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) value: Value,
    pub(super) sum: Operand,
    pub(super) factors: [Operand; 2],
    pub(super) is_taken_away: bool,
}

/// What says which statements are links of chains.
pub(super) struct Links<'c> {
    values: &'c [ValueInfo],
    /// That reals are computed in.
    precision: Prim,
    mentions: Mentions,
}

impl<'c> Links<'c> {
    /// Those of code with this body.
    pub(super) fn of(code: &'c Code, body: &Block) -> Self {
        Links { values: &code.values, precision: code.precision, mentions: Mentions::of(&code.outputs, body) }
    }

    fn bring_together(&self, block: &mut Block) {
        let mut places: Vec<usize> = (0..block.len()).collect();
        for chain in self.chains(&block.iter().collect::<Vec<_>>()) {
            let (last, _) = chain[chain.len() - 1];
            chain.iter().for_each(|(at, _)| places[*at] = last);
        }
        let mut stms: Vec<(usize, Stm)> = places.into_iter().zip(core::mem::take(block)).collect();
        stms.sort_by_key(|(place, _)| *place);
        block.extend(stms.into_iter().map(|(_, stm)| stm));
        for stm in block {
            stm.blocks_mut().into_iter().for_each(|inner| self.bring_together(inner));
        }
    }

    /// The chains of a block: its statements that add up at least two products, and where they are.
    pub(super) fn chains(&self, block: &[&Stm]) -> Vec<Vec<(usize, Link)>> {
        let mut chains: Vec<Vec<(usize, Link)>> = Vec::new();
        let mut ends: FxHashMap<Value, usize> = FxHashMap::default();
        for (at, stm) in block.iter().enumerate() {
            let Some(link) = self.link(stm) else { continue };
            let before = link.sum.value().and_then(|sum| ends.remove(&sum));
            let number = before.filter(|number| chains[*number].len() < MAX_CHAIN_PRODUCTS).unwrap_or_else(|| {
                chains.push(Vec::new());
                chains.len() - 1
            });
            chains[number].push((at, link));
            if self.is_used_once(Operand::Value(link.value)) {
                ends.insert(link.value, number);
            }
        }
        chains.retain(|chain| chain.len() > 1);
        chains
    }

    fn is_used_once(&self, x: Operand) -> bool {
        self.lasts(x) && x.value().is_some_and(|value| self.mentions.get(value).used == 1)
    }

    /// Whether it is the same wherever it is known.
    fn lasts(&self, x: Operand) -> bool {
        x.value().is_none_or(|value| self.mentions.get(value).is_set_once())
    }

    fn link(&self, stm: &Stm) -> Option<Link> {
        let Stm::Let(value, op, x) = stm else { return None };
        let ValueInfo { prim, varying } = self.values[value.0 as usize];
        let lasts = self.lasts(Operand::Value(*value)) && x.iter().all(|x| self.lasts(*x));
        if !varying || prim != self.precision || !lasts {
            return None;
        }
        let real = |x: f64| Operand::Const(Const::rounded(x, self.precision));
        let (sum, factors, is_taken_away) = match (*op, &x[..]) {
            (Op::MulAdd, &[a, b, sum]) => (sum, [a, b], false),
            (Op::MulSubtracted, &[a, b, sum]) => (sum, [a, b], true),
            // What is added to a number that is −0 is what it is.
            (Op::Scalar(ScalarOp::Mul), &[a, b]) => (real(-0.0), [a, b], false),
            (Op::Scalar(ScalarOp::Add), &[a, b]) if self.is_used_once(a) => (a, [b, real(1.0)], false),
            (Op::Scalar(ScalarOp::Add), &[a, b]) if self.is_used_once(b) => (b, [a, real(1.0)], false),
            (Op::Scalar(ScalarOp::Row(Primitive::Sub)), &[a, b]) if self.is_used_once(a) => (a, [b, real(1.0)], true),
            _ => return None,
        };
        Some(Link { value: *value, sum, factors, is_taken_away })
    }
}

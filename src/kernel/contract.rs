//! Fewer statements for the same work: products that are added become one operation, as do comparisons that are put
//! together and searches, and what is computed for a cell is computed in it.
//!
//! Law: a fused product, of reals of the machine's precision, is not rounded before it is added, and what is added to a sum that may be taken in
//! any order is added term by term; nothing else changes (tests/execute/lanes.rs, tests/execute/work.rs).

use rustc_hash::FxHashMap;

use super::code::{Block, Code, Op, Operand, Stm, Value, ValueInfo, leave_out};
use super::parts::Mentions;
use crate::array::{IntegerRow, ScalarOp};
use crate::primitives::Primitive;

/// Fuses what can be.
pub(crate) fn contract(code: &mut Code) {
    let mut fuser = Fuser { mentions: Mentions::of(&code.outputs, &code.body) };
    // Among doubles, products of single precision are rounded.
    let Code { values, sums, precision, body, .. } = code;
    fuser.terms(body, sums, values);
    let prim = |value: Value| values[value.0 as usize].prim;
    let is_real = |value: Value| prim(value).is_real();
    fuser.block(body, &|value| prim(value) == *precision, &is_real);
    let mentions = Mentions::within(body);
    signs(body, &|value| mentions.get(value).is_set_once() && is_real(value), &mut FxHashMap::default());
}

/// Takes away where a negated number is added, and adds where one is taken away. What is set once stays what it is.
fn signs(block: &mut Block, once: &impl Fn(Value) -> bool, negated: &mut FxHashMap<Operand, Operand>) {
    for stm in block {
        if let Stm::Let(value, op, x) = stm {
            let of = |x: Operand| negated.get(&x).copied();
            match (*op, &x[..]) {
                (Op::Scalar(ScalarOp::Row(Primitive::Neg)), [a @ Operand::Value(source)])
                    if once(*value) && once(*source) =>
                {
                    negated.insert(Operand::Value(*value), *a);
                }
                (Op::Scalar(ScalarOp::Add), [a, b]) => {
                    if let Some((from, taken)) = of(*b).map(|b| (*a, b)).or_else(|| of(*a).map(|a| (*b, a))) {
                        (*op, *x) = (Op::Scalar(ScalarOp::Row(Primitive::Sub)), vec![from, taken]);
                    }
                }
                (Op::MulAdd, [a, b, c]) => {
                    if let Some((a, b)) = of(*a).map(|a| (a, *b)).or_else(|| of(*b).map(|b| (*a, b))) {
                        (*op, *x) = (Op::MulSubtracted, vec![a, b, *c]);
                    } else if let Some(c) = of(*c) {
                        (*op, *x) = (Op::MulSub, vec![*a, *b, c]);
                    }
                }
                (Op::MulSubtracted, [a, b, c]) => {
                    if let Some((a, b)) = of(*a).map(|a| (a, *b)).or_else(|| of(*b).map(|b| (*a, b))) {
                        (*op, *x) = (Op::MulAdd, vec![a, b, *c]);
                    }
                }
                _ => {}
            }
        }
        stm.blocks_mut().into_iter().for_each(|inner| signs(inner, once, negated));
    }
}

struct Fuser {
    mentions: Mentions,
}

impl Fuser {
    fn once(&self, operand: Operand) -> Option<Value> {
        operand.value().filter(|value| self.mentions.get(*value).used == 1)
    }

    fn block(&mut self, block: &mut Block, is_fused: &impl Fn(Value) -> bool, is_real: &impl Fn(Value) -> bool) {
        self.products(block, is_fused);
        searches(block, is_real);
        self.cells(block);
        for stm in block {
            stm.blocks_mut().into_iter().for_each(|inner| self.block(inner, is_fused, is_real));
        }
    }

    /// Terms, computed in the same block for nothing else, of what is added to a sum: each is added by itself.
    fn terms(&self, block: &mut Block, sums: &mut FxHashMap<Value, Value>, values: &mut Vec<ValueInfo>) {
        let mut k = 0;
        while k < block.len() {
            if let Some((at, so_far, [first, second])) = self.term(&block[..=k], sums) {
                let Stm::Let(sum, op, _) = block[k] else { unreachable!("a sum is computed here") };
                let partial = Value(u32::try_from(values.len()).expect("code has fewer than 2^32 values"));
                values.push(values[sum.0 as usize]);
                sums.extend([(partial, so_far), (sum, partial)]);
                block[k] = Stm::Let(sum, op, vec![Operand::Value(partial), second]);
                block.insert(k, Stm::Let(partial, op, vec![Operand::Value(so_far), first]));
                block.remove(at);
                // Each of the two may have terms itself.
                k = at;
                continue;
            }
            block[k].blocks_mut().into_iter().for_each(|inner| self.terms(inner, sums, values));
            k += 1;
        }
    }

    /// Where the two terms are added that the last statement adds to a sum, what is summed up so far, and the terms.
    fn term(&self, block: &[Stm], sums: &FxHashMap<Value, Value>) -> Option<(usize, Value, [Operand; 2])> {
        let (Stm::Let(sum, Op::Scalar(ScalarOp::Add), x), before) = block.split_last()? else { return None };
        let so_far = *sums.get(sum)?;
        let added = if x[0] == Operand::Value(so_far) { x[1] } else { x[0] };
        let of = self.once(added)?;
        let is_here = |stm: &Stm| matches!(stm, Stm::Let(value, ..) if *value == of);
        let at = before.iter().rposition(is_here)?;
        let Stm::Let(_, Op::Scalar(ScalarOp::Add), terms) = &before[at] else { return None };
        // A term may be a cell, which is another thing after these.
        let sets = |stm: &Stm| matches!(stm, Stm::Assign { .. }) || !stm.blocks().is_empty();
        let differ = terms[0] != terms[1];
        (differ && !before[at..].iter().any(sets)).then_some((at, so_far, [terms[0], terms[1]]))
    }

    /// Products that are added once, in the same block.
    fn products(&self, block: &mut Block, is_fused: &impl Fn(Value) -> bool) {
        let mut products: FxHashMap<Value, (usize, Operand, Operand)> = FxHashMap::default();
        let mut gone = Vec::new();
        for (k, stm) in block.iter_mut().enumerate() {
            match &*stm {
                Stm::Let(value, Op::Scalar(ScalarOp::Mul), x)
                    if is_fused(*value) && self.mentions.get(*value).used == 1 =>
                {
                    products.insert(*value, (k, x[0], x[1]));
                }
                Stm::Let(value, Op::Scalar(op), x) if is_fused(*value) => {
                    let product = |k: usize| self.once(x[k]).and_then(|v| products.get(&v));
                    let fused = match op {
                        ScalarOp::Add => match (product(1), product(0)) {
                            (Some(&(at, a, b)), _) => Some((at, Op::MulAdd, vec![a, b, x[0]])),
                            (None, Some(&(at, a, b))) => Some((at, Op::MulAdd, vec![a, b, x[1]])),
                            (None, None) => None,
                        },
                        ScalarOp::Row(Primitive::Sub) => match (product(1), product(0)) {
                            (Some(&(at, a, b)), _) => Some((at, Op::MulSubtracted, vec![a, b, x[0]])),
                            (None, Some(&(at, a, b))) => Some((at, Op::MulSub, vec![a, b, x[1]])),
                            (None, None) => None,
                        },
                        _ => None,
                    };
                    if let Some((at, op, operands)) = fused {
                        gone.push(at);
                        *stm = Stm::Let(*value, op, operands);
                    }
                }
                // What a product is of may change here.
                stm if stm.sets_cells() => products.clear(),
                _ => {}
            }
        }
        leave_out(block, gone);
    }

    /// Values that are computed for a cell alone, which is not read in between.
    fn cells(&self, block: &mut Block) {
        for k in 0..block.len() {
            let Stm::Assign { cells, mask: None } = &block[k] else { continue };
            let cells = cells.clone();
            let mut kept = Vec::new();
            for (n, (cell, x)) in cells.iter().enumerate() {
                let others =
                    cells.iter().enumerate().any(|(m, (_, y))| m != n && (*y == Operand::Value(*cell) || y == x));
                let source = match x {
                    Operand::Value(value) if !others => Some(*value),
                    Operand::Value(_) | Operand::Const(_) => None,
                };
                let defined = source.and_then(|source| {
                    block[..k].iter().rposition(|stm| matches!(stm, Stm::Let(v, ..) | Stm::Load(v, _) if *v == source))
                });
                let free = defined.is_some_and(|at| {
                    let unread = |stm: &Stm| !stm.operands().contains(&Operand::Value(*cell));
                    block[at + 1..k].iter().all(|stm| !stm.sets_cells() && unread(stm))
                });
                // What else uses the value does so before the next iteration, and can use the cell.
                let Some(at) = defined.filter(|_| free) else {
                    kept.push((*cell, *x));
                    continue;
                };
                let here = block[at + 1..=k].iter().flat_map(Stm::operands).filter(|y| y == x).count();
                let Operand::Value(source) = x else { unreachable!("a value is computed") };
                if self.mentions.get(*source).used as usize != here {
                    kept.push((*cell, *x));
                    continue;
                }
                match &mut block[at] {
                    Stm::Let(value, ..) | Stm::Load(value, _) => *value = *cell,
                    _ => unreachable!("the value is computed here"),
                }
                block[at + 1..k].iter_mut().for_each(|stm| stm.replace(*x, Operand::Value(*cell)));
            }
            if let Stm::Assign { cells, .. } = &mut block[k] {
                *cells = kept;
            }
        }
        block.retain(|stm| !matches!(stm, Stm::Assign { cells, .. } if cells.is_empty()));
    }
}

/// The least index, of any so far, of a value that is looked for: one operation instead of a comparison, a choice and the
/// lesser of two.
fn searches(block: &mut Block, is_real: &impl Fn(Value) -> bool) {
    let mut found: FxHashMap<Operand, [Operand; 2]> = FxHashMap::default();
    let mut chosen: FxHashMap<Operand, [Operand; 3]> = FxHashMap::default();
    for stm in block {
        match &*stm {
            Stm::Let(value, Op::Scalar(ScalarOp::Equal), x) if x.iter().any(|x| is_value(*x, is_real)) => {
                found.insert(Operand::Value(*value), [x[0], x[1]]);
            }
            Stm::Let(value, Op::Select, x) if x[2] == Operand::int(i64::MAX) => {
                if let Some([a, b]) = found.get(&x[0]) {
                    chosen.insert(Operand::Value(*value), [x[1], *a, *b]);
                }
            }
            Stm::Let(value, Op::Scalar(ScalarOp::Integer(IntegerRow::Min)), x) => {
                let of = [(x[0], x[1]), (x[1], x[0])];
                if let Some((so_far, [index, a, b])) = of.iter().find_map(|(a, b)| Some((*a, *chosen.get(b)?))) {
                    *stm = Stm::Let(*value, Op::LeastWhere, vec![so_far, index, a, b]);
                }
            }
            // What was compared may change here.
            stm if stm.sets_cells() => {
                found.clear();
                chosen.clear();
            }
            _ => {}
        }
    }
}

fn is_value(x: Operand, holds: &impl Fn(Value) -> bool) -> bool {
    matches!(x, Operand::Value(value) if holds(value))
}

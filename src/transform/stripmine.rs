//! Loops as nests of loops, so that reverse mode keeps fewer states.
//!
//! Law: the nest does what the loop does. With `k` levels over `n` iterations each level keeps about `ᵏ√n` states, so
//! memory falls from `n` to `k·ᵏ√n` states while each level executes the body once more ("Reverse AD for a Functional
//! Array Language", *Tape by Redundant Execution & Checkpointing*). A loop that asks whether to go on is run once to
//! count its iterations (laws: checkpointing::agree, tests/transform/checkpoint.rs).

use core::hash::{Hash, Hasher};
use core::mem::discriminant;
use rustc_hash::{FxHashSet, FxHasher};

use super::copy::{Copier, rewritten};
use crate::array::{
    Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, Program, ScalarOp, Stm, constant, deeper, has_bodies, index,
};
use crate::primitives::Primitive;

/// The program with every loop that asks for it as a nest, and without statements that repeat others, so that their adjoints
/// are added up; nothing if that is the program.
pub(super) fn stripmined(program: &Program) -> Option<Program> {
    if !changes(&program.function.body, &mut FxHashSet::default()) {
        return None;
    }
    Some(rewritten(program, &nest))
}

/// Whether a loop asks to be a nest, or a statement may repeat another: if so, they have one hash.
fn changes(body: &Body, seen: &mut FxHashSet<u64>) -> bool {
    body.stms.iter().any(|stm| match &stm.op {
        Op::Loop(it) if matches!(it.policy, Policy::StripMine(levels) if levels > 1) => true,
        op if has_bodies(op) => deeper(|| op.bodies().any(|body| changes(body, seen))),
        op => {
            let mut hasher = FxHasher::default();
            (discriminant(op), op.key()).hash(&mut hasher);
            op.numbers(|n| n.hash(&mut hasher));
            op.atoms(|a| a.hash(&mut hasher));
            !seen.insert(hasher.finish())
        }
    })
}

/// The most levels of a nest: with four iterations each they are more than there are numbers, so another saves nothing.
pub(super) const MOST_LEVELS: u32 = 32;

/// The results of a loop, written as a nest, if its policy asks for one.
fn nest(copier: &mut Copier<'_, '_>, stm: &Stm) -> Option<Vec<Atom>> {
    let Op::Loop(it) = &stm.op else { return None };
    let levels = match it.policy {
        Policy::StripMine(levels) if levels > 1 => levels.min(MOST_LEVELS),
        Policy::StripMine(_) | Policy::KeepAll | Policy::Binomial(_) | Policy::Recompute => return None,
    };
    let count = copier.iterations(it);
    let initial: Vec<Atom> = it.params.iter().map(|(_, a)| copier.atom(*a)).collect();
    Some(level(copier, it, levels, index(0), count, initial))
}

/// The nest that runs the iterations from `start`, `count` of them.
fn level(
    copier: &mut Copier<'_, '_>,
    it: &Loop,
    levels: u32,
    start: Atom,
    count: Atom,
    initial: Vec<Atom>,
) -> Vec<Atom> {
    let target = copier.target;
    let scalar = |op: ScalarOp, x: Atom, y: Atom| target.scalar(op, &[x, y]);
    if levels == 1 {
        return target.repeat(count, initial, Policy::KeepAll, |j, now| {
            it.params.iter().zip(now).for_each(|((param, _), now)| copier.set(*param, *now));
            if let Form::For(i, _) = &it.form {
                copier.set(*i, scalar(ScalarOp::Add, start, j));
            }
            copier.stms(&it.body.stms);
            copier.atoms(&it.body.results)
        });
    }
    // How long the inner loops are is a question of cost alone, so rounding does no harm.
    let share = f64::from(levels - 1) / f64::from(levels);
    let real = target.scalar(ScalarOp::Convert(Prim::F64), &[count]);
    let root = scalar(ScalarOp::Row(Primitive::Pow), real, constant(Prim::F64, share));
    let root = target.scalar(ScalarOp::Row(Primitive::Ceil), &[root]);
    let step = scalar(integer(IntegerRow::Max), target.scalar(ScalarOp::Convert(Prim::I64), &[root]), index(1));
    // The quotient rounded up, of what is not negative, and without a sum beyond the largest integer.
    let last = scalar(integer(IntegerRow::Div), scalar(ScalarOp::Add, count, index(-1)), step);
    let times = scalar(ScalarOp::Add, last, index(1));
    target.repeat(times, initial, Policy::KeepAll, |j, now| {
        let done = scalar(ScalarOp::Mul, j, step);
        let left = scalar(integer(IntegerRow::Sub), count, done);
        let inner = scalar(integer(IntegerRow::Min), step, left);
        level(copier, it, levels - 1, scalar(ScalarOp::Add, start, done), inner, now.to_vec())
    })
}

fn integer(row: IntegerRow) -> ScalarOp {
    ScalarOp::Integer(row)
}

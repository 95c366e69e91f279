//! What must not be computed where it is used: it is copied, for executors compute the elements of a map where they are wanted if
//! they are wanted once.
//!
//! Law: a copy is the array itself; with it a map runs with its own threads, where what uses it has fewer and the machine is not
//! filled by those (tests/gpu/distribute.rs, tests/gpu/counts.rs).

use std::collections::VecDeque;

use super::Machine;
use super::work::{Known, Work};
use crate::array::{Atom, Body, Builder, Map, Op, Program, Stm};

/// Copies the results of maps that are wider than what uses them, and says whether there was one that is worth it.
pub(super) fn keep(program: &mut Program, arguments: &[Known], machine: Machine) -> bool {
    let mut work = Work::of(program, arguments);
    let mut builder = Builder::extending(program);
    let kept = within(&mut program.function.body, &mut work, &mut builder, machine);
    program.types = builder.into_types();
    kept
}

fn within(body: &mut Body, work: &mut Work, builder: &mut Builder, machine: Machine) -> bool {
    let mut changed = false;
    let mut written = Vec::with_capacity(body.stms.len());
    let mut stms: VecDeque<Stm> = core::mem::take(&mut body.stms).into();
    while let Some(mut stm) = stms.pop_front() {
        let Op::Map(map) = &stm.op else {
            if matches!(stm.op, Op::If(..) | Op::Loop(_)) {
                stm.op.bodies_mut().for_each(|inner| changed |= within(inner, work, builder, machine));
            }
            written.push(stm);
            continue;
        };
        let own = width(map, work, builder);
        let narrow = |later: &Stm| {
            let takes = |atoms: &[Atom]| atoms.iter().any(|a| stm.vars.iter().any(|v| *a == Atom::Var(*v)));
            match &later.op {
                Op::Map(map) => takes(&map.arrays).then(|| width(map, work, builder)),
                Op::Reduce(it) | Op::Scan(it) => takes(&it.arrays).then(|| work.length(it.arrays[0]).unwrap_or(0)),
                _ => None,
            }
        };
        let user = stms.iter().find_map(narrow);
        let is_narrow =
            |user: u64| user < machine.threads && user < own && work.of_op(&stm.op) / user.max(1) >= machine.work;
        if map.accumulators.is_empty() && user.is_some_and(is_narrow) {
            changed = true;
            let kept: Vec<_> = stm.vars.iter().map(|var| builder.fresh(builder.type_of(*var))).collect();
            let copies = stm.vars.iter().zip(&kept).map(|(var, kept)| Stm {
                vars: [*var].into_iter().collect(),
                op: Op::Copy(Atom::Var(*kept)),
                span: stm.span,
            });
            let copies: Vec<Stm> = copies.collect();
            written.push(Stm { vars: kept.into_iter().collect(), ..stm });
            written.extend(copies);
        } else {
            written.push(stm);
        }
    }
    body.stms = written;
    changed
}

/// How many elements a perfect nest has, as far as is known.
fn width(map: &Map, work: &mut Work, builder: &Builder) -> u64 {
    let (mut width, mut map) = (1_u64, map);
    loop {
        width = width.saturating_mul(work.length(map.arrays[0]).unwrap_or(1));
        match map.only(|stm| stm.op.costs_little(|a| builder.type_of(a).rank == 0) || matches!(stm.op, Op::Map(_))) {
            Some(inner) => map = inner,
            None => return width,
        }
    }
}

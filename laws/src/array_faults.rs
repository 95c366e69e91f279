//! Faults planted in array programs: an operand of one statement is changed so that the statement goes wrong.
//!
//! Law: but for that operand the program is what it was, and verifies; where the statement runs, it is a fault
//! (tests/laws/executors.rs).

use catadiff::array::{Atom, Body, Form, IntegerRow, Lambda, Op, Program, ScalarOp, Stm, index};

/// Further than any index of a random program goes.
const OUT_OF_BOUNDS: i64 = 1000;

/// The program with a fault in one of the statements that an operand can make wrong: number `which`, counted from the
/// last and from 0, if there is one.
pub(crate) fn planted(program: &Program, which: usize) -> Option<Program> {
    let (types, names, mut function) = program.clone().into_parts();
    let count = body(&mut function.body, &mut |_| false);
    let chosen = count.checked_sub(which + 1)?;
    let mut seen = 0;
    body(&mut function.body, &mut |_| {
        seen += 1;
        seen - 1 == chosen
    });
    Program::new(types, names, function).ok()
}

/// Visits the statements that an operand can make wrong, makes those wrong that are chosen, and returns how many there
/// are.
fn body(it: &mut Body, choose: &mut dyn FnMut(&Stm) -> bool) -> usize {
    it.stms.iter_mut().map(|stm| statement(stm, choose)).sum()
}

fn lambda(it: &mut Lambda, choose: &mut dyn FnMut(&Stm) -> bool) -> usize {
    body(&mut it.body, choose)
}

fn statement(stm: &mut Stm, choose: &mut dyn FnMut(&Stm) -> bool) -> usize {
    let Some(_) = operand(&mut stm.op) else { return inside(&mut stm.op, choose) };
    if choose(stm)
        && let Some((operand, wrong)) = operand(&mut stm.op)
    {
        *operand = wrong;
    }
    1
}

/// The operand that can make an operation wrong, and what does.
fn operand(op: &mut Op) -> Option<(&mut Atom, Atom)> {
    match op {
        Op::Index(_, indices) | Op::Update(_, indices, _) => Some((&mut indices[0], index(OUT_OF_BOUNDS))),
        Op::Slice(_, ranges) => Some((&mut ranges[0].start, index(OUT_OF_BOUNDS))),
        Op::Iota(n) | Op::Replicate(n, _) => Some((n, index(-3))),
        Op::Reshape(_, sizes) => Some((&mut sizes[0], index(OUT_OF_BOUNDS))),
        Op::Scalar(ScalarOp::Integer(IntegerRow::Mod | IntegerRow::Div), operands) => {
            Some((&mut operands[1], index(0)))
        }
        _ => None,
    }
}

fn inside(op: &mut Op, choose: &mut dyn FnMut(&Stm) -> bool) -> usize {
    match op {
        Op::If(_, yes, no) => body(yes, choose) + body(no, choose),
        Op::Loop(it) => {
            let asked = match &mut it.form {
                Form::For(..) => 0,
                Form::While { condition, .. } => body(condition, choose),
            };
            asked + body(&mut it.body, choose)
        }
        Op::Map(it) => lambda(&mut it.function, choose),
        Op::Reduce(it) | Op::Scan(it) => lambda(&mut it.operator, choose),
        Op::Hist(it) => lambda(&mut it.operator, choose),
        // What its pullback does has no part in a run.
        Op::Custom(it) => lambda(&mut it.function, choose),
        _ => 0,
    }
}

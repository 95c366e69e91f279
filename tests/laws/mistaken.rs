//! Executors that carry out another program than they are given: random programs tell them from one that does not.

use std::cell::RefCell;
use std::mem::swap;

use catadiff::Result;
use catadiff::array::{Atom, Body, Const, Form, IntegerRow, Op, Prim, Program, ScalarOp, Stm, Type, constant, index};
use catadiff::execute::{Executor, Interpreter, Outcome, Prepared, Unsupported};
use catadiff::interpret::{Control, Value};
use catadiff_laws::ArrayProgram;
use catadiff_laws::executors::{Tally, counted};
use catadiff_laws::program_parts::{changed, fresh};
use quickcheck::{Arbitrary, Gen};

/// The interpreter of programs that were changed, where they run: the words of faults do not tell.
struct Mistaken {
    change: Change,
}

#[derive(Debug)]
struct MistakenProgram {
    right: Box<dyn Prepared>,
    wrong: Box<dyn Prepared>,
}

impl Executor for Mistaken {
    fn name(&self) -> &'static str {
        "mistaken"
    }

    fn description(&self) -> &'static str {
        "the interpreter of other programs"
    }

    fn prepare(&self, program: &Program) -> Result<std::result::Result<Box<dyn Prepared>, Unsupported>> {
        let changed = changed(program, |(types, _, function)| everywhere(&mut function.body, types, 0, self.change));
        let prepare =
            |program: &Program| Ok(Interpreter.prepare(program)?.expect("the interpreter runs every program"));
        Ok(Ok(Box::new(MistakenProgram { right: prepare(program)?, wrong: prepare(&changed?)? })))
    }
}

impl Prepared for MistakenProgram {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        match self.right.run(arguments, control.clone())? {
            Outcome::Done { .. } => self.wrong.run(arguments, control),
            fault => Ok(fault),
        }
    }
}

/// What a change may look at, and the statements that it puts before the one it changes.
struct Around<'a> {
    types: &'a mut Vec<Type>,
    before: Vec<Stm>,
}

impl Around<'_> {
    fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.types[var.0 as usize],
            Atom::Const(constant) => Type::scalar(constant.prim()),
        }
    }

    fn put(&mut self, op: Op, of: Type) -> Atom {
        let var = fresh(self.types, of);
        self.before.push(Stm::new([var], op));
        var.into()
    }

    fn scalar(&mut self, operation: ScalarOp, operands: &[Atom]) -> Atom {
        let kinds: Vec<Prim> = operands.iter().map(|x| self.type_of(*x).prim).collect();
        let of = Type::scalar(operation.result(&kinds).expect("it is of these kinds"));
        self.put(Op::Scalar(operation, operands.into()), of)
    }

    fn reversed(&mut self, array: Atom) -> Atom {
        let of = self.type_of(array);
        self.put(Op::Reverse(array), of)
    }
}

/// Changes one operation, within this many maps with accumulators.
type Change = fn(&mut Op, usize, &mut Around<'_>);

fn everywhere(body: &mut Body, types: &mut Vec<Type>, nest: usize, change: Change) {
    for mut stm in std::mem::take(&mut body.stms) {
        let bodies: Vec<(&mut Body, usize)> = match &mut stm.op {
            Op::If(_, yes, no) => vec![(yes, nest), (no, nest)],
            Op::Loop(it) => match &mut it.form {
                Form::For(..) => vec![(&mut it.body, nest)],
                Form::While { condition, .. } => vec![(condition, nest), (&mut it.body, nest)],
            },
            Op::Map(it) => vec![(&mut it.function.body, nest + usize::from(!it.accumulators.is_empty()))],
            Op::Reduce(it) | Op::Scan(it) => vec![(&mut it.operator.body, nest)],
            Op::Hist(it) => vec![(&mut it.operator.body, nest)],
            _ => Vec::new(),
        };
        bodies.into_iter().for_each(|(body, nest)| everywhere(body, types, nest, change));
        let mut around = Around { types, before: Vec::new() };
        change(&mut stm.op, nest, &mut around);
        body.stms.append(&mut around.before);
        body.stms.push(stm);
    }
}

/// Changes that leave the types of results as they are, and what executors get wrong so.
const CHANGES: [(&str, Change); 11] = [
    ("slices go on by the step of the next dimension", |op, _, _| {
        if let Op::Slice(_, ranges) = op
            && let [a, b, ..] = &mut ranges[..]
        {
            swap(&mut a.step, &mut b.step);
        }
    }),
    ("slices begin where that of the next dimension begins", |op, _, _| {
        if let Op::Slice(_, ranges) = op
            && let [a, b, ..] = &mut ranges[..]
        {
            swap(&mut a.start, &mut b.start);
        }
    }),
    ("updates are in the other dimension", |op, _, _| {
        if let Op::Update(_, places, _) = op {
            places.reverse();
        }
    }),
    ("elements are read in the other dimension", |op, _, _| {
        if let Op::Index(_, places) = op {
            places.reverse();
        }
    }),
    ("of what is scattered to one place the first stays", |op, _, around| {
        if let Op::Scatter(it) = op {
            (it.indices, it.values) = (around.reversed(it.indices), around.reversed(it.values));
        }
    }),
    ("accumulators within others get everything in one row", |op, nest, _| {
        if let Op::Accumulate(_, places, _) = op
            && nest > 1
        {
            places[0] = index(0);
        }
    }),
    ("accumulators within others add to the other dimension", |op, nest, _| {
        if let Op::Accumulate(_, places, _) = op
            && nest > 1
        {
            places.reverse();
        }
    }),
    ("sums and products of short integers do not wrap", |op, _, around| {
        if let Op::Scalar(operation @ (ScalarOp::Add | ScalarOp::Mul), x) = op
            && let prim = around.type_of(x[0]).prim
            && prim.is_integer()
            && prim.bits() < 64
        {
            let (least, most) = prim.bounds();
            let wide = [x[0], x[1]].map(|x| around.scalar(ScalarOp::Convert(Prim::I64), &[x]));
            let exact = around.scalar(*operation, &wide);
            let below = around.scalar(IntegerRow::Min.into(), &[exact, index(most as i64)]);
            let within = around.scalar(IntegerRow::Max.into(), &[below, index(least as i64)]);
            *op = Op::Scalar(ScalarOp::Convert(prim), [within].into_iter().collect());
        }
    }),
    ("integers with more digits than a short real are cut off", |op, _, around| {
        if let Op::Scalar(ScalarOp::Convert(Prim::F32), x) = op
            && around.type_of(x[0]).prim.is_integer()
        {
            let wide = around.scalar(ScalarOp::Convert(Prim::I64), &[x[0]]);
            let (is_large, rest) = (
                around.scalar(ScalarOp::Less, &[index(1 << 30), wide]),
                around.scalar(IntegerRow::Rem.into(), &[wide, index(1000)]),
            );
            let is_large = around.scalar(ScalarOp::Convert(Prim::I64), &[is_large]);
            let rest = around.scalar(ScalarOp::Mul, &[rest, is_large]);
            let cut = around.scalar(IntegerRow::Sub.into(), &[wide, rest]);
            *op = Op::Scalar(ScalarOp::Convert(Prim::F32), [cut].into_iter().collect());
        }
    }),
    ("dimensions are put in the order of the way back", |op, _, _| {
        if let Op::Permute(_, order) = op {
            let mut back = vec![0; order.len()];
            order.iter().enumerate().for_each(|(k, from)| back[*from] = k);
            *order = back;
        }
    }),
    ("reductions start from what is neutral for sums", |op, _, _| {
        if let Op::Reduce(it) | Op::Scan(it) = op
            && let [start @ Atom::Const(Const::F32(_))] = &mut it.neutral[..]
        {
            *start = constant(Prim::F32, 0.0);
        }
    }),
];

/// As many programs as a law is checked on at night.
const DRAWN: usize = 2000;

/// Each change is seen, most of them by the programs of a day.
#[test]
fn another_program_is_not_the_program() {
    let seed = std::env::var("CATADIFF_LAWS_SEED").ok().and_then(|seed| seed.parse().ok());
    let first = CHANGES.map(|(mistake, change)| {
        let mut source = Gen::from_size_and_seed(12, seed.unwrap_or(0));
        let mut drawn = (0..DRAWN).map(|_| ArrayProgram::arbitrary(&mut source));
        let tally = RefCell::new(Tally::default());
        let seen = drawn.position(|p| counted(&Mistaken { change }, &p.program(), &p.arguments(), &tally).is_err());
        (mistake, seen)
    });
    println!("{first:?}");
    assert!(first.iter().all(|(_, seen)| seen.is_some()), "{first:?}");
    assert!(first.iter().filter(|(_, seen)| seen.is_some_and(|at| at < 256)).count() > CHANGES.len() / 2, "{first:?}");
}

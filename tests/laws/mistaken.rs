//! Executors that carry out another program than they are given: random programs tell them from one that does not.

use std::cell::RefCell;
use std::mem::swap;

use catadiff::Result;
use catadiff::array::{Atom, Body, Const, Form, Op, Prim, Program, Stm, Type, Var, constant, index};
use catadiff::execute::{Executor, Interpreter, Outcome, Prepared, Unsupported};
use catadiff::interpret::{Control, Value};
use catadiff_laws::executors::{Tally, counted};
use catadiff_laws::{ArrayProgram, for_all};

/// The interpreter of programs that were changed, where they run: the words of faults do not tell.
struct Mistaken {
    change: Change,
}

type OnInterpreter = <Interpreter as Executor>::Prepared;

#[derive(Debug)]
struct MistakenProgram {
    right: OnInterpreter,
    wrong: OnInterpreter,
}

impl Executor for Mistaken {
    type Prepared = MistakenProgram;

    fn name(&self) -> &'static str {
        "mistaken"
    }

    fn prepare(&self, program: &Program) -> Result<std::result::Result<MistakenProgram, Unsupported>> {
        let mut changed = program.clone();
        everywhere(&mut changed.function.body, &mut changed.types, 0, self.change);
        let prepare =
            |program: &Program| Ok(Interpreter.prepare(program)?.expect("the interpreter runs every program"));
        Ok(Ok(MistakenProgram { right: prepare(program)?, wrong: prepare(&changed)? }))
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
        let fresh = Var(u32::try_from(self.types.len()).expect("there are few variables"));
        self.types.push(of);
        self.before.push(Stm::new([fresh], op));
        fresh.into()
    }

    fn reversed(&mut self, array: Atom) -> Atom {
        let of = self.type_of(array);
        self.put(Op::Reverse(array), of)
    }
}

/// Changes one operation, within so many maps with accumulators.
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
const CHANGES: [(&str, Change); 8] = [
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

/// Each change is seen.
#[test]
fn another_program_is_not_the_program() {
    let mut survivors = Vec::new();
    for (mistake, change) in CHANGES {
        let tally = RefCell::new(Tally::default());
        let found = for_all(|p: ArrayProgram| counted(&Mistaken { change }, &p.program(), &p.arguments(), &tally));
        if found.is_ok() {
            survivors.push(mistake);
        }
    }
    assert!(survivors.is_empty(), "{survivors:?}");
}

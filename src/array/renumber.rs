//! Canonical numbers: variables counted in the order in which the text form binds them.
//!
//! Law: renumbering changes no meaning, and programs that differ by the numbers of their variables only are equal
//! after it. A body's variables come before the results of the operation it is in, which is the order in which a
//! builder makes them; types that no variable of the program has are dropped.

use rustc_hash::FxHashMap;

use super::program::{
    Atom, Body, Custom, Form, Hist, Lambda, Loop, Map, Op, Program, Range, Reduce, Scatter, Stm, Var,
};
use super::types::Type;
use super::verify::deeper;

impl Program {
    /// The same program with its variables numbered from 0 in the order of their binding.
    ///
    /// # Panics
    /// If the program does not [verify](Program::verify).
    #[must_use]
    pub fn renumbered(&self) -> Program {
        let mut renumber = Renumber { old: self, types: Vec::new(), numbers: FxHashMap::default() };
        let function = renumber.lambda(&self.function);
        Program { types: renumber.types, names: self.names.clone(), function }
    }
}

struct Renumber<'p> {
    old: &'p Program,
    types: Vec<Type>,
    numbers: FxHashMap<Var, Var>,
}

impl Renumber<'_> {
    fn bind(&mut self, var: Var) -> Var {
        let number = Var(u32::try_from(self.types.len()).expect("a program has fewer than 2^32 variables"));
        self.types.push(self.old.type_of(var));
        self.numbers.insert(var, number);
        number
    }

    fn binds(&mut self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|v| self.bind(*v)).collect()
    }

    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => Atom::Var(*self.numbers.get(&var).expect("a variable is bound before it is used")),
            Atom::Const(_) => atom,
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|a| self.atom(*a)).collect()
    }

    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let params = self.binds(&lambda.params);
        Lambda { params, body: self.body(&lambda.body) }
    }

    fn body(&mut self, body: &Body) -> Body {
        let stms = body.stms.iter().map(|stm| {
            let op = self.op(&stm.op);
            Stm { vars: self.binds(&stm.vars), op }
        });
        let stms = deeper(|| stms.collect());
        Body { stms, results: self.atoms(&body.results) }
    }

    fn op(&mut self, op: &Op) -> Op {
        match op {
            Op::Scalar(scalar, atoms) => Op::Scalar(*scalar, self.atoms(atoms)),
            Op::Copy(a) => Op::Copy(self.atom(*a)),
            Op::Iota(n) => Op::Iota(self.atom(*n)),
            Op::Replicate(n, a) => Op::Replicate(self.atom(*n), self.atom(*a)),
            Op::Elements(atoms) => Op::Elements(self.atoms(atoms)),
            Op::Size(a, dimension) => Op::Size(self.atom(*a), *dimension),
            Op::Index(a, indices) => Op::Index(self.atom(*a), self.atoms(indices)),
            Op::Slice(a, ranges) => {
                let range =
                    |r: &Range| Range { start: self.atom(r.start), count: self.atom(r.count), step: self.atom(r.step) };
                Op::Slice(self.atom(*a), ranges.iter().map(range).collect())
            }
            Op::Update(a, indices, new) => Op::Update(self.atom(*a), self.atoms(indices), self.atom(*new)),
            Op::Permute(a, order) => Op::Permute(self.atom(*a), order.clone()),
            Op::Reshape(a, sizes) => Op::Reshape(self.atom(*a), self.atoms(sizes)),
            Op::Concat(atoms) => Op::Concat(self.atoms(atoms)),
            Op::Reverse(a) => Op::Reverse(self.atom(*a)),
            Op::If(condition, yes, no) => Op::If(self.atom(*condition), self.body(yes), self.body(no)),
            Op::Loop(it) => Op::Loop(Box::new(self.of_loop(it))),
            Op::Map(map) => Op::Map(Box::new(Map {
                arrays: self.atoms(&map.arrays),
                accumulators: self.atoms(&map.accumulators),
                function: self.lambda(&map.function),
            })),
            Op::Reduce(it) => Op::Reduce(Box::new(self.of_reduce(it))),
            Op::Scan(it) => Op::Scan(Box::new(self.of_reduce(it))),
            Op::Hist(it) => Op::Hist(Box::new(Hist {
                neutral: self.atoms(&it.neutral),
                destinations: self.atoms(&it.destinations),
                indices: self.atom(it.indices),
                values: self.atoms(&it.values),
                operator: self.lambda(&it.operator),
            })),
            Op::Scatter(it) => Op::Scatter(Box::new(Scatter {
                destination: self.atom(it.destination),
                indices: self.atom(it.indices),
                values: self.atom(it.values),
            })),
            Op::ToAccumulator(a) => Op::ToAccumulator(self.atom(*a)),
            Op::Accumulate(a, indices, new) => Op::Accumulate(self.atom(*a), self.atoms(indices), self.atom(*new)),
            Op::FromAccumulator(a) => Op::FromAccumulator(self.atom(*a)),
            Op::Custom(it) => Op::Custom(Box::new(Custom {
                arguments: self.atoms(&it.arguments),
                function: self.lambda(&it.function),
                pullback: self.lambda(&it.pullback),
            })),
        }
    }

    fn of_loop(&mut self, it: &Loop) -> Loop {
        let initial: Vec<Atom> = it.params.iter().map(|(_, a)| self.atom(*a)).collect();
        let params: Vec<Var> = it.params.iter().map(|(p, _)| self.bind(*p)).collect();
        let form = match &it.form {
            Form::For(i, bound) => {
                let bound = self.atom(*bound);
                Form::For(self.bind(*i), bound)
            }
            Form::While { condition, bound } => {
                let bound = bound.map(|b| self.atom(b));
                Form::While { condition: self.body(condition), bound }
            }
        };
        Loop { params: params.into_iter().zip(initial).collect(), form, body: self.body(&it.body), policy: it.policy }
    }

    fn of_reduce(&mut self, it: &Reduce) -> Reduce {
        Reduce {
            neutral: self.atoms(&it.neutral),
            arrays: self.atoms(&it.arrays),
            operator: self.lambda(&it.operator),
            commutative: it.commutative,
        }
    }
}

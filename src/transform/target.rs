//! The program that a transformation writes: a builder that many can write to, and that knows what it has computed.
//!
//! Law: what is written means what was requested: a scalar operation that was written before, in this body or further
//! out, is not written again (common subexpressions), and zeros are not added (tests/transform/work.rs,
//! tests/transform/simplify.rs).

use core::cell::RefCell;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::array::{
    Agree, Agreement, Atom, Body, Builder, Const, Extent, Form, Key, Lambda, Loop, Map, Op, Opcode, Policy, Prim,
    Program, Range, Reduce, ScalarOp, Scatter, Type, Var, has_bodies, index,
};
use crate::error::Span;
use crate::optimise::hash_cons::Same;

/// About how many times as many variables as a program its derivatives have.
pub(super) const GROWTH: usize = 3;

/// A program under construction, behind a shared reference.
pub(super) struct Target {
    builder: RefCell<Builder>,
    /// The variables of what is known here, by operations and the numbers of operands.
    known: RefCell<Same<Key>>,
    /// The numbers of constants.
    constants: RefCell<FxHashMap<Const, u32>>,
    /// Arrays that are zero.
    zeros: RefCell<FxHashSet<Var>>,
    /// Arrays of copies, each with how many of what.
    copies: RefCell<FxHashMap<Atom, (Atom, Atom)>>,
}

impl Target {
    pub(super) fn new() -> Self {
        Target::of(0)
    }

    /// With room for this many variables.
    pub(super) fn of(variables: usize) -> Self {
        Target {
            builder: RefCell::new(Builder::with_capacity(variables, 0)),
            known: RefCell::new(Same::with_capacity(variables)),
            constants: RefCell::default(),
            zeros: RefCell::default(),
            copies: RefCell::default(),
        }
    }

    pub(super) fn finish(self, results: Vec<Atom>) -> Program {
        self.builder.into_inner().unsimplified(results)
    }

    pub(super) fn type_of(&self, atom: Atom) -> Type {
        self.builder.borrow().type_of(atom)
    }

    /// A new parameter of the program.
    pub(super) fn parameter(&self, name: String, of: Type) -> Atom {
        self.builder.borrow_mut().parameter(name, of).into()
    }

    /// A new variable, to be bound as a parameter of a body.
    pub(super) fn fresh(&self, of: Type) -> Var {
        self.builder.borrow_mut().fresh(of)
    }

    /// Sets the span of the statements that are written from here on, and returns the one before.
    pub(super) fn span(&self, span: Span) -> Span {
        self.builder.borrow_mut().span(span)
    }

    /// Where the statements come from that are written now.
    pub(super) fn here(&self) -> Span {
        self.builder.borrow().here()
    }

    /// The variable that will be bound next.
    pub(super) fn next(&self) -> Var {
        Var(u32::try_from(self.builder.borrow().variables()).expect("a program has fewer than 2^32 variables"))
    }

    /// Writes an operation, unless it repeats one, and returns its results.
    pub(super) fn emit(&self, op: Op) -> Vec<Atom> {
        if !has_bodies(&op) && !matches!(op, Op::Agree(_)) {
            return vec![self.one(op)];
        }
        if let Op::Loop(it) = &op {
            it.params.iter().for_each(|(_, initial)| self.give_away(*initial));
        }
        self.builder.borrow_mut().emit(op).into_iter().map(Atom::Var).collect()
    }

    /// The same of an operation of one result.
    pub(super) fn one(&self, op: Op) -> Atom {
        let Some(kind) = op.key() else { return self.builder.borrow_mut().one(op) };
        let copied = if let Op::Replicate(n, value) = op { Some((n, value)) } else { None };
        let operands = self.numbers(&op);
        let result = self.once(kind, &operands, || self.builder.borrow_mut().one(op));
        if let Some(copied) = copied {
            self.copies.borrow_mut().insert(result, copied);
        }
        result
    }

    /// Writes what is written for any builder.
    pub(super) fn write<T>(&self, write: impl FnOnce(&mut Builder) -> T) -> T {
        write(&mut self.builder.borrow_mut())
    }

    /// An array of copies with which a loop begins is the loop's own: another one is another array, so that this one can be
    /// changed in place and ends where the loop ends.
    fn give_away(&self, initial: Atom) {
        if let Some((n, value)) = self.copies.borrow().get(&initial) {
            self.known.borrow_mut().forget(Opcode::Replicate.into(), &[self.number(*n), self.number(*value)]);
        }
    }

    fn once(&self, kind: Key, operands: &[u32], write: impl FnOnce() -> Atom) -> Atom {
        let new = || {
            let Atom::Var(var) = write() else { panic!("a statement binds variables") };
            var.0
        };
        Var(self.known.borrow_mut().number(kind, operands, new)).into()
    }

    /// The operands of an operation, and what else makes it what it is, as numbers.
    fn numbers(&self, op: &Op) -> SmallVec<[u32; 8]> {
        let number = |n: usize| u32::try_from(n).expect("an array has fewer than 2^32 dimensions");
        let mut of = SmallVec::new();
        op.atoms(|a| of.push(self.number(a)));
        op.numbers(|n| of.push(number(n)));
        of
    }

    /// The number of an operand: variables are even, constants odd.
    fn number(&self, operand: Atom) -> u32 {
        match operand {
            Atom::Var(var) => var.0.checked_mul(2).expect("there are fewer than 2^31 variables"),
            Atom::Const(constant) => {
                let mut constants = self.constants.borrow_mut();
                let next = u32::try_from(constants.len()).expect("there are fewer than 2^31 constants");
                *constants.entry(constant).or_insert(next) << 1 | 1
            }
        }
    }

    /// A scalar operation, as it is.
    pub(super) fn scalar(&self, op: ScalarOp, operands: &[Atom]) -> Atom {
        self.once_scalar(op, operands, || self.builder.borrow_mut().scalar(op, operands))
    }

    fn once_scalar(&self, op: ScalarOp, operands: &[Atom], write: impl FnOnce() -> Atom) -> Atom {
        let mut of = [0; 3];
        of.iter_mut().zip(operands).for_each(|(place, operand)| *place = self.number(*operand));
        self.once(op.into(), &of[..operands.len()], write)
    }

    /// Takes a value for that of a scalar operation, in this body.
    pub(super) fn assume(&self, op: ScalarOp, operands: &[Atom], value: Atom) {
        if matches!(value, Atom::Var(_)) {
            self.once_scalar(op, operands, || value);
        }
    }

    /// Says that a value must have the sizes of another, from which derivatives take theirs.
    pub(super) fn agree(&self, what: Agreement, value: Atom, like: Atom) {
        for dimension in 0..self.type_of(value).rank {
            let [first, second] = [like, value].map(|array| vec![Extent::Of(array, dimension)]);
            self.emit(Op::Agree(Box::new(Agree { what, first, second, times: Vec::new() })));
        }
    }

    /// Says that an array must be as long as another.
    pub(super) fn agree_lengths(&self, what: Agreement, array: Atom, like: Atom) {
        let [first, second] = [like, array].map(|array| vec![Extent::Of(array, 0)]);
        self.emit(Op::Agree(Box::new(Agree { what, first, second, times: Vec::new() })));
    }

    /// The size of an array in a dimension.
    pub(super) fn size(&self, array: Atom, dimension: usize) -> Atom {
        self.one(Op::Size(array, dimension))
    }

    /// The body that `inside` writes; `inside` returns its results.
    pub(super) fn body(&self, inside: impl FnOnce() -> Vec<Atom>) -> Body {
        self.open_body();
        let results = inside();
        self.close_body(results)
    }

    // Functions of their own, as is `fresh_all`, so that they are compiled once and not for each body.

    fn open_body(&self) {
        self.builder.borrow_mut().open_body();
        self.known.borrow_mut().open();
    }

    fn close_body(&self, results: Vec<Atom>) -> Body {
        self.known.borrow_mut().close();
        self.builder.borrow_mut().close_body(results)
    }

    /// New variables of these types, and what they are as operands.
    fn fresh_all(&self, types: &[Type]) -> (Vec<Var>, Vec<Atom>) {
        let params: Vec<Var> = types.iter().map(|t| self.fresh(*t)).collect();
        let atoms = params.iter().copied().map(Atom::Var).collect();
        (params, atoms)
    }

    /// The function of parameters of these types that `inside` writes.
    pub(super) fn lambda(&self, types: &[Type], inside: impl FnOnce(&[Atom]) -> Vec<Atom>) -> Lambda {
        let (params, atoms) = self.fresh_all(types);
        Lambda { params, body: self.body(|| inside(&atoms)) }
    }

    /// The results of a function of the elements of arrays, without accumulators.
    pub(super) fn map(&self, arrays: &[Atom], inside: impl FnOnce(&[Atom]) -> Vec<Atom>) -> Vec<Atom> {
        let types: Vec<Type> = arrays.iter().map(|a| self.type_of(*a).element()).collect();
        let function = self.lambda(&types, inside);
        self.emit(Op::Map(Box::new(Map { function, arrays: arrays.to_vec(), accumulators: Vec::new() })))
    }

    /// One result of a function of the elements of arrays.
    pub(super) fn map1(&self, arrays: &[Atom], inside: impl FnOnce(&[Atom]) -> Atom) -> Atom {
        self.map(arrays, |x| vec![inside(x)])[0]
    }

    /// The zero of the shape of a value.
    pub(super) fn zeros_like(&self, value: Atom) -> Atom {
        let zero = self.zero_part(value, 0);
        self.zeros.borrow_mut().extend(zero.var());
        zero
    }

    /// The zero of the shape of a subarray, without this many leading dimensions; the array may be empty.
    pub(super) fn zero_part(&self, array: Atom, leading: usize) -> Atom {
        let of = self.type_of(array);
        (leading..of.rank)
            .rev()
            .fold(of.prim.zero().into(), |zero, dimension| self.one(Op::Replicate(self.size(array, dimension), zero)))
    }

    /// The sizes of an array, from a dimension on.
    pub(super) fn sizes(&self, array: Atom, from: usize) -> Vec<Atom> {
        (from..self.type_of(array).rank).map(|dimension| self.size(array, dimension)).collect()
    }

    /// The number of elements of an array of these sizes.
    pub(super) fn count(&self, sizes: &[Atom]) -> Atom {
        sizes.iter().copied().reduce(|a, b| self.indices(ScalarOp::Mul, a, b)).unwrap_or(index(1))
    }

    /// Whether a value is known to be zero.
    pub(super) fn is_zero(&self, value: Atom) -> bool {
        match value {
            Atom::Var(var) => self.zeros.borrow().contains(&var),
            // Neither sign of zero changes a sum, but for the sign of a zero sum.
            Atom::Const(c) => c == c.prim().zero(),
        }
    }

    /// The sum of two values of one shape.
    pub(super) fn add(&self, a: Atom, b: Atom) -> Atom {
        if self.is_zero(a) {
            b
        } else if self.is_zero(b) {
            a
        } else if self.type_of(a).rank == 0 {
            self.scalar(ScalarOp::Add, &[a, b])
        } else {
            self.map1(&[a, b], |x| self.add(x[0], x[1]))
        }
    }

    /// The sum of a list of scalars, as what is reduced or scanned.
    fn summed(&self, list: Atom) -> Box<Reduce> {
        let of = self.type_of(list).element();
        let operator = self.lambda(&[of, of], |x| vec![self.scalar(ScalarOp::Add, x)]);
        Box::new(Reduce { operator, neutral: vec![of.prim.zero().into()], arrays: vec![list], commutative: true })
    }

    /// All prefixes of arrays, combined.
    pub(super) fn scan(&self, operator: Lambda, neutral: Vec<Atom>, arrays: Vec<Atom>) -> Vec<Atom> {
        self.emit(Op::Scan(Box::new(Reduce { operator, neutral, arrays, commutative: false })))
    }

    /// What `inside` makes of each list of the innermost dimension.
    fn innermost(&self, array: Atom, inside: &dyn Fn(Atom) -> Atom) -> Atom {
        match self.type_of(array).rank {
            1 => inside(array),
            _ => self.map1(&[array], |row| self.innermost(row[0], inside)),
        }
    }

    /// The array with its outermost dimension innermost.
    fn turned(&self, array: Atom) -> Atom {
        self.one(Op::Permute(array, (1..self.type_of(array).rank).chain([0]).collect()))
    }

    /// The sum of the elements of an array over its outermost dimension.
    pub(super) fn sum(&self, array: Atom) -> Atom {
        let sum = |list: Atom| self.one(Op::Reduce(self.summed(list)));
        if self.type_of(array).rank == 1 { sum(array) } else { self.innermost(self.turned(array), &sum) }
    }

    /// The sums of all prefixes of an array over its outermost dimension.
    pub(super) fn prefix_sums(&self, array: Atom) -> Atom {
        let sums = |list: Atom| self.one(Op::Scan(self.summed(list)));
        let rank = self.type_of(array).rank;
        if rank == 1 {
            return sums(array);
        }
        let outward = [rank - 1].into_iter().chain(0..rank - 1).collect();
        self.one(Op::Permute(self.innermost(self.turned(array), &sums), outward))
    }

    /// One of two lists of values.
    pub(super) fn choose(
        &self,
        condition: Atom,
        yes: impl FnOnce() -> Vec<Atom>,
        no: impl FnOnce() -> Vec<Atom>,
    ) -> Vec<Atom> {
        let (yes, no) = (Box::new(self.body(yes)), Box::new(self.body(no)));
        self.emit(Op::If(condition, yes, no))
    }

    /// Loop variables that begin as these, and their values in an iteration.
    pub(super) fn carried(&self, initial: impl IntoIterator<Item = Atom>) -> (Vec<(Var, Atom)>, Vec<Atom>) {
        let fresh = |first: Atom| (self.fresh(self.type_of(first)), first);
        let params: Vec<(Var, Atom)> = initial.into_iter().map(fresh).collect();
        let now = params.iter().map(|(param, _)| Atom::Var(*param)).collect();
        (params, now)
    }

    /// The results of a loop of `count` iterations that begins with these: `inside` writes what they are after an iteration, from
    /// its number and what they were before.
    pub(super) fn repeat(
        &self,
        count: Atom,
        initial: impl IntoIterator<Item = Atom>,
        policy: Policy,
        inside: impl FnOnce(Atom, &[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let (params, now) = self.carried(initial);
        let i = self.fresh(Type::scalar(Prim::I64));
        let body = self.body(|| inside(i.into(), &now));
        self.emit(Op::Loop(Box::new(Loop { params, form: Form::For(i, count), body, policy })))
    }

    /// The same for as long as `asked` says, and no longer than the bound.
    pub(super) fn repeat_while(
        &self,
        initial: impl IntoIterator<Item = Atom>,
        bound: Option<Atom>,
        asked: impl FnOnce(&[Atom]) -> Atom,
        inside: impl FnOnce(&[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let (params, now) = self.carried(initial);
        let form = Form::While { condition: self.body(|| vec![asked(&now)]), bound };
        let body = self.body(|| inside(&now));
        self.emit(Op::Loop(Box::new(Loop { params, form, body, policy: Policy::KeepAll })))
    }

    /// The parameters of a program as those of this one.
    pub(super) fn parameters(&self, program: &Program) -> Vec<Atom> {
        let params = program.function.params.iter().zip(&program.names);
        params.map(|(param, name)| self.parameter(name.clone(), program.type_of(*param))).collect()
    }

    /// A sum, difference or the like of indices.
    pub(super) fn indices(&self, op: impl Into<ScalarOp>, a: Atom, b: Atom) -> Atom {
        self.scalar(op.into(), &[a, b])
    }

    /// Whether an index lies within a size.
    pub(super) fn within(&self, at: Atom, size: Atom) -> Atom {
        let from = self.scalar(ScalarOp::LessOrEqual, &[index(0), at]);
        let to = self.scalar(ScalarOp::Less, &[at, size]);
        self.scalar(ScalarOp::Mul, &[from, to])
    }

    /// The array with values written at indices.
    pub(super) fn scattered(&self, destination: Atom, indices: Atom, values: Atom) -> Atom {
        self.one(Op::Scatter(Box::new(Scatter { destination, indices, values })))
    }

    /// The numbers from 0 below a size.
    pub(super) fn iota(&self, size: Atom) -> Atom {
        self.one(Op::Iota(size))
    }

    /// An array with the sizes of another that has as many elements: of no rows each says how long they are.
    pub(super) fn shaped_like(&self, array: Atom, like: Atom) -> Atom {
        match self.type_of(like).rank {
            0 | 1 => array,
            _ => self.one(Op::Reshape(array, self.sizes(like, 0))),
        }
    }

    /// The array with its outermost dimension backwards.
    pub(super) fn reversed(&self, array: Atom) -> Atom {
        self.one(Op::Reverse(array))
    }

    /// `count` elements of an array, from `start` on.
    pub(super) fn part(&self, array: Atom, start: Atom, count: Atom) -> Atom {
        self.one(Op::Slice(array, vec![Range { start, count, step: index(1) }]))
    }

    /// The array with one element more in front.
    pub(super) fn with_front(&self, first: Atom, array: Atom) -> Atom {
        self.one(Op::Concat(vec![self.one(Op::Elements(vec![first])), array]))
    }

    /// The array with one element more at the end.
    pub(super) fn with_back(&self, array: Atom, last: Atom) -> Atom {
        self.one(Op::Concat(vec![array, self.one(Op::Elements(vec![last]))]))
    }

    /// The array, of this size, with its elements moved one place towards the front, and another at last.
    pub(super) fn shifted(&self, array: Atom, last: Atom, size: Atom) -> Atom {
        self.part(self.with_back(array, last), index(1), size)
    }

    /// The element of an array at an index.
    pub(super) fn at(&self, array: Atom, at: &[Atom]) -> Atom {
        if at.is_empty() { array } else { self.one(Op::Index(array, at.to_vec())) }
    }
}

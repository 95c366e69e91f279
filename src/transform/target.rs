//! The program that a transformation writes: a builder that many can write to, and that knows what it has computed.
//!
//! Law: what is written means what was requested: a scalar operation that was written before, in this body or further
//! out, is not written again (common subexpressions), and zeros are not added (tests/transform/work.rs,
//! tests/transform/simplify.rs).

use core::cell::RefCell;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::array::{
    Agree, Agreement, Atom, Body, Builder, Const, Extent, Key, Lambda, Map, Op, Opcode, Program, Range, Reduce,
    ScalarOp, Scatter, Type, Var, has_bodies, index,
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
        let of = self.type_of(value);
        let mut zero = Atom::Const(of.prim.zero());
        for dimension in (0..of.rank).rev() {
            zero = self.one(Op::Replicate(self.size(value, dimension), zero));
        }
        if let Atom::Var(var) = zero {
            self.zeros.borrow_mut().insert(var);
        }
        zero
    }

    /// The zero of the shape of an array's element; the array may be empty.
    pub(super) fn zero_row(&self, array: Atom) -> Atom {
        let of = self.type_of(array);
        (1..of.rank).rev().fold(Atom::Const(of.prim.zero()), |zero, dimension| {
            self.one(Op::Replicate(self.size(array, dimension), zero))
        })
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

    /// The operator of sums of scalars, and its neutral element.
    fn sum_operator(&self, of: Type) -> (Lambda, Atom) {
        (self.lambda(&[of, of], |x| vec![self.scalar(ScalarOp::Add, x)]), of.prim.zero().into())
    }

    /// The sum of the elements of an array over its outermost dimension.
    pub(super) fn sum(&self, array: Atom) -> Atom {
        let of = self.type_of(array);
        if of.rank == 1 {
            let (operator, zero) = self.sum_operator(of.element());
            let reduce = Reduce { operator, neutral: vec![zero], arrays: vec![array], commutative: true };
            return self.one(Op::Reduce(Box::new(reduce)));
        }
        let order: Vec<usize> = (1..of.rank).chain([0]).collect();
        let columns = self.one(Op::Permute(array, order));
        self.sum_innermost(columns)
    }

    fn sum_innermost(&self, array: Atom) -> Atom {
        if self.type_of(array).rank == 1 {
            self.sum(array)
        } else {
            self.map1(&[array], |row| self.sum_innermost(row[0]))
        }
    }

    /// The sums of all prefixes of an array over its outermost dimension.
    pub(super) fn prefix_sums(&self, array: Atom) -> Atom {
        let of = self.type_of(array);
        if of.rank == 1 {
            let (operator, zero) = self.sum_operator(of.element());
            let scan = Reduce { operator, neutral: vec![zero], arrays: vec![array], commutative: true };
            return self.one(Op::Scan(Box::new(scan)));
        }
        let inward: Vec<usize> = (1..of.rank).chain([0]).collect();
        let outward: Vec<usize> = [of.rank - 1].into_iter().chain(0..of.rank - 1).collect();
        let sums = self.prefix_sums_innermost(self.one(Op::Permute(array, inward)));
        self.one(Op::Permute(sums, outward))
    }

    fn prefix_sums_innermost(&self, array: Atom) -> Atom {
        if self.type_of(array).rank == 1 {
            self.prefix_sums(array)
        } else {
            self.map1(&[array], |row| self.prefix_sums_innermost(row[0]))
        }
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
            rank => self.one(Op::Reshape(array, (0..rank).map(|d| self.size(like, d)).collect())),
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

    /// The array, of this size, with its elements moved one place towards the front, and another at last.
    pub(super) fn shifted(&self, array: Atom, last: Atom, size: Atom) -> Atom {
        let longer = self.one(Op::Concat(vec![array, self.one(Op::Elements(vec![last]))]));
        self.part(longer, index(1), size)
    }

    /// The element of an array at an index.
    pub(super) fn at(&self, array: Atom, at: &[Atom]) -> Atom {
        if at.is_empty() { array } else { self.one(Op::Index(array, at.to_vec())) }
    }
}

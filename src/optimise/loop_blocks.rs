//! Loops in blocks of iterations: what no iteration waits for is done for all iterations of a block at once.
//!
//! Law: a loop is a loop over blocks of its iterations, and what depends on no iteration before can be done for a whole block ahead of it,
//! as what no later one depends on can be done after it (strip mining and loop distribution, in Allen and Kennedy, *Optimizing
//! Compilers for Modern Architectures*). So products of a matrix with a row for each iteration, `W·xᵢ`, are one product of two matrices,
//! and so is a sum of outer products, `Σᵢ aᵢ ⊗ bᵢ`, which is what the adjoint of `W` is. Nothing is computed more often, sizes are
//! compared as before, and no more is kept than rows for the iterations of one block; sums are in another order
//! (tests/execute/loop_blocks.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::operator::{Operator, recognise};
use super::rewriter::{added, mapped, sum, uses};
use crate::array::{
    Atom, Body, Builder, Const, Form, IntegerRow, Lambda, Loop, Map, Op, Policy, Prim, Program, Range, ScalarOp,
    SizeTable, Stm, Type, Var, binders, free, index,
};

/// The iterations of a block: enough for products of matrices, and few enough that what is kept of them stays in the nearest caches.
const BLOCK: i64 = 64;

/// How far an index is followed through sums and differences.
const MAX_STEPS: usize = 8;

/// Writes loops in blocks where that makes products of matrices, and says whether it has.
pub(super) fn blocks(program: &mut Program) -> bool {
    if !program.types.iter().any(|of| of.rank > 1) {
        return false;
    }
    let (sizes, builder) = (program.sizes(), Builder::extending(program));
    let mut it = Blocks { uses: uses(program), sizes, builder, changed: false };
    it.body(&mut program.function.body);
    program.types = it.builder.into_types();
    it.changed
}

struct Blocks {
    /// How often variables are used.
    uses: Vec<usize>,
    sizes: SizeTable,
    builder: Builder,
    changed: bool,
}

/// An array of which each iteration reads a row: that of its number, or that of its number from the end.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rows {
    array: Atom,
    backwards: bool,
}

/// A product of a matrix with a row, by the statement that makes it.
struct Product {
    at: usize,
    row: Var,
    rows: Rows,
}

/// A factor of an outer product: rows that are there, or a list that is kept of each iteration.
#[derive(Clone, Copy)]
enum Factor {
    Rows(Rows),
    Kept(Atom),
}

/// A loop variable to which each iteration adds an outer product.
struct Sum {
    param: usize,
    /// The statement that makes the product, and the one that adds it.
    outer: usize,
    added: usize,
    factors: [Factor; 2],
    /// Whether the last iteration has the first row.
    backwards: bool,
}

struct Plan {
    products: Vec<Product>,
    sums: Vec<Sum>,
}

/// A number as `i` times the number of the iteration, `n` times that of all, and a constant.
#[derive(Clone, Copy)]
struct Linear {
    i: i64,
    n: i64,
    one: i64,
}

impl Blocks {
    /// Rewrites the loops that run on their own, each after those inside of it.
    fn body(&mut self, body: &mut Body) {
        for stm in core::mem::take(&mut body.stms) {
            let Stm { vars, mut op, span } = stm;
            match &mut op {
                Op::Loop(it) => self.body(&mut it.body),
                Op::If(_, yes, no) => [yes, no].into_iter().for_each(|body| self.body(body)),
                _ => {}
            }
            let plan = if let Op::Loop(it) = &op { self.plan(it) } else { None };
            match (plan, op) {
                (Some(plan), Op::Loop(it)) => {
                    self.changed = true;
                    let around = self.builder.span(span);
                    self.builder.open_body();
                    let op = self.in_blocks(*it, &plan);
                    body.stms.extend(self.builder.close_body(Vec::new()).stms);
                    self.builder.span(around);
                    body.stms.push(Stm { vars, op, span });
                }
                (_, op) => body.stms.push(Stm { vars, op, span }),
            }
        }
    }

    fn is_used_once(&self, var: Var) -> bool {
        self.uses.get(var.0 as usize) == Some(&1)
    }

    /// What a loop does that blocks of iterations can do at once, if there is any.
    fn plan(&self, it: &Loop) -> Option<Plan> {
        let Form::For(i, bound) = &it.form else { return None };
        if matches!(bound, Atom::Const(Const::I64(n)) if *n < BLOCK / 4) {
            return None;
        }
        let mut inside: FxHashSet<Var> = it.params.iter().map(|(param, _)| *param).chain([*i]).collect();
        binders(&it.body, &mut inside);
        let of: FxHashMap<Var, usize> =
            it.body.stms.iter().enumerate().flat_map(|(at, stm)| stm.vars.iter().map(move |var| (*var, at))).collect();
        let reader = Reader { blocks: self, it, i: *i, bound: *bound, inside, of };
        let products = (0..it.body.stms.len()).filter_map(|at| reader.product(at)).collect();
        let sums = (0..it.params.len()).filter_map(|param| reader.sum(param)).collect();
        let plan = Plan { products, sums };
        (!plan.products.is_empty() || !plan.sums.is_empty()).then_some(plan)
    }

    /// The loop over blocks.
    fn in_blocks(&mut self, it: Loop, plan: &Plan) -> Op {
        let Loop { policy, params, form: Form::For(i, bound), body } = it else { panic!("a loop that counts") };
        let b = &mut self.builder;
        let integer = |b: &mut Builder, row: IntegerRow, x: Atom, y: Atom| b.scalar(ScalarOp::Integer(row), &[x, y]);
        let count = integer(b, IntegerRow::Max, bound, index(0));
        let rounded = b.scalar(ScalarOp::Add, &[count, index(BLOCK - 1)]);
        let blocks = integer(b, IntegerRow::Div, rounded, index(BLOCK));
        let block = b.fresh(Type::scalar(Prim::I64));
        let outer: Vec<(Var, Atom)> =
            params.iter().map(|(param, first)| (b.fresh(b.type_of(*param)), *first)).collect();
        let inside = b.body(|b| {
            let base = b.scalar(ScalarOp::Mul, &[block.into(), index(BLOCK)]);
            let rest = integer(b, IntegerRow::Sub, count, base);
            let many = integer(b, IntegerRow::Min, rest, index(BLOCK));
            let end = integer(b, IntegerRow::Sub, rest, many);
            let of_block = |b: &mut Builder, rows: &Rows| {
                let start = if rows.backwards { end } else { base };
                b.one(Op::Slice(rows.array, vec![Range { start, count: many, step: index(1) }]))
            };
            let products: Vec<Atom> = plan
                .products
                .iter()
                .map(|Product { at, row, rows }| {
                    let rows = of_block(b, rows);
                    let stm = body.stms[*at].clone();
                    let results = vec![stm.vars[0].into()];
                    let body = Body { stms: vec![stm], results };
                    mapped(b, vec![rows], |b, x| b.copied(body, [(*row, x[0].into())].into_iter().collect()))[0]
                })
                .collect();
            // What is kept of each iteration: the loop variables that are no sums, and the factors of these.
            let is_sum = |k: usize| plan.sums.iter().any(|sum| sum.param == k);
            let plain: Vec<usize> = (0..params.len()).filter(|k| !is_sum(*k)).collect();
            let mut carried: Vec<(Var, Atom)> = plain.iter().map(|k| (params[*k].0, outer[*k].0.into())).collect();
            let mut kept: Vec<(Var, Atom, bool)> = Vec::new();
            for sum in &plan.sums {
                // A list of another size cannot be added either.
                for (d, factor) in sum.factors.iter().enumerate() {
                    let Factor::Kept(value) = factor else { continue };
                    let size = b.one(Op::Size(outer[sum.param].0.into(), d));
                    let row = b.one(Op::Replicate(size, b.type_of(*value).prim.zero().into()));
                    let rows = b.one(Op::Replicate(many, row));
                    let param = b.fresh(b.type_of(rows));
                    carried.push((param, rows));
                    kept.push((param, *value, sum.backwards));
                }
            }
            let number = b.fresh(Type::scalar(Prim::I64));
            let inside = b.body(|b| {
                b.append(vec![b.stm(
                    [i].into_iter().collect(),
                    Op::Scalar(ScalarOp::Add, [base, number.into()].into_iter().collect()),
                )]);
                let last = integer(b, IntegerRow::Sub, many, index(1));
                let from_end = integer(b, IntegerRow::Sub, last, number.into());
                let place = |backwards: bool| if backwards { from_end } else { number.into() };
                let is_left_out = |at: usize| plan.sums.iter().any(|sum| sum.outer == at || sum.added == at);
                for (at, stm) in body.stms.into_iter().enumerate() {
                    let product = plan.products.iter().zip(&products).find(|(product, _)| product.at == at);
                    let op = match product {
                        Some((Product { rows, .. }, all)) => Op::Index(*all, vec![place(rows.backwards)]),
                        None if is_left_out(at) => continue,
                        None => stm.op,
                    };
                    b.append(vec![Stm { op, ..stm }]);
                }
                let mut results: Vec<Atom> = plain.iter().map(|k| body.results[*k]).collect();
                for (rows, value, backwards) in &kept {
                    results.push(b.one(Op::Update((*rows).into(), vec![place(*backwards)], *value)));
                }
                results
            });
            let found = b.emit(Op::Loop(Box::new(Loop {
                policy,
                params: carried,
                form: Form::For(number, many),
                body: inside,
            })));
            let (found, rows) = found.split_at(plain.len());
            let mut results: Vec<Atom> = vec![index(0); params.len()];
            plain.iter().zip(found).for_each(|(k, result)| results[*k] = (*result).into());
            let mut rows = rows.iter();
            for sum in &plan.sums {
                let factors = sum.factors.map(|factor| {
                    let rows = match factor {
                        Factor::Rows(rows) => of_block(b, &rows),
                        Factor::Kept(_) => (*rows.next().expect("a factor that is kept has its rows")).into(),
                    };
                    b.one(Op::Permute(rows, vec![1, 0]))
                });
                let product = product_of_columns(b, factors);
                results[sum.param] = added(b, outer[sum.param].0.into(), product);
            }
            results
        });
        Op::Loop(Box::new(Loop {
            policy: Policy::KeepAll,
            params: outer,
            form: Form::For(block, blocks),
            body: inside,
        }))
    }
}

/// The products of all columns of two matrices of as many rows: of `A` and `B` it is `AᵀB`, of which the operands are the transposes.
fn product_of_columns(b: &mut Builder, [left, right]: [Atom; 2]) -> Atom {
    let zero = b.type_of(left).prim.zero().into();
    mapped(b, vec![left], |b, x| {
        mapped(b, vec![right], |b, y| {
            let products = mapped(b, vec![x[0].into(), y[0].into()], |b, z| {
                vec![b.scalar(ScalarOp::Mul, &[z[0].into(), z[1].into()])]
            });
            vec![sum(b, products[0], zero)]
        })
    })[0]
}

/// A loop, read for what blocks of its iterations can do at once.
struct Reader<'l> {
    blocks: &'l Blocks,
    it: &'l Loop,
    i: Var,
    bound: Atom,
    /// All that is bound in the loop.
    inside: FxHashSet<Var>,
    /// The statement of the body that binds a variable.
    of: FxHashMap<Var, usize>,
}

impl Reader<'_> {
    /// The statement of the body that binds a variable.
    fn stm(&self, atom: Atom) -> Option<(usize, &Stm)> {
        let at = *self.of.get(&atom.var()?)?;
        Some((at, &self.it.body.stms[at]))
    }

    fn is_outside(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| !self.inside.contains(&var))
    }

    /// A statement that multiplies a matrix from outside by a row.
    fn product(&self, at: usize) -> Option<Product> {
        let stm = &self.it.body.stms[at];
        let Op::Map(map) = &stm.op else { return None };
        let mut own = free(&stm.op).into_iter().filter(|var| self.inside.contains(var));
        let (Some(row), None) = (own.next(), own.next()) else { return None };
        let rows = self.rows(row.into())?;
        is_dot_product(map, row).then_some(Product { at, row, rows })
    }

    /// A loop variable that is nothing but added to.
    fn sum(&self, k: usize) -> Option<Sum> {
        let (param, _) = self.it.params[k];
        let result = self.it.body.results[k];
        let of = self.blocks.builder.type_of(param);
        let once = |atom: Atom| atom.var().is_some_and(|var| self.blocks.is_used_once(var));
        if of.rank != 2 || of.accumulator || !once(param.into()) || !once(result) {
            return None;
        }
        let (added, Stm { op: Op::Map(map), vars, .. }) = self.stm(result)? else { return None };
        let [left, right] = map.arrays[..] else { return None };
        let value = if left == param.into() { right } else { left };
        let adds = (left == param.into() || right == param.into()) && recognise(&map.function) == Operator::Sum;
        if !adds || vars.len() != 1 || !map.accumulators.is_empty() || !once(value) {
            return None;
        }
        let (outer, stm) = self.stm(value)?;
        let factors = outer_product(stm)?;
        let rows = factors.map(|factor| self.rows(factor));
        let backwards = rows.iter().flatten().next().is_some_and(|rows| rows.backwards);
        let rows = rows.map(|rows| rows.filter(|rows| rows.backwards == backwards));
        let factor = |k: usize| rows[k].map_or(Factor::Kept(factors[k]), Factor::Rows);
        Some(Sum { param: k, outer, added, factors: [factor(0), factor(1)], backwards })
    }

    /// The rows of which each iteration reads this one.
    fn rows(&self, row: Atom) -> Option<Rows> {
        let (_, Stm { op: Op::Index(array, at), .. }) = self.stm(row)? else { return None };
        let [at] = at[..] else { return None };
        if !self.is_outside(*array) || self.blocks.builder.type_of(*array).rank != 2 {
            return None;
        }
        let Linear { i, n, one } = self.linear(at, MAX_STEPS)?;
        let last = match self.bound {
            Atom::Const(Const::I64(bound)) => n == 0 && one == bound - 1,
            _ => n == 1 && one == -1,
        };
        match i {
            1 if n == 0 && one == 0 => Some(Rows { array: *array, backwards: false }),
            -1 if last => Some(Rows { array: *array, backwards: true }),
            _ => None,
        }
    }

    /// A number of the body in terms of those of the iteration and of all.
    fn linear(&self, number: Atom, steps: usize) -> Option<Linear> {
        match number {
            Atom::Const(Const::I64(one)) => return Some(Linear { i: 0, n: 0, one }),
            Atom::Var(var) if var == self.i => return Some(Linear { i: 1, n: 0, one: 0 }),
            _ => {}
        }
        let size = |number| self.blocks.sizes.number(number);
        if size(number) == size(self.bound) {
            return Some(Linear { i: 0, n: 1, one: 0 });
        }
        let (_, Stm { op: Op::Scalar(op, x), .. }) = self.stm(number)? else { return None };
        let sign = match op {
            ScalarOp::Add => 1,
            ScalarOp::Integer(IntegerRow::Sub) => -1,
            _ => return None,
        };
        let [a, b] = [x[0], x[1]].map(|x| self.linear(x, steps.checked_sub(1)?));
        let (a, b) = (a?, b?);
        let both = |a: i64, b: i64| a.checked_add(sign * b);
        Some(Linear { i: both(a.i, b.i)?, n: both(a.n, b.n)?, one: both(a.one, b.one)? })
    }
}

/// Whether a map gives the scalar product of each element, a row, with this one.
fn is_dot_product(map: &Map, row: Var) -> bool {
    let Lambda { params, body } = &map.function;
    let ([element], [Stm { vars, op: Op::Map(products), .. }, Stm { vars: total, op: Op::Reduce(sum), .. }]) =
        (&params[..], &body.stms[..])
    else {
        return false;
    };
    let operands = [Atom::Var(*element), row.into()];
    let multiplies = products.arrays == operands || products.arrays == [operands[1], operands[0]];
    multiplies
        && recognise(&products.function) == Operator::Product
        && recognise(&sum.operator) == Operator::Sum
        && sum.arrays[..] == [Atom::Var(vars[0])]
        && body.results[..] == [Atom::Var(total[0])]
}

/// The factors of an outer product, if a statement makes one and nothing else.
fn outer_product(stm: &Stm) -> Option<[Atom; 2]> {
    let (Op::Map(map), 1) = (&stm.op, stm.vars.len()) else { return None };
    let ([left], [element], [inner]) = (&map.arrays[..], &map.function.params[..], &map.function.body.stms[..]) else {
        return None;
    };
    let Op::Map(row) = &inner.op else { return None };
    let ([right], [other], [product]) = (&row.arrays[..], &row.function.params[..], &row.function.body.stms[..]) else {
        return None;
    };
    let Op::Scalar(ScalarOp::Mul, x) = &product.op else { return None };
    let operands = [Atom::Var(*element), Atom::Var(*other)];
    let gives = |body: &Body, stm: &Stm| body.results[..] == [Atom::Var(stm.vars[0])];
    let is_product = (x[..] == operands || x[..] == [operands[1], operands[0]])
        && gives(&row.function.body, product)
        && gives(&map.function.body, inner)
        && *right != operands[0];
    is_product.then_some([*left, *right])
}

//! Random array programs: recipes of steps, each of which takes what fits from what is there.
//!
//! Law: every recipe is a well-typed program whose sizes fit for the arguments that come with it, and whose indices are
//! read in bounds; so it runs without an error. What is left of a recipe when steps are taken away is a recipe, so programs
//! shrink.

mod combined;

use catadiff::array::{
    Agree, Agreement, Atom, Builder, Custom, Extent, Form, IntegerRow, Loop, Map, Op, Policy, Prim, Program, Range,
    ScalarOp, Scatter, Type, constant, index,
};
use catadiff::interpret::{Scalar, Value};
use catadiff::primitives::Primitive;
use quickcheck::{Arbitrary, Gen};

use crate::array_operators::REAL;

/// A random well-typed array program, with arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayProgram {
    /// The size of most arrays among the arguments.
    rows: usize,
    /// The other size of the matrix.
    columns: usize,
    /// What the arguments are drawn from.
    seed: u64,
    steps: Vec<Step>,
}

/// A step: what it does and to what, both modulo what there is, and the steps of the bodies in it.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    kind: u8,
    picks: [u8; 3],
    inside: Vec<Step>,
}

/// Something that a step can use, and the sizes it has when the program runs on its arguments.
#[derive(Debug, Clone)]
struct Item {
    atom: Atom,
    of: Type,
    sizes: Vec<usize>,
}

const INTEGER: Type = Type::scalar(Prim::I64);
const TRUTH: Type = Type::scalar(Prim::Bool);
const REALS: Type = Type::array(Prim::F64, 1);
/// How many kinds of steps there are.
const KINDS: u8 = 30;
/// From so many rows on, arrays are as large as their number says, so that programs of a recipe are alike at all sizes.
const LARGE: usize = 8;
/// No array is longer in any dimension, lest sizes double at every step.
const LONGEST: usize = 12;
/// Nor has it more dimensions, or elements.
const HIGHEST: usize = 4;
const MOST: usize = 1000;

impl ArrayProgram {
    /// The program. Its parameters are `xs ys: [n]f64`, `matrix: [n][k]f64`, `at: [n]i64`, `x: f64`, `j: i64` and
    /// `b: bool`.
    ///
    /// # Panics
    /// If the generator is wrong.
    #[must_use]
    pub fn program(&self) -> Program {
        let mut b = Builder::new();
        let (n, k) = (self.rows, self.columns);
        let mut pool: Vec<Item> = [
            ("xs", REALS, vec![n]),
            ("ys", REALS, vec![n]),
            ("matrix", Type::array(Prim::F64, 2), vec![n, k]),
            ("at", Type::array(Prim::I64, 1), vec![n]),
            ("x", REAL, vec![]),
            ("j", INTEGER, vec![]),
            ("b", TRUTH, vec![]),
        ]
        .into_iter()
        .map(|(name, of, sizes)| Item { atom: b.parameter(name, of).into(), of, sizes })
        .collect();
        let inputs = pool.len();
        grow(&mut b, &mut pool, &self.steps);
        let last = pool.len().max(inputs + 1) - 1;
        let results = pool[last.saturating_sub(3).max(inputs - 3)..].iter().map(|item| item.atom).collect();
        b.finish(results)
    }

    /// The same recipe for arguments of other sizes: so many rows, and columns of the matrix. From eight rows on, arrays are
    /// at most three times as long.
    #[must_use]
    pub fn of_sizes(&self, rows: usize, columns: usize) -> Self {
        ArrayProgram { rows, columns, ..self.clone() }
    }

    /// Arguments that fit.
    #[must_use]
    pub fn arguments(&self) -> Vec<Value<f64>> {
        self.arguments_of([self.rows; 4], self.columns)
    }

    /// Other arguments that may send the program another way: one of them changed, all of them, or all lengths.
    #[must_use]
    pub fn elsewhere(&self) -> Vec<Vec<Value<f64>>> {
        // An odd seed for an even one, so that the truth value changes.
        let other = ArrayProgram { seed: self.seed.rotate_left(14) & !1 | !self.seed & 1, ..self.clone() }.arguments();
        let longer = ArrayProgram { rows: self.rows + 1, ..self.clone() };
        let changed = other.iter().enumerate().map(|(k, value)| {
            let mut arguments = self.arguments();
            arguments[k] = value.clone();
            arguments
        });
        let mut all: Vec<_> = changed.collect();
        all.extend([other, longer.arguments()]);
        all
    }

    /// Arguments of other lengths, one for each array, which fit only if all are as in the recipe.
    ///
    /// # Panics
    /// Never: the sizes are those of what is drawn.
    #[must_use]
    pub fn arguments_of(&self, lengths: [usize; 4], columns: usize) -> Vec<Value<f64>> {
        let mut state = self.seed;
        let mut draw = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64
        };
        // Multiples of 1/64 between −2 and 2, seldom equal.
        let mut reals = |n: usize| (0..n).map(|_| Scalar::Real((draw() % 257 - 128) as f64 / 64.0)).collect::<Vec<_>>();
        let [xs, ys, rows, at] = lengths;
        let (a, b, m, x) = (reals(xs), reals(ys), reals(rows * columns), reals(1));
        // Some out of bounds on either side.
        let indices = (0..at).map(|i| Scalar::I64((self.seed >> (8 * (i % 8))) as i64 % 8 - 1)).collect();
        let array = |sizes: &[usize], elements| Value::array(sizes, elements).expect("as many elements as sizes say");
        vec![
            array(&[xs], a),
            array(&[ys], b),
            array(&[rows, columns], m),
            array(&[at], indices),
            array(&[], x),
            Value::from((self.seed % 7) as i64 - 2),
            Value::from(self.seed.is_multiple_of(2)),
        ]
    }
}

/// The `n`-th item that fits, counted round and round.
fn pick(pool: &[Item], n: u8, fits: impl Fn(&Item) -> bool) -> Option<Item> {
    let fitting: Vec<&Item> = pool.iter().filter(|item| fits(item)).collect();
    // The latest first, so that what is made is used.
    (!fitting.is_empty()).then(|| fitting[fitting.len() - 1 - n as usize % fitting.len()].clone())
}

fn alike(a: &Item, b: &Item) -> bool {
    a.of == b.of && a.sizes == b.sizes
}

fn is_array(item: &Item) -> bool {
    item.of.rank > 0
}

/// Carries out steps; what they make is added to the pool.
fn grow(b: &mut Builder, pool: &mut Vec<Item>, steps: &[Step]) {
    let rows = pool[0].sizes[0];
    let (longest, most) = if rows < LARGE { (LONGEST, MOST) } else { (3 * rows, 3 * rows * rows) };
    for step in steps {
        if let Some(made) = step.carry_out(b, pool) {
            let fits = |item: &Item| {
                let sizes = &item.sizes;
                sizes.len() <= HIGHEST && sizes.iter().all(|n| *n <= longest) && sizes.iter().product::<usize>() <= most
            };
            pool.extend(made.into_iter().filter(fits));
        }
    }
}

impl Step {
    /// What the step makes; nothing if nothing fits it.
    fn carry_out(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let [p, q, r] = self.picks;
        let real = |n| pick(pool, n, |i| i.of == REAL);
        let integer = |n| pick(pool, n, |i| i.of == INTEGER);
        let array = |n| pick(pool, n, is_array);
        let scalar = |b: &mut Builder, op: ScalarOp, operands: &[Atom], of: Type| {
            vec![Item { atom: b.scalar(op, operands), of, sizes: Vec::new() }]
        };
        let one = |b: &mut Builder, op: Op, sizes: Vec<usize>| {
            let atom = b.one(op);
            Some(vec![Item { atom, of: b.type_of(atom), sizes }])
        };
        match self.kind % KINDS {
            0 => {
                let rows = [Primitive::Sin, Primitive::Tanh, Primitive::Sigmoid, Primitive::Neg, Primitive::Atan];
                Some(scalar(b, rows[q as usize % rows.len()].into(), &[real(p)?.atom], REAL))
            }
            1 => {
                let squashed = b.scalar(Primitive::Sin, &[real(q)?.atom]);
                let op = [ScalarOp::Add, ScalarOp::Mul, Primitive::Sub.into()][r as usize % 3];
                Some(scalar(b, op, &[real(p)?.atom, squashed], REAL))
            }
            2 => {
                let op = [Primitive::Min, Primitive::Max, Primitive::Hypot][r as usize % 3];
                Some(scalar(b, op.into(), &[real(p)?.atom, real(q)?.atom], REAL))
            }
            3 => {
                let ops = [ScalarOp::Add, ScalarOp::Mul, IntegerRow::Min.into(), IntegerRow::Xor.into()];
                Some(scalar(b, ops[r as usize % ops.len()], &[integer(p)?.atom, integer(q)?.atom], INTEGER))
            }
            4 => {
                let operand = pick(pool, p, |i| i.of.rank == 0)?;
                let other = pick(pool, q, |i| i.of == operand.of)?;
                let op = [ScalarOp::Less, ScalarOp::LessOrEqual, ScalarOp::Equal][r as usize % 3];
                Some(scalar(b, op, &[operand.atom, other.atom], TRUTH))
            }
            5 => {
                let operand = pick(pool, p, |i| i.of.rank == 0)?;
                let to = [Prim::F64, Prim::I64][q as usize % 2];
                Some(scalar(b, ScalarOp::Convert(to), &[operand.atom], Type::scalar(to)))
            }
            6 => {
                let a = array(p)?;
                one(b, Op::Size(a.atom, q as usize % a.of.rank), Vec::new())
            }
            7 => {
                let a = pick(pool, p, |i| is_array(i) && i.sizes[0] > 0)?;
                let at = in_bounds(b, integer(q)?.atom, a.sizes[0]);
                one(b, Op::Index(a.atom, vec![at]), a.sizes[1..].to_vec())
            }
            8 => {
                let a = array(p)?;
                let (length, count) = (a.sizes[0], q as usize * (a.sizes[0] + 1) / 256);
                let back = r % 2 == 1;
                let start = if back { length as i64 - 1 } else { (length - count) as i64 };
                let range =
                    Range { start: index(start), count: index(count as i64), step: index(if back { -1 } else { 1 }) };
                one(b, Op::Slice(a.atom, vec![range]), [&[count], &a.sizes[1..]].concat())
            }
            9 => {
                let a = pick(pool, p, |i| is_array(i) && i.sizes[0] > 0)?;
                let new = pick(pool, q, |i| i.of == a.of.element() && i.sizes == a.sizes[1..])?;
                let at = in_bounds(b, integer(r)?.atom, a.sizes[0]);
                one(b, Op::Update(a.atom, vec![at], new.atom), a.sizes)
            }
            10 => {
                let a = pick(pool, p, |i| i.of.rank > 2).or_else(|| pick(pool, p, |i| i.of.rank == 2))?;
                // Two in turn, since two orders of three dimensions or more seldom commute.
                let (first, second) = (permutation(q, a.of.rank), permutation(r, a.of.rank));
                let sizes: Vec<usize> = second.iter().map(|k| a.sizes[first[*k]]).collect();
                let once = b.one(Op::Permute(a.atom, first));
                one(b, Op::Permute(once, second), sizes)
            }
            11 => {
                let a = array(p)?;
                let total: usize = a.sizes.iter().product();
                let sizes = match q % 4 {
                    0 => vec![total],
                    1 => vec![1, total],
                    2 if total.is_multiple_of(2) => vec![total / 2, 1, 2],
                    _ => a.sizes.iter().rev().copied().collect(),
                };
                one(b, Op::Reshape(a.atom, sizes.iter().map(|n| index(*n as i64)).collect()), sizes)
            }
            12 => {
                let a = array(p)?;
                let other = pick(pool, q, |i| i.of == a.of && i.sizes[1..] == a.sizes[1..])?;
                let sizes = [&[a.sizes[0] + other.sizes[0]], &a.sizes[1..]].concat();
                one(b, Op::Concat(vec![a.atom, other.atom]), sizes)
            }
            13 => {
                let a = array(p)?;
                one(b, Op::Reverse(a.atom), a.sizes)
            }
            14 => {
                let n = q as usize % 4;
                // Arrays of three dimensions come of matrices, and of little else.
                let matrix = if r % 2 == 0 { pick(pool, p, |i| i.of.rank == 2) } else { None };
                let a = matrix.or_else(|| pick(pool, p, |i| i.of.rank < HIGHEST))?;
                one(b, Op::Replicate(index(n as i64), a.atom), [&[n], a.sizes.as_slice()].concat())
            }
            15 => {
                let a = pick(pool, p, |i| i.of.rank < HIGHEST)?;
                let other = pick(pool, q, |i| alike(i, &a))?;
                one(b, Op::Elements(vec![a.atom, other.atom]), [&[2], a.sizes.as_slice()].concat())
            }
            16 => self.branch(b, pool),
            17 | 18 => self.repeat(b, pool),
            19 | 20 => self.map(b, pool),
            21 => self.reduce(b, pool),
            22 => self.hist(b, pool),
            23 => self.scatter(b, pool),
            24 => self.accumulate(b, pool),
            25 => self.reduce_pairs(b, pool),
            26 => self.hist_pairs(b, pool),
            27 => {
                let a = pick(pool, p, |_| true)?;
                one(b, Op::Copy(a.atom), a.sizes)
            }
            28 => {
                let a = array(p)?;
                let dimension = q as usize % a.of.rank;
                let [first, second] =
                    [Extent::Of(a.atom, dimension), Extent::Number(index(a.sizes[dimension] as i64))].map(|e| vec![e]);
                b.emit(Op::Agree(Box::new(Agree { what: Agreement::Rows, first, second, times: Vec::new() })));
                Some(Vec::new())
            }
            _ => {
                let a = real(p)?;
                let square = square(b, a.atom);
                one(b, Op::Custom(Box::new(square)), Vec::new())
            }
        }
    }

    /// A body of the steps inside, whose result is like the item: the latest such thing there is.
    fn body(&self, b: &mut Builder, pool: &[Item], more: &[Item], like: &Item, part: usize) -> catadiff::array::Body {
        let mut pool = [pool, more].concat();
        // The two branches of an `if` take the steps in turn.
        let steps: Vec<Step> = self.inside.iter().skip(part).step_by(1 + part.min(1)).cloned().collect();
        b.body(|b| {
            grow(b, &mut pool, &steps);
            vec![pick(&pool, 0, |i| alike(i, like)).map_or(like.atom, |item| item.atom)]
        })
    }

    fn branch(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let condition = pick(pool, self.picks[0], |i| i.of == TRUTH)?;
        let like = pick(pool, self.picks[1], |_| true)?;
        let (yes, no) = (self.body(b, pool, &[], &like, 0), self.body(b, pool, &[], &like, 1));
        Some(vec![Item { atom: b.one(Op::If(condition.atom, Box::new(yes), Box::new(no))), ..like }])
    }

    fn repeat(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let like = pick(pool, self.picks[0], |_| true)?;
        let times = index((self.picks[1] % 4).into());
        let (i, param) = (b.fresh(INTEGER), b.fresh(like.of));
        let inside =
            [Item { atom: i.into(), of: INTEGER, sizes: Vec::new() }, Item { atom: param.into(), ..like.clone() }];
        let mut body = self.body(b, pool, &inside, &inside[1], 0);
        let mut params = vec![(param, like.atom)];
        let policy = [Policy::KeepAll, Policy::StripMine(2), Policy::Binomial(2)][self.picks[2] as usize % 3];
        let form = if self.kind % KINDS == 17 {
            Form::For(i, times)
        } else {
            // The loop counts for itself.
            params.insert(0, (i, index(0)));
            let condition = b.body(|b| vec![b.scalar(ScalarOp::Less, &[i.into(), times])]);
            b.open_body();
            let next = b.scalar(ScalarOp::Add, &[i.into(), index(1)]);
            body.stms.extend(b.close_body(Vec::new()).stms);
            body.results.insert(0, next);
            Form::While { condition, bound: self.picks[2].is_multiple_of(2).then_some(times) }
        };
        let results = b.emit(Op::Loop(Box::new(Loop { params, form, body, policy })));
        Some(vec![Item { atom: (*results.last()?).into(), ..like }])
    }

    fn map(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let first = pick(pool, self.picks[0], is_array)?;
        let second = pick(pool, self.picks[1], |i| is_array(i) && i.sizes[0] == first.sizes[0])?;
        let arrays = if self.picks[2].is_multiple_of(2) { vec![first] } else { vec![first, second] };
        let types: Vec<Type> = arrays.iter().map(|a| a.of.element()).collect();
        let mut made = Vec::new();
        let function = b.lambda(&types, |b, params| {
            let elements = params.iter().zip(&arrays).map(|(p, a)| Item {
                atom: (*p).into(),
                of: a.of.element(),
                sizes: a.sizes[1..].to_vec(),
            });
            let mut pool: Vec<Item> = pool.iter().cloned().chain(elements).collect();
            let before = pool.len() - 1;
            grow(b, &mut pool, &self.inside);
            // What was made last, or else the last element.
            made = pool[before.max(pool.len() - 2)..].to_vec();
            made.iter().map(|item| item.atom).collect()
        });
        let length = arrays[0].sizes[0];
        let arrays = arrays.into_iter().map(|a| a.atom).collect();
        let results = b.emit(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })));
        let items = results.into_iter().zip(made).map(|(var, item)| Item {
            atom: var.into(),
            of: item.of.arrayed(),
            sizes: [&[length], item.sizes.as_slice()].concat(),
        });
        Some(items.collect())
    }

    /// Writes to places that differ, some of them out of bounds.
    fn scatter(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let to = pick(pool, self.picks[0], is_array)?;
        let values = pick(pool, self.picks[1], |i| i.of == to.of && i.sizes[1..] == to.sizes[1..])?;
        let counted = b.one(Op::Iota(index(values.sizes[0] as i64)));
        let shift = index(i64::from(self.picks[2] % 4) - 1);
        let function = b.lambda(&[INTEGER], |b, i| vec![b.scalar(ScalarOp::Add, &[i[0].into(), shift])]);
        let shifted = Map { function, arrays: vec![counted], accumulators: Vec::new() };
        let indices = b.one(Op::Map(Box::new(shifted)));
        let scatter = Scatter { destination: to.atom, indices, values: values.atom };
        Some(vec![Item { atom: b.one(Op::Scatter(Box::new(scatter))), ..to }])
    }

    /// Adds values to a copy of an array, in a map.
    fn accumulate(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let indices = pick(pool, self.picks[0], |i| i.of == Type::array(Prim::I64, 1))?;
        let to = pick(pool, self.picks[1], |i| is_array(i) && i.of.prim == Prim::F64)?;
        let value = pick(pool, self.picks[2], |i| i.of == to.of.element() && i.sizes == to.sizes[1..])?;
        let accumulator = b.one(Op::ToAccumulator(to.atom));
        let function = b.lambda(&[INTEGER, b.type_of(accumulator)], |b, params| {
            vec![b.one(Op::Accumulate(params[1].into(), vec![params[0].into()], value.atom))]
        });
        let map = Map { function, arrays: vec![indices.atom], accumulators: vec![accumulator] };
        let added = b.one(Op::Map(Box::new(map)));
        Some(vec![Item { atom: b.one(Op::FromAccumulator(added)), ..to }])
    }
}

/// An order of so many dimensions, by its number among all (the factorial number system).
fn permutation(mut n: u8, rank: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rank).collect();
    let mut next = || {
        let choices = u8::try_from(left.len()).expect("there are few dimensions");
        let chosen = left.remove((n % choices).into());
        n /= choices;
        chosen
    };
    (0..rank).map(|_| next()).collect()
}

/// An index made to fit a length, which is not 0.
fn in_bounds(b: &mut Builder, at: Atom, length: usize) -> Atom {
    b.scalar(IntegerRow::Mod, &[at, index(length as i64)])
}

/// A square with its pullback.
fn square(b: &mut Builder, x: Atom) -> Custom {
    let function = b.lambda(&[REAL], |b, x| vec![b.scalar(ScalarOp::Mul, &[x[0].into(), x[0].into()])]);
    let pullback = b.lambda(&[REAL; 2], |b, params| {
        let twice = b.scalar(ScalarOp::Mul, &[constant(Prim::F64, 2.0), params[0].into()]);
        vec![b.scalar(ScalarOp::Mul, &[twice, params[1].into()])]
    });
    Custom { function, pullback, arguments: vec![x] }
}

/// A step with bodies at most this deep inside.
fn step(g: &mut Gen, depth: usize) -> Step {
    let kind = u8::arbitrary(g);
    let picks = [u8::arbitrary(g), u8::arbitrary(g), u8::arbitrary(g)];
    let steps = if depth > 0 && (16..21).contains(&(kind % KINDS)) { 1 + usize::arbitrary(g) % 4 } else { 0 };
    Step { kind, picks, inside: (0..steps).map(|_| step(g, depth - 1)).collect() }
}

impl Arbitrary for ArrayProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let (rows, columns) = (usize::arbitrary(g) % 5, usize::arbitrary(g) % 4);
        let steps = usize::arbitrary(g) % (g.size() + 1);
        ArrayProgram { rows, columns, seed: u64::arbitrary(g), steps: (0..steps).map(|_| step(g, 3)).collect() }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.clone();
        let fewer = shorter(&self.steps).map(move |steps| ArrayProgram { steps, ..whole.clone() });
        let whole = self.clone();
        let smaller = (self.rows, self.columns).shrink().map(move |(rows, columns)| ArrayProgram {
            rows,
            columns,
            ..whole.clone()
        });
        Box::new(fewer.chain(smaller))
    }
}

/// The lists with one step less, at any depth.
fn shorter(steps: &[Step]) -> Box<dyn Iterator<Item = Vec<Step>>> {
    let steps = steps.to_vec();
    Box::new((0..steps.len()).rev().flat_map(move |n| {
        let mut without = steps.clone();
        let gone = without.remove(n);
        let steps = steps.clone();
        let inside = shorter(&gone.inside).map(move |inside| {
            let mut all = steps.clone();
            all[n].inside = inside;
            all
        });
        core::iter::once(without).chain(inside)
    }))
}

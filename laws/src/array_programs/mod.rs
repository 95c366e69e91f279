//! Random array programs: recipes of steps, each of which takes what fits from what is there.
//!
//! Law: every recipe is a well-typed program whose sizes fit for the arguments that come with it, and whose indices are
//! read in bounds; so it runs without an error. What is left of a recipe when steps are taken away is a recipe, so
//! programs shrink (tests/laws/programs.rs, tests/array/text.rs).

mod combined;
mod long;
mod moved;
mod nested;
mod scalars;
mod written;

use catadiff::array::{
    Agree, Agreement, Atom, Builder, Const, Custom, Extent, Op, Prim, Program, ScalarOp, Type, constant, index,
};
use catadiff::interpret::{Scalar, Value};
use quickcheck::{Arbitrary, Gen};

pub use self::long::LongProgram;
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
    /// Whether arrays may be as large as the number of rows says, so that programs of a recipe are alike at all sizes.
    is_alike: bool,
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
    /// Whether it is too large to be gone through here, as often as that would be done.
    heavy: bool,
}

/// How much there may be of what is made.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// How often the steps are carried out when the program runs, but for loops.
    times: usize,
    /// How long an array may be in any dimension, lest sizes double at every step.
    longest: usize,
    /// How many elements it may have.
    most: usize,
    /// How many elements a step may go through, all times together.
    work: usize,
}

const INTEGER: Type = Type::scalar(Prim::I64);
const TRUTH: Type = Type::scalar(Prim::Bool);
const REALS: Type = Type::array(Prim::F64, 1);
/// How many kinds of steps there are.
const KINDS: u8 = 33;
/// The first of these compute with scalars.
const SCALARS: usize = 6;
/// How many dimensions there are at most.
const MAX_RANK: usize = 4;

impl ArrayProgram {
    /// The program. Its parameters are `xs ys: [n]f64`, `matrix: [n][k]f64`, `at: [n]i64`, `x: f64`, `j: i64`, `b: bool`,
    /// `short: [n]f32` or `[n]f16`, and `narrow` of another kind of integers.
    ///
    /// # Panics
    /// If the generator is wrong.
    #[must_use]
    pub fn program(&self) -> Program {
        self.program_in(if self.is_alike { Room::of_any(self.rows) } else { Room::of(self.rows) })
    }

    fn program_in(&self, room: Room) -> Program {
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
            ("short", Type::array(self.short(), 1), vec![n]),
            ("narrow", Type::array(self.narrow(), 1), vec![n]),
        ]
        .into_iter()
        .map(|(name, of, sizes)| Item { atom: b.parameter(name, of).into(), of, sizes, heavy: false })
        .collect();
        let inputs = pool.len();
        grow(&mut b, &mut pool, &self.steps, room);
        let last = pool.len().max(inputs + 1) - 1;
        let results = pool[last.saturating_sub(3).max(inputs - 3)..].iter().map(|item| item.atom).collect();
        b.finish(results).expect("a random program verifies")
    }

    /// The kind of the integers that are no indices: `i32`, of which a single loses digits, the most often.
    fn narrow(&self) -> Prim {
        const OTHERS: [Prim; 6] = [Prim::I16, Prim::U8, Prim::U64, Prim::U32, Prim::I8, Prim::U16];
        let n = self.steps.len();
        if n.is_multiple_of(2) { Prim::I32 } else { OTHERS[n / 2 % OTHERS.len()] }
    }

    /// The kind of the reals of fewer digits.
    fn short(&self) -> Prim {
        if self.steps.len() % 3 == 1 { Prim::F16 } else { Prim::F32 }
    }

    /// The same recipe for arguments of other sizes: the rows, and the columns of the matrix. Arrays are at most three
    /// times as long.
    #[must_use]
    pub fn of_sizes(&self, rows: usize, columns: usize) -> Self {
        ArrayProgram { rows, columns, is_alike: true, ..self.clone() }
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
        let mut reals = |n: usize| (0..n).map(|_| Scalar::F64((draw() % 257 - 128) as f64 / 64.0)).collect::<Vec<_>>();
        let [xs, ys, rows, at] = lengths;
        let (a, b, m, x) = (reals(xs), reals(ys), reals(rows * columns), reals(1));
        let of_kind = |x: &f64| Scalar::constant(Const::rounded(*x, self.short()), |x| x);
        let short = reals(xs).iter().filter_map(Scalar::real).map(of_kind).collect();
        // Some repeated, and some out of bounds on either side.
        let few = |i: usize| (self.seed >> (8 * (i % 8))) as i64 % 8 - 1;
        let many = |i: usize| (self.seed >> 8) as i64 % 97 * i as i64 % (at as i64 + 3) - 1;
        let indices = (0..at).map(|i| Scalar::I64(if at > 32 { many(i) } else { few(i) })).collect();
        // One or two of them so large that they wrap, and where they can have more digits than a single real.
        let narrow = |i: usize| {
            let n = if i < 3 && i % 2 == (self.seed >> 9 & 1) as usize {
                self.narrow().bounds().1 - 1
            } else {
                i128::from((self.seed >> (7 * (i % 9))) as i32 % 11 - 3)
            };
            Scalar::constant(Const::wrapped(n, self.narrow()), |x| x)
        };
        let array = |sizes: &[usize], elements| Value::array(sizes, elements).expect("as many elements as sizes say");
        vec![
            array(&[xs], a),
            array(&[ys], b),
            array(&[rows, columns], m),
            array(&[at], indices),
            array(&[], x),
            Value::from((self.seed % 7) as i64 - 2),
            Value::from(self.seed.is_multiple_of(2)),
            array(&[xs], short),
            array(&[at], (0..at).map(narrow).collect()),
        ]
    }
}

/// The `n`-th item that fits and is not heavy, counted round and round.
fn pick(pool: &[Item], n: u8, fits: impl Fn(&Item) -> bool) -> Option<Item> {
    pick_any(pool, n, |item| !item.heavy && fits(item))
}

/// The `n`-th item that fits.
fn pick_any(pool: &[Item], n: u8, fits: impl Fn(&Item) -> bool) -> Option<Item> {
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

fn number(item: &Item) -> bool {
    item.of.rank == 0 && item.of.prim != Prim::Bool
}

/// Carries out steps; what they make is added to the pool.
fn grow(b: &mut Builder, pool: &mut Vec<Item>, steps: &[Step], room: Room) {
    pool.iter_mut().for_each(|item| item.heavy = room.is_heavy(&item.sizes));
    for step in steps {
        if let Some(made) = step.carry_out(b, pool, room) {
            let fits = |item: &Item| {
                let sizes = &item.sizes;
                let is_small = sizes.iter().all(|n| *n <= room.longest) && sizes.iter().product::<usize>() <= room.most;
                sizes.len() <= MAX_RANK && is_small
            };
            pool.extend(made.into_iter().filter(fits).map(|item| Item { heavy: room.is_heavy(&item.sizes), ..item }));
        }
    }
}

impl Room {
    /// What there is for few rows, lest what is made be long to run.
    fn of(rows: usize) -> Room {
        Room { times: 1, longest: 12.max(2 * rows), most: 500, work: 1 << 9 }
    }

    /// What there is for any number of rows, where programs are to be alike.
    fn of_any(rows: usize) -> Room {
        Room { times: 1, longest: 3 * rows, most: 3 * rows * rows, work: 4 * rows * rows }
    }

    /// What there is where rows are many, and to be gone through but a few times.
    fn of_many(rows: usize) -> Room {
        Room { times: 1, longest: 2 * rows, most: 4 * rows, work: 4 * rows }
    }

    fn is_heavy(self, sizes: &[usize]) -> bool {
        sizes.iter().product::<usize>().saturating_mul(self.times) > self.work
    }

    /// The room inside of a map over this many elements.
    fn inside(self, length: usize) -> Room {
        Room { times: self.times.saturating_mul(length.max(1)), ..self }
    }
}

impl Step {
    /// What the step makes; nothing if nothing fits it.
    fn carry_out(&self, b: &mut Builder, pool: &[Item], room: Room) -> Option<Vec<Item>> {
        let [p, q, _] = self.picks;
        match self.kind % KINDS {
            kind if usize::from(kind) < SCALARS => self.scalar(b, pool),
            6 => {
                let a = pick(pool, p, is_array)?;
                one(b, Op::Size(a.atom, q as usize % a.of.rank), Vec::new())
            }
            7..16 | 30 => self.moved(b, pool),
            16 => self.branch(b, pool, room),
            17 | 18 => self.repeat(b, pool, room),
            19 | 20 => self.map(b, pool, room),
            21 => self.reduce(b, pool),
            22 | 31 => self.hist(b, pool),
            23 | 32 => self.scatter(b, pool),
            24 => self.accumulate(b, pool, room),
            25 => self.reduce_pairs(b, pool),
            26 => self.hist_pairs(b, pool),
            27 => {
                let a = pick(pool, p, |_| true)?;
                one(b, Op::Copy(a.atom), a.sizes)
            }
            28 => {
                let a = pick(pool, p, is_array)?;
                let dimension = q as usize % a.of.rank;
                let [first, second] =
                    [Extent::Of(a.atom, dimension), Extent::Number(index(a.sizes[dimension] as i64))].map(|e| vec![e]);
                b.emit(Op::Agree(Box::new(Agree { what: Agreement::Rows, first, second, times: Vec::new() })));
                Some(Vec::new())
            }
            _ => {
                let a = pick(pool, p, |i| i.of == REAL)?;
                let square = square(b, a.atom);
                one(b, Op::Custom(Box::new(square)), Vec::new())
            }
        }
    }
}

/// The one result of an operation, of these sizes.
fn one(b: &mut Builder, op: Op, sizes: Vec<usize>) -> Option<Vec<Item>> {
    let atom = b.one(op);
    Some(vec![Item { atom, of: b.type_of(atom), sizes, heavy: false }])
}

/// A square with its pullback.
fn square(b: &mut Builder, x: Atom) -> Custom {
    let function = b.lambda(&[REAL], |b, x| vec![b.scalar(ScalarOp::Mul, &[x[0].into(), x[0].into()])]);
    let pullback = b.lambda(&[REAL; 3], |b, params| {
        let twice = b.scalar(ScalarOp::Mul, &[constant(Prim::F64, 2.0), params[0].into()]);
        vec![b.scalar(ScalarOp::Mul, &[twice, params[2].into()])]
    });
    Custom { function, pullback, arguments: vec![x] }
}

/// A step with bodies at most this deep inside, in a body or not.
fn step(g: &mut Gen, depth: usize, is_inside: bool) -> Step {
    // Each as often as any other, where an arbitrary byte is often the largest; but bodies compute, more than they move.
    let kinds = &core::array::from_fn::<_, { KINDS as usize }, _>(|k| k as u8)[..];
    let kinds = if is_inside && u8::arbitrary(g).is_multiple_of(4) { &kinds[..SCALARS] } else { kinds };
    let kind = *g.choose(kinds).expect("there are some");
    let picks = [u8::arbitrary(g), u8::arbitrary(g), u8::arbitrary(g)];
    let has_body = matches!(kind % KINDS, 16..21 | 24);
    let steps = if depth > 0 && has_body { 1 + usize::arbitrary(g) % 3 } else { 0 };
    Step { kind, picks, inside: (0..steps).map(|_| step(g, depth - 1, true)).collect() }
}

impl Arbitrary for ArrayProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let (rows, columns) = (usize::arbitrary(g) % 5, usize::arbitrary(g) % 4);
        // At times a group of lanes, and more or less by one.
        let rows = if u8::arbitrary(g).is_multiple_of(16) { rows % 3 + 7 } else { rows };
        let steps = usize::arbitrary(g) % (g.size() + 1);
        ArrayProgram {
            rows,
            columns,
            seed: u64::arbitrary(g),
            is_alike: false,
            steps: (0..steps).map(|_| step(g, 3, false)).collect(),
        }
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

//! Reductions and scans of every kind of operator from starts of every kind.
//!
//! Law: `y = e ⊙ a₁ ⊙ … ⊙ aₙ`, whether `e` is neutral or not, known or an input, and whether `⊙` has a neutral element
//! or not: both modes, all four nestings of two, and executors have the derivatives of that, exactly in a finite field,
//! and of no elements, of one and of several (tests/transform/operators.rs).

use core::cell::RefCell;

use catadiff::array::trace::{Arr, I64};
use catadiff::array::{
    Atom, Body, Builder, Const, IntegerRow, Lambda, Map, Op, Prim, Program, Reduce, ScalarOp, Type, index,
};
use catadiff::execute::Executor;
use catadiff::interpret::{Scalar, Value};
use catadiff::primitives::Primitive;
use quickcheck::{Arbitrary, Gen};

use crate::array_derivatives::{Derived, second_order};
use crate::array_exact::{self, Residue, polynomial};
use crate::array_operators::{
    OF_ARRAYS, OF_PAIRS, OF_REALS, Operator, REAL, Start, of_arrays, of_pairs, of_quadruples, of_reals,
};
use crate::array_values::uniform;
use crate::executors::{self, Tally};
use crate::program_parts::changed;
use crate::violation::Verdict;

/// A random reduction or scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    operator: u8,
    start: Start,
    scan: bool,
    /// Whether it is one of each row.
    mapped: bool,
    rows: usize,
    columns: usize,
    seed: u64,
}

/// How many operators there are: on reals, on pairs, on quadruples, on rows and on matrices.
const OPERATORS: u8 = OF_REALS + OF_PAIRS + 2 + 2 * OF_ARRAYS;

impl Reduction {
    /// What operators are on.
    pub const FAMILIES: [&'static str; 5] = ["reals", "pairs", "quadruples", "rows", "matrices"];

    /// The program. Its parameters are a number `k` that operators may mention, a start and an array for each component.
    ///
    /// # Panics
    /// If it is not well typed.
    #[must_use]
    pub fn program(&self) -> Program {
        let mut b = Builder::new();
        let k: Atom = b.parameter("k", REAL).into();
        let (components, sizes) = self.shape();
        let of = Type::array(Prim::F64, sizes.len());
        let whole = (0..1 + usize::from(self.mapped)).fold(of, |of, _| of.arrayed());
        let starts: Vec<Atom> = (0..components).map(|c| b.parameter(format!("e{c}"), of).into()).collect();
        let arrays: Vec<Atom> = (0..components).map(|c| b.parameter(format!("xs{c}"), whole).into()).collect();
        let written = |b: &mut Builder, arrays: Vec<Atom>| {
            let it = self.operator(b, k);
            let neutral = self.start.of(b, &it, (Prim::F64, &sizes), &starts);
            let Operator { lambda: operator, commutes: commutative, .. } = it;
            let reduce = Box::new(Reduce { operator, neutral, arrays, commutative });
            b.emit(if self.scan { Op::Scan(reduce) } else { Op::Reduce(reduce) })
        };
        let results = if self.mapped {
            let params: Vec<_> = (0..components).map(|_| b.fresh(of.arrayed())).collect();
            let row = params.iter().copied().map(Atom::Var).collect();
            let body = b.body(|b| written(b, row).into_iter().map(Atom::Var).collect());
            let function = Lambda { params, body };
            b.emit(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))
        } else {
            written(&mut b, arrays)
        };
        b.finish(results.into_iter().map(Atom::Var).collect()).expect("a reduction verifies")
    }

    /// What the operator is on, by its number in [`FAMILIES`](Self::FAMILIES).
    #[must_use]
    pub fn family(&self) -> usize {
        let ends = [OF_REALS, OF_PAIRS, 2, OF_ARRAYS].into_iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        ends.take_while(|end| *end <= self.operator % OPERATORS).count()
    }

    /// How many components the operator has, and the sizes of each.
    fn shape(&self) -> (usize, Vec<usize>) {
        match self.family() {
            0 => (1, Vec::new()),
            1 => (2, Vec::new()),
            2 => (4, Vec::new()),
            3 => (1, vec![self.columns]),
            _ => (1, vec![2, self.columns]),
        }
    }

    fn operator(&self, b: &mut Builder, k: Atom) -> Operator {
        let (n, (_, sizes)) = (self.operator % OPERATORS, self.shape());
        match self.family() {
            0 => of_reals(b, n, k),
            1 => of_pairs(b, n - OF_REALS),
            2 => of_quadruples(b, n),
            _ => of_arrays(b, n - OF_REALS - OF_PAIRS - 2, &sizes, k),
        }
    }

    /// The program on integers, whose operations do not depend on the order, over this many scalars.
    fn whole(&self, rows: usize) -> (Program, Vec<Value<f64>>) {
        let operator = self.operator % (OF_REALS + OF_PAIRS + 2);
        let flat = Reduction { operator, mapped: false, rows, ..self.clone() };
        let program = changed(&flat.program(), |(types, _, function)| {
            types.iter_mut().filter(|of| of.prim == Prim::F64).for_each(|of| of.prim = Prim::I64);
            whole(&mut function.body);
        });
        let number = |x: &Scalar<f64>| match x {
            Scalar::F64(x) => Scalar::I64((x * 1e6) as i64),
            other => *other,
        };
        let of = |v: &Value<f64>| {
            Value::array(v.sizes(), v.elements().iter().map(number).collect()).expect("as many elements as before")
        };
        (program.expect("integers are in place of all reals"), flat.arguments().iter().map(of).collect())
    }

    /// Arguments that fit, not one of them 0 or 1.
    ///
    /// # Panics
    /// Never: the sizes are those of what is drawn.
    #[must_use]
    pub fn arguments(&self) -> Vec<Value<f64>> {
        let mut draw = uniform(self.seed);
        let mut value = |sizes: &[usize]| {
            let elements = (0..sizes.iter().product()).map(|_| Scalar::F64(1.5 * draw() + 0.001)).collect();
            Value::array(sizes, elements).expect("as many elements as sizes say")
        };
        let (components, sizes) = self.shape();
        let outer: &[usize] = if self.mapped { &[2, self.rows] } else { &[self.rows] };
        let mut all = vec![value(&[])];
        all.extend((0..components).map(|_| value(&sizes)));
        all.extend((0..components).map(|_| value(&[outer, &sizes[..]].concat())));
        all
    }
}

/// Operations and constants of integers for those of reals.
fn whole(body: &mut Body) {
    let number = |atom: &mut Atom| {
        if let Atom::Const(Const::F64(x)) = atom {
            *atom = index(if x.is_finite() { (*x * 4.0) as i64 } else { *x as i64 });
        }
    };
    for stm in &mut body.stms {
        match &mut stm.op {
            Op::Scalar(op, operands) => {
                operands.iter_mut().for_each(number);
                *op = match *op {
                    ScalarOp::Row(Primitive::Min) => IntegerRow::Min.into(),
                    ScalarOp::Row(Primitive::Max) => IntegerRow::Max.into(),
                    ScalarOp::Row(Primitive::Sub) => IntegerRow::Sub.into(),
                    other => other,
                };
            }
            Op::Reduce(it) | Op::Scan(it) => {
                it.neutral.iter_mut().for_each(number);
                whole(&mut it.operator.body);
            }
            other => panic!("a reduction of scalars has no {other:?}"),
        }
    }
}

impl Arbitrary for Reduction {
    fn arbitrary(g: &mut Gen) -> Self {
        Reduction {
            operator: u8::arbitrary(g) % OPERATORS,
            start: Start::ALL[usize::arbitrary(g) % 3],
            scan: bool::arbitrary(g),
            mapped: u8::arbitrary(g).is_multiple_of(4),
            rows: usize::arbitrary(g) % 5,
            columns: usize::arbitrary(g) % 4,
            seed: u64::arbitrary(g),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.clone();
        let flat = self.mapped.then(|| Reduction { mapped: false, ..self.clone() });
        let smaller =
            (self.rows, self.columns).shrink().map(move |(rows, columns)| Reduction { rows, columns, ..whole.clone() });
        Box::new(flat.into_iter().chain(smaller))
    }
}

/// Both modes, and all nestings of two, of the polynomial that the operator becomes, in a finite field.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run.
pub fn exactly(random: &Reduction) -> Verdict {
    let program = polynomial(&random.program());
    let mut draw = uniform(random.seed);
    let mut residue = |_: &f64| Residue::new((draw().abs() * 1e15) as u64);
    array_exact::at(&program, [random.arguments().iter().map(|v| v.map(&mut residue)).collect()])
}

/// The same of reals, by dual numbers; and the program and its derivatives under an executor. What became of these runs is
/// added up.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run, or has no derivatives.
pub fn of_reals_too(executor: &dyn Executor, random: &Reduction, tally: &RefCell<Tally>) -> Verdict {
    let (of, arguments) = (Derived::new(random.program()), random.arguments());
    second_order(&of, arguments.clone())?;
    executors::counted(executor, &of.program, &arguments, tally)?;
    let results = of.program.run(&arguments).expect("the program runs");
    [&arguments, &results].into_iter().enumerate().try_for_each(|(mode, seeds)| {
        let derivative = of.derivative(mode).expect("it was right").expect("a reduction is differentiable");
        executors::counted(executor, &derivative.program, &[&arguments[..], seeds].concat(), tally)
    })
}

/// The program on integers, compiled, of as many elements as are taken in blocks, with and without some that are left over.
///
/// # Errors
/// The violation.
pub fn in_blocks(executor: &dyn Executor, random: &Reduction) -> Verdict {
    // Many elements take long: one recipe of eight, and one number of elements for each.
    if !random.seed.is_multiple_of(8) {
        return Ok(());
    }
    let rows = [1 << 14, 17_409, 20_000, 16_383][(random.seed / 8 % 4) as usize];
    let (program, arguments) = random.whole(rows);
    executors::same(executor, &program, &arguments)
}

/// A reduction starts from its first operand once, whatever it is: by an operator of which nothing is known but that it commutes,
/// and by one on pairs of which a part is known.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the programs are not well typed.
pub fn starts_count_once(executor: &dyn Executor, start: i64, elements: &[i64]) -> Verdict {
    let program = Program::trace(|xs: Arr<I64>, start: I64| {
        let one = xs.reduce_commutative(start, |x, y| x + y + x * y);
        let (sum, product) = xs.zip(xs).reduce_commutative((start, start), |(a, b), (c, d)| (a + c, b * d));
        // Of one array and side by side: what is known to be one operation, and what is not.
        let (least, total) =
            (xs.reduce_commutative(start, |x, y| x.min(y)), xs.reduce_commutative(start, |x, y| x + y));
        // Nothing but sums, of which the order is to be kept.
        let crossed = xs.zip(xs).reduce((start, start), |(a, b), (c, _)| (a + c, b + c));
        (one, least, sum, total, product, crossed)
    });
    let elements = Value::new(elements.to_vec()).expect("a list is an array");
    executors::same(executor, &program.expect("the program is well typed"), &[elements, start.into()])
}

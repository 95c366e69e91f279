//! Work: the operations on reals that a run of a program performs.
//!
//! Law: every operation on reals counts once, each time it is performed: `+`, `×`, each row of the table of primitives
//! (also division, `exp` or `max`) and each comparison, whether the operands are inputs, constants or computed. Moving data and
//! arithmetic on integers, such as indices, is free. What reverse mode may cost is a small constant times the function
//! (Griewank and Walther, "Evaluating Derivatives", the cheap gradient principle).

use core::cell::Cell;
use core::cmp::Ordering;
use core::ops::{Add, Mul};

use catadiff::array::Program;
use catadiff::interpret::{Scalar, Value};
use catadiff::prelude::{One, Zero};
use catadiff::primitives::Rule;
use catadiff::{Elementary, Result};

use crate::Task;

/// How many operations of each kind a run performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Sums.
    pub additions: u64,
    /// Products.
    pub multiplications: u64,
    /// Rows of the table of primitives, subtraction and division among them.
    pub rows: u64,
    /// Comparisons.
    pub comparisons: u64,
}

impl Work {
    /// Of any kind.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.additions + self.multiplications + self.rows + self.comparisons
    }

    /// The work of a program, with its results, by the reference interpreter.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn of(program: &Program, inputs: &[Value<f64>]) -> Result<(Work, Vec<Value<f64>>)> {
        let inputs: Vec<Value<Operand>> = inputs.iter().map(|input| input.map(|x| Operand(*x))).collect();
        WORK.set(Work::default());
        let results = program.run(&inputs)?;
        let work = WORK.get();
        Ok((work, results.iter().map(|result| result.map(|x| x.0)).collect()))
    }
}

impl Task {
    /// The reverse derivative of the task's program by all inputs, for results with adjoints that are 1.
    ///
    /// # Errors
    /// Those of [`Program::run`] and [`Program::vjp`].
    pub fn reverse(&self) -> Result<(Program, Vec<Value<f64>>)> {
        let mut inputs = self.values();
        for result in self.program.run(&inputs)? {
            inputs.push(Value::array(result.sizes(), result.elements().iter().map(one).collect())?);
        }
        Ok((self.program.vjp()?, inputs))
    }
}

fn one(like: &Scalar<f64>) -> Scalar<f64> {
    Scalar::constant(like.prim().one(), |x| x)
}

thread_local! {
    /// Constants of programs count too, and have nobody to refer to; so the count is of the thread.
    static WORK: Cell<Work> = const { Cell::new(Work { additions: 0, multiplications: 0, rows: 0, comparisons: 0 }) };
}

fn count(kind: impl FnOnce(&mut Work) -> &mut u64) {
    let mut work = WORK.get();
    *kind(&mut work) += 1;
    WORK.set(work);
}

/// A number whose operations are counted.
#[derive(Debug, Clone, Copy)]
struct Operand(f64);

impl Add for Operand {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        count(|work| &mut work.additions);
        Operand(self.0 + other.0)
    }
}

impl Mul for Operand {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        count(|work| &mut work.multiplications);
        Operand(self.0 * other.0)
    }
}

impl Zero for Operand {
    fn zero() -> Self {
        Operand(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}

impl One for Operand {
    fn one() -> Self {
        Operand(1.0)
    }
}

catadiff::operators!([] Operand, []);

impl Elementary for Operand {
    fn constant(value: f64) -> Self {
        Operand(value)
    }
    fn primal(&self) -> Option<f64> {
        Some(self.0)
    }
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        count(|work| &mut work.rows);
        Operand(rule.value(x.map(|x| x.0)))
    }
}

impl PartialEq for Operand {
    fn eq(&self, other: &Self) -> bool {
        count(|work| &mut work.comparisons);
        self.0 == other.0
    }
}

impl PartialOrd for Operand {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        count(|work| &mut work.comparisons);
        self.0.partial_cmp(&other.0)
    }
}

//! Laws of growth: a derivative costs a constant times its function, whatever the size of what it is asked for.
//!
//! Law: along a family of programs with a size, each measure of the work of a derivative, relative to that of the
//! function, is bounded: it does not grow from one doubling of the size to the next (Griewank and Walther, "Evaluating
//! Derivatives", the cheap gradient principle, for time and for memory that is moved). Work is counted, never timed, by the
//! reference interpreter.

use core::fmt;

use catadiff::Result;
use catadiff::array::Program;
use catadiff::carriers::Counter;
use catadiff::interpret::{Limits, Usage, Value, measure};

use crate::array_values::directions;
use crate::violation::Violation;

/// Programs with a size, which may be in their text, in their arguments, or in both.
#[derive(Debug, Clone, Copy)]
pub struct Family<P = fn(usize) -> Result<Program>, A = fn(usize) -> Vec<Value<f64>>> {
    /// What the programs do.
    pub name: &'static str,
    /// The least size that the law looks at. It looks at twice, four times and eight times this, too; from here on, what
    /// does not grow with the size should not matter.
    pub least: usize,
    /// The program of a size.
    pub program: P,
    /// Its arguments.
    pub arguments: A,
}

/// What a run costs: one number for each of [`MEASURES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work(pub [u64; 4]);

/// What is counted: operations on reals; statements and iterations of all kinds; elements written to arrays; bytes of the
/// arrays that were made.
pub const MEASURES: [&str; 4] = ["operations", "steps", "elements moved", "bytes allocated"];

/// A measure may be so many times what it was at half the size.
const GROWTH: f64 = 1.1;

/// Beyond what families of programs need, and soon reached by a derivative that is not cheap.
const LIMITS: Limits = Limits { steps: 20_000_000, elements: 20_000_000 };

/// The two modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As [`Program::jvp`].
    Forward,
    /// As [`Program::vjp`].
    Reverse,
}

impl Mode {
    /// Both, in the order of tables.
    pub const ALL: [Mode; 2] = [Mode::Reverse, Mode::Forward];

    /// The derivative of a program by all parameters.
    ///
    /// # Errors
    /// Those of [`Program::jvp`] and [`Program::vjp`].
    pub fn derivative(self, program: &Program) -> Result<Program> {
        match self {
            Mode::Forward => program.jvp(),
            Mode::Reverse => program.vjp(),
        }
    }
}

/// What the run of a program took, with its results.
fn run(program: &Program, arguments: &[Value<f64>]) -> Result<(Vec<Value<f64>>, Usage, u64)> {
    let counter = Counter::new();
    let counted: Vec<_> = arguments.iter().map(|value| value.map(|x| counter.number(*x))).collect();
    let (results, usage) = measure(program, &counted, &LIMITS)?;
    Ok((results.iter().map(|value| value.map(|x| x.value)).collect(), usage, counter.total()))
}

/// The elements of these values.
fn elements(values: &[Value<f64>]) -> u64 {
    values.iter().map(|value| value.elements().len() as u64).sum()
}

impl Work {
    /// The work of a function, with its results: what it executes, and the elements that it takes, gives and passes from an
    /// iteration of a loop to the next, be they scalars or arrays that are there already. A derivative has to touch
    /// them all, and adds where the function only moves.
    ///
    /// # Errors
    /// Those of running it.
    pub fn of_function(program: &Program, arguments: &[Value<f64>]) -> Result<(Work, Vec<Value<f64>>)> {
        let (results, usage, operations) = run(program, arguments)?;
        let passed: u64 = usage.loops.iter().map(|it| it.total * it.elements.len() as u64).sum();
        let touched = elements(arguments) + elements(&results) + passed;
        let work =
            [operations + usage.moved + touched, usage.steps, usage.moved + touched, usage.allocated + 8 * touched];
        Ok((Work(work), results))
    }

    /// The work of a derivative.
    ///
    /// # Errors
    /// Those of running it.
    pub fn of_derivative(program: &Program, arguments: &[Value<f64>]) -> Result<Work> {
        let (_, usage, operations) = run(program, arguments)?;
        Ok(Work([operations, usage.steps, usage.moved, usage.allocated]))
    }

    /// How many times as much this is, by each measure.
    #[must_use]
    pub fn relative_to(self, function: Work) -> [f64; 4] {
        core::array::from_fn(|k| self.0[k] as f64 / function.0[k].max(1) as f64)
    }
}

impl<P: Fn(usize) -> Result<Program>, A: Fn(usize) -> Vec<Value<f64>>> Family<P, A> {
    /// The work of the program of a size, and that of a derivative relative to it.
    fn at(
        &self,
        n: usize,
        mode: Mode,
        derivative: impl FnOnce(&Program) -> Result<Program>,
    ) -> Result<(Work, [f64; 4])> {
        let (program, arguments) = ((self.program)(n)?, (self.arguments)(n));
        let (function, results) = Work::of_function(&program, &arguments)?;
        let derivative = derivative(&program)?;
        derivative.verify()?;
        let seeds = match mode {
            Mode::Forward => directions(&arguments, 1),
            Mode::Reverse => directions(&results, 1),
        };
        let work = Work::of_derivative(&derivative, &[arguments, seeds].concat())?;
        Ok((function, work.relative_to(function)))
    }

    /// A derivative, as this function makes it of programs, grows as the function does. The work of the largest program of
    /// the family, and that of its derivative relative to it.
    ///
    /// # Errors
    /// The violation.
    pub fn cheap(
        &self,
        mode: Mode,
        derivative: impl Fn(&Program) -> Result<Program>,
    ) -> core::result::Result<(Work, [f64; 4]), Violation> {
        let fails = |law: String, n: usize, left: String, right: String| {
            let shown = (self.program)(n).map_or_else(|error| error.to_string(), |program| program.to_string());
            let instances = vec![("family".into(), self.name.into()), ("p".into(), shown), ("n".into(), n.to_string())];
            Err(Violation { law, instances, left, right })
        };
        let mut last = (Work([0; 4]), [f64::INFINITY; 4]);
        for n in [1, 2, 4, 8].map(|times| times * self.least) {
            let now = match self.at(n, mode, &derivative) {
                Ok(now) => now,
                Err(error) => {
                    return fails("the derivative of a family runs".into(), n, error.to_string(), "Ok(…)".into());
                }
            };
            // Below half the work of the function there is nothing to bound; and at the least size constants may matter.
            let bound = last.1.map(|before| if n > 2 * self.least { GROWTH * before.max(0.5) } else { f64::INFINITY });
            for k in 0..4 {
                if now.1[k] > bound[k] {
                    let law = format!("{} of a derivative ({mode:?}) grow as those of its function", MEASURES[k]);
                    let (left, right) = (format!("{:.2} times", now.1[k]), format!("at most {:.2} times", bound[k]));
                    return fails(law, n, left, right);
                }
            }
            last = now;
        }
        Ok(last)
    }

    /// Both derivatives of the family are cheap; what they cost at the largest size.
    ///
    /// # Errors
    /// The violation.
    pub fn grows_alike(&self) -> core::result::Result<Row, Violation> {
        let mut row = Row { name: self.name.to_owned(), n: 8 * self.least, function: [0.0; 4], modes: [[0.0; 4]; 2] };
        for (mode, found) in Mode::ALL.into_iter().zip(&mut row.modes) {
            let (function, relative) = self.cheap(mode, |program| mode.derivative(program))?;
            row.function = function.0.map(|count| count as f64);
            *found = relative;
        }
        Ok(row)
    }
}

/// A line of a table of growth: the work of the function, and by how much that of `vjp` and of `jvp` is more.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The name of the family.
    pub name: String,
    /// The size.
    pub n: usize,
    /// The work of the function, by each of [`MEASURES`].
    pub function: [f64; 4],
    /// That of the derivatives, relative to it, in the order of [`Mode::ALL`].
    pub modes: [[f64; 4]; 2],
}

/// What separates numbers in a cell of the table.
const BETWEEN: &str = " / ";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = self.function.map(|count| count.to_string()).join(BETWEEN);
        let [reverse, forward] = self.modes.map(|mode| mode.map(|ratio| format!("{ratio:.2}")).join(BETWEEN));
        write!(f, "| {} | {} | {function} | {reverse} | {forward} |", self.name, self.n)
    }
}

impl Row {
    /// The rows of a text that are lines of a table of growth.
    #[must_use]
    pub fn all(text: &str) -> Vec<Row> {
        text.lines().filter_map(Row::parse).collect()
    }

    fn parse(line: &str) -> Option<Row> {
        let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let [name, n, function, reverse, forward] = cells[..] else { return None };
        let numbers = |cell: &str| {
            let numbers: Option<Vec<f64>> = cell.split(BETWEEN).map(|number| number.parse().ok()).collect();
            <[f64; 4]>::try_from(numbers?).ok()
        };
        let modes = [numbers(reverse)?, numbers(forward)?];
        Some(Row { name: name.to_owned(), n: n.parse().ok()?, function: numbers(function)?, modes })
    }

    /// Whether no figure of another row is further from that of this one than a tenth, or than the last digit shown.
    #[must_use]
    pub fn is_near(&self, other: &Row) -> bool {
        let near = |(x, y): (&f64, &f64)| (x - y).abs() <= (0.1 * x.abs()).max(0.01);
        let all = |row: &Row| [row.function, row.modes[0], row.modes[1]].concat();
        self.name == other.name && self.n == other.n && all(self).iter().zip(&all(other)).all(near)
    }
}

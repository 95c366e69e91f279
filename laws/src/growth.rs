//! Laws of growth: a derivative costs a constant times its function, at every size.
//!
//! Law: along a family of programs with a size, each measure of the work of a derivative, relative to that of the
//! function, is bounded: what it grows by from one doubling of the size to the next gets less, as that of a ratio does
//! which has a limit, and not more, as that of one which grows like a power of the size or its logarithm (Griewank and
//! Walther, "Evaluating Derivatives", the cheap gradient principle, for time and for memory that is moved). So are the
//! steps of any other executor, for the function and for its derivatives, relative to the work of the function. Work is
//! counted, never timed, by the reference interpreter, and steps by whoever takes them (tests/growth/main.rs).

use core::fmt;

use catadiff::Result;
use catadiff::array::{Body, Op, Program};
use catadiff::carriers::Counter;
use catadiff::execute::{Executor, Outcome, Prepared};
use catadiff::interpret::{Control, Limits, Scalar, Usage, Value, measure};

use crate::array_programs::ArrayProgram;
use crate::array_values::directions;
use crate::executors::steps_counted;
use crate::violation::Violation;

/// Programs with a size, which may be in their text, in their arguments, or in both.
#[derive(Debug, Clone, Copy)]
pub struct Family<P = fn(usize) -> Result<Program>, A = fn(usize) -> Vec<Value<f64>>> {
    /// What the programs do.
    pub name: &'static str,
    /// The least size that the law looks at. It looks at twice, four times and eight times this, too.
    pub least: usize,
    /// The program of a size.
    pub program: P,
    /// Its arguments.
    pub arguments: A,
    /// How the work of a derivative, relative to that of the function, comes near to its limit.
    pub approach: Approach,
}

/// How a ratio comes near to its limit as the size doubles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approach {
    /// By less at each doubling.
    Steadily,
    /// As what depends on data: by a bit more than at the doubling before, now and then, and not quite to the same limit.
    Wavering,
    /// Not at all, but it grows no more than a logarithm of the size: a histogram whose operator is neither a sum nor an
    /// extremum puts its values in order to return, which takes as many passes as the numbers of bins have digits.
    InPasses,
}

/// What a run costs: one number for each of [`MEASURES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work(pub [u64; 4]);

/// What is counted: operations on reals; statements and iterations of all kinds; elements written to arrays; bytes of the
/// arrays that were made.
pub const MEASURES: [&str; 4] = ["operations", "steps", "elements moved", "bytes allocated"];

/// A relative measure may grow by so much of what it grew by at the doubling before. Of one that has a limit, and comes
/// near to it like `1/n`, it is a half; of one that grows like `log n` all of it, and like `n` twice as much.
const LESS: f64 = 0.8;

/// A relative measure may grow by so much in any case; so `c n` times the work of the function is found at sizes to `n` if
/// `c n` is more than a fiftieth.
const SLACK: f64 = 0.01;

/// What depends on data is off its limit by so much of it, since at larger sizes more of the data are alike, or fewer.
const WAVE: f64 = 0.03;

/// Beyond what families of programs need, and soon reached by a derivative that is not cheap.
const LIMITS: Limits = Limits { steps: 20_000_000, elements: 20_000_000 };

/// Random programs that take more steps than this, or move more elements, are not asked.
const SHORT: Limits = Limits { steps: 50_000, elements: 200_000 };

/// The same for twice the size.
const LONGER: Limits = Limits { steps: 8 * SHORT.steps, elements: 8 * SHORT.elements };

/// For four times that size.
const LONGEST: Limits = Limits { steps: 16 * LONGER.steps, elements: 16 * LONGER.elements };

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
    /// them all, and adds where the function only moves, with an iteration for each.
    ///
    /// # Errors
    /// Those of running it.
    pub fn of_function(program: &Program, arguments: &[Value<f64>]) -> Result<(Work, Vec<Value<f64>>)> {
        let (results, usage, operations) = run(program, arguments)?;
        let passed: u64 = usage.loops.iter().map(|it| it.total * it.elements.len() as u64).sum();
        let touched = elements(arguments) + elements(&results) + passed;
        let moved = usage.moved + touched;
        Ok((Work([operations + moved, usage.steps + moved, moved, usage.allocated + 8 * touched]), results))
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

/// A program of a family, with what it takes, gives and costs.
struct Member {
    program: Program,
    arguments: Vec<Value<f64>>,
    results: Vec<Value<f64>>,
    work: Work,
}

/// A program, and what it runs on.
type Run = (Program, Vec<Value<f64>>);
type RunOf<'r> = (&'r Program, &'r [Value<f64>]);

/// The steps of an executor for a function, its `vjp` and its `jvp`, relative to the work of the function, if it takes them.
pub type Steps = Option<[f64; 3]>;

/// The sizes at which a family is looked at, relative to the least.
const SIZES: [usize; 4] = [1, 2, 4, 8];

impl<P: Fn(usize) -> Result<Program>, A: Fn(usize) -> Vec<Value<f64>>> Family<P, A> {
    fn fails(&self, law: impl Into<String>, n: usize, left: String, right: String) -> Violation {
        let shown = (self.program)(n).map_or_else(|error| error.to_string(), |program| program.to_string());
        let instances = vec![("family".into(), self.name.into()), ("p".into(), shown), ("n".into(), n.to_string())];
        Violation { law: law.into(), instances, left, right }
    }

    /// The programs of the four sizes, run.
    fn members(&self) -> core::result::Result<[Member; 4], Violation> {
        let member = |n: usize| {
            let (program, arguments) = ((self.program)(n)?, (self.arguments)(n));
            let (work, results) = Work::of_function(&program, &arguments)?;
            Ok(Member { program, arguments, results, work })
        };
        let mut members = Vec::with_capacity(SIZES.len());
        for n in SIZES.map(|times| times * self.least) {
            let run = member(n).map_err(|error: catadiff::Error| error.to_string());
            members.push(run.map_err(|error| self.fails("a family runs", n, error, "Ok(…)".into()))?);
        }
        Ok(members.try_into().unwrap_or_else(|_| unreachable!("there are four sizes")))
    }

    /// The derivatives of the programs of the four sizes.
    fn derivatives(
        &self,
        members: &[Member; 4],
        mode: Mode,
        derivative: impl Fn(&Program) -> Result<Program>,
    ) -> core::result::Result<[Run; 4], Violation> {
        let mut runs: Vec<Run> = Vec::with_capacity(SIZES.len());
        for (k, member) in members.iter().enumerate() {
            // Most families are one program.
            let made = match runs.last() {
                Some((last, _)) if members[k - 1].program == member.program => Ok(last.clone()),
                _ => derivative(&member.program).and_then(|made| made.verify().map(|()| made)),
            };
            let made = made.map_err(|error| self.stops(k, error))?;
            let seeds = match mode {
                Mode::Forward => directions(&member.arguments, 1),
                Mode::Reverse => directions(&member.results, 1),
            };
            runs.push((made, [&member.arguments[..], &seeds].concat()));
        }
        Ok(runs.try_into().unwrap_or_else(|_| unreachable!("there are four sizes")))
    }

    fn stops(&self, k: usize, error: impl fmt::Display) -> Violation {
        self.fails("the derivative of a family runs", SIZES[k] * self.least, error.to_string(), "Ok(…)".into())
    }

    /// What grows so from size to size has a limit, in view of the family. What it is at last.
    fn has_limit(&self, law: impl FnOnce() -> String, found: [f64; 4]) -> core::result::Result<f64, Violation> {
        let [first, before, half, now] = found;
        let (last, any) = (half - before, (half - before).max(before - first));
        let bound = SLACK
            + match self.approach {
                Approach::Steadily => half + LESS * last.max(0.0),
                Approach::Wavering => half.max(before) * (1.0 + WAVE) + LESS * any.max(0.0),
                Approach::InPasses => half.max(before) + any.max(0.0),
            };
        if now <= bound {
            return Ok(now);
        }
        let left = found.map(|relative| format!("{relative:.3}")).join(", ");
        Err(self.fails(law(), 8 * self.least, format!("{left} times"), format!("at most {bound:.3} times at last")))
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
        let members = self.members()?;
        let [.., largest] = &members;
        let runs = self.derivatives(&members, mode, derivative)?;
        Ok((largest.work, self.interpreted(&members, mode, &runs)?))
    }

    /// The work of derivatives, relative to that of the functions, grows no more.
    fn interpreted(
        &self,
        members: &[Member; 4],
        mode: Mode,
        runs: &[Run; 4],
    ) -> core::result::Result<[f64; 4], Violation> {
        let mut found = [[0.0; 4]; 4];
        for (k, (member, (program, arguments))) in members.iter().zip(runs).enumerate() {
            let work = Work::of_derivative(program, arguments).map_err(|error| self.stops(k, error))?;
            for (measure, ratio) in work.relative_to(member.work).into_iter().enumerate() {
                found[measure][k] = ratio;
            }
        }
        let mut now = [0.0; 4];
        for (k, measure) in MEASURES.iter().enumerate() {
            let law = || format!("{measure} of a derivative ({mode:?}) grow as those of its function");
            now[k] = self.has_limit(law, found[k])?;
        }
        Ok(now)
    }

    /// The steps of an executor, relative to the work of the functions, grow no more. What they are at last; none if the
    /// executor cannot run the programs, or only one statement after the other.
    fn executed(
        &self,
        executor: &dyn Executor,
        members: &[Member; 4],
        what: &str,
        runs: [RunOf<'_>; 4],
    ) -> core::result::Result<Option<f64>, Violation> {
        let mut found = [0.0; 4];
        let mut ready = None;
        for (k, (program, arguments)) in runs.into_iter().enumerate() {
            if k == 0 || runs[k - 1].0 != program {
                ready = executor.prepare(program).map_err(|error| self.stops(k, error))?.ok();
            }
            let Some(ready) = &ready else { return Ok(None) };
            let Some(steps) = steps(&**ready, arguments).map_err(|error| self.stops(k, error))? else {
                return Ok(None);
            };
            let Work([_, work, ..]) = members[k].work;
            found[k] = steps as f64 / work as f64;
        }
        let law = || format!("steps of {} for {what} grow as the work of the function", executor.name());
        self.has_limit(law, found).map(Some)
    }

    /// Both derivatives of the family are cheap; what they cost at the largest size.
    ///
    /// # Errors
    /// The violation.
    pub fn grows_alike(&self) -> core::result::Result<Row, Violation> {
        Ok(self.both(|_, _, _| Ok(None))?.0)
    }

    /// Both derivatives of the family are cheap, and they and the function are so on an executor. What they cost at the largest
    /// size, and how many steps the executor takes for the function, `vjp` and `jvp`, relative to the work of the function;
    /// none if it cannot run one of them, or only one statement after the other.
    ///
    /// # Errors
    /// The violation.
    pub fn grows_alike_on(&self, executor: &dyn Executor) -> core::result::Result<(Row, Steps), Violation> {
        self.both(|members, what, runs| self.executed(executor, members, what, runs))
    }

    fn both(
        &self,
        mut on: impl FnMut(&[Member; 4], &str, [RunOf<'_>; 4]) -> core::result::Result<Option<f64>, Violation>,
    ) -> core::result::Result<(Row, Steps), Violation> {
        let members = self.members()?;
        let [.., largest] = &members;
        let function = largest.work.0.map(|count| count as f64);
        let mut row = Row { name: self.name.to_owned(), n: 8 * self.least, function, modes: [[0.0; 4]; 2] };
        let own = members.each_ref().map(|member| (&member.program, &member.arguments[..]));
        let mut steps = [on(&members, "the function", own)?, None, None];
        for (k, mode) in Mode::ALL.into_iter().enumerate() {
            let runs = self.derivatives(&members, mode, |program| mode.derivative(program))?;
            row.modes[k] = self.interpreted(&members, mode, &runs)?;
            let runs = runs.each_ref().map(|(program, arguments)| (program, &arguments[..]));
            steps[k + 1] = on(&members, &format!("a derivative ({mode:?})"), runs)?;
        }
        let [Some(function), Some(vjp), Some(jvp)] = steps else { return Ok((row, None)) };
        Ok((row, Some([function, vjp, jvp])))
    }
}

/// The steps of a run; none if there are no results, or only one statement after the other.
fn steps(ready: &dyn Prepared, arguments: &[Value<f64>]) -> Result<Option<u64>> {
    let (outcome, steps) = steps_counted(Control::from(&LIMITS), |control| ready.run(arguments, control));
    Ok(matches!(outcome?, Outcome::Done { stepwise: false, .. }).then_some(steps))
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
const SEPARATOR: &str = " / ";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let function = self.function.map(|count| count.to_string()).join(SEPARATOR);
        let [reverse, forward] = self.modes.map(|mode| mode.map(|ratio| format!("{ratio:.2}")).join(SEPARATOR));
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
            let numbers: Option<Vec<f64>> = cell.split(SEPARATOR).map(|number| number.parse().ok()).collect();
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

/// The programs of a recipe, of all sizes, are one but for numbers: the same statements in the same order.
fn are_one(programs: &[ArrayProgram]) -> bool {
    let form = |p: &ArrayProgram| p.program().to_string().replace(|c: char| c.is_ascii_digit(), "");
    programs.windows(2).all(|pair| form(&pair[0]) == form(&pair[1]))
}

/// A real between −1 and 1 for each element of an argument, the same at every size; and of indices as many in each part of
/// the array, and out of bounds, and as many to one place, at every size.
fn fixed(value: &Value<f64>, salt: usize) -> Value<f64> {
    if value.sizes().is_empty() && !matches!(value.elements(), [Scalar::F64(_)]) {
        return value.clone();
    }
    let columns = value.sizes().get(1).copied().unwrap_or(1);
    let even = |k: usize| (0.618 * k as f64 + 0.1 * salt as f64).fract();
    let element = |(k, element): (usize, &Scalar<f64>)| match element {
        Scalar::I64(_) => Scalar::I64(((value.elements().len() + 2) as f64 * even(k)) as i64 - 1),
        Scalar::F64(_) => Scalar::F64((1.7 * (k / columns) as f64 + 0.9 * (k % columns) as f64 + salt as f64).sin()),
        other => *other,
    };
    let elements = value.elements().iter().enumerate().map(element).collect();
    Value::array(value.sizes(), elements).expect("as many elements as before")
}

/// Whether a body has a histogram, of any operator.
fn has_histogram(body: &Body) -> bool {
    body.stms.iter().any(|stm| match &stm.op {
        Op::Hist(_) => true,
        Op::If(_, yes, no) => has_histogram(yes) || has_histogram(no),
        Op::Loop(it) => has_histogram(&it.body),
        Op::Map(it) => has_histogram(&it.function.body),
        Op::Reduce(it) | Op::Scan(it) => has_histogram(&it.operator.body),
        _ => false,
    })
}

/// Both derivatives of a random program are cheap, and on an executor they and the program are, if its recipe is one family of programs that are not too long to run: a
/// recipe may take other things where sizes are others. Whether it is.
///
/// # Errors
/// The violation, if it is one of larger sizes too, unless these take too long, on two arguments: what is chosen may depend on sizes by chance, and on data,
/// and of several powers of the size a small one may still matter.
pub fn random(executor: &dyn Executor, p: &ArrayProgram) -> core::result::Result<bool, Violation> {
    let of = |n: usize| p.of_sizes(n, n / 2);
    let is_ordered = has_histogram(&of(8).program().function().body);
    let mut found = None;
    for (least, limits, salt) in [(8, SHORT, 0), (16, LONGER, 0), (16, LONGER, 1), (64, LONGEST, 0)] {
        let family = Family {
            name: "a random program",
            least,
            program: |n: usize| Ok(of(n).program()),
            arguments: |n: usize| {
                let (own, first) = (of(n).arguments(), of(8).arguments());
                let scalars =
                    own.iter().zip(&first).map(|(own, first)| if own.sizes().is_empty() { first } else { own });
                scalars.enumerate().map(|(k, value)| fixed(value, k + salt)).collect::<Vec<_>>()
            },
            approach: if is_ordered { Approach::InPasses } else { Approach::Wavering },
        };
        let largest = measure(&of(8 * least).program(), &(family.arguments)(8 * least), &limits);
        let is_short = largest.is_ok_and(|(_, usage)| usage.moved <= limits.elements);
        if !is_short || !are_one(&[1, 2, 4, 8].map(|times| of(times * least))) {
            break;
        }
        match family.grows_alike_on(executor) {
            Ok(_) => return Ok(true),
            Err(violation) => found = Some(violation),
        }
    }
    found.map_or(Ok(false), Err)
}

//! A run of a plan: the host carries out its part, and tells the device what to do.
//!
//! Law: the device does everything in the order of the plan. The host waits only for scalars that it has to know, and for the results
//! (tests/gpu/counts.rs, laws: executors::suite).

use core::future::Future;
use core::pin::Pin;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::arrival::Wait;
use super::bytes::from_words;
use super::device::{Device, Memory};
use super::kernel::{OUT_OF_STEPS, words};
use super::kind::Word;
use super::plan::{Plan, Step};
use super::proof::{Known, MAX_STEPS};
use super::range::Range;
use super::submission::{Left, Submission, to_words};
use super::transfer::Transfer;
use crate::array::{Const, Prim, Var};
use crate::error::{Error, Result};
use crate::execute::Unsupported;
use crate::execute::contract::Ending;
use crate::execute::fault::{ended, failed};
use crate::interpret::{self, Control};
use crate::kernel::code::{Buffer, LARGEST, Op, Operand, Output, Port, Value};

/// An argument on its way into a run.
#[derive(Debug, Clone)]
pub(super) enum Input {
    Scalar(Const),
    /// A scalar that only the device knows.
    Cell(Arc<Memory>, Range),
    Array {
        memory: Arc<Memory>,
        sizes: Vec<usize>,
        range: Range,
    },
}

/// A result, where it is.
#[derive(Debug, Clone)]
pub(super) enum Found {
    /// The host knows it.
    Scalar(Const),
    /// In the cells, from this word on.
    Cell(u32, Range),
    Array {
        memory: Arc<Memory>,
        sizes: Vec<usize>,
        range: Range,
    },
}

/// What ends a run before its time.
#[derive(Debug)]
pub(super) enum Stop {
    /// A check without a report has failed.
    Failed,
    Ended(Ending),
    Device(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Device(error)
    }
}

pub(super) type Ran<T> = core::result::Result<T, Stop>;

/// The state of a run.
pub(super) struct Run<'r> {
    pub(super) device: &'r Arc<Device>,
    pub(super) plan: &'r Plan,
    pub(super) control: &'r Control<'r>,
    pub(super) steps: u64,
    pub(super) values: Vec<Option<Const>>,
    /// Of what is on the device.
    pub(super) known: Known,
    pub(super) buffers: Vec<Option<(Arc<Memory>, u64)>>,
    /// How many elements the buffers have together.
    held: u64,
    /// The lanes that have claimed elements of buffers.
    pub(super) owners: FxHashMap<Buffer, Arc<Memory>>,
    wait: Wait,
    pub(super) submission: Submission<'r>,
}

impl<'r> Run<'r> {
    pub(super) fn new(device: &'r Arc<Device>, plan: &'r Plan, control: &'r Control<'r>, wait: Wait) -> Result<Self> {
        Ok(Run {
            device,
            plan,
            control,
            steps: 0,
            values: vec![None; plan.code.values.len()],
            known: Known::default(),
            buffers: vec![None; plan.code.buffers.len()],
            held: 0,
            owners: FxHashMap::default(),
            wait,
            submission: Submission::new(device, plan.cells, wait)?,
        })
    }

    /// Runs the plan; the results are on their way.
    pub(super) async fn go(&mut self, inputs: &[Input]) -> Ran<Vec<Found>> {
        self.enter(inputs).await?;
        self.control.room(Some(self.held)).map_err(|fault| self.ended(fault, None))?;
        self.steps(&self.plan.steps).await?;
        self.submission.submit()?;
        self.plan.code.outputs.iter().map(|output| self.found(output)).collect()
    }

    async fn enter(&mut self, inputs: &[Input]) -> Ran<()> {
        for (port, input) in self.plan.code.inputs.iter().zip(inputs) {
            match (port, input) {
                (Port::Scalar(value), Input::Scalar(constant)) => match self.plan.slots.get(value) {
                    Some(slot) => {
                        let words = words(*constant, self.word(*value));
                        self.known.values.insert(*value, Range::of(*constant));
                        self.submission.set_cells(*slot, &words);
                    }
                    None => self.values[value.0 as usize] = Some(*constant),
                },
                (Port::Array { buffer, sizes }, Input::Array { memory, sizes: known, range }) => {
                    for (value, size) in sizes.iter().zip(known) {
                        self.values[value.0 as usize] = Some(Const::I64(i64::try_from(*size).unwrap_or(i64::MAX)));
                    }
                    let length = known.iter().product::<usize>() as u64;
                    self.buffers[buffer.0 as usize] = Some((memory.clone(), length));
                    self.known.buffers.insert(*buffer, *range);
                    self.held += length;
                }
                (Port::Scalar(value), Input::Cell(memory, range)) => {
                    self.known.values.insert(*value, *range);
                    let bytes = self.word(*value).bytes();
                    match self.plan.slots.get(value) {
                        Some(slot) => self.submission.copy_to_cells(memory, *slot, bytes)?,
                        // The host has to know it.
                        None => {
                            let words = Transfer::begin(self.device, &[(&memory.buffer, 0, bytes)])?;
                            let words = words.come(self.device, self.wait).await?;
                            let prim = self.plan.code.values[value.0 as usize].prim;
                            self.values[value.0 as usize] = Some(from_words(prim, &to_words(&words[0])));
                        }
                    }
                }
                (Port::Scalar(_), Input::Array { .. }) | (Port::Array { .. }, Input::Scalar(_) | Input::Cell(..)) => {
                    panic!("arguments are of the ranks of the parameters")
                }
            }
        }
        Ok(())
    }

    fn word(&self, value: Value) -> Word {
        Word::of(self.plan.code.values[value.0 as usize].prim)
    }

    fn found(&self, output: &Output) -> Ran<Found> {
        Ok(match output {
            Output::Scalar(Operand::Const(constant)) => Found::Scalar(*constant),
            Output::Scalar(Operand::Value(value)) => match self.plan.slots.get(value) {
                Some(slot) => Found::Cell(*slot, self.known.values.get(value).copied().unwrap_or(Range::NONE)),
                None => Found::Scalar(self.known(Operand::Value(*value))),
            },
            Output::Array { buffer, sizes, .. } => {
                let size = |x: &Operand| {
                    usize::try_from(self.integer(*x))
                        .map_err(|_| self.unsupported("a result whose sizes are beyond all numbers"))
                };
                let sizes = sizes.iter().map(size).collect::<Ran<Vec<usize>>>()?;
                let (memory, _) = self.buffers[buffer.0 as usize].clone().expect("a result is in a buffer");
                Found::Array { memory, sizes, range: self.range_of(*buffer) }
            }
        })
    }

    pub(super) fn known(&self, operand: Operand) -> Const {
        match operand {
            Operand::Value(value) => {
                self.values[value.0 as usize].unwrap_or_else(|| panic!("the host knows what it uses: v{}", value.0))
            }
            Operand::Const(constant) => constant,
        }
    }

    pub(super) fn integer(&self, operand: Operand) -> i64 {
        self.known(operand).integer().map_or(0, |n| n as i64)
    }

    fn truth(&self, operand: Operand) -> bool {
        self.known(operand) == Const::Bool(true)
    }

    pub(super) fn unsupported(&self, reason: &'static str) -> Stop {
        Stop::Ended(Ending::Unsupported(Unsupported { statement: None, reason }))
    }

    fn ended(&self, fault: interpret::Fault, within: Option<Var>) -> Stop {
        Stop::Ended(Ending::Fault(ended(fault, &self.plan.program, within)))
    }

    pub(super) fn spend(&mut self, steps: u64, within: Option<Var>) -> Ran<()> {
        let before = self.steps;
        self.steps = before.saturating_add(steps);
        self.control.reached(before, self.steps).map_err(|fault| self.ended(fault, within))
    }

    /// How many elements a buffer has.
    pub(super) fn length(&self, buffer: Buffer) -> u64 {
        self.buffers[buffer.0 as usize].as_ref().map_or(0, |(_, length)| *length)
    }

    fn steps<'s>(&'s mut self, steps: &'r [Step]) -> Pin<Box<dyn Future<Output = Ran<()>> + Send + 's>> {
        Box::pin(async move {
            for step in steps {
                self.step(step).await?;
            }
            Ok(())
        })
    }

    async fn step(&mut self, step: &'r Step) -> Ran<()> {
        match step {
            Step::Let(value, op, operands) => {
                let operands: Vec<Const> = operands.iter().map(|x| self.known(*x)).collect();
                let prim = self.plan.code.values[value.0 as usize].prim;
                self.values[value.0 as usize] = Some(computed(*op, &operands, prim));
            }
            Step::Assign(cells) => {
                let known: Vec<Const> = cells.iter().map(|(_, x)| self.known(*x)).collect();
                for ((cell, _), constant) in cells.iter().zip(known) {
                    self.values[cell.0 as usize] = Some(constant);
                }
            }
            Step::Check(condition, report) if !self.truth(*condition) => return Err(self.failed(*report).await?),
            Step::Bounds(index, length, report) if !(0..self.integer(*length)).contains(&self.integer(*index)) => {
                return Err(self.failed(*report).await?);
            }
            Step::Check(..) | Step::Bounds(..) => {}
            Step::Fetch(values) => self.fetch(values).await?,
            Step::Alloc(buffer, count) => self.allocate(*buffer, self.integer(*count))?,
            Step::Swap(a, b) => {
                self.buffers.swap(a.0 as usize, b.0 as usize);
                let ranges = [a, b].map(|buffer| self.range_of(*buffer));
                self.known.buffers.extend([(*b, ranges[0]), (*a, ranges[1])]);
            }
            Step::Kernel(k) => {
                self.launch(*k)?;
                self.submission.keep_pace().await?;
            }
            Step::For { index, count, body } => {
                for k in 0..self.integer(*count) {
                    self.spend(1, None)?;
                    self.values[index.0 as usize] = Some(Const::I64(k));
                    self.steps(body).await?;
                }
            }
            Step::While { before, condition, body } => loop {
                self.steps(before).await?;
                if !self.truth(*condition) {
                    break;
                }
                self.spend(1, None)?;
                self.steps(body).await?;
            },
            Step::If { condition, yes, no } => {
                self.steps(if self.truth(*condition) { yes } else { no }).await?;
            }
        }
        Ok(())
    }

    /// What has failed, on the host: unless the device has failed before.
    async fn failed(&mut self, report: Option<usize>) -> Ran<Stop> {
        self.fetch(&[]).await?;
        Ok(match report {
            None => Stop::Failed,
            Some(report) => {
                let blame = &self.plan.reports[report].0;
                let operands: Vec<Const> = blame.operands.iter().map(|x| self.known(*x)).collect();
                Stop::Ended(failed(&blame.statement, blame.span, blame.broken, &operands))
            }
        })
    }

    pub(super) fn allocate(&mut self, buffer: Buffer, count: i64) -> Ran<()> {
        if count > LARGEST {
            return Err(self.unsupported("an array of more than 2^31 elements"));
        }
        // What is negative fails where it is checked.
        let count = count.max(0).unsigned_abs();
        self.held = self.held - self.length(buffer) + count;
        self.control.room(Some(self.held)).map_err(|fault| self.ended(fault, None))?;
        let word = Word::of(self.plan.code.buffers[buffer.0 as usize].prim).stored();
        let memory = self.device.memory(count * word.bytes())?;
        self.buffers[buffer.0 as usize] = Some((memory, count));
        self.known.buffers.remove(&buffer);
        Ok(())
    }

    /// Reads scalars from the device, and whether something has failed there.
    async fn fetch(&mut self, values: &[Value]) -> Ran<()> {
        let Left { fault, cells, .. } = self.submission.read(&[]).await?;
        self.look(&fault)?;
        for value in values {
            let at = self.plan.slots[value] as usize;
            let prim = self.plan.code.values[value.0 as usize].prim;
            let constant = from_words(prim, &cells[at..]);
            self.values[value.0 as usize] = Some(constant);
            self.known.values.insert(*value, Range::of(constant));
        }
        Ok(())
    }

    /// What has failed on the device.
    fn look(&self, words: &[u32]) -> Ran<()> {
        match words[0] {
            0 => Ok(()),
            1 => Err(Stop::Failed),
            OUT_OF_STEPS => {
                let limit = self.control.limits.steps;
                Err(if limit.saturating_sub(self.steps) <= MAX_STEPS {
                    self.ended(interpret::Fault::Budget { what: "steps", limit }, None)
                } else {
                    self.unsupported("a loop of a thread that is too long to be waited for")
                })
            }
            number => {
                let (blame, prims) = &self.plan.reports[number as usize - 2];
                let operands: Vec<Const> =
                    prims.iter().zip(words[2..].chunks(2)).map(|(prim, words)| from_words(*prim, words)).collect();
                Err(Stop::Ended(failed(&blame.statement, blame.span, blame.broken, &operands)))
            }
        }
    }

    /// Reads results, and whether something has failed: the bytes of each array, and of all cells.
    pub(super) async fn read(&mut self, found: &[Found]) -> Ran<(Vec<Vec<u8>>, Vec<u32>)> {
        let mut ranges = Vec::new();
        for (found, output) in found.iter().zip(&self.plan.code.outputs) {
            if let (Found::Array { memory, sizes, .. }, Output::Array { prim, .. }) = (found, output) {
                let bytes = sizes.iter().product::<usize>() as u64 * Word::of(*prim).stored().bytes();
                ranges.push((&memory.buffer, 0, bytes));
            }
        }
        let Left { fault, cells, arrays } = self.submission.read(&ranges).await?;
        self.look(&fault)?;
        Ok((arrays, cells))
    }
}

/// The value of an operation on integers and truth values; where it has none a check has failed before, or will.
pub(super) fn computed(op: Op, x: &[Const], prim: Prim) -> Const {
    match op {
        Op::Select => x[if x[0] == Const::Bool(true) { 1 } else { 2 }],
        Op::Scalar(op) => op.value(x).unwrap_or(prim.zero()),
        Op::LeastWhere | Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Rule(_) | Op::Earlier(_) => {
            panic!("the host leaves reals to the device")
        }
    }
}

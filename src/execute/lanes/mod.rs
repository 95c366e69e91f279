//! Programs on lanes: code as instructions that each work on a block of lanes, shared out to the cores.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums, fused products and the stated error
//! of elementary functions; they do not depend on the number of threads. What cannot be lowered the interpreter
//! does, and what is wrong with a program or its arguments, it says.

mod assemble;
mod compute;
mod dispatch;
mod folds;
mod fused;
mod inline;
mod instruction;
mod kernel;
mod machine;
mod memory;
mod needed;
mod registers;
mod state;
mod team;
mod transfer;
mod vector;

use std::sync::Mutex;

use crate::array::{Prim, Program};
use crate::error::Result;
use crate::interpret::{FromValues, Scalar, ToValues, Value, typed, values};
use crate::lower;
use assemble::{Assembled, In, Out, assemble};
use machine::{Machine, Workspace};

/// A program that is ready to run, from any thread.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// let cost = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
///     points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
/// })?;
/// let gradient = cost.grad(1)?.compile()?;
/// let points = vec![vec![0.5, 1.0]; 1000];
/// let slopes: Vec<Vec<f64>> = gradient.at((&points, [[0.0, 0.0], [4.0, 4.0]]))?;
/// assert_eq!(slopes, [[-1000.0, -2000.0], [0.0, 0.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// Memory is kept from run to run. Reals of both precisions are computed as `f64`, as the interpreter on `f64` does.
#[derive(Debug)]
pub struct Compiled {
    program: Program,
    assembled: core::result::Result<Assembled, &'static str>,
    /// What runs have worked on and left for the next.
    spare: Mutex<Vec<Workspace>>,
}

impl Program {
    /// The program, ready to run on the vector instructions and the cores of this machine.
    ///
    /// # Errors
    /// [`Error::IllTyped`](crate::Error::IllTyped) if the program does not [verify](Program::verify).
    pub fn compile(&self) -> Result<Compiled> {
        self.verify()?;
        let assembled = lower::lower(self).map(|code| assemble(&code)).map_err(|unsupported| unsupported.0);
        Ok(Compiled { program: self.clone(), assembled, spare: Mutex::default() })
    }
}

impl Compiled {
    /// What becomes of the program: its code, in which loops over `lanes` run many iterations at a time and `~` marks what
    /// differs between them; or why it is interpreted.
    #[must_use]
    pub fn explain(&self) -> String {
        match lower::lower(&self.program) {
            Ok(code) => code.to_string(),
            Err(unsupported) => format!("interpreted, because there is {}", unsupported.0),
        }
    }

    /// The results for these arguments.
    ///
    /// # Errors
    /// Those of [`Program::run`].
    pub fn run(&self, arguments: &[Value<f64>]) -> Result<Vec<Value<f64>>> {
        typed(&self.program, arguments)?;
        if let Ok(assembled) = &self.assembled
            && let Some(results) = self.execute(assembled, arguments)
        {
            return Ok(results);
        }
        // It finds what is wrong, and where.
        self.program.run(arguments)
    }

    /// The results for these arguments, both as plain numbers, as for [`Program::at`].
    ///
    /// # Errors
    /// Those of [`Program::at`].
    pub fn at<R: FromValues>(&self, arguments: impl ToValues) -> Result<R> {
        R::from_values(self.run(&values(&self.program, arguments)?)?)
    }

    /// The results, unless a check fails.
    fn execute(&self, code: &Assembled, arguments: &[Value<f64>]) -> Option<Vec<Value<f64>>> {
        let spare = || self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let workspace = spare().pop().unwrap_or_default();
        let mut machine = Machine::new(code, workspace);
        let results = inside(&mut machine, arguments);
        spare().push(machine.workspace());
        results
    }
}

fn inside(machine: &mut Machine<'_>, arguments: &[Value<f64>]) -> Option<Vec<Value<f64>>> {
    let code = machine.code;
    for (port, argument) in code.inputs.iter().zip(arguments) {
        put(machine, port, argument)?;
    }
    machine.run().ok()?;
    code.outputs.iter().map(|out| take(machine, out)).collect()
}

fn integer(scalar: &Scalar<f64>) -> Option<i64> {
    match scalar {
        Scalar::Bool(b) => Some((*b).into()),
        Scalar::I32(n) => Some((*n).into()),
        Scalar::I64(n) => Some(*n),
        Scalar::Real(_) => None,
    }
}

/// Puts an argument where the code expects it.
fn put(machine: &mut Machine<'_>, port: &In, argument: &Value<f64>) -> Option<()> {
    let sizes = |machine: &Machine<'_>, sizes: &[u32]| {
        (sizes.len() == argument.sizes().len()).then_some(())?;
        for (register, size) in sizes.iter().zip(argument.sizes()) {
            machine.state.ints.set(*register, i64::try_from(*size).ok()?);
        }
        Some(())
    };
    match (port, argument) {
        (In::Real(register), Value::Scalar(Scalar::Real(x))) => machine.state.reals.set(*register, *x),
        (In::Int(register), Value::Scalar(x)) => machine.state.ints.set(*register, integer(x)?),
        (In::Reals { buffer, sizes: registers }, Value::Array(_)) => {
            sizes(machine, registers)?;
            let elements = machine.reals[*buffer as usize].own();
            elements.clear();
            for element in argument.elements() {
                let Scalar::Real(x) = element else { return None };
                elements.push(*x);
            }
        }
        (In::Ints { buffer, sizes: registers }, Value::Array(_)) => {
            sizes(machine, registers)?;
            let elements = machine.ints[*buffer as usize].own();
            elements.clear();
            for element in argument.elements() {
                elements.push(integer(element)?);
            }
        }
        _ => return None,
    }
    Some(())
}

fn scalar(n: i64, prim: Prim) -> Scalar<f64> {
    match prim {
        Prim::Bool => Scalar::Bool(n != 0),
        Prim::I32 => Scalar::I32(n as i32),
        Prim::I64 | Prim::F32 | Prim::F64 => Scalar::I64(n),
    }
}

/// The result that the code has left.
fn take(machine: &mut Machine<'_>, out: &Out) -> Option<Value<f64>> {
    let sizes = |machine: &Machine<'_>, sizes: &[u32]| {
        sizes.iter().map(|register| usize::try_from(machine.state.one(*register)).ok()).collect::<Option<Vec<usize>>>()
    };
    match out {
        Out::Real(register) => Some(machine.state.reals.one(*register).into()),
        Out::Int(register, prim) => Some(Value::Scalar(scalar(machine.state.one(*register), *prim))),
        Out::Reals { buffer, sizes: registers } => {
            let sizes = sizes(machine, registers)?;
            let elements = machine.reals[*buffer as usize].all();
            Value::reals(&sizes, elements.iter().copied()).ok()
        }
        Out::Ints { buffer, sizes: registers, prim } => {
            let sizes = sizes(machine, registers)?;
            let elements = machine.ints[*buffer as usize].all();
            Value::array(&sizes, elements.iter().map(|n| scalar(*n, *prim)).collect()).ok()
        }
    }
}

//! Programs on lanes: code as instructions that each work on a block of lanes, shared out to the cores.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums, fused products and the stated error
//! of elementary functions; they do not depend on the number of threads. What cannot be lowered the interpreter
//! does, and what is wrong with a program or its arguments, it says.

mod assemble;
mod cells;
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
mod outer;
mod ports;
mod registers;
mod state;
mod team;
mod transfer;
mod transpose;
mod vector;

use std::sync::Mutex;

use super::Flat;
use crate::array::Program;
use crate::error::{Error, Result};
use crate::interpret::{FromValues, ToValues, Value, typed, values};
use crate::lower;
use assemble::{Assembled, assemble};
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

    /// Leaves the results for these arguments in memory that is used again: nothing is converted, and once the results
    /// have been as large nothing is allocated for them. What was in `results` before does not matter: they become as
    /// many, of such kinds and sizes, as the program has.
    ///
    /// # Errors
    /// Those of [`Program::run`]; then the results are unspecified. [`Error::Length`] for another number of arguments,
    /// [`Error::Argument`] with the parameter's name for one of another kind or rank.
    pub fn run_into(&self, arguments: &[Flat], results: &mut Vec<Flat>) -> Result<()> {
        let Program { names, function, .. } = &self.program;
        Error::lengths("the list of arguments", names.len(), arguments.len())?;
        for ((param, name), argument) in function.params.iter().zip(names).zip(arguments) {
            argument.check(name, self.program.type_of(*param))?;
        }
        if let Ok(code) = &self.assembled {
            results.resize_with(code.outputs.len(), Flat::default);
            let ran = self.with_machine(code, |machine| {
                code.inputs.iter().zip(arguments).try_for_each(|(port, flat)| ports::lend(machine, port, flat))?;
                machine.run().ok()?;
                for (k, (out, result)) in code.outputs.iter().zip(&mut *results).enumerate() {
                    ports::give(machine, out, &code.outputs[k + 1..], result);
                }
                Some(())
            });
            if ran.is_some() {
                return Ok(());
            }
        }
        let arguments: Vec<Value<f64>> = arguments.iter().map(Flat::to_value).collect();
        *results = self.program.run(&arguments)?.iter().map(Flat::from).collect();
        Ok(())
    }

    /// The results, unless a check fails.
    fn execute(&self, code: &Assembled, arguments: &[Value<f64>]) -> Option<Vec<Value<f64>>> {
        self.with_machine(code, |machine| {
            code.inputs.iter().zip(arguments).try_for_each(|(port, value)| ports::put(machine, port, value))?;
            machine.run().ok()?;
            code.outputs.iter().map(|out| ports::take(machine, out)).collect()
        })
    }

    /// Does something with a machine, whose memory then is for the next.
    fn with_machine<'m, T>(&self, code: &'m Assembled, inside: impl FnOnce(&mut Machine<'m>) -> T) -> T {
        let spare = || self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let workspace = spare().pop().unwrap_or_default();
        let mut machine = Machine::new(code, workspace);
        let result = inside(&mut machine);
        spare().push(machine.workspace());
        result
    }
}

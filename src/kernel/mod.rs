//! From programs to code.
//!
//! A map over enough elements becomes a loop over lanes, and what is inside it sequential loops in which each lane does
//! its own work; over few elements it becomes a sequential loop, and what is inside it loops over lanes. Both are
//! there, and the choice is made when the sizes are known. Maps in maps over all elements of arrays are one loop over lanes. A map whose result is used once, element by element, does
//! not run at all: where an element is wanted it is computed.
//!
//! Law: code computes what the reference interpreter computes, but for the order of commutative reductions, and for how
//! associative operators are bracketed over many elements. What a program gets wrong is noticed, and may be noticed
//! where no lane needs it; what goes wrong, and where, the [`stepwise`] code of the program tells
//! (laws: executors::suite).
//!
//! | file | what is in it |
//! |---|---|
//! | `code`, `parts`, `show` | the code, what its statements are made of, and as text |
//! | `statement`, `branch`, `loops`, `map`, `reduce`, `scan`, `scan_levels`, `hist`, `segments`, `accumulate` | a program's statements as code |
//! | `foreign` | functions of Rust as operations and calls |
//! | `operator`, `sweep` | operators known by their text, and the scans, histograms and scatters that are one statement by these |
//! | `check` | what is checked, and what is wrong where a check fails |
//! | `index_space`, `nest`, `memory` | loops over lanes and others, nests of maps as one loop, arrays into memory |
//! | `emit` | the code being written: an operation goes outside of as many loops as can be |
//! | `cursor`, `buffers`, `facts` | of the code being written: where that is, what is in buffers, what is known of values |
//! | `environment` | what variables are bound to |
//! | `view`, `shape`, `liveness` | where elements are, the sizes of results, what can wait |
//! | `fuse_lanes`, `fuse_sequential`, `fuse_shifted`, `shifted_runs`, `interchange` | loops as fewer loops |
//! | `forward_branch_results`, `write_out` | branches as fewer statements, short loops as many |
//! | `contract`, `find_products` | multiply-adds, and products of matrices in loops |
//! | `ranges`, `knowledge`, `conditions`, `integers`, `inequalities`, `polynomial` | which accesses are inside of their buffers, and which checks hold |

mod accumulate;
mod blocks;
mod branch;
mod buffers;
mod check;
pub(crate) mod code;
mod conditions;
pub(crate) mod contract;
mod cursor;
mod emit;
mod environment;
mod facts;
pub(crate) mod find_products;
mod foreign;
pub(crate) mod forward_branch_results;
pub(crate) mod fuse_lanes;
pub(crate) mod fuse_sequential;
#[cfg(feature = "native")]
pub(crate) mod fuse_shifted;
mod hist;
mod index_space;
mod inequalities;
mod integers;
pub(crate) mod interchange;
mod knowledge;
mod liveness;
mod loops;
mod map;
mod memory;
mod nest;
pub(crate) mod operator;
pub(crate) mod parts;
mod polynomial;
pub(crate) mod ranges;
mod reduce;
mod runs;
pub(crate) mod scan;
mod scan_levels;
mod segments;
mod shape;
#[cfg(feature = "native")]
mod shifted_runs;
mod show;
mod statement;
mod sweep;
mod view;
#[cfg(feature = "native")]
pub(crate) mod write_out;

use core::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::array::{Body, Map, Op, Prim, Program, SizeTable, Var};
use code::{Buffer, Code, Operand, Output};
use emit::Emit;
use environment::Environment;
use liveness::Pending;
use view::{Bound, Form};

/// Why a program, or a way to run a part of it, cannot be lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) &'static str);

/// Why a program cannot be lowered, and the statement, as text.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) reason: &'static str,
    pub(crate) statement: String,
}

type Step<T> = Result<T, Unsupported>;

/// A rewrite of code.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Code),
}

/// What an executor lowers programs to: code for loops over lanes that are worth it there, and what it makes of that.
pub(crate) struct Target {
    /// Fewer elements than this are not worth a loop over lanes, if there is another inside.
    pub(crate) wide: i64,
    /// Whether a perfect nest of maps is one loop over lanes even where these have to know where they are in each dimension.
    pub(crate) flat: bool,
    /// Whether a program whose reals are all of single precision is computed in it; else in doubles, which are rounded.
    pub(crate) has_singles: bool,
    /// Whether scans, histograms and scatters of scalars are statements of their own where their operators are known.
    pub(crate) sweeps: bool,
    /// Whether functions of Rust can be called.
    pub(crate) foreign: bool,
    /// Whether several threads may share what is worth it.
    pub(crate) shared: bool,
    /// In order.
    pub(crate) passes: &'static [Pass],
}

/// A program on its way to code. To lower one statement may be to lower any other, whose elements it takes: what does needs all
/// of this, and all else asks for the part that it reads or changes.
struct Lowering<'p> {
    /// As of the [`Target`].
    wide: i64,
    flat: bool,
    sweeps: bool,
    foreign: bool,
    shared: bool,
    /// The sizes of the variables, if a loop carries arrays.
    sizes: OnceCell<SizeTable>,
    /// Which maps wait.
    pending: Pending,
    env: Environment<'p>,
    emit: Emit<'p>,
    /// The buffer that rows are put back into where they are: nothing is read of them.
    put_back: Option<Buffer>,
}

/// What is known of an array that is the same in every run: its sizes, and the least and the greatest of its integers.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) sizes: Vec<usize>,
    pub(crate) range: Option<(i64, i64)>,
}

/// The code of a program that verifies, whose last parameters are always these arrays.
pub(crate) fn lower(program: &Program, known: &[Known], target: &Target) -> Result<Code, Refused> {
    in_passes(program, known, target, |_, _| ())
}

/// The same; `told` is called with the name of each pass and the code that it leaves.
pub(crate) fn in_passes(
    program: &Program,
    known: &[Known],
    target: &Target,
    mut told: impl FnMut(&'static str, &Code),
) -> Result<Code, Refused> {
    let Target { wide, flat, sweeps, foreign, shared, .. } = *target;
    let mut code =
        Lowering { wide, flat, sweeps, foreign, shared, ..Lowering::new(program, false) }.code(known, target)?;
    told("lowered", &code);
    for pass in target.passes {
        (pass.run)(&mut code);
        told(pass.name, &code);
    }
    Ok(code)
}

/// Code that carries out the statements of a program that verifies one after the other, as they are written. It is slow, and
/// where a check fails it is the first statement of the program that goes wrong, which the check knows.
pub(crate) fn stepwise(program: &Program, target: &Target) -> Result<Code, Refused> {
    Lowering { foreign: target.foreign, ..Lowering::new(program, true) }.code(&[], target)
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program, stepwise: bool) -> Self {
        Lowering {
            wide: i64::MAX,
            flat: false,
            sweeps: false,
            foreign: false,
            shared: false,
            sizes: OnceCell::new(),
            pending: if stepwise { Pending::default() } else { Pending::of(program) },
            env: Environment::of(program),
            emit: Emit::new(program, stepwise),
            put_back: None,
        }
    }

    /// The code of the program, whose last parameters are always these arrays.
    fn code(mut self, known: &[Known], target: &Target) -> Result<Code, Refused> {
        let params = &self.emit.program.function.params;
        let given = params.len() - known.len();
        let said = if self.emit.stepwise { FxHashMap::default() } else { self.emit.program.said_sizes() };
        let each = core::iter::repeat_n(None, given).chain(known.iter().map(Some));
        let inputs = params.iter().zip(each).map(|(param, known)| {
            let (port, bound) = self.emit.input(*param, known, &said);
            self.env.bind(*param, bound);
            port
        });
        let inputs = inputs.collect();
        // No input may be changed.
        self.emit.enter_region();
        let outputs = self.outputs();
        let outputs =
            outputs.map_err(|Unsupported(reason)| Refused { reason, statement: self.emit.statement_text() })?;
        let mut code = self.emit.finish(inputs, known, outputs);
        if !target.has_singles {
            code.precision = Prim::F64;
        }
        Ok(code)
    }

    fn outputs(&mut self) -> Step<Vec<Output>> {
        let program = self.emit.program;
        let body = &program.function.body;
        let mut outputs = Vec::new();
        for (result, atom) in self.body(body)?.into_iter().zip(&body.results) {
            // What waits until it is wanted is computed for the statement that binds it.
            self.emit.at.origin = atom.var();
            outputs.push(self.output(result)?);
        }
        Ok(outputs)
    }

    fn output(&mut self, result: Bound<'p>) -> Step<Output> {
        Ok(match result {
            Bound::Scalar(operand) => Output::Scalar(operand),
            Bound::Array(array) => {
                let (buffer, _) = self.whole(&array)?;
                Output::Array { buffer, sizes: array.sizes, prim: array.prim }
            }
        })
    }

    /// Binds what may be used more than once: elements that would be computed again, or whose distance from lane to lane
    /// is large, are copied to where they are near.
    fn bind_element(&mut self, param: Var, element: Bound<'p>) -> Step<()> {
        let element = match element {
            Bound::Array(array) if !self.pending.is_taken_once(param) => match &array.form {
                Form::Pending(..) | Form::Parts(_) => self.settled(Bound::Array(array))?,
                Form::Memory(view)
                    if view.origin.lane.is_some_and(|apart| apart != Operand::int(1))
                        && self.put_back != Some(view.origin.buffer) =>
                {
                    self.copy(&array)?
                }
                Form::Memory(_) | Form::Iota(..) | Form::Replicate(_) => Bound::Array(array),
            },
            other => other,
        };
        self.env.bind(param, element);
        Ok(())
    }

    fn body(&mut self, body: &'p Body) -> Step<Vec<Bound<'p>>> {
        let mut k = 0;
        while let Some(stm) = body.stms.get(k) {
            let later = &body.stms[k + 1..];
            let outside = core::mem::replace(&mut self.emit.at.origin, stm.vars.first().copied());
            if let Op::Map(map) = &stm.op
                && self.emit.lanes.is_some()
                && let Some(count) = self.pending.added(map)
            {
                self.add_each(stm, map, &later[..count])?;
                k += count;
            } else {
                self.statement(stm, later, &body.results)?;
            }
            self.emit.at.origin = outside;
            k += 1;
        }
        Ok(body.results.iter().map(|a| self.env.atom(*a)).collect())
    }

    /// The results of a map's function at an index, computed once in a frame.
    fn call(&mut self, map: &'p Map, index: Operand) -> Step<Vec<Bound<'p>>> {
        if let Some(results) = self.emit.computed(map, index) {
            return Ok(results);
        }
        self.bind_elements(map, index, |_| true)?;
        let results = self.body(&map.function.body)?;
        self.emit.computed_here().insert((core::ptr::from_ref(map), index), results.clone());
        Ok(results)
    }

    /// A result of a map's function at an index.
    fn result(&mut self, map: &'p Map, result: usize, index: Operand) -> Step<Bound<'p>> {
        let Some(part) = self.pending.part(map, result).cloned() else {
            return Ok(self.call(map, index)?[result].clone());
        };
        self.bind_elements(map, index, |k| part.params[k])?;
        let Body { stms, results } = &map.function.body;
        for (k, stm) in stms.iter().enumerate().filter(|(k, _)| part.stms[*k]) {
            self.statement(stm, &stms[k + 1..], results)?;
        }
        Ok(self.env.atom(results[result]))
    }

    /// Binds parameters of a map's function to the elements at an index.
    fn bind_elements(&mut self, map: &'p Map, index: Operand, which: impl Fn(usize) -> bool) -> Step<()> {
        let pairs = map.function.params.iter().zip(&map.arrays).enumerate().filter(|(k, _)| which(*k));
        for (_, (param, array)) in pairs {
            let element = self.element(&self.env.array(*array), index)?;
            self.bind_element(*param, element)?;
        }
        Ok(())
    }

    /// Tries a way to lower something, and leaves nothing of it if it fails.
    fn attempt<T>(&mut self, inside: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        let checkpoint = self.emit.checkpoint();
        inside(self).inspect_err(|_| self.emit.roll_back(checkpoint))
    }
}

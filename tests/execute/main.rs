//! Executors against the reference interpreter, one module for each kind of code.

#[cfg(feature = "native")]
mod along;
mod blocks;
mod branches;
mod carried;
mod constants;
#[cfg(unix)]
#[cfg(feature = "native")]
mod elementary_in_c;
mod halves;
#[cfg(feature = "native")]
mod in_c;
mod into;
#[cfg(feature = "jit")]
mod jit;
mod kept_sums;
mod lanes;
mod limits;
mod loop_blocks;
mod loops;
#[cfg(feature = "native")]
mod native;
mod nests;
#[cfg(all(feature = "jit", feature = "futhark"))]
mod one_by_one;
mod parts;
mod passes;
mod products;
mod put_back;
mod ranges;
mod resized;
mod scans;
#[cfg(unix)]
#[cfg(feature = "native")]
mod shifted;
#[cfg(feature = "native")]
mod short_rows;
mod singles;
mod small;
#[cfg(unix)]
#[cfg(feature = "native")]
mod special_in_c;
mod states;
mod sweeps;
#[cfg(feature = "native")]
mod threads_in_c;
mod whole_loops;
mod work;

use catadiff::array::Program;
use catadiff::execute::Lanes;
use catadiff::interpret::Value;
use catadiff_laws::executors::{self, Sides};

/// The program, prepared once for any number of arguments.
#[track_caller]
fn prepared(program: &Program) -> Sides<'_> {
    Sides::of(&Lanes, program).unwrap_or_else(|e| panic!("{e}\n{program}"))
}

/// Bare lanes give what the interpreter gives.
#[track_caller]
fn same(program: &Program, arguments: &[Value<f64>]) {
    executors::same(&Lanes, program, arguments).unwrap_or_else(|e| panic!("{e}\n{program}"));
}

//! Executors: how array programs run fast on the machine at hand.
//!
//! To add one: a folder beside `cpu` with an implementation of [`Executor`], and its line in [`EXECUTORS`]. The command line, the
//! laws, the tests and the fuzz targets take executors from that list.
//!
//! Law: every executor keeps the contract of [`Executor`], by itself; executors never import each other
//! (laws: executors::suite).

#[cfg(all(feature = "native", not(feature = "unstable")))]
mod c;
#[cfg(all(feature = "native", feature = "unstable"))]
pub mod c;
mod compiled;
mod contract;
mod cpu;
mod fault;
mod flat;
#[cfg(feature = "gpu")]
pub mod gpu;
mod kernel_profile;
#[cfg(not(feature = "unstable"))]
mod math;
#[cfg(feature = "unstable")]
pub mod math;
#[cfg(feature = "mpi")]
pub mod mpi;
mod progress;
mod reference;
mod repeated;
mod report;
mod sparse;

#[cfg(feature = "unstable")]
pub use crate::optimise::distribute::Machine;
#[cfg(feature = "native")]
pub use c::{CText, Native};
pub use compiled::Compiled;
pub use contract::{Ending, Executor, Fault, FaultKind, Outcome, Prepared, Unsupported};
pub use cpu::Lanes;
#[cfg(feature = "unstable")]
pub use cpu::{BaselineLanes, NarrowLanes};
#[cfg(all(feature = "unstable", feature = "jit"))]
pub use cpu::{InstructionLanes, NativeLanes};
pub use flat::{Elements, Flat, Lent};
pub use kernel_profile::{ELEMENTARY, Kernel};
pub use reference::Interpreter;
pub use repeated::Repeated;
pub use report::RunReport;
pub use sparse::CompiledSparse;

/// Every executor; the first is the one that [`Program::compile`](crate::array::Program::compile) takes. Not every machine has what
/// they all run on: whether it has, [`Executor::available`] says.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::EXECUTORS;
/// let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y))?;
/// for executor in EXECUTORS.iter().filter(|executor| executor.available().is_ok()) {
///     let product: f64 = dot.compile_on(*executor)?.at(([1.0, 2.0], [3.0, 4.0]))?;
///     assert_eq!(product, 11.0, "on {}", executor.description());
/// }
/// # Ok::<(), catadiff::Error>(())
/// ```
pub static EXECUTORS: &[&dyn Executor] = &[
    &Lanes,
    #[cfg(feature = "gpu")]
    &gpu::FirstGpu,
    #[cfg(feature = "native")]
    &Native,
    #[cfg(feature = "mpi")]
    &mpi::Mpi::over(&Lanes),
    #[cfg(all(feature = "mpi", feature = "native"))]
    &mpi::Mpi::over(&Native),
    #[cfg(all(feature = "mpi", feature = "gpu"))]
    &mpi::Mpi::over(&gpu::FirstGpu),
    &Interpreter,
];

/// The executor of this [name](Executor::name).
#[must_use]
pub fn executor(name: &str) -> Option<&'static dyn Executor> {
    EXECUTORS.iter().copied().find(|executor| executor.name() == name)
}

//! Programs on GPUs: code as a plan of kernels, which are printed in WGSL and run by wgpu.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums and the stated error of elementary functions; what a
//! GPU cannot run is said, and nothing else runs it (laws: executors::suite).
//!
//! | file | what is in it |
//! |---|---|
//! | `passes` | the passes over programs and code |
//! | `home`, `effects`, `plan`, `show` | where scalars are; which statements can change places; the steps of a run, and as text |
//! | `kernel`, `print`, `scopes`, `elements`, `operation`, `kind` | the text of kernels |
//! | `tiles`, `print_tiles` | loops whose elements a workgroup brings once for many lanes |
//! | `rows`, `copies` | loops whose results a workgroup keeps for the next loop, or adds up for all |
//! | `moved`, `work` | what kernels read and write, and how much they do |
//! | `formula`, `picture` | what the host computes as formulas, and plans as pictures |
//! | `prelude` | functions that kernels call |
//! | `choose`, `proof`, `growth`, `range` | whether integers of 32 bits are enough |
//! | `device`, `self_test` | a GPU, and whether it computes as it should |
//! | `submission`, `transfer`, `bytes` | kernels on their way there, bytes on their way back |
//! | `arrival` | who waits for them, and how |
//! | `run`, `launch` | runs, and the start of a kernel |
//! | `prepared`, `resident` | programs that are ready, arrays that stay there |

mod arrival;
mod bytes;
mod choose;
mod copies;
mod device;
mod effects;
mod elements;
mod formula;
mod growth;
mod home;
mod kernel;
mod kind;
mod launch;
mod moved;
mod operation;
mod passes;
mod picture;
mod plan;
mod prelude;
mod prepared;
mod print;
mod print_tiles;
mod proof;
mod range;
mod resident;
mod rows;
mod run;
mod scopes;
mod self_test;
mod show;
mod submission;
mod tiles;
mod transfer;
mod work;

pub use device::{Gpu, MemoryUse};
pub use prepared::FirstGpu;
pub use resident::Resident;
pub use submission::Counts;
/// The version of wgpu whose devices [`Gpu::from_device`] takes.
pub use wgpu;

use crate::array::Program;
use crate::draw::Drawing;
use crate::error::Result;
use crate::execute::{Flat, Outcome, Unsupported};
use crate::interpret::{Value, typed};

/// The kernels of a program in WGSL, without a device.
///
/// # Errors
/// If no GPU can run the program: which statement is in the way.
pub fn kernels(program: &Program) -> core::result::Result<Vec<String>, Unsupported> {
    Ok(prepared::plan(program)?.kernels.into_iter().map(|kernel| kernel.text).collect())
}

/// Those of [`kernels`] that there are in integers of 32 bits, which run where it is proved that these are enough; and of these the ones
/// whose workgroups bring elements into their memory, which run where it is worth it.
///
/// # Errors
/// As for [`kernels`].
pub fn narrow_kernels(program: &Program) -> core::result::Result<Vec<String>, Unsupported> {
    let plan = prepared::plan(program)?;
    Ok(plan.narrow.into_iter().chain(plan.shared).flatten().map(|kernel| kernel.text).collect())
}

/// What the host does and which kernels it starts in a run of a program, as text, without a device.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::gpu;
/// let norm = Program::trace(|x: Arr<F64>| x.map(|x| x * x).sum())?;
/// let plan = gpu::plan(&norm).expect("a GPU can run it");
/// assert_eq!(plan.lines().count(), 2);
/// assert!(plan.starts_with("kernel 0: lanes < v0, which leave v6 results; reads b0; writes b1\n"), "{plan}");
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// If no GPU can run the program: which statement is in the way.
pub fn plan(program: &Program) -> core::result::Result<String, Unsupported> {
    Ok(prepared::plan(program)?.to_string())
}

/// What the host does and which kernels it starts in a run of a program, as a picture, without a device: kernels with their index
/// spaces and the bytes that they move, in the boxes of the loops and branches in which they are started. Bytes are formulas of the sizes
/// of arguments; where arguments are given, numbers, in the plan that is made for arguments of their sizes. Sizes are called as in the
/// [plan].
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::gpu;
/// let norm = Program::trace_named(&["xs"], |xs: Arr<F64>| xs.map(|x| x * x).sum())?;
/// let picture = gpu::picture(&norm, None)?.expect("a GPU can run it").to_svg();
/// assert!(picture.contains("kernel 0") && picture.contains("reads b0: 8·v0 bytes"), "{picture}");
/// let xs = catadiff::interpret::Value::new([1.0, 2.0, 3.0])?;
/// let picture = gpu::picture(&norm, Some(&[xs]))?.expect("as before").to_svg();
/// assert!(picture.contains("reads b0: 24 bytes"), "{picture}");
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// For arguments that the program does not take; [`Error::TooLarge`](crate::Error::TooLarge) for more boxes than a picture has room
/// for. Inside, if no GPU can run the program: which statement is in the way.
pub fn picture(
    program: &Program,
    arguments: Option<&[Value<f64>]>,
) -> Result<core::result::Result<Drawing, Unsupported>> {
    arguments.map_or(Ok(()), |arguments| typed(program, arguments))?;
    match arguments.map_or_else(|| prepared::plan(program), |arguments| prepared::plan_at(program, arguments)) {
        Ok(plan) => picture::graph(&plan, arguments).drawing().map(Ok),
        Err(unsupported) => Ok(Err(unsupported)),
    }
}

/// Whether a text is a kernel in WGSL, as the compiler of shaders reads it, without a device. In browsers the compiler is theirs, and
/// there is no such function.
///
/// # Errors
/// What is wrong with it, and where.
#[cfg(not(target_family = "wasm"))]
pub fn check(kernel: &str) -> core::result::Result<(), String> {
    device::check(kernel)
}

/// What every [`Gpu`] passes when it is opened, of anything that runs programs: a long loop in one thread, the exponential function in
/// double precision, and a scan. Some drivers get one of them wrong, and do not say so.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) with what is wrong, of the device of this name.
pub fn self_test(run: impl Fn(&Program, &Value<f64>) -> Result<Outcome>, name: &str) -> Result<()> {
    self_test::trials()?
        .iter()
        .try_for_each(|trial| trial.judge(&run(&Program::parse(trial.program)?, &trial.argument)?, name))
}

/// What a run of the program asks of a device; none if it does not come to its end.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) if the device fails.
pub fn counts(gpu: &Gpu, program: &Program, arguments: &[Flat]) -> Result<Option<Counts>> {
    prepared::counted(gpu, program, arguments)
}

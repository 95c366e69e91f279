//! Programs on lanes: code as instructions that each work on a block of lanes, shared out to the cores.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums, the blocks of large scans and
//! histograms, fused products and the stated error of elementary functions; they do not depend on the number of
//! threads. Where a check fails, stepwise code tells what is wrong with the program (laws: executors::suite,
//! tests/execute/scans.rs).
//!
//! | file | what is in it |
//! |---|---|
//! | `passes` | the passes over code, and `find_fma_chains`, the one that is for this machine |
//! | `instruction` | the instructions |
//! | `assemble`, `lanes_loops`, `addresses`, `operation`, `cells`, `fused` | from code to instructions |
//! | `liveness`, `inline`, `registers`, `block_width` | what of it is needed, loaded where it is used, in which register, how many lanes wide |
//! | `machine`, `state`, `memory`, `arguments` | the machine, its registers and buffers, what goes in and out |
//! | `real` | doubles and singles: the machine is generic in them |
//! | `compute`, `vector`, `dispatch` | operations on lanes, compiled for the vector instructions that the processor has |
//! | `kernel`, `fma_chain`, `power_sums`, `row_sums`, `rank_one_update`, `product`, `subnormals`, `transfer`, `transpose`, `folds` | instructions for whole loops |
//! | `sweep`, `scan`, `hist` | scans, histograms and scatters as plain loops |
//! | `scalar_blocks` | scalar code |
//! | `jit` | scalar code, and lanes one after the other, as code of the processor (feature `jit`) |
//! | `prepared`, `fault` | programs that are ready, their runs, and what goes wrong in these |
//! | `parallel`, `budget` | loops shared out to cores, and stopped before their time |
//! | `profile` | where the time goes |

mod addresses;
mod arguments;
mod assemble;
mod block_width;
mod budget;
mod cells;
mod compute;
mod dispatch;
mod fault;
mod find_fma_chains;
mod fma_chain;
mod folds;
mod foreign;
mod fused;
mod hist;
mod inline;
mod instruction;
#[cfg(feature = "jit")]
mod jit;
mod kernel;
mod lanes_loops;
mod liveness;
mod machine;
mod memory;
mod operation;
mod parallel;
mod passes;
mod power_sums;
mod prepared;
mod product;
mod profile;
mod rank_one_update;
mod real;
mod registers;
mod row_sums;
mod scalar_blocks;
mod scan;
mod simd;
mod state;
mod strided;
mod subnormals;
mod sweep;
mod transfer;
mod transpose;
mod vector;

pub use prepared::Lanes;
#[cfg(feature = "unstable")]
pub use prepared::{BaselineLanes, NarrowLanes};
#[cfg(all(feature = "unstable", feature = "jit"))]
pub use prepared::{InstructionLanes, NativeLanes};

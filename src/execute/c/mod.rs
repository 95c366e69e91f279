//! Programs as C: for those who call them from C and what calls C, and compiled by this machine's compiler.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums, fused products and the stated error of
//! elementary functions (laws: executors::suite, tests/execute/in_c.rs, tests/execute/elementary_in_c.rs).
//!
//! | file | what is in it |
//! |---|---|
//! | `passes` | the passes over programs and code that are for C |
//! | `print`, `lanes`, `place`, `operation` | code as C: statements, loops over lanes, elements of buffers, operations |
//! | `rows` | elements side by side that lanes load or store together |
//! | `along` | loops in which each lane goes along a row of its own |
//! | `earlier` | values of earlier lanes |
//! | `share` | loops over lanes in parts that run at the same time |
//! | `sweep` | scans, histograms and scatters as plain loops |
//! | `frame` | small arrays in one piece of memory |
//! | `hoist` | which values are declared at the top of a function |
//! | `unit`, `entry`, `workspace` | files of C, for others a function and how many bytes it needs |
//! | `elementary` | the elementary functions, printed from what they do |
//! | `special` | the functions of any angle and the special ones, with what they call |
//! | `*.h` | what these files begin with: numbers and lanes of them, memory, runs |
//! | `compiler`, `native` | files compiled and kept, programs that run so |
//! | `context`, `heap` | runs as compiled code has them, their memory and what they are held to |

mod along;
mod compiler;
mod context;
mod earlier;
#[cfg(not(feature = "unstable"))]
mod elementary;
#[cfg(feature = "unstable")]
pub mod elementary;
mod entry;
mod frame;
mod heap;
mod hoist;
mod lanes;
mod native;
mod operation;
mod passes;
mod place;
mod print;
mod rows;
mod share;
#[cfg(not(feature = "unstable"))]
mod special;
#[cfg(feature = "unstable")]
pub mod special;
mod sweep;
mod unit;
mod workspace;

pub use entry::CText;
pub use native::Native;

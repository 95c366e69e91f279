//! Programs on lanes: code as instructions that each work on a block of lanes, shared out to the cores.
//!
//! Law: the results are those of the reference interpreter, up to the order of sums, the blocks of large scans and
//! histograms, fused products and the stated error of elementary functions; they do not depend on the number of threads.
//! Where a check fails, stepwise code tells what is wrong with the program.
//!
//! | file | what is in it |
//! |---|---|
//! | `instruction` | the instructions |
//! | `assemble`, `operation`, `cells`, `fused` | from code to instructions |
//! | `needed`, `inline`, `registers`, `wide` | what of it is needed, loaded where it is used, in which register, how many lanes wide |
//! | `machine`, `state`, `memory`, `ports` | the machine, its registers and buffers, what goes in and out |
//! | `compute`, `vector`, `dispatch` | operations on lanes, compiled for the vector instructions that the processor has |
//! | `kernel`, `chain`, `series`, `outer`, `product`, `transfer`, `transpose`, `folds` | instructions for whole loops |
//! | `straight` | scalar code |
//! | `prepared`, `fault` | programs that are ready, their runs, and what goes wrong in these |
//! | `team`, `watch` | loops shared out to cores, and stopped before their time |
//! | `profile` | where the time goes |

mod assemble;
mod cells;
mod chain;
mod compute;
mod dispatch;
mod fault;
mod folds;
mod fused;
mod inline;
mod instruction;
mod kernel;
mod machine;
mod memory;
mod needed;
mod operation;
mod outer;
mod ports;
mod prepared;
mod product;
mod profile;
mod registers;
mod series;
mod state;
mod straight;
mod team;
mod transfer;
mod transpose;
mod vector;
mod watch;
mod wide;

pub use prepared::{Lanes, OnLanes};
pub use profile::{ELEMENTARY, Kernel};

//! The same functions, on the same inputs, in the same run, differentiated by catadiff and by
//! every peer on crates.io that builds.
//!
//! - [`scalar`] and [`workloads`]: the functions, written once over one trait;
//! - [`contenders`]: one file per library, which is also how to add one;
//! - [`suite`]: every workload paired with every contender that can do it;
//! - [`timer`], [`heap`], [`table`]: how the binary measures and reports.
//!
//! ```text
//! cargo run --release -- --md table.md      # every table, and the same to a file
//! cargo run --release -- --quick            # small sizes, few repetitions
//! cargo run --release -- --replays          # the table of recordings that are replayed
//! cargo bench                               # the same rows under criterion
//! ```

pub mod contenders;
pub mod heap;
pub mod row;
pub mod scalar;
pub mod suite;
pub mod table;
pub mod timer;
pub mod workloads;

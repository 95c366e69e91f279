//! The laws, asked of what claims them, and asked of instances that are broken on purpose.

mod broken;
mod executors;
mod instances;
mod kinds;
mod mistaken;
mod programs;

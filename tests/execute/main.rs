//! Executors against the reference interpreter, one module for each kind of code.

mod blocks;
mod carried;
mod constants;
mod into;
mod lanes;
mod limits;
mod loops;
mod parts;
mod products;
mod scans;
mod small;
mod states;
mod suite;
mod whole_loops;
mod work;

//! The table of roofs: for each loop over lanes of the twelve functions and their derivatives, the share of what one core
//! could do at most.
//!
//! `cargo run --release -p catadiff-gradbench --example roofline` prints it; a word after `--` picks a module. What the core
//! can do is measured first, in the same run: multiply-adds on all lanes, and a triad in each cache and in memory. A loop
//! takes at least as long as its operations at the peak, as what its lanes load and store in the nearest cache, and as its
//! arrays, once, where they fit: the longest of these is its roof.

#![allow(unsafe_code, reason = "functions compiled for instructions that the machine was asked for are called here")]

#[path = "../tests/inputs/mod.rs"]
mod inputs;

use std::hint::black_box;
use std::time::{Duration, Instant};

use catadiff::Result;
use catadiff::execute::Kernel;
use catadiff_gradbench::{FUNCTIONS, Task};
use inputs::{data, inputs};

/// Loops that take a smaller part of the time of all are omitted.
const PART: f64 = 0.1;

/// Independent sums that hide the time of a multiply-add, of eight lanes each.
const SUMS: usize = 12;

#[inline(always)]
fn multiply_adds(sums: &mut [[f64; 8]; SUMS], times: usize) {
    let mut now = *sums;
    for _ in 0..times {
        for sum in &mut now {
            *sum = core::array::from_fn(|k| sum[k].mul_add(0.999, 0.001));
        }
    }
    *sums = now;
}

#[inline(always)]
fn triad(to: &mut [f64], b: &[f64], c: &[f64]) {
    for ((to, b), c) in to.iter_mut().zip(b).zip(c) {
        *to = b + 0.5 * c;
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,fma")]
    pub(super) fn multiply_adds_512(sums: &mut [[f64; 8]; super::SUMS], times: usize) {
        super::multiply_adds(sums, times);
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn multiply_adds_256(sums: &mut [[f64; 8]; super::SUMS], times: usize) {
        super::multiply_adds(sums, times);
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,fma")]
    pub(super) fn triad_512(to: &mut [f64], b: &[f64], c: &[f64]) {
        super::triad(to, b, c);
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn triad_256(to: &mut [f64], b: &[f64], c: &[f64]) {
        super::triad(to, b, c);
    }
}

/// The functions for the widest vectors of this processor.
type Probes = (fn(&mut [[f64; 8]; SUMS], usize), fn(&mut [f64], &[f64], &[f64]));

fn probes() -> Probes {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
        {
            // SAFETY: the processor has these instructions.
            return (|s, n| unsafe { wide::multiply_adds_512(s, n) }, |a, b, c| unsafe { wide::triad_512(a, b, c) });
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has these instructions.
            return (|s, n| unsafe { wide::multiply_adds_256(s, n) }, |a, b, c| unsafe { wide::triad_256(a, b, c) });
        }
    }
    (|s, n| multiply_adds(s, n), |a, b, c| triad(a, b, c))
}

/// What one core can do, by the second; bytes for what is no larger than so much.
struct Roofs {
    flops: f64,
    bytes: Vec<(&'static str, u64, f64)>,
}

fn least(time: Duration, mut run: impl FnMut()) -> f64 {
    let (start, mut least) = (Instant::now(), Duration::MAX);
    while start.elapsed() < time {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed());
    }
    least.as_secs_f64()
}

impl Roofs {
    fn measured() -> Self {
        let (multiply_adds, triad) = probes();
        let mut sums = [[1.0; 8]; SUMS];
        let times = 100_000;
        let time = least(Duration::from_millis(300), || multiply_adds(black_box(&mut sums), times));
        let flops = (2 * 8 * SUMS * times) as f64 / time;
        // The arrays of a triad fill half of each level; what is larger than the last is in memory.
        let levels = [("L1", 32 << 10), ("L2", 1 << 20), ("L3", 16 << 20), ("memory", u64::MAX)].map(
            |(name, size): (_, u64)| {
                let n = (size.min(512 << 20) / 2 / 24) as usize;
                let (mut to, b, c) = (vec![0.0; n], vec![1.0; n], vec![2.0; n]);
                let again = (1 << 20) / n + 1;
                let time = least(Duration::from_millis(300), || {
                    for _ in 0..again {
                        triad(black_box(&mut to), black_box(&b), black_box(&c));
                    }
                });
                (name, size, (24 * n * again) as f64 / time)
            },
        );
        Roofs { flops, bytes: levels.to_vec() }
    }

    /// The least time of a loop, and what it is bound by.
    fn roof(&self, kernel: &Kernel) -> (f64, &'static str) {
        let arrays = kernel.arrays / kernel.runs;
        let (level, _, speed) =
            self.bytes.iter().find(|(_, size, _)| arrays <= *size).expect("memory holds everything");
        let all = [
            (kernel.flops as f64 / self.flops, "operations"),
            (kernel.bytes as f64 / self.bytes[0].2, "L1"),
            (kernel.arrays as f64 / speed, *level),
        ];
        all.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are three")
    }
}

/// The loops of a task in the fastest of several runs, and the time of that run.
fn profiled(task: &Task) -> Result<(Vec<Kernel>, Duration)> {
    let (compiled, arguments, mut results) = (task.program.compile()?, &task.inputs, Vec::new());
    let (mut best, mut least, start) = (Vec::new(), Duration::MAX, Instant::now());
    while start.elapsed() < Duration::from_millis(500) {
        let begun = Instant::now();
        let kernels = compiled.profile(arguments, &mut results)?;
        if begun.elapsed() < least {
            (best, least) = (kernels, begun.elapsed());
        }
    }
    Ok((best, least))
}

/// As much of a statement as fits in a table.
fn short(statement: &str) -> String {
    let line = statement.lines().next().unwrap_or_default().trim().replace('|', "\\|");
    let cut: String = line.chars().take(48).collect();
    if cut.len() < line.len() { cut + "…" } else { cut }
}

fn main() -> Result<()> {
    let only = std::env::args().nth(1).unwrap_or_default();
    let roofs = Roofs::measured();
    print!("One core: {:.1} Gflop/s", roofs.flops / 1e9);
    roofs.bytes.iter().for_each(|(name, _, speed)| print!(", {:.0} GB/s in {name}", speed / 1e9));
    println!(
        ".\n\n| function, on the largest input of the tests | loop | share of the time | Gflop/s | GB/s | bound by | share of the roof |"
    );
    println!("|---|---|---:|---:|---:|---|---:|");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    pool.install(|| {
        for f in FUNCTIONS.iter().filter(|f| f.module.contains(&only)) {
            let Some(name) = inputs(f.module).last().cloned() else { continue };
            let (kernels, whole) = profiled(&(f.task)(&data(&format!("{}/{name}.json.gz", f.module)))?)?;
            for kernel in &kernels {
                let time = kernel.time.as_secs_f64();
                let part = time / whole.as_secs_f64();
                if part < PART {
                    continue;
                }
                let (least, bound) = roofs.roof(kernel);
                println!(
                    "| {} {} | `{}` | {:.0} % | {:.2} | {:.1} | {bound} | {:.0} % |",
                    f.module,
                    f.name,
                    short(&kernel.statement),
                    100.0 * part,
                    kernel.flops as f64 / time / 1e9,
                    kernel.bytes as f64 / time / 1e9,
                    100.0 * least / time,
                );
            }
            let inside: f64 = kernels.iter().map(|kernel| kernel.time.as_secs_f64()).sum();
            let between = 1.0 - inside / whole.as_secs_f64();
            if between >= PART {
                println!(
                    "| {} {} | outside of loops over lanes | {:.0} % | | | | |",
                    f.module,
                    f.name,
                    100.0 * between
                );
            }
        }
        Ok(())
    })
}

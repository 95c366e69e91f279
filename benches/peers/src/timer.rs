//! Interleaved timing: each round times every contender once, so that noise falls on all alike.

use std::time::Duration;

use crate::row::Run;

/// How patiently to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many rounds.
    pub rounds: usize,
    /// How long one contender runs in one round, at least: short runs are repeated to fill it.
    pub slice: Duration,
}

/// What one contender's run takes, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The shortest round.
    pub min: f64,
    /// The middle round.
    pub median: f64,
}

/// Times every contender in every round, starting each round one contender further on.
pub fn interleave(runs: &mut [Box<dyn Run>], effort: Effort) -> Vec<Timing> {
    let repeats: Vec<u32> = runs.iter_mut().map(|run| repeats(&mut **run, effort.slice)).collect();
    let mut samples = vec![Vec::with_capacity(effort.rounds); runs.len()];
    for round in 0..effort.rounds {
        for turn in 0..runs.len() {
            let who = (round + turn) % runs.len();
            samples[who].push(runs[who].time(repeats[who]));
        }
    }
    samples.iter_mut().map(|samples| summary(samples)).collect()
}

/// How often to run so as to fill the slice; on the way, the run is warmed up.
fn repeats(run: &mut dyn Run, slice: Duration) -> u32 {
    run.run();
    let mut repeats = 1;
    loop {
        let took = run.time(repeats) * f64::from(repeats);
        if took >= slice.as_secs_f64() || repeats >= 1 << 24 {
            return repeats;
        }
        repeats *= 2;
    }
}

fn summary(samples: &mut [f64]) -> Timing {
    samples.sort_by(f64::total_cmp);
    Timing { min: samples[0], median: samples[samples.len() / 2] }
}

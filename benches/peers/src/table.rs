//! One Markdown table per workload.

use std::fmt::Write;

use crate::contenders::Kind;
use crate::suite::{Mode, Workload};
use crate::timer::Timing;

/// What was measured of one contender.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The contender.
    pub name: String,
    /// What its row stands for.
    pub kind: Kind,
    /// How long a run takes.
    pub timing: Timing,
    /// The most heap one cold run holds at once, where that is wanted.
    pub peak: Option<usize>,
}

/// The table of one workload: rows by time, ratios between the shortest rounds.
pub fn markdown(workload: &Workload, measured: &[Measured], left_out: &[String]) -> String {
    let fastest = |kind: Kind| {
        let of_kind = measured.iter().filter(|row| row.kind == kind);
        of_kind.map(|row| row.timing.min).min_by(f64::total_cmp)
    };
    let [primal, peer] = [fastest(Kind::Primal), fastest(Kind::Peer)];
    let mut rows: Vec<&Measured> = measured.iter().collect();
    rows.sort_by(|a, b| a.timing.min.total_cmp(&b.timing.min));

    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all text");
    line(format!("### {}\n", workload.title));
    line(format!("{} operations in the function.\n", grouped(workload.operations)));
    let heap = workload.mode == Mode::Reverse;
    let (head, rule) = if heap { (" bytes/op |", "---:|") } else { ("", "") };
    line(format!("| contender | min | median | ÷ primal | ÷ best peer |{head}"));
    line(format!("|---|---:|---:|---:|---:|{rule}"));
    for row in rows {
        let name = match row.kind {
            Kind::Ours => format!("**{}**", row.name),
            Kind::Primal | Kind::Hand => format!("*{}*", row.name),
            Kind::Peer => row.name.clone(),
        };
        let bytes = match row.peak {
            Some(peak) => format!(" {:.1} |", peak as f64 / workload.operations as f64),
            None if heap => " |".into(),
            None => String::new(),
        };
        let Timing { min, median } = row.timing;
        let [over_primal, over_peer] = [ratio(min, primal), ratio(min, peer)];
        let [min, median] = [duration(min), duration(median)];
        line(format!("| {name} | {min} | {median} | {over_primal} | {over_peer} |{bytes}"));
    }
    if !left_out.is_empty() {
        line(format!("\nLeft out: {}.", left_out.join("; ")));
    }
    out
}

/// The head of the table of replays.
pub const REPLAYS: &str = "\
| function | operations | value | kept tape | new tape | **replayed** | echidna | CppAD | CppAD optimised | new ÷ kept | \
replayed ÷ new | replayed ÷ best peer |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// A line of the table of replays, nanoseconds per operation; the measured are in the order of the columns.
pub fn replays(workload: &Workload, measured: &[Measured]) -> String {
    let of = |row: usize| {
        let name = &workload.rows.get(row)?.name;
        measured.iter().find(|row| row.name == *name).map(|row| row.timing.min)
    };
    let columns: [Option<f64>; 7] = std::array::from_fn(of);
    let [_, kept, new, replayed, peers @ ..] = columns;
    let best = peers.into_iter().flatten().min_by(f64::total_cmp);
    let share = |time: Option<f64>, unit| time.map_or("–".into(), |time| ratio(time, unit));
    let mut line = format!("| {} | {} |", workload.title, grouped(workload.operations));
    for time in columns {
        let each = time.map_or("–".into(), |time| format!("{:.1}", time * 1e9 / workload.operations as f64));
        write!(line, " {each} |").expect("a string takes all text");
    }
    let [newly, half, first] = [share(new, kept), share(replayed, new), share(replayed, best)];
    format!("{line} {newly} | {half} | {first} |\n")
}

fn ratio(time: f64, unit: Option<f64>) -> String {
    unit.map_or("–".into(), |unit| format!("{:.2}", time / unit))
}

/// Seconds in the unit that leaves one to three digits before the point.
pub fn duration(seconds: f64) -> String {
    let (scale, unit) = match seconds {
        s if s < 1e-6 => (1e9, "ns"),
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{:.2} {unit}", seconds * scale)
}

/// A whole number with a thin space between thousands.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits are ASCII")).collect();
    groups.join("\u{2009}")
}

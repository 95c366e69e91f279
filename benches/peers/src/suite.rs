//! Every workload, with every contender that can do it.

use std::path::Path;
use std::sync::Arc;

use crate::contenders::hand::{HandAdjoint, HandDual};
use crate::contenders::{Forward, Kind, cppad, echidna, ours};
use crate::row::{Ask, Prepare, Row, forward_row, primal_row, reverse_row};
use crate::scalar::Counted;
use crate::workloads::{
    Horner, LogSumExp, Logistic, Map, MatrixProduct, Objective, Powers, Rosenbrock, ThreeBody, sample,
};
use crate::{each_forward, each_reverse};

/// How large the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The sizes the published tables use.
    Full,
    /// Sizes that finish in seconds.
    Quick,
}

impl Scale {
    fn pick(self, full: usize, quick: usize) -> usize {
        match self {
            Scale::Full => full,
            Scale::Quick => quick,
        }
    }
}

/// Forward or reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Tangents pushed forward.
    Forward,
    /// Adjoints swept backward.
    Reverse,
}

/// One function at one size, and who differentiates it.
pub struct Workload {
    /// What is differentiated.
    pub title: String,
    /// In which direction.
    pub mode: Mode,
    /// How many scalar operations the function performs.
    pub operations: usize,
    /// The answer every row but the primal's is checked against.
    pub reference: Prepare,
    /// Who takes part.
    pub rows: Vec<Row>,
    /// Who does not, and why.
    pub skipped: Vec<String>,
}

/// The forward workloads.
pub fn forward(scale: Scale) -> Vec<Workload> {
    let n = scale.pick(100, 20);
    let [at, along] = [sample(n, -1.2, 1.2), sample(2 * n, -1.0, 1.0).split_off(n)];
    let point = vec![0.83];
    let one = || Ask::Along(vec![1.0]);
    let pushed = Ask::Along(sample(12, -1.0, 1.0));
    let bodies = "three bodies in the plane, one leapfrog step, along one direction";
    vec![
        forward_workload("polynomial of 30 terms, Horner", Horner::default(), &point, &one()),
        forward_workload("polynomial of 30 terms, powi", Powers::default(), &point, &one()),
        forward_workload(bodies, ThreeBody::default(), &ThreeBody::STATE, &pushed),
        forward_workload(&format!("Rosenbrock n = {n}, along one direction"), Rosenbrock, &at, &Ask::Along(along)),
        gradient_workload(&format!("Rosenbrock n = {n}, full gradient, forward"), Rosenbrock, &at),
        gradient_workload("Rosenbrock n = 8, full gradient, forward", Rosenbrock, &at[..8]),
    ]
}

/// The reverse workloads.
pub fn reverse(scale: Scale) -> Vec<Workload> {
    let [few, many] = [scale.pick(10_000, 1_000), scale.pick(1_000_000, 20_000)];
    let side = scale.pick(64, 16);
    let steps = scale.pick(1_000_000, 20_000);
    vec![
        reverse_workload(&format!("logsumexp n = {few}"), LogSumExp, &sample(few, -5.0, 5.0)),
        reverse_workload(&format!("logsumexp n = {many}"), LogSumExp, &sample(many, -5.0, 5.0)),
        reverse_workload(&format!("Rosenbrock n = {many}"), Rosenbrock, &sample(many, -1.2, 1.2)),
        reverse_workload(
            &format!("sum of a {side}×{side} matrix product"),
            MatrixProduct { side },
            &sample(2 * side * side, -1.0, 1.0),
        ),
        reverse_workload(
            &format!("{steps} steps of x ← r·x·(1 − x), r = 1 + √6"),
            Logistic { steps },
            &[1.0 + 6f64.sqrt(), 0.3],
        ),
    ]
}

/// Gradients of recordings, from some fifty operations to a million, beside those that run the function again. CppAD takes
/// part if its program is given.
pub fn replays(scale: Scale, cppad: Option<&Path>) -> Vec<Workload> {
    let (few, most) = (48, scale.pick(1_000_000, 1_000));
    let sizes = [few, 96, 1_000, 10_000, 100_000, 1_000_000].into_iter().filter(|size| *size <= most);
    let sides = [3, 4, 8, 16, 40, 64].into_iter().filter(|side: &usize| 2 * side.pow(3) <= most);
    let mut workloads = Vec::new();
    for n in sizes.clone().map(|size| size / 8 + 1) {
        workloads.push(replay_workload("Rosenbrock", Rosenbrock, &sample(n, -1.2, 1.2), ("rosenbrock", n), cppad));
    }
    for n in sizes.clone().map(|size| size / 3) {
        workloads.push(replay_workload("log-sum-exp", LogSumExp, &sample(n, -5.0, 5.0), ("logsumexp", n), cppad));
    }
    for side in sides {
        let (title, x) = (format!("product of {side}×{side} matrices"), sample(2 * side * side, -1.0, 1.0));
        workloads.push(replay_workload(&title, MatrixProduct { side }, &x, ("product", side), cppad));
    }
    for steps in sizes.map(|size| size / 3) {
        let x = [1.0 + 6f64.sqrt(), 0.3];
        workloads.push(replay_workload("logistic map", Logistic { steps }, &x, ("logistic", steps), cppad));
    }
    workloads
}

/// The rows are in the order of the columns of the table.
fn replay_workload<O: Objective + 'static>(
    title: &str,
    objective: O,
    x: &[f64],
    known: (&'static str, usize),
    cppad: Option<&Path>,
) -> Workload {
    let (objective, x) = (Arc::new(objective), Arc::from(x));
    let mut rows = vec![
        primal_row(&objective, &x),
        reverse_row::<ours::Kept, O>(&objective, &x),
        reverse_row::<ours::Verb, O>(&objective, &x),
        reverse_row::<ours::Replayed, O>(&objective, &x),
        reverse_row::<echidna::Recorded, O>(&objective, &x),
    ];
    rows.extend(cppad.into_iter().flat_map(|program| [false, true].map(|by| cppad::row(program, known, &x, by))));
    Workload {
        title: title.into(),
        mode: Mode::Reverse,
        operations: operations(&*objective, &x),
        reference: hand_adjoint(&objective, &x),
        rows,
        skipped: if cppad.is_none() { vec!["CppAD: no program of it was given".into()] } else { Vec::new() },
    }
}

fn operations<M: Map>(map: &M, x: &[f64]) -> usize {
    Counted::operations(x, |x| map.eval(x, &mut vec![x[0]; map.outputs()]))
}

/// Whether a number of this many lanes is measured at this.
fn takes_part<F: Forward>(ask: &Ask, skipped: &mut Vec<String>) -> bool {
    match ask {
        Ask::Along(_) => F::LANES == 1,
        Ask::Gradient if F::LANES > 1 => true,
        Ask::Gradient => {
            if F::KIND == Kind::Peer {
                skipped.push(format!("{}: one lane", F::NAME));
            }
            false
        }
    }
}

fn forward_rows<M: Map + 'static>(map: &Arc<M>, x: &Arc<[f64]>, ask: &Ask) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut skipped) = (vec![primal_row(map, x)], Vec::new());
    macro_rules! add {
        ($Number:ty) => {
            if takes_part::<$Number>(ask, &mut skipped) {
                rows.push(forward_row::<$Number, M>(map, x, ask));
            }
        };
    }
    each_forward!(add);
    (rows, skipped)
}

/// Checked against the hand-written dual, which the tests check against differences.
fn forward_workload<M: Map + 'static>(title: &str, map: M, x: &[f64], ask: &Ask) -> Workload {
    let (map, x) = (Arc::new(map), Arc::from(x));
    let (rows, skipped) = forward_rows(&map, &x, ask);
    Workload {
        title: title.into(),
        mode: Mode::Forward,
        operations: operations(&*map, &x),
        reference: forward_row::<HandDual, M>(&map, &x, ask).prepare,
        rows,
        skipped,
    }
}

/// Checked against the adjoint derived by hand.
fn gradient_workload<O: Objective + 'static>(title: &str, objective: O, x: &[f64]) -> Workload {
    let (objective, x) = (Arc::new(objective), Arc::from(x));
    let (rows, skipped) = forward_rows(&objective, &x, &Ask::Gradient);
    Workload {
        title: title.into(),
        mode: Mode::Forward,
        operations: operations(&*objective, &x),
        reference: hand_adjoint(&objective, &x),
        rows,
        skipped,
    }
}

fn reverse_workload<O: Objective + 'static>(title: &str, objective: O, x: &[f64]) -> Workload {
    let (objective, x) = (Arc::new(objective), Arc::from(x));
    let mut rows = vec![primal_row(&objective, &x)];
    macro_rules! add {
        ($Contender:ty) => {
            rows.push(reverse_row::<$Contender, O>(&objective, &x));
        };
    }
    each_reverse!(add);
    Workload {
        title: format!("{title}, gradient"),
        mode: Mode::Reverse,
        operations: operations(&*objective, &x),
        reference: hand_adjoint(&objective, &x),
        rows,
        skipped: Vec::new(),
    }
}

fn hand_adjoint<O: Objective + 'static>(objective: &Arc<O>, x: &Arc<[f64]>) -> Prepare {
    reverse_row::<HandAdjoint, O>(objective, x).prepare
}

impl Workload {
    /// How far `result` is from the reference, componentwise and relative; a component a million
    /// times smaller than the largest is measured against that millionth instead.
    ///
    /// # Panics
    /// If the reference itself cannot be prepared.
    pub fn error(&self, result: &[f64]) -> f64 {
        let mut reference = (self.reference)().expect("the reference is always available");
        reference.run();
        let expected = reference.result();
        if expected.len() != result.len() {
            return f64::INFINITY;
        }
        let floor = 1e-6 * expected.iter().fold(0.0_f64, |most, e| most.max(e.abs()));
        let each = result.iter().zip(expected).map(|(r, e)| (r - e).abs() / e.abs().max(floor));
        each.fold(0.0, |worst, e| if e > worst || e.is_nan() { e } else { worst })
    }
}

impl Row {
    /// Whether the row's result is a derivative at all.
    pub fn is_derivative(&self) -> bool {
        self.kind != Kind::Primal
    }
}

//! A row of a table: one contender made ready to run one workload, its type forgotten.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use crate::contenders::{Forward, Kind, Reverse};
use crate::workloads::{Map, Objective};

/// Something ready to run over and over.
pub trait Run {
    /// Runs once.
    fn run(&mut self);
    /// What the last run computed.
    fn result(&self) -> &[f64];
    /// The seconds that a run takes, in this many of them. What runs in a process of its own is timed there.
    fn time(&mut self, repeats: u32) -> f64 {
        let start = Instant::now();
        for _ in 0..repeats {
            self.run();
        }
        start.elapsed().as_secs_f64() / f64::from(repeats)
    }
}

/// Makes a [`Run`], or says why not.
pub type Prepare = Box<dyn Fn() -> Result<Box<dyn Run>, String> + Send + Sync>;

/// One contender at one workload.
pub struct Row {
    /// The contender.
    pub name: String,
    /// What the row stands for.
    pub kind: Kind,
    /// Makes it ready to run; what this does is not timed.
    pub prepare: Prepare,
}

/// What forward mode is to compute.
#[derive(Clone, Debug)]
pub enum Ask {
    /// The derivative along one direction.
    Along(Vec<f64>),
    /// Every partial derivative of the one output, as many at a time as there are lanes.
    Gradient,
}

/// The row of the function itself.
pub fn primal_row<M: Map + 'static>(map: &Arc<M>, x: &Arc<[f64]>) -> Row {
    let (map, x) = (Arc::clone(map), Arc::clone(x));
    let prepare = move || -> Result<Box<dyn Run>, String> {
        let y = vec![0.0; map.outputs()];
        Ok(Box::new(PrimalRun { map: Arc::clone(&map), x: Arc::clone(&x), y }))
    };
    Row { name: "primal f64".into(), kind: Kind::Primal, prepare: Box::new(prepare) }
}

struct PrimalRun<M> {
    map: Arc<M>,
    x: Arc<[f64]>,
    y: Vec<f64>,
}

impl<M: Map> Run for PrimalRun<M> {
    fn run(&mut self) {
        self.map.eval(black_box(&*self.x), &mut self.y);
        black_box(&self.y);
    }
    fn result(&self) -> &[f64] {
        &self.y
    }
}

/// The row of a forward contender.
pub fn forward_row<F: Forward + 'static, M: Map + 'static>(map: &Arc<M>, x: &Arc<[f64]>, ask: &Ask) -> Row {
    let (map, x, ask) = (Arc::clone(map), Arc::clone(x), ask.clone());
    let wide = match F::LANES {
        1 => String::new(),
        lanes => format!(" ×{lanes}"),
    };
    let prepare = move || -> Result<Box<dyn Run>, String> {
        let inputs: Vec<F> = x.iter().map(|&x| F::constant(x)).collect();
        let (map, x, ask) = (Arc::clone(&map), Arc::clone(&x), ask.clone());
        let outputs = vec![inputs[0]; map.outputs()];
        Ok(match ask {
            Ask::Along(v) => Box::new(AlongRun { v, result: vec![0.0; map.outputs()], map, x, inputs, outputs }),
            Ask::Gradient => Box::new(GradientRun { result: vec![0.0; x.len()], map, x, inputs, outputs }),
        })
    };
    Row { name: format!("{}{wide}", F::NAME), kind: F::KIND, prepare: Box::new(prepare) }
}

struct AlongRun<F, M> {
    map: Arc<M>,
    x: Arc<[f64]>,
    v: Vec<f64>,
    inputs: Vec<F>,
    outputs: Vec<F>,
    result: Vec<f64>,
}

impl<F: Forward, M: Map> Run for AlongRun<F, M> {
    fn run(&mut self) {
        let (x, v) = black_box((&*self.x, &*self.v));
        for ((input, &x), &v) in self.inputs.iter_mut().zip(x).zip(v) {
            *input = F::seed(x, 0, v);
        }
        self.map.eval(&self.inputs, &mut self.outputs);
        for (result, output) in self.result.iter_mut().zip(&self.outputs) {
            *result = output.tangent(0);
        }
        black_box(&self.result);
    }
    fn result(&self) -> &[f64] {
        &self.result
    }
}

struct GradientRun<F, M> {
    map: Arc<M>,
    x: Arc<[f64]>,
    inputs: Vec<F>,
    outputs: Vec<F>,
    result: Vec<f64>,
}

impl<F: Forward, M: Map> Run for GradientRun<F, M> {
    fn run(&mut self) {
        let x = black_box(&*self.x);
        for (from, result) in (0..x.len()).step_by(F::LANES).zip(self.result.chunks_mut(F::LANES)) {
            for lane in 0..result.len() {
                self.inputs[from + lane] = F::seed(x[from + lane], lane, 1.0);
            }
            self.map.eval(&self.inputs, &mut self.outputs);
            for (lane, result) in result.iter_mut().enumerate() {
                *result = self.outputs[0].tangent(lane);
                self.inputs[from + lane] = F::constant(x[from + lane]);
            }
        }
        black_box(&self.result);
    }
    fn result(&self) -> &[f64] {
        &self.result
    }
}

/// The row of a reverse contender.
pub fn reverse_row<R: Reverse + 'static, O: Objective + 'static>(objective: &Arc<O>, x: &Arc<[f64]>) -> Row {
    let (objective, x) = (Arc::clone(objective), Arc::clone(x));
    let prepare = move || -> Result<Box<dyn Run>, String> {
        let contender = R::prepare(&*objective, &x)?;
        let (objective, x) = (Arc::clone(&objective), Arc::clone(&x));
        Ok(Box::new(ReverseRun { objective, x, contender, result: Vec::new() }))
    };
    Row { name: R::NAME.into(), kind: R::KIND, prepare: Box::new(prepare) }
}

struct ReverseRun<R, O> {
    objective: Arc<O>,
    x: Arc<[f64]>,
    contender: R,
    result: Vec<f64>,
}

impl<R: Reverse, O: Objective> Run for ReverseRun<R, O> {
    fn run(&mut self) {
        let x = black_box(&*self.x);
        self.contender.gradient(&*self.objective, x, &mut self.result);
        black_box(&self.result);
    }
    fn result(&self) -> &[f64] {
        &self.result
    }
}

//! Newton's method for k-means as one program, and its runs on either executor.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32};
use catadiff::execute::gpu::{Gpu, Resident};
use catadiff::execute::{Compiled, Flat};
use catadiff::{Elementary, Result};

use crate::points::Points;

type Matrix = Arr<Arr<F32>>;

/// From points and centres: the next centres, the cost of these, and the centre next to each point.
///
/// Nobody wrote a derivative: the gradient is reverse mode on the cost, and the diagonal of the Hessian, which is all there is of it, is
/// forward mode on that.
///
/// # Errors
/// None: the program is right.
pub fn step() -> Result<Program> {
    let cost = Program::trace_named(&["points", "centres"], |points: Matrix, centres: Matrix| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })?;
    let newton = cost.grad("centres")?.jvp_wrt("centres")?;
    let step = Program::trace_named(&["points", "centres"], |points: Matrix, centres: Matrix| {
        let (gradient, diagonal): (Matrix, Matrix) = newton.call((points, centres, centres.zeros_like() + 1.0));
        // Where no point is near, the cost is flat: the centre stays. Else the diagonal is twice the number of points.
        let next = centres.map3(gradient, diagonal, |c, g, h| c.map3(g, h, |c, g, h| c - g / h.max(1.0)));
        let cost: F32 = cost.call((points, centres));
        let nearest = points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).argmin());
        (next, cost, nearest)
    })?;
    Ok(step.simplified())
}

/// What a step has found.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Where the centres are now, two numbers each.
    pub centres: Vec<f32>,
    /// The sum of the squared distances of points from the centres next to them, before the step.
    pub cost: f32,
    /// The number of the centre next to each point, before the step.
    pub nearest: Vec<i64>,
}

/// Points that are clustered, on an executor.
#[derive(Debug)]
pub enum Clustering {
    /// On a GPU, where the points stay.
    Gpu {
        /// The device.
        gpu: Gpu,
        /// The step, compiled for it.
        step: Compiled,
        /// The points and the centres.
        state: [Resident; 2],
    },
    /// On the processor.
    Processor {
        /// The step, compiled for it.
        step: Compiled,
        /// The points and the centres.
        state: [Flat; 2],
    },
}

fn matrix(numbers: &[f32]) -> Result<Flat> {
    Flat::singles(&[numbers.len() / 2, 2], numbers.to_vec())
}

impl Clustering {
    /// On the processor.
    ///
    /// # Errors
    /// Those of compilation.
    pub fn on_processor(points: &Points) -> Result<Self> {
        let state = [matrix(&points.points)?, matrix(&points.centres)?];
        Ok(Clustering::Processor { step: step()?.compile()?, state })
    }

    /// On a GPU.
    ///
    /// # Errors
    /// If it cannot run the program, or has no room for the points.
    pub fn on_gpu(gpu: &Gpu, points: &Points) -> Result<Self> {
        let state = [gpu.put(&matrix(&points.points)?)?, gpu.put(&matrix(&points.centres)?)?];
        Ok(Clustering::Gpu { gpu: gpu.clone(), step: step()?.compile_on(gpu)?, state })
    }

    /// One step of Newton's method.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn step(&mut self) -> Result<Step> {
        let found = match self {
            Clustering::Gpu { gpu, step, state } => {
                let results = step.run_on_async(&[&state[0], &state[1]]).await?;
                let mut found = Vec::new();
                for result in &results {
                    found.push(gpu.get_async(result).await?);
                }
                state[1] = results.into_iter().next().expect("the first result");
                found
            }
            Clustering::Processor { step, state } => {
                let mut found = Vec::new();
                step.run_into(state, &mut found)?;
                state[1] = found[0].clone();
                found
            }
        };
        let numbers = |flat: &Flat| flat.as_singles().expect("numbers in single precision").to_vec();
        let nearest = found[2].as_integers().expect("the numbers of centres").to_vec();
        Ok(Step { centres: numbers(&found[0]), cost: numbers(&found[1])[0], nearest })
    }
}

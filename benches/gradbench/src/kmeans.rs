//! `kmeans`: the sum of squared distances of points from the centroids next to them, and Newton's direction for it.
//!
//! Law: `f(C) = Σᵢ minⱼ ‖Pᵢ − Cⱼ‖²`. Its Hessian is diagonal where points are not between centroids, so the Hessian
//! times the vector of ones is the diagonal, and the direction is `∇f ⊘ H·1`.

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use serde_json::Value as Json;

use crate::Task;
use crate::json::reals;

type Matrix = Arr<Arr<F64>>;

pub(crate) fn objective() -> Result<Program> {
    Program::trace_named(&["points", "centroids"], |points: Matrix, centroids: Matrix| {
        points.map(|p| centroids.map(|c| (p - c).map(|x| x * x).sum()).min()).sum()
    })
}

fn direction() -> Result<Program> {
    let newton = objective()?.grad("centroids")?.jvp_wrt("centroids")?;
    let direction = Program::trace_named(&["points", "centroids"], |points: Matrix, centroids: Matrix| {
        let ones = centroids.zeros_like() + 1.0;
        let (gradient, diagonal): (Matrix, Matrix) = newton.call((points, centroids, ones));
        gradient / diagonal
    })?;
    Ok(direction.simplified())
}

fn task(program: Program, input: &Json) -> Result<Task> {
    let inputs = vec![reals(input, "points", 2)?, reals(input, "centroids", 2)?];
    Task::value(program, inputs)
}

pub(crate) fn cost(input: &Json) -> Result<Task> {
    task(objective()?, input)
}

pub(crate) fn dir(input: &Json) -> Result<Task> {
    task(direction()?, input)
}

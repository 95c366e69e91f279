//! The iterative closest point method (Besl and McKay, 1992): how one cloud of points has to be turned and moved to lie on another. Each step takes
//! for each point the nearest one, and then a step of Gauss and Newton, whose Jacobian is that of Rodrigues's formula in forward mode.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, literal, loop_for};
use catadiff::{Elementary, Result};

type Vector = Arr<F64>;
type Cloud = Arr<Vector>;

fn cross(a: Vector, b: Vector) -> Vector {
    let (next, last) = (|v: Vector| v.roll(-1), |v: Vector| v.roll(1));
    next(a) * last(b) - last(a) * next(b)
}

/// The point turned by the first three numbers of the pose and moved by the others.
fn moved(pose: Vector, point: Vector) -> Vector {
    let (axis, shift) = (pose.take(3), pose.drop(3));
    let angle = (axis.dot(axis) + 1e-20).sqrt();
    let axis = axis / angle;
    point * angle.cos() + cross(axis, point) * angle.sin() + axis * (axis.dot(point) * (1.0 - angle.cos())) + shift
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let residuals = Program::trace(|pose: Vector, points: Cloud, nearest: Cloud| {
        (points.map(|p| moved(pose, p)) - nearest).flatten()
    })?;
    let jacobian = residuals.jacfwd(0)?;
    let register = Program::trace(move |points: Cloud, others: Cloud| {
        loop_for(12, literal([0.01; 6]), |_, pose| {
            let square = |v: Vector| v.dot(v);
            let next_to = |p: Vector| others.index(others.map(|q| square(q - p)).argmin());
            let nearest = points.map(|p| next_to(moved(pose, p)));
            let j = jacobian.call::<Cloud>((pose, points, nearest)).transpose();
            pose - j.matmul(j.transpose()).solve(j.matvec(residuals.call((pose, points, nearest))))
        })
    })?;
    let helix = |t: f64| [t.cos(), t.sin() * 0.7, 0.3 * t];
    let points: Vec<[f64; 3]> = (0..30).map(|k| helix(f64::from(k) * 0.3)).collect();
    // Turned by 0.2 about the third axis, moved a little, and with noise.
    let turned = |[x, y, z]: [f64; 3]| [x * 0.2_f64.cos() - y * 0.2_f64.sin() + 0.05, x * 0.2_f64.sin() + y * 0.2_f64.cos() - 0.03, z + 0.02];
    let others: Vec<[f64; 3]> = points.iter().map(|p| turned(*p)).map(|[x, y, z]| [x, y, z + 0.01 * (x * 40.0).sin()]).collect();
    let pose: Vec<f64> = register.compile()?.at((points, others))?;
    Ok(pose)
}

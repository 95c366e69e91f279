//! Differentiable rendering of an implicit surface: rays march along a signed distance (Hart, "Sphere Tracing", 1996), and the derivative of
//! where they end is that of the implicit function theorem, so nothing of the march is kept. A ball is found from its
//! picture, by steps of Gauss and Newton.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, linspace, literal, loop_for};
use catadiff::solvers::custom_root;
use catadiff::Result;

type Vector = Arr<F64>;

/// A ball, of a centre and a radius, and a floor, melted into one another.
fn distance(scene: Vector, at: Vector) -> F64 {
    let ball = (at - scene.take(3)).norm() - scene.index(3);
    literal([ball * -8.0, (at.index(1) + 1.0) * -8.0]).logsumexp() / -8.0
}

/// Where a ray from the eye is.
fn along(ray: Vector, t: F64) -> Vector {
    literal([0.0, 1.0, -3.0]) + ray * t
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let normal = Program::trace(distance)?.grad(1)?;
    let render = Program::trace(move |scene: Vector| {
        let shade = |x: F64, y: F64| {
            let ray = literal([x, y - 0.5, 1.0.into()]);
            let march = |(scene, ray): (Vector, Vector)| loop_for(60, 0.0, |_, t| t + distance(scene, along(ray, t)) / ray.norm());
            let t = custom_root((scene, ray), march, |(scene, ray), t: F64| distance(scene, along(ray, t)));
            normal.call::<Vector>((scene, along(ray, t))).dot(literal([0.6, 0.7, -0.4]))
        };
        let across = linspace(F64::from(-0.4), 0.4, 10);
        across.map(|y| across.map(|x| shade(x, y))).flatten()
    })?;
    let jacobian = render.jacfwd(0)?;
    let find = Program::trace(move |truth: Vector, start: Vector| {
        let picture: Vector = render.call(truth);
        let scene = loop_for(10, start, |_, scene| {
            let j = jacobian.call::<Arr<Vector>>(scene).transpose();
            let error = render.call::<Vector>(scene) - picture;
            scene - j.matmul(j.transpose()).with_ridge(1e-3).solve(j.matvec(error))
        });
        (scene, picture)
    })?;
    let (scene, picture): (Vec<f64>, Vec<f64>) = find.compile()?.at(([0.1, -0.1, 0.3, 0.8], [0.0, 0.0, 0.2, 0.7]))?;
    Ok([scene, picture].concat())
}

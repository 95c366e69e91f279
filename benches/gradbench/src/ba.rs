//! `ba`: bundle adjustment, the errors of points seen by cameras, and their sparse Jacobian.
//!
//! Law: each observation depends on one camera, one point and one weight only, so the Jacobian of all observations is
//! that of each one by these, in rows of 11 + 3 + 1 entries.

use std::array::from_fn;

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, literal};
use catadiff::execute::Flat;
use catadiff::{Elementary, Real, Result};
use serde_json::{Value as Json, json};

use crate::json::{count, numbers, reals, vector};
use crate::{Task, Written};

type Vector = Arr<F64>;
type Matrix = Arr<Vector>;

fn dot<R: Real>(x: [R; 3], y: [R; 3]) -> R {
    let [a, b, c] = from_fn(|k| x[k] * y[k]);
    a + b + c
}

fn cross<R: Real>([a, b, c]: [R; 3], [x, y, z]: [R; 3]) -> [R; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

/// A point turned by a rotation `r`, about its direction and by its norm `θ` (Rodrigues):
/// `x cos θ + (r × x) sin θ / θ + r (r · x) (1 − cos θ) / θ²`, and `x + r × x` if `θ` is 0.
fn rotated(r: [F64; 3], x: [F64; 3]) -> [F64; 3] {
    let square = dot(r, r);
    let still = square.eq(0.0).to_f64();
    let square = still.select(1.0, square);
    let angle = square.sqrt();
    let kept = still.select(1.0, angle.cos());
    let sideways = still.select(1.0, angle.sin() / angle);
    let along = dot(r, x) * (1.0 - kept) / square;
    let across = cross(r, x);
    from_fn(|k| x[k] * kept + across[k] * sideways + r[k] * along)
}

/// Where a camera, of rotation, centre, focal length, principal point and two radial distortions, sees a point.
fn projected(camera: [F64; 11], point: [F64; 3]) -> [F64; 2] {
    let [r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2] = camera;
    let centre = [c0, c1, c2];
    let [x, y, z] = rotated([r0, r1, r2], from_fn(|k| point[k] - centre[k]));
    let seen = [x / z, y / z];
    let square = seen[0] * seen[0] + seen[1] * seen[1];
    let distortion = 1.0 + k1 * square + k2 * square * square;
    let principal = [u0, v0];
    from_fn(|k| seen[k] * distortion * focal + principal[k])
}

/// The errors of an observation: where the camera sees the point, against the feature found in its picture.
fn reprojection(camera: [F64; 11], point: [F64; 3], weight: F64, feature: Vector) -> [F64; 2] {
    let seen = projected(camera, point);
    from_fn(|k| weight * (seen[k] - feature.index(k)))
}

fn weight_error(weight: F64) -> F64 {
    1.0 - weight * weight
}

const NAMES: [&str; 6] = ["cameras", "points", "weights", "features", "camera", "point"];

fn program() -> Result<Program> {
    Program::trace_named(
        &NAMES,
        |cameras: Matrix, points: Matrix, weights: Vector, features: Matrix, camera: Arr<I64>, point: Arr<I64>| {
            let errors = camera.zip3(point, weights).map2(features, |(camera, point, weight), feature| {
                let (camera, point) = (from_fn(|k| cameras.index2(camera, k)), from_fn(|k| points.index2(point, k)));
                literal(reprojection(camera, point, weight, feature))
            });
            (errors, weights.map(weight_error))
        },
    )
}

/// The row of the Jacobian of each error of each observation, by the camera, the point and the weight; and the
/// derivative of each weight's error.
fn rows() -> Result<Program> {
    let error = |k: usize| {
        Program::trace(|camera: Vector, point: Vector, weight: F64, feature: Vector| {
            reprojection(from_fn(|k| camera.index(k)), from_fn(|k| point.index(k)), weight, feature)[k]
        })?
        .vjp()
    };
    let reverse = [error(0)?, error(1)?];
    let of_weight = Program::trace(weight_error)?.vjp()?;
    let rows = Program::trace_named(
        &NAMES,
        |cameras: Matrix, points: Matrix, weights: Vector, features: Matrix, camera: Arr<I64>, point: Arr<I64>| {
            let rows = camera.zip3(point, weights).map2(features, |(camera, point, weight), feature| {
                let row = |k: usize| {
                    let at = (cameras.index(camera), points.index(point), weight, feature, 1.0);
                    let (_, (camera, point), (weight, _)): (F64, (Vector, Vector), (F64, Vector)) = reverse[k].call(at);
                    literal::<[F64; 15]>(from_fn(|k| match k {
                        0..11 => camera.index(k),
                        11..14 => point.index(k - 11),
                        _ => weight,
                    }))
                };
                literal([row(0), row(1)])
            });
            let by_weight = weights.map(|weight| of_weight.call::<(F64, F64)>((weight, 1.0)).1);
            (rows, by_weight)
        },
    )?;
    Ok(rows.simplified())
}

/// The sizes of a problem: cameras, points and observations.
#[derive(Clone, Copy)]
struct Sizes {
    cameras: usize,
    points: usize,
    observations: usize,
}

impl Sizes {
    fn of(input: &Json) -> Result<Sizes> {
        Ok(Sizes { cameras: count(input, "n")?, points: count(input, "m")?, observations: count(input, "p")? })
    }

    /// The camera and the point of an observation.
    fn seen(self, observation: usize) -> (usize, usize) {
        (observation % self.cameras, observation % self.points)
    }

    /// The columns of both rows of an observation.
    fn columns(self, observation: usize) -> impl DoubleEndedIterator<Item = usize> + Clone {
        let (camera, point) = self.seen(observation);
        let (points, weights) = (11 * self.cameras, 11 * self.cameras + 3 * self.points);
        (0..11)
            .map(move |k| 11 * camera + k)
            .chain((0..3).map(move |k| points + 3 * point + k))
            .chain([weights + observation])
    }
}

fn repeated(array: &Flat, n: usize) -> Result<Flat> {
    Flat::reals(&[&[n], array.sizes()].concat(), numbers(array).repeat(n))
}

/// The benchmark describes one camera, one point, one weight and one feature, and has them repeated.
fn inputs(input: &Json) -> Result<Vec<Flat>> {
    let sizes = Sizes::of(input)?;
    let (camera, point): (Vec<i64>, Vec<i64>) =
        (0..sizes.observations).map(|i| sizes.seen(i)).map(|(camera, point)| (camera as i64, point as i64)).unzip();
    Ok(vec![
        repeated(&vector(input, "cam", 11)?, sizes.cameras)?,
        repeated(&vector(input, "x", 3)?, sizes.points)?,
        repeated(&reals(input, "w", 0)?, sizes.observations)?,
        repeated(&vector(input, "feat", 2)?, sizes.observations)?,
        Flat::integers(&[sizes.observations], camera)?,
        Flat::integers(&[sizes.observations], point)?,
    ])
}

pub(crate) fn objective(input: &Json) -> Result<Task> {
    let sizes = Sizes::of(input)?;
    let output = move |results: &mut [Flat]| {
        let (errors, weights) = (numbers(&results[0]), numbers(&results[1]));
        Written::Json(json!({
            "reproj_error": { "elements": errors[..2], "repeated": sizes.observations },
            "w_err": { "element": weights[0], "repeated": sizes.observations },
        }))
    };
    Ok(Task { program: program()?, inputs: inputs(input)?, output: Box::new(output) })
}

/// The matrix in compressed rows: for each row where its entries start, and then for each entry its column and its
/// value. The benchmark asks for the first thirty of each list, and the last.
fn compressed(sizes: Sizes, results: &[Flat]) -> Json {
    let observations = sizes.observations;
    let of_errors = (0..2 * observations).map(|row| 15 * row);
    let of_weights = (0..=observations).map(|row| 30 * observations + row);
    let rows = of_errors.chain(of_weights);
    let of_errors = (0..observations).flat_map(move |i| sizes.columns(i).chain(sizes.columns(i)));
    let of_weights = (0..observations).map(move |i| 11 * sizes.cameras + 3 * sizes.points + i);
    let columns = of_errors.chain(of_weights);
    let values = results.iter().flat_map(numbers).copied();
    json!({ "rows": shortened(rows), "cols": shortened(columns), "vals": shortened(values) })
}

fn shortened<T: Into<Json>>(mut list: impl DoubleEndedIterator<Item = T>) -> Vec<Json> {
    let first: Vec<T> = list.by_ref().take(30).collect();
    first.into_iter().chain(list.next_back()).map(Into::into).collect()
}

pub(crate) fn jacobian(input: &Json) -> Result<Task> {
    let sizes = Sizes::of(input)?;
    let output = move |results: &mut [Flat]| Written::Json(compressed(sizes, results));
    Ok(Task { program: rows()?, inputs: inputs(input)?, output: Box::new(output) })
}

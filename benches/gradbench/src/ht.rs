//! `ht`: hand tracking, how far the points of a posed model of a hand are from measured ones, and the Jacobian by pose.
//!
//! Law: bones carry vertices, `v = Σ_b w_b T_b v₀` (linear blend skinning), and a point of the surface is a blend of
//! vertices, so it may be blended before the bones carry it or after.

use catadiff::array::Program;
use catadiff::array::trace::{
    Arr, F64, Handle, I64, if_, literal, loop_for, replicate, stop_gradient, tabulate, tabulate2d,
};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use serde_json::Value as Json;

use crate::Task;
use crate::json::{integers, reals, vector};

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;
type Matrices = Arr<Matrix>;

fn identity() -> Matrix {
    tabulate2d(3, 3, |i, j| i.eq(j).to_f64())
}

fn outer(x: Vector, y: Vector) -> Matrix {
    x.map(|x| y * x)
}

/// The rotation about the direction of a vector by its norm (Rodrigues); of a small one, none.
fn rotation(vector: Vector) -> Matrix {
    let angle = vector.dot(vector).sqrt();
    let turned = || {
        let axis = vector / angle;
        let [x, y, z] = [0, 1, 2].map(|k| axis.index(k));
        let none = F64::from(0.0);
        let across = literal([[none, -z, y], [z, none, -x], [-y, x, none]]);
        identity() * angle.cos() + across * angle.sin() + outer(axis, axis) * (1.0 - angle.cos())
    };
    if_(angle.lt(1e-4), identity, turned)
}

/// The angles of each bone about x and about z. The first two bones have none; then each finger has four, and bends
/// at the first three of them and spreads at the first.
fn angles(theta: Vector) -> Arr<(F64, F64)> {
    let straight = (F64::from(0.0), F64::from(0.0));
    let finger = |pose: Vector| {
        let [bend, spread, second, third] = [0, 1, 2, 3].map(|k| pose.index(k));
        literal([(bend, spread), (second, F64::from(0.0)), (third, F64::from(0.0)), straight])
    };
    literal([straight; 2]).concat(theta.drop(6).unflatten(5, 4).map(finger).flatten())
}

/// A turn about x, then about z.
fn joint((x, z): (F64, F64)) -> Matrix {
    let (sx, cx, sz, cz) = (x.sin(), x.cos(), z.sin(), z.cos());
    let (none, one) = (F64::from(0.0), F64::from(1.0));
    literal([
        [cz, -sz * cx, sz * sx, none],
        [sz, cz * cx, -cz * sx, none],
        [none, sx, cx, none],
        [none, none, none, one],
    ])
}

/// For each bone its parent, or −1; its base transformation relative to the parent; and the inverse of the absolute one.
type Skeleton = (Arr<I64>, Matrices, Matrices);

/// For each vertex its position, and by how much each bone carries it; and 1, or −1 for a mirrored hand.
type Skin = (Matrix, Matrix, F64);

/// The transformations of the bones, without their last rows: relative to the parent, of the skeleton, of the skin.
fn bones(theta: Vector, (parents, bases, inverses): Skeleton) -> Matrices {
    let relatives = bases.map2(angles(theta), |base, angles| base.matmul(joint(angles)));
    let roots = relatives.map(|relative| relative.take(3));
    let absolutes = loop_for(parents.len(), roots, |i, absolutes| {
        let parent = parents.index(i);
        let chained = || absolutes.index(parent).matmul(relatives.index(i));
        absolutes.with(i, if_(parent.lt(0), || absolutes.index(i), chained))
    });
    absolutes.map2(inverses, |absolute, inverse| absolute.matmul(inverse))
}

/// The points of the surface, of which each is a blend of vertices, where the hand in this pose is.
///
/// `surface` blends rows that it is given for each vertex. The bones carry its points if they are `few`, else the
/// vertices.
fn posed(
    theta: Vector,
    skeleton: Skeleton,
    (positions, weights, mirror): Skin,
    surface: impl Fn(&dyn Fn(I64) -> Vector) -> Matrix,
    few: bool,
) -> Matrix {
    let facing = rotation(theta.take(3)).map(|row| row * literal([mirror, F64::from(1.0), F64::from(1.0)]));
    // All bones in one matrix, whose rows belong to the columns of what they carry.
    let carriers = bones(theta, skeleton).map(|bone| facing.matmul(bone).transpose()).flatten();
    let carried = |vertex: I64| outer(weights.index(vertex), positions.index(vertex)).flatten();
    let found = if few {
        surface(&carried).matmul(carriers)
    } else {
        let vertices = tabulate(positions.len(), carried).matmul(carriers);
        surface(&|vertex| vertices.index(vertex))
    };
    let at = theta.slice(3, 6);
    found.map(|point| point + at)
}

/// What is measured: for each point its vertex, or its triangle; and where it is.
type Measured = (Arr<I64>, Matrix);

/// All that is not differentiated by.
type Data = (Skeleton, Skin, Measured);

/// The errors of points that are vertices.
fn of_vertices(few: bool, theta: Vector, (skeleton, skin, (vertices, points)): Data) -> Vector {
    let surface = |row: &dyn Fn(I64) -> Vector| vertices.map(row);
    (points - posed(theta, skeleton, skin, surface, few)).flatten()
}

/// The errors of points in triangles, which have these vertices, at the coordinates `us`.
fn in_triangles(few: bool, us: Matrix, theta: Vector, data: Data, triangles: Arr<Arr<I64>>) -> Vector {
    let (skeleton, skin, (triangle, points)) = data;
    let surface = |row: &dyn Fn(I64) -> Vector| {
        triangle.map2(us, |triangle, u| {
            let [a, b, c] = [0, 1, 2].map(|corner| row(triangles.index2(triangle, corner)));
            a * u.index(0) + b * u.index(1) + c * (1.0 - u.index(0) - u.index(1))
        })
    };
    (points - posed(theta, skeleton, skin, surface, few)).flatten()
}

/// The derivatives of errors by `x` in many directions.
fn forward<X: Handle, D: Handle>(errors: impl FnOnce(X, D) -> Vector) -> Result<Program> {
    Program::trace(|x: X, data: D| errors(x, stop_gradient(data)))?.jmp()
}

/// A row for each direction.
fn along<X: Handle, D: Handle>(forward: &Program, x: X, data: D, directions: Arr<X>) -> Matrix {
    // The data is constant to the derivative, which takes tangents of it and has no use for them.
    let unused = replicate(directions.len(), data);
    forward.call::<(Vector, Matrix)>(((x, data), (directions, unused))).1
}

fn unit_matrix(n: I64) -> Matrix {
    tabulate2d(n, n, |i, j| i.eq(j).to_f64())
}

fn jacobian_of_vertices(few: bool) -> Result<Program> {
    let by_pose = forward(|theta, data| of_vertices(few, theta, data))?;
    let jacobian = Program::trace_named(&["theta", "data"], |theta: Vector, data: Data| {
        along(&by_pose, theta, data, unit_matrix(theta.len())).transpose()
    })?;
    Ok(jacobian.simplified())
}

/// Each point has two coordinates of its own, so that two directions give the derivatives by those of all points.
fn jacobian_in_triangles(few: bool) -> Result<Program> {
    let by_pose = forward(|theta, (us, data, triangles)| in_triangles(few, us, theta, data, triangles))?;
    let by_us = forward(|us, (theta, data, triangles)| in_triangles(few, us, theta, data, triangles))?;
    let jacobian = Program::trace_named(
        &["theta", "us", "data", "triangles"],
        |theta: Vector, us: Matrix, data: Data, triangles: Arr<Arr<I64>>| {
            let both = unit_matrix(I64::from(2)).map(|direction| us.fill(direction));
            let of_us = along(&by_us, us, (theta, data, triangles), both);
            let of_pose = along(&by_pose, theta, (us, data, triangles), unit_matrix(theta.len()));
            of_us.concat(of_pose).transpose()
        },
    )?;
    Ok(jacobian.simplified())
}

/// The arguments, and whether there are fewer points than vertices; the coordinates of points in triangles are there
/// if the problem has them.
struct Problem {
    inputs: Vec<Value<f64>>,
    in_triangles: bool,
    few: bool,
}

impl Problem {
    fn of(input: &Json) -> Result<Problem> {
        let (data, model) = (&input["data"], &input["data"]["model"]);
        let (us, points, positions) =
            (reals(input, "us", 2)?, reals(data, "points", 2)?, reals(model, "base_positions", 2)?);
        let few = points.sizes()[0] < positions.sizes()[0];
        let mirror = if model["is_mirrored"] == Json::Bool(true) { -1.0 } else { 1.0 };
        let in_triangles = us.sizes()[0] > 0;
        let mut inputs = vec![vector(input, "theta", 26)?];
        inputs.extend(in_triangles.then_some(us));
        inputs.extend([integers(model, "parents", 1)?, reals(model, "base_relatives", 3)?]);
        inputs.extend([reals(model, "inverse_base_absolutes", 3)?, positions, reals(model, "weights", 2)?]);
        inputs.extend([mirror.into(), integers(data, "correspondences", 1)?, points]);
        if in_triangles {
            inputs.push(integers(model, "triangles", 2)?);
        }
        Ok(Problem { inputs, in_triangles, few })
    }
}

pub(crate) fn objective(input: &Json) -> Result<Task> {
    let Problem { inputs, in_triangles: triangles, few } = Problem::of(input)?;
    let program = if triangles {
        Program::trace_named(
            &["theta", "us", "data", "triangles"],
            |theta: Vector, us: Matrix, data: Data, triangles: Arr<Arr<I64>>| {
                in_triangles(few, us, theta, data, triangles)
            },
        )?
    } else {
        Program::trace_named(&["theta", "data"], |theta: Vector, data: Data| of_vertices(few, theta, data))?
    };
    Task::value(program, inputs)
}

pub(crate) fn jacobian(input: &Json) -> Result<Task> {
    let Problem { inputs, in_triangles, few } = Problem::of(input)?;
    Task::value(if in_triangles { jacobian_in_triangles(few)? } else { jacobian_of_vertices(few)? }, inputs)
}

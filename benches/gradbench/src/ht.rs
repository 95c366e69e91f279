//! `ht`: hand tracking, how far the points of a posed model of a hand are from measured ones, and the Jacobian by pose.
//!
//! Law: bones carry vertices, `v = Σ_b w_b T_b v₀` (linear blend skinning), and a point of the surface is a blend of
//! vertices, so it may be blended before the bones carry it or after.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, Handle, I64, if_, literal, loop_for, tabulate, tabulate2d};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};
use serde_json::Value as Json;

use crate::Task;
use crate::json::{integers, reals, vector};

type Vector = Arr<F64>;
type Matrix = Arr<Arr<F64>>;
type Matrices = Arr<Matrix>;
type Triangles = Arr<Arr<I64>>;

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

/// What carries rows of a skin: for each coordinate, all bones in one row; and where the hand is.
type Carriers = (Matrix, Vector);

fn carriers(theta: Vector, skeleton: Skeleton, mirror: F64) -> Carriers {
    let facing = rotation(theta.take(3)).map(|row| row * literal([mirror, F64::from(1.0), F64::from(1.0)]));
    let all = bones(theta, skeleton).map(|bone| facing.matmul(bone));
    (all.permute([1, 0, 2]).map(|bones| bones.flatten()), theta.slice(3, 6))
}

/// What the bones carry of a vertex: its position, by each bone's weight.
fn skin(vertex: I64, (positions, weights, _): Skin) -> Vector {
    outer(weights.index(vertex), positions.index(vertex)).flatten()
}

/// A coordinate of what is carried.
fn carried(carrier: Vector, skin: Vector, at: F64) -> F64 {
    carrier.dot(skin) + at
}

/// A point of a triangle, between what belongs to its corners.
fn between(u: Vector, [a, b, c]: [Vector; 3]) -> Vector {
    a * u.index(0) + b * u.index(1) + c * (1.0 - u.index(0) - u.index(1))
}

/// What belongs to the corners of a triangle.
fn corners<X: Handle>(of: impl Fn(I64) -> X, triangle: Arr<I64>) -> [X; 3] {
    [0, 1, 2].map(|corner| of(triangle.index(corner)))
}

/// What is measured: for each point its vertex, or its triangle; and where it is.
type Measured = (Arr<I64>, Matrix);

/// All that is not differentiated by.
type Data = (Skeleton, Skin, Measured);

fn posed((of_all, at): Carriers, skin: Vector) -> Vector {
    of_all.map2(at, |carrier, at| carried(carrier, skin, at))
}

/// The errors of points that are vertices.
fn of_vertices(theta: Vector, (skeleton, model, (vertices, points)): Data) -> Vector {
    let carriers = carriers(theta, skeleton, model.2);
    points.map2(vertices, |point, vertex| point - posed(carriers, skin(vertex, model))).flatten()
}

/// The errors of points in triangles, which have these vertices, at the coordinates `us`. The bones carry the points if
/// they are `few`, else the vertices.
fn in_triangles(few: bool, us: Matrix, theta: Vector, data: Data, triangles: Triangles) -> Vector {
    let (skeleton, model, (triangle, points)) = data;
    let carriers = carriers(theta, skeleton, model.2);
    let found = if few {
        let at = |triangle: I64, u| between(u, corners(|vertex| skin(vertex, model), triangles.index(triangle)));
        triangle.map2(us, |triangle, u| posed(carriers, at(triangle, u)))
    } else {
        let vertices = tabulate(model.0.len(), |vertex| posed(carriers, skin(vertex, model)));
        let at = |triangle: I64, u| between(u, corners(|vertex| vertices.index(vertex), triangles.index(triangle)));
        triangle.map2(us, at)
    };
    (points - found).flatten()
}

fn unit_matrix(n: I64) -> Matrix {
    tabulate2d(n, n, |i, j| i.eq(j).to_f64())
}

/// The derivatives of programs in many directions: of the carriers by the pose, of what they carry by the carriers, and of
/// what is between corners by the coordinates in the triangle.
struct Slopes {
    carriers: Program,
    carried: Program,
    between: Program,
}

impl Slopes {
    fn new() -> Result<Self> {
        let of_carried = |carrier: Vector, at: F64, skin: Vector| -carried(carrier, skin, at);
        let of_between = |u: Vector, a: Vector, b: Vector, c: Vector| -between(u, [a, b, c]);
        Ok(Slopes {
            carriers: Program::trace(carriers)?.jmp_wrt(0)?,
            carried: Program::trace(of_carried)?.jmp_wrt([0, 1])?,
            between: Program::trace(of_between)?.jmp_wrt(0)?,
        })
    }

    /// The carriers, and for each coordinate their derivatives by the pose, a row for each of its numbers.
    fn of_carriers(&self, theta: Vector, skeleton: Skeleton, mirror: F64) -> (Carriers, Arr<(Matrix, Vector)>) {
        let directions = unit_matrix(theta.len());
        let ((all, at), (by_all, by_at)) =
            self.carriers.call::<(Carriers, (Matrices, Matrix))>((theta, skeleton, mirror, directions));
        ((all, at), by_all.permute([1, 0, 2]).zip(by_at.transpose()))
    }

    /// The derivatives of an error by the pose: for each coordinate, by each of the pose's numbers.
    fn by_pose(&self, (all, at): Carriers, slopes: Arr<(Matrix, Vector)>, skin: Vector) -> Matrix {
        all.zip(at).map2(slopes, |(carrier, at), (by_carrier, by_at)| {
            self.carried.call::<(F64, Vector)>((carrier, at, skin, by_carrier, by_at)).1
        })
    }

    /// The derivatives of an error by the coordinates in the triangle.
    fn by_us(&self, u: Vector, corners: [Vector; 3]) -> Matrix {
        let [a, b, c] = corners;
        self.between.call::<(Vector, Matrix)>((u, a, b, c, unit_matrix(I64::from(2)))).1.transpose()
    }
}

fn jacobian_of_vertices() -> Result<Program> {
    let slopes = Slopes::new()?;
    let jacobian = Program::trace_named(&["theta", "data"], |theta: Vector, data: Data| {
        let (skeleton, model, (vertices, _)) = data;
        let (carriers, by_pose) = slopes.of_carriers(theta, skeleton, model.2);
        vertices.map(|vertex| slopes.by_pose(carriers, by_pose, skin(vertex, model))).flatten()
    })?;
    Ok(jacobian.simplified())
}

/// Each point has two coordinates of its own, so that two directions give the derivatives by those of all points.
fn jacobian_in_triangles() -> Result<Program> {
    let slopes = Slopes::new()?;
    let jacobian = Program::trace_named(
        &["theta", "us", "data", "triangles"],
        |theta: Vector, us: Matrix, data: Data, triangles: Triangles| {
            let (skeleton, model, (triangle, _)) = data;
            let (carriers, by_pose) = slopes.of_carriers(theta, skeleton, model.2);
            let vertices = tabulate(model.0.len(), |vertex| posed(carriers, skin(vertex, model)));
            let of_point = |triangle: I64, u: Vector| {
                let triangle = triangles.index(triangle);
                let skin = between(u, corners(|vertex| skin(vertex, model), triangle));
                let by_us = slopes.by_us(u, corners(|vertex| vertices.index(vertex), triangle));
                by_us.map2(slopes.by_pose(carriers, by_pose, skin), |by_us, by_pose| by_us.concat(by_pose))
            };
            triangle.map2(us, of_point).flatten()
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
            |theta: Vector, us: Matrix, data: Data, triangles: Triangles| in_triangles(few, us, theta, data, triangles),
        )?
    } else {
        Program::trace_named(&["theta", "data"], of_vertices)?
    };
    Task::value(program, inputs)
}

pub(crate) fn jacobian(input: &Json) -> Result<Task> {
    let Problem { inputs, in_triangles, .. } = Problem::of(input)?;
    Task::value(if in_triangles { jacobian_in_triangles()? } else { jacobian_of_vertices()? }, inputs)
}

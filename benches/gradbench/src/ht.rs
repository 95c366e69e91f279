//! `ht`: hand tracking, how far the points of a posed model of a hand are from measured ones, and the Jacobian by pose.
//!
//! Law: bones carry vertices, `v = Σ_b w_b T_b v₀` (linear blend skinning), and a point of the surface is a blend of
//! vertices, so it may be blended before the bones carry it or after.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, literal, loop_for, replicate, tabulate2d};
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
fn angles(fingers: Vector) -> Arr<(F64, F64)> {
    let straight = (F64::from(0.0), F64::from(0.0));
    let finger = |pose: Vector| {
        let [bend, spread, second, third] = [0, 1, 2, 3].map(|k| pose.index(k));
        literal([(bend, spread), (second, F64::from(0.0)), (third, F64::from(0.0)), straight])
    };
    literal([straight; 2]).concat(fingers.unflatten(5, 4).map(finger).flatten())
}

/// A transformation after turns about x and then about z.
fn turned(transformation: Matrix, (x, z): (F64, F64)) -> Matrix {
    let (sx, cx, sz, cz) = (x.sin(), x.cos(), z.sin(), z.cos());
    transformation.map(|row| {
        let [a, b, c, shift] = [0, 1, 2, 3].map(|k| row.index(k));
        let across = b * cz - a * sz;
        literal([a * cz + b * sz, across * cx + c * sx, c * cx - across * sx, shift])
    })
}

/// For each bone its parent, or −1; its base transformation relative to the parent; and the inverse of the absolute one.
type Skeleton = (Arr<I64>, Matrices, Matrices);

/// For each vertex its position, and by how much each bone carries it; and 1, or −1 for a mirrored hand.
type Skin = (Matrix, Matrix, F64);

/// What the hand's transformations depend on: the first three numbers and those of the fingers. The others are where it is.
fn turns(theta: Vector) -> Vector {
    theta.take(3).concat(theta.drop(6))
}

/// What carries skin: each bone's transformation, without its last row: that of the skin, then relative to the parent, or to
/// where the hand faces.
fn carriers(turns: Vector, (parents, bases, inverses): Skeleton, mirror: F64) -> Matrices {
    let relatives = bases.map2(angles(turns.drop(3)), turned);
    let facing = rotation(turns.take(3)).map(|row| {
        let [x, y, z] = [0, 1, 2].map(|k| row.index(k));
        literal([x * mirror, y, z, F64::from(0.0)])
    });
    let hand = replicate(parents.len() + 1, facing);
    let bones = loop_for(parents.len(), hand, |i, bones| {
        bones.with(i + 1, bones.index(parents.index(i) + 1).matmul(relatives.index(i)))
    });
    bones.drop(1).map2(inverses, |bone, inverse| bone.matmul(inverse))
}

/// The mean of the carriers of a vertex.
fn mean(carriers: Matrices, weights: Vector) -> Matrix {
    carriers.permute([1, 2, 0]).map(|columns| columns.matvec(weights))
}

/// A vertex, carried by the mean of its carriers.
fn carried(mean: Matrix, at: Vector, position: Vector) -> Vector {
    mean.map2(at, |row, at| row.dot(position) + at)
}

/// A share of the skin at a vertex: the position, weighted by the bones. It is negative, since what is carried is taken
/// from what is measured.
fn share_of(vertex: I64, share: F64, (positions, weights, _): Skin) -> Matrix {
    outer(positions.index(vertex) * -share, weights.index(vertex))
}

/// The skin at a vertex, in a row.
fn skin_at(vertex: I64, model: Skin) -> Vector {
    share_of(vertex, F64::from(1.0), model).flatten()
}

/// The skin in a triangle, in a row.
fn skin_between(u: Vector, [a, b, c]: [I64; 3], model: Skin) -> Vector {
    let last = 1.0 - u.index(0) - u.index(1);
    (share_of(a, u.index(0), model) + share_of(b, u.index(1), model) + share_of(c, last, model)).flatten()
}

/// A coordinate of what is measured, taken from it what the bones carry, of which there is a column after the other, and
/// where the hand is.
fn error(measured: F64, columns: Vector, at: F64, skin: Vector) -> F64 {
    measured + columns.dot(skin) - at
}

/// A point in a triangle, between its corners.
fn between(u: Vector, [a, b, c]: [Vector; 3]) -> Vector {
    a * u.index(0) + b * u.index(1) + c * (1.0 - u.index(0) - u.index(1))
}

fn corners(triangle: Arr<I64>) -> [I64; 3] {
    [0, 1, 2].map(|corner| triangle.index(corner))
}

/// What is measured: for each point its vertex, or its triangle; and where it is.
type Measured = (Arr<I64>, Matrix);

/// All that is not differentiated by.
type Data = (Skeleton, Skin, Measured);

/// The errors of points that are vertices.
fn of_vertices(theta: Vector, (skeleton, model, (vertices, points)): Data) -> Vector {
    let (carriers, at) = (carriers(turns(theta), skeleton, model.2), theta.slice(3, 6));
    let means = vertices.map(|vertex| mean(carriers, model.1.index(vertex)));
    points.map3(vertices, means, |point, vertex, mean| point - carried(mean, at, model.0.index(vertex))).flatten()
}

/// The errors of points in triangles, which have these vertices, at the coordinates `us`. The bones carry the points if
/// they are `few`, else the vertices.
fn in_triangles(few: bool, us: Matrix, theta: Vector, data: Data, triangles: Triangles) -> Vector {
    let (skeleton, model, (triangle, points)) = data;
    let (carriers, at) = (carriers(turns(theta), skeleton, model.2), theta.slice(3, 6));
    if few {
        let rows = carriers.permute([1, 2, 0]).map(|columns| columns.flatten());
        let of_point = |point: Vector, k, u| {
            let skin = skin_between(u, corners(triangles.index(k)), model);
            point.map3(rows, at, |measured, row, at| error(measured, row, at, skin))
        };
        points.map3(triangle, us, of_point).flatten()
    } else {
        let vertices = model.0.map2(model.1, |position, weights| carried(mean(carriers, weights), at, position));
        let found = |k, u| between(u, corners(triangles.index(k)).map(|vertex| vertices.index(vertex)));
        points.map3(triangle, us, |point, k, u| point - found(k, u)).flatten()
    }
}

fn unit_matrix(n: I64) -> Matrix {
    tabulate2d(n, n, |i, j| i.eq(j).to_f64())
}

/// The derivatives of programs: of the carriers by the turns, and of errors by the carriers, by where the hand is and by the
/// coordinates in the triangle.
struct Slopes {
    carriers: Program,
    by_carriers: Program,
    by_at: Program,
    by_us: Program,
}

/// How the carriers change by each turn, for each coordinate; and the derivatives of the coordinates by where the hand is.
type Moving = (Matrix, Matrix);

impl Slopes {
    fn new() -> Result<Self> {
        let by_us = |u: Vector, a: Vector, b: Vector, c: Vector| -between(u, [a, b, c]);
        Ok(Slopes {
            carriers: Program::trace(carriers)?.jmp_wrt(0)?,
            by_carriers: Program::trace(error)?.jvp_wrt(1)?,
            by_at: Program::trace(error)?.jvp_wrt(2)?,
            by_us: Program::trace(by_us)?.jmp_wrt(0)?,
        })
    }

    fn moving(&self, theta: Vector, skeleton: Skeleton, mirror: F64) -> Moving {
        let turns = turns(theta);
        let (carriers, slopes) =
            self.carriers.call::<(Matrices, Arr<Matrices>)>((turns, skeleton, mirror, unit_matrix(turns.len())));
        let row = carriers.index(0).flatten();
        let by_at = |direction| self.by_at.call::<(F64, F64)>((0.0, row, 0.0, row, direction)).1;
        let rows = slopes.permute([2, 0, 3, 1]).reshape([turns.len() * 3, skeleton.0.len() * 4]);
        (rows, unit_matrix(I64::from(3)).map(|directions| directions.map(by_at)))
    }

    /// The derivatives of an error by the pose: for each coordinate by each number.
    fn by_pose(&self, (slopes, by_at): Moving, skin: Vector) -> Matrix {
        // It is linear in the carriers: it does not matter at which the derivative is taken.
        let along = |slope| self.by_carriers.call::<(F64, F64)>((0.0, slope, 0.0, skin, slope)).1;
        let by_turns = slopes.map(along).unflatten(3, slopes.len() / 3);
        by_turns.map2(by_at, |turns, by_at| turns.take(3).concat(by_at).concat(turns.drop(3)))
    }

    /// The derivatives of an error by the coordinates in the triangle.
    fn by_us(&self, u: Vector, [a, b, c]: [Vector; 3]) -> Matrix {
        self.by_us.call::<(Vector, Matrix)>((u, a, b, c, unit_matrix(I64::from(2)))).1.transpose()
    }
}

fn jacobian_of_vertices() -> Result<Program> {
    let slopes = Slopes::new()?;
    let jacobian = Program::trace_named(&["theta", "data"], |theta: Vector, data: Data| {
        let (skeleton, model, (vertices, _)) = data;
        let moving = slopes.moving(theta, skeleton, model.2);
        vertices.map(|vertex| slopes.by_pose(moving, skin_at(vertex, model))).flatten()
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
            let moving = slopes.moving(theta, skeleton, model.2);
            let (carriers, at) = (carriers(turns(theta), skeleton, model.2), theta.slice(3, 6));
            let vertices = model.0.map2(model.1, |position, weights| carried(mean(carriers, weights), at, position));
            let of_point = |k: I64, u: Vector| {
                let corners = corners(triangles.index(k));
                let by_us = slopes.by_us(u, corners.map(|vertex| vertices.index(vertex)));
                by_us.map2(slopes.by_pose(moving, skin_between(u, corners, model)), |us, pose| us.concat(pose))
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

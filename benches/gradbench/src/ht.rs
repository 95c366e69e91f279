//! `ht`: hand tracking, how far the points of a posed model of a hand are from measured ones, and the Jacobian by pose.
//!
//! Law: bones carry vertices, `v = Σ_b w_b T_b v₀` (linear blend skinning), and a point of the surface is a blend of
//! vertices, so it may be blended before the bones carry it or after. The turns of a finger move its own joints alone.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, As, F64, Handle, I64, if_, literal, tabulate, tabulate2d};
use catadiff::execute::Flat;
use catadiff::{Elementary, Error, Result};
use serde_json::Value as Json;

use crate::Task;
use crate::json::{integers, numbers as reals_of, real, reals, vector, whole_numbers};

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

/// A transformation after turns about x and then about z.
fn turned(transformation: Matrix, (x, z): (F64, F64)) -> Matrix {
    let (sx, cx, sz, cz) = (x.sin(), x.cos(), z.sin(), z.cos());
    transformation.map(|row| {
        let [a, b, c, shift] = [0, 1, 2, 3].map(|k| row.index(k));
        let across = b * cz - a * sz;
        literal([a * cz + b * sz, across * cx + c * sx, c * cx - across * sx, shift])
    })
}

/// Fingers, and the joints of each that turn; below these is one that does not.
const FINGERS: i64 = 5;
const JOINTS: i64 = 3;

/// The bones are the wrist, those of the fingers, and the forearm.
const BONES: i64 = 1 + FINGERS * (1 + JOINTS) + 1;

/// For each bone its transformation at rest, relative to the one that it hangs on; and the inverse of the absolute one.
type Skeleton = (Matrices, Matrices);

/// For each vertex its position, and by how much each bone carries it.
type Skin = (Matrix, Matrix);

/// What is measured: for each point the vertices that it is between; and where it is.
type Measured = (Arr<Arr<I64>>, Matrix);

/// All that is not differentiated by: the last number is 1, or −1 for a mirrored hand.
type Data = (Skeleton, Skin, Measured, F64);

/// What there is of each finger's bones, the one that does not turn first.
fn of_fingers<T: Handle>(bones: Arr<T>) -> Arr<Arr<T>> {
    bones.slice(1, BONES - 1).unflatten(FINGERS, 1 + JOINTS)
}

/// The bones from the first that turns on, by finger: after those of a finger that turn comes one that does not.
fn of_turning(bones: Vector) -> Matrix {
    bones.drop(2).unflatten(FINGERS, JOINTS + 1)
}

/// How the hand faces, from its first three numbers.
fn facing(turns: Vector, mirror: F64) -> Matrix {
    rotation(turns).map(|row| {
        let [x, y, z] = [0, 1, 2].map(|k| row.index(k));
        literal([x * mirror, y, z])
    })
}

/// The numbers of each finger.
fn poses(theta: Vector) -> Matrix {
    theta.drop(6).unflatten(FINGERS, 4)
}

/// The joints of a finger, whose first bone this is: each bends, and the first spreads as well.
fn joints(pose: Vector, bone: Matrix, bases: Matrices) -> Matrices {
    let [bend, spread, second, third] = [0, 1, 2, 3].map(|k| pose.index(k));
    let none = F64::from(0.0);
    let first = bone.matmul(turned(bases.index(1), (bend, spread)));
    let second = first.matmul(turned(bases.index(2), (second, none)));
    literal([first, second, second.matmul(turned(bases.index(3), (third, none)))])
}

/// The joints of a finger, as what carries skin.
fn carriers_of_joints(pose: Vector, bone: Matrix, bases: Matrices, inverses: Matrices) -> Matrices {
    joints(pose, bone, bases).map2(inverses.drop(1), |joint, inverse| joint.matmul(inverse))
}

fn wrist(bases: Matrices) -> Matrix {
    bases.index(0).take(3)
}

/// The first bone of each finger.
fn roots(wrist: Matrix, bases: Matrices) -> Matrices {
    of_fingers(bases).map(|finger| wrist.matmul(finger.index(0)))
}

/// What carries skin, for each bone of a hand that hangs on this wrist.
fn carriers(poses: Matrix, wrist: Matrix, (bases, inverses): Skeleton) -> Matrices {
    let forearm = wrist.matmul(bases.index(BONES - 1));
    let finger = |pose, root: Matrix, bases| literal([root]).concat(joints(pose, root, bases));
    let fingers = poses.map3(roots(wrist, bases), of_fingers(bases), finger).flatten();
    let bones = literal([wrist]).concat(fingers).concat(literal([forearm]));
    bones.map2(inverses, |bone, inverse| bone.matmul(inverse))
}

/// A vertex, carried by the mean of its carriers.
fn carried(carriers: Matrices, position: Vector, weights: Vector) -> Vector {
    carriers.permute([1, 2, 0]).map(|columns| columns.matvec(weights)).matvec(position)
}

/// The vertices of a hand that hangs on this wrist.
fn vertices(theta: Vector, wrist: Matrix, skeleton: Skeleton, (positions, weights): Skin) -> Matrix {
    let carriers = carriers(poses(theta), wrist, skeleton);
    positions.map2(weights, |position, weights| carried(carriers, position, weights))
}

/// What of each of these belongs to a point, whose shares of them are given. It is negative, since a point of the model is
/// taken from what is measured.
fn blend(shares: &[F64], of: &[Vector]) -> Vector {
    let parts = shares.iter().zip(of).map(|(share, of)| *of * -*share);
    parts.reduce(|a, b| a + b).expect("a point is at one vertex at least")
}

/// The shares of a point in its triangle's corners.
fn shares(u: Vector) -> Vec<F64> {
    let [a, b] = [0, 1].map(|k| u.index(k));
    vec![a, b, 1.0 - a - b]
}

/// The vertices that a point is between, by their numbers.
fn corners(shares: &[F64], vertices: Arr<I64>) -> Vec<I64> {
    (0..shares.len()).map(|k| vertices.index(k as i64)).collect()
}

/// The errors of a point, whose shares are of these vertices.
fn errors(shares: &[F64], numbers: Arr<I64>, point: Vector, vertices: Matrix, at: Vector) -> Vector {
    let of: Vec<Vector> = corners(shares, numbers).into_iter().map(|vertex| vertices.index(vertex)).collect();
    point + blend(shares, &of) - at
}

/// The vertices of a hand that faces as it should, but is nowhere yet; and where it is.
fn placed(theta: Vector, skeleton: Skeleton, skin: Skin, mirror: F64) -> (Matrix, Vector) {
    let wrist = facing(theta.take(3), mirror).matmul(wrist(skeleton.0));
    (vertices(theta, wrist, skeleton, skin), theta.slice(3, 6))
}

/// The errors of points that are vertices.
fn of_vertices(theta: Vector, (skeleton, skin, (numbers, points), mirror): Data) -> Vector {
    let (vertices, at) = placed(theta, skeleton, skin, mirror);
    points.map2(numbers, |point, numbers| errors(&[F64::from(1.0)], numbers, point, vertices, at)).flatten()
}

/// The errors of points in triangles, at the coordinates `us`.
fn in_triangles(theta: Vector, us: Matrix, (skeleton, skin, (numbers, points), mirror): Data) -> Vector {
    let (vertices, at) = placed(theta, skeleton, skin, mirror);
    points.map3(numbers, us, |point, numbers, u| errors(&shares(u), numbers, point, vertices, at)).flatten()
}

/// A coordinate of an error, of what is carried by a row of a matrix; what is carried is taken from what is measured.
fn error(measured: F64, row: Vector, at: F64, carried: Vector) -> F64 {
    measured + row.dot(carried) - at
}

fn unit_matrix(n: impl As<I64>) -> Matrix {
    let n = n.handle();
    tabulate2d(n, n, |i, j| i.eq(j).to_f64())
}

/// The derivatives of programs: of how the hand faces and of joints by their turns; and of errors by the row of a matrix,
/// by where the hand is, and by the coordinates in a triangle.
struct Slopes {
    facing: Program,
    joints: Program,
    by_row: Program,
    by_at: Program,
    by_us: Program,
}

/// What is the same for all points: the vertices, how the hand faces, for each coordinate the change of its row by each turn
/// of the hand, by each finger's turns, and the derivatives by where the hand is.
struct Moving {
    skin: Skin,
    vertices: Matrix,
    facing: Matrix,
    by_facing: Matrices,
    by_joints: Arr<Matrices>,
    by_at: Matrix,
}

impl Slopes {
    fn new() -> Result<Self> {
        let by_us = |u: Vector, a: Vector, b: Vector, c: Vector, row: Vector| {
            error(F64::from(0.0), row, F64::from(0.0), blend(&shares(u), &[a, b, c]))
        };
        Ok(Slopes {
            facing: Program::trace(facing)?.jmp_wrt(0)?,
            joints: Program::trace(carriers_of_joints)?.jvp_wrt(0)?,
            by_row: Program::trace(error)?.jvp_wrt(1)?,
            by_at: Program::trace(error)?.jvp_wrt(2)?,
            by_us: Program::trace(by_us)?.jvp_wrt(0)?,
        })
    }

    fn moving(&self, theta: Vector, (skeleton, skin, _, mirror): Data) -> Moving {
        let (bases, inverses) = skeleton;
        let (facing, by_facing) = self.facing.call::<(Matrix, Matrices)>((theta.take(3), mirror, unit_matrix(3)));
        // A turn of the hand turns the roots of the fingers, without where these are.
        let (wrist, roots) = (wrist(bases), roots(facing.matmul(wrist(bases)), bases));
        let (poses, bases, inverses, units) = (poses(theta), of_fingers(bases), of_fingers(inverses), unit_matrix(4));
        let by_turn = |number: I64| {
            let (finger, turn) = (number / 4, number % 4);
            let [bases, inverses] = [bases, inverses].map(|of| of.index(finger));
            let given = (poses.index(finger), roots.index(finger), bases, inverses, units.index(turn));
            self.joints.call::<(Matrices, Matrices)>(given).1
        };
        let by_turns = tabulate(FINGERS * 4, by_turn).permute([2, 0, 1, 3]);
        let row = facing.index(0);
        let by_at = |direction| self.by_at.call::<(F64, F64)>((0.0, row, 0.0, row, direction)).1;
        Moving {
            skin,
            vertices: vertices(theta, wrist, skeleton, skin),
            facing,
            by_facing: by_facing.permute([1, 0, 2]),
            by_joints: by_turns.reshape([3, FINGERS, 4, JOINTS * 4]),
            by_at: unit_matrix(3).map(|directions| directions.map(by_at)),
        }
    }

    /// The derivatives of a vertex by the pose, taken from what is measured: for each coordinate by each number.
    fn by_pose(&self, moving: &Moving, vertex: Vector, position: Vector, weights: Vector) -> Matrix {
        let (at, position, weights) = (-vertex, -position, of_turning(weights));
        let skin = tabulate2d(FINGERS, JOINTS, |finger, joint| {
            literal([0, 1, 2, 3].map(|k| position.index(k) * weights.index2(finger, joint)))
        });
        let skin: Matrix = skin.reshape([FINGERS, JOINTS * 4]);
        // It is linear in the row: it does not matter at which the derivative is taken.
        let along = |slope, skin| self.by_row.call::<(F64, F64)>((0.0, slope, 0.0, skin, slope)).1;
        moving.by_facing.map3(moving.by_at, moving.by_joints, |by_facing, by_at, by_joints| {
            let of_finger = |finger: i64| by_joints.index(finger).map(|slope| along(slope, skin.index(finger)));
            let by_facing = by_facing.map(|slope| along(slope, at)).concat(by_at);
            (0..FINGERS).fold(by_facing, |row, finger| row.concat(of_finger(finger)))
        })
    }

    /// The same for all vertices.
    fn of_vertices(&self, moving: &Moving) -> Matrices {
        let (positions, weights) = moving.skin;
        moving
            .vertices
            .map3(positions, weights, |vertex, position, weights| self.by_pose(moving, vertex, position, weights))
    }

    /// The derivatives of the errors of a point by its coordinates in the triangle.
    fn by_us(&self, moving: &Moving, u: Vector, numbers: Arr<I64>) -> Matrix {
        let [a, b, c] = [0, 1, 2].map(|k| moving.vertices.index(numbers.index(k)));
        let units = unit_matrix(2);
        moving.facing.map(|row| units.map(|unit| self.by_us.call::<(F64, F64)>((u, a, b, c, row, unit)).1))
    }
}

fn jacobian_of_vertices() -> Result<Program> {
    let slopes = Slopes::new()?;
    let jacobian = Program::trace_named(&["theta", "data"], |theta: Vector, data: Data| {
        let moving = slopes.moving(theta, data);
        let ((numbers, _), rows) = (data.2, slopes.of_vertices(&moving));
        numbers.map(|numbers| rows.index(numbers.index(0))).flatten()
    })?;
    Ok(jacobian.simplified())
}

/// Each point has two coordinates of its own, so that two directions give the derivatives by those of all points.
fn jacobian_in_triangles() -> Result<Program> {
    let slopes = Slopes::new()?;
    let jacobian = Program::trace_named(&["theta", "us", "data"], |theta: Vector, us: Matrix, data: Data| {
        let moving = slopes.moving(theta, data);
        let ((numbers, _), rows) = (data.2, slopes.of_vertices(&moving));
        let of_point = |numbers, u| {
            let shares = shares(u);
            let rows: Vec<Matrix> = corners(&shares, numbers).into_iter().map(|vertex| rows.index(vertex)).collect();
            let parts = shares.iter().zip(&rows).map(|(share, rows)| *rows * *share);
            let by_pose = parts.reduce(|a, b| a + b).expect("a point is at one vertex at least");
            slopes.by_us(&moving, u, numbers).map2(by_pose, |us, pose| us.concat(pose))
        };
        numbers.map2(us, of_point).flatten()
    })?;
    Ok(jacobian.simplified())
}

/// What each bone hangs on, −1 for nothing.
fn parents() -> Vec<i64> {
    let finger = |finger: i64| (0..=JOINTS).map(move |k| if k == 0 { 0 } else { finger * (1 + JOINTS) + k });
    [-1].into_iter().chain((0..FINGERS).flat_map(finger)).chain([0]).collect()
}

fn wrong<T>(name: &str, expected: String, found: String) -> Result<T> {
    Err(Error::Argument { name: name.to_owned(), expected, found })
}

/// The vertices that points are between, each once, and for each point which of these; they are all that has to be carried.
fn wanted(vertices: &[usize]) -> (Vec<usize>, Vec<i64>) {
    let mut numbers = std::collections::HashMap::new();
    let mut wanted = Vec::new();
    let number = |vertex: &usize| {
        *numbers.entry(*vertex).or_insert_with(|| {
            wanted.push(*vertex);
            wanted.len() as i64 - 1
        })
    };
    let each = vertices.iter().map(number).collect();
    (wanted, each)
}

/// Some rows of a matrix.
fn rows<T: Copy>(of: &[T], width: usize, wanted: &[usize]) -> Vec<T> {
    wanted.iter().flat_map(|row| &of[row * width..(row + 1) * width]).copied().collect()
}

/// Which rows of an array of this length are meant.
fn places(name: &str, numbers: &[i64], count: usize) -> Result<Vec<usize>> {
    let place = |number: &i64| match usize::try_from(*number) {
        Ok(place) if place < count => Ok(place),
        _ => wrong(name, format!("numbers from 0 to less than {count}"), number.to_string()),
    };
    numbers.iter().map(place).collect()
}

/// The arguments, and whether points are in triangles; then the coordinates there are the second of them.
struct Problem {
    inputs: Vec<Flat>,
    in_triangles: bool,
}

impl Problem {
    fn of(input: &Json) -> Result<Problem> {
        let (data, model) = (&input["data"], &input["data"]["model"]);
        let (us, points, positions) =
            (reals(input, "us", 2)?, reals(data, "points", 2)?, reals(model, "base_positions", 2)?);
        let mirror = if model["is_mirrored"] == Json::Bool(true) { -1.0 } else { 1.0 };
        let (theta, in_triangles) = (vector(input, "theta", 26)?, us.sizes()[0] > 0);
        let hang = integers(model, "parents", 1)?;
        if whole_numbers(&hang) != parents() {
            return wrong("parents", format!("those of a hand, {:?}", parents()), model["parents"].to_string());
        }
        let weights = reals(model, "weights", 2)?;
        let (count, numbers) = (positions.sizes()[0].min(weights.sizes()[0]), integers(data, "correspondences", 1)?);
        let (each, corners) = if in_triangles {
            let triangles = integers(model, "triangles", 2)?;
            let wanted = places("correspondences", whole_numbers(&numbers), triangles.sizes()[0])?;
            (3, places("triangles", &rows(whole_numbers(&triangles), triangles.sizes()[1], &wanted), count)?)
        } else {
            (1, places("correspondences", whole_numbers(&numbers), count)?)
        };
        let (wanted, numbers) = wanted(&corners);
        let of_vertices = |of: &Flat| {
            let width = of.sizes()[1];
            Flat::reals(&[wanted.len(), width], rows(reals_of(of), width, &wanted))
        };
        let mut inputs = vec![theta];
        inputs.extend(in_triangles.then_some(us));
        inputs.extend([reals(model, "base_relatives", 3)?, reals(model, "inverse_base_absolutes", 3)?]);
        inputs.extend([of_vertices(&positions)?, of_vertices(&weights)?]);
        inputs.extend([Flat::integers(&[numbers.len() / each, each], numbers)?, points, real(mirror)?]);
        Ok(Problem { inputs, in_triangles })
    }
}

pub(crate) fn objective(input: &Json) -> Result<Task> {
    let Problem { inputs, in_triangles: triangles } = Problem::of(input)?;
    let program = if triangles {
        Program::trace_named(&["theta", "us", "data"], in_triangles)?
    } else {
        Program::trace_named(&["theta", "data"], of_vertices)?
    };
    Task::value(program, inputs)
}

pub(crate) fn jacobian(input: &Json) -> Result<Task> {
    let Problem { inputs, in_triangles } = Problem::of(input)?;
    Task::value(if in_triangles { jacobian_in_triangles()? } else { jacobian_of_vertices()? }, inputs)
}

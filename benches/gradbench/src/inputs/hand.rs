//! Models of hands, and points measured on them.
//!
//! Law: a hand has 22 bones, a wrist with five fingers of four and a forearm; each vertex is carried by one to three
//! bones, 1.7 on average, with weights of sum 1; at rest the transformations of the bones cancel the inverses given. As in
//! the benchmark's models, triangles are a closed surface over 544 vertices, whatever there are more.

use std::array::from_fn;

use serde_json::{Value as Json, json};

use super::random::{Random, rows};

type Matrix = [[f64; 4]; 4];

/// The most vertices that are corners of triangles.
const SURFACE: usize = 544;

/// The triangles of a model of this many vertices: a closed surface of n vertices has 2n − 4, so 1084 of 544.
fn triangles(vertices: usize) -> usize {
    (2 * vertices.min(SURFACE)).saturating_sub(4).max(1)
}

const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "pinky"];

/// Each bone with its parent.
fn bones() -> Vec<(String, i64)> {
    let mut bones = vec![("wrist".to_owned(), -1)];
    for finger in FINGERS {
        for joint in 1..=4 {
            let parent = if joint == 1 { 0 } else { bones.len() as i64 - 1 };
            bones.push((format!("{finger}{joint}"), parent));
        }
    }
    bones.push(("forearm".to_owned(), 0));
    bones
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    from_fn(|i| from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

/// A turn about one axis after the other, then a shift along the second.
fn pose(angles: [f64; 3], shift: f64) -> Matrix {
    let turn = |axis: usize| {
        let (sin, cos) = angles[axis].sin_cos();
        let mut turn: Matrix = from_fn(|i| from_fn(|j| f64::from(u8::from(i == j))));
        let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
        (turn[a][a], turn[a][b], turn[b][a], turn[b][b]) = (cos, -sin, sin, cos);
        turn
    };
    let mut pose = product(&product(&turn(0), &turn(1)), &turn(2));
    pose[1][3] = shift;
    pose
}

/// The inverse of a turn and a shift.
fn inverse(pose: &Matrix) -> Matrix {
    from_fn(|i| match i {
        3 => pose[3],
        _ => from_fn(|j| match j {
            3 => -(0..3).map(|k| pose[k][i] * pose[k][3]).sum::<f64>(),
            _ => pose[j][i],
        }),
    })
}

fn weights(random: &mut Random, bones: usize) -> Vec<f64> {
    let mut weights = vec![0.0; bones];
    let carriers = match random.below(10) {
        0..5 => 1,
        5..8 => 2,
        _ => 3,
    };
    // Neighbours in the list are so on the hand, but for the ends of fingers.
    let first = random.below(bones - carriers + 1);
    let shares: Vec<f64> = (0..carriers).map(|_| 0.1 + random.uniform()).collect();
    let total: f64 = shares.iter().sum();
    for (weight, share) in weights[first..].iter_mut().zip(shares) {
        *weight = share / total;
    }
    weights
}

/// A model of this many vertices.
fn model(random: &mut Random, vertices: usize) -> Json {
    let bones = bones();
    let mut absolutes: Vec<Matrix> = Vec::new();
    let mut relatives: Vec<Matrix> = Vec::new();
    for (_, parent) in &bones {
        let relative = pose(from_fn(|_| random.uniform() - 0.5), 0.02 + 0.02 * random.uniform());
        let absolute = usize::try_from(*parent).map_or(relative, |parent| product(&absolutes[parent], &relative));
        relatives.push(relative);
        absolutes.push(absolute);
    }
    let inverses: Vec<Matrix> = absolutes.iter().map(inverse).collect();
    let mut position = |_| {
        let at = &absolutes[random.below(bones.len())];
        let mut position = [at[0][3], at[1][3], at[2][3], 1.0];
        position[..3].iter_mut().for_each(|x| *x += 0.01 * random.normal());
        json!(position)
    };
    let positions = rows(vertices, &mut position);
    let weights = rows(vertices, |_| weights(random, bones.len()));
    let corners = vertices.min(SURFACE);
    let triangles =
        rows(triangles(vertices), |i| json!([i % corners, (i + 1) % corners, (i + 2 + i / corners) % corners]));
    let (names, parents): (Vec<String>, Vec<i64>) = bones.into_iter().unzip();
    json!({
        "bone_count": names.len(), "bone_names": names, "parents": parents,
        "base_relatives": relatives, "inverse_base_absolutes": inverses,
        "base_positions": positions, "weights": weights, "triangles": triangles, "is_mirrored": false,
    })
}

/// A pose, a model and this many points, of its vertices or in its triangles.
pub(super) fn tracking(random: &mut Random, vertices: usize, points: usize, in_triangles: bool) -> Json {
    let model = model(random, vertices);
    let places = if in_triangles { triangles(vertices) } else { vertices };
    let us = if in_triangles { points } else { 0 };
    json!({
        "theta": random.normals(26),
        "us": rows(us, |_| random.uniforms(2).into_iter().map(|u| u / 2.0).collect::<Vec<_>>()),
        "data": {
            "model": model,
            "correspondences": rows(points, |_| random.below(places)),
            "points": rows(points, |_| random.normals(3)),
        },
    })
}

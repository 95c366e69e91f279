//! k-means by Newton's method on pictures of handwritten digits, with derivatives that nobody wrote.
//!
//! The cost is the squared distance of each picture from the cluster centre next to it, written once as an array
//! program. Reverse mode gives its gradient by the centres, and forward mode on that, along the vector of ones, the
//! diagonal of its Hessian, which is all there is of it (the case study of "Reverse AD for a Functional Array Language
//! with Nested Parallelism"). A Newton step divides the one by the other. The cost is quadratic as long as no picture
//! changes its cluster, so a step leads to the means at once, as Lloyd's algorithm does: here that is not known but found.
//!
//! The centres are written as pictures to `target/k_means.pgm`. The programs are compiled: they run on the vector
//! instructions and the cores of the machine.

use std::fs;
use std::time::Instant;

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::execute::Compiled;

type Matrix = Vec<Vec<f64>>;

/// The programs of the cost, and of its gradient and the diagonal of its Hessian.
fn programs() -> Result<(Compiled, Compiled)> {
    let cost = Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })?;
    let newton = cost.grad("centres")?.jvp_wrt("centres")?;
    Ok((cost.compile()?, newton.compile()?))
}

/// One step of Newton's method.
fn step(newton: &Compiled, points: &Matrix, centres: &mut Matrix) -> Result<()> {
    let ones = vec![vec![1.0; centres[0].len()]; centres.len()];
    let (slopes, curvatures): (Matrix, Matrix) = newton.at((points, &*centres, ones))?;
    for (centre, (slope, curvature)) in
        centres.iter_mut().flatten().zip(slopes.iter().flatten().zip(curvatures.iter().flatten()))
    {
        // Where no picture is near, the cost is flat.
        *centre -= if *curvature == 0.0 { 0.0 } else { slope / curvature };
    }
    Ok(())
}

const SIDE: usize = 8;
const DIGITS: usize = 10;

/// The pictures, with shades from 0 to 1, and the digits that were meant.
fn pictures() -> (Matrix, Vec<usize>) {
    let parse = |line: &str| {
        let mut numbers: Vec<f64> = line.split(',').map(|n| n.parse().expect("the table holds numbers")).collect();
        let label = numbers.pop().expect("a line ends with the digit") as usize;
        (numbers.iter().map(|shade| shade / 16.0).collect(), label)
    };
    include_str!("data/digits.csv").lines().map(parse).unzip()
}

/// For each picture the number of the centre next to it.
fn nearest(points: &Matrix, centres: &Matrix) -> Result<Vec<i64>> {
    let assign = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).argmin())
    })?;
    assign.at((points, centres))
}

/// The share of pictures whose cluster is mostly of their own digit, and the digit of each cluster.
fn purity(clusters: &[i64], labels: &[usize]) -> (f64, Vec<usize>) {
    let mut counts = vec![[0; DIGITS]; DIGITS];
    clusters.iter().zip(labels).for_each(|(cluster, label)| counts[*cluster as usize][*label] += 1);
    let most = |of: &[usize; DIGITS]| (0..DIGITS).max_by_key(|digit| of[*digit]).expect("there are digits");
    let digits: Vec<usize> = counts.iter().map(most).collect();
    let right: usize = counts.iter().zip(&digits).map(|(of, digit)| of[*digit]).sum();
    (right as f64 / labels.len() as f64, digits)
}

/// The centres side by side as a picture in the portable format, each shade a block of pixels.
fn drawn(centres: &Matrix) -> Vec<u8> {
    const BLOCK: usize = 12;
    const TILE: usize = (SIDE + 1) * BLOCK;
    let (width, height) = (DIGITS * TILE, TILE);
    let shade = |x: usize, y: usize| match ((x % TILE) / BLOCK, y / BLOCK) {
        (column, row) if column < SIDE && row < SIDE => centres[x / TILE][row * SIDE + column].clamp(0.0, 1.0),
        _ => 0.5,
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (shade(x, y) * 255.0) as u8));
    format!("P5 {width} {height} 255\n").into_bytes().into_iter().chain(pixels).collect()
}

fn main() -> Result<()> {
    let (points, labels) = pictures();
    let (cost, newton) = programs()?;
    println!("{} pictures of {} shades, {DIGITS} clusters\n", points.len(), SIDE * SIDE);

    // The first ten pictures of the table show the ten digits.
    let mut centres: Matrix = points[..DIGITS].to_vec();
    let mut now: f64 = cost.at((&points, &centres))?;
    println!("  start:  cost {now:.4}");
    for iteration in 1..=50 {
        let (start, before) = (Instant::now(), now);
        step(&newton, &points, &mut centres)?;
        let time = start.elapsed();
        now = cost.at((&points, &centres))?;
        println!("  step {iteration:2}: cost {now:.4}, in {time:.2?}");
        assert!(now <= before + 1e-9, "a step to the means does not raise the cost");
        if before - now < 1e-9 {
            break;
        }
    }

    let clusters = nearest(&points, &centres)?;
    for (k, centre) in centres.iter().enumerate() {
        let own: Vec<&Vec<f64>> =
            points.iter().zip(&clusters).filter(|(_, of)| **of == k as i64).map(|(p, _)| p).collect();
        let mean = |d: usize| own.iter().map(|p| p[d]).sum::<f64>() / own.len() as f64;
        assert!(own.is_empty() || (0..SIDE * SIDE).all(|d| (centre[d] - mean(d)).abs() < 1e-9), "centres are means");
    }

    let (share, digits) = purity(&clusters, &labels);
    println!(
        "\n{:.1} % of the pictures are in a cluster of their own digit; the clusters are {digits:?}",
        share * 100.0
    );
    assert!(share > 0.7);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/k_means.pgm");
    match fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/target"))
        .and_then(|()| fs::write(path, drawn(&centres)))
    {
        Ok(()) => println!("their centres are drawn in target/k_means.pgm"),
        Err(error) => println!("their centres could not be drawn in target/k_means.pgm: {error}"),
    }
    Ok(())
}

//! A step of Newton's method is one of Lloyd's algorithm, on the processor and on a GPU.

use std::env;

use catadiff::execute::gpu::FirstGpu;
use page::{Clustering, Points, Step, points};
use pollster::block_on;

/// The number of the centre next to each point, the sum of the squared distances from these, and the means of their points.
fn lloyd(points: &[f32], centres: &[f32]) -> (Vec<i64>, f64, Vec<f64>) {
    let mut nearest = Vec::new();
    let mut cost = 0.0;
    let mut sums = vec![[0.0; 3]; centres.len() / 2];
    for point in points.as_chunks::<2>().0 {
        let distance = |c: &[f32; 2]| (point[0] - c[0]).powi(2) + (point[1] - c[1]).powi(2);
        let of = centres.as_chunks::<2>().0.iter().enumerate().map(|(k, c)| (k, distance(c)));
        let (k, least) = of.min_by(|x, y| x.1.total_cmp(&y.1)).expect("there are centres");
        nearest.push(k as i64);
        cost += f64::from(least);
        let sum: &mut [f64; 3] = &mut sums[k];
        *sum = [sum[0] + f64::from(point[0]), sum[1] + f64::from(point[1]), sum[2] + 1.0];
    }
    let mean = |k: usize, [x, y, n]: [f64; 3]| match n {
        0.0 => [centres[2 * k], centres[2 * k + 1]].map(f64::from),
        _ => [x / n, y / n],
    };
    let means = sums.iter().enumerate().flat_map(|(k, sum)| mean(k, *sum)).collect();
    (nearest, cost, means)
}

fn check(mut clustering: Clustering, Points { points, mut centres }: Points) {
    for _ in 0..8 {
        let Step { centres: found, cost, nearest } = block_on(clustering.step()).expect("it is well");
        let (expected, least, means) = lloyd(&points, &centres);
        assert_eq!(nearest, expected);
        assert!((f64::from(cost) - least).abs() <= 1e-5 * least, "{cost} {least}");
        for (found, mean) in found.iter().zip(means) {
            assert!((f64::from(*found) - mean).abs() < 1e-5, "{found} {mean}");
        }
        centres = found;
    }
}

/// As many points and clusters as the page has at first, a few, and more clusters than points.
const CASES: [(usize, usize); 3] = [(50_000, 12), (40, 3), (3, 9)];

#[test]
fn on_the_processor() {
    for (count, clusters) in CASES {
        let points = points(count, clusters, 7);
        check(Clustering::on_processor(&points).expect("the program is right"), points);
    }
}

#[test]
fn on_a_gpu() {
    let gpu = match FirstGpu::open() {
        Ok(gpu) => gpu,
        Err(error) if env::var("CATADIFF_GPU").is_ok_and(|value| value == "required") => panic!("{error}"),
        Err(error) => return eprintln!("SKIPPED, without a GPU: {error}"),
    };
    for (count, clusters) in CASES {
        let points = points(count, clusters, 7);
        check(Clustering::on_gpu(&gpu, &points).expect("the GPU can run it"), points);
    }
}

//! Points in the plane to cluster, from a seed.

/// Points and the first centres, two numbers each, from 0 to 1.
#[derive(Debug, Clone)]
pub struct Points {
    /// Where the points are.
    pub points: Vec<f32>,
    /// Some of the points: where the centres begin.
    pub centres: Vec<f32>,
}

/// A generator of random numbers: splitmix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1, uniformly.
    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Two numbers with the normal distribution.
    fn normal(&mut self) -> [f64; 2] {
        let (radius, angle) = ((-2.0 * (1.0 - self.uniform()).ln()).sqrt(), core::f64::consts::TAU * self.uniform());
        [radius * angle.cos(), radius * angle.sin()]
    }
}

/// As many points, in as many heaps of different widths, and as many centres.
///
/// # Panics
/// If there are no points.
#[must_use]
pub fn points(count: usize, clusters: usize, seed: u64) -> Points {
    assert!(count > 0, "there are points to begin with");
    let mut random = Random(seed);
    let heaps: Vec<[f64; 3]> = (0..clusters.max(1))
        .map(|_| [0.12 + 0.76 * random.uniform(), 0.12 + 0.76 * random.uniform(), 0.015 + 0.05 * random.uniform()])
        .collect();
    let mut points = Vec::with_capacity(2 * count);
    for k in 0..count {
        let [x, y, width] = heaps[k % heaps.len()];
        let [dx, dy] = random.normal();
        points.extend([x + width * dx, y + width * dy].map(|x| x.clamp(0.0, 1.0) as f32));
    }
    let mut chosen = || random.bits() as usize % count;
    let centres = (0..clusters).map(|_| chosen()).flat_map(|k| [points[2 * k], points[2 * k + 1]]).collect();
    Points { points, centres }
}

//! Whether results are those that were expected, and where they first differ.
//!
//! Law: integers and truth values are equal or not; real numbers within a tolerance, relative to the larger and absolute
//! below 1. NaN is NaN, and an infinity only itself.

use catadiff::futhark::values::{Array, Data};

/// How far numbers may differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    pub(crate) half: f64,
    pub(crate) single: f64,
    pub(crate) double: f64,
    /// Whether it is relative to the largest number of the array.
    pub(crate) of_array: bool,
}

/// That of the language's own runner: expected results are often written with few digits.
pub(crate) const OF_THE_LANGUAGE: Tolerance = Tolerance { half: 2e-3, single: 2e-3, double: 2e-3, of_array: true };

fn near(a: f64, b: f64, tolerance: f64, scale: f64) -> bool {
    a == b
        || (a.is_nan() && b.is_nan())
        || (a.is_finite() && b.is_finite() && (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(scale))
}

/// The least number that errors are relative to, for these expected ones.
fn scale(of_array: bool, wanted: impl Iterator<Item = f64>) -> f64 {
    if of_array { wanted.map(f64::abs).filter(|x| x.is_finite()).fold(1.0, f64::max) } else { 1.0 }
}

/// What is wrong with the results, if anything is.
pub(crate) fn difference(found: &[Array], wanted: &[Array], tolerance: Tolerance) -> Option<String> {
    if found.len() != wanted.len() {
        return Some(format!("expected {} results, found {}", wanted.len(), found.len()));
    }
    let several = found.len() > 1;
    found.iter().zip(wanted).enumerate().find_map(|(at, (found, wanted))| {
        let name = if several { format!("result {at}: ") } else { String::new() };
        one(found, wanted, tolerance).map(|what| format!("{name}{what}"))
    })
}

fn one(found: &Array, wanted: &Array, tolerance: Tolerance) -> Option<String> {
    if found.data.kind() != wanted.data.kind() || found.shape != wanted.shape {
        return Some(format!("expected a value of type {}, found one of {}", wanted.type_name(), found.type_name()));
    }
    macro_rules! exact {
        ($a:expr, $b:expr) => {
            $a.iter().zip($b).position(|(a, b)| a != b).map(|at| (at, format!("{:?}", $b[at]), format!("{:?}", $a[at])))
        };
    }
    macro_rules! real {
        ($a:expr, $b:expr, $tolerance:expr) => {{
            let scale = scale(tolerance.of_array, $b.iter().map(|&x| x.into()));
            $a.iter()
                .zip($b)
                .position(|(&a, &b)| !near(a.into(), b.into(), $tolerance, scale))
                .map(|at| (at, format!("{:?}", $b[at]), format!("{:?}", $a[at])))
        }};
    }
    let first = match (&found.data, &wanted.data) {
        (Data::F64(a), Data::F64(b)) => real!(a, b, tolerance.double),
        (Data::F32(a), Data::F32(b)) => real!(a, b, tolerance.single),
        (Data::F16(a), Data::F16(b)) => real!(a, b, tolerance.half),
        (Data::I8(a), Data::I8(b)) => exact!(a, b),
        (Data::I16(a), Data::I16(b)) => exact!(a, b),
        (Data::I32(a), Data::I32(b)) => exact!(a, b),
        (Data::I64(a), Data::I64(b)) => exact!(a, b),
        (Data::U8(a), Data::U8(b)) => exact!(a, b),
        (Data::U16(a), Data::U16(b)) => exact!(a, b),
        (Data::U32(a), Data::U32(b)) => exact!(a, b),
        (Data::U64(a), Data::U64(b)) => exact!(a, b),
        (Data::Bool(a), Data::Bool(b)) => exact!(a, b),
        (_, _) => None,
    };
    let (at, expected, answer) = first?;
    let place = if wanted.shape.is_empty() { String::new() } else { format!("at {:?}: ", indices(at, &wanted.shape)) };
    let kind = wanted.data.kind().name();
    Some(format!("{place}expected {expected}, found {answer} ({kind})"))
}

/// The place of an element among the dimensions.
pub(crate) fn indices(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut indices = vec![0; shape.len()];
    for (index, &size) in indices.iter_mut().zip(shape).rev() {
        *index = at % size;
        at /= size;
    }
    indices
}

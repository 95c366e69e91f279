//! Outputs are compared number by number.

use serde_json::Value as Json;

/// The numbers of an output, in order.
pub(crate) fn numbers(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(items) => items.iter().flat_map(numbers).collect(),
        Json::Object(fields) => fields.values().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("outputs are of numbers")],
    }
}

/// The largest relative difference of an output from what is expected.
pub(crate) fn deviation(found: &Json, expected: &[f64]) -> f64 {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    let relative = |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() / b.abs().max(SMALLEST_UNIT) };
    found.iter().zip(expected).map(relative).fold(0.0, f64::max)
}

/// Below this, which is next to the smallest numbers, differences are in units of it.
const SMALLEST_UNIT: f64 = 1e-300;

/// How far outputs may be from the benchmark's own, of which it allows 1e-4.
pub(crate) const TOLERANCE: f64 = 1e-9;

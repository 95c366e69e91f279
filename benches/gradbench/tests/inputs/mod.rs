//! The benchmark's data that is bundled: inputs, and the outputs of its own implementation.

use std::fs::File;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value as Json;

/// A file of the benchmark's data.
pub(crate) fn data(path: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path);
    let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_reader(GzDecoder::new(file)).expect("the benchmark's data is JSON")
}

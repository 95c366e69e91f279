//! The benchmark's data that is bundled: inputs, and the outputs of its own implementation.

use std::fs::{DirEntry, File, read_dir};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value as Json;

fn folder(module: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(module)
}

/// A file of the benchmark's data.
pub(crate) fn data(path: &str) -> Json {
    let path = folder(path);
    let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_reader(GzDecoder::new(file)).expect("the benchmark's data is JSON")
}

/// The names of the inputs of a module, those that are shortest to write first.
#[allow(dead_code, reason = "not every test looks for inputs")]
pub(crate) fn inputs(module: &str) -> Vec<String> {
    let files = read_dir(folder(module)).unwrap_or_else(|e| panic!("no data of {module}: {e}"));
    let named = |file: DirEntry| Some((file.metadata().ok()?.len(), file.file_name().into_string().ok()?));
    let mut files: Vec<(u64, String)> = files.filter_map(|file| named(file.ok()?)).collect();
    files.sort();
    files
        .iter()
        .filter_map(|(_, name)| Some(name.strip_suffix(".json.gz")?.to_owned()))
        .filter(|n| !n.ends_with(".golden"))
        .collect()
}

//! What the targets have in common: a law to ask, and mutations by words of the texts that are there.

use std::path::Path;
use std::sync::OnceLock;

use catadiff::futhark::testing::random::Random;
pub use catadiff_laws::Verdict;
pub use libfuzzer_sys;

/// A target: asks a law of any bytes. Texts are mutated by their words, most of the time, and mixed with those of the folder of
/// seeds, or with the programs of the tests.
#[macro_export]
macro_rules! target {
    ($law:path, $name:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| {
            if let Err(violation) = $law(data) {
                panic!("{violation}");
            }
        });
        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::mutate(data, size, most, seed, $name)
        });
    };
}

/// A mutant in the place of the data, and its length.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32, name: &str) -> usize {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let mut random = Random::new(seed.into());
    let seeds = SEEDS.get_or_init(|| seeds(name));
    if seeds.is_empty() || random.bits() % 8 == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, most);
    }
    let other = &seeds[usize::try_from(random.bits() % seeds.len() as u64).expect("less than their number")];
    let mutant = catadiff_laws::mutated(&data[..size], other, &mut random);
    let length = mutant.len().min(most);
    data[..length].copy_from_slice(&mutant[..length]);
    length
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = if name == "program" { here.join("../tests/futhark") } else { here.join("seeds").join(name) };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.into_iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

//! The kernels of programs that people write, and of their derivatives: they are WGSL, which needs no device to be seen.

use std::fs;
use std::path::Path;

use catadiff::array::Program;
use catadiff::execute::gpu::{check, kernels, narrow_kernels};
use catadiff::futhark::check::{NoImports, check as checked};
use catadiff::futhark::elaborate::compile_entry;
use catadiff::futhark::syntax::parse;

/// Programs of `tests/futhark`: maps, reductions, scans, histograms, scatters, loops, branches, updates in place, in both precisions.
#[rustfmt::skip]
const CORPUS: [&str; 48] = [
    "abbreviations", "accumulators", "bench_gmm", "bench_kmeans", "bench_lbm", "bench_lstm", "bins_both_ways",
    "bits_in_lanes", "both_modes_data", "both_modes_functions", "checks_inside", "concat_rules", "conditionals",
    "conversions", "convolution", "distances", "exclusive", "filters", "gathered", "gmm_batched", "grid", "half_precision",
    "hessians", "histogram", "histogram_rules", "jacobians", "loops", "loops_in_loops", "lotka_volterra", "matrices",
    "matrix_scans", "neural_network", "newton", "own_operators", "particle", "radix", "recurrences", "reduce_vectors",
    "reductions", "rows_inside", "scan_rules", "scans", "scatter_rules", "scatters", "single", "single_precision",
    "stencil", "updates",
];

/// The entry points of a program and their derivatives, by name.
fn programs(file: &str) -> Vec<(String, Program)> {
    let path = Path::new("tests/futhark").join(format!("{file}.fut"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tree = parse(&text, 0).expect("it is in the language");
    let (program, _) = checked(&tree, &mut NoImports).unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
    let mut all = Vec::new();
    for entry in &program.entries {
        // Some entry points are no array programs.
        let Ok(elaborated) = compile_entry(&program, &entry.name) else { continue };
        let name = format!("{file}, {}", entry.name);
        all.extend(elaborated.program.vjp().ok().map(|vjp| (format!("{name}, vjp"), vjp)));
        all.push((name, elaborated.program));
    }
    all
}

/// The kernels of the programs of a file, with the name of what they are of.
fn of_file(file: &str) -> Vec<(String, String)> {
    let numbered = |(name, program): (String, Program)| {
        let all = kernels(&program).unwrap_or_default();
        all.into_iter().enumerate().map(move |(k, text)| (format!("{name}, kernel {k}"), text)).collect::<Vec<_>>()
    };
    programs(file).into_iter().flat_map(numbered).collect()
}

#[test]
fn kernels_of_a_corpus_and_of_its_derivatives_are_wgsl() {
    for file in CORPUS {
        let all = of_file(file);
        assert!(
            all.iter().any(|(name, _)| name.contains(", vjp,")),
            "{file} has kernels, and its derivatives have some"
        );
        for (name, text) in all {
            check(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        }
    }
}

/// Writes what browsers are given, of the same programs in single precision and with integers of 32 bits, into the folder `wgsl` beside the
/// build. Their compilers are stricter: they want to see that all threads come to a barrier.
#[test]
#[ignore = "for `examples/browser/test`"]
fn kernels_of_a_corpus_are_written_for_browsers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wgsl");
    fs::create_dir_all(&folder).expect("a folder can be made");
    for file in CORPUS {
        for (name, program) in programs(file) {
            // Some programs convert numbers to bits, which are as many as the numbers have.
            let Ok(single) = Program::parse(&program.to_string().replace("f64", "f32")) else { continue };
            for (k, text) in narrow_kernels(&single).unwrap_or_default().into_iter().enumerate() {
                let path = folder.join(format!("{}-{k}.wgsl", name.replace(", ", "-").replace(' ', "_")));
                fs::write(path, text).expect("a file can be written");
            }
        }
    }
}

/// Writes what drivers are given into the folder `spirv` beside the build, which `.ci/nightly spirv` validates.
#[test]
#[ignore = "for `.ci/nightly spirv`"]
fn kernels_of_a_corpus_are_written_in_spirv() {
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spirv");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let options = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
    for file in CORPUS {
        for (name, text) in of_file(file) {
            let module = naga::front::wgsl::parse_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
            let info = info.unwrap_or_else(|error| panic!("{name}: {error}"));
            let words =
                spv::write_vec(&module, &info, &options, None).unwrap_or_else(|error| panic!("{name}: {error}"));
            let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
            let path = folder.join(format!("{}.spv", name.replace(", ", "-").replace(' ', "_")));
            fs::write(path, bytes).expect("a file can be written");
        }
    }
}

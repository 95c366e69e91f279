//! Programs of a user that include a generated module: compiled without any crate, and run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use catadiff::array::{Const, Prim, Program};
use catadiff::interpret::{Scalar, Value};
use catadiff_build::{Generated, Module};

/// A folder of its own for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build").join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made among those of the build");
    folder
}

/// How a program is compiled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How {
    pub(crate) edition: &'static str,
    /// Flags of the C compiler and of the linker, which is one.
    pub(crate) flags: &'static [&'static str],
}

/// As users have it, and with what watches accesses.
pub(crate) const PLAIN: How = How { edition: "2024", flags: &["-O2"] };
pub(crate) const WATCHED: How =
    How { edition: "2021", flags: &["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"] };

/// What comes before `main` in every program: no lint of those that crates deny finds anything, and what is allocated is counted.
const BEFORE: &str = "\
//! A program of a user.
#![deny(warnings, missing_docs, missing_debug_implementations, unsafe_op_in_unsafe_fn, rust_2018_idioms, unused, nonstandard_style)]
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
struct Counted;
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        unsafe { System.dealloc(start, layout) }
    }
}
#[global_allocator]
static COUNTED: Counted = Counted;
/// How often memory was allocated.
pub fn allocations() -> usize {
    ALLOCATIONS.load(Ordering::Relaxed)
}
";

fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("the compilers are there");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether the linker has what these flags need; sanitizers may be a package of their own.
fn links(flags: &[&str], folder: &Path) -> bool {
    std::fs::write(folder.join("empty.c"), "int main(void) { return 0; }\n").expect("files can be written");
    let output = Command::new("cc").args(flags).args(["empty.c", "-o", "empty"]).current_dir(folder).output();
    output.is_ok_and(|output| output.status.success())
}

/// What a program prints that includes this module and has this text; `None` if there are no sanitizers.
pub(crate) fn ran(name: &str, module: &Module, main: &str, how: How) -> Option<String> {
    let folder = folder(&format!("{name}_{}", how.edition));
    if !links(how.flags, &folder) {
        println!("SKIPPED: {:?}", how.flags);
        return None;
    }
    let Generated { rust, c } = module.generate().expect("the module can be written");
    std::fs::write(folder.join("module.rs"), &rust).expect("files can be written");
    std::fs::write(folder.join("main.rs"), format!("{BEFORE}include!(\"module.rs\");\n{main}"))
        .expect("files can be written");
    let mut command = Command::new(std::env::var("RUSTC").unwrap_or("rustc".to_owned()));
    command.args(["--edition", how.edition, "main.rs", "-o", "main", "-C", "debug-assertions=on"]);
    for file in &c {
        std::fs::write(folder.join(&file.name), &file.text).expect("files can be written");
        let object = format!("{}.o", file.name);
        let strict = [
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-psabi",
            "-ffp-contract=off",
            "-c",
            &file.name,
            "-o",
            &object,
        ];
        succeeds(Command::new("cc").args(how.flags).args(strict).current_dir(&folder));
        command.arg(format!("-Clink-arg={object}"));
    }
    if how.flags.iter().any(|flag| flag.starts_with("-fsanitize")) {
        command.args(["-Clink-arg=-lasan", "-Clink-arg=-lubsan"]);
    }
    succeeds(command.current_dir(&folder));
    let mut main = Command::new(folder.join("main"));
    // Rust has the linker omit what these flags link, so it is loaded before.
    if how.flags.iter().any(|flag| flag.starts_with("-fsanitize")) {
        let library =
            |name: &str| succeeds(Command::new("cc").arg(format!("-print-file-name={name}"))).trim().to_owned();
        main.env("LD_PRELOAD", ["libasan.so", "libubsan.so"].map(library).join(":"));
    }
    Some(succeeds(&mut main))
}

/// An element as Rust reads it.
fn written(scalar: &Scalar<f64>) -> String {
    match (scalar.prim(), scalar.real(), scalar.exact()) {
        (Prim::F32, Some(x), _) => format!("f32::from_bits({})", (*x as f32).to_bits()),
        (_, Some(x), _) => format!("f64::from_bits({})", x.to_bits()),
        (_, None, Some(Const::Bool(x))) => x.to_string(),
        (prim, None, Some(x)) => format!("{}_{}", x.integer().expect("it is an integer"), prim.name()),
        (_, None, None) => panic!("{scalar:?} is a number"),
    }
}

/// A value as an argument of a generated function.
fn argument(value: &Value<f64>) -> String {
    let elements: Vec<String> = value.elements().iter().map(written).collect();
    match value.sizes() {
        [] => elements[0].clone(),
        [_] => format!("&[{}][..]", elements.join(", ")),
        sizes => format!("m::View::new(const {{ &[{}] }}, {sizes:?})?", elements.join(", ")),
    }
}

/// A function called once in new memory and twice in memory that is kept; it prints its results, the last of them.
pub(crate) fn call(name: &str, program: &Program, arguments: &[Value<f64>]) -> String {
    let given: Vec<String> = arguments.iter().map(argument).collect();
    let results: Vec<usize> =
        program.function().body.results.iter().map(|atom| program.atom_type(*atom).rank).collect();
    let listed =
        |names: Vec<String>| if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(", ")) };
    let all = |letter: &str| (0..results.len()).map(|k| format!("{letter}{k}")).collect::<Vec<_>>();
    let scalars = |letter: &str| {
        (0..results.len()).filter(|k| results[*k] == 0).map(|k| format!("{letter}{k}")).collect::<Vec<_>>()
    };
    let arrays: Vec<usize> = (0..results.len()).filter(|k| results[*k] > 0).collect();
    let mut text = "    {\n        let mut workspace = m::Workspace::new();\n".to_owned();
    for (k, given) in given.iter().enumerate() {
        let _ = writeln!(text, "        let a{k} = {given};");
    }
    for k in &arrays {
        let _ = writeln!(text, "        let mut s{k} = Default::default();");
    }
    let names: Vec<String> = (0..given.len()).map(|k| format!("a{k}")).collect();
    let mut kept = names.clone();
    kept.extend(arrays.iter().map(|k| format!("&mut s{k}")));
    kept.push("&mut workspace".to_owned());
    let (new, kept) = (format!("m::{name}({})?", names.join(", ")), format!("m::{name}_into({})?", kept.join(", ")));
    let _ = writeln!(
        text,
        "        let {} = {new};\n        {kept};\n        let before = allocations();",
        listed(all("r"))
    );
    let _ = writeln!(text, "        let {} = {kept};", listed(scalars("s")).replace("()", "_"));
    let _ = writeln!(text, "        assert_eq!(before, allocations(), \"{name} allocates again\");");
    for (k, rank) in results.iter().enumerate() {
        let _ = writeln!(text, "        assert_eq!(format!(\"{{r{k}:?}}\"), format!(\"{{s{k}:?}}\"));");
        let _ = match rank {
            0 => writeln!(text, "        println!(\"[] [{{s{k}:?}}]\");"),
            1 => writeln!(text, "        println!(\"[{{}}] {{s{k}:?}}\", s{k}.len());"),
            _ => writeln!(text, "        println!(\"{{:?}} {{:?}}\", s{k}.sizes(), s{k}.elements());"),
        };
    }
    text + "    }\n"
}

/// Compares a line that a call has printed with a value.
pub(crate) fn is_near(line: &str, expected: &Value<f64>, of: &str) {
    let (sizes, elements) = line.split_once("] [").expect("sizes and elements are printed");
    assert_eq!(format!("{sizes}]"), format!("{:?}", expected.sizes()), "{of}");
    let elements: Vec<&str> = elements.trim_end_matches(']').split(", ").filter(|text| !text.is_empty()).collect();
    assert_eq!(elements.len(), expected.elements().len(), "{of}: {line}");
    for (found, expected) in elements.iter().zip(expected.elements()) {
        let Some(x) = expected.real() else {
            assert_eq!(*found, written(expected).split('_').next().unwrap(), "{of}: {line}");
            continue;
        };
        let y: f64 = found.parse().expect("a real is printed");
        let bound = if expected.prim() == Prim::F32 { 1e-5 } else { 1e-12 };
        assert!((x - y).abs() <= bound * x.abs().max(1.0) || x.is_nan() && y.is_nan(), "{of}: {found} is not {x}");
    }
}

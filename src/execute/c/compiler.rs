//! Files of C, compiled by this machine's compiler into libraries that are kept on disk and loaded.
//!
//! Law: what is loaded was compiled from that very text by that compiler with those flags, and whole: a file that another version left,
//! or that was cut short, is compiled again. Where nothing can be kept, nothing is, and all runs (tests/execute/native.rs).

#![allow(unsafe_code, reason = "to load a library is to run what is in it")]

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};

use crate::error::{Error, Result};

/// How much the compiler is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    Most,
    /// For what runs once.
    Least,
}

/// A compiler of C, and what it calls itself.
#[derive(Debug)]
struct Compiler {
    program: OsString,
    version: String,
}

/// The compiler that the environment names in `CC`, or the first of these that there is.
const COMPILERS: [&str; 3] = ["clang", "gcc", "cc"];

static COMPILER: LazyLock<Option<Compiler>> = LazyLock::new(|| {
    let named = std::env::var_os("CC").filter(|named| !named.is_empty());
    let all = named.map_or_else(|| COMPILERS.map(OsString::from).to_vec(), |named| vec![named]);
    all.into_iter().find_map(|program| {
        let output = Command::new(&program).arg("--version").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
        output.status.success().then_some(Compiler { program, version })
    })
});

/// Whether there is a compiler.
pub(super) fn available() -> Result<()> {
    compiler().map(drop)
}

fn compiler() -> Result<&'static Compiler> {
    let what = "there is no C compiler: install gcc or clang, or name one in the environment variable CC";
    COMPILER.as_ref().ok_or_else(|| Error::Device { what: what.to_owned() })
}

fn flags(effort: Effort) -> &'static [&'static str] {
    match effort {
        Effort::Most => &[
            "-O2",
            "-march=native",
            "-std=c11",
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-trapping-math",
            "-fPIC",
            "-shared",
            "-w",
        ],
        Effort::Least => &["-O0", "-march=native", "-std=c11", "-ffp-contract=off", "-fPIC", "-shared", "-w"],
    }
}

/// The folder in which libraries are kept: `CATADIFF_CACHE`, or `catadiff` among the caches of the user.
fn folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|found| !found.is_empty()).map(PathBuf::from);
    let found = of("CATADIFF_CACHE")
        .or_else(|| of("XDG_CACHE_HOME").map(|caches| caches.join("catadiff")))
        .or_else(|| of("HOME").map(|home| home.join(".cache").join("catadiff")))?;
    fs::create_dir_all(&found).ok().map(|()| found)
}

/// Whether new files can be made in a folder, which may be there for reading alone.
fn can_be_written(folder: &Path) -> bool {
    let probe = unused(folder, "probe");
    fs::write(&probe, []).and_then(|()| fs::remove_file(&probe)).is_ok()
}

/// The number of a text, by which its file is found; the text itself is kept beside, so that two of one number differ.
fn number(parts: &[&[u8]]) -> u64 {
    // FNV-1a, which stays what it is from version to version.
    let each = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    parts.iter().flat_map(|part| part.iter()).fold(0xcbf2_9ce4_8422_2325, each)
}

/// What is after the library in its file: that it is whole.
fn seal(library: &[u8], source: &str) -> [u8; 16] {
    let mut seal = [0; 16];
    seal[..8].copy_from_slice(&number(&[library]).to_le_bytes());
    seal[8..].copy_from_slice(&number(&[source.as_bytes()]).to_le_bytes());
    seal
}

fn is_whole(file: &Path, source: &str) -> bool {
    let Ok(all) = fs::read(file) else { return false };
    all.split_last_chunk::<16>().is_some_and(|(library, sealed)| *sealed == seal(library, source))
}

/// The library of a text.
pub(super) fn compiled(text: &str, effort: Effort) -> Result<libloading::Library> {
    let compiler = compiler()?;
    let more = std::env::var("CATADIFF_CFLAGS").unwrap_or_default();
    // What is said of accesses is looked at where all else that is taken for granted is.
    let proofs = cfg!(debug_assertions).then_some("-DPROVE");
    let flags: Vec<&str> = flags(effort).iter().copied().chain(proofs).chain(more.split_whitespace()).collect();
    let source = format!("/* {} {} {} */\n{text}", compiler.version, flags.join(" "), processor());
    let name = format!("{:016x}", number(&[source.as_bytes()]));
    if let Some(folder) = folder() {
        let (kept, beside) = (folder.join(format!("{name}.so")), folder.join(format!("{name}.c")));
        if is_whole(&kept, &source) && fs::read_to_string(&beside).is_ok_and(|beside| beside == source) {
            return load(&kept);
        }
        if can_be_written(&folder) {
            let made = make(compiler, &flags, &source, &folder)?;
            // Whoever is last replaces the file as a whole.
            let named = write_whole(&beside, source.as_bytes()).and_then(|()| fs::rename(&made, &kept));
            let library = load(if named.is_ok() { &kept } else { &made });
            if named.is_err() {
                fs::remove_file(&made).ok();
            }
            return library;
        }
    }
    let folder = std::env::temp_dir();
    let made = make(compiler, &flags, &source, &folder)?;
    let library = load(&made);
    // What is loaded needs its file no more.
    fs::remove_file(&made).ok();
    library
}

/// A name that no other thread or process uses.
fn unused(folder: &Path, end: &str) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("making-{}-{number}.{end}", std::process::id()))
}

fn write_whole(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let beside = unused(file.parent().unwrap_or(Path::new(".")), "part");
    fs::write(&beside, bytes)?;
    fs::rename(&beside, file).inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Compiles a text into a new file, which is sealed.
fn make(compiler: &Compiler, flags: &[&str], source: &str, folder: &Path) -> Result<PathBuf> {
    let (from, to) = (unused(folder, "c"), unused(folder, "so"));
    let failed = |what: String| Error::Device { what };
    fs::write(&from, source).map_err(|error| failed(format!("cannot write {}: {error}", from.display())))?;
    let output = Command::new(&compiler.program).args(flags).arg(&from).arg("-o").arg(&to).output();
    fs::remove_file(&from).ok();
    let output = output.map_err(|error| failed(format!("cannot run {}: {error}", compiler.program.display())))?;
    if !output.status.success() {
        fs::remove_file(&to).ok();
        let said = String::from_utf8_lossy(&output.stderr).lines().take(20).collect::<Vec<_>>().join("\n");
        return Err(failed(format!("{} has not compiled what was printed:\n{said}", compiler.program.display())));
    }
    let sealed = fs::read(&to).and_then(|library| {
        let mut file = fs::OpenOptions::new().append(true).open(&to)?;
        file.write_all(&seal(&library, source))
    });
    sealed.map_err(|error| failed(format!("cannot write {}: {error}", to.display())))?;
    Ok(to)
}

fn load(file: &Path) -> Result<libloading::Library> {
    // SAFETY: the library was compiled from text that is printed here, and its file is whole: loading it runs no code of its own.
    unsafe { libloading::Library::new(file) }
        .map_err(|error| Error::Device { what: format!("cannot load {}: {error}", file.display()) })
}

/// What the processor can do: libraries are compiled for it, and a folder may be shared by several machines.
fn processor() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let line = |start: &str| about.lines().find(|line| line.starts_with(start)).unwrap_or_default();
        let features = [line("flags"), line("Features"), line("model name")].concat();
        format!("{} {:016x}", std::env::consts::ARCH, number(&[features.as_bytes()]))
    })
}

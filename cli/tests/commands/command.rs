//! The command line, run in a folder of its own: what it is given, and what it prints.

#![allow(dead_code, reason = "each file of tests uses a part")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Entry points of many kinds.
pub(crate) const PROGRAM: &str = "\
-- ==
-- entry: dot
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 }
-- random input { [100]f64 [100]f64 } auto output
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
entry scale (xs: []f64) (k: f64) = map (* k) xs
entry mixed (n: i64) (xs: [n]f32) (ys: []f64) = (f64.sum ys, xs)
entry doubled [n] (xs: *[n]f64) (i: i64): [n]f64 = xs with [i] = 2 * xs[i]
entry keep (xs: []f64) = filter (> 0) xs
entry at (xs: []i32) (i: i64) = xs[i]
entry spin (x: i32) = loop x while true do x + 1
entry big (n: i64) = replicate n 1f64
entry far (n: i64) = f64.sum (map f64.i64 (iota n))
entry descent (x: f64) (n: i64) = loop x for _i < n do x * (1 - x)
";

/// A folder of its own with these files.
pub(crate) fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command_{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

pub(crate) fn catadiff(folder: &PathBuf, arguments: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_catadiff"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that refuses its arguments reads no input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Exit code, standard output, standard error.
pub(crate) fn told(folder: &PathBuf, arguments: &str, input: &str) -> (i32, String, String) {
    let output = catadiff(folder, arguments, input.as_bytes());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

pub(crate) fn answer(folder: &PathBuf, arguments: &str, input: &str) -> String {
    let (code, output, errors) = told(folder, arguments, input);
    assert_eq!(code, 0, "{arguments}: {errors}");
    output
}

//! The table of accesses: of how many elements it is known before a run that they are inside of their arrays, by function.
//!
//! `cargo run --release -p catadiff-gradbench --example accesses` prints it; a word after `--` picks a module, and then a second word a
//! function of it, whose code is printed.

#[path = "../tests/inputs/mod.rs"]
mod inputs;

use catadiff::Result;
use catadiff::array::Program;
use catadiff_gradbench::FUNCTIONS;
use inputs::{data, inputs};

/// The code of a program as lanes run it, and before accesses were looked at.
fn codes(program: &Program) -> Result<[String; 2]> {
    let mut passes = program.compile()?.explained_passes();
    let (_, last) = passes.pop().expect("there are passes");
    let (_, before) = passes.pop().expect("there are passes");
    Ok([before, last])
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    println!("| function | accesses | inside | checks | left | choices | left |\n|---|---:|---:|---:|---:|---:|---:|");
    for function in FUNCTIONS.iter().filter(|f| words.first().is_none_or(|module| f.module == module)) {
        if words.get(1).is_some_and(|name| function.name != name) {
            continue;
        }
        let name = format!("{} {}", function.module, function.name);
        let Some(input) = inputs(function.module).into_iter().next() else { continue };
        let program = (function.task)(&data(&format!("{}/{input}.json.gz", function.module)))?.program;
        let [before, code] = codes(&program)?;
        let is_other = |line: &str| {
            ["input", "constant", "alloc", "product", "output"].iter().any(|word| line.trim_start().starts_with(word))
        };
        let accesses: Vec<&str> = code.lines().filter(|line| line.contains('[') && !is_other(line)).collect();
        let (all, inside) = (accesses.len(), accesses.iter().filter(|line| line.contains("]!")).count());
        let count = |code: &str, word: &str| code.lines().filter(|line| line.trim_start().starts_with(word)).count();
        let of = |word: &str| format!("{} | {}", count(&before, word), count(&code, word));
        println!("| {name} | {all} | {inside} | {} | {} |", of("check "), of("if "));
        if words.len() > 1 {
            println!("{code}");
        }
    }
    Ok(())
}

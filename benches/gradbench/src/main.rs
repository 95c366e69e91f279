//! The benchmark's tool: it replies to messages on standard input, or runs one function on one input.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::process::ExitCode;

use catadiff_gradbench::inputs::{input, sizes};
use catadiff_gradbench::measure::{Outcome, Timing, Tool};
use catadiff_gradbench::protocol::serve;
use catadiff_gradbench::{Function, function, modules};
use serde::Serialize;
use serde_json::Value as Json;

const USAGE: &str = "\
usage: catadiff-gradbench [--threads N] [--executor NAME]
           answers the messages of the benchmark's protocol on standard input, each a line of JSON
       catadiff-gradbench [--threads N] [--executor NAME] MODULE INPUT.json FUNCTION
           runs a function: the output is on the first line, and then a line for the time of each run
       catadiff-gradbench input MODULE KEY=VALUE...
           prints an input of this size, such as: input gmm d=64 k=25 n=1000
       catadiff-gradbench sizes [MODULE...]
           prints the sizes that the benchmark asks for, as arguments of `input`";

/// Why nothing was done, and what is wrong with how it was asked for or with what was given.
enum Failure {
    Usage(String),
    Given(String),
}

fn given(what: &str) -> impl FnOnce(&dyn std::fmt::Display) -> Failure {
    let what = what.to_owned();
    move |error| Failure::Given(format!("{what}: {error}"))
}

fn run(tool: &mut Tool, function: &Function, path: &str) -> Result<Outcome, Failure> {
    let file = File::open(path).map_err(|e| given(path)(&e))?;
    let input: Json = serde_json::from_reader(BufReader::new(file)).map_err(|e| given(path)(&e))?;
    tool.evaluate(function, input).map_err(|e| given(path)(&e))
}

/// A value as a line.
fn line(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, value)?;
    to.write_all(b"\n")
}

fn threads(arguments: &[String]) -> Result<&[String], Failure> {
    let [option, rest @ ..] = arguments else { return Ok(arguments) };
    if option != "--threads" {
        return Ok(arguments);
    }
    let number = rest.first().and_then(|n| n.parse().ok()).filter(|n| (1..=1 << 16).contains(n));
    let Some(number) = number else {
        return Err(Failure::Usage("`--threads` is followed by a number of threads, at least one".to_owned()));
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number).build_global();
    pool.map_err(|e| given("threads")(&e))?;
    Ok(&rest[1..])
}

/// The tool for the executor of the option, if there is one.
fn tool(arguments: &[String]) -> Result<(Tool, &[String]), Failure> {
    match arguments {
        [option, name, rest @ ..] if option == "--executor" => {
            Ok((Tool::on(name).map_err(|e| Failure::Usage(e.to_string()))?, rest))
        }
        _ => Ok((Tool::default(), arguments)),
    }
}

fn act(arguments: &[String]) -> Result<(), Failure> {
    let (mut tool, arguments) = tool(threads(arguments)?)?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = BufWriter::new(io::stdout().lock());
    let written = match words[..] {
        [] => serve(&mut tool, io::stdin().lock(), &mut out),
        ["input", module, ..] => {
            let input = input(module, &arguments[2..]).map_err(|e| given("input")(&e))?;
            line(&mut out, &input)
        }
        ["sizes", ref wanted @ ..] => {
            let all = || modules().collect();
            let wanted: Vec<&str> = if wanted.is_empty() { all() } else { wanted.into() };
            let sizes = wanted.into_iter().map(sizes).collect::<Result<Vec<_>, _>>().map_err(|e| given("sizes")(&e))?;
            sizes.iter().flatten().try_for_each(|size| writeln!(out, "{size}"))
        }
        [module, path, name] => {
            let function = function(module, name).map_err(|e| Failure::Usage(e.to_string()))?;
            let Outcome { output, timings } = run(&mut tool, function, path)?;
            line(&mut out, &output)
                .and_then(|()| timings.into_iter().map(Timing::to_json).try_for_each(|timing| line(&mut out, &timing)))
        }
        _ => return Err(Failure::Usage("these are not the arguments of any form".to_owned())),
    };
    written.and_then(|()| out.flush()).map_err(|e| given("standard output")(&e))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [help] = &arguments[..]
        && ["-h", "--help"].contains(&help.as_str())
    {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match act(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Given(error)) => {
            eprintln!("catadiff-gradbench: {error}");
            ExitCode::FAILURE
        }
        Err(Failure::Usage(error)) => {
            eprintln!("catadiff-gradbench: {error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

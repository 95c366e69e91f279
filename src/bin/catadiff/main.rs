//! The command line: formulas and programs in, values and derivatives out.
//!
//! Law: an answer comes with exit code 0 on standard output, a mistake on standard error with a code that says whose it is;
//! no argument and no input makes it panic, and time is linear in the number of names but for what a strategy costs.

mod answer;
mod arguments;
mod bench;
mod carrier;
mod cases;
mod check;
mod compare;
mod completions;
mod derivative;
mod engine;
mod formulas;
mod input;
mod json;
mod load;
mod repl;
mod run;
mod show;
mod table;
mod test;
mod trace;

use std::process::ExitCode;

use answer::{Answer, Failure, tell};
use arguments::Arguments;

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, _> = std::env::args_os().skip(1).map(std::ffi::OsString::into_string).collect();
    let answer = match &arguments {
        Ok(arguments) => answered(&arguments.iter().map(String::as_str).collect::<Vec<_>>()),
        Err(argument) => Err(Failure::asked(format!("`{}` is not Unicode text", argument.to_string_lossy()))),
    };
    let (output, code) = match answer {
        Ok(Answer { output, code }) => (output, code),
        Err(Failure { output, text, code }) => {
            tell(&format!("catadiff: {}\n", text.trim_end()));
            (output, code)
        }
    };
    use std::io::Write;
    // A reader that has seen enough, such as `head`, is no mistake.
    let _ = std::io::stdout().write_all(&output);
    ExitCode::from(code)
}

/// What to print, or what was wrong.
fn answered(arguments: &[&str]) -> Result<Answer, Failure> {
    // `-h` may be a formula.
    let asks_for_help = |rest: &[&str]| matches!(rest, ["-h"]) || rest.contains(&"--help");
    match arguments {
        [] | ["--help" | "-h", ..] | ["help"] => Ok(table::overview().into()),
        ["--version" | "-V"] => Ok(format!("catadiff {}\n", env!("CARGO_PKG_VERSION")).into()),
        ["help", command, ..] => Ok(table::find(command)?.help().into()),
        [command, rest @ ..] if asks_for_help(rest) => Ok(table::find(command)?.help().into()),
        ["completions", rest @ ..] => completions::completions(rest),
        ["grad" | "show", _, ..] if !is_program(arguments) => formulas::answer(arguments),
        ["derive" | "functions", ..] | ["grad" | "show"] => formulas::answer(arguments),
        [command, rest @ ..] => {
            let row = table::find(command)?;
            let arguments = Arguments::read(row, rest)?;
            match row.name {
                "run" => run::run(&arguments),
                "test" => test::test(&arguments),
                "bench" => bench::bench(&arguments),
                "grad" | "jvp" | "vjp" => derivative::differentiate(row.name, &arguments),
                "check" => check::check(&arguments),
                "trace" => trace::show_trace(&arguments),
                "repl" => repl::repl(&arguments),
                _ => show::show(&arguments),
            }
        }
    }
}

/// Whether these are about a program in a file, and not about a formula.
fn is_program(arguments: &[&str]) -> bool {
    arguments.iter().skip(1).any(|argument| argument.ends_with(".fut"))
}

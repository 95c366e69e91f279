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
#[cfg(feature = "native")]
mod emit;
mod engine;
mod fmt;
mod formulas;
mod input;
mod load;
mod lsp;
#[cfg(feature = "mpi")]
mod ranks;
mod repl;
mod run;
mod show;
mod table;
mod test;
mod trace;
mod trial;

use std::process::ExitCode;

use answer::{Answer, Failure, tell};
use arguments::Arguments;

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, _> = std::env::args_os().skip(1).map(std::ffi::OsString::into_string).collect();
    let answer = match &arguments {
        Ok(arguments) => {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            #[cfg(feature = "mpi")]
            let joined = ranks::join(&arguments).and_then(|()| ranks::fit(&arguments));
            #[cfg(not(feature = "mpi"))]
            let joined = Ok(());
            joined.and_then(|()| answered(&arguments))
        }
        Err(argument) => Err(Failure::asked(format!("`{}` is not Unicode text", argument.to_string_lossy()))),
    };
    let (output, code) = match answer {
        Ok(Answer { output, code }) => (output, code),
        Err(Failure { output, text, code }) => {
            tell(&format!("catadiff: {}\n", text.trim_end()));
            (output, code)
        }
    };
    #[cfg(feature = "mpi")]
    let output = if ranks::is_quiet() { Vec::new() } else { output };
    use std::io::Write;
    // A reader that has seen enough, such as `head`, is no mistake.
    let _ = std::io::stdout().write_all(&output);
    #[cfg(feature = "mpi")]
    ranks::leave();
    ExitCode::from(code)
}

/// What to print, or what was wrong.
fn answered(arguments: &[&str]) -> Result<Answer, Failure> {
    let arguments = if arguments.is_empty() { &["--help"] } else { arguments };
    // A formula may begin with `-`, and be `-h`: it is no option.
    let asks_for_help = |rest: &[&str]| matches!(rest, ["-h"]) || rest.contains(&"--help");
    if let ["grad" | "show" | "derive" | "functions", rest @ ..] = arguments
        && !asks_for_help(rest)
        && !is_program(arguments)
    {
        return formulas::answer(arguments);
    }
    let mut matches = match table::parser().try_get_matches_from(["catadiff"].iter().chain(arguments)) {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => {
            let text = error.to_string();
            return Err(Failure::asked(text.strip_prefix("error: ").unwrap_or(&text)));
        }
        Err(help) => return Ok(help.to_string().into()),
    };
    let (name, matches) = matches.remove_subcommand().expect("the parser wants a command");
    let arguments = &Arguments::new(name.clone(), matches);
    match name.as_str() {
        "run" => run::run(arguments),
        "test" => test::test(arguments),
        "bench" => bench::bench(arguments),
        "grad" | "jvp" | "vjp" => derivative::differentiate(&name, arguments),
        "check" => check::check(arguments),
        "fmt" => fmt::fmt(arguments),
        "lsp" => lsp::lsp(arguments),
        #[cfg(feature = "native")]
        "emit" => emit::emit(arguments),
        "trace" => trace::show_trace(arguments),
        "repl" => repl::repl(arguments),
        "completions" => completions::completions(arguments),
        _ => show::show(arguments),
    }
}

/// Whether these are about a program in a file, and not about a formula.
fn is_program(arguments: &[&str]) -> bool {
    arguments.iter().skip(1).any(|argument| argument.ends_with(".fut"))
}

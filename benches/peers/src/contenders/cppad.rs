//! CppAD: a program of its own (`gradbench/replay.cpp`), which records a function once, replays it, and takes the time itself.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use super::Kind;
use crate::row::{Row, Run};

/// A recording in CppAD's program.
struct Recording {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    gradient: Vec<f64>,
}

/// The row of a function that CppAD's program knows by this name and size, with its optimiser or without.
pub fn row(program: &Path, (function, size): (&'static str, usize), x: &Arc<[f64]>, optimised: bool) -> Row {
    let (program, x) = (program.to_owned(), Arc::clone(x));
    let prepare = move || -> Result<Box<dyn Run>, String> {
        let told = |error: std::io::Error| format!("{}: {error}", program.display());
        let mut child = Command::new(&program)
            .args([function, &size.to_string(), if optimised { "optimize" } else { "as-recorded" }])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(told)?;
        let (requests, answers) = (child.stdin.take().expect("it is piped"), child.stdout.take().expect("it is piped"));
        let mut recording = Recording { child, requests, answers: BufReader::new(answers), gradient: Vec::new() };
        let mut point = x.len().to_string();
        x.iter().for_each(|x| write!(point, " {x:?}").expect("a string takes all text"));
        recording.ask(&point).map_err(told)?;
        Ok(Box::new(recording))
    };
    Row { name: name(optimised).into(), kind: Kind::Peer, prepare: Box::new(prepare) }
}

/// How the row is called.
pub fn name(optimised: bool) -> &'static str {
    if optimised { "CppAD optimised (replay)" } else { "CppAD (replay)" }
}

impl Recording {
    /// The line that replies to a request.
    fn ask(&mut self, request: &str) -> std::io::Result<String> {
        writeln!(self.requests, "{request}")?;
        self.requests.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer.is_empty() { Err(std::io::ErrorKind::UnexpectedEof.into()) } else { Ok(answer) }
    }
}

impl Run for Recording {
    fn run(&mut self) {
        let answer = self.ask("gradient").expect("CppAD's program answers");
        self.gradient.clear();
        self.gradient.extend(answer.split_whitespace().map(|g| g.parse::<f64>().expect("a number")));
    }
    fn result(&self) -> &[f64] {
        &self.gradient
    }
    fn time(&mut self, repeats: u32) -> f64 {
        let answer = self.ask(&format!("time {repeats}")).expect("CppAD's program answers");
        answer.trim().parse::<f64>().expect("seconds") / f64::from(repeats)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

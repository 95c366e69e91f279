//! Arguments behind a command: files and options, as the table says.
//!
//! Law: what is read is what was given; a value that is missing or no number is refused with what would be right.

use std::str::FromStr;

use catadiff::interpret::Limits;
use clap::ArgMatches;

use crate::answer::Failure;
use crate::table::FILES;

/// Files and options.
#[derive(Debug)]
pub(crate) struct Arguments {
    command: String,
    pub(crate) files: Vec<String>,
    matches: ArgMatches,
}

impl Arguments {
    /// What was found behind the name of a command.
    pub(crate) fn new(command: String, matches: ArgMatches) -> Self {
        Arguments { command, files: texts(&matches, FILES).map(str::to_owned).collect(), matches }
    }

    /// Whether an option is there.
    pub(crate) fn has(&self, long: &str) -> bool {
        self.option(long).is_some() || matches!(self.matches.try_get_one(long), Ok(Some(true)))
    }

    /// The last value of an option.
    pub(crate) fn option(&self, long: &str) -> Option<&str> {
        self.all(long).last()
    }

    /// All values of an option; a command that does not have it has none.
    pub(crate) fn all(&self, long: &str) -> impl Iterator<Item = &str> + use<'_> {
        texts(&self.matches, long)
    }

    /// The value of an option that is a number.
    pub(crate) fn number<T: FromStr>(&self, long: &str) -> Result<Option<T>, Failure> {
        match self.option(long) {
            None => Ok(None),
            Some(value) => match value.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(Failure::asked(format!("the value of `--{long}` is `{value}`, which is no such number"))),
            },
        }
    }

    /// How much a run may take.
    pub(crate) fn limits(&self) -> Result<Limits, Failure> {
        let known = Limits::default();
        Ok(Limits {
            steps: self.number("steps")?.unwrap_or(known.steps),
            elements: self.number("memory")?.unwrap_or(known.elements),
        })
    }

    /// The one file.
    pub(crate) fn file(&self) -> Result<&str, Failure> {
        let name = &self.command;
        match &self.files[..] {
            [file] => Ok(file),
            [] => Err(Failure::asked(format!("`{name}` needs a file; try `catadiff help {name}`"))),
            [_, second, ..] => Err(Failure::asked(format!("`{name}` takes one file, and `{second}` is one more"))),
        }
    }

    /// One file or more.
    pub(crate) fn some_files(&self) -> Result<&[String], Failure> {
        let name = &self.command;
        if self.files.is_empty() {
            return Err(Failure::asked(format!("`{name}` needs a file; try `catadiff help {name}`")));
        }
        Ok(&self.files)
    }
}

fn texts<'a>(matches: &'a ArgMatches, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    matches.try_get_many::<String>(name).ok().flatten().into_iter().flatten().map(String::as_str)
}

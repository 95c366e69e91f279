//! Arguments behind a command: files and options, as the table says.
//!
//! Law: what is read is what was given; an option that the command does not have, a value that is missing or no number
//! is refused with what would be right.

use std::str::FromStr;

use catadiff::interpret::Limits;

use crate::answer::Failure;
use crate::table::Command;

/// Files and options.
#[derive(Debug)]
pub(crate) struct Arguments {
    command: &'static Command,
    pub(crate) files: Vec<String>,
    options: Vec<(&'static str, String)>,
}

impl Arguments {
    /// Reads what stands behind the name of a command.
    pub(crate) fn read(command: &'static Command, words: &[&str]) -> Result<Self, Failure> {
        let (mut files, mut options) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "--" {
                files.extend(words.by_ref().map(|&word| word.to_owned()));
                break;
            }
            let (name, given) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            let found = match (name.strip_prefix("--"), name.strip_prefix('-')) {
                (Some(long), _) => command.flags().find(|flag| flag.long == long),
                (None, Some(short)) if !short.is_empty() => {
                    command.flags().find(|flag| flag.short.is_some_and(|known| short == known.to_string()))
                }
                (None, _) => {
                    files.push(word.to_owned());
                    continue;
                }
            };
            let Some(flag) = found else {
                let name = command.name;
                return Err(Failure::asked(format!("`{name}` has no option `{word}`; try `catadiff help {name}`")));
            };
            let value = match (flag.value, given) {
                (None, None) => String::new(),
                (None, Some(_)) => return Err(Failure::asked(format!("`--{}` takes no value", flag.long))),
                (Some(_), Some(value)) => value.to_owned(),
                (Some(what), None) => match words.next() {
                    Some(&value) => value.to_owned(),
                    None => return Err(Failure::asked(format!("`{word}` needs a value: {word} {what}"))),
                },
            };
            if !flag.values.is_empty() && !flag.values.contains(&value.as_str()) {
                let known = flag.values.join(", ");
                return Err(Failure::asked(format!("`--{}` is one of {known}, not `{value}`", flag.long)));
            }
            options.push((flag.long, value));
        }
        Ok(Arguments { command, files, options })
    }

    /// Whether a switch is set.
    pub(crate) fn has(&self, long: &str) -> bool {
        self.option(long).is_some()
    }

    /// The last value of an option.
    pub(crate) fn option(&self, long: &str) -> Option<&str> {
        self.all(long).last()
    }

    /// All values of an option.
    pub(crate) fn all(&self, long: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |(name, _)| *name == long).map(|(_, value)| value.as_str())
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
        let name = self.command.name;
        match &self.files[..] {
            [file] => Ok(file),
            [] => Err(Failure::asked(format!("`{name}` needs a file; try `catadiff help {name}`"))),
            [_, second, ..] => Err(Failure::asked(format!("`{name}` takes one file, and `{second}` is one more"))),
        }
    }

    /// One file or more.
    pub(crate) fn some_files(&self) -> Result<&[String], Failure> {
        let name = self.command.name;
        if self.files.is_empty() {
            return Err(Failure::asked(format!("`{name}` needs a file; try `catadiff help {name}`")));
        }
        Ok(&self.files)
    }
}

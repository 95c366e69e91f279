//! Programs from files, ready to be asked for their entry points.
//!
//! Law: what is known of a program is what its file and those that it imports say; more declarations are checked with these.

use std::path::Path;
use std::rc::Rc;

use catadiff::futhark::core::{Entry, Program};
use catadiff::futhark::files::Texts;
use catadiff::futhark::source::{Message, Name};
use catadiff::futhark::syntax::{parse, tree::File};

use crate::answer::Failure;
use crate::arguments::Arguments;

/// A checked program.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) texts: Texts,
    pub(crate) tree: Rc<File>,
    pub(crate) program: Program,
    pub(crate) warnings: Vec<Message>,
}

impl Loaded {
    /// From a file.
    pub(crate) fn file(path: &str) -> Result<Self, Failure> {
        let mut texts = Texts::default();
        let checked = texts.file(Path::new(path)).and_then(|(_, tree)| {
            let (program, warnings) = texts.check(&tree)?;
            Ok((tree, program, warnings))
        });
        match checked {
            Ok((tree, program, warnings)) => Ok(Loaded { texts, tree, program, warnings }),
            Err(messages) => Err(Failure::refused(&texts.sources, &messages)),
        }
    }

    /// The entry point of the option: by its name, or `main`, or the only one.
    pub(crate) fn entry(&self, arguments: &Arguments) -> Result<&Entry, Failure> {
        entry(&self.program, arguments.option("entry"))
    }

    /// The program with more declarations behind it, and its warnings in the place of those known so far.
    pub(crate) fn extended(&mut self, name: &str, text: &str) -> Result<Program, Vec<Message>> {
        let number = self.texts.sources.add(name, text);
        let mut file = (*self.tree).clone();
        file.declarations.extend(parse(text, number)?.declarations);
        let (program, warnings) = self.texts.check(&file)?;
        self.warnings = warnings;
        Ok(program)
    }
}

/// An entry point by its name; without one `main`, or the only one.
pub(crate) fn entry<'p>(program: &'p Program, name: Option<&str>) -> Result<&'p Entry, Failure> {
    let known: Vec<&Name> = program.entries.iter().map(|entry| &entry.name).collect();
    let listed = || known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (name, &program.entries[..]) {
        (_, []) => Err(Failure::asked("the program has no entry point: write `entry` in the place of `def`")),
        (None, [only]) => Ok(only),
        (name, entries) => match entries.iter().find(|entry| *entry.name == *name.unwrap_or("main")) {
            Some(entry) => Ok(entry),
            None => Err(Failure::asked(match name {
                Some(name) => format!("there is no entry point `{name}`: there are {}", listed()),
                None => format!("which entry point? Name it with `-e`: there are {}", listed()),
            })),
        },
    }
}

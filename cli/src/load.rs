//! Programs from files, with the files they import.
//!
//! Law: a file is read once however it is named; what cannot be read is a message at the import that wants it.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use catadiff::futhark::check::{self, Imports};
use catadiff::futhark::core::{Entry, Program};
use catadiff::futhark::source::{Message, Name, Sources, Span};
use catadiff::futhark::syntax::{parse, tree::File};

use crate::answer::Failure;
use crate::arguments::Arguments;

/// The longest text that is read as a program.
const LONGEST: u64 = 1 << 28;

/// The texts read so far.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) sources: Sources,
    /// Where each text is from, by its number.
    folders: HashMap<u32, PathBuf>,
    known: HashMap<PathBuf, (u32, Rc<File>)>,
}

impl Texts {
    /// Reads a file and makes a tree of it.
    pub(crate) fn file(&mut self, path: &Path) -> Result<(u32, Rc<File>), Vec<Message>> {
        let identity = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(known) = self.known.get(&identity) {
            return Ok(known.clone());
        }
        let text = text(path).map_err(|text| vec![Message::error("file", Span::default(), text)])?;
        let number = self.sources.add(path.display().to_string(), text);
        self.folders.insert(number, path.parent().unwrap_or(Path::new("")).to_owned());
        let tree = Rc::new(parse(&self.sources.files[number as usize].text, number)?);
        self.known.insert(identity, (number, tree.clone()));
        Ok((number, tree))
    }

    /// Checks declarations.
    pub(crate) fn check(&mut self, file: &File) -> Result<(Program, Vec<Message>), Vec<Message>> {
        check::check(file, self)
    }
}

impl Imports for Texts {
    fn load(&mut self, path: &str, from: u32) -> Result<(u32, Rc<File>), Vec<Message>> {
        let folder = self.folders.get(&from).cloned().unwrap_or_default();
        self.file(&folder.join(format!("{path}.fut")))
    }
}

/// What is in a file.
fn text(path: &Path) -> Result<String, String> {
    let name = path.display();
    let found = std::fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        _ => format!("`{name}` cannot be read: {error}"),
    })?;
    if found.is_dir() {
        return Err(format!("`{name}` is a folder, and a file is wanted"));
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("`{name}` is longer than {LONGEST} bytes, the longest a program may be"));
    }
    String::from_utf8(bytes).map_err(|error| {
        format!("`{name}` is not Unicode text: byte {} is part of no character", error.utf8_error().valid_up_to())
    })
}

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

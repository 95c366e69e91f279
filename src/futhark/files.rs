//! Programs from files, with the files they import.
//!
//! Law: a file is read once however it is named; what cannot be read is a message at the import that wants it
//! (cli/tests/commands/futhark.rs).

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::check::{self, Imports};
use super::core::Program;
use super::source::{Message, Sources, Span};
use super::syntax::{parse, tree::File};

/// The longest text that is read as a program.
const LONGEST: u64 = 1 << 28;

/// The texts read so far, each with the folder that it is from.
///
/// ```
/// use catadiff::futhark::files::Texts;
/// let mut texts = Texts::default();
/// let messages = texts.file("nowhere.fut".as_ref()).unwrap_err();
/// assert_eq!(texts.sources.show_all(&messages), "there is no file `nowhere.fut` [file]\n");
/// ```
#[derive(Debug, Default)]
pub struct Texts {
    /// The texts themselves, by which messages are shown.
    pub sources: Sources,
    /// Where each text is from, by its number.
    folders: HashMap<u32, PathBuf>,
    known: HashMap<PathBuf, (u32, Rc<File>)>,
    /// Texts that are not, or not yet, those on the disk.
    held: HashMap<PathBuf, String>,
}

/// One name for a file, however it is named.
fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Texts {
    /// Reads a file and makes a tree of it; with its number among the texts.
    ///
    /// # Errors
    /// If it cannot be read, is too long or no Unicode, or is no text of a program.
    pub fn file(&mut self, path: &Path) -> Result<(u32, Rc<File>), Vec<Message>> {
        let identity = identity(path);
        if let Some(known) = self.known.get(&identity) {
            return Ok(known.clone());
        }
        let text = match self.held.get(&identity) {
            Some(held) => held.clone(),
            None => text(path).map_err(|text| vec![Message::error("file", Span::default(), text)])?,
        };
        let number = self.sources.add(path.display().to_string(), text);
        self.folders.insert(number, path.parent().unwrap_or(Path::new("")).to_owned());
        let tree = Rc::new(parse(&self.sources.files[number as usize].text, number)?);
        self.known.insert(identity, (number, tree.clone()));
        Ok((number, tree))
    }

    /// Takes this for the text of a file, whatever is on the disk, where it has not been read yet.
    pub fn hold(&mut self, path: &Path, text: &str) {
        self.held.insert(identity(path), text.to_owned());
    }

    /// The number and the tree of a file that has been imported by this path from the text of this number.
    #[must_use]
    pub fn imported(&self, path: &str, from: u32) -> Option<(u32, Rc<File>)> {
        let folder = self.folders.get(&from).cloned().unwrap_or_default();
        self.known.get(&identity(&folder.join(format!("{path}.fut")))).cloned()
    }

    /// The number of a file that has been read.
    #[must_use]
    pub fn number(&self, path: &Path) -> Option<u32> {
        self.known.get(&identity(path)).map(|(number, _)| *number)
    }

    /// The files that have been read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.known.keys().map(PathBuf::as_path)
    }

    /// Checks declarations, with those of the files that they import; and what there is to warn of.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn check(&mut self, file: &File) -> Result<(Program, Vec<Message>), Vec<Message>> {
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

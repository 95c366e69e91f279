//! Files in Futhark, whose entry points become functions.
//!
//! Law: what is wrong with a text is shown with its line and a caret; a function knows all files that it was read from
//! (build/tests/build/refused.rs, build/tests/build/checks.rs).

use std::path::{Path, PathBuf};

use catadiff::futhark::core::Program;
use catadiff::futhark::elaborate::compile_entry;
use catadiff::futhark::files::Texts;
use catadiff::futhark::source::Message;

use crate::error::Error;
use crate::function::Function;

/// A file in Futhark, with those that it imports.
///
/// ```
/// use catadiff_build::Futhark;
/// # let path = std::env::temp_dir().join(format!("catadiff_build_{}.fut", std::process::id()));
/// # std::fs::write(&path, "entry scaled [n] (xs: [n]f64) (by: f64): [n]f64 = map (* by) xs")?;
/// // entry scaled [n] (xs: [n]f64) (by: f64): [n]f64 = map (* by) xs
/// let file = Futhark::open(&path)?;
/// assert_eq!(file.entries().collect::<Vec<_>>(), ["scaled"]);
/// assert_eq!(file.entry("scaled")?.jacobian("by")?.signature(), "(xs: []f64, by: f64) -> []f64");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Futhark {
    path: PathBuf,
    texts: Texts,
    program: Program,
    warnings: Vec<Message>,
}

impl Futhark {
    /// Reads and checks a file; the path is from where the build script runs, the folder of the package.
    ///
    /// # Errors
    /// [`Error::Futhark`] if it cannot be read or is no program, with all messages.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (path, mut texts) = (path.as_ref().to_owned(), Texts::default());
        let checked = texts.file(&path).and_then(|(_, tree)| texts.check(&tree));
        match checked {
            Ok((program, warnings)) => Ok(Futhark { path, texts, program, warnings }),
            Err(messages) => Err(Error::Futhark { messages: texts.sources.show_all(&messages).trim_end().to_owned() }),
        }
    }

    /// The names of its entry points, in order.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.program.entries.iter().map(|entry| &*entry.name)
    }

    /// An entry point. Records, tuples and sums are their parts, as parameters and as results.
    ///
    /// # Errors
    /// [`Error::Entry`] if there is no such entry point, [`Error::Futhark`] for what has no form as an array program.
    pub fn entry(&self, name: &str) -> Result<Function, Error> {
        if !self.entries().any(|known| known == name) {
            let known = self.entries().map(|name| format!("`{name}`")).collect();
            return Err(Error::Entry { file: self.path.clone(), name: name.to_owned(), known });
        }
        let sources = &self.texts.sources;
        let elaborated = compile_entry(&self.program, name);
        let elaborated = elaborated.map_err(|message| Error::Futhark { messages: sources.show_placed(&message) })?;
        let check = |message: &Message| {
            let (line, column, _) = sources.position(message.span);
            let (file, _) = sources.text(message.span.file);
            format!("{}, at {file}:{line}:{column}", message.text)
        };
        let checks = elaborated.checks().iter().map(check).collect();
        let warnings = self.warnings.iter().map(|message| sources.show_placed(message)).collect();
        let files = self.texts.paths().map(Path::to_owned).collect();
        Ok(Function { program: elaborated.program, checks, files, warnings })
    }

    /// What the file is called.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

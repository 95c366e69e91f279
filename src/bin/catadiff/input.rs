//! Values from standard input and from files, for the parameters of an entry point.
//!
//! Law: a number without a suffix takes the kind of its parameter; with one it has to be that kind.

use std::io::{IsTerminal, Read};
use std::path::Path;

use catadiff::futhark::core::{Entry, Prim};
use catadiff::futhark::meaning::interface;
use catadiff::futhark::source::Sources;
use catadiff::futhark::values::{Array, read_as, write_binary};

use crate::answer::Failure;

/// Values from standard input, of the kinds that an entry point takes. `names` says what its parameters are called.
pub(crate) fn from_stdin(entry: &Entry, name: &str, names: &[String]) -> Result<Vec<Array>, Failure> {
    let kinds: Vec<Prim> = entry.params.iter().flat_map(|(_, of)| interface(of)).map(|(kind, _)| kind).collect();
    let mut stdin = std::io::stdin();
    let mut bytes = Vec::new();
    // Nobody is asked to type nothing.
    if !(kinds.is_empty() && stdin.is_terminal()) {
        let read = stdin.read_to_end(&mut bytes);
        read.map_err(|error| Failure::asked(format!("standard input cannot be read: {error}")))?;
    }
    let values = values(&bytes, "standard input", &kinds).map_err(Failure::asked)?;
    if values.len() != kinds.len() {
        let parts = if kinds.len() == names.len() { "" } else { "the parts of " };
        let listed = if names.is_empty() { String::new() } else { format!(" ({parts}{})", names.join(", ")) };
        let (takes, given) = (kinds.len(), values.len());
        return Err(Failure::asked(format!("{name} takes {takes} values{listed}, and standard input has {given}")));
    }
    let checked = entry
        .params
        .iter()
        .zip(names)
        .flat_map(|((_, of), name)| interface(of).into_iter().map(move |leaf| (leaf, name)));
    for (((kind, rank), name), value) in checked.zip(&values) {
        if (kind, rank) != (value.data.kind(), value.shape.len()) {
            let wanted = format!("{}{}", "[]".repeat(rank), kind.name());
            let found = value.type_name();
            return Err(Failure::asked(format!(
                "{name} is of type {wanted}, and standard input has a value of type {found}"
            )));
        }
    }
    Ok(values)
}

/// What the parameters of an entry point are called.
pub(crate) fn parameters(entry: &Entry) -> Vec<String> {
    entry.params.iter().map(|(name, _)| format!("`{name}`")).collect()
}

/// The values that some bytes are; numbers without a suffix are of these kinds.
fn values(bytes: &[u8], name: &str, kinds: &[Prim]) -> Result<Vec<Array>, String> {
    read_as(bytes, 0, kinds).map_err(|message| {
        let mut sources = Sources::default();
        sources.add(name, std::str::from_utf8(bytes).unwrap_or(""));
        sources.show(&message).to_string()
    })
}

/// The values in a file.
pub(crate) fn from_file(path: &Path) -> Result<Vec<Array>, String> {
    let name = path.display().to_string();
    if path.extension().is_some_and(|ending| ending == "gz") {
        return Err(format!("`{name}` is compressed: unpack it, and name the file without `.gz`"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    values(&bytes, &name, &[])
}

/// Values as they are written: one on a line, or as bytes.
pub(crate) fn written(values: &[Array], binary: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for value in values {
        if binary {
            write_binary(value, &mut out);
        } else {
            out.extend_from_slice(format!("{value}\n").as_bytes());
        }
    }
    out
}

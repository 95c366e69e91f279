//! Values from standard input and from files, for the parameters of an entry point.
//!
//! Law: a number without a suffix takes the kind of its parameter; with one it has to be that kind.

use std::io::{IsTerminal, Read};
use std::path::Path;

use catadiff::futhark::core::{Entry, Prim};
use catadiff::futhark::meaning::interface;
use catadiff::futhark::source::Sources;
use catadiff::futhark::values::{Array, read_as, write_binary};
use catadiff::primitives::f16;

use crate::answer::Failure;
use crate::arguments::Arguments;
#[cfg(feature = "mpi")]
use crate::ranks::parts;

/// All of standard input; a terminal is read only if the input is wanted, so that the user need not type for nothing.
fn all_of_stdin(wanted: bool) -> Result<Vec<u8>, Failure> {
    #[cfg(feature = "mpi")]
    return crate::ranks::shared(|| read_stdin(wanted));
    #[cfg(not(feature = "mpi"))]
    read_stdin(wanted)
}

fn read_stdin(wanted: bool) -> Result<Vec<u8>, Failure> {
    let mut stdin = std::io::stdin();
    let mut bytes = Vec::new();
    if wanted || !stdin.is_terminal() {
        let read = stdin.read_to_end(&mut bytes);
        read.map_err(|error| Failure::asked(format!("standard input cannot be read: {error}")))?;
    }
    Ok(bytes)
}

/// All of standard input.
pub(crate) fn stdin() -> Result<Vec<u8>, Failure> {
    all_of_stdin(true)
}

/// The values that an entry point takes.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) values: Vec<Array>,
    /// The positions of those of which this process, a rank, has its part.
    pub(crate) split: Vec<usize>,
}

#[cfg(not(feature = "mpi"))]
fn parts(_: &Arguments, _: &Entry) -> Result<Vec<(usize, Array)>, Failure> {
    Ok(Vec::new())
}

/// Values of the kinds that an entry point takes: from standard input, but for those of which a rank reads its part. `names` says what its
/// parameters are called, of which those of `primal` are the first.
pub(crate) fn given(
    arguments: &Arguments,
    primal: &Entry,
    entry: &Entry,
    name: &str,
    names: &[String],
) -> Result<Given, Failure> {
    let parts = parts(arguments, primal)?;
    let is_here = |at: &usize| parts.iter().all(|(part, _)| part != at);
    let params = (0..entry.params.len()).filter(is_here).map(|at| entry.params[at].clone()).collect();
    let names: Vec<String> = (0..names.len()).filter(is_here).map(|at| names[at].clone()).collect();
    let rest = Entry { params, ..entry.clone() };
    let bytes = all_of_stdin(!leaves(&rest).is_empty())?;
    let (mut values, more) = read(&bytes, "standard input", &rest, name, &names, &[])?;
    debug_assert!(more.is_none(), "no more was asked for");
    let mut split = Vec::new();
    for (at, part) in parts {
        let before = entry.params[..at].iter().map(|(_, of)| interface(of).len()).sum();
        values.insert(before, part);
        split.push(before);
    }
    Ok(Given { values, split })
}

/// Values of the kinds that an entry point takes, and adjoints of its results if they stand behind these; the adjoint of one real number
/// is 1 unless it is given.
pub(crate) fn point(
    bytes: &[u8],
    source: &str,
    entry: &Entry,
    name: &str,
    names: &[String],
) -> Result<(Vec<Array>, Option<Vec<Array>>), Failure> {
    let results = interface(&entry.result);
    let (values, adjoints) = read(bytes, source, entry, name, names, &results)?;
    let one = match results[..] {
        [(Prim::F64, 0)] => Some(vec![Array::scalar(1.0_f64)]),
        [(Prim::F32, 0)] => Some(vec![Array::scalar(1.0_f32)]),
        [(Prim::F16, 0)] => Some(vec![Array::scalar(f16::from_f64(1.0))]),
        _ => None,
    };
    Ok((values, adjoints.or(one)))
}

/// The kinds and ranks of what an entry point takes.
fn leaves(entry: &Entry) -> Vec<(Prim, usize)> {
    entry.params.iter().flat_map(|(_, of)| interface(of)).collect()
}

/// The values that some bytes are, and those behind them if there are as many as may be.
fn read(
    bytes: &[u8],
    source: &str,
    entry: &Entry,
    name: &str,
    names: &[String],
    more: &[(Prim, usize)],
) -> Result<(Vec<Array>, Option<Vec<Array>>), Failure> {
    let wanted = leaves(entry);
    let takes = wanted.len();
    let kinds: Vec<Prim> = wanted.iter().chain(more).map(|(kind, _)| *kind).collect();
    let mut values = values(bytes, source, &kinds).map_err(Failure::asked)?;
    if values.len() != takes && (more.is_empty() || values.len() != kinds.len()) {
        let parts = if takes == names.len() { "" } else { "the parts of " };
        let listed = if names.is_empty() { String::new() } else { format!(" ({parts}{})", names.join(", ")) };
        let given = values.len();
        let or = if more.is_empty() {
            String::new()
        } else {
            format!(", or {} with the adjoint of the result", kinds.len())
        };
        return Err(Failure::asked(format!("{name} takes {takes} values{listed}{or}, and {source} has {given}")));
    }
    let mut called = entry
        .params
        .iter()
        .enumerate()
        .flat_map(|(at, (name, of))| {
            let shown = names.get(at).cloned().unwrap_or_else(|| format!("`{name}`"));
            vec![shown; interface(of).len()]
        })
        .chain(more.iter().map(|_| "the adjoint of the result".to_owned()));
    for ((kind, rank), value) in wanted.iter().chain(more).zip(&values) {
        let name = called.next().unwrap_or_default();
        if (*kind, *rank) != (value.data.kind(), value.shape.len()) {
            let wanted = format!("{}{}", "[]".repeat(*rank), kind.name());
            let found = value.type_name();
            return Err(Failure::asked(format!(
                "{name} is of type {wanted}, and {source} has a value of type {found}"
            )));
        }
    }
    let behind = (values.len() > takes).then(|| values.split_off(takes));
    Ok((values, behind))
}

/// The position of a parameter of an entry point.
pub(crate) fn parameter(entry: &Entry, name: &str) -> Result<usize, Failure> {
    entry.params.iter().position(|(known, _)| **known == *name).ok_or_else(|| {
        let known: Vec<&str> = entry.params.iter().map(|(name, _)| &**name).collect();
        Failure::asked(format!("`{}` has no parameter `{name}`: it has {}", entry.name, known.join(", ")))
    })
}

/// What the parameters of an entry point are called.
pub(crate) fn parameters(entry: &Entry) -> Vec<String> {
    entry.params.iter().map(|(name, _)| format!("`{name}`")).collect()
}

/// What compressed bytes begin with.
const COMPRESSED: [u8; 2] = [0x1f, 0x8b];

/// As many bytes are unpacked.
const MAX_UNPACKED: u64 = 1 << 30;

/// Compressed bytes, unpacked.
fn unpacked(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let read = flate2::read::MultiGzDecoder::new(bytes).take(MAX_UNPACKED + 1).read_to_end(&mut out);
    read.map_err(|error| format!("{name} cannot be unpacked: {error}"))?;
    if out.len() as u64 > MAX_UNPACKED {
        return Err(format!(
            "{name} is longer than {MAX_UNPACKED} bytes when unpacked, the longest that values may be"
        ));
    }
    Ok(out)
}

/// The values that some bytes are, which may be compressed; numbers without a suffix are of these kinds.
fn values(bytes: &[u8], name: &str, kinds: &[Prim]) -> Result<Vec<Array>, String> {
    // Neither text nor binary values begin like this.
    if bytes.starts_with(&COMPRESSED) {
        return plain(&unpacked(bytes, name)?, name, kinds);
    }
    plain(bytes, name, kinds)
}

fn plain(bytes: &[u8], name: &str, kinds: &[Prim]) -> Result<Vec<Array>, String> {
    read_as(bytes, 0, kinds).map_err(|message| {
        let mut sources = Sources::default();
        sources.add(name, std::str::from_utf8(bytes).unwrap_or(""));
        sources.show(&message).to_string()
    })
}

/// The values in a file.
pub(crate) fn from_file(path: &Path) -> Result<Vec<Array>, String> {
    let name = path.display().to_string();
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

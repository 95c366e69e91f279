//! Values from standard input and from files, for the parameters of an entry point.
//!
//! Law: a number without a suffix takes the kind of its parameter if it has the same value there; nothing else is changed.

use std::io::{IsTerminal, Read};
use std::path::Path;

use catadiff::futhark::core::{Entry, Prim};
use catadiff::futhark::meaning::interface;
use catadiff::futhark::source::Sources;
use catadiff::futhark::values::{Array, Data, read, write_binary};

use crate::answer::Failure;

/// Values from standard input, of the kinds that an entry point takes.
pub(crate) fn from_stdin(entry: &Entry) -> Result<Vec<Array>, Failure> {
    let wanted: Vec<(&str, Prim)> = entry
        .params
        .iter()
        .flat_map(|(name, of)| interface(of).into_iter().map(move |(kind, _)| (&**name, kind)))
        .collect();
    let mut stdin = std::io::stdin();
    let mut bytes = Vec::new();
    // Nobody is asked to type nothing.
    if !(wanted.is_empty() && stdin.is_terminal()) {
        let read = stdin.read_to_end(&mut bytes);
        read.map_err(|error| Failure::asked(format!("standard input cannot be read: {error}")))?;
    }
    let values = values(&bytes, "standard input").map_err(|text| Failure::asked(text))?;
    if values.len() != wanted.len() {
        let names: Vec<&str> = entry.params.iter().map(|(name, _)| &**name).collect();
        let takes =
            if wanted.len() == names.len() { names.join(", ") } else { format!("the parts of {}", names.join(", ")) };
        let takes = if names.is_empty() { String::new() } else { format!(" ({takes})") };
        return Err(Failure::asked(format!(
            "`{}` takes {} values{takes}, and {} are on standard input",
            entry.name,
            wanted.len(),
            values.len()
        )));
    }
    wanted.iter().zip(values).map(|((name, kind), value)| adopted(value, *kind, name)).collect()
}

/// The values that some bytes are.
pub(crate) fn values(bytes: &[u8], name: &str) -> Result<Vec<Array>, String> {
    read(bytes, 0).map_err(|message| {
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
    values(&bytes, &name)
}

/// The value in another kind, if it was written without a suffix for all that can be told.
fn adopted(value: Array, kind: Prim, name: &str) -> Result<Array, Failure> {
    let shape = value.shape;
    let out_of_range = |number: i32| Failure::asked(format!("{number} in the argument `{name}` is no {}", kind.name()));
    macro_rules! integers {
        ($numbers:expr, $scalar:ty) => {
            $numbers
                .iter()
                .map(|&number| <$scalar>::try_from(number).map_err(|_| out_of_range(number)))
                .collect::<Result<Vec<$scalar>, Failure>>()?
                .into()
        };
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    let data: Data = match (value.data, kind) {
        (Data::I32(numbers), Prim::I8) => integers!(numbers, i8),
        (Data::I32(numbers), Prim::I16) => integers!(numbers, i16),
        (Data::I32(numbers), Prim::I64) => integers!(numbers, i64),
        (Data::I32(numbers), Prim::U8) => integers!(numbers, u8),
        (Data::I32(numbers), Prim::U16) => integers!(numbers, u16),
        (Data::I32(numbers), Prim::U32) => integers!(numbers, u32),
        (Data::I32(numbers), Prim::U64) => integers!(numbers, u64),
        (Data::I32(numbers), Prim::F64) => numbers.into_iter().map(f64::from).collect::<Vec<_>>().into(),
        (Data::I32(numbers), Prim::F32) => numbers.into_iter().map(|number| number as f32).collect::<Vec<_>>().into(),
        (Data::F64(numbers), Prim::F32) => numbers.into_iter().map(|number| number as f32).collect::<Vec<_>>().into(),
        (data, _) => data,
    };
    Ok(Array { shape, data })
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

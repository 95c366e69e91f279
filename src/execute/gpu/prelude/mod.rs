//! Functions that kernels call: each in WGSL, and put into the kernels that call it.
//!
//! Those of real numbers are written once for both kinds, those of integers once for both widths: in their files `$` is the type,
//! `WORD` the integers of its bits, and `~` and `@` end literals of the two. The other files have what differs: bits, constants and
//! polynomials.
//!
//! Law: a kernel has the functions that it calls, with all that these call, and no other (tests/gpu/kernels.rs). Each function keeps
//! the bound that is said before it (tests/gpu/functions.rs).

use std::collections::HashMap;
use std::sync::LazyLock;

/// The files that are what they are.
const WRITTEN: [&str; 3] = [include_str!("integers.wgsl"), include_str!("f32.wgsl"), include_str!("f64.wgsl")];

/// What stands in a file for what, by type.
type Kinds = [[(&'static str, &'static str); 4]; 2];

const REALS: Kinds = [
    [("$", "f32"), ("WORD", "u32"), ("~", "f"), ("@", "u")],
    [("$", "f64"), ("WORD", "u64"), ("~", "lf"), ("@", "lu")],
];
const SIGNED: Kinds = [
    [("$", "i32"), ("WORD", "u32"), ("~", "i"), ("@", "u")],
    [("$", "i64"), ("WORD", "u64"), ("~", "li"), ("@", "lu")],
];
const UNSIGNED: Kinds = [
    [("$", "u32"), ("WORD", "u32"), ("~", "u"), ("@", "u")],
    [("$", "u64"), ("WORD", "u64"), ("~", "lu"), ("@", "lu")],
];

/// The files that are written once for several types.
const OF_KINDS: [(&str, Kinds); 9] = [
    (include_str!("signed.wgsl"), SIGNED),
    (include_str!("unsigned.wgsl"), UNSIGNED),
    (include_str!("conversions.wgsl"), REALS),
    (include_str!("exact.wgsl"), REALS),
    (include_str!("exponentials.wgsl"), REALS),
    (include_str!("logarithms.wgsl"), REALS),
    (include_str!("angles.wgsl"), REALS),
    (include_str!("powers.wgsl"), REALS),
    (include_str!("special.wgsl"), REALS),
];

/// The functions and constants by name, in the order of the files: the text, and which others each names.
struct Functions {
    texts: Vec<String>,
    by_name: HashMap<String, usize>,
    calls: Vec<Vec<usize>>,
}

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    let of_kinds = OF_KINDS.iter().flat_map(|(file, kinds)| kinds.iter().map(|kind| of_kind(file, kind)));
    let files: Vec<String> = WRITTEN.iter().map(|file| (*file).to_owned()).chain(of_kinds).collect();
    let texts: Vec<String> = files.iter().flat_map(|file| items(file)).collect();
    let by_name: HashMap<String, usize> =
        texts.iter().enumerate().map(|(k, text)| (name(text).to_owned(), k)).collect();
    let calls = |text: &String| words(text).filter_map(|word| by_name.get(word).copied()).collect();
    let calls = texts.iter().map(calls).collect();
    Functions { texts, by_name, calls }
});

/// The functions that the text of a kernel calls, with all that these call.
pub(in crate::execute::gpu) fn prelude(kernel: &str) -> String {
    let Functions { texts, by_name, calls } = &*FUNCTIONS;
    let mut wanted = vec![false; texts.len()];
    let mut next: Vec<usize> = words(kernel).filter_map(|word| by_name.get(word).copied()).collect();
    while let Some(k) = next.pop() {
        if !core::mem::replace(&mut wanted[k], true) {
            next.extend(&calls[k]);
        }
    }
    texts.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(text, _)| text.as_str()).collect()
}

/// A file for one type.
fn of_kind(file: &str, kind: &[(&str, &str)]) -> String {
    kind.iter().fold(file.to_owned(), |text, (mark, meaning)| text.replace(mark, meaning))
}

/// The functions and constants of a file, without what is said of them.
fn items(file: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in file.lines() {
        if line.starts_with("fn ") || line.starts_with("const ") {
            items.push(format!("{line}\n"));
        } else if let (true, Some(item)) = (line.starts_with([' ', '}']), items.last_mut()) {
            item.push_str(line);
            item.push('\n');
        }
    }
    items
}

/// The name of what an item defines.
fn name(item: &str) -> &str {
    words(item).nth(1).expect("what is defined has a name")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

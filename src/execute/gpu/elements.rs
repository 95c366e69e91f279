//! Functions of kernels for the elements of buffers.
//!
//! Law: an element outside of a buffer is read as 0 and is not written. Each update of an element is done once, whatever other threads
//! do to it meanwhile (laws: executors::suite, tests/gpu/histograms.rs, tests/gpu/narrow.rs).

use core::fmt::Write;

use super::kernel::{Use, parameter};
use super::kind::Word;
use super::operation::scalar;
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::kernel::code::Buffer;

/// The integers that hold the bits of a type, on which there are atomic operations.
pub(super) fn bits_of(word: Word) -> Word {
    if word.bytes() == 8 && word != Word::Narrow { Word::U64 } else { Word::U32 }
}

/// What the elements of a buffer are: of which kind, and what holds one in a kernel.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub(super) prim: Prim,
    pub(super) word: Word,
}

impl Element {
    /// The element whose bits these are.
    pub(super) fn of_bits(self, x: &str) -> String {
        let stored = self.word.stored();
        self.word.of_stored(&cast(stored, bits_of(stored), x))
    }

    fn to_bits(self, x: &str) -> String {
        let stored = self.word.stored();
        cast(bits_of(stored), stored, &self.word.as_stored(x))
    }
}

fn cast(to: Word, from: Word, x: &str) -> String {
    if to == from { x.to_owned() } else { format!("bitcast<{}>({x})", to.name()) }
}

/// Updates the element at a place by `x`.
pub(super) fn update(at: &str, op: ScalarOp, element: Element) -> String {
    let prim = element.prim;
    // The sum of integers that fill their words is an operation of the device.
    if op == ScalarOp::Add && matches!(prim, Prim::I32 | Prim::U32 | Prim::I64 | Prim::U64) {
        return format!("atomicAdd(&{at}, {});", element.to_bits("x"));
    }
    let both = scalar(op, &[element.of_bits("was"), "x".to_owned()], &[prim; 2]);
    exchange(at, &element.to_bits(&both))
}

/// Functions for the elements of a buffer: those that its use asks for, and these updates.
pub(super) fn element_functions(
    to: &mut String,
    buffer: Buffer,
    element: Element,
    how: Use,
    updates: &[ScalarOp],
    length: usize,
) {
    let length = parameter(length);
    let b = buffer.0;
    let word = element.word;
    let name = word.name();
    let load = |element: &str| {
        let zero = word.zero();
        format!(
            "fn load{b}(at: i32) -> {name} {{
    if (u32(at) >= {length}) {{ return {zero}; }}
    return {element};
}}

"
        )
    };
    let change = |head: &str, also: &str, change: &str| {
        format!("fn {head} {{\n    if (u32(at) < {length}{also}) {{ {change} }}\n}}\n\n")
    };
    let plain = word.of_stored(&format!("b{b}[at]"));
    let set = format!("b{b}[at] = {};", word.as_stored("x"));
    match how {
        Use::Reads => to.push_str(&load(&plain)),
        Use::Writes => {
            to.push_str(&load(&plain));
            to.push_str(&change(&format!("store{b}(at: i32, x: {name})"), "", &set));
        }
        // Two halves of an integer, of which no thread needs both at once: a sum carries from the lower one, and of numbers that
        // the lower halves hold, the least has the least lower half and the least upper one.
        Use::Shares if word == Word::Narrow => {
            let [low, high] = ["2 * at", "2 * at + 1"].map(|k| format!("b{b}[{k}]"));
            let pair =
                word.of_stored(&format!("bitcast<vec2<i32>>(vec2<u32>(atomicLoad(&{low}), atomicLoad(&{high})))"));
            to.push_str(&load(&pair));
            let words = word.as_words("x");
            let set = format!("atomicStore(&{low}, {}); atomicStore(&{high}, {});", words[0], words[1]);
            to.push_str(&change(&format!("store{b}(at: i32, x: {name})"), "", &set));
            for op in updates {
                let update = match op {
                    ScalarOp::Add => format!(
                        "let low = {};
        let was = atomicAdd(&{low}, low);
        atomicAdd(&{high}, {} + select(0u, 1u, was + low < low));",
                        words[0], words[1]
                    ),
                    ScalarOp::Integer(IntegerRow::Min | IntegerRow::Max) => {
                        let half = |at: &str, x: &str| {
                            let both = ["bitcast<i32>(was)".to_owned(), format!("bitcast<i32>({x})")];
                            exchange(at, &format!("bitcast<u32>({})", scalar(*op, &both, &[Prim::I32; 2])))
                        };
                        format!("{}\n    {}", half(&low, &words[0]), half(&high, &words[1]))
                    }
                    op => panic!("no update of integers of 64 bits is {op}"),
                };
                to.push_str(&change(&format!("{op}{b}(at: i32, x: {name})"), "", &update));
            }
        }
        Use::Shares => {
            to.push_str(&load(&element.of_bits(&format!("atomicLoad(&b{b}[at])"))));
            let set = format!("atomicStore(&b{b}[at], {});", element.to_bits("x"));
            to.push_str(&change(&format!("store{b}(at: i32, x: {name})"), "", &set));
            for op in updates {
                let update = update(&format!("b{b}[at]"), *op, element);
                to.push_str(&change(&format!("{op}{b}(at: i32, x: {name})"), "", &update));
            }
        }
        Use::Claims => {
            let claim = format!("atomicMax(&owner{b}[at], lane + 1u);");
            to.push_str(&change(&format!("claim{b}(at: i32, lane: u32)"), "", &claim));
        }
        Use::Owns => {
            let owns = format!(" && owner{b}[at] == lane + 1u");
            to.push_str(&change(&format!("store_own{b}(at: i32, lane: u32, x: {name})"), &owns, &set));
        }
    }
}

/// Puts another in the place of a word, as often as it takes until no other thread has changed it meanwhile; it `was` the word.
fn exchange(at: &str, next: &str) -> String {
    format!(
        "{{
        var was = atomicLoad(&{at});
        loop {{
            let now = atomicCompareExchangeWeak(&{at}, was, {next});
            if (now.exchanged) {{ break; }}
            was = now.old_value;
        }}
    }}"
    )
}

/// Functions for what a thread has for itself.
pub(super) fn own_functions(to: &mut String, word: Word) {
    let (name, zero) = (word.name(), word.zero());
    let _ = write!(
        to,
        "fn own_{name}(base: i32, length: i32, at: i32) -> {name} {{
    if (u32(at) >= u32(length)) {{ return {zero}; }}
    return scratch_{name}[u32(base + at) * threads + thread];
}}

fn set_own_{name}(base: i32, length: i32, at: i32, x: {name}) {{
    if (u32(at) < u32(length)) {{ scratch_{name}[u32(base + at) * threads + thread] = x; }}
}}

"
    );
}

//! Functions of kernels for the elements of buffers.
//!
//! Law: an element outside of a buffer is read as 0 and is not written. What several threads add to an element is added once each
//! (laws: executors::suite, tests/gpu/narrow.rs).

use core::fmt::Write;

use super::kernel::{Use, parameter};
use super::kind::Word;
use super::operation::scalar;
use crate::array::{Prim, ScalarOp};
use crate::kernel::code::Buffer;

/// The integers that hold the bits of a type, on which there are atomic operations.
pub(super) fn bits_of(word: Word) -> Word {
    if word.bytes() == 8 && word != Word::Narrow { Word::U64 } else { Word::U32 }
}

/// Functions for the elements of a buffer: those that its use asks for.
pub(super) fn element_functions(to: &mut String, buffer: Buffer, prim: Prim, word: Word, how: Use, length: usize) {
    let length = parameter(length);
    let b = buffer.0;
    let name = word.name();
    let bits = bits_of(word.stored());
    let cast = |to: Word, from: Word, x: &str| {
        if to == from { x.to_owned() } else { format!("bitcast<{}>({x})", to.name()) }
    };
    let of_bits = |x: &str| word.of_stored(&cast(word.stored(), bits, x));
    let to_bits = |x: &str| cast(bits, word.stored(), &word.as_stored(x));
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
        // Two halves of an integer, of which no thread needs both at once: a sum carries from the lower one.
        Use::Shares if word == Word::Narrow => {
            let [low, high] = ["2 * at", "2 * at + 1"].map(|k| format!("b{b}[{k}]"));
            let pair =
                word.of_stored(&format!("bitcast<vec2<i32>>(vec2<u32>(atomicLoad(&{low}), atomicLoad(&{high})))"));
            to.push_str(&load(&pair));
            let words = word.as_words("x");
            let set = format!("atomicStore(&{low}, {}); atomicStore(&{high}, {});", words[0], words[1]);
            to.push_str(&change(&format!("store{b}(at: i32, x: {name})"), "", &set));
            let add = format!(
                "let low = {};
        let was = atomicAdd(&{low}, low);
        atomicAdd(&{high}, {} + select(0u, 1u, was + low < low));",
                words[0], words[1]
            );
            to.push_str(&change(&format!("add{b}(at: i32, x: {name})"), "", &add));
        }
        Use::Shares => {
            to.push_str(&load(&of_bits(&format!("atomicLoad(&b{b}[at])"))));
            let set = format!("atomicStore(&b{b}[at], {});", to_bits("x"));
            to.push_str(&change(&format!("store{b}(at: i32, x: {name})"), "", &set));
            // The sum of integers that fill their words is an operation of the device.
            if matches!(prim, Prim::I32 | Prim::U32 | Prim::I64 | Prim::U64) {
                let add = format!("atomicAdd(&b{b}[at], {});", to_bits("x"));
                to.push_str(&change(&format!("add{b}(at: i32, x: {name})"), "", &add));
                return;
            }
            let sum = to_bits(&scalar(ScalarOp::Add, &[of_bits("was"), "x".to_owned()], &[prim; 2]));
            let _ = write!(
                to,
                "fn add{b}(at: i32, x: {name}) {{
    if (u32(at) >= {length}) {{ return; }}
    var was = atomicLoad(&b{b}[at]);
    loop {{
        let now = atomicCompareExchangeWeak(&b{b}[at], was, {sum});
        if (now.exchanged) {{ break; }}
        was = now.old_value;
    }}
}}

"
            );
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

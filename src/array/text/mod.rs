//! The text form of array programs: it prints, one statement a line, and parses back, unless it names functions of Rust.
//!
//! Law: `parse(&program.to_string())` is `program` with [canonical](super::Program::renumbered) numbers, hence the
//! program itself if it has them already; and text that is not a program is refused with a caret under the mistake
//! (laws: arrays::text, laws: bad_input::of_array_programs).
//!
//! ```text
//! program   = "program" "(" [ parameter { "," parameter } ] ")" body
//! parameter = name [ string ] ":" type              the string is the parameter's name, if it is not a good one
//! type      = [ "acc" ] { "[" [ number | name ] "]" } kind    kind: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64
//! body      = "{" { statement } "return" [ atoms ] "}"
//! statement = "let" binders "=" operation
//! binders   = "(" ")" | binder { "," binder }
//! binder    = name [ ":" type ]                     printed with the type; without one it is inferred
//! function  = "|" [ binder { "," binder } ] "|" body        parameters have types
//! atom      = name | "true" | "false" | number kind | [ "-" ] kind "." ( "inf" | "nan" | "bits" "(" number ")" )
//! atoms     = atom { "," atom }
//!
//! operation = row "(" atoms ")"                     add mul scale eq lt le not, a kind to convert to, a row of the
//!                                                   table of primitives, or of integers if the operands are
//!           | row "[" integer "]" "(" atoms ")"     a row with a parameter: powi[2](x)
//!           | "copy" "(" atom ")" | "iota" "(" atom ")" | "replicate" "(" atom "," atom ")"
//!           | "[" [ atoms ] "]"                     an array of these elements
//!           | "size" "[" integer "]" "(" atom ")"   of a dimension
//!           | atom "[" [ atoms ] "]"                an element or subarray
//!           | "slice" atom "[" [ range { "," range } ] "]"        range: start ":" count ":" step
//!           | atom "with" "[" [ atoms ] "]" ( "=" | "+=" ) atom   update; of an accumulator, addition
//!           | "permute" "[" integers "]" "(" atom ")" | "reshape" "(" atoms ")" | "concat" "(" atoms ")"
//!           | "reverse" "(" atom ")" | "accumulator" "(" atom ")" | "array" "(" atom ")"
//!           | "if" atom body "else" body
//!           | "loop" [ policy ] "(" [ binder "=" atom { "," … } ] ")" form body
//!           | "map" "(" atoms ")" [ "adding" "(" atoms ")" ] function
//!           | ( "reduce" [ "commutative" ] | "scan" [ "commutative" ] ) "(" atoms ")" "from" "(" atoms ")" function
//!           | "hist" "(" atoms ")" "at" atom "(" atoms ")" "from" "(" atoms ")" function
//!           | "scatter" "(" atom "," atom "," atom ")"
//!           | "custom" "(" [ atoms ] ")" function "pullback" function     of arguments, results, and adjoints of results
//!           | "agree" reason sizes "=" sizes [ "times" sizes ]    reason: a word of `Agreement`; a product on each side
//! policy    = ( "strip_mine" | "binomial" ) "[" integer "]" | "recompute"
//! sizes     = "(" [ size { "," size } ] ")"         size: atom | "size" "[" integer "]" "(" atom ")"
//! form      = "for" name "<" atom | "while" [ "[" atom "]" ] body
//! ```
//!
//! Numbers carry their kind, as in `1.5f64` and `3i64`. White space and line ends are alike, and `//` starts a comment.
//!
//! A type may say sizes: a number, an integer in scope, or the name of a size. A name that means nothing yet is that of the
//! size where it is, and then of that size, as long as the variable is in scope. What is said is checked: it has to follow from
//! the operations and the sizes that they compare (see [`Program::sizes`](super::Program::sizes)) by the end of the body.
//! [`Program::with_sizes`](super::Program::with_sizes) prints all sizes so.
//!
//! ```
//! use catadiff::array::Program;
//! let dot = |ys: &str| {
//!     Program::parse(&format!(
//!         "program (xs: [n]f64, ys: {ys}) {{
//!            let products: [n]f64 = map (xs, ys) |x: f64, y: f64| {{ let xy = mul(x, y) return xy }}
//!            return products
//!          }}"
//!     ))
//! };
//! // The map compares the lengths.
//! assert_eq!(dot("[n]f64")?, dot("[]f64")?);
//! let error = dot("[3]f64").unwrap_err().to_string();
//! assert!(error.starts_with("nothing says that the size of `ys` is `3`; compare them with `agree`\n"), "{error}");
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! ```
//! use catadiff::array::Program;
//! let text = "\
//! program (xs: []f64, ys: []f64) {
//!   let v2: []f64 = map (xs, ys) |v0: f64, v1: f64| {
//!     let v3: f64 = mul(v0, v1)
//!     return v3
//!   }
//!   let v4: f64 = reduce (v2) from (0.0f64) |v5: f64, v6: f64| {
//!     let v7: f64 = add(v5, v6)
//!     return v7
//!   }
//!   return v4
//! }
//! ";
//! let dot = Program::parse(text)?;
//! assert_eq!(Program::parse(&dot.to_string())?, dot);
//! let error = Program::parse("program (x: f64) { return y }").unwrap_err();
//! assert_eq!(error.to_string(), "there is no variable `y` here\n  program (x: f64) { return y }\n                            ^");
//! # Ok::<(), catadiff::Error>(())
//! ```

mod lex;
mod notation;
mod parse;
mod print;
mod scalar;
mod sizes;

pub(crate) use notation::{Notation, Sheet};
pub(crate) use print::{head, name, operand, results, signature};

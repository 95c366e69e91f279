//! A program as a function for those who call C: a file of its own and a header.
//!
//! The function takes scalars and pointers to elements, with their sizes, and leaves results where the caller says, with their sizes.
//! It allocates nothing: what it works on is a workspace of the caller's, whose size another function tells.
//!
//! Law: it needs nothing but what is in the file, and any number of calls may run at a time, each with a workspace of its own
//! (tests/execute/in_c.rs).

use core::fmt::Write as _;

use super::passes::{Lowered, lowered};
use super::print::stored;
use super::unit::Unit;
use super::workspace::{Measure, measure};
use crate::array::{Prim, Program};
use crate::error::{Error, Result};
use crate::execute::{Compiled, Flat};
use crate::kernel::Refused;
use crate::kernel::code::{Code, Output, Port, Value};

/// A program as C.
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// let norm = Program::trace(|x: Arr<F64>| x.dot(x).sqrt())?;
/// let c = norm.to_c("norm")?;
/// assert!(c.header.contains("int norm(const double *x0, int64_t x0_size0, double *result, void *workspace, int64_t *bytes);"));
/// assert!(c.source.contains("#include <stdint.h>"));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CText {
    /// The file of C: C11 with the vector types and builtin functions that gcc and clang have. Compile it with `-O2`, and with
    /// `-march=native` or what else says which instructions the processor has; `-ffp-contract=off` keeps every bit of a sum what it is
    /// on other machines. With `-fopenmp` loops over many elements run on all cores, as they do where `NAME_shared` is given a function that has
    /// their parts run; results have the same bits whoever does.
    pub source: String,
    /// What others include, as `NAME.h`.
    pub header: String,
}

/// The words of C, which no function or parameter can be called.
const WORDS: [&str; 44] = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
];

fn is_identifier(name: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(starts) && name.chars().all(|c| starts(c) || c.is_ascii_digit()) && !WORDS.contains(&name)
}

/// Whether a file defines this name, or may, for what is included: what it calls, indexes or puts together from parts. Parameters and
/// variables of functions it may have.
fn defines(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let said = text.split("/*").enumerate().map(|(k, part)| match part.split_once("*/") {
        Some((_, after)) if k > 0 => after,
        _ => part,
    });
    let in_line = |line: &str| {
        let line = line.trim_start();
        let lists = line.starts_with("typedef ") || line.starts_with("enum ");
        line.match_indices(name).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            let is_named = lists || matches!(before, "#define " | "#ifndef ") || after.starts_with('(');
            let is_array = line.starts_with("static const ") && after.starts_with('[');
            !before.ends_with(is_part) && !after.starts_with(is_part) && (is_named || is_array)
        })
    };
    // `load_##T` is the beginning of several names, and `sum##F##_w` of `sum_w` and `sumf_w`.
    let begins = |part: &str| {
        part.match_indices("##").any(|(at, _)| {
            let start = part[..at].rfind(|c| !is_part(c)).map_or(0, |k| k + 1);
            let beginning = &part[start..at];
            let rest = name.strip_prefix(beginning).filter(|_| beginning.len() > 2 && beginning != "name");
            let is_kind = |rest: &str| {
                ["f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].contains(&rest)
            };
            rest.is_some_and(|rest| match beginning.ends_with('_') {
                true => is_kind(rest.split('_').next().unwrap_or(rest)),
                false => ["_1", "_w", "f_1", "f_w"].contains(&rest),
            })
        })
    };
    name.ends_with("_t") || said.into_iter().any(|part| begins(part) || part.lines().any(in_line))
}

/// Whether the function has a variable of this name itself.
fn is_own(name: &str) -> bool {
    const OWN: [&str; 14] = [
        "result",
        "workspace",
        "bytes",
        "context",
        "in",
        "out",
        "arena",
        "failed",
        "v",
        "sizes",
        "constant",
        "constant_sizes",
        "share",
        "pool",
    ];
    OWN.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// The type that elements of a kind have for the caller.
fn c_type(prim: Prim) -> &'static str {
    match stored(prim) {
        "f64" => "double",
        "f32" => "float",
        "i64" => "int64_t",
        "i32" => "int32_t",
        "i16" => "int16_t",
        "i8" => "int8_t",
        "u64" => "uint64_t",
        "u32" => "uint32_t",
        "u16" => "uint16_t",
        _ => "uint8_t",
    }
}

/// An argument or a result: what it is called, its kind and its rank.
struct Place {
    name: String,
    prim: Prim,
    rank: usize,
}

impl Place {
    fn sizes(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.rank).map(|k| format!("{}_size{k}", self.name))
    }
}

/// What a function is called and takes.
struct Signature {
    name: String,
    arguments: Vec<Place>,
    results: Vec<Place>,
}

impl Signature {
    fn of(program: &Program, code: &Code, name: &str, text: &str) -> Result<Self> {
        let refused = |found: &str| {
            let expected = "a name that C can give to a function".to_owned();
            Error::Argument {
                name: "the name of the function".to_owned(),
                expected,
                found: format!(
                    "`{found}`, which {}",
                    if is_identifier(name) { "the file uses itself" } else { "is none" }
                ),
            }
        };
        let derived = ["", "_workspace", "_shared"].map(|end| format!("{name}{end}"));
        if !is_identifier(name) || derived.iter().any(|name| defines(text, name)) {
            return Err(refused(name));
        }
        let mut taken: Vec<String> = Vec::new();
        let mut arguments = Vec::new();
        for (k, port) in code.inputs[..code.given].iter().enumerate() {
            let (prim, rank) = code.input_type(port);
            let named = program
                .names
                .get(k)
                .filter(|name| is_identifier(name) && !is_own(name) && !taken.contains(name) && !defines(text, name));
            let name = named.cloned().unwrap_or_else(|| format!("arg{k}"));
            taken.push(name.clone());
            arguments.push(Place { name, prim, rank });
        }
        let results = code.outputs.iter().enumerate().map(|(k, output)| {
            let (prim, rank) = code.output_type(output);
            let name = if code.outputs.len() == 1 { "result".to_owned() } else { format!("result{k}") };
            Place { name, prim, rank }
        });
        Ok(Signature { name: name.to_owned(), results: results.collect(), arguments })
    }

    fn parameters(&self) -> String {
        let arguments = self.arguments.iter().map(|place| match place.rank {
            0 => format!("{} {}", c_type(place.prim), place.name),
            _ => {
                let sizes: String = place.sizes().map(|size| format!(", int64_t {size}")).collect();
                format!("const {} *{}{sizes}", c_type(place.prim), place.name)
            }
        });
        let results = self.results.iter().map(|place| match place.rank {
            0 => format!("{} *{}", c_type(place.prim), place.name),
            _ => format!(
                "{0} *{1}, int64_t {1}_room, int64_t {1}_sizes[{2}]",
                c_type(place.prim),
                place.name,
                place.rank
            ),
        });
        let all: Vec<String> =
            arguments.chain(results).chain(["void *workspace".to_owned(), "int64_t *bytes".to_owned()]).collect();
        all.join(", ")
    }

    /// The parameters without their types.
    fn names(&self) -> String {
        let sizes = |place: &Place| place.sizes().map(|size| format!(", {size}")).collect::<String>();
        let arguments = self.arguments.iter().map(|place| place.name.clone() + &sizes(place));
        let results = self.results.iter().map(|place| match place.rank {
            0 => place.name.clone(),
            _ => format!("{0}, {0}_room, {0}_sizes", place.name),
        });
        let all: Vec<String> = arguments.chain(results).chain(["workspace, bytes".to_owned()]).collect();
        all.join(", ")
    }

    /// What the function needs to know for the size of its workspace.
    fn for_workspace(&self) -> String {
        let all: Vec<String> = self
            .arguments
            .iter()
            .flat_map(|place| match place.rank {
                0 => vec![format!("{} {}", c_type(place.prim), place.name)],
                _ => place.sizes().map(|size| format!("int64_t {size}")).collect(),
            })
            .collect();
        if all.is_empty() { "void".to_owned() } else { all.join(", ") }
    }

    fn header(&self, program: &Program, is_known: bool) -> String {
        let Signature { name, .. } = self;
        let guard = format!("{}_H", name.to_ascii_uppercase());
        let (workspace, parameters) = (self.for_workspace(), self.parameters());
        let about = if is_known {
            "How many bytes of workspace a call with these arguments needs."
        } else {
            "How many bytes of workspace a call with these arguments needs at least; some sizes depend on elements."
        };
        let signature = crate::array::text::signature(program).replace("*/", "* /");
        format!(
            "/* {name}: a function printed by catadiff.\n\n   {signature}\n\n   \
            Arrays are elements in a row, the last dimension running fastest, with a size for each dimension; truth values are 0 and 1.\n   \
            A result that is an array goes to `result`, which has room for `result_room` elements and is no part of an argument; its\n   \
            sizes go to `result_sizes`. The workspace is aligned to 64 bytes; `*bytes` says how many it has, and afterwards how many\n   \
            are needed, should they be too few. Calls share nothing: there may be several at a time. */\n\
            #ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
            #ifndef CATADIFF_STATUS\n#define CATADIFF_STATUS\n\
            /* What a call returns: that there are results; that the workspace has too few bytes; that a result has no room, and its sizes\n   \
            say how much it needs; or that an argument is wrong: sizes do not fit, an index is in no array, or an integer is divided by 0. */\n\
            enum {{ CATADIFF_DONE, CATADIFF_MEMORY, CATADIFF_ROOM, CATADIFF_WRONG }};\n#endif\n\n\
            /* {about} */\nint64_t {name}_workspace({workspace});\n\nint {name}({parameters});\n\n\
            /* The same, with `share(pool, parts, part, task)` to call `part(task, k)` for each k from 0 to parts, in any order and on any\n   \
            threads, before it returns. Without it, or with OpenMP where that is on, results are the same to the last bit. */\n\
            int {name}_shared({SHARE}, {parameters});\n\n\
            #ifdef __cplusplus\n}}\n#endif\n#endif\n"
        )
    }

    /// Binds what is known of the arguments to the values of the code.
    fn bound(&self, code: &Code, constants: &[Flat]) -> String {
        let mut text = String::new();
        let mut bind = |value: Value, words: &str| {
            let kind = if code.values[value.0 as usize].prim.is_real() { "f64_1" } else { "i64_1" };
            text.push_str(&format!("    const {kind} v{0} = {words};\n    (void)v{0};\n", value.0));
        };
        for (place, port) in self.arguments.iter().zip(&code.inputs) {
            match port {
                Port::Scalar(value) if place.prim == Prim::Bool => bind(*value, &format!("0 - (i64_1){}", place.name)),
                Port::Scalar(value) => bind(*value, &place.name),
                Port::Array { sizes, .. } => {
                    sizes.iter().zip(place.sizes()).for_each(|(value, size)| bind(*value, &size))
                }
            }
        }
        for (constant, port) in constants.iter().zip(&code.inputs[code.given..]) {
            if let Port::Array { sizes, .. } = port {
                sizes.iter().zip(constant.sizes()).for_each(|(value, size)| bind(*value, &size.to_string()));
            }
        }
        text
    }

    /// The function itself.
    fn definition(&self, code: &Code, constants: &[Flat]) -> String {
        let Signature { name, arguments, results } = self;
        let mut text = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("text can be written to");
        for (k, constant) in constants.iter().enumerate() {
            line(constant_array(k, constant));
        }
        line(format!("\nint {name}_shared({SHARE}, {})\n{{", self.parameters()));
        let mut ports = Vec::new();
        for (k, place) in arguments.iter().enumerate() {
            if place.rank == 0 {
                let field = if place.prim.is_real() { "real" } else { "integer" };
                ports.push(format!("{{.{field} = {}}}", place.name));
            } else {
                let sizes: Vec<String> = place.sizes().collect();
                // What the code does not look at is inside of arrays that have sizes.
                let negative: Vec<String> = sizes.iter().map(|size| format!("{size} < 0")).collect();
                line(format!("    if ({}) return 3;", negative.join(" || ")));
                line(format!("    i64_1 sizes{k}[] = {{{}}};", sizes.join(", ")));
                ports.push(format!("{{.elements = (void *){}, .sizes = sizes{k}}}", place.name));
            }
        }
        for (k, constant) in constants.iter().enumerate() {
            let sizes: Vec<String> = constant.sizes().iter().map(usize::to_string).collect();
            line(format!("    i64_1 constant_sizes{k}[] = {{{}}};", sizes.join(", ")));
            ports.push(format!("{{.elements = (void *)constant{k}, .sizes = constant_sizes{k}}}"));
        }
        if ports.is_empty() {
            ports.push("{0}".to_owned());
        }
        line(format!("    struct port in[] = {{{}}};", ports.join(", ")));
        let places: Vec<String> = results
            .iter()
            .map(|place| match place.rank {
                0 => "{0}".to_owned(),
                _ => format!("{{.elements = {0}, .length = {0}_room, .sizes = {0}_sizes}}", place.name),
            })
            .collect();
        let places = if places.is_empty() { "{0}".to_owned() } else { places.join(", ") };
        line(format!("    struct port out[] = {{{places}}};"));
        line("    struct arena arena = {workspace, *bytes, 0, 0, share, pool};".to_owned());
        line("    struct context context = {.self = &arena, .memory = arena_memory, .share = arena_share, .in = in, .out = out};".to_owned());
        line("    const int failed = run(&context);".to_owned());
        line("    *bytes = arena.most;".to_owned());
        line("    if (failed) return context.failed == -1 ? 1 : 3;".to_owned());
        for (k, (place, output)) in results.iter().zip(&code.outputs).enumerate() {
            match output {
                Output::Scalar(_) => {
                    let field = if place.prim.is_real() { "real" } else { "integer" };
                    line(format!("    *{} = ({})out[{k}].{field};", place.name, c_type(place.prim)));
                }
                Output::Array { .. } => {
                    let (name, kind) = (&place.name, stored(place.prim));
                    line(format!(
                        "    if (leave(&out[{k}], {}, sizeof({kind}), {name}, {name}_room)) return 2;",
                        place.rank
                    ));
                }
            }
        }
        line("    return 0;\n}".to_owned());
        line(format!("\nint {name}({})\n{{\n    return {name}_shared(0, 0, {});\n}}", self.parameters(), self.names()));
        text
    }
}

/// An array that is the same in every call.
fn constant_array(k: usize, constant: &Flat) -> String {
    let reals = |x: &f64| match *x {
        x if x.is_nan() => "__builtin_nan(\"\")".to_owned(),
        x if x.is_infinite() => format!("{}__builtin_inf()", if x < 0.0 { "-" } else { "" }),
        x => format!("{x:?}"),
    };
    let integer = |n: &i64| match *n {
        i64::MIN => "INT64_MIN".to_owned(),
        n => n.to_string(),
    };
    let singles = constant.singles.iter().map(|x| reals(&f64::from(*x)));
    let all: Vec<String> =
        singles.chain(constant.reals.iter().map(reals)).chain(constant.ints.iter().map(integer)).collect();
    let all = if all.is_empty() {
        "0".to_owned()
    } else {
        all.chunks(16).map(|line| line.join(", ")).collect::<Vec<_>>().join(",\n    ")
    };
    format!("static const {} constant{k}[] = {{\n    {all}}};", stored(constant.prim))
}

/// What runs parts of a function for it, as the parameters of what has them.
const SHARE: &str =
    "void (*share)(void *pool, int64_t parts, void (*part)(void *task, int64_t k), void *task), void *pool";

/// The most elements of arrays that are computed once and printed.
const MAX_CONSTANTS: u64 = 1 << 14;

impl Program {
    /// The program as a function in C of this name, which others call without this library.
    ///
    /// # Errors
    /// [`Error::Argument`] if C has no function of this name, or the file uses it itself; [`Error::Device`] for a program that cannot be
    /// printed, with the reason.
    pub fn to_c(&self, name: &str) -> Result<CText> {
        let refused = |Refused { reason, statement }: Refused| {
            let what = format!("the program cannot be printed as C, because there is {reason}\n  in: {statement}");
            Error::Device { what: what.trim_end_matches("\n  in: ").to_owned() }
        };
        let Lowered { constants, code, .. } = lowered(self, MAX_CONSTANTS).map_err(refused)?;
        let unit = Unit::for_callers(&code).map_err(refused)?;
        text(self, &code, &unit, &constants, name)
    }
}

impl Compiled {
    /// The program as a function in C, as [`Program::to_c`] has it.
    ///
    /// # Errors
    /// Those of [`Program::to_c`].
    pub fn to_c(&self, name: &str) -> Result<CText> {
        self.program().to_c(name)
    }
}

/// The file and the header of a program's code, whose last inputs are these arrays.
fn text(program: &Program, code: &Code, unit: &Unit, constants: &[Flat], name: &str) -> Result<CText> {
    let signature = Signature::of(program, code, name, &unit.text)?;
    let Measure { text: measure, is_enough } = measure(code);
    let header = signature.header(program, is_enough);
    let mut source =
        format!("/* {name}.c: printed by catadiff. What it does, and what its arguments are, {name}.h says. */\n");
    source.push_str(&unit.text);
    source.push_str(&signature.definition(code, constants));
    let bound = signature.bound(code, constants);
    let head = format!("int64_t {name}_workspace({})", signature.for_workspace());
    source.push_str(&format!("\n{head}\n{{\n{bound}{measure}}}\n"));
    Ok(CText { source, header })
}

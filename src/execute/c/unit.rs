//! A file of C: what is needed of the prelude, and the functions of some code.
//!
//! Law: it needs nothing but a compiler of C11 with vector types, as gcc and clang have them (tests/execute/in_c.rs).

use super::elementary::{self, LANES};
use super::print::{Claim, Printed, STRETCH, printed};
use super::special;
use crate::array::Prim;
use crate::kernel::code::Code;
use crate::kernel::{Refused, Unsupported};

const INTEGERS: &str = include_str!("integers.h");
const REALS: &str = include_str!("reals.h");
const MEMORY: &str = include_str!("memory.h");
const ROWS: &str = include_str!("rows.h");
const MACHINE: &str = include_str!("machine.h");
const PRODUCTS: &str = include_str!("products.h");
const ARENA: &str = include_str!("arena.h");

/// The text of a file, and what its checks are of, by their numbers.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) blames: Vec<Option<Claim>>,
}

impl Unit {
    /// A file that is loaded, whose run is watched.
    pub(super) fn of(code: &Code) -> Result<Self, Refused> {
        Unit::begun("#define RUN\n", "", code, true)
    }

    /// The beginning of a file for callers.
    pub(super) fn for_callers(code: &Code) -> Result<Self, Refused> {
        Unit::begun("#define RUN static\n", ARENA, code, false)
    }

    fn begun(first: &str, last: &str, code: &Code, watched: bool) -> Result<Self, Refused> {
        let refused = |Unsupported(reason)| Refused { reason, statement: String::new() };
        let Printed { text, needs, blames } = printed(code, watched).map_err(refused)?;
        let real = if code.precision == Prim::F32 { "f32" } else { "f64" };
        let mut all = first.to_owned();
        if code.precision == Prim::F32 {
            all.push_str("#if !defined(W) && defined(__AVX__) && defined(__clang__)\n#define W 8\n#endif\n");
        }
        all.push_str(LANES);
        all.push_str(INTEGERS);
        all.push_str(REALS);
        let letter = if real == "f32" { "f" } else { "" };
        let mut names: Vec<String> = needs.functions.iter().map(|name| format!("{name}{letter}")).collect();
        let others = special::Needs { angles: needs.angles, special: needs.special, single: real == "f32" };
        names.extend(others.calls().map(str::to_owned));
        all.push_str(&elementary::text(names.iter().map(String::as_str)).expect("what is called is a function"));
        all.push_str(&others.text());
        all.push_str(MEMORY);
        for kind in needs.memory {
            let register = if kind.starts_with('f') { real } else { "i64" };
            all.push_str(&format!("MEMORY({kind}, {register})\n"));
        }
        if !needs.rows.is_empty() {
            all.push_str(ROWS);
        }
        for kind in needs.rows {
            all.push_str(&format!("ROWS({kind})\n"));
        }
        all.push_str(&format!("#define STRETCH {STRETCH}\n"));
        all.push_str(MACHINE);
        all.push_str(last);
        if needs.products {
            all.push_str(PRODUCTS);
            all.push_str(&format!("PRODUCTS({real}, {letter})\n"));
        }
        all.push_str(&text);
        Ok(Unit { text: all, blames })
    }
}

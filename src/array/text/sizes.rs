//! Sizes in the text form: what a type says of them is checked, and names for those that are printed.
//!
//! Law: what is printed with sizes parses back to the program, and a program whose types say what does not follow is refused
//! (laws: arrays::text, tests/array/sizes.rs).

use core::fmt;
use rustc_hash::FxHashMap;

use super::lex::{Kind, Word, is_name};
use super::parse::Parser;
use super::print;
use crate::array::agree::Extent;
use crate::array::build::index;
use crate::array::program::{Atom, Program, Var};
use crate::array::size_inference::{Claim, sizes};
use crate::array::sizes::SizeTable;
use crate::array::types::{Const, Prim, Type};
use crate::error::Result;

impl<'t> Parser<'t> {
    /// The size that is said after an opening bracket, if one is.
    pub(super) fn size(&mut self) -> Result<Option<Word<'t>>> {
        let word = self.word();
        if self.take("]") {
            return Ok(None);
        }
        if word.kind != Kind::Number && !(word.kind == Kind::Name && is_name(word.text)) {
            return self.expected("a size, which is a name or a number, or `]`");
        }
        self.advance();
        self.need("]")?;
        Ok(Some(word))
    }

    /// A size of a variable as it is said: a number, an integer in scope, a size that has the name already, or, of a name that
    /// has no meaning yet, this one.
    pub(super) fn claim(&mut self, var: Var, dimension: usize, word: Word<'t>) -> Result<()> {
        let size = match self.meaning(word.text) {
            _ if word.kind == Kind::Number => match word.text.parse() {
                Ok(n) => Extent::Number(index(n)),
                Err(_) => return Err(self.wrong(word.at, "a size is a whole number")),
            },
            Some(Extent::Number(number)) if self.builder.type_of(number) != Type::scalar(Prim::I64) => {
                let of = self.builder.type_of(number);
                return Err(self.wrong(word.at, format!("`{}` is a {of}, and a size is an i64", word.text)));
            }
            Some(size) => size,
            None => {
                self.name(word.text, Extent::Of(var.into(), dimension));
                return Ok(());
            }
        };
        self.claims.push((Claim { var, dimension, size, met: false }, word));
        Ok(())
    }

    /// Checks that the program has the sizes that its text says.
    pub(super) fn check_sizes(&self, program: &Program) -> Result<()> {
        if self.claims.is_empty() {
            return Ok(());
        }
        let mut claims: Vec<Claim> = self.claims.iter().map(|(claim, _)| *claim).collect();
        let known = sizes(program, true, &mut claims);
        let Some(at) = claims.iter().position(|claim| !claim.met) else { return Ok(()) };
        let (Claim { var, dimension, .. }, Word { text: wanted, at, kind }) = self.claims[at];
        let (known, name) = (known.of(var)[dimension], self.called(Extent::Number(var.into())));
        let of = if program.type_of(var).rank == 1 { String::new() } else { format!(" in dimension {dimension}") };
        let (of, called) = (format!("the size of `{name}`{of}"), self.called(known));
        let message = match known {
            Extent::Number(Atom::Const(_)) if kind == Kind::Number => format!("{of} is {called}, not {wanted}"),
            known if known == Extent::Of(var.into(), dimension) => {
                format!("nothing says that {of} is `{wanted}`; compare them with `agree`")
            }
            _ => format!("{of} is `{called}`, and nothing says that it is `{wanted}`; compare them with `agree`"),
        };
        Err(self.wrong(at, message))
    }

    /// What a variable or a size is called in the text.
    fn called(&self, meaning: Extent) -> String {
        let name = self.named.iter().find(|(_, named)| *named == meaning);
        name.map_or_else(|| self.in_full(meaning), |(name, _)| (*name).to_owned())
    }

    /// A size as the operation that reads it, or a number.
    pub(super) fn in_full(&self, size: Extent) -> String {
        match size {
            Extent::Of(array, dimension) => format!("size[{dimension}]({})", self.called(Extent::Number(array))),
            Extent::Number(number) => digits(number),
        }
    }
}

/// A number as a size, without its kind.
fn digits(number: Atom) -> String {
    match number {
        Atom::Const(Const::I64(n)) => n.to_string(),
        number => panic!("a size is a named variable or an integer, not {number:?}"),
    }
}

impl Program {
    /// Prints the program with the [sizes](Program::sizes) of all variables in their types, in the notation that
    /// [`parse`](Program::parse) reads: a number, an integer in scope, or the name of a size, which is bound where it is first.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let program = Program::parse(
    ///     "program (xs: []f64, rows: [][]f64, count: i64) {
    ///        let ys = concat(xs, xs)
    ///        let zs = map (ys) |y: f64| { let z = mul(y, y) return z }
    ///        let ones = replicate(count, 1.0f64)
    ///        return zs, ones, rows
    ///      }",
    /// )?;
    /// let text = program.with_sizes().to_string();
    /// assert_eq!(
    ///     text.lines().collect::<Vec<_>>(),
    ///     [
    ///         "program (xs: [n]f64, rows: [m][k]f64, count: i64) {",
    ///         "  let v3: [l]f64 = concat(xs, xs)",
    ///         "  let v6: [l]f64 = map (v3) |v4: f64| {",
    ///         "    let v5: f64 = mul(v4, v4)",
    ///         "    return v5",
    ///         "  }",
    ///         "  let v7: [count]f64 = replicate(count, 1.0f64)",
    ///         "  return v6, v7, rows",
    ///         "}",
    ///     ],
    /// );
    /// assert_eq!(Program::parse(&text)?, program);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn with_sizes(&self) -> impl fmt::Display + '_ {
        fmt::from_fn(|f| writeln!(f, "{}", print::whole(self, Some(SizeNames::of(self)))))
    }
}

/// What sizes are called where they are printed.
pub(super) struct SizeNames<'p> {
    program: &'p Program,
    sizes: SizeTable,
    names: FxHashMap<(Atom, usize), String>,
    /// How many names have been tried.
    tried: usize,
}

impl<'p> SizeNames<'p> {
    fn of(program: &'p Program) -> Self {
        SizeNames { program, sizes: program.sizes(), names: FxHashMap::default(), tried: 0 }
    }

    /// The sizes of a variable where it is bound, each in brackets.
    pub(super) fn at(&mut self, var: Var) -> String {
        let extents = self.sizes.of(var).to_vec();
        extents.into_iter().map(|extent| format!("[{}]", self.called(extent))).collect()
    }

    fn called(&mut self, extent: Extent) -> String {
        match extent {
            Extent::Number(Atom::Var(var)) => print::name(self.program, var),
            Extent::Number(number) => digits(number),
            Extent::Of(array, dimension) => {
                if let Some(name) = self.names.get(&(array, dimension)) {
                    return name.clone();
                }
                let name = self.fresh();
                self.names.insert((array, dimension), name.clone());
                name
            }
        }
    }

    /// A name that nothing else has: variables are called by the names of parameters, and by numbers.
    fn fresh(&mut self) -> String {
        const LETTERS: [&str; 10] = ["n", "m", "k", "l", "p", "q", "r", "s", "t", "u"];
        loop {
            let (round, letter) = (self.tried / LETTERS.len(), LETTERS[self.tried % LETTERS.len()]);
            self.tried += 1;
            let name = if round == 0 { letter.to_owned() } else { format!("{letter}{round}") };
            if !self.program.names.contains(&name) {
                return name;
            }
        }
    }
}

//! With respect to what: parameters of a program, by name, by position, or all that are real.
//!
//! Law: what is resolved are positions of real parameters, each once; a name stands for the one parameter that has it, or
//! for all parts of what has it (tests/array/verbs.rs, tests/array/nests.rs).

use core::ops::RangeFull;

use crate::array::Program;
use crate::error::{Error, Result};

/// The parameters that a program is differentiated by: named, numbered from 0, or `..` for all that are real.
///
/// ```
/// use catadiff::array::Program;
/// let f = Program::parse("program (x: f64, n: i64, y: f64) { let z = mul(x, y) return z }")?;
/// let (dx, dy): (f64, f64) = f.grad(..)?.at((2.0, 7_i64, 5.0))?; // integers are not differentiated by
/// assert_eq!((dx, dy), (5.0, 2.0));
/// assert_eq!(f.grad("y")?, f.grad(2)?);
/// assert_eq!(f.grad(["y", "x"])?, f.grad([2, 0])?); // in this order
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A program that was traced names its parameters `x0`, `x1`, …, or as given to
/// [`trace_named`](crate::array::Program::trace_named), and the parts of one after their way in it, as in `net.layers.0.bias`: `net` then
/// names all of them, and `net.layers` those of the layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrt {
    /// All that are real.
    All,
    /// Those with these names, and all parts of what is called so.
    Names(Vec<String>),
    /// Those at these positions.
    Positions(Vec<usize>),
}

impl From<RangeFull> for Wrt {
    fn from(_: RangeFull) -> Self {
        Wrt::All
    }
}

impl From<&str> for Wrt {
    fn from(name: &str) -> Self {
        Wrt::Names(vec![name.to_owned()])
    }
}

impl From<usize> for Wrt {
    fn from(position: usize) -> Self {
        Wrt::Positions(vec![position])
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $List:ty as $Variant:ident;)+) => {$(
        impl<$($generics)*> From<$List> for Wrt {
            fn from(list: $List) -> Self {
                Wrt::$Variant(list.iter().map(|item| (*item).to_owned()).collect())
            }
        }
    )+};
}

lists! {
    [] &[&str] as Names;
    [const N: usize] &[&str; N] as Names;
    [const N: usize] [&str; N] as Names;
    [] Vec<&str> as Names;
    [] Vec<String> as Names;
    [] &[usize] as Positions;
    [] Vec<usize> as Positions;
    [const N: usize] &[usize; N] as Positions;
    [const N: usize] [usize; N] as Positions;
}

impl Wrt {
    /// The positions in this program.
    pub(crate) fn resolve(&self, program: &Program) -> Result<Vec<usize>> {
        let is_real = |k: &usize| program.type_of(program.function.params[*k]).prim.is_real();
        let positions = match self {
            Wrt::All => (0..program.function.params.len()).filter(is_real).collect(),
            Wrt::Names(names) => names.iter().map(|name| named(program, name)).collect::<Result<Vec<_>>>()?.concat(),
            Wrt::Positions(positions) => positions.clone(),
        };
        if positions.is_empty() {
            return Err(Error::Empty { what: "the list of real parameters to differentiate by" });
        }
        for (nth, k) in positions.iter().enumerate() {
            let refuse = |reason: String| {
                let name = program.names.get(*k).cloned().unwrap_or_else(|| k.to_string());
                Err(Error::Parameter { name, reason })
            };
            if *k >= program.function.params.len() {
                return refuse(format!("no such parameter; {}", known(program)));
            }
            if !is_real(k) {
                let of = program.type_of(program.function.params[*k]);
                return refuse(format!(
                    "it is of type {of}, and only parameters of type f16, f32 or f64, and arrays of such, have derivatives"
                ));
            }
            if positions[..nth].contains(k) {
                return refuse("it is named twice".into());
            }
        }
        Ok(positions)
    }
}

/// The parameter that is called so, or the parts of what is.
fn named(program: &Program, name: &str) -> Result<Vec<usize>> {
    let all = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        program.names.iter().enumerate().filter(|(_, other)| is(other)).map(|(k, _)| k).collect()
    };
    let refuse = |reason| Err(Error::Parameter { name: name.to_owned(), reason });
    match all(&|other| other == name)[..] {
        [k] => Ok(vec![k]),
        [k, other, ..] => refuse(format!("two parameters have this name: say which by its position, {k} or {other}")),
        [] => {
            let parts = all(&|other| other.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
            if parts.is_empty() { refuse(format!("no such parameter; {}", known(program))) } else { Ok(parts) }
        }
    }
}

fn known(program: &Program) -> String {
    format!("the parameters are {}", program.names.join(", "))
}

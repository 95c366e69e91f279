//! Sizes that must agree: what is compared, and on whose account.
//!
//! Law: a statement and an assertion in its place compare the same sizes, those in this list, and their errors name
//! them by the words in it; so the assertion alone is an error where, and only where, the statement was one
//! (tests/array/text.rs, tests/transform/sizes.rs).

use super::operation::{Agree, Op};
use super::program::{Atom, Program, Stm};
use super::sizes::{SizeTable, Terms};
use super::typing;

/// A size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// A number.
    Number(Atom),
    /// The size of an array in a dimension, counted from the outermost.
    Of(Atom, usize),
}

impl Agree {
    /// All sizes that are mentioned.
    pub fn extents(&self) -> impl Iterator<Item = &Extent> {
        self.first.iter().chain(&self.second).chain(&self.times)
    }

    /// All sizes that are mentioned, to be changed.
    pub fn extents_mut(&mut self) -> impl Iterator<Item = &mut Extent> {
        self.first.iter_mut().chain(&mut self.second).chain(&mut self.times)
    }
}

impl Extent {
    /// The number, or the array.
    #[must_use]
    pub fn atom(&self) -> Atom {
        match self {
            Extent::Number(atom) | Extent::Of(atom, _) => *atom,
        }
    }

    /// The number, or the array, to be changed.
    pub fn atom_mut(&mut self) -> &mut Atom {
        match self {
            Extent::Number(atom) | Extent::Of(atom, _) => atom,
        }
    }
}

/// What an operation compares, of sizes that may differ: each with whether one of its arrays that are kept is in it. Of arrays
/// whose lengths agree, the others are compared with the first that is kept.
pub(crate) fn compared(op: &Op, sizes: &SizeTable, kept: impl Fn(usize) -> bool) -> Vec<(Agree, bool)> {
    let mut found = Vec::new();
    let Ok(_) = typing::results(op, &mut Terms { sizes, comparisons: Some((&kept, &mut found)) });
    found
}

impl Program {
    /// The sizes that must agree in every run, whatever is computed: those that the statements outside of bodies compare.
    ///
    /// ```
    /// use catadiff::array::{Agreement, Extent, Program, trace::{Arr, F64}};
    /// let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| (x * y).sum())?;
    /// let [x, y] = dot.function().params[..] else { panic!("two parameters") };
    /// let compared = dot.compared_sizes();
    /// assert_eq!(compared[0].what, Agreement::Mapped);
    /// assert_eq!((&compared[0].first[..], &compared[0].second[..]), (&[Extent::Of(x.into(), 0)][..], &[Extent::Of(y.into(), 0)][..]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn compared_sizes(&self) -> Vec<Agree> {
        let sizes = self.sizes();
        let of_statement = |stm: &Stm| match &stm.op {
            Op::Agree(agree) => vec![(**agree).clone()],
            op => compared(op, &sizes, |_| true).into_iter().map(|(agree, _)| agree).collect(),
        };
        self.function.body.stms.iter().flat_map(of_statement).collect()
    }
}

macro_rules! agreements {
    ($($Name:ident $word:literal $message:literal;)+) => {
        /// Why sizes must agree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Agreement {
            $(#[doc = concat!("They are ", $message, ".")] $Name,)+
        }

        impl Agreement {
            /// Every reason.
            pub const ALL: &'static [Agreement] = &[$(Agreement::$Name),+];

            /// The word in the text form.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Agreement::$Name => $word),+ }
            }

            /// Which sizes they are, for errors.
            #[must_use]
            pub fn message(self) -> &'static str {
                match self { $(Agreement::$Name => $message),+ }
            }
        }
    };
}

agreements! {
    Mapped "mapped" "the lengths of mapped arrays";
    Reduced "reduced" "the lengths of reduced arrays";
    Scanned "scanned" "the lengths of scanned arrays";
    Values "values" "the lengths of the values of a histogram";
    Bins "bins" "the lengths of the destinations of a histogram";
    Indices "indices" "the lengths of indices and values";
    Scattered "scattered" "the sizes of rows of the destination and of the values";
    Row "row" "the sizes of a row and of its new value";
    Rows "rows" "the sizes of two rows of an array";
    Updated "updated" "the sizes of the subarray and of its new value";
    Added "added" "the sizes of the subarray and of what is added";
    Concatenated "concatenated" "the sizes of rows of concatenated arrays";
    Reshaped "reshaped" "the numbers of elements before and after";
    Carried "carried" "the sizes of a loop variable at first and at last";
    Wanted "wanted" "the size of a value and the size that is wanted";
    Tangent "tangent" "the sizes of a value and of its tangent";
    Adjoint "adjoint" "the sizes of a value and of its adjoint";
}

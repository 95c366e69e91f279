//! Sizes that must agree: what is compared, and on whose account.
//!
//! Law: a statement and an assertion in its place compare the same sizes, those in this list, and their errors name
//! them by the words in it; so the assertion alone is an error where, and only where, the statement was one
//! (tests/array/text.rs, tests/transform/sizes.rs).

use rustc_hash::FxHashMap;

use super::operation::{Agree, Op};
use super::program::{Atom, Program, Stm};
use super::sizes::{SizeTable, Terms};
use super::types::Const;
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

    /// The size of an array and the number that it must be in every run, if that is what is compared.
    pub(crate) fn known_size(&self) -> Option<(Extent, i64)> {
        match (&self.first[..], &self.second[..], &self.times[..]) {
            ([size @ Extent::Of(..)], [Extent::Number(Atom::Const(Const::I64(n)))], [])
            | ([Extent::Number(Atom::Const(Const::I64(n)))], [size @ Extent::Of(..)], []) => Some((*size, *n)),
            _ => None,
        }
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

    /// The sizes that assertions outside of bodies say are numbers, in every run.
    pub(crate) fn said_sizes(&self) -> FxHashMap<Extent, i64> {
        let said = |stm: &Stm| match &stm.op {
            Op::Agree(it) => it.known_size(),
            _ => None,
        };
        self.function.body.stms.iter().filter_map(said).collect()
    }
}

macro_rules! agreements {
    ($($Name:ident $word:literal $message:literal;)+ [$($Letter:ident $letter:literal)+]) => {
        /// Why sizes must agree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Agreement {
            $(#[doc = concat!("They are ", $message, ".")] $Name,)+
            $(#[doc = concat!("They are the sizes of the index `", $letter, "` of a contraction.")] $Letter,)+
        }

        impl Agreement {
            /// Every reason.
            pub const ALL: &'static [Agreement] = &[$(Agreement::$Name,)+ $(Agreement::$Letter),+];

            /// The word in the text form.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Agreement::$Name => $word,)+
                    $(Agreement::$Letter => concat!("index_", $letter),)+
                }
            }

            /// Which sizes they are, for errors.
            #[must_use]
            pub fn message(self) -> &'static str {
                match self {
                    $(Agreement::$Name => $message,)+
                    $(Agreement::$Letter => concat!("the sizes of the index `", $letter, "` of a contraction"),)+
                }
            }

            /// Of an index of a contraction, by its letter, which is one of `a` to `z`.
            pub(crate) fn of_index(letter: char) -> Agreement {
                match letter {
                    $($letter => Agreement::$Letter,)+
                    _ => panic!("an index of a contraction is a letter from `a` to `z`, and this is `{letter}`"),
                }
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
    Square "square" "the rows and the columns of a square matrix";
    Definite "definite" "the rows of a matrix and of its leading part that is positive definite";
    Regular "regular" "the rows of a matrix and its pivots that are not 0";
    Independent "independent" "the columns of a matrix and the first of them that are independent";
    RightSide "right_side" "the rows of a matrix and of the right side of its equations";
    Bracketed "bracketed" "the changes of sign that a bracket has to have and those of the function from one end to the other";
    Finite "finite" "the residuals of what is solved and those of them that are numbers";
    Reached "reached" "the times to be reached by steps and those that are, in numbers and by steps that are not too short,";
    Tangent "tangent" "the sizes of a value and of its tangent";
    Adjoint "adjoint" "the sizes of a value and of its adjoint";
    [
        IndexA 'a' IndexB 'b' IndexC 'c' IndexD 'd' IndexE 'e' IndexF 'f' IndexG 'g' IndexH 'h' IndexI 'i'
        IndexJ 'j' IndexK 'k' IndexL 'l' IndexM 'm' IndexN 'n' IndexO 'o' IndexP 'p' IndexQ 'q' IndexR 'r'
        IndexS 's' IndexT 't' IndexU 'u' IndexV 'v' IndexW 'w' IndexX 'x' IndexY 'y' IndexZ 'z'
    ]
}

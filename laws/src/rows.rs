//! `laws!`: one line per type and law set, one test each.
//!
//! Law: a row checks exactly what the function `check` of its law set checks, and nothing else
//! (tests/laws/instances.rs).

/// Makes tests of the laws for types of yours.
///
/// ```text
/// laws! {
///     semiring for Weight;
///     commutative for Weight;
///     ring for Weight;
///     field for Weight;
///     module Tangent over Weight;
///     kronecker Tangent over Weight;
///     semiring for Float, within Bound::ulps(4.0).at_scale(100.0);
///     semiring for Pair, from Sample<Pair>;
///     module Tangent over Weight, from Sample<Tangent>, Sample<Weight>;
/// }
/// ```
///
/// A type is one name: give a generic one an alias, `type Z7 = Modular<7>;`, and write `Z7`. It must be
/// [`Same`](crate::Same) (see [`exact!`](crate::exact)) and [`Arbitrary`](quickcheck::Arbitrary), or name another
/// [`Source`](crate::Source) after `from`; without `within` the laws are to hold exactly.
///
/// Each row becomes the test `laws::<law set>::<type>`. A second `laws!` in the same module needs a name of its own:
/// with `mod floats;` in front its tests are `floats::<law set>::<type>`.
///
/// ```
/// use catadiff::algebra::plain::Modular;
/// use catadiff_laws::{Bound, Sample, laws};
/// type Z7 = Modular<7>;
/// laws! {
///     semiring for Z7, from Sample<Z7>;
///     field for Z7, from Sample<Z7>;
/// }
/// laws! {
///     mod floats;
///     semiring for f64, from Sample<f64>, within Bound::ulps(4.0).at_scale(1e6);
/// }
/// # fn main() {}
/// ```
///
/// A law set that does not exist is an error, as is a type that is not one name:
///
/// ```compile_fail
/// catadiff_laws::laws! { semiringg for i64; }
/// # fn main() {}
/// ```
///
/// ```compile_fail
/// use catadiff::algebra::plain::Modular;
/// use catadiff_laws::Sample;
/// catadiff_laws::laws! { semiring for Modular<7>, from Sample<Modular<7>>; }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! laws {
    // First, every row is brought to the form `[set Type (sources) (bound)]`.
    (@read $name:ident [$($row:tt)*]) => {
        /// The tests made by `laws!`.
        mod $name {
            $crate::laws! { @set semiring $($row)* }
            $crate::laws! { @set commutative $($row)* }
            $crate::laws! { @set ring $($row)* }
            $crate::laws! { @set field $($row)* }
            $crate::laws! { @set module $($row)* }
            $crate::laws! { @set kronecker $($row)* }
        }
    };
    (@read $name:ident [$($row:tt)*] $set:ident for $T:ident $(, from $A:ty)? $(, within $bound:expr)?; $($rest:tt)*) => {
        $crate::laws! { @numbers $set }
        $crate::laws! {
            @read $name [$($row)* [$set $T ($T, $(@$A,)? $T) ($($bound, )? $crate::Bound::EXACT)]] $($rest)*
        }
    };
    (@read $name:ident [$($row:tt)*] $set:ident $M:ident over $S:ident $(, from $B:ty, $A:ty)? $(, within $bound:expr)?; $($rest:tt)*) => {
        $crate::laws! { @tangents $set }
        $crate::laws! {
            @read $name [$($row)* [$set $M ($S, $M, $(@$A, $B,)? $S, $M) ($($bound, )? $crate::Bound::EXACT)]] $($rest)*
        }
    };
    (@read $name:ident [$($row:tt)*] $($rest:tt)+) => {
        ::core::compile_error!(::core::concat!(
            "`laws!` cannot read `", ::core::stringify!($($rest)+), "`: a row is `semiring for T;` or `module M over S;`, ",
            "with `, from …` and `, within …` before the semicolon; T, M and S are single names, so write ",
            "`type Alias = …;` for a generic type and name the alias",
        ));
    };
    (@numbers semiring) => {};
    (@numbers commutative) => {};
    (@numbers ring) => {};
    (@numbers field) => {};
    (@numbers $other:ident) => {
        ::core::compile_error!(::core::concat!(
            "`", ::core::stringify!($other), " for …` is no law set of `laws!`: there are ",
            "`semiring for T`, `commutative for T`, `ring for T`, `field for T`, `module M over S` and `kronecker M over S`",
        ));
    };
    (@tangents module) => {};
    (@tangents kronecker) => {};
    (@tangents $other:ident) => {
        ::core::compile_error!(::core::concat!(
            "`", ::core::stringify!($other), " … over …` is no law set of `laws!`: there are ",
            "`semiring for T`, `commutative for T`, `ring for T`, `field for T`, `module M over S` and `kronecker M over S`",
        ));
    };
    // Then each law set picks its rows.
    (@set $set:ident $($row:tt)*) => {
        #[allow(non_snake_case, unused_imports, clippy::wildcard_imports, reason = "a test is named as its type")]
        mod $set {
            use super::super::*;
            $($crate::laws! { @test $set $row })*
        }
    };
    (@test semiring [semiring $T:ident $sources:tt $bound:tt]) => { $crate::laws! { @fn semiring check $T $sources $bound } };
    (@test commutative [commutative $T:ident $sources:tt $bound:tt]) => { $crate::laws! { @fn semiring check_commutative $T $sources $bound } };
    (@test ring [ring $T:ident $sources:tt $bound:tt]) => { $crate::laws! { @fn semiring check_ring $T $sources $bound } };
    (@test field [field $T:ident $sources:tt $bound:tt]) => { $crate::laws! { @fn semiring check_field $T $sources $bound } };
    (@test module [module $T:ident $sources:tt $bound:tt]) => { $crate::laws! { @fn module check $T $sources $bound } };
    (@test kronecker [kronecker $T:ident $sources:tt $bound:tt]) => { $crate::laws! { @fn kronecker check $T $sources $bound } };
    (@test $set:ident [$other:ident $T:ident $sources:tt $bound:tt]) => {};
    // The first source and the first bound named are those that count.
    (@fn $room:ident $check:ident $T:ident ($S:ident, @$A:ty, $_0:ident) ($bound:expr $(, $_1:expr)?)) => {
        #[test]
        fn $T() -> $crate::Verdict {
            $crate::$room::$check::<$S, $A>($bound)
        }
    };
    (@fn $room:ident $check:ident $T:ident ($S:ident, $A:ident) ($bound:expr $(, $_1:expr)?)) => {
        $crate::laws! { @fn $room $check $T ($S, @$A, $A) ($bound) }
    };
    (@fn $room:ident $check:ident $T:ident ($S:ident, $M:ident, @$A:ty, $B:ty, $_0:ident, $_2:ident) ($bound:expr $(, $_1:expr)?)) => {
        #[test]
        fn $T() -> $crate::Verdict {
            $crate::$room::$check::<$S, $M, $A, $B>($bound)
        }
    };
    (@fn $room:ident $check:ident $T:ident ($S:ident, $M:ident, $A:ident, $B:ident) ($bound:expr $(, $_1:expr)?)) => {
        $crate::laws! { @fn $room $check $T ($S, $M, @$A, $B, $A, $B) ($bound) }
    };
    (mod $name:ident; $($row:tt)+) => { $crate::laws! { @read $name [] $($row)+ } };
    ($($row:tt)+) => { $crate::laws! { @read laws [] $($row)+ } };
}

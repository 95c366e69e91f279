//! Functions as text in C that are no listings, since they have branches and loops: sine, cosine and tangent of any angle, `ln|Γ|`,
//! and ψ with its derivatives.
//!
//! The headers `angles.h` and `special.h`; what [`special`](crate::primitives::special) has as tables is printed before them.
//!
//! Law: they call no library. Angles are within 2 ulp, and within range they are those of [`math`](crate::execute::math); for x > 0 the
//! others are within the bounds of [`special`](crate::primitives::special), whose special values they have (tests/execute/special_in_c.rs).

use core::fmt::Write;

use crate::primitives::special::{
    EULER_MACLAURIN, EXACT_FACTORIALS, INV_E, INV_ROOT1, PSI_TAIL, ROOT, SLOPE, STIRLING,
};

/// What a file needs of these functions.
///
/// Their text goes after `lanes.h`, `integers.h` and the elementary functions that they call.
///
/// ```
/// use catadiff::execute::c::{elementary, special::Needs};
/// let needs = Needs { angles: true, special: false, single: false };
/// let called = elementary::text(needs.calls())?;
/// assert!(called.contains("f64_1 sin_1(f64_1 x)") && needs.text().contains("ANGLES(sin, f64, )"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// `anysin_1`, `anycos_1`, `anytan_1`, and with `_w` those of lanes; for `single` with an `f` before, as in `anysinf_1`.
    pub angles: bool,
    /// `lgamma_1`, `digamma_1` and, with the order as first argument, `polygamma_1`; with `_w`, and with an `f` before.
    pub special: bool,
    /// Whether angles are of f32, not of f64.
    pub single: bool,
}

impl Needs {
    /// The elementary functions that they call.
    pub fn calls(self) -> impl Iterator<Item = &'static str> {
        let near =
            if self.single { ["sinf", "cosf", "tanf", "trig_is_fastf"] } else { ["sin", "cos", "tan", "trig_is_fast"] };
        let when = |needed: bool, names: &'static [&'static str]| names.iter().filter(move |_| needed).copied();
        near.into_iter()
            .filter(move |_| self.angles)
            .chain(when(self.angles || self.special, &["sin_from", "tan_from"]))
            .chain(when(self.special, &["exp", "ln", "pow", "tan"]))
    }

    /// The functions.
    #[must_use]
    pub fn text(self) -> String {
        let mut text = String::new();
        if self.angles || self.special {
            text.push_str(include_str!("angles.h"));
        }
        if self.angles {
            let (number, letter) = if self.single { ("f32", "f") } else { ("f64", "") };
            for name in ["sin", "cos", "tan"] {
                line(&mut text, format_args!("ANGLES({name}, {number}, {letter})"));
            }
        }
        if self.special {
            tables(&mut text);
            text.push_str(include_str!("special.h"));
        }
        text
    }
}

/// The constants that C and Rust share.
fn tables(text: &mut String) {
    let pair = |(high, low): (f64, f64)| vec![high, low];
    let tables = [
        ("ROOT", pair(ROOT)),
        ("INV_ROOT1", pair(INV_ROOT1)),
        ("SLOPE", SLOPE.to_vec()),
        ("PSI_TAIL", PSI_TAIL.to_vec()),
        ("EULER_MACLAURIN", EULER_MACLAURIN.to_vec()),
        ("STIRLING", STIRLING.to_vec()),
        ("INV_E", pair(INV_E)),
    ];
    for (name, numbers) in tables {
        let numbers: Vec<String> = numbers.into_iter().map(|x| format!("{x:?}")).collect();
        line(text, format_args!("static const f64_1 {name}[] = {{{}}};", numbers.join(", ")));
    }
    line(text, format_args!("enum {{ EXACT_FACTORIALS = {EXACT_FACTORIALS} }};"));
}

fn line(text: &mut String, line: core::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes any text");
}

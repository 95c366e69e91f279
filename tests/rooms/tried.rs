//! The checker itself, tried on small good and bad examples.

use super::{LINES, UNFINISHED, check};

#[test]
fn the_checker_finds_each_kind_of_violation() {
    const OPENING: &str = "//! What it is for.\n//!\n//! Law: what it keeps.\n";
    let long = "\n".repeat(LINES);
    let unfinished: Vec<String> = UNFINISHED.iter().map(|word| format!("// {word}")).collect();
    let cases: Vec<(&str, &str, usize, &str)> = vec![
        // In these three the opening is the case's own; elsewhere a good one of three lines comes first.
        ("examples/a.rs", "use core::fmt;", 1, "opening"),
        ("src/algebra/a.rs", "//! Numbers\n//!\n//! Law: none.\n", 1, "opening"),
        ("laws/src/a.rs", "//! What it is for.\n", 1, "law"),
        ("src/algebra/a.rs", &long, 501, "size"),
        ("src/algebra/utils.rs", "", 1, "name"),
        ("tests/common/mod.rs", "", 1, "name"),
        ("src/algebra/a.rs", &unfinished[0], 4, "unfinished"),
        ("src/algebra/a.rs", &unfinished[1], 4, "unfinished"),
        ("examples/a.rs", &unfinished[2], 4, "unfinished"),
        ("src/algebra/a.rs", &unfinished[3], 4, "unfinished"),
        ("src/algebra/a.rs", &unfinished[4], 4, "unfinished"),
        ("src/algebra/a.rs", "#[test]\nfn f() {}", 4, "test"),
        ("cli/src/a.rs", "#[test]\nfn f() {}", 4, "test"),
        ("src/algebra/a.rs", "use crate::error::*;", 4, "wildcard"),
        ("src/algebra/a.rs", "use super::*;", 4, "wildcard"),
        ("src/algebra/a.rs", "macro_rules! m { () => {} }\nuse super::*;", 5, "wildcard"),
        ("laws/src/a.rs", "use std::{\n    fmt,\n    collections::*,\n};", 6, "wildcard"),
        ("src/algebra/a.rs", "use crate::carriers::Dual;", 4, "direction"),
        ("src/algebra/mod.rs", "pub use super::carriers::Dual;", 4, "direction"),
        ("src/algebra/a.rs", "use super::super::carriers::Dual;", 4, "direction"),
        ("src/algebra/a.rs", "mod b {\n    use super::super::super::carriers::Dual;\n}", 5, "direction"),
        ("src/algebra/a.rs", "use crate::{\nerror::Error,\ncarriers::{Dual, Sparse as Map},\n};", 6, "direction"),
        ("src/algebra/a.rs", "fn f(x: crate::carriers::Dual<f64>) {}", 4, "direction"),
        ("src/algebra/a.rs", "macro_rules! m { () => { $crate::carriers::Dual } }", 4, "direction"),
        ("src/algebra/a.rs", "const C: char = '\"'; use crate::carriers::Dual; // \"", 4, "direction"),
        ("src/algebra/a.rs", "/* /* */ */ use crate::carriers::Dual;", 4, "direction"),
        ("src/algebra/a.rs", "crate::operators!([] T, []);", 4, "direction"),
        ("src/term/a.rs", "use crate::carriers::Dual;", 4, "direction"),
        ("src/derivative/a.rs", "use crate::prelude::Real;", 4, "direction"),
        ("src/futhark/source.rs", "use super::check::check;", 4, "direction"),
        ("src/futhark/core/types.rs", "use crate::futhark::{source::Name, meaning::Value};", 4, "direction"),
        ("src/error.rs", "use crate::algebra::Ring;", 4, "direction"),
        ("src/algebra/a.rs", "use crate::Error;", 4, "front page"),
        ("src/algebra/a.rs", "use crate as everything;", 4, "front page"),
        ("src/cellar/a.rs", "", 1, "room"),
        ("src/futhark/cellar.rs", "", 1, "room"),
        ("src/carriers/sparse.rs", "use super::Dual;", 4, "carrier"),
        ("src/carriers/sparse.rs", "use super::dense::Dense;", 4, "carrier"),
        ("src/carriers/taylor/jet.rs", "use crate::carriers::Dual;", 4, "carrier"),
    ];
    for (file, text, line, rule) in cases {
        let source =
            if line == 1 && rule != "name" && rule != "room" { text.into() } else { format!("{OPENING}{text}") };
        let found = check(file, &source);
        assert!(
            found.iter().any(|v| (v.line, v.rule) == (line, rule)),
            "{rule} not found in {file}: {text}\n{found:?}"
        );
        assert!(found.iter().all(|v| v.rule == rule), "more than {rule} found in {file}: {text}\n{found:?}");
    }
}

#[test]
fn the_checker_leaves_good_files_alone() {
    let lines = "//! What it is for,\n//! in two lines.\n//!\n//! Law: what it keeps.\n".to_owned();
    for (file, text) in [
        (
            "src/derivative/a.rs",
            "use crate::{carriers::{Dual, Sparse as Map}, error::{self, Error}};\nuse super::b::C;",
        ),
        (
            "src/algebra/a.rs",
            "/// See [`Dual`](crate::carriers::Dual).\n/* use super::*; */\npub(crate) fn f<'a>(x: &'a u8) {}",
        ),
        ("src/algebra/a.rs", "#[doc = \"crate::carriers::Dual\"]\nconst A: &str = r#\"use \"crate\"::carriers::D;\"#;"),
        (
            "src/algebra/a.rs",
            "mod b { use super::super::Semiring; }\nuse super::module::Module;\nfn f() -> impl Fn() + use<'_> {}",
        ),
        (
            "src/carriers/tape.rs",
            "use super::backpropagator::Arrivals;\ncrate::operators!([] T, []);\nuse self::inner::Node;",
        ),
        ("src/carriers/mod.rs", "pub use self::dual::Dual;\npub use super::algebra::Ring;"),
        ("src/term/a.rs", "use crate::primitives::Rule;\ncrate::operators!([] T, []);"),
        ("src/prelude.rs", "pub use crate::derivative::grad;"),
        ("cli/src/main.rs", "use catadiff::prelude::*;"),
        ("examples/01_talk.rs", "use catadiff::prelude::*;\n// A tooth of mastodon."),
        ("laws/src/a.rs", "use crate::generate::terms;\nmacro_rules! m { () => { mod b { use super::super::*; } } }"),
    ] {
        let found = check(file, &format!("{lines}{text}"));
        assert!(found.is_empty(), "{file}: {text}\n{found:?}");
    }
}

//! What editors show of texts, of which most are half written.

use std::path::PathBuf;

use catadiff::futhark::editing::{CompletionKind, Document, Sort};
use catadiff::futhark::testing::random::Random;

fn document(text: &str) -> Document {
    Document::new("a.fut".as_ref(), text, &[])
}

/// The place of a mark in a text, and the text without it.
fn marked(text: &str) -> (usize, String) {
    (text.find('@').expect("a mark"), text.replacen('@', "", 1))
}

#[track_caller]
fn type_of(text: &str, expected: &str) {
    let (at, text) = marked(text);
    assert_eq!(document(&text).type_at(at).map(|found| found.1).as_deref(), Some(expected), "{text}");
}

#[track_caller]
fn defined(text: &str, expected: &str) {
    let (at, text) = marked(text);
    let (before, _) = marked(expected);
    let found = document(&text).definition_at(at);
    assert_eq!(found.map(|span| (span.file, span.start as usize)), Some((0, before)), "{text}");
}

#[test]
fn types_are_known_where_the_rest_is_wrong() {
    type_of("def f (x: f64) = let y = @x in [y]", "x: f64");
    type_of("def f (x: f64) = let @y = x in [y]", "y: f64");
    type_of("def @f (x: f64) = [x]", "f: f64 -> [1]f64");
    type_of("def f [n] (xs: [n]i32) = ma@p (+ 1) xs", "map: (i32 -> i32) -> [n]i32 -> [n]i32");
    type_of("def f (x: i32) = loop acc = x for i < 3 do @acc + i", "acc: i32");
    // Neither what cannot be read, nor what is no program, hides the others.
    type_of("def a = (1\ndef b = @2i64 + 1\ndef c = ]\n", "2i64: i64");
    type_of("def a = 1 + true\ndef b = @2i64 + 1\ndef c = unknown\n", "2i64: i64");
    type_of("def a = @1i8\ndef b (x: f64) = \n", "1i8: i8");
    type_of("def a = 1i8\ndef b = @a\n\n\ndef c = let x = in x ~ $ \"\n", "a: i8");
}

#[test]
fn definitions_are_those_of_the_checker() {
    defined("def f x = let x = x in @x", "def f x = let @x = x in x");
    defined("def f x = let x = @x in x", "def f @x = let x = x in x");
    defined("def f g = \\(a, b) -> g @b", "def f g = \\(a, @b) -> g b");
    defined("def f (r: {a: i32}) = match r case {a = b} -> @b", "def f (r: {a: i32}) = match r case {a = @b} -> b");
    defined("def f = loop i = 0 for j < 3 do i + @j", "def f = loop i = 0 for @j < 3 do i + j");
    defined("def f = let g [n] (xs: [n]i32) = @n in g", "def f = let g [@n] (xs: [n]i32) = n in g");
    defined("type t = i32 def t = 1 def f (x: @t) = t", "type @t = i32 def t = 1 def f (x: t) = t");
    defined("type t = i32 def t = 1 def f (x: t) = @t", "type t = i32 def @t = 1 def f (x: t) = t");
    defined(
        "module m = { module k = { def a = 1 } } def f = m.k.@a",
        "module m = { module k = { def @a = 1 } } def f = m.k.a",
    );
    defined("module m = { def a = 1 } def f = @m.a", "module @m = { def a = 1 } def f = m.a");
    defined("module m = { def a = 1 } open m def f = @a", "module m = { def @a = 1 } open m def f = a");
    defined("module m = { def a = 1 } def f = m.(@a)", "module m = { def @a = 1 } def f = m.(a)");
    let functor =
        "module type s = { val v : i32 } module f (P: s) = { def w = P.v } module m = f { def v = 1 } def x = m.w";
    defined(&functor.replace("m.w", "m.@w"), &functor.replace("def w", "def @w"));
    defined(&functor.replace("P.v", "P.@v"), &functor.replace("val v", "val @v"));
    defined(&functor.replace("P: s", "P: @s"), &functor.replace("type s", "type @s"));
    let (at, text) = marked("def f = f64.s@qrt 2");
    let found = document(&text).definition_at(at).unwrap();
    assert!(
        found.is_prelude() && document(&text).sources().text(found.file).1[found.start as usize..].starts_with("sqrt")
    );
}

#[track_caller]
fn completed(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let (at, text) = marked(text);
    let found = document(&text).completions(at);
    let has = |name: &&str| found.iter().any(|it| it.name == **name);
    let missing: Vec<_> = wanted.iter().filter(|name| !has(name)).collect();
    let there: Vec<_> = unwanted.iter().filter(|name| has(name)).collect();
    assert!(missing.is_empty() && there.is_empty(), "{text}: {missing:?} {there:?}");
}

#[test]
fn names_that_can_follow() {
    completed(
        "def one = 1\ndef f (x: i32) = let y = 1 in @\ndef later = 2\n",
        &["one", "x", "y", "map", "let", "f32"],
        &["later"],
    );
    completed("def f (x: i32) = let y = 1 in y + @z\n", &["x", "y"], &[]);
    completed("def f = f64.@\n", &["sqrt", "pi", "sum", "max"], &["map", "let", "numbers"]);
    completed("def f (p: {east: f64, deep: {low: i8}}) = p.@\n\n", &["east", "deep"], &["map"]);
    completed("def f (p: {east: f64, deep: {low: i8}}) = p.deep.@low", &["low"], &["east", "map"]);
    completed("module m = { def a = 1 type t = i8 }\ndef f = m.@a", &["a", "t"], &["map"]);
    completed("type t = #red | #green\ndef f (x: t) = match x case #@", &["red", "green"], &["map"]);
    let (at, text) = marked("def half (x: f64) = x / 2\ndef g = hal@f 1\n");
    let found = document(&text).completions(at);
    let half = found.iter().find(|it| it.name == "half").unwrap();
    assert_eq!((half.kind, half.of.as_deref()), (CompletionKind::Known(Sort::Definition), Some("f64 -> f64")));
}

#[test]
fn other_texts_are_those_that_are_held() {
    let lib = (PathBuf::from("lib/b.fut"), "def twice (x: f64) = 2 * x\n".to_owned());
    let text = "import \"lib/b\"\nmodule b = import \"lib/b\"\ndef f = twice 1 + b.twice 2\n";
    let document = Document::new("a.fut".as_ref(), text, &[lib]);
    assert_eq!(document.messages(), []);
    for at in [text.find("twice").unwrap(), text.find("b.twice").unwrap() + 2] {
        let span = document.definition_at(at).unwrap();
        assert_eq!((document.path(span.file), span.start), (Some(PathBuf::from("lib/b.fut")), 4));
    }
    assert_eq!(document.symbols().iter().map(|it| &*it.name).collect::<Vec<_>>(), ["b", "f"]);
}

/// However a text is cut, there is an answer to every question.
#[test]
fn half_written_texts_have_answers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/futhark/syntax_corners.fut");
    let text = std::fs::read_to_string(path).unwrap();
    let mut random = Random::new(5);
    for _ in 0..12 {
        let mut place = || (random.bits() % text.len() as u64) as usize;
        let (a, b, at) = (place(), place(), place());
        let cut: String =
            text.char_indices().filter(|(i, _)| !(a.min(b)..a.max(b)).contains(i)).map(|(_, c)| c).collect();
        let document = document(&cut);
        for at in [at, at / 2, cut.len(), cut.len() + 7] {
            let _ = (document.type_at(at), document.definition_at(at), document.completions(at), document.symbols());
        }
    }
}

//! Chains as generated code has them: sums of many terms, `let`s in a row, pipes; and numbers that are too large.
//!
//! Law: a chain of 20,000 links is read, printed, checked, interpreted, compiled and differentiated; what is longer than a chain may be
//! is a message, and so is a number that no real is near.

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::syntax::parse;
use catadiff::futhark::values::{Array, Data, read};
use catadiff::futhark::{elaborate, interpreter};
use catadiff::interpret::Limits;

const LINKS: usize = 20_000;

/// Values and gradients at 1.5, in every meaning.
fn expect(body: &str, value: f64, slope: f64) {
    let text = format!("def g (x: f64) = x + 1\ndef f (x: f64): f64 = {body}\nentry both (x: f64) = vjp2 f x 1\n");
    let file = parse(&text, 0).unwrap_or_else(|messages| panic!("{messages:?}"));
    let printed = file.to_string();
    assert_eq!(parse(&printed, 0).unwrap().to_string(), printed, "what is printed is read");
    let (program, messages) = check(&file, &mut NoImports).unwrap_or_else(|messages| panic!("{messages:?}"));
    assert!(messages.is_empty(), "{messages:?}");
    let given = [Array::scalar(vec![1.5])];
    let elaborated = elaborate::compile_entry(&program, "both").unwrap();
    let wanted = [Array::scalar(vec![value]), Array::scalar(vec![slope])];
    assert_eq!(interpreter::run(&program, "both", &given, Limits::default()).unwrap(), wanted);
    assert_eq!(elaborated.run(&given, &Limits::default()).unwrap(), wanted);
    assert_eq!(elaborated.compile().unwrap().run(&given).unwrap(), wanted);
}

#[test]
fn sums_of_many_terms() {
    let n = LINKS as f64;
    expect(&vec!["x"; LINKS].join(" + "), 1.5 * n, n);
}

#[test]
fn differences_and_products_of_many() {
    expect(&format!("x{}", " - x * 2 + x * 2".repeat(LINKS / 4)), 1.5, 1.0);
}

#[test]
fn lets_by_the_ten_thousand() {
    let lets: String = (1..=LINKS).map(|k| format!("let y{k} = y{} + x\n", k - 1)).collect();
    let n = LINKS as f64;
    expect(&format!("let y0 = x\n{lets}in y{LINKS}"), 1.5 * (n + 1.0), n + 1.0);
}

#[test]
fn pipes_of_many_functions() {
    expect(&format!("x{}", " |> g".repeat(LINKS)), 1.5 + LINKS as f64, 1.0);
}

#[test]
fn conditions_of_many_parts() {
    expect(&format!("if x > 0{} then 2 * x else x", " && x > 0.5".repeat(1000)), 3.0, 2.0);
}

#[test]
fn arrays_and_records_of_many_parts() {
    let parts = LINKS / 4;
    let n = parts as f64;
    expect(&format!("f64.sum [{}]", vec!["x"; parts].join(", ")), 1.5 * n, n);
    let fields: Vec<String> = (0..500).map(|k| format!("a{k} = x * {k}")).collect();
    expect(&format!("let r = {{{}}} in r.a499", fields.join(", ")), 1.5 * 499.0, 499.0);
}

#[test]
fn endless_chains_are_refused() {
    for text in
        [format!("def f = 1{}", " + 1".repeat(150_000)), format!("def f = {}1", "let x = 1 ".repeat(150_000) + "in ")]
    {
        let messages = parse(&text, 0).unwrap_err();
        assert!(messages[0].text.contains("more than 100000 links"), "{messages:?}");
    }
}

/// Where a number says how long something is, it is one of the kind of sizes.
#[test]
fn sizes_that_are_too_large_are_refused() {
    let large = 1_u64 << 63;
    for text in [
        format!("def f = iota {large}"),
        format!("def f = {large} |> iota"),
        format!("def f = let h = iota in h {large}"),
        format!("def f = let r = {{g = iota}} in r.g {large}"),
        format!("def f = replicate ({large}) 1.0"),
        format!("def g (n: i64) (x: [n]f64) = x def f (x: []f64) = g {large} x"),
        format!("def f (x: [{large}]f64) = x"),
        format!("def f (x: []f64) = x :> [{large}]f64"),
        format!("type t = [{large}]f64 def f (x: t) = x"),
        format!("def f (x: []f64) = take {large} x"),
        format!("def f (x: []f64) = x[0:{large}]"),
    ] {
        let messages = check(&parse(&text, 0).unwrap(), &mut NoImports).expect_err(&text);
        let found = &messages[0].text;
        assert!(found.contains("does not fit i64") || found.contains("too large for a size"), "{text}: {messages:?}");
    }
}

/// What no number of the kind is near is not infinity.
#[test]
fn numbers_that_are_too_large_are_refused() {
    let long = format!("1{}.0", "0".repeat(1000));
    for (kind, number) in [("f64", "1e999"), ("f64", "-1e309"), ("f32", "1e39"), ("f32", "3.5e38"), ("f64", &long)] {
        let text = format!("def f (x: {kind}) = x * ({number})");
        let messages = check(&parse(&text, 0).unwrap(), &mut NoImports).unwrap_err();
        assert!(messages[0].text.contains(&format!("does not fit {kind}")), "{number}: {messages:?}");
        let message = read(format!("{number}{kind}").as_bytes(), 0).unwrap_err();
        assert!(message.text.contains("does not fit into"), "{number}: {message:?}");
    }
    assert_eq!(read(b"1.7976931348623157e308", 0).unwrap()[0].data, Data::F64(vec![f64::MAX]));
    assert_eq!(read(b"-f64.inf", 0).unwrap()[0].data, Data::F64(vec![f64::NEG_INFINITY]));
}

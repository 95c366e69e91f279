//! The checker: types of definitions as they are printed, and messages as they are shown.

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::source::Sources;
use catadiff::futhark::syntax::parse;

/// The types of the definitions of a text, or its messages.
fn types(text: &str) -> Result<String, String> {
    let mut sources = Sources::default();
    let number = sources.add("test.fut", text);
    let shown = |messages: Vec<catadiff::futhark::source::Message>| {
        messages.iter().map(|message| sources.show(message).to_string()).collect::<String>()
    };
    let file = parse(text, number).map_err(shown)?;
    let (program, _) = check(&file, &mut NoImports).map_err(shown)?;
    let mut out = String::new();
    for defined in &program.definitions {
        if defined.span.file == number {
            out += &format!("{} : {}\n", defined.name, program.show(&defined.scheme.body));
        }
    }
    Ok(out)
}

fn accepted(text: &str, expected: &[&str]) {
    match types(text) {
        Ok(found) => assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{text}"),
        Err(messages) => panic!("{text}\n{messages}"),
    }
}

#[test]
fn types_are_inferred() {
    accepted("def f x = x + 1", &["f : i32 -> i32"]);
    accepted("def k xs ys = map2 (+) xs ys", &["k : [n]i32 -> [n]i32 -> [n]i32"]);
    accepted("def flt xs = filter (> 0) xs", &["flt : [n]i32 -> ?[k].[k]i32"]);
    accepted("def grow (n: i64) = loop xs = [1i32] for i < n do xs ++ [2]", &["grow : i64 -> ?[m].[m]i32"]);
}

//! Consumption: programs that use what they have given away are refused where they do, all others are accepted.
//!
//! The programs stand in `tests/data/futhark_consume/*.txt`. The title of one that is wrong is followed by the code of the
//! message and by the text that it points to.

use std::path::Path;

use catadiff::futhark::check::{NoImports, check};
use catadiff::futhark::source::Message;
use catadiff::futhark::syntax::parse;

fn messages(text: &str) -> Vec<Message> {
    let file = parse(text, 0).unwrap_or_else(|messages| panic!("{messages:?}\n{text}"));
    check(&file, &mut NoImports).err().unwrap_or_default()
}

/// The programs of a file, with their titles.
fn programs(name: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/futhark_consume").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let sections = text.strip_prefix("== ").unwrap().split("\n== ");
    sections.map(|section| section.split_once('\n').unwrap()).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[test]
fn what_owns_its_values_is_accepted() {
    let programs = programs("accepted.txt");
    let wrong: Vec<_> = programs
        .iter()
        .map(|(title, program)| (title, messages(program)))
        .filter(|(_, messages)| !messages.is_empty())
        .collect();
    assert!(programs.len() > 60 && wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), programs.len());
}

#[test]
fn what_uses_consumed_values_is_refused_where_it_does() {
    let programs = programs("refused.txt");
    let mut wrong = Vec::new();
    for (title, program) in &programs {
        let [name, code, place] = title.split(" | ").collect::<Vec<_>>()[..] else { panic!("{title}") };
        let found = messages(program);
        let fits = |message: &Message| {
            let at = &program[message.span.start as usize..message.span.end as usize];
            message.code == code && at == place && message.hint.is_some()
        };
        if !matches!(&found[..], [message] if fits(message)) {
            let places = found.iter().map(|m| program[m.span.start as usize..m.span.end as usize].to_owned());
            wrong.push((name, places.zip(&found).map(|(at, m)| format!("`{at}`: {m}")).collect::<Vec<_>>()));
        }
    }
    assert!(programs.len() > 60 && wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), programs.len());
}

//! The checker: types of definitions as they are printed, and messages as they are shown.
//!
//! The programs stand in `tests/data/futhark_check/*.txt`, each with its expected types, or messages, after `-- expected`. With
//! `BLESS=1` the expectations are rewritten, to be read in the difference.

use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use catadiff::futhark::check::{Imports, NoImports, check};
use catadiff::futhark::core::{Expression, ExpressionKind, Program, Size, Type, verify};
use catadiff::futhark::source::{Message, Sources, Span};
use catadiff::futhark::syntax::parse;
use catadiff::futhark::syntax::tree::File;

fn program(text: &str) -> Result<Program, String> {
    let mut sources = Sources::default();
    let number = sources.add("test.fut", text);
    let shown = |messages: Vec<Message>| messages.iter().map(|m| sources.show(m).to_string()).collect::<String>();
    let file = parse(text, number).map_err(shown)?;
    let (program, _) = check(&file, &mut NoImports).map_err(shown)?;
    verify(&program).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    Ok(program)
}

/// The types of the definitions of a text, or its messages.
fn types(text: &str) -> String {
    match program(text) {
        Ok(program) => {
            let own = program.definitions.iter().filter(|defined| defined.span.file == 0);
            own.fold(String::new(), |mut out, defined| {
                writeln!(out, "{} : {}", defined.name, program.show(&defined.scheme.body)).unwrap();
                out
            })
        }
        Err(messages) => messages,
    }
}

/// Compares the programs of a file with what is expected of them.
fn golden(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/futhark_check").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut found = String::new();
    let sections = |text: &str| format!("\n{text}").split("\n== ").skip(1).map(str::to_owned).collect::<Vec<_>>();
    for section in sections(&text) {
        let (title, rest) = section.split_once('\n').unwrap();
        let program = rest.split("-- expected\n").next().unwrap().trim_end();
        write!(found, "== {title}\n{program}\n-- expected\n{}", types(program)).unwrap();
    }
    if std::env::var_os("BLESS").is_some() {
        return std::fs::write(&path, &found).unwrap();
    }
    let (text, found) = (sections(&text), sections(&found));
    for (expected, found) in text.iter().zip(&found) {
        assert_eq!(expected.lines().collect::<Vec<_>>(), found.lines().collect::<Vec<_>>());
    }
    assert!(!text.is_empty() && text.len() == found.len());
}

#[test]
fn a_scope_of_many_names_leaves_those_around_it_as_they_are() {
    for count in [1, 23, 24, 25, 49, 100] {
        let names = |value: &str| (0..count).map(|k| format!(" let a{k} = {value}")).collect::<String>();
        let last = count - 1;
        let inner = format!("{} in (a0, a{last})", names("true"));
        let text = format!("def f ={} let inner ={inner} in (a0, a{last}, inner)", names("1i32"));
        assert_eq!(types(&text), "f : (i32, i32, (bool, bool))\n", "{count} names");
    }
}

#[test]
fn types_are_inferred() {
    golden("inference.txt");
}

#[test]
fn sizes_are_inferred() {
    golden("sizes.txt");
}

#[test]
fn modules_have_the_members_that_they_say() {
    golden("modules.txt");
}

#[test]
fn mistakes_are_messages() {
    golden("messages.txt");
}

/// Asks that each program of a file is refused, or that none is; its types and messages are those that are expected.
fn each(name: &str, is_refused: bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/futhark_check").join(name);
    let text = format!("\n{}", std::fs::read_to_string(path).unwrap());
    for section in text.split("\n== ").skip(1) {
        let written = section.split("-- expected\n").next().unwrap();
        let found = program(written.split_once('\n').unwrap().1);
        assert_eq!(found.is_err(), is_refused, "{written}\n{}", found.err().unwrap_or_default());
    }
    golden(name);
}

#[test]
fn arrays_have_the_sizes_that_are_wanted() {
    each("sizes_refused.txt", true);
    each("sizes_accepted.txt", false);
}

#[test]
fn modules_keep_what_their_types_promise() {
    each("modules_refused.txt", true);
    each("modules_accepted.txt", false);
}

#[test]
fn rules_of_types_and_names_are_kept() {
    each("rules_refused.txt", true);
    each("rules_accepted.txt", false);
}

/// How many expressions of a program a question is answered with yes for.
fn count(value: &Expression, question: &dyn Fn(&Expression) -> bool) -> usize {
    usize::from(question(value)) + value.children().map(|child| count(child, question)).sum::<usize>()
}

fn coercions(text: &str) -> usize {
    let program = program(text).unwrap_or_else(|messages| panic!("{messages}"));
    let own = program.definitions.iter().filter(|defined| defined.span.file == 0);
    own.map(|defined| count(&defined.body, &|e| matches!(e.kind, ExpressionKind::Coerce(_)))).sum()
}

#[test]
fn sizes_are_compared_when_the_program_runs_only_if_nothing_is_certain() {
    assert_eq!(coercions("def f [n] (xs: [n]i32): [n]i32 = map (+ 1) (xs :> [n]i32)"), 0);
    assert_eq!(coercions("def f [n] (xs: [n]i32) = let m = n in map2 (+) xs (replicate m 1)"), 0);
    assert_eq!(coercions("def f [n] (xs: [n + 1]i32): [1 + n]i32 = xs"), 0);
    assert_eq!(coercions("def f [n] (xs: [n]f64) = loop ys = xs for i < 9i32 do map2 (+) ys xs"), 0);
    assert_eq!(coercions("def f [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs (ys :> [n]i32)"), 1);
    assert_eq!(coercions("def f (xs: []i32) (ys: []i32) = map2 (+) xs ys"), 1);
    assert_eq!(coercions("def f (x: i32) = map2 (+) (iota (i64.i32 x)) (iota (i64.i32 x))"), 1);
    assert_eq!(coercions("def f (xs: [10]i32) (k: i64) = xs[:k] :> [3]i32"), 1);
    // Each way through a function that is passed on compares what goes in and what comes out.
    assert_eq!(
        coercions(
            "def g [n] (f: [n]i32 -> [n]i32) (xs: [3]i32) = f\ndef h (f: [2]i32 -> [2]i32) (k: i64) = g f (replicate k 1 :> [3]i32)"
        ),
        1
    );
}

#[test]
fn the_verifier_finds_what_is_broken() {
    let good = program("def f [n] (xs: [n]f64) = let ys = map (* 2) xs in ys").unwrap();
    assert_eq!(verify(&good), Ok(()));
    let broken = |change: &dyn Fn(&mut Expression)| {
        let mut program = good.clone();
        change(&mut program.definitions.last_mut().unwrap().body);
        verify(&program).unwrap_err()
    };
    fn inner(value: &mut Expression) -> &mut Expression {
        match &mut value.kind {
            ExpressionKind::Lambda(lambda) => &mut lambda.body,
            _ => panic!("a function"),
        }
    }
    assert!(broken(&|body| inner(body).of = Type::Unknown(3)).contains("is not"));
    assert!(broken(&|body| body.of = Type::Unknown(3)).contains("unknown type"));
    assert!(
        broken(&|body| {
            let local = ExpressionKind::Local(catadiff::futhark::core::Local(0));
            inner(body).kind = local;
        })
        .contains("not in scope")
    );
    assert!(
        broken(&|body| {
            if let ExpressionKind::Let(_, value, _) = &mut inner(body).kind
                && let Type::Array(size, _) = &mut value.of
            {
                *size = Size::Constant(3);
            }
        })
        .contains("is not")
    );
}

/// Files by name.
struct Files(Vec<(&'static str, Rc<File>)>);

impl Files {
    fn new(files: &[(&'static str, &str)]) -> Files {
        let parsed = files.iter().zip(0..).map(|((name, text), at)| (*name, Rc::new(parse(text, at).unwrap())));
        Files(parsed.collect())
    }

    fn check(mut self) -> Result<Vec<String>, Vec<String>> {
        let main = self.0[0].1.clone();
        let texts = |messages: Vec<Message>| messages.into_iter().map(|m| m.text).collect::<Vec<String>>();
        let (program, _) = check(&main, &mut self).map_err(texts)?;
        verify(&program).unwrap();
        Ok(program.entries.iter().map(|entry| entry.name.to_string()).collect())
    }
}

impl Imports for Files {
    fn load(&mut self, path: &str, _: u32) -> Result<(u32, Rc<File>), Vec<Message>> {
        match self.0.iter().zip(0..).find(|((name, _), _)| *name == path) {
            Some(((_, file), at)) => Ok((at, file.clone())),
            None => Err(vec![Message::error("import", Span::default(), format!("no file {path}"))]),
        }
    }
}

#[test]
fn files_are_imported_once_and_not_by_themselves() {
    let entries = Files::new(&[
        ("main", "import \"a\"\nmodule b = import \"b\"\nentry f x = twice (b.half x)"),
        ("a", "local import \"b\"\ndef twice (x: f64) = 2 * x\nentry g = half 1"),
        ("b", "def half (x: f64) = x / 2"),
    ]);
    assert_eq!(entries.check(), Ok(vec!["f".to_owned()]));
    let hidden =
        Files::new(&[("main", "import \"a\"\ndef f = half 1"), ("a", "import \"b\""), ("b", "def half x = x / 2f64")]);
    assert_eq!(hidden.check(), Err(vec!["unknown name `half`".to_owned()]));
    let cycle = Files::new(&[("main", "import \"a\""), ("a", "import \"b\""), ("b", "import \"a\"")]);
    assert_eq!(cycle.check(), Err(vec!["\"a\" is imported by a file that it imports itself".to_owned()]));
    let missing = Files::new(&[("main", "import \"nothing\"\ndef f = 1")]);
    assert_eq!(missing.check(), Err(vec!["no file nothing".to_owned()]));
}

#[test]
fn deep_and_long_programs_are_checked() {
    let sum = format!("def f (x: f64) = x{}", " + 1".repeat(400));
    assert_eq!(types(&sum), "f : f64 -> f64\n");
    let nested = format!("def f (x: f64) = {}x{}", "(".repeat(300), " * 2)".repeat(300));
    assert_eq!(types(&nested), "f : f64 -> f64\n");
    let branches = format!("def f (x: f64) = {}0", "if x > 1 then x else ".repeat(300));
    assert_eq!(types(&branches), "f : f64 -> f64\n");
    for text in [
        format!("def f = {}1i32", "\\(x: i32) -> ".repeat(300)),
        format!("def f (g: {}i32) (x: i32) = x", "i32 -> ".repeat(990)),
        format!("def f (g: {}i32{}) = 1i32", "(i32 -> ".repeat(200), ")".repeat(200)),
        format!("def f (x: i32) = {}x{}", "[".repeat(480), "]".repeat(480)),
        format!("def f (x: {}i32) = x", "[2]".repeat(200)),
        format!("def f (x: {}i32{}) = x", "(i32, ".repeat(200), ")".repeat(200)),
        format!("{}def f = 1i32", "local ".repeat(990)),
    ] {
        let found = types(&text);
        assert!(found.starts_with("f : "), "{}: {found}", &text[..40]);
    }
    // What visits each level twice takes time that doubles with each.
    let applied = format!("def ap f = f 1i32\ndef f = {}ap (\\y -> y){}", "ap (const (".repeat(100), "))".repeat(100));
    let loops = (0..60).fold("a".to_owned(), |body, i| format!("loop a = 0 for i{i} < 1 do ({body}) + x"));
    let looped = format!("def f (x: f64) = vjp (\\x -> loop a = x for i < 1 do {loops}) x 1");
    for text in [applied, looped] {
        let (start, found) = (Instant::now(), types(&text));
        assert!(start.elapsed().as_secs() < 60, "{text}");
        assert!(found.contains("f : "), "{text}: {found}");
    }
    let large: String =
        (1..40).fold("type t0 = i32\n".into(), |out, i| format!("{out}type t{i} = (t{0}, t{0})\n", i - 1));
    assert!(types(&large).contains("too large"));
}

/// Types are trees, and a few lines can ask for one that no memory holds.
#[test]
fn types_that_double_are_refused() {
    let pairs: String = (0..60).map(|i| format!("let a{} = (a{i}, a{i}) ", i + 1)).collect();
    let calls = format!("def d x = (x, x)\ndef f (x: i32) = {}x{}", "d (".repeat(60), ")".repeat(60));
    let backwards: String = (0..60).map(|i| format!("let _ = [x{i}, (x{0}, x{0})] ", i + 1)).collect();
    let params: String = (0..=60).map(|i| format!("x{i} ")).collect();
    for text in [
        format!("def f (a0: i32) = {pairs}in a0"),
        calls,
        format!("def id x = x\ndef f = id{}", " id".repeat(60)),
        format!("def f {params}= {backwards}in x0"),
    ] {
        let found = types(&text);
        assert!(found.contains("large"), "{text}: {found}");
    }
}

/// What becomes nested is bounded where it is wide, as far as it is not nested in the text.
#[test]
fn wide_programs_are_checked_or_refused() {
    let list = |wide: usize, item: &dyn Fn(usize) -> String, between: &str| {
        (0..wide).map(item).collect::<Vec<_>>().join(between)
    };
    let listed = |item: &dyn Fn(usize) -> String, between: &str| list(21_000, item, between);
    // What is checked, or has a message for each, takes longer than what is refused at once.
    let shorter = |item: &dyn Fn(usize) -> String, between: &str| list(3_000, item, between);
    let names = || listed(&|i| format!("x{i}"), " ");
    let any = || listed(&|_| "_".to_owned(), ", ");
    let xs = || listed(&|_| "x".to_owned(), ", ");
    for (text, part) in [
        (format!("def f (x: i32) = let ({}) = ({}) in x", any(), xs()), "too large"),
        (format!("def f x = match x case ({}) -> 1i32", any()), "too large"),
        (format!("def f {{{}}} = 1i32", listed(&|i| format!("x{i}"), ", ")), "too large"),
        (format!("def f x = match x {} case _ -> 1i32", shorter(&|i| format!("case {i}i32 -> 1i32"), " ")), "f : "),
        (format!("def f x = match x {}", listed(&|i| format!("case {i}i32 -> 1i32"), " ")), "takes too long"),
        (format!("def f (x: i32) = match x {} case _ -> 1", shorter(&|i| format!("case {i} -> {i}"), " ")), "f : "),
        (format!("def f {} = x0", names()), "nested more than 1000 levels"),
        (format!("def f = \\{} -> x0", names()), "nested more than 1000 levels"),
        (format!("def f g = g {}", listed(&|_| "1i32".to_owned(), " ")), "nested more than 1000 levels"),
        (format!("def f xs = xs[{}]", listed(&|_| "0".to_owned(), ", ")), "nested more than 1000 levels"),
        (
            format!("def f (xs: []i32) = ({})", (0..3000).map(|_| "filter (> 0) xs").collect::<Vec<_>>().join(", ")),
            "sizes that are known only when it runs",
        ),
        (shorter(&|i| format!("def f{i} = y{i}"), "\n"), "unknown name `y0`"),
        (shorter(&|i| format!("entry f{i} (x: i32) = x"), "\n"), "f0 : "),
    ] {
        let found = types(&text);
        assert!(found.contains(part), "{}…: {}…", &text[..40], &found[..found.len().min(300)]);
    }
}

/// Names between the signs are warned of, and no others.
#[test]
fn values_that_nothing_uses_are_warned_of() {
    for marked in [
        "def f (x: i32) = let $y$ = x in x",
        "def f (x: i32) = let _y = x let z = x in z",
        "def f (x: i32) = let $y$ = x let y = x + 1 in y",
        "def f (x: i32) = let y = x let y = y + 1 in y",
        "def f (x: i32) = let (y, $z$) = (x, x) in y",
        "def f (x: {a: i32, b: i32}) = let {a, b = $c$} = x in a",
        "def f (x: i32) = let $g$ (y: i32) = y + x in x",
        "def f (x: i32) = let $g$ (y: i32) = let $z$ = y in x in x",
        "def f (x: i32) = let g y = y + x in map g [1, 2]",
        "def f (x: i32) = (\\x -> let $y$ = x in x) x",
        "def f (x: i32) = if x > 0 then let $y$ = x in x else let y = x in y",
        "def f (x: i32) = let $y$ = x in (\\y -> y) x",
        "def f (x: i32) = let $y$ = x in match x case y -> y",
        "def f (x: i32) = let y = x in match x case 1 -> y case _ -> 2",
        "def f (x: i32) = let y = x in loop y for _i < 3 do y + 1",
        "def f (x: i32) = let $y$ = x in loop y = x for _i < 3 do y + 1",
        "def f (x: i32) = let n = 3i32 in loop y = x for _i < n do y + 1",
        "def f (x: i32) = loop y = x while (let z = y in z < 3) do let $q$ = y in y + 1",
        "def f (xs: []i32) = let [n] (ys: [n]i32) = xs in n + length ys",
        "def f (xs: []i32) = let n = 3i64 in xs :> [n]i32",
        "def f (xs: []i32) = let n = 3i64 let g (ys: [n]i32) = ys[0] in g (xs :> [3]i32)",
        "def f (x: i32) = let (+++) a b = a * b + 1i32 in x +++ x",
        "def f (x: i32) = let plus a b = a + b + 1i32 in x `plus` x",
        "def f (x: i32) = let xs = [x, x] let xs[0] = 3 in xs",
        "def f (x: i32) = let y = x let z = {y, q = x} in z.y",
        "def f (x: i32) = let r = {a = {b = x}} in (map (+ r.a.b) [1], r.a with b = 2)",
        "def f (x: i32) = let k = 1 in (+ k) (i32.(x + (2 |> u8.i32 |> u8)))",
        "module m (p: {val x : i32}) = { def f = let $y$ = p.x in 3i32 } module a = m {def x = 1i32} module b = m {def x = 2i32}",
    ] {
        let text = marked.replace('$', "");
        let expected: Vec<&str> = marked.split('$').skip(1).step_by(2).collect();
        let file = parse(&text, 0).expect("a program");
        let (_, warnings) = check(&file, &mut NoImports).unwrap_or_else(|messages| panic!("{text}: {messages:?}"));
        let mut found: Vec<_> = warnings.iter().filter(|it| it.code == "unused").map(|it| it.span).collect();
        found.sort_by_key(|span| span.start);
        let found: Vec<&str> = found.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(found, expected, "{marked}");
    }
}

/// A kind of integer has this many values.
#[test]
fn matches_of_all_values_of_a_kind_are_whole() {
    let cases = |of: &str, values: &mut dyn Iterator<Item = i32>| {
        let cases: String = values.map(|n| format!(" case {n} -> 1i32")).collect();
        types(&format!("def f (x: {of}) = match x{cases}"))
    };
    assert_eq!(cases("u8", &mut (0..256)), "f : u8 -> i32\n");
    assert_eq!(cases("i8", &mut (-128..128)), "f : i8 -> i32\n");
    assert!(cases("u8", &mut (0..255)).contains("case 255"));
    assert!(cases("i8", &mut (0..128)).contains("case -1"));
}

/// Whether patterns fit every value is a question that takes exponential time in general.
#[test]
fn matches_that_take_too_long_to_look_at_are_refused() {
    let columns = 40;
    let row = |at: usize, what: &str| {
        let parts: Vec<&str> = (0..columns).map(|column| if column == at { what } else { "_" }).collect();
        format!("case ({}) -> 1i32 ", parts.join(", "))
    };
    let rows: String = (0..columns / 2).map(|at| row(2 * at, "true") + &row(2 * at + 1, "false")).collect();
    let params = vec!["bool"; columns].join(", ");
    let matched = format!("def f (x: ({params})) = match x {rows}");
    let found = types(&matched);
    assert!(found.contains("does not cover") || found.contains("takes too long"), "{found}");
    assert_eq!(types(&format!("{matched}case _ -> 0")), format!("f : ({params}) -> i32\n"));
}

#[test]
fn many_definitions_take_time_in_proportion() {
    let time = |count: usize| {
        let text: String = (0..count).map(|i| format!("def f{i} (x: f64) = x * {i} + 1\n")).collect();
        let file = parse(&text, 0).unwrap();
        drop(check(&file, &mut NoImports).unwrap());
        let start = Instant::now();
        drop(check(&file, &mut NoImports).unwrap());
        start.elapsed().as_secs_f64()
    };
    let (few, many) = (time(1000), time(10_000));
    assert!(many < 40.0 * few, "{few} s for 1000 definitions, {many} s for 10000");
}

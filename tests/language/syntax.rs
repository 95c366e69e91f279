//! Texts of the front end become the trees that they mean, trees become texts again, and mistakes become messages.

use catadiff::futhark::source::Sources;
use catadiff::futhark::syntax::tree::{
    DeclarationKind, Expression, ExpressionKind, Index, Literal, LoopForm, PatternKind, TypeKind,
};
use catadiff::futhark::syntax::{parse, parse_expression, parse_type, real_f16, real_f32, real_f64};

/// All messages of a text, as shown.
fn mistakes(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let file = sources.add("a.fut", text);
    let messages = parse(text, file).expect_err("a mistake");
    messages.iter().map(|message| sources.show(message).to_string()).collect()
}

#[track_caller]
fn expression(text: &str) -> Expression {
    parse_expression(text, 0).unwrap_or_else(|messages| panic!("{text}: {messages:#?}"))
}

/// What an expression means, with all brackets that the printer would leave away: only applications of operators.
fn grouped(e: &Expression) -> String {
    match &e.kind {
        ExpressionKind::Binary(name, a, b) => format!("({} {name} {})", grouped(a), grouped(b)),
        ExpressionKind::Negate(a) => format!("(-{})", grouped(a)),
        ExpressionKind::Not(a) => format!("(!{})", grouped(a)),
        ExpressionKind::Apply(f, args) => {
            let args: Vec<String> = args.iter().map(grouped).collect();
            format!("({} {})", grouped(f), args.join(" "))
        }
        ExpressionKind::Ascribe(a, t) => format!("({} : {t})", grouped(a)),
        ExpressionKind::Coerce(a, t) => format!("({} :> {t})", grouped(a)),
        ExpressionKind::Update(a, _, v) => format!("({} with {})", grouped(a), grouped(v)),
        ExpressionKind::Range(r) => format!("({} to {})", grouped(&r.start), grouped(&r.end)),
        _ => e.to_string(),
    }
}

#[test]
fn operators_bind_as_their_leading_signs_say() {
    for (text, meant) in [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a ** b * c", "((a ** b) * c)"),
        ("a ** b ** c", "((a ** b) ** c)"),
        ("-a ** b", "((-a) ** b)"),
        ("-f a + b", "((-(f a)) + b)"),
        ("a - -b", "(a - (-b))"),
        ("a |> f <| b |> g", "((a |> (f <| b)) |> g)"),
        ("f <| g <| a", "(f <| (g <| a))"),
        ("a || b && c == d", "(a || (b && (c == d)))"),
        ("a < b & c << d + e", "(a < (b & (c << (d + e))))"),
        ("f >-> g >-> h", "((f >-> g) >-> h)"),
        ("a `op` b |> c", "(a op (b |> c))"),
        ("a +++ b *** c", "(a +++ (b *** c))"),
        ("a f64.* b f64.+ c", "((a f64.* b) f64.+ c)"),
        ("a %% b // c", "((a %% b) // c)"),
        ("!a && !b", "((!a) && (!b))"),
        ("a + b : f64", "((a + b) : f64)"),
        ("a + b :> [n]f64", "((a + b) :> [n]f64)"),
        ("a with [0] = b + c with [1] = d", "((a with (b + c)) with d)"),
        ("a + b with [0] = c", "((a + b) with c)"),
        ("0..<n + 1", "(0 to (n + 1))"),
        ("f a b c", "(f a b c)"),
        ("f a.b c.0[i]", "(f a.b c.0[i])"),
        ("f (a) [i]", "(f a [i])"),
        ("map f xs |> map (+ 1)", "((map f xs) |> (map (+ 1)))"),
        ("xs |> map \\x -> x |> g", "(xs |> (map \\x -> x |> g))"),
        ("if a then b else c + d", "if a then b else c + d"),
    ] {
        assert_eq!(grouped(&expression(text)), meant, "{text}");
    }
}

#[test]
fn brackets_touch_what_they_index() {
    let ExpressionKind::Index(_, indices) = expression("a[i, 1:n, :, ::2, j:]").kind else { panic!("an index") };
    assert!(matches!(
        &indices[..],
        [
            Index::At(_),
            Index::Slice(Some(_), Some(_), None),
            Index::Slice(None, None, None),
            Index::Slice(None, None, Some(_)),
            Index::Slice(Some(_), None, None)
        ]
    ));
    assert!(matches!(expression("a [i]").kind, ExpressionKind::Apply(..)));
    assert!(matches!(expression("(f a)[i][j].x").kind, ExpressionKind::Field(..)));
    assert!(matches!(expression("a[-1]").kind, ExpressionKind::Index(..)));
}

#[test]
fn sections_are_not_negations() {
    assert!(matches!(expression("(-x)").kind, ExpressionKind::Negate(_)));
    assert!(matches!(expression("(- x)").kind, ExpressionKind::Negate(_)));
    assert!(matches!(expression("(-)").kind, ExpressionKind::Section(_)));
    assert!(matches!(expression("(+ x)").kind, ExpressionKind::SectionRight(..)));
    assert!(matches!(expression("(x +)").kind, ExpressionKind::SectionLeft(..)));
    assert!(matches!(expression("(a * b -)").kind, ExpressionKind::SectionLeft(..)));
    assert!(matches!(expression("(f32.*)").kind, ExpressionKind::Section(_)));
    assert!(matches!(expression("(f32.* 2)").kind, ExpressionKind::SectionRight(..)));
    assert!(matches!(expression("(`f` x)").kind, ExpressionKind::SectionRight(..)));
    assert!(matches!(expression("(x `m.f`)").kind, ExpressionKind::SectionLeft(..)));
    for (section, steps) in
        [("(.0)", 1), ("(.0.1)", 2), ("(.x.y)", 2), ("(.[i, j])", 1), ("(.x[0])", 2), ("(.[i].x.0[j])", 4)]
    {
        let ExpressionKind::SectionPath(path) = expression(section).kind else { panic!("{section}: a path") };
        assert_eq!(path.len(), steps, "{section}");
    }
    assert!(matches!(expression("f64.(x + y)").kind, ExpressionKind::OpenIn(..)));
    assert!(matches!(expression("()").kind, ExpressionKind::Tuple(items) if items.is_empty()));
}

#[test]
fn numbers_of_all_shapes() {
    let integer = |text: &str| match expression(text).kind {
        ExpressionKind::Literal(Literal::Integer(n, suffix)) => (n, suffix.map_or_else(String::new, |s| s.to_string())),
        other => panic!("{text}: {other:?}"),
    };
    for (text, n, suffix) in [
        ("1_000", 1000, ""),
        ("0x1F", 31, ""),
        ("0xFFu8", 255, "u8"),
        ("0b1_01i32", 5, "i32"),
        ("0rXIV", 14, ""),
        ("0rMCMXCIXi64", 1999, "i64"),
        ("18446744073709551615u64", u64::MAX.into(), "u64"),
    ] {
        assert_eq!(integer(text), (n, suffix.to_owned()), "{text}");
    }
    let real = |text: &str| match expression(text).kind {
        ExpressionKind::Literal(Literal::Real(digits, _)) => real_f64(&digits).expect("a number"),
        other => panic!("{text}: {other:?}"),
    };
    for (text, value) in [
        ("1.5", 1.5),
        ("1e-3f32", 1e-3),
        ("1f32", 1.0),
        ("1_0.2_5e+2", 1025.0),
        ("0x1.8p3", 12.0),
        ("0x.8", f64::NAN),
        ("0xA.Cp-1f64", 5.375),
        ("0x1p-1074", 5e-324),
        ("0x1.8p-1075", 5e-324),
        ("0x1p-1075", 0.0),
        ("0x1.fffffffffffff8p0", 2.0),
    ] {
        if value.is_nan() {
            assert!(parse_expression(text, 0).is_err(), "{text}");
        } else {
            assert_eq!(real(text).to_bits(), value.to_bits(), "{text}");
        }
    }
    assert_eq!((real_f64("1e400"), real_f32("-1e39")), (None, None), "too large");
    assert_eq!(real_f32("16777217.0000001"), Some(16_777_218.0));
    assert_eq!(real_f32("0x1.000001p0"), Some(1.0));
    let half = |text| real_f16(text).map(f64::from);
    assert_eq!((half("0x1.002p0"), half("0x1.0020000000000000000000001p0")), (Some(1.0), Some(1.0009765625)));
    assert_eq!(
        (half("-0x1p-25"), half("0x1.8p-25"), half("65519.99")),
        (Some(-0.0), Some(2_f64.powi(-24)), Some(65504.0))
    );
    assert_eq!((half("65520"), half("-0x1p16"), half("1e400")), (None, None, None), "too large");
    assert!(matches!(expression("f64.inf").kind, ExpressionKind::Name(_)));
    for wrong in ["12abc", "1.5i32", "0b2", "0r", "0x", "1u7", "340282366920938463463374607431768211456", "1e"] {
        assert!(parse_expression(wrong, 0).is_err(), "{wrong}");
    }
    assert!(matches!(expression(r"'\n'").kind, ExpressionKind::Literal(Literal::Character('\n'))));
    assert!(matches!(expression(r#""a\"b\x41""#).kind, ExpressionKind::Literal(Literal::Text(t)) if *t == *"a\"bA"));
}

#[test]
fn every_form_of_loops_and_lets() {
    let form = |text: &str| match expression(text).kind {
        ExpressionKind::Loop(it) => *it,
        other => panic!("{other:?}"),
    };
    assert!(matches!(form("loop x = 1 for i < n do x + i").form, LoopForm::For(..)));
    assert!(matches!(form("loop (x, y) = (1, 2) for z in zs do (y, x + z)").form, LoopForm::In(..)));
    assert!(form("loop (x, y) for (a, b) in zip as bs do (y, x)").initial.is_none());
    assert!(matches!(form("loop x while x < 10 do x * 2").form, LoopForm::While(_)));
    assert!(matches!(form("loop #[true_dep] xs for i < 3 do xs").pattern.kind, PatternKind::Attribute(..)));
    assert_eq!(form("loop [n] (xs: [n]i32) = ys while null xs do tail xs").sizes.len(), 1);

    let ExpressionKind::Let(_, _, _, body) = expression("let x = 1 let y = x in x + y").kind else { panic!("a let") };
    assert!(matches!(body.kind, ExpressionKind::Let(..)));
    assert!(matches!(expression("let f x = x in f").kind, ExpressionKind::LetFunction(..)));
    assert!(matches!(expression("let f [n] (x: [n]i32) = n in f").kind, ExpressionKind::LetFunction(..)));
    assert!(matches!(expression("let f[n] (x: [n]i32) = n in f").kind, ExpressionKind::LetFunction(..)));
    for (binding, steps) in
        [("x[i, j+1]", 1), ("r.x", 1), ("t.0", 1), ("t.0.1", 2), ("r.a[i].b", 3), ("a[i].b[j][k]", 4)]
    {
        let written = expression(&format!("let {binding} = 2 in x"));
        let ExpressionKind::LetUpdate(_, path, ..) = written.kind else { panic!("{binding}: a path") };
        assert_eq!(path.len(), steps, "{binding}");
    }
    assert!(
        matches!(expression("let [n] (x: [n]i32) = y in n").kind, ExpressionKind::Let(sizes, ..) if sizes.len() == 1)
    );
    assert!(matches!(expression("let (a, {b, c = _}, #some d) = e in a").kind, ExpressionKind::Let(..)));
    assert!(
        matches!(expression("let (x) <+> y = x in 1 <+> 2").kind, ExpressionKind::LetFunction(f, _) if &*f.name == "<+>")
    );
    assert!(
        matches!(expression("let (<+>) x y = x in 1 <+> 2").kind, ExpressionKind::LetFunction(f, _) if &*f.name == "<+>")
    );
}

#[test]
fn types_of_all_shapes() {
    for text in [
        "[n][m]f64",
        "*[n]f32 -> *[n]f32",
        "(a -> b) -> [n]a -> [n]b",
        "(n: i64) -> [n]t",
        "?[n][m].[n][m]t",
        "#a | #b i32 (f64, bool) | #c ([n]f32)",
        "{x: f64, y: {a: i32}}",
        "vec [n] (f64, f64) [2 * k]",
        "[]i32",
        "m.t [n] -> ()",
        "[n](a -> b)",
    ] {
        let of = parse_type(text, 0).unwrap_or_else(|messages| panic!("{text}: {messages:?}"));
        assert_eq!(of.to_string(), text);
    }
    assert!(matches!(parse_type("#a [n]i32", 0).unwrap().kind, TypeKind::Sum(all) if all[0].1.len() == 1));
}

const TOUR: &str = r#"-- | A tour of the language.
import "lib/github.com/diku-dk/linalg/linalg"
module la = import "lib/linalg"
open import "other"
local open f64
local def secret = 1

type t = f64
type~ list 't = ?[n].[n]t
type^ fn 'a '^b = a -> b
type pair 'a 'b = {first: a, second: b}
type vec [n] 't = [n]t
type shape = #circle f64 | #square {side: f64} | #none

module type monoid = {
  type t
  type~ s
  -- | The operation.
  val op : t -> t -> t
  val (+++) 'a : a -> a -> a
  val zero : t
  val f [n] 'a : [n]a -> a
  module inner : { type u = i32 }
  include other with t = i32 with v 'a = a
}
module sum : monoid with t = f64 = { type t = f64 def op = (f64.+) def zero = 0f64 }
module mk (M: monoid) (N: {val x : i32}) : { val y : M.t } = { local module K = N def y = M.zero }
module applied = mk sum { def x = 1i32 }
module lam = \(M: monoid): {val y : M.t} -> { def y = M.zero }
module type fun = (M: monoid) -> { val y : M.t }

def (+++) a b = a + b * 2
let (x: f64) <+> (y: f64) : f64 = x + y
def a *** b = a
#[inline] #[foo(bar, 3)]
def f' [n] 'a '~b (xs: [n]a) (_: b) {x, y = z} () : *[n]a = copy xs
entry main [n] (xs: *[n]f64) : (f64, [n]f64) =
  let y[0] = 3 -- comment
  let s = f64.sum xs
  let ys = xs with [0] = s with [1:2] = [s]
  let r = {a = 1, b.0, c} in
  if s > 0 then (s, ys) else
  match (#some (s, 1))
  case #some (x, -1) -> (x, ys)
  case #none -> #[unsafe] (0, map (\x -> -x) ys)
entry point = vjp main >-> (.0)
def with_lambda = map2 (\x (y, z): f64 -> x * y + z) xs <| map (2 *) \x -> x
def e = assert (n > 0) (xs[n-1]) : f64
def g = loop acc = 0 for i < n do #[stripmine(3)] (loop x = acc for j in 0..<i do x + j)
def r = (1..3...9, 0...n, n..>0, i..<n, f64.inf, ???, "text", 'c', 'd')
"#;

#[test]
fn a_tour_is_read_and_printed() {
    let text = TOUR.replace("b.0, ", "b = b.0, ");
    let file = parse(&text, 0).unwrap_or_else(|messages| {
        let mut sources = Sources::default();
        sources.add("tour.fut", text.as_str());
        panic!("{}", messages.iter().map(|m| sources.show(m).to_string()).collect::<String>())
    });
    assert_eq!(file.declarations.len(), 27);
    let printed = file.to_string();
    let again = parse(&printed, 0).unwrap_or_else(|messages| panic!("{printed}\n{messages:#?}"));
    assert_eq!(again.to_string(), printed);
    assert_eq!(placeless(&again), placeless(&file));
    let DeclarationKind::Value(main) = &file
        .declarations
        .iter()
        .find(|d| matches!(&d.kind, DeclarationKind::Value(v) if &*v.name == "main"))
        .unwrap()
        .kind
    else {
        panic!("a value")
    };
    assert!(main.entry && main.type_params.len() == 1 && main.params.len() == 1 && main.result.is_some());
}

/// A tree without its places.
fn placeless(tree: &impl std::fmt::Debug) -> String {
    let mut text = format!("{tree:?}");
    while let Some(at) = text.find("Span {") {
        let end = at + text[at..].find('}').expect("a closed brace");
        text.replace_range(at..=end, "_");
    }
    text
}

#[test]
fn several_mistakes_of_a_file_are_reported() {
    let text =
        "def f x = x +\ndef g = (1, 2\ndef h = 3\nmodule m = {\n  def a = )\n  def b = 1\n}\ndef k = if 1 then 2\n";
    let found = mistakes(text);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[0].starts_with("a.fut:2:1: error: expected an expression, found `def`"), "{}", found[0]);
    assert!(found[1].contains("a.fut:2:9: error: this `(` is not closed"), "{}", found[1]);
    assert!(found[2].contains("a.fut:5:11: error: expected an expression, found `)`"), "{}", found[2]);
    assert!(found[3].contains("expected `else`") && found[3].contains("hint: an `if`"), "{}", found[3]);
}

#[test]
fn mistakes_of_beginners_have_hints() {
    // A message is an error like any other, in one line.
    let error: Box<dyn std::error::Error> = Box::new(parse("def f x = x; y", 0).unwrap_err().remove(0));
    assert!(error.to_string().contains("[syntax]; ") && !error.to_string().contains('\n'), "{error}");
    for (text, hint) in [
        ("def f x = let y = x", "followed by `in`"),
        ("def f x = x; y", "not sequenced"),
        ("fun f x = x", "`def name x y = …`"),
        ("def f = \\x => x", "`\\x -> …`"),
        ("def f = if x = 1 then 2 else 3", "equality is `==`"),
        ("def f = xs[]", "`[:]`"),
        ("def let = 1", "cannot be a name"),
        ("def f = x.. y", "a range is"),
        ("def f = {x: 1}", "its value `=`"),
        ("def f = \"abc", "ends with `\"`"),
        ("def f = 1 + 12x3", "numbers are"),
        ("def (a, b) = 1", "one name"),
        ("type t", "leave a type open"),
        ("def f = loop x = 1 do x", "a loop is"),
        ("def f = match x", "a match is"),
        ("def f x =-x", "one operator"),
        ("import lib", "without `.fut`"),
        ("def f x == x", "`=` defines"),
    ] {
        let found = mistakes(text).concat();
        assert!(found.contains(hint), "{text}: {found}");
    }
}

#[test]
fn depth_is_bounded() {
    let n = 20_000;
    for text in [
        format!("def f = {}1{}", "(".repeat(n), ")".repeat(n)),
        format!("def f = {}", "(".repeat(n)),
        format!("def f = {}1", "-".chars().chain(" ".chars()).collect::<String>().repeat(n)),
        format!("def f = 1{}", " <| 1".repeat(n)),
        format!("def f = x{}", " >-> x".repeat(n)),
        format!("def f = {}1", "\\x -> ".repeat(n)),
        format!("def f = x{}", "[0]".repeat(n)),
        format!("def f = x{}", ".a".repeat(n).replace(".a", ".0")),
        format!("def f = {}x", "if a then b else ".repeat(n)),
        format!("def f = x{}", " with [0] = 1".repeat(n)),
        format!("type t = {}a", "a -> ".repeat(n)),
        format!("type t = {}a", "[n]".repeat(n)),
        format!("type t = {}a", "* ".repeat(n)),
        format!("def f {}a{} = 1", "(".repeat(n), ")".repeat(n)),
        format!("{}def f = 1", "local ".repeat(n)),
        format!("module m = {}", "{ module m = ".repeat(n)),
        format!("module m = f{}", " f".repeat(n)),
        format!("#[{}]def f = 1", "a(".repeat(n)),
        format!("def f = x{}", " : t".repeat(n)),
    ] {
        let messages = parse(&text, 0).expect_err("too deep");
        let head: String = text.chars().take(40).collect();
        assert!(messages.iter().any(|m| m.text.contains("nested more than")), "{head}: {messages:?}");
    }
}

#[test]
fn what_is_printed_is_read() -> catadiff_laws::Verdict {
    catadiff_laws::for_all(|file: catadiff_laws::futhark_text::TextFile| {
        catadiff_laws::futhark_text::printed_is_read(&file.0)
    })
}

#[test]
fn what_is_laid_out_is_the_same() -> catadiff_laws::Verdict {
    catadiff_laws::for_all(|file: catadiff_laws::futhark_text::TextFile| {
        catadiff_laws::futhark_text::laid_out_is_the_same(&file.0)
    })
}

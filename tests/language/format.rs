//! Texts are laid out: as people write them, with their comments, and once for all.

use std::path::{Path, PathBuf};

use catadiff::futhark::syntax::tree::{DeclarationKind, Expression, ExpressionKind};
use catadiff::futhark::syntax::{WIDTH, format, parse};

#[track_caller]
fn laid_out(text: &str, expected: &str) {
    let found = format(text, 0).unwrap_or_else(|messages| panic!("{text}: {messages:?}"));
    assert_eq!(found, expected, "\n{found}");
    assert_eq!(format(&found, 0).as_deref(), Ok(expected));
}

/// A text that is laid out already.
#[track_caller]
fn stays(text: &str) {
    laid_out(text, text);
}

#[test]
fn space_between_tokens() {
    laid_out("def  f(x:i32)(y :i32):i32=x+y *2", "def f (x: i32) (y : i32): i32 = x + y * 2\n");
    laid_out("def f [ n ](xs:[ n ]f64)=xs[ 0 ]", "def f [n] (xs: [n]f64) = xs[0]\n");
    // What touches says something, and keeps doing so.
    stays("def f xs i = g xs[i] (-i) [i] xs.0 (-1) (f64.+) (+ 1) (1 -) (.x) m.(x + y)\n");
    stays("def f (n: i64) (xs: [n+1]i32) (ys: [n + 1]i32) = xs[n-1] + ys[1:n - 1:2] |> g `h` 1..2..<n\n");
    laid_out("def f x = if(x)then(1)else(2)", "def f x = if (x) then (1) else (2)\n");
    laid_out("def f = \\ x->( \\(y,z) -> { a=1 , b } )", "def f = \\x -> (\\(y, z) -> {a = 1, b})\n");
    laid_out("type^ t 'a= a->a\ntype~ u=[]i32", "type^ t 'a = a -> a\ntype~ u = []i32\n");
    laid_out("module m={def x=1}", "module m = { def x = 1 }\n");
    laid_out("def a = 1 def b = 2", "def a = 1\ndef b = 2\n");
    stays("def f (xs: *[]i32) = copy xs with [0] = 1\ndef (+++) = f\n");
}

#[test]
fn lines_begin_where_the_tree_says() {
    laid_out(
        "
entry main [n]
 (xs: [n]f64)
   (k: i64): f64 =
 -- Sums.
      let total =
   reduce (+)
     0
       xs
   let g x = if x > 0
    then x
     else if x < 0 then
    -x
       else 0 in
  loop (acc, i) = (0, 0) while i < k
  do
    let y = acc
      |> f64.exp
   |> g
    in (y,
    i + 1)


def h x =
      match x
    case #a y -> y
      case #b ->
   map (\\z ->
     z + 1)
     [ 1
     , 2 ]
",
        "\
entry main [n]
           (xs: [n]f64)
           (k: i64): f64 =
  -- Sums.
  let total =
    reduce (+)
           0
           xs
  let g x = if x > 0
            then x
            else if x < 0 then
              -x
            else 0 in
  loop (acc, i) = (0, 0) while i < k
  do
    let y = acc
            |> f64.exp
            |> g
    in (y,
        i + 1)

def h x =
  match x
  case #a y -> y
  case #b ->
    map (\\z ->
           z + 1)
        [ 1
        , 2 ]
",
    );
    stays(
        "\
-- | A module of its own.
module type number = {
  type t
  val zero : t
  val add :
    t -> t -> t
}

module pairs (N: number) : { type t } = {
  type t = (N.t, N.t)

  -- | Both.
  local def both (a: t) =
    N.add
      a.0
      a.1
  -- at the end
}

type shape
  = #circle f64
  | #square f64
",
    );
}

#[test]
fn comments_stay() {
    stays("-- first\n\n-- second\ndef f = 1 -- behind\n-- own\n\n-- last\n");
    stays("-- only\n");
    stays("");
    laid_out(
        "def f = [ -- open\n 1, -- one\n  -- own\n 2\n  -- close\n  ]\n",
        "def f = [ -- open\n  1, -- one\n  -- own\n  2\n  -- close\n]\n",
    );
    stays("-- ==\n-- entry: f\n-- input {   1 } output { 2 }\nentry f x = x + 1i32\n");
}

#[test]
fn long_lines_are_broken_from_the_outside() {
    let (a, b) = ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
    laid_out(
        &format!("def f x = let y = {a} {b} + {a} in {b} * {a} * {b} + y * y * y * y + {a} |> {b} {a} {b} (\\z -> z)"),
        &format!(
            "\
def f x =
  let y =
    {a} {b} + {a}
  in {b}
     * {a}
     * {b}
     + y * y * y * y
     + {a}
     |> {b} {a}
          {b}
          (\\z -> z)
"
        ),
    );
    laid_out(
        &format!("def f (x: {a}) (y: {b}) (z: {a}) : {b} = {{x = {a}, y = {b}, z = {a}, w = {b}, v = {a}}}"),
        &format!(
            "\
def f (x: {a})
      (y: {b})
      (z: {a}) : {b} =
  {{x = {a},
   y = {b},
   z = {a},
   w = {b},
   v = {a}}}
"
        ),
    );
    let numbers: Vec<String> = (1000..1030).map(|n| n.to_string()).collect();
    let found = format(&format!("def xs = [{}]\n", numbers.join(", ")), 0).unwrap();
    assert_eq!(found.lines().count(), 3, "{found}");
}

fn programs() -> impl Iterator<Item = PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/futhark");
    let below =
        |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let all: Vec<PathBuf> = below(&folder).into_iter().chain(below(&folder.join("lib"))).collect();
    all.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "fut"))
}

#[test]
fn arguments_of_an_array_stand_under_one_another() {
    let argument = format!("(g{})", " word".repeat(9));
    let text = format!("def f = [1] {argument} {argument} {argument}");
    let lines = format!("def f =\n  [1] {argument}\n      {argument}\n      {argument}\n");
    laid_out(&text, &lines);
}

/// On all programs there are: the tree is kept, which laying out checks itself; so are comments; and no line is wide that can be broken.
#[test]
fn programs_are_laid_out_once_for_all() {
    let mut count = 0;
    for path in programs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(once) = format(&text, 0) else { continue };
        assert_eq!(format(&once, 0).as_deref(), Ok(&*once), "{}", path.display());
        let comments = |text: &str| {
            let lines = text.lines().filter_map(|line| Some(line[line.find("--")?..].trim_end().to_owned()));
            lines.collect::<Vec<_>>()
        };
        assert_eq!(comments(&text), comments(&once), "{}", path.display());
        let wide =
            |text: &str| text.lines().filter(|line| !line.contains("--") && line.chars().count() > WIDTH).count();
        assert!(wide(&once) <= 1, "{}: {once}", path.display());
        count += 1;
    }
    assert!(count > 190, "{count} programs");
}

#[test]
fn what_is_no_program_is_not_laid_out() {
    let messages = format("def f = (\n\ndef g = 1\n", 0).unwrap_err();
    assert!(messages[0].text.contains("expected an expression"), "{messages:?}");
}

/// Every form of expressions has its parts, in order.
#[test]
fn parts_of_expressions() {
    let text = "def f = (0, {a = 1}, [2], 3..4...5, (6).x, (7)[8:9, 10], 11 with [12] = 13, 14 with b = 15, (16) 17, #c 18, -19, !20,
      21 + 22, (23 +), (+ 24), (.[25]), \\x -> 26, let x = 27 in 28, let g x = 29 in 30, let x[31] = 32 in 33,
      if 34 then 35 else 36, match 37 case x -> 38, loop x = 39 for i < 40 do 41, 42 : t, 43 :> t, m.(44), assert 45 46, #[a] 47)";
    let file = parse(text, 0).unwrap();
    let DeclarationKind::Value(value) = &file.declarations[0].kind else { panic!("a definition") };
    fn walk(e: &Expression, found: &mut Vec<String>) {
        if matches!(e.kind, ExpressionKind::Literal(_)) {
            found.push(e.to_string());
        }
        e.parts().into_iter().for_each(|part| walk(part, found));
    }
    let mut found = Vec::new();
    walk(&value.body, &mut found);
    assert_eq!(found, (0..48).map(|n| n.to_string()).collect::<Vec<_>>());
}

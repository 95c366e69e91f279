//! Terms as text and as pictures: infix, LaTeX, DOT and SVG, all from the spelling in the rows of the table.
//!
//! Law: what [`Display`](core::fmt::Display) prints, [`parse`](super::parse) reads back as the same term, if its
//! variables print as identifiers that are not names of constants; users' rules it refuses. A term whose shared parts
//! would make the text much longer than the term is printed with names for them, which no variable of it has
//! (laws: fold::text_round_trips, tests/scalar/terms.rs).

use core::fmt::{self, Display};
use core::hash::Hash;
use rustc_hash::FxHashMap;

use super::Term;
use super::arena::{Arena, Node};
use super::fold::Values;
use super::signature::{Signature, Smooth, SmoothOperation};
use crate::draw::{Graph, Line, Role, Tone};
use crate::error::Result;
use crate::primitives::{Facts, Primitive};

/// How an operation is written.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    /// The name, for operations written as calls.
    pub name: &'static str,
    /// How the row is spelled otherwise.
    pub facts: Facts,
    /// The integer parameter, of the rows that have one.
    pub parameter: Option<i64>,
    /// Whether it is a user's rule, which may be named like a row of the table.
    pub custom: bool,
}

/// Signatures whose operations can be written.
pub trait Written: Signature {
    /// How the operation is written.
    fn spelling<V>(operation: Self::Operation, arena: &Arena<V, Self>) -> Spelling;
}

impl Written for super::Pure {
    fn spelling<V>(operation: core::convert::Infallible, _: &Arena<V, Self>) -> Spelling {
        match operation {}
    }
}

impl Written for Smooth {
    fn spelling<V>(operation: SmoothOperation, arena: &Arena<V, Self>) -> Spelling {
        match operation {
            SmoothOperation::Primitive(row) => {
                Spelling { name: row.name(), facts: row.facts(), parameter: row.parameter(), custom: false }
            }
            SmoothOperation::Custom(rule) => arena.spell(rule),
        }
    }
}

/// Binding strengths; the rows' own lie between.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const NEGATION: u8 = 3;
const POWER: u8 = 4;
/// Functions in LaTeX, most of which stand before their argument without parentheses.
const FUNCTION: u8 = 5;
const ATOM: u8 = 9;

/// Text with the binding strength of its outermost operation.
#[derive(Clone)]
struct Piece {
    text: String,
    binds: u8,
}

impl Piece {
    fn new(binds: u8, text: String) -> Self {
        Piece { text, binds }
    }

    /// The text, in parentheses if it binds weaker than the place needs.
    fn at(&self, least: u8, [open, close]: [&str; 2]) -> String {
        if self.binds < least { format!("{open}{}{close}", self.text) } else { self.text.clone() }
    }
}

const ROUND: [&str; 2] = ["(", ")"];
const TEX_ROUND: [&str; 2] = [r"\left(", r"\right)"];

fn infix(node: Kind<'_>, x: &[Piece]) -> Piece {
    let at = |i: usize, least| x[i].at(least, ROUND);
    match node {
        Kind::Literal(text) => literal(text),
        Kind::Plus => Piece::new(SUM, format!("{} + {}", at(0, SUM), at(1, SUM + 1))),
        Kind::Times => Piece::new(PRODUCT, format!("{} * {}", at(0, PRODUCT), at(1, PRODUCT + 1))),
        Kind::Operation(&Spelling { name, facts, parameter, custom }) => match (facts.infix, x.len(), parameter) {
            (Some((sign, binds)), 1, None) => {
                // `-2` is a literal, `-(2)` its negation.
                let bare = sign != "-" || x[0].text.parse::<f64>().is_err();
                Piece::new(binds, format!("{sign}{}", at(0, if bare { binds + 1 } else { u8::MAX })))
            }
            (Some((sign, binds)), 1, Some(n)) => Piece::new(binds, format!("{}{sign}{n}", at(0, binds + 1))),
            (Some((sign, POWER)), 2, _) => {
                // Powers associate to the right, and an integer after `^` would be read as an integer power.
                let integer = x[1].text.parse::<i64>().is_ok();
                let exponent = at(1, if integer { u8::MAX } else { POWER });
                Piece::new(POWER, format!("{}{sign}{exponent}", at(0, POWER + 1)))
            }
            (Some((sign, binds)), 2, _) => Piece::new(binds, format!("{} {sign} {}", at(0, binds), at(1, binds + 1))),
            _ => {
                let arguments = parameter.map(|n| n.to_string()).into_iter().chain(x.iter().map(|x| x.text.clone()));
                // A rule of a row's name is not the row, and must not be read as it.
                let owner = if custom && Primitive::ALL.iter().any(|row| row.name() == name) { "user." } else { "" };
                Piece::new(ATOM, format!("{owner}{name}({})", arguments.collect::<Vec<_>>().join(", ")))
            }
        },
    }
}

fn tex(node: Kind<'_>, x: &[Piece]) -> Piece {
    let at = |i: usize, least| x[i].at(least, TEX_ROUND);
    match node {
        Kind::Literal(text) => literal(text),
        Kind::Plus => Piece::new(SUM, format!("{} + {}", at(0, SUM), at(1, SUM + 1))),
        Kind::Times => Piece::new(PRODUCT, format!(r"{} \cdot {}", at(0, PRODUCT), at(1, PRODUCT + 1))),
        Kind::Operation(&Spelling { name, facts, parameter, .. }) => {
            let binds = facts.infix.map_or(FUNCTION, |(_, binds)| binds);
            if facts.tex.is_empty() {
                let arguments: Vec<_> = x.iter().map(|x| x.text.clone()).collect();
                let name = escaped(name);
                return Piece::new(FUNCTION, format!(r"\operatorname{{{name}}}\left({}\right)", arguments.join(", ")));
            }
            let mut text = facts.tex.to_owned();
            for (i, x) in x.iter().enumerate() {
                let place = format!("#{}", i + 1);
                // Inside braces and fences a formula stands by itself; bare, it must bind as tightly as a factor.
                let enclosed =
                    [("{", "}"), ("(", r"\right)"), ("|", r"\right|"), ("floor ", r" \rfloor"), ("ceil ", r" \rceil")]
                        .iter()
                        .any(|(open, close)| text.contains(&format!("{open}{place}{close}")));
                let base_of_power = binds == POWER && i == 0;
                let argument = match (enclosed && !base_of_power, facts.infix) {
                    (true, _) => x.text.clone(),
                    (false, Some(_)) if base_of_power => x.at(ATOM, TEX_ROUND),
                    (false, Some(_)) => x.at(binds + u8::from(i > 0), TEX_ROUND),
                    (false, None) => x.at(FUNCTION, TEX_ROUND),
                };
                text = text.replace(&place, &argument);
            }
            Piece::new(binds, text.replace("#n", &parameter.map(|n| n.to_string()).unwrap_or_default()))
        }
    }
}

fn literal(text: String) -> Piece {
    Piece::new(if text.starts_with('-') { NEGATION } else { ATOM }, text)
}

/// A row of the table in LaTeX, of operands that are names and numbers.
#[cfg(feature = "array")]
pub(crate) fn row_in_latex(row: Primitive, operands: impl Iterator<Item = String>) -> String {
    let (name, facts, parameter) = (row.name(), row.facts(), row.parameter());
    let operands: Vec<Piece> = operands.map(literal).collect();
    tex(Kind::Operation(&Spelling { name, facts, parameter, custom: false }), &operands).text
}

/// The name of a function in LaTeX.
#[cfg(feature = "array")]
pub(crate) fn name_in_latex(name: &str) -> String {
    escaped(name)
}

/// A variable in LaTeX: `x_1` with its index, any other name with special characters upright as it stands.
fn tex_name(name: &str) -> String {
    let plain = |part: &str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
    match name.split_once('_') {
        Some((base, index)) if plain(base) && plain(index) => format!("{base}_{{{index}}}"),
        _ if name.contains(SPECIAL) => format!(r"\mathrm{{{}}}", escaped(name)),
        _ => name.to_owned(),
    }
}

/// The characters that mean something to TeX.
const SPECIAL: [char; 10] = ['\\', '{', '}', '$', '&', '#', '^', '_', '%', '~'];

fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '\\' => text.push_str(r"\backslash "),
            '^' => text.push_str(r"\hat{}"),
            '~' => text.push_str(r"\sim "),
            _ => {
                text.extend(SPECIAL.contains(&c).then_some('\\'));
                text.push(c);
            }
        }
    }
    text
}

/// A node without its operands.
enum Kind<'s> {
    Literal(String),
    Plus,
    Times,
    Operation(&'s Spelling),
}

/// Past this many operations written out, shared parts get names.
const LONGEST_WRITTEN_OUT: usize = 400;
/// Past this many characters in a line, parts used once get names too, so that the text stays linear in the term.
const LONGEST_LINE: usize = 200;

impl<V: Clone + Eq + Hash + Display, P: Written> Term<'_, V, P> {
    /// The texts of the nodes from operands to root, each given to `name`, which may replace it by a shorter one.
    fn write(
        &self,
        style: fn(Kind<'_>, &[Piece]) -> Piece,
        variable: fn(&str) -> String,
        mut name: impl FnMut(usize, &Node<P::Operation>, Piece) -> Piece,
    ) -> String {
        let Some((arena, root)) = self.place() else {
            return self.as_literal().map(P::text).unwrap_or_default();
        };
        let mut pieces = Values::new();
        for (id, uses, node) in arena.reached(&[root]) {
            let mut operands = Vec::new();
            arena.read(|store| node.operands(&store.lists, |operand| operands.push(pieces.take(operand))));
            let piece = match node {
                Node::Variable(number) => Piece::new(ATOM, variable(&arena.variable_at(number).to_string())),
                Node::Literal(bits) => style(Kind::Literal(P::text(P::from_bits(bits))), &[]),
                Node::Plus(_) => style(Kind::Plus, &operands),
                Node::Times(_) => style(Kind::Times, &operands),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => {
                    style(Kind::Operation(&P::spelling(operation, arena)), &operands)
                }
            };
            pieces.put(id, name(uses, &node, piece), uses);
        }
        pieces.take(root).text
    }

    /// The text of the term in which shared operations, and long ones, have names, after the lines that say what the
    /// names stand for.
    fn write_named(
        &self,
        style: fn(Kind<'_>, &[Piece]) -> Piece,
        variable: fn(&str) -> String,
        name: impl Fn(&str, usize) -> String,
        line: impl Fn(&str, &str) -> String,
    ) -> (String, String) {
        let (mut lines, mut count, prefix) = (String::new(), 0, self.unused_prefix());
        let last = self.write(style, variable, |uses, node, piece| {
            let short = uses < 2 && piece.text.len() < LONGEST_LINE;
            if short || matches!(node, Node::Variable(_) | Node::Literal(_)) {
                return piece;
            }
            count += 1;
            let name = name(&prefix, count);
            lines.push_str(&line(&name, &piece.text));
            Piece::new(ATOM, name)
        });
        (lines, last)
    }

    /// Letters with which no variable of the term begins.
    fn unused_prefix(&self) -> String {
        let variables: Vec<String> = self.variables().iter().map(V::to_string).collect();
        let free = |prefix: &String| !variables.iter().any(|name| name.starts_with(prefix.as_str()));
        let single = "tsuvwpqrabcdfghklmnxyz".chars().map(String::from);
        let longer = (2..).map(|length| "t".repeat(length));
        single.chain(longer).find(free).expect("a long enough prefix is longer than any variable")
    }

    /// The number of operations if every shared part were written out, up to the largest `usize`.
    fn written_out(&self) -> usize {
        let Some((arena, root)) = self.place() else { return 1 };
        let mut sizes = vec![1_usize; root as usize + 1];
        for (id, _, node) in arena.reached(&[root]) {
            sizes[id] =
                arena.operands_of(&node).into_iter().map(|operand| sizes[operand]).fold(1, usize::saturating_add);
        }
        sizes[root as usize]
    }

    /// The term in LaTeX, with names `t_1, t_2, …` for shared parts where writing them out would be long. If a
    /// variable begins with `t`, they begin with another letter.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::Arena;
    /// let arena = Arena::<&str>::new();
    /// let x = arena.variable("x");
    /// assert_eq!((x.sin() / (x + 1.0)).to_latex(), r"\frac{\sin x}{x + 1}");
    /// ```
    #[must_use]
    pub fn to_latex(&self) -> String {
        if self.written_out() <= LONGEST_WRITTEN_OUT {
            return self.write(tex, tex_name, |_, _, piece| piece);
        }
        let name = |prefix: &str, n| format!("{prefix}_{{{n}}}");
        let (lines, last) = self.write_named(tex, tex_name, name, |name, text| format!("{name} &= {text} \\\\\n"));
        format!("\\begin{{aligned}}\n{lines}&\\phantom{{=}} {last}\n\\end{{aligned}}")
    }

    /// The term as a graph in the DOT language: a node per distinct part, an arrow from each operand.
    ///
    /// ```
    /// use catadiff::term::Arena;
    /// let arena = Arena::<&str>::new();
    /// let x = arena.variable("x");
    /// let square = (x * x).to_dot();
    /// assert!(square.contains("n1 [label = \"×\"]") && square.matches("n0 -> n1").count() == 2);
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        self.graph().to_dot()
    }

    /// The term as a picture in SVG: a box per distinct part, below its operands.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::Arena;
    /// let arena = Arena::<&str>::new();
    /// let x = arena.variable("x");
    /// let picture = (x * x + x.sin()).to_svg()?;
    /// assert!(picture.starts_with("<svg ") && picture.matches("<path class=\"edge\"").count() == 5);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if the term has more parts than a picture can
    /// [show](crate::draw::MOST_NODES).
    pub fn to_svg(&self) -> Result<String> {
        Ok(self.graph().drawing()?.to_svg())
    }

    /// The term as a graph.
    fn graph(&self) -> Graph {
        let (mut graph, frame) = Graph::new("term");
        let lines = |label: String| vec![Line::new(Tone::Name, label)];
        let Some((arena, root)) = self.place() else {
            graph.node(frame, Role::Step, lines(self.as_literal().map(P::text).unwrap_or_default()));
            return graph;
        };
        let mut nodes = FxHashMap::default();
        for (id, _, node) in arena.reached(&[root]) {
            let (role, label) = match node {
                Node::Variable(number) => (Role::Input, arena.variable_at(number).to_string()),
                Node::Literal(bits) => (Role::Step, P::text(P::from_bits(bits))),
                Node::Plus(_) => (Role::Step, "+".to_owned()),
                Node::Times(_) => (Role::Step, "×".to_owned()),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => {
                    let Spelling { name, parameter, .. } = P::spelling(operation, arena);
                    (Role::Step, parameter.map_or_else(|| name.to_owned(), |n| format!("{name} {n}")))
                }
            };
            let made = graph.node(frame, role, lines(label));
            nodes.insert(id, made);
            arena.operands_of(&node).into_iter().for_each(|operand| graph.edge((nodes[&operand], 0), made));
        }
        graph
    }
}

/// Infix notation; shared parts are named, `t1 = …;`, where writing them out would be long. If a variable begins with
/// `t`, the names begin with another letter.
///
/// Variables are printed as they are: to be [parsed](super::parse) again, they should be identifiers. A user's rule
/// with the name of a row prints as `user.name(…)`, which is no formula.
impl<V: Clone + Eq + Hash + Display, P: Written> Display for Term<'_, V, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.written_out() <= LONGEST_WRITTEN_OUT {
            return f.write_str(&self.write(infix, str::to_owned, |_, _, piece| piece));
        }
        let name = |prefix: &str, n| format!("{prefix}{n}");
        let line = |name: &str, text: &str| format!("{name} = {text};\n");
        let (lines, last) = self.write_named(infix, str::to_owned, name, line);
        write!(f, "{lines}{last}")
    }
}

impl<V> Arena<V, Smooth> {
    /// How a user's rule is written: as a call of its name.
    fn spell(&self, rule: u32) -> Spelling {
        Spelling { name: self.rule_name(rule), facts: Facts::UNKNOWN, parameter: None, custom: true }
    }
}

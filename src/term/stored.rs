//! Straight-line code as text: one operation a line, with the numbers of the lines of its operands.
//!
//! Law: what is read is what was written, to the last bit; a line that is none, names what is not there or refers to a
//! later one is refused, whatever it is ("Automatic Differentiation", *Source-to-source AD using Wengert*)
//! (laws: recordings::is_stored, laws: bad_input::of_recordings).
//!
//! ```text
//! line = "x" number                              a variable
//!      | "literal" real                          a constant of the function
//!      | "outside" real { real }                 a number that came into it, of the kind that the program is over
//!      | "plus" number number | "times" number number
//!      | row [ "[" parameter "]" ] { number }    a row of the table
//!      | "rule" { number } ":" name              a user's rule
//! ```

use core::fmt::Write;

use super::arena::{Id, Node};
use super::custom::{ErasedRule, MOST_ARGUMENTS};
use super::signature::{Signature, Smooth, SmoothOperation};
use super::straight::Straight;
use crate::error::{Error, Result};
use crate::primitives::{Primitive, Rule};

/// A number that text can hold without loss, so that recordings over it can be stored: `f32`, `f64`, and
/// [`Dual`](crate::carriers::Dual) numbers over these. All NaNs are one.
///
/// ```
/// use catadiff::carriers::Dual;
/// use catadiff::term::Storable;
/// let x = Dual { value: 0.1_f32, tangent: -0.0 };
/// let mut text = String::new();
/// x.write(&mut text);
/// assert_eq!((Dual::<f32>::kind().as_str(), text.as_str()), ("dual f32", "0.1 -0.0"));
/// let read = Dual::<f32>::read(&mut text.split(' ')).unwrap();
/// assert_eq!((read.value, read.tangent.to_bits()), (0.1, (-0.0_f32).to_bits()));
/// assert!(f32::read(&mut "1e39".split(' ')).is_none());
/// ```
pub trait Storable: Sized {
    /// What numbers of this type are called in the text, in words with spaces between them.
    fn kind() -> String;

    /// Writes the number, in words with spaces between them.
    fn write(&self, out: &mut String);

    /// Reads the number from as many words as it is written in; nothing, if they are those of no such number.
    fn read<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Self>;
}

macro_rules! storable_floats {
    ($($float:ident)+) => {$(
        impl Storable for $float {
            fn kind() -> String {
                stringify!($float).to_owned()
            }
            fn write(&self, out: &mut String) {
                // The shortest digits that are read as this number.
                write!(out, "{self:?}").expect("a string takes all text");
            }
            fn read<'t>(words: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
                let word = words.next()?;
                // Digits beyond the largest number are none; infinity has a word of its own.
                let exceeds = |number: &$float| number.is_infinite() && word.contains(|c: char| c.is_ascii_digit());
                word.parse().ok().filter(|number| !exceeds(number))
            }
        }
    )+};
}

storable_floats!(f32 f64);

/// Users' rules, known by their names and numbers of arguments: what a stored program may refer to.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::term::Rules;
///
/// #[derive(Clone)]
/// struct Cube;
/// impl Rule<1> for Cube {
///     fn name(&self) -> &'static str { "cube" }
///     fn value(&self, [x]: [f64; 1]) -> f64 { x * x * x }
///     fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S { S::constant(3.0) * x * x }
/// }
///
/// let program = record(|x| vec![Cube.of([x[0]]) + x[1]], &[1.0, 2.0])?;
/// let read: Recording = Recording::from_text(&program.to_text()?, &Rules::new().with(Cube))?;
/// assert_eq!(read.grad::<Reverse>(&[2.0, 0.0])?, [12.0, 1.0]);
/// assert!(Recording::<f64>::from_text(&program.to_text()?, &Rules::new()).is_err());
/// # use catadiff::Recording;
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Rules(Vec<ErasedRule>);

impl Rules {
    /// No rules.
    #[must_use]
    pub fn new() -> Self {
        Rules::default()
    }

    /// These rules and one more, which takes the place of one of its name and number of arguments.
    #[must_use]
    pub fn with<R: Rule<N>, const N: usize>(mut self, rule: R) -> Self {
        let rule = ErasedRule::new(&rule);
        self.0.retain(|known| (known.name(), known.arity()) != (rule.name(), rule.arity()));
        self.0.push(rule);
        self
    }

    fn find(&self, name: &str, arity: usize) -> Result<&ErasedRule> {
        self.0.iter().find(|rule| (rule.name(), rule.arity()) == (name, arity)).ok_or_else(|| Error::UnknownName {
            name: format!("{name} of {arity}"),
            known: self.0.iter().map(|rule| format!("{} of {}", rule.name(), rule.arity())).collect(),
        })
    }
}

impl Straight {
    /// Writes the operations, where variables from `inputs` on are the numbers `lifted`.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if two different rules have one name and number of arguments, or a name has a line break.
    pub(crate) fn write<S: Storable>(&self, inputs: usize, lifted: &[S], out: &mut String) -> Result<()> {
        for (k, rule) in self.rules.iter().enumerate() {
            let twice =
                self.rules[..k].iter().any(|other| (other.name(), other.arity()) == (rule.name(), rule.arity()));
            if twice || rule.name().contains(['\n', '\r']) || rule.name() != rule.name().trim() {
                return Err(Error::Mismatch {
                    what: format!("the rule `{}`", rule.name()),
                    expected: "one of its name, on one line".to_owned(),
                    found: (if twice { "two" } else { "a name that is not so" }).to_owned(),
                });
            }
        }
        let word =
            |out: &mut String, word: core::fmt::Arguments<'_>| out.write_fmt(word).expect("a string takes all text");
        for node in &self.nodes {
            match node {
                Node::Variable(number) => match (*number as usize).checked_sub(inputs) {
                    None => word(out, format_args!("x{number}")),
                    Some(at) => {
                        out.push_str("outside ");
                        lifted[at].write(out);
                    }
                },
                Node::Literal(bits) => {
                    out.push_str("literal ");
                    f64::from_bits(*bits).write(out);
                }
                Node::Plus(_) => out.push_str("plus"),
                Node::Times(_) => out.push_str("times"),
                Node::Apply(operation, ..) | Node::ApplyMany(operation, _) => match operation {
                    SmoothOperation::Custom(_) => out.push_str("rule"),
                    SmoothOperation::Primitive(row) => match row.parameter() {
                        None => out.push_str(row.name()),
                        Some(parameter) => word(out, format_args!("{}[{parameter}]", row.name())),
                    },
                },
            }
            node.operands(&self.lists, |operand| word(out, format_args!(" {operand}")));
            if let Node::Apply(SmoothOperation::Custom(rule), ..) | Node::ApplyMany(SmoothOperation::Custom(rule), _) =
                node
            {
                out.push_str(" : ");
                out.push_str(self.rules[*rule as usize].name());
            }
            out.push('\n');
        }
        Ok(())
    }

    /// Reads a line, and appends its operation.
    ///
    /// # Errors
    /// [`Error::Syntax`] for what is no line, [`Error::UnknownName`] for a row or a rule that is not there.
    pub(crate) fn read<S: Storable>(
        &mut self,
        line: &str,
        inputs: usize,
        lifted: &mut Vec<S>,
        rules: &Rules,
    ) -> Result<()> {
        let refused = |message: &str| Error::Syntax { message: message.into(), source: line.into(), offset: 0 };
        let (words, name) = match line.split_once(':') {
            Some((words, name)) => (words, Some(name.trim())),
            None => (line, None),
        };
        let mut words = words.split_whitespace();
        let head = words.next().ok_or_else(|| refused("expected an operation"))?;
        let rest: Vec<&str> = words.collect();
        fn number<S: Storable>(words: &[&str]) -> Option<S> {
            let mut words = words.iter().copied();
            S::read(&mut words).filter(|_| words.next().is_none())
        }
        let operands = || -> Result<Vec<Id>> {
            let operand = |word: &&str| word.parse::<Id>().ok().filter(|id| (*id as usize) < self.nodes.len());
            let operands: Option<Vec<Id>> = rest.iter().map(operand).collect();
            operands.ok_or_else(|| refused("expected the numbers of earlier lines"))
        };
        let two = || operands()?.try_into().map_err(|_| refused("expected two operands"));
        let node = match (head, name) {
            ("rule", Some(name)) => {
                let operands = operands()?;
                if operands.is_empty() || operands.len() > MOST_ARGUMENTS {
                    return Err(refused("a rule has one to eight operands"));
                }
                let rule = rules.find(name, operands.len())?;
                let known = self.rules.iter().position(|known| known.identity() == rule.identity());
                let number = known.unwrap_or(self.rules.len());
                if known.is_none() {
                    self.rules.push(rule.clone());
                }
                self.apply(SmoothOperation::Custom(number as u32), &operands)
            }
            (_, Some(_)) | ("rule", None) => return Err(refused("a rule, and it alone, has a name after a colon")),
            ("literal", None) => {
                Node::Literal(Smooth::bits(number(&rest).ok_or_else(|| refused("expected one real number"))?))
            }
            ("outside", None) => {
                lifted.push(number(&rest).ok_or_else(|| refused(&format!("expected one number of {}", S::kind())))?);
                Node::Variable((inputs + lifted.len() - 1) as Id)
            }
            ("plus", None) => Node::Plus(two()?),
            ("times", None) => Node::Times(two()?),
            _ => match head.strip_prefix('x').and_then(|number| number.parse::<Id>().ok()) {
                Some(number) if rest.is_empty() && (number as usize) < inputs => Node::Variable(number),
                Some(_) => return Err(refused("there is no variable of this number")),
                None => {
                    let row = row_of(head)?;
                    let operands = operands()?;
                    if operands.len() != row.arity() {
                        return Err(refused(&format!("`{}` has {} operands", row.name(), row.arity())));
                    }
                    self.apply(SmoothOperation::Primitive(row), &operands)
                }
            },
        };
        self.nodes.push(node);
        Ok(())
    }

    /// An operation on operands.
    pub(super) fn apply(&mut self, operation: SmoothOperation, operands: &[Id]) -> Node<SmoothOperation> {
        Node::apply(operation, operands, |many| {
            self.lists.push(many.into());
            self.lists.len() as u32 - 1
        })
    }

    /// The number of operations, constants and variables among them.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// The row of this name, with its parameter in brackets if it has one.
fn row_of(word: &str) -> Result<Primitive> {
    let (name, parameter) = match word.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']').and_then(|parameter| parameter.parse().ok())),
        None => (word, None),
    };
    Primitive::named(name, parameter).ok_or_else(|| Error::UnknownName {
        name: word.to_owned(),
        known: Primitive::ALL.iter().map(|row| row.name().to_owned()).collect(),
    })
}

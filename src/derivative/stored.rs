//! Recorded programs as text, to be stored and sent.
//!
//! Law: a program that is written and read is the program, in every mode, to the last bit; text that is none is
//! refused, whatever it is (laws: recordings::is_stored, tests/scalar/recordings.rs).
//!
//! ```text
//! catadiff recording 1 of f64  the form, and the numbers that the program is over
//! variables 2
//! x0                           line 0 of the operations: see src/term/stored.rs
//! x1
//! times 0 1
//! results 2
//! decision 0 < 1 true
//! ```

use core::cmp::Ordering;
use core::fmt::Write;

use super::recorded_code::RecordedCode;
use super::recording::Recording;
use super::strategy::Base;
use crate::carriers::{Comparison, Decision, Outcome};
use crate::error::{Error, Result};
use crate::term::{Rules, Storable, Straight};

/// How the first line begins: what the text is, and the number of its form. The kind of the numbers follows.
const HEAD: &str = "catadiff recording 1 of ";

/// No more variables than a tape takes.
const MOST_VARIABLES: usize = (1 << 31) - 1;

const TESTS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
    Comparison::Order,
];

const OUTCOMES: [Outcome; 6] = [
    Outcome::Answer(false),
    Outcome::Answer(true),
    Outcome::Order(None),
    Outcome::Order(Some(Ordering::Less)),
    Outcome::Order(Some(Ordering::Equal)),
    Outcome::Order(Some(Ordering::Greater)),
];

/// How a test is written: in one word.
fn word(test: Comparison) -> &'static str {
    if test == Comparison::Order { "compare" } else { test.sign() }
}

impl<S: Base + Storable> Recording<S> {
    /// The program as text, a line for each operation, over any numbers that text can hold: `f32`, `f64` and those of an
    /// outer differentiation, each of which it is then read as.
    ///
    /// ```
    /// use catadiff::Recording;
    /// use catadiff::prelude::*;
    /// use catadiff::term::Rules;
    /// let program = record(|x| vec![if x[0] < x[1] { x[0] * x[1] } else { x[0] }], &[1.0, 2.0])?;
    /// let text = program.to_text()?;
    /// assert_eq!(text, "catadiff recording 1 of f64\nvariables 2\nx0\nx1\ntimes 0 1\nresults 2\ndecision 0 < 1 true\n");
    /// let read: Recording = Recording::from_text(&text, &Rules::new())?;
    /// assert_eq!(read.grad::<Reverse>(&[2.0, 5.0])?, [5.0, 2.0]);
    /// assert!(read.run(&[5.0, 2.0]).is_err());
    /// assert!(Recording::<f32>::from_text(&text, &Rules::new()).is_err());
    ///
    /// let single = record(|x: &[_]| vec![x[0] * Symbolic::lift(0.1)], &[2.0_f32])?;
    /// let read: Recording<f32> = Recording::from_text(&single.to_text()?, &Rules::new())?;
    /// assert_eq!(read.grad::<Reverse>(&[5.0])?, [0.1_f32]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Mismatch`] if two different users' rules have one name and number of arguments, so that their names
    /// would not distinguish them, or a name has more than one line.
    pub fn to_text(&self) -> Result<String> {
        let RecordedCode { straight, inputs, outputs, lifted, decisions } = &self.recorded;
        let mut text = format!("{HEAD}{}\nvariables {inputs}\n", S::kind());
        straight.write(*inputs, lifted, &mut text)?;
        let mut line = |line: core::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string takes all text");
        let (results, sides) = straight.roots.split_at(*outputs);
        let results: Vec<String> = results.iter().map(u32::to_string).collect();
        line(format_args!("results {}", results.join(" ")));
        for (Decision { asked, outcome }, sides) in decisions.iter().zip(sides.chunks_exact(2)) {
            line(format_args!("decision {} {} {} {outcome}", sides[0], word(*asked), sides[1]));
        }
        Ok(text)
    }

    /// The program that a text is of, with users' rules by their names.
    ///
    /// # Errors
    /// [`Error::Syntax`] with the line, [`Error::Mismatch`] for a program over other numbers,
    /// [`Error::UnknownName`] for a rule that is not among `rules`, [`Error::Empty`] without variables or results, [`Error::TooLarge`] for more than 2³¹ − 1 variables.
    pub fn from_text(text: &str, rules: &Rules) -> Result<Self> {
        let refused =
            |line: &str, message: &str| Error::Syntax { message: message.into(), source: line.into(), offset: 0 };
        let mut lines = text.lines();
        let mut next = |expected| lines.next().ok_or_else(|| refused("", expected));
        let expected = format!("expected `{HEAD}{}`", S::kind());
        let line = next(&expected)?;
        let kind = line.strip_prefix(HEAD).ok_or_else(|| refused(line, &expected))?.trim();
        if kind != S::kind() {
            let numbers = |kind: &str| format!("over numbers of {kind}");
            let (expected, found) = (numbers(&S::kind()), numbers(kind));
            return Err(Error::Mismatch { what: "the recording".to_owned(), expected, found });
        }
        let line = next("expected `variables`")?;
        let inputs = line.strip_prefix("variables ").and_then(|count| count.trim().parse::<usize>().ok());
        let inputs = inputs.ok_or_else(|| refused(line, "expected `variables` and their number"))?;
        match inputs {
            0 => return Err(Error::Empty { what: "the list of variables" }),
            _ if inputs > MOST_VARIABLES => {
                return Err(Error::TooLarge { what: "the number of variables", limit: MOST_VARIABLES });
            }
            _ => {}
        }
        let (mut straight, mut lifted) = (Straight::default(), Vec::new());
        let results = loop {
            let line = next("expected `results`")?;
            match line.strip_prefix("results") {
                Some(results) => break (line, results),
                None => straight.read(line, inputs, &mut lifted, rules)?,
            }
        };
        let node = |word: &str| word.parse::<u32>().ok().filter(|id| (*id as usize) < straight.len());
        let (line, results) = results;
        let mut roots: Vec<u32> = (results.split_whitespace().map(node).collect::<Option<_>>())
            .ok_or_else(|| refused(line, "expected the numbers of operations"))?;
        let outputs = roots.len();
        if outputs == 0 {
            return Err(Error::Empty { what: "the list of results" });
        }
        let mut decisions = Vec::new();
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let decision = match words[..] {
                ["decision", a, test, b, outcome] => decision(test, outcome).zip(node(a).zip(node(b))),
                _ => None,
            };
            let (decision, (a, b)) =
                decision.ok_or_else(|| refused(line, "expected a decision, `decision 0 < 1 true`"))?;
            decisions.push(decision);
            roots.extend([a, b]);
        }
        straight.roots = roots;
        Ok(Recording::new(RecordedCode { straight, inputs, outputs, lifted, decisions }))
    }
}

/// As its text.
#[cfg(feature = "serde")]
impl<S: Base + Storable> serde::Serialize for Recording<S> {
    fn serialize<T: serde::Serializer>(&self, to: T) -> core::result::Result<T::Ok, T::Error> {
        to.serialize_str(&self.to_text().map_err(serde::ser::Error::custom)?)
    }
}

/// From its text. With users' rules, read the text as a `String`, and the program [`from_text`](Recording::from_text).
#[cfg(feature = "serde")]
impl<'de, S: Base + Storable> serde::Deserialize<'de> for Recording<S> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> core::result::Result<Self, D::Error> {
        Recording::from_text(&<String as serde::Deserialize>::deserialize(from)?, &Rules::new())
            .map_err(serde::de::Error::custom)
    }
}

/// A test and an outcome that it can have.
fn decision(test: &str, outcome: &str) -> Option<Decision<Comparison, Outcome>> {
    let asked = TESTS.into_iter().find(|known| word(*known) == test)?;
    let outcome = OUTCOMES.into_iter().find(|known| known.to_string() == outcome)?;
    (matches!(outcome, Outcome::Order(_)) == (asked == Comparison::Order)).then_some(Decision { asked, outcome })
}

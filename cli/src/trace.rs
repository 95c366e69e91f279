//! `trace`: the straight line that an entry point is at the values on standard input.
//!
//! Law: what is shown computes what the entry point computes wherever the decisions that stand above it come out as they did.

use std::fmt::Write as _;

use catadiff::futhark::core::{Entry, Program};
use catadiff::futhark::elaborate::{Elaborated, compile_entry};
use catadiff::futhark::source::{Message, Sources};
use catadiff::futhark::values::Array;
use catadiff::interpret::{Limits, Value};
use catadiff::tracing::{Keep, probe, trace};

use crate::answer::{Answer, Failure, RAN};
use crate::arguments::Arguments;
use crate::derivative::{WRAPPER, derived_and_named};
use crate::input::{parameters, point, stdin};
use crate::load::{Loaded, entry};

/// The steps of a run that is recorded, without an option for it.
const STEPS: u64 = 1_000_000;

/// An entry point or its derivative, as an array program.
pub(crate) struct Subject {
    pub(crate) sources: Sources,
    program: Program,
    entry: String,
    shown: String,
    pub(crate) names: Vec<String>,
    pub(crate) elaborated: Elaborated,
}

/// Values at which something is shown.
pub(crate) struct Point {
    arguments: Vec<Value<f64>>,
    adjoints: Option<Vec<Value<f64>>>,
    limits: Limits,
}

impl Subject {
    /// What the options ask for.
    pub(crate) fn asked(mut loaded: Loaded, arguments: &Arguments) -> Result<Self, Failure> {
        let found = loaded.entry(arguments)?;
        let (name, names) = (found.name.to_string(), parameters(found));
        let (program, called, shown, names) = match arguments.option("derivative") {
            Some(mode) => {
                let (program, names) = derived_and_named(mode, &mut loaded, &name, arguments.option("wrt"))?;
                (program, WRAPPER.to_owned(), format!("the {mode} of `{name}`"), names)
            }
            None => (loaded.program.clone(), name.clone(), format!("`{name}`"), names),
        };
        let elaborated = compile_entry(&program, &called);
        let elaborated = elaborated.map_err(|message| Failure::ran(&loaded.texts.sources, &message))?;
        Ok(Subject { sources: loaded.texts.sources, program, entry: called, shown, names, elaborated })
    }

    fn entry(&self) -> Result<&Entry, Failure> {
        entry(&self.program, Some(&self.entry))
    }

    /// Failures as the language tells them.
    pub(crate) fn ran(&self, message: &Message) -> Failure {
        Failure::ran(&self.sources, message)
    }

    /// The point that some text is, if a run there succeeds.
    pub(crate) fn at(&self, bytes: &[u8], source: &str, arguments: &Arguments) -> Result<Point, Failure> {
        let entry = self.entry()?;
        let steps = if arguments.has("steps") { arguments.limits()?.steps } else { STEPS };
        let limits = Limits { steps, ..arguments.limits()? };
        let (given, adjoints) = point(bytes, source, entry, &self.shown, &self.names)?;
        self.elaborated.run(&given, &limits).map_err(|message| self.ran(&message))?;
        let values = |arrays: &[Array]| self.elaborated.values(arrays).map_err(|message| self.ran(&message));
        let adjoints = adjoints.map(|adjoints| self.elaborated.adjoints(&adjoints));
        let adjoints = adjoints.transpose().map_err(|message| self.ran(&message))?;
        Ok(Point { arguments: values(&given)?, adjoints, limits })
    }
}

impl Point {
    /// The values as an array program takes them.
    #[cfg(feature = "gpu")]
    pub(crate) fn arguments(&self) -> &[Value<f64>] {
        &self.arguments
    }

    /// A program as a picture in which values and adjoints stand.
    pub(crate) fn picture(&self, program: &catadiff::array::Program, form: &str) -> Result<String, Failure> {
        let adjoints = self.adjoints.as_deref();
        let probed = probe(program, &self.arguments, adjoints, &Limits::default()).map_err(met)?;
        drawn(&probed.picture(), form)
    }
}

/// What a run meets.
fn met(error: catadiff::Error) -> Failure {
    Failure { output: Vec::new(), text: error.to_string(), code: RAN }
}

/// A picture as DOT or SVG.
pub(crate) fn drawn(picture: &catadiff::array::Picture<'_>, form: &str) -> Result<String, Failure> {
    if form == "dot" {
        return Ok(picture.to_dot());
    }
    picture.to_svg().map_err(|error| Failure::asked(format!("{error}; `--as dot` and `--as text` have no limit")))
}

/// What no picture of a plan is made for.
#[cfg(feature = "gpu")]
pub(crate) fn undrawn(error: catadiff::Error) -> Failure {
    Failure::asked(format!("{error}; `--as gpu` has no limit"))
}

/// See the table.
pub(crate) fn show_trace(arguments: &Arguments) -> Result<Answer, Failure> {
    let subject = Subject::asked(Loaded::file(arguments.file()?)?, arguments)?;
    let at = subject.at(&stdin()?, "standard input", arguments)?;
    let keep = if arguments.option("arrays") == Some("keep") { Keep::Arrays } else { Keep::Scalars };
    let traced = trace(&subject.elaborated.program, &at.arguments, keep, &at.limits).map_err(met)?;
    Ok(match arguments.option("as").unwrap_or("text") {
        "text" => {
            let mut text = String::new();
            for decision in traced.decisions() {
                let _ = writeln!(text, "// {}", decision.replace('\n', " "));
            }
            text + &traced.program().to_string()
        }
        "latex" => traced.program().to_latex(),
        "dot" | "svg" => at.picture(traced.program(), arguments.option("as").unwrap_or_default())?,
        other => return Err(Failure::asked(format!("a trace is shown as text, latex, dot or svg, not as {other}"))),
    }
    .into())
}

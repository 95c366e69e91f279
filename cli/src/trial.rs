//! A case carried out: by an executor, and where that costs little by the interpreter as well, which is the referee.
//!
//! Law: what passes has the expected results, and the interpreter has them too wherever it runs; what only the interpreter can run,
//! it runs alone.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use catadiff::futhark::core::Program;
use catadiff::futhark::source::Message;
use catadiff::futhark::testing::blocks::{Case, Draw, Input, Output, draw};
use catadiff::futhark::values::{Array, Data};
use catadiff::interpret::{Cancel, Limits};

use crate::cases::{Plan, Status, Suite, caught, expected};
use crate::compare::{OF_THE_LANGUAGE, difference};
use crate::engine::{Engine, Ran};
use crate::input::from_file;

/// The referee runs inputs of as many elements.
const ELEMENTS: usize = 1 << 14;
/// The referee takes as many steps: about a second.
const STEPS: u64 = 1_000_000;
/// As many elements are in the smaller input that the referee gets in the place of a large one.
const SMALLER: usize = 1 << 11;

/// A case of an entry point.
pub(crate) struct Trial<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) program: &'a Program,
    pub(crate) entry: &'a str,
    pub(crate) case: &'a Case,
    pub(crate) plan: &'a Plan,
}

/// What a run came to.
type Found = Result<Vec<Array>, Message>;

/// What it should have come to.
enum Wanted<'a> {
    Values(Vec<Array>),
    /// What the referee has.
    Auto,
    Error(&'a str),
    Anything,
}

impl Trial<'_> {
    /// How the case ends; `note` says how the executor had to be helped.
    pub(crate) fn status(&self, engine: &Result<Engine<'_>, Message>, note: &mut Option<String>) -> Status {
        let input = match self.suite.input(self.case, self.plan.seed, self.plan.limits) {
            Ok(input) => input,
            Err(text) => return Status::Failed(text),
        };
        let wanted = match &self.case.output {
            Output::Values(values) => Wanted::Values(values.clone()),
            Output::File(path) => match from_file(&self.suite.beside(path)) {
                Ok(values) => Wanted::Values(values),
                Err(text) => return Status::Failed(text),
            },
            Output::Auto => Wanted::Auto,
            Output::Error(pattern) => Wanted::Error(pattern),
            Output::Anything => Wanted::Anything,
        };
        let (found, compiled) = match engine {
            Ok(engine) => (self.ran(engine, &input, self.plan.limits), matches!(engine, Engine::Ready(_))),
            Err(message) => (Err(message.clone()), false),
        };
        let found = found.map(|ran| {
            *note = ran.note;
            ran.results
        });
        let status = self.judged(&found, &wanted, &input);
        if !compiled || matches!(status, Status::Failed(_)) {
            return status;
        }
        match (&wanted, self.plan.referee) {
            (_, true) => self.refereed(engine, &found, &wanted, &input, note).unwrap_or(status),
            (Wanted::Auto, false) => {
                let interpreter = Engine::Interpreter(self.program, self.entry.to_owned());
                self.agreed(&found, &self.ran(&interpreter, &input, self.plan.limits).map(|ran| ran.results), &input)
            }
            _ => status,
        }
    }

    /// What a run comes to, in the time that a case may take.
    fn ran(&self, engine: &Engine<'_>, input: &[Array], limits: Limits) -> Result<Ran, Message> {
        let Some(time) = self.plan.time else { return caught(|| engine.run(input, limits)) };
        let cancel = Cancel::new();
        let found = within(time, &cancel, || caught(|| engine.run_until(input, limits, &cancel)));
        found.map_err(|message| match cancel.is_cancelled() {
            true => {
                let text = format!("stopped after {} s, the most that a case may take", time.as_secs_f64());
                Message::error("limit", message.span, text).hint("`--time S` allows more")
            }
            false => message,
        })
    }

    /// Whether what was found is what was wanted.
    fn judged(&self, found: &Found, wanted: &Wanted<'_>, input: &[Array]) -> Status {
        match (found, wanted) {
            (Err(message), Wanted::Error(_)) if message.text.starts_with("stopped after") => self.fault(message, input),
            (Err(message), Wanted::Error(pattern)) => {
                expected(pattern, &self.suite.sources.show_placed(message), self.plan.words)
            }
            (Err(message), _) => self.fault(message, input),
            (Ok(found), Wanted::Error(pattern)) => {
                Status::Failed(format!("expected an error like `{pattern}`, found {}", brief(found)))
            }
            (Ok(found), Wanted::Values(wanted)) => self.compared(found, wanted),
            (Ok(_), Wanted::Auto | Wanted::Anything) => Status::Passed,
        }
    }

    fn compared(&self, found: &[Array], wanted: &[Array]) -> Status {
        match difference(found, wanted, self.plan.tolerance) {
            None => Status::Passed,
            Some(what) if self.plan.lenient && difference(found, wanted, OF_THE_LANGUAGE).is_none() => {
                Status::Near(what)
            }
            Some(what) => Status::Failed(what),
        }
    }

    fn fault(&self, message: &Message, input: &[Array]) -> Status {
        let input: String = input.iter().map(|value| format!(" {}", value.type_name())).collect();
        Status::Failed(self.suite.sources.show_placed(message) + &format!("  for input of types{input}\n"))
    }

    /// Whether the results of an executor are those of the interpreter.
    fn agreed(&self, found: &Found, own: &Found, input: &[Array]) -> Status {
        match (found, own) {
            (Ok(found), Ok(own)) => self.compared(found, own),
            (Err(_), Err(_)) => Status::Passed,
            (Err(message), Ok(_)) | (Ok(_), Err(message)) => self.fault(message, input),
        }
    }

    /// What the referee says against results that seem right; nothing if it agrees, or was not asked.
    fn refereed(
        &self,
        engine: &Result<Engine<'_>, Message>,
        found: &Found,
        wanted: &Wanted<'_>,
        input: &[Array],
        note: &mut Option<String>,
    ) -> Option<Status> {
        let against = |status: Status, of: &str| match status {
            Status::Failed(text) => Some(Status::Failed(format!("the interpreter has another result{of}: {text}"))),
            Status::Passed | Status::Near(_) | Status::Skipped(_) => None,
        };
        match (self.interpreted(input), wanted) {
            (Some(own), Wanted::Auto | Wanted::Anything) => return against(self.agreed(found, &own, input), ""),
            (Some(own), Wanted::Values(_) | Wanted::Error(_)) => return against(self.judged(&own, wanted, input), ""),
            (None, Wanted::Auto) => {}
            (None, Wanted::Values(_) | Wanted::Error(_) | Wanted::Anything) => return None,
        }
        let smaller = self.smaller();
        let own = smaller.as_ref().and_then(|input| self.interpreted(input));
        if let (Some(input), Some(own), Ok(engine)) = (smaller, own, engine) {
            let found = self.ran(engine, &input, self.plan.limits).map(|ran| ran.results);
            let sizes: String = input.iter().map(|value| format!(" {}", value.type_name())).collect();
            // Sizes that have to be a product, say, are none that can be made smaller.
            if found.is_ok() || own.is_ok() {
                return against(self.agreed(&found, &own, &input), &format!(" for{sizes}"));
            }
        }
        note.get_or_insert_with(|| "not compared, because the interpreter would take long".into());
        None
    }

    /// What the interpreter comes to, if it is fast enough.
    fn interpreted(&self, input: &[Array]) -> Option<Found> {
        if input.iter().map(|value| value.data.len()).sum::<usize>() > ELEMENTS {
            return None;
        }
        let limits = Limits { steps: self.plan.limits.steps.min(STEPS), ..self.plan.limits };
        let interpreter = Engine::Interpreter(self.program, self.entry.to_owned());
        match self.ran(&interpreter, input, limits) {
            Err(message) if message.code == "limit" => None,
            found => Some(found.map(|ran| ran.results)),
        }
    }

    /// A random input that is so small that the referee can be asked, with sizes in the same proportions.
    fn smaller(&self) -> Option<Vec<Array>> {
        let Input::Random(draws) = &self.case.input else { return None };
        let mut shift = 1;
        loop {
            let smaller = |size: usize| if size > 3 { (size >> shift).max(2) } else { size };
            let count = |draw: &Draw| match draw {
                Draw::Type(shape, ..) => shape.iter().map(|size| smaller(*size)).product(),
                Draw::Value(value) => value.data.len(),
            };
            if draws.iter().map(count).sum::<usize>() <= SMALLER {
                let draws: Vec<Draw> = draws.iter().map(|draw| shrunk(draw, draws, &smaller)).collect();
                return draw(&draws, self.plan.seed).ok();
            }
            shift += 1;
            if shift == usize::BITS {
                return None;
            }
        }
    }
}

/// With smaller sizes; a number that is one of the sizes is one of the smaller.
fn shrunk(it: &Draw, all: &[Draw], smaller: &dyn Fn(usize) -> usize) -> Draw {
    let is_size = |n: usize| all.iter().any(|draw| matches!(draw, Draw::Type(shape, ..) if shape.contains(&n)));
    match it {
        Draw::Type(shape, kind, at) => Draw::Type(shape.iter().map(|size| smaller(*size)).collect(), *kind, *at),
        Draw::Value(value) => {
            let mut value = value.clone();
            if let (true, Data::I64(numbers)) = (value.shape.is_empty(), &mut value.data) {
                for n in numbers {
                    let size = usize::try_from(*n).ok().filter(|n| is_size(*n));
                    *n = size.map_or(*n, |size| smaller(size) as i64);
                }
            }
            Draw::Value(value)
        }
    }
}

/// Runs this, and wishes that it ends when the time is over.
fn within<T>(time: Duration, cancel: &Cancel, run: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                cancel.cancel();
            }
        });
        let found = run();
        drop(done);
        found
    })
}

/// Results on a line that is not too long.
fn brief(values: &[Array]) -> String {
    let show = |value: &Array| if value.data.len() <= 8 { value.to_string() } else { value.type_name() };
    values.iter().map(show).collect::<Vec<_>>().join(" ")
}

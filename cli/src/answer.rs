//! What a command comes to: an answer, or whose mistake it was.
//!
//! Law: the exit code says which of them it is, and nothing else does.

use std::io::Write;

use catadiff::futhark::source::{Message, Sources};

/// Exit code: a test failed.
pub(crate) const FAILED: u8 = 1;
/// Exit code: what was asked cannot be answered, by anything it was asked of.
pub(crate) const ASKED: u8 = 2;
/// Exit code: a program met an error while it ran.
pub(crate) const RAN: u8 = 3;

/// What goes to standard output.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) output: Vec<u8>,
    pub(crate) code: u8,
}

/// What goes to standard error, behind what was found until then.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) output: Vec<u8>,
    pub(crate) text: String,
    pub(crate) code: u8,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Answer { output: text.into_bytes(), code: 0 }
    }
}

impl Failure {
    /// A mistake in what was asked.
    pub(crate) fn asked(text: impl Into<String>) -> Self {
        Failure { output: Vec::new(), text: text.into(), code: ASKED }
    }

    /// A text that is no program, or no values.
    pub(crate) fn refused(sources: &Sources, messages: &[Message]) -> Self {
        Failure::asked(sources.show_all(messages))
    }

    /// What a program met while it ran.
    pub(crate) fn ran(sources: &Sources, message: &Message) -> Self {
        // What is wrong with the call is no mistake of the program.
        let code = if matches!(message.code, "entry" | "arguments") { ASKED } else { RAN };
        let mut message = message.clone();
        if let Some(option) = raises(&message) {
            let also = message.hint.map_or_else(String::new, |hint| format!("{hint}; "));
            message.hint = Some(format!("{also}`{option} N` allows more"));
        }
        Failure { output: Vec::new(), text: sources.show_placed(&message), code }
    }
}

/// The option that raises the limit which a message is about.
fn raises(message: &Message) -> Option<&'static str> {
    let is_about = |what: &str| message.code == "limit" && message.text.contains(what);
    if is_about("more than the limit of") && is_about("steps") {
        Some("--steps")
    } else if is_about("elements") {
        Some("--memory")
    } else {
        None
    }
}

/// Says something on standard error. A reader that is gone is no mistake.
pub(crate) fn tell(text: &str) {
    #[cfg(feature = "mpi")]
    if crate::ranks::is_quiet() {
        return;
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
}

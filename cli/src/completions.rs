//! Completions for shells, written by clap from the table.
//!
//! Law: what is offered is accepted.

use clap::ValueEnum;
use clap_complete::Shell;

use crate::answer::{Answer, Failure};
use crate::arguments::Arguments;
use crate::table::parser;

/// See the table.
pub(crate) fn completions(arguments: &Arguments) -> Result<Answer, Failure> {
    let shells = Shell::value_variants();
    let known = || shells.iter().map(Shell::to_string).collect::<Vec<_>>().join(", ");
    let [name] = &arguments.files[..] else {
        return Err(Failure::asked(format!("name one shell: {}", known())));
    };
    let Some(shell) = shells.iter().find(|shell| shell.to_string() == *name) else {
        return Err(Failure::asked(format!("there are completions for {}, not for `{name}`", known())));
    };
    let mut output = Vec::new();
    clap_complete::generate(*shell, &mut parser(), "catadiff", &mut output);
    Ok(Answer { output, code: 0 })
}

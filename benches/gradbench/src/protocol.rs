//! The benchmark's protocol: messages and replies, each a line of JSON.
//!
//! Law: every line that is not blank has one reply, with the `id` of its message; what is wrong with a message is in its
//! reply, and the next one is answered all the same.

use std::io::{self, BufRead, Write};

use catadiff::Result;
use serde_json::{Value as Json, json};

use crate::measure::{Outcome, Timing, Tool};
use crate::{Written, function, missing};

/// Replies to messages until there are no more.
///
/// # Errors
/// If reading or writing fails.
pub fn serve(tool: &mut Tool, mut messages: impl BufRead, mut replies: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while messages.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty() {
            serde_json::to_writer(&mut replies, &reply(tool, core::mem::take(&mut line)))?;
            replies.write_all(b"\n")?;
            replies.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn reply(tool: &mut Tool, line: Vec<u8>) -> Written {
    let message = serde_json::from_slice::<Json>(&line);
    drop(line);
    let (id, answer) = match message {
        Ok(message) => (message["id"].clone(), answer(tool, message).map_err(|e| e.to_string())),
        Err(error) => (Json::Null, Err(format!("this line is not JSON: {error}"))),
    };
    let failed = |error| vec![("success", Json::from(false).into()), ("error", Json::from(error).into())];
    let mut fields = answer.unwrap_or_else(failed);
    fields.push(("id", id.into()));
    Written::Fields(fields)
}

/// What is answered to a message, besides its `id`.
fn answer(tool: &mut Tool, mut message: Json) -> Result<Vec<(&'static str, Written)>> {
    if !message.is_object() {
        return Err(missing("message", "an object with `id` and `kind`", &message));
    }
    if message["id"].is_null() {
        return Err(missing("id", "the number of the message", &message["id"]));
    }
    Ok(match text(&message, "kind")? {
        "start" => vec![
            ("tool", Json::from("catadiff").into()),
            ("config", json!({ "version": env!("CARGO_PKG_VERSION") }).into()),
        ],
        "define" => {
            let timing = tool.define(text(&message, "module")?)?.to_json();
            vec![("success", Json::from(true).into()), ("timings", json!([timing]).into())]
        }
        "evaluate" => {
            let function = function(text(&message, "module")?, text(&message, "function")?)?;
            let input = message.get_mut("input").ok_or_else(|| missing("input", "an input", &Json::Null))?.take();
            let Outcome { output, timings } = tool.evaluate(function, input)?;
            let timings: Vec<Json> = timings.into_iter().map(Timing::to_json).collect();
            vec![("success", Json::from(true).into()), ("output", output), ("timings", Json::from(timings).into())]
        }
        "analysis" => Vec::new(),
        _ => return Err(missing("kind", "`start`, `define`, `evaluate` or `analysis`", &message["kind"])),
    })
}

fn text<'m>(message: &'m Json, name: &str) -> Result<&'m str> {
    message[name].as_str().ok_or_else(|| missing(name, "a text", &message[name]))
}

//! `show`: what a program is, and what an entry point becomes.
//!
//! Law: the array program that is shown is the one that runs; of those that passes leave, the last one.

use catadiff::array::Program;
#[cfg(feature = "gpu")]
use catadiff::execute::gpu;

use crate::answer::{Answer, Failure};
use crate::arguments::Arguments;
use crate::input::stdin;
use crate::load::Loaded;
#[cfg(feature = "gpu")]
use crate::trace::{Point, undrawn};
use crate::trace::{Subject, drawn};

/// See the table.
pub(crate) fn show(arguments: &Arguments) -> Result<Answer, Failure> {
    let loaded = Loaded::file(arguments.file()?)?;
    let form = arguments.option("as").unwrap_or("text");
    if arguments.has("at") && !matches!(form, "dot" | "svg" | "gpu-svg") {
        return Err(Failure::asked("`--at` writes values into a picture: add `--as svg` or `--as dot`"));
    }
    if arguments.has("dump") && !matches!(form, "text" | "kernel") {
        return Err(Failure::asked(
            "`--dump` shows programs as text, pass after pass: leave `--as` out, or use `--as kernel`",
        ));
    }
    #[cfg(feature = "native")]
    if matches!(form, "c" | "h") {
        return crate::emit::emit(arguments);
    }
    if arguments.has("sizes") && form != "text" {
        return Err(Failure::asked("`--sizes` writes sizes into types as text: leave `--as` out"));
    }
    let text = |program: &Program| match arguments.has("sizes") {
        true => program.with_sizes().to_string(),
        false => program.to_string(),
    };
    if form == "tree" {
        return Ok(loaded.tree.to_string().into());
    }
    let subject = Subject::asked(loaded, arguments)?;
    let program = &subject.elaborated.program;
    let at = |text: &str| match text {
        "-" => subject.at(&stdin()?, "standard input", arguments),
        text => subject.at(text.as_bytes(), "`--at`", arguments),
    };
    let point = arguments.option("at").map(at).transpose()?;
    Ok(match (form, point) {
        ("kernel", _) => {
            let dumps = arguments.has("dump");
            let (sources, elaborated) = (subject.sources, subject.elaborated);
            let ready = elaborated.compile().map_err(|message| Failure::ran(&sources, &message))?;
            match dumps {
                true => ready
                    .explained_passes()
                    .into_iter()
                    .map(|(name, text)| dumped(name, text.lines().count(), &text))
                    .collect(),
                false => ready.explain().trim_end().to_owned() + "\n",
            }
        }
        #[cfg(feature = "gpu")]
        ("gpu", _) => gpu::plan(program).map_err(|unsupported| Failure::asked(unsupported.to_string()))?,
        #[cfg(feature = "gpu")]
        ("gpu-svg", point) => {
            let picture = gpu::picture(program, point.as_ref().map(Point::arguments)).map_err(undrawn)?;
            picture.map_err(|unsupported| Failure::asked(unsupported.to_string()))?.to_svg()
        }
        #[cfg(feature = "gpu")]
        ("wgsl", _) => {
            let kernels = gpu::kernels(program).map_err(|unsupported| Failure::asked(unsupported.to_string()))?;
            kernels.join("\n")
        }
        ("text", _) if arguments.has("dump") => {
            let passes = subject.elaborated.passes();
            passes.iter().map(|(name, program)| dumped(name, program.statements(), &text(program))).collect()
        }
        ("latex", _) => program.to_latex(),
        ("dot" | "svg", None) => drawn(&program.picture(), form)?,
        ("dot" | "svg", Some(point)) => point.picture(program, form)?,
        _ => text(program),
    }
    .into())
}

/// What a pass has left.
fn dumped(name: &str, statements: usize, text: &str) -> String {
    format!("-- {name}: {statements} statements\n{}\n\n", text.trim_end())
}

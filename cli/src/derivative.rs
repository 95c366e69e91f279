//! `grad`, `jvp`, `vjp`: derivatives of an entry point, by a wrapper that is written in the language itself.
//!
//! Law: a derivative is what the language says it is, under every executor; here is only what is differentiated, and by
//! which parameters (cli/tests/commands/derivatives.rs).

use std::collections::HashSet;
use std::fmt::Write as _;

use catadiff::futhark::core::{Entry, Local, Program, Type};
use catadiff::futhark::elaborate::compile_entry;
use catadiff::futhark::meaning::interface;
use catadiff::futhark::source::Name;

use crate::answer::{Answer, Failure, tell};
use crate::arguments::Arguments;
use crate::carrier::{Active, Carrier};
use crate::engine::Executor;
use crate::input::{Given, given, parameter, parameters, written};
use crate::load::{Loaded, entry};

/// The name of the wrapper.
pub(crate) const WRAPPER: &str = "catadiff_derivative";

/// See the table.
pub(crate) fn differentiate(mode: &str, arguments: &Arguments) -> Result<Answer, Failure> {
    let executor = Executor::asked(arguments, Executor::Interpreter)?;
    let (carrier, limits) = (Carrier::asked(arguments, mode)?, arguments.limits()?);
    let mut loaded = Loaded::file(arguments.file()?)?;
    let program = derived(mode, &mut loaded, arguments.option("entry"), arguments.option("wrt"))?;
    let sources = &loaded.texts.sources;
    tell(&sources.show_all(&loaded.warnings));
    let primal = loaded.entry(arguments)?;
    let active = active(&loaded.program, primal, arguments.option("wrt"))?;
    let names = names(mode, primal, &active);
    let name = format!("the {mode} of `{}`", primal.name);
    let Given { values, split } = given(arguments, primal, entry(&program, Some(WRAPPER))?, &name, &names)?;
    let ran = |message| Failure::ran(sources, &message);
    if let Some(carrier) = carrier.filter(|carrier| !carrier.differentiates()) {
        let elaborated = compile_entry(&program, WRAPPER).map_err(ran)?;
        return Ok(carrier.answer(&elaborated, &values, arguments)?.map_err(ran)?.into());
    }
    if carrier.is_some() {
        let elaborated = compile_entry(&loaded.program, &primal.name).map_err(ran)?;
        let leaves = primal.params.iter().enumerate();
        let leaves =
            leaves.flat_map(|(at, (_, of))| vec![active.contains(&at); interface(of).len()]).collect::<Vec<_>>();
        let (given, more) = values.split_at(leaves.len().min(values.len()));
        let numbers = Active { elaborated: &elaborated, given, leaves, limits };
        let results = match mode {
            "jvp" => numbers.along(more)?,
            "vjp" => numbers.back(Some(more))?,
            _ => numbers.back(None)?,
        };
        return Ok(Answer { output: written(&results, arguments.has("binary")), code: 0 });
    }
    let ran = executor.ready_on(&program, WRAPPER, &split).and_then(|engine| engine.run(&values, limits));
    Ok(ran.map_err(|message| Failure::ran(sources, &message))?.answer(arguments))
}

/// What the parameters of a derivative are called.
fn names(mode: &str, primal: &Entry, active: &[usize]) -> Vec<String> {
    let mut names = parameters(primal);
    match mode {
        "jvp" => names.extend(active.iter().map(|&at| format!("the direction of `{}`", primal.params[at].0))),
        "vjp" => names.push("the adjoint of the result".into()),
        _ => {}
    }
    names
}

/// The program with the derivative of an entry point as one more, by some parameters; and what its parameters are called.
pub(crate) fn derived_and_named(
    mode: &str,
    loaded: &mut Loaded,
    name: &str,
    wrt: Option<&str>,
) -> Result<(Program, Vec<String>), Failure> {
    let program = derived(mode, loaded, Some(name), wrt)?;
    let primal = entry(&loaded.program, Some(name))?;
    let active = active(&loaded.program, primal, wrt)?;
    Ok((program, names(mode, primal, &active)))
}

/// The program with the derivative of an entry point as one more, by some parameters.
pub(crate) fn derived(
    mode: &str,
    loaded: &mut Loaded,
    name: Option<&str>,
    wrt: Option<&str>,
) -> Result<Program, Failure> {
    let found = entry(&loaded.program, name)?;
    let active = active(&loaded.program, found, wrt)?;
    let text = wrapper(mode, &loaded.program, found, &active)?;
    let title = format!("({mode} of {})", found.name);
    loaded.extended(&title, &text).map_err(|messages| Failure::refused(&loaded.texts.sources, &messages))
}

/// The parameters to differentiate by.
fn active(program: &Program, entry: &Entry, wrt: Option<&str>) -> Result<Vec<usize>, Failure> {
    let real = |of: &Type| interface(of).iter().any(|(kind, _)| kind.is_real());
    if let Some(names) = wrt {
        let places = names.split(',').map(|name| parameter(entry, name.trim()));
        let places: Vec<usize> = places.collect::<Result<_, _>>()?;
        return match places.iter().enumerate().find(|(at, place)| places[..*at].contains(place)) {
            Some((_, twice)) => {
                Err(Failure::asked(format!("`--wrt` names the parameter `{}` twice", entry.params[*twice].0)))
            }
            None => Ok(places),
        };
    }
    let all: Vec<usize> = (0..entry.params.len()).filter(|&at| real(&entry.params[at].1)).collect();
    if all.is_empty() {
        let takes: Vec<String> = entry.params.iter().map(|(_, of)| program.show(of)).collect();
        let takes = if takes.is_empty() { "nothing".into() } else { takes.join(", ") };
        let hint = "name parameters with `--wrt` to differentiate by others";
        return Err(Failure::asked(format!("`{}` takes no real numbers, but {takes}; {hint}", entry.name)));
    }
    Ok(all)
}

/// The derivative as a text: parameters that are not differentiated by are constants of the function.
fn wrapper(mode: &str, program: &Program, entry: &Entry, active: &[usize]) -> Result<String, Failure> {
    let scheme = &program.definition(entry.definition).expect("an entry is a definition").scheme;
    // Names with more underscores in a row than that of the entry point, which is all that is mentioned besides.
    let gap = (1..).map(|n| "_".repeat(n)).find(|gap| !entry.name.contains(gap)).expect("names end");
    let mut names = program.locals.clone();
    let mut sizes = Vec::new();
    let mut give = |local: Local, name: String| {
        if let Some(old) = names.get_mut(local.0 as usize) {
            *old = Name::from(name.clone());
        }
        name
    };
    // A module may hide the names of constants: a parameter with one as a size has the type that the entry point takes.
    let constants: HashSet<Local> = program.definitions.iter().filter_map(|defined| defined.size).collect();
    let is_written = |of: &&Type| of.locals().iter().all(|local| !constants.contains(local));
    // A size of the result that no argument tells is compared with that of its adjoint; its tangent has it anyhow.
    let compared = (mode != "jvp").then_some(&entry.result);
    let types = entry.params.iter().map(|(_, of)| of).filter(is_written).chain(compared);
    let mut mentioned: Vec<Local> = types.flat_map(Type::locals).collect();
    mentioned.sort_unstable();
    mentioned.dedup();
    let values = stand_ins(&scheme.body, entry.params.len());
    for local in mentioned {
        match values.iter().position(|value| *value == Some(local)) {
            Some(at) => drop(give(local, format!("x{gap}{at}"))),
            None => sizes.push(give(local, format!("n{gap}{}", sizes.len()))),
        }
    }
    let named = Program { locals: names, ..Program::default() };
    let mut text = format!("entry {WRAPPER}");
    sizes.iter().for_each(|size| {
        let _ = write!(text, " [{size}]");
    });
    let typed = |name: String, of: &Type| match is_written(&of) {
        true => format!(" ({name}: {})", named.show(of)),
        false => format!(" {name}"),
    };
    for (at, (_, of)) in entry.params.iter().enumerate() {
        text += &typed(format!("x{gap}{at}"), of);
    }
    let result = named.show(&entry.result);
    let tuple = |letter: &str| {
        let parts: Vec<String> = active.iter().map(|at| format!("{letter}{gap}{at}")).collect();
        if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) }
    };
    // It may consume its arguments, which belong to the wrapper's caller.
    let argument = |at| format!(" (intrinsics.manifest {}{gap}{at})", if active.contains(&at) { "y" } else { "x" });
    let call: String = (0..entry.params.len()).map(argument).collect();
    let at = compared.map_or_else(String::new, |_| format!(" :> {result}"));
    let function = format!("(\\{} -> {}{call}{at})", tuple("y"), entry.name);
    let point = tuple("x");
    match mode {
        "grad" => {
            if !matches!(entry.result, Type::Prim(prim) if prim.is_real()) {
                let hint = "`jvp` and `vjp` take any result";
                return Err(Failure::asked(format!(
                    "the result of `{}` is of type {}, and `grad` wants one real number; {hint}",
                    entry.name,
                    program.show(&entry.result)
                )));
            }
            let _ = writeln!(text, " = (intrinsics.vjp2 {function} {point} 1).1");
        }
        "jvp" => {
            for &at in active {
                text += &typed(format!("d{gap}{at}"), &entry.params[at].1);
            }
            let _ = writeln!(text, " = intrinsics.jvp2 {function} {point} {}", tuple("d"));
        }
        _ => {
            let adjoint = if *entry.name == *"adjoint" { "adjoint_" } else { "adjoint" };
            let _ = writeln!(text, " ({adjoint}: {result}) = intrinsics.vjp2 {function} {point} {adjoint}");
        }
    }
    Ok(text)
}

/// For each parameter the variable that stands for it in types behind it.
fn stand_ins(of: &Type, count: usize) -> Vec<Option<Local>> {
    let mut found = Vec::new();
    let mut of = of;
    while let Type::Function(function) = of {
        if found.len() == count {
            break;
        }
        found.push(function.name);
        of = &function.result;
    }
    found
}

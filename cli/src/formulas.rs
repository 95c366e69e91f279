//! The commands on formulas: values and derivatives, under every strategy.
//!
//! Law: every strategy has the value of the formula; a name without a value, and a value without a name, is a mistake.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use catadiff::carriers::{Counted, Counter};
use catadiff::prelude::*;
use catadiff::term::{Arena, Line, Listing, Term, parse};
use catadiff::typenum::U8;
use catadiff::{Error, Result};

use crate::answer::{Answer, Failure};

/// The commands on formulas.
pub(crate) fn answer(arguments: &[&str]) -> std::result::Result<Answer, Failure> {
    let text = match arguments {
        ["grad", formula, point @ ..] => grad_at(formula, point),
        ["derive", formula, names @ ..] => derive(formula, names),
        ["show", formula, options @ ..] => show(formula, options),
        ["functions"] => Ok(functions()),
        ["functions", more, ..] => Err(format!("`functions` takes no arguments, and `{more}` is one")),
        _ => Err("a formula is missing; try `catadiff help`".into()),
    };
    text.map(Answer::from).map_err(Failure::asked)
}

/// The point `NAME=VALUE ...` in the order given.
fn read_point<'t>(arguments: &[&'t str]) -> std::result::Result<(Vec<&'t str>, Vec<f64>), String> {
    let (mut names, mut values, mut known) = (Vec::new(), Vec::new(), HashSet::new());
    for argument in arguments {
        let Some((name, value)) = argument.split_once('=') else {
            return Err(format!("`{argument}` is not of the form NAME=VALUE"));
        };
        let name = name.trim();
        must_be_variable(name)?;
        let value: f64 = value
            .trim()
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("the value of `{name}` is `{value}`, which is not a finite number"))?;
        if !known.insert(name) {
            return Err(format!("`{name}` has two values"));
        }
        names.push(name);
        values.push(value);
    }
    Ok((names, values))
}

/// A name is a variable if as a formula it is one: `pi` is a constant, and `2x` is no name.
fn must_be_variable(name: &str) -> std::result::Result<(), String> {
    let arena = Arena::new();
    match parse(&arena, name) {
        Ok(term) if term.as_variable().as_deref() == Some(name) => Ok(()),
        Ok(term) if term.as_literal().is_some() => Err(format!("`{name}` is a constant, not a name for a variable")),
        _ => Err(format!("`{name}` is not a name: names are letters, digits and `_`, and begin with no digit")),
    }
}

/// Whether all names occur in the formula.
fn must_occur(names: &[&str], variables: &[String]) -> std::result::Result<(), String> {
    let known: HashSet<&str> = variables.iter().map(String::as_str).collect();
    match names.iter().find(|name| !known.contains(*name)) {
        Some(name) if variables.is_empty() => Err(format!("the formula does not use `{name}`: it uses no names")),
        Some(name) => {
            let shown: Vec<&str> = variables.iter().take(20).map(String::as_str).collect();
            let more = if variables.len() > shown.len() { ", …" } else { "" };
            Err(format!("the formula does not use `{name}`: its names are {}{more}", shown.join(", ")))
        }
        None => Ok(()),
    }
}

fn unknown(name: &str, known: Vec<String>) -> Error {
    Error::UnknownName { name: name.to_owned(), known }
}

fn explained(error: Error) -> String {
    let hint = match &error {
        Error::UnknownName { name, .. } if name == "e" => "\n  Euler's number is exp(1)",
        _ => "",
    };
    format!("{error}{hint}")
}

fn grad_at(formula: &str, point: &[&str]) -> std::result::Result<String, String> {
    let (names, values) = read_point(point)?;
    let arena = Arena::new();
    let term = parse(&arena, formula).map_err(explained)?;
    let variables = term.variables();
    let known: HashSet<&str> = names.iter().copied().collect();
    if let Some(name) = variables.iter().find(|name| !known.contains(name.as_str())) {
        return Err(explained(unknown(name, names.iter().map(|&name| name.to_owned()).collect())));
    }
    must_occur(&names, &variables)?;
    gradient_report(&term, &names, &values).map_err(explained)
}

/// A row of the report: a strategy, what it found, and what it cost.
struct Row {
    strategy: &'static str,
    value: f64,
    gradient: Vec<f64>,
    counts: [u64; 3],
}

/// Runs a strategy over numbers that count.
fn run<A>(strategy: &'static str, term: &Term<'_, usize>, x: &[f64]) -> Result<Row>
where
    A: for<'c> Strategy<Counted<'c, f64>>,
{
    let counter = Counter::new();
    let point: Vec<_> = x.iter().map(|x| counter.number(*x)).collect();
    let (value, gradient) = A::value_and_grad(|x| term.eval(|place| x[*place]), &point)?;
    Ok(Row {
        strategy,
        value: value.value,
        gradient: gradient.iter().map(|g| g.value).collect(),
        counts: counts(&counter),
    })
}

/// The term with its variables numbered by their place among the names, each of which is there.
fn numbered<'a>(term: &Term<'_, String>, names: &[&str], arena: &'a Arena<usize>) -> Result<Term<'a, usize>> {
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(place, name)| (*name, place)).collect();
    let lines = term.listing()?.lines.into_iter().map(|line| match line {
        Line::Variable(name) => Line::Variable(places[name.as_str()]),
        Line::Constant(value) => Line::Constant(value),
        Line::Plus(a, b) => Line::Plus(a, b),
        Line::Times(a, b) => Line::Times(a, b),
        Line::Primitive(row, operands) => Line::Primitive(row, operands),
    });
    arena.read_listing(&Listing { lines: lines.collect() })
}

fn gradient_report(term: &Term<'_, String>, names: &[&str], x: &[f64]) -> Result<String> {
    let arena = Arena::new();
    let function = numbered(term, names, &arena)?;
    macro_rules! rows {
        ($($Strategy:ty as $name:literal),+) => { [$(run::<$Strategy>($name, &function, x)?),+] };
    }
    let rows = rows![
        Forward as "Forward", VectorForward<U8> as "VectorForward<U8>", SparseForward as "SparseForward", Downward as "Downward",
        CayleyReverse as "CayleyReverse", MutableReverse as "MutableReverse", Reverse as "Reverse",
        Symbolic as "Symbolic"
    ];
    let counter = Counter::new();
    let value = function.eval(|place| counter.number(x[*place])).value;
    let close = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    debug_assert!(rows.iter().all(|row| close(row.value, value)), "every strategy has the value of the formula");

    let at: Vec<_> = names.iter().zip(x).map(|(name, x)| format!("{name} = {x}")).collect();
    let mut report = format!("f = {term}\nat  {}\n\nvalue  {value}\n\n", at.join(", "));
    report.push_str(&aligned(&comparison(names, counts(&counter), &rows), 1 + names.len()));
    report.push_str("\nsymbolic\n");
    write_derivatives(&mut report, term, names)?;
    Ok(report)
}

fn counts(counter: &Counter) -> [u64; 3] {
    [counter.additions(), counter.multiplications(), counter.primitives()]
}

/// A line per strategy, below one for the value alone.
fn comparison(names: &[&str], primal: [u64; 3], rows: &[Row]) -> Vec<Vec<String>> {
    let line = |first: &str, columns: Vec<String>, last: [String; 3]| -> Vec<String> {
        [first.to_owned()].into_iter().chain(columns).chain(last).collect()
    };
    let head = names.iter().map(|name| format!("∂f/∂{name}")).collect();
    let mut table = vec![
        line("strategy", head, ["+", "×", "functions"].map(str::to_owned)),
        line("(value alone)", vec![String::new(); names.len()], primal.map(|n| n.to_string())),
    ];
    table.extend(rows.iter().map(|row| {
        line(row.strategy, row.gradient.iter().map(f64::to_string).collect(), row.counts.map(|n| n.to_string()))
    }));
    table
}

/// The columns side by side, those from `right` on flush right.
fn aligned(table: &[Vec<String>], right: usize) -> String {
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| table.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in table {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column < right { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let cells: Vec<_> = cells.collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

fn write_derivatives(text: &mut String, term: &Term<'_, String>, names: &[&str]) -> Result<()> {
    let variables: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    for (name, derivative) in names.iter().zip(term.gradient(&variables)?) {
        let shown = derivative.to_string();
        let separator = if shown.contains('\n') { "\n" } else { " " };
        let _ = writeln!(text, "∂f/∂{name} ={separator}{shown}");
    }
    Ok(())
}

fn derive(formula: &str, names: &[&str]) -> std::result::Result<String, String> {
    let arena = Arena::new();
    let term = parse(&arena, formula).map_err(explained)?;
    let all = term.variables();
    let names: Vec<&str> = if names.is_empty() { all.iter().map(String::as_str).collect() } else { names.to_vec() };
    names.iter().try_for_each(|name| must_be_variable(name))?;
    must_occur(&names, &all)?;
    let mut text = String::new();
    write_derivatives(&mut text, &term, &names).map_err(explained)?;
    Ok(text)
}

fn show(formula: &str, options: &[&str]) -> std::result::Result<String, String> {
    let arena = Arena::new();
    let term = parse(&arena, formula).map_err(|error| error.to_string())?;
    match options {
        [] | ["--as", "text"] => Ok(format!("{term}\n")),
        ["--as", "latex"] => Ok(format!("{}\n", term.to_latex())),
        ["--as", "dot"] => Ok(term.to_dot()),
        ["--as", "svg"] => term.to_svg().map_err(|error| error.to_string()),
        _ => Err(format!(
            "`{}` is not understood: forms are `--as text`, `--as latex`, `--as dot`, `--as svg`",
            options.join(" ")
        )),
    }
}

/// The rows of the table, as they are called.
fn functions() -> String {
    let mut text = String::new();
    for row in catadiff::primitives::Primitive::ALL {
        let parameter = row.parameter().map(|_| "n".to_owned());
        let arguments = ["x", "y", "z"].iter().take(row.arity()).map(|&name| name.to_owned());
        let _ =
            writeln!(text, "{}({})", row.name(), parameter.into_iter().chain(arguments).collect::<Vec<_>>().join(", "));
    }
    text
}

//! The command line: formulas in, values and derivatives out, under every strategy.

use std::fmt::Write as _;
use std::process::ExitCode;

use catadiff::carriers::{Counted, Counter};
use catadiff::prelude::*;
use catadiff::term::{Arena, Term, parse};
use catadiff::{Error, Result};
use generic_array::typenum::U8;

const HELP: &str = "\
catadiff: differentiate formulas under every strategy

usage:
  catadiff grad FORMULA NAME=VALUE ...   value and gradient at a point, under every strategy,
                                         with operation counts, and the symbolic derivatives
  catadiff derive FORMULA [NAME ...]     the symbolic derivatives, by all names or by these
  catadiff show FORMULA [--as FORM]      the formula itself: text (default), latex or dot
  catadiff functions                     the functions that formulas may use
  catadiff help                          this text

A formula is written with + - * / ^, parentheses, numbers, names, and functions. Parts get
names with `name = ...;`, and pi is known.

examples:
  catadiff grad \"ln(x1) + x1*x2 - sin(x2)\" x1=2 x2=5
  catadiff derive \"t = exp(-x^2); t / (1 + t)\" x
  catadiff show \"hypot(x, y) / 2\" --as latex

exit codes: 0 for an answer, 2 for a mistake in what was asked.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match answer(&arguments) {
        Ok(text) => {
            use std::io::Write;
            // A reader that has seen enough, such as `head`, is no mistake.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("catadiff: {message}");
            ExitCode::from(2)
        }
    }
}

/// What to print, or what was wrong.
fn answer(arguments: &[&str]) -> std::result::Result<String, String> {
    match arguments {
        [] | ["help" | "--help" | "-h", ..] | [_, "--help" | "-h"] => Ok(HELP.to_owned()),
        ["--version" | "-V"] => Ok(format!("catadiff {}\n", env!("CARGO_PKG_VERSION"))),
        ["grad", formula, point @ ..] => grad_at(formula, point),
        ["derive", formula, names @ ..] => derive(formula, names).map_err(|error| error.to_string()),
        ["show", formula, options @ ..] => show(formula, options),
        ["functions"] => Ok(functions()),
        ["grad" | "derive" | "show"] => Err("a formula is missing; try `catadiff help`".into()),
        [unknown, ..] => Err(format!("there is no command `{unknown}`; try `catadiff help`")),
    }
}

/// The point `NAME=VALUE ...` in the order given.
fn read_point<'t>(arguments: &[&'t str]) -> std::result::Result<(Vec<&'t str>, Vec<f64>), String> {
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for argument in arguments {
        let Some((name, value)) = argument.split_once('=') else {
            return Err(format!("`{argument}` is not of the form NAME=VALUE"));
        };
        let value: f64 = value
            .trim()
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("the value of `{name}` is `{value}`, which is not a finite number"))?;
        if names.contains(&name.trim()) {
            return Err(format!("`{name}` has two values"));
        }
        names.push(name.trim());
        values.push(value);
    }
    Ok((names, values))
}

fn grad_at(formula: &str, point: &[&str]) -> std::result::Result<String, String> {
    let (names, values) = read_point(point)?;
    gradient_report(formula, &names, &values).map_err(|error| error.to_string())
}

/// A row of the report: a strategy, what it found, and what it cost.
struct Row {
    strategy: &'static str,
    value: f64,
    gradient: Vec<f64>,
    counts: [u64; 3],
}

/// Runs a strategy over numbers that count.
fn run<A>(strategy: &'static str, term: &Term<'_, String>, names: &[&str], x: &[f64]) -> Result<Row>
where
    A: for<'c> Strategy<Counted<'c, f64>>,
{
    let counter = Counter::new();
    let point: Vec<_> = x.iter().map(|x| counter.number(*x)).collect();
    let (value, gradient) = A::value_and_grad(|x| term.eval(|name| x[place(names, name)]), &point)?;
    Ok(Row {
        strategy,
        value: value.value,
        gradient: gradient.iter().map(|g| g.value).collect(),
        counts: counts(&counter),
    })
}

/// Where a variable stands in the point; every variable is known to be there.
fn place(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| *known == name).expect("the variables of the formula have values")
}

fn gradient_report(formula: &str, names: &[&str], x: &[f64]) -> Result<String> {
    let arena = Arena::new();
    let term = parse(&arena, formula)?;
    if let Some(name) = term.variables().into_iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Error::UnknownName { name, known: names.iter().map(|&name| name.to_owned()).collect() });
    }
    macro_rules! rows {
        ($($Strategy:ty as $name:literal),+) => { [$(run::<$Strategy>($name, &term, names, x)?),+] };
    }
    let rows = rows![
        Forward as "Forward", Vector<U8> as "Vector<U8>", SparseForward as "SparseForward", Downward as "Downward",
        CayleyReverse as "CayleyReverse", MutableReverse as "MutableReverse", Reverse as "Reverse",
        Symbolic as "Symbolic"
    ];
    let counter = Counter::new();
    let value = term.eval(|name| counter.number(x[place(names, name)])).value;
    let close = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    debug_assert!(rows.iter().all(|row| close(row.value, value)), "every strategy has the value of the formula");

    let at: Vec<_> = names.iter().zip(x).map(|(name, x)| format!("{name} = {x}")).collect();
    let mut report = format!("f = {term}\nat  {}\n\nvalue  {value}\n\n", at.join(", "));
    report.push_str(&aligned(&comparison(names, counts(&counter), &rows), 1 + names.len()));
    report.push_str("\nsymbolic\n");
    write_derivatives(&mut report, &term, names)?;
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

fn derive(formula: &str, names: &[&str]) -> Result<String> {
    let arena = Arena::new();
    let term = parse(&arena, formula)?;
    let all = term.variables();
    let names: Vec<&str> = if names.is_empty() { all.iter().map(String::as_str).collect() } else { names.to_vec() };
    if let Some(name) = names.iter().find(|name| !all.iter().any(|known| known == *name)) {
        return Err(Error::UnknownName { name: (*name).to_owned(), known: all });
    }
    let mut text = String::new();
    write_derivatives(&mut text, &term, &names)?;
    Ok(text)
}

fn show(formula: &str, options: &[&str]) -> std::result::Result<String, String> {
    let arena = Arena::new();
    let term = parse(&arena, formula).map_err(|error| error.to_string())?;
    match options {
        [] | ["--as", "text"] => Ok(format!("{term}\n")),
        ["--as", "latex"] => Ok(format!("{}\n", term.to_latex())),
        ["--as", "dot"] => Ok(term.to_dot()),
        _ => Err(format!("`{}` is not understood: forms are `--as text`, `--as latex`, `--as dot`", options.join(" "))),
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

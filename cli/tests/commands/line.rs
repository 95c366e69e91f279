//! The command line as its users meet it: results on standard output, mistakes on standard error with exit code 2.

use std::process::{Command, Output};

fn catadiff(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_catadiff")).args(arguments).output().expect("the binary runs")
}

fn answer(arguments: &[&str]) -> String {
    let output = catadiff(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = catadiff(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_readme_command_answers() {
    let text = answer(&["grad", "ln(x1) + x1*x2 - sin(x2)", "x1=2", "x2=5"]);
    assert!(text.contains("f = ln(x1) + x1 * x2 - sin(x2)"), "{text}");
    assert!(text.contains(&format!("value  {}", 2.0_f64.ln() + 10.0 - 5.0_f64.sin())), "{text}");
    for strategy in [
        "Forward",
        "VectorForward<U8>",
        "SparseForward",
        "Downward",
        "CayleyReverse",
        "MutableReverse",
        "Reverse",
        "Symbolic",
    ] {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(strategy)).unwrap();
        let numbers: Vec<f64> = line.split_whitespace().skip(1).map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 5, "{line}");
        assert_eq!(numbers[0], 5.5, "{line}");
        assert!((numbers[1] - (2.0 - 5.0_f64.cos())).abs() < 1e-14, "{line}");
        assert!(numbers[2..].iter().sum::<f64>() > 4.0, "operations are counted: {line}");
    }
    assert!(text.contains("∂f/∂x1 = 1 / x1 + x2"), "{text}");
    assert!(text.contains("∂f/∂x2 = x1 - cos(x2)"), "{text}");
}

#[test]
fn the_other_commands_answer() {
    assert_eq!(answer(&["derive", "t = exp(-x^2); t / (1 + t)", "x"]).lines().count(), 1);
    assert_eq!(answer(&["derive", "x * y"]), "∂f/∂x = y\n∂f/∂y = x\n");
    assert_eq!(answer(&["show", "hypot(x, y)/2"]), "hypot(x, y) / 2\n");
    assert_eq!(answer(&["show", "sin(x)/(y+1)", "--as", "latex"]), "\\frac{\\sin x}{y + 1}\n");
    assert!(answer(&["show", "x*x", "--as", "dot"]).starts_with("digraph term {"));
    assert!(answer(&["functions"]).contains("polygamma(n, x)\n"));
    assert!(answer(&["help"]).contains("Usage:"));
    assert_eq!(answer(&[]), answer(&["--help"]));
}

#[test]
fn mistakes_are_explained() {
    assert_eq!(refusal(&["grad", "x1 + ", "x1=1"]), "catadiff: expected a number, a name or `(`\n  x1 + \n       ^\n");
    assert_eq!(refusal(&["grad", "x + y", "x=1"]), "catadiff: the name `y` has no value: the names known here are x\n");
    for (arguments, part) in [
        (&["grad", "x", "x"][..], "`x` is not of the form NAME=VALUE"),
        (&["grad", "x", "x=one"], "the value of `x` is `one`, which is not a finite number"),
        (&["grad", "x", "x=NaN"], "not a finite number"),
        (&["grad", "x", "x=1e999"], "not a finite number"),
        (&["grad", "x", "x=1", "x=2"], "`x` has two values"),
        (&["grad", "1"], "the point is empty: give at least one number"),
        (&["grad"], "a formula is missing"),
        (&["integrate", "x"], "unrecognized subcommand 'integrate'"),
        (&["show", "x", "--as", "png"], "forms are"),
        (&["derive", "x", "z"], "the formula does not use `z`: its names are x"),
        (&["derive", "pi", "pi"], "`pi` is a constant"),
        (&["grad", "x", "x=1", "y=2"], "the formula does not use `y`: its names are x"),
        (&["grad", "1", "y=2"], "the formula does not use `y`: it uses no names"),
        (&["grad", "t = x; t", "x=1", "t=2"], "the formula does not use `t`"),
        (&["grad", "pi * x", "x=1", "pi=3"], "`pi` is a constant"),
        (&["grad", "x", "x=1", "NaN=3"], "`NaN` is a constant"),
        (&["grad", "x", "x=1", "inf=3"], "`inf` is a constant"),
        (&["grad", "x", "x=1", "=3"], "`` is not a name"),
        (&["grad", "x", "x=1", "2x=3"], "`2x` is not a name"),
        (&["grad", "x", "x=1", "(x)=3"], "`(x)` is not a name"),
        (&["grad", "e^x", "x=1"], "Euler's number is exp(1)"),
    ] {
        let message = refusal(arguments);
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let output = Command::new(env!("CARGO_BIN_EXE_catadiff"))
        .args(["grad", "x"])
        .arg(std::ffi::OsStr::from_bytes(b"x=\xff"))
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("is not Unicode text"));
}

#[test]
fn thousands_of_names_are_fast() {
    let names: Vec<String> = (0..6000).map(|n| format!("x{n}")).collect();
    let formula = names.join(" + ");
    let mut arguments = vec!["derive", &formula];
    arguments.extend(names.iter().map(String::as_str));
    let start = std::time::Instant::now();
    assert_eq!(answer(&arguments).lines().count(), 6000);
    // Looked up one by one among one another they would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    // One name more is one mistake, reported in a line or two.
    arguments.push("y");
    assert!(refusal(&arguments).len() < 400);
    let point: Vec<String> = names.iter().skip(1).map(|name| format!("{name}=1")).collect();
    let arguments: Vec<&str> = ["grad", &formula].into_iter().chain(point.iter().map(String::as_str)).collect();
    let message = refusal(&arguments);
    assert!(message.contains("`x0` has no value") && message.len() < 400, "{message}");
}

//! The command line as its users meet it: answers on standard output, mistakes on standard error with exit code 2.
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
    for strategy in
        ["Forward", "Vector<U8>", "SparseForward", "Downward", "CayleyReverse", "MutableReverse", "Reverse", "Symbolic"]
    {
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
    assert!(answer(&["help"]).contains("usage:"));
    assert_eq!(answer(&[]), answer(&["--help"]));
    // A variable the formula does not use has derivative 0.
    assert!(answer(&["grad", "x", "x=1", "y=2"]).contains("∂f/∂y = 0"));
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
        (&["integrate", "x"], "there is no command `integrate`"),
        (&["show", "x", "--as", "png"], "forms are"),
        (&["derive", "x", "z"], "the name `z` has no value"),
    ] {
        let message = refusal(arguments);
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
}

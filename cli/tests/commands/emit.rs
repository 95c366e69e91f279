//! Entry points as C: what is written, and what is refused.

use std::process::Command;

use crate::command::{answer, folder, told};

const LOSS: &str = "\
entry loss (xs: []f64) (by: f64): f64 = f64.sum (map (\\x -> f64.exp (x * by)) xs)
entry register (x: f64): f64 = x + 1
entry main (x: i32): i32 = x + 1
";

const CALLER: &str = "\
#include \"loss_grad.h\"
#include <stdio.h>
static _Alignas(64) char workspace[1 << 16];
int main(void)
{
    const double xs[3] = {0.0, 1.0, -2.0};
    double slopes[3], by;
    int64_t sizes[1], bytes = sizeof workspace;
    const int status = loss_grad(xs, 3, 0.5, slopes, 3, sizes, &by, workspace, &bytes);
    printf(\"%d %.6f %.6f %.6f %.6f\\n\", status, slopes[0], slopes[1], slopes[2], by);
    return 0;
}
";

#[test]
fn a_derivative_is_written_and_called() {
    let here = folder("emit", &[("a.fut", LOSS), ("caller.c", CALLER)]);
    let written = answer(&here, "emit a.fut -e loss --derivative grad --to .", "");
    assert_eq!(written, "./loss_grad.c\n./loss_grad.h\n");
    let header = std::fs::read_to_string(here.join("loss_grad.h")).unwrap();
    assert!(
        header.contains("int loss_grad(const double *xs, int64_t xs_size0, double by, double *result0, "),
        "{header}"
    );
    let compiled = Command::new("cc")
        .args([
            "-std=c11",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-ffp-contract=off",
            "caller.c",
            "loss_grad.c",
            "-o",
            "caller",
        ])
        .current_dir(&here)
        .output()
        .expect("there is a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(here.join("caller")).output().unwrap();
    // by·eˣ·ᵇʸ for each x, and Σ x·eˣ·ᵇʸ.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0 0.500000 0.824361 0.183940 0.912962\n");
}

#[test]
fn what_is_written_is_shown_too() {
    let here = folder("emit_shown", &[("a.fut", LOSS)]);
    let source = answer(&here, "emit a.fut -e loss --as c", "");
    assert!(source.starts_with("/* loss.c: printed by catadiff."), "{}", &source[..200]);
    assert_eq!(source, answer(&here, "emit a.fut -e loss", ""));
    assert_eq!(source, answer(&here, "show a.fut -e loss --as c", ""));
    assert!(answer(&here, "emit a.fut -e loss --as h", "").contains("#ifndef LOSS_H"));
    // A program in C has another `main`.
    assert!(answer(&here, "emit a.fut --as h", "").contains("int a(int32_t x, int32_t *result, "));
    assert!(answer(&here, "emit a.fut --name next --as h", "").contains("int next(int32_t x, "));
}

#[test]
fn what_cannot_be_written_is_said() {
    let here = folder("emit_refused", &[("a.fut", LOSS)]);
    for (arguments, expected) in [
        ("emit a.fut -e register", "C has no function of this name: `register`, which is none; name one by `--name`"),
        ("emit a.fut -e loss --name 2nd", "C has no function of this name: `2nd`"),
        ("emit a.fut -e loss --name any", "`any`, which the file uses itself"),
        ("emit a.fut -e loss --as svg", "what is written is C"),
        ("emit a.fut -e loss --to nowhere/at/all", "cannot write nowhere/at/all/loss.c"),
        ("emit a.fut -e loss --to . --as c", "leave `--as` out"),
    ] {
        let (code, output, errors) = told(&here, arguments, "");
        assert_eq!((code, output.as_str()), (2, ""), "{arguments}: {errors}");
        assert!(errors.contains(expected), "{arguments}: {errors}");
    }
}

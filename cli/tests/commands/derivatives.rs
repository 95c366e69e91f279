//! `grad`, `jvp` and `vjp` of entry points.
//!
//! Law: they are those of the language, whatever sizes and names the program has.

use crate::command::{PROGRAM, answer, folder, told};

#[test]
fn derivatives_of_entry_points() {
    let here = folder("derivatives", &[("a.fut", PROGRAM)]);
    for executor in ["interpreter", "lanes"] {
        let derive = |arguments: &str, input: &str| answer(&here, &format!("{arguments} --executor {executor}"), input);
        assert_eq!(derive("grad a.fut -e dot", "[1, 2] [3, 4]"), "[3.0f64, 4.0f64]\n[1.0f64, 2.0f64]\n");
        assert_eq!(derive("grad a.fut -e dot --wrt ys", "[1, 2] [3, 4]"), "[1.0f64, 2.0f64]\n");
        assert_eq!(derive("jvp a.fut -e dot", "[1, 2] [3, 4] [1, 0] [0, 1]"), "11.0f64\n5.0f64\n");
        assert_eq!(derive("vjp a.fut -e scale", "[1, 2] 4 [1, 0]"), "[4.0f64, 8.0f64]\n[4.0f64, 0.0f64]\n1.0f64\n");
        // A size that is a parameter, and a result of two parts.
        let mixed = derive("vjp a.fut -e mixed", "2 [1, 2] [4, 5, 6] 2 [1, 3]");
        assert_eq!(mixed, "15.0f64\n[1.0f32, 2.0f32]\n[1.0f32, 3.0f32]\n[2.0f64, 2.0f64, 2.0f64]\n");
        // A size that only the result tells.
        assert_eq!(derive("vjp a.fut -e keep", "[1, -2, 3] [5, 7]"), "[1.0f64, 3.0f64]\n[5.0f64, 0.0f64, 7.0f64]\n");
        assert_eq!(derive("jvp a.fut -e keep", "[1, -2, 3] [5, 6, 7]"), "[1.0f64, 3.0f64]\n[5.0f64, 7.0f64]\n");
        // A parameter that is consumed.
        assert_eq!(derive("vjp a.fut -e doubled", "[1, 2] 0 [5, 7]"), "[2.0f64, 2.0f64]\n[10.0f64, 7.0f64]\n");
        assert_eq!(derive("jvp a.fut -e doubled", "[1, 2] 1 [5, 7]"), "[1.0f64, 4.0f64]\n[5.0f64, 14.0f64]\n");
    }
}

/// Constants are sizes of arguments and of results, whether their names can be written where the derivative is taken or not.
#[test]
fn derivatives_of_entry_points_with_constant_sizes() {
    let text = "\
module hidden = { def n = 2i64  type v = [n]f64 }
def m = 3i64
entry loss (xs: hidden.v) (ys: [m]f64) = f64.sum (map (** 2) xs) + f64.sum ys
entry outer [k] (xs: [k]f64) (ys: [m]f64) : [k][m]f64 = map (\\x -> map (* x) ys) xs
entry kept (n: i64) (xs: [m]f64) (zs: [n]f64) = (filter (> 0) xs, zs)
entry also (xs: [m]f64) = (filter (> 0) xs, xs)
";
    let here = folder("constant_sizes", &[("a.fut", text)]);
    assert_eq!(answer(&here, "grad a.fut -e loss", "[1, 2] [1, 1, 1]"), "[2.0f64, 4.0f64]\n[1.0f64, 1.0f64, 1.0f64]\n");
    assert_eq!(answer(&here, "grad a.fut -e loss --wrt ys", "[1, 2] [1, 1, 1]"), "[1.0f64, 1.0f64, 1.0f64]\n");
    let (code, _, said) = told(&here, "grad a.fut -e loss", "[1, 2, 3] [1, 1, 1]");
    assert!(code == 3 && said.contains("a dimension of size 3, where 2 is wanted"), "{code}: {said}");
    assert_eq!(
        answer(&here, "jvp a.fut -e outer", "[2] [1, 2, 3] [1] [0, 0, 1]"),
        "[[2.0f64, 4.0f64, 6.0f64]]\n[[1.0f64, 2.0f64, 5.0f64]]\n"
    );
    assert_eq!(
        answer(&here, "vjp a.fut -e outer --wrt xs", "[2] [1, 2, 3] [[1, 0, 1]]"),
        "[[2.0f64, 4.0f64, 6.0f64]]\n[4.0f64]\n"
    );
    assert_eq!(
        answer(&here, "vjp a.fut -e kept", "1 [1, -2, 3] [7] [5, 6] [8]"),
        "[1.0f64, 3.0f64]\n[7.0f64]\n[5.0f64, 0.0f64, 6.0f64]\n[8.0f64]\n"
    );
    assert_eq!(
        answer(&here, "vjp a.fut -e also", "[1, -2, 3] [5, 6] [1, 1, 1]"),
        "[1.0f64, 3.0f64]\n[1.0f64, -2.0f64, 3.0f64]\n[6.0f64, 1.0f64, 7.0f64]\n"
    );
}

/// The derivative is that of the language, whatever the program calls by its name.
#[test]
fn derivatives_are_not_taken_for_what_is_named_so() {
    let text =
        "def vjp (f: f64 -> f64) (x: f64) (s: f64) = x\nentry y_0 (a: f64) = a * a\nentry adjoint (a: f64) = 2 * a\n";
    let here = folder("named_so", &[("a.fut", text)]);
    assert_eq!(answer(&here, "grad a.fut -e y_0", "3"), "6.0f64\n");
    assert_eq!(answer(&here, "vjp a.fut -e y_0", "3 2"), "9.0f64\n12.0f64\n");
    assert_eq!(answer(&here, "jvp a.fut -e adjoint", "3 2"), "6.0f64\n4.0f64\n");
    assert_eq!(answer(&here, "vjp a.fut -e adjoint", "3 2"), "6.0f64\n4.0f64\n");
}

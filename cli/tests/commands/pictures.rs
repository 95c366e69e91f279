//! The command line on programs: pictures, traces, and runs on other numbers.

use crate::command::{PROGRAM, answer, folder, told};
use catadiff_laws::drawings;

/// `f(x, y) = (if x > 2 then x + 2 else −x, reduce (×) [x, y, x])` is example 1 of "Not-Quite-Supersonic AD"; `graph` is figure 1 of
/// "Maintaining parallelism in reverse-mode automatic differentiation on functional parallel array languages".
const THESES: &str = "\
entry f (x: f64) (y: f64) = (if x > 2 then x + 2 else -x, reduce (*) 1 [x, y, x])
entry product (x: f64) (y: f64) = reduce (*) 1 [x, y, x]
entry graph (x1: f64) (x2: f64) = x1 + x1 * x2
entry spin (x: f64) = loop x while x > 0 do x + 1
entry logs (xs: []f64) = map (\\x -> f64.log x) xs
entry own (x: f64) = with_vjp_tape (\\x -> (x, x * x)) (\\(r, d) -> 3 * r * d) x
entry count (x: f64) (n: i64) = (n, x)
entry far [n] (xs: [n]f64) = f64.sum (map2 (\\x i -> x ** f64.i64 i) xs (iota n))
";

/// The lines of each box of a picture as SVG, in order.
fn boxes(svg: &str) -> Vec<String> {
    let line = |text: &str| text.split_once('>').unwrap().1.split_once("</text>").unwrap().0.to_owned();
    let lines = |group: &str| group.split("<text").skip(1).map(line).collect::<Vec<_>>().join("; ");
    svg.split("<g>").skip(1).map(|group| lines(group.split("</g>").next().unwrap())).collect()
}

#[test]
fn programs_and_traces_are_drawn() {
    let here = folder("drawn", &[("a.fut", THESES), ("b.fut", PROGRAM)]);
    // Figures 1 and 2: the graph, its values at (5, 3), and adjoints for the adjoint 1 of the result.
    let svg = answer(&here, "trace a.fut -e graph --as svg", "5 3");
    drawings::markup(&svg).unwrap();
    let expected = [
        "x1: f64; = 5; adjoint 4",
        "x2: f64; = 3; adjoint 5",
        "v2: f64; mul(x1, x2); = 15; adjoint 1",
        "v3: f64; add(x1, v2); = 20; adjoint 1",
        "return v3",
    ];
    assert_eq!(boxes(&svg), expected);
    // Figures 2 and 3: what is left of f(3, 2), and its second result's sensitivities, 12 and 9.
    let svg = answer(&here, "trace a.fut -e f --as svg", "3 2 0 1");
    let shown = boxes(&svg);
    assert!(
        shown[0].starts_with("x: f64; = 3; adjoint 12") && shown[1].starts_with("y: f64; = 2; adjoint 9"),
        "{shown:?}"
    );
    assert!(
        shown.iter().any(|text| text.contains("= 18; adjoint 1"))
            && shown.iter().any(|text| text.contains("= 5; adjoint 0"))
    );
    // The same with functions, in which a variable has many values.
    let svg = answer(&here, "show b.fut -e dot --as svg --at [1,2][3,4]", "");
    assert!(boxes(&svg).contains(&"xs: []f64; = [1, 2]; adjoint [3, 4]".to_owned()), "{svg}");
    assert_eq!(svg, answer(&here, "show b.fut -e dot --as svg --at -", "[1, 2] [3, 4] 1"));
    let dot = answer(&here, "show b.fut -e dot --as dot --at [1,2][3,4]2", "");
    assert!(dot.starts_with("digraph program {") && dot.contains("adjoint [6, 8]"), "{dot}");
    let vjp = answer(&here, "show a.fut -e product --derivative vjp --as svg", "");
    drawings::markup(&vjp).unwrap();
    let latex = answer(&here, "show a.fut -e graph --derivative grad --as latex", "");
    assert!(latex.starts_with("\\begin{array}{l}\n\\mathbf{program}"), "{latex}");
    assert!(answer(&here, "show ln(x)/2 --as svg", "").starts_with("<svg "));

    // A trace is text with its decisions, and a program again.
    let text = answer(&here, "trace a.fut -e f", "3 2");
    let decided = "// lt(2.0f64, x): true\nprogram (x: f64, y: f64) {\n  let v2: f64 = add(x, 2.0f64)\n";
    assert!(text.starts_with(decided), "{text}");
    assert!(catadiff::array::Program::parse(&text).is_ok());
    let kept = answer(&here, "trace b.fut -e dot --arrays keep", "[1, 2] [3, 4]");
    let scalars = answer(&here, "trace b.fut -e dot --arrays scalarize", "[1, 2] [3, 4]");
    assert!(
        kept.contains("map (xs, ys)") && !scalars.contains("map") && scalars.contains("xs[1i64]"),
        "{kept}{scalars}"
    );
    let gradient = answer(&here, "trace b.fut -e dot --derivative grad --wrt xs", "[1, 2] [3, 4]");
    assert!(gradient.contains("return"), "{gradient}");

    let forms = if cfg!(feature = "gpu") {
        "[possible values: text, dot, svg, latex, kernel, gpu, gpu-svg, wgsl, tree, c, h]"
    } else {
        "[possible values: text, dot, svg, latex, kernel, tree, c, h]"
    };
    for (arguments, input, code, part) in [
        ("show a.fut -e graph --at 1", "", 2, "add `--as svg` or `--as dot`"),
        (
            "show a.fut -e graph --as svg --at 1",
            "",
            2,
            "`graph` takes 2 values (`x1`, `x2`), or 3 with the adjoint of the result, and `--at` has 1",
        ),
        ("show a.fut -e graph --derivative jvp --as svg --at 1", "", 2, "the direction of `x2`"),
        ("show a.fut -e graph --as svg --at 1]", "", 2, "`--at`:1:2: error"),
        ("show a.fut -e graph --as png", "", 2, forms),
        ("show b.fut -e at --as svg --at [1i32]5", "", 3, "index 5"),
        ("show b.fut -e dot --as svg --at [1,2][3,4][5]", "", 2, "the adjoint of the result is of type f64"),
        ("trace a.fut -e spin", "1", 3, "1000000 steps"),
        ("trace a.fut -e spin --steps 100", "1", 3, "100 steps"),
        ("trace b.fut -e dot", "[1, 2] [3]", 3, "a dimension of size 1"),
        ("trace b.fut -e dot --as kernel", "[1, 2] [3, 4]", 2, "a trace is shown as text, latex, dot or svg"),
        ("trace a.fut -e far --as svg", &format!("{:?}", vec![1.0; 1000]), 2, "the limit is 600"),
        ("trace a.fut -e far --arrays some", "", 2, "[possible values: keep, scalarize]"),
    ] {
        let (found, _, errors) = told(&here, arguments, input);
        assert_eq!(found, code, "{arguments}: {errors}");
        assert!(errors.starts_with("catadiff: ") && errors.contains(part), "{arguments}: {errors}");
    }
}

#[test]
#[cfg(feature = "gpu")]
fn plans_for_gpus_are_drawn() {
    let here = folder("plans", &[("b.fut", PROGRAM)]);
    let svg = answer(&here, "show b.fut -e dot --as gpu-svg", "");
    drawings::markup(&svg).unwrap();
    let shown = boxes(&svg);
    assert!(
        shown.iter().any(|text| text.starts_with("kernel 0; ") && text.contains("reads b0: 8·v0 bytes")),
        "{shown:?}"
    );
    // With sizes, numbers.
    let svg = answer(&here, "show b.fut -e dot --as gpu-svg --at [1,2,5][3,4,6]", "");
    let shown = boxes(&svg);
    assert!(shown.iter().any(|text| text.contains("lanes &lt; 3") && text.contains("reads b0: 24 bytes")), "{shown:?}");
    let (code, _, errors) = told(&here, "show b.fut -e dot --as gpu-svg --at [1]", "");
    assert!(code == 2 && errors.contains("`dot` takes"), "{errors}");
}

#[test]
fn programs_run_on_other_numbers() {
    let here = folder("carriers", &[("a.fut", THESES), ("b.fut", PROGRAM)]);
    let run = |arguments: &str, input: &str| answer(&here, arguments, input);
    // What can be: the ends are those of x1 + x1·x2 for x1 from 4 to 6 and x2 from 2 to 4, and a bit more.
    let range = run("run a.fut -e graph --carrier interval --radius 1", "5 3");
    let ends: Vec<f64> = range.trim_matches(['[', ']', '\n']).split(", ").map(|end| end.parse().unwrap()).collect();
    assert!(ends[0] <= 12.0 && ends[0] > 11.999 && ends[1] >= 30.0 && ends[1] < 30.001, "{range}");
    assert_eq!(run("run a.fut -e graph --carrier interval", "5 3"), "[20, 20]\n");
    // Two products and two sums, one of which is from 0.
    let counted = run("run b.fut -e dot --carrier cost", "[1, 2] [3, 4]");
    assert_eq!(counted, "additions 2\nmultiplications 2\nfunctions 0\nin all 4\n");
    assert_eq!(
        run("run a.fut -e logs --carrier nan-origin", "[1, 2.5e300]").lines().last(),
        Some("no operation went wrong")
    );
    assert!(run("run a.fut -e logs --carrier nan-origin", "[1, -1]").ends_with("NaN in: ln(-1), operation 4\n"));
    assert_eq!(run("run b.fut -e scale --carrier support", "[1, 2] 3"), "[{xs[0], k}, {xs[1], k}]\n");
    assert_eq!(run("run b.fut -e dot --carrier term", "[1, 2] [3, 4]"), "xs_0 * ys_0 + xs_1 * ys_1\n");
    assert_eq!(
        run("vjp a.fut -e graph --carrier term", "5 3 1"),
        "x_0 + x_0 * x_1\nadjoint + adjoint * x_1\nadjoint * x_0\n"
    );
    assert_eq!(run("grad a.fut -e graph --carrier cost", "5 3").lines().last(), Some("in all 1"));

    // Derivatives by numbers are those of the language.
    for (by, command, input) in [
        ("dual", "jvp b.fut -e dot", "[1, 2] [3, 4] [1, 0] [0, 1]"),
        ("dual", "jvp b.fut -e dot --wrt ys", "[1, 2] [3, 4] [1, 7]"),
        ("dual", "jvp b.fut -e scale", "[1, 2, 3] 4 [1, 0, 1] 0.5"),
        ("tape", "vjp b.fut -e scale", "[1, 2, 3] 4 [1, 0, 1]"),
        ("tape", "vjp b.fut -e scale --wrt k", "[1, 2, 3] 4 [1, 0, 1]"),
        ("tape", "vjp a.fut -e f", "3 2 0 1"),
        ("tape", "grad a.fut -e product", "3 2"),
        ("tape", "grad a.fut -e far", "[1, 2, 3]"),
    ] {
        assert_eq!(run(&format!("{command} --carrier {by}"), input), run(command, input), "{command}");
    }
    for (arguments, input, code, part) in [
        ("run a.fut -e graph --carrier dual", "", 2, "they are for `jvp`"),
        ("run a.fut -e graph --carrier tape", "", 2, "it is for `grad` and `vjp`"),
        ("vjp a.fut -e graph --carrier dual", "", 2, "they are for `jvp`"),
        ("jvp a.fut -e graph --carrier dual", "f64.nan 3 1 0", 2, "finite points only: leave `--carrier` out"),
        ("grad a.fut -e graph --carrier tape", "5 f64.inf", 2, "infinity as real number 1"),
        ("run a.fut -e graph --carrier cost --executor lanes", "", 2, "leave `--executor` out"),
        ("run a.fut -e graph --carrier cost --binary", "", 2, "`--binary` is for numbers"),
        ("run a.fut -e graph --carrier complex", "", 2, "[possible values: interval, cost, nan-origin"),
        ("run a.fut -e graph --radius 1", "1 2", 2, "add `--carrier interval`"),
        ("run a.fut -e graph --carrier cost --radius 1", "1 2", 2, "add `--carrier interval`"),
        ("run a.fut -e graph --carrier interval --radius -1", "1 2", 2, "at least 0"),
        ("run a.fut -e f --carrier interval --radius 1", "2 2", 3, "depends on a number without a definite value"),
        ("run a.fut -e f --carrier term", "2 2", 3, "depends on a number without a definite value"),
        ("run b.fut -e at --carrier cost", "[1] 5", 3, "index 5"),
        ("run a.fut -e spin --carrier cost --steps 100", "1", 3, "100 steps"),
        ("jvp a.fut -e own --carrier dual", "3 1", 2, "derivatives of their own"),
        ("vjp a.fut -e count --carrier tape", "3 4 0 1", 2, "a result is of kind i64"),
        ("vjp a.fut -e count --carrier tape --wrt n", "3 4 0 1", 2, "a result is of kind i64"),
        (
            "jvp b.fut -e scale --carrier dual",
            "[1, 2] 3 [1] 0",
            3,
            "the direction is of type [1]f64, where [2]f64 is wanted",
        ),
        ("vjp b.fut -e scale --carrier tape", "[1, 2] 3 [1]", 3, "the adjoint of the result is of type [1]f64"),
    ] {
        let (found, _, errors) = told(&here, arguments, input);
        assert_eq!(found, code, "{arguments}: {errors}");
        assert!(errors.starts_with("catadiff: ") && errors.contains(part), "{arguments}: {errors}");
    }
}

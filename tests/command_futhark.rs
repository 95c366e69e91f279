//! The command line on programs: values in, values out, tests, derivatives, and mistakes of every kind with their exit codes.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use catadiff::futhark::values::{Array, read, write_binary};
use catadiff_laws::drawings;

const PROGRAM: &str = "\
-- ==
-- entry: dot
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 }
-- random input { [100]f64 [100]f64 } auto output
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
entry scale (xs: []f64) (k: f64) = map (* k) xs
entry mixed (n: i64) (xs: [n]f32) (ys: []f64) = (f64.sum ys, xs)
entry keep (xs: []f64) = filter (> 0) xs
entry at (xs: []i32) (i: i64) = xs[i]
entry spin (x: i32) = loop x while true do x + 1
entry big (n: i64) = replicate n 1f64
entry far (n: i64) = f64.sum (map f64.i64 (iota n))
entry descent (x: f64) (n: i64) = loop x for _i < n do x * (1 - x)
";

const ENDLESS: &str = "\
-- ==
-- input { 1 }
entry main (x: i32) = loop x while true do x + 1
";

const FAILING: &str = "\
-- ==
-- input { 1 } output { 2 }
-- input { 2 } output { 2 }
-- input { 0 } error: has no (value|meaning)
-- notest input { 3 }
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[1.0, 2.0], [3.5, 4.0]] }
-- input { [[f64.nan]] } output { [[f64.nan]] }
entry main (x: i32) = 2 / x
entry rows (x: [][]f64) = x
";

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command_futhark_{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn catadiff(folder: &PathBuf, arguments: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_catadiff"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that refuses its arguments reads no input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Exit code, standard output, standard error.
fn told(folder: &PathBuf, arguments: &str, input: &str) -> (i32, String, String) {
    let output = catadiff(folder, arguments, input.as_bytes());
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

fn answer(folder: &PathBuf, arguments: &str, input: &str) -> String {
    let (code, output, errors) = told(folder, arguments, input);
    assert_eq!(code, 0, "{arguments}: {errors}");
    output
}

#[test]
fn entry_points_run_on_values_in_both_formats() {
    let here = folder("run", &[("a.fut", PROGRAM)]);
    for executor in ["interpreter", "program", "lanes"] {
        let run =
            |entry: &str, input: &str| answer(&here, &format!("run a.fut -e {entry} --executor {executor}"), input);
        assert_eq!(run("dot", "[1.0, 2] [3, 4]"), "11.0f64\n");
        assert_eq!(run("mixed", "2 [1, 2.5] [4, 5, 6.5]"), "15.5f64\n[1.0f32, 2.5f32]\n");
        assert_eq!(run("big", "0"), "empty([0]f64)\n");
    }
    let mut bytes = Vec::new();
    for values in [vec![1.0, 2.0], vec![3.0, 4.5]] {
        write_binary(&Array::vector(values), &mut bytes);
    }
    let output = catadiff(&here, "run a.fut --entry=dot --binary", &bytes);
    assert!(output.status.success() && output.stdout.starts_with(b"b\x02\x00 f64"));
    assert_eq!(read(&output.stdout, 0).unwrap(), [Array::scalar(vec![12.0])]);
}

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
    }
}

#[test]
fn tests_pass_and_fail() {
    let here = folder("test", &[("good/a.fut", PROGRAM), ("bad/b.fut", FAILING)]);
    assert_eq!(answer(&here, "test good", ""), "2 passed, 0 failed, 0 skipped\n");
    assert_eq!(answer(&here, "test good --both --seed 7", ""), "4 passed, 0 failed, 0 skipped\n");
    let (code, output, _) = told(&here, "test good bad --threads 2", "");
    assert_eq!(code, 1);
    let expected = "\
bad/b.fut:3: main #1: expected 2, found 1 (i32)
bad/b.fut:8: rows #0: at [1, 0]: expected 3.5, found 3.0 (f64)
5 passed, 2 failed, 1 skipped
";
    assert_eq!(output, expected);
    assert_eq!(answer(&here, "test bad --entry rows --tolerance 0.2", ""), "2 passed, 0 failed, 0 skipped\n");
    let (code, output, _) = told(&here, "test bad --json --executor lanes", "");
    assert_eq!(code, 1);
    let lines: Vec<serde_json::Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 7);
    assert_eq!(lines[1]["why"], "expected 2, found 1 (i32)");
    assert_eq!(lines[1]["executor"], "lanes");
    assert_eq!((&lines[6]["passed"], &lines[6]["failed"]), (&3.into(), &2.into()));
}

#[test]
fn blocks_say_where_data_is_and_what_is_refused() {
    let mut bytes = Vec::new();
    write_binary(&Array::scalar(vec![2.5]), &mut bytes);
    let files = [
        ("p/file.fut", "-- ==\n-- input @ data/x.in\n-- output @ data/x.out\nentry main (x: f64) = x * 2\n"),
        ("p/data/x.out", "5.0"),
        ("p/refused.fut", "-- ==\n-- error: unknown.* `y+`\nentry main (x: f64) = yyy\n"),
        ("p/sloppy.fut", "-- ==\n-- error: unknown [^`]+ `z`$\nentry main (x: f64) = yyy\n"),
        ("p/fine.fut", "-- ==\n-- error:\nentry main (x: f64) = x\n"),
        ("p/block.fut", "-- ==\n-- inptu { 1 }\nentry main (x: f64) = x\n"),
        ("p/pattern.fut", "-- ==\n-- error: (a\nentry main (x: f64) = yyy\n"),
        ("p/off.fut", "-- ==\n-- tags { disable }\n-- input { 1.0 } output { 2.0 }\nentry main (x: f64) = x\n"),
        ("p/on.fut", "-- ==\n-- tags { slow }\n-- input { 1.0 } output { 2.0 }\nentry main (x: f64) = x\n"),
        ("p/library.fut", "def f (x: f64) = x\n"),
    ];
    let here = folder("blocks", &files);
    std::fs::write(here.join("p/data/x.in"), bytes).unwrap();
    let (code, output, _) = told(&here, "test p --exclude slow", "");
    assert_eq!(code, 1);
    for part in [
        "p/block.fut:1: p/block.fut:2:4: error: this is not understood in a test block",
        "p/fine.fut:1: expected a program that is refused, found no mistake in it",
        "p/pattern.fut:1: `(a` is no pattern: `(` is not closed",
        "p/sloppy.fut:1: expected a message like `unknown [^`]+ `z`$`, found:",
        "\n2 passed, 4 failed, 2 skipped\n",
    ] {
        assert!(output.contains(part), "{part}\nis not in\n{output}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn values_may_be_compressed() {
    // "[1.5, 2.5]\n" and "8.0", with a checksum.
    let packed =
        |hex: &str| (0..hex.len() / 2).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).unwrap()).collect();
    let input: Vec<u8> = packed("1f8b08000000000002038b36d433d55130d2338de50200eb8eea690b000000");
    let here = folder(
        "packed",
        &[("a.fut", "-- ==\n-- input @ x.in.gz\n-- output @ x.out.gz\nentry main (x: []f64) = 2 * f64.sum x\n")],
    );
    std::fs::write(here.join("x.in.gz"), &input).unwrap();
    std::fs::write(here.join("x.out.gz"), packed("1f8b0800000000000203b3d0330000ba54e7f803000000")).unwrap();
    assert_eq!(answer(&here, "test a.fut", ""), "1 passed, 0 failed, 0 skipped\n");
    let output = catadiff(&here, "run a.fut", &input);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "8.0f64\n");
    // What is cut off is no value.
    std::fs::write(here.join("x.out.gz"), &input[..input.len() - 6]).unwrap();
    let (code, output, _) = told(&here, "test a.fut", "");
    assert!(code == 1 && output.contains("x.out.gz cannot be unpacked"), "{output}");
}

#[test]
fn programs_are_checked_shown_and_timed() {
    let import = "import \"lib/m\"\nentry four (x: f64) = twice (twice x)\n";
    let files = [("a.fut", PROGRAM), ("b.fut", import), ("lib/m.fut", "def twice (x: f64) = x + x\n")];
    let here = folder("shown", &files);
    assert_eq!(answer(&here, "check b.fut", ""), "b.fut: entry four: f64 -> f64\n");
    assert_eq!(answer(&here, "run b.fut", "1.5"), "6.0f64\n");
    let object: serde_json::Value = serde_json::from_str(&answer(&here, "check b.fut --json", "")).unwrap();
    assert_eq!(object["type"], "f64 -> f64");
    assert!(answer(&here, "show a.fut -e dot", "").starts_with("program (xs: []f64, ys: []f64) {\n"));
    assert!(answer(&here, "show b.fut --derivative grad", "").starts_with("program (x_0: f64) {\n"));
    assert!(answer(&here, "show a.fut -e dot --as kernel", "").contains("lanes"));
    assert_eq!(answer(&here, "show b.fut --as tree", ""), import);
    let rows = answer(&here, "bench a.fut --runs 2 --json", "");
    let rows: Vec<serde_json::Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert!(row["seconds"].as_f64().unwrap() > 0.0 && row["vjp"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(answer(&here, "bench a.fut --runs 1", "").lines().next().unwrap().ends_with("time       jvp       vjp"));
}

/// `f(x, y) = (if x > 2 then x + 2 else −x, reduce (×) [x, y, x])` is example 1 of "Not-Quite-Supersonic AD"; `graph` is figure 1 of
/// "Maintaining parallelism in reverse-mode automatic differentiation on functional parallel array languages".
const THESES: &str = "\
entry f (x: f64) (y: f64) = (if x > 2 then x + 2 else -x, reduce (*) 1 [x, y, x])
entry product (x: f64) (y: f64) = reduce (*) 1 [x, y, x]
entry graph (x1: f64) (x2: f64) = x1 + x1 * x2
entry spin (x: f64) = loop x while x > 0 do x + 1
entry logs (xs: []f64) = map (\\x -> f64.log x) xs
entry own (x: f64) = with_vjp (\\x -> (x * x, x)) (\\r d -> 3 * r * d) x
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
    let melted = answer(&here, "trace b.fut -e dot --arrays melt", "[1, 2] [3, 4]");
    assert!(kept.contains("map (xs, ys)") && !melted.contains("map") && melted.contains("xs[1i64]"), "{kept}{melted}");
    let gradient = answer(&here, "trace b.fut -e dot --derivative grad --wrt xs", "[1, 2] [3, 4]");
    assert!(gradient.contains("return"), "{gradient}");

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
        ("show a.fut -e graph --as png", "", 2, "`--as` is one of text, dot, svg, latex, kernel, tree"),
        ("show b.fut -e at --as svg --at [1i32]5", "", 3, "index 5"),
        ("show b.fut -e dot --as svg --at [1,2][3,4][5]", "", 2, "the adjoint of the result is of type f64"),
        ("trace a.fut -e spin", "1", 3, "1000000 steps"),
        ("trace a.fut -e spin --steps 100", "1", 3, "100 steps"),
        ("trace b.fut -e dot", "[1, 2] [3]", 3, "a dimension of size 1"),
        ("trace b.fut -e dot --as kernel", "[1, 2] [3, 4]", 2, "a trace is shown as text, latex, dot or svg"),
        ("trace a.fut -e far --as svg", &format!("{:?}", vec![1.0; 1000]), 2, "the limit is 600"),
        ("trace a.fut -e far --arrays some", "", 2, "`--arrays` is one of keep, melt"),
    ] {
        let (found, _, errors) = told(&here, arguments, input);
        assert_eq!(found, code, "{arguments}: {errors}");
        assert!(errors.starts_with("catadiff: ") && errors.contains(part), "{arguments}: {errors}");
    }
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
        ("run a.fut -e graph --carrier cost --executor lanes", "", 2, "leave `--executor` out"),
        ("run a.fut -e graph --carrier cost --binary", "", 2, "`--binary` is for numbers"),
        ("run a.fut -e graph --carrier complex", "", 2, "`--carrier` is one of interval, cost, nan-origin"),
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

#[test]
fn a_session_goes_on_after_mistakes() {
    let here = folder("repl", &[("b.fut", "def twice (x: f64) = x + x\n")]);
    let lines = "def sq x = x * x\nmap sq [1, 2]\n1 +\nfoo 3\n-- a comment\nsq\nlet y = 3.5\ny * 2\n1 / 0\n\
                 :type map sq\n:load nothere.fut\n[1, 2][5]\nsq y\n:load b.fut\ntwice 2\nsq 2\n(1, true)\n:quit\n7\n";
    let (code, output, errors) = told(&here, "repl", lines);
    assert_eq!(code, 0);
    let expected = "[1i32, 4i32]\ni32 -> i32\n7.0f64\n[n]i32 -> [n]i32\n";
    assert!(output.starts_with(expected), "{output}");
    assert!(output.ends_with("4.0f64\n1i32\ntrue\n"), "{output}");
    for part in ["expected an expression", "`foo`", "the divisor is 0", "no file `nothere.fut`", "index 5", "`sq`"] {
        assert!(errors.contains(part), "{part}\nis not in\n{errors}");
    }
    let (code, output, errors) = told(&here, "repl --steps 1000", "loop x = 1 while true do x + 1\n2\n");
    assert_eq!((code, output.as_str()), (0, "2i32\n"));
    assert!(errors.contains("1000 steps"), "{errors}");
}

#[test]
fn tests_that_never_end_fail_in_so_many_steps() {
    let here = folder("endless", &[("endless.fut", ENDLESS)]);
    for (arguments, failed) in [("--executor lanes", 1), ("--executor program", 1), ("--both", 2)] {
        let (code, output, _) = told(&here, &format!("test endless.fut --steps 1000 {arguments}"), "");
        assert_eq!(code, 1, "{arguments}: {output}");
        assert!(output.contains("1000 steps"), "{arguments}: {output}");
        assert!(output.ends_with(&format!("0 passed, {failed} failed, 0 skipped\n")), "{arguments}: {output}");
    }
}

#[test]
fn mistakes_are_explained() {
    let wrong = "entry main (x: i32): f64 = x\n";
    let files = [("a.fut", PROGRAM), ("endless.fut", ENDLESS), ("none.fut", "def f x = x\n"), ("wrong.fut", wrong)];
    let here = folder("mistakes", &files);
    std::fs::write(here.join("bytes.fut"), b"def \xff").unwrap();
    for (arguments, input, code, part) in [
        ("run nothere.fut", "", 2, "there is no file `nothere.fut`"),
        ("run .", "", 2, "`.` is a folder"),
        ("run bytes.fut", "", 2, "`bytes.fut` is not Unicode text: byte 4"),
        ("run wrong.fut", "1", 2, "wrong.fut:1:28: error: found i32, but expected f64 as the declared result"),
        ("run none.fut", "", 2, "the program has no entry point"),
        ("run a.fut", "", 2, "which entry point? Name it with `-e`: there are `dot`, `scale`"),
        ("run a.fut -e nope", "", 2, "there is no entry point `nope`: there are `dot`"),
        ("run", "", 2, "`run` needs a file"),
        ("run a.fut b.fut", "", 2, "`run` takes one file, and `b.fut` is one more"),
        ("run a.fut --nope", "", 2, "`run` has no option `--nope`"),
        ("run a.fut -e", "", 2, "`-e` needs a value: -e NAME"),
        ("run a.fut -e dot --steps many", "", 2, "the value of `--steps` is `many`"),
        ("run a.fut -e dot --executor gpu", "", 2, "`--executor` is one of interpreter, program, lanes, not `gpu`"),
        ("run a.fut -e dot", "[1, 2]", 2, "`dot` takes 2 values (`xs`, `ys`), and standard input has 1"),
        (
            "run a.fut -e dot",
            "[1, 2] [3f32]",
            2,
            "`ys` is of type []f64, and standard input has a value of type [1]f32",
        ),
        ("run a.fut -e dot", "[1, x]", 2, "standard input:1:5: error: expected a value, found `x`"),
        ("run a.fut -e dot", "b\x02\x01 f64", 2, "the binary value that begins at byte 0 ends within its sizes"),
        ("run a.fut -e dot", "[1, 2] [3]", 3, "the argument `ys` has a dimension of size 1, where 2 is wanted"),
        ("run a.fut -e at", "[1, 2] 5", 3, "the index 5 is out of bounds of an array of size 2"),
        ("run a.fut -e at --executor lanes", "[1, 2] 5", 3, "5 is out of bounds"),
        ("run a.fut -e spin --steps 1000", "1", 3, "more than the limit of 1000 steps"),
        ("run a.fut -e spin --steps 1000 --executor program", "1", 3, "1000 steps"),
        ("run a.fut -e spin --steps 1000 --executor lanes", "1", 3, "1000 steps"),
        ("run a.fut -e far --steps 1000 --executor lanes", "1152921504606846976", 3, "1000 steps"),
        ("grad a.fut -e descent --steps 1000 --executor lanes", "0.5 100000", 3, "1000 steps"),
        ("bench endless.fut --steps 1000", "", 1, "1000 steps"),
        ("run a.fut -e big --memory 10 --executor lanes", "11", 3, "10 elements"),
        ("run a.fut -e big", "9000000000000000000", 3, "more elements than the limit"),
        ("run a.fut -e big --executor lanes", "9000000000000000000", 3, "elements"),
        ("run a.fut -e big --memory 10", "11", 3, "more elements than the limit of 10"),
        ("grad a.fut -e scale", "", 2, "the result of `scale` is of type [n]f64, and `grad` wants one real number"),
        ("grad a.fut -e at", "", 2, "`at` takes no real numbers"),
        ("grad a.fut -e dot --wrt zs", "", 2, "`dot` has no parameter `zs`: it has xs, ys"),
        ("jvp a.fut -e dot", "[1] [2]", 2, "takes 4 values (`xs`, `ys`, the direction of `xs`, the direction of `ys`)"),
        ("vjp a.fut -e keep", "[1, -1] [2, 3]", 3, "a dimension of size 1, where 2 is wanted"),
        ("test none.fut", "", 2, "there are no tests"),
        ("test nothere", "", 2, "there is no file `nothere`"),
        ("test a.fut --both --executor lanes", "", 2, "`--both` goes without"),
        ("test a.fut --tolerance -1", "", 2, "the value of `--tolerance` is not at least 0"),
        ("bench none.fut", "", 2, "there is nothing to time"),
        ("bench a.fut --runs 0", "", 2, "the value of `--runs` is not at least 1"),
        ("check wrong.fut none.fut", "", 2, "1 of 2 files are no programs"),
        ("completions tcsh", "", 2, "not for `tcsh`"),
    ] {
        let (found, _, errors) = told(&here, arguments, input);
        assert_eq!(found, code, "{arguments}: {errors}");
        assert!(errors.starts_with("catadiff: ") && errors.contains(part), "{arguments}: {errors}");
    }
}

#[test]
fn every_command_has_help_and_completions() {
    let here = folder("help", &[]);
    std::fs::create_dir_all(&here).unwrap();
    let overview = answer(&here, "help", "");
    let bash = answer(&here, "completions bash", "");
    assert!(answer(&here, "completions zsh", "").contains(&bash));
    let fish = answer(&here, "completions fish", "");
    for command in
        ["run", "test", "bench", "grad", "jvp", "vjp", "check", "show", "trace", "repl", "derive", "functions"]
    {
        let help = answer(&here, &format!("{command} --help"), "");
        assert_eq!(help, answer(&here, &format!("help {command}"), ""));
        assert!(help.contains("examples:\n  ") && help.contains("exit codes:"), "{help}");
        assert!(overview.contains(&format!("  catadiff {command}")) && bash.contains(&format!("    {command}) local")));
        assert!(fish.contains(&format!("-a {command} ")));
    }
}

#[test]
fn the_page_of_messages_says_what_the_command_says() {
    let here = folder("messages", &[]);
    std::fs::create_dir_all(&here).unwrap();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/messages.md")).unwrap();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    assert!(sections.len() >= 15);
    for section in sections {
        let code = section.lines().next().unwrap();
        let block = |kind: &str| section.split_once(&format!("```{kind}\n")).unwrap().1.split_once("```").unwrap().0;
        std::fs::write(here.join("main.fut"), block("futhark")).unwrap();
        let (command, expected) = block("text").split_once('\n').unwrap();
        let input = command.strip_prefix("$ echo '").map_or("", |rest| rest.split_once('\'').unwrap().0);
        let (exit, _, errors) = told(&here, "run main.fut", input);
        assert!(matches!(exit, 2 | 3) && errors.contains(&format!("[{code}]")), "{code}: {errors}");
        assert_eq!(errors.trim_end(), expected.trim_end(), "{code}");
    }
}

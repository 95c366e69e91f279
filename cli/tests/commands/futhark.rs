//! The command line on programs: values in, values out, tests, and mistakes of every kind with their exit codes.

use catadiff::futhark::source::CODES;
use catadiff::futhark::values::{Array, read, write_binary};

use crate::command::{PROGRAM, answer, catadiff, folder, told};

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
fn tests_pass_and_fail() {
    let here = folder("test", &[("good/a.fut", PROGRAM), ("bad/b.fut", FAILING)]);
    assert_eq!(answer(&here, "test good", ""), "2 passed, 0 failed, 0 skipped\n");
    assert_eq!(answer(&here, "test good --both --seed 7", ""), "4 passed, 0 failed, 0 skipped\n");
    let (code, output, _) = told(&here, "test good bad --threads 2", "");
    assert_eq!(code, 1);
    let expected = "\
bad/b.fut:3: main #1: expected 2, found 1 (i32)
bad/b.fut:8: rows #0: at [1, 0]: expected 3.5, found 3.0 (f64)
5 passed, 2 failed, 1 skipped; of 2 programs 1 passed, 1 failed: 2 checked, 0 refused
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
fn what_lanes_cannot_run_is_noted() {
    let text = "\
-- ==
-- entry: rows
-- input { empty([0]i64) 2i64 } output { empty([0][2]i64) }
entry rows [n] (xs: [n]i64) (k: i64) =
  let times x = (loop ys: []i64 = [] for _i < k do ys ++ [x]) :> [k]i64
  in (unzip (map (\\x -> let ys = times x in (ys, if x > 5 then reverse (ys :> [2]i64) else [x, x])) xs)).0
";
    let here = folder("fell_back", &[("a.fut", text)]);
    let because = "note: run by the interpreter, because there is rows whose sizes only their elements say, of none";
    let (code, output, notes) = told(&here, "run a.fut --executor lanes", "empty([0]i64) 2i64");
    assert_eq!((code, output.trim()), (0, "empty([0][2]i64)"));
    assert!(notes.starts_with(because), "{notes}");
    assert!(!told(&here, "run a.fut --executor program", "empty([0]i64) 2i64").2.contains("note"));
    // Where there is a row, it says the sizes of all.
    let (code, output, notes) = told(&here, "run a.fut --executor lanes", "[3i64] 2i64");
    assert_eq!((code, output.trim(), notes.contains("interpreter")), (0, "[[3i64, 3i64]]", false));
    let output = answer(&here, "test a.fut --executor lanes", "");
    assert!(output.starts_with(&format!("a.fut:3: rows #0 on lanes: {because}")), "{output}");
    assert!(output.ends_with("1 passed, 0 failed, 0 skipped\n"), "{output}");
    for command in ["test a.fut --executor lanes --json", "bench a.fut --runs 1 --json"] {
        let line = answer(&here, command, "").lines().next().unwrap().to_owned();
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert!(line["note"].as_str().unwrap().contains("only their elements say"), "{line}");
    }
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
    let (code, output, _) = told(&here, "test p --exclude slow --words", "");
    assert_eq!(code, 1);
    for part in [
        "p/block.fut:1: p/block.fut:2:4: error: this is not understood in a test block",
        "p/fine.fut:1: expected a program that is refused, found no mistake in it",
        "p/pattern.fut:1: `(a` is no regular expression: ",
        "p/sloppy.fut:1: expected a message like `unknown [^`]+ `z`$`, found:",
        "\n3 passed, 4 failed, 2 skipped; of 9 programs 5 passed, 4 failed: 5 checked, 4 refused\n",
    ] {
        assert!(output.contains(part), "{part}\nis not in\n{output}");
    }
}

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
    assert!(answer(&here, "show a.fut -e dot --sizes", "").starts_with("program (xs: [n]f64, ys: [m]f64) {\n"));
    assert!(answer(&here, "show a.fut -e dot --sizes --dump", "").contains("(xs: [n]f64, ys: [m]f64) {\n"));
    let (dumped, shown) = (answer(&here, "show b.fut --dump", ""), answer(&here, "show b.fut", ""));
    assert!(dumped.starts_with("-- written: 2 statements\nprogram (x: f64) {\n"), "{dumped}");
    assert!(dumped.contains("\n-- value numbering: ") && dumped.ends_with(&(shown + "\n")), "{dumped}");
    let kernels = answer(&here, "show a.fut -e dot --as kernel --dump", "");
    assert!(kernels.starts_with("-- lowered: ") && kernels.contains("\n-- contraction to multiply-add: "), "{kernels}");
    assert_eq!(answer(&here, "show b.fut --as tree", ""), import);
    let rows = answer(&here, "bench a.fut --runs 2 --json", "");
    let rows: Vec<serde_json::Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert!(row["seconds"].as_f64().unwrap() > 0.0 && row["vjp"].as_f64().unwrap() > 0.0, "{row}");
    }
    assert!(answer(&here, "bench a.fut --runs 1", "").lines().next().unwrap().ends_with("time       jvp       vjp"));
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
    let gpu = if cfg!(feature = "gpu") { "gpu, " } else { "" };
    let ranks = match (cfg!(feature = "mpi"), cfg!(feature = "gpu")) {
        (false, _) => "",
        (true, false) => "mpi-native, mpi, ",
        (true, true) => "mpi-gpu, mpi-native, mpi, ",
    };
    let executors = format!("[possible values: interpreter, program, {ranks}native, {gpu}lanes]");
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
        ("run a.fut --nope", "", 2, "unexpected argument '--nope' found"),
        ("run a.fut -e", "", 2, "a value is required for '--entry <NAME>'"),
        ("run a.fut -e dot --steps many", "", 2, "the value of `--steps` is `many`"),
        ("run a.fut -e dot --executor cuda", "", 2, executors.as_str()),
        ("run a.fut --executr lanes", "", 2, "a similar argument exists: '--executor'"),
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
        ("run a.fut -e big --memory 10 --executor lanes", "11", 3, "more elements than the limit of 10"),
        ("run a.fut -e big", "9000000000000000000", 3, "more elements than the limit"),
        ("run a.fut -e big --executor lanes", "9000000000000000000", 3, "elements"),
        ("run a.fut -e big --memory 10", "11", 3, "more elements than the limit of 10"),
        ("grad a.fut -e scale", "", 2, "the result of `scale` is of type [n]f64, and `grad` wants one real number"),
        ("grad a.fut -e at", "", 2, "`at` takes no real numbers"),
        ("grad a.fut -e dot --wrt zs", "", 2, "`dot` has no parameter `zs`: it has xs, ys"),
        ("grad a.fut -e dot --wrt ys,xs,ys", "", 2, "`--wrt` names the parameter `ys` twice"),
        ("jvp a.fut -e dot", "[1] [2]", 2, "takes 4 values (`xs`, `ys`, the direction of `xs`, the direction of `ys`)"),
        ("vjp a.fut -e keep", "[1, -1] [2, 3]", 3, "a dimension of size 1, where 2 is wanted"),
        ("test a.fut --entry none", "", 2, "no test block is about an entry point `none`"),
        ("test a.fut --time -1", "", 2, "`--time`"),
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

/// To stop listening is no mistake, and no message says that it is one.
#[test]
fn a_reader_that_is_gone_is_no_mistake() {
    let here = folder("closed", &[("a.fut", PROGRAM), ("warned.fut", "entry main (x: f64) = vjp f64.floor x 1\n")]);
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        std::process::Stdio::from(writer)
    };
    for (arguments, code) in [
        ("functions", 0),
        ("help", 0),
        ("run nothere.fut", 2),
        ("check warned.fut", 0),
        ("test a.fut", 0),
        ("bench a.fut --runs 1", 0),
        ("repl a.fut", 0),
        ("show a.fut -e dot", 0),
    ] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_catadiff"))
            .args(arguments.split(' '))
            .current_dir(&here)
            .stdin(std::process::Stdio::piped())
            .stdout(closed())
            .stderr(closed())
            .spawn()
            .unwrap();
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"nothere\n1 + 1\n");
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments}");
    }
}

#[test]
fn what_is_endless_or_huge_is_refused() {
    let nested = format!("entry main (x: f64) = {}x{}\n", "(".repeat(1_000_000), ")".repeat(1_000_000));
    let added = format!("entry main (x: f64) = x{}\n", " + x".repeat(1_000_000));
    let pattern = format!("-- ==\n-- error: {}\nentry main (x: f64) = y\n", "(".repeat(100_000));
    let block = format!("-- ==\n-- input {{{}}}\nentry main (x: f64) = x\n", "[".repeat(1_000_000));
    let drawn = "-- ==\n-- random input { [1000000000][1000000000]f64 }\nentry main (x: [][]f64) = x\n";
    let sizes = "entry main (n: i64) = replicate n (replicate n 1f64)\nentry scanned (n: i64) = scan (+) 0 (iota n)\n\
                 entry twice (n: i64) = concat (iota n) (iota n)\n";
    let files = [
        ("nested.fut", nested.as_str()),
        ("added.fut", &added),
        ("pattern.fut", &pattern),
        ("block.fut", &block),
        ("drawn.fut", drawn),
        ("sizes.fut", sizes),
        ("a.fut", PROGRAM),
        ("itself.fut", "import \"itself\"\nentry main (x: f64) = x\n"),
        ("into.fut", "import \"dir\"\nentry main (x: f64) = x\n"),
        ("dir.fut/b.fut", ""),
    ];
    let here = folder("huge", &files);
    let opened = "[".repeat(1_000_000);
    for (arguments, input, code, part) in [
        ("check nested.fut", "", 2, "nested more than 1000 levels deep"),
        ("check added.fut", "", 2, "more than 100000 links"),
        ("test pattern.fut --words", "", 1, "is no regular expression"),
        ("test block.fut", "", 1, "[value]"),
        ("test drawn.fut", "", 1, "too large"),
        ("check itself.fut", "", 2, "imported by a file that it imports itself"),
        ("check into.fut", "", 2, "`dir.fut` is a folder"),
        ("check dir.fut", "", 2, "`dir.fut` is a folder"),
        ("run a.fut -e keep", &opened, 2, "[value]"),
        (
            "run a.fut -e keep",
            "b\x02\x01 f64\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}",
            2,
            "ends within its elements",
        ),
        ("run a.fut -e keep --steps -1", "1", 2, "`--steps`"),
        ("run a.fut -e keep --steps 99999999999999999999999", "1", 2, "`--steps`"),
    ] {
        let (found, output, errors) = told(&here, arguments, input);
        assert_eq!(found, code, "{arguments}: {errors}");
        assert!(output.contains(part) || errors.contains(part), "{arguments}: {output}{errors}");
    }
    for entry in ["main", "scanned", "twice"] {
        for executor in ["interpreter", "program", "lanes"] {
            for (n, part) in [("1152921504606846976", "elements"), ("9223372036854775807", "elements"), ("-1", "-1")] {
                let arguments = format!("run sizes.fut -e {entry} --executor {executor}");
                let (code, _, errors) = told(&here, &arguments, n);
                assert!(code == 3 && errors.contains(part), "{arguments} {n}: {errors}");
            }
        }
    }
    for formula in ["(".repeat(100_000), "x^".repeat(50_000) + "x", "-".repeat(100_000) + "x"] {
        let child = std::process::Command::new(env!("CARGO_BIN_EXE_catadiff")).args(["grad", &formula, "x=1"]).output();
        let output = child.unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("nest at most 200 deep"));
    }
}

#[test]
fn every_command_has_help_and_completions() {
    let here = folder("help", &[]);
    std::fs::create_dir_all(&here).unwrap();
    let overview = answer(&here, "help", "");
    let shells = ["bash", "elvish", "fish", "powershell", "zsh"];
    let completions = shells.map(|shell| answer(&here, &format!("completions {shell}"), ""));
    for command in [
        "run",
        "test",
        "bench",
        "grad",
        "jvp",
        "vjp",
        "check",
        "fmt",
        "lsp",
        "show",
        "trace",
        "repl",
        "derive",
        "functions",
    ] {
        let help = answer(&here, &format!("{command} --help"), "");
        assert_eq!(help, answer(&here, &format!("help {command}"), ""));
        assert!(help.contains("Examples:\n  ") && help.contains("Exit codes:"), "{help}");
        assert!(overview.contains(&format!("\n  {command} ")), "{overview}");
        let lines = help.lines().filter(|line| line.trim_start().starts_with('-'));
        let options = lines.filter_map(|line| line.split_once("--")?.1.split(' ').next());
        for word in options.chain([command]) {
            assert!(completions.iter().all(|text| text.contains(word)), "{command}: {word}");
        }
    }
    // A switch may be said twice, and of two values the last one counts.
    let here = folder("twice", &[("a.fut", PROGRAM)]);
    assert_eq!(answer(&here, "check a.fut --json --json", ""), answer(&here, "check a.fut --json", ""));
    assert_eq!(answer(&here, "run a.fut -e at -e spin -e scale", "[1.0] 2.0"), "[2.0f64]\n");
}

#[test]
fn the_page_of_messages_says_what_the_command_says() {
    let here = folder("messages", &[]);
    std::fs::create_dir_all(&here).unwrap();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/messages.md")).unwrap();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let titles: Vec<&str> = sections.iter().map(|section| section.lines().next().unwrap()).collect();
    assert_eq!(titles, CODES);
    for section in sections {
        let code = section.lines().next().unwrap();
        let block = |kind: &str| section.split_once(&format!("```{kind}\n")).unwrap().1.split_once("```").unwrap().0;
        std::fs::write(here.join("main.fut"), block("futhark")).unwrap();
        let (command, expected) = block("text").split_once('\n').unwrap();
        let input = command.strip_prefix("$ echo '").map_or("", |rest| rest.split_once('\'').unwrap().0);
        let arguments = command.split_once("catadiff ").unwrap().1;
        let (exit, output, errors) = told(&here, arguments, input);
        // Warnings stop nothing; what a test finds is its output.
        let shown = if exit == 1 { output } else { errors };
        assert_eq!(exit == 0, expected.contains("warning:"), "{code}");
        assert!(shown.contains(&format!("[{code}]")), "{code}: {shown}");
        assert_eq!(shown.trim_end(), expected.trim_end(), "{code}");
    }
}

//! The benchmark's tool as a process: both forms, to the benchmark's own outputs, and what is no message and no input.

mod inputs;
mod outputs;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use catadiff_gradbench::{FUNCTIONS, modules};
use inputs::{data, inputs};
use outputs::{TOLERANCE, deviation, numbers};
use serde_json::{Value as Json, json};

/// Runs the tool, with this on its standard input.
fn tool(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catadiff-gradbench"));
    let streams = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().expect("the tool starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the tool ends");
    // A tool that does not read its input has closed the pipe.
    drop(writer.join().expect("nothing panics"));
    output
}

fn lines(text: &[u8]) -> Vec<Json> {
    let text = std::str::from_utf8(text).expect("JSON is text");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// The replies to messages.
fn replies(messages: &[String]) -> Vec<Json> {
    let output = tool(&[], &messages.join("\n"));
    assert!(output.status.success(), "{output:?}");
    lines(&output.stdout)
}

fn evaluation(id: usize, module: &str, function: &str, input: &Json) -> String {
    json!({ "id": id, "kind": "evaluate", "module": module, "function": function, "input": input }).to_string()
}

/// An input that wants a number of runs, however short; one that has no fields cannot.
fn wanting(runs: usize, mut input: Json) -> Json {
    if let Some(fields) = input.as_object_mut() {
        fields.insert("min_runs".to_owned(), runs.into());
        fields.insert("min_seconds".to_owned(), 0.into());
    }
    input
}

fn expected(module: &str, function: &str, input: &str) -> Vec<f64> {
    match module {
        "hello" => vec![if function == "square" { 9.0 } else { 6.0 }],
        "particle" => vec![0.207_191_874_648_611_6],
        "saddle" => vec![8.246_324_826_140_356e-6; 4],
        _ => numbers(&data(&format!("{module}/{input}.{function}.golden.json.gz"))),
    }
}

/// Whether these are the times of a preparation and of this many runs.
fn check_timings(timings: &[Json], runs: usize) {
    let names: Vec<&str> = timings.iter().filter_map(|timing| timing["name"].as_str()).collect();
    assert_eq!(names, [&["prepare"], &["evaluate"; 2][..runs]].concat());
    assert!(timings.iter().all(|timing| timing["nanoseconds"].as_u64() > Some(0)), "{timings:?}");
}

/// The bundled inputs of a module, with each of its functions.
fn cases(module: &str) -> Vec<(String, &'static str)> {
    let functions = || FUNCTIONS.iter().filter(|f| f.module == module);
    inputs(module).into_iter().flat_map(|input| functions().map(move |f| (input.clone(), f.name))).collect()
}

#[test]
fn every_function_answers_messages_with_the_benchmarks_outputs() {
    for module in modules() {
        let mut messages = vec![
            json!({ "id": 0, "kind": "start", "eval": module }).to_string(),
            json!({ "id": 1, "kind": "define", "module": module }).to_string(),
        ];
        let cases = cases(module);
        for (input, function) in &cases {
            let input = wanting(1, data(&format!("{module}/{input}.json.gz")));
            messages.push(evaluation(messages.len(), module, function, &input));
        }
        messages.push(json!({ "id": messages.len(), "kind": "analysis", "of": 2, "valid": true }).to_string());
        let replies = replies(&messages);
        assert_eq!(replies.len(), messages.len());
        assert!(replies.iter().enumerate().all(|(id, reply)| reply["id"] == json!(id)));
        assert_eq!(replies[0]["tool"], "catadiff");
        assert_eq!((&replies[1]["success"], &replies[1]["timings"][0]["name"]), (&json!(true), &json!("compile")));
        for ((input, function), reply) in cases.iter().zip(&replies[2..]) {
            assert_eq!(reply["success"], true, "{module} {function} {input}: {}", reply["error"]);
            let worst = deviation(&reply["output"], &expected(module, function, input));
            println!("{module} {function} {input}: {worst:.1e}");
            assert!(worst <= TOLERANCE, "{module} {function} {input}: {worst:e}");
            check_timings(reply["timings"].as_array().expect("timings"), 1);
        }
    }
}

/// A file of this test.
fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tool-{name}"));
    fs::write(&path, content).expect("a temporary file");
    path
}

#[test]
fn every_function_runs_on_a_file() {
    for module in modules() {
        let input = &inputs(module)[0];
        // The input of `hello` has no fields.
        let runs = if module == "hello" { 1 } else { 2 };
        let arguments = wanting(runs, data(&format!("{module}/{input}.json.gz")));
        let path = file(&format!("{module}.json"), &arguments.to_string());
        // All four modes of a descent take a while; messages ask for each.
        for f in FUNCTIONS.iter().filter(|f| f.module == module && !["ff", "fr", "rf"].contains(&f.name)) {
            let output = tool(&["--threads", "1", module, path.to_str().expect("a path"), f.name], "");
            assert!(output.status.success(), "{output:?}");
            let lines = lines(&output.stdout);
            let worst = deviation(&lines[0], &expected(module, f.name, input));
            assert!(worst <= TOLERANCE, "{module} {} {input}: {worst:e}", f.name);
            check_timings(&lines[1..], runs);
        }
    }
}

#[test]
fn runs_go_on_for_the_time_that_is_wanted() {
    let input = json!({ "x": [1.0, 2.0], "min_runs": 1, "min_seconds": 0.05 });
    let replies = replies(&[evaluation(0, "lse", "primal", &input)]);
    let timings = replies[0]["timings"].as_array().expect("timings");
    let spent: u64 = timings[1..].iter().filter_map(|timing| timing["nanoseconds"].as_u64()).sum();
    assert!(spent >= 50_000_000 && timings.len() > 2, "{} runs in {spent} ns", timings.len() - 1);
}

/// What is wrong with a message is said in its reply, and the next is answered.
#[test]
fn what_is_no_message_is_answered() {
    let evaluate = |module, function, input| evaluation(7, module, function, &input);
    let wrong = [
        ("rubbish".to_owned(), vec!["not JSON", "column 1"]),
        ("\u{1}".to_owned(), vec!["not JSON"]),
        ("[".repeat(1000), vec!["not JSON", "recursion"]),
        ("[1, 2]".to_owned(), vec!["an object with `id` and `kind`"]),
        (r#"{"kind": "start"}"#.to_owned(), vec!["`id`", "nothing"]),
        (r#"{"id": 7}"#.to_owned(), vec!["`kind`", "nothing"]),
        (r#"{"id": 7, "kind": "stop"}"#.to_owned(), vec!["stop", "`analysis`"]),
        (r#"{"id": 7, "kind": "define"}"#.to_owned(), vec!["`module`"]),
        (r#"{"id": 7, "kind": "define", "module": "gm"}"#.to_owned(), vec!["`gm`", "gmm"]),
        (evaluate("gmm", "jacobi", json!({})), vec!["`jacobi`", "objective, jacobian"]),
        (r#"{"id": 7, "kind": "evaluate", "module": "lse", "function": "primal"}"#.to_owned(), vec!["`input`"]),
        (evaluate("hello", "square", json!("3")), vec!["\"3\"", "a number"]),
        (evaluate("lse", "primal", json!({ "x": [1, "2"] })), vec!["`x`", "\"2\""]),
        (evaluate("lse", "primal", json!({ "x": [1], "min_runs": -1 })), vec!["`min_runs`", "-1"]),
        (evaluate("lse", "primal", json!({ "x": [1], "min_seconds": "1" })), vec!["`min_seconds`"]),
        (evaluate("lse", "primal", json!({ "x": [1], "min_seconds": 1e300 })), vec!["`min_seconds`"]),
        (
            evaluate("kmeans", "cost", json!({ "points": [[1, 2], [3]], "centroids": [[1, 2]] })),
            vec!["`points`", "row 1"],
        ),
        (evaluate("kmeans", "dir", json!({ "points": [1, 2], "centroids": [[1, 2]] })), vec!["`points`", "a list"]),
        (evaluate("det", "gradient", json!({ "A": [1.0], "ell": 40 })), vec!["`ell`", "from 1 to 12"]),
        (evaluate("ba", "objective", json!({ "n": 1, "m": 1, "p": 1e18 })), vec!["`p`", "from 1 to"]),
        (evaluate("ba", "jacobian", json!({ "n": 1, "m": 1, "p": 1, "cam": [1, 2] })), vec!["`cam`", "11 numbers"]),
        (evaluate("ht", "objective", json!({ "theta": [0, 1], "us": [], "data": {} })), vec!["`points`", "nothing"]),
        (evaluate("lstm", "jacobian", json!({ "main_params": [[1]] })), vec!["`extra_params`", "nothing"]),
        (evaluate("ode", "gradient", json!({ "x": [1], "s": 2.5 })), vec!["`s`", "2.5"]),
        (evaluate("particle", "ff", json!({})), vec!["`w`", "nothing"]),
        (evaluate("saddle", "rr", json!({ "start": 1 })), vec!["`start`", "a list"]),
    ];
    let last = evaluation(8, "hello", "double", &json!(1.5));
    let messages: Vec<String> = wrong.iter().map(|(message, _)| message.clone()).chain([String::new(), last]).collect();
    let replies = replies(&messages);
    // The empty line has no reply.
    assert_eq!(replies.len(), wrong.len() + 1);
    for ((message, expected), reply) in wrong.iter().zip(&replies) {
        let error = reply["error"].as_str().unwrap_or_else(|| panic!("{message} has reply {reply}"));
        assert!(expected.iter().all(|part| error.contains(part)), "{message} has error {error}");
        assert_eq!(reply["success"], false);
        assert!(reply["id"] == 7 || !message.contains(r#""id":"#) || !message.ends_with('}'), "{reply}");
    }
    assert_eq!((&replies[wrong.len()]["id"], &replies[wrong.len()]["output"]), (&json!(8), &json!(3.0)));
}

/// The tool fails with this status, nothing on standard output, and an error that says this.
fn fails(arguments: &[&str], status: i32, expected: &[&str]) {
    let output = tool(arguments, "");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty());
    assert!(expected.iter().all(|part| error.contains(part)), "{arguments:?}: {error}");
}

#[test]
fn what_are_no_arguments_is_an_error_that_says_so() {
    let lse = file("wrong.json", r#"{"x": [1, null]}"#);
    let text = file("text.json", "x = 3");
    let [lse, text] = [&lse, &text].map(|path| path.to_str().expect("a path"));
    fails(&["lse"], 2, &["usage"]);
    fails(&["--threads", "none"], 2, &["`--threads`", "usage"]);
    fails(&["lse", lse, "dual"], 2, &["`dual`", "primal, gradient"]);
    fails(&["lsd", lse, "primal"], 2, &["`lsd`", "lse"]);
    fails(&["lse", "there-is-none.json", "primal"], 1, &["there-is-none.json"]);
    fails(&["lse", text, "primal"], 1, &["text.json", "column 1"]);
    fails(&["lse", lse, "primal"], 1, &["`x`", "a number"]);
    fails(&["input", "gmm", "d=2", "k=3"], 1, &["`n`", "not given"]);
    fails(&["input", "gmm", "d=2", "k=3", "n=0"], 1, &["`n`", "from 1 to"]);
    fails(&["input", "gmm", "d=2", "k=3", "n=4", "p=5"], 1, &["`p`", "gamma"]);
    fails(&["input", "gmm", "d"], 1, &["`d`", "KEY=VALUE"]);
    fails(&["input", "kmeans", "k=4", "n=3", "d=2"], 1, &["`k`", "no more clusters than points"]);
    fails(&["input", "ht", "kind=large", "v=1", "c=1"], 1, &["`large`", "`simple` or `complicated`"]);
    fails(&["sizes", "hands"], 1, &["`hands`", "ht"]);
}

/// An input made by its sizes, by the tool.
fn made(settings: &str) -> String {
    let arguments: Vec<&str> = ["input"].into_iter().chain(settings.split(' ')).collect();
    let output = tool(&arguments, "");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("JSON is text")
}

#[test]
fn inputs_are_made_by_their_sizes_and_the_seed() {
    let [one, again, other] = ["seed=1", "seed=1", "seed=2"].map(|seed| made(&format!("lse n=5 {seed}")));
    assert!(one == again && one != other);
    // The benchmark does not draw those, so that they are its own.
    let golden = expected("ba", "objective", "ba1_n49_m7776_p31843");
    let path = file("ba.json", &made("ba n=49 m=7776 p=31843 min_seconds=0"));
    let output = tool(&["ba", path.to_str().expect("a path"), "objective"], "");
    assert!(deviation(&lines(&output.stdout)[0], &golden) <= TOLERANCE);
}

/// Every function gives numbers for inputs of few elements, and of one.
#[test]
fn inputs_that_are_made_are_inputs() {
    let small = [
        "hello x=2.5",
        "gmm d=1 k=1 n=1",
        "gmm d=2 k=5 n=30",
        "ba n=3 m=2 p=7",
        "ht kind=simple v=20 c=10",
        "ht kind=complicated v=6 c=10",
        "ht kind=complicated v=1 c=1",
        "lstm l=2 c=30",
        "lstm l=1 c=2 b=3",
        "kmeans k=5 n=50 d=3",
        "kmeans k=7 n=7 d=1",
        "lse n=25",
        "llsq m=12 n=16",
        "det ell=5",
        "ode n=20 s=1",
    ];
    for settings in small {
        let module = settings.split(' ').next().expect("a word");
        let input = wanting(1, serde_json::from_str(&made(settings)).expect("JSON"));
        let functions: Vec<&str> = FUNCTIONS.iter().filter(|f| f.module == module).map(|f| f.name).collect();
        let messages: Vec<String> = functions.iter().map(|f| evaluation(0, module, f, &input)).collect();
        for (function, reply) in functions.iter().zip(replies(&messages)) {
            assert_eq!(reply["success"], true, "{settings} {function}: {}", reply["error"]);
            let numbers = numbers(&reply["output"]);
            assert!(!numbers.is_empty() && numbers.iter().all(|x| x.is_finite()), "{settings} {function}: {numbers:?}");
        }
    }
}

/// The sizes of everything in a value of JSON.
fn shape(json: &Json) -> String {
    match json {
        Json::Array(all) => format!("[{}]{}", all.len(), all.first().map(shape).unwrap_or_default()),
        Json::Object(all) => all.iter().map(|(key, value)| format!("{key}: {}, ", shape(value))).collect(),
        _ => String::new(),
    }
}

/// Hands that are made are as large as those of the public data: 544 vertices, 1084 triangles over these.
#[test]
fn hands_that_are_made_have_the_shape_of_the_public_ones() {
    for (settings, public) in [
        ("ht kind=simple v=544 c=100", "simple_small_hand1_t26_c100"),
        ("ht kind=complicated v=544 c=800", "complicated_small_hand5_t26_c800"),
    ] {
        let made: Json = serde_json::from_str(&made(settings)).expect("JSON");
        let public = data(&format!("ht/{public}.json.gz"));
        for part in ["theta", "us", "data"] {
            assert_eq!(shape(&made[part]), shape(&public[part]), "{settings}: {part}");
        }
    }
    let large: Json = serde_json::from_str(&made("ht kind=complicated v=10000 c=12800")).expect("JSON");
    assert_eq!(large["data"]["model"]["triangles"].as_array().map(Vec::len), Some(1084));
    let corners = numbers(&large["data"]["model"]["triangles"]);
    assert!(corners.iter().all(|corner| *corner < 544.0));
}

/// Those of the notes, and every one has the keys that `input` wants.
#[test]
fn sizes_are_those_of_the_benchmark() {
    let sizes = |module| String::from_utf8(tool(&["sizes", module], "").stdout).expect("text");
    assert_eq!(
        sizes("det").lines().collect::<Vec<_>>(),
        (5..=11).map(|ell| format!("det ell={ell}")).collect::<Vec<_>>()
    );
    assert!(sizes("gmm").lines().any(|size| size == "gmm d=64 k=100 n=10000"));
    assert!(sizes("lse").ends_with("lse n=1280000\n"));
    let all = tool(&["sizes"], "").stdout;
    let all = String::from_utf8(all).expect("text");
    for module in modules() {
        let size = all.lines().find(|size| size.starts_with(module)).expect("each module has a size");
        assert!(!made(size).is_empty());
    }
}

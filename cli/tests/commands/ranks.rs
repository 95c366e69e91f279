//! The command on the ranks of a job, started by `mpirun` as its users do.
//!
//! Without `mpirun` nothing is tested, and that is said; where the variable `CATADIFF_MPI` of the environment is `required` it is an error.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use super::command::folder;

const PROGRAM: &str = "entry main (points: []f64) (centre: f64): (f64, []f64) =\n  \
                       let near = map (\\p -> f64.exp (-(p - centre) * (p - centre))) points\n  \
                       in (f64.sum near, scan (+) 0 near)\n\
                       entry loss (points: []f64) (centre: f64): f64 = f64.sum (map (\\p -> (p - centre) ** 2) points)\n\
                       entry settle (points: []f64): f64 =\n  \
                       loop x = 0 for _i < 40 do x + 0.1 * f64.sum (map (\\p -> f64.tanh (p - x)) points) / 5\n\
                       entry shuffled [n] (points: [n]f64): f64 = f64.sum (map (\\i -> points[(i * 7) % n]) (iota n))\n\
                       entry pick (points: []f64) (k: i64): f64 = points[k]\n";

fn has_mpirun() -> bool {
    let is_there = Command::new("mpirun").arg("--version").output().is_ok();
    if !is_there {
        eprintln!("SKIPPED: the command on ranks: there is no `mpirun`");
        assert!(!std::env::var("CATADIFF_MPI").is_ok_and(|value| value == "required"), "`mpirun` is required");
    }
    is_there
}

fn run(ranks: usize, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new("mpirun");
    command.args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_catadiff")]).args(arguments);
    command.envs([
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("RAYON_NUM_THREADS", "1"),
    ]);
    let mut running =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("`mpirun` starts");
    running.stdin.take().expect("it is piped").write_all(input.as_bytes()).expect("the first rank reads it");
    running.wait_with_output().expect("the job ends")
}

fn written(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn numbers(text: &str) -> Vec<f64> {
    let clean: String = text.chars().map(|c| if "[],\n".contains(c) { ' ' } else { c }).collect();
    clean.split_whitespace().map(|n| n.trim_end_matches("f64").parse().expect("a number")).collect()
}

/// The command on as many ranks writes, once, what it writes alone.
fn agrees(alone: &Output, together: &Output, ranks: usize) {
    let (alone, together) = (numbers(&written(alone)), numbers(&written(together)));
    assert_eq!(alone.len(), together.len(), "written once on {ranks} ranks");
    for (x, y) in alone.iter().zip(&together) {
        assert!((x - y).abs() <= 1e-12 * x.abs().max(1.0), "{y} where {x} is right");
    }
}

#[test]
fn ranks_write_once_what_one_process_writes() {
    if !has_mpirun() {
        return;
    }
    let folder = folder("command_on_ranks", &[("near.fut", PROGRAM)]);
    let file = folder.join("near.fut");
    let file = file.to_str().expect("its name is text");
    let points = "[0.5, -1.25, 2.0, 0.75, 1.5]";
    for arguments in [&["run", file, "-e", "main"][..], &["grad", file, "-e", "loss"], &["jvp", file, "-e", "loss"]] {
        let input =
            if arguments[0] == "jvp" { format!("{points} 0.25 {points} 1.0") } else { format!("{points} 0.25") };
        let alone = run(1, arguments, &input);
        for ranks in [1, 2, 4] {
            agrees(&alone, &run(ranks, &[arguments, &["--executor", "mpi"]].concat(), &input), ranks);
        }
    }
    // A state is kept and taken up.
    let states = folder.join("states");
    let states = states.to_str().expect("its name is text");
    let settle = ["run", file, "-e", "settle", "--executor", "mpi", "--keep", states, "--every", "7"];
    let whole = written(&run(2, &settle, points));
    assert_eq!(written(&run(2, &[&settle[..], &["--resume"]].concat(), points)), whole);
    assert!(std::fs::read_dir(states).expect("the folder is there").count() >= 2);
    let other = run(2, &[&settle[..], &["--resume"]].concat(), "[1.0, 2.0]");
    let said = String::from_utf8_lossy(&other.stderr);
    assert!(!other.status.success() && said.contains("another program, or of other arguments"), "{said}");
}

#[test]
fn ranks_read_their_rows_of_a_file() {
    if !has_mpirun() {
        return;
    }
    let folder = folder("rows_of_files", &[("near.fut", PROGRAM)]);
    let path = |name: &str| folder.join(name).to_str().expect("its name is text").to_owned();
    let array =
        |kind: &str, bytes: Vec<u8>, n: u64| [&[b'b', 2, 1], kind.as_bytes(), &n.to_le_bytes(), &bytes].concat();
    let points: Vec<f64> = (0..11).map(|k| f64::from(k) / 4.0 - 1.0).collect();
    let bytes = points.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(path("points"), array(" f64", bytes, 11)).expect("the folder takes files");
    std::fs::write(path("counts"), array(" i32", vec![0; 44], 11)).expect("the folder takes files");
    let (file, listed) = (path("near.fut"), format!("{points:?}"));
    let in_file = format!("points={}", path("points"));
    for (command, entry, rest) in [
        ("run", "main", "0.25"),
        ("grad", "loss", "0.25"),
        ("jvp", "loss", &format!("0.25 {listed} 1.0")),
        ("run", "settle", ""),
    ] {
        let alone = run(1, &[command, &file, "-e", entry], &format!("{listed} {rest}"));
        for ranks in [1, 2, 4] {
            let split = [command, &file, "-e", entry, "--executor", "mpi", "--split", &in_file];
            agrees(&alone, &run(ranks, &split, rest), ranks);
        }
    }
    let on_ranks = ["--executor", "mpi"];
    for (arguments, what) in [
        (vec!["--split", "points"], "no name and file"),
        (vec!["--split", "point=FILE"], "has no parameter `point`: it has points, centre"),
        (vec!["--split", &in_file, "--split", &in_file], "twice"),
        (vec!["--split", "centre=FILE"], "is not one array"),
        (vec!["--split", "points=/nowhere"], "/nowhere"),
        (vec!["--split", &format!("points={file}")], "no value in the binary format"),
        (vec!["--split", &format!("points={}", path("counts"))], "[]f64"),
    ] {
        let command = ["run", &file, "-e", "main"];
        let output = run(2, &[&command[..], &on_ranks, &arguments].concat(), "0.25");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(what), "{said}");
        assert_eq!(said.matches("catadiff: ").count(), 1, "{said}");
    }
    // What gathers is refused where it is not to.
    let pick = ["run", &file, "-e", "pick", "--split", &in_file, "--no-gather"];
    let output = run(2, &[&pick[..], &on_ranks].concat(), "3");
    assert_eq!(numbers(&written(&output)), [-0.25], "one element is sent to all");
    let shuffled = ["run", &file, "-e", "shuffled", "--split", &in_file];
    agrees(&run(1, &["run", &file, "-e", "shuffled"], &listed), &run(2, &[&shuffled[..], &on_ranks].concat(), ""), 2);
    let output = run(2, &[&shuffled[..], &on_ranks, &["--no-gather"]].concat(), "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("each element needs all of an array"), "{said}");
    for flag in [&["--split", &in_file][..], &["--no-gather"], &["--keep", "states"]] {
        for executor in [&[][..], &["--executor", "interpreter"], &["--executor", "lanes"]] {
            let alone = run(1, &[&["run", &file, "-e", "main"], flag, executor].concat(), "0.25");
            let said = String::from_utf8_lossy(&alone.stderr);
            assert!(!alone.status.success() && said.contains("add `--executor mpi`"), "{said}");
        }
    }
}

#[test]
fn a_mistake_is_said_once_with_the_code_that_one_process_has() {
    if !has_mpirun() {
        return;
    }
    let folder = folder("mistakes_on_ranks", &[("near.fut", PROGRAM)]);
    let file = folder.join("near.fut");
    let file = file.to_str().expect("its name is text");
    let on_ranks = ["--executor", "mpi"];
    for (arguments, input, what) in [
        (&["run", file, "-e", "pick"][..], "[1.0, 2.0] 7", "7"),
        (&["run", file, "-e", "main"], "[1.0, 2.0]", "takes 2 values"),
        (&["run", "missing.fut"], "", "missing.fut"),
        (&["test", file], "", "one program at a time"),
        (&["run", file, "-e", "main", "--every", "3"], "[1.0] 2.0", "--keep"),
    ] {
        let output = run(2, &[arguments, &on_ranks].concat(), input);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{said}");
        assert_eq!(said.matches("catadiff: ").count(), 1, "{said}");
        assert!(said.contains(what), "{said}");
    }
}

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

#[test]
fn ranks_write_once_what_one_process_writes() {
    if !has_mpirun() {
        return;
    }
    let folder = folder("command_on_ranks", &[("near.fut", PROGRAM)]);
    let file = folder.join("near.fut");
    let file = file.to_str().expect("its name is text");
    let points = "[0.5, -1.25, 2.0, 0.75, 1.5]";
    let numbers = |text: &str| -> Vec<f64> {
        let clean: String = text.chars().map(|c| if "[],\n".contains(c) { ' ' } else { c }).collect();
        clean.split_whitespace().map(|n| n.trim_end_matches("f64").parse().expect("a number")).collect()
    };
    for arguments in [&["run", file, "-e", "main"][..], &["grad", file, "-e", "loss"], &["jvp", file, "-e", "loss"]] {
        let input =
            if arguments[0] == "jvp" { format!("{points} 0.25 {points} 1.0") } else { format!("{points} 0.25") };
        let alone = written(&run(1, arguments, &input));
        for ranks in [1, 2, 4] {
            let together = written(&run(ranks, &[arguments, &["--executor", "mpi"]].concat(), &input));
            let (alone, together) = (numbers(&alone), numbers(&together));
            assert_eq!(alone.len(), together.len(), "written once on {ranks} ranks");
            for (x, y) in alone.iter().zip(&together) {
                assert!((x - y).abs() <= 1e-12 * x.abs().max(1.0), "{x} where {y} is right");
            }
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

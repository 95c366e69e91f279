//! Programs on the ranks of a job: this test starts itself by `mpirun`, on 1, 2 and 4 ranks, and on 8 where it counts what is sent.
//!
//! Without `mpirun` nothing is tested, and that is said; where the variable `CATADIFF_MPI` of the environment is `required` it is an error.
//! `cargo test --features mpi --test mpi -- NAME` runs the tests whose names begin so.

mod counts;
mod killed;
mod sharded;
mod suite;

use std::process::{Command, ExitCode};

use catadiff::execute::mpi::World;

/// What is tested on every number of ranks.
type Test = (&'static str, fn(&World));

fn tests() -> Vec<Test> {
    vec![
        ("counts", counts::formulas),
        ("parts", sharded::parts),
        ("additions", sharded::additions),
        ("kept", sharded::kept),
        ("rows", sharded::rows),
        ("files", sharded::files),
        ("wrong_arguments", sharded::wrong_arguments),
        ("bad_states", killed::bad_states),
        ("same_bits", suite::same_bits),
        ("suite", suite::keeps_the_contract),
    ]
}

const INSIDE: &str = "CATADIFF_INSIDE_MPI";

fn main() -> ExitCode {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    if std::env::var(INSIDE).is_ok() {
        let world = World::join().expect("a test joins once");
        if let Some(folder) = std::env::var_os(killed::FOLDER) {
            killed::job(&world, folder.as_ref());
            return ExitCode::SUCCESS;
        }
        for (name, test) in tests().into_iter().filter(|(name, _)| name.starts_with(&wanted)) {
            test(&world);
            if world.rank() == 0 {
                println!("{name} on {} ranks ... ok", world.ranks());
            }
        }
        return ExitCode::SUCCESS;
    }
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("SKIPPED: all tests of ranks: there is no `mpirun`");
        return if std::env::var("CATADIFF_MPI").is_ok_and(|value| value == "required") {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        };
    }
    // What is sent is counted on more; all else is the same there.
    let jobs = [(1, &wanted[..]), (2, &wanted), (4, &wanted), (8, "counts")];
    for (ranks, wanted) in jobs.into_iter().filter(|(ranks, only)| *ranks < 8 || only.starts_with(&wanted)) {
        let mut run = mpirun(ranks);
        run.arg(std::env::current_exe().expect("a test knows where it is")).arg(wanted).env(INSIDE, "1");
        let status = run.status().expect("`mpirun` starts");
        if !status.success() {
            eprintln!("FAILED on {ranks} ranks");
            return ExitCode::FAILURE;
        }
    }
    if "killed".starts_with(&wanted) {
        killed::nothing_is_lost();
        println!("killed ... ok");
    }
    ExitCode::SUCCESS
}

/// A job of as many ranks, which may be more than there are cores.
fn mpirun(ranks: usize) -> Command {
    let mut run = Command::new("mpirun");
    run.args(["-n", &ranks.to_string()]);
    // Open MPI asks for these; others do not know them, and need none.
    run.envs([
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_hwloc_base_binding_policy", "none"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("RAYON_NUM_THREADS", "1"),
    ]);
    run
}

//! What ranks send, counted: the formulas of `docs/scaling.md` hold to the byte.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::execute::mpi::{Mpi, Sharded, Traffic, World, part};
use catadiff::execute::{Flat, Lanes};

const N: usize = 64;

/// What one run sends, after one that makes what is made once.
fn traffic(world: &World, on_ranks: &Sharded, arguments: &[Flat]) -> Traffic {
    on_ranks.run(arguments).unwrap();
    let before = world.traffic();
    on_ranks.run(arguments).unwrap();
    let after = world.traffic();
    Traffic { messages: after.messages - before.messages, bytes: after.bytes - before.bytes }
}

fn mine(world: &World, columns: usize) -> Flat {
    let rows = part(N, world.rank(), world.ranks()).len();
    let sizes = if columns == 0 { vec![rows] } else { vec![rows, columns] };
    let count = sizes.iter().product();
    Flat::reals(&sizes, (0..count).map(|k| (k % 17) as f64 / 17.0).collect()).unwrap()
}

/// What a run says of its arguments before it starts: whether they fit, and how long each split one is.
fn before(split: usize, others: u64) -> (u64, u64) {
    (1 + split as u64, (1 + split as u64) * 8 * others)
}

/// The end of a run, or that a step went well and how much is sent.
const SAID: u64 = 16;

pub(super) fn formulas(world: &World) {
    let others = world.ranks() as u64 - 1;
    // The gradient of shared parameters is one sum of its size.
    let loss = Program::trace_named(&["a", "b", "x"], |a: Arr<Arr<F64>>, b: Arr<F64>, x: Arr<F64>| {
        (a.matvec(x) - b).map(|r| (r * r + 1.0).ln()).sum()
    })
    .unwrap();
    let gradient = loss.value_and_grad("x").unwrap();
    let on_ranks = Sharded::new(&gradient, &["a", "b"], Mpi::over(&Lanes).without_gathering()).unwrap();
    for columns in [3, 100, 10_000] {
        let x = Flat::reals(&[columns], vec![0.01; columns]).unwrap();
        let found = traffic(world, &on_ranks, &[mine(world, columns), mine(world, 0), x]);
        let (messages, bytes) = before(2, others);
        let terms = 8 * columns as u64;
        let stretch = 8 * part(columns, world.rank(), world.ranks()).len() as u64;
        let expected = if terms * world.ranks() as u64 <= 1 << 17 || world.ranks() == 1 {
            // Value and gradient go together.
            Traffic { messages: messages + 3, bytes: bytes + others * (2 * SAID + 8 + terms) }
        } else {
            let sums = terms - stretch + others * stretch;
            Traffic { messages: messages + 5, bytes: bytes + others * (2 * SAID + 8) + sums }
        };
        assert_eq!(found, expected, "{columns} parameters on {} ranks\n{}", world.ranks(), on_ranks.explain());
    }
    // A scan sends the last element of each part; what is computed of it stays where it is.
    let scan =
        Program::trace_named(&["xs"], |xs: Arr<F64>| xs.scan(F64::from(0.0), |a, b| a + b).map(|s| s * s)).unwrap();
    let on_ranks = Sharded::new(&scan, &["xs"], Mpi::over(&Lanes).without_gathering()).unwrap();
    let (messages, bytes) = before(1, others);
    let expected = Traffic { messages: messages + 3, bytes: bytes + others * (2 * SAID + 8) };
    assert_eq!(traffic(world, &on_ranks, &[mine(world, 0)]), expected);
    // Each iteration of a loop sends what its body does.
    let steps = 10;
    let descent = Program::trace_named(&["xs", "x"], |xs: Arr<F64>, x: F64| {
        loop_for(steps, x, move |_, x| x - xs.map(move |y| (x - y).tanh()).sum() * 0.01)
    })
    .unwrap();
    let on_ranks = Sharded::new(&descent, &["xs"], Mpi::over(&Lanes).without_gathering()).unwrap();
    let steps = steps as u64;
    let expected = Traffic { messages: messages + 2 * steps + 1, bytes: bytes + others * (steps * (SAID + 8) + SAID) };
    let x = Flat::reals(&[], vec![0.5]).unwrap();
    assert_eq!(traffic(world, &on_ranks, &[mine(world, 0), x]), expected, "{}", on_ranks.explain());
}

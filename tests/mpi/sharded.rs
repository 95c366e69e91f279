//! Laws of arguments of which each rank has its part: the parts of results are parts of the results of one process.

use catadiff::array::trace::{Arr, F64};
use catadiff::array::{Policy, Program};
use catadiff::execute::mpi::{Every, Keep, Mpi, Shard, Sharded, World, part};
use catadiff::execute::{Flat, Lanes};
use catadiff::{Elementary, Error};

const ON_RANKS: Mpi = Mpi::over(&Lanes);

/// A program on the parts of its arguments that are split, beside one process.
fn agrees(world: &World, program: &Program, split: &[&str], arguments: &[Flat]) -> Vec<Shard> {
    let on_ranks = Sharded::new(program, split, ON_RANKS).unwrap();
    let mine = |flat: &Flat| {
        let row: usize = flat.sizes()[1..].iter().product();
        let rows = part(flat.sizes()[0], world.rank(), world.ranks());
        let sizes: Vec<usize> = std::iter::once(rows.len()).chain(flat.sizes()[1..].iter().copied()).collect();
        Flat::reals(&sizes, flat.as_reals().unwrap()[rows.start * row..rows.end * row].to_vec()).unwrap()
    };
    let parts = program.names().iter().zip(arguments);
    let parts: Vec<Flat> =
        parts.map(|(name, flat)| if split.contains(&name.as_str()) { mine(flat) } else { flat.clone() }).collect();
    let shards = on_ranks.run(&parts).unwrap();
    let mut alone = Vec::new();
    program.compile().unwrap().run_into(arguments, &mut alone).unwrap();
    for (shard, expected) in shards.iter().zip(&alone) {
        let found = shard.whole().unwrap();
        assert_eq!(found.sizes(), expected.sizes());
        for (x, y) in found.as_reals().unwrap().iter().zip(expected.as_reals().unwrap()) {
            assert!((x - y).abs() <= 1e-11 * y.abs().max(1.0), "{x} where {y} is right\n{}", on_ranks.explain());
        }
    }
    shards
}

fn reals(sizes: &[usize], scale: f64) -> Flat {
    let count: usize = sizes.iter().product();
    Flat::reals(sizes, (0..count).map(|k| ((k * 37 % 101) as f64 / 101.0 - 0.4) * scale).collect()).unwrap()
}

/// Sums, elements of results, scans, and what each rank needs of others.
pub(super) fn parts(world: &World) {
    let (xs, ys) = (reals(&[23], 1.0), reals(&[23], 2.0));
    let mean = Program::trace_named(&["xs", "ys"], |xs: Arr<F64>, ys: Arr<F64>| {
        let mean = xs.sum() / xs.len().to_f64();
        ((xs * ys).map(|x| (x - mean).tanh()), xs.map(|x| (x - mean) * (x - mean)).sum())
    })
    .unwrap();
    let shards = agrees(world, &mean, &["xs", "ys"], &[xs.clone(), ys.clone()]);
    assert_eq!(shards[0].split, Some((0, 23)));
    assert_eq!(shards[1].split, None);
    assert_eq!(shards[0].flat.sizes(), [part(23, world.rank(), world.ranks()).len()]);
    // The gradient by what is split is split; that by the mean's share of it is one more sum.
    let loss = Program::trace_named(&["xs", "ys"], |xs: Arr<F64>, ys: Arr<F64>| {
        let mean = xs.sum() / xs.len().to_f64();
        (xs * ys).map(|x| (x - mean).tanh()).sum()
    })
    .unwrap();
    let shards = agrees(world, &loss.grad(0).unwrap(), &["xs", "ys"], &[xs.clone(), ys.clone()]);
    assert_eq!(shards[0].split, Some((0, 23)));
    let sums = Program::trace_named(&["xs"], |xs: Arr<F64>| {
        let sums = xs.scan(F64::from(0.0), |a, b| a + b);
        (sums.map(|s| s * s).sum(), sums)
    })
    .unwrap();
    agrees(world, &sums, &["xs"], core::slice::from_ref(&xs));
    let ends = Program::trace_named(&["xs"], |xs: Arr<F64>| (xs.index(0) * xs.index(22), xs.reverse())).unwrap();
    agrees(world, &ends, &["xs"], &[xs]);
}

/// What is added to an array: for elements of a split one, by a map that is not split but reads it, and within a branch.
pub(super) fn additions(world: &World) {
    let xs = reals(&[23], 1.0);
    let text = "program (xs: []f64) {
       let zeros: []f64 = replicate(3i64, 0.0f64)
       let a: acc []f64 = accumulator(zeros)
       let b: acc []f64 = map (xs) adding (a) |x: f64, of: acc []f64| {
         let added: acc []f64 = of with [0i64] += x
         return added
       }
       let ks: []i64 = iota(3i64)
       let c: acc []f64 = map (ks) adding (b) |k: i64, of: acc []f64| {
         let x: f64 = xs[k]
         let added: acc []f64 = of with [k] += x
         return added
       }
       let first: f64 = xs[0i64]
       let positive: bool = lt(0.0f64, first)
       let d: acc []f64 = if positive {
         return c
       } else {
         let added: acc []f64 = c with [1i64] += 2.0f64
         return added
       }
       let e: acc []f64 = map (xs) adding (d) |x: f64, of: acc []f64| {
         let double: f64 = mul(x, 2.0f64)
         let added: acc []f64 = of with [2i64] += double
         return added
       }
       let sums: []f64 = array(e)
       return sums
     }";
    let program = Program::parse(text).unwrap();
    agrees(world, &program, &["xs"], &[xs]);
}

/// The states of a loop on arguments that are split are kept, and taken up.
pub(super) fn kept(world: &World) {
    let folder = std::env::temp_dir().join(format!("catadiff-sharded-{}", world.ranks()));
    let program = Program::trace_named(&["xs"], |xs: Arr<F64>| {
        catadiff::array::trace::loop_for(9, xs, |_, xs: Arr<F64>| {
            let sum = xs.sum();
            xs.map(move |x| (x + sum).sin())
        })
    })
    .unwrap();
    let state = folder.join(format!("loop0.rank{}.0.state", world.rank()));
    let _ = std::fs::remove_file(&state);
    let mine = reals(&[part(23, world.rank(), world.ranks()).len()], 1.0);
    let mut runs = Vec::new();
    for resume in [false, true] {
        let keep = Keep { resume, ..Keep::new(&folder, Every::Iterations(2)) };
        let on_ranks = Sharded::new(&program, &["xs"], ON_RANKS.keeping(keep)).unwrap();
        runs.push(on_ranks.run(core::slice::from_ref(&mine)).unwrap());
        assert!(state.exists(), "the state is kept");
    }
    assert_eq!(runs[0], runs[1]);
}

/// Rows of a matrix: products with it along and across what is split, and a loop around them.
pub(super) fn rows(world: &World) {
    let (a, b, x) = (reals(&[19, 5], 1.0), reals(&[19], 1.0), reals(&[5], 0.1));
    let descent = Program::trace_named(&["a", "b", "x"], |a: Arr<Arr<F64>>, b: Arr<F64>, x: Arr<F64>| {
        catadiff::array::trace::loop_for(12, x, move |_, x| {
            let residual = a.matvec(x) - b;
            x - a.transpose().matvec(residual) * 0.05
        })
    })
    .unwrap();
    agrees(world, &descent, &["a", "b"], &[a.clone(), b.clone(), x.clone()]);
    let on_ranks = Sharded::new(&descent, &["a", "b"], ON_RANKS.without_gathering());
    assert!(on_ranks.is_ok(), "each rank needs its rows alone: {on_ranks:?}");
    let loss = Program::trace_named(&["a", "b", "x"], |a: Arr<Arr<F64>>, b: Arr<F64>, x: Arr<F64>| {
        let x = catadiff::array::trace::loop_for(6, x, move |_, x| {
            let residual = a.matvec(x) - b;
            x - a.transpose().matvec(residual).map(|g| g.tanh()) * 0.05
        });
        (x * x).sum()
    })
    .unwrap();
    for policy in [Policy::KeepAll, Policy::Binomial(2)] {
        let gradient = loss.with_policy(policy).grad(2).unwrap();
        agrees(world, &gradient, &["a", "b"], &[a.clone(), b.clone(), x.clone()]);
    }
}

/// What does not fit is the same error on every rank, and the next run is as if there had been none.
pub(super) fn wrong_arguments(world: &World) {
    let sum = Program::trace_named(&["xs", "ys"], |xs: Arr<F64>, ys: Arr<F64>| (xs * ys).sum()).unwrap();
    assert!(matches!(Sharded::new(&sum, &["zs"], ON_RANKS), Err(Error::Parameter { .. })));
    let on_ranks = Sharded::new(&sum, &["xs", "ys"], ON_RANKS).unwrap();
    let mine = part(10, world.rank(), world.ranks()).len();
    let good = reals(&[mine], 1.0);
    // The last rank has one row too many.
    let wrong = if world.rank() + 1 == world.ranks() { reals(&[mine + 2], 1.0) } else { good.clone() };
    if world.ranks() > 1 {
        let error = on_ranks.run(&[wrong, good.clone()]).unwrap_err();
        assert!(matches!(error, Error::Rank { .. }), "{error}");
        // One rank alone has an argument of another rank.
        let wrong = if world.rank() == 1 { reals(&[mine, 1], 1.0) } else { good.clone() };
        let error = on_ranks.run(&[wrong, good.clone()]).unwrap_err();
        assert!(matches!(error, Error::Rank { rank: 1, .. } | Error::Argument { .. }), "{error}");
    }
    assert!(on_ranks.run(&[good.clone(), good]).is_ok());
    // Arguments that the program says are of one length.
    let agree = Program::parse(
        "program (n: i64, xs: []f64) {
           let () = agree mapped (n) = (size[0](xs))
           let ys: []f64 = map (xs) |x: f64| { let y: f64 = mul(x, x) return y }
           return ys
         }",
    )
    .unwrap();
    let on_ranks = Sharded::new(&agree, &["xs"], ON_RANKS).unwrap();
    let run = |n: i64| on_ranks.run(&[Flat::integers(&[], vec![n]).unwrap(), reals(&[mine], 1.0)]);
    assert!(run(10).is_ok());
    let error = run(11).unwrap_err().to_string();
    assert!(error.contains("11") && error.contains("10"), "{error}");
    // An array of all indices is a result, and gone through as well.
    let indices = Program::trace_named(&["xs"], |xs: Arr<F64>| {
        let all = catadiff::array::trace::iota(xs.len());
        (all, (all.map(|k| k.to_f64()) * xs).sum())
    })
    .unwrap();
    let on_ranks = Sharded::new(&indices, &["xs"], ON_RANKS).unwrap();
    let shards = on_ranks.run(&[reals(&[mine], 1.0)]).unwrap();
    assert_eq!(shards[0].whole().unwrap().as_integers().unwrap(), (0..10).collect::<Vec<i64>>());
    // What is gathered is said, if it is not wanted.
    let reversed = Program::trace_named(&["xs"], |xs: Arr<F64>| (xs * xs.reverse()).sum()).unwrap();
    let error = Sharded::new(&reversed, &["xs"], ON_RANKS.without_gathering()).unwrap_err();
    assert!(error.to_string().contains("reverse"), "{error}");
    // A fault on one rank ends the run on all.
    let pick = Program::parse(
        "program (xs: []f64, places: []i64) {
           let found: []f64 = map (places) |k: i64| { let x: f64 = xs[k] return x }
           return found
         }",
    )
    .unwrap();
    let on_ranks = Sharded::new(&pick, &["places"], ON_RANKS).unwrap();
    let rows = part(8, world.rank(), world.ranks());
    let last = rows.end == 8;
    let at = Flat::integers(&[rows.len()], rows.map(|k| if last && k == 7 { 99 } else { 0 }).collect()).unwrap();
    let error = on_ranks.run(&[reals(&[3], 1.0), at]).unwrap_err();
    assert!(
        matches!(&error, Error::Rank { rank, reason } if *rank == world.ranks() - 1 && reason.contains("99")),
        "{error}"
    );
}

/// Each rank reads its rows of a file, of every kind.
pub(super) fn files(world: &World) {
    let path = std::env::temp_dir().join(format!("catadiff-rows-{}-{}.bin", world.ranks(), world.rank()));
    let write = |kind: &str, sizes: &[u64], bytes: &[u8]| {
        let mut all = vec![b'b', 2, sizes.len() as u8];
        all.extend(format!("{kind:>4}").as_bytes());
        sizes.iter().for_each(|size| all.extend(size.to_le_bytes()));
        all.extend(bytes);
        std::fs::write(&path, all).unwrap();
    };
    let rows = part(7, world.rank(), world.ranks());
    let numbers = |rows: std::ops::Range<usize>| rows.start * 2..rows.end * 2;
    let bytes: Vec<u8> = (0..14).flat_map(|k| (f64::from(k) / 3.0).to_le_bytes()).collect();
    write("f64", &[7, 2], &bytes);
    let read = world.read_rows(&path).unwrap();
    assert_eq!(read.sizes(), [rows.len(), 2]);
    assert_eq!(read.as_reals().unwrap(), numbers(rows.clone()).map(|k| k as f64 / 3.0).collect::<Vec<_>>());
    write("f32", &[7, 2], &(0..14).flat_map(|k| (k as f32).to_le_bytes()).collect::<Vec<u8>>());
    let read = world.read_rows(&path).unwrap();
    assert_eq!(read.as_singles().unwrap(), numbers(rows.clone()).map(|k| k as f32).collect::<Vec<_>>());
    write("i32", &[7, 2], &(0..14).flat_map(|k: i32| (-k).to_le_bytes()).collect::<Vec<u8>>());
    let read = world.read_rows(&path).unwrap();
    assert_eq!(read.as_integers().unwrap(), numbers(rows.clone()).map(|k| -(k as i64)).collect::<Vec<_>>());
    write("u8", &[7, 2], &(240..254).collect::<Vec<u8>>());
    let read = world.read_rows(&path).unwrap();
    assert_eq!(read.as_integers().unwrap(), numbers(rows).map(|k| 240 + k as i64).collect::<Vec<_>>());
    for (kind, sizes, count) in [("f64", &[7, 2][..], 13), ("f64", &[7, 2], 15), ("f99", &[7, 2], 14), ("f64", &[], 1)]
    {
        write(kind, sizes, &vec![0; 8 * count]);
        let error = world.read_rows(&path).unwrap_err();
        assert!(matches!(error, Error::File { .. }), "{error}");
    }
    // What is wrong on one rank is wrong on all, and they go on together.
    let last = world.ranks() - 1;
    if world.rank() < last {
        write("i8", &[7], &[1; 7]);
    }
    match world.read_rows(&path).unwrap_err() {
        Error::File { .. } => assert_eq!(world.rank(), last),
        Error::Rank { rank, reason } => {
            assert!(world.rank() < last && rank == last && reason.contains(&format!("-{last}.bin")), "{reason}");
        }
        other => panic!("{other}"),
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(world.read_rows(&path), Err(Error::File { .. })));
}

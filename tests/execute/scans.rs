//! Scans, histograms and scatters over many elements are those of the reference interpreter, with any number of threads.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_, iota, replicate};
use catadiff::execute::{Executor, Lanes, Outcome};
use catadiff::interpret::{Control, Value};
use catadiff::{Elementary, Result};
use catadiff_laws::{Verdict, executors};

use crate::prepared;

/// Lengths at which another way begins, or a block is full, and beside them; after the blocks of the last two some values
/// are left over: one, and 544.
const LENGTHS: [usize; 8] = [0, 1, 7, 129, 16_383, 16_384, 17_409, 20_000];

/// Enough elements that there are several sets of blocks.
const LARGE: usize = 262_145;

/// Numbers between −1 and 1 that look random.
fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect()
}

/// Indices, some of them out of bounds; for eleven places the last is within, at each of the lengths.
fn integers(n: usize, of: usize) -> Vec<i64> {
    (0..n).map(|k| ((k * 7919 + 14) % 100_003 % of) as i64 - 2).collect()
}

/// What a test runs: a program, and its arguments for this many elements.
type Case = (Program, fn(usize) -> Result<Vec<Value<f64>>>);

fn scans() -> Result<Vec<Case>> {
    let reals: fn(usize) -> Result<Vec<Value<f64>>> = |n| Ok(vec![Value::new(numbers(n))?]);
    let pairs: fn(usize) -> Result<Vec<Value<f64>>> = |n| Ok(vec![Value::new(numbers(n))?, Value::new(numbers(n))?]);
    let four: fn(usize) -> Result<Vec<Value<f64>>> = |n| (0..4).map(|_| Value::new(numbers(n))).collect();
    let sums = Program::trace(|xs: Arr<F64>| xs.scan(0.0, |a, b| a + b))?;
    let greatest = Program::trace(|xs: Arr<F64>| xs.scan(f64::NEG_INFINITY, |a, b| a.max(b)))?;
    // A linear recurrence, of what a map makes; the operator is associative and does not commute.
    let recurrence = Program::trace(|a: Arr<F64>, b: Arr<F64>| {
        a.map2(b, |a, b| (a * 0.9, b)).scan((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d)).map(|(_, y)| y)
    })?;
    let counted = Program::trace(|n: I64| iota(n).scan(0, |a, b| a + b))?;
    let sizes: fn(usize) -> Result<Vec<Value<f64>>> = |n| Ok(vec![(n as i64).into()]);
    let gradient = Program::trace(|xs: Arr<F64>| xs.scan(1.0, |a, b| a * b).map(|y| y.sin()).sum())?.grad(0)?;
    let near_one: fn(usize) -> Result<Vec<Value<f64>>> =
        |n| Ok(vec![Value::new(numbers(n).iter().map(|x| 1.0 + x / 1e4).collect::<Vec<_>>())?]);
    // Truth values and integers that little is computed for are computed in each pass: of an array, and of a map that waits as well; of
    // numbers, and of what is the same for all; and sines are not little.
    let flagged = Program::trace(|xs: Arr<F64>, ys: Arr<F64>| {
        let starts = xs.map(|x| x.gt(0.9));
        starts.map2(ys, |start, y| (start, y)).scan((false, 0.0), |(f, x), (g, y)| (f | g, if_(g, || y, || x + y)))
    })?;
    let counts = Program::trace(|n: I64| {
        let counts = iota(n).map(|k| k + 3).map2(replicate(n, n), |k, n| (k % 7, n - k));
        counts.scan((1, 0), |(a, b), (c, d)| (a * c, b * c + d))
    })?;
    let sines = Program::trace(|xs: Arr<F64>| {
        let all = xs.map(|x| (x.sin().gt(0.5), x.lt(0.5)));
        all.scan((false, true), |(a, p), (b, q)| (if_(q, || a | b, || b), p & q))
    })?;
    Ok(vec![
        (sums.clone(), reals),
        (sums.vjp()?, pairs),
        (greatest, reals),
        (recurrence, pairs),
        (counted, sizes),
        (gradient, near_one),
        (flagged.clone(), pairs),
        (flagged.jvp()?, four),
        (counts, sizes),
        (sines, reals),
    ])
}

fn histograms() -> Result<Vec<Case>> {
    let of_seven: fn(usize) -> Result<Vec<Value<f64>>> =
        |n| Ok(vec![Value::new(integers(n, 11))?, Value::new(numbers(n))?]);
    let greatest = Program::trace(|at: Arr<I64>, xs: Arr<F64>| {
        hist(7, f64::NEG_INFINITY, at, xs.map(|x| x * 3.0), |a, b| a.max(b))
    })?;
    // What it starts from is not neutral, and counts once.
    let product = Program::trace(|at: Arr<I64>, xs: Arr<F64>| {
        hist(7, 3.0, at, xs.map(|x| 1.0 + x / 1e4), |a, b| if_(a.lt(b), || a * b, || b * a))
    })?;
    // The least, and where it is first.
    let least = Program::trace(|at: Arr<I64>, xs: Arr<F64>| {
        let places = iota(at.len());
        let both = xs.map2(places, |x, k| (x, k));
        hist(7, (f64::INFINITY, i64::MAX), at, both, |(x, k), (y, l)| {
            if_(x.lt(y) | (x.eq(y) & k.le(l)), || (x, k), || (y, l))
        })
    })?;
    Ok(vec![(greatest, of_seven), (product, of_seven), (least, of_seven)])
}

fn scatters() -> Result<Vec<Case>> {
    let places: fn(usize) -> Result<Vec<Value<f64>>> =
        |n| Ok(vec![Value::new(integers(n, n.max(9) * 3 / 4))?, Value::new(numbers(n))?]);
    let rows: fn(usize) -> Result<Vec<Value<f64>>> =
        |n| Ok(vec![Value::new(integers(n, n.max(9) / 4))?, Value::reals(&[n, 3], numbers(3 * n))?]);
    let scalars = Program::trace(|at: Arr<I64>, xs: Arr<F64>| xs.zeros_like().scatter(at, xs))?;
    let of_rows = Program::trace(|at: Arr<I64>, xs: Arr<Arr<F64>>| xs.zeros_like().scatter(at, xs))?;
    Ok(vec![(scalars, places), (of_rows, rows)])
}

/// An accumulator of two dimensions receives at all indices from one before the first to one after the last. An index past the
/// end of a row is out of bounds, although the buffer goes on there.
#[test]
fn what_is_added_out_of_bounds_is_not_added() -> Verdict {
    let program = Program::parse(
        "program (m: [][]f64, is: []i64, js: []i64, xs: []f64) {
            let a = accumulator(m)
            let c = map (is, js, xs) adding (a) |i: i64, j: i64, x: f64, d: acc [][]f64| {
                let f = d with [i, j] += x return f }
            let r = array(c) return r }",
    );
    let program = program.expect("it is well typed");
    let (rows, columns) = (3, 4);
    let places: Vec<[i64; 2]> = (-1..=rows).flat_map(|i| (-1..=columns).map(move |j| [i, j])).collect();
    let [is, js] = [0, 1].map(|d| places.iter().map(|at| at[d]).collect::<Vec<i64>>());
    let reals = |sizes: &[usize], n| Value::reals(sizes, numbers(n)).expect("as many as there are");
    let n = places.len();
    let indices = |at: Vec<i64>| Value::new(at).expect("a list");
    executors::same(&Lanes, &program, &[reals(&[3, 4], 12), indices(is), indices(js), reals(&[n], n)])
}

/// Operators of one addition: of both operands in either order, of one of them twice, and with a number.
#[test]
fn not_all_that_adds_is_a_sum() -> Verdict {
    type Vector = Arr<F64>;
    for (f, g) in (0..9).map(|k| (k / 3, k % 3)) {
        let add = move |a: F64, b: F64| [a, b, F64::from(1.0)][f] + [a, b, F64::from(1.0)][g];
        let rows = move |p: Vector, q: Vector| p.map2(q, add);
        let program = Program::trace(|at: Arr<I64>, xs: Vector, table: Arr<Vector>| {
            let start = table.index(0);
            let (reduced, scanned) = (table.reduce(start, rows), table.scan(start, rows));
            let bins = hist(4, start, at, table, rows);
            ((xs.reduce(2.0, add), xs.scan(2.0, add), hist(4, 2.0, at, xs, add)), (reduced, scanned, bins))
        });
        let program = program.expect("it is well typed");
        let program = prepared(&program);
        for (n, k) in [(1, 1), (9, 5), (130, 3)] {
            let value = |sizes: &[usize], n: usize| Value::reals(sizes, numbers(n)).expect("as many as there are");
            let at = Value::new(integers(n, 7)).expect("a list");
            program.same(&[at, value(&[n], n), value(&[n, k], n * k)])?;
        }
    }
    Ok(())
}

/// Rows that lanes have computed are added at indices of which none, some or all are out of bounds.
#[test]
fn rows_are_added_where_there_is_room() -> Verdict {
    let program = Program::trace(|at: Arr<I64>, xs: Arr<F64>, by: Arr<F64>| {
        let rows = xs.map(|x| by.map(|y| x * y));
        (
            hist(4, by, at, rows, |p, q| p + q),
            hist(4, by, at, rows.map(|row| row.scan(0.0, |a, b| a + b)), |p, q| p + q),
        )
    });
    let program = program.expect("it is well typed");
    let program = prepared(&program);
    for k in [1, 7, 8, 9, 20] {
        for n in [1, 8, 13, 130] {
            for at in [|k: usize| k as i64 % 4, |k: usize| k as i64 % 6 - 1, |k: usize| if k % 16 < 8 { 7 } else { 1 }]
            {
                let at = Value::new((0..n).map(at).collect::<Vec<_>>()).expect("a list");
                let reals = |n: usize| Value::new(numbers(n)).expect("a list");
                program.same(&[at, reals(n), reals(k)])?;
            }
        }
    }
    Ok(())
}

fn same(cases: Vec<Case>) -> Result<()> {
    for (k, (program, arguments)) in cases.into_iter().enumerate() {
        let program = prepared(&program);
        for n in LENGTHS.into_iter().chain((k == 0).then_some(LARGE)) {
            program.same(&arguments(n)?).unwrap_or_else(|e| panic!("{n} elements: {e}"));
        }
    }
    Ok(())
}

#[test]
fn scans_are_those_of_the_interpreter() -> Result<()> {
    same(scans()?)
}

#[test]
fn histograms_are_those_of_the_interpreter() -> Result<()> {
    same(histograms()?)
}

#[test]
fn the_last_that_is_scattered_stays() -> Result<()> {
    same(scatters()?)
}

#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_the_number_of_threads() -> Result<()> {
    let cases = scans()?.into_iter().chain(histograms()?).chain(scatters()?);
    for (program, arguments) in cases {
        let prepared = Lanes.prepare(&program)?.expect("lanes can run it");
        let arguments = arguments(LARGE)?;
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| prepared.run(&arguments, Control::default()))
        };
        let one = with(1)?;
        assert!(matches!(one, Outcome::Done { stepwise: false, .. }), "{program}");
        for threads in [2, 7] {
            assert_eq!(with(threads)?, one, "with {threads} threads");
        }
    }
    Ok(())
}

/// Code for one thread goes along rows that code for several shares out; sums with products that are rounded once are the same ones.
#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_the_threads_that_code_is_made_for() -> Result<()> {
    let rows = Program::trace(|a: Arr<Arr<F64>>, f: Arr<F64>, g: Arr<F64>, r: Arr<F64>, s: Arr<F64>| {
        let one = a.map3(f, g, |row, f, g| row.map3(r, s, |x, r, s| x - f * r + (f * g + s)));
        let other = one.map2(f, |row, f| row.map3(r, s, |x, r, s| (x * f + r * s).max(r * f) - (r + f) * s));
        (one, other)
    })?;
    let (n, m) = (700, 600);
    let reals = |n: usize| Value::new(numbers(n));
    let a = Value::reals(&[n, m], numbers(n * m))?;
    let arguments = [a, reals(n)?, Value::new(numbers(n + 3)[3..].to_vec())?, reals(m)?, reals(m)?];
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
        pool.install(|| {
            let prepared = Lanes.prepare(&rows)?.expect("lanes can run it");
            prepared.run(&arguments, Control::default())
        })
    };
    let one = with(1)?;
    assert!(matches!(one, Outcome::Done { stepwise: false, .. }), "{rows}");
    for threads in [2, 5] {
        assert_eq!(with(threads)?, one, "for {threads} threads");
    }
    Ok(())
}

/// What all lanes find alike by a scan of their own says where each of them adds.
#[test]
fn a_scan_that_lanes_have_in_common_gives_places() -> Result<()> {
    let program = Program::parse(
        "program (all: []i64, sums: []f64, counts: []i32, x: f64) {
          let into = accumulator(sums)
          let added = map (all) adding (into) |k: i64, into: acc []f64| {
            let ands = scan commutative (all) from (3i64) |a: i64, b: i64| { let c = and(a, b) return c }
            let own = accumulator(counts)
            let counted = map (ands) adding (own) |place: i64, own: acc []i32| {
              let zero = mod(place, 1i64)
              let first = own with [zero] += 3i32
              let last = first with [place] += 5i32
              return last }
            let counts = array(counted)
            let count = counts[0i64]
            let y = f64(count)
            let z = mul(x, y)
            let added = into with [k] += z
            return added }
          let sums = array(added)
          return sums }",
    )?;
    for n in [0, 1, 5, 40] {
        let all: Vec<i64> = (0..n).map(|k| k % 4).collect();
        crate::same(&program, &[Value::new(&all[..])?, Value::new([1.0; 4])?, Value::new([7_i32; 4])?, 0.5.into()]);
    }
    Ok(())
}

/// What is added to neighbours, from a bin on that may be outside, on every executor.
#[test]
fn values_are_added_to_neighbours() {
    let added = Program::parse(
        "program (first: i64, bins: []f64, ns: []i64, xs: []f64) {
           let n = size[0](xs)
           let numbers = iota(n)
           let places = map (numbers) |i: i64| { let k = add(first, i) return k }
           let squares = map (xs) |x: f64| { let y = mul(x, x) return y }
           let sums = hist (bins) at places (squares) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
           let again = map (numbers) |i: i64| { let k = add(i, first) return k }
           let counts = hist (ns) at again (numbers) from (0i64) |a: i64, b: i64| { let c = add(a, b) return c }
           return sums, counts, bins
         }",
    );
    let added = added.unwrap();
    let gradient = Program::trace(|xs: Arr<F64>, from: I64, n: I64| xs.range(from, n, 1).map(|x| x * x).sum());
    let gradient = gradient.unwrap().grad(0).unwrap();
    for executor in executors::at_hand() {
        for (bins, values) in [(0, 0), (5, 0), (0, 5), (300, 40), (300, 300), (40, 300)] {
            let near = [-1000, -41, -40, -3, -1, 0, 1, 39, 40, 258, 261, 299, 300, 301];
            for first in near.into_iter().chain([i64::MIN, i64::MIN + 7, i64::MAX - 7, i64::MAX]) {
                let (there, more) = (Value::reals(&[bins], numbers(bins)).unwrap(), numbers(values));
                let counts = Value::new(integers(bins, 11)).unwrap();
                let arguments = [first.into(), there, counts, Value::reals(&[values], more).unwrap()];
                executors::same_if_supported(executor, &added, &arguments).unwrap();
            }
        }
        for (from, count) in [(0, 100), (0, 60), (39, 61), (100, 0), (41, 60)] {
            let arguments = [Value::new(numbers(100)).unwrap(), i64::from(from).into(), i64::from(count).into()];
            executors::same_if_supported(executor, &gradient, &arguments).unwrap();
        }
    }
}

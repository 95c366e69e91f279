//! Products of matrices, on lanes as in the interpreter, however they are written and whatever parts of blocks and of tiles
//! there are: those of the program, and the sums of outer products that their derivatives are.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64};
#[cfg(feature = "native")]
use catadiff::execute::Native;
use catadiff::execute::{Executor, Lanes, NarrowLanes, Outcome};
use catadiff::interpret::{Control, Scalar, Value};
use catadiff::{Elementary, Result};
use catadiff_laws::executors::{Sides, steps_counted};
use catadiff_laws::{Verdict, for_all};

use crate::prepared;

type Matrix = Arr<Arr<F64>>;

/// Numbers between −1 and 1 that look random.
fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + seed) % 1009) as f64 / 504.5 - 1.0).collect()
}

fn array(sizes: &[usize], numbers: Vec<f64>) -> Value<f64> {
    Value::reals(sizes, numbers).expect("as many elements as the sizes say")
}

fn matrix(sizes: [usize; 2], seed: usize) -> Value<f64> {
    array(&sizes, numbers(sizes[0] * sizes[1], seed))
}

/// For rows `p` of `x`, the sum of the squares of `W p`.
fn squares() -> Program {
    Program::trace(|w: Matrix, x: Matrix| x.map(|p| w.map(|row| (row * p).sum()).map(|y| y * y).sum()).sum())
        .expect("it is well typed")
}

fn agrees(vjp: &Sides<'_>, points: usize, rows: usize, columns: usize, not_finite: bool) -> Verdict {
    let mut x = numbers(points * columns, 13);
    if not_finite && let Some(last) = x.last_mut() {
        *last = f64::NAN;
    }
    vjp.same(&[matrix([rows, columns], 5), array(&[points, columns], x), 0.75.into()])
}

#[test]
fn outer_products_are_summed_up_in_tiles() -> Verdict {
    let vjp = squares().vjp().expect("every operation has a rule");
    let vjp = prepared(&vjp);
    for (points, rows, columns) in [(0, 16, 16), (1, 16, 17), (17, 15, 16), (64, 16, 18), (129, 17, 16), (16, 33, 40)] {
        agrees(&vjp, points, rows, columns, false)?;
    }
    // The shapes take turns, so that each meets every other number of points.
    for (k, points) in [0, 1, 7, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300].into_iter().enumerate() {
        for (rows, columns) in [(1, 1), (3, 7), (2, 8), (5, 9), (4, 16), (3, 19)].into_iter().skip(k % 2).step_by(2) {
            agrees(&vjp, points, rows, columns, false)?;
        }
    }
    Ok(())
}

/// Parts have copies of more sums than one thread adds up: each element of them is in one piece.
#[cfg(feature = "native")]
#[test]
fn copies_of_sums_are_added_up_in_pieces() -> Verdict {
    let vjp = squares().vjp().expect("every operation has a rule");
    let text = vjp.compile_on(&Native).expect("it is compiled").explain();
    assert!(text.contains("add_copies_"), "{text}");
    agrees(&Sides::of(&Native, &vjp)?, 40, 201, 200, false)
}

#[test]
fn what_is_not_a_number_stays_in_its_row() -> Verdict {
    let vjp = squares().vjp().expect("every operation has a rule");
    let vjp = prepared(&vjp);
    for columns in [11, 21] {
        [17, 64, 131].into_iter().try_for_each(|points| agrees(&vjp, points, columns / 3, columns, true))?;
        [17, 131].into_iter().try_for_each(|points| agrees(&vjp, points, 16, columns, true))?;
    }
    Ok(())
}

/// The product of two matrices, written in five ways.
fn products() -> Result<Vec<Program>> {
    Ok(vec![
        Program::trace(|a: Matrix, b: Matrix| a.matmul(b))?,
        Program::trace(|a: Matrix, b: Matrix| b.transpose().matmul(a.transpose()).transpose())?,
        Program::trace(|a: Matrix, b: Matrix| a.map(|row| b.transpose().map(|column| row.dot(column))))?,
        Program::trace(|a: Matrix, b: Matrix| a.map(|row| b.transpose().matvec(row)))?,
        Program::trace(|a: Matrix, b: Matrix| {
            b.transpose().map(|column| a.map(|row| (column * row).sum() * 2.0 / 2.0)).transpose()
        })?,
    ])
}

#[test]
fn products_are_products_however_they_are_written() -> Result<()> {
    for program in products()? {
        let explained = program.compile()?.explain();
        assert!(explained.contains("product "), "{program}{explained}");
        let vjp = program.vjp()?;
        let [program, vjp] = [&program, &vjp].map(prepared);
        for sizes in [[0, 16, 16], [16, 0, 16], [16, 16, 0], [16, 16, 16], [17, 33, 15], [130, 16, 17], [16, 18, 33]] {
            let [m, k, n] = sizes;
            let (a, b) = (matrix([m, k], 3), matrix([k, n], 4));
            program.same(&[a.clone(), b.clone()]).unwrap_or_else(|e| panic!("{sizes:?}: {e}"));
            vjp.same(&[a, b, matrix([m, n], 5)]).unwrap_or_else(|e| panic!("{sizes:?}: {e}"));
        }
    }
    Ok(())
}

#[test]
fn products_of_random_sizes() -> Result<()> {
    let programs = products()?;
    let vjps = programs.iter().map(Program::vjp).collect::<Result<Vec<_>>>()?;
    // Tiles have other registers on processors without AVX-512.
    let on = |executor: &'static dyn Executor| {
        let sides = move |program| Sides::of(executor, program).unwrap_or_else(|e| panic!("{e}"));
        [&programs, &vjps].map(|all| all.iter().map(sides).collect::<Vec<_>>())
    };
    let ([mut programs_on, mut vjps_on], [narrow, narrow_vjps]) = (on(&Lanes), on(&NarrowLanes));
    programs_on.extend(narrow);
    vjps_on.extend(narrow_vjps);
    let (programs, vjps) = (programs_on, vjps_on);
    let which = |k: usize| (&programs[k % programs.len()], &vjps[k % vjps.len()]);
    let verdict: Verdict = for_all(|(m, k, n, seed): (u8, u8, u8, u8)| {
        let [m, k, n] = [m, k, n].map(|size| usize::from(size) % 20);
        let (program, vjp) = which(usize::from(seed));
        let (a, b) = (matrix([m, k], seed.into()), matrix([k, n], usize::from(seed) + 1));
        program.same(&[a.clone(), b.clone()])?;
        vjp.same(&[a, b, matrix([m, n], usize::from(seed) + 2)])
    });
    verdict.unwrap_or_else(|violation| panic!("{violation}"));
    Ok(())
}

/// Adjoints of functions of products, and tangents, with how many products each has: no matrix is made of what is added to one.
#[test]
fn derivatives_of_functions_of_products_are_products() -> Result<()> {
    let scores = |x: Matrix, y: Matrix| x.map(move |p| y.map(|q| q.dot(p)));
    let programs = [
        Program::trace(move |x: Matrix, y: Matrix| scores(x, y).map(|row| row.map(Elementary::exp)))?,
        Program::trace(move |x: Matrix, y: Matrix| scores(x, y).map(|row| row.map(|s| s / x.len().to_f64())))?,
        Program::trace(move |x: Matrix, y: Matrix| {
            scores(x, y).map(|row| {
                let weights = (row - row.max()).map(Elementary::exp);
                y.transpose().map(|column| weights.dot(column)) / weights.sum()
            })
        })?,
    ];
    for (program, [of_vjp, of_jvp]) in programs.iter().zip([[3, 3], [3, 3], [6, 6]]) {
        let (vjp, jvp) = (program.vjp()?, program.jvp()?);
        for (derivative, expected) in [(&vjp, of_vjp), (&jvp, of_jvp)] {
            let explained = derivative.compile()?.explain();
            let products = explained.lines().filter(|line| line.trim_start().starts_with("product ")).count();
            assert!(products >= expected, "{products} products, not {expected}: {explained}");
        }
        let [vjp, jvp] = [&vjp, &jvp].map(prepared);
        for [points, others, columns] in
            [[0, 16, 16], [16, 0, 16], [16, 16, 1], [17, 33, 15], [130, 5, 4], [16, 18, 33], [129, 3, 7]]
        {
            let (x, y) = (matrix([points, columns], 3), matrix([others, columns], 4));
            let tangents = [matrix([points, columns], 5), matrix([others, columns], 6)];
            let width = if of_vjp == 6 { columns } else { others };
            let adjoint = matrix([points, width], 7);
            let show = |e| panic!("{points} by {others} by {columns}: {e}\n{program}");
            vjp.same(&[x.clone(), y.clone(), adjoint]).unwrap_or_else(show);
            let [dx, dy] = tangents;
            jvp.same(&[x, y, dx, dy]).unwrap_or_else(show);
        }
    }
    Ok(())
}

/// Sizes around those of registers and tiles and of what is small, of doubles and of singles, with and without AVX-512.
#[test]
fn tiles_have_parts_of_all_sizes() -> Result<()> {
    type Singles = Arr<Arr<F32>>;
    let doubles = Program::trace(|w: Matrix, x: Matrix| x.map(|p| w.matvec(p)))?;
    let singles = Program::trace(|w: Singles, x: Singles| x.map(|p| w.matvec(p)))?;
    for (program, kind) in [(doubles, Scalar::F64 as fn(f64) -> Scalar<f64>), (singles, Scalar::F32)] {
        let vjp = program.vjp()?;
        for executor in [&Lanes as &dyn Executor, &NarrowLanes] {
            let on = |program| Sides::of(executor, program).unwrap_or_else(|e| panic!("{e}"));
            let (program, vjp) = (on(&program), on(&vjp));
            for [points, rows, columns] in
                [[31, 5, 7], [33, 9, 15], [7, 10, 17], [129, 23, 23], [40, 31, 33], [17, 90, 92]]
            {
                // Small integers, whose sums are exact in both precisions and in any order.
                let integers = |sizes: [usize; 2], seed: usize| {
                    let numbers = (0..sizes[0] * sizes[1]).map(|k| kind(((k * 31 + seed) % 11) as f64 - 5.0));
                    Value::array(&sizes, numbers.collect()).expect("as many elements as the sizes say")
                };
                let arguments =
                    [integers([rows, columns], 1), integers([points, columns], 2), integers([points, rows], 3)];
                let name = executor.name();
                program.same(&arguments[..2]).unwrap_or_else(|e| panic!("{name}, {rows} by {columns}: {e}"));
                vjp.same(&arguments).unwrap_or_else(|e| panic!("{name}, {rows} by {columns}: {e}"));
            }
        }
    }
    Ok(())
}

/// Weights of a softmax are subnormal where they are smallest. Here sums are exact in any order: of integers, of subnormal multiples of
/// the least number by others or by large ones, of both where the integers decide, and of the smallest normal numbers with subnormal ones
/// that reach their last bits. What is infinite stays so.
#[test]
fn subnormal_numbers_count_in_full() -> Result<()> {
    let of_doubles = ("f64", Scalar::F64 as fn(f64) -> Scalar<f64>, [-1074, -1030, -1010, 700]);
    let of_singles = ("f32", Scalar::F32 as fn(f64) -> Scalar<f64>, [-149, -130, -124, 80]);
    for (name, kind, powers) in [of_doubles, of_singles] {
        let [least, subnormal, normal, large] = powers.map(|power| 2f64.powi(power / 2) * 2f64.powi(power - power / 2));
        let program = added(name, "[][]", "[0](m)", "[1](m)", "i, j")?;
        let mut runs = vec![(&Lanes as &dyn Executor, large), (&NarrowLanes, large), (&Lanes, f64::INFINITY)];
        #[cfg(feature = "native")]
        runs.extend([(&Native as &dyn Executor, large), (&Native, f64::INFINITY)]);
        for (executor, large) in runs {
            let compiled = program.compile_on(executor)?;
            for [points, rows, columns] in [[1, 33, 40], [17, 40, 33], [129, 64, 64], [300, 32, 32], [40, 5, 7]] {
                let made = |sizes: [usize; 2], unit: &dyn Fn(usize, usize) -> f64| {
                    let at = |k: usize| ((k * 31) % 5 + 1) as f64 * unit(k / sizes[1], k % sizes[1]);
                    Value::array(&sizes, (0..sizes[0] * sizes[1]).map(|k| kind(at(k))).collect())
                        .expect("as many elements as the sizes say")
                };
                let z = made([points, rows], &|point, row| match (row % 4, point % 2) {
                    (0, _) | (2, 0) => 1.0,
                    (3, 0) => normal,
                    (3, _) => subnormal,
                    _ => least,
                });
                // With numbers that are not moderate, and without.
                for large in [large, 1.0] {
                    let x = made([points, columns], &|point, column| match column % 4 {
                        0 => 1.0,
                        1 => large,
                        2 if point % 5 != 1 => 1.0,
                        _ => least,
                    });
                    let arguments = [made([rows, columns], &|_, _| 0.0), z.clone(), x];
                    let (found, expected) = (compiled.run(&arguments)?, program.run(&arguments)?);
                    let name = executor.name();
                    assert_eq!(found, expected, "{points} points, {rows} by {columns}, {large}, on {name}");
                }
            }
        }
    }
    Ok(())
}

/// A lower triangular matrix, and what is not finite, at some places of the other.
#[test]
fn zeros_do_not_hide_what_is_not_finite() -> Result<()> {
    let vjp = squares().vjp()?;
    let vjp = prepared(&vjp);
    for (rows, columns, points) in [(16, 16, 20), (18, 17, 66)] {
        let lower = (0..rows * columns).map(|k| if k % columns > k / columns { 0.0 } else { 0.5 }).collect();
        let lower = array(&[rows, columns], lower);
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310, -0.0, 1e200] {
            for at in [columns - 1, points * columns / 2] {
                let mut x = numbers(points * columns, 8);
                x[at] = odd;
                let arguments = [lower.clone(), array(&[points, columns], x), 0.75.into()];
                vjp.same(&arguments).unwrap_or_else(|e| panic!("{odd} at {at} of {points} by {columns}: {e}"));
            }
        }
    }
    Ok(())
}

/// A product for each of several matrices, and what is between: each point's row of all, weighted by its largest.
#[test]
fn products_in_loops() -> Result<()> {
    let weighted = Program::trace(|ws: Arr<Matrix>, x: Matrix| {
        let all = x.map(|p| {
            let sums = ws.map(|w| {
                let y = w.matvec(p) - 0.5;
                y.dot(y)
            });
            (sums - sums.max()).sum()
        });
        all.sum()
    })?;
    let vjp = weighted.vjp()?;
    let [weighted, vjp] = [&weighted, &vjp].map(prepared);
    for (count, rows, columns, points) in [(3, 16, 16, 20), (2, 17, 18, 129), (17, 20, 16, 5), (1, 33, 40, 17)] {
        let ws = array(&[count, rows, columns], numbers(count * rows * columns, 21));
        let arguments = [ws, matrix([points, columns], 22), 1.5.into()];
        weighted.same(&arguments[..2]).unwrap_or_else(|e| panic!("{count} of {rows} by {columns}: {e}"));
        vjp.same(&arguments).unwrap_or_else(|e| panic!("{count} of {rows} by {columns}: {e}"));
    }
    Ok(())
}

/// For rows `z` and `x` of two matrices, their outer product added to a matrix, or to a row, at these places.
fn added(kind: &str, of: &str, rows: &str, columns: &str, to: &str) -> Result<Program> {
    let text = format!(
        "program (m: {of}f64, z: [][]f64, x: [][]f64) {{
            let n = size{rows}
            let is = iota(n)
            let k = size{columns}
            let js = iota(k)
            let a = accumulator(m)
            let b = map (z, x) adding (a) |zs: []f64, xs: []f64, c: acc {of}f64| {{
                let d = map (is, zs) adding (c) |i: i64, z: f64, e: acc {of}f64| {{
                    let f = map (js, xs) adding (e) |j: i64, x: f64, g: acc {of}f64| {{
                        let p = mul(z, x)
                        let h = g with [{to}] += p
                        return h }}
                    return f }}
                return d }}
            let r = array(b)
            return r }}"
    );
    Program::parse(&text.replace("f64", kind))
}

/// Products that are added to the rows of a matrix, and to one row: there what is added goes to the same elements.
#[test]
fn what_is_added_goes_to_many_rows_or_one() -> Result<()> {
    let many = added("f64", "[][]", "[0](m)", "[1](m)", "i, j")?;
    let one = added("f64", "[]", "[1](z)", "[0](m)", "j")?;
    for (program, is_one) in [(many, false), (one, true)] {
        let explained = program.compile()?.explain();
        assert!(explained.contains("product "), "{explained}");
        // The product itself, and the ways for matrices that are small: nothing is added once more.
        assert_eq!(explained.matches(" += ").count(), 4, "{explained}");
        let program = prepared(&program);
        for (points, rows, columns) in [(1, 4, 4), (17, 5, 9), (130, 16, 7), (129, 3, 5), (20, 7, 6), (16, 9, 40)] {
            let sizes = if is_one { vec![columns] } else { vec![rows, columns] };
            let m = array(&sizes, numbers(sizes.iter().product(), 31));
            let arguments = [m, matrix([points, rows], 32), matrix([points, columns], 33)];
            program.same(&arguments).unwrap_or_else(|e| panic!("{rows} rows of {columns}, {points} points: {e}"));
        }
    }
    Ok(())
}

/// Two matrices of one number for each row, each added to a matrix of its own: that is one loop, in which no number is kept for another.
#[test]
fn what_is_only_added_is_one_loop() -> Result<()> {
    let program = Program::parse(
        "program (m: [][]f64, z: [][]f64, x: [][]f64) {
            let a = accumulator(m)
            let b = accumulator(m)
            let c, d = map (z, x) adding (a, b) |zs: []f64, xs: []f64, e: acc [][]f64, f: acc [][]f64| {
                let us, vs = map (zs) |z: f64| {
                    let s = exp(z)
                    let u = map (xs) |x: f64| { let p = sub(s, x) return p }
                    let v = map (xs) |x: f64| { let p = add(s, x) return p }
                    return u, v }
                let g = e with [] += us
                let h = f with [] += vs
                return g, h }
            let r = array(c)
            let t = array(d)
            return r, t }",
    )?;
    let explained = program.compile()?.explain();
    // The row of each point.
    assert_eq!(explained.matches("alloc ~").count(), 1, "{explained}");
    let program = prepared(&program);
    for (points, rows, columns) in [(1, 4, 4), (17, 5, 9), (130, 16, 7), (20, 7, 6)] {
        let arguments = [matrix([rows, columns], 31), matrix([points, rows], 32), matrix([points, columns], 33)];
        program.same(&arguments).unwrap_or_else(|e| panic!("{rows} rows of {columns}, {points} points: {e}"));
    }
    Ok(())
}

/// Products that are large enough to be done a stretch of rows at a time: of integers, exactly.
#[test]
fn stretches_begin_where_others_end() -> Result<()> {
    let [points, rows, columns] = [128, 130, 520];
    let integers = |n: usize, seed: usize| (0..n).map(|k| ((k * 31 + seed) % 11) as i64 - 5).collect::<Vec<_>>();
    let [w, x, y] = [integers(rows * columns, 1), integers(points * columns, 2), integers(points * rows, 3)];
    let reals = |sizes: [usize; 2], of: &[i64]| array(&sizes, of.iter().map(|n| *n as f64).collect());
    let mut forward = vec![0; points * rows];
    let mut backward = vec![0; rows * columns];
    for (p, i) in (0..points).flat_map(|p| (0..rows).map(move |i| (p, i))) {
        let (row, point) = (&w[i * columns..][..columns], &x[p * columns..][..columns]);
        forward[p * rows + i] = row.iter().zip(point).map(|(w, x)| w * x).sum();
        let sums = &mut backward[i * columns..][..columns];
        sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += y[p * rows + i] * x);
    }
    let program = Program::trace(|w: Matrix, x: Matrix| x.map(|p| w.matvec(p)))?;
    let arguments = [reals([rows, columns], &w), reals([points, columns], &x), reals([points, rows], &y)];
    let run = |program: &Program, arguments: &[Value<f64>]| -> Result<Value<f64>> {
        let outcome = Lanes.prepare(program)?.expect("lanes can run it").run(arguments, Control::default())?;
        let Outcome::Done { results, stepwise: false } = outcome else { panic!("{outcome:?}") };
        Ok(results.last().expect("there is a result").clone())
    };
    assert_eq!(run(&program, &arguments[..2])?, reals([points, rows], &forward));
    assert_eq!(run(&program.vjp_wrt(0)?, &arguments)?, reals([rows, columns], &backward));
    // Limits are looked at between them. A row is a lane more, too, where the products are put in order.
    let prepared = Lanes.prepare(&program)?.expect("lanes can run it");
    let steps = |rows: usize| {
        let arguments = [matrix([rows, 512], 1), matrix([points, 512], 2)];
        let (outcome, steps) = steps_counted(Control::default(), |control| prepared.run(&arguments, control));
        outcome.map(|_| steps)
    };
    let [one, two, three] = [steps(64)?, steps(65)?, steps(129)?];
    assert_eq!([two, three], [one + 1 + 1, one + 2 + 65]);
    Ok(())
}

#[cfg(feature = "rayon")]
#[test]
fn products_do_not_depend_on_the_number_of_threads() -> Result<()> {
    let vjp = Lanes.prepare(&squares().vjp()?)?.expect("lanes can run it");
    let arguments = [matrix([40, 32], 1), matrix([3000, 32], 2), 1.0.into()];
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(|| vjp.run(&arguments, Control::default()))
    };
    let alone = with(1)?;
    assert!(matches!(alone, Outcome::Done { stepwise: false, .. }), "{alone:?}");
    assert_eq!(alone, with(2)?, "two threads");
    assert_eq!(alone, with(7)?, "seven threads");
    Ok(())
}

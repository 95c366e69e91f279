//! The lanes executor is the reference interpreter, for derivatives of random programs, and for loops that are
//! shared out to workers.

use std::cell::RefCell;

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, hist, if_, loop_while};
use catadiff::execute::{Executor, Lanes, Outcome};
use catadiff::interpret::{Control, Value};
use catadiff::{Elementary, Error};
use catadiff_laws::executors::Tally;
use catadiff_laws::{ArrayProgram, Reduction, Verdict, array_reductions, executors, for_all};

use crate::prepared;

/// Some programs have rows of sizes that only their elements say, at these arguments.
fn few_cannot_be_run(tally: &RefCell<Tally>) -> Verdict {
    let Tally { done, stepwise, faults, unneeded, unsupported, .. } = *tally.borrow();
    assert!(20 * (stepwise + unsupported) < done + faults && unneeded < 10, "{tally:?}");
    Ok(())
}

#[test]
fn derivatives_of_random_programs() -> Verdict {
    let tally = RefCell::new(Tally::default());
    for_all(|p: ArrayProgram| {
        let program = p.program();
        let arguments = p.arguments();
        if let Ok(jvp) = program.jvp() {
            executors::counted(&Lanes, &jvp, &[&arguments[..], &arguments].concat(), &tally)?;
        }
        if let (Ok(vjp), Ok(results)) = (program.vjp(), program.run(&arguments)) {
            executors::counted(&Lanes, &vjp, &[arguments, results].concat(), &tally)?;
        }
        Ok(())
    })?;
    few_cannot_be_run(&tally)
}

/// Numbers between −1 and 1 that look random.
fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + 13) % 1009) as f64 / 504.5 - 1.0).collect()
}

/// Programs with one large array, and what to run them on.
fn large() -> Result<Vec<(Program, Vec<Value<f64>>)>> {
    let (n, m) = (20_000, 4_000);
    let (xs, rows) = (Value::new(numbers(n))?, Value::reals(&[m, 3], numbers(3 * m))?);
    let bins: Vec<i64> = (0..n).map(|k| (k % 11) as i64 - 2).collect();
    let norm = Program::trace(|xs: Arr<F64>| xs.map(|x| x.exp() * x.sin() + x.tanh()).sum())?;
    let nearest = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })?;
    let counted = Program::trace(|xs: Arr<F64>, bins: Arr<I64>| {
        let sums = hist(8, 0.0, bins, xs, |a, b| a + b);
        (sums, xs.map(|x| if_(x.lt(0.0), || -x, || x * x)))
    })?;
    let roots = Program::trace(|xs: Arr<F64>| {
        xs.map(|x| {
            let a = x * x + 1.0;
            loop_while(
                (a, I64::from(0)),
                |(y, k)| (y * y - a).abs().gt(1e-12) & k.lt(50),
                |(y, k)| ((y + a / y) * 0.5, k + 1),
            )
            .0
        })
    })?;
    let gradient = nearest.grad(1)?;
    let centres = Value::reals(&[4, 3], numbers(12))?;
    Ok(vec![
        (norm.clone(), vec![xs.clone()]),
        (norm.vjp()?, vec![xs.clone(), 1.0.into()]),
        (nearest, vec![rows.clone(), centres.clone()]),
        (gradient, vec![rows, centres]),
        (counted, vec![xs.clone(), Value::new(bins)?]),
        (roots, vec![Value::new(numbers(m))?]),
    ])
}

#[test]
fn reductions_of_many_elements() -> Verdict {
    for_all(|p: Reduction| array_reductions::in_blocks(&Lanes, &p))
}

#[test]
fn large_arrays() -> Result<()> {
    for (program, arguments) in large()? {
        executors::same(&Lanes, &program, &arguments).unwrap_or_else(|violation| panic!("{violation}"));
    }
    Ok(())
}

type Matrix = Arr<Arr<F64>>;

/// Both products of two rows, and their derivatives along other rows.
fn products() -> Result<Program> {
    let along = Program::trace(|a: Matrix, b: Matrix| a.map2(b, |x, y| x.dot(y)))?.jvp()?;
    Program::trace(|a: Matrix, b: Matrix| along.call::<(Arr<F64>, Arr<F64>)>(((a, b), (b, a))))
}

/// Rows of one of two kinds, two at a time.
fn branches() -> Result<Program> {
    Program::trace(|a: Matrix, b: Matrix| {
        a.map2(b, |x, y| {
            let both = || {
                let doubled = x.map(|x| x + x);
                (doubled, x.map2(y, |x, y| x * y))
            };
            if_(x.index(0).lt(0.0), both, || (x, x.map(|x| -x)))
        })
    })
}

/// The gradient of the distances of the first rows from the nearest of the others, and its derivative.
fn nearest() -> Result<Program> {
    let nearest = Program::trace(|points: Matrix, centres: Matrix| {
        points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    })?;
    let newton = nearest.grad(1)?.jvp_wrt(1)?;
    Program::trace(|a: Matrix, b: Matrix| newton.call::<(Matrix, Matrix)>((a, b, a.zeros_like() + 1.0)))
}

#[test]
fn rows_of_lanes() -> Result<()> {
    let columns = Program::trace(|a: Matrix, b: Matrix| a.map2(b, |x, y| x.map2(y, |x, y| x * y)).transpose())?;
    for program in [products()?, branches()?, nearest()?, columns] {
        let program = prepared(&program);
        for n in [0, 1, 9, 16, 130] {
            for k in [1, 3, 8, 11] {
                let a = Value::reals(&[n, k], numbers(n * k))?;
                let b = Value::reals(&[n, k], numbers(n * k + 5)[5..].to_vec())?;
                program.same(&[a, b]).unwrap_or_else(|e| panic!("{n} rows of {k}: {e}"));
            }
        }
    }
    Ok(())
}

#[test]
fn reductions_start_once() -> Verdict {
    for_all(|(start, elements): (i64, Vec<i64>)| array_reductions::starts_count_once(&Lanes, start, &elements))?;
    for n in [0, 1, 2, 127, 128, 129, 300, 100_000] {
        let elements: Vec<i64> = (0..n).map(|k| k % 5 - 2).collect();
        array_reductions::starts_count_once(&Lanes, 3, &elements)?;
    }
    Ok(())
}

/// What two statements take of one map each computes for itself, and sums of products are nothing but that.
#[test]
fn what_is_taken_apart_is_computed_apart() -> Result<()> {
    let explained = products()?.compile()?.explain();
    assert!(explained.contains("x·y+z(~") && !explained.contains(" = mul(~"), "{explained}");
    Ok(())
}

/// Lanes that take different branches keep what they computed at once, and nothing is stored under a mask.
#[test]
fn branches_are_joined_at_once() -> Result<()> {
    let explained = branches()?.compile()?.explain();
    let masked = |line: &&str| line.contains(" = ") && line.contains(" where ~");
    assert!(explained.contains("select(~"), "{explained}");
    assert_eq!(explained.lines().find(masked), None, "{explained}");
    Ok(())
}

#[cfg(feature = "rayon")]
#[test]
fn results_do_not_depend_on_the_number_of_threads() -> Result<()> {
    for (program, arguments) in large()? {
        let prepared = Lanes.prepare(&program)?.expect("lanes can run it");
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
            pool.install(|| prepared.run(&arguments, Control::default()))
        };
        let alone = with(1)?;
        assert!(matches!(alone, Outcome::Done { stepwise: false, .. }), "{program}");
        assert_eq!(alone, with(2)?, "two threads");
        assert_eq!(alone, with(7)?, "seven threads");
    }
    Ok(())
}

/// For each number of a row, the products of all pairs of its elements.
#[test]
fn rows_that_differ_from_lane_to_lane() -> Verdict {
    let pairs = Program::trace(|rows: Arr<Arr<F64>>, of: Arr<I64>| {
        of.map(|k| {
            let row = rows.index(k);
            row.map(|a| row.map(|b| a * b + 1.0)).flatten()
        })
    })
    .expect("it is well typed");
    let pairs = prepared(&pairs);
    for lanes in [0, 1, 15, 16, 17, 31, 100, 128, 131, 300] {
        for columns in [0, 1, 7, 8, 9, 20] {
            let of: Vec<i64> = (0..lanes).map(|k| k * 7 % 13).collect();
            let rows = Value::reals(&[13, columns], numbers(13 * columns)).expect("as many as the sizes say");
            let of = Value::new(of).expect("it is regular");
            pairs.same(&[rows.clone(), of])?;
            let missing = Value::new((0..20).collect::<Vec<i64>>()).expect("it is regular");
            pairs.same(&[rows, missing])?;
        }
    }
    Ok(())
}

#[test]
fn what_goes_wrong_is_said_by_the_interpreter() -> Result<()> {
    let pick = Program::trace(|xs: Arr<F64>, i: I64| xs.index(i))?.compile()?;
    assert_eq!(pick.at::<f64>((&[1.0, 2.0], 1))?, 2.0);
    let error = pick.at::<f64>((&[1.0, 2.0], 2)).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { index: 2, length: 2, .. }), "{error}");
    let error = pick.at::<f64>((&[[1.0, 2.0]], 0)).unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    let quotient = Program::trace(|a: I64, b: I64| a / b)?.compile()?;
    assert!(matches!(quotient.at::<i64>((1, 0)).unwrap_err(), Error::NoValue { .. }));
    // A run that went wrong leaves nothing behind.
    assert_eq!(pick.at::<f64>((&[3.0], 0))?, 3.0);
    Ok(())
}

#[test]
fn whole_powers_and_roundings_have_the_bits_of_the_interpreter() -> Result<()> {
    let corners =
        [0.0, 0.5, 1.5, 2.5, 0.499_999_999_999_999_94, 4_503_599_627_370_497.5, 1e-310, 1e300, f64::INFINITY, f64::NAN];
    let signed = corners.into_iter().flat_map(|x| [x, -x]);
    let xs = Value::new(signed.chain(numbers(500).into_iter().map(|x| 3.0 * x)).collect::<Vec<f64>>())?;
    let mut programs = vec![
        Program::trace(|xs: Arr<F64>| xs.map(|x| x.floor()))?,
        Program::trace(|xs: Arr<F64>| xs.map(|x| x.ceil()))?,
        Program::trace(|xs: Arr<F64>| xs.map(|x| x.round()))?,
    ];
    for n in [-100, -7, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 100, i32::MIN] {
        programs.push(Program::trace(|xs: Arr<F64>| xs.map(|x| x.powi(n)))?);
    }
    for program in programs {
        let bits = |results: &[Value<f64>]| -> Vec<u64> {
            let of = results[0].to_f64().expect("they are reals").into_iter();
            of.map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
        };
        let arguments = core::slice::from_ref(&xs);
        assert_eq!(bits(&program.compile_on(&Lanes)?.run(arguments)?), bits(&program.run(arguments)?), "{program}");
    }
    Ok(())
}

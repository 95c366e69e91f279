//! Compiled C where each lane goes along a row at a place of its own: vectors lie along the rows.

use catadiff::Elementary;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, loop_for};
use catadiff::execute::Native;
use catadiff::interpret::Value;
use catadiff_laws::executors;

/// What is in the text of a loop along rows alone.
const ALONG: &str = "const i64_1 lane = addi_1(first, k);";

fn rows(n: usize, d: usize) -> Value<f64> {
    let row = |i: usize| (0..d).map(|j| ((i * 7 + j * 13) % 29) as f64 / 4.0 - 3.0).collect::<Vec<_>>();
    Value::new((0..n).map(row).collect::<Vec<_>>()).expect("rows are of one length")
}

/// Programs that take rows, numbers of these, and a number for each.
fn programs() -> Vec<(&'static str, Program)> {
    let of = |name: &'static str, program: catadiff::Result<Program>| (name, program.expect("it is a program"));
    vec![
        of(
            "scaled",
            Program::trace(|rows: Arr<Arr<F64>>, numbers: Arr<I64>, us: Arr<F64>| {
                numbers.map2(us, |k, u| rows.index(k).map(|x| x * u + x.exp()))
            }),
        ),
        of(
            "blended",
            Program::trace(|rows: Arr<Arr<F64>>, numbers: Arr<I64>, us: Arr<F64>| {
                numbers.map2(us, |k, u| rows.index(k) * u + rows.index(0) * (1.0 - u) - us.index(0))
            }),
        ),
        of(
            "chosen",
            Program::trace(|rows: Arr<Arr<F64>>, numbers: Arr<I64>, us: Arr<F64>| {
                numbers.map2(us, |k, u| rows.index(k).map(|x| if_(x.lt(u), || x, || u * 2.0)))
            }),
        ),
    ]
}

#[test]
fn rows_at_any_places_are_what_the_interpreter_has() {
    for (name, program) in programs() {
        let mut along = program.compile_on(&Native).expect("it is compiled").explain().contains(ALONG);
        for (n, d) in [(1, 1), (3, 7), (19, 8), (40, 13), (33, 100), (8, 16), (5, 0)] {
            let numbers: Vec<i64> = (0..2 * n as i64 + 3).map(|k| k * 5 % n as i64).collect();
            let us: Vec<f64> = (0..numbers.len()).map(|k| (k as f64 * 0.7).sin()).collect();
            let arguments = [rows(n, d), Value::new(numbers).unwrap(), Value::new(us).unwrap()];
            for program in [program.clone(), program.specialise_like(&arguments).unwrap()] {
                executors::same(&Native, &program, &arguments).unwrap_or_else(|e| panic!("{name} {n} {d}: {e}"));
                along |= program.compile_on(&Native).expect("it is compiled").explain().contains(ALONG);
            }
        }
        assert!(along, "{name} goes along rows");
    }
}

/// Loops that set two elements of a row, where the second of an iteration is set again by the next one, or the other way round; two rows
/// that are one after the other in memory; and a loop that computes with what is the same for all elements.
#[test]
fn what_is_stored_twice_stays_in_order() {
    let arguments = |n: usize, d: usize| {
        let us: Vec<f64> = (0..n).map(|k| (k as f64 * 0.7).cos()).collect();
        [rows(n, d), Value::new(us).unwrap()]
    };
    let forwards = Program::trace(|rows: Arr<Arr<F64>>, us: Arr<F64>| {
        rows.map2(us, |row, u| {
            let row_of = row;
            loop_for(row.len() - 1, row.map(|x| x * 0.0), move |i, new| {
                new.with(i, row_of.index(i) * u).with(i + 1, row_of.index(i + 1) - u)
            })
        })
    });
    let backwards = Program::trace(|rows: Arr<Arr<F64>>, us: Arr<F64>| {
        rows.map2(us, |row, u| {
            loop_for(row.len() - 1, row.map(|x| x * 0.0), move |i, new| {
                new.with(i + 1, row.index(i) * u).with(i, row.index(i + 1) - u)
            })
        })
    });
    let shared = Program::trace(|rows: Arr<Arr<F64>>, us: Arr<F64>| {
        us.map(|u| rows.index(0).map(|x| x * (us.index(0) * 2.0) + u * us.index(1)))
    });
    let joined = Program::trace(|rows: Arr<Arr<F64>>, us: Arr<F64>| {
        rows.map2(us, |row, u| row.map(|x| x * u).concat(row.map(|x| x - u)))
    });
    for (name, program) in [("forwards", forwards), ("backwards", backwards), ("joined", joined), ("shared", shared)] {
        let program = program.expect("it is a program");
        for (n, d) in [(2, 9), (17, 33), (8, 64)] {
            let arguments = arguments(n, d);
            for program in [program.clone(), program.specialise_like(&arguments).unwrap()] {
                executors::same(&Native, &program, &arguments).unwrap_or_else(|e| panic!("{name} {n} {d}: {e}"));
            }
        }
    }
}

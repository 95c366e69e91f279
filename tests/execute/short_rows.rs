//! Compiled C where lanes have rows of a few elements: these are loaded and stored together, and loops along them are written out.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, literal, loop_for};
use catadiff::execute::Native;
use catadiff::interpret::{Limits, Value};
use catadiff::{Elementary, Error};
use catadiff_laws::executors;

fn reals(n: usize, d: usize) -> Value<f64> {
    let row = |i: usize| (0..d).map(|j| ((i * 7 + j * 13) % 29) as f64 / 4.0 - 3.0).collect::<Vec<_>>();
    Value::new((0..n).map(row).collect::<Vec<_>>()).expect("rows are of one length")
}

fn integers(n: usize, d: usize) -> Value<f64> {
    let row = |i: usize| (0..d).map(|j| ((i * 5 + j * 3) % n) as i64).collect::<Vec<_>>();
    Value::new((0..n).map(row).collect::<Vec<_>>()).expect("rows are of one length")
}

/// Programs that take rows of reals and as many rows of numbers of these, and what is in their text that loads or stores rows together.
fn programs() -> Vec<(&'static str, Program, Vec<&'static str>)> {
    let of = |name: &'static str, program: catadiff::Result<Program>, texts: &[&'static str]| {
        (name, program.expect("it is a program"), texts.to_vec())
    };
    vec![
        of("squares", Program::trace(|xs: Arr<Arr<F64>>, _: Arr<Arr<I64>>| xs.map(|x| x.dot(x))), &["rowsapart_f64("]),
        of(
            "blended",
            Program::trace(|xs: Arr<Arr<F64>>, numbers: Arr<Arr<I64>>| {
                numbers.map(|k| xs.index(k.index(0)) * 2.0 - xs.index(k.index(1)))
            }),
            &["rowsapart_i64(", "rowsat_f64(", "setrowsapart_f64("],
        ),
        of(
            "turned",
            Program::trace(|xs: Arr<Arr<F64>>, _: Arr<Arr<I64>>| {
                xs.map(|x| literal([x.index(1), x.sum(), -x.index(0), x.index(1).exp()]))
            }),
            &["rowsapart_f64(", "setrowsapart_f64("],
        ),
        // What the next iteration sets again, and what it has set before.
        of(
            "in order",
            Program::trace(|xs: Arr<Arr<F64>>, _: Arr<Arr<I64>>| {
                xs.map(|x| {
                    loop_for(x.len() - 1, x * 0.0, move |i, new| new.with(i + 1, x.index(i)).with(i, x.index(i + 1)))
                })
            }),
            &[],
        ),
    ]
}

#[test]
fn rows_are_what_the_interpreter_has() {
    for (name, program, texts) in programs() {
        let mut all = String::new();
        for (n, d) in [(16, 2), (17, 3), (39, 3), (18, 4), (19, 5), (200, 6)] {
            let arguments = [reals(n, d), integers(n, d)];
            let program = program.specialise_like(&arguments).unwrap();
            executors::same(&Native, &program, &arguments).unwrap_or_else(|e| panic!("{name} {n} {d}: {e}"));
            all.push_str(&program.compile_on(&Native).expect("it is compiled").explain());
        }
        texts.iter().for_each(|text| assert!(all.contains(text), "{name} has {text}"));
    }
}

/// Small arrays are in one piece of memory, and count for what they have.
#[test]
fn small_arrays_have_one_frame() {
    let program = Program::trace(|xs: Arr<F64>, n: I64| {
        let ten = xs.take(10).map(|x| x * 2.0);
        let sums = loop_for(n, ten, |k, ys| ys.with(k % 10, ys.index(0) + 1.0));
        let few = xs.take(3).map(|x| x + sums.sum());
        loop_for(n, few, |k, ys| ys.with(k % 3, ys.index(1) * 0.5)).sum() + sums.index(0)
    })
    .unwrap();
    let arguments = [Value::new((0..12).map(f64::from).collect::<Vec<_>>()).unwrap(), 25_i64.into()];
    let program = program.specialise_like(&arguments).unwrap();
    executors::same(&Native, &program, &arguments).unwrap();
    let compiled = program.compile_on(&Native).unwrap();
    assert!(compiled.explain().contains("char *const frame = context->memory("), "{}", compiled.explain());
    let limits = |elements| Limits { elements, ..Limits::default() };
    assert!(compiled.run_within(&arguments, &limits(1000)).is_ok());
    assert!(matches!(compiled.run_within(&arguments, &limits(12)), Err(Error::Budget { .. })));
}

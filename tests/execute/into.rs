//! Runs on memory that the caller keeps: what is refused, what is used again, from many threads, and at the limits of
//! memory and of numbers.

use std::thread;

use catadiff::array::trace::{Arr, Bool, F64, I64, if_, iota, replicate};
use catadiff::array::{Prim, Program};
use catadiff::execute::{Compiled, EXECUTORS, Flat, Lent, RunReport};
use catadiff::interpret::{Control, Scalar, Value};
use catadiff::{Elementary, Error, Result};

fn scaled() -> Result<Compiled> {
    let names = ["xs", "by", "from"];
    Program::trace_named(&names, |xs: Arr<F64>, by: F64, from: I64| (xs.map(|x| x * by), from + 1))?.compile()
}

#[test]
fn wrong_arguments_are_named_and_results_stay_of_use() -> Result<()> {
    let scaled = scaled()?;
    let good = [Flat::reals(&[2], vec![1.0, 2.0])?, Flat::reals(&[], vec![3.0])?, Flat::integers(&[], vec![6])?];
    let mut results = Vec::new();
    scaled.run_into(&good, &mut results)?;
    let expected = results.clone();
    assert_eq!(expected, [Flat::reals(&[2], vec![3.0, 6.0])?, Flat::integers(&[], vec![7])?]);

    let few = scaled.run_into(&good[..2], &mut results).unwrap_err();
    assert!(matches!(few, Error::Length { expected: 3, found: 2, .. }), "{few}");
    let table = Flat::reals(&[1, 2], vec![1.0, 2.0])?;
    let rank = scaled.run_into(&[table, good[1].clone(), good[2].clone()], &mut results).unwrap_err();
    assert!(matches!(&rank, Error::Argument { name, .. } if name == "xs"), "{rank}");
    let kind = scaled.run_into(&[good[0].clone(), good[2].clone(), good[2].clone()], &mut results).unwrap_err();
    assert!(matches!(&kind, Error::Argument { name, .. } if name == "by"), "{kind}");

    // More of other kinds than are wanted.
    let mut results = vec![Flat::integers(&[3], vec![1, 2, 3])?, Flat::default(), Flat::reals(&[], vec![0.5])?];
    scaled.run_into(&good, &mut results)?;
    assert_eq!(
        results.iter().map(Flat::to_value).collect::<Vec<_>>(),
        expected.iter().map(Flat::to_value).collect::<Vec<_>>()
    );
    Ok(())
}

#[test]
fn elements_have_room_in_their_kind() -> Result<()> {
    assert!(matches!(Flat::reals(&[2, 2], vec![0.0; 3]), Err(Error::Length { expected: 4, found: 3, .. })));
    assert!(matches!(Flat::reals(&[usize::MAX, 2], Vec::new()), Err(Error::TooLarge { .. })));
    let choice = Program::trace(|which: Bool| if_(which, || F64::from(1.0), || F64::from(2.0)))?.compile()?;
    let mut which = Flat::from(&Value::from(true));
    which.as_integers_mut().expect("truth values")[0] = 2;
    let error = choice.run_into(&[which], &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("the integer 2"), "{error}");
    Ok(())
}

#[test]
fn what_is_empty_has_its_kind() -> Result<()> {
    let firsts = Program::trace(|x: Arr<F64>, n: I64| (iota(n), x.take(n), x.take(n).map(|x| x.gt(0.0))))?;
    let arguments = [Flat::reals(&[1], vec![1.0])?, Flat::integers(&[], vec![0])?];
    for executor in EXECUTORS.iter().filter(|executor| executor.available().is_ok()) {
        let mut results = Vec::new();
        firsts.compile_on(*executor)?.run_into(&arguments, &mut results)?;
        let kinds: Vec<Prim> = results.iter().map(Flat::prim).collect();
        assert_eq!(kinds, [Prim::I64, Prim::F64, Prim::Bool], "on {}", executor.name());
    }
    Ok(())
}

#[test]
fn arguments_are_read_where_they_are() -> Result<()> {
    let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y))?;
    let (x, y) = ([1.0, 2.0], [3.0, 4.0]);
    for executor in EXECUTORS.iter().filter(|executor| executor.available().is_ok()) {
        let (of, mut results) = (dot.compile_on(*executor)?, Vec::new());
        of.run_lent(&[Lent::reals(&[2], &x)?, Lent::reals(&[2], &y)?], &mut results, Control::default())?;
        assert_eq!(results, [Flat::reals(&[], vec![11.0])?], "on {}", executor.name());
        let wrong = of.run_lent(&[Lent::reals(&[2], &x)?; 1], &mut results, Control::default()).unwrap_err();
        assert!(matches!(wrong, Error::Length { expected: 2, found: 1, .. }), "{wrong}");
        let kind = [Lent::reals(&[2], &x)?, Lent::integers(&[2], &[3, 4])?];
        let wrong = of.run_lent(&kind, &mut results, Control::default()).unwrap_err();
        assert!(matches!(&wrong, Error::Argument { name, .. } if name == "x1"), "{wrong}");
    }
    assert!(Lent::reals(&[3], &x).is_err() && Lent::singles(&[1, 2], &[0.5]).is_err());
    Ok(())
}

#[test]
fn many_threads_run_one_program() -> Result<()> {
    fn shared<T: Send + Sync>(_: &T) {}
    let scaled = scaled()?;
    shared(&scaled);
    thread::scope(|scope| {
        for k in 0..4_i32 {
            let scaled = &scaled;
            scope.spawn(move || {
                let mut results = Vec::new();
                for n in [5, 3000, 0, 700] {
                    let xs: Vec<f64> = (0..n).map(f64::from).collect();
                    let arguments = [
                        Flat::reals(&[xs.len()], xs.clone()).unwrap(),
                        Flat::reals(&[], vec![k.into()]).unwrap(),
                        Flat::integers(&[], vec![k.into()]).unwrap(),
                    ];
                    let (done, report) = scaled.run_into_reported(&arguments, &mut results, Control::default());
                    assert_eq!((done, report), (Ok(()), RunReport::Bare));
                    let expected: Vec<f64> = xs.iter().map(|x| x * f64::from(k)).collect();
                    assert_eq!(results[0].as_reals(), Some(&expected[..]));
                    assert_eq!(results[1].as_integers(), Some(&[i64::from(k) + 1][..]));
                }
            });
        }
    });
    Ok(())
}

#[test]
fn sizes_beyond_memory_are_errors() -> Result<()> {
    let line = Program::trace(|n: I64| iota(n))?.compile()?;
    let table = Program::trace(|n: I64, m: I64| replicate(n, replicate(m, F64::from(1.5))))?.compile()?;
    let cube = Program::trace(|n: I64, x: F64| replicate(n, replicate(n, replicate(n, x))))?.compile()?;
    let mut results = Vec::new();
    for n in [1 << 40, 1 << 62, i64::MAX] {
        let n = Flat::integers(&[], vec![n])?;
        let error = line.run_into(std::slice::from_ref(&n), &mut results).unwrap_err();
        assert!(matches!(error, Error::Budget { what: "elements", .. }), "{error}");
        let error = table.run_into(&[n.clone(), n.clone()], &mut results).unwrap_err();
        assert!(matches!(error, Error::Budget { what: "elements", .. }), "{error}");
    }
    // Their product is 0 in 64 bits.
    for n in [1 << 32, 1 << 22] {
        let n = Flat::integers(&[], vec![n])?;
        let error = cube.run_into(&[n, Flat::reals(&[], vec![1.0])?], &mut results).unwrap_err();
        assert!(matches!(error, Error::Budget { what: "elements", .. }), "{error}");
    }
    assert_eq!(table.at::<Vec<Vec<f64>>>((2, 1))?, [[1.5], [1.5]]);
    Ok(())
}

#[test]
fn poisoned_numbers_are_those_of_the_interpreter_bit_for_bit() -> Result<()> {
    let poison = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE / 3.0,
        f64::MIN_POSITIVE,
        f64::MAX,
        1.0,
        -2.5,
    ];
    let pairs = || poison.iter().flat_map(|x| poison.iter().map(move |y| (*x, *y)));
    let (xs, ys): (Vec<f64>, Vec<f64>) = pairs().unzip();
    let program = Program::trace(|xs: Arr<F64>, ys: Arr<F64>| {
        (
            (xs.map(|x| -x), xs.map(|x| x.abs().sqrt())),
            (xs.map2(ys, |x, y| x + y), xs.map2(ys, |x, y| x - y)),
            (xs.map2(ys, |x, y| x * y), xs.map2(ys, |x, y| x / y)),
            xs.map2(ys, |x, y| if_(x.lt(y), || x, || y)),
        )
    })?;
    let arguments = [Value::new(xs)?, Value::new(ys)?];
    let mut results = Vec::new();
    let flats = arguments.each_ref().map(Flat::from);
    let compiled = program.compile()?;
    let (done, report) = compiled.run_into_reported(&flats, &mut results, Control::default());
    assert_eq!((done, report), (Ok(()), RunReport::Bare));
    let expected = program.run(&arguments)?;
    assert_eq!(results.len(), expected.len());
    for (k, (found, expected)) in results.iter().zip(&expected).enumerate() {
        let found = found.as_reals().expect("reals");
        assert_eq!(found.len(), expected.elements().len());
        for ((found, expected), (x, y)) in found.iter().zip(expected.elements()).zip(pairs()) {
            let Scalar::F64(expected) = expected else { panic!("reals") };
            // Which of the many NaNs it is no standard says.
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "result {k} at {x:e}, {y:e}: {found:e}, not {expected:e}");
        }
    }
    Ok(())
}

#[test]
fn a_step_that_fails_leaves_the_state() -> Result<()> {
    let step = Program::trace(|xs: Arr<F64>, n: I64, at: I64| (xs.map(|x| x + 1.0), n + 1, xs.index(at)))?;
    let mut repeated = step.compile()?.repeated(([1.0, 2.0], 0_i64))?;
    assert_eq!(repeated.step::<f64>(1_i64)?, 2.0);
    let error = repeated.step::<f64>(2_i64).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { index: 2, length: 2, .. }), "{error}");
    assert_eq!(repeated.state::<(Vec<f64>, i64)>()?, (vec![2.0, 3.0], 1));
    // What lies there is changed where it lies, and the state is taken in part.
    repeated.arguments_mut()[2].as_integers_mut().expect("an index")[0] = 0;
    repeated.advance()?;
    assert_eq!((repeated.state::<Vec<f64>>()?, repeated.left()), (vec![3.0, 4.0], &[Flat::reals(&[], vec![2.0])?][..]));
    // A program that has fewer results than there is state.
    let few = Program::trace(|x: F64, y: F64| x + y)?;
    let error = few.compile()?.repeated((1.0, 2.0))?.step::<()>(()).unwrap_err();
    assert!(error.to_string().contains("which begin with the next state"), "{error}");
    Ok(())
}

//! Arrays that stay on a device: what goes there comes back, and runs on them are runs.

use catadiff::array::trace::{Arr, F64, I64, loop_while};
use catadiff::array::{Const, Prim, Program};
use catadiff::execute::gpu::{Gpu, Resident};
use catadiff::execute::{Compiled, Flat, RunReport};
use catadiff::interpret::{Limits, Scalar, Value};
use catadiff::solvers::{Adam, Optimiser};
use catadiff::{Error, Result};

use crate::gpu;

/// Some numbers of a kind, the ends among them.
fn some(prim: Prim) -> Value<f64> {
    let constants: Vec<Const> = if prim.is_real() {
        [0.0, -0.0, 1.5, -2.25, 65504.0, f64::INFINITY].iter().map(|x| Const::rounded(*x, prim)).collect()
    } else {
        let (least, greatest) = prim.bounds();
        [0, 1, greatest, least, greatest / 3, least / 3].iter().map(|n| Const::wrapped(*n, prim)).collect()
    };
    let elements = constants.into_iter().map(|constant| Scalar::constant(constant, |x| x)).collect();
    Value::array(&[2, 3], elements).expect("six elements")
}

#[test]
fn what_goes_there_comes_back() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for prim in Prim::ALL {
        let flat = Flat::from(&some(prim));
        assert_eq!(gpu.get(&gpu.put(&flat)?)?, flat);
        assert_eq!(pollster::block_on(gpu.get_async(&gpu.put(&flat)?))?, flat);
        let scalar = Flat::from(&Value::Scalar(some(prim).elements()[3]));
        assert_eq!(gpu.get(&gpu.put(&scalar)?)?, scalar);
    }
    let empty = Flat::reals(&[0, 4], Vec::new())?;
    assert_eq!(gpu.get(&gpu.put(&empty)?)?, empty);
    Ok(())
}

#[test]
fn scalars_of_every_kind_come_into_kernels() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for prim in Prim::ALL {
        let text = format!(
            "program (x: {prim}) {{ let y: {prim} = add(x, x) let ys: []{prim} = replicate(2i64, y) return y, ys }}"
        );
        let program = Program::parse(&text)?;
        let compiled = program.compile_on(&gpu)?;
        for element in some(prim).elements() {
            let argument = [Value::Scalar(*element)];
            let (found, report) = compiled.run_reported(&argument, &Limits::default());
            assert_eq!((found?, report), (program.run(&argument)?, RunReport::Bare), "{prim}");
        }
    }
    Ok(())
}

/// A step of gradient descent, and how far the point was from its end.
fn descent(gpu: &Gpu) -> Result<Compiled> {
    let step = Program::trace(|x: Arr<F64>, _: F64, rate: F64| {
        let slope = x.map(|x| x - 3.0);
        (x.map2(slope, |x, s| x - rate * s), slope.map(|s| s * s).sum())
    })?;
    step.compile_on(gpu)
}

/// What tasks on any thread may await.
fn sent<T: Send>(future: T) -> T {
    future
}

#[test]
fn what_is_awaited_is_what_is_waited_for() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    // How often the host looks depends on what the device computes.
    let halved = Program::trace(|xs: Arr<F64>| {
        let (xs, times) =
            loop_while((xs, I64::from(0)), |(xs, _)| xs.sum().gt(1.0), |(xs, times)| (xs.map(|x| x * 0.5), times + 1));
        (xs, xs.map(|x| x + times.to_f64()))
    })?
    .compile_on(&gpu)?;
    let xs = gpu.put(&Flat::reals(&[4], vec![1.0, 2.0, 3.0, 4.0])?)?;
    let mut expected = Vec::new();
    halved.run_on(&[&xs], &mut expected)?;
    let found = pollster::block_on(sent(async {
        let found = halved.run_on_async(&[&xs]).await?;
        assert_eq!(gpu.get_async(&found[1]).await?.as_reals(), Some(&[4.0625, 4.125, 4.1875, 4.25][..]));
        Result::Ok(found)
    }))?;
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(gpu.get(found)?, gpu.get(expected)?);
    }
    let at = Program::trace(|xs: Arr<F64>, k: I64| xs.index(k))?.compile_on(&gpu)?;
    let outside = gpu.put(&Flat::integers(&[], vec![7])?)?;
    let error = pollster::block_on(sent(async { gpu.get_async(&at.run_on_async(&[&xs, &outside]).await?[0]).await }));
    assert!(matches!(error, Err(Error::OutOfBounds { index: 7, length: 4, .. })), "{error:?}");
    let other = pollster::block_on(sent(Gpu::new_async()))?;
    assert!(matches!(pollster::block_on(other.get_async(&xs)), Err(Error::Device { .. })));
    Ok(())
}

#[test]
fn results_are_arguments_of_the_next_run() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let step = descent(&gpu)?;
    let start = [Flat::reals(&[1000], vec![1.0; 1000])?, Flat::reals(&[], vec![0.0])?];
    let rate = Flat::reals(&[], vec![0.25])?;
    let mut expected = start.to_vec();
    for _ in 0..150 {
        let arguments = [expected[0].clone(), expected[1].clone(), rate.clone()];
        step.run_into(&arguments, &mut expected)?;
    }
    let mut state: Vec<Resident> = start.iter().map(|flat| gpu.put(flat)).collect::<Result<_>>()?;
    let rate = gpu.put(&rate)?;
    step.repeat(150, &mut state, &[&rate])?;
    assert_eq!((state[0].sizes(), state[0].prim(), state[1].sizes()), (&[1000][..], Prim::F64, &[][..]));
    let found = state.iter().map(|one| gpu.get(one)).collect::<Result<Vec<Flat>>>()?;
    assert_eq!(found, expected);
    Ok(())
}

#[test]
fn steps_of_an_optimiser_stay_on_the_device() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let loss = Program::trace(|x: Arr<F64>, at: Arr<F64>| (x - at).map(|d| d * d).sum())?;
    let adam = Adam::new(0.1);
    let start: Vec<Value<f64>> = adam.start(&loss, 0)?.at([3.0; 100])?;
    let step = adam.step(&loss, 0)?;
    let at = Flat::reals(&[100], vec![1.0; 100])?;
    let mut state = start.iter().map(|value| gpu.put(&Flat::from(value))).collect::<Result<Vec<Resident>>>()?;
    // The loss is left behind the state, and is there when the second call begins.
    let on_device = step.compile_on(&gpu)?;
    on_device.repeat(20, &mut state, &[&gpu.put(&at)?])?;
    on_device.repeat(10, &mut state, &[&gpu.put(&at)?])?;
    let mut here = step.compile()?.repeated(start)?;
    let mut before = f64::NAN;
    (0..30).try_for_each(|_| here.step([1.0; 100]).map(|loss| before = loss))?;
    let found = state.iter().map(|one| gpu.get(one)).collect::<Result<Vec<Flat>>>()?;
    let numbers = |flat: &Flat| flat.as_reals().expect("reals").to_vec();
    let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() <= 1e-9);
    assert!(near(&numbers(&found[0]), &here.state::<Vec<f64>>()?) && near(&numbers(&found[4]), &[before]));
    assert_eq!(found[3].as_integers(), Some(&[30][..]));
    state.pop();
    state.pop();
    assert!(matches!(on_device.repeat(1, &mut state, &[&gpu.put(&at)?]), Err(Error::Length { .. })));
    Ok(())
}

#[test]
fn memory_is_given_back() -> Result<()> {
    let Some(_) = gpu() else { return Ok(()) };
    let gpu = Gpu::new()?;
    // What opening the device took is kept.
    assert_eq!(gpu.memory().in_use, 0);
    let next = Program::trace(|xs: Arr<F64>| xs.map(|x| x + 1.0))?.compile_on(&gpu)?;
    let bytes = 8 << 20;
    let mut state = vec![gpu.put(&Flat::reals(&[1 << 20], vec![0.0; 1 << 20])?)?];
    let mut most = 0;
    for _ in 0..200 {
        next.repeat(1, &mut state, &[])?;
        most = most.max(gpu.memory().in_use);
    }
    // The arguments of runs are kept until it is known how these ended, but not more than 256 MiB of them.
    assert!((10 * bytes..=34 * bytes).contains(&most), "{most}");
    assert_eq!(gpu.get(&state[0])?.as_reals().map(|xs| xs[7]), Some(200.0));
    drop(state);
    assert_eq!(gpu.memory().in_use, 0);
    assert!(gpu.memory().kept <= 1 << 28, "{:?}", gpu.memory());
    Ok(())
}

#[test]
fn what_went_wrong_first_is_said_when_results_are_fetched() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    // The element at a place that was computed; the next place is one further.
    let next = Program::trace(|xs: Arr<F64>, at: Arr<I64>| {
        (xs.map(|x| x + 1.0), at.map(|k| k + (xs.index(k) * 0.0).to_i64() + 1))
    })?;
    let next = next.compile_on(&gpu)?;
    let xs = Flat::reals(&[5], vec![1.0; 5])?;
    let start =
        |at: i64| -> Result<Vec<Resident>> { Ok(vec![gpu.put(&xs)?, gpu.put(&Flat::integers(&[1], vec![at])?)?]) };
    let mut well = start(0)?;
    next.repeat(5, &mut well, &[])?;
    let mut wrong = start(2)?;
    next.repeat(5, &mut wrong, &[])?;
    assert_eq!(gpu.get(&well[1])?.as_integers(), Some(&[5][..]));
    for result in &wrong {
        assert!(matches!(gpu.get(result), Err(Error::OutOfBounds { index: 5, length: 5, .. })));
    }
    // After enough runs it is known without fetching.
    let mut wrong = start(2)?;
    assert!(matches!(next.repeat(100, &mut wrong, &[]), Err(Error::OutOfBounds { index: 5, .. })));
    // What was fetched before is as it was.
    assert_eq!(gpu.get(&well[0])?.as_reals(), Some(&[6.0; 5][..]));
    Ok(())
}

#[test]
fn other_arguments_are_errors() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let step = descent(&gpu)?;
    let mut results = Vec::new();
    let array = gpu.put(&Flat::reals(&[2], vec![1.0, 2.0])?)?;
    let scalar = gpu.put(&Flat::reals(&[], vec![0.5])?)?;
    assert!(matches!(step.run_on(&[&array], &mut results), Err(Error::Length { expected: 3, found: 1, .. })));
    let error = step.run_on(&[&scalar, &scalar, &scalar], &mut results).unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    assert!(matches!(step.repeat(1, &mut vec![array.clone()], &[]), Err(Error::Length { .. })));
    let other = Gpu::new()?;
    let error = descent(&other)?.run_on(&[&array, &scalar, &scalar], &mut results).unwrap_err();
    assert!(error.to_string().contains("another device"), "{error}");
    assert!(other.get(&array).unwrap_err().to_string().contains("another device"));
    let on_lanes = Program::trace(|x: Arr<F64>| x.sum())?.compile()?;
    assert!(on_lanes.run_on(&[&array], &mut results).unwrap_err().to_string().contains("not compiled for a GPU"));
    Ok(())
}

#[test]
fn scalars_go_from_run_to_run() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let norms = Program::trace(|x: Arr<F64>| (x.map(|x| x * x).sum(), x.len()))?.compile_on(&gpu)?;
    let scaled = Program::trace(|by: F64, n: I64| catadiff::array::trace::iota(n).map(|k| k.to_f64() / by))?;
    let scaled = scaled.compile_on(&gpu)?;
    let (mut sums, mut results) = (Vec::new(), Vec::new());
    norms.run_on(&[&gpu.put(&Flat::reals(&[3], vec![1.0, 2.0, 3.0])?)?], &mut sums)?;
    scaled.run_on(&[&sums[0], &sums[1]], &mut results)?;
    assert_eq!(gpu.get(&results[0])?.as_reals(), Some(&[0.0, 1.0 / 14.0, 2.0 / 14.0][..]));
    Ok(())
}

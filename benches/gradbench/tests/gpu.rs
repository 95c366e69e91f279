//! The twelve functions and their derivatives on a GPU: the values of the CPU, and how little a run asks of the device.
#![cfg(feature = "gpu")]

mod inputs;

use catadiff::Result;
use catadiff::array::Program;
use catadiff::execute::Flat;
use catadiff::execute::gpu::{Counts, FirstGpu, Gpu, counts};
use catadiff_gradbench::{FUNCTIONS, Task};
use inputs::{data, inputs};
use serde_json::{Value as Json, json};

/// The GPU of this machine; none, which is said, if it has none and `CATADIFF_GPU` does not ask for one.
fn gpu() -> Option<Gpu> {
    match FirstGpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error) if std::env::var("CATADIFF_GPU").is_ok_and(|value| value == "required") => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED: the benchmark on a GPU: {error}");
            None
        }
    }
}

/// How far results may be from those of the CPU, of the largest: sums of many terms are taken in another order.
const TOLERANCE: f64 = 1e-12;
/// The errors of `ba` are differences of places on a picture near 834, of which 0.1 is left: a unit in the last place of these is 8000 of
/// the result. Of the gradient of `lse` the greatest element has 1 less the parts of all, of which none is more than 1/6000.
const OTHERS: [(&str, f64); 2] = [("ba", 3e-12), ("lse", 3e-12)];

/// The largest difference, of the largest number.
fn difference(found: &[f64], expected: &[f64]) -> f64 {
    let largest = expected.iter().filter(|x| x.is_finite()).fold(0.0, |most: f64, x| most.max(x.abs()));
    let apart = |(a, b): (&f64, &f64)| if a == b || a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() };
    let most = found.iter().zip(expected).map(apart).fold(0.0, |most: f64, d| if d.is_nan() { d } else { most.max(d) });
    if most == 0.0 { 0.0 } else { most / largest }
}

#[test]
fn functions_and_derivatives_have_the_values_of_the_cpu() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for function in FUNCTIONS {
        for name in inputs(function.module).into_iter().take(2) {
            let Ok(task) = (function.task)(&data(&format!("{}/{name}.json.gz", function.module))) else { continue };
            let label = format!("{} {} {name}", function.module, function.name);
            let arguments = task.inputs;
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            task.program.compile_on(&gpu)?.run_into(&arguments, &mut found)?;
            task.program.compile()?.run_into(&arguments, &mut expected)?;
            assert_eq!(found.len(), expected.len(), "{label}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.sizes(), expected.sizes(), "{label}");
                let (Some(a), Some(b)) = (found.as_reals(), expected.as_reals()) else {
                    assert_eq!(found, expected, "{label}");
                    continue;
                };
                let allowed = OTHERS.iter().find(|(module, _)| *module == function.module).map_or(TOLERANCE, |it| it.1);
                let difference = difference(a, b);
                assert!(difference <= allowed, "{label}: {difference:e}");
            }
        }
    }
    Ok(())
}

fn task(module: &str, name: &str, input: &Json) -> Result<Task> {
    let function = FUNCTIONS.iter().find(|it| it.module == module && it.name == name).expect("a function");
    (function.task)(input)
}

fn counted(gpu: &Gpu, task: &Task) -> Result<Counts> {
    Ok(counts(gpu, &task.program, &task.inputs)?.expect("it comes to its end"))
}

fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|k| ((k * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.5).collect()
}

fn rows(n: usize, columns: usize, seed: usize) -> Vec<Vec<f64>> {
    (0..n).map(|k| numbers(columns, seed + 31 * k)).collect()
}

fn mixture(n: usize, k: usize, d: usize) -> Json {
    json!({
        "alpha": numbers(k, 1), "mu": rows(k, d, 2), "q": rows(k, d, 3), "l": rows(k, d * (d - 1) / 2, 4), "x": rows(n, d, 5),
        "m": 0, "gamma": 1.0,
    })
}

#[test]
fn the_gradient_of_a_mixture_is_25_kernels_that_fill_a_device() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for (n, k, d) in [(200, 5, 4), (1000, 25, 2), (100, 2, 32), (1000, 25, 16)] {
        let asked = counted(&gpu, &task("gmm", "jacobian", &mixture(n, k, d))?)?;
        assert!(asked.dispatches <= 25 && asked.readbacks == 0, "{n} points, {k} of {d}: {asked:?}");
        // What depends on points, components and dimensions has a thread for some of each.
        if n * k * d > 1 << 17 {
            assert!(asked.threads >= 5 << 16, "{asked:?}");
        }
    }
    Ok(())
}

#[test]
fn a_step_of_an_lstm_is_six_kernels() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let input = |steps: usize| {
        json!({
            "main_params": rows(4, 56, 1), "extra_params": rows(3, 14, 2), "state": rows(4, 14, 3),
            "sequence": rows(steps, 14, 4),
        })
    };
    let few = counted(&gpu, &task("lstm", "jacobian", &input(10))?)?;
    let many = counted(&gpu, &task("lstm", "jacobian", &input(110))?)?;
    assert!(many.dispatches - few.dispatches <= 6 * 100 && many.readbacks == 0, "{few:?}, {many:?}");
    Ok(())
}

#[test]
fn newtons_step_of_k_means_is_four_kernels() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for k in [2, 10, 100] {
        let input = json!({ "points": rows(2000, 4, 1), "centroids": rows(k, 4, 7) });
        let asked = counted(&gpu, &task("kmeans", "dir", &input)?)?;
        assert!(asked.dispatches <= 4 && asked.readbacks == 0, "{k} centres: {asked:?}");
    }
    Ok(())
}

/// How far results in single precision may be from those in double precision, of the largest, in units of the last place.
fn units(module: &str, name: &str) -> f64 {
    match (module, name) {
        // For the reasons that doubles have.
        ("ba", "objective") => 2.0e4,
        ("lse", "gradient") => 3.0e4,
        // Steps of a descent, each from where the one before ended.
        ("particle", _) => 100.0,
        _ => 20.0,
    }
}

/// Sizes of inputs.
fn settings(module: &str) -> &'static str {
    match module {
        "gmm" => "d=4 k=5 n=300",
        "ba" => "n=3 m=20 p=200",
        "ht" => "kind=complicated v=40 c=30",
        "lstm" => "l=2 c=20",
        "kmeans" => "k=10 n=1000 d=8",
        "lse" => "n=10000",
        "llsq" => "m=64 n=512",
        "det" => "ell=6",
        "ode" => "n=20 s=10",
        _ => "",
    }
}

/// An input of the generator.
fn made(module: &str, settings: &str) -> Result<Json> {
    let settings: Vec<String> = settings.split_whitespace().map(str::to_owned).collect();
    catadiff_gradbench::inputs::input(module, &settings)
}

/// An argument in single precision, and in double precision the same numbers.
fn singles_and_doubles(flat: &Flat) -> Result<[Flat; 2]> {
    let Some(reals) = flat.as_reals() else { return Ok([flat.clone(), flat.clone()]) };
    let singles: Vec<f32> = reals.iter().map(|x| *x as f32).collect();
    let doubles = singles.iter().map(|x| f64::from(*x)).collect();
    Ok([Flat::singles(flat.sizes(), singles)?, Flat::reals(flat.sizes(), doubles)?])
}

#[test]
fn functions_and_derivatives_in_single_precision_are_near_those_in_double_precision() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    for function in FUNCTIONS {
        let task = (function.task)(&made(function.module, settings(function.module))?)?;
        let single = Program::parse(&task.program.to_string().replace("f64", "f32"))?;
        let both = task.inputs.iter().map(singles_and_doubles).collect::<Result<Vec<_>>>()?;
        let (singles, doubles): (Vec<Flat>, Vec<Flat>) =
            both.into_iter().map(|[single, double]| (single, double)).unzip();
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        single.compile_on(&gpu)?.run_into(&singles, &mut found)?;
        task.program.compile()?.run_into(&doubles, &mut expected)?;
        let bound = units(function.module, function.name) * f64::from(f32::EPSILON);
        for (found, expected) in found.iter().zip(&expected) {
            let (Some(a), Some(b)) = (found.as_singles(), expected.as_reals()) else {
                assert_eq!(found, expected);
                continue;
            };
            let a: Vec<f64> = a.iter().map(|x| f64::from(*x)).collect();
            assert_eq!(a.len(), b.len());
            let difference = difference(&a, b);
            assert!(difference <= bound, "{} {}: {difference:e} > {bound:e}", function.module, function.name);
        }
    }
    Ok(())
}

/// The least is the arguments, the results, and what has to be kept between kernels, written once and read once. That is nothing, but
/// for mixtures, where a thread for each point and component would not fill a device: the function keeps four parts of each square, and
/// its gradient the numbers of each point, component and dimension.
#[test]
fn no_more_is_moved_than_three_times_the_least() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let (n, k, d) = (1000, 25, 16);
    for (module, name, settings, kept) in [
        ("kmeans", "cost", "k=10 n=4000 d=8", 0),
        ("kmeans", "dir", "k=10 n=4000 d=8", 0),
        ("lse", "primal", "n=100000", 0),
        ("lse", "gradient", "n=100000", 0),
        ("gmm", "objective", "d=16 k=25 n=1000", 4 * n * k),
        ("gmm", "jacobian", "d=16 k=25 n=1000", n * k * d),
    ] {
        let task = task(module, name, &made(module, settings)?)?;
        let mut results = Vec::new();
        task.program.compile()?.run_into(&task.inputs, &mut results)?;
        let elements =
            task.inputs.iter().chain(&results).map(|flat| flat.sizes().iter().product::<usize>()).sum::<usize>();
        let counts = counted(&gpu, &task)?;
        let multiple = counts.bytes as f64 / (8 * (elements + 2 * kept)) as f64;
        assert!((1.0..=3.0).contains(&multiple), "{module} {name}: {multiple}, {counts:?}");
    }
    Ok(())
}

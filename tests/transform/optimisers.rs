//! Optimisers: steps as programs, against closed forms, a step written by hand and numbers of JAX.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F16, F32, F64, I64, loop_for};
use catadiff::interpret::Value;
use catadiff::primitives::f16;
use catadiff::solvers::{Adam, Optimiser, Rate, Sgd};
use catadiff::{Elementary, Error, Result};

/// On half of a square the derivative is the parameter, so that steps are exact and linear.
fn half_square() -> Program {
    Program::trace_named(&["x"], |x: F64| x * x * 0.5).unwrap()
}

fn trained<S: catadiff::interpret::FromValues>(
    optimiser: &impl Optimiser,
    loss: &Program,
    (wrt, start): (&str, impl catadiff::interpret::ToValues),
    steps: usize,
    data: impl catadiff::interpret::ToValues + Copy,
) -> Result<(S, f64)> {
    let start: Vec<Value<f64>> = optimiser.start(loss, wrt)?.at(start)?;
    let mut training = optimiser.step(loss, wrt)?.compile()?.repeated(start)?;
    let mut last = f64::NAN;
    for _ in 0..steps {
        last = training.step(data)?;
    }
    Ok((training.state()?, last))
}

#[test]
fn steps_of_descent_are_those_of_the_formulas() -> Result<()> {
    // By halves and quarters, without rounding.
    let (x, before): (f64, f64) = trained(&Sgd::new(0.5), &half_square(), ("x", 8.0), 3, ())?;
    assert_eq!((x, before), (1.0, 2.0));
    // v ← v/2 + x, x ← x − v/2: (8, 0), (4, 8), (0, 8), (−2, 4).
    let momentum = Sgd::new(0.5).momentum(0.5);
    let (found, _): ((f64, f64), f64) = trained(&momentum, &half_square(), ("x", 8.0), 3, ())?;
    assert_eq!(found, (-2.0, 4.0));
    // v ← v/2 + x, x ← x − (x + v/2)/2: (8, 0), (2, 8), (−1/2, 6), (−7/8, 5/2).
    let (found, _): ((f64, f64), f64) = trained(&momentum.nesterov(), &half_square(), ("x", 8.0), 3, ())?;
    assert_eq!(found, (-0.875, 2.5));
    // The first step of Adam goes as far as its rate, whatever the derivative, and AdamW's then as much nearer to 0.
    for start in [1e-3, 8.0, -3e4_f64] {
        let adam = Adam::new(0.25).epsilon(0.0);
        let (x, _): (f64, f64) = trained(&adam, &half_square(), ("x", start), 1, ())?;
        assert!((x - (start - 0.25 * start.signum())).abs() <= 1e-15 * start.abs().max(1.0), "{x}");
        let (x, _): (f64, f64) = trained(&adam.decay(0.5), &half_square(), ("x", start), 1, ())?;
        assert!((x - (start * 0.875 - 0.25 * start.signum())).abs() <= 1e-15 * start.abs().max(1.0), "{x}");
    }
    Ok(())
}

type Net = (Arr<Arr<F64>>, (Arr<F64>, F64));

/// A loss whose other parameters are before and behind those that are changed.
fn network() -> Program {
    Program::trace_named(&["xs", "net", "ys"], |xs: Arr<Arr<F64>>, (w, (v, b)): Net, ys: Arr<F64>| {
        xs.map2(ys, |x, y| w.matvec(x).map(F64::tanh).dot(v) + b - y).map(|e| e * e).mean()
    })
    .unwrap()
}

type Numbers = (Vec<Vec<f64>>, (Vec<f64>, f64));

fn start() -> Numbers {
    (vec![vec![0.5, -1.0], vec![0.25, 0.75], vec![-0.5, 0.125]], (vec![1.0, -0.5, 0.25], 0.125))
}

const XS: [[f64; 2]; 4] = [[0.0, 1.0], [1.0, 0.5], [-1.0, 2.0], [0.5, -0.5]];
const YS: [f64; 4] = [1.0, -1.0, 0.5, 0.25];

/// All numbers of the network after twenty steps, and the loss before the last: `python tests/data/optimisers.py`, with JAX 0.10.2.
fn of_jax(name: &str) -> Vec<f64> {
    let lines = include_str!("../data/optimisers.csv").lines();
    let mut named = lines.filter_map(|line| line.split_once(',')).filter(|(of, _)| *of == name);
    let (_, numbers) = named.next().expect("the table has a line for each optimiser");
    numbers.split(',').map(|x| x.parse().expect("a number")).collect()
}

fn flat((w, (v, b)): Numbers, loss: f64) -> Vec<f64> {
    [w.concat(), v, vec![b, loss]].concat()
}

fn against_jax(name: &str, optimiser: &impl Optimiser) -> Result<()> {
    let loss = network();
    let first: Vec<Value<f64>> = optimiser.start(&loss, "net")?.at(start())?;
    let mut training = optimiser.step(&loss, "net")?.compile()?.repeated(first)?;
    let mut before = f64::NAN;
    (0..20).try_for_each(|_| training.step((XS, YS)).map(|loss| before = loss))?;
    let (found, expected) = (flat(training.state()?, before), of_jax(name));
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(&expected) {
        assert!((x - y).abs() <= 1e-12, "{name}: {found:?} where JAX has {expected:?}");
    }
    Ok(())
}

#[test]
fn nests_are_trained_as_jax_trains_them() -> Result<()> {
    against_jax("sgd", &Sgd::new(0.1))?;
    against_jax("momentum", &Sgd::new(0.1).momentum(0.9))?;
    against_jax("nesterov", &Sgd::new(0.1).momentum(0.9).nesterov())?;
    against_jax("adam", &Adam::new(0.05))?;
    against_jax("adamw", &Adam::new(0.05).betas(0.8, 0.99).epsilon(1e-6).decay(0.1))
}

#[test]
fn parameters_and_state_are_named_and_in_order() -> Result<()> {
    let step = Adam::new(Rate::Given).step(&network(), "net")?;
    let nets = ["", "mean.", "square."].map(|kept| ["0", "1.0", "1.1"].map(|part| format!("{kept}net.{part}")));
    assert_eq!(step.names(), [nets.concat(), ["step", "rate", "xs", "ys"].map(String::from).to_vec()].concat());
    assert_eq!(step.verify(), Ok(()));
    // By position, and only some.
    let step = Sgd::new(0.1).momentum(0.5).step(&network(), [3, 1])?;
    assert_eq!(step.names(), ["net.1.1", "net.0", "velocity.net.1.1", "velocity.net.0", "xs", "net.1.0", "ys"]);
    Ok(())
}

#[test]
fn steps_in_a_loop_are_steps_one_after_the_other() -> Result<()> {
    let loss = Program::trace(|x: Arr<F64>, at: Arr<F64>| (x - at).map(|d| d.cosh()).sum())?;
    let step = Adam::new(Rate::Given).step(&loss, 0)?;
    let rate = |k: I64| 0.1 / (k.to_f64() + 1.0).sqrt();
    let all = Program::trace(|x: Arr<F64>, at: Arr<F64>| {
        let nothing = x.zeros_like();
        let next = |k, (x, mean, square, steps, _): (Arr<F64>, Arr<F64>, Arr<F64>, I64, F64)| {
            step.call::<(Arr<F64>, Arr<F64>, Arr<F64>, I64, F64)>((x, mean, square, steps, rate(k), at))
        };
        let (x, _, _, steps, loss) = loop_for(9, (x, nothing, nothing, 0, 0.0), next);
        (x, steps, loss)
    })?;
    let (x, at) = ([0.0, 1.0, 5.0], [0.5, 0.5, 4.0]);
    let (found, steps, last): (Vec<f64>, i64, f64) = all.at((x, at))?;
    assert_eq!(steps, 9);
    let begin: Vec<Value<f64>> = Adam::new(Rate::Given).start(&loss, 0)?.at(x)?;
    let mut training = step.compile()?.repeated(begin)?;
    let mut before = 0.0;
    for k in 0..9 {
        before = training.step((0.1 / (f64::from(k) + 1.0).sqrt(), at))?;
    }
    let each: Vec<f64> = training.state()?;
    found.iter().zip(&each).for_each(|(x, y)| assert!((x - y).abs() <= 1e-15, "{found:?} {each:?}"));
    assert!((last - before).abs() <= 1e-14);
    Ok(())
}

/// What is learnt depends on how it is learnt: by the rate, where the end is `x (1 − r)ⁿ`.
#[test]
fn ends_have_derivatives_by_the_rate() -> Result<()> {
    let step = Sgd::new(Rate::Given).step(&half_square(), ..)?;
    let end = Program::trace(|x: F64, rate: F64| loop_for(5, x, |_, x| step.call::<(F64, F64)>((x, rate)).0))?;
    let (value, (by_x, by_rate)): (f64, (f64, f64)) = end.value_and_grad(..)?.at((4.0, 0.5))?;
    assert_eq!((value, by_x, by_rate), (0.125, 0.03125, -1.25));
    let bend: f64 = end.grad([1])?.grad([1])?.at((4.0, 0.5))?;
    assert_eq!(bend, 10.0);
    Ok(())
}

#[test]
fn each_precision_keeps_its_own() -> Result<()> {
    let loss = Program::trace(|x: F32, y: F16, z: F64| {
        (x.to_f64() - z) * (x.to_f64() - z) + y.to_f64() * y.to_f64() * 0.5 + z * z
    })?;
    let step = Sgd::new(Rate::Given).momentum(0.5).step(&loss, ..)?;
    type State = (f32, f16, f64, f32, f16, f64);
    let half = f16::from_f64;
    let at = (1.0_f32, half(3.0), 0.5, 0.0_f32, half(0.0), 0.0, 0.25);
    let (x, y, z, u, v, w, loss): (f32, f16, f64, f32, f16, f64, f64) = step.at(at)?;
    assert_eq!((x, y, z, u, v, w), (0.75, half(2.25), 0.5, 1.0, half(3.0), 0.0));
    assert_eq!(loss, 5.0);
    let single = Program::trace(|x: Arr<F32>| (x * x).sum())?;
    let text = Adam::new(0.1).step(&single, ..)?.to_string();
    assert!(!text.contains("f64"), "all in single precision: {text}");
    let start: State = Sgd::new(0.1).momentum(0.5).start(&loss_of_three()?, ..)?.at((1.0_f32, half(2.0), 3.0))?;
    assert_eq!(start, (1.0, half(2.0), 3.0, 0.0, half(0.0), 0.0));
    Ok(())
}

fn loss_of_three() -> Result<Program> {
    Program::trace(|x: F32, y: F16, z: F64| x.to_f64() + y.to_f64() + z)
}

#[test]
fn what_cannot_be_trained_is_refused() -> Result<()> {
    let adam = Adam::new(0.1);
    let vector = Program::trace(|x: Arr<F64>| x)?;
    assert!(matches!(adam.step(&vector, ..), Err(Error::NotDifferentiable { .. })));
    let error = adam.step(&network(), "nets").unwrap_err();
    assert!(matches!(&error, Error::Parameter { name, .. } if name == "nets"), "{error}");
    assert!(matches!(adam.start(&network(), 7), Err(Error::Parameter { .. })));
    let whole = Program::trace(|n: I64| n.to_f64())?;
    assert!(matches!(adam.step(&whole, ..), Err(Error::Empty { .. })));
    // A state that is too short, and data of another shape, with the parameter's name; what was there stays.
    let step = Sgd::new(0.1).momentum(0.5).step(&network(), "net")?;
    let mut short = step.compile()?.repeated(start())?;
    assert!(matches!(short.step::<f64>((XS, YS)), Err(Error::Length { .. })));
    let mut training = Sgd::new(0.1).step(&network(), "net")?.compile()?.repeated(start())?;
    let error = training.step::<f64>((YS, YS)).unwrap_err();
    assert!(matches!(&error, Error::Argument { name, .. } if name == "xs"), "{error}");
    assert!(matches!(training.step::<f64>((XS, [0.0; 3])), Err(Error::Sizes { .. })));
    assert_eq!(training.state::<Numbers>()?, start());
    // Nothing to be changed in them, and a parameter without elements.
    let loss = Program::trace(|x: Arr<F64>| (x * x).sum())?;
    let (x, value): (Vec<f64>, f64) = Sgd::new(0.5).step(&loss, ..)?.at([0.0; 0])?;
    assert_eq!((x, value), (vec![], 0.0));
    Ok(())
}

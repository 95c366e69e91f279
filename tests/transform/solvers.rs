//! Solvers: what they return solves, and its derivatives are those of the solution, however it was found.

use catadiff::array::trace::{Arr, F32, F64, I64, if_, loop_for};
use catadiff::array::{Policy, Program};
use catadiff::interpret::{Limits, ToValues, measure};
use catadiff::solvers::{
    OdeOptions, bisect, custom_fixed_point, custom_root, fixed_point, newton, odeint, odeint_adjoint,
    odeint_adjoint_with, odeint_with,
};
use catadiff::{Elementary, Error, Mistake, Result};

#[track_caller]
fn near(found: f64, expected: f64, bound: f64) {
    assert!((found - expected).abs() <= bound, "{found} where {expected} ± {bound} is right");
}

/// The derivatives of `√a`, to the fourth, by each solver.
#[test]
fn derivatives_of_roots_are_right_to_every_order() {
    let square = |a: F64, x: F64| x * x - a;
    let heron = |a: F64| loop_for(40, a + 1.0, move |_, x| (x + a / x) * 0.5);
    let all = [
        Program::trace(move |a: F64| bisect(a, (0.0, 10.0), square)),
        Program::trace(move |a: F64| newton(a, 1.0, square)),
        Program::trace(move |a: F64| custom_root(a, heron, square)),
        Program::trace(move |a: F64| fixed_point(a, 1.0, |a, x: F64| (x + a / x) * 0.5)),
        Program::trace(move |a: F64| custom_fixed_point(a, heron, |a, x: F64| (x + a / x) * 0.5)),
    ];
    for root in all {
        let mut program = root.unwrap();
        let (mut value, mut power) = (1.0, 0.5);
        for order in 0..4 {
            for a in [0.25, 2.0, 9.0_f64] {
                let expected = value * a.powf(power);
                near(program.at(a).unwrap(), expected, 1e-9 * expected.abs());
                near(program.compile().unwrap().at(a).unwrap(), expected, 1e-9 * expected.abs());
            }
            (value, power) = (value * power, power - 1.0);
            program = if order % 2 == 0 { program.grad(..).unwrap() } else { tangent(&program) };
        }
    }
}

/// The derivative, by forward mode.
fn tangent(program: &Program) -> Program {
    let pushed = program.jvp().unwrap().only(&[1]).unwrap();
    Program::trace(|x: F64| pushed.call::<F64>((x, 1.0))).unwrap()
}

/// A system whose solution is known, by parameters of which some are integers and some arrays.
fn system() -> Result<Program> {
    Program::trace_named(&["p", "n", "b"], |p: F64, n: I64, b: Arr<F64>| {
        newton((p, n, b), [1.0, 1.0, 1.0], |(p, n, b), x: Arr<F64>| {
            // x₀ = b₀, x₁ = b₁ p + n x₀, x₂³ = x₁ + b₂
            let [x, y, z] = [0, 1, 2].map(|k| x.index(k));
            [x - b.index(0), y - b.index(1) * p - x * n.to_f64(), z * z * z - y - b.index(2)]
        })
    })
}

#[test]
fn systems_are_solved() {
    let system = system().unwrap();
    let at = (2.0, 3_i64, [0.5, 1.25, 4.0]);
    let found: [f64; 3] = system.at(at).unwrap();
    [0.5, 4.0, 2.0].iter().zip(found).for_each(|(x, y)| near(y, *x, 1e-12));
    let (by_p, by_b): ([f64; 3], [[f64; 3]; 3]) = system.jacobian(..).unwrap().at(at).unwrap();
    [0.0, 1.25, 1.25 / 12.0].iter().zip(by_p).for_each(|(x, y)| near(y, *x, 1e-12));
    let expected = [[1.0, 0.0, 0.0], [3.0, 2.0, 0.0], [3.0 / 12.0, 2.0 / 12.0, 1.0 / 12.0]];
    expected.concat().iter().zip(by_b.concat()).for_each(|(x, y)| near(y, *x, 1e-12));
    let (forward, _): ([f64; 3], [[f64; 3]; 3]) = system.jacfwd(..).unwrap().at(at).unwrap();
    forward.iter().zip(by_p).for_each(|(x, y)| near(y, *x, 1e-13));
    // Of x₂ = (b₁ p + n b₀ + b₂)^⅓, which is 2.
    let last = Program::trace(|p: F64, n: I64, b: Arr<F64>| system.call::<Arr<F64>>((p, n, b)).index(2)).unwrap();
    near(last.hessian([0]).unwrap().at(at).unwrap(), -2.0 / 9.0 * 1.25 * 1.25 / 32.0, 1e-13);
}

/// The equilibrium of a layer, as in networks that are fixed points of theirs.
#[test]
fn equilibria_are_differentiated_where_they_are() {
    let layer = |w: Arr<Arr<F64>>, x: Arr<F64>, z: Arr<F64>| (w.matvec(z) * 0.4 + x).map(F64::tanh);
    let program = Program::trace_named(&["w", "x"], move |w: Arr<Arr<F64>>, x: Arr<F64>| {
        fixed_point((w, x), [0.0, 0.0], move |(w, x), z| layer(w, x, z)).sum()
    });
    // Unrolled for so long that nothing changes any more.
    let unrolled = Program::trace_named(&["w", "x"], move |w: Arr<Arr<F64>>, x: Arr<F64>| {
        loop_for(200, [0.0, 0.0], |_, z| layer(w, x, z)).sum()
    });
    let at = ([[0.5, -1.0], [0.75, 0.25]], [0.3, -0.2]);
    let [(w, x), (v, y)]: [(Vec<[f64; 2]>, Vec<f64>); 2] =
        [program, unrolled].map(|program| program.unwrap().grad(..).unwrap().at(at).unwrap());
    w.concat().iter().zip(v.concat()).for_each(|(a, b)| near(*a, b, 1e-11));
    x.iter().zip(y).for_each(|(a, b)| near(*a, b, 1e-11));
}

#[test]
fn ends_of_brackets_and_roots_at_them() {
    let root = Program::trace(|p: F64| bisect(p, (1.0, 3.0), |p, x| x - p)).unwrap();
    for p in [1.0, 3.0, 2.0, 1.75, 2.999_999_999_9] {
        near(root.at(p).unwrap(), p, 1e-15 * p);
        near(root.grad(..).unwrap().at(p).unwrap(), 1.0, 0.0);
    }
    for p in [0.0, 3.5, f64::NAN] {
        let error = root.at::<f64>(p).unwrap_err().to_string();
        assert!(error.starts_with("the changes of sign that a bracket has to have"), "{error}");
    }
}

#[test]
fn what_is_not_solved_is_an_error() {
    let none = Program::trace(|a: F64| newton(a, 0.5, |a, x: F64| x * x + a)).unwrap();
    let flat = Program::trace(|a: F64| newton(a, 0.0, |a, x: F64| x * x - a)).unwrap();
    let away = Program::trace(|a: F64| fixed_point(a, 1.0, |a, x: F64| x * 2.0 + a)).unwrap();
    // Newton's steps for x² + 1 wander for ever; those from where it is flat, and an iteration that grows, leave the numbers.
    for (program, is_at_once) in [(none, false), (flat, true), (away, true)] {
        let error = program.at::<f64>(1.0).unwrap_err();
        match &error {
            Error::LoopBound { .. } => assert!(!is_at_once, "{error}"),
            Error::Sizes { what, .. } => assert!(is_at_once && what.starts_with("the residuals"), "{error}"),
            _ => panic!("{error}"),
        }
        assert!(error.to_string().contains("tests/transform/solvers.rs"), "{error}");
    }
    let singular = Program::trace(|a: F64| newton(a, [1.0, 1.0], |a, x| [x.index(0) - a, (x.index(0) - a) * 2.0]));
    assert!(matches!(singular.unwrap().at::<Vec<f64>>(1.5), Err(Error::Sizes { .. })));
    // Equations are of their arguments alone.
    let captured = Program::trace(|a: F64, b: F64| newton(a, 1.0, move |a, x: F64| x * a - b)).unwrap_err();
    let Error::Trace { mistakes } = &captured else { panic!("{captured}") };
    let [Mistake::IllTyped { reason, .. }, ..] = &mistakes[..] else { panic!("{captured}") };
    assert!(reason.starts_with("of the equations that are solved"), "{reason}");
}

/// What states at five times are by a number, by the state at first and by the times.
type ByEach = (Vec<[f64; 2]>, Vec<[[f64; 2]; 2]>, Vec<[[f64; 5]; 2]>);

#[test]
fn orbits_and_their_derivatives() {
    // y″ = −ω² y, which is A cos ω t from A at rest.
    let oscillator =
        Program::trace_named(&["omega", "start", "times"], |omega: F64, start: Arr<F64>, times: Arr<F64>| {
            odeint(|y, _| [y.index(1), -omega * omega * y.index(0)], start, times)
        });
    let program = oscillator.unwrap();
    let (omega, times) = (1.5_f64, [0.0, 0.3, 0.3, 1.0, 4.0]);
    let at = (omega, [2.0, 0.0], times);
    let states: Vec<[f64; 2]> = program.compile().unwrap().at(at).unwrap();
    let by: ByEach = program.jacfwd(..).unwrap().compile().unwrap().at(at).unwrap();
    let reverse: ByEach = program.jacrev(..).unwrap().compile().unwrap().at(at).unwrap();
    for (k, t) in times.into_iter().enumerate() {
        let (c, s) = ((omega * t).cos(), (omega * t).sin());
        near(states[k][0], 2.0 * c, 1e-6);
        near(states[k][1], -2.0 * omega * s, 1e-6);
        for by in [&by, &reverse] {
            near(by.0[k][0], -2.0 * t * s, 1e-5);
            near(by.1[k][0][0], c, 1e-6);
            near(by.1[k][0][1], s / omega, 1e-6);
            // By the time at which it is, and by that from which on.
            if k > 0 {
                near(by.2[k][0][k], -2.0 * omega * s, 1e-5);
                near(by.2[k][0][0], 2.0 * omega * s, 1e-5);
            }
        }
    }
}

/// A stiff-free standard of three bodies (the orbit of Arenstorf), which closes after a known time; Hairer, Nørsett and Wanner, II.0.
#[test]
fn an_orbit_closes() {
    let mu = 0.012_277_471;
    let orbit = Program::trace(move |start: Arr<F64>, times: Arr<F64>| {
        let f = move |y: Arr<F64>, _: F64| {
            let [x, y, u, v] = [0, 1, 2, 3].map(|k| y.index(k));
            let nu = 1.0 - mu;
            let cube = |x: F64| {
                let r = (x * x + y * y).sqrt();
                r * r * r
            };
            let (one, two) = (cube(x + mu), cube(x - nu));
            [u, v, x + v * 2.0 - (x + mu) * nu / one - (x - nu) * mu / two, y - u * 2.0 - y * nu / one - y * mu / two]
        };
        odeint_with(&OdeOptions { relative: 1e-10, absolute: 1e-10, ..OdeOptions::default() }, f, start, times)
    });
    let start = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    let states: Vec<[f64; 4]> = orbit.unwrap().compile().unwrap().at((start, [0.0, 17.065_216_560_157_964])).unwrap();
    near(states[1][0], 0.994, 1e-4);
    near(states[1][1], 0.0, 1e-4);
}

#[test]
fn steps_that_run_out_are_an_error_and_checkpoints_change_nothing() {
    let decay = |options: OdeOptions| {
        Program::trace(move |rate: F64, times: Arr<F64>| odeint_with(&options, |y, _| y * -rate, [1.0], times))
    };
    let few = decay(OdeOptions { steps: 3, ..OdeOptions::default() }).unwrap();
    let error = few.at::<Vec<[f64; 1]>>((1.0, [0.0, 1e-9, 100.0])).unwrap_err();
    assert!(
        matches!(error, Error::LoopBound { .. }) && error.to_string().contains("tests/transform/solvers.rs"),
        "{error}"
    );
    let at = (0.5, [0.0, 1.0, 2.0]);
    let all: Vec<[f64; 1]> = decay(OdeOptions::default()).unwrap().jacrev([0]).unwrap().at(at).unwrap();
    let checkpointed = OdeOptions { policy: Policy::Binomial(4), ..OdeOptions::default() };
    let some: Vec<[f64; 1]> = decay(checkpointed).unwrap().jacrev([0]).unwrap().at(at).unwrap();
    assert_eq!(all, some);
    near(all[2][0], -2.0 * f64::exp(-1.0), 1e-6);
    // No time, one, and a state that is no number.
    let program = decay(OdeOptions::default()).unwrap();
    assert_eq!(program.at::<Vec<[f64; 1]>>((1.0, [0.0; 0])).unwrap(), Vec::<[f64; 1]>::new());
    assert_eq!(program.at::<Vec<[f64; 1]>>((1.0, [5.0])).unwrap(), [[1.0]]);
    let few = decay(OdeOptions { steps: 100, ..OdeOptions::default() }).unwrap();
    assert!(few.at::<Vec<[f64; 1]>>((f64::NAN, [0.0, 1.0])).is_err());
}

/// By two parameters: both mixes of modes, and each mode over itself, beside those of the solution in closed form.
#[test]
fn second_derivatives_are_right_in_mixed_modes() -> Result<()> {
    // x = √p / q.
    let equation = |(p, q): (F64, F64), x: F64| x * x * q * q - p;
    let iteration = move |p: (F64, F64), x: F64| x - equation(p, x) * 0.25;
    let closed = |(p, q): (F64, F64)| p.sqrt() / q;
    let all = [
        Program::trace(move |p: F64, q: F64| bisect((p, q), (0.0, 4.0), equation)),
        Program::trace(move |p: F64, q: F64| newton((p, q), 1.0, equation)),
        Program::trace(move |p: F64, q: F64| custom_root((p, q), closed, equation)),
        Program::trace(move |p: F64, q: F64| fixed_point((p, q), 1.0, iteration)),
        Program::trace(move |p: F64, q: F64| custom_fixed_point((p, q), closed, iteration)),
    ];
    let (p, q) = (2.0_f64, 0.75);
    let expected = [
        [-0.25 * p.powf(-1.5) / q, -0.5 / (p.sqrt() * q * q)],
        [-0.5 / (p.sqrt() * q * q), 2.0 * p.sqrt() / (q * q * q)],
    ];
    let along = |program: &Program| -> Result<Program> {
        let pushed = program.jvp()?.only(&[1])?;
        Program::trace(|p: F64, q: F64| pushed.call::<F64>((p, q, 1.0, 0.5)))
    };
    for program in all {
        let program = program?;
        let by_p = program.grad(0)?;
        for second in [by_p.jacfwd(..)?, by_p.grad(..)?] {
            let found: (f64, f64) = second.at((p, q))?;
            near(found.0, expected[0][0], 1e-10);
            near(found.1, expected[0][1], 1e-10);
        }
        let found: (f64, f64) = along(&program)?.grad(..)?.at((p, q))?;
        near(found.0, expected[0][0] + expected[0][1] * 0.5, 1e-10);
        near(found.1, expected[1][0] + expected[1][1] * 0.5, 1e-10);
        near(along(&along(&program)?)?.at((p, q))?, expected[0][0] + expected[0][1] + expected[1][1] * 0.25, 1e-10);
    }
    Ok(())
}

/// Control flow inside of what is solved.
#[test]
fn equations_may_branch() {
    let kink = Program::trace(|a: F64| bisect(a, (-10.0, 10.0), |a, x| if_(x.lt(0.0), || x * 2.0 - a, || x * 0.5 - a)));
    let kink = kink.unwrap().grad(..).unwrap();
    near(kink.at(-3.0).unwrap(), 0.5, 1e-15);
    near(kink.at(3.0).unwrap(), 2.0, 1e-15);
}

/// Decay and growth of two, by a matrix and by a number of which one is a square, and an integer; with times in `f`.
type Rates = (Arr<Arr<F64>>, F64, I64);

fn forced((m, p, n): Rates, y: Arr<F64>, t: F64) -> Arr<F64> {
    m.matvec(y) * (p * p) + (t * n.to_f64()).sin() * p
}

type AtForced = ((Vec<[f64; 2]>, f64, i64), [f64; 2], [f64; 4]);
type ByForced = ((Vec<[f64; 2]>, f64), [f64; 2], [f64; 4]);

fn at_forced() -> AtForced {
    ((vec![[-1.0, 2.0], [-2.0, -0.5]], 0.75, 2), [1.0, -0.5], [0.25, 0.5, 0.5, 2.0])
}

/// A scalar of all states, with both adjoints.
fn both_adjoints(options: &OdeOptions) -> [Program; 2] {
    let scalar = |states: Arr<Arr<F64>>| states.map(|y| y.index(0) * y.index(0) + y.index(1).sin()).sum();
    let names = ["rates", "start", "times"];
    let discrete = Program::trace_named(&names, |rates: Rates, start: Arr<F64>, times: Arr<F64>| {
        scalar(odeint_with(options, |y, t| forced(rates, y, t), start, times))
    });
    let continuous = Program::trace_named(&names, |rates: Rates, start: Arr<F64>, times: Arr<F64>| {
        scalar(odeint_adjoint_with(options, rates, forced, start, times))
    });
    [discrete.unwrap(), continuous.unwrap()]
}

fn flat_forced(((m, p), y, t): ByForced) -> Vec<f64> {
    [m.concat(), vec![p], y.to_vec(), t.to_vec()].concat()
}

#[test]
fn the_continuous_adjoint_is_the_discrete_one_within_tolerances() -> Result<()> {
    let fine = OdeOptions { relative: 1e-10, absolute: 1e-10, steps: 1000, ..OdeOptions::default() };
    let programs = both_adjoints(&fine);
    let [value, same] = programs.each_ref().map(|program| program.at::<f64>(at_forced()).unwrap());
    near(value, same, 0.0);
    let [by, like] = programs.each_ref().map(|program| {
        let gradient = program.grad(..).unwrap().compile().unwrap();
        flat_forced(gradient.at(at_forced()).unwrap())
    });
    by.iter().zip(&like).for_each(|(x, y)| near(*y, *x, 1e-7));
    // Forward mode, and forward over reverse mode, along the number.
    let [by_p, along_p] =
        programs.each_ref().map(|program| program.jacfwd("rates.1").unwrap().at(at_forced()).unwrap());
    near(by_p, by[4], 1e-7);
    near(along_p, by[4], 1e-5);
    let coarse = both_adjoints(&OdeOptions { relative: 1e-6, absolute: 1e-6, steps: 1000, ..OdeOptions::default() });
    let [bend, same] = coarse.each_ref().map(|program| program.hessian("rates.1").unwrap().at(at_forced()).unwrap());
    near(same, bend, 1e-3);
    // Of no times, and of one.
    let end = Program::trace(|p: F64, times: Arr<F64>| {
        odeint_adjoint(p, |p, y: Arr<F64>, _| y * -p, [1.0], times).flatten().sum()
    })?;
    let by: (f64, Vec<f64>) = end.grad(..)?.at((0.5, [0.0; 0]))?;
    assert_eq!(by, (0.0, vec![]));
    let by: (f64, Vec<f64>) = end.grad(..)?.at((0.5, [3.0]))?;
    assert_eq!(by, (0.0, vec![0.0]));
    Ok(())
}

/// Ten times as long, or a thousandth of the tolerance: more steps, and not an element more.
#[test]
fn the_continuous_adjoint_keeps_no_steps() -> Result<()> {
    let held = |tolerance: f64, end: f64, steps: i64| -> Result<[u64; 2]> {
        let options = OdeOptions { relative: tolerance, absolute: tolerance, steps, ..OdeOptions::default() };
        let (rates, start, _) = at_forced();
        let at = (rates, start, [0.0, 0.5, 0.5, end]).to_values()?;
        let [discrete, continuous] = both_adjoints(&options).map(|program| {
            let gradient = program.grad(["rates.0", "rates.1", "start"]).unwrap();
            measure(&gradient, &at, &Limits::default()).map(|(_, usage)| usage.elements)
        });
        Ok([discrete?, continuous?])
    };
    let [few, fine, long] = [held(1e-4, 1.0, 40)?, held(1e-7, 1.0, 40)?, held(1e-4, 10.0, 400)?];
    assert_eq!((few[1], few[1]), (fine[1], long[1]));
    assert!(few[1] < few[0], "{few:?}");
    assert!(5 * few[0] < long[0], "the discrete adjoint has room for as many steps as there may be: {few:?} {long:?}");
    Ok(())
}

/// What solvers refuse, with what the message says of it; each as soon as it is known.
#[test]
fn bad_input_is_an_error_that_says_what_would_be_right() -> Result<()> {
    let decay = |options: OdeOptions| {
        Program::trace(move |p: F64, start: Arr<F64>, times: Arr<F64>| {
            odeint_with(&options, |y, _| y * y * p, start, times).flatten().sum()
        })
        .unwrap()
    };
    let adjoint = Program::trace(|p: F64, start: Arr<F64>, times: Arr<F64>| {
        odeint_adjoint(p, |p, y: Arr<F64>, _| y * y * p, start, times).flatten().sum()
    })?;
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let reached = "the times to be reached by steps and those that are";
    let few = decay(OdeOptions { steps: 2, ..OdeOptions::default() });
    // Fewer steps than NaN that is tried again and again would take.
    let usual = decay(OdeOptions { steps: 2000, ..OdeOptions::default() });
    let ended = [
        ("steps run out", &few, 1.0, vec![1.0], vec![0.0, 0.9], "the loop goes on after 2 iterations"),
        ("NaN in the equation", &usual, nan, vec![1.0], vec![0.0, 1.0], reached),
        ("NaN at first", &usual, 1.0, vec![nan, 1.0], vec![0.0, 1.0], reached),
        ("infinite at first", &usual, 1.0, vec![inf], vec![0.0, 1.0], reached),
        ("NaN among times", &usual, 1.0, vec![0.5], vec![0.0, nan, 1.0], reached),
        ("growth beyond numbers", &usual, 1.0, vec![1.0], vec![0.0, 2.0], reached),
        ("with the other adjoint", &adjoint, 1.0, vec![1.0], vec![0.0, 2.0], reached),
    ];
    for (name, program, p, start, times, says) in ended {
        let at = (p, start, times);
        let gradient = program.grad(0)?.at::<f64>(at.clone()).unwrap_err();
        for error in
            [program.at::<f64>(at.clone()).unwrap_err(), program.compile()?.at::<f64>(at).unwrap_err(), gradient]
        {
            assert!(matches!(error, Error::Sizes { .. } | Error::LoopBound { .. }), "{name}: {error}");
            assert!(error.to_string().contains(says), "{name}: {error}");
        }
    }
    // No unknowns are solved for at once.
    assert_eq!(usual.at::<f64>((1.0, [0.0; 0], [0.0, 1.0]))?, 0.0);
    assert_eq!(adjoint.grad(1)?.at::<Vec<f64>>((1.0, [0.0; 0], [0.0, 1.0]))?, Vec::<f64>::new());
    let none = Program::trace(|a: Arr<F64>| newton(a, a, |a, x: Arr<F64>| x * x - a))?;
    assert_eq!(none.at::<Vec<f64>>([0.0; 0])?, Vec::<f64>::new());
    let root = Program::trace(|a: F64| bisect(a, (0.0, 1.0), |a, x| x * x - a))?;
    let error = root.at::<f64>(4.0).unwrap_err().to_string();
    assert!(error.starts_with("the changes of sign that a bracket has to have"), "{error}");
    let wandering = Program::trace(|a: F64| fixed_point(a, 0.5, |a, x: F64| a * x * (1.0 - x)))?;
    assert!(matches!(wandering.at::<f64>(3.7), Err(Error::LoopBound { bound: 10_000, .. })));
    // Wrong shapes: more equations than unknowns, and derivatives than states.
    let more = Program::trace(|a: F64| newton(a, [1.0], |a, x: Arr<F64>| [x.index(0) - a, a]))?;
    assert!(matches!(more.at::<Vec<f64>>(1.0), Err(Error::Sizes { .. })));
    let more = Program::trace(|y: Arr<F64>| odeint(|y: Arr<F64>, _| y.concat(y), y, [0.0, 1.0]))?;
    assert!(matches!(more.at::<Vec<[f64; 1]>>([1.0]), Err(Error::Sizes { .. })));
    let single = Program::trace(|p: F32| odeint_adjoint(p, |p, y: Arr<F64>, _| y * p.to_f64(), [1.0], [0.0, 1.0]));
    assert!(single.unwrap_err().to_string().contains("of type f32: convert it to f64 around the call"));
    Ok(())
}

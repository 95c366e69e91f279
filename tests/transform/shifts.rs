//! Extrema that are taken out of exponents and put back are not differentiated by, and others are.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::interpret::Value;
use catadiff::{Elementary, Result};

fn log_sum_exp(x: Arr<F64>) -> F64 {
    let most = x.max();
    (x - most).map(Elementary::exp).sum().ln() + most
}

/// Whether the gradient of a function looks for the place of an extremum.
fn searches(f: fn(Arr<F64>) -> F64) -> Result<bool> {
    let gradient = Program::trace(f)?.grad(0)?;
    gradient.verify().expect("it is well formed");
    Ok(gradient.to_string().contains(&i64::MAX.to_string()))
}

/// The gradient of a function, and what differences of its values say.
fn compared(f: fn(Arr<F64>) -> F64) -> Result<()> {
    let at = [0.3, -1.2, 0.9, 0.8, -0.1];
    let program = Program::trace(f)?;
    let gradient: Vec<f64> = program.grad(0)?.at(at)?;
    let along: f64 = program.jvp()?.at::<(f64, f64)>((at, [1.0, -2.0, 0.5, 3.0, 0.25]))?.1;
    let value = |k: usize, by: f64| {
        let mut moved = at;
        moved[k] += by;
        program.at::<f64>(moved)
    };
    for (k, slope) in gradient.iter().enumerate() {
        let difference = (value(k, 1e-6)? - value(k, -1e-6)?) / 2e-6;
        assert!((slope - difference).abs() < 1e-7, "{k}: {slope}, not {difference}");
    }
    let product: f64 = gradient.iter().zip([1.0, -2.0, 0.5, 3.0, 0.25]).map(|(slope, by)| slope * by).sum();
    assert!((product - along).abs() < 1e-12, "{along}, not {product}");
    Ok(())
}

#[test]
fn what_cancels_is_not_differentiated_by() -> Result<()> {
    let cancel: [fn(Arr<F64>) -> F64; 5] = [
        log_sum_exp,
        // The entropy of a softmax.
        |x| {
            let most = x.max();
            let powers = x.map(|x| (x - most).exp());
            let sum = powers.sum();
            powers.map(|power| power / sum * (power / sum).ln()).sum()
        },
        // By a temperature, and downwards.
        |x| {
            let least = x.min();
            least - x.map(|x| ((least - x) / 0.5).exp()).sum().ln() * 0.5
        },
        // Of two numbers.
        |x| {
            x.map(|y| {
                let most = y.max(x.index(0) * 0.5);
                ((y - most).exp() + (x.index(0) * 0.5 - most).exp()).ln() + most
            })
            .sum()
        },
        // The loss of a class.
        |x| {
            let most = x.max();
            (x.map(|x| (x - most).exp()).sum().ln()) - (x.index(3) - most)
        },
    ];
    for f in cancel {
        assert!(!searches(f)?, "{}", Program::trace(f)?.grad(0)?);
        compared(f)?;
    }
    Ok(())
}

#[test]
fn what_does_not_cancel_is_differentiated_by() -> Result<()> {
    let remain: [fn(Arr<F64>) -> F64; 6] = [
        // Not put back, put back twice, at another temperature, beside what does not move, of something that is not a sum, and seen by itself.
        |x| {
            let most = x.max();
            x.map(|x| (x - most).exp()).sum().ln()
        },
        |x| log_sum_exp(x) + x.max(),
        |x| {
            let most = x.max();
            x.map(|x| ((x - most) * 2.0).exp()).sum().ln() + most
        },
        |x| {
            let most = x.max();
            (x.map(|x| (x - most).exp()).sum() + 1.0).ln() + most
        },
        |x| {
            let most = x.max();
            x.map(|x| (x - most).exp()).product().ln() + most
        },
        |x| {
            let most = x.max();
            let powers = x.map(|x| (x - most).exp());
            powers.sum().ln() + most + powers.index(1)
        },
    ];
    for f in remain {
        assert!(searches(f)?, "{}", Program::trace(f)?.grad(0)?);
        compared(f)?;
    }
    Ok(())
}

/// The derivative of the derivative is that of the softmax, of which the same holds.
#[test]
fn second_derivatives_cancel_as_well() -> Result<()> {
    let hessian = Program::trace(log_sum_exp)?.hessian(0)?;
    let at = [0.3_f64, -1.2, 0.9];
    let found: Vec<Vec<f64>> = hessian.at(at)?;
    let sum: f64 = at.iter().map(|x| x.exp()).sum();
    for (i, row) in found.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            let [p, q] = [i, j].map(|k| at[k].exp() / sum);
            let expected = if i == j { p - p * p } else { -p * q };
            assert!((entry - expected).abs() < 1e-15, "{i}, {j}: {entry}, not {expected}");
        }
    }
    let large = Program::trace(log_sum_exp)?.grad(0)?.run(&[Value::new([1000.0, 1000.0])?])?;
    assert_eq!(large, [Value::new([0.5, 0.5])?]);
    Ok(())
}

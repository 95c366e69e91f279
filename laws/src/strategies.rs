//! Strategies: the verbs by every mode of differentiation, on random formulas.
//!
//! Law: forward, vector forward, reverse, the functional carriers and the symbolic derivative are one derivative, to
//! second order ("Forwards and in reverse", *Summary*); and pushing forward is adjoint to pulling back,
//! `⟨J v, w⟩ = ⟨v, Jᵀ w⟩`, since both multiply the same Jacobians, from the right and from the left ("Automatic
//! Differentiation", *Theory*) (tests/laws/instances.rs).

use catadiff::carriers::{Dual, Sparse};
use catadiff::primitives::Scalar;
use catadiff::term::{Arena, Term};
use catadiff::{Forward, Kronecker, Reverse, Strategy, VectorForward, hessian, hvp, jvp, linearize, vjp};
use generic_array::typenum::U4;

use crate::approx::{Bound, Same, VARIABLES};
use crate::formula::Formula;
use crate::kronecker::{Coefficients, by_every_module};
use crate::law;
use crate::program::Program;
use crate::runner::for_all;
use crate::sample::Sample;
use crate::violation::{Verdict, Violation};

/// A point: one number per variable.
type Point = [f64; VARIABLES];

/// The largest difference of two ways of differentiating a formula, in units of rounding of its largest intermediate
/// value or derivative.
const ROUNDING: f64 = 256.0;

/// Up to here all whole numbers are floats, with room for the terms of a sum.
const WHOLE: f64 = 1e15;

/// The bound that rounding suggests, from the sizes of what is computed on the way to second order.
fn bound(formula: &Formula, x: &Point) -> Bound {
    let mut scale: f64 = 1.0;
    for v in 0..VARIABLES {
        for value in formula.trace(&twice(x, [v, v])) {
            let parts = [value.value.value, value.value.tangent, value.tangent.tangent];
            scale = parts.into_iter().map(f64::abs).fold(scale, f64::max);
        }
    }
    Bound::ulps(ROUNDING).at_scale(scale)
}

/// The point with unit tangents of first and second order.
fn twice<S: Scalar>(x: &[S], [i, j]: [usize; 2]) -> Vec<Dual<Dual<S>>> {
    let unit = |v, w| if v == w { S::one() } else { S::zero() };
    let seeded = |(v, x): (usize, &S)| Dual {
        value: Dual { value: *x, tangent: unit(v, j) },
        tangent: Dual { value: unit(v, i), tangent: S::zero() },
    };
    x.iter().enumerate().map(seeded).collect()
}

/// The gradient by a module of tangents.
fn through<M>(formula: &Formula, x: &Point) -> Vec<f64>
where
    M: Kronecker<usize, f64> + Coefficients<usize, f64>,
{
    let x: [Dual<f64, M>; VARIABLES] = core::array::from_fn(|v| Dual::variable(x[v], v));
    let tangent = formula.run(&x).tangent;
    (0..VARIABLES).map(|v| tangent.coefficient(&v)).collect()
}

/// The symbolic derivative: forward mode in the carrier of terms, then evaluated.
fn symbolic(formula: &Formula, x: &Point) -> Vec<f64> {
    let arena = Arena::new();
    let term =
        |v: usize| -> Dual<Term<'_, usize>, Sparse<usize, Term<'_, usize>>> { Dual::variable(arena.variable(v), v) };
    let tangent = formula.run(&core::array::from_fn::<_, VARIABLES, _>(term)).tangent;
    (0..VARIABLES).map(|v| tangent.coefficient(&v).eval(|w| x[*w])).collect()
}

/// A verb that fails has violated a law as well.
fn answer<T>(found: catadiff::Result<T>, formula: &Formula) -> Result<T, Violation> {
    found.map_err(|error| Violation {
        law: "a verb answers at every finite point".to_owned(),
        instances: vec![("formula".to_owned(), formula.show())],
        left: error.to_string(),
        right: "an answer".to_owned(),
    })
}

/// Every strategy has the gradient that forward mode has.
pub fn gradients_agree(formula: &Formula, x: &Point) -> Verdict {
    let bound = bound(formula, x);
    let expected = answer(Forward::grad(|x| formula.run(x), x), formula)?;
    let found = [
        ("VectorForward<U4>", answer(VectorForward::<U4>::grad(|x| formula.run(x), x), formula)?),
        ("Reverse", answer(Reverse::grad(|x| formula.run(x), x), formula)?),
        ("the symbolic derivative", symbolic(formula, x)),
    ];
    for (mode, gradient) in found.into_iter().chain(by_every_module!(over f64, through<>(formula, x))) {
        let law = format!("the gradient by {mode} is that by Forward");
        law!(law, [formula, x], gradient, expected.clone(), bound)?;
    }
    Ok(())
}

/// The Hessian by forward over reverse is that by forward over forward; `hvp` is its product with a direction.
pub fn second_derivatives_agree(formula: &Formula, x: &Point, v: &Point) -> Verdict {
    let bound = bound(formula, x);
    let expected: Vec<Vec<f64>> = (0..VARIABLES)
        .map(|i| (0..VARIABLES).map(|j| formula.run(&twice(x, [i, j])).tangent.tangent).collect())
        .collect();
    let found = answer(hessian(|x| formula.run(x), x), formula)?;
    law!("the Hessian is the derivative of the derivative", [formula, x], found, expected.clone(), bound)?;
    let (_, product) = answer(hvp(|x| formula.run(x), x, v), formula)?;
    let rows: Vec<f64> = expected.iter().map(|row| dot(row, v)).collect();
    law!("hvp is the Hessian times a direction", [formula, x, v], product, rows, bound)
}

/// `⟨J v, w⟩ = ⟨v, Jᵀ w⟩`, and `jvp`, `linearize` and `vjp` know the same `J`.
pub fn pulling_back_is_adjoint(formulas: [&Formula; 2], x: &Point, v: &Point, w: [f64; 2]) -> Verdict {
    let [f, g] = formulas;
    let bound = bound(f, x).max(bound(g, x));
    let (_, pushed) = answer(jvp(|x| vec![f.run(x), g.run(x)], x, v), f)?;
    let (_, linear) = answer(linearize(|x| vec![f.run(x), g.run(x)], x), f)?;
    let (_, pullback) = answer(vjp(|x| vec![f.run(x), g.run(x)], x), f)?;
    let (again, pulled) = (answer(linear.call(v), f)?, answer(pullback.call(&w), f)?);
    law!("linearize is jvp", [f, g, x], again, pushed.clone(), bound)?;
    law!("pulling back is adjoint: ⟨J v, w⟩ = ⟨v, Jᵀ w⟩", [f, g, x], dot(&pushed, &w), dot(v, &pulled), bound)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// On whole numbers floats do not round, and reverse mode on a tape is exactly the derivative of the polynomial.
pub fn reverse_is_exact_on_whole_numbers(program: &Program, x: &Point) -> Verdict {
    let derivatives: [_; VARIABLES] = core::array::from_fn(|v| program.derivative(v));
    if derivatives.iter().any(|d| d.eval(|w| x[*w].abs()) > WHOLE) {
        return Ok(());
    }
    let gradient = Reverse::grad(|x| program.run(x), x).map_err(|error| error.to_string());
    let expected: Vec<f64> = derivatives.iter().map(|d| d.eval(|w| x[*w])).collect();
    law!("Reverse answers", [program], gradient.is_ok(), true, Bound::EXACT)?;
    let found = gradient.unwrap_or_default();
    law!(
        "Reverse has the gradient of the program's polynomial",
        [program, x],
        found.clone(),
        expected.clone(),
        Bound::EXACT
    )
}

/// Whether all strategies agree, on random formulas at random points.
///
/// ```
/// catadiff_laws::strategies::check()?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check() -> Verdict {
    type Drawn = ((Sample<f64>, Sample<f64>), (Sample<f64>, Sample<f64>));
    // Up to 5 in size: further out a squeezed argument no longer depends on anything.
    let point = |((a, b), (c, d)): Drawn| [a, b, c, d].map(|x| x.0 / 20.0);
    for_all(|((f, g), x, v): ((Formula, Formula), Drawn, Drawn)| {
        let (x, v) = (point(x), point(v));
        gradients_agree(&f, &x)?;
        second_derivatives_agree(&f, &x, &v)?;
        pulling_back_is_adjoint([&f, &g], &x, &v, [1.5, -2.0])
    })?;
    for_all(|(program, (a, b, c, d)): (Program, (i8, i8, i8, i8))| {
        reverse_is_exact_on_whole_numbers(&program, &[a, b, c, d].map(|n| f64::from(n % 4)))
    })
}

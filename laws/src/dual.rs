//! Dual numbers: the product rule, and that every mode of differentiation is the same derivative.
//!
//! Law: `Dual<S, M>` is a semiring if `M` is a module over `S` (Nagata's idealisation); forgetting the tangent is a
//! homomorphism; and the tangents by `Sparse`, `Dense`, `Hom`, `Cayley` and `Accumulate` are one and the same, namely
//! the derivative of the polynomial a program computes ("Forwards and in reverse", *Make it so, Number 2!* to *Step 3:
//! Mutation*) (tests/laws/instances.rs).

use catadiff::carriers::Dual;
use catadiff::{Kronecker, Module, Semiring};

use crate::approx::{Bound, Same, VARIABLES};
use crate::kronecker::{Coefficients, by_every_module};
use crate::law;
use crate::program::Program;
use crate::runner::for_all;
use crate::sample::{Sample, Source};
use crate::violation::Verdict;
use crate::{homomorphism, semiring};

/// `d(x + y) = dx + dy`, `d(x × y) = dx·y + dy·x`, and the tangent of a constant is zero.
pub fn product_rule<S, M>(x: &Dual<S, M>, y: &Dual<S, M>, bound: Bound) -> Verdict
where
    S: Semiring + Same,
    M: Module<S> + Same,
{
    let (dx, dy) = (x.tangent.clone(), y.tangent.clone());
    law!("the sum rule: d(x + y) = dx + dy", [x, y], (x + y).tangent, dx.clone().plus(dy.clone()), bound)?;
    let leibniz = "the product rule: d(x × y) = dx·y + dy·x";
    law!(leibniz, [x, y], (x * y).tangent, dx.clone().scale(&y.value).plus(dy.clone().scale(&x.value)), bound)?;
    let c = x.value.clone();
    law!("constants have no tangent: d(c) = 0", [c], Dual::<S, M>::lift(c).tangent, M::zero_tangent(), bound)
}

/// Whether `Dual<S, M>` is a semiring whose tangents obey the product rule and whose values do not feel them.
///
/// ```
/// use catadiff::algebra::plain::Modular;
/// use catadiff::carriers::{Dual, Sparse};
/// use catadiff_laws::{Bound, Sample, dual};
/// type F = Modular<1_000_000_007>;
/// dual::check::<F, Sparse<usize, F>, Sample<Dual<F, Sparse<usize, F>>>>(Bound::EXACT)?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check<S, M, A>(bound: Bound) -> Verdict
where
    S: Semiring + Same,
    M: Module<S> + Same,
    A: Source<Dual<S, M>>,
{
    for_all(|(x, y, z): (A, A, A)| {
        let (x, y, z) = (x.give(), y.give(), z.give());
        semiring::axioms(&x, &y, &z, bound)?;
        semiring::multiplication_commutes(&x, &y, bound)?;
        homomorphism::semirings(|x: Dual<S, M>| x.value, &x, &y, bound)?;
        product_rule(&x, &y, bound)
    })
}

/// Value and gradient of a program at a point, by the tangents `M`.
pub fn gradient<S, M>(program: &Program, point: &[S; VARIABLES]) -> (S, Vec<S>)
where
    S: Semiring,
    M: Kronecker<usize, S> + Coefficients<usize, S>,
{
    let inputs: [Dual<S, M>; VARIABLES] = core::array::from_fn(|v| Dual::variable(point[v].clone(), v));
    let Dual { value, tangent } = program.run(&inputs);
    (value, (0..VARIABLES).map(|v| tangent.coefficient(&v)).collect())
}

/// Every mode returns the derivative of the program's polynomial, at a point.
pub fn modes_agree<S: Semiring + Same + 'static>(program: &Program, point: &[S; VARIABLES], bound: Bound) -> Verdict {
    let at = |v: &usize| point[*v].clone();
    let value = program.polynomial().eval(at);
    let slopes: Vec<S> = (0..VARIABLES).map(|v| program.derivative(v).eval(at)).collect();
    for (mode, found) in by_every_module!(over S, gradient<S>(program, point)) {
        let law = format!("{mode} has the program's value");
        law!(law, [program, point], found.0, value.clone(), bound)?;
        let law = format!("{mode} has the gradient of the program's polynomial");
        law!(law, [program, point], found.1, slopes.clone(), bound)?;
    }
    Ok(())
}

/// Whether every mode has the right derivative over `S`, on random programs at random points.
///
/// ```
/// use catadiff::algebra::plain::Modular;
/// use catadiff_laws::{Bound, dual};
/// dual::check_modes::<Modular<1_000_000_007>>(Bound::EXACT)?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check_modes<S: Semiring + Same + 'static>(bound: Bound) -> Verdict
where
    Sample<S>: Source<S>,
{
    type Drawn<S> = (Sample<S>, Sample<S>, Sample<S>, Sample<S>);
    for_all(|(program, (a, b, c, d)): (Program, Drawn<S>)| {
        modes_agree(&program, &[a.give(), b.give(), c.give(), d.give()], bound)
    })
}

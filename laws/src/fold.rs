//! Terms and their fold: syntax, and the one place where it meets semantics.
//!
//! Law: `eval g` is the homomorphism that sends variables where `g` does; homomorphisms fuse with it,
//! `h ∘ eval g = eval (h ∘ g)`; terms are themselves a carrier, in which evaluation is substitution; a shared node is
//! visited once; and text and listings denote the term they were made of ("Forwards and in reverse", *Look, it's free!*
//! and *Calculamus!*) (tests/laws/instances.rs).

use core::cell::Cell;
use std::rc::Rc;

use catadiff::Kronecker;
use catadiff::Semiring;
use catadiff::carriers::{Accumulate, Dual};
use catadiff::term::{Arena, Pure, Term, parse};
use num_traits::{One, Zero};

use crate::approx::{Bound, Same, VARIABLES};
use crate::formula::Formula;
use crate::kronecker::Coefficients;
use crate::program::Program;
use crate::runner::for_all;
use crate::sample::{Sample, Source};
use crate::violation::Verdict;
use crate::{homomorphism, law};

/// The free algebra on numbered variables: lawful, as terms are usually built, and lawless, to the letter.
fn arenas() -> [Arena<usize, Pure>; 2] {
    [Arena::new(), Arena::lawless()]
}

/// The program as a term: what it computes in the carrier of terms.
fn term<'a>(program: &Program, arena: &'a Arena<usize, Pure>) -> Term<'a, usize, Pure> {
    program.run(&core::array::from_fn::<_, VARIABLES, _>(|v| arena.variable(v)))
}

/// `eval` of the term that a program builds is what the program computes, and `eval` preserves `0 1 + ×`.
pub fn eval_is_a_homomorphism<S: Semiring + Same>(
    programs: [&Program; 2],
    point: &[S; VARIABLES],
    bound: Bound,
) -> Verdict {
    let at = |v: &usize| point[*v].clone();
    for arena in &arenas() {
        let [s, t] = programs.map(|program| term(program, arena));
        let program = programs[0];
        law!("eval of a program's term is the program", [program, point], s.eval(at), program.run(&point), bound)?;
        homomorphism::semirings(|t: Term<'_, usize, Pure>| t.eval(at), &s, &t, bound)?;
    }
    Ok(())
}

/// `h(eval g t) = eval (h ∘ g) t` for a homomorphism `h`.
pub fn eval_fuses<S, T>(h: impl Fn(S) -> T, program: &Program, point: &[S; VARIABLES], bound: Bound) -> Verdict
where
    S: Semiring + Same,
    T: Semiring + Same,
{
    for arena in &arenas() {
        let t = term(program, arena);
        let (outside, inside) = (h(t.eval(|v| point[*v].clone())), t.eval(|v| h(point[*v].clone())));
        law!("fusion: h ∘ eval g = eval (h ∘ g)", [program, point], outside.clone(), inside.clone(), bound)?;
    }
    Ok(())
}

/// Evaluation in terms is substitution: variables to themselves is the identity, and
/// `eval g (t[v ↦ f v]) = eval (eval g ∘ f) t`.
pub fn eval_substitutes<S: Semiring + Same>(
    program: &Program,
    replacement: &Program,
    point: &[S; VARIABLES],
    bound: Bound,
) -> Verdict {
    let at = |v: &usize| point[*v].clone();
    for arena in &arenas() {
        let (t, r) = (term(program, arena), term(replacement, arena));
        let itself = t.substitute(|v| arena.variable(*v)).same(&t);
        law!("variables to themselves is the identity", [program], itself, true, Bound::EXACT)?;
        let f = |v: &usize| if v.is_multiple_of(2) { r } else { arena.variable(*v) };
        let (first, later) = (t.substitute(f).eval(at), t.eval(|v| f(v).eval(at)));
        let name = "substitution: eval g (t[v ↦ f v]) = eval (eval g ∘ f) t";
        law!(name, [program, replacement], first.clone(), later.clone(), bound)?;
    }
    Ok(())
}

/// A number that counts the operations it takes part in; constants, which belong to no computation, do not.
#[derive(Clone)]
struct Tally<S> {
    value: S,
    count: Option<Rc<Cell<usize>>>,
}

impl<S> Tally<S> {
    fn after(self, other: Self, value: impl FnOnce(S, S) -> S) -> Self {
        let count = self.count.or(other.count);
        if let Some(count) = &count {
            count.set(count.get() + 1);
        }
        Tally { value: value(self.value, other.value), count }
    }
}

impl<S: Semiring> core::ops::Add for Tally<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.after(other, |a, b| a + b)
    }
}

impl<S: Semiring> core::ops::Mul for Tally<S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.after(other, |a, b| a * b)
    }
}

impl<S: Semiring> Zero for Tally<S> {
    fn zero() -> Self {
        Tally { value: S::zero(), count: None }
    }
    /// Knows itself only before it is counted, so that nothing is saved by luck.
    fn is_zero(&self) -> bool {
        self.count.is_none() && self.value.is_zero()
    }
}

impl<S: Semiring> One for Tally<S> {
    fn one() -> Self {
        Tally { value: S::one(), count: None }
    }
}

/// The operations that a computation from counted inputs takes, and its result.
fn counted<S: Semiring, T>(
    point: &[S; VARIABLES],
    computation: impl FnOnce(&dyn Fn(&usize) -> Tally<S>) -> T,
) -> (T, usize) {
    let count = Rc::new(Cell::new(0));
    let result = computation(&|v| Tally { value: point[*v].clone(), count: Some(count.clone()) });
    (result, count.get())
}

/// A term costs at most one operation per node, and its gradient by shared accumulators at most
/// [`GRADIENT_COST`] times as much, plus one per variable; and the gradient is the same as without sharing.
pub fn shared_nodes_cost_once<S: Semiring + Same + 'static>(
    program: &Program,
    point: &[S; VARIABLES],
    bound: Bound,
) -> Verdict {
    let arena = Arena::lawless();
    let t = term(program, &arena);
    let (_, primal) = counted(point, |at| t.eval(at));
    law!("a shared node is visited once: operations ≤ nodes", [program], primal <= t.size(), true, bound)?;
    let (gradient, cost) = counted(point, |at| {
        type Reverse<S> = Dual<Tally<S>, Accumulate<'static, Tally<S>>>;
        Reverse::<S>::eval(&t, |v| Dual::variable(at(v), *v)).tangent.abs(VARIABLES)
    });
    let found: Vec<S> = gradient.into_iter().map(|g| g.value).collect();
    let allowed = GRADIENT_COST * primal + VARIABLES;
    law!("a gradient is cheap: its operations are bounded", [program, cost, allowed], cost <= allowed, true, bound)?;
    let expected: Vec<S> = (0..VARIABLES).map(|v| program.derivative(v).eval(|w| point[*w].clone())).collect();
    law!("sharing keeps the gradient", [program], found.clone(), expected.clone(), bound)
}

/// How many times the operations of a program its gradient may take: the cheap gradient principle.
pub const GRADIENT_COST: usize = 5;

/// What the text and the listing of a term denote is the term.
pub fn text_round_trips(formula: &Formula) -> Verdict {
    let arena = Arena::<String>::new();
    let names: Vec<_> = (0..VARIABLES).map(|v| arena.variable(format!("x{v}"))).collect();
    let t = formula.run(&names);
    let text = t.to_string();
    let parsed = parse(&arena, &text).map_err(|error| error.to_string());
    let same = parsed.as_ref().map_or_else(String::clone, |p| p.same(&t).to_string());
    law!("parse(print(t)) = t", [text], same.clone(), String::from("true"), Bound::EXACT)?;
    let listed = t.listing().and_then(|listing| arena.read_listing(&listing)).map(|u| u.same(&t));
    law!("read(listing(t)) = t", [text], listed == Ok(true), true, Bound::EXACT)
}

/// Whether the fold keeps all laws above in the semiring `S`, on random terms at random points.
///
/// ```
/// use catadiff::algebra::plain::Modular;
/// use catadiff_laws::{Bound, fold};
/// fold::check::<Modular<1_000_000_007>>(Bound::EXACT)?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check<S: Semiring + Same + 'static>(bound: Bound) -> Verdict
where
    Sample<S>: Source<S>,
{
    type Drawn<S> = ((Sample<S>, Sample<S>), (Sample<S>, Sample<S>));
    for_all(|(p, q, ((a, b), (c, d))): (Program, Program, Drawn<S>)| {
        let point = [a.give(), b.give(), c.give(), d.give()];
        eval_is_a_homomorphism([&p, &q], &point, bound)?;
        eval_fuses(|x: S| Dual::<S>::lift(x), &p, &point, bound)?;
        let duals: [Dual<S>; VARIABLES] = point.clone().map(|x| Dual { value: x.clone(), tangent: x });
        eval_fuses(|x: Dual<S>| x.value, &p, &duals, bound)?;
        eval_substitutes(&p, &q, &point, bound)?;
        shared_nodes_cost_once(&p, &point, bound)
    })
}

/// Whether text and listings of random formulas denote them.
pub fn check_text() -> Verdict {
    for_all(|formula: Formula| text_round_trips(&formula))
}

/// The tangents of a term in a shared functional module, for terms whose sharing makes anything else exponential.
pub fn shared_gradient<S, M>(t: Term<'_, usize, Pure>, point: &[S; VARIABLES]) -> Vec<S>
where
    S: Semiring,
    M: Kronecker<usize, S> + Coefficients<usize, S>,
{
    let Dual { tangent, .. } = Dual::<S, M>::eval(&t, |v| Dual::variable(point[*v].clone(), *v));
    (0..VARIABLES).map(|v| tangent.coefficient(&v)).collect()
}

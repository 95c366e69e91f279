//! The talk "Deriving Automatic Differentiation, Forwards and in Reverse", every step of it by name, on its own example.
//!
//! The talk starts from the textbook rules of differentiation, which are slow, and calculates its way to reverse
//! mode. Each function below is a step, with the talk's name for it; each returns all partial derivatives. They are
//! tried on `x·(x + 1)·(x + x)` at `x = 5` (the talk's Figure 1) and on two more expressions, in the integers, where
//! there is no rounding to hide behind.

use std::collections::BTreeMap;
use std::ops::{Add, Mul};

use catadiff::carriers::{Accumulate, Cayley, Dense, Dual, Hom, Sparse};
use catadiff::prelude::*;
use catadiff::term::{Arena, Pure, Term};
use catadiff::typenum::U2;
use catadiff::{Kronecker, Module, Semiring};

/// The variables, with their numbers; the second does not occur in the talk's example.
const VARIABLES: [char; 2] = ['x', 'y'];

fn number(v: char) -> usize {
    VARIABLES.iter().position(|known| *known == v).expect("x or y")
}

/// The talk's `Expr`: the free semiring as a tree, in which nothing is shared and no law holds.
#[derive(Clone)]
enum Expr {
    Var(char),
    Zero,
    One,
    Plus(Box<Expr>, Box<Expr>),
    Times(Box<Expr>, Box<Expr>),
}

impl Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::Plus(self.into(), other.into())
    }
}

impl Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::Times(self.into(), other.into())
    }
}

impl Zero for Expr {
    fn zero() -> Expr {
        Expr::Zero
    }
    fn is_zero(&self) -> bool {
        matches!(self, Expr::Zero)
    }
}

impl One for Expr {
    fn one() -> Expr {
        Expr::One
    }
}

impl Expr {
    /// The fold: the one homomorphism into `S` that sends variables where `g` says.
    fn eval<S: Semiring>(&self, g: &impl Fn(char) -> S) -> S {
        match self {
            Expr::Var(v) => g(*v),
            Expr::Zero => S::zero(),
            Expr::One => S::one(),
            Expr::Plus(a, b) => a.eval(g) + b.eval(g),
            Expr::Times(a, b) => a.eval(g) * b.eval(g),
        }
    }

    /// `derive`: the textbook rules, word for word. No fold, since a product needs its operands as well.
    fn derive(&self, x: char) -> Expr {
        match self {
            Expr::Var(y) if *y == x => Expr::One,
            Expr::Var(_) | Expr::Zero | Expr::One => Expr::Zero,
            Expr::Plus(a, b) => a.derive(x) + b.derive(x),
            Expr::Times(a, b) => a.derive(x) * (**b).clone() + (**a).clone() * b.derive(x),
        }
    }

    fn size(&self) -> usize {
        match self {
            Expr::Plus(a, b) | Expr::Times(a, b) => 1 + a.size() + b.size(),
            _ => 1,
        }
    }
}

/// The library's `Expr`: the free semiring again, but in an arena where equal terms are one.
type Free<'a> = Term<'a, char, Pure>;

/// *Evaluate symbolic derivative*: all derivatives by `eval gen . derive x`, on trees.
fn derive(e: Free<'_>, at: &dyn Fn(char) -> i64) -> Vec<i64> {
    let tree = e.eval(|v| Expr::Var(*v));
    VARIABLES.map(|x| tree.derive(x).eval(&at)).to_vec()
}

/// *Symbolic derivation catamorphism*: `derive'` pairs the term with its derivative, and so is a fold, into duals.
fn derive_dual<'a>(e: Free<'a>, arena: &'a Arena<char, Pure>, x: char) -> Dual<Free<'a>> {
    e.eval(|y| Dual { value: arena.variable(*y), tangent: if *y == x { Free::one() } else { Free::zero() } })
}

/// `evalDerive`: evaluate the derivative that `derive'` has built.
fn eval_derive<'a>(e: Free<'a>, arena: &'a Arena<char, Pure>, at: &dyn Fn(char) -> i64) -> Vec<i64> {
    VARIABLES.map(|x| derive_dual(e, arena, x).tangent.eval(|v| at(*v))).to_vec()
}

/// *Calculamus!* By fusion the symbolic middle goes away: `forwardAD` is one fold, into duals of numbers.
fn forward_ad(e: Free<'_>, at: &dyn Fn(char) -> i64, x: char) -> Dual<i64> {
    e.eval(|y| Dual { value: at(*y), tangent: i64::from(*y == x) })
}

/// *Derivatives for all*: `allForwardAD`, one dual for each variable, which holds the value of `e` every time.
fn all_forward_ad(e: Free<'_>, at: &dyn Fn(char) -> i64) -> Vec<i64> {
    VARIABLES.map(|x| forward_ad(e, at, x).tangent).to_vec()
}

/// The remaining steps choose a tangent, and nothing else: the value, and `M` for all the derivatives.
fn all_by<M: Kronecker<V, i64>, V>(e: Free<'_>, at: &dyn Fn(char) -> i64, key: fn(char) -> V) -> M {
    Dual::<i64, M>::eval(&e, |v| Dual::variable(at(*v), key(*v))).tangent
}

fn listed(map: &Sparse<char, i64>) -> Vec<i64> {
    VARIABLES.map(|v| map.get(&v).copied().unwrap_or(0)).to_vec()
}

/// All steps, in the order of the talk.
fn derivation<'a>(
    e: Free<'a>,
    arena: &'a Arena<char, Pure>,
    at: &dyn Fn(char) -> i64,
) -> Vec<(&'static str, Vec<i64>)> {
    type Map = Sparse<char, i64>;
    vec![
        ("derive: textbook rules on a tree            ", derive(e, at)),
        ("evalDerive: derive' as a fold, then eval    ", eval_derive(e, arena, at)),
        ("allForwardAD: fused, v → Dual d             ", all_forward_ad(e, at)),
        ("evaluation spared: (d, v → d)               ", all_by::<Dense<i64, U2>, _>(e, at, number).0.to_vec()),
        ("zeroing the zeros: (d, Map v d)             ", listed(&all_by::<Map, _>(e, at, |v| v))),
        ("step 1, downwards accumulation: d → Map v d ", listed(&all_by::<Hom<'_, i64, Map>, _>(e, at, |v| v).abs())),
        (
            "step 2, upserts: d → Map v d → Map v d      ",
            listed(&all_by::<Cayley<'_, i64, Map>, _>(e, at, |v| v).abs()),
        ),
        ("step 3, mutation: d → IO ()                 ", all_by::<Accumulate<'_, i64>, _>(e, at, number).abs(2)),
    ]
}

fn main() -> catadiff::Result<()> {
    let arena = Arena::<char, Pure>::lawless();
    let [x, y] = VARIABLES.map(|v| arena.variable(v));
    let one = Free::one();
    let at = |v: char| if v == 'x' { 5 } else { 7 };

    let e = x * (x + one) * (x + x);
    println!("e = {e} is {} at x = 5, and (∂e/∂x, ∂e/∂y) is", e.eval(|v| at(*v)));
    let steps = derivation(e, &arena, &at);
    for (name, gradient) in &steps {
        println!("  {name} {gradient:?}");
        assert_eq!(gradient, &[170, 0], "{name}");
    }
    // The last step of all is in no slide: the same tangents as plain data on a tape.
    let tape = Reverse::grad(|x| x[0] * (x[0] + 1.0) * (x[0] + x[0]), &[5.0, 7.0])?;
    println!("  and on the tape that the verbs use           {tape:?}");
    assert_eq!(tape, [170.0, 0.0]);

    for e in [x * y + (x + y) * (y + one) * x, (x + y) * (x + y) * (x + y) * y] {
        let steps = derivation(e, &arena, &at);
        let last = steps.last().expect("eight steps").1.clone();
        assert!(steps.iter().all(|(_, gradient)| *gradient == last) && last[1] != 0);
    }

    // Fusion, the equation itself: evaluate after differentiating symbolically, or differentiate while evaluating.
    let both = derive_dual(e, &arena, 'x');
    println!("\nderive' e = ({}, {})", both.value, both.tangent);
    let later = (both.value.eval(|v| at(*v)), both.tangent.eval(|v| at(*v)));
    let fused = forward_ad(e, &at, 'x');
    assert_eq!(later, (fused.value, fused.tangent));

    // Why the talk leaves the textbook rules behind.
    println!("\nexpression swell, d/dx of xⁿ: nodes of the textbook's tree, and of ours, which shares");
    let swell: BTreeMap<usize, [usize; 2]> = [4, 16, 64, 256]
        .map(|n| {
            let power = (1..n).fold(x, |power, _| power * x);
            let tree = power.eval(|v| Expr::Var(*v)).derive('x').size();
            (n, [tree, derive_dual(power, &arena, 'x').tangent.size()])
        })
        .into();
    swell.iter().for_each(|(n, [tree, shared])| println!("  n = {n:3}: {tree:6} and {shared:4}"));
    let growth = |k: usize| swell[&256][k] as f64 / swell[&64][k] as f64;
    assert!(growth(0) > 15.0 && growth(1) < 4.5, "quadratic, and linear, for four times as many factors");

    // Each refinement is a pair of maps: `rep` into the new representation, `abs` out of it again.
    let map = Sparse::delta('x').scale(&3).plus(Sparse::delta('y'));
    assert_eq!(Hom::rep(map.clone()).abs(), map);
    assert_eq!(Cayley::rep(|s| map.clone().scale(&s)).abs(), map);
    assert_eq!(Accumulate::rep(vec![3, 1]).abs(2), [3, 1]);
    Ok(())
}

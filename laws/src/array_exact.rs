//! Array programs that are polynomials, run in a finite field: their derivatives are right to the last digit or wrong.
//!
//! Law: for a polynomial program `jvp` is interpretation on dual numbers, `⟨J t, a⟩ = ⟨t, Jᵀ a⟩`, all four mixes of two
//! modes give one bilinear form, which is symmetric, and `vmap f` is `map f`; each by `=`. Two polynomials that agree
//! at random points of a field this large are equal, so agreement along a random direction is agreement in all. `jvp`
//! and `vjp` need of their numbers that they are a ring, as the folds of "Forwards and in reverse" do of theirs
//! (tests/array/exact.rs).

use core::cell::OnceCell;
use core::ops::{Add, Mul};
use std::iter::Sum;
use std::rc::Rc;

use catadiff::Error;
use catadiff::algebra::plain::Modular;
use catadiff::array::{Atom, Body, Const, Op, Policy, Program, ScalarOp, constant};
use catadiff::carriers::Dual;
use catadiff::interpret::{Scalar, Value, run};
use catadiff::primitives::{Elementary, Primitive, Rule};
use num_traits::{One, Zero};

use crate::array_programs::ArrayProgram;
use crate::array_tape::by_tape;
use crate::array_values::{LIMITS, reals, violation, widened};
use crate::program_parts::changed;
use crate::violation::{Verdict, Violation};

/// A Mersenne prime, 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// A number of the field with 2⁶¹ − 1 elements, as far as array programs can run on it.
///
/// Every finite `f64` is an integer times a power of 2, and so has its residue. The rows of the table of primitives
/// that are rational functions are those of the field; others have no meaning in it, and panic. Residues have no
/// order: that two are equal is decided, and nothing else is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residue(Modular<PRIME>);

impl Residue {
    /// The residue of an integer.
    #[must_use]
    pub fn new(n: u64) -> Self {
        Residue(Modular::new(n))
    }
}

impl PartialOrd for Residue {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        (self == other).then_some(core::cmp::Ordering::Equal)
    }
}

impl Add for Residue {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Residue(self.0 + other.0)
    }
}

impl Mul for Residue {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Residue(self.0 * other.0)
    }
}

impl Zero for Residue {
    fn zero() -> Self {
        Residue(Modular::zero())
    }
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl One for Residue {
    fn one() -> Self {
        Residue(Modular::one())
    }
}

catadiff::operators!([] Residue, []);

impl Elementary for Residue {
    fn constant(value: f64) -> Self {
        assert!(value.is_finite(), "{value} has no residue");
        let (mantissa, exponent, sign) = num_traits::Float::integer_decode(value);
        let two = Modular::new(2);
        let base = if exponent < 0 { Modular::one() / two } else { two };
        let scale = num_traits::pow(base, exponent.unsigned_abs().into());
        Residue(Modular::from(i64::from(sign)) * Modular::new(mantissa) * scale)
    }

    fn primal(&self) -> Option<f64> {
        None
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        Residue(match (rule.primitive(), &x[..]) {
            (Some(Primitive::Neg), [x]) => -x.0,
            (Some(Primitive::Recip), [x]) => Modular::one() / x.0,
            (Some(Primitive::Sub), [x, y]) => x.0 - y.0,
            (Some(Primitive::Div), [x, y]) => x.0 / y.0,
            _ => panic!("`{}` is not a rational function", rule.name()),
        })
    }
}

/// The program with polynomials in place of all other functions of reals, and without decisions on reals.
///
/// Rows of one argument become squares, and rows of two become sums, so what was the operator of a reduction is one.
/// The infinities that were neutral elements become zeros. Loops are not strip-mined, since how long the strips are is
/// computed in reals.
#[must_use]
pub fn polynomial(program: &Program) -> Program {
    let polynomial = changed(program, |(.., function)| rewrite(&mut function.body, program));
    polynomial.expect("a function becomes one of the same type")
}

fn rewrite(body: &mut Body, program: &Program) {
    for stm in &mut body.stms {
        match &mut stm.op {
            Op::Scalar(op, operands) => {
                if let Some(other) = instead(*op, operands, program) {
                    stm.op = other;
                }
            }
            Op::Replicate(_, value) => finite(value),
            Op::Loop(it) => {
                if let Policy::StripMine(_) = it.policy {
                    it.policy = Policy::KeepAll;
                }
            }
            Op::Reduce(it) | Op::Scan(it) => it.neutral.iter_mut().for_each(finite),
            Op::Hist(it) => it.neutral.iter_mut().for_each(finite),
            _ => {}
        }
        stm.op.bodies_mut().for_each(|inner| rewrite(inner, program));
    }
}

fn finite(atom: &mut Atom) {
    match atom {
        Atom::Const(x) if x.real().is_some_and(|x| !x.is_finite()) => *x = x.prim().zero(),
        Atom::Const(_) | Atom::Var(_) => {}
    }
}

/// What stands for an operation that is none of a ring.
fn instead(op: ScalarOp, operands: &[Atom], program: &Program) -> Option<Op> {
    let of = program.atom_type(operands[0]).prim;
    match op {
        ScalarOp::Row(Primitive::Neg | Primitive::Sub) => None,
        ScalarOp::Row(_) if operands.len() == 1 => {
            Some(Op::Scalar(ScalarOp::Mul, [operands, operands].concat().into()))
        }
        ScalarOp::Row(_) => Some(Op::Scalar(ScalarOp::Add, operands[..2].into())),
        ScalarOp::Less | ScalarOp::Equal if of.is_real() => Some(Op::Copy(Const::Bool(true).into())),
        ScalarOp::LessOrEqual if of.is_real() => Some(Op::Copy(Const::Bool(false).into())),
        ScalarOp::Convert(to) if of.is_real() && !to.is_real() => Some(Op::Copy(constant(to, 1.0))),
        _ => None,
    }
}

/// A polynomial program all of whose results are real, with arguments.
struct Instance {
    program: Program,
    arguments: Vec<Value<Residue>>,
    /// The state of what is drawn.
    state: u64,
    derivatives: Rc<Derivatives>,
}

/// The derivatives of a program by its real parameters: each is made once, on first use.
#[derive(Default)]
struct Derivatives {
    first: [OnceCell<catadiff::Result<Program>>; 2],
    second: [OnceCell<catadiff::Result<Program>>; 4],
}

/// A derivative of one mode, by these parameters.
type Mode = fn(&Program, &[usize]) -> catadiff::Result<Program>;

/// Forward and reverse.
const MODES: [Mode; 2] = [|p, by| p.jvp_wrt(by), |p, by| p.vjp_wrt(by)];

impl Instance {
    /// A random one, if a result of it is real.
    fn random(random: &ArrayProgram) -> Option<Self> {
        let arguments = random.arguments();
        let seed = arguments.iter().fold(1, |seed: u64, v| v.elements().len() as u64 + seed.wrapping_mul(31));
        let mut instance = Instance::of(polynomial(&widened(&random.program())), seed)?;
        instance.arguments = arguments.iter().map(|v| v.map(|_| instance.draw())).collect();
        Some(instance)
    }

    /// The program with real results only, if there are any, and no arguments yet.
    fn of(program: Program, state: u64) -> Option<Self> {
        let is_real = |result: &Atom| program.atom_type(*result).prim.is_real();
        let program =
            changed(&program, |(.., function)| function.body.results.retain(is_real)).expect("results are fewer");
        let has_results = !program.function().body.results.is_empty();
        has_results.then(|| Instance { program, arguments: Vec::new(), state, derivatives: Rc::default() })
    }

    /// The derivative of this mode.
    fn first(&self, mode: usize) -> &catadiff::Result<Program> {
        self.derivatives.first[mode].get_or_init(|| MODES[mode](&self.program, &self.by()))
    }

    /// The derivative of this mode of the derivative of that.
    fn second(&self, mode: usize, of: usize) -> &catadiff::Result<Program> {
        let made = || self.first(of).as_ref().map_err(Clone::clone).and_then(|p| MODES[mode](p, &self.by()));
        self.derivatives.second[2 * of + mode].get_or_init(made)
    }

    fn draw(&mut self) -> Residue {
        // The generator of D. Steele, G. Lea and C. Flood, "Fast splittable pseudorandom number generators".
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Residue::new(z ^ (z >> 31))
    }

    /// Random values of the shapes of these.
    fn like(&mut self, values: &[Value<Residue>]) -> Vec<Value<Residue>> {
        values.iter().map(|v| v.map(|_| self.draw())).collect()
    }

    /// Random directions of the real arguments.
    fn direction(&mut self) -> Vec<Value<Residue>> {
        let real: Vec<_> = self.by().iter().map(|k| self.arguments[*k].clone()).collect();
        self.like(&real)
    }

    fn fails(&self, law: &str, left: impl ToString, right: impl ToString) -> Verdict {
        let arguments: Vec<_> = self.arguments.iter().map(|v| v.map(|x| x.0)).collect();
        Err(violation(law, &self.program, &arguments, left, right))
    }

    fn same<T: PartialEq + core::fmt::Debug>(&self, law: &str, left: &T, right: &T) -> Verdict {
        if left == right { Ok(()) } else { self.fails(law, format!("{left:?}"), format!("{right:?}")) }
    }

    /// What a program that was made of this one gives for its arguments and further ones; nothing where there is no rule.
    fn run(&self, made: &catadiff::Result<Program>, more: &[&[Value<Residue>]]) -> Result<Found, Violation> {
        let program = match made {
            Ok(program) => program,
            Err(Error::NotDifferentiable { .. }) => return Ok(None),
            Err(error) => return self.fails("there is a derivative", error, "Ok(…)").map(|()| None),
        };
        let arguments = [&self.arguments[..], &more.concat()].concat();
        match run(program, &arguments, &LIMITS) {
            Ok(results) => Ok(Some(results)),
            Err(error) => self.fails("a derivative runs", format!("{error}\n{program}"), "Ok(…)").map(|()| None),
        }
    }

    /// The positions of the real parameters.
    fn by(&self) -> Vec<usize> {
        let function = &self.program.function();
        let is_real = |k: &usize| self.program.type_of(function.params[*k]).prim.is_real();
        (0..function.params.len()).filter(is_real).collect()
    }

    fn results(&self) -> Vec<Value<Residue>> {
        run(&self.program, &self.arguments, &LIMITS).expect("a random program runs")
    }

    fn first_order(&mut self) -> Verdict {
        let results = self.results();
        let (tangents, adjoints) = (self.direction(), self.like(&results));
        let mut along = reals(&tangents).into_iter();
        let mut dual = |x: &Residue| Dual { value: *x, tangent: along.next().expect("a tangent for each real") };
        let duals: Vec<_> = self.arguments.iter().map(|v| v.map(&mut dual)).collect();
        let duals = run(&self.program, &duals, &LIMITS).expect("what runs on residues runs on their duals");
        let slopes: Vec<_> = duals.iter().map(|v| v.map(|x| x.tangent)).collect();

        if let Some(pushed) = self.run(self.first(0), &[&tangents])? {
            self.same("jvp p = p on duals", &pushed, &[&results[..], &slopes].concat())?;
        }
        let Some(pulled) = self.run(self.first(1), &[&adjoints])? else { return Ok(()) };
        let (values, pulled) = pulled.split_at(results.len());
        self.same("vjp p gives the results of p", &values, &&results[..])?;
        self.same("⟨t, Jᵀ a⟩ = ⟨J t, a⟩", &dot(&tangents, pulled), &dot(&slopes, &adjoints))?;
        let tape = by_tape(&self.program, &self.arguments, &reals(&adjoints));
        self.same("vjp p = p on the tape", &Ok(reals(pulled)), &tape)
    }

    fn second_order(&mut self) -> Verdict {
        let results = self.results();
        let adjoints = self.like(&results);
        let (u, v) = (self.direction(), self.direction());
        let mut along = reals(&u).into_iter().zip(reals(&v));
        let mut dual = |x: &Residue| {
            let (u, v) = along.next().expect("two tangents for each real");
            Dual { value: Dual { value: *x, tangent: u }, tangent: Dual { value: v, tangent: Residue::zero() } }
        };
        let duals: Vec<_> = self.arguments.iter().map(|value| value.map(&mut dual)).collect();
        let duals = run(&self.program, &duals, &LIMITS).expect("what runs on residues runs on duals of duals");
        let curvatures: Vec<_> = duals.iter().map(|value| value.map(|x| x.tangent.tangent)).collect();
        let expected = Some(dot(&curvatures, &adjoints));

        let null = |values: &[Value<Residue>]| values.iter().map(|v| v.map(|_| Residue::zero())).collect::<Vec<_>>();
        let zeros = null(&results);
        let mixes = [
            ("a·(jvp jvp p)(u, v)", [0, 0], [&u, &v, &vec![]], &adjoints),
            ("v·(vjp jvp p)(u, a)", [1, 0], [&u, &zeros, &adjoints], &v),
            ("u·(jvp vjp p)(a, v)", [0, 1], [&adjoints, &v, &vec![]], &u),
            ("v·(jvp vjp p)(a, u)", [0, 1], [&adjoints, &u, &vec![]], &v),
            ("v·(vjp vjp p)(a, u)", [1, 1], [&adjoints, &zeros, &u], &v),
        ];
        for (mix, [mode, of], more, with) in mixes {
            let found = self.run(self.second(mode, of), &more.map(|values| &values[..]))?;
            let Some(found) = found.map(|found| dot(&found[found.len() - with.len()..], with)) else { continue };
            self.same(&format!("{mix} = p on duals of duals"), &Some(found), &expected)?;
        }
        Ok(())
    }

    /// The arguments of this number of a batch, where those that are not batched stay.
    fn of_batch(&mut self, number: i64, batched: &[bool]) -> Vec<Value<Residue>> {
        let arguments = self.arguments.clone();
        let another = |(v, batched): (&Value<Residue>, &bool)| {
            let other = |x: &Scalar<Residue>| match x {
                Scalar::Bool(b) => Scalar::Bool(*b ^ (number == 1)),
                Scalar::I64(n) => Scalar::I64(n + number),
                Scalar::F16(_) => Scalar::F16(self.draw()),
                Scalar::F32(_) => Scalar::F32(self.draw()),
                Scalar::F64(_) => Scalar::F64(self.draw()),
                integer => *integer,
            };
            let elements = v.elements().iter().map(other).collect();
            if *batched { Value::array(v.sizes(), elements).expect("as many elements as before") } else { v.clone() }
        };
        arguments.iter().zip(batched).map(another).collect()
    }

    fn batched(&mut self, batched: &[bool]) -> Verdict {
        let batch: Vec<_> = (0..3).map(|number| self.of_batch(number, batched)).collect();
        let many = |k: usize| Value::rows(batch.iter().map(|of| of[k].clone()).collect()).expect("rows of one size");
        let arguments: Vec<_> =
            (0..batched.len()).map(|k| if batched[k] { many(k) } else { self.arguments[k].clone() }).collect();
        let vmap = self.program.vmap(batched).and_then(|p| run(&p, &arguments, &LIMITS));
        let each: Vec<_> =
            batch.iter().map(|of| run(&self.program, of, &LIMITS).expect("a random program runs")).collect();
        let result = |k: usize| Value::rows(each.iter().map(|of| of[k].clone()).collect()).expect("rows of one size");
        let expected: Vec<_> = (0..each[0].len()).map(result).collect();
        self.same(&format!("vmap p = map p, batched {batched:?}"), &vmap, &Ok(expected))
    }
}

type Found = Option<Vec<Value<Residue>>>;

fn dot(a: &[Value<Residue>], b: &[Value<Residue>]) -> Residue {
    let (a, b) = (reals(a), reals(b));
    assert_eq!(a.len(), b.len(), "vectors of one space");
    Sum::sum(a.into_iter().zip(b).map(|(x, y)| x * y))
}

/// First and second derivatives of a program of rational functions, at each of these arguments.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run on these arguments.
pub fn at(program: &Program, arguments: impl IntoIterator<Item = Vec<Value<Residue>>>) -> Verdict {
    let Some(mut it) = Instance::of(program.clone(), 7) else { return Ok(()) };
    arguments.into_iter().try_for_each(|arguments| {
        it.arguments = arguments;
        it.first_order()?;
        it.second_order()
    })
}

/// Both modes of a program of rational functions: forward mode is interpretation on dual numbers, reverse mode its
/// transpose and interpretation on the tape.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run on these arguments.
pub fn first_order_at(program: &Program, arguments: &[Value<Residue>]) -> Verdict {
    let instance = Instance::of(program.clone(), 7);
    instance.map_or(Ok(()), |it| Instance { arguments: arguments.to_vec(), ..it }.first_order())
}

/// Second derivatives of a program of rational functions: all mixes of the modes are interpretation on duals of duals.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If the program does not run on these arguments.
pub fn second_order_at(program: &Program, arguments: &[Value<Residue>]) -> Verdict {
    let instance = Instance::of(program.clone(), 7);
    instance.map_or(Ok(()), |it| Instance { arguments: arguments.to_vec(), ..it }.second_order())
}

/// Both modes of the [`polynomial`] program that a random one becomes, and its second derivatives.
///
/// # Errors
/// The violation.
pub fn of_random(random: &ArrayProgram) -> Verdict {
    let Some(mut it) = Instance::random(random) else { return Ok(()) };
    it.first_order()?;
    it.second_order()
}

/// Batching it, by all parameters and by each alone, is running it many times.
///
/// # Errors
/// The violation.
pub fn batched(random: &ArrayProgram) -> Verdict {
    let Some(mut it) = Instance::random(random) else { return Ok(()) };
    let n = it.arguments.len();
    it.batched(&vec![true; n])?;
    (0..n).try_for_each(|k| it.batched(&(0..n).map(|other| other == k).collect::<Vec<_>>()))
}

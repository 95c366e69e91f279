//! Laws of the derivatives of array programs: each mode against the interpreter on dual numbers, and against the other.
//!
//! Law: `p.jvp()` computes what the interpreter computes on duals; `⟨J ẋ, ȳ⟩ = ⟨ẋ, Jᵀ ȳ⟩`; derivatives are programs, so
//! both hold of derivatives again. What is transformed verifies.

use catadiff::Error;
use catadiff::array::{Body, Lambda, Op, Prim, Program, ScalarOp, Var};
use catadiff::carriers::Dual;
use catadiff::interpret::{Limits, Scalar, Value, run};

use crate::array_programs::ArrayProgram;
use crate::violation::{Verdict, Violation};

const LIMITS: Limits = Limits { steps: 50_000_000, elements: 50_000_000 };

/// How far two derivatives of one function may be apart, relative to the larger of 1 and their size.
const CLOSE: f64 = 1e-8;

/// A program with arguments and directions.
struct Point {
    program: Program,
    arguments: Vec<Value<f64>>,
    seed: u64,
}

/// Values of these shapes: reals between −1 and 1, and zeros of the other kinds.
pub(crate) fn directions(like: &[Value<f64>], seed: u64) -> Vec<Value<f64>> {
    let mut state = seed;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    like.iter().map(|value| zeros(value).map(|_| draw())).collect()
}

fn zeros(value: &Value<f64>) -> Value<f64> {
    let zero = |s: &Scalar<f64>| match s {
        Scalar::Bool(_) => Scalar::Bool(false),
        Scalar::I32(_) => Scalar::I32(0),
        Scalar::I64(_) => Scalar::I64(0),
        Scalar::Real(_) => Scalar::Real(0.0),
    };
    Value::array(value.sizes(), value.elements().iter().map(zero).collect()).expect("as many elements as before")
}

pub(crate) fn numbers(values: &[Value<f64>]) -> Vec<f64> {
    let real = |s: &Scalar<f64>| if let Scalar::Real(x) = s { Some(*x) } else { None };
    values.iter().flat_map(|v| v.elements().iter().filter_map(real).collect::<Vec<_>>()).collect()
}

fn dot(a: &[Value<f64>], b: &[Value<f64>]) -> f64 {
    numbers(a).into_iter().zip(numbers(b)).map(|(x, y)| if x == 0.0 || y == 0.0 { 0.0 } else { x * y }).sum()
}

/// Whether a program takes reals to integers, which mix with those that it is differentiated by: tangents of both go on
/// with them, where dual numbers have none. Without such parameters, what is rounded is constant.
pub(crate) fn mixes(program: &Program) -> bool {
    let is_real = |param: &Var| program.type_of(*param).prim.is_real();
    !program.function.params.iter().all(is_real) && counts(program, &program.function.body)
}

/// Whether an operation in here takes reals to integers.
fn counts(program: &Program, body: &Body) -> bool {
    let of = |lambda: &Lambda| counts(program, &lambda.body);
    body.stms.iter().any(|stm| match &stm.op {
        Op::Scalar(ScalarOp::Convert(to), x) => {
            !to.is_real() && *to != Prim::Bool && program.atom_type(x[0]).prim.is_real()
        }
        Op::If(_, yes, no) => counts(program, yes) || counts(program, no),
        Op::Loop(it) => counts(program, &it.body),
        Op::Map(map) => of(&map.function),
        Op::Reduce(it) | Op::Scan(it) => of(&it.operator),
        Op::Hist(it) => of(&it.operator),
        Op::Custom(it) => of(&it.function) || of(&it.pullback),
        _ => false,
    })
}

/// Whether two derivatives are the same. What is infinite by one way may be NaN by another; what is finite is finite.
pub(crate) fn close(left: &[f64], right: &[f64]) -> bool {
    let near =
        |(x, y): (&f64, &f64)| x == y || !y.is_finite() || (x - y).abs() <= CLOSE * x.abs().max(y.abs()).max(1.0);
    left.len() == right.len() && left.iter().zip(right).all(near)
}

impl Point {
    fn fails(&self, law: &str, left: impl ToString, right: impl ToString) -> Verdict {
        let arguments: Vec<String> = self.arguments.iter().map(ToString::to_string).collect();
        let shown = format!("\n{}on {}", self.program, arguments.join(", "));
        let (left, right) = (left.to_string(), right.to_string());
        Err(Violation { law: law.into(), instances: vec![("p".into(), shown)], left, right })
    }

    fn close(&self, law: &str, left: &[f64], right: &[f64]) -> Verdict {
        if close(left, right) { Ok(()) } else { self.fails(law, format!("{left:?}"), format!("{right:?}")) }
    }

    /// What a derivative of the program gives, if there is one.
    fn derived(&self, law: &str, by: fn(&Program) -> catadiff::Result<Program>) -> Result<Option<Program>, Violation> {
        let derived = match by(&self.program) {
            Ok(derived) => derived,
            Err(Error::NotDifferentiable { .. }) => return Ok(None),
            Err(error) => return self.fails(law, error, "Ok(…)").map(|()| None),
        };
        match derived.verify() {
            Ok(()) => Ok(Some(derived)),
            Err(error) => self.fails(law, format!("{error}\n{derived}"), "Ok(())").map(|()| None),
        }
    }

    fn run(&self, law: &str, program: &Program, arguments: &[Value<f64>]) -> Result<Vec<Value<f64>>, Violation> {
        run(program, arguments, &LIMITS)
            .or_else(|error| self.fails(law, format!("{error}\n{program}"), "Ok(…)").map(|()| Vec::new()))
    }

    /// Both modes at this point.
    fn check(&self) -> Verdict {
        let law = "a derivative verifies and runs";
        let n = self.arguments.len();
        let tangents = directions(&self.arguments, self.seed);
        let results = self.run(law, &self.program, &self.arguments)?;
        // Where a result is infinite or NaN, so may be anything of its derivative.
        if numbers(&results).iter().any(|x| !x.is_finite()) {
            return Ok(());
        }
        let adjoints = directions(&results, self.seed ^ 0x9e37_79b9_7f4a_7c15);

        let Some(jvp) = self.derived(law, Program::jvp)? else { return Ok(()) };
        let pushed = self.run(law, &jvp, &[&self.arguments[..], &tangents].concat())?;
        self.close("jvp p gives the results of p", &numbers(&pushed[..results.len()]), &numbers(&results))?;
        let pushed = &pushed[results.len()..];
        let duals: Vec<Value<Dual<f64>>> = self
            .arguments
            .iter()
            .zip(&tangents)
            .map(|(x, t)| {
                let mut tangents = numbers(core::slice::from_ref(t)).into_iter();
                x.map(|x| Dual { value: *x, tangent: tangents.next().expect("a tangent for each real") })
            })
            .collect();
        let of_duals = run(&self.program, &duals, &LIMITS).expect("what runs on values runs on duals");
        let of_duals: Vec<Value<f64>> = of_duals.iter().map(|v| v.map(|x| x.tangent)).collect();
        self.close("jvp p = p on duals", &numbers(pushed), &numbers(&of_duals))?;

        let Some(vjp) = self.derived(law, Program::vjp)? else { return Ok(()) };
        let pulled = self.run(law, &vjp, &[&self.arguments[..], &adjoints].concat())?;
        self.close("vjp p gives the results of p", &numbers(&pulled[..results.len()]), &numbers(&results))?;
        let pulled = &pulled[results.len()..];
        debug_assert_eq!(pulled.len(), n, "an adjoint for each argument");
        let shapes = |values: &[Value<f64>]| values.iter().map(|v| v.sizes().to_vec()).collect::<Vec<_>>();
        if shapes(pulled) != shapes(&self.arguments) {
            return self.fails("adjoints have the shapes of arguments", format!("{:?}", shapes(pulled)), "theirs");
        }
        self.close("⟨t, Jᵀ a⟩ = ⟨J t, a⟩", &[dot(&tangents, pulled)], &[dot(pushed, &adjoints)])
    }

    /// The derivative of the program as a program of its own: with tangents of arguments or adjoints of results.
    fn derivative(&self, mode: Mode) -> Option<Point> {
        let results = run(&self.program, &self.arguments, &LIMITS).ok()?;
        let (program, like) = match mode {
            Mode::Forward => (self.program.jvp(), &self.arguments),
            Mode::Reverse => (self.program.vjp(), &results),
        };
        let arguments = [&self.arguments[..], &directions(like, self.seed.rotate_left(17))].concat();
        Some(Point { program: program.ok()?, arguments, seed: self.seed.wrapping_add(1) })
    }
}

#[derive(Clone, Copy)]
enum Mode {
    Forward,
    Reverse,
}

/// Both modes of a program, and of its derivatives of either mode, at these arguments: forward mode is the interpreter
/// on dual numbers, and reverse mode its transpose.
///
/// # Errors
/// The violation.
pub fn at(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let point = Point { program: program.clone(), arguments: arguments.to_vec(), seed: 7 };
    point.check()?;
    [Mode::Forward, Mode::Reverse].into_iter().filter_map(|mode| point.derivative(mode)).try_for_each(|p| p.check())
}

/// Simplification keeps the meaning.
///
/// # Errors
/// The violation.
pub fn simplification(random: &ArrayProgram) -> Verdict {
    let law = "p.simplified() = p";
    let point = Point { program: random.program(), arguments: random.arguments(), seed: 7 };
    let Some(simple) = point.derived(law, |p| Ok(p.simplified()))? else { return Ok(()) };
    let (left, right) = (point.run(law, &simple, &point.arguments)?, point.run(law, &point.program, &point.arguments)?);
    let shown = |values: &[Value<f64>]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if shown(&left) == shown(&right) { Ok(()) } else { point.fails(law, shown(&left), shown(&right)) }
}

fn point(random: &ArrayProgram) -> Option<Point> {
    let (program, arguments) = (random.program(), random.arguments());
    (!mixes(&program)).then_some(Point { program, arguments, seed: 7 })
}

/// Forward mode is the interpreter on dual numbers, and reverse mode its transpose.
///
/// # Errors
/// The violation.
pub fn first_order(random: &ArrayProgram) -> Verdict {
    point(random).map_or(Ok(()), |point| point.check())
}

/// The same of each derivative.
///
/// # Errors
/// The violation.
pub fn second_order(random: &ArrayProgram) -> Verdict {
    point(random).map_or(Ok(()), |point| at(&point.program, &point.arguments))
}

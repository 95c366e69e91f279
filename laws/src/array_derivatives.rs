//! Laws of the derivatives of array programs: each mode against the interpreter on dual numbers, and against the other.
//!
//! Law: `p.jvp()` computes what the interpreter computes on duals; `⟨J ẋ, ȳ⟩ = ⟨ẋ, Jᵀ ȳ⟩`; derivatives are programs, so
//! both hold of derivatives again. What is transformed verifies.

use catadiff::Error;
use catadiff::array::Program;
use catadiff::carriers::Dual;
use catadiff::interpret::{Value, run};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, close, directions, finite, mixes, reals, violation};
use crate::violation::{Verdict, Violation};

/// A program with arguments and directions.
struct Point {
    program: Program,
    arguments: Vec<Value<f64>>,
    seed: u64,
}

fn dot(a: &[Value<f64>], b: &[Value<f64>]) -> f64 {
    reals(a).into_iter().zip(reals(b)).map(|(x, y)| if x == 0.0 || y == 0.0 { 0.0 } else { x * y }).sum()
}

impl Point {
    fn fails(&self, law: &str, left: impl ToString, right: impl ToString) -> Verdict {
        Err(violation(law, &self.program, &self.arguments, left, right))
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

    /// Both modes at this point, and the derivatives as programs of their own, as far as there are any: with tangents of
    /// arguments, and with adjoints of results.
    fn check(&self) -> Result<Vec<Point>, Violation> {
        let law = "a derivative verifies and runs";
        let n = self.arguments.len();
        let tangents = directions(&self.arguments, self.seed);
        let results = self.run(law, &self.program, &self.arguments)?;
        if !finite(&results) {
            return Ok(Vec::new());
        }
        let adjoints = directions(&results, self.seed ^ 0x9e37_79b9_7f4a_7c15);

        let Some(jvp) = self.derived(law, Program::jvp)? else { return Ok(Vec::new()) };
        let pushed = self.run(law, &jvp, &[&self.arguments[..], &tangents].concat())?;
        self.close("jvp p gives the results of p", &reals(&pushed[..results.len()]), &reals(&results))?;
        let pushed = &pushed[results.len()..];
        let duals: Vec<Value<Dual<f64>>> = self
            .arguments
            .iter()
            .zip(&tangents)
            .map(|(x, t)| {
                let mut tangents = reals(core::slice::from_ref(t)).into_iter();
                x.map(|x| Dual { value: *x, tangent: tangents.next().expect("a tangent for each real") })
            })
            .collect();
        let of_duals = run(&self.program, &duals, &LIMITS).expect("what runs on values runs on duals");
        let of_duals: Vec<Value<f64>> = of_duals.iter().map(|v| v.map(|x| x.tangent)).collect();
        self.close("jvp p = p on duals", &reals(pushed), &reals(&of_duals))?;

        let forward = self.derivative(jvp, &self.arguments);
        let Some(vjp) = self.derived(law, Program::vjp)? else { return Ok(vec![forward]) };
        let pulled = self.run(law, &vjp, &[&self.arguments[..], &adjoints].concat())?;
        self.close("vjp p gives the results of p", &reals(&pulled[..results.len()]), &reals(&results))?;
        let pulled = &pulled[results.len()..];
        debug_assert_eq!(pulled.len(), n, "an adjoint for each argument");
        let shapes = |values: &[Value<f64>]| values.iter().map(|v| v.sizes().to_vec()).collect::<Vec<_>>();
        if shapes(pulled) != shapes(&self.arguments) {
            let law = "adjoints have the shapes of arguments";
            return self.fails(law, format!("{:?}", shapes(pulled)), "theirs").map(|()| Vec::new());
        }
        self.close("⟨t, Jᵀ a⟩ = ⟨J t, a⟩", &[dot(&tangents, pulled)], &[dot(pushed, &adjoints)])?;
        Ok(vec![forward, self.derivative(vjp, &results)])
    }

    /// A derivative of the program as a program of its own, that takes besides what is `like` these values.
    fn derivative(&self, program: Program, like: &[Value<f64>]) -> Point {
        let arguments = [&self.arguments[..], &directions(like, self.seed.rotate_left(17))].concat();
        Point { program, arguments, seed: self.seed.wrapping_add(1) }
    }
}

/// Both modes of a program, and of its derivatives of either mode, at these arguments: forward mode is the interpreter
/// on dual numbers, and reverse mode its transpose.
///
/// # Errors
/// The violation.
pub fn at(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let point = Point { program: program.clone(), arguments: arguments.to_vec(), seed: 7 };
    point.check()?.iter().try_for_each(|derivative| derivative.check().map(drop))
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
    point(random).map_or(Ok(()), |point| point.check().map(drop))
}

/// The same of each derivative.
///
/// # Errors
/// The violation.
pub fn second_order(random: &ArrayProgram) -> Verdict {
    point(random).map_or(Ok(()), |point| at(&point.program, &point.arguments))
}

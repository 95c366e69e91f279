//! Laws of the derivatives of array programs: each mode against the interpreter on dual numbers, and against the other.
//!
//! Law: `p.jvp()` computes what the interpreter computes on duals, and `⟨J ẋ, ȳ⟩ = ⟨ẋ, Jᵀ ȳ⟩`; derivatives are
//! programs, so both hold of derivatives again, and what is transformed verifies (tests/laws/programs.rs).

use core::cell::OnceCell;
use std::rc::Rc;

use catadiff::Error;
use catadiff::array::Program;
use catadiff::carriers::Dual;
use catadiff::interpret::{Value, run};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, close, directions, finite, mixes, reals, violation, widened};
use crate::violation::{Verdict, Violation};

/// A program and its derivatives, each of which is made and verified once.
pub(crate) struct Derived {
    pub(crate) program: Program,
    /// Those of both modes, where there are rules for all that is in the program; or what is wrong.
    derivatives: [OnceCell<Result<Option<Rc<Derived>>, String>>; 2],
}

/// Forward and reverse.
const MODES: [fn(&Program) -> catadiff::Result<Program>; 2] = [Program::jvp, Program::vjp];

impl Derived {
    pub(crate) fn new(program: Program) -> Rc<Self> {
        Rc::new(Derived { program, derivatives: Default::default() })
    }

    /// The derivative of this mode.
    pub(crate) fn derivative(&self, mode: usize) -> Result<Option<Rc<Derived>>, String> {
        let made = || match MODES[mode](&self.program) {
            Ok(derived) => match derived.verify() {
                Ok(()) => Ok(Some(Derived::new(derived))),
                Err(error) => Err(format!("{error}\n{derived}")),
            },
            Err(Error::NotDifferentiable { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        self.derivatives[mode].get_or_init(made).clone()
    }
}

/// A program with arguments and directions.
struct Point {
    of: Rc<Derived>,
    arguments: Vec<Value<f64>>,
    seed: u64,
}

fn dot(a: &[Value<f64>], b: &[Value<f64>]) -> f64 {
    reals(a).into_iter().zip(reals(b)).map(|(x, y)| if x == 0.0 || y == 0.0 { 0.0 } else { x * y }).sum()
}

impl Point {
    fn fails(&self, law: &str, left: impl ToString, right: impl ToString) -> Verdict {
        Err(violation(law, &self.of.program, &self.arguments, left, right))
    }

    fn close(&self, law: &str, left: &[f64], right: &[f64]) -> Verdict {
        if close(left, right) { Ok(()) } else { self.fails(law, format!("{left:?}"), format!("{right:?}")) }
    }

    /// The derivative of this mode, if there is one.
    fn derived(&self, law: &str, mode: usize) -> Result<Option<Rc<Derived>>, Violation> {
        self.of.derivative(mode).or_else(|wrong| self.fails(law, wrong, "Ok(…)").map(|()| None))
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
        let results = self.run(law, &self.of.program, &self.arguments)?;
        if !finite(&results) {
            return Ok(Vec::new());
        }
        let adjoints = directions(&results, self.seed ^ 0x9e37_79b9_7f4a_7c15);

        let Some(jvp) = self.derived(law, 0)? else { return Ok(Vec::new()) };
        let pushed = self.run(law, &jvp.program, &[&self.arguments[..], &tangents].concat())?;
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
        let of_duals = run(&self.of.program, &duals, &LIMITS).expect("what runs on values runs on duals");
        let of_duals: Vec<Value<f64>> = of_duals.iter().map(|v| v.map(|x| x.tangent)).collect();
        self.close("jvp p = p on duals", &reals(pushed), &reals(&of_duals))?;

        let forward = self.derivative(jvp, &self.arguments);
        let Some(vjp) = self.derived(law, 1)? else { return Ok(vec![forward]) };
        let pulled = self.run(law, &vjp.program, &[&self.arguments[..], &adjoints].concat())?;
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
    fn derivative(&self, of: Rc<Derived>, like: &[Value<f64>]) -> Point {
        let arguments = [&self.arguments[..], &directions(like, self.seed.rotate_left(17))].concat();
        Point { of, arguments, seed: self.seed.wrapping_add(1) }
    }
}

/// Both modes of a program, and of its derivatives of either mode, at each of these arguments: forward mode is the
/// interpreter on dual numbers, and reverse mode its transpose. Reals of single precision are taken for doubles.
///
/// # Errors
/// The violation.
pub fn at(program: &Program, arguments: impl IntoIterator<Item = Vec<Value<f64>>>) -> Verdict {
    let of = Derived::new(widened(program));
    arguments.into_iter().try_for_each(|arguments| second_order(&of, arguments))
}

/// The same at one point of what is derived once.
///
/// # Errors
/// The violation.
pub(crate) fn second_order(of: &Rc<Derived>, arguments: Vec<Value<f64>>) -> Verdict {
    let point = Point { of: of.clone(), arguments, seed: 7 };
    point.check()?.iter().try_for_each(|derivative| derivative.check().map(drop))
}

/// The same of a random program, on its arguments.
///
/// # Errors
/// The violation.
pub fn of_random(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    if mixes(&program) { Ok(()) } else { at(&program, [random.arguments()]) }
}

//! Laws of checkpointing: the schemes agree, and each takes the room and the repetitions that it is said to take.
//!
//! Law: a policy changes no derivative, not by a bit. Over `n` iterations, with `d` scalars in a state: keeping all
//! takes `n·d` elements and `2n` executions of the body, and where it is not known how long a loop runs, [room](room())
//! for states, and the executions that recompute those that did not fit; strip-mining in `k` levels at most
//! `k·⌈ᵏ√n⌉ + k` states and `(k + 1)·n` executions; `c` states in binomial order no more than those and their numbers,
//! `c·(d + 1)` elements, and [as few](advances) executions as is possible. Derivatives of derivatives keep [as
//! few](twice) in their turn, whatever `n` is to the binomial order. Executions and elements are counted, never timed
//! ("Reverse AD for a Functional Array Language with Nested Parallelism"; Griewank and Walther, *Algorithm 799:
//! revolve*) (tests/transform/checkpoint.rs).

use catadiff::array::{
    Atom, Body, Form, Lambda, Loop, Op, Policy, Prim, Program, ScalarOp, Stm, Type, Var, constant, index,
};
use catadiff::carriers::Counter;
use catadiff::interpret::{Compare, Scalar, Usage, Value, measure};
use catadiff::primitives::Primitive;
use catadiff::{Error, Result};

use crate::array_programs::ArrayProgram;
use crate::array_values::{LIMITS, list};
use crate::program_parts::{changed, fresh};
use crate::violation::{Verdict, Violation};

/// Schemes of all kinds, besides keeping all.
const POLICIES: [Policy; 6] = [
    Policy::StripMine(2),
    Policy::StripMine(3),
    Policy::Binomial(1),
    Policy::Binomial(2),
    Policy::Binomial(3),
    Policy::Binomial(100),
];

/// How a loop knows when to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It counts.
    For,
    /// It asks.
    While,
    /// It asks, and has a bound.
    Bounded,
}

/// The program that takes a state and a number `n: i64`, and applies `step` to the state `n` times.
///
/// # Errors
/// [`Error::IllTyped`] if the results of `step` are not of the types of its parameters.
pub fn repeated(step: &Program, stop: Stop, policy: Policy) -> Result<Program> {
    let (mut types, mut names, function) = step.clone().into_parts();
    let integer = Type::scalar(Prim::I64);
    let states: Vec<Type> = function.params.iter().map(|p| step.type_of(*p)).collect();
    let outer: Vec<Var> = states.iter().map(|of| fresh(&mut types, *of)).collect();
    let [n, i] = [(); 2].map(|()| fresh(&mut types, integer));
    let mut it = Loop {
        params: function.params.into_iter().zip(outer.iter().map(|v| Atom::Var(*v))).collect(),
        form: Form::For(i, n.into()),
        body: function.body,
        policy,
    };
    let mut vars: Vec<Var> = states.iter().map(|of| fresh(&mut types, *of)).collect();
    let results = vars.iter().map(|v| Atom::Var(*v)).collect();
    if stop != Stop::For {
        let (more, next) = (fresh(&mut types, Type::scalar(Prim::Bool)), fresh(&mut types, integer));
        let less = Op::Scalar(ScalarOp::Less, [i.into(), n.into()].into());
        let condition = Body { stms: vec![Stm::new([more], less)], results: vec![more.into()] };
        let add = Op::Scalar(ScalarOp::Add, [i.into(), index(1)].into());
        it.body.stms.push(Stm::new([next], add));
        it.body.results.push(next.into());
        it.params.push((i, index(0)));
        it.form = Form::While { condition, bound: (stop == Stop::Bounded).then_some(n.into()) };
        vars.push(fresh(&mut types, integer));
    }
    names.push("n".into());
    let body = Body { stms: vec![Stm::new(vars, Op::Loop(Box::new(it)))], results };
    Program::new(types, names, Lambda { params: outer.into_iter().chain([n]).collect(), body })
}

/// The fewest executions that advance a state while `n` iterations are reversed with room for `c` states, the first among
/// them: `r·n − C(c + r, r − 1)` for the least `r` with `C(c + r, c) ≥ n`.
#[must_use]
pub fn advances(n: u64, c: u64) -> u64 {
    let choose = |n: u64, k: u64| (1..=k).fold(1, |product, j| product * (n - k + j) / j);
    let r = (0..n).find(|r| choose(c + r, *r) >= n).unwrap_or(0);
    if r == 0 { 0 } else { r * n - choose(c + r, r - 1) }
}

/// The states that the derivative of a loop of `n` iterations has room for under [`Policy::KeepAll`], where one is `d`
/// scalars. The loop that asks has its number besides.
#[must_use]
pub fn room(n: u64, d: u64, stop: Stop) -> u64 {
    match stop {
        Stop::For | Stop::Bounded => n,
        Stop::While => n.max(Policy::places(d + 1)),
    }
}

/// How often the derivative of a loop of `n` iterations executes its body, the reverse sweep included, if a state is
/// `d` scalars.
#[must_use]
pub fn executions(n: u64, d: u64, stop: Stop, policy: Policy) -> u64 {
    match policy {
        Policy::KeepAll if stop == Stop::While => 2 * n + n.saturating_sub(Policy::places(d + 1)),
        Policy::KeepAll => 2 * n,
        Policy::StripMine(levels) => (u64::from(levels.max(1)) + 1) * n,
        // The last iteration is executed once for the results, and each when it is reversed.
        Policy::Binomial(c) => advances(n, u64::from(c.max(1))) + n.min(1) + n,
        Policy::Recompute => n + n * (n + 1) / 2,
        _ => not_counted(policy),
    }
}

/// The most elements that the derivative of a loop of `n` iterations keeps, of states of `d` scalars.
#[must_use]
pub fn elements(n: u64, d: u64, stop: Stop, policy: Policy) -> u64 {
    match policy {
        Policy::KeepAll | Policy::StripMine(0 | 1) => room(n, d, stop) * d,
        Policy::StripMine(levels) => {
            let root = (0..=n).find(|root| root.saturating_pow(levels) >= n).unwrap_or(n);
            u64::from(levels) * (root + 1) * d
        }
        Policy::Binomial(c) => u64::from(c).clamp(1, n.max(1)) * (d + 1),
        Policy::Recompute => 0,
        _ => not_counted(policy),
    }
}

/// The most elements that the reverse derivative of that derivative keeps: five times as many, seven if it is not known how
/// long the loop runs, and to the binomial order `c + 10` times as many.
#[must_use]
pub fn twice(n: u64, d: u64, stop: Stop, policy: Policy) -> u64 {
    let once = elements(n, d, stop, policy);
    match policy {
        // The states of the ring are states of what the ring is in.
        Policy::KeepAll if stop == Stop::While => 7 * once,
        Policy::KeepAll | Policy::StripMine(_) | Policy::Recompute => 5 * once,
        Policy::Binomial(c) => (u64::from(c).clamp(1, n.max(1)) + 10) * once,
        _ => not_counted(policy),
    }
}

/// For a policy that is newer than these laws.
fn not_counted(policy: Policy) -> ! {
    panic!("what {policy:?} costs is to be said here")
}

fn fails(law: &str, program: &Program, at: &str, left: impl ToString, right: impl ToString) -> Verdict {
    let shown = format!("\n{program}on {at}");
    let (left, right) = (left.to_string(), right.to_string());
    Err(Violation { law: law.into(), instances: vec![("p".into(), shown)], left, right })
}

/// What a program gives, and what that took, or why it gives nothing.
type Run<C> = Result<(Vec<Value<C>>, Usage)>;

/// A program and its reverse derivative.
struct Reversed {
    program: Program,
    vjp: Program,
}

impl Reversed {
    fn of(program: Program) -> Result<Self> {
        let vjp = program.vjp()?;
        vjp.verify()?;
        Ok(Reversed { program, vjp })
    }

    /// What the derivative gives where all adjoints are 1.
    fn pulled<C: Compare>(&self, arguments: &[Value<C>], one: impl Fn() -> C) -> Run<C> {
        let (results, _) = measure(&self.program, arguments, &LIMITS)?;
        let of = |scalar: &Scalar<C>| Scalar::constant(scalar.prim().one(), |_| one());
        let adjoint = |v: &Value<C>| Value::array(v.sizes(), v.elements().iter().map(of).collect());
        let adjoints = results.iter().map(adjoint).collect::<Result<Vec<_>>>()?;
        measure(&self.vjp, &[arguments, &adjoints].concat(), &LIMITS)
    }
}

/// Every policy for all loops of a program gives the same reverse derivative, to the last bit, or the same error.
///
/// # Errors
/// The violation.
pub fn agree(program: &Program, arguments: &[Value<f64>]) -> Verdict {
    agree_with(POLICIES, program, arguments)
}

fn agree_with(policies: impl IntoIterator<Item = Policy>, program: &Program, arguments: &[Value<f64>]) -> Verdict {
    let keeping_all = program.with_policy(Policy::KeepAll);
    let others = policies.into_iter().map(|policy| (policy, program.with_policy(policy)));
    // Without a loop it is the same program.
    let mut others = others.filter(|(_, other)| *other != keeping_all).peekable();
    let all = if others.peek().is_some() { shown(&keeping_all, arguments) } else { return Ok(()) };
    others.try_for_each(|(policy, other)| {
        let found = shown(&other, arguments);
        let law = format!("vjp p is the same with {policy:?} as with all states");
        if found == all { Ok(()) } else { fails(&law, program, &list(arguments), found, &all) }
    })
}

/// What the derivative gives, or what kind of error it is.
fn shown(program: &Program, arguments: &[Value<f64>]) -> String {
    let found = Reversed::of(program.clone()).and_then(|it| it.pulled(arguments, || 1.0));
    found.map_or_else(|error| kind(&error), |(values, _)| list(&values))
}

/// An error without the statement, which is another one in another scheme.
fn kind(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// The same of random programs, each with two of the policies.
///
/// # Errors
/// The violation.
pub fn agree_at_random(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    let policies = POLICIES.into_iter().cycle().skip(program.types().len() % POLICIES.len()).take(2);
    agree_with(policies, &program, &random.arguments())
}

/// Whatever budget there is for the states of all loops, from the least on, the reverse derivative is the same.
///
/// # Errors
/// The violation.
pub fn budgets_agree(random: &ArrayProgram) -> Verdict {
    let (program, arguments) = (random.program(), random.arguments());
    let all = shown(&program, &arguments);
    let least = match program.checkpointed(&arguments, 0) {
        Err(Error::Checkpoints { least, .. }) => least,
        Ok(_) | Err(_) => 0,
    };
    [least, least + 7, 2 * least + 20, u64::MAX].into_iter().try_for_each(|budget| {
        let found = match program.checkpointed(&arguments, budget) {
            Ok(other) if other == program => return Ok(()),
            Ok(other) => shown(&other, &arguments),
            Err(error) => kind(&error),
        };
        let law = format!("vjp p is the same with a budget of {budget} elements");
        if found == all { Ok(()) } else { fails(&law, &program, &list(&arguments), found, &all) }
    })
}

/// The step, with one more variable whose change is computed by a row of the table, once forwards and once in return: it is
/// not the row's value itself, which the state after the iteration would tell.
fn marked(step: &Program) -> Program {
    let marked = changed(step, |(types, names, function)| {
        let real = Type::scalar(Prim::F64);
        let [mark, scaled, row, next] = [(); 4].map(|()| fresh(types, real));
        let half = Op::Scalar(ScalarOp::Mul, [mark.into(), constant(Prim::F64, -0.5)].into());
        let exp = Op::Scalar(ScalarOp::Row(Primitive::Exp), [scaled.into()].into_iter().collect());
        let less = Op::Scalar(ScalarOp::Mul, [row.into(), constant(Prim::F64, 0.75)].into());
        function.params.push(mark);
        names.push("mark".into());
        let body = &mut function.body;
        body.stms.extend([(scaled, half), (row, exp), (next, less)].map(|(var, op)| Stm::new([var], op)));
        body.results.push(next.into());
    });
    marked.expect("the mark is a variable like others")
}

/// How often the reverse derivative executes a step that is repeated `n` times.
///
/// # Errors
/// Whatever the step does not allow.
pub fn executed(step: &Program, state: &[Value<f64>], n: u64, stop: Stop, policy: Policy) -> Result<u64> {
    Counted::of(step, stop, policy)?.executed(state, n)
}

/// A step that is repeated, with a mark by which its executions are counted, and without.
struct Counted {
    marked: Reversed,
    plain: Reversed,
}

fn times(n: u64) -> Value<f64> {
    Value::Scalar(Scalar::I64(i64::try_from(n).unwrap_or(i64::MAX)))
}

impl Counted {
    fn of(step: &Program, stop: Stop, policy: Policy) -> Result<Self> {
        let [marked, plain] = [&marked(step), step].map(|step| Reversed::of(repeated(step, stop, policy)?));
        Ok(Counted { marked: marked?, plain: plain? })
    }

    fn executed(&self, state: &[Value<f64>], n: u64) -> Result<u64> {
        let rows = |it: &Reversed, state: &[Value<f64>]| {
            let counter = Counter::new();
            let counted: Vec<_> = state.iter().chain([&times(n)]).map(|v| v.map(|x| counter.number(*x))).collect();
            let before = counter.primitives();
            it.pulled(&counted, || counter.number(1.0))?;
            let with_primal = counter.primitives() - before;
            // `pulled` runs the program itself too.
            counter.reset();
            measure(&it.program, &counted, &LIMITS)?;
            Ok(with_primal - counter.primitives())
        };
        let mark = [state, &[0.5.into()]].concat();
        Ok(rows(&self.marked, &mark)? - rows(&self.plain, state)?)
    }

    /// The most elements that were held at a time.
    fn held(&self, state: &[Value<f64>], n: u64) -> Result<u64> {
        let arguments = [state, &[times(n)]].concat();
        self.plain.pulled(&arguments, || 1.0).map(|(_, usage)| usage.elements)
    }
}

/// The reverse derivative of a step on scalars, repeated each of these numbers `ns` of times, [executes](executions) the step as
/// often and [keeps](elements) as much as its policy says.
///
/// # Errors
/// The violation.
pub fn costs(
    step: &Program,
    state: &[Value<f64>],
    ns: impl IntoIterator<Item = u64>,
    stop: Stop,
    policy: Policy,
) -> Verdict {
    let scalars = state.iter().map(|v| v.elements().len() as u64).sum();
    let counted = Counted::of(step, stop, policy);
    ns.into_iter().try_for_each(|n| {
        let at = format!("{}; n = {n}, {stop:?}, {policy:?}", list(state));
        let expected = (executions(n, scalars, stop, policy), elements(n, scalars, stop, policy));
        let found = counted.as_ref().map_err(Clone::clone);
        match found.and_then(|it| Ok((it.executed(state, n)?, it.held(state, n)?))) {
            Ok((often, _)) if often != expected.0 => {
                fails("the executions of the scheme", step, &at, often, expected.0)
            }
            Ok((_, held)) if held > expected.1 => {
                fails("the elements of the scheme", step, &at, held, format!("at most {}", expected.1))
            }
            Ok(_) => Ok(()),
            Err(error) => fails("a repeated step has a derivative", step, &at, error, "Ok(…)"),
        }
    })
}

/// The second reverse derivative of a step on scalars, repeated `n` times, is that of [keeping all](Policy::KeepAll), up to
/// rounding, and [keeps](twice) as much as its policy says; forward mode on the first keeps at most twice as much as that.
///
/// # Errors
/// The violation.
pub fn second_order(step: &Program, state: &[Value<f64>], n: u64, stop: Stop, policy: Policy) -> Verdict {
    let law = "a derivative has derivatives";
    let at = format!("{}; n = {n}, {stop:?}, {policy:?}", list(state));
    let count = state.len();
    let seeded = [state, &[times(n)], &vec![1.0.into(); count]].concat();
    let (by, slopes): (Vec<usize>, Vec<usize>) = ((0..count).collect(), (count..2 * count).collect());
    let of = |policy: Policy| {
        let gradient = repeated(step, stop, policy)?.vjp_wrt(&by[..])?.only(&slopes)?;
        let forwards = gradient.jvp_wrt(&by[..])?;
        let (_, forwards) = measure(&forwards, &[&seeded[..], &vec![1.0.into(); count]].concat(), &LIMITS)?;
        let (results, usage) = Reversed::of(gradient)?.pulled(&seeded, || 1.0)?;
        let numbers: Vec<f64> = results.iter().filter_map(Value::to_f64).flatten().collect();
        Ok::<_, Error>((numbers, usage.elements, forwards.elements))
    };
    let (all, found) = match (of(Policy::KeepAll), of(policy)) {
        (Ok(all), Ok(found)) => (all, found),
        (Err(error), _) | (_, Err(error)) => return fails(law, step, &at, error, "Ok(…)"),
    };
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-10 * x.abs().max(y.abs()).max(1.0);
    if found.0.len() != all.0.len() || !found.0.iter().zip(&all.0).all(near) {
        let values = (format!("{:?}", found.0), format!("{:?}", all.0));
        return fails("second derivatives are the same with all states", step, &at, values.0, values.1);
    }
    let d = count as u64;
    let (once, twice) = (2 * elements(n, d, stop, policy), twice(n, d, stop, policy));
    if found.2 > once {
        return fails("the elements of the scheme, forwards over reverse", step, &at, found.2, once);
    }
    if found.1 > twice {
        fails("the elements of the scheme, reverse over reverse", step, &at, found.1, twice)
    } else {
        Ok(())
    }
}

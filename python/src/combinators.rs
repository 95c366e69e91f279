//! Combinators and control, whose functions are functions of Python that are called once, with values that stand for any.
//!
//! Law: what the function of Python does is the body of the operation; an exception in it ends the tracing and reaches the user as it is
//! (tests/test_combinators.py).

use catadiff::array::trace::untyped::{Untyped, apply, body, function};
use catadiff::array::{Atom, Body, Custom, Form, Hist, Lambda, Loop, Map, Op, Policy, Reduce, Type};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::Failure;
use crate::movement::{agree_on, mapped_over};
use crate::place;
use crate::value::Value;

/// What is known of the sizes of several values.
type Known = Vec<Vec<Option<i64>>>;

fn inner(values: &[Value]) -> Vec<Untyped> {
    values.iter().map(|x| x.inner).collect()
}

fn known(values: &[Value]) -> Known {
    values.iter().map(|x| x.known.clone()).collect()
}

fn types(values: &[Value]) -> Vec<Type> {
    values.iter().map(Value::of).collect()
}

fn with_known(inner: &[Untyped], known: &[Vec<Option<i64>>]) -> Vec<Value> {
    inner.iter().zip(known).map(|(inner, known)| Value::new(*inner, known.clone())).collect()
}

/// The results of a function of Python, of a list of values.
pub(crate) fn called(function: &Bound<'_, PyAny>, arguments: Vec<Value>) -> Result<Vec<Value>, Failure> {
    let arguments = PyList::new(function.py(), arguments)?;
    Ok(function.call1((arguments,))?.extract()?)
}

/// The function of parameters of these types, of which this is known, and what is known of its results.
fn traced(f: &Bound<'_, PyAny>, of: &[Type], sizes: &Known) -> Result<(Lambda, Known), Failure> {
    let mut found = Vec::new();
    let lambda = function(of, |x| {
        let results = called(f, with_known(x, sizes))?;
        found = known(&results);
        Ok::<_, Failure>(inner(&results))
    })?;
    Ok((lambda, found))
}

/// The arrays of the results of a function of the elements of arrays.
#[pyfunction]
pub(crate) fn map(py: Python<'_>, f: &Bound<'_, PyAny>, arrays: Vec<Value>) -> Result<Vec<Value>, Failure> {
    let Some(length) = length(&arrays)? else {
        return Err(PyValueError::new_err("map takes arrays, which have elements: a scalar has none").into());
    };
    let of: Vec<Type> = arrays.iter().map(|x| x.of().element()).collect();
    let (lambda, mut sizes) = traced(f, &of, &element_sizes(&arrays))?;
    sizes.iter_mut().for_each(|known| known.insert(0, length));
    let _here = place::here(py);
    let map = |arrays: Vec<Atom>| Op::Map(Box::new(Map { function: lambda, arrays, accumulators: Vec::new() }));
    Ok(with_known(&apply(&inner(&arrays), map)?, &sizes))
}

/// What is known of the one length of arrays; `None` if one of them is a scalar.
fn length(arrays: &[Value]) -> Result<Option<Option<i64>>, Failure> {
    let mut length = None;
    for array in arrays {
        let Some(own) = array.known.first() else { return Ok(None) };
        length = mapped_over(length, *own)?;
    }
    Ok((!arrays.is_empty()).then_some(length))
}

fn element_sizes(arrays: &[Value]) -> Known {
    arrays.iter().map(|x| x.known.get(1..).unwrap_or(&[]).to_vec()).collect()
}

/// The operator of two elements of arrays, of the types of the neutral elements.
fn operator(f: &Bound<'_, PyAny>, neutral: &[Value], arrays: &[Value]) -> Result<Lambda, Failure> {
    let (of, sizes) = (types(neutral), element_sizes(arrays));
    Ok(traced(f, &[&of[..], &of].concat(), &[&sizes[..], &sizes].concat())?.0)
}

/// The parts of a reduction or a scan.
fn combined(
    py: Python<'_>,
    f: &Bound<'_, PyAny>,
    (neutral, arrays): (&[Value], &[Value]),
    commutative: bool,
    op: fn(Box<Reduce>) -> Op,
) -> Result<Vec<Untyped>, Failure> {
    if length(arrays)?.is_none() {
        return Err(PyValueError::new_err("there are no elements to combine: a scalar has none").into());
    }
    let operator = operator(f, neutral, arrays)?;
    let count = neutral.len();
    let _here = place::here(py);
    Ok(apply(&inner(&[neutral, arrays].concat()), |mut neutral| {
        let arrays = neutral.split_off(count);
        op(Box::new(Reduce { operator, neutral, arrays, commutative }))
    })?)
}

/// The elements combined by an operator, with its neutral elements.
#[pyfunction]
pub(crate) fn reduce(
    py: Python<'_>,
    f: &Bound<'_, PyAny>,
    neutral: Vec<Value>,
    arrays: Vec<Value>,
    commutative: bool,
) -> Result<Vec<Value>, Failure> {
    let found = combined(py, f, (&neutral, &arrays), commutative, Op::Reduce)?;
    Ok(with_known(&found, &element_sizes(&arrays)))
}

/// All prefixes combined by an operator, with its neutral elements.
#[pyfunction]
pub(crate) fn scan(
    py: Python<'_>,
    f: &Bound<'_, PyAny>,
    neutral: Vec<Value>,
    arrays: Vec<Value>,
) -> Result<Vec<Value>, Failure> {
    let found = combined(py, f, (&neutral, &arrays), false, Op::Scan)?;
    Ok(with_known(&found, &known(&arrays)))
}

/// Values combined into the bins at their indices.
#[pyfunction]
pub(crate) fn hist(
    py: Python<'_>,
    f: &Bound<'_, PyAny>,
    neutral: Vec<Value>,
    bins: Vec<Value>,
    indices: Value,
    values: Vec<Value>,
) -> Result<Vec<Value>, Failure> {
    let operator = operator(f, &neutral, &bins)?;
    let count = neutral.len();
    let operands = [inner(&neutral), inner(&bins), inner(&values), vec![indices.inner]].concat();
    let _here = place::here(py);
    let found = apply(&operands, |mut neutral| {
        let mut destinations = neutral.split_off(count);
        let mut values = destinations.split_off(bins.len());
        let indices = values.pop().expect("the indices are the last operand");
        Op::Hist(Box::new(Hist { operator, neutral, destinations, indices, values }))
    })?;
    Ok(with_known(&found, &known(&bins)))
}

/// The body of a function of Python without parameters, and what is known of its results.
fn branch(f: &Bound<'_, PyAny>) -> Result<(Body, Known), Failure> {
    let (lambda, sizes) = traced(f, &[], &Vec::new())?;
    Ok((lambda.body, sizes))
}

/// What is known in either case.
fn in_either(first: &Known, second: &Known) -> Known {
    let both =
        |(a, b): (&Vec<Option<i64>>, &Vec<Option<i64>>)| a.iter().zip(b).map(|(a, b)| a.filter(|_| a == b)).collect();
    first.iter().zip(second).map(both).collect()
}

/// The results of one of two functions.
#[pyfunction]
pub(crate) fn cond(
    py: Python<'_>,
    condition: Value,
    yes: &Bound<'_, PyAny>,
    no: &Bound<'_, PyAny>,
) -> Result<Vec<Value>, Failure> {
    let ((yes, first), (no, second)) = (branch(yes)?, branch(no)?);
    let _here = place::here(py);
    let found = apply(&[condition.inner], |x| Op::If(x[0], Box::new(yes), Box::new(no)))?;
    Ok(with_known(&found, &in_either(&first, &second)))
}

/// What reverse mode keeps of a loop: all states, none but where it is strip-mined, or as many as are named.
fn policy(name: Option<(String, u64)>) -> PyResult<Policy> {
    let Some((name, count)) = name else { return Ok(Policy::default()) };
    let small = || u32::try_from(count).map_err(|_| PyValueError::new_err("that are too many levels"));
    match name.as_str() {
        "all" => Ok(Policy::KeepAll),
        "recompute" => Ok(Policy::Recompute),
        "stripmine" => Ok(Policy::StripMine(small()?)),
        "binomial" => Ok(Policy::Binomial(small()?)),
        other => Err(PyValueError::new_err(format!(
            "there is no policy of checkpoints `{other}`: there are all, recompute, stripmine and binomial"
        ))),
    }
}

/// The state of a loop, as an iteration takes it and leaves it.
struct State<'s> {
    init: &'s [Value],
    /// Whether its sizes stay; else no size is known that an iteration may change.
    keeps: bool,
}

impl State<'_> {
    /// The function of an iteration, which `trace` makes of what is known of the state's sizes, and what is known of those throughout.
    fn iterated(
        &self,
        mut trace: impl FnMut(&Known, bool) -> Result<(Lambda, Known), Failure>,
    ) -> Result<(Lambda, Known), Failure> {
        let mut sizes = known(self.init);
        loop {
            let (lambda, after) = trace(&sizes, self.keeps)?;
            let kept = if self.keeps { sizes.clone() } else { in_either(&sizes, &after) };
            if kept == sizes {
                return Ok((lambda, sizes));
            }
            sizes = kept;
        }
    }
}

/// Says that the state after an iteration has the sizes of that before.
fn keep(before: &[Value], after: &[Value]) -> Result<(), Failure> {
    for (before, after) in before.iter().zip(after) {
        for dimension in 0..before.rank().min(after.rank()) {
            agree_on(before, dimension, after, dimension)?;
        }
    }
    Ok(())
}

/// The state after `n` iterations.
#[pyfunction]
#[pyo3(signature = (n, init, f, checkpoints = None, keeps = true))]
pub(crate) fn for_loop(
    py: Python<'_>,
    n: Value,
    init: Vec<Value>,
    f: &Bound<'_, PyAny>,
    checkpoints: Option<(String, u64)>,
    keeps: bool,
) -> Result<Vec<Value>, Failure> {
    let policy = policy(checkpoints)?;
    let of: Vec<Type> = types(&init).into_iter().chain([n.of()]).collect();
    let (lambda, sizes) = State { init: &init, keeps }.iterated(|sizes, keeps| {
        let mut after = Vec::new();
        let lambda = function(&of, |x| {
            let mut state = with_known(x, sizes);
            state.push(Value::unknown(x[sizes.len()]));
            let results = called(f, state.clone())?;
            if keeps {
                keep(&state, &results)?;
            }
            after = known(&results);
            Ok::<_, Failure>(inner(&results))
        })?;
        Ok((lambda, after))
    })?;
    let operands: Vec<Untyped> = [n.inner].into_iter().chain(inner(&init)).collect();
    let _here = place::here(py);
    let found = apply(&operands, |init| {
        let Lambda { mut params, body } = lambda;
        let i = params.pop().expect("the index is the last parameter");
        let form = Form::For(i, init[0]);
        let params = params.into_iter().zip(init[1..].iter().copied()).collect();
        Op::Loop(Box::new(Loop { params, form, body, policy }))
    })?;
    Ok(with_known(&found, &sizes))
}

/// The first state for which a condition does not hold.
#[pyfunction]
#[pyo3(signature = (init, condition, f, bound = None, checkpoints = None, keeps = true))]
pub(crate) fn while_loop(
    py: Python<'_>,
    init: Vec<Value>,
    condition: &Bound<'_, PyAny>,
    f: &Bound<'_, PyAny>,
    bound: Option<Value>,
    checkpoints: Option<(String, u64)>,
    keeps: bool,
) -> Result<Vec<Value>, Failure> {
    let policy = policy(checkpoints)?;
    let mut decides = Body::default();
    let (lambda, sizes) = State { init: &init, keeps }.iterated(|sizes, keeps| {
        let mut after = Vec::new();
        let lambda = function(&types(&init), |x| {
            let state = with_known(x, sizes);
            decides = body(|| Ok::<_, Failure>(inner(&called(condition, state.clone())?)))?;
            let results = called(f, state.clone())?;
            if keeps {
                keep(&state, &results)?;
            }
            after = known(&results);
            Ok::<_, Failure>(inner(&results))
        })?;
        Ok((lambda, after))
    })?;
    let operands: Vec<Untyped> = inner(&init).into_iter().chain(bound.map(|x| x.inner)).collect();
    let _here = place::here(py);
    let found = apply(&operands, |mut init| {
        let bound = init.split_off(lambda.params.len().min(init.len())).pop();
        let params = lambda.params.into_iter().zip(init).collect();
        Op::Loop(Box::new(Loop { params, form: Form::While { condition: decides, bound }, body: lambda.body, policy }))
    })?;
    Ok(with_known(&found, &sizes))
}

/// The results of a function that has a pullback of its own, which takes arguments, results and adjoints.
#[pyfunction]
pub(crate) fn custom(
    py: Python<'_>,
    arguments: Vec<Value>,
    f: &Bound<'_, PyAny>,
    pullback: &Bound<'_, PyAny>,
) -> Result<Vec<Value>, Failure> {
    let mut results = Vec::new();
    let function = function(&types(&arguments), |x| {
        results = called(f, with_known(x, &known(&arguments)))?;
        Ok::<_, Failure>(inner(&results))
    })?;
    let (of, sizes) = (types(&results), known(&results));
    let of_all = [types(&arguments), of.clone(), of].concat();
    let (pullback, _) = traced(pullback, &of_all, &[known(&arguments), sizes.clone(), sizes.clone()].concat())?;
    let _here = place::here(py);
    let found = apply(&inner(&arguments), |arguments| Op::Custom(Box::new(Custom { function, pullback, arguments })))?;
    Ok(with_known(&found, &sizes))
}

/// Calls a function of Python whose operations are not part of the program, to see what its results are.
#[pyfunction]
pub(crate) fn outline(f: &Bound<'_, PyAny>) -> Result<(), Failure> {
    body(|| {
        called(f, Vec::new())?;
        Ok::<_, Failure>(Vec::new())
    })
    .map(drop)
}

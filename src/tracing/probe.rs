//! Runs that are watched: what every variable of a program was bound to, inside of functions too, and the adjoints of all that.
//!
//! Law: a value is that of the run; the adjoint of a variable is the derivative of the results, weighed by their
//! adjoints, by a number that is added to it where it is bound ("Not-Quite-Supersonic AD", figures 2 and 3, and
//! "Maintaining parallelism in reverse-mode automatic differentiation on functional parallel array languages", figures
//! 1 and 2, which these are the numbers of) (laws: tracing::probed).

use core::fmt;
use rustc_hash::FxHashMap;

use super::record::Record;
use super::scalarize::{Named, scalarize};
use super::{Keep, Trace};
use crate::array::{Op, Picture, Program, ScalarOp, Type, Var};
use crate::draw::Tone;
use crate::error::Result;
use crate::interpret::{Limits, Scalar, Value, fitting, run};

/// The largest count of elements of a variable that are kept, of all the times that it is bound together.
const MAX_KEPT_ELEMENTS: usize = 16;
/// The count of digits of a number that are shown.
const DIGITS: usize = 6;

/// What a variable was bound to one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// The sizes; a scalar has none.
    pub sizes: Vec<usize>,
    /// The elements: the first of them, if there are many.
    pub values: Vec<Scalar<f64>>,
    /// The adjoints of these elements, if adjoints were given; those of integers and truth values are 0.
    pub adjoints: Option<Vec<f64>>,
}

/// A program after a run.
#[derive(Debug, Clone)]
pub struct Probed {
    program: Program,
    results: Vec<Value<f64>>,
    seen: FxHashMap<Var, (usize, Vec<Binding>)>,
}

/// A run of a program, in which is noted what each variable is bound to; with the adjoints of the results, also what theirs are.
///
/// ```
/// use catadiff::array::{Program, Var};
/// use catadiff::interpret::Limits;
/// use catadiff::tracing::probe;
/// // Figure 3 of the thesis: y·x·x at (3, 2), where x is used twice.
/// let f = Program::parse("program (x: f64, y: f64) { let v2 = mul(x, y) let v3 = mul(v2, x) return v3 }")?;
/// let probed = probe(&f, &[3.0.into(), 2.0.into()], Some(&[1.0.into()]), &Limits::default())?;
/// assert_eq!(probed.results(), [18.0.into()]);
/// let adjoints = [0, 1, 2, 3].map(|n| probed.bindings(Var(n))[0].adjoints.as_ref().unwrap()[0]);
/// assert_eq!(adjoints, [12.0, 9.0, 3.0, 1.0]);
/// assert!(probed.picture().to_svg()?.contains(">= 18</text>"));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # Errors
/// As for [`run`](crate::interpret::run) and [`Trace::reverse`].
pub fn probe(
    program: &Program,
    arguments: &[Value<f64>],
    adjoints: Option<&[Value<f64>]>,
    limits: &Limits,
) -> Result<Probed> {
    let arguments = &fitting(program, arguments)?[..];
    // A fault is reported as the run reports it.
    let results = run(program, arguments, limits)?;
    let mut recorded = scalarize(Record::probing(), program, arguments, &Limits::default())?;
    let seen = core::mem::take(&mut recorded.seen);
    let adjoints = match adjoints {
        Some(adjoints) => {
            let probes = recorded.whole.function.params[arguments.len()..].to_vec();
            // −0 changes no number, not even −0.
            let at = [arguments, &vec![Value::from(-0.0); probes.len()]].concat();
            let pulled = Trace::new(recorded, Keep::Scalars).reverse(&at, adjoints)?.1.split_off(arguments.len());
            let adjoint = |adjoint: &Value<f64>| adjoint.to_f64().expect("a real is probed")[0];
            Some(probes.into_iter().zip(pulled.iter().map(adjoint)).collect::<FxHashMap<Var, f64>>())
        }
        None => None,
    };
    let binding = |Glimpse { sizes, elements }: Glimpse| {
        let of = |all: &FxHashMap<Var, f64>| elements.iter().map(|(_, probe)| probe.map_or(0.0, |p| all[&p])).collect();
        let adjoints = adjoints.as_ref().map(of);
        Binding { sizes, values: elements.iter().map(|(value, _)| *value).collect(), adjoints }
    };
    let seen = seen.into_iter().map(|(var, it)| (var, (it.times, it.glimpses.into_iter().map(binding).collect())));
    let seen = seen.collect();
    Ok(Probed { program: program.clone(), results, seen })
}

impl Probed {
    /// The results of the run.
    #[must_use]
    pub fn results(&self) -> &[Value<f64>] {
        &self.results
    }

    /// What a variable was bound to: the first times, if there were many.
    #[must_use]
    pub fn bindings(&self, var: Var) -> &[Binding] {
        self.seen.get(&var).map_or(&[], |(_, bindings)| bindings)
    }

    /// How many times a variable was bound.
    #[must_use]
    pub fn times(&self, var: Var) -> usize {
        self.seen.get(&var).map_or(0, |(times, _)| *times)
    }

    /// The program as a picture, with values and adjoints in its boxes.
    #[must_use]
    pub fn picture(&self) -> Picture<'_> {
        let mut picture = self.program.picture();
        for (var, (times, bindings)) in &self.seen {
            if self.program.type_of(*var).accumulator {
                continue;
            }
            let listed = |shown: &dyn Fn(&Binding) -> Option<String>| {
                let all: Option<Vec<String>> = bindings.iter().map(shown).collect();
                let more = if *times > bindings.len() { ", …" } else { "" };
                all.filter(|all| !all.is_empty()).map(|all| all.join(", ") + more)
            };
            if let Some(values) = listed(&|binding| Some(nested(binding, binding.values.iter().map(Short).collect()))) {
                picture.note(*var, Tone::Value, format!("= {values}"));
            }
            let real = self.program.type_of(*var).prim.is_real();
            let adjoint = |binding: &Binding| {
                let reals: Vec<Scalar<f64>> = binding.adjoints.iter().flatten().map(|x| Scalar::F64(*x)).collect();
                binding.adjoints.as_ref().map(|_| nested(binding, reals.iter().map(Short).collect()))
            };
            if let Some(adjoints) = listed(&adjoint).filter(|_| real) {
                picture.note(*var, Tone::Adjoint, format!("adjoint {adjoints}"));
            }
        }
        picture
    }
}

/// A number with few digits.
struct Short<'s>(&'s Scalar<f64>);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(x) = self.0.real() else { return self.0.fmt(f) };
        // −0 + 0 is 0.
        let near: f64 = format!("{x:.*e}", DIGITS - 1).parse().unwrap_or(*x) + 0.0;
        let size = near.abs();
        if near == 0.0 || !near.is_finite() || (1e-4..1e7).contains(&size) {
            write!(f, "{near}")
        } else {
            write!(f, "{near:e}")
        }
    }
}

/// Elements as rows within rows; only in a row if some are missing.
fn nested(binding: &Binding, elements: Vec<Short<'_>>) -> String {
    let texts: Vec<String> = elements.iter().map(ToString::to_string).collect();
    let whole = binding.sizes.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
    if whole != Some(texts.len()) {
        let sizes: String = binding.sizes.iter().map(|size| format!("[{size}]")).collect();
        return format!("{sizes}: {}, …", texts.join(", "));
    }
    if texts.is_empty() {
        return "[]".to_owned();
    }
    let rows =
        |texts: Vec<String>, size: &usize| texts.chunks(*size).map(|row| format!("[{}]", row.join(", "))).collect();
    binding.sizes.iter().rev().fold(texts, rows).concat()
}

/// What a variable was bound to one time, while the run goes on: values, and the parameters that are added to them.
#[derive(Debug)]
pub(super) struct Glimpse {
    sizes: Vec<usize>,
    elements: Vec<(Scalar<f64>, Option<Var>)>,
}

/// What a variable was bound to.
#[derive(Debug, Default)]
pub(super) struct Seen {
    times: usize,
    kept: usize,
    glimpses: Vec<Glimpse>,
}

/// Notes what a variable is bound to. To each real that is kept a parameter is added, whose adjoint is that of the real.
pub(super) fn notice(record: &Record, var: Var, value: Value<Named>) -> Value<Named> {
    let Some(seen) = record.seen().filter(|_| !record.is_muted()) else { return value };
    let mut seen = seen.borrow_mut();
    let seen = seen.entry(var).or_default();
    seen.times += 1;
    let count = value.elements().len().min(MAX_KEPT_ELEMENTS - seen.kept);
    if seen.kept == MAX_KEPT_ELEMENTS || (count == 0 && seen.times > MAX_KEPT_ELEMENTS) {
        return value;
    }
    seen.kept += count;
    // What takes the place of the first scalars that have names; integers without one are as they are.
    let mut renamed = Vec::with_capacity(count);
    let elements = value.elements().iter().take(count).map(|scalar| {
        let mut named = Named::of(scalar);
        let probe = named.prim.is_real().then(|| record.parameter(String::new(), Type::scalar(named.prim)));
        if let Some(probe) = probe {
            named.atom = record.one(Op::Scalar(ScalarOp::Add, [named.atom, probe.into()].into()));
        }
        let kept = (named.value, probe);
        if scalar.real().is_some() {
            renamed.push(named);
        }
        kept
    });
    let elements = elements.collect();
    seen.glimpses.push(Glimpse { sizes: value.sizes().to_vec(), elements });
    let mut renamed = renamed.into_iter();
    value.map(|named| renamed.next().unwrap_or_else(|| named.clone()))
}

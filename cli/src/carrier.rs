//! `--carrier`: an entry point on numbers of another kind, and derivatives by numbers that carry them.
//!
//! Law: what is printed is what the carrier says; where it cannot say it, there is a message, and no number.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::{self, Write as _};

use catadiff::carriers::{Counter, Interval, NanLog, Support};
use catadiff::futhark::core::Prim;
use catadiff::futhark::elaborate::Elaborated;
use catadiff::futhark::source::Message;
use catadiff::futhark::values::{Array, Data};
use catadiff::interpret::{Compare, Limits, Scalar, Value};
use catadiff::primitives::f16;
use catadiff::term::Arena;

use crate::answer::{ASKED, Failure, RAN};
use crate::arguments::Arguments;
use crate::compare::indices;

/// Kinds of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    Interval,
    Cost,
    Origin,
    Support,
    Term,
    Dual,
    Tape,
}

/// The most faults in a report.
const FAULTS: usize = 10;

impl Carrier {
    /// The carrier of the option, if it fits the command.
    pub(crate) fn asked(arguments: &Arguments, command: &str) -> Result<Option<Self>, Failure> {
        let carrier = match arguments.option("carrier") {
            None if arguments.has("radius") => {
                return Err(Failure::asked("`--radius` is of intervals: add `--carrier interval`"));
            }
            None => return Ok(None),
            Some("interval") => Carrier::Interval,
            Some("cost") => Carrier::Cost,
            Some("nan-origin") => Carrier::Origin,
            Some("support") => Carrier::Support,
            Some("term") => Carrier::Term,
            Some("dual") => Carrier::Dual,
            Some(_) => Carrier::Tape,
        };
        let mut refused = match carrier {
            Carrier::Dual if command != "jvp" => {
                Some("dual numbers carry the derivative along a direction: they are for `jvp`")
            }
            Carrier::Tape if !matches!(command, "grad" | "vjp") => {
                Some("a tape is read backwards: it is for `grad` and `vjp`")
            }
            Carrier::Dual | Carrier::Tape => None,
            Carrier::Interval | Carrier::Cost | Carrier::Origin | Carrier::Support | Carrier::Term => {
                arguments.has("binary").then_some("`--binary` is for numbers: leave it out")
            }
        };
        let elsewhere = "`--carrier` runs on the reference interpreter of array programs: leave `--executor` out";
        refused = refused.or(arguments.has("executor").then_some(elsewhere));
        let radius = arguments.has("radius") && carrier != Carrier::Interval;
        match refused.or(radius.then_some("`--radius` is of intervals: add `--carrier interval`")) {
            Some(text) => Err(Failure::asked(text)),
            None => Ok(Some(carrier)),
        }
    }

    /// Whether the derivative is the carrier's, and not that of the language.
    pub(crate) fn differentiates(self) -> bool {
        matches!(self, Carrier::Dual | Carrier::Tape)
    }

    /// What the carrier says of the results.
    pub(crate) fn answer(
        self,
        elaborated: &Elaborated,
        given: &[Array],
        arguments: &Arguments,
    ) -> Result<Result<String, Message>, Failure> {
        let limits = arguments.limits()?;
        let radius: f64 = arguments.number("radius")?.unwrap_or(0.0);
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(Failure::asked("the value of `--radius` is not a finite number of at least 0"));
        }
        Ok(match self {
            Carrier::Interval => {
                // The ends are rounded outwards, unless there is nothing to round.
                let around = |x: &f64| {
                    if radius == 0.0 {
                        return Interval::point(*x);
                    }
                    Interval::new((x - radius).next_down(), (x + radius).next_up())
                };
                let of = elaborated.run_on(given, &limits, around);
                of.map(|values| lines(&values, ToString::to_string))
            }
            Carrier::Cost => {
                let counter = Counter::new();
                elaborated.run_on(given, &limits, |x| counter.number(*x)).map(|_| counts(&counter))
            }
            Carrier::Origin => {
                let log = NanLog::new();
                let of = elaborated.run_on(given, &limits, |x| log.input(*x));
                of.map(|values| lines(&values, |x| x.value.to_string()) + &faults(&log))
            }
            Carrier::Support => {
                let (names, mut next) = (named(elaborated, given), 0..);
                let of = elaborated.run_on(given, &limits, |_| Support::variable(next.next().unwrap_or_default()));
                let shown = |support: &Support<usize>| {
                    let inputs: Vec<&str> = support.iter().map(|input| names[*input].as_str()).collect();
                    format!("{{{}}}", inputs.join(", "))
                };
                of.map(|values| lines(&values, shown))
            }
            Carrier::Term => {
                let arena = Arena::<String>::new();
                let names = variables(named(elaborated, given));
                let mut names = names.into_iter();
                let variable = |_: &f64| arena.variable(names.next().unwrap_or_default());
                let of = elaborated.run_on(given, &limits, variable);
                of.map(|values| lines(&values, ToString::to_string))
            }
            Carrier::Dual | Carrier::Tape => {
                return Err(Failure::asked("these numbers carry derivatives: use them with `jvp`, `grad` or `vjp`"));
            }
        })
    }
}

/// A text in the place of a number.
struct Shown(String);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn lines<C>(values: &[Value<C>], show: impl Fn(&C) -> String) -> String {
    values.iter().map(|value| format!("{}\n", value.map(|x| Shown(show(x))))).collect()
}

fn counts(counter: &Counter) -> String {
    let [sums, products, rows] = [counter.additions(), counter.multiplications(), counter.primitives()];
    format!("additions {sums}\nmultiplications {products}\nfunctions {rows}\nin all {}\n", counter.total())
}

fn faults(log: &NanLog) -> String {
    let faults = log.faults();
    let mut text = String::new();
    if faults.is_empty() {
        text.push_str("no operation went wrong\n");
    }
    faults.iter().take(FAULTS).for_each(|fault| {
        let _ = writeln!(text, "{fault}");
    });
    if faults.len() > FAULTS {
        let _ = writeln!(text, "… and {} more", faults.len() - FAULTS);
    }
    text
}

/// What the real numbers among the arguments are called, in their order.
fn named(elaborated: &Elaborated, given: &[Array]) -> Vec<String> {
    let mut names = Vec::new();
    for ((name, ..), value) in elaborated.parameters().zip(given).filter(|((_, kind, _), _)| kind.is_real()) {
        for element in 0..value.data.len() {
            let index: String = indices(element, &value.shape).iter().map(|index| format!("[{index}]")).collect();
            names.push(format!("{name}{index}"));
        }
    }
    names
}

/// The same as names of formulas, if they are then still different.
fn variables(names: Vec<String>) -> Vec<String> {
    let plain = |name: &String| name.replace('[', "_").replace(']', "").replace('\'', "_");
    let found: Vec<String> = names.iter().map(plain).collect();
    let different: HashSet<&String> = found.iter().collect();
    if different.len() == found.len() && !found.iter().any(|name| name == "pi") {
        return found;
    }
    (0..names.len()).map(|number| format!("x{number}")).collect()
}

/// The real numbers of the arguments that are differentiated by.
pub(crate) struct Active<'e> {
    pub(crate) elaborated: &'e Elaborated,
    pub(crate) given: &'e [Array],
    /// For each parameter of the array program, whether it is differentiated by.
    pub(crate) leaves: Vec<bool>,
    pub(crate) limits: Limits,
}

impl Active<'_> {
    /// The results, and their tangents for these directions.
    pub(crate) fn along(&self, directions: &[Array]) -> Result<Vec<Array>, Failure> {
        let results = self.results()?;
        let (point, fault) = (self.point()?, RefCell::new(None));
        for (direction, value) in directions.iter().zip(self.active()) {
            same_sizes("the direction", direction, value)?;
        }
        let direction: Vec<f64> = directions.iter().flat_map(reals).collect();
        finite("the point", &point)?;
        finite("the direction", &direction)?;
        let tangents = catadiff::jvp(|x| self.reals(x, &fault), &point, &direction);
        let tangents = self.answered(tangents, fault)?.1;
        Ok(results.iter().cloned().chain(shaped(&tangents, results.iter())).collect())
    }

    /// The results, and the adjoints of what is differentiated by, for these adjoints of the results.
    pub(crate) fn back(&self, adjoints: Option<&[Array]>) -> Result<Vec<Array>, Failure> {
        let results = self.results()?;
        let (point, fault) = (self.point()?, RefCell::new(None));
        for (adjoint, value) in adjoints.into_iter().flatten().zip(&results) {
            same_sizes("the adjoint of the result", adjoint, value)?;
        }
        let adjoint: Vec<f64> = adjoints.map_or(vec![1.0], |adjoints| adjoints.iter().flat_map(reals).collect());
        finite("the point", &point)?;
        finite("the adjoint of the result", &adjoint)?;
        let (_, pullback) = self.answered(catadiff::vjp(|x| self.reals(x, &fault), &point), fault)?;
        let gradient = pullback.call(&adjoint).map_err(|error| ran(error.to_string()))?;
        let gradient = shaped(&gradient, self.active());
        Ok(if adjoints.is_some() { results.into_iter().chain(gradient).collect() } else { gradient })
    }

    fn active(&self) -> impl Iterator<Item = &Array> {
        self.given.iter().zip(&self.leaves).filter(|(_, active)| **active).map(|(value, _)| value)
    }

    /// The results on plain numbers, which have to be real.
    fn results(&self) -> Result<Vec<Array>, Failure> {
        if self.elaborated.has_own_derivatives() {
            let text = "there are functions with derivatives of their own here, which these numbers do not know of";
            return Err(Failure::asked(format!("{text}: leave `--carrier` out")));
        }
        let results = self.elaborated.run(self.given, &self.limits).map_err(|message| ran(message.text))?;
        match results.iter().find(|result| !result.data.kind().is_real()) {
            Some(other) => Err(not_real("a result", other.data.kind())),
            None => Ok(results),
        }
    }

    fn point(&self) -> Result<Vec<f64>, Failure> {
        match self.active().find(|value| !value.data.kind().is_real()) {
            Some(other) => Err(not_real("a parameter that is differentiated by", other.data.kind())),
            None => Ok(self.active().flat_map(reals).collect()),
        }
    }

    /// The real results for numbers in the place of those that are differentiated by.
    fn reals<C: Compare>(&self, numbers: &[C], fault: &RefCell<Option<Message>>) -> Vec<C> {
        let active = self.given.iter().zip(&self.leaves).filter(|(value, _)| value.data.kind().is_real());
        let mut active = active.flat_map(|(value, active)| std::iter::repeat_n(*active, value.data.len()));
        let mut numbers = numbers.iter();
        let lift = |x: &f64| match active.next() {
            Some(true) => numbers.next().cloned().unwrap_or_else(|| C::constant(*x)),
            Some(false) | None => C::constant(*x),
        };
        match self.elaborated.run_on(self.given, &self.limits, lift) {
            Ok(values) => {
                let real = |scalar: &Scalar<C>| scalar.real().cloned();
                values.iter().flat_map(|value| value.elements().iter().filter_map(real)).collect()
            }
            Err(message) => {
                *fault.borrow_mut() = Some(message);
                Vec::new()
            }
        }
    }

    fn answered<T>(&self, answer: catadiff::Result<T>, fault: RefCell<Option<Message>>) -> Result<T, Failure> {
        match fault.into_inner() {
            Some(message) => Err(ran(message.text)),
            None => answer.map_err(|error| ran(error.to_string())),
        }
    }
}

fn ran(text: String) -> Failure {
    Failure { output: Vec::new(), text, code: RAN }
}

fn not_real(what: &str, kind: Prim) -> Failure {
    let text = format!("{what} is of kind {}, and these numbers carry derivatives of real numbers only", kind.name());
    Failure { output: Vec::new(), text: text + ": leave `--carrier` out", code: ASKED }
}

/// Numbers that carry derivatives are for points at which there are derivatives.
fn finite(what: &str, numbers: &[f64]) -> Result<(), Failure> {
    let Some(at) = numbers.iter().position(|x| !x.is_finite()) else { return Ok(()) };
    let shown = if numbers[at].is_nan() { "NaN" } else { "infinity" };
    let text =
        format!("{what} holds {shown} as real number {at}, and these numbers carry derivatives at finite points");
    Err(Failure { output: Vec::new(), text: text + " only: leave `--carrier` out", code: ASKED })
}

fn same_sizes(what: &str, found: &Array, wanted: &Array) -> Result<(), Failure> {
    if found.shape == wanted.shape {
        return Ok(());
    }
    Err(ran(format!("{what} is of type {}, where {} is wanted", found.type_name(), wanted.type_name())))
}

/// The elements of an array of reals.
fn reals(array: &Array) -> Vec<f64> {
    match &array.data {
        Data::F16(elements) => elements.iter().map(|x| f64::from(*x)).collect(),
        Data::F32(elements) => elements.iter().map(|x| f64::from(*x)).collect(),
        Data::F64(elements) => elements.clone(),
        _ => Vec::new(),
    }
}

/// Numbers as arrays of the kinds and sizes of these.
fn shaped<'a>(numbers: &[f64], like: impl Iterator<Item = &'a Array>) -> Vec<Array> {
    let mut numbers = numbers.iter().copied();
    like.map(|like| {
        let elements = numbers.by_ref().take(like.data.len());
        let data = match like.data.kind() {
            Prim::F16 => Data::F16(elements.map(f16::from_f64).collect()),
            Prim::F32 => Data::F32(elements.map(|x| x as f32).collect()),
            _ => Data::F64(elements.collect()),
        };
        Array { shape: like.shape.clone(), data }
    })
    .collect()
}

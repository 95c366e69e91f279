//! The interpreter: the first meaning of the core language, on numbers and arrays in memory.
//!
//! It is written to be read, and to be right: it defines what programs mean, and compiled programs are compared with it.
//! Derivatives are taken of scalars: a number carries, for each call of `jvp` or `vjp` around it, a tangent or a place on a tape
//! ("Not-Quite-Supersonic AD"); no derivative of an operation is written here, they are all those of the crate's tables.
//!
//! Law: any checked program has a value or an error with its place: indices, sizes, divisors, assertions, ranges and limits are
//! checked, and nothing panics or runs forever (tests/language/interpret.rs, tests/language/fuzz.rs).

mod array;
mod combinators;
mod control;
mod meter;
mod modes;
mod movement;
mod rows;
mod scalar;
mod tape;

use std::rc::Rc;

use array::{Array, Data};
use meter::Meter;
use scalar::{Engine, Scalar};

use super::core::{Entry, Program};
use super::meaning::{Evaluator, Outcome, Prepared, entry_named, fits, interface};
use super::source::{Message, Span};
use super::values;
use crate::interpret::{self, Cancel, Limits};

/// The meaning on numbers and arrays in memory.
#[derive(Debug)]
struct Interpreter {
    engine: Engine,
    meter: Rc<Meter>,
}

/// The results of an entry point for these arguments, one for each leaf of its parameters: a record is its fields, in order of
/// their names, and a sum its tag and all payloads.
///
/// ```
/// use catadiff::futhark::core::{Defined, Definition, Entry, Expression, ExpressionKind, Lambda, Local};
/// use catadiff::futhark::core::{Pattern, PatternKind, Prim, Program, Scheme, Type};
/// use catadiff::futhark::{interpreter, values::Array};
/// use catadiff::interpret::Limits;
/// // def square (x: f64): f64 = x * x
/// let (real, span) = (Type::Prim(Prim::F64), Default::default());
/// let x = || Expression { kind: ExpressionKind::Local(Local(0)), of: real.clone(), span };
/// let body = Expression {
///     kind: ExpressionKind::Primitive("mul".into(), Prim::F64, vec![x(), x()]),
///     of: real.clone(),
///     span,
/// };
/// let param = Pattern { kind: PatternKind::Local(Local(0)), of: real.clone(), binds: vec![], span };
/// let of = Type::function(real.clone(), real.clone());
/// let lambda = ExpressionKind::Lambda(Box::new(Lambda { param, body }));
/// let body = Expression { kind: lambda, of: of.clone(), span };
/// let scheme = Scheme { sizes: vec![], types: vec![], body: of };
/// let params = vec![("x".into(), real.clone())];
/// let program = Program {
///     definitions: vec![Defined { name: "square".into(), span, scheme, body, size: None }],
///     entries: vec![Entry { name: "square".into(), definition: Definition(0), params, result: real }],
///     locals: vec!["x".into()],
///     ..Program::default()
/// };
/// let results = interpreter::run(&program, "square", &[Array::scalar(vec![3.0])], Limits::default())?;
/// assert_eq!(results, [Array::scalar(vec![9.0])]);
/// # Ok::<(), catadiff::futhark::source::Message>(())
/// ```
///
/// # Errors
/// If there is no such entry, if the arguments are not those it takes, and whatever the program meets: an index out of bounds,
/// sizes that differ, a division by 0, an assertion that does not hold, a limit that is reached. A step is an application of a
/// function, an iteration of a loop or combinator, or the making of 16 elements.
pub fn run(program: &Program, entry: &str, arguments: &[values::Array], limits: Limits) -> Outcome<Vec<values::Array>> {
    run_until(program, entry, arguments, limits, &Cancel::new())
}

/// As [`run`], until it is cancelled.
///
/// ```
/// use catadiff::futhark::check::{NoImports, check};
/// use catadiff::futhark::{interpreter, syntax::parse, values::Array};
/// use catadiff::interpret::{Cancel, Limits};
/// let (program, _) = check(&parse("entry f (x: i32) = loop x while true do x + 1", 0).unwrap(), &mut NoImports).unwrap();
/// let cancel = Cancel::new();
/// let stop = cancel.clone();
/// std::thread::spawn(move || stop.cancel());
/// let message = interpreter::run_until(&program, "f", &[Array::scalar(vec![0])], Limits::default(), &cancel).unwrap_err();
/// assert_eq!((message.code, &*message.text), ("limit", "the run was cancelled"));
/// ```
///
/// # Errors
/// As for [`run`], and if it is cancelled.
pub fn run_until(
    program: &Program,
    entry: &str,
    arguments: &[values::Array],
    limits: Limits,
    cancel: &Cancel,
) -> Outcome<Vec<values::Array>> {
    let entry = entry_named(program, entry)?;
    let interpreter = Interpreter::new(limits, cancel.clone());
    let arguments = interpreter.arguments(program, entry, arguments)?;
    let prepared = Prepared::of(program);
    let results = Evaluator::new(program, &prepared, &interpreter).entry(entry, arguments)?;
    interpreter.engine.within_limit(Span::default())?;
    Ok(results.iter().map(to_value).collect())
}

impl Interpreter {
    fn new(limits: Limits, cancel: Cancel) -> Self {
        let engine = Engine::default();
        engine.edges.set((limits.elements.min(u32::MAX.into()), 0));
        Interpreter { engine, meter: Rc::new(Meter::new(limits, cancel)) }
    }

    /// Arguments as leaves, if they are of the kinds and ranks that the entry takes.
    fn arguments(&self, program: &Program, entry: &Entry, given: &[values::Array]) -> Outcome<Vec<Data>> {
        let at = program.definition(entry.definition).map_or_else(Span::default, |it| it.span);
        let wanted = entry.params.iter().flat_map(|(name, of)| interface(of).into_iter().map(move |leaf| (name, leaf)));
        wanted.zip(given).try_for_each(|((name, leaf), value)| fits(at, name, leaf, value))?;
        given.iter().map(|value| self.leaf(at, value)).collect()
    }

    fn leaf(&self, at: Span, value: &values::Array) -> Outcome<Data> {
        let count = value.data.len();
        if Some(count) != interpret::count(&value.shape) {
            let text = format!("an array of type {} has {count} elements", value.type_name());
            return Err(Message::error("arguments", at, text));
        }
        let elements = || value.data.constants().into_iter().map(Scalar::Plain);
        if value.shape.is_empty() {
            return Ok(Data::Scalar(elements().next().expect("a scalar is one element")));
        }
        let hold = self.meter.claim(at, value.data.kind(), Some(count))?;
        Ok(Data::Array(Array::noted(&value.shape[..], elements().collect(), hold)))
    }
}

fn to_value(data: &Data) -> values::Array {
    let elements = values::Data::of_constants(data.kind(), data.elements().iter().map(Scalar::plain));
    values::Array { shape: data.shape().to_vec(), data: elements }
}

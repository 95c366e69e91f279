//! What stands behind the handles: the traces in progress on this thread, innermost last, each with its open scopes.
//!
//! Literals and `zero()` have no context to find a builder in, and handles carry no lifetime, so the builder is found
//! through the thread. It is there only while a closure is traced; a guard takes it away again, also when the closure
//! panics. A trace inside a trace is one more on the stack, and handles know which is theirs.
//!
//! Law: an operand enters a program only where its variable is in scope. A handle of another trace, of none, or of a
//! closure that has ended is a [`Mistake`] of the trace, never a wrong program; no user code runs while the stack is
//! borrowed (tests/array/trace.rs).

use core::cell::RefCell;
use core::panic::Location;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::array::{Atom, Body, Builder, Const, Lambda, Op, Program, Reason, Type, Var};
use crate::error::{Error, Mistake, Place, Result, Span};

/// A call in the user's source.
pub(super) type At = &'static Location<'static>;

/// One value behind a handle: a constant, or a variable of a trace. What a [`Handle`](super::Handle) is made of.
#[derive(Debug, Clone, Copy)]
pub struct Id(Repr);

#[derive(Debug, Clone, Copy)]
enum Repr {
    Const(Const),
    Var {
        trace: u64,
        var: Var,
    },
    /// The result of a mistake, or of an operation outside every trace.
    Nothing,
}

impl Id {
    pub(super) const NOTHING: Id = Id(Repr::Nothing);

    pub(super) const fn constant(value: Const) -> Self {
        Id(Repr::Const(value))
    }

    pub(super) fn as_constant(self) -> Option<Const> {
        match self.0 {
            Repr::Const(value) => Some(value),
            Repr::Var { .. } | Repr::Nothing => None,
        }
    }
}

struct Trace {
    number: u64,
    builder: Builder,
    /// The open scopes, outermost first: their numbers, and the calls that opened them.
    open: Vec<(u32, At)>,
    /// Whether a scope is open, by its number.
    is_open: Vec<bool>,
    /// The scope of each variable.
    scope_of: Vec<u32>,
    mistakes: Vec<Mistake>,
    /// The call of a handle's method that is being carried out.
    here: Option<At>,
    /// Where statements come from, if that is not a call in Rust.
    place: Option<Span>,
}

/// The folder of this library's source, as it is called in locations.
const OURS: &str = file!().split_at(file!().len() - "array/trace/scope.rs".len()).0;

/// The folders below it from which calls of this room come: its own, as sums build on reductions, that of the numbers'
/// methods and operators, and that of solvers.
const ROOMS: [&str; 3] = ["array", "primitives", "solvers"];

/// Whether a call is not one of those by which this library builds on itself, nor one of the standard library's, which
/// calls what is handed to it.
fn is_users(at: At) -> bool {
    match at.file().strip_prefix(OURS) {
        Some(ours) => !ROOMS.iter().any(|room| ours.starts_with(room)),
        None => !at.file().starts_with("/rustc/"),
    }
}

/// The largest count of mistakes in a report; a closure that repeats one forever need not fill the memory.
const MAX_MISTAKES: usize = 16;

thread_local! {
    static TRACES: RefCell<Vec<Trace>> = const { RefCell::new(Vec::new()) };
}

/// Numbers are not used again, so that a handle fits its own trace only, whatever thread it is brought to.
static NEXT: AtomicU64 = AtomicU64::new(0);

fn innermost<R>(act: impl FnOnce(&mut Trace) -> R) -> Option<R> {
    TRACES.try_with(|traces| traces.borrow_mut().last_mut().map(act)).ok().flatten()
}

impl Trace {
    fn at(&self) -> At {
        self.open.last().expect("a trace has a scope").1
    }

    /// The user's call that a call is, or is made for.
    fn call(&self, at: At) -> At {
        if is_users(at) { at } else { self.here.unwrap_or_else(|| self.at()) }
    }

    fn mistake(&mut self, mistake: Mistake) {
        if self.mistakes.len() < MAX_MISTAKES {
            self.mistakes.push(mistake);
        }
    }

    /// Statements that are added now come from this call.
    fn span(&mut self, call: At) {
        let span = self.place.unwrap_or_else(|| Span::at(Place::Call(self.call(call))));
        self.builder.span(span);
    }

    /// What is well typed; if it is not, that is a mistake.
    fn typed<T>(&mut self, found: core::result::Result<T, Reason>) -> Option<T> {
        let at = self.at();
        found.map_err(|reason| self.mistake(Mistake::IllTyped { reason, at })).ok()
    }

    /// The operand, if it is one here.
    fn atom(&mut self, id: Id) -> Option<Atom> {
        let at = self.at();
        match id.0 {
            Repr::Const(value) => return Some(Atom::Const(value)),
            Repr::Var { trace, var } if trace == self.number => {
                if self.is_open[self.scope_of[var.0 as usize] as usize] {
                    return Some(Atom::Var(var));
                }
                self.mistake(Mistake::Escaped { at });
            }
            Repr::Var { .. } => self.mistake(Mistake::Foreign { at }),
            // What is nothing because of a mistake of this trace has been reported.
            Repr::Nothing if self.mistakes.is_empty() => self.mistake(Mistake::Foreign { at }),
            Repr::Nothing => {}
        }
        None
    }

    fn atoms(&mut self, ids: &[Id]) -> Option<Vec<Atom>> {
        // All of them are checked, so that all mistakes are reported.
        let atoms: Vec<Option<Atom>> = ids.iter().map(|id| self.atom(*id)).collect();
        atoms.into_iter().collect()
    }

    /// The variables belong to the innermost scope.
    fn own(&mut self, vars: &[Var]) -> Vec<Id> {
        let scope = self.open.last().expect("a trace has a scope").0;
        let number = self.number;
        let own = |var: &Var| {
            self.scope_of.resize(var.0 as usize + 1, scope);
            Id(Repr::Var { trace: number, var: *var })
        };
        vars.iter().map(own).collect()
    }

    fn enter(&mut self, at: At) {
        let number = u32::try_from(self.is_open.len()).expect("a program has fewer than 2^32 closures");
        self.is_open.push(true);
        self.open.push((number, at));
    }

    fn leave(&mut self) {
        let (number, _) = self.open.pop().expect("a scope is left once");
        self.is_open[number as usize] = false;
    }
}

/// The call that is being carried out, until this is dropped. A method that adds statements within a closure of its own has
/// one, since the caller of a closure is not known.
pub(crate) struct Here {
    around: Option<At>,
}

impl Here {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let at = Location::caller();
        let around = innermost(|trace| {
            let call = trace.call(at);
            trace.here.replace(call)
        });
        Here { around: around.flatten() }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        innermost(|trace| trace.here = self.around);
    }
}

/// Statements come from this place from here on, wherever in Rust they are made; the place before.
#[cfg(feature = "unstable")]
pub(super) fn place(place: Option<Span>) -> Option<Span> {
    innermost(|trace| core::mem::replace(&mut trace.place, place)).flatten()
}

/// The mistakes of the trace so far, which goes on as if there had been none.
#[cfg(feature = "unstable")]
pub(super) fn take_mistakes() -> Vec<Mistake> {
    innermost(|trace| core::mem::take(&mut trace.mistakes)).unwrap_or_default()
}

/// The type of what is a constant, or a variable of the innermost trace.
#[cfg(feature = "unstable")]
pub(super) fn type_here(id: Id) -> Option<Type> {
    match id.0 {
        Repr::Const(value) => Some(Type::scalar(value.prim())),
        Repr::Var { trace: number, var } => {
            innermost(|trace| (trace.number == number).then(|| trace.builder.type_of(var))).flatten()
        }
        Repr::Nothing => None,
    }
}

/// Whether there is a trace in progress.
#[cfg(feature = "unstable")]
pub(super) fn is_tracing() -> bool {
    innermost(|_| ()).is_some()
}

/// One more parameter of the innermost trace, whatever scopes are open in it.
#[cfg(feature = "unstable")]
pub(super) fn further_parameter(name: String, of: Type) -> Option<Id> {
    innermost(|trace| {
        let var = trace.builder.parameter(name, of);
        let outermost = trace.open[0].0;
        trace.scope_of.resize(var.0 as usize + 1, outermost);
        Id(Repr::Var { trace: trace.number, var })
    })
}

/// Adds a statement to the innermost scope; `None` if there is no trace, or after a mistake.
#[track_caller]
pub(super) fn emit(operands: &[Id], op: impl FnOnce(Vec<Atom>) -> Op) -> Option<Vec<Id>> {
    let call = Location::caller();
    innermost(|trace| {
        let op = op(trace.atoms(operands)?);
        trace.span(call);
        let vars = trace.builder.bind(op);
        let vars = trace.typed(vars)?;
        Some(trace.own(&vars))
    })
    .flatten()
}

/// Adds a statement of one result.
#[track_caller]
pub(super) fn emit_one(operands: &[Id], op: impl FnOnce(Vec<Atom>) -> Op) -> Id {
    match emit(operands, op).as_deref() {
        Some([id]) => *id,
        Some(_) => panic!("an operation of one result"),
        None => Id::NOTHING,
    }
}

/// Adds the statements that this library writes of operands to the innermost scope, and gives what it names of their results.
#[track_caller]
pub(super) fn written<const N: usize>(
    operands: &[Id],
    write: impl FnOnce(&mut Builder, &[Atom]) -> [Atom; N],
) -> [Id; N] {
    let call = Location::caller();
    let written = innermost(|trace| {
        let operands = trace.atoms(operands)?;
        trace.span(call);
        let results = write(&mut trace.builder, &operands);
        Some(results.map(|result| match result {
            Atom::Const(value) => Id::constant(value),
            Atom::Var(var) => trace.own(&[var])[0],
        }))
    });
    written.flatten().unwrap_or([Id::NOTHING; N])
}

/// Adds the statements of a program to the innermost scope, for operands of its parameters' types.
#[track_caller]
pub(crate) fn inline(program: &Program, arguments: &[Id], results: &[Type]) -> Option<Vec<Id>> {
    let call = Location::caller();
    innermost(|trace| {
        trace.span(call);
        let arguments = trace.atoms(arguments)?;
        let given: Vec<Type> = arguments.iter().map(|a| trace.builder.type_of(*a)).collect();
        trace.typed(callable(program, &given, results))?;
        let (vars, results) = trace.builder.inline(program, &arguments);
        trace.own(&vars);
        let id = |a: Atom| match a {
            Atom::Const(value) => Id::constant(value),
            Atom::Var(var) => Id(Repr::Var { trace: trace.number, var }),
        };
        Some(results.into_iter().map(id).collect())
    })
    .flatten()
}

/// Whether a program takes arguments of these types and has results of these, or why not.
fn callable(program: &Program, arguments: &[Type], results: &[Type]) -> core::result::Result<(), String> {
    let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    let same = |what: &str, has: Vec<Type>, here: &[Type]| {
        let reason = || format!("the called program has {what} ({}), and here they are ({})", list(&has), list(here));
        if has == here { Ok(()) } else { Err(reason()) }
    };
    let function = &program.function;
    same("parameters", function.params.iter().map(|p| program.type_of(*p)).collect(), arguments)?;
    same("results", function.body.results.iter().map(|a| program.atom_type(*a)).collect(), results)
}

/// Tells of a mistake in the innermost scope.
pub(crate) fn mistake(mistake: impl FnOnce(At) -> Mistake) -> Id {
    innermost(|trace| {
        let at = trace.at();
        trace.mistake(mistake(at));
    });
    Id::NOTHING
}

/// An open scope, the inside of a closure. What it holds when it is dropped without being closed, by a panic, is
/// dropped too.
pub(super) struct Scope {
    trace: u64,
    open: bool,
}

impl Scope {
    /// Opens a scope; there is none outside every trace.
    pub(super) fn open(at: At) -> Option<Scope> {
        innermost(|trace| {
            trace.enter(trace.call(at));
            trace.builder.open_body();
            Scope { trace: trace.number, open: true }
        })
    }

    /// New variables of the scope, to be bound as parameters.
    pub(super) fn parameters(&self, types: &[Type]) -> (Vec<Var>, Vec<Id>) {
        innermost(|trace| {
            let vars: Vec<Var> = types.iter().map(|t| trace.builder.fresh(*t)).collect();
            let ids = trace.own(&vars);
            (vars, ids)
        })
        .expect("a scope is within a trace")
    }

    /// The statements of the scope, with these results; `None` after a mistake.
    pub(super) fn close(mut self, results: &[Id]) -> Option<Body> {
        self.open = false;
        innermost(|trace| {
            let results = trace.atoms(results);
            trace.leave();
            let body = trace.builder.close_body(Vec::new());
            results.map(|results| Body { results, ..body })
        })
        .flatten()
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        if self.open {
            innermost(|trace| {
                assert!(trace.number == self.trace, "scopes are closed in the trace they are of");
                trace.leave();
                trace.builder.close_body(Vec::new());
            });
        }
    }
}

/// The function that `inside` builds of parameters of these types.
pub(super) fn lambda(at: At, types: &[Type], inside: impl FnOnce(&[Id]) -> Vec<Id>) -> Option<Lambda> {
    let scope = Scope::open(at)?;
    let (params, ids) = scope.parameters(types);
    let body = scope.close(&inside(&ids))?;
    Some(Lambda { params, body })
}

/// The body that `inside` builds.
pub(super) fn body(at: At, inside: impl FnOnce() -> Vec<Id>) -> Option<Body> {
    let scope = Scope::open(at)?;
    scope.close(&inside())
}

/// A trace in progress, taken off the stack when this is dropped.
pub(super) struct Recording(());

impl Recording {
    pub(super) fn start(at: At) -> Self {
        let mut trace = Trace {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            builder: Builder::new(),
            open: Vec::new(),
            is_open: Vec::new(),
            scope_of: Vec::new(),
            mistakes: Vec::new(),
            here: None,
            place: None,
        };
        trace.enter(at);
        TRACES.with(|traces| traces.borrow_mut().push(trace));
        Recording(())
    }

    /// A new parameter of the program.
    pub(super) fn parameter(&self, name: String, of: Type) -> Id {
        innermost(|trace| {
            let var = trace.builder.parameter(name, of);
            trace.own(&[var])[0]
        })
        .expect("the trace is in progress")
    }

    /// The program with these results.
    pub(super) fn finish(self, results: &[Id]) -> Result<Program> {
        let (builder, results, mistakes) = innermost(|trace| {
            let results = trace.atoms(results);
            (core::mem::take(&mut trace.builder), results, core::mem::take(&mut trace.mistakes))
        })
        .expect("the trace is in progress");
        match results {
            Some(results) if mistakes.is_empty() => {
                // The one thing left to go wrong is how deep closures nest.
                builder.finish(results)
            }
            _ => Err(Error::Trace { mistakes }),
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let ended = TRACES.with(|traces| traces.borrow_mut().pop());
        drop(ended);
    }
}

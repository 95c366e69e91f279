//! The checker: names, modules, types and sizes; from the tree of what is written to the core.
//!
//! Law: what comes out has no unknown left: every name is bound, every type and size is said. What cannot be determined
//! is a message. Sizes of which nothing is certain are compared when the program runs; nothing is guessed
//! (tests/language/check.rs).
//!
//! Types are inferred as Milner does, with levels (Rémy); sizes are polynomials over variables; a size known only from a
//! value is bound where the value is. Expressions that bind sizes become lets of the body around, so that scopes stay
//! lexical.
//!
//! Each part of the state has functions of its own: a `Unifier` knows types, sizes and variables, `Scopes` what names stand for.
//! A `Checker` holds what is known within a declaration, for the forms of the text, each of which may have every other within
//! it, and returns the first mistake. `Declarations` load files, define, and report mistakes.
//!
//! | file | what is in it |
//! |---|---|
//! | `declarations`, `modules`, `signatures`, `promises`, `scope`, `names` | what names stand for |
//! | `types`, `lifted`, `patterns` | what is written of types |
//! | `expressions`, `operators`, `functions`, `recursion`, `apply`, `sections`, `control`, `arrays`, `paths`, `convert` | expressions, form by form |
//! | `unify`, `levels`, `extent` | what is known of unknown types and sizes |
//! | `finish`, `strict`, `exhaustive`, `flat`, `unused` | what is checked when all is known |
//! | `ownership`, `consume` | who may change a value in place |
//! | `report` | messages |
//! | `prelude` | what every program sees, checked |

mod apply;
mod arrays;
mod consume;
mod control;
mod convert;
mod declarations;
mod exhaustive;
mod expressions;
mod extent;
mod finish;
mod flat;
mod functions;
mod levels;
mod lifted;
mod modules;
mod names;
mod operators;
mod ownership;
mod paths;
mod patterns;
mod prelude;
mod promises;
mod recursion;
mod report;
mod scope;
mod sections;
mod signatures;
mod strict;
mod types;
mod unify;
mod unused;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use self::ownership::Ownership;
use self::report::Messages;
use self::scope::{Env, Module, Scopes};
use self::unify::Unifier;
use super::chain::Rest;
use super::core::{
    Defined, Definition, Entry, Expression, ExpressionKind, Instance, Local, Pattern, Program, Scheme, Size, Type,
};
use super::core::{sizes, substitute};
use super::source::{Message, Name, Severity, Span};
use super::syntax::tree;

/// Where other files come from.
pub trait Imports {
    /// Reads the file that `import "path"` means in the text with the number `from`, and returns its own number among
    /// the texts, the same one whenever the same file is meant, and its tree.
    ///
    /// # Errors
    ///
    /// Says why there is no such tree; the messages are shown as they are. A message without a place stands at the import.
    fn load(&mut self, path: &str, from: u32) -> Result<(u32, Rc<tree::File>), Vec<Message>>;
}

/// For programs of one file.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoImports;

impl Imports for NoImports {
    fn load(&mut self, path: &str, _: u32) -> Result<(u32, Rc<tree::File>), Vec<Message>> {
        let text = format!("cannot import \"{path}\": this program has one file only");
        Err(vec![Message::error("import", Span::default(), text)])
    }
}

/// Checks a file, with the files it imports, and returns the program and warnings.
///
/// ```
/// use catadiff::futhark::check::{NoImports, check};
/// use catadiff::futhark::syntax::parse;
///
/// let file = parse("def twice xs = map (* 2.0) xs", 0).unwrap();
/// let (program, _) = check(&file, &mut NoImports).unwrap();
/// let twice = program.definitions.last().unwrap();
/// assert_eq!(program.show(&twice.scheme.body), "[n]f64 -> [n]f64");
///
/// let file = parse("def f (x: i32): f64 = x", 0).unwrap();
/// let messages = check(&file, &mut NoImports).unwrap_err();
/// assert_eq!(messages[0].hint.as_deref(), Some("convert it: `f64.i32 x`"));
/// ```
///
/// # Errors
///
/// All that is wrong in it: the first mistake of each definition.
pub fn check(file: &tree::File, imports: &mut dyn Imports) -> Result<(Program, Vec<Message>), Vec<Message>> {
    deep(|| {
        let mut declarations = prelude::start(imports);
        declarations.declarations(&file.declarations, None);
        declarations.main_of(file);
        let Declarations { definitions, messages, checker, files, .. } = declarations;
        let Checker { unifier, scopes, warnings, is_sealed, mentioned, .. } = checker;
        // What is in scope holds on to definitions, which are to be moved into the program.
        drop((scopes, files));
        let is_wrong = |messages: &Messages| messages.all().iter().any(|it| it.severity == Severity::Error);
        if is_wrong(&messages) {
            return Err(messages.into_all());
        }
        if is_sealed {
            let mut again = Declarations { promising: true, ..prelude::start(imports) };
            again.declarations(&file.declarations, None);
            if is_wrong(&again.messages) {
                return Err(again.messages.into_all());
            }
        }
        let derive = definitions.derive.clone();
        let program = finish::reachable(definitions, unifier.locals, mentioned.prelude);
        let all = [messages, warnings].map(Messages::into_all).concat();
        let messages = all.into_iter().chain(flat::warnings(&program, &derive)).collect();
        Ok((program, messages))
    })
}

/// What is wrong; boxed, since it is rare.
type Fault = Box<Message>;

/// The result of a check.
type Checked<T> = Result<T, Fault>;

/// A mistake at a place, and what would be right.
fn fault<T>(code: &'static str, span: Span, text: impl Into<String>, hint: impl Into<String>) -> Checked<T> {
    Err(Box::new(Message::error(code, span, text).hint(hint)))
}

/// A mistake that follows from one already reported, and is not.
const FOLLOWS: &str = "follows";

/// The mistake that a definition mentions itself, where the name is not in scope.
const RECURSION: &str = "recursion";

fn follows() -> Fault {
    Box::new(Message::error(FOLLOWS, Span::default(), ""))
}

/// Runs what may nest as deeply as the text does. What it leaves free is for walks of types, which call themselves: as deep as
/// the text, too, but with small frames.
fn deep<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(4 << 20, 16 << 20, run)
}

/// The most values of a body whose sizes may be known only from them: types, which mention these, are written at each.
const BINDINGS: usize = 2000;

/// A binding of the body that is being checked.
enum Pending {
    Let(Pattern, Expression),
    Generic(Local, Scheme, Expression),
}

/// The bindings that are made where expressions are checked.
#[derive(Default)]
struct Bodies {
    /// The bindings of each body around.
    pending: Vec<Vec<Pending>>,
    /// Whether types are written where nothing is bound, so that a size that is no term stays unknown.
    outside: bool,
    /// Sizes of a parameter that are written and no terms, and what is written.
    claims: Vec<(Size, tree::Expression)>,
    /// The calls that the function around makes of itself, if it may.
    own: Option<OwnCalls>,
}

/// Calls that a function makes of itself.
struct OwnCalls {
    number: Definition,
    /// What each is at, and where.
    calls: Vec<(Instance, Span)>,
}

/// What has been defined so far.
#[derive(Debug, Clone, Default)]
struct Definitions {
    defined: Vec<Rc<Defined>>,
    entries: Vec<Entry>,
    /// Those of the user that take derivatives.
    derive: Vec<Definition>,
}

/// What is noted where a name is looked up, so that nobody has to look for it in the whole program.
#[derive(Default)]
struct Mentioned {
    /// Which definitions of the prelude are mentioned; empty while that is read.
    prelude: Vec<bool>,
    /// Whether the definition that is being checked mentions a function that takes derivatives.
    derives: bool,
}

impl Mentioned {
    fn definition(&mut self, known: &scope::Known) {
        if let Some(mentioned) = self.prelude.get_mut(known.number.0 as usize) {
            *mentioned = true;
            self.intrinsic(&known.defined.name);
        }
    }

    fn intrinsic(&mut self, name: &str) {
        self.derives |= flat::is_derivative(name);
    }
}

/// The files of a program.
struct Files<'a> {
    imports: &'a mut dyn Imports,
    /// The files imported so far: without a module, those whose check has not ended.
    known: FxHashMap<u32, Option<Module>>,
}

/// What becomes of a program: its declarations, one after the other.
struct Declarations<'a> {
    files: Files<'a>,
    definitions: Definitions,
    messages: Messages,
    checker: Checker,
    /// Whether module types are promises, and no more is known of modules.
    promising: bool,
    /// How many modules there are around.
    depth: u32,
}

/// What is known within a declaration, for the forms of expressions, patterns and types.
#[derive(Default)]
struct Checker {
    unifier: Unifier,
    scopes: Scopes,
    mentioned: Mentioned,
    bodies: Bodies,
    ownership: Ownership,
    /// Whether there are module types, so that the program is checked with promises as well.
    is_sealed: bool,
    /// The digits of numbers, so that each is rounded once, to the kind it turns out to have.
    digits: FxHashMap<Span, Name>,
    /// Where sizes are compared when the program runs though it does not ask for that, and what the value is wanted for.
    compared: FxHashMap<Span, String>,
    /// The holes of the declaration.
    holes: Vec<(Type, Span)>,
    warnings: Messages,
}

impl Checker {
    /// Checks in a scope of its own, which begins as that around and leaves it as it is.
    fn scoped<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.scoped_in(self.scopes.env.clone(), check)
    }

    /// Checks in another scope, and returns to this one.
    fn scoped_in<T>(&mut self, env: Env, check: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.scopes.env, env);
        let checked = check(self);
        self.scopes.env = around;
        checked
    }

    /// Checks one level deeper, in a scope of its own: what is unknown there is free in what is around.
    fn deeper<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.scoped(|checker| {
            checker.unifier.level += 1;
            let checked = check(checker);
            checker.unifier.level -= 1;
            checked
        })
    }

    /// Checks a body of its own: a function's, a branch's, a loop's. What it binds is bound within it.
    fn body(&mut self, check: impl FnOnce(&mut Self) -> Checked<Expression>) -> Checked<Expression> {
        self.bodies.pending.push(Vec::new());
        let checked = self.deeper(check);
        let pending = self.bodies.pending.pop().expect("pushed above");
        let checked = checked?;
        let binds = |pending: &&Pending| matches!(pending, Pending::Let(pattern, _) if !pattern.binds.is_empty());
        if pending.iter().filter(binds).count() > BINDINGS {
            let text = format!("more than {BINDINGS} values in one body have sizes that are known only when it runs");
            return fault("limit", checked.span, text, "make functions of parts of it");
        }
        Ok(wrap(pending, checked))
    }

    /// Binds a value for the rest of the body around.
    fn bind(&mut self, pattern: Pattern, value: Expression) {
        self.bodies.pending.last_mut().expect("inside a body").push(Pending::Let(pattern, value));
    }

    /// A value that can be mentioned again: a variable, bound if the value is none.
    fn named(&mut self, value: Expression, name: &str) -> Expression {
        match value.kind {
            ExpressionKind::Local(_) | ExpressionKind::Size(_) | ExpressionKind::Constant(_) => value,
            _ => self.bound(value, name, Vec::new()),
        }
    }

    /// A new variable with this value, and sizes of its type that are known only from it.
    fn bound(&mut self, value: Expression, name: &str, binds: Vec<Local>) -> Expression {
        let local = self.unifier.fresh(name);
        self.ownership.hoisted.insert(local);
        self.unifier.soften(local);
        let (of, span) = (value.of.clone(), value.span);
        self.bind(Pattern { binds, ..Pattern::variable(local, of.clone(), span) }, value);
        Expression::variable(local, of, span)
    }
}

/// An expression within the bindings it stands in.
fn wrap(pending: Vec<Pending>, body: Expression) -> Expression {
    pending.into_iter().rev().fold(body, |body, pending| {
        let (of, span) = (body.of.clone(), body.span);
        let body = Rest::new(body);
        let kind = match pending {
            Pending::Let(pattern, value) => ExpressionKind::Let(Box::new(pattern), Box::new(value), body),
            Pending::Generic(local, scheme, value) => {
                ExpressionKind::LetPolymorphic(local, Box::new(scheme), Box::new(value), body)
            }
        };
        Expression { kind, of, span }
    })
}

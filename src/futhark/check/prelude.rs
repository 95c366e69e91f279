//! The prelude, read and checked.
//!
//! Law: the signatures of intrinsics and scalar operations, and all functions over them, are texts that this checker
//! reads; a mistake in them is ours (tests/language/check.rs).

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::operators::{OPERATORS, kinds};
use super::ownership::{Owned, Ownership};
use super::report::Messages;
use super::scope::{Env, Module, Operator, Scopes, Template, TemplateParam, Value};
use super::unify::Unifier;
use super::{Checker, Declarations, Definitions, Files, Imports, Mentioned, NoImports};
use crate::futhark::core::{Prim, Type};
use crate::futhark::prelude::{FIRST, TEXTS, text};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax;
use crate::futhark::syntax::tree::{self, DeclarationKind, Specification, TypeParamKind};

/// The intrinsic function that programs do not see as a name of its own.
const OF_PRELUDE: &str = "rows";

/// The prelude, checked.
struct Prelude {
    definitions: Definitions,
    unifier: Unifier,
    scopes: Scopes,
    ownership: Ownership,
}

thread_local! {
    /// Checked once for each thread, since scopes are shared by counting references.
    static PRELUDE: OnceCell<Rc<Prelude>> = const { OnceCell::new() };
}

/// The declarations of a program before its own: those of the prelude.
pub(super) fn start(imports: &mut dyn Imports) -> Declarations<'_> {
    let prelude = PRELUDE.with(|cell| cell.get_or_init(|| Rc::new(read())).clone());
    let (unifier, scopes, ownership) = (prelude.unifier.clone(), prelude.scopes.clone(), prelude.ownership.clone());
    let mentioned = Mentioned { prelude: vec![false; prelude.definitions.defined.len()], derives: false };
    let checker = Checker { unifier, scopes, ownership, mentioned, ..Checker::default() };
    after(prelude.definitions.clone(), checker, imports)
}

fn after(definitions: Definitions, checker: Checker, imports: &mut dyn Imports) -> Declarations<'_> {
    Declarations {
        files: Files { imports, known: FxHashMap::default() },
        definitions,
        messages: Messages::default(),
        checker,
        promising: false,
        depth: 0,
    }
}

fn parse(number: usize) -> tree::File {
    let (name, text) = TEXTS[number];
    let file = FIRST + u32::try_from(number).expect("a few texts");
    match syntax::parse(text, file) {
        Ok(file) => file,
        Err(messages) => panic!("the prelude is a text of the language: {name}: {messages:?}"),
    }
}

fn read() -> Prelude {
    let mut checker = Checker::default();
    let known = |body| Rc::new(Template { params: Vec::new(), open: Vec::new(), lifted: TypeParamKind::Type, body });
    for prim in Prim::ALL {
        checker.scopes.env.types.insert(Name::from(prim.name()), known(Type::Prim(prim)));
    }
    let of = checker.unifier.type_variable(&Name::from("t"));
    let accumulator = Template {
        params: vec![TemplateParam::Type(of.id)],
        open: Vec::new(),
        lifted: TypeParamKind::Type,
        body: Type::Accumulator(Type::Var(of).into()),
    };
    checker.scopes.env.types.insert(Name::from("acc"), Rc::new(accumulator));
    let mut intrinsics = Env { types: checker.scopes.env.types.clone(), ..Env::default() };

    for (name, params, of) in specifications(parse(0)) {
        let scheme = checker.specified(&params, &of).expect("the signatures of the prelude are well formed");
        let (mut arity, mut rest) = (0, &scheme.body);
        while let Type::Function(function) = rest {
            (arity, rest) = (arity + 1, &function.result);
        }
        let kinds = scheme.types.iter().map(|var| kinds(&var.name)).collect();
        let operator = Operator { name: name.clone(), scheme, kinds, arity };
        checker.scopes.scalars.values.insert(name, Value::Operator(Rc::new(operator)));
    }
    checker.unifier.forget();
    for (operator, operation) in OPERATORS {
        let value = checker.scopes.scalars.values.get(operation).expect("operators are scalar operations").clone();
        checker.scopes.env.values.insert(Name::from(operator), value);
    }
    let mut owned = FxHashMap::default();
    for (name, params, of) in specifications(parse(1)) {
        owned.insert(name.clone(), Owned::of(&of));
        let scheme = checker.specified(&params, &of).expect("the signatures of the prelude are well formed");
        let value = Value::Intrinsic(name.clone(), Rc::new(scheme));
        if *name != *OF_PRELUDE {
            checker.scopes.env.values.insert(name.clone(), value.clone());
        }
        intrinsics.values.insert(name, value);
    }
    checker.ownership.intrinsics = Rc::new(owned);
    checker.unifier.forget();
    checker.scopes.env.modules.insert(Name::from("known"), Module::Structure(Rc::new(intrinsics)));
    let scalars = Module::Structure(Rc::new(checker.scopes.scalars.clone()));
    checker.scopes.env.modules.insert(Name::from("scalar"), scalars);
    let mut none = NoImports;
    let mut declarations = after(Definitions::default(), checker, &mut none);
    for number in 2..TEXTS.len() {
        declarations.declarations(&parse(number).declarations, None);
    }
    let Declarations { mut definitions, messages, checker, .. } = declarations;
    let Checker { unifier, mut scopes, ownership, .. } = checker;
    let messages: Vec<String> = messages.all().iter().map(|m| format!("{} at {:?}", m.text, place(m.span))).collect();
    assert!(messages.is_empty(), "the prelude is a correct program: {messages:#?}");
    definitions.derive.clear();
    for module in ["scalar", "known"] {
        scopes.env.modules.remove(module);
    }
    scopes.base = scopes.env.clone();
    Prelude { definitions, unifier, scopes, ownership }
}

/// File, line and column of a place in the prelude.
fn place(span: Span) -> (String, usize) {
    text(span.file).map_or_else(Default::default, |(name, text)| {
        let before = &text[..(span.start as usize).min(text.len())];
        (name.to_owned(), before.matches('\n').count() + 1)
    })
}

/// The values that the module types of a text specify.
fn specifications(file: tree::File) -> Vec<(Name, Vec<tree::TypeParam>, tree::TypeExpression)> {
    let mut found = Vec::new();
    for declaration in file.declarations {
        if let DeclarationKind::Signature(_, signature) = declaration.kind
            && let tree::Signature::Body(specifications, _) = *signature
        {
            for specification in specifications {
                if let Specification::Value(name, params, of, _) = specification {
                    found.push((name, params, of));
                }
            }
        }
    }
    found
}

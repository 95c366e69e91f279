//! The prelude, read and checked.
//!
//! Law: the signatures of intrinsics and scalar operations, and all functions over them, are texts that this checker
//! reads; a mistake in them is ours (tests/language/check.rs).

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::operators::{OPERATORS, kinds};
use super::scope::{Env, Module, Operator, Scopes, Template, TemplateParam, Value};
use super::unify::Unifier;
use super::{Checker, Declarations, Definitions, Files, Imports, NoImports};
use crate::futhark::core::{Prim, Type};
use crate::futhark::prelude::{FIRST, TEXTS, text};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax;
use crate::futhark::syntax::tree::{self, DeclarationKind, Specification};

/// The prelude, checked.
struct Prelude {
    definitions: Definitions,
    unifier: Unifier,
    scopes: Scopes,
}

thread_local! {
    /// Checked once for each thread, since scopes are shared by counting references.
    static PRELUDE: OnceCell<Rc<Prelude>> = const { OnceCell::new() };
}

/// The declarations of a program before its own: those of the prelude.
pub(super) fn start(imports: &mut dyn Imports) -> Declarations<'_> {
    let prelude = PRELUDE.with(|cell| cell.get_or_init(|| Rc::new(read())).clone());
    let (unifier, scopes) = (prelude.unifier.clone(), prelude.scopes.clone());
    after(prelude.definitions.clone(), Checker { unifier, scopes, ..Checker::default() }, imports)
}

fn after(definitions: Definitions, checker: Checker, imports: &mut dyn Imports) -> Declarations<'_> {
    Declarations { files: Files { imports, known: HashMap::new() }, definitions, messages: Vec::new(), checker }
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
    let known = |body| Rc::new(Template { params: Vec::new(), open: Vec::new(), body });
    for prim in Prim::ALL {
        checker.scopes.env.types.insert(Name::from(prim.name()), known(Type::Prim(prim)));
    }
    let of = checker.unifier.type_variable(&Name::from("t"));
    let accumulator = Template {
        params: vec![TemplateParam::Type(of.id)],
        open: Vec::new(),
        body: Type::Accumulator(Box::new(Type::Var(of))),
    };
    checker.scopes.env.types.insert(Name::from("acc"), Rc::new(accumulator));

    for (name, params, of) in specifications(parse(0)) {
        let scheme = checker.specified(&params, &of).expect("the signatures of the prelude are well formed");
        let (mut arity, mut rest) = (0, &scheme.body);
        while let Type::Function { result, .. } = rest {
            (arity, rest) = (arity + 1, result);
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
    for (name, params, of) in specifications(parse(1)) {
        let scheme = checker.specified(&params, &of).expect("the signatures of the prelude are well formed");
        checker.scopes.env.values.insert(name.clone(), Value::Intrinsic(name, Rc::new(scheme)));
    }
    checker.unifier.forget();
    let scalars = Module::Structure(Rc::new(checker.scopes.scalars.clone()));
    checker.scopes.env.modules.insert(Name::from("scalar"), scalars);
    let mut none = NoImports;
    let mut declarations = after(Definitions::default(), checker, &mut none);
    for number in 2..TEXTS.len() {
        declarations.declarations(&parse(number).declarations, &mut Env::default());
    }
    let Declarations { mut definitions, messages, checker: Checker { unifier, mut scopes, .. }, .. } = declarations;
    let messages: Vec<String> = messages.iter().map(|m| format!("{} at {:?}", m.text, place(m.span))).collect();
    assert!(messages.is_empty(), "the prelude is a correct program: {messages:#?}");
    definitions.prelude = Some(definitions.defined.len());
    scopes.env.modules.remove("scalar");
    scopes.base = scopes.env.clone();
    Prelude { definitions, unifier, scopes }
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
        if let DeclarationKind::Signature(_, tree::Signature::Body(specifications, _)) = declaration.kind {
            for specification in specifications {
                if let Specification::Value(name, params, of, _) = specification {
                    found.push((name, params, of));
                }
            }
        }
    }
    found
}

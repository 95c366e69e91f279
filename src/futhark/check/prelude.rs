//! The prelude: what every program sees, written in the language on top of what the meanings know.
//!
//! Law: the signatures of intrinsics and scalar operations, and all functions over them, are texts that this checker reads;
//! a mistake in them is ours.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::operators::{OPERATORS, kinds};
use super::scope::{Env, Module, Operator, Template, TemplateParam, Value};
use super::unify::Unifier;
use super::{Checker, Imports, NoImports};
use crate::futhark::core::{Defined, Definition, Local, Prim, Type};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax;
use crate::futhark::syntax::tree::{self, DeclarationKind, Specification};

/// The texts, in the order in which they are read.
const TEXTS: [(&str, &str); 4] = [
    ("prelude/scalars.fut", include_str!("../prelude/scalars.fut")),
    ("prelude/intrinsics.fut", include_str!("../prelude/intrinsics.fut")),
    ("prelude/arrays.fut", include_str!("../prelude/arrays.fut")),
    ("prelude/numbers.fut", include_str!("../prelude/numbers.fut")),
];

/// The name and the text of the part of the prelude with that number, for messages about places in it.
#[must_use]
pub fn prelude_text(number: u32) -> Option<(&'static str, &'static str)> {
    TEXTS.get(number.checked_sub(Span::PRELUDE)? as usize).copied()
}

/// The prelude, checked.
struct Prelude {
    definitions: Vec<Rc<Defined>>,
    locals: Vec<Name>,
    levels: Vec<u32>,
    env: Env,
    scalars: Env,
    type_variables: u32,
    length: Option<Definition>,
    open_constants: HashMap<Definition, Vec<Local>>,
}

thread_local! {
    /// Checked once for each thread, since scopes are shared by counting references.
    static PRELUDE: OnceCell<Rc<Prelude>> = const { OnceCell::new() };
}

/// A checker that knows the prelude.
pub(super) fn start(imports: &mut dyn Imports) -> Checker<'_> {
    let prelude = PRELUDE.with(|cell| cell.get_or_init(|| Rc::new(read())).clone());
    Checker {
        definitions: prelude.definitions.clone(),
        locals: prelude.locals.clone(),
        own: prelude.definitions.len(),
        length: prelude.length,
        unifier: Unifier::over(prelude.levels.clone()),
        env: prelude.env.clone(),
        base: prelude.env.clone(),
        scalars: prelude.scalars.clone(),
        type_variables: prelude.type_variables,
        open_constants: prelude.open_constants.clone(),
        ..empty(imports)
    }
}

fn empty(imports: &mut dyn Imports) -> Checker<'_> {
    Checker {
        imports,
        definitions: Vec::new(),
        entries: Vec::new(),
        locals: Vec::new(),
        own: usize::MAX,
        length: None,
        unifier: Unifier::default(),
        env: Env::default(),
        base: Env::default(),
        scalars: Env::default(),
        pending: Vec::new(),
        binding_sizes: true,
        defining: Vec::new(),
        type_variables: 0,
        messages: Vec::new(),
        digits: HashMap::new(),
        open_constants: HashMap::new(),
        files: HashMap::new(),
    }
}

fn parse(number: usize) -> tree::File {
    let (name, text) = TEXTS[number];
    let file = Span::PRELUDE + u32::try_from(number).expect("a few texts");
    match syntax::parse(text, file) {
        Ok(file) => file,
        Err(messages) => panic!("the prelude is a text of the language: {name}: {messages:?}"),
    }
}

fn read() -> Prelude {
    let mut none = NoImports;
    let mut checker = empty(&mut none);
    let known = |body| Rc::new(Template { params: Vec::new(), open: Vec::new(), body });
    for prim in Prim::ALL {
        checker.env.types.insert(Name::from(prim.name()), known(Type::Prim(prim)));
    }
    let of = checker.type_variable(&Name::from("t"));
    let accumulator = Template {
        params: vec![TemplateParam::Type(of.id)],
        open: Vec::new(),
        body: Type::Accumulator(Box::new(Type::Var(of))),
    };
    checker.env.types.insert(Name::from("acc"), Rc::new(accumulator));

    for (name, params, of) in specifications(parse(0)) {
        let scheme = checker.specified(&params, &of).expect("the signatures of the prelude are well formed");
        let (mut arity, mut rest) = (0, &scheme.body);
        while let Type::Function { result, .. } = rest {
            (arity, rest) = (arity + 1, result);
        }
        let kinds = scheme.types.iter().map(|var| kinds(&var.name)).collect();
        let operator = Operator { name: name.clone(), scheme, kinds, arity };
        checker.scalars.values.insert(name, Value::Operator(Rc::new(operator)));
    }
    checker.unifier.forget();
    for (operator, operation) in OPERATORS {
        let value = checker.scalars.values.get(operation).expect("operators are scalar operations").clone();
        checker.env.values.insert(Name::from(operator), value);
    }
    for (name, params, of) in specifications(parse(1)) {
        let scheme = checker.specified(&params, &of).expect("the signatures of the prelude are well formed");
        checker.env.values.insert(name.clone(), Value::Intrinsic(name, Rc::new(scheme)));
    }
    checker.unifier.forget();
    let scalars = Module::Structure(Rc::new(checker.scalars.clone()));
    checker.env.modules.insert(Name::from("scalar"), scalars);
    for number in 2..TEXTS.len() {
        checker.declarations(&parse(number).declarations, &mut Env::default());
    }
    let messages: Vec<String> = checker.messages.iter().map(|m| format!("{} at {:?}", m.text, place(m.span))).collect();
    assert!(messages.is_empty(), "the prelude is a correct program: {messages:#?}");
    checker.env.modules.remove("scalar");
    Prelude {
        definitions: checker.definitions,
        locals: checker.locals,
        levels: checker.unifier.local_levels,
        env: checker.env,
        scalars: checker.scalars,
        type_variables: checker.type_variables,
        length: checker.length,
        open_constants: checker.open_constants,
    }
}

/// File, line and column of a place in the prelude.
fn place(span: Span) -> (String, usize) {
    prelude_text(span.file).map_or_else(Default::default, |(name, text)| {
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

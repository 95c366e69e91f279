//! Laws of texts of the front end: reading what was printed, or laid out, gives the tree that was there, up to places.
//!
//! Law: asked at random trees of every form, types and patterns among them, but those that no text means: a section of
//! `-` or `!` with its right operand, a tuple of one (tests/language/syntax.rs).

use catadiff::futhark::source::{Name, Span};
use catadiff::futhark::syntax::tree::{
    Declaration, DeclarationKind, File, ModuleDeclaration, ModuleExpression, Signature, Specification, TypeDeclaration,
    TypeParamKind,
};
use catadiff::futhark::syntax::{format, parse};
use quickcheck::{Arbitrary, Gen};

use crate::futhark_trees::Trees;
use crate::violation::{Verdict, Violation};

/// A random file.
#[derive(Debug, Clone)]
pub struct TextFile(pub File);

/// `parse ∘ print = id`, up to places; and what is read is printed as it was.
///
/// # Errors
/// The violation.
pub fn printed_is_read(file: &File) -> Verdict {
    let text = file.to_string();
    let violation = |left: String| {
        let law = "parse (print t) = t, up to places".to_owned();
        Err(Violation { law, instances: vec![("t".into(), text.clone())], left, right: placeless(file) })
    };
    match parse(&text, 0) {
        Err(messages) => violation(format!("{messages:?}")),
        Ok(again) if placeless(&again) != placeless(file) => violation(placeless(&again)),
        Ok(again) if again.to_string() != text => violation(again.to_string()),
        Ok(_) => Ok(()),
    }
}

/// `parse ∘ format = parse`, up to places, and `format ∘ format = format`: of a text as it is printed, and of one in a single line.
///
/// # Errors
/// The violation.
pub fn laid_out_is_the_same(file: &File) -> Verdict {
    let printed = file.to_string();
    // No text in quotes has a line that ends.
    let line = printed.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
    for text in [printed, line] {
        let violation = |law: &str, left: String, right: String| {
            Err(Violation { law: law.to_owned(), instances: vec![("t".into(), text.clone())], left, right })
        };
        let once = match format(&text, 0) {
            Err(messages) => return violation("format t is a text", format!("{messages:?}"), text.clone()),
            Ok(once) => once,
        };
        let read = parse(&once, 0).map(|again| placeless(&again)).unwrap_or_else(|messages| format!("{messages:?}"));
        if read != placeless(file) {
            return violation("parse (format t) = parse t, up to places", read, placeless(file));
        }
        match format(&once, 0) {
            Ok(twice) if twice == once => {}
            twice => return violation("format (format t) = format t", format!("{twice:?}"), once),
        }
    }
    Ok(())
}

/// The text of a tree's structure, without its places.
fn placeless(file: &File) -> String {
    let text = format!("{file:?}");
    let mut pieces = text.split("Span {");
    let mut out = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        out.push_str(piece.split_once('}').map_or(piece, |(_, rest)| rest));
    }
    out
}

impl Arbitrary for TextFile {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut trees = Trees(g);
        TextFile(File { declarations: trees.many(1, 4, |trees| declaration(trees, 3)) })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let all = self.0.declarations.clone();
        let count = if all.len() > 1 { all.len() } else { 0 };
        let fewer = (0..count).map(|at| {
            let mut declarations = all.clone();
            declarations.remove(at);
            TextFile(File { declarations })
        });
        Box::new(fewer.collect::<Vec<_>>().into_iter())
    }
}

fn declaration(t: &mut Trees<'_>, fuel: u32) -> Declaration {
    let attributes = t.many(0, 2, |t| t.attribute(1));
    let kind = match t.below(if fuel == 0 { 4 } else { 9 }) {
        0 | 1 => {
            let entry = t.below(4) == 0;
            DeclarationKind::Value(Box::new(t.value(entry, 0, fuel + 1)))
        }
        2 => DeclarationKind::Type(Box::new(type_declaration(t, true))),
        3 => DeclarationKind::Import(path(t)),
        4 => DeclarationKind::Open(Box::new(module(t, fuel - 1))),
        5 => DeclarationKind::Local(Box::new(declaration(t, fuel - 1))),
        6 => DeclarationKind::Signature(t.word(), Box::new(signature(t, fuel - 1))),
        _ => DeclarationKind::Module(Box::new(ModuleDeclaration {
            name: t.word(),
            params: t.many(0, 2, |t| (t.word(), signature(t, fuel - 1))),
            signature: t.maybe(|t| signature(t, fuel - 1)),
            body: module(t, fuel - 1),
        })),
    };
    Declaration { kind, attributes, span: Span::default() }
}

fn path(t: &mut Trees<'_>) -> Name {
    Name::from(format!("../lib/{}", t.word()))
}

fn type_declaration(t: &mut Trees<'_>, defined: bool) -> TypeDeclaration {
    let (name, params) = (t.word(), t.type_params());
    let definition = if defined { Some(t.type_expression(3)) } else { t.maybe(|t| t.type_expression(3)) };
    let lifted = [TypeParamKind::Type, TypeParamKind::SizeLifted, TypeParamKind::Lifted][t.below(3)];
    TypeDeclaration { lifted, name, params, definition }
}

fn module(t: &mut Trees<'_>, fuel: u32) -> ModuleExpression {
    let at = Span::default();
    match t.below(if fuel == 0 { 2 } else { 6 }) {
        0 => ModuleExpression::Name(t.qualified()),
        1 => ModuleExpression::Import(path(t), at),
        2 => ModuleExpression::Apply(Box::new(module(t, fuel - 1)), Box::new(module(t, fuel - 1)), at),
        3 => ModuleExpression::Ascribe(Box::new(module(t, fuel - 1)), signature(t, fuel - 1), at),
        4 => {
            let of = Box::new(signature(t, fuel - 1));
            ModuleExpression::Lambda(t.word(), of, Box::new(module(t, fuel - 1)), at)
        }
        _ => ModuleExpression::Body(t.many(0, 3, |t| declaration(t, fuel - 1)), at),
    }
}

fn signature(t: &mut Trees<'_>, fuel: u32) -> Signature {
    let at = Span::default();
    match t.below(if fuel == 0 { 1 } else { 5 }) {
        0 | 1 => Signature::Name(t.qualified()),
        2 => {
            let of = Box::new(signature(t, fuel - 1));
            Signature::With(of, t.qualified(), t.type_params(), t.type_expression(2), at)
        }
        3 => {
            let name = t.maybe(Trees::word);
            Signature::Arrow(name, Box::new(signature(t, fuel - 1)), Box::new(signature(t, fuel - 1)), at)
        }
        _ => Signature::Body(t.many(0, 3, |t| specification(t, fuel - 1)), at),
    }
}

fn specification(t: &mut Trees<'_>, fuel: u32) -> Specification {
    let at = Span::default();
    match t.below(4) {
        0 => Specification::Value(t.binder(), t.type_params(), t.type_expression(3), at),
        1 => Specification::Type(type_declaration(t, false), at),
        2 => Specification::Module(t.word(), signature(t, fuel), at),
        _ => Specification::Include(signature(t, fuel), at),
    }
}

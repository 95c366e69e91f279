//! What editors ask of a text that is being written: mistakes, types, places of definitions, names that can follow, an outline.
//!
//! Law: something is known of every text, however broken: a declaration with a mistake is omitted, and the rest is known as without it
//! (tests/language/editing.rs).

mod mending;
mod scopes;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use scopes::{Known, Sort};

use self::scopes::{Files, Scope, holds, is_word, prelude};
use super::core::{Expression, ExpressionKind, LoopForm, Pattern, Program, Type};
use super::files::Texts;
use super::source::{Message, Name, Sources, Span};
use super::syntax::tree::{Declaration, DeclarationKind, File, ModuleExpression};

/// A text with what is known of it.
///
/// ```
/// use catadiff::futhark::editing::Document;
/// let text = "def twice (x: f64) = 2 * x\ndef wrong = (1\ndef main = twice 1\n";
/// let document = Document::new("a.fut".as_ref(), text, &[]);
/// assert_eq!(document.messages().len(), 1);
/// assert_eq!(document.type_at(text.rfind("twice").unwrap()).unwrap().1, "twice: f64 -> f64");
/// assert_eq!(document.definition_at(text.rfind("twice").unwrap()).unwrap().start, 4);
/// ```
#[derive(Debug)]
pub struct Document {
    texts: Texts,
    text: String,
    messages: Vec<Message>,
    /// Without the declarations that cannot be read.
    tree: Option<Rc<File>>,
    /// Without those that are wrong.
    program: Option<Program>,
    /// How deep imports are that are being looked at.
    depth: Cell<usize>,
}

/// A name that can stand at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is to be written.
    pub name: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Its type, if that is known.
    pub of: Option<String>,
}

/// What a name is that can stand at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// Something that is declared.
    Known(Sort),
    /// A field of a record.
    Field,
    /// A constructor of a sum.
    Constructor,
    /// A word of the language.
    Keyword,
}

/// A declaration in the outline of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// Its name.
    pub name: Name,
    /// What it declares.
    pub sort: Sort,
    /// All of it.
    pub span: Span,
    /// What is in it, if it is a module.
    pub inside: Vec<Symbol>,
}

/// Imports that are looked at from one another, at most.
const DEPTH: usize = 20;

/// Words of the language.
const KEYWORDS: [&str; 24] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "include", "let", "local",
    "loop", "match", "module", "open", "then", "true", "type", "val", "while", "with",
];

impl Document {
    /// The text of a file, whatever is on the disk, where others are held as well.
    #[must_use]
    pub fn new(path: &Path, text: &str, others: &[(PathBuf, String)]) -> Self {
        let read = |text: &str| {
            let mut texts = Texts::default();
            others.iter().for_each(|(path, text)| texts.hold(path, text));
            texts.hold(path, text);
            let tree = texts.file(path);
            let checked = match &tree {
                Ok((_, tree)) => texts.check(tree),
                Err(messages) => Err(messages.clone()),
            };
            (texts, tree.ok().map(|(_, tree)| tree), checked)
        };
        let (mut texts, mut tree, mut checked) = read(text);
        let messages = match &checked {
            Ok((_, warnings)) => warnings.clone(),
            Err(messages) => messages.clone(),
        };
        let first = texts.sources.clone();
        let mut mended = text.to_owned();
        while let Err(messages) = &checked {
            let Some(without) = mending::without(&mended, messages) else { break };
            mended = without;
            (texts, tree, checked) = read(&mended);
        }
        // Messages show what is written.
        if let (Some(now), Some(then)) = (texts.sources.files.first_mut(), first.files.first()) {
            now.text.clone_from(&then.text);
        }
        let program = checked.ok().map(|(program, _)| program);
        Document { texts, text: text.to_owned(), messages, tree, program, depth: Cell::new(0) }
    }

    /// What is wrong with it, and what there is to warn of.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The texts that places are in; this one is the first.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.texts.sources
    }

    /// The file that a text was read from.
    #[must_use]
    pub fn path(&self, file: u32) -> Option<PathBuf> {
        self.texts.paths().find(|path| self.texts.number(path) == Some(file)).map(Path::to_owned)
    }

    /// The type of what stands at a place, with its name or without, and its own place.
    #[must_use]
    pub fn type_at(&self, at: usize) -> Option<(Span, String)> {
        let place = u32::try_from(at).ok()?;
        let (program, word) = (self.program.as_ref()?, self.word_at(at));
        let (span, of) = innermost(program, place)?;
        let shown = program.show(of);
        let text = |span: Span| &self.text[span.start as usize..span.end as usize];
        // A parameter with its type in brackets is called by its name.
        let bare = |span: Span| text(span).trim_start_matches(['(', ' ']);
        Some(match word.filter(|word| holds(span, word.start) && word.end <= span.end) {
            Some(word) if text(span).ends_with(text(word)) && !text(span).contains(char::is_whitespace) => {
                (span, format!("{}: {shown}", text(span)))
            }
            Some(word) if word.start as usize + bare(span).len() == span.end as usize => {
                (word, format!("{}: {shown}", text(word)))
            }
            Some(_) | None => (span, shown),
        })
    }

    /// Where the name at a place is declared.
    #[must_use]
    pub fn definition_at(&self, at: usize) -> Option<Span> {
        if let Some(span) = self.import_at(at) {
            return Some(span);
        }
        let word = self.word_at(at)?;
        let name = &self.text[word.start as usize..word.end as usize];
        let path = self.path_before(word.start as usize);
        let scope = self.scope(at);
        if path.is_empty() {
            let is_value = |sort| matches!(sort, Sort::Definition | Sort::Variable);
            let found = scope.find(name, |sort| is_value(sort) != self.is_in_type(word.start as usize));
            return found.or_else(|| scope.find(name, |_| true)).map(|known| known.span);
        }
        let members = scope.members(path.iter().map(String::as_str))?;
        members.iter().rev().find(|known| *known.name == *name).map(|known| known.span)
    }

    /// What can stand at a place, of which the beginning may be there.
    #[must_use]
    pub fn completions(&self, at: usize) -> Vec<Completion> {
        let at = self.boundary(at);
        let start = at - word_before(&self.text[..at]);
        let before = &self.text[..start];
        let plain = |name: &str, kind| Completion { name: name.to_owned(), kind, of: None };
        if before.ends_with('#') {
            return words_behind(&self.text, '#').iter().map(|name| plain(name, CompletionKind::Constructor)).collect();
        }
        let scope = self.scope(at);
        let path = self.path_before(start);
        let mut found: Vec<Completion> = Vec::new();
        if let [first, ..] = &path[..] {
            match scope.members(path.iter().map(String::as_str)) {
                Some(members) => members.iter().rev().for_each(|known| found.push(self.completion(known))),
                None => {
                    let known = scope.find(first, |sort| matches!(sort, Sort::Variable | Sort::Definition));
                    let fields = known.and_then(|known| self.fields(known.span, &path[1..]));
                    let field = |name: &String| plain(name, CompletionKind::Field);
                    found.extend(fields.unwrap_or_else(|| fields_written(&self.text)).iter().map(field));
                }
            }
        } else if !before.ends_with('.') {
            found.extend(scope.names.iter().rev().map(|known| self.completion(known)));
            found.extend(KEYWORDS.iter().map(|word| plain(word, CompletionKind::Keyword)));
        }
        let mut seen = std::collections::BTreeSet::new();
        found.retain(|it| {
            it.name.starts_with(|c: char| c.is_alphanumeric() || c == '_') && seen.insert(it.name.clone())
        });
        found
    }

    /// What the text declares.
    #[must_use]
    pub fn symbols(&self) -> Vec<Symbol> {
        self.tree.as_ref().map_or_else(Vec::new, |tree| symbols(&tree.declarations))
    }

    fn completion(&self, known: &Known) -> Completion {
        let of = self.program.as_ref().and_then(|program| {
            let defined = program.definitions.iter().rev().find(|defined| defined.span == known.span)?;
            Some(program.show(&defined.scheme.body))
        });
        Completion { name: known.name.to_string(), kind: CompletionKind::Known(known.sort), of }
    }

    /// The fields of what is declared there, behind a path of fields.
    fn fields(&self, declared: Span, path: &[String]) -> Option<Vec<String>> {
        let mut of = innermost(self.program.as_ref().filter(|_| declared.file == 0)?, declared.start)?.1;
        for field in path {
            let Type::Record(fields) = of else { return None };
            of = &fields.iter().find(|(name, _)| **name == **field)?.1;
        }
        let Type::Record(fields) = of else { return None };
        Some(fields.iter().map(|(name, _)| name.to_string()).collect())
    }

    /// What is in scope at a place; within a declaration that cannot be read, all words before.
    fn scope(&self, at: usize) -> Scope {
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        let mut scope = prelude();
        if let Some(tree) = &self.tree {
            scope.enter(&tree.declarations, place, self);
        }
        let start = mending::beginning(&self.text, self.boundary(at));
        let is_read = |tree: &Rc<File>| tree.declarations.iter().any(|declaration| holds(declaration.span, place));
        if !self.tree.as_ref().is_some_and(is_read) {
            scope.words(&self.text, start, self.boundary(at));
        }
        scope
    }

    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The name at a place, or right before it.
    fn word_at(&self, at: usize) -> Option<Span> {
        let at = self.boundary(at);
        let start = at - word_before(&self.text[..at]);
        let end = at + self.text[at..].chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>();
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        (start < end).then(|| Span { file: 0, start: place(start), end: place(end) })
    }

    /// The names before a name, each with a point behind it.
    fn path_before(&self, mut start: usize) -> Vec<String> {
        let mut path = Vec::new();
        while start > 0 && self.text[..start].ends_with('.') {
            let Some(word) = self.word_at(start - 1).filter(|word| word.end as usize == start - 1) else { break };
            start = word.start as usize;
            path.insert(0, self.text[start..word.end as usize].to_owned());
        }
        path
    }

    /// Whether a name stands where a type does, as far as the signs before it tell.
    fn is_in_type(&self, start: usize) -> bool {
        let before = self.text[..start].trim_end_matches([' ', '(', '*', '\n']);
        before.ends_with([':', ']']) && !before.ends_with("::") || before.ends_with("->") && !before.contains('\\')
    }

    /// The file that an import at this place names.
    fn import_at(&self, at: usize) -> Option<Span> {
        let at = self.boundary(at);
        let start = self.text[..at].rfind('"').filter(|start| !self.text[*start..at].contains('\n'))?;
        let path = self.text[start + 1..].split('"').next().filter(|path| start + 1 + path.len() >= at)?;
        self.text[..start].trim_end().ends_with("import").then_some(())?;
        let (file, _) = self.texts.imported(path, 0)?;
        Some(Span { file, start: 0, end: 0 })
    }
}

impl Files for Document {
    fn text(&self, file: u32) -> &str {
        self.texts.sources.text(file).1
    }

    fn imported(&self, path: &str, from: u32) -> Vec<Known> {
        let Some((_, tree)) = self.texts.imported(path, from) else { return Vec::new() };
        if self.depth.get() >= DEPTH {
            return Vec::new();
        }
        self.depth.set(self.depth.get() + 1);
        let mut scope = Scope::default();
        scope.declarations(&tree.declarations, self);
        self.depth.set(self.depth.get() - 1);
        scope.names
    }
}

/// The smallest part of the program in the first text that holds a place, and its type.
fn innermost(program: &Program, at: u32) -> Option<(Span, &Type)> {
    let mut best: Option<(Span, &Type)> = None;
    let mut offer = |span: Span, of| {
        let smaller = best.is_none_or(|(known, _): (Span, _)| span.end - span.start < known.end - known.start);
        if span.file == 0 && span.start < span.end && holds(span, at) && smaller {
            best = Some((span, of));
        }
    };
    for defined in &program.definitions {
        if defined.span.file != 0 {
            continue;
        }
        offer(defined.span, &defined.scheme.body);
        let (mut expressions, mut patterns): (Vec<&Expression>, Vec<&Pattern>) = (vec![&defined.body], Vec::new());
        while let Some(e) = expressions.pop() {
            offer(e.span, &e.of);
            patterns.extend(bound(e));
            while let Some(pattern) = patterns.pop() {
                offer(pattern.span, &pattern.of);
                patterns.extend(pattern.children());
            }
            expressions.extend(e.children());
        }
    }
    best
}

/// The patterns of an expression itself.
fn bound(e: &Expression) -> Vec<&Pattern> {
    match &e.kind {
        ExpressionKind::Lambda(lambda) => vec![&lambda.param],
        ExpressionKind::Let(pattern, ..) => vec![pattern],
        ExpressionKind::Match(_, cases) => cases.iter().map(|(pattern, _)| pattern).collect(),
        ExpressionKind::Loop(it) => match &it.form {
            LoopForm::In(element, _) => vec![&it.pattern, element],
            LoopForm::For(..) | LoopForm::While(_) => vec![&it.pattern],
        },
        _ => Vec::new(),
    }
}

fn symbols(declarations: &[Declaration]) -> Vec<Symbol> {
    declarations.iter().filter_map(symbol).collect()
}

fn symbol(declaration: &Declaration) -> Option<Symbol> {
    let span = declaration.span;
    let one = |name: &Name, sort, inside| Some(Symbol { name: name.clone(), sort, span, inside });
    match &declaration.kind {
        DeclarationKind::Value(value) => one(&value.name, Sort::Definition, Vec::new()),
        DeclarationKind::Type(of) => one(&of.name, Sort::Type, Vec::new()),
        DeclarationKind::Module(module) => {
            let inside = match &module.body {
                ModuleExpression::Body(declarations, _) => symbols(declarations),
                _ => Vec::new(),
            };
            one(&module.name, Sort::Module, inside)
        }
        DeclarationKind::Signature(name, _) => one(name, Sort::ModuleType, Vec::new()),
        DeclarationKind::Local(inner) => symbol(inner),
        DeclarationKind::Open(_) | DeclarationKind::Import(_) => None,
    }
}

/// How many bytes of a name a text ends with.
fn word_before(text: &str) -> usize {
    text.chars().rev().take_while(|c| is_word(*c)).map(char::len_utf8).sum()
}

/// The words behind a sign.
fn words_behind(text: &str, sign: char) -> Vec<String> {
    let words = text.split(sign).skip(1).map(|rest| rest.chars().take_while(|c| is_word(*c)).collect::<String>());
    words.filter(|word| !word.is_empty()).collect()
}

/// The names of fields that stand somewhere in a text, in braces.
fn fields_written(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split('{').skip(1) {
        let inside = part.split('}').next().unwrap_or("");
        for field in inside.split(',') {
            let name = field.split([':', '=']).next().unwrap_or("").trim();
            if !name.is_empty() && name.chars().all(is_word) {
                found.push(name.to_owned());
            }
        }
    }
    found
}

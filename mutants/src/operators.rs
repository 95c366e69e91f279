//! The operators of mutation: where in a file something can be changed, and into what.
//!
//! Law: a mutant is one change at one place. Only what runs is changed: no types, patterns, constants, attributes,
//! assertions or messages. The operators are those of PIT and of cargo-mutants.

use std::collections::HashMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprLit, Pat, ReturnType, Stmt, Type, UnOp};

use crate::tables::{METHODS, neighbours, others, values};

/// How a mutant is put beside the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// This expression for another one.
    Expression(String),
    /// Without this statement.
    Removed,
    /// At the beginning of a body: out at once, with this value.
    Return(String),
    /// After the pattern of an arm, which is never taken.
    Never,
}

/// A change at a place.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Where in the file, in bytes; empty for what is inserted.
    pub place: Range<usize>,
    pub form: Form,
    /// What distinguishes it from all others; it stays the same when other parts of the file change.
    pub name: String,
    pub line: usize,
}

/// All mutants of a file, which is called so.
///
/// # Errors
/// If the text is not Rust.
pub fn mutants(path: &str, text: &str) -> syn::Result<Vec<Mutant>> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { path, text, function: String::new(), found: Vec::new(), names: HashMap::new() };
    finder.visit_file(&file);
    Ok(finder.found)
}

struct Finder<'t> {
    path: &'t str,
    text: &'t str,
    function: String,
    found: Vec<Mutant>,
    names: HashMap<String, usize>,
}

/// Macros whose operands are invariants and messages.
const SAID: [&str; 20] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "format",
    "format_args",
    "write",
    "writeln",
    "print",
    "println",
    "eprintln",
    "concat",
    "stringify",
    "include_str",
    "env",
    "cfg",
];

impl Finder<'_> {
    fn of(&self, spanned: &impl Spanned) -> Range<usize> {
        spanned.span().byte_range()
    }

    fn add(&mut self, place: Range<usize>, form: Form, what: &str) {
        let line = self.text[..place.start].matches('\n').count() + 1;
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "¦").replace('`', "'");
        let mut name = format!("{} {}: {what}", self.path, self.function);
        let count = self.names.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            name.push_str(&format!(" ({count})"));
        }
        self.found.push(Mutant { place, form, name, line });
    }

    fn short(&self, place: &Range<usize>) -> String {
        let words = self.text[place.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        if words.chars().count() > 60 { words.chars().take(57).chain("...".chars()).collect() } else { words }
    }

    /// An expression of which a part is another text.
    fn replace(&mut self, whole: Range<usize>, part: Range<usize>, by: &str) {
        let mutated = [&self.text[whole.start..part.start], by, &self.text[part.end..whole.end]].concat();
        let shown = if by.is_empty() { "nothing" } else { by };
        let what = format!("{} → {shown}, in {}", &self.text[part.clone()], self.short(&whole));
        self.add(whole, Form::Expression(mutated), &what);
    }

    fn become_text(&mut self, whole: Range<usize>, by: &str, what: &str) {
        self.add(whole, Form::Expression(by.to_owned()), what);
    }

    fn negate(&mut self, condition: &Expr) {
        let place = self.of(condition);
        let (negated, what) = (format!("!({})", &self.text[place.clone()]), format!("not {}", self.short(&place)));
        self.become_text(place, &negated, &what);
    }

    fn body(&mut self, output: &ReturnType, block: &Block) {
        if block.stmts.is_empty() {
            return;
        }
        let inside = self.of(&block.brace_token.span.open()).end;
        for value in values(output) {
            self.add(
                inside..inside,
                Form::Return(value.clone()),
                &format!("returns {}", if value.is_empty() { "()" } else { &value }),
            );
        }
    }

    fn remove(&mut self, stmt: &Stmt) {
        let place = self.of(stmt);
        let what = format!("without {}", self.short(&place));
        self.add(place, Form::Removed, &what);
    }

    /// The last expression of a block that gives `()`.
    fn remove_last(&mut self, block: &Block) {
        if let Some(stmt @ Stmt::Expr(Expr::MethodCall(_) | Expr::Call(_), None)) = block.stmts.last() {
            self.remove(stmt);
        }
    }

    fn within(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.function, name.to_owned());
        visit(self);
        self.function = before;
    }

    /// The groups of a macro's tokens that are expressions or statements.
    fn tokens(&mut self, tokens: proc_macro2::TokenStream) {
        use syn::parse::Parser;
        type List = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
        let mut is_sampled = false;
        for token in tokens {
            let proc_macro2::TokenTree::Group(group) = token else {
                // The intervals of a row of the table say where the tests sample, and are constants.
                is_sampled = token.to_string() == "on";
                continue;
            };
            if is_sampled {
                continue;
            }
            let inside = group.stream();
            if group.delimiter() == proc_macro2::Delimiter::Brace {
                if let Ok(stmts) = Block::parse_within.parse2(inside.clone()) {
                    stmts.iter().for_each(|stmt| self.visit_stmt(stmt));
                    continue;
                }
            } else if let Ok(list) = List::parse_terminated.parse2(inside.clone()) {
                list.iter().for_each(|expr| self.visit_expr(expr));
                continue;
            }
            self.tokens(inside);
        }
    }
}

/// Whether a condition binds something, so that it can stand nowhere else.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => binds(&both.left) || binds(&both.right),
        _ => false,
    }
}

/// Whether a condition has no operator that is changed anyway.
fn is_plain(condition: &Expr) -> bool {
    matches!(condition, Expr::MethodCall(_) | Expr::Path(_) | Expr::Field(_) | Expr::Call(_) | Expr::Macro(_))
}

/// Whether an argument can change its place with the next.
fn is_simple(argument: &Expr) -> bool {
    matches!(argument, Expr::Path(_) | Expr::Field(_) | Expr::Index(_))
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("test") || attribute.path().is_ident("cfg"))
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}

    fn visit_item_fn(&mut self, it: &'ast syn::ItemFn) {
        if it.sig.constness.is_none() && !is_test(&it.attrs) {
            self.within(&it.sig.ident.to_string(), |this| {
                this.body(&it.sig.output, &it.block);
                visit::visit_item_fn(this, it);
            });
        }
    }

    fn visit_impl_item_fn(&mut self, it: &'ast syn::ImplItemFn) {
        if it.sig.constness.is_none() && !is_test(&it.attrs) {
            self.within(&it.sig.ident.to_string(), |this| {
                this.body(&it.sig.output, &it.block);
                visit::visit_impl_item_fn(this, it);
            });
        }
    }

    fn visit_trait_item_fn(&mut self, it: &'ast syn::TraitItemFn) {
        self.within(&it.sig.ident.to_string(), |this| {
            if let Some(block) = &it.default {
                this.body(&it.sig.output, block);
            }
            visit::visit_trait_item_fn(this, it);
        });
    }

    fn visit_item_macro(&mut self, it: &'ast syn::ItemMacro) {
        if it.ident.is_none() {
            self.visit_macro(&it.mac);
        }
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        let name = it.path.segments.last().expect("a path has a segment").ident.to_string();
        if SAID.contains(&name.as_str()) || name == "macro_rules" {
            return;
        }
        let group = proc_macro2::Group::new(proc_macro2::Delimiter::Parenthesis, it.tokens.clone());
        self.within(&format!("{name}!"), |this| this.tokens(proc_macro2::TokenTree::from(group).into()));
    }

    fn visit_expr_macro(&mut self, it: &'ast syn::ExprMacro) {
        if it.mac.path.is_ident("matches") {
            self.negate(&Expr::Macro(it.clone()));
        } else if it.mac.path.is_ident("vec") {
            let function = self.function.clone();
            let group = proc_macro2::Group::new(proc_macro2::Delimiter::Parenthesis, it.mac.tokens.clone());
            self.within(&function, |this| this.tokens(proc_macro2::TokenTree::from(group).into()));
        } else {
            self.visit_macro(&it.mac);
        }
    }

    fn visit_expr_repeat(&mut self, it: &'ast syn::ExprRepeat) {
        self.visit_expr(&it.expr);
    }

    fn visit_expr_binary(&mut self, it: &'ast syn::ExprBinary) {
        let (whole, op) = (self.of(it), self.of(&it.op));
        if !binds(&it.left) && !binds(&it.right) {
            others(&it.op).iter().for_each(|by| self.replace(whole.clone(), op.clone(), by));
        }
        visit::visit_expr_binary(self, it);
    }

    fn visit_expr_unary(&mut self, it: &'ast syn::ExprUnary) {
        if matches!(it.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let (whole, op) = (self.of(it), self.of(&it.op));
            self.replace(whole, op, "");
        }
        visit::visit_expr_unary(self, it);
    }

    fn visit_expr_lit(&mut self, it: &'ast ExprLit) {
        let place = self.of(it);
        for by in neighbours(&it.lit) {
            // The line tells what the number is for.
            let from = self.text[..place.start].rfind('\n').map_or(0, |at| at + 1);
            let to = self.text[place.end..].find('\n').map_or(self.text.len(), |at| place.end + at);
            let what = format!("{} → {by}, in {}", &self.text[place.clone()], self.short(&(from..to)));
            self.become_text(place.clone(), &by, &what);
        }
    }

    fn visit_expr_if(&mut self, it: &'ast syn::ExprIf) {
        if is_plain(&it.cond) {
            self.negate(&it.cond);
        }
        if it.else_branch.is_none() {
            self.remove_last(&it.then_branch);
        }
        visit::visit_expr_if(self, it);
    }

    fn visit_expr_while(&mut self, it: &'ast syn::ExprWhile) {
        if is_plain(&it.cond) {
            self.negate(&it.cond);
        }
        self.remove_last(&it.body);
        visit::visit_expr_while(self, it);
    }

    fn visit_expr_for_loop(&mut self, it: &'ast syn::ExprForLoop) {
        self.remove_last(&it.body);
        visit::visit_expr_for_loop(self, it);
    }

    fn visit_expr_match(&mut self, it: &'ast syn::ExprMatch) {
        let rest = it.arms.iter().rposition(|arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none());
        for (k, arm) in it.arms.iter().enumerate() {
            let pattern = self.of(&arm.pat);
            match &arm.guard {
                Some((_, guard)) if !binds(guard) => {
                    let place = self.of(&**guard);
                    for by in ["true", "false"] {
                        let what = format!("guard {} → {by}", self.short(&place));
                        self.become_text(place.clone(), by, &what);
                    }
                }
                None if rest.is_some_and(|rest| k < rest) => {
                    let what = format!("without the arm {}", self.short(&pattern));
                    self.add(pattern.end..pattern.end, Form::Never, &what);
                }
                _ => {}
            }
        }
        visit::visit_expr_match(self, it);
    }

    fn visit_expr_method_call(&mut self, it: &'ast syn::ExprMethodCall) {
        let (whole, name) = (self.of(it), it.method.to_string());
        let both = METHODS.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
        for (_, by) in both.filter(|(from, _)| **from == name) {
            self.replace(whole.clone(), self.of(&it.method), by);
        }
        self.swap(&whole, &it.args);
        visit::visit_expr_method_call(self, it);
    }

    fn visit_expr_call(&mut self, it: &'ast syn::ExprCall) {
        let whole = self.of(it);
        self.swap(&whole, &it.args);
        visit::visit_expr_call(self, it);
    }

    fn visit_block(&mut self, it: &'ast Block) {
        for stmt in &it.stmts {
            use Expr::{Assign, Binary, Break, Call, Continue, MethodCall, Return, Try};
            if let Stmt::Expr(
                Assign(_) | Binary(_) | Break(_) | Call(_) | Continue(_) | MethodCall(_) | Return(_) | Try(_),
                Some(_),
            ) = stmt
            {
                self.remove(stmt);
            }
        }
        visit::visit_block(self, it);
    }
}

impl Finder<'_> {
    /// Arguments beside one another that change places.
    fn swap(&mut self, whole: &Range<usize>, arguments: &syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        let arguments: Vec<&Expr> = arguments.iter().collect();
        for pair in arguments.windows(2) {
            if pair.iter().all(|argument| is_simple(argument)) {
                let [a, b] = [self.of(pair[0]), self.of(pair[1])];
                let (a, b, both) = (&self.text[a.clone()], &self.text[b.clone()], a.start..b.end);
                if a != b {
                    let by = format!("{b}, {a}");
                    self.replace(whole.clone(), both, &by);
                }
            }
        }
    }
}

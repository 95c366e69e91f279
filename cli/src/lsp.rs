//! `lsp`: a language server on standard input and output, for editors.
//!
//! Law: every request has one answer, also about text that is half written; mistakes are those that `check` finds
//! (cli/tests/commands/editing.rs).

mod places;
mod wire;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use catadiff::futhark::editing::{CompletionKind, Document, Sort, Symbol};
use catadiff::futhark::source::{Message, Severity, Span};
use catadiff::futhark::syntax::format;
use serde_json::{Value, json};

use crate::answer::{Answer, Failure};
use crate::arguments::Arguments;
use crate::cases::caught;
use places::{end, from_uri, offset, range, to_uri};

/// Of JSON-RPC: there is no such method.
const NO_METHOD: i32 = -32601;
/// Of JSON-RPC: the parameters are not those of the method.
const PARAMETERS: i32 = -32602;
/// Of JSON-RPC: a mistake of the server.
const INTERNAL: i32 = -32603;

/// See the table.
pub(crate) fn lsp(_: &Arguments) -> Result<Answer, Failure> {
    let (send, receive) = channel();
    // Reads ahead, so that what was typed since is known before the work begins.
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(message) = wire::read(&mut input) {
            if send.send(message).is_err() {
                return;
            }
        }
    });
    let mut server = Server::default();
    let code = server.serve(&receive);
    Ok(Answer { output: Vec::new(), code })
}

/// A text that is open in the editor.
struct Open {
    uri: String,
    text: String,
    /// What is known of it, once it has been asked for.
    document: Option<Document>,
    /// Whether the editor knows its mistakes.
    is_told: bool,
}

#[derive(Default)]
struct Server {
    open: BTreeMap<PathBuf, Open>,
    is_down: bool,
}

impl Server {
    /// Serves until the editor leaves; the exit code is 0 if it has said so before.
    fn serve(&mut self, messages: &Receiver<Value>) -> u8 {
        loop {
            let message = match messages.try_recv() {
                Ok(message) => message,
                Err(TryRecvError::Disconnected) => return u8::from(!self.is_down),
                Err(TryRecvError::Empty) => {
                    self.tell();
                    match messages.recv() {
                        Ok(message) => message,
                        Err(_) => return u8::from(!self.is_down),
                    }
                }
            };
            let method = message["method"].as_str().unwrap_or("");
            if method == "exit" {
                return u8::from(!self.is_down);
            }
            match message.get("id") {
                None => self.noted(method, &message["params"]),
                // What has an identity and no method is an answer to a question that is never asked.
                Some(_) if method.is_empty() => {}
                Some(id) => {
                    let found = caught(|| Ok(self.answered(method, &message["params"])));
                    wire::write(&match found {
                        Ok(Ok(result)) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
                        Ok(Err((code, text))) => failure(id, code, &text),
                        Err(panic) => failure(id, INTERNAL, &panic.text),
                    });
                }
            }
        }
    }

    /// What the editor says without a question.
    fn noted(&mut self, method: &str, params: &Value) {
        let document = &params["textDocument"];
        let Some(uri) = document["uri"].as_str() else { return };
        let path = from_uri(uri);
        match method {
            "textDocument/didOpen" => self.changed(path, uri, document["text"].as_str().unwrap_or("")),
            "textDocument/didChange" => {
                let mut text = self.open.get(&path).map_or_else(String::new, |open| open.text.clone());
                for change in params["contentChanges"].as_array().into_iter().flatten() {
                    let new = change["text"].as_str().unwrap_or("");
                    if change["range"].is_object() {
                        let (from, to) =
                            (offset(&text, &change["range"]["start"]), offset(&text, &change["range"]["end"]));
                        text.replace_range(from..to.max(from), new);
                    } else {
                        new.clone_into(&mut text);
                    }
                }
                self.changed(path, uri, &text);
            }
            "textDocument/didClose" => {
                self.open.remove(&path);
                wire::write(&published(uri, Vec::new()));
                self.forget();
            }
            _ => {}
        }
    }

    fn changed(&mut self, path: PathBuf, uri: &str, text: &str) {
        self.open.insert(path, Open { uri: uri.to_owned(), text: text.to_owned(), document: None, is_told: false });
        self.forget();
    }

    /// Of all texts, since each may import another.
    fn forget(&mut self) {
        for open in self.open.values_mut() {
            (open.document, open.is_told) = (None, false);
        }
    }

    /// Says what is wrong with every text of which that has not been said.
    fn tell(&mut self) {
        let untold: Vec<PathBuf> =
            self.open.iter().filter(|(_, open)| !open.is_told).map(|(path, _)| path.clone()).collect();
        for path in untold {
            let found = caught(|| {
                let document = self.document(&path).expect("it is open");
                Ok(diagnostics(document))
            });
            let open = self.open.get_mut(&path).expect("it is open");
            open.is_told = true;
            let uri = open.uri.clone();
            wire::write(&published(&uri, found.unwrap_or_else(|panic| vec![diagnostic(json!(null), &panic)])));
        }
    }

    /// What is known of a text that is open.
    fn document(&mut self, path: &Path) -> Option<&Document> {
        if self.open.get(path)?.document.is_none() {
            let others: Vec<(PathBuf, String)> =
                self.open.iter().map(|(path, open)| (path.clone(), open.text.clone())).collect();
            let open = self.open.get_mut(path)?;
            open.document = Some(Document::new(path, &open.text, &others));
        }
        self.open.get(path)?.document.as_ref()
    }

    /// The answer to a question.
    fn answered(&mut self, method: &str, params: &Value) -> Result<Value, (i32, String)> {
        match method {
            "initialize" => return Ok(capabilities()),
            "shutdown" => {
                self.is_down = true;
                return Ok(Value::Null);
            }
            _ => {}
        }
        let uri = params["textDocument"]["uri"].as_str();
        let Some(uri) = uri else {
            return Err((NO_METHOD, format!("there is no method `{method}`")));
        };
        let path = from_uri(uri);
        let Some(open) = self.open.get(&path) else {
            return Err((PARAMETERS, format!("`{uri}` is not open")));
        };
        let text = open.text.clone();
        let at = offset(&text, &params["position"]);
        let document = self.document(&path).expect("it is open");
        Ok(match method {
            "textDocument/hover" => match document.type_at(at) {
                Some((span, shown)) => {
                    let contents = json!({"kind": "markdown", "value": format!("```futhark\n{shown}\n```")});
                    json!({"contents": contents, "range": range(&text, span)})
                }
                None => Value::Null,
            },
            "textDocument/definition" => {
                document.definition_at(at).and_then(|span| location(document, uri, span)).unwrap_or(Value::Null)
            }
            "textDocument/completion" => document.completions(at).iter().map(completion).collect(),
            "textDocument/documentSymbol" => document.symbols().iter().map(|it| symbol(&text, it)).collect(),
            "textDocument/formatting" => match format(&text, 0) {
                Ok(laid_out) if laid_out == text => json!([]),
                Ok(laid_out) => {
                    let all = json!({"start": {"line": 0, "character": 0}, "end": end(&text)});
                    json!([{"range": all, "newText": laid_out}])
                }
                // Its mistakes are known already.
                Err(_) => Value::Null,
            },
            _ => return Err((NO_METHOD, format!("there is no method `{method}`"))),
        })
    }
}

fn failure(id: &Value, code: i32, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
}

fn published(uri: &str, diagnostics: Vec<Value>) -> Value {
    let params = json!({"uri": uri, "diagnostics": diagnostics});
    json!({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "textDocumentSync": {"openClose": true, "change": 2},
            "hoverProvider": true,
            "definitionProvider": true,
            "completionProvider": {"triggerCharacters": [".", "#"]},
            "documentFormattingProvider": true,
            "documentSymbolProvider": true
        },
        "serverInfo": {"name": "catadiff", "version": env!("CARGO_PKG_VERSION")}
    })
}

/// The mistakes of a text; one in a file that it imports stands at its beginning.
fn diagnostics(document: &Document) -> Vec<Value> {
    let text = &document.sources().files[0].text;
    let one = |message: &Message| {
        if message.span.file == 0 {
            return diagnostic(range(text, message.span), message);
        }
        let shown = Message { text: document.sources().show_placed(message), ..message.clone() };
        diagnostic(json!(null), &shown)
    };
    document.messages().iter().map(one).collect()
}

fn diagnostic(range: Value, message: &Message) -> Value {
    let nowhere = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let severity = if message.severity == Severity::Error { 1 } else { 2 };
    let hint = message.hint.as_ref().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
    json!({
        "range": if range.is_null() { nowhere } else { range },
        "severity": severity,
        "code": message.code,
        "source": "catadiff",
        "message": format!("{}{hint}", message.text)
    })
}

/// A place in this text or in another; the prelude is written to a file, to be looked at.
fn location(document: &Document, uri: &str, span: Span) -> Option<Value> {
    let (name, text) = document.sources().text(span.file);
    let uri = match span.file {
        0 => uri.to_owned(),
        _ if span.is_prelude() => {
            let path = std::env::temp_dir().join(format!("catadiff-{}", env!("CARGO_PKG_VERSION"))).join(name);
            std::fs::create_dir_all(path.parent()?).ok()?;
            std::fs::write(&path, text).ok()?;
            to_uri(&path)
        }
        file => to_uri(&document.path(file)?),
    };
    Some(json!({"uri": uri, "range": range(text, span)}))
}

/// The number of a kind, of symbols and of completions.
fn number(sort: Sort) -> [u8; 2] {
    match sort {
        Sort::Definition => [12, 3],
        Sort::Variable => [13, 6],
        Sort::Type => [23, 22],
        Sort::Module => [2, 9],
        Sort::ModuleType => [11, 8],
    }
}

fn symbol(text: &str, it: &Symbol) -> Value {
    let inside: Vec<Value> = it.inside.iter().map(|it| symbol(text, it)).collect();
    let place = range(text, it.span);
    let [kind, _] = number(it.sort);
    json!({"name": *it.name, "kind": kind, "range": place, "selectionRange": place, "children": inside})
}

fn completion(it: &catadiff::futhark::editing::Completion) -> Value {
    let kind = match it.kind {
        CompletionKind::Known(sort) => number(sort)[1],
        CompletionKind::Field => 5,
        CompletionKind::Constructor => 20,
        CompletionKind::Keyword => 14,
    };
    let mut object = json!({"label": it.name, "kind": kind});
    if let Some(of) = &it.of {
        object["detail"] = json!(of);
    }
    object
}

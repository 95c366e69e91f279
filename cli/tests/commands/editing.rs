//! What editors ask for: layout, and a language server that a scripted client speaks with.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::{answer, folder, told};

#[test]
fn programs_are_laid_out_in_their_files() {
    let (loose, neat) = ("def f(x:i32)=\n      x+1   -- more\n", "def f (x: i32) =\n  x + 1 -- more\n");
    let here = folder("laid_out", &[("p/a.fut", loose), ("p/b/b.fut", neat), ("wrong.fut", "def f = (\n")]);
    let read = |name: &str| std::fs::read_to_string(here.join(name)).unwrap();
    assert_eq!(answer(&here, "fmt", loose), neat);
    assert_eq!(answer(&here, "fmt -", neat), neat);
    assert_eq!(told(&here, "fmt --check", loose), (1, String::new(), String::new()));
    assert_eq!(told(&here, "fmt --check p", ""), (1, "p/a.fut\n".into(), String::new()));
    assert_eq!(read("p/a.fut"), loose);
    assert_eq!(answer(&here, "fmt p", ""), "p/a.fut\n");
    assert_eq!((read("p/a.fut"), read("p/b/b.fut")), (neat.into(), neat.into()));
    assert_eq!(told(&here, "fmt --check p", ""), (0, String::new(), String::new()));
    let (code, _, errors) = told(&here, "fmt wrong.fut p", "");
    assert!(code == 2 && errors.contains("wrong.fut:") && read("wrong.fut") == "def f = (\n", "{errors}");
    let (code, _, errors) = told(&here, "fmt", "def f = )");
    assert!(code == 2 && errors.contains("standard input:1:9"), "{errors}");
}

/// The next message of a server; none at the end of its output.
fn next(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        length = line.strip_prefix("Content-Length: ").map_or(length, |value| value.trim().parse().unwrap());
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// A client on the other side of the server's input and output.
struct Client {
    server: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    asked: u64,
    /// What the server said without being asked.
    said: Vec<Value>,
}

impl Client {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_catadiff"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let (to, mut output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let (send, from) = channel();
        std::thread::spawn(move || {
            while let Some(message) = next(&mut output) {
                send.send(message).unwrap();
            }
        });
        let mut client = Client { server, to, from, asked: 0, said: Vec::new() };
        let found = client.ask("initialize", json!({"capabilities": {}}));
        assert_eq!(found["capabilities"]["hoverProvider"], true);
        client.say("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\nContent-Type: x\r\n\r\n{text}", text.len()).unwrap();
    }

    fn say(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// What the server says next; one that says nothing for a minute has stopped.
    fn receive(&mut self) -> Value {
        self.from.recv_timeout(Duration::from_secs(60)).expect("the server goes on")
    }

    /// The whole answer, with what was said until then put aside.
    fn answered(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.said.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answered(method, params);
        assert_eq!(answer["error"], Value::Null, "{method}");
        answer["result"].clone()
    }

    /// The mistakes that the server says next of a text; of several, it may begin with any.
    fn mistakes(&mut self, uri: &str) -> Vec<Value> {
        let of = |told: &Value| told["params"]["uri"] == uri;
        let told = match self.said.iter().position(of) {
            Some(at) => self.said.remove(at),
            None => loop {
                let told = self.receive();
                if of(&told) {
                    break told;
                }
                self.said.push(told);
            },
        };
        assert_eq!(told["method"], "textDocument/publishDiagnostics");
        told["params"]["diagnostics"].as_array().unwrap().clone()
    }

    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": uri, "languageId": "futhark", "version": 1, "text": text});
        self.say("textDocument/didOpen", json!({"textDocument": document}));
        self.mistakes(uri)
    }

    fn change(&mut self, uri: &str, changes: Value) -> Vec<Value> {
        self.say(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": changes}),
        );
        self.mistakes(uri)
    }

    fn at(&mut self, what: &str, uri: &str, line: usize, character: usize) -> Value {
        let position = json!({"line": line, "character": character});
        self.ask(&format!("textDocument/{what}"), json!({"textDocument": {"uri": uri}, "position": position}))
    }

    fn names(&mut self, uri: &str, line: usize, character: usize) -> Vec<String> {
        let found = self.at("completion", uri, line, character);
        found.as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap().to_owned()).collect()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.say("exit", Value::Null);
        assert_eq!(self.server.wait().unwrap().code(), Some(0));
    }
}

fn uri(folder: &Path, name: &str) -> String {
    format!("file://{}", folder.canonicalize().unwrap().join(name).display())
}

fn place(line: usize, from: usize, to: usize) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

#[cfg(unix)]
#[test]
fn an_editor_is_served() {
    let library = "-- A library.\ndef halved (x: f64) = x / 2\nmodule shapes = {\n  type shape = #circle f64\n  def area (s: shape) = match s case #circle r -> r * r\n}\n";
    let main = "\
import \"lib\"
-- é 😀
entry main [n] (point: {east: f64, north: f64}) (xs: [n]f64) =
  let total = f64.sum xs
  in halved (total + point.east)   -- sum
def other = shapes.area (#circle 2)
";
    let here = folder("served", &[("lib.fut", library), ("main.fut", main)]);
    let (file, lib) = (uri(&here, "main.fut"), uri(&here, "lib.fut"));
    let mut client = Client::start();
    assert_eq!(client.open(&file, main), [] as [Value; 0]);

    // Types where the cursor is.
    let hover = client.at("hover", &file, 3, 6);
    assert_eq!(hover["contents"]["value"], "```futhark\ntotal: f64\n```");
    assert_eq!(hover["range"], place(3, 6, 11));
    assert_eq!(client.at("hover", &file, 2, 50)["contents"]["value"], "```futhark\nxs: [n]f64\n```");
    assert_eq!(client.at("hover", &file, 4, 7)["contents"]["value"], "```futhark\nhalved: f64 -> f64\n```");
    assert_eq!(client.at("hover", &file, 1, 1), Value::Null);

    // Definitions: a variable, a parameter, another file, a member of a module there, the prelude, the file of an import.
    assert_eq!(client.at("definition", &file, 4, 15), json!({"uri": file, "range": place(3, 6, 11)}));
    assert_eq!(client.at("definition", &file, 4, 22), json!({"uri": file, "range": place(2, 16, 21)}));
    assert_eq!(client.at("definition", &file, 4, 6), json!({"uri": lib, "range": place(1, 4, 10)}));
    assert_eq!(client.at("definition", &file, 5, 21), json!({"uri": lib, "range": place(4, 6, 10)}));
    assert_eq!(client.at("definition", &file, 0, 10)["uri"], lib.as_str());
    let sum = client.at("definition", &file, 3, 19);
    let path = sum["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    let line = usize::try_from(sum["range"]["start"]["line"].as_u64().unwrap()).unwrap();
    assert!(std::fs::read_to_string(path).unwrap().lines().nth(line).unwrap().contains("def sum"));

    // An outline, and the layout.
    let outline = client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": file}}));
    let names: Vec<&str> = outline.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["main", "other"]);
    let edits = client.ask("textDocument/formatting", json!({"textDocument": {"uri": file}, "options": {}}));
    let expected = main.replace("   -- sum", " -- sum");
    assert_eq!(edits[0]["newText"], expected);
    assert_eq!(edits[0]["range"]["end"], json!({"line": 6, "character": 0}));

    // While a line is written: a mistake with its hint, and what can follow.
    let mistakes = client.change(&file, json!([{"range": place(4, 5, 32), "text": "point."}]));
    assert_eq!((&mistakes[0]["severity"], &mistakes[0]["code"]), (&1.into(), &"syntax".into()));
    assert!(client.names(&file, 4, 11).iter().any(|name| name == "north"));
    let mistakes = client.change(&file, json!([{"range": place(4, 5, 11), "text": "total + f64.s"}]));
    assert!(mistakes[0]["message"].as_str().unwrap().contains("unknown name"), "{mistakes:?}");
    let members = client.names(&file, 4, 18);
    assert!(["sum", "sqrt", "sin"].iter().all(|name| members.iter().any(|member| member == name)), "{members:?}");
    let all = client.names(&file, 4, 5);
    for name in ["total", "point", "xs", "n", "halved", "shapes", "other", "map", "f64", "let"] {
        assert!(all.iter().any(|known| known == name) || name == "other", "{name} is not in {all:?}");
    }
    assert_eq!(client.names(&file, 5, 26), ["circle"]);
    let mistakes = client.change(&file, json!([{"text": "entry main (x: i32): f64 = x\n"}]));
    assert_eq!(mistakes[0]["range"], place(0, 27, 28));
    assert!(mistakes[0]["message"].as_str().unwrap().ends_with("hint: convert it: `f64.i32 x`"), "{mistakes:?}");

    // What stands in another file that is open counts as it is there.
    assert_eq!(client.change(&file, json!([{"text": "import \"lib\"\ndef main = doubled 2\n"}])).len(), 1);
    assert_eq!(client.open(&lib, "def doubled (x: f64) = 2 * x\n"), [] as [Value; 0]);
    assert_eq!(client.mistakes(&file), [] as [Value; 0]);
    client.say("textDocument/didClose", json!({"textDocument": {"uri": lib}}));
    assert_eq!(client.mistakes(&lib), [] as [Value; 0]);
    assert_eq!(client.mistakes(&file).len(), 1);

    // What is not there is said, and the server goes on.
    assert_eq!(client.answered("textDocument/rename", json!({"textDocument": {"uri": file}}))["error"]["code"], -32601);
    assert_eq!(client.answered("nothing", json!(null))["error"]["code"], -32601);
    let unknown = json!({"textDocument": {"uri": "file:///nowhere.fut"}});
    assert_eq!(client.answered("textDocument/hover", unknown)["error"]["code"], -32602);
    client.end();
}

//! `repl`: declarations are kept, expressions are evaluated.
//!
//! Law: a line that is wrong changes nothing; no line ends the session but `:quit` and the end of the input.

use std::io::{BufRead, IsTerminal, Write};

use catadiff::futhark::core::{Program, Type};
use catadiff::futhark::files::Texts;
use catadiff::futhark::interpreter;
use catadiff::futhark::source::{Message, Name};
use catadiff::futhark::syntax::tree::{Declaration, DeclarationKind, Expression, File, ValueDeclaration};
use catadiff::futhark::syntax::{parse, parse_expression};
use catadiff::interpret::Limits;

use crate::answer::{Answer, Failure, tell};
use crate::arguments::Arguments;
use crate::cases::caught;

const HELP: &str = "\
declarations are kept: def square (x: f64) = x * x
expressions are evaluated: map square [1, 2, 3]
  :type EXPRESSION   the type of an expression
  :load FILE.fut     the declarations of a file, in the place of those known
  :help              this text
  :quit              the end
";

/// Expressions go by this name.
const IT: &str = "it";

struct Session {
    texts: Texts,
    known: File,
    limits: Limits,
}

/// See the table.
pub(crate) fn repl(arguments: &Arguments) -> Result<Answer, Failure> {
    let limits = arguments.limits()?;
    let mut session = Session { texts: Texts::default(), known: File::default(), limits };
    if !arguments.files.is_empty() {
        session.load(arguments.file()?).map_err(Failure::asked)?;
    }
    let stdin = std::io::stdin();
    let prompts = stdin.is_terminal();
    let mut out = std::io::stdout();
    let mut line = String::new();
    loop {
        if prompts {
            let _ = write!(out, "> ");
            let _ = out.flush();
        }
        line.clear();
        match stdin.lock().read_line(&mut line) {
            Ok(0) => return Ok(String::new().into()),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                tell("this line is not Unicode text\n");
                continue;
            }
            Err(error) => return Err(Failure::asked(format!("standard input cannot be read: {error}"))),
        }
        if matches!(line.trim(), ":quit" | ":q") {
            return Ok(String::new().into());
        }
        match session.answer(line.trim_end()) {
            // Nobody listens any more.
            Ok(text) if write!(out, "{text}").and_then(|()| out.flush()).is_err() => return Ok(String::new().into()),
            Ok(_) => {}
            Err(text) => tell(&format!("{}\n", text.trim_end())),
        }
    }
}

impl Session {
    fn answer(&mut self, line: &str) -> Result<String, String> {
        let words = line.trim();
        if words.is_empty() || words.starts_with("--") {
            return Ok(String::new());
        }
        if let Some(command) = words.strip_prefix(':') {
            let (command, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
            return match command {
                "help" | "h" => Ok(HELP.to_owned()),
                "type" | "t" => self.type_of(rest),
                "load" | "l" => self.load(rest.trim()).map(|()| String::new()),
                _ => Err(format!("there is no command `:{command}`; try `:help`")),
            };
        }
        let number = self.texts.sources.add("input", line);
        match (parse_expression(line, number), parse(line, number)) {
            (_, Ok(file)) => self.declare(file.declarations),
            (Ok(expression), Err(_)) => self.evaluate(expression),
            (Err(messages), Err(_)) if !declares(words) => Err(self.shown(&messages)),
            (Err(_), Err(messages)) => Err(self.shown(&messages)),
        }
    }

    fn shown(&self, messages: &[Message]) -> String {
        self.texts.sources.show_all(messages)
    }

    fn declare(&mut self, declarations: Vec<Declaration>) -> Result<String, String> {
        let mut file = self.known.clone();
        file.declarations.extend(declarations);
        let (_, warnings) = self.checked(&file)?;
        self.known = file;
        Ok(warnings)
    }

    /// The program, and warnings.
    fn checked(&mut self, file: &File) -> Result<(Program, String), String> {
        match self.texts.check(file) {
            Ok((program, warnings)) => Ok((program, self.shown(&warnings))),
            Err(messages) => Err(self.shown(&messages)),
        }
    }

    /// The program with an expression as an entry point or a definition.
    fn with(&mut self, expression: Expression, entry: bool) -> Result<Program, String> {
        let span = expression.span;
        let value = ValueDeclaration {
            entry,
            name: Name::from(IT),
            name_span: span,
            type_params: Vec::new(),
            params: Vec::new(),
            result: None,
            body: expression,
        };
        let mut file = self.known.clone();
        let kind = DeclarationKind::Value(Box::new(value));
        file.declarations.push(Declaration { kind, attributes: Vec::new(), span });
        Ok(self.checked(&file)?.0)
    }

    fn evaluate(&mut self, expression: Expression) -> Result<String, String> {
        // A function is shown by its type: it is no entry point if it has arguments.
        let program = self.with(expression.clone(), false)?;
        let of = type_of_it(&program)?;
        if matches!(of, Type::Function(_)) {
            return Ok(format!("{}\n", program.show(of)));
        }
        let program = self.with(expression, true)?;
        let results = caught(|| interpreter::run(&program, IT, &[], self.limits));
        let results = results.map_err(|message| self.texts.sources.show_placed(&message))?;
        Ok(results.iter().map(|value| format!("{value}\n")).collect())
    }

    fn type_of(&mut self, text: &str) -> Result<String, String> {
        let number = self.texts.sources.add("input", text);
        let expression = parse_expression(text, number).map_err(|messages| self.shown(&messages))?;
        let program = self.with(expression, false)?;
        Ok(format!("{}\n", program.show(type_of_it(&program)?)))
    }

    fn load(&mut self, path: &str) -> Result<(), String> {
        // A file may have changed since it was read last.
        let mut texts = Texts::default();
        let checked = texts.file(std::path::Path::new(path)).and_then(|(_, file)| {
            texts.check(&file)?;
            Ok(file)
        });
        let file = checked.map_err(|messages| texts.sources.show_all(&messages))?;
        self.texts = texts;
        self.known = (*file).clone();
        Ok(())
    }
}

fn type_of_it(program: &Program) -> Result<&Type, String> {
    let found = program.definitions.iter().rev().find(|defined| *defined.name == *IT);
    found.map(|defined| &defined.scheme.body).ok_or_else(|| "the expression was not checked".to_owned())
}

/// Whether a line looks like a declaration, so that its messages are about one.
fn declares(line: &str) -> bool {
    let first = line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    matches!(first, "def" | "entry" | "type" | "module" | "open" | "import" | "local") || line.starts_with("#[")
}

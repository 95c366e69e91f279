//! Test blocks: the comments of a program that say what it returns.
//!
//! Law: a block begins with a comment line `-- ==` and ends with its comment. What is in it is understood, or a message
//! shows its place (tests/language/values.rs).
//!
//! ```text
//! -- ==
//! -- tags { slow }
//! -- entry: f g
//! -- input { 1 [2.0, 3.0] }
//! -- output { 4.0 }
//! -- compiled random input { [10]f32 5i32 } auto output
//! -- input @ data/some.in output @ data/some.out
//! -- "far" slow input { 7i64 } error: out of bounds
//! ```

use super::random::Random;
use crate::futhark::core::{Entry, Prim, Program};
use crate::futhark::meaning::interface;
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::values::{Array, Reader};

/// What a block says.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its first line.
    pub span: Span,
    /// The words in `tags { … }`.
    pub tags: Vec<Name>,
    /// If the program is to be refused: what the message is to match, which may be nothing.
    pub refused: Option<String>,
    /// What warnings are to match.
    pub warnings: Vec<String>,
    /// The entries that the cases are of; `main` if the block names none.
    pub entries: Vec<Name>,
    /// What goes in and what comes out.
    pub cases: Vec<Case>,
}

/// A run of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Where its input is said.
    pub span: Span,
    /// Words before `input`: `compiled`, `nobench`, `notest`, `only_cuda`, and any other that distinguishes cases.
    pub words: Vec<Name>,
    /// A name in quotes.
    pub name: Option<Name>,
    /// What goes in.
    pub input: Input,
    /// What comes out.
    pub output: Output,
}

/// What goes in.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// These values.
    Values(Vec<Array>),
    /// These, some of which are to be drawn.
    Random(Vec<Draw>),
    /// The values in a file, by its path from the folder of the program.
    File(String),
    /// What a [script](super::script) gives; it is kept as written.
    Script(String),
    /// What the script in a file gives.
    ScriptFile(String),
}

/// A value of a random input.
#[derive(Debug, Clone, PartialEq)]
pub enum Draw {
    /// Given.
    Value(Array),
    /// To be drawn, of a shape and a kind.
    Type(Vec<usize>, Prim, Span),
}

/// What comes out.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// These values.
    Values(Vec<Array>),
    /// The values in a file.
    File(String),
    /// Whatever the reference meaning of the program gives.
    Auto,
    /// An error, whose message is to match this, which may be nothing.
    Error(String),
    /// Anything: the run is only to end well.
    Anything,
}

/// The values of a random input, for a seed.
///
/// # Errors
/// If one is too large.
pub fn draw(draws: &[Draw], seed: u64) -> Result<Vec<Array>, Box<Message>> {
    let mut random = Random::new(seed);
    draws
        .iter()
        .map(|draw| match draw {
            Draw::Value(value) => Ok(value.clone()),
            Draw::Type(shape, kind, at) => random.array(shape, *kind, *at),
        })
        .collect()
}

/// The blocks of a text; `file` is its number among the [`Sources`](crate::futhark::source::Sources).
///
/// ```
/// use catadiff::futhark::testing::blocks::{Output, blocks};
/// let text = "-- Adds.\n-- ==\n-- entry: add\n-- input { 1 2 }\n-- output { 3 }\nentry add x y = x + y : i32\n";
/// let found = blocks(text, 0).unwrap();
/// assert_eq!(*found[0].entries[0], *"add");
/// assert!(matches!(&found[0].cases[0].output, Output::Values(values) if values[0].to_string() == "3i32"));
/// ```
///
/// # Errors
/// A message for each block that is not understood.
pub fn blocks(text: &str, file: u32) -> Result<Vec<Block>, Vec<Message>> {
    read(text, file, None)
}

/// The test blocks of the text of a program that has been checked: numbers in an input that say no kind are of those that the
/// entry point takes.
///
/// # Errors
/// As for [`blocks`].
pub fn blocks_of(program: &Program, text: &str, file: u32) -> Result<Vec<Block>, Vec<Message>> {
    read(text, file, Some(program))
}

fn read(text: &str, file: u32, program: Option<&Program>) -> Result<Vec<Block>, Vec<Message>> {
    // The insides of comments, and nothing else, each byte at its place.
    let mut inside = vec![b' '; text.len()];
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let next = at + line.len();
        match line[indent..].strip_prefix("--") {
            Some(comment) if comment.trim() == "==" => starts.push((at + indent, next)),
            Some(comment) => {
                // The comment goes on with the block if it follows it at once.
                if let Some((_, end)) = starts.last_mut().filter(|(_, end)| *end == at) {
                    let start = at + indent + 2;
                    inside[start..start + comment.len()].copy_from_slice(comment.as_bytes());
                    *end = next;
                }
            }
            None => {}
        }
        at = next;
    }
    let mut found = Vec::new();
    let mut mistakes = Vec::new();
    for (start, end) in starts {
        let body = start + text[start..end].find('\n').map_or(end - start, |at| at + 1);
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { file, start: place(start), end: place(body) };
        let mut parser =
            Parser { reader: Reader::new(&inside[..end], body, file), bytes: &inside[..end], file, program };
        match parser.block(span, &mut found) {
            Ok(()) => {}
            Err(mistake) => mistakes.push(*mistake),
        }
    }
    if mistakes.is_empty() { Ok(found) } else { Err(mistakes) }
}

type Parse<T> = Result<T, Box<Message>>;

/// What words are made of.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-".contains(&byte)
}

struct Parser<'a> {
    reader: Reader<'a>,
    bytes: &'a [u8],
    file: u32,
    program: Option<&'a Program>,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, start: usize, text: impl Into<String>, hint: &str) -> Parse<T> {
        let mut message = self.reader.mistake(start, text);
        message.code = "test-block";
        message.hint = Some(hint.into());
        Err(message)
    }

    fn since(&self, start: usize) -> Span {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { file: self.file, start: place(start), end: place(self.reader.position()) }
    }

    fn word(&mut self) -> &'a str {
        self.reader.skip_space();
        self.reader.run_of(is_word)
    }

    /// Whether words from here on, and names in quotes, lead to `input`.
    fn marks(&self) -> bool {
        let mut ahead = self.reader.clone();
        loop {
            ahead.skip_space();
            if ahead.eat(b'"') {
                ahead.run_of(|byte| byte != b'"' && byte != b'\n');
                ahead.eat(b'"');
                continue;
            }
            match ahead.run_of(is_word) {
                "input" => return true,
                "" | "output" | "auto" | "error" | "tags" | "entry" | "structure" | "warning" => return false,
                _ => {}
            }
        }
    }

    /// The rest of the line.
    fn line(&mut self) -> &'a str {
        self.reader.run_of(|byte| byte != b'\n').trim()
    }

    /// All of a block; a second `entry:` begins another.
    fn block(&mut self, span: Span, found: &mut Vec<Block>) -> Parse<()> {
        let empty = |tags| Block {
            span,
            tags,
            refused: None,
            warnings: Vec::new(),
            entries: vec![Name::from("main")],
            cases: Vec::new(),
        };
        let mut block = empty(Vec::new());
        while !self.reader.at_end() {
            let start = self.reader.position();
            let mut words: Vec<Name> = Vec::new();
            let (mut name, mut marked) = (None, false);
            let word = loop {
                if self.reader.peek() == Some(b'"') {
                    name = Some(self.quoted()?);
                    self.reader.skip_space();
                    continue;
                }
                // A word of any kind may mark a case.
                self.reader.skip_space();
                marked = marked || self.marks();
                let word = self.word();
                if !marked || word == "input" {
                    break word;
                }
                words.push(word.into());
                self.reader.skip_space();
            };
            match word {
                "tags" => block.tags.extend(self.braces(start)?.split_whitespace().map(Name::from)),
                "entry" if self.reader.eat(b':') => {
                    let entries: Vec<Name> = self.line().split_whitespace().map(Name::from).collect();
                    if entries.is_empty() {
                        return self.fail(start, "no entry is named", "write `-- entry: main`");
                    }
                    if !block.cases.is_empty() {
                        let next = empty(block.tags.clone());
                        found.push(std::mem::replace(&mut block, next));
                    }
                    block.entries = entries;
                }
                "structure" => {
                    self.word();
                    self.braces(start)?;
                }
                "warning" if self.reader.eat(b':') => block.warnings.push(self.line().to_owned()),
                "error" if self.reader.eat(b':') => {
                    let pattern = self.line().to_owned();
                    match block.cases.last_mut() {
                        Some(case) if case.output == Output::Anything => case.output = Output::Error(pattern),
                        Some(_) => {
                            return self.fail(start, "this case has an output already", "an `error:` follows an input");
                        }
                        None => block.refused = Some(pattern),
                    }
                }
                "input" => {
                    let input = self.input(start, &words, &block.entries)?;
                    words.retain(|word| !matches!(&**word, "random" | "script"));
                    let (span, output) = (self.since(start), Output::Anything);
                    block.cases.push(Case { span, words, name, input, output });
                }
                "auto" => {
                    if self.word() != "output" {
                        return self.fail(start, "expected `auto output`", "it follows an input");
                    }
                    self.output(start, &mut block, Output::Auto)?;
                }
                "output" => {
                    let output = match self.path() {
                        Some(path) => Output::File(path),
                        None => Output::Values(self.values(start, &[], Reader::value)?),
                    };
                    self.output(start, &mut block, output)?;
                }
                _ => {
                    if word.is_empty() {
                        self.reader.run_of(|byte| !byte.is_ascii_whitespace());
                    }
                    let hint = "a block is made of `tags { … }`, `entry: …`, `input { … }`, `output { … }`, `auto output`, \
                                `error: …`, `structure { … }`; text before the line `-- ==` is free";
                    return self.fail(start, "this is not understood in a test block", hint);
                }
            }
        }
        found.push(block);
        Ok(())
    }

    fn output(&self, start: usize, block: &mut Block, output: Output) -> Parse<()> {
        match block.cases.last_mut() {
            Some(case) if case.output == Output::Anything => {
                case.output = output;
                Ok(())
            }
            Some(_) | None => {
                self.fail(start, "an output without an input", "write `input { … }` before `output { … }`")
            }
        }
    }

    /// The kinds of the values that the first of some entry points takes, as far as they are known.
    fn kinds(&self, entries: &[Name]) -> Vec<Prim> {
        let is_first = |entry: &&Entry| Some(&entry.name) == entries.first();
        let entry = self.program.and_then(|program| program.entries.iter().find(is_first));
        let params = entry.into_iter().flat_map(|entry| &entry.params);
        params.flat_map(|(_, of)| interface(of)).map(|(kind, _)| kind).collect()
    }

    fn input(&mut self, start: usize, words: &[Name], entries: &[Name]) -> Parse<Input> {
        let is_script = words.iter().any(|word| **word == *"script");
        if let Some(path) = self.path() {
            return Ok(if is_script { Input::ScriptFile(path) } else { Input::File(path) });
        }
        if is_script {
            return Ok(Input::Script(self.braces(start)?.trim().to_owned()));
        }
        if words.iter().any(|word| **word == *"random") {
            let file = self.file;
            return Ok(Input::Random(self.values(start, &[], |reader| random(reader, file))?));
        }
        let kinds = self.kinds(entries);
        Ok(Input::Values(self.values(start, &kinds, Reader::value)?))
    }

    /// `@ path`, of which no part is a space.
    fn path(&mut self) -> Option<String> {
        if !self.reader.eat(b'@') {
            return None;
        }
        self.reader.skip_space();
        Some(self.reader.run_of(|byte| !byte.is_ascii_whitespace()).to_owned()).filter(|path| !path.is_empty())
    }

    /// `{ … }`, of things read by `one`; numbers in them that say no kind are of these, as far as there are any.
    fn values<T>(&mut self, start: usize, kinds: &[Prim], one: impl Fn(&mut Reader<'a>) -> Parse<T>) -> Parse<Vec<T>> {
        if !self.reader.eat(b'{') {
            return self.fail(start, "expected `{` and values, or `@` and a path", "write `input { 1 2.0 }`");
        }
        let mut values = Vec::new();
        while !self.reader.eat(b'}') {
            if self.reader.at_end() {
                return self.fail(start, "this `{` is not closed in its comment", "write `}` behind the last value");
            }
            self.reader.want(kinds.get(values.len()).copied());
            values.push(one(&mut self.reader)?);
        }
        self.reader.want(None);
        Ok(values)
    }

    /// What stands in braces, which may nest.
    fn braces(&mut self, start: usize) -> Parse<&'a str> {
        if !self.reader.eat(b'{') {
            return self.fail(start, "expected `{`", "write `tags { … }`");
        }
        let (from, mut depth) = (self.reader.position(), 1_usize);
        loop {
            self.reader.run_of(|byte| byte != b'{' && byte != b'}');
            let at = self.reader.position();
            if self.reader.eat(b'{') {
                depth += 1;
            } else if self.reader.eat(b'}') {
                depth -= 1;
            } else {
                return self.fail(start, "this `{` is not closed in its comment", "write `}` at its end");
            }
            if depth == 0 {
                return Ok(std::str::from_utf8(&self.bytes[from..at]).unwrap_or(""));
            }
        }
    }

    /// A name in quotes.
    fn quoted(&mut self) -> Parse<Name> {
        let start = self.reader.position();
        self.reader.eat(b'"');
        let name = self.reader.run_of(|byte| byte != b'"' && byte != b'\n');
        if !self.reader.eat(b'"') {
            return self.fail(start, "this name is not closed", "a name ends with `\"` on its line");
        }
        Ok(Name::from(name))
    }
}

/// A type to draw a value of, or a value.
fn random(reader: &mut Reader<'_>, file: u32) -> Parse<Draw> {
    reader.skip_space();
    let start = reader.position();
    let mut ahead = reader.clone();
    if let Ok((shape, kind)) = ahead.type_of() {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { file, start: place(start), end: place(ahead.position()) };
        *reader = ahead;
        return Ok(Draw::Type(shape, kind, span));
    }
    reader.value().map(Draw::Value)
}

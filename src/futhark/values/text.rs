//! The text format: `5`, `1.5f32`, `f64.nan`, `true`, `[[1, 2], [3, 4]]`, `"text"`, `empty([0][3]f32)`.
//!
//! Law: the first element of an array says the kind of all: by its suffix; without one, an integer is an `i32` and a
//! number with a fraction an `f64`. An integer with a suffix may be given by its bits, as `200i8` and `-1u8`. Rows of one dimension have one length. Reading does not recurse
//! (tests/language/values.rs).

use core::fmt;

use super::binary::read as read_binary;
use super::{Array, Data};
use crate::array::Const;
use crate::futhark::core::Prim;
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::syntax::tree::Literal;
use crate::futhark::syntax::{number, real_of, shortened, unescape, whole_real};
use crate::interpret::count;

/// The most dimensions an array can have.
const DIMENSIONS: usize = 255;

type Read<T> = Result<T, Box<Message>>;

/// A position in an input.
#[derive(Clone)]
pub(in crate::futhark) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    file: u32,
    /// The kind of numbers that do not say one, if it is known.
    wanted: Option<Prim>,
}

/// A scalar, before the array around it says its kind.
enum Scalar {
    Bool(bool),
    /// Digits and whether a minus stands before them.
    Number(Literal, bool),
    /// Infinite or not a number.
    Special(f64, Prim),
}

impl Scalar {
    /// The kind it says it is of, and whether it insists on that; if it says none, the one that is wanted, if it can be
    /// of that.
    fn kind(&self, wanted: Option<Prim>) -> (Prim, bool) {
        let named = |suffix: &Option<Name>, otherwise: Prim| match suffix {
            Some(suffix) => (Prim::named(suffix).expect("the suffix of a number is a kind"), true),
            None => {
                let able = |kind: &Prim| kind.is_real() || otherwise.is_integer() && kind.is_integer();
                (wanted.filter(able).unwrap_or(otherwise), false)
            }
        };
        match self {
            Scalar::Bool(_) => (Prim::Bool, true),
            Scalar::Special(_, kind) => (*kind, true),
            Scalar::Number(Literal::Integer(_, suffix), _) => named(suffix, Prim::I32),
            Scalar::Number(Literal::Real(_, suffix), _) => named(suffix, Prim::F64),
            Scalar::Number(Literal::Bool(_) | Literal::Character(_) | Literal::Text(_), _) => {
                unreachable!("a number is an integer or a real")
            }
        }
    }
}

impl<'a> Reader<'a> {
    /// Reads from a place on.
    pub(in crate::futhark) fn new(bytes: &'a [u8], at: usize, file: u32) -> Self {
        Reader { bytes, at, file, wanted: None }
    }

    /// From here on, numbers that say no kind are of this one, if they can be.
    pub(in crate::futhark) fn want(&mut self, kind: Option<Prim>) {
        self.wanted = kind;
    }

    /// Where it stands.
    pub(in crate::futhark) fn position(&self) -> usize {
        self.at
    }

    /// What is wrong from a place up to here.
    pub(in crate::futhark) fn mistake(&self, start: usize, text: impl Into<String>) -> Box<Message> {
        let end = self.at.max(start + 1).min(self.bytes.len());
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Box::new(Message::error("value", Span { file: self.file, start: place(start), end: place(end) }, text))
    }

    /// The next byte.
    pub(in crate::futhark) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next `length` bytes, if there are that many.
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.bytes[self.at..].get(..length)?;
        self.at += length;
        Some(taken)
    }

    /// Takes this byte after space, if it is there.
    pub(in crate::futhark) fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The bytes from here on that are of a kind.
    pub(in crate::futhark) fn run_of(&mut self, within: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|&&byte| within(byte)).count();
        self.at += length;
        std::str::from_utf8(&rest[..length]).unwrap_or("")
    }

    /// Space and comments.
    pub(in crate::futhark) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte.is_ascii_whitespace() {
                self.at += 1;
            } else if byte == b'-' && self.bytes.get(self.at + 1) == Some(&b'-') {
                self.at += self.bytes[self.at..].iter().take_while(|&&byte| byte != b'\n').count();
            } else {
                return;
            }
        }
    }

    /// Whether nothing but space is left.
    pub(in crate::futhark) fn at_end(&mut self) -> bool {
        self.skip_space();
        self.at >= self.bytes.len()
    }

    /// What the next piece is called in messages.
    fn found(&self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count().clamp(1, 20);
        match rest.get(..length) {
            Some(piece) => format!("`{}`", String::from_utf8_lossy(piece).escape_debug()),
            None => "the end of the input".to_owned(),
        }
    }

    /// One value.
    pub(in crate::futhark) fn value(&mut self) -> Read<Array> {
        self.skip_space();
        let start = self.at;
        match self.peek() {
            // No word of the text format begins so.
            Some(b'b') => read_binary(self),
            Some(b'[') => self.array(),
            Some(b'"') => self.text(),
            Some(b'e') => self.empty(),
            _ => {
                let scalar = self.scalar()?;
                let (kind, _) = scalar.kind(self.wanted);
                let value = constant(kind, &scalar).map_err(|wrong| self.mistake(start, wrong))?;
                Ok(Array { shape: Vec::new(), data: Data::of_constants(kind, core::iter::once(value)) })
            }
        }
    }

    fn scalar(&mut self) -> Read<Scalar> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let word = self.scalar_word();
        if matches!(word, "true" | "false") && !negative {
            return Ok(Scalar::Bool(word == "true"));
        }
        let special = word.split_once('.').and_then(|(kind, name)| {
            let value = match name {
                "inf" => f64::INFINITY,
                "nan" => f64::NAN,
                _ => return None,
            };
            Some((value, Prim::named(kind).filter(|kind| kind.is_real())?))
        });
        if let Some((value, kind)) = special {
            return Ok(Scalar::Special(if negative { -value } else { value }, kind));
        }
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            self.at = start;
            let found = self.found();
            let message = self.mistake(start, format!("expected a value, found {found}"));
            let hint = "values are `1`, `2.5f32`, `true`, `f64.nan`, `[1, 2]`, `\"text\"`, `empty([0]i32)`";
            return Err(Box::new(message.hint(hint)));
        }
        match number(word) {
            Ok(literal) => Ok(Scalar::Number(literal, negative)),
            Err(wrong) => Err(self.mistake(start, wrong)),
        }
    }

    /// The letters, digits and points of a number or a name, with the sign of a power.
    fn scalar_word(&mut self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let hexadecimal = matches!(rest, [b'0', b'x' | b'X', ..]);
        let mut length = 0;
        while let Some(&byte) = rest.get(length) {
            let power = length > 0 && matches!(rest[length - 1], b'e' | b'E' | b'p' | b'P');
            let exponent = power && (matches!(rest[length - 1], b'p' | b'P') || !hexadecimal);
            let sign = matches!(byte, b'+' | b'-') && exponent && rest[0].is_ascii_digit();
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign) {
                break;
            }
            length += 1;
        }
        self.at += length;
        std::str::from_utf8(&rest[..length]).unwrap_or("")
    }

    /// `[a, b]`, of any rank.
    fn array(&mut self) -> Read<Array> {
        let start = self.at;
        // The elements so far in each dimension that is open, and the sizes of those that were closed.
        let (mut open, mut shape): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
        let mut data: Option<Data> = None;
        loop {
            self.skip_space();
            let here = self.at;
            if self.eat(b'[') {
                if open.len() == DIMENSIONS || data.is_some() && open.len() == shape.len() {
                    return Err(self.mistake(here, "this row has more dimensions than those before it"));
                }
                open.push(0);
                if open.len() > shape.len() {
                    shape.push(None);
                }
                continue;
            }
            if self.peek() == Some(b']') {
                let message = self.mistake(here, "the elements of an empty array have no type here");
                return Err(Box::new(message.hint("write `empty([0]f64)`, or `empty([0][3]f64)`")));
            }
            let scalar = self.scalar()?;
            if open.len() < shape.len() {
                return Err(self.mistake(here, "expected a row, as before it, found a single value"));
            }
            let (kind, insists) = scalar.kind(self.wanted);
            let data = data.get_or_insert_with(|| Data::none(kind));
            if insists && kind != data.kind() {
                let text = format!(
                    "this element is of type {kind}, the first of type {}",
                    data.kind().name(),
                    kind = kind.name()
                );
                let message = self.mistake(here, text);
                return Err(Box::new(
                    message.hint("the first element of an array says the type of all, by its suffix"),
                ));
            }
            data.push(constant(data.kind(), &scalar).map_err(|wrong| self.mistake(here, wrong))?);
            // All that ends with this element.
            loop {
                let Some(filled) = open.last_mut() else { unreachable!("an element stands in a row") };
                *filled += 1;
                let filled = *filled;
                if self.eat(b',') {
                    break;
                }
                if !self.eat(b']') {
                    let found = self.found();
                    let here = self.at;
                    let message = self.mistake(here, format!("expected `,` or `]`, found {found}"));
                    return Err(Box::new(message.hint(format!("the array began at byte {start}"))));
                }
                open.pop();
                match &mut shape[open.len()] {
                    Some(size) if *size != filled => {
                        let text = format!("this row has {filled} elements, those before it {size}");
                        return Err(self.mistake(self.at - 1, text));
                    }
                    size => *size = Some(filled),
                }
                if open.is_empty() {
                    let shape = shape.into_iter().map(|size| size.unwrap_or(0)).collect();
                    return Ok(Array { shape, data: data.clone() });
                }
            }
        }
    }

    /// `"text"`, which is an array of bytes.
    fn text(&mut self) -> Read<Array> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None | Some(b'\n') => return Err(self.mistake(start, "this text is not closed")),
                Some(b'"') => break,
                Some(b'\\') => self.at = (self.at + 2).min(self.bytes.len()),
                Some(_) => self.at += 1,
            }
        }
        let inside = std::str::from_utf8(&self.bytes[start + 1..self.at]).ok().and_then(unescape);
        self.at += 1;
        match inside {
            Some(inside) => Ok(Array::vector(inside.into_bytes())),
            None => Err(self.mistake(start, "this text has an unknown escape, or is not UTF-8")),
        }
    }

    /// `empty([0][3]f32)`.
    fn empty(&mut self) -> Read<Array> {
        let start = self.at;
        let word = self.run_of(|byte| byte.is_ascii_alphanumeric());
        if word != "empty" || !self.eat(b'(') {
            return Err(self.mistake(start, "expected a value; an array without elements is `empty([0]f64)`"));
        }
        let (shape, kind) = self.type_of()?;
        if !self.eat(b')') {
            let found = self.found();
            return Err(self.mistake(self.at, format!("expected `)`, found {found}")));
        }
        if count(&shape) != Some(0) {
            return Err(self.mistake(start, "an empty array has a size of 0"));
        }
        Ok(Array { shape, data: Data::none(kind) })
    }

    /// A type with its sizes, such as `[10][3]f32`.
    pub(in crate::futhark) fn type_of(&mut self) -> Read<(Vec<usize>, Prim)> {
        let mut shape = Vec::new();
        while self.eat(b'[') {
            self.skip_space();
            let here = self.at;
            let size = self.run_of(|byte| byte.is_ascii_digit() || byte == b'_').replace('_', "").parse();
            let suffix = self.run_of(|byte| byte.is_ascii_alphanumeric());
            match size {
                Ok(size) if matches!(suffix, "" | "i64") && shape.len() < DIMENSIONS => shape.push(size),
                Ok(_) | Err(_) => return Err(self.mistake(here, "expected a size")),
            }
            if !self.eat(b']') {
                return Err(self.mistake(self.at, "expected `]`"));
            }
        }
        self.skip_space();
        let here = self.at;
        let word = self.run_of(|byte| byte.is_ascii_alphanumeric());
        match Prim::named(word) {
            Some(kind) => Ok((shape, kind)),
            None => {
                let text = format!("expected the name of a kind of scalar, found `{word}`");
                Err(Box::new(self.mistake(here, text).hint("these are i8 to i64, u8 to u64, f16, f32, f64 and bool")))
            }
        }
    }
}

/// A scalar of a kind; otherwise why it is none.
fn constant(kind: Prim, scalar: &Scalar) -> Result<Const, String> {
    let real = |value: f64, negative: bool| Ok(Const::rounded(if negative { -value } else { value }, kind));
    match scalar {
        Scalar::Bool(value) if kind == Prim::Bool => Ok(Const::Bool(*value)),
        Scalar::Special(value, _) if kind.is_real() => real(*value, false),
        Scalar::Number(Literal::Real(digits, _), negative) if kind.is_real() => {
            let (shown, name) = (shortened(digits), kind.name());
            let large = || format!("{shown} does not fit into {name}: infinity is {name}.inf");
            real(real_of(kind, digits).ok_or_else(large)?, *negative)
        }
        Scalar::Number(Literal::Integer(n, _), negative) if kind.is_real() => real(whole_real(kind, *n), *negative),
        Scalar::Number(Literal::Integer(n, suffix), negative) if kind.is_integer() => {
            let n = if *negative { -n } else { *n };
            let (mut least, mut most) = kind.bounds();
            if suffix.is_some() {
                // What says its kind may be given by its bits: `200i8` is -56, and `-1u8` is 255.
                (least, most) = (-(1 << (kind.bits() - 1)), (1 << kind.bits()) - 1);
            }
            let fits = (least..=most).contains(&n);
            if fits { Ok(Const::wrapped(n, kind)) } else { Err(format!("{n} does not fit into {}", kind.name())) }
        }
        Scalar::Bool(_) | Scalar::Special(..) | Scalar::Number(..) => {
            Err(format!("expected a value of type {}", kind.name()))
        }
    }
}

/// As text.
pub(super) fn write(value: &Array, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Array { shape, data } = value;
    if shape.contains(&0) {
        return write!(f, "empty({})", value.type_name());
    }
    let kind = data.kind().name();
    for (at, element) in data.constants().into_iter().enumerate() {
        // How many dimensions begin, and end, at this element.
        let (mut inner, mut begin, mut end) = (1, 0, 0);
        for size in shape.iter().rev() {
            inner *= size;
            begin += usize::from(at % inner == 0);
            end += usize::from((at + 1) % inner == 0);
        }
        write!(f, "{}{}", if at == 0 { "" } else { ", " }, "[".repeat(begin))?;
        match element.real() {
            Some(x) if x.is_nan() => write!(f, "{kind}.nan")?,
            _ => write!(f, "{element}")?,
        }
        f.write_str(&"]".repeat(end))?;
    }
    Ok(())
}

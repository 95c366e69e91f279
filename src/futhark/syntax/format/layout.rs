//! Where lines are broken, how far from the left each begins, and what space stands between the tokens of a line.
//!
//! Law: tokens stay in their order, and those that touched where that says something still do. What was laid out is left as it is: every
//! line is as wide as allowed, or nothing is left in it that could be broken (tests/language/format.rs).

use super::WIDTH;
use super::frames::{Form, Frame, Frames};
use super::pieces::Pieces;
use crate::futhark::syntax::token::Kind;

/// The text that the pieces are.
pub(super) fn laid_out(pieces: &Pieces<'_>, frames: &Frames) -> String {
    let mut layout = Layout::new(pieces, frames);
    layout.place();
    layout.written()
}

/// How far a function reaches whose arguments stand under one another behind it.
const FAR: usize = 20;

struct Layout<'p, 't> {
    pieces: &'p Pieces<'t>,
    frames: &'p [Frame],
    /// For each token, the innermost frame that began before it.
    around: Vec<Option<usize>>,
    /// How many frames are around each frame.
    depth: Vec<usize>,
    /// Where the body of a declaration, a binding or a function begins, by frame.
    body: Vec<Option<usize>>,
    /// The frame that is broken before a token, if it is broken.
    breaks: Vec<Option<usize>>,
    broken: Vec<bool>,
    /// All arguments but the first, by frame.
    others: Vec<Vec<usize>>,
    spaces: Vec<bool>,
    /// How far from the left each token begins, and its line.
    column: Vec<usize>,
    indent: Vec<usize>,
    /// The token that begins its line.
    line: Vec<usize>,
}

impl<'p, 't> Layout<'p, 't> {
    fn new(pieces: &'p Pieces<'t>, found: &'p Frames) -> Self {
        let (count, frames) = (pieces.len(), &found.frames[..]);
        let mut layout = Layout {
            pieces,
            frames,
            around: vec![None; count],
            depth: vec![0; frames.len()],
            body: vec![None; frames.len()],
            breaks: vec![None; count],
            broken: pieces.gaps.iter().map(|gap| gap.broken).collect(),
            others: vec![Vec::new(); frames.len()],
            spaces: Vec::new(),
            column: vec![0; count],
            indent: vec![0; count],
            line: vec![0; count],
        };
        found.lines.iter().for_each(|at| layout.broken[*at] = *at == 0 || !layout.stands_inside(*at));
        layout.nest();
        layout.find_breaks(found);
        layout.spaces = (0..count).map(|at| layout.space(at)).collect();
        found
            .apart
            .iter()
            .chain(&found.generic)
            .for_each(|at| layout.spaces[*at] |= !pieces.opens(at.saturating_sub(1)));
        for &(first, last) in &found.operators {
            // An index such as `n-1` may be written closely.
            let close = pieces.gaps[first].touches && pieces.gaps[last + 1].touches && layout.is_index(first);
            layout.spaces[first] = !close;
            layout.spaces[last + 1] = !close;
        }
        layout
    }

    /// Whether a declaration stands on one line with the braces around it, as in `{ type t }`, and so stays there.
    fn stands_inside(&self, at: usize) -> bool {
        !self.pieces.gaps[at].broken && self.pieces.kind(at - 1) == Kind::OpenBrace
    }

    /// Finds what is around what.
    fn nest(&mut self) {
        let (mut open, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
        for at in 0..self.pieces.len() {
            while open.last().is_some_and(|frame| self.frames[*frame].last < at) {
                open.pop();
            }
            self.around[at] = open.last().copied();
            while self.frames.get(next).is_some_and(|frame| frame.first == at) {
                self.depth[next] = open.len();
                open.push(next);
                next += 1;
            }
        }
    }

    /// Finds where each frame may be broken.
    fn find_breaks(&mut self, found: &Frames) {
        for at in 0..self.pieces.len() {
            let Some(frame) = self.around[at] else { continue };
            let within = at < self.frames[frame].last;
            match (self.frames[frame].form, self.pieces.kind(at)) {
                (Form::Declaration | Form::Binding, Kind::Equals) if within && self.body[frame].is_none() => {
                    self.body[frame] = Some(at + 1);
                    if !self.is_module(at + 1) {
                        self.breaks[at + 1] = Some(frame);
                    }
                }
                (Form::Lambda, Kind::Arrow) | (Form::Loop, Kind::Do) if within && self.body[frame].is_none() => {
                    self.body[frame] = Some(at + 1);
                    self.breaks[at + 1] = Some(frame);
                }
                (Form::Brackets, Kind::Comma) if within => self.breaks[at + 1] = Some(frame),
                (Form::Chain, Kind::In | Kind::Let)
                | (Form::If, Kind::Then | Kind::Else)
                | (Form::Match, Kind::Case)
                | (Form::With, Kind::With)
                | (Form::Operators, Kind::Arrow) => self.breaks[at] = Some(frame),
                (Form::Operators, Kind::Operator) if self.pieces.shown(at) == "|" => self.breaks[at] = Some(frame),
                _ => {}
            }
        }
        for (first, _) in &found.operators {
            self.breaks[*first] = self.around[*first];
        }
        for at in &found.apart {
            if let Some(frame) = self.around[*at]
                && matches!(self.frames[frame].form, Form::Apply(argument) if argument < *at)
            {
                self.breaks[*at] = Some(frame);
                self.others[frame].push(*at);
            }
        }
    }

    /// Whether what stands here is within the brackets of an index, a size or an array.
    fn is_index(&self, at: usize) -> bool {
        let mut around = self.around[at];
        while let Some(frame) = around {
            let Frame { first, form, .. } = self.frames[frame];
            if form == Form::Brackets {
                return self.pieces.kind(first) == Kind::OpenBracket;
            }
            around = self.around[first];
        }
        false
    }

    /// Whether these are braces of a module or of a module type, with something in them.
    fn is_module(&self, at: usize) -> bool {
        use Kind::{
            CloseBrace, Def, Entry, Import, Include, Let, Local, Module, OpenAttribute, OpenBrace, OpenModule, Type,
            Val,
        };
        let begins = [Def, Entry, Import, Include, Let, Local, Module, OpenAttribute, OpenModule, Type, Val];
        matches!(self.pieces.kind(at), OpenBrace | CloseBrace)
            && self.pieces.partner(at).is_some_and(|partner| begins.contains(&self.pieces.kind(at.min(partner) + 1)))
    }

    /// Whether a space stands before a token, if it is on the line of the one before.
    fn space(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let (left, right) = (self.pieces.kind(before), self.pieces.kind(at));
        let written = !self.pieces.gaps[at].touches;
        let opens = self.pieces.opens(before);
        // Commas that begin lines stand under a bracket, and what they are between further to the right.
        let leads = |bracket: usize| {
            let frame = self.around[bracket + 1].filter(|frame| self.frames[*frame].first == bracket);
            let mut commas =
                (bracket..self.pieces.partner(bracket).unwrap_or(bracket)).filter(|at| self.around[*at] == frame);
            commas.any(|at| self.pieces.kind(at) == Kind::Comma && self.broken[at])
        };
        let leads = &leads;
        if self.is_module(before) && opens || self.is_module(at) && self.pieces.closes(at) || opens && leads(before) {
            return true;
        }
        let word = |kind: Kind| kind.is_keyword() && !matches!(kind, Kind::True | Kind::False);
        let stands_apart = |kind: Kind| matches!(kind, Kind::Equals | Kind::Arrow | Kind::Coerce);
        if self.pieces.closes(at) && self.pieces.partner(at).is_some_and(leads) {
            return written;
        }
        if opens || self.pieces.closes(at) || right == Kind::Comma || left == Kind::Backslash {
            return false;
        }
        // `type^ t` says what may be in the type.
        if left == Kind::Type && matches!(right, Kind::Operator | Kind::Tilde) {
            return written;
        }
        if left == Kind::Comma || word(left) || word(right) || stands_apart(left) || stands_apart(right) {
            return true;
        }
        if left == Kind::Colon && !self.is_index(before) {
            return true;
        }
        written
    }

    /// Finds the column of every token, and breaks what is too long.
    fn place(&mut self) {
        let mut start = 0;
        while start < self.pieces.len() {
            self.broken[start] = true;
            let indent = self.beginning(start);
            let mut end = start;
            let mut column = indent;
            while end < self.pieces.len() && (end == start || !self.broken[end]) {
                column += usize::from(end > start && self.spaces[end]);
                (self.column[end], self.indent[end], self.line[end]) = (column, indent, start);
                column += self.pieces.shown(end).chars().count();
                end += 1;
            }
            let outermost = (start + 1..end).filter_map(|at| self.breaks[at]).min_by_key(|frame| self.depth[*frame]);
            let is_array = |frame: usize| {
                let Frame { first, form, .. } = self.frames[frame];
                form == Form::Brackets && self.pieces.kind(first) == Kind::OpenBracket
            };
            match outermost.filter(|_| column > WIDTH) {
                // As many elements of an array stand on a line as there is room for.
                Some(frame) if is_array(frame) => {
                    let ends = |at: usize| self.column[at - 1] + self.pieces.shown(at - 1).chars().count();
                    let mut breaks = (start + 1..end).filter(|at| self.breaks[*at] == Some(frame));
                    let first = breaks.next();
                    let at =
                        breaks.take_while(|at| ends(*at) <= WIDTH).last().or(first).expect("it is among the breaks");
                    self.broken[at] = true;
                    self.breaks[at] = None;
                }
                Some(frame) => {
                    let last = self.frames[frame].last;
                    for at in start + 1..=last {
                        if self.breaks[at] == Some(frame) {
                            self.broken[at] = true;
                            self.breaks[at] = None;
                        }
                    }
                    // Arguments that now have lines of their own may all stand further to the right.
                    start = self.line[self.frames[frame].first].min(start);
                }
                None => start = end,
            }
        }
    }

    /// How far from the left the line begins that begins with this token.
    fn beginning(&self, at: usize) -> usize {
        let Some(frame) = self.around[at] else { return 0 };
        let Frame { first, form, .. } = self.frames[frame];
        let (column, kind) = (self.column[first], self.pieces.kind(at));
        let words: &[Kind] = match form {
            // What follows an `in` at the end of a line stands where the next `let` would.
            Form::Chain if at > 0 && self.pieces.kind(at - 1) == Kind::In && !self.broken[at - 1] => return column,
            Form::Chain => &[Kind::Let, Kind::In],
            Form::If => &[Kind::Then, Kind::Else],
            Form::Match => &[Kind::Case],
            Form::Loop => &[Kind::Do],
            Form::Declaration if self.body[frame].is_none_or(|body| at + 1 < body) => {
                use Kind::{Def, Entry, Let, Local, Module, OpenModule, Type};
                let begins = [Def, Entry, Let, Local, Module, OpenModule, Type].contains(&kind);
                // Parameters stand further to the right than the body.
                let further = if self.body[frame].is_some() { 4 } else { 2 };
                return column + if begins { 0 } else { further };
            }
            Form::Operators => {
                // Bars stand under the `=` that begins a line before them.
                let bar = kind == Kind::Operator && self.pieces.shown(at) == "|";
                let under = first > 0 && bar && self.pieces.kind(first - 1) == Kind::Equals && self.broken[first - 1];
                return self.column[if under { first - 1 } else { first }];
            }
            Form::Apply(argument) => {
                // Under the first, if each has a line of its own, and there is room.
                let under = argument < at && !self.broken[argument] && self.column[argument] <= column + FAR;
                return if under && self.others[frame].iter().all(|at| self.broken[*at]) {
                    self.column[argument]
                } else {
                    column + 2
                };
            }
            Form::Brackets => {
                let hanging = self.broken[first + 1];
                let outside = if hanging { self.indent[first] } else { column };
                return match () {
                    () if self.pieces.closes(at) || kind == Kind::Comma => outside,
                    () if hanging => outside + 2,
                    () => self.column[first + 1],
                };
            }
            Form::Declaration | Form::Binding | Form::Lambda | Form::With | Form::Other => &[],
        };
        if words.contains(&kind) { column } else { column + 2 }
    }

    fn written(&self) -> String {
        let mut text = String::new();
        for (at, gap) in self.pieces.gaps.iter().enumerate() {
            let is_end = at == self.pieces.len();
            if let Some(comment) = gap.trailing {
                text.push(' ');
                text.push_str(comment);
            }
            let broken = is_end || self.broken[at];
            let column = if is_end { 0 } else { self.column[at] };
            if !broken {
                text.push_str(if self.spaces[at] { " " } else { "" });
            } else if !text.is_empty() {
                text.push('\n');
            }
            // What stands before a bracket that closes is said of what is within.
            let aside = column + if !is_end && self.pieces.closes(at) { 2 } else { 0 };
            for (blank, comment) in &gap.comments {
                text.push_str(if *blank && !text.is_empty() { "\n" } else { "" });
                text.extend(std::iter::repeat_n(' ', aside));
                text.push_str(comment);
                text.push('\n');
            }
            if is_end {
                break;
            }
            if broken {
                text.push_str(if gap.blank && !text.is_empty() { "\n" } else { "" });
                text.extend(std::iter::repeat_n(' ', column));
            }
            text.push_str(self.pieces.shown(at));
        }
        text
    }
}

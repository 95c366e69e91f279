//! Laws of pictures: boxes and edges are in their places, markup is well formed, and nothing is omitted.
//!
//! Law: boxes overlap only if one is inside of the other; an edge leaves the lower side of a box, enters the upper side
//! of one beside it in the same frame, goes down all the way and passes through no box; SVG is well-formed XML, DOT and
//! LaTeX are balanced (tests/scalar/drawings.rs).

use catadiff::array::Program;
use catadiff::draw::{Drawing, Route, Shape};

use crate::array_programs::ArrayProgram;
use crate::violation::{Verdict, Violation};

/// How far a side may be off, for the digits that the text of a picture leaves out.
const TOLERANCE: f64 = 1e-6;

fn broken(law: &str, left: impl ToString, right: impl ToString) -> Verdict {
    let (left, right) = (left.to_string(), right.to_string());
    Err(Violation { law: law.to_owned(), instances: Vec::new(), left, right })
}

/// Whether a box is within another, or within a picture of this size.
fn within(inner: &Shape, left: f64, top: f64, width: f64, height: f64) -> bool {
    inner.left >= left - TOLERANCE
        && inner.top >= top - TOLERANCE
        && inner.left + inner.width <= left + width + TOLERANCE
        && inner.top + inner.height <= top + height + TOLERANCE
}

fn overlap(a: &Shape, b: &Shape) -> bool {
    a.left + a.width > b.left + TOLERANCE
        && b.left + b.width > a.left + TOLERANCE
        && a.top + a.height > b.top + TOLERANCE
        && b.top + b.height > a.top + TOLERANCE
}

/// Boxes are inside of the picture and of what they are said to be inside of, have room for their text, and overlap no other.
///
/// # Errors
/// The violation.
pub fn boxes(drawing: &Drawing) -> Verdict {
    let Drawing { width, height, boxes, .. } = drawing;
    for (number, shape) in boxes.iter().enumerate() {
        let (left, top, width, height) = match shape.inside {
            Some(outer) if outer >= number => return broken("a box comes after the box around it", number, outer),
            Some(outer) => {
                let outer = &boxes[outer];
                (outer.left, outer.top, outer.width, outer.height)
            }
            None => (0.0, 0.0, *width, *height),
        };
        if !within(shape, left, top, width, height) {
            let outer = format!("{left} {top} {width} {height}");
            return broken("a box is inside of what it is said to be inside of", format!("{shape:?}"), outer);
        }
        let longest = shape.lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
        if shape.width < 7.0 * longest as f64 || shape.height < 14.0 * shape.lines.len() as f64 {
            return broken("a box has room for its text", format!("{shape:?}"), longest);
        }
        let beside = boxes[..number].iter().filter(|other| other.inside == shape.inside);
        if let Some(other) = beside.into_iter().find(|other| overlap(other, shape)) {
            return broken("boxes side by side do not overlap", format!("{other:?}"), format!("{shape:?}"));
        }
    }
    Ok(())
}

/// Edges begin and end on boxes of one frame, go down, and pass through no box of it.
///
/// # Errors
/// The violation.
pub fn edges(drawing: &Drawing) -> Verdict {
    for Route { from, to, points, fresh } in &drawing.edges {
        let (from, to) = (&drawing.boxes[*from], &drawing.boxes[*to]);
        let on = |shape: &Shape, side: f64, (x, y): (f64, f64)| {
            (y - side).abs() < TOLERANCE && x > shape.left - TOLERANCE && x < shape.left + shape.width + TOLERANCE
        };
        let begins = points.first().is_some_and(|point| on(from, from.top + from.height, *point));
        let ends = points.last().is_some_and(|point| on(to, to.top, *point));
        if !begins || !ends || from.inside != to.inside || *fresh + 1 >= points.len() {
            return broken(
                "an edge begins on a box and ends on one beside it",
                format!("{points:?}"),
                format!("{from:?} {to:?}"),
            );
        }
        let beside: Vec<&Shape> = drawing.boxes.iter().filter(|shape| shape.inside == from.inside).collect();
        for (number, pair) in points.windows(2).enumerate() {
            let ((x, y), (x_next, y_next)) = (pair[0], pair[1]);
            if y_next < y - TOLERANCE || (number % 2 == 0 && (x - x_next).abs() > TOLERANCE) {
                return broken("an edge goes down, and straight where boxes are", format!("{points:?}"), number);
            }
            // A curve stays within the box of its ends.
            let covered = Shape {
                left: x.min(x_next),
                top: y,
                width: (x - x_next).abs(),
                height: y_next - y,
                inside: None,
                role: from.role,
                lines: Vec::new(),
            };
            let thick =
                Shape { left: covered.left - 2.0 * TOLERANCE, width: covered.width + 4.0 * TOLERANCE, ..covered };
            if let Some(hit) = beside.iter().find(|shape| overlap(shape, &thick)) {
                return broken("an edge passes through no box", format!("{points:?}"), format!("{hit:?}"));
            }
        }
    }
    Ok(())
}

/// A text is XML: tags are closed in the order in which they were opened, attributes are quoted, and `&` and `<` stand for nothing else.
///
/// # Errors
/// The violation.
pub fn markup(text: &str) -> Verdict {
    const LAW: &str = "the text is well-formed XML";
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        let ended = before.match_indices('&').all(|(at, _)| {
            let name = before[at + 1..].split(';').next().unwrap_or("");
            ["amp", "lt", "gt", "quot"].contains(&name)
        });
        let Some(end) = tag.find('>') else { return broken(LAW, tag, "a tag has an end") };
        let inside = &tag[1..end];
        if !ended || before.chars().any(|c| c < ' ' && c != '\n') {
            return broken(LAW, before, "text is escaped");
        }
        if let Some(name) = inside.strip_prefix('/') {
            if open.pop() != Some(name) {
                return broken(LAW, inside, "the tag that was opened last is closed first");
            }
        } else {
            let (inside, alone) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
            let name = inside.split(' ').next().unwrap_or("");
            let quoted: Vec<&str> = inside[name.len()..].split('"').collect();
            let named =
                quoted.chunks(2).all(|pair| pair.len() == 1 || pair[0].starts_with(' ') && pair[0].ends_with('='));
            if quoted.len().is_multiple_of(2)
                || !named
                || quoted.last().is_some_and(|last| !last.is_empty())
                || name.is_empty()
            {
                return broken(LAW, inside, "attributes are names with values in quotes");
            }
            if !alone {
                open.push(name);
            } else if open.is_empty() {
                return broken(LAW, inside, "there is one outermost tag");
            }
        }
        rest = &tag[end + 1..];
    }
    if open.is_empty() && rest.trim().is_empty() { Ok(()) } else { broken(LAW, rest, format!("{open:?}")) }
}

/// Brackets are closed in the order in which they were opened, outside of quotes; `quote` is what they are.
fn balanced(text: &str, quote: Option<char>, pairs: &[(char, char)]) -> bool {
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for c in text.chars() {
        let special = !core::mem::take(&mut escaped);
        match c {
            '\\' if special => escaped = true,
            c if Some(c) == quote && special => quoted = !quoted,
            _ if quoted || !special => {}
            c if pairs.iter().any(|(left, _)| *left == c) => open.push(c),
            c if pairs.iter().any(|(_, right)| *right == c) => {
                let left = pairs.iter().find(|(_, right)| *right == c).map(|(left, _)| *left);
                if open.pop() != left {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty() && !quoted
}

/// Boxes and edges are in their places, and markup is well formed.
///
/// # Errors
/// The violation.
pub fn of_drawing(drawing: &Drawing) -> Verdict {
    boxes(drawing)?;
    edges(drawing)?;
    markup(&drawing.to_svg())
}

/// The picture of a program: its boxes, its edges, its markup; the same a second time; and a line of text for each statement.
///
/// # Errors
/// The violation.
pub fn of_program(program: &Program) -> Verdict {
    let picture = program.picture();
    let drawing = match picture.drawing() {
        Ok(drawing) => drawing,
        Err(error) => return broken("a small program can be drawn", error, program),
    };
    of_drawing(&drawing)?;
    if program.to_svg().as_ref() != Ok(&drawing.to_svg()) {
        return broken("the same program is the same picture", program, "");
    }
    let dot = program.to_dot();
    if !balanced(&dot, Some('"'), &[('{', '}'), ('[', ']')]) || dot.matches("\"];\n").count() > dot.matches('[').count()
    {
        return broken("DOT is balanced", dot, program);
    }
    let (latex, statements) = (program.to_latex(), program.to_string().matches("\n").count());
    // Of each statement a line; the text form has one more for the end of each function, and at least as many in all.
    let lines = latex.lines().count();
    if !balanced(&latex, None, &[('{', '}')]) || lines > 2 * statements + 4 {
        return broken("LaTeX is balanced", latex, program);
    }
    let bound = program.to_string().matches("let ").count() - program.to_string().matches("let ()").count();
    let typeset = latex.matches(r"\mathbf{let}\ ").count();
    if bound != typeset {
        return broken("every statement is typeset", bound, typeset);
    }
    Ok(())
}

/// The pictures of a random program and of its derivatives.
///
/// # Errors
/// The violation.
pub fn of_random(random: &ArrayProgram) -> Verdict {
    let program = random.program();
    of_program(&program)?;
    for derivative in [program.jvp(), program.vjp()].into_iter().flatten() {
        if let Ok(drawing) = derivative.picture().drawing() {
            of_drawing(&drawing)?;
        }
    }
    Ok(())
}

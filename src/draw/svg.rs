//! Drawings as SVG.
//!
//! Law: what is written is XML, whatever the texts are, and a text is as wide as it was taken to be
//! (laws: drawings::markup).

use core::fmt::Write as _;

use super::drawing::{AROUND, CHARACTER, Drawing, Route, Shape};
use super::graph::{Line, Role, Tone};

const STYLE: &str = "\
.ground{fill:#fff}.input{fill:#e3effb;stroke:#3c6e9f}.outside{fill:#fff;stroke:#888;stroke-dasharray:4 3}\
.step{fill:#fff;stroke:#444}.output{fill:#e8f5e3;stroke:#4a8a3c}.frame{fill:#f4f4f1;stroke:#bbb}\
.edge{fill:none;stroke:#666}.name{fill:#000}.text{fill:#444}.value{fill:#1b5fa8}.adjoint{fill:#b3261e}";

impl Drawing {
    /// The drawing as SVG.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (width, height) = (self.width.ceil(), self.height.ceil());
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"monospace\" font-size=\"12\">\n<style>{STYLE}</style>\n\
             <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#666\"/></marker></defs>\n\
             <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n"
        );
        self.boxes.iter().for_each(|shape| write_box(&mut text, shape));
        self.edges.iter().for_each(|route| write_route(&mut text, route));
        text + "</svg>\n"
    }
}

fn write_box(text: &mut String, shape: &Shape) {
    let Shape { left, top, width, height, role, lines, .. } = shape;
    let (class, round) = match role {
        Role::Input => ("input", 10),
        Role::Outside => ("outside", 10),
        Role::Step => ("step", 2),
        Role::Output => ("output", 2),
        Role::Frame => ("frame", 2),
    };
    let _ = write!(
        text,
        "<g><rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round}\"/>"
    );
    for (number, Line { text: line, tone }) in lines.iter().enumerate() {
        let class = match tone {
            Tone::Name => "name",
            Tone::Text => "text",
            Tone::Value => "value",
            Tone::Adjoint => "adjoint",
        };
        let across = line.chars().count() as f64 * CHARACTER.0;
        let (x, y) = (left + AROUND.0, top + AROUND.1 + CHARACTER.1 * (number as f64 + 0.75));
        if !line.is_empty() {
            let _ = write!(
                text,
                "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{across:.1}\" \
                 lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                escaped(line)
            );
        }
    }
    text.push_str("</g>\n");
}

fn write_route(text: &mut String, route: &Route) {
    let Some(((x, y), rest)) = route.points[route.fresh..].split_first() else { return };
    let _ = write!(text, "<path class=\"edge\" d=\"M{x:.1} {y:.1}");
    let (mut from, mut number) = ((*x, *y), route.fresh);
    for &(x, y) in rest {
        // Straight from the even points to the odd ones, and curved from those on.
        if number % 2 == 0 {
            let _ = write!(text, "V{y:.1}");
        } else {
            let middle = (from.1 + y) / 2.0;
            let _ = write!(text, "C{:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}", from.0);
        }
        (from, number) = ((x, y), number + 1);
    }
    text.push_str("\" marker-end=\"url(#arrow)\"/>\n");
}

/// Text as XML has it, which has no control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

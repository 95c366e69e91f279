//! Drawings: every box and every edge of a graph with its place in the picture.
//!
//! Law: a box comes after the box that it is inside of; the boxes of a graph are all there (laws: drawings::boxes).

use super::graph::{Graph, Line, Role};
use super::layers::Extent;
use super::place::{Placed, placed};
use crate::error::{Error, Result};

/// The most boxes that a picture has.
pub const MOST_NODES: usize = 600;
/// The most edges that a picture has.
pub const MOST_EDGES: usize = 3000;

/// The size of a character.
pub(super) const CHARACTER: (f64, f64) = (7.2, 16.0);
/// Between the text of a box and its sides.
pub(super) const AROUND: (f64, f64) = (9.0, 6.0);
/// Between a frame and what is in it, and around the picture.
const INSIDE: f64 = 12.0;

/// A box.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Its left side.
    pub left: f64,
    /// Its upper side.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// The number of the box that it is inside of.
    pub inside: Option<usize>,
    /// What it stands for.
    pub role: Role,
    /// What is written in it, from its top.
    pub lines: Vec<Line>,
}

/// An edge, from the lower side of a box to the upper side of another.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The number of the box where it begins.
    pub from: usize,
    /// The number of the box where it ends.
    pub to: usize,
    /// Down along the first two points, over to the third, down to the fourth, and so on.
    pub points: Vec<(f64, f64)>,
    /// The points before this one are those of an edge before, which begins at the same point.
    pub fresh: usize,
}

/// A graph with its places. Distances are in pixels, from the upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The width of the picture.
    pub width: f64,
    /// The height of the picture.
    pub height: f64,
    /// The boxes, outer ones before those inside of them.
    pub boxes: Vec<Shape>,
    /// The edges.
    pub edges: Vec<Route>,
}

/// The size that lines of text take.
fn text_size(lines: usize, longest: usize) -> (f64, f64) {
    (longest as f64 * CHARACTER.0 + 2.0 * AROUND.0, lines as f64 * CHARACTER.1 + 2.0 * AROUND.1)
}

fn longest<'l>(lines: impl Iterator<Item = &'l str>) -> usize {
    lines.map(|line| line.chars().count()).max().unwrap_or(0)
}

impl Graph {
    /// How many nodes there are, and how many edges.
    pub(crate) fn count(&self) -> [usize; 2] {
        [self.nodes.len(), self.frames.iter().map(|frame| frame.edges.len()).sum()]
    }

    /// The graph with places.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there are more nodes or edges than anyone can follow.
    pub(crate) fn drawing(&self) -> Result<Drawing> {
        let [nodes, edges] = self.count();
        for (count, what, limit) in
            [(nodes, "the number of boxes to draw", MOST_NODES), (edges, "the number of edges to draw", MOST_EDGES)]
        {
            if count > limit {
                return Err(Error::TooLarge { what, limit });
            }
        }
        let (extents, frames) = self.sizes();
        let mut drawing = Drawing { width: 0.0, height: 0.0, boxes: Vec::new(), edges: Vec::new() };
        let mut numbers = vec![0; self.nodes.len()];
        // The upper left corner of the insides of each frame.
        let mut corners = vec![(INSIDE, INSIDE); self.frames.len()];
        for (number, frame) in self.frames.iter().enumerate() {
            let (left, top) = corners[number];
            let inside = frame.owner.map(|owner| {
                let (width, height) = frame_size(&frame.title, &frames[number]);
                let lines = titled(&frame.title);
                let (left, top) = (left - INSIDE, top - INSIDE - title_height(&frame.title));
                let inside = Some(numbers[owner]);
                drawing.boxes.push(Shape { left, top, width, height, inside, role: Role::Frame, lines });
                drawing.boxes.len() - 1
            });
            for (&node, &(x, y)) in frame.nodes.iter().zip(&frames[number].corners) {
                let Extent { width, height, role } = extents[node];
                let (left, top) = (left + x, top + y);
                let it = &self.nodes[node];
                numbers[node] = drawing.boxes.len();
                drawing.boxes.push(Shape { left, top, width, height, inside, role, lines: it.lines.clone() });
                let mut next = left + INSIDE;
                let below = top + text_size(it.lines.len(), 0).1;
                for &inner in &it.frames {
                    let title = &self.frames[inner].title;
                    corners[inner] = (next + INSIDE, below + INSIDE + title_height(title));
                    next += frame_size(title, &frames[inner]).0 + INSIDE;
                }
            }
            drawing.edges.extend(frames[number].lines.iter().map(|line| Route {
                from: numbers[frame.nodes[line.edge.from]],
                to: numbers[frame.nodes[line.edge.to]],
                points: line.points.iter().map(|(x, y)| (left + x, top + y)).collect(),
                fresh: line.fresh,
            }));
        }
        let whole = &frames[0];
        (drawing.width, drawing.height) = (whole.width + 2.0 * INSIDE, whole.height + 2.0 * INSIDE);
        Ok(drawing)
    }

    /// The size of every node, and the places within every frame: inner ones first, since boxes are as large as what is in them.
    fn sizes(&self) -> (Vec<Extent>, Vec<Placed>) {
        let mut frames: Vec<Placed> = self.frames.iter().map(|_| Placed::default()).collect();
        let mut extents: Vec<Extent> =
            self.nodes.iter().map(|node| Extent { width: 0.0, height: 0.0, role: node.role }).collect();
        for (number, frame) in self.frames.iter().enumerate().rev() {
            for &node in &frame.nodes {
                let it = &self.nodes[node];
                let (mut width, mut height) =
                    text_size(it.lines.len(), longest(it.lines.iter().map(|line| line.text.as_str())));
                let sizes = it.frames.iter().map(|inner| frame_size(&self.frames[*inner].title, &frames[*inner]));
                let (across, tallest) = sizes.fold((INSIDE, 0.0_f64), |(across, tallest), (width, height)| {
                    (across + width + INSIDE, tallest.max(height))
                });
                if !it.frames.is_empty() {
                    (width, height) = (width.max(across), height + tallest + INSIDE);
                }
                (extents[node].width, extents[node].height) = (width, height);
            }
            let inside: Vec<Extent> = frame.nodes.iter().map(|node| extents[*node]).collect();
            frames[number] = placed(&inside, &frame.edges);
        }
        (extents, frames)
    }
}

fn titled(title: &str) -> Vec<Line> {
    let shown = (!title.is_empty()).then(|| Line::new(super::graph::Tone::Text, title));
    shown.into_iter().collect()
}

fn title_height(title: &str) -> f64 {
    if title.is_empty() { 0.0 } else { CHARACTER.1 }
}

/// The size of a frame with its title.
fn frame_size(title: &str, inside: &Placed) -> (f64, f64) {
    let (across, _) = text_size(1, longest([title].into_iter()));
    ((inside.width + 2.0 * INSIDE).max(across), inside.height + 2.0 * INSIDE + title_height(title))
}

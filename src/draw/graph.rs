//! Graphs to be drawn: nodes with text, frames of nodes inside of nodes, and edges between nodes of a frame.
//!
//! Law: an edge goes from a node to a later one of the same frame, so the nodes of a frame are in topological order; a
//! frame has a greater number than the frame around it (laws: drawings::edges).

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What comes in: a parameter, a variable of a formula.
    Input,
    /// What a function takes from around it.
    Outside,
    /// An operation or a constant.
    Step,
    /// What goes out.
    Output,
    /// One of the functions of an operation.
    Frame,
}

/// What a line of text in a box says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// What is computed.
    Name,
    /// How.
    Text,
    /// Its value at some point.
    Value,
    /// The derivative of the result by it.
    Adjoint,
}

/// A line of text in a box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text.
    pub text: String,
    /// What it says.
    pub tone: Tone,
}

/// The longest line of a box that is cut.
#[cfg(feature = "array")]
const MAX_LINE_LENGTH: usize = 60;

impl Line {
    pub(crate) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Line { text: text.into(), tone }
    }

    /// A line of which what is too long is cut.
    #[cfg(feature = "array")]
    pub(crate) fn cut(tone: Tone, text: &str) -> Self {
        match text.char_indices().nth(MAX_LINE_LENGTH) {
            Some(_) => Line::new(tone, text.chars().take(MAX_LINE_LENGTH - 1).chain(['…']).collect::<String>()),
            None => Line::new(tone, text),
        }
    }
}

/// A node, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeId(pub(super) usize);

/// A frame, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameId(pub(super) usize);

#[derive(Debug)]
pub(super) struct Node {
    pub(super) role: Role,
    pub(super) lines: Vec<Line>,
    /// The frames inside of it.
    pub(super) frames: Vec<usize>,
    /// Its place among the nodes of its frame.
    pub(super) place: usize,
    frame: usize,
}

/// Nodes that stand together, and edges between them.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) title: String,
    /// The node around it, of all but the first.
    pub(super) owner: Option<usize>,
    pub(super) nodes: Vec<usize>,
    pub(super) edges: Vec<Edge>,
}

/// From one of the results of a node to another node; both are places among the nodes of their frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) port: usize,
    pub(super) to: usize,
}

/// A graph.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(super) name: &'static str,
    pub(super) nodes: Vec<Node>,
    pub(super) frames: Vec<Frame>,
}

impl Graph {
    /// A graph of this name, and its outermost frame.
    pub(crate) fn new(name: &'static str) -> (Self, FrameId) {
        (Graph { name, nodes: Vec::new(), frames: vec![Frame::default()] }, FrameId(0))
    }

    /// Adds a node to a frame.
    pub(crate) fn node(&mut self, frame: FrameId, role: Role, lines: Vec<Line>) -> NodeId {
        let (number, into) = (self.nodes.len(), &mut self.frames[frame.0]);
        let place = into.nodes.len();
        into.nodes.push(number);
        self.nodes.push(Node { role, lines, frames: Vec::new(), place, frame: frame.0 });
        NodeId(number)
    }

    /// Adds a frame inside of a node.
    #[cfg(feature = "array")]
    pub(crate) fn frame(&mut self, owner: NodeId, title: impl Into<String>) -> FrameId {
        let number = self.frames.len();
        self.nodes[owner.0].frames.push(number);
        self.frames.push(Frame { title: title.into(), owner: Some(owner.0), ..Frame::default() });
        FrameId(number)
    }

    /// Adds an edge from a result of a node to the next operand of another.
    pub(crate) fn edge(&mut self, (from, port): (NodeId, usize), to: NodeId) {
        let [from, to] = [from, to].map(|node| &self.nodes[node.0]);
        assert!(from.frame == to.frame && from.place < to.place, "an edge goes to a later node of the same frame");
        let edge = Edge { from: from.place, port, to: to.place };
        let frame = from.frame;
        self.frames[frame].edges.push(edge);
    }
}

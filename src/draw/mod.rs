//! Pictures of data flow: graphs with boxes inside of boxes, drawn in layers as SVG, or written as DOT for other programs to draw.
//!
//! Terms and array programs are drawn by this: [`Term::to_svg`](crate::term::Term::to_svg),
//! [`Program::to_svg`](crate::array::Program::to_svg), and `to_dot` of both. Data flows down: what is taken stands above what takes it,
//! operands come in from the left to the right in their order, and an operation that has a function is a box around it. What a function
//! takes from outside stands dashed at its top. No other program is needed, and text is measured as if in a font of one width,
//! which the picture then keeps to.
//!
//! Law: boxes overlap only if one is inside of the other, and all are inside of the picture; an edge leaves a box at
//! its lower side, enters another at its upper side, and passes through none; the same graph is the same picture
//! (Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System Structures", 1981: layers by
//! longest paths, order by barycentres) (laws: drawings).

mod dot;
mod drawing;
mod graph;
mod layers;
mod order;
mod place;
mod svg;

pub use drawing::{Drawing, MOST_EDGES, MOST_NODES, Route, Shape};
pub(crate) use graph::Graph;
#[cfg(feature = "array")]
pub(crate) use graph::{FrameId, NodeId};
pub use graph::{Line, Role, Tone};

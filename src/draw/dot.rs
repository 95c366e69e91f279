//! Graphs in the DOT language: a node per box, a cluster per operation that has functions.
//!
//! Law: every node and every edge of the graph is written once; text is quoted (tests/scalar/drawings.rs).

use core::fmt::Write as _;

use super::graph::{Frame, Graph, Role};

/// What is still to be written.
enum Next {
    Frame(usize),
    Node(usize),
    Close,
}

impl Graph {
    /// The graph in the DOT language.
    pub(crate) fn to_dot(&self) -> String {
        let mut text = format!("digraph {} {{\n  compound = true;\n", self.name);
        text.push_str("  node [shape = box, fontname = monospace];\n  fontname = monospace;\n");
        let (mut depth, mut stack) = (1, vec![Next::Frame(0)]);
        while let Some(next) = stack.pop() {
            match next {
                Next::Frame(frame) => {
                    let Frame { title, owner, nodes, .. } = &self.frames[frame];
                    if owner.is_some() {
                        open(&mut text, depth, &format!("frame_{frame}"), title);
                        depth += 1;
                        stack.push(Next::Close);
                    }
                    stack.extend(nodes.iter().rev().map(|node| Next::Node(*node)));
                }
                Next::Node(number) => {
                    let node = &self.nodes[number];
                    if !node.frames.is_empty() {
                        open(&mut text, depth, &number.to_string(), "");
                        depth += 1;
                        stack.push(Next::Close);
                        stack.extend(node.frames.iter().rev().map(|frame| Next::Frame(*frame)));
                    }
                    let lines: Vec<String> = node.lines.iter().map(|line| quoted(&line.text)).collect();
                    let style = match node.role {
                        Role::Input => ", style = rounded",
                        Role::Outside => ", style = dashed",
                        Role::Output => ", style = bold",
                        Role::Step | Role::Frame => "",
                    };
                    let _ =
                        writeln!(text, "{:1$}n{number} [label = \"{2}\"{style}];", "", 2 * depth, lines.join("\\n"));
                }
                Next::Close => {
                    depth -= 1;
                    let _ = writeln!(text, "{:1$}}}", "", 2 * depth);
                }
            }
        }
        for frame in &self.frames {
            for edge in &frame.edges {
                let [from, to] = [edge.from, edge.to].map(|place| frame.nodes[place]);
                let (tail, around_tail) = self.tail(from);
                let around_head = (!self.nodes[to].frames.is_empty()).then(|| format!("lhead = cluster_{to}"));
                let around: Vec<String> = around_tail.into_iter().chain(around_head).collect();
                let around = if around.is_empty() { String::new() } else { format!(" [{}]", around.join(", ")) };
                let _ = writeln!(text, "  n{tail} -> n{to}{around};");
            }
        }
        text + "}\n"
    }

    /// Where an edge begins: a box around functions ends below what they compute.
    fn tail(&self, node: usize) -> (usize, Option<String>) {
        let last = self.nodes[node].frames.last().and_then(|frame| self.frames[*frame].nodes.last());
        match last {
            Some(last) => (*last, Some(format!("ltail = cluster_{node}"))),
            None => (node, None),
        }
    }
}

fn open(text: &mut String, depth: usize, cluster: &str, title: &str) {
    let _ = writeln!(text, "{:1$}subgraph cluster_{cluster} {{", "", 2 * depth);
    let _ = writeln!(text, "{:1$}label = \"{2}\";", "", 2 * depth + 2, quoted(title));
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

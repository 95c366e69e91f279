//! Layers: each node of a frame in one of them, and places in those between that its edges pass through.
//!
//! Law: a link joins neighbouring layers; the links of an edge lead from its source to its target; the edges of one
//! result share their way as far as it is the same (laws: drawings::edges).

use super::graph::{Edge, Role};

/// A node as far as its layer and place matter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) role: Role,
}

/// What has a place in a layer: the nodes in their order, then what edges pass through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) layer: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) passes: bool,
}

/// Between items of neighbouring layers, with how far from the middle of each it begins and ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) upper: usize,
    pub(super) out: f64,
    pub(super) lower: usize,
    pub(super) into: f64,
}

/// The way of an edge.
#[derive(Debug)]
pub(super) struct Way {
    pub(super) edge: Edge,
    pub(super) out: f64,
    pub(super) into: f64,
    /// What it passes through.
    pub(super) through: Vec<usize>,
    /// How many of these an edge before has passed through, if one from the same result was before.
    pub(super) shared: Option<usize>,
}

/// A frame in layers.
#[derive(Debug)]
pub(super) struct Layered {
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    pub(super) ways: Vec<Way>,
    /// How many layers there are.
    pub(super) count: usize,
}

/// The layer of each node: below all that it takes, the results last, and what takes nothing just above its first use.
fn layers(nodes: &[Extent], edges: &[Edge]) -> Vec<usize> {
    let mut layer = vec![0; nodes.len()];
    let mut taking = vec![Vec::new(); nodes.len()];
    edges.iter().for_each(|edge| taking[edge.to].push(edge.from));
    for (node, taken) in taking.iter().enumerate() {
        layer[node] = taken.iter().map(|from| layer[*from] + 1).max().unwrap_or(0);
    }
    for node in (0..nodes.len()).filter(|node| nodes[*node].role == Role::Output) {
        let others = (0..nodes.len()).filter(|other| nodes[*other].role != Role::Output);
        layer[node] = others.map(|other| layer[other] + 1).max().unwrap_or(0);
    }
    let mut first_use = vec![usize::MAX; nodes.len()];
    edges.iter().for_each(|edge| first_use[edge.from] = first_use[edge.from].min(layer[edge.to]));
    for (node, first) in first_use.into_iter().enumerate() {
        if taking[node].is_empty() && nodes[node].role == Role::Step && first < usize::MAX {
            layer[node] = first.saturating_sub(1);
        }
    }
    layer
}

/// The distance from the middle of a box at which the `n`-th of `of` edges meets it.
fn offset(width: f64, n: usize, of: usize) -> f64 {
    width * ((n + 1) as f64 / (of + 1) as f64 - 0.5)
}

/// Nodes and edges in layers.
pub(super) fn layered(nodes: &[Extent], edges: &[Edge]) -> Layered {
    let layer = layers(nodes, edges);
    let place = |(node, layer): (&Extent, &usize)| Item {
        layer: *layer,
        width: node.width,
        height: node.height,
        passes: false,
    };
    let mut items: Vec<Item> = nodes.iter().zip(&layer).map(place).collect();
    let (mut ports, mut incoming) = (vec![0; nodes.len()], vec![0; nodes.len()]);
    for edge in edges {
        ports[edge.from] = ports[edge.from].max(edge.port + 1);
        incoming[edge.to] += 1;
    }
    let mut arrived = vec![0; nodes.len()];
    let mut ways: Vec<Way> = edges
        .iter()
        .map(|edge| {
            arrived[edge.to] += 1;
            let out = offset(nodes[edge.from].width, edge.port, ports[edge.from]);
            let into = offset(nodes[edge.to].width, arrived[edge.to] - 1, incoming[edge.to]);
            Way { edge: *edge, out, into, through: Vec::new(), shared: None }
        })
        .collect();
    // The edges of one result, one after the other.
    ways.sort_by_key(|way| (way.edge.from, way.edge.port));
    let mut links = Vec::new();
    let mut chain: Vec<usize> = Vec::new();
    for at in 0..ways.len() {
        let (Edge { from, port, to }, out, into) = (ways[at].edge, ways[at].out, ways[at].into);
        let same = at > 0 && (ways[at - 1].edge.from, ways[at - 1].edge.port) == (from, port);
        if !same {
            chain.clear();
        }
        let passes = layer[to] - layer[from] - 1;
        ways[at].shared = same.then_some(chain.len().min(passes));
        let end = |chain: &[usize]| chain.last().map_or((from, out), |last| (*last, 0.0));
        while chain.len() < passes {
            let (upper, out) = end(&chain);
            links.push(Link { upper, out, lower: items.len(), into: 0.0 });
            chain.push(items.len());
            items.push(Item { layer: layer[from] + chain.len(), width: 0.0, height: 0.0, passes: true });
        }
        let (upper, out) = end(&chain[..passes]);
        links.push(Link { upper, out, lower: to, into });
        ways[at].through = chain[..passes].to_vec();
    }
    let count = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    Layered { items, links, ways, count }
}

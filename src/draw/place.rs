//! Places within a frame: layers one under the other, and within a layer each item as near to its neighbours as its order allows.
//!
//! Law: boxes of a layer keep a distance, and layers do; an edge goes down where its item stands and turns between
//! layers only, where no box is (laws: drawings::boxes, laws: drawings::edges).

use super::graph::Edge;
use super::layers::{Extent, Layered, layered};
use super::order::ordered;

/// The distance of boxes side by side.
const BESIDE: f64 = 20.0;
/// The distance of an edge from what it passes.
const CLEAR: f64 = 12.0;
/// The distance of layers, at least and at most; in between, the more edges there are.
const LAYER_GAP: (f64, f64) = (28.0, 84.0);
/// How often places are made better.
const SWEEPS: usize = 8;

/// A point of the picture.
pub(super) type Point = (f64, f64);

/// A frame whose nodes have places.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The upper left corner of each node.
    pub(super) corners: Vec<Point>,
    pub(super) lines: Vec<PlacedEdge>,
}

/// An edge: down along the first two points, over to the third, down to the fourth, and so on.
#[derive(Debug)]
pub(super) struct PlacedEdge {
    pub(super) edge: Edge,
    pub(super) points: Vec<Point>,
    /// The points before are those of an edge before it.
    pub(super) fresh: usize,
}

/// Gives the nodes of a frame their places.
pub(super) fn placed(nodes: &[Extent], edges: &[Edge]) -> Placed {
    let layered = layered(nodes, edges);
    let order = ordered(&layered);
    let middles = across(&layered, &order);
    let Layered { items, links, ways, count } = &layered;
    let half = |item: usize| items[item].width / 2.0;
    let left = (0..items.len()).map(|item| middles[item] - half(item)).fold(f64::INFINITY, f64::min);
    let right = (0..items.len()).map(|item| middles[item] + half(item)).fold(f64::NEG_INFINITY, f64::max);
    if items.is_empty() {
        return Placed::default();
    }

    // The upper and the lower end of each layer.
    let mut heights = vec![0.0_f64; *count];
    items.iter().for_each(|item| heights[item.layer] = heights[item.layer].max(item.height));
    let mut crowd = vec![0_usize; *count];
    links.iter().for_each(|link| crowd[items[link.upper].layer] += 1);
    let (mut bands, mut top) = (Vec::new(), 0.0);
    for (height, crowd) in heights.iter().zip(&crowd) {
        bands.push((top, top + height));
        top += height + (LAYER_GAP.0 + 2.0 * *crowd as f64).min(LAYER_GAP.1);
    }
    let x = |item: usize| middles[item] - left;
    let corners: Vec<Point> = (0..nodes.len()).map(|node| (x(node) - half(node), bands[items[node].layer].0)).collect();
    let lines = ways.iter().map(|way| {
        let Edge { from, to, .. } = way.edge;
        let begin = x(from) + way.out;
        let mut points = vec![(begin, corners[from].1 + nodes[from].height), (begin, bands[items[from].layer].1)];
        for &item in &way.through {
            let (upper, lower) = bands[items[item].layer];
            points.extend([(x(item), upper), (x(item), lower)]);
        }
        points.push((x(to) + way.into, corners[to].1));
        PlacedEdge { edge: way.edge, points, fresh: way.shared.map_or(0, |shared| 2 * shared + 1) }
    });
    let lines = lines.collect();
    Placed { width: right - left, height: bands.last().map_or(0.0, |band| band.1), corners, lines }
}

/// The middle of each item, from the left.
fn across(layered: &Layered, order: &[Vec<usize>]) -> Vec<f64> {
    let Layered { items, links, .. } = layered;
    let (mut above, mut below) = (vec![Vec::new(); items.len()], vec![Vec::new(); items.len()]);
    for (number, link) in links.iter().enumerate() {
        above[link.lower].push(number);
        below[link.upper].push(number);
    }
    let mut x = vec![0.0; items.len()];
    let settle = |layer: &[usize], wanted: &[(f64, f64)], x: &mut [f64]| {
        let mut reached = 0.0;
        let mut ends = Vec::with_capacity(layer.len());
        for (place, &item) in layer.iter().enumerate() {
            if place > 0 {
                let before = &items[layer[place - 1]];
                let gap = if before.passes || items[item].passes { CLEAR } else { BESIDE };
                reached += (before.width + items[item].width) / 2.0 + gap;
            }
            ends.push(reached);
        }
        // With the distances taken off, what is left has to rise.
        let free: Vec<(f64, f64)> = wanted.iter().zip(&ends).map(|((at, weight), end)| (at - end, *weight)).collect();
        let places = rising(&free).into_iter().zip(&ends).map(|(at, end)| at + end);
        layer.iter().zip(places).for_each(|(item, at)| x[*item] = at);
    };
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for step in 0..order.len() {
            let layer = &order[if down { step } else { order.len() - 1 - step }];
            let wanted: Vec<(f64, f64)> = layer
                .iter()
                .map(|&item| {
                    let neighbours = if down { &above[item] } else { &below[item] };
                    let at = |link: &usize| {
                        let link = &links[*link];
                        if down { x[link.upper] + link.out - link.into } else { x[link.lower] + link.into - link.out }
                    };
                    // What edges pass through stands straight first.
                    let weight = if items[item].passes { 4.0 } else { neighbours.len().max(1) as f64 };
                    if neighbours.is_empty() {
                        return (x[item], 0.1);
                    }
                    (neighbours.iter().map(at).sum::<f64>() / neighbours.len() as f64, weight)
                })
                .collect();
            settle(layer, &wanted, &mut x);
        }
    }
    x
}

/// The numbers nearest to these, each with a weight, that do not fall ("pool adjacent violators": what falls is put together at its mean).
fn rising(wanted: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for &(at, weight) in wanted {
        let mut pool = (at, weight, 1);
        while let Some(&(before, heavy, many)) = pools.last() {
            if before <= pool.0 {
                break;
            }
            pools.pop();
            let weight = heavy + pool.1;
            pool = ((before * heavy + pool.0 * pool.1) / weight, weight, many + pool.2);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(at, _, many)| core::iter::repeat_n(at, many)).collect()
}

//! What a call of reverse mode has computed, and the way back through it.
//!
//! Law: a node comes after those it is made of, so going through the tape once from its end, every adjoint is complete when its
//! node is reached: the cost is linear in the operations, however values are shared (tests/language/interpret.rs).

use rustc_hash::FxHashMap;

use super::array::Data;
use super::scalar::{Engine, Scalar};
use crate::futhark::meaning::{Call, Kept, Outcome};
use crate::futhark::source::Span;
use crate::transform::Partial;

/// Where an operand of an operation is on the tape, and how the result changes with it.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) partial: Partial<Scalar>,
}

/// The nodes of a call.
#[derive(Debug, Default)]
pub(super) struct Tape {
    /// For each node, where its edges end.
    ends: Vec<u32>,
    edges: Vec<Edge>,
    /// Calls with a derivative of their own, by the first of the nodes of their results.
    own: FxHashMap<u32, Own>,
}

/// A call with a derivative of its own.
#[derive(Debug)]
pub(super) struct Own {
    /// From the results and their adjoints to the adjoints of the arguments.
    pub(super) adjoint: Kept,
    /// The results, without what this tape adds.
    pub(super) results: Vec<Data>,
    /// For each argument, the node of each element, if it has one.
    pub(super) arguments: Vec<Vec<Option<u32>>>,
}

impl Tape {
    /// A node that nothing on the tape is computed into.
    pub(super) fn input(&mut self) -> u32 {
        self.operation(core::iter::empty())
    }

    /// A node with these edges.
    pub(super) fn operation(&mut self, edges: impl Iterator<Item = Edge>) -> u32 {
        self.edges.extend(edges);
        self.ends.push(u32::try_from(self.edges.len()).expect("the limit is below 2^32 edges"));
        u32::try_from(self.ends.len() - 1).expect("the limit is below 2^32 nodes")
    }

    /// Notes a call whose results are the nodes from `first` on.
    pub(super) fn call(&mut self, first: u32, own: Own) {
        self.own.insert(first, own);
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The adjoints of the first `inputs` nodes, from those of some nodes.
    pub(super) fn sweep(
        &self,
        engine: &Engine,
        at: Span,
        seeds: Vec<(u32, Scalar)>,
        inputs: usize,
        call: &Call<'_, Data>,
    ) -> Outcome<Vec<Option<Scalar>>> {
        let mut adjoints: Vec<Option<Scalar>> = vec![None; self.ends.len()];
        let gather = |adjoints: &mut Vec<Option<Scalar>>, to: u32, part: Scalar| {
            let slot = &mut adjoints[to as usize];
            *slot = Some(match slot.take() {
                None => part,
                Some(sum) => engine.add(sum, part),
            });
        };
        for (node, seed) in seeds {
            gather(&mut adjoints, node, seed);
        }
        for node in (inputs..self.ends.len()).rev() {
            if let Some(own) = self.own.get(&(node as u32)) {
                self.through(own, at, node, &adjoints, call)?
                    .into_iter()
                    .for_each(|(to, part)| gather(&mut adjoints, to, part));
                continue;
            }
            // An adjoint is not asked for again.
            let Some(adjoint) = adjoints[node].take_if(|_| !self.edges_of(node).is_empty()) else { continue };
            for edge in self.edges_of(node) {
                if let Some(part) = edge.partial.pull(engine, adjoint.clone()) {
                    gather(&mut adjoints, edge.to, part);
                }
            }
        }
        adjoints.truncate(inputs);
        Ok(adjoints)
    }

    fn edges_of(&self, node: usize) -> &[Edge] {
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.edges[start as usize..self.ends[node] as usize]
    }

    /// The adjoints of the arguments of a call with a derivative of its own.
    fn through(
        &self,
        own: &Own,
        at: Span,
        first: usize,
        adjoints: &[Option<Scalar>],
        call: &Call<'_, Data>,
    ) -> Outcome<Vec<(u32, Scalar)>> {
        let mut next = first;
        let mut given = own.results.clone();
        let mut felt = false;
        for result in &own.results {
            given.push(result.rebuilt(at, |element| {
                let adjoint = adjoints[next].clone();
                next += 1;
                felt |= adjoint.is_some();
                adjoint.unwrap_or_else(|| element.kind().zero().into())
            })?);
        }
        if !felt {
            return Ok(Vec::new());
        }
        let mut parts = Vec::new();
        for (nodes, adjoint) in own.arguments.iter().zip(call(own.adjoint, given)?) {
            let elements = nodes.iter().zip(adjoint.elements());
            parts.extend(elements.filter_map(|(node, part)| Some(((*node)?, part.clone()))));
        }
        Ok(parts)
    }
}

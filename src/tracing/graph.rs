//! The computational graph of a trace of scalars: steps, what each of them uses, and how often each is used.
//!
//! Law: there is a slot for every use of a real scalar by a step that the results depend on, and for every place it has
//! among the results; a step is ready when all slots of what it computed are filled. Slots are numbered in the order of
//! the trace, so a sum over them does not depend on the order in which they were filled ("Maintaining parallelism in
//! reverse-mode automatic differentiation on functional parallel array languages", *Automatic Differentiation*: its
//! reference counters, with a place for each reference) (laws: tracing::reverse_modes_agree).

use core::ops::Range;
use rustc_hash::FxHashMap;
use std::rc::Rc;

use crate::array::{Atom, Const, Custom, Op, Program, ScalarOp, Var};
use crate::interpret::Value;

/// The values of the variables of a trace, by number.
pub(super) type Values = [Option<Value<f64>>];

/// A real scalar of the trace.
type Port = usize;

/// The graph.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// The real scalars, by their variables.
    ports: FxHashMap<Var, Port>,
    /// The slots of each port.
    slots: Vec<Range<usize>>,
    /// The node that computes each port; those of the arguments have none.
    makers: Vec<Option<usize>>,
    /// Where the elements of results are delivered: the result, the element, and the slot.
    pub(super) seeds: Vec<(usize, usize, Slot)>,
    /// The ports of the arguments: the argument, the element, and the port.
    pub(super) inputs: Vec<(usize, usize, Port)>,
}

/// A place for one part of an adjoint, and the port that it is part of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) at: usize,
    pub(super) port: Port,
}

/// A step of the trace.
pub(super) struct Node {
    pub(super) step: Step,
    /// What it computes: the result, the element, and the port.
    pub(super) outputs: Vec<(usize, usize, Port)>,
    /// What it uses: the number of the operand, counted through all elements, and the slot that it fills.
    pub(super) uses: Vec<(usize, Slot)>,
}

/// What a step does.
pub(super) enum Step {
    /// A row of a table.
    Scalar(ScalarOp, Vec<Atom>),
    /// A function with a pullback, which is a program of its own here: of arguments, adjoints, and what it mentions.
    Custom { pullback: Program, arguments: Vec<Atom>, results: Vec<Var>, mentioned: Vec<Var> },
}

impl Graph {
    /// The graph of a trace, whose variables have these values.
    pub(super) fn new(trace: &Program, values: &Values) -> Self {
        let mut build =
            Build { trace, values, ports: FxHashMap::default(), lists: FxHashMap::default(), makers: Vec::new() };
        let (mut nodes, mut inputs) = (Vec::new(), Vec::new());
        let mut owners: FxHashMap<Var, Owner> = FxHashMap::default();
        for (argument, param) in trace.function.params.iter().enumerate() {
            owners.insert(*param, Owner::Argument(argument));
            if trace.type_of(*param).rank == 0 {
                inputs.extend(build.port(*param, None).map(|port| (argument, 0, port)));
            }
        }
        for stm in &trace.function.body.stms {
            let node = nodes.len();
            match &stm.op {
                Op::Scalar(op, atoms) => {
                    if let Some(port) = build.port(stm.vars[0], Some(node)) {
                        let step = Step::Scalar(*op, atoms.to_vec());
                        nodes.push((Node { step, outputs: vec![(0, 0, port)], uses: Vec::new() }, atoms.to_vec()));
                    }
                }
                Op::Index(Atom::Var(array), at) => match owners[array] {
                    Owner::Argument(argument) => {
                        let element = build.position(*array, at);
                        inputs.extend(build.port(stm.vars[0], None).map(|port| (argument, element, port)));
                    }
                    Owner::Node(node, result) => {
                        let element = build.position(*array, at);
                        let port = build.port(stm.vars[0], Some(node));
                        nodes[node].0.outputs.extend(port.map(|port| (result, element, port)));
                    }
                },
                Op::Elements(atoms) => drop(build.lists.insert(stm.vars[0], atoms.as_slice().into())),
                Op::Replicate(..) => drop(build.lists.insert(stm.vars[0], Rc::new([]))),
                Op::Reshape(list, _) => {
                    let list = build.elements(*list);
                    build.lists.insert(stm.vars[0], list);
                }
                Op::Custom(it) => {
                    let uses: Vec<Atom> = it.arguments.iter().flat_map(|a| build.elements(*a).to_vec()).collect();
                    let outputs = stm.vars.iter().enumerate().filter_map(|(result, var)| {
                        owners.insert(*var, Owner::Node(node, result));
                        let scalar = trace.type_of(*var).rank == 0;
                        if scalar { build.port(*var, Some(node)).map(|port| (result, 0, port)) } else { None }
                    });
                    let outputs = outputs.collect();
                    nodes.push((Node { step: pullback(trace, it, &stm.vars), outputs, uses: Vec::new() }, uses));
                }
                Op::Size(..) | Op::Agree(_) => {}
                op => panic!("a trace of scalars has no {op:?}"),
            }
        }
        build.connect(nodes, inputs)
    }

    /// The number of slots.
    pub(super) fn size(&self) -> usize {
        self.slots.last().map_or(0, |range| range.end)
    }

    /// The slots of a port.
    pub(super) fn slots(&self, port: Port) -> Range<usize> {
        self.slots[port].clone()
    }

    /// The node that computes a port.
    pub(super) fn maker(&self, port: Port) -> Option<usize> {
        self.makers[port]
    }

    /// The port of a variable that is a real scalar.
    pub(super) fn port(&self, var: Var) -> Option<Port> {
        self.ports.get(&var).copied()
    }

    /// The number of slots that are filled before a node is ready.
    pub(super) fn references(&self, node: usize) -> usize {
        self.nodes[node].outputs.iter().map(|(.., port)| self.slots[*port].len()).sum()
    }
}

/// What an array variable belongs to.
#[derive(Clone, Copy)]
enum Owner {
    Argument(usize),
    /// A node, as one of its results.
    Node(usize, usize),
}

struct Build<'t> {
    trace: &'t Program,
    values: &'t Values,
    ports: FxHashMap<Var, Port>,
    /// The elements of arrays that are put together.
    lists: FxHashMap<Var, Rc<[Atom]>>,
    makers: Vec<Option<usize>>,
}

impl Build<'_> {
    /// A new port for a variable, if it is a real.
    fn port(&mut self, var: Var, maker: Option<usize>) -> Option<Port> {
        if !self.trace.type_of(var).prim.is_real() {
            return None;
        }
        self.makers.push(maker);
        self.ports.insert(var, self.makers.len() - 1);
        Some(self.makers.len() - 1)
    }

    /// The scalars that an operand is put together of.
    fn elements(&self, atom: Atom) -> Rc<[Atom]> {
        match atom {
            Atom::Var(var) if self.trace.type_of(var).rank > 0 => self.lists[&var].clone(),
            scalar => Rc::new([scalar]),
        }
    }

    /// The number of the element at an index, which is constant.
    fn position(&self, array: Var, at: &[Atom]) -> usize {
        let value = self.values[array.0 as usize].as_ref().expect("a trace has run");
        value.sizes().iter().zip(at).fold(0, |position, (size, index)| match index {
            Atom::Const(Const::I64(i)) => position * size + usize::try_from(*i).expect("the trace has run"),
            _ => panic!("arrays of a trace of scalars are indexed by constants"),
        })
    }

    /// Gives each use a slot: of what the results depend on, in the order of the trace, after those of the results.
    fn connect(self, nodes: Vec<(Node, Vec<Atom>)>, inputs: Vec<(usize, usize, Port)>) -> Graph {
        let port = |atom: &Atom| if let Atom::Var(var) = atom { self.ports.get(var).copied() } else { None };
        let mut references = vec![0_usize; self.makers.len()];
        let mut seeds = Vec::new();
        for (result, atom) in self.trace.function.body.results.iter().enumerate() {
            for (element, atom) in self.elements(*atom).iter().enumerate() {
                if let Some(port) = port(atom) {
                    references[port] += 1;
                    seeds.push((result, element, Slot { at: 0, port }));
                }
            }
        }
        let mut nodes: Vec<Node> = nodes
            .into_iter()
            .rev()
            .map(|(mut node, operands)| {
                if node.outputs.iter().any(|(.., port)| references[*port] > 0) {
                    let uses = operands.iter().enumerate().filter_map(|(n, atom)| Some((n, port(atom)?)));
                    node.uses = uses.map(|(n, port)| (n, Slot { at: 0, port })).collect();
                    node.uses.iter().for_each(|(_, slot)| references[slot.port] += 1);
                }
                node
            })
            .collect();
        nodes.reverse();

        let mut end = 0;
        let slots: Vec<Range<usize>> = references
            .iter()
            .map(|count| {
                end += count;
                end - count..end
            })
            .collect();
        let mut next: Vec<usize> = slots.iter().map(|range| range.start).collect();
        let uses = nodes.iter_mut().flat_map(|node| node.uses.iter_mut().map(|(_, slot)| slot));
        for slot in seeds.iter_mut().map(|(.., slot)| slot).chain(uses) {
            slot.at = next[slot.port];
            next[slot.port] += 1;
        }
        Graph { nodes, ports: self.ports, slots, makers: self.makers, seeds, inputs }
    }
}

/// A pullback as a program, of what it mentions too.
fn pullback(trace: &Program, it: &Custom, results: &[Var]) -> Step {
    let (pullback, mentioned) = trace.function_alone(&it.pullback);
    Step::Custom { pullback, arguments: it.arguments.clone(), results: results.to_vec(), mentioned }
}

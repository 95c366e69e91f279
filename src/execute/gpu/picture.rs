//! Pictures of plans: kernels with what they move, and the loops and branches of the host as boxes around them.
//!
//! Law: each kernel is a box, and each loop, branch, exchange and wait of the host; an edge is an array or a scalar that one leaves for
//! another. Arrays are made where they are first written, and integers of the host are formulas where they are used: only those that are
//! too long, or set again, are written by themselves (tests/gpu/pictures.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{Formula, Formulas, for_each};
use super::kernel::{Kernel, Space};
use super::moved::{Move, Times, What};
use super::plan::{Plan, Step};
use super::print::name;
use crate::array::{Const, text};
use crate::draw::{FrameId, Graph, Line, NodeId, Role, Tone};
use crate::execute::Flat;
use crate::execute::fault::binder;
use crate::interpret::Value as Argument;
use crate::kernel::code::{Buffer, Operand, Output, Port, Value};

/// The most lines on what a kernel moves.
const MAX_MOVES: usize = 12;

/// The plan of a program as a graph; with numbers where arguments are given.
pub(super) fn graph(plan: &Plan, arguments: Option<&[Argument<f64>]>) -> Graph {
    let formulas = Formulas::of(plan, arguments.map(|all| known(plan, all)).unwrap_or_default());
    let (graph, frame) = Graph::new("plan");
    let mut draw = Draw {
        plan,
        formulas,
        graph,
        places: FxHashMap::default(),
        lengths: FxHashMap::default(),
        waiting: Vec::new(),
    };
    draw.inputs(frame);
    let moved = draw.steps(frame, &plan.steps);
    draw.outputs(frame, moved);
    draw.graph
}

/// The integers that arguments are, and the sizes that they have.
fn known(plan: &Plan, arguments: &[Argument<f64>]) -> FxHashMap<Value, Const> {
    let mut known = FxHashMap::default();
    for (port, argument) in plan.code.inputs.iter().zip(arguments) {
        match (port, argument) {
            (Port::Scalar(value), Argument::Scalar(scalar)) => {
                let prim = plan.code.values[value.0 as usize].prim;
                let integer =
                    super::bytes::constant(Flat::from(argument).lent(), prim).filter(|_| !scalar.prim().is_real());
                known.extend(integer.map(|constant| (*value, constant)));
            }
            (Port::Array { sizes, .. }, argument) => {
                let size = |n: &usize| Const::I64(i64::try_from(*n).unwrap_or(i64::MAX));
                known.extend(sizes.iter().copied().zip(argument.sizes().iter().map(size)));
            }
            (Port::Scalar(_), _) => {}
        }
    }
    known
}

/// What one step leaves for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Thing {
    Array(Buffer),
    Scalar(Value),
}

impl Thing {
    fn name(self) -> String {
        match self {
            Thing::Array(buffer) => format!("b{}", buffer.0),
            Thing::Scalar(value) => name(value),
        }
    }
}

type Lengths = FxHashMap<Buffer, Formula>;

/// Keeps the lengths that are the same there.
fn merge(lengths: &mut Lengths, others: &Lengths) {
    for (buffer, length) in others {
        let known = lengths.entry(*buffer).or_insert_with(|| length.clone());
        if known != length {
            *known = unknown(*buffer);
        }
    }
}

fn exchange(lengths: &mut Lengths, a: Buffer, b: Buffer) {
    let both = [b, a].map(|buffer| lengths.get(&buffer).cloned().unwrap_or_else(|| unknown(buffer)));
    lengths.extend([a, b].into_iter().zip(both));
}

struct Draw<'p> {
    plan: &'p Plan,
    formulas: Formulas,
    graph: Graph,
    /// The node that has left a thing, in the frame that is being made.
    places: FxHashMap<Thing, NodeId>,
    /// How many elements buffers have.
    lengths: Lengths,
    /// What the host has done since the last box.
    waiting: Vec<Line>,
}

impl Draw<'_> {
    fn inputs(&mut self, frame: FrameId) {
        let names = self.plan.program.names().iter().map(String::as_str);
        for (k, port) in self.plan.code.inputs.iter().enumerate() {
            let called = names.clone().nth(k).unwrap_or("a constant").to_owned();
            let (thing, what) = match port {
                Port::Scalar(value) => {
                    let prim = self.plan.code.values[value.0 as usize].prim;
                    (Thing::Scalar(*value), prim.to_string())
                }
                Port::Array { buffer, sizes } => {
                    let sizes: Vec<Operand> = sizes.iter().map(|size| Operand::Value(*size)).collect();
                    self.lengths.insert(*buffer, self.product(&sizes));
                    (Thing::Array(*buffer), self.shape(*buffer, &sizes))
                }
            };
            let lines =
                vec![Line::cut(Tone::Name, &called), Line::cut(Tone::Text, &format!("{}: {what}", thing.name()))];
            let node = self.graph.node(frame, Role::Input, lines);
            self.places.insert(thing, node);
        }
    }

    fn outputs(&mut self, frame: FrameId, moved: Option<Formula>) {
        let (mut lines, mut things) = (Vec::new(), Vec::new());
        for output in &self.plan.code.outputs {
            let (thing, what) = match output {
                Output::Scalar(Operand::Const(constant)) => (None, constant.to_string()),
                Output::Scalar(Operand::Value(value)) => {
                    (Some(Thing::Scalar(*value)), self.plan.kind(output).to_string())
                }
                Output::Array { buffer, sizes, .. } => (Some(Thing::Array(*buffer)), self.shape(*buffer, sizes)),
            };
            let named = thing.map_or_else(String::new, |thing| format!("{}: ", thing.name()));
            lines.push(Line::cut(Tone::Name, &format!("return {named}{what}")));
            things.extend(thing);
        }
        lines.extend(moved.map(|all| Line::cut(Tone::Value, &format!("{all} bytes in all"))));
        let node = self.graph.node(frame, Role::Output, lines);
        self.edges(&things, node);
    }

    fn product(&self, sizes: &[Operand]) -> Formula {
        sizes.iter().fold(Formula::number(1), |all, size| all.times(&self.formulas.operand(*size)))
    }

    fn shape(&self, buffer: Buffer, sizes: &[Operand]) -> String {
        let sizes: Vec<String> = sizes.iter().map(|size| format!("[{}]", self.formulas.operand(*size))).collect();
        format!("{}{}", sizes.concat(), self.plan.code.buffers[buffer.0 as usize].prim)
    }

    fn length(&self, buffer: Buffer) -> Formula {
        self.lengths.get(&buffer).cloned().unwrap_or_else(|| unknown(buffer))
    }

    /// Draws an edge from each that has left one of these things.
    fn edges(&mut self, things: &[Thing], to: NodeId) {
        let mut from: Vec<NodeId> = Vec::new();
        for node in things.iter().filter_map(|thing| self.places.get(thing)) {
            if !from.contains(node) {
                from.push(*node);
            }
        }
        from.into_iter().for_each(|from| self.graph.edge((from, 0), to));
    }

    /// A box of what the host has done since the last one.
    fn flush(&mut self, frame: FrameId) {
        if !self.waiting.is_empty() {
            let lines = core::mem::take(&mut self.waiting);
            self.graph.node(frame, Role::Step, lines);
        }
    }

    fn on_host(&mut self, line: &str) {
        self.waiting.push(Line::cut(Tone::Text, line));
    }

    /// A box that takes and leaves things.
    fn node(&mut self, frame: FrameId, lines: Vec<Line>, takes: &[Thing], leaves: &[Thing]) -> NodeId {
        self.flush(frame);
        let node = self.graph.node(frame, Role::Step, lines);
        self.edges(takes, node);
        self.places.extend(leaves.iter().map(|thing| (*thing, node)));
        node
    }

    /// Draws steps, and says how many bytes they move, if that is one formula.
    fn steps(&mut self, frame: FrameId, steps: &[Step]) -> Option<Formula> {
        let mut moved = Some(Formula::default());
        for step in steps {
            let more = self.step(frame, step);
            moved = moved.zip(more).map(|(moved, more)| moved.plus(&more));
        }
        self.flush(frame);
        moved
    }

    fn step(&mut self, frame: FrameId, step: &Step) -> Option<Formula> {
        let show = |this: &Self, operand: Operand| this.formulas.operand(operand).to_string();
        let nothing = Some(Formula::default());
        match step {
            Step::Let(value, ..) => {
                let line = self.formulas.definition(*value);
                line.iter().for_each(|line| self.on_host(line));
            }
            Step::Assign(cells) => {
                let set = |(cell, x): &(Value, Operand)| format!("{} := {}", name(*cell), show(self, *x));
                let line = cells.iter().map(set).collect::<Vec<_>>().join(", ");
                self.on_host(&line);
            }
            Step::Check(condition, _) if self.formulas.truth(*condition) == Some(true) => {}
            Step::Check(condition, _) => {
                let line = format!("check {}", show(self, *condition));
                self.on_host(&line);
            }
            Step::Bounds(index, length, _) => {
                let line = format!("check 0 ≤ {} < {}", show(self, *index), show(self, *length));
                self.on_host(&line);
            }
            Step::Alloc(buffer, count) => drop(self.lengths.insert(*buffer, self.formulas.operand(*count))),
            Step::Fetch(values) => {
                let things: Vec<Thing> = values.iter().map(|value| Thing::Scalar(*value)).collect();
                let names: Vec<String> = values.iter().map(|value| name(*value)).collect();
                let line = Line::cut(Tone::Name, &format!("wait for {}", names.join(", ")));
                self.node(frame, vec![line], &things, &things);
            }
            Step::Swap(a, b) => {
                let both = [*a, *b].map(Thing::Array);
                let line = Line::new(Tone::Name, format!("exchange b{} and b{}", a.0, b.0));
                self.node(frame, vec![line], &both, &both);
                exchange(&mut self.lengths, *a, *b);
            }
            Step::Kernel(k) => return Some(self.kernel(frame, *k)),
            Step::For { index, count, body } => {
                let line = format!("for {} < {}", name(*index), show(self, *count));
                let count = self.formulas.operand(*count);
                let moved = self.around(frame, step, &line, &[("", body)]);
                // What depends on the index is not the same each time.
                let index = name(*index);
                return moved.filter(|all| !all.to_string().contains(&index)).map(|all| all.times(&count));
            }
            Step::While { before, condition, body } => {
                let line = format!("while {}", show(self, *condition));
                return self
                    .around(frame, step, &line, &[("while", before), ("do", body)])
                    .filter(|all| *all == Formula::default());
            }
            Step::If { condition, yes, no } => {
                if let Some(holds) = self.formulas.truth(*condition) {
                    return self.steps(frame, if holds { yes } else { no });
                }
                let line = format!("if {}", show(self, *condition));
                return self
                    .around(frame, step, &line, &[("then", yes), ("else", no)])
                    .filter(|all| *all == Formula::default());
            }
        }
        nothing
    }

    /// A box around blocks of steps.
    fn around(
        &mut self,
        frame: FrameId,
        step: &Step,
        line: &str,
        blocks: &[(&'static str, &Vec<Step>)],
    ) -> Option<Formula> {
        let (mentioned, left) = self.mentioned(core::slice::from_ref(step));
        let from: Vec<Thing> = mentioned.into_iter().filter(|thing| self.places.contains_key(thing)).collect();
        let node = self.node(frame, vec![Line::cut(Tone::Name, line)], &from, &[]);
        if matches!(step, Step::For { .. } | Step::While { .. }) {
            // What it is before each iteration; a length that one iteration changes the next may pass on.
            for _ in 0..blocks.len() + 1 {
                let mut after = self.lengths.clone();
                self.follow(core::slice::from_ref(step), &mut after);
                self.lengths = after;
            }
        }
        let (before, lengths) = (self.places.clone(), self.lengths.clone());
        let (mut moved, mut after) = (Some(Formula::default()), lengths.clone());
        for (title, block) in blocks.iter().filter(|(_, block)| !block.is_empty()) {
            let inner = self.graph.frame(node, *title);
            let (inside, _) = self.mentioned(block);
            self.places.clear();
            for thing in inside.into_iter().filter(|thing| before.contains_key(thing)) {
                let node = self.graph.node(inner, Role::Outside, vec![Line::new(Tone::Name, thing.name())]);
                self.places.insert(thing, node);
            }
            if matches!(step, Step::If { .. }) {
                self.lengths.clone_from(&lengths);
            }
            let more = self.steps(inner, block);
            moved = moved.zip(more).map(|(moved, more)| moved.plus(&more));
            merge(&mut after, &self.lengths);
        }
        (self.places, self.lengths) = (before, after);
        self.places.extend(left.into_iter().map(|thing| (thing, node)));
        moved
    }

    /// What steps make of the lengths of buffers.
    fn follow(&self, steps: &[Step], lengths: &mut Lengths) {
        for step in steps {
            let before = lengths.clone();
            match step {
                Step::Alloc(buffer, count) => drop(lengths.insert(*buffer, self.formulas.operand(*count))),
                Step::Swap(a, b) => exchange(lengths, *a, *b),
                Step::Kernel(k) => {
                    if let Space::Lanes { folds, folded, .. } = &self.plan.kernels[*k].space {
                        lengths.extend(folds.iter().map(|buffer| (*buffer, self.found(*buffer, *folded))));
                    }
                }
                Step::For { body, .. } => {
                    self.follow(body, lengths);
                    merge(lengths, &before);
                }
                Step::While { before: first, body, .. } => {
                    self.follow(first, lengths);
                    self.follow(body, lengths);
                    merge(lengths, &before);
                }
                Step::If { yes, no, .. } => {
                    let mut other = before;
                    self.follow(yes, lengths);
                    self.follow(no, &mut other);
                    merge(lengths, &other);
                }
                Step::Let(..) | Step::Assign(_) | Step::Check(..) | Step::Bounds(..) | Step::Fetch(_) => {}
            }
        }
    }

    /// How many results lanes leave in a buffer.
    fn found(&self, buffer: Buffer, folded: Option<Value>) -> Formula {
        folded.map_or_else(|| unknown(buffer), |value| self.formulas.operand(Operand::Value(value)))
    }

    /// The things that steps take or leave, in order, and those that they leave.
    fn mentioned(&self, steps: &[Step]) -> (Vec<Thing>, Vec<Thing>) {
        let (mut all, mut left) = (Vec::new(), Vec::new());
        for_each(steps, &mut |step| {
            let (takes, leaves) = self.things(step);
            all.extend(takes.into_iter().chain(leaves.iter().copied()));
            left.extend(leaves);
        });
        let in_order = |things: Vec<Thing>| {
            let mut seen = FxHashSet::default();
            things.into_iter().filter(|thing| seen.insert(*thing)).collect::<Vec<_>>()
        };
        (in_order(all), in_order(left))
    }

    /// What a step itself takes, and what it leaves.
    fn things(&self, step: &Step) -> (Vec<Thing>, Vec<Thing>) {
        let scalar = |operand: &Operand| operand.value().map(Thing::Scalar).into_iter().collect::<Vec<_>>();
        match step {
            Step::Kernel(k) => self.of_kernel(&self.plan.kernels[*k]),
            Step::Fetch(values) => {
                let things: Vec<Thing> = values.iter().map(|value| Thing::Scalar(*value)).collect();
                (things.clone(), things)
            }
            Step::Swap(a, b) => ([*a, *b].map(Thing::Array).to_vec(), [*a, *b].map(Thing::Array).to_vec()),
            Step::For { count: operand, .. }
            | Step::While { condition: operand, .. }
            | Step::If { condition: operand, .. } => (scalar(operand), Vec::new()),
            Step::Let(..) | Step::Assign(_) | Step::Check(..) | Step::Bounds(..) | Step::Alloc(..) => {
                Default::default()
            }
        }
    }

    fn of_kernel(&self, kernel: &Kernel) -> (Vec<Thing>, Vec<Thing>) {
        let arrays = kernel.bindings.iter().map(|binding| Thing::Array(binding.buffer));
        let takes = arrays.chain(kernel.takes.iter().map(|value| Thing::Scalar(*value))).collect();
        let is_own = |buffer: &Buffer| kernel.private.iter().any(|(other, ..)| other == buffer);
        let written =
            kernel.moves.iter().filter(|it| matches!(it.what, What::Writes | What::Claims) && !is_own(&it.buffer));
        let written = written.map(|it| Thing::Array(it.buffer));
        (takes, written.chain(kernel.leaves.iter().map(|value| Thing::Scalar(*value))).collect())
    }

    fn kernel(&mut self, frame: FrameId, k: usize) -> Formula {
        let kernel = &self.plan.kernels[k];
        let mut lines = vec![Line::new(Tone::Name, format!("kernel {k}"))];
        let stm = kernel.origin.and_then(|var| binder(&self.plan.program.function().body, var));
        if let Some(stm) = stm {
            let head = text::head(&self.plan.program, stm);
            let made = head.split_once(" = ").map_or(head.as_str(), |(_, made)| made);
            let end = [" |", " {"].iter().filter_map(|open| made.find(open)).min().unwrap_or(made.len());
            lines.push(Line::cut(Tone::Text, made[..end].trim_end()));
        }
        let lanes = match &kernel.space {
            Space::Serial => {
                lines.push(Line::new(Tone::Text, "one thread"));
                Formula::number(1)
            }
            Space::Lanes { count, folds, folded, .. } => {
                let lanes = self.formulas.operand(*count);
                let left = folded.map(|value| format!(", which leave {} results", name(value))).unwrap_or_default();
                lines.push(Line::cut(Tone::Text, &format!("lanes < {lanes}{left}")));
                let known = lanes.as_number().and_then(|lanes| u32::try_from(lanes).ok());
                if let Some((value, lanes)) = folded.zip(known) {
                    let results = kernel.space.results(lanes, kernel.space.groups(lanes));
                    self.formulas.learn(value, Const::I64(results.into()));
                }
                for buffer in folds {
                    self.lengths.insert(*buffer, self.found(*buffer, *folded));
                }
                lanes
            }
        };
        let mut all = Formula::default();
        let mut moved: Vec<(String, Formula)> = Vec::new();
        for it in &kernel.moves {
            let (what, bytes) = self.moved(kernel, it, &lanes);
            all = all.plus(&bytes);
            match moved.iter_mut().find(|(other, _)| *other == what) {
                Some((_, sum)) => *sum = sum.plus(&bytes),
                None => moved.push((what, bytes)),
            }
        }
        let shown = moved.iter().take(MAX_MOVES);
        lines.extend(shown.map(|(what, bytes)| Line::cut(Tone::Text, &format!("{what}: {bytes} bytes"))));
        if moved.len() > MAX_MOVES {
            lines.push(Line::new(Tone::Text, format!("… {} more", moved.len() - MAX_MOVES)));
        }
        lines.push(Line::cut(Tone::Value, &format!("{all} bytes")));
        let (takes, leaves) = self.of_kernel(kernel);
        self.node(frame, lines, &takes, &leaves);
        all
    }

    /// What is moved, and how many bytes.
    fn moved(&self, kernel: &Kernel, it: &Move, lanes: &Formula) -> (String, Formula) {
        let buffer = format!("b{}", it.buffer.0);
        let own = kernel.private.iter().find(|(other, ..)| *other == it.buffer);
        let length = match own.map(|(.., sizes)| &sizes[..]) {
            Some([size]) => self.formulas.operand(*size),
            Some(_) => unknown(it.buffer),
            None => self.length(it.buffer),
        };
        let each = |lanes: &Formula| {
            it.times.map_or_else(
                || length.clone(),
                |Times { each, once }| {
                    let all = lanes.times(&Formula::number(each.into())).plus(&Formula::number(once.into()));
                    length.least(&all)
                },
            )
        };
        let (elements, what) = match it.what {
            What::Reads => (each(lanes), format!("reads {buffer}")),
            What::Writes => (each(lanes), format!("writes {buffer}")),
            What::Claims => (each(lanes).plus(&length), format!("claims {buffer}")),
            What::Owners => (each(lanes), format!("asks who owns {buffer}")),
            What::Own => (each(&Formula::number(1)).times(lanes), format!("each lane has {buffer}")),
        };
        (what, elements.times(&Formula::number(it.bytes.into())))
    }
}

/// The number of elements of a buffer, where it has no formula.
fn unknown(buffer: Buffer) -> Formula {
    Formula::named(format!("#b{}", buffer.0))
}

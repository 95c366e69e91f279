//! Pictures of programs: the data flow, with the functions of operations inside of them, and notes on variables.
//!
//! Law: every statement is a box, or a line in the box of the operation whose function it is all of; an edge is an
//! operand, or what a function takes from outside; functions are folded only in a picture that would have too many
//! boxes, the deepest first (laws: drawings::of_program, tests/scalar/drawings.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::iteration::Form;
use super::operation::Op;
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::text;
use super::verify::{MAX_DEPTH, deeper};
use super::visit::{Nested, mentioned_by};
use crate::draw::{Drawing, FrameId, Graph, Line, MOST_EDGES, MOST_NODES, NodeId, Role, Tone};
use crate::error::Result;

/// A program to be drawn.
///
/// ```
/// use catadiff::array::{Program, Var};
/// use catadiff::draw::Tone;
/// let program = Program::parse("program (x: f64) { let y = sin(x) let z = mul(x, y) return z }")?;
/// let mut picture = program.picture();
/// picture.note(program.function().params[0], Tone::Value, "= 0.5");
/// assert!(picture.to_dot().contains(r#"n0 [label = "x: f64\n= 0.5", style = rounded];"#));
/// assert_eq!(picture.drawing()?.edges.len(), 4); // two for the product, and one for the result
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Picture<'p> {
    program: &'p Program,
    notes: FxHashMap<Var, Vec<Line>>,
}

impl Program {
    /// The program as a picture, to which notes can be added.
    #[must_use]
    pub fn picture(&self) -> Picture<'_> {
        Picture { program: self, notes: FxHashMap::default() }
    }

    /// The data flow in the DOT language: a node per statement, a cluster per operation that has functions.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let norm = Program::trace_named(&["xs"], |xs: Arr<F64>| xs.map(|x| x * x).sum())?;
    /// let dot = norm.to_dot();
    /// assert!(dot.starts_with("digraph program {") && dot.contains("map (xs)") && dot.contains("subgraph cluster_1 {"));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        self.picture().to_dot()
    }

    /// The data flow as a picture in SVG, with the functions of operations in boxes inside of theirs. A picture has at most
    /// [`MOST_NODES`] boxes: in larger programs functions are folded, the deepest first.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let norm = Program::trace(|xs: Arr<F64>| xs.map(|x| x * x).sum())?;
    /// assert!(norm.grad(0)?.to_svg()?.starts_with("<svg xmlns="));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) if the statements outside of functions are more than a picture has room for.
    pub fn to_svg(&self) -> Result<String> {
        self.picture().to_svg()
    }
}

impl Picture<'_> {
    /// Adds a line to the boxes of a variable.
    pub fn note(&mut self, var: Var, tone: Tone, text: impl Into<String>) {
        self.notes.entry(var).or_default().push(Line::new(tone, text));
    }

    /// The picture in the DOT language, with all there is in it.
    #[must_use]
    pub fn to_dot(&self) -> String {
        self.graph(MAX_DEPTH).to_dot()
    }

    /// The picture in SVG.
    ///
    /// # Errors
    /// As for [`Program::to_svg`].
    pub fn to_svg(&self) -> Result<String> {
        Ok(self.drawing()?.to_svg())
    }

    /// The picture as boxes and edges with their places.
    ///
    /// # Errors
    /// As for [`Program::to_svg`].
    pub fn drawing(&self) -> Result<Drawing> {
        let fits = |graph: &Graph| {
            let [nodes, edges] = graph.count();
            nodes <= MOST_NODES && edges <= MOST_EDGES
        };
        let whole = self.graph(MAX_DEPTH);
        if fits(&whole) {
            return whole.drawing();
        }
        // The greatest depth at which it fits, between one that does and one that does not.
        let (mut fitting, mut depth, mut too_deep) = (None, 0, MAX_DEPTH);
        while depth < too_deep {
            let graph = self.graph(depth);
            if fits(&graph) {
                fitting = Some((depth, graph));
            } else if depth == 0 {
                return graph.drawing();
            } else {
                too_deep = depth;
            }
            let least = fitting.as_ref().map_or(0, |(depth, _)| depth + 1);
            depth = (least + too_deep) / 2;
        }
        fitting.map_or_else(|| whole.drawing(), |(_, graph)| graph.drawing())
    }

    /// The program as a graph, with functions at most this deep inside of each other.
    fn graph(&self, deepest: usize) -> Graph {
        let (graph, frame) = Graph::new("program");
        let mut draw = Draw { picture: self, graph, places: FxHashMap::default(), deepest };
        let function = &self.program.function;
        let entries = function.params.iter().map(|param| (*param, String::new())).collect();
        draw.frame(frame, &Inside { title: "", entries, body: &function.body, outside: Vec::new() }, 0);
        draw.graph
    }
}

/// One of the functions of an operation.
struct Inside<'p> {
    title: &'static str,
    /// Its variables, and what they are.
    entries: Vec<(Var, String)>,
    body: &'p Body,
    /// The variables from outside that it mentions.
    outside: Vec<Var>,
}

/// A graph that is being made.
struct Draw<'p> {
    picture: &'p Picture<'p>,
    graph: Graph,
    /// The node of a variable in the frame that is being made, and which of its results it is.
    places: FxHashMap<Var, (NodeId, usize)>,
    deepest: usize,
}

impl<'p> Draw<'p> {
    fn frame(&mut self, frame: FrameId, inside: &Inside<'p>, depth: usize) {
        deeper(|| {
            let program = self.picture.program;
            let mut covered = Vec::new();
            for var in &inside.outside {
                let node =
                    self.graph.node(frame, Role::Outside, vec![Line::new(Tone::Name, text::name(program, *var))]);
                covered.push((*var, self.places.insert(*var, (node, 0))));
            }
            for (var, what) in &inside.entries {
                let what = (!what.is_empty()).then(|| Line::cut(Tone::Text, what));
                let lines = [self.named(&[*var])].into_iter().chain(what).chain(self.notes(&[*var])).collect();
                let node = self.graph.node(frame, Role::Input, lines);
                self.places.insert(*var, (node, 0));
            }
            inside.body.stms.iter().for_each(|stm| self.statement(frame, stm, depth));
            let line = Line::cut(Tone::Name, &text::results(program, inside.body));
            let end = self.graph.node(frame, Role::Output, vec![line]);
            inside.body.results.iter().for_each(|atom| self.edge(*atom, end));
            for (var, before) in covered {
                before.map(|place| self.places.insert(var, place));
            }
        });
    }

    fn statement(&mut self, frame: FrameId, stm: &'p Stm, depth: usize) {
        let whole = text::head(self.picture.program, stm);
        let made = whole.split_once(" = ").map_or(whole.as_str(), |(_, made)| made);
        let mut functions = self.functions(&stm.op);
        let mut lines: Vec<Line> = (!stm.vars.is_empty()).then(|| self.named(&stm.vars)).into_iter().collect();
        let mut made = if functions.is_empty() { made.to_owned() } else { without_functions(made).to_owned() };
        let outside: Vec<Var> = functions.iter().flat_map(|inside| inside.outside.iter().copied()).collect();
        if let Some(operation) = all_of(&stm.op) {
            made = format!("{made} by {operation}");
            functions.clear();
        }
        lines.push(Line::cut(Tone::Text, &made));
        lines.extend(self.notes(&stm.vars));
        if depth >= self.deepest && !functions.is_empty() {
            let count: usize = functions.iter().map(|inside| inside.body.stms.len()).sum();
            lines.push(Line::new(Tone::Text, format!("… {count} statements")));
            functions.clear();
        }
        let node = self.graph.node(frame, Role::Step, lines);
        let mut operands = FxHashSet::default();
        stm.op.atoms(|atom| {
            self.edge(atom, node);
            operands.insert(atom);
        });
        for var in outside {
            if operands.insert(Atom::Var(var)) {
                self.edge(Atom::Var(var), node);
            }
        }
        for inside in &functions {
            let inner = self.graph.frame(node, inside.title);
            self.frame(inner, inside, depth + 1);
        }
        self.places.extend(stm.vars.iter().enumerate().map(|(port, var)| (*var, (node, port))));
    }

    fn edge(&mut self, atom: Atom, to: NodeId) {
        if let Atom::Var(var) = atom
            && let Some(from) = self.places.get(&var)
        {
            self.graph.edge(*from, to);
        }
    }

    fn shown(&self, atom: Atom) -> String {
        text::operand(self.picture.program, atom)
    }

    fn named(&self, vars: &[Var]) -> Line {
        let program = self.picture.program;
        let shown: Vec<String> =
            vars.iter().map(|var| format!("{}: {}", text::name(program, *var), program.type_of(*var))).collect();
        Line::cut(Tone::Name, &shown.join(", "))
    }

    fn notes(&self, vars: &[Var]) -> Vec<Line> {
        let notes = vars.iter().filter_map(|var| self.picture.notes.get(var)).flatten();
        notes.map(|line| Line::cut(line.tone, &line.text)).collect()
    }

    /// The functions of an operation.
    fn functions(&self, op: &'p Op) -> Vec<Inside<'p>> {
        let inside = |title, entries: Vec<(Var, String)>, body: &'p Body| {
            let outside = mentioned_by(body, entries.iter().map(|(var, _)| *var));
            Inside { title, entries, body, outside }
        };
        let of = |lambda: &'p Lambda, what: Vec<String>| {
            let entries = lambda.params.iter().copied().zip(what).collect();
            inside("", entries, &lambda.body)
        };
        let each = |first: &str, second: &str, count: usize| {
            let half = |what: &str| vec![what.to_owned(); count / 2];
            [half(first), half(second)].concat()
        };
        match op.nested() {
            Nested::Branches(yes, no) => vec![inside("then", Vec::new(), yes), inside("else", Vec::new(), no)],
            Nested::Loop(it) => {
                let first = |(param, initial): &(Var, Atom)| (*param, format!("at first {}", self.shown(*initial)));
                let mut entries: Vec<(Var, String)> = it.params.iter().map(first).collect();
                match &it.form {
                    Form::For(i, bound) => {
                        entries.push((*i, format!("0, 1, … below {}", self.shown(*bound))));
                        vec![inside("", entries, &it.body)]
                    }
                    Form::While { condition, .. } => {
                        vec![inside("while", entries.clone(), condition), inside("do", entries, &it.body)]
                    }
                }
            }
            Nested::Functions(functions) => {
                let given: Vec<String> = match op {
                    Op::Map(it) => {
                        let arrays = it.arrays.iter().map(|array| format!("each of {}", self.shown(*array)));
                        arrays.chain(it.accumulators.iter().map(|a| self.shown(*a))).collect()
                    }
                    Op::Hist(it) => each("in the bin", "next", it.operator.params.len()),
                    Op::Custom(it) => {
                        let results = |of: &str| vec![of.to_owned(); it.function.body.results.len()];
                        let arguments = it.arguments.iter().map(|a| self.shown(*a));
                        arguments.chain(results("a result")).chain(results("adjoint of a result")).collect()
                    }
                    _ => functions.iter().flat_map(|f| each("so far", "next", f.params.len())).collect(),
                };
                let titles = ["", "pullback"];
                functions.iter().zip(titles).map(|(f, title)| Inside { title, ..of(f, given.clone()) }).collect()
            }
        }
    }
}

/// The scalar operation on its parameters that the function of an operation is, if it is no more.
fn all_of(op: &Op) -> Option<String> {
    let Nested::Functions(functions) = op.nested() else { return None };
    let [function] = functions[..] else { return None };
    match &function.body.stms[..] {
        [Stm { vars, op: Op::Scalar(operation, operands), .. }]
            if function.body.results.iter().eq(&[Atom::Var(vars[0])])
                && operands.iter().eq(&function.params.iter().map(|param| Atom::Var(*param)).collect::<Vec<_>>()) =>
        {
            Some(operation.to_string())
        }
        _ => None,
    }
}

/// The text of an operation as far as its first function.
fn without_functions(made: &str) -> &str {
    let end = [" |", " {"].iter().filter_map(|open| made.find(open)).min();
    made[..end.unwrap_or(made.len())].trim_end()
}

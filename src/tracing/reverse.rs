//! Reverse mode on a trace of scalars: a step is processed when every use of it has added to its adjoint.
//!
//! No order is laid down beforehand. Each step counts the parts that its adjoint still lacks, and whoever brings the last
//! one makes it ready, as in Kahn's algorithm; so steps that do not wait for each other can be processed at the same time.
//!
//! Law: the adjoints are those of `vjp`, and the same to the last bit in whatever order steps become ready: every part
//! has its own place, and the places are added up in the order of the trace. The partial derivatives are those of the
//! table: an operation is run on [`Dual`] numbers whose tangents carry the adjoint ("Maintaining parallelism in
//! reverse-mode automatic differentiation on functional parallel array languages", *The Reverse Pass*)
//! (laws: tracing::reverse_modes_agree).

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Mutex;

use super::graph::{Graph, Node, Step, Values};
use super::{Keep, Trace};
use crate::algebra::Module;
use crate::array::{Atom, Prim, Program, ScalarOp, Type, Var};
use crate::carriers::Dual;
use crate::error::{Error, Result};
use crate::interpret::{Arithmetic, Scalar, VERIFIED, Value, apply};

/// Who processes the steps of a reverse pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// One after the other.
    #[default]
    Sequential,
    /// Tasks on rayon's threads, one for each step that becomes ready while another goes on; without the feature `rayon`
    /// one after the other.
    Tasks,
}

/// The results, and the adjoints of the arguments.
pub type Reversed = (Vec<Value<f64>>, Vec<Value<f64>>);

impl Trace {
    /// Reverse mode: the results at these arguments, and the adjoints of the arguments for these adjoints of the results.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// use catadiff::tracing::{Keep, Schedule};
    /// // Figure 1 of the thesis: x1 + x1·x2 at (5, 3).
    /// let f = Program::parse("program (x1: f64, x2: f64) { let r1 = mul(x1, x2) let r2 = add(x1, r1) return r2 }")?;
    /// let at = [5.0.into(), 3.0.into()];
    /// let (results, adjoints) = f.traced(&at, Keep::Scalars)?.reverse(&at, &[1.0.into()], Schedule::Tasks)?;
    /// assert_eq!((results, adjoints), (vec![20.0.into()], vec![4.0.into(), 5.0.into()]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// Reals are differentiated. The adjoints of integers and truth values are zeros of their kind, and those of results
    /// of such a kind are not used.
    ///
    /// # Errors
    /// [`Error::NotDifferentiable`] if arrays are kept: then the trace's program has a `vjp`. [`Error::Length`] and
    /// [`Error::Argument`] if the adjoints are not of the sizes of the results, and as for [`run`](Trace::run).
    pub fn reverse(&self, arguments: &[Value<f64>], adjoints: &[Value<f64>], schedule: Schedule) -> Result<Reversed> {
        if self.keep() == Keep::Arrays {
            let reason = "its arrays are kept, and only scalars have a step each: take the `vjp` of its program";
            return Err(Error::NotDifferentiable { operation: "a trace".into(), reason });
        }
        let values = self.replay(arguments)?.into_values();
        let pass = Pass::new(&self.whole, &values);
        let results: Vec<Value<f64>> = self.whole.function.body.results.iter().map(|a| pass.value(*a)).collect();
        fitting(&results, adjoints)?;
        let ready = pass.seeded(adjoints);
        match schedule {
            Schedule::Sequential => pass.sequential(ready),
            Schedule::Tasks => pass.tasks(ready),
        }
        Ok((results, pass.gradient(arguments)?))
    }
}

/// Checks that adjoints are like the results.
fn fitting(results: &[Value<f64>], adjoints: &[Value<f64>]) -> Result<()> {
    Error::lengths("the list of adjoints", results.len(), adjoints.len())?;
    for (n, (result, adjoint)) in results.iter().zip(adjoints).enumerate() {
        if result.sizes() != adjoint.sizes() || (result.to_reals().is_some() && adjoint.to_reals().is_none()) {
            let shown = |value: &Value<f64>| {
                let sizes: String = value.sizes().iter().map(|size| format!("[{size}]")).collect();
                format!("{sizes}{}", value.type_like(Prim::F64).prim)
            };
            let (expected, found) = (shown(result), shown(adjoint));
            return Err(Error::Argument { name: format!("adjoint_{n}"), expected, found });
        }
    }
    Ok(())
}

/// A reverse pass over a trace that has run.
pub(super) struct Pass<'t> {
    trace: &'t Program,
    values: &'t Values,
    graph: Graph,
    /// The parts of adjoints, as bits: each is written once, by the step whose it is.
    parts: Vec<AtomicU64>,
    /// For each node, how many parts of adjoints of what it computes are still to come.
    waiting: Vec<AtomicUsize>,
    /// The first error, by the number of its node.
    error: Mutex<Option<(usize, Error)>>,
}

impl<'t> Pass<'t> {
    pub(super) fn new(trace: &'t Program, values: &'t Values) -> Self {
        let graph = Graph::new(trace, values);
        let parts = (0..graph.size()).map(|_| AtomicU64::new(0)).collect();
        let waiting = (0..graph.nodes.len()).map(|node| AtomicUsize::new(graph.references(node))).collect();
        Pass { trace, values, graph, parts, waiting, error: Mutex::default() }
    }

    /// The whole pass, for these adjoints of the results.
    pub(super) fn run(&self, results: &[Value<f64>], adjoints: &[Value<f64>]) -> Result<()> {
        fitting(results, adjoints)?;
        self.sequential(self.seeded(adjoints));
        self.outcome()
    }

    /// The adjoint of a variable, after the pass.
    pub(super) fn adjoint_of(&self, var: Var) -> f64 {
        self.graph.port(var).map_or(0.0, |port| self.adjoint(port))
    }

    fn outcome(&self) -> Result<()> {
        let error = self.error.lock().expect("no task panics while it holds the error");
        error.as_ref().map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    fn value(&self, atom: Atom) -> Value<f64> {
        match atom {
            Atom::Var(var) => self.values[var.0 as usize].clone().expect("a trace has run"),
            Atom::Const(constant) => Value::Scalar(f64::constant(constant)),
        }
    }

    /// The nodes that the adjoints of the results make ready.
    fn seeded(&self, adjoints: &[Value<f64>]) -> Vec<usize> {
        let mut ready = Vec::new();
        for (result, element, slot) in &self.graph.seeds {
            self.deliver(slot.at, slot.port, real(&adjoints[*result].elements()[*element]), &mut ready);
        }
        ready
    }

    /// Brings a part of the adjoint of a port. If it is the last of its node, that is ready.
    fn deliver(&self, at: usize, port: usize, part: f64, ready: &mut Vec<usize>) {
        self.parts[at].store(part.to_bits(), Ordering::Relaxed);
        if let Some(node) = self.graph.maker(port)
            && self.waiting[node].fetch_sub(1, Ordering::AcqRel) == 1
        {
            ready.push(node);
        }
    }

    /// The adjoint of a port, all of whose parts are there.
    fn adjoint(&self, port: usize) -> f64 {
        let parts = self.graph.slots(port).map(|at| f64::from_bits(self.parts[at].load(Ordering::Relaxed)));
        parts.reduce(|sum, part| sum + part).unwrap_or(0.0)
    }

    /// Processes a node that is ready: its adjoint is passed on to what it uses, and some of that becomes ready.
    fn process(&self, number: usize, ready: &mut Vec<usize>) {
        let node = &self.graph.nodes[number];
        let mut parts = match &node.step {
            Step::Scalar(op, atoms) => self.pulled(node, *op, atoms),
            Step::Custom { pullback, arguments, results, mentioned } => {
                self.custom(node, pullback, arguments, results, mentioned).unwrap_or_else(|error| {
                    let mut first = self.error.lock().expect("no task panics while it holds the error");
                    if first.as_ref().is_none_or(|(other, _)| number < *other) {
                        *first = Some((number, error));
                    }
                    // The pass goes on, so that every step is reached, and its result is not used.
                    vec![0.0; node.uses.len()]
                })
            }
        }
        .into_iter();
        for (_, slot) in &node.uses {
            let part = parts.next().expect("a part for each use");
            self.deliver(slot.at, slot.port, part, ready);
        }
    }

    /// The parts that a scalar operation gives to the adjoints of its operands: a run on dual numbers, where the tangent
    /// of each operand is its own unit times the adjoint.
    fn pulled(&self, node: &Node, op: ScalarOp, atoms: &[Atom]) -> Vec<f64> {
        type Number = Dual<f64, Parts>;
        let [(.., port)] = node.outputs[..] else { panic!("a scalar operation has one result") };
        let adjoint = self.adjoint(port);
        let operand = |(n, atom): (usize, &Atom)| {
            let mut tangent = Parts::zero_tangent();
            if node.uses.iter().any(|(operand, _)| *operand == n) {
                tangent.0[n] = Some(adjoint);
            }
            match self.value(*atom).map(|x| Number { value: *x, tangent }) {
                Value::Scalar(scalar) => scalar,
                Value::Array(_) => panic!("{VERIFIED}"),
            }
        };
        let operands: Vec<Scalar<Number>> = atoms.iter().enumerate().map(operand).collect();
        let result = apply(op, &operands).ok();
        let result = result.as_ref().and_then(Scalar::real).expect("an operation with a real result has one");
        node.uses.iter().map(|(n, _)| result.tangent.0[*n].unwrap_or(0.0)).collect()
    }

    /// The parts that a function with a pullback gives.
    fn custom(
        &self,
        node: &Node,
        pullback: &Program,
        arguments: &[Atom],
        results: &[Var],
        mentioned: &[Var],
    ) -> Result<Vec<f64>> {
        let mut adjoints: Vec<Vec<Scalar<f64>>> = Vec::new();
        let shapes: Vec<Value<f64>> = results.iter().map(|var| self.value((*var).into())).collect();
        for (var, value) in results.iter().zip(&shapes) {
            adjoints.push(vec![zero(self.trace.type_of(*var)); value.elements().len()]);
        }
        for (result, element, port) in &node.outputs {
            let prim = self.trace.type_of(results[*result]).prim;
            adjoints[*result][*element] = Scalar::of_real(prim, self.adjoint(*port));
        }
        let mut all: Vec<Value<f64>> = arguments.iter().map(|a| self.value(*a)).collect();
        for (value, adjoint) in shapes.iter().zip(adjoints) {
            all.push(Value::array(value.sizes(), adjoint)?);
        }
        all.extend(mentioned.iter().map(|var| self.value((*var).into())));
        let pulled: Vec<Scalar<f64>> = pullback.run(&all)?.iter().flat_map(|value| value.elements().to_vec()).collect();
        Error::lengths("the list of adjoints of a custom function", self.count(arguments), pulled.len())?;
        Ok(node.uses.iter().map(|(n, _)| real(&pulled[*n])).collect())
    }

    /// The number of scalars in these operands.
    fn count(&self, atoms: &[Atom]) -> usize {
        atoms.iter().map(|a| self.value(*a).elements().len()).sum()
    }

    fn sequential(&self, mut ready: Vec<usize>) {
        while let Some(node) = ready.pop() {
            self.process(node, &mut ready);
        }
    }

    #[cfg(not(feature = "rayon"))]
    fn tasks(&self, ready: Vec<usize>) {
        self.sequential(ready);
    }

    #[cfg(feature = "rayon")]
    fn tasks(&self, ready: Vec<usize>) {
        rayon::scope(|scope| self.spawn(scope, ready));
    }

    /// Goes on with one of the nodes that are ready, and leaves the others to tasks of their own.
    #[cfg(feature = "rayon")]
    fn spawn<'s>(&'s self, scope: &rayon::Scope<'s>, mut ready: Vec<usize>) {
        while let Some(node) = ready.pop() {
            for other in ready.drain(..) {
                scope.spawn(move |scope| self.spawn(scope, vec![other]));
            }
            self.process(node, &mut ready);
        }
    }

    /// The adjoints of the arguments, after the pass.
    fn gradient(self, arguments: &[Value<f64>]) -> Result<Vec<Value<f64>>> {
        let mut adjoints: Vec<Vec<Scalar<f64>>> = Vec::new();
        for (param, argument) in self.trace.function.params.iter().zip(arguments) {
            adjoints.push(vec![zero(self.trace.type_of(*param)); argument.elements().len()]);
        }
        for (argument, element, port) in &self.graph.inputs {
            let prim = self.trace.type_of(self.trace.function.params[*argument]).prim;
            adjoints[*argument][*element] = Scalar::of_real(prim, self.adjoint(*port));
        }
        self.outcome()?;
        arguments.iter().zip(adjoints).map(|(argument, adjoint)| Value::array(argument.sizes(), adjoint)).collect()
    }
}

/// The parts of an adjoint that go to the operands of an operation; an operand without one is not differentiated by.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Parts([Option<f64>; MOST_OPERANDS]);

/// The most operands that a scalar operation has.
const MOST_OPERANDS: usize = 3;

impl Module<f64> for Parts {
    fn zero_tangent() -> Self {
        Parts([None; MOST_OPERANDS])
    }

    fn is_zero_tangent(&self) -> bool {
        *self == Parts::zero_tangent()
    }

    fn plus(self, other: Self) -> Self {
        Parts(core::array::from_fn(|n| match (self.0[n], other.0[n]) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        }))
    }

    fn scale(self, by: &f64) -> Self {
        Parts(self.0.map(|part| part.map(|part| part.scale(by))))
    }

    fn scale_ieee(self, by: &f64) -> Self {
        Parts(self.0.map(|part| part.map(|part| part * by)))
    }
}

/// The adjoint of what is not differentiated by.
fn zero(of: Type) -> Scalar<f64> {
    f64::constant(of.prim.zero())
}

fn real(scalar: &Scalar<f64>) -> f64 {
    *scalar.real().expect(VERIFIED)
}

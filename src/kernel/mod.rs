//! From programs to code.
//!
//! A map over enough elements becomes a loop over lanes, and what is inside it sequential loops in which each lane does
//! its own work; over few elements it becomes a sequential loop, and what is inside it loops over lanes. Both are
//! there, and the choice is made when the sizes are known. A map whose result is used once, element by element, does
//! not run at all: where an element is wanted it is computed.
//!
//! Law: code computes what the reference interpreter computes, but for the order of commutative reductions, and for how
//! associative operators are bracketed over many elements. What a program gets wrong is noticed, and may be noticed where no
//! lane needs it; what goes wrong, and where, the [`stepwise`] code of the program tells.
//!
//! | file | what is in it |
//! |---|---|
//! | `code`, `parts`, `show` | the code, what its statements are made of, and as text |
//! | `statement`, `branch`, `loops`, `map`, `reduce`, `scan`, `hist`, `segments`, `accumulate` | a program's statements as code |
//! | `check` | what is checked, and what is wrong where a check fails |
//! | `view`, `shape`, `liveness` | where elements are, the sizes of results, what can wait |
//! | `emit` | where an operation goes: outside of as many loops as can be |
//! | `fuse_lanes`, `fuse_sequential`, `interchange` | loops as fewer loops |
//! | `forward_branch_results` | branches as fewer statements |

mod accumulate;
mod branch;
mod check;
pub(crate) mod code;
mod emit;
pub(crate) mod forward_branch_results;
pub(crate) mod fuse_lanes;
pub(crate) mod fuse_sequential;
mod hist;
pub(crate) mod interchange;
mod liveness;
mod loops;
mod map;
pub(crate) mod parts;
mod reduce;
mod scan;
mod segments;
mod shape;
mod show;
mod statement;
mod view;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Atom, Body, Const, Map, Op, Prim, Program, ScalarOp, Type, Var};
use crate::error::Span;
use code::{Buffer, Code, Fold, Lanes, Operand, Origin, Output, Port, Stm, Value};
use emit::Emit;
use liveness::Pending;
use view::{Array, Bound, Form, View};

/// Why a program, or a way to run a part of it, cannot be lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsupported(pub(crate) &'static str);

/// Why a program cannot be lowered, and the statement, as text.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) reason: &'static str,
    pub(crate) statement: String,
}

type Step<T> = Result<T, Unsupported>;

/// The number of the region of a program's statements; the inputs are in the one before.
const BODY: usize = 1;

/// The results of the maps that were computed in a frame, by map and index.
type Computed<'p> = FxHashMap<(*const Map, Operand), Vec<Bound<'p>>>;

/// A rewrite of code.
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Code),
}

/// What an executor lowers programs to: code for loops over lanes that are worth it there, and what it makes of that.
pub(crate) struct Target {
    /// Fewer elements than this are not worth a loop over lanes, if there is another inside.
    pub(crate) wide: i64,
    /// In order.
    pub(crate) passes: &'static [Pass],
}

/// A program on its way to code.
struct Lowering<'p> {
    program: &'p Program,
    /// Whether statements are carried out in the order of the program, each by itself and wholly, and checks say what is wrong.
    stepwise: bool,
    /// As of the [`Target`].
    wide: i64,
    emit: Emit,
    pending: Pending,
    bound: Vec<Option<Bound<'p>>>,
    /// For each open frame, what was computed in it.
    computed: Vec<Computed<'p>>,
    /// The statement that loops are for.
    origin: Origin,
    /// The statement that is being lowered.
    at: Option<&'p crate::array::Stm>,
    /// Where it comes from, or the one around it.
    span: Span,
    /// The index of the loop over lanes that is open.
    lane: Option<Operand>,
    /// Where the program would not be in all lanes, in which it is.
    mask: Option<Operand>,
    /// How many first rows are being computed, each inside of the one before.
    firsts: usize,
    /// The number of the stretch of code that runs as often as what is being lowered, and how many there are.
    region: usize,
    regions: usize,
    /// The region in which each buffer may be changed.
    owners: Vec<usize>,
    /// The buffers in which loops keep what they carry.
    homes: FxHashSet<Buffer>,
    /// The buffers that the open loop over lanes adds and scatters to.
    adds: Vec<Buffer>,
    scatters: Vec<Buffer>,
}

/// What is known of an array that is the same in every run: its sizes, and the least and the greatest of its integers.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) sizes: Vec<usize>,
    pub(crate) range: Option<(i64, i64)>,
}

/// The code of a program that verifies, whose last parameters are always these arrays.
pub(crate) fn lower(program: &Program, known: &[Known], target: &Target) -> Result<Code, Refused> {
    in_passes(program, known, target, |_, _| ())
}

/// The same, and the code after each pass is told, with the name of the pass.
pub(crate) fn in_passes(
    program: &Program,
    known: &[Known],
    target: &Target,
    mut told: impl FnMut(&'static str, &Code),
) -> Result<Code, Refused> {
    let mut code = Lowering { wide: target.wide, ..Lowering::new(program, false) }.code(known)?;
    told("lowered", &code);
    for pass in target.passes {
        (pass.run)(&mut code);
        told(pass.name, &code);
    }
    Ok(code)
}

/// Code that carries out the statements of a program that verifies one after the other, as they are written. It is slow, and
/// where a check fails it is the first statement of the program that goes wrong, which the check knows.
pub(crate) fn stepwise(program: &Program) -> Result<Code, Refused> {
    Lowering::new(program, true).code(&[])
}

impl<'p> Lowering<'p> {
    fn new(program: &'p Program, stepwise: bool) -> Self {
        Lowering {
            program,
            stepwise,
            wide: i64::MAX,
            emit: Emit::new(),
            pending: if stepwise { Pending::default() } else { Pending::of(program) },
            bound: vec![None; program.types.len()],
            computed: vec![Computed::default()],
            origin: None,
            at: None,
            span: Span::UNKNOWN,
            lane: None,
            mask: None,
            firsts: 0,
            region: 0,
            regions: 1,
            owners: Vec::new(),
            homes: FxHashSet::default(),
            adds: Vec::new(),
            scatters: Vec::new(),
        }
    }

    /// The code of the program, whose last parameters are always these arrays.
    fn code(mut self, known: &[Known]) -> Result<Code, Refused> {
        let params = &self.program.function.params;
        let given = params.len() - known.len();
        let mut inputs: Vec<Port> = params[..given].iter().map(|param| self.input(*param, None)).collect();
        inputs.extend(params[given..].iter().zip(known).map(|(param, known)| self.input(*param, Some(known))));
        // No input may be changed.
        self.enter_region();
        let outputs =
            self.outputs().map_err(|Unsupported(reason)| Refused { reason, statement: self.statement_text() })?;
        let body = self.close();
        let Emit { values, buffers, sums, .. } = self.emit;
        Ok(Code { values, buffers, inputs, given, sums, body, outputs })
    }

    fn outputs(&mut self) -> Step<Vec<Output>> {
        let program = self.program;
        let results = self.body(&program.function.body)?;
        results.into_iter().map(|result| self.output(result)).collect()
    }

    fn input(&mut self, param: Var, known: Option<&Known>) -> Port {
        let Type { prim, rank, .. } = self.program.type_of(param);
        if rank == 0 {
            let value = self.emit.value(prim, false);
            self.bind(param, Bound::Scalar(Operand::Value(value)));
            return Port::Scalar(value);
        }
        let buffer = self.new_buffer(prim);
        let values: Vec<Value> = (0..rank).map(|_| self.emit.value(Prim::I64, false)).collect();
        let sizes: Vec<Operand> = match known {
            Some(known) => {
                known.range.into_iter().for_each(|range| self.emit.ranges(buffer, range));
                known.sizes.iter().map(|n| Operand::int(i64::try_from(*n).expect("an array fits memory"))).collect()
            }
            None => values.iter().copied().map(Operand::Value).collect(),
        };
        let view = View::whole(&mut self.emit, buffer, &sizes);
        self.bind(param, Bound::Array(Array { prim, sizes, form: Form::Memory(view) }));
        Port::Array { buffer, sizes: values }
    }

    fn output(&mut self, result: Bound<'p>) -> Step<Output> {
        Ok(match result {
            Bound::Scalar(operand) => Output::Scalar(operand),
            Bound::Array(array) => {
                let (buffer, _) = self.whole(&array)?;
                Output::Array { buffer, sizes: array.sizes, prim: array.prim }
            }
        })
    }

    fn bind(&mut self, var: Var, to: Bound<'p>) {
        self.bound[var.0 as usize] = Some(to);
    }

    /// Binds what may be used more than once: elements that would be computed again, or that lie far apart from lane to
    /// lane, are put where they are near.
    fn bind_element(&mut self, param: Var, element: Bound<'p>) -> Step<()> {
        let element = match element {
            Bound::Array(array) if !self.pending.is_taken_once(param) => match &array.form {
                Form::Pending(..) | Form::Parts(_) => self.settled(Bound::Array(array))?,
                Form::Memory(view) if view.origin.lane.is_some_and(|apart| apart != Operand::int(1)) => {
                    let (_, view) = self.copied(&array)?;
                    Bound::Array(Array { form: Form::Memory(view), ..array })
                }
                Form::Memory(_) | Form::Iota | Form::Replicate(_) => Bound::Array(array),
            },
            other => other,
        };
        self.bind(param, element);
        Ok(())
    }

    fn atom(&self, atom: Atom) -> Bound<'p> {
        match atom {
            Atom::Const(constant) => Bound::Scalar(Operand::Const(constant)),
            Atom::Var(var) => self.bound[var.0 as usize].clone().expect("variables are bound before they are used"),
        }
    }

    fn scalar(&self, atom: Atom) -> Operand {
        match self.atom(atom) {
            Bound::Scalar(operand) => operand,
            Bound::Array(_) => panic!("operands are of the types that the verifier has checked"),
        }
    }

    fn array(&self, atom: Atom) -> Array<'p> {
        match self.atom(atom) {
            Bound::Array(array) => array,
            Bound::Scalar(_) => panic!("operands are of the types that the verifier has checked"),
        }
    }

    fn scalars(&self, atoms: &[Atom]) -> Vec<Operand> {
        atoms.iter().map(|a| self.scalar(*a)).collect()
    }

    fn arrays(&self, atoms: &[Atom]) -> Vec<Array<'p>> {
        atoms.iter().map(|a| self.array(*a)).collect()
    }

    fn body(&mut self, body: &'p Body) -> Step<Vec<Bound<'p>>> {
        let mut k = 0;
        while let Some(stm) = body.stms.get(k) {
            let later = &body.stms[k + 1..];
            let outside = core::mem::replace(&mut self.origin, stm.vars.first().copied());
            if let Op::Map(map) = &stm.op
                && self.lane.is_some()
                && let Some(count) = self.pending.added(map)
            {
                self.add_each(stm, map, &later[..count])?;
                k += count;
            } else {
                self.statement(stm, later, &body.results)?;
            }
            self.origin = outside;
            k += 1;
        }
        Ok(body.results.iter().map(|a| self.atom(*a)).collect())
    }

    /// The results of a map's function at an index, computed once in a frame.
    fn call(&mut self, map: &'p Map, index: Operand) -> Step<Vec<Bound<'p>>> {
        let key = (core::ptr::from_ref(map), index);
        if let Some(results) = self.computed.iter().find_map(|computed| computed.get(&key)) {
            return Ok(results.clone());
        }
        self.bind_elements(map, index, |_| true)?;
        let results = self.body(&map.function.body)?;
        self.computed.last_mut().expect("a frame is open").insert(key, results.clone());
        Ok(results)
    }

    /// A result of a map's function at an index.
    fn result(&mut self, map: &'p Map, result: usize, index: Operand) -> Step<Bound<'p>> {
        let Some(part) = self.pending.part(map, result).cloned() else {
            return Ok(self.call(map, index)?[result].clone());
        };
        self.bind_elements(map, index, |k| part.params[k])?;
        let Body { stms, results } = &map.function.body;
        for (k, stm) in stms.iter().enumerate().filter(|(k, _)| part.stms[*k]) {
            self.statement(stm, &stms[k + 1..], results)?;
        }
        Ok(self.atom(results[result]))
    }

    /// Binds parameters of a map's function to the elements at an index.
    fn bind_elements(&mut self, map: &'p Map, index: Operand, which: impl Fn(usize) -> bool) -> Step<()> {
        let pairs = map.function.params.iter().zip(&map.arrays).enumerate().filter(|(k, _)| which(*k));
        for (_, (param, array)) in pairs {
            let element = self.element(&self.array(*array), index)?;
            self.bind_element(*param, element)?;
        }
        Ok(())
    }

    /// Whether what is being lowered is in no loop and in no branch.
    fn runs_once(&self) -> bool {
        self.region == BODY
    }

    fn enter_region(&mut self) -> usize {
        let before = self.region;
        self.region = self.regions;
        self.regions += 1;
        before
    }

    fn open(&mut self, branch: bool) {
        self.emit.open(branch);
        self.computed.push(Computed::default());
    }

    fn close(&mut self) -> code::Block {
        self.computed.pop();
        self.emit.close()
    }

    /// Tries a way to lower something, and leaves nothing of it if it fails.
    fn attempt<T>(&mut self, inside: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        let (frames, lane, lanes, mask) = (self.emit.frames.len(), self.lane, self.emit.lanes, self.mask);
        let (origin, at) = (self.origin, (self.at, self.span));
        let (adds, scatters, region) = (self.adds.clone(), self.scatters.clone(), self.region);
        let result = inside(self);
        if result.is_err() {
            self.emit.frames.truncate(frames);
            self.computed.truncate(frames);
            (self.lane, self.emit.lanes, self.mask, self.origin) = (lane, lanes, mask, origin);
            (self.at, self.span) = at;
            (self.adds, self.scatters, self.region) = (adds, scatters, region);
        }
        result
    }

    /// A loop whose iterations are independent of each other, but for the arrays they add to. What it writes, and of which
    /// sizes, is told; `nested` says that there is more inside that could run side by side.
    fn for_each(
        &mut self,
        count: Operand,
        nested: bool,
        written: &[(View, Vec<Operand>)],
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<()>,
    ) -> Step<()> {
        if self.lane.is_some() || self.stepwise {
            return self.in_order(count, body);
        }
        if !nested {
            return self
                .attempt(|this| this.side_by_side(count, written, &mut *body))
                .or_else(|_| self.in_order(count, body));
        }
        let condition = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(self.wide), count]);
        if condition == Operand::Const(Const::Bool(false)) {
            return self.in_order(count, body);
        }
        self.open(false);
        let wide = self.attempt(|this| this.side_by_side(count, written, &mut *body));
        let yes = self.close();
        if wide.is_err() {
            return self.in_order(count, body);
        }
        self.open(false);
        self.in_order(count, body)?;
        let no = self.close();
        self.emit.push(Stm::If { condition, yes, no });
        Ok(())
    }

    /// A sequential loop.
    fn in_order(&mut self, count: Operand, body: &mut dyn FnMut(&mut Self, Operand) -> Step<()>) -> Step<()> {
        if self.emit.is_varying(count) {
            return Err(Unsupported("a loop whose length differs between lanes"));
        }
        self.open(false);
        let index = self.emit.value(Prim::I64, false);
        self.emit.counts(index, count);
        let before = self.enter_region();
        body(self, Operand::Value(index))?;
        self.region = before;
        let body = self.close();
        self.emit.push(Stm::For { index, count, body, origin: self.origin });
        Ok(())
    }

    /// A loop over lanes.
    fn side_by_side(
        &mut self,
        count: Operand,
        written: &[(View, Vec<Operand>)],
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<()>,
    ) -> Step<()> {
        let lanes = self.lanes(count, written, &mut |this, index| {
            body(this, index)?;
            Ok(Vec::new())
        })?;
        self.emit.push(Stm::Lanes(Box::new(lanes)));
        Ok(())
    }

    /// A loop over lanes, with the cells that it folds into.
    fn lanes(
        &mut self,
        count: Operand,
        written: &[(View, Vec<Operand>)],
        body: &mut dyn FnMut(&mut Self, Operand) -> Step<Vec<Fold>>,
    ) -> Step<Lanes> {
        let mut writes = Vec::new();
        let mut scatters = Vec::new();
        for (view, sizes) in written {
            if let Some(start) = view.is_all_from(&mut self.emit, sizes) {
                writes.push((view.origin.buffer, view.strides[0], start));
            } else {
                scatters.push(view.origin.buffer);
            }
        }
        self.open(false);
        let index = self.emit.value(Prim::I64, true);
        self.emit.counts(index, count);
        self.emit.lanes = Some(self.emit.depth());
        self.lane = Some(Operand::Value(index));
        let before = self.enter_region();
        let adds = core::mem::take(&mut self.adds);
        let outer = core::mem::replace(&mut self.scatters, scatters);
        let folds = body(self, Operand::Value(index))?;
        let adds = core::mem::replace(&mut self.adds, adds);
        let scatters = core::mem::replace(&mut self.scatters, outer);
        self.region = before;
        (self.lane, self.emit.lanes) = (None, None);
        let body = self.close();
        Ok(Lanes { index, count, body, writes, adds, scatters, folds, folded: None, origin: self.origin })
    }
}

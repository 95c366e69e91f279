//! The code under construction: each operation goes to the outermost loop in which it can be computed, and is computed
//! once there.
//!
//! Law: moving and sharing do not change what is computed. Operations are total, so they may run where the program
//! would not have run them; they do not leave a branch, so that what is not wanted is not paid for
//! (tests/execute/work.rs, tests/execute/lanes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::Known;
use super::buffers::Buffers;
use super::code::{
    Blame, Block, Buffer, BufferInfo, Code, Op, Operand, Output, Place, Port, Stm, Value, ValueInfo, precision,
};
use super::cursor::{Cursor, OpenLanes};
use super::facts::Facts;
use super::view::{Array, Bound, Form, View};
use crate::array::{Agreement, Atom, Const, Extent, IntegerRow, Map, Operands, Prim, Program, ScalarOp, Type, Var};
use crate::optimise::fold;
use crate::term::ErasedRule;

/// What makes two computed values the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Op(Op, Vec<Operand>),
    /// A load, of this version of the buffer's content.
    Load(Place, u32),
}

/// The results of the maps that were computed in a frame, by map and index.
pub(super) type Computed<'p> = FxHashMap<(*const Map, Operand), Vec<Bound<'p>>>;

/// A block that is open.
#[derive(Debug, Default)]
pub(super) struct Frame<'p> {
    stms: Block,
    known: FxHashMap<Key, Value>,
    /// What was checked.
    checked: FxHashSet<Operand>,
    /// What stands for uniform values that are the same.
    equal: FxHashMap<Operand, Operand>,
    /// What was found in bounds: index and length, and where.
    bounded: FxHashSet<(Operand, Operand, Option<Operand>)>,
    computed: Computed<'p>,
    /// Whether operations may not leave this block.
    branch: bool,
}

/// The code, as far as it is written, and where it is being written.
#[derive(Debug)]
pub(super) struct Emit<'p> {
    pub(super) frames: Vec<Frame<'p>>,
    values: Vec<ValueInfo>,
    /// The number of the outermost frame in which each value is known.
    depths: Vec<usize>,
    pub(super) buffers: Buffers,
    pub(super) facts: Facts,
    /// What sums and products of integers are of.
    composed: FxHashMap<Operand, (ScalarOp, [Operand; 2])>,
    /// Sums of reals, in any order, and the cells that these are summed up in.
    pub(super) sums: FxHashMap<Value, Value>,
    /// The rules of users that are applied.
    rules: Vec<ErasedRule>,
    pub(super) at: Cursor<'p>,
    /// The loop over lanes that is open, if one is.
    pub(super) lanes: Option<OpenLanes>,
    pub(super) program: &'p Program,
    /// Whether statements are carried out in the order of the program, each by itself and wholly, and checks say what is wrong.
    pub(super) stepwise: bool,
}

impl<'p> Emit<'p> {
    pub(super) fn new(program: &'p Program, stepwise: bool) -> Self {
        Emit {
            frames: vec![Frame::default()],
            values: Vec::new(),
            depths: Vec::new(),
            buffers: Buffers::new(),
            facts: Facts::default(),
            composed: FxHashMap::default(),
            sums: FxHashMap::default(),
            rules: Vec::new(),
            at: Cursor::start(),
            lanes: None,
            program,
            stepwise,
        }
    }

    /// Where a parameter comes in, and what it is bound to. The sizes of an array that is the same in every run are constants, and so are those
    /// that the program says; that they are so is checked first.
    pub(super) fn input(
        &mut self,
        param: Var,
        known: Option<&Known>,
        said: &FxHashMap<Extent, i64>,
    ) -> (Port, Bound<'p>) {
        let Type { prim, rank, .. } = self.program.type_of(param);
        if rank == 0 {
            let value = self.value(prim, false);
            return (Port::Scalar(value), Bound::Scalar(Operand::Value(value)));
        }
        let buffer = self.new_buffer(prim);
        let values: Vec<Value> = (0..rank).map(|_| self.value(Prim::I64, false)).collect();
        let sizes: Vec<Operand> = match known {
            Some(known) => {
                known.range.into_iter().for_each(|range| self.facts.ranges(buffer, range));
                known.sizes.iter().map(|n| Operand::int(i64::try_from(*n).expect("an array fits memory"))).collect()
            }
            None => {
                let size = |dimension| self.size_of_input(Extent::Of(param.into(), dimension), values[dimension], said);
                (0..rank).map(size).collect()
            }
        };
        let view = View::whole(self, buffer, &sizes);
        (Port::Array { buffer, sizes: values }, Bound::Array(Array { prim, sizes, form: Form::Memory(view) }))
    }

    /// The size of an argument: the number that it is said to be, or what it has.
    fn size_of_input(&mut self, size: Extent, given: Value, said: &FxHashMap<Extent, i64>) -> Operand {
        let given = Operand::Value(given);
        let Some(said) = said.get(&size).copied().map(Operand::int) else { return given };
        self.same(Agreement::Wanted, given, said);
        said
    }

    /// The code that was written, with these inputs, of which the last are always these arrays, and these outputs.
    pub(super) fn finish(mut self, inputs: Vec<Port>, constants: &[Known], outputs: Vec<Output>) -> Code {
        let body = self.close();
        let Emit { values, buffers, sums, rules, .. } = self;
        let buffers = buffers.into_infos();
        let precision = precision(&values, &buffers, &body);
        let (given, constants) = (inputs.len() - constants.len(), constants.to_vec());
        Code { values, buffers, inputs, given, constants, sums, rules, precision, body, outputs }
    }

    /// What a map's function has at an index, if that was computed in a frame that is open.
    pub(super) fn computed(&self, map: &Map, index: Operand) -> Option<Vec<Bound<'p>>> {
        let key = (core::ptr::from_ref(map), index);
        self.frames.iter().find_map(|frame| frame.computed.get(&key)).cloned()
    }

    /// All that was computed in the innermost frame.
    pub(super) fn computed_here(&mut self) -> &mut Computed<'p> {
        &mut self.innermost().computed
    }

    fn innermost(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("a frame is open")
    }

    /// The number of the innermost open frame.
    pub(super) fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    pub(super) fn open(&mut self, branch: bool) {
        self.frames.push(Frame { branch, ..Frame::default() });
    }

    pub(super) fn close(&mut self) -> Block {
        self.frames.pop().expect("a frame is closed once").stms
    }

    /// A new value, known from the innermost frame on.
    pub(super) fn value(&mut self, prim: Prim, varying: bool) -> Value {
        self.value_at(prim, varying, self.depth())
    }

    fn value_at(&mut self, prim: Prim, varying: bool, depth: usize) -> Value {
        self.values.push(ValueInfo { prim, varying });
        self.depths.push(depth);
        Value(u32::try_from(self.values.len() - 1).expect("code has fewer than 2^32 values"))
    }

    /// Says that a cell keeps its value from here on, as seen from the innermost frame.
    pub(super) fn settle(&mut self, cell: Value) {
        self.depths[cell.0 as usize] = self.depth();
    }

    pub(super) fn is_varying(&self, operand: Operand) -> bool {
        match operand {
            Operand::Value(value) => self.values[value.0 as usize].varying,
            Operand::Const(_) => false,
        }
    }

    pub(super) fn prim(&self, operand: Operand) -> Prim {
        match operand {
            Operand::Value(value) => self.values[value.0 as usize].prim,
            Operand::Const(constant) => constant.prim(),
        }
    }

    pub(super) fn depth_of(&self, operand: Operand) -> usize {
        match operand {
            Operand::Value(value) => self.depths[value.0 as usize],
            Operand::Const(_) => 0,
        }
    }

    /// A new buffer, which is the lane's own in a loop over lanes.
    pub(super) fn new_buffer(&mut self, prim: Prim) -> Buffer {
        self.buffers.add(BufferInfo { prim, private: self.lanes.is_some() }, self.depth(), self.at.region)
    }

    /// Says that the content of a buffer has changed here.
    pub(super) fn changed(&mut self, buffer: Buffer) {
        self.buffers.changed(buffer, self.depth());
    }

    /// Checks a condition: here, in code that reports faults; otherwise once, as far out as it is known. Then it may fail where
    /// the program does not.
    pub(super) fn check_in(&mut self, condition: Operand, mask: Option<Operand>, blame: Option<Box<Blame>>) {
        if condition == truth(true) {
            return;
        }
        if blame.is_some() || self.is_varying(condition) || mask.is_some_and(|mask| self.is_varying(mask)) {
            return self.push(Stm::Check { condition, mask, blame });
        }
        if self.frames.iter().any(|frame| frame.checked.contains(&condition)) {
            return;
        }
        let depth = self.outermost(self.depth_of(condition));
        self.frames[depth].checked.insert(condition);
        self.frames[depth].stms.push(Stm::Check { condition, mask: None, blame });
    }

    /// Says that two sizes are equal from here on, which was checked.
    pub(super) fn are_equal(&mut self, a: Operand, b: Operand) {
        if self.is_varying(a) || self.is_varying(b) {
            return;
        }
        let [a, b] = [a, b].map(|x| self.representative(x));
        let order = |x: Operand| (self.depth_of(x), x.value());
        let (first, second) = if order(a) <= order(b) { (a, b) } else { (b, a) };
        if first != second && second.value().is_some() {
            let depth = self.outermost(self.depth_of(second));
            self.frames[depth].equal.insert(second, first);
        }
    }

    /// The value that stands for all that are equal to this one, so that places that are the same have one address: the one that is known
    /// furthest out, or what is composed of those.
    pub(super) fn representative(&mut self, x: Operand) -> Operand {
        let next = |x: &Operand| self.frames.iter().find_map(|frame| frame.equal.get(x)).copied();
        let x = core::iter::successors(Some(x), next).last().unwrap_or(x);
        let Some((op, operands)) = self.composed.get(&x).copied() else { return x };
        let found = operands.map(|x| self.representative(x));
        if found == operands { x } else { self.composed(op, found) }
    }

    /// Checks that an index is in bounds: here, in code that reports faults; otherwise once.
    pub(super) fn bounds_in(
        &mut self,
        index: Operand,
        length: Operand,
        mask: Option<Operand>,
        blame: Option<Box<Blame>>,
    ) {
        if blame.is_some() {
            return self.push(Stm::Bounds { index, length, mask, blame });
        }
        let known = |frame: &Frame<'_>| [mask, None].iter().any(|mask| frame.bounded.contains(&(index, length, *mask)));
        if self.frames.iter().any(known) {
            return;
        }
        let uniform = mask.is_none() && !self.is_varying(index) && !self.is_varying(length);
        let known = self.depth_of(index).max(self.depth_of(length));
        let depth = if uniform { self.outermost(known) } else { self.depth() };
        self.frames[depth].bounded.insert((index, length, mask));
        self.frames[depth].stms.push(Stm::Bounds { index, length, mask, blame });
    }

    pub(super) fn push(&mut self, stm: Stm) {
        self.innermost().stms.push(stm);
    }

    /// What was said in the innermost frame so far, which stays open.
    pub(super) fn take(&mut self) -> Block {
        core::mem::take(&mut self.innermost().stms)
    }

    /// Takes back the loop that was just added. What was moved out of it stays, and may be known.
    pub(super) fn withdraw(&mut self) {
        let last = self.innermost().stms.pop();
        assert!(matches!(last, Some(Stm::For { .. } | Stm::While { .. })), "a loop was just added");
    }

    /// The innermost frame that what needs these frames may move to.
    fn outermost(&self, depth: usize) -> usize {
        let barrier = self.frames.iter().rposition(|frame| frame.branch).unwrap_or(0);
        depth.max(barrier)
    }

    fn bind(&mut self, key: Key, prim: Prim, varying: bool, depth: usize, stm: impl FnOnce(Value) -> Stm) -> Operand {
        let depth = self.outermost(depth);
        if let Some(value) = self.frames.iter().find_map(|frame| frame.known.get(&key)) {
            return Operand::Value(*value);
        }
        let value = self.value_at(prim, varying, depth);
        self.frames[depth].stms.push(stm(value));
        self.frames[depth].known.insert(key, value);
        Operand::Value(value)
    }

    /// The value of an operation that is total.
    pub(super) fn op(&mut self, op: Op, operands: Vec<Operand>) -> Operand {
        if let Some(known) = known(op, &operands, |x| self.prim(x).is_real()) {
            return known;
        }
        if op == Op::Scalar(ScalarOp::Less) && self.facts.excludes_less(operands[0], operands[1]) {
            return Operand::Const(Const::Bool(false));
        }
        let prim = match op {
            Op::Select => self.prim(operands[1]),
            Op::LeastWhere => self.prim(operands[0]),
            Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Earlier(_) | Op::Rule(_) => self.prim(operands[0]),
            Op::Scalar(op) => {
                let prims: Vec<Prim> = operands.iter().map(|x| self.prim(*x)).collect();
                op.result(&prims).expect("operands are of the types that the verifier has checked")
            }
        };
        let varying = operands.iter().any(|x| self.is_varying(*x));
        let depth = operands.iter().map(|x| self.depth_of(*x)).max().unwrap_or(0);
        let above = match op {
            Op::Scalar(ScalarOp::Integer(IntegerRow::Sub)) if operands[1].as_int().is_some_and(|n| n >= 0) => {
                Some(operands[0])
            }
            _ => None,
        };
        let key = Key::Op(op, operands.clone());
        let found = self.bind(key, prim, varying, depth, |value| Stm::Let(value, op, operands));
        if let (Some(above), Operand::Value(value)) = (above, found) {
            self.facts.is_below(value, above);
        }
        found
    }

    /// The value of a user's rule.
    pub(super) fn ruled(&mut self, rule: &ErasedRule, operands: Vec<Operand>) -> Operand {
        let known = self.rules.iter().position(|other| other.identity() == rule.identity());
        let number = known.unwrap_or(self.rules.len());
        if known.is_none() {
            self.rules.push(rule.clone());
        }
        self.op(Op::Rule(u32::try_from(number).expect("there are fewer than 2^32 rules")), operands)
    }

    pub(super) fn scalar(&mut self, op: impl Into<ScalarOp>, operands: &[Operand]) -> Operand {
        self.op(Op::Scalar(op.into()), operands.to_vec())
    }

    pub(super) fn load(&mut self, place: Place) -> Operand {
        let info = self.buffers[place.buffer];
        let (version, at) = self.buffers.content(place.buffer);
        let uniform = [Some(place.base), place.lane, place.varying];
        let step = place.step.map_or([None, None], |(index, stride)| [Some(index), Some(stride)]);
        let operands = || uniform.iter().chain(&step).flatten();
        let varying = info.private || place.lane.is_some() || operands().any(|x| self.is_varying(*x));
        let mut depth = operands().map(|x| self.depth_of(*x)).max().unwrap_or(0).max(at);
        if place.lane.is_some() {
            // The number of the lane is known inside of the lanes only.
            depth = depth.max(self.lanes.as_ref().map_or(0, |lanes| lanes.frame));
        }
        let found = self.bind(Key::Load(place, version), info.prim, varying, depth, |value| Stm::Load(value, place));
        if let Operand::Value(value) = found {
            self.facts.is_from(value, place.buffer);
        }
        found
    }

    pub(super) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.composed(ScalarOp::Add, [a, b])
    }

    pub(super) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        self.composed(ScalarOp::Mul, [a, b])
    }

    /// The sum or the product of integers.
    fn composed(&mut self, op: ScalarOp, operands: [Operand; 2]) -> Operand {
        let found = self.scalar(op, &operands);
        if found.value().is_some() && !operands.contains(&found) {
            self.composed.insert(found, (op, operands));
        }
        found
    }

    /// Says that a value is the number of the element at these indices, of an array of these sizes whose elements are in order: its
    /// address is not computed again.
    pub(super) fn is_number(&mut self, number: Operand, at: &[Operand], sizes: &[Operand]) {
        let mut stride = Operand::int(1);
        let mut far = Vec::new();
        for (index, size) in at.iter().zip(sizes).rev() {
            far.push(self.mul(*index, stride));
            let size = self.representative(*size);
            stride = self.mul(stride, size);
        }
        let last = far.remove(0);
        let before = far.into_iter().rev().reduce(|sum, far| self.add(sum, far)).expect("an array of two dimensions");
        if let Operand::Value(number) = number {
            self.innermost().known.insert(Key::Op(Op::Scalar(ScalarOp::Add), vec![before, last]), number);
        }
    }

    /// One of two scalars.
    pub(super) fn select(&mut self, condition: Operand, yes: Operand, no: Operand) -> Operand {
        self.op(Op::Select, vec![condition, yes, no])
    }

    /// The number of elements of an array of these sizes.
    pub(super) fn count(&mut self, sizes: &[Operand]) -> Operand {
        sizes.iter().rev().fold(Operand::int(1), |count, size| self.mul(count, *size))
    }
}

fn truth(value: bool) -> Operand {
    Operand::Const(Const::Bool(value))
}

/// What is known without computing. Operations on reals are those of the program, also where they change nothing but the sign of a
/// zero.
fn known(op: Op, x: &[Operand], is_real: impl Fn(Operand) -> bool) -> Option<Operand> {
    match (op, x[0]) {
        (Op::Scalar(op), _) if !x.iter().any(|x| is_real(*x)) => {
            let atom = |x: &Operand| match x {
                Operand::Value(value) => Atom::Var(Var(value.0)),
                Operand::Const(constant) => Atom::Const(*constant),
            };
            let found = fold(op, &x.iter().map(atom).collect::<Operands>())?;
            Some(match found {
                Atom::Var(var) => Operand::Value(Value(var.0)),
                Atom::Const(constant) => Operand::Const(constant),
            })
        }
        (Op::Select, Operand::Const(Const::Bool(choice))) => Some(if choice { x[1] } else { x[2] }),
        (Op::Select, _) => (x[1] == x[2]).then_some(x[1]),
        _ => None,
    }
}

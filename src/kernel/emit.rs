//! The code under construction: each operation goes to the outermost loop in which it can be computed, and is computed
//! once there.
//!
//! Law: moving and sharing do not change what is computed. Operations are total, so they may run where the program would
//! not have run them; they do not leave a branch, so that what is not wanted is not paid for.

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Blame, Block, Buffer, BufferInfo, Op, Operand, Place, Stm, Value, ValueInfo};
use crate::array::{Const, IntegerRow, Prim, ScalarOp};

/// What makes two computed values the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Op(Op, Vec<Operand>),
    /// A load, of this version of the buffer's content.
    Load(Place, u32),
}

/// A block that is open.
#[derive(Debug, Default)]
pub(super) struct Frame {
    stms: Block,
    known: FxHashMap<Key, Value>,
    /// What was checked.
    checked: FxHashSet<Operand>,
    /// What was found in bounds: index and length, and where.
    bounded: FxHashSet<(Operand, Operand, Option<Operand>)>,
    /// Whether operations may not leave this block.
    pub(super) branch: bool,
}

/// Where a value is known, and the content of buffers.
#[derive(Debug)]
pub(super) struct Emit {
    pub(super) frames: Vec<Frame>,
    pub(super) values: Vec<ValueInfo>,
    /// The number of the outermost frame in which each value is known.
    depths: Vec<usize>,
    pub(super) buffers: Vec<BufferInfo>,
    /// For each buffer, how often its content has changed, and the frame it has changed in.
    contents: Vec<(u32, usize)>,
    /// The counts of the loops that values are indices of.
    counts: FxHashMap<Value, Operand>,
    /// What values are less than, or as large as: they are it less a constant.
    below: FxHashMap<Value, Operand>,
    /// The least and the greatest number that buffers hold, and that values loaded from there are; they never change.
    in_buffers: FxHashMap<Buffer, (i64, i64)>,
    in_ranges: FxHashMap<Value, (i64, i64)>,
    /// Pairs of which the first is not less than the second.
    not_less: FxHashSet<(Operand, Operand)>,
    /// Sums of reals, in any order, and the cells that these are summed up in.
    pub(super) sums: FxHashMap<Value, Value>,
    /// The frame of the loop over lanes that is open, if one is.
    pub(super) lanes: Option<usize>,
}

impl Emit {
    pub(super) fn new() -> Self {
        Emit {
            frames: vec![Frame::default()],
            values: Vec::new(),
            depths: Vec::new(),
            buffers: Vec::new(),
            contents: Vec::new(),
            counts: FxHashMap::default(),
            below: FxHashMap::default(),
            in_buffers: FxHashMap::default(),
            in_ranges: FxHashMap::default(),
            not_less: FxHashSet::default(),
            sums: FxHashMap::default(),
            lanes: None,
        }
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

    pub(super) fn buffer(&mut self, prim: Prim, private: bool) -> Buffer {
        self.buffers.push(BufferInfo { prim, private });
        self.contents.push((0, self.depth()));
        Buffer(u32::try_from(self.buffers.len() - 1).expect("code has fewer than 2^32 buffers"))
    }

    /// Says that the content of a buffer has changed here.
    pub(super) fn changed(&mut self, buffer: Buffer) {
        let depth = self.depth();
        let (version, at) = &mut self.contents[buffer.0 as usize];
        (*version, *at) = (*version + 1, depth);
    }

    /// Checks a condition: here, if what is wrong is to be told; else once, as far out as it is known. Then it may fail where
    /// the program does not.
    pub(super) fn check(&mut self, condition: Operand, mask: Option<Operand>, blame: Option<Box<Blame>>) {
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

    /// Checks that an index is in bounds: here, if what is wrong is to be told; else once.
    pub(super) fn bounds(&mut self, index: Operand, length: Operand, mask: Option<Operand>, blame: Option<Box<Blame>>) {
        if blame.is_some() {
            return self.push(Stm::Bounds { index, length, mask, blame });
        }
        let known = |frame: &Frame| [mask, None].iter().any(|mask| frame.bounded.contains(&(index, length, *mask)));
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
        self.frames.last_mut().expect("a frame is open").stms.push(stm);
    }

    /// What was said in the innermost frame so far, which stays open.
    pub(super) fn take(&mut self) -> Block {
        core::mem::take(&mut self.frames.last_mut().expect("a frame is open").stms)
    }

    /// Takes back the loop that was just added. What was moved out of it stays, and may be known.
    pub(super) fn withdraw(&mut self) {
        let last = self.frames.last_mut().expect("a frame is open").stms.pop();
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
        if let Some(known) = fold(op, &operands) {
            return known;
        }
        if op == Op::Scalar(ScalarOp::Less) && self.not_less.contains(&(operands[0], operands[1])) {
            return Operand::Const(Const::Bool(false));
        }
        let prim = match op {
            Op::Select => self.prim(operands[1]),
            Op::LeastWhere => self.prim(operands[0]),
            Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Sum { .. } => self.prim(operands[0]),
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
            self.below.insert(value, above);
        }
        found
    }

    pub(super) fn scalar(&mut self, op: impl Into<ScalarOp>, operands: &[Operand]) -> Operand {
        self.op(Op::Scalar(op.into()), operands.to_vec())
    }

    pub(super) fn load(&mut self, place: Place) -> Operand {
        let info = self.buffers[place.buffer.0 as usize];
        let (version, at) = self.contents[place.buffer.0 as usize];
        let uniform = [Some(place.base), place.lane, place.varying];
        let step = place.step.map_or([None, None], |(index, stride)| [Some(index), Some(stride)]);
        let operands = || uniform.iter().chain(&step).flatten();
        let varying = info.private || place.lane.is_some() || operands().any(|x| self.is_varying(*x));
        let mut depth = operands().map(|x| self.depth_of(*x)).max().unwrap_or(0).max(at);
        if place.lane.is_some() {
            // The number of the lane is known inside of the lanes only.
            depth = depth.max(self.lanes.unwrap_or(0));
        }
        let found = self.bind(Key::Load(place, version), info.prim, varying, depth, |value| Stm::Load(value, place));
        if let (Operand::Value(value), Some(range)) = (found, self.in_buffers.get(&place.buffer)) {
            self.in_ranges.insert(value, *range);
        }
        found
    }

    pub(super) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.scalar(ScalarOp::Add, &[a, b])
    }

    pub(super) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        self.scalar(ScalarOp::Mul, &[a, b])
    }

    /// Says that a value is the index of a loop of so many iterations.
    pub(super) fn counts(&mut self, index: Value, count: Operand) {
        self.counts.insert(index, count);
    }

    /// Says that the first of two is not less than the second.
    pub(super) fn is_not_less(&mut self, a: Operand, b: Operand) {
        self.not_less.insert((a, b));
    }

    /// Whether a size is not more than another for sure.
    pub(super) fn is_not_more(&self, size: Operand, than: Operand) -> bool {
        let is_below = matches!(size, Operand::Value(size) if self.below.get(&size) == Some(&than));
        let is_less = size.as_int().zip(than.as_int()).is_some_and(|(size, than)| size <= than);
        size == than || is_below || is_less
    }

    /// Says that what is in a buffer is in a range.
    pub(super) fn ranges(&mut self, buffer: Buffer, range: (i64, i64)) {
        self.in_buffers.insert(buffer, range);
    }

    /// Whether an index is in bounds for sure.
    pub(super) fn is_within(&self, index: Operand, length: Operand) -> bool {
        match index {
            Operand::Value(value) => {
                let range = self.in_ranges.get(&value).zip(length.as_int());
                self.counts.get(&value).is_some_and(|count| self.is_not_more(*count, length))
                    || range.is_some_and(|((least, greatest), length)| *least >= 0 && *greatest < length)
            }
            Operand::Const(Const::I64(n)) => length.as_int().is_some_and(|length| (0..length).contains(&n)),
            Operand::Const(_) => false,
        }
    }
}

fn truth(value: bool) -> Operand {
    Operand::Const(Const::Bool(value))
}

/// What is known without computing: sums with 0 and products with 0 and 1 of indices, and constants of them; and the same
/// of truth values.
fn fold(op: Op, x: &[Operand]) -> Option<Operand> {
    let Op::Scalar(op) = op else {
        return match (op, x[0]) {
            (Op::Select, Operand::Const(Const::Bool(choice))) => Some(if choice { x[1] } else { x[2] }),
            (Op::Select, _) => (x[1] == x[2]).then_some(x[1]),
            _ => None,
        };
    };
    let int = |k: usize| x.get(k).and_then(|x| x.as_int());
    match (op, int(0), int(1)) {
        (ScalarOp::Add, Some(a), Some(b)) => Some(Operand::int(a.wrapping_add(b))),
        (ScalarOp::Mul, Some(a), Some(b)) => Some(Operand::int(a.wrapping_mul(b))),
        (ScalarOp::Integer(row), Some(a), Some(b)) => row.value(&[a, b]).map(Operand::int),
        (ScalarOp::Add, Some(0), _) => Some(x[1]),
        (ScalarOp::Add | ScalarOp::Integer(IntegerRow::Sub), _, Some(0)) => Some(x[0]),
        (ScalarOp::Mul, Some(1), _) => Some(x[1]),
        (ScalarOp::Mul, _, Some(1)) => Some(x[0]),
        (ScalarOp::Mul, Some(0), _) | (ScalarOp::Mul, _, Some(0)) => Some(Operand::int(0)),
        (ScalarOp::Equal, Some(a), Some(b)) => Some(Operand::Const(Const::Bool(a == b))),
        (ScalarOp::Less, Some(a), Some(b)) => Some(Operand::Const(Const::Bool(a < b))),
        (ScalarOp::LessOrEqual, Some(a), Some(b)) => Some(Operand::Const(Const::Bool(a <= b))),
        (ScalarOp::Add, ..) if x[0] == truth(false) || x[1] == truth(true) => Some(x[1]),
        (ScalarOp::Add, ..) if x[1] == truth(false) || x[0] == truth(true) => Some(x[0]),
        (ScalarOp::Mul, ..) if x[0] == truth(true) || x[1] == truth(false) => Some(x[1]),
        (ScalarOp::Mul, ..) if x[1] == truth(true) || x[0] == truth(false) => Some(x[0]),
        _ => None,
    }
}

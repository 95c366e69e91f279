//! Kernels, and loops that sum up, from code.
//!
//! Law: the instruction does what the statements say that it is made of (tests/execute/whole_loops.rs).

use rustc_hash::FxHashMap;

use super::assemble::Assembler;
use super::inline::{is_needed, is_row};
use super::instruction::{
    Address, Fused, Inner, Instruction, IntoRows, Kernel, Outer, Product, Reg, Rows, Src, Summed, To, Transpose,
};
use crate::array::ScalarOp;
use crate::kernel::code::{self, Block, Code, Op, Operand, Origin, Place, Stm, Value};
use crate::primitives::Primitive;

/// Fewer values than this are stored one by one.
const FEWEST: usize = 3;

/// What is summed up, from which places, and in which cell.
type Sum = (Summed, [Place; 2], Value);

/// Whether each lane has a row at a place, and a loop goes along it.
fn is_along_rows(code: &Code, place: &Place, index: Value) -> bool {
    let info = code.buffers[place.buffer.0 as usize];
    let along = place.step == Some((Operand::Value(index), Operand::int(1)));
    !info.private && info.prim.is_real() && place.is_strided() && along
}

impl Assembler<'_> {
    /// Whether a value is loaded where it is used.
    pub(super) fn is_loaded(&self, x: Operand) -> bool {
        matches!(x, Operand::Value(value) if self.inline.loads.contains_key(&value))
    }

    /// Whether a value has no register.
    pub(super) fn is_inline(&self, x: Operand) -> bool {
        matches!(x, Operand::Value(value) if self.inline.contains(value))
    }

    /// The number of an address.
    pub(super) fn numbered(&mut self, place: &Place) -> u32 {
        let address = self.address(place);
        let known = self.addresses.iter().position(|other| *other == address);
        let at = known.unwrap_or_else(|| {
            self.addresses.push(address);
            self.addresses.len() - 1
        });
        u32::try_from(at).expect("code has fewer than 2^32 addresses")
    }

    fn source(&mut self, x: Operand) -> Src {
        match x {
            Operand::Value(value) if self.inline.loads.contains_key(&value) => {
                let place = self.inline.loads[&value];
                Src::Row(self.numbered(&place))
            }
            x => Src::Reg(self.reg(x)),
        }
    }

    /// Puts what is loaded, or the result of the operation before, where it belongs.
    pub(super) fn put(&mut self, to: To, x: Operand) {
        match self.held.take() {
            Some((op, operands)) => self.kernel(to, op, &operands),
            None => {
                let x = [self.source(x); 3];
                self.out.push(Instruction::Kernel(Kernel { op: Fused::Copy, to, x }));
            }
        }
    }

    pub(super) fn kernel(&mut self, to: To, op: Op, operands: &[Operand]) {
        let op = match op {
            Op::Scalar(ScalarOp::Add) => Fused::Add,
            Op::Scalar(ScalarOp::Mul) => Fused::Mul,
            Op::Scalar(ScalarOp::Scale) => Fused::Scale,
            Op::Scalar(ScalarOp::Row(Primitive::Sub)) => Fused::Sub,
            Op::MulAdd => Fused::MulAdd,
            Op::MulSub => Fused::MulSub,
            Op::MulSubtracted => Fused::MulSubtracted,
            Op::Scalar(_) | Op::Select | Op::LeastWhere | Op::Rule(_) | Op::Earlier(_) => {
                panic!("this operation neither loads nor stores")
            }
        };
        let x: Vec<Src> = operands.iter().map(|x| self.source(*x)).collect();
        let x = match x[..] {
            // Factors commute, and the first may be in memory.
            [a @ Src::Reg(_), b @ Src::Row(_), c] => [b, a, c],
            [a, b, c] => [a, b, c],
            [a, b] => [a, b, b],
            _ => panic!("a kernel has two or three operands"),
        };
        self.out.push(Instruction::Kernel(Kernel { op, to, x }));
    }

    /// Writes a loop as an instruction, or as one for each of its sums: whether there are such.
    pub(super) fn whole_loop(&mut self, index: Value, count: Operand, body: &Block, origin: Origin) -> bool {
        let (start, sums) = (self.here(), self.sums(index, body));
        let count = self.one(count);
        let Some(sums) = sums else {
            let known = self
                .transposed(index, count, body)
                .or_else(|| self.outer(index, count, body))
                .or_else(|| self.laid_in_rows(index, count, body))
                .or_else(|| self.series(index, count, body));
            let is_known = known.is_some();
            self.out.extend(known);
            return is_known;
        };
        for (what, places, cell) in sums {
            let Reg::Varying(cell) = self.reg(Operand::Value(cell)) else { panic!("lanes sum up") };
            let rows = places.map(|place| is_along_rows(self.code, &place, index));
            let x = places.map(|place| self.numbered(&place));
            self.out.push(Instruction::Inner(Inner { what, cell, count, x, rows }));
        }
        self.note(start, origin);
        true
    }

    /// The instruction of a loop that does nothing but put elements into rows, or add them there, if it is one.
    fn laid_in_rows(&mut self, index: Value, count: u32, body: &Block) -> Option<Instruction> {
        self.varying.as_ref()?;
        let stms: Vec<&Stm> = body.iter().filter(|stm| is_needed(stm, &self.needed)).collect();
        let (x, from, to, value, adds, mask) = match stms[..] {
            [Stm::Load(x, from), Stm::Store { place: to, value, mask: None }] => (x, from, to, value, false, &None),
            [Stm::Load(x, from), Stm::Update { op: ScalarOp::Add, place: to, value, mask }] => {
                (x, from, to, value, true, mask)
            }
            _ => return None,
        };
        let step = |place: &Place| place.step.filter(|(step, _)| *step == Operand::Value(index));
        let steps = step(from).is_some() && step(to).is_some_and(|(_, by)| by == Operand::int(1));
        let there = self.code.buffers[to.buffer.0 as usize];
        let apart = match (to.lane, to.varying) {
            (Some(apart), None) => apart != Operand::int(1),
            (None, Some(_)) => adds,
            (None, None) | (Some(_), Some(_)) => false,
        };
        let rows = !there.private && there.prim.is_real() && apart && to.buffer != from.buffer;
        if *value != Operand::Value(*x) || !steps || !is_row(self.code, from) || !rows {
            return None;
        }
        let (from, to, mask) = (self.numbered(from), self.numbered(to), mask.map(|mask| self.reg(mask)));
        Some(Instruction::IntoRows(IntoRows { count, from, to, adds, mask }))
    }

    /// Puts values into lanes' rows that the first of these statements do, if they store them side by side: how many there
    /// are.
    pub(super) fn in_rows(&mut self, stms: &[Stm]) -> Option<usize> {
        self.varying.as_ref()?;
        let Stm::Store { place: first, .. } = stms.first()? else { return None };
        let there = self.code.buffers[first.buffer.0 as usize];
        if there.private || !there.prim.is_real() || !first.is_strided() {
            return None;
        }
        let base = first.base.as_int()?;
        let column = |(k, stm): (i64, &Stm)| match stm {
            Stm::Store { place, value, mask: None } if !self.is_inline(*value) => {
                (*place == Place { base: Operand::int(base + k), ..*first }).then_some(*value)
            }
            _ => None,
        };
        let values: Vec<Operand> = (0..).zip(stms).map_while(column).collect();
        if values.len() < FEWEST {
            return None;
        }
        let (at, columns) = (self.address(first), values.iter().map(|value| self.reg(*value)).collect());
        self.rows.push(Rows { at, columns });
        let number = u32::try_from(self.rows.len() - 1).expect("code has fewer than 2^32 statements");
        self.out.push(Instruction::Rows(number));
        Some(values.len())
    }

    /// The instruction of a loop that does nothing but copy elements in a row, if it is one.
    fn transposed(&mut self, index: Value, count: u32, body: &Block) -> Option<Instruction> {
        self.varying.as_ref()?;
        let stms: Vec<&Stm> = body.iter().filter(|stm| is_needed(stm, &self.needed)).collect();
        let [Stm::Load(x, from), Stm::Store { place: to, value, mask: None }] = stms[..] else { return None };
        let there = self.code.buffers[to.buffer.0 as usize];
        let steps = to.step.is_some_and(|(step, _)| step == Operand::Value(index));
        let own = there.prim.is_real() && there.private && is_row(self.code, to);
        if *value != Operand::Value(*x) || !is_along_rows(self.code, from, index) || !steps || !own {
            return None;
        }
        let (from, to) = (self.numbered(from), self.numbered(to));
        Some(Instruction::Transpose(Transpose { count, from, to }))
    }

    /// What a loop sums up, if it does nothing else.
    fn sums(&self, index: Value, body: &Block) -> Option<Vec<Sum>> {
        self.varying.as_ref()?;
        let steps = |place: &Place| {
            let info = self.code.buffers[place.buffer.0 as usize];
            let is_one = !info.private && info.prim.is_real() && place.lane.is_none() && place.varying.is_none();
            let by_index = place.step.is_none_or(|(step, by)| step == Operand::Value(index) && by != step);
            (is_one || is_row(self.code, place) || is_along_rows(self.code, place, index))
                && by_index
                && place.base != Operand::Value(index)
        };
        let mut loads: FxHashMap<Operand, Place> = FxHashMap::default();
        let mut differences: FxHashMap<Operand, [Place; 2]> = FxHashMap::default();
        // What is summed up so far, and the cell that it is for.
        let mut so_far: FxHashMap<Value, Value> = FxHashMap::default();
        let mut sums: Vec<Sum> = Vec::new();
        for stm in body.iter().filter(|stm| is_needed(stm, &self.needed)) {
            let both = |x: &[Operand]| Some([*loads.get(&x[0])?, *loads.get(&x[1])?]);
            if let Stm::Load(x, place) = stm
                && steps(place)
            {
                loads.insert(Operand::Value(*x), *place);
            } else if let Stm::Let(d, Op::Scalar(ScalarOp::Row(Primitive::Sub)), x) = stm {
                differences.insert(Operand::Value(*d), both(x)?);
            } else if let Stm::Let(to, Op::MulAdd, x) = stm
                && let Operand::Value(from) = x[2]
            {
                let (what, places) = match differences.get(&x[0]) {
                    Some(places) if x[0] == x[1] => (Summed::Squares, *places),
                    Some(_) | None => (Summed::Products, both(x)?),
                };
                let cell = so_far.remove(&from).unwrap_or(from);
                so_far.insert(*to, cell);
                sums.push((what, places, cell));
            } else {
                return None;
            }
        }
        let varies = |cell: Value| self.code.values[cell.0 as usize].varying;
        let in_any_order = |cell: &Value| self.code.sums.values().any(|other| other == cell);
        let of = |cell: Value| sums.iter().filter(|(.., other)| *other == cell).count();
        let fits = so_far.iter().all(|(end, cell)| end == cell && varies(*cell))
            && sums.iter().all(|(.., cell)| of(*cell) == 1 || in_any_order(cell));
        (fits && !sums.is_empty()).then_some(sums)
    }

    /// The instruction of a loop that does nothing but add the products of all lanes to elements, if it is one.
    fn outer(&mut self, index: Value, count: u32, body: &Block) -> Option<Instruction> {
        self.varying.as_ref()?;
        let stms: Vec<&Stm> = body.iter().filter(|stm| is_needed(stm, &self.needed)).collect();
        let [
            Stm::Load(row, from),
            Stm::Let(product, Op::Scalar(ScalarOp::Mul), factors),
            Stm::Update { op: ScalarOp::Add, place: to, value, mask: None },
        ] = stms[..]
        else {
            return None;
        };
        let x = match factors[..] {
            [a, b] if a == Operand::Value(*row) => b,
            [a, b] if b == Operand::Value(*row) => a,
            _ => return None,
        };
        let steps = |place: &Place| place.step.is_some_and(|(step, by)| step == Operand::Value(index) && by != step);
        let starts = |place: &Place| place.base != Operand::Value(index);
        let there = self.code.buffers[to.buffer.0 as usize];
        let is_one = there.prim.is_real() && !there.private && to.lane.is_none() && to.varying.is_none();
        let apart = from.buffer != to.buffer && x != Operand::Value(*row) && !self.is_inline(x);
        let walks = [from, to].into_iter().all(|place| steps(place) && starts(place));
        if *value != Operand::Value(*product) || !walks || !is_row(self.code, from) || !is_one || !apart {
            return None;
        }
        let (x, rows, to) = (self.reg(x), self.numbered(from), self.numbered(to));
        Some(Instruction::Outer(Outer { count, x, rows, to }))
    }

    /// The instruction of a product.
    pub(super) fn product(&mut self, it: &code::Product) {
        let start = self.here();
        let code::Matrix { buffer, base, strides } = it.matrix;
        let [rows, columns] = it.sizes.map(|size| self.one(size));
        let [index, stride] = strides.map(|stride| self.one(stride));
        let matrix = self.address(&Place { base, ..Place::first(buffer) });
        let matrix = Address { index, stride, ..matrix };
        let lines = [it.rows, it.columns].map(|line| {
            let stride = self.one(line.stride);
            Address { stride, ..self.address(&line.place) }
        });
        let number = u32::try_from(self.products.len()).expect("code has fewer than 2^32 products");
        self.products.push(Product { rows, columns, matrix, lines, adds: it.adds });
        self.out.push(Instruction::Product(number));
        self.note(start, it.origin);
    }
}

//! Products of matrices, found in loops.
//!
//! A loop over rows of a matrix that is the same for all lanes, in which a loop sums up products of the row's elements with
//! what the lanes have, is a product; so is one in which the products of what the lanes have are added to the rows. What
//! else such a loop does stays a loop, before or after the product.
//!
//! Law: the sums may be taken in any order, and nothing that runs between two iterations changes what a product is of.
//! What is too small to be worth it stays as it was, by the sizes of the run (tests/execute/products.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{
    Block, Buffer, BufferInfo, Code, Line, Matrix, Op, Operand, Origin, Place, Product, Stm, Value, ValueInfo,
};
use super::parts::{Mention, Mentions, each, rename, sets};
use crate::array::{Prim, ScalarOp};

/// A matrix with fewer rows or columns than this is small.
pub(crate) const MIN_MATRIX_SIDE: i64 = 4;

/// Puts products where they are.
pub(crate) fn find_products(code: &mut Code) {
    let Code { values, buffers, sums, precision, body, outputs, .. } = code;
    let any_order = sums.values().copied().collect();
    let (mentions, inside) = (Mentions::of(outputs, body), Mentions::default());
    Finder { values, buffers, sums, precision: *precision, any_order, mentions, inside }.block(body, false);
}

struct Finder<'c> {
    values: &'c mut Vec<ValueInfo>,
    buffers: &'c mut Vec<BufferInfo>,
    sums: &'c mut FxHashMap<Value, Value>,
    /// That reals are computed in.
    precision: Prim,
    /// The cells of sums that may be taken in any order.
    any_order: FxHashSet<Value>,
    mentions: Mentions,
    /// Those of a loop, while it is looked at.
    inside: Mentions,
}

/// A loop on its way to products: what comes before it, what is left of it, and what comes after it.
struct Split {
    index: Value,
    rows: Operand,
    before: Block,
    body: Block,
    after: Block,
    columns: Vec<Operand>,
    /// What is set in the loop.
    set: FxHashSet<Value>,
}

/// What a loop sums up: products of elements of rows of matrices and of what the lanes have.
struct Sums {
    factors: Vec<(Matrix, Line)>,
    count: Operand,
    cell: Value,
    origin: Origin,
}

impl Finder<'_> {
    fn block(&mut self, block: &mut Block, in_lanes: bool) {
        for mut stm in core::mem::take(block) {
            let inside = in_lanes || matches!(stm, Stm::Lanes(_));
            stm.blocks_mut().into_iter().for_each(|inner| self.block(inner, inside));
            match self.split(&stm).filter(|_| in_lanes) {
                Some(split) => {
                    let found = self.chosen(split, stm);
                    block.extend(found);
                }
                None => block.push(stm),
            }
        }
    }

    /// The products of a loop, if it has any.
    fn split(&mut self, stm: &Stm) -> Option<Split> {
        let Stm::For { index, count, body, .. } = stm else { return None };
        let is_row = |stm: &Stm| matches!(stm, Stm::For { body, .. } if body.len() >= 3);
        if !body.iter().any(is_row) || count.as_int().is_some_and(|n| n < MIN_MATRIX_SIDE) {
            return None;
        }
        let mut set: FxHashSet<Value> = core::iter::once(*index).collect();
        sets(body, &mut set);
        let mut body = body.clone();
        // A cell that nothing reads would hide that what is left does nothing but sum up.
        let is_idle = |cell: &Value| matches!(self.mentions.get(*cell), Mention { set: 1, used: 0, .. });
        body.iter_mut().for_each(|stm| {
            if let Stm::Assign { cells, .. } = stm {
                cells.retain(|(cell, _)| !is_idle(cell));
            }
        });
        body.retain(|stm| !matches!(stm, Stm::Assign { cells, .. } if cells.is_empty()));
        let (before, after) = (Vec::new(), Vec::new());
        let mut split = Split { index: *index, rows: *count, before, body, after, columns: Vec::new(), set };
        while self.sum(&mut split) || self.addition(&mut split) {}
        (!split.columns.is_empty()).then_some(split)
    }

    /// The products and what is left of the loop, where they are worth it; else the loop as it was.
    fn chosen(&mut self, split: Split, whole: Stm) -> Block {
        let Stm::For { index, count, origin, .. } = whole else { unreachable!("a loop was split") };
        let Split { before, body, after, columns, .. } = split;
        let old = vec![whole];
        self.inside.count(&old);
        let local = |value: &Value| self.inside.get(*value) == self.mentions.get(*value);
        let idle = |stm: &Stm| matches!(stm, Stm::Let(value, ..) | Stm::Load(value, _) if local(value));
        let mut new = before;
        if !body.iter().all(idle) {
            new.push(Stm::For { index, count, body, origin });
        }
        new.extend(after);
        let mut named: FxHashSet<Value> = FxHashSet::default();
        sets(&new, &mut named);
        let mut names: Vec<Value> = named.into_iter().filter(local).collect();
        names.sort_unstable();
        self.inside.take_back(&old);
        let mut sizes: Vec<Operand> = Vec::new();
        for size in core::iter::once(count).chain(columns) {
            if size.as_int().is_none() && !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        if sizes.is_empty() {
            return new;
        }
        // Each version has its own names for what is not seen outside.
        let names: FxHashMap<Value, Value> = names.into_iter().map(|old| (old, self.value(old))).collect();
        new.iter_mut().for_each(|stm| rename(stm, &names));
        for (old, new) in &names {
            if self.any_order.contains(old) {
                self.any_order.insert(*new);
                self.sums.insert(*new, *new);
            }
        }
        let mut out: Block = Vec::new();
        let mut all: Option<Operand> = None;
        for size in sizes {
            let large = self.truth();
            let least = Operand::int(MIN_MATRIX_SIDE);
            out.push(Stm::Let(large, Op::Scalar(ScalarOp::LessOrEqual), vec![least, size]));
            let large = Operand::Value(large);
            all = Some(match all {
                None => large,
                Some(all) => {
                    let both = self.truth();
                    out.push(Stm::Let(both, Op::Scalar(ScalarOp::Mul), vec![all, large]));
                    Operand::Value(both)
                }
            });
        }
        let condition = all.expect("there is a size that is not known");
        self.mentions.count(&out);
        self.mentions.use_each(&[condition]);
        self.mentions.count(&new);
        out.push(Stm::If { condition, yes: new, no: old });
        out
    }

    /// Another value of the same kind.
    fn value(&mut self, like: Value) -> Value {
        self.values.push(self.values[like.0 as usize]);
        Value(u32::try_from(self.values.len() - 1).expect("code has fewer than 2^32 values"))
    }

    fn truth(&mut self) -> Value {
        self.values.push(ValueInfo { prim: Prim::Bool, varying: false });
        Value(u32::try_from(self.values.len() - 1).expect("code has fewer than 2^32 values"))
    }

    /// A buffer that each lane has for itself.
    fn buffer(&mut self, prim: Prim) -> Buffer {
        self.buffers.push(BufferInfo { prim, private: true });
        Buffer(u32::try_from(self.buffers.len() - 1).expect("code has fewer than 2^32 buffers"))
    }

    /// Takes the next loop out that sums up the products of rows with what the lanes have.
    fn sum(&mut self, split: &mut Split) -> bool {
        for at in 0..split.body.len() {
            let Some(Sums { factors, count, cell, origin }) = self.summed(split, at) else { continue };
            let start = split.body[..at].iter().rposition(|stm| sets_to_zero(stm, cell));
            let Some(start) = start.filter(|start| !mentioned(&split.body[start + 1..at], cell)) else { continue };
            let Stm::Assign { cells, .. } = &mut split.body[start] else { unreachable!("a cell is set here") };
            cells.retain(|(other, _)| *other != cell);
            let none = cells.is_empty();
            let (mut loads, mut sums): (Block, Vec<Operand>) = (Vec::new(), Vec::new());
            for (matrix, columns) in factors {
                let buffer = self.buffer(self.values[cell.0 as usize].prim);
                let rows = Line { place: Place::first(buffer), stride: Operand::int(1) };
                split.before.push(Stm::Alloc(buffer, split.rows));
                let sizes = [split.rows, count];
                let product = Product { sizes, matrix, rows, columns, adds: false, origin };
                split.before.push(Stm::Product(Box::new(product)));
                let step = Some((Operand::Value(split.index), Operand::int(1)));
                let sum = self.value(cell);
                loads.push(Stm::Load(sum, Place { step, ..Place::first(buffer) }));
                sums.push(Operand::Value(sum));
            }
            // The cell is the sum of their sums.
            match (&mut loads[..], &sums[..]) {
                ([Stm::Load(sum, _)], _) => *sum = cell,
                (_, [first, others @ ..]) => {
                    let mut total = *first;
                    for (k, sum) in others.iter().enumerate() {
                        let next = if k + 1 == others.len() { cell } else { self.value(cell) };
                        loads.push(Stm::Let(next, Op::Scalar(ScalarOp::Add), vec![total, *sum]));
                        total = Operand::Value(next);
                    }
                }
                _ => unreachable!("there are factors"),
            }
            split.body.splice(at..=at, loads);
            if none {
                split.body.remove(start);
            }
            split.columns.push(count);
            return true;
        }
        false
    }

    fn summed(&self, split: &Split, at: usize) -> Option<Sums> {
        let Stm::For { index, count, body, origin } = &split.body[at] else { return None };
        let Some(Stm::Let(cell, Op::MulAdd, _)) = body.last() else { return None };
        if !self.any_order.contains(cell) || !self.is_fixed(split, *count) {
            return None;
        }
        if count.as_int().is_some_and(|n| n < MIN_MATRIX_SIDE) {
            return None;
        }
        let (mut loaded, mut factors) = (FxHashMap::default(), Vec::new());
        let (mut before, mut partial) = (*cell, Vec::new());
        for stm in body {
            match stm {
                Stm::Load(value, place) => drop(loaded.insert(Operand::Value(*value), place)),
                Stm::Let(sum, Op::MulAdd, x) if x[2] == Operand::Value(before) => {
                    factors.push(self.factors(split, *index, [loaded.get(&x[0])?, loaded.get(&x[1])?])?);
                    before = *sum;
                    partial.extend(Some(before).filter(|sum| sum != cell));
                }
                _ => return None,
            }
        }
        (before == *cell && partial.iter().all(|sum| matches!(self.mentions.get(*sum), Mention { used: 1, .. })))
            .then_some(Sums { factors, count: *count, cell: *cell, origin: *origin })
    }

    /// Elements of a row of a matrix and of what the lanes have, in either order.
    fn factors(&self, split: &Split, index: Value, [a, b]: [&Place; 2]) -> Option<(Matrix, Line)> {
        let of = |matrix: &Place, line: &Place| {
            let pair = (self.matrix(split, index, matrix)?, self.line(split, index, line)?);
            let kept = |buffer| !split.body.iter().any(|stm| changes(stm, buffer));
            (kept(matrix.buffer) && kept(line.buffer)).then_some(pair)
        };
        of(a, b).or_else(|| of(b, a))
    }

    /// Takes the next loop out that adds the products of what the lanes have to a row.
    fn addition(&mut self, split: &mut Split) -> bool {
        for at in 0..split.body.len() {
            let Some((matrix, columns, count, value, origin)) = self.added(split, at) else { continue };
            let loaded = split.body[..at].iter().find_map(|stm| match stm {
                Stm::Load(other, place) if *other == value => self.line(split, split.index, place),
                _ => None,
            });
            let kept = |line: &Line| !split.body.iter().any(|stm| changes(stm, line.place.buffer));
            let rows = match loaded.filter(kept) {
                Some(line) => {
                    split.body.remove(at);
                    line
                }
                None => {
                    let buffer = self.buffer(self.values[value.0 as usize].prim);
                    split.before.push(Stm::Alloc(buffer, split.rows));
                    let step = Some((Operand::Value(split.index), Operand::int(1)));
                    let place = Place { step, ..Place::first(buffer) };
                    split.body[at] = Stm::Store { place, value: Operand::Value(value), mask: None };
                    Line { place: Place::first(buffer), stride: Operand::int(1) }
                }
            };
            let sizes = [split.rows, count];
            split.after.push(Stm::Product(Box::new(Product { sizes, matrix, rows, columns, adds: true, origin })));
            split.columns.push(count);
            return true;
        }
        false
    }

    /// What a loop adds the products of, and the lanes' factor.
    fn added(&self, split: &Split, at: usize) -> Option<(Matrix, Line, Operand, Value, Origin)> {
        let Stm::For { index, count, body, origin } = &split.body[at] else { return None };
        let [
            Stm::Load(x, from),
            Stm::Let(product, Op::Scalar(ScalarOp::Mul), factors),
            Stm::Update { op: ScalarOp::Add, place, value, mask: None },
        ] = &body[..]
        else {
            return None;
        };
        let factor = match factors[..] {
            [a, b] if a == Operand::Value(*x) => b,
            [a, b] if b == Operand::Value(*x) => a,
            _ => return None,
        };
        let Operand::Value(factor) = factor else { return None };
        let varies = self.values[factor.0 as usize].varying;
        if *value != Operand::Value(*product) || factor == *x || !varies || !self.is_fixed(split, *count) {
            return None;
        }
        if count.as_int().is_some_and(|n| n < MIN_MATRIX_SIDE) {
            return None;
        }
        let (matrix, line) = (self.matrix(split, *index, place)?, self.line(split, *index, from)?);
        // Nothing else may look at what is added to.
        let to = matrix.buffer;
        let others = split.before.iter().chain(&split.after);
        let others = others.chain(split.body.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, stm)| stm));
        let alone = !others.into_iter().any(|stm| touches(stm, to));
        let kept = !split.body.iter().any(|stm| changes(stm, line.place.buffer));
        (alone && kept && to != line.place.buffer).then_some((matrix, line, *count, factor, *origin))
    }

    /// Whether an operand is the same in all iterations.
    fn is_fixed(&self, split: &Split, operand: Operand) -> bool {
        match operand {
            Operand::Value(value) => !split.set.contains(&value),
            Operand::Const(_) => true,
        }
    }

    /// A place that goes on with both loops, of what is the same for all lanes.
    fn matrix(&self, split: &Split, column: Value, place: &Place) -> Option<Matrix> {
        let Place { buffer, base, step, lane, varying, inside: _ } = *place;
        let info = self.buffers[buffer.0 as usize];
        let (index, across) = step?;
        let is_one = info.prim == self.precision && !info.private && lane.is_none() && varying.is_none();
        if !is_one || index != Operand::Value(column) || !self.is_fixed(split, across) {
            return None;
        }
        let (base, down) = self.affine(split, base)?;
        Some(Matrix { buffer, base, strides: [down, across] })
    }

    /// What an operand is before the first iteration, and how much more in each.
    fn affine(&self, split: &Split, x: Operand) -> Option<(Operand, Operand)> {
        let zero = Operand::int(0);
        if x == Operand::Value(split.index) {
            return Some((zero, Operand::int(1)));
        }
        if self.is_fixed(split, x) {
            return Some((x, zero));
        }
        let (op, operands) = split.body.iter().find_map(|stm| match stm {
            Stm::Let(value, op, operands) if Operand::Value(*value) == x => Some((op, operands)),
            _ => None,
        })?;
        let [a, b] = operands[..] else { return None };
        match op {
            Op::Scalar(ScalarOp::Mul) => {
                let by = if a == Operand::Value(split.index) { b } else { a };
                let is_step = [a, b].contains(&Operand::Value(split.index)) && self.is_fixed(split, by);
                is_step.then_some((zero, by))
            }
            Op::Scalar(ScalarOp::Add) => {
                let one = |a: Operand, b: Operand| {
                    if a == zero { Some(b) } else { (b == zero).then_some(a) }
                };
                let ((a, step_a), (b, step_b)) = (self.affine(split, a)?, self.affine(split, b)?);
                Some((one(a, b)?, one(step_a, step_b)?))
            }
            _ => None,
        }
    }

    /// A place that goes on with one loop, where lanes have reals side by side.
    fn line(&self, split: &Split, index: Value, place: &Place) -> Option<Line> {
        let info = self.buffers[place.buffer.0 as usize];
        let beside = if info.private { place.lane.is_none() } else { place.lane == Some(Operand::int(1)) };
        let (step, stride) = place.step?;
        let fixed = [place.base, stride].into_iter().all(|x| self.is_fixed(split, x));
        let is_row = info.prim == self.precision && beside && place.varying.is_none();
        let place = Place { step: None, ..*place };
        (is_row && fixed && step == Operand::Value(index)).then_some(Line { place, stride })
    }
}

/// Whether a statement sets a cell to 0.
fn sets_to_zero(stm: &Stm, cell: Value) -> bool {
    let is_zero = |x: &Operand| matches!(x, Operand::Const(x) if x.prim().is_real() && *x == x.prim().zero());
    matches!(stm, Stm::Assign { cells, mask: None } if cells.iter().any(|(other, x)| *other == cell && is_zero(x)))
}

fn mentioned(block: &[Stm], value: Value) -> bool {
    let mut found = false;
    let x = Operand::Value(value);
    each(block, &mut |stm| found |= stm.sets().contains(&value) || stm.operands().contains(&x));
    found
}

/// Whether something in a statement changes a buffer.
fn changes(stm: &Stm, buffer: Buffer) -> bool {
    stm.changes(buffer) || stm.blocks().into_iter().flatten().any(|inner| changes(inner, buffer))
}

/// Whether something in a statement changes a buffer or looks at it.
fn touches(stm: &Stm, buffer: Buffer) -> bool {
    stm.touches().iter().any(|(other, ..)| *other == buffer)
        || stm.blocks().into_iter().flatten().any(|inner| touches(inner, buffer))
}

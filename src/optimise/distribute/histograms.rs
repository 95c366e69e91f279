//! Histograms by operators that no machine updates a word by: values are sorted by their bins, and scanned bin by bin.
//!
//! Law: every bin is combined with its values, in their order; a value of no bin is ignored (tests/gpu/histograms.rs, laws:
//! executors::suite).

use super::Distribution;
use super::scans::{combined, restarting};
use crate::array::{
    Agreement, Atom, Body, Builder, Hist, IntegerRow, Op, Prim, Reduce, ScalarOp, Scatter, Stm, index, sorted,
};
use crate::optimise::rewriter::{agree_lengths, either, mapped};

impl Distribution {
    /// What is in the place of a histogram: the same, if all of the machine's threads can go through its values as it is, or if it is too
    /// short.
    pub(super) fn histogram(&mut self, stm: Stm) -> Vec<Stm> {
        let Op::Hist(it) = &stm.op else { return vec![stm] };
        let types: Vec<_> = it.neutral.iter().map(|a| self.builder.type_of(*a)).collect();
        let is_wide = it.operator.as_updates(types.iter().map(|of| of.prim)).is_some();
        let is_long = self.is_worth_threads(it.indices);
        let bins = self.work.length(it.destinations[0]);
        let Some(bins) = bins.filter(|_| !is_wide && is_long && types.iter().all(|of| of.rank == 0)) else {
            return vec![stm];
        };
        self.changed = true;
        let around = self.builder.span(stm.span);
        self.builder.open_body();
        // The bin of none is one more.
        let bits = u64::BITS - bins.leading_zeros();
        let found = write(&mut self.builder, it, i64::from(bits));
        let mut stms = self.builder.close_body(Vec::new()).stms;
        stms.extend(stm.vars.iter().zip(found).map(|(var, op)| self.builder.stm([*var].into_iter().collect(), op)));
        self.builder.span(around);
        stms
    }
}

fn integer(b: &mut Builder, row: IntegerRow, x: Atom, y: Atom) -> Atom {
    b.scalar(row, &[x, y])
}

/// Writes a histogram of bins whose numbers have `bits` bits, and gives what its results are.
fn write(b: &mut Builder, it: &Hist, bits: i64) -> Vec<Op> {
    it.values[1..].iter().for_each(|values| agree_lengths(b, Agreement::Values, *values, it.values[0]));
    it.destinations[1..].iter().for_each(|bins| agree_lengths(b, Agreement::Bins, *bins, it.destinations[0]));
    agree_lengths(b, Agreement::Indices, it.indices, it.values[0]);
    let bins = b.one(Op::Size(it.destinations[0], 0));
    let keys = mapped(b, vec![it.indices], |b, at| {
        let at = Atom::Var(at[0]);
        let is_there = within(b, at, bins);
        vec![either(b, is_there, at, bins)]
    });
    let [keys, order] = sorted(b, keys[0], index(bits));
    let length = b.one(Op::Size(keys, 0));
    let numbers = b.one(Op::Iota(length));
    let last = integer(b, IntegerRow::Sub, length, index(1));
    let ends = mapped(b, vec![numbers, keys], |b, x| {
        let [at, key] = [0, 1].map(|k| Atom::Var(x[k]));
        // The first and the last are their own neighbours, and ends of segments all the same.
        let before = integer(b, IntegerRow::Sub, at, index(1));
        let before = integer(b, IntegerRow::Max, before, index(0));
        let after = b.scalar(ScalarOp::Add, &[at, index(1)]);
        let after = integer(b, IntegerRow::Min, after, last);
        [(before, index(0)), (after, last)]
            .map(|(neighbour, end)| {
                let other = b.one(Op::Index(keys, vec![neighbour]));
                let same = b.scalar(ScalarOp::Equal, &[other, key]);
                let changes = b.scalar(ScalarOp::Not, &[same]);
                let is_end = b.scalar(ScalarOp::Equal, &[at, end]);
                b.scalar(ScalarOp::Add, &[changes, is_end])
            })
            .to_vec()
    });
    let [begins, ends] = [ends[0], ends[1]];
    let values = mapped(b, vec![order], |b, at| {
        it.values.iter().map(|values| b.one(Op::Index(*values, vec![Atom::Var(at[0])]))).collect()
    });
    let operator = restarting(b, &it.operator);
    let neutral = [&[Atom::from(Prim::Bool.zero())], &it.neutral[..]].concat();
    let arrays = [&[begins], &values[..]].concat();
    let scanned = b.emit(Op::Scan(Box::new(Reduce { commutative: false, neutral, arrays, operator })));
    let inputs: Vec<Atom> = [ends, keys].into_iter().chain(scanned[1..].iter().copied().map(Atom::Var)).collect();
    let bins_and_values = mapped(b, inputs, |b, x| {
        let [is_end, key] = [0, 1].map(|k| Atom::Var(x[k]));
        let is_there = b.scalar(ScalarOp::Less, &[key, bins]);
        let condition = b.scalar(ScalarOp::Mul, &[is_end, is_there]);
        let yes = b.body(|b| {
            let bins = it.destinations.iter().map(|d| b.one(Op::Index(*d, vec![key]))).collect::<Vec<Atom>>();
            let values: Vec<Atom> = x[2..].iter().copied().map(Atom::Var).collect();
            let found = combined(b, &it.operator, &bins, &values);
            core::iter::once(key).chain(found).collect()
        });
        let no = Body { stms: Vec::new(), results: [&[index(-1)], &it.neutral[..]].concat() };
        b.emit(Op::If(condition, Box::new(yes), Box::new(no))).into_iter().map(Atom::Var).collect()
    });
    let (indices, values) = bins_and_values.split_first().expect("the bin is first");
    let pairs = it.destinations.iter().zip(values);
    let scatter = |(destination, values): (&Atom, &Atom)| {
        Op::Scatter(Box::new(Scatter { destination: *destination, indices: *indices, values: *values }))
    };
    pairs.map(scatter).collect()
}

/// Whether there is a bin of this number.
fn within(b: &mut Builder, at: Atom, bins: Atom) -> Atom {
    let not_before = b.scalar(ScalarOp::LessOrEqual, &[index(0), at]);
    let before_end = b.scalar(ScalarOp::Less, &[at, bins]);
    b.scalar(ScalarOp::Mul, &[not_before, before_end])
}

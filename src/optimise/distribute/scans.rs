//! Scans of few long rows, as one scan of all rows.
//!
//! Law: every row is scanned as it was, but for how the operator is bracketed: an element that begins a row says so, and there what is
//! before it is forgotten (tests/gpu/distribute.rs, laws: executors::suite).
//!
//! It is the segmented scan of "Scans as Primitive Parallel Operations", by an operator on pairs.

use rustc_hash::FxHashSet;

use super::Distribution;
use crate::array::{Atom, Body, Builder, IntegerRow, Lambda, Map, Op, Prim, Reduce, ScalarOp, Stm, Type, Var, Vars};
use crate::array::{free, index};
use crate::optimise::rewriter::mapped;

impl Distribution {
    /// What is in the place of a map that scans rows, in a body that `threads` threads execute: the same, if it does not or fills the
    /// machine.
    pub(super) fn scans_of_rows(&mut self, stm: Stm, threads: u64) -> Vec<Stm> {
        let Op::Map(map) = &stm.op else { return vec![stm] };
        let Some(rows) = Rows::of(map) else { return vec![stm] };
        let sizes = self.work.sizes(stm.vars[0].into());
        let all = sizes.iter().try_fold(1_i64, |all, n| all.checked_mul((*n)?));
        let (Some(all), Some((_, counts))) = (all, sizes.split_last()) else { return vec![stm] };
        let count = counts.iter().flatten().fold(threads, |all, n| all.saturating_mul(n.unsigned_abs()));
        if count >= self.machine.threads || !self.is_long(rows.scan) {
            return vec![stm];
        }
        self.changed = true;
        let around = self.builder.span(stm.span);
        self.builder.open_body();
        let scanned = write(&mut self.builder, map, &rows);
        let mut stms = self.builder.close_body(Vec::new()).stms;
        for var in stms.iter().flat_map(|stm| &stm.vars) {
            match self.builder.type_of(*var).rank {
                0 => {}
                1 => self.work.learn(*var, [Some(all)].into_iter().collect()),
                _ => self.work.learn(*var, sizes.clone()),
            }
        }
        let results = stm.vars.iter().zip(scanned);
        stms.extend(results.map(|(var, op)| self.builder.stm([*var].into_iter().collect(), op)));
        self.builder.span(around);
        stms
    }

    /// Whether a scan, of scalars, is worth more than a thread.
    pub(super) fn is_long(&mut self, scan: &Reduce) -> bool {
        let are_scalars = scan.neutral.iter().all(|a| self.builder.type_of(*a).rank == 0);
        are_scalars && self.is_worth_threads(scan.arrays[0])
    }
}

/// A scan that is what maps do last, each for an element of the one around it.
struct Rows<'m> {
    scan: &'m Reduce,
    /// How many maps there are.
    depth: usize,
    /// Which result of the scan each result of the outermost map is.
    gives: Vec<usize>,
}

impl<'m> Rows<'m> {
    fn of(map: &'m Map) -> Option<Self> {
        let (mut map, mut depth) = (map, 1);
        let mut inside: FxHashSet<Var> = FxHashSet::default();
        let mut gives: Vec<usize> = (0..map.function.body.results.len()).collect();
        loop {
            let Body { stms, results } = &map.function.body;
            let (Stm { vars, op, .. }, before) = stms.split_last()?;
            let given = |result: &usize| vars.iter().position(|var| results[*result] == Atom::Var(*var));
            gives = gives.iter().map(given).collect::<Option<_>>()?;
            if gives.is_empty() || !map.accumulators.is_empty() {
                return None;
            }
            inside.extend(&map.function.params);
            inside.extend(before.iter().flat_map(|stm| &stm.vars));
            match op {
                Op::Map(inner) => (map, depth) = (inner, depth + 1),
                Op::Scan(scan) => {
                    // One operator is for all rows.
                    let alone = Op::Scan(Box::new(Reduce { arrays: Vec::new(), ..(**scan).clone() }));
                    return free(&alone).iter().all(|var| !inside.contains(var)).then_some(Rows { scan, depth, gives });
                }
                _ => return None,
            }
        }
    }
}

/// Writes one scan of all rows, and gives what its results are.
fn write(b: &mut Builder, map: &Map, rows: &Rows<'_>) -> Vec<Op> {
    let Rows { scan, depth, ref gives } = *rows;
    let (elements, _) = elements(b, map.clone());
    let elements: Vec<Atom> = b.emit(Op::Map(Box::new(elements))).into_iter().map(Atom::Var).collect();
    let sizes: Vec<Atom> = (0..=depth).map(|d| b.one(Op::Size(elements[0], d))).collect();
    let total = sizes[1..].iter().fold(sizes[0], |all, n| b.scalar(ScalarOp::Mul, &[all, *n]));
    let numbers = b.one(Op::Iota(total));
    let begins = mapped(b, vec![numbers], |b, number| {
        let at = b.scalar(IntegerRow::Rem, &[number[0].into(), sizes[depth]]);
        vec![b.scalar(ScalarOp::Equal, &[at, index(0)])]
    });
    let flat = elements.iter().map(|array| b.one(Op::Reshape(*array, vec![total]))).collect::<Vec<Atom>>();
    // What a scan starts from may be anything, and each row starts from it.
    let flat = mapped(b, [&begins[..], &flat].concat(), |b, x| {
        let x: Vec<Atom> = x.iter().copied().map(Atom::Var).collect();
        let begun = b.body(|b| combined(b, &scan.operator, &scan.neutral, &x[1..]));
        let same = Body { stms: Vec::new(), results: x[1..].to_vec() };
        b.emit(Op::If(x[0], Box::new(begun), Box::new(same))).into_iter().map(Atom::Var).collect()
    });
    let operator = restarting(b, &scan.operator);
    let neutral = [&[Atom::from(Prim::Bool.zero())], &scan.neutral[..]].concat();
    let arrays = [begins, flat].concat();
    let scanned = b.emit(Op::Scan(Box::new(Reduce { commutative: false, neutral, arrays, operator })));
    gives.iter().map(|k| Op::Reshape(scanned[1 + k].into(), sizes.clone())).collect()
}

/// The maps without the scan: they give what it goes over; and the types of what they give.
fn elements(b: &mut Builder, mut map: Map) -> (Map, Vec<Type>) {
    let body = &mut map.function.body;
    let Stm { op, span, .. } = body.stms.pop().expect("the last statement is a map or the scan");
    body.results = match op {
        Op::Map(inner) => {
            let (inner, types) = elements(b, *inner);
            let vars: Vars = types.iter().map(|of| b.fresh(of.arrayed())).collect();
            let results = vars.iter().copied().map(Atom::Var).collect();
            body.stms.push(Stm { vars, op: Op::Map(Box::new(inner)), span });
            results
        }
        Op::Scan(it) => it.arrays,
        _ => panic!("the last statement is a map or the scan"),
    };
    let types = map.function.body.results.iter().map(|a| b.type_of(*a)).collect();
    (map, types)
}

/// The operator that forgets what is to the left where a truth value says that a row begins.
pub(super) fn restarting(b: &mut Builder, operator: &Lambda) -> Lambda {
    let k = operator.params.len() / 2;
    let types = operator.params[..k].iter().map(|param| b.type_of(*param));
    let side: Vec<Type> = core::iter::once(Type::scalar(Prim::Bool)).chain(types).collect();
    b.lambda(&[&side[..], &side].concat(), |b, x| {
        let x: Vec<Atom> = x.iter().copied().map(Atom::Var).collect();
        let (left, right) = x.split_at(k + 1);
        let any = b.scalar(ScalarOp::Add, &[left[0], right[0]]);
        let begun = Body { stms: Vec::new(), results: right[1..].to_vec() };
        let combined = b.body(|b| combined(b, operator, &left[1..], &right[1..]));
        let found = b.emit(Op::If(right[0], Box::new(begun), Box::new(combined)));
        core::iter::once(any).chain(found.into_iter().map(Atom::Var)).collect()
    })
}

/// What an operator makes of what is to the left and to the right.
pub(super) fn combined(b: &mut Builder, operator: &Lambda, left: &[Atom], right: &[Atom]) -> Vec<Atom> {
    b.copied(operator.body.clone(), operator.params.iter().copied().zip([left, right].concat()).collect())
}

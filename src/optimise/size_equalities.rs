//! Sizes that are known to be equal because a program compares them.
//!
//! Law: sizes that need no comparison by this analysis are equal in every run without an error; a comparison that is
//! made at least as often as another makes that one redundant (tests/transform/sizes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Agree, Atom, Const, Extent, Op, Stm, Var, Vars, index};
use crate::error::Span;

/// Sizes that must agree.
pub(super) struct Claim {
    pub(super) agree: Agree,
    /// Where the statement comes from that compares them.
    pub(super) span: Span,
    /// Whether a statement that stays compares them.
    pub(super) stays: bool,
}

impl Claim {
    /// The comparison as a statement.
    pub(super) fn stm(self) -> Stm {
        Stm { vars: Vars::new(), op: Op::Agree(Box::new(self.agree)), span: self.span }
    }
}

/// The factors of numbers that are products.
type Products = FxHashMap<Var, [Extent; 2]>;

/// What is known to be equal.
#[derive(Clone, Default)]
pub(super) struct Equal {
    /// Sizes, and what each is the same as.
    same: FxHashMap<Extent, Extent>,
    /// Products of sizes.
    products: Vec<[Vec<Extent>; 2]>,
    /// What is compared under a condition: the factors of the condition, and of both sides.
    sometimes: FxHashSet<[Vec<Extent>; 3]>,
}

/// An order of sizes, numbers that are known first.
fn rank(extent: &Extent) -> (u8, u64, usize) {
    match extent {
        Extent::Number(Atom::Const(n)) => (0, n.bits(), 0),
        Extent::Number(Atom::Var(var)) => (1, var.0.into(), 0),
        Extent::Of(Atom::Var(var), dimension) => (2, var.0.into(), *dimension),
        Extent::Of(Atom::Const(n), dimension) => (3, n.bits(), *dimension),
    }
}

fn number(extent: &Extent) -> Option<i64> {
    if let Extent::Number(Atom::Const(Const::I64(n))) = extent { Some(*n) } else { None }
}

impl Equal {
    fn find(&self, mut extent: Extent) -> Extent {
        while let Some(same) = self.same.get(&extent) {
            extent = *same;
        }
        extent
    }

    /// The factors of a product, in order.
    fn normal(&self, products: &Products, factors: &[Extent]) -> Vec<Extent> {
        let (mut pending, mut found, mut known) = (factors.to_vec(), Vec::new(), 1_i64);
        while let Some(factor) = pending.pop() {
            let factor = self.find(factor);
            match (factor, number(&factor)) {
                (_, Some(n)) => known = known.wrapping_mul(n),
                (Extent::Number(Atom::Var(var)), None) if products.contains_key(&var) => pending.extend(products[&var]),
                _ => found.push(factor),
            }
        }
        if known != 1 || found.is_empty() {
            found.push(Extent::Number(index(known)));
        }
        found.sort_unstable_by_key(rank);
        found
    }

    fn sides(&self, products: &Products, agree: &Agree) -> [Vec<Extent>; 2] {
        [self.normal(products, &agree.first), self.normal(products, &agree.second)]
    }

    fn unite(&mut self, products: &Products, first: &[Extent], second: &[Extent]) {
        match [self.normal(products, first), self.normal(products, second)] {
            [first, second] if first == second => {}
            sides if self.products.contains(&sides) => {}
            [first, second] if first.len() == 1 && second.len() == 1 => {
                let (low, high) = if rank(&first[0]) < rank(&second[0]) { (first, second) } else { (second, first) };
                self.same.insert(high[0], low[0]);
            }
            sides => self.products.push(sides),
        }
    }

    /// Learns what a comparison says that is made.
    pub(super) fn learn(&mut self, products: &Products, agree: &Agree) {
        if agree.times.iter().all(|times| number(times).is_some_and(|n| n > 0)) {
            self.unite(products, &agree.first, &agree.second);
        } else {
            let [first, second] = self.sides(products, agree);
            self.sometimes.insert([self.conditions(products, &agree.times), first, second]);
        }
    }

    fn holds(&self, products: &Products, agree: &Agree) -> bool {
        let [first, second] = self.sides(products, agree);
        first == second
            || self.products.iter().any(|[a, b]| {
                let [a, b] = [self.normal(products, a), self.normal(products, b)];
                a == first && b == second || a == second && b == first
            })
    }

    /// The comparison as it has to be made, if it has to be.
    pub(super) fn needs(&self, products: &Products, mut agree: Agree) -> Option<Agree> {
        let times = self.conditions(products, &agree.times);
        if times.iter().any(|n| number(n).is_some()) || self.holds(products, &agree) {
            return None;
        }
        if !self.sometimes.is_empty() {
            let as_often = |[often, ..]: &&[Vec<Extent>; 3]| {
                // More may be known by now, also that it is made at all.
                let often = self.conditions(products, often);
                often.iter().all(|n| times.contains(n))
            };
            let others: Vec<&[Vec<Extent>; 3]> = self.sometimes.iter().filter(as_often).collect();
            if !others.is_empty() {
                let mut equal = Equal { same: self.same.clone(), products: self.products.clone(), ..Equal::default() };
                for [_, first, second] in others {
                    equal.unite(products, first, second);
                }
                if equal.holds(products, &agree) {
                    return None;
                }
            }
        }
        agree.times = self.written(products, &agree.times);
        Some(agree)
    }

    /// The same factors as they are known where they were: what is equal to one may be known later only.
    fn written(&self, products: &Products, times: &[Extent]) -> Vec<Extent> {
        let (mut pending, mut found) = (times.to_vec(), Vec::new());
        while let Some(factor) = pending.pop() {
            match factor {
                Extent::Number(Atom::Var(var)) if products.contains_key(&var) => pending.extend(products[&var]),
                _ if number(&self.find(factor)).is_none_or(|n| n <= 0) => found.push(factor),
                _ => {}
            }
        }
        found.sort_unstable_by_key(rank);
        let mut seen = FxHashSet::default();
        found.retain(|factor| seen.insert(self.find(*factor)));
        found
    }

    /// How often, as factors without repetitions and without numbers that are more than 0.
    fn conditions(&self, products: &Products, times: &[Extent]) -> Vec<Extent> {
        let mut times = self.normal(products, times);
        times.dedup();
        times.retain(|n| number(n).is_none_or(|n| n <= 0));
        times
    }
}

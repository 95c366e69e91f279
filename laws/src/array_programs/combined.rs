//! The steps of random programs that combine elements: reductions, scans and histograms.
//!
//! Law: operators are associative, and starts arbitrary (tests/laws/programs.rs).

use catadiff::array::{Atom, Builder, Hist, Op, Prim, Reduce, Type, constant};

use super::{Item, REALS, Step, alike, is_array, pick};
use crate::array_operators::{Operator, REAL, Start, of_arrays, of_integers, of_pairs, of_truths};

/// There are operators on its elements: on reals of any rank, and on scalars of other kinds.
fn can_be_combined(item: &Item) -> bool {
    is_array(item) && (item.of.prim.is_real() || item.of.rank == 1)
}

impl Step {
    pub(super) fn reduce(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let a = pick(pool, self.picks[0], |i| can_be_combined(i) && i.of.rank < 3)?;
        let element = Item { of: a.of.element(), sizes: a.sizes[1..].to_vec(), ..a };
        let operator = self.operator(b, pool, self.picks[1], &element);
        self.combined(b, pool, operator, &[&a], &element)
    }

    /// An operator on elements like this one.
    fn operator(&self, b: &mut Builder, pool: &[Item], n: u8, element: &Item) -> Operator {
        match element.of.prim {
            Prim::Bool => of_truths(b, n),
            prim if prim.is_integer() => of_integers(b, n, prim),
            prim => {
                let number = self.number(pool, prim);
                of_arrays(b, n, &element.sizes, number)
            }
        }
    }

    pub(super) fn reduce_pairs(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let first = pick(pool, self.picks[0], |i| i.of == REALS)?;
        let second = pick(pool, self.picks[1], |i| alike(i, &first))?;
        let element = Item { of: REAL, sizes: Vec::new(), ..first };
        let operator = of_pairs(b, self.picks[1]);
        self.combined(b, pool, operator, &[&first, &second], &element)
    }

    /// A reduction or a scan of arrays with elements like this one.
    fn combined(
        &self,
        b: &mut Builder,
        pool: &[Item],
        it: Operator,
        of: &[&Item],
        element: &Item,
    ) -> Option<Vec<Item>> {
        let neutral = self.start(b, pool, &it, element);
        let arrays = of.iter().map(|a| a.atom).collect();
        let it = Box::new(Reduce { operator: it.lambda, neutral, arrays, commutative: it.commutes });
        let scan = self.picks[2].is_multiple_of(2);
        let results = b.emit(if scan { Op::Scan(it) } else { Op::Reduce(it) });
        let like = if scan { of[0] } else { element };
        Some(results.into_iter().map(|var| Item { atom: var.into(), ..like.clone() }).collect())
    }

    /// What an operator starts from: what it likes, any constant, or what there is.
    fn start(&self, b: &mut Builder, pool: &[Item], it: &Operator, element: &Item) -> Vec<Atom> {
        let components = u8::try_from(it.lambda.params.len() / 2).expect("operators have few components");
        let values: Option<Vec<Atom>> = (0..components)
            .map(|c| pick(pool, self.picks[1].wrapping_add(c), |i| alike(i, element)).map(|item| item.atom))
            .collect();
        let start = Start::ALL[self.picks[2] as usize / 2 % 3];
        let start = if values.is_none() && start == Start::Value { Start::Constant } else { start };
        start.of(b, it, (element.of.prim, &element.sizes), &values.unwrap_or_default())
    }

    /// A number that operators may mention.
    fn number(&self, pool: &[Item], prim: Prim) -> Atom {
        pick(pool, self.picks[0], |i| i.of == Type::scalar(prim)).map_or(constant(prim, 0.25), |item| item.atom)
    }

    pub(super) fn hist(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let indices = pick(pool, self.picks[0], |i| i.of == Type::array(Prim::I64, 1))?;
        let values = pick(pool, self.picks[1], |i| can_be_combined(i) && i.sizes[0] == indices.sizes[0])?;
        let bins = pick(pool, self.picks[2], |i| i.of == values.of && i.sizes[1..] == values.sizes[1..])?;
        let element = Item { of: values.of.element(), sizes: values.sizes[1..].to_vec(), ..values };
        let operator = self.operator(b, pool, self.picks[2], &element);
        self.counted(b, pool, operator, &[&bins], indices.atom, vec![values.atom])
    }

    pub(super) fn hist_pairs(&self, b: &mut Builder, pool: &[Item]) -> Option<Vec<Item>> {
        let indices = pick(pool, self.picks[0], |i| i.of == Type::array(Prim::I64, 1))?;
        let values = pick(pool, self.picks[1], |i| i.of == REALS && i.sizes == indices.sizes)?;
        let bins = pick(pool, self.picks[2], |i| i.of == REALS)?;
        let operator = of_pairs(b, self.picks[2]);
        self.counted(b, pool, operator, &[&bins, &bins], indices.atom, vec![values.atom; 2])
    }

    fn counted(
        &self,
        b: &mut Builder,
        pool: &[Item],
        it: Operator,
        bins: &[&Item],
        indices: Atom,
        values: Vec<Atom>,
    ) -> Option<Vec<Item>> {
        let element = Item { of: bins[0].of.element(), sizes: bins[0].sizes[1..].to_vec(), ..bins[0].clone() };
        let neutral = self.start(b, pool, &it, &element);
        let destinations = bins.iter().map(|bins| bins.atom).collect();
        let hist = Hist { operator: it.lambda, neutral, destinations, indices, values };
        let results = b.emit(Op::Hist(Box::new(hist)));
        Some(results.into_iter().map(|var| Item { atom: var.into(), ..bins[0].clone() }).collect())
    }
}

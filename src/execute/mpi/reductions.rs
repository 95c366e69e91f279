//! Reductions, scans and histograms: each rank does its part, and what ranks have found is combined.
//!
//! Law: the neutral element, which may be any value, is combined with once (laws: executors::suite).

use super::associative::is_associative;
use super::combine::{Operator, filled_like};
use super::placement::{Placement, by_elements, neutral};
use super::planner::Planner;
use super::rules::{CROSSES, Made, Why};
use crate::array::{Atom, Const, Hist, Lambda, Op, Reduce, ScalarOp, Stm, index};

impl Planner {
    pub(super) fn reduce(&mut self, stm: &Stm, it: &Reduce, is_outermost: bool) -> Result<Made, Why> {
        self.whole(it.neutral.iter().copied())?;
        let by = by_elements(&it.operator);
        let of_terms = it.arrays.iter().all(|a| self.placement(*a) == Placement::Partial(ScalarOp::Add));
        if of_terms && by.as_ref().is_some_and(|ops| ops.iter().all(|op| *op == ScalarOp::Add)) {
            self.write_as(&stm.vars, stm.op.clone());
            return Ok(Made::Placed(vec![Placement::Partial(ScalarOp::Add); stm.vars.len()]));
        }
        if let Some((_, arrays)) = self.split_operands(it.arrays.iter().copied(), &[&it.operator])? {
            if let Some(ops) = by {
                let neutral = it.neutral.iter().zip(&ops).map(|(start, op)| self.start_of_rank(*start, *op)).collect();
                self.write_as(&stm.vars, Op::Reduce(Box::new(Reduce { arrays, neutral, ..it.clone() })));
                return Ok(Made::Placed(ops.into_iter().map(Placement::Partial).collect()));
            }
            self.in_any_brackets(&it.operator, &it.neutral, false)?;
            self.write_as(&stm.vars, Op::Reduce(Box::new(Reduce { arrays, ..it.clone() })));
            if !is_outermost {
                return Err(Why::Gather(None, "within a loop over elements, ranks combine sums, products and extrema"));
            }
            let operator = Operator::Of(it.operator.clone());
            return Ok(Made::Reduced { neutral: it.neutral.clone(), operator });
        }
        let (reduce, placements) = self.by_rows(it)?;
        self.write_as(&stm.vars, Op::Reduce(Box::new(reduce)));
        Ok(Made::Placed(placements))
    }

    /// Where a rank starts to combine: the first at what the program says, which may be any value, the others at the neutral element.
    fn start_of_rank(&mut self, start: Atom, op: ScalarOp) -> Atom {
        let Some(neutral) = neutral(op, self.builder.type_of(start).prim).filter(|neutral| *neutral != start) else {
            return start;
        };
        let builder = &mut self.builder;
        let is_first = builder.scalar(ScalarOp::Equal, &[self.rank.into(), index(0)]);
        let yes = builder.body(|_| vec![start]);
        let no = builder.body(|builder| vec![filled_like(builder, start, neutral)]);
        builder.one(Op::If(is_first, Box::new(yes), Box::new(no)))
    }

    /// An operator may be applied to the elements of each rank first.
    fn in_any_brackets(&self, operator: &Lambda, neutral: &[Atom], must_commute: bool) -> Result<(), Why> {
        let neutral: Vec<Option<Const>> = neutral.iter().map(|a| self.constant(*a)).collect();
        if is_associative(&self.builder, operator, &neutral, must_commute) {
            return Ok(());
        }
        Err(Why::Gather(None, "the operator is not associative, or its neutral element is not"))
    }

    /// A reduction or scan of which the operator works on parts of rows.
    fn by_rows(&mut self, it: &Reduce) -> Result<(Reduce, Vec<Placement>), Why> {
        self.whole_outside(&[&it.operator])?;
        let k = it.arrays.len();
        let placements: Vec<Placement> = it.arrays.iter().map(|a| self.placement(*a).element()).collect();
        if placements.iter().any(|placement| matches!(placement, Placement::Partial(_))) {
            return Err(Why::Late);
        }
        for (j, param) in it.operator.params.iter().enumerate() {
            self.places.insert(*param, placements[j % k]);
        }
        let (after, body) = self.within(&it.operator.body)?;
        if after != placements {
            return Err(Why::Gather(None, CROSSES));
        }
        let mut neutral = it.neutral.clone();
        for (neutral, placement) in neutral.iter_mut().zip(&placements) {
            if let Placement::Split(dimension, axis) = *placement {
                *neutral = self.part(*neutral, dimension, axis);
            }
        }
        let operator = Lambda { params: it.operator.params.clone(), body };
        Ok((Reduce { neutral, operator, ..it.clone() }, placements))
    }

    pub(super) fn scan(&mut self, stm: &Stm, it: &Reduce, is_outermost: bool) -> Result<Made, Why> {
        self.whole(it.neutral.iter().copied())?;
        if let Some((axis, arrays)) = self.split_operands(it.arrays.iter().copied(), &[&it.operator])? {
            if !is_outermost {
                return Err(Why::Gather(None, "a scan within a loop over elements goes through all ranks"));
            }
            self.in_any_brackets(&it.operator, &it.neutral, false)?;
            self.write_as(&stm.vars, Op::Scan(Box::new(Reduce { arrays, ..it.clone() })));
            let operator = Operator::Of(it.operator.clone());
            return Ok(Made::Scanned { neutral: it.neutral.clone(), operator, axis });
        }
        let (scan, placements) = self.by_rows(it)?;
        self.write_as(&stm.vars, Op::Scan(Box::new(scan)));
        Ok(Made::Placed(placements.into_iter().map(Placement::arrayed).collect()))
    }

    pub(super) fn hist(&mut self, stm: &Stm, it: &Hist, is_outermost: bool) -> Result<Made, Why> {
        self.whole(it.neutral.iter().chain(&it.destinations).copied())?;
        let arrays = core::iter::once(it.indices).chain(it.values.iter().copied());
        let Some((_, mut values)) = self.split_operands(arrays, &[&it.operator])? else {
            return Err(Why::Gather(None, CROSSES));
        };
        if !is_outermost {
            return Err(Why::Gather(None, "bins within a loop over elements are those of all ranks"));
        }
        let mut neutral = it.neutral.clone();
        match by_elements(&it.operator) {
            Some(ops) if ops.iter().all(|op| [ScalarOp::Add, ScalarOp::Mul].contains(op)) => {
                for (neutral, op) in neutral.iter_mut().zip(ops) {
                    let element = self::neutral(op, self.builder.type_of(*neutral).prim).expect("it has one");
                    *neutral = filled_like(&mut self.builder, *neutral, element);
                }
            }
            _ => self.in_any_brackets(&it.operator, &it.neutral, true)?,
        }
        let indices = values.remove(0);
        let empty = |it: &mut Self, (destination, neutral): (&Atom, &Atom)| {
            let bins = it.builder.one(Op::Size(*destination, 0));
            it.builder.one(Op::Replicate(bins, *neutral))
        };
        let empty: Vec<Atom> = it.destinations.iter().zip(&neutral).map(|both| empty(self, both)).collect();
        let hist = Hist { neutral: neutral.clone(), destinations: empty, indices, values, ..it.clone() };
        self.write_as(&stm.vars, Op::Hist(Box::new(hist)));
        let operator = Operator::Of(it.operator.clone());
        Ok(Made::Binned { neutral, destinations: it.destinations.clone(), operator })
    }
}

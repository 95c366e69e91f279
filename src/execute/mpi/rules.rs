//! A statement for one rank: what each operation becomes where its operands are split, and where its results are then.
//!
//! Law: a rule reads nothing but what the rank has; where an operation would need more, the rule says what is to be gathered.
//! `Planner::rule` is the list (tests/mpi/suite.rs).

use super::combine::Operator;
use super::fission::fission;
use super::placement::{Axis, Placement, of_terms};
use super::planner::Planner;
use crate::array::{
    Agree, Agreement, Atom, Body, Builder, Custom, Extent, Form, Lambda, Loop, Map, Op, Opcode, Range, Stm, Var, Vars,
    free, index, mentioned,
};

/// Why a statement cannot be written for one rank.
#[derive(Debug)]
pub(super) enum Why {
    /// It needs a value of which each rank has a term.
    Late,
    /// It needs all of a value that is split: of this one, or of some; and the reason.
    Gather(Option<Var>, &'static str),
    /// These statements can, in its place.
    Instead(Vec<Stm>),
}

/// What a statement becomes.
#[derive(Debug)]
pub(super) enum Made {
    /// Results in these places.
    Placed(Vec<Placement>),
    /// The results are what this operator makes of the terms.
    Reduced { neutral: Vec<Atom>, operator: Operator },
    /// What is bound are scans of the parts; each is to be combined with what comes before.
    Scanned { neutral: Vec<Atom>, operator: Operator, axis: Axis },
    /// What is bound are bins, to be combined with those of the others and with what was in them.
    Binned { neutral: Vec<Atom>, destinations: Vec<Atom>, operator: Operator },
}

pub(super) type Placed = Result<Vec<Placement>, Why>;

pub(super) const CROSSES: &str = "what one rank needs lies on another";

impl Planner {
    /// Writes a statement for one rank into the open body. Within the functions of others, results of all ranks cannot be combined.
    pub(super) fn rule(&mut self, stm: &Stm, is_outermost: bool) -> Result<Made, Why> {
        if self.all_whole(&stm.op) && !self.reaches(&stm.op) {
            self.write_as(&stm.vars, stm.op.clone());
            return Ok(Made::Placed(vec![Placement::Whole; stm.vars.len()]));
        }
        match &stm.op {
            Op::Reduce(it) => self.reduce(stm, it, is_outermost),
            Op::Scan(it) => self.scan(stm, it, is_outermost),
            Op::Hist(it) => self.hist(stm, it, is_outermost),
            _ => self.elementwise(stm).map(Made::Placed),
        }
    }

    fn elementwise(&mut self, stm: &Stm) -> Placed {
        let vars = &stm.vars;
        let as_it_is = |it: &mut Self, placement: Placement| {
            it.write_as(vars, stm.op.clone());
            Ok(vec![placement])
        };
        match &stm.op {
            Op::Scalar(op, operands) => {
                let placements: Vec<Placement> = operands.iter().map(|a| self.placement(*a)).collect();
                let placement = of_terms(*op, &placements).ok_or(Why::Late)?;
                as_it_is(self, placement)
            }
            Op::Copy(value) => {
                let placement = self.placement(*value);
                as_it_is(self, placement)
            }
            Op::Iota(_) => Err(Why::Late),
            Op::Replicate(count, value) => {
                self.whole([*count])?;
                let placement = self.placement(*value).arrayed();
                as_it_is(self, placement)
            }
            Op::Elements(elements) | Op::Concat(elements) => {
                let is_concat = stm.op.opcode() == Opcode::Concat;
                let (placement, elements) = self.alike(elements)?;
                let (op, placement) = match placement {
                    Placement::Split(0, _) if is_concat => return Err(Why::Gather(None, CROSSES)),
                    placement if is_concat => (Op::Concat(elements), placement),
                    placement => (Op::Elements(elements), placement.arrayed()),
                };
                self.write_as(vars, op);
                Ok(vec![placement])
            }
            Op::Size(array, dimension) => match self.placement(*array) {
                Placement::Split(split, axis) if split == *dimension => {
                    self.write_as(vars, Op::Copy(self.splits[axis.0].total.into()));
                    Ok(vec![Placement::Whole])
                }
                _ => as_it_is(self, Placement::Whole),
            },
            Op::Index(array, indices) => {
                self.whole(indices.iter().copied())?;
                match self.placement(*array) {
                    Placement::Split(split, axis) if split < indices.len() => {
                        self.element(vars, *array, indices, split, axis)
                    }
                    Placement::Split(split, axis) => as_it_is(self, Placement::Split(split - indices.len(), axis)),
                    placement => as_it_is(self, placement),
                }
            }
            Op::Slice(array, ranges) => {
                self.whole(ranges.iter().flat_map(|range| [range.start, range.count, range.step]))?;
                match self.placement(*array) {
                    Placement::Split(split, _) if split < ranges.len() => Err(Why::Gather(array.var(), CROSSES)),
                    placement => as_it_is(self, placement),
                }
            }
            Op::Update(array, indices, value) => self.update(vars, *array, indices, *value),
            Op::Permute(array, order) => {
                let placement = match self.placement(*array) {
                    Placement::Split(split, axis) => {
                        let at = order.iter().position(|d| *d == split);
                        Placement::Split(at.expect("an order names every dimension"), axis)
                    }
                    placement => placement,
                };
                as_it_is(self, placement)
            }
            Op::Reshape(array, sizes) => self.reshape(stm, *array, sizes),
            Op::Reverse(array) => match self.placement(*array) {
                Placement::Split(0, _) => Err(Why::Gather(array.var(), CROSSES)),
                placement => as_it_is(self, placement),
            },
            Op::If(condition, yes, no) => {
                self.whole([*condition])?;
                self.branches(stm, *condition, [yes, no])
            }
            Op::Loop(it) => self.repeated(stm, it),
            Op::Map(map) => self.map(stm, map),
            Op::Scatter(it) => self.scatter(vars, it),
            Op::Custom(it) => Err(Why::Instead(inlined(stm, it))),
            Op::Agree(it) => {
                let mut agree = (**it).clone();
                for extent in agree.extents_mut() {
                    self.total(extent)?;
                }
                self.write_as(vars, Op::Agree(Box::new(agree)));
                Ok(Vec::new())
            }
            Op::Foreign(_) => {
                self.whole(free(&stm.op).into_iter().map(Atom::Var))?;
                as_it_is(self, Placement::Whole)
            }
            Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => {
                Err(Why::Gather(None, "what is added within a loop over elements may be on another rank"))
            }
            Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) => unreachable!("these have rules of their own"),
        }
    }

    pub(super) fn write_as(&mut self, vars: &Vars, op: Op) {
        let stm = self.builder.stm(vars.clone(), op);
        self.builder.append(vec![stm]);
    }

    /// Whether an operation, or one within it, goes over a split dimension.
    pub(super) fn reaches(&self, op: &Op) -> bool {
        any_within(op, &|op| self.goes_along(op))
    }

    /// Whether an operation itself goes over a split dimension.
    pub(super) fn goes_along(&self, op: &Op) -> bool {
        let along = |arrays: &[Atom]| arrays.iter().any(|a| self.axis_along(*a).is_some());
        match op {
            Op::Map(map) => along(&map.arrays),
            Op::Reduce(it) | Op::Scan(it) => along(&it.arrays),
            Op::Hist(it) => along(&[it.indices]),
            _ => false,
        }
    }

    /// These are whole.
    pub(super) fn whole(&self, atoms: impl IntoIterator<Item = Atom>) -> Result<(), Why> {
        for atom in atoms {
            match self.placement(atom) {
                Placement::Whole => (),
                Placement::Partial(_) => return Err(Why::Late),
                Placement::Split(..) => return Err(Why::Gather(atom.var(), "each element needs all of an array")),
            }
        }
        Ok(())
    }

    pub(super) fn whole_outside(&self, functions: &[&Lambda]) -> Result<(), Why> {
        functions.iter().try_for_each(|function| self.whole(mentioned(function).into_iter().map(Atom::Var)))
    }

    /// Two dimensions that are gone through together are of one length, or that is a mistake; the parts of each rank are then the same.
    pub(super) fn agree(&mut self, one: Axis, other: Axis) {
        if one == other {
            return;
        }
        let [one, other] = [one, other].map(|axis| self.splits[axis.0].total.into());
        self.must_be(Extent::Number(one), other);
    }

    /// Writes that a size must be this number.
    pub(super) fn must_be(&mut self, size: Extent, number: Atom) {
        let (first, second) = (vec![size], vec![Extent::Number(number)]);
        self.builder.emit(Op::Agree(Box::new(Agree { what: Agreement::Mapped, first, second, times: Vec::new() })));
    }

    /// The part of a whole array that is this rank's.
    pub(super) fn part(&mut self, array: Atom, dimension: usize, axis: Axis) -> Atom {
        let [total, offset, count] = self.splits[axis.0].numbers();
        // It may have another length, which is a mistake.
        self.must_be(Extent::Of(array, dimension), total);
        let builder = &mut self.builder;
        let all = |builder: &mut Builder, d| Range {
            start: index(0),
            count: builder.one(Op::Size(array, d)),
            step: index(1),
        };
        let mut ranges: Vec<Range> = (0..dimension).map(|d| all(builder, d)).collect();
        ranges.push(Range { start: offset, count, step: index(1) });
        builder.one(Op::Slice(array, ranges))
    }

    /// Values in one placement: if one is split, the parts of all.
    pub(super) fn alike(&mut self, values: &[Atom]) -> Result<(Placement, Vec<Atom>), Why> {
        let placements: Vec<Placement> = values.iter().map(|a| self.placement(*a)).collect();
        let wanted = placements.iter().copied().find(|p| *p != Placement::Whole).unwrap_or(Placement::Whole);
        let mut all = Vec::new();
        for (value, placement) in values.iter().zip(placements) {
            all.push(match (placement, wanted) {
                (placement, wanted) if placement == wanted => *value,
                (Placement::Split(d, of), Placement::Split(dimension, axis)) if d == dimension => {
                    self.agree(of, axis);
                    *value
                }
                (Placement::Whole, Placement::Split(dimension, axis)) => self.part(*value, dimension, axis),
                (Placement::Partial(_), _) | (_, Placement::Partial(_)) => return Err(Why::Late),
                _ => return Err(Why::Gather(value.var(), CROSSES)),
            });
        }
        Ok((wanted, all))
    }

    /// An extent of the whole array, where that of the part would be read.
    fn total(&self, extent: &mut Extent) -> Result<(), Why> {
        match extent {
            Extent::Number(number) => self.whole([*number])?,
            Extent::Of(array, dimension) => {
                if let Placement::Split(split, axis) = self.placement(*array)
                    && split == *dimension
                {
                    *extent = Extent::Number(self.splits[axis.0].total.into());
                }
            }
        }
        Ok(())
    }

    /// The dimension that arrays are gone through along is split: which it is, and the parts of the arrays. Functions mention nothing that
    /// is not whole.
    pub(super) fn split_operands(
        &mut self,
        arrays: impl Iterator<Item = Atom> + Clone,
        functions: &[&Lambda],
    ) -> Result<Option<(Axis, Vec<Atom>)>, Why> {
        let by_operand = arrays.clone().find_map(|a| match self.placement(a) {
            Placement::Split(0, axis) => Some(axis),
            _ => None,
        });
        let are_whole = arrays.clone().all(|a| self.placement(a) == Placement::Whole);
        let by_length = || arrays.clone().find_map(|a| self.axis_along(a)).filter(|_| are_whole);
        let Some(axis) = by_operand.or_else(by_length) else { return Ok(None) };
        self.whole_outside(functions)?;
        let mut parts = Vec::new();
        for array in arrays {
            parts.push(match self.placement(array) {
                Placement::Split(0, of) => {
                    self.agree(of, axis);
                    array
                }
                Placement::Split(..) => return Err(Why::Gather(array.var(), CROSSES)),
                Placement::Partial(_) => return Err(Why::Late),
                Placement::Whole => self.part(array, 0, axis),
            });
        }
        Ok(Some((axis, parts)))
    }

    fn map(&mut self, stm: &Stm, map: &Map) -> Placed {
        if !map.accumulators.is_empty() {
            return Err(Why::Gather(None, "what is added within a loop over elements may be on another rank"));
        }
        if let Some((axis, arrays)) = self.split_operands(map.arrays.iter().copied(), &[&map.function])? {
            let map = Map { arrays, accumulators: Vec::new(), function: map.function.clone() };
            self.write_as(&stm.vars, Op::Map(Box::new(map)));
            return Ok(vec![Placement::Split(0, axis); stm.vars.len()]);
        }
        for (param, array) in map.function.params.iter().zip(&map.arrays) {
            let placement = self.placement(*array).element();
            self.places.insert(*param, placement);
        }
        let has_terms =
            free(&stm.op).into_iter().any(|var| matches!(self.placement(var.into()), Placement::Partial(_)));
        self.builder.open_body();
        let made = self.function(&map.function.body);
        let body = self.builder.close_body(map.function.body.results.clone());
        let (placements, late, stms) = made?;
        if late.is_empty() {
            let function = Lambda { params: map.function.params.clone(), body };
            let map = Map { arrays: map.arrays.clone(), accumulators: Vec::new(), function };
            self.write_as(&stm.vars, Op::Map(Box::new(map)));
            return Ok(placements.into_iter().map(Placement::arrayed).collect());
        }
        if has_terms {
            return Err(Why::Late);
        }
        Err(Why::Instead(fission(&mut self.builder, stm, map, stms, &late)))
    }

    /// The statements of a function for one rank: the placements of the results; the statements that need all terms, and are not
    /// written; and the statements, of which some are in the place of others.
    #[allow(clippy::type_complexity, reason = "three lists")]
    fn function(&mut self, body: &Body) -> Result<(Vec<Placement>, Vec<Var>, Vec<Stm>), Why> {
        let mut late: Vec<Var> = Vec::new();
        let mut left: Vec<Stm> = body.stms.iter().rev().cloned().collect();
        let mut all = Vec::new();
        while let Some(stm) = left.pop() {
            let waits = free(&stm.op).iter().any(|var| late.contains(var));
            self.builder.open_body();
            let made = if waits { Err(Why::Late) } else { self.rule(&stm, false) };
            let written = self.builder.close_body(Vec::new());
            match made {
                Ok(Made::Placed(placements)) => {
                    self.builder.append(written.stms);
                    self.places.extend(stm.vars.iter().copied().zip(placements));
                }
                Ok(_) => unreachable!("nothing is combined within a function"),
                Err(Why::Late) => late.extend(&stm.vars),
                Err(Why::Instead(stms)) => {
                    left.extend(stms.into_iter().rev());
                    continue;
                }
                Err(why) => return Err(why),
            }
            all.push(stm);
        }
        Ok((body.results.iter().map(|a| self.placement(*a)).collect(), late, all))
    }

    /// A body that is part of a statement for one rank, in which nothing is late.
    pub(super) fn within(&mut self, body: &Body) -> Result<(Vec<Placement>, Body), Why> {
        self.builder.open_body();
        let made = self.function(body);
        let written = self.builder.close_body(body.results.clone());
        let (placements, late, _) = made?;
        if late.is_empty() { Ok((placements, written)) } else { Err(Why::Gather(None, CROSSES)) }
    }

    fn branches(&mut self, stm: &Stm, condition: Atom, bodies: [&Body; 2]) -> Placed {
        let [(of_yes, mut yes), (of_no, mut no)] = [self.within(bodies[0])?, self.within(bodies[1])?];
        let mut placements = Vec::new();
        for (k, both) in of_yes.into_iter().zip(of_no).enumerate() {
            placements.push(match both {
                (a, b) if a == b => a,
                (Placement::Split(dimension, axis), Placement::Whole) => {
                    self.part_of_result(&mut no, k, dimension, axis);
                    both.0
                }
                (Placement::Whole, Placement::Split(dimension, axis)) => {
                    self.part_of_result(&mut yes, k, dimension, axis);
                    both.1
                }
                _ => return Err(Why::Gather(None, CROSSES)),
            });
        }
        self.write_as(&stm.vars, Op::If(condition, Box::new(yes), Box::new(no)));
        Ok(placements)
    }

    fn part_of_result(&mut self, body: &mut Body, k: usize, dimension: usize, axis: Axis) {
        self.builder.open_body();
        let part = self.part(body.results[k], dimension, axis);
        body.stms.extend(self.builder.close_body(Vec::new()).stms);
        body.results[k] = part;
    }

    /// A loop within a statement: what it carries stays where it is.
    fn repeated(&mut self, stm: &Stm, it: &Loop) -> Placed {
        let mut placements: Vec<Placement> = it.params.iter().map(|(_, initial)| self.placement(*initial)).collect();
        if placements.iter().any(|placement| matches!(placement, Placement::Partial(_))) {
            return Err(Why::Late);
        }
        loop {
            for ((param, _), placement) in it.params.iter().zip(&placements) {
                self.places.insert(*param, *placement);
            }
            let mut form = it.form.clone();
            match &mut form {
                Form::For(_, bound) => self.whole([*bound])?,
                Form::While { condition, bound } => {
                    self.whole(*bound)?;
                    let (of, written) = self.within(condition)?;
                    if of[0] != Placement::Whole {
                        return Err(Why::Gather(None, CROSSES));
                    }
                    *condition = written;
                }
            }
            let (after, mut body) = self.within(&it.body)?;
            let joined: Option<Vec<Placement>> = placements.iter().zip(&after).map(|(a, b)| join(*a, *b)).collect();
            let joined = joined.ok_or(Why::Gather(None, CROSSES))?;
            if joined != placements {
                placements = joined;
                continue;
            }
            let mut params = it.params.clone();
            for (k, placement) in placements.iter().enumerate() {
                let Placement::Split(dimension, axis) = *placement else { continue };
                if self.placement(params[k].1) == Placement::Whole {
                    params[k].1 = self.part(params[k].1, dimension, axis);
                }
                if after[k] == Placement::Whole {
                    self.part_of_result(&mut body, k, dimension, axis);
                }
            }
            self.write_as(&stm.vars, Op::Loop(Box::new(Loop { policy: it.policy, params, form, body })));
            return Ok(placements);
        }
    }
}

/// Whether an operation, or one within it, is such a one.
pub(super) fn any_within(op: &Op, is: &dyn Fn(&Op) -> bool) -> bool {
    is(op) || op.bodies().any(|body| body.stms.iter().any(|stm| any_within(&stm.op, is)))
}

/// The placement of what is in one or the other, if one part of each rank will do.
pub(super) fn join(a: Placement, b: Placement) -> Option<Placement> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (split @ Placement::Split(..), Placement::Whole) | (Placement::Whole, split @ Placement::Split(..)) => {
            Some(split)
        }
        _ => None,
    }
}

/// A function with derivatives of its own as its statements: it is not differentiated any more.
fn inlined(stm: &Stm, it: &Custom) -> Vec<Stm> {
    let copy = |var: Var, from: Atom| Stm { vars: Vars::from_slice(&[var]), op: Op::Copy(from), span: stm.span };
    let before = it.function.params.iter().zip(&it.arguments).map(|(param, a)| copy(*param, *a));
    let after = stm.vars.iter().zip(&it.function.body.results).map(|(var, a)| copy(*var, *a));
    before.chain(it.function.body.stms.iter().cloned()).chain(after).collect()
}

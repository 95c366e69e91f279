//! Branches.
//!
//! Law: where lanes take different branches both are computed, and each lane keeps its own. Elsewhere one is, and what
//! both change in place, or leave, stays where it is: a branch costs what it does, not what it hands on
//! (tests/execute/branches.rs).

use rustc_hash::FxHashSet;

use super::code::{Broken, Buffer, Operand, Stm as Code, Value};
use super::emit::Emit;
use super::environment::Environment;
use super::liveness::mentioned;
use super::loops::in_memory;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Atom, Body, Op, Prim, ScalarOp, Stm, Var};

/// What two branches leave, and where what lanes take of it goes.
type Pair<'p> = ([Bound<'p>; 2], View);

impl<'p> Lowering<'p> {
    /// The results of a choice, after which these statements come and these results.
    pub(super) fn branch(
        &mut self,
        condition: Atom,
        bodies: [&'p Body; 2],
        later: &[Stm],
        results: &[Atom],
    ) -> Step<Vec<Bound<'p>>> {
        let condition = self.env.scalar(condition);
        let kept = kept(&mut self.emit, &self.env, bodies, &mentioned(later, results));
        if self.emit.is_varying(condition) {
            self.both(condition, bodies, kept)
        } else {
            self.either(condition, bodies, kept)
        }
    }

    /// Both branches, each for its lanes. What is kept stays where it is, where each lane has its own.
    fn both(
        &mut self,
        condition: Operand,
        [yes, no]: [&'p Body; 2],
        kept: Vec<Option<Array<'p>>>,
    ) -> Step<Vec<Bound<'p>>> {
        let outside = self.emit.at.mask;
        let there = |array| Left::There(Bound::Array(array));
        let places: Vec<Left<'p>> = kept.into_iter().map(|home| home.map_or(Left::Anywhere, there)).collect();
        let otherwise = self.emit.scalar(ScalarOp::Not, &[condition]);
        self.emit.only_where(condition);
        let (in_yes, yes) = (self.emit.at.mask, self.branch_body(yes, &places)?);
        self.emit.at.mask = outside;
        self.emit.only_where(otherwise);
        let (in_no, no) = (self.emit.at.mask, self.branch_body(no, &places)?);
        self.emit.at.mask = outside;
        let (mut results, mut joint) = (Vec::new(), Vec::new());
        for (yes, no) in yes.into_iter().zip(no) {
            results.push(match (yes, no) {
                (Bound::Scalar(yes), Bound::Scalar(no)) => Bound::Scalar(self.emit.select(condition, yes, no)),
                (yes, no) if is_one(&yes, &no) => yes,
                (yes, no) => {
                    let other =
                        Broken::Able("branches that leave arrays of different sizes, and lanes that take either");
                    yes.sizes().iter().zip(no.sizes()).for_each(|(a, b)| self.emit.equal(other, *a, *b));
                    let array = yes.array();
                    let view = self.emit.room_for(array.prim, &array.sizes)?;
                    let found = Bound::Array(array.stored(view.clone()));
                    joint.push(([yes, no], view));
                    found
                }
            });
        }
        let joined = joint.iter().map(|(_, view)| view.origin.buffer);
        let buffers: Vec<Buffer> = joined.chain(places.iter().filter_map(Left::kept)).collect();
        self.join(condition, [in_yes, in_no], joint)?;
        buffers.into_iter().for_each(|buffer| self.emit.changed(buffer));
        Ok(results)
    }

    /// The results of a branch that some lanes take: maps may wait until the branches are joined.
    fn branch_body(&mut self, body: &'p Body, places: &[Left<'p>]) -> Step<Vec<Bound<'p>>> {
        let results = self.inside(body, places)?;
        let settle = |result: Bound<'p>| match &result {
            Bound::Array(Array { form: Form::Parts(_), .. }) => self.settled(result),
            Bound::Array(_) | Bound::Scalar(_) => Ok(result),
        };
        results.into_iter().map(settle).collect()
    }

    /// Stores, of each two values, element by element, the first where a condition is true and else the second. The
    /// memory is new, so it does not matter what is in lanes that take neither branch.
    fn join(&mut self, condition: Operand, masks: [Option<Operand>; 2], mut pairs: Vec<Pair<'p>>) -> Step<()> {
        let outside = self.emit.at.mask;
        while let Some(([first, _], _)) = pairs.first() {
            let length = first.sizes().first().copied();
            let (now, later): (Vec<_>, Vec<_>) =
                pairs.into_iter().partition(|([yes, _], _)| yes.sizes().first().copied() == length);
            pairs = later;
            let Some(length) = length else {
                for ([yes, no], view) in now {
                    let value = self.emit.select(condition, yes.scalar(), no.scalar());
                    self.emit.push(Code::Store { place: view.origin, value, mask: None });
                }
                continue;
            };
            self.in_order(length, &mut |this, index| {
                let mut rows = Vec::new();
                for (both, view) in &now {
                    let mut row = Vec::new();
                    for (value, mask) in both.iter().zip(masks) {
                        this.emit.at.mask = mask;
                        row.push(this.element(value.array(), index)?);
                        this.emit.at.mask = outside;
                    }
                    let row = <[Bound<'p>; 2]>::try_from(row).expect("there are two branches");
                    rows.push((row, view.part(&mut this.emit, &[index])));
                }
                this.join(condition, masks, rows)
            })?;
        }
        Ok(())
    }

    /// One branch, the same in all lanes. What is kept stays where it is.
    fn either(
        &mut self,
        condition: Operand,
        [yes, no]: [&'p Body; 2],
        kept: Vec<Option<Array<'p>>>,
    ) -> Step<Vec<Bound<'p>>> {
        let mut places = Vec::new();
        for (atom, kept) in yes.results.iter().zip(kept) {
            let of = self.emit.program.atom_type(*atom);
            places.push(match kept {
                Some(array) => Left::There(Bound::Array(array)),
                None if of.rank > 0 && !of.accumulator => Left::In(self.emit.new_buffer(of.prim), of.prim),
                None => Left::Anywhere,
            });
        }
        let (mut yes_block, yes) = self.block(true, |this| this.inside(yes, &places))?;
        let (mut no_block, no) = self.block(true, |this| this.inside(no, &places))?;
        // What the branches leave: scalars, and sizes.
        let mut cells: [Vec<(Value, Operand)>; 2] = [Vec::new(), Vec::new()];
        let depth = self.emit.depth();
        let mut join = |emit: &mut Emit<'p>, a: Operand, b: Operand| {
            if a == b && emit.depth_of(a) <= depth {
                return a;
            }
            let varying = emit.is_varying(a) || emit.is_varying(b);
            let cell = emit.value(emit.prim(a), varying);
            cells[0].push((cell, a));
            cells[1].push((cell, b));
            Operand::Value(cell)
        };
        let mut joined = Vec::new();
        for ((yes, no), place) in yes.into_iter().zip(no).zip(places) {
            joined.push(match (yes, no, place) {
                (_, _, Left::There(home)) => Joined::Bound(home),
                (Bound::Scalar(a), Bound::Scalar(b), _) => Joined::Bound(Bound::Scalar(join(&mut self.emit, a, b))),
                (yes, no, Left::In(buffer, prim)) => {
                    let sizes = yes.sizes().iter().zip(no.sizes()).map(|(a, b)| join(&mut self.emit, *a, *b)).collect();
                    Joined::Sizes(buffer, prim, sizes)
                }
                // There is but one accumulator, and both add to it.
                (yes, ..) => Joined::Bound(yes),
            });
        }
        let [yes_cells, no_cells] = cells;
        if !yes_cells.is_empty() {
            yes_block.push(Code::Assign { cells: yes_cells, mask: None });
            no_block.push(Code::Assign { cells: no_cells, mask: None });
        }
        self.emit.push(Code::If { condition, yes: yes_block, no: no_block });
        let results: Vec<Bound<'p>> = joined.into_iter().map(|joined| joined.bound(&mut self.emit)).collect();
        results.iter().filter_map(in_memory).for_each(|buffer| self.emit.changed(buffer));
        Ok(results)
    }

    /// The results of a branch, left where they are to be.
    fn inside(&mut self, body: &'p Body, places: &[Left<'p>]) -> Step<Vec<Bound<'p>>> {
        let region = self.emit.enter_region();
        let kept: Vec<Buffer> = places.iter().filter_map(Left::kept).collect();
        self.emit.buffers.give(kept.iter().copied(), self.emit.at.region);
        let results = self.body(body).and_then(|results| self.leave(results, places, &kept));
        self.emit.buffers.give(kept, region);
        let results = results?;
        self.emit.at.region = region;
        Ok(results)
    }

    /// Stores the results of a branch where they are to be.
    fn leave(&mut self, mut results: Vec<Bound<'p>>, places: &[Left<'p>], kept: &[Buffer]) -> Step<Vec<Bound<'p>>> {
        let is_back =
            |(result, place): (&Bound<'p>, &Left<'p>)| matches!(place, Left::There(home) if !is_one(result, home));
        let is_overwritten = results.iter().zip(places).any(is_back);
        let (mut stores, mut back) = (Vec::new(), Vec::new());
        for (result, place) in results.iter_mut().zip(places) {
            match (&*result, place) {
                (Bound::Array(array), Left::In(buffer, _)) => {
                    stores.push((result.clone(), self.emit.allocate(*buffer, &array.sizes)?));
                }
                (Bound::Array(array), Left::Anywhere) if is_overwritten => *result = self.apart_from(array, kept)?,
                (Bound::Array(array), Left::There(home)) if !is_one(result, home) => {
                    back.push((array.clone(), home.array().view().clone()));
                    *result = home.clone();
                }
                _ => {}
            }
        }
        self.store_all(stores)?;
        let mut stores = Vec::new();
        for (array, home) in back {
            stores.push((self.apart_from(&array, kept)?, home));
        }
        self.store_all(stores)?;
        Ok(results)
    }

    /// The array, in memory of its own if it is in any of these buffers, of which one is to be overwritten.
    fn apart_from(&mut self, array: &Array<'p>, kept: &[Buffer]) -> Step<Bound<'p>> {
        let is_kept = kept.iter().any(|buffer| self.env.holds(array, *buffer));
        if is_kept { self.copy(array) } else { Ok(Bound::Array(array.clone())) }
    }
}

/// The arrays that both branches change in place or leave as they are, for each result that is one, where nothing later
/// sees what they were.
fn kept<'p>(
    emit: &mut Emit<'p>,
    env: &Environment<'p>,
    [yes, no]: [&Body; 2],
    seen: &FxHashSet<Var>,
) -> Vec<Option<Array<'p>>> {
    let mut all = FxHashSet::default();
    let mut kept = |yes_result: Atom, no_result: Atom| {
        let var = changed(yes, yes_result).filter(|var| changed(no, no_result) == Some(*var))?;
        let bound = env.get(var)?;
        let Bound::Array(array) = bound else { return None };
        let is_free = env.is_free(emit, array, var.into(), seen);
        (is_free && all.insert(in_memory(bound)?)).then(|| array.clone())
    };
    yes.results.iter().zip(&no.results).map(|(yes, no)| kept(*yes, *no)).collect()
}

/// Where a result of a choice is left.
enum Left<'p> {
    /// Where this array is in memory, which both branches change in place.
    There(Bound<'p>),
    /// In a buffer of its own.
    In(Buffer, Prim),
    /// Where it happens to be: a scalar, an accumulator, or an array that is joined with another.
    Anywhere,
}

impl Left<'_> {
    fn kept(&self) -> Option<Buffer> {
        if let Left::There(home) = self { in_memory(home) } else { None }
    }
}

/// What branches leave: a value, or the sizes of an array in a buffer.
enum Joined<'p> {
    Bound(Bound<'p>),
    Sizes(Buffer, Prim, Vec<Operand>),
}

impl<'p> Joined<'p> {
    /// What is left, whose strides are found from sizes that are known from here on.
    fn bound(self, emit: &mut Emit<'p>) -> Bound<'p> {
        match self {
            Joined::Bound(bound) => bound,
            Joined::Sizes(buffer, prim, sizes) => {
                let view = View::whole(emit, buffer, &sizes);
                Bound::Array(Array { prim, sizes, form: Form::Memory(view) })
            }
        }
    }
}

/// The array outside of a body that its result is a later version of: one after changes of elements, of which each could be in
/// place.
fn changed(body: &Body, result: Atom) -> Option<Var> {
    let (mut atom, mut end) = (result, body.stms.len());
    loop {
        let Atom::Var(var) = atom else { return None };
        let Some(at) = body.stms[..end].iter().rposition(|stm| stm.vars.contains(&var)) else { return Some(var) };
        let stm = &body.stms[at];
        let j = stm.vars.iter().position(|v| *v == var)?;
        atom = match &stm.op {
            Op::Copy(array) | Op::Update(array, ..) => *array,
            Op::Scatter(it) => it.destination,
            Op::Hist(it) => it.destinations[j],
            Op::If(_, yes, no) => {
                let before = changed(yes, yes.results[j])?;
                changed(no, no.results[j]).filter(|other| *other == before)?.into()
            }
            Op::Loop(it) => {
                let (param, initial) = it.params[j];
                changed(&it.body, it.body.results[j]).filter(|before| *before == param)?;
                initial
            }
            _ => return None,
        };
        end = at;
    }
}

/// Whether two values are the same array in memory.
fn is_one(a: &Bound<'_>, b: &Bound<'_>) -> bool {
    match (a, b) {
        (Bound::Array(Array { form: Form::Memory(a), .. }), Bound::Array(Array { form: Form::Memory(b), .. })) => {
            a.origin == b.origin && a.strides == b.strides
        }
        _ => false,
    }
}

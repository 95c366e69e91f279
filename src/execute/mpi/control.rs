//! Loops and branches around what ranks do together: plans within a plan, which every rank goes through alike.
//!
//! Law: conditions and bounds are whole, so that all ranks decide alike; what a loop carries is in the same place before and after an
//! iteration (tests/mpi/suite.rs).

use super::draft::Draft;
use super::placement::Placement;
use super::planner::Planner;
use super::rules::{Why, join};
use crate::array::{Atom, Body, Form, Loop, Op, Stm, Var, free};

const MOVES: &str = "what a loop or a branch leaves is in another dimension split";

impl Planner {
    /// Whether the bodies of a statement are plans of their own: there is something split in them.
    pub(super) fn is_plan(&self, stm: &Stm) -> bool {
        let is_control = match &stm.op {
            Op::Loop(it) => !it.params.iter().any(|(param, _)| self.builder.type_of(*param).accumulator),
            Op::If(..) => !stm.vars.iter().any(|var| self.builder.type_of(*var).accumulator),
            _ => false,
        };
        is_control && (!self.all_whole(&stm.op) || self.goes_far(&stm.op))
    }

    /// Whether something in the bodies of a loop or a branch goes over a split dimension, or makes an array of one.
    fn goes_far(&self, op: &Op) -> bool {
        let makes = |stm: &Stm| match &stm.op {
            Op::Iota(count) | Op::Replicate(count, _) => self.axis(crate::array::Extent::Number(*count)).is_some(),
            _ => false,
        };
        self.reaches(op) || op.bodies().any(|body| body.stms.iter().any(|stm| makes(stm) || self.goes_far(&stm.op)))
    }

    pub(super) fn control(&mut self, stm: &Stm) -> Result<(), Why> {
        if free(&stm.op).iter().any(|var| self.builder.type_of(*var).accumulator) {
            return Err(Why::Gather(None, "an accumulator goes into a loop or a branch"));
        }
        let draft = match &stm.op {
            Op::Loop(it) => self.looped(stm, it),
            Op::If(condition, yes, no) => self.branched(stm, *condition, [yes, no]),
            _ => unreachable!("control is loops and branches"),
        };
        self.append(stm, draft);
        Ok(())
    }

    fn looped(&mut self, stm: &Stm, it: &Loop) -> Draft {
        let mut placements: Vec<Placement> = it.params.iter().map(|(_, initial)| self.placement(*initial)).collect();
        // What moves from one dimension to another is made whole.
        let mut moves = vec![false; it.params.len()];
        loop {
            for ((param, _), placement) in it.params.iter().zip(&placements) {
                self.set(*param, *placement);
                self.params.insert(*param);
            }
            let before = self.whole_ones().clone();
            let mut form = it.form.clone();
            let condition = match &mut form {
                Form::For(var, _) => {
                    self.params.insert(*var);
                    Vec::new()
                }
                Form::While { condition, .. } => {
                    let (steps, results) = self.plan(condition, &[Some(Placement::Whole)]);
                    condition.results = results;
                    steps
                }
            };
            self.open();
            it.body.stms.iter().for_each(|stm| self.place(stm.clone()));
            let after: Vec<Placement> = it.body.results.iter().map(|a| self.placement(self.whole_one(*a))).collect();
            let mut again = false;
            for (k, placement) in placements.iter_mut().enumerate() {
                let joined = join(*placement, after[k]).filter(|_| !moves[k]);
                moves[k] |= joined.is_none();
                let joined = joined.unwrap_or(Placement::Whole);
                again |= joined != *placement;
                *placement = joined;
            }
            if again {
                self.close();
                *self.whole_ones() = before;
                continue;
            }
            let wanted: Vec<Option<Placement>> = placements.iter().copied().map(Some).collect();
            let results = self.settled(&it.body.results, &wanted);
            let body = self.close();
            let mut params = it.params.clone();
            for ((_, initial), placement) in params.iter_mut().zip(&placements) {
                *initial = self.settled(&[*initial], &[Some(*placement)])[0];
            }
            if let Form::For(_, bound) = &mut form {
                *bound = self.settled(&[*bound], &[Some(Placement::Whole)])[0];
            }
            for (var, placement) in stm.vars.iter().zip(&placements) {
                self.set(*var, *placement);
            }
            let it = Loop { policy: it.policy, params, form, body: Body { stms: Vec::new(), results } };
            return Draft::Loop { vars: stm.vars.clone(), it, condition, body };
        }
    }

    fn branched(&mut self, stm: &Stm, condition: Atom, bodies: [&Body; 2]) -> Draft {
        let condition = self.settled(&[condition], &[Some(Placement::Whole)])[0];
        let placed = bodies.map(|body| {
            self.open();
            body.stms.iter().for_each(|stm| self.place(stm.clone()));
            let placements: Vec<Placement> = body.results.iter().map(|a| self.placement(self.whole_one(*a))).collect();
            (self.close(), placements)
        });
        let joined: Vec<Placement> =
            placed[0].1.iter().zip(&placed[1].1).map(|(a, b)| join(*a, *b).unwrap_or(Placement::Whole)).collect();
        let wanted: Vec<Option<Placement>> = joined.iter().copied().map(Some).collect();
        let mut bodies = bodies.into_iter();
        let branches = placed.map(|(steps, _)| {
            let body = bodies.next().expect("a branch has a body");
            self.open_again(steps);
            let results = self.settled(&body.results, &wanted);
            (self.close(), results)
        });
        for (var, placement) in stm.vars.iter().zip(&joined) {
            self.set(*var, *placement);
        }
        Draft::If { vars: stm.vars.clone(), condition, branches }
    }

    /// The steps of a body, and its results where they are wanted.
    fn plan(&mut self, body: &Body, wanted: &[Option<Placement>]) -> (Vec<Draft>, Vec<Atom>) {
        self.open();
        body.stms.iter().for_each(|stm| self.place(stm.clone()));
        let results = self.settled(&body.results, wanted);
        (self.close(), results)
    }

    /// Values in the places where they are wanted, by statements of the innermost plan.
    pub(super) fn settled(&mut self, values: &[Atom], wanted: &[Option<Placement>]) -> Vec<Atom> {
        let mut settled = Vec::new();
        for (value, wanted) in values.iter().zip(wanted) {
            self.ensure_there(*value);
            let value = self.whole_one(*value);
            settled.push(match (self.placement(value), *wanted) {
                (Placement::Split(..), Some(Placement::Whole)) => {
                    let var = value.var().expect("what is split is a variable");
                    self.gather_for(var, MOVES);
                    self.whole_one(value)
                }
                (Placement::Whole, Some(Placement::Split(dimension, axis))) => {
                    let part = self.part_of(value, dimension, axis);
                    self.set(part, Placement::Split(dimension, axis));
                    part.into()
                }
                _ => value,
            });
        }
        settled
    }

    fn set(&mut self, var: Var, placement: Placement) {
        match placement {
            Placement::Whole => self.places.remove(&var),
            placement => self.places.insert(var, placement),
        };
    }
}

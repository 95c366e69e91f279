//! Loops and branches around what ranks do together: plans within a plan, which every rank goes through alike.
//!
//! Law: conditions and bounds are whole, so that all ranks decide alike; what a loop carries is in the same place before and after an
//! iteration (tests/mpi/suite.rs).

use super::draft::Draft;
use super::placement::Placement;
use super::planner::Planner;
use super::rules::{any_within, join};
use crate::array::{Atom, Body, Extent, Form, Loop, Op, Stm, Var};

const MOVES: &str = "what a loop or a branch leaves is in another dimension split";

impl Planner {
    /// Whether the bodies of a loop or a branch are plans of their own: something split is in them, or an array as long is made there.
    pub(super) fn is_plan(&self, stm: &Stm) -> bool {
        let goes_far = |op: &Op| match op {
            Op::Iota(count) | Op::Replicate(count, _) => self.axis(Extent::Number(*count)).is_some(),
            op => self.goes_along(op),
        };
        matches!(stm.op, Op::Loop(_) | Op::If(..)) && (!self.all_whole(&stm.op) || any_within(&stm.op, &goes_far))
    }

    /// Adds a loop or a branch as plans within the plan.
    pub(super) fn control(&mut self, stm: &Stm) {
        let draft = match &stm.op {
            Op::Loop(it) => self.looped(stm, it),
            Op::If(condition, yes, no) => self.branched(stm, *condition, [yes, no]),
            _ => unreachable!("control is loops and branches"),
        };
        self.append(stm, draft);
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
            let before = (self.gathered.clone(), self.gathers.len());
            let mut form = it.form.clone();
            let condition = match &mut form {
                Form::For(var, _) => {
                    self.params.insert(*var);
                    Vec::new()
                }
                Form::While { condition, .. } => {
                    let (steps, results) = self.plan(condition, &[Placement::Whole]);
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
                self.gathered = before.0;
                self.gathers.truncate(before.1);
                continue;
            }
            let results = self.settled(&it.body.results, &placements);
            let body = self.close();
            let mut params = it.params.clone();
            for ((_, initial), placement) in params.iter_mut().zip(&placements) {
                *initial = self.settled_one(*initial, *placement);
            }
            if let Form::For(_, bound) = &mut form {
                *bound = self.settled_one(*bound, Placement::Whole);
            }
            for (var, placement) in stm.vars.iter().zip(&placements) {
                self.set(*var, *placement);
            }
            let it = Loop { policy: it.policy, params, form, body: Body { stms: Vec::new(), results } };
            return Draft::Loop { vars: stm.vars.clone(), it, condition, body };
        }
    }

    fn branched(&mut self, stm: &Stm, condition: Atom, bodies: [&Body; 2]) -> Draft {
        let condition = self.settled_one(condition, Placement::Whole);
        let placed = bodies.map(|body| {
            self.open();
            body.stms.iter().for_each(|stm| self.place(stm.clone()));
            let placements: Vec<Placement> = body.results.iter().map(|a| self.placement(self.whole_one(*a))).collect();
            (self.close(), placements)
        });
        let joined: Vec<Placement> =
            placed[0].1.iter().zip(&placed[1].1).map(|(a, b)| join(*a, *b).unwrap_or(Placement::Whole)).collect();
        let mut bodies = bodies.into_iter();
        let branches = placed.map(|(steps, _)| {
            let body = bodies.next().expect("a branch has a body");
            self.open_again(steps);
            let results = self.settled(&body.results, &joined);
            (self.close(), results)
        });
        for (var, placement) in stm.vars.iter().zip(&joined) {
            self.set(*var, *placement);
        }
        Draft::If { vars: stm.vars.clone(), condition, branches }
    }

    /// The steps of a body, and its results where they are wanted.
    fn plan(&mut self, body: &Body, wanted: &[Placement]) -> (Vec<Draft>, Vec<Atom>) {
        self.open();
        body.stms.iter().for_each(|stm| self.place(stm.clone()));
        let results = self.settled(&body.results, wanted);
        (self.close(), results)
    }

    /// Values in the places where they are wanted, by statements of the innermost plan.
    fn settled(&mut self, values: &[Atom], wanted: &[Placement]) -> Vec<Atom> {
        values.iter().zip(wanted).map(|(value, wanted)| self.settled_one(*value, *wanted)).collect()
    }

    fn settled_one(&mut self, value: Atom, wanted: Placement) -> Atom {
        self.ensure_there(value);
        let value = self.whole_one(value);
        match (self.placement(value), wanted) {
            (Placement::Split(..), Placement::Whole) => {
                let var = value.var().expect("what is split is a variable");
                self.gather_for(var, MOVES);
                self.whole_one(value)
            }
            (Placement::Whole, Placement::Split(dimension, axis)) => {
                let part = self.part_of(value, dimension, axis);
                self.set(part, Placement::Split(dimension, axis));
                part.into()
            }
            _ => value,
        }
    }

    /// Says where a value is.
    pub(super) fn set(&mut self, var: Var, placement: Placement) {
        match placement {
            Placement::Whole => self.places.remove(&var),
            placement => self.places.insert(var, placement),
        };
    }
}

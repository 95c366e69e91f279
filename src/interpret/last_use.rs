//! Last uses: which operands no later statement needs, so that what they hold may be changed in place.
//!
//! Law: an operand is the last use of its variable if the variable is bound in the same run of the same body and
//! nothing that runs after the operand was read mentions it; what a branch gives is an operand of the `if`. Values are the
//! same with and without; only copies are saved, so that a loop of updates takes time in proportion to the updates.

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, Form, Lambda, Op, Program, Stm, Var, deeper};

/// The operands that are last uses, as pairs of the first variable a statement binds and the operand.
#[derive(Debug)]
pub(super) struct LastUses(FxHashSet<(Var, Var)>);

impl LastUses {
    /// The last uses of a program that verifies.
    pub(super) fn of(program: &Program) -> Self {
        let mut search = Search {
            owners: vec![0; program.types.len()],
            regions: 0,
            later: FxHashSet::default(),
            mentioned: Vec::new(),
            found: FxHashSet::default(),
        };
        search.lambda(&program.function);
        LastUses(search.found)
    }

    pub(super) fn contains(&self, stm: &Stm, var: Var) -> bool {
        stm.vars.first().is_some_and(|first| self.0.contains(&(*first, var)))
    }
}

struct Search {
    /// The region that binds each variable. A region is a body and the branches in it: what runs at most once when it runs.
    owners: Vec<usize>,
    regions: usize,
    /// The variables that are mentioned later than here.
    later: FxHashSet<Var>,
    /// The same in the order in which they were found, last first.
    mentioned: Vec<Var>,
    found: FxHashSet<(Var, Var)>,
}

impl Search {
    fn mention(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && self.later.insert(var)
        {
            self.mentioned.push(var);
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.region(&lambda.params, &lambda.body);
    }

    fn region(&mut self, params: &[Var], body: &Body) {
        self.regions += 1;
        let region = self.regions;
        params.iter().for_each(|p| self.owners[p.0 as usize] = region);
        self.body(region, body);
    }

    fn body(&mut self, region: usize, body: &Body) {
        body.stms.iter().flat_map(|stm| &stm.vars).for_each(|v| self.owners[v.0 as usize] = region);
        body.results.iter().for_each(|a| self.mention(*a));
        for stm in body.stms.iter().rev() {
            deeper(|| self.inside(region, stm));
            let mut operands = Vec::new();
            stm.op.atoms(|a| operands.push(a));
            for operand in &operands {
                if let (Atom::Var(var), Some(first)) = (*operand, stm.vars.first())
                    && self.owners[var.0 as usize] == region
                    && !self.later.contains(&var)
                    && operands.iter().filter(|other| *other == operand).count() == 1
                {
                    self.found.insert((*first, var));
                }
            }
            operands.into_iter().for_each(|a| self.mention(a));
        }
    }

    /// Variables from around an `if` that its branches give, and that nothing mentions later than it.
    fn given(&mut self, region: usize, stm: &Stm, branches: [&Body; 2]) {
        let Some(first) = stm.vars.first() else { return };
        for result in branches.into_iter().flat_map(|branch| &branch.results) {
            if let Atom::Var(var) = *result
                && self.owners[var.0 as usize] == region
                && !self.later.contains(&var)
            {
                self.found.insert((*first, var));
            }
        }
    }

    fn inside(&mut self, region: usize, stm: &Stm) {
        match &stm.op {
            Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) | Op::Size(..) => {}
            Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Permute(..) | Op::Reshape(..) => {}
            Op::Concat(_) | Op::Reverse(_) | Op::Scatter(_) | Op::Agree(_) => {}
            Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => {}
            Op::If(_, yes, no) => {
                // What one branch mentions is not later than anything in the other.
                let start = self.mentioned.len();
                self.given(region, stm, [yes, no]);
                self.body(region, yes);
                let by_yes = self.mentioned.split_off(start);
                for var in &by_yes {
                    self.later.remove(var);
                }
                self.body(region, no);
                by_yes.into_iter().for_each(|var| self.mention(Atom::Var(var)));
            }
            Op::Loop(it) => {
                let mut params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
                match &it.form {
                    Form::For(i, _) => {
                        params.push(*i);
                        self.region(&params, &it.body);
                    }
                    Form::While { condition, .. } => {
                        // The condition runs before the body, and leaves the parameters to it.
                        self.region(&params, &it.body);
                        self.region(&[], condition);
                    }
                }
            }
            Op::Map(map) => self.lambda(&map.function),
            Op::Reduce(it) | Op::Scan(it) => self.lambda(&it.operator),
            Op::Hist(it) => self.lambda(&it.operator),
            Op::Custom(it) => {
                // The pullback does not run here, but a trace takes it along with what it mentions.
                self.lambda(&it.pullback);
                self.lambda(&it.function);
            }
        }
    }
}

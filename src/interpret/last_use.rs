//! Last uses: which variables no later statement needs, so that what they hold may be changed in place.
//!
//! Law: a statement is the last use of a variable if the variable is bound in the same run of the same body, the
//! statement or what is inside of it mentions it, and nothing that runs after it does. An operand that is mentioned
//! once may be given away to the statement; other variables end with it. Values are the same with and without; only
//! copies are saved, so that a loop of updates takes time in proportion to the updates (tests/array/interpret.rs,
//! tests/allocations.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Atom, Body, Form, Lambda, Nested, Program, Stm, Var, deeper};

/// The last uses of variables, by statements that bind something, which are known by the first variable that they bind.
#[derive(Debug, Default)]
pub(super) struct LastUses {
    /// The statements with operands that they may be given.
    given: FxHashSet<(Var, Var)>,
    /// The arrays that nothing needs after a statement.
    ended: FxHashMap<Var, Vec<Var>>,
}

impl LastUses {
    /// The last uses of a program that verifies.
    pub(super) fn of(program: &Program) -> Self {
        let mut search = Search {
            program,
            owners: vec![0; program.types.len()],
            regions: 0,
            later: FxHashSet::default(),
            mentioned: Vec::new(),
            found: LastUses::default(),
        };
        search.lambda(&program.function);
        search.found
    }

    /// Whether a statement may be given an operand.
    pub(super) fn may_take(&self, stm: &Stm, var: Var) -> bool {
        stm.vars.first().is_some_and(|first| self.given.contains(&(*first, var)))
    }

    /// The arrays that nothing needs after a statement.
    pub(super) fn ended_by(&self, stm: &Stm) -> &[Var] {
        stm.vars.first().and_then(|first| self.ended.get(first)).map_or(&[], Vec::as_slice)
    }
}

struct Search<'p> {
    program: &'p Program,
    /// The region that binds each variable. A region is a body and the branches in it: what runs at most once when it runs.
    owners: Vec<usize>,
    regions: usize,
    /// The variables that are mentioned later than here.
    later: FxHashSet<Var>,
    /// The same in the order in which they were found, last first.
    mentioned: Vec<Var>,
    found: LastUses,
}

impl Search<'_> {
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
            let start = self.mentioned.len();
            deeper(|| self.inside(region, stm));
            let mut operands = Vec::new();
            stm.op.atoms(|a| operands.push(a));
            for operand in &operands {
                if let (Atom::Var(var), Some(first)) = (*operand, stm.vars.first())
                    && self.owners[var.0 as usize] == region
                    && !self.later.contains(&var)
                    && operands.iter().filter(|other| *other == operand).count() == 1
                {
                    self.found.given.insert((*first, var));
                }
            }
            operands.into_iter().for_each(|a| self.mention(a));
            let Some(first) = stm.vars.first() else { continue };
            let is_own = |var: &Var| self.owners[var.0 as usize] == region && self.program.type_of(*var).rank > 0;
            let ended: Vec<Var> = self.mentioned[start..].iter().copied().filter(is_own).collect();
            if !ended.is_empty() {
                self.found.ended.insert(*first, ended);
            }
        }
    }

    fn inside(&mut self, region: usize, stm: &Stm) {
        match stm.op.nested() {
            // The pullback of a function does not run here, but a trace takes it along with what it mentions.
            Nested::Functions(functions) => functions.into_iter().rev().for_each(|function| self.lambda(function)),
            Nested::Branches(yes, no) => {
                // What one branch mentions is not later than anything in the other.
                let start = self.mentioned.len();
                self.body(region, yes);
                let by_yes = self.mentioned.split_off(start);
                for var in &by_yes {
                    self.later.remove(var);
                }
                self.body(region, no);
                by_yes.into_iter().for_each(|var| self.mention(Atom::Var(var)));
            }
            Nested::Loop(it) => {
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
        }
    }
}

//! Pruning: a trace without the statements that its results do not need.
//!
//! Law: the pruned program gives the same results; a statement that it removes is not executed, so an error of that
//! statement is reported by the trace itself only, which keeps everything (laws: tracing::computes_the_same).

use core::cell::RefCell;

use crate::array::{Atom, Body, Program, Rebuild, Stm, Var, deeper};

/// The program without what is not needed, in canonical numbers.
pub(super) fn prune(program: &Program) -> Program {
    let mut needed = Needed(RefCell::new(vec![false; program.types.len()]));
    let function = needed.lambda(&program.function);
    Program::of_parts(program.types.clone(), program.names.clone(), function).renumber()
}

/// The variables that are needed by what was seen so far, last first.
struct Needed(RefCell<Vec<bool>>);

impl Rebuild for Needed {
    fn atom(&self, atom: Atom) -> Atom {
        if let Atom::Var(var) = atom {
            self.0.borrow_mut()[var.0 as usize] = true;
        }
        atom
    }

    fn body(&mut self, body: &Body) -> Body {
        let results = self.atoms(&body.results);
        let mut stms: Vec<Stm> = Vec::new();
        for stm in body.stms.iter().rev() {
            if stm.vars.iter().any(|v| self.0.borrow()[v.0 as usize]) {
                let op = deeper(|| self.op(&stm.op));
                stms.push(Stm { vars: stm.vars.clone(), op, span: stm.span });
            }
        }
        stms.reverse();
        Body { stms, results }
    }

    fn bind(&mut self, var: Var) -> Var {
        var
    }
}

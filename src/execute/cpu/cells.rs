//! Setting cells, from code.
//!
//! Law: cells that are set together are set as if at once (tests/execute/states.rs).

use super::assemble::Assembler;
use super::instruction::{Instruction, IntOp, RealOp, Reg};
use crate::array::Prim;
use crate::kernel::code::{Operand, Value};

impl Assembler<'_> {
    /// Sets cells one after the other; those that are read by later ones are put aside first.
    pub(super) fn assign(&mut self, cells: &[(Value, Operand)], mask: Option<Operand>) {
        let mask = mask.map(|mask| self.reg(mask));
        let cells: Vec<(Value, Operand)> = cells
            .iter()
            .copied()
            .filter(|(cell, x)| self.needed.contains(cell) && Operand::Value(*cell) != *x)
            .collect();
        let mut moves: Vec<(bool, Reg, Reg)> = Vec::new();
        for (cell, x) in &cells {
            let real = self.is_real(*x);
            moves.push((real, self.reg(Operand::Value(*cell)), self.reg(*x)));
        }
        for k in 0..moves.len() {
            let (real, to, _) = moves[k];
            if moves[k + 1..].iter().any(|(bank, _, from)| *bank == real && *from == to) {
                // A later cell takes what this one was.
                let aside = self.aside(real, to);
                let copy = match real {
                    true => Instruction::Real { op: RealOp::Copy, to: aside, x: [to; 3] },
                    false => Instruction::Int { op: IntOp::Copy, kind: Prim::I64, to: aside, x: [to; 2] },
                };
                self.out.push(copy);
                for (bank, _, from) in &mut moves[k + 1..] {
                    if *bank == real && *from == to {
                        *from = aside;
                    }
                }
            }
        }
        for (real, cell, x) in moves {
            self.out.push(if real {
                Instruction::SetReal { cell, x, mask }
            } else {
                Instruction::SetInt { cell, x, mask }
            });
        }
    }

    /// A register that nothing else uses.
    fn aside(&mut self, real: bool, like: Reg) -> Reg {
        match like {
            Reg::Uniform(_) => Reg::Uniform(self.fresh(real)),
            Reg::Varying(_) => {
                let registers = self.varying.as_mut().expect("varying values are used in lanes");
                let register = registers.extra(real);
                let (reals, ints) = registers.sizes();
                let open = self.loops.last_mut().expect("a loop over lanes is open");
                (open.reals, open.ints) = (reals, ints);
                Reg::Varying(register)
            }
        }
    }
}

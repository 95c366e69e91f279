//! Functions of Rust: a user's rule is an operation, a callback a statement by itself.
//!
//! Law: a callback is called outside of loops over lanes, with whole arrays, where the program calls it; nothing else that it may do
//! is known, but the sizes of what it leaves (tests/array/foreign.rs).

use super::code::{Broken, Call, Output, Room, Stm};
use super::view::{Array, Bound, Form};
use super::{Lowering, Step, Unsupported};
use crate::array::Foreign;

impl<'p> Lowering<'p> {
    pub(super) fn foreign(&mut self, it: &'p Foreign) -> Step<Vec<Bound<'p>>> {
        if !self.foreign {
            return Err(Unsupported("a function of Rust"));
        }
        if let Some(rule) = it.function.as_rule() {
            let operands = self.env.scalars(&it.arguments);
            return Ok(vec![Bound::Scalar(self.emit.ruled(rule, operands))]);
        }
        if self.emit.lanes.is_some() {
            return Err(Unsupported("a callback in a loop over lanes"));
        }
        let mut arguments = Vec::new();
        for atom in &it.arguments {
            arguments.push(match self.env.atom(*atom) {
                Bound::Scalar(operand) => Output::Scalar(operand),
                Bound::Array(array) => {
                    let (buffer, _) = self.whole(&array)?;
                    Output::Array { buffer, sizes: array.sizes, prim: array.prim }
                }
            });
        }
        let (mut results, mut found) = (Vec::new(), Vec::new());
        for atom in &it.like {
            let prim = self.emit.program.atom_type(*atom).prim;
            match self.env.atom(*atom) {
                Bound::Scalar(_) => {
                    let value = self.emit.value(prim, false);
                    results.push(Room::Scalar(value));
                    found.push(Bound::Scalar(super::code::Operand::Value(value)));
                }
                Bound::Array(Array { sizes, .. }) => {
                    let view = self.emit.room_for(prim, &sizes)?;
                    results.push(Room::Array { buffer: view.origin.buffer, sizes: sizes.clone() });
                    found.push(Bound::Array(Array { prim, sizes, form: Form::Memory(view) }));
                }
            }
        }
        let blame = self.emit.blame(Broken::Able("a function of Rust that fails"), &[]);
        let call = Stm::Call(Box::new(Call { it: it.clone(), arguments, results, blame }));
        self.emit.push(match self.emit.at.mask {
            Some(condition) => Stm::If { condition, yes: vec![call], no: Vec::new() },
            None => call,
        });
        for bound in &found {
            if let Bound::Array(Array { form: Form::Memory(view), .. }) = bound {
                self.emit.changed(view.origin.buffer);
            }
        }
        Ok(found)
    }
}

//! The inputs of code: parameters as scalars and buffers.
//!
//! Law: the sizes of an array that is the same in every run are constants of the code; those of any other are values
//! (tests/execute/lanes.rs).

use super::Known;
use super::code::{Operand, Port, Value};
use super::emit::Emit;
use super::view::{Array, Bound, Form, View};
use crate::array::{Prim, Type, Var};

impl<'p> Emit<'p> {
    /// Where a parameter comes in, and what it is bound to.
    pub(super) fn input(&mut self, param: Var, known: Option<&Known>) -> (Port, Bound<'p>) {
        let Type { prim, rank, .. } = self.program.type_of(param);
        if rank == 0 {
            let value = self.value(prim, false);
            return (Port::Scalar(value), Bound::Scalar(Operand::Value(value)));
        }
        let buffer = self.new_buffer(prim);
        let values: Vec<Value> = (0..rank).map(|_| self.value(Prim::I64, false)).collect();
        let sizes: Vec<Operand> = match known {
            Some(known) => {
                known.range.into_iter().for_each(|range| self.facts.ranges(buffer, range));
                known.sizes.iter().map(|n| Operand::int(i64::try_from(*n).expect("an array fits memory"))).collect()
            }
            None => values.iter().copied().map(Operand::Value).collect(),
        };
        let view = View::whole(self, buffer, &sizes);
        (Port::Array { buffer, sizes: values }, Bound::Array(Array { prim, sizes, form: Form::Memory(view) }))
    }
}

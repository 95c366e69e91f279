//! Elements of buffers, in Cranelift's form.
//!
//! Law: what is outside of a buffer is 0, and stored nowhere; a worker stores in its own part (tests/execute/jit.rs,
//! tests/execute/one_by_one.rs).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::translate::{Translator, there};
use crate::execute::cpu::instruction::{Address, Reg};
use crate::kernel::code::Inside;

impl Translator<'_, '_> {
    /// The number of the element that an address means.
    fn element(&mut self, address: &Address) -> Value {
        let Address { base, index, stride, .. } = *address;
        let from = self.int(Reg::Uniform(base));
        if [index, stride].into_iter().any(|register| self.constant(register) == Some(0)) {
            return from;
        }
        let index = self.int(Reg::Uniform(index));
        let by = self.int(Reg::Uniform(stride));
        let apart = if self.constant(stride) == Some(1) { index } else { self.to.ins().imul(index, by) };
        self.to.ins().iadd(from, apart)
    }

    /// Where an element is, if it is there, or else what is there instead; what is inside for sure is not looked at.
    fn find(&mut self, real: bool, address: &Address, instead: Option<(Value, Value)>, element: Value) -> Value {
        let first = self.to.use_var(self.buffers[&(real, address.buffer)].parts[0]);
        let kind = if real { self.reals.kind } else { self.ints.kind };
        let apart = self.to.ins().ishl_imm_u(element, i64::from(kind.bytes().ilog2()));
        let place = self.to.ins().iadd(first, apart);
        match instead {
            Some((is_there, otherwise)) => self.to.ins().select(is_there, place, otherwise),
            None => place,
        }
    }

    /// The element at an address, or 0.
    pub(super) fn load(&mut self, real: bool, address: &Address) -> Value {
        let element = self.element(address);
        let Inside(inside) = address.inside;
        let instead = (!inside).then(|| {
            let count = self.to.use_var(self.buffers[&(real, address.buffer)].parts[1]);
            (self.to.ins().icmp(IntCC::UnsignedLessThan, element, count), self.zero)
        });
        let place = self.find(real, address, instead, element);
        let kind = if real { self.reals.kind } else { self.ints.kind };
        self.to.ins().load(kind, there(), place, 0)
    }

    /// Where the element is that an address means, to be changed; where nothing is to be, a place that nobody reads.
    pub(super) fn place(&mut self, real: bool, address: &Address, mask: Option<Reg>) -> Value {
        let element = self.element(address);
        let Inside(inside) = address.inside;
        let is_there = (!inside).then(|| {
            let [.., count, from] = self.buffers[&(real, address.buffer)].parts;
            let (count, mut element) = (self.to.use_var(count), element);
            if self.is_of_lanes {
                let from = self.to.use_var(from);
                element = self.to.ins().isub(element, from);
            }
            self.to.ins().icmp(IntCC::UnsignedLessThan, element, count)
        });
        let mask = mask.map(|mask| self.truth(mask));
        let is_changed = match (is_there, mask) {
            (Some(is_there), Some(mask)) => Some(self.to.ins().band(is_there, mask)),
            (one, other) => one.or(other),
        };
        self.find(real, address, is_changed.map(|is_changed| (is_changed, self.sink)), element)
    }
}

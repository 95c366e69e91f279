//! Where elements are, from places of code to addresses of instructions.
//!
//! Law: an address means the element that the place does, for a block of lanes or for one (tests/execute/lanes.rs).

use super::assemble::Assembler;
use super::instruction::{Across, Address, Reg};
use crate::array::Const;
use crate::kernel::code::Place;

impl Assembler<'_> {
    /// Where an element is.
    pub(super) fn address(&mut self, place: &Place) -> Address {
        #[cfg(feature = "jit")]
        if self.lane.is_some() {
            return self.address_in(place);
        }
        self.address_of(place)
    }

    /// Where an element is that is changed.
    #[cfg(not(feature = "jit"))]
    pub(super) fn changed(&mut self, place: &Place) -> Address {
        self.address(place)
    }

    /// Whether instructions are for one lane after the other, so that what varies has one value.
    pub(super) fn has_one_lane(&self) -> bool {
        #[cfg(feature = "jit")]
        return self.lane.is_some();
        #[cfg(not(feature = "jit"))]
        false
    }

    /// Where an element is, for one lane or a block of them.
    pub(super) fn address_of(&mut self, place: &Place) -> Address {
        let base = self.one(place.base);
        let (index, stride) = match place.step {
            Some((index, stride)) => (self.one(index), self.one(stride)),
            None => {
                let zero = self.constant(Const::I64(0));
                (zero, zero)
            }
        };
        let private = self.code.buffers[place.buffer.0 as usize].private;
        let lane = place.lane.map(|lane| self.one(lane));
        let varying = place.varying.map(|varying| match self.reg(varying) {
            Reg::Varying(register) => register,
            Reg::Uniform(_) => panic!("this operand is varying"),
        });
        let across = match (private, lane, varying) {
            (true, None, None) => Across::Own,
            (true, None, Some(at)) => Across::OwnAt(at),
            (true, Some(_), _) => panic!("lanes are not apart in what each has of its own"),
            (false, None, None) => Across::Same,
            (false, Some(apart), None) => Across::Apart(apart),
            (false, None, Some(at)) => Across::At(at),
            (false, Some(apart), Some(at)) => Across::ApartAt(apart, at),
        };
        let inside = place.inside;
        Address { buffer: self.buffers[place.buffer.0 as usize], base, index, stride, across, inside }
    }
}

//! Values drawn at random, of given types.
//!
//! Law: the same seed gives the same values, on every machine; integers are drawn from all of their kind, real numbers
//! from 0 up to 1, truth values from both (tests/language/values.rs).

use crate::futhark::core::Prim;
use crate::futhark::source::{Message, Span};
use crate::futhark::values::{Array, Data};
use crate::primitives::f16;

/// The most bytes of one value that is drawn.
const LARGEST: u64 = 1 << 32;

/// A source of random numbers: SplitMix64.
///
/// ```
/// use catadiff::futhark::core::Prim;
/// use catadiff::futhark::source::Span;
/// use catadiff::futhark::testing::random::Random;
/// let draw = |seed| Random::new(seed).array(&[2, 3], Prim::F32, Span::default()).unwrap();
/// assert_eq!(draw(1), draw(1));
/// assert_ne!(draw(1), draw(2));
/// ```
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// An array of a shape and a kind.
    ///
    /// # Errors
    /// If it would be too large; `at` is the place that the message shows.
    #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_precision_loss)]
    pub fn array(&mut self, shape: &[usize], kind: Prim, at: Span) -> Result<Array, Box<Message>> {
        let count = if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1_usize, |n, &m| n.checked_mul(m)) };
        let Some(count) = count.filter(|count| count.checked_mul(8).is_some_and(|bytes| bytes as u64 <= LARGEST))
        else {
            let text = format!("a random value of shape {shape:?} is too large");
            return Err(Box::new(Message::error("value", at, text).hint(format!("at most {LARGEST} bytes are drawn"))));
        };
        let mut draw = (0..count).map(|_| self.bits());
        let data = match kind {
            Prim::I8 => Data::I8(draw.map(|bits| bits as i8).collect()),
            Prim::I16 => Data::I16(draw.map(|bits| bits as i16).collect()),
            Prim::I32 => Data::I32(draw.map(|bits| bits as i32).collect()),
            Prim::I64 => Data::I64(draw.map(|bits| bits as i64).collect()),
            Prim::U8 => Data::U8(draw.map(|bits| bits as u8).collect()),
            Prim::U16 => Data::U16(draw.map(|bits| bits as u16).collect()),
            Prim::U32 => Data::U32(draw.map(|bits| bits as u32).collect()),
            Prim::U64 => Data::U64(draw.by_ref().collect()),
            // As many bits as the fraction holds, so that 1 is never reached.
            Prim::F16 => Data::F16(draw.map(|bits| f16::from_f64((bits >> 53) as f64 / 2048.0)).collect()),
            Prim::F32 => Data::F32(draw.map(|bits| (bits >> 40) as f32 / (1_u32 << 24) as f32).collect()),
            Prim::F64 => Data::F64(draw.map(|bits| (bits >> 11) as f64 / (1_u64 << 53) as f64).collect()),
            Prim::Bool => Data::Bool(draw.map(|bits| bits >> 63 == 1).collect()),
        };
        Ok(Array { shape: shape.to_vec(), data })
    }
}

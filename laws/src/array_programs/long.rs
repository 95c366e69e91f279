//! Random programs over as many elements as executors take in one block, or share among workers.
//!
//! Law: sizes are at such a boundary, and beside it; steps are few, and what they make is about as long as the
//! arguments (tests/laws/executors.rs).

use catadiff::array::Program;
use catadiff::interpret::Value;
use quickcheck::{Arbitrary, Gen};

use super::{ArrayProgram, Room, shorter, step};

/// A random program of few steps over many elements.
#[derive(Debug, Clone, PartialEq)]
pub struct LongProgram(ArrayProgram);

/// At and beside a block of lanes, the widest, and what is shared among workers.
const LENGTHS: [usize; 12] = [127, 128, 129, 255, 257, 511, 512, 513, 1023, 1025, 3073, 16_385];

impl LongProgram {
    /// The program.
    ///
    /// # Panics
    /// If the generator is wrong.
    #[must_use]
    pub fn program(&self) -> Program {
        self.0.program_in(Room::of_many(self.0.rows))
    }

    /// Arguments that fit.
    #[must_use]
    pub fn arguments(&self) -> Vec<Value<f64>> {
        self.0.arguments()
    }

    /// How long most arrays are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// One of eight: many elements take long.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        (self.0.seed >> 40).is_multiple_of(8)
    }
}

impl Arbitrary for LongProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let rows = *g.choose(&LENGTHS).expect("there are some");
        let steps = 2 + usize::arbitrary(g) % 4;
        let (columns, seed) = (1 + usize::arbitrary(g) % 3, u64::arbitrary(g));
        LongProgram(ArrayProgram {
            rows,
            columns,
            seed,
            is_alike: false,
            steps: (0..steps).map(|_| step(g, 1, false)).collect(),
        })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let whole = self.0.clone();
        Box::new(shorter(&self.0.steps).map(move |steps| LongProgram(ArrayProgram { steps, ..whole.clone() })))
    }
}

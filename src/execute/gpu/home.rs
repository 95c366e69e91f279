//! Where the scalars of code are: those that the host knows, those in a buffer of the device, those of a thread alone.
//!
//! Law: what the host knows follows from constants, from sizes and from integers among the arguments, by operations that the host
//! carries out; all else is computed on the device, and read from there only where the host has to know it
//! (tests/gpu/counts.rs).

use rustc_hash::FxHashSet;

use crate::kernel::code::{Block, Code, Op, Operand, Port, Stm, Value};
use crate::kernel::parts;

/// The scalars that the host knows.
#[derive(Debug)]
pub(super) struct Homes {
    host: FxHashSet<Value>,
}

impl Homes {
    pub(super) fn of(code: &Code) -> Self {
        let mut host = FxHashSet::default();
        for input in &code.inputs {
            match input {
                Port::Scalar(value) => drop(host.insert(*value)),
                Port::Array { sizes, .. } => host.extend(sizes),
            }
        }
        parts::sets(&code.body, &mut host);
        // Arithmetic on reals is the device's.
        host.retain(|value| !code.values[value.0 as usize].prim.is_real());
        let mut homes = Homes { host };
        // What is not known makes other things unknown, and less is known each time.
        loop {
            let before = homes.host.len();
            homes.forget(&code.body);
            if homes.host.len() == before {
                return homes;
            }
        }
    }

    /// Whether the host knows an operand, which is no real then.
    pub(super) fn knows(&self, operand: Operand) -> bool {
        match operand {
            Operand::Value(value) => self.host.contains(&value),
            Operand::Const(constant) => !constant.prim().is_real(),
        }
    }

    /// Whether the host knows all that a statement uses and sets, inside as well.
    pub(super) fn is_host(&self, stm: &Stm) -> bool {
        let mut known = true;
        parts::each(core::slice::from_ref(stm), &mut |stm| {
            known &= match stm {
                Stm::Let(_, op, _) => can_host(*op),
                Stm::Assign { mask, .. } => mask.is_none(),
                Stm::Check { .. } | Stm::Bounds { .. } | Stm::For { .. } | Stm::While { .. } | Stm::If { .. } => true,
                _ => false,
            };
            known &= stm.operands().iter().all(|x| self.knows(*x));
            known &= stm.sets().iter().all(|value| self.host.contains(value));
        });
        known
    }

    fn forget(&mut self, block: &Block) {
        for stm in block {
            match stm {
                Stm::Lanes(lanes) => {
                    let folded = lanes.folded.into_iter().collect::<FxHashSet<Value>>();
                    let mut inside = FxHashSet::default();
                    parts::sets(core::slice::from_ref(stm), &mut inside);
                    self.forget_all(inside.difference(&folded).copied());
                }
                Stm::For { body, .. } if is_heavy(stm) => self.forget(body),
                Stm::While { before, body, .. } if is_heavy(stm) => {
                    self.forget(before);
                    self.forget(body);
                }
                Stm::If { yes, no, .. } if is_heavy(stm) => {
                    self.forget(yes);
                    self.forget(no);
                }
                Stm::Assign { cells, mask } => {
                    let unknown = |(_, x): &&(Value, Operand)| mask.is_some() || !self.knows(*x);
                    let unknown: Vec<Value> = cells.iter().filter(unknown).map(|(cell, _)| *cell).collect();
                    self.forget_all(unknown);
                }
                _ if !self.is_host(stm) => {
                    let mut inside = FxHashSet::default();
                    parts::sets(core::slice::from_ref(stm), &mut inside);
                    self.forget_all(inside);
                }
                _ => {}
            }
        }
    }

    fn forget_all(&mut self, values: impl IntoIterator<Item = Value>) {
        for value in values {
            self.host.remove(&value);
        }
    }
}

/// Whether the host carries out an operation: on integers and truth values, whose arithmetic is exact.
pub(super) fn can_host(op: Op) -> bool {
    match op {
        Op::Scalar(_) | Op::Select => true,
        Op::LeastWhere | Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Rule(_) | Op::Earlier(_) => false,
    }
}

/// Whether a statement asks the host to do something: it starts lanes, makes arrays or exchanges them.
pub(super) fn is_heavy(stm: &Stm) -> bool {
    let mut heavy = false;
    parts::each(core::slice::from_ref(stm), &mut |stm| {
        heavy |= matches!(
            stm,
            Stm::Lanes(_) | Stm::Alloc(..) | Stm::Swap(..) | Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_)
        );
    });
    heavy
}

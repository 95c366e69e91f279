//! Stretches: instructions that follow each other, work on single values, and are entered at the first alone.
//!
//! Law: no jump leads into a stretch but to its first instruction, and none out of it but to behind its last; products of matrices are
//! in none, nor loops over lanes that are worth a block (tests/execute/jit.rs).

use rustc_hash::FxHashSet;

use super::spaces::is_short;
use crate::execute::cpu::assemble::Assembler;
use crate::execute::cpu::instruction::{Across, Address, Instruction, Reg};
use crate::execute::cpu::parallel;
use crate::kernel::code::{Op, Operand, Stm};
use crate::kernel::parts::{Mentions, each, sets};

/// Instructions, from one and before another, and the registers in which they leave something for others.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) instructions: Vec<Instruction>,
    /// Where the instructions are their own, the one of the code where a run is said to end; they are numbered from 0 then, and else as
    /// in the code.
    pub(super) place: Option<u32>,
    pub(super) reals: FxHashSet<u32>,
    pub(super) ints: FxHashSet<u32>,
    /// About how long a run takes, as `parallel::work` has it, where the counts of loops say so before they begin.
    pub(super) work: Option<Vec<(i64, Vec<u32>)>>,
    /// Of a loop over lanes, how many of these a block has.
    pub(super) lanes: Option<i64>,
}

/// The stretches of code.
#[derive(Debug, Default)]
pub(in crate::execute::cpu) struct Stretches {
    /// How often values are set and used in all of the code, once something needs them.
    mentions: Option<Mentions>,
    pub(super) found: Vec<Stretch>,
}

/// A uniform register, and what an instruction does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Use {
    pub(super) real: bool,
    pub(super) register: u32,
    pub(super) writes: bool,
}

impl Assembler<'_> {
    /// Assembles the first of these statements that are on single values, as a stretch: how many there are.
    pub(in crate::execute::cpu) fn stretch(&mut self, stms: &[Stm]) -> Option<usize> {
        if self.scalar.is_none() || self.varying.is_some() {
            return None;
        }
        let count = stms.iter().take_while(|stm| self.is_scalar(stm)).count();
        let stms = &stms[..count];
        if count == 0 {
            return None;
        }
        // Without this, what is inside is no stretch of its own.
        let mut scalar = self.scalar.take()?;
        if !has_loop(stms) {
            stms.iter().for_each(|stm| self.statement(stm));
            self.scalar = Some(scalar);
            return Some(count);
        }
        let number = u32::try_from(scalar.found.len()).expect("there are fewer than 2^32 stretches");
        self.out.push(Instruction::Native(number));
        let from = self.here();
        stms.iter().for_each(|stm| self.statement(stm));
        let (mut instructions, mut place) = (self.out[from as usize..].to_vec(), None);
        if instructions.iter().any(|instruction| matches!(instruction, Instruction::Lanes(_))) {
            (instructions, place) = (self.apart(|this| stms.iter().for_each(|stm| this.statement(stm))), Some(from));
        }
        let mut stretch = Stretch {
            from,
            to: self.here(),
            work: known_work(&instructions),
            instructions,
            place,
            reals: FxHashSet::default(),
            ints: FxHashSet::default(),
            lanes: None,
        };
        let code = self.code;
        let everywhere = scalar.mentions.get_or_insert_with(|| Mentions::of(&code.outputs, &code.body));
        let inside = Mentions::within(stms);
        let mut set = FxHashSet::default();
        sets(stms, &mut set);
        for value in set.into_iter().filter(|value| everywhere.get(*value).exceeds(inside.get(*value))) {
            let Some(register) = self.known_uniform(value) else { continue };
            let bank = if self.is_real(Operand::Value(value)) { &mut stretch.reals } else { &mut stretch.ints };
            bank.insert(register);
        }
        scalar.found.push(stretch);
        self.scalar = Some(scalar);
        Some(count)
    }
}

impl Assembler<'_> {
    /// Whether a statement has no product inside and no function of Rust, and loops over lanes only if they are short, in a loop that has
    /// another one beside them: what lanes do takes no longer than that then, and few lanes take longest to get ready.
    fn is_scalar(&self, stm: &Stm) -> bool {
        match stm {
            Stm::Lanes(_) | Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_) | Stm::Call(_) => return false,
            Stm::Let(_, Op::Rule(_), _) => return false,
            _ => {}
        }
        let is_loop = |stm: &Stm| matches!(stm, Stm::For { .. } | Stm::While { .. });
        stm.blocks().into_iter().all(|block| {
            let is_beside = is_loop(stm) && block.iter().any(is_loop);
            block.iter().all(|stm| match stm {
                Stm::Lanes(lanes) => is_beside && is_short(lanes),
                stm => self.is_scalar(stm),
            })
        })
    }
}

/// About how long instructions take, unless there is a loop whose count is not known before they begin.
fn known_work(instructions: &[Instruction]) -> Option<Vec<(i64, Vec<u32>)>> {
    let used: FxHashSet<Use> = instructions.iter().filter_map(uses).flatten().collect();
    let is_known = |instruction: &Instruction| match instruction {
        Instruction::Again(_) => false,
        Instruction::UnlessLess { count, .. } => !used.contains(&Use { real: false, register: *count, writes: true }),
        _ => true,
    };
    instructions.iter().all(is_known).then(|| parallel::work(instructions, &[]))
}

/// Whether there is a loop in statements.
fn has_loop(stms: &[Stm]) -> bool {
    let mut found = false;
    each(stms, &mut |stm| found |= matches!(stm, Stm::For { .. } | Stm::While { .. }));
    found
}

/// What an instruction does with uniform registers, in order; `None` if it is for lanes.
pub(super) fn uses(instruction: &Instruction) -> Option<Vec<Use>> {
    let mut all = Uses(Vec::new());
    all.of(instruction)?;
    Some(all.0)
}

struct Uses(Vec<Use>);

impl Uses {
    fn one(&mut self, real: bool, register: u32, writes: bool) {
        self.0.push(Use { real, register, writes });
    }

    fn reads(&mut self, real: bool, regs: &[Reg]) -> Option<()> {
        regs.iter().try_for_each(|reg| uniform(*reg).map(|register| self.one(real, register, false)))
    }

    fn writes(&mut self, real: bool, to: Reg) -> Option<()> {
        uniform(to).map(|register| self.one(real, register, true))
    }

    fn mask(&mut self, mask: Option<Reg>) -> Option<()> {
        mask.map_or(Some(()), |mask| self.reads(false, &[mask]))
    }

    fn address(&mut self, address: &Address) -> Option<()> {
        let Address { buffer: _, base, index, stride, across, inside: _ } = *address;
        [base, index, stride].into_iter().for_each(|register| self.one(false, register, false));
        (across == Across::Same).then_some(())
    }

    fn of(&mut self, instruction: &Instruction) -> Option<()> {
        match *instruction {
            Instruction::Jump(_) | Instruction::Again(_) => {}
            Instruction::Unless(condition, _) => self.reads(false, &[condition])?,
            Instruction::UnlessLess { index, count, to: _ } => {
                [index, count].into_iter().for_each(|register| self.one(false, register, false));
            }
            Instruction::Next { index, count, to: _ } => {
                [index, count].into_iter().for_each(|register| self.one(false, register, false));
                self.one(false, index, true);
            }
            Instruction::Zero(index) => self.one(false, index, true),
            Instruction::Real { op: _, to, ref x } => {
                self.reads(true, x)?;
                self.writes(true, to)?;
            }
            Instruction::Int { op: _, kind: _, to, ref x } => {
                self.reads(false, x)?;
                self.writes(false, to)?;
            }
            Instruction::Test { test: _, to, ref x } => {
                self.reads(true, x)?;
                self.writes(false, to)?;
            }
            Instruction::LeastWhere { to, ref x, ref of } => {
                self.reads(false, x)?;
                self.reads(true, of)?;
                self.writes(false, to)?;
            }
            Instruction::SelectReal { to, condition, ref x } => {
                self.reads(false, &[condition])?;
                self.reads(true, x)?;
                self.writes(true, to)?;
            }
            Instruction::SelectInt { to, condition, ref x } => {
                self.reads(false, &[condition])?;
                self.reads(false, x)?;
                self.writes(false, to)?;
            }
            Instruction::Truncate { into: _, to, x } | Instruction::ToBits { kind: _, to, x } => {
                self.reads(true, &[x])?;
                self.writes(false, to)?;
            }
            Instruction::IntoReal { from: _, single: _, to, x } | Instruction::FromBits { kind: _, to, x } => {
                self.reads(false, &[x])?;
                self.writes(true, to)?;
            }
            // A cell that is the same in all lanes is set without a look at the mask.
            Instruction::SetReal { cell, x, mask: _ } => {
                self.reads(true, &[x])?;
                self.writes(true, cell)?;
            }
            Instruction::SetInt { cell, x, mask: _ } => {
                self.reads(false, &[x])?;
                self.writes(false, cell)?;
            }
            Instruction::LoadReal { to, ref from } => {
                self.address(from)?;
                self.writes(true, to)?;
            }
            Instruction::LoadInt { to, ref from } => {
                self.address(from)?;
                self.writes(false, to)?;
            }
            Instruction::StoreReal { ref at, x, mask } | Instruction::AddReal { rounded: _, ref at, x, mask } => {
                self.address(at)?;
                self.reads(true, &[x])?;
                self.mask(mask)?;
            }
            Instruction::StoreInt { ref at, x, mask } | Instruction::AddInt { ref at, x, prim: _, mask } => {
                self.address(at)?;
                self.reads(false, &[x])?;
                self.mask(mask)?;
            }
            Instruction::Alloc { buffer: _, count, real: _, own } => {
                self.one(false, count, false);
                return (!own).then_some(());
            }
            Instruction::Swap { .. } => {}
            Instruction::Check { condition, mask } => {
                self.reads(false, &[condition])?;
                self.mask(mask)?;
            }
            Instruction::Bounds { index, length, mask } => {
                self.reads(false, &[index, length])?;
                self.mask(mask)?;
            }
            Instruction::Lanes(_) | Instruction::Straight { .. } | Instruction::Native(_) | Instruction::End => {
                return None;
            }
            Instruction::Kernel(_) | Instruction::Inner(_) | Instruction::Series(_) | Instruction::Outer(_) => {
                return None;
            }
            Instruction::Transpose(_) | Instruction::IntoRows(_) | Instruction::Product(_) => return None,
            Instruction::Chain(_) | Instruction::Rows(_) => return None,
            Instruction::Scan(_) | Instruction::Hist(_) => return None,
            Instruction::Rule(_) | Instruction::Call(_) => return None,
        }
        Some(())
    }
}

fn uniform(reg: Reg) -> Option<u32> {
    if let Reg::Uniform(register) = reg { Some(register) } else { None }
}

//! The steps that functions take, in Cranelift's form.
//!
//! Law: a step is looked at where instructions look at it. Of loops in lanes, as many are taken as the lanes of a block take together,
//! unless inner loops have other lanes that take most (tests/execute/jit.rs, tests/execute/one_by_one.rs).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, InstBuilder, Signature, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};

use super::native::{Builder, offsets};
use super::translate::{Translator, there};
use crate::execute::cpu::instruction::Instruction;

/// The steps of lanes in loops, which the lanes of a block take together: so those of one lane count where no lane of its block
/// before has taken as many.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockSteps {
    /// The instruction that goes on with the next lane.
    again: u32,
    /// How many lanes a block has, and as variables: how many are left of it, the most steps that a lane took, and those of this one.
    lanes: i64,
    rest: Variable,
    most: Variable,
    mine: Variable,
}

impl BlockSteps {
    /// Of a loop over lanes with a loop in it; a block has `lanes`.
    pub(super) fn of(
        to: &mut FunctionBuilder<'_>,
        instructions: &[Instruction],
        again: u32,
        lanes: i64,
    ) -> Option<Self> {
        let (_, inside) = instructions.split_last()?;
        let is_loop = |it: &Instruction| matches!(it, Instruction::Next { .. } | Instruction::Again(_));
        let [rest, most, mine] = [(); 3].map(|()| to.declare_var(I64));
        inside.iter().any(is_loop).then_some(BlockSteps { again, lanes, rest, most, mine })
    }

    /// Nothing is taken at first.
    pub(super) fn begin(self, to: &mut FunctionBuilder<'_>) {
        for (variable, n) in [(self.rest, self.lanes), (self.most, 0), (self.mine, 0)] {
            let n = to.ins().iconst(I64, n);
            to.def_var(variable, n);
        }
    }
}

/// The signature of what counts steps, of the context and an instruction. It saves all registers, so that loops keep what they have in
/// registers, though one iteration in a thousand calls it.
pub(super) fn signature_of_spend() -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.extend([AbiParam::new(I64); 2]);
    signature
}

/// Writes what counts steps: a call of what the context says.
pub(super) fn write_spend(builder: &mut Builder) {
    let mut plain = builder.signature();
    plain.params.extend([AbiParam::new(I64); 2]);
    let config = builder.isa().frontend_config();
    let Builder { compiler, frontend, .. } = builder;
    compiler.func.signature = signature_of_spend();
    let mut to = FunctionBuilder::new(&mut compiler.func, frontend);
    let entry = to.create_block();
    to.append_block_params_for_function_params(entry);
    to.switch_to_block(entry);
    to.seal_block(entry);
    let params = to.block_params(entry).to_vec();
    let spend = to.ins().load(I64, there(), params[0], offsets::SPEND);
    let plain = to.import_signature(plain);
    to.ins().call_indirect(plain, spend, &params);
    to.ins().return_(&[]);
    to.finalize(config);
}

impl Translator<'_, '_> {
    /// Takes steps of a loop, as many as iterations have ended: one, but for a loop in lanes.
    pub(super) fn tick(&mut self, at: u32, count: i64) {
        let one = self.number(1);
        let Some(steps) = self.steps else { return self.step(at, one) };
        if at == steps.again {
            self.step(at, one);
            return self.next_lane(steps);
        }
        let BlockSteps { most, mine, .. } = steps;
        let now = self.to.use_var(mine);
        let now = self.to.ins().iadd_imm_s(now, count);
        self.to.def_var(mine, now);
        let so_far = self.to.use_var(most);
        let is_first = self.to.ins().icmp(IntCC::SignedLessThan, so_far, now);
        let [first, next] = [self.to.create_block(), self.to.create_block()];
        self.to.set_cold_block(first);
        self.to.ins().brif(is_first, first, &[], next, &[]);
        self.begin(first);
        self.to.def_var(most, now);
        let more = self.to.ins().isub(now, so_far);
        self.step(at, more);
        self.to.ins().jump(next, &[]);
        self.begin(next);
    }

    /// Begins with another lane, of the same block or of the next.
    fn next_lane(&mut self, BlockSteps { lanes, rest, most, mine, .. }: BlockSteps) {
        let [zero, all] = [0, lanes].map(|n| self.to.ins().iconst(I64, n));
        self.to.def_var(mine, zero);
        let left = self.to.use_var(rest);
        let left = self.to.ins().iadd_imm_s(left, -1);
        let is_next = self.to.ins().icmp_imm_s(IntCC::Equal, left, 0);
        let so_far = self.to.use_var(most);
        for (variable, begun, on) in [(rest, all, left), (most, zero, so_far)] {
            let value = self.to.ins().select(is_next, begun, on);
            self.to.def_var(variable, value);
        }
    }

    /// Takes steps.
    fn step(&mut self, at: u32, count: Value) {
        let left = self.to.use_var(self.left);
        let left = self.to.ins().isub(left, count);
        self.to.def_var(self.left, left);
        let [spent, next] = [self.to.create_block(), self.to.create_block()];
        self.to.set_cold_block(spent);
        let is_spent = self.to.ins().icmp_imm_s(IntCC::SignedLessThanOrEqual, left, 0);
        self.to.ins().brif(is_spent, spent, &[], next, &[]);
        self.begin(spent);
        self.to.ins().store(there(), left, self.context, offsets::LEFT);
        let (at, spend) = (self.place_of(at), self.number(self.callbacks.spend));
        self.to.ins().call_indirect(self.of_spend, spend, &[self.context, at]);
        let left = self.to.ins().load(I64, there(), self.context, offsets::LEFT);
        self.to.def_var(self.left, left);
        self.to.ins().brif(left, next, &[], self.fault, &[]);
        self.begin(next);
    }
}

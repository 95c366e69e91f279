//! Loops over lanes as C functions: from one lane to another, in blocks of as many as vectors have.
//!
//! A function gets what it needs of the values and buffers outside in a structure, so that others may run other lanes of the same
//! loop. In the last block of a loop fewer lanes are active.
//!
//! Law: a lane folds the iterations that are its own and no others, and one that has none leaves nothing
//! (laws: executors::suite, tests/execute/in_c.rs).

use rustc_hash::FxHashSet;

use super::earlier::keeps;
use super::operation::Width;
use super::print::{Printer, Step};
use super::share::{Decides, before, has_parts};
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::kernel::code::{Buffer, Fold, Lanes, Line, Op, Operand, Product, Stm, Value};
use crate::kernel::parts::each;
use crate::primitives::Primitive;

/// Private buffers of no more elements than this are on the stack.
const MAX_ON_STACK: i64 = 64;

/// A body of no more statements than this is printed twice: for blocks all of whose lanes are active, and for the last one.
const MAX_TWICE: usize = 96;

/// Whether a body is small. Products are long, and know by themselves how many lanes are active.
fn is_small(block: &[Stm]) -> bool {
    let (mut count, mut products) = (0, false);
    each(block, &mut |stm| {
        count += 1;
        products |= matches!(stm, Stm::Product(_));
    });
    count <= MAX_TWICE && !products
}

/// Whether there is nothing but whole blocks to print: vectors have 4 or 8 lanes. Loops that keep values from block to block have no others.
fn fills_blocks(lanes: &Lanes) -> bool {
    let is_whole = lanes.count.as_int().is_some_and(|count| count % 8 == 0);
    is_whole && (is_small(&lanes.body) || keeps(lanes))
}

/// What a loop over lanes uses of what is around it.
struct Needs {
    values: Vec<Value>,
    buffers: Vec<Buffer>,
    private: Vec<Buffer>,
    /// Whether it has parts that may run at the same time.
    parts: bool,
    /// Whether what lanes have found is combined by one operation.
    combined: bool,
}

impl Needs {
    fn of(printer: &Printer<'_>, lanes: &Lanes) -> Self {
        let mut buffers: FxHashSet<Buffer> = FxHashSet::default();
        each(&lanes.body, &mut |stm| buffers.extend(stm.touches().into_iter().map(|(buffer, ..)| buffer)));
        let sorted = |mut all: Vec<Buffer>| {
            all.sort_unstable();
            all
        };
        let is_private = |buffer: &Buffer| printer.code.buffers[buffer.0 as usize].private;
        let (private, shared) = buffers.into_iter().partition(is_private);
        let mut values: Vec<Value> = before(lanes).into_iter().collect();
        values.sort_unstable();
        let combined = lanes.folds.iter().all(|fold| combines(fold).is_some());
        let parts = has_parts(lanes);
        Needs { values, buffers: sorted(shared), private: sorted(private), parts, combined }
    }

    /// How many values a part may leave of what its lanes fold.
    fn most(&self) -> &'static str {
        if self.combined { "1" } else { "W" }
    }
}

/// How many elements a private buffer always has, if they are few.
pub(super) fn on_stack(lanes: &Lanes, buffer: Buffer) -> Option<i64> {
    let mut most = Some(0);
    each(&lanes.body, &mut |stm| match stm {
        Stm::Alloc(of, count) if *of == buffer => {
            most = most.zip(count.as_int()).map(|(most, count): (i64, i64)| most.max(count));
        }
        Stm::Swap(a, b) if *a == buffer || *b == buffer => most = None,
        _ => {}
    });
    most.filter(|most| (1..=MAX_ON_STACK).contains(most))
}

/// What combines the values of two lanes, if that is one of a few operations.
fn combines(fold: &Fold) -> Option<Op> {
    match fold.op? {
        op @ (ScalarOp::Add | ScalarOp::Mul) => Some(Op::Scalar(op)),
        op @ ScalarOp::Row(Primitive::Min | Primitive::Max) => Some(Op::Scalar(op)),
        op @ ScalarOp::Integer(IntegerRow::Min | IntegerRow::Max) => Some(Op::Scalar(op)),
        _ => None,
    }
}

impl Printer<'_> {
    /// A loop over lanes: its function, and the call.
    pub(super) fn lanes(&mut self, lanes: &Lanes) -> Step<()> {
        let number = self.loops.len();
        let needs = Needs::of(self, lanes);
        // The place of its text is kept, so that loops are in order.
        self.loops.push(String::new());
        let outside = core::mem::take(&mut self.out);
        let (hoisted, depth) = (core::mem::take(&mut self.hoisted), self.indent(0));
        self.in_lanes = true;
        self.function(number, lanes, &needs)?;
        if needs.parts {
            self.part(number, lanes, needs.most());
            if !lanes.adds.is_empty() {
                self.add_copies(number, lanes)?;
            }
        }
        self.in_lanes = false;
        self.indent(depth);
        self.hoisted = hoisted;
        self.loops[number] = core::mem::replace(&mut self.out, outside);
        self.call_of(number, lanes, &needs)
    }

    fn call_of(&mut self, number: usize, lanes: &Lanes, needs: &Needs) -> Step<()> {
        let (count, most) = (self.plain(lanes.count), needs.most());
        self.open("{");
        let parts = if needs.parts { "parts" } else { "1" };
        if needs.parts {
            let Decides { work, copied, .. } = Decides::of(lanes);
            self.line(&format!("const i64_1 share = share_of({count}, {work}, {copied});"));
            self.line(&format!("const i64_1 parts = parts_of({count}, share);"));
            if !lanes.adds.is_empty() {
                self.line(&format!("const i64_1 pieces = pieces_of({copied}, parts);"));
            }
        }
        for fold in &lanes.folds {
            let (b, stored) = (fold.found.0, self.stored(fold.found));
            self.line(&format!("ALLOC({stored}, b{b}, n{b}, room{b}, {most} * {parts});"));
        }
        let mut given: Vec<String> = needs.values.iter().map(|value| format!("v{}", value.0)).collect();
        given.extend(needs.buffers.iter().map(|b| format!("b{0}, n{0}", b.0)));
        given.extend(lanes.folds.iter().map(|fold| format!("b{}", fold.found.0)));
        if needs.parts {
            given.extend([count.clone(), "share".to_owned()]);
            for buffer in &lanes.adds {
                let (b, stored) = (buffer.0, self.stored(*buffer));
                self.line(&format!("{stored} *copies{b} = 0;"));
                self.line(&format!("i64_1 copied{b} = 0, room_of_copies{b} = 0;"));
                let all = format!("n{b} * (parts - 1)");
                self.line(&format!("if (parts > 1) ALLOC({stored}, copies{b}, copied{b}, room_of_copies{b}, {all});"));
                given.push(format!("copies{b}"));
            }
            given.extend((!lanes.adds.is_empty()).then(|| "pieces".to_owned()));
        }
        let given = if given.is_empty() { "0".to_owned() } else { given.join(", ") };
        self.line(&format!("const struct loop_{number} needs = {{{given}}};"));
        self.tick();
        let whole = format!("loop_{number}(context, &needs, 0, {count})");
        if needs.parts {
            let all = |parts: &str, of: String, whole: &str| {
                format!("if ({parts} > 1 ? context->share(context, {of}, &needs, {parts}) : {whole}) STOP;")
            };
            self.line(&all("parts", format!("part_{number}"), &whole));
            if !lanes.adds.is_empty() {
                let function = format!("add_copies_{number}");
                let whole = format!("{function}(context, &needs, 0)");
                self.line(&all("pieces", function, &whole));
            }
            for Buffer(b) in lanes.adds.iter().rev() {
                self.line(&format!("if (parts > 1) context->memory(context, copies{b}, 0, 0, 0);"));
            }
        } else {
            self.line(&format!("if ({whole}) STOP;"));
        }
        if let Some(folded) = lanes.folded {
            let found = format!("mini_1({count}, {most} * {parts})");
            self.line(&format!("v{} = maxi_1({found}, 0);", folded.0));
            for fold in &lanes.folds {
                self.line(&format!("n{} = v{};", fold.found.0, folded.0));
            }
        }
        self.close();
        Ok(())
    }

    fn function(&mut self, number: usize, lanes: &Lanes, needs: &Needs) -> Step<()> {
        let type_of = |this: &Self, value: Value| format!("{}_1", this.register(this.code.prim(Operand::Value(value))));
        self.line(&format!("struct loop_{number} {{"));
        for value in &needs.values {
            self.line(&format!("    {} v{};", type_of(self, *value), value.0));
        }
        for buffer in &needs.buffers {
            let stored = self.stored(*buffer);
            self.line(&format!("    {stored} *b{0}; i64_1 n{0};", buffer.0));
        }
        for fold in &lanes.folds {
            let stored = self.stored(fold.found);
            self.line(&format!("    {stored} *found{};", fold.found.0));
        }
        if needs.parts {
            self.line("    i64_1 count, share;");
            for buffer in &lanes.adds {
                let stored = self.stored(*buffer);
                self.line(&format!("    {stored} *copies{};", buffer.0));
            }
            if !lanes.adds.is_empty() {
                self.line("    i64_1 pieces;");
            }
        } else if needs.values.is_empty() && needs.buffers.is_empty() && lanes.folds.is_empty() {
            self.line("    int nothing;");
        }
        self.line("};");
        self.line("");
        let head = format!("struct context *context, const struct loop_{number} *needs, i64_1 from, i64_1 to");
        self.open(&format!("static int loop_{number}({head}) {{"));
        for value in &needs.values {
            self.line(&format!("const {} v{1} = needs->v{1};", type_of(self, *value), value.0));
        }
        for buffer in &needs.buffers {
            let stored = self.stored(*buffer);
            self.line(&format!("{stored} *const b{0} = needs->b{0};", buffer.0));
            self.line(&format!("const i64_1 n{0} = needs->n{0};", buffer.0));
        }
        for buffer in &needs.private {
            let (b, register) = (buffer.0, self.register(self.element(*buffer)));
            match on_stack(lanes, *buffer) {
                Some(most) => {
                    self.on_stack.insert(*buffer);
                    self.line(&format!("{register}_w b{b}[{most}];"));
                }
                None => self.line(&format!("{register}_w *b{b} = 0; i64_1 room{b} = 0;")),
            }
            self.line(&format!("i64_1 n{b} = 0;"));
        }
        let cells: FxHashSet<Value> = lanes.folds.iter().map(|fold| fold.cell).collect();
        let given: FxHashSet<Value> = needs.values.iter().copied().chain([lanes.index]).collect();
        self.hoist(&lanes.body, &given, &[]);
        self.hoisted.retain(|value| !cells.contains(value));
        self.declarations();
        self.hoisted.extend(&cells);
        for fold in &lanes.folds {
            let (cell, register) = (fold.cell.0, self.register(self.code.prim(fold.start)));
            let start = self.operand(fold.start, Width::Wide);
            self.line(&format!("{register}_w v{cell} = {start};"));
        }
        self.line("int status = 0;");
        self.earlier_blocks(lanes)?;
        if fills_blocks(lanes) {
            self.line("i64_1 first = from;");
            self.blocks("to");
            self.line("const int n = W;");
            self.lanes_of_block(lanes)?;
            self.close_blocks();
        } else if is_small(&lanes.body) {
            // Without the last block the compiler knows that all lanes are active.
            self.line("const i64_1 whole = from + (to - from) / W * W;");
            self.line("i64_1 first = from;");
            self.blocks("whole");
            self.line("const int n = W;");
            self.lanes_of_block(lanes)?;
            self.close_blocks();
            self.open("if (first < to) {");
            self.line("const int n = (int)(to - first);");
            self.tick();
            self.lanes_of_block(lanes)?;
            self.close();
        } else {
            self.line("i64_1 first = from;");
            self.blocks("to");
            self.line("const int n = to - first < W ? (int)(to - first) : W;");
            self.lanes_of_block(lanes)?;
            self.close_blocks();
        }
        if needs.combined {
            for fold in &lanes.folds {
                let (cell, prim) = (fold.cell.0, self.code.prim(fold.start));
                let (x, register, found) = (format!("v{cell}"), self.register(prim), fold.found.0);
                self.open("if (to > from) {");
                self.line(&format!("{register}_1 all = {x}[0];"));
                let op = combines(fold).expect("what lanes have found is combined");
                let both = self.operation(op, prim, prim, Width::One, &["all".to_owned(), format!("{x}[k]")])?;
                self.line(&format!("for (int k = 1; k < W; k++) all = {both};"));
                let all = if prim == Prim::Bool { "(u8)(all & 1)" } else { "all" };
                self.line(&format!("needs->found{found}[0] = {all};"));
                self.close();
            }
        } else {
            for fold in &lanes.folds {
                let (cell, found) = (fold.cell.0, fold.found.0);
                let x = if self.code.prim(fold.start) == Prim::Bool {
                    format!("(v{cell}[k] & 1)")
                } else {
                    format!("v{cell}[k]")
                };
                let stored = self.stored(fold.found);
                self.line(&format!(
                    "for (int k = 0; k < W && k < to - from; k++) needs->found{found}[k] = ({stored}){x};"
                ));
            }
        }
        self.line("goto done;");
        self.line("done:");
        for buffer in needs.private.iter().filter(|buffer| on_stack(lanes, **buffer).is_none()) {
            self.line(&format!("context->memory(context, b{}, 0, 0, 0);", buffer.0));
        }
        self.line("return status;");
        self.close();
        self.line("");
        Ok(())
    }

    /// Opens a loop of blocks to this lane.
    fn blocks(&mut self, to: &str) {
        if self.watched {
            self.open(&format!("for (i64_1 stop; first < {to};) {{"));
            self.line(&format!("TICKS_OF_BLOCKS(first, stop, {to});"));
            self.open("for (; first < stop; first += W) {");
        } else {
            self.open(&format!("for (; first < {to}; first += W) {{"));
        }
    }

    fn close_blocks(&mut self) {
        self.close();
        if self.watched {
            self.close();
        }
    }

    /// What a block of lanes does, of which the first `n` are active.
    pub(super) fn lanes_of_block(&mut self, lanes: &Lanes) -> Step<()> {
        self.line("const i64_w live = lti_w(lane_numbers(0), alli_w(n));");
        self.line(&format!("const i64_w v{} = lane_numbers(first);", lanes.index.0));
        self.line(&format!("(void)live, (void)v{};", lanes.index.0));
        let folded: Vec<(Value, Prim)> =
            lanes.folds.iter().map(|fold| (fold.cell, self.code.prim(Operand::Value(fold.cell)))).collect();
        for (cell, prim) in &folded {
            self.line(&format!("const {}_w before{1} = v{1};", self.register(*prim), cell.0));
        }
        self.block(&lanes.body)?;
        self.keep(lanes);
        if !folded.is_empty() {
            self.open("if (n < W) {");
            for (cell, prim) in &folded {
                let (now, before) = (format!("v{}", cell.0), format!("before{}", cell.0));
                let kept = self.select(*prim, Width::Wide, ["live", &now, &before]);
                self.line(&format!("{now} = {kept};"));
            }
            self.close();
        }
        Ok(())
    }

    pub(super) fn alloc(&mut self, buffer: Buffer, count: Operand) {
        let (b, count) = (buffer.0, self.plain(count));
        if self.frame.has(buffer) {
            return;
        }
        if !self.code.buffers[b as usize].private {
            let stored = self.stored(buffer);
            return self.line(&match self.result(buffer) {
                Some(k) => format!("RESULT({stored}, b{b}, n{b}, room{b}, {count}, {k});"),
                None => format!("ALLOC({stored}, b{b}, n{b}, room{b}, {count});"),
            });
        }
        let register = self.register(self.element(buffer));
        if self.on_stack.contains(&buffer) {
            return self.line(&format!("n{b} = {count};"));
        }
        self.line(&format!("ALLOC({register}_w, b{b}, n{b}, room{b}, {count});"));
    }

    pub(super) fn product(&mut self, product: &Product) {
        let Product { sizes, matrix, rows, columns, adds, origin: _ } = product;
        let [m, n] = sizes.map(|size| self.plain(size));
        let b = matrix.buffer.0;
        let stored = self.stored(matrix.buffer);
        let base = self.plain(matrix.base);
        let [down, across] = matrix.strides.map(|stride| self.plain(stride));
        let [rows, columns] = [rows, columns].map(|line| self.line_of(line));
        let name = if *adds { "sums" } else { "product" };
        self.needs.products = true;
        self.line(&format!(
            "{name}_{stored}({m}, {n}, b{b}, n{b}, {base}, {down}, {across}, {rows}, {columns}, {live});",
            live = if *adds { "live" } else { "n" },
        ));
    }

    /// Reals of the lanes, for a product.
    fn line_of(&mut self, line: &Line) -> String {
        let b = line.place.buffer.0;
        let is_own = self.code.buffers[b as usize].private;
        let start = self.start(&line.place);
        let by = self.plain(line.stride);
        if is_own {
            format!("OWN_LINE({}, b{b}, n{b}, {start}, {by})", self.real())
        } else {
            let stored = self.stored(line.place.buffer);
            format!("SHARED_LINE({stored}, b{b}, n{b}, addi_1({start}, first), {by})")
        }
    }
}

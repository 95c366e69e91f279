//! Code as C: statements outside of loops over lanes, and what they have in common with those inside.
//!
//! A value is a variable `v1`, a buffer a pointer `b1` to `n1` elements. What is bound once, and used in its block alone, is declared
//! where it is bound; the others are declared at the top of the function. Loops over lanes are functions of their own.
//!
//! Law: statements run in the order of the code, and the first check that fails ends the run with its number
//! (laws: executors::suite, tests/execute/in_c.rs).

use core::fmt::Write as _;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::along::Along;
use super::frame::Frame;
use super::hoist::hoisted;
use super::operation::Width;
use crate::array::Prim;
use crate::kernel::Unsupported;
use crate::kernel::code::{Blame, Block, Buffer, Code, Operand, Output, Port, Stm, Value};
use crate::kernel::parts::{Mentions, each};

pub(super) type Step<T> = Result<T, Unsupported>;

/// Code on its way to C.
pub(super) struct Printer<'c> {
    pub(super) code: &'c Code,
    /// Whether steps are counted, so that a run can be ended.
    pub(super) watched: bool,
    pub(super) mentions: Mentions,
    /// The buffers that are exchanged.
    swapped: FxHashSet<Buffer>,
    pub(super) frame: Frame,
    /// The function that is being written, and how deep it is indented.
    pub(super) out: String,
    depth: usize,
    /// Whether statements are those of a loop over lanes.
    pub(super) in_lanes: bool,
    /// The loop along rows that is being written, if one is.
    pub(super) along: Option<Along>,
    /// What is declared at the top of the function.
    pub(super) hoisted: FxHashSet<Value>,
    /// The lanes' own buffers that are on the stack, of the loop that is being written.
    pub(super) on_stack: FxHashSet<Buffer>,
    /// Statements of which it is known what becomes of them, by their addresses.
    pub(super) planned: FxHashMap<*const Stm, String>,
    /// Functions that are written, loops over lanes.
    pub(super) loops: Vec<String>,
    /// What is printed so far needs this.
    pub(super) needs: Needs,
    /// What checks are of that know it, by their numbers.
    pub(super) blames: Vec<Option<Claim>>,
}

/// What printed code needs of the prelude.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// The elementary functions that are called.
    pub(super) functions: BTreeSet<&'static str>,
    /// The kinds that elements in memory have.
    pub(super) memory: BTreeSet<&'static str>,
    /// The kinds of rows that are turned.
    pub(super) rows: BTreeSet<&'static str>,
    pub(super) products: bool,
    pub(super) angles: bool,
    pub(super) special: bool,
}

/// What a check is of, and the kinds of the operands that are kept.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) blame: Blame,
    pub(super) kinds: Vec<Prim>,
}

/// What the text of some code is made of.
pub(super) struct Printed {
    /// The loops over lanes, and the function that runs everything.
    pub(super) text: String,
    pub(super) needs: Needs,
    pub(super) blames: Vec<Option<Claim>>,
}

/// The most iterations between two looks at whether a run is to end.
pub(super) const STRETCH: i64 = 1024;

/// The most operands of a check that are kept.
pub(super) const MAX_OPERANDS: usize = 4;

/// The text of some code, in whose runs steps are counted or not.
pub(super) fn printed(code: &Code, watched: bool) -> Step<Printed> {
    let mut printer = Printer { watched, ..Printer::new(code) };
    printer.whole()?;
    let Printer { out, loops, needs, blames, .. } = printer;
    Ok(Printed { text: loops.concat() + &out, needs, blames })
}

impl<'c> Printer<'c> {
    pub(super) fn new(code: &'c Code) -> Self {
        let mut swapped = FxHashSet::default();
        each(&code.body, &mut |stm| {
            if let Stm::Swap(a, b) = stm {
                swapped.extend([*a, *b]);
            }
        });
        Printer {
            code,
            watched: false,
            frame: Frame::of(code, &swapped),
            swapped,
            mentions: Mentions::of(&code.outputs, &code.body),
            out: String::new(),
            depth: 1,
            in_lanes: false,
            along: None,
            hoisted: FxHashSet::default(),
            on_stack: FxHashSet::default(),
            planned: FxHashMap::default(),
            loops: Vec::new(),
            needs: Needs::default(),
            blames: Vec::new(),
        }
    }

    /// The result that is in a buffer from the beginning to the end, and no other.
    pub(super) fn result(&self, buffer: Buffer) -> Option<usize> {
        let of = |output: &Output| matches!(output, Output::Array { buffer: of, .. } if *of == buffer);
        let swapped = self.swapped.contains(&buffer);
        let found = self.code.outputs.iter().position(of)?;
        let once = self.code.outputs.iter().filter(|output| of(output)).count() == 1;
        (once && !swapped).then_some(found)
    }

    /// A line.
    pub(super) fn line(&mut self, text: &str) {
        let width = self.depth * 4;
        writeln!(self.out, "{:width$}{text}", "").expect("text can be written to");
    }

    pub(super) fn open(&mut self, text: &str) {
        self.line(text);
        self.depth += 1;
    }

    /// Indents what follows by this much, and says how much it was.
    pub(super) fn indent(&mut self, depth: usize) -> usize {
        core::mem::replace(&mut self.depth, depth)
    }

    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// What values are declared before, of a function with this body: those that are set again, or used out of their blocks.
    pub(super) fn hoist(&mut self, body: &Block, given: &FxHashSet<Value>, used: &[Operand]) {
        self.hoisted = hoisted(body, &self.mentions, used).into_iter().filter(|value| !given.contains(value)).collect();
    }

    /// Declares what is hoisted.
    pub(super) fn declarations(&mut self) {
        let mut all: Vec<Value> = self.hoisted.iter().copied().collect();
        all.sort_unstable();
        for value in all {
            let (kind, suffix) = (self.register(self.code.prim(Operand::Value(value))), self.width(value).suffix());
            let zero = if suffix == "_w" { "{0}" } else { "0" };
            self.line(&format!("{kind}{suffix} v{} = {zero};", value.0));
        }
    }

    /// Binds a value.
    pub(super) fn bind(&mut self, value: Value, text: &str) {
        if self.hoisted.contains(&value) {
            self.line(&format!("v{} = {text};", value.0));
        } else {
            let (kind, suffix) = (self.register(self.code.prim(Operand::Value(value))), self.width(value).suffix());
            self.line(&format!("const {kind}{suffix} v{} = {text};", value.0));
        }
    }

    /// The kind of a buffer's elements.
    pub(super) fn element(&self, buffer: Buffer) -> Prim {
        self.code.buffers[buffer.0 as usize].prim
    }

    /// The type that elements of a buffer have in memory. Those of half precision are doubles.
    pub(super) fn stored(&mut self, buffer: Buffer) -> &'static str {
        let name = stored(self.element(buffer));
        self.needs.memory.insert(name);
        name
    }

    /// The function that runs everything.
    fn whole(&mut self) -> Step<()> {
        let code = self.code;
        let outputs: Vec<Operand> = code.outputs.iter().flat_map(Output::operands).collect();
        let given = code.given_values().collect();
        self.hoist(&code.body, &given, &outputs);
        self.out.push_str("RUN int run(struct context *context) {\n");
        self.line("int status = 0;");
        self.inputs();
        let ports: FxHashSet<Buffer> = code
            .inputs
            .iter()
            .filter_map(|port| match port {
                Port::Array { buffer, .. } => Some(*buffer),
                Port::Scalar(_) => None,
            })
            .collect();
        let mut touched: FxHashSet<Buffer> = code.ports().collect();
        each(&code.body, &mut |stm| touched.extend(stm.touches().into_iter().map(|(buffer, ..)| buffer)));
        for (k, info) in code.buffers.iter().enumerate() {
            let buffer = Buffer(k as u32);
            if !info.private && !ports.contains(&buffer) && touched.contains(&buffer) && !self.frame.has(buffer) {
                let stored = self.stored(buffer);
                self.line(&format!("{stored} *b{k} = 0;"));
                self.line(&format!("i64_1 n{k} = 0, room{k} = 0;"));
            }
        }
        self.declarations();
        self.frame();
        self.block(&code.body)?;
        self.outputs();
        self.line("goto done;");
        self.line("done: return status;");
        self.out.push_str("}\n");
        Ok(())
    }

    fn inputs(&mut self) {
        for (k, port) in self.code.inputs.iter().enumerate() {
            match port {
                Port::Scalar(value) => {
                    let prim = self.code.prim(Operand::Value(*value));
                    let field = if prim.is_real() { "real" } else { "integer" };
                    let text = match prim {
                        Prim::Bool => format!("0 - context->in[{k}].{field}"),
                        Prim::F32 if self.code.precision == Prim::F32 => format!("(f32_1)context->in[{k}].{field}"),
                        _ => format!("context->in[{k}].{field}"),
                    };
                    let kind = self.register(prim);
                    self.line(&format!("const {kind}_1 v{} = {text};", value.0));
                }
                Port::Array { buffer, sizes } => {
                    let (b, stored) = (buffer.0, self.stored(*buffer));
                    self.line(&format!("{stored} *const b{b} = context->in[{k}].elements;"));
                    for (j, size) in sizes.iter().enumerate() {
                        self.line(&format!("const i64_1 v{} = context->in[{k}].sizes[{j}];", size.0));
                    }
                    let count: Vec<String> = sizes.iter().map(|size| format!("v{}", size.0)).collect();
                    self.line(&format!("const i64_1 n{b} = {};", count.join(" * ")));
                }
            }
        }
    }

    fn outputs(&mut self) {
        for (k, output) in self.code.outputs.iter().enumerate() {
            match output {
                Output::Scalar(operand) => {
                    let prim = self.code.prim(*operand);
                    let field = if prim.is_real() { "real" } else { "integer" };
                    let x = self.plain(*operand);
                    let x = if prim == Prim::Bool { format!("{x} & 1") } else { x };
                    self.line(&format!("context->out[{k}].{field} = {x};"));
                }
                Output::Array { buffer, sizes, .. } => {
                    for (j, size) in sizes.iter().enumerate() {
                        self.line(&format!("context->out[{k}].sizes[{j}] = {};", self.plain(*size)));
                    }
                    let b = buffer.0;
                    self.line(&format!("context->out[{k}].elements = b{b};"));
                    self.line(&format!("context->out[{k}].length = n{b};"));
                }
            }
        }
    }

    pub(super) fn block(&mut self, block: &Block) -> Step<()> {
        for (at, stm) in block.iter().enumerate() {
            self.plan_rows(&block[at..]);
            match self.planned.remove(&core::ptr::from_ref(stm)) {
                Some(text) => self.planned(stm, &text),
                None => self.statement(stm)?,
            }
        }
        Ok(())
    }

    fn statement(&mut self, stm: &Stm) -> Step<()> {
        match stm {
            Stm::Let(value, op, operands) => {
                let text = self.expression(*value, *op, operands)?;
                self.bind(*value, &text);
            }
            Stm::Load(value, place) => {
                let text = self.load(place, self.width(*value));
                self.bind(*value, &text);
            }
            Stm::Store { place, value, mask } => self.store(place, *value, *mask),
            Stm::Update { op, place, value, mask } => self.update(*op, place, *value, *mask)?,
            Stm::Alloc(buffer, count) => self.alloc(*buffer, *count),
            Stm::Swap(a, b) => {
                let (a, b, stored) = (a.0, b.0, self.stored(*a));
                self.line(&format!("SWAP({stored} *, b{a}, b{b});"));
                self.line(&format!("SWAP(i64_1, n{a}, n{b});"));
                self.line(&format!("SWAP(i64_1, room{a}, room{b});"));
            }
            Stm::Assign { cells, mask } => self.assign(cells, *mask),
            Stm::Check { condition, mask, blame } => {
                let width = if self.varies(*condition) { Width::Wide } else { Width::One };
                let wrong = format!("~{}", self.operand(*condition, width));
                self.check(width, &wrong, *mask, blame.as_deref());
            }
            Stm::Bounds { index, length, mask, blame } => {
                let wide = self.varies(*index) || self.varies(*length);
                let width = if wide { Width::Wide } else { Width::One };
                let [index, length] = [*index, *length].map(|x| self.operand(x, width));
                let wrong = format!("outside{}({index}, {length})", width.suffix());
                self.check(width, &wrong, *mask, blame.as_deref());
            }
            Stm::For { index, count, body, .. } => match self.along(*index, *count, body) {
                Some(done) => done?,
                None => self.one_after_another(*index, *count, body)?,
            },
            Stm::While { before, condition, body, .. } => {
                self.open("for (;;) {");
                self.tick();
                self.block(before)?;
                let condition = self.condition(*condition);
                self.line(&format!("if (!({condition})) break;"));
                self.block(body)?;
                self.close();
            }
            Stm::If { condition, yes, no } => {
                let condition = self.condition(*condition);
                self.open(&format!("if ({condition}) {{"));
                self.block(yes)?;
                if !no.is_empty() {
                    self.depth -= 1;
                    self.open("} else {");
                    self.block(no)?;
                }
                self.close();
            }
            Stm::Lanes(lanes) => self.lanes(lanes)?,
            Stm::Product(product) => self.product(product),
            Stm::Scan(scan) => self.scan(scan)?,
            Stm::Hist(hist) => self.hist(hist)?,
            Stm::Call(_) => panic!("functions of Rust were refused"),
        }
        Ok(())
    }

    /// A loop from 0 to a count, whose iterations are steps. If these are counted it goes in stretches, between which the run may be ended, so
    /// that the loop itself stays simple.
    pub(super) fn counted(&mut self, i: &str, count: &str, inside: impl FnOnce(&mut Self) -> Step<()>) -> Step<()> {
        if self.watched {
            self.open(&format!("for (i64_1 {i} = 0, stop{i} = 0; {i} < {count};) {{"));
            self.line(&format!("TICKS({i}, stop{i}, {count});"));
            self.open(&format!("for (; {i} < stop{i}; {i}++) {{"));
        } else {
            self.open(&format!("for (i64_1 {i} = 0; {i} < {count}; {i}++) {{"));
        }
        inside(self)?;
        self.close();
        if self.watched {
            self.close();
        }
        Ok(())
    }

    /// A loop whose iterations follow one another.
    pub(super) fn one_after_another(&mut self, index: Value, count: Operand, body: &Block) -> Step<()> {
        let i = format!("i{}", index.0);
        if self.watched && count.as_int().is_some_and(|count| (0..=STRETCH).contains(&count)) {
            // The compiler sees how often.
            let count = self.plain(count);
            self.line(&format!("TICK({count});"));
            self.open(&format!("for (i64_1 {i} = 0; {i} < {count}; {i}++) {{"));
            self.bind(index, &i);
            self.block(body)?;
            self.close();
            return Ok(());
        }
        let count = self.plain(count);
        self.counted(&i, &count, |this| {
            this.bind(index, &i);
            this.block(body)
        })?;
        Ok(())
    }

    /// Whether something is true, in any lane.
    fn condition(&self, condition: Operand) -> String {
        let plain = self.plain(condition);
        if self.varies(condition) { format!("any({plain} & live)") } else { plain }
    }

    /// Counts a step, if steps are counted.
    pub(super) fn tick(&mut self) {
        if self.watched {
            self.line("TICK(1);");
        }
    }

    /// The lanes in which something is done.
    pub(super) fn lanes_where(&self, mask: Option<Operand>) -> String {
        match mask {
            None => "live".to_owned(),
            Some(mask) => format!("({} & live)", self.operand(mask, Width::Wide)),
        }
    }

    pub(super) fn check(&mut self, width: Width, wrong: &str, mask: Option<Operand>, blame: Option<&Blame>) {
        let in_lanes = width == Width::Wide || mask.is_some_and(|mask| self.varies(mask));
        let condition = match mask {
            _ if in_lanes => format!("any({wrong} & {})", self.lanes_where(mask)),
            Some(mask) => format!("({wrong}) & {}", self.plain(mask)),
            None => wrong.to_owned(),
        };
        self.open(&format!("if (__builtin_expect(({condition}) != 0, 0)) {{"));
        // Only outside of loops over lanes is it known what is wrong.
        let claim = blame.filter(|_| !self.in_lanes).map(|blame| {
            assert!(blame.operands.len() <= MAX_OPERANDS, "a check has few operands");
            let kinds = blame.operands.iter().map(|operand| self.code.prim(*operand)).collect();
            Claim { blame: blame.clone(), kinds }
        });
        for (k, operand) in claim.iter().flat_map(|claim| claim.blame.operands.iter().enumerate()) {
            self.line(&format!("context->operands[{k}] = {};", self.plain(*operand)));
        }
        self.line(&format!("context->failed = {};", self.blames.len()));
        self.blames.push(claim);
        self.line("STOP;");
        self.close();
    }

    fn assign(&mut self, cells: &[(Value, Operand)], mask: Option<Operand>) {
        let texts: Vec<String> = cells
            .iter()
            .map(|(cell, x)| {
                let width = self.width(*cell);
                let x = self.operand(*x, width);
                let old = format!("v{}", cell.0);
                match mask {
                    Some(mask) if width == Width::Wide => {
                        let mask = self.operand(mask, Width::Wide);
                        self.select(self.code.prim(Operand::Value(*cell)), width, [&mask, &x, &old])
                    }
                    Some(mask) => format!("{} ? {x} : {old}", self.plain(mask)),
                    None => x,
                }
            })
            .collect();
        // What one is set to may be what another was, or where it is set.
        let is_set = |x: Operand, k: usize| cells[..k].iter().any(|(cell, _)| x == Operand::Value(*cell));
        let needs_old = |k: usize| is_set(cells[k].1, k) || mask.is_some_and(|mask| is_set(mask, k));
        if !(0..cells.len()).any(needs_old) {
            for ((cell, _), text) in cells.iter().zip(texts) {
                self.line(&format!("v{} = {text};", cell.0));
            }
            return;
        }
        self.open("{");
        for ((cell, _), text) in cells.iter().zip(texts) {
            let (kind, suffix) = (self.register(self.code.prim(Operand::Value(*cell))), self.width(*cell).suffix());
            self.line(&format!("const {kind}{suffix} new{} = {text};", cell.0));
        }
        for (cell, _) in cells {
            self.line(&format!("v{} = new{};", cell.0, cell.0));
        }
        self.close();
    }
}

/// The type that elements of a kind have in memory.
pub(super) fn stored(prim: Prim) -> &'static str {
    match prim {
        Prim::F16 => "f64",
        Prim::Bool => "u8",
        prim => prim.name(),
    }
}

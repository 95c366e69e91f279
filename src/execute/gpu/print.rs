//! Blocks of code as statements of WGSL.
//!
//! Law: a thread does what a lane does. An element outside of a buffer is read as 0 and is not written; what a thread has for itself
//! lies in a buffer of all threads, each element beside those of the neighbours (tests/gpu/kernels.rs, laws: executors::suite).

use core::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::home::Homes;
use super::kernel::{Binding, Param, Use, parameter};
use super::kind::{Width, Word, constant, of_bits};
use super::operation::{expression, of_constants, scalar};
use super::scopes::hoisted;
use crate::array::{Const, Prim, ScalarOp};
use crate::kernel::code::{Block, Buffer, Code, Operand, Place, Stm, Value};
use crate::kernel::parts;

/// The text of a kernel, as far as it is written, and what it asks of whoever starts it.
pub(super) struct Printer<'c, 'r> {
    code: &'c Code,
    width: Width,
    homes: &'r Homes,
    pub(super) text: String,
    indent: usize,
    /// What the words of parameters are.
    pub(super) params: Vec<(Param, Word)>,
    pub(super) bindings: Vec<Binding>,
    /// How elements that several threads change at once are changed.
    pub(super) updates: Vec<(Buffer, ScalarOp)>,
    /// Real numbers that are made of constants alone. A driver would find them, and take products with a zero among them for 0.
    constants: FxHashMap<Value, Const>,
    /// The values that are declared outside of all blocks, and all that are set.
    hoisted: FxHashSet<Value>,
    pub(super) set: FxHashSet<Value>,
    /// The buffers of each thread, with the sizes that they are given.
    pub(super) private: Vec<(Buffer, Vec<Operand>)>,
    /// What is wrong where a check with a report fails, by number.
    reports: &'r mut Vec<&'c Stm>,
    in_turn: bool,
    /// What becomes of elements that several lanes may set.
    scatters: Scatters,
    /// The buffers whose elements are in the memory of the workgroup, one of each thread.
    near: Vec<Buffer>,
    /// Those that a workgroup has copies of, to which its threads add.
    copies: Vec<Buffer>,
}

/// What becomes of elements that several lanes may set, of which the last one's stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scatters {
    /// There are none.
    None,
    /// One thread sets them in order.
    InOrder,
    /// Lanes claim them, and do nothing else.
    Claimed,
    /// The lane that has claimed an element sets it.
    ByOwner,
}

impl<'c, 'r> Printer<'c, 'r> {
    /// For a kernel of these statements; `in_turn` if one thread runs them.
    pub(super) fn new(
        code: &'c Code,
        width: Width,
        homes: &'r Homes,
        reports: &'r mut Vec<&'c Stm>,
        body: &[&'c Stm],
        in_turn: bool,
    ) -> Self {
        let mut set = FxHashSet::default();
        body.iter().for_each(|stm| parts::sets(core::slice::from_ref(*stm), &mut set));
        // What the host sets beside is no matter of the device.
        set.retain(|value| !homes.knows(Operand::Value(*value)));
        let mut printer = Printer {
            code,
            width,
            homes,
            text: String::new(),
            indent: 1,
            params: Vec::new(),
            bindings: Vec::new(),
            updates: Vec::new(),
            constants: FxHashMap::default(),
            hoisted: hoisted(body).intersection(&set).copied().collect(),
            set,
            private: Vec::new(),
            reports,
            in_turn,
            scatters: Scatters::None,
            near: Vec::new(),
            copies: Vec::new(),
        };
        printer.find_buffers(body);
        printer
    }

    fn find_buffers(&mut self, body: &[&'c Stm]) {
        for stm in body {
            parts::each(core::slice::from_ref(*stm), &mut |stm| {
                if let Stm::Alloc(buffer, count) = stm {
                    self.own(*buffer).push(*count);
                }
                for (buffer, access, _) in stm.touches() {
                    if self.code.buffers[buffer.0 as usize].private {
                        self.own(buffer);
                    } else if !matches!(stm, Stm::Lanes(_)) {
                        self.bind(buffer, if access.changes() { Use::Writes } else { Use::Reads });
                    }
                }
            });
        }
    }

    fn own(&mut self, buffer: Buffer) -> &mut Vec<Operand> {
        let at = self.private.iter().position(|(other, _)| *other == buffer).unwrap_or_else(|| {
            self.private.push((buffer, Vec::new()));
            self.private.len() - 1
        });
        &mut self.private[at].1
    }

    /// Keeps buffers in the memory of the workgroup.
    pub(super) fn keep_near(&mut self, buffers: &[Buffer]) {
        self.near = buffers.to_vec();
        self.bindings.retain(|binding| !buffers.contains(&binding.buffer));
    }

    /// Has threads add to copies of buffers.
    pub(super) fn copy(&mut self, buffers: &[Buffer]) {
        self.copies = buffers.to_vec();
        self.updates.extend(buffers.iter().map(|buffer| (*buffer, ScalarOp::Add)));
    }

    /// Says how the kernel uses a buffer.
    pub(super) fn bind(&mut self, buffer: Buffer, how: Use) {
        match self.bindings.iter_mut().find(|binding| binding.buffer == buffer) {
            Some(binding) => binding.how = binding.how.max(how),
            None => self.bindings.push(Binding { buffer, how }),
        }
    }

    pub(super) fn word(&self, value: Value) -> Word {
        self.width.word(self.code.prim(Operand::Value(value)))
    }

    /// The kind that an operand is computed in.
    pub(super) fn prim(&self, operand: Operand) -> Prim {
        self.width.kind(self.code.prim(operand))
    }

    pub(super) fn buffer_prim(&self, buffer: Buffer) -> Prim {
        self.width.kind(self.code.buffers[buffer.0 as usize].prim)
    }

    /// The type of the elements of a buffer that is not of threads.
    pub(super) fn element(&self, buffer: Buffer) -> Word {
        self.width.word(self.code.buffers[buffer.0 as usize].prim)
    }

    /// The type of integers that are as many as there are lanes, and its 0 and 1.
    pub(super) fn counting(&self) -> [&'static str; 3] {
        if self.width == Width::Narrow { ["i32", "0i", "1i"] } else { ["i64", "0li", "1li"] }
    }

    /// Has lanes set the elements of these buffers so.
    pub(super) fn scatter(&mut self, scatters: Scatters, buffers: &[Buffer]) {
        self.scatters = scatters;
        let claims = scatters == Scatters::Claimed;
        if claims {
            // Nothing else is changed.
            self.bindings.retain(|binding| binding.how == Use::Reads || buffers.contains(&binding.buffer));
        }
        for binding in self.bindings.iter_mut().filter(|binding| buffers.contains(&binding.buffer)) {
            binding.how = if claims { Use::Claims } else { Use::Owns };
        }
    }

    /// How the kernel uses a buffer.
    fn how(&self, buffer: Buffer) -> Option<Use> {
        self.bindings.iter().find(|binding| binding.buffer == buffer).map(|binding| binding.how)
    }

    /// The number of the first word of a parameter.
    pub(super) fn param(&mut self, param: Param, word: Word) -> usize {
        let mut at = 0;
        for (known, word) in &self.params {
            if *known == param {
                return at;
            }
            at += word.words() as usize;
        }
        self.params.push((param, word));
        at
    }

    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    pub(super) fn within(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(format!("{head} {{").trim_start());
        self.indent += 1;
        inside(self);
        self.indent -= 1;
        self.line("}");
    }

    pub(super) fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Value(value) => self.constants.get(&value).map_or_else(|| name(value), |c| constant(*c)),
            Operand::Const(c) => constant(self.width.constant(c)),
        }
    }

    /// The constant that an operand is.
    fn constant(&self, operand: Operand) -> Option<Const> {
        match operand {
            Operand::Value(value) => self.constants.get(&value).copied(),
            Operand::Const(c) => Some(c),
        }
    }

    /// An operand as a size or a count, of 32 bits.
    pub(super) fn size(&self, operand: Operand) -> String {
        match operand.as_int() {
            // The compiler of shaders does not convert constants of 64 bits.
            Some(n) => format!("{}u", u32::try_from(n.max(0)).unwrap_or(u32::MAX)),
            None => format!("u32({})", self.operand(operand)),
        }
    }

    /// An operand as the index of an element, of 32 bits.
    fn index(&self, operand: Operand) -> String {
        match operand.as_int().map(i32::try_from) {
            Some(Ok(n)) => constant(n.into()),
            // It is outside of all buffers, as this is with what may be added; the compiler of shaders refuses to convert it.
            Some(Err(_)) => constant(i32::MIN.into()),
            None => format!("i32({})", self.operand(operand)),
        }
    }

    /// The number of an element in its buffer.
    fn place(&self, place: &Place) -> String {
        let mut terms = Vec::new();
        let is = |operand: Operand, n: i64| operand.as_int() == Some(n);
        if !is(place.base, 0) {
            terms.push(self.index(place.base));
        }
        let step = place.step.map(|(index, stride)| (self.index(index), stride));
        let lane = place.lane.map(|stride| ("i32(lane)".to_owned(), stride));
        for (index, stride) in step.into_iter().chain(lane) {
            terms.push(if is(stride, 1) { index } else { format!("{index} * {}", self.index(stride)) });
        }
        terms.extend(place.varying.map(|at| self.index(at)));
        if terms.is_empty() { "0i".to_owned() } else { terms.join(" + ") }
    }

    /// Declares all values that are not declared where they are set, and what a thread has for itself.
    pub(super) fn declare(&mut self) {
        let mut hoisted: Vec<Value> = self.hoisted.iter().copied().collect();
        hoisted.sort_unstable();
        for value in hoisted {
            self.line(&format!("var {}: {};", name(value), self.word(value).name()));
        }
        let private: Vec<Buffer> = self.private.iter().map(|(buffer, _)| *buffer).collect();
        for buffer in private {
            let base = parameter(self.param(Param::Base(buffer), Word::I32));
            self.line(&format!("var base{} = bitcast<i32>({base});", buffer.0));
            self.line(&format!("var length{} = 0i;", buffer.0));
        }
    }

    /// Has a value declared before all else.
    pub(super) fn hoist(&mut self, value: Value) {
        self.hoisted.insert(value);
    }

    /// Sets a value.
    pub(super) fn set(&mut self, value: Value, to: &str) {
        let declares = if self.hoisted.contains(&value) { "" } else { "let " };
        self.line(&format!("{declares}{} = {to};", name(value)));
    }

    pub(super) fn block(&mut self, block: &'c Block) {
        block.iter().for_each(|stm| self.statement(stm));
    }

    /// A statement, done where the mask is true.
    fn masked(&mut self, mask: Option<Operand>, statement: &str) {
        match mask {
            Some(mask) => self.line(&format!("if ({}) {{ {statement} }}", self.operand(mask))),
            None => self.line(statement),
        }
    }

    pub(super) fn statement(&mut self, stm: &'c Stm) {
        match stm {
            Stm::Let(value, op, operands) => {
                let prims: Vec<Prim> = operands.iter().map(|x| self.prim(*x)).collect();
                let op = self.width.operation(*op);
                let constants: Option<Vec<Const>> = operands.iter().map(|x| self.constant(*x)).collect();
                let made = constants.and_then(|constants| of_constants(op, &constants));
                match made.filter(|made| made.prim().is_real() || prims.iter().all(|prim| prim.is_real())) {
                    Some(made) => {
                        let real = made.real().map(|x| of_bits(x, made.prim()));
                        self.set(*value, &real.unwrap_or_else(|| constant(self.width.constant(made))));
                        if made.prim().is_real() && !self.hoisted.contains(value) {
                            self.constants.insert(*value, made);
                        }
                    }
                    None => {
                        let operands: Vec<String> = operands.iter().map(|x| self.operand(*x)).collect();
                        self.set(*value, &expression(op, &operands, &prims));
                    }
                }
            }
            Stm::Load(value, place) => {
                let loaded = self.load(place);
                self.set(*value, &loaded);
            }
            Stm::Store { place, value, mask } => {
                if self.is_left(place.buffer) {
                    return;
                }
                let statement = self.store(place, &self.operand(*value));
                self.masked(*mask, &statement);
            }
            Stm::Update { op, place, value, mask } => {
                if self.is_left(place.buffer) {
                    return;
                }
                let statement = if self.how(place.buffer) == Some(Use::Shares) {
                    let update = (place.buffer, *op);
                    if !self.updates.contains(&update) {
                        self.updates.push(update);
                    }
                    let copy = if self.copies.contains(&place.buffer) { "_copy" } else { "" };
                    format!("{op}{copy}{}({}, {});", place.buffer.0, self.place(place), self.operand(*value))
                } else {
                    let prim = self.buffer_prim(place.buffer);
                    let both = scalar(*op, &[self.load(place), self.operand(*value)], &[prim; 2]);
                    self.store(place, &both)
                };
                self.masked(*mask, &statement);
            }
            Stm::Alloc(buffer, count) => {
                self.line(&format!("length{} = {};", buffer.0, self.index(*count)));
            }
            Stm::Swap(a, b) => {
                for part in ["base", "length"] {
                    let [a, b] = [a, b].map(|buffer| format!("{part}{}", buffer.0));
                    self.line(&format!("{{ let was = {a}; {a} = {b}; {b} = was; }}"));
                }
            }
            Stm::Assign { cells, mask } => self.assign(cells, *mask),
            Stm::Check { condition, mask, blame } => {
                let failed = format!("!{}", self.operand(*condition));
                self.check(&failed, *mask, stm, blame.as_deref().map(|blame| &blame.operands[..]));
            }
            Stm::Bounds { index, length, mask, blame } => {
                let [index, length] = [*index, *length].map(|x| self.operand(x));
                let failed = format!("({index} < {} || {index} >= {length})", self.counting()[1]);
                self.check(&failed, *mask, stm, blame.as_deref().map(|blame| &blame.operands[..]));
            }
            Stm::For { index, count, body, .. } => {
                let (index, count) = (*index, self.operand(*count));
                let at = index.0;
                self.line(&format!("let count{at} = allowed({count});"));
                let [_, zero, one] = self.counting();
                let head = format!("for (var at{at} = {zero}; at{at} < count{at}; at{at} = at{at} + {one})");
                self.within(&head, |this| {
                    this.set(index, &format!("at{}", index.0));
                    this.block(body);
                });
            }
            Stm::While { before, condition, body, .. } => self.within("loop", |this| {
                this.block(before);
                this.line(&format!("if (!{}) {{ break; }}", this.operand(*condition)));
                let [_, zero, one] = this.counting();
                this.line(&format!("if (allowed({one}) == {zero}) {{ break; }}"));
                this.block(body);
            }),
            Stm::If { condition, yes, no } => {
                let head = format!("if ({})", self.operand(*condition));
                self.within(&head, |this| this.block(yes));
                if !no.is_empty() {
                    self.within("else", |this| this.block(no));
                }
            }
            Stm::Lanes(_) | Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_) => {
                panic!("a thread starts no lanes, and no pass of this target makes products")
            }
            Stm::Call(_) => panic!("functions of Rust were refused"),
        }
    }

    /// Sets cells all at once.
    fn assign(&mut self, cells: &[(Value, Operand)], mask: Option<Operand>) {
        let ours = |(cell, _): &&(Value, Operand)| !self.homes.knows(Operand::Value(*cell));
        let cells: Vec<(Value, Operand)> = cells.iter().filter(ours).copied().collect();
        let set: Vec<Value> = cells.iter().map(|(cell, _)| *cell).collect();
        let is_set = |x: &Operand| x.value().is_some_and(|value| set.contains(&value));
        let crosses = cells.len() > 1 && cells.iter().any(|(_, x)| is_set(x));
        let assign = |this: &mut Self| {
            if crosses {
                for (cell, x) in &cells {
                    this.line(&format!("let next{} = {};", cell.0, this.operand(*x)));
                }
            }
            for (cell, x) in &cells {
                let x = if crosses { format!("next{}", cell.0) } else { this.operand(*x) };
                this.line(&format!("{} = {x};", name(*cell)));
            }
        };
        match mask {
            Some(mask) => {
                let head = format!("if ({})", self.operand(mask));
                self.within(&head, assign);
            }
            None if crosses => self.within("", assign),
            None => assign(self),
        }
    }

    /// Ends the run if something has failed; with a report if there is somebody to blame.
    fn check(&mut self, failed: &str, mask: Option<Operand>, stm: &'c Stm, blamed: Option<&[Operand]>) {
        let masked = mask.map_or(failed.to_owned(), |mask| format!("{} && {failed}", self.operand(mask)));
        let Some(operands) = blamed else {
            return self.line(&format!("if ({masked}) {{ fail(1u); {} }}", if self.in_turn { "return;" } else { "" }));
        };
        self.reports.push(stm);
        // 0 is no fault, and 1 one without a report.
        let number = self.reports.len() + 1;
        self.within(&format!("if ({masked})"), |this| {
            for (k, x) in operands.iter().enumerate() {
                let words = this.width.word(this.code.prim(*x)).as_words(&this.operand(*x));
                for (j, word) in words.iter().enumerate() {
                    this.line(&format!("atomicStore(&state.fault[{}], {word});", 2 + 2 * k + j));
                }
            }
            this.line(&format!("fail({number}u);"));
            this.line("return;");
        });
    }

    /// Whether a change of a buffer is left to the kernel after the one that claims elements.
    fn is_left(&self, buffer: Buffer) -> bool {
        let private = self.code.buffers[buffer.0 as usize].private;
        self.scatters == Scatters::Claimed && !private && self.how(buffer) != Some(Use::Claims)
    }

    /// The element at a place.
    pub(super) fn load(&self, place: &Place) -> String {
        let (buffer, at) = (place.buffer.0, self.place(place));
        if self.code.buffers[buffer as usize].private {
            let word = Word::of(self.buffer_prim(place.buffer));
            let stored = format!("own_{}(base{buffer}, length{buffer}, {at})", word.stored().name());
            return word.of_stored(&stored);
        }
        if self.near.contains(&place.buffer) {
            return Word::of(self.buffer_prim(place.buffer)).of_stored(&format!("near{buffer}[{at} - begun]"));
        }
        format!("load{buffer}({at})")
    }

    fn store(&self, place: &Place, value: &str) -> String {
        let (buffer, at) = (place.buffer.0, self.place(place));
        if self.code.buffers[buffer as usize].private {
            let word = Word::of(self.buffer_prim(place.buffer));
            let (name, value) = (word.stored().name(), word.as_stored(value));
            return format!("set_own_{name}(base{buffer}, length{buffer}, {at}, {value});");
        }
        if self.near.contains(&place.buffer) {
            let word = Word::of(self.buffer_prim(place.buffer));
            return format!("near{buffer}[within] = {};", word.as_stored(value));
        }
        match self.how(place.buffer) {
            Some(Use::Claims) => format!("claim{buffer}({at}, lane);"),
            Some(Use::Owns) => format!("store_own{buffer}({at}, lane, {value});"),
            Some(Use::Reads | Use::Writes | Use::Shares) | None => format!("store{buffer}({at}, {value});"),
        }
    }
}

/// The name of a value.
pub(super) fn name(value: Value) -> String {
    format!("v{}", value.0)
}

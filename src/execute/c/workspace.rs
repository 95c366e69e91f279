//! How many bytes of workspace a call needs, as C: what code allocates, where sizes and scalars of the arguments decide it.
//!
//! Law: a call that the function says enough bytes for has enough, unless sizes depend on elements, which is known
//! (tests/execute/in_c.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::lanes::on_stack;
use super::operation::Width;
use super::print::Printer;
use super::share::{Decides, has_parts};
use crate::kernel::code::{Block, Buffer, Code, Lanes, Operand, Stm, Value};
use crate::kernel::parts::each;

/// The statements of the function, and whether what they say is enough.
pub(super) struct Measure {
    pub(super) text: String,
    pub(super) is_enough: bool,
}

struct Measuring<'p, 'c> {
    printer: &'p mut Printer<'c>,
    /// What is known of the arguments.
    known: FxHashSet<Value>,
    /// The buffers that loops with parts add to: they have copies of them.
    copied: FxHashSet<Buffer>,
    is_enough: bool,
}

/// The statements; arguments are bound before to the values of the code.
pub(super) fn measure(code: &Code) -> Measure {
    let mut printer = Printer::new(code);
    match printer.frame.asked() {
        Some((count, size)) => printer.line(&format!("int64_t bytes = arena_bytes({count}, {size});")),
        None => printer.line("int64_t bytes = 0;"),
    }
    let known = code.given_values().collect();
    let mut copied = FxHashSet::default();
    each(&code.body, &mut |stm| {
        if let Stm::Lanes(lanes) = stm
            && has_parts(lanes)
        {
            copied.extend(&lanes.adds);
        }
    });
    let mut sorted: Vec<Buffer> = copied.iter().copied().collect();
    sorted.sort_unstable();
    for Buffer(b) in sorted {
        printer.line(&format!("i64_1 n{b} = 0;"));
    }
    // Of how many elements there are copies is known where a buffer has one size.
    let mut sized: FxHashMap<Buffer, usize> = FxHashMap::default();
    each(&code.body, &mut |stm| match stm {
        Stm::Alloc(buffer, _) => *sized.entry(*buffer).or_default() += 1,
        Stm::Swap(a, b) => [a, b].into_iter().for_each(|buffer| *sized.entry(*buffer).or_default() += 2),
        _ => {}
    });
    let is_enough = copied.iter().all(|buffer| sized.get(buffer).is_none_or(|times| *times == 1));
    let mut measuring = Measuring { printer: &mut printer, known, copied, is_enough };
    measuring.block(&code.body, None);
    let is_enough = measuring.is_enough;
    printer.line("return bytes;");
    Measure { text: printer.out, is_enough }
}

impl Measuring<'_, '_> {
    fn knows(&self, x: Operand) -> bool {
        x.value().is_none_or(|value| self.known.contains(&value))
    }

    /// A block, perhaps of a loop over lanes of which these private buffers are on the stack.
    fn block(&mut self, block: &Block, stack: Option<&FxHashSet<Buffer>>) {
        let outside = self.known.clone();
        for stm in block {
            match stm {
                Stm::Let(value, op, operands)
                    if self.printer.width(*value) == Width::One
                        && self.printer.mentions.get(*value).is_set_once()
                        && operands.iter().all(|x| self.knows(*x)) =>
                {
                    if let Ok(text) = self.printer.expression(*value, *op, operands) {
                        self.printer.bind(*value, &text);
                        self.known.insert(*value);
                    }
                }
                Stm::Alloc(buffer, count) => {
                    if stack.is_some_and(|stack| stack.contains(buffer)) {
                        continue;
                    }
                    if !self.knows(*count) {
                        self.is_enough = false;
                        continue;
                    }
                    let count = self.printer.plain(*count);
                    if self.copied.contains(buffer) {
                        self.printer.line(&format!("n{} = maxi_1({count}, 0);", buffer.0));
                    }
                    let size = if stack.is_some() {
                        "W * 8".to_owned()
                    } else {
                        format!("sizeof({})", self.printer.stored(*buffer))
                    };
                    if self.printer.frame.has(*buffer) {
                        continue;
                    }
                    let each = if stack.is_some() { "parts * " } else { "" };
                    self.printer.line(&format!("bytes += {each}arena_bytes({count}, {size});"));
                }
                Stm::If { condition, yes, no } if self.knows(*condition) && stack.is_none() => {
                    let condition = self.printer.plain(*condition);
                    self.printer.open(&format!("if ({condition}) {{"));
                    self.block(yes, stack);
                    self.printer.close();
                    self.printer.open("else {");
                    self.block(no, stack);
                    self.printer.close();
                }
                Stm::Lanes(lanes) => {
                    let mut stack = FxHashSet::default();
                    each(&lanes.body, &mut |stm| {
                        if let Stm::Alloc(buffer, _) = stm {
                            stack.extend(on_stack(lanes, *buffer).map(|_| *buffer));
                        }
                    });
                    self.printer.open("{");
                    self.parts(lanes);
                    for _ in &lanes.folds {
                        self.printer.line("bytes += arena_bytes(parts * W, 8);");
                    }
                    self.block(&lanes.body, Some(&stack));
                    self.printer.close();
                }
                stm => {
                    for inner in stm.blocks() {
                        self.printer.open("{");
                        self.block(inner, stack);
                        self.printer.close();
                    }
                }
            }
        }
        self.known = outside;
    }

    /// How many parts a loop over lanes has, and the copies of what they add to.
    fn parts(&mut self, lanes: &Lanes) {
        if !has_parts(lanes) {
            return self.printer.line("const i64_1 parts = 1;");
        }
        let Decides { work, copied, counts } = Decides::of(lanes);
        if self.knows(lanes.count) && counts.iter().all(|count| self.knows(Operand::Value(*count))) {
            let count = self.printer.plain(lanes.count);
            self.printer.line(&format!("const i64_1 parts = parts_of({count}, share_of({count}, {work}, {copied}));"));
        } else {
            self.printer.line("const i64_1 parts = PARTS_MOST;");
        }
        for buffer in &lanes.adds {
            let (b, stored) = (buffer.0, self.printer.stored(*buffer));
            self.printer.line(&format!("bytes += arena_bytes(n{b} * (parts - 1), sizeof({stored}));"));
        }
    }
}

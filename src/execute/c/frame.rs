//! The frame of a run: one piece of memory for the arrays whose few elements are counted before it begins.
//!
//! Law: arrays are as long as the code says, and no two are in the same place; results, and what is exchanged, have memory of their own
//! (laws: executors::suite, tests/execute/in_c.rs).

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::print::Printer;
use crate::kernel::code::{Buffer, Code, Stm};
use crate::kernel::parts::each;

/// Arrays of no more elements than this are in the frame.
const MOST: i64 = 1024;

/// How many elements of the widest kind begin where vectors do.
const ALIGNED: i64 = 8;

/// How many elements arrays have, and how many of the widest kind are before them.
#[derive(Debug, Default)]
pub(super) struct Frame {
    arrays: BTreeMap<Buffer, [i64; 2]>,
    /// How many elements there are, and how many the frame has room for.
    counted: i64,
    room: i64,
}

impl Frame {
    /// Of code in which these buffers are exchanged.
    pub(super) fn of(code: &Code, exchanged: &FxHashSet<Buffer>) -> Self {
        let ports: FxHashSet<Buffer> = code.ports().collect();
        let mut counts: BTreeMap<Buffer, Option<i64>> = BTreeMap::new();
        each(&code.body, &mut |stm| {
            if let Stm::Alloc(buffer, count) = stm {
                let count = count.as_int().filter(|count| (1..=MOST).contains(count));
                let known = counts.entry(*buffer).or_insert(count);
                *known = known.filter(|known| Some(*known) == count);
            }
        });
        let mut frame = Frame::default();
        for (buffer, count) in counts {
            let is_private = code.buffers[buffer.0 as usize].private;
            let Some(count) = count.filter(|_| !is_private && !ports.contains(&buffer) && !exchanged.contains(&buffer))
            else {
                continue;
            };
            frame.arrays.insert(buffer, [count, frame.room]);
            frame.counted += count;
            frame.room += (count + ALIGNED - 1) / ALIGNED * ALIGNED;
        }
        // One array is as well off by itself.
        if frame.arrays.len() > 1 { frame } else { Frame::default() }
    }

    pub(super) fn has(&self, buffer: Buffer) -> bool {
        self.arrays.contains_key(&buffer)
    }

    /// How many elements it counts for, and of how many bytes each: no fewer in all than it has.
    pub(super) fn asked(&self) -> Option<(i64, i64)> {
        (self.counted > 0).then(|| (self.counted, (self.room * 8 + self.counted - 1) / self.counted))
    }
}

impl Printer<'_> {
    /// Asks for the frame, and says where the arrays are in it.
    pub(super) fn frame(&mut self) {
        let Some((count, size)) = self.frame.asked() else { return };
        self.line(&format!("char *const frame = context->memory(context, 0, {count}, {size}, KIND_any);"));
        self.open("if (!frame) {");
        self.line("context->failed = -1;");
        self.line("STOP;");
        self.close();
        let arrays: Vec<(Buffer, [i64; 2])> = self.frame.arrays.iter().map(|(b, array)| (*b, *array)).collect();
        for (buffer, [count, before]) in arrays {
            let (b, stored) = (buffer.0, self.stored(buffer));
            self.line(&format!("{stored} *const b{b} = ({stored} *)(void *)(frame + {});", before * 8));
            self.line(&format!("const i64_1 n{b} = {count};"));
        }
    }
}

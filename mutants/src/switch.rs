//! Which mutant is on.
//!
//! Law: at most one, the number that `CATADIFF_MUTANT` is when it is first asked; if that is the name of a file, none is on, and the
//! numbers of those that are reached are written into it.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const UNKNOWN: u32 = u32::MAX;
const RECORDED: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;

static ON: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];

#[inline(always)]
pub(crate) fn on(number: u32) -> bool {
    let on = ON.load(Ordering::Relaxed);
    on == number || (on > NONE && ask(number))
}

#[cold]
#[inline(never)]
fn ask(number: u32) -> bool {
    let Ok(wanted) = std::env::var("CATADIFF_MUTANT") else {
        ON.store(NONE, Ordering::Relaxed);
        return false;
    };
    if let Ok(wanted) = wanted.parse() {
        ON.store(wanted, Ordering::Relaxed);
        return wanted == number;
    }
    ON.store(RECORDED, Ordering::Relaxed);
    if !REACHED[number as usize].swap(true, Ordering::Relaxed) {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(wanted).expect("a file");
        file.write_all(format!("{number}\n").as_bytes()).expect("a file to write to");
    }
    false
}

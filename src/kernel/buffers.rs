//! The buffers of the code being written: what is in each, and where it may be changed.
//!
//! Law: a load gives what was stored last, so two loads of one version of a buffer's content are one; a buffer is
//! changed in place only in the region that owns it (tests/execute/lanes.rs).

use core::ops::Index;

use super::code::{Buffer, BufferInfo};

/// A stretch of code all of which runs equally often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region(usize);

impl Region {
    /// That of the inputs.
    pub(super) const INPUTS: Region = Region(0);
    /// That of the program's own statements, outside of loops and branches.
    pub(super) const BODY: Region = Region(1);
}

/// What changes of a buffer while code is written.
#[derive(Debug)]
struct State {
    /// How often its content has changed, and the frame it has changed in.
    version: u32,
    frame: usize,
    owner: Region,
    /// Whether a loop keeps what it carries there.
    is_home: bool,
}

/// All buffers.
#[derive(Debug)]
pub(super) struct Buffers {
    infos: Vec<BufferInfo>,
    states: Vec<State>,
    /// How many regions there are.
    regions: usize,
}

impl Buffers {
    pub(super) fn new() -> Self {
        Buffers { infos: Vec::new(), states: Vec::new(), regions: 1 }
    }

    pub(super) fn into_infos(self) -> Vec<BufferInfo> {
        self.infos
    }

    pub(super) fn add(&mut self, info: BufferInfo, frame: usize, owner: Region) -> Buffer {
        self.infos.push(info);
        self.states.push(State { version: 0, frame, owner, is_home: false });
        Buffer(u32::try_from(self.infos.len() - 1).expect("code has fewer than 2^32 buffers"))
    }

    pub(super) fn new_region(&mut self) -> Region {
        self.regions += 1;
        Region(self.regions - 1)
    }

    /// Says that the content of a buffer has changed in a frame.
    pub(super) fn changed(&mut self, buffer: Buffer, frame: usize) {
        let state = self.state_mut(buffer);
        (state.version, state.frame) = (state.version + 1, frame);
    }

    /// How often the content of a buffer has changed, and the frame it has changed in.
    pub(super) fn content(&self, buffer: Buffer) -> (u32, usize) {
        let state = &self.states[buffer.0 as usize];
        (state.version, state.frame)
    }

    /// Says in which region buffers may be changed from here on.
    pub(super) fn give(&mut self, buffers: impl IntoIterator<Item = Buffer>, owner: Region) {
        buffers.into_iter().for_each(|buffer| self.state_mut(buffer).owner = owner);
    }

    pub(super) fn is_owned(&self, buffer: Buffer, by: Region) -> bool {
        self.states[buffer.0 as usize].owner == by
    }

    /// Says that a loop keeps what it carries in a buffer.
    pub(super) fn make_home(&mut self, buffer: Buffer) {
        self.state_mut(buffer).is_home = true;
    }

    pub(super) fn is_home(&self, buffer: Buffer) -> bool {
        self.states[buffer.0 as usize].is_home
    }

    fn state_mut(&mut self, buffer: Buffer) -> &mut State {
        &mut self.states[buffer.0 as usize]
    }
}

impl Index<Buffer> for Buffers {
    type Output = BufferInfo;

    fn index(&self, buffer: Buffer) -> &BufferInfo {
        &self.infos[buffer.0 as usize]
    }
}

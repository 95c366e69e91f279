//! What a device says once, when it has done something: a thread stands still until then, a task goes on meanwhile. A page in a browser
//! is of tasks only.
//!
//! Law: who waits goes on when it is there, or when the device is lost (tests/gpu/resident.rs, tests/gpu/device.rs).

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::device::refused;
use crate::error::{Error, Result};

/// How a run waits, where it has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    Blocking,
    Async,
}

/// Whether it is there, well or not, and who wants to know.
#[derive(Debug, Default)]
struct State {
    there: Option<bool>,
    waker: Option<Waker>,
}

/// What the device will say.
#[derive(Debug)]
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only threads ask the device"))]
pub(super) struct Arrival {
    device: wgpu::Device,
    /// What the device does before; all that it was given, if nothing is said.
    after: Option<wgpu::SubmissionIndex>,
    state: Arc<Mutex<State>>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn say(state: &Mutex<State>, is_well: bool) {
    let mut state = lock(state);
    state.there = Some(is_well);
    state.waker.take().into_iter().for_each(Waker::wake);
}

pub(super) fn lost() -> Error {
    refused("the GPU was lost in the middle of a run")
}

impl Arrival {
    /// Something that is not there, and what says that it is, well or not.
    pub(super) fn new(
        device: &wgpu::Device,
        after: Option<wgpu::SubmissionIndex>,
    ) -> (Self, impl FnOnce(bool) + Send + use<>) {
        let state = Arc::new(Mutex::new(State::default()));
        let said = state.clone();
        (Arrival { device: device.clone(), after, state }, move |is_well| say(&said, is_well))
    }

    /// Waits until it is there.
    pub(super) async fn come(&mut self, wait: Wait) -> Result<()> {
        let is_well = match wait {
            Wait::Blocking => self.waited()?,
            Wait::Async => self.await,
        };
        if is_well { Ok(()) } else { Err(lost()) }
    }
}

/// Whether it has come well.
impl Future for Arrival {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        let mut state = lock(&self.state);
        if let Some(is_well) = state.there {
            return Poll::Ready(is_well);
        }
        let is_first = state.waker.replace(context.waker().clone()).is_none();
        drop(state);
        if is_first {
            self.watch();
        }
        Poll::Pending
    }
}

#[cfg(not(target_family = "wasm"))]
impl Arrival {
    /// A thread of its own waits for the device.
    fn watch(&self) {
        let other = Arrival { device: self.device.clone(), after: self.after.clone(), state: self.state.clone() };
        std::thread::spawn(move || say(&other.state, other.waited().unwrap_or(false)));
    }

    /// Waits for the device: whether it came well. Another thread that waits for the device may be the one that has it arrive, a
    /// little later.
    fn waited(&self) -> Result<bool> {
        /// How often it is looked whether it is there, and how long it is waited between.
        const LOOKS: u32 = 10_000;
        const PAUSE: core::time::Duration = core::time::Duration::from_millis(1);
        for _ in 0..LOOKS {
            let until = wgpu::PollType::Wait { submission_index: self.after.clone(), timeout: None };
            let polled = self.device.poll(until);
            if let Some(is_well) = lock(&self.state).there {
                return Ok(is_well);
            }
            if polled.is_err() {
                return Ok(false);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(false)
    }
}

/// The browser says by itself what has arrived, but not while the page stands still.
#[cfg(target_family = "wasm")]
impl Arrival {
    fn watch(&self) {}

    fn waited(&self) -> Result<bool> {
        lock(&self.state).there.ok_or_else(|| {
            let instead = "use `Gpu::new_async`, `run_on_async` and `get_async`";
            refused(format!("a page in a browser cannot stand still until the GPU has computed: {instead}"))
        })
    }
}

//! What a run is held to from outside: its limits, a wish to stop it, and who wants to know how far it is.
//!
//! Law: a run that is neither stopped nor out of its limits has the results of a run without them; one that is ends
//! with an error, and what ran it can run again (tests/execute/limits.rs).

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::budget::{Fault, Limits, Step};

/// A wish to stop runs, made known from any thread. Clones are one wish.
///
/// ```
/// use catadiff::Error;
/// use catadiff::array::{Program, trace::{F64, loop_while}};
/// use catadiff::interpret::{Cancel, Control};
/// let endless = Program::trace(|x: F64| loop_while(x, |x| x.ge(0.0), |x| x + 1.0))?.compile()?;
/// let cancel = Cancel::new();
/// let stop = cancel.clone();
/// std::thread::spawn(move || stop.cancel());
/// let error = endless.run_within(&[1.0.into()], Control::default().cancelled_by(&cancel)).unwrap_err();
/// assert!(matches!(error, Error::Cancelled { .. }));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A wish that is not yet made.
    #[must_use]
    pub fn new() -> Self {
        Cancel::default()
    }

    /// Stops the runs that heed it, soon, and those that have yet to begin.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the wish is made.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The callback for the progress of a run.
type Progress<'c> = &'c (dyn Fn(u64) + Sync);

/// What a run is held to: [`Limits`], a [`Cancel`], and a callback for its progress. Limits alone are one.
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::interpret::{Control, Limits};
/// use std::sync::atomic::{AtomicU64, Ordering};
/// let sum = Program::trace(|x: Arr<F64>| x.map(|x| x.exp()).sum())?.compile()?;
/// let done = AtomicU64::new(0);
/// let tell = |steps| { done.fetch_max(steps, Ordering::Relaxed); };
/// let limits = Limits { steps: 10_000, ..Limits::default() };
/// let argument = catadiff::interpret::Value::new(vec![0.0; 1000])?;
/// let results = sum.run_within(&[argument], Control::from(&limits).with_progress(1, &tell))?;
/// assert_eq!(results, [1000.0.into()]);
/// assert!((1..10_000).contains(&done.into_inner()));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Control<'c> {
    /// How much it may take.
    pub limits: Limits,
    cancel: Option<Cancel>,
    progress: Option<(u64, Progress<'c>)>,
}

impl<'c> Control<'c> {
    /// Stops the run once this is wished.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Self {
        self.cancel = Some(cancel.clone());
        self
    }

    /// Calls this function with the count of steps that the run has taken, at most once every `every` steps. A thread
    /// that runs a part of the program calls it, several of them perhaps at the same time; it should be quick, and may
    /// [cancel](Cancel).
    #[must_use]
    pub fn with_progress(mut self, every: u64, tell: &'c (dyn Fn(u64) + Sync)) -> Self {
        self.progress = Some((every.max(1), tell));
        self
    }

    /// The same limits, and no more elements than an interpreter is allowed by default; the same wish, and no callback.
    pub(crate) fn of_second_attempt(&self) -> Self {
        let elements = self.limits.elements.min(Limits::default().elements);
        Control { limits: Limits { elements, ..self.limits }, cancel: self.cancel.clone(), progress: None }
    }

    /// `Ok` if a run may go on that had taken `before` steps, and now `now`.
    pub(crate) fn reached(&self, before: u64, now: u64) -> Step<()> {
        if now > self.limits.steps {
            return Err(Fault::Budget { what: "steps", limit: self.limits.steps });
        }
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(Fault::Cancelled);
        }
        match self.progress {
            Some((every, tell)) if before / every < now / every => tell(now),
            Some(_) | None => {}
        }
        Ok(())
    }

    /// `Ok` if there may be this many elements at one time.
    pub(crate) fn room(&self, elements: Option<u64>) -> Step<u64> {
        let limit = self.limits.elements;
        elements.filter(|elements| *elements <= limit).ok_or(Fault::Budget { what: "elements", limit })
    }
}

impl From<&Limits> for Control<'_> {
    fn from(limits: &Limits) -> Self {
        Control { limits: *limits, ..Control::default() }
    }
}

impl<'c> From<&Control<'c>> for Control<'c> {
    fn from(control: &Control<'c>) -> Self {
        control.clone()
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Control { limits, cancel, progress } = self;
        let every = progress.map(|(every, _)| every);
        f.debug_struct("Control").field("limits", limits).field("cancel", cancel).field("every", &every).finish()
    }
}

//! Time by calling context: a tree that the timeline defines, and the time of each frame.

use crate::state::Times;
use ompttrace_model::{ContextFrame, ContextRef, Definitions};

/// All contexts with their own times; number 0 is the time outside of contexts.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    frames: Vec<ContextFrame>,
    times: Vec<Times>,
}

impl Contexts {
    /// A context is reported: their numbers are dense from 1.
    pub(crate) fn define(&mut self, definitions: &Definitions) {
        self.frames.extend(&definitions.contexts()[self.frames.len()..]);
    }

    /// True if contexts were reported.
    pub(crate) fn are_reported(&self) -> bool {
        !self.frames.is_empty()
    }

    /// True if any context has time of its own.
    pub(crate) fn have_time(&self) -> bool {
        self.times.iter().skip(1).any(|times| times.all() > 0)
    }

    /// The own time of a context.
    #[inline(always)]
    pub(crate) fn times(&mut self, context: ContextRef) -> &mut Times {
        let at = context as usize;
        if self.times.len() <= at {
            self.grow(at);
        }
        &mut self.times[at]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, at: usize) {
        self.times.resize(at + 1, Times::default());
    }

    /// The frames, number 1 first.
    pub(crate) fn frames(&self) -> &[ContextFrame] {
        &self.frames
    }

    /// A context's own time.
    pub(crate) fn own(&self, context: usize) -> Times {
        self.times.get(context).copied().unwrap_or_default()
    }
}

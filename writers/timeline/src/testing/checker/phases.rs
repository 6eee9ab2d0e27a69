//! A check that phases nest on each thread, in the order of time.

use super::super::seen::SeenPhase;
use super::Checker;
use ompttrace_model::{ArgKey, Mark, PhaseKind, Slice, ThreadRef};

impl Checker {
    pub(super) fn phase_begin(&mut self, at: u64, thread: ThreadRef, slice: &Slice<'_>) {
        self.note(slice.mark);
        let name = self.name_of(slice.name);
        let iteration = slice.number(ArgKey::Iteration);
        let (last, open) = self.phases.entry(thread).or_default();
        let is_late = std::mem::replace(last, at) > at;
        let (begin_mark, end_mark) = (slice.mark, Mark::Observed);
        let depth = open.len();
        open.push(SeenPhase {
            thread,
            name,
            kind: PhaseKind::of_slice(slice.kind),
            iteration,
            begin: at,
            end: 0,
            begin_mark,
            end_mark,
            depth,
        });
        self.check(!is_late, || format!("time goes back to {at} in the phases of {thread}"));
    }

    pub(super) fn phase_end(&mut self, at: u64, thread: ThreadRef, mark: Mark) {
        self.note(mark);
        let (last, open) = self.phases.entry(thread).or_default();
        let is_late = std::mem::replace(last, at) > at;
        let over = open.pop();
        self.check(!is_late && over.is_some(), || {
            format!("a phase of {thread} ends at {at} and began never, or time goes back")
        });
        if let Some(over) = over.filter(|_| !self.forget) {
            self.timeline.phases.push(SeenPhase { end: at, end_mark: mark, ..over });
        }
    }
}

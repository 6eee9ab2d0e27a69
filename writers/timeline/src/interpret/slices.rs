//! Slices of the running task: opened, closed, interrupted; repairs close what is left open above.

use super::{Interpreter, Outcome, Reason};
use crate::code::Code;
use crate::names::NameAndSource;
use crate::out::Details;
use crate::state::thread::OpenSlice;
use ompttrace_model::{Chunks, Mark, SliceKind, State};
use ompttrace_recording::{Id, Scope};

/// Open slices of one task; a recording that opens more is not believed.
const MAX_OPEN: usize = 256;

impl OpenSlice {
    #[inline(always)]
    pub(super) fn new(kind: SliceKind, named: NameAndSource) -> OpenSlice {
        let NameAndSource { name, source } = named;
        OpenSlice {
            kind,
            state: State::of_slice(kind, State::WorkParallel, Chunks::None),
            name,
            source,
            shown: true,
            region: Id::NONE,
            code: Code::default(),
            context: 0,
        }
    }
}

impl Interpreter<'_> {
    /// Opens a slice of the running task.
    #[inline(always)]
    pub(super) fn open(
        &mut self,
        t: u32,
        at: u64,
        open: OpenSlice,
        details: Details<'_>,
    ) -> Outcome {
        let thread = &mut self.threads[t as usize];
        let task = if open.region.is_none() { thread.current } else { open.region };
        if thread.slices().len() >= MAX_OPEN {
            return Outcome::Dropped(Reason::TooDeep);
        }
        self.out.begin(thread, at, &open, task, details);
        thread.slices().push(open);
        Outcome::Interpreted
    }

    /// Closes the innermost slice of the running task.
    #[inline(always)]
    pub(super) fn close_top(&mut self, t: u32, at: u64, mark: Mark) {
        let thread = &mut self.threads[t as usize];
        self.out.show_hidden(thread);
        let Some(open) = thread.slices().pop() else { return };
        if open.shown {
            self.out.end(thread, at, &open, mark);
        }
        if !open.region.is_none() {
            self.finish_region(open.region, at, mark);
        }
    }

    /// Closes all slices of the running task above the first `keep`.
    pub(super) fn close_above(&mut self, t: u32, at: u64, keep: usize, mark: Mark) {
        while self.thread(t).slices().len() > keep {
            let top = self.thread(t).innermost().map(|open| open.kind);
            // A chunk lasts by definition until something ends it: closing it is no repair.
            let natural = mark == Mark::Inferred && matches!(top, Some(SliceKind::Dispatch(_)));
            self.close_top(t, at, if natural { Mark::Observed } else { mark });
        }
    }

    /// Ends the innermost slice of `task` (0: of the running one) that is `wanted`.
    #[inline]
    pub(super) fn end(
        &mut self,
        t: u32,
        at: u64,
        task: Id,
        wanted: impl Fn(SliceKind) -> bool,
    ) -> Outcome {
        let task = task.started();
        if (task.is_none() || self.threads[t as usize].current != task)
            && let Err(outcome) = self.enter_known(t, at, task)
        {
            return outcome;
        }
        self.end_here(t, at, wanted)
    }

    /// Ends the running task's innermost slice that is `wanted`, and what was left open inside it.
    #[inline]
    pub(super) fn end_here(
        &mut self,
        t: u32,
        at: u64,
        wanted: impl Fn(SliceKind) -> bool,
    ) -> Outcome {
        let slices = self.thread(t).slices();
        if slices.last().is_some_and(|open| wanted(open.kind)) {
            self.close_top(t, at, Mark::Observed);
            return Outcome::Interpreted;
        }
        match slices.iter().rposition(|open| wanted(open.kind)) {
            Some(found) => {
                self.close_above(t, at, found + 1, Mark::Inferred);
                self.close_top(t, at, Mark::Observed);
                Outcome::Interpreted
            }
            None => Outcome::Dropped(Reason::EndWithoutBegin),
        }
    }

    /// A slice with two ends, of whichever task runs.
    pub(super) fn scoped(
        &mut self,
        t: u32,
        at: u64,
        scope: Scope,
        open: OpenSlice,
        details: Details<'_>,
        wanted: impl Fn(SliceKind) -> bool,
    ) -> Outcome {
        match scope {
            Scope::Begin => self.open(t, at, open, details),
            Scope::End => self.end_here(t, at, wanted),
            Scope::BeginEnd => {
                let outcome = self.open(t, at, open, details);
                if outcome == Outcome::Interpreted {
                    self.close_top(t, at, Mark::Observed);
                }
                outcome
            }
            Scope::None => Outcome::Dropped(Reason::NoScope),
        }
    }

    /// The interrupted wait of the implicit task continues, if it lasts for the minimum duration.
    #[inline(always)]
    pub(super) fn continue_wait(&mut self, t: u32, at: u64) {
        let thread = &mut self.threads[t as usize];
        if thread.unshown.is_none() && thread.top.own.last().is_some_and(|open| !open.shown) {
            self.out.go_on(thread, at, Mark::Observed);
        }
    }

    /// Slices that have reached the minimum duration are reported.
    pub(super) fn show_what_lasts(&mut self, t: u32) {
        self.out.show(&mut self.threads[t as usize], Mark::Observed);
    }
}

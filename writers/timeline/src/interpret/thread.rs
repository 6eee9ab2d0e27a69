//! Threads begin and end; what is counted of them, and what the tool itself says of them.

use super::implicit::mark_of;
use super::{Interpreter, Outcome, Reason};
use crate::out::{Details, Out, number, word};
use crate::state::pending::Pending;
use crate::state::thread::OpenSlice;
use ompttrace_model::{ArgKey, InstantKind, Mark, SliceKind, ThreadRef, ompt};
use ompttrace_recording::Id;
use ompttrace_recording::events::{CounterValue, EventCode, Lost, ThreadBegin, Wait, loss};
use ompttrace_recording::words::FLAG_INFERRED;
use std::cmp::Reverse;

impl Interpreter<'_> {
    pub(super) fn thread_begin(&mut self, t: u32, at: u64, event: &ThreadBegin) -> Outcome {
        let kind = ompt::Thread::from(event.thread_type & !FLAG_INFERRED);
        let named = self.plain("thread begin");
        let thread = &mut self.threads[t as usize];
        thread.begun_within += u32::from(thread.alive && thread.is_in_team());
        thread.alive = true;
        thread.reported.ended = false;
        let args = [word(ArgKey::Kind, kind.name())];
        let details = Details { mark: mark_of(event.thread_type), ..Details::args(&args) };
        self.out.instant(thread, at, InstantKind::ThreadBegin, named, Id::NONE, details);
        Outcome::Interpreted
    }

    pub(super) fn thread_end(&mut self, t: u32, at: u64) -> Outcome {
        if let Some(left) = self.thread(t).begun_within.checked_sub(1) {
            // One of several runtimes has done with it.
            self.thread(t).begun_within = left;
            return Outcome::Interpreted;
        }
        self.close_thread(t, at, Mark::Inferred);
        self.end_phases_of(t, at);
        let named = self.plain("thread end");
        let thread = &mut self.threads[t as usize];
        thread.alive = false;
        thread.reported.ended = true;
        thread.late.clear();
        self.out.instant(thread, at, InstantKind::ThreadEnd, named, Id::NONE, Details::default());
        if let Some(logical_thread) = self.thread(t).root_logical_thread.take() {
            self.logical_threads.root_over(logical_thread);
        }
        Outcome::Interpreted
    }

    /// Closes everything that is open on a thread.
    pub(super) fn close_thread(&mut self, t: u32, at: u64, mark: Mark) {
        self.close_task_frames(t, at, 0, mark);
        self.end_explicit(t, at, mark);
        self.close_above(t, at, 0, mark);
    }

    /// The number of counters of each thread.
    pub(crate) fn expect_counters(&mut self, counters: u64) {
        self.out.counters.of_threads = counters;
    }

    /// Reports a value of one of a thread's counters.
    pub(super) fn counter_value(&mut self, t: ThreadRef, at: u64, event: &CounterValue) -> Outcome {
        let Out { counters, to, .. } = &mut self.out;
        match counters.of_thread(to, (at, t), event) {
            true => Outcome::Interpreted,
            false => Outcome::Dropped(Reason::Unknown),
        }
    }

    /// The thread waited for the tool: a slice whose length is known.
    pub(super) fn tool_wait(&mut self, t: u32, at: u64, event: &Wait) -> Outcome {
        let named = self.plain("wait: tracing tool");
        let args = [number(ArgKey::Reason, event.reason)];
        let outcome =
            self.open(t, at, OpenSlice::new(SliceKind::ToolWait, named), Details::args(&args));
        if outcome == Outcome::Interpreted {
            let until = at.saturating_add(self.clock.distance(event.ticks));
            let asked = match self.thread(t).pending {
                Pending::Acquire(acquire) => Some(acquire),
                _ => None,
            };
            self.thread(t).pending = Pending::ToolWait(until, asked);
            self.tool_waits.push(Reverse((until, t)));
        }
        outcome
    }

    /// Threads whose wait for the tool is over by `at` do again what they did, from its end on: before whatever else there is
    /// to report of that time, such as a thread's core.
    #[cold]
    pub(super) fn tool_waits_until(&mut self, at: u64) {
        while let Some(&Reverse((until, t))) = self.tool_waits.peek()
            && until <= at
        {
            self.tool_waits.pop();
            if matches!(self.thread(t).pending, Pending::ToolWait(end, _) if end == until) {
                self.end_tool_wait(t, until);
            }
            self.note_activity(t, until);
        }
    }

    /// Ends the wait for the tool that is pending, if one is.
    pub(super) fn end_tool_wait(&mut self, t: u32, at: u64) {
        let Pending::ToolWait(until, asked) = self.thread(t).pending else { return };
        self.close_top(t, until.min(at), Mark::Observed);
        self.thread(t).pending = asked.map_or(Pending::None, Pending::Acquire);
    }

    /// Records were lost.
    pub(super) fn lost(&mut self, t: u32, at: u64, event: &Lost) -> Outcome {
        self.lost = self.lost.saturating_add(event.count);
        self.communicators.objects.gap();
        let named = self.plain("records lost");
        let reason = match event.reason {
            loss::WRITE => "the file system refused them",
            loss::NO_BLOCK => "no memory for the thread",
            loss::DROPPED => "the disk did not follow",
            loss::OVERWRITTEN => "newer ones were kept",
            loss::UNREPORTED => "not reported before the process was killed",
            _ => "unknown",
        };
        let code = EventCode(event.event as u8);
        let name = if code.name().is_empty() { "unknown" } else { code.name() };
        let args = [
            word(ArgKey::Event, name),
            number(ArgKey::Count, event.count),
            word(ArgKey::Reason, reason),
        ];
        let thread = &mut self.threads[t as usize];
        self.out.instant(
            thread,
            at,
            InstantKind::Lost,
            named,
            thread.current,
            Details::args(&args),
        );
        Outcome::Interpreted
    }
}

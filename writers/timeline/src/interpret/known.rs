//! A window of time: what is known of the records before it, interpreted instead of them.

use super::{Done, Interpreter, Reason};
use crate::before::{Before, NeededRecord};
use crate::code::Code;
use crate::setup::Setup;
use crate::state::pending::Pending;
use ompttrace_model::AnyOutput;
use ompttrace_model::{Border, Summary, ompt};
use ompttrace_recording::events::{Event, LockInit, MutexAcquired, Record};
use ompttrace_recording::words::KIND_MASK;

impl Interpreter<'_> {
    /// Begins with what is known. Nothing of it counts as read.
    pub(crate) fn know(&mut self, setup: &Setup<'_>, before: &Before) {
        for (stream, what) in &before.records {
            match what {
                NeededRecord::All(saved) if *stream < setup.own() => {
                    self.record(*stream, saved.record())
                }
                NeededRecord::All(saved) => setup.other_record(self, *stream, saved.record()),
                NeededRecord::Mutex(saved) => self.know_mutex(&saved.record()),
                NeededRecord::Request(saved) => self.know_request(*stream, &saved.record()),
            }
        }
        for (t, task) in &before.late {
            self.thread(*t).expect_late(*task);
        }
        for (t, seen) in &before.seen {
            self.thread(*t).seen = self.clock.nanoseconds(*seen);
        }
        self.out.counters.has_tasks(before.live_tasks);
        self.count_from_here(before.skipped);
    }

    fn count_from_here(&mut self, skipped: u64) {
        self.out.counters.emitted = 0;
        self.out.summary = Summary { skipped, ..Summary::default() };
        self.recorded.fill(0);
        self.dropped = [0; Reason::ALL.len()];
        (self.interpreted, self.lost) = (0, 0);
    }

    /// All that was before a border is known, and was reported by its window.
    pub(crate) fn begin_window(&mut self, border: &Border) {
        self.come_to_border(border);
        let seen = self.threads.iter().map(|thread| thread.seen);
        self.now = seen.fold(self.now, u64::max);
        self.out.counters.are_known(border.at);
        self.out.to.sink.begin_window(&self.out.to.definitions, border);
        self.states_at_begin(border);
        self.count_from_here(0);
    }

    /// The sink's output since the last call: see [`ompttrace_model::Sink::part`].
    pub(crate) fn part(&mut self) -> Option<AnyOutput> {
        self.out.to.sink.part()
    }

    /// The window ends: what is open continues in the next one.
    pub(crate) fn end_window(mut self, border: &Border, read: u64) -> Done {
        self.come_to_border(border);
        for t in 0..self.threads.len() as u32 {
            match self.thread(t).pending {
                // What begins there counts those that fail after.
                Pending::Acquire(acquire) if acquire.failed.count > 0 => {
                    self.tests_failed(t, &acquire, acquire.failed);
                }
                Pending::Gather(_) => self.settle(t),
                _ => {}
            }
        }
        self.states_at_end(border);
        self.out.counters.finish(&mut self.out.to);
        self.out.to.sink.end_window(&self.out.to.definitions, border);
        self.hand_over(read)
    }

    /// Reports slices that have not reached the minimum duration at the border: the windows on both sides know of them, and only the
    /// earlier one reports them.
    fn come_to_border(&mut self, border: &Border) {
        self.tool_waits_until(border.at);
        for thread in &mut self.threads {
            self.out.show_hidden(thread);
        }
    }

    /// The window ends, and with it what is read: threads do until then what they did last.
    pub(crate) fn come_to(&mut self, at: u64) {
        self.now = self.now.max(at.min(self.end));
        self.tool_waits_until(self.now);
    }

    /// The first use of a mutex names it.
    fn know_mutex(&mut self, record: &Record<'_>) {
        let (Event::MutexAcquired(MutexAcquired { code, kind, wait_id })
        | Event::LockInit(LockInit { code, kind, wait_id, .. })) = record.event()
        else {
            return;
        };
        let made = matches!(record.event(), Event::LockInit(_));
        let (mutex, code) = (ompt::Mutex::from(kind & KIND_MASK), Code::new(code, kind));
        let location = if made { self.names.location(code) } else { None };
        if self.locks.find(wait_id, mutex).is_none() {
            self.add_mutex(mutex, wait_id, code, location);
        }
    }
}

//! A window of time: what is known of the records before it, interpreted in their place.

use super::{Reason, World};
use crate::before::{Before, What};
use crate::code::Code;
use ompttrace_model::{Sink, Summary, ompt};
use ompttrace_recording::events::{Event, LockInit, MutexAcquired, Record};
use ompttrace_recording::words::KIND_MASK;

impl<S: Sink> World<'_, S> {
    /// Begins with what is known; `cores` interprets a record of a stream that is no thread's first one. Nothing
    /// of it counts as read.
    pub(crate) fn know(
        &mut self,
        before: &Before,
        threads: u32,
        mut cores: impl FnMut(&mut Self, u32, Record<'_>),
    ) {
        for (stream, what) in &before.records {
            match what {
                What::All(saved) if *stream < threads => self.record(*stream, saved.record()),
                What::All(saved) => cores(self, *stream, saved.record()),
                What::Mutex(saved) => self.know_mutex(&saved.record()),
            }
        }
        for (t, task) in &before.late {
            self.thread(*t).expect_late(*task);
        }
        for (t, seen) in &before.seen {
            self.thread(*t).seen = self.clock.nanoseconds(*seen);
        }
        self.out.counters.has_tasks(before.live_tasks);
        self.out.counters.emitted = 0;
        self.out.summary = Summary { skipped: before.skipped, ..Summary::default() };
        self.recorded.fill(0);
        self.dropped = [0; Reason::ALL.len()];
        (self.interpreted, self.lost) = (0, 0);
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

//! The stop of a recording, and the waits that it cuts off.

use super::ReportSink;
use crate::blame::Role;
use crate::model;
use crate::state::State;
use crate::thread::{OpenSlice, Thread};
use crate::unfinished::Unfinished;
use ompttrace_model::{SliceKind, ThreadRef};

impl ReportSink {
    /// The recording stops here.
    pub(crate) fn stop(&mut self, at: u64) {
        if self.bounds.is_part && self.bounds.is_after() {
            return;
        }
        self.stopped = Some(at);
        let works = |thread: &&Thread| thread.now.role == Role::Working;
        self.working_at_stop = self.threads.iter().filter(works).count() as u64;
        for thread in &mut self.threads {
            let is_wait = |state: &State| state.is_waiting() || *state == State::OverheadFork;
            thread.cut_off = thread.now.acts.filter(is_wait);
        }
    }

    /// The innermost slice of a thread is cut off by the end of the recording: the one that it waits in, if it does.
    pub(crate) fn cut_off(&mut self, t: ThreadRef, frame: &OpenSlice) {
        if frame.kind == SliceKind::ToolWait {
            return;
        }
        let Some(state) = self.thread(t).cut_off.take() else { return };
        let (construct, since) = (frame.waits, frame.begin);
        let mutex = frame.asked.filter(|_| matches!(frame.kind, SliceKind::MutexWait(_)));
        let mutex = mutex.map(|lock| (lock, self.locks.holder_of(lock), frame.source));
        self.unfinished.push(Unfinished { thread: t, since, state, construct, mutex });
    }

    /// All unfinished waits for the report: those of threads that wait for the longest time first.
    pub(crate) fn unfinished(&self) -> Vec<model::Unfinished> {
        if self.bounds.ends_before(self.run.1) {
            return Vec::new();
        }
        let stopped = self.stopped.unwrap_or(self.end);
        let number = |t: ThreadRef| self.infos.get(t as usize).map_or(t, |info| info.number);
        let report = |one: &Unfinished| {
            let (lock, holder, source) = match one.mutex {
                Some((lock, holder, source)) => (Some(lock), holder, Some(source)),
                None => (None, None, None),
            };
            let lock = lock.and_then(|lock| self.locks.mutexes.get(lock as usize));
            model::Unfinished {
                thread: number(one.thread),
                state: one.state.name(),
                since_ns: one.since.saturating_sub(self.begin),
                waited_ns: stopped.saturating_sub(one.since),
                construct: one.construct as usize,
                lock: lock.map(|lock| lock.name.clone()),
                holder: holder.map(number),
                location: source.map(|source| self.construct_table.site(source)),
            }
        };
        let mut all: Vec<_> = self.unfinished.iter().map(report).collect();
        all.sort_by_key(|one| (one.since_ns, one.thread));
        all
    }
}

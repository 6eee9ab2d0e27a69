//! The account of every thread: each nanosecond goes to one state and one construct, and what others
//! lost meanwhile to the construct of the threads that worked.

use super::ReportSink;
use crate::blame::Role;
use crate::chain::Chain;
use crate::construct_table::{ConstructRef, OUTSIDE};
use crate::state::State;
use crate::thread::{SerialSection, Thread};
use ompttrace_model::{Core, ThreadRef, ompt};

impl ReportSink {
    /// The time of a thread up to `at` goes to what it did so far.
    #[inline]
    pub(super) fn settle(&mut self, t: ThreadRef, at: u64) {
        if self.changed.is_some() && self.changed != Some((t, at)) {
            self.note_change();
        }
        if self.passes_edge(at) {
            self.note_edges(at);
        }
        self.ledger.advance(at);
        let record_ns = self.record_ns;
        let thread = self.thread(t);
        if thread.begin.is_none() {
            thread.begin = Some(at);
            thread.since = at;
            self.new_chain(t, at);
            self.appears(t);
            self.update(t);
            return;
        }
        let passed = at.saturating_sub(thread.since);
        if passed == 0 {
            return;
        }
        let begin = std::mem::replace(&mut thread.since, at);
        let state = thread.now.state.unwrap_or_else(|| thread.unknown());
        let construct = thread.now.construct;
        let core = thread.now.core;
        thread.times.add(state, passed);
        thread.times.cores.add(core, state, passed);
        // A record is stored behind its time, so what that takes stands at the begin of what follows.
        let recording = if state == State::OverheadTool { passed } else { passed.min(record_ns) };
        let recording_work = if state.is_work() { recording } else { 0 };
        thread.times.recording_work += recording_work;
        if !super::paths::waits(state) {
            thread.chain.extend_recorded(at, construct, state.is_work(), recording);
        }
        if state.is_work() {
            thread.span += passed;
            thread.worked += passed;
            thread.task_work += passed;
        }
        let context = thread.now.context;
        if core == Core::Unknown
            && let Some(unread) = &mut thread.unread
        {
            let is_section = construct == OUTSIDE && thread.serial_section.is_some();
            unread.add((!is_section).then_some(construct), context, state, passed);
        }
        let times = match &mut thread.serial_section {
            Some(section) if construct == OUTSIDE => &mut section.times,
            _ => &mut self.sums.of(construct).times,
        };
        times.add(state, passed);
        times.cores.add(core, state, passed);
        times.recording_work += recording_work;
        self.contexts.times(context).add(state, passed);
        if self.journal.is_some() {
            self.note_part(t, (begin, state), construct);
        }
    }

    /// A thread's chain goes back to the begin of the program: its creator is not reported.
    fn new_chain(&mut self, t: ThreadRef, at: u64) {
        let first =
            self.infos.iter().position(|info| info.kind == ompt::Thread::Initial).unwrap_or(0);
        let begin = self.threads.get(first).and_then(|thread| thread.begin).unwrap_or(at);
        let mut chain = Chain::new(t, begin.min(at));
        chain.extend(at, OUTSIDE, false);
        self.thread(t).chain = chain;
    }

    fn appears(&mut self, t: ThreadRef) {
        if !self.thread(t).helper {
            self.most_present = self.most_present.max(self.ledger.appears());
        }
    }

    /// A thread is over.
    pub(super) fn disappears(&mut self, t: ThreadRef) {
        let thread = self.thread(t);
        if !std::mem::replace(&mut thread.ended, true) && !thread.helper {
            self.ledger.disappears();
        }
    }

    /// The instant is over at which a thread began or ended slices, or somebody wants to know what it does now.
    #[inline]
    pub(super) fn note_change(&mut self) {
        if let Some((t, _)) = self.changed.take() {
            self.update(t);
        }
    }

    /// What a thread does may have changed: others are charged to what it did up to now.
    #[inline]
    pub(super) fn update(&mut self, t: ThreadRef) {
        let thread = self.thread(t);
        let (before, after) = (thread.now, thread.look());
        if before == after {
            return;
        }
        let helper = thread.helper;
        let (was, is) = (before.role(helper), after.role(helper));
        if was != is || before.construct != after.construct {
            self.charge(t);
        }
        self.thread(t).now = after;
        if (was, before.lacks_core()) != (is, after.lacks_core()) {
            if before.lacks_core() {
                self.ledger.lacks(was, false);
            }
            self.ledger.change(was, is);
            if after.lacks_core() {
                self.ledger.lacks(is, true);
            }
        }
    }

    /// Charges a thread, if it works, with what others lost since it was charged last.
    pub(super) fn charge(&mut self, t: ThreadRef) {
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        let charge = self.ledger.since(&mut thread.charged);
        if thread.now.role(thread.helper) != Role::Working {
            return;
        }
        match &mut thread.serial_section {
            Some(section) if thread.now.construct == OUTSIDE => {
                section.idle += charge.idle;
                section.wait += charge.wait;
                section.absence.add(charge.absence);
            }
            _ => {
                let numbers = self.sums.of(thread.now.construct);
                numbers.idle += charge.idle;
                numbers.wait += charge.wait;
                numbers.absence.add(charge.absence);
            }
        }
    }

    /// A serial section begins behind the region `from`.
    pub(super) fn serial_section_begins(&mut self, t: ThreadRef, at: u64, from: ConstructRef) {
        self.charge(t);
        self.thread(t).serial_section =
            Some(SerialSection { from, since: at, ..SerialSection::default() });
    }

    /// The serial section of a thread ends before the region `to`.
    pub(super) fn serial_section_ends(&mut self, t: ThreadRef, at: u64, to: ConstructRef) {
        self.charge(t);
        let Some(section) = self.thread(t).serial_section.take() else { return };
        let construct = self.construct_table.serial_section(section.from, to);
        let thread = self.thread(t);
        thread.chain.name_rest(construct);
        if let Some(unread) = &mut thread.unread {
            unread.name_section(construct);
        }
        let numbers = self.sums.of(construct);
        numbers.times.add_all(&section.times);
        numbers.calls += 1;
        numbers.threads = 1;
        numbers.wall += at.saturating_sub(section.since);
        numbers.idle += section.idle;
        numbers.wait += section.wait;
        numbers.absence.add(section.absence);
    }

    /// The recording is over: workers in the pool are there to its end.
    pub(crate) fn close_threads(&mut self) {
        self.note_change();
        let stop = self.stopped.unwrap_or(self.end).max(self.ledger.now());
        for t in 0..self.threads.len() as ThreadRef {
            if self.thread(t).begin.is_some() {
                let until = Thread::lasts_to(self.thread(t), stop);
                self.settle(t, until);
            }
            self.serial_section_ends(t, stop, OUTSIDE);
        }
    }
}

//! The account of every thread: each nanosecond goes to one state and one construct, and what others
//! lost meanwhile to the construct of the threads that worked.

use super::ReportSink;
use crate::blame::Role;
use crate::chain::Chain;
use crate::construct_table::{ConstructRef, OUTSIDE};
use crate::phase::FORK;
use crate::state::State;
use crate::thread::{Now, Passes, SerialSection, Thread};
use ompttrace_model::{Core, ThreadRef, ompt};

impl ReportSink {
    /// Accounts for a thread's time up to `at`, in its present state and construct.
    #[inline(always)]
    pub(super) fn settle(&mut self, t: ThreadRef, at: u64) {
        if self.settled != (t, at) {
            self.settle_to(t, at);
        }
    }

    fn settle_to(&mut self, t: ThreadRef, at: u64) {
        self.settled = (t, at);
        self.note_change();
        if self.passes_edge(at) {
            self.note_edges(at);
        }
        self.ledger.advance(at);
        let (record_ns, is_started) = (self.record_ns, self.regions.first.is_some());
        let thread = self.thread(t);
        if thread.begin.is_none() {
            return self.begins(t, at);
        }
        if self.bounds.is_part {
            // Before the window, all events are at one time.
            self.settled.0 = ThreadRef::MAX;
            self.settle_before_window(t);
        }
        let thread = self.thread(t);
        let passed = at.saturating_sub(thread.since);
        if passed == 0 {
            return;
        }
        let begin = std::mem::replace(&mut thread.since, at);
        let Now { construct, context, core, passes, .. } = thread.now;
        let state = thread.now.state.unwrap_or_else(|| thread.unknown());
        let kind_of_unread = thread.unread_kind();
        // A record is stored behind its time, so what that takes stands at the begin of what follows.
        let recording = if passes == Passes::Recording { passed } else { passed.min(record_ns) };
        let (mut recording_work, waits) = (0, passes == Passes::Wait);
        if !waits {
            let on_core = match core {
                Core::Preempted(_) => 0,
                Core::Unknown if thread.unread.is_some() => thread.on_core.of(passed),
                _ => passed,
            };
            thread.busy += match state {
                State::OffCoreBlocked if !is_started => 0,
                State::OverheadTool => 0,
                State::OverheadFork => on_core.min(FORK),
                _ => on_core,
            };
            if passes == Passes::Work {
                recording_work = recording;
                thread.span += on_core;
                thread.worked += on_core;
                thread.task_work += on_core;
            }
        }
        if !waits {
            thread.chain.extend_recorded(at, construct, passes == Passes::Work, recording);
        }
        let kind = (state, waits);
        thread.times.pass(kind, core, passed, recording_work);
        if core == Core::Unknown
            && let Some(unread) = &mut thread.unread
        {
            unread.add(kind_of_unread, passed);
        }
        let times = match &mut thread.serial_section {
            Some(section) if construct == OUTSIDE => &mut section.times,
            _ => &mut self.sums.of(construct).times,
        };
        times.pass(kind, core, passed, recording_work);
        if state.is_overhead() && matches!(core, Core::Preempted(_)) {
            self.sums.of(construct).lacked.add(state, passed);
        }
        if self.contexts.are_reported() {
            self.contexts.times(context).add(state, passed);
        }
        self.phases.charge((begin, at), state);
        if self.journal.is_some() {
            self.note_part(t, (begin, state), construct);
        }
    }

    /// The first event of a thread.
    #[cold]
    fn begins(&mut self, t: ThreadRef, at: u64) {
        let now = self.bounds.now;
        let thread = self.thread(t);
        (thread.begin, thread.since) = (Some(at), at);
        thread.since_unbounded = now;
        thread.now.passes = Passes::of(thread.unknown());
        self.new_chain(t, at);
        if !self.thread(t).helper {
            self.most_present = self.most_present.max(self.ledger.appears());
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

    /// A thread is over.
    pub(super) fn disappears(&mut self, t: ThreadRef) {
        let thread = self.thread(t);
        if !std::mem::replace(&mut thread.ended, true) && !thread.helper {
            self.ledger.disappears();
        }
    }

    /// A thread is in another state from this time on.
    pub(super) fn state(&mut self, t: ThreadRef, at: u64, state: Option<State>) {
        self.settle(t, at);
        let thread = self.thread(t);
        thread.now.state = state;
        thread.now.passes = Passes::of(state.unwrap_or_else(|| thread.unknown()));
        if state != Some(State::OverheadTool) {
            thread.now.acts = state;
            let is = thread.role_in(state);
            if is != thread.now.role {
                self.take_role(t, is);
            }
        }
    }

    /// The role of a thread changes: it is charged for its time in the previous role.
    fn take_role(&mut self, t: ThreadRef, is: Role) {
        self.charge(t);
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        let lacks = thread.now.lacks_core();
        let was = std::mem::replace(&mut thread.now.role, is);
        if is == Role::Working {
            self.ledger.since(&mut thread.charged);
        }
        if lacks {
            self.ledger.lacks(was, false);
        }
        self.ledger.change(was, is);
        if lacks {
            self.ledger.lacks(is, true);
        }
    }

    /// Ends the instant at which a thread began or ended slices, before its present construct is needed: time that others
    /// lost is charged to the construct that it was in until now.
    #[inline(always)]
    pub(super) fn note_change(&mut self) {
        if let Some(t) = self.changed.take() {
            let thread = self.thread(t);
            let (construct, context) = thread.innermost();
            thread.now.context = context;
            if thread.now.construct != construct {
                self.charge(t);
                self.thread(t).now.construct = construct;
            }
        }
    }

    /// Charges a thread, if it works, with the time that others lost since it was charged last.
    pub(super) fn charge(&mut self, t: ThreadRef) {
        let Some(thread) = self.threads.get_mut(t as usize) else { return };
        if thread.now.role != Role::Working {
            return;
        }
        let charge = self.ledger.since(&mut thread.charged);
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

    /// A serial section begins after the region `from`.
    pub(super) fn serial_section_begins(&mut self, t: ThreadRef, at: u64, from: ConstructRef) {
        // Of a region that began in a team and ends outside of it one is open.
        self.serial_section_ends(t, at, from);
        self.charge(t);
        self.thread(t).serial_section =
            Some(SerialSection { from, since: at, ..SerialSection::default() });
    }

    /// The serial section of a thread ends before the region `to`.
    pub(super) fn serial_section_ends(&mut self, t: ThreadRef, at: u64, to: ConstructRef) {
        self.charge(t);
        let Some(section) = self.thread(t).serial_section.take() else { return };
        let construct = self.construct_table.serial_section(section.from, to);
        let is_counted = self.bounds.ends();
        let thread = self.thread(t);
        thread.chain.name_rest(construct);
        if let Some(unread) = &mut thread.unread {
            unread.name_section(construct);
        }
        let numbers = self.sums.of(construct);
        numbers.times.add_all(&section.times);
        numbers.calls += u64::from(is_counted);
        numbers.threads = 1;
        numbers.wall += at.saturating_sub(section.since);
        numbers.idle += section.idle;
        numbers.wait += section.wait;
        numbers.absence.add(section.absence);
    }

    /// The recording is over: workers in the pool are there to its end.
    pub(crate) fn close_threads(&mut self) {
        self.note_change();
        self.bounds.now = self.run.1;
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

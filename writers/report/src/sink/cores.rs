//! Cores: switches of threads to and from cores, and the sums of the kernel's accounting where switches were not
//! recorded.

use super::ReportSink;
use crate::construct_table::OUTSIDE;
use crate::journal::{Account, Entry};
use crate::state::Times;
use crate::unread::{UnreadKind, UnreadTime};
use ompttrace_model::{Core, CoreSums, ThreadRef};

impl ReportSink {
    /// A thread gets a core or loses it.
    pub(super) fn core(&mut self, at: u64, t: ThreadRef, core: Core) {
        self.note_change();
        let usable = u64::from(self.usable_cores);
        if usable > 0 {
            self.ledger.limit(usable);
        }
        // Outside of its own time it does nothing.
        if self.thread(t).now.state.is_some() {
            self.settle(t, at);
        }
        let thread = self.thread(t);
        let lacked = thread.now.lacks_core();
        let (before, since) = (std::mem::replace(&mut thread.now.core, core), thread.core_since);
        thread.core_since = at;
        let (role, lacks) = (thread.now.role, thread.now.lacks_core());
        self.core_use.change(at, usable, (before, since), core);
        if lacked != lacks {
            self.ledger.lacks(role, lacks);
        }
    }

    /// The kernel's accounting was read.
    pub(super) fn core_sums(&mut self, at: u64, t: ThreadRef, sums: &CoreSums) {
        self.note_change();
        if self.thread(t).now.state.is_none() {
            return;
        }
        self.settle(t, at);
        let thread = self.thread(t);
        thread.on_core.read(sums.run_ns, sums.delay_ns, sums.unknown_ns);
        if thread.is_serial() {
            thread.busy = thread.on_core.correct(thread.busy);
        }
        let done = thread.unread.get_or_insert_default().take();
        for time in done {
            self.account((t, at), &time, sums);
        }
        self.note(Entry::Read(t));
    }

    /// The share in a reading of one kind of time in between.
    fn account(&mut self, (t, at): (ThreadRef, u64), time: &UnreadTime, sums: &CoreSums) {
        let UnreadKind { construct, context, state } = time.kind;
        let [run, delay, blocked] = time.parts(sums);
        let parts = [(Core::On(0), run), (Core::Preempted(0), delay), (Core::Blocked(0), blocked)];
        let note = |times: &mut Times| {
            for (core, part) in parts {
                times.move_time(state, state.with(core), part);
                times.cores.add(core, state.with(core).is_waiting(), part);
            }
        };
        let thread = self.thread(t);
        note(&mut thread.times);
        match (construct, &mut thread.serial_section) {
            (Some(construct), _) => {
                let numbers = self.sums.of(construct);
                note(&mut numbers.times);
                if state.is_overhead() {
                    numbers.lacked.add(state, delay);
                }
            }
            (None, Some(section)) => note(&mut section.times),
            (None, None) => {}
        }
        note(self.contexts.times(context));
        if self.journal.is_some() {
            self.note_moves((t, at), time, &parts);
        }
    }

    /// Writes into the journal the unread time that belongs to another state than it was charged as.
    fn note_moves(
        &mut self,
        (thread, at): (ThreadRef, u64),
        time: &UnreadTime,
        parts: &[(Core, u64)],
    ) {
        let account = match (time.kind.construct, &self.thread(thread).serial_section) {
            (Some(construct), _) => self.account_of(construct),
            (None, Some(section)) => Account::SerialAfter(section.from),
            (None, None) => Account::Construct(OUTSIDE),
        };
        for (core, nanoseconds) in parts.iter().copied().filter(|(_, part)| *part > 0) {
            let (from, to) = (time.kind.state, time.kind.state.with(core));
            if from != to {
                self.note(Entry::Moved { thread, at, account, from, to, nanoseconds });
            }
        }
    }
}

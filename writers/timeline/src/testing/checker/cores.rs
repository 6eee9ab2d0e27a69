//! A check that threads get and lose cores in the order of time, and that each event changes the state.

use super::Checker;
use ompttrace_model::{Core, CoreSums, Sample, ThreadRef};

impl Checker {
    pub(super) fn core(&mut self, at: u64, thread: ThreadRef, core: Core) {
        let (last, before) = self.cores.insert(thread, (at, core)).unwrap_or_default();
        self.check((thread as usize) < self.threads, || format!("thread {thread} is not known"));
        self.check(last <= at, || format!("time goes back to {at} on the core of thread {thread}"));
        self.check(core != before, || format!("thread {thread} is {core:?} twice, at {at}"));
        self.timeline.cores.push((at, thread, core));
    }

    pub(super) fn core_sums(&mut self, at: u64, thread: ThreadRef, sums: CoreSums) {
        let (last, core) = self.cores.get(&thread).copied().unwrap_or_default();
        self.cores.insert(thread, (at, core));
        self.check(last <= at, || format!("a reading of thread {thread} at {at} comes late"));
        let parts = sums.run_ns + sums.delay_ns;
        self.check(parts <= sums.unknown_ns, || format!("more than there is, at {at}: {sums:?}"));
        self.timeline.core_sums.push((at, thread, sums));
    }

    pub(super) fn sample(&mut self, at: u64, thread: ThreadRef, sample: &Sample) {
        self.check((thread as usize) < self.threads, || format!("thread {thread} is not known"));
        let last = self.timeline.samples.iter().rev().find(|(_, of, _)| *of == thread);
        let late = last.is_some_and(|(last, ..)| *last > at);
        self.check(!late, || format!("a sample of thread {thread} at {at} comes late"));
        let contexts = self.timeline.contexts.len();
        for context in [sample.context, sample.executed_in] {
            let is_known = (1..=contexts).contains(&(context as usize));
            self.check(is_known, || format!("no context {sample:?}"));
        }
        self.seen.samples += 1;
        self.timeline.samples.push((at, thread, *sample));
    }
}

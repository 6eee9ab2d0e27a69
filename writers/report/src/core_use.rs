//! Cores on which the program's threads ran, and the time for which other processes had a core that a thread wanted.

use ompttrace_model::Core;
use rustc_hash::FxHashMap;

/// A core that has less than this part of all time on cores is not counted: threads begin somewhere before they are
/// bound.
const LITTLE_USED: u64 = 50;

/// Use of cores by all threads together. Only recorded context switches count: the kernel's sums have no times.
#[derive(Clone, Debug, Default)]
pub(crate) struct CoreUse {
    now: u64,
    /// Threads on a core, and threads that want one and have none.
    on: u64,
    lacking: u64,
    /// Time on each core.
    times: FxHashMap<u32, u64>,
    /// Thread time without a core while fewer threads of the program ran than it may use cores.
    taken_ns: u64,
}

impl CoreUse {
    /// A thread gets a core or loses it; it had the one before since `since`. The program may use so many cores.
    pub(crate) fn change(
        &mut self,
        at: u64,
        usable: u64,
        (before, since): (Core, u64),
        after: Core,
    ) {
        let passed = at.saturating_sub(self.now);
        self.now = self.now.max(at);
        self.taken_ns += passed * self.lacking.min(usable.saturating_sub(self.on));
        if let Core::On(core) = before {
            *self.times.entry(core).or_default() += at.saturating_sub(since);
        }
        for (count, is) in [
            (&mut self.on, is_on as fn(Core) -> bool),
            (&mut self.lacking, is_lacking as fn(Core) -> bool),
        ] {
            *count = (*count + u64::from(is(after))).saturating_sub(u64::from(is(before)));
        }
    }

    /// Cores on which threads ran for more than their first steps; 0 where it is not recorded.
    pub(crate) fn used(&self) -> u32 {
        let all: u64 = self.times.values().sum();
        self.times.values().filter(|time| **time > all / LITTLE_USED).count() as u32
    }

    /// Thread time without a core while fewer threads of the program ran than it may use cores; none where
    /// context switches are not recorded.
    pub(crate) fn taken_ns(&self) -> Option<u64> {
        (!self.times.is_empty()).then_some(self.taken_ns)
    }
}

fn is_on(core: Core) -> bool {
    matches!(core, Core::On(_))
}

fn is_lacking(core: Core) -> bool {
    matches!(core, Core::Preempted(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_others_only_while_fewer_threads_run_than_may() {
        let mut cores = CoreUse::default();
        assert_eq!(cores.taken_ns(), None);
        // Two threads and two cores: one waits for 30 while the other runs, then both for 10.
        cores.change(0, 2, (Core::Unknown, 0), Core::On(0));
        cores.change(0, 2, (Core::Unknown, 0), Core::On(1));
        cores.change(100, 2, (Core::On(1), 0), Core::Preempted(1));
        cores.change(130, 2, (Core::On(0), 0), Core::Preempted(0));
        cores.change(140, 2, (Core::Preempted(0), 130), Core::On(0));
        assert_eq!(cores.taken_ns(), Some(30 + 2 * 10));
        // A third one takes the second core: who still waits does so for it.
        cores.change(140, 2, (Core::Unknown, 0), Core::On(1));
        cores.change(200, 2, (Core::Preempted(1), 100), Core::Blocked(1));
        assert_eq!((cores.taken_ns(), cores.used()), (Some(50), 2));
    }
}

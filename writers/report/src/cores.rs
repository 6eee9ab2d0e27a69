//! Time on cores and without them, in addition to the states: threads wanted a core, had one, or waited on it.

use ompttrace_model::Core;

/// Time with and without a core, nanoseconds. What is not recorded is in none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreTimes {
    /// Time on a core.
    pub given: u64,
    /// Time without a core, though the thread wanted to go on.
    pub preempted: u64,
    /// Time asleep in the kernel.
    pub blocked: u64,
    /// Part of `given` in which the thread waited for other threads or was in no team: it spun.
    pub spun: u64,
    /// Part of `blocked` in which the thread waited for other threads or was in no team: it slept until it was woken.
    pub slept: u64,
}

impl CoreTimes {
    /// Adds time on a core, or without one, in which the thread waited or not.
    #[inline(always)]
    pub(crate) fn add(&mut self, core: Core, waits: bool, nanoseconds: u64) {
        let waiting = if waits { nanoseconds } else { 0 };
        match core {
            Core::Unknown => {}
            Core::On(_) => {
                self.given += nanoseconds;
                self.spun += waiting;
            }
            Core::Preempted(_) => self.preempted += nanoseconds,
            Core::Blocked(_) => {
                self.blocked += nanoseconds;
                self.slept += waiting;
            }
        }
    }

    /// Adds all of another.
    pub(crate) fn add_all(&mut self, other: &CoreTimes) {
        self.given += other.given;
        self.preempted += other.preempted;
        self.blocked += other.blocked;
        self.spun += other.spun;
        self.slept += other.slept;
    }

    /// Time in which a core was wanted.
    pub fn wanted(&self) -> u64 {
        self.given + self.preempted
    }

    /// Time for which it is known whether there was a core.
    pub fn known(&self) -> u64 {
        self.wanted() + self.blocked
    }
}

//! Whether a thread has a core of the machine, by the kernel's own word.

/// Whether a thread runs, and why not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Core {
    /// Nobody saw: its context switches are not recorded, or not at this time.
    #[default]
    Unknown,
    /// It runs on this core.
    On(u32),
    /// It wants to run and has no core: another thread was given this one, its last.
    Preempted(u32),
    /// It sleeps in the kernel, after it ran on this core: it waits for a lock, for input, for a page, for its time.
    Blocked(u32),
}

/// What the kernel's accounting says of a thread between two readings, where its context switches are not recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreSums {
    /// When the reading before was, nanoseconds of CLOCK_MONOTONIC.
    pub since: u64,
    /// Time on a core, nanoseconds.
    pub run_ns: u64,
    /// Time in which it waited for one, nanoseconds.
    pub delay_ns: u64,
    /// Context switches because it went to sleep.
    pub voluntary: u32,
    /// Context switches because another thread was given its core.
    pub involuntary: u32,
}

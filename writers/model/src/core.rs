//! Whether a thread has a core of the machine, by the kernel's own word.

/// Whether a thread runs, and why not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Core {
    /// Unknown: its context switches are not recorded, or not at this time.
    #[default]
    Unknown,
    /// It runs on this core.
    On(u32),
    /// It wants to run and has no core: another thread was given this one, its last.
    Preempted(u32),
    /// It sleeps in the kernel, after it ran on this core: it waits for a lock, for input, for a page, for its time.
    Blocked(u32),
}

/// What the kernel's accounting says of the time since it was read last in which it was not recorded whether a thread had a
/// core: [`Core::Unknown`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreSums {
    /// That time, nanoseconds.
    pub unknown_ns: u64,
    /// Of it on a core.
    pub run_ns: u64,
    /// Of it waiting for one. The rest it slept.
    pub delay_ns: u64,
}

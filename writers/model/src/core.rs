//! The core of the machine that a thread has, according to the kernel.

/// A thread's core, or the reason why it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Core {
    /// Unknown: the thread's context switches are not recorded, or not at this time.
    #[default]
    Unknown,
    /// It runs on this core.
    On(u32),
    /// It wants to run and has no core: another thread was given this one, its last.
    Preempted(u32),
    /// It sleeps in the kernel, after it ran on this core: it waits for a lock, for input, for a page, for its time.
    Blocked(u32),
}

/// The kernel's accounting of the time, since it was last read, in which it was not recorded whether a thread had a
/// core: [`Core::Unknown`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreSums {
    /// That time, in nanoseconds.
    pub unknown_ns: u64,
    /// The part of that time in which the thread ran on a core, in nanoseconds.
    pub run_ns: u64,
    /// The part of that time in which the thread waited for a core, in nanoseconds. The rest of it the thread slept.
    pub delay_ns: u64,
}

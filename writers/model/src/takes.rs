//! Which of the more frequent events a sink has a use for: the others are not even made for it.

/// See the file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Counts of the threads that work and that idle, and of the tasks that are alive: [`Counter`](crate::Counter).
    pub activity: bool,
    /// States of threads: [`Event::State`](crate::Event::State).
    pub states: bool,
    /// That the slices of a task are suspended and go on, and that a wait is interrupted and goes on:
    /// [`Event::Suspend`](crate::Event::Suspend) and begins that are [`resumed`](crate::Slice::resumed). Without, a slice lasts from its
    /// first begin to its end.
    pub resumptions: bool,
    /// [`Event::TaskRuns`](crate::Event::TaskRuns) and [`Event::TaskEnd`](crate::Event::TaskEnd).
    pub task_switches: bool,
    /// [`Event::LockRequested`](crate::Event::LockRequested).
    pub lock_requests: bool,
    /// [`Event::LockAcquired`](crate::Event::LockAcquired) and [`Event::LockReleased`](crate::Event::LockReleased).
    pub lock_owners: bool,
    /// [`Event::HoldBegin`](crate::Event::HoldBegin) and [`Event::HoldEnd`](crate::Event::HoldEnd).
    pub holds: bool,
    /// [`Event::Mpi`](crate::Event::Mpi).
    pub messages: bool,
}

impl Takes {
    /// All of them.
    pub const ALL: Takes = Takes {
        activity: true,
        states: true,
        resumptions: true,
        task_switches: true,
        lock_requests: true,
        lock_owners: true,
        holds: true,
        messages: true,
    };
}

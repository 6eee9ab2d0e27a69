//! The frequent events that a sink uses: other frequent events are not even made for it.

/// The frequent events, each true if the sink uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Counts of the threads that work and that idle, and of the tasks that are alive: [`Counter`](crate::Counter).
    pub activity: bool,
    /// States of threads: [`Event::State`](crate::Event::State).
    pub states: bool,
    /// Suspensions and resumptions of the slices of a task, and interruptions of waits:
    /// [`Event::Suspend`](crate::Event::Suspend) and begins that are [`resumed`](crate::Slice::resumed). Without them
    /// a slice lasts from its first begin to its end.
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
    /// All frequent events.
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

//! Explicit tasks in a report.

use serde::Serialize;

/// All explicit tasks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TasksReport {
    /// Number of tasks that were created.
    pub created: u64,
    /// Number of tasks that ran.
    pub executed: u64,
    /// Number of dependences that made one task wait for another.
    pub dependences: u64,
    /// Tasks by the source location that creates them, the most work first.
    pub sites: Vec<TaskReport>,
    /// Number of tasks that were created and have not begun, over time: in equal parts of the run.
    pub queue: Vec<QueuePoint>,
}

/// The tasks that are created at one location.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TaskReport {
    /// The tasks' construct, by position.
    pub construct: usize,
    /// Number of tasks that were created.
    pub created: u64,
    /// Number of tasks that ran.
    pub executed: u64,
    /// Sum of the tasks' own work, in nanoseconds.
    pub work_ns: u64,
    /// The mean work of a task that is complete, in nanoseconds.
    pub mean_ns: u64,
    /// The most work of one task, in nanoseconds.
    pub longest_ns: u64,
    /// Histogram of tasks by their work.
    pub grains: Vec<GrainBucket>,
    /// Number of threads that created some of the tasks.
    pub makers: u64,
    /// Number of times that a thread created a task right after another.
    pub made_in_a_row: u64,
    /// Mean time between two such creations, in nanoseconds: the creation of one task takes no longer.
    pub making_ns: u64,
    /// Mean time from the creation of a task to its begin, in nanoseconds.
    pub queued_ns: u64,
    /// The longest time from a task's creation to its begin, in nanoseconds.
    pub longest_queued_ns: u64,
    /// Number of tasks that began on another thread than the one that created them.
    pub begun_elsewhere: u64,
    /// Number of times that a suspended task went on on another thread.
    pub migrations: u64,
    /// True if the tasks are too small to be worth their overhead.
    pub too_fine: bool,
}

/// Tasks of about the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GrainBucket {
    /// The least work of these; the next bucket begins at twice that.
    pub from_ns: u64,
    /// Number of tasks in the bucket.
    pub tasks: u64,
}

/// The queue in one part of the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct QueuePoint {
    /// Begin of the part, in nanoseconds since the run's begin.
    pub at_ns: u64,
    /// The mean length of the queue.
    pub mean: f64,
    /// The largest length of the queue.
    pub longest: u64,
}

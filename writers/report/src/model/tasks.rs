//! Explicit tasks in a report.

use serde::Serialize;

/// All explicit tasks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TasksReport {
    /// Tasks that were made.
    pub created: u64,
    /// Tasks that ran.
    pub executed: u64,
    /// Dependences between them that made one wait for another.
    pub dependences: u64,
    /// By the location where they are made, the most work first.
    pub sites: Vec<TaskReport>,
    /// Tasks that were made and have not begun, over time: equal parts of the run.
    pub queue: Vec<QueuePoint>,
}

/// The tasks that are made at one location.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TaskReport {
    /// The construct.
    pub construct: usize,
    /// How many were made.
    pub created: u64,
    /// How many ran.
    pub executed: u64,
    /// Their own work.
    pub work_ns: u64,
    /// The mean work of one that is complete.
    pub mean_ns: u64,
    /// The most work of one.
    pub longest_ns: u64,
    /// How many tasks have how much work.
    pub grains: Vec<GrainBucket>,
    /// Threads that made some of them.
    pub makers: u64,
    /// Times that one thread made one right after another, and how long that took each, in the mean:
    /// what making one costs at most.
    pub made_in_a_row: u64,
    /// See [`TaskReport::made_in_a_row`].
    pub making_ns: u64,
    /// From being made to the begin, in the mean.
    pub queued_ns: u64,
    /// The longest of these.
    pub longest_queued_ns: u64,
    /// Tasks that another thread began than the one that made them.
    pub begun_elsewhere: u64,
    /// Times that a suspended task went on on another thread.
    pub migrations: u64,
    /// Whether they are too small to be worth it.
    pub too_fine: bool,
}

/// Tasks of about the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GrainBucket {
    /// The least work of these; the next bucket begins at twice that.
    pub from_ns: u64,
    /// How many.
    pub tasks: u64,
}

/// The queue in one part of the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct QueuePoint {
    /// When the part begins, after the begin of the run.
    pub at_ns: u64,
    /// The mean length.
    pub mean: f64,
    /// The longest.
    pub longest: u64,
}

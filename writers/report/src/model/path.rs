//! The critical path of a report, and the time that recording took of it.

use serde::Serialize;

/// The chain of activities that determined how long the run took: at any time one thread's, and where a wait
/// ends, that of the thread that ended it. Of no length where waiting was not recorded.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CriticalPath {
    /// Length of the path, in nanoseconds: the run of the program's first thread.
    pub length_ns: u64,
    /// Part of the length in which the program itself worked, in nanoseconds.
    pub work_ns: u64,
    /// Number of times that the path goes from one thread to another.
    pub switches: u64,
    /// Length of the longest chain of work, without waits, in which each part had to follow the one before, in nanoseconds;
    /// unlike [`CriticalPath::length_ns`], which is elapsed time.
    pub span_ns: u64,
    /// All work / [`CriticalPath::span_ns`]: how many threads it keeps busy, with loops cut into chunks
    /// and work into tasks as they were.
    pub parallelism: f64,
    /// Constructs on the path, the longest first.
    pub parts: Vec<PathPart>,
}

/// A construct's part of the critical path.
#[derive(Clone, Debug, Serialize)]
pub struct PathPart {
    /// The construct, by position; none for time outside of all constructs.
    pub construct: Option<usize>,
    /// Time of the construct on the path, in nanoseconds.
    pub ns: u64,
    /// Part of `ns` that is work.
    pub work_ns: u64,
    /// Part of `ns` that recording took.
    pub recording_ns: u64,
    /// Time of the construct as a share of the path.
    pub share: f64,
}

/// Time that recording took: gains leave it out, as a run without the tool does not have it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Recording {
    /// Storing a record, as measured when the run began, without the runtime's way to the tool; 0: not measured.
    pub record_ns: f64,
    /// Time on the critical path for storing records and waiting for the tool's buffers, in nanoseconds.
    pub path_ns: u64,
}

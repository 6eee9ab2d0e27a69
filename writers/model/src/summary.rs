//! Totals of a timeline.

use ompttrace_recording::reader::Missing;

/// Totals of a timeline, which a reader of the trace must find again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Recorded callbacks: records of events of OMPT.
    pub events: u64,
    /// Records that the streams gave out, as they counted them: the sum of the three below.
    pub records: u64,
    /// Records before a window of time that were not interpreted one by one.
    pub skipped: u64,
    /// Records that gave something to a sink or changed the state, as interpretation counted them.
    pub interpreted: u64,
    /// Late ends that were already reported, and begins that were reported twice.
    pub absorbed: u64,
    /// Records that could not be interpreted, by reason.
    pub dropped: Vec<(&'static str, u64)>,
    /// Begins reported on threads (each with its end).
    pub slices: u64,
    /// Number of `slices` with a logical thread.
    pub logical_thread_slices: u64,
    /// Instants reported.
    pub instants: u64,
    /// Number of `instants` with a logical thread.
    pub logical_thread_instants: u64,
    /// Slices on region tracks.
    pub region_slices: u64,
    /// Slices on lock tracks.
    pub hold_slices: u64,
    /// Values of counters reported.
    pub counter_values: u64,
    /// Samples of threads.
    pub samples: u64,
    /// Begins, ends or instants marked inferred.
    pub inferred: u64,
    /// Ends marked cut.
    pub cut: u64,
    /// Lost records that the recording knows of.
    pub lost: u64,
    /// The missing records in the buffers of a run that was not closed, in addition to `lost`.
    pub missing: Option<Missing>,
    /// Bytes that were written to the recording's files and are not in them; records that were lost and counted are
    /// not among them.
    pub missing_bytes: u64,
    /// Logical threads.
    pub logical_threads: u64,
    /// Times that were moved forward because a source went back on one thread.
    pub clamped: u64,
    /// Lock holds without a track, beyond the largest number of lock tracks.
    pub untracked_holds: u64,
    /// Times that a task or a wait went on for less than the minimum duration and was suspended again:
    /// it is reported as suspended all the while.
    pub unreported_resumes: u64,
    /// Their total duration, nanoseconds.
    pub unreported_ns: u64,
}

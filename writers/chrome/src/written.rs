//! How much a trace holds: what a reader of it must find again.

/// What was written to a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Lines with an event, of whatever phase.
    pub lines: u64,
    /// Bytes of JSON, before any compression.
    pub bytes: u64,
    /// Events on the tracks of OS threads.
    pub threads: Events,
    /// Events on the lanes of logical threads.
    pub lanes: Events,
    /// Parallel regions on the rows of their level.
    pub region_slices: u64,
    /// Holds on the tracks of locks.
    pub hold_slices: u64,
    /// On the rows that say which core a thread has.
    pub core_slices: u64,
    /// Values of counters.
    pub counter_values: u64,
    /// Arrows: steps and ends of flows whose beginning is in the trace.
    pub arrows: u64,
    /// Ends of flows whose beginning is not in the trace, or too long ago to be remembered.
    pub arrows_lost: u64,
    /// Remarks of this writer itself, on the process.
    pub remarks: u64,
}

/// Events of a family of tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Begun and ended.
    pub slices: u64,
    /// Without duration.
    pub instants: u64,
}

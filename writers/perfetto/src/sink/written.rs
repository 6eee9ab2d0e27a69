//! How much a trace holds: what a reader of it must find again.

/// What was written to a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Packets, of events and of all else.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
    /// Events on the tracks of OS threads.
    pub threads: Events,
    /// Events on the lanes of logical threads.
    pub lanes: Events,
    /// Parallel regions on the rows of their level.
    pub region_slices: u64,
    /// Holds on the tracks of locks.
    pub hold_slices: u64,
    /// Values of counters.
    pub counter_values: u64,
    /// Switches of cores from one thread to another.
    pub switches: u64,
    /// Remarks of this writer itself, on the group `OpenMP`.
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

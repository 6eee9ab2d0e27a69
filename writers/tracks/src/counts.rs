//! How much a trace holds: what a reader of it must find again.

/// What was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events on the tracks of OS threads.
    pub threads: Events,
    /// Events on the tracks of logical threads.
    pub logical_threads: Events,
    /// Parts of threads' time on the tracks of what they do.
    pub activities: u64,
    /// Parallel regions on the tracks of their levels.
    pub region_slices: u64,
    /// Holds on the tracks of locks.
    pub hold_slices: u64,
    /// Values of counters.
    pub counter_values: u64,
    /// How often a thread got a core or lost it.
    pub core_changes: u64,
    /// Samples of threads.
    pub samples: u64,
    /// Instants of the process as a whole: losses of threads that have no track.
    pub process_instants: u64,
}

/// Events of a family of tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Begun and ended.
    pub slices: u64,
    /// Without duration.
    pub instants: u64,
}

impl std::ops::AddAssign for Events {
    fn add_assign(&mut self, other: Events) {
        self.slices += other.slices;
        self.instants += other.instants;
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.threads += other.threads;
        self.logical_threads += other.logical_threads;
        self.activities += other.activities;
        self.region_slices += other.region_slices;
        self.hold_slices += other.hold_slices;
        self.counter_values += other.counter_values;
        self.core_changes += other.core_changes;
        self.samples += other.samples;
        self.process_instants += other.process_instants;
    }
}

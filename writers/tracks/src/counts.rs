//! Numbers of the events in a trace, which a reader of it must find again.

/// Numbers of the events that were drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events on the tracks of OS threads.
    pub threads: Events,
    /// Events on the tracks of logical threads.
    pub logical_threads: Events,
    /// Parts of threads' time on the tracks of their activities.
    pub activities: u64,
    /// Parallel regions on the tracks of their levels.
    pub region_slices: u64,
    /// Holds on the tracks of locks.
    pub hold_slices: u64,
    /// Phases of the program.
    pub phase_slices: u64,
    /// Values of counters.
    pub counter_values: u64,
    /// Number of times that a thread got a core or lost it.
    pub core_changes: u64,
    /// Samples of threads.
    pub samples: u64,
    /// Instants of the process as a whole: losses of threads that have no track.
    pub process_instants: u64,
}

/// Events of a family of tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Number of slices, each begun and ended.
    pub slices: u64,
    /// Number of instants.
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
        self.phase_slices += other.phase_slices;
        self.counter_values += other.counter_values;
        self.core_changes += other.core_changes;
        self.samples += other.samples;
        self.process_instants += other.process_instants;
    }
}

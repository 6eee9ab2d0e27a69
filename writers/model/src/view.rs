//! Which of the two pictures of a run a trace holds.

/// What has a track of its own: the threads of the machine, those of the program, or both.
///
/// Parallel regions by level, locks and counters are in every view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// One track per OS thread: what the machine did.
    Threads,
    /// One lane per logical thread, whichever OS thread served it.
    Regions,
    /// Both: about twice the size.
    #[default]
    Both,
}

impl View {
    /// Whether OS threads have tracks.
    #[inline]
    pub fn has_threads(self) -> bool {
        self != View::Regions
    }

    /// Whether logical threads have lanes.
    #[inline]
    pub fn has_lanes(self) -> bool {
        self != View::Threads
    }
}

//! The choice of the threads that have tracks in a trace.

/// The kinds of threads that have their own tracks: the threads of the machine, those of the program, or both.
///
/// Parallel regions by level, locks and counters are in every view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// OS threads, and those logical threads that are not always on the same OS thread, whose track shows the same.
    #[default]
    Auto,
    /// One track per OS thread: the activity of the machine.
    Threads,
    /// One track per logical thread, whichever OS thread served it.
    Regions,
    /// OS threads and logical threads, all of them: about twice the size.
    Both,
}

impl View {
    /// Returns true if all OS threads have tracks.
    #[inline]
    pub fn has_threads(self) -> bool {
        self != View::Regions
    }

    /// Returns true if logical threads have tracks.
    #[inline]
    pub fn has_logical_threads(self) -> bool {
        self != View::Threads
    }
}

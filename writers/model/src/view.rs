//! Which threads have tracks in a trace.

/// What has a track of its own: the threads of the machine, those of the program, or both.
///
/// Parallel regions by level, locks and counters are in every view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// OS threads, and those logical threads that are not always on the same OS thread, whose track shows the same.
    #[default]
    Auto,
    /// One track per OS thread: what the machine did.
    Threads,
    /// One track per logical thread, whichever OS thread served it.
    Regions,
    /// Both, all of them: about twice the size.
    Both,
}

impl View {
    /// Whether OS threads have tracks.
    #[inline]
    pub fn has_threads(self) -> bool {
        self != View::Regions
    }

    /// Whether logical threads have tracks.
    #[inline]
    pub fn has_logical_threads(self) -> bool {
        self != View::Threads
    }
}

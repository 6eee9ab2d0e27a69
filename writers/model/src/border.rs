//! Borders between the time windows of a timeline that is made in several windows.

/// A time at which one window of records ends and the next one begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Border {
    /// CLOCK_MONOTONIC nanoseconds: the records before it are in the window that ends.
    pub at: u64,
    /// Each thread's own records there.
    pub threads: Vec<AtBorder>,
}

/// A thread at a [`Border`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtBorder {
    /// True if the thread has records before the border.
    pub has_begun: bool,
    /// True if the thread has records after the border.
    pub goes_on: bool,
}

//! Where a timeline that is made in parts goes from one part to the next.

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
    /// Whether it has records before.
    pub has_begun: bool,
    /// Whether it has records after.
    pub goes_on: bool,
}

//! Reasons in a `cores_unknown` record.

/// The kernel's buffer was full before it was read.
pub const OVERFLOWED: u64 = 1;
/// The system refuses perf events.
pub const REFUSED: u64 = 2;
/// No locked memory was left for another perf buffer.
pub const NO_MEMORY: u64 = 3;
/// The program added a seccomp filter: nothing is opened any more.
pub const FILTERED: u64 = 4;
/// The kernel accounts nothing to threads, or does not say it.
pub const NO_ACCOUNTING: u64 = 5;
/// Records were given up because no file took them.
pub const GIVEN_UP: u64 = 6;
/// No descriptor was left to open a perf event with.
pub const NO_DESCRIPTOR: u64 = 7;

//! Reasons in a `lost` record.

/// The file system refused the bytes.
pub const WRITE: u64 = 1;
/// No memory for another thread's buffer.
pub const NO_BLOCK: u64 = 2;
/// The disk did not follow, and the policy was not to wait for it.
pub const DROPPED: u64 = 3;
/// A flight recorder kept newer ones.
pub const OVERWRITTEN: u64 = 4;
/// The process was killed before it could report why.
pub const UNREPORTED: u64 = 5;

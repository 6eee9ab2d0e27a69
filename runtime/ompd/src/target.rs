//! Targets of inspection: a process that is stopped, or a core file.

use std::ops::Range;
use std::path::PathBuf;

/// A file that is mapped in the target's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Addresses of the mapping.
    pub range: Range<u64>,
    /// Offset in the file at which the mapping begins, in bytes.
    pub offset: u64,
    /// Path of the file in the target.
    pub path: PathBuf,
    /// Path at which the file can be read from this process; it may be another file by now.
    pub readable_at: PathBuf,
}

/// A thread of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetThread {
    /// The kernel's id of the thread.
    pub id: u32,
    /// The thread's pthread_t, which with glibc is the thread pointer.
    pub pthread: u64,
}

/// Memory, threads and files of a target. They are not trusted: wrong addresses must be expected, and reading there
/// returns no bytes.
pub trait Target: Sync {
    /// Reads memory from `address` on; returns the number of bytes read.
    fn read(&self, address: u64, to: &mut [u8]) -> usize;
    /// Threads of the target.
    fn threads(&self) -> &[TargetThread];
    /// Mappings of files in the target's memory.
    fn mapped(&self) -> &[Mapped];
}

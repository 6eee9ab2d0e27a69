//! What is looked at: a process that is stopped, or a core file.

use std::ops::Range;
use std::path::PathBuf;

/// A file in the target's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// Where.
    pub range: Range<u64>,
    /// Where in the file that begins.
    pub offset: u64,
    /// Its name, as the target has it.
    pub path: PathBuf,
    /// Where it can be read from here; it need not be the same file any more.
    pub readable_at: PathBuf,
}

/// A thread of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetThread {
    /// The kernel's id.
    pub id: u32,
    /// Its pthread_t, which with glibc is the thread pointer.
    pub pthread: u64,
}

/// Memory, threads and files. Nothing it says has to be true: what is asked for at a wrong address is not there.
pub trait Target: Sync {
    /// Reads memory from `address` on; how many bytes there were.
    fn read(&self, address: u64, to: &mut [u8]) -> usize;
    /// Its threads.
    fn threads(&self) -> &[TargetThread];
    /// Files that are mapped.
    fn mapped(&self) -> &[Mapped];
}

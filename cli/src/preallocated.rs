//! A file whose blocks are preallocated in large steps before they are written, which the file system
//! takes at less cost than growing with each write.

use rustix::fs::{FallocateFlags, fallocate, fstatfs};
use std::fs::File;
use std::io::{self, Write};

/// Number of bytes that are preallocated at a time.
const STEP: u64 = 32 << 20;

/// The kernel's number of a file system in memory.
const TMPFS: u32 = 0x0102_1994;

/// A new file, written from its begin to its end, with blocks preallocated in large steps. A flush completes it and frees the blocks that
/// are left; without one it is emptied when it is dropped.
#[derive(Debug)]
pub struct PreallocatedFile {
    file: File,
    length: u64,
    /// End of the preallocated blocks, in bytes; none if the file system does not preallocate.
    ready: Option<u64>,
    /// True once the whole file was written.
    whole: bool,
}

impl PreallocatedFile {
    /// Writes to an empty file. On a file system in memory nothing is preallocated, since that takes longer there.
    pub fn new(file: File) -> PreallocatedFile {
        let in_memory = fstatfs(&file).is_ok_and(|system| system.f_type as u32 == TMPFS);
        PreallocatedFile { file, length: 0, ready: (!in_memory).then_some(0), whole: false }
    }

    fn preallocate(&mut self, end: u64) {
        while let Some(ready) = self.ready.filter(|ready| *ready < end) {
            let done = fallocate(&self.file, FallocateFlags::KEEP_SIZE, ready, STEP);
            self.ready = done.ok().map(|()| ready + STEP);
        }
    }
}

impl Drop for PreallocatedFile {
    /// Truncates a file that was not flushed, and so is given up, since it is to take no more room.
    fn drop(&mut self) {
        if !self.whole {
            let _ = self.file.set_len(0);
        }
    }
}

impl Write for PreallocatedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A short trace needs no more blocks than it fills.
        if self.length > 0 {
            self.preallocate(self.length + bytes.len() as u64);
        }
        let written = self.file.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    /// Frees the blocks that were not needed.
    fn flush(&mut self) -> io::Result<()> {
        self.whole = true;
        match self.ready {
            Some(ready) if ready > self.length => self.file.set_len(self.length),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_file_that_is_given_up_takes_no_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace");
        let mut file = PreallocatedFile::new(File::create_new(&path).expect("a file"));
        file.write_all(&[7; 1 << 20]).expect("written");
        drop(file);
        assert_eq!(path.metadata().expect("there").len(), 0);
    }

    #[test]
    fn what_was_preallocated_and_not_written_is_given_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trace");
        let mut file = PreallocatedFile::new(File::create_new(&path).expect("a file"));
        for _ in 0..40 {
            file.write_all(&[7; 1 << 20]).expect("written");
        }
        file.flush().expect("flushed");
        let metadata = path.metadata().expect("there");
        assert_eq!(metadata.len(), 40 << 20);
        assert!(metadata.blocks() * 512 < 44 << 20, "{} blocks", metadata.blocks());
    }
}

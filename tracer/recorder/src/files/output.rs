//! The event files of a run folder, and files that are only appended to.

use crate::files::area_file::AreaFile;
use crate::files::own_file::OwnFile;
use crate::files::own_folder::OwnFolder;
use crate::host::descriptors::has_free_number;
use crate::host::sync::{AtomicU64, Ordering};
use crate::host::system::{largest_file, uninterrupted};
use ompttrace_recording::folder;
use std::io;
use std::sync::Arc;

/// The event files of a recording.
pub struct Output {
    stripes: [AreaFile; folder::STRIPES],
}

/// A file that is opened when first needed and only ever appended to.
pub struct AppendFile {
    file: OwnFile,
    /// Number of bytes written so far; nothing else writes to the file.
    size: AtomicU64,
}

impl Output {
    /// The event files of a run folder; none is created yet.
    pub fn new(run: &Arc<OwnFolder>) -> io::Result<Output> {
        let mut stripes = Vec::with_capacity(folder::STRIPES);
        for number in 0..folder::STRIPES {
            stripes.push(AreaFile::new(run, &format!("{}{number}", folder::EVENTS))?);
        }
        let stripes = stripes.try_into().map_err(|_| io::Error::other("number of files"))?;
        Ok(Output { stripes })
    }

    /// Writes `parts`, whole areas, in one write to the file of `thread`; returns the bytes written.
    pub(crate) fn write(&self, thread: u64, parts: &[libc::iovec]) -> io::Result<usize> {
        let Some(own) = self.stripes.get(thread as usize % folder::STRIPES) else {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        };
        own.write(parts).or_else(|error| match self.substitute_for(own) {
            Some(other) => other.write(parts),
            None => Err(error),
        })
    }

    /// A file that is open, for one that cannot be opened any more: the program may have lost the right to it
    /// (setresuid), the way (chroot) or its last descriptor. Readers do not depend on the file of a fragment.
    fn substitute_for(&self, own: &AreaFile) -> Option<&AreaFile> {
        let mut at_hand = self.stripes.iter().filter(|stripe| stripe.is_at_hand());
        if own.is_open() { None } else { at_hand.next() }
    }

    /// Opens a first file, while the program still can.
    pub(crate) fn open_early(&self) {
        if has_free_number() {
            self.stripes.iter().take(1).for_each(AreaFile::open_early);
        }
    }

    /// The bytes that were written to each file, by its number; of those that have some.
    pub(crate) fn written(&self) -> impl Iterator<Item = (usize, u64)> {
        let all = self.stripes.iter().map(AreaFile::written).enumerate();
        all.filter(|(_, written)| *written > 0)
    }

    /// Number of files that were removed while they are written.
    pub(crate) fn removed(&self) -> usize {
        self.stripes.iter().filter(|stripe| stripe.is_removed()).count()
    }

    /// Releases the blocks that were preallocated on the disk and not used.
    pub(crate) fn finish(&self) {
        self.stripes.iter().for_each(AreaFile::finish);
    }
}

impl AppendFile {
    /// The file of this name; it is not opened yet.
    pub fn new(run: &Arc<OwnFolder>, name: &str) -> io::Result<AppendFile> {
        Ok(AppendFile { file: OwnFile::new(run, name, true)?, size: AtomicU64::new(0) })
    }

    /// Appends bytes; returns how many were written. Neither allocates nor locks once it is open.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        if self.size.load(Ordering::Relaxed) + bytes.len() as u64 > largest_file() {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        let written = self.file.with(|descriptor| {
            uninterrupted(|| {
                // SAFETY: the caller's bytes.
                unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) }
            })
        })?;
        self.size.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::own_folder::own_folder;

    fn write(output: &Output, thread: u64) -> io::Result<usize> {
        let mut bytes = [7u8; 64];
        let part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        output.write(thread, &[part])
    }

    /// A folder stands where the second one would be: like a right that the program has given up.
    #[test]
    fn an_open_file_serves_for_those_that_cannot_be_opened() {
        let run = tempfile::tempdir().expect("a folder");
        let of = |number: u32| run.path().join(format!("{}{number}", folder::EVENTS));
        let output = Output::new(&own_folder(run.path())).expect("an output");
        output.open_early();
        std::fs::create_dir(of(3)).expect("a folder");
        assert_eq!([write(&output, 3), write(&output, 0)].map(Result::ok), [Some(64); 2]);
        assert_eq!(std::fs::read(of(0)).expect("read").len(), 128);
        // What is written to a file without a name is lost, and must be counted so.
        std::fs::remove_file(of(0)).expect("removed");
        let refused = write(&output, 3).expect_err("nothing is left");
        assert_eq!(refused.raw_os_error(), Some(libc::EISDIR));
    }
}

//! Writing of `recording.json`.
//!
//! It is written under another name and renamed, so that a reader finds the old or the new version. A disk that is
//! full has no space for a second file: then the file is overwritten in place, for which every version has some space
//! reserved after its end. Otherwise the losses of a full disk would not be reported.

use ompttrace_recording::facts::Facts;
use ompttrace_recording::{PinnedFolder, folder};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Name of the file while it is being written.
pub(crate) const DRAFT: &str = "recording.json.new";
/// Space that is reserved after the file's end, in bytes: more than the end of a run adds.
const RESERVE: usize = 8 << 10;
/// Unit of `st_blocks`, in bytes.
const BLOCK: u64 = 512;

/// Writes the facts into the run folder.
pub(crate) fn write(run: &PinnedFolder, facts: &Facts) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(facts)?;
    // A file that may not be as large would end the program with a signal.
    if (text.len() + RESERVE) as u64 > ompttrace_recorder::largest_file() {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    // What a thread left that ended in here.
    let _ = run.remove(DRAFT);
    let replaced = run.replace(folder::FACTS, DRAFT, |draft| {
        draft.write_all(&text)?;
        reserve(draft, text.len() + RESERVE);
        Ok(())
    });
    // It may not be there at all.
    replaced.or_else(|error| overwrite(run, &text).map_err(|_| error))
}

/// Reserves space up to `bytes` without changing the file's length; some file systems cannot.
fn reserve(file: &File, bytes: usize) {
    let keep_size = libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: a system call on a descriptor that is open during the call.
    unsafe { libc::fallocate(file.as_raw_fd(), keep_size, 0, bytes as libc::off_t) };
}

/// Overwrites the file in place if its space suffices.
fn overwrite(run: &PinnedFolder, text: &[u8]) -> io::Result<()> {
    let file = run.overwrite(folder::FACTS)?;
    if file.metadata()?.blocks() * BLOCK < text.len() as u64 {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.write_all_at(text, 0)?;
    file.set_len(text.len() as u64)
}

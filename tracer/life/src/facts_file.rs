//! `recording.json` on its way to the disk.
//!
//! It is written beside its name and renamed, so that a reader finds the old or the new. A disk that
//! is full has no room for a second file: then it is written over itself, for which every version
//! keeps some room after its end. The losses of a full disk would else be reported by nobody.

use ompttrace_recording::facts::Facts;
use ompttrace_recording::{PinnedFolder, folder};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};

/// Its name while it is being written.
pub(crate) const DRAFT: &str = "recording.json.new";
/// Bytes kept after its end: what the end of a run adds, with room to spare.
const RESERVE: usize = 8 << 10;
/// Units of `st_blocks`.
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

/// Asks for room up to `bytes` without changing the file's length; some file systems cannot.
fn reserve(file: &File, bytes: usize) {
    let keep_size = libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: a system call on a descriptor that is open during the call.
    unsafe { libc::fallocate(file.as_raw_fd(), keep_size, 0, bytes as libc::off_t) };
}

/// Writes over the file where its room suffices.
fn overwrite(run: &PinnedFolder, text: &[u8]) -> io::Result<()> {
    let file = run.overwrite(folder::FACTS)?;
    if file.metadata()?.blocks() * BLOCK < text.len() as u64 {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.write_all_at(text, 0)?;
    file.set_len(text.len() as u64)
}

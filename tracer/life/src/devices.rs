//! Files of records that devices made themselves: `devices`, as text, and `device_records`, in words.
//!
//! They are written where a device's buffer comes back, never in an OpenMP event.

use crate::run::{self, Run};
use ompttrace_recorder::AppendFile;
use ompttrace_recording::folder;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Number of records that could not be written.
static LOST: AtomicU64 = AtomicU64::new(0);

/// True once an entry was written in part: readers would not find the entries after it, so none is written.
static TORN: AtomicBool = AtomicBool::new(false);

/// Appends lines of a device, with this many records in them, to the `devices` file. Not to be called in an event.
pub fn log_of_devices(lines: &str, records: u64) {
    append(|run| (&mut run.devices, folder::DEVICES), lines.as_bytes(), records);
}

/// Appends whole entries ([`ompttrace_recording::device_records`]), with this many activities in them, to `device_records`.
/// Not to be called in an event.
pub fn put_device_records(words: &[u64], activities: u64) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    append(|run| (&mut run.device_records, folder::DEVICE_RECORDS), &bytes, activities);
}

fn append(
    file: impl FnOnce(&mut Run) -> (&mut Option<AppendFile>, &'static str),
    bytes: &[u8],
    records: u64,
) {
    if bytes.is_empty() {
        return;
    }
    let written = if TORN.load(Ordering::Relaxed) { None } else { written(file, bytes) };
    if written.is_some_and(|written| written < bytes.len()) {
        TORN.store(true, Ordering::Relaxed);
    }
    if written != Some(bytes.len()) {
        LOST.fetch_add(records, Ordering::Relaxed);
    }
}

fn written(
    file: impl FnOnce(&mut Run) -> (&mut Option<AppendFile>, &'static str),
    bytes: &[u8],
) -> Option<usize> {
    let written = run::with(|run| {
        let folder = run.folder.clone();
        let (file, name) = file(run);
        if file.is_none() {
            *file = AppendFile::new(&folder, name).ok();
        }
        file.as_ref()?.write(bytes).ok()
    });
    written.flatten()
}

/// Number of records that could not be written.
pub(crate) fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

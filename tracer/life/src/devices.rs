//! The file of what devices did, `device_records`. It is written where a device's buffer comes back, never in an OpenMP event.

use crate::run;
use ompttrace_recorder::{AppendFile, Locked};
use ompttrace_recording::device_records::Entry;
use ompttrace_recording::folder;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Number of records that could not be written.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Names that get a number; more are nameless.
const MOST_NAMES: usize = 1 << 16;

/// Numbers of the names that were written.
static NAMES: Locked<Option<HashMap<Box<str>, u64>>> = Locked::new(None);

/// True once a part of something was written: what follows it would not be found, and is not written.
static TORN: AtomicBool = AtomicBool::new(false);

/// Appends whole entries ([`ompttrace_recording::device_records`]), with this many activities in them, to `device_records`.
/// Not to be called in an event.
pub fn put_device_records(words: &[u64], activities: u64) {
    if words.is_empty() {
        return;
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let written = if TORN.load(Ordering::Relaxed) { None } else { written(&bytes) };
    if written.is_some_and(|written| written < bytes.len()) {
        TORN.store(true, Ordering::Relaxed);
    }
    if written != Some(bytes.len()) {
        LOST.fetch_add(activities, Ordering::Relaxed);
    }
}

fn written(bytes: &[u8]) -> Option<usize> {
    let written = run::with(|run| {
        let folder = run.folder.clone();
        let file = &mut run.device_records;
        if file.is_none() {
            *file = AppendFile::new(&folder, folder::DEVICE_RECORDS).ok();
        }
        file.as_ref()?.write(bytes).ok()
    });
    written.flatten()
}

/// The number of a name of kernels or of other activities, which is written down before it the first time; 0: it has none.
pub fn device_name(name: &str, words: &mut Vec<u64>) -> u64 {
    let numbered = NAMES.with(|names| {
        let names = names.get_or_insert_default();
        let next = names.len() as u64 + 1;
        match names.get(name) {
            Some(number) => (*number, false),
            None if names.len() >= MOST_NAMES => (0, false),
            None => {
                names.insert(name.into(), next);
                (next, true)
            }
        }
    });
    let Some((number, is_new)) = numbered else { return 0 };
    if is_new {
        Entry::Text { number, text: name.to_owned() }.put(words);
    }
    number
}

/// Number of records of device activities that could not be written.
pub(crate) fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

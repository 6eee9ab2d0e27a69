//! The `devices` file: what devices recorded themselves, as text, with their clocks.
//!
//! It is written where a device's buffer comes back, never in an OpenMP event.

use crate::run;
use ompttrace_recorder::AppendFile;
use ompttrace_recording::folder;
use std::sync::atomic::{AtomicU64, Ordering};

/// Records that could not be written.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Appends lines of a device, with this many records in them, to the `devices` file. Not to be called in an event.
pub fn log_of_devices(lines: &str, records: u64) {
    if lines.is_empty() {
        return;
    }
    let written = run::with(|run| {
        if run.devices.is_none() {
            run.devices = AppendFile::new(&run.folder, folder::DEVICES).ok();
        }
        let file = run.devices.as_ref()?;
        let written = file.write(lines.as_bytes()).ok()?;
        (written == lines.len()).then_some(())
    });
    if written.flatten().is_none() {
        LOST.fetch_add(records, Ordering::Relaxed);
    }
}

/// How many records could not be written.
pub(crate) fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

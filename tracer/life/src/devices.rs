//! The `devices` file: what devices recorded themselves, as text, with their clocks.
//!
//! It is written where a device's buffer comes back, never in an OpenMP event.

use crate::{begin, run};
use ompttrace_recorder::AppendFile;
use ompttrace_recording::folder;
use std::sync::atomic::{AtomicU64, Ordering};

/// Records that could not be written.
static LOST: AtomicU64 = AtomicU64::new(0);
/// Records that came while the recording was paused or had ended.
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

/// Appends lines with so many records in them.
pub(crate) fn log(lines: &str, records: u64) {
    if lines.is_empty() {
        return;
    }
    let written = run::with(|run| {
        if run.devices.is_none() {
            run.devices = AppendFile::new(&run.path.join(folder::DEVICES)).ok();
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

/// So many records came while nothing was recorded.
pub(crate) fn left_out(records: u64) {
    LEFT_OUT.fetch_add(records, Ordering::Relaxed);
}

/// Says so in `recording.json`; once, when it is closed.
pub(crate) fn note_left_out() {
    let records = LEFT_OUT.load(Ordering::Relaxed);
    if records > 0 {
        let note = format!(
            "{records} records of devices came while recording was paused or had ended; they are not in it"
        );
        begin::note("ompt-tr2", &note);
    }
}

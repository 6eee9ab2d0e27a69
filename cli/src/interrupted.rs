//! Ctrl-C while a trace is made: unfinished traces are removed, the recording stays as it is, and a line reports that.

use crate::say;
use ompttrace_recording::PinnedFolder;
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, signal_name};
use std::ffi::OsString;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::Builder;

/// An unfinished trace: a file or a folder.
#[derive(Debug)]
pub struct Draft {
    pub folder: PinnedFolder,
    pub name: OsString,
}

/// Traces that are being written.
static DRAFTS: Mutex<Vec<Arc<Draft>>> = Mutex::new(Vec::new());

/// True once signals are watched for.
static WATCHED: AtomicBool = AtomicBool::new(false);

/// True once the trace is complete, so that a signal loses nothing.
static OVER: AtomicBool = AtomicBool::new(false);

/// Locks the drafts: while the lock is held, a signal does not end the process.
pub fn drafts() -> MutexGuard<'static, Vec<Arc<Draft>>> {
    DRAFTS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Watches signals that end this process: such a signal first removes the unfinished traces of a recording.
pub fn watch(run: &Path) {
    watch_all(format!("the recording is unchanged: ompttrace export {}", say::shown(run)));
}

/// Watches signals for traces of other things as well; `unchanged` are the words about these.
pub fn watch_all(unchanged: String) {
    if WATCHED.swap(true, Ordering::Relaxed) {
        return;
    }
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    // Where they cannot be caught, all is as it was.
    let Ok(mut signals) = Signals::new(wanted) else { return };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            end(&unchanged, signal);
        }
    };
    let _ = Builder::new().name("interruption".into()).spawn(wait);
}

/// Notes that the trace is complete: a signal then ends the process without a message, and removes the rest of
/// [`drafts`].
pub fn over() {
    OVER.store(true, Ordering::Relaxed);
}

/// Removes the drafts and ends the process as the signal would have done.
fn end(unchanged: &str, signal: i32) {
    // Kept to the end: no trace is moved to its output path any more.
    let drafts = drafts();
    drafts.iter().for_each(|draft| draft.remove());
    if OVER.load(Ordering::Relaxed) {
        let _ = emulate_default_handler(signal);
        return;
    }
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        // The line may have a bar.
        let _ = stderr.write_all(b"\r\x1b[2K");
    }
    let by = signal_name(signal).unwrap_or("a signal");
    say::remark(&format!("ended by {by}: no trace was made, and {unchanged}"));
    let _ = emulate_default_handler(signal);
}

impl Draft {
    /// Removes the draft, again and again since other threads may still write into its folder.
    pub fn remove(&self) {
        for _ in 0..100 {
            match self.folder.remove_all(&self.name) {
                Err(error) if Errno::from_io_error(&error) == Some(Errno::NOTEMPTY) => {}
                _ => return,
            }
        }
    }
}

/// True if the process was started with this signal ignored, as by nohup.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

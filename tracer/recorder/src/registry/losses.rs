//! What could not be kept and is in no thread's records: single events, counted in the pool's
//! header page, and the ledgers of all blocks.

use crate::blocks::ledger;
use crate::host::sync::{AtomicBool, Ordering};
use crate::registry::recorder::{self, Recorder};
use ompttrace_recording::EventCode;
use ompttrace_recording::ledger::{CODES, code_at, counter_index};
use ompttrace_recording::pool::header;

/// Whether anything was lost so far in this process: without losses no check is needed.
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether anything was lost so far in this process.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Something will be counted: from now on threads check.
pub(crate) fn expect() {
    ANY.store(true, Ordering::Relaxed);
}

/// Counts an event of a thread that has no block, or is in the midst of a drain of its own.
pub(crate) fn add_one(recorder: &Recorder, code: EventCode) {
    recorder.pool.header(header::LOST + counter_index(code)).fetch_add(1, Ordering::Relaxed);
}

/// What was lost and is reported in no thread's records until now, by code byte.
pub fn lost_outside_threads() -> Vec<(EventCode, u64)> {
    let Some(recorder) = recorder::current() else { return Vec::new() };
    let one_by_one = (0..CODES).map(|index| {
        let count = recorder.pool.header(header::LOST + index).load(Ordering::Relaxed);
        (code_at(index), count)
    });
    let in_ledgers = recorder.all_blocks().flat_map(|block| ledger::unreported(&block.control));
    one_by_one.filter(|(_, count)| *count > 0).chain(in_ledgers).collect()
}

/// Reports once that a thread ended while it held one of our locks.
pub(crate) fn say_vanished() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        crate::host::message::say(format_args!(
            "a thread ended in the midst of recording; what it had recorded is kept, but for its last event perhaps"
        ));
    }
}

/// Which records a file system refuses. Records of a thread's cores are not among them: the stream itself says that its
/// cores are unknown for a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refused {
    Events,
    Samples,
}

/// Says what comes of a refused write, once, through [`Recorder::refused`](crate::registry::recorder::Recorder).
pub(crate) fn complain(refused: Refused, code: i32) {
    let why = reason(code).unwrap_or("the system refuses");
    let (what, lost) = match refused {
        Refused::Events => ("events", "records"),
        Refused::Samples => ("samples", "they"),
    };
    crate::host::message::say(format_args!(
        "cannot write {what}: {why} (error {code} of the system); {lost} are lost and counted"
    ));
}

/// What a refused write usually means, in words: strerror(3) may allocate.
fn reason(code: i32) -> Option<&'static str> {
    Some(match code {
        libc::EDQUOT => "the disk quota is used up",
        libc::ENOSPC => "the disk is full",
        libc::EFBIG => "the file may not grow (ulimit -f)",
        libc::EIO => "the disk fails",
        libc::EROFS => "the file system is read-only now",
        libc::ESTALE => "the file server no longer knows the file",
        libc::ENOENT => "the run folder is gone",
        libc::EMFILE | libc::ENFILE => "no descriptor is left",
        _ => return None,
    })
}

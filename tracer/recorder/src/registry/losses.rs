//! Losses: the sign that there are any, and their reasons. They are counted in the pool's header page, event by
//! event, and in the ledgers of all blocks.

use crate::host::message::say;
use crate::host::sync::{AtomicBool, Ordering};
use std::io;

/// True if anything was lost so far in this process: without losses no check is needed.
static ANY: AtomicBool = AtomicBool::new(false);

/// True if anything was lost so far in this process.
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Announces that something will be counted: from now on threads check.
pub(crate) fn expect() {
    ANY.store(true, Ordering::Relaxed);
}

/// Reports the consequences of a refused write, unless that was done before: `what` is refused, and `lost` is lost.
pub(crate) fn complain_once(was_said: &AtomicBool, (what, lost): (&str, &str), error: &io::Error) {
    if was_said.swap(true, Ordering::Relaxed) {
        return;
    }
    let code = error.raw_os_error().unwrap_or(0);
    let why = reason(code).unwrap_or("the system refuses");
    say(format_args!(
        "cannot write {what}: {why} (error {code} of the system); {lost} are lost and counted"
    ));
}

/// The usual meaning of a refused write, in words: strerror(3) may allocate.
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

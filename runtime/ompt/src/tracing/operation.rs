//! Calls of a runtime that may never return: a thread of ours makes them, and the caller waits for it only so long.

use super::{Device, INTERFACE};
use ompttrace_life::note;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Has a thread of ours do something with a device; true: it is done. What takes longer goes on without us, and the recording
/// says so.
pub(super) fn within(
    limit: Duration,
    device: &'static Device,
    call: impl FnOnce(&Device) + Send + 'static,
) -> bool {
    let (done, is_done) = channel();
    let work = move || {
        let _ = ompttrace_recorder::caught(|| call(device));
        let _ = done.send(());
    };
    let name = "ompttrace device".to_owned();
    let started = without_signals(|| std::thread::Builder::new().name(name).spawn(work).is_ok());
    let said = match is_done.recv_timeout(limit) {
        _ if !started => "no thread could be started for it".to_owned(),
        Ok(()) | Err(RecvTimeoutError::Disconnected) => return true,
        Err(RecvTimeoutError::Timeout) => format!("its runtime took longer than {limit:?}"),
    };
    let number = device.number;
    note(INTERFACE, &format!("device {number} has not given back all of its records: {said}"));
    false
}

/// Starts a thread that gets none of the program's signals.
fn without_signals(start: impl FnOnce() -> bool) -> bool {
    // SAFETY: sets of signals are plain data that sigfillset and pthread_sigmask fill.
    unsafe {
        let (mut all, mut before) = core::mem::zeroed::<(libc::sigset_t, libc::sigset_t)>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
        let started = start();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, core::ptr::null_mut());
        started
    }
}

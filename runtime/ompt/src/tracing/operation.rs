//! Calls of a runtime that may never return: a thread of ours makes them, and the caller waits for it only so long.

use super::{Device, INTERFACE};
use ompttrace_life::note;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Has a thread of ours do something with a device; true: it is done. What takes longer goes on without us, and the recording
/// says so.
pub(super) fn within(
    limit: Duration,
    device: &'static Device,
    call: impl FnOnce(&Device) + Send + 'static,
) -> bool {
    // No channel of std: it takes 24 bytes of the library's static thread-local memory.
    let done = Arc::new((Mutex::new(false), Condvar::new()));
    let its = Arc::clone(&done);
    let work = move || {
        let _ = ompttrace_recorder::caught(|| call(device));
        *its.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        its.1.notify_one();
    };
    let name = "ompttrace device".to_owned();
    let started = without_signals(|| std::thread::Builder::new().name(name).spawn(work).is_ok());
    let said = match started {
        true if is_set(&done, limit) => return true,
        true => format!("its runtime took longer than {limit:?}"),
        false => "no thread could be started for it".to_owned(),
    };
    let number = device.number;
    note(INTERFACE, &format!("device {number} has not given back all of its records: {said}"));
    false
}

/// Waits until the value is true, but no longer than the limit; returns the value.
fn is_set((value, changed): &(Mutex<bool>, Condvar), limit: Duration) -> bool {
    let value = value.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = changed.wait_timeout_while(value, limit, |is_set| !*is_set);
    *waited.unwrap_or_else(PoisonError::into_inner).0
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

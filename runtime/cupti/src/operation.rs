//! Operations of target constructs: activities that are requested of the driver during one get its number.

use crate::library::Library;
use core::ffi::c_int;
use core::sync::atomic::{AtomicPtr, Ordering};

/// CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0.
pub(crate) const OURS: c_int = 3;

/// The library that records; null before there is one.
static AT_WORK: AtomicPtr<Library> = AtomicPtr::new(core::ptr::null_mut());

/// Sets the library that records from now on, until the end of the process.
pub(crate) fn works(library: &'static Library) {
    AT_WORK.store(core::ptr::from_ref(library).cast_mut(), Ordering::Release);
}

/// The library that records; `None` before there is one.
pub(crate) fn at_work() -> Option<&'static Library> {
    // SAFETY: null, or from a reference that lives as long as the process; nobody writes to it.
    unsafe { AT_WORK.load(Ordering::Acquire).as_ref() }
}

/// Begins operation `host_op` on the calling thread.
pub(crate) fn begins(host_op: u64) {
    if let Some(library) = at_work() {
        // SAFETY: CUPTI's function with one of its kinds and a number of ours.
        unsafe { (library.push)(OURS, host_op) };
    }
}

/// Ends the calling thread's latest operation.
pub(crate) fn ends() {
    if let Some(library) = at_work() {
        let mut number = 0;
        // SAFETY: CUPTI's function with one of its kinds and storage for the number.
        unsafe { (library.pop)(OURS, &raw mut number) };
    }
}

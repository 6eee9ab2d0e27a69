//! An entry point and the real functions behind it.

use crate::libraries::LIBRARIES;
use core::ffi::CStr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// One entry point: its name and the real function in each libgomp of the process.
pub(crate) struct Entry {
    pub(crate) name: &'static CStr,
    real: [AtomicPtr<()>; LIBRARIES],
}

impl Entry {
    /// An entry point whose real functions are not known yet.
    pub(crate) const fn new(name: &'static str) -> Entry {
        let name = match CStr::from_bytes_with_nul(name.as_bytes()) {
            Ok(name) => name,
            Err(_) => c"",
        };
        Entry { name, real: [const { AtomicPtr::new(core::ptr::null_mut()) }; LIBRARIES] }
    }

    /// Sets the address of the real function in a libgomp.
    pub(crate) fn set(&self, library: usize, real: *mut ()) {
        if let Some(slot) = self.real.get(library) {
            slot.store(real, Ordering::Release);
        }
    }

    /// The real function; null if the libgomp has no function of this name.
    #[inline(always)]
    pub(crate) fn real(&self, library: usize) -> *mut () {
        #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
        self.real[library % LIBRARIES].load(Ordering::Relaxed)
    }
}

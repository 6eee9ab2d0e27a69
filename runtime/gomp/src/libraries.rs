//! Libraries of a process: the one in which an address lies, and the limit on the number of libgomps.

use core::ffi::{CStr, c_void};

/// Number of libgomps of a process that can be distinguished; further ones are used unreported.
pub(crate) const LIBRARIES: usize = 8;
/// Base address and file name of the library in which an address lies.
pub(crate) fn library_at(address: *const c_void) -> Option<(usize, &'static CStr)> {
    let mut found = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr fills the structure when it answers non-zero; the name is then a C string that
    // lives as long as the library.
    unsafe {
        if libc::dladdr(address, found.as_mut_ptr()) == 0 {
            return None;
        }
        let found = found.assume_init();
        Some((found.dli_fbase.addr(), CStr::from_ptr(found.dli_fname)))
    }
}

//! The real functions: those that callers would have reached without this library, and further functions of the same
//! library that are called here.

use crate::files;
use crate::function::Function;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicPtr, Ordering};
use std::ffi::CString;

/// Address of any function of the MPI library.
static KNOWN: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// The real function of a name, for a call that returns to `caller`; null if there is none.
///
/// It is the next one after this library's, which may be another tool's. For libraries that were loaded so that only
/// their users see them, such as extension modules of Python, it is the one on which the caller depends.
#[cold]
#[inline(never)]
pub(crate) fn find(function: &Function, name: usize, caller: usize) -> *mut () {
    let found = function.names.get(name).and_then(|name| find_named(name, caller));
    let Some(real) = found else { return core::ptr::null_mut() };
    // That of the library itself, behind other tools.
    let [_, profiled] = function.names;
    if let Some(own) = find_named(profiled, caller) {
        KNOWN.store(own, Ordering::Relaxed);
    }
    function.set(name, real);
    real
}

fn find_named(name: &CStr, caller: usize) -> Option<*mut ()> {
    let next = || files::function_in(libc::RTLD_NEXT, name);
    let of_caller = || {
        let file = files::file_of(core::ptr::without_provenance(caller))?;
        let handle = files::open(file, libc::RTLD_LAZY | libc::RTLD_NOLOAD)?;
        files::function_in(handle, name)
    };
    next().or_else(of_caller).or_else(|| files::function_in_any(name))
}

/// Another function of the library that was found, or a symbol of data there.
pub(crate) fn symbol(name: &CStr) -> Option<*mut ()> {
    let file = files::file_of(KNOWN.load(Ordering::Relaxed))?;
    let handle = files::open(file, libc::RTLD_LAZY | libc::RTLD_NOLOAD)?;
    files::function_in(handle, name)
}

/// Path of the MPI library's file.
pub(crate) fn file() -> CString {
    files::file_of(KNOWN.load(Ordering::Relaxed)).map_or_else(CString::default, CStr::to_owned)
}

/// The library's own description of its version.
pub(crate) fn version() -> CString {
    /// Size of the buffer in bytes: larger than any library's MPI_MAX_LIBRARY_VERSION_STRING, which is 8192.
    const LONGEST: usize = 1 << 14;
    let Some(function) = symbol(c"PMPI_Get_library_version") else { return CString::default() };
    let (mut text, mut length): (Vec<u8>, c_int) = (vec![0; LONGEST], 0);
    // SAFETY: the function's type in every MPI; it may be called at any time, and the text is long enough.
    unsafe {
        let function: extern "C" fn(*mut c_char, *mut c_int) -> c_int =
            core::mem::transmute(function);
        function(text.as_mut_ptr().cast(), &raw mut length);
    }
    CStr::from_bytes_until_nul(&text).map_or_else(|_| CString::default(), CStr::to_owned)
}

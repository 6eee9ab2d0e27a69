//! Libraries of the process, as the loader reports them.

use core::ffi::{CStr, c_int, c_void};

/// File of the image in which an address lies.
pub(crate) fn file_of(address: *const ()) -> Option<&'static CStr> {
    image_at(address).map(|(_, file)| file)
}

/// Base address and file of the image in which an address lies.
pub(crate) fn image_at(address: *const ()) -> Option<(usize, &'static CStr)> {
    let mut found = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr fills the structure when it answers non-zero; the name is then a C string that lives as long as
    // the library.
    unsafe {
        if libc::dladdr(address.cast(), found.as_mut_ptr()) == 0 {
            return None;
        }
        let found = found.assume_init();
        Some((found.dli_fbase.addr(), CStr::from_ptr(found.dli_fname)))
    }
}

/// True if an address is in this library.
pub(crate) fn is_ours(address: *const ()) -> bool {
    let base = |address| image_at(address).map(|(base, _)| base);
    base(address).is_some_and(|found| base(is_ours as *const ()) == Some(found))
}

/// Opens a library, which is never closed.
pub(crate) fn open(file: &CStr, flags: c_int) -> Option<*mut c_void> {
    // SAFETY: a C string. The library is never closed.
    let handle = unsafe { libc::dlopen(file.as_ptr(), flags) };
    (!handle.is_null()).then_some(handle)
}

/// Function of this name that the loader finds by a handle; `None` if there is none, or it is one of this library.
pub(crate) fn function_in(handle: *mut c_void, name: &CStr) -> Option<*mut ()> {
    // SAFETY: a handle of the loader's and a C string.
    let found: *mut () = unsafe { libc::dlsym(handle, name.as_ptr()) }.cast();
    (!found.is_null() && !is_ours(found)).then_some(found)
}

/// The first function of this name in a library whose file name refers to MPI.
pub(crate) fn function_in_any(name: &CStr) -> Option<*mut ()> {
    let mut search = Search { name, found: None };
    // SAFETY: the callback gets the pointer that is passed with it.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    name: &'a CStr,
    found: Option<*mut ()>,
}

unsafe extern "C" fn look(
    library: *mut libc::dl_phdr_info,
    _: libc::size_t,
    search: *mut c_void,
) -> c_int {
    // SAFETY: the loader's own description, and the pointer that `function_in_any` passes.
    let (search, name) = unsafe { (&mut *search.cast::<Search<'_>>(), (*library).dlpi_name) };
    if name.is_null() {
        return 0;
    }
    // SAFETY: a C string that lives as long as the library.
    let file = unsafe { CStr::from_ptr(name) };
    let last = file.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if last.windows(3).any(|part| part.eq_ignore_ascii_case(b"mpi")) {
        let handle = open(file, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        search.found = handle.and_then(|handle| function_in(handle, search.name));
    }
    c_int::from(search.found.is_some())
}

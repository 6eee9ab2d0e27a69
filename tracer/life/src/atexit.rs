//! Handlers that the C library calls at exit, or when a library is closed.

unsafe extern "C" {
    /// Not in the `libc` crate. The third argument is the library that the handler belongs to, with whose own
    /// destructors it runs; null: with none's.
    fn __cxa_atexit(
        handler: unsafe extern "C" fn(*mut libc::c_void),
        argument: *mut libc::c_void,
        library: *mut libc::c_void,
    ) -> libc::c_int;
}

/// Has a function of this library called at exit.
pub(crate) fn at_exit(handler: unsafe extern "C" fn(*mut libc::c_void)) {
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { __cxa_atexit(handler, std::ptr::null_mut(), std::ptr::null_mut()) };
}

/// Has a function of this library called with `argument` when the library of this handle is closed, or at exit.
pub(crate) fn at_close(
    handler: unsafe extern "C" fn(*mut libc::c_void),
    argument: *mut libc::c_void,
    library: *mut libc::c_void,
) {
    // SAFETY: the handler is a function of this library, which is never unloaded; the handle is compared and never read.
    unsafe { __cxa_atexit(handler, argument, library) };
}

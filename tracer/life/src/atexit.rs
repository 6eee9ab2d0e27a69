//! Handlers that the C library calls at exit, or when a library is closed.

unsafe extern "C" {
    /// glibc's function, which the `libc` crate lacks. The third argument is the library with whose own destructors
    /// the handler runs; null for none.
    fn __cxa_atexit(
        handler: unsafe extern "C" fn(*mut libc::c_void),
        argument: *mut libc::c_void,
        library: *mut libc::c_void,
    ) -> libc::c_int;
}

/// Registers a function of this library that is called at exit.
pub(crate) fn at_exit(handler: unsafe extern "C" fn(*mut libc::c_void)) {
    // SAFETY: the handler is a function of this library, which is never unloaded.
    unsafe { __cxa_atexit(handler, std::ptr::null_mut(), std::ptr::null_mut()) };
}

/// Registers a function of this library that is called with `argument` when the library of this handle is closed, or
/// at exit.
pub(crate) fn at_close(
    handler: unsafe extern "C" fn(*mut libc::c_void),
    argument: *mut libc::c_void,
    library: *mut libc::c_void,
) {
    // SAFETY: the handler is a function of this library, which is never unloaded; the handle is compared and never read.
    unsafe { __cxa_atexit(handler, argument, library) };
}

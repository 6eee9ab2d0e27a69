//! A runtime's answers to inquiries: its library, its states, its mutex implementations.

use core::ffi::{CStr, c_char, c_int, c_void};
use ompt_sys::{ompt_function_lookup_t, ompt_interface_fn_t};

/// The runtime's look-up function.
#[derive(Clone, Copy)]
pub(crate) struct Lookup(pub(crate) ompt_function_lookup_t);

impl Lookup {
    /// The entry point called `name`, as the type that the interface gives it.
    ///
    /// # Safety
    /// `T` is the `Option` of the function type that omp-tools.h declares for `name`.
    pub(crate) unsafe fn find<T: Copy>(self, name: &CStr) -> Option<T> {
        const { assert!(size_of::<T>() == size_of::<ompt_interface_fn_t>()) };
        // SAFETY: the runtime's own look-up with a zero-terminated name.
        let found = unsafe { self.0?(name.as_ptr()) };
        found?;
        // SAFETY: both are options of a function pointer, by the caller's promise for this name.
        Some(unsafe { core::mem::transmute_copy::<ompt_interface_fn_t, T>(&found) })
    }

    /// An address inside the runtime; null if it is unknown. The look-up function itself may belong to another tool,
    /// but the functions that it finds are the runtime's own.
    fn inside(self) -> *const c_void {
        // SAFETY: any function type will do for its address.
        let inside = unsafe { self.find::<ompt_interface_fn_t>(c"ompt_get_thread_data") };
        inside.flatten().map_or(core::ptr::null(), |f| f as *const c_void)
    }

    /// An address inside the runtime as a number; 0 if it is unknown.
    pub(crate) fn address(self) -> u64 {
        self.inside().addr() as u64
    }

    /// Path of the runtime's library.
    pub(crate) fn library(self) -> String {
        let address = self.inside();
        let mut found = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: dladdr fills the structure or leaves the zeros; the name is a C string or null.
        unsafe {
            libc::dladdr(address, found.as_mut_ptr());
            text(found.assume_init().dli_fname)
        }
    }

    /// All states, each with number and name (OpenMP 5.2, 19.6.1.1).
    pub(crate) fn states(self) -> Vec<(u64, String)> {
        // SAFETY: the type is that of ompt_enumerate_states.
        let next =
            unsafe { self.find::<ompt_sys::ompt_enumerate_states_t>(c"ompt_enumerate_states") };
        // ompt_state_undefined: where an enumeration begins.
        const FIRST: c_int = 0x102;
        next.flatten().map_or_else(Vec::new, |next| {
            // SAFETY: the arguments point to an int and a name.
            enumerate(FIRST, |now, number, name| unsafe { next(now, number, name) })
        })
    }

    /// All mutex implementations, each with number and name (OpenMP 5.2, 19.6.1.2).
    pub(crate) fn mutex_implementations(self) -> Vec<(u64, String)> {
        // SAFETY: the type is that of ompt_enumerate_mutex_impls.
        let next = unsafe {
            self.find::<ompt_sys::ompt_enumerate_mutex_impls_t>(c"ompt_enumerate_mutex_impls")
        };
        next.flatten().map_or_else(Vec::new, |next| {
            // SAFETY: the arguments point to an int and a name.
            enumerate(0, |now, number, name| unsafe { next(now, number, name) })
        })
    }
}

/// Collects the items of an enumeration of the interface; one that does not end is stopped after 1,000.
fn enumerate(
    first: c_int,
    next: impl Fn(c_int, *mut c_int, *mut *const c_char) -> c_int,
) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let mut now = first;
    let mut name = core::ptr::null();
    while found.len() < 1000 && next(now, &raw mut now, &raw mut name) != 0 {
        // SAFETY: the runtime gave a C string or null.
        found.push((now as u64, unsafe { text(name) }));
    }
    found
}

/// A copy of a C string; empty for null.
///
/// # Safety
/// `string` is null or zero-terminated.
pub(crate) unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: by the caller's promise.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

//! Devices: initialisation and code (OpenMP 5.2, 19.5.2.31-19.5.2.34).

use crate::data::{at, bits};
use crate::inquiry::Lookup;
use crate::table::callbacks;
use crate::tracing;
use core::ffi::{c_char, c_int, c_void};
use ompt_sys::{ompt_device_t, ompt_function_lookup_t};
use ompttrace_life::device_begins;
use ompttrace_recorder::{LONGEST_TEXT, code_loaded, put_text};
use ompttrace_recording::events::{DeviceFinalize, DeviceInitialize, DeviceLoad, DeviceUnload};

callbacks! { TABLE;
    fn ompttrace_cb_device_initialize / DeviceInitialize / 0;
        (device: c_int, kind: *const c_char, handle: *mut ompt_device_t, lookup: ompt_function_lookup_t, documentation: *const c_char) |room| {
        // SAFETY: the runtime passes a C string or null.
        let text_bytes = unsafe { text(kind) }.len() as u64;
        DeviceInitialize { device: bits(device), text_bytes }
    } then {
        // SAFETY: the runtime passes a C string or null.
        put_text(unsafe { text(kind) });
    } outside {
        // SAFETY: the runtime passes a C string or null.
        let kind = unsafe { text(kind) };
        // What another source records does not have to trace itself.
        if !device_begins(kind) {
            tracing::begin(device, kind, handle, Lookup(lookup));
        }
    }
    fn ompttrace_cb_device_finalize / DeviceFinalize / 0; (device: c_int) |room| {
        DeviceFinalize { device: bits(device) }
    } outside {
        tracing::device_ends(device);
    }
    fn ompttrace_cb_device_load / DeviceLoad / 0;
        (device: c_int, file: *const c_char, offset: i64, vma: *mut c_void, bytes: usize, host: *mut c_void, address: *mut c_void, module: u64) |room| {
        DeviceLoad {
            device: bits(device),
            // SAFETY: the runtime passes a C string or null.
            text_bytes: unsafe { text(file) }.len() as u64,
            offset: offset as u64,
            vma: at(vma),
            bytes: bytes as u64,
            host: at(host),
            device_address: at(address),
            module,
        }
    } then {
        // SAFETY: the runtime passes a C string or null.
        put_text(unsafe { text(file) });
        // An image without a file may be code for this process: the host's plugin maps it from one that it unlinks
        // at once, and closes it before the program ends. The one callback that calls the kernel with room for its
        // record: the runtime has just done so itself, for each image once.
        if file.is_null() && !host.is_null() {
            code_loaded();
        }
    }
    fn ompttrace_cb_device_unload / DeviceUnload / 0; (device: c_int, module: u64) |room| {
        DeviceUnload { device: bits(device), module }
    }
}

/// The bytes of a C string, [`LONGEST_TEXT`] at most; empty for null.
unsafe fn text<'a>(string: *const c_char) -> &'a [u8] {
    if string.is_null() {
        return &[];
    }
    // SAFETY: the caller passes a zero-terminated string that lives during the callback.
    unsafe {
        let length = libc::strnlen(string, LONGEST_TEXT);
        core::slice::from_raw_parts(string.cast(), length)
    }
}

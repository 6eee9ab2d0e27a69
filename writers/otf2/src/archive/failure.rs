//! Errors that libotf2 reports: they are caught here, as it would print them to stderr otherwise.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use otf2_sys::failure::{OTF2_Error_RegisterCallback, VaList, message};
use otf2_sys::{OTF2_ERROR_INVALID, OTF2_Error_GetDescription, OTF2_ErrorCode, OTF2_SUCCESS};

use crate::Error;

thread_local! {
    /// The first error that libotf2 reported on this thread and that was not returned yet.
    static FIRST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Catches libotf2's errors in the whole process from now on; one of an earlier archive on this thread is discarded.
pub(super) fn catch() {
    FIRST.take();
    static CAUGHT: Once = Once::new();
    CAUGHT.call_once(|| {
        // SAFETY: the callback lives for ever and needs no data.
        let _ = unsafe { OTF2_Error_RegisterCallback(Some(note), null_mut()) };
    });
}

/// Returns an error, unless the code means success.
pub(super) fn check(code: OTF2_ErrorCode) -> Result<(), Error> {
    if code == OTF2_SUCCESS { Ok(()) } else { Err(Error::Write(reason(code))) }
}

/// Returns an error also if the library only reported one: when it closes a file, its code does not cover the bytes
/// that were still to be written.
pub(super) fn check_closed(code: OTF2_ErrorCode) -> Result<(), Error> {
    check(code)?;
    FIRST.take().map_or(Ok(()), |said| Err(Error::Write(said)))
}

/// The code of a call that gave no handle.
pub(super) const NO_HANDLE: OTF2_ErrorCode = OTF2_ERROR_INVALID;

/// The error reported on this thread, or else the library's description of the code.
pub(super) fn reason(code: OTF2_ErrorCode) -> String {
    FIRST.take().unwrap_or_else(|| {
        // SAFETY: gives a text of the library for any code, or null.
        let text = unsafe { OTF2_Error_GetDescription(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: a static string of the library.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    })
}

unsafe extern "C" fn note(
    _: *mut c_void,
    _: *const c_char,
    _: u64,
    function: *const c_char,
    code: OTF2_ErrorCode,
    format: *const c_char,
    arguments: VaList,
) -> OTF2_ErrorCode {
    // SAFETY: the library gives them for this one call.
    let text = unsafe { message(format, arguments) };
    let function = if function.is_null() {
        "".into()
    } else {
        // SAFETY: the library's own name of a function.
        unsafe { CStr::from_ptr(function) }.to_string_lossy()
    };
    // SAFETY: gives a text of the library for any code, or null.
    let meaning = unsafe { OTF2_Error_GetDescription(code) };
    let meaning = if meaning.is_null() {
        "".into()
    } else {
        // SAFETY: a static string of the library.
        unsafe { CStr::from_ptr(meaning) }.to_string_lossy()
    };
    FIRST.with_borrow_mut(|first| {
        first.get_or_insert_with(|| format!("{function}: {meaning}: {text}"));
    });
    code
}

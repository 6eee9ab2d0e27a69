//! The callback for errors, whose last argument is a C `va_list`.
//!
//! A `va_list` as a parameter is a pointer on every machine that we know: on x86-64 because it is an
//! array, on aarch64 because it is a structure too large for registers.

use core::ffi::{c_char, c_int, c_void};

use crate::OTF2_ErrorCode;

/// A `va_list` on its way from one C function to another; good for one use.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct VaList(*mut c_void);

/// Type of the callback that the library calls when an error occurs. The callback returns the code.
pub type OTF2_ErrorCallback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        file: *const c_char,
        line: u64,
        function: *const c_char,
        code: OTF2_ErrorCode,
        format: *const c_char,
        arguments: VaList,
    ) -> OTF2_ErrorCode,
>;

unsafe extern "C" {
    /// Sets the callback of the process and returns the one before; without one the library writes to
    /// stderr.
    pub fn OTF2_Error_RegisterCallback(
        callback: OTF2_ErrorCallback,
        user_data: *mut c_void,
    ) -> OTF2_ErrorCallback;

    fn vsnprintf(out: *mut c_char, size: usize, format: *const c_char, list: VaList) -> c_int;
}

/// The text of a failure, as the library would have printed it; a long one is cut.
///
/// # Safety
/// `format` and `arguments` are those of the callback that is running, not used before.
pub unsafe fn message(format: *const c_char, arguments: VaList) -> String {
    if format.is_null() {
        return String::new();
    }
    let mut text = [0u8; 1024];
    // SAFETY: the buffer has the given size, and the caller vouches for the rest.
    let length = unsafe { vsnprintf(text.as_mut_ptr().cast(), text.len(), format, arguments) };
    let length = usize::try_from(length).unwrap_or(0).min(text.len() - 1);
    String::from_utf8_lossy(&text[..length]).into_owned()
}

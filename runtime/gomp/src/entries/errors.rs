//! The `error` directive when it is encountered: the program's message is recorded before libgomp prints it.

use crate::call::Call;
use crate::entry::entries;
use crate::report;
use core::ffi::c_char;
use ompttrace_recorder::{LONGEST_TEXT, put_text};
use ompttrace_recording::Scope;
use ompttrace_recording::events::Error;

/// ompt_severity_t.
const WARNING: u64 = 1;
const FATAL: u64 = 2;

/// # Safety
/// `message` is as GCC's code passes it: null, or a text of `length` bytes, or a C string if that is -1.
unsafe fn error(call: &Call, kind: u64, message: *const c_char, length: usize) {
    call.task();
    // SAFETY: the caller's promise.
    let text: &[u8] = unsafe {
        let length = match length {
            _ if message.is_null() => 0,
            usize::MAX => libc::strnlen(message, LONGEST_TEXT),
            length => length.min(LONGEST_TEXT),
        };
        if length == 0 { &[] } else { core::slice::from_raw_parts(message.cast(), length) }
    };
    let event = Error { code: call.code, kind, text_bytes: text.len() as u64 };
    report::put(Error::NUMBER, Scope::None, event);
    if report::wants(Error::NUMBER) {
        put_text(text);
    }
}

entries! { TABLE;
    [GOMP_warning] (message: *const c_char, length: usize) |call, real| {
        error(&call, WARNING, message, length);
        real(message, length)
    }
    [GOMP_error] (message: *const c_char, length: usize) |call, real| {
        error(&call, FATAL, message, length);
        real(message, length)
    }
}

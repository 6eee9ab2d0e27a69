//! The library reports its failures to our callback. It is one for the process, hence a file of its own.

mod writer;

use std::ffi::{c_char, c_void};
use std::sync::Mutex;

use otf2_sys::failure::{OTF2_Error_RegisterCallback, VaList, message};
use otf2_sys::*;
use writer::Archive;

static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "C" fn report(
    _: *mut c_void,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    code: OTF2_ErrorCode,
    format: *const c_char,
    arguments: VaList,
) -> OTF2_ErrorCode {
    // SAFETY: both come from the library, and this is their only use.
    REPORTED.lock().expect("no panic").push(unsafe { message(format, arguments) });
    code
}

#[test]
fn time_that_goes_back_is_refused_with_a_message() {
    // SAFETY: the callback lives for ever.
    unsafe { OTF2_Error_RegisterCallback(Some(report), std::ptr::null_mut()) };
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(&folder.path().join("run"));
    let events = archive.events(0);
    // SAFETY: the writer is open until the archive is closed.
    let codes = unsafe {
        [
            OTF2_EvtWriter_Enter(events, std::ptr::null_mut(), 10, 0),
            OTF2_EvtWriter_Leave(events, std::ptr::null_mut(), 9, 0),
            OTF2_EvtWriter_Leave(events, std::ptr::null_mut(), 11, 0),
        ]
    };
    assert_eq!([codes[0], codes[2]], [OTF2_SUCCESS; 2]);
    assert_ne!(codes[1], OTF2_SUCCESS);
    let reported = REPORTED.lock().expect("no panic").clone();
    // The numbers come through the `va_list`.
    assert!(reported.len() == 1 && reported[0].contains("(9 < 10)"), "{reported:?}");
    archive.finish_events(0, events);
    archive.close(&[2, 0]);
}

//! Threads: begin and end (OpenMP 5.2, 19.5.2.1 and 19.5.2.2).

use crate::data::Data;
use crate::table::{CallbackEntry, callbacks, code};
use ompt_sys::ompt_thread_t;
use ompttrace_recording::events::{ThreadBegin, ThreadEnd};

callbacks! { TABLE;
    fn ompttrace_cb_thread_begin / ThreadBegin / 0; (kind: ompt_thread_t, thread: Data) |room| {
        ThreadBegin { thread_type: kind.into() }
    }
}

/// thread_end is separate: the thread releases its memory, also where the event itself is
/// not recorded.
pub(crate) const END: &[CallbackEntry] =
    &[CallbackEntry::new(ThreadEnd::NUMBER, ompttrace_cb_thread_end as *const ())];

unsafe extern "C-unwind" fn ompttrace_cb_thread_end(_thread: Data) {
    let code = code::<{ ThreadEnd::NUMBER }>(0);
    match ompttrace_recorder::room() {
        Some(room) => room.put(code, ThreadEnd {}),
        None => ompttrace_recorder::slow(code, |room| {
            if let Some(room) = room {
                room.put(code, ThreadEnd {});
            }
        }),
    }
    ompttrace_life::thread_ends();
    ompttrace_recorder::thread_ended();
}

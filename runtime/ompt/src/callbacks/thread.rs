//! Threads: begin and end (OpenMP 5.2, 19.5.2.1 and 19.5.2.2).

use crate::data::Data;
use crate::register::Family;
use crate::table::callbacks;
use ompt_sys::ompt_thread_t;
use ompttrace_recording::events::{ThreadBegin, ThreadEnd};

callbacks! { TABLE: Family::Base;
    fn ompttrace_cb_thread_begin / ThreadBegin / 0; (kind: ompt_thread_t, thread: Data) |room| {
        ThreadBegin { thread_type: kind.into() }
    }
    fn ompttrace_cb_thread_end / ThreadEnd / 0; (thread: Data) |room| {
        ThreadEnd {}
    } then {
        ompttrace_recorder::thread_ended();
    }
}

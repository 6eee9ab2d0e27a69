//! Sections: each one that a thread takes is a chunk. In a team of one thread there is no call.

use crate::entries::loops::left;
use crate::entry::entries;
use crate::report::{kind, work};
use core::ffi::c_int;
use core::sync::atomic::Ordering;
use ompttrace_in_front::loops;
use ompttrace_recording::Scope;

entries! { settled;
    ort_entering_sections (nowait: c_int, count: c_int) |call, real| {
        let task = call.task();
        task.work.set(kind::SECTIONS);
        task.nowait.store(nowait != 0, Ordering::Relaxed);
        work(Scope::Begin, kind::SECTIONS, call.code, task.id.get(), count.max(0) as u64);
        real(nowait, count)
    }
    // Below 0: there is none left.
    ort_get_section () -> c_int |_call, real| {
        // Where it is the first one no chunk is open, and readers ignore this.
        loops::over();
        let section = real();
        if section >= 0 {
            loops::section(section as u64 + 1);
        }
        section
    }
    ort_leaving_sections () |call, real| {
        real();
        left(&call);
    }
}

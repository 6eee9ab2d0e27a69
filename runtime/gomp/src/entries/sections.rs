//! Sections: each one that a thread takes is a chunk.

use crate::call::Call;
use crate::entries::loops::loop_ends;
use crate::entry::entries;
use crate::report::{kind, waiting, work};
use core::ffi::{c_uint, c_void};
use ompttrace_in_front::loops;
use ompttrace_recording::Scope;

fn begin(call: &Call, count: c_uint) {
    call.task().work.set(kind::SECTIONS);
    work(Scope::Begin, kind::SECTIONS, call.code, call.task_id(), count.into());
}

/// Records the section that the thread has taken, by its number from 1; 0 if none is left, which is not recorded.
fn taken(section: c_uint) -> c_uint {
    if section != 0 {
        loops::section(section.into());
    }
    section
}

entries! { TABLE;
    [GOMP_sections_start] (count: c_uint) -> c_uint |call, real| {
        begin(&call, count);
        taken(real(count))
    }
    [GOMP_sections2_start] (count: c_uint, reductions: *mut usize, memory: *mut *mut c_void) -> c_uint |call, real| {
        begin(&call, count);
        taken(real(count, reductions, memory))
    }
    [GOMP_sections_next] () -> c_uint |call, real| {
        call.task();
        loops::over();
        taken(real())
    }
    [GOMP_sections_end] () |call, real| {
        loop_ends(&call);
        waiting(&call, kind::BARRIER_WORKSHARE, || real())
    }
    [GOMP_sections_end_cancel] () -> bool |call, real| {
        loop_ends(&call);
        waiting(&call, kind::BARRIER_WORKSHARE, || real())
    }
    [GOMP_sections_end_nowait] () |call, real| {
        real();
        loop_ends(&call);
    }
}

//! Loops over `long`: their begins, chunks and ends. A static loop with a fixed chunk is compiled without any call,
//! and so is not reported.

use crate::call::Call;
use crate::entry::entries;
use crate::inquiry;
use crate::report::{kind, waiting, work};
use core::ffi::{c_long, c_uint, c_void};
use ompttrace_in_front::loops;
use ompttrace_recording::Scope;

/// A schedule that is known only when the loop begins.
pub(crate) const RUNTIME: u64 = 0;

/// The kind of work of a schedule: omp_sched_t's numbers, which libgomp's own follow.
pub(crate) fn of_schedule(schedule: u64) -> u64 {
    match schedule {
        1 => kind::STATIC,
        2 => kind::DYNAMIC,
        3 => kind::GUIDED,
        _ => kind::OTHER,
    }
}

/// The kind of work, with the runtime's present schedule for [`RUNTIME`].
pub(crate) fn resolved(library: usize, kind: u64) -> u64 {
    if kind == RUNTIME { of_schedule(inquiry::runtime_schedule(library)) } else { kind }
}

/// Number of iterations from `start` to before `end`.
pub(crate) fn trips(start: c_long, end: c_long, step: c_long) -> u64 {
    let (low, high) = if step > 0 { (start, end) } else { (end, start) };
    let distance = (high as i128 - low as i128).max(0) as u128;
    distance.div_ceil(step.unsigned_abs().max(1).into()) as u64
}

/// Records that a loop begins on the calling thread.
pub(crate) fn loop_begins(call: &Call, kind: u64, step: i64, count: u64) {
    let task = call.task();
    let kind = resolved(call.library, kind);
    task.work.set(kind);
    task.step.set(step);
    work(Scope::Begin, kind, call.code, task.id.get(), count);
}

/// Records that a loop whose iterations depend on each other begins; `count` is the number of iterations of its
/// outermost loop.
pub(crate) fn doacross_begins(call: &Call, kind: u64, loops: c_uint, count: u64) {
    call.task().dimensions.set(loops.into());
    loop_begins(call, kind, 1, count);
}

/// Records that a loop or sections have ended for the calling thread.
pub(crate) fn loop_ends(call: &Call) {
    let task = call.task();
    work(Scope::End, task.work.get(), call.code, task.id.get(), 0);
}

/// Records that a thread has taken the iterations from `start` to before `end`.
pub(crate) fn chunk(call: &Call, start: u64, end: u64) {
    let step = call.task().step.get();
    let distance = if step < 0 { start.wrapping_sub(end) } else { end.wrapping_sub(start) };
    let count = distance.div_ceil(step.unsigned_abs().max(1));
    loops::chunk(start, count);
}

/// Address at which libgomp stores the first iteration of a chunk or the end of it.
type Bound = *mut c_long;

/// # Safety
/// libgomp has stored both ends when it `got` something.
unsafe fn taken(call: &Call, got: bool, start: Bound, end: Bound) -> bool {
    if got {
        // SAFETY: the caller's promise.
        unsafe { chunk(call, *start as u64, *end as u64) };
    }
    got
}

entries! { TABLE;
    [
        GOMP_loop_static_start = kind::STATIC,
        GOMP_loop_dynamic_start = kind::DYNAMIC,
        GOMP_loop_guided_start = kind::GUIDED,
        GOMP_loop_nonmonotonic_dynamic_start = kind::DYNAMIC,
        GOMP_loop_nonmonotonic_guided_start = kind::GUIDED,
        GOMP_loop_ordered_static_start = kind::STATIC,
        GOMP_loop_ordered_dynamic_start = kind::DYNAMIC,
        GOMP_loop_ordered_guided_start = kind::GUIDED,
    ] (start: c_long, end: c_long, step: c_long, size: c_long, first: Bound, last: Bound) -> bool |call, real, kind| {
        loop_begins(&call, kind, step, trips(start, end, step));
        taken(&call, real(start, end, step, size, first, last), first, last)
    }
    [
        GOMP_loop_runtime_start = RUNTIME,
        GOMP_loop_nonmonotonic_runtime_start = RUNTIME,
        GOMP_loop_maybe_nonmonotonic_runtime_start = RUNTIME,
        GOMP_loop_ordered_runtime_start = RUNTIME,
    ] (start: c_long, end: c_long, step: c_long, first: Bound, last: Bound) -> bool |call, real, kind| {
        loop_begins(&call, kind, step, trips(start, end, step));
        taken(&call, real(start, end, step, first, last), first, last)
    }
    // With task reductions or memory of its own; for a static loop, whose iterations are compiled in,
    // the pointers are null.
    [GOMP_loop_start, GOMP_loop_ordered_start]
        (start: c_long, end: c_long, step: c_long, schedule: c_long, size: c_long, first: Bound, last: Bound,
         reductions: *mut usize, memory: *mut *mut c_void) -> bool |call, real| {
        let kind = match schedule as u64 & 0x7fff_ffff {
            0 => RUNTIME,
            other => of_schedule(other),
        };
        loop_begins(&call, kind, step, trips(start, end, step));
        let got = real(start, end, step, schedule, size, first, last, reductions, memory);
        taken(&call, got && !first.is_null(), first, last);
        got
    }
    [
        GOMP_loop_doacross_static_start = kind::STATIC,
        GOMP_loop_doacross_dynamic_start = kind::DYNAMIC,
        GOMP_loop_doacross_guided_start = kind::GUIDED,
    ] (loops: c_uint, counts: *mut c_long, size: c_long, first: Bound, last: Bound) -> bool |call, real, kind| {
        doacross_begins(&call, kind, loops, *counts as u64);
        taken(&call, real(loops, counts, size, first, last), first, last)
    }
    [GOMP_loop_doacross_runtime_start]
        (loops: c_uint, counts: *mut c_long, first: Bound, last: Bound) -> bool |call, real| {
        doacross_begins(&call, RUNTIME, loops, *counts as u64);
        taken(&call, real(loops, counts, first, last), first, last)
    }
    [GOMP_loop_doacross_start]
        (loops: c_uint, counts: *mut c_long, schedule: c_long, size: c_long, first: Bound, last: Bound,
         reductions: *mut usize, memory: *mut *mut c_void) -> bool |call, real| {
        let kind = match schedule as u64 & 0x7fff_ffff {
            0 => RUNTIME,
            other => of_schedule(other),
        };
        doacross_begins(&call, kind, loops, *counts as u64);
        let got = real(loops, counts, schedule, size, first, last, reductions, memory);
        taken(&call, got && !first.is_null(), first, last);
        got
    }
    [GOMP_loop_end] () |call, real| {
        loop_ends(&call);
        waiting(&call, kind::BARRIER_WORKSHARE, || real())
    }
    [GOMP_loop_end_cancel] () -> bool |call, real| {
        loop_ends(&call);
        waiting(&call, kind::BARRIER_WORKSHARE, || real())
    }
    [GOMP_loop_end_nowait] () |call, real| {
        real();
        loop_ends(&call);
    }
}

entries! { NEXT;
    [
        GOMP_loop_static_next,
        GOMP_loop_dynamic_next,
        GOMP_loop_guided_next,
        GOMP_loop_runtime_next,
        GOMP_loop_nonmonotonic_dynamic_next,
        GOMP_loop_nonmonotonic_guided_next,
        GOMP_loop_nonmonotonic_runtime_next,
        GOMP_loop_maybe_nonmonotonic_runtime_next,
        GOMP_loop_ordered_static_next,
        GOMP_loop_ordered_dynamic_next,
        GOMP_loop_ordered_guided_next,
        GOMP_loop_ordered_runtime_next,
    ] (first: Bound, last: Bound) -> bool |call, real| {
        loops::over();
        taken(&call, real(first, last), first, last)
    }
}

#[cfg(test)]
mod tests {
    use super::trips;

    #[test]
    fn iterations_are_counted_up_and_down() {
        assert_eq!(trips(0, 100, 1), 100);
        assert_eq!(trips(0, 100, 7), 15);
        assert_eq!(trips(100, 0, -7), 15);
        assert_eq!(trips(5, 5, 1), 0);
        assert_eq!(trips(5, 0, 1), 0);
        assert_eq!(trips(i64::MIN, i64::MAX, 1), u64::MAX);
    }
}

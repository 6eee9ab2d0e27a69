//! Loops over `unsigned long long`, and over ranges that do not fit in `long`; `up` is true if they count upwards.

use crate::call::Call;
use crate::entries::loops::{RUNTIME, chunk, doacross_begins, loop_begins, of_schedule};
use crate::entry::entries;
use crate::report::kind;
use core::ffi::{c_long, c_uint, c_ulonglong, c_void};
use ompttrace_in_front::loops;

/// Address at which libgomp stores the first iteration of a chunk or the end of it.
type Bound = *mut c_ulonglong;

/// Number of iterations from `start` to before `end`; for a loop that counts downwards, `step` has the bits of a
/// negative number.
pub(crate) fn trips(up: bool, start: u64, end: u64, step: u64) -> u64 {
    if up {
        end.saturating_sub(start).div_ceil(step.max(1))
    } else {
        start.saturating_sub(end).div_ceil(step.wrapping_neg().max(1))
    }
}

/// # Safety
/// libgomp has stored both ends when it `got` something.
unsafe fn taken(call: &Call, got: bool, start: Bound, end: Bound) -> bool {
    if got {
        // SAFETY: the caller's promise.
        unsafe { chunk(call, *start, *end) };
    }
    got
}

fn begin(call: &Call, kind: u64, up: bool, start: u64, end: u64, step: u64) {
    loop_begins(call, kind, step as i64, trips(up, start, end, step));
}

/// Kind of work of libgomp's number of a schedule, which may include a modifier.
fn of(schedule: c_long) -> u64 {
    match schedule as u64 & 0x7fff_ffff {
        0 => RUNTIME,
        other => of_schedule(other),
    }
}

entries! { TABLE;
    [
        GOMP_loop_ull_static_start = kind::STATIC,
        GOMP_loop_ull_dynamic_start = kind::DYNAMIC,
        GOMP_loop_ull_guided_start = kind::GUIDED,
        GOMP_loop_ull_nonmonotonic_dynamic_start = kind::DYNAMIC,
        GOMP_loop_ull_nonmonotonic_guided_start = kind::GUIDED,
        GOMP_loop_ull_ordered_static_start = kind::STATIC,
        GOMP_loop_ull_ordered_dynamic_start = kind::DYNAMIC,
        GOMP_loop_ull_ordered_guided_start = kind::GUIDED,
    ] (up: bool, start: u64, end: u64, step: u64, size: u64, first: Bound, last: Bound) -> bool |call, real, kind| {
        begin(&call, kind, up, start, end, step);
        taken(&call, real(up, start, end, step, size, first, last), first, last)
    }
    [
        GOMP_loop_ull_runtime_start = RUNTIME,
        GOMP_loop_ull_nonmonotonic_runtime_start = RUNTIME,
        GOMP_loop_ull_maybe_nonmonotonic_runtime_start = RUNTIME,
        GOMP_loop_ull_ordered_runtime_start = RUNTIME,
    ] (up: bool, start: u64, end: u64, step: u64, first: Bound, last: Bound) -> bool |call, real, kind| {
        begin(&call, kind, up, start, end, step);
        taken(&call, real(up, start, end, step, first, last), first, last)
    }
    [GOMP_loop_ull_start, GOMP_loop_ull_ordered_start]
        (up: bool, start: u64, end: u64, step: u64, schedule: c_long, size: u64, first: Bound, last: Bound,
         reductions: *mut usize, memory: *mut *mut c_void) -> bool |call, real| {
        begin(&call, of(schedule), up, start, end, step);
        let got = real(up, start, end, step, schedule, size, first, last, reductions, memory);
        taken(&call, got && !first.is_null(), first, last);
        got
    }
    [
        GOMP_loop_ull_doacross_static_start = kind::STATIC,
        GOMP_loop_ull_doacross_dynamic_start = kind::DYNAMIC,
        GOMP_loop_ull_doacross_guided_start = kind::GUIDED,
    ] (loops: c_uint, counts: Bound, size: u64, first: Bound, last: Bound) -> bool |call, real, kind| {
        doacross_begins(&call, kind, loops, *counts);
        taken(&call, real(loops, counts, size, first, last), first, last)
    }
    [GOMP_loop_ull_doacross_runtime_start]
        (loops: c_uint, counts: Bound, first: Bound, last: Bound) -> bool |call, real| {
        doacross_begins(&call, RUNTIME, loops, *counts);
        taken(&call, real(loops, counts, first, last), first, last)
    }
    [GOMP_loop_ull_doacross_start]
        (loops: c_uint, counts: Bound, schedule: c_long, size: u64, first: Bound, last: Bound,
         reductions: *mut usize, memory: *mut *mut c_void) -> bool |call, real| {
        doacross_begins(&call, of(schedule), loops, *counts);
        let got = real(loops, counts, schedule, size, first, last, reductions, memory);
        taken(&call, got && !first.is_null(), first, last);
        got
    }
    [
        GOMP_loop_ull_static_next,
        GOMP_loop_ull_dynamic_next,
        GOMP_loop_ull_guided_next,
        GOMP_loop_ull_runtime_next,
        GOMP_loop_ull_nonmonotonic_dynamic_next,
        GOMP_loop_ull_nonmonotonic_guided_next,
        GOMP_loop_ull_nonmonotonic_runtime_next,
        GOMP_loop_ull_maybe_nonmonotonic_runtime_next,
        GOMP_loop_ull_ordered_static_next,
        GOMP_loop_ull_ordered_dynamic_next,
        GOMP_loop_ull_ordered_guided_next,
        GOMP_loop_ull_ordered_runtime_next,
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
        assert_eq!(trips(true, 0, 100, 7), 15);
        assert_eq!(trips(false, 100, 0, 7u64.wrapping_neg()), 15);
        assert_eq!(trips(true, 5, 0, 1), 0);
        assert_eq!(trips(true, 0, u64::MAX, 1), u64::MAX);
    }
}

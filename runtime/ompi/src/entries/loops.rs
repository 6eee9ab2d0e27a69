//! Loops: their begins, chunks and ends.
//!
//! The call that enters a loop has neither its schedule nor its iterations; the call that follows it at once does: it
//! asks for the whole share of a static loop, for the first chunk of another, or for the thread's number if chunks of
//! a static loop are compiled in. So the begin is recorded by that call, or at the latest before any other record.

use crate::call::Call;
use crate::entry::entries;
use crate::own;
use crate::report::{kind, work};
use core::ffi::{c_int, c_long, c_ulong};
use core::sync::atomic::Ordering;
use ompttrace_in_front::loops;
use ompttrace_recording::Scope;

/// Type of ORT's functions that return a loop's chunks, for a schedule that is known only at run time.
type Chunky = unsafe extern "C-unwind" fn(
    c_ulong,
    c_ulong,
    c_int,
    *mut c_ulong,
    *mut c_ulong,
    *mut c_int,
) -> c_int;
/// Address at which ORT stores the first iteration of a chunk or the end of it.
type Bound = *mut c_ulong;
/// A loop of a nest: first value, step, iterations.
type Dimension = [c_long; 3];

/// Notes that a loop is entered; `iterations` is 0 if they are not known yet.
fn entered(call: &Call, nowait: c_int, iterations: u64) {
    let task = call.task();
    task.nowait.store(nowait != 0, Ordering::Relaxed);
    match own::of(call.thread) {
        Some(own) => {
            own.entered.set(call.code);
            own.iterations.set(iterations);
        }
        None => begins(call, call.code, kind::LOOP, iterations),
    }
}

fn begins(call: &Call, code: u64, kind: u64, iterations: u64) {
    let task = call.task();
    task.work.set(kind);
    work(Scope::Begin, kind, code, task.id.get(), iterations);
}

/// Records the begin of a loop that was entered and not recorded yet, with this schedule, and with `iterations` unless
/// it is 0. Returns true if there was such a loop.
#[inline(always)]
fn is_of_kind(call: &Call, kind: u64, iterations: u64) -> bool {
    let Some(own) = own::of(call.thread) else { return false };
    let code = own.entered.replace(0);
    if code != 0 {
        let known = if iterations == 0 { own.iterations.get() } else { iterations };
        begins(call, code, kind, known);
    }
    code != 0
}

/// Notes that the thread asks for a chunk of a loop of this kind: the first one, or a further one, which ends the one
/// before.
#[inline(always)]
fn asks_for_chunk(call: &Call, kind: u64, iterations: u64) {
    if !is_of_kind(call, kind, iterations) {
        loops::over();
    }
}

/// Records a loop that was only entered, before another record: nothing more is known of it.
#[inline(always)]
pub(crate) fn settle(call: &Call) {
    is_of_kind(call, kind::LOOP, 0);
}

/// # Safety
/// ORT has stored both ends when it `got` something.
#[inline(always)]
unsafe fn taken(got: c_int, first: Bound, end: Bound) -> c_int {
    if got != 0 {
        // SAFETY: the caller's promise.
        let (first, end) = unsafe { (*first, *end) };
        loops::chunk(first, end.saturating_sub(first));
    }
    got
}

entries! { begin;
    ort_entering_for (nowait: c_int, ordered: c_int) |call, real| {
        settle(&call);
        entered(&call, nowait, 0);
        real(nowait, ordered)
    }
    // So many loops of the nest are ordered, and share iterations.
    ort_entering_doacross
        (nowait: c_int, ordered: c_int, collapsed: c_int, schedule: c_int, size: c_int, nest: *const Dimension) |call, real| {
        settle(&call);
        let dimensions = ordered.max(0) as usize;
        let shared = (collapsed.max(1) as usize).min(dimensions);
        let iterations = (0..shared).map(|at| (*nest.add(at))[2].max(0) as u64).product();
        call.task().dimensions.set(dimensions as u64);
        entered(&call, nowait, iterations);
        real(nowait, ordered, collapsed, schedule, size, nest)
    }
    ort_get_static_default_chunk (iterations: c_ulong, first: Bound, end: Bound) -> c_int |call, real| {
        is_of_kind(&call, kind::STATIC, iterations);
        taken(real(iterations, first, end), first, end)
    }
    ort_get_dynamic_chunk
        (iterations: c_ulong, size: c_ulong, monotonic: c_int, first: Bound, end: Bound, extra: *mut c_int) -> c_int
        |call, real| {
        asks_for_chunk(&call, kind::DYNAMIC, iterations);
        taken(real(iterations, size, monotonic, first, end, extra), first, end)
    }
    ort_get_guided_chunk
        (iterations: c_ulong, size: c_ulong, monotonic: c_int, first: Bound, end: Bound, extra: *mut c_int) -> c_int
        |call, real| {
        asks_for_chunk(&call, kind::GUIDED, iterations);
        taken(real(iterations, size, monotonic, first, end, extra), first, end)
    }
    ort_get_runtimestatic_chunk
        (iterations: c_ulong, size: c_ulong, monotonic: c_int, first: Bound, end: Bound, extra: *mut c_int) -> c_int
        |call, real| {
        asks_for_chunk(&call, kind::STATIC, iterations);
        taken(real(iterations, size, monotonic, first, end, extra), first, end)
    }
    // ORT names its own functions, which no call of another object's goes through.
    ort_get_runtime_schedule_stuff (function: *mut Chunky, size: *mut c_ulong) |_call, real| {
        real(function, size);
        let known: [(usize, Chunky); 3] = [
            (super::ort_get_dynamic_chunk::address(), super::ort_get_dynamic_chunk::wrapper),
            (super::ort_get_guided_chunk::address(), super::ort_get_guided_chunk::wrapper),
            (super::ort_get_runtimestatic_chunk::address(), super::ort_get_runtimestatic_chunk::wrapper),
        ];
        let found = known.iter().find(|(real, _)| *real == *function as usize);
        if let Some((_, ours)) = found {
            *function = *ours;
        }
    }
    omp_get_thread_num () -> c_int |call, real| {
        is_of_kind(&call, kind::STATIC, 0);
        real()
    }
}

entries! { settled;
    ort_leaving_for () -> c_int |call, real| {
        let left = real();
        super::left(&call);
        left
    }
}

/// Records that a loop or sections have ended for the calling thread.
pub(crate) fn left(call: &Call) {
    let task = call.task();
    work(Scope::End, task.work.get(), call.code, task.id.get(), 0);
    if let Some(own) = own::of(call.thread) {
        own.closes.set(!task.nowait.load(Ordering::Relaxed));
    }
}

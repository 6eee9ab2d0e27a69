//! Parallel regions, plain and combined with a loop or sections, and in the form in which code of GCC before 4.9
//! begins and ends them by separate calls.

use crate::call::Call;
use crate::entries::loops::{RUNTIME, resolved, trips};
use crate::entry::entries;
use crate::own;
use crate::region::{Combined, Outlined, Region, team_thread};
use crate::report::kind;
use crate::thread::Thread;
use core::ffi::{c_long, c_uint, c_void};

/// The program's data for an outlined function.
type Data = *mut c_void;

fn of_loop(call: &Call, kind: u64, start: c_long, end: c_long, step: c_long) -> Combined {
    Combined { kind: resolved(call.library, kind), step, count: trips(start, end, step) }
}

/// Records a region and executes it by `run`, which passes the region to libgomp instead of the outlined function's
/// data.
fn whole<T>(
    call: &Call,
    function: Outlined,
    data: Data,
    threads: c_uint,
    combined: Combined,
    run: impl FnOnce(&Region) -> T,
) -> T {
    let region = Region::new();
    region.combined(combined);
    region.begin(call, function, data, threads);
    let result = run(&region);
    region.end(call);
    result
}

entries! { TABLE;
    [GOMP_parallel] (function: Outlined, data: Data, threads: c_uint, flags: c_uint) |call, real| {
        whole(&call, function, data, threads, Combined::default(), |region| {
            real(team_thread, region.argument(), threads, flags)
        })
    }
    [GOMP_parallel_reductions] (function: Outlined, data: Data, threads: c_uint, flags: c_uint) -> c_uint |call, real| {
        whole(&call, function, data, threads, Combined::default(), |region| {
            region.keep_first();
            real(team_thread, region.argument(), threads, flags)
        })
    }
    [GOMP_parallel_sections] (function: Outlined, data: Data, threads: c_uint, count: c_uint, flags: c_uint) |call, real| {
        let combined = Combined { kind: kind::SECTIONS, step: 1, count: count.into() };
        whole(&call, function, data, threads, combined, |region| {
            real(team_thread, region.argument(), threads, count, flags)
        })
    }
}

entries! { LOOPS;
    [
        GOMP_parallel_loop_static = kind::STATIC,
        GOMP_parallel_loop_dynamic = kind::DYNAMIC,
        GOMP_parallel_loop_guided = kind::GUIDED,
        GOMP_parallel_loop_nonmonotonic_dynamic = kind::DYNAMIC,
        GOMP_parallel_loop_nonmonotonic_guided = kind::GUIDED,
    ] (function: Outlined, data: Data, threads: c_uint, start: c_long, end: c_long, step: c_long, size: c_long,
       flags: c_uint) |call, real, kind| {
        let combined = of_loop(&call, kind, start, end, step);
        whole(&call, function, data, threads, combined, |region| {
            real(team_thread, region.argument(), threads, start, end, step, size, flags)
        })
    }
    [
        GOMP_parallel_loop_runtime = RUNTIME,
        GOMP_parallel_loop_nonmonotonic_runtime = RUNTIME,
        GOMP_parallel_loop_maybe_nonmonotonic_runtime = RUNTIME,
    ] (function: Outlined, data: Data, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint)
      |call, real, kind| {
        let combined = of_loop(&call, kind, start, end, step);
        whole(&call, function, data, threads, combined, |region| {
            real(team_thread, region.argument(), threads, start, end, step, flags)
        })
    }
}

/// Begins a region of the old form, whose team works when the call returns; the primary thread calls the outlined
/// function itself. Regions that are nested too deeply for the memory are executed unreported.
fn old(
    call: &Call,
    function: Outlined,
    data: Data,
    threads: c_uint,
    combined: Combined,
    run: impl FnOnce(Outlined, Data),
) {
    let thread = call.thread;
    // It has its memory from here on, or does without to its end.
    call.task();
    let depth = thread.depth.get();
    thread.depth.set(depth + 1);
    let Some(region) = old_region(thread, depth) else { return run(function, data) };
    region.combined(combined);
    region.begin(call, function, data, threads);
    run(team_thread, region.argument());
    region.primary_begins_directly(thread);
}

/// The slot of the old region inside `depth` other ones.
fn old_region(thread: &'static Thread, depth: u32) -> Option<&'static Region> {
    own::of(thread)?.old.get(depth as usize)
}

/// Ends the innermost old region.
fn old_ends(call: &Call, run: impl FnOnce()) {
    let depth = call.thread.depth.get().saturating_sub(1);
    call.thread.depth.set(depth);
    let Some(region) = old_region(call.thread, depth) else { return run() };
    region.primary_rests();
    run();
    region.end(call);
}

entries! { OLD;
    [GOMP_parallel_start] (function: Outlined, data: Data, threads: c_uint) |call, real| {
        old(&call, function, data, threads, Combined::default(), |f, d| real(f, d, threads))
    }
    [GOMP_parallel_sections_start] (function: Outlined, data: Data, threads: c_uint, count: c_uint) |call, real| {
        let combined = Combined { kind: kind::SECTIONS, step: 1, count: count.into() };
        old(&call, function, data, threads, combined, |f, d| real(f, d, threads, count))
    }
    [
        GOMP_parallel_loop_static_start = kind::STATIC,
        GOMP_parallel_loop_dynamic_start = kind::DYNAMIC,
        GOMP_parallel_loop_guided_start = kind::GUIDED,
    ] (function: Outlined, data: Data, threads: c_uint, start: c_long, end: c_long, step: c_long, size: c_long)
      |call, real, kind| {
        let combined = of_loop(&call, kind, start, end, step);
        old(&call, function, data, threads, combined, |f, d| real(f, d, threads, start, end, step, size))
    }
    [GOMP_parallel_loop_runtime_start]
        (function: Outlined, data: Data, threads: c_uint, start: c_long, end: c_long, step: c_long) |call, real| {
        let combined = of_loop(&call, RUNTIME, start, end, step);
        old(&call, function, data, threads, combined, |f, d| real(f, d, threads, start, end, step))
    }
    [GOMP_parallel_end] () |call, real| {
        old_ends(&call, || real())
    }
}

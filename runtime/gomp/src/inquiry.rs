//! Inquiries to each libgomp, about the calling thread and about settings.

use crate::libraries::LIBRARIES;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Functions of a libgomp that answer inquiries, and an answer that never changes.
struct Inquiry {
    may_cancel: AtomicBool,
    thread_num: AtomicPtr<c_void>,
    num_threads: AtomicPtr<c_void>,
    max_threads: AtomicPtr<c_void>,
    schedule: AtomicPtr<c_void>,
    level: AtomicPtr<c_void>,
    ancestor: AtomicPtr<c_void>,
}

static INQUIRIES: [Inquiry; LIBRARIES] = [const {
    Inquiry {
        may_cancel: AtomicBool::new(false),
        thread_num: AtomicPtr::new(core::ptr::null_mut()),
        num_threads: AtomicPtr::new(core::ptr::null_mut()),
        max_threads: AtomicPtr::new(core::ptr::null_mut()),
        schedule: AtomicPtr::new(core::ptr::null_mut()),
        level: AtomicPtr::new(core::ptr::null_mut()),
        ancestor: AtomicPtr::new(core::ptr::null_mut()),
    }
}; LIBRARIES];

fn inquiry(library: usize) -> &'static Inquiry {
    #[allow(clippy::indexing_slicing, reason = "the remainder is below the length")]
    &INQUIRIES[library % LIBRARIES]
}

/// Sets the functions that answer inquiries about the calling thread.
pub(crate) fn set_inquiry(library: usize, thread_num: *mut c_void, num_threads: *mut c_void) {
    inquiry(library).thread_num.store(thread_num, Ordering::Release);
    inquiry(library).num_threads.store(num_threads, Ordering::Release);
}

/// Sets the functions that answer inquiries about settings: the number of threads of the next region, and the run-time
/// schedule.
pub(crate) fn set_more(library: usize, max_threads: *mut c_void, schedule: *mut c_void) {
    inquiry(library).max_threads.store(max_threads, Ordering::Release);
    inquiry(library).schedule.store(schedule, Ordering::Release);
}

/// Sets the functions that answer inquiries about the enclosing regions.
pub(crate) fn set_levels(library: usize, level: *mut c_void, ancestor: *mut c_void) {
    inquiry(library).level.store(level, Ordering::Release);
    inquiry(library).ancestor.store(ancestor, Ordering::Release);
}

/// Asks a libgomp whether anything can be cancelled in this process, which depends on the environment alone.
pub(crate) fn ask_may_cancel(library: usize, function: *mut c_void) {
    let answer = ask(&AtomicPtr::new(function), 0);
    inquiry(library).may_cancel.store(answer != 0, Ordering::Release);
}

/// True if tasks may be cancelled before they begin.
#[inline(always)]
pub(crate) fn may_cancel(library: usize) -> bool {
    inquiry(library).may_cancel.load(Ordering::Relaxed)
}

fn ask(function: &AtomicPtr<c_void>, unknown: u64) -> u64 {
    let function = function.load(Ordering::Relaxed);
    if function.is_null() {
        return unknown;
    }
    // SAFETY: what is stored is a function of omp.h that takes nothing and returns an int.
    let function: unsafe extern "C" fn() -> c_int = unsafe { core::mem::transmute(function) };
    // SAFETY: a function of omp.h that takes nothing, returns an int, and only looks at the calling thread.
    unsafe { function() as u32 }.into()
}

/// Number of the calling thread in its team.
pub(crate) fn thread_num(library: usize) -> u64 {
    ask(&inquiry(library).thread_num, 0)
}

/// Number of threads in the calling thread's team.
pub(crate) fn num_threads(library: usize) -> u64 {
    ask(&inquiry(library).num_threads, 1)
}

/// Number of threads that a region without a clause would request.
pub(crate) fn max_threads(library: usize) -> u64 {
    ask(&inquiry(library).max_threads, 0)
}

/// Number of regions around the calling thread.
pub(crate) fn level(library: usize) -> u64 {
    ask(&inquiry(library).level, 0)
}

/// Number of the calling thread, or of its ancestor, in the team at a level.
pub(crate) fn ancestor_thread_num(library: usize, level: u64) -> u64 {
    let function = inquiry(library).ancestor.load(Ordering::Relaxed);
    if function.is_null() {
        return 0;
    }
    // SAFETY: what is stored is omp_get_ancestor_thread_num of omp.h, which only looks at the calling thread.
    unsafe {
        let function: unsafe extern "C" fn(c_int) -> c_int = core::mem::transmute(function);
        function(level as c_int) as u32
    }
    .into()
}

/// The present schedule for `schedule(runtime)`: omp_sched_t without its modifier.
pub(crate) fn runtime_schedule(library: usize) -> u64 {
    let function = inquiry(library).schedule.load(Ordering::Relaxed);
    if function.is_null() {
        return 0;
    }
    let (mut kind, mut chunk): (c_int, c_int) = (0, 0);
    // SAFETY: what is stored is omp_get_schedule of omp.h, which fills two ints.
    unsafe {
        let function: unsafe extern "C" fn(*mut c_int, *mut c_int) = core::mem::transmute(function);
        function(&raw mut kind, &raw mut chunk);
    }
    (kind as u32 & 0x7fff_ffff).into()
}

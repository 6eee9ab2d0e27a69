//! Begins and ends of threads: threads of the program are counted, and the end of each thread is noticed by the
//! destructor of a key.

use crate::report;
use crate::thread::{self, Thread};
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Number of runtimes that are recorded.
static RUNTIMES: AtomicUsize = AtomicUsize::new(0);
/// Number of threads of the program that have recorded something and not ended.
static ROOTS: AtomicU32 = AtomicU32::new(0);
/// Function of the adapter that is called at a thread's end.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// The key whose destructor is called at a thread's end, plus one; 0 if there is none yet.
static KEY: AtomicU64 = AtomicU64::new(0);

/// Counts a runtime that is recorded from now on; it is never uncounted. The first call installs the handlers for the end of the
/// process, the end of threads and forked children, and returns true.
pub fn runtime_begins() -> bool {
    if RUNTIMES.fetch_add(1, Ordering::Relaxed) > 0 {
        return false;
    }
    ompttrace_life::at_last(at_last);
    let mut key = 0;
    // SAFETY: the destructor and the handler are functions of this library, which is never unloaded.
    unsafe {
        if libc::pthread_key_create(&raw mut key, Some(ends)) == 0 {
            KEY.store(u64::from(key) + 1, Ordering::Release);
        }
        libc::pthread_atfork(None, None, Some(in_child));
    }
    true
}

/// Has `hook` called with each thread that ends, before its page is freed.
pub fn at_end(hook: fn(&'static Thread)) {
    AT_END.store(hook as *mut (), Ordering::Release);
}

/// Calls the adapter's function for a thread that ends.
pub(crate) fn leave(thread: &'static Thread) {
    let hook = AT_END.load(Ordering::Acquire);
    if !hook.is_null() {
        // SAFETY: the only value ever stored is such a function, by `at_end`.
        let hook: fn(&'static Thread) = unsafe { core::mem::transmute(hook) };
        hook(thread);
    }
}

/// Handler in a forked child, whose only thread is the calling one.
unsafe extern "C" fn in_child() {
    let thread = thread::current();
    thread.is_inherited.set(thread.is_root.get());
    ROOTS.store(u32::from(thread.is_root.get()), Ordering::Relaxed);
}

/// Counts a thread that records its first event, and watches for its end.
pub(crate) fn begins(is_root: bool) {
    if is_root {
        ROOTS.fetch_add(1, Ordering::Relaxed);
    }
    watch();
}

fn watch() {
    let key = KEY.load(Ordering::Acquire);
    if key > 0 {
        // SAFETY: a key that was made; the value is only compared with null.
        unsafe {
            libc::pthread_setspecific((key - 1) as libc::pthread_key_t, (&raw const KEY).cast())
        };
    }
}

/// Rounds of destructors for which a thread's end is deferred. POSIX grants four at least: ours waits for the last,
/// since destructors of others may use locks.
const ROUNDS: u8 = 3;

unsafe extern "C" fn ends(_: *mut c_void) {
    let thread = thread::current();
    let round = thread.put_off.get();
    if round < ROUNDS {
        thread.put_off.set(round + 1);
        return watch();
    }
    if thread.is_root.get() && !thread.task.get().is_null() {
        ROOTS.fetch_sub(1, Ordering::Relaxed);
    }
    report::thread_ends(thread);
}

/// Handler at the process's end, on the thread that ends it: every runtime is finished, unless that thread is inside a
/// region or another thread of the program may continue.
fn at_last() {
    let thread = thread::current();
    if thread.is_at_root() {
        ROOTS.fetch_sub(1, Ordering::Relaxed);
        report::thread_ends(thread);
    }
    let inside = !thread.task.get().is_null();
    if ROOTS.load(Ordering::Relaxed) == 0 && !inside {
        (0..RUNTIMES.load(Ordering::Relaxed)).for_each(|_| ompttrace_life::finalized());
    }
}

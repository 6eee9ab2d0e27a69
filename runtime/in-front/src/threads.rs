//! How threads come and go: those of the program's own are counted, and the end of each is noticed by a key's
//! destructor.

use crate::report;
use crate::thread::{self, Thread};
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Runtimes that are recorded.
static RUNTIMES: AtomicUsize = AtomicUsize::new(0);
/// Threads of the program's own that have recorded something and not ended.
static ROOTS: AtomicU32 = AtomicU32::new(0);
/// What an adapter does at a thread's end.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// The key whose destructor is called at a thread's end; 0: none yet.
static KEY: AtomicU64 = AtomicU64::new(0);

/// A runtime is recorded from here on; whether it is the first one.
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

/// Has `hook` called with each thread that ends, as long as it has its page.
pub fn at_end(hook: fn(&'static Thread)) {
    AT_END.store(hook as *mut (), Ordering::Release);
}

/// The adapter's part of a thread's end.
pub(crate) fn leave(thread: &'static Thread) {
    let hook = AT_END.load(Ordering::Acquire);
    if !hook.is_null() {
        // SAFETY: the only value ever stored is such a function, by `at_end`.
        let hook: fn(&'static Thread) = unsafe { core::mem::transmute(hook) };
        hook(thread);
    }
}

/// In a forked child there is one thread.
unsafe extern "C" fn in_child() {
    let thread = thread::current();
    thread.is_inherited.set(thread.is_root.get());
    ROOTS.store(u32::from(thread.is_root.get()), Ordering::Relaxed);
}

/// A thread records its first event: its end is to be noticed.
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

/// Destructors are called in rounds, as many as POSIX grants: ours waits for the last, since those of
/// others may use locks.
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

/// At the process's end, on the thread that ends it: every runtime is done, unless it ends inside a region or
/// another thread of the program's may still go on.
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

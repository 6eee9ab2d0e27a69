//! The way out of a process whose disk hangs. A user of `drop` or `ring` did not choose to wait for the disk
//! without end: there a thread of ours does what the end has to write, and the thread that exits waits for
//! it only as long as some write comes back now and then.

use crate::host::own_stack::maskable;
use crate::host::queue;
use crate::host::sync::{self, AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::registry::panics::caught_here;
use crate::registry::recorder;
use ompttrace_recording::settings::Overflow;
use std::ptr::{null, null_mut};
use std::time::Duration;

/// Sleep without a write that came back, within which a disk that works takes the largest buffers that there
/// are. Not time by a clock, which goes on while the process is stopped.
const LIMIT: Duration = Duration::from_secs(10);
/// A nap is twice as long as the one before, within these bounds.
const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(10);

/// Number of writes that returned, with or without an error.
static WRITES: AtomicU64 = AtomicU64::new(0);
/// True if a write did not return, and the process ends without it.
static HANGS: AtomicBool = AtomicBool::new(false);
/// The exiting thread, by its lock id; 0 while none waits for a thread of ours.
static EXITING: AtomicU64 = AtomicU64::new(0);
/// Result of the work: [`UNDER_WAY`], or one more than its answer.
static ANSWER: AtomicU32 = AtomicU32::new(UNDER_WAY);
const UNDER_WAY: u32 = 0;

/// A part of a process's end.
type Work = fn() -> bool;

/// Notes that a write has returned.
pub(crate) fn came_back() {
    WRITES.fetch_add(1, Ordering::Relaxed);
}

/// Returns true if the process ends without a write that did not return: no other write should begin.
pub fn hangs() -> bool {
    HANGS.load(Ordering::Relaxed)
}

/// The thread whose locks may be taken over: the one that exits.
pub(crate) fn exiting() -> u64 {
    match EXITING.load(Ordering::Relaxed) {
        0 => sync::me(),
        other => other,
    }
}

/// Does a part of the process's end that writes; its answer, `None` when the disk hangs. With the
/// policy `wait` there is no limit.
pub fn unless_it_hangs(work: Work) -> Option<bool> {
    let waits = recorder::own().is_none_or(|recorder| recorder.overflow == Overflow::Wait);
    if hangs() {
        return None;
    }
    // Or this is a part of such a part.
    if waits || EXITING.load(Ordering::Relaxed) != 0 {
        return Some(work());
    }
    EXITING.store(sync::me(), Ordering::Relaxed);
    ANSWER.store(UNDER_WAY, Ordering::Relaxed);
    let answer = if start(work) { wait() } else { Some(work()) };
    match answer {
        // It may come back yet, and continues as what it was.
        None => HANGS.store(true, Ordering::Relaxed),
        Some(_) => EXITING.store(0, Ordering::Relaxed),
    }
    answer
}

fn wait() -> Option<bool> {
    let (mut slept, mut nap) = (Duration::ZERO, SHORTEST);
    let mut before = WRITES.load(Ordering::Relaxed);
    while slept < LIMIT {
        match ANSWER.load(Ordering::Acquire) {
            UNDER_WAY => std::thread::sleep(nap),
            answer => return Some(answer > 1),
        }
        let now = WRITES.load(Ordering::Relaxed);
        slept = if now == before { slept + nap } else { Duration::ZERO };
        before = now;
        nap = LONGEST.min(2 * nap);
    }
    None
}

/// The next work of the thread of ours, as a function's address; 0: nothing yet.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// The process that has such a thread: a forked child does not.
static STARTED_IN: AtomicU32 = AtomicU32::new(0);
/// The longest sleep of the thread before it looks again.
const REST: Duration = Duration::from_secs(1);

/// Begins `work` on a thread that hears no signals of the program's; `false` where there is none to be had. It is made once: exit()
/// brings several works, and after the destructors of the program's libraries no thread can be made, as some wrap the function.
fn start(work: Work) -> bool {
    let process = std::process::id();
    NEXT.store(work as usize as u64, Ordering::Release);
    if STARTED_IN.load(Ordering::Relaxed) == process {
        queue::wake(NEXT.as_ptr().addr());
        return true;
    }
    let has_thread = make_thread();
    if has_thread {
        STARTED_IN.store(process, Ordering::Relaxed);
    }
    has_thread
}

fn make_thread() -> bool {
    // SAFETY: all zeros is a set of signals and a thread's number; the functions fill what they are given.
    unsafe {
        let (all, mut thread) = (maskable(), std::mem::zeroed());
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let failed = libc::pthread_create(&raw mut thread, null(), run, null_mut());
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, null_mut());
        if failed == 0 {
            libc::pthread_detach(thread);
        }
        failed == 0
    }
}

/// It ends with the process. Where it returned, destructors of the program's might be called in it: a thread that
/// vanished leaves its values of keys to the next one that gets its stack (glibc 2.36).
extern "C" fn run(_: *mut libc::c_void) -> *mut libc::c_void {
    loop {
        match NEXT.swap(0, Ordering::Acquire) as usize {
            0 => {
                let has_work = || NEXT.load(Ordering::Relaxed) != 0;
                queue::sleep(NEXT.as_ptr().addr(), has_work, REST);
            }
            work => {
                // SAFETY: `start` stores the address of such a function and nothing else.
                let work: Work = unsafe { std::mem::transmute(work) };
                let answer = caught_here(work).unwrap_or(false);
                ANSWER.store(1 + u32::from(answer), Ordering::Release);
            }
        }
    }
}

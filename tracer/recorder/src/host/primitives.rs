//! The primitives of `sync`: the processor's atomics, and the ways in which a thread waits for another.
//!
//! tests/model has a module of this name over a model checker's atomics, so that it checks the very
//! files that are shipped.

use crate::host::own_stack::is_on_one;
pub(crate) use crate::host::own_stack::stack;
use crate::host::queue;

pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering,
};

/// A word that one thread at a time reads, and a reader when the process is dead.
pub(crate) use std::sync::atomic::AtomicU64 as Plain;

/// Lets time pass for a thread that tries again and again, the longer the more it tried.
pub(crate) fn wait(tries: &mut u32) {
    wait_or(tries, |nap| {
        std::thread::sleep(nap);
        true
    });
}

/// Lets time pass for a thread that waits for a lock, until [`wake`] wakes it. A sleep that it cuts short is no try: whoever waits
/// for a second would have waited for far less where others are faster to take the lock each time.
pub(crate) fn wait_for(lock: &AtomicU64, is_free: impl Fn() -> bool, tries: &mut u32) {
    wait_or(tries, |nap| queue::sleep(lock.as_ptr().addr(), is_free, nap));
}

/// Wakes one of the threads that wait for the lock, which is free.
pub(crate) fn wake(lock: &AtomicU64) {
    queue::wake(lock.as_ptr().addr());
}

/// `sleep` returns true if nothing cut it short.
fn wait_or(tries: &mut u32, sleep: impl FnOnce(std::time::Duration) -> bool) {
    match *tries {
        0..100 => std::hint::spin_loop(),
        100..SLEEPS => std::thread::yield_now(),
        tries if sleep(nap(tries - SLEEPS)) => {}
        _ => return,
    }
    // Stops short of the largest number, which means no limit.
    *tries = (*tries + 1).min(u32::MAX - 1);
}

/// Tries before a waiting thread sleeps.
pub(crate) const SLEEPS: u32 = 110;

/// Duration of a sleep: 50 us four times, twice that four times, and so on, up to 51 ms: about a quarter of the time
/// waited until then.
fn nap(sleeps: u32) -> std::time::Duration {
    std::time::Duration::from_micros(50 << (sleeps / 4).min(10))
}

/// The kernel's number of the calling thread, less than 2^31; where the program forbids that question another number
/// of its own, which [`is_gone`] takes for that of a thread that lives.
pub(crate) fn thread() -> u64 {
    let known = known_thread();
    if (1..UNNUMBERED).contains(&known) {
        return known;
    }
    // SAFETY: a system call without arguments.
    let number = unsafe { libc::gettid() };
    match u64::try_from(number) {
        Ok(number) if number > 0 => number,
        // Each thread has an errno of its own.
        // SAFETY: asks for an address.
        _ => UNNUMBERED | unsafe { libc::__errno_location() }.addr() as u64 >> 6 & (UNNUMBERED - 1),
    }
}

/// The function that [`know_threads`] set; null: none.
static KNOWN: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the function that returns the calling thread's number, or 0 if it is not known: a thread that takes a lock
/// need not ask the kernel each time.
pub(crate) fn know_threads(known: fn() -> u64) {
    KNOWN.store(known as *mut (), Ordering::Release);
}

fn known_thread() -> u64 {
    let known = KNOWN.load(Ordering::Acquire);
    if known.is_null() {
        return 0;
    }
    // SAFETY: the only values ever stored are such functions, by `know_threads`.
    let known: fn() -> u64 = unsafe { std::mem::transmute(known) };
    known()
}

/// Beyond all numbers of threads, which end at 2^22.
const UNNUMBERED: u64 = 1 << 30;

/// Returns true if no thread of this process has that number. The first thread keeps its number until the process ends.
pub(crate) fn is_gone(thread: u64) -> bool {
    if thread & UNNUMBERED != 0 {
        return false;
    }
    // SAFETY: signal 0 is sent to nobody.
    let gone = unsafe {
        let errno = *libc::__errno_location();
        let sent = libc::syscall(libc::SYS_tgkill, libc::getpid(), thread as libc::pid_t, 0);
        let gone = sent != 0 && *libc::__errno_location() == libc::ESRCH;
        *libc::__errno_location() = errno;
        gone
    };
    gone || thread == u64::from(std::process::id()) && crate::host::owner::first_thread_is_gone()
}

/// Returns true if the function that ran while the stack position was `then` has been left, by a signal handler that
/// jumped out of it: the stack is shorter `now`. From a handler's alternate stack nothing is known of the thread's
/// other stack.
///
/// A stack of the tool counts as above the thread's, wherever it is.
#[cold]
pub(crate) fn is_left(then: u64, now: u64) -> bool {
    match (is_on_one(then), is_on_one(now)) {
        (false, true) => return false,
        (true, false) => return true,
        _ => {}
    }
    let mut alternate =
        libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
    // SAFETY: fills the structure on this stack and changes nothing.
    unsafe { libc::sigaltstack(std::ptr::null(), &raw mut alternate) };
    let on_it = alternate.ss_flags & libc::SS_ONSTACK != 0;
    let start = alternate.ss_sp.addr() as u64;
    let was_on_it = alternate.ss_flags & libc::SS_DISABLE == 0
        && (start..start.saturating_add(alternate.ss_size as u64)).contains(&then);
    if on_it == was_on_it { now >= then } else { was_on_it }
}

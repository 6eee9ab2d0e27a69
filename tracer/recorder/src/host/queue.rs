//! Sleep of threads that find a lock taken, and their waking: without it hundreds of them would look again and again, and leave
//! the one that has the lock no core.
//!
//! A sleep has a limit all the same: whoever has the lock may end without a word, and a thread that is woken for another lock
//! of the same queue passes nothing on.

use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

/// The threads that sleep for one of the locks that share it.
struct Queue {
    /// At least as many as sleep; one that ended in its sleep is counted for ever, and costs each later turn a system call.
    sleepers: AtomicU32,
    /// Changes with each waking.
    turn: AtomicU32,
}

impl Queue {
    const fn new() -> Queue {
        Queue { sleepers: AtomicU32::new(0), turn: AtomicU32::new(0) }
    }
}

/// The queue of the lock at this address.
fn queue(lock: usize) -> &'static Queue {
    static FIRST: Queue = Queue::new();
    static OTHERS: [Queue; 63] = [const { Queue::new() }; 63];
    let spread = (lock as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
    OTHERS.get(spread as usize).unwrap_or(&FIRST)
}

/// Sleeps until [`wake`] is called for the lock at this address, or as long as `limit`; not at all where the lock is free. Returns true
/// if there was neither: it took as long as `limit`, or the kernel refused it.
pub(crate) fn sleep(lock: usize, is_free: impl Fn() -> bool, limit: Duration) -> bool {
    let queue = queue(lock);
    queue.sleepers.fetch_add(1, Ordering::SeqCst);
    let turn = queue.turn.load(Ordering::SeqCst);
    fence(Ordering::SeqCst);
    let in_vain = !is_free() && wait(&queue.turn, turn, limit);
    queue.sleepers.fetch_sub(1, Ordering::SeqCst);
    in_vain
}

/// Wakes one of the threads that sleep for the lock at this address, which is free.
pub(crate) fn wake(lock: usize) {
    let queue = queue(lock);
    // After the store that freed it, as a sleeper looks at the lock after it is counted.
    fence(Ordering::SeqCst);
    if queue.sleepers.load(Ordering::SeqCst) > 0 {
        queue.turn.fetch_add(1, Ordering::SeqCst);
        let (word, wake) = (queue.turn.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG);
        // SAFETY: the address of a word that stays.
        unsafe { libc::syscall(libc::SYS_futex, word, wake, 1) };
    }
}

/// Waits for the next turn; returns true if it did not come.
fn wait(turn: &AtomicU32, seen: u32, limit: Duration) -> bool {
    let limit = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos()),
    };
    let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the address of a word that stays, and a time, both of which the kernel reads.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex,
            turn.as_ptr(),
            wait,
            seen,
            &raw const limit,
            null::<u32>(),
            0,
        )
    };
    // EAGAIN: it came before the kernel looked.
    result != 0 && std::io::Error::last_os_error().raw_os_error() != Some(libc::EAGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    #[test]
    fn a_sleeper_is_woken_and_does_not_sleep_where_the_lock_is_free() {
        let (free, long) = (AtomicBool::new(false), Duration::from_secs(3600));
        let lock = (&raw const free).addr();
        let is_free = || free.load(Ordering::SeqCst);
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                while !is_free() {
                    let _ = sleep(lock, is_free, long);
                }
            });
            while queue(lock).sleepers.load(Ordering::SeqCst) == 0 {
                std::thread::yield_now();
            }
            free.store(true, Ordering::Release);
            wake(lock);
            sleeper.join().expect("no panic");
        });
        assert!(!sleep(lock, is_free, long));
        assert_eq!(queue(lock).sleepers.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn a_sleep_has_its_limit() {
        let (word, began) = (0, Instant::now());
        assert!(sleep((&raw const word).addr(), || false, Duration::from_millis(2)));
        assert!(began.elapsed() >= Duration::from_millis(2));
    }
}

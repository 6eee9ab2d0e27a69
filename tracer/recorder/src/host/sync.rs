//! The recorder's atomics and its one lock. They are built on `primitives`, which
//! tests/model replaces by a model checker's.

use crate::host::message::say;
use crate::host::primitives;
pub(crate) use crate::host::primitives::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering,
};
use std::cell::UnsafeCell;

/// Number of tries of an exiting thread before it continues without the lock: about a second.
const EXIT_PATIENCE: u32 = primitives::SLEEPS + 56;
/// Largest number of locks for which a process waits that long in vain; then it only tries.
const IN_VAIN: u32 = 10;
static SPENT_IN_VAIN: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// A lock that can live in any memory, never allocates and is never poisoned.
///
/// A thread that finds it taken spins a little, yields, then sleeps until it is woken: the holder may be in a write(2) of
/// milliseconds. Its one word has all: whether it is held, by which thread (the kernel's number, in bits 1-31),
/// and above that the number of the tenure. So a thread that is interrupted at any instruction either does not
/// hold the lock or knows itself again, and a waiting thread can ask the kernel whether the holder still lives: threads
/// may end without a word (exit(2), a cancellation). A number that the kernel gave to a later thread of this process
/// is taken for a holder that lives.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lock {
    word: AtomicU64,
}

const HELD: u64 = 1;
const HOLDER: u64 = (1 << 32) - 2;
const NEXT_TENURE: u64 = 1 << 32;
/// Every so many tries a waiting thread asks whether the one that it waits for lives, the first time before it sleeps.
const TRIES_TO_ASK: u32 = 10;

/// Returns true if it is time to ask the kernel about the holder, after so many tries.
pub(crate) fn is_time_to_ask(tries: u32) -> bool {
    tries >= primitives::SLEEPS && tries.is_multiple_of(TRIES_TO_ASK)
}

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock { word: AtomicU64::new(0) }
    }

    /// The lock's word, which distinguishes the current tenure from all others that are fewer than 2^32 tenures away;
    /// `None` while the lock is free.
    pub(crate) fn tenure(&self) -> Option<u64> {
        let word = self.word.load(Ordering::SeqCst);
        (word & HELD != 0).then_some(word)
    }

    /// Takes the lock if it is free.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_>> {
        let free = self.word.load(Ordering::Relaxed);
        if free & HELD != 0 {
            return None;
        }
        let held = free | me() | HELD;
        let taken = self.word.compare_exchange(free, held, Ordering::SeqCst, Ordering::Relaxed);
        taken.is_ok().then(|| Guard(self))
    }

    /// Takes the lock, waiting for it; `None` if this very thread was interrupted while it held it
    /// (a signal handler that calls OpenMP or exit()).
    pub(crate) fn lock(&self) -> Option<Guard<'_>> {
        self.lock_while(|_| true)
    }

    /// [`Lock::lock`] on the way out of the process: not for longer than a second.
    pub(crate) fn lock_at_exit(&self) -> Option<Guard<'_>> {
        self.lock_while(at_exit)
    }

    /// [`Lock::lock_at_exit`] in an exit handler of the thread `exiting`, or for it while it waits: where
    /// that very thread was interrupted while it held the lock, by a handler that called exit(), what it
    /// was about will never continue, and the lock passes to the caller with whatever it guards half done.
    pub(crate) fn inherit_at_exit(&self, exiting: u64) -> Option<Guard<'_>> {
        self.lock_at_exit().or_else(|| self.is_of(exiting).then(|| Guard(self)))
    }

    /// [`Lock::lock`] as long as `again`, which gets how often it was tried, agrees. From a thread that is no more
    /// the lock passes on, with whatever it guards half done: the work that these locks guard can be begun anew at
    /// any step, as after a kill.
    pub(crate) fn lock_while(&self, again: impl Fn(u32) -> bool) -> Option<Guard<'_>> {
        self.lock_or(again, Gone::Inherit)
    }

    /// Takes the lock, waiting for it as long as `again` agrees; `gone` says what to do if the holder no longer exists.
    fn lock_or(&self, again: impl Fn(u32) -> bool, gone: Gone) -> Option<Guard<'_>> {
        let mut tries = 0;
        loop {
            if let Some(guard) = self.try_lock() {
                return Some(guard);
            }
            if self.is_mine() || !again(tries) {
                return None;
            }
            primitives::wait_for(&self.word, || self.tenure().is_none(), &mut tries);
            if is_time_to_ask(tries) && self.is_of_the_dead(is_gone) {
                match gone {
                    Gone::GiveUp => return None,
                    Gone::Inherit => {
                        let inherited = self.inherit_from_the_dead();
                        // Where there is none another waiting thread was faster.
                        if inherited.is_some() {
                            return inherited;
                        }
                    }
                }
            }
        }
    }

    /// Returns true if the holder no longer exists, in its very tenure: one that gave the lock back may have ended since.
    fn is_of_the_dead(&self, is_gone: impl Fn(u64) -> bool) -> bool {
        self.tenure().is_some_and(|word| is_gone(word & HOLDER) && self.tenure() == Some(word))
    }

    /// Takes the lock from a thread that is no more, unless another does.
    #[cold]
    fn inherit_from_the_dead(&self) -> Option<Guard<'_>> {
        let word = self.tenure().filter(|word| is_gone(word & HOLDER))?;
        let next = (word & !(HOLDER | HELD)).wrapping_add(NEXT_TENURE) | me() | HELD;
        let taken = self.word.compare_exchange(word, next, Ordering::SeqCst, Ordering::Relaxed);
        taken.is_ok().then(|| {
            say_vanished();
            Guard(self)
        })
    }

    /// Frees the lock that the calling thread took in work with which it will never continue.
    pub(crate) fn abandon(&self) {
        if self.is_mine() {
            drop(Guard(self));
        }
    }

    /// Returns true if the calling thread holds the lock.
    pub(crate) fn is_mine(&self) -> bool {
        // A free lock has no owner.
        self.tenure().is_some_and(|word| word & HOLDER == me())
    }

    fn is_of(&self, thread: u64) -> bool {
        self.tenure().is_some_and(|word| word & HOLDER == thread)
    }
}

/// A waiting thread's answer to a holder of the lock that no longer exists.
#[derive(Clone, Copy, Debug)]
enum Gone {
    /// It does without the lock: what that guards is half done.
    GiveUp,
    /// It takes the lock.
    Inherit,
}

/// Reports once that a thread ended while it held one of our locks.
fn say_vanished() {
    static SAID: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        say(format_args!(
            "a thread ended in the midst of recording; what it had recorded is kept, but for its last event perhaps"
        ));
    }
}

/// Returns true if a thread on the way out of the process should try again.
fn at_exit(tries: u32) -> bool {
    use std::sync::atomic::Ordering::Relaxed;
    let again = tries <= EXIT_PATIENCE && SPENT_IN_VAIN.load(Relaxed) < IN_VAIN;
    if tries > EXIT_PATIENCE {
        SPENT_IN_VAIN.fetch_add(1, Relaxed);
    }
    again
}

/// The calling thread's identity in the words of locks: the kernel's number, in the bits of [`HOLDER`].
pub(crate) fn me() -> u64 {
    primitives::thread() << 1 & HOLDER
}

/// Returns true if the thread with this number from [`me`] no longer exists.
#[cold]
pub(crate) fn is_gone(thread: u64) -> bool {
    primitives::is_gone(thread >> 1)
}

/// Gives the lock back when dropped.
pub(crate) struct Guard<'a>(&'a Lock);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // No other thread changes the word of a lock that is held.
        let tenure = self.0.word.load(Ordering::Relaxed) & !(HOLDER | HELD);
        self.0.word.store(tenure.wrapping_add(NEXT_TENURE), Ordering::Release);
        primitives::wake(&self.0.word);
    }
}

/// A value guarded by a `Lock`, for the tool's own state: usable in callbacks, in signal handlers
/// that exit, and across fork (see [`Locked::park`]).
pub struct Locked<T> {
    lock: Lock,
    /// The thread that last took the lock over a fork.
    forks: AtomicU64,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only reached by the holder of the lock.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// A value without an owner.
    pub const fn new(value: T) -> Locked<T> {
        Locked { lock: Lock::new(), forks: AtomicU64::new(0), value: UnsafeCell::new(value) }
    }

    /// Works on the value; `None` if this thread was interrupted while it did so already, waits
    /// in vain for a second, or finds that a thread which is no more left the value half done.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let _guard = self.lock.lock_or(at_exit, Gone::GiveUp)?;
        // SAFETY: the lock is held, and `with` gives out no reference that outlives it.
        Some(work(unsafe { &mut *self.value.get() }))
    }

    /// Takes the lock and keeps it: before a fork, so that the child finds the value whole.
    pub fn park(&self) {
        if let Some(guard) = self.lock.lock_or(at_exit, Gone::GiveUp) {
            self.forks.store(me(), Ordering::Relaxed);
            std::mem::forget(guard);
        }
    }

    /// Gives back what [`Locked::park`] took, in the parent.
    pub fn release(&self) {
        self.lock.abandon();
    }

    /// Gives the lock back in the child, whose one thread has another number than the one that forked.
    pub fn release_in_child(&self) {
        if self.lock.is_of(self.forks.load(Ordering::Relaxed)) {
            drop(Guard(&self.lock));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        static COUNT: Locked<u64> = Locked::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        COUNT.with(|count| *count += 1);
                    }
                });
            }
        });
        assert_eq!(COUNT.with(|count| *count), Some(4000));
        assert_eq!(COUNT.with(|_| COUNT.with(|_| ())), Some(None), "taken twice by one thread");
    }

    /// They are woken at each turn, and mostly find that another one has the lock again.
    #[test]
    fn a_second_is_not_over_because_others_are_faster() {
        static COUNT: Locked<u64> = Locked::new(0);
        let hold = || std::thread::sleep(std::time::Duration::from_micros(60));
        let count = || {
            COUNT.with(|count| {
                *count += 1;
                hold();
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..150).for_each(|_| assert!(count().is_some())));
            }
        });
        assert_eq!(COUNT.with(|count| *count), Some(600));
    }

    #[test]
    fn a_holder_that_gave_the_lock_back_before_its_end_left_nothing_half_done() {
        let lock = Lock::new();
        assert!(!lock.is_of_the_dead(|_| true), "nobody has it");
        let guard = std::cell::Cell::new(lock.try_lock());
        assert!(!lock.is_of_the_dead(|_| guard.take().is_some()), "it is given back meanwhile");
        let guard = std::cell::Cell::new(lock.try_lock());
        let again = || {
            lock.try_lock().is_some_and(|guard| {
                std::mem::forget(guard);
                true
            })
        };
        assert!(!lock.is_of_the_dead(|_| guard.take().is_some() && again()), "another tenure");
        assert!(lock.is_of_the_dead(|_| true));
    }

    #[test]
    fn every_tenure_has_its_number() {
        let lock = Lock::new();
        assert_eq!(lock.tenure(), None);
        let first = lock.try_lock().map(|_guard| lock.tenure());
        assert_eq!(lock.tenure(), None);
        let _held = lock.lock();
        assert!(lock.try_lock().is_none() && lock.lock_at_exit().is_none());
        assert_ne!(first, Some(lock.tenure()));
    }

    #[test]
    fn an_exit_inherits_only_the_callers_own_lock() {
        let lock = Lock::new();
        let interrupted = lock.lock().expect("free");
        std::mem::forget(interrupted);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| lock.inherit_at_exit(me()).is_none());
            assert!(other.join().expect("no panic"), "another thread's lock was taken over");
        });
        drop(lock.inherit_at_exit(me()).expect("the caller's own"));
        assert!(lock.try_lock().is_some(), "given back once");
    }

    #[test]
    fn tenures_wrap_and_stay_tenures() {
        let lock = Lock { word: AtomicU64::new(u64::MAX << 32) };
        drop(lock.lock().expect("free"));
        assert_eq!(lock.word.load(Ordering::Relaxed), 0);
        assert!(lock.lock().is_some_and(|_guard| lock.is_mine()));
    }

    #[test]
    fn what_is_held_over_a_fork_is_free_again() {
        let value = Locked::new(1);
        value.park();
        assert_eq!(value.with(|_| ()), None);
        value.release();
        assert_eq!(value.with(|value| *value), Some(1));
        value.park();
        value.release_in_child();
        assert_eq!(value.with(|value| *value), Some(1));
    }

    #[test]
    fn a_lock_passes_on_from_a_thread_that_is_no_more() {
        let (lock, value) = (Lock::new(), Locked::new(1));
        std::thread::scope(|scope| {
            let taken = || {
                std::mem::forget(lock.lock().expect("free"));
                value.park();
            };
            scope.spawn(taken).join().expect("no panic");
        });
        let tenure = lock.tenure();
        let guard = lock.lock().expect("its holder is no more");
        assert!(lock.is_mine() && lock.tenure() != tenure);
        drop(guard);
        assert!(lock.try_lock().is_some());
        assert_eq!(value.with(|_| ()), None, "what may be half done is nobody's");
    }
}

//! The recorder's atomics and its one lock. What they are made of is `primitives`, in whose place
//! tests/model puts a model checker's.

pub(crate) use crate::primitives::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering,
};
use crate::{primitives, tls};
use std::cell::UnsafeCell;

/// Sleeps of 50 us that an exiting thread spends on a lock before it goes on without.
const EXIT_PATIENCE: u32 = 20_000;

/// A lock that can live in any memory, never allocates and is never poisoned.
///
/// Whoever finds it taken spins a little, yields, then sleeps: the holder may be in a write(2) of
/// milliseconds. Its one word tells all: whether it is held, by whom (the address of a word of the
/// holder's, in bits 3-47), and above that the number of the tenure. So there is no moment at which a
/// thread that is interrupted holds the lock and does not know itself again.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Lock {
    word: AtomicU64,
}

const HELD: u64 = 1;
/// User addresses, of words of eight bytes.
const HOLDER: u64 = (1 << 48) - 8;
const NEXT_TENURE: u64 = 1 << 48;

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock { word: AtomicU64::new(0) }
    }

    /// What tells the tenure under way from others, unless 2^16 lie between; `None` while the lock is
    /// free.
    pub(crate) fn tenure(&self) -> Option<u64> {
        let word = self.word.load(Ordering::SeqCst);
        (word & HELD != 0).then_some(word)
    }

    /// Takes the lock if nobody has it.
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
        self.lock_while(|tries| tries <= EXIT_PATIENCE)
    }

    /// [`Lock::lock_at_exit`] in an exit handler of the thread `exiting`, or for it while it waits: where
    /// that very thread was interrupted while it held the lock, by a handler that called exit(), what it
    /// was about will never go on, and the lock passes to the caller with whatever it guards half done.
    pub(crate) fn inherit_at_exit(&self, exiting: u64) -> Option<Guard<'_>> {
        self.lock_at_exit().or_else(|| self.is_of(exiting).then(|| Guard(self)))
    }

    /// [`Lock::lock`] as long as `again`, which is told how often it was tried, agrees.
    pub(crate) fn lock_while(&self, again: impl Fn(u32) -> bool) -> Option<Guard<'_>> {
        let mut tries = 0;
        loop {
            if let Some(guard) = self.try_lock() {
                return Some(guard);
            }
            if self.is_mine() || !again(tries) {
                return None;
            }
            primitives::wait(&mut tries);
        }
    }

    /// Frees the lock that the calling thread took in work with which it will never go on.
    pub(crate) fn abandon(&self) {
        if self.is_mine() {
            drop(Guard(self));
        }
    }

    /// Whether the calling thread holds it.
    pub(crate) fn is_mine(&self) -> bool {
        self.is_of(me())
    }

    fn is_of(&self, thread: u64) -> bool {
        self.tenure().is_some_and(|word| word & HOLDER == thread)
    }
}

/// What tells threads apart: the address of a thread-local word.
pub(crate) fn me() -> u64 {
    tls::own_address() & HOLDER
}

/// Gives the lock back when dropped.
pub(crate) struct Guard<'a>(&'a Lock);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        // Nobody else changes the word of a lock that is held.
        let tenure = self.0.word.load(Ordering::Relaxed) & !(HOLDER | HELD);
        self.0.word.store(tenure.wrapping_add(NEXT_TENURE), Ordering::Release);
    }
}

/// A value behind a [`Lock`], for the tool's own state: usable in callbacks, in signal handlers
/// that exit, and across fork (see [`Locked::hold`]).
pub struct Locked<T> {
    lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only reached by the holder of the lock.
unsafe impl<T: Send> Sync for Locked<T> {}

impl<T> Locked<T> {
    /// A value that nobody holds.
    pub const fn new(value: T) -> Locked<T> {
        Locked { lock: Lock::new(), value: UnsafeCell::new(value) }
    }

    /// Works on the value; `None` if this thread was interrupted while it did so already, or waits
    /// in vain for a second.
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> Option<R> {
        let _guard = self.lock.lock_at_exit()?;
        // SAFETY: the lock is held, and `with` gives out no reference that outlives it.
        Some(work(unsafe { &mut *self.value.get() }))
    }

    /// Takes the lock and keeps it: before a fork, so that the child finds the value whole.
    pub fn hold(&self) {
        if let Some(guard) = self.lock.lock_at_exit() {
            std::mem::forget(guard);
        }
    }

    /// Gives back what [`Locked::hold`] took, in the parent and in the child.
    pub fn let_go(&self) {
        self.lock.abandon();
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
        let lock = Lock { word: AtomicU64::new(u64::MAX << 48) };
        drop(lock.lock().expect("free"));
        assert_eq!(lock.word.load(Ordering::Relaxed), 0);
        assert!(lock.lock().is_some_and(|_guard| lock.is_mine()));
    }

    #[test]
    fn what_is_held_over_a_fork_is_free_again() {
        let value = Locked::new(1);
        value.hold();
        assert_eq!(value.with(|_| ()), None);
        value.let_go();
        assert_eq!(value.with(|value| *value), Some(1));
    }
}

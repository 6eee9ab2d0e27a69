//! Atomics and the one lock of the recorder, so that a model checker can take their place.

pub(crate) use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering,
};

/// A lock that can live in any memory, never allocates and is never poisoned.
///
/// It is taken once per chunk and by a flush; whoever finds it taken spins a little, yields, then
/// sleeps: the holder may be in a write(2) of milliseconds.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Lock(AtomicU64);

impl Lock {
    pub(crate) const fn new() -> Lock {
        Lock(AtomicU64::new(0))
    }

    /// Takes the lock if nobody has it.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_>> {
        let taken = self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed);
        taken.ok().map(|_| Guard(self))
    }

    /// Takes the lock, waiting for it.
    pub(crate) fn lock(&self) -> Guard<'_> {
        let mut tries = 0u32;
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            match tries {
                0..100 => std::hint::spin_loop(),
                100..110 => std::thread::yield_now(),
                _ => std::thread::sleep(std::time::Duration::from_micros(50)),
            }
            tries = tries.saturating_add(1);
        }
    }
}

/// Gives the lock back when dropped.
pub(crate) struct Guard<'a>(&'a Lock);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.0.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        static LOCK: Lock = Lock::new();
        static COUNT: AtomicU64 = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        let _guard = LOCK.lock();
                        let seen = COUNT.load(Ordering::Relaxed);
                        std::hint::spin_loop();
                        COUNT.store(seen + 1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(COUNT.load(Ordering::Relaxed), 4000);
        let _held = LOCK.lock();
        assert!(LOCK.try_lock().is_none());
    }
}

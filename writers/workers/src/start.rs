//! Start of threads, for all modules of the crate.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// A builder of a thread with this name.
pub(crate) fn builder(name: &str) -> Builder {
    let builder = Builder::new().name(name.to_owned());
    #[cfg(test)]
    let builder = refusal::apply(builder);
    builder
}

/// Runs `work` on up to `count` threads and `here` on the calling one, with the number of threads that the system
/// granted. Returns the result of `here` once all have ended.
///
/// # Panics
/// If a thread panicked, its panic continues here.
pub fn with_helpers<T>(
    name: &str,
    count: usize,
    work: impl Fn() + Sync,
    here: impl FnOnce(usize) -> T,
) -> T {
    scope(|scope| {
        let start = |_| builder(name).spawn_scoped(scope, &work).ok();
        let helpers: Vec<_> = (0..count).map_while(start).collect();
        let result = here(helpers.len());
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        result
    })
}

/// Simulation of the refusal of threads, for tests.
#[cfg(test)]
pub(crate) mod refusal {
    use std::cell::Cell;
    use std::thread::Builder;

    thread_local! {
        /// Number of threads that the calling thread may still start.
        static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Grants the calling thread this number of threads from now on.
    pub(crate) fn after(granted: usize) {
        GRANTED.set(granted);
    }

    /// Makes the start of a refused thread fail: no address space has room for its stack.
    pub(super) fn apply(builder: Builder) -> Builder {
        match GRANTED.get() {
            0 => builder.stack_size(1 << 60),
            granted => {
                GRANTED.set(granted - 1);
                builder
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_caller_learns_how_many_threads_there_are_and_returns_after_them() {
        for granted in [0, 1, 3, 5] {
            refusal::after(granted);
            let begun = AtomicUsize::new(0);
            let work = || {
                begun.fetch_add(1, Ordering::Relaxed);
            };
            let helpers = with_helpers("test", 3, work, |helpers| helpers);
            assert_eq!((helpers, begun.into_inner()), (granted.min(3), granted.min(3)));
        }
    }

    #[test]
    fn a_panic_of_a_helper_continues_in_the_caller() {
        let work = || std::panic::resume_unwind(Box::new(7));
        let panic = catch_unwind(|| with_helpers("test", 2, work, |_| ())).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&7));
    }
}

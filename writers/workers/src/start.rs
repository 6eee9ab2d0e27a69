//! Threads are started here alone.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// A thread to be started.
pub(crate) fn builder(name: &str) -> Builder {
    let builder = Builder::new().name(name.to_owned());
    #[cfg(test)]
    let builder = refusal::apply(builder);
    builder
}

/// Does `work` on up to `count` threads and `here` on the calling one, which is given the number of threads that the
/// system granted. Returns what `here` returned once all have ended.
///
/// # Panics
/// When a thread did, with its panic.
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

/// Lets tests have threads refused.
#[cfg(test)]
pub(crate) mod refusal {
    use std::cell::Cell;
    use std::thread::Builder;

    thread_local! {
        /// Threads that this one may still start.
        static GRANTED: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Grants the calling thread so many threads from here on.
    pub(crate) fn after(granted: usize) {
        GRANTED.set(granted);
    }

    /// No address space has room for the stack of a refused thread.
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

//! Work on each of several items, by a few threads that take the next item when they are free.

use crate::with_helpers;
use std::convert::Infallible;
use std::iter::Enumerate;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::panicking;

/// Does `work` with each item, on up to `threads` threads, of which the calling one is the first. Returns the results in
/// the order of the items.
///
/// # Panics
/// If `work` panicked, its panic continues here; no item is begun after that.
pub fn each<I, T: Send>(
    name: &str,
    threads: usize,
    items: I,
    work: impl Fn(I::Item) -> T + Sync,
) -> Vec<T>
where
    I: IntoIterator<IntoIter: ExactSizeIterator + Send>,
{
    let Ok(results) = try_each(name, threads, items, |item| Ok::<_, Infallible>(work(item)));
    results
}

/// Does `work` with each item as [`each`], until it fails: no item is begun after that, but those before it are
/// completed, so the returned error is that of the first item that has one, and does not depend on the number of
/// threads.
///
/// # Errors
/// The first error of `work`, in the order of the items.
///
/// # Panics
/// As [`each`].
pub fn try_each<I, T: Send, E: Send>(
    name: &str,
    threads: usize,
    items: I,
    work: impl Fn(I::Item) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E>
where
    I: IntoIterator<IntoIter: ExactSizeIterator + Send>,
{
    let items = items.into_iter();
    let helpers = threads.min(items.len()).saturating_sub(1);
    let shared = Shared(Mutex::new(Progress {
        items: Some(items.enumerate()),
        results: Vec::new(),
        error: None,
    }));
    let work_on = || {
        let _stop = StopOnPanic(&shared);
        while let Some((at, item)) = shared.next() {
            shared.put(at, work(item));
        }
    };
    with_helpers(name, helpers, work_on, |_| work_on());
    let Progress { mut results, error, .. } =
        shared.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = error {
        return Err(error);
    }
    results.sort_unstable_by_key(|(at, _)| *at);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Items and results, with the positions of the items.
struct Progress<I, T, E> {
    /// The remaining items; `None` once no further item may be begun.
    items: Option<Enumerate<I>>,
    results: Vec<(usize, T)>,
    error: Option<(usize, E)>,
}

struct Shared<I, T, E>(Mutex<Progress<I, T, E>>);

impl<I, T, E> Shared<I, T, E> {
    fn lock(&self) -> MutexGuard<'_, Progress<I, T, E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, at: usize, result: Result<T, E>) {
        let mut progress = self.lock();
        match result {
            Ok(result) => progress.results.push((at, result)),
            Err(error) => {
                progress.items = None;
                if progress.error.as_ref().is_none_or(|(first, _)| at < *first) {
                    progress.error = Some((at, error));
                }
            }
        }
    }
}

impl<I: Iterator, T, E> Shared<I, T, E> {
    fn next(&self) -> Option<(usize, I::Item)> {
        self.lock().items.as_mut()?.next()
    }
}

/// A guard that keeps all threads from beginning an item after one of them panicked.
struct StopOnPanic<'s, I, T, E>(&'s Shared<I, T, E>);

impl<I, T, E> Drop for StopOnPanic<'_, I, T, E> {
    fn drop(&mut self) {
        if panicking() {
            self.0.lock().items = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::refusal;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::current;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for threads in [0, 1, 2, 8, 200] {
            // With two threads, the first item ends after the one that does the second has begun the third.
            let third = Barrier::new(2);
            let results = each("test", threads, 0..100, |number| {
                if threads > 1 && (number == 0 || number == 2) {
                    third.wait();
                }
                number
            });
            assert_eq!(results, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn as_many_threads_work_as_are_wanted() {
        // None passes before all three are there.
        let all = Barrier::new(3);
        let mut places = [0; 3];
        each("test", 3, places.iter_mut().enumerate(), |(number, place)| {
            all.wait();
            *place = number + 1;
        });
        assert_eq!(places, [1, 2, 3]);
    }

    #[test]
    fn where_threads_are_refused_the_caller_does_it() {
        refusal::after(0);
        let caller = current().id();
        let by = each("test", 4, 0..10, |_| current().id());
        assert!(by.len() == 10 && by.iter().all(|by| *by == caller));
    }

    #[test]
    fn the_first_error_is_returned_and_stops_the_rest() {
        for threads in [1, 4] {
            // Where there are threads for both, items 1 and 2 fail at the same time.
            let both = Barrier::new(threads.min(2));
            let begun = AtomicUsize::new(0);
            let result = try_each("test", threads, 0..1000, |number| {
                begun.fetch_add(1, Ordering::Relaxed);
                if number == 1 || number == 2 {
                    both.wait();
                    return Err(number);
                }
                Ok(())
            });
            assert_eq!(result, Err(1));
            assert!(threads > 1 || begun.into_inner() == 2);
        }
    }

    #[test]
    fn a_panic_continues_in_the_caller_and_stops_the_rest() {
        for threads in [1, 3] {
            let begun = AtomicUsize::new(0);
            let work = |number| {
                begun.fetch_add(1, Ordering::Relaxed);
                if number == 2 {
                    resume_unwind(Box::new(number));
                }
                number
            };
            let all = || each("test", threads, 0..1_000_000, work);
            let panic = catch_unwind(AssertUnwindSafe(all)).expect_err("a panic");
            assert_eq!(panic.downcast_ref(), Some(&2));
            assert!(begun.into_inner() < 1_000_000);
        }
    }
}

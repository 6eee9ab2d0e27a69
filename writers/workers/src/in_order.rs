//! Results that several threads produce, taken in the order of their jobs.

use crate::start::builder;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Function that turns jobs into results, on one thread.
type Make<J, R> = Box<dyn FnMut(J) -> R + Send>;
/// Function that creates such a function for each thread.
type Maker<J, R> = dyn Fn() -> Make<J, R> + Send + Sync;
/// A job, and the channel for its result, or for the panic of the thread that had to produce it.
type Request<J, R> = (J, SyncSender<thread::Result<R>>);

/// Threads that turn jobs into results, for any number of [`InOrder`].
pub struct Workers<J, R> {
    requests: Option<Sender<Request<J, R>>>,
    threads: Vec<JoinHandle<()>>,
    maker: Arc<Maker<J, R>>,
}

impl<J: Send + 'static, R: Send + 'static> Workers<J, R> {
    /// Starts this many threads, or as many as the system grants. Without any, the thread that needs a result produces
    /// it. `maker` is called for each thread: the function that it returns produces results, and may keep state for
    /// them.
    pub fn new<F>(
        name: &str,
        threads: usize,
        maker: impl Fn() -> F + Send + Sync + 'static,
    ) -> Arc<Workers<J, R>>
    where
        F: FnMut(J) -> R + Send + 'static,
    {
        let maker: Arc<Maker<J, R>> = Arc::new(move || Box::new(maker()));
        let (requests, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let (queue, maker) = (Arc::clone(&queue), Arc::clone(&maker));
            builder(name).spawn(move || serve(&queue, &*maker)).ok()
        };
        let threads = (0..threads).map_while(start).collect();
        Arc::new(Workers { requests: Some(requests), threads, maker })
    }
}

/// Produces results until no more can be requested.
fn serve<J, R>(queue: &Mutex<Receiver<Request<J, R>>>, maker: &Maker<J, R>) {
    let mut make = maker();
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((job, answer)) = next else { return };
        let result = catch_unwind(AssertUnwindSafe(|| make(job)));
        if result.is_err() {
            // What it kept may be half changed.
            make = maker();
        }
        // Nobody waits for it where its owner has failed.
        let _ = answer.send(result);
    }
}

impl<J, R> Drop for Workers<J, R> {
    fn drop(&mut self) {
        self.requests = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl<J, R> fmt::Debug for Workers<J, R> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Workers").field("threads", &self.threads).finish_non_exhaustive()
    }
}

/// Results in the order of their jobs. [`InOrder::put`] hands over a job, and returns the next result if enough jobs
/// are under way; as an iterator it returns the remaining results.
pub struct InOrder<J, R> {
    workers: Arc<Workers<J, R>>,
    /// Function that produces results if there are no threads.
    here: Option<Make<J, R>>,
    under_way: VecDeque<Receiver<thread::Result<R>>>,
    most: usize,
}

impl<J, R> InOrder<J, R> {
    /// Uses these threads; for each of them up to `each` jobs, which is at least one, are executed, waiting or
    /// finished but not taken at a time.
    pub fn new(workers: &Arc<Workers<J, R>>, each: usize) -> InOrder<J, R> {
        let most = each.max(1) * workers.threads.len();
        InOrder { workers: Arc::clone(workers), here: None, under_way: VecDeque::new(), most }
    }

    /// Hands over a job. Returns the next result, after waiting for it, if the maximum number of jobs is under way;
    /// without threads it returns the result of this job, produced on the calling thread.
    ///
    /// # Panics
    /// If the thread that had to produce the returned result panicked, its panic continues here.
    #[must_use = "it is the next result"]
    pub fn put(&mut self, job: J) -> Option<R> {
        if self.most == 0 {
            let make = self.here.get_or_insert_with(|| (self.workers.maker)());
            return Some(make(job));
        }
        let next = if self.under_way.len() < self.most { None } else { self.next() };
        let (answer, result) = sync_channel(1);
        // The threads wait for jobs as long as there is a sender.
        let _ = self.workers.requests.as_ref().map(|requests| requests.send((job, answer)));
        self.under_way.push_back(result);
        next
    }
}

/// Iterator over the results that are under way.
impl<J, R> Iterator for InOrder<J, R> {
    type Item = R;

    /// Waits for the next result; `None` if there are no more.
    ///
    /// # Panics
    /// As [`InOrder::put`].
    fn next(&mut self) -> Option<R> {
        let result = self.under_way.pop_front()?.recv();
        let result = result.unwrap_or_else(|_| Err(Box::new("a thread ended without a result")));
        Some(result.unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl<J, R> fmt::Debug for InOrder<J, R> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (workers, under_way) = (&self.workers, self.under_way.len());
        let mut shown = to.debug_struct("InOrder");
        shown.field("workers", workers).field("under_way", &under_way).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::refusal;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::{ThreadId, current};

    #[test]
    fn results_are_in_the_order_of_their_jobs() {
        for threads in [0, 1, 2, 5] {
            // With two threads, the first job ends after the one that does the second has begun the third.
            let third = Arc::new(Barrier::new(2));
            let workers = Workers::new("test", threads, move || {
                let third = Arc::clone(&third);
                move |number: usize| {
                    if threads > 1 && (number == 0 || number == 2) {
                        third.wait();
                    }
                    number
                }
            });
            let mut in_order = InOrder::new(&workers, 2);
            let mut results: Vec<_> = (0..100).filter_map(|job| in_order.put(job)).collect();
            results.extend(in_order);
            assert_eq!(results, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_number_of_jobs_under_way_is_bounded() {
        let begun = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&begun);
        let workers = Workers::new("test", 2, move || {
            let begun = Arc::clone(&seen);
            move |job: usize| {
                begun.fetch_add(1, Ordering::Relaxed);
                job
            }
        });
        let mut in_order = InOrder::new(&workers, 3);
        for job in 0..6 {
            assert_eq!(in_order.put(job), None);
        }
        for job in 6..50 {
            // The result of the first, before the next is begun.
            assert_eq!(in_order.put(job), Some(job - 6));
            assert!(begun.load(Ordering::Relaxed) <= job + 1);
        }
        assert_eq!(in_order.count(), 6);
    }

    #[test]
    fn several_owners_share_the_threads_and_each_has_its_own_order() {
        let workers = Workers::new("test", 2, || |job: usize| job);
        let mut owners = [InOrder::new(&workers, 1), InOrder::new(&workers, 1)];
        let mut results = [Vec::new(), Vec::new()];
        for job in 0..20 {
            results[job % 2].extend(owners[job % 2].put(job));
        }
        for (result, owner) in results.iter_mut().zip(owners) {
            result.extend(owner);
        }
        assert!(results[0].iter().copied().eq((0..20).step_by(2)));
        assert!(results[1].iter().copied().eq((1..20).step_by(2)));
    }

    /// The threads that make some results, and what each of them counts.
    fn made_by(granted: usize) -> Vec<(ThreadId, usize)> {
        refusal::after(granted);
        let workers = Workers::new("test", 3, || {
            let mut count = 0;
            move |()| {
                count += 1;
                (current().id(), count)
            }
        });
        let mut in_order = InOrder::new(&workers, 1);
        let mut made: Vec<_> = (0..9).filter_map(|_| in_order.put(())).collect();
        made.extend(in_order);
        made
    }

    #[test]
    fn where_threads_are_refused_the_others_make_it_or_the_caller() {
        let counts =
            |made: &[(ThreadId, usize)]| made.iter().map(|made| made.1).collect::<Vec<_>>();
        for (granted, is_here) in [(0, true), (1, false)] {
            let made = made_by(granted);
            // Each keeps what it has from one job to the next.
            assert_eq!(counts(&made), (1..=9).collect::<Vec<_>>());
            assert!(made.iter().all(|(by, _)| (*by == current().id()) == is_here));
        }
    }

    #[test]
    fn a_panic_continues_where_its_result_is_taken_and_others_get_theirs() {
        let work = |job: i32| if job == 1 { resume_unwind(Box::new(job)) } else { job };
        let workers = Workers::new("test", 1, move || work);
        let mut in_order = InOrder::new(&workers, 3);
        assert!((0..3).all(|job| in_order.put(job).is_none()));
        assert_eq!(in_order.next(), Some(0));
        let panic = catch_unwind(AssertUnwindSafe(|| in_order.next())).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&1));
        assert_eq!(in_order.next(), Some(2));
    }

    #[test]
    fn threads_have_ended_when_their_owners_are_gone() {
        let made = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&made);
        let workers = Workers::new("test", 2, move || {
            let made = Arc::clone(&seen);
            move |()| made.fetch_add(1, Ordering::Relaxed)
        });
        let mut in_order = InOrder::new(&workers, 4);
        assert!((0..8).all(|_| in_order.put(()).is_none()));
        drop((in_order, workers));
        assert_eq!((made.load(Ordering::Relaxed), Arc::strong_count(&made)), (8, 1));
    }
}

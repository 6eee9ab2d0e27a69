//! Jobs that one thread executes in their order while the caller continues.

use crate::start::builder;
use std::error::Error;
use std::fmt;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// A value with which jobs are executed: by a thread of its own, or by the caller if there is none.
///
/// After the first error no further job is executed. The error is returned by a later call, at the latest by
/// [`Background::finish`]. Dropping it waits until the jobs that were handed over are done, and discards an error: a
/// caller that removes the file which the thread writes must be sure that nothing more is written.
#[derive(Debug)]
pub struct Background<S, J, E>(State<S, J, E>);

#[derive(Debug)]
enum State<S, J, E> {
    Here(S, Work<S, J, E>),
    There(SyncSender<J>, JoinHandle<Outcome<S, E>>),
    Over,
}

/// Function that executes a job.
type Work<S, J, E> = fn(&mut S, J) -> Result<(), E>;

/// The value after all jobs; `None` if the thread was given none.
type Outcome<S, E> = Option<Result<S, E>>;

impl<S, J, E> Background<S, J, E> {
    /// Makes the caller execute each job when it is handed over.
    pub fn here(value: S, work: Work<S, J, E>) -> Self {
        Background(State::Here(value, work))
    }

    /// Makes a thread execute all jobs, if the system grants one. Up to `queue` jobs wait for it.
    pub fn new(name: &str, queue: usize, value: S, work: Work<S, J, E>) -> Self
    where
        S: Send + 'static,
        J: Send + 'static,
        E: Send + 'static,
    {
        let (jobs, wanted) = sync_channel(queue);
        // A thread that is refused must not take the value with it.
        let (give, given) = sync_channel::<S>(1);
        let run = move || {
            let mut value = given.recv().ok()?;
            let result = wanted.into_iter().try_for_each(|job| work(&mut value, job));
            Some(result.map(|()| value))
        };
        let Ok(thread) = builder(name).spawn(run) else { return Self::here(value, work) };
        // The thread waits for it.
        let _ = give.send(value);
        Background(State::There(jobs, thread))
    }
}

impl<S, J, E: From<Stopped>> Background<S, J, E> {
    /// Hands over a job, after waiting while the queue is full.
    ///
    /// # Errors
    /// The error of this job or of an earlier one, once; then [`Stopped`].
    ///
    /// # Panics
    /// If a job panicked on the thread, its panic continues here.
    pub fn put(&mut self, job: J) -> Result<(), E> {
        let result = match &mut self.0 {
            State::Here(value, work) => work(value, job),
            State::There(jobs, _) if jobs.send(job).is_ok() => Ok(()),
            // The thread takes no more.
            _ => self.end().map(drop),
        };
        if result.is_err() {
            self.0 = State::Over;
        }
        result
    }

    /// Waits until all jobs are done, and returns the value.
    ///
    /// # Errors
    /// As [`Background::put`].
    ///
    /// # Panics
    /// As [`Background::put`].
    pub fn finish(mut self) -> Result<S, E> {
        self.end()
    }

    /// Waits until all jobs are done, and takes the value.
    fn end(&mut self) -> Result<S, E> {
        match std::mem::replace(&mut self.0, State::Over) {
            State::Here(value, _) => Ok(value),
            State::There(jobs, thread) => {
                drop(jobs);
                let outcome = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                outcome.unwrap_or_else(|| Err(Stopped.into()))
            }
            State::Over => Err(Stopped.into()),
        }
    }
}

impl<S, J, E> Drop for Background<S, J, E> {
    fn drop(&mut self) {
        if let State::There(jobs, thread) = std::mem::replace(&mut self.0, State::Over) {
            drop(jobs);
            let _ = thread.join();
        }
    }
}

/// The error of jobs after a failure: an earlier job has failed, and its error was returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an earlier part has failed")
    }
}

impl Error for Stopped {}

impl From<Stopped> for std::io::Error {
    fn from(stopped: Stopped) -> std::io::Error {
        std::io::Error::other(stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::refusal;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::current;

    #[derive(Debug, PartialEq, Eq)]
    enum Failure {
        Job(usize),
        Stopped,
    }

    impl From<Stopped> for Failure {
        fn from(_: Stopped) -> Failure {
            Failure::Stopped
        }
    }

    /// Keeps jobs; one of them fails.
    fn keep(kept: &mut Vec<usize>, job: usize) -> Result<(), Failure> {
        if job == 7 {
            return Err(Failure::Job(job));
        }
        kept.push(job);
        Ok(())
    }

    /// One that keeps, with a thread and without.
    fn both() -> [Background<Vec<usize>, usize, Failure>; 2] {
        [Background::new("test", 2, Vec::new(), keep), Background::here(Vec::new(), keep)]
    }

    #[test]
    fn jobs_are_done_in_their_order() {
        for mut background in both() {
            for job in 10..100 {
                assert_eq!(background.put(job), Ok(()));
            }
            assert_eq!(background.finish(), Ok((10..100).collect()));
        }
    }

    #[test]
    fn an_error_comes_back_once_and_stops_the_rest() {
        for mut background in both() {
            // How many are handed over before the thread is found to have failed differs.
            let errors: Vec<_> = (0..100).filter_map(|job| background.put(job).err()).collect();
            assert_eq!(errors.first(), Some(&Failure::Job(7)));
            assert!(errors.iter().skip(1).all(|error| *error == Failure::Stopped));
            assert_eq!(background.finish(), Err(Failure::Stopped));
        }
        for mut background in both() {
            let put = background.put(7);
            let finished = background.finish();
            let errors = [put.err(), finished.err()];
            assert!(errors.contains(&Some(Failure::Job(7))));
        }
    }

    #[test]
    fn no_more_jobs_wait_than_the_queue_has_room_for() {
        let (put, most) = (Arc::new(AtomicUsize::new(0)), 3);
        let work = |(put, done): &mut (Arc<AtomicUsize>, usize), most: usize| {
            // One is being done, and one is being put.
            assert!(put.load(Ordering::Relaxed) - *done <= most + 2);
            *done += 1;
            Ok::<_, Failure>(())
        };
        let mut background = Background::new("test", most, (Arc::clone(&put), 0), work);
        for _ in 0..1000 {
            put.fetch_add(1, Ordering::Relaxed);
            assert_eq!(background.put(most), Ok(()));
        }
        assert_eq!(background.finish().map(|(_, done)| done), Ok(1000));
    }

    #[test]
    fn where_the_thread_is_refused_the_caller_does_it() {
        refusal::after(0);
        let work = |by: &mut Vec<_>, ()| {
            by.push(current().id());
            Ok::<_, Failure>(())
        };
        let mut background = Background::new("test", 1, Vec::new(), work);
        assert_eq!(background.put(()), Ok(()));
        assert_eq!(background.finish(), Ok(vec![current().id()]));
    }

    #[test]
    fn a_panic_continues_in_the_caller() {
        let work =
            |(): &mut (), job: usize| -> Result<(), Failure> { resume_unwind(Box::new(job)) };
        let background = || Background::new("test", 1, (), work);
        let all = || {
            let mut background = background();
            (0..100).try_for_each(|job| background.put(job))?;
            background.finish()
        };
        let panic = catch_unwind(all).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&0_usize));
        // Unless nobody asks.
        let dropped = catch_unwind(AssertUnwindSafe(|| background().put(1).is_ok()));
        assert!(dropped.is_ok());
    }

    #[test]
    fn dropping_it_waits_for_the_thread() {
        let done = Arc::new(AtomicUsize::new(0));
        let work = |done: &mut Arc<AtomicUsize>, ()| {
            done.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Failure>(())
        };
        let mut background = Background::new("test", 5, Arc::clone(&done), work);
        assert!((0..5).all(|_| background.put(()).is_ok()));
        drop(background);
        assert_eq!((done.load(Ordering::Relaxed), Arc::strong_count(&done)), (5, 1));
    }
}

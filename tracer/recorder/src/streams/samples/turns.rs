//! Turns of many threads: a signal wakes a thread that sleeps, so those of wall time cost cores what the threads' number says,
//! however little these do. The process has a budget for them, and threads that are too many for it share it.

use super::timing::Timing;
use ompttrace_recording::settings::{SampleClock, Sampling};
use std::sync::atomic::{AtomicU64, Ordering};

/// Signals of wall time a second that each core bears in any case: some percent of it.
const OF_A_CORE: u64 = 1000;

const SECOND: u64 = 1_000_000_000;

/// The budget and its use.
#[derive(Debug)]
pub(super) struct Turns {
    /// Signals a second of all threads; 0: as many as they ask for.
    most: u64,
    /// Threads that are sampled now.
    threads: AtomicU64,
    /// Nanoseconds of the longest period that a thread got instead of the one that was asked for; 0: each got that.
    longest: AtomicU64,
}

impl Turns {
    /// The budget of the cores that the process may use. CPU time has its own limit: no more threads run than there are cores.
    pub(super) fn new(asked: Option<Sampling>) -> Turns {
        let wall = asked.filter(|sampling| sampling.clock == SampleClock::Wall);
        let most = wall.map_or(0, |sampling| {
            let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
            cores * OF_A_CORE.max(u64::from(sampling.rate))
        });
        Turns { most, threads: AtomicU64::new(0), longest: AtomicU64::new(0) }
    }

    /// One thread more is sampled.
    pub(super) fn join(&self) {
        self.threads.fetch_add(1, Ordering::Relaxed);
    }

    /// One thread fewer.
    pub(super) fn leave(&self) {
        self.threads.fetch_sub(1, Ordering::Relaxed);
    }

    /// Nanoseconds from one sample to the next of the recording's `thread`, with as many as there are now.
    pub(super) fn period(&self, sampling: Sampling, thread: u64) -> u64 {
        let asked = sampling.period(thread);
        let share = self.threads.load(Ordering::Relaxed).saturating_mul(SECOND);
        // Spread as what is asked for is.
        let share =
            share.checked_div(self.most).map_or(0, |share| share + share / 32 * (thread % 32) / 32);
        if share > asked {
            self.longest.fetch_max(share, Ordering::Relaxed);
        }
        asked.max(share)
    }

    /// The period that replaces `now`, if the number of threads has changed by much.
    pub(super) fn change(&self, now: u64, sampling: Sampling, thread: u64) -> Option<u64> {
        if self.most == 0 {
            return None;
        }
        let period = self.period(sampling, thread);
        (period.abs_diff(now) > now / 8).then_some(period)
    }

    /// Nanoseconds of the longest period that a thread got instead of the one that was asked for; 0: each got that.
    pub(super) fn longest(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(threads: u64) -> Turns {
        Turns { most: 2000, threads: AtomicU64::new(threads), longest: AtomicU64::new(0) }
    }

    const WALL: Sampling = Sampling { rate: 200, clock: SampleClock::Wall, signal: 0 };

    #[test]
    fn threads_get_what_is_asked_for_while_the_budget_lasts_and_share_it_then() {
        let few = turns(10);
        assert_eq!((few.period(WALL, 0), few.longest()), (5_000_000, 0));
        let many = turns(1000);
        let a_second = |threads: u64| {
            let periods = (0..threads).map(|thread| many.period(WALL, thread));
            periods.map(|period| 1e9 / period as f64).sum::<f64>()
        };
        assert!((1900.0..=2000.0).contains(&a_second(1000)), "{}", a_second(1000));
        assert!(many.longest() >= 500_000_000);
    }

    #[test]
    fn a_thread_changes_its_period_where_others_came_or_went() {
        let many = turns(100);
        assert_eq!(many.change(50_000_000, WALL, 0), None);
        many.threads.store(105, Ordering::Relaxed);
        assert_eq!(many.change(50_000_000, WALL, 0), None, "a few");
        many.threads.store(200, Ordering::Relaxed);
        assert_eq!(many.change(50_000_000, WALL, 0), Some(100_000_000));
        (0..195).for_each(|_| many.leave());
        assert_eq!(many.change(100_000_000, WALL, 0), Some(5_000_000));
    }

    #[test]
    fn cpu_time_has_no_budget() {
        let turns = Turns::new(Some(Sampling { clock: SampleClock::Cpu, ..WALL }));
        (0..1_000_000).for_each(|_| turns.join());
        assert_eq!((turns.period(WALL, 0), turns.change(1, WALL, 0)), (5_000_000, None));
        assert!(Turns::new(Some(WALL)).most >= 1000);
    }
}

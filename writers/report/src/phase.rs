//! The replay of a team from one of its barriers to the next, as if its threads had had a core whenever they wanted one.
//!
//! Each thread brings the time for which it had a core and did not wait. What threads take one after the other as they
//! are free, chunks of a dynamic loop and explicit tasks, would have gone to all of them alike. So a phase lasts as long
//! as the thread that has most of the rest, or as the mean of all threads, or as the longest sequence of tasks.

/// The most time from the last arrival at a barrier to its end that counts, nanoseconds: more is want of a core.
const RELEASE: u64 = 1_000;

/// A fork takes no longer where all have a core, nanoseconds: one that does waits for threads that have none.
pub(crate) const FORK: u64 = 10_000;

/// A thread's time with a core, on a clock that stands still while it waits or lacks one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The clock; barriers set it to that of the whole team.
    pub busy: u64,
    /// Work so far that any thread of its team might have done.
    pub shared: u64,
    /// The longest sequence of work.
    pub span: u64,
}

/// The threads of a team that have come to a barrier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Phase {
    ordinal: u32,
    threads: u64,
    /// The sum of their clocks.
    busy: u64,
    /// The latest of them without the work that is shared.
    own: u64,
    /// Time for which others wait for the last chunk of a loop.
    tail: u64,
}

impl Phase {
    /// The phase of this number, a new one where it was another.
    pub(crate) fn of(&mut self, ordinal: u32) -> &mut Phase {
        if self.ordinal != ordinal {
            *self = Phase { ordinal, ..Phase::default() };
        }
        self
    }

    /// A thread comes to the barrier, perhaps again: a phase that it began at `from`, and its progress when it came there
    /// before.
    pub(crate) fn arrive(&mut self, now: Progress, from: Progress, before: Option<Progress>) {
        self.threads += u64::from(before.is_none());
        let more = now.busy.saturating_sub(before.map_or(0, |before| before.busy));
        self.busy = self.busy.saturating_add(more);
        let shared = now.shared.saturating_sub(from.shared);
        self.own = self.own.max(now.busy.saturating_sub(shared));
    }

    /// A loop of the phase is over, for whose last chunk all threads but one wait so long.
    pub(crate) fn add_tail(&mut self, tail: u64) {
        self.tail = self.tail.saturating_add(tail);
    }

    /// The clock at the end of the barrier: of a team of so many threads, of which one began the phase at `from`, the
    /// longest sequence of work being `span` now. None where some are not there.
    pub(crate) fn end(&self, team: u64, from: Progress, span: u64, since_last: u64) -> Option<u64> {
        let is_whole = self.threads == team && team > 0;
        is_whole.then(|| {
            let mean = (self.busy / team).saturating_add(self.tail);
            let in_sequence = from.busy.saturating_add(span.saturating_sub(from.span));
            let end = self.own.max(mean).max(in_sequence);
            end.saturating_add(since_last.min(RELEASE))
        })
    }
}

/// The kernel's sums are read later than time passes: until then a thread has a core for the part of its time for which
/// it had one so far, and each reading corrects that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimate {
    run: u64,
    lacked: u64,
    /// Time since the last reading, and the part of it that was estimated to be on a core.
    passed: u64,
    taken: u64,
    /// Time that earlier estimates were short of, or had too much.
    owed: i64,
}

impl Estimate {
    /// Time on a core in so much time.
    pub(crate) fn of(&mut self, passed: u64) -> u64 {
        let known = self.run.saturating_add(self.lacked);
        let part = if known == 0 { 1.0 } else { self.run as f64 / known as f64 };
        let wanted = ((passed as f64 * part) as i64).saturating_add(self.owed);
        let taken = wanted.clamp(0, i64::try_from(passed).unwrap_or(i64::MAX));
        self.owed = wanted.saturating_sub(taken);
        self.passed = self.passed.saturating_add(passed);
        self.taken = self.taken.saturating_add(taken as u64);
        taken as u64
    }

    /// Corrects a clock whose last part was estimated, where no other clock depends on it yet.
    pub(crate) fn correct(&mut self, clock: u64) -> u64 {
        let corrected = clock.saturating_add_signed(self.owed);
        self.owed = 0;
        corrected
    }

    /// The kernel's sums for the time since the last reading.
    pub(crate) fn read(&mut self, run: u64, lacked: u64, unknown: u64) {
        self.run = self.run.saturating_add(run);
        self.lacked = self.lacked.saturating_add(lacked);
        let (passed, taken) = (self.passed as f64, self.taken as f64);
        let had = 1.0 - lacked.min(unknown) as f64 / unknown.max(1) as f64;
        self.owed = self.owed.saturating_add((passed * had - taken) as i64);
        (self.passed, self.taken) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(busy: u64, shared: u64) -> Progress {
        Progress { busy, shared, span: 0 }
    }

    #[test]
    fn shared_work_goes_to_all_threads_alike_and_own_work_does_not() {
        let mut phase = Phase::default();
        phase.of(1).arrive(progress(190, 90), progress(100, 0), None);
        phase.arrive(progress(110, 0), progress(100, 0), None);
        assert_eq!(phase.end(2, progress(100, 0), 0, 0), Some(150));
        phase.of(2).arrive(progress(190, 0), progress(100, 0), None);
        phase.arrive(progress(110, 0), progress(100, 0), None);
        assert_eq!(phase.end(2, progress(100, 0), 0, 7), Some(197));
        assert_eq!(phase.end(2, progress(100, 0), 300, 0), Some(400), "tasks in sequence");
        assert_eq!(phase.end(3, progress(100, 0), 0, 0), None, "one is not there yet");
    }

    #[test]
    fn a_thread_that_comes_again_counts_once() {
        let mut phase = Phase::default();
        let from = progress(0, 0);
        phase.of(1).arrive(progress(10, 0), from, None);
        phase.arrive(progress(60, 50), from, Some(progress(10, 0)));
        phase.arrive(progress(20, 0), from, None);
        assert_eq!(phase.end(2, from, 0, 0), Some(40));
    }

    #[test]
    fn readings_correct_what_was_estimated() {
        let mut estimate = Estimate::default();
        assert_eq!(estimate.of(100), 100);
        estimate.read(25, 75, 100);
        assert_eq!(estimate.of(100), 0, "75 were too much, of which a fourth is made good");
        assert_eq!(estimate.of(400), 50);
        estimate.read(500, 0, 500);
        assert_eq!(estimate.correct(1_000), 1_450, "450 were too few");
    }
}

//! The work that a thread did lately, from which a thread that waited for it learns the cause of its wait.

use crate::open::Interval;
use ompttrace_report::journal::Account;

/// Intervals that are remembered of a thread.
const MOST: usize = 8;

/// Interval in which a thread worked, in CLOCK_MONOTONIC nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Work {
    account: Account,
    begin: u64,
    end: u64,
}

impl Work {
    fn of(interval: &Interval) -> Option<Work> {
        let Interval { begin, end, sort, .. } = *interval;
        sort.works.then_some(Work { account: sort.account, begin, end })
    }

    /// Time of this work between `begin` and `end`, in nanoseconds.
    fn within(&self, begin: u64, end: u64) -> u64 {
        self.end.min(end).saturating_sub(self.begin.max(begin))
    }
}

/// The last intervals in which a thread worked.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    work: [Option<Work>; MOST],
    next: usize,
}

impl Recent {
    /// Adds an interval that is over, if the thread worked in it, and drops the oldest one.
    #[inline]
    pub(crate) fn put(&mut self, interval: &Interval) {
        let Some(work) = Work::of(interval) else { return };
        if let Some(slot) = self.work.get_mut(self.next) {
            *slot = Some(work);
        }
        self.next = (self.next + 1) % MOST;
    }

    /// The account that the thread worked at for most of another thread's wait, `None` if it did not work meanwhile;
    /// `open` is the interval that the thread is in.
    pub(crate) fn most(&self, wait: &Interval, open: Option<&Interval>) -> Option<Account> {
        let all = || self.work.iter().flatten().copied().chain(open.and_then(Work::of));
        let meanwhile = |account: Account| -> u64 {
            let same = all().filter(|work| work.account == account);
            same.map(|work| work.within(wait.begin, wait.end)).sum()
        };
        let most = all().max_by_key(|work| meanwhile(work.account))?;
        (meanwhile(most.account) > 0).then_some(most.account)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Sort;
    use ompttrace_recording::Id;
    use ompttrace_report::State;
    use ompttrace_report::journal::Running;

    fn interval(account: u32, begin: u64, end: u64, works: bool) -> Interval {
        let (state, account) = (State::WorkParallel, Account::Construct(account));
        let sort = Sort { state, account, region: Id::NONE, task: Id::NONE, works };
        let blame = (Running::default(), Running::default());
        Interval { sort, begin, end, blame, blocker: None }
    }

    #[test]
    fn it_is_what_took_longest_meanwhile() {
        let mut recent = Recent::default();
        // The first one was longer, but for the most part before the wait.
        for (account, begin, end) in [(1, 0, 120), (2, 120, 150), (3, 150, 160), (2, 160, 170)] {
            recent.put(&interval(account, begin, end, true));
        }
        recent.put(&interval(4, 170, 300, false));
        let wait = interval(9, 100, 300, false);
        assert_eq!(recent.most(&wait, None), Some(Account::Construct(2)));
        let open = interval(5, 250, 300, true);
        assert_eq!(recent.most(&wait, Some(&open)), Some(Account::Construct(5)));
        let later = interval(9, 400, 500, false);
        assert_eq!(recent.most(&later, None), None);
    }
}

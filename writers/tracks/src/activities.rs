//! Parts of a thread's time with its activity: a single one or, where several are drawn as one, their sums.

use crate::numbers::{hundredths, put_number};
use ompttrace_model::{Activity, Chunks, SliceKind, State};

/// The activity while a slice is the innermost one; `chunks` as for [`State::of_slice`].
#[inline]
pub(crate) fn activity(kind: SliceKind, chunks: Chunks) -> Activity {
    State::of_slice(kind, State::WorkParallel, chunks).activity()
}

/// A part of a thread's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activities {
    /// Time at which the part begins, in CLOCK_MONOTONIC nanoseconds.
    pub from: u64,
    /// Time at which the part ends, in CLOCK_MONOTONIC nanoseconds.
    pub to: u64,
    /// For each [`Activity`] the number of times that it occurred, and its total duration in nanoseconds.
    sums: [(u64, u64); Activity::ALL.len()],
}

impl Activities {
    /// A part with one activity without a break.
    pub(crate) fn one(activity: Activity, from: u64, to: u64) -> Activities {
        let mut sums = [(0, 0); Activity::ALL.len()];
        if let Some(sum) = sums.get_mut(activity as usize) {
            *sum = (1, to.saturating_sub(from));
        }
        Activities { from, to, sums }
    }

    /// The activities that occurred, each with its number and its total duration in nanoseconds.
    pub fn sums(&self) -> impl Iterator<Item = (Activity, u64, u64)> + '_ {
        let all = Activity::ALL.into_iter().zip(self.sums);
        all.filter(|(_, (count, _))| *count > 0)
            .map(|(activity, (count, time))| (activity, count, time))
    }

    /// The activity, if the part has a single one without a break.
    pub fn only(&self) -> Option<Activity> {
        let mut sums = self.sums();
        let (activity, count, _) = sums.next()?;
        (count == 1 && sums.next().is_none()).then_some(activity)
    }

    /// The title of a part with several activities: the one that takes most of the time, and its share, such as `work 83 %`.
    pub fn title(&self) -> String {
        let longest = self.sums().max_by_key(|(.., time)| *time);
        longest.map_or_else(String::new, |(activity, _, time)| {
            let mut title = String::with_capacity(32);
            title.push_str(activity.name());
            title.push(' ');
            put_number(&mut title, hundredths(time, self.duration()));
            title.push_str(" %");
            title
        })
    }

    /// Adds one activity, which follows.
    #[inline(always)]
    pub(crate) fn add_one(&mut self, activity: Activity, from: u64, to: u64) {
        if self.is_empty() {
            self.from = from;
        }
        self.to = to;
        if let Some((count, time)) = self.sums.get_mut(activity as usize) {
            (*count, *time) = (*count + 1, *time + (to - from));
        }
    }

    /// True if nothing was added: no activity ends at time 0.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.to == 0
    }

    pub(crate) fn duration(&self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// Adds a part, which follows.
    pub(crate) fn add(&mut self, next: &Activities) {
        if self.is_empty() {
            self.from = next.from;
        }
        self.to = next.to;
        for (sum, more) in self.sums.iter_mut().zip(next.sums) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_are_called_by_what_takes_longest() {
        let mut part = Activities::one(Activity::Work, 100, 150);
        assert_eq!((part.only(), part.duration()), (Some(Activity::Work), 50));
        part.add(&Activities::one(Activity::Wait, 150, 300));
        part.add(&Activities::one(Activity::Work, 300, 350));
        assert_eq!((part.only(), part.title().as_str()), (None, "wait 60 %"));
        let sums: Vec<_> = part.sums().collect();
        assert_eq!(sums, [(Activity::Work, 2, 100), (Activity::Wait, 1, 150)]);
        assert_eq!(Activities::default().title(), "");
    }
}

//! Facts of a window of a run that are needed to put it together with the others: logical threads have tracks in some
//! of the windows, and are sorted when all are known.

use crate::counts::Counts;
use ompttrace_model::{LogicalThread, ThreadRef};
use std::collections::BTreeMap;
use std::ops::Range;

/// The result of a window, besides its bytes.
#[derive(Debug, Default)]
pub struct Part {
    pub(crate) drawn: Counts,
    pub(crate) shows_loss: bool,
    pub(crate) threads: Vec<Used>,
}

/// A logical thread of a window: drawn, or on the track of one OS thread for some time.
pub(crate) type Used = (LogicalThread, Option<(ThreadRef, Range<u64>)>);

/// The logical threads of all windows so far, as they are sorted.
#[derive(Debug, Default)]
pub(crate) struct Joined(BTreeMap<(Vec<u32>, String), JoinedThread>);

/// A logical thread of any window.
#[derive(Debug)]
pub(crate) struct JoinedThread {
    pub(crate) thread: LogicalThread,
    is_drawn: bool,
    /// The times at which it is on an OS thread's track, in the order of time.
    pub(crate) elsewhere: Vec<(ThreadRef, Range<u64>)>,
}

impl Joined {
    /// Adds the logical threads of the next window.
    pub(crate) fn add(&mut self, threads: Vec<Used>) {
        for (thread, elsewhere) in threads {
            let key = (thread.order.clone(), thread.path.clone());
            let new = || JoinedThread { thread, is_drawn: false, elsewhere: Vec::new() };
            let known = self.0.entry(key).or_insert_with(new);
            match (elsewhere, known.elsewhere.last_mut()) {
                (None, _) => known.is_drawn = true,
                (Some((on, time)), Some((before, last)))
                    if on == *before && time.start == last.end =>
                {
                    last.end = time.end;
                }
                (Some(one), _) => known.elsewhere.push(one),
            }
        }
    }

    /// The logical threads that have a track.
    pub(crate) fn drawn(self) -> impl Iterator<Item = JoinedThread> {
        self.0.into_values().filter(|thread| thread.is_drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_from_window_to_window_is_one() {
        let thread = |path: &str| {
            let order = path.split('.').filter_map(|number| number.parse().ok()).collect();
            LogicalThread { logical_thread: 0, parent: None, path: path.into(), order }
        };
        let mut joined = Joined::default();
        joined.add(vec![(thread("0.10"), Some((1, 5..10))), (thread("0.2"), None)]);
        joined.add(vec![(thread("0.10"), Some((1, 10..20))), (thread("0.1"), Some((3, 10..20)))]);
        joined.add(vec![(thread("0.10"), Some((2, 20..30)))]);
        joined.add(vec![(thread("0.10"), None)]);
        joined.add(vec![(thread("0.10"), Some((2, 40..50)))]);
        let drawn: Vec<_> = joined.drawn().map(|of| (of.thread.path, of.elsewhere)).collect();
        let elsewhere = vec![(1, 5..20), (2, 20..30), (2, 40..50)];
        assert_eq!(drawn, [("0.2".into(), vec![]), ("0.10".into(), elsewhere)]);
    }
}

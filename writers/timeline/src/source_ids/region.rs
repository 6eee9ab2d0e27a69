//! A region whose source has numbers of its own, and the thread numbers in its team.

use ompttrace_recording::Id;

/// A region that a source has reported.
#[derive(Debug)]
pub(super) struct SourceRegion {
    pub(super) id: Id,
    /// The thread that forked it; none if that was not reported.
    creator: Option<u32>,
    /// Thread numbers that are given out; the first is its creator's.
    taken: Vec<bool>,
    /// Implicit tasks of the region: the source's number and the id of each.
    pub(super) tasks: Vec<(u64, Id)>,
    pub(super) is_over: bool,
}

impl SourceRegion {
    pub(super) fn new(id: Id, creator: Option<u32>) -> SourceRegion {
        let taken = creator.iter().map(|_| true).collect();
        SourceRegion { id, creator, taken, tasks: Vec::new(), is_over: false }
    }

    /// A thread number for thread `t`: 0 for the thread that forked, otherwise its last one, if a team of
    /// this size has it and it is free, otherwise the next.
    pub(super) fn thread_num(&mut self, t: u32, last: u64, size: u64) -> u64 {
        if self.creator == Some(t) {
            return 0;
        }
        let free = |number: usize| !self.taken.get(number).copied().unwrap_or(number == 0);
        let number = if last > 0 && last < size && free(last as usize) {
            last as usize
        } else {
            (1..).find(|number| free(*number)).unwrap_or(1)
        };
        if self.taken.len() <= number {
            self.taken.resize(number + 1, false);
        }
        if let Some(taken) = self.taken.get_mut(number) {
            *taken = true;
        }
        number as u64
    }
}

//! The time of a thread since the kernel's accounting was read last, by bins. The next reading corrects a total, which
//! is divided among these bins.

use crate::bins::Bins;
use ompttrace_report::State;
use ompttrace_report::journal::{Account, Part};

/// Entries that are kept; time beyond that counts with the entry of its kind that came last, if there is one.
const MOST: usize = 1 << 10;

#[derive(Clone, Copy, Debug)]
struct Entry {
    bin: u32,
    account: Account,
    state: State,
    time: u64,
}

/// Time of a thread that the next reading of the kernel's accounting may correct, by bin, account and state.
#[derive(Debug, Default)]
pub(crate) struct Unread(Vec<Entry>);

impl Unread {
    /// Time passed of which it is unknown whether the thread had a core.
    pub(crate) fn add(&mut self, part: &Part, bins: &Bins) {
        let (mut begin, last) = (part.begin, bins.bin_of_end(part.end));
        for bin in bins.bin(part.begin)..=last {
            let end = bins.end(bin).min(part.end);
            self.put(Entry { bin, account: part.account, state: part.state, time: end - begin });
            begin = end;
        }
    }

    fn put(&mut self, entry: Entry) {
        let is_full = self.0.len() >= MOST;
        let same = |known: &&mut Entry| {
            let is_alike = (known.account, known.state) == (entry.account, entry.state);
            is_alike && (known.bin == entry.bin || is_full)
        };
        match self.0.iter_mut().rev().find(same) {
            Some(known) => known.time += entry.time,
            None if is_full => {}
            None => self.0.push(entry),
        }
    }

    /// Divides `nanoseconds` that were spent in another state among the bins: pairs of bin and nanoseconds, in
    /// proportion to the time of the account and state in each bin. The result is empty if there is no such time.
    pub(crate) fn divide(
        &self,
        (account, state): (Account, State),
        nanoseconds: u64,
    ) -> Vec<(u32, u64)> {
        let of_kind = |entry: &&Entry| (entry.account, entry.state) == (account, state);
        let all: u128 = self.0.iter().filter(of_kind).map(|entry| u128::from(entry.time)).sum();
        let (mut so_far, mut given) = (0, 0);
        let share = |entry: &Entry| {
            so_far += u128::from(entry.time);
            let up_to = (u128::from(nanoseconds) * so_far / all.max(1)) as u64;
            (entry.bin, up_to - std::mem::replace(&mut given, up_to))
        };
        self.0.iter().filter(of_kind).map(share).collect()
    }

    /// The first bin that the next reading may correct; `None` if there is none.
    pub(crate) fn first_bin(&self) -> Option<u32> {
        self.0.first().map(|entry| entry.bin)
    }

    /// Forgets all time: the kernel's accounting was read.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::Id;
    use ompttrace_report::journal::Running;

    fn part(begin: u64, end: u64, state: State) -> Part {
        Part {
            thread: 0,
            begin,
            end,
            state,
            account: Account::Construct(1),
            region: Id::NONE,
            task: Id::NONE,
            works: false,
            is_unread: true,
            blame: Running::default(),
        }
    }

    #[test]
    fn bins_get_their_share_and_no_more() {
        let bins = Bins::of((0, 3_000), 0, 1_000);
        let mut unread = Unread::default();
        unread.add(&part(900, 2_100, State::WorkSerial), &bins);
        unread.add(&part(2_100, 2_200, State::Idle), &bins);
        let key = (Account::Construct(1), State::WorkSerial);
        let divided = unread.divide(key, 121);
        assert_eq!(divided, [(0, 10), (1, 100), (2, 11)]);
        assert_eq!(unread.divide((Account::Construct(2), State::Idle), 5), []);
        unread.clear();
        assert_eq!(unread.divide(key, 121), []);
    }

    #[test]
    fn as_many_bins_as_there_may_be_take_bounded_memory() {
        let bins = Bins::of((0, 1_000_000_000), 0, 100_000);
        let mut unread = Unread::default();
        unread.add(&part(0, 1_000_000_000, State::WorkSerial), &bins);
        assert!(unread.0.len() <= MOST);
        let divided = unread.divide((Account::Construct(1), State::WorkSerial), 77_777);
        assert_eq!(divided.iter().map(|(_, part)| part).sum::<u64>(), 77_777);
    }
}

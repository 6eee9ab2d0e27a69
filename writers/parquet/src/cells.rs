//! A thread's cells of the rollup: what was charged in a bin of time to one account in one state.

use crate::bins::Bins;
use crate::open::Interval;
use crate::remainder::Rounded;
use ompttrace_report::State;
use ompttrace_report::journal::Account;
use rustc_hash::FxHashMap;

/// Maximum number of a thread's cells in memory: beyond it all become rows, and later time of the same key begins a new
/// cell.
const MOST: usize = 1 << 14;

/// Key of a cell: the bin, account and state whose time the cell adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub bin: u32,
    pub account: Account,
    pub state: State,
    /// Account that the awaited thread worked at, for a wait whose end another thread caused.
    pub blocker: Option<Account>,
}

/// Sums of a cell, in nanoseconds except `count`, the number of intervals that end in the bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub self_ns: i64,
    pub count: i64,
    pub longest: i64,
    pub idle: i64,
    pub wait: i64,
    pub mutex: i64,
}

/// The cells that may still grow.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    cells: FxHashMap<Key, Cell>,
    /// The bin that the thread is in, and the times at which that bin begins and ends.
    bin: u32,
    begin: u64,
    end: u64,
}

impl Cells {
    #[inline]
    pub(crate) fn cell(&mut self, key: Key) -> &mut Cell {
        self.cells.entry(key).or_default()
    }

    /// Adds an interval that is over; returns whether there are cells that grow no more.
    #[inline]
    pub(crate) fn add(&mut self, interval: &Interval, bins: &Bins, rounded: &mut Rounded) -> bool {
        let sort = interval.sort;
        let blocker = interval.blocker.map(|blocker| blocker.account);
        let (mut begin, (mut first, last)) = (interval.begin, interval.blame);
        let before = self.bin;
        self.go_to(begin, bins);
        loop {
            let end = self.end.min(interval.end);
            let is_last = end == interval.end;
            let sums = if is_last { last } else { bins.sums_at_end(self.bin, (first, last)) };
            let charged = match sort.works && sums != first {
                true => rounded.add(sort.account, (sums.idle - first.idle, sums.wait - first.wait)),
                false => (0, 0),
            };
            let key = Key { bin: self.bin, account: sort.account, state: sort.state, blocker };
            let cell = self.cell(key);
            cell.self_ns += (end - begin) as i64;
            cell.idle += charged.0;
            cell.wait += charged.1;
            if is_last {
                cell.count += 1;
                cell.longest = cell.longest.max((end - interval.begin) as i64);
                break;
            }
            (begin, first) = (end, sums);
            self.go_to(begin, bins);
        }
        self.bin != before || self.cells.len() > MOST
    }

    /// Makes the bin of a time the current one.
    #[inline]
    fn go_to(&mut self, at: u64, bins: &Bins) {
        if !(self.begin..self.end).contains(&at) {
            self.bin = bins.bin(at);
            self.begin = bins.begin(self.bin);
            self.end = bins.end(self.bin);
        }
    }

    /// Takes out the cells that grow no more, or all, in a fixed order; `unread` is the first bin of which not all is
    /// known yet.
    pub(crate) fn take(&mut self, all: bool, unread: Option<u32>) -> Vec<(Key, Cell)> {
        let all = all || self.cells.len() > MOST;
        let bin = unread.unwrap_or(self.bin).min(self.bin);
        let mut taken: Vec<_> = self.cells.extract_if(|key, _| all || key.bin < bin).collect();
        taken.sort_by_key(|(key, _)| order(key));
        taken
    }
}

/// Key by which cells are sorted: bin, account, state and blocker.
fn order(key: &Key) -> (u32, Account, u8, Option<Account>) {
    (key.bin, key.account, key.state as u8, key.blocker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Sort;
    use ompttrace_recording::Id;
    use ompttrace_report::journal::Running;

    const ACCOUNT: Account = Account::Construct(1);

    fn interval(begin: u64, end: u64, blame: (Running, Running)) -> Interval {
        let state = State::WorkParallel;
        let sort = Sort { state, account: ACCOUNT, region: Id::NONE, task: Id::NONE, works: true };
        Interval { sort, begin, end, blame, blocker: None }
    }

    fn sums(idle: f64, wait: f64) -> Running {
        Running { idle, wait }
    }

    #[test]
    fn an_interval_is_divided_at_the_edges_of_bins() {
        let mut bins = Bins::of((0, 2_999), 0, 1_000);
        let (mut cells, mut rounded) = (Cells::default(), Rounded::default());
        bins.put_edge(sums(70.5, 5.0));
        bins.put_edge(sums(100.0, 5.0));
        let long = interval(900, 2_100, (sums(50.0, 5.0), sums(110.2, 6.0)));
        assert!(cells.add(&long, &bins, &mut rounded));
        let other = interval(2_100, 2_400, (sums(110.2, 6.0), sums(110.2, 6.0)));
        assert!(!cells.add(&other, &bins, &mut rounded));
        let grown = cells.take(false, None);
        let of = |(key, cell): &(Key, Cell)| (key.bin, cell.self_ns, cell.count, cell.idle);
        assert_eq!(grown.iter().map(of).collect::<Vec<_>>(), [(0, 100, 0, 21), (1, 1_000, 0, 29)]);
        let last = cells.take(true, None);
        assert_eq!(last.iter().map(of).collect::<Vec<_>>(), [(2, 400, 2, 10)]);
        let cell = last[0].1;
        assert_eq!((cell.longest, cell.wait, grown[0].1.wait), (1_200, 1, 0));
    }

    #[test]
    fn what_may_still_be_put_right_is_kept() {
        let bins = Bins::of((0, 9_999), 0, 1_000);
        let (mut cells, mut rounded) = (Cells::default(), Rounded::default());
        let none = (sums(0.0, 0.0), sums(0.0, 0.0));
        assert!(cells.add(&interval(500, 5_500, none), &bins, &mut rounded));
        let kept = |cells: &mut Cells, unread| cells.take(false, unread).len();
        assert_eq!(kept(&mut cells, Some(2)), 2);
        assert_eq!(kept(&mut cells, Some(7)), 3);
        assert_eq!(cells.take(true, Some(0)).len(), 1);
    }
}

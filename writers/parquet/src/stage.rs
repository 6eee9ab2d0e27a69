//! The journal becomes rows: intervals of each thread, and the cells of the rollup.

mod intervals;

use crate::Error;
use crate::bins::Bins;
use crate::cells::{Cell, Cells, Key};
use crate::constructs::Constructs;
use crate::file::TableFile;
use crate::open::{Blocker, Interval};
use crate::recent::Recent;
use crate::remainder::Rounded;
use crate::rows::{IntervalRow, IntervalRows, RollupRows};
use crate::sites::SiteId;
use crate::tables::Charged;
use crate::unread::Unread;
pub(crate) use intervals::Intervals;
use ompttrace_model::Pool;
use ompttrace_report::State;
use ompttrace_report::journal::{Account, Construct, Entry, Part, Running};
use std::collections::BTreeMap;

/// Rows of a row group of the rollup.
const ROWS: usize = 1 << 17;

/// Corrections that wait for the end of an interval.
const MOST_CORRECTIONS: usize = 1 << 12;

/// Part of the journal that is handed over at a time to the thread that makes rows.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Constructs that are new since the last batch; entries name them.
    pub constructs: Vec<Construct>,
    pub entries: Vec<Entry>,
}

/// Conversion of one run's journal into rows of the rollup and, if wanted, of the intervals.
pub(crate) struct Stage {
    run: i64,
    bins: Bins,
    constructs: Constructs,
    /// Number of each thread in the recording, by the thread's position in the run.
    numbers: Vec<u32>,
    threads: Vec<Thread>,
    rounded: Rounded,
    /// Thread and cell in which each site was charged last: the final row for that cell adds the nanoseconds that
    /// rounding lost.
    charged_last: BTreeMap<SiteId, (u32, Key)>,
    rows: RollupRows,
    rollup: TableFile,
    intervals: Option<Intervals>,
    /// Empty batches for reuse, to which each batch is returned after it was read.
    spent: Pool<Batch>,
}

/// Data of one thread of the run.
#[derive(Debug, Default)]
struct Thread {
    open: Option<Interval>,
    /// The running sums of blame at the end of the thread's last part.
    blame: Running,
    recent: Recent,
    cells: Cells,
    unread: Unread,
    rows: IntervalRows,
    /// Correcting rows, which follow the row of the interval that the thread is in.
    corrections: Vec<IntervalRow>,
}

impl Stage {
    pub(crate) fn new(
        run: i64,
        bins: Bins,
        numbers: Vec<u32>,
        rollup: TableFile,
        intervals: Option<Intervals>,
        spent: Pool<Batch>,
    ) -> Stage {
        Stage {
            run,
            bins,
            constructs: Constructs::default(),
            threads: numbers.iter().map(|_| Thread::default()).collect(),
            numbers,
            rounded: Rounded::default(),
            charged_last: BTreeMap::new(),
            rows: RollupRows::default(),
            rollup,
            intervals,
            spent,
        }
    }

    /// Takes in a batch; its memory can be filled again.
    pub(crate) fn take(&mut self, mut batch: Batch) -> Result<(), Error> {
        self.constructs.define(batch.constructs.drain(..));
        for entry in &batch.entries {
            self.entry(entry)?;
        }
        batch.entries.clear();
        self.spent.give_back([batch]);
        Ok(())
    }

    #[inline]
    fn entry(&mut self, entry: &Entry) -> Result<(), Error> {
        match *entry {
            Entry::Part(ref part) => return self.part(part),
            Entry::Edge(sums) => self.bins.put_edge(sums),
            Entry::Follows(_) => {}
            Entry::Released { thread, by, construct } => {
                self.released(thread, by, Account::Construct(construct));
            }
            Entry::Held { thread, at, construct, state, nanoseconds } => {
                let account = Account::Construct(construct);
                let key = Key { bin: self.bins.bin(at), account, state, blocker: None };
                if let Some(thread) = self.threads.get_mut(thread as usize) {
                    thread.cells.cell(key).mutex += nanoseconds as i64;
                }
            }
            Entry::Moved { thread, at, account, from, to, nanoseconds } => {
                return self.moved((thread, at), (account, from, to), nanoseconds);
            }
            Entry::Read(thread) => {
                if let Some(thread) = self.threads.get_mut(thread as usize) {
                    thread.unread.clear();
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn part(&mut self, part: &Part) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(part.thread as usize) else { return Ok(()) };
        if part.is_unread {
            thread.unread.add(part, &self.bins);
        }
        let blame = std::mem::replace(&mut thread.blame, part.blame);
        if thread.open.as_mut().is_some_and(|open| open.goes_on(part)) {
            return Ok(());
        }
        let next = Interval::of(part, blame);
        match thread.open.replace(next) {
            Some(over) => self.over(part.thread, &over),
            None => Ok(()),
        }
    }

    /// A thread's wait is over: for what the other did meanwhile, or where nothing is known of that, had done last.
    fn released(&mut self, thread: u32, by: u32, last: Account) {
        let open = self.threads.get(thread as usize).and_then(|thread| thread.open);
        let Some(wait) = open.filter(Interval::waits) else { return };
        let other = self.threads.get(by as usize);
        let worked = other.and_then(|other| other.recent.most(&wait, other.open.as_ref()));
        let blocker = Blocker { thread: by, account: worked.unwrap_or(last) };
        if let Some(thread) = self.threads.get_mut(thread as usize) {
            thread.open = Some(Interval { blocker: Some(blocker), ..wait });
        }
    }

    /// An interval is over.
    #[inline]
    fn over(&mut self, t: u32, interval: &Interval) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(t as usize) else { return Ok(()) };
        thread.recent.put(interval);
        let grow_no_more = thread.cells.add(interval, &self.bins, &mut self.rounded);
        if let Some(intervals) = &mut self.intervals {
            let row = intervals::row(interval, &mut self.constructs, (&self.bins, &self.numbers));
            let before = thread.rows.len();
            thread.rows.push(&row);
            thread.corrections.drain(..).for_each(|row| thread.rows.push(&row));
            if intervals.is_full(thread.rows.len() - before, thread.rows.len()) {
                self.put_intervals(t)?;
            }
        }
        if grow_no_more { self.put_cells(t, false) } else { Ok(()) }
    }

    /// The kernel says that time was another state's.
    fn moved(
        &mut self,
        (t, at): (u32, u64),
        (account, from, to): (Account, State, State),
        nanoseconds: u64,
    ) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(t as usize) else { return Ok(()) };
        let mut divided = thread.unread.divide((account, from), nanoseconds);
        if divided.is_empty() {
            divided.push((self.bins.bin(at), nanoseconds));
        }
        for (bin, nanoseconds) in divided {
            let key = |state| Key { bin, account, state, blocker: None };
            thread.cells.cell(key(from)).self_ns -= nanoseconds as i64;
            thread.cells.cell(key(to)).self_ns += nanoseconds as i64;
        }
        if self.intervals.is_none() {
            return Ok(());
        }
        let (at, time) = (self.bins.time_of_day(at), nanoseconds as i64);
        let attribution = self.constructs.attribution(account);
        for (state, self_ns) in [(from, -time), (to, time)] {
            thread.corrections.push(intervals::correction((at, self_ns), state, attribution));
        }
        // An interval in which accounting is read over and over is cut.
        let cut =
            if thread.corrections.len() > MOST_CORRECTIONS { thread.open.take() } else { None };
        cut.map_or(Ok(()), |over| self.over(t, &over))
    }

    /// Makes rows of a thread's cells that grow no more, or of all.
    fn put_cells(&mut self, t: u32, all: bool) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(t as usize) else { return Ok(()) };
        for (key, cell) in thread.cells.take(all, thread.unread.first_bin()) {
            if cell == Cell::default() {
                continue;
            }
            if cell.idle != 0 || cell.wait != 0 {
                self.charged_last.insert(self.constructs.attribution(key.account).site, (t, key));
            }
            self.put_cell(t, &key, &cell)?;
        }
        Ok(())
    }

    fn put_cell(&mut self, t: u32, key: &Key, cell: &Cell) -> Result<(), Error> {
        let number = self.numbers.get(t as usize).copied().unwrap_or(t) as i32;
        let at = (self.bins.begin_of_day(key.bin), number);
        let blocker = key.blocker.map(|account| self.constructs.attribution(account).site);
        self.rows.push(at, self.constructs.attribution(key.account), (key.state, blocker), cell);
        if self.rows.len() < ROWS {
            return Ok(());
        }
        self.put_rows()
    }

    fn put_rows(&mut self) -> Result<(), Error> {
        let rows = std::mem::take(&mut self.rows);
        if rows.len() == 0 { Ok(()) } else { self.rollup.put(rows.columns(self.run)) }
    }

    /// Writes what is left; `wanted` is what the report charges each site with, idleness and waiting.
    pub(crate) fn finish(
        mut self,
        wanted: impl FnOnce(&mut Constructs) -> Charged,
    ) -> Result<Constructs, Error> {
        for t in 0..self.threads.len() as u32 {
            if let Some(over) =
                self.threads.get_mut(t as usize).and_then(|thread| thread.open.take())
            {
                self.over(t, &over)?;
            }
            self.put_cells(t, true)?;
            self.put_intervals(t)?;
        }
        let wanted = wanted(&mut self.constructs);
        for (site, (idle, wait)) in self.rounded.missing(&mut self.constructs, wanted) {
            if let Some((t, key)) = self.charged_last.get(&site).copied() {
                self.put_cell(t, &key, &Cell { idle, wait, ..Cell::default() })?;
            }
        }
        self.put_rows()?;
        self.rollup.finish()?;
        self.intervals.map_or(Ok(()), Intervals::finish)?;
        Ok(self.constructs)
    }
}
